"""Normal forms read as equations: the normal form of a writing, and all writings of an item.

Both follow the equations of the item form one by one; nothing is generated. The equations are applied from
left to right until none applies, the first that applies first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from schemata.analysis.evaluation import evaluate, truth
from schemata.analysis.matching import Match, solve
from schemata.language import model as m

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
    for _ in range(_STEPS):
        simpler = next(_rewritten(form, values, n, backwards=False), None)
        if simpler is None:
            return values
        values = simpler
    raise ValueError(f"the normal form of {form.name} has no end")


def writings(form: m.Form, values: Values, n: int) -> tuple[Values, ...]:
    """Return the writings of an item that fulfil the form's conditions; the item is in normal form."""
    if not form.equations:
        return (values,)
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


def _rewritten(form: m.Form, values: Values, n: int, *, backwards: bool) -> Iterator[Values]:
    """Yield what each equation makes of a writing, where it applies."""
    for equation in form.equations:
        source, target = equation.left, equation.right
        if backwards:
            source, target = target, source
        goals = [Match(v, t, f.type) for v, t, f in zip(values, source, form.fields, strict=True)]
        for solution in solve(goals, {"n": n}, equation.types):
            binding = solution.binding
            conditions = (c for c in equation.conditions if not isinstance(c, _GRAMMAR))
            if not solution.waiting and all(truth(c, binding) for c in conditions):
                yield tuple(evaluate(t, binding) for t in target)


_GRAMMAR = (m.Licensed, m.HasRule, m.RootCategory, m.HasCategory)
