"""What linear tests say about differences of variables: which tests follow from others, which contradict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemata.engine.lowering.linear import Affine, AnyOf, Linear, Test
from schemata.engine.lowering.model import Atom, Kind
from schemata.language.bounds import Bounds

__all__ = ["conditions_of", "difference", "facts_of", "simplified"]


def difference(left: Affine) -> tuple[str, str, int] | None:
    """Return ``left >= 0`` as a fact ``x - y <= c``, or None where it is not one."""
    plus = [x for x, k in left.terms if k == 1]
    minus = [x for x, k in left.terms if k == -1]
    if len(plus) + len(minus) != len(left.terms) or len(plus) > 1 or len(minus) > 1:
        return None
    if any(x.startswith("'") for x in left.names):
        return None
    return (minus or ["0"])[0], (plus or ["0"])[0], left.constant


def _differences(test: Linear) -> list[tuple[str, str, int]] | None:
    lefts = {">=": (test.left,), "==": (test.left, -test.left), "!=": ()}[test.relation]
    found = [difference(left) for left in lefts]
    return None if not found or None in found else [f for f in found if f is not None]


def facts_of(tests: Iterable[Test]) -> Bounds:
    """Return the differences that a conjunction of tests implies."""
    facts = Bounds()
    for test in tests:
        if isinstance(test, Linear):
            facts.learn(_differences(test) or ())
    return facts


def conditions_of(kinds: Sequence[Kind], atom: Atom) -> list[Linear | AnyOf]:
    """Return a kind's conditions for the terms of one item."""
    kind = kinds[atom.kind]
    given = {column.name: term for column, term in zip(kind.columns, atom.terms, strict=True)}
    found: list[Linear | AnyOf] = []
    for test in kind.conditions:
        if isinstance(test, Linear):
            found.append(test.substitute(given))
        else:
            found.append(AnyOf(tuple(tuple(t.substitute(given) for t in o) for o in test.options)))
    return found


def simplified(given: Sequence[Test], tests: Sequence[Test]) -> tuple[Test, ...] | None:
    """Return the tests without those that follow from the given ones or the others; None where they contradict."""
    facts = facts_of([*given, *tests])
    if facts.contradictory():
        return None
    kept = list(dict.fromkeys(tests))
    for test in list(kept):
        others = facts_of([*given, *(t for t in kept if t is not test)])
        match test:
            case Linear("!=", left):
                if _apart(others, left):
                    kept.remove(test)
            case Linear():
                goal = _differences(test)
                if goal is not None and others.proves(goal):
                    kept.remove(test)
            case AnyOf(options):
                possible = [o for o in options if not facts_of([*given, *kept, *o]).contradictory()]
                if not possible:
                    return None
                if any(
                    all((g := _differences(t)) is not None and others.proves(g) for t in o) for o in possible
                ):
                    kept.remove(test)
                elif len(possible) == 1:
                    place = kept.index(test)
                    kept[place : place + 1] = [t for t in possible[0] if t not in kept]
                elif len(possible) < len(options):
                    kept[kept.index(test)] = AnyOf(tuple(possible))
    return tuple(kept)


def _apart(facts: Bounds, left: Affine) -> bool:
    """Whether ``left >= 1`` or ``left <= -1`` follows."""
    for side in (left - 1, -left - 1):
        goal = difference(side)
        if goal is not None and facts.proves([goal]):
            return True
    return False
