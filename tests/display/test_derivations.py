"""Derivations as text and as SVG."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.charts import Item
from schemata.display.terminal import WIDE, Page
from schemata.display.trees import (
    Node,
    derivation_svg,
    derivation_text,
    short_text,
    step_text,
    tree_svg,
    tree_text,
)
from schemata.errors import text_width
from schemata.forest.derivations import Derivation
from schemata.grammars import DRules
from tests.forest.test_derivations import CHAIN
from tests.support.charts import schema_of, shipped
from tests.support.pictures import check_picture


def first(name: str, sentence: str) -> Derivation:
    return shipped(name).run(sentence).forest().derivations(1)[0]


def deep(n: int) -> Derivation:
    chart = schema_of(CHAIN).run(["w"] * n, DRules.from_pairs([(1, 0)]))
    return chart.forest().derivations(1)[0]


def test_text_is_an_indented_tree_with_words_at_its_ends() -> None:
    assert derivation_text(first("eisner1996", "a b")).splitlines() == [
        "span[0, 2, false, true]  L-Link: 2 under 0",
        "└─ span[0, 2, false, false]  CombineSpans",
        "   ├─ span[0, 1, false, false]  Initter  word[0] a",
        "   └─ span[1, 2, true, false]  R-Link: 1 under 2",
        "      └─ span[1, 2, false, false]  Initter  a b",
    ]


def test_hypotheses_about_one_word_are_that_word() -> None:
    derivation = first("collins1996", "Mary slept")
    assert {str(node.item) for _, node in derivation.walk() if not node.step} == {
        "tree[1, 1, 1]",
        "tree[2, 2, 2]",
    }
    assert re.search(r"under \d  Mary slept$", derivation_text(derivation), re.MULTILINE)
    # A hypothesis about several words stays an item, and so does one of a derivation that knows no words.
    assert "span[0, false, 1]" in derivation_text(first("arc-eager", "Mary slept"))
    wordless = Derivation(derivation.children[0].item, None, None, (), ())
    assert "tree[1, 1, 1]" in derivation_text(replace(derivation, children=(wordless,)))


def test_flags_are_letters_in_pictures_and_words_keep_theirs() -> None:
    assert (
        short_text(Item("a", (), """a[true, 1, 'true', "false", false]"""))
        == """a[T, 1, 'true', "false", F]"""
    )
    drawn = derivation_svg(first("eisner1996", "true false"))
    texts = [e.text for e in ElementTree.fromstring(drawn) if e.tag.endswith("text")]
    assert {"span[0, 2, F, T]", "true", "false", "T: true, F: false"} <= set(texts)
    assert "T: true" not in derivation_svg(first("collins1996", "a b"))


def test_ascii_text_is_ascii() -> None:
    text = derivation_text(first("eisner1996", "a b c"), Page(ascii=True))
    assert text.isascii()
    assert "`- " in text


@pytest.mark.parametrize("width", [48, 60, 80, 160])
@pytest.mark.parametrize("name", ["eisner1996", "eisner-satta1999", "mh"])
def test_text_keeps_to_the_width(name: str, width: int) -> None:
    text = derivation_text(first(name, "a b c d e f g h i j"), Page(width))
    assert max(map(text_width, text.splitlines())) <= width


def test_a_derivation_too_deep_for_the_width_goes_on_below() -> None:
    derivation = deep(60)
    text = derivation_text(derivation, Page(60))
    assert len(re.findall(r"^\(\d+\)$", text, re.MULTILINE)) == len(re.findall(r"see \(\d+\)", text)) > 3
    items = re.findall(r"seen\[\d+\]", text)
    assert {str(node.item) for _, node in derivation.walk() if node.step} == set(items)
    assert "see (" not in derivation_text(derivation, WIDE)


def test_cases_and_links_are_named() -> None:
    steps = {
        step_text(n) for d in shipped("attardi2006").run("a b").forest().derivations() for _, n in d.walk()
    }
    assert {"Link (to the left): 1 under 0", "given"} <= steps


def test_pictures_of_deep_derivations_do_not_recurse() -> None:
    derivation = deep(3000)
    assert derivation_text(derivation).count("seen[") >= 3000
    root = ElementTree.fromstring(derivation_svg(derivation))
    assert sum(e.get("class") == "rule" for e in root) == 3000


@pytest.mark.parametrize("width", [None, 45, 70])
@pytest.mark.parametrize(
    "name", ["eisner1996", "attardi2006", "eisner-satta1999", "covington2001", "arc-eager"]
)
def test_the_picture_is_a_proof_tree_that_fits(name: str, width: int | None) -> None:
    derivation = first(name, "a b c d e f g")
    root = check_picture(derivation_svg(derivation, width=width))
    kinds = [e.get("class") for e in root]
    blocks = kinds.count("block")
    texts = [e.text or "" for e in root if e.get("class") in ("item", "given", "word")]
    assert len(texts) == len(list(derivation.walk())) + blocks
    assert kinds.count("step") == derivation.step_count
    if width is None:
        assert not blocks
        lowest = max((e for e in root if e.get("class") == "item"), key=lambda e: float(e.get("y", 0)))
        assert lowest.text == short_text(derivation.item)
    else:
        assert float(root.get("width", 0)) <= 9 * width + 20
        # Every block is referred to once, and named in order.
        titles = [e.text for e in root if e.get("class") == "block"]
        assert titles == [f"({k})" for k in range(1, blocks + 1)]
        assert sorted(t[t.rindex("(") :] for t in texts if re.search(r" \(\d+\)$", t)) == sorted(titles)


NODES = st.recursive(
    st.builds(lambda text: Node(text, kind="word"), st.text("ab猫", min_size=1, max_size=12)),
    lambda below: st.builds(
        Node,
        st.text("XY", min_size=1, max_size=16),
        st.lists(below, min_size=1, max_size=4).map(tuple),
        st.sampled_from(["", "a note", "a longer note"]),
    ),
    max_leaves=25,
)


@settings(max_examples=60)
@given(NODES, st.booleans(), st.none() | st.integers(10, 60))
def test_any_tree_is_drawn_apart_and_within_its_picture(root: Node, proof: bool, width: int | None) -> None:
    drawn = check_picture(tree_svg(root, title="a tree", proof=proof, width=width))
    kinds = [e.get("class") for e in drawn]
    nodes = list(root.walk())
    assert kinds.count("word") + kinds.count("item") == len(nodes) + kinds.count("block")
    if not proof:
        edges = [e for e in drawn if e.get("class") == "edge"]
        assert len(edges) == len(nodes) - 1
        assert all(re.fullmatch(r"M\S+ (\S+)L\S+ (\S+)", e.get("d", "")) for e in edges)
    words = [
        e.text
        for e in sorted((e for e in drawn if e.get("class") == "word"), key=lambda e: float(e.get("x", 0)))
    ]
    if width is None and not proof:
        assert words == [node.text for node in nodes if node.kind == "word"]
    text = tree_text(root, WIDE)
    for node in nodes:
        assert node.text in text


def test_text_in_pictures_is_escaped() -> None:
    item = Item("a", ("<&>",), "a[<&>]")
    svg = derivation_svg(Derivation(item, "A < B", None, ((1, 0),), ()))
    assert [e.text for e in ElementTree.fromstring(svg) if e.tag.endswith("text")] == [
        "a[<&>]",
        "A < B: 1 under 0",
    ]
