"""Normal forms of one item at a time, read from a program's equations; kernels have the same as code."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.engine.lowering.linear import Affine, Linear
from schemata.engine.lowering.model import Atom, Equation, Program

__all__ = ["matched", "normal", "rewritten", "writings"]

Written = tuple[int, tuple[int, ...]]  # kind and columns


def rewritten(
    program: Program, kind: int, columns: tuple[int, ...], n: int, symbols: Sequence[str]
) -> Written | None:
    """Return what the first equation that applies makes of a writing, None where none does."""
    for equation in program.equations.get(program.kinds[kind].form, ()):
        if equation.left.kind == kind:
            found = _applied(equation, equation.left, equation.right, columns, n, symbols)
            if found is not None:
                return found
    return None


def normal(program: Program, kind: int, columns: tuple[int, ...], n: int, symbols: Sequence[str]) -> Written:
    """Return a writing's normal form; the caller knows that there is one."""
    here: Written = kind, columns
    for _ in range(1000):
        further = rewritten(program, *here, n, symbols)
        if further is None:
            break
        here = further
    return here


def writings(
    program: Program, kind: int, columns: tuple[int, ...], n: int, symbols: Sequence[str]
) -> list[Written]:
    """Return all writings of an item that is in normal form."""
    reached: dict[Written, None] = {(kind, columns): None}
    waiting: list[Written] = [(kind, columns)]
    while waiting:
        here, row = waiting.pop()
        for equation in program.equations.get(program.kinds[here].form, ()):
            if equation.right.kind == here:
                found = _applied(equation, equation.right, equation.left, row, n, symbols)
                if found is not None and found not in reached:
                    reached[found] = None
                    waiting.append(found)
    return [w for w in reached if normal(program, *w, n, symbols) == (kind, columns) and _fits(program, w, n)]


def _fits(program: Program, written: Written, n: int) -> bool:
    kind = program.kinds[written[0]]
    given = {"n": n, **{c.name: v for c, v in zip(kind.columns, written[1], strict=True)}}
    return all(
        test.holds(given)
        if isinstance(test, Linear)
        else any(all(t.holds(given) for t in option) for option in test.options)
        for test in kind.conditions
    )


def matched(atom: Atom, columns: Sequence[int], given: dict[str, int]) -> dict[str, int] | None:
    """Return the values of variables that make an atom's terms equal to columns, None where none do."""
    found = dict(given)
    waiting = list(zip(atom.terms, columns, strict=True))
    while waiting:
        before = len(waiting)
        for pair in list(waiting):
            term, value = pair
            unknown = [x for x in term.names if x not in found]
            if len(unknown) > 1:
                continue
            waiting.remove(pair)
            if not unknown:
                if term.value(found) != value:
                    return None
                continue
            k = term.coefficient(unknown[0])
            rest = value - Affine.of(term.constant, ((x, c) for x, c in term.terms if x != unknown[0])).value(
                found
            )
            if rest % k:
                return None
            found[unknown[0]] = rest // k
        if len(waiting) == before:
            raise AssertionError("a term with two unknown variables")
    return found


def _applied(
    equation: Equation, source: Atom, target: Atom, columns: tuple[int, ...], n: int, symbols: Sequence[str]
) -> Written | None:
    given = {"n": n, **{f"'{s}'": k for k, s in enumerate(symbols)}}
    equal = [t.left for t in equation.tests if isinstance(t, Linear) and t.relation == "=="]
    found = matched(Atom(source.kind, (*source.terms, *equal)), (*columns, *(0 for _ in equal)), given)
    if found is None:
        return None
    for test in equation.tests:
        if isinstance(test, Linear):
            if not test.holds(found):
                return None
        elif not any(all(t.holds(found) for t in option) for option in test.options):
            return None
    return target.kind, tuple(t.value(found) for t in target.terms)
