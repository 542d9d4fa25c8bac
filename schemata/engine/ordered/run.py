"""A run of ordered kernels: a thread fills the tables while the driver looks after the budget."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from schemata.engine.ordered.kernel import OrderedKernel
from schemata.engine.ordered.store import OrderedStore
from schemata.engine.ordered.tables import HALT, LIMIT, OrderedTables
from schemata.kernels.grammar import GrammarTables

__all__ = ["OrderedRun"]

_SMALL = 200_000  # places up to which a run is over before a thread would have begun
_WAIT = 0.02  # seconds between two looks at the budget


class OrderedRun:
    """One run; see `native.store.NativeRun`. It is not resumed once it was stopped.

    Parameters and errors are those of `OrderedTables`.
    """

    def __init__(
        self,
        kernel: OrderedKernel,
        n: int,
        grammar: GrammarTables,
        hypotheses: Sequence[tuple[int, tuple[int, ...]]],
        memory: int,
    ) -> None:
        self.tables = OrderedTables(kernel, n, grammar, hypotheses, memory)
        self.stopped = False
        self._filling = False
        self._turn = (
            threading.Lock()
        )  # held while it is settled whether the kernel begins or the run is stopped
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._done = threading.Event()

    @property
    def steps(self) -> int:
        """Step instances found so far."""
        return int(self.tables.counted.sum())

    def advance(self, most_steps: int, work: int, memory: int) -> bool:
        """Derive on for a moment; see `native.store.NativeRun.advance`.

        Raises
        ------
        OutsideTables : an item has too many writings.
        """
        del work, memory
        if self._thread is None:
            self.tables.control[LIMIT] = most_steps
            if sum(self.tables.places) <= _SMALL:
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
        tables = self.tables
        try:
            fill = tables.kernel.fill  # compiled here, if it has to be
            while True:
                with self._turn:
                    if self.stopped:
                        break
                    self._filling = True
                fill(*tables.arguments(), *tables.by_kind, tables.counted, *tables.workspace())
                if not tables.enlarge():
                    break
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def store(self) -> OrderedStore:
        """Return the chart as derived until now; a run that still goes on is stopped."""
        if not self._done.is_set() and self._thread is not None:
            with self._turn:
                self.stopped = True
            self.tables.control[HALT] = 1
            if self._filling:
                self._thread.join()
        broken_off = self.stopped or self.steps > int(self.tables.control[LIMIT]) or not self._done.is_set()
        return OrderedStore(self.tables, complete=not broken_off)
