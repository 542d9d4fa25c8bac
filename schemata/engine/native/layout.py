"""How a program's items and join lists are laid out in tables: the place of every item, the number of every list.

In *dense* storage an item has a place in one table (`numbering`), and a list one in another. In *hashed* storage
the same number, packed into 60 bits, is the key of a hash table. Sizes depend on n and on the number of symbols.
The driver computes them for every sentence, and kernels find them in an array of `Quantity` values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from schemata.engine.native.numbering import Chain, Digit, Numbering, chains_of
from schemata.language.bounds import Bounds
from schemata.program.facts import Window, facts_of, windows_of
from schemata.program.linear import Linear, constant, variable
from schemata.program.model import Program

__all__ = ["PACKED", "SHIFT", "WORD", "Index", "Layout", "Quantities", "Quantity", "layout_of"]

PACKED = 1 << 60  # keys are below
SHIFT = 5
WORD = 1 << SHIFT  # values of a ranged column that share an entry of the table of masks


@dataclass(frozen=True, slots=True)
class Index:
    """The items of a kind that pass the guards, in lists by the values of the key columns.

    Attributes
    ----------
    kind, key : the kind and its key columns.
    guards : texts over ``{0}``, ``{1}`` ... for the columns.
    ranged : a column by whose value the items under one key are divided into lists, so that those of a range
        are found without the others; None where a key has one list.
    """

    kind: int
    key: tuple[int, ...]
    guards: tuple[str, ...]
    ranged: int | None = None

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns by which lists are told apart."""
        return self.key if self.ranged is None else tuple(sorted((*self.key, self.ranged)))


@dataclass(frozen=True, slots=True)
class Layout:
    """The digits of every kind's columns, and what is known of all its items."""

    program: Program
    windows: tuple[tuple[Window, ...], ...]
    digits: tuple[tuple[Digit, ...], ...]
    facts: tuple[Bounds, ...]
    _numberings: dict[tuple[int, tuple[int, ...]], Numbering] = field(default_factory=dict, compare=False)

    @property
    def bounded(self) -> bool:
        """Whether every column has a window, so that dense tables are possible."""
        return not any(digit.open for row in self.digits for digit in row)

    @property
    def width(self) -> int:
        """The most columns of a kind, at least 1."""
        return max((len(kind.columns) for kind in self.program.kinds), default=0) or 1

    def numbering(self, kind: int, columns: Sequence[int] | None = None) -> Numbering:
        """Return how items of a kind are numbered, by all columns or by these."""
        names = [column.name for column in self.program.kinds[kind].columns]
        chosen = tuple(range(len(names)) if columns is None else columns)
        found = self._numberings.get((kind, chosen))
        if found is None:
            found = chains_of(chosen, names, self.digits[kind], self.facts[kind])
            self._numberings[kind, chosen] = found
        return found

    def places(self, n: int, symbols: int) -> int:
        """Return how many places items have."""
        return sum(self.numbering(kind.number).size(n, symbols) for kind in self.program.kinds)

    def rows(self, n: int, symbols: int) -> int:
        """Return how many rows of binomial coefficients the numberings asked for until now need, at least 1."""
        chains = (chain for numbering in self._numberings.values() for chain in numbering.chains)
        return max((chain.values(n, symbols) for chain in chains if len(chain.columns) > 1), default=1) or 1


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that depends on the sentence.

    "items" : where a kind's part of the item table begins.
    "lists" : where an index's lists begin.
    "masks" : where an index's masks begin.
    "size" : how many numbers a chain has.
    "values" : how many values a ranged column has.
    "words" : how many masks its values take.
    """

    what: Literal["items", "lists", "masks", "size", "values", "words"]
    of: int | Index | Chain


@dataclass(slots=True)
class Quantities:
    """The quantities that a kernel asks for, by number, and the indexes whose lists and masks they place."""

    layout: Layout
    indexes: list[Index] = field(default_factory=list)
    numbers: dict[Quantity, int] = field(default_factory=dict)

    def text(self, quantity: Quantity) -> str:
        """Return a quantity in code."""
        return f"PL[{self.numbers.setdefault(quantity, len(self.numbers))}]"

    def values(self, n: int, symbols: int) -> list[int]:
        """Return all quantities for a sentence, by number."""
        items: list[int] = []
        total = 0
        for kind in self.layout.program.kinds:
            items.append(total)
            total += self.layout.numbering(kind.number).size(n, symbols)
        lists: dict[Index, tuple[int, int]] = {}
        first = mask = 0
        for index in self.indexes:
            lists[index] = first, mask
            more, masks = self.sizes(index, n, symbols)
            first += more
            mask += masks
        found: list[int] = []
        for quantity in self.numbers:
            match quantity.what, quantity.of:
                case "items", int() as kind_number:
                    found.append(items[kind_number])
                case "lists", Index() as index:
                    found.append(lists[index][0])
                case "masks", Index() as index:
                    found.append(lists[index][1])
                case "size", Chain() as chain:
                    found.append(chain.size(n, symbols))
                case what, Index() as index:
                    values = self._values(index, n, symbols)
                    found.append(values if what == "values" else -(-values // WORD))
                case _:
                    raise AssertionError(quantity)
        return found

    def sizes(self, index: Index, n: int, symbols: int) -> tuple[int, int]:
        """Return how many lists and how many masks an index has."""
        keys = self.layout.numbering(index.kind, index.key).size(n, symbols)
        if index.ranged is None:
            return keys, 0
        values = self._values(index, n, symbols)
        return keys * values, keys * -(-values // WORD)

    def _values(self, index: Index, n: int, symbols: int) -> int:
        assert index.ranged is not None
        return self.layout.digits[index.kind][index.ranged].value(n, symbols)[1]


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
    facts = tuple(
        facts_of(test for test in kind.conditions if isinstance(test, Linear)) for kind in program.kinds
    )
    return Layout(program, windows, digits, facts)


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
