"""Workers: cases spread over processes, within limits; outcomes come in the order of the cases."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Protocol, TypeVar

from schemata.budget import Budget, BudgetExceeded, Interrupted, OverBudget, resident_bytes
from schemata.engine.watchdog import guarded
from schemata.errors import BudgetError

T = TypeVar("T")

RUN_BUDGET = Budget(steps=5_000_000, seconds=60.0)
"""The limits of one run of a verification."""

_CHUNK = 16  # cases handed to a process at a time
_AHEAD = 4  # chunks handed out ahead per process


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a verification.

    Parameters
    ----------
    budget : of a single run; its memory is that of the process all the time.
    unions : the unions of sets of links that the structures of one chart may take.
    end : when all must end, on the monotonic clock, which is one for all processes.
    """

    budget: Budget
    unions: int
    end: float

    @classmethod
    def of(cls, budget: Budget | None, unions: int, seconds: float | None) -> Limits:
        """Return limits that end so many seconds from now."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        return cls(budget or RUN_BUDGET, unions, end)

    @property
    def of_run(self) -> Budget:
        """The limits of a run that begins now."""
        left = max(self.end - time.monotonic(), 0.0)
        return replace(self.budget, seconds=min(self.budget.seconds, left))

    def check(self) -> None:
        """Raise `OverBudget` where the time is over, or there is too little memory to go on."""
        if time.monotonic() > self.end:
            raise OverBudget("seconds")
        if resident_bytes() > self.budget.memory:
            raise OverBudget("memory")

    def guard(self, work: Callable[[], T]) -> T:
        """Return what the work returns; `OverBudget` is raised wherever in it a limit is hit."""
        return guarded(self.check, work)


class Subject(Protocol):
    """A schema under test, ready to run in this process."""

    limits: Limits

    def examine(self, case: Any) -> Any:
        """Run the schema in a case and return the outcome."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """A case that hit a limit: "steps", "seconds", "memory" or "structures"."""

    case: Any
    stopped: str


def examine(subject: Subject, case: Any) -> Any:
    """Return the outcome of a case, `Undecided` where a limit was hit.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C was pressed.
    """
    try:
        subject.limits.check()
        return subject.examine(case)
    except Interrupted:
        raise KeyboardInterrupt from None
    except (BudgetExceeded, OverBudget) as over:
        return Undecided(case, over.reason)
    except BudgetError:
        return Undecided(case, "structures")


class Crew:
    """Those who do the work: this process (one job) or several.

    Parameters
    ----------
    make : makes the subject of its arguments, in each process once.
    arguments : what it takes.
    jobs : the number of processes.
    """

    def __init__(self, make: Callable[..., Any], arguments: tuple[Any, ...], jobs: int) -> None:
        self.make, self.arguments, self.jobs = make, arguments, jobs
        self.pool: ProcessPoolExecutor | None = None
        self.abandoned = False
        self._others = frozenset(multiprocessing.active_children())

    @cached_property
    def subject(self) -> Any:
        """The schema under test in this process."""
        return self.make(*self.arguments)

    def outcomes(self, cases: Iterable[Any], chunk: int = _CHUNK) -> Iterator[Any]:
        """Yield the outcome of each case, in order; a process gets so many cases at a time.

        Raises
        ------
        BudgetError : a process died, most likely for want of memory.
        """
        rest = iter(cases)
        first = list(islice(rest, chunk + 1))
        rest = chain(first, rest)
        if self.pool is None or len(first) <= chunk:
            yield from (examine(self.subject, case) for case in rest)
            return
        waiting: deque[Future[list[Any]]] = deque()
        try:
            # Few chunks are handed out ahead, and none is ever cancelled: when the processes are stopped, a
            # cancelled one upsets the executor's own thread.
            while some := list(islice(rest, chunk)):
                waiting.append(self.pool.submit(_work, some))
                if len(waiting) >= _AHEAD * self.jobs:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        except BrokenProcessPool:
            raise BudgetError("a process of the verification died, perhaps for want of memory") from None

    def abandon(self) -> None:
        """Stop the cases under way: they may take minutes, and their outcomes are of no use any more."""
        if self.pool is None or self.abandoned:
            return
        self.abandoned = True
        for process in set(multiprocessing.active_children()) - self._others:
            process.terminate()
        self.pool.shutdown()


@contextlib.contextmanager
def crew(make: Callable[..., Any], arguments: tuple[Any, ...], jobs: int) -> Iterator[Crew]:
    """Yield a crew; on the way out no process is left behind."""
    workers = Crew(make, arguments, jobs)
    if jobs > 1:
        workers.pool = ProcessPoolExecutor(jobs, initializer=_begin, initargs=(make, arguments))
        with deaf():
            workers.pool.submit(int).result()
    try:
        yield workers
    except BaseException:
        workers.abandon()
        raise
    if workers.pool is not None and not workers.abandoned:
        workers.pool.shutdown()


@contextlib.contextmanager
def deaf() -> Iterator[None]:
    """Ignore Ctrl-C for a moment: processes begun meanwhile ignore it from their first instruction on."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what is done with signals
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_OWN: list[Crew] = []  # what this process works on, where it is one of several


def _begin(make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Prepare a worker: Ctrl-C is for the process that gave out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _OWN[:] = [Crew(make, arguments, 1)]


def _work(cases: list[Any]) -> list[Any]:
    subject = _OWN[0].subject
    outcomes: list[Any] = []
    with contextlib.suppress(OverBudget):
        subject.limits.guard(lambda: outcomes.extend(examine(subject, case) for case in cases))
    return outcomes + [Undecided(case, "seconds") for case in cases[len(outcomes) :]]
