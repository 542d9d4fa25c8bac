"""Dependency trees: one head per word, 0 for the artificial root, no cycles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemata.errors import StructureError

__all__ = ["DependencyTree"]


@dataclass(frozen=True, slots=True, order=True)
class DependencyTree:
    """A dependency tree over words 1..n and the artificial root 0.

    `heads[d - 1]` is the head of word d; 0 marks a word that hangs under the artificial root. Several words
    may do so. Trees compare and sort by their heads.

    Raises
    ------
    StructureError : a head out of range, a word that is its own head, a cycle, or no word.

    >>> DependencyTree((2, 3, 0)).links
    ((1, 2), (2, 3), (3, 0))
    """

    heads: tuple[int, ...]

    def __post_init__(self) -> None:
        n = len(self.heads)
        if not n:
            raise StructureError("a dependency tree has at least one word")
        for d, h in enumerate(self.heads, start=1):
            if not 0 <= h <= n:
                raise StructureError(f"word {d} has head {h}, but heads are 0..{n}")
            if h == d:
                raise StructureError(f"word {d} is its own head")
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
        return tuple(d for d, h in enumerate(self.heads, start=1) if h == 0)

    def __len__(self) -> int:
        return len(self.heads)


def find_cycle(heads: Iterable[int]) -> tuple[int, ...] | None:
    """Return the words of a cycle among the heads, closed (first word repeated last), or None."""
    table = (0, *heads)
    clear = {0}
    for start in range(1, len(table)):
        path: list[int] = []
        on_path: set[int] = set()
        word = start
        while word not in clear and word not in on_path:
            path.append(word)
            on_path.add(word)
            word = table[word]
        if word in on_path:
            return (*path[path.index(word) :], word)
        clear |= on_path
    return None
