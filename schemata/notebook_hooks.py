"""Values that show themselves: as text, and with pictures in notebooks.

A notebook asks a value for `_repr_html_` or `_repr_svg_`, `print` for `__str__`. Charts, forests, trees and verdicts
live in rooms that know nothing of pictures, so they only inherit the asking from here; the package's face says who
answers (`show_with`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

T = TypeVar("T")

_answers: list[Callable[[object], str]] = []


def show_with(
    html: Callable[[object], str], svg: Callable[[object], str], text: Callable[[object], str]
) -> None:
    """Say what renders values as HTML, what draws them as SVG, and what tells them as text."""
    _answers[:] = html, svg, text


class ShownAsHtml:
    """A value that notebooks show as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _answers[0](self)


class ShownAsSvg:
    """A value that notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return _answers[1](self)


class Shown(ShownAsHtml):
    """An answer: printed, it is the text that the command prints; in one line, the beginning of that."""

    __slots__ = ()

    def __str__(self) -> str:
        return _answers[2](self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self).partition(chr(10))[0]}>"


class ShownList(ShownAsHtml, list[T]):
    """A list that notebooks show in pictures; `sentence` is what its trees are of, None if that is not known."""

    def __init__(self, values: Iterable[T] = (), sentence: Any = None) -> None:
        super().__init__(values)
        self.sentence = sentence
