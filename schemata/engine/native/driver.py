"""Runs native kernels: slices of work between which the budget is looked at and Ctrl-C is heard."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from schemata.engine.budget import Budget, OverBudget, Reason, resident_bytes

if TYPE_CHECKING:
    from schemata.engine.native.store import NativeRun, Store

__all__ = ["drive"]

_SLICE = 0.05  # seconds that a kernel works before it returns
_FIRST = 20_000  # units of work in the first slice


def drive(run: NativeRun, budget: Budget, started: float) -> tuple[Store, Reason | None]:
    """Drive a run to its end or to a limit; returns the chart and what stopped it.

    Parameters
    ----------
    run : nothing derived yet.
    budget : limits of the run.
    started : when the run began, by `time.perf_counter`.

    Raises
    ------
    OutsideTables : the kernel's tables do not fit the run; nothing is lost but time.
    """
    reason: Reason | None = None
    try:
        work = _FIRST
        while True:
            left = budget.memory - resident_bytes()
            if left < 0:
                raise OverBudget("memory")
            before = time.perf_counter()
            finished = run.advance(budget.native_steps, work, left)
            now = time.perf_counter()
            if run.steps > budget.native_steps:
                raise OverBudget("steps")
            if finished:
                break
            if now - started > budget.seconds:
                raise OverBudget("seconds")
            work = _next_slice(work, now - before)
    except OverBudget as over:
        reason = over.reason
    except MemoryError:
        reason = "memory"
    except KeyboardInterrupt:
        reason = "interrupt"
    return run.store(), reason


def _next_slice(work: int, seconds: float) -> int:
    """Return how much work takes about a slice's time, going by the last one."""
    factor = _SLICE / max(seconds, 1e-4)
    return int(max(1_000, min(work * min(max(factor, 0.1), 4.0), 1 << 30)))
