"""Properties of charts under any grammar, and closed formulas for their sizes.

More licences never derive less, mirrored grammars mirror trees. With every link licensed a chart holds all items but
those that ask node 0 to hang under a word, so that items and step instances are counted by choosing positions; the
formulas follow from the rules as published, and hold for sentences too long to be counted any other way.
"""

from collections.abc import Callable
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata

PROJECTIVE = [
    "collins1996", "eisner1996", "eisner-satta1999", "yamada-matsumoto2003", "arc-standard", "hybrid",
]  # fmt: skip
SCHEMATA = {name: schemata.load(name) for name in [*PROJECTIVE, "mh", "wg1", "attardi2006", "nivre2003"]}


@st.composite
def grammars(draw: st.DrawFn, most: int = 5) -> tuple[int, frozenset[tuple[int, int]]]:
    n = draw(st.integers(1, most))
    links = [(d, h) for d in range(1, n + 1) for h in range(n + 1) if h != d]
    return n, draw(st.frozensets(st.sampled_from(links), max_size=10))


def trees(name: str, n: int, pairs: frozenset[tuple[int, int]]) -> set[tuple[int, ...]]:
    grammar = schemata.DRules.from_pairs(pairs, single_root=True)
    chart = SCHEMATA[name].run(["w"] * n, grammar)
    return {t.heads for t in chart.forest().trees(limit=None)}


@pytest.mark.parametrize("name", sorted(SCHEMATA))
@settings(max_examples=25)
@given(found=grammars(4), more=st.data())
def test_more_licences_never_derive_less(
    name: str, found: tuple[int, frozenset[tuple[int, int]]], more: st.DataObject
) -> None:
    n, pairs = found
    fewer = more.draw(st.frozensets(st.sampled_from(sorted(pairs)))) if pairs else frozenset()
    small = SCHEMATA[name].run(["w"] * n, schemata.DRules.from_pairs(fewer))
    large = SCHEMATA[name].run(["w"] * n, schemata.DRules.from_pairs(pairs))
    assert set(small.items) <= set(large.items)
    assert small.step_count <= large.step_count


@settings(max_examples=60)
@given(grammars())
def test_projective_schemata_agree_on_single_rooted_trees(
    found: tuple[int, frozenset[tuple[int, int]]],
) -> None:
    """Collins has no node 0: its root needs no licence, so it is compared where every word may be the root."""
    n, pairs = found
    with_roots = pairs | {(d, 0) for d in range(1, n + 1)}
    answers = {name: trees(name, n, with_roots) for name in PROJECTIVE}
    assert all(answer == answers["eisner1996"] for answer in answers.values())


@settings(max_examples=60)
@given(grammars())
def test_mirrored_grammars_have_mirrored_trees(found: tuple[int, frozenset[tuple[int, int]]]) -> None:
    n, pairs = found

    def flip(word: int) -> int:
        return n + 1 - word if word else 0

    mirrored = frozenset((flip(d), flip(h)) for d, h in pairs)
    here = trees("wg1", n, pairs)
    there = trees("wg1", n, mirrored)
    assert {tuple(flip(h) for h in reversed(heads)) for heads in here} == there


@settings(max_examples=40)
@given(grammars(4))
def test_listing_lazily_finds_the_same_trees(found: tuple[int, frozenset[tuple[int, int]]]) -> None:
    n, pairs = found
    forest = SCHEMATA["attardi2006"].run(["w"] * n, schemata.DRules.from_pairs(pairs)).forest()
    assert set(forest.trees(limit=None)) == set(forest.trees(limit=None, budget=0))
    first = forest.trees(limit=3, budget=0)
    assert first == forest.trees(limit=3, budget=0)
    assert len(first) == min(3, len(forest.trees(limit=None)))


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
@pytest.mark.rotated(3)
def test_counts(name: str, formula: Callable[[int], Counts], engine: str) -> None:
    schema = schemata.load(name)
    lengths = (1, 2, 3, 5, 8, 13) if engine == "python" else (1, 2, 3, 4, 5, 7, 10, 19, 33, 64, 100)
    budget = schemata.Budget(steps=10**9)
    for n in lengths:
        chart = schema.run(["w"] * n, engine=engine, budget=budget)
        items, steps = formula(n)
        assert (n, chart.engine, chart.item_count) == (n, engine, items)
        assert (n, dict(chart.steps_by_name)) == (n, steps)
