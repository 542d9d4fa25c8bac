"""Derivations as proof trees in SVG: the antecedents of a step stand above its line, its consequent below.

The picture carries everything it needs. Text is stretched to measured columns, as in the pictures of arcs, so
that lines meet it whatever font there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from schemata.display.arcs_svg import COLOURS
from schemata.display.columns import printable, text_width
from schemata.display.derivations import step_text

if TYPE_CHECKING:
    from schemata.forest.derivations import Derivation

__all__ = ["derivation_svg"]

_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_SIZE, _SMALL = 13.0, 10.0
_ADVANCE = 0.6  # width of a column of a monospaced font in font sizes
_ROW = 34.0  # from one item to those above it
_GAP = 22.0  # between two antecedents
_MARGIN = 10.0
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
    called = printable(f"a derivation of {derivation.item}" if title is None else title)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}"'
        f' height="{_n(height)}" role="img" font-family="{_FONT}">',
        f"<title>{escape(called, quote=False)}</title>",
    ]
    for box in boxes:
        parts += _drawn(box, height - _MARGIN - 6 - box.depth * _ROW)
    return "\n".join([*parts, "</svg>"]) + "\n"


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
    own = _text_width(box.node, _SIZE)
    if box.node.step is None:
        box.width, box.middle = own, own / 2
        return
    row, left, right = 0.0, 0.0, 0.0
    if box.children:
        # The line spans the antecedents' own items, not what is above them.
        first, last = box.children[0], box.children[-1]
        row = sum(child.width for child in box.children) + _GAP * (len(box.children) - 1)
        left = first.middle - _text_width(first.node, _SIZE) / 2
        right = row - last.width + last.middle + _text_width(last.node, _SIZE) / 2
    middle = (left + right) / 2
    start = min(left, middle - own / 2) - _PAD
    end = max(right, middle + own / 2) + _PAD
    box.inset = max(0.0, -start)
    box.line = (start + box.inset, end + box.inset)
    box.middle = middle + box.inset
    label = text_width(step_text(box.node)) * _SMALL * _ADVANCE
    box.width = max(row + box.inset, box.line[1] + _PAD + label)


def _text_width(node: Derivation, size: float) -> float:
    return text_width(printable(str(node.item))) * size * _ADVANCE


def _drawn(box: _Box, y: float) -> Iterator[str]:
    given = box.node.step is None
    colour = COLOURS["word" if given else "arc"]
    yield _text("item", printable(str(box.node.item)), (box.left + box.middle, y), _SIZE, colour)
    if given:
        return
    start, end = (box.left + x for x in box.line)
    top = y - _SIZE - 4
    path = f"M{_n(start)} {_n(top)}H{_n(end)}"
    yield f'<path class="rule" d="{path}" stroke="{COLOURS["word"]}" stroke-width="1.2" fill="none"/>'
    yield _text("step", step_text(box.node), (end + _PAD, top + _SMALL / 3), _SMALL, COLOURS["label"])


def _text(kind: str, text: str, place: tuple[float, float], size: float, colour: str) -> str:
    x, y = place
    anchor = "start" if kind == "step" else "middle"
    length = text_width(text) * size * _ADVANCE
    fit = f' textLength="{_n(length)}" lengthAdjust="spacingAndGlyphs"' if length else ""
    return (
        f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" fill="{colour}"'
        f' text-anchor="{anchor}" xml:space="preserve"{fit}>{escape(text, quote=False)}</text>'
    )


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
