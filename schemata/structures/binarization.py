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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

from schemata.errors import BudgetError, UsageError
from schemata.structures.projections import (
    Interval,
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


@dataclass(frozen=True, slots=True)
class HeadBinarization:
    """An order in which the dependents of one head are joined two at a time."""

    head: int
    bracketing: Bracketing


@dataclass(frozen=True, slots=True)
class MildIllNestedness:
    """Whether a tree is mildly ill-nested for k, which is to say in MG_k.

    If so, `binarization` says for each node with two dependents or more, the artificial root included, how
    these are joined. If not, `node` is where it fails. Either its own projection, `intervals`, has more than
    k gaps; or its dependents cannot be joined. Then `blocks` are sets of dependents that lose nothing by
    being joined first, and `buildable` are the sets of dependents, made of such blocks, that can be built
    within k gaps: all dependents together are not among them.
    """

    holds: bool
    k: int
    binarization: tuple[HeadBinarization, ...] = ()
    node: int | None = None
    intervals: tuple[Interval, ...] = ()
    blocks: tuple[tuple[int, ...], ...] = ()
    buildable: tuple[tuple[int, ...], ...] = ()

    def __str__(self) -> str:
        if self.holds:
            return f"the dependents of every word can be joined two at a time within gap degree {self.k}"
        if self.intervals:
            pieces = ", ".join(f"{a}..{b}" for a, b in self.intervals)
            return f"the projection of word {self.node} has more than {self.k} gaps: {pieces}"
        return f"the dependents of {self.node} cannot be joined two at a time within gap degree {self.k}"


def is_mildly_ill_nested(tree: DependencyTree, k: int, *, budget: int = DEFAULT_BUDGET) -> bool:
    """Tell whether a tree has a binarization of gap degree at most k.

    Well-nested trees of gap degree at most k have one; the name is that of the paper all the same.

    Raises
    ------
    UsageError : k < 0.
    BudgetError : the search ran out of its budget; treebank sentences need almost none of it.

    References
    ----------
    GCW11, Definitions 7 and 8, section 7.10.

    >>> tree = DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7))
    >>> is_mildly_ill_nested(tree, 1), is_mildly_ill_nested(tree, 2)
    (False, True)
    """
    _check_k(k)
    masks = tree_masks(tree.heads)
    if max(map(gap_count, masks)) > k:
        return False
    return all(
        _search(_blocks(masks, tree.dependents(head)), head, k, budget).bracketing is not None
        for head in _interleaved_heads(tree.heads, masks)
    )


def check_mild_ill_nestedness(
    tree: DependencyTree, k: int, *, budget: int = DEFAULT_BUDGET
) -> MildIllNestedness:
    """Return a binarization of gap degree at most k, or where there is none (see `is_mildly_ill_nested`).

    >>> check_mild_ill_nestedness(DependencyTree((0, 1, 1, 2, 3)), 1).binarization
    (HeadBinarization(head=1, bracketing=(2, 3)),)
    """
    _check_k(k)
    masks = tree_masks(tree.heads)
    for node, mask in enumerate(masks):
        if gap_count(mask) > k:
            return MildIllNestedness(False, k, node=node, intervals=intervals(mask))
    found = []
    for head in range(len(masks)):
        dependents = tree.dependents(head)
        if len(dependents) < 2:
            continue
        outcome = _search(_blocks(masks, dependents), head, k, budget)
        if outcome.bracketing is None:
            return MildIllNestedness(
                False, k, node=head, blocks=outcome.blocks, buildable=tuple(sorted(outcome.buildable))
            )
        found.append(HeadBinarization(head, outcome.bracketing))
    return MildIllNestedness(True, k, tuple(found))


is_mg = is_mildly_ill_nested
"""Tells whether a tree is in MG_k: mildly ill-nested for k, and so of gap degree at most k (GCW11, 7.7 to 7.10)."""

check_mg = check_mild_ill_nestedness
"""Returns whether a tree is in MG_k, with the evidence."""


def binarization_degree(tree: DependencyTree, *, budget: int = DEFAULT_BUDGET) -> int:
    """Return the smallest k for which a tree is mildly ill-nested, so in MG_k.

    It is the smallest gap degree of a binarization, and never below the tree's own gap degree.

    Raises
    ------
    BudgetError : the search ran out of its budget.

    >>> binarization_degree(DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7)))
    2
    """
    masks = tree_masks(tree.heads)
    return binarization_degree_of(tree.heads, masks, max(map(gap_count, masks)), budget=budget)


def binarization_degree_of(
    heads: Sequence[int], masks: Sequence[int], gap_degree: int, *, budget: int = DEFAULT_BUDGET
) -> int:
    """Return the smallest gap degree of a binarization of a tree whose projections are known."""
    k = gap_degree
    for head in _interleaved_heads(heads, masks):
        blocks = _blocks(masks, [word for word, h in enumerate(heads, 1) if h == head])
        while _search(blocks, head, k, budget).bracketing is None:
            k += 1
    return k


def _interleaved_heads(heads: Sequence[int], masks: Sequence[int]) -> list[int]:
    return sorted({heads[p - 1] for p, _ in interleaving_siblings(heads, masks)})


@dataclass(frozen=True, slots=True)
class _Block:
    """Words to be joined, the dependents they are the projections of, and how these were joined."""

    words: int
    dependents: tuple[int, ...]
    bracketing: Bracketing


@dataclass(frozen=True, slots=True)
class _Outcome:
    bracketing: Bracketing | None
    blocks: tuple[tuple[int, ...], ...] = ()
    buildable: tuple[tuple[int, ...], ...] = ()


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


def _search(blocks: Sequence[_Block], head: int, k: int, budget: int) -> _Outcome:
    """Return how to join all blocks within k gaps, or everything that can be built of them if that fails."""
    if len(blocks) == 1:
        return _Outcome(blocks[0].bracketing)
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
                    return _Outcome(built[union])
                todo.append(union)
    sets = (tuple(sorted(d for b in blocks if b.words & union for d in b.dependents)) for union in built)
    return _Outcome(None, tuple(block.dependents for block in blocks), tuple(sets))


def _gaps(union: int, filler: int) -> int:
    """Return the number of gaps of a union, with or without its head, whichever is less."""
    return min(gap_count(union), gap_count(union | filler))


def _check_k(k: int) -> None:
    if k < 0:
        raise UsageError(f"a gap degree is at least 0, not {k}")
