"""Which cases take long: a plugin that measures them, and the list by which `conftest` leaves them to `--thorough`.

    python -m pytest -n auto -p tests.long_cases

measures the processor time of every case that is run and writes those beyond a second to `long_cases.txt`; cases that
are in the list and were not run stay there. Files directly in this folder, about the house itself, are left out.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

LIST = Path(__file__).with_suffix(".txt")
SECONDS = 1.0  # of the processor; of all cases together, the others take about half of the time
_KEY = "processor seconds"


def listed() -> frozenset[str]:
    """Return the names of the cases that take long."""
    return frozenset(LIST.read_text("utf-8").splitlines()) if LIST.is_file() else frozenset()


def updated(before: frozenset[str], seconds: dict[str, float]) -> list[str]:
    """Return the list after a run, in order: what was measured counts, other cases stay."""
    kept = (name for name in before if name not in seconds)
    long = (name for name, each in seconds.items() if each > SECONDS and name.count("/") > 1)
    return sorted({*kept, *long})


def _now() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Measure a case, in the process that runs it."""
    begun = _now()
    try:
        return (yield)
    finally:
        item.user_properties.append((_KEY, _now() - begun))


_MEASURED: dict[str, float] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take the time from a report, in the process that collects them."""
    if report.when == "call":
        _MEASURED[report.nodeid] = next(float(value) for key, value in report.user_properties if key == _KEY)  # type: ignore[arg-type]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the list."""
    if not hasattr(session.config, "workerinput") and _MEASURED:
        LIST.write_text("".join(f"{name}\n" for name in updated(listed(), _MEASURED)), "utf-8")
