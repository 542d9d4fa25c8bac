"""The expressions of a dictionary, and their expansion into disjuncts.

Expressions are connectors, ``&`` and ``or``, each with the cost it adds. They are shared: a macro's expression is the
same object wherever the macro is used. They are compared by identity, also as keys of tables.

A disjunct's cost is the sum of the costs around its connectors. The cut-off limits another number, as in
link-parser: at each node the greatest number of the operands (at ``&`` at least 0) plus the node's own cost. The
remaining allowance is handed down, so that nothing is built that the cut-off would drop.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemata.quick_dataclasses import Record, replace
from schemata.structures.connectors import Connector


class Single(Record, eq=False):
    """A connector."""

    connector: Connector
    cost: float = 0.0
    depth: int = 1


class All(Record, eq=False):
    """All of some expressions, in order; of none, this is ``()``."""

    operands: tuple[Expression, ...]
    cost: float = 0.0
    depth: int = 1


class One(Record, eq=False):
    """One of some expressions."""

    operands: tuple[Expression, ...]
    cost: float = 0.0
    depth: int = 1


Expression = Single | All | One
"""`cost` is what the node itself adds; `depth` is the height of the tree below and with it."""

NOTHING = All(())


def all_of(operands: Iterable[Expression], cost: float = 0.0) -> All:
    """Return the conjunction of some expressions."""
    parts = tuple(operands)
    return All(parts, cost, 1 + max((e.depth for e in parts), default=0))


def one_of_these(operands: Iterable[Expression], cost: float = 0.0) -> One:
    """Return the disjunction of some expressions."""
    parts = tuple(operands)
    return One(parts, cost, 1 + max((e.depth for e in parts), default=0))


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
    connectors: set[Connector] = set()
    seen: set[int] = set()
    todo = list(expressions)
    while todo:
        expression = todo.pop()
        if id(expression) in seen:
            continue
        seen.add(id(expression))
        if isinstance(expression, Single):
            connectors.add(expression.connector)
        else:
            todo.extend(expression.operands)
    return connectors
