"""Derivations of a forest as trees, enumerated lazily in a fixed order.

A derivation is a list of its items in preorder, each with the choice of a hyperedge that derives it. The next
derivation changes the last choice that can be changed and makes the later ones anew. So only the current derivation
is kept, and nothing recurses: a derivation may be deeper than the sentence is long.

In a cyclic forest only derivations in which no item stands above itself are listed. A hyperedge is chosen only
if each of its tails has such a derivation, so that no choice leads into a dead end. Items that reach each other
through hyperedges make up a component. An item is derivable without a set of items of its component if some
hyperedge into it has only tails of other components or tails that are themselves derivable so.

`forest_graph` gives the whole forest as a networkx graph: for layouts, graph algorithms, and the formats that
networkx writes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from schemata.errors import require_number
from schemata.forest.states import Builds
from schemata.grouping import grouped
from schemata.records import Record, ShownAsSvg, dataclass, field
from schemata.thresholds import EFFORTS

if TYPE_CHECKING:
    import networkx

    from schemata.charts import BareChart, BuiltLink, Item
    from schemata.forest.forest import Edge, Forest


class Cycles(Record):
    """The components of a forest that have cycles; `component_of` leaves out the items on no cycle."""

    forest: Forest
    component_of: Mapping[int, int]
    members: tuple[tuple[int, ...], ...]
    _without: dict[tuple[int, frozenset[int]], frozenset[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, forest: Forest) -> Cycles:
        """Return the cycles of a forest."""
        return cls(forest, {x: k for k, items in enumerate(forest.cycles) for x in items}, forest.cycles)

    def derivable(self, edge: Edge, item: int, above: frozenset[int]) -> bool:
        """Whether all tails of an edge into an item can be derived without the items above them."""
        component = self.component_of[item]
        inside = [t for t in edge.tails if self.component_of.get(t) == component]
        if not inside:
            return True
        allowed = self._without.get((component, above))
        if allowed is None:
            allowed = self._without[component, above] = self._derivable_without(component, above)
        return all(t in allowed for t in inside)

    def _derivable_without(self, component: int, above: frozenset[int]) -> frozenset[int]:
        hypotheses = self.forest.chart.raw.hypothesis_count
        waiting = [x for x in self.members[component] if x not in above]
        derivable: set[int] = set()

        def follows(item: int) -> bool:
            return item < hypotheses or any(
                all(self.component_of.get(t) != component or t in derivable for t in edge.tails)
                for edge in self.forest.edges_into(item)
            )

        while more := [x for x in waiting if x not in derivable and follows(x)]:
            derivable.update(more)
        return frozenset(derivable)


class Derivation(Record, ShownAsSvg, eq=False, repr=False):
    """A derivation of one item: the step, and the derivations of its antecedents, down to the hypotheses.

    Two derivations are equal if they are the same tree of items and steps.

    Attributes
    ----------
    item : the item derived.
    step : the step that derives it; None for a hypothesis, which is given.
    case : the label of the step's case, where the step has several.
    links : the links that this step builds: (dependent, head), or labelled ones (left, right, label).
    children : the derivations of the structural antecedents; context antecedents are left out.
    number : the item's number in its chart.
    edge : the hyperedge of the forest, None for a hypothesis.
    words : the words of the sentence, for pictures; none if they are not known.
    """

    item: Item
    step: str | None
    case: str | None
    links: tuple[BuiltLink, ...]
    children: tuple[Derivation, ...]
    number: int = field(default=-1)
    edge: Edge | None = field(default=None)
    words: tuple[str, ...] = field(default=())

    def walk(self) -> Iterator[tuple[int, Derivation]]:
        """Yield the derivation and all below it in preorder, each with its depth (0 for the whole)."""
        stack = [(0, self)]
        while stack:
            depth, node = stack.pop()
            yield depth, node
            stack.extend((depth + 1, child) for child in reversed(node.children))

    def applied(self) -> Iterator[Derivation]:
        """Return the nodes that steps derive, antecedents before their consequents, from left to right."""
        stack, found = [self], []
        while stack:
            node = stack.pop()
            if node.step is not None:
                found.append(node)
            stack.extend(node.children)
        return reversed(found)

    @property
    def step_count(self) -> int:
        """The number of steps."""
        return sum(1 for _, node in self.walk() if node.step is not None)

    @property
    def depth(self) -> int:
        """The number of steps on the longest way from a hypothesis."""
        return max(depth + (node.step is not None) for depth, node in self.walk())

    @property
    def all_links(self) -> frozenset[BuiltLink]:
        """The links that the steps of the derivation name."""
        return frozenset(itertools.chain.from_iterable(node.links for _, node in self.walk()))

    # Equality and hashing walk the tree: what dataclasses generate would recurse, and derivations are deep.

    def _signature(self) -> Iterator[tuple[object, ...]]:
        for _, node in self.walk():
            yield node.item, node.step, node.case, node.links, len(node.children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Derivation):
            return NotImplemented
        if self is other:
            return True
        return all(a == b for a, b in itertools.zip_longest(self._signature(), other._signature()))

    def __hash__(self) -> int:
        return hash(tuple(self._signature()))

    def __repr__(self) -> str:
        how = f"by {self.step}, {self.step_count} steps" if self.step is not None else "given"
        return f"<Derivation of {self.item}: {how}>"


def list_derivations(forest: Forest, limit: int | None = 10) -> list[Derivation]:
    """Return the first derivations of a forest's final items.

    Parameters
    ----------
    forest : the forest.
    limit : how many at most; None for all (of a cyclic forest: all in which no item stands above itself).

    Raises
    ------
    UsageError : the limit is negative, or no whole number.

    >>> import schemata
    >>> forest = schemata.load("eisner1996").run("the cat sat").forest()
    >>> len(list_derivations(forest, limit=None)) == forest.derivation_count
    True
    """
    if limit is not None:
        require_number("the limit", limit, least=0)
    return list(itertools.islice(iterate_derivations(forest), limit))


def derivation_of(
    chart: BareChart, preorder: Sequence[tuple[int, Edge | None]], item: Callable[[int], Item] | None = None
) -> Derivation:
    """Return a derivation by its nodes in preorder: items, with the hyperedges that derive them (None if given).

    `item` returns an item by its number; that of the chart by default.
    """
    built, words, item = list[Derivation](), chart.sentence.words, item or chart.item
    for number, edge in reversed(preorder):
        if edge is None:
            built.append(Derivation(item(number), None, None, (), (), number, None, words))
            continue
        case, links = chart.schema.cases[edge.case], chart.built_links(edge.case, edge.links)
        children = tuple(built.pop() for _ in edge.tails)
        built.append(Derivation(item(number), case.step, case.label, links, children, number, edge, words))
    return built[0]


def iterate_derivations(forest: Forest) -> Iterator[Derivation]:
    """Yield the derivations of a forest's final items, each once.

    Final items come in canonical order; for each, hyperedges in canonical order (step as declared, then
    antecedents), the last antecedent changing fastest. The order is the same on every engine and every run.
    """
    cycles = Cycles.of(forest)
    item = cache(forest.chart.item)
    for root in forest.roots:
        entries: list[_PreorderEntry] = []
        while True:
            _complete(root, entries, forest, cycles)
            preorder = [(entry.item, entry.options[entry.choice]) for entry in entries]
            yield derivation_of(forest.chart, preorder, item)
            while entries and entries[-1].choice + 1 == len(entries[-1].options):
                entries.pop()
            if not entries:
                break
            entries[-1].choice += 1


@dataclass(slots=True)
class _PreorderEntry:
    """An item of a derivation in preorder, its parent's place (-1 for none) and the choice made at it.

    An option is a hyperedge, or None if the item is a hypothesis and may stand by itself.
    """

    item: int
    parent: int
    options: tuple[Edge | None, ...]
    choice: int = 0


def _complete(root: int, entries: list[_PreorderEntry], forest: Forest, cycles: Cycles) -> None:
    """Extend the first entries of a derivation to a whole one, taking the first option everywhere."""
    hypotheses = forest.chart.raw.hypothesis_count
    stack = [(root, -1)]
    place = 0
    while stack:
        item, parent = stack.pop()
        if place == len(entries):
            edges = tuple(forest.sorted_edges(item))
            if item in cycles.component_of:
                above = _above(item, parent, entries, cycles)
                edges = tuple(e for e in edges if cycles.derivable(e, item, above))
            entries.append(_PreorderEntry(item, parent, (None, *edges) if item < hypotheses else edges))
        edge = entries[place].options[entries[place].choice]
        if edge is not None:
            stack.extend((tail, place) for tail in reversed(edge.tails))
        place += 1


def _above(item: int, parent: int, entries: list[_PreorderEntry], cycles: Cycles) -> frozenset[int]:
    """Return the item and those above it on its cycles; they stand together, right above it."""
    component = cycles.component_of[item]
    above = {item}
    while parent >= 0 and cycles.component_of.get(entries[parent].item) == component:
        above.add(entries[parent].item)
        parent = entries[parent].parent
    return frozenset(above)


def built_state(building: Builds, derivation: Derivation) -> Any:
    """Return the state that a derivation builds; None if its parts do not fit together."""
    states: list[Any] = []
    for node in reversed([node for _, node in derivation.walk()]):
        below = [states.pop() for _ in node.children]
        if node.edge is None:
            states.append(building.leaf)
        elif None in below:
            states.append(None)
        else:
            states.append(building.combine(node.edge, node.number, building.links(node.edge), below))
    return states[0]


def derivations_of(forest: Forest, building: Builds, wanted: Callable[[Any], bool]) -> Iterator[Derivation]:
    """Yield the derivations that build a wanted state, of the first derivations of a forest."""
    for derivation in itertools.islice(iterate_derivations(forest), EFFORTS.searched_derivations):
        state = built_state(building, derivation)
        if state is not None and wanted(state):
            yield derivation


def step_on_cycle(forest: Forest) -> Derivation | None:
    """Return a step by which an item helps to derive itself, its antecedents as if given; None if none does."""
    chart, cycles = forest.chart, Cycles.of(forest)
    for item in sorted(cycles.component_of, key=chart.order):
        for edge in forest.sorted_edges(item):
            if any(cycles.component_of.get(t) == cycles.component_of[item] for t in edge.tails):
                children = tuple(Derivation(chart.item(t), None, None, (), (), t) for t in edge.tails)
                case = chart.schema.cases[edge.case]
                links = chart.built_links(edge.case, edge.links)
                return Derivation(chart.item(item), case.step, case.label, links, children, item, edge)
    return None


def forest_graph(forest: Forest) -> networkx.DiGraph[Any]:
    """Return the useful part of a forest as a directed bipartite graph of items and hyperedges.

    Parameters
    ----------
    forest : the forest.

    Returns
    -------
    A graph with two kinds of nodes, in a fixed order. An item's node is its canonical text, with the
    attributes `bipartite` 0, `kind` ``"item"`` or ``"hypothesis"``, `form`, `values`, `final`. A hyperedge's
    node is a pair (text of its consequent, number among the hyperedges into it), with `bipartite` 1, `kind`
    ``"step"``, `step`, `case` (None if the step has one only) and `links` as (dependent, head) pairs, or
    (left, right, label) where links have labels. An arc leads from each antecedent to the hyperedge, its
    attribute `places` telling which antecedents it is (0-based, several where an item is used twice), and one
    from the hyperedge to the consequent.

    Examples
    --------
    >>> import schemata
    >>> graph = forest_graph(schemata.load("eisner1996").run("a").forest())
    >>> [node for node, kind in graph.nodes(data="kind") if kind == "item"]
    ['span[0, 1, false, false]', 'span[0, 1, false, true]']
    >>> sorted(graph.predecessors(("span[0, 1, false, false]", 0)))
    ['word[0]', 'word[1]']
    """
    import networkx

    chart = forest.chart
    cases = chart.schema.cases
    hypotheses, roots = chart.raw.hypothesis_count, frozenset(forest.roots)
    numbers = sorted(forest.order, key=chart.order)
    texts = {number: str(chart.item(number)) for number in numbers}
    graph: networkx.DiGraph[Any] = networkx.DiGraph(schema=chart.schema.name)
    for number in numbers:
        item = chart.item(number)
        graph.add_node(
            texts[number],
            bipartite=0,
            kind="hypothesis" if number < hypotheses else "item",
            form=item.form,
            values=item.values,
            final=number in roots,
        )
    for number in numbers:
        for k, edge in enumerate(forest.sorted_edges(number)):
            case = cases[edge.case]
            node = (texts[number], k)
            graph.add_node(
                node,
                bipartite=1,
                kind="step",
                step=case.step,
                case=case.label,
                links=chart.built_links(edge.case, edge.links),
            )
            for tail, slots in grouped((tail, place) for place, tail in enumerate(edge.tails)).items():
                graph.add_edge(texts[tail], node, places=tuple(slots))
            graph.add_edge(node, texts[number])
    return graph
