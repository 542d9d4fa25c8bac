"""Terminals and text: width, colour, encodings, the progress bar and tables."""

import io
import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from schemata.display import terminal
from schemata.display.terminal import (
    Page,
    ProgressBar,
    SignOfLife,
    can_encode,
    clusters,
    columns,
    page,
    progress,
    table,
    terminal_width,
    text_width,
    use_colour,
)
from schemata.errors import coloured, printable


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


def test_a_timer_brings_the_bar_up_during_one_long_step(monkeypatch):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.01)
    stream = Terminal()
    with ProgressBar("thinking", stream=stream):
        begin = time.monotonic()
        while "thinking" not in stream.getvalue() and time.monotonic() < begin + 5:
            time.sleep(0.01)
    assert "thinking" in stream.getvalue()


def _until(said, stream):
    begin = time.monotonic()
    while said not in stream.getvalue() and time.monotonic() < begin + 5:
        time.sleep(0.01)
    return said in stream.getvalue()


def test_a_sign_of_life_stands_alone_on_its_line(monkeypatch):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.02)
    stream = Terminal()
    with SignOfLife("schemata relate", stream):
        assert _until("\rschemata relate, 0 s\x1b[K", stream)
        terminal.wipe()
        assert stream.getvalue().endswith("\r\x1b[K")
        with ProgressBar("thinking", stream=stream):
            assert _until("thinking", stream)
            before = stream.getvalue().count("schemata relate")
            time.sleep(0.1)
            assert stream.getvalue().count("schemata relate") == before
            terminal.wipe()
        end = len(stream.getvalue())
        begin = time.monotonic()
        while "schemata relate" not in stream.getvalue()[end:] and time.monotonic() < begin + 5:
            time.sleep(0.01)
    written = stream.getvalue()
    assert "schemata relate" in written[end:]
    assert written.endswith("\r\x1b[K")
    time.sleep(0.1)
    assert stream.getvalue() == written


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_no_sign_of_life_in_a_pipe_or_after_its_end(monkeypatch, stream):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.01)
    with SignOfLife("schemata relate", stream) as sign:
        if isinstance(stream, Terminal):
            sign.end()
        written = stream.getvalue()
        time.sleep(0.1)
        assert stream.getvalue() == written
    assert terminal._shown == []


def test_a_forked_process_shows_no_progress(monkeypatch):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.001)
    stream = Terminal()
    with SignOfLife("schemata relate", stream):
        for _ in range(20):
            time.sleep(0.002)
            if (child := os.fork()) == 0:
                terminal.wipe()
                os._exit(0 if terminal._shown == [] else 1)
            assert os.waitpid(child, 0)[1] == 0


ROWS = [("eisner1996", "15", "yes"), ("mh", "1234", ""), ("猫", "-", "e\u0301")]


def test_a_table():
    assert table(["schema", ">items", "ok"], ROWS, Page()).split("\n") == [
        "schema      items  ok",
        "──────────  ─────  ───",
        "eisner1996     15  yes",
        "mh           1234",
        "猫              -  e\u0301",
    ]


def test_a_table_in_ascii():
    assert table(["a"], ["b"], Page(ascii=True)) == "a\n-\nb"


def test_a_table_in_colours():
    assert coloured(table(["a"], ["b"], Page(colour=True))) == "\x1b[1ma\x1b[0m\n─\nb"


def test_a_table_without_rows():
    assert table(["a", "bc"], [], Page()).split("\n") == ["a  bc", "─  ──"]


WORDS = st.lists(st.text("abc", min_size=1, max_size=9), max_size=12).map(" ".join)


@pytest.mark.parametrize("right", [True, False])
@given(st.lists(st.text("ab1 猫\u0301", max_size=20), min_size=1, max_size=4))
def test_columns_stand_as_told_and_lose_nothing(right, cells):
    headers, rows = [">words" if right else "words", "x"], [(cell, "x") for cell in cells]
    shown = table(headers, rows, Page())
    _, rule, *lines = shown.split("\n")
    width = text_width(rule) - 3
    assert table(headers, rows, Page(width + 3), fold=True) == shown
    for cell, line in zip(cells, lines, strict=True):
        blanks = " " * (width - text_width(cell))
        assert line == f"{blanks + cell if right else cell + blanks}  x"


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4), st.integers(1, 120))
def test_columns_keep_to_a_width_and_lose_nothing(rows, width):
    lines = columns(rows, width)
    assert "".join("".join(lines).split()) == "".join("".join(cell.split()) for row in rows for cell in row)
    longest = max(len(word) for row in rows for word in row[-1].split() or [""])
    # The first two columns have 34 characters at most, or lines of their own.
    beside = max(len(cell) for row in rows for cell in row[:2]) + 38
    assert all(len(line) <= max(width, beside, 6 + longest) for line in lines)


@pytest.mark.parametrize("last", [">b", "b"])
def test_a_table_folds_where_the_page_is_narrow(last):
    rows = [("one", "two", "three four five six seven eight"), ("", "x", "9")]
    plain = table(["a", "", last], rows, Page(40))
    assert table(["a", "", last], rows, Page(41), fold=True) == plain
    folded = table(["a", "", last], rows, Page(39), fold=True).split("\n")
    assert max(map(len, folded)) <= 39
    if last == "b":
        assert folded[2:] == ["one  two  three four five six seven", "          eight", "     x    9"]
    else:
        assert folded == ["a  one", "   two", f"b  {rows[0][2]}", "", "   x", "b  9"]


def test_rows_of_different_lengths():
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        table(["a", "b"], [("x",)], Page())


def test_control_characters_do_not_reach_the_terminal():
    assert table(["a"], [("x\x1b[31m\ty\tz",)], Page()).split("\n")[2] == "x\ufffd[31m y z"
    assert printable("a\u200cb\u00a0\u3000") == "a\u200cb\u00a0\u3000"
    assert printable("\ud800\u202e\u2028\x7f\uffff") == "\ufffd" * 5


def test_a_page_without_box_characters(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert page() == Page(70, ascii=True)
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert (page(), page(ascii=True)) == (Page(70), Page(70, ascii=True))


@given(st.text())
def test_clusters_are_the_text(text):
    shown = printable(text)
    pieces = clusters(shown)
    assert "".join(piece for piece, _ in pieces) == shown
    assert all(columns == text_width(piece) for piece, columns in pieces)


def test_widths_are_those_of_wcwidth() -> None:
    """Also of the characters that are known to be narrow without its tables."""
    for code in range(0x20, 0x3100):
        for text in (chr(code), f"a{chr(code)}"):
            assert text_width(text) == (len(text) if text.isascii() else max(0, wcswidth(text))), hex(code)
