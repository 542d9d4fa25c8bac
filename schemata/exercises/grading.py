"""Grades: whether the answer to an exercise is right, and the smallest counterexample or the reasons if it is not.

Everything is decided by running, verifying and comparing schemata; an exercise holds no answer. A grade that a limit
cut short is unknown, never wrong.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from schemata.analysis.compare import sentence_of_length
from schemata.analysis.explain import find_item
from schemata.analysis.figures import run_result
from schemata.analysis.why_not import why_not_yet
from schemata.budget import Budget, OverBudget
from schemata.charts import Item
from schemata.engine.chart import Chart
from schemata.engine.control import Exploration
from schemata.engine.exceeded import BudgetExceeded, Interrupted
from schemata.errors import BudgetError, UsageError, one_of
from schemata.exercises.formulas import read_formula
from schemata.exercises.model import Exercise, Grade
from schemata.forest.derivations import Derivation, iterate_derivations
from schemata.from_text import checked_schema
from schemata.records import Record, replace
from schemata.structures import DependencyTree, tree_class
from schemata.thresholds import REFUSALS
from schemata.verification.answers import verify
from schemata.verification.trees import why_not_tree
from schemata.verification.verdicts import OF_ANOTHER
from schemata.wording import listing, quantity
from schemata.workbench import ParsingSchema

_T = TypeVar("_T")
_DERIVATIONS = 5_000  # derivations of a tree that are looked at
_DRAWN = 5  # words of the longest sentence whose chart is drawn
_PARTS = re.compile(r"\s*[;\n]\s*|(?<=\])\s*,?\s*(?=[^\W\d_][\w']*\s*\[)")


def grade(exercise: Exercise, answer: str, seconds: float | None = None, file: str | None = None) -> Grade:
    """Grade an answer.

    Parameters
    ----------
    exercise : the exercise.
    answer : the text of the answer; for schemata, that of a file.
    seconds : the time this may take; the exercise's own if None.
    file : the name of the answer's file, for messages.

    Raises
    ------
    UsageError, SchemaError, StructureError : the text does not answer such a question; the message says what is
        expected.

    >>> from schemata.exercises.reading import read_exercise
    >>> exercise = read_exercise("02-cyk-next")
    >>> grade(exercise, "edge[NP, 1, 2]").right, grade(exercise, "edge[S, 1, 3]").right
    (True, False)
    """
    began = time.monotonic()
    limit = exercise.seconds if seconds is None else seconds
    budget = Budget(seconds=limit, end=began + limit)
    if len(answer) > REFUSALS.schema_bytes:
        most = f"at most {REFUSALS.schema_bytes:,} characters"
        raise UsageError("the answer is too long", code="bad-answer", expected=most)
    if not answer.strip():
        raise UsageError("the answer is empty", code="empty-answer", expected=exercise.answer)
    graders: dict[str, Callable[[Exercise, str, Budget], Grade]] = {
        "next-item": _next_item, "count": _count, "class": _class, "second-derivation": _second_derivation,
    }  # fmt: skip
    grader = graders.get(exercise.kind, partial(_schema, file=file))
    found = within_limits(exercise, lambda: grader(exercise, answer, budget))
    hint = exercise.hint if found.right is False else ""
    return replace(found, hint=hint, seconds=time.monotonic() - began)


def within_limits(exercise: Exercise, work: Callable[[], _T]) -> _T | Grade:
    """Return the result of the work; an unknown grade if a limit ends it."""
    try:
        return work()
    except Interrupted:
        raise
    except (BudgetExceeded, OverBudget) as over:
        return unknown_grade(exercise, over.reason)
    except BudgetError:
        return unknown_grade(exercise, "structures")


def _grade(
    exercise: Exercise, right: bool | None, message: str, *evidence: Any, stopped: str | None = None
) -> Grade:
    return Grade(exercise.name, exercise.kind, right, message, evidence, exercise.sentence, stopped=stopped)


def unknown_grade(exercise: Exercise, reason: str) -> Grade:
    """Return the grade of an answer whose grading a limit ended."""
    said = {
        "seconds": "the time was over",
        "memory": "the memory was used up",
        "steps": "a run took too many steps",
    }
    message = f"{said.get(reason, f'the limit of {reason} was hit')} before it was known whether the answer is right"
    return _grade(exercise, None, message, stopped=reason)


# The next item -----------------------------------------------------------------------------------------------------


class Begun(Record):
    """A run with some items taken: the chart so far, their numbers, and those of the items that may be taken next."""

    explored: Exploration
    taken: tuple[int, ...]
    following: tuple[int, ...]

    @property
    def chart(self) -> Chart:
        """The chart of the items taken."""
        return self.explored.chart_of(self.taken)


def begun(exercise: Exercise, items: Iterable[str] | None = None) -> Begun:
    """Return the run of an exercise with the items taken that it names.

    Raises
    ------
    SchemaError, UsageError : something is not an item, or cannot be taken in this order.
    GrammarError, BudgetExceeded : as for a run.
    """
    schema, sentence = exercise.rules, exercise.sentence
    assert sentence is not None
    provided = schema.check_grammar(exercise.grammar, words=len(sentence)).for_sentence(sentence)
    explored = Exploration(schema.definition, sentence, provided)
    waiting = dict.fromkeys(one.consequent for one in explored.first)
    taken: list[int] = []
    for text in exercise.taken if items is None else items:
        number = find_item(explored.chart, text).number
        if number not in waiting or number in taken:
            message = f"{text} cannot be taken here"
            offered = [str(explored.chart.item(x)) for x in waiting if x not in taken]
            expected = one_of(offered[:6]) if offered else "nothing: no step derives another item"
            raise UsageError(message, code="not-derivable", expected=expected)
        taken.append(number)
        waiting |= dict.fromkeys(one.consequent for one in explored.take(number))
    following = tuple(x for x in waiting if x not in explored.taken)
    if not following:
        raise UsageError("no step derives another item", code="no-next-item", expected="fewer items taken")
    return Begun(explored, tuple(taken), following)


def _next_item(exercise: Exercise, answer: str, budget: Budget) -> Grade:
    state = begun(exercise)
    text = answer.strip().rstrip(";")
    chart = state.explored.chart
    asked = find_item(chart, text)
    number = asked.number
    if number is not None and number in state.following:
        return _grade(exercise, True, f"{asked.text} is derived by one step")
    if number is not None:
        hypothesis = number < state.explored.raw.hypothesis_count
        known = "a hypothesis" if hypothesis else "taken already"
        shown = [state.chart] if state.taken else []
        return _grade(exercise, False, f"{asked.text} is {known}", *shown)
    reasons = why_not_yet(state.chart, text)
    sentence = exercise.sentence
    assert sentence is not None
    whole = exercise.rules.run(sentence, exercise.grammar, budget=budget)
    later = find_item(whole, text).number is not None
    message = f"{asked.text} is not derived by one step from these items"
    message += ": it is derived later" if later else ", nor by any run on this sentence"
    return _grade(exercise, False, message, reasons)


# Numbers -----------------------------------------------------------------------------------------------------------


def _count(exercise: Exercise, answer: str, budget: Budget) -> Grade:
    formula = read_formula(answer, () if exercise.sentence is not None else ("n",))
    sentences = (
        [exercise.sentence] if exercise.sentence is not None else map(sentence_of_length, exercise.lengths)
    )
    for sentence in sentences:
        n = len(sentence)
        chart = exercise.rules.run(sentence, exercise.grammar, budget=budget)
        number = number_in(chart, exercise.count)
        if number is None:
            return unknown_grade(exercise, "structures")
        given = formula({"n": n})
        if given != number:
            words = quantity(n, "word")
            shown = f"{answer.strip()} is {given} there" if exercise.lengths else f"{given} is wrong"
            message = f"the chart of {words} has {quantity(number, exercise.count[:-1])}: {shown}"
            evidence = (
                [chart]
                if n <= _DRAWN and exercise.count in ("items", "steps")
                else [run_result(chart, limit=3)]
            )
            return replace(_grade(exercise, False, message, *evidence), sentence=sentence)
    far = f" for {exercise.lengths[0]} to {exercise.lengths[-1]} words" if exercise.lengths else ""
    return _grade(exercise, True, f"the number of {exercise.count} is right{far}")


def number_in(chart: Chart, count: str) -> Any:
    """Return how many items, steps, derivations or trees a chart has; None if that takes too long."""
    match count:
        case "items":
            return chart.item_count
        case "steps":
            return chart.step_count
        case "derivations":
            return chart.forest().derivation_count
    return chart.forest().count_structures().exact


# Classes -----------------------------------------------------------------------------------------------------------


def _class(exercise: Exercise, answer: str, budget: Budget) -> Grade:
    words = [word for word in re.split(r"[\s;,:()]+", answer) if word not in ("", "heads")]
    names = [word for word in words if not word.isdecimal()]
    heads = tuple(int(word) for word in words if word.isdecimal() and len(word) < 4)
    if len(names) != 1 or not heads:
        lack = (
            "names no class"
            if not names
            else "has no heads"
            if not heads
            else f"names several classes: {', '.join(names)}"
        )
        raise UsageError(f"the answer {lack}", code="bad-answer", expected=exercise.answer)
    chosen, tree = tree_class(names[0]), DependencyTree(heads)
    if exercise.choices and names[0] not in exercise.choices:
        message = f"{names[0]} is not among the classes to choose from"
        raise UsageError(message, code="bad-answer", expected=one_of(exercise.choices))
    if heads.count(0) != 1:
        raise UsageError("the tree has several roots", code="bad-answer", expected="one head that is 0")
    schema = exercise.rules
    seconds = max(0.1, budget.end - time.monotonic())
    verdict: Any = schema.verify(names[0], exercise.max_n, budget=budget, seconds=0.8 * seconds)
    if verdict.sound is False or verdict.complete is False:
        what = "derives a tree outside it" if verdict.sound is False else "misses a tree of it"
        return _grade(
            exercise, False, f"{schema.name} does not parse the class {names[0]}: it {what}", verdict
        )
    if verdict.sound is None or verdict.complete is None:
        return unknown_grade(exercise, verdict.stopped or "seconds")
    sentence = sentence_of_length(len(heads))
    if chosen.contains(tree):
        message = f"the class {names[0]} is right, but the tree {' '.join(map(str, heads))} is in it"
        return replace(_grade(exercise, False, message, tree), sentence=sentence)
    reasons = why_not_tree(
        schema, sentence, schema.check_grammar(f"heads:{','.join(map(str, heads))}"), heads, budget
    )
    if reasons.derivable:
        message = f"{schema.name} derives this tree all the same, which is outside {names[0]}"
        return replace(_grade(exercise, False, message, tree), sentence=sentence)
    message = f"{schema.name} parses the class {names[0]} to {quantity(exercise.max_n, 'word')}; the tree is outside"
    return replace(_grade(exercise, True, message), sentence=sentence)


# Derivations -------------------------------------------------------------------------------------------------------


def two_derivations(exercise: Exercise) -> tuple[Chart, list[Derivation]]:
    """Return the chart of the exercise's tree alone, and its derivations, of different items; the first is shown.

    Raises
    ------
    UsageError : there are fewer than two.
    """
    schema, sentence = exercise.rules, exercise.sentence
    assert sentence is not None
    grammar = schema.check_grammar(f"heads:{','.join(map(str, exercise.heads))}")
    chart = schema.run(sentence, grammar, budget=Budget(seconds=exercise.seconds))
    apart: dict[frozenset[Item], Derivation] = {}
    for one in islice(iterate_derivations(chart.forest()), _DERIVATIONS):
        if frozenset(one.all_links) >= _links(exercise):
            apart.setdefault(frozenset(x.item for x in one.applied()), one)
    if len(apart) < 2:
        message = f"{schema.name} derives this tree {'once only' if apart else 'in no way'}"
        hint = "schemata verify NAME shows the smallest tree that is derived several times"
        raise UsageError(message, code="one-derivation", expected="a tree with two derivations", hint=hint)
    return chart, list(apart.values())


def _links(exercise: Exercise) -> frozenset[tuple[int, int]]:
    """Return the links of the exercise's tree between words."""
    return frozenset((d, h) for d, h in enumerate(exercise.heads, start=1) if h)


def _second_derivation(exercise: Exercise, answer: str, budget: Budget) -> Grade:
    chart, known = two_derivations(exercise)
    texts = [one for one in _PARTS.split(answer.strip()) if one]
    numbers: list[int] = []
    hypotheses = set(chart.hypothesis_ids)
    conclusions: dict[int, list[tuple[int, ...]]] = {}
    for instance in chart.instances():
        conclusions.setdefault(instance.consequent, []).append(instance.antecedents)
    for text in texts:
        asked = find_item(chart, re.sub(r"^\d+[.)]?\s+", "", text))
        there = hypotheses.union(numbers)
        ways = conclusions.get(asked.number, []) if asked.number is not None else []
        if asked.number in hypotheses:
            continue
        if asked.number is None or not any(there.issuperset(way) for way in ways):
            above = "the items above it" if numbers else "the hypotheses"
            reasons = _from_items(chart, numbers, asked.text)
            return _grade(exercise, False, f"{asked.text} does not follow from {above}", *reasons)
        numbers.append(asked.number)
    chosen = frozenset(chart.item(x) for x in numbers)
    sets = [frozenset(x.item for x in one.applied()) for one in known]
    if chosen == sets[0]:
        return _grade(exercise, False, "this is the derivation shown: find another one", known[0])
    if chosen in sets:
        return _grade(
            exercise, True, "this is another derivation of the same tree", known[sets.index(chosen)]
        )
    inner = next((one for one in sets if one < chosen), None)
    if inner is not None:
        more = listing(sorted(map(str, chosen - inner)))
        return _grade(exercise, False, f"the tree is derived without {more}: leave out what is not needed")
    if not numbers or not any(chart.item(x) in chart.final_items for x in numbers):
        finals = one_of(list(map(str, chart.final_items)))
        return _grade(exercise, False, f"these items do not lead to a final item: expected {finals}", chart)
    if len(known) >= _DERIVATIONS:
        return unknown_grade(exercise, "derivations")
    return _grade(exercise, False, "these items make no derivation of the tree", known[0])


def _from_items(chart: Chart, numbers: list[int], text: str) -> list[Any]:
    """Return the reasons why an item does not follow from some items of a chart."""
    explored = Exploration(chart.schema, chart.sentence, chart.grammar)
    taken = []
    for number in numbers:
        found = find_item(explored.chart, chart.item(number)).number
        if found is None:
            return []
        explored.take(found)
        taken.append(found)
    part = explored.chart_of(taken)
    return [why_not_yet(part, text)] if find_item(part, text).number is None else []


# Schemata ----------------------------------------------------------------------------------------------------------


def hidden(schema: ParsingSchema) -> ParsingSchema:
    """Return a schema under the name *hidden*, so that verdicts do not reveal its name."""
    return ParsingSchema(replace(schema.definition, name="hidden", parameters=()))


def _schema(exercise: Exercise, answer: str, budget: Budget, file: str | None = None) -> Grade:
    if "\n" not in answer.strip():
        message, hint = (
            f"{answer!r} is no text of a schema",
            "schemata show NAME prints that of a shipped one",
        )
        raise UsageError(message, code="bad-answer", expected="the text of a schema, or its file", hint=hint)
    schema, _ = checked_schema(answer, {}, file)
    if exercise.kind == "write" and schema.definition.extends is not None:
        message = "the answer extends another schema, which it is to do without"
        raise UsageError(message, code="bad-answer", expected="a schema with steps of its own")
    return schema_grade(exercise, schema, budget)


def schema_grade(exercise: Exercise, schema: ParsingSchema, budget: Budget) -> Grade:
    """Return the grade of a schema that is the answer to a `mend` or `write` exercise.

    Raises
    ------
    UsageError : it builds something else, or runs over another kind of grammar.
    BudgetExceeded, BudgetError : a limit was hit.
    """
    # Short sentences first: a schema that is wrong may have charts that take long.
    few, share = sorted({min(2, exercise.max_n), min(3, exercise.max_n)}), budget.part(0.1)
    for words, limits in [*((words, share) for words in few), (exercise.max_n, budget)]:
        verdict = verdict_on(replace(exercise, max_n=words), schema, limits)
        if (
            verdict.sound is False
            or verdict.complete is False
            or (exercise.once and verdict.each_once is False)
        ):
            break
    goal = f"the class {exercise.class_name}"
    if exercise.same_as is not None:
        goal = f"what {'the hidden schema' if exercise.kind == 'write' else exercise.same_as.name} does"
    far = quantity(exercise.max_n, "word")
    answers: Mapping[str, bool | None] = {"sound": verdict.sound, "complete": verdict.complete}
    answers = {**answers, "each_once": verdict.each_once} if exercise.once else answers
    if False in answers.values():
        faults = {
            "sound": "derives too much",
            "complete": "derives too little",
            "each_once": "derives some twice",
        }
        said = listing([faults[name] for name, value in answers.items() if value is False])
        return _grade(exercise, False, f"{schema.name} {said}", verdict)
    if None in answers.values():
        return unknown_grade(exercise, verdict.stopped or "seconds")
    if not verdict.structures and verdict.of == OF_ANOTHER:
        return _grade(exercise, False, "neither schema derives anything in these cases", verdict)
    return _grade(exercise, True, f"{schema.name} derives {goal}, to {far}")


def verdict_on(exercise: Exercise, schema: ParsingSchema, budget: Budget) -> Any:
    """Return the verdict on a schema against the demands of the exercise.

    Raises
    ------
    UsageError : it builds something else, or runs over another kind of grammar.
    """
    run = partial(verify, schema, max_n=exercise.max_n, budget=budget)
    seconds = 0.8 * max(0.1, budget.end - time.monotonic())
    if exercise.same_as is None:
        return run(exercise.class_name, seconds=seconds)
    other = hidden(exercise.same_as) if exercise.kind == "write" else exercise.same_as
    return run(same_as=other, grammar=exercise.grammar, seconds=seconds)
