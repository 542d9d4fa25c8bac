"""Arcs in the terminal: golden pictures, and pictures read back link by link."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.display.arc_layout import lay_out, links_picture, structure_picture, tree_picture
from schemata.display.arcs import arcs_text
from schemata.display.terminal import WIDE, clusters
from schemata.errors import UsageError, text_width
from schemata.structures import DependencyTree, Sentence
from tests.structures.strategies import head_sequences
from tests.support import titled_blocks

NEWS = ["Economic", "news", "had", "little", "effect", "on", "financial", "markets"]
NEWS_HEADS = (2, 3, 0, 5, 3, 5, 8, 6)
NEWS_LABELS = ["amod", "nsubj", "root", "amod", "obj", "nmod", "amod", "pmod"]
HEARING = ["A", "hearing", "is", "scheduled", "on", "the", "issue", "today"]
HEARING_HEADS = (2, 4, 4, 0, 2, 7, 5, 4)


def draw_arcs(words, heads, labels=None, rtl=False, numbers=None, **page):
    picture = tree_picture(words, heads, labels=labels, rtl=rtl)
    return arcs_text(picture, replace(WIDE, **page), numbers=numbers)


def draw_links(words, links, directed=True):
    return arcs_text(links_picture(words, links, directed=directed))


LEFT_TO_RIGHT = "\u200e"
PEACE = ["\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05dc", "ab", "!"]


PICTURES = titled_blocks(Path(__file__).with_name("arcs.txt"))
TREES = {
    "above the words": (NEWS, NEWS_HEADS, {}),
    "in ASCII": (NEWS, NEWS_HEADS, {"ascii": True}),
    "with labels and numbers": (NEWS, NEWS_HEADS, {"labels": NEWS_LABELS, "numbers": True}),
    "in panels": (NEWS, NEWS_HEADS, {"width": 30}),
    "in panels with labels": (NEWS, NEWS_HEADS, {"width": 40, "labels": NEWS_LABELS}),
    "crossing": (HEARING, HEARING_HEADS, {}),
    "crossing in ASCII": (HEARING, HEARING_HEADS, {"ascii": True}),
    "wide characters": (["我", "喜歡", "自然", "語言", "處理", "。"], (2, 0, 4, 5, 2, 2), {}),
    "combining accents": (["e\u0301te\u0301", "a\u0300", "z"], (2, 3, 0), {}),
    "one word": (["Hi"], (0,), {}),
    "one word with a label and a number": (["Hi"], (0,), {"labels": ["parataxis"], "numbers": True}),
    "four roots": ("abcd", (0, 0, 0, 0), {}),
    "two roots": (["alpha", "beta", "gamma", "d"], (2, 0, 0, 3), {}),
    "under the line of the root": (["aaaa", "bbbbbbbbbbbb", "cccc"], (3, 0, 2), {}),
    "across the line of the root": ("abcde", (3, 4, 0, 3, 2), {}),
}
GRAPHS = {
    "a linkage": (["LEFT-WALL", "the", "cat", "sat"], [(1, 3, "Wd"), (3, 2, "Ds"), (3, 4, "Ss")], False),
    "labels beside a crossing": (["aaaa", "bbbb", "cccc", "d" * 14], [(1, 3, "one"), (2, 4, "two")], False),
    "links both ways": ("abc", [(1, 2), (2, 1), (1, 3), (3, 1)], True),
}


@pytest.mark.parametrize("title", TREES)
def test_pictures_of_trees(title):
    words, heads, options = TREES[title]
    assert draw_arcs(words, heads, **options) == PICTURES[title]


@pytest.mark.parametrize("title", GRAPHS)
def test_pictures_of_graphs(title):
    assert draw_links(*GRAPHS[title]) == PICTURES[title]


def test_numbers_under_short_words_stay_apart():
    words = ["a"] * 120
    last = draw_arcs(words, range(120), numbers=True).split("\n")[-1]
    assert last.split() == [str(number) for number in range(1, 121)]


def test_words_without_links():
    assert draw_links(["a", "b"], []) == "a b"
    assert draw_links(["a\tb", "c\x1b[2J"], []) == "a b c\ufffd[2J"


@pytest.mark.parametrize(
    ("words", "heads", "said"),
    [
        ([], (), "no words"),
        (["a"], (0, 1), "2 heads for 1 word"),
        (["a"], (1,), "joins a word to itself"),
        (["a"], (2,), "does not fit 1 word"),
        (["a"], (-1,), "does not fit 1 word"),
    ],
)
def test_what_cannot_be_drawn(words, heads, said):
    with pytest.raises(UsageError, match=said):
        draw_arcs(words, heads)
    with pytest.raises(UsageError, match="3 labels for 1 word"):
        draw_arcs(["a"], [0], labels=["x", "y", "z"])
    with pytest.raises(UsageError, match="does not fit"):
        draw_links(["a", "b"], [(1, 0)], directed=False)


# Reading a picture back: follow the line up from an arrow head, along, and down again.

DOWN_FROM = {"left": "┌├", "right": "┐┤"}


def panel_links(panel):
    """Return for every arrow head its word column and what its line leads to.

    That is a column, ``"root"``, or the number of a word in another panel.
    """
    lines = panel.split("\n")
    bottom = max(k for k, line in enumerate(lines) if "▼" in line)
    grid = [line.ljust(max(map(len, lines)) + 1) for line in lines[: bottom + 1]]
    return [(column, follow(grid, column)) for column, cell in enumerate(grid[bottom]) if cell == "▼"]


def follow(grid, column):
    row = len(grid) - 2
    while grid[row][column] in "│┼":
        row -= 1
    corner = grid[row][column]
    if corner.isalpha() or corner == "┬":
        return "root"
    side = {"┐": "left", "┌": "right"}[corner]
    column += -1 if side == "left" else 1
    while grid[row][column] in "─┼":
        column += -1 if side == "left" else 1
    if grid[row][column] == "┬" or "root" in grid[row][column : column + 5]:
        return "root"
    if grid[row][column] in DOWN_FROM[side]:
        for below in range(row + 1, len(grid)):
            assert grid[below][column] in "│┼├┤", "the line breaks off"
        return column
    assert grid[row][column] == " "
    if side == "left" and grid[row][:column].endswith("root"):
        return "root"
    number = grid[row][:column].split()[-1] if side == "left" else grid[row][column:].split()[0]
    return int(number), side


WORDS = st.sampled_from(
    ["a", "to", "cat", "words", "猫", "東京", "e\u0301", "longish", "\u0301", "\u200d", "ﬁ", "(", "1"]
)


@st.composite
def sentences(draw, longest=12):
    heads = draw(head_sequences(longest))
    return [draw(WORDS) for _ in heads], heads


@settings(max_examples=120)
@given(sentences(), st.booleans())
def test_every_link_can_be_read_back(sentence, rtl):
    words, heads = sentence
    drawn = draw_arcs(words, heads, rtl=rtl)
    layout = lay_out(tree_picture(words, heads, rtl=rtl))
    owner = {column: w.number for w in layout.words for column in range(w.slot, w.slot + w.slot_width)}
    read = [(owner[dependent], owner.get(head, 0)) for dependent, head in panel_links(drawn)]
    assert read == list(enumerate(heads, start=1))[:: -1 if rtl else 1]
    assert drawn.count("▼") == len(words)
    drawn = drawn.replace(LEFT_TO_RIGHT, "")
    line = drawn.split("\n")[-1] + " " * layout.width
    for word in layout.words:
        assert columns_of(line)[word.column : word.column + word.width] == columns_of(word.text)
        assert word.text.strip() == words[word.number - 1].rstrip("\u200d")
    assert max(map(text_width, drawn.split("\n"))) <= layout.width


@pytest.mark.parametrize(
    ("words", "rtl"),
    [
        (PEACE, True),
        (["\u0633\u0644\u0627\u0645", "2026", "."], True),
        (["peace", "\u05e9\u05dc\u05d5\u05dd"], False),  # as many of one kind as of the other
        (["(", "15", "%"], False),
        (["(\u05e9", "15", "%"], True),
        (["猫", "cat"], False),
    ],
)
def test_the_way_words_run_is_found_from_their_letters(words, rtl):
    found = links_picture(words, [])
    assert found.rtl == rtl
    assert links_picture(words, [], rtl=not rtl).rtl != rtl
    order = [word.number for word in sorted(lay_out(found).words, key=lambda word: word.column)]
    assert order == list(range(1, len(words) + 1))[:: -1 if rtl else 1]
    # Marks keep a terminal that reorders text from exchanging the words.
    assert arcs_text(found).count(LEFT_TO_RIGHT) == (2 * len(words) if rtl else 0)


def test_parts_of_speech_stand_below_the_words():
    tags = ["ADJECTIVE", "NOUN", "V", "X"]
    drawn = arcs_text(tree_picture(["a", "cat", "ran", "!"], [2, 3, 0, 3], tags=tags), numbers=True)
    assert drawn == PICTURES["parts of speech"]
    with pytest.raises(UsageError, match="1 tag for 2 words"):
        links_picture(["a", "b"], [], tags=["X"])


def test_strengths_are_written_beside_the_labels():
    links = [(1, 2, "det"), (2, 3), (3, 0), (2, 0)]
    strengths = {(1, 2): 1, (2, 3): 0.125, (3, 0): 0.75, (2, 0): 0.25}
    drawn = arcs_text(links_picture(["the", "cat", "sat"], links, strengths=strengths))
    assert sorted(re.findall(r"(?:\w+ )?\d\.\d\d", drawn)) == ["0.12", "det 1.00", "root 0.25", "root 0.75"]
    assert tree_picture(["a"], [0], strengths={(1, 0): 1 + 1e-12}).links[0].strength == 1
    for wrong in (-0.1, 1.5, float("nan")):
        with pytest.raises(UsageError, match="not between 0 and 1"):
            tree_picture(["a"], [0], strengths={(1, 0): wrong})


def test_arcs_of_the_gold_tree_have_its_labels():
    sentence = Sentence(("the", "cat", "sat"), None, (2, 3, 0), labels=("det", "nsubj", "root"))
    found = structure_picture(sentence, DependencyTree((3, 3, 0)))
    assert [link.label for link in found.links] == ["", "nsubj", "root"]


def columns_of(text):
    """Return the text as one entry per terminal column."""
    return [cell for piece, columns in clusters(text) for cell in [piece, *[""] * (columns - 1)] if columns]


@settings(max_examples=60)
@given(head_sequences(24), st.integers(30, 60), st.booleans())
def test_panels_fit_and_hold_every_link(heads, width, rtl):
    words = [f"w{d}" for d in range(1, len(heads) + 1)]
    drawn = draw_arcs(words, heads, width=width, numbers=True, rtl=rtl).replace(LEFT_TO_RIGHT, "")
    assert max(map(len, drawn.split("\n"))) <= width
    read = {}
    for panel in drawn.split("\n\n"):
        *_, texts, numbers = panel.split("\n")
        spans = [(m.start(), m.end(), int(m[0][1:])) for m in re.finditer(r"w\d+", texts)]
        assert [int(number) for number in numbers.split()] == [number for *_, number in spans]

        def word(column, spans=spans):
            return min(spans, key=lambda span: max(span[0] - column, column - span[1] + 1))[2]

        for dependent, head in panel_links(panel):
            number = word(dependent)
            assert number not in read
            if head == "root":
                read[number] = 0
            elif isinstance(head, tuple):
                read[number] = head[0]
                assert (head[1] == "left") == ((head[0] < number) != rtl)
            else:
                read[number] = word(head)
    assert tuple(read[d] for d in range(1, len(heads) + 1)) == heads


@settings(max_examples=60)
@given(sentences(), st.none() | st.integers(20, 60), st.booleans())
def test_ascii_is_the_same_picture(sentence, width, numbers):
    words, heads = sentence
    drawing = "│─┌┐├┤┬┼▼"
    box = draw_arcs(words, heads, width=width, numbers=numbers)
    plain = draw_arcs(words, heads, width=width, numbers=numbers, ascii=True)
    assert box.translate(str.maketrans(drawing, "|-..++.|v")) == plain.replace("▼", "v")
    assert not set(drawing) & set(plain)


@settings(max_examples=60)
@given(head_sequences(12))
def test_as_low_as_nesting_allows_without_crossings(heads):
    arcs = sorted(
        {(min(d, h), max(d, h)) for d, h in enumerate(heads, start=1) if h}, key=lambda a: a[1] - a[0]
    )
    depth = {}
    for a, b in arcs:
        depth[a, b] = 1 + max((depth[c, d] for c, d in depth if a <= c and d <= b), default=0)
    crossing = any(a < c < b < d for a, b in arcs for c, d in arcs)
    words = ["word"] * len(heads)
    layout = lay_out(tree_picture(words, heads))
    height = max((arc.level for arc in layout.arcs), default=0)
    if crossing:
        assert max(depth.values()) <= height <= len(arcs)
    else:
        assert height == max(depth.values(), default=0)


@settings(max_examples=60)
@given(head_sequences(12), st.booleans())
def test_every_label_is_written_once(heads, directed):
    words = ["word"] * len(heads)
    links = [(d, h, f"<{d}>") for d, h in enumerate(heads, start=1) if h]
    drawn = draw_links(words, links, directed=directed)
    assert sorted(re.findall(r"<\d+>", drawn)) == sorted(label for *_, label in links)
    assert drawn.count("▼") == (len(links) if directed else 0)


def test_a_word_wider_than_the_terminal_stands_alone():
    drawn = draw_arcs(["a", "x" * 50, "b"], [2, 0, 2], width=20)
    panels = drawn.split("\n\n")
    assert [panel.count("▼") for panel in panels] == [1, 1, 1]
    assert "x" * 50 in panels[1]
