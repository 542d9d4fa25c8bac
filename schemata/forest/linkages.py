"""The linkages of a forest: counted exactly within a budget, listed cheapest first.

A derivation builds a set of links between connector occurrences, kept as one integer. This set determines the
linkage: every word has at least one link, and a link tells the disjuncts of both its words.

Beyond the budget, linkages are listed from the best of every item, antecedents first. For that the cost of a
linkage is shared out among its links: one connector of each disjunct, one that is linked exactly once, carries
the disjunct's cost. If all connectors of a disjunct are multi-connectors, no connector carries it; the cost is
added when the linkage is whole, and further linkages are examined until no cheaper one can follow.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

from schemata.charts.chart import BareChart
from schemata.forest.forest import Edge, Forest
from schemata.forest.states import Bits, finished_states, united
from schemata.grammars.link_grammar.sequences import Sequences
from schemata.structures.linkages import Linkage, cheapest_first
from schemata.structures.projections import members
from schemata.weights.best import BestStates

_EXAMINED = 64  # sets of links that are looked at for one linkage


@dataclass(slots=True)
class LinkBits:
    """Sets of links between connector occurrences as integers, a bit for each link met so far."""

    sequences: Sequences
    bits: Bits = field(default_factory=Bits)

    plain = True
    leaf = 0
    combine = staticmethod(united)

    @classmethod
    def of(cls, chart: BareChart) -> LinkBits:
        """Return the link sets of a chart over a Link Grammar dictionary."""
        return cls(chart.grammar.sequences)  # type: ignore[attr-defined]

    def links(self, edge: Edge) -> int:
        """Return an edge's own links as bits."""
        bits = 0
        for pair in edge.links:
            if pair[0] >= 0:
                bits |= self.bits[pair]
        return bits

    def pairs_of(self, state: int) -> list[tuple[int, int]]:
        """Return the links of a set as pairs of connector occurrences."""
        return [self.bits.found[bit] for bit in members(state)]

    def rank(self, state: int) -> tuple[float, int] | None:
        """Return the cost and the length of a linkage, by which linkages are listed; None for no linkage."""
        pairs, occurrences = self.pairs_of(state), self.sequences.occurrences
        disjuncts = self.sequences.chosen(pairs)
        if disjuncts is None:
            return None
        length = sum(occurrences[other].position - occurrences[one].position for one, other in pairs)
        return round(sum(disjunct.cost for disjunct in disjuncts), 9), length

    def structure(self, state: int) -> int | None:
        """Return a set of links if it is a linkage."""
        return None if self.rank(state) is None else state

    def value(self, state: int) -> Linkage | None:
        """Return the linkage of a set of links; None if they are no linkage."""
        return self.sequences.linkage(self.pairs_of(state))


def list_linkages(forest: Forest, limit: int | None, budget: int) -> list[Linkage]:
    """Return at most `limit` distinct linkages, None for all, cheapest first.

    Of those that cost the same, the ones with shorter links come first where all linkages are known.
    """
    bits = LinkBits.of(forest.chart)
    states = finished_states(forest, bits, budget if limit is not None else None)
    if states is not None:
        return _cheapest(bits, states, limit)
    assert limit is not None
    return _best(type(forest)(forest.chart), bits, limit)  # where hyperedges have numbers from the beginning


def _cheapest(bits: LinkBits, states: Sequence[int] | set[int], limit: int | None) -> list[Linkage]:
    ranked = [(rank, state) for state in states if (rank := bits.rank(state)) is not None]
    if limit is not None and len(ranked) > limit:
        if limit == 0:
            return []
        last = heapq.nsmallest(limit, (rank for rank, _ in ranked))[-1]
        ranked = [(rank, state) for rank, state in ranked if rank <= last]
    linkages = (bits.value(state) for _, state in ranked)
    return cheapest_first(linkage for linkage in linkages if linkage is not None)[:limit]


# The best of every item ------------------------------------------------------------------------------------------


def _best(forest: Forest, bits: LinkBits, limit: int) -> list[Linkage]:
    """Return the cheapest linkages of a forest that is too large to be known whole."""
    import numpy as np

    charges, low = connector_charges(bits.sequences)
    graph = forest.arrays.graph
    edges = {
        number: edge
        for item in forest.order
        for number, edge in zip(graph.edges(item), forest.edges_into(item), strict=True)
    }
    weights = np.zeros(len(graph.tails))
    for number, edge in edges.items():
        weights[number] = -sum(charges.get(end, 0.0) for pair in edge.links for end in pair)

    def combine(number: int, node: int, states: Sequence[int]) -> int:
        return bits.combine(edges[number], node, bits.links(edges[number]), states)

    best = BestStates(graph, weights, bits.leaf, combine, graph.edges)
    states: dict[int, None] = {}
    dearest: list[float] = []  # the costs of the cheapest linkages found, negated, as a heap
    for found in heapq.merge(*map(best.of, forest.roots), key=lambda one: -one.weight):
        # What is not found yet costs at least as much as this one, by the charges.
        enough = len(dearest) == limit and -dearest[0] <= low - found.weight + 1e-9
        if not limit or enough or len(states) > _EXAMINED * limit:
            break
        rank = None if found.state in states else bits.rank(found.state)
        states[found.state] = None
        if rank is not None:
            (heapq.heappush if len(dearest) < limit else heapq.heappushpop)(dearest, -rank[0])
    return _cheapest(bits, list(states), limit)


def connector_charges(view: Sequences) -> tuple[dict[int, float], float]:
    """Return by connector occurrence the cost it stands for, and a bound on the costs that none stands for."""
    charges: dict[int, float] = {}
    bearer: dict[tuple[int, int], int] = {}
    for number, occurrence in enumerate(view.occurrences):
        disjunct = view.disjuncts[occurrence.position][occurrence.disjunct]
        side = disjunct.right if occurrence.right else disjunct.left
        if not side[occurrence.place].multi:
            bearer.setdefault((occurrence.position, occurrence.disjunct), number)
    low = 0.0
    for position, offered in enumerate(view.disjuncts):
        open_costs = [0.0]
        for number, disjunct in enumerate(offered):
            if (position, number) in bearer:
                charges[bearer[position, number]] = disjunct.cost
            else:
                open_costs.append(disjunct.cost)
        low += min(open_costs)
    return charges, low
