"""Reading CoNLL-U: a stream of sentences, in which a broken one is a value and the next one follows.

A file is split into blocks first, so that every finding has its line and column; the conllu library parses
each block. What is taken from it are the syntactic words, their UPOS tags and their heads. Multiword ranges
(``1-2``) and empty nodes (``8.1``) are checked for their place and left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from schemata.errors import Diagnostic
from schemata.structures.sentence import Sentence
from schemata.treebanks.lines import Line, count_blocks, read_blocks
from schemata.treebanks.rows import BrokenError, Row, check_columns, heads_of, refused, words_of

__all__ = ["BrokenSentence", "count_sentences", "read_conllu"]

_FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head")
_BLANKS = re.compile(" {2,}")


@dataclass(frozen=True, slots=True)
class BrokenSentence:
    """A sentence of a treebank that cannot be used, and why.

    Parameters
    ----------
    diagnostic : the first thing found wrong with it.
    name : its sent_id, or None if it has none.
    line : the line its first row stands at in its file.
    """

    diagnostic: Diagnostic
    name: str | None
    line: int


def read_conllu(path: str | PathLike[str]) -> Iterator[Sentence | BrokenSentence]:
    """Yield the sentences of a CoNLL-U file in order, the broken ones as `BrokenSentence`.

    A sentence none of whose words has a head (``_``) is read without a gold tree; one none of whose words
    has a UPOS tag, without tags. Several words may have head 0. A byte order mark, Windows line ends, a
    missing last line end and blocks of comments alone are accepted.

    Parameters
    ----------
    path : the file, UTF-8.

    Raises
    ------
    TreebankError : when reading comes to it: the file cannot be opened, is binary or not UTF-8, or has a
        line over 1 MiB.
    """
    file = fspath(path)
    for block in read_blocks(path):
        yield _read_block(file, block)


def count_sentences(path: str | PathLike[str]) -> int | None:
    """Return how many values `read_conllu` yields for a file.

    None for a pipe or a terminal, whose lines would be lost by counting them.

    Raises
    ------
    TreebankError : the file cannot be opened, or has a line over 1 MiB.
    """
    if Path(path).is_fifo() or Path(path).is_char_device():
        return None
    return count_blocks(path)


def _read_block(file: str, block: Sequence[Line]) -> Sentence | BrokenSentence:
    comments = [text for _, text in block if text.startswith("#")]
    rows = [Row(file, line, text, text.split("\t")) for line, text in block if not text.startswith("#")]
    name = _parse(comments).metadata.get("sent_id")
    try:
        for row in rows:
            check_columns(row)
        words = words_of(rows, _tokens(rows))
        heads = heads_of(words)
    except BrokenError as broken:
        return BrokenSentence(broken.diagnostic, name, rows[0].line)
    tags = tuple(word.tag for word in words)
    return Sentence(
        words=tuple(word.form for word in words),
        tags=tags if any(tag != "_" for tag in tags) else None,
        heads=heads,
        name=name,
        line=words[0].row.line,
    )


def _tokens(rows: Sequence[Row]) -> list[dict[str, Any]]:
    from conllu.exceptions import ParseException

    refusals = (ParseException, ValueError)  # ValueError: a number with thousands of digits
    try:
        return list(_parse([row.text for row in rows]))
    except refusals:
        for row in rows:
            for field in ("id", "head"):
                try:
                    _parse([row.text], only=field)
                except refusals as refusal:
                    raise refused(row, field=field) from refusal
        raise


def _parse(lines: Sequence[str], *, only: str | None = None) -> Any:
    """Have the library parse lines; `only` leaves every other field as it is written."""
    from conllu import parse_token_and_metadata

    as_written = [field for field in _FIELDS if only not in (None, field)] or ["xpos", "feats"]
    # The library takes two blanks for a tab; within a column they are only blanks.
    text = "\n".join(_BLANKS.sub(" ", line) if "  " in line else line for line in lines)
    parsers: dict[str, Callable[[list[str], int], Any]] = dict.fromkeys(as_written, _written)
    return parse_token_and_metadata(text or "#", fields=_FIELDS, field_parsers=parsers)


def _written(columns: list[str], i: int) -> Any:
    return columns[i]
