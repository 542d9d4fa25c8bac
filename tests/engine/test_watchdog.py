"""Runs past a limit are ended from another thread, within them and never after."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemata import budget
from schemata.budget import OverBudget, guarded
from schemata.errors import UsageError
from schemata.text_files import read_file
from schemata.thresholds import WAYS
from tests.support import ROOT


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the thread look without a pause, and be switched to all the time."""
    monkeypatch.setattr(WAYS, "watch_seconds", 0)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def over() -> None:
    raise OverBudget("seconds")


def count(most: int) -> int:
    total = 0
    for k in range(most):
        total += k & 1
    return total


def test_work_without_end_is_ended() -> None:
    with pytest.raises(OverBudget) as stopped:
        guarded(over, lambda: count(1 << 60))
    assert stopped.value.reason == "seconds"


def test_work_within_limits_is_done() -> None:
    assert guarded(lambda: None, lambda: count(1000)) == 500


PROFILED = """
import sys
from schemata.budget import OverBudget, guarded
from schemata.thresholds import WAYS
WAYS.watch_seconds = 0.001
def over():
    raise OverBudget("seconds")
def endless():
    while True:
        len("")
try:
    guarded(over, endless)
except OverBudget:
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(event))
    (lambda: None)()
    sys.setprofile(None)
    print(calls[:2])
"""


def test_profilers_go_on_after_a_limit() -> None:
    """CPython 3.11 would make no step more: what was sent and is taken back stays on the way for ever."""
    done = subprocess.run(
        [sys.executable, "-c", PROFILED], capture_output=True, text=True, timeout=100, cwd=ROOT, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("['call', 'return']", "")


@pytest.mark.usefixtures("hasty")
def test_a_limit_waits_until_a_file_is_open(tmp_path: Path) -> None:
    """Else nothing would close it: pytest fails a test that leaves a file to the collector."""
    os.mkfifo(tmp_path / "slow.txt")

    def work() -> None:
        text = read_file(tmp_path / "slow.txt", UsageError, "text", 100)
        assert text == "all"
        count(1 << 60)

    def feed() -> None:
        time.sleep(0.1)
        pipe = os.open(tmp_path / "slow.txt", os.O_RDWR)  # which waits for no reader
        os.write(pipe, b"all")
        os.close(pipe)

    feeder = threading.Thread(target=feed)
    feeder.start()
    with pytest.raises(OverBudget):
        guarded(over, work)
    feeder.join()


def test_a_limit_that_a_destructor_swallows_is_told_again() -> None:
    """And nothing is reported: pytest fails a test with an exception that could not be raised."""

    class Slow:
        swallowed = 0

        def __del__(self) -> None:
            try:
                count(1 << 60)
            finally:
                Slow.swallowed += 1

    def work() -> None:
        slow = Slow()
        del slow
        count(1 << 60)

    before = sys.unraisablehook
    with pytest.raises(OverBudget):
        guarded(over, work)
    assert Slow.swallowed == 1
    assert sys.unraisablehook is before


@pytest.mark.parametrize("work", ["goes on", "is over"])
def test_ctrl_c_that_a_destructor_swallows_is_pressed_again(work: str, hearing_ctrl_c: None) -> None:
    class Swallowing:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def swallow() -> None:
        Swallowing()
        if work == "goes on":
            count(1 << 60)

    with pytest.raises(KeyboardInterrupt):
        guarded(lambda: None, swallow)
    assert guarded(lambda: None, lambda: count(100)) == 50


def test_a_limit_within_an_argument_of_a_library_is_a_limit() -> None:
    """ctypes raises an error of its own in place of any other; z3 converts all its arguments so."""

    class Slow:
        @classmethod
        def from_param(cls, value: object) -> object:
            return count(1 << 60)

    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda one: one)
    function.argtypes = [Slow]
    with pytest.raises(OverBudget) as stopped:
        guarded(over, lambda: guarded(lambda: None, lambda: function(1)))
    assert stopped.value.reason == "seconds"
    function.argtypes = [ctypes.c_int]
    with pytest.raises(ctypes.ArgumentError):
        guarded(lambda: None, lambda: function("1"))


@pytest.mark.usefixtures("hasty")
def test_nothing_is_raised_once_the_work_is_over() -> None:
    """Work of all lengths, so that it often ends just as the exception is sent."""
    done = ended = k = 0
    while done < 500 or ended < 500:
        k += 1
        size = k * 7919 % (10 + 4 * done)  # longer, until about half of them are ended
        try:
            total = guarded(over, lambda size=size: count(size))  # type: ignore[misc]
        except OverBudget:
            ended += 1
        else:
            assert total == size // 2
            done += 1
        count(20)  # an exception that is met here fails the test


@pytest.mark.usefixtures("hasty")
def test_work_within_work_is_ended_by_the_limits_of_both() -> None:
    """The inner work keeps no limit, and takes nothing back that was for the outer one."""
    for _ in range(50):
        ends = 0

        def inner() -> None:
            nonlocal ends
            try:
                guarded(lambda: None, lambda: count(50))
            except OverBudget:
                ends += 1

        def outer() -> None:
            while True:
                inner()

        with pytest.raises(OverBudget):
            guarded(over, outer)


@pytest.mark.usefixtures("hasty")
def test_threads_are_ended_one_by_one() -> None:
    results: list[str] = []

    def work(limit: bool) -> None:
        try:
            guarded(over if limit else lambda: None, lambda: count(1 << 60 if limit else 200_000))
            results.append("done")
        except OverBudget:
            results.append("ended")

    threads = [threading.Thread(target=work, args=(k % 2 == 0,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["done"] * 3 + ["ended"] * 3
    assert not budget._keeper.watching
