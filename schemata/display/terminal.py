"""The terminal as the command line meets it: its width, colours and characters, a progress bar, tables."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, TextIO, TypeVar

from schemata.display.text import clusters, printable, text_width

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


_T = TypeVar("_T")
_DEFAULT_WIDTH = 80
_PATIENCE = 2.0  # seconds that may pass without a sign of life
_NARROWEST = 8  # columns a text column of a table is not squeezed below
_NUMBER = re.compile(r"[-+−]?[\d][\d,.'_]*(e[-+]?\d+)?( ?%)?|[-+]?(inf|nan)|infinite|-|–|—", re.IGNORECASE)


def terminal_width(stream: TextIO | None = None) -> int:
    """Return the columns of the terminal behind a stream (standard output if None), 80 if there is none.

    ``COLUMNS`` in the environment has the last word.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return int(columns)
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


def progress(
    iterable: Iterable[_T], total: int | None, description: str, *, stream: TextIO | None = None
) -> Iterator[_T]:
    """Yield the values of an iterable, with a progress bar once two seconds have passed.

    The bar goes to `stream` (standard error if None) if that is a terminal, and is wiped off at the end;
    nothing ever goes to standard output. `total` None means that the end is not known.
    """
    stream = sys.stderr if stream is None else stream
    if not _is_live(stream):
        yield from iterable
        return
    values = iter(iterable)
    start = time.monotonic()
    done = 0
    for value in values:
        yield value
        done += 1
        if time.monotonic() - start >= _PATIENCE:
            break
    else:
        return
    yield from _with_bar(values, done, total, description, stream)


def _with_bar(
    values: Iterator[_T], done: int, total: int | None, description: str, stream: TextIO
) -> Iterator[_T]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=stream, no_color=not use_colour(stream))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as bar:
        task = bar.add_task(escape(printable(description)), total=total, completed=done)
        for value in values:
            yield value
            bar.advance(task)


def table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, width: int | None = None, ascii: bool = False
) -> str:
    """Return a table of plain text; columns of numbers are aligned at the right.

    Cells that do not fit the width are broken into lines, numbers never; a table that cannot be made to fit
    sticks out rather than lose anything. None is an empty cell.

    Parameters
    ----------
    headers : one header per column.
    rows : the cells, as many per row as there are headers.
    width : the columns there are, or None for as wide as it gets.
    ascii : draw the rule below the headers with ASCII characters.

    Raises
    ------
    ValueError : a row with more or fewer cells than there are headers.

    >>> print(table(["schema", "items"], [["eisner1996", 15], ["mh", 7]], ascii=True))
    schema      items
    ----------  -----
    eisner1996     15
    mh              7
    """
    cells = [[_cell(value) for value in row] for row in rows]
    for row in cells:
        if len(row) != len(headers):
            raise ValueError(f"{len(row)} cells under {len(headers)} headers")
    names = [_cell(name) for name in headers]
    columns = [[row[k] for row in cells] for k in range(len(names))]
    numeric = [any(column) and all(_NUMBER.fullmatch(c) for c in column if c) for column in columns]
    widths = _fit(names, columns, numeric, width)
    rule = [("-" if ascii else "─") * size for size in widths]
    lines = [
        *_lines(names, widths, numeric),
        "  ".join(rule),
        *(line for row in cells for line in _lines(row, widths, numeric)),
    ]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return "" if value is None else printable(str(value).replace("\n", " "))


def _fit(
    names: Sequence[str], columns: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None
) -> list[int]:
    """Return the width of every column: headers above numbers are broken first, then the widest texts."""
    bodies = [max(map(text_width, column), default=0) for column in columns]
    widths = [max(text_width(name), body) for name, body in zip(names, bodies, strict=True)]
    least = [
        max(body if right else _NARROWEST, *map(text_width, (name.split() or [""])))
        for name, body, right in zip(names, bodies, numeric, strict=True)
    ]
    excess = 0 if width is None else sum(widths) + 2 * (len(widths) - 1) - width
    for _ in range(excess):
        yielding = [k for k in range(len(widths)) if widths[k] > least[k]]
        if not yielding:
            break
        widths[max(yielding, key=lambda k: (numeric[k], widths[k]))] -= 1
    return widths


def _lines(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> Iterator[str]:
    broken = [_wrap(text, columns) for text, columns in zip(row, widths, strict=True)]
    for n in range(max(map(len, broken), default=1)):
        parts = []
        for pieces, columns, right in zip(broken, widths, numeric, strict=True):
            text = pieces[n] if n < len(pieces) else ""
            blanks = " " * (columns - text_width(text))
            parts.append(blanks + text if right else text + blanks)
        yield "  ".join(parts).rstrip()


def _wrap(text: str, width: int) -> list[str]:
    """Break text at blanks, and within a word where it is wider than a line."""
    if text_width(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if text_width(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for piece, columns in clusters(word):
            if lines[-1] and text_width(lines[-1]) + columns > width:
                lines.append("")
            lines[-1] += piece
    return lines


_SECONDS = 2.0


class Patience:
    """A context in which `advance` counts what is done; the bar goes to standard error if that is a terminal.

    Nothing is imported or written before two seconds have passed. A timer brings the bar up, not the next
    step, since that may be minutes away.
    """

    def __init__(self, description: str, total: int | None, *, stream: TextIO | None = None) -> None:
        self._description = printable(description)
        self._total = total
        self._stream = sys.stderr if stream is None else stream
        self._done = 0
        self._lock = threading.Lock()
        self._over = False
        self._bar: tuple[Progress, TaskID] | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Patience:
        try:
            live = self._stream.isatty()
        except (ValueError, AttributeError):  # a closed stream, or none at all
            live = False
        if live:
            self._timer = threading.Timer(_SECONDS, self._begin)
            self._timer.daemon = True
            self._timer.start()
        return self

    def _begin(self) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._over:
                return
            console = Console(file=self._stream, no_color=not use_colour(self._stream))
            progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            task = progress.add_task(escape(self._description), total=self._total, completed=self._done)
            progress.start()
            self._bar = progress, task

    def advance(self, steps: int = 1) -> None:
        """Count steps as done."""
        with self._lock:
            self._done += steps
            if self._bar:
                progress, task = self._bar
                progress.update(task, completed=self._done)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer:
            self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar:
                self._bar[0].stop()
