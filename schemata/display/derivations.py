"""Derivations as indented text: every item with the step that derives it, its antecedents below it.

A line that would pass the width is broken after the item; a derivation that is too deep for the width goes on
in a block of its own, to which a number refers.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemata.display.columns import printable, text_width
from schemata.display.links import link_text

if TYPE_CHECKING:
    from schemata.forest.derivations import Derivation

__all__ = ["derivation_text", "step_text"]

_BOX = ("├─ ", "└─ ", "│  ", "   ")
_ASCII = ("|- ", "`- ", "|  ", "   ")
_ROOM = 36  # columns an item should have beside its indentation


def step_text(derivation: Derivation) -> str:
    """Return what derives a derivation's item: the step, its case, and the links it builds.

    >>> import schemata
    >>> step_text(schemata.load("eisner1996").run("a").forest().derivations()[0])
    'L-Link: 1 under 0'
    """
    if derivation.step is None:
        return "given"
    case = f" ({derivation.case})" if derivation.case else ""
    links = ", ".join(map(link_text, derivation.links))
    return printable(f"{derivation.step}{case}{f': {links}' if links else ''}")


def derivation_text(derivation: Derivation, *, width: int | None = 80, ascii: bool = False) -> str:
    """Return a derivation as an indented tree, the derived item at the top.

    Parameters
    ----------
    derivation : the derivation.
    width : the columns there are; None for as many as it takes.
    ascii : draw the lines with ASCII characters.

    >>> import schemata
    >>> print(derivation_text(schemata.load("eisner1996").run("a").forest().derivations()[0]))
    span[0, 1, false, true]  L-Link: 1 under 0
    └─ span[0, 1, false, false]  Initter
       ├─ word[0]
       └─ word[1]
    """
    deepest = None if width is None else max(4, (width - _ROOM) // 3)
    blocks: deque[tuple[Derivation, int]] = deque([(derivation, 0)])
    referred = 0
    lines: list[str] = []
    while blocks:
        top, number = blocks.popleft()
        if number:
            lines += ["", f"({number})"]
        stack = [_Place(top, "", "", 0)]
        while stack:
            place = stack.pop()
            node = place.node
            cut = deepest is not None and place.depth >= deepest and any(c.children for c in node.children)
            if cut:
                referred += 1
                blocks.append((node, referred))
            lines += _node_lines(
                place, f"see ({referred})" if cut else _beside(node), width, "|" if ascii else "│", cut
            )
            if not cut:
                stack.extend(reversed(place.below(_ASCII if ascii else _BOX)))
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Place:
    """A node of the drawing: what stands before it on its own line and on those of its children."""

    node: Derivation
    first: str
    rest: str
    depth: int

    def below(self, glyphs: tuple[str, str, str, str]) -> list[_Place]:
        branch, corner, bar, blank = glyphs
        last = len(self.node.children) - 1
        return [
            _Place(
                child,
                self.rest + (corner if k == last else branch),
                self.rest + (blank if k == last else bar),
                self.depth + 1,
            )
            for k, child in enumerate(self.node.children)
        ]


def _beside(node: Derivation) -> str:
    return "" if node.step is None else step_text(node)


def _node_lines(place: _Place, beside: str, width: int | None, bar: str, cut: bool) -> list[str]:
    item = printable(str(place.node.item))
    line = f"{place.first}{item}"
    if not beside:
        return [line]
    whole = f"{line}  {beside}"
    if width is None or text_width(whole) <= width:
        return [whole]
    # The children's bar runs on through the second line, so that the tree stays in one piece.
    return [line, f"{place.rest}{bar if place.node.children and not cut else ' '}    {beside}"]
