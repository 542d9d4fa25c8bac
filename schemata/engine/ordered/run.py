"""A run of ordered kernels: a thread fills the tables while the driver looks after the budget."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.engine.native.agenda import OutsideTables
from schemata.engine.native.grammar import GrammarTables
from schemata.engine.native.writings import rewritten
from schemata.engine.ordered.kernel import places
from schemata.engine.ordered.shape import key_width, set_width
from schemata.engine.ordered.store import OrderedStore
from schemata.engine.ordered.writings import MOST_WRITINGS, width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.engine.ordered.kernel import OrderedKernel

__all__ = ["OrderedRun"]

STOP, LIMIT, TURN, MET, SET_PLACES, CELLS, HALT = range(7)  # entries of control
_PLACES = (1 << 31) - 2  # numbers of places are 32 bits wide
_SMALL = 200_000  # places up to which a run is over before a thread would have begun
_WAIT = 0.02  # seconds between two looks at the budget


class OrderedRun:
    """One run; see `native.store.NativeRun`. It is not resumed once it was stopped."""

    def __init__(
        self,
        kernel: OrderedKernel,
        n: int,
        grammar: GrammarTables,
        hypotheses: Sequence[tuple[int, tuple[int, ...]]],
        memory: int,
    ) -> None:
        self.kernel, self.n, self.grammar = kernel, n, grammar
        program = kernel.program
        symbols = len(grammar.symbols)
        self.places = places(kernel.program, n, symbols)
        if sum(self.places) >= _PLACES or kernel.memory(n, symbols) > memory // 2:
            raise OutsideTables
        self.hypotheses = list(dict.fromkeys(hypotheses))
        for kind, columns in self.hypotheses:
            written = program.equations.get(program.kinds[kind].form)
            if written and rewritten(program, kind, columns, n, grammar.symbols) is not None:
                raise OutsideTables
        self.offsets: NDArray[np.int64] = np.cumsum([0, *self.places[:-1]], dtype=np.int64)
        self.counted: NDArray[np.int64] = np.zeros(len(kernel.order.rules), np.int64)
        self.control: NDArray[np.int64] = np.zeros(7, np.int64)
        remembers = "fresh" in kernel.text
        self.set_places = 1 << 12 if remembers else 2
        written_forms = [form for form, rows in program.equations.items() if rows]
        self.columns = max((width(program, form) for form in written_forms), default=0) + 1
        self.cells = (n + 2) ** 2 if written_forms else 1
        self.tables: list[NDArray[Any]] = []
        self.stopped = False
        self._filling = False
        self._turn = (
            threading.Lock()
        )  # held while it is settled whether the kernel begins or the run is stopped
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self._prepare()

    def _prepare(self) -> None:
        """Lay out empty tables with the hypotheses in them."""
        program = self.kernel.program
        self.tables = []
        for kind, size in zip(program.kinds, self.places, strict=True):
            wide = program.equations.get(kind.form)
            self.tables.append(np.zeros(size, np.int32 if wide else np.uint8))
        for number, columns in self.hypotheses:
            place = self.place(number, columns)
            if place is None:
                raise OutsideTables
            wide = program.equations.get(program.kinds[number].form)
            self.tables[number][place] = -(int(self.offsets[number]) + place + 1) if wide else 1
        self.counted[:] = 0
        self.control[[STOP, TURN, MET]] = 0
        self.control[SET_PLACES] = self.set_places
        self.control[CELLS] = self.cells

    def place(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the place of columns in their kind's table, None where they are outside."""
        total = 0
        for k in self.kernel.layouts[kind]:
            symbol = self.kernel.program.kinds[kind].columns[k].sort == "symbol"
            size = len(self.grammar.symbols) if symbol else self.n + 2
            if not 0 <= columns[k] < size:
                return None
            total = total * size + columns[k]
        return total

    def arguments(self) -> tuple[Any, ...]:
        """Return the first arguments of both kernels: what the sentence and its grammar are."""
        numbers = {symbol: k for k, symbol in enumerate(self.grammar.symbols)}
        constants = [numbers[symbol] for symbol in self.kernel.program.symbols] or [0]
        return (
            self.n,
            len(self.grammar.symbols),
            self.grammar.licences,
            self.grammar.categories,
            self.grammar.category_licences,
            np.array(constants, np.int64),
            self.offsets,
        )

    def workspace(self) -> tuple[NDArray[np.int64], ...]:
        """Return the last arguments of both kernels: control, the set of instances, writings and cells."""
        program = self.kernel.program
        return (
            self.control,
            np.zeros(self.set_places * set_width(program), np.int64),
            np.zeros(key_width(program) + 1, np.int64),
            np.zeros((MOST_WRITINGS + 1) * self.columns, np.int64),
            np.zeros(self.cells * self.columns, np.int64),
        )

    @property
    def steps(self) -> int:
        """Step instances found so far."""
        return int(self.counted.sum())

    def advance(self, most_steps: int, work: int, memory: int) -> bool:
        """Derive on for a moment; see `native.store.NativeRun.advance`.

        Raises
        ------
        OutsideTables : an item has too many writings.
        """
        del work, memory
        if self._thread is None:
            self.control[LIMIT] = most_steps
            if sum(self.places) <= _SMALL:
                self._work()
            else:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
        finished = self._done.wait(_WAIT)
        if finished and self._error is not None:
            raise self._error
        return finished

    def _work(self) -> None:
        """Fill the tables; begin again with more room where some array was too small."""
        try:
            fill = self.kernel.fill  # compiled here, if it has to be
            while True:
                with self._turn:
                    if self.stopped:
                        break
                    self._filling = True
                fill(*self.arguments(), *self.tables, self.counted, *self.workspace())
                if not self.enlarge():
                    break
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def enlarge(self) -> bool:
        """Lay out empty tables and more room where a kernel asked for it; False where it did not.

        Raises
        ------
        OutsideTables : an item has too many writings.
        """
        match int(self.control[STOP]):
            case 3:  # the set of instances is full
                self.set_places *= 8
            case 5:  # a level has more items than there is room for
                self.cells *= 8
            case 4:  # an item has more writings than kernels list
                raise OutsideTables
            case _:
                return False
        self._prepare()
        return True

    def store(self) -> OrderedStore:
        """Return the chart as derived until now; a run that still goes on is stopped."""
        if not self._done.is_set() and self._thread is not None:
            with self._turn:
                self.stopped = True
            self.control[HALT] = 1
            if self._filling:
                self._thread.join()
        broken_off = self.stopped or self.steps > int(self.control[LIMIT]) or not self._done.is_set()
        return OrderedStore(self, complete=not broken_off)
