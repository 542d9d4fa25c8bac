"""Values that show themselves in notebooks.

A notebook asks a value for `_repr_html_` or `_repr_svg_`. Charts, forests and trees live in rooms that know
nothing of pictures, so they only inherit the asking from here. The answer is looked up in the display room
when a notebook asks: this is the one place where an upper room reaches down, it does so at run time only, and
nothing of it is imported by a program that never shows anything.
"""

from __future__ import annotations

__all__ = ["ShownAsHtml", "ShownAsSvg"]


class ShownAsHtml:
    """A value that notebooks show as `schemata.display.notebook.html_of` renders it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from schemata.display.notebook import html_of

        return html_of(self)


class ShownAsSvg:
    """A value that notebooks show as `schemata.display.notebook.svg_of` draws it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        from schemata.display.notebook import svg_of

        return svg_of(self)
