"""Distinct structures of a forest: counted exactly within a budget, listed lazily beyond it.

Counting computes the set of states of every useful item, antecedents first.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schemata.forest.building import Building, Builds, State
from schemata.forest.streams import EFFORT, iterate_trees
from schemata.structures import DependencyTree

if TYPE_CHECKING:
    from schemata.forest.hypergraph import Edge, Hypergraph

__all__ = [
    "DEFAULT_BUDGET",
    "TreeCount",
    "all_states",
    "count_trees",
    "list_trees",
]

DEFAULT_BUDGET = 300_000  # unions of link sets, some hundredths of a second
_LOWER_BOUND = 100  # how far listing goes for a lower bound


@dataclass(frozen=True, slots=True)
class TreeCount:
    """How many distinct structures a forest holds.

    `trees` is exact, or None beyond the budget; `at_least` is a lower bound in any case. `not_trees` counts the
    distinct structures that are no trees (cycles, several heads, words left over), None where not all are known.
    """

    trees: int | None
    at_least: int
    not_trees: int | None


def count_trees(forest: Hypergraph, budget: int) -> TreeCount:
    """Count the distinct structures of a forest's final items."""
    if not forest.chart.schema.builds_links:
        return TreeCount(0, 0, 0)
    heads = _all_heads(forest, budget)
    if heads is None:
        found = 0
        for _ in iterate_trees(forest, EFFORT):
            found += 1
            if found >= _LOWER_BOUND:
                break
        return TreeCount(None, found, None)
    trees, others = heads
    return TreeCount(len(trees), len(trees), others)


def list_trees(forest: Hypergraph, limit: int | None, budget: int) -> list[DependencyTree]:
    """Return at most `limit` distinct trees: the smallest where all are known, else the first found."""
    if not forest.chart.schema.builds_links:
        return []
    heads = _all_heads(forest, budget)
    if heads is not None:
        return [DependencyTree(h) for h in sorted(heads[0])[:limit]]
    found: list[DependencyTree] = []
    for tree in iterate_trees(forest, None if limit is None else EFFORT):
        if limit is not None and len(found) >= limit:
            break
        found.append(tree)
    return found


def _all_heads(forest: Hypergraph, budget: int) -> tuple[set[tuple[int, ...]], int] | None:
    """Return all trees (as heads) and the number of other structures, or None beyond the budget.

    What was found, or the budget that did not suffice, is kept for the next call.
    """
    known = _CACHE.get(forest)
    if known is not None and (known.heads is not None or known.budget >= budget):
        return known.heads
    heads = _compute_heads(forest, budget)
    _CACHE[forest] = _Known(budget, heads)
    return heads


@dataclass(frozen=True, slots=True)
class _Known:
    """All trees of a forest with the number of other structures, or the budget that did not suffice."""

    budget: int
    heads: tuple[set[tuple[int, ...]], int] | None


_CACHE: weakref.WeakKeyDictionary[Hypergraph, _Known] = weakref.WeakKeyDictionary()


def _compute_heads(forest: Hypergraph, budget: int) -> tuple[set[tuple[int, ...]], int] | None:
    building = Building.of(forest.chart)
    states = all_states(forest, building, budget)
    if states is None:
        return None
    finished = {state for root in forest.roots for state in states[root]}
    trees: set[tuple[int, ...]] = set()
    others = 0
    for state in finished:
        heads = building.heads_of_words(state)
        if heads is None:
            others += 1
        else:
            trees.add(heads)
    return trees, others


def all_states(forest: Hypergraph, building: Builds, budget: int | None) -> dict[int, set[Any]] | None:
    """Return every useful item's set of states, or None beyond the budget (None for no bound).

    Items on cycles are revisited until nothing is new.
    """
    hypotheses = forest.chart.raw.hypothesis_count
    states: dict[int, set[State]] = {x: {building.leaf} if x < hypotheses else set() for x in forest.order}
    spent = 0
    changed = True
    while changed:
        changed = False
        for item in forest.order:
            here = states[item]
            before = len(here)
            for edge in forest.edges_into(item):
                own = building.links(edge)
                combinations = 1
                for tail in edge.tails:
                    combinations *= len(states[tail])
                spent += combinations
                if budget is not None and spent > budget:
                    return None
                _add_states(building, edge, item, own, states)
            changed = changed or len(here) > before
        if not forest.cyclic:
            break
    return states


def _add_states(building: Builds, edge: Edge, item: int, own: int, states: dict[int, set[State]]) -> None:
    """Add to an item's states those that one edge yields."""
    here = states[item]
    if building.plain and len(edge.tails) <= 2:
        # Plain link sets are integers; the comprehension does in one line what `combine` does one by one.
        tails = [states[t] for t in edge.tails]
        left = tails[0] if tails else {0}
        right = tails[1] if len(tails) > 1 else {0}
        here |= {one | two | own for one in left for two in right}  # type: ignore[operator]
        return
    for chosen in _product(edge, states):
        state = building.combine(edge, item, own, chosen)
        if state is not None:
            here.add(state)


def _product(edge: Edge, states: dict[int, set[State]]) -> Iterator[tuple[State, ...]]:
    match edge.tails:
        case ():
            yield ()
        case (one,):
            for state in tuple(states[one]):
                yield (state,)
        case (one, two):
            right = tuple(states[two])
            for left in tuple(states[one]):
                for state in right:
                    yield left, state
        case tails:
            yield from itertools.product(*(tuple(states[t]) for t in tails))
