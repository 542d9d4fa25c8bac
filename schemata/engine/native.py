"""The native engine of a schema: from a sentence and its grammar to a chart."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from functools import cached_property
from importlib.util import find_spec
from typing import Any, TypeAlias

from schemata.budget import BackPointers, Budget, OverBudget, Reason, resident_bytes, within
from schemata.charts import last_position
from schemata.engine.chart import Chart
from schemata.engine.run import Kernel, PythonRun, outcome
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.run import AgendaKernel, AgendaRun, drive
from schemata.kernels.store import NativeRaw, NativeRun, OutsideTables, Store
from schemata.machine.compile import Compiler, machine_code
from schemata.order.kept import known_order, prove_order
from schemata.order.model import Order
from schemata.ordered.kernel import NotOrderable, OrderedKernel, is_wide, places
from schemata.ordered.run import OrderedRun
from schemata.ordered.store import OrderedTables
from schemata.structures import Sentence
from schemata.thresholds import WAYS

NativeKernel: TypeAlias = AgendaKernel | OrderedKernel


class NativeEngine:
    """The native kernels of a program: in a proved order where there is one, with an agenda elsewhere.

    Parameters
    ----------
    kernel : the schema with its program.
    compiler : makes functions of kernel text; tests have one whose functions check every index.
    kernels : "ordered" or "agenda" to run with these alone; for tests and measurements.

    Raises
    ------
    NotLowerable : a rule has a variable that nothing bounds.
    """

    def __init__(self, kernel: Kernel, compiler: Compiler = machine_code, kernels: str = "") -> None:
        self.program = kernel.program
        self.agenda = kernel.agenda
        self.compiler = compiler
        self.kernels = kernels
        self.agenda.text(hashed=not self.agenda.layout.bounded)  # refuses here what it cannot
        self.runs = 0

    @cached_property
    def ordered(self) -> OrderedKernel | None:
        """The kernels in a proved order; None if no order is proved, or no solver is installed."""
        if not self.program.is_linear:
            return None
        order = known_order(self.program)
        if order is None and find_spec("z3") is not None:
            order = prove_order(self.program, WAYS.proof_seconds)
        if not isinstance(order, Order):
            return None
        try:
            return OrderedKernel(order, self.compiler)
        except NotOrderable:
            return None

    @property
    def in_memory(self) -> bool:
        """Whether a run would begin at once."""
        return self.runs > 0

    @property
    def on_disk(self) -> bool:
        """Whether machine code need not be made."""
        orderless = is_wide(self.program) or not self.program.is_linear
        order = None if orderless else known_order(self.program)
        if isinstance(order, Order) and self.ordered is not None and self.ordered.is_compiled:
            return True
        return self.agenda.is_compiled

    def choose(self, n: int, tables: GrammarTables, seconds: float = math.inf) -> Iterator[NativeKernel]:
        """Yield the kernels to run a sentence with, best first.

        An order is proved only when it is needed, and if there is enough time.
        """
        if self.kernels != "ordered" and (
            self.kernels == "agenda"
            or not self.program.is_linear
            or is_wide(self.program)
            or self._is_sparse(n, tables)
        ):
            yield self.agenda
            if self.kernels == "agenda":
                return
        hasty = (
            seconds < WAYS.proof_seconds
            and "ordered" not in self.__dict__
            and known_order(self.program) is None
        )
        if not hasty and self.ordered is not None:
            yield self.ordered
        if self.kernels != "ordered":
            yield self.agenda

    def _is_sparse(self, n: int, tables: GrammarTables) -> bool:
        """Whether tables in a proved order would be large and mostly empty."""
        if sum(places(self.program, n, len(tables.symbols))) <= WAYS.sparse_places:
            return False
        return int(tables.arrays["LIC"].sum()) < WAYS.sparse_share * n * n

    def run(
        self,
        kernel: Kernel,
        sentence: Sentence,
        grammar: Any,
        budget: Budget,
        back_pointers: BackPointers = "implicit",
        before: PythonRun | None = None,
    ) -> Chart:
        """Derive everything.

        Parameters
        ----------
        kernel : the schema.
        sentence, grammar, budget, back_pointers : as `Engines.run`.
        before : the run in Python that this one replaces; its time counts, and its chart is used if a limit is hit or
            Ctrl-C comes before native code has begun.

        Raises
        ------
        BudgetExceeded, Interrupted : a limit was hit; the exception carries the partial chart, that of the run
            before where native code had not begun.
        OutsideTables : with kernels in a proved order alone, which do not run the sentence.
        """
        started = time.perf_counter() - (before.seconds if before is not None else 0.0)
        overflown: str | None = None
        try:
            n = last_position(sentence, grammar)
            tables = GrammarTables(self.program, n, grammar)
            store, reason, overflown = self._drive(n, grammar, tables, budget, started)
            self.runs += 1
            raw = NativeRaw(store)
            if back_pointers != "implicit" and reason is None:
                store.keep(compact=back_pointers == "compact")
            try:
                finals = store.final_items()
            except OutsideTables as outside:
                finals, reason, overflown = frozenset(), reason or "memory", overflown or str(outside)
        except (KeyboardInterrupt, OverBudget) as ended:  # before native code began
            if before is None:
                before = PythonRun(kernel, sentence, grammar, budget)
            before.reason = ended.reason if isinstance(ended, OverBudget) else "interrupt"
            return before.chart()
        seconds = time.perf_counter() - started
        chart = Chart(self.program.schema, sentence, grammar, raw, finals, seconds, reason, engine="native")
        return outcome(chart, budget, reason, overflown)

    def _drive(
        self, n: int, grammar: Any, tables: GrammarTables, budget: Budget, started: float
    ) -> tuple[Store, Reason | None, str | None]:
        """Run the first kernel whose tables fit the sentence; the last kernel is hashed and fits every sentence."""

        kernels = self.choose(n, tables, budget.left(started))

        def begun() -> tuple[NativeKernel | None, NativeRun | None]:
            """Begin a run of the next kernel, which may compile for long."""
            kernel = next(kernels, None)
            if kernel is None:
                return None, None
            try:
                memory = max(0, budget.memory - resident_bytes())
                return kernel, begin_run(self, kernel, n, grammar, tables, memory)
            except OutsideTables:
                return kernel, None

        while (begins := within(budget, started, begun))[0]:
            kernel, run = begins
            if run is None:
                continue
            try:
                return *drive(run, budget, started), None
            except OutsideTables as outside:
                if isinstance(kernel, OrderedKernel):
                    continue
                return run.store(), "memory", str(outside)
        raise OutsideTables("no order, or one whose tables do not fit")


def begin_run(
    engine: NativeEngine, kernel: NativeKernel, n: int, grammar: Any, tables: GrammarTables, memory: int
) -> NativeRun:
    """Return a run of a kernel on one sentence, nothing derived yet.

    Parameters
    ----------
    engine, kernel : a schema's, and one of the kernels that it chooses from.
    n : the last position.
    grammar, tables : the sentence's, and its licences as tables.
    memory : bytes that arrays may take.

    Raises
    ------
    OutsideTables : the kernel's tables do not fit the sentence, or its order needs hypotheses in normal form.
    """
    if isinstance(kernel, OrderedKernel):
        hypotheses = hypotheses_of(engine.agenda, n, grammar, tables)
        return OrderedRun(OrderedTables(kernel, n, tables, hypotheses, memory))
    return AgendaRun(kernel, engine.compiler, n, grammar, tables, memory)


def hypotheses_of(
    agenda: AgendaKernel, n: int, grammar: Any, tables: GrammarTables | None = None
) -> list[tuple[int, tuple[int, ...]]]:
    """Return the hypotheses of a sentence as kinds and columns."""
    tables = tables or GrammarTables(agenda.program, n, grammar)
    run = AgendaRun(agenda, None, n, grammar, tables, 1 << 30)
    if run.as_written:
        raise OutsideTables("hypotheses that are not in normal form")
    return [run.row(number) for number in range(run.store().hypothesis_count)]
