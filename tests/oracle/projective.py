"""The projective schemata over D-rules, each step with the printed rule above the code that is the rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.oracle.naive import Derived, Grammar, Instance, Item, System

__all__ = [
    "collins1996",
    "covington_lsup",
    "eisner1996",
    "eisner_satta1999",
    "generalised_eisner_satta",
    "nivre2003",
    "yamada_matsumoto2003",
]


def tree(*values: Any) -> Item:
    return ("tree", values)


def span(*values: Any) -> Item:
    return ("span", values)


def state(*values: Any) -> Item:
    return ("state", values)


def word(i: int) -> Item:
    return ("word", (i,))


def words(n: int) -> Iterator[Item]:
    """Yield the standard hypotheses word(i), 0 <= i <= n + 1."""
    return (word(i) for i in range(n + 2))


# -------------------------------------------------------------------------------------------- Collins 1996


def collins1996() -> System[Grammar]:
    """Return Collins 1996: tree[i, j, h], 1 <= i <= h <= j <= n."""
    return System(
        "collins1996",
        hypotheses=lambda n: (tree(i, i, i) for i in range(1, n + 1)),
        steps=_collins_links,
        final=lambda n, _grammar, item: item[1][:2] == (1, n),
        where=lambda n, item: 1 <= item[1][0] <= item[1][2] <= item[1][1] <= n,
    )


def _collins_links(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for i, j, h1 in derived.of("tree"):
        for _, k, h2 in derived.with_field("tree", 0, j + 1):
            premises = (tree(i, j, h1), tree(j + 1, k, h2))
            # R-Link: [i,j,h1], [j+1,k,h2] |- [i,k,h2], attach h1 to h2
            if (h1, h2) in licensed:
                yield Instance("R-Link", premises, tree(i, k, h2), ((h1, h2),))
            # L-Link: [i,j,h1], [j+1,k,h2] |- [i,k,h1], attach h2 to h1
            if (h2, h1) in licensed:
                yield Instance("L-Link", premises, tree(i, k, h1), ((h2, h1),))


# --------------------------------------------------------------------------------------------- Eisner 1996


def eisner1996(end: int = 0) -> System[Grammar]:
    """Return Eisner 1996: span[i, j, b, c], 0 <= i <= j <= n + end, flags not both true."""

    def where(n: int, item: Item) -> bool:
        i, j, b, c = item[1]
        return 0 <= i <= j <= n + end and not (b and c)

    def final(n: int, _grammar: Grammar, item: Item) -> bool:
        return item == (span(0, n + 1, False, False) if end else span(0, n, False, True))

    return System("eisner1996", words, _eisner_steps, final, where)


def _eisner_steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for (i,) in derived.of("word"):
        # Initter: word(i), word(i+1) |- [i,i+1,F,F]
        if word(i + 1) in derived:
            yield Instance("Initter", (word(i), word(i + 1)), span(i, i + 1, False, False))
    for i, j, b, c in derived.of("span"):
        if not b and not c:
            # R-Link: [i,j,F,F] |- [i,j,T,F], attach i to j
            if (i, j) in licensed:
                yield Instance("R-Link", (span(i, j, b, c),), span(i, j, True, False), ((i, j),))
            # L-Link: [i,j,F,F] |- [i,j,F,T], attach j to i
            if (j, i) in licensed:
                yield Instance("L-Link", (span(i, j, b, c),), span(i, j, False, True), ((j, i),))
        # CombineSpans: [i,j,b,c], [j,k,not c,d] |- [i,k,b,d]
        for _, k, not_c, d in derived.with_field("span", 0, j):
            if not_c == (not c):
                yield Instance("CombineSpans", (span(i, j, b, c), span(j, k, not_c, d)), span(i, k, b, d))


# ------------------------------------------------------- Eisner & Satta 1999 and its generalisation


def eisner_satta1999() -> System[Grammar]:
    """Return Eisner & Satta 1999: tree[i, j, h] with h = i or h = j, 0 <= i <= j <= n."""

    def where(n: int, item: Item) -> bool:
        i, j, h = item[1]
        return 0 <= i <= j <= n and h in (i, j)

    return System("eisner-satta1999", _trees_from_zero, _eisner_satta_steps, _final_at_zero, where)


def _trees_from_zero(n: int) -> Iterator[Item]:
    return (tree(i, i, i) for i in range(n + 1))


def _final_at_zero(n: int, _grammar: Grammar, item: Item) -> bool:
    return item == tree(0, n, 0)


def _eisner_satta_steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for i, j, h in derived.of("tree"):
        for _, k, g in derived.with_field("tree", 0, j + 1):
            if h == i and g == k:
                premises = (tree(i, j, i), tree(j + 1, k, k))
                # R-Link: [i,j,i], [j+1,k,k] |- [i,k,k], attach i to k
                if (i, k) in licensed:
                    yield Instance("R-Link", premises, tree(i, k, k), ((i, k),))
                # L-Link: [i,j,i], [j+1,k,k] |- [i,k,i], attach k to i
                if (k, i) in licensed:
                    yield Instance("L-Link", premises, tree(i, k, i), ((k, i),))
        for _, k, g in derived.with_field("tree", 0, j):
            # R-Combiner: [i,j,i], [j,k,j] |- [i,k,i]
            if h == i and g == j:
                yield Instance("R-Combiner", (tree(i, j, i), tree(j, k, j)), tree(i, k, i))
            # L-Combiner: [i,j,j], [j,k,k] |- [i,k,k]
            if h == j and g == k:
                yield Instance("L-Combiner", (tree(i, j, j), tree(j, k, k)), tree(i, k, k))


def generalised_eisner_satta() -> System[Grammar]:
    """Return Eisner & Satta with the head anywhere: tree[i, j, h], 0 <= i <= h <= j <= n."""

    def where(n: int, item: Item) -> bool:
        i, j, h = item[1]
        return bool(0 <= i <= h <= j <= n)

    return System(
        "generalised-eisner-satta", _trees_from_zero, _generalised_eisner_satta_steps, _final_at_zero, where
    )


def _generalised_eisner_satta_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    yield from _collins_links(n, licensed, derived)
    for i, j, h in derived.of("tree"):
        for _, k, g in derived.with_field("tree", 0, j):
            # R-Combiner: [i,j,h], [j,k,j] |- [i,k,h]
            if g == j:
                yield Instance("R-Combiner", (tree(i, j, h), tree(j, k, j)), tree(i, k, h))
            # L-Combiner: [i,j,j], [j,k,h] |- [i,k,h]
            if h == j:
                yield Instance("L-Combiner", (tree(i, j, j), tree(j, k, g)), tree(i, k, g))


# -------------------------------------------------------------------------------- Yamada & Matsumoto 2003


def yamada_matsumoto2003() -> System[Grammar]:
    """Return Yamada & Matsumoto 2003: span[i, j], 0 <= i < j <= n + 1."""
    return System(
        "yamada-matsumoto2003",
        words,
        _yamada_matsumoto_steps,
        final=lambda n, _grammar, item: item == span(0, n + 1),
        where=lambda n, item: 0 <= item[1][0] < item[1][1] <= n + 1,
    )


def _yamada_matsumoto_steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for (i,) in derived.of("word"):
        # Initter: word(i), word(i+1) |- [i,i+1]
        if word(i + 1) in derived:
            yield Instance("Initter", (word(i), word(i + 1)), span(i, i + 1))
    for i, j in derived.of("span"):
        for _, k in derived.with_field("span", 0, j):
            premises = (span(i, j), span(j, k))
            # R-Link: [i,j], [j,k] |- [i,k], attach j to k
            if (j, k) in licensed:
                yield Instance("R-Link", premises, span(i, k), ((j, k),))
            # L-Link: [i,j], [j,k] |- [i,k], attach j to i
            if (j, i) in licensed:
                yield Instance("L-Link", premises, span(i, k), ((j, i),))


# ------------------------------------------------------------------------- Nivre 2003 and Covington's LSUP


def nivre2003() -> System[Grammar]:
    """Return Nivre 2003: state[i, <(i1, b1), ..., (ik, bk)>], flags "has a head"."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        for name, i, before, after, links in _nivre_moves(n, licensed, derived, fresh=None):
            premises = (state(*before),) if name == "R-Link" else (state(*before), word(i + 1))
            yield Instance(name, premises, state(*after), links)
        # Initter: word(0) |- [0, <>]
        yield Instance("Initter", (word(0),), state(0, ()))

    return System("nivre2003", words, steps, _nivre_final)


def covington_lsup() -> System[Grammar]:
    """Return Covington's LSUP: Nivre 2003 with a flag "no left dependents yet" in the item."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        for name, i, before, after, links in _nivre_moves(n, licensed, derived, fresh=True):
            premises = (state(*before),) if name == "R-Link" else (state(*before), word(i + 1))
            yield Instance(name, premises, state(*after), links)
        # Initter: word(0) |- [0, <>, T]
        yield Instance("Initter", (word(0),), state(0, (), True))

    return System("covington-lsup", words, steps, _nivre_final)


Move = tuple[str, int, tuple[Any, ...], tuple[Any, ...], tuple[tuple[int, int], ...]]


def _nivre_moves(n: int, licensed: Grammar, derived: Derived, fresh: bool | None) -> Iterator[Move]:
    """Yield (step, i, values before, values after, links); the items carry `fresh` unless it is None."""
    for before in derived.of("state"):
        i, nodes = before[:2]
        is_fresh = fresh is None or before[2]
        set_flag = () if fresh is None else (True,)
        clear_flag = () if fresh is None else (False,)
        if i <= n:
            # Advance: [i, L], word(i+1) |- [i+1, L + <(i,F)>]; the flag becomes T
            yield "Advance", i, before, (i + 1, (*nodes, (i, False)), *set_flag), ()
        for at, (node, has_head) in enumerate(nodes):
            if not all(flag for _, flag in nodes[at + 1 :]):
                continue  # some (v, F) stands between the node and the end of the list
            left = nodes[:at]
            # L-Link: [i, <*A,(l,b),(v1,T),...,(vr,T)>], word(i+1) |- [i+1, <*A,(l,b),(i,T)>], attach i to l
            # with the flag: requires T unless l = 0; the flag becomes T
            if i <= n and (i, node) in licensed and (is_fresh or node == 0):
                after = (i + 1, (*left, (node, has_head), (i, True)), *set_flag)
                yield "L-Link", i, before, after, ((i, node),)
            # R-Link: [i, <*A,(h,F),(v1,T),...,(vr,T)>] |- [i, A], attach h to i; the flag becomes F
            if not has_head and (node, i) in licensed:
                yield "R-Link", i, before, (i, left, *clear_flag), ((node, i),)


def _nivre_final(n: int, _grammar: Grammar, item: Item) -> bool:
    # final [n+1, <(0,F),(v1,T),...,(vr,T)>], with any flag for LSUP
    if item[0] != "state" or item[1][0] != n + 1:
        return False
    nodes = item[1][1]
    return bool(nodes) and nodes[0] == (0, False) and all(flag for _, flag in nodes[1:])
