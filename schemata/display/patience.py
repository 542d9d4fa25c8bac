"""A progress bar that shows after two seconds, also while a single long step is still going on."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from schemata.display.columns import printable
from schemata.display.terminal import use_colour

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Patience"]

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
