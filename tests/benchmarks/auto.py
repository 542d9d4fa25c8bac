"""The choice of an engine: runs that name none, beside the better of `python` and `native`, in fresh processes.

    python -m tests.benchmarks.auto [--rounds N] [--only NAME ...] [--output FILE]

A process loads a schema and a grammar and then runs sentence after sentence, of several lengths; what counts is the
processor time of that loop, all threads and imports of libraries included: each sentence is prepared, its chart made,
its derivations counted. Every engine has a process of its own in every round, with the machine code of earlier
processes on disk.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from schemata.records import Record
from tests.benchmarks.measure import (
    NLTK_PAIRS,
    NLTK_PHRASES,
    Sample,
    Section,
    Setup,
    in_turn,
    markdown,
    script,
    seconds,
)

TARGET = 1.25  # times the better of the two engines
RUNS = (1, 20, 100)  # in one process
ENGINES = ("python", "native", "auto")
ABOUT = f"""\
What a loop over sentences takes in a fresh process, for the first {RUNS[0]}, {RUNS[1]} and {RUNS[2]} sentences, by
processor seconds: preparation, chart and number of derivations, the import of libraries included, where machine code of
earlier processes is on disk. Sentences are of several lengths, up to the one shown. *auto* names no engine; its figure
is over that of the better of the other two, as the ratio of least times and the median of the ratios by round."""
HEADER = ("schema", "grammar", "words", "runs", "s python", "s native", "s auto", "auto / better")

ENGLISH = "Mary had little news in the park ."
CFG = "the old dog saw the old man in the old dog park and the man in the old dog park and the man"
LINKS = "the big dog that I saw in the park ran after the black cat"


class Case(Record):
    """A schema, a grammar as `--grammar` takes it, and the longest sentence; others leave out its last words."""

    schema: str
    grammar: str
    sentence: str

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(self.sentence.split())


def _all(schema: str, words: int) -> Case:
    return Case(schema, "all", " ".join(f"w{k}" for k in range(words)))


CASES: Sequence[Case] = (
    _all("eisner1996", 12),
    _all("eisner1996", 24),
    _all("eisner-satta1999", 14),
    _all("collins1996", 15),
    _all("yamada-matsumoto2003", 12),
    _all("nivre2003", 6),
    _all("arc-eager", 16),
    _all("hybrid", 16),
    _all("mh:k=4", 8),
    _all("wg1", 7),
    _all("eisner-split", 20),
    Case("eisner1996", "heads", " ".join(f"w{k}" for k in range(20))),
    Case("earley", "phrases", CFG),
    Case("left-corner", "phrases", CFG),
    Case("cyk", "english.cfg", " ".join(["Mary chased the cat in the park"] + ["in the big park"] * 5)),
    Case("earley", "pairs", " ".join(["a"] * 24)),
    Case("eisner-satta-lg", "english.dict", "the cat chased the dog in the park"),
    Case("sleator-temperley1991", "english.dict", "the cat chased the dog in the park"),
    Case("eisner-satta-lg", "installed", LINKS),
    Case("sleator-temperley1991", "installed", LINKS),
    Case("head-corner3", "english.deprules", "the big cat had the little dog"),
    Case("tag-cky", "tag-cky.facts", "a a a b b b c c c d d d"),
    Case("ccg", "ccg.facts", "Kim saw the dog that Sandy saw well well well"),
    Case("lcfrs", "lcfrs.facts", "darueber muss nachgedacht werden"),
)  # fmt: skip
PROGRAM = """
import json, sys
from time import process_time
import schemata
from tests.benchmarks.auto import grammar_of, lengths
name, grammar, sentence, engine, runs = sys.argv[1:]
words, most = sentence.split(), max(map(int, runs.split()))
schema = schemata.load(name)
given = grammar_of(schema, grammar, len(words))
assert not {"numpy", "llvmlite"} & set(sys.modules), "their import is part of what is measured"
started, found, times = process_time(), [], []
for n in lengths(len(words), most):
    chart = schema.run(words[:n], given(n), engine=engine)
    found.append([chart.item_count, chart.step_count, str(chart.forest().derivation_count)])
    if str(len(found)) in runs.split():
        times.append(process_time() - started)
print(json.dumps([times, found]))
"""


def lengths(most: int, count: int) -> list[int]:
    """Return the lengths of so many sentences: the longest first, then shorter ones.

    >>> lengths(8, 6)
    [8, 7, 6, 5, 8, 7]
    """
    return [max(1, most - k % 4) for k in range(count)]


def grammar_of(schema: Any, name: str, most: int) -> Callable[[int], Any]:
    """Return what gives the grammar of a sentence by its length; rules and lexica are read here, once."""
    import schemata

    if name == "heads":  # every word under the one before it
        return lambda n: f"heads:{','.join(map(str, range(n)))}"
    if name == "installed":
        from schemata.grammars.link_grammar import LinkGrammar

        dictionary = LinkGrammar.installed()
        return lambda n: dictionary
    texts = {"phrases": NLTK_PHRASES, "pairs": NLTK_PAIRS}
    if name in texts:
        with tempfile.NamedTemporaryFile("w", suffix=".cfg", encoding="utf-8") as file:
            file.write(texts[name])
            file.flush()
            rules = schemata.ContextFreeGrammar.read(file.name)
        return lambda n: rules
    given = name if name == "all" else str(Path(__file__).parents[2] / "examples" / name)
    grammar = schema.check_grammar(given, words=most)
    return lambda n: grammar


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print or write the section."""
    parser = argparse.ArgumentParser(description="Measure the choice of an engine.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="schemata or grammars")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the section here; printed without")
    chosen = parser.parse_args(arguments)
    cases = [c for c in CASES if chosen.only is None or {c.schema, c.grammar} & set(chosen.only)]
    text = markdown(measure(cases, chosen.rounds)) + "\n"
    if chosen.output is not None:
        chosen.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


def measure_all(setup: Setup) -> Section:
    """Measure all cases for the performance page; short sentences only with `--quick`."""
    return measure([c for c in CASES if not setup.quick or c.words < 10], setup.rounds)


def measure(cases: Sequence[Case], rounds: int) -> Section:
    """Measure some cases in a number of rounds."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for case in cases:
        print(f"{case.schema}, {case.grammar}, {case.words} words", file=sys.stderr, flush=True)
        samples = times_of(case, rounds)
        for k, runs in enumerate(RUNS):
            python, native, auto = (samples[engine][k] for engine in ENGINES)
            better = min(python, native, key=lambda sample: sample.least)
            least, median = auto.over(better)
            figures = (*(seconds(sample.least) for sample in (python, native, auto)),)
            rows.append(
                (
                    case.schema,
                    case.grammar,
                    str(case.words),
                    str(runs),
                    *figures,
                    f"{least:.2f} / {median:.2f}",
                )
            )
            if min(least, median) > TARGET:
                notes.append(f"**{case.schema}, {case.grammar}, {runs} runs: {min(least, median):.2f}**")
    return Section("Without naming an engine", ABOUT, HEADER, rows, notes)


def times_of(case: Case, rounds: int) -> dict[str, list[Sample]]:
    """Return the seconds of every engine, by the numbers of runs.

    Raises
    ------
    AssertionError : the engines do not find the same.
    """
    found: dict[str, list[list[float]]] = {engine: [] for engine in ENGINES}
    answers = set()

    def side(engine: str) -> float:
        words = (case.schema, case.grammar, case.sentence, engine, " ".join(map(str, RUNS)))
        times, counts = script(PROGRAM, *words)
        found[engine].append(times)
        answers.add(str(counts))
        return float(times[-1])

    in_turn(rounds, *(lambda engine=engine: side(engine) for engine in ENGINES))
    assert len(answers) == 1, case
    return {
        engine: [Sample(tuple(times)) for times in zip(*rounds_[1:], strict=True)]
        for engine, rounds_ in found.items()
    }


if __name__ == "__main__":
    main()
