"""Exercises that cannot serve as tasks: nothing is broken, no answer is right, or every answer is.

The text of a file does not show this. So the schema that is shown is graded as if it were an answer, and so is the
schema to be found. Only `schemata check` does this, since it takes as long as some grades.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget
from schemata.errors import SchemataError
from schemata.exercises.grading import number_in, schema_grade, within_limits
from schemata.exercises.model import Exercise, Grade
from schemata.kinds import D_RULES
from schemata.records import Record, replace
from schemata.structures import Sentence, tree_class
from schemata.structures.generation import all_trees
from schemata.wording import listing, quantity
from schemata.workbench import ParsingSchema


class Doubt(Record):
    """A reason why an exercise cannot serve as a task: the keyword that it is about, and whether it is certain. It is
    not certain if a limit left it undecided.
    """

    key: str
    code: str
    message: str
    expected: str
    is_certain: bool = True


def doubts(exercise: Exercise) -> Iterator[Doubt]:
    """Yield the reasons why an exercise cannot serve as a task; each question may take the seconds of one grade."""
    match exercise.kind:
        case "mend":
            yield from _mend(exercise)
        case "write":
            yield from _goal(exercise)
        case "class":
            yield from _class(exercise)
        case "count":
            yield from _count(exercise)


def _budget(exercise: Exercise) -> Budget:
    return Budget(seconds=exercise.seconds, end=time.monotonic() + exercise.seconds)


def _not_known(exercise: Exercise, key: str, what: str) -> Doubt:
    """Return the doubt about a question that was not decided within the seconds of a grade."""
    message = f"it was not known within {exercise.seconds:g} s {what}"
    return Doubt(key, "not-known", message, "a smaller task, or more seconds", False)


# Schemata ----------------------------------------------------------------------------------------------------------


def _mend(exercise: Exercise) -> Iterator[Doubt]:
    """Yield doubts about a schema to be mended: it is right as it stands, or its original is wrong."""
    shown = _graded(exercise, exercise.rules)
    if isinstance(shown, Doubt):
        yield shown
        return
    if shown.right:
        message = f"nothing is to be mended: {shown.message}"
        yield Doubt("schema", "not-broken", message, "a schema that derives something else")
    elif shown.right is None:
        yield _not_known(exercise, "schema", f"whether {exercise.rules.name} is broken")
    original = exercise.original
    if original is not None:
        found = _graded(exercise, original)
        if isinstance(found, Grade) and found.right is False:
            key = "original" if original != exercise.rules else "schema"
            yield Doubt(key, "wrong-original", f"the original is no right answer: {found.message}",
                        "a schema that does what is asked for")  # fmt: skip
    yield from _goal(exercise)


def _goal(exercise: Exercise) -> Iterator[Doubt]:
    """Yield doubts about the structures to be derived: there are none, or they are all trees, though a smaller class is
    named.
    """
    if exercise.same_as is not None:
        found = _graded(replace(exercise, once=False), exercise.same_as)
        if isinstance(found, Doubt):
            yield found
        elif found.right is False:
            message = f"{exercise.same_as.name} derives nothing, to {quantity(exercise.max_n, 'word')}"
            yield Doubt("same-as", "no-answer", message, "a schema that derives something")
    elif exercise.class_name is not None and _has_all(exercise):
        far = quantity(exercise.max_n, "word")
        message = f"all trees of at most {far} are in the class {exercise.class_name}: a schema of all trees is right"
        yield Doubt("class", "no-difference", message, "more words: max-n", False)


def _graded(exercise: Exercise, schema: ParsingSchema) -> Grade | Doubt:
    """Return the grade of a schema; a doubt where it cannot be an answer."""
    try:
        return within_limits(exercise, lambda: schema_grade(exercise, schema, _budget(exercise)))
    except SchemataError as error:
        said = error.diagnostics[0]
        key = "class" if exercise.same_as is None else "same-as"
        return Doubt(key, said.code, said.message, said.expected or "a schema of the same kind")


def _has_all(exercise: Exercise) -> bool:
    """Whether a class of trees is not `all`, and has all trees of at most so many words; not if that takes too long."""
    name = exercise.class_name
    about = exercise.schema
    if name in (None, "all") or (about is not None and about.definition.grammar != D_RULES):
        return False
    assert name is not None
    end = time.monotonic() + exercise.seconds
    chosen = tree_class(name)
    for n in range(1, exercise.max_n + 1):
        for tree in all_trees(n):
            if time.monotonic() > end or not chosen.contains(tree):
                return False
    return True


# Classes and numbers -----------------------------------------------------------------------------------------------


def _class(exercise: Exercise) -> Iterator[Doubt]:
    """Yield doubts about a class to be chosen: none is right, all are, or no tree lies outside the right one."""
    name, far = exercise.rules.name, quantity(exercise.max_n, "word")
    key = "choices" if exercise.choices else "schema"
    answers: dict[str, bool | None] = {}
    for choice in exercise.choices:
        verdict: Any = exercise.rules.verify(choice, exercise.max_n, seconds=exercise.seconds)
        answers[choice] = False if False in (verdict.sound, verdict.complete) else verdict.holds
    if not exercise.choices:
        known: Any = exercise.rules.verify(None, exercise.max_n, seconds=exercise.seconds)
        answers = dict.fromkeys(known.parses or (), True) if known.parses is not None else {"": None}
    right = [one for one, answer in answers.items() if answer]
    if not right and None in answers.values():
        yield _not_known(exercise, key, f"which class {name} parses")
    elif not right:
        message = f"{name} parses none of {'these' if exercise.choices else 'the known'} classes, to {far}"
        yield Doubt(key, "no-answer", message, "a class that it parses among the choices")
    elif right == ["all"]:
        yield Doubt(key, "no-answer", f"{name} parses all trees: none lies outside", "a schema of some trees")
    elif len(right) > 1 and len(right) == len(exercise.choices):
        message = f"{name} parses {listing(right)}, to {far}: every choice is right"
        yield Doubt(key, "no-difference", message, "more words: max-n; or other choices")


def _count(exercise: Exercise) -> Iterator[Doubt]:
    """Yield doubts about numbers to be predicted: they cannot be computed in time, are infinite, or all 0."""
    key = "lengths" if exercise.lengths else "sentence"
    given = exercise.sentence
    sentences = [given] if given is not None else list(map(sentence_of_length, exercise.lengths))
    numbers = []
    for sentence in sentences:
        found = within_limits(exercise, partial(_number, exercise, sentence))
        if found is None or isinstance(found, Grade):
            yield _not_known(
                exercise, key, f"how many {exercise.count} {quantity(len(sentence), 'word')} have"
            )
            return
        numbers.append(found)
    if math.inf in numbers:
        message = f"{exercise.rules.name} has infinitely many {exercise.count}: no number is right"
        yield Doubt(key, "no-answer", message, "items, steps or trees, or another schema")
    elif not any(numbers):
        message = f"{exercise.rules.name} has no {exercise.count} there"
        yield Doubt(key, "no-difference", message, "words of which some are derived", False)


def _number(exercise: Exercise, sentence: Sentence) -> Any:
    return number_in(exercise.rules.run(sentence, exercise.grammar, budget=_budget(exercise)), exercise.count)
