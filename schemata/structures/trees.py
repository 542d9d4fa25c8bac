"""Dependency trees: one head per word, 0 for the artificial root, no cycles.

A tree is its heads. Every other structure of this package that can be read as a tree is turned into this
one, so that trees compare, sort and hash the same wherever they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemata.errors import StructureError
from schemata.notebook_hooks import ShownAsSvg
from schemata.quick_dataclasses import Record, field


class DependencyTree(Record, ShownAsSvg, order=True):
    """A dependency tree over words 1..n and the artificial root 0.

    `heads[d - 1]` is the head of word d; 0 marks a word that hangs under the artificial root. Several words
    may do so. `labels`, if given, has the label of each word's link, "" where it has none. Trees compare and sort by
    their heads, then labels.

    Raises
    ------
    StructureError : a head out of range, a word that is its own head, a cycle, or no word.

    >>> DependencyTree((2, 3, 0)).links
    ((1, 2), (2, 3), (3, 0))
    """

    heads: tuple[int, ...]
    labels: tuple[str, ...] | None = field(default=None)

    def __repr__(self) -> str:
        labels = "" if self.labels is None else f", labels={self.labels}"
        return f"DependencyTree(heads={self.heads}{labels})"

    def __post_init__(self) -> None:
        n = len(self.heads)
        if not n:
            raise StructureError("a dependency tree has at least one word")
        for d, h in enumerate(self.heads, start=1):
            if not 0 <= h <= n:
                raise StructureError(f"word {d} has head {h}, but heads are 0..{n}")
            if h == d:
                raise StructureError(f"word {d} is its own head")
        if self.labels is not None and len(self.labels) != n:
            raise StructureError(f"{len(self.labels)} labels for {n} words")
        cycle = find_cycle(self.heads)
        if cycle:
            raise StructureError(f"heads {self.heads} have a cycle: {' -> '.join(map(str, cycle))}")

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """The links as (dependent, head) pairs, one per word, in word order."""
        return tuple(enumerate(self.heads, start=1))

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
    """Return the tree of heads that are known to be a tree, without checking them again.

    Enumerations and samplers build millions of trees that are trees by construction.
    """
    tree = object.__new__(DependencyTree)
    object.__setattr__(tree, "heads", heads)
    object.__setattr__(tree, "labels", None)
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
