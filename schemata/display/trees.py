"""Trees of texts with words at their leaves, laid out once: derivations as proof trees, and constituents, as SVG.

A proof tree grows upwards from its root, with a line and a note over what is derived; a constituent tree grows
downwards, with edges. Neighbours are as near to each other as their outlines allow. What is too wide for the page is
cut off and drawn below, under a number; in its old place a reference is left. The same trees as indented text have
their words beside what they belong to, and go on in numbered blocks where they are too deep for the width.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from itertools import zip_longest
from typing import Literal

from schemata.display import svg
from schemata.display.terminal import PAGE, Page
from schemata.errors import text_width
from schemata.quick_dataclasses import Record, dataclass, replace


class Node(Record, eq=False):
    """A node of a tree: its printable text, its children, a note beside it; leaves may be words or given items."""

    text: str
    children: tuple[Node, ...] = ()
    note: str = ""
    kind: Literal["item", "given", "word"] = "item"

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it in preorder."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)


_BOX = ("├─ ", "└─ ", "│  ", "   ")
_ASCII = ("|- ", "`- ", "|  ", "   ")
_ROOM = 36  # columns a node should have beside its indentation


def tree_text(root: Node, page: Page = PAGE) -> str:
    """Return a tree as indented text, its root at the top and words at the ends of lines.

    Parameters
    ----------
    root : the tree.
    page : what it is printed on.

    >>> the, cat, slept = (Node(word, kind="word") for word in ("the", "cat", "slept"))
    >>> subject = Node("NP", (Node("Det", (the,)), Node("Nom", (cat,))))
    >>> print(tree_text(Node("S", (subject, Node("VP", (slept,))))))
    S
    ├─ NP
    │  ├─ Det  the
    │  └─ Nom  cat
    └─ VP  slept
    """
    deepest = max(4, (page.width - _ROOM) // 3)
    branch, corner, bar, blank = _ASCII if page.ascii else _BOX
    blocks: deque[tuple[Node, int]] = deque([(root, 0)])
    referred = 0
    lines: list[str] = []
    while blocks:
        top, number = blocks.popleft()
        if number:
            lines += ["", f"({number})"]
        # Of each node, what stands before it on its own line and on those of its children, and how deep it stands.
        stack = [(top, "", "", 0)]
        while stack:
            node, first, rest, depth = stack.pop()
            below = [child for child in node.children if child.kind != "word"]
            cut = depth >= deepest and any(child.children for child in below)
            if cut:
                referred += 1
                blocks.append((node, referred))
                below = []
            words = " ".join(child.text for child in node.children if child.kind == "word")
            beside = f"see ({referred})" if cut else "  ".join(filter(None, (node.note, words)))
            line = f"{first}{node.text}"
            whole = f"{line}  {beside}" if beside else line
            if not beside or text_width(whole) <= page.width:
                lines.append(whole)
            else:
                # The children's bar runs on through the second line, so that the tree stays in one piece.
                lines += [line, f"{rest}{bar[0] if below else ' '}    {beside}"]
            for k, child in enumerate(reversed(below)):
                own, rests = (branch, bar) if k else (corner, blank)
                stack.append((child, rest + own, rest + rests, depth + 1))
    return "\n".join(lines)


# As SVG --------------------------------------------------------------------------------------------------

_SIZE, _SMALL = 13.0, 10.0
_ROW = 34.0  # from one text to those above it
_GAP = 12.0  # between two texts in a row
_PAD = 4.0  # how far a line reaches beyond what stands above and below it
_BETWEEN = 26.0  # two blocks

_Row = tuple[float, float]  # the ends of what stands in a row


@dataclass(slots=True)
class _Box:
    """A node's room in pixels: its middle, its line, and the outline of it and all above.

    All are counted from a place of the node's own, which is `left` of its parent's. The outline has two rows for each
    level, the root's first: the text, and the line with its note. `leaves` are the beginning of the first leaf and the
    end of the last: those of a constituent tree keep their order.
    """

    node: Node
    children: list[_Box]
    middle: float
    line: _Row
    outline: list[_Row]
    leaves: _Row
    left: float = 0.0

    @property
    def width(self) -> float:
        return max(end for _, end in self.outline) - min(start for start, _ in self.outline)


def tree_svg(
    root: Node, *, title: str, proof: bool = True, width: int | None = svg.WIDTH, notes: tuple[str, ...] = ()
) -> str:
    """Return a tree as an SVG document.

    Parameters
    ----------
    root : the tree.
    title : what the picture is called.
    proof : draw a proof tree, its root at the bottom; else a constituent tree, its root at the top.
    width : the columns there are, of 9 pixels; None for as many as it takes. A single text that is wider sticks out.
    notes : lines to set below the tree.
    """
    room = math.inf if width is None else width * svg.COLUMN
    blocks = _blocks(root, proof, room)
    parts: list[str] = []
    y = svg.MARGIN
    widest = 0.0
    for number, block in enumerate(blocks):
        if number:
            y += _BETWEEN
            parts.append(svg.text_at(svg.MARGIN, y, f"({number})", _SMALL, "block", "note", anchor="start"))
            y += _SMALL
        levels = len(block.outline) // 2
        left = min(start for start, _ in block.outline)
        widest = max(widest, block.width)
        stack = [(block, svg.MARGIN - left, 0)]
        bottom = y + _SIZE + (levels - 1) * _ROW
        while stack:
            box, x, depth = stack.pop()
            at = bottom - depth * _ROW if proof else y + _SIZE + depth * _ROW
            parts += _drawn(box, x, at, proof)
            stack += [(child, x + child.left, depth + 1) for child in reversed(box.children)]
        y = bottom + 6
    for line in notes:
        y += _SMALL + 8
        parts.append(svg.text_at(svg.MARGIN, y, line, _SMALL, "legend", "note", anchor="start"))
        widest = max(widest, svg.width_of(line, _SMALL))
    return svg.document(widest + 2 * svg.MARGIN, y + svg.MARGIN, title, parts)


def _blocks(root: Node, proof: bool, room: float) -> list[_Box]:
    """Return the trees to draw one below the other: subtrees that make one too wide are cut off.

    A block's own children refer to it by the number of its place in the list.
    """
    reserved = f" ({len(str(sum(1 for _ in root.walk()))) * '0'})"
    done: list[_Box] = []
    cut: dict[Node, _Box] = {}
    for node in reversed(list(root.walk())):
        children = [done.pop() for _ in node.children]
        box = _measured(node, children, proof)
        while box.width > room:
            large = [k for k, child in enumerate(children) if child.node.children]
            if not large:
                break
            k = max(large, key=lambda k: children[k].width)
            short = Node(children[k].node.text + reserved)
            cut[short] = children[k]
            children[k] = _measured(short, [], proof)
            box = _measured(node, children, proof)
        done.append(box)
    blocks = [done.pop()]
    for block in blocks:
        stack = [block]
        while stack:
            box = stack.pop()
            if box.node in cut:
                blocks.append(cut[box.node])
                text = box.node.text.removesuffix(reserved)
                box.node = replace(box.node, text=f"{text} ({len(blocks) - 1})")
            stack += reversed(box.children)
    return blocks


def _measured(node: Node, children: list[_Box], proof: bool) -> _Box:
    """Return the box of a node over its children, placed as near to each other as their outlines allow."""
    own = svg.width_of(node.text, _SIZE)
    outline: list[_Row] = []
    leaves = ends = 0.0, own
    for k, child in enumerate(children):
        apart = [one[1] - other[0] for one, other in zip(outline, child.outline, strict=False)]
        apart += [] if proof else [leaves[1] - child.leaves[0]]
        child.left = x = max(apart) + _GAP if k else 0.0
        moved = [(start + x, end + x) for start, end in child.outline]
        rows = ([row for row in pair if row] for pair in zip_longest(outline, moved))
        outline = [(row[0][0], row[-1][1]) for row in rows]
        half = svg.width_of(child.node.text, _SIZE) / 2
        ends = (ends[0] if k else child.middle - half), x + child.middle + half
        leaves = (leaves if k else child.leaves)[0], x + child.leaves[1]
    middle = sum(ends) / 2
    text = middle - own / 2, middle + own / 2
    line = note = middle, middle
    if proof and (children or node.note):
        line = min(ends[0], text[0]) - _PAD, max(ends[1], text[1]) + _PAD
        note = line[0], line[1] + _PAD + svg.width_of(node.note, _SMALL)
    return _Box(node, children, middle, line, [text, note, *outline], leaves)


def _drawn(box: _Box, x: float, y: float, proof: bool) -> Iterator[str]:
    """Yield the elements of a node; x is where its places are counted from."""
    middle = x + box.middle
    colour = "arc" if box.node.kind == "item" else "word"
    yield svg.text_at(middle, y, box.node.text, _SIZE, box.node.kind, colour)
    if not proof:
        for child in box.children:
            edge = svg.along("M", middle, y + 4, "L", x + child.left + child.middle, y + _ROW - _SIZE)
            yield svg.line(edge, "word", "edge", 1.2)
    elif box.line[1] > box.line[0]:
        top = y - _SIZE - 5
        yield svg.line(svg.along("M", x + box.line[0], top, "H", x + box.line[1]), "word", "rule", 1.2)
        if box.node.note:
            at = x + box.line[1] + _PAD
            yield svg.text_at(at, top + _SMALL / 3, box.node.note, _SMALL, "step", "label", anchor="start")
