"""Normal forms as equations between kinds: they rewrite items from left to right, and list writings from right to left.

A form may instead declare the words that its items cover: low..high without the gaps, in pieces. The normal
writing of an item covers the word h exactly if it covers h + 1. So where h ends a piece, the piece loses it;
where h stands just before a piece, the piece takes it in, and closes a gap of one word.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemata.language import model as m
from schemata.language.bounds import NotLinear
from schemata.language.substitute import fold, substitute, sum_of
from schemata.program.facts import conditions_of, facts_of, implied, simplified
from schemata.program.kinds import Kinds, choices_of, tests_of
from schemata.program.linear import AnyOf, Linear, learn, linear_terms, variable
from schemata.program.model import Atom, Equation, Kind, NotLowerable, Program

Piece = tuple[m.Term, m.Term]
# An equation: its sides, its conditions, and the types of its variables.
Line = tuple[Sequence[m.Term], Sequence[m.Term], Sequence[m.Condition], Mapping[str, m.Type]]


def form_equations(kinds: Kinds, number: int) -> tuple[Equation, ...]:
    """Return the equations of a form with a normal form, between kinds.

    Raises
    ------
    NotLowerable : they are over lists without a bound, or a condition is not linear.
    """
    form = kinds.forms[number]
    lines: Iterable[Line] = [(e.left, e.right, e.conditions, e.types) for e in form.equations]
    if form.cover is not None:
        most = kinds.bounds(form)[form.cover.gaps]
        if most is None:
            raise NotLowerable.of("a normal form over lists without a bound")
        lines = cover_lines(form, form.cover, most)
    return tuple(e for line in lines for e in lowered_equations(kinds, form, *line))


def cover_lines(form: m.Form, cover: m.Cover, most: int) -> Iterator[Line]:
    """Yield the equations of a form's cover for items with up to `most` gaps."""
    fields = [m.Var(f.name) for f in form.fields]
    low, high, h = fields[cover.low], fields[cover.high], fields[cover.aside]
    types = {f.name: f.type for k, f in enumerate(form.fields) if k != cover.gaps}
    gaps = form.fields[cover.gaps].name
    ends = [(m.Var(f"{gaps}.{k + 1}.1"), m.Var(f"{gaps}.{k + 1}.2")) for k in range(most)]
    types |= {end.name: m.POSITION for gap in ends for end in gap}

    def plus(term: m.Term, number: int) -> m.Term:
        return sum_of(number, [(term, 1)])

    def item(pieces: Sequence[Piece]) -> tuple[m.Term, ...]:
        pairs = (m.TupleTerm((plus(one[1], 1), plus(two[0], -1))) for one, two in itertools.pairwise(pieces))
        terms: list[m.Term] = list(fields)
        terms[cover.low], terms[cover.high] = pieces[0][0], pieces[-1][1]
        terms[cover.gaps] = m.ListTerm(tuple(pairs))
        return tuple(terms)

    for count in range(most + 1):
        starts = [low, *(plus(right, 1) for _, right in ends[:count])]
        stops = [*(plus(left, -1) for left, _ in ends[:count]), high]
        pieces: list[Piece] = list(zip(starts, stops, strict=True))
        for q, (start, stop) in enumerate(pieces):
            before, behind = pieces[:q], pieces[q + 1 :]
            at_stop, at_start = m.Compare("==", h, stop), m.Compare("==", h, plus(start, -1))
            is_one, is_more = m.Compare("==", stop, start), m.Compare("<", start, stop)
            ways: list[tuple[list[Piece], tuple[m.Condition, ...]]] = [
                ([*before, (start, plus(h, -1)), *behind], (at_stop, is_more))
            ]
            if before or behind:
                ways.append(([*before, *behind], (at_stop, is_one)))
            if not before:
                ways.append(([(h, stop), *behind], (at_start,)))
            else:
                first, last = before[-1][0], plus(before[-1][1], 1)
                ways.append(([*before, (h, stop), *behind], (at_start, m.Compare("<", last, h))))
                ways.append(([*before[:-1], (first, stop), *behind], (at_start, m.Compare("==", h, last))))
            for after, conditions in ways:
                yield item(pieces), item(after), conditions, types


def lowered_equations(
    kinds: Kinds,
    form: m.Form,
    one_side: Sequence[m.Term],
    other_side: Sequence[m.Term],
    conditions: Sequence[m.Condition],
    types: Mapping[str, m.Type],
) -> Iterator[Equation]:
    """Yield the lines of a normal form between kinds that one equation stands for."""
    for given, _ in choices_of(kinds, types):
        left, right = (
            m.Pattern(form.name, tuple(fold(substitute(t, given)) for t in side))
            for side in (one_side, other_side)
        )
        tests: list[Linear | AnyOf] = []
        possible = True
        for condition in conditions:
            if isinstance(condition, m.HasFact):
                raise NotLowerable.of("a normal form with a condition on the grammar")
            try:
                more = tests_of(fold(substitute(condition, given)))
            except NotLinear:
                raise NotLowerable.of("a normal form with a condition that is not linear") from None
            possible = possible and more is not None
            tests += more or ()
        if not possible:
            continue
        for one, other in itertools.product(kinds.writings(left), kinds.writings(right)):
            atoms = kinds.atom(left, one), kinds.atom(right, other)
            if atoms[0] is None:
                continue
            if atoms[1] is None:
                if form.cover is None and simplified(conditions_of(kinds.found, atoms[0]), tests) is not None:
                    raise NotLowerable.of("a normal form that leads to items which their form rules out")
            elif one[2] or other[2] or any(kinds.found[a.kind].asks for a in atoms if a is not None):
                raise NotLowerable.of("a normal form over lists without a bound")
            elif not is_determined(atoms[0], tests):
                raise NotLowerable.of("a normal form with a condition that binds a variable")
            else:
                given_left = [*conditions_of(kinds.found, atoms[0]), *tests]
                for test in other_than(given_left, atoms[0], atoms[1]) if form.cover is None else [()]:
                    yield Equation(atoms[0], atoms[1], (*tests, *test))


def other_than(known: Sequence[Linear | AnyOf], left: Atom, right: Atom) -> list[tuple[Linear | AnyOf, ...]]:
    """Return the test that an equation needs so as not to rewrite a writing into itself.

    Parameters
    ----------
    known : what holds wherever the equation applies.
    left, right : its sides.

    Returns
    -------
    The test alone or, where it always holds, without a test; an empty list where it never holds.
    """
    if left.kind != right.kind:
        return [()]
    apart = [one - other for one, other in zip(left.terms, right.terms, strict=True) if one != other]
    facts = facts_of([*known, *(Linear("==", term) for term in apart)])
    if facts.contradictory() or any(implied(facts, Linear("!=", term)) for term in apart):
        return [()]
    tests = [Linear("!=", term) for term in apart]
    return [(AnyOf(tuple((test,) for test in tests)),)] if len(tests) > 1 else [(test,) for test in tests]


def is_determined(atom: Atom, tests: Sequence[Linear | AnyOf]) -> bool:
    """Whether the columns of an item determine all variables of its pattern and of the tests."""
    known = {"n"}
    learn(known, atom.terms)
    names = {x for term in linear_terms((atom, tuple(tests))) for x in term.names}
    return all(x in known or x.startswith("'") for x in names)


def leads_in(kinds: Sequence[Kind], equation: Equation) -> bool:
    """Whether it is seen that a writing's conditions imply those of what the equation makes of it."""
    known = [*conditions_of(kinds, equation.left), *equation.tests]
    return not _unproved(known, conditions_of(kinds, equation.right))


def fitting(kinds: Sequence[Kind], equation: Equation) -> list[Linear | AnyOf]:
    """Return the conditions of an equation's left side that those of the right one do not imply."""
    known = [*conditions_of(kinds, equation.right), *equation.tests]
    return _unproved(known, conditions_of(kinds, equation.left))


def as_written(program: Program) -> frozenset[int]:
    """Return the kinds of hypotheses that may not be in normal form: they match as written only."""
    found: set[int] = set()
    for clause in program.hypotheses:
        kind = clause.atom.kind
        for equation in program.equations.get(program.kinds[kind].form, ()):
            if equation.left.kind != kind:
                continue
            names = {x for t in linear_terms((equation.left, equation.tests)) for x in t.variables}
            again = {x: variable(f"{x}'") for x in names}
            pairs = zip(clause.atom.terms, equation.left.terms, strict=True)
            same = [Linear("==", a - b.substitute(again)) for a, b in pairs]
            tests = [*clause.tests, *(t.substitute(again) for t in equation.tests)]
            if not facts_of([*conditions_of(program.kinds, clause.atom), *tests, *same]).contradictory():
                found.add(kind)
    return frozenset(found)


def _unproved(known: Sequence[Linear | AnyOf], wanted: Sequence[Linear | AnyOf]) -> list[Linear | AnyOf]:
    """Return the tests that do not follow from what is known, as far as differences show."""
    facts = facts_of(known)
    if facts.contradictory():
        return []
    return [test for test in wanted if test not in known and not implied(facts, test)]
