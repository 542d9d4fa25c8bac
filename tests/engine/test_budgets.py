"""Runs that would never end: each stops at a limit, says which, and hands over what it has."""

import sys
import threading
from collections.abc import Callable

import pytest

import schemata
from schemata.budget import resident_bytes
from tests.oracle.naive import all_links
from tests.support.charts import COUNTER, schema_of
from tests.support.engines import start

HEAD = "schema toy\nhypothesis word[i] where 0 <= i <= n\n"
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
  word[i]   word[j]
  -----------------
  pair[i, j]
final pair[0, 0]
"""
)


def run(text: str, budget: schemata.Budget) -> schemata.Chart:
    return schema_of(text).run("a b", budget=budget, engine="python")


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


@pytest.mark.parametrize("engine", ["python", "agenda"])
def test_a_normal_form_that_never_ends_is_found_out(engine: str) -> None:
    with pytest.raises(schemata.BudgetExceeded, match="never ends"):
        start(schema_of(RESTLESS), 2, all_links(2), engine, schemata.Budget())


def test_an_equation_that_leaves_an_item_as_it_is_ends() -> None:
    chart = run(
        RESTLESS.replace("   word[j]", "").replace("[i, j]\nfinal", "[i, i]\nfinal"), schemata.Budget()
    )
    assert [str(item) for item in chart.items] == ["pair[0, 0]", "pair[1, 1]", "pair[2, 2]"]


TURNED = (
    HEAD
    + """item pair[i: position, j: position]  where 0 <= i <= n, 0 <= j <= n
normal form
  pair[i, j] = pair[j, i] if j < i
step Start
  word[i]   word[j]
  -----------------
  pair[i, j]
final pair[n, 0]
"""
)


@pytest.mark.parametrize("engine", ["python", "agenda", "ordered"])
@pytest.mark.parametrize("steps", range(9))
def test_final_items_of_a_chart_cut_short_are_found_by_all_their_writings(engine: str, steps: int) -> None:
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        start(schema_of(TURNED), 2, all_links(2), engine, schemata.Budget(steps=steps))
    chart = stopped.value.chart
    # Of a run that was cut short it is not known that it would derive none.
    assert chart.accepted is ("pair[0, 2]" in map(str, chart.items) or None)


def test_ctrl_c_keeps_the_chart(ctrl_c_after: Callable[[float], None]) -> None:
    ctrl_c_after(0.3)
    with pytest.raises(schemata.Interrupted) as stopped:
        run(COUNTER, schemata.Budget(seconds=30))
    chart = stopped.value.chart
    assert chart.stopped == "interrupt"
    assert chart.step_count == chart.item_count > 100


# A list of thousands of elements has billions of cuts: without end, for all that a test can wait.
ROWS = (
    HEAD
    + """item row[L: list of position]
step Start
  word[i]
  -------
  row[<i>]
step Double
  row[L]
  -----------------
  row[<*L, *L, 1>]
"""
)
CUTTER = (
    ROWS
    + """item seen[x: position]
step Cut
  row[<*_, x, *_, y, *_, z, *_>]
  -------------------------------  x < y, y < z
  seen[x]
final row[<0, *_>]
"""
)
FINALS = (
    ROWS
    + """final row[<_>]
final row[<*_, x, *_, y, *_, z, *_>]  where x < y, y < z
"""
)
ENDING = FINALS.replace("list of position]", "list of position]  where length(L) < 9000")
MANY = (
    ROWS
    + """item cut[L: list of position]
step Cut
  row[<*A, x, *B, y, *C>]
  -----------------------  x < y
  cut[<*A, *C, y, *B, x>]
final row[<0, *_>]
"""
)


def test_the_cuts_of_one_list_stop_at_the_budget() -> None:
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        run(CUTTER, schemata.Budget(seconds=0.2))
    chart = stopped.value.chart
    assert stopped.value.reason == chart.stopped == "seconds"
    assert chart.accepted
    assert chart.step_count == len(chart.items) > 3


def test_the_cuts_of_one_list_stop_before_they_fill_the_memory() -> None:
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        run(MANY, schemata.Budget(memory=resident_bytes() + (20 << 20)))
    chart = stopped.value.chart
    assert stopped.value.reason == "memory"
    assert chart.accepted
    consequents = {instance.consequent for instance in chart.instances()}
    assert consequents == set(chart.derived_ids)


def test_final_items_are_looked_for_within_the_budget() -> None:
    # The lists soon have more than 10,000 elements, which ends the run; what is final is looked for a moment.
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        run(FINALS, schemata.Budget())
    assert stopped.value.reason == "memory"
    assert len(stopped.value.chart.final_items) >= 3
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        run(ENDING, schemata.Budget(seconds=0.2))
    assert stopped.value.reason == stopped.value.chart.stopped == "seconds"
    assert len(stopped.value.chart.final_items) >= 3


@pytest.mark.parametrize("text", [CUTTER, ENDING], ids=["in a step", "among final items"])
def test_ctrl_c_is_heard_within_the_cuts_of_one_list(
    text: str, ctrl_c_after: Callable[[float], None]
) -> None:
    ctrl_c_after(0.3)
    with pytest.raises(schemata.Interrupted) as stopped:
        run(text, schemata.Budget())
    assert stopped.value.chart.accepted
    assert stopped.value.chart.item_count > 3


def test_runs_in_threads_are_watched_too() -> None:
    found: list[str] = []

    def work() -> None:
        try:
            run(CUTTER, schemata.Budget(seconds=0.2))
        except schemata.BudgetExceeded as stopped:
            found.append(stopped.reason)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["seconds"] * 3


def test_where_no_thread_can_start_kernels_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    monkeypatch.setattr("schemata.budget._keeper.thread", None)
    with pytest.raises(RuntimeError, match="thread"):  # there is too little memory for one
        schemata.load("eisner1996").run("a b c")
    monkeypatch.setattr(sys, "platform", "emscripten")
    schema = schemata.load("eisner1996")
    assert schema.run("a b c").step_count == 25
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        schema.run(["w"] * 300, budget=schemata.Budget(seconds=0.2))
    assert stopped.value.reason == "seconds"


def test_a_budget_that_suffices_changes_nothing() -> None:
    schema = schemata.load("eisner1996")
    free, bounded = schema.run("a b c"), schema.run("a b c", budget=schemata.Budget(steps=25))
    assert free.items == bounded.items
    assert bounded.stopped is None
    with pytest.raises(schemata.BudgetExceeded):
        schema.run("a b c", budget=schemata.Budget(steps=24))
