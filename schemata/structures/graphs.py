"""Dependency graphs: any set of links among the words of a sentence, tree or not.

Parsers that are unsound, incomplete or still at work build graphs that are no trees. The three properties
that make a tree of a graph are asked for one by one here: single-headed, acyclic, connected. Each question
has a partner that returns the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from schemata.errors import StructureError
from schemata.structures.trees import DependencyTree, trusted_tree

T = TypeVar("T", bound=Hashable)
Link = tuple[int, int]
"""A (dependent, head) pair; head 0 is the artificial root."""


@dataclass(frozen=True, slots=True, order=True)
class DependencyGraph:
    """A set of (dependent, head) links over the words 1..size and the artificial root 0.

    `links` may be given as any iterable; it is kept sorted and without repetitions.

    Raises
    ------
    StructureError : a dependent outside 1..size or a head outside 0..size, or size < 1.

    >>> DependencyGraph(3, {(3, 2), (1, 2), (1, 3)}).links
    ((1, 2), (1, 3), (3, 2))
    """

    size: int
    links: tuple[Link, ...]

    def __init__(self, size: int, links: Iterable[Link]) -> None:
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "links", tuple(sorted(set(links))))
        if size < 1:
            raise StructureError("a dependency graph has at least one word")
        for d, h in self.links:
            if not (1 <= d <= size and 0 <= h <= size):
                raise StructureError(f"link ({d}, {h}): dependents are 1..{size} and heads are 0..{size}")

    def to_tree(self) -> DependencyTree:
        """Return the graph as a tree; words without a head hang under the artificial root.

        Raises
        ------
        StructureError : a word with several heads, or a cycle.

        >>> DependencyGraph(3, {(1, 2), (3, 2)}).to_tree().heads
        (2, 0, 2)
        """
        for evidence in (check_single_headedness(self), check_acyclicity(self)):
            if not evidence.holds:
                raise StructureError(str(evidence))
        heads = dict(self.links)
        return trusted_tree(tuple(heads.get(d, 0) for d in range(1, self.size + 1)))

    def __len__(self) -> int:
        return self.size


Structure = DependencyTree | DependencyGraph
"""The structures that questions about links can be asked of."""


@dataclass(frozen=True, slots=True)
class SingleHeadedness:
    """Whether no word has two heads; if one has, the first such word and its heads."""

    holds: bool
    word: int | None = None
    heads: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.holds:
            return "no word has two heads"
        return f"word {self.word} has the heads {', '.join(map(str, self.heads))}"


@dataclass(frozen=True, slots=True)
class Acyclicity:
    """Whether no word is above itself; if one is, a cycle of words (each under the next, first = last)."""

    holds: bool
    cycle: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return f"cycle {' -> '.join(map(str, self.cycle))}" if self.cycle else "no cycle"


@dataclass(frozen=True, slots=True)
class Connectedness:
    """Whether the words hang together; `components` are the sets of words that do, by first word."""

    holds: bool
    components: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        count = len(self.components)
        return "connected" if self.holds else f"{count} components: {', '.join(map(str, self.components))}"


def is_single_headed(structure: Structure) -> bool:
    """Tell whether no word has more than one head.

    References
    ----------
    GN10, section 2.1, the conditions on dependency forests.

    >>> is_single_headed(DependencyGraph(3, {(1, 2), (1, 3)}))
    False
    """
    return len({d for d, _ in structure.links}) == len(structure.links)


def check_single_headedness(structure: Structure) -> SingleHeadedness:
    """Return whether no word has more than one head, or the first word that has."""
    heads: dict[int, list[int]] = {}
    for d, h in structure.links:
        heads.setdefault(d, []).append(h)
    for d, above in heads.items():
        if len(above) > 1:
            return SingleHeadedness(False, d, tuple(above))
    return SingleHeadedness(True)


def is_acyclic(structure: Structure) -> bool:
    """Tell whether no word is reached from itself by going from dependents to heads.

    References
    ----------
    GN10, section 2.1, the conditions on dependency forests.

    >>> is_acyclic(DependencyGraph(2, {(1, 2), (2, 1)}))
    False
    """
    return check_acyclicity(structure).holds


def check_acyclicity(structure: Structure) -> Acyclicity:
    """Return whether there is no directed cycle, or a cycle.

    >>> check_acyclicity(DependencyGraph(3, {(1, 2), (2, 3), (3, 1)})).cycle
    (1, 2, 3, 1)
    """
    above: dict[int, list[int]] = {word: [] for word in range(1, len(structure) + 1)}
    for d, h in structure.links:
        above[d].append(h)
    try:
        TopologicalSorter(above).prepare()
    except CycleError as found:
        cycle = found.args[1][:0:-1]  # each word under the next
        first = cycle.index(min(cycle))
        return Acyclicity(False, (*cycle[first:], *cycle[: first + 1]))
    return Acyclicity(True)


def is_connected(structure: Structure, *, artificial_root: bool = False) -> bool:
    """Tell whether the words hang together by their links, whatever the links' direction.

    Parameters
    ----------
    structure : a tree or a graph.
    artificial_root : count the links to the artificial root too. Without them a tree is connected if and
        only if it has a single root.

    References
    ----------
    GN10, section 2.1.

    >>> is_connected(DependencyTree((0, 0))), is_connected(DependencyTree((0, 0)), artificial_root=True)
    (False, True)
    """
    return check_connectedness(structure, artificial_root=artificial_root).holds


def check_connectedness(structure: Structure, *, artificial_root: bool = False) -> Connectedness:
    """Return the sets of words that hang together, and whether there is only one (see `is_connected`)."""
    links = [link for link in structure.links if link[1] or artificial_root]
    groups = components(len(structure) + 1, links)
    words = [tuple(word for word in group if word) for group in groups]
    found = tuple(sorted(group for group in words if group))
    return Connectedness(len(found) == 1, found)


def reachable(starts: Iterable[T], successors: Callable[[T], Iterable[T]]) -> set[T]:
    """Return the nodes of any graph that are reached from some of them, these included."""
    reached: set[T] = set()
    pending = list(starts)
    while pending:
        node = pending.pop()
        if node not in reached:
            reached.add(node)
            pending.extend(successors(node))
    return reached


def components(size: int, pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Return which of the numbers 0..size-1 hang together by pairs of them, each set in order, by first number.

    >>> components(4, [(0, 2), (2, 1)])
    ((0, 1, 2), (3,))
    """
    leader = list(range(size))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = number = leader[leader[number]]
        return number

    for one, other in pairs:
        leader[find(one)] = find(other)
    groups: dict[int, list[int]] = {}
    for number in range(size):
        groups.setdefault(find(number), []).append(number)
    return tuple(map(tuple, groups.values()))


def is_tree(structure: Structure) -> bool:
    """Tell whether the links make a single-rooted tree of the words.

    A word without a head and a word under the artificial root are roots alike.

    References
    ----------
    GCW11, Definition 2.

    >>> is_tree(DependencyGraph(2, {(1, 2)})), is_tree(DependencyGraph(2, {}))
    (True, False)
    """
    return is_single_headed(structure) and is_acyclic(structure) and is_connected(structure)
