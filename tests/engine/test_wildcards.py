"""Wildcards in conditions on the grammar: what `_` stands for leaves no trace, so it makes no instance of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import schemata

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


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(("name", "body"), [("wild", "_"), ("named", "x")])
def test_a_rule_with_any_body_is_one_instance(tmp_path: Path, engine: str, name: str, body: str) -> None:
    (tmp_path / f"{name}.schema").write_text(SCHEMA.format(name=name, body=body), encoding="utf-8")
    (tmp_path / "small.cfg").write_text(GRAMMAR, encoding="utf-8")
    grammar = schemata.ContextFreeGrammar.read(tmp_path / "small.cfg")
    schema = schemata.load(tmp_path / f"{name}.schema")
    chart = schema.run("w w", grammar, engine=engine)  # type: ignore[arg-type]
    assert sorted(str(item) for item in chart.items) == ["c[A]", "c[S]"]
    assert chart.step_count == len(list(chart.instances())) == 2
    assert chart.forest().derivation_count == 2
