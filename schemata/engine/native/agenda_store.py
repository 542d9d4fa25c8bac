"""The chart of an agenda kernel; see `store.Store`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from schemata.engine.native import runtime as r
from schemata.engine.native.agenda_tables import AgendaTables
from schemata.program.normal_forms import normal, writings

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AgendaStore"]


class AgendaStore:
    """What an agenda run has derived until now. Items are numbered as they were found."""

    places = 0

    def __init__(self, tables: AgendaTables) -> None:
        self.tables = tables
        self.program = tables.kernel.program
        self.n = tables.n
        self.symbols: Sequence[str] = tables.grammar.symbols
        self.hypothesis_count = int(tables.state[r.GIVEN])
        self.item_count = int(tables.state[r.MADE])  # without those of a turn that was broken off
        self._complete = int(tables.state[r.AT]) > int(tables.state[r.ITEMS])
        self._counts = tables.counted.copy()

    @property
    def kinds(self) -> NDArray[np.int32]:
        """The kind of every item."""
        return self.tables.kinds[1 : self.item_count + 1]

    @property
    def columns(self) -> NDArray[np.int32]:
        """The columns of every item."""
        width = self.tables.width
        return self.tables.columns[width : (self.item_count + 1) * width].reshape(-1, width)

    def counts(self) -> Sequence[int]:
        """Return the number of step instances of each case."""
        return [int(c) for c in self._counts]

    def derived_by_form(self) -> Sequence[int]:
        """Return the number of derived items of each form."""
        by_kind = np.bincount(self.kinds[self.hypothesis_count :], minlength=len(self.program.kinds))
        found = [0] * len(self.program.schema.forms)
        for kind in self.program.kinds:
            found[kind.form] += int(by_kind[kind.number])
        return found

    def find(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of an item in normal form."""
        number = self._at(kind, columns)
        return number if number is not None and self._is(number, kind, columns) else None

    def find_written(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of the item with this writing."""
        number = self._at(kind, columns)
        if number is None and not self._complete:
            return self._find_untaken(kind, tuple(columns))
        if number is None or (number < self.hypothesis_count and not self._is(number, kind, columns)):
            return None
        return number

    def _find_untaken(self, kind: int, columns: tuple[int, ...]) -> int | None:
        """Return the number of an item whose writings are not in the table, since its turn has not come."""
        if not self.program.equations.get(self.program.kinds[kind].form):
            return None
        item = normal(self.program, kind, columns, self.n, self.symbols)
        number = self.find(*item)
        if number is None or number < self.hypothesis_count:
            return None
        return number if (kind, columns) in writings(self.program, *item, self.n, self.symbols) else None

    def _at(self, kind: int, columns: Sequence[int]) -> int | None:
        place = self.tables.place(kind, columns)
        if place is None:
            return None
        tables = self.tables
        if tables.hashed:
            place = tables.module["slot_of"](tables.keys, len(tables.keys), place)
        found = int(tables.table[place]) - 1
        return found if 0 <= found < self.item_count else None

    def _is(self, number: int, kind: int, columns: Sequence[int]) -> bool:
        width = len(columns)
        row = self.columns[number, :width].tolist()
        return int(self.kinds[number]) == kind and row == list(columns)

    @cached_property
    def _rows(self) -> list[NDArray[np.int32]]:
        return _enumerated(self.tables, self._counts)

    def rows(self, case: int) -> NDArray[np.int32]:
        """Return all step instances of a case."""
        return self._rows[case]

    def keep(self, compact: bool) -> None:
        """Make all back-pointers now; an agenda kernel has one form of them."""
        del compact
        for case in range(len(self.program.schema.cases)):
            self.rows(case)

    def expand(self, item: int) -> Iterable[tuple[int, tuple[int, ...]]] | None:
        """Return None: agenda kernels enumerate."""
        return None


def _enumerated(tables: AgendaTables, counted: NDArray[np.int64]) -> list[NDArray[np.int32]]:
    """Write down all step instances, by case."""
    kernel = tables.kernel.module(tables.hashed, rows=True)["kernel"]
    cases = tables.kernel.program.schema.cases
    strides = [1 + len(c.antecedents) + 2 * len(c.links) for c in cases]
    sizes = [int(amount) * stride for amount, stride in zip(counted, strides, strict=True)]
    starts = np.cumsum([0, *sizes], dtype=np.int64)
    log: NDArray[np.int32] = np.empty(int(starts[-1]), np.int32)
    state = tables.state.copy()
    state[r.LAST] = state[r.AT] - 1
    state[[r.AT, r.AGAIN, r.STEPS]] = 0
    again = np.zeros_like(counted)
    hashes = tables.hashes()
    while True:
        kernel(
            tables.n,
            len(tables.grammar.symbols),
            1 << 62,
            1 << 22,
            tables.sized(state),
            *tables.arrays(again, rows=True)[1:],
            log,
            starts,
            *hashes,
        )
        if state[r.STATUS] == r.RUNS:
            if state[r.AT] > state[r.LAST]:
                break
        else:
            tables.enlarge(int(state[r.STATUS]), 1 << 40)
    # the stamps of the table of instances met go on from where this pass left them
    tables.state[r.STAMP] = state[r.STAMP]
    return [log[a:b].reshape(-1, stride) for a, b, stride in zip(starts, starts[1:], strides, strict=False)]
