"""What a step instance weighs is read off its items where it can be; the truth is a search for all its bindings."""

from collections.abc import Iterator
from typing import Any

import pytest

import schemata
from schemata.charts import BareChart, Instance
from schemata.engine.weighted_graph import StepWeights
from schemata.grammars.rule_files import parse_context_free
from schemata.program.instances import instance_bindings
from schemata.weights.scores import Weights
from tests.support.charts import shipped
from tests.weights.test_clauses import NUMBERED

RULES = """
S -> S S [.3] | A S [.2] | "a" [.5]
A -> "a" [.25] | A A [.5] | S [.125]
"""
BINARY = RULES.replace(" | S [.125]", "")


def both(chart: BareChart, given: Weights) -> tuple[StepWeights, StepWeights]:
    """Return the weights of a chart's instances, read where they can be, and sought for each."""
    read, sought = StepWeights(chart, given), StepWeights(chart, given)
    sought._reads = {}
    return read, sought


@pytest.mark.parametrize("name", ["cyk", "earley", "left-corner", "shift-reduce"])
def test_rules_of_context_free_grammars(name: str) -> None:
    chart = shipped(name).run("a a a", parse_context_free(BINARY if name == "cyk" else RULES))
    read, sought = both(chart, Weights())
    instances = list(chart.instances())
    assert [read.of(one) for one in instances] == [sought.of(one) for one in instances]
    assert len({weight for one in instances for weight in sought.of(one).values()}) > 3


def depends(i: int, k: int) -> float:
    return 10.0 * i + k


@pytest.mark.parametrize("said", ["weight log -0.5 * (k - i)", "weight p / (i + .5e0 * n)", "weight exp(j)"])
@pytest.mark.parametrize("steps", [{}, {"Two": depends}, {"Two": lambda n: n + 0.5, "One": lambda: 2.0}])
def test_clauses_and_functions(said: str, steps: dict[str, Any]) -> None:
    schema = schemata.schema(NUMBERED.format(one="", two=said))
    chart = schema.run("a b c d")
    read, sought = both(chart, Weights(steps=steps))
    instances = list(chart.instances())
    assert [read.of(one) for one in instances] == [sought.of(one) for one in instances]
    assert (2 if {"One"} <= steps.keys() else 1) == len(read._reads)


def test_long_sentences_are_counted_with_few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = shipped("cyk").run(["a"] * 12, parse_context_free('S -> S S [.3] | "a" [.5]'))
    sought = list[Instance]()

    def seek(chart: BareChart, instance: Instance) -> Iterator[dict[str, Any]]:
        sought.append(instance)
        return instance_bindings(chart, instance)

    monkeypatch.setattr("schemata.engine.weighted_graph.instance_bindings", seek)
    assert chart.total("count") == 58_786  # binary trees of 12 leaves
    assert 0 < len(sought) <= 24  # only of words: of the rules in two cases that bind the word itself
