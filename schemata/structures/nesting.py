"""Well-nested trees: disjoint subtrees do not interleave.

Two disjoint subtrees interleave if there are words i < k < j < l with i, j in the one and k, l in the other
(GCW11, Definition 6). If any two do, then so do two subtrees whose tops hang under the same head, namely
those above them at the lowest word that dominates both; and both of these have a gap. So only siblings with
gaps are ever compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.structures.gaps import GapDegree, check_gap_degree, gap_degree
from schemata.structures.projections import gap_count, members, tree_masks
from schemata.structures.trees import DependencyTree

__all__ = [
    "MildNonProjectivity",
    "WellNestedness",
    "check_well_nestedness",
    "check_wg",
    "interleave",
    "interleaving_siblings",
    "is_well_nested",
    "is_wg",
]


@dataclass(frozen=True, slots=True)
class WellNestedness:
    """Whether no two disjoint subtrees interleave.

    If two do, `tops` are the words they hang under, siblings of each other, and `words` are i < k < j < l
    with i and j in the first of the subtrees, k and l in the second.
    """

    holds: bool
    tops: tuple[int, int] | None = None
    words: tuple[int, int, int, int] | None = None

    def __str__(self) -> str:
        if self.tops is None or self.words is None:
            return "no two disjoint subtrees interleave"
        (p, q), (i, k, j, l_) = self.tops, self.words
        return f"the subtrees of {p} (with {i} and {j}) and {q} (with {k} and {l_}) interleave"


@dataclass(frozen=True, slots=True)
class MildNonProjectivity:
    """Whether a tree is in WG_k, of gap degree within k and well-nested; both answers have their evidence."""

    holds: bool
    k: int
    gaps: GapDegree
    nesting: WellNestedness

    def __str__(self) -> str:
        return f"{self.gaps}; {self.nesting}" if self.gaps.holds else str(self.gaps)


def interleave(one: int, other: int) -> bool:
    """Tell whether two disjoint nonempty sets of words, as bit masks, interleave.

    >>> interleave(0b0101, 0b1010), interleave(0b1001, 0b0110)
    (True, False)
    """
    return _alternation(one, other) is not None or _alternation(other, one) is not None


def interleaving_siblings(heads: Sequence[int], masks: Sequence[int]) -> list[tuple[int, int]]:
    """Return all pairs of words under one head whose projections interleave, given all projections."""
    with_gaps: dict[int, list[int]] = {}
    for word, head in enumerate(heads, 1):
        if gap_count(masks[word]):
            with_gaps.setdefault(head, []).append(word)
    return [
        (p, q)
        for siblings in with_gaps.values()
        for at, q in enumerate(siblings)
        for p in siblings[:at]
        if interleave(masks[p], masks[q])
    ]


def is_well_nested(tree: DependencyTree) -> bool:
    """Tell whether no two disjoint subtrees interleave.

    References
    ----------
    GCW11, Definition 6.

    >>> is_well_nested(DependencyTree((3, 4, 0, 3))), is_well_nested(DependencyTree((0, 1, 1, 2, 3)))
    (True, False)
    """
    return not interleaving_siblings(tree.heads, tree_masks(tree.heads))


def check_well_nestedness(tree: DependencyTree) -> WellNestedness:
    """Return whether no two disjoint subtrees interleave, or two that do (see `is_well_nested`).

    >>> check_well_nestedness(DependencyTree((0, 1, 1, 2, 3)))
    WellNestedness(holds=False, tops=(2, 3), words=(2, 3, 4, 5))
    """
    masks = tree_masks(tree.heads)
    pairs = interleaving_siblings(tree.heads, masks)
    if not pairs:
        return WellNestedness(True)
    p, q = min(pairs)
    for first, second in ((p, q), (q, p)):
        words = _alternation(masks[first], masks[second])
        if words is not None:
            return WellNestedness(False, (first, second), words)
    raise AssertionError("interleaving sets alternate")


def is_wg(tree: DependencyTree, k: int) -> bool:
    """Tell whether a tree is in WG_k: well-nested and of gap degree at most k.

    References
    ----------
    GCW11, sections 7.1 and 7.4.
    """
    return gap_degree(tree) <= k and is_well_nested(tree)


def check_wg(tree: DependencyTree, k: int) -> MildNonProjectivity:
    """Return whether a tree is in WG_k, with the evidence on gaps and on nesting.

    >>> check_wg(DependencyTree((3, 4, 0, 3)), 1).holds
    True
    """
    gaps = check_gap_degree(tree, k)
    nesting = check_well_nestedness(tree)
    return MildNonProjectivity(gaps.holds and nesting.holds, k, gaps, nesting)


def _alternation(one: int, other: int) -> tuple[int, int, int, int] | None:
    """Return i < k < j < l with i, j in the first set and k, l in the second, or None."""
    i = (one & -one).bit_length() - 1
    later = other & (-1 << i)
    if not later:
        return None
    k = (later & -later).bit_length() - 1
    between = one & (-1 << k)
    if not between:
        return None
    j = (between & -between).bit_length() - 1
    last = other & (-1 << j)
    return (i, k, j, members(last)[0]) if last else None
