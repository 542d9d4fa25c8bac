"""The clause `weight` of a step, functions from Python, weighted hypotheses: their meaning, and mistakes in them."""

import math
from pathlib import Path

import numpy as np
import pytest

import schemata
from schemata.errors import AmbiguityWarning, SchemaError, UsageError
from schemata.language.typeset import conditions_of
from tests.support.commands import Written

NUMBERED = """schema numbered(p = 2)
grammar d-rules
hypothesis word[i] where 1 <= i <= n
item span[i: position, j: position]
  where 1 <= i <= j <= n
step One
  word[i]
  ---------- {one}
  span[i, i]
step Two
  span[i, j] span[j + 1, k]
  ------------------------- {two}
  span[i, k]
step Seen
  given span[i, j] span[j + 1, k]
  ------------------------- i < k
  span[j + 1, k]
final span[1, n]
"""


def load(folder: Path, one: str = "", two: str = "") -> schemata.ParsingSchema:
    file = folder / "numbered.schema"
    file.write_text(NUMBERED.format(one=one, two=two), encoding="utf-8")
    return schemata.load(file)


@pytest.mark.parametrize(
    ("said", "weight"),
    [
        ("weight 0.5", lambda i, j, k: math.log(0.5)),
        ("weight log -0.5 * (k - i)", lambda i, j, k: -0.5 * (k - i)),
        ("weight exp(-(k - i) / 2)", lambda i, j, k: -(k - i) / 2),
        ("weight p / (i + .5e0 * n) - 0.1", lambda i, j, k: math.log(2 / (i + 1.5) - 0.1)),
        ("weight max(abs(i - k), 1, min(j, k)) * 3", lambda i, j, k: math.log(max(k - i, 1, j) * 3)),
        ("weight log score(j, k) - 2 * score(k, 0)", lambda i, j, k: 10.0 * k + j - 2 * k),
        ("weight score(j, k), i < k", lambda i, j, k: 10.0 * k + j),
        ("weight log asked + i", lambda i, j, k: i),
    ],
)
def test_what_a_clause_means(tmp_path: Path, said: str, weight) -> None:
    schema = load(tmp_path, "weight 2", said)
    scores = np.array([[10.0 * h + d for d in range(4)] for h in range(4)])
    with_scores = {"weights": scores} if "score" in said else {}
    chart = schema.run("a b c", **with_scores)
    ones = 3 * math.log(2)
    ways = [ones + weight(1, 1, 3) + weight(2, 2, 3), ones + weight(1, 2, 3) + weight(1, 1, 2)]
    assert [one.weight for one in chart.k_best(9)] == pytest.approx(sorted(ways, reverse=True))
    assert chart.total("log") == pytest.approx(np.logaddexp(*ways))
    case = next(c for c in schema.definition.cases if c.step == "Two")
    again = load(tmp_path, "weight 2", conditions_of(case, ascii=True)[0])
    assert next(c for c in again.definition.cases if c.step == "Two").weight == case.weight


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("weight x", "unbound-variable"),
        ("weight sin(i)", "unknown-function"),
        ("weight exp(i, j)", "wrong-arity"),
        ("weight score(i)", "wrong-arity"),
        ("weight 2, weight 3", "second-weight"),
        ("weight", "unbound-variable"),
        ("weight log", "syntax"),
        ("weight 1 +", "syntax"),
        ("weight i < j", "syntax"),
        ("weight __import__(1)", "syntax"),
    ],
)
def test_mistakes_in_a_clause(tmp_path: Path, said: str, code: str) -> None:
    with pytest.raises(SchemaError) as caught:
        load(tmp_path, "", said)
    assert code in {found.code for found in caught.value.diagnostics}
    assert all(found.location is not None for found in caught.value.diagnostics)


def test_a_weight_does_not_depend_on_context(written: Written) -> None:
    file = written("numbered.schema", NUMBERED.format(one="", two="").replace("i < k", "i < k, weight i"))
    with pytest.raises(SchemaError, match="which only a context antecedent knows"):
        schemata.load(file)


@pytest.mark.parametrize(
    "said", ["weight i - 2", "weight log 1 / (i - 2)", "weight score(i, 9)", "weight exp(i * 1000)"]
)
def test_what_is_no_weight_is_told_with_its_place(tmp_path: Path, said: str) -> None:
    chart = load(tmp_path, said).run("a b c", weights=np.zeros((4, 4)) if "score" in said else None)
    with pytest.raises(UsageError, match="what step One says is not a weight for i = ") as caught:
        chart.best()
    assert caught.value.diagnostics[0].location is not None


def test_variables_may_still_be_called_weight_and_log(tmp_path: Path) -> None:
    chart = load(tmp_path, "weight == i, log = weight, log <= 3").run("a b c")
    assert chart.accepted


def test_functions_of_steps_and_of_hypotheses(tmp_path: Path) -> None:
    schema = load(tmp_path)
    weights = {"Two": lambda i, k, n: float(i * k - n), "word": lambda i: -1.0 * i}
    chart = schema.run("a b c", weights=weights)
    ways = [-6 + (1 * 3 - 3) + (2 * 3 - 3), -6 + (1 * 3 - 3) + (1 * 2 - 3)]
    assert [one.weight for one in chart.k_best(9)] == pytest.approx(sorted(ways, reverse=True))
    assert schema.run("a b c", weights=[weights, {"One": lambda: 1.0}]).best().weight == pytest.approx(
        max(ways) + 3
    )
    for wrong, said in (
        ({"Tow": lambda: 0.0}, "did you mean Two"),
        ({"Two": lambda x: 0.0}, "has no variable x"),
        ({"Two": 3.0}, "is neither a function"),
        ([weights, weights], "two weights"),
        ({"Two": lambda: math.nan}, "is nan"),
    ):
        with pytest.raises(UsageError, match=said):
            schema.run("a b c", weights=wrong).best()


def test_transitions_with_features_of_positions() -> None:
    """Kuhlmann et al. (2011): a shift is paid where the stack's top is known, when the two parts are combined."""
    table = np.random.default_rng(5).normal(0, 1, (2, 6, 6))

    def shift(top: int, following: int) -> float:
        return float(table[0, top, following])

    def arc(top: int, second: int) -> float:
        return float(table[1, top, second])

    schema = schemata.load("arc-standard")
    combining = {
        "la": lambda h1, h2, k: shift(h1, k) + arc(h1, h2),
        "ra": lambda h1, h2, k: shift(h1, k) + arc(h2, h1),
    }
    chart = schema.run("a b c", weights=combining)
    found = []
    for derivation in chart.forest().derivations(None):
        weight = 0.0
        for _, node in derivation.walk():
            if node.step in combining:
                (_, h1, k), (_, h2, _) = (child.item.values for child in node.children)
                weight += combining[node.step](h1=h1, h2=h2, k=k)
        found.append(weight)
    assert chart.best().weight == pytest.approx(max(found))
    with pytest.warns(AmbiguityWarning):
        assert chart.total("log") == pytest.approx(np.logaddexp.reduce(found))
