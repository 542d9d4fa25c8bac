"""Derivations as indented text; derivations and forests in DOT, the language of Graphviz.

In the text stands every item with the step that derives it, its antecedents below it. A line that would pass the
width is broken after the item; a derivation that is too deep for the width goes on in a block of its own, to which
a number refers. In DOT items are boxes, and steps are ovals between them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemata.display.arc_layout import link_text
from schemata.display.text import noted, text_width
from schemata.errors import printable

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
    built = ", ".join(map(link_text, links))
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
            beside = f"see ({referred})" if cut else "" if node.step is None else step_text(node)
            lines += _node_lines(place, beside, width, "|" if ascii else "│", cut)
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
