"""The output of commands: answers to standard output, findings to standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from schemata.errors import Diagnostic, coloured, is_control
from schemata.records import document

if TYPE_CHECKING:
    from schemata.display.terminal import SignOfLife

_kept: list[list[Diagnostic]] = []
_signs: list[SignOfLife] = []


@contextlib.contextmanager
def working(name: str) -> Iterator[None]:
    """Show on a terminal that a command works, until it ends or waits."""
    from schemata.display.terminal import SignOfLife

    with SignOfLife(f"schemata {name}") as sign:
        _signs.append(sign)
        try:
            yield
        finally:
            _signs.pop()


def waiting() -> None:
    """Show no longer that a command works: it waits for its user, or for another program."""
    for sign in _signs:
        sign.end()


@contextlib.contextmanager
def reports_kept() -> Iterator[list[Diagnostic]]:
    """Collect reports in a list instead of printing them, for another process to report."""
    _kept.append([])
    try:
        yield _kept[-1]
    finally:
        _kept.pop()


def report(*diagnostics: Diagnostic) -> None:
    """Write diagnostics to standard error, in colour if that is a terminal."""
    from schemata.display.terminal import use_colour

    if _kept:
        _kept[-1].extend(diagnostics)
        return
    for diagnostic in diagnostics:
        write(diagnostic.render(use_colour(sys.stderr)) + "\n", sys.stderr)


def write(text: str, stream: TextIO | None = None) -> None:
    """Write text, to standard output if no stream is named; all that commands print passes through here.

    Control characters, which files and options may hold, are made visible: they would act on the terminal. The codes
    of colours and of bold text that the package itself makes stay.
    """
    if _signs:
        from schemata.display.terminal import wipe

        wipe()
    (sys.stdout if stream is None else stream).write(coloured(text))


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on one line."""
    write(json_text(document(value)) + "\n")


def json_text(value: Any) -> str:
    """Return a value as JSON in one line; control characters are escaped, so that none is lost."""
    import json

    text = json.dumps(value, ensure_ascii=False)
    if not text.isprintable():
        text = "".join(f"\\u{ord(c):04x}" if is_control(c) else c for c in text)
    return text
