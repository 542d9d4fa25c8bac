"""Abbreviations: a schema that uses them is the same as one with what they stand for written out."""

from dataclasses import replace
from pathlib import Path

import pytest

import schemata
from schemata.language.files import check_file
from tests.support.charts import facts, schema_of, schema_text
from tests.support.commands import Written

PLAIN = schema_text("plain")
SHORT = (
    PLAIN.replace("schema plain", "schema short")
    .replace(
        "hypothesis word",
        "define linked(b, c) = b or c\ndefine between(low, x, high) = low <= x, x <= high\n"
        "define build(d, h) = attach d to h\ndefine both(b, c) = b and c\nhypothesis word",
    )
    .replace("0 <= i, i <= j, j <= n, not (b and c)", "between(0, i, j), j <= n, not both(b, c)")
    .replace("attach i to j", "build(i, j)")
    .replace("attach j to i", "build(j, i)")
    .replace("b or (c or i == j - 1)", "linked(b, linked(c, i == j - 1))")
)


def test_a_schema_with_abbreviations_derives_what_it_derives_without() -> None:
    plain, short = schema_of(PLAIN), schema_of(SHORT)
    for n in (1, 2, 3, 4):
        assert facts(short.run(["w"] * n)) == facts(plain.run(["w"] * n))
    cases = [[replace(c, lines=()) for c in s.definition.cases] for s in (plain, short)]
    assert cases[0] == cases[1]


def test_schemata_inherit_abbreviations(tmp_path: Path, written: Written) -> None:
    (tmp_path / "short.schema").write_text(SHORT.strip() + "\n", encoding="utf-8")
    written(
        "more.schema",
        "schema more extends short\nreplace step L-Link\n  span[i, j, false, false]\n"
        "  ------------------------  build(j, i), between(i, j, i + 1)\n  span[i, j, false, true]\n",
    )
    chart = schemata.load(tmp_path / "more.schema").run("a b c")
    assert chart.steps_by_name["L-Link"] == 3  # neighbours only


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("linked(b)", "linked takes 2 arguments, not 1"),
        ("linked(b, c, c)", "linked takes 2 arguments, not 3"),
        ("linkd(b, c)", "there is no relation linkd"),
        ("linked(b, i)", "i is a position"),
    ],
)
def test_mistakes_in_calls(written: Written, call: str, message: str) -> None:
    path = written("short.schema", SHORT.strip().replace("linked(b, linked(c, i == j - 1))", call) + "\n")
    schema, findings = check_file(path)
    assert schema is None
    assert message in [finding.message for finding in findings]
