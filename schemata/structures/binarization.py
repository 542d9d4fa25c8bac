"""Mildly ill-nested trees, in which the dependents of every head can be joined two at a time without too many gaps.

A tree is mildly ill-nested for k if it has a binarization of gap degree at most k (GCW11, Definitions 7 and
8). In a binarization the projections of a head's dependents are joined two at a time. A union U on the way
may stand for itself or together with the head h, which may then fill a gap: it is within k if U or U + {h}
has at most k gaps. The dependents' own projections are within k by themselves. So the question is asked at
each head apart, and the answer implies gap degree at most k. Well-nested trees of gap degree k are mildly
ill-nested for k.

The search is over the unions that can be built. Where no two dependents' projections interleave, nothing needs
to be searched, since a head's dependents can then be joined from the inside of the gaps outwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Union

from schemata.errors import BudgetError, UsageError
from schemata.structures.graphs import Evidence
from schemata.structures.projections import gap_count, interleaving_siblings, intervals, tree_masks
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
    k gaps; or its dependents cannot be joined. Then `buildable` are the sets of dependents that can be built
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
    {1: (3, 2)}
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
        bracketing, unions = _search(masks, dependents, head, k, budget)
        if bracketing is None:
            sets = sorted(tuple(d for d in dependents if masks[d] & union) for union in unions)
            text = f"the dependents of {head} cannot be joined two at a time within gap degree {k}"
            return Evidence(False, text, {"node": head, "buildable": tuple(sets)})
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
        while _search(masks, tree.dependents(head), head, k, budget)[0] is None:
            k += 1
    return k


def _search(
    masks: Sequence[int], dependents: Sequence[int], head: int, k: int, budget: int
) -> tuple[Bracketing | None, Iterable[int]]:
    """Return how to join two dependents or more within k gaps, None if there is no way; and all unions then built."""
    filler = 1 << head
    whole = sum(masks[d] for d in dependents)
    # Each union that can be built, with one way to do so. The newest is extended first, of those the one with
    # the fewest gaps: where k is generous this reaches the whole without looking left or right.
    built: dict[int, Bracketing] = {masks[d]: d for d in dependents}
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
