"""Normal forms read as equations: the normal form of a writing, and all writings of an item.

Both follow the equations of the item form one by one; nothing is generated. The equations are applied from
left to right until none applies, the first that applies first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from schemata.language import model as m
from schemata.program.evaluation import evaluate, intervals_of, truth
from schemata.program.matching import GRAMMAR_CONDITIONS, Match, solve

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

__all__ = ["chart_writings", "fulfils", "normal_form", "writings"]

Values = tuple[m.Value, ...]

_STEPS = 1_000  # rewritings of one item before a normal form is taken not to exist
_WRITINGS = 10_000


def normal_form(form: m.Form, values: Values, n: int) -> Values:
    """Return the normal form of an item's values.

    Raises
    ------
    ValueError : the equations go round in circles.
    """
    if form.cover is not None:
        word = values[form.cover.aside]
        covered = _covered(form.cover, values)
        other = _other_cover(form.cover, values)
        settled = (word in covered) == (word + 1 in covered)  # type: ignore[operator]
        return values if settled or other is None else other
    for _ in range(_STEPS):
        simpler = next(_rewritten(form, values, n, backwards=False), None)
        if simpler is None:
            return values
        values = simpler
    raise ValueError(f"the normal form of {form.name} has no end")


def writings(form: m.Form, values: Values, n: int) -> tuple[Values, ...]:
    """Return the writings of an item that fulfil the form's conditions; the item is in normal form."""
    if not form.has_normal_form:
        return (values,)
    if form.cover is not None:
        other = _other_cover(form.cover, values)
        return (values, other) if other is not None and fulfils(form, other, n) else (values,)
    reached = {values: None}
    waiting = [values]
    while waiting and len(reached) <= _WRITINGS:
        for writing in _rewritten(form, waiting.pop(), n, backwards=True):
            if writing not in reached:
                reached[writing] = None
                waiting.append(writing)
    return tuple(w for w in reached if fulfils(form, w, n) and normal_form(form, w, n) == values)


def fulfils(form: m.Form, values: Values, n: int) -> bool:
    """Return whether an item's values fulfil its form's conditions."""
    fields = {f.name: v for f, v in zip(form.fields, values, strict=True)} | {"n": n}
    return all(truth(condition, fields) for condition in form.where)


def chart_writings(chart: Chart, number: int) -> tuple[Values, ...]:
    """Return the writings under which an item of a chart is an antecedent; a hypothesis has only its own."""
    values = chart.raw.values[number]
    if number < chart.raw.hypothesis_count:
        return (values,)
    return writings(chart.schema.forms[chart.raw.form_of[number]], values, chart.n)


def _covered(cover: m.Cover, values: Values) -> set[int]:
    """Return the positions from low to high that are in no gap."""
    low, high = values[cover.low], values[cover.high]
    assert isinstance(low, int)
    assert isinstance(high, int)
    gaps = intervals_of(values[cover.gaps])
    return set(range(low, high + 1)) - {x for left, right in gaps for x in range(left, right + 1)}


def _other_cover(cover: m.Cover, values: Values) -> Values | None:
    """Return the writing that covers the word aside where this one does not, and the other way round."""
    word = values[cover.aside]
    assert isinstance(word, int)
    covered = sorted(_covered(cover, values) ^ {word})
    if not covered:
        return None
    gaps = [(a + 1, b - 1) for a, b in pairwise(covered) if b > a + 1]
    made = list(values)
    made[cover.low], made[cover.high], made[cover.gaps] = covered[0], covered[-1], tuple(gaps)
    return tuple(made)


def _rewritten(form: m.Form, values: Values, n: int, *, backwards: bool) -> Iterator[Values]:
    """Yield what each equation makes of a writing, where it applies."""
    for equation in form.equations:
        source, target = equation.left, equation.right
        if backwards:
            source, target = target, source
        goals = [Match(v, t, f.type) for v, t, f in zip(values, source, form.fields, strict=True)]
        for solution in solve(goals, {"n": n}, equation.types):
            binding = solution.binding
            conditions = (c for c in equation.conditions if not isinstance(c, GRAMMAR_CONDITIONS))
            if not solution.waiting and all(truth(c, binding) for c in conditions):
                yield tuple(evaluate(t, binding) for t in target)
