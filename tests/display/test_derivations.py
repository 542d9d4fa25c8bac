"""Derivations as text and as SVG."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from schemata.charts.chart import Item
from schemata.display.derivations import derivation_svg, derivation_text, step_text
from schemata.display.terminal import text_width
from schemata.forest.derivations import Derivation
from schemata.grammars import DRules
from schemata.workbench import load
from tests.forest.test_derivations import CHAIN
from tests.support.charts import schema_of


def first(name: str, sentence: str) -> Derivation:
    return load(name).run(sentence).forest().derivations(1)[0]


def deep(n: int) -> Derivation:
    chart = schema_of(CHAIN).run(["w"] * n, DRules.from_pairs([(1, 0)]))
    return chart.forest().derivations(1)[0]


def test_text_is_an_indented_tree() -> None:
    assert derivation_text(first("eisner1996", "a b")).splitlines() == [
        "span[0, 2, false, true]  L-Link: 2 under 0",
        "└─ span[0, 2, false, false]  CombineSpans",
        "   ├─ span[0, 1, false, false]  Initter",
        "   │  ├─ word[0]",
        "   │  └─ word[1]",
        "   └─ span[1, 2, true, false]  R-Link: 1 under 2",
        "      └─ span[1, 2, false, false]  Initter",
        "         ├─ word[1]",
        "         └─ word[2]",
    ]


def test_ascii_text_is_ascii() -> None:
    text = derivation_text(first("eisner1996", "a b c"), ascii=True)
    assert text.isascii()
    assert "`- " in text


@pytest.mark.parametrize("width", [48, 60, 80, 160])
@pytest.mark.parametrize("name", ["eisner1996", "eisner-satta1999", "mh"])
def test_text_keeps_to_the_width(name: str, width: int) -> None:
    text = derivation_text(first(name, "a b c d e f g h i j"), width=width)
    assert max(map(text_width, text.splitlines())) <= width


def test_a_derivation_too_deep_for_the_width_goes_on_below() -> None:
    derivation = deep(60)
    text = derivation_text(derivation, width=60)
    assert len(re.findall(r"^\(\d+\)$", text, re.MULTILINE)) == len(re.findall(r"see \(\d+\)", text)) > 3
    items = re.findall(r"seen\[\d+\]", text)
    assert {str(node.item) for _, node in derivation.walk() if node.step} == set(items)
    assert "see (" not in derivation_text(derivation, width=None)


def test_cases_and_links_are_named() -> None:
    steps = {step_text(n) for d in load("attardi2006").run("a b").forest().derivations() for _, n in d.walk()}
    assert {"Link (to the left): 1 under 0", "given"} <= steps


def test_pictures_of_deep_derivations_do_not_recurse() -> None:
    derivation = deep(3000)
    assert derivation_text(derivation).count("seen[") >= 3000
    root = ElementTree.fromstring(derivation_svg(derivation))
    assert sum(e.get("class") == "rule" for e in root) == 3000


def test_the_picture_is_a_proof_tree() -> None:
    derivation = first("eisner1996", "a b c")
    root = ElementTree.fromstring(derivation_svg(derivation))
    items = [e for e in root if e.get("class") == "item"]
    assert len(items) == len(list(derivation.walk()))
    assert sum(e.get("class") == "step" for e in root) == derivation.step_count
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for text in (e for e in root if e.tag.endswith("text")):
        x, size = float(text.get("x", 0)), float(text.get("textLength", 0))
        left = x if text.get("text-anchor") == "start" else x - size / 2
        assert left >= 0
        assert left + size <= width
        assert 0 < float(text.get("y", 0)) <= height
    lowest = max(items, key=lambda e: float(e.get("y", 0)))
    assert lowest.text == str(derivation.item)


def test_texts_in_one_row_of_the_picture_do_not_overlap() -> None:
    for name in ("eisner1996", "attardi2006", "eisner-satta1999", "covington2001"):
        for derivation in load(name).run("a b c d").forest().derivations(30):
            root = ElementTree.fromstring(derivation_svg(derivation))
            rows: dict[str, list[tuple[float, float]]] = {}
            for e in (e for e in root if e.get("class") == "item"):
                half = float(e.get("textLength", 0)) / 2
                rows.setdefault(e.get("y", ""), []).append(
                    (float(e.get("x", 0)) - half, float(e.get("x", 0)) + half)
                )
            for row in rows.values():
                row.sort()
                assert all(a[1] < b[0] for a, b in itertools.pairwise(row))


def test_text_in_pictures_is_escaped() -> None:
    item = Item("a", ("<&>",), "a[<&>]")
    svg = derivation_svg(Derivation(item, "A < B", None, ((1, 0),), ()))
    assert [e.text for e in ElementTree.fromstring(svg) if e.tag.endswith("text")] == [
        "a[<&>]",
        "A < B: 1 under 0",
    ]
