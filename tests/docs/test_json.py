"""docs/json.md is true: what commands print with `--json` has the keys and types of its tables, and no others.

Small runs of every command are matched against the tables. Every key of a table must occur in one of them, and every
type that a table allows for it.
"""

import itertools
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from schemata.language.library import shipped_relations
from schemata.records import VERSION
from schemata.thresholds import EFFORTS
from tests.support import titled_blocks
from tests.support.commands import Cli

PAGE = Path(__file__).parents[2] / "docs" / "json.md"


class Key(NamedTuple):
    """A row of a table: a key, whether it is always there, and its types."""

    name: str
    optional: bool
    types: tuple[str, ...]


def alternatives(text: str) -> tuple[str, ...]:
    """Return the types of `A, B or C`; those in brackets stay together."""
    parts, depth = [""], 0
    for piece in re.split(r"(, | or |[()\[\]])", _inside(text)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(piece, 0)
        if depth == 0 and piece in (", ", " or "):
            parts.append("")
        else:
            parts[-1] += piece
    return tuple(parts)


def _inside(text: str) -> str:
    """Return a text without the brackets around the whole of it."""
    depths = list(itertools.accumulate({"(": 1, ")": -1}.get(c, 0) for c in text))
    return text[1:-1] if text.startswith("(") and depths.index(0) == len(text) - 1 else text


def tables() -> dict[str, list[Key | str]]:
    """Return the rows of every table by its heading; of a row *all of* the name of the table."""
    found: dict[str, list[Key | str]] = {}
    name = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            name = line.lstrip("# ")
        elif part := re.match(r"\| \*all of\* \[([^\]]+)\]", line):
            found[name].append(part[1])
        elif row := re.match(r"\| `(\w+)`(\?)? \| ([^|]+) \|", line):
            found.setdefault(name, []).append(Key(row[1], bool(row[2]), alternatives(row[3])))
        elif line == "| key | type | meaning |":
            found[name] = []
    return found


TABLES = tables()


def keys(table: str) -> Iterator[tuple[str, Key]]:
    for row in TABLES[table]:
        yield from keys(row) if isinstance(row, str) else [(table, row)]


SIMPLE = {"boolean": bool, "integer": int, "string": str, "null": type(None)}


class Reader:
    """Matches values with types, and remembers what of the tables occurred."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str, str]] = set()

    def differences(self, value: Any, kind: str, path: str) -> list[str]:
        """Return where a value is not of a type."""
        if list_of := kind.removeprefix("list of ") if kind.startswith("list of ") else "":
            if not isinstance(value, list):
                return [f"{path} is not a list: {value!r}"]
            return [x for one in value for x in self.either(one, alternatives(list_of), f"{path}[]")[0]]
        if kind.startswith("object of "):
            if not isinstance(value, dict):
                return [f"{path} is not an object: {value!r}"]
            of = alternatives(kind.removeprefix("object of "))
            return [x for one in value.values() for x in self.either(one, of, f"{path}.*")[0]]
        if table := re.match(r"\[([^\]]+)\]\(#([\w-]+)\)$", kind):
            assert table[1].lower().replace(" ", "-") == table[2], kind
            return self.table(value, table[1], path)
        if kind == "number":
            right = isinstance(value, float)
        elif kind.startswith('"'):
            right = value == kind.strip('"')
        else:
            right = type(value) is SIMPLE[kind]
        return [] if right else [f"{path} is not a {kind}: {value!r}"]

    def either(self, value: Any, kinds: tuple[str, ...], path: str) -> tuple[list[str], str]:
        """Return where a value is of none of some types, and of which it is."""
        found = [(self.differences(value, kind, path), kind) for kind in kinds]
        return min(found, key=lambda one: len(one[0]))

    def table(self, value: Any, name: str, path: str) -> list[str]:
        if not isinstance(value, dict):
            return [f"{path} is not an object: {value!r}"]
        rows = list(keys(name))
        wrong = [f"{path} has the key {key!r}" for key in value.keys() - {row.name for _, row in rows}]
        for table, row in rows:
            if row.name in value:
                found, kind = self.either(value[row.name], row.types, f"{path}.{row.name}")
                wrong += found
                self.seen.add((table, row.name, kind))
            elif not row.optional:
                wrong.append(f"{path} lacks the key {row.name!r}")
        return wrong


SOME = ("arc-eager-published-arc-eager", "collins1996-head-corner5")  # one that holds, one that does not
FILES = titled_blocks(Path(__file__).with_name("json-files.txt"))
COMMANDS = titled_blocks(Path(__file__).with_name("json-commands.txt"))
"""The commands by the table that describes what they print."""

RARE = {
    # No small run is known in which an item of a Link Grammar schema helps to derive itself.
    ("dictionary case", "count", '"infinite"'),
    ("dictionary case", "cycle", "[dictionary step](#dictionary-step)"),
    ("dictionary case", "derivation", "null"),
    # What is derived twice and is not a tree, where no tree is; a search for repairs that is stopped.
    ("ambiguous", "heads", "null"),
    ("repairs", "stopped", "string"),
    # Tens of thousands of derivations.
    ("explain --contents", "contents_complete", "null"),
    # A grade that takes longer than the tenth of a second which an exercise allows at least.
    ("exercise ANSWER", "right", "null"),
    ("exercise ANSWER", "stopped", "string"),
    ("for every n", "contradicted", "list of string"),  # a certificate that is accepted and false
    # Runs that are stopped late, and bottlenecks of runs without steps.
    ("run", "useful_items", "null"),
    ("profile", "bottleneck", "null"),
    ("coverage", "unknown", "object of integer"),  # a run that takes too long
    ("coverage", "seconds", "null"),  # likewise
    ("coverage", "stopped", "string"),  # of treebanks that take longer than the limit
    ("pseudo-projective", "stopped", "string"),
    ("score", "coverage", "null"),  # a tree for which a run takes too long
    ("name", "type", "null"),  # a letter of a layout
    ("verify --recheck", "proved", "null"),  # a check that takes longer than the limit
    ("skipped", "line", "null"),
    ("block", "antecedent", "null"),
    ("bottleneck", "antecedent", "null"),
    # Which step takes longest is another every time.
    ("bottleneck", "case", "string"),
    ("bottleneck", "case", "null"),
    ("bottleneck", "note", "string"),
    ("bottleneck", "note", "null"),
    # Brute force that is stopped between two sentences, or differs.
    ("constraints --verify", "stopped", "string"),
    ("constraints --verify", "holds", "null"),
    ("constraints --verify", "wrong", "[wrong answer](#wrong-answer)"),
    ("wrong answer", "what", "string"),
    ("wrong answer", "grammar", "string"),
    ("wrong answer", "words", "list of string"),
    # Random grammars of rules, which refute only what all trees do not.
    ("grammar", "rules", "list of string"),
    ("grammar", "roots", "list of string"),
    ("grammar", "categories", "list of list of string"),
}
"""What is documented and does not occur below."""


def cases() -> Iterator[tuple[str, list[str]]]:
    for table, commands in COMMANDS.items():
        for command in commands.splitlines():
            yield table, shlex.split(command)


def test_the_tables(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = {name: path for name, path in shipped_relations().items() if name in SOME}
    monkeypatch.setattr("schemata.relations.discovery.shipped_relations", lambda: shipped)
    monkeypatch.setattr(EFFORTS, "lost_configurations", 100)  # a loss of swap-system soon is unknown
    for name, text in FILES.items():
        (tmp_path / name).write_text(f"{text}\n", encoding="utf-8")
    reader, wrong = Reader(), []
    for table, words in cases():
        lines = cli(*words, "--json").out.splitlines()
        assert lines, words
        for found in map(json.loads, lines):
            assert found.pop("version") == VERSION
            wrong += [f"{' '.join(words)}: {x}" for x in reader.table(found, table, table)]
    assert not wrong, "\n".join(wrong)
    rows = ((name, row) for name in TABLES for row in TABLES[name] if isinstance(row, Key))
    documented = {(name, row.name, kind) for name, row in rows for kind in row.types}
    assert documented >= RARE
    missing = sorted(
        f"{table}: {key} is never {kind}" for table, key, kind in documented - RARE - reader.seen
    )
    assert not missing, "\n".join(missing)
