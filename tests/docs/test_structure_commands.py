"""The table of docs/structures.md that says which command knows which structure: every cell is tried."""

import re
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
    "alignments": [("edit-distance", "a b ||| a c")],
    "sets": [("nussinov", "G C", "--grammar", "example")],
}
SYSTEMS = {"trees of words": "arc-standard-system", "graphs": "arc-eager-system"}
ITEMS = {
    "eisner1996": "span[0, 1, false, false]",
    "noncrossing": "some[1, 1]",
    "cyk": "edge[Det, 1, 1]",
    "edit-distance": "edit[0, 0, 0]",
}
FORMATS = {
    "CoNLL-U": "conllu",
    "brackets": "brackets",
    "discbracket": "discbracket",
    "NeGra": "negra",
    "Pharaoh": "pharaoh",
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


def commands(row: str, column: str, tmp_path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what a row names, and its commands for a structure."""
    ((name, words, *more),) = TRIED[column]
    heads, same = ("--heads", "2,0,2"), ("--max-n", "2", *more)
    match row:
        case "`run`: count, list, draw, SVG, JSON":
            yield "", ("run", name, words, *more, "--svg", str(tmp_path / "x.svg"))
            yield "", ("run", name, words, *more, "--json")
        case "`run --tikz`":
            yield "", ("run", name, words, *more, "--tikz", str(tmp_path / "x.tex"))
        case "`run --export`":
            for shown, option in FORMATS.items():
                yield shown, ("run", name, words, *more, "--export", option)
        case "`run --best`, `--sample`":
            yield "", ("run", name, words, *more, "--best", "1", "--sample", "1")
        case "`run --marginals`":
            yield "", ("run", name, words, *more, "--marginals")
        case "`run --control`":
            yield "", ("run", name, words, *more, "--control", "greedy")
        case "`step` shows the state":
            yield "", ("step", name, words, *more)
        case "`step --heads` marks what leads to a tree":
            yield "", ("step", name, words, *more, *heads)
        case "`explain`, `why-not`, `compare`, `profile`":
            if name in ITEMS:
                yield "", ("explain", name, words, ITEMS[name], *more)
            yield "", ("why-not", name, words, *more)
            yield "", ("profile", name, words, *more)
            yield "", ("compare", name, "--sentence", words, *more)
        case "`why-not --heads`":
            yield "", ("why-not", name, words, *more, *heads)
        case "`verify`":
            yield "", ("verify", name, "--max-n", "2")
        case "`verify --same-as`":
            yield "", ("verify", name, "--same-as", name, *(same if column == "sets" else same[:2]))
        case "`oracle`, `system`, `tabulate`":
            system = SYSTEMS.get(column, name)
            yield "", ("system", system, "--max-n", "2")
            if column != "graphs":  # of graphs, planar systems are tabulated by no schema
                yield "", ("oracle", system, "a b c", *heads)
        case "`relate` compares what steps build":
            pass  # see below
        case _:
            raise AssertionError(f"no commands for {row}")


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
