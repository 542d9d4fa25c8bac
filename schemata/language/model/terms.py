"""Terms of a checked schema: patterns in antecedents, expressions in consequents, and conditions on both.

Lists, pairs and dotted rules have become `ListTerm` and `TupleTerm`; arithmetic has become `Linear`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = [
    "AllWithin",
    "Any",
    "AtDot",
    "Compare",
    "InOrder",
    "Interval",
    "IsAbsent",
    "Junction",
    "Labels",
    "Length",
    "Linear",
    "ListTerm",
    "Lit",
    "Matches",
    "Member",
    "Not",
    "Region",
    "Reversed",
    "Run",
    "Splice",
    "Term",
    "TupleTerm",
    "Var",
    "Without",
]


@dataclass(frozen=True, slots=True)
class Var:
    """A variable; an optional one also matches an absent value. `n` is the sentence length."""

    name: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Any:
    """What does not matter."""


@dataclass(frozen=True, slots=True)
class Lit:
    """A constant value."""

    value: int | bool | str | None


@dataclass(frozen=True, slots=True)
class Length:
    """The number of elements of a list variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Linear:
    """`constant + sum of coefficient * atom`; no coefficient is zero and no atom occurs twice."""

    constant: int
    atoms: tuple[tuple[Var | Length, int], ...]


@dataclass(frozen=True, slots=True)
class Splice:
    """A list variable whose elements are spliced into a list; in patterns, any stretch of elements."""

    name: str


@dataclass(frozen=True, slots=True)
class Run:
    """In a list pattern, any number of elements that all match one shape."""

    shape: Term


@dataclass(frozen=True, slots=True)
class ListTerm:
    """A list of elements, spliced lists and runs."""

    elements: tuple[Term | Splice | Run, ...]


@dataclass(frozen=True, slots=True)
class TupleTerm:
    """A tuple, one term a part."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """A sequence of labels: single ones, and splices for any number of them.

    `dot` is the number of parts before the dot, None for a sequence without one. With `stays`, which only
    consequents have, the dot may also stand before its last part but one if that is a multi-connector.
    """

    parts: tuple[Var | Any | Splice | Run, ...]
    dot: int | None = None
    stays: bool = False

    @property
    def sides(self) -> tuple[tuple[Var | Any | Splice | Run, ...], ...]:
        """The parts before the dot and those after it; all parts where there is no dot."""
        return (self.parts,) if self.dot is None else (self.parts[: self.dot], self.parts[self.dot :])


@dataclass(frozen=True, slots=True)
class Reversed:
    """A sequence of labels turned round."""

    operand: Term


@dataclass(frozen=True, slots=True)
class AtDot:
    """The label at the dot: the last one before it, or, where none is, the first one after it."""

    operand: Term


@dataclass(frozen=True, slots=True)
class Matches:
    """Whether two labels match: one connector to the right and one to the left."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a flag or of a condition."""

    operand: Term


@dataclass(frozen=True, slots=True)
class Junction:
    """A conjunction or disjunction of flags and conditions."""

    word: Literal["and", "or"]
    operands: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """One comparison; an order with an absent value is false."""

    relation: Literal["<=", "<", "==", "!="]
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Interval:
    """The positions from low to high."""

    low: Term
    high: Term


@dataclass(frozen=True, slots=True)
class Without:
    """The positions of a region that are not in an interval; an interval with an absent end is empty."""

    left: Region
    right: Interval | Var | ListTerm


@dataclass(frozen=True, slots=True)
class Member:
    """Membership in a region of positions or in a list variable."""

    element: Term
    region: Region


@dataclass(frozen=True, slots=True)
class AllWithin:
    """Whether every interval of a list lies in an interval."""

    intervals: Term
    outer: Interval


@dataclass(frozen=True, slots=True)
class InOrder:
    """Whether a list of pairs is a list of intervals: none empty, from left to right, none touching."""

    intervals: Term


@dataclass(frozen=True, slots=True)
class IsAbsent:
    """Whether an optional variable is absent."""

    operand: Term


Region: TypeAlias = Interval | Without | Var
Term: TypeAlias = (
    Var
    | Any
    | Lit
    | Length
    | Linear
    | ListTerm
    | TupleTerm
    | Not
    | Junction
    | Compare
    | Member
    | AllWithin
    | InOrder
    | IsAbsent
    | Run
    | Splice
    | Labels
    | Reversed
    | AtDot
    | Matches
)
