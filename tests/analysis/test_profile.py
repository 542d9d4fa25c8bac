"""Profiles: counts that add up to the chart's, partners tried against a count by hand, times that add up."""

from __future__ import annotations

import json

import pytest

import schemata
from schemata.analysis.profile import profile
from schemata.cli.main import main
from schemata.display.profile import profile_text
from schemata.engine.budget import Budget

SENTENCE = "a b c d e f"


@pytest.mark.parametrize(
    "name", ["collins1996", "eisner1996", "wg1", "mh:k=4", "mgk:k=1", "arc-eager", "covington2001"]
)
def test_counts_are_those_of_the_chart(name: str) -> None:
    schema = schemata.load(name)
    chart = schema.run(SENTENCE)
    found = profile(schema, SENTENCE)
    assert (found.items, found.instances) == (chart.item_count, chart.step_count)
    assert {step.name: step.instances for step in found.steps} == dict(chart.steps_by_name)
    for step in found.steps:
        assert sum(block.instances for block in step.blocks) == step.instances
        assert sum(block.tried for block in step.blocks) == step.tried


def test_partners_tried_are_what_the_plan_looks_up() -> None:
    """In Eisner's CombineSpans a left span meets every right span that begins where it ends, with the opposite flag."""
    found = profile(schemata.load("eisner1996"), SENTENCE)
    chart = schemata.load("eisner1996").run(SENTENCE)
    spans = [item.values for item in chart.items if item.form == "span"]
    pairs = [(a, b) for a in spans for b in spans if a[1] == b[0] and a[3] != b[2]]
    (combine,) = [step for step in found.steps if step.name == "CombineSpans"]
    assert combine.tried == len(pairs)
    fitting = [(a, b) for a, b in pairs if not (a[2] and b[3])]
    assert combine.instances == len(fitting)


def test_times_add_up_and_the_bottleneck_is_the_longest() -> None:
    found = profile(schemata.load("wg1"), SENTENCE)
    assert sum(step.seconds for step in found.steps) + found.rest == pytest.approx(found.seconds)
    assert sum(step.share for step in found.steps) <= 1
    assert found.bottleneck is not None
    assert found.bottleneck.seconds == max(step.seconds for step in found.steps)
    assert found.bottleneck.name in profile_text(found).partition("bottleneck")[2].splitlines()[0]


def test_a_run_over_budget_is_profiled_as_far_as_it_came() -> None:
    found = profile(schemata.load("wg1"), SENTENCE, budget=Budget(steps=200))
    assert found.stopped == "steps"
    assert 0 < found.instances < schemata.load("wg1").run(SENTENCE).step_count


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "arc-eager", "a b c", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"] == sum(step["instances"] for step in found["by_step"])
    assert found["bottleneck"] in {step["step"] for step in found["by_step"]}
    assert main(["profile", "wg1", SENTENCE, "--max-steps", "200"]) == 2
    assert "a limit was hit (steps)" in capsys.readouterr().out
    assert main(["profile", "cyk", "a b c"]) == 2
    assert "grammar" in capsys.readouterr().err
