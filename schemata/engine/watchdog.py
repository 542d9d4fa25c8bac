"""Ends runs in Python that are past a limit but do not come to look: cutting one long list may take minutes.

A kernel looks at its budget every few items. What happens in between has no bound: a list of ten thousand
elements can be cut in millions of ways. One thread of the process looks at the runs that go on, a few times a
second; a run that is still over a limit at the second look gets `OverBudget` raised within it, as Ctrl-C
raises `KeyboardInterrupt`. Other implementations than CPython know no such thing; there, kernels look alone.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final

from schemata.budget import OverBudget, Reason

__all__ = ["Watchdog"]

_PAUSE: Final = 0.1  # seconds between two looks


class _OverSteps(OverBudget):
    def __init__(self) -> None:
        super().__init__("steps")


class _OverSeconds(OverBudget):
    def __init__(self) -> None:
        super().__init__("seconds")


class _OverMemory(OverBudget):
    def __init__(self) -> None:
        super().__init__("memory")


_RAISED: Final[dict[Reason, type[OverBudget]]] = {
    "steps": _OverSteps,
    "seconds": _OverSeconds,
    "memory": _OverMemory,
}


class Watchdog:
    """A context in which `OverBudget` may be raised anywhere.

    Parameters
    ----------
    check : looks at the budget, from another thread; raises `OverBudget` where a limit is passed.
    """

    def __init__(self, check: Callable[[], object]) -> None:
        self.check = check
        self.thread = threading.get_ident()
        self.reason: Reason | None = None  # the limit that was passed at the last look
        self.raised = False

    def __enter__(self) -> Watchdog:
        _keeper.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        over: OverBudget | None = None
        while True:
            try:
                _keeper.remove(self)
                break
            except OverBudget as late:
                over = late
        if over is not None and error is None:
            raise over

    def look(self) -> None:
        """Look at the budget; called by the keeper, which holds its lock."""
        try:
            self.check()
        except OverBudget as over:
            if self.reason == over.reason and not self.raised:
                self.raised = _raise_in(self.thread, _RAISED[over.reason])
            self.reason = over.reason
        else:
            self.reason = None


class _Keeper:
    """The thread that looks at all runs that go on; it sleeps while there are none."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Know of no run, and have no thread: so in a new process, also in a forked one."""
        self.lock = threading.Lock()
        self.watching: list[Watchdog] = []
        self.wanted = threading.Event()
        self.thread: threading.Thread | None = None

    def add(self, run: Watchdog) -> None:
        if self.thread is None:
            self.thread = threading.Thread(target=self.work, name="budget", daemon=True)
            self.thread.start()
        with self.lock:
            self.watching.append(run)
        self.wanted.set()

    def remove(self, run: Watchdog) -> None:
        with self.lock:
            if run in self.watching:
                self.watching.remove(run)
            if run.raised:
                _raise_in(run.thread, None)  # not met yet, it would come later, anywhere

    def work(self) -> None:
        while True:
            self.wanted.wait()
            time.sleep(_PAUSE)
            with self.lock:
                if not self.watching:
                    self.wanted.clear()
                for run in self.watching:
                    run.look()


def _raise_in(thread: int, error: type[OverBudget] | None) -> bool:
    """Raise an exception in a thread, or take back one that it has not met yet; tells whether that was possible."""
    import ctypes  # takes a few milliseconds, and is wanted by runs that take many

    api = getattr(ctypes, "pythonapi", None)
    if api is None or not hasattr(api, "PyThreadState_SetAsyncExc"):
        return False
    value = ctypes.py_object(error) if error is not None else None
    return bool(api.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), value) == 1)


_keeper = _Keeper()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keeper.begin)
