"""Every answer's evidence is evidence: it is checked here against the definitions, not against the code."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.structures import (
    DependencyGraph,
    DependencyTree,
    binarization_degree,
    check_acyclicity,
    check_covington_lsup,
    check_gap_degree,
    check_k_planarity,
    check_mg,
    check_projectivity,
    check_single_headedness,
    check_well_nestedness,
    check_wg,
    gap_degree,
    is_k_planar,
    is_planar,
)
from schemata.structures.classes import Bracketing
from tests.oracle import trees as brute
from tests.structures.strategies import bushes, graphs, trees

KNOT = DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7))


def spread(intervals: tuple[tuple[int, int], ...]) -> set[int]:
    return {word for first, last in intervals for word in range(first, last + 1)}


@given(trees(10, single_root=False))
def test_projectivity(tree: DependencyTree) -> None:
    below = brute.tree_projections(tree.heads)
    found = check_projectivity(tree)
    assert found.holds == brute.projective(tree.heads)
    if found.holds:
        assert [spread((span,)) for span in found["spans"]] == [below[w] for w in range(1, len(tree) + 1)]
    else:
        assert spread(found["intervals"]) == below[found["word"]]
        assert len(found["intervals"]) == brute.gaps(below[found["word"]]) + 1 > 1


@given(trees(10))
def test_covington_lsup(tree: DependencyTree) -> None:
    found = check_covington_lsup(tree)
    heads = tree.heads
    both = {h for d, h in tree.links if d < h and 0 < heads[h - 1] < h}
    assert found.holds == (brute.projective(heads) and not both)
    if "dependent" in found.shows:
        assert (found["word"], found["head"]) in tree.links
        assert (found["dependent"], found["word"]) in tree.links
        assert 0 < found["head"] < found["word"]
        assert found["dependent"] < found["word"]
        assert brute.projective(heads)
    elif not found.holds:
        assert not brute.projective(heads)
        assert found == check_projectivity(tree)


@given(trees(12, single_root=False), st.integers(0, 3))
def test_gap_degree(tree: DependencyTree, bound: int) -> None:
    below = brute.tree_projections(tree.heads)
    found = check_gap_degree(tree, bound)
    assert found["degree"] == gap_degree(tree) == brute.gap_degree(tree.heads)
    assert found.holds == (found["degree"] <= bound)
    assert spread(found["intervals"]) == below[found["word"]]
    assert len(found["intervals"]) - 1 == found["degree"]


@given(trees(16) | graphs(8, 14), st.integers(1, 4), st.booleans())
def test_k_planarity(structure: DependencyTree | DependencyGraph, k: int, root: bool) -> None:
    links = [link for link in structure.links if link[1] or root]
    found = check_k_planarity(structure, k, artificial_root=root)
    assert found.holds == is_k_planar(structure, k, artificial_root=root) == brute.fits(links, k)
    assert k > 1 or found.holds == is_planar(structure, artificial_root=root)
    if found.holds:
        assert len(found["planes"]) <= k
        assert sorted(link for plane in found["planes"] for link in plane) == sorted(links)
        assert all(brute.planar(plane) for plane in found["planes"])
    else:
        core = list(found["obstruction"])
        assert set(core) <= set(links)
        assert not brute.fits(core, k)
        assert all(brute.fits([x for x in core if x != link], k) for link in core)
        assert k > 1 or len(core) == 2
        assert k != 2 or len(core) % 2 == 1


@given(trees(12, single_root=False) | bushes(5))
def test_well_nestedness(tree: DependencyTree) -> None:
    below = brute.tree_projections(tree.heads)
    found = check_well_nestedness(tree)
    assert found.holds == brute.well_nested(tree.heads)
    if not found.holds:
        (p, q), (i, k, j, m) = found["tops"], found["words"]
        assert tree.heads[p - 1] == tree.heads[q - 1]
        assert p != q
        assert i < k < j < m
        assert {i, j} <= below[p]
        assert {k, m} <= below[q]


@given(trees(12), st.integers(0, 2))
def test_wg(tree: DependencyTree, k: int) -> None:
    found = check_wg(tree, k)
    assert found.holds == (brute.well_nested(tree.heads) and brute.gap_degree(tree.heads) <= k)
    assert found["gaps"] == check_gap_degree(tree, k)
    assert found["nesting"] == check_well_nestedness(tree)


def dependents_in(bracketing: Bracketing) -> list[int]:
    if isinstance(bracketing, int):
        return [bracketing]
    return [d for part in bracketing for d in dependents_in(part)]


def within(bracketing: Bracketing, head: int, k: int, below: dict[int, frozenset[int]]) -> bool:
    """Whether every union that a bracketing names has at most k gaps, with the head or without."""
    union = frozenset().union(*(below[d] for d in dependents_in(bracketing)))
    if isinstance(bracketing, int):
        return brute.gaps(union) <= k
    return min(brute.gaps(union), brute.gaps(union | {head})) <= k and all(
        within(part, head, k, below) for part in bracketing
    )


@given(trees(14, single_root=False) | bushes(), st.integers(0, 3))
def test_mild_ill_nestedness(tree: DependencyTree, k: int) -> None:
    check_binarization(tree, k)
    check_binarization(tree, gap_degree(tree))
    check_binarization(tree, binarization_degree(tree))


def test_mild_ill_nestedness_where_dependents_cannot_be_joined() -> None:
    found = check_mg(KNOT, 1)
    assert (found.holds, found["node"]) == (False, 2)
    assert "intervals" not in found.shows
    check_binarization(KNOT, 1)
    check_binarization(KNOT, 2)


def check_binarization(tree: DependencyTree, k: int) -> None:
    below = brute.tree_projections(tree.heads)
    found = check_mg(tree, k)
    assert found.holds == (binarization_degree(tree) <= k)
    if found.holds:
        assert brute.gap_degree(tree.heads) <= k
        heads = [node for node in range(len(tree) + 1) if len(tree.dependents(node)) > 1]
        assert list(found["binarization"]) == heads
        for head, bracketing in found["binarization"].items():
            assert sorted(dependents_in(bracketing)) == list(tree.dependents(head))
            assert within(bracketing, head, k, below)
    elif "intervals" in found.shows:
        assert spread(found["intervals"]) == below[found["node"]]
        assert len(found["intervals"]) - 1 > k
    else:
        check_nothing_more_can_be_built(tree, k, found["node"], found["buildable"])


def check_nothing_more_can_be_built(
    tree: DependencyTree, k: int, head: int, buildable: tuple[tuple[int, ...], ...]
) -> None:
    below = brute.tree_projections(tree.heads)
    everything = tree.dependents(head)
    assert {(d,) for d in everything} <= set(buildable)
    assert everything not in buildable
    for one, other in combinations(buildable, 2):
        if not set(one) & set(other):
            union = frozenset().union(*(below[d] for d in (*one, *other)))
            fewest = min(brute.gaps(union), brute.gaps(union | {head}))
            assert (fewest <= k) == (tuple(sorted((*one, *other))) in buildable)
    assert not brute.joinable([below[d] for d in everything], head, k)


@given(graphs())
def test_graph_evidence(graph: DependencyGraph) -> None:
    links = set(graph.links)
    single = check_single_headedness(graph)
    assert single.holds == (len({d for d, _ in links}) == len(links))
    if not single.holds:
        word, heads = single["word"], single["heads"]
        assert len(heads) > 1
        assert {(word, h) for h in heads} == {link for link in links if link[0] == word}
    acyclic = check_acyclicity(graph)
    below = brute.projections(graph.size, graph.links)
    assert acyclic.holds == all(h not in below[d] for d, h in links)
    if not acyclic.holds:
        cycle = acyclic["cycle"]
        assert cycle[0] == cycle[-1]
        assert set(pairwise(cycle)) <= links
        assert len(set(cycle)) == len(cycle) - 1


TREE, ILL_NESTED = DependencyTree((3, 4, 0, 3)), DependencyTree((0, 1, 1, 2, 3))
INTERLEAVED = "the subtrees of 2 (with 2 and 4) and 3 (with 3 and 5) interleave"
SAID = [
    (check_projectivity(TREE), "the projection of word 4 is interrupted: 2..2, 4..4"),
    (
        check_covington_lsup(DependencyTree((0, 3, 1))),
        "word 3 has its head 1 and its dependent 2 to its left",
    ),
    (check_gap_degree(TREE, 0), "gap degree 1: the projection of word 4 is 2..2, 4..4"),
    (check_k_planarity(TREE, 1), "these links do not fit into one plane: 1 under 3, 2 under 4"),
    (check_k_planarity(TREE, 2), "the links fit into 2 planes"),
    (check_well_nestedness(ILL_NESTED), INTERLEAVED),
    (check_wg(ILL_NESTED, 1), f"gap degree 1: the projection of word 2 is 2..2, 4..4; {INTERLEAVED}"),
    (check_mg(ILL_NESTED, 0), "the projection of word 2 has more than 0 gaps: 2..2, 4..4"),
    (check_mg(ILL_NESTED, 1), "the dependents of every word can be joined two at a time within gap degree 1"),
    (check_mg(KNOT, 1), "the dependents of 2 cannot be joined two at a time within gap degree 1"),
    (check_single_headedness(DependencyGraph(2, {(1, 2), (1, 0)})), "word 1 has the heads 0, 2"),
    (check_acyclicity(DependencyGraph(2, {(1, 2), (2, 1)})), "cycle 1 -> 2 -> 1"),
]


@pytest.mark.parametrize(("evidence", "said"), SAID)
def test_evidence_reads_as_one_line(evidence: object, said: str) -> None:
    assert str(evidence) == said
