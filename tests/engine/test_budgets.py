"""Runs that would never end: each stops at a limit, says which, and hands over what it has."""

from __future__ import annotations

import signal
import threading

import pytest

import schemata
from schemata.engine.run import compile_kernel, run_kernel
from schemata.grammars import DRules
from schemata.language.library import read_schema_text
from schemata.structures import Sentence

HEAD = "schema toy\nhypothesis word[i] where 0 <= i <= n\n"
COUNTER = (
    HEAD
    + """item count[i: position]
step Start
  word[0]
  --------
  count[0]
step Next
  count[i]
  ------------
  count[i + 1]
final count[n]
"""
)
DOUBLER = (
    HEAD
    + """item list[L: list of position]
step Start
  word[i]
  -------
  list[<i>]
step Double
  list[L]
  ------------
  list[<*L, *L>]
final list[<0>]
"""
)
RESTLESS = (
    HEAD
    + """item pair[i: position, j: position]
normal form
  pair[i, j] = pair[j, i]
step Start
  word[i]
  -------
  pair[i, i]
final pair[0, 0]
"""
)


def run(text: str, budget: schemata.Budget) -> schemata.Chart:
    schema, problems = read_schema_text(text)
    assert schema is not None, problems
    sentence = Sentence(("a", "b"))
    return run_kernel(compile_kernel(schema), sentence, DRules.all().for_sentence(sentence), budget)


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (schemata.Budget(steps=5_000), "steps"),
        (schemata.Budget(seconds=0.1), "seconds"),
        (schemata.Budget(memory=1), "memory"),
    ],
)
def test_growing_items_stop_and_are_kept(budget: schemata.Budget, reason: str) -> None:
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        run(COUNTER, budget)
    chart = stopped.value.chart
    assert stopped.value.reason == chart.stopped == reason
    assert chart.accepted
    assert chart.step_count == len(chart.items) == chart.steps_by_name["Next"] + 1 > 3
    assert [str(i) for i in chart.items[:3]] == ["count[0]", "count[1]", "count[2]"]
    if reason == "steps":
        assert 5_000 < chart.step_count < 6_000


def test_lists_that_double_stop_before_they_fill_the_memory() -> None:
    with pytest.raises(schemata.BudgetExceeded, match="more than 10,000 elements") as stopped:
        run(DOUBLER, schemata.Budget())
    lengths = [len(item.values[0]) for item in stopped.value.chart.items if isinstance(item.values[0], tuple)]
    assert max(lengths) <= 20_000


def test_a_normal_form_that_never_ends_is_found_out() -> None:
    with pytest.raises(schemata.BudgetExceeded, match="never ends"):
        run(RESTLESS, schemata.Budget())


def test_ctrl_c_keeps_the_chart() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process ignores it
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(schemata.Interrupted) as stopped:
            run(COUNTER, schemata.Budget(seconds=30))
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    chart = stopped.value.chart
    assert chart.stopped == "interrupt"
    assert chart.step_count == chart.item_count > 100


def test_a_budget_that_suffices_changes_nothing() -> None:
    schema = schemata.load("eisner1996")
    free, bounded = schema.run("a b c"), schema.run("a b c", budget=schemata.Budget(steps=25))
    assert free.items == bounded.items
    assert bounded.stopped is None
    with pytest.raises(schemata.BudgetExceeded):
        schema.run("a b c", budget=schemata.Budget(steps=24))
