"""Trees, graphs, sentences, names of classes, colouring: small values and what is said of wrong ones."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.errors import BudgetError, StructureError, UsageError
from schemata.structures import (
    CLASS_NAMES,
    DependencyGraph,
    DependencyTree,
    Sentence,
    check_k_planarity,
    check_mg,
    is_k_planar,
    plane_count,
    random_tree,
    tree_class,
)
from schemata.structures.classes import binarization_degree
from schemata.structures.graphs import find_cycle
from schemata.structures.planarity import colour, uncolourable_core
from schemata.structures.projections import gap_count, intervals, members
from tests.oracle import trees as brute


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((), "at least one word"),
        ((3, 0), "word 1 has head 3, but heads are 0..2"),
        ((-1,), "word 1 has head -1"),
        ((0, 2), "word 2 is its own head"),
        ((2, 1), "cycle: 1 -> 2 -> 1"),
        ((0, 3, 4, 2), "cycle: 2 -> 3 -> 4 -> 2"),
    ],
)
def test_heads_that_are_no_tree(heads: tuple[int, ...], message: str) -> None:
    with pytest.raises(StructureError, match=message):
        DependencyTree(heads)


@pytest.mark.parametrize("n", range(1, 6))
def test_cycles_are_found_wherever_there_are_any(n: int) -> None:
    trees = set(brute.all_heads(n, single_root=False))
    for heads in product(range(n + 1), repeat=n):
        cycle = find_cycle(heads)
        assert (cycle is None) == (heads in trees)
        if cycle:
            assert cycle[0] == cycle[-1]
            assert len(set(cycle)) == len(cycle) - 1
            assert all(heads[a - 1] == b for a, b in pairwise(cycle))


def test_trees_compare_and_print_by_their_heads() -> None:
    tree = DependencyTree((2, 0, 2))
    assert sorted([tree, DependencyTree((0, 1, 1))])[0].heads == (0, 1, 1)
    assert (tree.roots, tree.dependents(2), tree.dependents(1), len(tree)) == ((2,), (1, 3), (), 3)
    assert tree.links == ((1, 2), (2, 0), (3, 2))
    assert repr(tree) == "DependencyTree(heads=(2, 0, 2))"
    assert DependencyTree((2, 3, 0)).mirrored().heads == (0, 1, 2)


@pytest.mark.parametrize(
    ("size", "links", "message"),
    [
        (0, (), "at least one word"),
        (2, {(0, 1)}, r"link \(0, 1\)"),
        (2, {(3, 1)}, r"link \(3, 1\)"),
        (2, {(1, 3)}, r"link \(1, 3\)"),
        (2, {(1, -1)}, r"link \(1, -1\)"),
    ],
)
def test_links_that_are_no_graph(size: int, links: set[tuple[int, int]], message: str) -> None:
    with pytest.raises(StructureError, match=message):
        DependencyGraph(size, links)


def test_graphs_hold_each_link_once() -> None:
    assert DependencyGraph(2, [(2, 1), (1, 2), (2, 1)]) == DependencyGraph(2, {(1, 2), (2, 1)})


def test_sentences() -> None:
    assert Sentence.of("the cat sat") == Sentence.of(["the", "cat", "sat"])
    with pytest.raises(UsageError, match="the sentence is empty"):
        Sentence.of(" ")
    with pytest.raises(UsageError, match="1 heads for 2 words"):
        Sentence(("a", "b"), heads=(0,))


@pytest.mark.parametrize(
    "name",
    ["all", "projective", "planar", "2-planar", "17-planar", "well-nested", "gap-degree-0", "wg-3", "mg-2"],
)
def test_class_names_are_their_own(name: str) -> None:
    assert tree_class(name).name == str(tree_class(name)) == name
    assert tree_class(name) == tree_class(name)
    assert tree_class("1-planar") == tree_class("planar")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("projectve", "did you mean projective?"),
        ("wellnested", "did you mean well-nested?"),
        ("wg", "did you mean wg-"),
        ("0-planar", "planes are counted from 1"),
        ("wg-K", "did you mean wg-"),
        ("wg--1", "did you mean wg-1"),
        ("mg-01", "did you mean mg-1"),
        ("wg-\N{ARABIC-INDIC DIGIT ONE}", "did you mean wg-"),
        ("gap-degree-1 ", "did you mean gap-degree-1"),
        ("Planar", "did you mean planar"),
        ("xyzzy", None),
    ],
)
def test_unknown_class_names(name: str, hint: str | None) -> None:
    with pytest.raises(UsageError) as raised:
        tree_class(name)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "unknown-class"
    assert name in diagnostic.message
    assert all(known in diagnostic.expected for known in CLASS_NAMES)
    assert (diagnostic.hint is None) == (hint is None)
    assert hint is None or hint in diagnostic.hint


def test_numbers_out_of_range() -> None:
    tree = DependencyTree((0,))
    for k in (0, -1):
        with pytest.raises(UsageError, match="at least one plane"):
            is_k_planar(tree, k)
        with pytest.raises(UsageError, match="at least one plane"):
            check_k_planarity(tree, k)
    with pytest.raises(UsageError, match="at least 0"):
        check_mg(tree, -1)
    assert check_mg(tree, 0).holds


def test_searches_give_up_at_their_budget() -> None:
    with pytest.raises(BudgetError, match="colours"):
        plane_count(random_tree(200, 1), budget=2_000)
    knot = DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7))
    with pytest.raises(BudgetError, match="dependents of 2"):
        binarization_degree(knot, budget=5)


@given(st.sets(st.integers(0, 40), min_size=1))
def test_sets_of_words_as_masks(words: set[int]) -> None:
    mask = sum(1 << word for word in words)
    assert members(mask) == tuple(sorted(words))
    assert gap_count(mask) == brute.gaps(words)
    pieces = intervals(mask)
    assert sorted(w for a, b in pieces for w in range(a, b + 1)) == sorted(words)
    assert len(pieces) == brute.gaps(words) + 1


@given(st.data(), st.integers(1, 7), st.integers(1, 4))
def test_colourings_of_any_small_graph(data: st.DataObject, size: int, colours: int) -> None:
    edges = data.draw(
        st.sets(st.tuples(*[st.integers(0, size - 1)] * 2).filter(lambda e: e[0] < e[1]))
        if size > 1
        else st.just(set())
    )

    def colourable(vertices: list[int]) -> bool:
        inside = [(a, b) for a, b in edges if a in vertices and b in vertices]
        return any(
            all(choice[vertices.index(a)] != choice[vertices.index(b)] for a, b in inside)
            for choice in product(range(colours), repeat=len(vertices))
        )

    graph = [sum(1 << w for w in range(size) if (v, w) in edges or (w, v) in edges) for v in range(size)]
    found = colour(graph, colours)
    assert (found is not None) == colourable(list(range(size)))
    if found is not None:
        assert len(found) == size
        assert set(found) <= set(range(colours))
        assert all(found[a] != found[b] for a, b in edges)
    else:
        core = list(uncolourable_core(graph, colours))
        assert not colourable(core)
        assert all(colourable([v for v in core if v != out]) for out in core)
