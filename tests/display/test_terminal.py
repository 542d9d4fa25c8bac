"""The terminal: width, colour, encodings, the progress bar and tables."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.display import terminal
from schemata.display.terminal import can_encode, progress, table, terminal_width, use_colour
from schemata.display.text import clusters, printable, text_width


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_width_without_a_terminal():
    closed = io.StringIO()
    closed.close()
    assert terminal_width(io.StringIO()) == 80
    assert terminal_width(closed) == 80


@pytest.mark.parametrize(("columns", "width"), [("120", 120), ("0", 80), ("", 80), ("wide", 80), ("²", 80)])
def test_width_from_the_environment(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width(io.StringIO()) == width


def test_width_of_a_terminal(monkeypatch):
    class Numbered(Terminal):
        def fileno(self):
            return 7

    monkeypatch.setattr(os, "get_terminal_size", lambda number: os.terminal_size((number * 10, 24)))
    assert terminal_width(Numbered()) == 70


@pytest.mark.parametrize(
    ("stream", "environment", "answer"),
    [
        (Terminal(), {}, True),
        (io.StringIO(), {}, False),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "0"}, False),
        (Terminal(), {"FORCE_COLOR": "0"}, True),
        (Terminal(), {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        (Terminal(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour(monkeypatch, stream, environment, answer):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert use_colour(stream) is answer


def test_a_closed_stream_has_no_colour():
    stream = Terminal()
    stream.close()
    stream.isatty = io.StringIO.isatty.__get__(stream)
    assert use_colour(stream) is False


@pytest.mark.parametrize(
    ("encoding", "text", "answer"),
    [
        ("utf-8", "─猫", True),
        ("ascii", "─", False),
        ("cp437", "─", True),
        ("latin-1", "é", True),
        ("ascii", "a", True),
    ],
)
def test_encodings(encoding, text, answer):
    assert can_encode(io.TextIOWrapper(io.BytesIO(), encoding=encoding), text) is answer


def test_a_stream_without_encoding_takes_everything():
    assert can_encode(io.StringIO(), "─")


def test_no_bar_before_two_seconds(capsys):
    stream = Terminal()
    assert list(progress(range(5), 5, "counting", stream=stream)) == [0, 1, 2, 3, 4]
    assert stream.getvalue() == ""
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("total", [30, None])
def test_a_bar_after_two_seconds(monkeypatch, capsys, total):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    stream = Terminal()
    assert list(progress(iter(range(30)), total, "reading [red]", stream=stream)) == list(range(30))
    assert "reading [red]" in stream.getvalue()
    assert "30/" in stream.getvalue()
    assert capsys.readouterr() == ("", "")


def test_what_is_printed_under_a_bar_still_goes_to_standard_output(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    for value in progress(range(3), 3, "reading", stream=Terminal()):
        print(value)
    assert capsys.readouterr().out == "0\n1\n2\n"


def test_no_bar_without_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    stream = io.StringIO()
    assert list(progress(range(3), 3, "reading", stream=stream)) == [0, 1, 2]
    assert list(progress(range(3), 3, "reading")) == [0, 1, 2]
    assert stream.getvalue() == ""
    assert capsys.readouterr() == ("", "")


def test_the_bar_is_taken_down_when_left_early(monkeypatch):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    stream = Terminal()
    values = progress(range(9), 9, "reading", stream=stream)
    assert [next(values), next(values)] == [0, 1]
    values.close()
    written = stream.getvalue()
    assert written.count("\x1b[?25l") == written.count("\x1b[?25h") == 1


def test_a_failure_passes_through_the_bar(monkeypatch):
    def failing():
        yield 1
        yield 2
        raise KeyError("gone")

    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    with pytest.raises(KeyError, match="gone"):
        list(progress(failing(), None, "reading", stream=Terminal()))


def test_importing_stays_light():
    code = """
import sys
import schemata.display.arcs, schemata.display.svg, schemata.display.terminal, schemata.treebanks
print([name for name in ("rich", "conllu", "wcwidth", "urllib.request") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


ROWS = [["eisner1996", 15, "yes"], ["mh", 1234, None], ["猫", "-", "e\u0301"]]


def test_a_table():
    assert table(["schema", "items", "ok"], ROWS).split("\n") == [
        "schema      items  ok",
        "──────────  ─────  ───",
        "eisner1996     15  yes",
        "mh           1234",
        "猫              -  e\u0301",
    ]


def test_a_table_in_ascii():
    assert table(["a"], [["b"]], ascii=True) == "a\n-\nb"


def test_a_table_without_rows():
    assert table(["a", "bc"], []).split("\n") == ["a  bc", "─  ──"]


@pytest.mark.parametrize(
    ("cells", "right"),
    [
        (["1", "22"], True),
        ([1.5, -2], True),
        (["1,234", "1e-05"], True),
        ([None, 7], True),
        (["98.5 %", "100%"], True),
        (["infinite", 3], True),
        ([float("nan"), float("inf")], True),
        (["1996", "mh"], False),
        (["2-planar", "3"], False),
        ([True, False], False),
        (["", ""], False),
    ],
)
def test_numbers_are_aligned_at_the_right(cells, right):
    _, _, *lines = table(["a long header", "x"], [[cell, "x"] for cell in cells]).split("\n")
    texts = ["" if cell is None else str(cell) for cell in cells]
    expected = [text.rjust(13) if right else text.ljust(13) for text in texts]
    assert [line[:13] for line in lines] == expected


def test_a_narrow_table_breaks_text_and_never_numbers():
    rows = [["a schema with a long name", 1234567, "x" * 20]]
    assert table(["name", "number of items", "rest"], rows, width=31).split("\n") == [
        "name         number  rest",
        "                 of",
        "              items",
        "──────────  ───────  ──────────",
        "a schema    1234567  xxxxxxxxxx",
        "with a               xxxxxxxxxx",
        "long name",
    ]


@given(
    st.lists(st.tuples(st.text("ab 猫\u0301", max_size=40), st.integers(0, 10**6)), max_size=4),
    st.integers(20, 60) | st.none(),
)
def test_tables_keep_to_the_width_and_lose_nothing(rows, width):
    lines = table(["words", "count"], rows, width=width).split("\n")
    assert width is None or max(map(text_width, lines)) <= width
    written = "".join("".join(lines[2:]).split())
    for text, number in rows:
        assert str(number) in written
        for letter in "ab猫":
            assert "".join(lines[2:]).count(letter) == sum(text.count(letter) for text, _ in rows)


def test_rows_of_the_wrong_length():
    with pytest.raises(ValueError, match="1 cells under 2 headers"):
        table(["a", "b"], [["x"]])


def test_control_characters_do_not_reach_the_terminal():
    assert table(["a"], [["x\x1b[31m\ny\tz"]]).split("\n")[2] == "x\ufffd[31m y z"
    assert printable("a\u200cb\u00a0\u3000") == "a\u200cb\u00a0\u3000"
    assert printable("\ud800\u202e\u2028\x7f\uffff") == "\ufffd" * 5


@given(st.text())
def test_clusters_are_the_text(text):
    shown = printable(text)
    pieces = clusters(shown)
    assert "".join(piece for piece, _ in pieces) == shown
    assert all(columns == text_width(piece) for piece, columns in pieces)
