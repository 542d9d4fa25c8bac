"""Grammar files as text, read safely, and the names in them: every grammar format is read through this module.

Whatever a file is (missing, a directory, binary, huge, not UTF-8), reading it either gives its lines in
NFC or raises a located `GrammarError`. A byte order mark and Windows line ends are accepted. Names and word
forms are compared in NFC.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from schemata.errors import Diagnostic, GrammarError, Location, UsageError, did_you_mean


def nfc(text: str) -> str:
    """Return a text in Unicode normal form C, in which all names and words are compared."""
    return unicodedata.normalize("NFC", text)


def checked(text: str, what: str) -> str:
    """Return a name or word form in NFC.

    Parameters
    ----------
    text : the name.
    what : what it is, for the message.

    Raises
    ------
    UsageError : it is empty, or holds a line break or a null character.
    """
    if not text:
        raise UsageError(f"{what} is empty")
    if not {"\n", "\r", "\0"}.isdisjoint(text):
        raise UsageError(f"{what} {text!r} holds a line break or a null character")
    return nfc(text)


SIZE_LIMIT = 20_000_000  # bytes; rules extracted from the largest treebanks take a few million
LINE_LIMIT = 20_000  # characters
_SHOWN = 200  # characters kept of a line that is too long
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class GrammarText:
    """The lines of a grammar file in NFC, without their line ends, and the file's name for messages."""

    file: str
    lines: tuple[str, ...]


def read_text(path: str | PathLike[str]) -> GrammarText:
    """Read the lines of a grammar file.

    Parameters
    ----------
    path : the file, UTF-8.

    Raises
    ------
    GrammarError : the file cannot be opened, is a directory, is binary, is not UTF-8, or is too large.
    """
    file = fspath(path)
    try:
        with Path(path).open("rb") as stream:  # no more than the limit is read of a pipe or a device
            data = stream.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as problem:  # ValueError: a null character in the path
        raise GrammarError(_unreadable(file, problem)) from problem
    if len(data) > SIZE_LIMIT:
        raise GrammarError(
            Diagnostic(
                "file-too-large",
                f"the file has more than {SIZE_LIMIT:,} bytes",
                Location(file, 1, 1),
                expected="a grammar",
            )
        )
    return text_of(_decoded(file, data), file)


def text_of(text: str, file: str) -> GrammarText:
    """Return the lines of a string; `file` names it in messages.

    Raises
    ------
    GrammarError : a line is too long.
    """
    text = nfc(text.removeprefix("\ufeff"))
    lines = tuple(_LINE_END.split(text))
    for number, line in enumerate(lines, start=1):
        if len(line) > LINE_LIMIT:
            raise GrammarError(
                Diagnostic(
                    "line-too-long",
                    f"the line has {len(line):,} characters",
                    Location(file, number, 1),
                    expected=f"at most {LINE_LIMIT:,} characters in a line",
                    source_line=line[:_SHOWN],
                )
            )
    return GrammarText(file, lines)


def _decoded(file: str, data: bytes) -> str:
    if data.startswith(_UTF16_MARKS):
        raise GrammarError(_not_utf8(file, data, 0, "the file looks like UTF-16: convert it to UTF-8"))
    at = data.find(b"\0")
    if at >= 0:
        raise GrammarError(
            Diagnostic(
                "binary-file",
                "a null byte: this is not a text file",
                _place(file, data, at),
                expected="text in UTF-8",
            )
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        compressed = data.startswith(b"\x1f\x8b")
        hint = "the file is compressed: decompress it" if compressed else "save the file in UTF-8"
        raise GrammarError(_not_utf8(file, data, problem.start, hint)) from problem


def _not_utf8(file: str, data: bytes, at: int, hint: str) -> Diagnostic:
    start = max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at)) + 1
    line = re.split(rb"\r|\n", data[start : start + LINE_LIMIT], maxsplit=1)[0]
    return Diagnostic(
        "not-utf8",
        f"byte 0x{data[at]:02X} is not valid UTF-8",
        _place(file, data, at),
        expected="text in UTF-8",
        hint=hint,
        source_line=line.decode("utf-8", "replace"),
    )


def _place(file: str, data: bytes, at: int) -> Location:
    """Return the line and column of a byte."""
    before = data[:at].removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    lines = _LINE_END.split(before)
    return Location(file, len(lines), len(lines[-1]) + 1)


def _unreadable(file: str, problem: OSError | ValueError) -> Diagnostic:
    code, message, hint = "unreadable-file", f"the file cannot be read: {problem}", None
    if isinstance(problem, FileNotFoundError):
        code, message = "file-not-found", "there is no such file"
        hint = _neighbours(Path(file)) or "the path is taken relative to the current directory"
    elif isinstance(problem, IsADirectoryError):
        code, message, hint = "is-a-directory", "this is a directory, not a file", "name a file in it"
    elif isinstance(problem, OSError) and problem.strerror:
        message = f"the file cannot be read: {problem.strerror}"
    return Diagnostic(code, message, Location(file, 1, 1), expected="a grammar file", hint=hint)


def _neighbours(path: Path) -> str | None:
    """Return a hint naming the files next to a missing one whose names are like its own."""
    try:
        return did_you_mean(path.name, (entry.name for entry in path.parent.iterdir()))
    except OSError:
        return None
