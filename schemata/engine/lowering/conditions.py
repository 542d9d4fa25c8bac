"""Terms and conditions of the language as linear terms and tests, once flags, lists and absences are chosen."""

from __future__ import annotations

from schemata.engine.lowering.linear import Affine, AnyOf, Linear, constant, variable
from schemata.engine.lowering.model import NotLowerable
from schemata.language import model as m

__all__ = ["affine", "alternatives", "tests_of"]

Conjunction = tuple[Linear, ...]
TRUE: tuple[Conjunction, ...] = ((),)
FALSE: tuple[Conjunction, ...] = ()
LIMIT = 64  # conjunctions that one condition may become


def affine(term: m.Term) -> Affine:
    """Return a position or symbol as a linear term.

    Raises
    ------
    NotLowerable : the term is neither.
    """
    match term:
        case m.Lit(bool() | None):
            pass
        case m.Lit(int() as number):
            return constant(number)
        case m.Lit(str() as symbol):
            return variable(f"'{symbol}'")
        case m.Var(name):
            return variable(name)
        case m.Linear(number, atoms) if all(isinstance(atom, m.Var) for atom, _ in atoms):
            return Affine.of(number, ((atom.name, k) for atom, k in atoms))
    raise NotLowerable("a length of a list, or another term that is no linear one")


def tests_of(condition: m.Term) -> tuple[Linear | AnyOf, ...] | None:
    """Return a condition as tests that must all hold, or None where it never does.

    Raises
    ------
    NotLowerable : some part of it has no linear form.
    """
    if isinstance(condition, m.Junction) and condition.word == "and":
        found: list[Linear | AnyOf] = []
        for part in condition.operands:
            inner = tests_of(part)
            if inner is None:
                return None
            found += inner
        return tuple(found)
    options = alternatives(condition)
    if not options:
        return None
    if any(not option for option in options):
        return ()
    return options[0] if len(options) == 1 else (AnyOf(options),)


def alternatives(term: m.Term, holds: bool = True) -> tuple[Conjunction, ...]:
    """Return a condition, or its opposite, as a disjunction of conjunctions of linear tests."""
    match term:
        case m.Lit(bool() as value):
            return TRUE if value == holds else FALSE
        case m.Not(operand):
            return alternatives(operand, not holds)
        case m.Junction(word, operands):
            parts = [alternatives(operand, holds) for operand in operands]
            return _all(parts) if (word == "and") == holds else _any(parts)
        case m.IsAbsent(operand):
            return TRUE if (operand == m.Lit(None)) == holds else FALSE
        case m.Compare(relation, left, right):
            return _compare(relation, left, right, holds)
        case m.Member(element, region):
            return _member(element, region, holds)
        case m.InOrder() | m.AllWithin():
            raise NotLowerable("a list of intervals without a bound")
    raise NotLowerable("a condition that has no linear form")


def _all(parts: list[tuple[Conjunction, ...]]) -> tuple[Conjunction, ...]:
    found: tuple[Conjunction, ...] = TRUE
    for part in parts:
        found = tuple(dict.fromkeys((*a, *(t for t in b if t not in a)) for a in found for b in part))
        if len(found) > LIMIT:
            raise NotLowerable("a condition with very many alternatives")
    return found


def _any(parts: list[tuple[Conjunction, ...]]) -> tuple[Conjunction, ...]:
    found = tuple(dict.fromkeys(option for part in parts for option in part))
    if () in found:
        return TRUE
    if len(found) > LIMIT:
        raise NotLowerable("a condition with very many alternatives")
    return found


def _compare(relation: str, left: m.Term, right: m.Term, holds: bool) -> tuple[Conjunction, ...]:
    if relation in ("==", "!="):
        return _equal(left, right, holds == (relation == "=="))
    if m.Lit(None) in (left, right):  # an order with an absent value is false
        return FALSE if holds else TRUE
    more = affine(right) - affine(left)
    strict = relation == "<"
    if holds:
        return _linear(">=", more - 1 if strict else more)
    return _linear(">=", -more if strict else -more - 1)


def _equal(left: m.Term, right: m.Term, holds: bool) -> tuple[Conjunction, ...]:
    if m.Lit(None) in (left, right):
        return TRUE if (left == right) == holds else FALSE
    for one, other in ((left, right), (right, left)):
        if isinstance(other, m.Lit) and isinstance(other.value, bool):
            return alternatives(one, other.value == holds)
    parts, others = _parts(left), _parts(right)
    if parts is not None and others is not None:
        if len(parts) != len(others):
            return FALSE if holds else TRUE
        pairs = [_equal(a, b, holds) for a, b in zip(parts, others, strict=True)]
        return _all(pairs) if holds else _any(pairs)
    return _linear("==" if holds else "!=", affine(left) - affine(right))


def _parts(term: m.Term) -> tuple[m.Term, ...] | None:
    match term:
        case m.TupleTerm(parts):
            return parts
        case m.ListTerm(parts):
            return parts
    return None


def _member(element: m.Term, region: m.Region, holds: bool) -> tuple[Conjunction, ...]:
    match region:
        case m.Interval(low, high):
            inside = (m.Compare("<=", low, element), m.Compare("<=", element, high))
            return alternatives(m.Junction("and", inside), holds)
        case m.Without(left, m.Interval() as taken):
            parts = [_member(element, left, holds), _member(element, taken, not holds)]
        case m.Without(left, m.ListTerm(intervals)):
            parts = [_member(element, left, holds)]
            for interval in intervals:
                if not isinstance(interval, m.TupleTerm):
                    raise NotLowerable("a list of intervals without a bound")
                parts.append(_member(element, m.Interval(*interval.terms), not holds))
        case _:
            raise NotLowerable("membership in a list without a bound")
    return _all(parts) if holds else _any(parts)


def _linear(relation: str, left: Affine) -> tuple[Conjunction, ...]:
    """Return one linear test; what holds for no values, or for all, is decided here."""
    if relation == ">=":
        if not left.terms:
            return TRUE if left.constant >= 0 else FALSE
        return ((Linear(">=", left),),)
    if not left.terms or _distinct_symbols(left):
        equal = not left.terms and left.constant == 0
        return TRUE if equal == (relation == "==") else FALSE
    return ((Linear("==" if relation == "==" else "!=", left),),)


def _distinct_symbols(left: Affine) -> bool:
    return len(left.terms) == 2 and all(x.startswith("'") for x in left.names)
