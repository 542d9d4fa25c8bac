"""Charts, forests, schemata and what stops a run go to other processes: they are pickled, and copied deeply."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import pytest

import schemata
from schemata import ContextFreeGrammar, LinkGrammar

T = TypeVar("T")

PHRASES = ContextFreeGrammar.of(
    [("S", ["NP", "VP"]), ("NP", ['"dogs"']), ("NP", ["NP", "PP"]), ("VP", ['"sleep"']), ("VP", ["VP", "PP"]),
     ("PP", ['"by"', "NP"])],
    "S",
)  # fmt: skip
LINKS = LinkGrammar.from_text("dogs: S+;\nsleep: S- & {@MV+};\nby: MV- & J+;\nnight: J-;\n")
RUNS = [
    ("eisner1996", None, "a b c d"),
    ("wg1", None, "a b c d"),
    ("nivre2003", None, "a b c"),
    ("earley", PHRASES, "dogs sleep by dogs"),
    ("sleator-temperley1991", LINKS, "dogs sleep by night"),
]


def _pickled(value: T) -> T:
    found: T = pickle.loads(pickle.dumps(value))
    return found


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("again", [_pickled, copy.deepcopy])
@pytest.mark.parametrize(("name", "grammar", "sentence"), RUNS, ids=[name for name, _, _ in RUNS])
@pytest.mark.rotated(3)
def test_charts_forests_and_schemata_travel(
    name: str, grammar: Any, sentence: str, again: Callable[[Any], Any], engine: Any
) -> None:
    schema = schemata.load(name)
    chart = schema.run(sentence.split(), grammar, engine=engine)
    forest, best = chart.forest(), chart.k_best(2)
    assert chart.accepted
    assert forest.derivation_count
    other, other_forest = again(chart), again(forest)
    assert other.k_best(2) == again(chart.weighing).k_best(2) == best
    for one, two in ((chart, other), (forest.chart, other_forest.chart)):
        assert list(map(str, one.items)) == list(map(str, two.items))
        assert one.steps_by_name == two.steps_by_name
        assert list(map(str, one.final_items)) == list(map(str, two.final_items))
    assert other_forest.derivation_count == forest.derivation_count == other.forest().derivation_count
    assert other_forest.count_structures() == forest.count_structures()
    chart_again = again(schema).run(sentence.split(), grammar, engine=engine)
    assert chart_again.step_count == chart.step_count


@pytest.mark.parametrize("again", [_pickled, copy.deepcopy])
def test_what_stopped_a_run_travels_with_its_chart(again: Callable[[Any], Any]) -> None:
    budget = schemata.Budget(steps=100)
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        schemata.load("eisner1996").run(["a"] * 30, engine="python", budget=budget)
    other = again(stopped.value)
    assert str(other) == str(stopped.value)
    assert other.reason == "steps"
    assert other.chart.item_count == stopped.value.chart.item_count > 0


@pytest.mark.parametrize("again", [_pickled, copy.deepcopy])
def test_errors_travel(again: Callable[[Any], Any]) -> None:
    cycle = ContextFreeGrammar.of([("S", ["A"]), ("A", ["S"]), ("S", ['"a"'])], "S")
    endless = schemata.load("earley").run("a", cycle)
    missing = partial(schemata.explain, "collins1996", "a b", "tree[1, 2, 1]", "heads:2,0")
    for asked in (partial(schemata.load, "eisner1997"), missing, endless.entropy):
        with pytest.raises(schemata.SchemataError) as refused:
            asked()
        other = again(refused.value)
        assert str(other) == str(refused.value)
        assert vars(other) == vars(refused.value)
