"""The windows of columns: between which values, linear in n, a column of a kind always lies.

A form's `where` filters every item, so what it implies holds for all items of the kind. Dense tables and
indexes are laid out by windows; a column without one is kept in a hash table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemata.engine.lowering.facts import facts_of
from schemata.engine.lowering.linear import Affine, AnyOf, Linear, variable
from schemata.engine.lowering.model import Kind
from schemata.language.bounds import Bounds

__all__ = ["Window", "range_of", "windows_of"]


@dataclass(frozen=True, slots=True)
class Window:
    """The values of a column: low..high, both included, each a number or n plus a number; None where unknown."""

    low: Affine | None
    high: Affine | None

    @property
    def closed(self) -> bool:
        """Whether both ends are known."""
        return self.low is not None and self.high is not None


def windows_of(kind: Kind) -> tuple[Window, ...]:
    """Return the window of every position column; columns of symbols have none (their number bounds them)."""
    plain = [t for t in kind.conditions if isinstance(t, Linear)]
    found: list[Window] = []
    for column in kind.columns:
        low, high = range_of(facts_of(plain), column.name)
        for test in kind.conditions:
            if isinstance(test, AnyOf):
                ends = [range_of(facts_of([*plain, *option]), column.name) for option in test.options]
                low = _tighter(low, _weakest([e[0] for e in ends], highest=False))
                high = _tighter(high, _weakest([e[1] for e in ends], highest=True))
        found.append(Window(low, high))
    return tuple(found)


def range_of(facts: Bounds, name: str) -> tuple[Affine | None, Affine | None]:
    """Return the least and the greatest value of a variable that facts allow; an empty range if they allow none."""
    if facts.contradictory():
        return Affine(1), Affine(0)
    low = facts.distance("0", name)
    above, above_n = facts.distance(name, "0"), facts.distance(name, "n")
    high = Affine(above) if above is not None else variable("n") + above_n if above_n is not None else None
    return (None if low is None else Affine(-low)), high


def _weakest(ends: Sequence[Affine | None], highest: bool) -> Affine | None:
    """Return the end that holds whichever option does; None where some option has none."""
    known = [e for e in ends if e is not None]
    if len(known) < len(ends):
        return None
    return _extreme(known, highest)


def _extreme(ends: Iterable[Affine], highest: bool) -> Affine | None:
    rows = list(ends)
    with_n = [e for e in rows if e.terms]
    if highest and with_n:
        # a number is at most n + (number - 1), for n is at least 1
        return variable("n") + max(e.constant if e.terms else e.constant - 1 for e in rows)
    return Affine((max if highest else min)(e.constant for e in rows))


def _tighter(one: Affine | None, other: Affine | None) -> Affine | None:
    """Return an end that is known; of two the first."""
    return other if one is None else one
