"""The table of docs/structures.md that says which command knows which structure: every cell is tried."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.charts import schema_text
from tests.support.commands import Cli, Written

PAGE = Path(__file__).parents[2] / "docs" / "structures.md"

TRIED = {
    "trees of words": [("eisner1996", "a b c")],
    "graphs": [("noncrossing", "a b c")],
    "constituent trees": [("cyk", "the dog slept", "--grammar", "example")],
    "linkages": [("eisner-satta-lg", "the cat ran", "--grammar", "example")],
    "semantic graphs": [("hyperedge-replacement", "the boy sleeps", "--grammar", "example")],
    "alignments": [("edit-distance", "a b ||| a c")],
    "sets": [("nussinov", "G C", "--grammar", "example")],
}
SYSTEMS = {"trees of words": "arc-standard-system", "graphs": "arc-eager-system"}
ITEMS = {
    "eisner1996": "span[0, 1, false, false]",
    "noncrossing": "some[1, 1]",
    "cyk": "edge[Det, 1, 1]",
    "edit-distance": "edit[0, 0, 0]",
    "hyperedge-replacement": "part[NP, 0, 2, 2, -]",
}
FORMATS = {
    "CoNLL-U": "conllu",
    "brackets": "brackets",
    "discbracket": "discbracket",
    "NeGra": "negra",
    "Pharaoh": "pharaoh",
    "PENMAN": "penman",
}


def cells() -> Iterator[tuple[str, str, str]]:
    """Yield the rows, columns and cells of the table; alignments and sets have a column each here."""
    lines = PAGE.read_text("utf-8").splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("| | trees of words"))
    _, *columns = (x.strip() for x in lines[first].strip("|").split("|"))
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            return
        row, *found = (x.strip() for x in line.strip("|").split("|"))
        for column, cell in zip(columns, found, strict=True):
            for one in column.split(", "):
                yield row, one, cell


COMMANDS: dict[str, tuple[str, ...]] = {  # of each row; `it` is a schema with a sentence and its grammar
    "`run`: count, list, draw, SVG, JSON": ("run {it} --svg {folder}/x.svg", "run {it} --json"),
    "`run --tikz`": ("run {it} --tikz {folder}/x.tex",),
    "`run --best`, `--sample`": ("run {it} --best 1 --sample 1",),
    "`run --marginals`": ("run {it} --marginals",),
    "`run --control`": ("run {it} --control greedy",),
    "`step` shows the state": ("step {it}",),
    "`step --heads` marks the way to a tree": ("step {it} --heads 2,0,2",),
    "`explain`, `why-not`, `compare`, `profile`": (
        "explain {name} {words} {item} {more}",
        "why-not {it}",
        "profile {it}",
        "compare {name} --sentence {words} {more}",
    ),
    "`why-not --heads`": ("why-not {it} --heads 2,0,2",),
    "`verify`": ("verify {name} --max-n 2",),
    "`verify --same-as`": ("verify {name} --same-as {name} --max-n 2 {of_sets}",),
    "`oracle`, `system`, `tabulate`": ("system {system} --max-n 2", "oracle {system} 'a b c' --heads 2,0,2"),
    "`relate` compares what steps build": (),  # see below
}


def commands(row: str, column: str, tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield what a row names, and its commands for a structure."""
    ((name, *given),) = TRIED[column]
    words, *more = map(shlex.quote, given)
    if row == "`run --export`":
        for shown, option in FORMATS.items():
            yield shown, ["run", name, *given, "--export", option]
        return
    places = {"name": name, "words": words, "more": " ".join(more), "it": " ".join((name, words, *more))}
    places |= {"folder": str(tmp_path), "item": shlex.quote(ITEMS.get(name, ""))}
    places |= {
        "system": SYSTEMS.get(column, name),
        "of_sets": " ".join(more) if column in ("sets", "semantic graphs") else "",
    }
    for command in COMMANDS[row]:
        no_item = command.startswith("explain") and name not in ITEMS
        if not (no_item or (command.startswith("oracle") and column == "graphs")):  # planar systems have none
            yield "", shlex.split(command.format(**places))


@pytest.mark.parametrize(("row", "column", "cell"), list(cells()))
def test_every_cell(row: str, column: str, cell: str, cli: Cli, tmp_path: Path) -> None:
    for shown, words in commands(row, column, tmp_path):
        code, out, err = cli(*words)
        known = cell != "no"
        if shown:  # formats, by name
            known = shown in cell.split(", ") and not (column == "sets" and shown == "Pharaoh")
        elif cell == "alignments":
            known = column == "alignments"
        assert code in ((0, 1) if known else (2,)), (words, err)
        assert bool(out) is known, (words, out)
        assert known or re.match("error: ", err), words


REVERSED = schema_text("reversed")
NAMED = schema_text("named")


@pytest.mark.parametrize(("text", "base", "code"), [(REVERSED, "collins1996", 1), (NAMED, "cyk", 0)])
def test_what_relate_compares(text: str, base: str, code: int, cli: Cli, written: Written) -> None:
    """Links, and no constituents."""
    path = written(f"{text.split()[1]}.schema", text)
    assert cli("relate", base, str(path), "--kind", "step-refinement", "--max-n", "2").code == code
