"""Memory of native runs: the process's peak beyond the chart, per step instance."""

from __future__ import annotations

from tests.benchmarks.measure import Section, Setup, at_most, script

__all__ = ["measure"]

TARGET = 2.0
RUNS = [("eisner1996", 320), ("collins1996", 80)]
QUICK = [("eisner1996", 160), ("collins1996", 40)]
ABOUT = """\
Peak resident memory of a fresh process during a native run, less what it held before (all imported and
compiled by a run of 3 words), less the chart (the tables of the kernel), divided by the number of step
instances. *Implicit* is the run alone; *compact* and *explicit* store all back-pointers."""
HEADER = (
    "schema",
    "words",
    "back-pointers",
    "million steps",
    "chart, MiB",
    "beyond it, MiB",
    "bytes per step",
)
_PEAK = """
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


def measure(setup: Setup) -> Section:
    """Return the table."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, n in QUICK if setup.quick else RUNS:
        for kept in ("implicit", "compact", "explicit"):
            setup.say(f"memory of {name}, {n} words, {kept}")
            peak, chart, steps = script(_PEAK, name, str(n), kept)
            beyond = max(0, peak - chart)
            rows.append(
                (name, str(n), kept, f"{steps / 1e6:.1f}", f"{chart / 2**20:.2f}", f"{beyond / 2**20:.2f}",
                 f"{beyond / steps:.2f}")
            )  # fmt: skip
            if kept == "implicit":
                notes += at_most(f"{name}, {n} words: bytes per step", beyond / steps, TARGET)
    return Section("Memory", ABOUT, HEADER, rows, notes)
