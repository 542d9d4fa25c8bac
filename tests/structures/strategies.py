"""Random trees and graphs for property tests, built without the package's own samplers."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from schemata.structures import DependencyGraph, DependencyTree

relaxed = settings(deadline=None)
"""No limit for single examples: brute force takes its time, and machines are shared."""


@st.composite
def trees(draw: st.DrawFn, max_size: int = 14, *, single_root: bool = True) -> DependencyTree:
    """A tree whose words, in some order, each hang under an earlier one."""
    n = draw(st.integers(1, max_size))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for at, word in enumerate(order):
        low = -1 if not single_root or at == 0 else 0
        place = draw(st.integers(low, at - 1))
        heads[word - 1] = order[place] if place >= 0 else 0
    return DependencyTree(tuple(heads))


@st.composite
def bushes(draw: st.DrawFn, max_dependents: int = 8) -> DependencyTree:
    """A head with scattered dependents of one or two further words each, itself under a root with leaves."""
    m = draw(st.integers(2, max_dependents))
    sizes = draw(st.lists(st.integers(2, 3), min_size=m, max_size=m))
    outside = draw(st.integers(0, 2))
    n = sum(sizes) + 1 + outside
    words = list(draw(st.permutations(range(1, n + 1))))
    heads = [0] * n
    head = words.pop()
    if outside:
        root = words.pop()
        heads[head - 1] = root
        for _ in range(outside - 1):
            heads[words.pop() - 1] = root
    for size in sizes:
        top = words.pop()
        heads[top - 1] = head
        for _ in range(size - 1):
            heads[words.pop() - 1] = top
    return DependencyTree(tuple(heads))


@st.composite
def graphs(draw: st.DrawFn, max_size: int = 7, max_links: int = 9) -> DependencyGraph:
    n = draw(st.integers(1, max_size))
    link = st.tuples(st.integers(1, n), st.integers(0, n))
    return DependencyGraph(n, draw(st.sets(link, max_size=max_links)))
