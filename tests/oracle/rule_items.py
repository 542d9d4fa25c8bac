"""What the schemata over rules share: items of dotted rules, hypotheses, final items, ranges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tests.oracle.naive import Instance, Item, System
from tests.oracle.rules import Dotted, RuleGrammar

__all__ = [
    "RuleSystem",
    "Steps",
    "Symbols",
    "edge",
    "final_complete",
    "final_root",
    "is_complete",
    "within_words",
    "within_words_or_empty",
    "word",
    "words",
]

Symbols: TypeAlias = tuple[str, ...]
Steps: TypeAlias = Iterator[Instance]
RuleSystem: TypeAlias = System[RuleGrammar]


def edge(category: str | None, parts: tuple[Symbols, ...], *places: int) -> Item:
    """Return an item of a dotted rule and positions."""
    return ("edge", (Dotted(category, parts), *places))


def word(h: int) -> Item:
    """Return the hypothesis word(h)."""
    return ("word", (h,))


def words(n: int) -> Iterator[Item]:
    """Yield the standard hypotheses word(i), 0 <= i <= n + 1."""
    return (word(i) for i in range(n + 2))


def final_root(n: int, grammar: RuleGrammar, item: Item) -> bool:
    # final [(S .), 1, n]
    return item in {edge(None, ((s,), ()), 1, n) for s in grammar.starts}


def final_complete(n: int, grammar: RuleGrammar, item: Item) -> bool:
    # final [S(gamma .), 1, n] or [S(o delta o), 1, n] if *(S)
    if item[0] != "edge":
        return False
    dotted, i, j = item[1][:3]
    return dotted.category in grammar.starts and is_complete(dotted) and (i, j) == (1, n)


def is_complete(dotted: Dotted) -> bool:
    return not dotted.parts[-1] and (len(dotted.parts) == 2 or not dotted.parts[0])


def within_words_or_empty(n: int, item: Item) -> bool:
    return bool(1 <= item[1][1] <= item[1][2] + 1 <= n + 1)


def within_words(n: int, item: Item) -> bool:
    return bool(1 <= item[1][1] <= item[1][2] <= n)
