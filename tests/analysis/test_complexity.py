"""Degrees from rules against published ones and against counted points; formulas against runs at other lengths."""

from __future__ import annotations

import json
import re
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.analysis.complexity import complexity, dimension, in_parameter
from schemata.budget import Budget
from schemata.cli.main import main
from schemata.program.linear import Linear, variable
from schemata.verification.claims import all_claims, degree_of
from tests.support.charts import schema_of

CLAIMS = {claim.reference: claim.complexity for claim in all_claims()}


@pytest.mark.parametrize("reference", CLAIMS)
def test_the_deduced_degree_is_the_published_one(reference: str) -> None:
    found = complexity(schemata.load(reference), formulas=False, family=False)
    if CLAIMS[reference] == "exponential":
        assert found.time is None
        assert found.exponential is not None
    else:
        assert found.time is not None
        assert degree_of(CLAIMS[reference]) == found.time.cost.degree


def value(formula: str, n: int) -> int:
    """The value of a formula as it is printed."""
    python = re.sub(r"C\(([^,]+),(\d+)\)", r"comb(max(\1,0),\2)", formula)
    return int(eval(python, {"comb": comb, "n": n, "max": max}))


LENGTHS = {
    "eisner1996": 20,
    "collins1996": 14,
    "mh:k=4": 13,
    "yamada-matsumoto2003": 20,
    "arc-standard-hook": 14,
}


@pytest.mark.parametrize("reference", LENGTHS)
def test_formulas_predict_runs_at_ten_lengths_not_counted(reference: str) -> None:
    schema = schemata.load(reference)
    found = complexity(schema)
    assert found.items is not None
    assert found.step_instances is not None
    lengths = range(found.checked[-1] + 1, found.checked[-1] + 11)
    runs = list(schema.counts([["w"] * n for n in lengths]))
    assert [value(found.items, n) for n in lengths] == [run.items for run in runs]
    assert [value(found.step_instances, n) for n in lengths] == [run.steps for run in runs]
    chart = schema.run(["w"] * lengths[0])
    assert {p.name: value(p.formula or "", lengths[0]) for p in found.steps} == dict(chart.steps_by_name)
    assert {p.name: value(p.formula or "", lengths[0]) for p in found.forms} == dict(chart.items_by_form)


NAMES = ("i", "j", "k")
ENDS = (*NAMES, "n", "0")


def term(name: str):  # type: ignore[no-untyped-def]
    return variable(name) if name != "0" else variable("n") - variable("n")


@settings(max_examples=100, deadline=None)
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


def test_families() -> None:
    assert in_parameter(schemata.load("mh")) == "n^k"
    assert in_parameter(schemata.load("wgk")) == "n^(5+2k)"
    assert in_parameter(schemata.load("mgk", k=1)) == "n^(4+3k)"
    assert in_parameter(schemata.load("eisner1996")) is None


HALVED = """
schema halved
hypothesis word[i] where 1 <= i <= n
item c[i: position] where 1 <= i <= n
step Double
  word[j]
  --------  i == j + j
  c[i]
final c[n]
"""


def test_counts_that_are_no_polynomial_give_no_formula() -> None:
    found = complexity(schema_of(HALVED))
    assert found.items is None
    assert found.why_not == "no polynomial fits the counts"
    assert found.time is not None
    assert found.time.cost.degree == 1


def test_a_limit_leaves_the_degrees(capsys: pytest.CaptureFixture[str]) -> None:
    found = complexity(schemata.load("eisner1996"), budget=Budget(steps=10))
    assert found.stopped == "steps"
    assert (found.items, found.time and found.time.cost.degree) == (None, 3)
    assert main(["complexity", "eisner1996", "--max-steps", "10"]) == 2
    assert "limit of steps was hit" in " ".join(capsys.readouterr().out.split())


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["complexity", "mh:k=3", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["parameters"] == {"k": 3}
    assert printed["time"]["degree"] == 3
    assert printed["time"]["bottleneck"] == "Combine"
    assert printed["time"]["family"] == "n^k"
    assert printed["space"]["degree"] == 3
    assert (printed["items"], printed["exponential"]) == ("C(n+3,3)", False)
    assert main(["complexity", "nivre2003", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["time"]["degree"] is None
