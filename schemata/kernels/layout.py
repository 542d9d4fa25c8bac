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
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Literal

from schemata.kernels.runtime import MASK_BITS
from schemata.language.bounds import Bounds
from schemata.program.facts import facts_of, window_of
from schemata.program.linear import Affine, Linear, term_text
from schemata.program.model import Column, Kind, Program
from schemata.program.plan import LocalQuery
from schemata.records import Record, dataclass, field
from schemata.thresholds import WAYS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Digit(Record):
    """A column as a digit: its value minus `low` is below `size`; `size` None means the number of symbols."""

    low: Affine
    size: Affine | None
    open: bool = False  # no window is known: items are kept in hash tables

    @property
    def low_text(self) -> str:
        """The low end in code, to be subtracted as it stands."""
        return _subtracted(self.low)

    def value(self, n: int, symbols: int) -> tuple[int, int]:
        """Return low end and size for a sentence."""
        return self.low.value({"n": n}), symbols if self.size is None else max(0, self.size.value({"n": n}))


class Chain(Record):
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
        """Return the number of an item's columns, None if they are not in order or outside."""
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
            parts.append(text if k == 1 else f"BN[({text}) * {WAYS.binomial_columns} + {k}]")
        return " + ".join(parts)


class Numbering(Record):
    """Chains, whose numbers are the digits of a place."""

    chains: tuple[Chain, ...]

    def size(self, n: int, symbols: int) -> int:
        """Return how many places there are."""
        return math.prod(chain.size(n, symbols) for chain in self.chains)

    def place(self, row: Sequence[int], n: int, symbols: int) -> int | None:
        """Return the place of an item's columns, None if they have none."""
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
    facts : conditions that all items of the kind fulfil, by column name.
    """
    waiting = list(columns)
    found: list[Chain] = []
    while waiting:
        longest = _longest(
            [c for c in waiting if digits[c].size is not None and not digits[c].open], names, facts
        )
        if len(longest) < WAYS.chain_columns:
            longest = waiting[:1]
        waiting = [c for c in waiting if c not in longest]
        found.append(_chain(longest, names, digits, facts))
    return Numbering(tuple(found))


def _longest(columns: Sequence[int], names: Sequence[str], facts: Bounds) -> list[int]:
    """Return a longest chain of columns: the facts imply that none is below the one before it."""
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

    return max((ending(c) for c in columns), key=len, default=[])[: WAYS.binomial_columns - 1]


def _gap(one: str, other: str, facts: Bounds) -> int | None:
    """Return by how much a column is at least above another, None if it may be below."""
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
def binomials(rows: int) -> list[int]:
    """Return C(u, k), rows one after the other, for u below `rows`; 2 ** 62 stands for larger values."""
    most = 1 << 62
    return [min(math.comb(u, k), most) for u in range(rows) for k in range(WAYS.binomial_columns)]


class KeyedLists(Record):
    """The items of a kind that pass the guards, in lists by the values of the key columns.

    Attributes
    ----------
    kind, key : the kind and its key columns.
    guards : texts over ``{0}``, ``{1}`` ... for the columns.
    ranged : a column by whose value the items under one key are divided into lists, so that those of a range
        are found without the others; None if a key has one list.
    queries : the queries about an item's columns when it is filed. Their results are numbered after the columns, and
        keys may use them, as where rules are found by the symbol after the dot.
    """

    kind: int
    key: tuple[int, ...]
    guards: tuple[str, ...]
    ranged: int | None = None
    queries: tuple[LocalQuery, ...] = ()

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns whose values select a list."""
        return self.key if self.ranged is None else tuple(sorted((*self.key, self.ranged)))


class Layout(Record, slots=False):
    """The digits of every kind's columns, and the bounds that hold for all its items."""

    program: Program
    digits: tuple[tuple[Digit, ...], ...]
    facts: tuple[Bounds, ...]
    _numberings: dict[tuple[int, tuple[int, ...]], Numbering] = field(default_factory=dict, compare=False)

    @cached_property
    def bounded(self) -> bool:
        """Whether every column has a window, so that dense tables are possible."""
        return self.program.is_linear and not any(digit.open for row in self.digits for digit in row)

    @property
    def width(self) -> int:
        """The most columns of a kind, at least 1."""
        return max((len(kind.columns) for kind in self.program.kinds), default=0) or 1

    @property
    def leaf_places(self) -> tuple[int, int]:
        """The sizes of the record of a predicting instance: with the ends of links, and with its antecedents, too.

        A record begins with the number of the step (see `calls.leaf_text`). The sizes are 0 if no step predicts.
        """
        cases = [case for case in self.program.schema.cases if case.predicts]
        ends = max((case.stride - len(case.antecedents) for case in cases), default=0)
        return ends, ends + max((len(case.antecedents) for case in cases), default=0)

    @cached_property
    def log_width(self) -> int:
        """How many numbers a row of the log has: the case, the consequent, antecedents, and the ends of links."""
        return 1 + max((case.stride for case in self.program.schema.cases), default=0)

    def numbering(self, kind: int, columns: Sequence[int] | None = None) -> Numbering:
        """Return how items of a kind are numbered, by all columns or by those given."""
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
        """Return the number of rows of binomial coefficients that the numberings made so far need, at least 1."""
        chains = (chain for numbering in self._numberings.values() for chain in numbering.chains)
        return max((chain.values(n, symbols) for chain in chains if len(chain.columns) > 1), default=1) or 1


class Quantity(Record):
    """A number that depends on the sentence.

    "items" : where a kind's part of the item table begins.
    "lists" : where an index's lists begin.
    "masks" : where an index's masks begin.
    "size" : how many numbers a chain has.
    "values" : how many values a ranged column has.
    "words" : how many masks its values take.
    """

    what: Literal["items", "lists", "masks", "size", "values", "words"]
    of: int | KeyedLists | Chain


@dataclass(slots=True)
class Quantities:
    """The quantities that a kernel asks for, by number, and the indexes whose lists and masks they place."""

    layout: Layout
    indexes: list[KeyedLists] = field(default_factory=list)
    numbers: dict[Quantity, int] = field(default_factory=dict)

    def text(self, quantity: Quantity) -> str:
        """Return a quantity in code."""
        return f"PL[{self.numbers.setdefault(quantity, len(self.numbers))}]"


def layout_of(program: Program) -> Layout:
    """Return the layout of a program."""
    digits = tuple(tuple(_digit(kind, column) for column in kind.columns) for kind in program.kinds)
    facts = tuple(
        facts_of(test for test in kind.conditions if isinstance(test, Linear)) for kind in program.kinds
    )
    return Layout(program, digits, facts)


def _digit(kind: Kind, column: Column) -> Digit:
    if column.sort == "symbol":
        return Digit(Affine(0), None)
    low, high = window_of(kind, column.name)
    if low is not None and high is not None:
        return Digit(low, high - low + 1)
    return Digit(Affine(0), Affine(0), open=True)


class Measures:
    """The sizes of the tables of a kernel for sentences of one length.

    Parameters
    ----------
    quantities : the quantities that the kernel asks for.
    n, symbols : the number of words, and that of symbols.

    Attributes
    ----------
    items, joins, masks : places of items, join lists and masks in dense tables.
    bases : where each kind's part of the item table begins.
    lists, arrays : the quantities by number, and the table of binomial coefficients, by their names in kernel text.
    """

    def __init__(self, quantities: Quantities, n: int, symbols: int) -> None:
        layout = quantities.layout
        kinds, indexes = (layout.program.kinds, quantities.indexes) if layout.bounded else ((), ())
        sizes = (layout.numbering(kind.number).size(n, symbols) for kind in kinds)
        self.bases = list(accumulate(sizes, initial=0))
        self.items, self.joins, self.masks = self.bases[-1], 0, 0
        tables: dict[str, Any] = {"items": self.bases, "lists": {}, "masks": {}, "values": {}, "words": {}}
        for index in indexes:
            keys = layout.numbering(index.kind, index.key).size(n, symbols)
            values, words = 1, 0
            if index.ranged is not None:
                values = layout.digits[index.kind][index.ranged].value(n, symbols)[1]
                words = -(-values // MASK_BITS)
            numbers = {"lists": self.joins, "masks": self.masks, "values": values, "words": words}
            for what, number in numbers.items():
                tables[what][index] = number
            self.joins += keys * values
            self.masks += keys * words
        row = (
            one.of.size(n, symbols) if isinstance(one.of, Chain) else tables[one.what][one.of]
            for one in quantities.numbers
        )
        self.lists: Mapping[str, list[int]] = {
            "PL": [min(value, WAYS.packed_keys) for value in (*row, 0)],
            "BN": binomials(-(-layout.rows(n, symbols) // WAYS.binomial_rows) * WAYS.binomial_rows),
        }

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[np.int64]]:
        """`lists` as arrays."""
        import numpy as np

        return {name: np.array(numbers) for name, numbers in self.lists.items()}

    @property
    def bytes(self) -> int:
        """Bytes of dense tables."""
        return 4 * self.items + 8 * self.joins + 8 * self.masks
