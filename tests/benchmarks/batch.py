"""A treebank under Eisner 1996: sentences per second."""

from __future__ import annotations

from pathlib import Path

import schemata
from schemata.engine.engines import EngineName
from schemata.treebanks import read_conllu
from tests.benchmarks.measure import Section, Setup, clocked, in_turn, processor_seconds, seconds

__all__ = ["measure"]

TARGET = 20_000
FEW = 200  # sentences for what takes long
ABOUT = """\
All sentences of a treebank file under Eisner 1996 with every link licensed, read beforehand, in one
process, after one round that compiles. *Counting* is `schema.counts(sentences)`: items, step instances and
acceptance of every sentence. *Charts* runs each sentence natively and asks the chart whether the sentence
is accepted; its back-pointers can be asked for. *Python* is the same for the first {few} sentences
with `engine="python"`, which stores them. The last row is the whole command
`schemata run eisner1996 --conllu FILE --json` over a file of these, which reads it, counts derivations and
distinct trees within a budget, lists ten trees of every sentence and prints them; it is measured in
processor seconds, the rest by the wall clock."""
HEADER = ("what", "sentences", "s", "sentences/s")


def measure(setup: Setup) -> Section:
    """Return the table."""
    title, about = "A treebank", ABOUT.format(few=FEW)
    if setup.treebank is None:
        return Section(title, about, HEADER, [], ["left out: no treebank"])
    found = [s for s in read_conllu(setup.treebank) if isinstance(s, schemata.Sentence)]
    if setup.quick:
        found = found[:FEW]
    first = found[:FEW]
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
            ("whole command", len(first), _command(setup.treebank, len(first), setup.scratch)),
        )
    ]
    rate = len(found) / count.least
    notes = [f"{setup.treebank.name}: {sum(map(len, found)) / len(found):.1f} words a sentence on average"]
    if rate < TARGET:
        notes.append(f"**counting: {rate:,.0f} sentences/s, below {TARGET:,}**")
    return Section(title, about, HEADER, rows, notes)


def _command(treebank: Path, count: int, scratch: Path) -> float:
    """Return the processor seconds of the whole command over a treebank's first sentences."""
    blocks = treebank.read_text(encoding="utf-8").split("\n\n")[:count]
    path = scratch / "part.conllu"
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return processor_seconds(["run", "eisner1996", "--conllu", str(path), "--json"])
