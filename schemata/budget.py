"""What may be chosen for a run: its engine, its back-pointers, and its budget.

A budget is the limits of a run; exceptions hand over the partial chart of a run at a limit.
"""

from __future__ import annotations

import math
import os
import sys
import time
from typing import TYPE_CHECKING, Any, Literal, get_args

from schemata.errors import BudgetError, Diagnostic
from schemata.records import Record, field, replace
from schemata.wording import quantity

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

EngineName = Literal["auto", "python", "native"]
BackPointers = Literal["implicit", "compact", "explicit"]
ENGINES: tuple[str, ...] = get_args(EngineName)
BACK_POINTERS: tuple[str, ...] = get_args(BackPointers)
Reason = Literal["steps", "seconds", "memory", "interrupt"]


def _default_memory() -> int:
    """Half of the machine's memory, at most 8 GiB; 2 GiB where the system does not tell."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 2 << 30
    return min(total // 2, 8 << 30)


_STEPS = 50_000_000  # of a run that keeps all its back-pointers: several GB
_NATIVE_STEPS = 20_000_000_000  # of one that keeps none: seconds to minutes


class Budget(Record):
    """Limits of one run: step instances, seconds of wall time, bytes of memory of the process.

    Native runs keep no back-pointers; unless `steps` is set, they may find 400 times as many instances. `end` is when
    all must be over, by `time.monotonic`: many runs may share it, as all that one command does.
    """

    steps: int = _STEPS
    seconds: float = 600.0
    memory: int = field(default_factory=_default_memory)
    end: float = math.inf

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the end by the clock of the day: another machine has another monotonic clock."""
        return _ending, (self.steps, self.seconds, self.memory, self.end + time.time() - time.monotonic())

    @property
    def native_steps(self) -> int:
        """The limit of step instances of a native run."""
        return _NATIVE_STEPS if self.steps == _STEPS else self.steps

    def left(self, started: float) -> float:
        """Return the seconds left of what began at `started`, by `time.perf_counter`."""
        return min(self.seconds - (time.perf_counter() - started), self.end - time.monotonic())

    def part(self, share: float) -> Budget:
        """Return a budget that ends after a share, 0 to 1, of the time to this one's end; the same if it has none."""
        if self.end == math.inf:
            return self
        left = max(0.0, share * (self.end - time.monotonic()))
        return replace(self, seconds=min(self.seconds, round(left, 2)), end=time.monotonic() + left)

    def check(self, started: float) -> None:
        """Raise `OverBudget` where no seconds are left of what began at `started`, or the memory is used up."""
        if self.left(started) < 0:
            raise OverBudget("seconds")
        if resident_bytes() > self.memory:
            raise OverBudget("memory")

    def named(self, reason: Reason) -> str:
        """Return a limit in words."""
        return {
            "steps": f"the budget of {self.steps:,} step instances",
            "seconds": f"the budget of {quantity(self.seconds, 'second')}",
            "memory": f"the budget of {self.memory / 2**20:,.0f} MiB of memory",
            "interrupt": "Ctrl-C",
        }[reason]

    def hit(self, reason: Reason, when: str = "") -> Diagnostic:
        """Return what to say where a limit was hit, or Ctrl-C pressed."""
        if reason == "interrupt":
            return Diagnostic("interrupt", f"interrupted{when}")
        return Diagnostic(f"budget-{reason}", f"hit {self.named(reason)}{when}", hint=_HINTS[reason])


def _ending(steps: int, seconds: float, memory: int, end: float) -> Budget:
    return Budget(steps, seconds, memory, end - time.time() + time.monotonic())


class BudgetExceeded(BudgetError):  # noqa: N818 - it says what happened, not that something is wrong
    """A run hit its budget. `chart` holds what was derived until then, `reason` which limit was hit."""

    def __init__(self, reason: Reason, chart: Chart, message: str, hint: str | None = None) -> None:
        self.reason = reason
        self.chart = chart
        super().__init__(Diagnostic(f"budget-{reason}", message, hint=hint or _HINTS[reason]))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the exception was made of."""
        (found,) = self.diagnostics
        return type(self), (self.reason, self.chart, found.message, found.hint)


class Interrupted(BudgetExceeded):
    """A run was interrupted by Ctrl-C. `chart` holds what was derived until then."""


_HINTS = {
    "steps": "raise it with --max-steps, or try a shorter sentence",
    "seconds": "raise it with --max-seconds, or try a shorter sentence",
    "memory": "raise it with --max-memory, or try a shorter sentence",
    "interrupt": "what was derived until then is kept",
}


class OverBudget(Exception):  # noqa: N818 - internal signal from a kernel to its driver
    """Raised inside a run when a limit is hit."""

    def __init__(self, reason: Reason) -> None:
        self.reason: Reason = reason


def resident_bytes() -> int:
    """Return the bytes of memory the process occupies now (its peak where the system does not tell)."""
    try:
        # A third of what `open` takes, and nothing to warn of.
        file = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) * os.sysconf("SC_PAGE_SIZE")
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError, AttributeError):
        pass
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
