"""Items of the mildly non-projective schemata: their writings, and the normal form of a writing.

`[i, j, h, gaps]` stands for trees headed at h over the words {h} and [i..j] without the gaps. When h touches
the interval or a gap, the same words can be written in several ways. An item is its normal form; a rule may
use any writing whose normal form has been derived. The hypotheses `[h, h, h]` are exempt.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import TypeAlias

from tests.oracle.naive import Item

__all__ = [
    "Gap",
    "Gaps",
    "Writing",
    "Writing1",
    "normal_form",
    "normal_form1",
    "normal_item",
    "normal_item1",
    "region",
    "tree",
    "writings",
    "writings1",
]

Gap: TypeAlias = tuple[int, int]
Gaps: TypeAlias = tuple[Gap, ...]
Writing: TypeAlias = tuple[int, int, int, Gaps]  # (i, j, h, gaps)
Writing1: TypeAlias = tuple[int, int, int, int | None, int | None]  # (i, j, h, l, r)


def tree(*values: object) -> Item:
    """Return an item of the form `tree`."""
    return ("tree", values)


# ---------------------------------------------------------------------- one gap, as printed: [i, j, h, l, r]


def normal_form1(writing: Writing1) -> Writing1:
    """Return the normal form of `[i, j, h, l, r]`, case by case as printed."""
    i, j, h, l, r = writing  # noqa: E741
    if i == j == h:
        return writing  # the hypotheses are exempt
    if l is None or r is None:
        if h == j:  # nm[i,j,j,-,-] = [i,j-1,j,-,-]
            return (i, j - 1, h, None, None)
        if h == i - 1:  # nm[i,j,i-1,-,-] = [i-1,j,i-1,-,-]
            return (i - 1, j, h, None, None)
        return writing
    if h == j:  # nm[i,j,j,l,r] = [i,j-1,j,l,r] (r < j-1) or [i,l-1,j,-,-] (r = j-1)
        return (i, j - 1, h, l, r) if r < j - 1 else (i, l - 1, h, None, None)
    if h == l - 1:  # nm[i,j,l-1,l,r] = [i,j,l-1,l-1,r] (l > i+1) or [r+1,j,l-1,-,-] (l = i+1)
        return (i, j, h, l - 1, r) if l > i + 1 else (r + 1, j, h, None, None)
    if h == i - 1:  # nm[i,j,i-1,l,r] = [i-1,j,i-1,l,r]
        return (i - 1, j, h, l, r)
    if h == r:  # nm[i,j,r,l,r] = [i,j,r,l,r-1] (l < r) or [i,j,r,-,-] (l = r)
        return (i, j, h, l, r - 1) if l < r else (i, j, h, None, None)
    return writing


@cache
def writings1(n: int) -> tuple[Writing1, ...]:
    """Return every writing over n words: 1 <= i <= j <= n, with a gap 1 <= i < l <= r < j <= n."""
    positions = range(1, n + 1)
    plain = [(i, j, h, None, None) for i in positions for j in range(i, n + 1) for h in positions]
    gapped = [
        (i, j, h, l, r)
        for i in positions
        for l in range(i + 1, n + 1)  # noqa: E741
        for r in range(l, n + 1)
        for j in range(r + 1, n + 1)
        for h in positions
    ]
    return (*plain, *gapped)


def normal_item1(_n: int, item: Item) -> Item:
    """Return the normal form of a `tree[i, j, h, l, r]`."""
    i, j, h, l, r = item[1]  # noqa: E741
    return tree(*normal_form1((i, j, h, l, r)))


# ------------------------------------------------------------------- any number of gaps: [i, j, h, <...>]


def region(writing: Writing) -> frozenset[int]:
    """Return [i..j] without the gaps: what the writing covers, h aside."""
    i, j, _, gaps = writing
    return frozenset(w for w in range(i, j + 1) if not any(l <= w <= r for l, r in gaps))  # noqa: E741


def _written(h: int, words: frozenset[int]) -> Writing:
    """Return the writing with head h that covers exactly these words."""
    i, j = min(words), max(words)
    gaps: list[Gap] = []
    for w in range(i, j + 1):
        if w not in words:
            if w - 1 in words:
                gaps.append((w, w))
            else:
                gaps[-1] = (gaps[-1][0], w)
    return (i, j, h, tuple(gaps))


@cache
def normal_form(writing: Writing) -> Writing:
    """Return the normal form of `[i, j, h, gaps]`: h is covered exactly if h + 1 is.

    This is the one-gap normal form for any number of gaps: h != j and h != l - 1 say that no covered run of
    words ends with h; h != i - 1 and h != r say that none begins right after an uncovered h.
    """
    h, words = writing[2], region(writing)
    if words == {h}:
        return writing  # the hypotheses are exempt
    return _written(h, words | {h} if h + 1 in words else words - {h})


@cache
def writings(n: int, k: int) -> tuple[Writing, ...]:
    """Return every writing over n words with at most k gaps, i < l1 <= r1 < l2 - 1, ..., rg < j."""
    return tuple(writing for writing in _all_writings(n) if len(writing[3]) <= k)


def _all_writings(n: int) -> Iterator[Writing]:
    for size in range(1, n + 1):
        for words in combinations(range(1, n + 1), size):
            for h in range(1, n + 1):
                yield _written(h, frozenset(words))


def normal_item(_n: int, item: Item) -> Item:
    """Return the normal form of a `tree[i, j, h, gaps]`."""
    i, j, h, gaps = item[1]
    return tree(*normal_form((i, j, h, gaps)))
