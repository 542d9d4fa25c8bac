"""Linkages by brute force: every set of links between the words, every way they can use the connectors.

A sentence is a list of choices for each word, a disjunct being a word, its left and its right connectors,
nearest first, as dictionary text. Nothing of the package is used, and only a few words are meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TypeAlias

__all__ = ["Disjunct", "Link", "linkages"]

Disjunct: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...]]
Link: TypeAlias = tuple[int, int, int, int]  # left and right word, and the number of the connector of each


def linkages(choices: Sequence[Sequence[Disjunct]]) -> set[tuple[tuple[Disjunct, ...], frozenset[Link]]]:
    """Return the disjuncts and the links of every linkage."""
    n = len(choices)
    graphs = [graph for graph in _graphs(n) if _connected(n, graph)]
    found = set()
    for graph in graphs:
        before = [sorted((i for i, j in graph if j == w), reverse=True) for w in range(n)]
        after = [sorted(j for i, j in graph if i == w) for w in range(n)]
        for chosen in product(*choices):
            sides = [_ways(len(before[w]), chosen[w][1]) for w in range(n)]
            sides += [_ways(len(after[w]), chosen[w][2]) for w in range(n)]
            for ways in product(*sides):
                links = frozenset(
                    (i, j, ways[n + i][after[i].index(j)], ways[j][before[j].index(i)]) for i, j in graph
                )
                if all(_match(chosen[i][2][a], chosen[j][1][b]) for i, j, a, b in links):
                    found.add((chosen, links))
    return found


def _graphs(n: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all sets of links of which no two cross."""
    pairs = list(combinations(range(n), 2))
    for size in range(n - 1, len(pairs) + 1):
        for graph in combinations(pairs, size):
            if not any(a < c < b < d for a, b in graph for c, d in graph):
                yield graph


def _connected(n: int, graph: Sequence[tuple[int, int]]) -> bool:
    reached = {0}
    while True:
        more = {w for link in graph for w in link if reached & set(link)} - reached
        if not more:
            return len(reached) == n
        reached |= more


def _ways(count: int, connectors: Sequence[str]) -> list[tuple[int, ...]]:
    """Return every way in which that many links can use all the connectors, one by one."""
    return [
        uses
        for uses in product(range(len(connectors)), repeat=count)
        if list(uses) == sorted(uses)
        and set(uses) == set(range(len(connectors)))
        and all(uses.count(k) == 1 or connectors[k].startswith("@") for k in set(uses))
    ]


def _match(one: str, other: str) -> bool:
    one, other = one.lstrip("@")[:-1], other.lstrip("@")[:-1]
    if one[0] == other[0] and one[0] in "hd":
        return False
    one, other = one.lstrip("hd"), other.lstrip("hd")
    capitals = [sum(map(str.isupper, text)) for text in (one, other)]
    if one[: capitals[0]] != other[: capitals[1]]:
        return False
    return all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=False))
