"""The rows of one CoNLL-U sentence and what can be wrong with them, each finding at its column.

A row is checked in two turns: its raw columns before the conllu library sees it, and, together with the
other rows, the ids and heads the library has made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemata.errors import Diagnostic, Location
from schemata.structures.trees import find_cycle

__all__ = ["BrokenError", "Row", "Word", "check_columns", "heads_of", "refused", "words_of"]

_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_ID, _FORM, _HEAD = 0, 1, 6
_DIGITS = frozenset("0123456789")

_NUMBERING = "the words of a sentence are numbered 1, 2, 3 and so on"
_RANGES = "a multiword range names the first and the last word it covers"
_EMPTY_NODES = "the empty nodes after word 8 are 8.1, 8.2 and so on"


class BrokenError(Exception):
    """Leaves the reading of one sentence; never leaves this package."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a sentence that is not a comment, split at its tabs."""

    file: str
    line: int
    text: str
    columns: list[str]

    def broken(self, column: int, code: str, message: str, expected: str, hint: str) -> BrokenError:
        """Return the error that marks one column of the row."""
        start = min(1 + sum(len(c) + 1 for c in self.columns[:column]), len(self.text) + 1)
        value = self.columns[column] if column < len(self.columns) else ""
        place = Location(self.file, self.line, start, start + max(1, len(value)))
        return BrokenError(Diagnostic(code, message, place, expected, hint, self.text))


@dataclass(frozen=True, slots=True)
class Word:
    """A syntactic word and the row it comes from; tag `_` and head None are unknown."""

    row: Row
    form: str
    tag: str
    head: int | None


def check_columns(row: Row) -> None:
    """Raise if the row is not what the library may be given: it splits at other places, and strips."""
    columns = row.columns
    if (count := len(columns)) != len(_COLUMNS):
        message = f"{count} column{'s' if count > 1 else ''} instead of {len(_COLUMNS)}"
        hint = "columns are separated by single tabs; an unknown value is written _"
        place = min(count, len(_COLUMNS))
        raise row.broken(place, "wrong-column-count", message, f"ten columns: {' '.join(_COLUMNS)}", hint)
    if columns[_ID][:1] not in _DIGITS:
        raise _bad_id(row)
    if not columns[_FORM].strip():
        hint = "an unknown form is written _"
        raise row.broken(_FORM, "blank-form", "the word form is blank", "a word form", hint)
    if not columns[_HEAD].strip():
        raise _bad_head(row)


def refused(row: Row, *, field: str) -> BrokenError:
    """Return the error for a row the library refuses because of its ``id`` or its ``head``."""
    return _bad_id(row) if field == "id" else _bad_head(row)


def _bad_id(row: Row) -> BrokenError:
    value = row.columns[_ID]
    numbered = value[:1] in _DIGITS
    if numbered and "-" in value:
        message = f"{value!r} is not a range of words"
        return row.broken(_ID, "bad-range", message, "first-last, such as 3-4", _RANGES)
    if numbered and "." in value:
        message = f"{value!r} is not the id of an empty node"
        return row.broken(_ID, "bad-empty-node", message, "word.number, such as 8.1", _EMPTY_NODES)
    message = f"{value!r} is not the id of a word" if value else "the id is blank"
    expected = "a whole number, a range such as 3-4, or an empty node such as 8.1"
    return row.broken(_ID, "bad-id", message, expected, _NUMBERING)


def _bad_head(row: Row) -> BrokenError:
    value = row.columns[_HEAD]
    message = f"the head {value!r} is not a whole number" if value.strip() else "the head is blank"
    expected = "the id of a word, 0 for a root, or _"
    return row.broken(_HEAD, "bad-head", message, expected, "HEAD is the seventh column")


def words_of(rows: Sequence[Row], tokens: Sequence[Mapping[str, Any]]) -> list[Word]:
    """Return the syntactic words; raise unless ids are 1..n in order, ranges and empty nodes in place."""
    words: list[Word] = []
    covered, range_row = 0, rows[0]
    empty_nodes = 0
    for row, token in zip(rows, tokens, strict=True):
        due = len(words) + 1
        match token["id"]:
            case int(number):
                if number != due:
                    message = f"word {number} stands where word {due} is due"
                    raise row.broken(_ID, "bad-id", message, f"the id {due}", _NUMBERING)
                words.append(Word(row, token["form"], token["upos"] or "_", token["head"]))
                empty_nodes = 0
            case (first, "-", last):
                _check_range(row, first, due, covered)
                covered, range_row = last, row
            case (after, ".", number):
                empty_nodes += 1
                if (after, number) != (due - 1, empty_nodes):
                    right = f"{due - 1}.{empty_nodes}"
                    message = f"empty node {after}.{number} stands where {right} is due"
                    raise row.broken(_ID, "bad-empty-node", message, f"the id {right}", _EMPTY_NODES)
    if not words:
        hint = "a range or an empty node alone is no sentence"
        raise rows[0].broken(_ID, "no-words", "the sentence has no words", "a word with id 1", hint)
    if covered > len(words):
        message = f"the range ends at word {covered}, but the last word is {len(words)}"
        raise range_row.broken(_ID, "bad-range", message, f"an end of at most {len(words)}", _RANGES)
    return words


def _check_range(row: Row, first: int, due: int, covered: int) -> None:
    if first != due:
        message = f"the range starts at word {first}, but the next word is {due}"
        hint = "a multiword range stands just before its first word"
        raise row.broken(_ID, "bad-range", message, f"a start of {due}", hint)
    if first <= covered:
        message = f"word {first} is in the range before this one already"
        hint = "multiword ranges do not overlap"
        raise row.broken(_ID, "bad-range", message, f"a start above {covered}", hint)


def heads_of(words: Sequence[Word]) -> tuple[int, ...] | None:
    """Return the heads, None if no word has one; raise unless they make a tree."""
    n = len(words)
    heads = tuple(word.head for word in words if word.head is not None)
    if not heads:
        return None
    for d, word in enumerate(words, start=1):
        if word.head is None:
            message = f"word {d} has no head, but other words have one"
            hint = "give every word its head, or _ to all of them if the sentence has no tree"
            raise word.row.broken(_HEAD, "partial-heads", message, f"a head from 0 to {n}", hint)
        if not 0 <= word.head <= n:
            message = f"word {d} has head {word.head}, but the last word is {n}"
            hint = "a head is the id of a word of the same sentence, 0 for a root"
            raise word.row.broken(_HEAD, "head-out-of-range", message, f"a head from 0 to {n}", hint)
        if word.head == d:
            message = f"word {d} is its own head"
            raise word.row.broken(_HEAD, "own-head", message, "another word, or 0", "a root has head 0")
    # Heads without a root always make a cycle too; what the annotator forgot is the root.
    if 0 not in heads:
        message, hint = "no word has head 0", "a root has head 0"
        raise words[0].row.broken(_HEAD, "no-root", message, "a word with head 0", hint)
    if cycle := find_cycle(heads):
        message = f"the heads make a cycle: {' -> '.join(map(str, cycle))}"
        hint = "following heads from any word must lead to a root"
        raise words[cycle[0] - 1].row.broken(_HEAD, "cycle", message, "heads that make a tree", hint)
    return heads
