"""Native runs of schemata with lists against an earlier revision, in which only Python ran them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.measure import ROOT, Section, Setup, in_turn, over, seconds
from tests.benchmarks.small_runs import checkout

__all__ = ["measure"]

BEFORE = "d65ee5b"  # the last revision whose native kernels had no lists
RUNS = [
    ("nivre2003", 11),
    ("covington-lsup", 11),
    ("attardi2006:d=1", 14),
    ("attardi2006:d=2", 13),
    ("attardi2006:d=3", 13),
    ("attardi-unbounded", 13),
    ("covington2001", 16),
]
TARGET = 20
ABOUT = f"""\
Schemata whose items are lists without a bound, at sizes that took some seconds in Python: a native run here,
and a run under CPython with the code of revision {BEFORE}, the last one whose native kernels had no lists.
Processor seconds of the second run in a process."""
HEADER = ("schema", "words", "steps", "s then", "s here", "then / here")
SCRIPT = """
import json, sys, time
import schemata
name, words, engine = sys.argv[1], ["w"] * int(sys.argv[2]), sys.argv[3]
schema = schemata.load(name)
schema.run(words, engine=engine)
started = time.process_time()
chart = schema.run(words, engine=engine)
print(json.dumps([time.process_time() - started, chart.step_count]))
"""


def measure(setup: Setup) -> Section:
    """Return the table."""
    title = "Lists"
    then = checkout(setup, BEFORE)
    if then is None:
        return Section(title, ABOUT, HEADER, [], [f"left out: no revision {BEFORE}"])
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, full in RUNS:
        n = full - 4 if setup.quick else full
        setup.say(f"{name}, {n} words, native and in Python before")
        steps: set[int] = set()
        before, now = in_turn(2, _side(then, name, n, "python", steps), _side(ROOT, name, n, "native", steps))
        assert len(steps) == 1, (name, steps)
        rows.append(
            (name, str(n), f"{max(steps):,}", seconds(before.least), seconds(now.least), over(before, now))
        )
        if before.over(now)[0] < TARGET:
            notes.append(f"**{name}: {before.over(now)[0]:.1f} times faster, below {TARGET}**")
    return Section(title, ABOUT, HEADER, rows, notes)


def _side(root: Path, name: str, n: int, engine: str, steps: set[int]) -> Callable[[], float]:
    def side() -> float:
        words = [sys.executable, "-c", SCRIPT, name, str(n), engine]
        printed = subprocess.run(words, check=True, capture_output=True, text=True, cwd=root).stdout
        found, count = json.loads(printed.splitlines()[-1])
        steps.add(count)
        return float(found)

    return side
