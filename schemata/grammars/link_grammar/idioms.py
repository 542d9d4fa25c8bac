"""Idioms: the entry of ``kind_of`` becomes entries of its words, joined by connectors of their own.

The last word has the idiom's expression and a connector to the word before it; the others have nothing but
such connectors. Their names are those of link-parser, except that it writes ``_I`` for ``ID`` today. It
numbers idioms in the order in which it puts the words of an entry into its tree: the middle one first, then
those after it in the file, then those before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from schemata.grammars.link_grammar.expressions import Expression, Single, all_of
from schemata.structures.connectors import Connector

__all__ = ["IdiomNames", "middle_first"]

_T = TypeVar("_T")
_LETTERS = 4


class IdiomNames:
    """Hands out the connectors of idioms."""

    def __init__(self) -> None:
        self._count = 0

    def expressions(self, parts: Sequence[str], whole: Expression) -> list[tuple[str, Expression]]:
        """Return the words of an idiom with their expressions, last word first."""
        found: list[tuple[str, Expression]] = [(parts[-1], all_of((self._connector(right=False), whole)))]
        for part in reversed(parts[1:-1]):
            onward = self._connector(right=True)
            self._count += 1
            found.append((part, all_of((onward, self._connector(right=False)))))
        found.append((parts[0], self._connector(right=True)))
        self._count += 1
        return found

    def _connector(self, right: bool) -> Single:
        letters, rest = "", self._count
        for _ in range(_LETTERS):
            letters = chr(ord("A") + rest % 26) + letters
            rest //= 26
        return Single(Connector("ID" + letters.lstrip("A"), right))


def middle_first(items: Sequence[_T]) -> Iterator[_T]:
    """Return some items: the middle one, then those before it and those after it, in the same way.

    >>> list(middle_first("abcd"))
    ['b', 'a', 'c', 'd']
    """
    if items:
        middle = (len(items) - 1) // 2
        yield items[middle]
        yield from middle_first(items[:middle])
        yield from middle_first(items[middle + 1 :])
