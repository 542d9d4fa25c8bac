"""The chart of an agenda kernel; see `store.Store`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from schemata.engine.native import runtime as r

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.engine.native.agenda import AgendaRun

__all__ = ["AgendaStore"]


class AgendaStore:
    """What an agenda run has derived until now. Items are numbered as they were found."""

    places = 0

    def __init__(self, run: AgendaRun) -> None:
        self.run = run
        self.program = run.kernel.program
        self.n = run.n
        self.symbols: Sequence[str] = run.grammar.symbols
        self.hypothesis_count = int(run.state[r.GIVEN])
        self.item_count = int(run.state[r.MADE])  # without those of a turn that was broken off
        self._counts = run.counted.copy()

    @property
    def kinds(self) -> NDArray[np.int32]:
        """The kind of every item."""
        return self.run.kinds[1 : self.item_count + 1]

    @property
    def columns(self) -> NDArray[np.int32]:
        """The columns of every item."""
        width = self.run.width
        return self.run.columns[width : (self.item_count + 1) * width].reshape(-1, width)

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
        if number is None or (number < self.hypothesis_count and not self._is(number, kind, columns)):
            return None
        return number

    def _at(self, kind: int, columns: Sequence[int]) -> int | None:
        place = self.run.place(kind, columns)
        if place is None:
            return None
        table = self.run.table
        if self.run.hashed:
            place = self.run.module["slot_of"](self.run.keys, len(self.run.keys), place)
        found = int(table[place]) - 1
        return found if 0 <= found < self.item_count else None

    def _is(self, number: int, kind: int, columns: Sequence[int]) -> bool:
        width = len(columns)
        row = self.columns[number, :width].tolist()
        return int(self.kinds[number]) == kind and row == list(columns)

    @cached_property
    def _rows(self) -> list[NDArray[np.int32]]:
        return self.run.rows(self._counts)

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
