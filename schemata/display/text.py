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


def padded(text: str, width: int, right: bool = False) -> str:
    """Return printable text filled up with blanks, at the right of its column or at the left."""
    blanks = " " * (width - text_width(text))
    return blanks + text if right else text + blanks


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], page: Page) -> str:
    """Return a table with a rule below its headers; the headers of columns aligned at the right begin with >.

    >>> print(table(["schema", ">items"], [["mh", "> 15"]], Page(ascii=True)))
    schema  items
    ------  -----
    mh       > 15
    """
    names = [header.removeprefix(">") for header in headers]
    lines = [[printable(cell) for cell in cells] for cells in (names, *rows)]
    right = [header.startswith(">") for header in headers]
    widths = [max(map(text_width, column)) for column in zip(*lines, strict=True)]
    header, *rest = (_GAP.join(map(padded, cells, widths, right)).rstrip() for cells in lines)
    rule = _GAP.join(("-" if page.ascii else "─") * width for width in widths)
    return "\n".join([f"{_BOLD}{header}{_PLAIN}" if page.colour else header, rule, *rest])


def fits(table: str, width: int) -> bool:
    """Return whether a table is no wider than there is room."""
    return text_width(table.split("\n")[1]) <= width


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; the headers of columns aligned at the right begin with >.

    >>> print(markdown_table(["schema", ">items"], [["mh", "a|b"]]))
    | schema | items |
    |---|---:|
    | mh | a\\|b |
    """
    rule = "|".join("---:" if header.startswith(">") else "---" for header in headers)
    names = [header.removeprefix(">") for header in headers]
    return "\n".join([_markdown_row(names), f"|{rule}|", *map(_markdown_row, rows)])


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return "".join(["|", *(f" {cell} |" if cell else " |" for cell in escaped)])
