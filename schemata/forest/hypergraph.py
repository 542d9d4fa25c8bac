"""The hypergraph of a chart: useful items, the hyperedges that derive them, and derivation counts.

A hyperedge is a step instance without its context antecedents; instances that differ only in those are one
hyperedge. Nodes are item numbers of the chart.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from schemata.gc_paused import collector_off
from schemata.language.cases import hyperedge_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.charts.chart import BareChart
    from schemata.charts.items import Item
    from schemata.forest.arrays import EdgeArrays

__all__ = ["Edge", "Hypergraph"]

_MANY = 5_000  # step instances from which arrays take less time than objects
_WORTH_AN_IMPORT = 200_000  # and from which that is so even if numpy has to be imported first


class Edge(NamedTuple):
    """A hyperedge: a case of a step, the numbers of its structural antecedents, and the links it builds.

    `slots` says which antecedents of the case (0-based) the tails are.
    """

    case: int
    tails: tuple[int, ...]
    links: tuple[tuple[int, int], ...]
    slots: tuple[int, ...]


class Hypergraph:
    """All derivations of a chart's final items, shared.

    Attributes
    ----------
    chart : the chart.
    roots : the numbers of the final items in canonical order.
    """

    def __init__(self, chart: BareChart) -> None:
        self.chart = chart
        self.roots: tuple[int, ...] = tuple(sorted(chart.final_ids, key=chart.order))

    @cached_property
    def _rows(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """Where the log rows of each consequent stand: (case, offset)."""
        rows: dict[int, list[tuple[int, int]]] = {}
        for case, (log, stride) in enumerate(zip(self.chart.raw.logs, self.chart.strides, strict=True)):
            if self.chart.schema.cases[case].antecedents and not self._slots[case]:
                # Instances that differ in context antecedents alone are one: there may be millions of them.
                built = 1 + len(self.chart.schema.cases[case].antecedents)
                links = (log[at::stride] for at in range(built, stride))
                first: dict[tuple[int, ...], int] = {}
                for number, key in enumerate(zip(log[::stride], *links, strict=True)):
                    first.setdefault(key, number)
                for key, number in first.items():
                    rows.setdefault(key[0], []).append((case, number * stride))
                continue
            for number, consequent in enumerate(log[::stride]):
                rows.setdefault(consequent, []).append((case, number * stride))
        return rows

    @cached_property
    def _slots(self) -> tuple[tuple[int, ...], ...]:
        """The structural antecedents of each case."""
        return tuple(
            tuple(k for k, a in enumerate(case.antecedents) if not a.context)
            for case in self.chart.schema.cases
        )

    def edges_into(self, item: int) -> Sequence[Edge]:
        """Return the hyperedges that derive an item, in no particular order."""
        if item < self.chart.raw.hypothesis_count:
            return ()  # a hypothesis is given; nothing is gained by deriving it
        found = self._edges.get(item)
        if found is None:
            found = self._edges[item] = self._find_edges(item)
        return found

    def sorted_edges(self, item: int) -> tuple[Edge, ...]:
        """Return the hyperedges that derive an item in canonical order: step as declared, then antecedents."""
        rank = self.chart.ranks
        edges = self.edges_into(item)
        return tuple(sorted(edges, key=lambda e: (e.case, [rank[t] for t in e.tails], e.links)))

    @cached_property
    def _edges(self) -> dict[int, Sequence[Edge]]:
        return {}

    @cached_property
    def _arrays(self) -> EdgeArrays | None:
        """The hyperedges as arrays, where there are many; all of them are enumerated for it."""
        few = _MANY if "numpy" in sys.modules else _WORTH_AN_IMPORT
        if self.chart.step_count < few or find_spec("numpy") is None:
            return None
        from schemata.forest.arrays import EdgeArrays

        return EdgeArrays.of(self.chart)

    def _find_edges(self, item: int) -> Sequence[Edge]:
        found: list[Edge] = []
        doubled = False
        for log, case, offset in self._rows_into(item):
            slots, count, stride, plain = self._shapes[case]
            if plain:
                tails = tuple(log[offset + 1 : offset + 1 + count])
            else:
                tails = tuple(log[offset + 1 + k] for k in slots)
                doubled = True  # instances that differ only in context antecedents are one
            ends = log[offset + 1 + count : offset + stride]
            found.append(Edge(case, tails, tuple(zip(ends[::2], ends[1::2], strict=True)), slots))
        return self._distinct(found) if doubled else found

    def _rows_into(self, item: int) -> Iterable[tuple[Sequence[int], int, int]]:
        """Return where the rows of an item stand: (log, case, offset)."""
        logs = self.chart.raw.logs if {"_arrays", "_rows"} & self.__dict__.keys() else None
        if logs is None:
            expanded = self.chart.raw.expand(item)
            if expanded is not None:
                return [(row, case, 0) for case, row in expanded]
            logs = self.chart.raw.logs
        arrays = self._arrays
        if arrays is not None:
            strides = self.chart.strides
            return [(logs[case], case, row * strides[case]) for case, row in arrays.edges_into(item)]
        return [(logs[case], case, offset) for case, offset in self._rows.get(item, ())]

    def _distinct(self, edges: Sequence[Edge]) -> Sequence[Edge]:
        """Return one edge of each step, antecedents and links; cases may differ only in context antecedents."""
        names = self._names
        kept: dict[object, Edge] = {}
        for edge in edges:
            kept.setdefault((names[edge.case], edge.tails, edge.links), edge)
        return tuple(kept.values())

    @cached_property
    def _names(self) -> tuple[int, ...]:
        return hyperedge_names(self.chart.schema)

    @cached_property
    def _shapes(self) -> tuple[tuple[tuple[int, ...], int, int, bool], ...]:
        """Each case's structural antecedents, number of antecedents, row length, and whether none is context."""
        cases = self.chart.schema.cases
        return tuple(
            (slots, len(case.antecedents), stride, len(slots) == len(case.antecedents))
            for slots, case, stride in zip(self._slots, cases, self.chart.strides, strict=True)
        )

    # useful items and their order

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The useful items, hypotheses included; antecedents first where the forest has no cycle."""
        with collector_off():
            return self._find_order()

    @cached_property
    def _levels(self) -> Sequence[NDArray[np.int64]] | None:
        """The useful items in levels, each above its antecedents; None without arrays, or with cycles."""
        return None if self._arrays is None else self._arrays.levels(self.roots)

    def _find_order(self) -> tuple[int, ...]:
        if self._levels is not None:
            self._cyclic = False
            return tuple(item for level in self._levels for item in level.tolist())
        if self._arrays is None:
            self._rows  # noqa: B018 - all are needed: expanding items one by one would take longer
        finished: dict[int, None] = {}
        on_path: set[int] = set()
        cyclic = False
        for root in self.roots:
            if root in finished:
                continue
            stack: list[tuple[int, list[int]]] = [(root, self._tails(root))]
            on_path.add(root)
            while stack:
                item, tails = stack[-1]
                if not tails:
                    stack.pop()
                    on_path.discard(item)
                    finished[item] = None
                    continue
                tail = tails.pop()
                if tail in on_path:
                    cyclic = True
                elif tail not in finished:
                    on_path.add(tail)
                    stack.append((tail, self._tails(tail)))
        self._cyclic = cyclic
        return tuple(finished)

    def _tails(self, item: int) -> list[int]:
        return [t for edge in reversed(self.edges_into(item)) for t in reversed(edge.tails)]

    @property
    def cyclic(self) -> bool:
        """Whether some useful item takes part in its own derivation, so that derivations are infinitely many."""
        self.order  # noqa: B018 - finds out
        return self._cyclic

    @cached_property
    def useful_ids(self) -> frozenset[int]:
        """The numbers of the useful items, hypotheses left out."""
        hypotheses = self.chart.raw.hypothesis_count
        return frozenset(x for x in self.order if x >= hypotheses)

    @cached_property
    def useful_items(self) -> tuple[Item, ...]:
        """The items reachable from a final item through structural antecedents, in canonical order."""
        return tuple(self.chart.item(x) for x in sorted(self.useful_ids, key=self.chart.order))

    # derivations

    @cached_property
    def derivation_counts(self) -> Mapping[int, int | float]:
        """The number of derivations of each useful item; `math.inf` where a cycle is reachable."""
        with collector_off():
            return self._cyclic_counts() if self.cyclic else self._acyclic_counts()

    def _acyclic_counts(self) -> Mapping[int, int | float]:
        if self._arrays is not None and self._levels is not None:
            return self._arrays.derivation_counts(self._levels)
        hypotheses = self.chart.raw.hypothesis_count
        counts: dict[int, int | float] = {}
        for item in self.order:
            total: int | float = 1 if item < hypotheses else 0
            for edge in self.edges_into(item):
                product: int | float = 1
                for tail in edge.tails:
                    product *= counts[tail]
                total += product
            counts[item] = total
        return counts

    def _cyclic_counts(self) -> Mapping[int, int | float]:
        """Count where there are cycles: items that reach one have infinitely many derivations."""
        hypotheses = self.chart.raw.hypothesis_count
        waiting = {item: {t for e in self.edges_into(item) for t in e.tails} for item in self.order}
        counts: dict[int, int | float] = {}
        users: dict[int, list[int]] = {}
        for item, tails in waiting.items():
            for tail in tails:
                users.setdefault(tail, []).append(item)
        ready = [item for item, tails in waiting.items() if not tails]
        while ready:
            item = ready.pop()
            counts[item] = (1 if item < hypotheses else 0) + sum(
                math.prod(counts[t] for t in edge.tails) for edge in self.edges_into(item)
            )
            for user in users.get(item, ()):
                waiting[user].discard(item)
                if not waiting[user]:
                    ready.append(user)
        return {item: counts.get(item, math.inf) for item in self.order}

    @cached_property
    def derivation_count(self) -> int | float:
        """The number of derivations of the final items; `math.inf` where the forest is cyclic."""
        return sum(self.derivation_counts[root] for root in self.roots)
