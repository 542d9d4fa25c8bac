"""All items that the item forms of a schema allow at one length of sentence.

Positions run from 0 to n + 1, categories and rules through those of a grammar of everything. A list that the
item form does not bound is taken to hold its positions in increasing order, each at most once: rules write
lists of nodes from left to right. Whatever the steps make beyond that is added by the run that finds the step
instances, so that the items are closed under the steps in any case.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from schemata.analysis.evaluation import truth
from schemata.analysis.relations.universe import Universe
from schemata.analysis.writings import fulfils, normal_form
from schemata.errors import Diagnostic, UsageError
from schemata.language import model as m
from schemata.language.build import ROOT

__all__ = ["items_allowed"]

_MOST = 2_000_000  # values of one item form


def items_allowed(schema: m.Schema, universe: Universe) -> Iterator[tuple[str, tuple[m.Value, ...]]]:
    """Yield form and values of every item that a form of the schema allows, in normal form.

    Forms of which no step makes items are left out: their items are hypotheses.

    Raises
    ------
    UsageError : a form allows too many items to go through.
    """
    made = {case.consequent.form for case in schema.cases}
    for form in schema.forms:
        if form.name in made:
            for values in _fill(form, (), universe, [0]):
                yield form.name, values


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
        case "dotted":
            return _dotted(kind.dots, universe)
    if kind.intervals:
        return _intervals(1, universe.n)
    return _lists(kind.arguments[0], universe)


def _intervals(low: int, high: int) -> Iterator[tuple[m.Value, ...]]:
    """Yield the lists of intervals within low..high, a position at least between any two."""
    yield ()
    for left in range(low, high + 1):
        for right in range(left, high + 1):
            for rest in _intervals(right + 2, high):
                yield ((left, right), *rest)


def _lists(inner: m.Type, universe: Universe) -> Iterator[tuple[m.Value, ...]]:
    """Yield lists: elements with positions in increasing order of the first one, others up to two elements."""
    options = list(_values(inner, universe))
    place = next(
        (k for k, part in enumerate(inner.arguments) if part.kind == "position"),
        None if inner.kind != "position" else -1,
    )
    if place is None:
        for size in range(3):
            yield from itertools.product(options, repeat=size)
        return

    def position(value: m.Value) -> m.Value:
        return value if place == -1 or not isinstance(value, tuple) else value[place]

    groups: dict[m.Value, list[m.Value]] = {}
    for option in options:
        groups.setdefault(position(option), []).append(option)
    for size in range(len(groups) + 1):
        for chosen in itertools.combinations(sorted(groups), size):  # type: ignore[type-var]
            yield from itertools.product(*(groups[p] for p in chosen))


def _dotted(dots: int, universe: Universe) -> Iterator[tuple[m.Value, ...]]:
    """Yield the rules with dots in all places; the pseudo-rule of the root among them."""
    rules = [*universe.rules, *((ROOT, (root,)) for root in universe.roots)]
    for category, body in rules:
        for places in itertools.combinations_with_replacement(range(len(body) + 1), dots):
            cuts = (0, *places, len(body))
            yield (category, *(body[a:b] for a, b in itertools.pairwise(cuts)))
