"""Runs a schema on a sentence: compiles its kernel once, drives the agenda, keeps the budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from schemata.charts.chart import RawChart, last_position
from schemata.engine.budget import Budget, BudgetExceeded, Interrupted, OverBudget, Reason, Watch
from schemata.engine.chart import Chart
from schemata.engine.python.emit import KernelSource, emit_kernel
from schemata.engine.watchdog import Watchdog
from schemata.gc_paused import collector_off
from schemata.language import model as m
from schemata.structures import Sentence

__all__ = ["Kernel", "PythonRun", "compile_kernel", "run_kernel"]

_OfItem: TypeAlias = "Callable[[int], None]"

_CHECK_EVERY = 32  # items between two looks at the budget
_PATIENCE = 0.3  # seconds that final items are looked for in the chart of a run that was stopped


@dataclass(frozen=True, slots=True)
class Kernel:
    """A schema's compiled kernel: its source and the two functions of it that a run calls.

    `begin` enters the hypotheses; it returns a function that applies the steps without antecedents, by form what
    takes an item from the agenda, and by form with a normal form what notes the writings of an item not yet taken.
    """

    schema: m.Schema
    source: KernelSource
    begin: Callable[..., tuple[Callable[[], None], tuple[_OfItem, ...], Mapping[int, _OfItem]]]
    final_items: Callable[..., None]


def compile_kernel(schema: m.Schema) -> Kernel:
    """Generate and compile the Python kernel of a schema."""
    source = emit_kernel(schema)
    namespace: dict[str, Any] = {}
    exec(compile(source.text, f"<kernel of {schema.name}>", "exec"), namespace)
    return Kernel(schema, source, namespace["kernel"], namespace["final_items"])


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
    kernel : the compiled schema.
    sentence : n >= 1 words.
    grammar : what the schema's kind of grammar provides for this sentence (`grammars`).
    budget : limits; the defaults of `Budget` if None.
    given : items that are there from the start, each as its form's name and its values, in normal form. In the
        chart they are items like derived ones: they follow the hypotheses, in the order given.

    Raises
    ------
    BudgetExceeded : a limit was hit; the exception carries the partial chart.
    Interrupted : Ctrl-C; likewise.
    """
    run = PythonRun(kernel, sentence, grammar, budget or Budget(), given)
    run.drive()
    return run.chart()


class PythonRun:
    """A run of a Python kernel on one sentence, which may pause and go on."""

    def __init__(
        self,
        kernel: Kernel,
        sentence: Sentence,
        grammar: Any,
        budget: Budget,
        given: Iterable[tuple[str, tuple[m.Value, ...]]] = (),
    ) -> None:
        schema = kernel.schema
        self.kernel, self.sentence, self.grammar = kernel, sentence, grammar
        self.raw = RawChart(len(schema.forms), len(schema.cases))
        self.strides = [1 + len(c.antecedents) + 2 * len(c.links) for c in schema.cases]
        self.watch = Watch(budget, self.raw.logs, self.strides)
        self.reason: Reason | None = None
        self._given = given
        self._begun: tuple[_OfItem, ...] | None = None
        self._write: Mapping[int, _OfItem] = {}
        self._at = 0
        self._given_count = 0  # hypotheses and what is given

    @property
    def steps(self) -> int:
        """Step instances found so far."""
        return sum(self.raw.step_counts(self.strides))

    def drive(self, pause: int | None = None) -> bool:
        """Take items from the agenda in the order they were found until none is left, or a limit is hit.

        Parameters
        ----------
        pause : step instances after which to come back, the run unfinished.

        Returns
        -------
        Whether the run is over.
        """
        try:
            with collector_off(), Watchdog(self.watch.check):
                return self._drive(pause)
        except OverBudget as over:
            self.reason = over.reason
        except MemoryError:
            self.reason = "memory"
        except KeyboardInterrupt:
            self.reason = "interrupt"
        return True

    def _drive(self, pause: int | None) -> bool:
        if self._begun is None:
            self._begun = self._begin()
        take, form_of, check = self._begun, self.raw.form_of, self.watch.check
        values = self.raw.values
        x = self._at
        while x < len(values):
            if not x % _CHECK_EVERY:
                steps = check()
                if pause is not None and steps > pause:
                    self._at = x
                    return False
            take[form_of[x]](x)
            x += 1
        self._at = x
        check()
        return True

    def _begin(self) -> tuple[_OfItem, ...]:
        """Enter the hypotheses and what is given, and apply the steps without antecedents."""
        raw = self.raw
        n = last_position(self.sentence, self.grammar)
        start, take, self._write = self.kernel.begin(n, self.grammar, raw, self.watch.overflow)
        forms = {form.name: k for k, form in enumerate(self.kernel.schema.forms)}
        for name, values in self._given:
            form = forms[name]
            if values not in raw.ids[form]:
                raw.ids[form][values] = len(raw.values)
                raw.values.append(values)
                raw.form_of.append(form)
        self._given_count = len(raw.values)
        start()
        return take

    def chart(self) -> Chart:
        """Return the chart of a run that is over.

        Raises
        ------
        BudgetExceeded, Interrupted : it was stopped; the exception carries the partial chart.
        """
        seconds = self.watch.seconds
        if self.reason is not None:
            self.raw.drop_unfinished(self.strides, self._given_count)
        finals = self._final_items()
        found = Chart(self.kernel.schema, self.sentence, self.grammar, self.raw, finals, seconds, self.reason)
        return outcome(found, self.watch.budget, self.reason, self.watch.overflown)

    def _final_items(self) -> frozenset[int]:
        """Return the final items; those found in a moment, where the run was stopped or is stopped by this."""
        finals: set[int] = set()
        n = last_position(self.sentence, self.grammar)
        stopped = time.perf_counter()

        def check() -> None:
            if self.reason is None:
                self.watch.check()
            elif time.perf_counter() - stopped > _PATIENCE:
                raise OverBudget("seconds")

        if self.reason is not None:
            with suppress(OverBudget, MemoryError, KeyboardInterrupt), Watchdog(check):
                self._note_writings()
            stopped = time.perf_counter()
        reason: Reason | None = None
        try:
            with Watchdog(check):
                self.kernel.final_items(n, self.grammar, self.raw, finals)
        except OverBudget as over:
            reason = over.reason
        except MemoryError:
            reason = "memory"
        except KeyboardInterrupt:
            reason = "interrupt"
        self.reason = self.reason or reason
        return frozenset(finals)

    def _note_writings(self) -> None:
        """Note the writings of items that were derived and not taken from the agenda any more."""
        for x, (form, values) in enumerate(zip(self.raw.form_of, self.raw.values, strict=False)):
            if form in self._write and values not in self.raw.writings[form]:
                self._write[form](x)


def outcome(chart: Chart, budget: Budget, reason: Reason | None, overflown: str | None = None) -> Chart:
    """Return a chart, or raise what stopped its run.

    Parameters
    ----------
    chart : what was derived.
    budget : the limits of the run.
    reason : what stopped it, None where it came to its end.
    overflown : which value grew without end, where one did.

    Raises
    ------
    BudgetExceeded, Interrupted : the exception carries the chart.
    """
    if reason is None:
        return chart
    done = f"after {chart.step_count:,} step instances and {chart.seconds:.1f} s"
    if reason == "interrupt":
        raise Interrupted(reason, chart, f"interrupted {done}")
    limit_of_steps = budget.steps if chart.engine == "python" else budget.native_steps
    limit = {
        "steps": f"the budget of {limit_of_steps:,} step instances",
        "seconds": f"the budget of {budget.seconds:g} seconds",
        "memory": f"the budget of {budget.memory / 2**20:,.0f} MiB of memory",
    }[reason]
    hint = None
    if overflown:
        limit, hint = f"a limit: {overflown}", "some step makes its values grow without end"
    raise BudgetExceeded(reason, chart, f"schema {chart.schema.name} hit {limit}, {done}", hint)
