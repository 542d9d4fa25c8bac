"""Writes the table of docs/house.md that says what additions cost: `python .ci/costs.py`.

Of each thing that one may add, all that are there are counted, none chosen: in how many modules of the package does one
of them stand? Nodes of the language, kinds and semirings stand where their Python names do; types and formats where
their names are whole strings; a command where its function is defined or imported, and where its name begins a line of
a string in the room of the commands.
"""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import NamedTuple, get_args

sys.path.insert(0, str(Path(__file__).parents[1]))

from schemata import kinds
from schemata.cli.main import COMMANDS
from schemata.display.saved import SUFFIXES
from schemata.language import model
from schemata.weights import semiring

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "house.md"


class Cost(NamedTuple):
    """What one may add, and in how many modules each of those that are there stands."""

    title: str
    modules: Mapping[str, int]

    @property
    def row(self) -> str:
        """The row of the table."""
        counts = sorted(self.modules.values())
        middle, most = (
            statistics.median_high(counts),
            max(self.modules, key=lambda name: (self.modules[name], name)),
        )
        return f"| {self.title} | {len(counts)} | {counts[0]} | {middle} | {counts[-1]}, `{most}` |"


def additions() -> Iterator[tuple[str, Mapping[str, set[str]]]]:
    """Yield what one may add: all that are there, each with the marks by which it is known."""
    nodes = {*get_args(model.Term), *get_args(model.Condition)}
    yield "a term or a condition", {one.__name__: {f"{one.__module__}.{one.__name__}"} for one in nodes}
    yield "a type", {name: {f"'{name}'"} for name in get_args(model.Kind)}
    registered = [("a structure kind", kinds.StructureKind), ("a grammar format", kinds.GrammarKind)]
    for title, of in registered:
        yield (
            title,
            {x: {f"{kinds.__name__}.{x}"} for x, value in vars(kinds).items() if isinstance(value, of)},
        )
    values = {id(value) for value in semiring.SEMIRINGS.values()}
    yield (
        "a semiring",
        {x: {f"{semiring.__name__}.{x}"} for x, v in vars(semiring).items() if id(v) in values},
    )
    places = {name: f"schemata.cli.{place.replace(':', '.')}" for name, (place, _) in COMMANDS.items()}
    yield "a command", {name: {f"schemata.cli: '{name}'", place} for name, place in places.items()}
    yield "a file format of pictures and texts", {suffix: {f"'{suffix}'"} for suffix in SUFFIXES}


def marks_of(tree: ast.Module, module: str) -> set[str]:
    """Return the names that a module defines or has from others, in full; and its texts, in quotes."""
    nodes = list(ast.walk(tree))
    found = {f"{module}.{x.name}" for x in nodes if isinstance(x, ast.ClassDef | ast.FunctionDef)}
    homes: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.ImportFrom(module=str(home)):
                homes |= {x.asname or x.name: f"{home}.{x.name}" for x in node.names}
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.add(f"{module}.{name}")
            case ast.Constant(value=str(text)):
                found.add(f"'{text}'")
                room = module.rpartition(".")[0]
                found |= {f"{room}: '{line.split()[0]}'" for line in text.splitlines() if line.strip()}
    found |= {*homes.values()}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=of) if name in homes:
                found.add(f"{homes[name]}.{of}")
    return found


def costs(package: Path, asked: Iterator[tuple[str, Mapping[str, Set[str]]]]) -> list[Cost]:
    """Return the costs in a package."""
    files = [
        marks_of(
            ast.parse(path.read_text("utf-8")),
            ".".join(path.relative_to(package.parent).with_suffix("").parts),
        )
        for path in sorted(package.rglob("*.py"))
    ]
    return [
        Cost(title, {name: sum(not marks.isdisjoint(one) for one in files) for name, marks in those.items()})
        for title, those in asked
    ]


def table() -> str:
    """Return the table."""
    head = "| to add | there are | modules in which one stands: least | median | most |\n|---|---:|---:|---:|---|"
    return "\n".join([head, *(cost.row for cost in costs(ROOT / "schemata", additions()))])


def page() -> str:
    """Return the page with the table as it is now."""
    pattern = r"(<!-- costs -->\n\n).*?(\n\n<!-- end of costs -->)"
    return re.sub(
        pattern, lambda found: found[1] + table() + found[2], PAGE.read_text("utf-8"), count=1, flags=re.S
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
