"""Transition systems with labels of arcs: graphs and numbers of sequences are those of brute force over facts."""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping

import pytest

import schemata
from schemata import Facts, load, verify
from schemata.budget import EngineName
from schemata.errors import GrammarError, SchemaError, UsageError
from schemata.structures import Sentence
from tests.oracle import transitions as brute
from tests.support.commands import Cli, Tells

SYSTEMS = (
    "arc-standard-system", "arc-standard-2004-system", "arc-eager-system", "hybrid-system", "easy-first-system",
    "attardi-system", "swap-system", "covington-system", "planar-system", "k-planar-system", "dag-arc-eager-system",
    "dag-arc-standard-system", "yamada-matsumoto-system",
)  # fmt: skip
DENSE = ("planar-system", "k-planar-system", "dag-arc-eager-system")  # with many graphs of three words
LabelledArcs = frozenset[tuple[int, int, str]]


def labelled_sequences(
    system: str, n: int, labels: Mapping[tuple[int, int], str]
) -> tuple[Counter[LabelledArcs], int]:
    """Return the sequences by their labelled graph, one for each choice of labels, and the number of steps."""
    found = brute.explored(system, n, {})
    start = brute.initial(system, n, {})
    licensed = {  # an arc without labels is none
        c: [(name, after, new(c, after)) for name, after in taken if all(map(labels.get, new(c, after)))]
        for c, taken in found.items()
    }
    order, done = [], set()

    def visit(c: brute.Config) -> None:
        done.add(c)
        for _, after, _ in licensed[c]:
            if after not in done:
                visit(after)
        order.append(c)

    visit(start)
    ways: dict[brute.Config, Counter[LabelledArcs]] = defaultdict(Counter)
    ways[start][frozenset()] = 1
    graphs: Counter[LabelledArcs] = Counter()
    steps = {
        (c, name, after, label)
        for c in done
        for name, after, arcs in licensed[c]
        for label in chosen(arcs, labels)
    }
    for c in reversed(order):
        if not buffer_of(c):
            graphs.update(ways[c])
        for _, after in {(name, after) for name, after, _ in licensed[c]}:
            for more in chosen(new(c, after), labels):
                for arcs, count in ways[c].items():
                    ways[after][arcs | more] += count
    return graphs, 1 + len(steps)


def chosen(arcs: frozenset[tuple[int, int]], labels: Mapping[tuple[int, int], str]) -> list[LabelledArcs]:
    """Return the choices of a label for the arc of a transition; of none, there is one."""
    return [frozenset({(*arc, x)}) for arc in arcs for x in labels[arc]] or [frozenset()]


def buffer_of(c: brute.Config) -> tuple[int, ...]:
    found: tuple[int, ...] = c[1]
    return found


def new(c: brute.Config, after: brute.Config) -> frozenset[tuple[int, int]]:
    found: frozenset[tuple[int, int]] = after[2] - c[2]
    return found


def facts_of(labels: Mapping[tuple[int, int], str]) -> Facts:
    return Facts.of(
        {
            "label": [(f"w{d}", f"w{h}", x) for (d, h), names in labels.items() for x in names]
            or [("v", "v", "a")]
        }
    )


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.rotated(3)
def test_labelled_graphs_are_those_of_brute_force(system: str) -> None:
    """Under all labels of two, and under random ones, arcs with one label or none among them."""
    rng = random.Random(system)
    repeats = system in ("yamada-matsumoto-system",)
    for n in (1, 2, 3):
        pairs = [(d, h) for d in range(1, n + 1) for h in range(1, n + 1) if d != h]
        licences = [dict.fromkeys(pairs, "ab" if n < 3 or system not in DENSE else "a")]
        licences += [{arc: rng.choice(("", "a", "b", "ab")) for arc in pairs} for _ in range(2)]
        for labels in licences:
            graphs, steps = labelled_sequences(system, n, labels)
            chart = load(system, labelled=1).run(
                [f"w{k}" for k in range(1, n + 1)], facts_of(labels), strict=False
            )
            forest = chart.forest()
            assert {frozenset(graph.labelled) for graph in forest.structures(limit=None)} == set(graphs)
            assert forest.derivation_count == sum(graphs.values())
            assert repeats or chart.step_count == steps


@pytest.mark.parametrize("engine", ["python", "native"])
def test_both_engines_label_alike(engine: EngineName) -> None:
    labels = {(1, 2): "ab", (3, 2): "a", (2, 1): "b", (3, 1): "ab"}
    for system in ("arc-eager-system", "swap-system", "covington-system"):
        graphs, steps = labelled_sequences(system, 3, labels)
        chart = load(system, labelled=1).run("w1 w2 w3", facts_of(labels), engine=engine)
        assert (chart.step_count, chart.forest().derivation_count) == (steps, sum(graphs.values()))


@pytest.mark.thorough
def test_labels_leave_the_class_of_graphs_as_it_is() -> None:
    for system in ("arc-standard-system", "arc-eager-system", "hybrid-system", "covington-system"):
        plain, labelled = verify(system, max_n=3), verify(f"{system}:labelled=1", max_n=3)
        assert (plain.class_name, plain.sound, plain.complete, plain.each_once) == (
            labelled.class_name, labelled.sound, labelled.complete, labelled.each_once,
        )  # fmt: skip
    assert verify("hybrid-system:labelled=1", max_n=4).each_once is False
    missed = verify("covington-system:labelled=1", "all", 2).incomplete
    assert missed is not None
    assert missed.structure.links == ((1, 2), (2, 1))
    wrong = verify("swap-system:labelled=1", "planar", 4).unsound
    assert wrong is not None
    assert len(wrong.case.rows) <= 3


def test_schemata_that_extend_labelled_ones_have_labels() -> None:
    text = "schema mine extends arc-eager-system(labelled = 1)\nwithout step Reduce\n"
    schema = schemata.schema(text)
    assert schema.definition.grammar == "facts"
    assert schema.run("w1 w2", facts_of({(1, 2): "ab"})).forest().count_structures().exact == 3
    with pytest.raises(SchemaError, match="labelled = 3 is out of range"):
        schemata.schema("schema mine\n  extends arc-eager-system(labelled = 3)\n")


@pytest.mark.parametrize("name", ["eisner1996", "eisner-labelled", "cyk", "earley"])
def test_other_schemata_get_no_labels(name: str) -> None:
    with pytest.raises(UsageError, match="get no labels"):
        load(name, labelled=1)
    if name in ("eisner1996", "cyk"):
        assert load(name, labelled=0).definition.grammar == load(name).definition.grammar


def test_gold_trees_are_facts() -> None:
    """The facts of a treebank's tree are about words at their places, equal forms or not."""
    sentence = Sentence(
        ("the", "cat", "the", "cat"), heads=(2, 0, 4, 2), labels=("det", "root", "det", "obj")
    )
    chart = load("arc-eager-system", labelled=1).run(sentence, "gold")
    graphs = {frozenset(graph.labelled) for graph in chart.forest().structures(limit=None)}
    whole = frozenset({(1, 2, "det"), (3, 4, "det"), (4, 2, "obj")})
    assert whole in graphs
    assert all(graph <= whole for graph in graphs)
    trees = load("eisner-labelled").run(sentence, "gold").forest().structures(limit=None)
    assert [(tree.heads, tree.labels) for tree in trees] == [(sentence.heads, sentence.labels)]
    with pytest.raises(GrammarError, match="has no labels"):
        load("eisner-labelled").run(Sentence(("a",), heads=(0,)), "gold")
    with pytest.raises(GrammarError, match="no facts of lexical"):
        load("ccg").run(sentence, "gold")


def test_oracles_of_labelled_systems(tells: Tells, cli: Cli) -> None:
    for system in SYSTEMS[:9]:
        if system == "attardi-system":
            continue
        plain = tells(f"oracle {system} --conllu example --number 1 --labels")
        assert any("(" in name for name in plain["transitions"])
        assert tells(f"oracle {system}:labelled=1 --conllu example --number 1") == plain
    refused = cli("oracle swap-system:labelled=1", "a b", "--heads 2,0")
    assert refused.code == 2
    assert "--conllu" in refused.err
