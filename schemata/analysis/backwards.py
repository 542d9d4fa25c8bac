"""A chart read backwards: from an item to the step instances that derive it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from schemata.budget import Budget, BudgetExceeded, Reason, resident_bytes

if TYPE_CHECKING:
    from schemata.charts.chart import Instance
    from schemata.engine.chart import Chart

__all__ = ["Backwards"]

Place: TypeAlias = tuple[int, Sequence[int], int]  # a case, a log of it, and where in the log a row begins
_MANY = 2_000_000  # step instances from which on it takes less to find those of single items than to write all down
_OFTEN = 200  # items between two looks at the budget


class Backwards:
    """The step instances of a chart by their consequents, in canonical order.

    Attributes
    ----------
    chart : the chart.
    budget : what reading it may cost; None for any.

    Raises
    ------
    BudgetExceeded : by all methods, where time or memory is used up.
    """

    def __init__(self, chart: Chart, budget: Budget | None = None) -> None:
        self.chart = chart
        self.budget = budget
        self._started = time.perf_counter()
        self._looks = 0
        self._expanded: dict[int, Sequence[Place]] = {}

    @cached_property
    def _rows(self) -> Mapping[int, Sequence[Place]]:
        """Where the log rows of each consequent stand."""
        if self.budget is not None and resident_bytes() + self.chart.raw.listing_bytes > self.budget.memory:
            raise self._exceeded("memory")
        rows: dict[int, list[Place]] = {}
        for case, (log, stride) in enumerate(zip(self.chart.raw.logs, self.chart.strides, strict=True)):
            for number, consequent in enumerate(log[::stride]):
                self._look()
                rows.setdefault(consequent, []).append((case, log, number * stride))
        return rows

    def _places(self, item: int) -> Sequence[Place]:
        """Return where the rows of an item stand; those of a large chart are found item by item."""
        self._look()
        if "_rows" not in self.__dict__:
            if item not in self._expanded:
                expanded = self.chart.raw.expand(item)
                if expanded is None:
                    return self._rows.get(item, ())
                self._expanded[item] = [(case, row, 0) for case, row in expanded]
            return self._expanded[item]
        return self._rows.get(item, ())

    def of(self, item: int) -> tuple[Instance, ...]:
        """Return the instances that derive an item: by case as declared, then by antecedents and links."""
        found = [self._instance(*place) for place in self._places(item)]
        if len(found) > 1:
            order = self.chart.order
            found.sort(key=lambda i: (i.case, tuple(map(order, i.antecedents)), i.links))
        return tuple(found)

    def _instance(self, case: int, log: Sequence[int], row: int) -> Instance:
        from schemata.charts.chart import Instance

        first_end = row + 1 + len(self.chart.schema.cases[case].antecedents)
        ends = log[first_end : row + self.chart.strides[case]]
        links = tuple(zip(ends[::2], ends[1::2], strict=True))
        return Instance(case, tuple(log[row + 1 : first_end]), log[row], links)

    def below(self, items: Sequence[int]) -> Iterator[int]:
        """Yield all items that derivations of some items can use, context included, each once."""
        if self.chart.step_count <= _MANY:
            _ = self._rows
        reached = dict.fromkeys(items)
        waiting = list(items)
        while waiting:
            item = waiting.pop()
            yield item
            for case, log, offset in self._places(item):
                count = len(self.chart.schema.cases[case].antecedents)
                for tail in log[offset + 1 : offset + 1 + count]:
                    if tail not in reached:
                        reached[tail] = None
                        waiting.append(tail)

    def _look(self) -> None:
        self._looks += 1
        if self.budget is None or self._looks % _OFTEN:
            return
        if time.perf_counter() - self._started > self.budget.seconds:
            raise self._exceeded("seconds")
        if resident_bytes() > self.budget.memory:
            raise self._exceeded("memory")

    def _exceeded(self, reason: Reason) -> BudgetExceeded:
        assert self.budget is not None
        seconds, memory = (
            f"{self.budget.seconds:g} seconds",
            f"{self.budget.memory / 2**20:,.0f} MiB of memory",
        )
        limit = seconds if reason == "seconds" else memory
        return BudgetExceeded(reason, self.chart, f"reading the chart backwards hit the budget of {limit}")
