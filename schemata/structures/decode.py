"""The best tree for given scores of links: a maximum spanning arborescence.

This is the decoder of McDonald et al. (2005), which GCW11 (section 6.4) sets beside the schemata because it
is not constructive. The arborescence itself is networkx's (Chu-Liu/Edmonds); the scores are turned into
integers first, so that the single root can be enforced exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, lcm

from schemata.errors import UsageError
from schemata.structures.graphs import Link
from schemata.structures.trees import DependencyTree

__all__ = ["maximum_spanning_tree"]

Scores = Mapping[Link, float] | Sequence[Sequence[float]]


def maximum_spanning_tree(
    scores: Scores, n: int | None = None, *, single_root: bool = True
) -> DependencyTree:
    """Return a tree whose links have the largest possible sum of scores.

    Parameters
    ----------
    scores : a mapping from (dependent, head) to a score, in which missing links are not allowed; or one row
        for each word 1..n, with n + 1 scores for the heads 0..n (that of the word itself is not looked at).
        Minus infinity rules a link out.
    n : the number of words; if None, the largest number in a mapping or the number of rows.
    single_root : only trees with one word under the artificial root.

    Raises
    ------
    UsageError : no tree can be made of the links, or a link or score is not one.

    References
    ----------
    R. McDonald, F. Pereira, K. Ribarov and J. Hajič (2005), Non-projective dependency parsing using spanning
    tree algorithms; named in GCW11, section 6.4.

    >>> maximum_spanning_tree({(1, 2): 3.0, (1, 0): 1.0, (2, 1): 5.0, (2, 0): 2.0}).heads
    (0, 1)
    """
    links = {link: score for link, score in _items(scores) if score != float("-inf")}
    n = _size(scores, n)
    for (d, h), score in links.items():
        if not (1 <= d <= n and 0 <= h <= n and d != h):
            raise UsageError(f"({d}, {h}) is no link (dependent, head) among {n} words")
        if not isfinite(score):
            raise UsageError(f"the score of link ({d}, {h}) is {score}, not a number")
    heads = _arborescence(n, _integers(links), single_root)
    if heads is None:
        roots = " with a single root" if single_root else ""
        raise UsageError(f"the {len(links)} links that have scores make no tree of {n} words{roots}")
    return DependencyTree(heads)


def _items(scores: Scores) -> Iterator[tuple[Link, float]]:
    if isinstance(scores, Mapping):
        yield from scores.items()
        return
    for d, row in enumerate(scores, start=1):
        if len(row) != len(scores) + 1:
            raise UsageError(
                f"row {d} has {len(row)} scores: {len(scores)} words need {len(scores) + 1}, for heads 0..n"
            )
        for h, score in enumerate(row):
            if h != d:
                yield (d, h), score


def _size(scores: Scores, n: int | None) -> int:
    if n is None:
        n = max((max(link) for link in scores), default=0) if isinstance(scores, Mapping) else len(scores)
    elif not isinstance(scores, Mapping) and n != len(scores):
        raise UsageError(f"{len(scores)} rows of scores for {n} words")
    if n < 1:
        raise UsageError("a tree has at least one word, and there are no scores")
    return n


def _integers(links: Mapping[Link, float]) -> dict[Link, int]:
    """Return the scores as integers of the same proportions: every float is a fraction."""
    from fractions import Fraction

    fractions = {link: Fraction(float(score)) for link, score in links.items()}
    scale = lcm(*(fraction.denominator for fraction in fractions.values()))
    return {link: int(fraction * scale) for link, fraction in fractions.items()}


def _arborescence(n: int, weights: Mapping[Link, int], single_root: bool) -> tuple[int, ...] | None:
    import networkx

    # More than all scores together can differ: one root link less outweighs any other gain. With integers
    # nothing is lost to rounding, however large this gets.
    penalty = 1 + 2 * sum(map(abs, weights.values())) if single_root else 0
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n + 1))
    for (d, h), weight in sorted(weights.items()):
        graph.add_edge(h, d, weight=weight if h else weight - penalty)
    try:
        best = networkx.maximum_spanning_arborescence(graph)
    except networkx.NetworkXException:
        return None
    heads = {d: h for h, d in best.edges}
    if single_root and sum(h == 0 for h in heads.values()) != 1:
        return None
    return tuple(heads[d] for d in range(1, n + 1))
