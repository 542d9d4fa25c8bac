"""The best distinct structures of a hypergraph, lazily: no more of it is looked at than the answers need.

A node yields *states*, the results of its derivations, in the order of their weights. A state met again is dropped
where it arises, so that derivations of one structure never multiply. A state is popped at most once per hyperedge that
builds it: the first k of a node cost at most k pops per hyperedge, and no node is asked for more than k. Hyperedges
are queued by the Viterbi values of their tails, which are exact bounds: only hyperedges that may be among the best
are opened.

References
----------
Huang, L. and Chiang, D. (2005). Better k-best parsing. IWPT. (Their algorithm 3; here over states.)
Knuth, D. E. (1977). A generalization of Dijkstra's algorithm. Information Processing Letters 6(1). (For cycles.)
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from schemata.weights.hypergraph import Hypergraph
from schemata.weights.semiring import VITERBI

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Combine = Callable[[int, int, Sequence[Any]], Any]


class BestState(NamedTuple):
    """A state of a node: its weight, the hyperedge that builds it, and which states of the tails (from 0)."""

    weight: float
    state: Any
    edge: int
    ranks: tuple[int, ...]


@dataclass(slots=True)
class _Part:
    """The candidates for the next state of nodes that help to derive each other, or of a single one.

    Entries are (-bound, place, ranks, hyperedge, node). Those in `waiting` need a state of the part that is not found
    yet, with that rank. The Viterbi value of the node is subtracted from each bound. Then no entry has a greater bound
    than the states that it is made of, so that the greatest one is next (Knuth 1977).
    """

    heap: list[tuple[float, int, tuple[int, ...], int, int]] = field(default_factory=list)
    waiting: dict[tuple[int, int], list[tuple[float, int, tuple[int, ...], int, int]]] = field(
        default_factory=dict
    )


@dataclass(slots=True)
class _Node:
    """The states of a node found so far, best first."""

    part: _Part
    found: list[BestState] = field(default_factory=list)
    seen: set[Any] = field(default_factory=set)


class BestStates:
    """The distinct states of the nodes of a hypergraph, best first, found on demand.

    Parameters
    ----------
    graph : the hypergraph.
    weights : the weights of the hyperedges in log space.
    leaf : the state of a node that is given.
    combine : the state that a hyperedge, the node it derives and states of its tails make; None if it is dropped.
    order : the hyperedges into a node, in the order in which those of equal weight come.

    Raises
    ------
    EndlessSumError : on a cycle of the hypergraph weights grow with every round.
    """

    def __init__(
        self,
        graph: Hypergraph,
        weights: NDArray[np.float64],
        leaf: Any,
        combine: Combine,
        order: Callable[[int], Iterable[int]],
    ) -> None:
        self.graph, self.weights, self.leaf, self.combine, self.order = graph, weights, leaf, combine, order
        self.bounds = graph.fold(VITERBI, weights)
        self._cycle_of = {node: cycle for cycle in graph.cycles for node in cycle}
        self._gains = {node: float(self.bounds[node]) for node in self._cycle_of}
        self._nodes: dict[int, _Node] = {}

    def of(self, node: int) -> Iterator[BestState]:
        """Yield the states of a node, best first."""
        rank = 0
        while (found := self.ranked(node, rank)) is not None:
            yield found
            rank += 1

    def ranked(self, node: int, rank: int) -> BestState | None:
        """Return the state of a node with that rank, from 0; None if it has fewer."""
        stack = [(node, rank)]
        while stack:
            needed = self._advance(*stack[-1])
            if needed is None:
                stack.pop()
            else:
                stack.append(needed)
        found = self._nodes[node].found
        return found[rank] if rank < len(found) else None

    def _open(self, node: int) -> _Node:
        part = _Part()
        for x in self._cycle_of.get(node, (node,)):
            opened = self._nodes[x] = _Node(part)
            if x < self.graph.given:
                opened.found.append(BestState(0.0, self.leaf, -1, ()))
            for place, edge in enumerate(self.order(x)):
                tails = self.graph.tails_of(edge)
                bound = float(self.weights[edge]) + sum(float(self.bounds[t]) for t in tails)
                if bound > -math.inf:
                    part.heap.append((self._gains.get(x, 0.0) - bound, place, (0,) * len(tails), edge, x))
        heapq.heapify(part.heap)
        return self._nodes[node]

    def _advance(self, x: int, rank: int) -> tuple[int, int] | None:
        """Find the states of a node up to a rank; returns the states that must be found before, None when it is
        done.
        """
        node = self._nodes.get(x) or self._open(x)
        part = node.part
        while len(node.found) <= rank and part.heap:
            bound, place, ranks, edge, derived = entry = part.heap[0]
            tails = self.graph.tails_of(edge)
            parts: list[BestState] = []
            for tail, k in zip(tails, ranks, strict=True):
                below = self._nodes.get(tail)
                if below is None or (len(below.found) <= k and below.part is not part and below.part.heap):
                    return tail, k
                if len(below.found) <= k:
                    if below.part is part:
                        part.waiting.setdefault((tail, k), []).append(entry)
                    break
                parts.append(below.found[k])
            if len(parts) < len(tails):
                heapq.heappop(part.heap)
                continue
            weight = float(self.weights[edge]) + sum(found.weight for found in parts)
            exact = self._gains.get(derived, 0.0) - weight
            if exact > bound:  # it was queued by a bound
                heapq.heapreplace(part.heap, (exact, *entry[1:]))
                continue
            heapq.heappop(part.heap)
            for j in range(len(ranks)):
                if not any(ranks[j + 1 :]):  # each choice of ranks is reached once
                    after = (*ranks[:j], ranks[j] + 1, *ranks[j + 1 :])
                    heapq.heappush(part.heap, (exact, place, after, edge, derived))
            state = self.combine(edge, derived, [found.state for found in parts])
            into = self._nodes[derived]
            if state is not None and state not in into.seen:
                into.seen.add(state)
                into.found.append(BestState(weight, state, edge, ranks))
                for other in part.waiting.pop((derived, len(into.found) - 1), ()):
                    heapq.heappush(part.heap, other)
        return None
