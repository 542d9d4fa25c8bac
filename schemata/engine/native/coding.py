"""Items as values and as kinds with columns, in both directions, one at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemata.language import model as m
from schemata.program.model import ColumnShape, Fixed, Kind, Parts, Program, Shape

__all__ = ["Coding"]

Mould = tuple[object, ...]


@dataclass(slots=True)
class Coding:
    """The kinds of a program by the look of values, and the symbols of a sentence by number."""

    program: Program
    symbols: Sequence[str]
    _kinds: dict[tuple[int, Mould], int] = field(default_factory=dict)
    _numbers: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers = {symbol: k for k, symbol in enumerate(self.symbols)}
        for kind in self.program.kinds:
            self._kinds[kind.form, tuple(_mould(kind, shape) for shape in kind.shapes)] = kind.number

    def encode(self, form: int, values: tuple[m.Value, ...]) -> tuple[int, tuple[int, ...]] | None:
        """Return an item's kind and columns; None where no item of the program looks so."""
        columns: list[int] = []
        found: list[object] = []
        for value in values:
            mould = self._take(value, columns)
            if mould is None:
                return None
            found.append(mould[0])
        number = self._kinds.get((form, tuple(found)))
        return None if number is None else (number, tuple(columns))

    def _take(self, value: object, columns: list[int]) -> tuple[object] | None:
        match value:
            case bool() | None:
                return (value,)
            case int():
                columns.append(value)
                return ("position",)
            case str():
                number = self._numbers.get(value)
                if number is None:
                    return None
                columns.append(number)
                return ("symbol",)
            case tuple():
                parts = [self._take(part, columns) for part in value]
                return None if None in parts else (tuple(p[0] for p in parts if p is not None),)
        return None

    def decode(self, kind: int, columns: Sequence[int]) -> tuple[m.Value, ...]:
        """Return an item's values."""
        return self.program.kinds[kind].values(tuple(columns), tuple(self.symbols))


def _mould(kind: Kind, shape: Shape) -> object:
    match shape:
        case Fixed(value):
            return value
        case ColumnShape(k):
            return kind.columns[k].sort
        case Parts(parts):
            return tuple(_mould(kind, part) for part in parts)
