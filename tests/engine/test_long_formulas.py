"""Closed formulas at lengths that nothing else reaches: counts, derivations and weights, on both sides of tables."""

from __future__ import annotations

import math
from math import comb
from typing import Any

import numpy as np
import pytest

import schemata
from schemata import ArcScores, Budget, ContextFreeGrammar, ParsingSchema
from schemata.errors import UsageError
from schemata.language.library import load_schema
from schemata.thresholds import changed
from tests.engine.test_properties import FORMULAS, Counts

BUDGET = Budget(steps=10**12, seconds=3_600, memory=6 << 30)
LONG = pytest.mark.thorough
SIDES: dict[str, dict[str, float]] = {
    "as they are": {},
    "no proof of an order": {"proof_seconds": 0},
    "no dense tables": {"dense_places": -1, "ordered_places": 0},
    "nothing kept": {"kept_bytes": 0, "derived_constraints": 0},
}
ALONE = "as they are"
BODY, WORD = math.log(0.3), math.log(0.5)


def fresh(name: str) -> ParsingSchema:
    """Return a schema of which nothing was run yet."""
    return ParsingSchema(load_schema(name, {}))


def catalan(n: int) -> int:
    """Return how many binary trees have n leaves."""
    return comb(2 * n - 2, n - 1) // n


def trees(n: int) -> int:
    """Return how many projective trees there are of n words under node 0: trees of n + 1 nodes without crossings."""
    return comb(3 * n, n) // (2 * n + 1)


def cyk(n: int) -> Counts:
    """Constituents of words i..j, each cut at every place within it."""
    return comb(n + 1, 2), {"Scan": n, "Combine": comb(n + 1, 3)}


def logarithm(number: int) -> float:
    """Return the logarithm of a number, which may be too large for a float."""
    shift = max(0, number.bit_length() - 900)
    return math.log(number >> shift) + shift * math.log(2)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [pytest.param(3_000, marks=pytest.mark.nightly), 1_000, 500, 200, 100])
@pytest.mark.rotated(20, 3)
def test_counts_of_long_sentences(n: int, side: str) -> None:
    """Of 3,000 words those of which there are few enough; for orders of another power n is smaller."""
    for name, formula in FORMULAS:
        size = {"collins1996": 40 * n // 200 if n < 1_000 else 100}.get(name, min(n, 1_000))
        with changed(**SIDES[side]):
            (found,) = fresh(name).counts([["w"] * size], budget=BUDGET)
        items, steps = formula(size)
        assert (found.items, found.steps, found.accepted) == (items, sum(steps.values()), True)


@pytest.mark.parametrize(
    "side", [ALONE, *(pytest.param(side, marks=LONG) for side in SIDES if side != ALONE)]
)
@pytest.mark.parametrize(
    ("engine", "n"), [("python", 25), ("native", 40), pytest.param("native", 120, marks=LONG)]
)
def test_catalan_numbers(engine: Any, n: int, side: str) -> None:
    """S -> S S and S -> a: as many derivations as binary trees, all of the same weight."""
    rules = ContextFreeGrammar.from_text('S -> S S [.3] | "a" [.5]')
    with changed(**SIDES[side]):
        chart = fresh("cyk").run(["a"] * n, rules, engine=engine, budget=BUDGET)
        items, steps = cyk(n)
        assert chart.item_count == items
        assert chart.steps_by_name == steps
        assert chart.forest().derivation_count == chart.total("count") == catalan(n)
        each = (n - 1) * BODY + n * WORD
        assert chart.total("viterbi") == pytest.approx(each)
        assert chart.total("log") == pytest.approx(logarithm(catalan(n)) + each)
        shares = chart.marginals()
    assert sum(shares.values()) == pytest.approx(2 * n - 1)  # constituents of a tree
    begin = {item.values[2]: share for item, share in shares.items() if item.values[1] == 1}  # type: ignore[union-attr]
    for k in (1, 2, n // 2, n - 1, n):  # trees of the first k words, in those that have a leaf in their place
        assert begin[k] == pytest.approx(catalan(k) * catalan(n - k + 1) / catalan(n))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("engine", "n"), [("native", 200), ("native", 40), ("python", 16)])
@pytest.mark.rotated(12, 3)
def test_projective_trees(engine: Any, n: int, side: str) -> None:
    """Each is derived once; where all links weigh the same, so do all trees."""
    each = -0.25 if n < 200 else 3.0  # of 200 words the total is beyond floats
    scores = np.full((n + 1, n + 1), each)
    with changed(**SIDES[side]):
        chart = fresh("eisner1996-once").run(
            ["w"] * n, weights=ArcScores(scores), engine=engine, budget=BUDGET
        )
        best = chart.best()
        assert chart.total("count") == trees(n)
        assert chart.total("log") == pytest.approx(logarithm(trees(n)) + each * n)
        assert best is not None
        assert best.weight == pytest.approx(each * n)
        assert chart.total("viterbi") == pytest.approx(each * n)
        if n < 200:
            assert chart.total("real") == pytest.approx(math.exp(logarithm(trees(n)) + each * n))
        else:
            with pytest.raises(UsageError, match="too large for a number"):
                chart.total("real")


@pytest.mark.parametrize(
    "n", [200, pytest.param(1_000, marks=LONG), pytest.param(3_000, marks=pytest.mark.nightly)]
)
def test_the_best_tree_of_long_sentences(n: int) -> None:
    """One tree has all links of weight 1, all others weigh less: whatever the tables, it is found."""
    rng = np.random.default_rng(n)
    heads = [0] * (n + 1)

    def hang(low: int, high: int, head: int) -> None:
        waiting = [(low, high, head)]
        while waiting:
            first, last, above = waiting.pop()
            if first <= last:
                middle = int(rng.integers(first, last + 1))
                heads[middle] = above
                waiting += [(first, middle - 1, middle), (middle + 1, last, middle)]

    hang(1, n, 0)
    scores = rng.uniform(-1, 0, (n + 1, n + 1))
    scores[heads[1:], range(1, n + 1)] = 1.0
    (found,) = schemata.load("eisner1996").best_trees([["w"] * n], [ArcScores(scores)])
    assert found is not None
    assert list(found.structure.heads) == heads[1:]
    assert found.weight == pytest.approx(n)
