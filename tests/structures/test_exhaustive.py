"""Every measure and class against brute force: all trees of up to six words, all forests of up to five."""

from collections import Counter
from collections.abc import Callable
from itertools import chain, islice

import pytest

from schemata.structures import (
    DependencyTree,
    all_trees,
    binarization_degree,
    check_covington_lsup,
    check_projectivity,
    check_well_nestedness,
    check_wg,
    classify,
    edge_degree,
    gap_degree,
    is_planar,
    plane_count,
    tree_class,
)
from schemata.structures.projections import tree_masks
from tests.oracle import trees as brute

CASES = [(n, True) for n in range(1, 7)] + [(n, False) for n in range(1, 6)]


@pytest.fixture(
    params=CASES, ids=lambda case: f"{case[0]}-{'trees' if case[1] else 'forests'}", scope="module"
)
def trees(request: pytest.FixtureRequest) -> list[DependencyTree]:
    n, single_root = request.param
    return [DependencyTree(heads) for heads in brute.all_heads(n, single_root=single_root)]


MEASURES: dict[str, tuple[Callable[[DependencyTree], object], Callable[[brute.Heads], object]]] = {
    "projective": (lambda tree: check_projectivity(tree).holds, brute.projective),
    "planes": (plane_count, lambda heads: brute.planes(brute.arcs(heads))),
    "planes_with_root": (
        lambda tree: plane_count(tree, artificial_root=True),
        lambda heads: brute.planes(brute.arcs(heads, root=True)),
    ),
    "gap_degree": (gap_degree, brute.gap_degree),
    "edge_degree": (lambda tree: edge_degree(tree.heads, tree_masks(tree.heads)), brute.edge_degree),
    "well_nested": (lambda tree: check_well_nestedness(tree).holds, brute.well_nested),
    "mg_degree": (binarization_degree, brute.binarization_degree),
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.rotated(3)
def test_measures_and_what_classification_has_of_them(trees: list[DependencyTree], name: str) -> None:
    ours, theirs = MEASURES[name]
    for tree in trees:
        assert ours(tree) == getattr(classify(tree), name) == theirs(tree.heads), tree


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("all", lambda heads: True),
        ("projective", brute.projective),
        ("planar", lambda heads: brute.planar(brute.arcs(heads))),
        ("2-planar", lambda heads: brute.fits(brute.arcs(heads), 2)),
        ("3-planar", lambda heads: brute.fits(brute.arcs(heads), 3)),
        ("well-nested", brute.well_nested),
        ("gap-degree-0", lambda heads: brute.gap_degree(heads) <= 0),
        ("gap-degree-1", lambda heads: brute.gap_degree(heads) <= 1),
        ("wg-0", lambda heads: brute.well_nested(heads) and brute.gap_degree(heads) <= 0),
        ("wg-1", lambda heads: brute.well_nested(heads) and brute.gap_degree(heads) <= 1),
        ("mg-0", lambda heads: brute.mildly_ill_nested(heads, 0)),
        ("mg-1", lambda heads: brute.mildly_ill_nested(heads, 1)),
        ("mg-2", lambda heads: brute.mildly_ill_nested(heads, 2)),
    ],
)
def test_named_classes(
    trees: list[DependencyTree], name: str, definition: Callable[[brute.Heads], bool]
) -> None:
    class_ = tree_class(name)
    assert all(class_.contains(tree) == definition(tree.heads) for tree in trees)
    assert all(class_.check(tree).holds == definition(tree.heads) for tree in trees[::7])


@pytest.mark.parametrize("n", range(1, 7))
def test_covington_lsup_is_what_its_schema_derives(n: int) -> None:
    derived = brute.covington_lsup(n)
    assert {
        tree.heads for tree in all_trees(n, single_root=False) if check_covington_lsup(tree).holds
    } == derived
    assert sum(heads.count(0) == 1 for heads in derived) == (1, 2, 6, 21, 80, 322)[n - 1]


def test_projective_is_planar_with_the_root_arc(trees: list[DependencyTree]) -> None:
    assert not [t for t in trees if check_projectivity(t).holds != is_planar(t, artificial_root=True)]


def test_well_nested_trees_of_six_words_and_gap_degree_two() -> None:
    assert sum(check_wg(tree, 2).holds for tree in all_trees(6)) == 6996


@pytest.mark.thorough
def test_no_tree_of_up_to_six_words_and_no_tenth_of_seven_is_strongly_ill_nested() -> None:
    trees = chain(*map(all_trees, range(1, 7)), islice(all_trees(7), 0, None, 10))
    kinds = Counter(
        (found.well_nested, found.mildly_ill_nested, found.strongly_ill_nested)
        for found in map(classify, trees)
    )
    assert kinds[True, False, False] + kinds[False, True, False] == 1 + 2 + 9 + 64 + 625 + 7776 + 11765
    assert kinds[False, True, False] > 0


def test_the_strongly_ill_nested_tree_of_ten_words() -> None:
    tree = DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7))
    found = classify(tree)
    assert (found.gap_degree, found.mg_degree, found.strongly_ill_nested) == (1, 2, True)
    assert not tree_class("mg-1").contains(tree)
    assert tree_class("mg-2").contains(tree)
    assert tree_class("gap-degree-1").contains(tree)
    assert not brute.mildly_ill_nested(tree.heads, 1)
