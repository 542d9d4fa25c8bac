"""Semantic graphs: their notation, pictures and faults; hyperedge replacement against brute force."""

import json
import random
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.display.structures import structure_svgs, structure_text, structures_tikz
from schemata.display.terminal import WIDE
from schemata.grammars import Facts
from schemata.structures.semantics import SemanticGraph, graph_of_atoms
from tests.oracle import hyperedges

CATEGORIES, FORMS, LABELS, ROLES = "SAB", "uv", ("c", "d e"), ("r", "s")


@st.composite
def graphs(draw: st.DrawFn) -> SemanticGraph:
    """A connected graph with any nodes, among them some that only edges in the other direction reach."""
    nodes = sorted(draw(st.sets(st.integers(1, 30), min_size=1, max_size=9)))
    labels = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=4)
    edges = set()
    for at, node in enumerate(nodes[1:], start=1):
        other, role = nodes[draw(st.integers(0, at - 1))], draw(st.sampled_from(("ARG0", "ARG1", "mod")))
        edges.add((node, other, role) if draw(st.booleans()) else (other, node, role))
    ends = st.sampled_from(nodes)
    edges |= draw(st.sets(st.tuples(ends, ends, st.sampled_from(("ARG0", "time"))), max_size=4))
    return SemanticGraph(
        tuple((x, draw(labels)) for x in nodes), tuple(sorted(edges)), draw(st.sampled_from(nodes))
    )


@given(graphs())
@settings(max_examples=150, deadline=None)
def test_penman_notation_is_read_back_by_its_library(graph: SemanticGraph) -> None:
    penman = pytest.importorskip("penman")
    for text in (str(graph), graph.penman()):
        read = penman.decode(text)
        numbers = {name: int("".join(filter(str.isdigit, name))) for name in read.variables()}
        labels = {numbers[x.source]: x.target for x in read.instances()}
        plain = {x: re.sub(r"\\(.)", r"\1", y[1:-1]) if y[0] == '"' else y for x, y in labels.items()}
        assert tuple(sorted(plain.items())) == graph.nodes
        edges = ((numbers[x.source], numbers[x.target], x.role[1:]) for x in read.edges())
        assert tuple(sorted(edges)) == graph.edges
        assert numbers[read.top] == graph.top


@given(graphs())
@settings(max_examples=50, deadline=None)
def test_graphs_are_drawn(graph: SemanticGraph) -> None:
    assert graph.fault is None
    text = structure_text(None, graph, WIDE)
    assert str(graph.top) in text
    assert all(role in text for x, y, role in graph.edges if x != y)
    (drawn,) = structure_svgs(None, [graph])
    assert drawn.startswith("<svg")
    assert json.loads(json.dumps(graph.to_json()))["edges"] == [list(edge) for edge in graph.edges]


@given(graphs(), st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_no_graph_is_found(graph: SemanticGraph, data: st.DataObject) -> None:
    """Against a search of its own for what is connected."""
    kept = tuple(edge for edge in graph.edges if data.draw(st.booleans()))
    together = {graph.top}
    for _ in graph.nodes:
        together |= {e for x, y, _ in kept for e in (x, y) if {x, y} & together}
    fault = SemanticGraph(graph.nodes, kept, graph.top).fault
    assert (fault is None) == (len(together) == len(graph.nodes))
    lost = graph.nodes[data.draw(st.integers(0, len(graph.nodes) - 1))]
    rest = tuple(node for node in graph.nodes if node != lost)
    used = lost[0] == graph.top or any(lost[0] in edge[:2] for edge in graph.edges)
    assert used
    assert SemanticGraph(rest, graph.edges, graph.top).fault == f"node {lost[0]} has no label"
    twice = SemanticGraph((*graph.nodes, (lost[0], "another")), graph.edges, graph.top)
    assert twice.fault == f"node {lost[0]} has two labels"


def test_atoms_make_up_a_graph_with_one_top() -> None:
    atoms: list[tuple[Any, ...]] = [("node", 1, "a"), ("node", 2, "b"), ("role", 1, 2, "r")]
    assert graph_of_atoms(atoms) is None
    assert graph_of_atoms([*atoms, ("top", 1)]) == SemanticGraph(((1, "a"), (2, "b")), ((1, 2, "r"),), 1)
    assert graph_of_atoms([*atoms, ("top", 1), ("top", 2)]) is None


def random_facts(rng: random.Random) -> dict[str, list[tuple[str, ...]]]:
    """Rules of each shape, few enough to derive something, over few categories."""

    def some(most: int, *choices: Any) -> list[tuple[str, ...]]:
        return list({tuple(map(rng.choice, choices)) for _ in range(rng.randint((most + 1) // 2, most))})

    two = CATEGORIES, CATEGORIES, CATEGORIES
    return {
        "start": [("S",)],
        "node": some(6, CATEGORIES, FORMS, LABELS),
        "opening": some(6, CATEGORIES, FORMS, LABELS, ROLES),
        "silent": some(2, CATEGORIES, FORMS, CATEGORIES),
        "argument": some(3, *two, ROLES),
        "shared": some(4, *two, ROLES),
        "filled": some(4, *two),
        "modified": some(2, *two, ROLES),
        "restricted": some(2, *two),
    }


def _named(graph: SemanticGraph) -> hyperedges.Named:
    return frozenset(graph.nodes), frozenset(graph.edges), graph.top


@pytest.mark.parametrize("block", range(4))
def test_hyperedge_replacement_derives_what_brute_force_derives(block: int) -> None:
    schema, met = schemata.load("hyperedge-replacement"), Counter[str]()
    for seed in range(100 * block, 100 * block + 40):
        rng = random.Random(f"hyperedges {seed}")
        rows = random_facts(rng)
        words = [rng.choice(FORMS) for _ in range(rng.randint(1, 5))]
        wanted = hyperedges.graphs(words, rows)
        for engine in ("python", "native") if seed % 20 == 0 else ("python",):
            chart = schema.run(" ".join(words), Facts.of(rows), engine=engine)
            forest = chart.forest()
            built = forest.structures(None)
            assert {_named(one) for one in built} == set(wanted), (rows, words)
            assert len(built) == len(set(map(_named, built))) == forest.count_structures().exact
            assert chart.forest().derivation_count == wanted.total()
        met["graphs"] += len(wanted)
        met["ambiguous"] += wanted.total() > len(wanted)
        met["reentrant"] += any(len(edges) >= len(nodes) for nodes, edges, _ in wanted)
    assert met["graphs"] > 100, met
    assert met["ambiguous"], met
    assert met["reentrant"], met


def test_the_boy_wants_to_go() -> None:
    chart = schemata.load("hyperedge-replacement").run("the boy wants to go", "example")
    (graph,) = chart.forest().structures()
    assert str(graph) == "(w3 / want-01 :ARG0 (b2 / boy) :ARG1 (g5 / go-02 :ARG0 b2))"
    assert structures_tikz(chart.sentence, [graph]).count(r"\depedge") == 3


@pytest.mark.parametrize(
    "bad", ["builds node(i)", "builds role(i, i)", "builds top(i, i)", "builds align(i, i)"]
)
def test_other_atoms_are_refused(bad: str) -> None:
    text = f"""\
schema shapes
  structure semantic graph
item a[i: position]
step One
  --------  i in [1..n], {bad}
  a[i]
final a[1]
"""
    with pytest.raises(schemata.SchemaError, match="semantic graphs"):
        schemata.schema(text)


def test_what_derivations_build_beside_graphs_is_counted() -> None:
    schema = schemata.schema("""\
schema tops
  structure semantic graph
relation label(form: word, concept: symbol)
item a[i: position]
item b[i: position, j: position]
step One
  ----------  i in [1..n], label(i, C), builds node(i, C)
  a[i]
step Two
  a[i]   a[j]
  -----------  i < j, builds role(i, j, C), label(i, C), builds top(i)
  b[i, j]
step Loose
  a[i]   a[j]
  -----------  i > j, builds top(i)
  b[i, j]
final b[_, _]
""")
    chart = schema.run("x y", Facts.of({"label": [("x", "c"), ("y", "d")]}))
    count = chart.forest().count_structures()
    assert (count.exact, count.others) == (1, 1)
    assert [*map(str, chart.forest().structures())] == ["(c1 / c :c (d2 / d))"]
