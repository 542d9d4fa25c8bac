"""Random trees: uniform, of any size, the same for the same seed.

A tree of n words under the artificial root is a labelled tree of n + 1 nodes, and these correspond to the
sequences of n - 1 nodes (Prüfer 1918). With a single root, the tree of the words is one of n labelled nodes
with any of them as its root. Projective trees correspond to sequences of numbers of left and right
dependents, of whose rotations the cycle lemma picks the valid ones (Dvoretzky and Motzkin 1947).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate, pairwise
from math import comb
from random import Random

from schemata.errors import BudgetError, UsageError
from schemata.structures.classes import TreeClass
from schemata.structures.trees import DependencyTree, trusted_tree

__all__ = ["random_projective_tree", "random_tree", "random_tree_of_class"]


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
    rng = _generator(n, seed)
    if not single_root:
        return trusted_tree(_decode([rng.randrange(n + 1) for _ in range(n - 1)], n + 1, 0)[1:])
    root = rng.randrange(n)
    above = _decode([rng.randrange(n) for _ in range(n - 2)], n, root)
    return trusted_tree(tuple(0 if word == root else head + 1 for word, head in enumerate(above)))


def random_projective_tree(n: int, seed: int | Random, *, single_root: bool = True) -> DependencyTree:
    """Return a random projective tree of n words, each of them as likely as any other.

    Parameters and errors are those of `random_tree`.

    >>> from schemata.structures import is_projective
    >>> is_projective(random_projective_tree(200, 1))
    True
    """
    rng = _generator(n, seed)
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
    class_: TreeClass, n: int, seed: int | Random, *, single_root: bool = True, limit: int = 10_000
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
    rng = _generator(n, seed)
    draw = random_projective_tree if class_.is_projective else random_tree
    for _ in range(limit):
        tree = draw(n, rng, single_root=single_root)
        if class_.contains(tree):
            return tree
    raise BudgetError(f"none of {limit} random trees of {n} words was in {class_.name}; try fewer words")


def _generator(n: int, seed: int | Random) -> Random:
    if n < 1:
        raise UsageError(f"a tree has at least one word, not {n}")
    return seed if isinstance(seed, Random) else Random(seed)


def _decode(code: Sequence[int], size: int, root: int) -> tuple[int, ...]:
    """Return each node's neighbour towards the root in the labelled tree of a Prüfer sequence."""
    degree = [1] * size
    for node in code:
        degree[node] += 1
    neighbours: list[list[int]] = [[] for _ in range(size)]
    leaves = [node for node in range(size) if degree[node] == 1]
    heapify(leaves)
    for node in code:
        leaf = heappop(leaves)
        neighbours[leaf].append(node)
        neighbours[node].append(leaf)
        degree[node] -= 1
        if degree[node] == 1:
            heappush(leaves, node)
    if size > 1:
        one, other = leaves
        neighbours[one].append(other)
        neighbours[other].append(one)
    above = [root] * size
    todo = [root]
    while todo:
        node = todo.pop()
        for neighbour in neighbours[node]:
            if neighbour != above[node]:
                above[neighbour] = node
                todo.append(neighbour)
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
