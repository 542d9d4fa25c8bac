"""The states that derivations build: those of all items at once within a budget, one at a time beyond it.

A state is what one derivation of an item has built so far: a set of atoms as the bits of an integer, a row of
constituent trees, or other parts of a structure. The kinds of structure differ in their states alone.

Counting computes the set of states of every useful item, antecedents first. Listing draws structures one at a time,
on demand: the next state of an item is computed only when a consumer needs it, so a forest with 10^12 derivations
yields its first ten trees at once.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from schemata.forest.forest import Count
from schemata.thresholds import EFFORTS, WAYS

if TYPE_CHECKING:
    from schemata.forest.forest import Edge, Forest

C = TypeVar("C", set[Any], dict[Any, int])


class Builds(Protocol):
    """A calculus of states: hyperedges combine those of their tails, and finished ones are structures."""

    @property
    def plain(self) -> bool:
        """True if states are integers that are united."""

    @property
    def leaf(self) -> Any:
        """The state of a hypothesis."""

    def links(self, edge: Edge) -> Any:
        """Return an edge's own links."""

    def combine(self, edge: Edge, consequent: int, own: Any, states: Any) -> Any:
        """Return the state of a consequent from those of the edge's tails; None if it is dropped."""

    def structure(self, state: Any) -> Hashable | None:
        """Return a sortable key for the structure of a finished state; None if the state is not a structure."""

    def value(self, structure: Any) -> Any:
        """Return the structure of a key, as a value of the Python interface."""


class Bits(dict[Any, int]):
    """Links or atoms as bits: a new one gets the next bit. `found` lists them in the order of their bits."""

    def __init__(self, known: Iterable[Any] = ()) -> None:
        self.found: list[Any] = []
        for one in known:
            self[one]

    def __missing__(self, one: Any) -> int:
        bit = self[one] = 1 << len(self.found)
        self.found.append(one)
        return bit


def united(edge: Edge, consequent: int, own: int, states: Sequence[int]) -> int:
    """Return the union of an edge's own atoms and its tails' states: `combine` for sets as bits, none excluded."""
    return reduce(or_, states, own)


# States of all items -------------------------------------------------------------------------------------------------


def _built(
    forest: Forest,
    budget: int | None,
    leaf: C,
    add: Callable[[C, int, Edge, list[C]], None],
    least: int = 0,
) -> dict[int, C] | None:
    """Return the built value of every useful item, or None beyond the budget; a budget of None has no bound.

    Items on cycles are revisited until nothing is new.

    Parameters
    ----------
    leaf : the built value of a hypothesis.
    add : adds to an item's built value the contribution of a hyperedge, from the built values of its tails.
    least : how many states every useful item has at least.
    """
    hypotheses, new = forest.chart.raw.hypothesis_count, type(leaf)
    built = {x: new() for x in forest.order} if forest.cyclic else {}
    spent = 0
    changed = True
    while changed:
        changed = False
        for item in forest.order if forest.cyclic else _tails_first(forest, built, budget, least):
            if item is None:
                return None
            if item < hypotheses:
                built[item] = leaf
                continue
            here = new()
            edges = [(edge, [built[tail] for tail in edge.tails]) for edge in forest.edges_into(item)]
            if budget is not None:
                spent += sum(math.prod(map(len, parts)) for _, parts in edges)
                if spent > budget:  # before any of them is spent
                    return None
            for edge, parts in edges:
                add(here, item, edge, parts)
            changed |= forest.cyclic and here != built[item]
            built[item] = here
    return built


def _tails_first(
    forest: Forest, built: Mapping[int, Sized], budget: int | None, least: int
) -> Iterator[int | None]:
    """Yield the useful items of a forest without cycles, tails first; None, at the end, if the budget cannot suffice.

    Small items come first: with their states known, most of the combinations that the larger ones take are counted
    without being made.
    """
    if (graph := forest.graph_at_hand) is not None:
        import numpy as np

        sizes = np.full(graph.nodes + 1, float(least))
        sizes[-1] = 1
        tails = graph.tails.compress(np.repeat(graph.useful, np.diff(graph.first)), axis=0)
        least_in_all = float(least * len(tails))
        for level in graph.levels or ():
            if budget is not None and least_in_all > budget:
                yield None
                return
            nodes: list[int] = level.tolist()
            yield from nodes
            found = [len(built[node]) for node in nodes]
            if found != [least] * len(nodes):
                sizes[nodes] = found
                least_in_all = float(reduce(np.multiply, sizes.take(tails).T, np.ones(len(tails))).sum())
        return
    needed = {item: [edge.tails for edge in forest.edges_into(item)] for item in _reached(forest)}
    heights: dict[int, int] = {}
    for item, below in needed.items():
        heights[item] = 1 + max((heights[tail] for one in below for tail in one), default=0)
    levels: dict[int, list[int]] = {}
    for item in needed:
        levels.setdefault(heights[item], []).append(item)
    edges = [one for below in needed.values() for one in below]
    grown = 0  # states found since all hyperedges were looked at
    for height in sorted(levels):
        yield from levels[height]
        grown += sum(len(built[item]) for item in levels[height])
        if budget is not None and grown >= len(edges):
            grown, known = 0, {item: len(built[item]) if item in built else least for item in needed}
            if sum(math.prod([known[tail] for tail in one]) for one in edges) > budget:
                yield None
                return


def _reached(forest: Forest) -> list[int]:
    """Return the useful items of a forest without cycles, tails first."""
    met: set[int] = set()
    found: list[int] = []
    path: list[int] = []
    waiting = [iter(forest.roots)]
    while waiting:
        item = next(waiting[-1], None)
        if item is None:
            waiting.pop()
            if path:
                found.append(path.pop())
        elif item not in met:
            met.add(item)
            path.append(item)
            needed = {tail for edge in forest.edges_into(item) for tail in edge.tails}
            waiting.append(iter(sorted(needed)))
    return found


def all_states(forest: Forest, building: Builds, budget: int | None) -> dict[int, set[Any]] | None:
    """Return every useful item's set of states, or None beyond the budget; a budget of None has no bound."""

    def add(here: set[Any], item: int, edge: Edge, parts: list[set[Any]]) -> None:
        own = building.links(edge)
        if building.plain and len(parts) <= 2:
            # Plain link sets are integers; the comprehensions do in one line what `combine` does one by one.
            left, right = (*parts, {0}, {0})[:2]
            here.update([one | two for one in [one | own for one in left] for two in right])
        else:
            here.update(building.combine(edge, item, own, chosen) for chosen in itertools.product(*parts))
            here.discard(None)

    return _built(
        forest, budget, {building.leaf}, add, int(building.plain)
    )  # of plain states none is dropped


def count_states(forest: Forest, building: Builds, budget: int | None) -> dict[Any, int] | None:
    """Return the states of the final items, each with the number of its derivations; None beyond the budget.

    Where the forest has cycles, numbers above 2 are given as 2.
    """

    def add(here: dict[Any, int], item: int, edge: Edge, parts: list[dict[Any, int]]) -> None:
        own = building.links(edge)
        for chosen in itertools.product(*(part.items() for part in parts)):
            state = building.combine(edge, item, own, [part for part, _ in chosen])
            if state is not None:
                number = here.get(state, 0) + math.prod(number for _, number in chosen)
                here[state] = min(number, 2) if forest.cyclic else number

    counts = _built(forest, budget, {building.leaf: 1}, add)
    if counts is None:
        return None
    total: Counter[Any] = Counter()
    for root in forest.roots:
        total.update(counts[root])
    return total


def finished_states(forest: Forest, building: Builds, budget: int | None) -> set[Any] | None:
    """Return the states of the final items, or None beyond the budget; a budget of None has no bound."""
    states = all_states(forest, building, budget)
    return None if states is None else {state for root in forest.roots for state in states[root]}


def lower_bound(forest: Forest, building: Builds, effort: int | None = None) -> Count:
    """Return a count of structures that goes no further than a lower bound."""
    listed = itertools.islice(iterate_structures(forest, building, effort), EFFORTS.lower_bound)
    return Count(None, sum(1 for _ in listed), None)


# States one at a time ------------------------------------------------------------------------------------------------


def iterate_structures(forest: Forest, building: Builds, effort: int | None = None) -> Iterator[Any]:
    """Yield the key of each distinct structure, lazily and in a deterministic order.

    In a cyclic forest only derivations that do not pass an item twice are followed. Where much is built and few
    structures are among it, the next one may be far: listing ends after `effort` combinations of states, if given.
    Structures found are kept with the forest, for later lists.
    """

    def structures() -> Iterator[Any]:
        seen: set[Any] = {None}
        for state in iterate_states(forest, building, effort):
            structure = building.structure(state)
            if structure not in seen:
                seen.add(structure)
                yield structure

    if effort is None:
        yield from structures()
        return
    found, more = forest.listed.setdefault(effort, ([], structures()))
    for place in itertools.count():
        if place == len(found):
            try:
                found.append(next(more))
            except StopIteration:
                return
            except BaseException:  # an interrupted search cannot go on
                forest.listed.pop(effort, None)
                raise
        yield found[place]


@dataclass(slots=True, eq=False)
class _Stream:
    """The distinct states of one item, found one at a time.

    `search` goes on until there are `wanted` states in all. It yields other streams that have to find states first.
    """

    states: list[Any]
    search: Iterator[_Stream | None] = field(default_factory=lambda: iter(()))
    exhausted: bool = False
    active: bool = False
    wanted: int = 0

    def demand(self, most: int) -> None:
        """Find as many more states as there are now, at most `most`, or exhaust the stream.

        The elements of other streams that it needs are found first. A stream may depend on a long chain of others: with
        one state at a time, most of the time would go into walking the chain.
        """
        stack = [self]
        self.start(most)
        while stack:
            needed = next(stack[-1].search, None)
            if needed is None:
                stack.pop().active = False
            else:
                needed.start(most)
                stack.append(needed)

    def start(self, most: int) -> None:
        """Begin to find more states."""
        found = len(self.states)
        self.active, self.wanted = True, found + min(max(9 * found, WAYS.few_states), most)


class _OutOfEffortError(Exception):
    """Listing has tried as many combinations as it may."""


class _Streams(dict[int, _Stream]):
    """The streams of a forest's items, each made on first use."""

    def __init__(self, forest: Forest, building: Builds, effort: int | None) -> None:
        super().__init__()
        self.effort = math.inf if effort is None else effort
        self.forest = forest
        self.building = building
        self.nothing = _Stream([building.leaf], exhausted=True)  # where a hyperedge has no tails

    def __missing__(self, item: int) -> _Stream:
        is_hypothesis = item < self.forest.chart.raw.hypothesis_count
        stream = self[item] = _Stream([self.building.leaf] if is_hypothesis else [])
        stream.search = self._search(item, stream)
        return stream

    def _search(self, item: int, stream: _Stream) -> Iterator[_Stream | None]:
        """Find the states of an item: edges in order, the last tail fastest."""
        states, building = stream.states, self.building
        plain, combine = building.plain, building.combine
        seen = dict.fromkeys(states)
        for edge in self.forest.sorted_edges(item):
            own = building.links(edge)
            *others, last = [self[tail] for tail in edge.tails] or [self.nothing]
            for before in _choices(others):
                if isinstance(before, _Stream):
                    yield before
                    continue
                if plain:  # link sets are integers: in their union, the last tail changes fastest
                    own = combine(edge, item, building.links(edge), before)
                place = 0
                while not (place == len(last.states) and (last.exhausted or last.active)):
                    if place == len(last.states):
                        yield last
                        if place == len(last.states):
                            break
                    chosen = last.states[place : place + stream.wanted - len(states)]
                    place += len(chosen)
                    self.effort -= len(chosen)
                    if self.effort < 0:
                        raise _OutOfEffortError
                    if plain:
                        made = dict.fromkeys([own | one for one in chosen])
                    else:
                        parts = ((*before, one)[: len(edge.tails)] for one in chosen)
                        made = dict.fromkeys(combine(edge, item, own, part) for part in parts)
                        made.pop(None, None)
                    seen |= made  # without another look at a state: the hash of a large number takes long
                    if more := len(seen) - len(states):
                        if more < len(made):
                            made = dict.fromkeys([*itertools.islice(reversed(seen), more)][::-1])
                        states += made
                        if len(states) >= stream.wanted:
                            yield None
        stream.exhausted = True


def _choices(tails: Sequence[_Stream]) -> Iterator[_Stream | tuple[Any, ...]]:
    """Yield each choice of a state from every tail, and before it the tails that have to find another state."""
    if not tails:
        yield ()
        return
    last = tails[-1]
    for before in _choices(tails[:-1]):
        if isinstance(before, _Stream):
            yield before
            continue
        for place in itertools.count():
            if place == len(last.states) and not last.exhausted and not last.active:
                yield last
            if place == len(last.states):
                break
            yield (*before, last.states[place])


def iterate_states(forest: Forest, building: Builds, effort: int | None = None) -> Iterator[Any]:
    """Yield the distinct states of the final items in a deterministic order, without looking further than needed."""
    streams = _Streams(forest, building, effort)
    seen: set[Any] = set()
    try:
        for root in forest.roots:
            stream = streams[root]
            for place in itertools.count():
                if place == len(stream.states):
                    # Whether there are cycles takes all hyperedges, and in cycles it matters what is found when.
                    one = (place < WAYS.few_states and not forest.is_ordered) or forest.cyclic
                    stream.demand(1 if one else WAYS.states_at_once)
                if place == len(stream.states):
                    break
                if stream.states[place] not in seen:
                    seen.add(stream.states[place])
                    yield stream.states[place]
    except _OutOfEffortError:
        return
    finally:
        for stream in streams.values():
            stream.search = iter(())  # which leads back to the stream
