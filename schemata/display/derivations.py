"""Derivations as indented text and as proof trees in SVG; derivations and forests in DOT, the language of Graphviz.

In the text stands every item with the step that derives it, its antecedents below it. A line that would pass the
width is broken after the item; a derivation that is too deep for the width goes on in a block of its own, to which
a number refers. In DOT items are boxes, and steps are ovals between them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemata.display import svg
from schemata.display.arc_layout import links_text
from schemata.display.terminal import text_width
from schemata.errors import printable
from schemata.wording import noted

if TYPE_CHECKING:
    from schemata.charts.chart import BuiltLink
    from schemata.forest.derivations import Derivation
    from schemata.forest.forest import Forest


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
    return _step_text(derivation.step, derivation.case, derivation.links)


def _step_text(step: str, case: str | None, links: Sequence[BuiltLink]) -> str:
    built = links_text(links)
    return printable(noted(step, case) + (f": {built}" if built else ""))


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
    deepest = math.inf if width is None else max(4, (width - _ROOM) // 3)
    branch, corner, bar, blank = _ASCII if ascii else _BOX
    blocks: deque[tuple[Derivation, int]] = deque([(derivation, 0)])
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
            cut = depth >= deepest and any(child.children for child in node.children)
            if cut:
                referred += 1
                blocks.append((node, referred))
            beside = f"see ({referred})" if cut else "" if node.step is None else step_text(node)
            line = f"{first}{printable(str(node.item))}"
            whole = f"{line}  {beside}" if beside else line
            if not beside or width is None or text_width(whole) <= width:
                lines.append(whole)
            else:
                # The children's bar runs on through the second line, so that the tree stays in one piece.
                lines += [line, f"{rest}{bar[0] if node.children and not cut else ' '}    {beside}"]
            for k, child in enumerate(reversed(() if cut else node.children)):
                own, below = (branch, bar) if k else (corner, blank)
                stack.append((child, rest + own, rest + below, depth + 1))
    return "\n".join(lines)


_FRAME = (
    "  rankdir=BT;",
    "  ranksep=0.25; nodesep=0.15;",
    '  node [fontname="monospace", fontsize=11, shape=box, style=rounded, height=0.3, margin="0.1,0.04"];',
    "  edge [arrowsize=0.6];",
)
_GIVEN = "shape=plaintext, style=solid"
_STEP = 'shape=oval, style=filled, fillcolor="#e8eef7", color="#e8eef7", fontsize=9, height=0.2'


def forest_dot(forest: Forest) -> str:
    """Return the useful part of a forest in DOT; hypotheses at the bottom, final items framed twice.

    >>> import schemata
    >>> text = forest_dot(schemata.load("eisner1996").run("a").forest())
    >>> print(text.splitlines()[0], text.count("peripheries=2"))
    digraph "forest of eisner1996" { 1
    """
    chart = forest.chart
    cases = chart.schema.cases
    given, roots = chart.raw.hypothesis_count, frozenset(forest.roots)
    numbers = sorted(forest.order, key=chart.order)
    names = {number: f"i{k}" for k, number in enumerate(numbers)}
    lines: list[str] = []
    for number in numbers:
        style = f", {_GIVEN}" if number < given else ", peripheries=2" if number in roots else ""
        lines.append(f"  {names[number]} [label={_quoted(str(chart.item(number)))}{style}];")
    steps = 0
    for number in numbers:
        for edge in forest.sorted_edges(number):
            case = cases[edge.case]
            label = _step_text(case.step, case.label, chart.built_links(edge.links))
            lines.append(f"  s{steps} [label={_quoted(label)}, {_STEP}];")
            lines += [f"  {names[tail]} -> s{steps} [arrowhead=none];" for tail in edge.tails]
            lines.append(f"  s{steps} -> {names[number]};")
            steps += 1
    return _graph(f"forest of {chart.schema.name}", lines)


def derivation_dot(derivation: Derivation) -> str:
    """Return one derivation in DOT, a node for every item of the tree, its hypotheses at the bottom."""
    lines: list[str] = []
    above: list[str] = []
    for k, (depth, node) in enumerate(derivation.walk()):
        del above[depth:]
        given = node.step is None
        style = f", {_GIVEN}" if given else ", peripheries=2" if not depth else ""
        lines.append(f"  i{k} [label={_quoted(str(node.item))}{style}];")
        if above:
            lines.append(f"  i{k} -> {above[-1]} [arrowhead=none];")
        above.append(f"s{k}")
        if not given:
            lines += [f"  s{k} [label={_quoted(step_text(node))}, {_STEP}];", f"  s{k} -> i{k};"]
    return _graph(f"a derivation of {derivation.item}", lines)


def _graph(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"digraph {_quoted(name)} {{", *_FRAME, *lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# As SVG --------------------------------------------------------------------------------------------------

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
    >>> text = derivation_svg(schemata.load("eisner1996").run("a").forest().derivations()[0])
    >>> text.count('class="item"'), text.count('class="rule"')
    (4, 2)
    """
    boxes = _lay_out(derivation)
    whole = boxes[0]
    levels = max(box.depth for box in boxes)
    width = whole.width + 2 * svg.MARGIN
    height = 2 * svg.MARGIN + _SIZE + levels * _ROW + 6
    called = f"a derivation of {derivation.item}" if title is None else title
    parts = [part for box in boxes for part in _drawn(box, height - svg.MARGIN - 6 - box.depth * _ROW)]
    return svg.document(width, height, called, parts)


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
    boxes[0].left = svg.MARGIN
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
    label = svg.width_of(step_text(box.node), _SMALL)
    box.width = max(row + box.inset, box.line[1] + _PAD + label)


def _item_width(node: Derivation) -> float:
    return svg.width_of(printable(str(node.item)), _SIZE)


def _drawn(box: _Box, y: float) -> Iterator[str]:
    given = box.node.step is None
    item = printable(str(box.node.item))
    yield svg.text_at(box.left + box.middle, y, item, _SIZE, "item", "word" if given else "arc")
    if given:
        return
    start, end = (box.left + x for x in box.line)
    top = y - _SIZE - 4
    yield svg.line(svg.along("M", start, top, "H", end), "word", "rule", 1.2)
    yield svg.text_at(
        end + _PAD, top + _SMALL / 3, step_text(box.node), _SMALL, "step", "label", anchor="start"
    )
