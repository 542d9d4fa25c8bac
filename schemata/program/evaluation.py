"""Terms and conditions of a schema under a binding: values, truth, and the same terms with values filled in.

A binding maps variables to values; the sentence length stands in it under `n`. An unbound variable is unknown,
not an error: a condition with unknown parts may still be false, and an item shows them as `_`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from schemata.grouping import reachable
from schemata.language import labels
from schemata.language import model as m
from schemata.language.labels import labels_match

Binding = Mapping[str, m.Value]


def evaluate(term: m.Term, binding: Binding) -> m.Value:
    """Return the value of a term.

    Raises
    ------
    LookupError : the binding does not determine it; a `KeyError` where it lacks a variable.

    >>> evaluate(m.Linear(1, ((m.Var("i"), 1),)), {"i": 3})
    4
    """
    match term:
        case m.Var(name) | m.Splice(name):
            return binding[name]
        case m.Lit(value):
            return value
        case m.Linear(constant, atoms):
            return constant + sum(k * _number(evaluate(atom, binding)) for atom, k in atoms)
        case m.Length(name):
            return len(_list(binding[name]))
        case m.TupleTerm(parts):
            return tuple([evaluate(p, binding) for p in parts])
        case m.ListTerm(elements):
            found: list[m.Value] = []
            for element in elements:
                if isinstance(element, m.Splice):
                    found += _list(binding[element.name])
                else:
                    found.append(evaluate(element, binding))
            return tuple(found)
        case m.Positions(low, high):
            return tuple(range(_number(evaluate(low, binding)), _number(evaluate(high, binding)) + 1))
        case m.WithArc(arcs, arc):
            return tuple(sorted({*pairs_of(evaluate(arcs, binding)), *pairs_of((evaluate(arc, binding),))}))
        case m.Composed(function, lists):
            return _composed(evaluate(function, binding), [_list(evaluate(x, binding)) for x in lists])
        case m.Labels():
            return labels_value(term, binding)
        case m.Reversed(operand):
            return labels.turned(_text(evaluate(operand, binding)))
        case m.AtDot(operand):
            return labels.at_dot(_text(evaluate(operand, binding)))
        case m.Any() | m.Run():
            raise LookupError("_")
    known = truth(term, binding)
    if known is None:
        raise LookupError("_")
    return known


def _number(value: m.Value) -> int:
    if not isinstance(value, int):
        raise LookupError("an absent value in arithmetic")
    return value


def _text(value: m.Value) -> str:
    assert isinstance(value, str)
    return value


def _list(value: m.Value) -> tuple[m.Value, ...]:
    assert isinstance(value, tuple)
    return value


def is_composition(term: m.Term) -> bool:
    """Whether a term's value is composed of lists by a yield function."""
    return isinstance(term, m.Composed)


def _composed(function: m.Value, lists: Sequence[tuple[m.Value, ...]]) -> m.Value:
    """Return the spans that a yield function makes of lists of spans.

    Raises
    ------
    LookupError : it is not a yield function for lists of these lengths, or spans do not touch.

    >>> _composed("01,0", [((0, 1), (3, 4)), ((1, 2),)])
    ((0, 2), (3, 4))
    """
    waiting = [pairs_of(one) for one in lists]
    found: list[tuple[int, int]] = []
    for part in _text(function).split(","):
        spans = [waiting[int(digit)].pop(0) for digit in part if digit.isdecimal()]
        if len(spans) < len(part) or not spans or any(a[1] != b[0] for a, b in pairwise(spans)):
            raise LookupError("spans that do not touch")
        found.append((spans[0][0], spans[-1][1]))
    if any(waiting):
        raise LookupError("spans that are left over")
    return tuple(found)


def labels_value(term: m.Labels, binding: Mapping[str, m.Value]) -> str:
    """Return the value of a sequence; a dot that may stay or move on moves on.

    Raises
    ------
    LookupError : the binding does not determine it, or its parts are not neighbours.

    >>> parts = (m.Var("x"), m.Splice("b"))
    >>> labels_value(m.Labels(parts, 1), {"x": "cat#1: D- _", "b": "cat#1: _ A-"})
    'cat#1: D- . A-'
    """
    sides = [_chain(side, binding) for side in term.sides]
    if term.dot is None:
        return sides[0]
    whole = labels.dotted(sides[0], sides[1])
    if whole is None:
        raise LookupError("sequences that are not neighbours")
    return whole


def _chain(parts: Sequence[m.Term], binding: Mapping[str, m.Value]) -> str:
    found = labels.EMPTY
    for part in parts:
        if not isinstance(part, m.Var | m.Splice):
            raise LookupError("_")
        value = binding[part.name]
        assert isinstance(value, str)
        together = labels.chain(found, value)
        if together is None:
            raise LookupError("sequences that are not neighbours")
        found = together
    return found


def number(term: m.WeightTerm, binding: Binding, given: Mapping[str, Callable[..., float]]) -> float:
    """Return the value of a part of a weight.

    Parameters
    ----------
    term : the part.
    binding : the values of variables; a flag counts 1 or 0, an absent value 0.
    given : functions that the run knows: `score` of a dependent and a head, `asked` of nothing.

    Raises
    ------
    ArithmeticError : a division by zero, or a number that is too large.

    >>> number(m.Arithmetic("/", (m.Decimal(1.0), m.Var("i"))), {"i": 4}, {})
    0.25
    """
    match term:
        case m.Decimal(value):
            return value
        case m.Var(name):
            known = binding[name]
            return float(known) if isinstance(known, int) else 0.0
        case m.Arithmetic(operation, operands):
            values = [number(operand, binding, given) for operand in operands]
            if operation == "-" and len(values) == 1:
                return -values[0]
            return float({**_OPERATIONS, **given}[operation](*values))


_OPERATIONS: Mapping[str, Callable[..., float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "exp": math.exp, "abs": abs,
    "min": lambda *values: min(values), "max": lambda *values: max(values),
}  # fmt: skip


def truth(condition: m.Term, binding: Binding) -> bool | None:
    """Return whether a condition holds, or None if the binding leaves it open.

    An order with an absent value is false, and an interval with an absent end is empty.

    >>> both = m.Junction("and", (m.Var("b"), m.Var("c")))
    >>> truth(both, {"b": False}), truth(both, {"b": True})
    (False, None)
    """
    match condition:
        case m.Not(operand):
            inner = truth(operand, binding)
            return None if inner is None else not inner
        case m.Junction(word, operands):
            known = [truth(o, binding) for o in operands]
            decisive = word == "or"
            if decisive in known:
                return decisive
            return None if None in known else not decisive
        case m.Member(element, region):
            return _inside(element, region, binding)
        case m.AllWithin() | m.InOrder():
            return _about_intervals(condition, binding)
    try:
        match condition:
            case m.Compare(relation, left, right):
                return _compare(relation, evaluate(left, binding), evaluate(right, binding))
            case m.IsAbsent(operand):
                return evaluate(operand, binding) is None
            case m.Matches(left, right):
                return labels_match(_text(evaluate(left, binding)), _text(evaluate(right, binding)))
            case m.Path(one, other, arcs, directed):
                pairs = pairs_of(evaluate(arcs, binding))
                pairs += [] if directed else [(h, d) for d, h in pairs]
                reached = reachable([evaluate(one, binding)], lambda x: [d for d, h in pairs if h == x])
                return evaluate(other, binding) in reached
            case _:
                return bool(evaluate(condition, binding))
    except LookupError:
        return None


def fulfils(form: m.Form, values: Sequence[m.Value], n: int) -> bool:
    """Return whether an item's values fulfil its form's conditions."""
    fields = {f.name: v for f, v in zip(form.fields, values, strict=True)} | {"n": n}
    return all(truth(condition, fields) for condition in form.where)


def _compare(relation: str, left: m.Value, right: m.Value) -> bool:
    if relation == "==":
        return left == right
    if relation == "!=":
        return left != right
    if not isinstance(left, int) or not isinstance(right, int):
        return False
    return left <= right if relation == "<=" else left < right


def _about_intervals(condition: m.AllWithin | m.InOrder, binding: Binding) -> bool | None:
    """Return whether intervals lie in a region, or stand in order with a position between any two."""
    try:
        pairs = pairs_of(evaluate(condition.intervals, binding))
        if isinstance(condition, m.InOrder):
            apart = all(one[1] + 1 < two[0] for one, two in pairwise(pairs))
            return apart and all(left <= right for left, right in pairs)
    except LookupError:
        return None
    inside = (m.Member(m.Lit(end), condition.outer) for pair in pairs for end in pair)
    return truth(m.Junction("and", tuple(inside)), binding)


def pairs_of(value: m.Value) -> list[tuple[int, int]]:
    """Return a list of pairs, intervals or arcs, as pairs of numbers."""
    return [(_number(left), _number(right)) for left, right in map(_list, _list(value))]


def _inside(element: m.Term, region: m.Region, binding: Binding) -> bool | None:
    match region:
        case m.Interval(low, high):
            both = m.Junction("and", (m.Compare("<=", low, element), m.Compare("<=", element, high)))
            return truth(both, binding)
        case m.Without(left, right):
            inside = m.Member(element, left)
            try:
                if isinstance(right, m.Interval):
                    taken = [right]
                else:
                    ends = pairs_of(evaluate(right, binding))
                    taken = [m.Interval(m.Lit(low), m.Lit(high)) for low, high in ends]
            except LookupError:
                return False if truth(inside, binding) is False else None
            outside = (m.Not(m.Member(element, one)) for one in taken)
            return truth(m.Junction("and", (inside, *outside)), binding)
    try:
        listed = _list(evaluate(region, binding))
        if isinstance(element, m.TupleTerm) and m.Any() in element.terms:
            known = [(k, evaluate(x, binding)) for k, x in enumerate(element.terms) if x != m.Any()]
            return any(all(_list(found)[k] == value for k, value in known) for found in listed)
        return evaluate(element, binding) in listed
    except LookupError:
        return None


# Filling in -------------------------------------------------------------------------------------------------


def literal(value: m.Value, kind: m.Type) -> m.Term:
    """Return the term that stands for a value of a type."""
    if kind.kind == "optional":
        kind = kind.arguments[0]
    if not isinstance(value, tuple):
        return m.Lit(value)
    if kind.kind == "term":
        return m.TupleTerm(tuple(literal(part, kind) for part in value))
    if kind.kind == "list":
        return m.ListTerm(tuple(literal(v, kind.arguments[0]) for v in value))
    return m.TupleTerm(tuple(literal(v, t) for v, t in zip(value, kind.parts, strict=True)))


def item_pattern(form: m.Form, values: Sequence[m.Value]) -> m.Pattern:
    """Return the pattern that one item alone matches."""
    return m.Pattern(form.name, tuple(literal(v, f.type) for v, f in zip(values, form.fields, strict=True)))


def fill_pattern(pattern: m.Pattern, binding: Binding, types: Mapping[str, m.Type]) -> m.Pattern:
    """Return an item with the bound values in place of its terms and `_` for the unbound."""
    return m.Pattern(pattern.form, tuple(_fill(t, binding, types) for t in pattern.terms))


def fill(condition: m.Condition, binding: Binding, types: Mapping[str, m.Type]) -> m.Condition:
    """Return a condition with the bound values in place of its variables and `_` for the unbound."""

    def value(term: m.Term) -> Any:
        return _fill(term, binding, types)

    def change(node: Any) -> Any:
        match node:
            case m.Type():
                return node
            case m.Compare(relation, left, right):
                return m.Compare(relation, value(left), value(right))
            case m.Member(element, (m.Var() | m.WithArc()) as region, arcs):
                of_arcs = all(types[name].arcs for name in m.variables(region))
                return m.Member(value(element), value(region) if of_arcs else region, arcs)
            case m.Without(left, right):
                is_open = isinstance(right, m.Var) and right.name not in binding
                rest = left if isinstance(left, m.Var) else m.rewrite(left, change)
                return m.Without(rest, right if is_open else m.rewrite(right, change))
        return None if isinstance(node, _KEPT) else value(node)

    filled: m.Condition = m.rewrite(condition, change)
    return filled


# What keeps its own shape when values are filled in, or is not a term.
_KEPT = (
    m.Not, m.Junction, m.IsAbsent, m.Matches, m.InOrder, m.AllWithin, m.Path, m.Member, m.Interval, m.HasFact,
    tuple, str, bool, type(None),
)  # fmt: skip


def _fill(term: m.Term, binding: Binding, types: Mapping[str, m.Type]) -> m.Term:
    match term:
        case m.Var(name):
            return literal(binding[name], types.get(name, m.POSITION)) if name in binding else m.Any()
        case m.Lit() | m.Any():
            return term
        case m.TupleTerm(parts):
            return m.TupleTerm(tuple(_fill(p, binding, types) for p in parts))
        case m.Run(shape):
            return m.Run(_fill(shape, binding, types))
        case m.ListTerm(elements):
            found: list[m.Term | m.Splice | m.Run] = []
            for element in elements:
                if not isinstance(element, m.Splice):
                    found.append(_fill(element, binding, types))
                elif element.name in binding:
                    spliced = literal(binding[element.name], types[element.name])
                    assert isinstance(spliced, m.ListTerm)
                    found += spliced.elements
                else:
                    found.append(m.Run(m.Any()))
            return m.ListTerm(tuple(found))
    try:
        value = evaluate(term, binding)
    except LookupError:
        return m.Any()
    if isinstance(value, tuple):
        return literal(value, m.ARCS if isinstance(term, m.WithArc) else m.Type("list", (m.POSITION,)))
    return m.Lit(value)
