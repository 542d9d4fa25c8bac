"""Structures of all kinds on a page, as SVG and for LaTeX: arcs, constituent trees, alignments, sets of atoms.

Constituents are an indented tree; where some have gaps, a drawing over the words, in which branches cross. Alignments
are grids.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from schemata.display import svg
from schemata.display.arc_layout import Strengths, linkage_picture, structure_picture
from schemata.display.arcs import (
    AnyStructure,
    arcs_svg,
    arcs_text,
    arcs_tikz,
    disjunct_lines,
    draw_linkage,
    latex_cell,
    told_apart,
)
from schemata.display.terminal import Page, padded
from schemata.display.trees import Node, derivation_svg, derivation_text, tree_svg, tree_text
from schemata.errors import UsageError, printable, text_width
from schemata.forest.derivations import Derivation
from schemata.records import Record
from schemata.structures import Linkage, Sentence
from schemata.structures.constituents import Alignment, AtomSet, Constituent, ConstituentTree
from schemata.structures.word_graphs import OnPath
from schemata.wording import quantity

_MARKS = {False: ("●", "·"), True: ("x", ".")}
_LINES = {False: ("│", "─", "┌", "┐", "┴", "├", "┤"), True: ("|", "-", "+", "+", "+", "+", "+")}


def structure_text(
    sentence: Sentence | None,
    structure: AnyStructure | Derivation,
    page: Page,
    *,
    strengths: Strengths | None = None,
    partners: Collection[int] = (),
) -> str:
    """Return a structure of a sentence drawn on a page, or a derivation; `partners` as for `draw_linkage`.

    `strengths` are those of a tree's links.
    """
    match structure:
        case OnPath(path, of_path, inner):
            own = _of_path(path, strengths)
            return structure_text(of_path, inner, page, strengths=own, partners=partners)
        case ConstituentTree(is_discontinuous=True):
            return f"{structure}\n\n{crossing_text(structure, page.ascii)}"
        case ConstituentTree():
            return "\n".join(tree_text(tree, page) for tree in _trees(structure))
        case Alignment():
            return grid_text(structure, page.ascii)
        case AtomSet():
            return str(structure) or "nothing"
        case Derivation():
            return derivation_text(structure, page)
        case Linkage():
            return draw_linkage(structure, page, partners=partners)
    return arcs_text(structure_picture(sentence, structure, strengths=strengths, rtl=page.rtl), page)


def structure_svgs(
    sentence: Sentence | None,
    structures: Sequence[AnyStructure | Derivation],
    *,
    width: int | None = svg.WIDTH,
    rtl: bool | None = None,
    strengths: Strengths | None = None,
) -> list[str]:
    """Return structures of a sentence, or derivations, as SVG; marks of disjuncts make linkages
    distinguishable.

    Parameters
    ----------
    sentence : the sentence; its parts of speech stand below its words, the labels of its gold tree on the arcs.
        None: the words of trees are numbers.
    structures : the structures.
    width : as for `arcs_svg`.
    rtl : as for `links_picture`.
    strengths : those of the links of trees and graphs.
    """
    found = []
    for structure, partners in zip(structures, told_apart(structures), strict=True):
        match structure:
            case OnPath(path, of_path, inner):
                own = _of_path(path, strengths)
                found += structure_svgs(of_path, [inner], width=width, rtl=rtl, strengths=own)
            case ConstituentTree(is_discontinuous=False, nodes=[_]):
                found.append(tree_svg(_trees(structure)[0], title=str(structure), proof=False))
            case ConstituentTree() | Alignment() | AtomSet():
                found.append(_drawing_svg(structure))
            case Derivation():
                found.append(derivation_svg(structure, width=width))
            case Linkage():
                notes = disjunct_lines(structure, partners=partners)
                found.append(arcs_svg(linkage_picture(structure, rtl=rtl), width=width, notes=notes))
            case _:
                picture = structure_picture(sentence, structure, strengths=strengths, rtl=rtl)
                found.append(arcs_svg(picture, width=width))
    return found


def _of_path(path: Sequence[int], strengths: Strengths | None) -> Strengths | None:
    """Return the strengths of links among the words of a path, which count from 1."""
    number = {0: 0} | {word: k for k, word in enumerate(path, start=1)}
    return strengths and {
        (number[d], number[h]): share for (d, h), share in strengths.items() if d in number and h in number
    }


def structures_tikz(
    sentence: Sentence | None, structures: Sequence[AnyStructure], *, rtl: bool | None = None
) -> str:
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
    for found in structures:
        of, structure = (found.sentence, found.structure) if isinstance(found, OnPath) else (sentence, found)
        match structure:
            case AtomSet():
                message = "LaTeX has no pictures of sets of atoms"
                raise UsageError(message, code="bad-option", hint="--json lists them")
            case ConstituentTree(is_discontinuous=False):
                package, picture = "forest", "\n".join(map(_forest_tikz, _trees(structure)))
            case ConstituentTree() | Alignment():
                package, picture = "tikz", _drawing_tikz(structure)
            case _:
                package = "tikz-dependency"
                picture = arcs_tikz(structure_picture(of, structure, rtl=rtl))
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


def _trees(tree: ConstituentTree) -> list[Node]:
    """Return a tree, or several beside each other, to draw with words as leaves."""

    def node(part: Constituent | int) -> Node:
        if isinstance(part, int):
            return Node(printable(tree.words[part - 1]), kind="word")
        return Node(printable(part.category), tuple(map(node, part.parts)))

    return list(map(node, tree.parts))


# Trees whose branches cross, and alignments -----------------------------------------------------------------


class _Placed(Record):
    """A constituent above the words: its column and height, and those of its children; words have height
    0.
    """

    name: str
    column: float
    height: int
    ends: list[tuple[float, int]]


def _placed(tree: ConstituentTree) -> tuple[list[_Placed], list[int]]:
    """Return the constituents of a tree, from above, and the columns of its words."""
    names = [node for top in tree.nodes for node in top.walk()]
    columns: list[int] = []
    at = 0
    for word in map(printable, tree.words):
        columns.append(at + text_width(word) // 2)
        at += text_width(word) + _room(tree)
    found: dict[int, _Placed] = {}
    for node in reversed(names):
        children = (found[id(child)] for child in node.children)
        ends = [(child.column, child.height) for child in children] + [
            (columns[k - 1], 0) for k in node.words
        ]
        first, last = node.spans[0]
        below = [column for column, _ in ends]
        if len(node.spans) > 1:  # above its first stretch: what stands in a gap has its own branch there
            below = [*columns[first - 1 : last]]
        elif not below:  # an empty constituent stands before the word that follows
            below = [columns[min(first, len(columns)) - 1] - 1]
        height = 1 + max((height for _, height in ends), default=0)
        found[id(node)] = _Placed(printable(node.category), sum(below) / len(below), height, ends)
    return [found[id(node)] for node in names], columns


def _room(tree: ConstituentTree) -> int:
    """Return the columns between two words below constituents."""
    names = (node.category for top in tree.nodes for node in top.walk())
    return 2 + max(map(text_width, names), default=0) // 2


def crossing_text(tree: ConstituentTree, ascii: bool = False) -> str:
    """Return a tree drawn above its words; the branches of constituents with gaps cross others.

    >>> dog = Constituent("S", ((1, 3),), (Constituent("VP", ((1, 1), (3, 3))),))
    >>> print(crossing_text(ConstituentTree((dog,), ("what", "he", "saw"))))
         S
      ┌──┴──┐
     VP     │
      ├─────│────┐
    what   he   saw
    """
    up, bar, left, right, joint, down_right, down_left = _LINES[ascii]
    placed, _ = _placed(tree)
    top = max((one.height for one in placed), default=0)
    cells: dict[tuple[int, int], str] = {}
    for one in placed:
        row = 2 * (top - one.height) + 1
        ends = [(2 * (top - height), round(column)) for column, height in one.ends]
        low, high = min((x for _, x in ends), default=0), max((x for _, x in ends), default=0)
        for column in range(low, high + 1) if high > low else ():
            cells[row, column] = up if cells.get((row, column)) == up else bar
        for end, x in ends:
            for y in range(row, end):
                if cells.setdefault((y, x), up) == bar and y > row:
                    cells[y, x] = up
            if high > low:
                cells[row, x] = {low: left, high: right}.get(x, joint)
        if high > low:
            column = round(one.column)
            cells[row, column] = {low: down_right, high: down_left}.get(column, joint)
    for one in placed:
        for k, letter in enumerate(one.name, start=max(0, round(one.column) - text_width(one.name) // 2)):
            cells[2 * (top - one.height), k] = letter
    last = max((column for _, column in cells), default=0)
    lines = ["".join(cells.get((y, x), " ") for x in range(last + 1)).rstrip() for y in range(2 * top)]
    return "\n".join([*lines, (" " * _room(tree)).join(map(printable, tree.words))])


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


def _sides(alignment: Alignment) -> tuple[list[str], list[str]]:
    """Return the names of the rows and of the columns of a grid: words, and numbers beyond the last word."""
    most = [max((pair[side] for pair in alignment.pairs), default=0) for side in (0, 1)]
    rows, columns = (
        [*map(printable, words), *(str(k) for k in range(len(words) + 1, count + 1))]
        for words, count in zip((alignment.words, alignment.others), most, strict=True)
    )
    return rows, columns


class _Drawing(Record):
    """Texts around their middles, lines from place to place, and dots; places are counted in columns and rows."""

    title: str
    texts: list[tuple[float, float, str, str]]  # with their kinds
    lines: Sequence[tuple[float, float, float, float]] = ()
    dots: Sequence[tuple[float, float]] = ()


def _drawing(structure: ConstituentTree | Alignment | AtomSet) -> _Drawing:
    """Return a tree above its words, its branches crossing, an alignment as a grid, or atoms in a line."""
    match structure:
        case ConstituentTree():
            placed, columns = _placed(structure)
            top = max((one.height for one in placed), default=0)
            texts = [(one.column, float(top - one.height), one.name, "item") for one in placed]
            words = zip(columns, map(printable, structure.words), strict=True)
            texts += [(x, top, word, "word") for x, word in words]
            edges = ((one, column, height) for one in placed for column, height in one.ends)
            lines = [
                (one.column, top - one.height + 0.25, x, top - height - 0.25) for one, x, height in edges
            ]
            return _Drawing(str(structure), texts, lines)
        case Alignment(pairs=pairs):
            rows, names = _sides(structure)
            wide = max(map(text_width, names), default=0) + 2
            begin = max(map(text_width, rows), default=0)
            places = [begin + wide * (j + 0.5) for j in range(len(names))]
            texts = [(begin - text_width(word) / 2, i, word, "word") for i, word in enumerate(rows, start=1)]
            texts += [(x, 0, word, "word") for x, word in zip(places, names, strict=True)]
            lines = [(begin + 1, i, begin + wide * len(names), i) for i in range(1, len(rows) + 1)]
            lines += [(x, 0.5, x, len(rows) + 0.5) for x in places]
            dots = [(places[j - 1], i) for i, j in pairs]
            return _Drawing(f"an alignment of {quantity(len(pairs), 'pair')}", texts, lines, dots)
    text = printable(str(structure))
    return _Drawing("atoms", [(text_width(text) / 2, 0, text, "item")])


_SIZE, _ROW = 13.0, 34.0  # of SVG


def _drawing_svg(structure: ConstituentTree | Alignment | AtomSet) -> str:
    drawing, column = _drawing(structure), svg.ADVANCE * _SIZE
    left = svg.MARGIN - column * min((x - text_width(text) / 2 for x, _, text, _ in drawing.texts), default=0)
    right = max((x + text_width(text) / 2 for x, _, text, _ in drawing.texts), default=0)
    bottom = max((y for _, y, *_ in drawing.texts), default=0)

    def at(x: float, y: float) -> tuple[float, float]:
        return left + column * x, svg.MARGIN + _SIZE + _ROW * y

    paths = (svg.along("M", *at(x1, y1), "L", *at(x2, y2)) for x1, y1, x2, y2 in drawing.lines)
    parts = [svg.line(path, "word", "edge", 1.0) for path in paths]
    for x, y, text, kind in drawing.texts:
        middle, base = at(x, y)
        colour = "arc" if kind == "item" else "word"
        parts.append(svg.text_at(middle, base + _SIZE / 3, text, _SIZE, kind, colour))
    blue = svg.COLOURS["arc"][0]
    for x, y in (at(*dot) for dot in drawing.dots):
        parts.append(svg.element("circle", class_="item", cx=x, cy=y, r=4, fill=blue))
    width, height = at(right, bottom)
    return svg.document(width + svg.MARGIN, height + 2 * svg.MARGIN, drawing.title, parts)


def _drawing_tikz(structure: ConstituentTree | Alignment) -> str:
    drawing = _drawing(structure)
    lines = [r"\begin{tikzpicture}[x=1ex, y=-4ex]"]
    lines += [rf"  \draw ({x1:g},{y1:g}) -- ({x2:g},{y2:g});" for x1, y1, x2, y2 in drawing.lines]
    lines += [rf"  \node at ({x:g},{y:g}) {{{latex_cell(text)}}};" for x, y, text, _ in drawing.texts]
    lines += [rf"  \fill ({x:g},{y:g}) circle (2pt);" for x, y in drawing.dots]
    return "\n".join([*lines, r"\end{tikzpicture}"])
