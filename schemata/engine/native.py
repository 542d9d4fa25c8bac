"""A schema's native engine: from a sentence and its licences to a chart."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from schemata.engine.budget import Budget, Reason, resident_bytes
from schemata.engine.chart import Chart
from schemata.engine.order.model import Order
from schemata.engine.order.prove import known_order, prove_order
from schemata.engine.ordered.kernel import NotOrderable, OrderedKernel, is_wide, places
from schemata.engine.ordered.run import OrderedRun
from schemata.engine.run import Kernel, PythonRun, outcome
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.run import AgendaKernel, AgendaRun, drive
from schemata.kernels.store import Coding, NativeRaw, NativeRun, OutsideTables, Store, final_items
from schemata.program.model import Program
from schemata.structures import Sentence

if TYPE_CHECKING:
    from schemata.engine.choice import BackPointers


NativeKernel: TypeAlias = AgendaKernel | OrderedKernel


_SPARSE = 0.2  # of all links: a grammar that licenses less leaves most of a large table empty
_PATIENCE = 2.5  # seconds that a run waits for a proof, once; `schemata compile --explain` has more
_LARGE = 1_000_000  # places of a table over which loops then run in vain


class NativeEngine:
    """The native kernels of a program: in a proved order where there is one, with an agenda elsewhere.

    Parameters
    ----------
    program : the lowered schema.
    checked : test every index at run time; for tests.
    kernels : "ordered" or "agenda" to run with these alone; for tests and measurements.

    Raises
    ------
    NotLowerable : a rule has a variable that nothing bounds.
    """

    def __init__(self, program: Program, checked: bool = False, kernels: str = "") -> None:
        self.program = program
        self.checked = checked
        self.kernels = kernels
        self.agenda = AgendaKernel(program)
        self.agenda.text(hashed=not self.agenda.layout.bounded)  # refuses here what it cannot
        self.runs = 0

    @cached_property
    def ordered(self) -> OrderedKernel | None:
        """The kernels in a proved order; None where no order is proved, or no solver is installed."""
        order = known_order(self.program)
        if order is None and find_spec("z3") is not None:
            order = prove_order(self.program, _PATIENCE)
        if not isinstance(order, Order):
            return None
        try:
            return OrderedKernel(order, self.checked)
        except NotOrderable:
            return None

    @property
    def in_memory(self) -> bool:
        """Whether a run would begin at once."""
        return self.runs > 0

    @property
    def on_disk(self) -> bool:
        """Whether machine code need not be made."""
        order = None if is_wide(self.program) else known_order(self.program)
        if isinstance(order, Order) and self.ordered is not None and self.ordered.is_compiled:
            return True
        return self.agenda.is_compiled

    def choose(self, n: int, tables: GrammarTables) -> Iterator[NativeKernel]:
        """Yield the kernels to run a sentence with, best first; an order is proved only when it comes to that."""
        if self.kernels != "ordered" and (
            self.kernels == "agenda" or is_wide(self.program) or self._is_sparse(n, tables)
        ):
            yield self.agenda
            if self.kernels == "agenda":
                return
        if self.ordered is not None:
            yield self.ordered
        if self.kernels != "ordered":
            yield self.agenda

    def _is_sparse(self, n: int, tables: GrammarTables) -> bool:
        """Whether tables in a proved order would be large and mostly empty."""
        if sum(places(self.program, n, len(tables.symbols))) <= _LARGE:
            return False
        return int(tables.licences.sum()) < _SPARSE * n * n

    def run(
        self,
        python: Kernel,
        sentence: Sentence,
        grammar: Any,
        budget: Budget,
        back_pointers: BackPointers = "implicit",
        before: PythonRun | None = None,
    ) -> Chart | None:
        """Derive everything; None where values do not fit the tables of native code.

        Parameters
        ----------
        python : the schema's Python kernel, which knows the hypotheses.
        sentence, grammar, budget, back_pointers : as `Engines.run`.
        before : the run in Python that this one takes the place of; its time counts, and where Ctrl-C comes
            before native code has begun, its chart is what there is.

        Raises
        ------
        BudgetExceeded, Interrupted : a limit was hit; the exception carries the partial chart.
        """
        started = time.perf_counter() - (before.watch.seconds if before is not None else 0.0)
        try:
            n = len(sentence)
            tables = GrammarTables(self.program, grammar)
            hypotheses = hypotheses_of(self.program, python, sentence, grammar, budget, tables.symbols)
            found = self._drive(n, tables, hypotheses, budget, started)
            if found is None:
                return None
            store, reason = found
            self.runs += 1
            raw = NativeRaw(store)
            if back_pointers != "implicit" and reason is None:
                store.keep(compact=back_pointers == "compact")
            finals = final_items(store)
        except OutsideTables:
            return None
        except KeyboardInterrupt:
            if before is None:
                before = PythonRun(python, sentence, grammar, budget)
            before.reason = "interrupt"
            return before.chart()
        seconds = time.perf_counter() - started
        chart = Chart(self.program.schema, sentence, grammar, raw, finals, seconds, reason, engine="native")
        return outcome(chart, budget, reason)

    def _drive(
        self,
        n: int,
        tables: GrammarTables,
        hypotheses: Sequence[tuple[int, tuple[int, ...]]],
        budget: Budget,
        started: float,
    ) -> tuple[Store, Reason | None] | None:
        """Run the first kernel whose tables fit the sentence; None where none does."""
        for kernel in self.choose(n, tables):
            try:
                memory = max(0, budget.memory - resident_bytes())
                return drive(begin_run(kernel, n, tables, hypotheses, memory), budget, started)
            except OutsideTables:
                continue
        return None


def begin_run(
    kernel: NativeKernel,
    n: int,
    grammar: GrammarTables,
    hypotheses: Sequence[tuple[int, tuple[int, ...]]],
    memory: int,
) -> NativeRun:
    """Return a run of a kernel on one sentence, nothing derived yet.

    Parameters
    ----------
    kernel : one of those that `NativeEngine.choose` yields.
    n : the number of words.
    grammar : the sentence's licences as tables.
    hypotheses : kind and columns of each.
    memory : bytes that arrays may take.

    Raises
    ------
    OutsideTables : the kernel's tables do not fit the sentence, or a hypothesis is not in normal form.
    """
    if isinstance(kernel, OrderedKernel):
        return OrderedRun(kernel, n, grammar, hypotheses, memory)
    return AgendaRun(kernel, n, grammar, hypotheses, memory)


def hypotheses_of(
    program: Program,
    python: Kernel,
    sentence: Sentence,
    grammar: Any,
    budget: Budget,
    symbols: Sequence[str] | None = None,
) -> list[tuple[int, tuple[int, ...]]]:
    """Return the hypotheses of a sentence as kinds and columns, as the Python kernel enumerates them.

    Raises
    ------
    OutsideTables : some hypothesis is of no kind of the program.
    """
    run = PythonRun(python, sentence, grammar, budget)
    python.begin(len(sentence), grammar, run.raw, run.watch.overflow)
    coding = Coding(program, program.symbols if symbols is None else symbols)
    found = [coding.encode(*pair) for pair in zip(run.raw.form_of, run.raw.values, strict=True)]
    if None in found:
        raise OutsideTables
    return [pair for pair in found if pair is not None]
