"""Shards: a long question in parts, worked on here, by several processes or by a cluster, and kept in a ledger.

A question over a treebank, or over the cases of a verification, is a stream of shards: values that travel. A *worker*
is made in each process once; it turns a shard into a result. Results come in the order of the shards, and few shards
are under way at a time, so that neither the memory nor the answer depends on their number, or on that of processes.

Signals that end a program are for the process that gave out the work. It ends its processes, and these end by
themselves when it is gone, whatever it died of.

A *ledger* is a folder with a result file and a marker for each shard that is done. The marker is written after the
result and has its checksum. So a process may be killed at any moment: shards with a marker are read, all others are
done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cached_property, partial
from itertools import chain, count, islice
from pathlib import Path
from typing import IO, Any, TypeAlias, get_args, get_type_hints

from schemata.cache import fits, values_read, values_written
from schemata.errors import BudgetError, SchemataError, UsageError, require_library
from schemata.quick_start import ENDING, interrupts_put_off
from schemata.records import Record
from schemata.thresholds import WAYS

Worker: TypeAlias = "Callable[[Any], tuple[Any, bool]]"
"""Turns a shard into a result; the second value says that it is whole: no limit cut it short, and it may be kept."""


class LostWorkerError(BudgetError):
    """A process that worked on shards was killed."""

    reason = "worker"

    def __init__(self, message: str = "a worker process was killed") -> None:
        hint = "the system kills processes when memory is short: fewer --jobs need less"
        super().__init__(message, code="lost-worker", hint=hint)


class Places(Record):
    """Where shards are worked on, and where their results are kept.

    Parameters
    ----------
    jobs : processes on this machine.
    scheduler : the address of a Dask scheduler, tcp://host:8786; its workers take the place of processes.
    ledger : the folder of the ledger.
    question : the question of the results, in full: a ledger of another question is refused.
    """

    jobs: int = 1
    scheduler: str | None = None
    ledger: Path | None = None
    question: str = ""

    @classmethod
    def of(cls, jobs: int | Places) -> Places:
        """Return places, given as they are or as a number of processes."""
        return jobs if isinstance(jobs, Places) else cls(jobs)

    @property
    def only_processes(self) -> bool:
        """Whether processes of this machine work, and nothing is kept."""
        return self.jobs > 1 and self.scheduler is None and self.ledger is None

    def size(self, near: int, far: int) -> int:
        """Return how much goes into a shard: 1 here, `near` for processes, `far` where results travel or are kept."""
        if self.scheduler is not None or self.ledger is not None:
            return far
        return near if self.jobs > 1 else 1


class Ledger:
    """The folder in which results are kept, locked for this process.

    Raises
    ------
    UsageError : the folder cannot be written, answers another question, or is in use.
    """

    def __init__(self, folder: Path, question: str) -> None:
        self.folder = folder
        self._lock: IO[bytes] | None = None
        head = folder / "question.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = open(folder / "lock", "ab")  # noqa: SIM115 - as long as the ledger is in use
            _LOCKS.add(self._lock)
            if not _locked(self._lock):
                raise UsageError(f"{str(folder)!r} is in use by another process", code="ledger-in-use")
            if not head.exists():
                if any(folder.glob("*.done")):
                    raise UsageError(f"{str(folder)!r} has results, but no question.json", code="ledger")
                self._write(head, question.encode())
            kept = head.read_text(encoding="utf-8", errors="replace")
            if kept != question:
                message = f"{str(folder)!r} has results of another command: {_difference(kept, question)}"
                raise UsageError(message, code="other-question", hint="name a new folder, or delete this one")
        except (OSError, UsageError) as error:
            self.close()
            if isinstance(error, UsageError):
                raise
            message = f"{str(folder)!r} cannot be written: {error.strerror or error}"
            raise UsageError(message, code="unwritable-file") from error

    def close(self) -> None:
        """Let others have the folder."""
        if self._lock is not None:
            _LOCKS.discard(self._lock)
            self._lock.close()
        self._lock = None

    def read(self, name: str, hint: Any = Any) -> tuple[Any] | None:
        """Return the result of a shard in a tuple; None if it is not done, or is of another type than the hint."""
        try:
            content = (self.folder / f"{name}.result").read_bytes()
            if (self.folder / f"{name}.done").read_bytes() != _checksum(content):
                return None
            # Only data classes of this package are made, and nothing is executed.
            modules = {m for m in sys.modules if m.partition(".")[0] == "schemata"}
            of, result = values_read(content, modules)
            whole = of == name and fits(result, hint)
        except Exception:  # missing, or written by something else: the shard is worked on once more
            return None
        return (result,) if whole else None

    def write(self, name: str, result: Any) -> None:
        """Keep the result of a shard, then its marker."""
        content = values_written((name, result))
        self._write(self.folder / f"{name}.result", content)
        self._write(self.folder / f"{name}.done", _checksum(content))

    def _write(self, path: Path, content: bytes) -> None:
        """Write a file whole: it is there under its name when all of it is on the disk."""
        part = path.with_name(f"{path.name}.part")
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)


_LOCKS: set[IO[bytes]] = set()  # the locks of this process, which those that it forks do not hold


def _close_locks() -> None:
    while _LOCKS:
        _LOCKS.pop().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_locks)


def _locked(file: IO[bytes]) -> bool:
    """Lock a file for as long as this process lives; false if another process has.

    Raises
    ------
    OSError : the file system has no locks.
    """
    if sys.platform in ("emscripten", "wasi"):
        return True  # there is one process
    import portalocker

    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.exceptions.AlreadyLocked:
        return False
    except portalocker.exceptions.LockException as error:
        raise OSError(f"it cannot be locked: {error}") from None
    return True


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _difference(kept: str, question: str) -> str:
    """Return the first thing in which two questions differ."""
    try:
        a, b = dict(json.loads(kept)), dict(json.loads(question))
        return next(f"{key} was {a.get(key)!r}" for key in (*a, *b) if a.get(key) != b.get(key))
    except (ValueError, TypeError, StopIteration, RecursionError):  # the last: nested too deep
        return "its question.json is another"


class Crew:
    """Those who work on shards: this process, several, or the workers of a cluster.

    Parameters
    ----------
    make : makes the worker from its arguments, in each process once.
    arguments : its arguments.
    places : where to work.
    """

    def __init__(self, make: Callable[..., Any], arguments: tuple[Any, ...], places: Places) -> None:
        self.make, self.arguments, self.places = make, arguments, places
        self.abandoned = False
        self.from_ledger = 0  # results that were read there
        self._ledger = None if places.ledger is None else Ledger(places.ledger, places.question)
        self._cluster = None if places.scheduler is None else _Cluster(places.scheduler)
        self._pool: ProcessPoolExecutor | None = None
        self._others = frozenset(multiprocessing.active_children())

    @cached_property
    def worker(self) -> Any:
        """The worker of this process."""
        return self.make(*self.arguments)

    @cached_property
    def _hint(self) -> Any:
        """The type of results, as the worker's class declares it."""
        try:
            pair = get_type_hints(vars(self.make)["__call__"])["return"]
        except (
            KeyError,
            TypeError,
            NameError,
        ):  # a function makes the worker, or types are not there at run time
            return Any
        return get_args(pair)[0]

    def results(self, shards: Iterable[Any], stage: str = "shard") -> Iterator[Any]:
        """Yield the result of each shard, in order.

        Parameters
        ----------
        shards : the shards; their exceptions are raised after the results before them.
        stage : names them in a ledger; no two calls have the same.

        Raises
        ------
        BudgetError : a process died, most likely for lack of memory.
        """
        waiting: deque[Callable[[], Any]] = deque()
        problem: Exception | None = None
        rest = iter(shards)
        width = self._cluster.width if self._cluster is not None else WAYS.shards_ahead * self.places.jobs
        if self._cluster is None and self._pool is None:
            first = list(islice(rest, min(2, self.places.jobs)))
            rest = chain(first, rest)
            width = 1 if len(first) < 2 else width  # it is done here: no processes for one shard
        for number in count(1):
            try:
                shard = next(rest)
            except StopIteration:
                break
            except Exception as error:
                problem = error
                break
            waiting.append(self._begun(f"{stage}-{number:07}", shard, alone=width == 1))
            if len(waiting) == width:
                yield waiting.popleft()()
        yield from (wait() for wait in waiting)
        if problem is not None:
            raise problem

    def _begun(self, name: str, shard: Any, *, alone: bool) -> Callable[[], Any]:
        """Submit a shard; returns a function that waits for its result, and stores it. Processes
        start with the first.
        """
        if self._ledger is not None and (kept := self._ledger.read(name, self._hint)) is not None:
            self.from_ledger += 1
            return lambda: kept[0]
        if self._cluster is not None:
            future = self._cluster.submit(_on_cluster, (self.make, self.arguments), shard)
            return partial(self._kept, name, future)
        if alone:
            return partial(self._kept, name, partial(self.worker, shard))
        if self._pool is None:
            made_of = self.make, self.arguments
            self._pool = ProcessPoolExecutor(self.places.jobs, initializer=_begin, initargs=made_of)
        # None is ever cancelled: when the processes are stopped, a cancelled one upsets the executor's own thread.
        try:
            with deaf():  # processes begin when there is work
                result = self._pool.submit(_in_process, shard).result
        except BrokenProcessPool:
            raise LostWorkerError from None
        return partial(self._kept, name, result)

    def _kept(self, name: str, wait: Callable[[], tuple[Any, bool]]) -> Any:
        try:
            result, whole = wait()
        except BrokenProcessPool:
            raise LostWorkerError from None
        if whole and self._ledger is not None:
            self._ledger.write(name, result)
        return result

    def abandon(self) -> None:
        """Stop the work in progress: it may take minutes, and its results are no longer needed."""
        self._leave()
        if self._pool is None or self.abandoned:
            return
        self.abandoned = True
        for process in set(multiprocessing.active_children()) - self._others:
            process.kill()  # to what asks them to end they are deaf
        self._pool.shutdown()

    def _leave(self) -> None:
        for one in (self._cluster, self._ledger):
            if one is not None:
                one.close()

    def close(self) -> None:
        """Leave no process behind."""
        self._leave()
        if self._pool is not None and not self.abandoned:
            self._pool.shutdown()


@contextlib.contextmanager
def crew(make: Callable[..., Any], arguments: tuple[Any, ...], places: Places) -> Iterator[Crew]:
    """Yield a crew; on the way out no process is left behind.

    Raises
    ------
    UsageError : results of the ledger are of the right type, but cannot be results of this question.
    """
    workers = Crew(make, arguments, places)
    try:
        yield workers
    except (TypeError, AttributeError, LookupError, ArithmeticError, ValueError) as error:
        workers.abandon()
        if isinstance(error, SchemataError) or not workers.from_ledger:
            raise
        message = f"{str(places.ledger)!r} has results that do not belong to this command ({error})"
        raise UsageError(message, code="ledger", hint="name a new folder, or delete this one") from error
    except BaseException:
        workers.abandon()
        raise
    workers.close()


@contextlib.contextmanager
def deaf() -> Iterator[None]:
    """Put signals off for a moment: processes begun meanwhile ignore them from their first instruction on."""
    with interrupts_put_off():
        _block(True)  # which a process that is forked inherits, and a program that is started
        try:
            yield
        finally:
            _block(False)


def _block(on: bool) -> None:
    """Have signals wait, or deliver them."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK if on else signal.SIG_UNBLOCK, ENDING)


# In the processes ------------------------------------------------------------------------------------------------

_OWN: dict[str, Worker] = {}  # the worker of this process, where it is one of several
_ONE = threading.Lock()  # a worker of a cluster may have several threads, and workers are not made for that


def _begin(make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Prepare a process: signals are for the one that gave out the work, and it ends with that one."""
    for one in ENDING:
        signal.signal(one, signal.SIG_IGN)
    _block(False)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    _OWN[""] = make(*arguments)


def _end_with_parent() -> None:
    """Wait for the end of the process that began this one, and end too: at once, since nothing is to be kept."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _in_process(shard: Any) -> tuple[Any, bool]:
    return _OWN[""](shard)


def _on_cluster(key: str, made_of: tuple[Any, ...], shard: Any) -> tuple[Any, bool]:
    with _ONE:
        if key not in _OWN:
            _OWN.clear()
            make, arguments = made_of
            _OWN[key] = make(*arguments)
        return _OWN[key](shard)


class _Cluster:
    """A Dask cluster. Shards of workers that die are given to others.

    Raises
    ------
    UsageError : the library is missing, or nothing answers at the address.
    """

    def __init__(self, address: str) -> None:
        message = "--scheduler needs Dask, which is not installed"
        hint = 'python -m pip install "parsing-schemata[cluster]"'
        dask = require_library("distributed", message, hint)
        try:
            self.client = dask.Client(address, timeout=10)
        except (OSError, ValueError) as error:
            message = f"no scheduler answers at {address}: {error or type(error).__name__}"
            raise UsageError(message, code="no-scheduler", expected="tcp://HOST:8786") from None
        # It would log each attempt to reach a scheduler that is gone, with tracebacks.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        for name in ("client", "comm", "core", "batched", "utils"):
            logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
        self.address = address
        self.key = os.urandom(8).hex()

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        """Report failures between this process, the scheduler and its workers; exceptions of a shard pass."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            yield
        except KilledWorker as died:
            raise LostWorkerError(f"workers of the cluster died over one shard: {died}") from None
        except (CancelledError, CommClosedError):
            message = f"the scheduler at {self.address} is gone"
            hint = "with --resume DIR the same command goes on with what was done"
            raise BudgetError(message, code="scheduler-gone", hint=hint) from None
        except RuntimeError as error:
            if "deserialization" not in str(error):
                raise
            message = (
                f"the workers of the cluster cannot read what they are given: {error.__cause__ or error}"
            )
            hint = "workers need the same schemata and Python as here"
            raise UsageError(message, code="other-workers", hint=hint) from None

    @property
    def width(self) -> int:
        """How many shards are under way at a time."""
        with self._reached():
            return WAYS.shards_ahead * max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))

    def submit(
        self, work: Callable[..., Any], made_of: tuple[Any, ...], shard: Any
    ) -> Callable[[], tuple[Any, bool]]:
        """Submit a shard; returns a function that waits for its result."""
        with self._reached():
            future = self.client.submit(work, self.key, made_of, shard, pure=False)

        def wait() -> tuple[Any, bool]:
            with self._reached():
                found: tuple[Any, bool] = future.result()
            return found

        return wait

    def close(self) -> None:
        """Leave the cluster and drop the work in progress there."""
        self.client.close()
