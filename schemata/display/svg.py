"""Pictures as SVG: trees and linkages as arcs above their words, derivations as proof trees.

A picture carries everything it needs. Text is set in a monospaced font and stretched to its measured columns, so
that lines meet it whatever font there is. Colours are of middling lightness, to be read on white and on dark pages
alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from schemata.display.arc_layout import Arc, Layout, RootMark, as_links, as_tree_links, lay_out
from schemata.display.arcs import cost_text, disjunct_lines
from schemata.display.derivations import step_text
from schemata.display.text import text_width
from schemata.errors import printable

if TYPE_CHECKING:
    from schemata.forest.derivations import Derivation
    from schemata.structures.linkages import Linkage

COLOURS = {"word": "#7a7a7a", "note": "#7a7a7a", "arc": "#3a7fd5", "label": "#2f8a5d", "root": "#c75a1c"}
"""The colours of the picture; all contrast with white and with black."""

_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_ADVANCE = 0.6  # width of a column of a monospaced font in font sizes
_MARGIN = 10.0


def document(
    width: float, height: float, title: str, parts: Iterable[str], font_size: int | None = None
) -> str:
    """Return an SVG document of its parts."""
    w, h, size = _n(width), _n(height), f' font-size="{font_size}"' if font_size else ""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}"'
        f' height="{h}" role="img" font-family="{_FONT}"{size}>'
    )
    return "\n".join([head, f"<title>{escape(printable(title), quote=False)}</title>", *parts, "</svg>\n"])


def _text(
    text: str, x: float, y: float, size: float, kind: str, colour: str | None = None, anchor: str = "middle"
) -> str:
    length = _width(text, size)
    fit = f' textLength="{_n(length)}" lengthAdjust="spacingAndGlyphs"' if length else ""
    return (
        f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" fill="{colour or COLOURS[kind]}"'
        f' text-anchor="{anchor}" xml:space="preserve"{fit}>{escape(text, quote=False)}</text>'
    )


def _width(text: str, size: float) -> float:
    return _ADVANCE * text_width(text) * size


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


# Trees and linkages ----------------------------------------------------------------------------------------

_FONT_SIZE, _LABEL_SIZE, _NOTE_SIZE = 15, 11, 12
_COLUMN = _ADVANCE * _FONT_SIZE
_NOTE_LINE = 17.0
_LEVEL, _LABELLED_LEVEL = 14.0, 19.0
_CORNER = 7.0
_ARROW = (3.5, 7.0)  # half width, height
_PIECE = re.compile(r"\S+(?: \S+)*")


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
    width = 2 * _MARGIN + max([_COLUMN * layout.width, *(_width(line, _NOTE_SIZE) for line in lines)])
    below = base + 1.5 * _FONT_SIZE
    height = below + (_NOTE_LINE * (len(lines) + 0.5) if lines else 0) + _MARGIN
    parts = [
        *_arcs(layout, base, level),
        *([_root(layout.root, base, level)] if layout.root else []),
        *_words(layout, base),
        *_notes(lines, below + _NOTE_LINE),
    ]
    return document(width, height, " ".join(words) if title is None else title, parts)


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
    size = _width(root.label, _LABEL_SIZE)
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
            start, length = (_width(text, _NOTE_SIZE) for text in (line[: piece.start()], piece.group()))
            yield _text(piece.group(), _MARGIN + start + length / 2, y, _NOTE_SIZE, "note")
        y += _NOTE_LINE


def _line(path: str, kind: str) -> str:
    return f'<path d="{path}" fill="none" stroke="{COLOURS[kind]}" stroke-width="1.5"/>'


def _arrow(x: float, base: float, kind: str) -> str:
    half, height = _ARROW
    path = f"M{_n(x - half)} {_n(base - height)}H{_n(x + half)}L{_n(x)} {_n(base)}Z"
    return f'<path class="arrow" d="{path}" fill="{COLOURS[kind]}"/>'


def _x(column: int) -> float:
    return _MARGIN + _COLUMN * (column + 0.5)


def draw_linkage_svg(
    linkage: Linkage,
    *,
    title: str | None = None,
    disjuncts: bool = True,
    partners: Collection[int] = (),
) -> str:
    """Return a linkage drawn as labelled arcs, with the disjuncts in a list below, as an SVG document.

    Parameters
    ----------
    linkage : the linkage; none of the conditions on linkages need be met.
    title : what the picture is called; None: its words.
    disjuncts : list the disjuncts and the cost.
    partners : as for `schemata.display.arcs.draw_linkage`.
    """
    links = [(link.left + 1, link.right + 1, link.label) for link in linkage.links]
    notes = []
    if disjuncts:
        notes = [*disjunct_lines(linkage, partners=partners), f"cost {cost_text(linkage.cost)}"]
    return draw_links_svg(linkage.words, links, directed=False, title=title, notes=notes)


# Proof trees -----------------------------------------------------------------------------------------------

_SIZE, _SMALL = 13.0, 10.0
_ROW = 34.0  # from one item to those above it
_GAP = 22.0  # between two antecedents
_PAD = 4.0  # how far a line reaches beyond what stands above and below it


def derivation_svg(derivation: Derivation, *, title: str | None = None) -> str:
    """Return a derivation drawn as a proof tree, as an SVG document.

    Parameters
    ----------
    derivation : the derivation; its item stands at the bottom.
    title : what the picture is called; None: a derivation of its item.

    >>> import schemata
    >>> svg = derivation_svg(schemata.load("eisner1996").run("a").forest().derivations()[0])
    >>> svg.count('class="item"'), svg.count('class="rule"')
    (4, 2)
    """
    boxes = _lay_out(derivation)
    whole = boxes[0]
    levels = max(box.depth for box in boxes)
    width = whole.width + 2 * _MARGIN
    height = 2 * _MARGIN + _SIZE + levels * _ROW + 6
    called = f"a derivation of {derivation.item}" if title is None else title
    parts = [part for box in boxes for part in _drawn(box, height - _MARGIN - 6 - box.depth * _ROW)]
    return document(width, height, called, parts)


@dataclass(slots=True)
class _Box:
    """The room of a node and all above it, in a row with those of its siblings.

    From the box's left edge: the middle of its item, the ends of its line, and where its antecedents begin.
    """

    node: Derivation
    depth: int
    children: tuple[_Box, ...] = ()
    left: float = 0.0
    width: float = 0.0
    middle: float = 0.0
    line: tuple[float, float] = (0.0, 0.0)
    inset: float = 0.0


def _lay_out(derivation: Derivation) -> list[_Box]:
    """Return the boxes in preorder, placed: sizes from the leaves down, places from the root up."""
    boxes = [_Box(node, depth) for depth, node in derivation.walk()]
    done: list[_Box] = []
    for box in reversed(boxes):
        box.children = tuple(done.pop() for _ in box.node.children)
        _measure(box)
        done.append(box)
    boxes[0].left = _MARGIN
    for box in boxes:
        x = box.left + box.inset
        for child in box.children:
            child.left = x
            x += child.width + _GAP
    return boxes


def _measure(box: _Box) -> None:
    own = _item_width(box.node)
    if box.node.step is None:
        box.width, box.middle = own, own / 2
        return
    row, left, right = 0.0, 0.0, 0.0
    if box.children:
        # The line spans the antecedents' own items, not what is above them.
        first, last = box.children[0], box.children[-1]
        row = sum(child.width for child in box.children) + _GAP * (len(box.children) - 1)
        left = first.middle - _item_width(first.node) / 2
        right = row - last.width + last.middle + _item_width(last.node) / 2
    middle = (left + right) / 2
    start = min(left, middle - own / 2) - _PAD
    end = max(right, middle + own / 2) + _PAD
    box.inset = max(0.0, -start)
    box.line = (start + box.inset, end + box.inset)
    box.middle = middle + box.inset
    label = _width(step_text(box.node), _SMALL)
    box.width = max(row + box.inset, box.line[1] + _PAD + label)


def _item_width(node: Derivation) -> float:
    return _width(printable(str(node.item)), _SIZE)


def _drawn(box: _Box, y: float) -> Iterator[str]:
    given = box.node.step is None
    colour = COLOURS["word" if given else "arc"]
    yield _text(printable(str(box.node.item)), box.left + box.middle, y, _SIZE, "item", colour)
    if given:
        return
    start, end = (box.left + x for x in box.line)
    top = y - _SIZE - 4
    path = f"M{_n(start)} {_n(top)}H{_n(end)}"
    yield f'<path class="rule" d="{path}" stroke="{COLOURS["word"]}" stroke-width="1.2" fill="none"/>'
    yield _text(
        step_text(box.node), end + _PAD, top + _SMALL / 3, _SMALL, "step", COLOURS["label"], anchor="start"
    )
