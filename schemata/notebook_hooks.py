"""Values that show themselves: as text, and with pictures in notebooks.

A notebook asks a value for `_repr_html_` or `_repr_svg_`, `print` for `__str__`. Charts, forests, trees and verdicts
live in rooms that know nothing of pictures, so they only inherit the asking from here; the package's face says who
answers (`show_with`).
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")

_room: list[str] = []


def show_with(module: str) -> None:
    """Say which module answers: its `html_of`, `svg_of` and `text_of`; it is imported when a value is to be shown."""
    _room[:] = [module]


def _ask(function: str, value: object) -> str:
    return str(getattr(import_module(_room[0]), function)(value))


class ShownAsHtml:
    """A value that notebooks show as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _ask("html_of", self)


class ShownAsSvg:
    """A value that notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return _ask("svg_of", self)


class Shown(ShownAsHtml):
    """An answer: printed, it is the text that the command prints; in one line, the beginning of that."""

    __slots__ = ()

    def __str__(self) -> str:
        return _ask("text_of", self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self).partition(chr(10))[0]}>"


class ShownList(ShownAsHtml, list[T]):
    """A list that notebooks show in pictures; `sentence` is what its trees are of, None if that is not known."""

    def __init__(self, values: Iterable[T] = (), sentence: Any = None) -> None:
        super().__init__(values)
        self.sentence = sentence
