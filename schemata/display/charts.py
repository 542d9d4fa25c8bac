"""Charts as pictures: the layouts of `display/chart_layout.py` as text, SVG and LaTeX.

SVG and LaTeX draw the same lines, boxes and texts, which are placed once, in pixels. Emphasis is by form as well as
by colour: final items in a box, those of no derivation in brackets, new ones in a dashed box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from schemata.display import svg
from schemata.display.arcs import latex_cell
from schemata.display.chart_layout import Cell, ChartPicture, PlacedItem
from schemata.display.terminal import PAGE, Page, clusters, padded
from schemata.errors import text_width
from schemata.records import Record, replace
from schemata.wording import quantity

if TYPE_CHECKING:
    from collections.abc import Callable

_MARKS = {"final": "*{}", "useless": "({})", "new": "+{}", "antecedent": "^{}", "consequent": ">{}"}
_SAID = {
    "final": "final", "useless": "in no derivation of a final item", "new": "just derived",
    "antecedent": "antecedent", "consequent": "consequent",
}  # fmt: skip


_EMPTY = "no item has a place in the sentence"
_BOXES = _MARKS | {
    "final": "in a box", "new": "in a dashed box", "antecedent": "in a dotted box", "consequent": "in a thick box",
}  # fmt: skip


def states(entry: PlacedItem) -> list[str]:
    """Return the marked states of an item: `useless` or `final`, and its role."""
    found = ["final"] if entry.final else [] if entry.useful or entry.role else ["useless"]
    return found + ([entry.role] if entry.role else [])


def marked(entry: PlacedItem, prefix: str = "") -> str:
    """Return the text of an item with the signs of its states."""
    text = prefix + entry.text
    for state in states(entry):
        text = _MARKS[state].format(text)
    return text


def legend(picture: ChartPicture, *, boxes: bool = False) -> list[str]:
    """Return lines that explain the signs, or boxes, of a picture, and list the items left out."""
    met = dict.fromkeys(state for entry in picture.entries() for state in states(entry))
    shown = {state: (_BOXES if boxes else _MARKS)[state].format("x") for state in met}
    meanings = _SAID | {"new": picture.new_are}
    signs = [f"{shown[state]}: {said}" for state, said in meanings.items() if state in met]
    lines = [", ".join(signs)] if signs else []
    if picture.view == "columns" and not picture.points:
        lines.append("before an item: the word it begins at")
    if picture.flags:
        said = "flags that are true" if len(picture.flags) > 1 else "a flag that is true"
        lines.append(f"{', '.join(picture.flags)}: {said}")
    hidden = sum(cell.more for cell in picture.cells)
    if hidden:
        lines.append(f"{quantity(hidden, 'item')} counted and not shown")
    return lines


def _without_place(picture: ChartPicture) -> str:
    """Return the items without a place as a line; empty if there are none."""
    shown = [marked(entry) for entry in picture.aside]
    if picture.more_aside:
        shown.append(f"and {picture.more_aside:,} more")
    return f"without a place: {', '.join(shown)}" if shown else ""


def _heading(picture: ChartPicture, position: int) -> str:
    """Return the number and the word of a position."""
    return f"{position} {picture.words.get(position, '')}".rstrip()


def _begins(picture: ChartPicture, cell: Cell) -> str:
    """Return the prefix of an item in its column: the word at which it begins."""
    return "" if picture.points else f"{cell.first}  "


# As text --------------------------------------------------------------------------------------------------

_WIDEST = 30  # columns of a cell


def chart_text(picture: ChartPicture, page: Page = PAGE) -> str:
    """Return a chart as text: a table by first and last words, columns, or edges over the words.

    Parameters
    ----------
    picture : the chart, laid out.
    page : the page it is printed on; columns that it is too narrow for stand below the others.

    >>> import schemata
    >>> from schemata.display.chart_layout import chart_picture
    >>> print(chart_text(chart_picture(schemata.load("cyk").run("Mary slept", "example"))))
             1 Mary  2 slept
    1 Mary   NP      *S
    2 slept          VP
    <BLANKLINE>
    *x: final
    """
    drawn = {"triangle": _table_text, "columns": _columns_text, "edges": _edges_text}[picture.view]
    if not picture.cells:
        return "\n\n".join(filter(None, [_EMPTY, _without_place(picture)]))
    parts = ["\n".join(drawn(picture, page)), _without_place(picture), "\n".join(legend(picture))]
    text = "\n\n".join(filter(None, parts))
    return text.translate(_ASCII).replace("->", " ->").replace("  ->", " ->") if page.ascii else text


_ASCII = str.maketrans({"→": "->", "•": ".", "…": "...", "├": "|", "┤": "|", "─": "-"})


def _table_text(picture: ChartPicture, page: Page) -> Iterator[str]:
    cells = {(cell.first, cell.last): _lines(cell) for cell in picture.cells}
    rows, ends = (list(dict.fromkeys(sorted(place[k] for place in cells))) for k in (0, 1))
    yield from _grid(
        [_heading(picture, x) for x in rows],
        [_heading(picture, x) for x in ends],
        lambda row, end: cells.get((rows[row], ends[end]), []),
        page,
    )


def _columns_text(picture: ChartPicture, page: Page) -> Iterator[str]:
    found: dict[int, list[str]] = {}
    for cell in sorted(picture.cells, key=lambda cell: (cell.last, cell.first)):
        found.setdefault(cell.last, []).extend(_lines(cell, _begins(picture, cell)))
    ends = range(min(found), max(found) + 1)
    headings = [_heading(picture, x) for x in ends]
    yield from _grid([""], headings, lambda _, end: found.get(ends[end], []), page)


def _lines(cell: Cell, prefix: str = "", widest: int = _WIDEST) -> list[str]:
    """Return the items of a cell, a line for each, and how many are left out."""
    lines = [_cut(marked(entry, prefix), widest) for entry in cell.entries]
    return lines + ([f"+ {cell.more:,} more"] if cell.more else [])


def _cut(text: str, widest: int) -> str:
    """Return a text of so many columns at most."""
    if text_width(text) <= widest:
        return text
    room, kept = widest - 1, ""
    for piece, columns in clusters(text):
        room -= columns
        if room < 0:
            break
        kept += piece
    return f"{kept}…"


def _grid(
    rows: Sequence[str], headings: Sequence[str], cell: Callable[[int, int], list[str]], page: Page
) -> Iterator[str]:
    """Yield a table of cells of several lines; columns that do not fit are put below, with the rows again."""
    side = max(map(text_width, rows))
    widths = [
        max(map(text_width, [heading, *(line for row in range(len(rows)) for line in cell(row, k))]))
        for k, heading in enumerate(headings)
    ]
    panels: list[list[int]] = [[]]
    for k, width in enumerate(widths):
        taken = side + sum(widths[x] + 2 for x in panels[-1])
        if panels[-1] and taken + width + 2 > page.width:
            panels.append([])
        panels[-1].append(k)
    for number, panel in enumerate(panels):
        if number:
            yield ""
        begin = [padded("", side)] if side else []
        yield _joined([*begin, *(padded(headings[k], widths[k]) for k in panel)])
        if not side:
            yield _joined("─" * widths[k] for k in panel)
        for row, heading in enumerate(rows):
            columns = [cell(row, k) for k in panel]
            height = max(map(len, columns))
            for line in range(height):
                begin = [padded("" if line else heading, side)] if side else []
                texts = (column[line] if line < len(column) else "" for column in columns)
                yield _joined([*begin, *(padded(t, widths[k]) for t, k in zip(texts, panel, strict=True))])


def _joined(cells: Iterable[str]) -> str:
    return "  ".join(cells).rstrip()


def _edges_text(picture: ChartPicture, page: Page) -> Iterator[str]:
    """Yield the words, and above them edges: the longest at the top."""
    bars = _bars(picture)
    places = list(picture.words)
    widths = {x: text_width(_heading(picture, x)) + 2 for x in places}
    for first, last, text in bars:
        room = sum(widths[x] for x in range(first, last + 1)) if last >= first else 0
        if last >= first:
            widths[last] += max(0, text_width(text) + 6 - room)
    starts, at = {}, 0
    for x in places:
        starts[x] = at
        at += widths[x]
    starts[places[-1] + 1] = at
    rows: list[str] = []
    for level in _levels([(first, last) for first, last, _ in bars]):
        line = ""
        for k in level:
            first, last, text = bars[k]
            left = starts[first]
            if last < first:
                line = padded(line, left) + f"| {text} "
                continue
            room = starts[last + 1] - left - 2
            body = text.join("  ")
            spare = room - text_width(body) - 1
            bar = f"├{'─' * (spare // 2)}{body}{'─' * (spare - spare // 2)}┤"
            line = padded(line, left) + bar
        rows.append(line.rstrip())
    yield from reversed(rows)
    yield "".join(padded(_heading(picture, x), widths[x]) for x in places).rstrip()


_Bar: TypeAlias = "tuple[int, int, str]"


def _bars(picture: ChartPicture) -> list[_Bar]:
    """Return the edges, short ones first: first word, last word, and label."""
    found: list[_Bar] = []
    for cell in picture.cells:
        found += ((cell.first, cell.last, marked(entry)) for entry in cell.entries)
        if cell.more:
            found.append((cell.first, cell.last, f"+ {cell.more:,} more"))
    return found


def _levels(spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return levels of edges that do not meet, lowest first, each from left to right; an empty one has a level."""
    levels: list[list[int]] = []
    for k, (first, last) in enumerate(spans):
        for level in levels:
            others = [spans[x] for x in level]
            free = all(end >= start and (end < first or start > last) for start, end in others)
            if last >= first and free:
                level.append(k)
                break
        else:
            levels.append([k])
    return [sorted(level, key=lambda x: spans[x]) for level in levels]


# As lines, boxes and texts in pixels -----------------------------------------------------------------------

_SIZE, _SMALL = 12.0, 10.0
_LINE = 17.0  # from one item of a cell to the next
_PAD = 5.0
_LONGEST = 34  # columns of an item in a picture; its title has all of it
_GRID = 24  # words for which empty cells are drawn

_Style: TypeAlias = Literal["frame", "final", "new", "antecedent", "consequent"]
_COLOUR: Mapping[str, str] = {
    "frame": "note", "final": "root", "new": "label", "antecedent": "label", "consequent": "root",
}  # fmt: skip


class Box(Record):
    """A rectangle by its corner; `style` names its kind, `cell` the words of its cell."""

    x: float
    y: float
    width: float
    height: float
    style: _Style
    cell: tuple[int, int] | None = None


class Text(Record):
    """A text by its middle and its base line; an item's text belongs to the item."""

    x: float
    y: float
    text: str
    colour: str
    size: float = _SIZE
    entry: PlacedItem | None = None
    anchor: Literal["middle", "start"] = "middle"


class Line(Record):
    """A line between two points."""

    x1: float
    y1: float
    x2: float
    y2: float


class Drawing(Record):
    """The drawing of a chart, in pixels."""

    title: str
    width: float
    height: float
    shapes: tuple[Box | Text | Line, ...]


def drawing(picture: ChartPicture, width: int | None = svg.WIDTH) -> Drawing:
    """Place a chart in pixels.

    Parameters
    ----------
    picture : the chart, laid out.
    width : the available columns, of 9 pixels: columns of a chart that do not fit stand below the others; triangles and
        edges have the width they need. None for as many as needed.
    """
    room = float("inf") if width is None else width * svg.COLUMN
    shapes: list[Box | Text | Line] = []
    if not picture.cells:
        bottom = svg.MARGIN + _SIZE
        shapes.append(Text(svg.MARGIN, bottom, _EMPTY, "note", _SIZE, None, "start"))
    elif picture.view == "columns":
        bottom = _place_columns(picture, shapes, room)
    elif picture.view == "edges":
        bottom = _place_edges(picture, shapes)
    else:
        bottom = _place_triangle(picture, shapes)
    for line in filter(None, [_without_place(picture), *legend(picture, boxes=True)]):
        bottom += _SMALL + 8
        shapes.append(Text(svg.MARGIN, bottom, line, "note", _SMALL, None, "start"))
    aside = svg.MARGIN - min(_sides(shape)[0] for shape in shapes)
    shapes = [_moved(shape, aside) for shape in shapes] if aside > 0 else shapes
    right = max(_sides(shape)[1] for shape in shapes)
    return Drawing(picture.title, right + svg.MARGIN, bottom + svg.MARGIN, tuple(shapes))


def _sides(shape: Box | Text | Line) -> tuple[float, float]:
    """Return the left and the right end of a shape."""
    match shape:
        case Box(x, _, width):
            return x, x + width
        case Line(x1, _, x2):
            return min(x1, x2), max(x1, x2)
        case Text(x, _, text):
            wide = svg.width_of(text, shape.size)
            left = x if shape.anchor == "start" else x - wide / 2
            return left, left + wide


def _moved(shape: Box | Text | Line, by: float) -> Box | Text | Line:
    """Return a shape moved to the right."""
    if isinstance(shape, Line):
        return replace(shape, x1=shape.x1 + by, x2=shape.x2 + by)
    return replace(shape, x=shape.x + by)


def _entry_shapes(
    x: float, y: float, cell: Cell, prefix: str = "", anchor: Literal["middle", "start"] = "middle"
) -> Iterator[Box | Text]:
    """Yield the items of a cell below each other, around a middle or from a beginning; y is the top of the first."""
    for entry in cell.entries:
        text = _cut(prefix + entry.text, _LONGEST)
        found = states(entry)
        text = f"({text})" if "useless" in found else text
        colour = "note" if "useless" in found else "root" if entry.final else "arc"
        boxed: list[_Style] = [
            state for state in ("final", "new", "antecedent", "consequent") if state in found
        ]
        for style in boxed[-1:]:
            wide = svg.width_of(text, _SIZE) + 6
            left = x - (wide / 2 if anchor == "middle" else 3)
            yield Box(left, y + 1, wide, _LINE - 2, style)
        yield Text(x, y + _SIZE, text, colour, _SIZE, entry, anchor)
        y += _LINE
    if cell.more:
        yield Text(x, y + _SIZE, f"+ {cell.more:,} more", "note", _SMALL, None, anchor)


def _size(cell: Cell, prefix: str = "") -> tuple[float, float]:
    """Return the width and the height of a cell's contents."""
    texts = [_cut(prefix + entry.text, _LONGEST) + "()" for entry in cell.entries]
    wide = max((svg.width_of(text, _SIZE) for text in texts), default=0.0)
    more = svg.width_of(f"+ {cell.more:,} more", _SMALL) if cell.more else 0.0
    return max(wide, more) + 8, (len(cell.entries) + bool(cell.more)) * _LINE


def _place_triangle(picture: ChartPicture, shapes: list[Box | Text | Line]) -> float:
    """Place cells over the middle of their words, longer ones above; returns where the words end."""
    places = list(picture.words)
    words = [svg.width_of(_heading(picture, x), _SIZE) for x in places]
    step = max([*words, *(_size(cell)[0] for cell in picture.cells)]) + 2 * _PAD
    filled = {(cell.first, cell.last): cell for cell in picture.cells}
    lengths = range(max(c.length for c in picture.cells), min(c.length for c in picture.cells) - 1, -1)
    y = svg.MARGIN
    for length in lengths:
        row = [cell for cell in picture.cells if cell.length == length]
        height = max([_LINE, *(_size(cell)[1] for cell in row)]) + _PAD
        all_cells = [(x, x + length) for x in places if x + length in picture.words]
        if length < 0 or len(places) > _GRID:
            all_cells = [(cell.first, cell.last) for cell in row]
        for first, last in all_cells:
            middle = svg.MARGIN + ((first + last) / 2 - places[0] + 0.5) * step
            shapes.append(Box(middle - step / 2 + 2, y, step - 4, height, "frame", (first, last)))
            if (first, last) in filled:
                cell = filled[first, last]
                top = y + (height - _size(cell)[1]) / 2
                shapes += _entry_shapes(middle, top, cell)
        y += height + 4
    y += _SIZE + 2
    for k, x in enumerate(places):
        middle = svg.MARGIN + (k + 0.5) * step
        shapes.append(Text(middle, y, _heading(picture, x), "word"))
    return y + 4


def _place_columns(picture: ChartPicture, shapes: list[Box | Text | Line], room: float) -> float:
    """Place items in the columns of their last words; returns where the lowest ends."""
    found: dict[int, list[Cell]] = {}
    for cell in sorted(picture.cells, key=lambda cell: (cell.last, cell.first)):
        found.setdefault(cell.last, []).append(cell)
    x, y, lowest = svg.MARGIN, svg.MARGIN, svg.MARGIN
    for end in range(min(found), max(found) + 1):
        cells, heading = found.get(end, []), _heading(picture, end)
        sizes = [_size(cell, _begins(picture, cell)) for cell in cells]
        wide = max([svg.width_of(heading, _SIZE), *(size[0] for size in sizes)]) + _PAD
        if x > svg.MARGIN and x + wide > room:
            x, y = svg.MARGIN, lowest + 2 * _LINE
        shapes.append(Text(x + 4, y + _SIZE, heading, "word", _SIZE, None, "start"))
        top = y + _LINE + 4
        shapes.append(Line(x, top, x + wide, top))
        top += 3
        for cell, (_, height) in zip(cells, sizes, strict=True):
            shapes += _entry_shapes(x + 4, top, cell, _begins(picture, cell), "start")
            top += height
        lowest = max(lowest, top)
        x += wide + 14
    return lowest


def _place_edges(picture: ChartPicture, shapes: list[Box | Text | Line]) -> float:
    """Place edges over the words between nodes; returns where the words end."""
    places = list(picture.words)
    bars = [
        (cell, one)
        for cell in picture.cells
        for one in [*((entry,) for entry in cell.entries), *([()] if cell.more else [])]
    ]
    short = [Cell(cell.first, cell.last, one, 0 if one else cell.more) for cell, one in bars]
    step = max(svg.width_of(_heading(picture, x), _SIZE) for x in places) + 20
    step = max([step, *((_size(cell)[0] + 16) / max(1, cell.length + 1) for cell in short)])
    levels = _levels([(cell.first, cell.last) for cell in short])
    y = svg.MARGIN
    base = y + len(levels) * (_LINE + 8) + _LINE
    nodes = [svg.MARGIN + k * step for k in range(len(places) + 1)]
    for level in reversed(levels):
        for k in level:
            cell = short[k]
            left = nodes[cell.first - places[0]] + 3
            right = nodes[cell.last + 1 - places[0]] - 3
            middle = right > left
            x = (left + right) / 2 if middle else right
            shapes += _entry_shapes(x, y, cell, "", "middle" if middle else "start")
            bar = y + _LINE + 2
            if right > left:
                shapes += [
                    Line(left, bar, right, bar),
                    Line(left, bar - 3, left, bar + 3),
                    Line(right, bar - 3, right, bar + 3),
                ]
        y += _LINE + 8
    for number, x in enumerate(nodes):
        shapes.append(Line(x, base - 6, x, base + 4))
        if number:
            shapes.append(Line(nodes[number - 1], base, x, base))
    for (left, right), place in zip(pairwise(nodes), places, strict=True):
        shapes.append(Text((left + right) / 2, base + _SIZE + 4, _heading(picture, place), "word"))
    return base + _SIZE + 8


# As SVG and LaTeX ------------------------------------------------------------------------------------------


def chart_svg(picture: ChartPicture, *, width: int | None = svg.WIDTH) -> str:
    """Return a chart as an SVG document; `width` as for `drawing`.

    The group of an item has its number as `data-item`, and its whole text as its title.
    """
    placed = drawing(picture, width)
    parts = [_shape_svg(shape) for shape in placed.shapes]
    return svg.document(placed.width, placed.height, placed.title, parts)


def _shape_svg(shape: Box | Text | Line) -> str:
    match shape:
        case Box(x, y, width, height, style, cell):
            colour = svg.COLOURS[_COLOUR[style]][0]
            dashes = {"new": "5 3", "antecedent": "1.5 2"}.get(style)
            faint = 0.4 if style == "frame" else None
            wide = 2.0 if style == "consequent" else 1.0
            return svg.element(
                "rect", class_=style, x=x, y=y, width=width, height=height, rx=3.0, fill="none", stroke=colour,
                stroke_width=wide, stroke_dasharray=dashes, stroke_opacity=faint,
                data_cell=None if cell is None else f"{cell[0]} {cell[1]}",
            )  # fmt: skip
        case Line(x1, y1, x2, y2):
            return svg.line(svg.along("M", x1, y1, "L", x2, y2), "note", "line", 1.0)
    kind = "entry" if shape.entry else "word" if shape.colour == "word" else "legend"
    drawn = svg.text_at(shape.x, shape.y, shape.text, shape.size, kind, shape.colour, shape.anchor)
    if shape.entry is None:
        return drawn
    title = svg.element("title", svg.escaped(shape.entry.item))
    return svg.element("g", title + drawn, class_="item", data_item=str(shape.entry.number))


def chart_tikz(picture: ChartPicture, *, width: int | None = svg.WIDTH) -> str:
    """Return a chart as a tikzpicture, no wider than the line, for the package tikz; `width` as for `drawing`."""
    placed = drawing(picture, width)
    lines = [
        r"% needs \usepackage{tikz}",
        r"\noindent\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tikzpicture}}[x={_ACROSS}pt, y=-{_DOWN}pt,"
        rf" every node/.style={{inner sep=0pt, font=\ttfamily\fontsize{{{_POINTS}}}{{8}}\selectfont\frenchspacing}}]",
    ]
    lines += [_shape_tikz(shape) for shape in placed.shapes]
    return "\n".join([*lines, r"\end{tikzpicture}}"])


_POINTS = 7  # the size of texts
_ACROSS, _DOWN = (
    0.55,
    0.6,
)  # points of a pixel: a letter of the typewriter font, 7.2 pixels wide, has at most 3.8


_TIKZ = {
    "frame": "gray!50", "final": "thick", "new": "dashed", "antecedent": "densely dotted",
    "consequent": "very thick",
}  # fmt: skip
_INK = {"note": "gray", "word": "black", "arc": "black", "root": "black", "label": "black"}


def _shape_tikz(shape: Box | Text | Line) -> str:
    number = svg.number
    match shape:
        case Box(x, y, width, height, style):
            corner = f"({number(x + width)},{number(y + height)})"
            return (
                rf"  \draw[{_TIKZ[style]}, rounded corners=1pt] ({number(x)},{number(y)}) rectangle {corner};"
            )
        case Line(x1, y1, x2, y2):
            return rf"  \draw[gray] ({number(x1)},{number(y1)}) -- ({number(x2)},{number(y2)});"
    anchor = "base west" if shape.anchor == "start" else "base"
    text = latex_cell(shape.text)
    for sign, command in {"→": r"$\to$", "•": r"$\bullet$", "…": r"\ldots{}"}.items():
        text = text.replace(sign, command)
    place = f"({number(shape.x)},{number(shape.y)})"
    return rf"  \node[anchor={anchor}, text={_INK[shape.colour]}] at {place} {{{text}}};"
