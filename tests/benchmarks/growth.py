"""How time and step instances grow with the sentence, for every shipped schema; large charts; and a whole treebank."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import schemata
from schemata.analysis.compare import fitted_exponent
from schemata.budget import EngineName
from schemata.language.shipped import shipped_schemata
from schemata.treebanks import read_conllu
from schemata.verification.claims import shipped_claims
from tests.benchmarks.measure import PLAIN, Section, Setup, clocked, in_turn, processor_seconds, seconds
from tests.benchmarks.native_runs import NO_LIMIT, KernelRun, words

# How time and step instances grow with the sentence, for every shipped schema, beside what theory says ------


# Small grammars for measuring schemata over rules and connectors: everything may hang under everything ------


GROWTH_RULES = """\
root A
A(*)
A(A *)
A(* A)
A(A * A)
w : A
"""
GROWTH_CONTEXT_FREE = """\
start S
S -> S S | "w"
"""
GROWTH_LINKS = "w: {@A-} & {@A+};\n"


def grammar_for(kind: str, folder: Path) -> Any:
    """Return a grammar of a kind in which every word is "w".

    Parameters
    ----------
    kind : "d-rules", "dependency-rules", "context-free" or "link-grammar".
    folder : where its file is written.
    """
    readers: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
        "dependency-rules": ("small.deprules", GROWTH_RULES, schemata.DependencyRules.read),
        "context-free": ("small.cfg", GROWTH_CONTEXT_FREE, schemata.ContextFreeGrammar.read),
        "link-grammar": ("small.dict", GROWTH_LINKS, schemata.LinkGrammar.read),
    }
    if kind == "d-rules":
        return schemata.DRules.all()
    name, text, read = readers[kind]
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path)


# How time and step instances grow with the sentence, for every shipped schema, beside what theory says ------


GROWTH_ABOUT = """\
Every shipped schema runs on longer and longer sentences until a run takes {limit} s. Schemata over D-rules
(which word may be a dependent of which) run with every link licensed, natively where they can; those over
rules and connectors run with the grammar
A(*), A(A \\*), A(\\* A), A(A \\* A), the grammar S -> S S | w, and the dictionary `w: {{@A-}} & {{@A+}};`.
Exponents are slopes of log(value) over log(n) through the longer half of the lengths, of the least of three
times. For schemata of exponential complexity the table has the factor by which one more word multiplies
both, from the two longest sentences. A theoretical bound is an upper bound over all grammars: these grammars need
not reach it, and constant parts of the time keep the exponent of time low."""
GROWTH_HEADER = (
    "schema",
    "theory",
    "engine",
    "words",
    "step instances",
    "s",
    "growth of steps",
    "growth of time",
)
# Of the schemata that claims do not speak of; see their sources. Link Grammar: for a fixed dictionary.
GROWTH_THEORY = {
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


def measure_growth(setup: Setup) -> Section:
    """Return the table."""
    limit = 0.05 if setup.quick else 1.0
    rows = []
    for name, theory in _growth_schemata():
        setup.say(f"growth of {name}")
        rows.append(_growth_row(name, theory, setup, limit))
    return Section("Growth", GROWTH_ABOUT.format(limit=limit), GROWTH_HEADER, rows)


def _growth_schemata() -> Iterator[tuple[str, str]]:
    """Yield every shipped schema with its parameters, and its complexity; none over facts, which differ in size."""
    theories: dict[str, str] = {}
    claimed = set()
    for claim in shipped_claims():
        theories.setdefault(claim.reference, claim.complexity)
        claimed.add(claim.name)
    theories |= {name: GROWTH_THEORY.get(name, PLAIN) for name in shipped_schemata() if name not in claimed}
    for name, theory in theories.items():
        if schemata.load(name).definition.grammar != "facts":
            yield name, theory


def _growth_row(name: str, theory: str, setup: Setup, limit: float) -> tuple[str, ...]:
    schema = schemata.load(name)
    grammar = grammar_for(schema.definition.grammar, setup.scratch)
    exponential = theory == "exponential"
    steps: list[tuple[int, float]] = []
    times: list[tuple[int, float]] = []
    engine = PLAIN
    natively, _ = _growth_least(schema, 4, grammar, limit)  # compiles
    in_python = schema.run(words(4), grammar, engine="python")
    assert (natively.item_count, natively.step_count) == (in_python.item_count, in_python.step_count)
    for n in _growth_lengths(exponential):
        chart, taken = _growth_least(schema, n, grammar, limit)
        engine = chart.engine
        steps.append((n, float(chart.step_count)))
        times.append((n, taken))
        if taken > limit:
            break
    growth = _growth_factor if exponential else fitted
    return (
        name, theory, engine, str(steps[-1][0]), f"{steps[-1][1]:,.0f}", seconds(times[-1][1]), growth(steps),
        growth(times),
    )  # fmt: skip


def _growth_lengths(exponential: bool) -> Iterator[int]:
    n = 4
    while n <= LONGEST:
        yield n
        n += 1 if exponential else max(1, n // 4)


def _growth_least(
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


def _growth_factor(points: Sequence[tuple[int, float]]) -> str:
    if len(points) < 2:
        return PLAIN
    (_, one), (_, other) = points[-2:]
    return f"x {other / one:.2f} a word"


# Schemata with many step instances: seconds, step instances per second, growth ------------------------------


LARGE_TARGET = 20e6
LARGE_RUNS = [("wg1", (12, 16, 20, 24, 30)), ("mg1", (10, 12, 14, 16, 20)), ("wgk:k=2", (6, 8, 10, 12))]
LARGE_QUICK = [("wg1", (8, 10, 12)), ("mg1", (8, 10, 12)), ("wgk:k=2", (4, 6, 8))]
LARGE_FROM = {"wg1": 20, "mg1": 20, "wgk:k=2": 12}  # lengths from which the target is meant
LARGE_ABOUT = """\
Schemata of high degree, those with a normal form among them: every consequent is rewritten into its normal
form, and antecedents match any writing of an item. Exponents are slopes of log(value) over log(n) through
the longer half of the lengths; at these lengths they are still on their way to the theoretical ones."""
LARGE_HEADER = (
    "schema",
    "words",
    "kernel",
    "items",
    "step instances",
    "s (kernel)",
    "million steps/s",
    "s (call)",
)


def measure_large(setup: Setup) -> Section:
    """Return the table."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    theory = {claim.reference: claim.complexity for claim in shipped_claims()}
    for name, lengths in LARGE_QUICK if setup.quick else LARGE_RUNS:
        schema = schemata.load(name)
        times: list[tuple[int, float]] = []
        steps: list[tuple[int, float]] = []
        for n in lengths:
            setup.say(f"{name}, {n} words")
            kernel = KernelRun.of(schema, n)
            call = clocked(lambda s=schema, k=n: s.run(words(k), engine="native", budget=NO_LIMIT))  # type: ignore[misc]
            inner, whole = in_turn(3, kernel.seconds, call)
            chart = schema.run(words(n), engine="native", budget=NO_LIMIT)
            rate = chart.step_count / inner.least
            times.append((n, inner.least))
            steps.append((n, float(chart.step_count)))
            rows.append(
                (name, str(n), kernel.kind, f"{chart.item_count:,}", f"{chart.step_count:,}", seconds(inner.least),
                 f"{rate / 1e6:.1f}", seconds(whole.least))
            )  # fmt: skip
            if n >= LARGE_FROM[name] and rate < LARGE_TARGET:
                notes.append(
                    f"**{name}, {n} words: {rate / 1e6:.1f} million steps/s, below {LARGE_TARGET / 1e6:.0f}**"
                )
        notes.append(
            f"{name}, {theory.get(name, 'no bound known')}: time grows as n^{fitted(times)}, step instances as "
            f"n^{fitted(steps)}"
        )
    return Section("Large charts", LARGE_ABOUT, LARGE_HEADER, rows, notes)


# A treebank under Eisner 1996: sentences per second ---------------------------------------------------------


BATCH_TARGET = 20_000
BATCH_FEW = 200  # sentences for what takes long
BATCH_ABOUT = """\
All sentences of a treebank file under Eisner 1996 with every link licensed, read beforehand, in one
process, after one round that compiles. *Counting* is `schema.counts(sentences)`: items, step instances and
acceptance of every sentence. *Charts* runs each sentence natively and asks the chart whether the sentence
is accepted; its back-pointers can be asked for. *Python* is the same for the first {few} sentences
with `engine="python"`, which stores them. The last row is the whole command
`schemata run eisner1996 --conllu FILE --json` over a file of these, which reads it, counts derivations and
distinct trees within a budget, lists ten trees of every sentence and prints them; it is measured in
processor seconds, the rest by the wall clock."""
BATCH_HEADER = ("what", "sentences", "s", "sentences/s")


def measure_batch(setup: Setup) -> Section:
    """Return the table."""
    title, about = "A treebank", BATCH_ABOUT.format(few=BATCH_FEW)
    if setup.treebank is None:
        return Section(title, about, BATCH_HEADER, [], ["left out: no treebank"])
    found = [s for s in read_conllu(setup.treebank) if isinstance(s, schemata.Sentence)]
    if setup.quick:
        found = found[:BATCH_FEW]
    first = found[:BATCH_FEW]
    schema = schemata.load("eisner1996")

    def counting() -> None:
        assert all(c.accepted for c in schema.counts(found))

    def charts(sentences: list[schemata.Sentence], engine: EngineName) -> None:
        assert all(schema.run(sentence, engine=engine).accepted for sentence in sentences)

    setup.say(f"{len(found)} sentences of {setup.treebank.name}, counting and charts")
    [count, native] = in_turn(setup.rounds, clocked(counting), clocked(lambda: charts(found, "native")))
    setup.say("the same in Python")
    [python] = in_turn(1, clocked(lambda: charts(first, "python")))
    rows = [
        (what, f"{amount:,}", seconds(taken), f"{amount / taken:,.0f}")
        for what, amount, taken in (
            ("counting", len(found), count.least),
            ("charts, native", len(found), native.least),
            ("charts, Python", len(first), python.least),
            ("whole command", len(first), _batch_command(setup.treebank, len(first), setup.scratch)),
        )
    ]
    rate = len(found) / count.least
    notes = [f"{setup.treebank.name}: {sum(map(len, found)) / len(found):.1f} words a sentence on average"]
    if rate < BATCH_TARGET:
        notes.append(f"**counting: {rate:,.0f} sentences/s, below {BATCH_TARGET:,}**")
    return Section(title, about, BATCH_HEADER, rows, notes)


def _batch_command(treebank: Path, count: int, scratch: Path) -> float:
    """Return the processor seconds of the whole command over a treebank's first sentences."""
    blocks = treebank.read_text(encoding="utf-8").split("\n\n")[:count]
    path = scratch / "part.conllu"
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return processor_seconds(["run", "eisner1996", "--conllu", str(path), "--json"])
