"""D-rule grammars: sets of licensed links, a link being a pair (dependent, head)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

__all__ = ["Grammar", "Link", "all_grammars", "all_links", "heads_grammar", "random_grammar"]

Link: TypeAlias = tuple[int, int]  # (dependent, head)
Grammar: TypeAlias = frozenset[Link]  # the licensed links


def all_links(n: int) -> Grammar:
    """Return the grammar that licenses every word under every other word and under 0."""
    return frozenset((d, h) for d in range(1, n + 1) for h in range(n + 1) if h != d)


def all_grammars(n: int) -> Iterator[Grammar]:
    """Yield every subset of `all_links(n)`, smallest first: 2 ** (n * n) grammars."""
    links = sorted(all_links(n))
    for size in range(len(links) + 1):
        yield from (frozenset(chosen) for chosen in combinations(links, size))


def random_grammar(rng: random.Random, n: int, density: float) -> Grammar:
    """Return a grammar that licenses each link with probability `density`."""
    return frozenset(link for link in sorted(all_links(n)) if rng.random() < density)


def heads_grammar(heads: Sequence[int]) -> Grammar:
    """Return the grammar that licenses exactly the links of a head vector."""
    return frozenset(enumerate(heads, start=1))
