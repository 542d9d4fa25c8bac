"""Tables of figures whose columns are aligned as told, not as guessed from what stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.display.columns import printable, text_width

__all__ = ["Column", "Style", "aligned_table", "fits"]

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_GAP = "  "


@dataclass(frozen=True, slots=True)
class Style:
    """Whether to keep to ASCII, and whether to use colours."""

    ascii: bool = False
    colour: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its header, its cells, and whether they stand at its right."""

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


def aligned_table(columns: Sequence[Column], style: Style) -> str:
    """Return a table with a rule below its headers.

    >>> columns = [Column("schema", ["mh"]), Column("items", ["> 15"], right=True)]
    >>> print(aligned_table(columns, Style(ascii=True)))
    schema  items
    ------  -----
    mh       > 15
    """
    header = _GAP.join(column.padded(column.name) for column in columns).rstrip()
    rule = _GAP.join(("-" if style.ascii else "─") * column.width for column in columns)
    lines = [f"{_BOLD}{header}{_PLAIN}" if style.colour else header, rule]
    for cells in zip(*(column.cells for column in columns), strict=True):
        lines.append(_GAP.join(c.padded(text) for c, text in zip(columns, cells, strict=True)).rstrip())
    return "\n".join(lines)
