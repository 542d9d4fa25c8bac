"""Sequences of labels in the interpreting matcher: evaluated, taken apart, and cut where that is open."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schemata.grammars.link_grammar.sequences import sequences_of
from schemata.language import labels
from schemata.language import model as m

if TYPE_CHECKING:
    from schemata.analysis.goals import Goal

__all__ = ["join_ends", "join_goals", "label_choices", "labels_value", "match_labels", "outcomes_of"]

Binding = Mapping[str, m.Value]


def labels_value(term: m.Labels, binding: Binding) -> str:
    """Return the value of a sequence; a dot that may stay has moved.

    Raises
    ------
    LookupError : the binding does not determine it, or its parts are not neighbours.

    >>> parts = (m.Var("x"), m.Splice("b"))
    >>> labels_value(m.Labels(parts, 1), {"x": "cat#1: D- _", "b": "cat#1: _ A-"})
    'cat#1: D- . A-'
    """
    sides = [_chain(side, binding) for side in term.sides]
    if term.dot is None:
        return sides[0]
    whole = labels.dotted(sides[0], sides[1])
    if whole is None:
        raise LookupError("sequences that are no neighbours")
    return whole


def _chain(parts: Sequence[m.Term], binding: Binding) -> str:
    found = labels.EMPTY
    for part in parts:
        if not isinstance(part, m.Var | m.Splice):
            raise LookupError("_")
        value = binding[part.name]
        assert isinstance(value, str)
        together = labels.chain(found, value)
        if together is None:
            raise LookupError("sequences that are no neighbours")
        found = together
    return found


def outcomes_of(terms: Sequence[m.Term], binding: Binding, evaluate: Any) -> Iterator[tuple[m.Value, ...]]:
    """Yield the values of a consequent's terms, once for every choice of the dots that may move or stay.

    Nothing is yielded where parts of a sequence are no neighbours.
    """
    ways: list[Sequence[m.Value]] = []
    for term in terms:
        try:
            if isinstance(term, m.Labels) and term.stays:
                assert term.dot
                ways.append(labels.outcomes(labels_value(m.Labels(term.parts, term.dot - 1), binding)))
            else:
                ways.append((evaluate(term, binding),))
        except LookupError:
            if not isinstance(term, m.Labels):
                raise
            return
    yield from itertools.product(*ways)


# Patterns -----------------------------------------------------------------------------------------------------


def match_labels(value: str, term: m.Labels, known: Binding) -> list[tuple[m.Value, m.Term]] | bool | None:
    """Take a sequence apart.

    Returns
    -------
    The values that its parts have to match, False where the value cannot match, None where there is a choice:
    a dot that may have stayed, or two stretches of unknown length.
    """
    if term.stays:
        return None
    sides = [value] if term.dot is None else [labels.before(value), labels.after(value)]
    found: list[tuple[m.Value, m.Term]] = []
    for side, parts in zip(sides, term.sides, strict=True):
        one = _match_side(side, parts, known)
        if not isinstance(one, list):
            return one
        found += one
    return found


def _size(part: m.Term, known: Binding) -> int | None:
    match part:
        case m.Splice(name):
            value = known.get(name)
            return labels.label_count(value) if isinstance(value, str) else None
        case m.Run():
            return None
    return 1


def _match_side(
    side: str, parts: Sequence[m.Term], known: Binding
) -> list[tuple[m.Value, m.Term]] | bool | None:
    sizes = [_size(part, known) for part in parts]
    spare = labels.label_count(side) - sum(size or 0 for size in sizes)
    if spare < 0 or (spare and None not in sizes):
        return False
    if sizes.count(None) > 1:
        return None
    return _cut(side, parts, [spare if size is None else size for size in sizes])


def _cut(side: str, parts: Sequence[m.Term], sizes: Sequence[int]) -> list[tuple[m.Value, m.Term]]:
    found: list[tuple[m.Value, m.Term]] = []
    for part, size in zip(parts, sizes, strict=True):
        here, side = labels.split(side, size)
        if not isinstance(part, m.Run | m.Any):
            found.append((here, part))
    return found


def label_choices(
    value: str, term: m.Labels, known: Binding
) -> list[tuple[list[tuple[m.Value, m.Term]], m.Labels | None]]:
    """Return the ways to take a sequence apart where there is a choice.

    Each is what its parts have to match, and the pattern that the value then has to match as well, if any.
    """
    if term.stays:
        assert term.dot
        moved, stayed = m.Labels(term.parts, term.dot), m.Labels(term.parts, term.dot - 1)
        after = labels.after(value)
        may_stay = bool(after) and labels.is_multi(labels.first(after))
        return [([], moved), *([([], stayed)] if may_stay else [])]
    sides = [value] if term.dot is None else [labels.before(value), labels.after(value)]
    ways: list[list[list[tuple[m.Value, m.Term]]]] = []
    for side, parts in zip(sides, term.sides, strict=True):
        sizes = [_size(part, known) for part in parts]
        spare = labels.label_count(side) - sum(size or 0 for size in sizes)
        shares = _shares(spare, sizes.count(None))
        ways.append([_cut(side, parts, _filled(sizes, share)) for share in shares])
    return [([pair for way in choice for pair in way], None) for choice in itertools.product(*ways)]


def _shares(total: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to share labels out among stretches of unknown length."""
    if count == 0:
        if total == 0:
            yield ()
        return
    for first in range(total + 1):
        for rest in _shares(total - first, count - 1):
            yield first, *rest


def _filled(sizes: Sequence[int | None], share: tuple[int, ...]) -> list[int]:
    left = iter(share)
    return [next(left) if size is None else size for size in sizes]


# Joins --------------------------------------------------------------------------------------------------------


def join_ends(join: m.Join, binding: Binding, evaluate: Any, grammar: Any) -> tuple[int, int] | None:
    """Return the numbers of the connectors that a step links; (-1, -1) where it links none, None where it cannot.

    Raises
    ------
    LookupError : the binding does not determine them.
    """
    if join.when is not None and not evaluate(join.when, binding):
        return -1, -1
    left, right = evaluate(join.left, binding), evaluate(join.right, binding)
    view = sequences_of(grammar)
    one = view.right_codes[left].get(evaluate(join.by.left, binding))
    other = view.left_codes[right].get(evaluate(join.by.right, binding))
    if one is None or other is None or not 0 < right - left <= min(view.reaches[one], view.reaches[other]):
        return None
    return one, other


def join_goals(join: m.Join, ends: tuple[int, int], grammar: Any) -> list[Goal]:
    """Return what the numbers of two linked connectors tell of a step's variables."""
    from schemata.analysis.goals import Match

    if ends[0] < 0:
        return [] if join.when is None else [m.Not(join.when)]
    places = [sequences_of(grammar).occurrences[code].position for code in ends]
    return [Match(places[0], join.left, m.POSITION), Match(places[1], join.right, m.POSITION)]
