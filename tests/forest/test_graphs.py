"""Dependency graphs as derivations build them, against the sets of links that brute force unites."""

import itertools
from typing import Any

import pytest

from schemata.grammars import Facts
from schemata.structures import DependencyGraph
from tests.oracle.trees import crossing
from tests.support.charts import schema_of

NONCROSSING = """schema noncrossing
  structure dependency graph

# Arcs over i..j that do not cross: `covered` where i and j are linked.
hypothesis word[i]  where 1 <= i <= n

item open[i: position, j: position]    where 1 <= i < j <= n
item closed[i: position, j: position]  where 1 <= i < j <= n

step Next
  word[i]   word[i + 1]
  ---------------------
  open[i, i + 1]

step Left
  open[i, j]
  ------------  attach i to j by "l"
  closed[i, j]

step Right
  open[i, j]
  ------------  attach j to i by "r"
  closed[i, j]

step Both
  open[i, j]
  ------------  attach i to j by "l", attach j to i by "r"
  closed[i, j]

step Skip
  closed[i, j]   word[j + 1]
  --------------------------
  open[i, j + 1]

step Wide
  open[i, j]   word[j + 1]
  ------------------------
  open[i, j + 1]

step Over
  open[i, j]   closed[j, k]
  -------------------------
  open[i, k]

step Along
  closed[i, j]   closed[j, k]
  ---------------------------
  open[i, k]

final open[1, n]
final closed[1, n]
"""


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
    parser = schema_of("""schema chains
  hypothesis word[i]  where 1 <= i <= n
  item to[i: position, b: flag]  where 1 <= i <= n
  step Begin
    --------  link 1 to 0 by "root"
    to[1, true]
  step Next
    case good
    to[i, _]   word[i + 1]
    ----------------------  attach i + 1 to i by "good"
    to[i + 1, true]
    case bad
    to[i, _]   word[i + 1]
    ----------------------  attach i + 1 to i by "bad"
    to[i + 1, false]
  final to[n, _]
""")
    forest = parser.run("a b c d").forest()
    assert forest.count_trees() == (8, 8, 0)
    trees = forest.trees(None)
    assert {tree.heads for tree in trees} == {(0, 1, 2, 3)}
    assert {tree.labels for tree in trees} == {
        ("root", *labels) for labels in itertools.product(("good", "bad"), repeat=3)
    }
    assert [tree.labels for tree in trees] == sorted(tree.labels for tree in trees)


TAGGED = """schema tagged
  grammar facts
  structure set
type tree = symbol | f(tree)
relation lexical(form: word, tree: tree)
item a[i: position] where 1 <= i <= n
step Word
  ----  lexical(i, Z), builds tag(i, Z)
  a[i]
final a[n]
"""


def test_terms_in_sets_are_text() -> None:
    chart = schema_of(TAGGED).run("u", Facts.from_text('lexical("u", f(B))\nlexical("u", A)\n'))
    assert sorted(found.to_json() for found in chart.forest().structures()) == [
        [["tag", 1, "A"]],
        [["tag", 1, "f(B)"]],
    ]
