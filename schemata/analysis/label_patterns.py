"""Sequences of labels in the interpreting matcher: taken apart, and cut where that is open."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from schemata.language import labels
from schemata.language import model as m
from schemata.language.labels import is_multi

__all__ = ["label_choices", "match_labels"]

Binding = Mapping[str, m.Value]


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
        may_stay = bool(after) and is_multi(labels.first(after))
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
