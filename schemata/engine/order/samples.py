"""Small runs of a schema: what its items look like, and whether some item helps to derive itself.

What is seen here is never part of a proof. It suggests invariants, which are then proved or given up, and it
shows at once, with an example, that there is no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.engine.chart import Chart
from schemata.language import model as m
from schemata.program.model import ColumnShape, Fixed, Kind, Parts, Program, Shape
from schemata.structures import Sentence

__all__ = ["Samples", "columns_of", "take_samples"]

LENGTHS = (1, 2, 3, 4, 5)
STARTS = 50  # items that the shortest circle is looked for from
TOLD = 3  # steps of a circle that are told, besides the last
STEPS = 20_000  # step instances that a small run may take


@dataclass(frozen=True, slots=True)
class Samples:
    """Items met in small runs, by kind: for every sentence length, their columns.

    `circle` tells of an item that helps to derive itself, where one was met; `circle_rule` is the case of a
    step on it.
    """

    items: Mapping[int, Mapping[int, Sequence[tuple[int, ...]]]]
    circle: str | None = None
    circle_case: int | None = None


def columns_of(kind: Kind, values: tuple[m.Value, ...]) -> tuple[int, ...] | None:
    """Return an item's columns, symbols as 0, or None where it is of another kind."""
    columns = [0] * len(kind.columns)

    def fill(shape: Shape, value: m.Value) -> bool:
        match shape:
            case Fixed(fixed):
                return value is fixed
            case ColumnShape(k) if kind.columns[k].sort == "symbol":
                return isinstance(value, str)
            case ColumnShape(k):
                if not isinstance(value, int) or isinstance(value, bool):
                    return False
                columns[k] = value
                return True
            case Parts(parts):
                return (
                    isinstance(value, tuple)
                    and len(value) == len(parts)
                    and all(fill(p, v) for p, v in zip(parts, value, strict=True))
                )

    if all(fill(shape, value) for shape, value in zip(kind.shapes, values, strict=True)):
        return tuple(columns)
    return None


def take_samples(program: Program, lengths: Sequence[int] = LENGTHS) -> Samples:
    """Run a schema with all links licensed on sentences of some lengths, as far as that is quick."""
    from schemata.engine.run import compile_kernel, run_kernel
    from schemata.grammars import DRules

    kernel = compile_kernel(program.schema)
    by_form: dict[int, list[Kind]] = {}
    for kind in program.kinds:
        by_form.setdefault(kind.form, []).append(kind)
    found: dict[int, dict[int, list[tuple[int, ...]]]] = {k.number: {} for k in program.kinds}
    for n in lengths:
        sentence = Sentence.of(["w"] * n)
        done = False
        try:
            budget = Budget(steps=STEPS, seconds=2)
            chart = run_kernel(kernel, sentence, DRules.all().for_sentence(sentence), budget)
        except BudgetExceeded as over:
            if isinstance(over, Interrupted):
                raise
            chart, done = over.chart, True
        for form, values in zip(chart.raw.form_of, chart.raw.values, strict=True):
            for kind in by_form.get(form, ()):
                columns = columns_of(kind, values)
                if columns is not None:
                    found[kind.number].setdefault(n, []).append(columns)
        circle = _circle(chart)
        if circle is not None:
            return Samples(found, *circle)
        if done:
            break
    return Samples(found)


def _circle(chart: Chart) -> tuple[str, int] | None:
    """Return an item that helps to derive itself, told in words, with a case on its way; None if there is none."""
    edges: dict[int, dict[int, int]] = {}
    for instance in chart.instances():
        for antecedent in instance.antecedents:
            if antecedent >= chart.raw.hypothesis_count:
                edges.setdefault(antecedent, {}).setdefault(instance.consequent, instance.case)
    best: list[int] | None = None
    for start in _on_circles(edges):
        path = _shortest_circle(edges, start)
        if path is not None and (best is None or len(path) < len(best)):
            best = path
    if best is None:
        return None
    cases = [edges[a][b] for a, b in zip(best, [*best[1:], best[0]], strict=True)]
    text = str(chart.item(best[0]))
    for k, (case, item) in enumerate(zip(cases, [*best[1:], best[0]], strict=True)):
        if k < TOLD or k == len(cases) - 1:
            text += f", which {chart.schema.cases[case].step} takes to {chart.item(item)}"
        elif k == TOLD:
            text += ", and so on"
    words = len(chart.sentence)
    return f"with {words} word{'s' if words > 1 else ''}: {text.replace(', which', '', 1)}", cases[0]


def _on_circles(edges: Mapping[int, Mapping[int, int]]) -> Iterable[int]:
    """Return the first items that stay when those without predecessor or successor are taken away, repeatedly."""
    forward = {x: set(row) for x, row in edges.items()}
    backward: dict[int, set[int]] = {}
    for x, row in forward.items():
        for y in row:
            backward.setdefault(y, set()).add(x)
    kept = _without_ends(_without_ends(set(forward) & set(backward), forward, backward), backward, forward)
    return sorted(kept)[:STARTS]


def _without_ends(
    items: set[int], forward: Mapping[int, set[int]], backward: Mapping[int, set[int]]
) -> set[int]:
    """Return the items without those that no other one leads to, repeatedly."""
    kept = set(items)
    before = {x: len(backward.get(x, set()) & kept) for x in kept}
    waiting = [x for x, count in before.items() if not count]
    while waiting:
        x = waiting.pop()
        kept.discard(x)
        for y in forward.get(x, ()):
            if y in before:
                before[y] -= 1
                if not before[y]:
                    waiting.append(y)
    return kept


def _shortest_circle(edges: Mapping[int, Mapping[int, int]], start: int) -> list[int] | None:
    before: dict[int, int] = {}
    front = [start]
    while front:
        reached = []
        for x in front:
            for y in edges.get(x, ()):
                if y == start:
                    path = [x]
                    while path[-1] != start:
                        path.append(before[path[-1]])
                    return path[::-1]
                if y not in before:
                    before[y] = x
                    reached.append(y)
        front = reached
    return None
