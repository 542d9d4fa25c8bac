"""Distinct structures of a forest drawn one at a time, and no further than they are asked for.

A new state of an item is looked for only when somebody wants it, so a forest with 10^12 derivations gives its first
ten trees at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schemata.forest.building import Building, Builds, State
from schemata.structures import DependencyTree

if TYPE_CHECKING:
    from schemata.forest.hypergraph import Edge, Hypergraph

__all__ = ["EFFORT", "iterate_states", "iterate_trees"]

EFFORT = 1_000_000  # combinations of states that listing tries for some trees, a second or two


@dataclass(slots=True, eq=False)
class _Stream:
    """The distinct states of one item, found one at a time: edges in order, the last tail fastest."""

    edges: tuple[Edge, ...]
    own: tuple[int, ...]
    item: int
    states: list[State] = field(default_factory=list)
    seen: set[State] = field(default_factory=set)
    edge: int = 0
    places: list[int] = field(default_factory=list)
    exhausted: bool = False
    active: bool = False


class _OutOfEffortError(Exception):
    """Listing has tried as many combinations as it may."""


class _Streams(dict[int, _Stream]):
    """The streams of a forest's items, made when they are first asked for."""

    def __init__(self, forest: Hypergraph, building: Builds, effort: int | None) -> None:
        super().__init__()
        self.effort = math.inf if effort is None else effort
        self.forest = forest
        self.building = building

    def __missing__(self, item: int) -> _Stream:
        edges = self.forest.sorted_edges(item)
        stream = _Stream(edges, tuple(self.building.links(e) for e in edges), item)
        if item < self.forest.chart.raw.hypothesis_count:
            stream.states.append(self.building.leaf)
            stream.seen.add(self.building.leaf)
        self[item] = stream
        return stream


def iterate_trees(forest: Hypergraph, effort: int | None = None) -> Iterator[DependencyTree]:
    """Yield distinct trees in a deterministic order, without looking further than needed.

    In a cyclic forest only derivations that do not pass an item twice are followed. Where structures are many and
    trees among them few, the next tree may be far: listing ends after `effort` combinations of states, if given.
    """
    building = Building.of(forest.chart)
    seen: set[tuple[int, ...]] = set()
    for state in iterate_states(forest, building, effort):
        heads = building.heads_of_words(state)
        if heads is not None and heads not in seen:
            seen.add(heads)
            yield DependencyTree(heads)


def iterate_states(forest: Hypergraph, building: Builds, effort: int | None = None) -> Iterator[Any]:
    """Yield the distinct states of the final items in a deterministic order, without looking further than needed."""
    streams = _Streams(forest, building, effort)
    seen: set[State] = set()
    for root in forest.roots:
        stream = streams[root]
        position = 0
        while True:
            if position >= len(stream.states):
                try:
                    _demand(stream, streams, building)
                except _OutOfEffortError:
                    return
                if position >= len(stream.states):
                    break
            state = stream.states[position]
            position += 1
            if state not in seen:
                seen.add(state)
                yield state


def _demand(stream: _Stream, streams: _Streams, building: Builds) -> None:
    """Find one more state of a stream, or exhaust it; what it needs of other streams is found first."""
    stack = [stream]
    stream.active = True
    while stack:
        needed = _advance(stack[-1], streams, building)
        if needed is None:
            stack.pop().active = False
        else:
            needed.active = True
            stack.append(needed)


def _advance(stream: _Stream, streams: _Streams, building: Builds) -> _Stream | None:
    """Move to the next new state; returns the stream that must yield another state first, if any."""
    while stream.edge < len(stream.edges):
        edge = stream.edges[stream.edge]
        if len(stream.places) != len(edge.tails) or not stream.places:
            stream.places = [0] * len(edge.tails)
        tails = [streams[t] for t in edge.tails]
        done = False
        for k in range(len(tails)):
            if stream.places[k] < len(tails[k].states):
                continue
            if not tails[k].exhausted and not tails[k].active:
                return tails[k]
            done = not _carry(stream.places, k)
            break
        else:
            streams.effort -= 1
            if streams.effort < 0:
                raise _OutOfEffortError
            chosen = [t.states[p] for t, p in zip(tails, stream.places, strict=True)]
            state = building.combine(edge, stream.item, stream.own[stream.edge], chosen)
            done = not _carry(stream.places, len(tails)) if tails else True
            if done:
                stream.edge += 1
                stream.places = []
            if state is not None and state not in stream.seen:
                stream.seen.add(state)
                stream.states.append(state)
                return None
            continue
        if done:
            stream.edge += 1
            stream.places = []
    stream.exhausted = True
    return None


def _carry(places: list[int], k: int) -> bool:
    """Count on: reset place k and those after it, and move the one before it on; False when there is none."""
    if k == 0:
        return False
    for later in range(k, len(places)):
        places[later] = 0
    places[k - 1] += 1
    return True
