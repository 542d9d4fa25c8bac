"""Trees of n words: all of them or of a class one after the other, and random ones.

*All trees.* Words get their heads from left to right, the smallest first, so that trees come out in lexicographic
order and no more than one of them is held at a time. A head is only tried if it closes no cycle; for projective
and planar trees also only if its arc crosses none before it. The number of trees of n words with a single
root is n^(n-1), that of projective ones C(3n-2, n-1) / n.

*Random trees* are uniform, of any size, and the same for the same seed. A tree of n words under the artificial root
is a labelled tree of n + 1 nodes, and these correspond to the sequences of n - 1 nodes (Prüfer 1918). With a single
root, the tree of the words is one of n labelled nodes with any of them as its root. Projective trees correspond to
sequences of numbers of left and right dependents, of whose rotations the cycle lemma picks the valid ones (Dvoretzky
and Motzkin 1947).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from math import comb
from random import Random

from schemata.errors import BudgetError, UsageError
from schemata.structures.classes import OwnClass, TreeClass
from schemata.structures.trees import DependencyTree, trusted_tree


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


def trees_of_class(
    class_: TreeClass | OwnClass, n: int, *, single_root: bool = True
) -> Iterator[DependencyTree]:
    """Yield every tree of n words of a class, in lexicographic order of the heads.

    Projective and planar trees and subclasses of theirs are generated directly; other classes are picked out
    of all trees. Projective trees are those whose arcs, those from the artificial root included, do not cross
    (GN10, section 2.3).

    Raises
    ------
    UsageError : n < 1.

    >>> from schemata.structures import tree_class
    >>> [sum(1 for _ in trees_of_class(tree_class("covington-lsup"), n)) for n in range(1, 7)]
    [1, 2, 6, 21, 80, 322]
    """
    if isinstance(class_, OwnClass) and class_.structures is not None:
        return filter(class_.contains, class_.structures(_positive(n)))
    projective = class_.is_projective
    planar = projective or class_.family == "planar"
    found = map(trusted_tree, _heads(_positive(n), single_root, words=planar, root=projective))
    return found if class_.family in ("all", "projective", "planar") else filter(class_.contains, found)


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


def _positive(n: int, what: str = "a tree") -> int:
    if n < 1:
        raise UsageError(f"{what} has at least one word, not {n}")
    return n


def random_tree(n: int, seed: int | Random, *, single_root: bool = True) -> DependencyTree:
    """Return a random tree of n words, each of them as likely as any other.

    Parameters
    ----------
    n : the number of words.
    seed : a number, which fixes the tree, or a generator to draw from.
    single_root : only trees with one word under the artificial root.

    Raises
    ------
    UsageError : n < 1.

    >>> random_tree(5, 7) == random_tree(5, 7)
    True
    """
    rng = generator(n, seed)
    if not single_root:
        return trusted_tree(_decode([rng.randrange(n + 1) for _ in range(n - 1)], n + 1, 0)[1:])
    root = rng.randrange(n)
    above = _decode([rng.randrange(n) for _ in range(n - 2)], n, root)
    return trusted_tree(tuple(0 if word == root else head + 1 for word, head in enumerate(above)))


def random_projective_tree(n: int, seed: int | Random, *, single_root: bool = True) -> DependencyTree:
    """Return a random projective tree of n words, each of them as likely as any other.

    Parameters and errors are those of `random_tree`.

    >>> from schemata.structures import tree_class
    >>> tree_class("projective").contains(random_projective_tree(200, 1))
    True
    """
    rng = generator(n, seed)
    roots = 1 if single_root else _root_count(n, rng)
    # 2n numbers of dependents, left and right of each word, that sum up to n - roots: stars and bars.
    total = n - roots
    bars = sorted(rng.sample(range(total + 2 * n - 1), 2 * n - 1))
    counts = [b - a - 1 for a, b in pairwise((-1, *bars, total + 2 * n - 1))]
    pairs = list(zip(counts[::2], counts[1::2], strict=True))
    # Words still wanted after each prefix, one to begin with: the sequence started after position i is that
    # of `roots` whole trees if and only if i is the first place to fall to one of the `roots` lowest levels.
    levels = [0, *accumulate(left + right - 1 for left, right in pairs)][:n]
    lowest = min(levels)
    starts = [levels.index(lowest + level) for level in range(roots)]
    start = rng.choice(starts)
    return trusted_tree(_linearise(pairs[start:] + pairs[:start], roots))


def random_tree_of_class(
    class_: TreeClass | OwnClass, n: int, seed: int | Random, *, single_root: bool = True, limit: int = 10_000
) -> DependencyTree:
    """Return a random tree of a class, each of its trees of n words as likely as any other.

    Projective trees are drawn directly, members of other classes by drawing until one is found: from the
    projective trees for classes within these, else from all trees.

    Parameters
    ----------
    limit : how many trees may be drawn.

    Raises
    ------
    UsageError : n < 1.
    BudgetError : no tree drawn was in the class.
    """
    rng = generator(n, seed)
    draw = random_projective_tree if class_.is_projective else random_tree
    for _ in range(limit):
        tree = draw(n, rng, single_root=single_root)
        if class_.contains(tree):
            return tree
    raise BudgetError(f"none of {limit} random trees of {n} words was in {class_.name}; try fewer words")


def generator(n: int, seed: int | Random, what: str = "a tree") -> Random:
    """Return what to draw from for a structure of n words; refuses n < 1."""
    _positive(n, what)
    return seed if isinstance(seed, Random) else Random(seed)


def _decode(code: Sequence[int], size: int, root: int) -> tuple[int, ...]:
    """Return each node's neighbour towards the root in the labelled tree of a Prüfer sequence."""
    degree = [1 + code.count(node) for node in range(size)]
    leaves = [node for node in range(size) if degree[node] == 1]  # in order, so it is a heap
    above = list(range(size))  # towards the last node
    for node in code:
        above[heappop(leaves)] = node
        degree[node] -= 1
        if degree[node] == 1:
            heappush(leaves, node)
    above[leaves[0]] = leaves[-1]
    node, over = root, root
    while above[node] != node:  # the way from the root to the last node is turned round
        above[node], node, over = over, above[node], node
    above[node] = over
    return tuple(above)


def _root_count(n: int, rng: Random) -> int:
    """Return the number of roots of a random projective forest of n words.

    There are r/n * C(3n-r-1, 2n-1) projective forests with r roots.
    """
    weights = [r * comb(3 * n - r - 1, 2 * n - 1) for r in range(1, n + 1)]
    ticket = rng.randrange(sum(weights))
    for roots, bound in enumerate(accumulate(weights), start=1):
        if ticket < bound:
            return roots
    raise AssertionError("the ticket is below the sum of the weights")


def _linearise(pairs: Sequence[tuple[int, int]], roots: int) -> tuple[int, ...]:
    """Return the heads of the projective forest whose nodes, head first, have these numbers of dependents."""
    # Nodes are numbered head first; words get their positions once the left dependents are placed.
    heads: list[int] = []
    position = [0] * len(pairs)
    placed = 0
    fresh = 0
    # Entries: a subtree still to be read, under this node, or a node to be placed at the next position.
    todo: list[tuple[bool, int]] = [(True, -1)] * roots
    while todo:
        is_subtree, node = todo.pop()
        if not is_subtree:
            placed += 1
            position[node] = placed
            continue
        left, right = pairs[fresh]
        heads.append(node)
        todo += [(True, fresh)] * right + [(False, fresh)] + [(True, fresh)] * left
        fresh += 1
    table = [0] * len(pairs)
    for node, head in enumerate(heads):
        table[position[node] - 1] = position[head] if head >= 0 else 0
    return tuple(table)
