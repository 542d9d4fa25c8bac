"""The text of a schema file: read safely, split into lines, with comments blanked out.

Whatever the file is (missing, binary, huge, not UTF-8, empty), reading it either gives a `SourceText` or
raises a located `SchemaError`. Every later stage points into the text with a `Span`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from schemata.errors import Diagnostic, Location, SchemaError

SIZE_LIMIT = 1_000_000  # bytes; the longest shipped schema has a few thousand
LINE_LIMIT = 2_000  # characters; a rule is read by people
# Files that were read, None for those that were looked for and are not there.
Sources: TypeAlias = "dict[Path, SourceText | None]"
_COMMENT = re.compile(r'"[^"\n]*"|#.*')


@dataclass(frozen=True, slots=True)
class SourceText:
    """A schema file's text in NFC: its name for messages, its lines, and the same lines without comments."""

    file: str
    lines: tuple[str, ...]
    code: tuple[str, ...] = field(repr=False)
    path: Path | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceText) and (self.file, self.lines) == (other.file, other.lines)

    def __hash__(self) -> int:
        return hash(self.file)

    @property
    def text(self) -> str:
        """The file's text, comments included."""
        return "\n".join(self.lines) + "\n"

    def filled(self, first: int, last: int) -> list[int]:
        """Return the numbers of the lines from first to last that hold more than comments."""
        return [k for k in range(first, last + 1) if self.code[k - 1].strip()]


@dataclass(frozen=True, slots=True)
class Span:
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

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that are errors."""
        return [f for f in self if f.severity == "error"]


def read_source(path: Path) -> SourceText:
    """Read a schema file: UTF-8 (a byte-order mark and CRLF are accepted), compared in NFC.

    Raises
    ------
    SchemaError : the file cannot be read, is empty, binary, too large or not UTF-8.
    """
    file = str(path)
    try:
        if path.is_dir():
            raise _unreadable(file, "is a directory", "name a .schema file in it")
        # A bounded read also ends on devices and pipes, which have no size.
        with path.open("rb") as stream:
            data = stream.read(SIZE_LIMIT + 1)
    except OSError as problem:
        raise _unreadable(file, f"cannot be read: {problem.strerror or problem}", None) from problem
    except ValueError as problem:
        raise _unreadable(file, "is no file name", None) from problem
    if len(data) > SIZE_LIMIT:
        raise _unreadable(file, "is too large", f"at most {SIZE_LIMIT:,} bytes are read")
    if b"\0" in data:
        raise _unreadable(file, "is not a text file (it holds NUL bytes)", "a schema is UTF-8 text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        start = data.rfind(b"\n", 0, problem.start) + 1
        shown = data[start : data.find(b"\n", start) if b"\n" in data[start:] else None]
        column = len(data[start : problem.start].decode("utf-8", "replace")) + 1
        raise SchemaError(
            Diagnostic(
                "not-utf-8",
                f"byte 0x{data[problem.start]:02x} is not UTF-8",
                Location(file, line, column),
                expected="a file in UTF-8",
                hint="save the file in UTF-8",
                source_line=shown.decode("utf-8", "replace").rstrip("\r"),
            )
        ) from problem
    return source_from_text(text, file, path)


def source_from_text(text: str, file: str, path: Path | None = None) -> SourceText:
    """Return the source text of a string; `file` names it in messages.

    Raises
    ------
    SchemaError : the text is empty, too large, or has a line of more than 2,000 characters.
    """
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff"))
    if len(text) > SIZE_LIMIT:
        raise _unreadable(file, "is too large", f"at most {SIZE_LIMIT:,} characters are read")
    lines = tuple(line.rstrip() for line in re.split(r"\r\n|\r|\n", text.removesuffix("\n")))
    for number, line in enumerate(lines, start=1):
        if len(line) > LINE_LIMIT:
            raise SchemaError(
                Diagnostic(
                    "line-too-long",
                    f"the line has {len(line):,} characters",
                    Location(file, number, LINE_LIMIT + 1),
                    expected=f"at most {LINE_LIMIT:,} characters in a line",
                    source_line=line,
                )
            )
    code = tuple(_COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else " " * len(m[0]), line) for line in lines)
    if not any(line.strip() for line in code):
        what = "holds only comments" if any(lines) else "is empty"
        relation = file.endswith(".relation")
        first = "a relation file begins with: relation SCHEMA to SCHEMA"
        raise _unreadable(file, what, first if relation else "a schema begins with: schema NAME")
    return SourceText(file, lines, code, path)


def _unreadable(file: str, what: str, hint: str | None) -> SchemaError:
    shown = f"the file {what}" if file else what
    return SchemaError(Diagnostic("unreadable", shown, Location(file, 1, 1), hint=hint))


def line_span(source: SourceText, line: int, text: str | None = None, start: int = 0) -> Span:
    """Return the span of a line's code, or of the first occurrence of `text` in it from `start` on."""
    content = source.code[line - 1]
    if text is not None and (found := content.find(text, start)) >= 0:
        return Span(source, line, found + 1, found + 1 + max(1, len(text)))
    begin = len(content) - len(content.lstrip())
    return Span(source, line, begin + 1, max(len(content.rstrip()), begin + 1) + 1)
