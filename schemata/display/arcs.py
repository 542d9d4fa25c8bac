"""Dependency trees and linkages as arcs above their words: of box-drawing characters, as SVG, and for LaTeX.

Arrow heads stand at the dependents, short arcs below long ones, and lines that cross make a full cross. A
sentence wider than the page is drawn in several panels: an arc that leaves a panel ends at its edge with
the number of the word it leads to. Below a linkage stand the disjuncts that were chosen; its positions are
counted from 0, as in the items of the Link Grammar schemata, and walls are words among others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from schemata.display import svg
from schemata.display.arc_layout import ArcLayout, Link, Picture, PlacedArc, RootMark, linkage_picture, panels
from schemata.display.terminal import WIDE, Page, clusters, columns
from schemata.errors import printable, text_width
from schemata.records import Record, replace
from schemata.structures.constituents import Structure
from schemata.structures.linkages import Linkage
from schemata.structures.word_graphs import OnPath

AnyStructure: TypeAlias = Structure | OnPath  # what is drawn


_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_ARROW = 16
_SHAPES = (3, 12, 10, 6, 11, 7, 14, 15, _ARROW)  # sums of directions
_BOX = dict(zip(_SHAPES, "│─┌┐├┤┬┼▼", strict=True))
_ASCII = dict(zip(_SHAPES, "|-..++.|v", strict=True))  # crossing is | rather than +, which marks a branch


def arcs_text(picture: Picture, page: Page = WIDE, *, numbers: bool | None = None) -> str:
    """Return a sentence with its links drawn as arcs above the words; strengths stand beside the labels.

    Parameters
    ----------
    picture : the words and links, made by `tree_picture`, `links_picture` or `structure_picture`.
    page : the page it is printed on; a longer sentence is drawn in panels.
    numbers : write the word numbers below the words; None: only when there are several panels.

    >>> from schemata.display.arc_layout import links_picture, tree_picture
    >>> print(arcs_text(tree_picture(["the", "cat", "sat"], [2, 3, 0])))
           root
     ┌──┐ ┌─┐ │
     ▼  │ ▼ │ ▼
    the cat sat
    >>> links = [(1, 2, "D"), (2, 3, "Ss")]
    >>> print(arcs_text(links_picture(["the", "cat", "sat"], links, directed=False)))
     ┌─D─┐ ┌─Ss─┐
    the  cat   sat
    """
    links = tuple(
        link
        if link.strength is None
        else replace(link, label=f"{link.label or ('' if link.left else 'root')} {link.strength:.2f}".strip())
        for link in picture.links
    )
    layouts = panels(replace(picture, links=links), page.width, numbers=numbers)
    return "\n\n".join(_draw(layout, page.ascii, picture.rtl) for layout in layouts)


class _Canvas(Record):
    """Cells by level (1 the lowest) and column: line directions, and texts that cover them."""

    lines: dict[tuple[int, int], int]
    texts: dict[tuple[int, int], str]

    def line(self, level: int, column: int, directions: int) -> None:
        self.lines[level, column] = self.lines.get((level, column), 0) | directions

    def across(self, level: int, left: int, right: int) -> None:
        for column in range(left, right + 1):
            self.line(level, column, _LEFT * (column > left) | _RIGHT * (column < right))

    def down(self, level: int, column: int) -> None:
        self.line(level, column, _DOWN)
        for below in range(1, level):
            self.line(below, column, _UP | _DOWN)

    def write(self, level: int, column: int, text: str) -> None:
        for piece, size in clusters(text):
            self.texts[level, column] = piece
            for covered in range(column + 1, column + size):
                self.texts[level, covered] = ""
            column += size

    def row(self, level: int, width: int, glyphs: dict[int, str]) -> str:
        cells = ((level, column) for column in range(width))
        shown = (self.texts.get(cell, glyphs.get(self.lines.get(cell, 0), " ")) for cell in cells)
        return "".join(shown).rstrip()


_ARROWS, _WORDS = 0, -1  # the rows below the lowest level; below the words stand tags and numbers
_LEFT_TO_RIGHT = "\u200e"  # a mark around words that run the other way: no terminal exchanges them then


def _draw(layout: ArcLayout, ascii: bool, rtl: bool) -> str:
    canvas = _Canvas({}, {})
    stems: dict[int, int] = {}
    arrows = [column for arc in layout.arcs for column in arc.arrows]
    for arc in layout.arcs:
        _draw_line(canvas, arc)
        for column in arc.stems:
            stems[column] = max(stems.get(column, 0), arc.level)
    if layout.root is not None:
        _draw_root(canvas, layout.root)
        stems.update(dict.fromkeys(layout.root.columns, layout.root.level))
        arrows += layout.root.columns
    for column, level in stems.items():
        canvas.down(level, column)
    for arc in layout.arcs:
        _write_label(canvas, arc)
    rows = list(range(layout.height, 0, -1))
    if arrows:
        rows.append(_ARROWS)
        canvas.lines.update({(_ARROWS, column): _UP | _DOWN for column in stems})
        canvas.lines.update({(_ARROWS, column): _ARROW for column in arrows})
    rows.append(_WORDS)
    rows += [_WORDS - k for k in range(1, 1 + len(layout.words[0].below))]
    mark = _LEFT_TO_RIGHT if rtl else ""
    for word in layout.words:
        canvas.write(_WORDS, word.column, f"{mark}{word.text}{mark}")
        for k, text in enumerate(word.below, start=1):
            canvas.write(_WORDS - k, word.slot + (word.slot_width - text_width(text)) // 2, text)
    glyphs = _ASCII if ascii else _BOX
    return "\n".join(canvas.row(row, layout.width, glyphs) for row in rows)


def _draw_root(canvas: _Canvas, root: RootMark) -> None:
    canvas.write(root.level, root.label_column, root.label)
    if len(root.columns) == 1:
        return
    first, last = root.columns[0], root.columns[-1]
    canvas.across(root.level, first, last)
    at_right = root.label_column > last
    end, beside = (last, last + 1) if at_right else (first, first - 1)
    canvas.line(root.level, end, _RIGHT if at_right else _LEFT)
    canvas.line(root.level, beside, _LEFT | _RIGHT)


def _draw_line(canvas: _Canvas, arc: PlacedArc) -> None:
    canvas.across(arc.level, arc.left, arc.right)
    if arc.before:
        canvas.line(arc.level, arc.left, _LEFT)
        canvas.write(arc.level, arc.left - 1 - text_width(arc.before), arc.before)
    if arc.after:
        canvas.line(arc.level, arc.right, _RIGHT)
        canvas.write(arc.level, arc.right + 2, arc.after)


def _write_label(canvas: _Canvas, arc: PlacedArc) -> None:
    """Write the label on the arc's line, in its middle unless other arcs cross it there."""
    if not arc.link.label or arc.before or arc.after:
        return
    size = text_width(arc.link.label)
    middle = (arc.left + arc.right - size + 1) // 2

    def crossed(start: int) -> int:
        return sum(bool(canvas.lines[arc.level, c] & _DOWN) for c in range(start, start + size))

    starts = range(arc.left + 2, arc.right - size)
    start = min(starts, key=lambda s: (crossed(s), abs(s - middle)), default=middle)
    canvas.write(arc.level, start, arc.link.label)


def draw_linkage(linkage: Linkage, page: Page = WIDE, *, partners: Collection[int] = ()) -> str:
    """Return a linkage drawn as labelled arcs, with the disjunct of each word in a list below.

    Parameters
    ----------
    linkage : the linkage; none of the conditions on linkages need be met.
    page : the page it is printed on; a longer sentence is drawn in panels, a longer disjunct on several lines.
    partners : the words, by position, where each connector in the list is followed by the positions that it
        links, in parentheses; see `told_apart`.

    >>> from schemata.structures.linkages import read_connector
    >>> from schemata.structures.linkages import Disjunct, Linkage, labelled_link
    >>> chosen = [
    ...     Disjunct("the", (), (read_connector("D+"),)),
    ...     Disjunct("cat.n", (read_connector("Ds-"),), (read_connector("Ss+"),), 0.5),
    ...     Disjunct("sat.v", (read_connector("S-"),), ()),
    ... ]
    >>> links = [labelled_link(chosen, 0, 1, (0, 0)), labelled_link(chosen, 1, 2, (0, 0))]
    >>> print(draw_linkage(Linkage(["the", "cat", "sat"], chosen, links)))
     ┌─Ds─┐ ┌─Ss─┐
    the   cat   sat
    <BLANKLINE>
    0  the         D+
    1  cat.n  0.5  Ds- & Ss+
    2  sat.v       S-
    cost 0.5
    """
    picture = arcs_text(linkage_picture(linkage, rtl=page.rtl), page)
    return "\n".join([picture, "", *disjunct_lines(linkage, page.width, partners)])


def told_apart(structures: Sequence[object]) -> list[frozenset[int]]:
    """Return for each linkage the words whose connectors need partners to distinguish it from the others;
    empty for trees.

    Two linkages can have the same words, disjuncts and links and differ in which connectors make the links: of
    ``@A+ & @A+`` the first may have one link and the second two, or the other way round.
    """
    alike: dict[object, list[tuple[int, Linkage]]] = {}
    for number, linkage in enumerate(structures):
        if not isinstance(linkage, Linkage):
            continue
        links = tuple((link.left, link.right, link.label) for link in linkage.links)
        shown = tuple((d.word, str(d), d.cost) for d in linkage.disjuncts)
        alike.setdefault((linkage.words, shown, links), []).append((number, linkage))
    found = [frozenset[int]()] * len(structures)
    for group in alike.values():
        texts = [[_with_partners(one, p) for p in range(len(one.words))] for _, one in group]
        differing = frozenset(p for p, column in enumerate(zip(*texts, strict=True)) if len(set(column)) > 1)
        for k, _ in group:
            found[k] = differing
    return found


def disjunct_lines(linkage: Linkage, width: int = WIDE.width, partners: Collection[int] = ()) -> list[str]:
    """Return a line for each word, more for a disjunct that is longer than the width, and the cost of them all.

    In columns stand its position, the word as the dictionary has it, the cost of its disjunct unless all cost
    nothing, and the disjunct; `partners` as for `draw_linkage`.
    """
    costly = any(disjunct.cost for disjunct in linkage.disjuncts)
    rows = []
    for position, disjunct in enumerate(linkage.disjuncts):
        cost = [cost_text(disjunct.cost) if disjunct.cost else ""] * costly
        text = _with_partners(linkage, position) if position in partners else str(disjunct)
        rows.append([str(position), printable(disjunct.word), *cost, text])
    # Disjuncts are broken before an ampersand.
    return [*columns(rows, width, (True, False, True), keep="& "), f"cost {cost_text(linkage.cost)}"]


def cost_text(cost: float) -> str:
    """Return a cost without needless digits.

    >>> cost_text(2.0), cost_text(0.1 + 0.2)
    ('2', '0.3')
    """
    return f"{round(cost, 6):.6f}".rstrip("0").rstrip(".")


def _with_partners(linkage: Linkage, position: int) -> str:
    """Return a disjunct as text, each connector followed by the positions that it links, all in one piece."""
    disjunct = linkage.disjuncts[position]
    linked: list[list[int]] = [[] for _ in (*disjunct.left, *disjunct.right)]
    for link in linkage.links:
        ends = link.left, link.right
        for own, other, number in zip(ends, ends[::-1], linkage.connectors_of(link), strict=True):
            if own == position and number < len(linked):
                linked[number].append(other)
    connectors = map(str, disjunct.left + disjunct.right)
    return " & ".join(
        f"{connector} ({', '.join(map(str, sorted(others)))})".replace(" ", "\xa0")
        for connector, others in zip(connectors, linked, strict=True)
    )


# As SVG --------------------------------------------------------------------------------------------------

_FONT_SIZE, _LABEL_SIZE, _NOTE_SIZE = 15, 11, 12
_NOTE_LINE = 17.0
_BELOW = 15.0  # from one line of text below the words to the next
_BETWEEN = 18.0  # two panels
_LEVEL, _LABELLED_LEVEL = 14.0, 19.0
_CORNER = 7.0
_ARROW_HEIGHT = 7.0
_PIECE = re.compile(r"\S+(?: \S+)*")


def arcs_svg(
    picture: Picture, *, width: int | None = svg.WIDTH, title: str | None = None, notes: Sequence[str] = ()
) -> str:
    """Return a sentence with its links drawn as arcs above the words, as an SVG document; strong links are thick.

    Parameters
    ----------
    picture : the words and links, made by `tree_picture`, `links_picture` or `structure_picture`.
    width : the available columns, of 9 pixels; a longer sentence is drawn in panels, with numbers below its words.
        None: as wide as needed.
    title : the title of the picture; None: its words.
    notes : lines of text to set below the words, column by column.
    """
    layouts = panels(picture, width, gap=2)
    level = _LABELLED_LEVEL if any(link.label for link in picture.links) else _LEVEL
    parts: list[str] = []
    bottom = svg.MARGIN
    for number, layout in enumerate(layouts):
        base = bottom + (_BETWEEN if number else 0) + level * layout.height + _ARROW_HEIGHT + 5
        parts += _panel_svg(layout, base, level, "rtl" if picture.rtl else None)
        bottom = base + 1.5 * _FONT_SIZE + _BELOW * len(layout.words[0].below)
    lines = [printable(line) for line in notes]
    for number, line in enumerate(lines, start=1):
        # What blanks set apart is placed by itself: not every viewer keeps several blanks.
        for piece in _PIECE.finditer(line):
            start = svg.width_of(line[: piece.start()], _NOTE_SIZE)
            x = svg.MARGIN + start + svg.width_of(piece.group(), _NOTE_SIZE) / 2
            parts.append(svg.text_at(x, bottom + number * _NOTE_LINE, piece.group(), _NOTE_SIZE, "note"))
    widths = [svg.COLUMN * layout.width for layout in layouts]
    widths += [svg.width_of(line, _NOTE_SIZE) for line in lines]
    height = bottom + (_NOTE_LINE * (len(lines) + 0.5) if lines else 0) + svg.MARGIN
    called = " ".join(picture.words) if title is None else title
    return svg.document(2 * svg.MARGIN + max(widths), height, called, parts)


def _panel_svg(layout: ArcLayout, base: float, level: float, direction: str | None) -> Iterator[str]:
    """Yield the elements of one panel; long arcs first, so that the labels of short ones come to lie on top."""
    for arc in sorted(layout.arcs, key=lambda arc: -arc.level):
        yield _arc_svg(arc, base, level)
    if layout.root:
        yield _root_svg(layout.root, base, level)
    for word in layout.words:
        middle = svg.MARGIN + svg.COLUMN * (word.column + word.width / 2)
        y = base + _FONT_SIZE + 1
        yield svg.text_at(middle, y, word.text, _FONT_SIZE, "word", direction=direction)
        middle = svg.MARGIN + svg.COLUMN * (word.slot + word.slot_width / 2)
        for k, text in enumerate(word.below, start=1):
            yield svg.text_at(middle, y + k * _BELOW, text, _LABEL_SIZE, "below", "note")


def _arc_svg(arc: PlacedArc, base: float, level: float) -> str:
    y = base - _ARROW_HEIGHT - level * arc.level
    left, right = _x(arc.left), _x(arc.right)
    r = min(_CORNER, (right - left) / 2)
    starts, ends = (base - _ARROW_HEIGHT if c in arc.arrows else base for c in (arc.left, arc.right))
    begin = ("M", left, y) if arc.before else ("M", left, starts, "V", y + r, "Q", left, y, left + r, y)
    end = ("H", right) if arc.after else ("H", right - r, "Q", right, y, right, y + r, "V", ends)
    strength = arc.link.strength
    pieces = [] if strength is None else [svg.element("title", svg.number(strength))]
    pieces.append(svg.line(svg.along(*begin, *end), "arc", width=_thickness(strength)))
    pieces += [_arrow(_x(column), base, "arc") for column in arc.arrows]
    for text, x, side in ((arc.before, left, -1), (arc.after, right, 1)):
        if text:
            middle = x + side * (5 + svg.width_of(text, _LABEL_SIZE) / 2)
            pieces.append(svg.text_at(middle, y + _LABEL_SIZE / 3, text, _LABEL_SIZE, "label"))
    if arc.link.label and not (arc.before or arc.after):
        pieces.append(svg.text_at((left + right) / 2, y - 3, arc.link.label, _LABEL_SIZE, "label"))
    words = " ".join(map(str, sorted((abs(arc.link.left), abs(arc.link.right)))))
    return svg.element("g", "".join(pieces), class_="link", data_ends=words)


def _thickness(strength: float | None) -> float:
    return 1.5 if strength is None else 0.5 + 3 * strength


def _root_svg(root: RootMark, base: float, level: float) -> str:
    y = base - _ARROW_HEIGHT - level * root.level
    columns = [_x(column) for column in root.columns]
    size = svg.width_of(root.label, _LABEL_SIZE)
    if len(columns) == 1:
        start = svg.MARGIN + svg.COLUMN * root.label_column
        end = start + svg.COLUMN * text_width(root.label)
        middle = min(max(columns[0], start + size / 2), end - size / 2)
        pieces = [svg.text_at(middle, y + _LABEL_SIZE / 2 - 2, root.label, _LABEL_SIZE, "root")]
        y += _LABEL_SIZE / 2 + 1
    else:
        at_right = root.label_column > root.columns[-1]
        ends = (columns[0], columns[-1] + svg.COLUMN) if at_right else (columns[0] - svg.COLUMN, columns[-1])
        middle = ends[1] + 4 + size / 2 if at_right else ends[0] - 4 - size / 2
        pieces = [svg.line(svg.along("M", ends[0], y, "H", ends[1]), "root")]
        pieces.append(svg.text_at(middle, y + _LABEL_SIZE / 3, root.label, _LABEL_SIZE, "root"))
    for x, link in zip(columns, root.links, strict=True):
        stem = svg.along("M", x, y, "V", base - _ARROW_HEIGHT)
        pieces += [svg.line(stem, "root", width=_thickness(link.strength)), _arrow(x, base, "root")]
    return svg.element("g", "".join(pieces), class_="root")


def _arrow(x: float, base: float, colour: str) -> str:
    path = svg.along("M", x - 3.5, base - _ARROW_HEIGHT, "H", x + 3.5, "L", x, base, "Z")
    return svg.element("path", class_="arrow", d=path, fill=svg.COLOURS[colour][0])


def _x(column: int) -> float:
    return svg.MARGIN + svg.COLUMN * (column + 0.5)


# As LaTeX ------------------------------------------------------------------------------------------------


def arcs_tikz(picture: Picture) -> str:
    r"""Return a sentence with its links as an environment of tikz-dependency.

    Parts of speech are a second row, features further ones, strong links thick lines. Words that run from right to left
    stand so.

    >>> from schemata.display.arc_layout import tree_picture
    >>> print(arcs_tikz(tree_picture(["the", "cat"], [2, 0], labels=["det", ""], tags=["DET", "NOUN"])))
    \begin{dependency}
      \begin{deptext}[column sep=1em]
        the \& cat \\
        DET \& NOUN \\
      \end{deptext}
      \depedge{2}{1}{det}
      \deproot{2}{root}
    \end{dependency}
    """
    order = slice(None, None, -1 if picture.rtl else 1)
    lines = [r"\begin{dependency}", r"  \begin{deptext}[column sep=1em]"]
    for row in filter(None, (picture.words, picture.tags, *picture.features)):
        cells = r" \& ".join(map(latex_cell, row[order]))
        lines.append(rf"    {cells} \\")
    numbers = range(1, len(picture.words) + 1)
    columns = dict(zip(numbers, numbers[order], strict=True))
    edges = [_edge(link, columns) for link in picture.links]
    return "\n".join([*lines, r"  \end{deptext}", *edges, r"\end{dependency}"])


def _edge(link: Link, columns: dict[int, int]) -> str:
    styles = [] if link.dependent else ["-"]
    if link.strength is not None:
        styles.append(f"line width={svg.number(_thickness(link.strength) / 2)}pt")
    label = latex_cell(link.label or ("" if link.left else "root"))
    options = [f"edge style={{{', '.join(styles)}}}"] * bool(styles) + ["hide label"] * (not label)
    chosen = f"[{', '.join(options)}]" if options else ""
    if not link.left:
        return rf"  \deproot{chosen}{{{columns[link.right]}}}{{{label}}}"
    ends = (link.left, link.right)[:: -1 if link.dependent == link.left else 1]
    head, dependent = (columns[z] for z in ends)
    return rf"  \depedge{chosen}{{{head}}}{{{dependent}}}{{{label}}}"


def latex_cell(text: str) -> str:
    r"""Return text escaped for a cell: ``\&`` would begin the next one, a bracket options, two hyphens a dash."""
    # This module knows schemata: a run that draws nothing for LaTeX does without.
    from schemata.display.latex import escaped

    shown = escaped(text).replace(r"\&", r"\symbol{38}").replace("--", "-{}-")
    return "{}" + shown if shown.startswith("[") else shown
