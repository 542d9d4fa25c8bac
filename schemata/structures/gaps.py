"""Gap degree, edge degree and well-nestedness: measures of how far a structure is from projective.

The gap degree looks at projections and counts what interrupts them; the edge degree looks at links and
counts what they run over. Both are 0 for projective trees and only for them.

A tree is well-nested if disjoint subtrees do not interleave. Two disjoint subtrees interleave if there are words
i < k < j < l with i, j in the one and k, l in the other (GCW11, Definition 6). If any two do, then so do two
subtrees whose tops hang under the same head, namely those above them at the lowest word that dominates both; and
both of these have a gap. So only siblings with gaps are ever compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.structures.graphs import Link, Structure
from schemata.structures.projectivity import (
    Interval,
    gap_count,
    intervals,
    members,
    projection_masks,
    tree_masks,
)
from schemata.structures.trees import DependencyTree


@dataclass(frozen=True, slots=True)
class GapDegree:
    """A structure's gap degree, and whether it is within `bound` (None: no bound was given).

    `word` is the first word that has as many gaps, `intervals` are the pieces its projection falls into and
    `gaps` the stretches between them.
    """

    holds: bool
    bound: int | None
    degree: int
    word: int
    intervals: tuple[Interval, ...]

    @property
    def gaps(self) -> tuple[Interval, ...]:
        """The stretches of words that interrupt the projection, from left to right."""
        ends = zip(self.intervals, self.intervals[1:], strict=False)
        return tuple((left[1] + 1, right[0] - 1) for left, right in ends)

    def __str__(self) -> str:
        pieces = ", ".join(f"{a}..{b}" for a, b in self.intervals)
        return f"gap degree {self.degree}: the projection of word {self.word} is {pieces}"


@dataclass(frozen=True, slots=True)
class EdgeDegree:
    """A tree's edge degree, and whether it is within `bound` (None: no bound was given).

    `link` is the first link that runs over as many components; `tops` are the highest words of these.
    """

    holds: bool
    bound: int | None
    degree: int
    link: Link
    tops: tuple[int, ...]

    def __str__(self) -> str:
        link = f"the link from {self.link[0]} to its head {self.link[1]}"
        over = f"what hangs under {', '.join(map(str, self.tops))}" if self.tops else "nothing foreign"
        return f"edge degree {self.degree}: {link} runs over {over}"


def gap_degree(structure: Structure) -> int:
    """Return the largest number of gaps in the projection of a word.

    References
    ----------
    GCW11, Definition 5.

    >>> gap_degree(DependencyTree((2, 0, 2))), gap_degree(DependencyTree((3, 0, 2)))
    (0, 1)
    """
    return max(map(gap_count, projection_masks(structure)[1:]))


def has_gap_degree(structure: Structure, bound: int) -> bool:
    """Tell whether no projection has more than `bound` gaps."""
    return gap_degree(structure) <= bound


def check_gap_degree(structure: Structure, bound: int | None = None) -> GapDegree:
    """Return the gap degree with a word that has it, and whether it is within the bound.

    >>> check_gap_degree(DependencyTree((3, 0, 2)), 0)
    GapDegree(holds=False, bound=0, degree=1, word=3, intervals=((1, 1), (3, 3)))
    """
    masks = projection_masks(structure)
    word = max(range(1, len(masks)), key=lambda w: gap_count(masks[w]))
    degree = gap_count(masks[word])
    return GapDegree(bound is None or degree <= bound, bound, degree, word, intervals(masks[word]))


def edge_degree(tree: DependencyTree) -> int:
    """Return the largest number of foreign components that a link runs over.

    The words strictly between the ends of a link fall into components of the tree. Those whose highest word
    is not below the head of the link are counted.

    References
    ----------
    M. Kuhlmann and J. Nivre (2006), Mildly non-projective dependency structures, on Nivre's (2006) degree.

    >>> edge_degree(DependencyTree((3, 0, 2)))
    1
    """
    return edge_degree_of(tree.heads, tree_masks(tree.heads))


def edge_degree_of(heads: Sequence[int], masks: Sequence[int]) -> int:
    """Return the edge degree of a tree whose projections are known."""
    return _worst_link(heads, masks)[0]


def check_edge_degree(tree: DependencyTree, bound: int | None = None) -> EdgeDegree:
    """Return the edge degree with a link that has it, and whether it is within the bound.

    >>> check_edge_degree(DependencyTree((3, 0, 2)))
    EdgeDegree(holds=True, bound=None, degree=1, link=(1, 3), tops=(2,))
    """
    degree, link, tops = _worst_link(tree.heads, tree_masks(tree.heads))
    return EdgeDegree(bound is None or degree <= bound, bound, degree, link, members(tops))


def _worst_link(heads: Sequence[int], masks: Sequence[int]) -> tuple[int, Link, int]:
    """Return how many components a link runs over at most, the first such link, and the components' highest words."""
    worst: tuple[int, Link, int] = (-1, (0, 0), 0)
    for dependent, head in enumerate(heads, 1):
        between = (1 << dependent) - (2 << head) if head < dependent else (1 << head) - (2 << dependent)
        foreign = between & ~masks[head]
        if foreign.bit_count() > worst[0]:
            tops = _tops(heads, foreign, between)
            worst = max(worst, (tops.bit_count(), (dependent, head), tops), key=lambda found: found[0])
    return worst


def _tops(heads: Sequence[int], foreign: int, between: int) -> int:
    """Return the words of `foreign` whose head is not among those `between`."""
    tops = 0
    while foreign:
        low = foreign & -foreign
        if not between >> heads[low.bit_length() - 2] & 1:
            tops |= low
        foreign ^= low
    return tops


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
