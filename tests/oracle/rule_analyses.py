"""The analyses that derivations of the dependency-rule systems stand for: a tree and a rule per word.

Read off derivation trees: the head word of every complete constituent is attached to the head word of the
constituent it completes into, the root's to 0. The head of a constituent is known once `^` is found.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.oracle.naive import Instance, Item, Link, NaiveChart, values_of_derivations
from tests.oracle.rules import Analysis, Dotted, Rule

__all__ = ["analyses"]

# Which structural antecedent of a step is a complete constituent that becomes part of another one.
_CHILD = {
    "Completer": 1,
    "LC-complete": 0,
    "LC-complete-1": 0,
    "Left": 1,
    "Right": 1,
    "Include": 0,
    "Advance-complete": 1,
}


class _Part(NamedTuple):
    """A piece of an analysis: its head word if known, dependents still waiting for it, links, rules."""

    head: int | None = None
    waiting: frozenset[int] = frozenset()
    links: frozenset[Link] = frozenset()
    rules: frozenset[tuple[int, Rule]] = frozenset()


def analyses(chart: NaiveChart) -> frozenset[Analysis]:
    """Return the distinct analyses of all derivations of final items."""
    values = values_of_derivations(chart, _leaf, _build)
    return frozenset(_finished(item, part) for item in chart.final_items for part in values[item])


def _leaf(item: Item) -> _Part:
    return _Part(head=item[1][0])  # word(h)


def _build(edge: Instance, parts: tuple[_Part, ...]) -> _Part:
    """Join the parts; a complete constituent is closed and waits for the head of the new one."""
    child = _CHILD.get(edge.name)
    opened = [_closed(edge.antecedents[at], part) if at == child else part for at, part in enumerate(parts)]
    heads = [part.head for part in opened if part.head is not None]
    assert len(heads) <= 1
    head = heads[0] if heads else None
    waiting = frozenset().union(*(part.waiting for part in opened))
    links = frozenset().union(*(part.links for part in opened))
    if head is not None:
        links |= {(d, head) for d in waiting}
        waiting = frozenset()
    return _Part(head, waiting, links, frozenset().union(*(part.rules for part in opened)))


def _closed(item: Item, part: _Part) -> _Part:
    """Return the part of a complete constituent as a dependent: its head word has its rule and waits."""
    dotted: Dotted = item[1][0]
    assert part.head is not None
    assert dotted.rule is not None
    return _Part(None, frozenset({part.head}), part.links, part.rules | {(part.head, dotted.rule)})


def _finished(item: Item, part: _Part) -> Analysis:
    if item[1][0].category is not None:  # S(gamma .); for root(S .) the last Completer has closed S
        part = _closed(item, part)
    (root,) = part.waiting
    heads = {**dict(part.links), root: 0}
    rules = dict(part.rules)
    assert len(part.rules) == len(rules) == len(heads) == len(part.links) + 1
    return tuple(heads[w] for w in sorted(heads)), tuple(rules[w] for w in sorted(rules))
