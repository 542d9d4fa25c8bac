"""Whether two partly known items can be the same one: no variables, `_` and stars for what is open."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.language import model as m

__all__ = ["overlap"]


def overlap(one: m.Term, other: m.Term) -> bool:
    """Return whether some value matches both terms; neither has variables.

    >>> any_number = m.Run(m.Any())
    >>> overlap(m.ListTerm((m.Lit(1), any_number)), m.ListTerm((any_number, m.Lit(2))))
    True
    >>> overlap(m.ListTerm((m.Lit(1), any_number)), m.ListTerm((m.Lit(2),)))
    False
    """
    match one, other:
        case (m.Any(), _) | (_, m.Any()):
            return True
        case m.TupleTerm(left), m.TupleTerm(right):
            return all(overlap(a, b) for a, b in zip(left, right, strict=True))
        case m.ListTerm(left), m.ListTerm(right):
            return _lists(left, right)
    return one == other


def _lists(left: Sequence[m.Term], right: Sequence[m.Term]) -> bool:
    """Walk through two list patterns at once; a place is reached once, so that stars do not multiply."""
    reached = {(0, 0)}
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        if i == len(left) and j == len(right):
            return True
        steps: list[tuple[int, int]] = []
        a = left[i] if i < len(left) else None
        b = right[j] if j < len(right) else None
        if isinstance(a, m.Run):
            steps.append((i + 1, j))
        if isinstance(b, m.Run):
            steps.append((i, j + 1))
        if a is not None and b is not None and overlap(_shape(a), _shape(b)):
            steps.append((i if isinstance(a, m.Run) else i + 1, j if isinstance(b, m.Run) else j + 1))
        for step in steps:
            if step not in reached:
                reached.add(step)
                waiting.append(step)
    return False


def _shape(element: m.Term) -> m.Term:
    return element.shape if isinstance(element, m.Run) else element
