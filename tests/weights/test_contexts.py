"""Hyperedges whose instances differ in context: each row that one of them asks for counts, once; by enumeration."""

import math
import random
from typing import Any

import pytest

import schemata
from tests.support.charts import schema_of

CASES = """
schema contexts
relation r(a: symbol, b: symbol)
relation q(a: symbol, b: symbol)
relation lexical(form: word, category: symbol)
item c[A: symbol]
item d[B: symbol]
item e[B: symbol]
step Word
  ---------  lexical(1, A)
  c[A]
step Seed
  ---------  lexical(1, A)
  d[A]
step Up
  case one
    d[A]   given c[B]
    -----------------  r(B, C)
    e[C]
  case other
    d[A]   given c[B]
    -----------------  q(B, C)
    e[C]
final e[B]
"""
LEAVES = """
schema leaves
relation r(a: symbol, b: symbol)
relation q(a: symbol, b: symbol)
relation lexical(form: word, category: symbol)
item c[A: symbol]
item e[B: symbol]
step Word
  ---------  lexical(1, A)
  c[A]
step One
  given c[B]
  ----------  r(B, C)
  e[C]
step Other
  given c[B]
  ----------  q(B, C)
  e[C]
final e[B]
"""
SYMBOLS = "UVW"


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("text", [CASES, LEAVES], ids=["cases", "leaves"])
def test_rows_that_contexts_ask_for(text: str, engine: Any) -> None:
    """Each of the items d is a tail of its own; below it, weights of all rows of both relations add up."""
    rng = random.Random(engine + text)
    several = 0
    for _ in range(12):
        words = rng.sample(SYMBOLS, rng.randint(1, 3))
        rows = {
            (name, a, b): rng.choice([0.125, 0.25, 0.5])
            for name in "rq" for a in SYMBOLS for b in "XY" if rng.random() < 0.5
        }  # fmt: skip
        rows["r", words[0], "X"] = 0.75
        lines = [f"lexical(w, {a})\n" for a in words]
        lines += [f"{name}({a}, {b}) [{weight}]\n" for (name, a, b), weight in rows.items()]
        lines += [] if any(name == "q" for name, *_ in rows) else ["q(X, X) [.5]\n"]
        chart = schema_of(text).run("w", schemata.Facts.from_text("".join(lines)), engine=engine)
        used = {row: weight for row, weight in rows.items() if row[1] in words}
        tails = len(words) if text is CASES else 1
        several += len(used) > 1
        assert chart.total("real") == pytest.approx(tails * sum(used.values()))
        assert math.exp(chart.best().weight) == pytest.approx(max(used.values()))
        total_of = {b: sum(w for (_, _, c), w in used.items() if c == b) for b in "XY"}
        shares = {str(item): share for item, share in chart.marginals().items()}
        for b, amount in total_of.items():
            assert shares.get(f"e[{b}]", 0.0) == pytest.approx(amount / sum(total_of.values()))
    assert several > 6


APART = """
schema apart
relation r(a: symbol)
relation q(a: symbol)
relation lexical(form: word, category: symbol)
item c[A: symbol]
item e[B: symbol]
step Word
  ---------  lexical(1, A)
  c[A]
step Up
  case one
    c[A]   given c["U"]
    -------------------  r(A)
    e[A]
  case other
    c[A]   given c["V"]
    -------------------  q(A)
    e[A]
final e[B]
"""
STEPS = """
schema steps
relation lexical(form: word, category: symbol)
item c[A: symbol]
item e[B: symbol]
step Word
  ---------  lexical(1, A)
  c[A]
step One
  given c[A]
  ----------
  e["X"]
step Other
  given c[A]
  ----------
  e["X"]
final e[B]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_cases_of_other_contexts(engine: Any) -> None:
    """Each case weighs the same wherever it applies, and they apply in different contexts."""
    facts = "lexical(w, U)\nlexical(w, V)\nr(U) [.5]\nr(V) [.25]\nq(V) [.125]\nq(U) [.75]\n"
    chart = schema_of(APART).run("w", schemata.Facts.from_text(facts), engine=engine)
    assert chart.total("real") == pytest.approx(0.5 + 0.25 + 0.125 + 0.75)
    alone = schema_of(APART).run(
        "w", schemata.Facts.from_text(facts.replace("(w, V)", "(w, W)")), engine=engine
    )
    assert alone.total("real") == pytest.approx(0.5)


def test_functions_of_steps_that_predict_one_item() -> None:
    facts = schemata.Facts.from_text("lexical(w, U)\nlexical(w, V)\n")
    weights: Any = {"One": lambda A: {"U": -1.0, "V": -2.0}[A], "Other": lambda A: {"U": -3.0, "V": -4.0}[A]}
    chart = schema_of(STEPS).run("w", facts, weights=weights)
    assert chart.total("real") == pytest.approx(sum(math.exp(-k) for k in (1, 2, 3, 4)))
    assert chart.best().weight == pytest.approx(-1.0)
