"""Back-pointers that are implicit in a native chart: the same edges and instances as those that Python stores."""

import itertools

import pytest

import schemata
from schemata.analysis.proofs import Backwards
from schemata.engine.chart import Chart
from schemata.forest.structures import iterate_values
from tests.support.charts import some_links

NAMES = ["eisner1996", "collins1996", "eisner-satta1999", "arc-eager", "hybrid", "mh:k=4", "wg1"]


def edges(chart: Chart) -> set[tuple[object, ...]]:
    forest, items = chart.forest(), range(chart.raw.hypothesis_count, chart.raw.item_count)
    return {
        (chart.item(item).text, edge.case, tuple(chart.item(t).text for t in edge.tails), edge.links)
        for item in items
        for edge in forest.edges_into(item)
    }


def instances(chart: Chart) -> list[tuple[object, ...]]:
    back, items = Backwards(chart), range(chart.raw.hypothesis_count, chart.raw.item_count)
    found = [
        (chart.item(i.consequent).text, i.case, tuple(chart.item(a).text for a in i.antecedents), i.links)
        for item in items
        for i in back.of(item)
    ]
    return sorted(found)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.rotated(3)
def test_expanded_edges_are_those_that_python_stores(name: str, seed: int) -> None:
    schema, n = schemata.load(name), 4
    grammar = some_links(n, seed) if seed else schemata.DRules.all()
    stored = schema.run(["w"] * n, grammar, engine="python")
    native = schema.run(["w"] * n, grammar, engine="native")
    assert edges(native) == edges(stored)
    assert instances(native) == instances(stored)
    assert sum(1 for _ in instances(native)) == native.step_count
    assert "logs" not in native.raw.__dict__  # nothing was enumerated
    assert len(list(native.instances())) == stored.step_count  # from here on, the logs are there
    assert edges(native) == edges(stored)
    assert instances(native) == instances(stored)


def test_first_trees_of_a_long_sentence_enumerate_nothing() -> None:
    chart = schemata.load("eisner1996").run(["w"] * 60, engine="native")
    trees = list(itertools.islice(iterate_values(chart.forest()), 5))
    assert len({tree.heads for tree in trees}) == 5
    assert "logs" not in chart.raw.__dict__
