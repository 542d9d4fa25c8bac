"""The plan of a rule: how it is evaluated, as a value without text.

A plan is a tuple of moves over linear terms. It begins with an item as one of the antecedents (*forward*, in kernels
with an agenda: `program.forward`), or with the consequent (*backward*, in a proved order: `ordered.plan`). Its moves
bind the other variables, one after the other: partners are looked up or walked through, the grammar is queried,
variables range over the values that tests allow, equations are solved. A test is made as soon as its variables are
bound.

The code that evaluates a rule, and the texts that explain it, read its plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from schemata.program.linear import Affine, AnyOf, Asks, Linear, Provided
from schemata.program.model import Rule
from schemata.program.queries import Query
from schemata.records import Record


def read_name(slot: int, number: int) -> str:
    """Return the variable for a value read of an antecedent: a column, or a result of its query."""
    return f"{slot}.{number}"


def column_name(number: int) -> str:
    """Return the variable for a column of a single item: of the consequent, or of an item that guards test."""
    return f"column {number}"


class Bind(Record):
    """A variable is a value that was read."""

    name: str
    value: str


class Solve(Record):
    """The one unbound variable of a term gets its value, since the term equals a value read, or 0 without one.

    `test` is the equation, if it is one of the rule.
    """

    name: str
    term: Affine
    value: str = ""
    test: Linear | None = None


class Agree(Record):
    """A value that was read must equal a term."""

    value: str
    term: Affine


class Require(Record):
    """A test must hold; `is_own` distinguishes tests of the rule from bounds of loops and tables."""

    test: Linear | AnyOf | Provided
    is_own: bool = True


class Inquire(Record):
    """A query is answered.

    Attributes
    ----------
    test : the query.
    bound, wanted : its places that are bound, and those whose values are read.
    values : the variables for the values read.
    several : whether it may have several answers.
    """

    test: Asks
    bound: tuple[int, ...]
    wanted: tuple[int, ...]
    values: tuple[str, ...]
    several: bool


class End(Record):
    """An end of a range: a term over a number, rounded inwards."""

    term: Affine
    divisor: int = 1


class Range(Record):
    """A variable takes the whole numbers of a range.

    `options` has the ends below and above for each part of a disjunction. The range is from the least of the greatest
    lower ends to the greatest of the least upper ones.
    """

    name: str
    options: tuple[tuple[tuple[End, ...], tuple[End, ...]], ...]


class LookUp(Record):
    """An antecedent whose columns are all bound must be there."""

    slot: int
    terms: tuple[Affine, ...]


class LocalQuery(Record):
    """A query about an item by itself: its bound places with the columns they take, and the places it answers."""

    query: Query
    inputs: tuple[tuple[int, int], ...]
    outputs: tuple[int, ...]


class Limits(Record):
    """The terms between which a column's values lie: not below any of `low`, not above any of `high`."""

    column: int
    low: tuple[Affine, ...]
    high: tuple[Affine, ...]


class Walk(Record):
    """The items that may be an antecedent are gone through: those in the list of a key, or in the lists of a range.

    Attributes
    ----------
    slot : the antecedent.
    values : bound values by column; the results of queries about the item are numbered after the columns.
    key : the numbers by which the list is found.
    read : the numbers whose values are read.
    guards : tests of the item alone, which hold of all items in the lists.
    queries : the queries about the item alone.
    limits : the column whose range is gone through, if any.
    parts : bound parts of columns: the column's term and the part's.
    """

    slot: int
    values: tuple[tuple[int, Affine], ...]
    key: tuple[int, ...] = ()
    read: tuple[int, ...] = ()
    guards: tuple[Agree | Require, ...] = ()
    queries: tuple[LocalQuery, ...] = ()
    limits: Limits | None = None
    parts: tuple[tuple[Affine, Affine], ...] = ()


Move: TypeAlias = Bind | Solve | Agree | Require | Inquire | Range | LookUp | Walk


class Plan(Record):
    """How a rule is evaluated: the moves between its beginning and its consequent.

    Attributes
    ----------
    rule : the rule.
    slot : the antecedent that an item takes at the beginning; -1 if there is none, or if the consequent is given.
    moves : the moves, in order.
    """

    rule: Rule
    slot: int
    moves: tuple[Move, ...]


def levels(moves: Iterable[Move]) -> list[list[Move]]:
    """Return the moves before all loops, then those of each loop, which begin with the move that is the loop."""
    found: list[list[Move]] = [[]]
    for move in moves:
        if is_loop(move):
            found.append([])
        found[-1].append(move)
    return found


def depth(loops: Sequence[str], terms: Iterable[Affine]) -> int:
    """Return the number of the loop in which all variables of terms are bound; -1 if that is before all loops."""
    return max((loops.index(x) for term in terms for x in term.names if x in loops), default=-1)


def is_loop(move: Move) -> bool:
    """Whether a move may go on in several ways."""
    return isinstance(move, Range | Walk) or (isinstance(move, Inquire) and move.several)
