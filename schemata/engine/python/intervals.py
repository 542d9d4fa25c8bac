"""Lists of intervals at run time: order, membership, and the two writings of an item that covers a word or not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

__all__ = ["all_within", "in_order", "in_some", "normal_cover", "other_cover"]

Intervals = tuple[tuple[int, int], ...]


def in_order(intervals: Intervals) -> bool:
    """Whether each interval has a position, and a position stands between any two.

    >>> in_order(((2, 3), (5, 5))), in_order(((2, 3), (4, 5)))
    (True, False)
    """
    last = None
    for left, right in intervals:
        if left > right or (last is not None and left <= last + 1):
            return False
        last = right
    return True


def all_within(intervals: Intervals, low: int, high: int) -> bool:
    """Whether every interval lies in low..high; the intervals are in order."""
    return not intervals or (low <= intervals[0][0] and intervals[-1][1] <= high)


def in_some(position: int, intervals: Intervals) -> bool:
    """Whether a position lies in one of the intervals."""
    return any(left <= position <= right for left, right in intervals)


def normal_cover(item: tuple[Any, ...], low: int, high: int, gaps: int, aside: int) -> tuple[Any, ...]:
    """Return the normal writing: it covers the word aside exactly if it covers the next one.

    The other arguments are field numbers. An item that covers nothing but the word aside is returned as it is.

    >>> normal_cover((1, 3, 3, ()), 0, 1, 3, 2)
    (1, 2, 3, ())
    >>> normal_cover((3, 3, 3, ()), 0, 1, 3, 2)
    (3, 3, 3, ())
    """
    word = item[aside]
    if _covers(item, word, low, high, gaps) == _covers(item, word + 1, low, high, gaps):
        return item
    other = other_cover(item, low, high, gaps, aside)
    return item if other is None else other


def other_cover(item: tuple[Any, ...], low: int, high: int, gaps: int, aside: int) -> tuple[Any, ...] | None:
    """Return the writing with the word aside covered where it is not, and the other way round; None for nothing.

    >>> other_cover((1, 4, 3, ()), 0, 1, 3, 2)
    (1, 4, 3, ((3, 3),))
    """
    word = item[aside]
    pieces = _pieces(item[low], item[high], item[gaps])
    if _covers(item, word, low, high, gaps):
        kept = [p for p in pieces if not p[0] <= word <= p[1]]
        (left, right), *_ = [p for p in pieces if p[0] <= word <= p[1]]
        kept += [p for p in ((left, word - 1), (word + 1, right)) if p[0] <= p[1]]
        if not kept:
            return None
    else:
        left = right = word
        kept = []
        for piece in pieces:
            if piece[1] == word - 1:
                left = piece[0]
            elif piece[0] == word + 1:
                right = piece[1]
            else:
                kept.append(piece)
        kept.append((left, right))
    kept.sort()
    values = list(item)
    values[low], values[high] = kept[0][0], kept[-1][1]
    values[gaps] = tuple((a[1] + 1, b[0] - 1) for a, b in pairwise(kept))
    return tuple(values)


def _covers(item: tuple[Any, ...], word: int, low: int, high: int, gaps: int) -> bool:
    return item[low] <= word <= item[high] and not in_some(word, item[gaps])


def _pieces(low: int, high: int, gaps: Intervals) -> list[tuple[int, int]]:
    starts = [low, *(right + 1 for _, right in gaps)]
    ends = [*(left - 1 for left, _ in gaps), high]
    return list(zip(starts, ends, strict=True))
