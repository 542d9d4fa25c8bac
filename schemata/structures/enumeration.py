"""All trees of n words, and all trees of a class, one after the other in the order of their heads.

Words get their heads from left to right, the smallest first, so that trees come out in lexicographic order
and no more than one of them is held at a time. A head is only tried if it closes no cycle; for projective
and planar trees also only if its arc crosses none before it. The number of trees of n words with a single
root is n^(n-1), that of projective ones C(3n-2, n-1) / n.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemata.errors import UsageError
from schemata.structures.classes import TreeClass
from schemata.structures.trees import DependencyTree, trusted_tree

__all__ = ["all_trees", "planar_trees", "projective_trees", "trees_of_class"]


def all_trees(n: int, *, single_root: bool = True) -> Iterator[DependencyTree]:
    """Yield every tree of n words, in lexicographic order of the heads.

    Parameters
    ----------
    n : the number of words.
    single_root : only trees with one word under the artificial root.

    Raises
    ------
    UsageError : n < 1.

    >>> [tree.heads for tree in all_trees(2)]
    [(0, 1), (2, 0)]
    >>> sum(1 for _ in all_trees(4, single_root=False))
    125
    """
    return map(trusted_tree, _heads(_positive(n), single_root, words=False, root=False))


def projective_trees(n: int, *, single_root: bool = True) -> Iterator[DependencyTree]:
    """Yield every projective tree of n words, in lexicographic order of the heads.

    These are the trees whose arcs, those from the artificial root included, do not cross (GN10, section 2.3).

    Raises
    ------
    UsageError : n < 1.

    >>> [sum(1 for _ in projective_trees(n)) for n in range(1, 7)]
    [1, 2, 7, 30, 143, 728]
    """
    return map(trusted_tree, _heads(_positive(n), single_root, words=True, root=True))


def planar_trees(n: int, *, single_root: bool = True) -> Iterator[DependencyTree]:
    """Yield every planar tree of n words, in lexicographic order of the heads.

    Raises
    ------
    UsageError : n < 1.

    >>> [sum(1 for _ in planar_trees(n)) for n in range(1, 6)]
    [1, 2, 9, 48, 275]
    """
    return map(trusted_tree, _heads(_positive(n), single_root, words=True, root=False))


def trees_of_class(class_: TreeClass, n: int, *, single_root: bool = True) -> Iterator[DependencyTree]:
    """Yield every tree of n words of a class, in lexicographic order of the heads.

    Projective and planar trees and subclasses of theirs are generated directly; other classes are picked out
    of all trees.

    Raises
    ------
    UsageError : n < 1.

    >>> from schemata.structures import tree_class
    >>> [sum(1 for _ in trees_of_class(tree_class("covington-lsup"), n)) for n in range(1, 7)]
    [1, 2, 6, 21, 80, 322]
    """
    source = all_trees
    if class_.is_projective:
        source = projective_trees
    elif class_.family == "planar":
        source = planar_trees
    return filter(class_.contains, source(n, single_root=single_root))


def _heads(n: int, single_root: bool, *, words: bool, root: bool) -> Iterator[tuple[int, ...]]:
    """Yield the heads of trees; `words` and `root`: without crossings of arcs of words, of root arcs.

    No partial tree without crossings of any kind is a dead end, so the time is that of what is yielded.
    """
    every = (1 << (n + 1)) - 1
    heads = [0] * (n + 1)
    options = [0] * (n + 2)
    word = 1
    options[1] = every ^ 2
    rooted = 0
    while word:
        if not options[word]:
            word -= 1
            # Only a head that is taken back frees the root.
            if word and rooted == word:
                rooted = 0
            continue
        low = options[word] & -options[word]
        options[word] ^= low
        head = heads[word] = low.bit_length() - 1
        if _is_above(heads, word, head):
            continue
        if not head and not rooted and single_root:
            rooted = word
        if word == n:
            if rooted or not single_root:
                yield tuple(heads[1:])
            if rooted == word:
                rooted = 0
            continue
        word += 1
        heads[word] = 0
        allowed = every ^ (1 << word)
        if words:
            allowed &= _clear_of(heads, word, n, root)
        options[word] = allowed & ~1 if rooted else allowed


def _is_above(heads: list[int], word: int, node: int) -> bool:
    """Tell whether a word is met on the way up from a node, among the heads of the words before it."""
    while node and node < word:
        node = heads[node]
    return node == word


def _clear_of(heads: list[int], word: int, n: int, root: bool) -> int:
    """Return the heads a word may have without crossing the arcs of the words before it."""
    clear = (1 << (n + 1)) - 1
    for dependent in range(1, word):
        head = heads[dependent]
        if not head and not root:
            continue
        left, right = (dependent, head) if dependent < head else (head, dependent)
        inside = (1 << right) - (2 << left)
        if left < word < right:
            clear &= inside | (1 << left) | (1 << right) | (not root)
        elif word not in (left, right):
            clear &= ~inside
    return clear


def _positive(n: int) -> int:
    if n < 1:
        raise UsageError(f"a tree has at least one word, not {n}")
    return n
