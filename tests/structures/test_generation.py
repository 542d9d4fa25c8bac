"""Enumeration, sampling and decoding against brute force."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import islice
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.errors import BudgetError, UsageError
from schemata.structures import (
    DependencyTree,
    all_trees,
    is_projective,
    maximum_spanning_tree,
    planar_trees,
    projective_trees,
    random_projective_tree,
    random_tree,
    random_tree_of_class,
    tree_class,
    trees_of_class,
)
from tests.oracle import trees as brute
from tests.structures.strategies import relaxed


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", range(1, 6))
def test_enumerations_are_complete_and_in_order(n: int, single_root: bool) -> None:
    every = list(brute.all_heads(n, single_root=single_root))
    assert every == sorted(every)
    assert [t.heads for t in all_trees(n, single_root=single_root)] == every
    projective = [heads for heads in every if brute.projective(heads)]
    assert [t.heads for t in projective_trees(n, single_root=single_root)] == projective
    planar = [heads for heads in every if brute.planar(brute.arcs(heads))]
    assert [t.heads for t in planar_trees(n, single_root=single_root)] == planar


@pytest.mark.parametrize(
    "name", ["all", "projective", "planar", "2-planar", "well-nested", "wg-0", "mg-1", "covington-lsup"]
)
@pytest.mark.parametrize("single_root", [True, False])
def test_trees_of_a_class_are_all_its_trees_in_order(name: str, single_root: bool) -> None:
    class_ = tree_class(name)
    wanted = list(brute.all_heads(5, single_root=single_root))
    assert [t.heads for t in trees_of_class(class_, 5, single_root=single_root)] == [
        heads for heads in wanted if class_.contains(DependencyTree(heads))
    ]


def test_trees_are_enumerated_lazily() -> None:
    assert [t.heads[:3] for t in islice(all_trees(40), 2)] == [(0, 1, 1)] * 2
    assert next(projective_trees(300)).heads == (0, *[1] * 299)


def test_numbers_of_projective_trees() -> None:
    for n in range(1, 9):
        assert sum(1 for _ in projective_trees(n)) == comb(3 * n - 2, n - 1) // n


@pytest.mark.parametrize("function", [all_trees, projective_trees, planar_trees])
def test_there_is_no_empty_tree(function: object) -> None:
    with pytest.raises(UsageError, match="at least one word"):
        function(0)
    with pytest.raises(UsageError, match="at least one word"):
        random_tree(0, 1)


def assert_uniform(drawn: Counter[tuple[int, ...]], wanted: list[tuple[int, ...]]) -> None:
    assert set(drawn) == set(wanted)
    expected = drawn.total() / len(wanted)
    # Six standard deviations: with the fixed seed this either holds or the sampler is not uniform.
    assert max(abs(count - expected) for count in drawn.values()) < 6 * expected**0.5


@pytest.mark.parametrize(
    ("n", "single_root"), [(1, True), (1, False), (2, True), (3, True), (4, True), (3, False)]
)
def test_random_trees_are_uniform(n: int, single_root: bool) -> None:
    wanted = list(brute.all_heads(n, single_root=single_root))
    rng = Random(11)
    draws = range(400 * len(wanted))
    assert_uniform(Counter(random_tree(n, rng, single_root=single_root).heads for _ in draws), wanted)
    wanted = [heads for heads in wanted if brute.projective(heads)]
    draws = range(600 * len(wanted))
    assert_uniform(
        Counter(random_projective_tree(n, rng, single_root=single_root).heads for _ in draws), wanted
    )


@relaxed
@given(st.integers(1, 300), st.integers(), st.booleans())
def test_random_trees_are_trees_and_fixed_by_their_seed(n: int, seed: int, single_root: bool) -> None:
    for draw in (random_tree, random_projective_tree):
        tree = draw(n, seed, single_root=single_root)
        assert DependencyTree(tree.heads) == tree == draw(n, seed, single_root=single_root)
        assert len(tree) == n
        assert len(tree.roots) == 1 or not single_root
    assert is_projective(tree)


@pytest.mark.parametrize("name", ["covington-lsup", "planar", "2-planar", "wg-1", "mg-1", "gap-degree-0"])
def test_random_trees_of_a_class_belong_to_it(name: str) -> None:
    class_ = tree_class(name)
    rng = Random(3)
    found = {random_tree_of_class(class_, 6, rng) for _ in range(50)}
    assert all(class_.contains(tree) for tree in found)
    assert len(found) > 20


def test_random_trees_of_a_class_give_up() -> None:
    with pytest.raises(BudgetError, match=r"none of 5 random trees of 60 words was in planar"):
        random_tree_of_class(tree_class("planar"), 60, 1, limit=5)


numbers = st.one_of(st.floats(-1e3, 1e3), st.sampled_from([0.0, 1.0, 1e300, -1e300, 5e-324]))


@relaxed
@given(st.data(), st.integers(1, 4), st.booleans())
def test_decoding_finds_the_best_tree(data: st.DataObject, n: int, single_root: bool) -> None:
    links = [(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h]
    scores = data.draw(st.dictionaries(st.sampled_from(links), numbers))

    def total(heads: tuple[int, ...]) -> Fraction | None:
        if not brute.links_of(heads) <= set(scores):
            return None
        return sum((Fraction(scores[link]) for link in brute.links_of(heads)), Fraction())

    totals = [total(heads) for heads in brute.all_heads(n, single_root=single_root)]
    possible = [value for value in totals if value is not None]
    if not possible:
        with pytest.raises(UsageError):
            maximum_spanning_tree(scores, n, single_root=single_root)
    else:
        best = maximum_spanning_tree(scores, n, single_root=single_root)
        assert len(best.roots) == 1 or not single_root
        assert total(best.heads) == max(possible)


def test_decoding_takes_rows_and_rules_links_out() -> None:
    never = float("-inf")
    rows = [[9.0, 0.0, 1.0], [8.0, 3.0, 0.0]]
    assert maximum_spanning_tree(rows).heads == (0, 1)
    assert maximum_spanning_tree(rows, single_root=False).heads == (0, 0)
    assert maximum_spanning_tree([[never, 0.0, 1.0], [8.0, 3.0, 0.0]]).heads == (2, 0)


def test_a_single_root_is_exact_for_scores_of_any_size() -> None:
    # A second root would gain 2^60, and the choice left hangs on the last bit of 1.
    scores = {(1, 0): 2.0**60, (2, 0): 2.0**60, (1, 2): 1.0, (2, 1): 1.0 + 2.0**-52}
    assert maximum_spanning_tree(scores).heads == (0, 1)
    assert maximum_spanning_tree({**scores, (1, 2): 1.0 + 2.0**-51}).heads == (2, 0)


@pytest.mark.parametrize(
    ("scores", "n", "message"),
    [
        ({}, None, "at least one word"),
        ({(1, 2): 1.0, (2, 1): 1.0}, None, "make no tree of 2 words with a single root"),
        ({(1, 0): 1.0, (2, 0): 1.0}, None, "make no tree of 2 words with a single root"),
        ({(1, 0): 1.0}, 2, "make no tree of 2 words"),
        ({(1, 1): 1.0}, None, "not a link"),
        ({(0, 1): 1.0}, None, "not a link"),
        ({(1, 0): float("nan")}, None, "not a number"),
        ({(1, 0): float("inf")}, None, "not a number"),
        ([[1.0, 2.0], [1.0, 2.0]], None, "row 1 has 2 scores"),
        ([[1.0, 2.0]], 2, "1 rows of scores for 2 words"),
    ],
)
def test_decoding_says_what_is_wrong(scores: object, n: int | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        maximum_spanning_tree(scores, n)
