"""Forests as networkx graphs and as DOT."""

import math
import re
import shutil
import subprocess
import sys
from collections import Counter

import networkx
import pytest

from schemata.display.trees import forest_dot, short_text
from schemata.forest.derivations import forest_graph
from schemata.forest.forest import Forest
from tests.oracle import naive
from tests.oracle.d_rule_systems import d_rule_system
from tests.support.charts import shipped

NAMES = ["eisner1996", "collins1996", "eisner-satta1999", "mh", "arc-eager", "covington-lsup"]


def forest(name: str, n: int) -> Forest:
    return shipped(name).run(["w"] * n).forest()


@pytest.mark.parametrize("name", NAMES)
def test_the_graph_holds_the_useful_items_and_hyperedges_of_the_oracle(name: str) -> None:
    graph = forest_graph(forest(name, 3))
    truth = naive.run(d_rule_system(name), 3, naive.all_links(3))
    useful = naive.useful(truth)
    kinds = dict(graph.nodes(data="kind"))
    assert {x for x, kind in kinds.items() if kind == "item"} == set(map(naive.canonical, useful))
    assert {x for x, final in graph.nodes(data="final") if final} == set(
        map(naive.canonical, truth.final_items)
    )
    expected = Counter(
        (e.name, naive.canonical(e.consequent), tuple(map(naive.canonical, e.antecedents)), tuple(e.links))
        for e in naive.hyperedges(truth)
        if e.consequent in useful
    )
    found: Counter[object] = Counter()
    for node, kind in kinds.items():
        if kind == "step":
            places = {k: a for a in graph.predecessors(node) for k in graph.edges[a, node]["places"]}
            (consequent,) = graph.successors(node)
            about = graph.nodes[node]
            found[about["step"], consequent, tuple(places[k] for k in sorted(places)), about["links"]] += 1
    assert found == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_graph_is_bipartite_and_counts_derivations(name: str) -> None:
    of = forest(name, 3)
    graph = forest_graph(of)
    assert all(graph.nodes[a]["bipartite"] != graph.nodes[b]["bipartite"] for a, b in graph.edges)
    counts: dict[object, int] = {}
    for node in networkx.topological_sort(graph):
        if graph.nodes[node]["kind"] == "step":
            counts[node] = math.prod(
                counts[a] ** len(graph.edges[a, node]["places"]) for a in graph.predecessors(node)
            )
        else:
            given = graph.nodes[node]["kind"] == "hypothesis"
            counts[node] = given + sum(counts[e] for e in graph.predecessors(node))
    assert sum(counts[x] for x, final in graph.nodes(data="final") if final) == of.derivation_count


def test_nodes_come_in_the_same_order_every_time() -> None:
    first, again = (forest_graph(forest("mh", 3)) for _ in range(2))
    assert list(first.nodes(data=True)) == list(again.nodes(data=True))
    assert list(first.edges(data=True)) == list(again.edges(data=True))


def test_networkx_is_imported_only_when_asked_for() -> None:
    code = (
        "import sys, schemata; from schemata.forest.derivations import forest_graph;"
        "f = schemata.load('eisner1996').run('a b').forest(); f.trees();"
        "assert 'networkx' not in sys.modules; forest_graph(f); assert 'networkx' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_dot_has_a_node_for_every_item_and_step() -> None:
    of = forest("eisner1996", 3)
    text = forest_dot(of)
    assert len(re.findall(r"^  i\d+ \[", text, re.MULTILINE)) == len(of.order)
    assert len(re.findall(r"^  s\d+ \[", text, re.MULTILINE)) == sum(len(of.edges_into(x)) for x in of.order)
    assert text == forest_dot(forest("eisner1996", 3))


@pytest.mark.parametrize("rtl", [False, True])
def test_words_stand_in_a_row_and_choices_are_filled(rtl: bool) -> None:
    words = ["a", "b", "c"]
    of = shipped("eisner1996").run(words).forest()
    text = forest_dot(of, rtl=rtl)
    labels = dict(re.findall(r'^  (i\d+) \[label="([^"]*)"', text, re.MULTILINE))
    (row,) = re.findall(r"rank=same; (.*) }", text)
    shown = ["word[0]", *words]
    assert [labels[name.strip(";")] for name in row.split()] == shown[:: -1 if rtl else 1]
    assert text.count("style=invis") == len(words)
    filled = {labels[name] for name in re.findall(r"^  (i\d+) .*fdf0e6", text, re.MULTILINE)}
    chart = of.chart
    assert filled == {short_text(chart.item(x)) for x in of.order if len(of.edges_into(x)) > 1}
    assert filled


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_the_dot() -> None:
    text = forest_dot(forest("eisner1996", 2))
    subprocess.run(["dot", "-Tcanon"], input=text.encode(), check=True, capture_output=True)
