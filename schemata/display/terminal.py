"""The terminal: its width, colours and characters, text of a width, tables with aligned columns, a progress bar."""

from __future__ import annotations

import io
import os
import re
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, repeat
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from schemata.errors import painted, printable, text_width
from schemata.records import Record

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def clusters(text: str) -> list[tuple[str, int]]:
    """Return the text in pieces that cannot be cut, each with its columns; marks stay with their letter.

    >>> clusters("e\u0301猫")
    [('e\u0301', 1), ('猫', 2)]
    """
    pieces: list[tuple[str, int]] = []
    start, columns = 0, 0
    for end in range(1, len(text) + 1):
        grown = text_width(text[start:end])
        if grown > columns and columns:
            pieces.append((text[start : end - 1], columns))
            start = end - 1
            grown = text_width(text[start:end])
        columns = grown
    return [*pieces, (text[start:], columns)] if text else []


def wrapped(text: str, width: int, indent: int = 0, hanging: int = 0, keep: str = "") -> list[str]:
    """Return text as lines, broken at blanks only, but not at those in `keep` or at no-break spaces.

    All lines are indented, all but the first by `hanging` more.

    >>> wrapped("one two three", 10, indent=2, hanging=1)
    ['  one two', '   three']
    >>> wrapped("i = 0, j = 1", 8, keep=" = ")
    ['i = 0,', 'j = 1']
    """
    kept = text.replace(keep, keep.replace(" ", "\xa0")) if keep else text
    wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    wrapper.initial_indent, wrapper.subsequent_indent = " " * indent, " " * (indent + hanging)
    return [line.replace("\xa0", " ") for line in wrapper.wrap(kept)]


# Tables ----------------------------------------------------------------------------------------------------

_WIDEST_CELL = 34  # columns of a text beside others; longer ones have lines of their own
_NARROWEST = 16  # columns that a text beside others has at least
_BELOW = 6  # by which it is indented where it stands below them
_GAP = "  "


class Page(Record):
    """The page that text is written on: its columns, whether to keep to ASCII, to use colours, and to cut lines.

    With `rtl` sentences are drawn from right to left; None: those whose words run so.
    """

    width: int = 80
    ascii: bool = False
    colour: bool = False
    is_terminal: bool = False
    rtl: bool | None = None


PAGE = Page()
"""The page of texts that no command prints."""

WIDE = Page(10_000)
"""A page that is wide enough for all that is drawn on it."""


def padded(text: str, width: int, right: bool = False) -> str:
    """Return printable text filled up with blanks, at the right of its column or at the left."""
    blanks = " " * (width - text_width(text))
    return blanks + text if right else text + blanks


def clipped(line: str, page: Page) -> str:
    """Return a line that ends where the terminal does; the whole line if it is not printed on one.

    >>> clipped("0123456789", Page(5, is_terminal=True)), clipped("0123456789", Page(5))
    ('0123…', '0123456789')
    """
    if not page.is_terminal or text_width(line) <= page.width:
        return line
    dots = "..." if page.ascii else "…"
    room = page.width - len(dots)
    ends = accumulate(columns for _, columns in clusters(line))
    return "".join(piece for (piece, _), end in zip(clusters(line), ends, strict=True) if end <= room) + dots


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    page: Page,
    *,
    clip: bool = False,
    fold: bool = False,
    keep: str = "",
) -> str:
    """Return a table with a rule below its headers; the headers of columns aligned at the right begin with >.

    With `clip` its lines end where the terminal does. With `fold` it keeps to the page: texts in the last column go on
    in further lines (see `columns`); a table of numbers is printed row by row, a line for each column.

    >>> print(table(["schema", ">items"], [["mh", "> 15"]], Page(ascii=True)))
    schema  items
    ------  -----
    mh       > 15
    >>> print(table(["schema", ">items"], [["mh", "> 15"], ["wg1", "2"]], Page(10), fold=True))
    schema  mh
    items   > 15
    <BLANKLINE>
    schema  wg1
    items   2
    """
    names = [header.removeprefix(">") for header in headers]
    right = [header.startswith(">") for header in headers]
    lines = [[printable(cell) for cell in cells] for cells in (names, *rows)]
    widths = [max(map(text_width, column)) for column in zip(*lines, strict=True)]
    folded = fold and sum(widths) + len(_GAP) * (len(widths) - 1) > page.width
    if folded and right[-1]:
        wide = max(map(text_width, lines[0]))
        labels = [padded(name, wide) for name in lines[0]]
        blocks = ([_GAP.join(pair) for pair in zip(labels, row, strict=True) if pair[1]] for row in lines[1:])
        return "\n\n".join(map("\n".join, blocks))
    if folded:
        header, *rest = columns(lines, page.width, right, keep)
        widths = [*_widths(lines), page.width]
        widths[-1] -= sum(widths[:-1]) + len(_GAP) * (len(widths) - 1)
    else:
        header, *rest = (_GAP.join(map(padded, cells, widths, right)).rstrip() for cells in lines)
    rule = _GAP.join(("-" if page.ascii else "─") * width for width in widths)
    if clip:
        header, rule, *rest = (clipped(line, page) for line in (header, rule, *rest))
    return "\n".join([painted(header, "message", page.colour), rule, *rest])


def columns(
    rows: Iterable[Sequence[str]],
    width: int,
    right: Iterable[bool] = (),
    keep: str = "",
    widest: int = _WIDEST_CELL,
) -> list[str]:
    """Return rows of printable texts in columns, as lines; the last text of a row goes on in further lines.

    A text too long for its column has a line of its own; so has a last text with too little room up to the end of the
    line.

    Parameters
    ----------
    rows : texts, as many in each row.
    width : columns of a line.
    right : which of the columns are aligned at the right; those that it does not reach are not.
    keep : as for `wrapped`.
    widest : the greatest width of a text beside others, in columns.

    >>> print("\\n".join(columns([("a", "1", "one two three four five six"), ("b", "", "seven")], 30, [False, True])))
    a  1  one two three four five
          six
    b     seven
    """
    texts = list(rows)
    widths = _widths(texts, widest)
    sides = [*right, *repeat(False, len(widths))]
    lines: list[str] = []
    for *cells, last in texts:
        begin, place = "", 0
        for cell, size, at_right in zip(cells, widths, sides, strict=False):
            begin += padded(cell, size, at_right) + _GAP
            place += size + len(_GAP)
            if text_width(cell) > size:
                lines.append(begin.rstrip())
                begin = " " * place
        room = width - text_width(begin)
        if text_width(last) <= room:
            lines.append((begin + last).rstrip().replace("\xa0", " "))
        elif room >= _NARROWEST:
            first, *more = wrapped(last, room, keep=keep)
            lines += [begin + first, *(" " * text_width(begin) + line for line in more)]
        else:
            lines += [begin.rstrip(), *wrapped(last, max(width, _BELOW + 1), _BELOW, keep=keep)]
    return lines


def _widths(rows: Sequence[Sequence[str]], widest: int = _WIDEST_CELL) -> list[int]:
    """Return the widths of all columns but the last."""
    sizes = (
        [size for size in map(text_width, column) if size <= widest] for column in zip(*rows, strict=True)
    )
    return [max(column, default=0) for column in sizes][:-1]


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; the headers of columns aligned at the right begin with >.

    >>> print(markdown_table(["schema", ">items"], [["mh", "a|b"]]))
    | schema | items |
    |---|---:|
    | mh | a\\|b |
    """
    rule = "|".join("---:" if header.startswith(">") else "---" for header in headers)
    names = [header.removeprefix(">") for header in headers]
    return "\n".join([_markdown_row(names), f"|{rule}|", *map(_markdown_row, rows)])


def no_formula(value: Any) -> Any:
    """Return a value of a CSV or TSV file, with an apostrophe where a spreadsheet would take a text for a formula.

    >>> no_formula("=1+1"), no_formula("-0.5"), no_formula(-2), no_formula("a = b")
    ("'=1+1", '-0.5', -2, 'a = b')
    """
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


FORMATS = ("text", "markdown", "csv", "tsv", "latex")
"""How tables are written."""


def tabulated(headers: Sequence[str], rows: Sequence[Sequence[str]], how: str, page: Page) -> str:
    """Return a table in one of `FORMATS`; the headers of columns aligned at the right begin with >.

    >>> print(tabulated(["schema", ">share"], [["mh", "98 %"]], "latex", Page()))
    \\begin{tabular}{lr}
    schema & share \\\\
    \\hline
    mh & 98 \\% \\\\
    \\end{tabular}
    """
    if how == "text":
        return table(headers, rows, page)
    if how == "markdown":
        return markdown_table(headers, rows)
    names = [header.removeprefix(">") for header in headers]
    if how in ("csv", "tsv"):
        import csv

        text = io.StringIO()
        between = "," if how == "csv" else "\t"
        plain = [[*map(no_formula, row)] for row in rows]
        csv.writer(text, delimiter=between, lineterminator="\n").writerows([names, *plain])
        return text.getvalue().rstrip("\n")
    first, *rest = (" & ".join(map(_latex, cells)) + r" \\" for cells in (names, *rows))
    columns = "".join("r" if header.startswith(">") else "l" for header in headers)
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", first, r"\hline", *rest, r"\end{tabular}"])


def _latex(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text).replace("^", r"\^{}")


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return "".join(["|", *(f" {cell} |" if cell else " |" for cell in escaped)])


_T = TypeVar("_T")
_DEFAULT_WIDTH = 80
_PATIENCE = 1.0  # seconds that may pass without a sign of life
_GLYPHS = "│─╭╮╯╰┼├┤▼≤≥≠∈¬∧∨×•→←"  # characters beyond ASCII that texts and pictures use


def page(ascii: bool = False, width: int | None = None, rtl: bool | None = None) -> Page:
    """Return the format of standard output: by default as wide as the terminal; ASCII if its encoding is
    poor.
    """
    ascii = ascii or not can_encode(sys.stdout, _GLYPHS)
    return Page(width or terminal_width(), ascii, use_colour(sys.stdout), _is_live(sys.stdout), rtl)


def terminal_width(stream: TextIO | None = None) -> int:
    """Return the columns of the terminal behind a stream (standard output if None), 80 without a
    terminal.

    ``COLUMNS`` in the environment has the last word.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and columns.strip("0"):
        return min(WIDE.width, int(columns.lstrip("0")[:9]))
    stream = sys.stdout if stream is None else stream
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_WIDTH
    except (OSError, ValueError, AttributeError):  # no terminal, a closed stream, a stream without a file
        return _DEFAULT_WIDTH


def use_colour(stream: TextIO) -> bool:
    """Return whether to write colours to a stream.

    ``NO_COLOR`` forbids them, ``FORCE_COLOR`` (not 0) demands them; else they go to terminals that are not
    dumb.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return _is_live(stream)


def can_encode(stream: TextIO, text: str) -> bool:
    """Return whether a stream can write the text as it is."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _is_live(stream: TextIO) -> bool:
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except (ValueError, AttributeError):  # a closed stream, or none at all
        return False


_LINE = threading.RLock()  # held by who writes on the last line of the terminal
_shown: list[SignOfLife | ProgressBar] = []  # what may stand there


def wipe() -> None:
    """Wipe the display of progress off the terminal, before something else is written; it comes back a second later."""
    for one in tuple(_shown):
        one.wipe()


class SignOfLife:
    """A line on the terminal that names the work in progress and its seconds, as a context.

    It goes to `stream` (standard error if None), if that is a terminal, after a second in which nothing was written and
    no progress bar was there, and is wiped off by `wipe` and at the end. A thread writes it, which imports nothing and
    is not within a write when a process is forked.
    """

    def __init__(self, text: str, stream: TextIO | None = None) -> None:
        self._text = printable(text)
        self._stream = sys.stderr if stream is None else stream
        self._began = self._written = time.monotonic()
        self._is_there = False
        self._over = threading.Event()

    def __enter__(self) -> SignOfLife:
        if _is_live(self._stream):
            with suppress(RuntimeError):  # no thread can start
                threading.Thread(target=self._work, daemon=True).start()
                _shown.append(self)
        return self

    def _work(self) -> None:
        while not self._over.wait(_PATIENCE / 2):
            with _LINE, suppress(OSError, ValueError):  # a stream that has been closed
                now = time.monotonic()
                if _shown == [self] and now - self._written >= _PATIENCE:
                    self._stream.write(f"\r{self._text}, {now - self._began:.0f} s\x1b[K")
                    self._stream.flush()
                    self._is_there = True

    def wipe(self) -> None:
        """Wipe the line off, for a second at least."""
        with _LINE, suppress(OSError, ValueError):
            self._written = time.monotonic()
            if self._is_there:
                self._is_there = False
                self._stream.write("\r\x1b[K")
                self._stream.flush()

    def end(self) -> None:
        """Wipe the line off for good."""
        self._over.set()
        self.wipe()
        with suppress(ValueError):  # there was no terminal
            _shown.remove(self)

    def __exit__(self, *_: object) -> None:
        self.end()


def _forget() -> None:
    """In a forked process nothing shows progress."""
    _shown.clear()
    _LINE.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LINE.acquire, after_in_parent=_LINE.release, after_in_child=_forget)


class ProgressBar:
    """A progress bar as a context, moved by `advance`; it shows after a second, on a terminal only.

    It goes to `stream` (standard error if None) and is wiped off at the end; nothing ever goes to standard output, and
    nothing is imported or written before a second has passed. A timer brings the bar up, since the next step may be
    minutes away; without it, the first step that ends after a second does.
    """

    def __init__(
        self, description: str, total: int | None = None, *, stream: TextIO | None = None, timer: bool = True
    ) -> None:
        self._description = printable(description)
        self._total = total
        self._stream = sys.stderr if stream is None else stream
        self._live = _is_live(self._stream)
        self._done = 0
        self._lock = threading.RLock()
        self._bar: tuple[Progress, TaskID] | None = None
        self._due = time.monotonic() + _PATIENCE
        self._timer = threading.Timer(_PATIENCE, self._begin) if timer and self._live else None

    def __enter__(self) -> ProgressBar:
        if self._timer:
            self._timer.daemon = True
            with suppress(RuntimeError):  # no thread can start: the first step after two seconds brings it up
                self._timer.start()
        return self

    def _begin(self) -> None:
        try:
            from rich import progress as bars
            from rich.console import Console
            from rich.markup import escape
        except ImportError:  # nothing depends on the bar
            self._live = False
            return

        with self._lock:
            if self._bar or not self._live:
                return
            last = bars.TimeElapsedColumn() if self._total is None else bars.TimeRemainingColumn()
            shown = bars.TextColumn("{task.description}"), bars.BarColumn(), bars.MofNCompleteColumn(), last
            console = Console(file=self._stream, no_color=not use_colour(self._stream))
            apart: Any = {"redirect_stdout": False, "redirect_stderr": False}
            bar = bars.Progress(*shown, console=console, transient=True, **apart)
            task = bar.add_task(escape(self._description), total=self._total, completed=self._done)
            wipe()
            bar.start()
            self._bar = bar, task
            _shown.append(self)

    def wipe(self) -> None:
        """Wipe the bar off; a step that ends a second later, at least, brings it up again."""
        with self._lock:
            if self._bar:
                self._bar[0].stop()
                self._bar = None
                self._due = time.monotonic() + _PATIENCE
                _shown.remove(self)

    def advance(self, steps: int = 1) -> None:
        """Count steps as done."""
        with self._lock:
            self._done += steps
            if self._live and time.monotonic() >= self._due:
                self._begin()
            if self._bar:
                bar, task = self._bar
                bar.update(task, completed=self._done)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer:
            self._timer.cancel()
        with self._lock:
            self._live = False
            self.wipe()


def progress(values: Iterable[_T], total: int | None, description: str, **options: Any) -> Iterator[_T]:
    """Yield values under a progress bar; `total` is None if their number is open, options are the bar's.

    There is no timer unless asked for, since processes may be forked to make the values.
    """
    with ProgressBar(description, total, **{"timer": False, **options}) as bar:
        for value in values:
            yield value
            bar.advance()
