"""Pruning of expressions: what no word of the sentence can link with goes before anything is expanded.

A connector to the right stays only where some later word, within reach, has a matching one to the left, and
the other way round. An ``&`` with a dead operand is dead, and with it connectors that others may have relied
on, so that this is repeated until nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.grammars.link_grammar.expressions import (
    All,
    Expression,
    One,
    Single,
    all_of,
    connectors_of,
    one_of_these,
)
from schemata.grammars.link_grammar.matching import Matching
from schemata.structures.connectors import Connector

__all__ = ["prune_expressions"]

Word = Sequence[tuple[str, Expression]]


def prune_expressions(words: Sequence[Word], matching: Matching) -> list[list[tuple[str, Expression]]]:
    """Return the entries of each word of a sentence without what can have no partner.

    Parameters
    ----------
    words : for each position the entries of its word: names and expressions.
    matching : which connectors match, and how far they reach.
    """
    current = [list(word) for word in words]
    while True:
        sides = _connectors(current)
        by_base = [_by_base(connectors) for connectors in sides]
        alive = [
            {c for c in connectors if _has_partner(c, position, by_base, matching)}
            for position, connectors in enumerate(sides)
        ]
        if alive == sides:
            return current
        current = [
            _restricted(word, alive[position]) if alive[position] != sides[position] else word
            for position, word in enumerate(current)
        ]


def _connectors(words: Sequence[Word]) -> list[set[Connector]]:
    return [connectors_of(expression for _, expression in word) for word in words]


def _by_base(connectors: set[Connector]) -> dict[tuple[str, bool], list[Connector]]:
    found: dict[tuple[str, bool], list[Connector]] = {}
    for connector in connectors:
        found.setdefault((connector.base, connector.right), []).append(connector)
    return found


def _has_partner(
    connector: Connector,
    position: int,
    by_base: Sequence[dict[tuple[str, bool], list[Connector]]],
    matching: Matching,
) -> bool:
    reach = matching.reach(connector)
    if connector.right:
        others = range(position + 1, min(len(by_base), position + 1 + (reach or len(by_base))))
    else:
        others = range(max(0, position - (reach or position)), position)
    wanted = (connector.base, not connector.right)
    return any(
        matching.match(connector, other, abs(position - there))
        for there in others
        for other in by_base[there].get(wanted, ())
    )


def _restricted(word: Word, alive: set[Connector]) -> list[tuple[str, Expression]]:
    memo: dict[int, Expression | None] = {}

    def restrict(node: Expression) -> Expression | None:
        if isinstance(node, Single):
            return node if node.connector in alive else None
        if id(node) not in memo:
            memo[id(node)] = _without(node, [restrict(operand) for operand in node.operands])
        return memo[id(node)]

    found = ((name, restrict(expression)) for name, expression in word)
    return [(name, expression) for name, expression in found if expression is not None]


def _without(node: All | One, operands: list[Expression | None]) -> Expression | None:
    kept = tuple(operand for operand in operands if operand is not None)
    if isinstance(node, All):
        if len(kept) < len(operands):
            return None
        return node if kept == node.operands else all_of(kept, node.cost)
    if not kept:
        return None
    return node if kept == node.operands else one_of_these(kept, node.cost)
