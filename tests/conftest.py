"""Options and fixtures that all tests may use."""

import gc
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

from schemata.thresholds import EFFORTS, WAYS
from tests.long_cases import listed
from tests.support import ROOT
from tests.support.commands import cli, prints, tells, warns, written
from tests.support.compilers import be_hasty

__all__ = ["cli", "prints", "tells", "warns", "written"]


settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # how long an example takes says nothing on a busy machine


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--engine`: which engine is compared with the golden record; `--thorough`, `--nightly`: long tests too;
    `--turn`: which cases of rotated tests are run.
    """
    parser.addoption("--engine", default="python", help="engine compared with the golden record")
    parser.addoption("--thorough", action="store_true", help="also run the tests that are marked thorough")
    parser.addoption(
        "--nightly", action="store_true", help="also run the tests that are marked nightly: hours"
    )
    parser.addoption("--turn", type=int, default=0, help="which cases of rotated tests are run")


def pytest_report_header(config: pytest.Config) -> str:
    """Say how to have the same cases again."""
    return f"of rotated tests, the cases of --turn {config.option.turn}; --thorough runs all"


def pytest_configure() -> None:
    """Let the folders of the cache hold what all tests make, so that no kernel is made twice, and each is soon made.

    They are the tests' own, shared by all processes of a session, and stay for the next one.
    """
    gc.disable()
    os.environ["XDG_CACHE_HOME"] = str(ROOT / "build" / "cache")
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "cache" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # commands in processes of their own are compiled once
    WAYS.cached_files = 10_000
    EFFORTS.brief_proof_seconds = 30.0  # what verify prints does not depend on how busy the machine is
    be_hasty()


LONGEST = (
    "test_the_tables",
    "up_to_date[pitler2013",
    "once[en]",
    "has_changed[pitler2013]",
    "is_proved[pitler2013]",
    "many_random_schemata",
    "more_mutants",
    "certificates_of_right_schemata",
    "the_whole_page",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest, so that no process ends long after the others; leave out long ones.

    Of a test that is marked `rotated(k)`, every k-th case is run: the same ones every day, others with another
    `--turn`. The rest is thorough, and nightly where all are thorough; with `rotated(k, m)` an m-th of it is thorough,
    the others nightly. Cases that take longer than a second (`long_cases`) are thorough. Who names a test has all its
    cases.
    """
    cases, long = Counter[str](), listed()
    named = any("::" in word for word in config.args)
    for item in items:
        mark = item.get_closest_marker("rotated")
        if mark is not None and not named:
            name = item.nodeid.partition("[")[0]
            cases[name] += 1
            turn = cases[name] + config.option.turn
            every, rest = (*mark.args, 1)[:2]
            if turn % every:
                left_out = item.get_closest_marker("thorough") or (turn - turn // every) % rest
                item.add_marker("nightly" if left_out else "thorough")
        if item.nodeid in long and not named:
            item.add_marker("thorough")
    for name in ("thorough", "nightly"):
        marked = [item for item in items if item.get_closest_marker(name) is not None]
        if config.getoption(f"--{name}"):
            continue
        if named:  # who names a test is to see why it is not run
            for item in marked:
                item.add_marker(pytest.mark.skip(reason=f"only with --{name}"))
        else:  # thousands: as skipped ones they would take half a minute
            items[:] = [item for item in items if item.get_closest_marker(name) is None]
            config.hook.pytest_deselected(items=marked)
    items.sort(key=lambda item: not any(name in item.name for name in LONGEST))


def pytest_collection_finish() -> None:
    """Spare the garbage collector the tests: hundreds of thousands of objects, which stay until the end."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)  # what tests leave behind is little beside what they make


@pytest.fixture
def hearing_ctrl_c() -> Iterator[None]:
    """Ctrl-C as it is in a terminal; a process in the background may have been told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def ctrl_c_after(hearing_ctrl_c: None) -> Iterator[Callable[[float], None]]:
    """A function that gives Ctrl-C after some seconds."""
    timers: list[threading.Timer] = []

    def after(seconds: float) -> None:
        timers.append(threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]))
        timers[-1].start()

    yield after
    for timer in timers:
        timer.cancel()
