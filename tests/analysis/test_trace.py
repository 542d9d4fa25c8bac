"""Traces: numbers, rounds and back-pointers against the chart; the texts made of them."""

import re

import pytest

import schemata
from schemata.analysis.explain import rounds, trace
from schemata.analysis.proofs import Backwards
from schemata.display.explanations import trace_latex, trace_text
from schemata.display.terminal import Page
from tests.support.charts import instances, names_over, shipped

NAMES = names_over("d-rules")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotated(4)
def test_back_pointers(name: str) -> None:
    chart = shipped(name).run("the cat sat")
    found = trace(chart, all_instances=True)
    assert [row.number for row in found.rows] == list(range(1, len(found.rows) + 1))
    assert {str(row.item) for row in found.rows} == {str(x) for x in (*chart.hypotheses, *chart.items)}
    assert [r.is_hypothesis for r in found.rows] == sorted(
        (r.is_hypothesis for r in found.rows), reverse=True
    )
    by_number = {row.number: str(row.item) for row in found.rows}
    traced = sorted(
        (d.step, tuple(by_number[k] for k in d.antecedents), str(row.item), d.links)
        for row in found.rows
        for d in row.derivations
    )
    assert traced == sorted(instances(chart))
    for row in found.rows:
        assert row.instances == len(row.derivations)
        if not row.is_hypothesis:
            assert max(row.derivations[0].antecedents, default=0) < row.number, "points upwards"


@pytest.mark.parametrize("name", ["eisner1996", "nivre2003", "wg1", "arc-eager", "wgk"])
def test_rounds_are_those_of_the_naive_fixpoint(name: str) -> None:
    chart = shipped(name).run("a b c")
    known = set(range(chart.raw.hypothesis_count))
    expected = dict.fromkeys(known, 0)
    number = 0
    while True:
        number += 1
        fresh = {i.consequent for i in chart.instances() if known.issuperset(i.antecedents)} - known
        if not fresh:
            break
        expected |= dict.fromkeys(fresh, number)
        known |= fresh
    assert rounds(Backwards(chart)) == expected


@pytest.mark.parametrize("name", NAMES)
def test_useful_only(name: str) -> None:
    chart = shipped(name).run("a b", schemata.DRules.from_heads((2, 0)))
    rows = {row.number: row for row in trace(chart).rows}
    kept = trace(chart, useful=True).rows
    useful = {str(x) for x in chart.forest().useful_items}
    assert {str(row.item) for row in kept if not row.is_hypothesis} == useful
    assert all(rows[row.number] == row for row in kept), "numbers stay those of the whole chart"


def test_text() -> None:
    text = trace_text(trace(shipped("hybrid").run("a b")))
    assert text == (
        "no  item        step        from     with\n"
        "──  ──────────  ──────────  ───────  ───────────────────\n"
        "1   span[0, 1]  hypothesis\n"
        "2   span[1, 2]  sh          (1)      j = 1\n"
        "3   span[0, 2]  la          1, 2 +1  i = 0, k = 1, j = 2\n"
        "4   span[2, 3]  sh          (2) +1   j = 2\n"
        "5*  span[0, 3]  ra          3, 4 +1  i = 0, k = 2, j = 3\n"
        "6   span[1, 3]  ra          2, 4     i = 1, k = 2, j = 3\n"
        "\n"
        "* final item\n"
        "(1) a context antecedent: it licenses the step and adds nothing\n"
        "+1 derived by one more step instance (--trace-all shows them)"
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [40, 80])
def test_text_keeps_its_width(name: str, width: int) -> None:
    text = trace_text(trace(shipped(name).run("the cat sat")), Page(width, ascii=True))
    assert text.isascii()
    if width == 80:
        assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("name", NAMES)
def test_latex_is_balanced_and_escaped(name: str) -> None:
    text = trace_latex(trace(shipped(name).run("the cat"), all_instances=True))
    needed, *rest = text.splitlines()
    assert needed.startswith("% needs ")
    body = [line for line in rest if not line.startswith("% needs ")]  # items that break need another package
    assert body[0].startswith(r"\begin{longtable}")
    assert body[-1] == r"\end{longtable}"
    for line in body[4:-1]:
        assert line.endswith(r" \\")
        assert line.count("&") == 3
        assert line.count("$") % 2 == 0
        assert line.count("{") == line.count("}")
        assert not re.search(r"(?<!\\)([#%^~]|_(?!{))", line)


@pytest.mark.thorough
def test_a_large_chart_is_traced_in_full() -> None:
    chart = shipped("eisner1996").run(" ".join("w" * 40))
    assert chart.step_count > 40_000
    text = trace_text(trace(chart))
    assert len(text.splitlines()) > chart.item_count


def test_latex_of_texts_in_quotes_needs_amsmath() -> None:
    text = trace_latex(trace(shipped("tag-cky").run("the dogs run", "example")))
    assert r"% needs \usepackage{amsmath}" in text.splitlines()[:2]
    assert r"\text{``alpha.e''}" in text
    assert "amsmath" not in trace_latex(trace(shipped("cyk").run("the cat slept", "example")))
