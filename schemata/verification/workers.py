"""Units of work spread over processes; results come in the order of the units, however many the jobs."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeAlias

from schemata.engine.budget import Budget
from schemata.engine.run import compile_kernel
from schemata.errors import BudgetError
from schemata.language import model as m
from schemata.verification.trees import Found, Subject, Unit, run_unit

Settings: TypeAlias = tuple[bool, Budget, int]
"""Whether trees are single-rooted, the budget of a run, and the unions spent on the structures of a chart."""

# The kernels compiled by this process, by the number of the schema among those under test.
_SUBJECTS: dict[int, Subject] = {}
_AHEAD = 4  # units handed out ahead per process
_TASK: list[tuple[Sequence[m.Schema], Settings]] = []


class Workers:
    """Runs units of the schemata given, in this process (one job) or in others."""

    def __init__(self, schemata: Sequence[m.Schema], settings: Settings, jobs: int) -> None:
        self.jobs = jobs
        self.schemata = schemata
        self.settings = settings
        self.pool: ProcessPoolExecutor | None = None
        self.abandoned = False
        self._others = frozenset(multiprocessing.active_children())
        self._subjects: dict[int, Subject] = {}

    def subject(self, number: int = 0) -> Subject:
        """Return a schema of those under test, compiled."""
        if number not in self._subjects:
            self._subjects[number] = _compile(self.schemata[number], self.settings)
        return self._subjects[number]

    def run(self, units: Sequence[Unit], number: int = 0) -> Iterator[Found]:
        """Yield what each unit found, in order.

        Raises
        ------
        BudgetError : a process died, most likely for want of memory.
        """
        if self.pool is None or len(units) < 2:
            yield from (run_unit(self.subject(number), unit) for unit in units)
            return
        waiting: deque[Future[Found]] = deque()
        try:
            # Few units are handed out ahead, and none is ever cancelled: when the processes are stopped, a
            # cancelled one upsets the executor's own thread.
            for unit in units:
                waiting.append(self.pool.submit(_work, (number, unit)))
                if len(waiting) >= _AHEAD * self.jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise BudgetError("a process of the verification died, perhaps for want of memory") from None

    def abandon(self) -> None:
        """Stop the units under way: they may take minutes, and their results are of no use any more."""
        if self.pool is None or self.abandoned:
            return
        self.abandoned = True
        for process in set(multiprocessing.active_children()) - self._others:
            process.terminate()
        self.pool.shutdown()


@contextlib.contextmanager
def workers(schemata: Sequence[m.Schema], settings: Settings, jobs: int) -> Iterator[Workers]:
    """Yield workers for some schemata; on the way out no process is left behind."""
    crew = Workers(schemata, settings, jobs)
    if jobs > 1:
        crew.pool = ProcessPoolExecutor(jobs, initializer=_begin, initargs=(schemata, settings))
        with deaf():
            crew.pool.submit(int).result()
    try:
        yield crew
    except BaseException:
        crew.abandon()
        raise
    if crew.pool is not None and not crew.abandoned:
        crew.pool.shutdown()


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


def _begin(schemata: Sequence[m.Schema], settings: Settings) -> None:
    """Prepare a worker: Ctrl-C is for the process that gave out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _TASK[:] = [(schemata, settings)]
    _SUBJECTS.clear()


def _work(task: tuple[int, Unit]) -> Found:
    number, unit = task
    if number not in _SUBJECTS:
        schemata, settings = _TASK[0]
        _SUBJECTS[number] = _compile(schemata[number], settings)
    return run_unit(_SUBJECTS[number], unit)


def _compile(schema: m.Schema, settings: Settings) -> Subject:
    return Subject.of(compile_kernel(schema), *settings)
