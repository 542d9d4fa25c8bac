"""WG_1 for licences between categories, each word being a category of its own: w1, w2, ...

`tree[i, j, h, l, r]` is as in WG_1. `open[i, j, C, l, r]` stands for dependents that cover [i..j] without
[l..r], under a head of category C that is still to be chosen; `headed[i, j, C, l, r]` for a tree that covers
them, with its head, of category C, among them. Within this module a category is the number of its word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.oracle.gapped import wg1_combine
from tests.oracle.naive import Building, Derived, Grammar, Instance, Item, Link, System
from tests.oracle.regions import Writing1, normal_form1, normal_item1, tree, writings1

__all__ = ["wg1_unlexicalised"]


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
