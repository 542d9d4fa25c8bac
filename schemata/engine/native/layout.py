"""How a program's items and join lists are laid out in tables: the size of every column, the place of every key.

In *dense* storage an item's columns are the digits of its place in one table; in *hashed* storage the same
number, packed into 60 bits, is the key of a hash table. Sizes depend on n and on the number of symbols, so
they are computed anew for every sentence: here for the driver, and by the same formulas in the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.engine.lowering.model import Affine, Program, constant, variable
from schemata.engine.native.terms import term_text
from schemata.engine.native.windows import Window, windows_of

__all__ = ["PACKED", "Digit", "Index", "Layout", "layout_of", "place", "span"]

PACKED = 1 << 60  # keys are below


@dataclass(frozen=True, slots=True)
class Digit:
    """A column as a digit: its value minus `low` is below `size`; `size` None means the number of symbols."""

    low: Affine
    size: Affine | None
    open: bool = False  # no window is known: values outside stop the run

    @property
    def low_text(self) -> str:
        """The low end in code, to be subtracted as it stands."""
        text = term_text(self.low, {})
        return f"({text})" if self.low.terms else text

    @property
    def size_text(self) -> str:
        """The size in code."""
        if self.size is None:
            return "symbols"
        text = term_text(self.size, {})
        return f"({text})" if self.size.value({"n": 1}) >= 0 else f"max(0, {text})"

    def value(self, n: int, symbols: int) -> tuple[int, int]:
        """Return low end and size for a sentence."""
        return self.low.value({"n": n}), symbols if self.size is None else max(0, self.size.value({"n": n}))


@dataclass(frozen=True, slots=True)
class Index:
    """The items of a kind that pass the guards, in lists by the values of the key columns.

    `guards` are texts over ``{0}``, ``{1}`` ... for the columns.
    """

    kind: int
    key: tuple[int, ...]
    guards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The digits of every kind's columns."""

    program: Program
    windows: tuple[tuple[Window, ...], ...]
    digits: tuple[tuple[Digit, ...], ...]

    @property
    def bounded(self) -> bool:
        """Whether every column has a window, so that dense tables are possible."""
        return not any(digit.open for row in self.digits for digit in row)

    @property
    def width(self) -> int:
        """The most columns of a kind, at least 1."""
        return max((len(kind.columns) for kind in self.program.kinds), default=0) or 1


def layout_of(program: Program) -> Layout:
    """Return the layout of a program."""
    windows = tuple(windows_of(kind) for kind in program.kinds)
    digits = tuple(
        tuple(
            _digit(column.sort, window, len(kind.columns))
            for column, window in zip(kind.columns, row, strict=True)
        )
        for kind, row in zip(program.kinds, windows, strict=True)
    )
    return Layout(program, windows, digits)


def _digit(sort: str, window: Window, columns: int) -> Digit:
    if sort == "symbol":
        return Digit(constant(0), None)
    if window.low is not None and window.high is not None:
        return Digit(window.low, window.high - window.low + 1)
    bits = min(26, 48 // max(1, columns))
    size = 1 << bits
    if window.low is not None:
        return Digit(window.low, constant(size), open=True)
    if window.high is not None:
        return Digit(window.high - (size - 1), constant(size), open=True)
    return Digit(constant(-size // 2), variable("n") + size, open=True)


def span(digits: Sequence[Digit], n: int, symbols: int) -> int:
    """Return how many keys these digits can write."""
    total = 1
    for digit in digits:
        total *= digit.value(n, symbols)[1]
    return total


def place(digits: Sequence[Digit], values: Sequence[int], n: int, symbols: int) -> int | None:
    """Return the place of column values, or None where one is outside of its window."""
    total = 0
    for digit, value in zip(digits, values, strict=True):
        low, size = digit.value(n, symbols)
        if not 0 <= value - low < size:
            return None
        total = total * size + value - low
    return total
