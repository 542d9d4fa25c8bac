"""Native charts have the sizes that closed formulas give, for sentences too long to be counted any other way.

With every link licensed a chart holds all items but those that ask node 0 to hang under a word, so that items and
step instances are counted by choosing positions. The formulas follow from the rules as published.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import pytest

import schemata

Counts = tuple[int, dict[str, int]]  # derived items, step instances by step


def eisner(n: int) -> Counts:
    """Positions 0..n. A span i < j has no head, its end a head, or its beginning one, which node 0 cannot have."""
    return 2 * comb(n + 1, 2) + comb(n, 2), {
        "Initter": n,
        "R-Link": comb(n, 2),  # i from 1
        "L-Link": comb(n + 1, 2),
        # Position j has its head on one side. On the right: the result's beginning has a head inside, or none.
        # On the left: the result's end has one, or none. One of the four asks for i from 1.
        "CombineSpans": 3 * comb(n + 1, 3) + comb(n, 3),
    }


def collins(n: int) -> Counts:
    """Trees i <= h <= j over 1..n are three choices with repetition; those of one word are hypotheses.

    Two neighbouring trees with their heads are i <= h1 <= j < h2 <= k (j + 1 <= h2), that is, five of n + 3
    things.
    """
    pairs = comb(n + 3, 5)
    return comb(n + 2, 3) - n, {"R-Link": pairs, "L-Link": pairs}


def eisner_satta(n: int) -> Counts:
    """Positions 0..n. Trees headed at their first word, and at their last where the first is not node 0."""
    return comb(n + 1, 2) + comb(n, 2), {
        "R-Link": comb(n + 1, 3),  # 1 <= i <= j < k
        "L-Link": comb(n + 2, 3),  # 0 <= i <= j < k
        "R-Combiner": comb(n + 1, 3),  # 0 <= i < j < k; with a tree of one word nothing new is derived
        "L-Combiner": comb(n, 3),
    }


def yamada_matsumoto(n: int) -> Counts:
    """Positions 0..n + 1, of which the last governs nothing."""
    return comb(n + 2, 2), {"Initter": n + 1, "R-Link": comb(n + 1, 3), "L-Link": comb(n + 2, 3)}


FORMULAS = [
    ("eisner1996", eisner),
    ("collins1996", collins),
    ("eisner-satta1999", eisner_satta),
    ("yamada-matsumoto2003", yamada_matsumoto),
]


@pytest.mark.parametrize(("name", "formula"), FORMULAS, ids=[name for name, _ in FORMULAS])
@pytest.mark.parametrize("engine", ["python", "native"])
def test_counts(name: str, formula: Callable[[int], Counts], engine: str) -> None:
    if engine == "native":
        pytest.importorskip("numpy")
        pytest.importorskip("llvmlite")
    schema = schemata.load(name)
    lengths = (1, 2, 3, 5, 8, 13) if engine == "python" else (1, 2, 3, 4, 5, 7, 10, 19, 33, 64, 100)
    budget = schemata.Budget(steps=10**9)
    for n in lengths:
        chart = schema.run(["w"] * n, engine=engine, budget=budget)
        items, steps = formula(n)
        assert (n, chart.engine, chart.item_count) == (n, engine, items)
        assert (n, dict(chart.steps_by_name)) == (n, steps)
