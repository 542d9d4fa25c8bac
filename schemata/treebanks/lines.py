"""The lines of a treebank file, in blocks: what stands between blank lines, with line numbers.

Reading is a stream over bytes, so that a file is never in memory at once and the line of a byte that is not
UTF-8 is known. Everything that can be wrong with a file as such is found here.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path

from schemata.errors import Diagnostic, Location, TreebankError

__all__ = ["Line", "count_blocks", "read_blocks"]

Line = tuple[int, str]  # 1-based line number, text without its line end

_LONGEST_LINE = 1 << 20  # bytes; real lines stay far below, a binary or one-line file does not
_SHOWN = 200  # characters kept of a line that is too long
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF8_HINT = "convert the file to UTF-8"


def read_blocks(path: str | PathLike[str]) -> Iterator[list[Line]]:
    """Yield the blocks of a file that hold at least one line besides comments, decoded.

    Raises
    ------
    TreebankError : the file cannot be opened, is binary or not UTF-8, or has a line over 1 MiB.
    """
    file = fspath(path)
    for raw_block in _raw_blocks(path):
        block = [(number, _decode(file, number, raw)) for number, raw in raw_block]
        if _has_rows(raw_block):
            yield block


def count_blocks(path: str | PathLike[str]) -> int:
    """Return how many blocks `read_blocks` yields for a file that is UTF-8.

    Raises
    ------
    TreebankError : the file cannot be opened, or has a line over 1 MiB.
    """
    return sum(map(_has_rows, _raw_blocks(path)))


def _has_rows(block: list[tuple[int, bytes]]) -> bool:
    return any(not raw.startswith(b"#") for _, raw in block)


def _raw_blocks(path: str | PathLike[str]) -> Iterator[list[tuple[int, bytes]]]:
    block: list[tuple[int, bytes]] = []
    for number, raw in _raw_lines(path):
        if raw.strip():
            block.append((number, raw))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _raw_lines(path: str | PathLike[str]) -> Iterator[tuple[int, bytes]]:
    name = fspath(path)
    number = 0
    try:
        with Path(path).open("rb") as stream:
            while raw := stream.readline(_LONGEST_LINE + 1):
                number += 1
                if number == 1:
                    raw = raw.removeprefix(codecs.BOM_UTF8)
                if len(raw) > _LONGEST_LINE:
                    raise _too_long(name, number, raw)
                yield number, raw.rstrip(b"\r\n")
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise _unreadable(name, number + 1, error) from error


def _decode(file: str, number: int, raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if b"\0" not in raw or raw.startswith(_UTF16_MARKS):
            raise _not_utf8(file, number, raw, error) from error
        text = raw.decode("utf-8", "replace")
    column = text.find("\0") + 1
    if not column:
        return text
    raise TreebankError(
        Diagnostic(
            "binary-file",
            "a null byte: this is not a text file",
            Location(file, number, column),
            expected="CoNLL-U text in UTF-8",
            hint=f"if it is text in UTF-16, {_UTF8_HINT}",
            source_line=text[: column + _SHOWN],
        )
    )


def _not_utf8(file: str, number: int, raw: bytes, error: UnicodeDecodeError) -> TreebankError:
    column = len(raw[: error.start].decode("utf-8")) + 1
    hint = _UTF8_HINT
    if number == 1 and raw.startswith(b"\x1f\x8b"):
        hint = "the file is compressed: decompress it first"
    elif number == 1 and raw.startswith(_UTF16_MARKS):
        hint = f"the file looks like UTF-16: {_UTF8_HINT}"
    return TreebankError(
        Diagnostic(
            "not-utf8",
            f"byte 0x{raw[error.start]:02X} is not valid UTF-8",
            Location(file, number, column),
            expected="CoNLL-U text in UTF-8",
            hint=hint,
            source_line=raw.decode("utf-8", "replace"),
        )
    )


def _too_long(file: str, number: int, raw: bytes) -> TreebankError:
    return TreebankError(
        Diagnostic(
            "line-too-long",
            f"a line of more than {_LONGEST_LINE} bytes",
            Location(file, number, 1),
            expected="one word per line, ten columns separated by tabs",
            hint="is this a CoNLL-U file, and are its line ends \\n or \\r\\n?",
            source_line=raw[: 4 * _SHOWN].decode("utf-8", "replace")[:_SHOWN],
        )
    )


def _unreadable(file: str, line: int, error: OSError | ValueError) -> TreebankError:
    code, message, hint = "unreadable-file", f"the file cannot be read: {error}", None
    if isinstance(error, FileNotFoundError):
        code, message = "file-not-found", "there is no such file"
        hint = "check the path; it is taken relative to the current directory"
    elif isinstance(error, IsADirectoryError):
        code, message = "is-a-directory", "this is a directory, not a file"
        inside = sorted(Path(file).glob("*.conllu"))
        hint = f"name a file, such as {inside[0]}" if inside else "name a .conllu file"
    elif isinstance(error, OSError) and error.strerror:
        message = f"the file cannot be read: {error.strerror}"
    return TreebankError(
        Diagnostic(code, message, Location(file, line, 1), expected="a CoNLL-U file", hint=hint)
    )
