"""Types and values: what stands in a field or a variable of a checked schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = [
    "DOTTED_LABELS",
    "FLAG",
    "HEAD_WORD",
    "INTERVALS",
    "LABEL",
    "LABELS",
    "POSITION",
    "ROOT",
    "SYMBOL",
    "SYMBOLS",
    "Kind",
    "Type",
    "Value",
]

Value: TypeAlias = "int | bool | str | tuple[Value, ...] | None"
Kind: TypeAlias = Literal[
    "position", "flag", "symbol", "list", "tuple", "optional", "dotted", "label", "labels", "dotted labels"
]


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a field or variable; `arguments` are the element types of lists, tuples and optionals.

    A dotted rule with d dots is a tuple of its category and d + 1 lists of symbols; `dots` is d. A list of
    `intervals` is a list of pairs (l, r), from left to right, with at least one position between any two.
    The values of `label`, `labels` and `dotted labels` are texts (`schemata.language.labels`).
    """

    kind: Kind
    arguments: tuple[Type, ...] = ()
    dots: int = 0
    intervals: bool = False

    @property
    def may_be_absent(self) -> bool:
        """Whether a value of the type, or a part of one, may be absent."""
        return self.kind == "optional" or any(a.may_be_absent for a in self.arguments)

    @property
    def parts(self) -> tuple[Type, ...]:
        """The types of the parts of a tuple, which may be absent, or of a dotted rule."""
        match self.kind:
            case "optional":
                return self.arguments[0].parts
            case "dotted":
                return SYMBOL, *([SYMBOLS] * (self.dots + 1))
        return self.arguments

    def __str__(self) -> str:
        match self.kind:
            case "list" if self.intervals:
                return "list of intervals"
            case "list":
                return f"list of {self.arguments[0]}"
            case "tuple":
                return f"({', '.join(map(str, self.arguments))})"
            case "optional":
                return f"{self.arguments[0]}?"
            case "dotted":
                return "dotted rule" if self.dots == 1 else "double-dotted rule"
        return self.kind


ROOT = "*root*"  # the left-hand side of the pseudo-rule *(S); no category can be called so
HEAD_WORD = "^"

POSITION = Type("position")
FLAG = Type("flag")
SYMBOL = Type("symbol")
SYMBOLS = Type("list", (SYMBOL,))
INTERVALS = Type("list", (Type("tuple", (POSITION, POSITION)),), intervals=True)
LABEL = Type("label")
LABELS = Type("labels")
DOTTED_LABELS = Type("dotted labels")
