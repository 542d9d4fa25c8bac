"""How time and step instances grow with the sentence, for every shipped schema, beside what theory says."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import schemata
from schemata.analysis.compare import fitted_exponent
from schemata.language.library import shipped_schemata
from schemata.verification.claims import shipped_claims
from tests.benchmarks.measure import PLAIN, Section, Setup, seconds
from tests.benchmarks.native_runs import NO_LIMIT, words

# Small grammars for measuring schemata over rules and connectors: everything may hang under everything ------


_RULES = """\
root A
A(*)
A(A *)
A(* A)
A(A * A)
w : A
"""
_CONTEXT_FREE = """\
start S
S -> S S | "w"
"""
_LINKS = "w: {@A-} & {@A+};\n"


def grammar_for(kind: str, folder: Path) -> Any:
    """Return a grammar of a kind in which every word is "w".

    Parameters
    ----------
    kind : "d-rules", "dependency-rules", "context-free" or "link-grammar".
    folder : where its file is written.
    """
    readers: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
        "dependency-rules": ("small.deprules", _RULES, schemata.DependencyRules.read),
        "context-free": ("small.cfg", _CONTEXT_FREE, schemata.ContextFreeGrammar.read),
        "link-grammar": ("small.dict", _LINKS, schemata.LinkGrammar.read),
    }
    if kind == "d-rules":
        return schemata.DRules.all()
    name, text, read = readers[kind]
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path)


# How time and step instances grow with the sentence, for every shipped schema, beside what theory says ------


ABOUT = """\
Every shipped schema runs on longer and longer sentences until a run takes {limit} s. Schemata over D-rules
(which word may be a dependent of which) run with every link licensed, natively where they can; those over
rules and connectors run with the grammar
A(*), A(A \\*), A(\\* A), A(A \\* A), the grammar S -> S S | w, and the dictionary `w: {{@A-}} & {{@A+}};`.
Exponents are slopes of log(value) over log(n) through the longer half of the lengths, of the least of three
times. For schemata of exponential complexity the table has the factor by which one more word multiplies
both, from the two longest sentences. A theoretical bound is an upper bound over all grammars: these grammars need
not reach it, and constant parts of the time keep the exponent of time low."""
HEADER = ("schema", "theory", "engine", "words", "step instances", "s", "growth of steps", "growth of time")
# Of the schemata that claims do not speak of; see their sources. Link Grammar: for a fixed dictionary.
THEORY = {
    "arc-standard": "O(n^5)", "arc-standard-hook": "O(n^4)", "arc-eager": "O(n^3)", "arc-eager-published": "O(n^3)",
    "hybrid": "O(n^3)", "cyk": "O(n^3)", "earley": "O(n^3)", "left-corner": "O(n^3)", "eisner-lg": "O(n^3)",
    "eisner-satta-lg": "O(n^3)", "sleator-temperley1991": "O(n^3)", "sleator-temperley-printed": "O(n^3)",
    "yamada-matsumoto-lg": "O(n^3)",
}  # fmt: skip
LONGEST = 640


def fitted(points: Sequence[tuple[int, float]]) -> str:
    """Return the exponent that fits points, as text."""
    found = fitted_exponent(points)
    return PLAIN if found is None else f"{found:.2f}"


def measure(setup: Setup) -> Section:
    """Return the table."""
    limit = 0.05 if setup.quick else 1.0
    rows = []
    for name, theory in _schemata():
        setup.say(f"growth of {name}")
        rows.append(_row(name, theory, setup, limit))
    return Section("Growth", ABOUT.format(limit=limit), HEADER, rows)


def _schemata() -> Iterator[tuple[str, str]]:
    """Yield every shipped schema with its parameters, and its complexity."""
    met = set()
    for claim in shipped_claims():
        if claim.reference not in met:
            met.add(claim.reference)
            yield claim.reference, claim.complexity
    claimed = {claim.name for claim in shipped_claims()}
    for name in shipped_schemata():
        if name not in claimed:
            yield name, THEORY.get(name, PLAIN)


def _row(name: str, theory: str, setup: Setup, limit: float) -> tuple[str, ...]:
    schema = schemata.load(name)
    grammar = grammar_for(schema.definition.grammar, setup.scratch)
    exponential = theory == "exponential"
    steps: list[tuple[int, float]] = []
    times: list[tuple[int, float]] = []
    engine = PLAIN
    natively, _ = _least(schema, 4, grammar, limit)  # compiles
    in_python = schema.run(words(4), grammar, engine="python")
    assert (natively.item_count, natively.step_count) == (in_python.item_count, in_python.step_count)
    for n in _lengths(exponential):
        chart, taken = _least(schema, n, grammar, limit)
        engine = chart.engine
        steps.append((n, float(chart.step_count)))
        times.append((n, taken))
        if taken > limit:
            break
    growth = _factor if exponential else fitted
    return (
        name, theory, engine, str(steps[-1][0]), f"{steps[-1][1]:,.0f}", seconds(times[-1][1]), growth(steps),
        growth(times),
    )  # fmt: skip


def _lengths(exponential: bool) -> Iterator[int]:
    n = 4
    while n <= LONGEST:
        yield n
        n += 1 if exponential else max(1, n // 4)


def _least(
    schema: schemata.ParsingSchema, n: int, grammar: Any, limit: float
) -> tuple[schemata.Chart, float]:
    """Return a chart and the least time of up to three runs, natively where the schema has native code."""
    best = float("inf")
    chart: schemata.Chart | None = None
    for turn in range(3):
        started = time.perf_counter()
        try:
            chart = schema.run(words(n), grammar, engine="native", budget=NO_LIMIT)
        except schemata.UsageError:
            started = time.perf_counter()
            chart = schema.run(words(n), grammar, engine="python", budget=NO_LIMIT)
        best = min(best, time.perf_counter() - started)
        if turn and best > limit:  # the first may have compiled
            break
    assert chart is not None
    return chart, best


def _factor(points: Sequence[tuple[int, float]]) -> str:
    if len(points) < 2:
        return PLAIN
    (_, one), (_, other) = points[-2:]
    return f"x {other / one:.2f} a word"
