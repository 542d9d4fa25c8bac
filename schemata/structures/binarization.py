"""Mildly ill-nested trees, in which the dependents of every head can be joined two at a time without too many gaps.

A tree is mildly ill-nested for k if it has a binarization of gap degree at most k (GCW11, Definitions 7 and
8). In a binarization the projections of a head's dependents are joined two at a time. A union U on the way
may stand for itself or together with the head h, which may then fill a gap: it is within k if U or U + {h}
has at most k gaps. The dependents' own projections are within k by themselves. So the question is asked at
each head apart, and the answer implies gap degree at most k. Well-nested trees of gap degree k are mildly
ill-nested for k.

The search is over the unions that can be built. Two facts keep it small. A set B may be joined with A at
once if every interval of B is next to A: whatever contains A gets no new gap from B, and whatever has B
without A loses none by giving it away. And where no two dependents' projections interleave, nothing needs
to be searched, since a head's dependents can then be joined from the inside of the gaps outwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Union

from schemata.errors import BudgetError, UsageError
from schemata.structures.graphs import Evidence
from schemata.structures.projections import (
    gap_count,
    interleaving_siblings,
    intervals,
    members,
    tree_masks,
)
from schemata.structures.trees import DependencyTree

DEFAULT_BUDGET = 2_000_000
"""The number of pairs of unions that a search may look at before it gives up."""

Bracketing = Union[int, tuple["Bracketing", "Bracketing"]]  # noqa: UP007  (recursive)
"""A dependent, or two bracketings that are joined."""


def check_mg(tree: DependencyTree, k: int, *, budget: int = DEFAULT_BUDGET) -> Evidence:
    """Return whether a tree is in MG_k: whether it has a binarization of gap degree at most k.

    Well-nested trees of gap degree at most k have one; the name *mildly ill-nested* is that of the paper all the same.

    If it is, `binarization` says for each node with two dependents or more, the artificial root included, how
    these are joined. If not, `node` is where it fails. Either its own projection, `intervals`, has more than
    k gaps; or its dependents cannot be joined. Then `blocks` are sets of dependents that lose nothing by
    being joined first, and `buildable` are the sets of dependents, made of such blocks, that can be built
    within k gaps: all dependents together are not among them.

    Raises
    ------
    UsageError : k < 0.
    BudgetError : the search ran out of its budget; treebank sentences need almost none of it.

    References
    ----------
    GCW11, Definitions 7 and 8, sections 7.7 to 7.10.

    >>> tree = DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7))
    >>> check_mg(tree, 1).holds, check_mg(tree, 2).holds
    (False, True)
    >>> check_mg(DependencyTree((0, 1, 1, 2, 3)), 1)["binarization"]
    {1: (2, 3)}
    """
    if k < 0:
        raise UsageError(f"a gap degree is at least 0, not {k}")
    masks = tree_masks(tree.heads)
    for node, mask in enumerate(masks):
        if gap_count(mask) > k:
            pieces = intervals(mask)
            shown = ", ".join(f"{a}..{b}" for a, b in pieces)
            text = f"the projection of word {node} has more than {k} gaps: {shown}"
            return Evidence(False, text, {"node": node, "intervals": pieces})
    found = {}
    for head in range(len(masks)):
        dependents = tree.dependents(head)
        if len(dependents) < 2:
            continue
        blocks = _blocks(masks, dependents)
        bracketing, unions = _search(blocks, head, k, budget)
        if bracketing is None:
            sets = [tuple(sorted(d for b in blocks if b.words & u for d in b.dependents)) for u in unions]
            text = f"the dependents of {head} cannot be joined two at a time within gap degree {k}"
            listed = tuple(block.dependents for block in blocks)
            return Evidence(False, text, {"node": head, "blocks": listed, "buildable": tuple(sorted(sets))})
        found[head] = bracketing
    text = f"the dependents of every word can be joined two at a time within gap degree {k}"
    return Evidence(True, text, {"binarization": found})


def binarization_degree(tree: DependencyTree, *, budget: int = DEFAULT_BUDGET) -> int:
    """Return the smallest k for which a tree is mildly ill-nested, so in MG_k.

    It is the smallest gap degree of a binarization, and never below the tree's own gap degree.

    Raises
    ------
    BudgetError : the search ran out of its budget.

    >>> binarization_degree(DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7)))
    2
    """
    heads, masks = tree.heads, tree_masks(tree.heads)
    k = max(map(gap_count, masks))
    for head in sorted({heads[p - 1] for p, _ in interleaving_siblings(heads, masks)}):
        blocks = _blocks(masks, tree.dependents(head))
        while _search(blocks, head, k, budget)[0] is None:
            k += 1
    return k


@dataclass(frozen=True, slots=True)
class _Block:
    """Words to be joined, the dependents they are the projections of, and how these were joined."""

    words: int
    dependents: tuple[int, ...]
    bracketing: Bracketing


def _blocks(masks: Sequence[int], dependents: Sequence[int]) -> list[_Block]:
    """Return the dependents' projections, joined as far as this costs nothing."""
    blocks = {d: _Block(masks[d], (d,), d) for d in dependents}
    owner = {word: d for d in dependents for word in members(masks[d])}
    again = True
    while again:
        again = False
        for d in list(blocks):
            block = blocks[d]
            beside = _beside(block, owner)
            if not beside:
                continue
            host = blocks[min(beside)]
            both = sorted((host, block), key=lambda b: b.dependents)
            blocks[min(beside)] = _Block(
                host.words | block.words,
                tuple(sorted(host.dependents + block.dependents)),
                (both[0].bracketing, both[1].bracketing),
            )
            del blocks[d]
            for word in members(block.words):
                owner[word] = min(beside)
            again = True
    return list(blocks.values())


def _beside(block: _Block, owner: dict[int, int]) -> set[int]:
    """Return the blocks that every interval of a block is next to."""
    beside: set[int] | None = None
    for first, last in intervals(block.words):
        here = {owner[word] for word in (first - 1, last + 1) if word in owner}
        beside = here if beside is None else beside & here
        if not beside:
            break
    return beside or set()


def _search(
    blocks: Sequence[_Block], head: int, k: int, budget: int
) -> tuple[Bracketing | None, Iterable[int]]:
    """Return how to join all blocks within k gaps, None if there is no way; and all unions built on the way."""
    if len(blocks) == 1:
        return blocks[0].bracketing, ()
    filler = 1 << head
    whole = sum(block.words for block in blocks)
    # Each union that can be built, with one way to do so. The newest is extended first, of those the one with
    # the fewest gaps: where k is generous this reaches the whole without looking left or right.
    built = {block.words: block.bracketing for block in blocks}
    todo = list(built)
    looked = 0
    while todo:
        one = todo.pop()
        partners = [other for other in built if not one & other]
        looked += len(built)
        if looked > budget:
            raise BudgetError(f"no answer about the dependents of {head} and {k} gaps after {budget} pairs")
        unions = {one | other: other for other in partners if one | other not in built}
        for union in sorted(unions, key=lambda u: (-_gaps(u, filler), u.bit_count(), u)):
            if _gaps(union, filler) <= k:
                built[union] = (built[one], built[unions[union]])
                if union == whole:
                    return built[union], ()
                todo.append(union)
    return None, built


def _gaps(union: int, filler: int) -> int:
    """Return the number of gaps of a union, with or without its head, whichever is less."""
    return min(gap_count(union), gap_count(union | filler))
