"""Runs of ordered kernels: a thread that fills tables within a budget, and counts over many sentences.

Over many sentences the same tables are used again and again, one call of machine code a sentence. What depends on
the number of words alone (tables, hypotheses, the places of final items) is laid out once for every length.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.charts.chart import Counts
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.store import OutsideTables
from schemata.ordered.kernel import OrderedKernel
from schemata.ordered.store import OrderedStore, OrderedTables
from schemata.ordered.text import HALT, LIMIT
from schemata.program.linear import Affine, AnyOf, Provided
from schemata.program.model import Final

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.grammars.licences import Licences
    from schemata.ordered.kernel import OrderedKernel

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


_LENGTHS = 64  # lengths whose tables are kept
_LARGEST = 1 << 24  # bytes of tables that are kept
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
        """Return the counts of one sentence; None where it is too large for this, or over the limit.

        Parameters
        ----------
        licences : those of the sentence.
        memory : tells how many bytes further tables may take.
        most_steps : step instances after which to give up.
        """
        n = licences.n
        found = self._lengths.get(n)
        if found is None:
            try:
                found = _Length(self.kernel, n, licences, self.hypotheses(n), memory())
            except OutsideTables:
                return None
            if found.size <= _LARGEST:
                if len(self._lengths) >= _LENGTHS:
                    self._lengths.pop(next(iter(self._lengths)))
                self._lengths[n] = found
        return found.count(licences, most_steps)


class _Length:
    """The tables for sentences of one length."""

    def __init__(
        self,
        kernel: OrderedKernel,
        n: int,
        licences: Licences,
        hypotheses: Sequence[tuple[int, tuple[int, ...]]],
        memory: int,
    ) -> None:
        self.kernel, self.n = kernel, n
        self.tables = OrderedTables(kernel, n, GrammarTables(kernel.program, n, licences), hypotheses, memory)
        self.empty = [table.copy() for table in self.tables.by_kind]
        self.size = 2 * sum(table.nbytes for table in self.empty)
        self.given = len(self.tables.hypotheses)
        self.finals = [self._places(final) for final in kernel.program.finals]
        self.codes = [
            np.arange(len(t), dtype=np.int64) + start + 1 if kernel.program.equations.get(kind.form) else None
            for kind, t, start in zip(kernel.program.kinds, self.empty, self.tables.offsets, strict=True)
        ]
        self.licences: NDArray[np.uint8] = self.tables.grammar.arrays["LIC"].copy()
        self._complete = self.licences.copy() if licences.is_complete else None
        self._is_complete = licences.is_complete
        self._bind()

    def _bind(self) -> None:
        """Note where all arrays stand in memory; they do not move."""
        first = list(self.tables.arguments())
        first[2] = self.licences
        self.held: list[Any] = [*first, *self.tables.by_kind, self.tables.counted, *self.tables.workspace()]
        self.words = [a if isinstance(a, int) else a.ctypes.data for a in self.held]

    def _places(self, final: Final) -> tuple[int, NDArray[np.int64]]:
        """Return the kind and the places of the items that match a final pattern."""
        symbols = self.tables.grammar.symbols
        constants = {"n": self.n, **{f"'{symbol}'": k for k, symbol in enumerate(symbols)}}
        columns = self.kernel.program.kinds[final.atom.kind].columns
        sizes = [len(symbols) if c.sort == "symbol" else self.n + 2 for c in columns]
        terms = list(zip(final.atom.terms, sizes, strict=True))
        found = []
        for given in _solutions(terms, constants):
            tests = (
                any(all(t.holds(given) for t in option) for option in test.options)
                if isinstance(test, AnyOf)
                else test.holds(given)
                for test in final.tests
            )
            place = self.tables.place(final.atom.kind, [t.value(given) for t in final.atom.terms])
            if place is not None and all(tests):
                found.append(place)
        return final.atom.kind, np.array(found, np.int64)

    def count(self, licences: Licences, most_steps: int) -> Counts | None:
        """Fill the tables for one sentence and count."""
        tables = self.tables
        if licences.is_complete != self._is_complete or not licences.is_complete:
            self._set_licences(licences)
        for table, empty in zip(tables.by_kind, self.empty, strict=True):
            np.copyto(table, empty)
        while True:
            tables.counted.fill(0)
            tables.control[0] = 0
            tables.control[LIMIT] = most_steps
            self.kernel.fill_at(*self.words)
            if not tables.control[0]:
                break
            if not tables.enlarge():
                return None
            self._bind()
        steps = int(tables.counted.sum())
        if steps > most_steps:
            return None
        items = -self.given
        for table, codes in zip(tables.by_kind, self.codes, strict=True):
            items += int(np.count_nonzero(table if codes is None else np.abs(table) == codes))
        accepted = any(bool(tables.by_kind[kind][places].any()) for kind, places in self.finals)
        return Counts(self.n, items, steps, accepted)

    def _set_licences(self, licences: Licences) -> None:
        """Write the sentence's licences into the table that the kernel reads."""
        if licences.is_complete:
            if self._complete is None:
                self._complete = GrammarTables(self.kernel.program, self.n, licences).arrays["LIC"].copy()
            np.copyto(self.licences, self._complete)
        else:
            np.copyto(self.licences, GrammarTables(self.kernel.program, self.n, licences).arrays["LIC"])
        self._is_complete = licences.is_complete


def _solutions(terms: Sequence[tuple[Affine, int]], given: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    """Yield the values of variables that give every term a value from 0 up to its size."""
    at = next((k for k, (term, _) in enumerate(terms) if sum(x not in given for x in term.names) <= 1), None)
    if at is None:
        if terms:
            raise AssertionError("a final item with two unknown variables in a term")
        yield given
        return
    term, size = terms[at]
    rest = [*terms[:at], *terms[at + 1 :]]
    unknown = next((x for x in term.names if x not in given), None)
    if unknown is None:
        yield from _solutions(rest, given) if 0 <= term.value(given) < size else ()
        return
    factor = term.coefficient(unknown)
    known = term.value({**given, unknown: 0})
    for value in range(size):
        if (value - known) % factor == 0:
            yield from _solutions(rest, {**given, unknown: (value - known) // factor})
