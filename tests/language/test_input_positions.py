"""Positions of several inputs: a rule tells of which input each is, and what it does not tell is an error."""

import itertools

import pytest

from schemata import Facts
from schemata.language.files import read_schema_text
from tests.support.charts import schema_of

HEAD = """schema two
  grammar facts
  structure set

input source, target

relation pair(i: word, j: word)
relation offset(k: number)

"""
SAME = {  # i and j are bound in many ways; each accepts `x ||| y` where the words are the same
    "sum": ("at[i: position of source, j: position of target]", "at[i - 1, j - 1]", ""),
    "plain": ("at[i: position of source, j: position of target]", "at[a, b]", "i == a + 1, j == b + 1, "),
    "other side": (
        "at[i: position of source, j: position of target]",
        "at[a, b]",
        "a == i - 1, b == j - 1, ",
    ),
    "range": (
        "at[i: position of source, j: position of target]",
        "at[0, 0]",
        "i in [1..n of source], j in [1..n of target], ",
    ),
    "number": ("at[i: position of source, j: position of target]", "at[0, 0]", "offset(i), offset(j), "),
}


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("way", SAME)
@pytest.mark.parametrize("asked", ["same word i, j", "pair(i, j)"])
def test_conditions_ask_about_the_words_of_the_input_that_a_rule_tells(engine, way, asked):
    item, above, binds = SAME[way]
    schema = schema_of(f"""{HEAD}item {item}

step Begin
  --------
  at[0, 0]

step Read
  {above}
  ---------  {binds}{asked}
  at[i, j]

final at[1, 1]
""")
    for one, other, more in itertools.product("ab", "ab", ("", " c")):
        accepted = one == other if asked.startswith("same") else (one, other) == ("a", "b")
        facts = Facts.of({"offset": [(1,)], "pair": [("a", "b"), ("c", "c"), ("d", "d")]})
        chart = schema.run(f"{one}{more} ||| {other} d", facts, engine=engine)
        assert chart.accepted == accepted, (one, other, more)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_words_that_a_relation_binds_are_of_the_input_that_the_consequent_tells(engine):
    schema = schema_of(f"""{HEAD}item cell[i: position of source, j: position of target]

step Pair
  ---------  pair(i, j)
  cell[i - 1, j]

final cell[1, 1]
""")
    words = [["a", "b", "a"], ["b", "a", "b", "b"]]
    facts = Facts.of({"pair": [("a", "b"), ("b", "a")]})
    expected = {
        f"cell[{i}, {j + 1}]"
        for i, one in enumerate(words[0])
        for j, other in enumerate(words[1])
        if one != other
    }
    assert set(map(str, schema.run(words, facts, engine=engine).items)) == expected


@pytest.mark.parametrize(
    ("step", "found"),
    [
        ("at[i, j]\n  ---------  same word 1, j\n  at[i, j + 1]", [("open-input", "1")]),
        ("at[i, j]\n  ---------  offset(k), same word k, j\n  at[i, j + 1]", [("open-input", "k")]),
        (
            "at[i, j]\n  ---------  pair(k, l), k < l\n  at[i, j + 1]",
            [("open-input", "k"), ("open-input", "l")],
        ),
        ("at[i, j]\n  ---------  pair(n, j)\n  at[i, j + 1]", [("open-input", "n")]),
        ("at[i, j]\n  ---------  pair(i + j, j)\n  at[i, j + 1]", [("wrong-type", "i + j")]),
        ("at[i, j]\n  ---------\n  at[i + j, j]", [("wrong-type", "i + j")]),
        ("at[k, k]\n  ---------\n  at[k, 0]", [("wrong-type", "k")]),
        ("at[k - 1, k]\n  ---------\n  at[0, 0]", [("wrong-type", "k")]),
        ("at[i, j]\n  ---------  offset(k), same word k, j\n  at[k, j + 1]", []),
        ("at[i, j]\n  ---------  same word i, j\n  at[i + j - j, j + 1]", []),
        ("at[i, j]\n  ---------  k in [1..n of target], same word k, i\n  at[i, j + 1]", []),
    ],
)
def test_what_a_rule_does_not_tell_is_an_error(step, found):
    text = f"""{HEAD}item at[i: position of source, j: position of target]

step Begin
  --------
  at[0, 0]

step Go
  {step}

final at[n of source, n of target]
"""
    _, findings = read_schema_text(text)
    errors = [x for x in findings if x.severity == "error"]
    lines = text.splitlines()
    shown = [(x.code, x.location) for x in errors if x.location is not None]
    assert [(code, lines[at.line - 1][at.column - 1 : at.end_column - 1]) for code, at in shown] == found
    assert all(x.expected and (x.code != "open-input" or x.hint) for x in errors)


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("asked", ["same word i, j", "not same word i, j", "pair(i, j)", "not pair(i, j)"])
def test_positions_that_are_no_words_of_their_input_are_no_words_of_another(engine, asked):
    schema = schema_of(f"""{HEAD}item any[i: position of source, j: position of target]
item asked[i: integer, j: integer]

step Any
  --------  i in [0..n of source], j in [0..n of target]
  any[i, j]

step Before
  any[i, j]
  --------  {asked}
  asked[i, j]

step After
  any[i, j]
  --------  {asked.replace("i, j", "i + 1, j + 1")}
  asked[i + 1, j + 1]

final any[0, 0]
""")
    one, other = ["a", "b", "c"], ["b", "c", "a", "a"]
    facts = Facts.of({"pair": [("a", "b"), ("b", "b"), ("c", "c")]})
    known = {("a", "b"), ("b", "b"), ("c", "c")}
    expected = set()
    for i, j in itertools.product(range(5), range(6)):
        if not ((i <= 3 and j <= 4) or (i >= 1 and j >= 1)):
            continue
        words = (one[i - 1], other[j - 1]) if 1 <= i <= 3 and 1 <= j <= 4 else None
        if asked.endswith("same word i, j"):
            holds = words is not None and (words[0] == words[1]) != asked.startswith("not")
        else:
            holds = (words in known) != asked.startswith("not")
        expected |= {f"asked[{i}, {j}]"} if holds else set()
    chart = schema.run([one, other], facts, engine=engine)
    assert {str(item) for item in chart.items if item.form == "asked"} == expected
