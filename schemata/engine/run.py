"""Runs a schema on a sentence in Python: its program's agenda kernel, driven within a budget."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar

from schemata.budget import Budget, OverBudget, Reason, guarded, resident_bytes, within
from schemata.charts import Account, ChartData, RawChart, last_position
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded, Interrupted
from schemata.grammars.relations import knowing_words
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.kept import KeptKernel, kept_kernel
from schemata.kernels.measures import Measure
from schemata.kernels.run import AgendaKernel, AgendaRun
from schemata.kernels.store import NativeRaw, OutsideTables
from schemata.language import model as m
from schemata.program.model import Program
from schemata.quick_start import collector_off
from schemata.records import Record, replace
from schemata.structures import Sentence
from schemata.thresholds import EFFORTS, WAYS

T = TypeVar("T")


class Kernel(Record, slots=False):
    """A schema with its program and its agenda kernels, each made when first needed."""

    schema: m.Schema
    measure: Measure | None = None  # what its kernels measure

    @cached_property
    def program(self) -> Program:
        """The schema as rules over kinds.

        Raises
        ------
        UsageError : it has too many shapes of items or choices, or a normal form over lists without a bound.
        """
        if self._kept is not None:
            return self._kept.program
        from schemata.program.lower import lower  # kept kernels do without

        return lower(self.schema)

    @cached_property
    def agenda(self) -> AgendaKernel:
        """The kernels with an agenda, which run every program."""
        return AgendaKernel(self.program, self.measure, self._kept or self.measure is None)

    @cached_property
    def compares_words(self) -> bool:
        """Whether some condition asks which words of the sentence are the same."""
        return self.schema.compares_words

    @cached_property
    def _kept(self) -> KeptKernel | None:
        return kept_kernel(self.schema) if self.measure is None else None

    @cached_property
    def agenda_for_given(self) -> AgendaKernel:
        """The kernels for runs that begin with given items which no step derives."""
        from schemata.program.lower import lower

        return AgendaKernel(lower(self.schema, outside=True), self.measure)

    @property
    def text(self) -> str:
        """The text of the agenda kernel as it reads, with the rules as comments."""

        def rule(heading: re.Match[str]) -> str:
            indent, number, place = heading.groups()
            case = self.schema.cases[int(number)]
            name = f"{case.step}, {case.label}" if case.label else case.step
            told = (f"{name}{place}", *(f"  {line.rstrip()}" for line in case.lines))
            return "\n".join(f"{indent}# {line}" for text in told for line in text.splitlines())

        head = f"# {self.schema.name}: the state `st`, the arrays, and the functions called are in kernels/runtime.py\n"
        source = self.agenda.text(not self.agenda.layout.bounded, "log").source
        return head + re.sub(r"(?m)^( *)# case (\d+)(.*)$", rule, source)


_kernels: dict[int, Kernel] = {}  # of the schemata used last, by identity: a kernel is written once


def compile_kernel(schema: m.Schema) -> Kernel:
    """Return the kernel of a schema; those of the schemata used last are kept."""
    kernel = _kernels.pop(id(schema), None)
    if kernel is None or kernel.schema is not schema:
        kernel = Kernel(schema)
    _kernels[id(schema)] = kernel
    while len(_kernels) > WAYS.kept_kernels:
        _kernels.pop(next(iter(_kernels)), None)
    return kernel


def run_kernel(
    kernel: Kernel,
    sentence: Sentence,
    grammar: Any,
    budget: Budget | None = None,
    given: Iterable[tuple[str, tuple[m.Value, ...]]] = (),
) -> Chart:
    """Derive everything the schema derives for a sentence under a sentence grammar, in Python.

    Parameters
    ----------
    kernel : the schema.
    sentence : n >= 1 words.
    grammar : the grammar of this sentence, of the schema's kind (`grammars`).
    budget : limits; the defaults of `Budget` if None.
    given : items that are there from the start, each as its form's name and its values, in normal form. In the
        chart they are items like derived ones: they follow the hypotheses, in the order given.

    Raises
    ------
    BudgetExceeded : a limit was hit; the exception carries the partial chart.
    Interrupted : Ctrl-C; likewise.
    """
    run = PythonRun(kernel, sentence, grammar, Budget().unless(budget), given)
    run.drive()
    return run.chart()


class PythonRun:
    """A run in Python on one sentence, which may pause and go on."""

    def __init__(
        self,
        kernel: Kernel,
        sentence: Sentence,
        grammar: Any,
        budget: Budget,
        given: Iterable[tuple[str, tuple[m.Value, ...]]] = (),
    ) -> None:
        self.kernel, self.sentence, self.budget = kernel, sentence, budget
        self.grammar = knowing_words(grammar, sentence.words) if kernel.compares_words else grammar
        self.reason: Reason | None = None
        self.overflown: str | None = None  # which value grew without end
        self.account: Account | None = None  # of what the chart takes later
        self._given = tuple(given)
        self._run: AgendaRun | None = None
        self.started = time.perf_counter()
        self._entered = math.inf  # when the kernel was there
        self._looked = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self.started

    @property
    def seconds_within(self) -> float:
        """Processor seconds since the kernel began, without those in which it was made."""
        return max(time.process_time() - self._entered, 0.0)

    @property
    def seconds_left(self) -> float:
        """Seconds left of the budget."""
        return self.budget.left(self.started)

    def within(self, work: Callable[[], T]) -> T:
        """Do work within the limits of the run, and return its result.

        Raises
        ------
        OverBudget : the run's seconds or memory were used up.
        """
        return within(self.budget, self.started, work)

    @property
    def steps(self) -> int:
        """Step instances found so far."""
        return 0 if self._run is None else self._run.steps

    def drive(self, pause: int | None = None) -> bool:
        """Take items from the agenda in the order they were found until none is left, or a limit is hit.

        Parameters
        ----------
        pause : step instances after which to come back, the run unfinished.

        Returns
        -------
        Whether the run is over.
        """
        return self._stopped(self._check, lambda: self._drive(pause)) is not False

    def _stopped(self, check: Callable[[], object], work: Callable[[], T]) -> T | None:
        """Return the result of work; None if a limit or Ctrl-C stops it: `reason` is the first of these."""
        reason: Reason
        try:
            with collector_off():
                return guarded(check, work)
        except OverBudget as over:
            reason = over.reason
        except OutsideTables as outside:
            reason, self.overflown = "memory", str(outside)
        except MemoryError:
            reason = "memory"
        except KeyboardInterrupt:
            reason = "interrupt"
        self.reason = self.reason or reason
        return None

    def _drive(self, pause: int | None) -> bool:
        if self._run is None:
            n = last_position(self.sentence, self.grammar)
            agenda = self.kernel.agenda_for_given if self._given else self.kernel.agenda
            tables = GrammarTables(agenda.program, n, self.grammar)
            self._run = AgendaRun(agenda, None, n, self.grammar, tables, self.budget.memory, self._given)
            self._entered = time.process_time()
        most = self.budget.steps if pause is None else min(pause, self.budget.steps)
        while not self._run.advance(most, WAYS.slice_work, self.budget.memory):
            if self._check() > most:
                return False
        self._check()
        return True

    def _check(self) -> int:
        """Return the number of step instances; raise `OverBudget` when a limit is passed."""
        steps = self.steps
        if steps > self.budget.steps:
            raise OverBudget("steps")
        seconds = self.seconds
        if self.seconds_left < 0:
            raise OverBudget("seconds")
        if seconds - self._looked > 0.05:
            self._looked = seconds
            if resident_bytes() > self.budget.memory:
                raise OverBudget("memory")
        return steps

    def chart(self) -> Chart:
        """Return the chart of a run that is over.

        Raises
        ------
        BudgetExceeded, Interrupted : it was stopped; the exception carries the partial chart.
        """
        schema = self.kernel.schema
        seconds = self.seconds
        raw: ChartData = RawChart(len(schema.forms), len(schema.cases))
        finals: frozenset[int] = frozenset()
        if self._run is not None:
            raw = NativeRaw(self._run.store())
            finals = self._final_items(self._run)
        found = Chart(schema, self.sentence, self.grammar, raw, finals, seconds, self.reason)
        found.account = self.account
        return outcome(found, self.budget, self.reason, self.overflown)

    def _final_items(self, run: AgendaRun) -> frozenset[int]:
        """Return the final items; only those found in a short time if the run was stopped, or is stopped by this
        search.
        """
        stopped = time.perf_counter()

        def check() -> None:
            if self.reason is None:
                self._check()
            elif time.perf_counter() - stopped > EFFORTS.final_seconds:
                raise OverBudget("seconds")

        found = self._stopped(check, run.final_items)
        if found is not None:
            return found
        with suppress(IndexError):
            return run.marked()
        return frozenset()


def outcome(chart: Chart, budget: Budget, reason: Reason | None, overflown: str | None = None) -> Chart:
    """Return a chart, or raise the exception for the limit that stopped its run.

    Parameters
    ----------
    chart : the chart derived so far.
    budget : the limits of the run.
    reason : the limit that stopped it, None if none did.
    overflown : the value that grew without end, if one did.

    Raises
    ------
    BudgetExceeded, Interrupted : the exception carries the chart.
    """
    if reason is None:
        return chart
    done = f"after {chart.step_count:,} step instances and {chart.seconds:.1f} s"
    if reason == "interrupt":
        raise Interrupted(reason, chart, f"interrupted {done}")
    limits = budget if chart.engine == "python" else replace(budget, steps=budget.native_steps)
    limit = limits.named(reason)
    hint = None
    if overflown:
        limit, hint = f"a limit: {overflown}", "some step makes its values grow without end"
    raise BudgetExceeded(reason, chart, f"schema {chart.schema.name} hit {limit}, {done}", hint)
