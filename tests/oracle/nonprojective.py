"""The non-projective schemata over D-rules: Attardi 2006, MH_k and Covington 2001."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.oracle.naive import Derived, Grammar, Instance, Item, System

__all__ = ["attardi2006", "attardi_unbounded", "covington2001", "mh"]


def heads(*nodes: int) -> Item:
    return ("heads", (nodes,))


def state(*values: Any) -> Item:
    return ("state", values)


def word(i: int) -> Item:
    return ("word", (i,))


def words(n: int) -> Iterator[Item]:
    """Yield the standard hypotheses word(i), 0 <= i <= n + 1."""
    return (word(i) for i in range(n + 2))


# ----------------------------------------------------------------------------------- Attardi 2006 and MH_k


def attardi2006(d: int = 2) -> System[Grammar]:
    """Return Att_d: heads[<h1, ..., hm>], increasing positions 0..n+1, links over at most d places."""
    return _attardi("attardi2006", distance=d, most_heads=None)


def attardi_unbounded() -> System[Grammar]:
    """Return Att_inf: no bound on the distance of links in the list."""
    return _attardi("attardi-unbounded", distance=None, most_heads=None)


def mh(k: int = 3) -> System[Grammar]:
    """Return MH_k: Att_inf with 2..k heads per item."""
    return _attardi("mh", distance=None, most_heads=k)


def _attardi(name: str, distance: int | None, most_heads: int | None) -> System[Grammar]:
    def steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        # Initter: word(i), word(i+1) |- [i,i+1]
        for (i,) in derived.of("word"):
            if word(i + 1) in derived:
                yield Instance("Initter", (word(i), word(i + 1)), heads(i, i + 1))
        # Combine: [h1,...,hm], [hm,...,hp] |- [h1,...,hp]
        for (left,) in derived.of("heads"):
            for (right,) in derived.of("heads"):
                if left[-1] == right[0]:
                    yield Instance("Combine", (heads(*left), heads(*right)), heads(*left, *right[1:]))
        # Link: [h1,...,hm] |- the list without h_i, attach h_i to h_j,
        #   1 < i < m, 1 <= j <= m, j != i, |j-i| <= d
        for (nodes,) in derived.of("heads"):
            for i in range(1, len(nodes) - 1):
                for j in range(len(nodes)):
                    near = distance is None or abs(j - i) <= distance
                    if j != i and near and (nodes[i], nodes[j]) in licensed:
                        rest = heads(*nodes[:i], *nodes[i + 1 :])
                        yield Instance("Link", (heads(*nodes),), rest, ((nodes[i], nodes[j]),))

    def where(_n: int, item: Item) -> bool:
        return most_heads is None or 2 <= len(item[1][0]) <= most_heads

    # final [0,n+1]
    return System(name, words, steps, lambda n, _grammar, item: item == heads(0, n + 1), where)


# ------------------------------------------------------------------------------------------ Covington 2001


def covington2001() -> System[Grammar]:
    """Return Covington's non-projective parser: state[i, <h1, ..., hk>]; node 0 is not used."""
    return System(
        "covington2001",
        words,
        _covington_steps,
        # final [n, <h>]
        final=lambda n, _grammar, item: item[0] == "state" and item[1][0] == n and len(item[1][1]) == 1,
    )


def _covington_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    # Initter: word(1) |- [1, <1>]
    yield Instance("Initter", (word(1),), state(1, (1,)))
    for i, nodes in derived.of("state"):
        before = state(i, nodes)
        # Advance: [i, L], word(i+1) |- [i+1, L + <i+1>]; words end at n
        if i < n:
            yield Instance("Advance", (before, word(i + 1)), state(i + 1, (*nodes, i + 1)))
        # R-Link: [i, <*A,h,*B>] |- [i, <*A,*B>], attach h to i, h < i
        for at, h in enumerate(nodes):
            if h < i and (h, i) in licensed:
                yield Instance("R-Link", (before,), state(i, nodes[:at] + nodes[at + 1 :]), ((h, i),))
        # L-Link: [i, <*A,i>] |- [i, A], attach i to j, any word j < i
        if nodes and nodes[-1] == i:
            for j in range(1, i):
                if (i, j) in licensed:
                    yield Instance("L-Link", (before,), state(i, nodes[:-1]), ((i, j),))
