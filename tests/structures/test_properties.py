"""What must hold of any tree or graph, larger ones included."""

from hypothesis import given
from hypothesis import strategies as st

from schemata.structures import (
    DependencyGraph,
    DependencyTree,
    binarization_degree,
    check_1ec,
    check_acyclicity,
    check_mg,
    classify,
    is_planar,
    plane_count,
    tree_class,
)
from tests.oracle import trees as brute
from tests.structures.strategies import bushes, graphs, trees


@given(trees(18, single_root=False))
def test_a_tree_and_its_mirror_image_are_alike(tree: DependencyTree) -> None:
    found, mirrored = classify(tree), classify(tree.mirrored())
    for measure in ("projective", "planes", "gap_degree", "edge_degree", "well_nested", "mg_degree"):
        assert getattr(found, measure) == getattr(mirrored, measure), measure


@given(trees(18))
def test_classes_contain_each_other(tree: DependencyTree) -> None:
    def chain(*names: str) -> None:
        answers = [tree_class(name).contains(tree) for name in names]
        assert answers == sorted(answers), list(zip(names, answers, strict=True))

    chain("covington-lsup", "projective", "planar", "2-planar", "3-planar", "4-planar", "all")
    chain("projective", "wg-0", "wg-1", "wg-2", "wg-9", "well-nested")
    chain("wg-1", "mg-1", "gap-degree-1", "gap-degree-2", "all")
    chain("wg-2", "mg-2", "gap-degree-2")
    chain("mg-0", "mg-1", "mg-2", "mg-3")
    for one, other in (("wg-0", "projective"), ("mg-0", "projective"), ("gap-degree-0", "projective")):
        assert tree_class(one).contains(tree) == tree_class(other).contains(tree)


@given(trees(12, single_root=False))
def test_measures_of_large_trees_follow_their_definitions(tree: DependencyTree) -> None:
    heads = tree.heads
    found = classify(tree)
    assert found.projective == brute.projective(heads)
    assert found.gap_degree == brute.gap_degree(heads)
    assert found.edge_degree == brute.edge_degree(heads)
    assert found.well_nested == brute.well_nested(heads)
    assert brute.fits(brute.arcs(heads), found.planes)
    assert found.planes == 1 or not brute.fits(brute.arcs(heads), found.planes - 1)
    assert found.strongly_ill_nested == (found.mg_degree > found.gap_degree)


@given(bushes())
def test_heads_with_scattered_dependents_are_joined_as_brute_force_does(tree: DependencyTree) -> None:
    degree = binarization_degree(tree)
    assert brute.mildly_ill_nested(tree.heads, degree)
    assert degree == 0 or not brute.mildly_ill_nested(tree.heads, degree - 1)
    assert check_mg(tree, degree).holds
    assert degree == 0 or not check_mg(tree, degree - 1).holds


@given(graphs())
def test_graphs_follow_the_definitions(graph: DependencyGraph) -> None:
    links = graph.links
    of_words = [link for link in links if link[1]]
    assert is_planar(graph) == brute.planar(of_words)
    assert is_planar(graph, artificial_root=True) == brute.planar(links)
    assert plane_count(graph) == brute.planes(of_words)
    assert plane_count(graph, artificial_root=True) == brute.planes(list(links))
    across = [[set(y) for y in of_words if brute.crossing(x, y)] for x in of_words]
    assert check_1ec(graph).holds == all(not found or set.intersection(*found) for found in across)


@given(trees(12, single_root=False))
def test_a_tree_as_a_graph_is_the_same(tree: DependencyTree) -> None:
    graph = DependencyGraph(len(tree), tree.links)
    assert plane_count(graph) == plane_count(tree)
    assert is_planar(graph) == is_planar(tree)


@given(st.integers(1, 400))
def test_long_chains_are_no_trouble(n: int) -> None:
    upwards = DependencyTree((*range(2, n + 1), 0))
    assert classify(upwards).projective
    assert check_acyclicity(upwards).holds
    assert upwards.mirrored().heads == tuple(range(n))
