"""What the derivations of a forest build, whatever its kind: counted exactly within a budget, listed lazily beyond it.

Distinct structures are distinct finished states: several derivations of one state are spurious ambiguity. Listing
draws structures one at a time, on demand, so that a forest with 10^12 derivations yields its first ten at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schemata.forest.constituents import Brackets, constituent_forms
from schemata.forest.derivations import Derivation, built_state
from schemata.forest.linkages import LinkBits, list_linkages
from schemata.forest.states import (
    EFFORT,
    Bits,
    Builds,
    Count,
    finished_states,
    iterate_structures,
    lower_bound,
    united,
)
from schemata.forest.trees import Building
from schemata.structures.constituents import Alignment, AtomSet
from schemata.structures.projections import members

if TYPE_CHECKING:
    from schemata.charts.chart import BareChart
    from schemata.forest.forest import Edge, Forest
    from schemata.language import model as m


def builds_nothing(schema: m.Schema) -> bool:
    """Return whether no step builds anything, and no item says where a constituent is."""
    in_items = schema.grammar == "context-free" and schema.structure == "constituent tree"
    return not (schema.atom_names or (in_items and constituent_forms(schema)))


def building_of(chart: BareChart) -> Builds | None:
    """Return the states of what a chart's schema builds; None where steps build nothing."""
    schema = chart.schema
    if builds_nothing(schema):
        return None
    match schema.structure:
        case "constituent tree" if schema.atom_names or schema.grammar == "context-free":
            return Brackets.of(chart)
        case "linkage" if schema.atom_names:
            return LinkBits.of(chart)
        case "alignment" | "set" if schema.atom_names:
            return Atoms(chart)
    return Building.of(chart) if schema.builds_links else None


def count_structures(forest: Forest, budget: int) -> Count:
    """Count the distinct structures of a forest's final items.

    Others are what is no structure: for trees, cycles, words with several heads, or words left over; for linkages,
    words without a disjunct or with two.

    Parameters
    ----------
    budget : combinations of states that may be spent.
    """
    building = building_of(forest.chart)
    if building is None:
        return Count(0, 0, 0)
    found = _all_structures(forest, building, budget)
    if found is None:
        return lower_bound(forest, building, None if isinstance(building, LinkBits) else EFFORT)
    return Count(len(found[0]), len(found[0]), found[1])


def list_structures(forest: Forest, limit: int | None, budget: int) -> list[Any]:
    """Return at most `limit` distinct structures: the first in order where all are known, else the first found.

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
    return list(itertools.islice(iterate_values(forest, None if limit is None else EFFORT), limit))


def iterate_values(forest: Forest, effort: int | None = None) -> Iterator[Any]:
    """Yield distinct structures as `iterate_structures` finds them."""
    building = building_of(forest.chart)
    return iter(()) if building is None else map(building.value, iterate_structures(forest, building, effort))


def derivation_structure(chart: BareChart, derivation: Derivation) -> Any | None:
    """Return the structure that one derivation builds, or None where what it builds is none.

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
    """Return all structures and the number of what else is built, or None beyond the budget.

    What was found, or the budget that did not suffice, is kept for the next call.
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


# Sets of atoms -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Atoms:
    """The states of sets of atoms."""

    chart: BareChart
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

    def structure(self, state: int) -> tuple[tuple[int, Any], ...]:
        """Return the atoms of a state in order, as what sorts."""
        return tuple(sorted(_sortable(self.bits.found[k]) for k in members(state)))

    def value(self, structure: tuple[tuple[int, Any], ...]) -> Alignment | AtomSet:
        """Return the alignment or the set."""
        atoms = tuple(map(_value, structure))
        if self.chart.schema.structure == "alignment":
            words, lengths = self.chart.sentence.words, self.chart.schema.lengths
            ends = lengths[0] if lengths else len(words)
            return Alignment(tuple((i, j) for _, i, j in atoms), words[:ends], words[ends:])
        return AtomSet(atoms)


def _sortable(value: Any) -> tuple[int, Any]:
    """Return what sorts values of any types: numbers, then texts, then tuples by their parts."""
    if isinstance(value, tuple):
        return 2, tuple(map(_sortable, value))
    return int(isinstance(value, str)), value


def _value(sortable: tuple[int, Any]) -> Any:
    kind, value = sortable
    return tuple(map(_value, value)) if kind == 2 else value
