"""The tabulated transition systems: arc-standard, arc-eager and hybrid, over fenceposts 0..m, m = n + 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.oracle.naive import Derived, Grammar, Instance, Item, System

__all__ = ["arc_eager", "arc_eager_published", "arc_standard", "arc_standard_hook", "hybrid"]


def tree(*values: Any) -> Item:
    return ("tree", values)


def span(*values: Any) -> Item:
    return ("span", values)


def hookr(*values: Any) -> Item:
    return ("hookr", values)


def hookl(*values: Any) -> Item:
    return ("hookl", values)


# -------------------------------------------------------------------------------------------- arc-standard


def _tokens(n: int) -> Iterator[Item]:
    # axioms [i,i,i+1], 0 <= i < m
    return (tree(i, i, i + 1) for i in range(n + 1))


def _goal_at_zero(n: int, _grammar: Grammar, item: Item) -> bool:
    # goal [0,0,m]
    return item == tree(0, 0, n + 1)


def arc_standard() -> System[Grammar]:
    """Return arc-standard: tree[i, h, j], 0 <= i <= h < j <= m."""
    return System("arc-standard", _tokens, _arc_standard_steps, _goal_at_zero)


def _arc_standard_steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for i, h1, k in derived.of("tree"):
        for _, h2, j in derived.with_field("tree", 0, k):
            premises = (tree(i, h1, k), tree(k, h2, j))
            # la: [i,h1,k], [k,h2,j] |- [i,h2,j], attach h1 to h2
            if (h1, h2) in licensed:
                yield Instance("la", premises, tree(i, h2, j), ((h1, h2),))
            # ra: [i,h1,k], [k,h2,j] |- [i,h1,j], attach h2 to h1
            if (h2, h1) in licensed:
                yield Instance("ra", premises, tree(i, h1, j), ((h2, h1),))


def arc_standard_hook() -> System[Grammar]:
    """Return arc-standard with hooks: tree[i, h, j], hookr[h1, k, j], hookl[i, k, h2]."""
    return System("arc-standard-hook", _tokens, _arc_standard_hook_steps, _goal_at_zero)


def _arc_standard_hook_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    m = n + 1
    for k, h2, j in derived.of("tree"):
        # RaHook: [k,h2,j] |- hookr[h1,k,j], attach h2 to h1, 0 <= h1 < k
        for h1 in range(k):
            if (h2, h1) in licensed:
                yield Instance("RaHook", (tree(k, h2, j),), hookr(h1, k, j), ((h2, h1),))
    for i, h1, k in derived.of("tree"):
        # LaHook: [i,h1,k] |- hookl[i,k,h2], attach h1 to h2, k <= h2 < m
        for h2 in range(k, m):
            if (h1, h2) in licensed:
                yield Instance("LaHook", (tree(i, h1, k),), hookl(i, k, h2), ((h1, h2),))
    for i, h1, k in derived.of("tree"):
        # Ra: [i,h1,k], hookr[h1,k,j] |- [i,h1,j]
        for _, k2, j in derived.with_field("hookr", 0, h1):
            if k2 == k:
                yield Instance("Ra", (tree(i, h1, k), hookr(h1, k, j)), tree(i, h1, j))
    for i, k, h2 in derived.of("hookl"):
        # La: hookl[i,k,h2], [k,h2,j] |- [i,h2,j]
        for _, h, j in derived.with_field("tree", 0, k):
            if h == h2:
                yield Instance("La", (hookl(i, k, h2), tree(k, h2, j)), tree(i, h2, j))


# ----------------------------------------------------------------------------------------------- arc-eager


def arc_eager() -> System[Grammar]:
    """Return arc-eager with the licence of right arcs tested at re as well: span[i, b, j]."""
    return _arc_eager("arc-eager", test_at_re=True)


def arc_eager_published() -> System[Grammar]:
    """Return arc-eager as published: the licence of right arcs is tested at ra only."""
    return _arc_eager("arc-eager-published", test_at_re=False)


def _arc_eager(name: str, *, test_at_re: bool) -> System[Grammar]:
    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        m = n + 1
        for i, b, j in derived.of("span"):
            if j < m:
                # sh: ctx [i^b,j] |- [j^0,j+1] (j < m)
                yield Instance("sh", (span(i, b, j),), span(j, False, j + 1), context=(0,))
                # ra: ctx [i^b,j] |- [j^1,j+1] if i may head j (j < m)
                if (j, i) in licensed:
                    yield Instance("ra", (span(i, b, j),), span(j, True, j + 1), context=(0,))
        for i, b, k in derived.of("span"):
            for _, c, j in derived.with_field("span", 0, k):
                premises = (span(i, b, k), span(k, c, j))
                # la: [i^b,k], [k^0,j] |- [i^b,j], attach k to j (j < m)
                if not c and j < m and (k, j) in licensed:
                    yield Instance("la", premises, span(i, b, j), ((k, j),))
                # re: [i^b,k], [k^1,j] |- [i^b,j], attach k to i; as published, only builds the link
                if c and (not test_at_re or (k, i) in licensed):
                    yield Instance("re", premises, span(i, b, j), ((k, i),))

    return System(
        name,
        hypotheses=lambda _n: [span(0, False, 1)],
        steps=steps,
        final=lambda n, _grammar, item: item == span(0, False, n + 1),
    )


# -------------------------------------------------------------------------------------------------- hybrid


def hybrid() -> System[Grammar]:
    """Return the hybrid system: span[i, j], 0 <= i < j <= m."""
    return System(
        "hybrid",
        hypotheses=lambda _n: [span(0, 1)],
        steps=_hybrid_steps,
        final=lambda n, _grammar, item: item == span(0, n + 1),
    )


def _hybrid_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    m = n + 1
    for i, j in derived.of("span"):
        # sh: ctx [i,j] |- [j,j+1] (j < m)
        if j < m:
            yield Instance("sh", (span(i, j),), span(j, j + 1), context=(0,))
    for i, k in derived.of("span"):
        for _, j in derived.with_field("span", 0, k):
            premises = (span(i, k), span(k, j))
            # la: [i,k], [k,j] |- [i,j], attach k to j (j < m)
            if j < m and (k, j) in licensed:
                yield Instance("la", premises, span(i, j), ((k, j),))
            # ra: [i,k], [k,j] |- [i,j], attach k to i
            if (k, i) in licensed:
                yield Instance("ra", premises, span(i, j), ((k, i),))
