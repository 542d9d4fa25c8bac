"""The terminal as the command line meets it: its width, colours and characters, and a progress bar."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, TextIO, TypeVar

from schemata.display.text import Page
from schemata.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


_T = TypeVar("_T")
_DEFAULT_WIDTH = 80
_PATIENCE = 2.0  # seconds that may pass without a sign of life
_GLYPHS = "│─╭╮╯╰┼▼≤≥≠∈¬∧∨×•→←"  # characters beyond ASCII that texts and pictures use


def page(ascii: bool = False) -> Page:
    """Return how to print on standard output; ASCII also where its encoding lacks characters."""
    ascii = ascii or not can_encode(sys.stdout, _GLYPHS)
    return Page(terminal_width(), ascii, use_colour(sys.stdout))


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
