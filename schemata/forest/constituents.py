"""Constituent trees as derivations build them: states are rows of trees, which share what is below them.

A bracket is a constituent over what the antecedents of its step have built, or over what one of them has; so trees keep
the order of unary chains, and empty constituents. Where no step of a schema over context-free grammars says what it
builds, items of a category and two positions are constituents, and those with a rule all of whose symbols are found. A
word is a constituent of its category, unless it is all that a rule of another one has. Positions are words, or places
between words where those of a final item begin at 0.

A bracket of the category "" is a place, which a constituent over the same words takes: as in tree-adjoining grammars
the foot, which the tree takes that stood where something is adjoined.

A constituent that stands above one of its own category over the same words makes no tree: else unary cycles would make
endlessly many. Nor does a bracket over what is no stretch of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from schemata.charts.chart import BareChart
from schemata.forest.forest import Edge
from schemata.language import model as m
from schemata.language.typeset import format_value
from schemata.structures.constituents import Constituent, ConstituentTree, in_order

State: TypeAlias = tuple[int, ...]  # constituents by number
Bracket: TypeAlias = (
    "tuple[int | None, str, tuple[tuple[int, int], ...]]"  # what it is over, category, stretches
)
_WRONG = (-1,)  # what makes no tree, whatever else is built


@dataclass(slots=True)
class Brackets:
    """The states of constituent trees.

    Attributes
    ----------
    places : by the name of a form, the fields that make a constituent, where steps do not say what they build.
    found : the constituents met so far.
    numbers : their numbers.
    again : for each, the categories in it that cover the same words, its own among them.
    below : for each, what is right below it.
    places_left : for each, the stretches of the places in it that nothing has taken: brackets of the category "".
    """

    chart: BareChart
    places: dict[str, tuple[int, int, int, int]]
    found: list[Constituent] = field(default_factory=list)
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    again: list[frozenset[str]] = field(default_factory=list)
    below: list[State] = field(default_factory=list)
    places_left: list[frozenset[tuple[tuple[int, int], ...]]] = field(default_factory=list)

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
                built.append((atom.over, text, _stretches(places)))
        return sorted(built, key=lambda bracket: bracket[0] is None)

    def combine(self, edge: Edge, consequent: int, own: Sequence[Bracket], states: Sequence[State]) -> State:
        """Return the constituents of a consequent from those of the edge's tails."""
        parts = dict(zip(edge.slots, states, strict=True))
        if self.places:
            return self._of_item(consequent, self._row(states))
        for over, category, spans in own:
            below = parts[over] if over is not None else self._row(parts.values())
            tree = self._constituent(category, spans, below)
            parts = {**parts, over: tree} if over is not None else {0: tree}
        return self._row(parts.values())

    def _row(self, states: Any) -> State:
        """Return rows of constituents as one, from left to right; empty ones at one place as they come."""
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

    def _constituent(self, category: str, spans: tuple[tuple[int, int], ...], below: State) -> State:
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

    def _of_item(self, number: int, below: State) -> State:
        """Return what an item is a constituent of: with its own category, or with a rule all of which is found."""
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
        if isinstance(found, str):
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
            parts = in_order(tuple(self.found[k] for k in below), _words(low, high, self.found, below))
            words = [(x, y) for x, y in zip(symbols, parts, strict=False) if isinstance(y, int)]
            tagged = [self._constituent(x, ((y, y),), ()) for x, y in words if not m.is_terminal(x)]
            below = self._row([below, *tagged])
        return below if category == m.ROOT else self._constituent(category, span, below)

    def structure(self, state: State) -> tuple[Constituent, ...] | None:
        """Return the trees of a state; None where it makes none, or a place is left."""
        wrong = state == _WRONG or any(self.places_left[k] for k in state)
        return None if wrong else tuple(self.found[k] for k in state)

    def value(self, structure: tuple[Constituent, ...]) -> ConstituentTree:
        """Return the trees with the words of the sentence."""
        return ConstituentTree(structure, self.chart.sentence.words)


def _stretches(places: Sequence[Any]) -> tuple[tuple[int, int], ...]:
    """Return the stretches of words that an atom names: by their ends, or as a list of spans between places.

    >>> _stretches([1, 2, 4, 4]), _stretches([((2, 4), (0, 1), (4, 5))])
    (((1, 2), (4, 4)), ((1, 1), (3, 5)))
    """
    if len(places) != 1:
        return tuple(zip(places[::2], places[1::2], strict=True))
    found: list[tuple[int, int]] = []
    for low, high in sorted(places[0]):
        touching = found and found[-1][1] == low
        found.append((found.pop()[0] if touching else low + 1, high))
    return tuple(found)


def _words(low: int, high: int, found: Sequence[Constituent], below: State) -> tuple[int, ...]:
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
