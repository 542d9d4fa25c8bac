"""What the first native run of a schema costs, what a later process pays, and that short sentences pay nothing."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from tests.benchmarks.measure import Section, Setup, at_most, script, seconds

__all__ = ["measure"]

FIRST, LATER = 3.0, 0.5
HEAVY = ("numpy", "llvmlite", "z3", "numba")
SCHEMATA = [
    "eisner1996", "collins1996", "eisner-satta1999", "generalised-eisner-satta", "yamada-matsumoto2003", "arc-standard",
    "arc-standard-hook", "arc-eager", "hybrid", "mh:k=3", "mh:k=4", "mh:k=5", "wg1", "wg1-unlexicalised", "mg1",
    "wgk:k=2", "wgk-published:k=2", "mgk:k=2",
]  # fmt: skip
QUICK = ["eisner1996", "wg1"]
ABOUT = """\
*First*: the first native run of a schema in a fresh process with an empty cache folder (lowering, the proof
of an order, machine code, the run) less the second run in the same process; a sentence of 5 words, so that
the run itself is nothing. *Later process*: the same in a fresh process that finds the order and the machine
code on disk, the import of the libraries included, less a run in Python. The least of three fresh processes. In
other processes a sentence of 10 words is run as users run it: none of numpy, llvmlite, z3 and numba may be
imported."""
HEADER = ("schema", "first run: wall s", "processor s", "later process: wall s", "processor s")
Pair = tuple[float, float]  # wall seconds, processor seconds
_TIMES = """
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
_SHORT = """
import contextlib, io, json, sys
from schemata.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    code = main(["run", sys.argv[1], "a b c d e f g h i j"])
assert code in (0, 1), code
print(json.dumps([name for name in sys.argv[2:] if name in sys.modules]))
"""


def measure(setup: Setup) -> Section:
    """Return the table."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    imported: list[str] = []
    chosen = QUICK if setup.quick else SCHEMATA
    for name in chosen:
        setup.say(f"cold start of {name}")
        first: list[Pair] = []
        later: list[Pair] = []
        for _ in range(1 if setup.quick else 3):
            cache = setup.scratch / "cache"
            shutil.rmtree(cache, ignore_errors=True)
            _, cold, warm = script(_TIMES, name, cache=cache)
            first.append((cold[0] - warm[0], cold[1] - warm[1]))
            python, again, _ = script(_TIMES, name, cache=cache)
            later.append((again[0] - python[0], again[1] - python[1]))
        one, other = _least(first), _least(later)
        rows.append((name, *map(seconds, (*one, *other))))
        notes += at_most(f"{name}: first native run", one[0], FIRST)
        notes += at_most(f"{name}: later process", other[0], LATER)
        if found := script(_SHORT, name, *HEAVY):
            imported.append(f"**{name} imports {', '.join(found)} for 10 words**")
    notes += imported or [f"10 words imported none of {', '.join(HEAVY)} under any of these schemata"]
    return Section("Cold start", ABOUT, HEADER, rows, notes)


def _least(pairs: Sequence[Pair]) -> Pair:
    """Return the least wall and the least processor seconds."""
    return min(wall for wall, _ in pairs), min(processor for _, processor in pairs)
