"""Enumeration and sampling against brute force."""

from collections import Counter
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
    random_projective_tree,
    random_tree,
    random_tree_of_class,
    tree_class,
    trees_of_class,
)
from tests.oracle import trees as brute

PROJECTIVE = tree_class("projective")


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", range(1, 6))
def test_enumerations_are_complete_and_in_order(n: int, single_root: bool) -> None:
    every = list(brute.all_heads(n, single_root=single_root))
    assert every == sorted(every)
    assert [t.heads for t in all_trees(n, single_root=single_root)] == every
    projective = [heads for heads in every if brute.projective(heads)]
    assert [t.heads for t in trees_of_class(PROJECTIVE, n, single_root=single_root)] == projective
    planar = [heads for heads in every if brute.planar(brute.arcs(heads))]
    assert [t.heads for t in trees_of_class(tree_class("planar"), n, single_root=single_root)] == planar


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
    assert next(trees_of_class(PROJECTIVE, 300)).heads == (0, *[1] * 299)


def test_numbers_of_projective_trees() -> None:
    for n in range(1, 9):
        assert sum(1 for _ in trees_of_class(PROJECTIVE, n)) == comb(3 * n - 2, n - 1) // n


def test_there_is_no_empty_tree() -> None:
    with pytest.raises(UsageError, match="at least one word"):
        all_trees(0)
    with pytest.raises(UsageError, match="at least one word"):
        trees_of_class(PROJECTIVE, 0)
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


@given(st.integers(1, 300), st.integers(), st.booleans())
def test_random_trees_are_trees_and_fixed_by_their_seed(n: int, seed: int, single_root: bool) -> None:
    for draw in (random_tree, random_projective_tree):
        tree = draw(n, seed, single_root=single_root)
        assert DependencyTree(tree.heads) == tree == draw(n, seed, single_root=single_root)
        assert len(tree) == n
        assert len(tree.roots) == 1 or not single_root
    assert PROJECTIVE.contains(tree)


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
