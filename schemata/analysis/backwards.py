"""A chart read backwards: from an item to the step instances that derive it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemata.engine.chart import Chart, Instance

__all__ = ["Backwards"]


class Backwards:
    """The step instances of a chart by their consequents, in canonical order.

    Attributes
    ----------
    chart : the chart.
    """

    def __init__(self, chart: Chart) -> None:
        self.chart = chart

    @cached_property
    def _rows(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """Where the log rows of each consequent stand: (case, offset)."""
        rows: dict[int, list[tuple[int, int]]] = {}
        for case, (log, stride) in enumerate(zip(self.chart.raw.logs, self.chart.strides, strict=True)):
            for number, consequent in enumerate(log[::stride]):
                rows.setdefault(consequent, []).append((case, number * stride))
        return rows

    def of(self, item: int) -> tuple[Instance, ...]:
        """Return the instances that derive an item: by case as declared, then by antecedents and links."""
        expanded = None if "_rows" in self.__dict__ else self.chart.raw.expand(item)
        if expanded is not None:
            found = [self._instance(case, row, 0) for case, row in expanded]
        else:
            logs = self.chart.raw.logs
            found = [self._instance(case, logs[case], offset) for case, offset in self._rows.get(item, ())]
        if len(found) > 1:
            order = self.chart.order
            found.sort(key=lambda i: (i.case, tuple(map(order, i.antecedents)), i.links))
        return tuple(found)

    def _instance(self, case: int, log: Sequence[int], row: int) -> Instance:
        from schemata.engine.chart import Instance

        first_end = row + 1 + len(self.chart.schema.cases[case].antecedents)
        ends = log[first_end : row + self.chart.strides[case]]
        links = tuple(zip(ends[::2], ends[1::2], strict=True))
        return Instance(case, tuple(log[row + 1 : first_end]), log[row], links)

    def below(self, items: Sequence[int]) -> Iterator[int]:
        """Yield all items that derivations of some items can use, context included, each once."""
        reached = dict.fromkeys(items)
        waiting = list(items)
        while waiting:
            item = waiting.pop()
            yield item
            for case, offset in self._rows.get(item, ()):
                count = len(self.chart.schema.cases[case].antecedents)
                for tail in self.chart.raw.logs[case][offset + 1 : offset + 1 + count]:
                    if tail not in reached:
                        reached[tail] = None
                        waiting.append(tail)
