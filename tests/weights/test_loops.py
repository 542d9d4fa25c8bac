"""Instances that give back an antecedent: against all that any choice of items makes, and on a larger grammar."""

import itertools
import math
import random
from collections.abc import Iterator

import pytest

from schemata import Facts
from schemata.charts import BareChart
from schemata.engine import loops
from schemata.engine.chart import Chart
from schemata.engine.loops import with_loops
from schemata.grammars.rule_files import parse_context_free
from schemata.program.instances import chart_writings, inferences
from schemata.program.matching import solve
from tests.support.charts import schema_of, shipped

SMALL = 'S -> S S [.2] | "a" [.5] | "" [.3]\nA -> S [.5] | A A [.1]\nS -> A [.25]\n'
CHAINS = 'S -> S [.5] | A [.1] | "a" [.4]\nA -> A S [.5] | S [.5]\n'


def brute_force(chart: BareChart) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield case, consequent and antecedents of all instances in which the consequent is a structural antecedent."""
    items = range(chart.raw.item_count)
    for number, case in enumerate(chart.schema.cases):
        forms = [chart.schema.form(a.pattern.form) for a in case.antecedents]
        fitting = [[x for x in items if chart.schema.forms[chart.raw.form_of[x]] is form] for form in forms]
        for chosen in itertools.product(*fitting):
            own = {
                (chart.schema.forms[chart.raw.form_of[x]].name, chart.raw.values[x]): x
                for x, a in zip(chosen, case.antecedents, strict=True)
                if x >= chart.raw.hypothesis_count and not (a.context and case.predicts)
            }
            for written in itertools.product(*(chart_writings(chart, x) for x in chosen)):
                for made, _ in inferences(chart.schema, case, written, chart.n, chart.grammar):
                    if (case.consequent.form, made) in own:
                        yield number, own[case.consequent.form, made], chosen


def found_in(chart: Chart) -> set[tuple[int, int, tuple[int, ...]]]:
    looped = with_loops(chart, range(len(chart.schema.cases)), ())
    found = set()
    for number, (case, log, old) in enumerate(
        zip(chart.schema.cases, looped.raw.edge_logs, chart.raw.edge_logs, strict=True)
    ):
        numbers = list(log)
        rows = [numbers[k : k + case.stride] for k in range(0, len(numbers), case.stride)]
        assert len(rows) * case.stride >= len(old)
        for row in rows[len(old) // case.stride :]:
            found.add((number, int(row[0]), tuple(map(int, row[1 : 1 + len(case.antecedents)]))))
    return found


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("earley", SMALL),
        ("earley", CHAINS),
        ("left-corner", CHAINS),
        ("shift-reduce", CHAINS),
        ("bottom-up-earley", SMALL),
        ("bottom-up-left-corner", CHAINS),
    ],
)
@pytest.mark.rotated(3)
def test_all_instances_that_give_back_an_antecedent(name: str, text: str, engine: str) -> None:
    for words in ("a", "a a"):
        chart = shipped(name).run(words, parse_context_free(text), engine=engine)
        expected = set(brute_force(chart))
        assert found_in(chart) == expected
        assert expected


def test_steps_that_join_what_a_variable_of_their_own_tells() -> None:
    """The other antecedents are found one after the other, each by what the ones before it tell."""
    schema = schema_of("""
schema joined
item at[i: position]
  where 0 <= i <= n
item way[i: position, j: position, k: position]
  where 0 <= i <= n, 0 <= j <= n, 0 <= k <= n
step Begin
  -----
  at[0]
step Next
  at[i]
  ---------
  at[i + 1]
step Ways
  at[i]   at[j]
  -------------  i <= j
  way[i, j, j]
step Round
  at[i]   way[i, j, k]   way[j, k, l]
  -----------------------------------  weight .5
  at[l]
final at[n]
""")
    for n in (1, 3):
        chart = schema.run(["w"] * n)
        expected = set(brute_force(chart))
        assert found_in(chart) == expected
        assert expected


def test_larger_grammars_are_not_searched_item_by_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a field tells of one item is remembered for all with its value: ways of matching are few."""
    rng, names = random.Random(1), [f"N{k}" for k in range(25)]
    rules = {(a, rng.choice(names), rng.choice(names)) for a in names for _ in range(4)}
    text = "".join(f"{a} -> {b} {c} [.01]\n" for a, b, c in sorted(rules))
    text = "S -> N0 [1]\n" + text + "".join(f'{a} -> "w" [.3]\n' for a in names)
    chart = shipped("earley").run(["w"] * 8, parse_context_free(text))
    asked = []
    monkeypatch.setattr(loops, "solve", lambda *given: asked.append(None) or solve(*given))
    assert with_loops(chart, range(len(chart.schema.cases)), ()) is chart
    assert chart.item_count > 5_000
    assert len(asked) < chart.item_count / 3


@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
@pytest.mark.parametrize("name", ["eisner-satta1999", "wg1-unlexicalised", "generalised-eisner-satta"])
def test_a_tree_has_no_rounds(name: str) -> None:
    """Whatever step weighs, sums are over the derivations that are counted."""
    schema = shipped(name)
    for step in schema.definition.step_names:
        chart = schema.run("a b", weights=[{step: lambda: -0.1}])
        expected = 0.0
        for root in chart.forest().derivations(None):
            times = sum(node.step == step for _, node in root.walk())
            expected += math.exp(-0.1 * times)
        assert math.exp(chart.total("log")) == pytest.approx(expected)
    assert expected


ROUNDS = """
schema rounds
item at[i: position]
  where 0 <= i <= n
item light[i: position]
  where 0 <= i <= n
item heavy[i: position]
  where 0 <= i <= n
step Begin
  -----
  at[0]
step Next
  at[i]
  ---------  weight .25
  at[i + 1]
step Light
  --------
  light[n]
step Heavy
  --------  weight .5
  heavy[n]
step Idle
  at[i]   light[i]
  ----------------
  at[i]
final at[n]
"""


def test_what_weighs_nothing_goes_no_rounds() -> None:
    """A step that weighs nothing, over items without weights, is left out beside one that weighs."""
    assert schema_of(ROUNDS).run("w w").total("real") == pytest.approx(0.25**2)
    weighty = schema_of(ROUNDS.replace("at[i]   light[i]", "at[i]   heavy[i]"))
    assert weighty.run("w w").total("real") == pytest.approx(0.25**2 / (1 - 0.5))


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_loop_through_its_context_is_one_hyperedge_with_the_instance_of_another_context(
    engine: str,
) -> None:
    """b[0] licenses the step that a[0], its own consequent, licenses as well; the atom is the same in both."""
    schema = schema_of("""
schema licensed
  grammar facts
relation r(x: symbol)
relation s(x: symbol)
hypothesis word[i]  where 1 <= i <= n
item c[A: symbol, i: position]
step Word
  ----------  s(A)
  c[A, 0]
step Up
  c[A, 0]
  ----------  r(A), builds part(A)
  c[A, 1]
step Back
  given c[_, 0]  c[A, 1]
  ----------  r(A), builds part(A)
  c[A, 0]
final c[_, 0]
""")
    chart = schema.run(["x"], Facts.from_text("s(a)\ns(b)\nr(a) [0.5]\n"), engine=engine)
    # a[0] = 1 + .25 a[0], and b[0] = 1
    assert chart.total("real") == pytest.approx(1 / (1 - 0.25) + 1)
