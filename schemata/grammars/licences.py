"""Licences: the links that a D-rule grammar allows in one sentence.

A link is a pair (dependent, head) of positions. Dependents are words 1..n; heads are words or 0, the
artificial root. D-rules are those of GCW11, section 2.2, where a rule is written ``(w_d, d) -> (w_h, h)``.

A schema may ask for the same by categories: which category a word is of, and whether words of one category
are licensed under words of another. Unless words that share a category are known to be interchangeable, each
word is a category of its own, so that both ways of asking always give the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import Any, cast

from schemata.grammars.relations import Relation, fields_alone, provided
from schemata.quick_dataclasses import Record, field


class Licences(Record, slots=False):
    """The licensed links of one sentence of n words.

    Parameters
    ----------
    n : the number of words.
    pairs : the licensed links as (dependent, head), dependent in 1..n, head in 0..n.
    single_root : whether trees are listed and counted only if one word alone hangs under 0. Licences do
        not depend on it.
    shared : the category of each word 1..n, where the licences do not tell words of one category apart (each
        other aside: no word is licensed under itself); by default each word has its own.
    weights : the weights of links in log space, where the grammar has any.
    """

    n: int
    pairs: frozenset[tuple[int, int]]
    single_root: bool = False
    shared: tuple[str, ...] | None = None
    weights: Mapping[tuple[int, int], float] = field(default_factory=dict, hash=False)

    __getstate__ = fields_alone

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """Licences by position and by category, and the categories of words (see `relations`)."""
        ways: dict[str, dict[str, Callable[..., Any]]] = {
            "licensed": {
                "bb": lambda dependent, head: ((),) if (dependent, head) in self.pairs else (),
                "bf": lambda dependent: ((h,) for h in range(self.n + 1) if (dependent, h) in self.pairs),
                "fb": lambda head: ((d,) for d in range(1, self.n + 1) if (d, head) in self.pairs),
                "ff": lambda: sorted(self.pairs),
            },
            "licensed_categories": {"ff": lambda: sorted(self.category_pairs)},
            "category": {"ff": lambda: enumerate(self._names, start=1)},
        }
        return provided(ways, {"licensed": self._table})

    def _table(self) -> bytes:
        """Return whether word d may hang under node h, at d * (n + 1) + h."""
        if self.is_complete:
            return _table_of_all(self.n)
        table = bytearray((self.n + 1) ** 2)
        for dependent, head in self.pairs:
            table[dependent * (self.n + 1) + head] = 1
        return bytes(table)

    @property
    def _names(self) -> tuple[str, ...]:
        return self.shared or tuple(f"w{i}" for i in range(1, self.n + 1))

    @cached_property
    def categories(self) -> Mapping[int, tuple[str, ...]]:
        """The categories of each word 1..n, one each: ``w3`` for word 3 where it shares none."""
        return {i: (name,) for i, name in enumerate(self._names, start=1)}

    @cached_property
    def category_pairs(self) -> frozenset[tuple[str, str]]:
        """The categories (dependent, head) of which some word is licensed under some other."""
        names = self._names
        return frozenset((names[d - 1], names[h - 1]) for d, h in self.pairs if h)

    @property
    def is_complete(self) -> bool:
        """True if every link between different nodes is licensed, so that no licence need be tested."""
        return len(self.pairs) == self.n * self.n


@lru_cache(maxsize=8)
def _table_of_all(n: int) -> bytes:
    row = b"".join(bytes(dependent != head for head in range(n + 1)) for dependent in range(1, n + 1))
    return bytes(n + 1) + row


_SHORT = 64  # words; the licences of all shorter sentences of a corpus are kept
_LISTED = 1_000  # words; a million pairs take a fifth of a second and 100 MB to write down


class _AllPairs(AbstractSet[tuple[int, int]]):
    """Every link between different nodes of a long sentence, without writing them down."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __contains__(self, link: object) -> bool:
        match link:
            case (int() as dependent, int() as head):
                return 1 <= dependent <= self.n and 0 <= head <= self.n and dependent != head
        return False

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((d, h) for d in range(1, self.n + 1) for h in range(self.n + 1) if d != h)

    def __len__(self) -> int:
        return self.n * self.n


def all_licences(n: int, single_root: bool = False) -> Licences:
    """Return the licences of n words that allow every word under every other word and under 0.

    Values are shared between sentences of one length: writing the pairs down costs more than a short parse.
    """
    return (_all_of_many if n > _SHORT else _all_of_few)(n, single_root)


def _all(n: int, single_root: bool) -> Licences:
    pairs = cast("frozenset[tuple[int, int]]", _AllPairs(n))
    return Licences(n, pairs if n > _LISTED else frozenset(pairs), single_root)


_all_of_few = lru_cache(maxsize=128)(_all)
_all_of_many = lru_cache(maxsize=4)(_all)
