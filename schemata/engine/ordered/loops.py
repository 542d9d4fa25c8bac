"""Bounds of nested loops from linear constraints.

Every constraint is enforced where the last of its variables, in the order of the loops, gets its value: as a
bound of that loop, or as a test where it cannot be one. What follows for the outer loops (Fourier-Motzkin
elimination) only saves empty turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemata.language.bounds import Bounds
from schemata.program.facts import difference
from schemata.program.linear import Affine

__all__ = ["Loop", "Nest", "nest"]

_DERIVED = 200  # constraints that elimination may add for one variable


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: its variable, the terms it starts at or above and ends at or below, and tests inside it."""

    variable: str
    lows: tuple[Affine, ...]
    highs: tuple[Affine, ...]
    checks: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """Tests on what is known (each term >= 0) and the loops, from the outermost in."""

    checks: tuple[Affine, ...]
    loops: tuple[Loop, ...]


def nest(constraints: Iterable[Affine], order: Sequence[str], context: Iterable[Affine] = ()) -> Nest:
    """Return the loops over the variables in this order that meet all constraints (terms >= 0).

    Parameters
    ----------
    constraints : what must hold.
    order : the loop variables, outermost first; others are known.
    context : what is known to hold of the known variables and n.

    Raises
    ------
    ValueError : a variable has no bound.
    """
    given = list(dict.fromkeys(context))
    wanted = [c for c in dict.fromkeys(constraints) if c.terms or c.constant < 0]
    facts = _facts([*given, *wanted])
    rows: list[tuple[Affine, bool]] = [(c, True) for c in wanted]  # whether it is one to enforce
    loops: list[Loop] = []
    for variable in reversed(order):
        mine = [(c, own) for c, own in rows if c.coefficient(variable)]
        rows = [(c, own) for c, own in rows if not c.coefficient(variable)]
        checks = [c for c, own in mine if own and abs(c.coefficient(variable)) != 1]
        lows = [Affine.of(0, ((variable, 1),)) - c for c, _ in mine if c.coefficient(variable) == 1]
        highs = [c + Affine.of(0, ((variable, 1),)) for c, _ in mine if c.coefficient(variable) == -1]
        lows, highs = list(dict.fromkeys(lows)), list(dict.fromkeys(highs))
        if not lows or not highs:
            raise ValueError(f"the variable {variable} has no bound")
        seen = {c for c, _ in rows}
        for low in lows:
            for high in highs:
                derived = high - low
                if derived.terms and derived not in seen and len(seen) < _DERIVED:
                    seen.add(derived)
                    rows.append((derived, False))
        loops.append(Loop(variable, tuple(lows), tuple(highs), tuple(checks)))
    loops.reverse()
    outer = _facts(given)
    kept: list[Loop] = []
    for loop in loops:
        # a bound may be left out only if what is already enforced around it implies it
        kept.append(_pruned(loop, outer))
        outer.learn(_differences([Affine.of(0, ((loop.variable, 1),)) - low for low in kept[-1].lows]))
        outer.learn(_differences([high - Affine.of(0, ((loop.variable, 1),)) for high in kept[-1].highs]))
    known = _facts(given)
    tops = [c for c, own in rows if own and not _proved(known, c)]
    tops += [c for c, own in rows if not own and not _proved(facts, c) and not _proved(known, c)]
    return Nest(tuple(dict.fromkeys(tops)), tuple(kept))


def _pruned(loop: Loop, facts: Bounds) -> Loop:
    return Loop(loop.variable, _least(loop.lows, facts, 1), _least(loop.highs, facts, -1), loop.checks)


def _least(bounds: Sequence[Affine], facts: Bounds, sign: int) -> tuple[Affine, ...]:
    """Return the bounds without those that another one makes superfluous."""
    kept = list(bounds)
    for bound in list(kept):
        if len(kept) > 1 and any(o is not bound and _proved(facts, (o - bound) * sign) for o in kept):
            kept.remove(bound)
    return tuple(kept)


def _proved(facts: Bounds, term: Affine) -> bool:
    if not term.terms:
        return term.constant >= 0
    goal = difference(term)
    return goal is not None and facts.proves([goal])


def _facts(terms: Iterable[Affine]) -> Bounds:
    facts = Bounds()
    facts.learn(_differences(terms))
    return facts


def _differences(terms: Iterable[Affine]) -> list[tuple[str, str, int]]:
    return [fact for fact in map(difference, terms) if fact is not None]
