"""Transition systems: counts, graphs and sequences of transitions are those of brute force over configurations."""

from collections import Counter

import pytest

from schemata import load, verify
from schemata.budget import EngineName
from schemata.errors import UsageError
from schemata.structures import DependencyGraph
from schemata.structures.classes import class_of, graph_class
from schemata.verification.claims import Claim, graph_claims
from tests.oracle import transitions as brute
from tests.support.commands import Prints, Tells

CLAIMS = graph_claims()
REFERENCES = {claim.reference: claim for claim in CLAIMS if claim.name.endswith("-system")}


@pytest.mark.parametrize("claim", REFERENCES.values(), ids=lambda claim: claim.reference)
@pytest.mark.rotated(3)
def test_counts_are_those_of_brute_force(claim: Claim) -> None:
    longest = 3 if "planar" in claim.name or claim.name.startswith("dag") else 4
    for n in range(1, longest + 1):
        found = brute.explored(claim.name, n, dict(claim.parameters))
        graphs = brute.sequences(found, brute.initial(claim.name, n, dict(claim.parameters)))
        chart = load(claim.name, **claim.parameters).run([f"w{k}" for k in range(n)])
        assert chart.item_count == len(found)
        assert chart.step_count == 1 + sum(len(set(after)) for after in found.values())
        forest = chart.forest()
        assert forest.derivation_count == sum(graphs.values())
        listed = {frozenset(graph.links) for graph in forest.structures(limit=None)}
        assert listed == set(graphs)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_steps_are_the_transitions_of_brute_force(engine: EngineName) -> None:
    for name in ("arc-eager-system", "swap-system", "planar-system"):
        found = brute.explored(name, 3, {})
        chart = load(name).run("a b c", engine=engine)
        taken = Counter(name for after in found.values() for name, _ in after)
        assert chart.steps_by_name == {"Initial": 1, **taken}


@pytest.mark.parametrize(
    "claim",
    [claim for claim in CLAIMS if claim.name.endswith("-system")],
    ids=lambda claim: f"{claim.reference}-{claim.class_name}",
)
@pytest.mark.rotated(3)
def test_claims_hold_against_brute_force(claim: Claim) -> None:
    """The verdict, and the class and the sequences that brute force finds over all graphs of three words."""
    large = claim.name == "k-planar-system" or (not claim.each_once and "single" not in claim.class_name)
    wide = claim.name in ("attardi-system", "dag-arc-standard-system")
    n = 3 if large and not wide else 4
    parameters = dict(claim.parameters)
    start = brute.initial(claim.name, n, parameters)
    graphs = brute.sequences(brute.explored(claim.name, n, parameters), start)
    wanted = set(graph_class(claim.class_name).properties)
    true = {arcs for arcs, has in brute.properties_of_all(n).items() if wanted <= has}
    assert (graphs.keys() <= true) is claim.sound
    assert (graphs.keys() >= true) is claim.complete or claim.name == "k-planar-system"
    verdict = verify(claim.reference, claim.class_name, n)
    assert verdict.sound is (graphs.keys() <= true)
    assert verdict.complete is (graphs.keys() >= true)
    assert verdict.each_once is (max(graphs.values()) == 1)
    if verdict.incomplete is not None:
        assert frozenset(verdict.incomplete.structure.links) in true - graphs.keys()
    if verdict.ambiguous is not None:
        assert verdict.ambiguous.count > 1


def test_the_class_is_found() -> None:
    verdict = verify("hybrid-system", max_n=3)
    assert verdict.class_name == "planar+single-headed+acyclic+no-covered-roots"
    assert (verdict.sound, verdict.complete, verdict.each_once) == (True, True, True)
    again = verify("hybrid-system", max_n=4)
    assert (again.complete, again.each_once) == (True, False)
    assert again.ambiguous.structure.links == ((2, 1), (3, 4))


def test_no_covered_roots_lose_a_graph_of_two_planes() -> None:
    """The smallest loss is 3 under 1 and 2 under 4."""
    settings = "k-planar-system:single_head=1,no_covered_roots=1,acyclic=2"
    verdict = verify(settings, "2-planar+single-headed+acyclic+no-covered-roots", 4)
    assert (verdict.sound, verdict.complete) == (True, False)
    assert len(verdict.incomplete.structure.links) == 2


def test_a_graph_that_is_not_a_tree_is_said_to_be_none() -> None:
    for name, said in (
        ("tree", "a graph that is not a tree"),
        ("planar+acyclic", "a graph that is not acyclic"),
    ):
        assert said in str(verify("noncrossing", name, 2))


def test_properties_are_those_of_brute_force() -> None:
    for arcs in brute.all_graphs(3):
        graph = DependencyGraph(3, arcs)
        found = brute.properties(arcs, 3)
        for name in ("planar", "2-planar", "single-headed", "acyclic", "no-cycles", "no-covered-roots"):
            assert (graph_class(name).missing(graph) is None) is (name in found)
        for name in ("connected", "tree"):
            assert (graph_class(name).missing(graph) is None) is (name in found)
    both_ways = DependencyGraph(2, {(1, 2), (2, 1)})
    assert class_of([both_ways]).name == "planar+single-headed+no-covered-roots+connected"


def test_trees_among_graphs() -> None:
    """Rooted trees of n words are n^(n-1); planar and connected graphs contain them."""
    assert [len(list(graph_class("tree").graphs(n))) for n in (1, 2, 3, 4)] == [1, 2, 9, 64]
    assert class_of(graph_class("planar+tree").graphs(4)).name == "planar+tree"
    connected = set(graph_class("planar+connected").graphs(3))
    assert set(graph_class("planar+tree").graphs(3)) < connected
    graphs = {DependencyGraph(3, arcs) for arcs in brute.all_graphs(3)}
    assert connected == {
        g for g in graphs if {"planar", "connected"} <= brute.properties(frozenset(g.links), 3)
    }


def test_a_property_that_was_looked_for_is_not_called_proved(tells: Tells, prints: Prints) -> None:
    """Two words do not show that planar-system gives a word two heads; three do."""
    out = prints("system planar-system --max-n 2")
    assert "seen to 2 words" in out
    found = {p["name"]: p for p in tells("system planar-system --max-n 2")["properties"]}
    assert (found["single-headed"]["holds"], found["single-headed"]["proved"]) == (True, False)
    assert (found["planar"]["holds"], found["planar"]["proved"]) == (True, True)
    again = {p["name"]: p for p in tells("system planar-system --max-n 3")["properties"]}
    assert (again["single-headed"]["holds"], again["single-headed"]["proved"]) == (False, False)


def test_the_command_says_what_is_wrong(tells: Tells, prints: Prints) -> None:
    out = prints("verify attardi-system --class planar+acyclic --max-n 4", code=1)
    assert "a graph that is not planar" in out
    answer = tells("verify dag-arc-standard-system --max-n 3", code=1)
    assert answer["class"] == "planar+no-covered-roots"
    assert answer["counterexamples"]["incomplete"]["links"] == [[1, 2], [1, 3], [2, 1], [2, 3]]
    with pytest.raises(UsageError, match="graphs have no property 'planer'"):
        verify("planar-system", "planer", 2)
