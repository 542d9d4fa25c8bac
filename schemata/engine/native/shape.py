"""What all code of an agenda kernel shares: its layout and storage, its indexes, and the places of things as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemata.engine.native.layout import Index, Layout, Quantities, Quantity
from schemata.engine.native.numbering import Numbering
from schemata.program.duplicates import How

__all__ = ["Entry", "Instance", "Shape"]

_COLUMNS = 4  # of a key; lists by more have few entries, and each costs every item an entry
_CARRIED = 2  # columns that an entry of a list carries; more are looked up


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in the lists of an index: items with some columns, items alone, or the numbers of writings.

    Attributes
    ----------
    record : whether it is the number of a writing, of which items may have several.
    carried : the columns that stand beside an item.
    """

    record: bool
    carried: tuple[int, ...]

    @property
    def width(self) -> int:
        """Numbers in an entry."""
        return 1 + len(self.carried)

    def column(self, column: int, place: str, entry: str, width: int) -> str:
        """Return a column in code: of the entry that stands at a place, of kinds of so many columns at most."""
        if self.record:
            return f"WR[{entry} * {1 + width} + {1 + column}]"
        if column in self.carried:
            return f"A[{place} + {1 + self.carried.index(column)}]"
        return f"F[{entry} * {width} + {column}]"


@dataclass(frozen=True, slots=True)
class Instance:
    """How instances of a rule are treated.

    Attributes
    ----------
    kind : the kind of the consequent as it is written.
    antecedents : how many there are.
    repeated : those that the consequent may be.
    how : when the instance must be compared with those met in the turn.
    """

    kind: int
    antecedents: int
    repeated: tuple[int, ...]
    how: How

    @property
    def name(self) -> str:
        """The name of its function."""
        which = "".join(str(k) for k in self.repeated)
        return f"instance_{self.kind}_{self.antecedents}_{which}_{self.how}"


@dataclass(slots=True)
class Shape:
    """A kernel's layout, storage and purpose, and the indexes met so far with the columns that are read there."""

    layout: Layout
    hashed: bool
    rows: bool  # write step instances instead of deriving items
    calls: bool = False  # rules call functions for their instances
    tables: str = ""  # the parameters of functions that are tables
    indexes: dict[Index, set[int]] = field(default_factory=dict)
    instances: dict[Instance, None] = field(default_factory=dict)
    quantities: Quantities = field(init=False)
    _contained: dict[Index, Index] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.quantities = Quantities(self.layout)

    def index(self, wanted: Index, payload: Sequence[int]) -> Index:
        """Return the index that has the lists of a wanted one; note the columns that are read of its entries."""
        found = self._contained.get(wanted, wanted)
        self.indexes.setdefault(found, set()).update(payload)
        return found

    def entry(self, index: Index) -> Entry:
        """Return what stands in an index's lists."""
        if self.layout.program.kinds[index.kind].form in self.layout.program.equations:
            return Entry(True, ())
        read = tuple(sorted(self.indexes[index]))
        return Entry(False, read if len(read) <= _CARRIED else ())

    def item_at(self, key: str) -> str:
        """Return the look at the item table in code."""
        return f"TAB[slot_of(HK, st[TABLE_SLOTS], {key})]" if self.hashed else f"TAB[{key}]"

    def settle(self) -> None:
        """Give up indexes whose lists are those of a ranged one, and place the rest; no more are met after that."""
        for ranged in [index for index in self.indexes if index.ranged is not None]:
            plain = Index(ranged.kind, ranged.columns, ranged.guards)
            if plain in self.indexes:
                self._give_up(plain, ranged)
        for plain in [index for index in self.indexes if index.ranged is None and len(index.key) > _COLUMNS]:
            coarser = [other for other in self.indexes if _is_coarser(other, plain)]
            if coarser:
                self._give_up(plain, max(coarser, key=lambda other: len(other.columns)))
        self.quantities = Quantities(self.layout, list(self.indexes))

    def _give_up(self, index: Index, other: Index) -> None:
        """Look up in another index what one was for."""
        missing = set(index.key) - set(other.columns)
        self.indexes[other] |= self.indexes.pop(index) | missing
        self._contained[index] = other

    def quantity(self, what: Quantity) -> str:
        """Return a quantity in code."""
        return self.quantities.text(what)

    def item_place(self, kind: int, values: Sequence[str]) -> str:
        """Return an item's place in the item table, or its key."""
        place = self.place(self.layout.numbering(kind), dict(enumerate(values)))
        return f"{self.quantity(Quantity('items', kind))} + {place}"

    def list_number(self, index: Index, values: Mapping[int, str]) -> str:
        """Return the number of a list, or its key, the values of all its columns given."""
        place = self.place(self.layout.numbering(index.kind, index.key), values)
        if index.ranged is not None:
            value = self.ranged_value(index, values[index.ranged])
            place = f"({place}) * {self.quantity(Quantity('values', index))} + {value}"
        return f"{self.quantity(Quantity('lists', index))} + {place}"

    def ranged_value(self, index: Index, value: str) -> str:
        """Return a value of a ranged column as a number from 0 on."""
        assert index.ranged is not None
        low = self.layout.digits[index.kind][index.ranged].low_text
        return value if low == "0" else f"({value} - {low})"

    def place(self, numbering: Numbering, values: Mapping[int, str]) -> str:
        """Return a place, the values of columns given."""
        text = "0"
        for chain in numbering.chains:
            number = f"({chain.text(values)})"
            text = (
                number if text == "0" else f"({text} * {self.quantity(Quantity('size', chain))} + {number})"
            )
        return text


def _is_coarser(one: Index, other: Index) -> bool:
    """Whether the lists of an index, few enough, are those of another one put together."""
    return (
        (one.kind, one.guards) == (other.kind, other.guards)
        and len(one.columns) == _COLUMNS
        and set(one.columns) < set(other.key)
    )
