"""What notebooks show: well-formed, escaped, the right figures, by the hooks of the values themselves."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from schemata.analysis.compare import compare
from schemata.analysis.figures import figures_of, run_result
from schemata.display.comparison import comparison_text, stop_text
from schemata.display.results import CorpusSum, corpus_cells, corpus_line, result_text
from schemata.display.shown import html_of, svg_of
from schemata.display.terminal import Page
from schemata.display.verdicts import verdict_text
from schemata.grammars import DRules
from schemata.structures import DependencyTree, Sentence, tree_class
from schemata.verification.answers import verify
from tests.support.charts import shipped


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(html)


def test_a_chart_shows_its_figures_and_first_trees() -> None:
    chart = shipped("eisner1996").run("a b c")
    html = chart._repr_html_()
    shown = "".join(parsed(html).find("pre").itertext())  # type: ignore[union-attr]
    printed = result_text(run_result(chart), pictures=0)
    assert re.sub("seconds.*", "", shown) == re.sub("seconds.*", "", printed)
    assert "12 distinct trees" in shown
    assert html.count("<svg") == 6  # the chart, a derivation with its arcs, three trees


def test_a_forest_shows_what_its_chart_does() -> None:
    chart = shipped("arc-standard-hook").run("a b c")
    assert chart.forest()._repr_html_() == chart._repr_html_()


def test_a_rejected_sentence_shows_too() -> None:
    html = shipped("eisner1996").run("a b", DRules.from_pairs([(1, 2)]))._repr_html_()
    assert "not accepted" in html
    assert html.count("<svg") == 1  # the chart


def test_html_is_escaped() -> None:
    html = shipped("eisner1996").run(["<script>alert('&')</script>", "b\x1b"])._repr_html_()
    assert html.count("<script") == 1  # the page's own
    assert "&lt;script&gt;alert" in html
    assert "\x1b" not in html
    parsed(html)


def test_a_tree_without_words_shows_numbers() -> None:
    svg = DependencyTree((2, 0, 2))._repr_svg_()
    texts = [e.text for e in ElementTree.fromstring(svg).iter() if e.get("class") == "word"]
    assert texts == ["1", "2", "3"]


def test_lists_of_trees_and_best_trees_show_words_and_tags() -> None:
    sentence = Sentence(("the", "cat"), ("DET", "NOUN"))
    chart = shipped("eisner1996").run(sentence, DRules.from_heads((2, 0)))
    assert re.findall(r">(the|cat|DET|NOUN)</text>", chart.forest().trees()._repr_html_()) == [
        "the",
        "DET",
        "cat",
        "NOUN",
    ]
    best = chart.best()
    assert re.findall(r">(the|cat|1|2)</text>", best._repr_svg_()) == ["the", "cat"]


def test_a_derivation_is_a_picture() -> None:
    derivation = shipped("eisner1996").run("a b").forest().derivations(1)[0]
    ElementTree.fromstring(derivation._repr_svg_())


@pytest.mark.parametrize("function", [html_of, svg_of])
def test_other_values_are_refused(function: object) -> None:
    with pytest.raises(TypeError, match="for int"):
        function(3)  # type: ignore[operator]


def test_one_is_no_plural() -> None:
    chart = shipped("collins1996").run("a")
    result = run_result(chart)
    summary = CorpusSum("collins1996")
    summary.add(corpus_cells(result, "s1"))
    said = [
        result_text(result),
        corpus_line(corpus_cells(result, "s1"), Page()),
        summary.text(0, 1.0),
        repr(chart),
        comparison_text(compare(["collins1996"], "a"), Page(width=20), detail=True),
        stop_text(replace(figures_of(chart), steps=1, stopped="steps")),
        verdict_text(verify(shipped("collins1996"), tree_class("all"), 1)),
    ]
    for text in said:
        assert not re.search(r"\b1 (words|items|steps|trees|sentences|derivations|step instances)\b", text), (
            text
        )
    assert "1 word" in "".join(said)
