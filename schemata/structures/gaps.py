"""Gap degree and edge degree: two measures of how far a structure is from projective.

The gap degree looks at projections and counts what interrupts them; the edge degree looks at links and
counts what they run over. Both are 0 for projective trees and only for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.structures.graphs import Link, Structure
from schemata.structures.projections import (
    Interval,
    gap_count,
    intervals,
    members,
    projection_masks,
    tree_masks,
)
from schemata.structures.trees import DependencyTree

__all__ = [
    "EdgeDegree",
    "GapDegree",
    "check_edge_degree",
    "check_gap_degree",
    "edge_degree",
    "edge_degree_of",
    "gap_degree",
    "has_gap_degree",
]


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
    degree = 0
    for dependent, head in enumerate(heads, 1):
        between = (1 << dependent) - (2 << head) if head < dependent else (1 << head) - (2 << dependent)
        foreign = between & ~masks[head]
        if foreign and foreign.bit_count() > degree:
            degree = max(degree, _tops(heads, foreign, between).bit_count())
    return degree


def check_edge_degree(tree: DependencyTree, bound: int | None = None) -> EdgeDegree:
    """Return the edge degree with a link that has it, and whether it is within the bound.

    >>> check_edge_degree(DependencyTree((3, 0, 2)))
    EdgeDegree(holds=True, bound=None, degree=1, link=(1, 3), tops=(2,))
    """
    masks = tree_masks(tree.heads)
    worst: tuple[int, Link, int] = (-1, (0, 0), 0)
    for dependent, head in tree.links:
        low, high = sorted((dependent, head))
        between = (1 << high) - (2 << low)
        tops = _tops(tree.heads, between & ~masks[head], between)
        if tops.bit_count() > worst[0]:
            worst = (tops.bit_count(), (dependent, head), tops)
    degree, link, tops = worst
    return EdgeDegree(bound is None or degree <= bound, bound, degree, link, members(tops))


def _tops(heads: Sequence[int], foreign: int, between: int) -> int:
    """Return the words of `foreign` whose head is not among those `between`."""
    tops = 0
    while foreign:
        low = foreign & -foreign
        if not between >> heads[low.bit_length() - 2] & 1:
            tops |= low
        foreign ^= low
    return tops
