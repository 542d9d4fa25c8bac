"""Texts as editors have them: a document, its places and ranges, and places of the checker turned into them.

Places are those of the language server protocol, and of JavaScript: line and character from 0, a character outside the
basic plane counted as two. The checker's columns count characters of the normalised line from 1.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from pathlib import Path
from typing import Literal, TypeAlias

from schemata.language.source import RELATION_SUFFIX, SUFFIX, SourceText, Span
from schemata.records import Record

_LINE_END = re.compile(r"\r\n|\r|\n")
_FAR = 1 << 30  # no line is so long

Language: TypeAlias = Literal["schema", "relation", "grammar"]


class Position(Record):
    """A place in a text: line and character from 0, in units of UTF-16."""

    line: int
    character: int

    def to_json(self) -> dict[str, int]:
        """Return the place as the protocol has it."""
        return {"line": self.line, "character": self.character}


class TextRange(Record):
    """A stretch of a text; `end` is the place behind it."""

    start: Position
    end: Position

    def to_json(self) -> dict[str, object]:
        """Return the range as the protocol has it."""
        return {"start": self.start.to_json(), "end": self.end.to_json()}


class Edit(Record):
    """A change of a text: new text in place of a range."""

    range: TextRange
    text: str

    def to_json(self) -> dict[str, object]:
        """Return the change as the protocol has it."""
        return {"range": self.range.to_json(), "newText": self.text}


class Document(Record):
    """A text with the path of its file, by whose suffix it is a schema, a relation or a grammar.

    Files that a text names are looked for beside it, then among the shipped ones.
    """

    text: str
    path: Path

    @property
    def lines(self) -> list[str]:
        """The lines of the text without their ends."""
        return _lines(self.text)

    @property
    def language(self) -> Language:
        """The kind of the file, by its suffix; a file of another suffix is read as a schema."""
        from schemata.grammars.kinds import kind_of_suffix

        suffix = self.path.suffix.lower()
        if suffix == RELATION_SUFFIX:
            return "relation"
        return "grammar" if suffix and suffix != SUFFIX and kind_of_suffix(suffix) else "schema"

    def line(self, number: int) -> str:
        """Return a line by its number from 0; beyond the text, an empty one."""
        lines = self.lines
        return lines[number] if 0 <= number < len(lines) else ""

    def place_of(self, position: Position) -> tuple[int, int]:
        """Return the line and the column of a place as the checker counts them; places out of the text are moved in."""
        lines = self.lines
        number = min(max(position.line, 0), len(lines) - 1)
        line = _without_mark(lines[number], number)
        units = (
            max(0, min(position.character, _FAR))
            if position.line == number
            else _FAR * (position.line > number)
        )
        shift = len(lines[number]) - len(line)  # of a byte order mark
        before = _characters(line, max(0, units - shift))
        return number + 1, len(unicodedata.normalize("NFC", line[:before])) + 1

    def position_of(self, line: int, column: int) -> Position:
        """Return the place of a line and a column of the checker."""
        lines = self.lines
        number = min(max(line - 1, 0), len(lines) - 1)
        raw = lines[number]
        text = _without_mark(raw, number)
        return Position(
            number, _units(raw[: len(raw) - len(text)]) + _units(text[: _original(text, column - 1)])
        )

    def range_at(self, line: int, start: int, end: int) -> TextRange:
        """Return the range from one column of a line to another one."""
        return TextRange(self.position_of(line, start), self.position_of(line, max(end, start)))

    def range_of(self, span: Span) -> TextRange:
        """Return the range of a span of the checker."""
        return self.range_at(span.line, span.column, span.end)

    @property
    def whole(self) -> TextRange:
        """The range of the whole text."""
        lines = self.lines
        return TextRange(Position(0, 0), Position(len(lines) - 1, _units(lines[-1])))

    def with_edits(self, edits: list[Edit]) -> Document:
        """Return the document after changes, none of which overlap."""
        lines = self.lines
        starts = [0]
        for found in _LINE_END.finditer(self.text):
            starts.append(found.end())

        def offset(position: Position) -> int:
            number = min(position.line, len(lines) - 1)
            return starts[number] + _characters(lines[number], position.character)

        text = self.text
        for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            text = text[: offset(edit.range.start)] + edit.text + text[offset(edit.range.end) :]
        return Document(text, self.path)


def document_of(source: SourceText) -> Document:
    """Return a file that the checker has read as a document."""
    return Document(source.text, source.path or Path(source.file))


@functools.lru_cache(maxsize=8)
def _lines(text: str) -> list[str]:
    return _LINE_END.split(text)


def _without_mark(line: str, number: int) -> str:
    return line.removeprefix("\ufeff") if number == 0 else line


def _units(text: str) -> int:
    """Return the length of a text in units of UTF-16."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def _characters(line: str, units: int) -> int:
    """Return how many characters of a line are within a number of units; half a character is none."""
    if line.isascii():
        return min(units, len(line))
    for k, character in enumerate(line):
        units -= 2 if character > "\uffff" else 1
        if units < 0:
            return k
    return len(line)


def _original(line: str, count: int) -> int:
    """Return how many characters of a line become its first `count` characters when it is normalised."""
    if line.isascii() or unicodedata.is_normalized("NFC", line):
        return min(max(count, 0), len(line))
    for k in range(len(line)):
        whole = k == 0 or not unicodedata.combining(line[k])
        if whole and len(unicodedata.normalize("NFC", line[:k])) >= count:
            return k
    return len(line)
