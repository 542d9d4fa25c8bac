"""The terminal: its width, colours and characters, text of a width, tables with aligned columns, a progress bar."""

from __future__ import annotations

import os
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from types import TracebackType
from typing import TYPE_CHECKING, TextIO, TypeVar

from schemata.errors import printable
from schemata.quick_dataclasses import dataclass

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def text_width(text: str) -> int:
    """Return the number of terminal columns of printable text.

    >>> text_width("猫 e\u0301")
    4
    """
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(0, wcswidth(text))


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
    """Return text as lines, broken at blanks only, but not at those in `keep`.

    All lines are indented, all but the first by `hanging` more.

    >>> wrapped("one two three", 10, indent=2, hanging=1)
    ['  one two', '   three']
    >>> wrapped("i = 0, j = 1", 8, keep=" = ")
    ['i = 0,', 'j = 1']
    """
    margin = " " * indent
    lines = textwrap.wrap(
        text.replace(keep, keep.replace(" ", "\xa0")) if keep else text,
        width,
        initial_indent=margin,
        subsequent_indent=margin + " " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\xa0", " ") for line in lines] if keep else lines


# Tables ----------------------------------------------------------------------------------------------------

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_GAP = "  "


@dataclass(frozen=True, slots=True)
class Page:
    """The page that text is written on: its columns, whether to keep to ASCII, to use colours, and to cut lines.

    With `rtl` sentences are drawn from right to left; None: those whose words run so.
    """

    width: int = 80
    ascii: bool = False
    colour: bool = False
    is_terminal: bool = False
    rtl: bool | None = None


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


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], page: Page, clip: bool = False) -> str:
    """Return a table with a rule below its headers; the headers of columns aligned at the right begin with >.

    With `clip` its lines end where the terminal does.

    >>> print(table(["schema", ">items"], [["mh", "> 15"]], Page(ascii=True)))
    schema  items
    ------  -----
    mh       > 15
    """
    names = [header.removeprefix(">") for header in headers]
    lines = [[printable(cell) for cell in cells] for cells in (names, *rows)]
    right = [header.startswith(">") for header in headers]
    widths = [max(map(text_width, column)) for column in zip(*lines, strict=True)]
    header, *rest = (_GAP.join(map(padded, cells, widths, right)).rstrip() for cells in lines)
    rule = _GAP.join(("-" if page.ascii else "─") * width for width in widths)
    if clip:
        header, rule, *rest = (clipped(line, page) for line in (header, rule, *rest))
    return "\n".join([f"{_BOLD}{header}{_PLAIN}" if page.colour else header, rule, *rest])


def fits(table: str, width: int) -> bool:
    """Return whether a table is no wider than there is room."""
    return text_width(table.split("\n")[1]) <= width


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


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return "".join(["|", *(f" {cell} |" if cell else " |" for cell in escaped)])


_T = TypeVar("_T")
_DEFAULT_WIDTH = 80
_WIDEST = 10_000  # columns of a terminal
_PATIENCE = 2.0  # seconds that may pass without a sign of life
_GLYPHS = "│─╭╮╯╰┼▼≤≥≠∈¬∧∨×•→←"  # characters beyond ASCII that texts and pictures use


def page(ascii: bool = False, width: int | None = None, rtl: bool | None = None) -> Page:
    """Return how to print on standard output: as wide as the terminal, unless told; ASCII if its encoding is poor."""
    ascii = ascii or not can_encode(sys.stdout, _GLYPHS)
    return Page(width or terminal_width(), ascii, use_colour(sys.stdout), _is_live(sys.stdout), rtl)


def terminal_width(stream: TextIO | None = None) -> int:
    """Return the columns of the terminal behind a stream (standard output if None), 80 if there is none.

    ``COLUMNS`` in the environment has the last word.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and columns.strip("0"):
        return min(_WIDEST, int(columns.lstrip("0")[:9]))
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


class ProgressBar:
    """A context in which `advance` counts what is done; the bar shows after two seconds, on a terminal only.

    It goes to `stream` (standard error if None) and is wiped off at the end; nothing ever goes to standard output,
    and nothing is imported or written before two seconds have passed. A timer brings the bar up, since the next
    step may be minutes away; without it, the first step does that ends after two seconds.
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
            self._timer.start()
        return self

    def _begin(self) -> None:
        from rich import progress as bars
        from rich.console import Console
        from rich.markup import escape

        with self._lock:
            if self._bar or not self._live:
                return
            bar = bars.Progress(
                bars.TextColumn("{task.description}"),
                bars.BarColumn(),
                bars.MofNCompleteColumn(),
                bars.TimeElapsedColumn() if self._total is None else bars.TimeRemainingColumn(),
                console=Console(file=self._stream, no_color=not use_colour(self._stream)),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            task = bar.add_task(escape(self._description), total=self._total, completed=self._done)
            bar.start()
            self._bar = bar, task

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
            if self._bar:
                self._bar[0].stop()


def progress(
    values: Iterable[_T], total: int | None, description: str, *, stream: TextIO | None = None
) -> Iterator[_T]:
    """Yield values under a progress bar; `total` None means that the end is not known.

    There is no timer, since processes may be forked to make the values.
    """
    with ProgressBar(description, total, stream=stream, timer=False) as bar:
        for value in values:
            yield value
            bar.advance()
