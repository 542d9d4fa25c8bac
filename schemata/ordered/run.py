"""Runs of ordered kernels: a thread that fills tables within a budget, and counts over many sentences.

Many sentences share the same tables, with one call of machine code for each sentence. Tables, hypotheses and the
places of final items depend on the number of words alone, and are laid out once for every length.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from schemata.charts import Counts
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.store import OutsideTables
from schemata.machine.compile import addresses
from schemata.ordered.emit import HALT, LIMIT
from schemata.ordered.kernel import OrderedKernel
from schemata.ordered.plan import is_written
from schemata.ordered.store import OrderedStore, OrderedTables, keep_tables
from schemata.program.linear import Provided
from schemata.thresholds import WAYS

if TYPE_CHECKING:
    from schemata.grammars.drules import Licences


class OrderedRun:
    """One run over tables; see `kernels.store.NativeRun`. It is not resumed once it was stopped."""

    def __init__(self, tables: OrderedTables) -> None:
        self.tables = tables
        self.stopped = False
        self._filling = False
        # Held while it is settled whether the kernel begins or the run is stopped.
        self._turn = threading.Lock()
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._done = threading.Event()

    @property
    def steps(self) -> int:
        """Step instances found so far."""
        return int(self.tables.counted.sum())

    def advance(self, most_steps: int, work: int, memory: int) -> bool:
        """Continue to derive for a moment; see `kernels.store.NativeRun.advance`.

        Raises
        ------
        OutsideTables : an item has too many writings.
        """
        del work, memory
        if self._thread is None:
            self.tables.state[LIMIT] = most_steps
            if sum(self.tables.places) <= WAYS.threadless_places:
                self._work()
            else:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
        finished = self._done.wait(WAYS.wait_seconds)
        if finished and self._error is not None:
            raise self._error
        return finished

    def _work(self) -> None:
        """Fill the tables; begin again with more room where some array was too small."""
        tables = self.tables
        try:
            fill = tables.kernel.function("fill")  # compiled here, if it has to be
            while True:
                with self._turn:
                    if self.stopped:
                        break
                    self._filling = True
                fill(*tables.of_fill)
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
            self.tables.state[HALT] = 1
            if self._filling:
                self._thread.join()
        broken_off = self.stopped or self.steps > int(self.tables.state[LIMIT]) or not self._done.is_set()
        return OrderedStore(self.tables, complete=not broken_off)


_NO_LIMIT = 1 << 62


class BatchCounter:
    """Counts items and step instances of sentence after sentence.

    Parameters
    ----------
    kernel : the kernels of a program whose rules do not ask for categories.
    hypotheses : the hypotheses of a sentence of n words, as kinds and columns.
    """

    def __init__(
        self, kernel: OrderedKernel, hypotheses: Callable[[int], Sequence[tuple[int, tuple[int, ...]]]]
    ) -> None:
        self.kernel = kernel
        self.hypotheses = hypotheses
        self._lengths: dict[int, _Length] = {}

    @staticmethod
    def can_count(kernel: OrderedKernel) -> bool:
        """Whether a program asks the grammar for licences of links only."""
        tests = [t for rule in kernel.program.rules for t in rule.tests]
        return not any(isinstance(t, Provided) and t.relation != "licensed" for t in tests)

    def count(
        self, licences: Licences, memory: Callable[[], int], most_steps: int = _NO_LIMIT
    ) -> Counts | None:
        """Return the counts of one sentence; None if it is too large for this, or over the limit.

        Parameters
        ----------
        licences : those of the sentence.
        memory : returns how many bytes further tables may take.
        most_steps : step instances after which to give up.
        """
        n = licences.n
        length = self._lengths.get(n)
        try:
            if length is None:
                grammar = GrammarTables(self.kernel.program, n, licences)
                tables = OrderedTables(self.kernel, n, grammar, self.hypotheses(n), memory())
                length = _Length(tables, licences.is_complete)
                keep_tables(self._lengths, n, length, sum(table.nbytes for table in tables.by_kind))
            return length.count(licences, most_steps)
        except OutsideTables:
            return None


class _Length:
    """The tables for sentences of one length, and where they stand in memory."""

    def __init__(self, tables: OrderedTables, is_complete: bool) -> None:
        self.tables = tables
        self._finals = [(final.atom.kind, tables.matching(final)) for final in tables.program.finals]
        self._is_complete = is_complete
        self._bind()

    def _bind(self) -> None:
        self._words = [a if isinstance(a, int) else addresses([a])[0] for a in self.tables.of_fill]

    def count(self, licences: Licences, most_steps: int) -> Counts | None:
        """Fill the tables for one sentence and count."""
        tables = self.tables
        if not (licences.is_complete and self._is_complete):  # else the kernel reads the same table
            grammar = GrammarTables(tables.program, tables.n, licences)
            np.copyto(tables.grammar.arrays["LIC"], grammar.arrays["LIC"])
            self._is_complete = licences.is_complete
        tables.clear()
        tables.state[LIMIT] = most_steps
        fill_at = tables.kernel.function("fill").__dict__["at_addresses"]
        while True:
            fill_at(*self._words)
            if not tables.enlarge():
                break
            self._bind()
        steps = int(tables.counted.sum())
        if steps > most_steps:
            return None
        items = sum(map(self._count, range(len(tables.by_kind)))) - len(tables.hypotheses)
        accepted = any(bool(tables.by_kind[kind][places].any()) for kind, places in self._finals)
        return Counts(tables.n, items, steps, accepted)

    def _count(self, kind: int) -> int:
        """Return the number of items of a kind: places, or writings in normal form."""
        table, start = self.tables.by_kind[kind], int(self.tables.offsets[kind])
        if not is_written(self.tables.program, kind):
            return int(np.count_nonzero(table))
        return int(np.count_nonzero(np.abs(table) >> 1 == np.arange(start + 1, start + 1 + len(table))))
