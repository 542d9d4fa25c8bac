"""The words of two annotations of one text, side by side: those of a gold file and of a parser's output.

Words are aligned by the characters they stand for, white space aside; the words within multiword tokens by the longest
common subsequence of their forms. The rules are those of the CoNLL 2018 shared task (Zeman et al. 2018, section 4).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import NamedTuple

from schemata.errors import Diagnostic, Location, TreebankError
from schemata.treebanks import Line, TokenLine, heads_of, parsed_rows, read_blocks, words_of


class Token(NamedTuple):
    """A syntactic word.

    Attributes
    ----------
    form : in lower case.
    tag : UPOS.
    head : the head's place in its sentence, 0 for the root; -1 where it is unknown.
    label : DEPREL.
    start, end : the characters of the text that it stands for; those of all of a multiword token, if it is in one.
    in_range : whether it is within a multiword token.
    """

    form: str
    tag: str
    head: int
    label: str
    start: int
    end: int
    in_range: bool


class Tokens(NamedTuple):
    """A sentence: its words, its text without white space, and the fault of its tree, if any."""

    words: tuple[Token, ...]
    text: str
    name: str | None
    line: int
    fault: Diagnostic | None

    @property
    def heads(self) -> tuple[int, ...]:
        """The heads of all words."""
        return tuple(word.head for word in self.words)


def read_tokens(path: str | PathLike[str], strict: bool) -> Iterator[Tokens | Diagnostic]:
    """Yield the sentences of a CoNLL-U file; a finding for one whose rows cannot be read.

    Parameters
    ----------
    path : the file.
    strict : whether a sentence without a tree is a finding; else it is a sentence without the heads that are wrong.

    Raises
    ------
    TreebankError : the file cannot be read.
    """
    file = fspath(path)
    for block in read_blocks(path):
        try:
            yield _tokens(file, block, strict)
        except TreebankError as broken:
            yield broken.diagnostics[0]


def _tokens(file: str, block: Sequence[Line], strict: bool) -> Tokens:
    name, rows = parsed_rows(file, block)
    words, known = words_of(rows)
    fault: Diagnostic | None = None
    try:
        heads: Sequence[int | None] | None = heads_of(words, known)
        if heads is None:
            message, expected = "the sentence has no heads", "heads that make a tree"
            raise words[0].broken(6, "no-heads", message, expected, "HEAD is the seventh column")
    except TreebankError as broken:
        if strict:
            raise
        fault = broken.diagnostics[0]
        heads = [h if h is not None and 0 <= h <= len(words) else None for h in known]
    ranges = {int(first): (int(last), row) for first, last, row in _ranges(rows)}
    text, found, covered = "", list[Token](), 0
    start = end = 0
    for number, (row, head) in enumerate(zip(words, heads or (), strict=True), start=1):
        if number in ranges:
            covered, of_range = ranges[number]
            start, text = len(text), text + _plain(of_range)
            end = len(text)
        elif number > covered:
            start, text = len(text), text + _plain(row)
            end = len(text)
        tag, label = row.columns[3], row.columns[7].strip()
        place = -1 if head is None else head
        found.append(Token(row.columns[1].lower(), tag, place, label, start, end, number <= covered))
    return Tokens(tuple(found), text, name, words[0].line, fault)


def _ranges(rows: Sequence[TokenLine]) -> Iterator[tuple[str, str, TokenLine]]:
    for row in rows:
        first, dash, last = row.columns[0].partition("-")
        if dash:
            yield first, last, row


def _plain(row: TokenLine) -> str:
    """Return a form without white space."""
    return "".join(c for c in row.columns[1] if unicodedata.category(c) != "Zs" and not c.isspace())


def aligned(gold: Sequence[Token], system: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the places of words that stand for the same characters, in order.

    >>> one = [Token(x, "", 0, "", k, k + 1, False) for k, x in enumerate("abc")]
    >>> aligned(one, [one[0], one[2]])
    [(0, 0), (2, 1)]
    """
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].in_range or system[s].in_range:
            first_g, first_s, g, s = _range_span(gold, system, g, s)
            if g > first_g and s > first_s:
                pairs += _by_forms(gold, system, range(first_g, g), range(first_s, s))
        elif (gold[g].start, gold[g].end) == (system[s].start, system[s].end):
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold[g].start <= system[s].start:
            g += 1
        else:
            s += 1
    return pairs


def _range_span(gold: Sequence[Token], system: Sequence[Token], g: int, s: int) -> tuple[int, int, int, int]:
    """Return where the words begin, and end, that multiword tokens from here on cover in both."""
    if gold[g].in_range:
        end = gold[g].end
        if not system[s].in_range and system[s].start < gold[g].start:
            s += 1
    else:
        end = system[s].end
        if not gold[g].in_range and gold[g].start < system[s].start:
            g += 1
    first_g, first_s = g, s

    def is_over(words: Sequence[Token], k: int) -> bool:
        if k >= len(words):
            return True
        return words[k].start >= end if words[k].in_range else words[k].end > end

    while not (is_over(gold, g) and is_over(system, s)):
        if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        end = max(end, word.end) if word.in_range else end
    return first_g, first_s, g, s


def _by_forms(
    gold: Sequence[Token], system: Sequence[Token], of_gold: range, of_system: range
) -> Iterator[tuple[int, int]]:
    """Yield the words of a longest common subsequence of forms."""
    longest = [[0] * (len(of_system) + 1) for _ in range(len(of_gold) + 1)]
    for a in reversed(range(len(of_gold))):
        for b in reversed(range(len(of_system))):
            same = gold[of_gold[a]].form == system[of_system[b]].form
            longest[a][b] = 1 + longest[a + 1][b + 1] if same else 0
            longest[a][b] = max(longest[a][b], longest[a + 1][b], longest[a][b + 1])
    a = b = 0
    while a < len(of_gold) and b < len(of_system):
        if gold[of_gold[a]].form == system[of_system[b]].form:
            yield of_gold[a], of_system[b]
            a, b = a + 1, b + 1
        elif longest[a][b] == longest[a + 1][b]:
            a += 1
        else:
            b += 1


def unlike(file: str, gold: Tokens, system: Tokens) -> TreebankError:
    """Return the error for sentences whose characters differ, with the first of them."""
    place = next(
        (k for k, (x, y) in enumerate(zip(gold.text, system.text, strict=False)) if x != y),
        min(len(gold.text), len(system.text)),
    )
    shown = (
        f"{gold.text[place : place + 20]!r} in the gold sentence, {system.text[place : place + 20]!r} here"
    )
    message = f"the text of the sentence differs from that of the gold file: {shown}"
    location = Location(file, system.line, 1)
    hint = "both files must have the same text, sentence by sentence; words may be cut otherwise"
    return TreebankError(Diagnostic("other-text", message, location, "the sentence of the gold file", hint))
