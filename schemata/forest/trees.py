"""The structures that derivations build: counted exactly within a budget, listed lazily beyond it.

A state is the structure that one derivation of an item has built so far. If the schema's steps name both ends of
every link, it is an integer whose bits are links. If steps link the heads of antecedents, a state also has the
head word, once it is known, and the dependents that wait for it.

Counting computes the set of states of every useful item, antecedents first. Listing draws structures one at a time,
on demand: the next state of an item is computed only when a consumer needs it, so a forest with 10^12 derivations
yields its first ten trees at once.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from schemata.language import model as m
from schemata.language.cases import head_place
from schemata.structures.projections import members
from schemata.structures.trees import DependencyTree, find_cycle

if TYPE_CHECKING:
    from schemata.charts.chart import BareChart
    from schemata.forest.forest import Edge, Forest

DEFAULT_BUDGET = 300_000  # unions of link sets, some hundredths of a second
EFFORT = 1_000_000  # combinations of states that listing tries for some trees, a second or two
C = TypeVar("C", set[Any], dict[Any, int])
_LOWER_BOUND = 100  # how far listing goes for a lower bound


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
        """Return the state of a consequent from those of the edge's tails; None where it is dropped."""

    def structure(self, state: Any) -> Hashable | None:
        """Return the structure of a finished state; None if the state is no structure."""


class Count(NamedTuple):
    """The number of distinct structures that a forest holds.

    `exact` is None beyond the budget; `at_least` is a lower bound in any case. `others` counts what is built and is
    no structure, None where not all is known.
    """

    exact: int | None
    at_least: int
    others: int | None


# States of all items -------------------------------------------------------------------------------------------------


def _built(
    forest: Forest, budget: int | None, leaf: C, add: Callable[[C, int, Edge, list[C]], None]
) -> dict[int, C] | None:
    """Return what is built of every useful item, or None beyond the budget (None for no bound).

    Items on cycles are revisited until nothing is new.

    Parameters
    ----------
    leaf : what is built of a hypothesis.
    add : adds to what is built of an item what a hyperedge makes of that of its tails.
    """
    hypotheses, new = forest.chart.raw.hypothesis_count, type(leaf)
    built = {x: leaf if x < hypotheses else new() for x in forest.order}
    spent = 0
    changed = True
    while changed:
        changed = False
        for item in forest.order:
            if item < hypotheses:
                continue
            here = new()
            for edge in forest.edges_into(item):
                parts = [built[tail] for tail in edge.tails]
                spent += math.prod(map(len, parts))
                if budget is not None and spent > budget:
                    return None
                add(here, item, edge, parts)
            changed |= forest.cyclic and here != built[item]
            built[item] = here
    return built


def all_states(forest: Forest, building: Builds, budget: int | None) -> dict[int, set[Any]] | None:
    """Return every useful item's set of states, or None beyond the budget (None for no bound)."""

    def add(here: set[Any], item: int, edge: Edge, parts: list[set[Any]]) -> None:
        own = building.links(edge)
        if building.plain and len(parts) <= 2:
            # Plain link sets are integers; the comprehension does in one line what `combine` does one by one.
            left, right = (*parts, {0}, {0})[:2]
            here |= {one | two | own for one in left for two in right}
        else:
            here.update(building.combine(edge, item, own, chosen) for chosen in itertools.product(*parts))
            here.discard(None)

    return _built(forest, budget, {building.leaf}, add)


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
    """Return the states of the final items, or None beyond the budget (None for no bound)."""
    states = all_states(forest, building, budget)
    return None if states is None else {state for root in forest.roots for state in states[root]}


def lower_bound(forest: Forest, building: Builds, effort: int | None = None) -> Count:
    """Return a count of structures that goes no further than a lower bound."""
    listed = itertools.islice(iterate_structures(forest, building, effort), _LOWER_BOUND)
    return Count(None, sum(1 for _ in listed), None)


# States one at a time ------------------------------------------------------------------------------------------------


def iterate_structures(forest: Forest, building: Builds, effort: int | None = None) -> Iterator[Any]:
    """Yield what stands for each distinct structure, in a deterministic order, without looking further than needed.

    In a cyclic forest only derivations that do not pass an item twice are followed. Where much is built and few
    structures are among it, the next one may be far: listing ends after `effort` combinations of states, if given.
    """
    seen: set[Any] = {None}
    for state in iterate_states(forest, building, effort):
        structure = building.structure(state)
        if structure not in seen:
            seen.add(structure)
            yield structure


@dataclass(slots=True, eq=False)
class _Stream:
    """The distinct states of one item, found one at a time.

    `search` finds the next one, for which it may name another stream that has to find one of its own before.
    """

    states: list[Any]
    search: Iterator[_Stream | None] = field(default_factory=lambda: iter(()))
    exhausted: bool = False
    active: bool = False

    def demand(self) -> None:
        """Find one more state, or exhaust the stream; what it needs of other streams is found first."""
        stack = [self]
        self.active = True
        while stack:
            needed = next(stack[-1].search, None)
            if needed is None:
                stack.pop().active = False
            else:
                needed.active = True
                stack.append(needed)


class _OutOfEffortError(Exception):
    """Listing has tried as many combinations as it may."""


class _Streams(dict[int, _Stream]):
    """The streams of a forest's items, made when they are first asked for."""

    def __init__(self, forest: Forest, building: Builds, effort: int | None) -> None:
        super().__init__()
        self.effort = math.inf if effort is None else effort
        self.forest = forest
        self.building = building

    def __missing__(self, item: int) -> _Stream:
        is_hypothesis = item < self.forest.chart.raw.hypothesis_count
        stream = self[item] = _Stream([self.building.leaf] if is_hypothesis else [])
        stream.search = self._search(item, stream)
        return stream

    def _search(self, item: int, stream: _Stream) -> Iterator[_Stream | None]:
        """Find the states of an item: edges in order, the last tail fastest."""
        seen = set(stream.states)
        for edge in self.forest.sorted_edges(item):
            own = self.building.links(edge)
            for chosen in _choices([self[tail] for tail in edge.tails]):
                if isinstance(chosen, _Stream):
                    yield chosen
                    continue
                self.effort -= 1
                if self.effort < 0:
                    raise _OutOfEffortError
                state = self.building.combine(edge, item, own, chosen)
                if state is not None and state not in seen:
                    seen.add(state)
                    stream.states.append(state)
                    yield None
        stream.exhausted = True


def _choices(tails: Sequence[_Stream], chosen: tuple[Any, ...] = ()) -> Iterator[_Stream | tuple[Any, ...]]:
    """Yield each choice of a state from every tail, and before it the tails that have to find another state."""
    if len(chosen) == len(tails):
        yield chosen
        return
    tail = tails[len(chosen)]
    for place in itertools.count():
        if place == len(tail.states) and not tail.exhausted and not tail.active:
            yield tail
        if place == len(tail.states):
            return
        yield from _choices(tails, (*chosen, tail.states[place]))


def iterate_states(forest: Forest, building: Builds, effort: int | None = None) -> Iterator[Any]:
    """Yield the distinct states of the final items in a deterministic order, without looking further than needed."""
    streams = _Streams(forest, building, effort)
    seen: set[Any] = set()
    for root in forest.roots:
        stream = streams[root]
        for place in itertools.count():
            try:
                if place == len(stream.states):
                    stream.demand()
            except _OutOfEffortError:
                return
            if place == len(stream.states):
                break
            if stream.states[place] not in seen:
                seen.add(stream.states[place])
                yield stream.states[place]


# Trees ---------------------------------------------------------------------------------------------------------------

# Links; or links, the head (None while unknown) and the dependents waiting for it (bits of word positions).
Tag: TypeAlias = tuple[
    int, int, int
]  # a head, a guess which one it will be (-1: none), and a number of links to 0
State: TypeAlias = "int | tuple[int, int | None, int]"
HeadFinder: TypeAlias = "Callable[[Edge, int], int | None]"
_NOT_A_LINK = 1  # bit 0 marks a link whose ends are no words


@dataclass(frozen=True, slots=True)
class Building:
    """The states of trees: sets of links between words, as the steps of a chart's schema build them.

    `leaf` is the state of a hypothesis. `single_root` drops states with two links to node 0.
    """

    n: int
    headed: bool
    single_root: bool
    heads: tuple[HeadFinder, ...]
    head_links: tuple[tuple[m.HeadLink, ...], ...]

    @classmethod
    def of(cls, chart: BareChart) -> Building:
        """Return the building of a chart."""
        cases = chart.schema.cases
        headed = any(case.head_links for case in cases)
        finders = tuple(_head_finder(chart, case) for case in cases) if headed else ()
        return cls(
            chart.n,
            headed,
            bool(getattr(chart.grammar, "single_root", False)),
            finders,
            tuple(case.head_links for case in cases),
        )

    @property
    def plain(self) -> bool:
        """True if states are mere unions of links, none of which is ever dropped."""
        return not self.headed and not self.single_root

    @property
    def leaf(self) -> State:
        """The state of a hypothesis: nothing built, no head."""
        return (0, None, 0) if self.headed else 0

    def links(self, edge: Edge) -> int:
        """Return an edge's own links as bits."""
        bits = 0
        for dependent, head in edge.links:
            bits |= self._bit(dependent, head)
        return bits

    def _bit(self, dependent: int, head: int) -> int:
        if 1 <= dependent <= self.n and 0 <= head <= self.n:
            return 1 << (dependent * (self.n + 1) + head)
        return _NOT_A_LINK

    def combine(self, edge: Edge, consequent: int, own: int, states: Sequence[State]) -> State | None:
        """Return the state of a consequent from those of the edge's tails; None where it is dropped."""
        if not self.headed:
            union = own
            for state in states:
                union |= state  # type: ignore[operator]
            return None if self.single_root and self._root_links(union) > 1 else union
        return self._combine_headed(edge, consequent, own, states)

    def _combine_headed(self, edge: Edge, consequent: int, own: int, states: Sequence[State]) -> State | None:
        links, waiting = own, 0
        head = self.heads[edge.case](edge, consequent)
        by_slot = dict(zip(edge.slots, states, strict=True))
        dependents = {link.dependent for link in self.head_links[edge.case]}
        for slot, state in by_slot.items():
            assert isinstance(state, tuple)
            links |= state[0]
            if slot not in dependents:
                waiting |= state[2]
                if head is None:
                    head = state[1]
        for link in self.head_links[edge.case]:
            child = by_slot[link.dependent]
            assert isinstance(child, tuple)
            if child[1] is None:
                return None
            if link.head in dependents and link.head != link.dependent:
                parent = by_slot[link.head]
                assert isinstance(parent, tuple)
                links |= _NOT_A_LINK if parent[1] is None else self._bit(child[1], parent[1])
            elif 1 <= child[1] <= self.n:
                waiting |= 1 << child[1]
            else:  # a node that no word is: whatever its head will be, it is no link
                links |= _NOT_A_LINK
        if head is not None:
            for word in members(waiting):
                links |= self._bit(word, head)
            waiting = 0
        if self.single_root and self._root_links(links) > 1:
            return None
        return links, head, waiting

    def with_heads(
        self, edge: Edge, consequent: int, tags: Sequence[Tag]
    ) -> Iterator[tuple[Tag, tuple[tuple[int, int], ...]]]:
        """Yield what an edge makes of heads, guesses, and numbers of links to 0, with the links to heads it builds."""
        guesses = {guess for _, guess, _ in tags if guess >= 0}
        if len(guesses) > 1:
            return
        states = [(0, None if head < 0 else head, 0) for head, _, _ in tags]
        combined = self._combine_headed(edge, consequent, 0, states)
        if not isinstance(combined, tuple):
            return
        bits, head, waiting = combined
        choices: Iterable[int] = guesses or (range(self.n + 1) if waiting else (-1,))
        if head is not None:
            choices = (-1,) if guesses <= {head} else ()
        for guess in choices:
            new = bits
            for word in members(waiting):
                new |= self._bit(word, guess)
            roots = self._root_links(new | self.links(edge)) + sum(root for _, _, root in tags)
            if not self.single_root or roots < 2:
                tag = (-1 if head is None else head, guess, roots if self.single_root else 0)
                yield tag, tuple(divmod(bit, self.n + 1) for bit in members(new & ~_NOT_A_LINK))

    def _root_links(self, links: int) -> int:
        return sum(links >> (d * (self.n + 1)) & 1 for d in range(1, self.n + 1))

    def structure(self, state: State) -> tuple[int, ...] | None:
        """Return the heads of a finished structure, or None where it is not a tree.

        A word without a head is the root where no word hangs under 0.
        """
        links = state[0] if isinstance(state, tuple) else state
        if links & _NOT_A_LINK or (isinstance(state, tuple) and state[2]):
            return None
        heads: list[int] = []
        row = (1 << (self.n + 1)) - 1
        headless = 0
        for dependent in range(1, self.n + 1):
            bits = links >> (dependent * (self.n + 1)) & row
            if not bits:
                headless += 1
                heads.append(0)
            elif bits & (bits - 1):
                return None
            else:
                heads.append(bits.bit_length() - 1)
        if headless and (headless > 1 or heads.count(0) > 1):
            return None
        tree = tuple(heads)
        return None if find_cycle(tree) else tree


class HeadedEdge(NamedTuple):
    """A hyperedge of `headed_edges`: which one of the forest it is, the node derived, the tails, the links to heads."""

    origin: int
    node: int
    tails: tuple[int, ...]
    links: tuple[tuple[int, int], ...]


def headed_edges(forest: Forest, building: Building) -> tuple[list[tuple[int, Tag]], list[HeadedEdge]]:
    """Return a forest in which each hyperedge knows the links that it builds, between heads of antecedents too.

    A node is an item together with the head word of what it has built or, while words wait for a head, a guess which
    one it will be; where only one root may be, also with the number of links to 0. Guesses that do not come true are
    left over as nodes that no final item needs.

    Returns
    -------
    The nodes, as an item and what is known beside it, hypotheses first under their numbers; and the hyperedges.
    """
    hypotheses, first = forest.chart.raw.hypothesis_count, forest.arrays.graph.first
    nothing = (-1, -1, 0)
    nodes = [(x, nothing) for x in range(hypotheses)]
    known: dict[int, dict[Tag, int]] = {x: {nothing: x} for x in range(hypotheses)}
    found: dict[HeadedEdge, None] = {}
    count = -1
    while count < len(found):  # once more where the forest has cycles
        count = len(found)
        for item in forest.order:
            for number, edge in enumerate(forest.edges_into(item), start=int(first[item])):
                for tags in itertools.product(*(known.get(tail, ()) for tail in edge.tails)):
                    for tag, links in building.with_heads(edge, item, tags):
                        here = known.setdefault(item, {})
                        if tag not in here:
                            here[tag] = len(nodes)
                            nodes.append((item, tag))
                        tails = tuple(known[t][x] for t, x in zip(edge.tails, tags, strict=True))
                        found[HeadedEdge(number, here[tag], tails, links)] = None
    return nodes, list(found)


def _head_finder(chart: BareChart, case: m.Case) -> HeadFinder:
    """Return a function from a hyperedge of a case and its consequent to the head word, None where unnamed."""
    constant = 0
    atoms: tuple[tuple[m.Var | m.Length, int], ...] = ()
    match case.head:
        case None:
            return lambda edge, consequent: None
        case m.Linear():
            constant, atoms = case.head.constant, case.head.atoms
        case m.Lit(int() as constant):
            pass
        case m.Var() as variable:
            atoms = ((variable, 1),)
        case _:
            raise TypeError(f"the head of step {case.step} is not a position")
    parts = [(_of_variable(chart, case, atom.name), factor) for atom, factor in atoms]

    def find(edge: Edge, consequent: int) -> int | None:
        head = constant
        for value_in, factor in parts:
            value = value_in(edge, consequent)
            if value is None:
                return None
            head += value * factor
        return head

    return find


def _of_variable(chart: BareChart, case: m.Case, name: str) -> HeadFinder:
    """Read the variable off the field of the consequent or of a structural antecedent where it stands alone."""
    if name == "n":
        return lambda edge, consequent: chart.n
    place = head_place(case, name)
    if place is None:
        raise TypeError(f"the head of step {case.step} stands alone in no item of it")
    tail, column = place

    def read(edge: Edge, consequent: int) -> int | None:
        value = chart.raw.values[consequent if tail is None else edge.tails[tail]][column]
        return value if isinstance(value, int) else None

    return read


def count_trees(forest: Forest, budget: int) -> Count:
    """Count the distinct trees of a forest's final items.

    What is no tree has a cycle, a word with several heads, or words left over.
    """
    if not forest.chart.schema.builds_links:
        return Count(0, 0, 0)
    heads = _all_heads(forest, budget)
    if heads is None:
        return lower_bound(forest, Building.of(forest.chart), EFFORT)
    return Count(len(heads[0]), len(heads[0]), heads[1])


def list_trees(forest: Forest, limit: int | None, budget: int) -> list[DependencyTree]:
    """Return at most `limit` distinct trees: the smallest where all are known, else the first found."""
    if not forest.chart.schema.builds_links:
        return []
    heads = _all_heads(forest, budget)
    if heads is not None:
        return [DependencyTree(h) for h in sorted(heads[0])[:limit]]
    return list(itertools.islice(iterate_trees(forest, None if limit is None else EFFORT), limit))


def iterate_trees(forest: Forest, effort: int | None = None) -> Iterator[DependencyTree]:
    """Yield distinct trees as `iterate_structures` finds them."""
    return map(DependencyTree, iterate_structures(forest, Building.of(forest.chart), effort))


def _all_heads(forest: Forest, budget: int) -> tuple[set[tuple[int, ...]], int] | None:
    """Return all trees (as heads) and the number of other structures, or None beyond the budget.

    What was found, or the budget that did not suffice, is kept for the next call.
    """
    if forest.known_trees is not None:
        spent, heads = forest.known_trees
        if heads is not None or spent >= budget:
            return heads
    building = Building.of(forest.chart)
    states = finished_states(forest, building, budget)
    heads = None
    if states is not None:
        built = [building.structure(state) for state in states]
        heads = {tree for tree in built if tree is not None}, built.count(None)
    forest.known_trees = budget, heads
    return heads
