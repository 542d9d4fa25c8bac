"""Sums, best derivations and probabilities of links by folds over a forest, without the library of arrays.

Browsers have no such library unless it is fetched; charts of the page are small. Weights are scores of links in log
space alone. The results equal those of `Chart.total`, `Chart.best` and `Chart.marginals`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from schemata.charts import BuiltLink
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.forest.derivations import Derivation, derivation_of
from schemata.forest.forest import Edge, Forest
from schemata.kinds import DEPENDENCY_TREE
from schemata.records import Record
from schemata.weights.fold import fold_nodes
from schemata.weights.semiring import LOG
from schemata.wording import quantity

Scores = Sequence[Sequence[float]]
"""`scores[h][d]` is that of the link of dependent d to head h, in log space; both from 0, which is the root."""


class Folded(Record):
    """Sums, best structures and marginals of a chart under scores.

    Attributes
    ----------
    total : the logarithm of the sum of the weights of all derivations; -inf without any.
    weight : that of the best derivation, in log space.
    best : the best derivation; None without any.
    marginals : the probability of each link that is built, sums over derivations; None on cycles.
    """

    total: float
    weight: float
    best: Derivation | None
    marginals: tuple[tuple[BuiltLink, float], ...] | None


def folded(chart: Chart, scores: Scores) -> Folded:
    """Return the sum, the best derivation and the probabilities of links.

    Parameters
    ----------
    chart : a chart of dependency trees.
    scores : the scores.

    Raises
    ------
    UsageError : the scores are not a square matrix of numbers for the sentence, or have no place for a link; the sum is
        infinite.
    """
    _require_square(scores, chart.n + 1)
    if chart.schema.structure != DEPENDENCY_TREE or any(case.head_links for case in chart.schema.cases):
        message = f"{chart.schema.name} builds other than links between words that its steps name"
        raise UsageError(message, hint="`schemata run --weights FILE` weighs these, too")
    forest = chart.forest()

    def score(edge: Edge) -> float:
        links = _links(chart, edge)
        return math.fsum(scores[link[1]][link[0]] for link in links)

    if not forest.roots:
        return Folded(-math.inf, -math.inf, None, ())
    given = dict.fromkeys(chart.hypothesis_ids, 0.0)
    alone = _without_heads(chart, forest)
    finals = {x: scores[0][root] if root else 0.0 for x, root in alone.items()}
    inside = fold_nodes(forest, LOG, score, lambda x: given.get(x, -math.inf))
    total = _log_sum([inside[x] + weight for x, weight in finals.items()])
    weight, best = _best(chart, forest, score, given, finals)
    if total == -math.inf:
        return Folded(total, total, None, ())
    if forest.cycles:
        return Folded(total, weight, best, None)
    links = _marginals(chart, forest, score, inside, finals)
    for x, root in alone.items():
        if root:
            share = math.exp(inside[x] + finals[x] - total)
            links[root, 0] = links.get((root, 0), 0.0) + share
    return Folded(total, weight, best, tuple(sorted(links.items(), key=lambda x: str(x[0]))))


def _without_heads(chart: Chart, forest: Forest) -> dict[int, int]:
    """Return for each final item the word that its trees leave without a head; 0 where a step links that to 0.

    The dependents of a tree of n words add up to n (n + 1) / 2, less that word.

    Raises
    ------
    UsageError : the trees of an item leave different words without a head.
    """
    whole = chart.n * (chart.n + 1) // 2
    sums = {x: frozenset((0,)) for x in chart.hypothesis_ids}
    for _ in range(len(forest.order) + 1):
        before = dict(sums)
        for node in forest.order:
            found = set(sums.get(node, ()))
            for edge, tails in forest.into(node):
                links = _links(chart, edge)
                own = sum(link[0] for link in links)
                ways = {own}
                for tail in tails:
                    ways = {x + y for x in ways for y in sums.get(tail, ())}
                found |= ways
            sums[node] = frozenset(sorted(found)[:2])  # one is wanted, two are too many
        if before == sums:
            break
    roots = {}
    for x in forest.roots:
        if len(sums[x]) > 1:
            message = f"the trees of {forest.name(x)} leave different words without a head"
            raise UsageError(message, hint="`schemata run --weights FILE` tells more")
        roots[x] = whole - next(iter(sums[x]))
    return roots


def _require_square(scores: Scores, size: int) -> None:
    rows = isinstance(scores, Sequence) and [row if isinstance(row, Sequence) else () for row in scores]
    if not rows or len(rows) != size or any(len(row) != size for row in rows):
        raise UsageError(f"the scores are not a table of {quantity(size, 'row')} and as many columns")
    for row in rows:
        for value in row:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or math.isnan(value) or not value < math.inf or 1e6 < abs(value) < math.inf:
                raise UsageError(f"{value!r} is not a score", expected="numbers to a million, or -inf")


def _log_sum(values: Sequence[float]) -> float:
    """Return the logarithm of a sum, from the logarithms of its summands."""
    top = max(values, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def _best(
    chart: Chart,
    forest: Forest,
    score: Callable[[Edge], float],
    given: dict[int, float],
    finals: dict[int, float],
) -> tuple[float, Derivation | None]:
    """Return the weight of the best derivation, and that derivation.

    Raises
    ------
    UsageError : a cycle of items gains weight each time it is passed: there is no best derivation.
    """
    values, ways = dict(given), dict[int, Edge]()
    for _ in range(len(forest.order) + 1):
        changed = False
        for node in forest.order:
            for edge, tails in forest.into(node):
                weight = score(edge) + math.fsum(values.get(x, -math.inf) for x in tails)
                if weight > values.get(node, -math.inf):
                    values[node], ways[node], changed = weight, edge, True
        if not changed or not forest.cycles:
            break
    else:
        raise UsageError("items help to derive themselves, and gain by it: there is no best derivation")
    found = [(values[x] + finals[x], -k, x) for k, x in enumerate(forest.roots) if x in values]
    if not found:
        return -math.inf, None
    weight, _, root = max(found)
    preorder, waiting = list[tuple[int, Edge | None]](), [root]
    while waiting:
        node = waiting.pop()
        way = ways.get(node)
        preorder.append((node, way))
        waiting += way.tails[::-1] if way is not None else ()
    return weight, derivation_of(chart, preorder)


def _links(chart: Chart, edge: Edge) -> list[Any]:
    """Return the links that a hyperedge builds, without tags and features of words."""
    return [link for link in chart.built_links(edge.case, edge.links) if isinstance(link[0], int)]


def _marginals(
    chart: Chart,
    forest: Forest,
    score: Callable[[Edge], float],
    inside: dict[int, float],
    finals: dict[int, float],
) -> dict[BuiltLink, float]:
    """Return the probability of each link: the share of the sum that derivations with it have.

    References
    ----------
    Baker, J. K. (1979). Trainable grammars for speech recognition. (Inside and outside sums.)
    """
    total = _log_sum([inside[x] + weight for x, weight in finals.items()])
    outside = {x: [weight] for x, weight in finals.items()}
    shares: dict[BuiltLink, list[float]] = {}
    for node in reversed(forest.order):
        above = _log_sum(outside.get(node, []))
        if above == -math.inf:
            continue
        for edge, tails in forest.into(node):
            own = above + score(edge)
            weight = own + math.fsum(inside[x] for x in tails)
            for link in _links(chart, edge):
                shares.setdefault(link, []).append(weight)
            for k, tail in enumerate(tails):
                rest = own + math.fsum(inside[x] for j, x in enumerate(tails) if j != k)
                outside.setdefault(tail, []).append(rest)
    return {link: math.exp(_log_sum(weights) - total) for link, weights in shares.items()}
