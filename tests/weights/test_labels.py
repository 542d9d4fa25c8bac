"""Scores of labelled links, in trees and in graphs, against all labelled trees and graphs."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import schemata
from schemata.errors import UsageError
from tests.forest.test_graphs import NONCROSSING
from tests.oracle.trees import projective_forests
from tests.support.charts import schema_of, schema_text, shipped
from tests.support.commands import Cli, Written

LABELS = ("obj", "subj")
TREES = schema_text("labelled-2")


def scores(n: int) -> schemata.ArcScores:
    return schemata.ArcScores(np.random.default_rng(3).normal(0, 1, (n + 1, n + 1, 2)), LABELS)


def every_tree(given: schemata.ArcScores) -> dict[schemata.DependencyTree, float]:
    """Return all projective trees with labels; a dependent to the left of its head has one label only."""
    found = {}
    for heads in projective_forests(given.n):
        choices = [LABELS if h < d else LABELS[1:] for d, h in enumerate(heads, start=1)]
        for labels in itertools.product(*choices):
            links = zip(heads, labels, strict=True)
            weight = sum(given.of(d, h, label) for d, (h, label) in enumerate(links, start=1))
            found[schemata.DependencyTree(heads, labels)] = weight
    return found


@pytest.mark.parametrize("engine", ["python", "native"])
def test_trees_with_labels(engine: str) -> None:
    given = scores(3)
    every = every_tree(given)
    chart = schema_of(TREES).run("a b c", weights=given, engine=engine)
    best = chart.k_best(1_000)
    assert {one.structure: pytest.approx(one.weight) for one in best} == every
    assert [one.weight for one in best] == sorted((one.weight for one in best), reverse=True)
    assert chart.best() == best[0]
    total = np.logaddexp.reduce(list(every.values()))
    assert chart.total("log") == pytest.approx(total)
    marginals = chart.marginals()
    assert marginals == pytest.approx(chart.marginals(distinct=True))
    for (d, h, label), share in marginals.items():
        has = (w for x, w in every.items() if (x.heads[d - 1], x.labels[d - 1]) == (h, label))
        assert share == pytest.approx(sum(math.exp(weight - total) for weight in has))
    assert chart.weight_of(best[5].structure) == pytest.approx(best[5].weight)
    heads = best[5].structure.heads
    assert chart.weight_of(heads) == pytest.approx(max(w for x, w in every.items() if x.heads == heads))
    assert all(one.weight == pytest.approx(every[one.structure]) for one in chart.sample(20, seed=1))


def test_scores_without_labels_are_those_of_all_labels() -> None:
    matrix = np.random.default_rng(3).normal(0, 1, (4, 4))
    labelled, plain = (
        schema.run("a b c", weights=matrix) for schema in (schema_of(TREES), shipped("eisner1996"))
    )
    assert labelled.best().weight == pytest.approx(plain.best().weight)
    assert labelled.best().structure.heads == plain.best().structure.heads
    assert labelled.best().structure.labels is not None


def test_labels_that_links_have_not() -> None:
    with pytest.raises(UsageError, match="the schema builds links without labels"):
        shipped("eisner1996").run("a b", weights=scores(2))
    some = schema_of(TREES.replace(' by "obj"', ""))
    with pytest.raises(UsageError, match="the schema builds links without labels"):
        some.run("a b", weights=scores(2))
    one = schemata.ArcScores(np.zeros((3, 3, 1)), ["subj"])  # the other label is forbidden
    found = schema_of(TREES).run("a b", weights=one).k_best(9)
    assert {label for x in found for label in x.structure.labels} == {"subj"}


def test_graphs_with_labels() -> None:
    given = scores(4)
    names = {"l": "obj", "r": "subj"}
    renamed = schemata.ArcScores(given.matrix, ["l", "r"])
    chart = schema_of(NONCROSSING).run("a b c d", weights=renamed)
    graphs = chart.forest().structures(None)
    every = {graph: sum(given.of(d, h, names[label]) for d, h, label in graph.labelled) for graph in graphs}
    best = chart.k_best(10_000)
    assert {one.structure: pytest.approx(one.weight) for one in best} == every
    assert chart.best().weight == pytest.approx(max(every.values()))
    assert chart.weight_of(best[3].structure) == pytest.approx(best[3].weight)
    total = np.logaddexp.reduce(list(every.values()))
    for link, share in chart.marginals(distinct=True).items():
        has = (weight for graph, weight in every.items() if link in graph.labelled)
        assert share == pytest.approx(sum(math.exp(weight - total) for weight in has))


def test_labels_on_the_command_line(cli: Cli, tmp_path: Path, written: Written) -> None:
    (tmp_path / "labelled.schema").write_text(TREES, encoding="utf-8")
    file = written(
        "my.scores", "words a b\nattach b to a by obj [log 2]\nattach a to 0 by subj [4]\notherwise [1]\n"
    )
    asked = ["run --best 1 --marginals --weights", str(file), str(tmp_path / "labelled.schema"), "a b"]
    found = json.loads(cli(*asked, "--json").out)
    assert found["best"] == [
        {"weight": pytest.approx(2 + math.log(4)), "heads": [0, 1], "labels": ["subj", "obj"]}
    ]
    assert sum(share for (d, *_), share in found["marginals"] if d == 2) == pytest.approx(1.0)
    said = cli(*asked).out
    assert "obj" in said
    assert "2 1 obj" in said
