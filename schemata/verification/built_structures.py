"""The structures that the final items of a chart contain: sets of links, judged as trees or not.

Where a schema has a node 0, every word needs a head; in schemata without it the one word left headless is
the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from schemata.engine.chart import Chart
from schemata.forest.forest import Edge, Forest
from schemata.forest.trees import Building, State
from schemata.language import model as m
from schemata.structures import DependencyGraph, check_acyclicity, check_single_headedness

Links: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Structure:
    """A set of links, with its heads if it is a tree, else with the reason why it is none."""

    links: Links
    heads: tuple[int, ...] | None
    fault: str | None


@dataclass(frozen=True, slots=True)
class Application:
    """One step of a derivation: its name, its antecedents and its consequent as text, its links.

    `contexts` are the context antecedents of one of the instances that apply the step so.
    """

    step: str
    antecedents: tuple[str, ...]
    contexts: tuple[str, ...]
    consequent: str
    links: Links


def has_root_node(chart: Chart) -> bool:
    """Tell whether a schema hangs words under a node 0, by its chart under a grammar of all links."""
    if any(case.head == m.Lit(0) for case in chart.schema.cases):
        return True
    return any(h == 0 for instance in chart.instances() for _, h in instance.links)


def derive_structures(chart: Chart, root_node: bool, limit: int) -> list[Structure] | None:
    """Return the structures of a chart's final items in no particular order.

    Returns None where finding them takes more than `limit` unions of sets of links.
    """
    if not chart.final_ids:
        return []
    forest = chart.forest()
    reader = _Reader.of(chart, root_node)
    states = _all_states(forest, reader.building, limit)
    if states is None:
        return None
    return [reader.read(state) for state in {state for root in forest.roots for state in states[root]}]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads finished states: the bits that stand for links, as the forest writes them."""

    building: Building
    bits: dict[tuple[int, int], int]
    root_bits: int
    root_node: bool

    @classmethod
    def of(cls, chart: Chart, root_node: bool) -> _Reader:
        building = Building.of(chart)
        pairs = product(range(1, chart.n + 1), range(chart.n + 1))
        bits = {link: building.links(Edge(0, (), (link,), ())) for link in pairs}
        return cls(building, bits, sum(bit for (_, h), bit in bits.items() if h == 0), root_node)

    def read(self, state: State) -> Structure:
        """Return what a state has built, judged."""
        built = state[0] if isinstance(state, tuple) else state
        heads = self.building.structure(state)
        if heads is not None and built & self.root_bits:
            return Structure(tuple(enumerate(heads, start=1)), heads, None)
        if heads is not None and not self.root_node:
            return Structure(tuple((d, h) for d, h in enumerate(heads, start=1) if h), heads, None)
        links = tuple(link for link, bit in self.bits.items() if built & bit)
        return Structure(links, None, self._find_fault(links, built))

    def _find_fault(self, links: Links, built: int) -> str:
        """Say why links are no tree."""
        graph = DependencyGraph(self.building.n, links)
        headed = check_single_headedness(graph)
        if not headed.holds:
            return str(headed)
        acyclic = check_acyclicity(graph)
        if not acyclic.holds:
            return f"a {acyclic}"
        if built & ~sum(self.bits.values()):
            return "a link to a position that is no word"
        have = {d for d, _ in links}
        headless = [d for d in range(1, self.building.n + 1) if d not in have]
        named = ", ".join(map(str, headless))
        return f"word {named} has no head" if len(headless) == 1 else f"words {named} have no head"


def _all_states(forest: Forest, building: Building, limit: int) -> dict[int, set[State]] | None:
    """Return the states of every useful item; items on cycles are revisited until nothing is new."""
    hypotheses = forest.chart.raw.hypothesis_count
    states: dict[int, set[State]] = {x: {building.leaf} if x < hypotheses else set() for x in forest.order}
    spent = 0
    while True:
        before = sum(map(len, states.values())) if forest.cyclic else 0
        for item in forest.order:
            here = states[item]
            for edge in forest.edges_into(item):
                size = 1
                for tail in edge.tails:
                    size *= len(states[tail])
                spent += size
                if spent > limit:
                    return None
                here |= _edge_states(edge, item, building, states)
        if not forest.cyclic or sum(map(len, states.values())) == before:
            return states


def _edge_states(edge: Edge, item: int, building: Building, states: dict[int, set[State]]) -> set[State]:
    """Return the states of an item that one edge yields."""
    own = building.links(edge)
    if not building.headed and len(edge.tails) <= 2:
        # Most of the time of a verification goes here; plain link sets are numbers, and their union is `|`.
        left = states[edge.tails[0]] if edge.tails else {0}
        right = states[edge.tails[1]] if len(edge.tails) == 2 else {0}
        return {one | two | own for one in left for two in right}  # type: ignore[operator]
    chosen = product(*(tuple(states[t]) for t in edge.tails))
    found = (building.combine(edge, item, own, parts) for parts in chosen)
    return {state for state in found if state is not None}


def derivation_of(chart: Chart, structure: Structure, root_node: bool) -> tuple[Application, ...]:
    """Return the step applications of one derivation of a structure, antecedents before what uses them.

    Meant for the small charts of counterexamples: every state of every item is kept with its origin.
    """
    forest = chart.forest()
    reader = _Reader.of(chart, root_node)
    building = reader.building
    hypotheses = chart.raw.hypothesis_count
    # The first origin found is kept, so that origins lead back to hypotheses even where items form cycles.
    origins: dict[int, dict[State, tuple[Edge, tuple[State, ...]] | None]] = {
        x: {building.leaf: None} if x < hypotheses else {} for x in forest.order
    }
    changed = True
    while changed:
        changed = False
        for item in forest.order:
            for state, edge, parts in _new_states(forest, building, item, origins):
                if state not in origins[item]:
                    origins[item][state] = (edge, parts)
                    changed = True
    for root in forest.roots:
        for state in origins[root]:
            if reader.read(state) == structure:
                found: dict[tuple[int, State], Application] = {}
                _replay(chart, root, state, origins, found)
                return tuple(found.values())
    return ()


def _new_states(
    forest: Forest,
    building: Building,
    item: int,
    origins: dict[int, dict[State, tuple[Edge, tuple[State, ...]] | None]],
) -> Iterator[tuple[State, Edge, tuple[State, ...]]]:
    for edge in forest.sorted_edges(item):
        own = building.links(edge)
        for parts in list(product(*(tuple(origins[t]) for t in edge.tails))):
            state = building.combine(edge, item, own, parts)
            if state is not None:
                yield state, edge, parts


def _replay(
    chart: Chart,
    item: int,
    state: State,
    origins: dict[int, dict[State, tuple[Edge, tuple[State, ...]] | None]],
    found: dict[tuple[int, State], Application],
) -> None:
    """Add the steps that lead to a state of an item, antecedents first."""
    origin = origins[item][state]
    if origin is None or (item, state) in found:
        return
    edge, parts = origin
    for tail, part in zip(edge.tails, parts, strict=True):
        _replay(chart, tail, part, origins, found)
    found[item, state] = Application(
        chart.schema.cases[edge.case].step,
        tuple(str(chart.item(t)) for t in edge.tails),
        _contexts(chart, edge, item),
        str(chart.item(item)),
        edge.links,
    )


def _contexts(chart: Chart, edge: Edge, consequent: int) -> tuple[str, ...]:
    """Return the context antecedents of the first instance of a hyperedge."""
    slots = [k for k, a in enumerate(chart.schema.cases[edge.case].antecedents) if a.context]
    for instance in chart.instances() if slots else ():
        tails = tuple(instance.antecedents[k] for k in edge.slots)
        same = instance.case == edge.case and instance.consequent == consequent
        if same and tails == edge.tails and instance.links == edge.links:
            return tuple(str(chart.item(instance.antecedents[k])) for k in slots)
    return ()
