"""Projections of words, and measures of how far a structure is from projective: gap degree, edge degree, nesting.

The projection of a word is the set of its reflexive and transitive dependents (GCW11, section 2). As an
integer with bit i for word i, its union, its gaps and its neighbours are one machine operation each for
sentences of ordinary length; this is the common ground of the fast tests.

A structure is projective if the projection of every word is an interval (GCW11, Definition 3); Covington's LSUP
strategy parses a smaller class. The gap degree looks at projections and counts what interrupts them; the edge degree
looks at links and counts what they run over. Both are 0 for projective trees and only for them.

A tree is well-nested if disjoint subtrees do not interleave. Two disjoint subtrees interleave if there are words
i < k < j < l with i, j in the one and k, l in the other (GCW11, Definition 6). If any two do, then so do two
subtrees whose tops hang under the same head, namely those above them at the lowest word that dominates both; and
both of these have a gap. So only siblings with gaps are ever compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.structures.graphs import DependencyGraph, Link, Structure
from schemata.structures.trees import DependencyTree

Interval = tuple[int, int]
"""The words from the first to the last position, both included."""


def tree_masks(heads: Sequence[int]) -> list[int]:
    """Return the projection of each node 0..n of a tree as a bit mask, by node."""
    pending = [0] * (len(heads) + 1)
    for head in heads:
        pending[head] += 1
    masks = [1 << node for node in range(len(pending))]
    for start in range(1, len(masks)):
        word = start
        # A word is added to its head once all its own dependents are; the last one carries on upwards.
        while not pending[word]:
            pending[word] = -1
            head = heads[word - 1]
            masks[head] |= masks[word]
            if not head:
                break
            pending[head] -= 1
            word = head
    return masks


def projection_masks(structure: Structure) -> list[int]:
    """Return the projection of each node 0..n of a tree or graph as a bit mask, by node."""
    if not isinstance(structure, DependencyGraph):
        return tree_masks(structure.heads)
    masks = [1 << node for node in range(len(structure) + 1)]
    changed = True
    while changed:
        changed = False
        for d, h in structure.links:
            if masks[d] & ~masks[h]:
                masks[h] |= masks[d]
                changed = True
    return masks


def projection(structure: Structure, node: int) -> tuple[int, ...]:
    """Return the words at and below a node, in word order.

    >>> from schemata.structures import DependencyTree
    >>> projection(DependencyTree((3, 0, 2)), 3)
    (1, 3)
    """
    return members(projection_masks(structure)[node])


def gap_count(mask: int) -> int:
    """Return how often a nonempty set of words is interrupted: its maximal intervals less one.

    >>> gap_count(0b1011010)
    2
    """
    return (mask & ~(mask << 1)).bit_count() - 1


def intervals(mask: int) -> tuple[Interval, ...]:
    """Return the maximal intervals of a set of words, from left to right.

    >>> intervals(0b1011010)
    ((1, 1), (3, 4), (6, 6))
    """
    found = []
    while mask:
        first = (mask & -mask).bit_length() - 1
        run = mask >> first
        last = first + (~run & (run + 1)).bit_length() - 2
        found.append((first, last))
        mask &= -1 << (last + 1)
    return tuple(found)


def members(mask: int) -> tuple[int, ...]:
    """Return the elements of a set of words, in order.

    >>> members(0b1010)
    (1, 3)
    """
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Projectivity:
    """Whether every projection is an interval.

    If so, `spans` has the interval of each word, in word order. If not, `word` is the first word whose
    projection is interrupted and `intervals` are the pieces it falls into.
    """

    holds: bool
    spans: tuple[Interval, ...] | None = None
    word: int | None = None
    intervals: tuple[Interval, ...] = ()

    def __str__(self) -> str:
        if self.holds:
            return "the projection of every word is an interval"
        pieces = ", ".join(f"{a}..{b}" for a, b in self.intervals)
        return f"the projection of word {self.word} is interrupted: {pieces}"


@dataclass(frozen=True, slots=True)
class LeftSubtreesFirst:
    """Whether a tree is in the class of Covington's LSUP parser.

    If not, either `projectivity` shows why it is not projective, or `word` hangs under the word `head` to
    its left although `dependent`, also to its left, hangs under it.
    """

    holds: bool
    projectivity: Projectivity
    word: int | None = None
    head: int | None = None
    dependent: int | None = None

    def __str__(self) -> str:
        if self.holds:
            return "projective, and no word has both its head and a dependent to its left"
        if not self.projectivity.holds:
            return str(self.projectivity)
        return f"word {self.word} has its head {self.head} and its dependent {self.dependent} to its left"


def has_projective_heads(heads: Sequence[int]) -> bool:
    """Tell whether the heads, known to be a tree, are those of a projective one.

    The words are read once from left to right, and each word leaves the stack as soon as its subtree is
    complete. In a projective tree it is then next to its head; the first one that is not decides.
    """
    pending = [0] * (len(heads) + 1)
    for head in heads:
        pending[head] += 1
    # Node 0 must neither be taken for a dependent nor ever leave the stack: its head is beyond all words.
    table = (len(pending), *heads)
    stack = [0]
    top = 0
    for word, own_head in enumerate(heads, 1):
        head = own_head
        while table[top] == word:
            stack.pop()
            top = stack[-1]
            pending[word] -= 1
        stack.append(word)
        top = word
        while head < top and not pending[top]:
            stack.pop()
            top = stack[-1]
            if top != head:
                return False
            pending[top] -= 1
            head = table[top]
    return not top


def is_projective(structure: Structure) -> bool:
    """Tell whether the projection of every word is an interval.

    References
    ----------
    GCW11, Definition 3; GN10, Definition 3.

    >>> is_projective(DependencyTree((2, 0, 2))), is_projective(DependencyTree((3, 0, 2)))
    (True, False)
    """
    if isinstance(structure, DependencyGraph):
        return check_projectivity(structure).holds
    return has_projective_heads(structure.heads)


def check_projectivity(structure: Structure) -> Projectivity:
    """Return the interval of every word, or the first word whose projection is interrupted.

    >>> check_projectivity(DependencyTree((3, 0, 2)))
    Projectivity(holds=False, spans=None, word=3, intervals=((1, 1), (3, 3)))
    """
    spans = []
    for word, mask in enumerate(projection_masks(structure)):
        pieces = intervals(mask)
        if word and len(pieces) > 1:
            return Projectivity(False, word=word, intervals=pieces)
        spans.append(pieces[0])
    return Projectivity(True, tuple(spans[1:]))


def is_covington_lsup(tree: DependencyTree) -> bool:
    """Tell whether Covington's LSUP strategy, as published, parses a tree.

    It parses the projective trees in which no word has both its head and a dependent to its left; the
    artificial root does not count as a head to the left. The strategy looks for the head of a word among
    the words above its left neighbour, where it no longer is once the word has taken that neighbour up.

    References
    ----------
    GCW11, section 3.7, on Covington (2001).

    >>> is_covington_lsup(DependencyTree((0, 3, 1))), is_covington_lsup(DependencyTree((2, 0)))
    (False, True)
    """
    return _left_dependent(tree) is None and has_projective_heads(tree.heads)


def check_covington_lsup(tree: DependencyTree) -> LeftSubtreesFirst:
    """Return whether Covington's LSUP strategy parses a tree, or why not (see `is_covington_lsup`)."""
    projectivity = check_projectivity(tree)
    if not projectivity.holds:
        return LeftSubtreesFirst(False, projectivity)
    dependent = _left_dependent(tree)
    if dependent is None:
        return LeftSubtreesFirst(True, projectivity)
    word = tree.heads[dependent - 1]
    return LeftSubtreesFirst(False, projectivity, word, tree.heads[word - 1], dependent)


def _left_dependent(tree: DependencyTree) -> int | None:
    """Return the first dependent to the left of a word that has its head to the left too."""
    heads = tree.heads
    for dependent, word in enumerate(heads, 1):
        if word > dependent and 0 < heads[word - 1] < word:
            return dependent
    return None


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
