"""Projections of words as bit masks, the common ground of the fast tests.

The projection of a word is the set of its reflexive and transitive dependents (GCW11, section 2). As an
integer with bit i for word i, its union, its gaps and its neighbours are one machine operation each for
sentences of ordinary length.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.structures.graphs import DependencyGraph, Structure

__all__ = ["Interval", "gap_count", "intervals", "members", "projection", "projection_masks", "tree_masks"]

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
