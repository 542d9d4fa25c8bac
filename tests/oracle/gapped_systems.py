"""The mildly non-projective systems over D-rules, each step with the printed rule above the code that is the rule."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple, TypeAlias

from tests.oracle.naive import Building, Derived, Grammar, Instance, Item, Link, System

# Items: their writings, and the normal form of a writing ----------------------------------------------------
#
# `[i, j, h, gaps]` stands for trees headed at h over the words {h} and [i..j] without the gaps. When h touches
# the interval or a gap, the same words can be written in several ways. An item is its normal form; a rule may
# use any writing whose normal form has been derived. The hypotheses `[h, h, h]` are exempt.


Gap: TypeAlias = tuple[int, int]
Gaps: TypeAlias = tuple[Gap, ...]
Writing: TypeAlias = tuple[int, int, int, Gaps]  # (i, j, h, gaps)
Writing1: TypeAlias = tuple[int, int, int, int | None, int | None]  # (i, j, h, l, r)


def tree(*values: object) -> Item:
    """Return an item of the form `tree`."""
    return ("tree", values)


# ---------------------------------------------------------------------- one gap, as printed: [i, j, h, l, r]


def normal_form1(writing: Writing1) -> Writing1:
    """Return the normal form of `[i, j, h, l, r]`, case by case as printed."""
    i, j, h, l, r = writing  # noqa: E741
    if i == j == h:
        return writing  # the hypotheses are exempt
    if l is None or r is None:
        if h == j:  # nm[i,j,j,-,-] = [i,j-1,j,-,-]
            return (i, j - 1, h, None, None)
        if h == i - 1:  # nm[i,j,i-1,-,-] = [i-1,j,i-1,-,-]
            return (i - 1, j, h, None, None)
        return writing
    if h == j:  # nm[i,j,j,l,r] = [i,j-1,j,l,r] (r < j-1) or [i,l-1,j,-,-] (r = j-1)
        return (i, j - 1, h, l, r) if r < j - 1 else (i, l - 1, h, None, None)
    if h == l - 1:  # nm[i,j,l-1,l,r] = [i,j,l-1,l-1,r] (l > i+1) or [r+1,j,l-1,-,-] (l = i+1)
        return (i, j, h, l - 1, r) if l > i + 1 else (r + 1, j, h, None, None)
    if h == i - 1:  # nm[i,j,i-1,l,r] = [i-1,j,i-1,l,r]
        return (i - 1, j, h, l, r)
    if h == r:  # nm[i,j,r,l,r] = [i,j,r,l,r-1] (l < r) or [i,j,r,-,-] (l = r)
        return (i, j, h, l, r - 1) if l < r else (i, j, h, None, None)
    return writing


@cache
def writings1(n: int) -> tuple[Writing1, ...]:
    """Return every writing over n words: 1 <= i <= j <= n, with a gap 1 <= i < l <= r < j <= n."""
    positions = range(1, n + 1)
    plain = [(i, j, h, None, None) for i in positions for j in range(i, n + 1) for h in positions]
    gapped = [
        (i, j, h, l, r)
        for i in positions
        for l in range(i + 1, n + 1)  # noqa: E741
        for r in range(l, n + 1)
        for j in range(r + 1, n + 1)
        for h in positions
    ]
    return (*plain, *gapped)


def normal_item1(_n: int, item: Item) -> Item:
    """Return the normal form of a `tree[i, j, h, l, r]`."""
    i, j, h, l, r = item[1]  # noqa: E741
    return tree(*normal_form1((i, j, h, l, r)))


# ------------------------------------------------------------------- any number of gaps: [i, j, h, <...>]


def region(writing: Writing) -> frozenset[int]:
    """Return [i..j] without the gaps: what the writing covers, h aside."""
    i, j, _, gaps = writing
    return frozenset(w for w in range(i, j + 1) if not any(l <= w <= r for l, r in gaps))  # noqa: E741


def _written(h: int, words: frozenset[int]) -> Writing:
    """Return the writing with head h that covers exactly these words."""
    i, j = min(words), max(words)
    gaps: list[Gap] = []
    for w in range(i, j + 1):
        if w not in words:
            if w - 1 in words:
                gaps.append((w, w))
            else:
                gaps[-1] = (gaps[-1][0], w)
    return (i, j, h, tuple(gaps))


@cache
def normal_form(writing: Writing) -> Writing:
    """Return the normal form of `[i, j, h, gaps]`: h is covered exactly if h + 1 is.

    This is the one-gap normal form for any number of gaps: h != j and h != l - 1 say that no covered run of
    words ends with h; h != i - 1 and h != r say that none begins right after an uncovered h.
    """
    h, words = writing[2], region(writing)
    if words == {h}:
        return writing  # the hypotheses are exempt
    return _written(h, words | {h} if h + 1 in words else words - {h})


@cache
def writings(n: int, k: int) -> tuple[Writing, ...]:
    """Return every writing over n words with at most k gaps, i < l1 <= r1 < l2 - 1, ..., rg < j."""
    return tuple(writing for writing in _all_writings(n) if len(writing[3]) <= k)


def _all_writings(n: int) -> Iterator[Writing]:
    for size in range(1, n + 1):
        for words in combinations(range(1, n + 1), size):
            for h in range(1, n + 1):
                yield _written(h, frozenset(words))


def normal_item(_n: int, item: Item) -> Item:
    """Return the normal form of a `tree[i, j, h, gaps]`."""
    i, j, h, gaps = item[1]
    return tree(*normal_form((i, j, h, gaps)))


# WG_1, MG_1, WG_k (as published and repaired) and MG_k ------------------------------------------------------


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


def wg1_once() -> System[Grammar]:
    """Return WG_1 with a part in each item, by which the dependents of a head are combined in one order."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        usable = [
            (w, part) for w in writings1(n) for part in range(4) if tree(*normal_form1(w), part) in derived
        ]
        for (i, j, h2, l, r), part in usable:  # noqa: E741
            inside = set(range(i, j + 1)) - (set() if l is None or r is None else set(range(l, r + 1)))
            for h1 in set(range(1, n + 1)) - inside:
                if (h2, h1) in licensed and h2 in inside:
                    # Link: [h1,h1,h1,-,-,3], [i,j,h2,l,r,_] |- [i,j,h1,l,r,0], attach h2 to h1
                    premises = (tree(h1, h1, h1, None, None, 3), tree(i, j, h2, l, r, part))
                    yield Instance("Link", premises, tree(i, j, h1, l, r, 0), ((h2, h1),))
        for a, part in usable:
            for b, other in usable:
                if a[2] != b[2] or 3 in (part, other):
                    continue
                for step, c in wg1_combine(a, b):
                    joins = step in ("Combine Ungapped", "Opening Gap") or step.startswith("Keeping")
                    # Combine: a row, and a dependent whose gap is filled or that has none, to its right
                    if joins and other < 2:
                        yield Instance("Combine", (tree(*a, part), tree(*b, other)), tree(*c, 2))
                    # Fill: one dependent, in its only writing in which h touches nothing, and all within its gap
                    if not joins and part == 0 and normal_form1(a) == a:
                        yield Instance("Fill", (tree(*a, part), tree(*b, other)), tree(*c, 1))

    def normal(_n: int, item: Item) -> Item:
        *writing, part = item[1]
        return tree(*normal_form1(tuple(writing)), part)  # type: ignore[arg-type]

    def final(n: int, _grammar: Grammar, item: Item) -> bool:
        return item[1][:5] in {normal_form1((1, n, h, None, None)) for h in range(1, n + 1)}

    return System(
        "wg1-once",
        hypotheses=lambda n: (tree(h, h, h, None, None, 3) for h in range(1, n + 1)),
        steps=steps,
        final=final,
        where=lambda n, item: item[1][:5] in writings1(n),
        normal=normal,
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


# WG_1 for licences between categories, each word being a category of its own: w1, w2, ... -------------------
#
# `tree[i, j, h, l, r]` is as in WG_1. `open[i, j, C, l, r]` stands for dependents that cover [i..j] without
# [l..r], under a head of category C that is still to be chosen; `headed[i, j, C, l, r]` for a tree that covers
# them, with its head, of category C, among them. Within this module a category is the number of its word.


def wg1_unlexicalised() -> System[Grammar]:
    """Return the system."""
    return System(
        "wg1-unlexicalised",
        hypotheses=lambda n: (("word", (h,)) for h in range(1, n + 1)),
        steps=_steps,
        # final [1,n,h,-,-], modulo normalisation
        final=lambda n, _grammar, item: (
            item in {tree(*normal_form1((1, n, h, None, None))) for h in range(1, n + 1)}
        ),
        where=_where,
        normal=lambda n, item: normal_item1(n, item) if item[0] == "tree" else item,
        building=Building(lambda _item: _Part(), _build, lambda part: part.links),
    )


def _where(n: int, item: Item) -> bool:
    form, values = item
    if form == "tree":
        return values in writings1(n)
    i, j, _, l, r = values  # noqa: E741
    return 1 <= i <= j <= n and ((l is None and form == "open") or i < l <= r < j)


def _of_category(form: str, writing: Writing1) -> Item:
    i, j, c, l, r = writing  # noqa: E741
    return (form, (i, j, f"w{c}", l, r))


def _known(form: str, derived: Derived) -> list[Writing1]:
    return [(i, j, int(c[1:]), *gap) for i, j, c, *gap in derived.of(form)]


def _words(writing: Writing1) -> set[int]:
    """Return [i..j] without [l..r]."""
    i, j, _, l, r = writing  # noqa: E741
    covered = set(range(i, j + 1))
    return covered if l is None or r is None else covered - set(range(l, r + 1))


def _steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for (h,) in derived.of("word"):
        # Word: word[h] |- [h,h,h,-,-]
        yield Instance("Word", (("word", (h,)),), tree(h, h, h, None, None))
    trees = [w for w in writings1(n) if tree(*normal_form1(w)) in derived]
    opens, headed = _known("open", derived), _known("headed", derived)
    for w in trees:
        i, j, h, l, _ = w  # noqa: E741
        if h in _words(w):
            # Link Ungapped: [i,j,h,-,-] |- [i,j,C,-,-] and Link Gapped: [i,j,h,l,r] |- [i,j,C,l,r],
            #   if the category of h is licensed under C and h is covered
            step = "Link Ungapped" if l is None else "Link Gapped"
            yield from _links(step, tree(*w), w, licensed)
        if l is not None and i < h < j and h in _words(w):
            # Hide Head: [i,j,h,l,r] |- headed[i,j,C,l,r] if cat(w_h) = C, i < h < j and h is not in [l..r]
            yield Instance("Hide Head", (tree(*w),), _of_category("headed", w))
    for w in headed:
        # Link Headed: headed[i,j,D,l,r] |- [i,j,C,l,r] if D is licensed under C
        yield from _links("Link Headed", _of_category("headed", w), w, licensed)
    for w in opens:
        if w[2] not in _words(w):
            # Bind Head: [i,j,C,l,r] |- [i,j,h,l,r] if cat(w_h) = C and h is not covered
            yield Instance("Bind Head", (_of_category("open", w),), tree(*w))
    for a in trees:
        for b in trees:
            if a[2] == b[2]:
                for step, made in wg1_combine(a, b):
                    if not step.startswith("Shrinking"):
                        yield Instance(step, (tree(*a), tree(*b)), tree(*made))
    for a in opens:
        for b in opens:
            if a[2] == b[2]:
                premises = (_of_category("open", a), _of_category("open", b))
                for step, made in wg1_combine(a, b):
                    name = step if step.startswith("Shrinking") else f"Open {step}"
                    yield Instance(name, premises, _of_category("open", made))
                for step, made in _shrink_to_head(a, b):
                    yield Instance(step, premises, tree(*made))
        for b in headed:
            # Shrinking Gap Centre M: [i,j,C,l,r], headed[l,r,C,l2,r2] |- headed[i,j,C,l2,r2]
            if a[2:] == (b[2], b[0], b[1]):
                premises = (_of_category("open", a), _of_category("headed", b))
                made = (a[0], a[1], a[2], b[3], b[4])
                yield Instance("Shrinking Gap Centre M", premises, _of_category("headed", made))


def _links(step: str, premise: Item, w: Writing1, licensed: Grammar) -> Iterator[Instance]:
    i, j, d, l, r = w  # noqa: E741
    for dependent, head in licensed:
        if dependent == d and head > 0:
            yield Instance(step, (premise,), _of_category("open", (i, j, head, l, r)))


def _shrink_to_head(a: Writing1, b: Writing1) -> Iterator[tuple[str, Writing1]]:
    """Yield what two open writings of one category make with the one word of that category."""
    i, j, h, l, r = a  # noqa: E741
    x, y, _, l2, r2 = b
    if l is None or r is None:
        return
    if l2 is None:
        # Left L: [i,j,C,l,r], [l+1,k,C,-,-] |- [i,j,l,k+1,r] if k < r, cat(w_l) = C
        if x == l + 1 and y < r and h == l:
            yield "Shrinking Gap Left L", (i, j, l, y + 1, r)
        # Right R: [i,j,C,l,r], [k,r-1,C,-,-] |- [i,j,r,l,k-1] if k > l, cat(w_r) = C
        if y == r - 1 and x > l and h == r:
            yield "Shrinking Gap Right R", (i, j, r, l, x - 1)
        return
    # Centre L: [i,j,C,l,r], [l+1,r,C,l2,r2] |- [i,j,l,l2,r2] if cat(w_l) = C
    if (x, y) == (l + 1, r) and h == l:
        yield "Shrinking Gap Centre L", (i, j, l, l2, r2)
    # Centre R: [i,j,C,l,r], [l,r-1,C,l2,r2] |- [i,j,r,l2,r2] if cat(w_r) = C
    if (x, y) == (l, r - 1) and h == r:
        yield "Shrinking Gap Centre R", (i, j, r, l2, r2)
    if l2 == r2 == h:
        # Left M: [i,j,C,l,r], [l,k,C,h,h] |- [i,j,h,k+1,r] if k < r, cat(w_h) = C
        if x == l and y < r:
            yield "Shrinking Gap Left M", (i, j, h, y + 1, r)
        # Right M: [i,j,C,l,r], [k,r,C,h,h] |- [i,j,h,l,k-1] if k > l, cat(w_h) = C
        if y == r and x > l:
            yield "Shrinking Gap Right M", (i, j, h, l, x - 1)


# ------------------------------------------------------------------------------------------------- structures


class _Part(NamedTuple):
    """What a derivation has built: the head if known, the dependents that wait for it, links."""

    head: int | None = None
    waiting: frozenset[int] = frozenset()
    links: frozenset[Link] = frozenset()


def _build(edge: Instance, parts: tuple[_Part, ...]) -> _Part:
    links = frozenset[Link]().union(*(part.links for part in parts))
    if edge.name.startswith("Link"):
        (child,) = parts
        assert child.head is not None
        return _Part(None, frozenset({child.head}), links)
    waiting = frozenset[int]().union(*(part.waiting for part in parts))
    form, values = edge.consequent
    if form == "open":
        return _Part(None, waiting, links)
    heads = {values[2]} if form == "tree" else {part.head for part in parts if part.head is not None}
    (head,) = heads
    return _Part(head, frozenset(), links | {(d, head) for d in waiting})
