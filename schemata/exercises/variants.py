"""Variants of exercises: broken copies of a schema, and other sentences, states and trees, chosen by a seed.

A copy is broken by one small change: a condition dropped or relaxed, an index shifted, a flag turned round. A copy is
used only if it has no errors and `verify` distinguishes it from the original on short sentences.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from random import Random

from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget
from schemata.errors import SchemataError, UsageError
from schemata.exercises.grading import begun, two_derivations, verdict_on
from schemata.exercises.model import Exercise
from schemata.kinds import D_RULES
from schemata.language import syntax as s
from schemata.language.files import read_schema_text
from schemata.language.reader import parse_schema
from schemata.language.source import SourceText, Span
from schemata.records import Record, replace
from schemata.structures import Sentence
from schemata.structures.generation import random_tree
from schemata.verification.answers import verify
from schemata.workbench import ParsingSchema

_TRIED = 60  # changes of a schema, or trees, that are tried for one variant
_SECONDS = 20.0  # for all of them
_WORDS = 4  # to which a copy must differ from its original
_RELAXED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


class Change(Record):
    """A change of a schema's text: the text of a line between two columns (from 0) is replaced."""

    line: int
    begin: int
    end: int
    text: str
    what: str

    def applied(self, lines: list[str]) -> str:
        """Return the text of the lines with the change."""
        line = lines[self.line - 1]
        changed = line[: self.begin] + self.text + line[self.end :]
        return "\n".join([*lines[: self.line - 1], changed.rstrip(), *lines[self.line :]]) + "\n"


def variant_of(exercise: Exercise, seed: int) -> Exercise:
    """Return a variant of an exercise, the same for the same seed.

    next-item: other items are taken before. count: a sentence of another length. second-derivation: another tree.
    mend: another broken copy of the original.

    Raises
    ------
    UsageError : there are no variants of such an exercise, or none was found.
    """
    rng = Random(f"{exercise.kind} {seed}")
    match exercise.kind:
        case "next-item":
            found = _other_state(exercise, rng)
        case "count" if exercise.sentence is not None:
            found = _other_length(exercise, rng)
        case "second-derivation":
            found = _other_tree(exercise, rng)
        case "mend" if (exercise.original or exercise.same_as) is not None:
            found = broken_copy(exercise, seed)
        case _:
            message = f"exercise {exercise.name} has no variants"
            expected = (
                "next-item, count of a sentence, second-derivation, or mend with an original or same-as"
            )
            raise UsageError(message, code="no-variants", expected=expected)
    return replace(found, variant=seed)


# Broken copies -----------------------------------------------------------------------------------------------------


def broken_copy(exercise: Exercise, seed: int) -> Exercise:
    """Return an exercise with a broken copy of its original: the first, in an order by the seed, that verify refutes.

    Raises
    ------
    UsageError : none is found.
    """
    original = exercise.original or exercise.same_as
    assert original is not None
    source = original.definition.source
    every = list(changes(source))
    Random(f"broken {seed}").shuffle(every)
    end = time.monotonic() + _SECONDS
    for change in every[:_TRIED]:
        left = end - time.monotonic()
        if left <= 0:
            break
        broken = _checked(change.applied(list(source.lines)), original)
        if broken is not None and _differs(exercise, broken, original, left):
            return replace(exercise, schema=broken, schema_text=broken.definition.source.text)
    message = f"no change of {original.name} was found that verify tells from it"
    raise UsageError(message, code="no-variant", expected="another seed, or another original")


def _checked(text: str, original: ParsingSchema) -> ParsingSchema | None:
    """Return the schema in a changed text; None if it does not check, or stays the same."""
    path = original.definition.source.path
    values = dict(original.parameters)
    try:
        found, _ = read_schema_text(text, original.definition.source.file, values, path)
    except SchemataError:
        return None
    return None if found is None or found == original.definition else ParsingSchema(found)


def _differs(exercise: Exercise, broken: ParsingSchema, original: ParsingSchema, seconds: float) -> bool:
    """Whether verify distinguishes a copy from its original, by the demands of the exercise."""
    budget = Budget(steps=200_000, seconds=seconds, end=time.monotonic() + seconds)
    words = min(exercise.max_n, _WORDS)  # grammars of many words are many
    words = min(words, 3) if original.definition.grammar != D_RULES else words
    try:
        found = verify(
            broken, same_as=original, max_n=words, grammar=exercise.grammar, budget=budget, seconds=seconds
        )
        if found.holds is not False:
            return False
        graded = verdict_on(replace(exercise, kind="mend", max_n=words), broken, budget)
    except SchemataError:
        return False
    answers = [graded.sound, graded.complete]
    return graded.stopped is None and False in answers


def changes(source: SourceText) -> Iterator[Change]:
    """Yield the small changes of a schema's text: see the module. Not all of them leave a schema that checks.

    >>> from schemata.workbench import load
    >>> [one.what for one in changes(load("collins1996").definition.source)][:2]
    ['dropped', 'relaxed']
    """
    syntax, _ = parse_schema(source)
    for declaration in syntax.declarations:
        conditions: list[s.ConditionSyntax] = []
        items: list[s.ItemSyntax] = []
        match declaration:
            case s.ItemDeclaration():
                conditions += declaration.where
            case s.StepDeclaration():
                for case in declaration.cases:
                    conditions += case.conditions
                    items += [one.item for one in case.antecedents]
                    items += [] if case.consequent is None else [case.consequent]
            case s.FinalDeclaration():
                conditions += declaration.where
                items.append(declaration.item)
        for condition in conditions:
            yield from _dropped(source, condition.span)
            if isinstance(condition, s.ComparisonSyntax):
                yield from _relaxed(source, condition.span)
        for item in items:
            yield from _shifted(item)


def _dropped(source: SourceText, span: Span) -> Iterator[Change]:
    """Yield the change that leaves a condition out, with the comma beside it."""
    line = source.code[span.line - 1]
    begin, end = span.column - 1, span.end - 1
    if end > len(line):
        return  # it goes on in the next line
    before, after = line[:begin], line[end:]
    if comma := re.match(r"\s*,\s*", after):
        end += comma.end()
    elif comma := re.search(r"(\s*,|\s+where)\s*$", before):
        begin = comma.start()
    yield Change(span.line, begin, end, "", "dropped")


def _relaxed(source: SourceText, span: Span) -> Iterator[Change]:
    """Yield the changes of one sign of a comparison."""
    begin = span.column - 1
    for sign in re.finditer(r"<=|>=|<|>", source.code[span.line - 1][begin : span.end - 1]):
        at = begin + sign.start()
        yield Change(span.line, at, begin + sign.end(), _RELAXED[sign[0]], "relaxed")


def _shifted(item: s.ItemSyntax) -> Iterator[Change]:
    """Yield the changes of one field of an item: an index one more or one less, a flag turned round."""
    for term in item.terms:
        span = term.span
        begin, end = span.column - 1, span.end - 1
        match term:
            case s.Name(optional=False, stays=False):
                yield Change(span.line, begin, end, f"{span.text} + 1", "shifted")
            case s.Sum(((1, s.Name(name)), (_, s.ConstantSyntax(1)))):
                yield Change(span.line, begin, end, name, "shifted")
            case s.ConstantSyntax(bool() as flag, "flag"):
                yield Change(span.line, begin, end, "false" if flag else "true", "turned")


# Other states, lengths and trees -----------------------------------------------------------------------------------


def _other_state(exercise: Exercise, rng: Random) -> Exercise:
    """Return the exercise with other items taken: a random walk that stops where an item is left."""
    assert exercise.sentence is not None
    ways: list[tuple[str, ...]] = []
    taken: tuple[str, ...] = ()
    for _ in range(_TRIED // 2):
        try:
            state = begun(exercise, taken)
        except UsageError:
            break  # nothing is left to be taken
        ways.append(taken)
        taken = (*taken, str(state.explored.chart.item(rng.choice(state.following))))
    later = [way for way in ways if way and way != exercise.taken] or ways
    return replace(exercise, taken=rng.choice(later))


def _other_length(exercise: Exercise, rng: Random) -> Exercise:
    """Return the exercise for a sentence of one to eight words; the words of grammars are kept, in another order."""
    assert exercise.sentence is not None
    words = exercise.sentence.words
    if exercise.grammar is not None:
        orders = [tuple(rng.sample(words, len(words))) for _ in range(_TRIED)]
        other = next((order for order in orders if order != words), words)
        return replace(exercise, sentence=Sentence(other))
    n = rng.choice([k for k in range(2, 9) if k != len(words)])
    return replace(exercise, sentence=sentence_of_length(n))


def _other_tree(exercise: Exercise, rng: Random) -> Exercise:
    """Return the exercise for another tree of as many words, or one more, which is derived twice."""
    for _ in range(_TRIED):
        n = len(exercise.heads) + rng.randint(0, 1)
        heads = tuple(random_tree(n, rng).heads)
        other = replace(exercise, heads=heads, sentence=sentence_of_length(n))
        try:
            two_derivations(other)
        except UsageError:
            continue
        if heads != exercise.heads:
            return other
    raise UsageError(
        "no other tree was found that is derived twice", code="no-variant", expected="another seed"
    )
