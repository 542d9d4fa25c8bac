"""The hyperedges of a large chart as arrays: their order and the numbers of derivations, many items at a time.

A chart of millions of step instances takes a forest of objects tens of seconds. Here the rows of all logs stand in
two arrays, sorted by consequent. The useful items are collected from the final items downwards, then put into
levels, each item above its antecedents, and a level is counted at once. Numbers of derivations stay Python's
whole numbers, since they soon have hundreds of digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from schemata.language.cases import hyperedge_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.charts.chart import BareChart

__all__ = ["EdgeArrays"]

_TOGETHER = 1_000_000  # hyperedges whose derivations are counted at once


@dataclass(frozen=True)
class EdgeArrays:
    """The hyperedges of a chart, sorted by the item they derive; hypotheses are derived by none.

    Parameters
    ----------
    hypotheses : the number of hypotheses; they are the first items.
    first : for each item the number of its first hyperedge, shape (items + 1,).
    case : the case of each hyperedge, shape (hyperedges,).
    tails : its structural antecedents, filled up with the number of items, shape (hyperedges, most antecedents).
    row : its row in the log of its case, shape (hyperedges,).
    """

    hypotheses: int
    first: NDArray[np.int64]
    case: NDArray[np.int32]
    tails: NDArray[np.int32]
    row: NDArray[np.int32]

    @classmethod
    def of(cls, chart: BareChart) -> EdgeArrays:
        """Return the hyperedges of a chart."""
        import numpy as np

        items, hypotheses = chart.raw.item_count, chart.raw.hypothesis_count
        cases = chart.schema.cases
        slots = [[k for k, a in enumerate(case.antecedents) if not a.context] for case in cases]
        width = max(map(len, slots), default=0)
        parts = []
        for case, (log, stride) in enumerate(zip(chart.raw.logs, chart.strides, strict=True)):
            table = np.asarray(log, np.int32).reshape(-1, stride)
            rows = np.flatnonzero(table[:, 0] >= hypotheses)
            part = np.full((len(rows), 3 + width), items, np.int32)
            part[:, 0], part[:, 1], part[:, 2] = table[rows, 0], case, rows
            for at, slot in enumerate(slots[case]):
                part[:, 3 + at] = table[rows, 1 + slot]
            parts.append(part)
        edges = np.concatenate(parts)
        if any(antecedent.context for case in cases for antecedent in case.antecedents):
            edges = edges[_distinct(chart, edges)]
        else:
            edges = edges[np.argsort(edges[:, 0], kind="stable")]
        first = np.zeros(items + 1, np.int64)
        np.cumsum(np.bincount(edges[:, 0], minlength=items), out=first[1:])
        return cls(hypotheses, first, edges[:, 1], edges[:, 3:], edges[:, 2])

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.first) - 1

    def edges_into(self, item: int) -> Iterator[tuple[int, int]]:
        """Yield the hyperedges that derive an item: case, and number of the row in its log."""
        here = slice(self.first[item], self.first[item + 1])
        yield from zip(self.case[here].tolist(), self.row[here].tolist(), strict=True)

    def levels(self, roots: Sequence[int]) -> list[NDArray[np.int64]] | None:
        """Return the items that are reachable from some, each in a level above its antecedents; None if cyclic."""
        import numpy as np

        useful = self._reachable(roots)
        edges = self._edges_of(np.flatnonzero(useful))
        tails = self.tails[edges].reshape(-1)
        derived = np.repeat(self._derived_by[edges], self.tails.shape[1])
        real = tails < self.items
        tails, derived = tails[real], derived[real]
        waiting = np.bincount(derived, minlength=self.items)
        order = np.argsort(tails, kind="stable")
        users = derived[order]
        first = np.zeros(self.items + 1, np.int64)
        np.cumsum(np.bincount(tails, minlength=self.items), out=first[1:])
        level = np.flatnonzero(useful & (waiting == 0))
        found: list[NDArray[np.int64]] = []
        while len(level):
            found.append(level)
            done = users[_ranges(first, level)]
            if len(done) > self.items // 8:
                waiting -= np.bincount(done, minlength=self.items)
                touched = np.flatnonzero(np.bincount(done, minlength=self.items))
            else:
                touched, times = np.unique(done, return_counts=True)
                waiting[touched] -= times
            level = touched[waiting[touched] == 0]
        return found if sum(map(len, found)) == np.count_nonzero(useful) else None

    def derivation_counts(self, levels: Sequence[NDArray[np.int64]]) -> dict[int, int | float]:
        """Return the number of derivations of each item of some levels."""
        import numpy as np

        counts = np.zeros(self.items + 1, object)
        counts[-1] = 1
        counts[: self.hypotheses] = 1
        for level in levels:
            for some in self._portions(level[self.first[level] < self.first[level + 1]]):
                edges = self._edges_of(some)
                product = np.ones(len(edges), object)
                for k in range(self.tails.shape[1]):
                    product *= counts[self.tails[edges, k]]
                amounts = self.first[some + 1] - self.first[some]
                counts[some] = np.add.reduceat(product, np.cumsum(amounts) - amounts)
        found: dict[int, int | float] = {}
        for level in levels:
            found.update(zip(level.tolist(), counts[level].tolist(), strict=True))
        return found

    @cached_property
    def _derived_by(self) -> NDArray[np.int32]:
        """The item that each hyperedge derives."""
        import numpy as np

        return np.repeat(np.arange(self.items, dtype=np.int32), np.diff(self.first))

    def _edges_of(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        return _ranges(self.first, items)

    def _reachable(self, roots: Sequence[int]) -> NDArray[np.bool_]:
        import numpy as np

        useful = np.zeros(self.items + 1, bool)
        newest = np.array(sorted(set(roots)), np.int64)
        useful[newest] = True
        useful[-1] = True  # what fills up rows of antecedents
        while len(newest):
            tails = self.tails[self._edges_of(newest)].reshape(-1)
            newest = np.unique(tails[~useful[tails]]).astype(np.int64)
            useful[newest] = True
        return useful[:-1]

    def _portions(self, items: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Yield items a part at a time, so that not too many hyperedges are looked at together."""
        import numpy as np

        amounts = np.cumsum(self.first[items + 1] - self.first[items])
        begin = 0
        while begin < len(items):
            before = amounts[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(amounts, before + _TOGETHER, side="right")))
            yield items[begin:end]
            begin = end


def _distinct(chart: BareChart, edges: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the rows of different hyperedges, sorted by the items they derive.

    Step instances that differ in context antecedents alone are one hyperedge.
    """
    import numpy as np

    cases = chart.schema.cases
    names = np.array(hyperedge_names(chart.schema), np.int32)
    links = np.full((len(edges), 2 * max((len(case.links) for case in cases), default=0)), -1, np.int32)
    for case, (log, stride) in enumerate(zip(chart.raw.logs, chart.strides, strict=True)):
        width = 2 * len(cases[case].links)
        if width:
            here = np.flatnonzero(edges[:, 1] == case)
            table = np.asarray(log, np.int32).reshape(-1, stride)
            links[here, :width] = table[edges[here, 2], stride - width :]
    keys = [edges[:, 0], names[edges[:, 1]], *edges[:, 3:].T, *links.T]
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    kept: NDArray[np.int64] = order[new]
    return kept


def _ranges(first: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers first[x], ..., first[x + 1] - 1 for each of some items, one after the other."""
    import numpy as np

    begins = first[items]
    amounts = first[items + 1] - begins
    ends = np.cumsum(amounts)
    numbers: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0)
    numbers += np.repeat(begins - (ends - amounts), amounts)
    return numbers
