"""Native runs against hand-written C, systems that evaluate rules, and NLTK's chart parsers."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import schemata
from tests.benchmarks.measure import (
    NLTK_PAIRS,
    NLTK_PHRASES,
    Section,
    Setup,
    at_most,
    best_of,
    clocked,
    figures,
    in_turn,
    over,
    seconds,
)
from tests.benchmarks.native_runs import NO_LIMIT, KernelRun, some_derivations, words
from tests.benchmarks.peers import Limit, gringo_seconds, tabling_seconds

# Native runs against hand-written C that does the same work: counting, and writing back-pointers ------------


C_TARGET = 1.5
C_RUNS = [
    ("eisner1996", "e", 160),
    ("eisner1996", "e", 320),
    ("collins1996", "c", 60),
    ("collins1996", "c", 80),
]
C_QUICK = [("eisner1996", "e", 80), ("collins1996", "c", 30)]
C_ABOUT = """\
`limit.c` is Eisner 1996 and Collins 1996 written out by hand as loops over tables of bytes, compiled by
`gcc -O2`, and for comparison by `gcc -O3 -march=native` as well, since native kernels are made for the
processor they run on. *Counting*: both sides fill the chart of a sentence with every link licensed and
count its step instances. *Kernel* is the run of the compiled kernel, from laying out the empty tables to
the last count; *call* is all of `schema.run(words, engine="native")`, with the hypotheses, the final items
and the chart object. Compilation is paid before. *Back-pointers*: the C program writes 13 bytes for every
step instance, into memory that is *new* or that was *used* before, and counts the instances beforehand,
untimed. schemata's back-pointers are implicit by default, which takes no more memory than the chart. *Compact*
ones are written down: a byte for each value that the consequent of an instance leaves open. *Explicit* ones are
rows of 32-bit numbers. Both include the numbering of the items and take new memory. *Ten
derivations* are read off the chart by expanding the items on the way, each reached by a step instance of
its own at the top. The C program has no such thing: its time is that of writing."""
C_HEADER = ("schema", "words", "million steps", "here", "in C", "s here", "s in C", "here / C")


def measure_c(setup: Setup) -> Section:
    """Return the table."""
    title = "Against hand-written C"
    plain = Limit.compile(setup.peers, setup.scratch, "-O2")
    tuned = Limit.compile(setup.peers, setup.scratch, "-O3", "-march=native")
    if plain is None or tuned is None:
        return Section(title, C_ABOUT, C_HEADER, [], ["left out: no `limit.c`, or no gcc"])
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, letter, n in C_QUICK if setup.quick else C_RUNS:
        setup.say(f"{name}, {n} words, against C")
        sides = _c_sides(name, n, letter, plain, tuned)
        samples = dict(zip(sides, in_turn(setup.rounds, *sides.values()), strict=True))
        steps = KernelRun.of(schemata.load(name), n).fill().steps
        for here, there in C_PAIRS:
            one, other = samples[here], samples[there]
            rows.append((name, str(n), f"{steps / 1e6:.1f}", here, there, *figures(one, other)))
            if (here, there) in C_JUDGED:
                notes += at_most(f"{name}, {n} words: {here} / {there}", one.over(other)[0], C_TARGET)
    return Section(title, C_ABOUT, C_HEADER, rows, notes)


C_PAIRS = [
    ("counting: kernel", "counting"),
    ("counting: kernel", "counting, tuned for the processor"),
    ("counting: call", "counting"),
    ("implicit back-pointers: kernel", "writing, new"),
    ("implicit back-pointers: kernel", "writing, used"),
    ("implicit, ten derivations: kernel", "writing, used"),
    ("implicit back-pointers: call", "writing, used"),
    ("compact back-pointers: kernel", "writing, new"),
    ("compact back-pointers: kernel", "writing, used"),
    ("explicit back-pointers: kernel", "writing, new"),
    ("explicit back-pointers: kernel", "writing, used"),
]
C_JUDGED = {C_PAIRS[0], C_PAIRS[3], C_PAIRS[4]}  # what the target is about


def _c_sides(name: str, n: int, letter: str, plain: Limit, tuned: Limit) -> dict[str, Callable[[], float]]:
    """Return what takes turns, by what the table calls it."""
    schema = schemata.load(name)
    kernel = KernelRun.of(schema, n)

    def call() -> None:
        assert schema.run(words(n), engine="native", budget=NO_LIMIT).accepted

    def with_derivations() -> float:
        started = time.perf_counter()
        store = kernel.fill().store()
        assert len(some_derivations(store, 10)) == 10
        return time.perf_counter() - started

    def compact() -> float:
        started = time.perf_counter()
        kernel.fill().store().keep(compact=True)
        return time.perf_counter() - started

    def explicit() -> float:
        started = time.perf_counter()
        store = kernel.fill().store()
        for case in range(len(schema.definition.cases)):
            store.rows(case)
        return time.perf_counter() - started

    def c(program: Limit, back_pointers: int, times: int = 3) -> Callable[[], float]:
        return lambda: program.seconds(letter, n, back_pointers, times)

    counting = best_of(3, kernel.seconds)
    return {
        "counting: kernel": counting,
        "counting": c(plain, 0),
        "counting, tuned for the processor": c(tuned, 0),
        "counting: call": best_of(3, clocked(call)),
        "implicit back-pointers: kernel": counting,
        "implicit back-pointers: call": best_of(3, clocked(call)),
        "implicit, ten derivations: kernel": best_of(3, with_derivations),
        "writing, new": c(plain, 1, 1),  # a second time, its memory would be used
        "writing, used": c(plain, 2),
        "compact back-pointers: kernel": compact,
        "explicit back-pointers: kernel": explicit,
    }


# Native runs against systems that evaluate rules: SWI-Prolog's tabling, and grounding with gringo -----------


DEDUCTION_WG = str(Path(__file__).with_name("wg.schema"))
DEDUCTION_RUNS = [
    ("eisner1996", 160, "eisner", "SWI-Prolog", 20),
    ("collins1996", 60, "collins", "SWI-Prolog", 20),
    ("eisner1996", 160, "eisner", "gringo", 10),
    ("collins1996", 60, "collins", "gringo", 10),
    (DEDUCTION_WG, 20, "wg", "gringo", 10),
]
DEDUCTION_SHORT = {160: 40, 60: 20, 20: 10}
DEDUCTION_ABOUT = """\
The same rules as programs for SWI-Prolog with tabling (`swipl -O`; processor seconds by the program's own
clock, without the start of the system) and for the grounder gringo (wall seconds of the whole process, what
it prints thrown away). Both compute all items and keep no back-pointers. `wg` is the schema
`tests/benchmarks/wg.schema`: WG_1 without its normal form and without the steps that keep a gap. Here,
*kernel* and *call* are as above; a call's chart has its back-pointers at hand."""
DEDUCTION_HEADER = (
    "schema",
    "words",
    "system",
    "s there",
    "s here (kernel)",
    "there / kernel",
    "s here (call)",
    "there / call",
)


def measure_deduction(setup: Setup) -> Section:
    """Return the table."""
    title = "Against tabling and grounding"
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, full, program, system, target in DEDUCTION_RUNS:
        n = DEDUCTION_SHORT[full] if setup.quick else full
        shown = schemata.load(name).name
        side = _deduction_other(setup.peers, program, system, n)
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
    return Section(title, DEDUCTION_ABOUT, DEDUCTION_HEADER, rows, notes)


def _deduction_other(peers: Path | None, program: str, system: str, n: int) -> Callable[[], float] | None:
    command, suffix = ("swipl", ".pl") if system == "SWI-Prolog" else ("gringo", ".lp")
    if peers is None or shutil.which(command) is None or not (peers / f"{program}{suffix}").exists():
        return None
    path = peers / f"{program}{suffix}"
    if command == "swipl":
        return lambda: tabling_seconds(path, n)[1]
    return lambda: gringo_seconds(path, n)


# Native runs over context-free grammars against NLTK's chart parsers of the same name -----------------------


NLTK_SENTENCES = [
    ("phrases", NLTK_PHRASES, "the old dog saw the old man" + " in the old dog park and the man" * 6),
    ("pairs", NLTK_PAIRS, "a " * 50),
]
NLTK_PARSERS = [
    ("earley", "nltk.parse.earleychart", "EarleyChartParser"),
    ("left-corner", "nltk.parse.chart", "LeftCornerChartParser"),
]
NLTK_TARGET = 100
NLTK_ABOUT = """\
The charts of NLTK's `EarleyChartParser` and `LeftCornerChartParser` and of the schemata `earley` and
`left-corner` for sentences of 50 words: *phrases* is a small grammar of English phrases in which prepositional
phrases and conjunctions attach wherever they can, *pairs* the grammar `S -> S S | a` (both stand in
`tests/benchmarks/measure.py`). A call here is all of `schema.run(words, grammar, engine="native")`, one
of NLTK's is `chart_parse(words)`; processor seconds, after a first call that is not counted."""
NLTK_HEADER = ("schema", "grammar", "words", "items", "steps", "s in NLTK", "s here", "NLTK / here")


def measure_nltk(setup: Setup) -> Section:
    """Return the table."""
    title = "Against NLTK"
    try:
        import nltk
    except ImportError:
        return Section(title, NLTK_ABOUT, NLTK_HEADER, [], ["left out: NLTK is not installed"])
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for label, text, sentence in NLTK_SENTENCES:
        words = sentence.split()[: 20 if setup.quick else 50]
        path = setup.scratch / f"{label}.cfg"
        path.write_text(text, encoding="utf-8")
        for name, module, parser in NLTK_PARSERS:
            setup.say(f"{name}, {len(words)} words, {label}, against NLTK")
            kind = getattr(__import__(module, fromlist=[parser]), parser)
            endless = {"max_time": None} if hasattr(nltk.parse.chart, "DEFAULT_MAX_TIME") else {}
            there = kind(nltk.CFG.fromstring(text), **endless)
            run = _nltk_run(name, path, words)
            chart = run()
            parse = clocked(lambda p=there, w=words: p.chart_parse(w), process_time)
            theirs, ours = in_turn(3, parse, best_of(20, clocked(run, process_time)))
            figures = (str(len(words)), f"{chart.item_count:,}", f"{chart.step_count:,}")
            ratio = over(theirs, ours)
            rows.append((name, label, *figures, seconds(theirs.least), seconds(ours.least), ratio))
            if theirs.over(ours)[0] < NLTK_TARGET:
                notes.append(
                    f"**{name}, {label}: {theirs.over(ours)[0]:.1f} times NLTK, below {NLTK_TARGET}**"
                )
    return Section(title, NLTK_ABOUT, NLTK_HEADER, rows, notes)


def _nltk_run(name: str, path: Path, words: list[str]) -> Callable[[], Any]:
    schema, grammar = schemata.load(name), schemata.ContextFreeGrammar.read(path)
    return lambda: schema.run(words, grammar, engine="native")
