"""The expressions of a dictionary, and their expansion into disjuncts.

Expressions are connectors, ``&``, ``or``, and what each adds to the cost. They are shared: a macro's expression is
the same object wherever the macro is used. They are compared by identity, which is what tables over them go by.

A disjunct's cost is the sum of the costs met on the way. The cut-off is about another number, as in
link-parser: at each node the greatest of those of the operands (at ``&`` at least 0) plus the node's own
cost. What of it is left can be handed down, so that nothing is built that the cut-off would drop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from schemata.structures.connectors import Connector
from schemata.structures.linkages import Disjunct


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


_TOLERANCE = 1e-5  # costs are decimals; sums of them are not
_MOST = 1_000_000  # disjuncts of one expression

Clause = tuple[tuple[int, ...], tuple[int, ...]]
_EMPTY: Clause = ((), ())


class MostDisjunctsError(Exception):
    """An expression has more disjuncts than can be held."""


def expand(word: str, expression: Expression, cutoff: float) -> tuple[Disjunct, ...]:
    """Return the disjuncts of an entry, each once with the least cost it has, in order.

    The disjunct without connectors is left out: a word without links is in no linkage.

    Raises
    ------
    MostDisjunctsError : there are more than a million of them.

    References
    ----------
    Sleator & Temperley 1991, section 3.2.
    """
    # Connectors are numbered in their order, so that the clauses of numbers sort and hash quickly.
    connectors = sorted(connectors_of((expression,)))
    expansion = _Expansion({connector: code for code, connector in enumerate(connectors)})
    clauses = expansion.clauses(expression, cutoff)
    return tuple(
        Disjunct(
            word,
            tuple(connectors[code] for code in left),
            tuple(connectors[code] for code in right),
            round(cost, 6) + 0.0,
        )
        for (left, right), cost in sorted(clauses.items())
        if left or right
    )


class _Expansion:
    """The clauses of the nodes of one expression, each made once."""

    def __init__(self, codes: dict[Connector, int]) -> None:
        self._codes = codes
        self._known: dict[tuple[int, float], dict[Clause, float]] = {}

    def clauses(self, node: Expression, limit: float) -> dict[Clause, float]:
        """Return the clauses of a node whose number for the cut-off is at most `limit`, with their costs."""
        left = round(limit - node.cost, 6)
        if not isinstance(node, One) and left < -_TOLERANCE:
            return {}
        key = (id(node), left)
        known = self._known.get(key)
        if known is None:
            if isinstance(node, Single):
                code = (self._codes[node.connector],)
                known = {((), code) if node.connector.right else (code, ()): node.cost}
            else:
                known = self._one(node, left) if isinstance(node, One) else self._all(node, left)
            if len(known) > _MOST:
                raise MostDisjunctsError
            self._known[key] = known
        return known

    def _one(self, node: One, limit: float) -> dict[Clause, float]:
        clauses: dict[Clause, float] = {}
        for operand in node.operands:
            for clause, cost in self.clauses(operand, limit).items():
                total = cost + node.cost
                if total < clauses.get(clause, total + 1):
                    clauses[clause] = total
        return clauses

    def _all(self, node: All, limit: float) -> dict[Clause, float]:
        clauses: dict[Clause, float] = {_EMPTY: node.cost}
        for operand in node.operands:
            following = self.clauses(operand, limit)
            if len(clauses) * len(following) > 4 * _MOST:
                raise MostDisjunctsError
            joined: dict[Clause, float] = {}
            for (left, right), cost in clauses.items():
                for (next_left, next_right), next_cost in following.items():
                    clause = (left + next_left, right + next_right)
                    total = cost + next_cost
                    if total < joined.get(clause, total + 1):
                        joined[clause] = total
            clauses = joined
        return clauses
