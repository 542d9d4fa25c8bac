"""The choice of an engine for a run: Python at first, native code for runs that take long.

A run begins in Python. When it has found so many step instances, or taken so long, that native code would have been
worth its start, it begins anew natively: soon if the kernel is in memory, later if its machine code lies on disk, later
still if it must be compiled. The costs of runs are learned (`costs.py`): a run begins natively if that costs less for
sentences of its length, and native code is started once it would have saved as much time as its start takes. Counts
over many sentences begin with charts, too, and go over to native tables that all sentences share.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from schemata.budget import (
    BACK_POINTERS,
    ENGINES,
    BackPointers,
    Budget,
    EngineName,
    OverBudget,
    resident_bytes,
)
from schemata.charts import Account, Counts
from schemata.engine.costs import RunTimes
from schemata.engine.run import Kernel, PythonRun
from schemata.errors import Diagnostic, UsageError
from schemata.kinds import D_RULES
from schemata.language import model as m
from schemata.quick_start import interrupts_put_off
from schemata.records import Record
from schemata.structures import Sentence
from schemata.thresholds import WAYS

if TYPE_CHECKING:
    from schemata.engine.chart import Chart
    from schemata.engine.native import NativeEngine
    from schemata.ordered.run import BatchCounter


class Worth(Record):
    """The work after which native code is worth its start: if it is on disk, and if it is not made yet.

    Seconds count as well as step instances: those of schemata with normal forms take longer.
    """

    on_disk: int
    not_made: int
    on_disk_seconds: float = math.inf
    not_made_seconds: float = math.inf

    @classmethod
    def of_one(cls) -> Worth:
        """Return the work of one run."""
        return cls(WAYS.on_disk_steps, WAYS.not_made_steps, WAYS.on_disk_seconds, WAYS.not_made_seconds)

    @classmethod
    def of_loop(cls) -> Worth:
        """Return the work of runs one by one, of which more are likely to follow; seconds are those that were lost."""
        lost = WAYS.lost_seconds_with_numpy if "numpy" in sys.modules else WAYS.lost_seconds
        return cls(WAYS.on_disk_steps, WAYS.not_made_steps, lost, WAYS.not_made_seconds)

    @classmethod
    def of_many(cls) -> Worth:
        """Return the work of many runs together."""
        return cls(WAYS.many_on_disk_steps, WAYS.many_not_made_steps)


@dataclass(slots=True)
class _Memory:
    """How many step instances earlier sentences had, by length, and how many all runs in Python had together."""

    steps: dict[int, int] = field(default_factory=dict)
    spent_steps: int = 0
    costs: dict[type, RunTimes] = field(default_factory=dict)  # by the kind of grammar

    def note(self, n: int, steps: int) -> None:
        self.steps[n] = max(steps, self.steps.get(n, 0))

    def promise(self, n: int) -> float:
        """Estimate the step instances for n words, by cubic growth, from the longest sentence that was not longer."""
        known = max((k for k in self.steps if k <= n), default=None)
        return 0.0 if known is None else self.steps[known] * (n / known) ** 3


class Engines:
    """The engines of one schema.

    Parameters
    ----------
    schema : the checked schema.
    python : returns its Python kernel.
    """

    def __init__(self, schema: m.Schema, python: Callable[[], Kernel]) -> None:
        self.schema = schema
        self.python = python
        self._memory = _Memory()
        self._native: NativeEngine | None = None
        self._refused: Diagnostic | None = None
        self.counter: BatchCounter | None = None  # what counts over many sentences, once that was worth it

    def run(
        self,
        sentence: Sentence,
        grammar: Any,
        budget: Budget | None = None,
        engine: EngineName = "auto",
        back_pointers: BackPointers = "implicit",
    ) -> Chart:
        """Derive everything the schema derives for a sentence under a sentence grammar.

        Parameters
        ----------
        sentence : n >= 1 words.
        grammar : the grammar of this sentence, of the schema's kind.
        budget : limits; the defaults of `Budget` if None.
        engine : which engine; `auto` takes Python for short runs and native code for long ones.
        back_pointers : how a native run keeps step instances: `implicit` enumerates them when they are asked
            for; `compact` and `explicit` do so at once.

        Raises
        ------
        UsageError : there is no such engine, or native code cannot run this schema.
        BudgetExceeded, Interrupted : a limit was hit; the exception carries the partial chart.
        """
        if engine not in ENGINES:
            raise UsageError(f"no engine {engine!r}", code="bad-option", expected=" or ".join(ENGINES))
        if back_pointers not in BACK_POINTERS:
            expected = " or ".join(BACK_POINTERS)
            raise UsageError(f"no back-pointers {back_pointers!r}", code="bad-option", expected=expected)
        budget = Budget().unless(budget)
        run = PythonRun(self.python(), sentence, grammar, budget)
        found: Chart | None = None
        try:
            if engine == "native":
                found = self._run_native(run, back_pointers)
            elif engine == "auto":
                found = self._run_auto(run, back_pointers)
            else:
                run.drive()
        except KeyboardInterrupt:  # between the engines
            run.reason = "interrupt"
        except OverBudget as over:
            run.reason = over.reason
        return run.chart() if found is None else found

    def expect_many(self) -> None:
        """Take native code as soon as a run is not short, if it is on disk: many runs are to follow."""
        self._memory.spent_steps += WAYS.on_disk_steps

    def _run_native(self, run: PythonRun, back_pointers: BackPointers) -> Chart:
        native = self._native or run.within(lambda: self.native)
        if native is None:
            assert self._refused is not None
            raise UsageError(self._refused)
        return native.run(run.kernel, run.sentence, run.grammar, run.budget, back_pointers, before=run)

    def _run_auto(self, run: PythonRun, back_pointers: BackPointers) -> Chart | None:
        """Run in Python until native code is worth it; returns the native chart if it came to that."""
        n, memory, started = len(run.sentence), self._memory, time.process_time()
        costs = memory.costs.setdefault(type(run.grammar), RunTimes())
        is_first = not costs.counted
        account = Account()

        def is_worth(
            worth: Worth, steps: int, seconds: float
        ) -> bool:  # the kernel is written, an order looked up
            if self.is_started:
                return True
            steps += memory.spent_steps
            return run.within(lambda: self.is_worth(worth, steps, seconds, run.seconds_left))

        began, pause = self.is_started, WAYS.in_memory_steps
        better = costs.is_better_natively(n) if began else None
        if better is None:
            better = memory.promise(n) >= pause and is_worth(Worth.of_one(), 0, 0.0)
            lost = 0.0 if better or began else costs.lost_seconds(n)
            better = better or (lost > 0 and is_worth(Worth.of_loop(), -memory.spent_steps, lost))
        elif not better:
            pause = max(pause, 4 * memory.steps.get(n, 0))
        if not better:
            run.account = account
            while not run.drive(pause=pause):
                if is_worth(
                    Worth.of_one(), run.steps, 0.0 if n <= WAYS.untimed_words else run.seconds_within
                ):
                    break
                pause = 2 * pause + 1
            else:
                memory.note(n, run.steps)
                memory.spent_steps += run.steps
                account.seconds = run.seconds_within if is_first else time.process_time() - started
                costs.note("python", n, account)
                return None
        if self.native is None:
            run.drive()
            return None
        chart = self._run_native(run, back_pointers)
        memory.note(n, chart.step_count)
        if began and better:
            account.seconds = time.process_time() - started
            costs.note("native", n, account)
            chart.account = account
        return chart

    @property
    def is_started(self) -> bool:
        """Whether a native run would begin at once."""
        return self._native is not None and self._native.in_memory

    def is_worth(self, worth: Worth, steps: int, seconds: float = 0.0, left: float = math.inf) -> bool:
        """Whether native code is worth its start after so many step instances, and seconds, in Python.

        With few seconds left of a run's budget it is not: they would pass with the start.
        """
        if left < WAYS.left_seconds or (steps < worth.on_disk and seconds < worth.on_disk_seconds):
            return False
        if self.native is None:
            if self._refused is not None and self._refused.code == "no-native":
                _say_once()
            return False
        if left >= WAYS.left_seconds_to_make and (
            steps >= worth.not_made or seconds >= worth.not_made_seconds
        ):
            return True
        return self.native.in_memory or self.native.on_disk

    @property
    def native(self) -> NativeEngine | None:
        """The native engine, None if this schema or this installation has no native engine."""
        if self._native is None and self._refused is None:
            self._native, self._refused = self._look()
        return self._native

    def _look(self) -> tuple[NativeEngine | None, Diagnostic | None]:
        if _missing():
            return None, Diagnostic(
                "no-native",
                f"native code needs {' and '.join(_missing())}, which this Python does not have",
                hint=f"install with: pip install {' '.join(_missing())}",
            )
        with interrupts_put_off():
            from schemata.engine.native import NativeEngine

        return NativeEngine(self.python()), None


@cache
def _missing() -> tuple[str, ...]:
    """Return the libraries that native code needs and that are not installed."""
    return tuple(name for name in ("numpy", "llvmlite") if find_spec(name) is None)


@cache
def _say_once() -> None:
    print(
        f"note: {' and '.join(_missing())} not found: long runs stay in Python and take longer",
        file=sys.stderr,
    )


def count_each(
    engines: Engines, sentences: Iterable[tuple[Sentence, Any]], budget: Budget
) -> Iterator[Counts]:
    """Yield the counts of every sentence.

    Parameters
    ----------
    engines : those of the schema.
    sentences : each with its sentence grammar.
    budget : limits of every single run.

    Raises
    ------
    BudgetExceeded, Interrupted : as a run does.
    """
    counter, looked = engines.counter, engines.counter is not None
    steps = 0
    for sentence, provided in sentences:
        if not looked and engines.is_worth(Worth.of_many(), steps):
            looked = True
            assert engines.native is not None
            counter = engines.counter = batch_counter(engines.native, provided)
        found = None
        if counter is not None:
            found = counter.count(provided, lambda: budget.memory - resident_bytes(), budget.native_steps)
        if found is None:
            chart = engines.run(sentence, provided, budget)
            found = Counts(len(sentence), chart.item_count, chart.step_count, bool(chart.accepted))
        steps += found.steps
        yield found


def batch_counter(native: NativeEngine, provided: Any) -> BatchCounter | None:
    """Return the native counter; None if the schema or the installation has no native counting.

    Parameters
    ----------
    native : the schema's native engine.
    provided : the sentence grammar of any sentence.
    """
    if native.ordered is None or native.program.schema.grammar != D_RULES:
        return None
    from schemata.engine.native import hypotheses_of
    from schemata.ordered.run import BatchCounter

    if not BatchCounter.can_count(native.ordered):
        return None
    return BatchCounter(native.ordered, lambda n: hypotheses_of(native.agenda, n, provided))
