"""Dependency graphs as derivations build them, against the sets of links that brute force unites."""

import itertools
from typing import Any

import pytest

from schemata.grammars import Facts
from schemata.structures import DependencyGraph
from tests.oracle.trees import crossing
from tests.support.charts import schema_of, schema_text

NONCROSSING = schema_text("noncrossing")


def noncrossing(n: int) -> set[frozenset[tuple[int, int]]]:
    arcs = list(itertools.permutations(range(1, n + 1), 2))
    return {
        frozenset(chosen)
        for size in range(len(arcs) + 1)
        for chosen in itertools.combinations(arcs, size)
        if not any(crossing(x, y) for x, y in itertools.combinations(chosen, 2))
    }


@pytest.mark.parametrize("engine", ["python", "native"])
def test_noncrossing_graphs_are_counted_listed_and_labelled(engine: Any) -> None:
    parser = schema_of(NONCROSSING)
    for n, number in ((2, 4), (3, 64), (4, 1792)):
        truth = noncrossing(n)
        assert len(truth) == number
        forest = parser.run(["w"] * n, engine=engine).forest()
        assert forest.count_structures(10**7).exact == number
        graphs = forest.structures(None, 10**7)
        assert {frozenset(graph.links) for graph in graphs} == truth
        assert graphs == sorted(graphs)
        labels = {(d < h, label) for graph in graphs for d, h, label in graph.labelled}
        assert labels == {(True, "l"), (False, "r")}
        assert forest.trees() == []
        assert set(forest.structures(None, 0)) <= set(graphs)


def test_a_graph_of_links_with_and_without_labels() -> None:
    graph = DependencyGraph(3, [(2, 1, "x"), (1, 2), (2, 1, "y"), (3, 1)])
    assert graph.links == ((1, 2), (2, 1), (3, 1))
    assert graph.to_json() == [[1, 2], [2, 1, "x"], [2, 1, "y"], [3, 1]]
    assert graph != DependencyGraph(3, graph.links)


def test_labels_tell_trees_apart() -> None:
    """Two labels for each link: 2^n times the trees of one word after the other."""
    parser = schema_of(schema_text("chains-2"))
    forest = parser.run("a b c d").forest()
    assert forest.count_trees() == (8, 8, 0)
    trees = forest.trees(None)
    assert {tree.heads for tree in trees} == {(0, 1, 2, 3)}
    assert {tree.labels for tree in trees} == {
        ("root", *labels) for labels in itertools.product(("good", "bad"), repeat=3)
    }
    assert [tree.labels for tree in trees] == sorted(tree.labels for tree in trees)


TAGGED = schema_text("tagged")


def test_terms_in_sets_are_text() -> None:
    chart = schema_of(TAGGED).run("u", Facts.from_text('lexical("u", f(B))\nlexical("u", A)\n'))
    assert sorted(found.to_json() for found in chart.forest().structures()) == [
        [["tag", 1, "A"]],
        [["tag", 1, "f(B)"]],
    ]
