"""Dependency trees and dependency graphs, and the evidence for an answer about one of them.

A tree is its heads: one for each word, 0 for the artificial root, no cycles. Every other structure of this package that
can be read as a tree is turned into this one, so that trees compare, sort and hash the same wherever they come from.

A graph is any set of links among the words of a sentence, tree or not. Parsers that are unsound, incomplete or still at
work build graphs that are not trees. Here are the checks of the faults that a graph may have: a word with two heads, a
cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from schemata.errors import StructureError
from schemata.grouping import grouped
from schemata.records import Record, ShownAsSvg, field


class DependencyTree(Record, ShownAsSvg, order=True):
    """A dependency tree over words 1..n and the artificial root 0.

    `heads[d - 1]` is the head of word d; 0 marks a word that hangs under the artificial root. Several words
    may do so. `labels`, if given, has the label of each word's link, "" where it has none. In trees that a schema tags,
    `tags` has the part of speech of each word and `features` its features as CoNLL-U writes them
    (``Case=Nom|Number=Sing``), "" where it has none. Trees compare and sort by heads, labels, tags and features.

    Raises
    ------
    StructureError : a head out of range, a word that is its own head, a cycle, or no word; labels, tags or features
        that are not one per word.

    >>> DependencyTree((2, 3, 0)).links
    ((1, 2), (2, 3), (3, 0))
    """

    heads: tuple[int, ...]
    labels: tuple[str, ...] | None = field(default=None)
    tags: tuple[str, ...] | None = field(default=None)
    features: tuple[str, ...] | None = field(default=None)

    def __repr__(self) -> str:
        more = (f", {name}={values}" for name, values in self._of_words if values is not None)
        return f"DependencyTree(heads={self.heads}{''.join(more)})"

    @property
    def _of_words(self) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
        return ("labels", self.labels), ("tags", self.tags), ("features", self.features)

    def __post_init__(self) -> None:
        if isinstance(self.heads, str):
            raise StructureError(f"the heads {self.heads!r} are a text, not numbers: (2, 3, 0), say")
        n = len(self.heads)
        if not n:
            raise StructureError("a dependency tree has at least one word")
        for d, h in enumerate(self.heads, start=1):
            if not 0 <= h <= n:
                raise StructureError(f"word {d} has head {h}, but heads are 0..{n}")
            if h == d:
                raise StructureError(
                    f"word {d} is its own head", hint="heads are numbers of words, 0 for the root: 2,3,0"
                )
        for name, values in self._of_words:
            if values is not None and len(values) != n:
                raise StructureError(f"{len(values)} {name} for {n} words")
        cycle = find_cycle(self.heads)
        if cycle:
            raise StructureError(f"heads {self.heads} have a cycle: {' -> '.join(map(str, cycle))}")

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """The links as (dependent, head) pairs, one per word, in word order."""
        return tuple(enumerate(self.heads, start=1))

    @property
    def of_words(self) -> tuple[tuple[str, int, str], ...]:
        """The tags, then the features: ("tag", word, text) or ("feature", word, text).

        >>> DependencyTree((2, 0), None, ("DET", "NOUN"), ("", "Case=Nom|Number=Sing")).of_words[1:]
        (('tag', 2, 'NOUN'), ('feature', 2, 'Case=Nom'), ('feature', 2, 'Number=Sing'))
        """
        tags = (("tag", d, tag) for d, tag in enumerate(self.tags or (), start=1) if tag)
        some = ((d, text.split("|")) for d, text in enumerate(self.features or (), start=1) if text)
        return (*tags, *(("feature", d, one) for d, listed in some for one in listed))

    @property
    def roots(self) -> tuple[int, ...]:
        """The words whose head is the artificial root."""
        return self.dependents(0)

    def dependents(self, head: int) -> tuple[int, ...]:
        """Return the words that hang directly under `head` (0 for the artificial root), in word order.

        >>> DependencyTree((2, 0, 2)).dependents(2)
        (1, 3)
        """
        return tuple(d for d, h in enumerate(self.heads, start=1) if h == head)

    def mirrored(self) -> DependencyTree:
        """Return the tree of the sentence read from right to left.

        >>> DependencyTree((0, 1, 2)).mirrored().heads
        (2, 3, 0)
        """
        last = len(self.heads) + 1
        return trusted_tree(tuple(last - h if h else 0 for h in reversed(self.heads)))

    def __len__(self) -> int:
        return len(self.heads)


def trusted_tree(heads: tuple[int, ...]) -> DependencyTree:
    """Return the tree of heads that are guaranteed to be a tree, without checking them again.

    Enumerations and samplers build millions of trees that are trees by construction.
    """
    tree = object.__new__(DependencyTree)
    object.__setattr__(tree, "heads", heads)
    for name in ("labels", "tags", "features"):
        object.__setattr__(tree, name, None)
    return tree


def find_cycle(heads: Iterable[int]) -> tuple[int, ...] | None:
    """Return the words of a cycle among the heads, closed (first word repeated last), or None.

    >>> find_cycle((2, 3, 1))
    (1, 2, 3, 1)
    """
    table = (0, *heads)
    # The number of the walk that reached a word first; a walk that meets its own number has gone round.
    reached = [0] * len(table)
    for start in range(1, len(table)):
        word = start
        while word and not reached[word]:
            reached[word] = start
            word = table[word]
        if word and reached[word] == start:
            return _round(table, word)
    return None


def _round(table: Sequence[int], word: int) -> tuple[int, ...]:
    path = [word]
    while (head := table[path[-1]]) != word:
        path.append(head)
    return (*path, word)


Link = tuple[int, int]
"""A (dependent, head) pair; head 0 is the artificial root."""


class Evidence(Record):
    """An answer with its reason.

    Parameters
    ----------
    holds : whether the answer is yes.
    text : the reason, in a line for people to read.
    shows : the evidence, by name: words, links, sets of words.

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
        """Return the links as lists, one for each label of a link."""
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
