"""The head of what a step builds, where the step names it: the value of its `head` term in one instance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from schemata.language import model as m
from schemata.language.cases import head_place

if TYPE_CHECKING:
    from schemata.charts.chart import BareChart
    from schemata.forest.hypergraph import Edge

__all__ = ["head_finder"]


def head_finder(chart: BareChart, case: m.Case) -> Callable[[Edge, int], int | None]:
    """Return a function from a hyperedge of a case and its consequent to the head word, None where unnamed."""
    match case.head:
        case None:
            return lambda edge, consequent: None
        case m.Linear(constant, atoms):
            parts = [(_of_variable(chart, case, atom.name), factor) for atom, factor in atoms]

            def add(edge: Edge, consequent: int) -> int | None:
                values = [(find(edge, consequent), factor) for find, factor in parts]
                known = [value * factor for value, factor in values if value is not None]
                return constant + sum(known) if len(known) == len(values) else None

            return add
        case m.Lit(int() as value):
            return lambda edge, consequent: value
        case m.Var(name):
            return _of_variable(chart, case, name)
    raise TypeError(f"the head of step {case.step} is not a position")


def _of_variable(chart: BareChart, case: m.Case, name: str) -> Callable[[Edge, int], int | None]:
    """Read the variable off the field of the consequent or of a structural antecedent where it stands alone."""
    if name == "n":
        return lambda edge, consequent: chart.n
    values = chart.raw.values
    found = head_place(case, name)
    if found is None:
        raise TypeError(f"the head of step {case.step} stands alone in no item of it")
    tail, place = found
    if tail is None:
        return lambda edge, consequent: _number(values[consequent][place])
    return lambda edge, consequent: _number(values[edge.tails[tail]][place])


def _number(value: m.Value) -> int | None:
    return value if isinstance(value, int) else None
