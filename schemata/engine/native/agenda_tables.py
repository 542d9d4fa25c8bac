"""The arrays that an agenda kernel works on for one sentence: laid out, filled with hypotheses, enlarged when full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.engine.budget import OverBudget
from schemata.engine.native import runtime as r
from schemata.engine.native.agenda_kernel import AgendaKernel
from schemata.engine.native.grammar import GrammarTables
from schemata.engine.native.layout import PACKED
from schemata.engine.native.store import OutsideTables
from schemata.program.normal_forms import rewritten

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AgendaTables"]

_DENSE_BYTES = 768 << 20  # tables larger than this are hashed
_GROWN = 64 << 20  # bytes of the arena from which on it grows by twice only
_ARENA = (1 << 31) - 1  # entries that it may have
_MET = 1024  # places of the table of instances met, at first
_INSTANCES = 1 << 23  # places of it from which on it cannot grow
_WRITINGS = 10_000  # of one item, as in the Python kernel


class AgendaTables:
    """The tables of a run, nothing derived yet.

    Parameters
    ----------
    kernel : the compiled program.
    n : the number of words.
    grammar : the sentence's licences as tables.
    hypotheses : kind and columns of each.
    memory : bytes that arrays may take.

    Raises
    ------
    OutsideTables : items of this sentence have too many possible columns, or a hypothesis is not in normal form.
    """

    def __init__(
        self,
        kernel: AgendaKernel,
        n: int,
        grammar: GrammarTables,
        hypotheses: Sequence[tuple[int, tuple[int, ...]]],
        memory: int,
    ) -> None:
        self.measures = measures = kernel.measures(n, len(grammar.symbols))
        hashed = kernel.hashed
        if hashed is None:
            hashed = not kernel.layout.bounded or measures.bytes > min(_DENSE_BYTES, memory // 2)
        if max(measures.items, measures.lists) >= PACKED:
            raise OutsideTables
        self.kernel, self.n, self.grammar, self.hashed = kernel, n, grammar, hashed
        program = kernel.program
        self.text = kernel.text(hashed)
        self.module = kernel.module(hashed)
        self.width = kernel.layout.width
        capacity = max(1024, 2 * len(hypotheses))
        cases = len(program.schema.cases)
        self.state: NDArray[np.int64] = np.zeros(r.SIZE, np.int64)
        self.counted: NDArray[np.int64] = np.zeros(cases, np.int64)
        self.before: NDArray[np.int64] = np.zeros(cases, np.int64)
        self.columns: NDArray[np.int32] = np.zeros(capacity * self.width, np.int32)
        self.kinds: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self.several: NDArray[np.uint8] = np.zeros(capacity if program.equations else 1, np.uint8)
        self.table: NDArray[np.int32] = np.zeros(4096 if hashed else measures.items, np.int32)
        self.keys: NDArray[np.int64] = np.zeros(4096 if hashed else 1, np.int64)
        self.heads: NDArray[np.int32] = np.zeros(2048 if hashed else 2 * max(1, measures.lists), np.int32)
        self.masks: NDArray[np.int64] = np.zeros(1 if hashed else max(1, measures.masks), np.int64)
        self.list_keys: NDArray[np.int64] = np.zeros(2048 if hashed else 1, np.int64)
        self.list_numbers: NDArray[np.int32] = np.zeros(2048 if hashed else 1, np.int32)
        self.arena: NDArray[np.int32] = np.empty(1 << 14, np.int32)
        self.written: NDArray[np.int64] = np.zeros(
            66 * (self.width + 1) if program.equations else 1, np.int64
        )
        self.records: NDArray[np.int32] = np.empty(
            capacity * (self.width + 1) if program.equations else 1, np.int32
        )
        self.met: NDArray[np.int64] = np.zeros(_MET, np.int64)
        self.met_words: NDArray[np.int64] = np.empty(_MET // 2 * self.text.words, np.int64)
        self._enter(hypotheses)

    def _enter(self, hypotheses: Sequence[tuple[int, tuple[int, ...]]]) -> None:
        """Enter the hypotheses as the first items."""
        for number, (kind, columns) in enumerate(hypotheses, start=1):
            place = self.place(kind, columns)
            if place is None or not self._is_normal(kind, columns):
                raise OutsideTables
            self.kinds[number] = kind
            self.columns[number * self.width : number * self.width + len(columns)] = columns
            if self.hashed:
                while not self.module["enter"](self.sized(), self.keys, self.table, place, number):
                    self.enlarge(r.TABLE_FULL, 1 << 40)
            else:
                self.table[place] = number
        self.state[r.ITEMS] = self.state[r.GIVEN] = self.state[r.MADE] = len(hypotheses)

    def place(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the place of columns in the item table (its key where it is hashed)."""
        numbering = self.kernel.layout.numbering(kind)
        found = numbering.place(columns, self.n, len(self.grammar.symbols))
        return None if found is None else self.measures.bases[kind] + found

    def _is_normal(self, kind: int, columns: Sequence[int]) -> bool:
        program = self.kernel.program
        return rewritten(program, kind, tuple(columns), self.n, self.grammar.symbols) is None

    def sized(self, state: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return the state with the sizes of arrays in it."""
        state = self.state if state is None else state
        state[r.CASES : r.RECORD_ROOM + 1] = (
            len(self.counted),
            len(self.kinds),
            len(self.arena),
            len(self.heads),
            len(self.list_keys),
            len(self.keys),
            len(self.met),
            len(self.written),
            len(self.records),
        )
        return state

    def arrays(self, counted: NDArray[np.int64], rows: bool = False) -> tuple[NDArray[Any], ...]:
        """Return the arrays that a kernel works on; it counts instances in `counted`, and may write `rows`."""
        return (
            self.sized(),
            counted,
            self.before,
            self.columns,
            self.kinds,
            self.table,
            self.measures.quantities(self.hashed, rows),
            self.measures.binomials,
            self.heads,
            self.masks,
            self.arena,
            self.grammar.licences,
            self.grammar.categories,
            self.grammar.category_licences,
            self.several,
            self.written,
            self.records,
            self.met,
            self.met_words,
        )

    def hashes(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays that a kernel with hashed tables works on besides."""
        return (self.keys, self.list_keys, self.list_numbers) if self.hashed else ()

    def enlarge(self, status: int, memory: int) -> None:
        """Make the array larger that a status names.

        Raises
        ------
        OverBudget : it would grow by more than `memory` bytes.
        OutsideTables : an item has too many writings.
        """
        match status:
            case r.ITEMS_FULL:
                _afford(self.columns.nbytes + self.kinds.nbytes, memory)
                self.columns, self.kinds = _enlarged(self.columns), _enlarged(self.kinds)
                if self.kernel.program.equations:
                    self.several = _enlarged(self.several)
            case r.ARENA_FULL:
                more = 4 if self.arena.nbytes < _GROWN else 2
                _afford((more - 1) * self.arena.nbytes, memory)
                if more * len(self.arena) > _ARENA:
                    raise OverBudget("memory")
                self.arena = _enlarged(self.arena, more)
            case r.MET_FULL:
                _afford(self.met.nbytes + self.met_words.nbytes, memory)
                if len(self.met) > _INSTANCES:
                    raise OverBudget("memory")
                self.met = np.zeros(2 * len(self.met), np.int64)
                self.met_words = np.empty(2 * len(self.met_words), np.int64)
            case r.RECORDS_FULL:
                _afford(3 * self.records.nbytes, memory)
                self.records = _enlarged(self.records, 4)
            case r.WRITINGS_FULL:
                if len(self.written) > _WRITINGS * (self.width + 1):
                    raise OutsideTables
                self.written = np.zeros(4 * len(self.written), np.int64)
            case r.TABLE_FULL:
                _afford(36 * len(self.table), memory)
                keys, table = np.zeros(4 * len(self.keys), np.int64), np.zeros(4 * len(self.keys), np.int32)
                self.module["rehash"](self.keys, self.table, len(self.keys), keys, table, len(keys))
                self.keys, self.table = keys, table
            case r.LISTS_FULL:
                _afford(32 * len(self.heads), memory)
                self.heads = np.concatenate([self.heads, np.zeros_like(self.heads)])
                keys = np.zeros(2 * len(self.list_keys), np.int64)
                numbers = np.zeros(2 * len(self.list_keys), np.int32)
                slots = len(self.list_keys)
                self.module["rehash"](self.list_keys, self.list_numbers, slots, keys, numbers, len(keys))
                self.list_keys, self.list_numbers = keys, numbers


def _afford(more: int, memory: int) -> None:
    if more > memory:
        raise OverBudget("memory")


def _enlarged(array: NDArray[Any], times: int = 2) -> NDArray[Any]:
    """Return a larger array that begins with the same entries; what the others are does not matter."""
    larger = np.empty(times * len(array), array.dtype)
    larger[: len(array)] = array
    return larger
