"""Projections of words, and trees whose projections have no gaps.

The projection of a word is the set of its reflexive and transitive dependents (GCW11, section 2). As an
integer with bit i for word i, its union, its gaps and its neighbours are one machine operation each for
sentences of ordinary length; this is the common ground of the fast tests.

A structure is projective if the projection of every word is an interval (GCW11, Definition 3); Covington's LSUP
strategy parses a smaller class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.structures.graphs import DependencyGraph, Structure
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
