"""Licences: which links a D-rule grammar allows in one sentence, which is all a schema asks of it.

A link is a pair (dependent, head) of positions. Dependents are words 1..n; heads are words or 0, the
artificial root. D-rules are those of GCW11, section 2.2, where a rule is written ``(w_d, d) -> (w_h, h)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, repeat
from types import MappingProxyType

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
    """

    n: int
    pairs: frozenset[tuple[int, int]]
    single_root: bool = False
    _heads_of: Positions | None = field(default=None, repr=False, compare=False)
    _dependents_of: Positions | None = field(default=None, repr=False, compare=False)

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
    def is_complete(self) -> bool:
        """Whether every link between different nodes is licensed, so that no licence need be tested."""
        return len(self.pairs) == self.n * self.n


@lru_cache(maxsize=4)
def all_licences(n: int, single_root: bool = False) -> Licences:
    """Return the licences of n words that allow every word under every other word and under 0.

    Values are shared between sentences of one length: building 100,000 pairs costs more than a short parse.
    """
    heads_of = {d: (*range(d), *range(d + 1, n + 1)) for d in range(1, n + 1)}
    pairs = frozenset(chain.from_iterable(zip(repeat(d), heads) for d, heads in heads_of.items()))
    dependents_of = {h: (*range(1, h), *range(h + 1, n + 1)) for h in range(n + 1)}
    return Licences(n, pairs, single_root, MappingProxyType(heads_of), MappingProxyType(dependents_of))


def _grouped(keys: Iterable[int], pairs: Iterable[tuple[int, int]]) -> Positions:
    found: dict[int, list[int]] = {key: [] for key in keys}
    for key, value in pairs:
        found[key].append(value)
    return MappingProxyType({key: tuple(sorted(values)) for key, values in found.items()})
