"""Arrangements: the subtrees under a head on the line of words, as words with bracketed holes, and their types.

In a well-nested tree with gaps the subtrees of a node's dependents do not interleave, so that the part in a gap of
one is a word of its own. A *word* has the letters `h` (the head itself), `_` (a hole: words of other trees), `o` (a
dependent's subtree without a gap), and `<w>`, `<w|w>` ... (one with gaps, and the words in them).

    h o _        the head, a subtree, a hole
    <h>o         a subtree around the head, and one behind it

A *split* of a word gives each dependent to one of two trees with the same head: a string of the letters `a` and `b` for
their blocks, `h` and `_`, of which no two neighbours are the same. The *type* of a word has its shape, whether it has
several dependents, and those of its splits that some steps may use.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from schemata.records import Record

HEAD, HOLE, WHOLE, OPEN, CLOSE, BAR = "h", "_", "o", "<", ">", "|"
ONE, OTHER = "a", "b"
BLOCK = "c"  # in shapes: blocks of dependents, of whichever tree
SEVERAL = 2  # dependents, or more: all that a type tells of their number


class WordProperties(Record):
    """The properties of a word.

    Parameters
    ----------
    shape : the blocks of all dependents, the head and holes, as a string of `c`, `h`, `_`.
    dependents : their number; 2 stands for two or more.
    splits : its splits, as far as types keep them.
    """

    shape: str
    dependents: int
    splits: frozenset[str]

    def covers(self, other: WordProperties) -> bool:
        """Whether statements about all words of this type, in any place, hold for the other's, which have no fewer
        splits.
        """
        return (
            self.shape == other.shape and self.dependents >= other.dependents and self.splits <= other.splits
        )


def letters(word: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the letters of a word, each with the words in its gaps.

    >>> list(letters("o<h|_o>_"))
    [('o', ()), ('<', ('h', '_o')), ('_', ())]

    Raises
    ------
    ValueError : the text is not a word.
    """
    at = 0
    while at < len(word):
        if word[at] in (HEAD, HOLE, WHOLE):
            yield word[at], ()
            at += 1
            continue
        if word[at] != OPEN:
            raise ValueError(f"{word!r} is not a word")
        depth, start, inside = 0, at + 1, []
        for end in range(at, len(word)):
            depth += (word[end] == OPEN) - (word[end] == CLOSE)
            if not depth or (depth == 1 and word[end] == BAR):
                inside.append(word[start:end])
                start = end + 1
            if not depth:
                break
        if depth or not all(inside):
            raise ValueError(f"{word!r} is not a word")
        yield OPEN, tuple(inside)
        at = end + 1


def gaps_in(word: str) -> int:
    """Return the greatest number of gaps that a dependent has in a word.

    >>> gaps_in("o<<h>|_>")
    2
    """
    return max((max(len(w), *map(gaps_in, w)) for sign, w in letters(word) if sign == OPEN), default=0)


def merged(text: str) -> str:
    """Return a string without repetitions of neighbours.

    >>> merged("aabhha")
    'abha'
    """
    return "".join(x for x, _ in itertools.groupby(text))


def all_splits(word: str) -> Iterator[str]:
    """Yield the splits of a word, by trying them all.

    >>> sorted(set(all_splits("<h>o")))
    ['aha', 'ahab', 'bhb', 'bhba']
    """
    rows: list[list[str]] = []
    for sign, insides in letters(word):
        if sign in (HEAD, HOLE):
            rows.append([sign])
            continue
        within = [list(all_splits(w)) for w in insides]
        rows.append([x.join(["", *w, ""]) for x in (ONE, OTHER) for w in itertools.product(*within)])
    for chosen in itertools.product(*rows):
        yield merged("".join(chosen))


def shape_of(word: str) -> str | None:
    """Return the shape of a word; None if holes touch, or the head is there twice.

    >>> shape_of("<h>o"), shape_of("_h<_>"), shape_of("__")
    ('chc', '_hc_c', None)
    """
    plain = "".join(_plain(word))
    return None if HOLE * 2 in plain or plain.count(HEAD) > 1 else merged(plain)


def _plain(word: str) -> Iterator[str]:
    for sign, insides in letters(word):
        if sign in (HEAD, HOLE):
            yield sign
            continue
        yield BLOCK
        for inside in insides:
            yield from _plain(inside)
            yield BLOCK


def dependents_of(word: str) -> int:
    """Return how many dependents a word has.

    >>> dependents_of("<h<_>>o")
    3
    """
    return word.count(OPEN) + word.count(WHOLE)


def shapes_of(gaps: int) -> list[str]:
    """Return the shapes of all items with so many gaps at most, with or without the head.

    >>> shapes_of(0)
    ['ch', 'chc', 'h', 'hc', 'c_h', 'h_c']
    """
    found = _strings((BLOCK,), gaps)
    return sorted(found, key=lambda row: (row.count(HOLE), row))


def splits_of(gaps: int) -> list[str]:
    """Return all splits of an item with at most `gaps` gaps into two such items, interleaved or not.

    Of two splits that differ only in which part is called `a`, one is returned.

    >>> splits_of(0)
    ['abh', 'ahb', 'hab', 'abhb', 'ab_h', 'ahab', 'h_ab']
    """
    found = _strings((ONE, OTHER), gaps)
    firsts = [row for row in found if {ONE, OTHER} <= {*row} and row.index(ONE) < row.index(OTHER)]
    return [row for row in firsts if all(_pieces(row, own) <= gaps + 1 for own in (ONE, OTHER))]


def swapped(split: str) -> str:
    """Return a split with the names of its parts exchanged.

    >>> swapped("a_hb")
    'b_ha'
    """
    return split.translate(str.maketrans(ONE + OTHER, OTHER + ONE))


def _strings(own: Sequence[str], gaps: int) -> list[str]:
    """Return the strings of blocks, the head and holes in which the blocks have at most `gaps` gaps."""
    found: list[str] = []
    rows = [*own, HEAD]
    while rows:
        found += [row for row in rows if HEAD in row and row[-1] != HOLE]
        longer = [row + x for row in rows for x in (*own, HEAD, HOLE) if row[-1] != x]
        rows = [
            row
            for row in longer
            if row.count(HEAD) <= 1
            and row.count(HOLE) <= gaps + 1
            and all(_pieces(row, x) <= gaps + 1 for x in ("".join(own), *own))
        ]
    return found


def _pieces(text: str, own: str) -> int:
    """Return how many runs some blocks make, with or without the head, whichever is less."""
    counts = []
    for letters in (own, own + HEAD):
        inside = [x in letters for x in text]
        counts.append(sum(x and not before for before, x in zip([False, *inside], inside, strict=False)))
    return min(counts)


def factors_of(texts: Sequence[str]) -> frozenset[str]:
    """Return all factors of some strings.

    >>> sorted(factors_of(["aba"]))
    ['', 'a', 'ab', 'aba', 'b', 'ba']
    """
    return frozenset(
        text[start:end]
        for text in texts
        for start in range(len(text) + 1)
        for end in range(start, len(text) + 1)
    )


def type_by_trial(word: str, kept: frozenset[str], shapes: frozenset[str]) -> WordProperties | None:
    """Return the type of a word by trying all its splits; None if its shape is not in `shapes`.

    Parameters
    ----------
    word : the word.
    kept : the splits that types distinguish, with their factors.
    shapes : the shapes of words, with their factors.
    """
    shape = shape_of(word)
    if shape is None or shape not in shapes:
        return None
    splits = frozenset(split for split in all_splits(word) if split in kept)
    return WordProperties(shape, min(SEVERAL, dependents_of(word)), splits)
