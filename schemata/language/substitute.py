"""Substitution of terms for variables, terms that may have one value, folding of the constant parts of a condition.

Substitution carries an item form's conditions over to one item of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from schemata.language import model as m
from schemata.records import remembered


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
    return _item_conditions(form.where, tuple(field.name for field in form.fields), terms)


@remembered
def _item_conditions(
    where: tuple[m.Term, ...], names: tuple[str, ...], terms: tuple[m.Term, ...]
) -> tuple[m.Term, ...]:
    given = dict(zip(names, terms, strict=True))
    found = []
    for condition in where:
        if any(isinstance(given.get(name), m.Any) for name in m.variables(condition)):
            continue
        found.append(substitute(condition, given))
    return tuple(found)


def substitute(term: m.Term, given: Mapping[str, m.Term]) -> m.Term:
    """Return a term with the given terms in place of variables."""
    replaced: m.Term = m.rewrite(term, lambda node: _replacement(node, given))
    return replaced


def _replacement(node: object, given: Mapping[str, m.Term]) -> object:
    """Return the replacement of a node that is more than the replacement of its parts, else None."""
    match node:
        case m.Var(name):
            return given.get(name, node)
        case m.Length(name):
            return _length(given[name]) if name in given else node
        case m.Linear(constant, atoms):
            return sum_of(constant, [(substitute(atom, given), k) for atom, k in atoms])
        case m.Member(element, m.Var(name)) if name in given:
            return _member(substitute(element, given), given[name])
        case m.Without(m.Var(name) as region, taken):
            value = given.get(name, region)
            rest: m.Interval | m.Var | m.ListTerm = m.rewrite(taken, lambda node: _replacement(node, given))
            return m.Without(value if isinstance(value, m.Var) else region, rest)
        case m.InOrder(operand):
            return _in_order(substitute(operand, given))
        case m.AllWithin(intervals, m.Interval(low, high)):
            outer = m.Interval(substitute(low, given), substitute(high, given))
            return _all_within(substitute(intervals, given), outer)
        case m.ListTerm(elements):
            return m.ListTerm(tuple(x for e in elements for x in _spliced(e, given)))
        case m.Labels() | m.Splice():
            return node
    return node if isinstance(node, m.HasFact) else None


def sum_of(constant: int, parts: Iterable[tuple[m.Term, int]]) -> m.Term:
    """Return the sum of multiples of terms; Any where one of them is not a number."""
    total: dict[m.Var | m.Length, int] = {}
    for term, coefficient in parts:
        form = linear_form(term)
        if form is None:
            return m.Any()
        constant += coefficient * form[0]
        for x, k in form[1]:
            total[x] = total.get(x, 0) + coefficient * k
    return linear_of(constant, total)


def linear_form(term: m.Term) -> tuple[int, tuple[tuple[m.Var | m.Length, int], ...]] | None:
    """Return the constant of a term that is a number, and its variables with their coefficients; None for others."""
    match term:
        case m.Lit(int() as number):
            return number, ()
        case m.Linear(constant, atoms):
            return constant, atoms
        case m.Var() | m.Length():
            return 0, ((term, 1),)
    return None


def solved(left: m.Term, right: m.Term, wanted: m.Var) -> m.Term | None:
    """Return the term that an equation says a variable is; None where it does not.

    >>> solved(m.Linear(1, ((m.Var("m"), 1),)), m.Var("j"), m.Var("m"))
    Linear(constant=-1, atoms=((Var(name='j', optional=False), 1),))
    """
    for one, other in ((left, right), (right, left)):
        if one == wanted:
            return other
    form = linear_form(sum_of(0, [(left, 1), (right, -1)]))
    factor = 0 if form is None else dict(form[1]).get(wanted, 0)
    return sum_of(0, [(left, -factor), (right, factor), (wanted, 1)]) if abs(factor) == 1 else None


def _spliced(element: m.Term, given: Mapping[str, m.Term]) -> tuple[m.Term, ...]:
    """Return the substituted elements for one element of a list: a splice of a list term becomes its
    elements.
    """
    if isinstance(element, m.Splice) and element.name in given:
        match given[element.name]:
            case m.Var(name):
                return (m.Splice(name),)
            case m.ListTerm(elements):
                return elements
    return (substitute(element, given),)


def _pairs(term: m.Term) -> list[tuple[m.Term, m.Term]] | None:
    """Return the ends of intervals that are written out one by one, or None if they are not."""
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
    tests += [m.Compare("<", sum_of(1, [(a[1], 1)]), b[0]) for a, b in pairwise(pairs)]
    return m.Junction("and", tuple(tests)) if tests else m.Lit(True)


def _all_within(term: m.Term, outer: m.Interval) -> m.Term:
    """The comparisons by which ordered intervals, written out, lie in another."""
    pairs = _pairs(term)
    if pairs is None:
        return m.AllWithin(term, outer)
    if not pairs:
        return m.Lit(True)
    ends = (m.Compare("<=", outer.low, pairs[0][0]), m.Compare("<=", pairs[-1][1], outer.high))
    return m.Junction("and", ends)


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
            return _junction("or", tests)
        case m.Positions(low, high):
            return m.Member(element, m.Interval(low, high))
        case m.WithArc(arcs, arc):
            return _junction("or", [_member(element, arcs), m.Compare("==", element, arc)])
    return m.Any()


def _length(term: m.Term) -> m.Term:
    match term:
        case m.Var(name):
            return m.Length(name)
        case m.ListTerm(elements) if not any(isinstance(e, m.Run) for e in elements):
            sizes = (m.Length(e.name) if isinstance(e, m.Splice) else m.Lit(1) for e in elements)
            return sum_of(0, ((size, 1) for size in sizes))
    return m.Any()


# Values in common --------------------------------------------------------------------------------------------


def may_be_equal(one: m.Term, other: m.Term) -> bool:
    """Whether two terms, of different rules, may have one value.

    >>> may_be_equal(m.ListTerm((m.Lit(1), m.Splice("A"))), m.ListTerm((m.Run(m.Any()), m.Lit(2))))
    True
    >>> may_be_equal(m.ListTerm((m.Lit(1), m.Splice("A"))), m.ListTerm((m.Lit(2),)))
    False
    """
    match one, other:
        case m.Lit(x), m.Lit(y):
            return x == y and type(x) is type(y)
        case (m.Lit(None), m.Var(_, optional)) | (m.Var(_, optional), m.Lit(None)):
            return optional
        case (m.Lit(None), term) | (term, m.Lit(None)):
            return not isinstance(term, (m.Linear, m.Length, m.TupleTerm, m.ListTerm))
        case m.TupleTerm(left), m.TupleTerm(right):
            return all(map(may_be_equal, left, right))
        case m.ListTerm(left), m.ListTerm(right):
            return _lists_may_be_equal(left, right)
    return True


def _lists_may_be_equal(left: Sequence[m.Term], right: Sequence[m.Term]) -> bool:
    """Walk through two list patterns at once; a place is reached once, so that stars do not multiply."""
    reached, waiting = {(0, 0)}, [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        if (i, j) == (len(left), len(right)):
            return True
        a, b = left[i] if i < len(left) else None, right[j] if j < len(right) else None
        starred_a, starred_b = isinstance(a, m.Run | m.Splice), isinstance(b, m.Run | m.Splice)
        steps = [(i + 1, j)] * starred_a + [(i, j + 1)] * starred_b
        if a is not None and b is not None and may_be_equal(_shape(a), _shape(b)):
            steps.append((i + (not starred_a), j + (not starred_b)))
        waiting += [step for step in steps if step not in reached]
        reached.update(steps)
    return False


def _shape(element: m.Term) -> m.Term:
    """Return the pattern of the elements that a part of a list term stands for."""
    match element:
        case m.Run(shape):
            return shape
    return m.Any() if isinstance(element, m.Splice) else element


# Folding -----------------------------------------------------------------------------------------------------


def _junction(word: Literal["and", "or"], parts: Sequence[m.Term]) -> m.Term:
    """Return conditions joined as one: a junction of several, a single one as it is, a constant for none."""
    if not parts:
        return m.Lit(word == "and")
    return parts[0] if len(parts) == 1 else m.Junction(word, tuple(parts))


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
            parts = [fold(operand) for operand in operands]
            if m.Lit(not neutral) in parts:
                return m.Lit(not neutral)
            return _junction(word, [part for part in parts if part != m.Lit(neutral)])
        case m.Compare("<=" | "<", m.Lit(None), _) | m.Compare("<=" | "<", _, m.Lit(None)):
            return m.Lit(False)
        case m.Compare(relation, m.Lit(a), m.Lit(b)):
            if relation in ("==", "!="):
                return m.Lit((a == b) == (relation == "=="))
            numbers = isinstance(a, int) and isinstance(b, int)
            return m.Lit(numbers and (a <= b if relation == "<=" else a < b))  # type: ignore[operator]
        case m.IsAbsent(m.Lit(value)):
            return m.Lit(value is None)
        case m.IsAbsent(m.Linear() | m.Length()):
            return m.Lit(False)
    return term
