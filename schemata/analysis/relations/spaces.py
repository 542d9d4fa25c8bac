"""All items that the item forms of a schema allow at one length of sentence.

Positions run from 0 to n + 1, categories through those of a grammar of everything. The conditions of a form can
say little of lists and dotted rules: not that a list is of words already read, not that a part of a rule is not
empty. Of forms with such fields those items count that can be derived, under some grammar, from the items of the
other forms and the hypotheses; the run that finds the step instances adds them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from schemata.analysis.relations.universe import Universe
from schemata.analysis.writings import fulfils, normal_form
from schemata.errors import Diagnostic, UsageError
from schemata.language import model as m
from schemata.program.evaluation import truth

__all__ = ["items_allowed"]

_MOST = 2_000_000  # values of one item form


def items_allowed(schema: m.Schema, universe: Universe) -> Iterator[tuple[str, tuple[m.Value, ...]]]:
    """Yield form and values of every item that a form of the schema allows, in normal form.

    Forms with lists or dotted rules are left out, and forms of which no step makes items: those are hypotheses.

    Raises
    ------
    UsageError : a form allows too many items to go through.
    """
    made = {case.consequent.form for case in schema.cases}
    for form in schema.forms:
        if form.name in made and not any(_is_vague(field.type) for field in form.fields):
            for values in _fill(form, (), universe, [0]):
                yield form.name, values


def _is_vague(kind: m.Type) -> bool:
    """Whether a form's conditions cannot say what values of the type are meant."""
    if kind.kind == "list":
        return not kind.intervals
    return kind.kind == "dotted" or any(map(_is_vague, kind.arguments))


def _fill(
    form: m.Form, chosen: tuple[m.Value, ...], universe: Universe, count: list[int]
) -> Iterator[tuple[m.Value, ...]]:
    """Choose the fields one after the other; a condition that fails already ends the branch."""
    if len(chosen) == len(form.fields):
        if form.has_normal_form and (
            normal_form(form, chosen, universe.n) != chosen or not fulfils(form, chosen, universe.n)
        ):
            return
        yield chosen
        return
    names = [f.name for f in form.fields]
    for value in _values(form.fields[len(chosen)].type, universe):
        count[0] += 1
        if count[0] > _MOST:
            raise UsageError(
                Diagnostic(
                    "too-many-items",
                    f"the form {form.name} allows more than {_MOST:,} items at {universe.n} words",
                    hint="bound its fields with `where`, or use a smaller --max-n",
                )
            )
        more = (*chosen, value)
        known = dict(zip(names, more, strict=False)) | {"n": universe.n}
        if all(truth(condition, known) is not False for condition in form.where):
            yield from _fill(form, more, universe, count)


def _values(kind: m.Type, universe: Universe) -> Sequence[m.Value] | Iterator[m.Value]:
    """Return the values of a type."""
    match kind.kind:
        case "position":
            return range(universe.n + 2)
        case "flag":
            return (False, True)
        case "symbol":
            return universe.symbols
        case "optional":
            return (None, *_values(kind.arguments[0], universe))
        case "tuple":
            return itertools.product(*(tuple(_values(t, universe)) for t in kind.arguments))
    assert kind.intervals
    return _intervals(1, universe.n)


def _intervals(low: int, high: int) -> Iterator[tuple[m.Value, ...]]:
    """Yield the lists of intervals within low..high, a position at least between any two."""
    yield ()
    for left in range(low, high + 1):
        for right in range(left, high + 1):
            for rest in _intervals(right + 2, high):
                yield ((left, right), *rest)
