"""What fresh processes take: cold starts, memory, and whole commands and runs beside those of earlier revisions."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.benchmarks.measure import (
    ROOT,
    Section,
    Setup,
    at_most,
    in_turn,
    over,
    processor_seconds,
    script,
    seconds,
)

# What the first native run of a schema costs, what a later process pays, and that short sentences pay nothing


COLD_FIRST, COLD_LATER = 3.0, 0.5
COLD_HEAVY = ("numpy", "llvmlite", "z3", "numba")
COLD_SCHEMATA = [
    "eisner1996", "collins1996", "eisner-satta1999", "generalised-eisner-satta", "yamada-matsumoto2003", "arc-standard",
    "arc-standard-hook", "arc-eager", "hybrid", "mh:k=3", "mh:k=4", "mh:k=5", "wg1", "wg1-unlexicalised", "mg1",
    "wgk:k=2", "wgk-published:k=2", "mgk:k=2",
]  # fmt: skip
COLD_QUICK = ["eisner1996", "wg1"]
COLD_ABOUT = """\
*First*: the first native run of a schema in a fresh process with an empty cache folder (lowering, the proof
of an order, machine code, the run) less the second run in the same process; a sentence of 5 words, so that
the run itself takes no time. *Later process*: the same in a fresh process that finds the order and the machine
code on disk, the import of the libraries included, less a run in Python. The least of three fresh processes. In
other processes a sentence of 10 words is run as users run it: none of numpy, llvmlite, z3 and numba may be
imported."""
COLD_HEADER = ("schema", "first run: wall s", "processor s", "later process: wall s", "processor s")
Pair = tuple[float, float]  # wall seconds, processor seconds
COLD_TIMES = """
import json, sys, time
import schemata
schema = schemata.load(sys.argv[1])
words = ["w"] * 5
def run(engine):
    started = time.perf_counter(), time.process_time()
    schema.run(words, engine=engine)
    return time.perf_counter() - started[0], time.process_time() - started[1]
python = run("python")
print(json.dumps([python, run("native"), run("native")]))
"""
COLD_SHORT = """
import contextlib, io, json, sys
from schemata.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    code = main(["run", sys.argv[1], "a b c d e f g h i j"])
assert code in (0, 1), code
print(json.dumps([name for name in sys.argv[2:] if name in sys.modules]))
"""


def measure_cold(setup: Setup) -> Section:
    """Return the table."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    imported: list[str] = []
    chosen = COLD_QUICK if setup.quick else COLD_SCHEMATA
    for name in chosen:
        setup.say(f"cold start of {name}")
        first: list[Pair] = []
        later: list[Pair] = []
        for _ in range(1 if setup.quick else 3):
            cache = setup.scratch / "cache"
            shutil.rmtree(cache, ignore_errors=True)
            _, cold, warm = script(COLD_TIMES, name, cache=cache)
            first.append((cold[0] - warm[0], cold[1] - warm[1]))
            python, again, _ = script(COLD_TIMES, name, cache=cache)
            later.append((again[0] - python[0], again[1] - python[1]))
        one, other = _cold_least(first), _cold_least(later)
        rows.append((name, *map(seconds, (*one, *other))))
        notes += at_most(f"{name}: first native run", one[0], COLD_FIRST)
        notes += at_most(f"{name}: later process", other[0], COLD_LATER)
        if found := script(COLD_SHORT, name, *COLD_HEAVY):
            imported.append(f"**{name} imports {', '.join(found)} for 10 words**")
    notes += imported or [f"10 words imported none of {', '.join(COLD_HEAVY)} under any of these schemata"]
    return Section("Cold start", COLD_ABOUT, COLD_HEADER, rows, notes)


def _cold_least(pairs: Sequence[Pair]) -> Pair:
    """Return the least wall and the least processor seconds."""
    return min(wall for wall, _ in pairs), min(processor for _, processor in pairs)


# Memory of native runs: the process's peak beyond the chart, per step instance ------------------------------


MEMORY_TARGET = 2.0
MEMORY_RUNS = [("eisner1996", 320), ("collins1996", 80)]
MEMORY_QUICK = [("eisner1996", 160), ("collins1996", 40)]
MEMORY_ABOUT = """\
Peak resident memory of a fresh process during a native run, less what it held before (all imported and
compiled by a run of 3 words), less the chart (the tables of the kernel), divided by the number of step
instances. *Implicit* is the run alone; *compact* and *explicit* store all back-pointers."""
MEMORY_HEADER = (
    "schema",
    "words",
    "back-pointers",
    "million steps",
    "chart, MiB",
    "beyond it, MiB",
    "bytes per step",
)
MEMORY_PEAK = """
import json, sys
import schemata
from schemata.budget import resident_bytes
name, n, kept = sys.argv[1], int(sys.argv[2]), sys.argv[3]
schema = schemata.load(name)
def run(n):
    budget = schemata.Budget(steps=1 << 60)
    return schema.run(["w"] * n, engine="native", budget=budget, back_pointers=kept)
def peak():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
run(3)
with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
    file.write("5")  # forget the peak until now
before = resident_bytes()
chart = run(n)
tables = sum(t.nbytes for t in chart.raw.store.tables.by_kind)
print(json.dumps([peak() - before, tables, chart.step_count]))
"""


def measure_memory(setup: Setup) -> Section:
    """Return the table."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, n in MEMORY_QUICK if setup.quick else MEMORY_RUNS:
        for kept in ("implicit", "compact", "explicit"):
            setup.say(f"memory of {name}, {n} words, {kept}")
            peak, chart, steps = script(MEMORY_PEAK, name, str(n), kept)
            beyond = max(0, peak - chart)
            rows.append(
                (name, str(n), kept, f"{steps / 1e6:.1f}", f"{chart / 2**20:.2f}", f"{beyond / 2**20:.2f}",
                 f"{beyond / steps:.2f}")
            )  # fmt: skip
            if kept == "implicit":
                notes += at_most(f"{name}, {n} words: bytes per step", beyond / steps, MEMORY_TARGET)
    return Section("Memory", MEMORY_ABOUT, MEMORY_HEADER, rows, notes)


# Short sentences as whole commands, now and before there were native engines --------------------------------


SMALL_COMMANDS = [
    ["run", "eisner1996", "a b c d e f g h i j"],
    ["run", "wg1", "a b c d e f g h i j"],
    ["run", "mh", "a b c d e f g h i j"],
    ["run", "collins1996", "a b c d e f g h i j", "--json"],
    ["list"],
]
SMALL_TOLERANCE = 1.05  # of the median; whole commands vary by as much from one run to the next
SMALL_ABOUT = """\
Whole commands, as users type them, with the code of this checkout and with that of revision {earlier}, the
last one before the native engines, under the same Python and the same libraries, by processor seconds. Each
has a cache folder of its own, with the parse table of its own grammar.
Nothing of what short sentences need may have become slower."""
SMALL_HEADER = ("command", "processor s now", "processor s then", "now / then")


def measure_small(setup: Setup) -> Section:
    """Return the table."""
    title, about = "Short sentences", SMALL_ABOUT.format(earlier=setup.earlier)
    then = checkout(setup, setup.earlier)
    if then is None:
        return Section(title, about, SMALL_HEADER, [], [f"left out: no revision {setup.earlier}"])
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for words in SMALL_COMMANDS:
        shown = " ".join(f'"{w}"' if " " in w else w for w in words)
        setup.say(f"schemata {shown}, now and then")
        now, before = in_turn(
            5 if setup.quick else 9,
            lambda w=words: processor_seconds(w, cache=setup.scratch / "cache"),
            lambda w=words: processor_seconds(w, then, setup.scratch / "earlier cache"),
        )
        rows.append((f"`schemata {shown}`", seconds(now.least), seconds(before.least), over(now, before)))
        if min(now.over(before)) > SMALL_TOLERANCE:
            notes.append(f"**`schemata {shown}` is slower than before**")
    return Section(title, about, SMALL_HEADER, rows, notes)


def checkout(setup: Setup, revision: str) -> Path | None:
    """Return a folder with the files of an earlier revision, or None where git does not have it."""
    try:
        packed = subprocess.run(
            ["git", "archive", revision], cwd=ROOT, check=True, capture_output=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    folder = setup.scratch / revision
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


# Native runs of schemata with lists against an earlier revision, in which only Python ran them --------------


LISTS_BEFORE = "d65ee5b"  # the last revision whose native kernels had no lists
LISTS_RUNS = [
    ("nivre2003", 11),
    ("covington-lsup", 11),
    ("attardi2006:d=1", 14),
    ("attardi2006:d=2", 13),
    ("attardi2006:d=3", 13),
    ("attardi-unbounded", 13),
    ("covington2001", 16),
]
LISTS_TARGET = 20
LISTS_ABOUT = f"""\
Schemata whose items are lists without a bound, at sizes that took some seconds in Python: a native run here,
and a run under CPython with the code of revision {LISTS_BEFORE}, the last one whose native kernels had no lists.
Processor seconds of the second run in a process."""
LISTS_HEADER = ("schema", "words", "steps", "s then", "s here", "then / here")
LISTS_SCRIPT = """
import json, sys, time
import schemata
name, words, engine = sys.argv[1], ["w"] * int(sys.argv[2]), sys.argv[3]
schema = schemata.load(name)
schema.run(words, engine=engine)
started = time.process_time()
chart = schema.run(words, engine=engine)
print(json.dumps([time.process_time() - started, chart.step_count]))
"""


def measure_lists(setup: Setup) -> Section:
    """Return the table."""
    title = "Lists"
    then = checkout(setup, LISTS_BEFORE)
    if then is None:
        return Section(title, LISTS_ABOUT, LISTS_HEADER, [], [f"left out: no revision {LISTS_BEFORE}"])
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, full in LISTS_RUNS:
        n = full - 4 if setup.quick else full
        setup.say(f"{name}, {n} words, native and in Python before")
        steps: set[int] = set()
        sides = (_lists_side(then, name, n, "python", steps), _lists_side(ROOT, name, n, "native", steps))
        before, now = in_turn(2, *sides)
        assert len(steps) == 1, (name, steps)
        rows.append(
            (name, str(n), f"{max(steps):,}", seconds(before.least), seconds(now.least), over(before, now))
        )
        if before.over(now)[0] < LISTS_TARGET:
            notes.append(f"**{name}: {before.over(now)[0]:.1f} times faster, below {LISTS_TARGET}**")
    return Section(title, LISTS_ABOUT, LISTS_HEADER, rows, notes)


def _lists_side(root: Path, name: str, n: int, engine: str, steps: set[int]) -> Callable[[], float]:
    def side() -> float:
        found, count = script(LISTS_SCRIPT, name, str(n), engine, root=root)
        steps.add(count)
        return float(found)

    return side
