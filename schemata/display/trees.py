"""Trees with words at their leaves, laid out once, as SVG and as text: derivations, and constituents; forests as DOT.

A proof tree grows upwards from its root, with a line and a note over each derived item; a constituent tree grows
downwards, with edges. Neighbours are as near to each other as their outlines allow. Parts that are too wide for the
page are cut off and drawn below, under a number that stands in their place. The same trees as indented text have
their words beside their nodes, and go on in numbered blocks where they are too deep for the width.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise, zip_longest
from typing import Any, Literal

from schemata.charts import BuiltLink, Item
from schemata.display import svg
from schemata.display.arc_layout import links_text, run_right_to_left
from schemata.display.terminal import PAGE, WIDE, Page, columns, padded
from schemata.errors import printable, text_width
from schemata.forest.derivations import Derivation
from schemata.forest.forest import Forest
from schemata.records import Record, dataclass, replace
from schemata.wording import noted


class Node(Record, eq=False):
    """A node of a tree: its printable text, its children, a note beside it; leaves may be words or given items.

    Predicted nodes hang on dashed lines.

    With a `mark`, SVG has the node in a group: `data-step` is the mark, the number of its step.
    """

    text: str
    children: tuple[Node, ...] = ()
    note: str = ""
    kind: Literal["item", "given", "word", "predicted"] = "item"
    mark: int | None = None

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it in preorder."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)


_BOX = ("├─ ", "└─ ", "│  ", "   ", "├╌ ", "└╌ ")
_ASCII = ("|- ", "`- ", "|  ", "   ", "|. ", "`. ")
_ROOM = 36  # columns a node should have beside its indentation


def tree_text(root: Node, page: Page = PAGE) -> str:
    """Return a tree as indented text, its root at the top and words at the ends of lines.

    Parameters
    ----------
    root : the tree.
    page : the page it is printed on.

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
    branch, corner, bar, blank, *dashed = _ASCII if page.ascii else _BOX
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
                own = dashed[0 if k else 1] if child.kind == "predicted" else own
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

    All are relative to an origin of the node's own; `left` is the place of this origin, seen from the parent's. The
    outline has two rows for each level, the root's first: the text, and the line with its note. `leaves` are the
    beginning of the first leaf and the end of the last: those of a constituent tree keep their order.
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
    title : the title of the picture.
    proof : draw a proof tree, its root at the bottom; else a constituent tree, its root at the top.
    width : the available columns, of 9 pixels; None for as many as needed. A single text that is wider sticks out.
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
            drawn, mark = list(_drawn(box, x, at, proof)), box.node.mark
            parts += drawn if mark is None else [svg.element("g", "".join(drawn), data_step=str(mark))]
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
    kind = "item" if box.node.kind == "predicted" else box.node.kind
    yield svg.text_at(middle, y, box.node.text, _SIZE, kind, colour)
    if not proof:
        for child in box.children:
            edge = svg.along("M", middle, y + 4, "L", x + child.left + child.middle, y + _ROW - _SIZE)
            dashes = "3 3" if child.node.kind == "predicted" else None
            yield svg.line(edge, "word", "edge", 1.2, dashes)
    elif box.line[1] > box.line[0]:
        top = y - _SIZE - 5
        yield svg.line(svg.along("M", x + box.line[0], top, "H", x + box.line[1]), "word", "rule", 1.2)
        if box.node.note:
            at = x + box.line[1] + _PAD
            yield svg.text_at(at, top + _SMALL / 3, box.node.note, _SMALL, "step", "label", anchor="start")


def step_text(derivation: Derivation) -> str:
    """Return the inference of a derivation's item: the step, its case, and the links it builds.

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


def derivation_text(derivation: Derivation, page: Page = PAGE) -> str:
    """Return a derivation as an indented tree, the derived item at the top, words at the ends of lines.

    Parameters
    ----------
    derivation : the derivation.
    page : the page it is printed on.

    >>> import schemata
    >>> print(derivation_text(schemata.load("eisner1996").run("cats").forest().derivations()[0]))
    span[0, 1, false, true]  L-Link: 1 under 0
    └─ span[0, 1, false, false]  Initter  word[0] cats
    """
    return tree_text(_tree(derivation, str), page)


def _tree(derivation: Derivation, text: Callable[[Item], str], marks: bool = False) -> Node:
    """Return a derivation as a tree to draw; hypotheses about one word are shown as that word."""
    done: list[Node] = []
    places = {id(node): k for k, node in enumerate(derivation.applied(), start=1)} if marks else {}
    for node in reversed([node for _, node in derivation.walk()]):
        children = tuple(done.pop() for _ in node.children)
        if node.step is not None:
            mark = places.get(id(node))
            done.append(Node(printable(text(node.item)), children, step_text(node), mark=mark))
            continue
        kind: Literal["given", "word"] = "given" if _place(node.item) is None else "word"
        done.append(Node(printable(_leaf_text(node.item, node.words, text)), kind=kind))
    return done[0]


def _leaf_text(item: Item, words: Sequence[str], text: Callable[[Item], str]) -> str:
    """Return the word that a hypothesis is about, or its text if it is about none or several."""
    place = _place(item)
    return words[place - 1] if place is not None and 1 <= place <= len(words) else text(item)


def _place(item: Item) -> int | None:
    """Return the one position that a hypothesis is about; None if it is about several, or more than a position."""
    found = set(_flat(item.values))
    return next(iter(found)) if len(found) == 1 and type(min(found)) is int else None


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        elif value is not None:
            yield value


_QUOTED_OR_FLAG = re.compile(r"""("[^"]*"|'[^']*')|\b(?:(true)|false)\b""")
LEGEND = "T: true, F: false"


def short_text(item: Item) -> str:
    """Return an item with its flags as letters, which `LEGEND` explains."""
    return _QUOTED_OR_FLAG.sub(lambda found: found[1] or ("T" if found[2] else "F"), str(item))


def derivation_svg(
    derivation: Derivation, *, title: str | None = None, width: int | None = svg.WIDTH, marks: bool = False
) -> str:
    """Return a derivation drawn as a proof tree, as an SVG document.

    Parameters
    ----------
    derivation : the derivation; its item stands at the bottom.
    title : the title of the picture; None: a derivation of its item.
    width : the available columns, of 9 pixels; wider trees are drawn in several parts. None: as wide as needed.
    marks : put the item derived by a step into a group with the step's number among those applied, as `data-step`.

    >>> import schemata
    >>> text = derivation_svg(schemata.load("eisner1996").run("cats").forest().derivations()[0])
    >>> text.count('class="item"'), text.count('class="word"'), text.count('class="rule"')
    (2, 2, 2)
    """
    tree = _tree(derivation, short_text, marks)
    flags = any(short_text(node.item) != str(node.item) for _, node in derivation.walk())
    called = f"a derivation of {derivation.item}" if title is None else title
    return tree_svg(tree, title=called, width=width, notes=(LEGEND,) if flags else ())


def side_by_side(first: Derivation, second: Derivation, mark: int, page: Page = PAGE) -> str:
    """Return the steps of two derivations in two columns, antecedents first, with a mark at one place.

    Where the columns do not fit, the second derivation stands below the first, and the steps before the mark, which
    both have, stand there once.

    Parameters
    ----------
    first, second : the derivations.
    mark : the number (0-based) of the step to mark.
    page : the page they are printed on.

    >>> import schemata
    >>> forest = schemata.load("eisner-satta1999").run("a b", schemata.DRules.from_heads((0, 1))).forest()
    >>> one = forest.derivations()[0]
    >>> print(side_by_side(one, one, 1))
      L-Link      tree[0, 1, 0]  1 under 0  │  L-Link      tree[0, 1, 0]  1 under 0
    > L-Link      tree[1, 2, 1]  2 under 1  │  L-Link      tree[1, 2, 1]  2 under 1
      R-Combiner  tree[0, 2, 0]             │  R-Combiner  tree[0, 2, 0]
    """
    one, two = lines = _step_lines((first, second))
    side = max(map(text_width, one))
    if side + max(map(text_width, two)) + 7 <= page.width:
        bar = "|" if page.ascii else "│"
        pairs = enumerate(zip_longest(one, two, fillvalue=""))
        marked = (f"{'>' if k == mark else ' '} {padded(x, side)}  {bar}  {y}" for k, (x, y) in pairs)
        return "\n".join(row.rstrip() for row in marked)
    rows = [f"  {text}" for text in one[:mark]]
    for number, texts in enumerate(lines, start=1):
        rows += [f"{number}{' ' if at else '>'}{text}" for at, text in enumerate(texts[mark:])]
    return "\n".join(rows)


def _step_lines(derivations: Sequence[Derivation]) -> list[list[str]]:
    """Return a line for each step of some derivations: step, item, and the links it builds, in columns of their own."""
    steps = [list(derivation.applied()) for derivation in derivations]
    told = ((noted(x.step or "", x.case), str(x.item), links_text(x.links)) for x in chain(*steps))
    cells = [tuple(map(printable, row)) for row in told]
    lines = iter(columns(cells, WIDE.width, widest=WIDE.width))
    return [list(islice(lines, len(own))) for own in steps]


# In DOT --------------------------------------------------------------------------------------------------

_FRAME = (
    "  rankdir=BT;",
    "  ranksep=0.25; nodesep=0.15;",
    '  node [fontname="monospace", fontsize=11, shape=box, style=rounded, height=0.3, margin="0.1,0.04"];',
    "  edge [arrowsize=0.6];",
    '  fontname="monospace"; fontsize=9;',
)
_GIVEN = "shape=plaintext, style=solid"
_FINAL = "peripheries=2"
_CHOICE = 'style="rounded,filled", fillcolor="#fdf0e6", color="#bf561b", penwidth=1.5'
_STEP = 'shape=oval, style=filled, fillcolor="#e8eef7", color="#e8eef7", fontsize=9, height=0.2'


def forest_dot(forest: Forest, *, rtl: bool | None = None) -> str:
    """Return the useful part of a forest in DOT: words at the bottom in the order of the sentence, final items on top.

    Steps are ovals, which need all items below them; items are boxes, and those that several steps derive are filled.
    `rtl` puts the words from right to left; None: if most of them run so.

    >>> import schemata
    >>> text = forest_dot(schemata.load("eisner1996").run("cats").forest())
    >>> print(text.splitlines()[0], text.count("peripheries=2"), text.count('"cats"'))
    digraph "forest of eisner1996" { 1 1
    """
    chart = forest.chart
    cases, words = chart.schema.cases, chart.sentence.words
    given, roots = chart.raw.hypothesis_count, frozenset(forest.roots)
    numbers = sorted(forest.order, key=chart.order)
    names = {number: f"i{k}" for k, number in enumerate(numbers)}
    lines: list[str] = []
    leaves: list[tuple[str, int | None]] = []
    steps = 0
    for number in numbers:
        item, edges = chart.item(number), list(forest.sorted_edges(number))
        styles = [_GIVEN] * (number < given) + [_FINAL] * (number in roots) + [_CHOICE] * (len(edges) > 1)
        if number < given:
            leaves.append((names[number], _place(item)))
        label = _leaf_text(item, words, short_text) if number < given else short_text(item)
        lines.append(f"  {names[number]} [{', '.join([f'label={_quoted(label)}', *styles])}];")
        for edge in edges:
            case = cases[edge.case]
            built = _step_text(case.step, case.label, chart.built_links(edge.case, edge.links))
            lines.append(f"  s{steps} [label={_quoted(built)}, {_STEP}];")
            lines += [f"  {names[tail]} -> s{steps} [arrowhead=none];" for tail in edge.tails]
            lines.append(f"  s{steps} -> {names[number]};")
            steps += 1
    legend = f"boxes: items, filled: several steps derive them; ovals: steps; {LEGEND}"
    placed = sorted((place, name) for name, place in leaves if place is not None)
    order = [name for _, name in placed][:: -1 if (run_right_to_left(words) if rtl is None else rtl) else 1]
    return _graph(f"forest of {chart.schema.name}", [f"  label={_quoted(legend)};", *lines, *_row(order)])


def _row(names: Sequence[str]) -> Iterator[str]:
    """Yield the constraint that puts nodes in a row, in this order."""
    if names:
        yield f"  {{ rank=same; {' '.join(f'{name};' for name in names)} }}"
    yield from (f"  {a} -> {b} [style=invis];" for a, b in pairwise(names))


def _graph(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"digraph {_quoted(name)} {{", *_FRAME, *lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
