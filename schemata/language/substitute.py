"""Substitution of terms for variables, and folding of what is constant in a condition.

Substitution carries an item form's conditions over to one item of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from schemata.language import model as m


def linear_of(constant: int, atoms: Mapping[m.Var | m.Length, int]) -> m.Term:
    """Return the simplest term for a linear form: a constant, a variable, or a `Linear`.

    >>> linear_of(0, {m.Var("i"): 1, m.Var("j"): 0})
    Var(name='i', optional=False)
    """
    kept = {atom: coefficient for atom, coefficient in atoms.items() if coefficient}
    if not kept:
        return m.Lit(constant)
    if constant == 0 and len(kept) == 1:
        ((atom, coefficient),) = kept.items()
        if coefficient == 1:
            return atom
    return m.Linear(constant, tuple(kept.items()))


def item_conditions(form: m.Form, terms: tuple[m.Term, ...]) -> tuple[m.Term, ...]:
    """Return the conditions of an item form as conditions on the terms of one item.

    Conditions on a field that an item leaves open (`_`) are left out. Where the form has a normal form, the
    conditions hold for every writing of an item.
    """
    given = {field.name: term for field, term in zip(form.fields, terms, strict=True)}
    found = []
    for condition in form.where:
        if any(isinstance(given.get(name), m.Any) for name in m.variables(condition)):
            continue
        found.append(substitute(condition, given))
    return tuple(found)


def case_facts(schema: m.Schema, case: m.Case) -> tuple[m.Term, ...]:
    """Return what the antecedents' item forms guarantee of the case's variables."""
    return tuple(
        condition
        for antecedent in case.antecedents
        for condition in item_conditions(schema.form(antecedent.pattern.form), antecedent.pattern.terms)
    )


def substitute(term: m.Term, given: Mapping[str, m.Term]) -> m.Term:
    """Return a term with the given terms in place of variables."""
    match term:
        case m.Var(name):
            return given.get(name, term)
        case m.Length(name):
            return _length(given[name]) if name in given else term
        case m.Linear(constant, atoms):
            total: dict[m.Var | m.Length, int] = {}
            for atom, coefficient in atoms:
                match substitute(atom, given):
                    case m.Lit(int() as number):
                        constant += coefficient * number
                    case m.Linear(more, inner):
                        constant += coefficient * more
                        for x, k in inner:
                            total[x] = total.get(x, 0) + coefficient * k
                    case m.Var() | m.Length() as x:
                        total[x] = total.get(x, 0) + coefficient
                    case _:
                        return m.Any()
            return linear_of(constant, total)
        case m.Not(operand):
            return m.Not(substitute(operand, given))
        case m.Junction(word, operands):
            return m.Junction(word, tuple(substitute(o, given) for o in operands))
        case m.Compare(relation, left, right):
            return m.Compare(relation, substitute(left, given), substitute(right, given))
        case m.Member(element, m.Var(name)) if name in given:
            return _member(substitute(element, given), given[name])
        case m.Member(element, region):
            return m.Member(substitute(element, given), _region(region, given))
        case m.IsAbsent(operand):
            return m.IsAbsent(substitute(operand, given))
        case m.InOrder(operand):
            return _in_order(substitute(operand, given))
        case m.AllWithin(intervals, outer):
            within = _region(outer, given)
            assert isinstance(within, m.Interval)
            return _all_within(substitute(intervals, given), within)
        case m.ListTerm(elements):
            return m.ListTerm(tuple(x for e in elements for x in _spliced(e, given)))
        case m.TupleTerm(terms):
            return m.TupleTerm(tuple(substitute(t, given) for t in terms))
        case m.Run(shape):
            return m.Run(substitute(shape, given))
        case m.Matches(left, right):
            return m.Matches(substitute(left, given), substitute(right, given))
        case m.Reversed(operand):
            return m.Reversed(substitute(operand, given))
        case m.AtDot(operand):
            return m.AtDot(substitute(operand, given))
    return term


def _spliced(element: m.Term, given: Mapping[str, m.Term]) -> tuple[m.Term, ...]:
    """Return what an element of a list becomes: a spliced list that is written out, its elements."""
    if isinstance(element, m.Splice) and element.name in given:
        match given[element.name]:
            case m.Var(name):
                return (m.Splice(name),)
            case m.ListTerm(elements):
                return elements
    return (substitute(element, given),)


def _pairs(term: m.Term) -> list[tuple[m.Term, m.Term]] | None:
    """Return the ends of intervals that are written out one by one, or None where they are not."""
    if not isinstance(term, m.ListTerm):
        return None
    found = [(e.terms[0], e.terms[1]) for e in term.elements if isinstance(e, m.TupleTerm)]
    return found if len(found) == len(term.elements) else None


def _in_order(term: m.Term) -> m.Term:
    """Return the order of intervals as comparisons of their ends, where they are written out."""
    pairs = _pairs(term)
    if pairs is None:
        return m.InOrder(term)
    tests: list[m.Term] = [m.Compare("<=", left, right) for left, right in pairs]
    tests += [m.Compare("<", _plus_one(a[1]), b[0]) for a, b in pairwise(pairs)]
    return m.Junction("and", tuple(tests)) if tests else m.Lit(True)


def _all_within(term: m.Term, outer: m.Interval) -> m.Term:
    """Return that ordered intervals lie in another as comparisons, where they are written out."""
    pairs = _pairs(term)
    if pairs is None:
        return m.AllWithin(term, outer)
    if not pairs:
        return m.Lit(True)
    ends = (m.Compare("<=", outer.low, pairs[0][0]), m.Compare("<=", pairs[-1][1], outer.high))
    return m.Junction("and", ends)


def _plus_one(term: m.Term) -> m.Term:
    match term:
        case m.Lit(int() as number):
            return m.Lit(number + 1)
        case m.Linear(constant, atoms):
            return linear_of(constant + 1, dict(atoms))
        case m.Var() | m.Length():
            return linear_of(1, {term: 1})
    return m.Any()


def _region(region: m.Region, given: Mapping[str, m.Term]) -> m.Region:
    match region:
        case m.Interval(low, high):
            return m.Interval(substitute(low, given), substitute(high, given))
        case m.Without(left, right):
            if isinstance(right, m.Interval):
                taken: m.Region | m.Term = _region(right, given)
            else:
                taken = substitute(right, given)
            assert isinstance(taken, m.Interval | m.Var | m.ListTerm)
            return m.Without(_region(left, given), taken)
        case m.Var(name):
            value = given.get(name, region)
            return value if isinstance(value, m.Var) else region


def _member(element: m.Term, container: m.Term) -> m.Term:
    """Return membership in a list that may be written out: equal to an element or in a spliced list."""
    match container:
        case m.Var():
            return m.Member(element, container)
        case m.ListTerm(elements) if not any(isinstance(e, m.Run) for e in elements):
            tests: list[m.Term] = [
                m.Member(element, m.Var(e.name)) if isinstance(e, m.Splice) else m.Compare("==", element, e)
                for e in elements
            ]
            if not tests:
                return m.Lit(False)
            return tests[0] if len(tests) == 1 else m.Junction("or", tuple(tests))
    return m.Any()


def _length(term: m.Term) -> m.Term:
    match term:
        case m.Var(name):
            return m.Length(name)
        case m.ListTerm(elements):
            spliced: dict[m.Var | m.Length, int] = {}
            fixed = 0
            for element in elements:
                match element:
                    case m.Splice(name):
                        spliced[m.Length(name)] = spliced.get(m.Length(name), 0) + 1
                    case m.Run():
                        return m.Any()
                    case _:
                        fixed += 1
            return linear_of(fixed, spliced)
    return m.Any()


def fold(term: m.Term) -> m.Term:
    """Return an equivalent condition in which constants are worked out."""
    match term:
        case m.Not(operand):
            inner = fold(operand)
            match inner:
                case m.Lit(bool() as value):
                    return m.Lit(not value)
                case m.Not(double):
                    return double
            return m.Not(inner)
        case m.Junction(word, operands):
            neutral = word == "and"
            kept: list[m.Term] = []
            for operand in operands:
                inner = fold(operand)
                if inner == m.Lit(not neutral):
                    return inner
                if inner != m.Lit(neutral):
                    kept.append(inner)
            if not kept:
                return m.Lit(neutral)
            return kept[0] if len(kept) == 1 else m.Junction(word, tuple(kept))
        case m.Compare(relation, m.Lit(a), m.Lit(b)):
            if relation in ("==", "!="):
                return m.Lit((a == b) == (relation == "=="))
            if isinstance(a, int) and isinstance(b, int):
                return m.Lit(a <= b if relation == "<=" else a < b)
            return m.Lit(False)
        case m.IsAbsent(m.Lit(value)):
            return m.Lit(value is None)
        case m.IsAbsent(m.Linear() | m.Length()):
            return m.Lit(False)
    return term
