"""Wildcards in conditions on the grammar: what `_` stands for leaves no trace, so it makes no instance of its own.

Nor does a variable that stands nowhere else.
"""

from pathlib import Path

import pytest

import schemata
from tests.oracle.rules import RuleGrammar
from tests.support.charts import Given, schema_of, schema_text

SCHEMA = """
schema {name}
  grammar context-free

hypothesis word[i]  where 1 <= i <= n
item c[A: symbol]

step Has rule
  word[1]
  -------  rule A(*{body})
  c[A]

final c[_]
"""
GRAMMAR = 'start S\nS -> S S | S A | "w"\nA -> S S | A A | "w"\n'


@pytest.fixture
def grammar(tmp_path: Path) -> schemata.ContextFreeGrammar:
    (tmp_path / "small.cfg").write_text(GRAMMAR, encoding="utf-8")
    return schemata.ContextFreeGrammar.read(tmp_path / "small.cfg")


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(("name", "body"), [("wild", "_"), ("named", "x")])
def test_a_rule_with_any_body_is_one_instance(
    grammar: schemata.ContextFreeGrammar, engine: str, name: str, body: str
) -> None:
    chart = schema_of(SCHEMA.format(name=name, body=body)).run("w w", grammar, engine=engine)  # type: ignore[arg-type]
    assert sorted(str(item) for item in chart.items) == ["c[A]", "c[S]"]
    assert chart.step_count == len(list(chart.instances())) == 2
    assert chart.forest().derivation_count == 2


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(("rule", "holds"), [('"S"("S" *_)', True), ("_(*_)", True), ('"A"("S" "A")', False)])
def test_a_rule_without_a_variable_is_there_or_not(
    grammar: schemata.ContextFreeGrammar, engine: str, rule: str, holds: bool
) -> None:
    joined = f"step Join\n  c[A]   word[i]\n  --------------  rule {rule}\n  d[i, A]\n\n"
    text = SCHEMA.format(name="closed", body="_").replace(
        "final c[_]\n", f"item d[i: position, A: symbol]\n\n{joined}final d[_, _]\n"
    )
    chart = schema_of(text).run("w w", grammar, engine=engine)  # type: ignore[arg-type]
    items = ["c[A]", "c[S]", *(["d[1, A]", "d[1, S]", "d[2, A]", "d[2, S]"] if holds else [])]
    assert sorted(str(item) for item in chart.items) == items


@pytest.mark.parametrize("word", ["1", "n", "n - n + 1"])
@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_word_of_any_category_is_one_instance(engine: str, word: str) -> None:
    text = SCHEMA.format(name="words", body="_").replace("rule A(*_)", f"category {word} is A")
    text = text.replace("  c[A]\n\nfinal", '  c["S"]\n\nfinal')
    grammar = Given.rules("context-free", RuleGrammar(frozenset(), frozenset("S"), (frozenset("AB"),)))
    assert schema_of(text).run("w", grammar, engine=engine).step_count == 1  # type: ignore[arg-type]


FINAL = schema_text("final")


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_symbol_that_only_a_condition_of_a_final_item_names(
    grammar: schemata.ContextFreeGrammar, engine: str
) -> None:
    chart = schema_of(FINAL).run("w", grammar, engine=engine)  # type: ignore[arg-type]
    assert [str(item) for item in chart.final_items] == ["c[A(. A A)]"]


LENGTHS = schema_text("lengths")


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_link_to_a_word_that_is_the_length_of_a_list(engine: str) -> None:
    chart = schema_of(LENGTHS).run("a b c", engine=engine)  # type: ignore[arg-type]
    links = [instance.links for instance in chart.instances() if instance.links]
    assert sorted(links) == [((0, 2),), ((0, 3),), ((1, 3),)]


CUTS = """
schema cuts
hypothesis word[i]  where 1 <= i <= n
item c[L: list of flag]
item d[L: list of flag]

step Begin
  word[1]
  -----------------
  c[<false, false>]

step Cut
  c[<*_, false, *_>]
  ------------------
  d[{list}]

final d[_]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("below", ["<>", "<true>", "<false, false>"])
def test_a_list_that_is_cut_in_two_ways_to_one_end_is_one_instance(engine: str, below: str) -> None:
    chart = schema_of(CUTS.replace("{list}", below)).run("a", engine=engine)  # type: ignore[arg-type]
    assert dict(chart.steps_by_name) == {"Begin": 1, "Cut": 1}
