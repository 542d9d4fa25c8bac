"""Structures of every kind that a forest's derivations build: counted within a budget, listed lazily beyond it.

Each kind has its states: linkages, constituent trees and sets of atoms here, trees and graphs in `trees`. Distinct
structures are distinct finished states: several derivations of one state are spurious ambiguity. Listing draws
structures one at a time, on demand, so that a forest with 10^12 derivations yields its first ten at once.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from typing import Any, TypeAlias

from schemata.charts import BareChart
from schemata.forest.derivations import Derivation, built_state
from schemata.forest.forest import Count, Edge, Forest
from schemata.forest.paths import on_paths
from schemata.forest.states import Bits, Builds, finished_states, iterate_structures, lower_bound, united
from schemata.forest.trees import Building
from schemata.grammars.link_grammar.sequences import Sequences
from schemata.grammars.relations import graph_known
from schemata.kinds import (
    ALIGNMENT,
    CONSTITUENT_TREE,
    CONTEXT_FREE,
    DEPENDENCY_GRAPH,
    DEPENDENCY_TREE,
    LINKAGE,
    SEMANTIC_GRAPH,
    SET,
    StructureKind,
)
from schemata.language import model as m
from schemata.language.typeset import format_value
from schemata.structures.constituents import (
    WORD,
    Alignment,
    AtomSet,
    Constituent,
    ConstituentTree,
    in_order,
)
from schemata.structures.linkages import Linkage, cheapest_first
from schemata.structures.projections import members
from schemata.structures.semantics import graph_of_atoms
from schemata.thresholds import EFFORTS
from schemata.weights.best import BestStates

ConstituentState: TypeAlias = tuple[int, ...]  # constituents by number
Bracket: TypeAlias = (
    "tuple[int | None, str, tuple[tuple[int, int], ...]]"  # what it is over, category, stretches
)
_WRONG = (-1,)  # what makes no tree, whatever else is built


# Linkages ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class LinkBits:
    """Sets of links between connector occurrences as integers, a bit for each link met so far.

    Such a set determines the linkage: every word has at least one link, and a link determines the disjuncts of both
    its words.
    """

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
        """Return the linkage of a set of links; None if they are not a linkage."""
        return self.sequences.linkage(self.pairs_of(state))


def list_linkages(forest: Forest, limit: int | None, budget: int) -> list[Linkage]:
    """Return at most `limit` distinct linkages, None for all, cheapest first.

    Of those that cost the same, the ones with shorter links come first where all linkages are known. Beyond the budget,
    they are listed from the best of every item, antecedents first.
    """
    bits = LinkBits.of(forest.chart)
    states = finished_states(forest, bits, budget if limit is not None else None)
    if states is not None:
        return _cheapest_linkages(bits, states, limit)
    assert limit is not None
    return _best_linkages(
        type(forest)(forest.chart), bits, limit
    )  # where hyperedges have numbers from the beginning


def _cheapest_linkages(bits: LinkBits, states: Sequence[int] | set[int], limit: int | None) -> list[Linkage]:
    ranked = [(rank, state) for state in states if (rank := bits.rank(state)) is not None]
    if limit is not None and len(ranked) > limit:
        if limit == 0:
            return []
        last = heapq.nsmallest(limit, (rank for rank, _ in ranked))[-1]
        ranked = [(rank, state) for rank, state in ranked if rank <= last]
    linkages = (bits.value(state) for _, state in ranked)
    return cheapest_first(linkage for linkage in linkages if linkage is not None)[:limit]


def _best_linkages(forest: Forest, bits: LinkBits, limit: int) -> list[Linkage]:
    """Return the cheapest linkages of a forest that is too large to be listed whole.

    The cost of a linkage is shared out among its links: one connector of each disjunct, one that is linked exactly
    once, carries the disjunct's cost. If all connectors of a disjunct are multi-connectors, no connector carries it;
    the cost is added when the linkage is whole, and further linkages are examined until no cheaper one can follow.
    """
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
        if not limit or enough or len(states) > EFFORTS.examined_sets * limit:
            break
        rank = None if found.state in states else bits.rank(found.state)
        states[found.state] = None
        if rank is not None:
            (heapq.heappush if len(dearest) < limit else heapq.heappushpop)(dearest, -rank[0])
    return _cheapest_linkages(bits, list(states), limit)


def connector_charges(view: Sequences) -> tuple[dict[int, float], float]:
    """Return the cost that each connector occurrence carries, and a bound on the costs that no connector carries."""
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


# Constituent trees ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Brackets:
    """The states of constituent trees: rows of trees, which share their subtrees.

    A bracket is a constituent over the structures of all antecedents of its step, or of one of them; so trees keep the
    order of unary chains, and empty constituents. If no step of a schema over context-free grammars builds anything,
    two sorts of items are constituents: those with a category and two positions, and those with a rule all of whose
    symbols are found. A word is a constituent of its category, unless it is the whole body of a rule for another
    category. Positions are words, or places between words where those of a final item begin at 0.

    A bracket of the category "" is a place, which a constituent over the same words fills. The foot of an auxiliary
    tree is such a place: the subtree at the node of the adjunction fills it.

    A constituent that stands above one of its own category over the same words makes no tree: else unary cycles would
    make infinitely many trees. Nor does a bracket over words with a gap.

    Attributes
    ----------
    places : by the name of a form, the fields that make a constituent, where steps build nothing.
    found : the constituents met so far.
    numbers : their numbers.
    again : for each, the categories in it that cover the same words, its own among them.
    below : for each, the nodes right below it.
    places_left : for each, the stretches of the places in it that nothing has taken: brackets of the category "".
    whole : the numbers of those whose leaves are known to be their words.
    """

    chart: BareChart
    places: dict[str, tuple[int, int, int, int]]
    found: list[Constituent] = field(default_factory=list)
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    again: list[frozenset[str]] = field(default_factory=list)
    below: list[ConstituentState] = field(default_factory=list)
    places_left: list[frozenset[tuple[tuple[int, int], ...]]] = field(default_factory=list)
    whole: set[int] = field(default_factory=set)

    plain = False
    leaf = ()

    @classmethod
    def of(cls, chart: BareChart) -> Brackets:
        """Return the states of a chart."""
        declared = "bracket" in chart.schema.atom_names
        return cls(chart, {} if declared else constituent_forms(chart.schema))

    def links(self, edge: Edge) -> Sequence[Bracket]:
        """Return the brackets that an edge builds, those over single antecedents first."""
        built: list[Bracket] = []
        for atom, numbers in zip(self.chart.schema.cases[edge.case].links, edge.links, strict=True):
            category, *places = self.chart.arguments(atom, numbers)
            if not (isinstance(category, str) and m.is_terminal(category)):
                text = category if isinstance(category, str) else format_value(category, atom.types[0])
                built.append((atom.over, text, stretches(places)))
        return sorted(built, key=lambda bracket: bracket[0] is None)

    def combine(
        self, edge: Edge, consequent: int, own: Sequence[Bracket], states: Sequence[ConstituentState]
    ) -> ConstituentState:
        """Return the constituents of a consequent from those of the edge's tails."""
        parts = dict(zip(edge.slots, states, strict=True))
        if self.places:
            return self._of_item(consequent, self._row([*states, *self._scanned(edge)]))
        for over, category, spans in own:
            below = parts[over] if over is not None else self._row(parts.values())
            tree = self._constituent(category, spans, below)
            parts = {**parts, over: tree} if over is not None else {0: tree}
        return self._row(parts.values())

    def _scanned(self, edge: Edge) -> Iterator[ConstituentState]:
        """Yield the words among an edge's tails, on a word graph: those between its ends are of several paths."""
        raw = self.chart.raw
        for tail in edge.tails if graph_known(self.chart.grammar) is not None else ():
            values = raw.values[tail] if tail < raw.hypothesis_count else ()
            if len(values) == 1 and isinstance(values[0], int):
                yield self._constituent(WORD, ((values[0], values[0]),), ())

    def _row(self, states: Any) -> ConstituentState:
        """Return rows of constituents as one, from left to right; empty ones at the same place in the order given."""
        numbers = list(chain.from_iterable(states))
        if -1 in numbers:
            return _WRONG
        for outer in [x for x in numbers if self.places_left[x]]:
            spans = self.places_left[outer]
            taking = next((k for k in numbers if k != outer and self.found[k].spans in spans), None)
            if taking is not None:
                numbers.remove(taking)
                numbers[numbers.index(outer)] = self._filled(outer, taking)
        return _WRONG if -1 in numbers else tuple(sorted(numbers, key=lambda k: self.found[k].spans[0]))

    def _filled(self, outer: int, taking: int) -> int:
        """Return a constituent in which another one takes the place over its words."""
        node = self.found[outer]
        if not node.category:
            return taking
        spans = self.found[taking].spans
        below = (self._filled(k, taking) if spans in self.places_left[k] else k for k in self.below[outer])
        return self._constituent(node.category, node.spans, tuple(below))[0]

    def _constituent(
        self, category: str, spans: tuple[tuple[int, int], ...], below: ConstituentState
    ) -> ConstituentState:
        stretches = [0, *chain.from_iterable(spans), self.chart.n + 1]
        ordered = all(a < b for a, b in zip(stretches[::2], stretches[1::2], strict=True))
        whole = len(spans) == 1 or all(first <= last for first, last in spans)
        if not (ordered and whole and all(last >= first - 1 for first, last in spans)) or -1 in below:
            return _WRONG
        inside = frozenset(chain.from_iterable(self.again[k] for k in below if self.found[k].spans == spans))
        if category in inside:
            return _WRONG
        key = category, spans, below
        if key not in self.numbers:
            self.numbers[key] = len(self.found)
            self.found.append(Constituent(category, spans, tuple(self.found[k] for k in below)))
            self.again.append(inside | {category})
            self.below.append(below)
            left = frozenset(chain.from_iterable(self.places_left[k] for k in below))
            self.places_left.append(left if category else left | {spans})
        return (self.numbers[key],)

    def _of_item(self, number: int, below: ConstituentState) -> ConstituentState:
        """Return the state of an item: a constituent if it has a category, or a rule whose symbols are all found."""
        item = self.chart.item(number)
        if item.form not in self.places or below == _WRONG:
            return below
        found: Any
        *places, before = self.places[item.form]
        found, low, high = (item.values[place] for place in places)
        if not isinstance(found, str | tuple) or not isinstance(low, int) or not isinstance(high, int):
            return below
        low += before
        span = ((low, high),)
        scanned = {self.found[k].spans[0][0]: k for k in below if self.found[k].category == WORD}
        if isinstance(found, str):
            below = tuple(k for k in below if k not in scanned.values())
            same = len(below) == 1 and self.found[below[0]]
            again = same and (same.category, same.spans) == (found, span)
            return below if again else self._constituent(found, span, below)
        category, *rest = found
        if any(rest[:-2]) or rest[-1]:
            return below
        symbols = rest[-2]
        if (
            category == m.ROOT or len(symbols) > 1
        ):  # words have their categories, unless the constituent is the word
            own = tuple(k for k in below if k not in scanned.values())
            on_graph = graph_known(self.chart.grammar) is not None
            covered = tuple(scanned) if on_graph else _words(low, high, self.found, below)
            parts = in_order(tuple(self.found[k] for k in own), covered)
            words = [(x, y) for x, y in zip(symbols, parts, strict=False) if isinstance(y, int)]
            tagged = [
                self._constituent(x, ((y, y),), ()) if not m.is_terminal(x) else (scanned[y],)
                for x, y in words
                if y in scanned or not m.is_terminal(x)
            ]
            below = self._row([own, *tagged])
        return below if category == m.ROOT else self._constituent(category, span, below)

    def structure(self, state: ConstituentState) -> tuple[Constituent, ...] | None:
        """Return the trees of a state; None if it makes none, a place is left, or their leaves are not the words.

        Read from left to right, the leaves are each word once: the nodes below a constituent cover words of it, and
        no word twice. Below a node without gaps they are then in order.
        """
        found = self.constituents(state)
        if found is None:
            return None
        return found if self._disjoint(state) and all(map(self._is_whole, state)) else None

    def constituents(self, state: ConstituentState) -> tuple[Constituent, ...] | None:
        """Return the constituents of a state, whatever their leaves are; None if it makes none."""
        wrong = state == _WRONG or any(self.places_left[k] for k in state)
        return None if wrong else tuple(self.found[k] for k in state)

    def _is_whole(self, number: int) -> bool:
        """Whether the leaves of a constituent are the words that it covers, each once."""
        stack = [number]
        while stack:
            outer = stack.pop()
            if outer in self.whole:
                continue
            self.whole.add(outer)  # taken back where it is not
            spans, below = self.found[outer].spans, self.below[outer]
            inside = all(
                any(first <= a and b <= last for first, last in spans)
                for k in below
                for a, b in self.found[k].spans
                if a <= b
            )
            if not (inside and self._disjoint(below)):
                self.whole.clear()
                return False
            stack += below
        return True

    def _disjoint(self, below: ConstituentState) -> bool:
        """Whether no word is in two constituents that stand side by side."""
        covered = sorted(span for k in below for span in self.found[k].spans if span[0] <= span[1])
        return all(a[1] < b[0] for a, b in pairwise(covered))

    def value(self, structure: tuple[Constituent, ...]) -> ConstituentTree:
        """Return the trees with the words of the sentence."""
        return ConstituentTree(structure, self.chart.sentence.words)


def stretches(places: Sequence[Any]) -> tuple[tuple[int, int], ...]:
    """Return the stretches of words that an atom names: by their ends, or as a list of spans between places.

    >>> stretches([1, 2, 4, 4]), stretches([((2, 4), (0, 1), (4, 5))])
    (((1, 2), (4, 4)), ((1, 1), (3, 5)))
    """
    if len(places) != 1:
        return tuple(zip(places[::2], places[1::2], strict=True))
    found: list[tuple[int, int]] = []
    for low, high in sorted(places[0]):
        touching = found and found[-1][1] == low
        found.append((found.pop()[0] if touching else low + 1, high))
    return tuple(found)


def _words(low: int, high: int, found: Sequence[Constituent], below: ConstituentState) -> tuple[int, ...]:
    """Return the words of a stretch that no constituent covers."""
    covered = {word for k in below for word in found[k].covered}
    return tuple(word for word in range(low, high + 1) if word not in covered)


def constituent_forms(schema: m.Schema) -> dict[str, tuple[int, int, int, int]]:
    """Return the forms of constituents, each with the places of category or rule, of first and of last position.

    The fourth number is 1 where positions are places between words, which begin at 0 in a final item, else 0.
    """
    found: dict[str, tuple[int, int, int]] = {}
    for form in schema.forms:
        kinds = [field.type.kind for field in form.fields]
        names = [k for k, kind in enumerate(kinds) if kind in ("symbol", "dotted")]
        positions = [k for k, kind in enumerate(kinds) if kind == "position"]
        if names and len(positions) >= 2:
            found[form.name] = names[0], positions[0], positions[1]
    ends = [f.pattern.terms[found[f.pattern.form][1]] for f in schema.finals if f.pattern.form in found]
    return {form: (*places, int(m.Lit(0) in ends)) for form, places in found.items()}


# Sets of atoms ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Atoms:
    """The states of sets of atoms, and the value of a set; None if the set is not a structure."""

    chart: BareChart
    made: Callable[[BareChart, tuple[Any, ...]], Any] = lambda chart, atoms: AtomSet(atoms)
    bits: Bits = field(default_factory=Bits)

    plain = True
    leaf = 0
    combine = staticmethod(united)

    def links(self, edge: Edge) -> int:
        """Return an edge's own atoms as bits."""
        bits = 0
        for built, numbers in zip(self.chart.schema.cases[edge.case].links, edge.links, strict=True):
            bits |= self.bits[self.chart.atom(built, numbers)]
        return bits

    def structure(self, state: int) -> tuple[tuple[int, Any], ...] | None:
        """Return the atoms of a state as a sortable tuple, in order; None if they are not a structure."""
        found = tuple(sorted(_sortable(self.bits.found[k]) for k in members(state)))
        return None if self.value(found) is None else found

    def value(self, structure: tuple[tuple[int, Any], ...]) -> Any:
        """Return the structure."""
        return self.made(self.chart, tuple(map(_value, structure)))


def _alignment(chart: BareChart, atoms: tuple[Any, ...]) -> Alignment:
    words, lengths = chart.sentence.words, chart.schema.lengths
    ends = lengths[0] if lengths else len(words)
    return Alignment(tuple((i, j) for _, i, j in atoms), words[:ends], words[ends:])


def _sortable(value: Any) -> tuple[int, Any]:
    """Return a sort key for values of mixed types: numbers, then texts, then tuples by their parts."""
    if isinstance(value, tuple):
        return 2, tuple(map(_sortable, value))
    return int(isinstance(value, str)), value


def _value(sortable: tuple[int, Any]) -> Any:
    kind, value = sortable
    return tuple(map(_value, value)) if kind == 2 else value


# Structures of any kind -------------------------------------------------------------------------------------------


def builds_nothing(schema: m.Schema) -> bool:
    """Return whether no step builds anything, and no item says where a constituent is."""
    in_items = schema.grammar == CONTEXT_FREE and schema.structure == CONSTITUENT_TREE
    return not (schema.atom_names or (in_items and constituent_forms(schema)))


def building_of(chart: BareChart) -> Builds | None:
    """Return the states for the structures of a chart's schema; None if its steps build nothing."""
    schema = chart.schema
    if builds_nothing(schema):
        return None
    return _STATES[schema.structure](chart)


def _on_paths(of: Callable[[BareChart], Any]) -> Callable[[BareChart], Any]:
    """Wrap a function from charts to states, so that over a word graph each structure stands on one path."""
    return lambda chart: on_paths(of(chart), graph_known(chart.grammar))


_STATES: Mapping[StructureKind, Callable[[BareChart], Builds]] = {
    DEPENDENCY_TREE: _on_paths(Building.of),
    DEPENDENCY_GRAPH: _on_paths(Building.of),
    CONSTITUENT_TREE: _on_paths(Brackets.of),
    LINKAGE: LinkBits.of,
    ALIGNMENT: partial(Atoms, made=_alignment),
    SEMANTIC_GRAPH: partial(Atoms, made=lambda chart, atoms: graph_of_atoms(atoms)),
    SET: Atoms,
}
"""The calculus of states, by kind of structures."""


def count_structures(forest: Forest, budget: int) -> Count:
    """Count the distinct structures of a forest's final items.

    Others are results that are not structures: for trees, cycles, words with several heads, or words left over; for
    linkages, words without a disjunct or with two.

    Parameters
    ----------
    budget : combinations of states that may be spent.
    """
    building = building_of(forest.chart)
    if building is None:
        return Count(0, 0, 0)
    found = _all_structures(forest, building, budget)
    if found is None:
        return lower_bound(forest, building, None if isinstance(building, LinkBits) else EFFORTS.combinations)
    return Count(len(found[0]), len(found[0]), found[1])


def list_structures(forest: Forest, limit: int | None, budget: int) -> list[Any]:
    """Return at most `limit` distinct structures: the first of all in order within the budget, else the first found.

    Linkages come cheapest first.
    """
    building = building_of(forest.chart)
    if building is None:
        return []
    if isinstance(building, LinkBits):
        return list_linkages(forest, limit, budget)
    found = _all_structures(forest, building, budget)
    if found is not None:
        return [building.value(structure) for structure in sorted(found[0])[:limit]]
    return list(
        itertools.islice(iterate_values(forest, None if limit is None else EFFORTS.combinations), limit)
    )


def iterate_values(forest: Forest, effort: int | None = None) -> Iterator[Any]:
    """Yield distinct structures as `iterate_structures` finds them."""
    building = building_of(forest.chart)
    return iter(()) if building is None else map(building.value, iterate_structures(forest, building, effort))


def derivation_structure(chart: BareChart, derivation: Derivation) -> Any | None:
    """Return the structure that one derivation builds, or None if its state is not a structure.

    Parameters
    ----------
    chart : the chart that the derivation is of.
    derivation : a derivation of a final item.
    """
    building = building_of(chart)
    state = None if building is None else built_state(building, derivation)
    if building is None or state is None:
        return None
    structure = building.structure(state)
    return None if structure is None else building.value(structure)


def _all_structures(forest: Forest, building: Builds, budget: int) -> tuple[set[Any], int] | None:
    """Return the keys of all structures and the number of states that are not structures; None beyond the budget.

    The result, or the budget that did not suffice, is kept for the next call.
    """
    if forest.known_structures is not None:
        spent, known = forest.known_structures
        if known is not None or spent >= budget:
            return known
    states = finished_states(forest, building, budget)
    known = None
    if states is not None:
        built = [building.structure(state) for state in states]
        known = {structure for structure in built if structure is not None}, built.count(None)
    forest.known_structures = budget, known
    return known
