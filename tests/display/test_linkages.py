"""Linkages in the terminal and as SVG: golden pictures, and that nothing is lost whatever the width."""

import itertools
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.display.arc_layout import linkage_picture
from schemata.display.arcs import arcs_svg, arcs_text, cost_text, disjunct_lines, draw_linkage, told_apart
from schemata.display.structures import structure_svgs
from schemata.display.terminal import WIDE, Page
from schemata.errors import text_width
from schemata.structures import (
    Disjunct,
    Linkage,
    Sentence,
    all_linkages,
    labelled_link,
    random_linkage,
)
from tests.structures.strategies import disjunct
from tests.support import titled_blocks
from tests.support.pictures import SVG, parsed


def linkage(words: str, disjuncts: list[str], ends: list[tuple[int, int, tuple[int, int]]]) -> Linkage:
    """Return a linkage; a disjunct is written as its dictionary word, its cost and its connectors."""
    parts = (text.split(" ", maxsplit=2) for text in disjuncts)
    chosen = [disjunct(word, " ".join(connectors), float(cost)) for word, cost, *connectors in parts]
    return Linkage(words.split(), chosen, [labelled_link(chosen, *end) for end in ends])


RELATIVE = linkage(
    "LEFT-WALL cats who ran",
    ["LEFT-WALL 0 Wd+", "cats.n 0.5 Wd- R+ Bp+", "who 0 R- RS+", "ran.v 1 RS- B-"],
    [(0, 1, (0, 0)), (1, 2, (0, 0)), (1, 3, (1, 1)), (2, 3, (0, 0))],
)
MULTI = linkage(
    "a b 猫 Ärzte",
    ["a 0 @A+", "b 0 A-", "猫.n 0 Aab*c-", "Ärzte 0 A-"],
    [(0, 1, (0, 0)), (0, 2, (0, 0)), (0, 3, (0, 0))],
)
ALONE = linkage("hm", ["hm 0"], [])

PICTURES = titled_blocks(Path(__file__).with_name("linkages.txt"))


@pytest.mark.parametrize(
    ("title", "drawn", "page"),
    [
        ("links that close a cycle", RELATIVE, WIDE),
        ("in panels", RELATIVE, replace(WIDE, width=24)),
        ("a multi-connector", MULTI, WIDE),
        ("one word", ALONE, WIDE),
    ],
)
def test_pictures(title: str, drawn: Linkage, page: Page) -> None:
    assert draw_linkage(drawn, page) == PICTURES[title]


def test_positions_are_counted_from_0() -> None:
    drawn = arcs_text(linkage_picture(RELATIVE), Page(ascii=True), numbers=True)
    assert drawn == PICTURES["positions in ASCII"]


MULTIPLE = ["x.n 0 B- @A+ @A+", "p 0 A-", "q 0 A-", "r 0 A-"]
TWICE = [
    linkage("w x p q r", ["w 0 B+", *MULTIPLE], [(0, 1, (0, 0)), *((1, k, uses) for k, uses in ends)])
    for ends in ([(2, (0, 0)), (3, (0, 0)), (4, (1, 0))], [(2, (0, 0)), (3, (1, 0)), (4, (1, 0))])
]


def test_linkages_that_look_the_same_are_told_apart() -> None:
    assert told_apart([*TWICE, MULTI, RELATIVE]) == [frozenset({1})] * 2 + [frozenset()] * 2
    assert told_apart([MULTI, MULTI]) == [frozenset()] * 2
    assert told_apart([]) == []
    assert len({draw_linkage(drawn) for drawn in TWICE}) == 1
    lists = [disjunct_lines(drawn, partners={1})[:2] for drawn in TWICE]
    assert lists == [
        ["0  w    B+", "1  x.n  B- (0) & @A+ (2, 3) & @A+ (4)"],
        ["0  w    B+", "1  x.n  B- (0) & @A+ (2) & @A+ (3, 4)"],
    ]
    assert len(set(structure_svgs(Sentence(TWICE[0].words), TWICE))) == 2


@given(st.integers(2, 5), st.integers(0, 3000))
def test_no_two_linkages_are_printed_the_same(n: int, seed: int) -> None:
    rng = random.Random(seed)
    texts = ["@A+ @A+", "@A- @A-", "@A- @A+", "A- @A+ A+", "A+", "A-", "@A-"]
    offered = [[disjunct("w", text) for text in rng.sample(texts, 4)] for _ in range(n)]
    found = list(itertools.islice(all_linkages("w" * n, offered), 200))
    drawn = [draw_linkage(x, partners=partners) for x, partners in zip(found, told_apart(found), strict=True)]
    assert len(set(drawn)) == len(drawn)


def test_long_disjuncts_go_on_below() -> None:
    long = linkage("a b", ["a 0 A+ @B+ Cd+ @hMVp+ E+", "b 0.25 A-"], [(0, 1, (0, 0))])
    assert disjunct_lines(long, width=30) == [
        "0  a        A+ & @B+ & Cd+",
        "            & @hMVp+ & E+",
        "1  b  0.25  A-",
        "cost 0.25",
    ]
    # A connector is not cut, however narrow it gets.
    assert disjunct_lines(long, width=1)[1:6] == [
        "      A+",
        "      & @B+",
        "      & Cd+",
        "      & @hMVp+",
        "      & E+",
    ]


def test_what_is_no_linkage_is_drawn_too() -> None:
    broken = linkage("a b c", ["a 0 A+ B+", "b 0 C+", "c 0 A- B-"], [(0, 2, (0, 0)), (0, 2, (1, 1))])
    assert sorted(re.findall("[A-Z]", arcs_text(linkage_picture(broken)))) == ["A", "B"]


def test_control_characters_stay_out() -> None:
    found = draw_linkage(Linkage(["a\nb\x1b"], [Disjunct("a\nb\x1b.n", (), ())], []))
    assert found == "a\ufffdb\ufffd\n\n0  a\ufffdb\ufffd.n  ()\ncost 0"


@given(st.integers(1, 12), st.integers(0, 10**9))
def test_every_label_is_read_back(n: int, seed: int) -> None:
    drawn = random_linkage(n, seed)
    shown = arcs_text(linkage_picture(drawn))
    *arcs, words = shown.split("\n")
    assert words.split() == list(drawn.words)
    labels = sorted(link.label for link in drawn.links)
    # Nothing stands in a label, and no two labels touch.
    assert sorted(re.findall(r"(?<=─)[^─│┌┐├┤┬┼ ]+(?=─)", "\n".join(arcs))) == labels
    assert "┼" not in shown


@given(st.integers(1, 12), st.integers(0, 10**9), st.integers(16, 70))
def test_nothing_is_wider_than_there_is_room(n: int, seed: int, width: int) -> None:
    drawn = random_linkage(n, seed)
    shown = draw_linkage(drawn, Page(width))
    for line in shown.split("\n"):
        # A single word with the labels of its links may stick out, and so may a single connector.
        assert len(line) <= max(width, 32)
    *_, last = shown.split("\n\n")
    lines = last.split("\n")
    assert lines[-1] == f"cost {cost_text(drawn.cost)}"
    text = " ".join(" ".join(lines[:-1]).split())
    expected = [
        f"{k} {d.word} {f'{cost_text(d.cost)} ' if d.cost else ''}{d}" for k, d in enumerate(drawn.disjuncts)
    ]
    assert text == " ".join(expected)


@given(st.integers(1, 10), st.integers(0, 10**9))
def test_svg(n: int, seed: int) -> None:
    drawn = random_linkage(n, seed)
    root = parsed(structure_svgs(Sentence(drawn.words), [drawn])[0])
    texts = list(root.iter(f"{SVG}text"))
    kinds = [node.get("class") for node in texts]
    assert kinds.count("word") == n
    labels = sorted(node.text or "" for node in texts if node.get("class") == "label")
    assert labels == sorted(link.label for link in drawn.links)
    notes = [node for node in texts if node.get("class") == "note"]
    found = " ".join(node.text or "" for node in notes)
    assert found == " ".join(" ".join(disjunct_lines(drawn)).split())
    right = float(root.get("width", "0"))
    bottom = float(root.get("height", "0"))
    ends: dict[float, float] = {}
    for node in notes:
        x, y, length = (float(node.get(name, "0")) for name in ("x", "y", "textLength"))
        # Side by side without overlap, one line below the other, and all within the picture.
        assert ends.get(y, 0.0) <= x - length / 2
        ends[y] = x + length / 2
        assert ends[y] < right
        assert y < bottom
    assert list(ends) == sorted(ends)
    assert len(ends) == n + 1
    assert "note" not in arcs_svg(linkage_picture(drawn))


def test_svg_labels_do_not_touch() -> None:
    long = linkage("a b c", ["a 0 AAAAAAAAAAAAAAAAAAAAx+", "b 0 A*- BBBBBBBBBBBBBBBBBy+", "c 0 B-"], [])
    chosen = list(long.disjuncts)
    names = ("AAAAAAAAAAAAAAAAAAAAx", "BBBBBBBBBBBBBBBBBy")
    chosen[1] = disjunct("b", "AAAAAAAAAAAAAAAAAAAA- BBBBBBBBBBBBBBBBBy+")
    chosen[2] = disjunct("c", "BBBBBBBBBBBBBBBBB-")
    links = [labelled_link(chosen, 0, 1, (0, 0)), labelled_link(chosen, 1, 2, (0, 0))]
    root = parsed(arcs_svg(linkage_picture(Linkage(long.words, chosen, links))))
    spans = []
    for node in root.iter(f"{SVG}text"):
        if node.text in names:
            middle, length = float(node.get("x", "0")), float(node.get("textLength", "0"))
            spans.append((middle - length / 2, middle + length / 2))
    first, second = sorted(spans)
    assert first[1] < second[0]
    assert text_width(draw_linkage(Linkage(long.words, chosen, links)).split("\n")[0]) >= sum(map(len, names))
