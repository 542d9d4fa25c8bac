"""The hyperedges of large charts as arrays: the same order, counts and trees as objects give."""

import math
import random

import pytest

import schemata
from schemata import Facts
from schemata.analysis import figures
from schemata.budget import EngineName
from schemata.display.results import result_text
from schemata.engine.chart import Chart
from schemata.forest.forest import Forest
from schemata.thresholds import EFFORTS, WAYS, changed
from tests.support.charts import schema_of, schema_text, shipped
from tests.support.commands import Written

NAMES = [
    "eisner1996", "collins1996", "yamada-matsumoto2003", "arc-eager", "attardi2006:d=2", "covington2001",
    "mh:k=4", "wg1", "mgk:k=2", "cyk",
]  # fmt: skip

ENDLESS = schema_text("endless")


def chart_of(name: str, n: int, engine: str = "python") -> Chart:
    schema = shipped(name)
    if name == "cyk":
        rules = [("S", ("S", "S")), ("S", ("V", "S")), ("V", ("S", "V"))]
        grammar = schemata.ContextFreeGrammar.of(rules, "S", words={"w": ["S", "V"]})
        return schema.run(["w"] * n, grammar, engine=engine)  # type: ignore[arg-type]
    chosen = random.Random(n)
    pairs = {(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h and chosen.random() < 0.8}
    return schema.run(["w"] * n, schemata.DRules.from_pairs(pairs), engine=engine)  # type: ignore[arg-type]


def forest_of_objects(chart: Chart, monkeypatch: pytest.MonkeyPatch) -> Forest:
    monkeypatch.setattr(WAYS, "array_steps", 10**9)
    monkeypatch.setattr(WAYS, "numpy_steps", 10**9)
    forest = Forest(chart)
    assert not forest._many
    return forest


def forest_of_arrays(chart: Chart, monkeypatch: pytest.MonkeyPatch) -> Forest:
    monkeypatch.setattr(WAYS, "array_steps", 0)
    monkeypatch.setattr(WAYS, "numpy_steps", 0)
    monkeypatch.setattr(WAYS, "edges_together", 7)
    forest = Forest(chart)
    assert forest._many
    return forest


def is_bottom_up(forest: Forest) -> bool:
    place = {item: k for k, item in enumerate(forest.order)}
    return all(
        place[tail] < place[item]
        for item in forest.order
        for e in forest.edges_into(item)
        for tail in e.tails
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 3, 5])
def test_the_same_forest(name: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = chart_of(name, n)
    objects = forest_of_objects(chart, monkeypatch)
    expected = dict(objects.derivation_counts)
    forest = forest_of_arrays(chart, monkeypatch)
    assert forest.derivation_counts == expected
    assert forest.useful_ids == objects.useful_ids
    assert len(forest.order) == len(set(forest.order))
    assert is_bottom_up(forest)
    assert forest.cyclic is objects.cyclic is False
    for item in objects.order:  # of cases that give one hyperedge any may stand for it
        assert sorted(e[1:3] for e in forest.edges_into(item)) == sorted(
            e[1:3] for e in objects.edges_into(item)
        )
    assert forest.trees(None) == objects.trees(None)


@pytest.mark.parametrize("name", ["eisner1996", "wg1"])
def test_native_charts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = forest_of_objects(chart_of(name, 6), monkeypatch)
    count, trees = expected.derivation_count, expected.trees(None)
    forest = forest_of_arrays(chart_of(name, 6, "native"), monkeypatch)
    assert forest.derivation_count == count
    assert forest.trees(None) == trees


def test_cycles_are_left_to_objects(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written("endless.schema", ENDLESS)
    chart = schemata.load(str(file)).run(["a", "b", "c"])
    objects = forest_of_objects(chart, monkeypatch)
    counts = dict(objects.derivation_counts)
    forest = forest_of_arrays(chart, monkeypatch)
    assert forest.cyclic
    assert forest.derivation_count == float("inf")
    assert forest.derivation_counts == counts
    assert forest.useful_ids == objects.useful_ids


def test_steps_with_context(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = schemata.LinkGrammar.from_text("a: @A+; b: {@A-} & {@A+}; c: @A- & {B+}; d: {@A-} & B-;")
    for words in ("a b c", "a b b c d", "a b b b b c d"):
        for name in ("sleator-temperley1991", "sleator-temperley-printed"):
            chart = shipped(name).run(words, grammar)
            objects = forest_of_objects(chart, monkeypatch)
            counts, linkages = dict(objects.derivation_counts), objects.linkages(None)
            assert objects.derivation_count > 0
            forest = forest_of_arrays(chart, monkeypatch)
            assert forest.derivation_counts == counts
            assert forest.linkages(None) == linkages
            for item in objects.order:
                assert sorted(e[1:3] for e in forest.edges_into(item)) == sorted(
                    e[1:3] for e in objects.edges_into(item)
                )


def test_counts_beyond_any_machine_number() -> None:
    forest = shipped("eisner1996").run(["w"] * 60).forest()
    assert forest._many
    prime = 1_000_003
    rests: dict[int, int] = {}  # of the counts, by the same sums modulo a prime
    for item in forest.order:
        rests[item] = int(item < forest.chart.raw.hypothesis_count)
        for edge in forest.edges_into(item):
            rests[item] += math.prod(rests[tail] for tail in edge.tails) % prime
    assert forest.derivation_count > 2**100
    assert forest.derivation_count % prime == sum(rests[root] for root in forest.roots) % prime


@pytest.mark.parametrize("engine", ["python", "native"])
def test_derivations_of_large_charts_are_not_counted(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = shipped("collins1996").run("a b c d", engine=engine)  # type: ignore[arg-type]
    whole = figures.run_result(chart, limit=None)
    monkeypatch.setattr(EFFORTS, "forest_steps", chart.step_count - 1)
    found = figures.run_result(chart, limit=3)
    assert (found.derivations, found.count.exact, len(found.structures)) == (None, None, 3)
    assert set(found.structures) < set(whole.structures)
    told = found.to_json()
    assert told["derivations"] is None
    assert told["distinct_trees_at_least"] == 3
    assert "derivations are not counted" in result_text(found)
    untold = result_text(figures.run_result(chart, limit=0))
    assert untold.endswith(f"derivations are not counted in a chart of {chart.step_count} step instances")


ALIKE = """schema alike
  grammar facts
relation lexical(x: word, y: symbol)
hypothesis word[i]  where 1 <= i <= n
item gap[i: position]
step To gap
  case
    {context}word[j]
    ----------  lexical(j, E), builds {one}
    gap[j]
  case
    {context}word[q]
    ----------  builds {other}
    gap[q]
final gap[1]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("context", ["", "given "])
@pytest.mark.parametrize("many", [0, 10**9])
@pytest.mark.parametrize(
    ("one", "other", "number"),
    [
        ("note(E)", "note()", 3),
        ("note(E)", "note(q)", 3),
        ("note(E, j)", "note(q, q)", 3),
        ("note(j)", "note()", 2),
        ("note(j)", "note(q)", 1),
        ("note(j), builds note(j, j)", "note(q, q), builds note(q)", 2),
    ],
)
def test_atoms_that_are_not_alike(
    one: str, other: str, number: int, many: int, context: str, engine: EngineName
) -> None:
    """An atom has a number of arguments and sorts of them: what is the same in back-pointers may be different atoms."""
    facts = Facts.from_text("lexical(u, A)\nlexical(u, B)\nlexical(v, A)\n")
    with changed(array_steps=many, numpy_steps=many):
        schema = schema_of(ALIKE.format(one=one, other=other, context=context))
        chart = schema.run("u v", facts, engine=engine)
        forest = chart.forest()
        assert forest.derivation_count == number
        assert chart.total("real") == pytest.approx(number)
        assert chart.total("count") == number
        assert len(chart.marginals()) == 1
        built = {frozenset(map(str, one.structure.atoms)) for one in chart.k_best(9)}
        assert built == {frozenset(map(str, one.atoms)) for one in forest.structures(limit=9)}
        assert len(built) == (1 if "note(j), " in one else number)
