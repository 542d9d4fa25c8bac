"""A schema's native engine: from a sentence and its licences to a chart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from schemata.engine.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.lowering.model import Program
from schemata.engine.native.agenda import AgendaKernel, OutsideTables
from schemata.engine.native.coding import Coding
from schemata.engine.native.driver import NativeKernel, drive
from schemata.engine.native.finals import final_items
from schemata.engine.native.grammar import grammar_tables
from schemata.engine.native.raw import NativeRaw
from schemata.engine.run import Kernel, PythonRun, outcome
from schemata.structures import Sentence

if TYPE_CHECKING:
    from schemata.engine.engines import BackPointers

__all__ = ["NativeEngine"]


class NativeEngine:
    """The native kernels of a program.

    Parameters
    ----------
    program : the lowered schema.
    checked : test every index at run time; for tests.

    Raises
    ------
    NotLowerable : a rule has a variable that nothing bounds.
    """

    def __init__(self, program: Program, checked: bool = False) -> None:
        self.program = program
        self.agenda = AgendaKernel(program, checked)
        self.agenda.text(hashed=not self.agenda.layout.bounded)  # refuses here what it cannot
        self.runs = 0

    @property
    def in_memory(self) -> bool:
        """Whether a run would begin at once."""
        return self.runs > 0

    @property
    def on_disk(self) -> bool:
        """Whether machine code need not be made."""
        return self.agenda.is_compiled

    def kernel(self) -> NativeKernel:
        """Return the kernel to run with."""
        return self.agenda

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
            tables = grammar_tables(self.program, grammar)
            coding = Coding(self.program, tables.symbols)
            given = [
                coding.encode(form, values) for form, values in _hypotheses(python, sentence, grammar, budget)
            ]
            if None in given:
                return None
            hypotheses = [pair for pair in given if pair is not None]
            store, reason = drive(self.kernel(), n, tables, hypotheses, budget, started)
            self.runs += 1
            raw = NativeRaw(store)
            if back_pointers != "implicit" and reason is None:
                for case in range(len(self.program.schema.cases)):
                    store.rows(case)
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


def _hypotheses(
    python: Kernel, sentence: Sentence, grammar: Any, budget: Budget
) -> list[tuple[int, tuple[Any, ...]]]:
    """Return the form and values of every hypothesis."""
    run = PythonRun(python, sentence, grammar, budget)
    python.begin(len(sentence), grammar, run.raw, run.watch.overflow)
    return list(zip(run.raw.form_of, run.raw.values, strict=True))
