"""The expressions of a dictionary: connectors, ``&``, ``or``, and what each adds to the cost.

Expressions are shared: a macro's expression is the same object wherever the macro is used. They are compared
by identity, which is what tables over them go by.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from schemata.structures.connectors import Connector

__all__ = [
    "NOTHING",
    "All",
    "Expression",
    "One",
    "Single",
    "all_of",
    "connectors_of",
    "costing",
    "in_any_order",
    "one_of_these",
    "optional",
]


@dataclass(frozen=True, slots=True, eq=False)
class Single:
    """A connector."""

    connector: Connector
    cost: float = 0.0
    depth: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class All:
    """All of some expressions, in order; of none, this is ``()``."""

    operands: tuple[Expression, ...]
    cost: float = 0.0
    depth: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class One:
    """One of some expressions."""

    operands: tuple[Expression, ...]
    cost: float = 0.0
    depth: int = 1


Expression = Single | All | One
"""`cost` is what the node itself adds; `depth` is the height of the tree below and with it."""

NOTHING = All(())


def all_of(operands: Iterable[Expression], cost: float = 0.0) -> All:
    """Return the conjunction of some expressions."""
    found = tuple(operands)
    return All(found, cost, 1 + max((e.depth for e in found), default=0))


def one_of_these(operands: Iterable[Expression], cost: float = 0.0) -> One:
    """Return the disjunction of some expressions."""
    found = tuple(operands)
    return One(found, cost, 1 + max((e.depth for e in found), default=0))


def optional(expression: Expression) -> One:
    """Return ``{expression}``."""
    return one_of_these((NOTHING, expression))


def in_any_order(one: Expression, other: Expression) -> All:
    """Return ``one ^ other``."""
    return all_of((one_of_these((all_of((one, other)), all_of((other, one)))),))


def costing(expression: Expression, cost: float) -> Expression:
    """Return ``[expression]cost``."""
    # The cost is the node's own, as in link-parser: a node around it would count for the cut-off in another
    # way where costs are negative.
    return replace(expression, cost=round(expression.cost + cost, 6))


def connectors_of(expressions: Iterable[Expression]) -> set[Connector]:
    """Return the connectors that occur in some expressions."""
    found: set[Connector] = set()
    seen: set[int] = set()
    todo = list(expressions)
    while todo:
        expression = todo.pop()
        if id(expression) in seen:
            continue
        seen.add(id(expression))
        if isinstance(expression, Single):
            found.add(expression.connector)
        else:
            todo.extend(expression.operands)
    return found
