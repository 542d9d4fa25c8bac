"""The writer of pictures in SVG: documents, elements, text of fixed width, lines and arrow heads.

A picture carries everything it needs. Text is set in a monospaced font and stretched to its measured columns, so
that lines meet it whatever font there is. Colours can be read on white and on black; where the reader prefers dark
pages, a style sheet makes them lighter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from schemata.errors import printable, text_width
from schemata.wording import quantity

COLOURS = {
    "word": ("#757575", "#a3a3a3"),
    "note": ("#757575", "#a3a3a3"),
    "arc": ("#2c76d1", "#6ba3e8"),
    "label": ("#2d8559", "#4bb583"),
    "root": ("#bf561b", "#ec8a52"),
}
"""The colours of drawings: the usual one, and that on dark pages."""

ADVANCE = 0.6  # width of a column of a monospaced font in font sizes
COLUMN = 9.0  # a column of the text in pictures, pixels: the font size is 15
WIDTH = 100  # columns that pictures may take unless told otherwise
MARGIN = 10.0
_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def escaped(text: str) -> str:
    """Return a text escaped for XML; Python's own function would import the table of all HTML entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def document(
    width: float,
    height: float,
    title: str,
    parts: Iterable[str],
    font_size: int | None = None,
    colours: Mapping[str, tuple[str, str]] = COLOURS,
) -> str:
    """Return an SVG document of its parts, with the colours for light pages and for dark ones."""
    w, h, size = number(width), number(height), f' font-size="{font_size}"' if font_size else ""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="schemata" viewBox="0 0 {w} {h}" width="{w}"'
    head += f' height="{h}" role="img" font-family="{_FONT}"{size}>'
    places = product(dict.fromkeys(colours.values()), ("fill", "stroke"))
    rules = "".join(
        f'.schemata [{place}="{light}"]{{{place}:{lighter}}}' for (light, lighter), place in places
    )
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    title = element("title", escaped(printable(title)))
    return "\n".join([head, title, style, *parts, "</svg>\n"])


def element(tag: str, content: str = "", /, **attributes: str | float | None) -> str:
    """Return an element; its content is SVG already.

    In names of attributes, `_` stands for `-`, `__` for a colon, and at the end for nothing; attributes that are None
    are left out.

    >>> element("line", x1=0.50, class_="a", stroke_width=2)
    '<line x1="0.5" class="a" stroke-width="2"/>'
    """
    shown = ""
    for name, value in attributes.items():
        if value is not None:
            key = name.rstrip("_").replace("__", ":").replace("_", "-")
            shown += f' {key}="{value if isinstance(value, str) else number(value)}"'
    return f"<{tag}{shown}>{content}</{tag}>" if content else f"<{tag}{shown}/>"


def number(value: float) -> str:
    """Return a number with two decimals at most.

    >>> number(1.0), number(0.126)
    ('1', '0.13')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def width_of(text: str, size: float) -> float:
    """Return the width of printable text."""
    return ADVANCE * text_width(text) * size


def text_at(
    x: float,
    y: float,
    text: str,
    size: float,
    kind: str,
    colour: str | None = None,
    anchor: str = "middle",
    direction: str | None = None,
) -> str:
    """Return printable text of a class, in the colour of that name or of its class; `direction` may be "rtl"."""
    length = width_of(text, size) or None
    place: Any = {"class_": kind, "x": x, "y": y, "font_size": size, "fill": COLOURS[colour or kind][0]}
    stretched: Any = {"textLength": length, "lengthAdjust": "spacingAndGlyphs" if length else None}
    how = {"text_anchor": anchor, "direction": direction, "xml__space": "preserve"}
    return element("text", escaped(text), **place, **how, **stretched)


def line(
    path: str, colour: str, class_: str | None = None, width: float = 1.5, dashes: str | None = None
) -> str:
    """Return a line along a path."""
    stroke: Any = {"stroke": COLOURS[colour][0], "stroke_width": width, "stroke_dasharray": dashes}
    return element("path", class_=class_, d=path, fill="none", **stroke)


def along(*parts: str | float) -> str:
    """Return a path of its commands and numbers.

    >>> along("M", 1, 2.5, "V", 7)
    'M1 2.5V7'
    """
    text = " ".join(part if isinstance(part, str) else number(part) for part in parts)
    return re.sub(r" ?([A-Z]) ?", r"\1", text)


def paragraph(lines: Iterable[str], size: float = 14.0) -> str:
    """Return lines of text, set from the left, as a document; the first names their subject.

    >>> paragraph(["a tree", "  of words"]).count("<text")
    2
    """
    texts = [printable(line) for line in lines]
    parts = []
    for number, text in enumerate(texts, start=1):
        indent = len(text) - len(text.lstrip())
        x, y = MARGIN + width_of(" " * indent, size), number * 1.5 * size
        kind = "word" if number == 1 else "note"
        parts.append(text_at(x, y, text.strip(), size, kind, anchor="start"))
    wide = max((width_of(text, size) for text in texts), default=0.0)
    return document(2 * MARGIN + wide, (len(texts) + 0.5) * 1.5 * size, " ".join(texts[:1]), parts)


def stacked(pictures: Iterable[str], gap: float = 12.0) -> str:
    """Return pictures below each other as one document.

    >>> one = document(20, 10, "a", [])
    >>> stacked([one, one]).count("<svg"), 'viewBox="0 0 20 32"' in stacked([one, one])
    (3, True)
    """
    parts, widest, bottom = [], 0.0, 0.0
    for picture in pictures:
        found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+"', picture)
        assert found is not None, picture[:200]
        place = f'y="{number(bottom)}" {found[0]}'
        parts.append(picture.replace(found[0], place, 1).strip())
        widest, bottom = max(widest, float(found[1])), bottom + float(found[2]) + gap
    return document(widest, max(bottom - gap, 0.0), quantity(len(parts), "picture"), parts)
