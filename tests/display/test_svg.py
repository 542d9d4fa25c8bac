"""Arcs as SVG: well-formed, complete, aligned with their words, readable on any page."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.display.arc_layout import links_picture, tree_picture
from schemata.display.arcs import arcs_svg
from schemata.display.relations import field_svg
from schemata.display.svg import COLOURS
from schemata.display.trees import derivation_svg
from schemata.errors import UsageError, text_width
from schemata.relations.answers import Answer, CheckExtent
from schemata.relations.discovery import Arrow
from schemata.workbench import load
from tests.structures.strategies import head_sequences
from tests.support.pictures import NUMBER, SVG, check_picture, parsed


def draw_arcs_svg(words, heads, labels=None, **options):
    return arcs_svg(tree_picture(words, heads, labels=labels), **{"width": None, **options})


def draw_links_svg(words, links, directed=True, **options):
    return arcs_svg(links_picture(words, links, directed=directed), **options)


def texts(root, kind):
    return [node for node in root.iter(f"{SVG}text") if node.get("class") == kind]


@settings(max_examples=80)
@given(head_sequences(), st.data())
def test_every_link_has_its_arc_and_arrow(heads, data):
    words = [data.draw(st.text(max_size=8)) for _ in heads]
    labels = data.draw(st.none() | st.just([f"l{d}" for d in range(len(heads))]))
    root = parsed(draw_arcs_svg(words, heads, labels=labels))
    groups = [g for g in root.iter(f"{SVG}g") if g.get("class") == "link"]
    ends = sorted(tuple(map(int, g.get("data-ends").split())) for g in groups)
    assert ends == sorted((min(d, h), max(d, h)) for d, h in enumerate(heads, start=1) if h)
    assert all(len(list(g.iter(f"{SVG}path"))) == 2 for g in groups)
    arrows = [path for path in root.iter(f"{SVG}path") if path.get("class") == "arrow"]
    assert len(arrows) == len(words) == len(texts(root, "word"))
    if labels:
        expected = sorted(label for label, head in zip(labels, heads, strict=True) if head)
        assert sorted(node.text for node in texts(root, "label")) == expected


@settings(max_examples=80)
@given(head_sequences(), st.data())
def test_arrows_stand_above_their_words(heads, data):
    words = [data.draw(st.sampled_from(["word", "猫猫", "e\u0301te\u0301", "longer-word"])) for _ in heads]
    root = parsed(draw_arcs_svg(words, heads))
    spans = []
    for word, node in zip(words, texts(root, "word"), strict=True):
        assert node.text == word
        length = float(node.get("textLength"))
        assert length == pytest.approx(9 * text_width(word))
        spans.append((float(node.get("x")) - length / 2, float(node.get("x")) + length / 2))
    assert all(right < left for (_, right), (left, _) in pairwise(spans))

    def word_at(x):
        (found,) = [d for d, (left, right) in enumerate(spans, start=1) if left <= x <= right]
        return found

    for group in root.iter(f"{SVG}g"):
        line, *_ = group.iter(f"{SVG}path")
        heads_of_arrows = [p for p in group.iter(f"{SVG}path") if p.get("class") == "arrow"]
        tips = [word_at(float(re.search(rf"L({NUMBER})", p.get("d"))[1])) for p in heads_of_arrows]
        if group.get("class") == "root":
            assert tips == [d for d, head in enumerate(heads, start=1) if not head]
            continue
        left, right = map(int, group.get("data-ends").split())
        start = float(re.match(rf"M({NUMBER})", line.get("d"))[1])
        end = float(re.findall(rf"Q({NUMBER})", line.get("d"))[1])
        assert (word_at(start), word_at(end)) == (left, right)
        (dependent,) = tips
        assert {dependent, heads[dependent - 1]} == {left, right}


@settings(max_examples=80)
@given(head_sequences(20), st.data())
def test_everything_lies_within_the_picture_and_apart(heads, data):
    words = [data.draw(st.sampled_from(["w", "猫猫", "longer-word", "\u05e9"])) for _ in heads]
    labels = data.draw(st.none() | st.just(["a-long-label"] * len(heads)))
    tags = data.draw(st.none() | st.just(["PROPN"] * len(heads)))
    width = data.draw(st.none() | st.integers(40, 80))
    drawn = tree_picture(words, heads, labels=labels, tags=tags, rtl=data.draw(st.none() | st.booleans()))
    root = check_picture(arcs_svg(drawn, width=width))
    assert [node.text for node in texts(root, "word")] == words
    assert {node.get("direction") for node in texts(root, "word")} == {"rtl" if drawn.rtl else None}
    if width and not labels:
        assert float(root.get("width")) <= 9 * width + 20
    below = [node.text for node in texts(root, "below")]
    assert (below.count("PROPN") == len(heads)) == (tags is not None)
    panels = below.count("1") and len({node.get("y") for node in texts(root, "word")})
    ends = [
        tuple(map(int, g.get("data-ends").split())) for g in root.iter(f"{SVG}g") if g.get("class") == "link"
    ]
    wanted = {(min(d, h), max(d, h)) for d, h in enumerate(heads, start=1) if h}
    assert set(ends) == wanted
    assert (len(ends) == len(wanted)) or panels > 1


def test_strong_links_are_thick():
    strengths = {(1, 2): 0.25, (2, 0): 1.0}
    root = parsed(arcs_svg(links_picture(["a", "b", "c"], [(1, 2), (3, 2), (2, 0)], strengths=strengths)))
    widths = {
        group.get("data-ends", "root"): next(p.get("stroke-width") for p in group.iter(f"{SVG}path"))
        for group in root.iter(f"{SVG}g")
    }
    assert widths == {"1 2": "1.25", "2 3": "1.5", "root": "3.5"}
    assert [node.text for node in root.iter(f"{SVG}title")][1:] == ["0.25"]


def test_text_is_escaped():
    text = draw_arcs_svg(
        ["<b>", "&amp;", "\x00\x1b", '"'], [2, 0, 2, 2], labels=["<&>", "", "", ""], title="a < b & c"
    )
    root = parsed(text)
    assert [node.text for node in texts(root, "word")] == ["<b>", "&amp;", "\ufffd\ufffd", '"']
    assert [node.text for node in texts(root, "label")] == ["<&>"]
    assert root.find(f"{SVG}title").text == "a < b & c"


def test_the_title_is_the_sentence_if_none_is_given():
    assert parsed(draw_arcs_svg(["a", "b"], [0, 1])).find(f"{SVG}title").text == "a b"


def test_the_root_is_marked():
    one = parsed(draw_arcs_svg(["a", "b"], [0, 1]))
    assert [node.text for node in texts(one, "root")] == ["root"]
    several = parsed(draw_arcs_svg(["a", "b"], [0, 0], labels=["r", "r"]))
    assert [node.text for node in texts(several, "root")] == ["r"]
    none = parsed(draw_links_svg(["a", "b"], [(1, 2)]))
    assert texts(none, "root") == []


def test_linkages_have_no_arrows():
    root = parsed(draw_links_svg(["the", "cat", "sat"], [(1, 2, "Ds"), (3, 2, "Ss")], directed=False))
    assert sorted(node.text for node in texts(root, "label")) == ["Ds", "Ss"]
    assert [path for path in root.iter(f"{SVG}path") if path.get("class") == "arrow"] == []


def test_nothing_is_fetched():
    text = draw_arcs_svg(["a", "b"], [0, 1])
    assert re.findall(r"https?://[^\"']*", text) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in text
    assert "href" not in text


def test_what_cannot_be_drawn():
    with pytest.raises(UsageError, match="2 heads for 1 word"):
        draw_arcs_svg(["a"], [0, 1])
    with pytest.raises(UsageError, match="no words"):
        draw_arcs_svg([], [])


def luminance(colour):
    values = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


TREE = draw_arcs_svg(["the", "cat", "sat"], [2, 3, 0], labels=["det", "nsubj", "root"])
LINKAGE = draw_links_svg(["the", "cat"], [(1, 2, "Ds")], directed=False, notes=["0  the  D+"])
PROOF = derivation_svg(load("eisner1996").run("a b").forest().derivations(1)[0])


@pytest.mark.parametrize("picture", [TREE, LINKAGE, PROOF], ids=["tree", "linkage", "proof"])
def test_text_stands_out_on_light_and_on_dark_pages(picture):
    """The contrast that the Web Content Accessibility Guidelines ask for at level AA: 4.5 to 1."""
    root = parsed(picture)
    lighter = dict(re.findall(r'\[fill="(#\w+)"\]\{fill:(#\w+)\}', root.find(f"{SVG}style").text))
    fills = {node.get("fill") for node in root.iter(f"{SVG}text")}
    assert fills
    for fill in fills:
        assert all(contrast(fill, page) >= 4.5 for page in ("#ffffff", "#000000")), fill
        assert all(contrast(lighter[fill], page) >= 4.5 for page in ("#1e1e1e", "#0d1117", "#000000")), fill


def test_lines_follow_the_text_on_dark_pages():
    rules = parsed(TREE).find(f"{SVG}style").text
    assert rules.startswith("@media (prefers-color-scheme: dark)")
    for light, dark in COLOURS.values():
        assert f'.schemata [stroke="{light}"]{{stroke:{dark}}}' in rules


def test_text_of_the_map_stands_out_on_what_is_painted_below():
    """The map paints its own ground, so that it looks the same on every page."""
    answers = (Answer("a", "b", "step-refinement", False, CheckExtent(2)),)
    arrow = Arrow("a-b", "a", "b", "step-refinement", None, answers)
    root = parsed(field_svg([arrow]))
    grounds = {node.get("fill") for node in root.iter(f"{SVG}rect")}
    fills = {node.get("fill") for node in root.iter(f"{SVG}text")} - {None}
    assert len(grounds) == 2
    assert len(fills) == 3
    assert all(contrast(fill, ground) >= 4.5 for fill in fills for ground in grounds)
