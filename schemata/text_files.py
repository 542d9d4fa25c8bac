"""Text files: bytes read as UTF-8, or one finding about a file that is not readable text; files written.

Readers name the expected kind and the error to raise; so findings are worded alike for all kinds of files.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path

from schemata.errors import Diagnostic, Location, SchemataError, UsageError, did_you_mean

_LINE_END = re.compile(r"\r\n|\r|\n")
SHOWN = 200  # characters kept of a line that is too long
_BYTE_LINE_END = re.compile(rb"\r\n|\r|\n")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_file(
    path: str | PathLike[str], error: type[SchemataError], expected: str, limit: int, suffix: str = ""
) -> str:
    """Return the text of a file of at most `limit` bytes; the other parameters are those of `decode` and `unreadable`.

    Raises
    ------
    error : the file cannot be opened, is a directory, is binary, is not UTF-8, or is too large.
    """
    file = fspath(path)
    try:
        with Path(path).open("rb") as stream:  # no more than the limit is read of a pipe or a device
            data = stream.read(limit + 1)
    except (OSError, ValueError) as problem:
        raise error(unreadable(file, problem, expected, suffix)) from problem
    if len(data) > limit:
        message = f"the file has more than {limit:,} bytes"
        raise error(Diagnostic("file-too-large", message, Location(file, 1, 1), expected))
    return decode(data, file, error, "text in UTF-8")


def lines_of(text: str, file: str, error: type[SchemataError], limit: int) -> tuple[str, ...]:
    """Return the lines of a text in NFC, in which names and words are compared, without their line ends.

    Raises
    ------
    error : a line has more than `limit` characters.
    """
    lines = tuple(_LINE_END.split(unicodedata.normalize("NFC", text.removeprefix("\ufeff"))))
    for number, line in enumerate(lines, start=1):
        if len(line) > limit:
            message = f"the line has {len(line):,} characters"
            expected = f"at most {limit:,} characters in a line"
            place = Location(file, number, limit + 1)
            raise error(Diagnostic("line-too-long", message, place, expected, source_line=line))
    return lines


def decode(data: bytes, file: str, error: type[SchemataError], expected: str, line: int | None = None) -> str:
    """Return bytes of a file as text, without a byte order mark.

    Parameters
    ----------
    data : the bytes: a file, or one of its lines.
    file, error, expected : the name of the file in messages, the error to raise, and the expected kind.
    line : the number of the line, if it is one.
    """
    if b"\0" not in data:
        try:
            return data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            pass
    lines = _BYTE_LINE_END.split(data.removeprefix(codecs.BOM_UTF8)) if line is None else [data]
    found = (_undecodable(raw, file, k, expected) for k, raw in enumerate(lines, start=line or 1))
    raise error(next(filter(None, found)))


def _undecodable(raw: bytes, file: str, number: int, expected: str) -> Diagnostic | None:
    """Return the error of a line that is not text, or None."""
    text = raw.decode("utf-8", "replace")
    utf16 = number == 1 and raw.startswith(_UTF16_MARKS)
    column = text.find("\0") + 1
    if column and not utf16:
        message, hint = "a null byte: this is not a text file", "if it is text in UTF-16, convert it to UTF-8"
        place = Location(file, number, column)
        return Diagnostic("binary-file", message, place, expected, hint, text[: column + SHOWN])
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        hint = "save the file in UTF-8"
        if utf16:
            hint = "the file looks like UTF-16: convert it to UTF-8"
        elif number == 1 and raw.startswith(b"\x1f\x8b"):
            hint = "the file is compressed: decompress it"
        message = f"byte 0x{raw[problem.start]:02X} is not valid UTF-8"
        place = Location(file, number, len(raw[: problem.start].decode("utf-8")) + 1)
        return Diagnostic("not-utf8", message, place, expected, hint, text)
    return None


def unreadable(
    file: str, problem: OSError | ValueError, expected: str, suffix: str = "", line: int = 1
) -> Diagnostic:
    """Return the finding that a file cannot be opened, or not be read from some line on.

    Parameters
    ----------
    file, expected : the name of the file in messages, and the expected kind.
    problem : the error of the system; a ValueError for a null character in the path.
    suffix : the suffix of such files, if it is known.
    line : the line that was to be read.
    """
    code, message, hint = "unreadable-file", f"the file cannot be read: {problem}", None
    if isinstance(problem, FileNotFoundError):
        code, message = "file-not-found", "there is no such file"
        hint = _neighbours(Path(file)) or "the path is taken relative to the current directory"
        if Path(file).stem == "english" and Path(file).name == file:
            hint = "the shipped file of this name is called: example"
    elif isinstance(problem, IsADirectoryError):
        code, message = "is-a-directory", "this is a directory, not a file"
        inside = sorted(Path(file).glob(f"*{suffix}")) if suffix else []
        hint = f"name a {suffix} file" if suffix else "name a file in it"
        hint = f"name a file, such as {inside[0]}" if inside else hint
    elif isinstance(problem, OSError) and problem.strerror:
        message = f"the file cannot be read: {problem.strerror}"
    return Diagnostic(code, message, Location(file, line, 1), expected, hint)


def _neighbours(path: Path) -> str | None:
    """Return a hint naming the files next to a missing one whose names are like its own."""
    try:
        return did_you_mean(path.name, (entry.name for entry in path.parent.iterdir()))
    except OSError:
        return None


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Turn every reason why a file cannot be written into a usage error."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{str(path)!r} cannot be written: {reason}", code="unwritable-file") from error


def write_text(path: str | Path, text: str) -> Path:
    """Write a UTF-8 file with Unix line ends and return its path.

    Raises
    ------
    UsageError : the file cannot be written.
    """
    with writing(path):
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return Path(path)
