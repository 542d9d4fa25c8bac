"""Cycles of a forest: which useful items take part in their own derivations, and what avoids them.

Items that reach each other through hyperedges make up a component. An item is derivable without a set of
items of its component if some hyperedge into it has only tails of other components or tails that are
themselves derivable so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemata.forest.hypergraph import Edge, Hypergraph

__all__ = ["Cycles"]


@dataclass(frozen=True, slots=True)
class Cycles:
    """The components of a forest that have cycles; `component_of` leaves out the items on no cycle."""

    forest: Hypergraph
    component_of: Mapping[int, int]
    members: tuple[tuple[int, ...], ...]
    _without: dict[tuple[int, frozenset[int]], frozenset[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, forest: Hypergraph) -> Cycles:
        """Return the cycles of a forest."""
        if not forest.cyclic:
            return cls(forest, {}, ())
        components = _cyclic_components(forest)
        return cls(forest, {x: k for k, found in enumerate(components) for x in found}, tuple(components))

    def derivable(self, edge: Edge, item: int, above: frozenset[int]) -> bool:
        """Tell whether all tails of an edge into an item can be derived without the items above them."""
        component = self.component_of[item]
        inside = [t for t in edge.tails if self.component_of.get(t) == component]
        if not inside:
            return True
        allowed = self._derivable_without(component, above)
        return all(t in allowed for t in inside)

    def _derivable_without(self, component: int, above: frozenset[int]) -> frozenset[int]:
        known = self._without.get((component, above))
        if known is None:
            known = self._without[component, above] = self._find(component, above)
        return known

    def _find(self, component: int, above: frozenset[int]) -> frozenset[int]:
        hypotheses = self.forest.chart.raw.hypothesis_count
        waiting = [x for x in self.members[component] if x not in above]
        found: set[int] = set()
        grown = True
        while grown:
            grown = False
            for item in waiting:
                if item not in found and (
                    item < hypotheses
                    or any(
                        all(self.component_of.get(t) != component or t in found for t in edge.tails)
                        for edge in self.forest.edges_into(item)
                    )
                ):
                    found.add(item)
                    grown = True
        return frozenset(found)


def _cyclic_components(forest: Hypergraph) -> list[tuple[int, ...]]:
    """Return the strongly connected components that have a cycle (Tarjan's algorithm, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_items: list[int] = []
    is_open: set[int] = set()
    components: list[tuple[int, ...]] = []

    def tails(item: int) -> list[int]:
        return [t for edge in forest.edges_into(item) for t in edge.tails]

    for root in forest.roots:
        stack: list[tuple[int, list[int]]] = [] if root in index else [(root, tails(root))]
        while stack:
            item, rest = stack[-1]
            if item not in index:
                index[item] = low[item] = len(index)
                open_items.append(item)
                is_open.add(item)
            if rest:
                tail = rest.pop()
                if tail not in index:
                    stack.append((tail, tails(tail)))
                elif tail in is_open:
                    low[item] = min(low[item], index[tail])
                continue
            stack.pop()
            if stack:
                low[stack[-1][0]] = min(low[stack[-1][0]], low[item])
            if low[item] == index[item]:
                component = [open_items.pop()]
                while component[-1] != item:
                    component.append(open_items.pop())
                is_open.difference_update(component)
                if len(component) > 1 or item in tails(item):
                    components.append(tuple(sorted(component)))
    return components
