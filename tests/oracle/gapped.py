"""The mildly non-projective schemata: WG_1, MG_1, WG_k (as published and repaired) and MG_k."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from tests.oracle.naive import Derived, Grammar, Instance, Item, System
from tests.oracle.regions import (
    Gaps,
    Writing,
    Writing1,
    normal_form,
    normal_form1,
    normal_item,
    normal_item1,
    region,
    tree,
    writings,
    writings1,
)

__all__ = ["layout_of", "layouts", "mg1", "mgk", "wg1", "wg1_combine", "wgk", "wgk_published"]

Result1: TypeAlias = tuple[str, Writing1]
Result: TypeAlias = tuple[str, Writing]

# ------------------------------------------------------------------------------------------- WG_1 and MG_1


def wg1() -> System[Grammar]:
    """Return WG_1: tree[i, j, h, l, r], the gap absent in ungapped items."""
    return _one_gap("wg1", wg1_combine)


def mg1() -> System[Grammar]:
    """Return MG_1: WG_1 and the four interleaving steps."""

    def combine(a: Writing1, b: Writing1) -> Iterator[Result1]:
        yield from wg1_combine(a, b)
        yield from _mg1_combine(a, b)

    return _one_gap("mg1", combine)


def _one_gap(name: str, combine: Callable[[Writing1, Writing1], Iterator[Result1]]) -> System[Grammar]:
    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        usable = [w for w in writings1(n) if tree(*normal_form1(w)) in derived]
        for i, j, h2, l, r in usable:  # noqa: E741
            for h1 in range(1, n + 1):
                if (h2, h1) in licensed:
                    # Link Ungapped: [h1,h1,h1,-,-], [i,j,h2,-,-] |- [i,j,h1,-,-], attach h2 to h1,
                    #   if h2 in [i..j] and h1 not in [i..j]
                    # Link Gapped: [h1,h1,h1,-,-], [i,j,h2,l,r] |- [i,j,h1,l,r], attach h2 to h1,
                    #   if h2 in [i..j]\[l..r] and h1 not in [i..j]\[l..r]
                    covered = set(range(i, j + 1))
                    if l is not None and r is not None:
                        covered -= set(range(l, r + 1))
                    if h2 in covered and h1 not in covered:
                        step = "Link Ungapped" if l is None else "Link Gapped"
                        premises = (tree(h1, h1, h1, None, None), tree(i, j, h2, l, r))
                        yield Instance(step, premises, tree(i, j, h1, l, r), ((h2, h1),))
        for a in usable:
            for b in usable:
                if a[2] == b[2]:
                    for step, c in combine(a, b):
                        yield Instance(step, (tree(*a), tree(*b)), tree(*c))

    def final(n: int, _grammar: Grammar, item: Item) -> bool:
        # final [1,n,h,-,-], modulo normalisation
        return item in {tree(*normal_form1((1, n, h, None, None))) for h in range(1, n + 1)}

    return System(
        name,
        hypotheses=lambda n: (tree(h, h, h, None, None) for h in range(1, n + 1)),
        steps=steps,
        final=final,
        where=lambda n, item: item[1] in writings1(n),
        normal=normal_item1,
    )


def wg1_combine(a: Writing1, b: Writing1) -> Iterator[Result1]:
    """Yield what the Combine steps of WG_1 make of two writings with the same head."""
    match a, b:
        case ((i, j, h, None, None), (k, m, _, None, None)):
            # Combine Ungapped: [i,j,h,-,-], [j+1,k,h,-,-] |- [i,k,h,-,-]
            if k == j + 1:
                yield "Combine Ungapped", (i, m, h, None, None)
            # Opening Gap: [i,j,h,-,-], [k,m,h,-,-] |- [i,m,h,j+1,k-1] if j < k-1
            if j < k - 1:
                yield "Opening Gap", (i, m, h, j + 1, k - 1)
        case ((i, j, h, int(l), int(r)), (x, y, _, None, None)):
            # Keeping Gap Left: [i,j,h,l,r], [j+1,k,h,-,-] |- [i,k,h,l,r]
            if x == j + 1:
                yield "Keeping Gap Left", (i, y, h, l, r)
            # Closing Gap: [i,j,h,l,r], [l,r,h,-,-] |- [i,j,h,-,-]
            if (x, y) == (l, r):
                yield "Closing Gap", (i, j, h, None, None)
            # Shrinking Gap Left: [i,j,h,l,r], [l,k,h,-,-] |- [i,j,h,k+1,r] (k < r)
            if x == l and y < r:
                yield "Shrinking Gap Left", (i, j, h, y + 1, r)
            # Shrinking Gap Right: [i,j,h,l,r], [k,r,h,-,-] |- [i,j,h,l,k-1] (k > l)
            if y == r and x > l:
                yield "Shrinking Gap Right", (i, j, h, l, x - 1)
        case ((i, j, h, None, None), (x, k, _, int(l), int(r))):
            # Keeping Gap Right: [i,j,h,-,-], [j+1,k,h,l,r] |- [i,k,h,l,r]
            if x == j + 1:
                yield "Keeping Gap Right", (i, k, h, l, r)
        case ((i, j, h, int(l), int(r)), (x, y, _, int(l2), int(r2))):
            # Shrinking Gap Centre: [i,j,h,l,r], [l,r,h,l2,r2] |- [i,j,h,l2,r2]
            if (x, y) == (l, r):
                yield "Shrinking Gap Centre", (i, j, h, l2, r2)


def _mg1_combine(a: Writing1, b: Writing1) -> Iterator[Result1]:
    """Yield what the interleaving steps of MG_1 make of two gapped writings with the same head."""
    match a, b:
        case ((i, j, h, int(l), int(r)), (x, y, _, int(p), int(q))):
            # Interleaving: [i,j,h,l,r], [l,k,h,r+1,j] |- [i,k,h,-,-]
            if x == l and (p, q) == (r + 1, j):
                yield "Interleaving", (i, y, h, None, None)
            # Interleaving Gap C: [i,j,h,l,r], [l,k,h,m,j] |- [i,k,h,m,r] if m < r+1
            if x == l and q == j and p < r + 1:
                yield "Interleaving Gap C", (i, y, h, p, r)
            # Interleaving Gap L: [i,j,h,l,r], [l,k,h,r+1,u] |- [i,k,h,j+1,u] if u > j
            if x == l and p == r + 1 and q > j:
                yield "Interleaving Gap L", (i, y, h, j + 1, q)
            # Interleaving Gap R: [i,j,h,l,r], [k,m,h,r+1,j] |- [i,m,h,l,k-1] if k > l
            if (p, q) == (r + 1, j) and x > l:
                yield "Interleaving Gap R", (i, y, h, l, x - 1)


# ------------------------------------------------------------------------------------------- WG_k and MG_k


def wgk_published(k: int = 2) -> System[Grammar]:
    """Return WG_k as printed: tree[i, j, h, gaps]; it misses trees for k >= 2."""
    return _many_gaps("wgk-published", k, _wgk_combine)


def wgk(k: int = 2) -> System[Grammar]:
    """Return WG_k with the step Splitting Gap added."""

    def combine(a: Writing, b: Writing) -> Iterator[Result]:
        yield from _wgk_combine(a, b)
        yield from _splitting_gap(a, b)

    return _many_gaps("wgk", k, combine)


def mgk(k: int = 1) -> System[Grammar]:
    """Return MG_k: one Combine step for every layout of two regions and the remaining gaps."""
    return _many_gaps("mgk", k, _mgk_combine)


def _many_gaps(name: str, k: int, combine: Callable[[Writing, Writing], Iterator[Result]]) -> System[Grammar]:
    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        usable = [w for w in writings(n, k) if tree(*normal_form(w)) in derived]
        for i, j, h2, gaps in usable:
            covered = region((i, j, h2, gaps))
            for h1 in range(1, n + 1):
                # Link: [h1,h1,h1,<>], [i,j,h2,<G1..Gg>] |- [i,j,h1,<G1..Gg>], attach h2 to h1,
                #   if h2 in [i..j] minus the gaps and h1 not in [i..j] minus the gaps
                if (h2, h1) in licensed and h2 in covered and h1 not in covered:
                    premises = (tree(h1, h1, h1, ()), tree(i, j, h2, gaps))
                    yield Instance("Link", premises, tree(i, j, h1, gaps), ((h2, h1),))
        for a in usable:
            for b in usable:
                if a[2] == b[2]:
                    for step, c in combine(a, b):
                        # g <= k throughout: the consequent as the rule writes it has at most k gaps
                        if len(c[3]) <= k:
                            yield Instance(step, (tree(*a), tree(*b)), tree(*c))

    def final(n: int, _grammar: Grammar, item: Item) -> bool:
        # final [1,n,h,<>], modulo normalisation
        return item in {tree(*normal_form((1, n, h, ()))) for h in range(1, n + 1)}

    return System(
        name,
        hypotheses=lambda n: (tree(h, h, h, ()) for h in range(1, n + 1)),
        steps=steps,
        final=final,
        where=lambda n, item: item[1] in writings(n, k),
        normal=normal_item,
    )


def _wgk_combine(a: Writing, b: Writing) -> Iterator[Result]:
    """Yield what the printed Combine steps of WG_k make of two writings with the same head."""
    i, j, h, A = a
    x, y, _, B = b
    # Opening Gap: [i,lq-1,h,<G1..Gq-1>], [rq+1,m,h,<Gq+1..Gg>] |- [i,m,h,<G1..Gg>], Gq = (lq,rq), lq <= rq
    if j + 1 <= x - 1:
        yield "Opening Gap", (i, y, h, (*A, (j + 1, x - 1), *B))
    # Keeping Gaps: [i,j,h,<G1..Gq>], [j+1,m,h,<Gq+1..Gg>] |- [i,m,h,<G1..Gg>]
    if x == j + 1:
        yield "Keeping Gaps", (i, y, h, (*A, *B))
    for at, (l, r) in enumerate(A):  # noqa: E741
        left, right = A[:at], A[at + 1 :]
        # Shrinking Gap Left: [i,j,h,<G1..Gq,(l',rs),Gs+1..Gg>], [l',ls-1,h,<Gq+1..Gs-1>] |- [i,j,h,<G1..Gg>]
        #   here (l',rs) = (l,r), so that Gs = (y+1,r)
        if x == l and y + 1 <= r:
            yield "Shrinking Gap Left", (i, j, h, (*left, *B, (y + 1, r), *right))
        # Shrinking Gap Right: [i,j,h,<G1..Gq-1,(lq,r'),Gs..Gg>], [rq+1,r',h,<Gq+1..Gs-1>] |- [i,j,h,<G1..Gg>]
        #   here (lq,r') = (l,r), so that Gq = (l,x-1)
        if y == r and l <= x - 1:
            yield "Shrinking Gap Right", (i, j, h, (*left, (l, x - 1), *B, *right))
        # Shrinking Gap Centre: [i,j,h,<G1..Gq,(l',r'),Gs..Gg>], [l',r',h,<Gq+1..Gs-1>] |- [i,j,h,<G1..Gg>]
        if (x, y) == (l, r):
            yield "Shrinking Gap Centre", (i, j, h, (*left, *B, *right))


def _splitting_gap(a: Writing, b: Writing) -> Iterator[Result]:
    i, j, h, A = a
    x, y, _, M = b
    for at, (l, r) in enumerate(A):  # noqa: E741
        # Splitting Gap: [i,j,h,<G1..Gp,(l',r'),Gs..Gg>], [x,y,h,<M>]
        #   |- [i,j,h,<G1..Gp,(l',x-1),M,(y+1,r'),Gs..Gg>] if l' < x <= y < r'
        if l < x <= y < r:
            yield "Splitting Gap", (i, j, h, (*A[:at], (l, x - 1), *M, (y + 1, r), *A[at + 1 :]))


def layout_of(a: frozenset[int], b: frozenset[int]) -> str:
    """Return how two disjoint sets of words lie: a letter a, b or g (neither) per maximal run of words."""
    letters = ""
    for w in range(min(a | b), max(a | b) + 1):
        letter = "a" if w in a else "b" if w in b else "g"
        if not letters.endswith(letter):
            letters += letter
    return letters


def layouts(k: int) -> frozenset[str]:
    """Return the layouts of MG_k's Combine steps.

    They begin with a; a and b occur 1..k+1 times each, g at most k times and not last; no letter is twice in
    a row.
    """
    found, longer = set(), {"a"}
    while longer:
        found |= longer
        longer = {
            layout + letter
            for layout in longer
            for letter in "abg"
            if not layout.endswith(letter) and layout.count(letter) < (k if letter == "g" else k + 1)
        }
    return frozenset(layout for layout in found if "b" in layout and not layout.endswith("g"))


def _mgk_combine(a: Writing, b: Writing) -> Iterator[Result]:
    """Yield `Combine <layout>` for two disjoint regions of which the first one begins first.

    A region with at most k gaps has at most k + 1 runs, so a and b occur at most k + 1 times each in the
    layout; the consequent's gaps are the layout's g's, of which `_many_gaps` allows k.
    """
    words_a, words_b = region(a), region(b)
    if not words_a & words_b and min(words_a) < min(words_b):
        layout = layout_of(words_a, words_b)
        yield f"Combine {layout}", _covering(a[2], words_a | words_b)


def _covering(h: int, words: frozenset[int]) -> Writing:
    i, j = min(words), max(words)
    missing = [w for w in range(i, j + 1) if w not in words]
    starts = [w for w in missing if w - 1 in words]
    ends = [w for w in missing if w + 1 in words]
    gaps: Gaps = tuple(zip(starts, ends, strict=True))
    return (i, j, h, gaps)
