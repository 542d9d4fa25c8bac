"""Native kernels with weights: against hand-written C, against counting, and the best trees of many sentences."""

from __future__ import annotations

import math
import random
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import schemata
from schemata.engine.native import hypotheses_of
from schemata.grammars.drules import all_licences
from schemata.ordered.kernel import OrderedKernel
from schemata.ordered.weights import Scored, weigher_of
from tests.benchmarks.measure import Section, Setup, at_most, best_of, clocked, figures, in_turn, seconds
from tests.benchmarks.native_runs import KernelRun, words
from tests.benchmarks.peers import Weighted

__all__ = ["measure"]

PASSES = {"viterbi": ("vit", 1.0), "log": ("log", 1.2)}
RUNS = [
    ("eisner1996", "e", (40, 80, 160)),
    ("eisner-satta1999", "x", (40, 80, 160)),
    ("collins1996", "c", (30, 60)),
]
QUICK = [("eisner1996", "e", (40,)), ("eisner-satta1999", "x", (40,)), ("collins1996", "c", (30,))]
ABOUT = """\
`weighted.c` is Eisner 1996, Eisner & Satta 1999 and Collins 1996 written out by hand over tables of doubles, compiled
by `gcc -O3 -march=native -ffast-math`: the greatest weight of a derivation (viterbi), and the logarithm of their sum
(log). Both sides weigh the same scores, and agree in the total to nine digits. *Kernel* is one run of the compiled
kernel; entering scores is part of *call*. wg1 is compared with the kernel that counts
its step instances. *Best trees* are those of 2,000 sentences of 5 to 40 words with random scores, by one call of
`best_trees`, in processor time. The `DependencyCRF` of torch-struct and of SuPar add up the same trees, several words
under the root, on the processor without a batch; dyna-pi's agenda fills the chart of a program with the rules of
eisner1996, its facts already read. *Run and total* is all that `schema.run(words, weights=...).total(...)` does: chart,
then weights. The other systems are looked for among Python's modules (`supar`, `torch_struct`, `dyna`; the last one
from its repository, timvieira/dyna-pi, since it is in no package index), those that are not there are left out."""
HEADER = ("schema", "words", "what", "s here", "s there", "here / there")
_MEMORY = 1 << 33


def measure(setup: Setup) -> Section:
    """Return the table."""
    title = "Weights"
    program = Weighted.compile(setup.peers, setup.scratch)
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for name, letter, lengths in (QUICK if setup.quick else RUNS) if program is not None else []:
        for n in lengths:
            for algebra, (what, target) in PASSES.items():
                setup.say(f"{name}, {n} words, {algebra}, against C")
                kernel, call, total = _sides(name, n, algebra)
                assert program is not None
                expected = program.run(letter, n, what, 1)[1]
                if abs(total - expected) > 1e-6 * abs(expected):
                    raise AssertionError(f"{name}, {n} words: {total}, but {expected} in C")

                def in_c(letter: str = letter, n: int = n, what: str = what) -> float:
                    return program.run(letter, n, what, 10)[0]

                one, whole, other = in_turn(setup.rounds, best_of(10, kernel), best_of(10, call), in_c)
                rows.append((name, str(n), f"{algebra}: kernel / C", *figures(one, other)))
                rows.append((name, str(n), f"{algebra}: call / C", *figures(whole, other)))
                notes += at_most(f"{name}, {n} words: {algebra} / C", one.over(other)[0], target)
    for system, made, name, lengths, target in OTHERS:
        try:
            sides = [(n, *side) for n in lengths[: 1 if setup.quick else None] for side in made(n)]
        except ImportError as error:
            notes.append(f"{system} is left out: {error}")
            continue
        schema = schemata.load(name)
        for n, algebra, theirs in sides:
            setup.say(f"{name}, {n} words, {algebra}, against {system}")

            def ours(schema: Any = schema, n: int = n, algebra: str = algebra) -> float:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", schemata.errors.AmbiguityWarning)
                    chart = schema.run(words(n), weights=scores_of_c(n), engine="native")
                    return float(chart.total(algebra))

            if abs(ours() - theirs()) > 1e-5 * abs(theirs()):
                raise AssertionError(f"{name}, {n} words: {ours()}, but {theirs()} in {system}")
            one, other = in_turn(setup.rounds, best_of(10, clocked(ours)), clocked(theirs))
            rows.append((name, str(n), f"{algebra}: run and total / {system}", *figures(one, other)))
            notes += at_most(f"{name}, {n} words: {algebra} / {system}", one.over(other)[0], target)
    n = 10 if setup.quick else 20
    counting = KernelRun.of(schemata.load("wg1"), n, "ordered").seconds
    for algebra in PASSES:
        setup.say(f"wg1, {n} words, {algebra}, against counting")
        kernel, *_ = _sides("wg1", n, algebra)
        one, other = in_turn(setup.rounds, best_of(3, kernel), best_of(3, counting))
        rows.append(("wg1", str(n), f"{algebra}: kernel / counting", *figures(one, other)))
        notes += at_most(f"wg1, {n} words: {algebra} / counting", one.over(other)[0], 2.0)
    for name in ("eisner-satta1999", "eisner1996"):
        setup.say(f"{name}: best trees of many sentences")
        (found,) = in_turn(setup.rounds, _many(name))
        speed = 2_000 / found.least
        rows.append((name, "5-40", f"best trees: {speed:,.0f} a second", seconds(found.least), "", ""))
        if name == "eisner-satta1999":
            notes += at_most(f"{name}: seconds for 10,000 best trees", 10_000 / speed, 1.0)
    if program is None:
        notes.append("C is left out: no `weighted.c`, or no gcc")
    return Section(title, ABOUT, HEADER, rows, notes)


def scores_of_c(n: int) -> np.ndarray:
    """Return the scores that `weighted.c` makes, as scores[head, dependent]."""
    state, found = 12345, np.empty((n + 2) ** 2)
    for k in range(len(found)):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        found[k] = (state >> 11) / 9007199254740992.0 * 6 - 3
    return np.ascontiguousarray(found.reshape(n + 2, n + 2)[: n + 1, : n + 1].T)


def _sides(name: str, n: int, algebra: str) -> tuple[Callable[[], float], Callable[[], float], float]:
    """Return what runs a kernel, what makes a whole call, both with their seconds, and the total."""
    run = KernelRun.of(schemata.load(name), n, "ordered")
    assert isinstance(run.kernel, OrderedKernel)
    weigher, scores = weigher_of(run.kernel), scores_of_c(n)
    if name in ("collins1996", "wg1"):
        scores[0] = 0.0  # no link of theirs goes to 0, but the root's weight is added
    given = Scored(
        all_licences(n), scores, lambda: hypotheses_of(run.engine.agenda, n, run.grammar, run.tables), _MEMORY
    )
    total = weigher.total(algebra, given)
    tables = weigher.tables(algebra, given)
    tables.fill(
        scores, given.licences, {}
    )  # large tables are not kept: these may not have all the room that they need

    def kernel() -> float:
        tables.enter(scores, given.licences, {})
        started = time.perf_counter()
        tables.run()
        return time.perf_counter() - started

    def call() -> float:
        started = time.perf_counter()
        weigher.total(algebra, given)
        return time.perf_counter() - started

    return kernel, call, total


Sides = list[tuple[str, Callable[[], float]]]
"""Algebras, each with what computes its total."""


def _in_torch_struct(n: int) -> Sides:
    """Return what sums up all projective trees in torch-struct."""
    import torch
    from torch_struct import DependencyCRF

    torch.distributions.Distribution.set_default_validate_args(False)
    scores = scores_of_c(n)
    potentials = torch.tensor(scores[1:, 1:].copy())
    potentials[range(n), range(n)] = torch.tensor(scores[0, 1:].copy())
    return [("log", lambda: float(DependencyCRF(potentials[None].requires_grad_() * 1).partition.item()))]


def _in_supar(n: int) -> Sides:
    """Return what sums up all projective trees in SuPar, and what finds the best weight."""
    import torch
    from supar.structs import DependencyCRF

    scores = torch.tensor(scores_of_c(n).T.copy())[None]  # [dependent, head]

    def of(name: str) -> float:
        return float(getattr(DependencyCRF(scores, multiroot=True), name).item())

    return [("log", lambda: of("log_partition")), ("viterbi", lambda: of("max"))]


DYNA = """
span(I, J, 0, 0) += next(I, J).
span(I, J, 1, 0) += span(I, J, 0, 0) * arc(I, J).
span(I, J, 0, 1) += span(I, J, 0, 0) * arc(J, I).
span(I, K, B, D) += span(I, J, B, C) * other(C, E) * span(J, K, E, D).
other(0, 1) += 1.
other(1, 0) += 1.
"""


def _in_dyna(n: int) -> Sides:
    """Return what fills the chart of Eisner (1996) in dyna-pi, spans by their lengths, and sums up its derivations."""
    import dyna

    scores, pairs = scores_of_c(n), [(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h]
    facts = [f"next({i}, {i + 1}) += 1." for i in range(n)]
    facts += [f"arc({d}, {h}) += {math.exp(scores[h, d])!r}." for d, h in pairs]
    program = dyna.Program("\n".join([DYNA, *facts]))

    def total() -> float:
        solver = program.solver(priority=lambda x: x.args[0] - x.args[1] if x.fn == "span" else 1)
        solver()
        return math.log(next(iter(solver.lookup_vals(dyna.term(f"span(0, {n}, 0, 1)")))))

    return [("log", total)]


OTHERS: list[tuple[str, Callable[[int], Sides], str, tuple[int, ...], float]] = [
    ("torch-struct", _in_torch_struct, "eisner1996-once", (40, 80), 1.0),
    ("SuPar", _in_supar, "eisner1996-once", (40, 80), 1.0),
    ("dyna-pi", _in_dyna, "eisner1996", (20,), 0.01),
]


def _many(name: str) -> Callable[[], float]:
    """Return what finds the best trees of 2,000 sentences."""
    chance, numbers = random.Random(1), np.random.default_rng(1)
    lengths = [chance.randint(5, 40) for _ in range(2_000)]
    sentences = [schemata.Sentence.of(words(n)) for n in lengths]
    weights = [schemata.ArcScores(numbers.normal(0, 2, (n + 1, n + 1))) for n in lengths]
    schema = schemata.load(name)

    def run() -> float:
        started = time.process_time()
        assert all(schema.best_trees(sentences, weights, engine="native"))
        return time.process_time() - started

    run()  # compiles
    return run
