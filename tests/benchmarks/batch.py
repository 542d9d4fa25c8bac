"""A treebank under Eisner 1996: sentences per second."""

from __future__ import annotations

import schemata
from schemata.treebanks.conllu import read_conllu
from tests.benchmarks.processes import processor_seconds
from tests.benchmarks.report import Section, Setup, seconds
from tests.benchmarks.timing import clocked, in_turn

__all__ = ["measure"]

TARGET = 20_000
ABOUT = """\
All sentences of a treebank file under Eisner 1996 with every link licensed, read beforehand, in one
process, after one round that compiles. *Counting* is `schema.counts(sentences)`: items, step instances and
acceptance of every sentence. *Charts* runs each sentence natively and asks the chart whether the sentence
is accepted; its back-pointers can be asked for. *Python* is the same with `engine="python"`, which stores
them. The last row is the whole command `schemata run eisner1996 --conllu FILE --json`, which reads the
file, counts derivations and distinct trees within a budget, lists ten trees of every sentence and prints
them; it is measured in processor seconds, the rest by the wall clock."""
HEADER = ("what", "sentences", "s", "sentences/s")


def measure(setup: Setup) -> Section:
    """Return the table."""
    title = "A treebank"
    if setup.treebank is None:
        return Section(title, ABOUT, HEADER, [], ["left out: no treebank"])
    found = [s for s in read_conllu(setup.treebank) if isinstance(s, schemata.Sentence)]
    if setup.quick:
        found = found[:200]
    schema = schemata.load("eisner1996")

    def counting() -> None:
        assert all(c.accepted for c in schema.counts(found))

    def charts(engine: str) -> None:
        assert all(schema.run(sentence, engine=engine).accepted for sentence in found)  # type: ignore[arg-type]

    setup.say(f"{len(found)} sentences of {setup.treebank.name}, counting and charts")
    [count, native] = in_turn(setup.rounds, clocked(counting), clocked(lambda: charts("native")))
    setup.say("the same in Python")
    [python] = in_turn(1, clocked(lambda: charts("python")))
    rows = [
        (what, f"{len(found):,}", seconds(sample.least), f"{len(found) / sample.least:,.0f}")
        for what, sample in (
            ("counting", count), ("charts, native", native), ("charts, Python", python)
        )
    ]  # fmt: skip
    setup.say("the same as a command")
    whole, amount = _command(setup, found)
    rows.append(("whole command", f"{amount:,}", seconds(whole), f"{amount / whole:,.0f}"))
    rate = len(found) / count.least
    notes = [f"{setup.treebank.name}: {sum(map(len, found)) / len(found):.1f} words a sentence on average"]
    if rate < TARGET:
        notes.append(f"**counting: {rate:,.0f} sentences/s, below {TARGET:,}**")
    return Section(title, ABOUT, HEADER, rows, notes)


def _command(setup: Setup, found: list[schemata.Sentence]) -> tuple[float, int]:
    """Return the seconds of the whole command, and over how many sentences."""
    assert setup.treebank is not None
    path = setup.treebank
    if setup.quick:
        blocks = setup.treebank.read_text(encoding="utf-8").split("\n\n")[: len(found)]
        path = setup.scratch / "part.conllu"
        path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return processor_seconds(["run", "eisner1996", "--conllu", str(path), "--json"]), len(found)
