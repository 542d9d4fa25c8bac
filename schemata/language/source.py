"""The text of a schema file: read safely, split into lines, with comments blanked out.

Reading a file gives a `SourceText`, or raises a located `SchemaError` if the file is missing, binary, huge, not
UTF-8 or empty. Every later stage points into the text with a `Span`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from schemata.errors import Diagnostic, Location, SchemaError, did_you_mean, one_of
from schemata.kinds import GRAMMAR_SUFFIXES
from schemata.records import Record, field
from schemata.text_files import lines_of, read_file
from schemata.thresholds import EFFORTS, REFUSALS

SUFFIX = ".schema"
RELATION_SUFFIX = ".relation"
# Files that were read, None for those that were looked for and are not there.
Sources: TypeAlias = "dict[Path, SourceText | None]"
QUOTED = r"""(?:"(?:[^"\\\n]|\\.)*"|(?<![\w'])'(?:[^'\\\n]|\\.)*')"""
"""A symbol or a word in quotes, as a regular expression."""

_COMMENT = re.compile(rf"{QUOTED}|#.*")


class SourceText(Record):
    """A schema file's text in NFC: its name for messages, its lines, and the same lines without comments."""

    file: str
    lines: tuple[str, ...] = field(hash=False)
    code: tuple[str, ...] = field(repr=False, compare=False)
    path: Path | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        """The file's text, comments included."""
        return "\n".join(self.lines) + "\n"

    def filled(self, first: int, last: int) -> list[int]:
        """Return the numbers of the lines from first to last that hold more than comments."""
        return [k for k in range(first, last + 1) if self.code[k - 1].strip()]


class Span(Record):
    """A stretch of one line of a source text: 1-based line and columns, `end` one past the last."""

    source: SourceText = field(repr=False)
    line: int
    column: int
    end: int

    def report(
        self,
        code: str,
        message: str,
        *,
        expected: str | None = None,
        hint: str | None = None,
        severity: Literal["error", "warning"] = "error",
    ) -> Diagnostic:
        """Return a diagnostic about this stretch."""
        lines = self.source.lines
        return Diagnostic(
            code=code,
            message=message,
            location=Location(self.source.file, self.line, self.column, self.end),
            expected=expected,
            hint=hint,
            source_line=lines[self.line - 1] if self.line <= len(lines) else "",
            severity=severity,
        )

    @property
    def text(self) -> str:
        """The stretch of text."""
        return self.source.lines[self.line - 1][self.column - 1 : self.end - 1]


class Findings(list[Diagnostic]):
    """Findings about source texts, errors and warnings, in the order they were made."""

    def report(
        self,
        span: Span,
        code: str,
        message: str,
        expected: str | None = None,
        hint: str | None = None,
        severity: Literal["error", "warning"] = "error",
    ) -> None:
        """Add a finding about a stretch of text."""
        self.append(span.report(code, message, expected=expected, hint=hint, severity=severity))

    def report_unknown(
        self, span: Span, code: str, message: str, known: Iterable[str], otherwise: str = "a name"
    ) -> None:
        """Add a finding about an unknown name at this place, if there is one."""
        names = list(known)
        expected = one_of(names) if names else otherwise
        self.report(span, code, message, expected, did_you_mean(span.text, names))

    def knows(self, span: Span, code: str, name: str, known: Collection[str], otherwise: str) -> bool:
        """Whether there is an input, a part or a relation of a name; adds a finding of code `unknown-...` if not."""
        if name not in known:
            self.report_unknown(
                span, code, f"there is no {code.removeprefix('unknown-')} {name}", known, otherwise
            )
        return name in known

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that are errors."""
        return [f for f in self if f.severity == "error"]

    def too_many(self, before: int = 0) -> bool:
        """Whether, after the first `before` findings, more errors were added than are shown of one file."""
        most = EFFORTS.reported_errors
        return len(self) - before > most and sum(f.severity == "error" for f in self[before:]) > most


def read_source(path: Path) -> SourceText:
    """Read a schema file: UTF-8 (a byte-order mark and CRLF are accepted), compared in NFC.

    Raises
    ------
    SchemaError : the file cannot be read, is empty, binary, too large or not UTF-8.
    """
    what = "a relation file" if path.suffix == RELATION_SUFFIX else "a schema file"
    if path.suffix in GRAMMAR_SUFFIXES and os.path.isfile(path):
        message, option = "this is a grammar, and stands after a schema", f"--grammar {path}"
        hint = f"schemata run NAME SENTENCE {option}"
        raise SchemaError(Diagnostic("wrong-kind", message, Location(str(path), 1, 1), what, hint))
    text = read_file(path, SchemaError, what, REFUSALS.schema_bytes, path.suffix or SUFFIX)
    return source_from_text(text, str(path), path)


def source_from_text(text: str, file: str, path: Path | None = None) -> SourceText:
    """Return the source text of a string; `file` names it in messages.

    Raises
    ------
    SchemaError : the text is empty, or has a line of more than 2,000 characters.
    """
    lines = tuple(
        line.rstrip() for line in lines_of(text.removesuffix("\n"), file, SchemaError, REFUSALS.schema_line)
    )
    code = tuple(_COMMENT.sub(lambda m: m[0] if m[0][0] != "#" else " " * len(m[0]), line) for line in lines)
    if not any(line.strip() for line in code):
        message = "the file holds only comments" if any(lines) else "the file is empty"
        hint = "a schema begins with: schema NAME"
        if file.endswith(RELATION_SUFFIX):
            hint = "a relation file begins with: relation SCHEMA to SCHEMA"
        raise SchemaError(Diagnostic("empty-file", message, Location(file, 1, 1), hint=hint))
    return SourceText(file, lines, code, path)


def line_span(source: SourceText, line: int, text: str | None = None, start: int = 0) -> Span:
    """Return the span of a line's code, or of the first occurrence of `text` in it from `start` on."""
    content = source.code[line - 1]
    if text is not None and (found := content.find(text, start)) >= 0:
        return Span(source, line, found + 1, found + 1 + max(1, len(text)))
    begin = len(content) - len(content.lstrip())
    return Span(source, line, begin + 1, max(len(content.rstrip()), begin + 1) + 1)
