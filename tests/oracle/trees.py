"""Trees and graphs and the classes they belong to, each straight from its definition, with sets and without any haste.

Nothing here is shared with the package. Heads are tuples, links (dependent, head) pairs; 0 is the root, under which
several words may hang unless a function says otherwise.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise, product

Heads = tuple[int, ...]


def all_heads(n: int, *, single_root: bool = True) -> Iterator[Heads]:
    """Every sequence of heads from which every word reaches 0."""
    for heads in product(*([h for h in range(n + 1) if h != d] for d in range(1, n + 1))):
        if (not single_root or heads.count(0) == 1) and is_tree(heads):
            yield heads


def is_tree(heads: Sequence[int]) -> bool:
    """Whether every word reaches 0 by following heads."""
    return all(0 in above(tuple(heads), word) for word in range(1, len(heads) + 1))


@cache
def trees_under_zero(n: int, *, single_root: bool = False) -> tuple[Heads, ...]:
    """All trees of n words: (n + 1) ** (n - 1) of them, n ** (n - 1) with a single root."""
    return tuple(all_heads(n, single_root=single_root))


@cache
def projective_forests(n: int) -> tuple[Heads, ...]:
    """The projective trees of n words that may have several words under 0."""
    return tuple(heads for heads in trees_under_zero(n) if projective(heads))


@cache
def projective_trees(n: int) -> tuple[Heads, ...]:
    """The projective trees of n words with one word under 0: 1, 2, 7, 30, 143, 728, ..."""
    return tuple(heads for heads in projective_forests(n) if heads.count(0) == 1)


def above(heads: Heads, word: int) -> set[int]:
    """The nodes met on the way up from a word, itself included, for as long as they are new."""
    met: set[int] = set()
    while word not in met:
        met.add(word)
        if word:
            word = heads[word - 1]
    return met


def links_of(heads: Heads) -> set[tuple[int, int]]:
    return set(enumerate(heads, start=1))


def projections(n: int, links: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    """The nodes at and below each node, by closing the links under composition."""
    pairs = {(node, node) for node in range(n + 1)} | set(links)
    while True:
        more = {(a, c) for a, b in pairs for b2, c in pairs if b == b2} - pairs
        if not more:
            break
        pairs |= more
    return {node: frozenset(a for a, b in pairs if b == node) for node in range(n + 1)}


@cache
def tree_projections(heads: Heads) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {node: set() for node in range(len(heads) + 1)}
    for d in found:
        for node in above(heads, d):
            found[node].add(d)
    return {node: frozenset(words) for node, words in found.items()}


def gaps(words: Iterable[int]) -> int:
    """The number of places where a set of words is interrupted."""
    ordered = sorted(words)
    return sum(b != a + 1 for a, b in pairwise(ordered))


def projective(heads: Heads) -> bool:
    return all(max(p) - min(p) + 1 == len(p) for node, p in tree_projections(heads).items() if node)


def gap_degree(heads: Heads) -> int:
    return max(gaps(p) for node, p in tree_projections(heads).items() if node)


def crossing(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted(one), sorted(other)
    return a < c < b < d or c < a < d < b


def planar(links: Iterable[tuple[int, int]]) -> bool:
    return not any(crossing(x, y) for x, y in combinations(list(links), 2))


def arcs(heads: Heads, *, root: bool = False) -> list[tuple[int, int]]:
    return [(d, h) for d, h in sorted(links_of(heads)) if h or root]


def fits(links: list[tuple[int, int]], k: int) -> bool:
    """Whether some way of putting every link into one of k planes leaves no crossing within a plane."""

    def place(rest: list[tuple[int, int]], planes: list[list[tuple[int, int]]]) -> bool:
        if not rest:
            return True
        for plane in planes:
            if not any(crossing(rest[0], x) for x in plane):
                plane.append(rest[0])
                if place(rest[1:], planes):
                    return True
                plane.pop()
            if not plane:
                break  # the other planes are as empty as this one
        return False

    return place(links, [[] for _ in range(k)])


def planes(links: list[tuple[int, int]]) -> int:
    return next(k for k in range(1, len(links) + 2) if fits(links, k))


def edge_degree(heads: Heads) -> int:
    """The most components strictly under a link whose highest word is not below the link's head."""
    worst = 0
    for d, h in links_of(heads):
        under = set(range(min(d, h) + 1, max(d, h)))
        highest = {w for w in under if heads[w - 1] not in under}
        worst = max(worst, sum(h not in above(heads, w) for w in highest))
    return worst


def interleaved(one: frozenset[int], other: frozenset[int]) -> bool:
    return any(
        any(i < k < j for k in q) and any(m > j for m in q)
        for p, q in ((one, other), (other, one))
        for i, j in product(p, p)
    )


def well_nested(heads: Heads) -> bool:
    subtrees = [p for node, p in tree_projections(heads).items() if node and len(p) > 1]
    return not any(interleaved(p, q) for p, q in combinations(subtrees, 2) if not p & q)


def joinable(sets: list[frozenset[int]], head: int, k: int) -> bool:
    """Whether the sets can be joined two at a time, every union within k gaps, with the head or not."""

    @cache
    def can(chosen: frozenset[int]) -> bool:
        if len(chosen) == 1:
            return True
        union = frozenset().union(*(sets[i] for i in chosen))
        if min(gaps(union), gaps(union | {head})) > k:
            return False
        first, *rest = sorted(chosen)
        return any(
            can(frozenset({first, *part})) and can(frozenset(rest) - set(part))
            for size in range(len(rest))
            for part in combinations(rest, size)
        )

    return not sets or can(frozenset(range(len(sets))))


def mildly_ill_nested(heads: Heads, k: int) -> bool:
    below = tree_projections(heads)
    return gap_degree(heads) <= k and all(
        joinable([below[d] for d, h in links_of(heads) if h == head], head, k)
        for head in range(len(heads) + 1)
    )


def binarization_degree(heads: Heads) -> int:
    return next(k for k in range(len(heads) + 1) if mildly_ill_nested(heads, k))


def covington_lsup(n: int) -> set[Heads]:
    """The heads that the schema of Covington's LSUP strategy derives, with one root or several.

    The schema is Nivre's with a flag: an item has the current word, the words that may still get a link on
    their right with whether they have a head, and whether the current word is still without dependents.
    """
    start = (0, (), True, frozenset[tuple[int, int]]())
    todo, seen, found = [start], {start}, set()
    while todo:
        i, stack, fresh, links = todo.pop()
        after = []
        open_from = len(stack)
        while open_from and stack[open_from - 1][1]:
            open_from -= 1
        if i <= n:
            # Advance
            after.append((i + 1, (*stack, (i, False)), True, links))
            # L-Link: words with heads may be passed over
            for at in range(max(open_from - 1, 0), len(stack)):
                head = stack[at][0]
                if i and (fresh or head == 0):
                    after.append((i + 1, (*stack[: at + 1], (i, True)), True, links | {(i, head)}))
        # R-Link: of the first word without a head, under the current one; n + 1 governs nothing
        if open_from and i <= n and stack[open_from - 1][0]:
            after.append((i, stack[: open_from - 1], False, links | {(stack[open_from - 1][0], i)}))
        if i == n + 1 and stack[0] == (0, False) and open_from == 1:
            found.add(tuple(h for _, h in sorted(links)))
        for item in after:
            if item not in seen:
                seen.add(item)
                todo.append(item)
    return found
