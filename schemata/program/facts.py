"""Linear tests as facts about differences of variables: tests that follow from others, tests that contradict them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemata.language.bounds import Bounds
from schemata.program.linear import Affine, AnyOf, Asks, Linear, Test, variable
from schemata.program.model import Atom, Kind


def difference(left: Affine) -> tuple[str, str, int] | None:
    """Return ``left >= 0`` as a fact ``x - y <= c``, or None if it is not one."""
    plus = [x for x, k in left.terms if k == 1]
    minus = [x for x, k in left.terms if k == -1]
    if len(plus) + len(minus) != len(left.terms) or len(plus) > 1 or len(minus) > 1:
        return None
    if any(x.startswith("'") for x in left.names):
        return None
    return (minus or ["0"])[0], (plus or ["0"])[0], left.constant


def differences_of(tests: Iterable[Test]) -> list[tuple[str, str, int]]:
    """Return the differences that tests are, none for tests of another shape."""
    found: list[tuple[str, str, int]] = []
    for test in tests:
        if isinstance(test, Linear) and test.relation != "!=":
            sides = [test.left] if test.relation == ">=" else [test.left, -test.left]
            rows = [difference(side) for side in sides]
            if None not in rows:
                found += [row for row in rows if row is not None]
    return found


def facts_of(tests: Iterable[Test]) -> Bounds:
    """Return the differences that a conjunction of tests implies."""
    facts = Bounds()
    facts.learn(differences_of(tests))
    return facts


def extended(facts: Bounds, tests: Iterable[Test]) -> Bounds | None:
    """Return facts together with those that tests imply; None if a contradiction between them is found."""
    found = facts.copy()
    for test in tests:
        if isinstance(test, Linear):
            if test.relation == "!=" and follows(found, test.left) and follows(found, -test.left):
                return None
            found.learn(differences_of([test]))
    return None if found.contradictory() else found


def follows(facts: Bounds, left: Affine) -> bool:
    """Whether ``left >= 0`` follows from facts."""
    if not left.terms:
        return left.constant >= 0
    goal = difference(left)
    return goal is not None and facts.proves([goal])


def strongest(bounds: Sequence[Affine], facts: Bounds, sign: int) -> tuple[Affine, ...]:
    """Return bounds from below (sign 1) or above (-1) without those that another one makes superfluous."""
    kept = list(bounds)
    for bound in bounds:
        if len(kept) > 1 and any(o is not bound and follows(facts, (o - bound) * sign) for o in kept):
            kept.remove(bound)
    return tuple(kept)


def conditions_of(kinds: Sequence[Kind], atom: Atom) -> list[Linear | AnyOf]:
    """Return a kind's conditions for the terms of one item."""
    kind = kinds[atom.kind]
    given = kind.by_name(atom.terms)
    return [test.substitute(given) for test in kind.conditions]


def asks_of(kinds: Sequence[Kind], atom: Atom) -> list[Asks]:
    """Return the queries of a kind, for the terms of one item."""
    kind = kinds[atom.kind]
    given = kind.by_name(atom.terms)
    return [test.substitute(given) for test in kind.asks]


def simplified(given: Sequence[Test], tests: Sequence[Test]) -> tuple[Test, ...] | None:
    """Return the tests without those that follow from the given ones or the others; None if they contradict."""
    facts = facts_of([*given, *tests])
    if facts.contradictory():
        return None
    kept = list(dict.fromkeys(tests))
    for test in list(kept):
        others = facts_of([*given, *(t for t in kept if t is not test)])
        if implied(others, test):
            kept.remove(test)
        elif isinstance(test, AnyOf):
            possible = [o for o in test.options if not facts_of([*given, *kept, *o]).contradictory()]
            if not possible:
                return None
            place = kept.index(test)
            if len(possible) == 1:
                kept[place : place + 1] = [t for t in possible[0] if t not in kept]
            elif len(possible) < len(test.options):
                kept[place] = AnyOf(tuple(possible))
    return tuple(kept)


def implied(facts: Bounds, test: Test) -> bool:
    """Whether facts about differences show that a test holds."""
    match test:
        case Linear("!=", left):
            return follows(facts, left - 1) or follows(facts, -left - 1)
        case Linear(relation, left):
            return follows(facts, left) and (relation == ">=" or follows(facts, -left))
        case AnyOf(options):
            return any(all(implied(facts, t) for t in option) for option in options)
    return False


def window_of(kind: Kind, name: str) -> tuple[Affine | None, Affine | None]:
    """Return the least and the greatest value of a column, each a number, n plus a number, or None if it has no
    bound.
    """
    plain = [t for t in kind.conditions if isinstance(t, Linear)]
    low, high = range_of(facts_of(plain), name)
    for test in kind.conditions:
        if isinstance(test, AnyOf):
            lows, highs = zip(*(range_of(facts_of([*plain, *o]), name) for o in test.options), strict=True)
            low = _weakest(lows, highest=False) if low is None else low
            high = _weakest(highs, highest=True) if high is None else high
    return low, high


def range_of(facts: Bounds, name: str) -> tuple[Affine | None, Affine | None]:
    """Return the least and the greatest value of a variable that facts allow; an empty range if they allow none."""
    if facts.contradictory():
        return Affine(1), Affine(0)
    low = facts.distance("0", name)
    above, above_n = facts.distance(name, "0"), facts.distance(name, "n")
    high = Affine(above) if above is not None else variable("n") + above_n if above_n is not None else None
    return (None if low is None else Affine(-low)), high


def _weakest(ends: Sequence[Affine | None], highest: bool) -> Affine | None:
    """Return the end that holds under every option; None if an option has no end."""
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
