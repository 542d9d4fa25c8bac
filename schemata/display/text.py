"""Text as terminals take it: how wide it is, lines of a width, tables with aligned columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemata.errors import printable


def text_width(text: str) -> int:
    """Return the number of terminal columns of printable text.

    >>> text_width("猫 e\u0301")
    4
    """
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(0, wcswidth(text))


def clusters(text: str) -> list[tuple[str, int]]:
    """Return the text in pieces that cannot be cut, each with its columns; marks stay with their letter.

    >>> clusters("e\u0301猫")
    [('e\u0301', 1), ('猫', 2)]
    """
    pieces: list[tuple[str, int]] = []
    start, columns = 0, 0
    for end in range(1, len(text) + 1):
        grown = text_width(text[start:end])
        if grown > columns and columns:
            pieces.append((text[start : end - 1], columns))
            start = end - 1
            grown = text_width(text[start:end])
        columns = grown
    return [*pieces, (text[start:], columns)] if text else []


def wrapped(text: str, width: int, indent: int = 0, hanging: int = 0, keep: str = "") -> list[str]:
    """Return text as lines, broken at blanks only, but not at those in `keep`.

    All lines are indented, all but the first by `hanging` more.

    >>> wrapped("one two three", 10, indent=2, hanging=1)
    ['  one two', '   three']
    >>> wrapped("i = 0, j = 1", 8, keep=" = ")
    ['i = 0,', 'j = 1']
    """
    margin = " " * indent
    lines = textwrap.wrap(
        text.replace(keep, keep.replace(" ", "\xa0")) if keep else text,
        width,
        initial_indent=margin,
        subsequent_indent=margin + " " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\xa0", " ") for line in lines] if keep else lines


# Tables ----------------------------------------------------------------------------------------------------

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_GAP = "  "


@dataclass(frozen=True, slots=True)
class Page:
    """The page that text is written on: its columns, and whether to keep to ASCII and to use colours."""

    width: int = 80
    ascii: bool = False
    colour: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its header, its cells, and whether they stand at its right."""

    name: str
    cells: Sequence[str]
    right: bool = False

    @property
    def width(self) -> int:
        """The columns of the terminal that it takes."""
        return max(text_width(printable(text)) for text in (self.name, *self.cells))

    def padded(self, text: str) -> str:
        """Return a text filled up to the column's width."""
        shown = printable(text)
        blanks = " " * (self.width - text_width(shown))
        return blanks + shown if self.right else shown + blanks


def fits(columns: Sequence[Column], width: int) -> bool:
    """Return whether a table is no wider than there is room."""
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1) <= width


def table(columns: Sequence[Column], page: Page) -> str:
    """Return a table with a rule below its headers.

    >>> columns = [Column("schema", ["mh"]), Column("items", ["> 15"], right=True)]
    >>> print(table(columns, Page(ascii=True)))
    schema  items
    ------  -----
    mh       > 15
    """
    header = _GAP.join(column.padded(column.name) for column in columns).rstrip()
    rule = _GAP.join(("-" if page.ascii else "─") * column.width for column in columns)
    lines = [f"{_BOLD}{header}{_PLAIN}" if page.colour else header, rule]
    for cells in zip(*(column.cells for column in columns), strict=True):
        lines.append(_GAP.join(c.padded(text) for c, text in zip(columns, cells, strict=True)).rstrip())
    return "\n".join(lines)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; the headers of columns aligned at the right begin with >.

    >>> print(markdown_table(["schema", ">items"], [["mh", "a|b"]]))
    | schema | items |
    |---|---:|
    | mh | a\\|b |
    """
    rule = "|".join("---:" if header.startswith(">") else "---" for header in columns)
    names = [header.removeprefix(">") for header in columns]
    return "\n".join([_markdown_row(names), f"|{rule}|", *map(_markdown_row, rows)])


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return "".join(["|", *(f" {cell} |" if cell else " |" for cell in escaped)])
