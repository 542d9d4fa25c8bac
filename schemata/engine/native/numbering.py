"""Column values as one number: the place of an item in a table, the number of a list.

Columns that a form's conditions put in order, such as ``i < l <= r < j``, are numbered together: of n words
there are far fewer increasing sequences than sequences, and tables that hold no others stay in the
processor's caches. With the shifts that make it strictly increasing from 0, a sequence u_1 < u_2 < ... < u_m
has the number C(u_1, 1) + C(u_2, 2) + ... + C(u_m, m), which counts those before it (the combinatorial number
system; Knuth, The Art of Computer Programming 4A, section 7.2.1.3). A column that stands alone is its value
less the lowest one. The numbers of all such chains are digits of the place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from schemata.engine.native.terms import term_text
from schemata.language.bounds import Bounds
from schemata.program.linear import Affine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ROW", "Chain", "Digit", "Numbering", "binomials", "chains_of"]

ROW = 8  # entries of a row of the table of binomial coefficients: C(u, 0) to C(u, 7)

_SHORTEST = (
    3  # columns of a chain: of two, half the places are saved, which a look at the table does not pay for
)


@dataclass(frozen=True, slots=True)
class Digit:
    """A column as a digit: its value minus `low` is below `size`; `size` None means the number of symbols."""

    low: Affine
    size: Affine | None
    open: bool = False  # no window is known: values outside stop the run

    @property
    def low_text(self) -> str:
        """The low end in code, to be subtracted as it stands."""
        return _subtracted(self.low)

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
class Chain:
    """Columns that are numbered together.

    Attributes
    ----------
    columns : columns of the kind; one, or several whose values stand in order.
    shifts : less its shift, a column's value is at least 0 and above that of the column before.
    count : how many values the last one has then, from 0 on; None for the number of symbols.
    """

    columns: tuple[int, ...]
    shifts: tuple[Affine, ...]
    count: Affine | None

    def values(self, n: int, symbols: int) -> int:
        """Return how many values the last column has, from 0 on."""
        return symbols if self.count is None else max(0, self.count.value({"n": n}))

    def size(self, n: int, symbols: int) -> int:
        """Return how many numbers the chain has."""
        return math.comb(self.values(n, symbols), len(self.columns))

    def number(self, row: Sequence[int], n: int, symbols: int) -> int | None:
        """Return the number of an item's columns, None where they are not in order or outside."""
        shifted = [row[c] - shift.value({"n": n}) for c, shift in zip(self.columns, self.shifts, strict=True)]
        if any(b <= a for a, b in zip([-1, *shifted], [*shifted, self.values(n, symbols)], strict=True)):
            return None
        return sum(math.comb(u, k) for k, u in enumerate(shifted, start=1))

    def rises(self, row: Sequence[Affine]) -> list[Affine]:
        """Return the terms that must not be below 0 for columns to be in order."""
        shifted = [row[c] - shift for c, shift in zip(self.columns, self.shifts, strict=True)]
        return [b - a - 1 for a, b in pairwise(shifted)]

    def text(self, values: Mapping[int, str]) -> str:
        """Return the number in code, the values of columns given."""
        parts = []
        for k, (c, shift) in enumerate(zip(self.columns, self.shifts, strict=True), start=1):
            text = values[c] if not shift.terms and not shift.constant else _less(values[c], shift)
            parts.append(text if k == 1 else f"BN[({text}) * {ROW} + {k}]")
        return " + ".join(parts)


@dataclass(frozen=True, slots=True)
class Numbering:
    """Chains, whose numbers are the digits of a place."""

    chains: tuple[Chain, ...]

    def size(self, n: int, symbols: int) -> int:
        """Return how many places there are."""
        return math.prod(chain.size(n, symbols) for chain in self.chains)

    def place(self, row: Sequence[int], n: int, symbols: int) -> int | None:
        """Return the place of an item's columns, None where they have none."""
        total = 0
        for chain in self.chains:
            number = chain.number(row, n, symbols)
            if number is None:
                return None
            total = total * chain.size(n, symbols) + number
        return total


def _less(value: str, shift: Affine) -> str:
    if not shift.terms:
        return f"{value} - {shift.constant}" if shift.constant > 0 else f"{value} + {-shift.constant}"
    return f"{value} - {_subtracted(shift)}"


def _subtracted(term: Affine) -> str:
    text = term_text(term, {})
    return f"({text})" if term.terms else text


def chains_of(
    columns: Sequence[int], names: Sequence[str], digits: Sequence[Digit], facts: Bounds
) -> Numbering:
    """Return how some columns of a kind are numbered.

    Parameters
    ----------
    columns : the columns.
    names, digits : of all columns of the kind.
    facts : what holds for all items of the kind, by column name.
    """
    waiting = list(columns)
    found: list[Chain] = []
    while waiting:
        longest = _longest(
            [c for c in waiting if digits[c].size is not None and not digits[c].open], names, facts
        )
        if len(longest) < _SHORTEST:
            longest = waiting[:1]
        waiting = [c for c in waiting if c not in longest]
        found.append(_chain(longest, names, digits, facts))
    return Numbering(tuple(found))


def _longest(columns: Sequence[int], names: Sequence[str], facts: Bounds) -> list[int]:
    """Return a longest sequence of columns each of which is known to be not below the one before."""
    best: dict[int, list[int]] = {}

    def ending(c: int) -> list[int]:
        if c not in best:
            before = [ending(b) for b in columns if _below(b, c)]
            best[c] = [*max(before, key=len, default=[]), c]
        return best[c]

    def _below(b: int, c: int) -> bool:
        if b == c or _gap(names[b], names[c], facts) is None:
            return False
        return b < c or _gap(names[c], names[b], facts) is None  # equal columns: by number

    return max((ending(c) for c in columns), key=len, default=[])[: ROW - 1]


def _gap(one: str, other: str, facts: Bounds) -> int | None:
    """Return by how much a column is at least above another, None where it may be below."""
    most = facts.distance(one, other)
    return -most if most is not None and most <= 0 else None


def _chain(columns: Sequence[int], names: Sequence[str], digits: Sequence[Digit], facts: Bounds) -> Chain:
    first, last = digits[columns[0]], digits[columns[-1]]
    shifts = [first.low]
    for b, c in pairwise(columns):
        gap = _gap(names[b], names[c], facts)
        assert gap is not None
        shifts.append(shifts[-1] + (gap - 1))
    if last.size is None:
        return Chain(tuple(columns), tuple(shifts), None)
    return Chain(tuple(columns), tuple(shifts), last.low + last.size - shifts[-1])


@lru_cache(maxsize=4)
def binomials(rows: int) -> NDArray[np.int64]:
    """Return C(u, k) at ``u * ROW + k``, for u below `rows`; what does not fit is 2 ** 62."""
    import numpy as np

    most = 1 << 62
    return np.array([min(math.comb(u, k), most) for u in range(rows) for k in range(ROW)], np.int64)
