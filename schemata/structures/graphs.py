"""Dependency graphs: any set of links among the words of a sentence, tree or not; and the evidence for an answer.

Parsers that are unsound, incomplete or still at work build graphs that are no trees. What can keep a graph from being
one is asked for here: a word with two heads, a cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeVar

from schemata.errors import StructureError
from schemata.notebook_hooks import ShownAsSvg
from schemata.quick_dataclasses import Record, field
from schemata.structures.trees import DependencyTree

T = TypeVar("T", bound=Hashable)
V = TypeVar("V")
Link = tuple[int, int]
"""A (dependent, head) pair; head 0 is the artificial root."""


class Evidence(Record):
    """An answer with its reason.

    Parameters
    ----------
    holds : whether the answer is yes.
    text : the reason, in a line for people to read.
    shows : what proves it, by name: words, links, sets of words.

    >>> found = Evidence(False, "word 3 has the heads 1, 2", {"word": 3, "heads": (1, 2)})
    >>> print(found, found["heads"])
    word 3 has the heads 1, 2 (1, 2)
    """

    holds: bool
    text: str
    shows: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """Return one of the things that prove the answer."""
        return self.shows[name]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, order=True)
class DependencyGraph(ShownAsSvg):
    """A set of (dependent, head) links over the words 1..size and the artificial root 0.

    `links` may be given as any iterable, of (dependent, head, label) as well; it is kept sorted and without
    repetitions. `labelled` has the links that were given with a label.

    Raises
    ------
    StructureError : a dependent outside 1..size or a head outside 0..size, or size < 1.

    >>> DependencyGraph(3, {(3, 2), (1, 2), (1, 3)}).links
    ((1, 2), (1, 3), (3, 2))
    """

    size: int
    links: tuple[Link, ...]
    labelled: tuple[tuple[int, int, str], ...]

    def __init__(self, size: int, links: Iterable[Link | tuple[int, int, str]]) -> None:
        given = tuple(links)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "links", tuple(sorted({(link[0], link[1]) for link in given})))
        object.__setattr__(self, "labelled", tuple(sorted({link for link in given if len(link) > 2})))
        if size < 1:
            raise StructureError("a dependency graph has at least one word")
        for d, h in self.links:
            if not (1 <= d <= size and 0 <= h <= size):
                raise StructureError(f"link ({d}, {h}): dependents are 1..{size} and heads are 0..{size}")

    def to_json(self) -> list[list[int | str]]:
        """Return the links as lists, each as often as it has labels."""
        named = {link[:2] for link in self.labelled}
        return [list(link) for link in sorted((*self.labelled, *(x for x in self.links if x not in named)))]

    def __len__(self) -> int:
        return self.size


Structure = DependencyTree | DependencyGraph
"""The structures that questions about links can be asked of."""


def check_single_headedness(structure: Structure) -> Evidence:
    """Return whether no word has more than one head, or the first word that has (GN10, section 2.1)."""
    for d, above in grouped(structure.links).items():
        if len(above) > 1:
            text = f"word {d} has the heads {', '.join(map(str, above))}"
            return Evidence(False, text, {"word": d, "heads": tuple(above)})
    return Evidence(True, "no word has two heads")


def check_acyclicity(structure: Structure) -> Evidence:
    """Return whether no word is above itself, or a cycle of words, each under the next (GN10, section 2.1).

    >>> check_acyclicity(DependencyGraph(3, {(1, 2), (2, 3), (3, 1)}))["cycle"]
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
        closed = (*cycle[first:], *cycle[: first + 1])
        return Evidence(False, f"cycle {' -> '.join(map(str, closed))}", {"cycle": closed})
    return Evidence(True, "no cycle")


def derivable(given: Iterable[T], rules: Collection[tuple[Collection[T], T]]) -> set[T]:
    """Return what follows from what is given by rules, each with all that it needs, and what it gives.

    >>> sorted(derivable("a", [("b", "c"), ("a", "b"), ("ad", "e")]))
    ['a', 'b', 'c']
    """
    found = set(given)
    while more := {result for needed, result in rules if found.issuperset(needed)} - found:
        found |= more
    return found


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
    return tuple(map(tuple, grouped((find(number), number) for number in range(size)).values()))


def grouped(pairs: Iterable[tuple[T, V]]) -> dict[T, list[V]]:
    """Return values by key, both in the order in which they come.

    >>> grouped([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    groups: dict[T, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
