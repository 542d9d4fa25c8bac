"""Projective structures, and the smaller class that Covington's LSUP strategy parses.

A structure is projective if the projection of every word is an interval (GCW11, Definition 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.structures.graphs import DependencyGraph, Structure
from schemata.structures.projections import Interval, intervals, projection_masks
from schemata.structures.trees import DependencyTree

__all__ = [
    "LeftSubtreesFirst",
    "Projectivity",
    "check_covington_lsup",
    "check_projectivity",
    "has_projective_heads",
    "is_covington_lsup",
    "is_projective",
]


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
