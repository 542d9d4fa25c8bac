"""Dependency trees and linkages as SVG: the pictures of `schemata.display.arcs` for pages and papers.

The picture carries everything it needs. Words are set in a monospaced font and stretched to their measured
columns, so that arcs meet them whatever font there is. Colours are of middling lightness, to be read on
white and on dark pages alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from schemata.display.arcs_layout import Arc, Layout, RootMark, lay_out
from schemata.display.columns import printable, text_width
from schemata.display.links import as_links, as_tree_links

__all__ = ["COLOURS", "draw_arcs_svg", "draw_links_svg"]

COLOURS = {"word": "#7a7a7a", "note": "#7a7a7a", "arc": "#3a7fd5", "label": "#2f8a5d", "root": "#c75a1c"}
"""The colours of the picture; all contrast with white and with black."""

_COLUMN = 9.0  # width of a column: what monospaced fonts take at the font size
_FONT_SIZE = 15
_LABEL_SIZE = 11
_NOTE_SIZE = 12
_NOTE_LINE = 17.0
_LEVEL = 14.0
_LABELLED_LEVEL = 19.0
_MARGIN = 10.0
_CORNER = 7.0
_ARROW = (3.5, 7.0)  # half width, height
_PIECE = re.compile(r"\S+(?: \S+)*")
_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def draw_arcs_svg(
    words: Sequence[str],
    heads: Sequence[int],
    *,
    labels: Sequence[str] | None = None,
    title: str | None = None,
) -> str:
    """Return a dependency tree drawn as arcs above its words, as an SVG document.

    Parameters
    ----------
    words : the words of the sentence.
    heads : the head of each word, 1-based, 0 for a root.
    labels : a label for the arc of each word, or None; empty strings are no labels.
    title : what the picture is called; None: its words.

    Raises
    ------
    UsageError : no words, heads or labels not one per word, a head out of range or of itself.
    """
    return draw_links_svg(words, as_tree_links(words, heads, labels), title=title)


def draw_links_svg(
    words: Sequence[str],
    links: Iterable[tuple[int, int] | tuple[int, int, str]],
    *,
    directed: bool = True,
    title: str | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Return any set of links drawn as arcs above the words, as an SVG document.

    Parameters
    ----------
    words : the words of the sentence.
    links : (dependent, head) or (dependent, head, label), 1-based, head 0 for a root.
    directed : draw arrow heads at the dependents; else links join two words in either order.
    title : what the picture is called; None: its words.
    notes : lines of text to set below the words, column by column.

    Raises
    ------
    UsageError : no words, or a link to a word that is not there or from a word to itself.
    """
    wanted = as_links(words, links, directed=directed)
    layout = lay_out(words, wanted, 1, len(words), gap=2)
    level = _LABELLED_LEVEL if any(link.label for link in wanted) else _LEVEL
    base = _MARGIN + level * layout.height + _ARROW[1] + 5
    lines = [printable(line) for line in notes]
    width = 2 * _MARGIN + max([_COLUMN * layout.width, *(_note_width(line) for line in lines)])
    below = base + 1.5 * _FONT_SIZE
    height = below + (_NOTE_LINE * (len(lines) + 0.5) if lines else 0) + _MARGIN
    called = printable(" ".join(words) if title is None else title)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}"'
        f' height="{_n(height)}" role="img" font-family="{_FONT}">',
        f"<title>{escape(called, quote=False)}</title>",
        *_arcs(layout, base, level),
        *([_root(layout.root, base, level)] if layout.root else []),
        *_words(layout, base),
        *_notes(lines, below + _NOTE_LINE),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _arcs(layout: Layout, base: float, level: float) -> Iterable[str]:
    # Long arcs first, so that the labels of short ones come to lie on top.
    for arc in sorted(layout.arcs, key=lambda arc: -arc.level):
        yield _arc(arc, base, base - _ARROW[1] - level * arc.level)


def _arc(arc: Arc, base: float, y: float) -> str:
    link = arc.link
    left, right = _x(arc.left), _x(arc.right)
    r = min(_CORNER, (right - left) / 2)
    starts, ends = (base - _ARROW[1] if c in arc.arrows else base for c in (arc.left, arc.right))
    path = (
        f"M{_n(left)} {_n(starts)}V{_n(y + r)}Q{_n(left)} {_n(y)} {_n(left + r)} {_n(y)}"
        f"H{_n(right - r)}Q{_n(right)} {_n(y)} {_n(right)} {_n(y + r)}V{_n(ends)}"
    )
    pieces = [_line(path, "arc"), *(_arrow(_x(column), base, "arc") for column in arc.arrows)]
    if link.label:
        pieces.append(_text(link.label, (left + right) / 2, y - 3, _LABEL_SIZE, "label"))
    return f'<g class="link" data-ends="{link.left} {link.right}">{"".join(pieces)}</g>'


def _root(root: RootMark, base: float, level: float) -> str:
    y = base - _ARROW[1] - level * root.level
    columns = [_x(column) for column in root.columns]
    size = _COLUMN * text_width(root.label) * _LABEL_SIZE / _FONT_SIZE
    pieces = []
    if len(columns) == 1:
        start = _MARGIN + _COLUMN * root.label_column
        end = start + _COLUMN * text_width(root.label)
        middle = min(max(columns[0], start + size / 2), end - size / 2)
        pieces.append(_text(root.label, middle, y + _LABEL_SIZE / 2 - 2, _LABEL_SIZE, "root"))
        top = y + _LABEL_SIZE / 2 + 1
    else:
        at_right = root.label_column > root.columns[-1]
        ends = (columns[0], columns[-1] + _COLUMN) if at_right else (columns[0] - _COLUMN, columns[-1])
        middle = ends[1] + 4 + size / 2 if at_right else ends[0] - 4 - size / 2
        pieces.append(_line(f"M{_n(ends[0])} {_n(y)}H{_n(ends[1])}", "root"))
        pieces.append(_text(root.label, middle, y + _LABEL_SIZE / 3, _LABEL_SIZE, "root"))
        top = y
    for x in columns:
        pieces += [_line(f"M{_n(x)} {_n(top)}V{_n(base - _ARROW[1])}", "root"), _arrow(x, base, "root")]
    return f'<g class="root">{"".join(pieces)}</g>'


def _words(layout: Layout, base: float) -> Iterable[str]:
    for word in layout.words:
        middle = _MARGIN + _COLUMN * (word.column + word.width / 2)
        yield _text(word.text, middle, base + _FONT_SIZE + 1, _FONT_SIZE, "word")


def _notes(lines: Sequence[str], y: float) -> Iterable[str]:
    for line in lines:
        # What blanks set apart is placed by itself: not every viewer keeps several blanks.
        for piece in _PIECE.finditer(line):
            start, length = _note_width(line[: piece.start()]), _note_width(piece.group())
            yield _text(piece.group(), _MARGIN + start + length / 2, y, _NOTE_SIZE, "note")
        y += _NOTE_LINE


def _note_width(text: str) -> float:
    return _COLUMN * text_width(text) * _NOTE_SIZE / _FONT_SIZE


def _text(text: str, x: float, y: float, size: int, kind: str) -> str:
    length = _COLUMN * text_width(text) * size / _FONT_SIZE
    fit = f' textLength="{_n(length)}" lengthAdjust="spacingAndGlyphs"' if length else ""
    return (
        f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" font-size="{size}" fill="{COLOURS[kind]}"'
        f' text-anchor="middle" xml:space="preserve"{fit}>{escape(text, quote=False)}</text>'
    )


def _line(path: str, kind: str) -> str:
    return f'<path d="{path}" fill="none" stroke="{COLOURS[kind]}" stroke-width="1.5"/>'


def _arrow(x: float, base: float, kind: str) -> str:
    half, height = _ARROW
    path = f"M{_n(x - half)} {_n(base - height)}H{_n(x + half)}L{_n(x)} {_n(base)}Z"
    return f'<path class="arrow" d="{path}" fill="{COLOURS[kind]}"/>'


def _x(column: int) -> float:
    return _MARGIN + _COLUMN * (column + 0.5)


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
