"""Native runs against hand-written C that does the same work: counting, and writing back-pointers."""

from __future__ import annotations

import time
from collections.abc import Callable

import schemata
from tests.benchmarks.measure import Sample, Section, Setup, at_most, best_of, clocked, in_turn, over, seconds
from tests.benchmarks.native_runs import NO_LIMIT, KernelRun, some_derivations, words
from tests.benchmarks.peers import Limit

__all__ = ["measure"]

TARGET = 1.5
RUNS = [
    ("eisner1996", "e", 160),
    ("eisner1996", "e", 320),
    ("collins1996", "c", 60),
    ("collins1996", "c", 80),
]
QUICK = [("eisner1996", "e", 80), ("collins1996", "c", 30)]
ABOUT = """\
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
HEADER = ("schema", "words", "million steps", "here", "in C", "s here", "s in C", "here / C")


def measure(setup: Setup) -> Section:
    """Return the table."""
    title = "Against hand-written C"
    plain = Limit.compile(setup.peers, setup.scratch, "-O2")
    tuned = Limit.compile(setup.peers, setup.scratch, "-O3", "-march=native")
    if plain is None or tuned is None:
        return Section(title, ABOUT, HEADER, [], ["left out: no `limit.c`, or no gcc"])
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, letter, n in QUICK if setup.quick else RUNS:
        setup.say(f"{name}, {n} words, against C")
        sides = _sides(name, n, letter, plain, tuned)
        samples = dict(zip(sides, in_turn(setup.rounds, *sides.values()), strict=True))
        steps = KernelRun.of(schemata.load(name), n).fill().steps
        for here, there in PAIRS:
            one, other = samples[here], samples[there]
            rows.append((name, str(n), f"{steps / 1e6:.1f}", here, there, *_figures(one, other)))
            if (here, there) in JUDGED:
                notes += at_most(f"{name}, {n} words: {here} / {there}", one.over(other)[0], TARGET)
    return Section(title, ABOUT, HEADER, rows, notes)


PAIRS = [
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
JUDGED = {PAIRS[0], PAIRS[3], PAIRS[4]}  # what the target is about


def _figures(one: Sample, other: Sample) -> tuple[str, str, str]:
    return seconds(one.least), seconds(other.least), over(one, other)


def _sides(name: str, n: int, letter: str, plain: Limit, tuned: Limit) -> dict[str, Callable[[], float]]:
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
