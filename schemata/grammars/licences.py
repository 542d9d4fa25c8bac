"""Licences: which links a D-rule grammar allows in one sentence, which is all a schema asks of it.

A link is a pair (dependent, head) of positions. Dependents are words 1..n; heads are words or 0, the
artificial root. D-rules are those of GCW11, section 2.2, where a rule is written ``(w_d, d) -> (w_h, h)``.

A schema may ask for the same by categories: which category a word is of, and whether words of one category
are licensed under words of another. Unless words that share a category are known to be interchangeable, each
word is a category of its own, so that both ways of asking always give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, repeat
from types import MappingProxyType
from typing import cast

__all__ = ["Licences", "all_licences"]

Positions = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Licences:
    """The licensed links of one sentence of n words.

    Parameters
    ----------
    n : the number of words.
    pairs : the licensed links as (dependent, head), dependent in 1..n, head in 0..n.
    single_root : whether trees are listed and counted only if one word alone hangs under 0. Licences do
        not depend on it.
    shared : the category of each word 1..n, where the licences do not tell words of one category apart (each
        other aside: no word is licensed under itself); by default each word has its own.
    """

    n: int
    pairs: frozenset[tuple[int, int]]
    single_root: bool = False
    _heads_of: Positions | None = field(default=None, repr=False, compare=False)
    _dependents_of: Positions | None = field(default=None, repr=False, compare=False)
    shared: tuple[str, ...] | None = None
    _by_category: _ByCategory | None = field(default=None, repr=False, compare=False)

    @property
    def heads_of(self) -> Positions:
        """The heads each word 1..n may have, in increasing order."""
        if self._heads_of is None:
            object.__setattr__(self, "_heads_of", _grouped(range(1, self.n + 1), self.pairs))
        assert self._heads_of is not None
        return self._heads_of

    @property
    def dependents_of(self) -> Positions:
        """The dependents each node 0..n may have, in increasing order."""
        if self._dependents_of is None:
            turned = ((h, d) for d, h in self.pairs)
            object.__setattr__(self, "_dependents_of", _grouped(range(self.n + 1), turned))
        assert self._dependents_of is not None
        return self._dependents_of

    @property
    def categories(self) -> Mapping[int, tuple[str, ...]]:
        """The categories of each word 1..n, one each: ``w3`` for word 3 where it shares none."""
        return self._category_view.categories

    @property
    def category_pairs(self) -> frozenset[tuple[str, str]]:
        """The categories (dependent, head) of which some word is licensed under some other."""
        return self._category_view.pairs

    @property
    def categories_above(self) -> Mapping[str, tuple[str, ...]]:
        """The categories of the words that words of a category may hang under, in order."""
        return self._category_view.above

    @property
    def categories_below(self) -> Mapping[str, tuple[str, ...]]:
        """The categories of the words that may hang under words of a category, in order."""
        return self._category_view.below

    @property
    def _category_view(self) -> _ByCategory:
        if self._by_category is None:
            names = self.shared or tuple(f"w{i}" for i in range(1, self.n + 1))
            object.__setattr__(self, "_by_category", _ByCategory.of(names, self.pairs))
        assert self._by_category is not None
        return self._by_category

    @property
    def is_complete(self) -> bool:
        """Whether every link between different nodes is licensed, so that no licence need be tested."""
        return len(self.pairs) == self.n * self.n


@dataclass(frozen=True, slots=True)
class _ByCategory:
    """The licences between words, seen by category."""

    categories: Mapping[int, tuple[str, ...]]
    pairs: frozenset[tuple[str, str]]
    above: Mapping[str, tuple[str, ...]]
    below: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, names: tuple[str, ...], links: Iterable[tuple[int, int]]) -> _ByCategory:
        """Return the view in which word i is of category `names[i - 1]`."""
        pairs = frozenset((names[d - 1], names[h - 1]) for d, h in links if h)
        above: dict[str, list[str]] = {}
        below: dict[str, list[str]] = {}
        for dependent, head in sorted(pairs):
            above.setdefault(dependent, []).append(head)
            below.setdefault(head, []).append(dependent)
        return cls(
            MappingProxyType({i: (name,) for i, name in enumerate(names, start=1)}),
            pairs,
            MappingProxyType({name: tuple(found) for name, found in above.items()}),
            MappingProxyType({name: tuple(found) for name, found in below.items()}),
        )


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


class _Others(Mapping[int, tuple[int, ...]]):
    """Of each node from `first` on, all other nodes from `other` on, without writing them down."""

    def __init__(self, n: int, first: int, other: int) -> None:
        self.n, self.first, self.other = n, first, other

    def __getitem__(self, node: int) -> tuple[int, ...]:
        if not self.first <= node <= self.n:
            raise KeyError(node)
        return tuple(x for x in range(self.other, self.n + 1) if x != node)

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.n + 1))

    def __len__(self) -> int:
        return self.n + 1 - self.first


def all_licences(n: int, single_root: bool = False) -> Licences:
    """Return the licences of n words that allow every word under every other word and under 0.

    Values are shared between sentences of one length: writing the pairs down costs more than a short parse.
    """
    return _all_of_many(n, single_root) if n > _SHORT else _all_of_few(n, single_root)


@lru_cache(maxsize=128)
def _all_of_few(n: int, single_root: bool) -> Licences:
    return _all_listed(n, single_root)


@lru_cache(maxsize=4)
def _all_of_many(n: int, single_root: bool) -> Licences:
    if n > _LISTED:
        return Licences(
            n,
            cast("frozenset[tuple[int, int]]", _AllPairs(n)),
            single_root,
            _Others(n, 1, 0),
            _Others(n, 0, 1),
        )
    return _all_listed(n, single_root)


def _all_listed(n: int, single_root: bool) -> Licences:
    heads_of = {d: (*range(d), *range(d + 1, n + 1)) for d in range(1, n + 1)}
    pairs = frozenset(chain.from_iterable(zip(repeat(d), heads) for d, heads in heads_of.items()))
    dependents_of = {h: (*range(1, h), *range(h + 1, n + 1)) for h in range(n + 1)}
    return Licences(n, pairs, single_root, MappingProxyType(heads_of), MappingProxyType(dependents_of))


def _grouped(keys: Iterable[int], pairs: Iterable[tuple[int, int]]) -> Positions:
    found: dict[int, list[int]] = {key: [] for key in keys}
    for key, value in pairs:
        found[key].append(value)
    return MappingProxyType({key: tuple(sorted(values)) for key, values in found.items()})
