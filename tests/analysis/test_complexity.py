"""Degrees from rules against published ones and against counted points; formulas against runs at other lengths."""

import re
from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.analysis.complexity import (
    _facts,
    _listed,
    _rule_cost,
    complexity,
    dimension,
    in_parameter,
    loops_degree,
)
from schemata.analysis.profile import _purpose
from schemata.budget import Budget
from schemata.engine.run import Kernel, run_kernel
from schemata.grammars import DRules
from schemata.kernels.agenda import planned
from schemata.kernels.shape import Shape
from schemata.language import model as m
from schemata.language.inputs import with_equal_lengths
from schemata.language.shipped import shipped_schemata
from schemata.program.linear import Linear, variable
from schemata.program.plan import is_loop
from schemata.structures import Sentence
from schemata.verification.claims import all_claims, degree_of
from tests.support.charts import schema_of, schema_text, shipped
from tests.support.commands import Prints, Tells, Written

CLAIMS = {claim.reference: claim.complexity for claim in all_claims()}
del CLAIMS["pitler2013:free=1"]  # the steps of pitler2013, in five times as many rules


@pytest.mark.parametrize("reference", CLAIMS)
@pytest.mark.rotated(4)
def test_the_deduced_degree_is_the_published_one(reference: str) -> None:
    found = complexity(shipped(reference), formulas=False, family=False)
    if CLAIMS[reference] == "exponential":
        assert found.time is None
        assert found.exponential is not None
    else:
        assert degree_of(CLAIMS[reference]) == found.time.cost.degree


def value(formula: str, n: int) -> int:
    """The value of a formula as it is printed."""
    python = re.sub(r"C\(([^,]+),(\d+)\)", r"comb(max(\1,0),\2)", formula)
    return int(eval(python, {"comb": comb, "n": n, "max": max}))


@pytest.mark.parametrize(
    "reference",
    [
        *("eisner1996", "collins1996", "mh:k=4", "yamada-matsumoto2003", "arc-standard-hook", "vine"),
        *("arc-eager-once", "koo-collins2010-model2", "noncrossing-acyclic", "wg1"),
    ],
)
@pytest.mark.rotated(2)
def test_proved_formulas_predict_runs_at_ten_lengths_not_counted(reference: str) -> None:
    schema = shipped(reference)
    found = complexity(schema)
    assert found.proved
    assert found.items is not None
    assert found.step_instances is not None
    assert found.holds_from is not None
    begin = max((*found.checked, found.holds_from - 1)) + 1
    lengths = range(begin, begin + 10)
    runs = list(schema.counts([["w"] * n for n in lengths]))
    assert [value(found.items, n) for n in lengths] == [run.items for run in runs]
    assert [value(found.step_instances, n) for n in lengths] == [run.steps for run in runs]
    chart = schema.run(["w"] * lengths[0])
    assert {p.name: value(p.formula or "", lengths[0]) for p in found.steps} == dict(chart.steps_by_name)
    formulas = {p.name: value(p.formula or "", lengths[0]) for p in found.forms}
    assert formulas == {name: count for name, count in chart.items_by_form.items() if name in formulas}
    if found.holds_from > 1:  # the formulas do not hold of one word less
        less = schema.run(["w"] * (found.holds_from - 1))
        said = {p.name: value(p.formula or "", found.holds_from - 1) for p in (*found.steps, *found.forms)}
        assert said != {x: k for x, k in {**less.steps_by_name, **less.items_by_form}.items() if x in said}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("where 0 <= i < j <= n + 1", "where 0 <= i < j <= n + 1, j <= i + 4"),
        ("attach j to k", "attach i to k"),
    ],
)
def test_a_mutated_schema_has_other_formulas(old: str, new: str) -> None:
    text = shipped("yamada-matsumoto2003").definition.source.text
    assert old in text
    found, plain = (complexity(schema_of(one)) for one in (text.replace(old, new), text))
    assert found.proved
    assert (found.items, found.step_instances) != (plain.items, plain.step_instances)
    schema = schema_of(text.replace(old, new))
    assert value(found.items or "", 12) == schema.run(["w"] * 12).item_count


def test_items_that_small_runs_do_not_show_are_not_overlooked() -> None:
    """Of a step that begins with sentences of 14 words, runs of up to 9 say nothing; the proof notices."""
    text = LATE.replace("PLACE", "14 <= i")
    found = complexity(schema_of(text))
    assert not found.proved
    assert found.unproved is not None
    assert complexity(schema_of(LATE.replace("PLACE", "4 <= i"))).proved


LATE = """
schema late
hypothesis word[i] where 1 <= i <= n
item c[i: position] where 1 <= i <= n
item d[i: position] where 1 <= i <= n
step Take
  word[i]
  -------
  c[i]
step Late
  c[i]
  ----  PLACE
  d[i]
final d[n]
"""


NAMES = ("i", "j", "k")
ENDS = (*NAMES, "n", "0")


def term(name: str):  # type: ignore[no-untyped-def]
    return variable(name) if name != "0" else variable("n") - variable("n")


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(ENDS), st.sampled_from(ENDS), st.integers(-2, 2), st.sampled_from((">=", "=="))
        ),
        max_size=4,
    )
)
def test_the_dimension_is_the_growth_of_the_number_of_points(rows: list[tuple[str, str, int, str]]) -> None:
    tests = [Linear(">=", term(x)) for x in NAMES] + [Linear(">=", variable("n") - term(x)) for x in NAMES]
    tests += [Linear(relation, term(x) - term(y) + c) for x, y, c, relation in rows if x != y]

    def points(n: int) -> int:
        values = dict(zip(NAMES, np.indices((n + 1,) * 3), strict=True)) | {"n": n, "0": 0}
        left = [(values[x] - values[y] + c, relation) for x, y, c, relation in rows if x != y]
        fits = [value >= 0 if relation == ">=" else value == 0 for value, relation in left]
        return int(np.logical_and.reduce(np.broadcast_arrays(np.ones((n + 1,) * 3, bool), *fits)).sum())

    # From some length on the number is a polynomial: its differences of this order are one number, and not zero.
    numbers = np.array([points(n) for n in range(12, 18)])
    if numbers.any():
        differences = np.diff(numbers, dimension(tests, NAMES))
        assert differences[0] > 0
        assert (differences == differences[0]).all()


@pytest.mark.thorough
def test_families(monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_parameter(shipped("mh")) == "n^k"
    assert in_parameter(shipped("wgk")) == "n^(5+2k)"
    monkeypatch.setattr("schemata.analysis.complexity._VALUES", 2)  # the third takes as long as this file
    assert in_parameter(shipped("mgk", k=1)) == "n^(4+3k)"
    assert in_parameter(shipped("eisner1996")) is None


HALVED = schema_text("halved")


@pytest.mark.parametrize(
    ("name", "time", "space"), [("itg", "n^6 |N|^3", "n^4 |N|"), ("edit-distance", "n^3", "n^3")]
)
def test_of_several_inputs_each_has_n_words(name: str, time: str, space: str) -> None:
    found = complexity(shipped(name))
    assert (str(found.time.cost), str(found.space.cost)) == (time, space)


def test_counts_of_every_second_position_are_a_quasi_polynomial() -> None:
    found = complexity(schema_of(HALVED))
    assert found.items == "m for n = 2*m; m for n = 2*m+1"
    assert not found.proved
    assert found.time.cost.degree == 1


def test_counts_that_few_lengths_do_not_determine_give_no_formula() -> None:
    found = complexity(schema_of(HALVED.replace("i == j + j", "i == j + j + j + j + j + j + j")))
    assert found.items is None
    assert found.why_not == "no polynomial fits the counts"


def test_a_limit_leaves_the_degrees(written: Written, prints: Prints) -> None:
    path = written("halved.schema", HALVED)
    found = complexity(schemata.load(path), budget=Budget(steps=3))
    assert found.stopped == "steps"
    assert (found.items, found.time and found.time.cost.degree) == (None, 1)
    assert "limit of steps was hit" in " ".join(
        prints("complexity", str(path), "--max-steps", "3", code=2).split()
    )


def test_json(tells: Tells) -> None:
    printed = tells("complexity mh:k=3")
    assert printed["parameters"] == {"k": 3}
    assert printed["time"]["degree"] == 3
    assert printed["time"]["bottleneck"] == "Combine"
    assert printed["time"]["family"] == "n^k"
    assert printed["space"]["degree"] == 3
    assert (printed["items"], printed["exponential"]) == ("C(n+3,3)", False)
    assert printed["proved"] is True
    assert tells("complexity nivre2003")["time"]["degree"] is None


# The loops that run ---------------------------------------------------------------------------------------------------

SUMS = schema_text("cartesian").replace("i + l > j + k + 5", "i + l == j + k + 3")


def passes(schema: m.Schema, n: int) -> dict[str, int]:
    """Return how often the loops of each step with loops are passed on n words, whichever item comes last."""
    kernel = Kernel(schema, "rows")
    sentence = Sentence(tuple(f"w{k}" for k in range(n)))
    chart = run_kernel(kernel, sentence, DRules.all().for_sentence(sentence))
    probe = kernel.agenda.text(*_purpose(kernel, chart)).probe
    assert probe is not None
    found = Counter[str]()
    for one in probe.plans:
        for k, move in enumerate(one.plan.moves):
            if is_loop(move):
                found[schema.cases[one.rule.case].step] += probe.counted[one.counters[k]]
    return found


def degree(counts: list[int]) -> int:
    """The degree of the polynomial that the last counts follow; -1 for zeros."""
    rows, found = np.array(counts[-9:], dtype=object), -1
    while any(rows):
        rows, found = np.diff(rows), found + 1
    assert len(rows) >= 2, counts
    return found


@pytest.mark.parametrize(
    "text",
    ["eisner1996", "collins1996", "arc-eager", "mh:k=3", "eisner-satta1999", "arc-standard-hook", SUMS],
)
def test_the_degree_is_that_of_the_loops_that_run(text: str) -> None:
    schema = schema_of(text) if "\n" in text else shipped(text)
    told = {part.name: part.cost.degree for part in complexity(schema, formulas=False, family=False).steps}
    runs = [passes(schema.definition, n) for n in range(3, 15)]
    counted = {step: degree([run[step] for run in runs]) for step in runs[0]}
    assert counted
    assert {step: told[step] for step in counted} == counted


def test_loops_of_a_rule_may_go_through_more_than_its_instances() -> None:
    found = complexity(schema_of(SUMS), family=False)
    step = max(found.steps, key=lambda part: part.cost.degree)
    assert step.formula is not None
    counts = [value(step.formula, n) for n in range(20, 40)]
    assert step.cost.degree == 4
    assert degree(counts) < 4


@pytest.mark.thorough
def test_no_loop_of_a_shipped_schema_goes_through_more_than_the_degree_of_its_step() -> None:
    for name in sorted(shipped_schemata())[1::3]:
        definition = schemata.load(name).definition
        kernel = Kernel(with_equal_lengths(definition) if definition.reads_inputs else definition)
        facts, layout = _facts(kernel.program), kernel.agenda.layout
        for hashed in (True, False) if layout.bounded else (True,):
            for plan in planned(Shape(layout, hashed, rows=False)):
                instances = _rule_cost(facts, plan.rule, ()).degree
                lists = sum(_listed(kernel.program, atom.kind) for atom in plan.rule.antecedents)
                possible = instances == lists == 0  # no instance, so that loops are cut short by a test
                assert possible or loops_degree(facts, plan) <= instances, (name, plan.rule.number, plan.slot)
