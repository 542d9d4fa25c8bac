"""Facts about dependency trees by brute force, each straight from its definition.

A tree of n words is its head vector: `heads[d - 1]` is the head of word d, 0 the artificial root. Several
words may hang under 0 unless a function says otherwise. Only small n are meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TypeAlias

__all__ = [
    "Heads",
    "gap_degree",
    "gaps",
    "head_sequences",
    "is_mildly_ill_nested",
    "is_planar",
    "is_projective",
    "is_tree",
    "is_well_nested",
    "projective_forests",
    "projective_trees",
    "trees_under_zero",
    "well_nested_trees",
    "yield_of",
]

Heads: TypeAlias = tuple[int, ...]


def head_sequences(n: int) -> Iterator[Heads]:
    """Yield every choice of one head in 0..n per word, the word itself excluded; cycles included."""
    yield from product(*([h for h in range(n + 1) if h != d] for d in range(1, n + 1)))


def is_tree(heads: Sequence[int]) -> bool:
    """Return whether every word reaches 0 by following heads."""
    return all(0 in _path_up(heads, word) for word in range(1, len(heads) + 1))


def _path_up(heads: Sequence[int], word: int) -> list[int]:
    """Return the word and its ancestors; the path stops at 0 or at the first repeated word."""
    path = [word]
    while path[-1] != 0 and heads[path[-1] - 1] not in path:
        path.append(heads[path[-1] - 1])
    return path


def trees_under_zero(n: int, *, single_root: bool = False) -> list[Heads]:
    """Return all trees of n words: (n + 1) ** (n - 1) of them, n ** (n - 1) with a single root."""
    return [h for h in head_sequences(n) if is_tree(h) and (not single_root or h.count(0) == 1)]


def yield_of(heads: Sequence[int], word: int) -> frozenset[int]:
    """Return the word and everything below it (0 has every word below it); for trees."""
    return frozenset(d for d in range(1, len(heads) + 1) if word in _path_up(heads, d))


def is_projective(heads: Sequence[int]) -> bool:
    """Return whether each link's head governs, transitively, every word between the link's ends."""
    return all(
        between in yield_of(heads, h)
        for d, h in enumerate(heads, start=1)
        for between in range(min(d, h) + 1, max(d, h))
    )


def projective_forests(n: int) -> list[Heads]:
    """Return the projective trees of n words that may have several words under 0."""
    return [heads for heads in trees_under_zero(n) if is_projective(heads)]


def projective_trees(n: int) -> list[Heads]:
    """Return the projective trees of n words with one word under 0: 1, 2, 7, 30, 143, 728, ..."""
    return [heads for heads in projective_forests(n) if heads.count(0) == 1]


def is_planar(heads: Sequence[int], *, with_root: bool = False) -> bool:
    """Return whether no two links cross; links to 0 count only with `with_root`."""
    ends = [(min(d, h), max(d, h)) for d, h in enumerate(heads, start=1) if h or with_root]
    return not any(a < c < b < d for a, b in ends for c, d in ends)


def gaps(words: frozenset[int]) -> int:
    """Return the number of maximal runs of missing words between the first and the last of a set."""
    return sum(1 for word in words if word + 1 not in words and word != max(words))


def gap_degree(heads: Sequence[int]) -> int:
    """Return the largest number of gaps in any word's yield."""
    return max(gaps(yield_of(heads, word)) for word in range(1, len(heads) + 1))


def is_well_nested(heads: Sequence[int]) -> bool:
    """Return whether no two disjoint yields interleave (a < b < c < d: a, c in one and b, d in the other)."""
    yields = [yield_of(heads, word) for word in range(1, len(heads) + 1)]
    return not any(
        a < b < c < d
        for one, other in product(yields, yields)
        if not one & other
        for a, c in combinations(sorted(one), 2)
        for b, d in combinations(sorted(other), 2)
    )


def well_nested_trees(n: int, k: int) -> list[Heads]:
    """Return the single-rooted well-nested trees of gap degree at most k."""
    return [h for h in trees_under_zero(n, single_root=True) if is_well_nested(h) and gap_degree(h) <= k]


def is_mildly_ill_nested(heads: Sequence[int], k: int) -> bool:
    """Return whether, at each word h, its children's yields can be joined two at a time within k gaps.

    Every union on the way must have at most k gaps, by itself or with h added.
    """
    return all(_joinable(heads, h, k) for h in range(1, len(heads) + 1))


def _joinable(heads: Sequence[int], h: int, k: int) -> bool:
    children = [yield_of(heads, d) for d, head in enumerate(heads, start=1) if head == h]
    if not children:
        return True
    reached = {child for child in children if _within(child, h, k)}
    while True:
        joined = {a | b for a in reached for b in reached if not a & b and _within(a | b, h, k)}
        if joined <= reached:
            return frozenset().union(*children) in reached
        reached |= joined


def _within(words: frozenset[int], h: int, k: int) -> bool:
    return min(gaps(words), gaps(words | {h})) <= k
