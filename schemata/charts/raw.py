"""What a kernel derived: items by number, and the back-pointers of every case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from schemata.language import model as m

__all__ = ["ChartData", "RawChart"]


class ChartData(Protocol):
    """Items and back-pointers as readers of a chart know them, however a kernel keeps them.

    Hypotheses have the numbers below `hypothesis_count`. The row of a step instance in its case's log is:
    consequent, antecedents, then dependent and head of each link.
    """

    @property
    def hypothesis_count(self) -> int:
        """The number of hypotheses."""
        ...

    @property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""
        ...

    @property
    def listing_bytes(self) -> int:
        """The memory that listing all step instances takes."""
        ...

    @property
    def values(self) -> Sequence[tuple[m.Value, ...]]:
        """The values of every item, by number."""
        ...

    @property
    def form_of(self) -> Sequence[int]:
        """The form of every item, by number."""
        ...

    @property
    def ids(self) -> Sequence[Mapping[tuple[m.Value, ...], int]]:
        """By form: the number of an item by its values."""
        ...

    @property
    def writings(self) -> Sequence[Mapping[tuple[m.Value, ...], int]]:
        """By form with a normal form: the number of an item by each of its writings."""
        ...

    @property
    def logs(self) -> Sequence[Sequence[int]]:
        """The flat rows of back-pointers by case."""
        ...

    def expand(self, item: int) -> Iterable[tuple[int, tuple[int, ...]]] | None:
        """Return the instances that derive an item as (case, row); None where only the logs have them."""
        ...

    def step_counts(self, strides: Sequence[int]) -> Sequence[int]:
        """Return the number of step instances of each case, from the lengths of their rows."""
        ...

    def form_counts(self) -> Mapping[int, int]:
        """Return the number of derived items of each form."""
        ...


class RawChart:
    """What a kernel fills: items by number, their forms, and one flat log of back-pointers per case.

    The row of a step instance in its case's log is: consequent, antecedents, then dependent and head of each
    link. Hypotheses have the numbers below `hypothesis_count`.
    """

    __slots__ = ("form_of", "hypothesis_count", "ids", "logs", "values", "writings")

    listing_bytes = 0  # the memory that listing all step instances takes; here they are listed already

    def __init__(self, forms: int, cases: int) -> None:
        self.values: list[tuple[m.Value, ...]] = []
        self.form_of: list[int] = []
        self.ids: list[dict[tuple[m.Value, ...], int]] = [{} for _ in range(forms)]
        self.writings: list[dict[tuple[m.Value, ...], int]] = [{} for _ in range(forms)]
        self.logs: list[list[int]] = [[] for _ in range(cases)]
        self.hypothesis_count = 0

    @property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""
        return len(self.values)

    def step_counts(self, strides: Sequence[int]) -> Sequence[int]:
        """Return the number of step instances of each case."""
        return [len(log) // stride for log, stride in zip(self.logs, strides, strict=True)]

    def form_counts(self) -> Mapping[int, int]:
        """Return the number of derived items of each form."""
        return Counter(self.form_of[self.hypothesis_count :])

    def expand(self, item: int) -> None:
        """Say that the instances that derive an item are found in the logs; native charts may know better."""

    def drop_unfinished(self, strides: Sequence[int], given: int) -> None:
        """Forget an item that an interrupted step had begun to enter, or entered without its back-pointer.

        The first `given` items have none.
        """
        for table in self.ids:
            if table:
                values, number = next(reversed(table.items()))
                if number >= len(self.values):
                    del table[values]
        last = len(self.values) - 1
        if last < given:
            return
        if all(last not in log[::stride] for log, stride in zip(self.logs, strides, strict=True)):
            values = self.values.pop()
            del self.form_of[last:]
            for table in self.ids:
                if table.get(values) == last:
                    del table[values]
