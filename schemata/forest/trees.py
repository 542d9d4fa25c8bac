"""Dependency trees and graphs as derivations build them: states are sets of links.

If the schema's steps name both ends of every link, a state is an integer whose bits are links, and, where links have
labels, links with their labels. If steps link the heads of antecedents, a state also has the head word, once it is
known, and the dependents that wait for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from schemata.charts import BareChart, head_place
from schemata.forest.forest import Edge, Forest
from schemata.forest.states import Bits, united
from schemata.kinds import DEPENDENCY_TREE
from schemata.language import model as m
from schemata.language.typeset import format_value
from schemata.records import Record
from schemata.structures.graphs import DependencyGraph, DependencyTree, find_cycle
from schemata.structures.projections import members

Tag: TypeAlias = tuple[int, int, int]
"""A head, a guess which one it will be (-1: none), and a number of links to 0."""

# Links; or links, the head (None while unknown) and the dependents waiting for it (bits of word positions).
TreeState: TypeAlias = "int | tuple[int, int | None, int]"
HeadFinder: TypeAlias = "Callable[[Edge, int], int | None]"
_NOT_A_LINK = 1  # bit 0 marks a link whose ends are not words


class Building(Record):
    """The states of trees or graphs: sets of links between words, as the steps of a chart's schema build them.

    `leaf` is the state of a hypothesis. `single_root` drops states with two links to node 0. `bits` are those of links,
    in the order in which they are met, so that states stay small; a link with a label has a bit without it, too. The
    links of each word to node 0 come first. `tagged` says that tags and features of words have bits as well.
    """

    chart: BareChart
    n: int
    trees: bool
    headed: bool
    labelled: bool
    tagged: bool
    single_root: bool
    heads: tuple[HeadFinder, ...]
    head_links: tuple[tuple[m.HeadLink, ...], ...]
    bits: Bits

    @classmethod
    def of(cls, chart: BareChart) -> Building:
        """Return the building of a chart."""
        cases = chart.schema.cases
        headed = any(case.head_links for case in cases)
        finders = tuple(_head_finder(chart, case) for case in cases) if headed else ()
        trees = chart.schema.structure == DEPENDENCY_TREE
        return cls(
            chart,
            chart.n,
            trees,
            headed,
            any(len(b.types) > 2 and b.name == "link" for case in cases for b in case.links),
            chart.schema.builds_tags,
            trees and bool(getattr(chart.grammar, "single_root", False)),
            finders,
            tuple(case.head_links for case in cases),
            Bits([(), *((d, 0) for d in range(1, chart.n + 1))]),
        )

    @property
    def plain(self) -> bool:
        """True if states are mere unions of links, none of which is ever dropped."""
        return not self.headed and not self.single_root

    @property
    def leaf(self) -> TreeState:
        """The state of a hypothesis: nothing built, no head."""
        return (0, None, 0) if self.headed else 0

    def links(self, edge: Edge) -> int:
        """Return an edge's own links as bits, and its tags and features."""
        bits = 0
        if self.tagged:
            declared = list(zip(self.chart.schema.cases[edge.case].links, edge.links, strict=True))
            for built, numbers in declared:
                bits |= self._bits_of(built, numbers)
            return bits
        for dependent, head, *_ in edge.links:
            bits |= self._bit(dependent, head)
        if self.labelled:
            for built, ends in zip(self.chart.schema.cases[edge.case].links, edge.links, strict=True):
                if len(ends) > 2:
                    bits |= self.bits[link_of(self.chart, built, ends)]
        return bits

    def _bits_of(self, built: m.AnyAtom, numbers: Sequence[int]) -> int:
        """Return the bits of an atom: of a link without and with its label, or of a statement about a word."""
        if built.name == "link":
            with_label = self.bits[link_of(self.chart, built, numbers)] if len(numbers) > 2 else 0
            return self._bit(numbers[0], numbers[1]) | with_label
        atom = of_word(self.chart, built, numbers)
        return self.bits[atom] if 1 <= atom[1] <= self.n else _NOT_A_LINK

    def _bit(self, dependent: int, head: int) -> int:
        if 1 <= dependent <= self.n and 0 <= head <= self.n:
            return self.bits[dependent, head]
        return _NOT_A_LINK

    def combine(self, edge: Edge, consequent: int, own: int, states: Sequence[TreeState]) -> TreeState | None:
        """Return the state of a consequent from those of the edge's tails; None if it is dropped."""
        if not self.headed:
            union = united(edge, consequent, own, states)  # type: ignore[arg-type]
            return None if self.single_root and self._root_links(union) > 1 else union
        return self._combine_headed(edge, consequent, own, states)

    def _combine_headed(
        self, edge: Edge, consequent: int, own: int, states: Sequence[TreeState]
    ) -> TreeState | None:
        links, waiting = own, 0
        head = self.heads[edge.case](edge, consequent)
        by_slot = dict(zip(edge.slots, states, strict=True))
        dependents = {link.dependent for link in self.head_links[edge.case]}
        for slot, state in by_slot.items():
            assert isinstance(state, tuple)
            links |= state[0]
            waiting |= state[2]
            if head is None and slot not in dependents:
                head = state[1]
        for link in self.head_links[edge.case]:
            child, parent = by_slot[link.dependent], by_slot[link.head]
            assert isinstance(child, tuple)
            assert isinstance(parent, tuple)
            if child[1] is None:
                return None
            if link.head != link.dependent and parent[1] is not None:
                links |= self._bit(child[1], parent[1])
            else:  # 0 stands for a node that no word is: whatever its head will be, it is not a link
                waiting |= 1 << (child[1] if 1 <= child[1] <= self.n else 0)
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
        """Yield an edge's tags (head, guess, number of links to 0), each with its new links to heads.

        An edge that links a head which is no word has none: no structure has it.
        """
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
            if new & _NOT_A_LINK:
                continue
            roots = self._root_links(new | self.links(edge)) + sum(root for _, _, root in tags)
            if not self.single_root or roots < 2:
                tag = (-1 if head is None else head, guess, roots if self.single_root else 0)
                yield tag, tuple((d, h) for d, h in self._links(new))

    def _root_links(self, links: int) -> int:
        return (links >> 1 & (1 << self.n) - 1).bit_count()

    def _links(self, bits: int) -> list[tuple[Any, ...]]:
        return [self.bits.found[k] for k in members(bits & ~_NOT_A_LINK)]

    def built(self, state: TreeState) -> tuple[tuple[Any, ...], ...]:
        """Return the links between words of a state in order, with labels where they have some."""
        atoms = self._links(state[0] if isinstance(state, tuple) else state)
        links = {x for x in atoms if isinstance(x[0], int)} if self.tagged else set(atoms)
        return tuple(sorted(links.difference(link[:2] for link in links if len(link) > 2)))

    def values_of_words(self, state: TreeState) -> tuple[tuple[int, str, str], ...]:
        """Return the tags and features of a state in order: the word, "tag" or "feature", and the value."""
        atoms = self._links(state[0] if isinstance(state, tuple) else state) if self.tagged else ()
        return tuple(sorted((atom[1], atom[0], str(atom[2])) for atom in atoms if isinstance(atom[0], str)))

    def of_words(self, state: TreeState) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return the tags and the features of words, "" for words without; None if they contradict each other.

        No word has two tags, nor two values of a feature.
        """
        tags, features = [""] * self.n, [dict[str, str]() for _ in range(self.n)]
        atoms = self._links(state[0] if isinstance(state, tuple) else state)
        for name, word, text in (atom for atom in atoms if isinstance(atom[0], str)):
            if name == "tag":
                if tags[word - 1]:
                    return None
                tags[word - 1] = text
                continue
            for one in text.split("|"):
                if one != "_" and features[word - 1].setdefault(one.partition("=")[0], one) != one:
                    return None
        return tuple(tags), tuple("|".join(sorted(x.values(), key=str.lower)) for x in features)

    def names_words(self, state: TreeState) -> bool:
        """Whether all links of a state are between words, or to node 0."""
        return not (state[0] if isinstance(state, tuple) else state) & _NOT_A_LINK

    def structure(self, state: TreeState) -> tuple[Any, ...] | None:
        """Return the heads of a finished tree, with labels, tags and features if there are any, or a graph's links.

        None if a link ends at no word, or if it should be a tree and is not. A word without a head is
        the root of a tree where no word hangs under 0.
        """
        links = state[0] if isinstance(state, tuple) else state
        if links & _NOT_A_LINK or (isinstance(state, tuple) and state[2]):
            return None
        if not self.trees:
            return self.built(state)
        heads = [-1] * self.n
        for dependent, head in (link for link in self._links(links) if len(link) == 2):
            if heads[dependent - 1] >= 0:
                return None
            heads[dependent - 1] = head
        if -1 in heads:
            if heads.count(-1) > 1 or 0 in heads:
                return None
            heads[heads.index(-1)] = 0
        tree = tuple(heads)
        if find_cycle(tree):
            return None
        if not self.labelled and not self.tagged:
            return tree
        labels = [""] * self.n
        for dependent, *_, label in (link for link in self.built(state) if len(link) > 2):
            if labels[dependent - 1]:
                return None
            labels[dependent - 1] = label
        if not self.tagged:
            return tree, tuple(labels)
        said = self.of_words(state)
        return said and (tree, tuple(labels) if self.labelled else None, *said)

    def value(self, structure: tuple[Any, ...]) -> DependencyTree | DependencyGraph:
        """Return the tree or the graph."""
        if not self.trees:
            return DependencyGraph(self.n, structure)
        if not self.tagged:
            return DependencyTree(*structure) if self.labelled else DependencyTree(structure)
        heads, labels, *of_words = structure
        return DependencyTree(heads, labels, *(x if any(x) else None for x in of_words))


def link_of(chart: BareChart, built: m.AnyAtom, numbers: Sequence[int]) -> tuple[Any, ...]:
    """Return a link as structures have it: dependent, head, and the label as text if it has one; or as a linkage does.

    Parameters
    ----------
    built : the atoms that a case of a step builds.
    numbers : that of a step instance, as in the back-pointers.
    """
    if built.name == "join":
        return chart.link_of(tuple(numbers))
    dependent, head, *label = chart.arguments(built, numbers)
    return dependent, head, *_texts(label, built.types[2:])


def of_word(chart: BareChart, built: m.AnyAtom, numbers: Sequence[int]) -> tuple[str, int, str]:
    """Return a tag or a feature as trees have it: "tag" or "feature", the word, a text such as Case=Nom."""
    word, *rest = chart.arguments(built, numbers)
    assert isinstance(word, int)
    return built.name, word, "=".join(_texts(rest, built.types[1:]))


def of_words(chart: BareChart, case: int, links: Sequence[Sequence[int]]) -> list[tuple[str, int, str]]:
    """Return the tags and features that a step instance states."""
    declared = zip(chart.schema.cases[case].links, links, strict=True)
    return [
        of_word(chart, built, numbers) for built, numbers in declared if built.name in DEPENDENCY_TREE.beside
    ]


def _texts(values: Iterable[m.Value], types: Iterable[m.Type]) -> list[str]:
    """Return labels, tags and features as texts."""
    return [x if isinstance(x, str) else format_value(x, kind) for x, kind in zip(values, types, strict=True)]


class HeadedEdge(NamedTuple):
    """A hyperedge of `headed_edges`: which one of the forest it is, the node derived, the tails, the links to heads."""

    origin: int
    node: int
    tails: tuple[int, ...]
    links: tuple[tuple[int, int], ...]


def headed_edges(forest: Forest, building: Building) -> tuple[list[tuple[int, Tag]], list[HeadedEdge]]:
    """Return a forest whose hyperedges have the links that they build, also those between heads of antecedents.

    A node is an item together with the head word of its structure or, while words wait for a head, a guess which one it
    will be; if only one root is allowed, also with the number of links to 0. Nodes of wrong guesses remain, but no
    final item needs them.

    Returns ------- The nodes, each as an item with its head or guess, hypotheses first under their numbers; and the
    hyperedges.
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
    """Return a function from a hyperedge of a case and its consequent to the head word, None if unnamed."""
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
