"""Several inputs, word equality and integers: schemata that use them against brute force, on every engine."""

import random
from functools import cache
from math import comb
from pathlib import Path

import pytest

import schemata
from schemata import Facts, UsageError
from schemata.language.files import check_file
from schemata.language.library import load_schema
from tests.support.charts import schema_of, schema_text, shipped
from tests.support.commands import Written

EDIT = load_schema("edit-distance").source.text
ENGINES = ("python", "native")


def costs(one: tuple[str, ...], other: tuple[str, ...]) -> set[tuple[int, int, int]]:
    """Return what edits of prefixes may cost, up to the words of both, by going through all sequences of edits."""
    found: set[tuple[int, int, int]] = set()
    waiting = [(0, 0, 0)]
    while waiting:
        i, j, cost = state = waiting.pop()
        if state in found or cost > len(one) + len(other) or i > len(one) or j > len(other):
            continue
        found.add(state)
        waiting += [(i + 1, j, cost + 1), (i, j + 1, cost + 1)]
        if i < len(one) and j < len(other):
            waiting.append((i + 1, j + 1, cost + (one[i] != other[j])))
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_edits(engine: str) -> None:
    schema, rng = schema_of(EDIT), random.Random(1)
    for one, other in [("kitten", "sitting"), ("", "ab"), ("ab", ""), *_random_pairs(rng)]:
        chart = schema.run([list(one), list(other)], engine=engine)
        assert {item.values for item in chart.items} == costs(tuple(one), tuple(other))
        ends = [c for i, j, c in costs(tuple(one), tuple(other)) if (i, j) == (len(one), len(other))]
        assert min((item.values[2] for item in chart.final_items), default=99) == min(ends, default=99)


def _random_pairs(rng: random.Random) -> list[tuple[str, str]]:
    words = ["".join(rng.choices("ab", k=k)) for k in (1, 2, 3)]
    return [(one, other) for one in words for other in words][:6]


def test_inputs_are_given_as_texts_lists_or_one_sentence() -> None:
    schema = schema_of(EDIT)
    charts = [
        schema.run(given)
        for given in (["a b", "b"], [["a", "b"], ["b"]], "a b ||| b", ["a", "b", "|||", "b"])
    ]
    assert len({chart.final_items for chart in charts}) == 1
    assert charts[0].sentence.words == ("a", "b", "b")
    explained = schema.run("a b ||| b").explain("edit[2, 1, 1]")
    assert "words 2 (b) and 3 (b) are the same" in str(explained)
    reasons = schema.run("a b ||| b").why_not("edit[1, 1, 0]")
    assert "words 1 (a) and 3 (b) are not the same" in str(reasons)


@pytest.mark.parametrize("given", ["a b", ["a b"], ["a", "b", "c"], "a ||| b ||| c"])
def test_other_numbers_of_inputs_are_refused(given: str | list[str]) -> None:
    with pytest.raises(UsageError, match="reads 2 inputs"):
        schema_of(EDIT).run(given)


def test_commands_without_sentences_refuse_inputs(written: Written) -> None:
    path = written("edit-distance.schema", EDIT)
    with pytest.raises(UsageError, match="reads 2 inputs: source, target"):
        next(iter(schemata.load(path).counts(["a b"])))
    with pytest.raises(UsageError, match="reads 2 inputs: source, target"):
        schemata.relate("itg", "itg")
    assert schemata.load(path).run("a ||| a").accepted


ITG = load_schema("itg").source.text
RULES = {
    "straight": [("S", "S", "X"), ("X", "X", "S")],
    "inverted": [("S", "X", "S"), ("S", "S", "S")],
    "pair": [("S", "a", "x"), ("X", "b", "y"), ("S", "b", "x")],
    "alone": [("X", "a"), ("X", "y")],
    "start": [("S",)],
}


def itg_items(one: str, other: str) -> set[tuple[str, int, int, int, int]]:
    """Return the pairs of stretches that categories derive, by top-down search through all ways to cut them."""

    @cache
    def derives(a: str, s: int, t: int, u: int, v: int) -> bool:
        if (t - s, v - u) == (1, 1) and (a, one[s], other[u]) in RULES["pair"]:
            return True
        if (t - s, v - u) == (1, 0) and (a, one[s]) in RULES["alone"]:
            return True
        if (t - s, v - u) == (0, 1) and (a, other[u]) in RULES["alone"]:
            return True
        for w in range(s, t + 1):
            for x in range(u, v + 1):
                for straight, rules in ((True, RULES["straight"]), (False, RULES["inverted"])):
                    first, second = ((u, x), (x, v)) if straight else ((x, v), (u, x))
                    sizes = (w - s + first[1] - first[0], t - w + second[1] - second[0])
                    if not all(sizes):
                        continue
                    for parent, b, c in rules:
                        if parent == a and derives(b, s, w, *first) and derives(c, w, t, *second):
                            return True
        return False

    return {
        (a, s, t, u, v)
        for a in "SX"
        for s in range(len(one) + 1)
        for t in range(s, len(one) + 1)
        for u in range(len(other) + 1)
        for v in range(u, len(other) + 1)
        if derives(a, s, t, u, v)
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_inversion_transduction(engine: str) -> None:
    schema, grammar = schema_of(ITG), Facts.of(RULES)
    accepted = 0
    for one, other in [
        ("ab", "xy"),
        ("ba", "xy"),
        ("abb", "xyx"),
        ("bab", "yxx"),
        ("a", "xyy"),
        ("aab", "x"),
    ]:
        chart = schema.run([list(one), list(other)], grammar, engine=engine)
        assert {item.values for item in chart.items} == itg_items(one, other)
        accepted += chart.accepted
    assert accepted > 2


GROWS = schema_text("grows")


@pytest.mark.parametrize("engine", ENGINES)
def test_integers_may_be_any_numbers(engine: str) -> None:
    schema = schema_of(
        GROWS.replace("cell[i, s]\n  --------------\n", "cell[i, s]\n  --------------  s < 100\n")
    )
    chart = schema.run("a b c", engine=engine)
    found: set[tuple[int, int]] = set()
    waiting = [(0, 0)]
    while waiting:
        i, s = state = waiting.pop()
        if state not in found:
            found.add(state)
            waiting += [(i + 1, s - 3)] * (i < 3) + [(i, s + 40)] * (s < 100)
    assert {item.values for item in chart.items} == found


def test_integers_without_bounds_are_told_and_stop_at_the_budget(written: Written) -> None:
    path = written("grows.schema", GROWS)
    schema, findings = check_file(path)
    assert schema is not None
    assert [f.code for f in findings] == ["unbounded-item"] * 2
    assert findings[1].message == "nothing bounds s of cell: step Up may go on for ever"
    with pytest.raises(schemata.BudgetExceeded):
        schema_of(GROWS).run("a", budget=schemata.Budget(steps=2_000))


def test_an_integer_is_no_position(tmp_path: Path) -> None:
    path = tmp_path / "wrong.schema"
    text = GROWS.replace("schema grows\ngrammar facts", "schema wrong").replace(
        "i < n", "i < n, attach i to s"
    )
    path.write_text(text, encoding="utf-8")
    assert "s is an integer" in [f.message for f in check_file(path)[1]]


def test_alignments_are_drawn_between_the_inputs() -> None:
    chart = shipped("edit-distance").run("a b c ||| a c")
    found = chart.forest().structures(None)
    assert chart.forest().count_structures().exact == comb(
        5, 2
    )  # pairs in one order, none of them or both words
    assert {alignment.pairs for alignment in found} >= {(), ((1, 1), (3, 2))}
    assert {(alignment.words, alignment.others) for alignment in found} == {(("a", "b", "c"), ("a", "c"))}
    (one,) = shipped("itg").run("the black cat sleeps ||| le chat noir dort", "example").forest().structures()
    assert str(one) == "0-0 1-2 2-1 3-3"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("same word 0, 0", False),
        ("not same word 0, 0", False),
        ("not same word 1, n + 1", False),
        ("same word 1, 1", True),
        ("not same word 1, 2", True),
        ("not known(0, 0)", True),
    ],
)
def test_words_are_compared_only_where_there_are_words(condition: str, holds: bool) -> None:
    """Unlike facts, which a grammar does not have of what is not a word."""
    text = f"""schema outside
  grammar facts
  structure set
relation known(one: word, other: word)
item c[i: position]  where 0 <= i <= n
step A
  ----
  c[0]
step B
  c[0]
  ----  {condition}
  c[n]
final c[n]
"""
    grammar = Facts.of({"known": [("a", "b")]})
    assert schema_of(text).run("a b", grammar).accepted is holds
