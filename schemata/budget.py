"""The choices for a run: its engine, its back-pointers, and its budget.

A budget is the limits of a run; exceptions hand over the partial chart of a run at a limit.

A kernel checks its budget every few items. The work in between has no bound: a list of ten thousand elements can
be cut in millions of ways. A thread of the process checks the current runs a few times a second; a run that is
still over a limit at the second check gets `OverBudget` raised within it, as Ctrl-C raises `KeyboardInterrupt`.
Implementations other than CPython cannot do this, nor can systems without threads; there, only kernels check.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args

from schemata.errors import Diagnostic, UsageError, guided
from schemata.records import Record, field, replace
from schemata.thresholds import EFFORTS, WAYS
from schemata.wording import quantity

T = TypeVar("T")
EngineName = Literal["auto", "python", "native"]
BackPointers = Literal["implicit", "compact", "explicit"]
ENGINES: tuple[str, ...] = get_args(EngineName)
BACK_POINTERS: tuple[str, ...] = get_args(BackPointers)
Reason = Literal["steps", "seconds", "memory", "interrupt"]


def _default_memory() -> int:
    """Half of the machine's memory, but at most a threshold; another threshold if the system does not
    report it.
    """
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        library = _psutil()
        if library is None:
            return EFFORTS.unknown_memory
        total = library.virtual_memory().total
    return int(min(total // 2, EFFORTS.run_memory))


@cache
def _psutil() -> Any:
    """Return psutil, for systems without /proc; None if it is not installed, as in browsers."""
    try:
        import psutil
    except ImportError:
        return None
    return psutil


@cache
def _own_process(number: int) -> Any:
    """Return a process, by its number, as a value of psutil; None without that library."""
    library = _psutil()
    return None if library is None else library.Process(number)


class Budget(Record):
    """Limits of one run: step instances, seconds of wall time, bytes of memory of the process.

    Native runs keep no back-pointers; unless `steps` is set, they may find 400 times as many instances. `end` is the
    latest end, by `time.monotonic`: many runs may share it, as all runs of one command do.
    """

    steps: int = field(default_factory=lambda: EFFORTS.run_steps)
    seconds: float = field(default_factory=lambda: EFFORTS.run_seconds)
    memory: int = field(default_factory=_default_memory)
    end: float = math.inf

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the end by the clock of the day: another machine has another monotonic clock."""
        return _ending, (self.steps, self.seconds, self.memory, self.end + time.time() - time.monotonic())

    def unless(self, given: Budget | None) -> Budget:
        """Return the given limits, or these if none are given.

        Raises
        ------
        UsageError : the argument is not a budget.
        """
        if not isinstance(given, Budget | None):
            raise UsageError(f"{given!r} is not a budget", expected="such as Budget(steps=1000, seconds=10)")
        return given or self

    @property
    def native_steps(self) -> int:
        """The limit of step instances of a native run."""
        return EFFORTS.native_steps if self.steps == EFFORTS.run_steps else self.steps

    def left(self, started: float) -> float:
        """Return the seconds left of work begun at `started`, by `time.perf_counter`."""
        return min(self.seconds - (time.perf_counter() - started), self.end - time.monotonic())

    def part(self, share: float) -> Budget:
        """Return a budget for a share (0 to 1) of the time that this one has left; the same budget if it has no end."""
        if self.end == math.inf:
            return self
        left = max(0.0, share * (self.end - time.monotonic()))
        return replace(self, seconds=min(self.seconds, round(left, 2)), end=time.monotonic() + left)

    def check(self, started: float) -> None:
        """Raise `OverBudget` if no seconds are left of work begun at `started`, or the memory is used up."""
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
        """Return the message for a limit that was hit, or for Ctrl-C."""
        if reason == "interrupt":
            return Diagnostic("interrupt", f"interrupted{when}")
        return Diagnostic(f"budget-{reason}", f"hit {self.named(reason)}{when}", hint=HINTS[reason])


if not TYPE_CHECKING:
    Budget.__init__ = guided()(Budget.__init__)


def _ending(steps: int, seconds: float, memory: int, end: float) -> Budget:
    return Budget(steps, seconds, memory, end - time.time() + time.monotonic())


HINTS = {
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
    """Return the bytes of memory that the process occupies; 0 if the system does not report it, as in
    browsers.
    """
    try:
        # A third of what `open` takes, and nothing to warn of.
        file = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) * os.sysconf("SC_PAGE_SIZE")
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError, AttributeError):
        pass
    own = _own_process(os.getpid())
    return 0 if own is None else int(own.memory_info().rss)


# Runs that exceed a limit between two checks -----------------------------------------------------------------

_THREADLESS: Final = ("emscripten", "wasi")  # systems where no thread may ever start
_unraisable = sys.unraisablehook  # the hook that stands when a run begins


def _over(reason: Reason) -> type[OverBudget]:
    """Return an exception class without arguments: an exception raised in another thread is given none."""

    class Over(OverBudget):
        def __init__(self) -> None:
            super().__init__(reason)

    return Over


_RAISED: Final = {reason: _over(reason) for reason in get_args(Reason)}


def _report_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Report an exception that a destructor or a callback of the collector swallowed.

    A limit is raised again in its run, and Ctrl-C repeated, but later: here it would be swallowed once more.
    """
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _keeper.swallowed = True
    elif not isinstance(unraisable.exc_value, OverBudget):
        _unraisable(unraisable)


def _drop_swallowed_limits(drop: bool) -> None:
    """Ignore limits that a destructor swallows, or restore the hook that reports them."""
    global _unraisable
    if drop and sys.unraisablehook is not _report_unraisable:
        _unraisable, sys.unraisablehook = sys.unraisablehook, _report_unraisable
    elif not drop and sys.unraisablehook is _report_unraisable:
        sys.unraisablehook = _unraisable


def guarded(check: Callable[[], object], work: Callable[[], T], memory: float = math.inf) -> T:
    """Return the result of some work; `OverBudget` may be raised anywhere within it, and never once it is
    over.

    The exception may be sent just as the work ends. It is then caught or withdrawn on the way out, and the result of
    the finished work stands.

    Parameters
    ----------
    check : checks the budget, from another thread; raises `OverBudget` if a limit is exceeded.
    work : the work.
    memory : the bytes that the process may have, for `make_room`.
    """
    run = _Run(check, threading.get_ident(), memory)
    interrupt: KeyboardInterrupt | None = None
    try:
        _keeper.add(run)
        return work()
    except Exception as error:
        if reason := _keeper.told(run.thread):
            from ctypes import ArgumentError  # raised in place of whatever goes wrong with an argument

            if isinstance(error, ArgumentError):
                raise OverBudget(reason) from None
        raise
    finally:
        left = False
        while not left:  # without a call between the work and the inner `try`, nothing is raised there
            try:
                while not left:  # where this goes back, what is on the way is raised as well
                    try:
                        _keeper.remove(run)
                        left = True
                    except (OverBudget, MemoryError):
                        pass
                    except KeyboardInterrupt as pressed:
                        interrupt = pressed
            except OverBudget:
                pass
        if interrupt is not None:
            raise interrupt
        if _keeper.swallowed and threading.current_thread() is threading.main_thread():
            _keeper.swallowed = False
            raise KeyboardInterrupt


def make_room(size: int) -> None:
    """Check that the current work may take so many more bytes, before it takes them at once.

    Raises
    ------
    OverBudget : it may not.
    """
    runs = [run.memory for run in _keeper.watching if run.thread == threading.get_ident()]
    if runs and resident_bytes() + size > min(runs):
        raise OverBudget("memory")


def within(budget: Budget, started: float, work: Callable[[], T]) -> T:
    """Return the result of some work, within the rest of a budget.

    Parameters
    ----------
    budget : its seconds, its end and its memory are respected.
    started : when its seconds began, by `time.perf_counter`.
    work : the work, in Python.

    Raises
    ------
    OverBudget : a limit was hit; the results of the work are lost.
    """
    try:
        if budget.left(started) < 0:
            raise OverBudget("seconds")
        return guarded(lambda: budget.check(started), work, budget.memory)
    except MemoryError:
        raise OverBudget("memory") from None


@dataclass(slots=True, eq=False)
class _Run:
    """Work in progress in a thread: the limit exceeded at the last check, and whether the thread was
    notified.

    The two threads share no lock: one that is held when the exception arrives would be held for ever. The keeper
    announces that it will notify the run, then checks whether the run is leaving. The run announces that it leaves,
    then waits until the exception has arrived or none is pending.
    """

    check: Callable[[], object]
    thread: int
    memory: float
    reason: Reason | None = None
    raised: bool = False
    telling: bool = False
    leaving: bool = False
    looks: int = 0  # since it was told

    def look(self) -> None:
        """Check the budget."""
        try:
            self.check()
        except OverBudget as over:
            self.looks = self.looks + 1 if self.raised else 0
            if self.reason == over.reason and (not self.raised or self.looks >= WAYS.watch_again):
                self.looks, self.telling = 0, True
                if not self.leaving and not _opens_file(self.thread):
                    self.raised = _raise_in(self.thread, _RAISED[over.reason])
                self.telling = False
            self.reason = over.reason
        else:
            self.reason = None


class _Keeper:
    """The thread that checks all current runs; it sleeps if there are none."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin without runs and without a thread: so in each new process, also in a forked one."""
        self.watching: list[_Run] = []
        self.swallowed = False  # Ctrl-C, by a destructor
        self.asleep = threading.Lock()
        self.thread: threading.Thread | None = None

    def add(self, run: _Run) -> None:
        self.watching.append(run)
        _drop_swallowed_limits(True)
        if self.thread is None:
            thread = threading.Thread(target=self.work, name="budget", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                if sys.platform not in _THREADLESS:
                    raise
                return  # kernels check by themselves
            self.thread = thread
        with contextlib.suppress(RuntimeError):  # it is awake
            self.asleep.release()

    def told(self, thread: int) -> Reason | None:
        """Return the limit last raised in a thread, unless that was withdrawn."""
        return next((run.reason for run in self.watching if run.thread == thread and run.raised), None)

    def remove(self, run: _Run) -> None:
        """Stop checking a run; a pending exception is withdrawn."""
        run.leaving = True
        mine = [other for other in self.watching if other.thread == run.thread]
        while any(other.telling for other in mine):
            time.sleep(0)
        if run.raised:
            _take_back(run.thread)
        for outer in mine:  # what these were told may have been met in this one, or taken back
            outer.raised = False
        if run in self.watching:
            self.watching.remove(run)
        _drop_swallowed_limits(bool(self.watching))

    def work(self) -> None:
        while True:
            self.asleep.acquire()
            while self.watching:
                time.sleep(WAYS.watch_seconds)
                if self.swallowed:
                    import _thread

                    self.swallowed = False
                    _thread.interrupt_main()
                for run in tuple(self.watching):
                    run.look()


def _opens_file(thread: int) -> bool:
    """Whether a thread is about to open a file, which would stay open if an exception were raised at that
    moment.
    """
    frame = sys._current_frames().get(thread)
    return frame is not None and frame.f_code is Path.open.__code__


def _raise_in(thread: int, error: type[OverBudget] | None) -> bool:
    """Raise an exception in a thread, or withdraw a pending one; returns whether that was possible."""
    import ctypes  # takes a few milliseconds, and is wanted by runs that take many

    api = getattr(ctypes, "pythonapi", None)
    if api is None or not hasattr(api, "PyThreadState_SetAsyncExc"):
        return False
    value = ctypes.py_object(error) if error is not None else None
    return bool(api.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), value) == 1)


class _TakenBack(OverBudget):
    """Replaces an exception that was withdrawn before it arrived."""

    def __init__(self) -> None:
        super().__init__("interrupt")


def _take_back(thread: int) -> None:
    """Withdraw the exception that was raised in the current thread, if it has not arrived yet.  CPython 3.11 and 3.12
    remember that an exception is pending until one arrives. Meanwhile 3.11 makes no further step under a profiler or a
    debugger. So another exception replaces the pending one, and arrives here.
    """
    if sys.version_info >= (3, 13) or thread != threading.get_ident():
        _raise_in(thread, None)
        return
    try:
        _raise_in(thread, _TakenBack)
        for _ in range(3):  # it is met where this goes back, if not before
            pass
    except OverBudget:
        pass


_keeper = _Keeper()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keeper.begin)
