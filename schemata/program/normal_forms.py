"""Normal forms by what is covered, as equations: what happens to the word aside at the end of a piece.

An item covers the words low..high without its gaps, in pieces. Its normal writing covers the word h aside
exactly if it covers h + 1. So where h ends a piece, the piece loses it; where h stands just before a piece, the
piece takes it in, and closes a gap of one word.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from schemata.language import model as m
from schemata.program.facts import conditions_of, differences_of, facts_of
from schemata.program.kinds import Kinds, Signature
from schemata.program.linear import Affine, AnyOf, Linear, linear_terms, renamed, variable
from schemata.program.model import (
    Atom,
    ColumnShape,
    Equation,
    Fixed,
    Kind,
    Parts,
    Program,
    Shape,
)

Piece = tuple[Affine, Affine]


def cover_equations(kinds: Kinds, form: int, cover: m.Cover) -> tuple[Equation, ...]:
    """Return the equations of a form's cover for the kinds met so far and those they lead to."""
    found: list[Equation] = []
    waiting = [k.number for k in kinds.found if k.form == form]
    seen = set(waiting)
    while waiting:
        number = waiting.pop()
        for equation in _of_kind(kinds, form, cover, number):
            found.append(equation)
            if equation.right.kind not in seen:
                seen.add(equation.right.kind)
                waiting.append(equation.right.kind)
    return tuple(found)


def _of_kind(kinds: Kinds, form: int, cover: m.Cover, number: int) -> list[Equation]:
    kind = kinds.found[number]
    names = [variable(column.name) for column in kind.columns]
    declared = kinds.schema.forms[form].fields
    gaps = sorted(
        k for k, column in enumerate(kind.columns) if column.name.startswith(f"{declared[cover.gaps].name}.")
    )
    plain = {f.name: variable(f.name) for f in declared}
    low, high = plain[declared[cover.low].name], plain[declared[cover.high].name]
    h = plain[declared[cover.aside].name]
    ends = [names[k] for k in gaps]
    starts = [low, *(ends[k + 1] + 1 for k in range(0, len(ends), 2))]
    stops = [*(ends[k] - 1 for k in range(0, len(ends), 2)), high]
    pieces = list(zip(starts, stops, strict=True))
    left = Atom(number, tuple(names))
    found: list[Equation] = []

    def add(after: list[Piece], *tests: Linear) -> None:
        atom = _item(kinds, kind, cover, after, h)
        if atom is not None:
            found.append(Equation(left, atom, tests))

    for q, (start, stop) in enumerate(pieces):
        before, behind = pieces[:q], pieces[q + 1 :]
        at_stop = Linear("==", h - stop)
        add([*before, (start, h - 1), *behind], at_stop, Linear(">=", stop - start - 1))
        if len(pieces) > 1:
            add([*before, *behind], at_stop, Linear("==", stop - start))
        at_start = Linear("==", h - start + 1)
        if q == 0:
            add([(h, stop), *behind], at_start)
        else:
            last = pieces[q - 1]
            add([*before, (h, stop), *behind], at_start, Linear(">=", h - last[1] - 2))
            add([*before[:-1], (last[0], stop), *behind], at_start, Linear("==", h - last[1] - 1))
    return found


def _item(kinds: Kinds, kind: Kind, cover: m.Cover, pieces: list[Piece], h: Affine) -> Atom | None:
    """Return the item that covers these pieces, otherwise as one of a kind; None where there can be none."""
    covered = {cover.low: pieces[0][0], cover.high: pieces[-1][1], cover.aside: h}
    signature: list[Signature] = []
    terms: list[Affine] = []
    for k, shape in enumerate(kind.shapes):
        if k == cover.gaps:
            signature.append((("position", "position"),) * (len(pieces) - 1))
            for one, other in itertools.pairwise(pieces):
                terms += [one[1] + 1, other[0] - 1]
        elif k in covered:
            signature.append("position")
            terms.append(covered[k])
        else:
            signature.append(_as_it_is(kind, shape, terms))
    number = kinds.number(kind.form, tuple(signature))
    return None if number is None else Atom(number, tuple(terms))


def _as_it_is(kind: Kind, shape: Shape, terms: list[Affine]) -> Signature:
    """Return the signature of a field that is not about what is covered; `terms` gets its columns."""
    match shape:
        case Fixed(value):
            return value
        case ColumnShape(k):
            terms.append(variable(kind.columns[k].name))
            return kind.columns[k].sort
        case Parts(parts):
            return tuple(_as_it_is(kind, part, terms) for part in parts)


def leads_in(program: Program, equation: Equation) -> bool:
    """Whether it is seen that a writing's conditions imply those of what the equation makes of it."""
    known = [*conditions_of(program.kinds, equation.left), *equation.tests]
    return not _unproved(known, conditions_of(program.kinds, equation.right))


def fitting(program: Program, equation: Equation) -> list[Linear | AnyOf]:
    """Return the conditions of an equation's left side that those of the right one do not imply."""
    known = [*conditions_of(program.kinds, equation.right), *equation.tests]
    return _unproved(known, conditions_of(program.kinds, equation.left))


def as_written(program: Program) -> frozenset[int]:
    """Return the kinds of hypotheses that may not be in normal form: they match as written only."""
    found: set[int] = set()
    for clause in program.hypotheses:
        kind = clause.atom.kind
        for equation in program.equations.get(program.kinds[kind].form, ()):
            if equation.left.kind != kind:
                continue
            terms = [*equation.left.terms, *(t for test in equation.tests for t in linear_terms(test))]
            names = {x for t in terms for x in t.names if x != "n" and not x.startswith("'")}
            again = {x: variable(f"{x}'") for x in names}
            pairs = zip(clause.atom.terms, equation.left.terms, strict=True)
            same = [Linear("==", a - b.substitute(again)) for a, b in pairs]
            tests = [*clause.tests, *(renamed(t, again) for t in equation.tests)]
            if not facts_of([*conditions_of(program.kinds, clause.atom), *tests, *same]).contradictory():
                found.add(kind)
    return frozenset(found)


def _unproved(known: Sequence[Linear | AnyOf], wanted: Sequence[Linear | AnyOf]) -> list[Linear | AnyOf]:
    """Return the tests that do not follow from what is known, as far as differences show."""
    facts = facts_of(known)
    if facts.contradictory():
        return []
    found: list[Linear | AnyOf] = []
    for test in wanted:
        options = test.options if isinstance(test, AnyOf) else ((test,),)
        proved = (
            all(((goal := differences_of([t])) and facts.proves(goal)) or _is_true(t) for t in option)
            for option in options
        )
        if test not in known and not any(proved):
            found.append(test)
    return found


def _is_true(test: Linear) -> bool:
    return not test.left.terms and test.holds({})


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
