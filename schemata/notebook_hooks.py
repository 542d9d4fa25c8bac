"""Values with pictures in notebooks.

A notebook asks a value for `_repr_html_` or `_repr_svg_`. Charts, forests and trees live in rooms that know
nothing of pictures, so they only inherit the asking from here; the package's face says who answers (`show_with`).
"""

from __future__ import annotations

from collections.abc import Callable

_answers: list[Callable[[object], str]] = []


def show_with(html: Callable[[object], str], svg: Callable[[object], str]) -> None:
    """Say what renders values as HTML and what draws them as SVG."""
    _answers[:] = html, svg


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
