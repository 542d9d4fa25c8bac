"""Terms as written, those within items and those that are conditions, and regions of positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from schemata.language.source import Span

__all__ = [
    "Comparison",
    "Constant",
    "Difference",
    "Dotted",
    "Interval",
    "Junction",
    "Length",
    "ListTerm",
    "Matches",
    "Membership",
    "Name",
    "Not",
    "Region",
    "Run",
    "Sequence",
    "Star",
    "StateTest",
    "Stays",
    "Sum",
    "Term",
    "TupleTerm",
    "Wildcard",
]


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, parameter or `n`; `optional` where written `l?`, which also matches an absent value."""

    id: str
    span: Span
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Star:
    """A sequence variable `*A`; the id is without its star, and `_` for `*_`."""

    id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Wildcard:
    """`_`, what does not matter."""

    span: Span


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a quoted symbol, `true`, `false`, the absent value `-`, `root`, or the head word `^`."""

    value: int | bool | str | None
    kind: Literal["number", "symbol", "flag", "absent"]
    span: Span


@dataclass(frozen=True, slots=True)
class Sum:
    """`i + 1`, `j - k`: signed terms in the order written."""

    parts: tuple[tuple[int, Term], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Length:
    """`length(L)`, the number of elements of a list."""

    operand: Term
    span: Span


@dataclass(frozen=True, slots=True)
class ListTerm:
    """`<a, *B, (x, true)>`, a list or a pattern of lists."""

    elements: tuple[Term | Run, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Run:
    """`*(_, true)` within a list: any number of elements, all of one shape."""

    shape: Term
    span: Span


@dataclass(frozen=True, slots=True)
class TupleTerm:
    """`(a, b)`, an element with several parts."""

    terms: tuple[Term, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Dotted:
    """`A(*alpha . B *beta)`: a rule of the grammar cut by its dots into one part more than it has dots."""

    category: Term
    parts: tuple[tuple[Term, ...], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Stays:
    """`x@` before a dot: the dot moves over x, or, if x is a multi-connector, may stay in front of it."""

    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence:
    """`*a . x *b`: labels, cut by their dots into one part more than there are dots."""

    parts: tuple[tuple[Name | Star | Wildcard | Stays, ...], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Not:
    """`not b`."""

    operand: Term
    span: Span


@dataclass(frozen=True, slots=True)
class Junction:
    """`a and b and c`, or the same with `or`."""

    word: Literal["and", "or"]
    operands: tuple[Term, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Comparison:
    """`0 <= i < j`: one relation fewer than operands."""

    operands: tuple[Term, ...]
    relations: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Interval:
    """`[i..j]`, the positions from i to j."""

    low: Term
    high: Term
    span: Span


@dataclass(frozen=True, slots=True)
class Difference:
    """`[i..j] minus [l..r]`."""

    left: Region
    right: Interval | Name
    span: Span


@dataclass(frozen=True, slots=True)
class Membership:
    """`x in [i..j] minus [l..r]`, `x not in L`."""

    element: Term
    region: Region
    negated: bool
    span: Span


@dataclass(frozen=True, slots=True)
class StateTest:
    """`*B is empty`, `l is absent` and their opposites."""

    operand: Term
    state: Literal["empty", "absent"]
    negated: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Matches:
    """`x ~ y`: the two connectors match."""

    left: Term
    right: Term
    span: Span


Region: TypeAlias = Interval | Difference | Name
Term: TypeAlias = (
    Name
    | Star
    | Wildcard
    | Constant
    | Sum
    | Length
    | ListTerm
    | Run
    | TupleTerm
    | Dotted
    | Stays
    | Sequence
    | Matches
    | Not
    | Junction
    | Comparison
    | Membership
    | StateTest
)
