"""Ranges: what the tests of a rule say about one column of a partner before it is looked up.

A test such as ``l < x`` compares a field of the partner with what is known. Where an index divides the items
under a key by that column, only those of the range ``l + 1 ..`` are walked through.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass

from schemata.engine.native.numbering import Digit
from schemata.language.bounds import Bounds
from schemata.program.facts import conditions_of, difference
from schemata.program.linear import Affine, Linear, Test, variable
from schemata.program.model import Atom, Program

__all__ = ["Limits", "differences_of", "limits_of"]

Difference = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Limits:
    """Between which terms a column's values lie: not below any of `low`, not above any of `high`.

    `facts` are the differences that hold for the values in the range.
    """

    column: int
    low: tuple[Affine, ...]
    high: tuple[Affine, ...]
    facts: tuple[Difference, ...]


def limits_of(
    program: Program,
    atom: Atom,
    columns: Sequence[int],
    digits: Sequence[Digit],
    tests: Iterable[Test],
    bound: Collection[str],
    known: Bounds,
) -> Limits | None:
    """Return the column of a partner that tests limit most, None where they limit none.

    Parameters
    ----------
    program, atom : the partner.
    columns, digits : its columns that are not known; the digits of all.
    tests : the tests that are still to be made.
    bound : the variables that are known.
    known : what is known of them.
    """
    conditions = differences_of(conditions_of(program.kinds, atom))
    before = deepcopy(known)
    before.learn(conditions)
    after = Bounds()
    after.learn((*conditions, *differences_of(tests)))
    best: Limits | None = None
    for column in columns:
        term = atom.terms[column]
        free = [x for x in term.names if x != "n" and not x.startswith("'") and x not in bound]
        if digits[column].size is None or digits[column].open or len(free) != 1:
            continue
        name = free[0]
        if term.coefficient(name) != 1:
            continue
        low: list[Difference] = []
        high: list[Difference] = []
        for other in bound:
            for found, (x, y) in ((low, (other, name)), (high, (name, other))):
                most = after.distance(x, y)
                if most is not None and not before.proves([(x, y, most)]):
                    found.append((x, y, most))
        low = _strongest(low, known, lower=True)
        high = _strongest(high, known, lower=False)
        if best is None or bool(low) + bool(high) > bool(best.low) + bool(best.high):
            rest = term - variable(name)
            lows = tuple(variable(x) - most + rest for x, _, most in low)
            highs = tuple(variable(y) + most + rest for _, y, most in high)
            best = Limits(column, lows, highs, (*low, *high))
    return best if best is not None and (best.low or best.high) else None


def _strongest(found: Sequence[Difference], known: Bounds, lower: bool) -> list[Difference]:
    """Return bounds without those that follow from another one."""
    kept: list[Difference] = []
    for one in found:
        if any(_follows(one, other, known, lower) for other in kept):
            continue
        kept = [other for other in kept if not _follows(other, one, known, lower)] + [one]
    return kept


def _follows(one: Difference, other: Difference, known: Bounds, lower: bool) -> bool:
    """Whether one bound of a variable follows from another."""
    if lower:  # x >= a - c and x >= b - d: the first follows where a - b <= c - d
        return known.proves([(one[0], other[0], one[2] - other[2])])
    return known.proves([(other[1], one[1], one[2] - other[2])])


def differences_of(tests: Iterable[Test]) -> list[Difference]:
    """Return the differences that tests are, none for tests of another shape."""
    found: list[Difference] = []
    for test in tests:
        if isinstance(test, Linear) and test.relation != "!=":
            sides = [test.left] if test.relation == ">=" else [test.left, -test.left]
            rows = [difference(side) for side in sides]
            if None not in rows:
                found += [row for row in rows if row is not None]
    return found
