"""The best distinct structures of a hypergraph, lazily: no more of it is looked at than the answers need.

A node yields *states*, what its derivations have built, in the order of their weights. A state met again is dropped
where it arises, so that derivations of one structure never multiply. A state is popped at most once per hyperedge that
builds it: the first k of a node cost at most k pops per hyperedge, and no node is asked for more than k. Hyperedges
are queued by the Viterbi values of their tails, which are exact bounds: only what may be among the best is opened.

References
----------
Huang, L. and Chiang, D. (2005). Better k-best parsing. IWPT. (Their algorithm 3; here over states.)
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from schemata.weights.hypergraph import EndlessSumError, Hypergraph
from schemata.weights.semiring import VITERBI

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Combine = Callable[[int, int, Sequence[Any]], Any]


class Found(NamedTuple):
    """A state of a node: its weight, the hyperedge that builds it, and which states of the tails (from 0)."""

    weight: float
    state: Any
    edge: int
    ranks: tuple[int, ...]


@dataclass(slots=True)
class _Node:
    """The states of a node found so far, best first, and what may yield the next: (-bound, place, ranks, hyperedge)."""

    found: list[Found] = field(default_factory=list)
    heap: list[tuple[float, int, tuple[int, ...], int]] = field(default_factory=list)
    seen: set[Any] = field(default_factory=set)


class BestStates:
    """The distinct states of the nodes of a hypergraph, best first, found when they are asked for.

    Parameters
    ----------
    graph : the hypergraph.
    weights : the weights of the hyperedges in log space.
    leaf : the state of a node that is given.
    combine : the state that a hyperedge, the node it derives and states of its tails make; None where it is dropped.
    order : the hyperedges into a node, in the order in which those of equal weight come.

    Raises
    ------
    EndlessSumError : the hypergraph has cycles.
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
        if graph.levels is None:
            why = "and best derivations are looked for without cycles"
            raise EndlessSumError(graph.name(graph.cycles[0][0]), why)
        self.bounds = graph.fold(VITERBI, weights)
        self._nodes: dict[int, _Node] = {}

    def of(self, node: int) -> Iterator[Found]:
        """Yield the states of a node, best first."""
        rank = 0
        while (found := self.ranked(node, rank)) is not None:
            yield found
            rank += 1

    def ranked(self, node: int, rank: int) -> Found | None:
        """Return the state of a node with that rank, from 0; None where it has fewer."""
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
        opened = _Node()
        if node < self.graph.given:
            opened.found.append(Found(0.0, self.leaf, -1, ()))
        for place, edge in enumerate(self.order(node)):
            tails = self.graph.tails_of(edge)
            bound = float(self.weights[edge]) + sum(float(self.bounds[t]) for t in tails)
            if bound > -math.inf:
                opened.heap.append((-bound, place, (0,) * len(tails), edge))
        heapq.heapify(opened.heap)
        return opened

    def _advance(self, x: int, rank: int) -> tuple[int, int] | None:
        """Find the states of a node up to a rank; returns what must be found before, None when it is done."""
        node = self._nodes.get(x)
        if node is None:
            node = self._nodes[x] = self._open(x)
        while len(node.found) <= rank and node.heap:
            bound, place, ranks, edge = node.heap[0]
            tails = self.graph.tails_of(edge)
            parts: list[Found] = []
            for tail, k in zip(tails, ranks, strict=True):
                below = self._nodes.get(tail)
                if below is None or (len(below.found) <= k and below.heap):
                    return tail, k
                if len(below.found) <= k:
                    break
                parts.append(below.found[k])
            if len(parts) < len(tails):
                heapq.heappop(node.heap)
                continue
            weight = float(self.weights[edge]) + sum(part.weight for part in parts)
            if -weight > bound:  # it was queued by a bound
                heapq.heapreplace(node.heap, (-weight, place, ranks, edge))
                continue
            heapq.heappop(node.heap)
            for j in range(len(ranks)):
                if not any(ranks[j + 1 :]):  # each choice of ranks is reached once
                    after = (*ranks[:j], ranks[j] + 1, *ranks[j + 1 :])
                    heapq.heappush(node.heap, (-weight, place, after, edge))
            state = self.combine(edge, x, [part.state for part in parts])
            if state is not None and state not in node.seen:
                node.seen.add(state)
                node.found.append(Found(weight, state, edge, ranks))
        return None
