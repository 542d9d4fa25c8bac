"""Structures of all kinds on a page and as SVG: arcs, constituent trees, alignments, sets of atoms.

Constituents are an indented tree; where some have gaps, a drawing over the words, in which branches cross. Alignments
are grids.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from schemata.display import svg
from schemata.display.arc_layout import Strengths, structure_picture
from schemata.display.arcs import (
    Structure,
    arcs_svg,
    arcs_text,
    arcs_tikz,
    disjunct_lines,
    draw_linkage,
    latex_cell,
    told_apart,
)
from schemata.display.terminal import Page, padded, text_width
from schemata.display.trees import Node, tree_svg, tree_text
from schemata.errors import UsageError, printable
from schemata.structures import DependencyGraph, DependencyTree, Sentence
from schemata.structures.constituents import Alignment, AtomSet, Constituent, ConstituentTree
from schemata.wording import quantity

_MARKS = {False: ("●", "·"), True: ("x", ".")}
_LINES = {False: ("│", "─", "┌", "┐", "┴"), True: ("|", "-", "+", "+", "+")}


def structure_text(
    sentence: Sentence | None,
    structure: Structure,
    page: Page,
    *,
    strengths: Strengths | None = None,
    partners: Collection[int] = (),
) -> str:
    """Return a structure of a sentence drawn on a page; `partners` as for `draw_linkage`.

    `strengths` are those of a tree's links.
    """
    if isinstance(structure, ConstituentTree | Alignment | AtomSet):
        return other_text(structure, page)
    if not isinstance(structure, DependencyTree | DependencyGraph):
        return draw_linkage(structure, page, partners=partners)
    return arcs_text(structure_picture(sentence, structure, strengths=strengths, rtl=page.rtl), page)


def structure_svgs(
    sentence: Sentence | None,
    structures: Sequence[Structure],
    *,
    width: int | None = svg.WIDTH,
    rtl: bool | None = None,
) -> list[str]:
    """Return trees of a sentence, or linkages with their disjuncts, as SVG documents; linkages are told apart.

    Parameters
    ----------
    sentence : the sentence; its parts of speech stand below its words, the labels of its gold tree on the arcs.
        None: the words of trees are numbers.
    structures : the trees or linkages.
    width : as for `arcs_svg`.
    rtl : as for `links_picture`.
    """
    return [
        other_svg(structure)
        if isinstance(structure, ConstituentTree | Alignment | AtomSet)
        else arcs_svg(
            structure_picture(sentence, structure, rtl=rtl),
            width=width,
            notes=()
            if isinstance(structure, DependencyTree | DependencyGraph)
            else disjunct_lines(structure, partners=partners),
        )
        for structure, partners in zip(structures, told_apart(structures), strict=True)
    ]


def structures_tikz(sentence: Sentence, structures: Sequence[Structure], *, rtl: bool | None = None) -> str:
    """Return structures of a sentence as a fragment of LaTeX, for the packages tikz-dependency, forest or tikz.

    Parameters
    ----------
    sentence, structures, rtl : as for `structure_svgs`.

    Raises
    ------
    UsageError : there is a set of atoms among them.
    """
    needed: dict[str, None] = {}
    pictures = []
    for structure in structures:
        match structure:
            case AtomSet():
                message = "LaTeX has no pictures of sets of atoms"
                raise UsageError(message, code="bad-option", hint="--json lists them")
            case ConstituentTree(is_discontinuous=False):
                package, picture = "forest", "\n".join(map(_forest_tikz, _trees(structure)))
            case ConstituentTree() | Alignment():
                package, picture = "tikz", _places_tikz(structure)
            case _:
                package = "tikz-dependency"
                picture = arcs_tikz(structure_picture(sentence, structure, rtl=rtl))
        needed[package] = None
        pictures.append(picture)
    return "\n\n".join(["\n".join(rf"% needs \usepackage{{{name}}}" for name in needed), *pictures]) + "\n"


def _forest_tikz(tree: Node) -> str:
    r"""Return a tree for the package forest.

    >>> print(_forest_tikz(Node("S", (Node("V", (Node("go", kind="word"),)),))))
    \begin{forest}
      [{S} [{V} [{go}]]]
    \end{forest}
    """

    def text(node: Node) -> str:
        return f"[{' '.join([f'{{{latex_cell(node.text)}}}', *map(text, node.children)])}]"

    return "\n".join([r"\begin{forest}", f"  {text(tree)}", r"\end{forest}"])


def _places_tikz(structure: ConstituentTree | Alignment) -> str:
    """Return a tree with gaps above its words, its branches crossing, or an alignment as a grid, as a tikzpicture."""
    lines = [r"\begin{tikzpicture}[x=1ex, y=4ex]"]

    def node(name: str, x: float, y: float, text: str) -> None:
        lines.append(rf"  \node ({name}) at ({x:g},{y:g}) {{{latex_cell(text)}}};")

    if isinstance(structure, Alignment):
        rows, columns = _sides(structure)
        for i, word in enumerate(rows, start=1):
            node(f"r{i}", 0, -i, word)
        places = [max(map(text_width, rows), default=0) + 6 * j for j in range(1, len(columns) + 1)]
        for j, word in enumerate(columns, start=1):
            node(f"c{j}", places[j - 1], 0, word)
        lines += [rf"  \fill ({places[j - 1]},{-i}) circle (2pt);" for i, j in structure.pairs]
        return "\n".join([*lines, r"\end{tikzpicture}"])
    found, columns_of, names = _placed(structure)
    for k, (word, x) in enumerate(zip(structure.words, columns_of, strict=True), start=1):
        node(f"w{k}", x, 0, printable(word))
    numbers = {id(one): f"c{k}" for k, one in enumerate(names)}
    for one in names:
        node(numbers[id(one)], found[id(one)][1], found[id(one)][0], printable(one.category))
    for one in names:
        ends = [numbers[id(child)] for child in one.children] + [f"w{word}" for word in one.words]
        lines += [rf"  \draw ({numbers[id(one)]}) -- ({end});" for end in ends]
    return "\n".join([*lines, r"\end{tikzpicture}"])


def other_text(structure: Any, page: Page) -> str:
    """Return a structure that is no set of arcs, drawn on a page."""
    match structure:
        case ConstituentTree() if structure.is_discontinuous:
            return f"{structure}\n\n{crossing_text(structure, page.ascii)}"
        case ConstituentTree():
            return "\n".join(tree_text(tree, page) for tree in _trees(structure))
        case Alignment():
            return grid_text(structure, page.ascii)
    return str(structure) or "nothing"


def other_svg(structure: Any) -> str:
    """Return a structure that is no set of arcs as an SVG document."""
    match structure:
        case ConstituentTree() if structure.is_discontinuous or len(structure.nodes) != 1:
            return crossing_svg(structure)
        case ConstituentTree():
            return tree_svg(_trees(structure)[0], title=str(structure), proof=False)
        case Alignment():
            return grid_svg(structure)
    text = printable(str(structure))
    parts = [svg.text_at(svg.MARGIN, 2 * svg.MARGIN, text, 13.0, "item", "arc", anchor="start")]
    return svg.document(svg.width_of(text, 13.0) + 2 * svg.MARGIN, 4 * svg.MARGIN, "atoms", parts)


def _trees(tree: ConstituentTree) -> list[Node]:
    """Return a tree, or several beside each other, to draw with words as leaves."""

    def node(part: Constituent | int) -> Node:
        if isinstance(part, int):
            return Node(printable(tree.words[part - 1]), kind="word")
        return Node(printable(part.category), tuple(map(node, part.parts)))

    return list(map(node, tree.parts))


def _heights(
    node: Constituent, found: dict[int, tuple[int, float, list[float]]], columns: list[float]
) -> int:
    """Note of a constituent and all below it the height, the column of its name and those of what is below it."""
    levels = [_heights(child, found, columns) for child in node.children]
    below = [columns[word - 1] for word in node.words] + [found[id(child)][1] for child in node.children]
    if not below:  # an empty constituent stands before the word that follows
        below = [columns[min(node.spans[0][0], len(columns)) - 1] - 1]
    height, middle = 1 + max(levels, default=0), sum(below) / len(below)
    if len(node.spans) > 1:  # above its first stretch: what stands in a gap has its own branch there
        middle = sum(columns[slice(node.spans[0][0] - 1, node.spans[0][1])]) / (
            1 + node.spans[0][1] - node.spans[0][0]
        )
    found[id(node)] = height, middle, below
    return height


def _room(names: Sequence[Constituent]) -> int:
    """Return the columns between two words below constituents."""
    return 2 + max((text_width(node.category) for node in names), default=0) // 2


def _placed(
    tree: ConstituentTree,
) -> tuple[dict[int, tuple[int, float, list[float]]], list[float], list[Constituent]]:
    """Return what `_heights` notes of a tree, the columns of its words, and its constituents."""
    names = [node for top in tree.nodes for node in top.walk()]
    columns: list[float] = []
    at = 0
    for word in map(printable, tree.words):
        columns.append(at + text_width(word) // 2)
        at += text_width(word) + _room(names)
    found: dict[int, tuple[int, float, list[float]]] = {}
    for node in tree.nodes:
        _heights(node, found, columns)
    return found, columns, names


def crossing_text(tree: ConstituentTree, ascii: bool = False) -> str:
    """Return a tree drawn above its words; the branches of constituents with gaps cross others.

    >>> dog = Constituent("S", ((1, 3),), (Constituent("VP", ((1, 1), (3, 3))),))
    >>> print(crossing_text(ConstituentTree((dog,), ("what", "he", "saw")), ascii=True))
         S
      +--+--+
     VP     |
      +-----|----+
    what   he   saw
    """
    up, bar, left, right, joint = _LINES[ascii]
    found, columns, names = _placed(tree)
    top, room = max((found[id(node)][0] for node in tree.nodes), default=0), _room(names)
    cells: dict[tuple[int, int], str] = {}
    for node in names:
        height, _, below = found[id(node)]
        row = 2 * (top - height) + 1
        ends = [(2 * (top - found[id(child)][0]), found[id(child)][1]) for child in node.children]
        ends += [(2 * top, columns[word - 1]) for word in node.words]
        low, high = round(min(below)), round(max(below))
        for column in range(low, high + 1) if high > low else ():
            cells[row, column] = up if cells.get((row, column)) == up else bar
        for end, at_column in ends:
            x = round(at_column)
            for y in range(row, end):
                if cells.setdefault((y, x), up) == bar and y > row:
                    cells[y, x] = up
            if high > low:
                cells[row, x] = {low: left, high: right}.get(x, joint)
        if high > low:
            cells[row, round(found[id(node)][1])] = joint
    for node in names:
        height, middle, _ = found[id(node)]
        name = printable(node.category)
        for k, letter in enumerate(name, start=max(0, round(middle) - text_width(name) // 2)):
            cells[2 * (top - height), k] = letter
    last = max((column for _, column in cells), default=0)
    lines = ["".join(cells.get((y, x), " ") for x in range(last + 1)).rstrip() for y in range(2 * top)]
    return "\n".join([*lines, (" " * room).join(map(printable, tree.words))])


def crossing_svg(tree: ConstituentTree) -> str:
    """Return a tree above its words as an SVG document; branches cross where constituents have gaps."""
    size, row, columns, x = 13.0, 34.0, list[float](), svg.MARGIN
    for word in map(printable, tree.words):
        columns.append(x + svg.width_of(word, size) / 2)
        x += svg.width_of(word, size) + 20
    found: dict[int, tuple[int, float, list[float]]] = {}
    top = max((_heights(node, found, columns) for node in tree.nodes), default=0)

    def y(height: int) -> float:
        return svg.MARGIN + size + (top - height) * row

    parts: list[str] = []
    for node in (node for tree_top in tree.nodes for node in tree_top.walk()):
        height, middle, _ = found[id(node)]
        ends = [(found[id(child)][1], found[id(child)][0]) for child in node.children]
        for end, level in [*ends, *((columns[word - 1], 0) for word in node.words)]:
            path = svg.along("M", middle, y(height) + 4, "L", end, y(level) - size)
            parts.append(svg.line(path, "word", "edge", 1.2))
        parts.append(svg.text_at(middle, y(height), printable(node.category), size, "item", "arc"))
    words = zip(columns, map(printable, tree.words), strict=True)
    parts += [svg.text_at(column, y(0), word, size, "word", "word") for column, word in words]
    return svg.document(x + svg.MARGIN, y(0) + 2 * svg.MARGIN, str(tree), parts)


def grid_text(alignment: Alignment, ascii: bool = False) -> str:
    """Return an alignment as a grid: a row for each word, a column for each word that it is aligned with.

    >>> print(grid_text(Alignment(((1, 2), (2, 1)), ("the", "cat"), ("chat", "le")), ascii=True))
         chat  le
    the     .   x
    cat     x   .
    """
    mark, none = _MARKS[ascii]
    rows, columns = _sides(alignment)
    wide = max(map(text_width, rows), default=0)
    lines = [" " * wide + "".join(f"  {word}" for word in columns)]
    for i, word in enumerate(rows, start=1):
        marks = (mark if (i, j) in alignment.pairs else none for j in range(1, len(columns) + 1))
        cells = (" " * (text_width(above) + 1) + cell for above, cell in zip(columns, marks, strict=True))
        lines.append(padded(word, wide) + "".join(cells))
    return "\n".join(lines)


def grid_svg(alignment: Alignment) -> str:
    """Return an alignment as a grid in SVG."""
    size, rows, columns = 13.0, *_sides(alignment)
    cell = max([24.0, *(svg.width_of(word, size) + 8 for word in columns)])
    left = svg.MARGIN + max((svg.width_of(word, size) for word in rows), default=0.0) + 10
    top = svg.MARGIN + size + 8
    parts = [
        svg.text_at(left + (j + 0.5) * cell, top - 8, word, size, "word", "word")
        for j, word in enumerate(columns)
    ]
    for i, word in enumerate(rows):
        parts.append(svg.text_at(left - 8, top + (i + 0.7) * 24, word, size, "word", "word", anchor="end"))
    right, bottom = left + len(columns) * cell, top + len(rows) * 24
    for k in range(len(rows) + 1):
        parts.append(svg.line(svg.along("M", left, top + k * 24, "H", right), "word", "grid", 0.6))
    for k in range(len(columns) + 1):
        parts.append(svg.line(svg.along("M", left + k * cell, top, "V", bottom), "word", "grid", 0.6))
    for i, j in alignment.pairs:
        parts.append(svg.text_at(left + (j - 0.5) * cell, top + (i - 0.3) * 24, "●", size, "item", "arc"))
    title = f"an alignment of {quantity(len(alignment.pairs), 'pair')}"
    return svg.document(right + svg.MARGIN, bottom + svg.MARGIN, title, parts)


def _sides(alignment: Alignment) -> tuple[list[str], list[str]]:
    """Return the names of the rows and of the columns of a grid: words, and numbers where there are none."""
    most = [max((pair[side] for pair in alignment.pairs), default=0) for side in (0, 1)]
    rows, columns = (
        [*map(printable, words), *(str(k) for k in range(len(words) + 1, count + 1))]
        for words, count in zip((alignment.words, alignment.others), most, strict=True)
    )
    return rows, columns
