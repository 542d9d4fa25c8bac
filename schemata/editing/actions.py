"""Changes that an editor offers: hints of findings carried out, mirror images of steps, the layout; signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from schemata.editing.analysis import Analysis, analysed, errors_in
from schemata.editing.completion import inherited_names
from schemata.editing.document import Document, Edit, Position, TextRange
from schemata.editing.findings import Finding, diagnostics
from schemata.language.files import read_schema_text
from schemata.language.index import Block
from schemata.language.layout import formatted
from schemata.language.source import QUOTED
from schemata.records import Record
from schemata.thresholds import EFFORTS

_MEANT = re.compile(r"did you mean (.+)\?")
_NAMED = ("unknown-keyword", "unknown-type", "unknown-grammar")
_HYPOTHESIS = re.compile(r"hypothesis [^\W\d_]\w*'*\[.*")
_SIDES = (("Left", "Right"), ("left", "right"), (r"\bL\b", "R"), (r"\bR\b", "L"))


class Action(Record):
    """An offered change: its title, its edits, and the finding that it mends, if any."""

    title: str
    edits: tuple[Edit, ...]
    mends: Finding | None = None


def actions(text: str, place: TextRange, path: str | Path = "schema") -> list[Action]:
    """Return the changes that are offered for a range: findings mended, and the mirror image of the step there."""
    known = analysed(Document(text, Path(path)))
    found = [
        action for x in diagnostics(text, path) if _touch(x.range, place) for action in _mended(known, x)
    ]
    if known.schema is not None:
        found += _mirror(known, place)
    return found


def _touch(one: TextRange, other: TextRange) -> bool:
    def key(position: Position) -> tuple[int, int]:
        return position.line, position.character

    return key(one.start) <= key(other.end) and key(other.start) <= key(one.end)


def _mended(known: Analysis, found: Finding) -> Iterator[Action]:
    hint = found.hint or ""
    if meant := _MEANT.search(hint):
        for word in re.split(r" or |, ", meant[1]):
            plain = word.strip('"' if '"' not in _text_at(known, found.range) else "")
            yield Action(f"change to {plain}", (Edit(found.range, plain),), found)
    elif found.code in _NAMED and (
        written := re.fullmatch(r"write (?:grammar )?([\w-]+(?: of [\w-]+)?)(?:,.*)?", hint)
    ):
        yield Action(f"change to {written[1]}", (Edit(found.range, written[1]),), found)
    if hypothesis := _HYPOTHESIS.search(hint):
        line = _after_headings(known)
        spot = known.document.position_of(line, 1)
        yield Action("add the hypothesis", (Edit(TextRange(spot, spot), f"{hypothesis[0]}\n\n"),), found)
    if found.code == "name-mismatch" and found.expected:
        yield Action(
            f"change to {found.expected}", (Edit(found.range, found.expected.removeprefix("schema ")),), found
        )
    if found.code == "tab":
        edits = [
            Edit(known.document.range_at(k, at + 1, at + 2), "  ")
            for k, line in enumerate(known.source.lines if known.source else (), start=1)
            for at, character in enumerate(line)
            if character == "\t"
        ]
        yield Action("replace all tabs by blanks", tuple(edits), found)
    if found.code == "bracket" and hint.startswith("remove it"):
        yield Action("remove it", (Edit(found.range, ""),), found)


def _text_at(known: Analysis, place: TextRange) -> str:
    return known.document.line(place.start.line)[place.start.character : place.end.character]


def _after_headings(known: Analysis) -> int:
    """Return the line before which a declaration can be added: that of the first one that is not a heading."""
    headings = ("schema", "title", "source", "grammar", "structure", "input", "type", "relation", "define")
    later = (b.first for b in known.index.blocks if b.keyword not in headings)
    return next(later, len(known.document.lines))


def _mirror(known: Analysis, place: TextRange) -> Iterator[Action]:
    """Yield the declaration of a step's mirror image, where it has one and the schema has no errors with it."""
    block = known.index.block_at(place.start.line + 1)
    if block is None or block.keyword != "step" or not block.name:
        return
    name = _other_side(block.name)
    if any(x.name == name for x in known.index.of("step")):
        return
    document = known.document
    end = document.position_of(block.last, len(document.line(block.last - 1)) + 1)
    edit = Edit(TextRange(end, end), f"\n\nmirror step {block.name} as {name}")
    if _fits(known, block, edit):
        yield Action(f"add its mirror image, {name}", (edit,))


def _fits(known: Analysis, block: Block, edit: Edit) -> bool:
    """Whether the image of a step makes no errors.

    Other steps and claims about items are left out, since errors of the step do not depend on them: to check all of a
    long schema twice takes an editor too long.
    """
    alone = known.alone(block)
    errors = _errors(alone.with_edits([edit]))
    return not errors or errors <= _errors(alone)


def _errors(document: Document) -> set[tuple[str, str]]:
    return {(x.code, x.message) for x in errors_in(document)}


def _other_side(name: str) -> str:
    for one, other in (*_SIDES, ("Right", "Left"), ("right", "left")):
        if re.search(one, name):
            return re.sub(one, other, name, count=1)
    return f"Mirror-{name}"


def formatting(text: str, path: str | Path = "schema") -> list[Edit]:
    """Return the change that lays a schema out as `schemata format` does; nothing where it has errors."""
    known = analysed(Document(text, Path(path)))
    if known.schema is None or known.source is None or known.document.language != "schema":
        return []
    laid_out = formatted(known.source)
    if "\r\n" in text:
        laid_out = laid_out.replace("\n", "\r\n")
    if laid_out == text:
        return []
    file = known.document.path if known.document.path.suffix else None
    again, _ = read_schema_text(laid_out, known.file, path=file)
    if again != known.schema:
        return []
    return [Edit(known.document.whole, laid_out)]


class SignatureHelp(Record):
    """The content of the brackets around a place: the declaration, its parts, and the number of the part there."""

    label: str
    parts: tuple[str, ...]
    active: int
    about: str = ""


_OPENING = re.compile(r"([^\W\d_]\w*'*)\s*$")


def signature(text: str, position: Position, path: str | Path = "schema") -> SignatureHelp | None:
    """Return the fields of the item, or the arguments of the relation or abbreviation, around a place."""
    known = analysed(Document(text, Path(path)), checked=False)
    line, column = known.document.place_of(position)
    if known.source is None or line > len(known.source.code):
        return None
    rows = [
        *known.source.code[max(0, line - 1 - EFFORTS.bracket_rows) : line - 1],
        known.source.code[line - 1][: column - 1],
    ]
    before = re.sub(QUOTED, lambda m: '"' * len(m[0]), " ".join(rows))
    depth, commas = 0, 0
    for k in range(len(before) - 1, -1, -1):
        character = before[k]
        depth += (character in ")]>") - (character in "[(<")
        if character == "," and depth == 0:
            commas += 1
        elif depth < 0 and character in "[(":
            named = _OPENING.search(before[:k])
            return _signature(known, named[1], commas) if named else None
        elif depth < 0:
            depth, commas = 0, 0  # the brackets of a list, or a comparison
    return None


def _signature(known: Analysis, name: str, active: int) -> SignatureHelp | None:
    names = (
        *known.index.names,
        *(
            x
            for kind in ("item", "relation", "definition", "constructor")
            for x in inherited_names(known, kind)
        ),
    )
    for found in names:
        if (
            found.name == name
            and found.type
            and found.kind in ("item", "relation", "definition", "constructor")
        ):
            inside = re.search(r"[\[(](.*)[\])]", found.type)
            parts = tuple(part.strip() for part in inside[1].split(",")) if inside and inside[1] else ()
            return SignatureHelp(found.type, parts, min(active, max(0, len(parts) - 1)), found.comment)
    return None
