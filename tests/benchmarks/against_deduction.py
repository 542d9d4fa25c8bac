"""Native runs against systems that evaluate rules: SWI-Prolog's tabling, and grounding with gringo."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import schemata
from tests.benchmarks.measure import Section, Setup, clocked, in_turn, over, seconds
from tests.benchmarks.native_runs import NO_LIMIT, KernelRun, words
from tests.benchmarks.peers import gringo_seconds, tabling_seconds

__all__ = ["measure"]

WG = str(Path(__file__).with_name("wg.schema"))
RUNS = [
    ("eisner1996", 160, "eisner", "SWI-Prolog", 20),
    ("collins1996", 60, "collins", "SWI-Prolog", 20),
    ("eisner1996", 160, "eisner", "gringo", 10),
    ("collins1996", 60, "collins", "gringo", 10),
    (WG, 20, "wg", "gringo", 10),
]
SHORT = {160: 40, 60: 20, 20: 10}
ABOUT = """\
The same rules as programs for SWI-Prolog with tabling (`swipl -O`; processor seconds by the program's own
clock, without the start of the system) and for the grounder gringo (wall seconds of the whole process, what
it prints thrown away). Both compute all items and keep no back-pointers. `wg` is the schema
`tests/benchmarks/wg.schema`: WG_1 without its normal form and without the steps that keep a gap. Here,
*kernel* and *call* are as above; a call's chart has its back-pointers at hand."""
HEADER = (
    "schema",
    "words",
    "system",
    "s there",
    "s here (kernel)",
    "there / kernel",
    "s here (call)",
    "there / call",
)


def measure(setup: Setup) -> Section:
    """Return the table."""
    title = "Against tabling and grounding"
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, full, program, system, target in RUNS:
        n = SHORT[full] if setup.quick else full
        shown = schemata.load(name).name
        side = _other(setup.peers, program, system, n)
        if side is None:
            notes.append(f"{shown} in {system} is left out: no program, or {system} is not installed")
            continue
        setup.say(f"{shown}, {n} words, against {system}")
        schema = schemata.load(name)
        kernel = KernelRun.of(schema, n)
        call = clocked(lambda s=schema, k=n: s.run(words(k), engine="native", budget=NO_LIMIT))  # type: ignore[misc]
        there, here, whole = in_turn(max(3, setup.rounds // 2), side, kernel.seconds, call)
        rows.append(
            (shown, str(n), system, seconds(there.least), seconds(here.least), over(there, here), seconds(whole.least),
             over(there, whole))
        )  # fmt: skip
        for what, sample in (("kernel", here), ("call", whole)):
            if there.over(sample)[0] < target:
                notes.append(
                    f"**{shown}, {n} words, {what}: {there.over(sample)[0]:.1f} times {system}, below {target}**"
                )
    return Section(title, ABOUT, HEADER, rows, notes)


def _other(peers: Path | None, program: str, system: str, n: int) -> Callable[[], float] | None:
    command, suffix = ("swipl", ".pl") if system == "SWI-Prolog" else ("gringo", ".lp")
    if peers is None or shutil.which(command) is None or not (peers / f"{program}{suffix}").exists():
        return None
    path = peers / f"{program}{suffix}"
    if command == "swipl":
        return lambda: tabling_seconds(path, n)[1]
    return lambda: gringo_seconds(path, n)
