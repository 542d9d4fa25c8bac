"""An interpreting matcher: finds the bindings under which items match the patterns of a rule.

The matcher reads rules of the checked schema and generates no text, so that tests can compare kernels with it;
it also answers the queries of a program. It works on goals: a value to match against a term, a term to
evaluate, a condition. Goals that the binding decides come first; then the goal with the fewest choices (a cut
of a list, rows of a relation of the grammar) is tried choice by choice. Goals that nothing decides are returned
as `waiting`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from schemata.grammars.relations import FREE, SIGNATURES, Signature, Sort, asked, fact_signature, relation_of
from schemata.language import labels
from schemata.language import model as m
from schemata.program.evaluation import evaluate, truth
from schemata.records import Record

UNKNOWN = m.Type("optional", (m.POSITION,))  # fits every value: what is matched checks no more than absence
_TYPES: dict[Sort, m.Type] = {"symbol": m.SYMBOL, "symbols": m.SYMBOLS, "labels": m.LABELS, "label": m.LABEL}


class Match(Record):
    """A value that is to match a term of a type."""

    value: m.Value
    term: m.Term
    kind: m.Type


class Equals(Record):
    """The value of a variable matches a pattern: taken apart where it is bound, put together where the parts are."""

    name: str
    term: m.Term
    kind: m.Type


class Related(Record):
    """A relation that no condition of the language names; `condition` is the one that it stands for, if any."""

    relation: str
    terms: tuple[m.Term, ...]
    condition: m.Matches | None = None


Goal: TypeAlias = "Match | Equals | Related | m.Condition"
Choices: TypeAlias = "tuple[int, Iterator[Sequence[Goal]]]"
MatchOutcome: TypeAlias = "bool | Sequence[Goal] | None"
QUESTIONS = (m.HasFact, Related)


def question(goal: Any) -> tuple[str, tuple[m.Term, ...]]:
    """Return the relation that a goal asks for, and the terms it asks with."""
    return (goal.relation, goal.terms) if isinstance(goal, Related) else asked(goal)


def signature(goal: Any) -> Signature:
    """Return the properties of the relation that a goal asks for."""
    if isinstance(goal, m.HasFact) and goal.sorts is not None:
        return fact_signature(goal.sorts, goal.negated)
    return SIGNATURES[question(goal)[0]]


class Solution(Record):
    """A binding that fulfils the goals, but for those that wait for variables nothing has bound."""

    binding: dict[str, m.Value]
    waiting: tuple[Goal, ...]


def match_pattern(form: m.Form, pattern: m.Pattern, values: Sequence[m.Value]) -> list[Goal]:
    """Return the goals that make an item's values match a pattern."""
    return [Match(v, t, f.type) for v, t, f in zip(values, pattern.terms, form.fields, strict=True)]


def solve(
    goals: Sequence[Goal], binding: Mapping[str, m.Value], types: Mapping[str, m.Type], grammar: Any = None
) -> Iterator[Solution]:
    """Yield the solutions of goals, in a fixed order; the same binding may come twice.

    Parameters
    ----------
    goals : values to match and conditions.
    binding : the known values, among them the sentence length `n`.
    types : the types of the rule's variables.
    grammar : the grammar that conditions ask; without one they wait.

    >>> pattern = m.ListTerm((m.Splice("A"), m.Var("x"), m.Splice("B")))
    >>> positions, pairs = m.Type("list", (m.POSITION,)), {"A": m.SYMBOLS, "B": m.SYMBOLS, "x": m.POSITION}
    >>> [s.binding["x"] for s in solve([Match((5, 6), pattern, positions)], {"n": 9}, pairs)]
    [5, 6]
    """
    stack: list[tuple[Iterable[Goal], dict[str, m.Value]]] = [(goals, dict(binding))]
    while stack:
        todo, known = stack.pop()
        rest = _settle(todo, known, types, grammar)
        if rest is None:
            continue
        best: tuple[int, int, Iterator[Sequence[Goal]]] | None = None
        for k, goal in enumerate(rest):
            offered = _choices(goal, known, grammar)
            if offered is not None and (best is None or offered[0] < best[0]):
                best = offered[0], k, offered[1]
        if best is None:
            yield Solution(known, tuple(rest))
            continue
        _, place, ways = best
        others = [*rest[:place], *rest[place + 1 :]]
        stack += [([*way, *others], dict(known)) for way in reversed(list(ways))]


def holds(condition: Related | m.Condition, known: Mapping[str, m.Value], grammar: Any) -> bool | None:
    """Return whether a condition holds, or None if its variables are not all bound."""
    if not isinstance(condition, QUESTIONS):
        return truth(condition, known)
    if grammar is None:
        return None
    relation, terms = question(condition)
    values = arguments(terms, known)
    return None if FREE in values else relation_of(grammar, relation).holds(*values)


def arguments(terms: Sequence[m.Term], known: Mapping[str, m.Value]) -> list[Any]:
    """Return the values of terms, FREE for unbound ones."""
    values: list[Any] = []
    for term in terms:
        try:
            values.append(evaluate(term, known))
        except LookupError:
            values.append(FREE)
    return values


def known_values(pattern: m.Pattern, binding: Mapping[str, m.Value]) -> dict[int, m.Value]:
    """Return the fields of an item that a binding determines."""
    return {k: value for k, value in enumerate(arguments(pattern.terms, binding)) if value is not FREE}


def _settle(
    goals: Iterable[Goal], known: dict[str, m.Value], types: Mapping[str, m.Type], grammar: Any
) -> list[Goal] | None:
    """Work off the goals that leave no choice; returns those that wait, or None if one fails."""
    todo = list(goals)
    while True:
        rest: list[Goal] = []
        moved = False
        todo.reverse()
        while todo:
            goal = todo.pop()
            outcome = _reduce(goal, known, types, grammar)
            if outcome is False:
                return None
            if outcome is None:
                rest.append(goal)
                continue
            moved = True
            if outcome is not True:
                todo += reversed(outcome)
        if not moved or not rest:
            return rest
        todo = rest


def _reduce(goal: Goal, known: dict[str, m.Value], types: Mapping[str, m.Type], grammar: Any) -> MatchOutcome:
    """Settle one goal: whether it holds, the goals it comes down to, or None if it must wait."""
    match goal:
        case Match():
            return _match(goal, known, types)
        case Equals(name, term, kind):
            if name in known:
                return (Match(known[name], term, kind),)
            values = _values(term, known)
            if values is None or len(values) > 1:
                return None
            for value in values:
                known[name] = value
            return bool(values)
        case m.Junction("and", operands):
            return operands
        case m.Compare("==", left, right):
            for one, other in ((left, right), (right, left)):
                try:
                    value = evaluate(one, known)
                except LookupError:
                    continue
                return _match(Match(value, other, _kind_of(other, types)), known, types)
            return False if _values(left, known) == () or _values(right, known) == () else None
    return holds(goal, known, grammar)


def _kind_of(term: m.Term, types: Mapping[str, m.Type]) -> m.Type:
    """Return the type of a term of an equation, if a variable determines it."""
    if isinstance(term, m.Var | m.Splice):
        return types.get(term.name, m.POSITION)
    return UNKNOWN


def _match(goal: Match, known: dict[str, m.Value], types: Mapping[str, m.Type]) -> MatchOutcome:
    value, term = goal.value, goal.term
    match term:
        case m.Var(name) | m.Splice(name):
            if name in known:
                return known[name] == value
            if value is None and types[name].kind != "optional":
                return False
            known[name] = value
            return True
        case m.Any():
            return True
        case m.Lit(wanted):
            return value == wanted
        case m.Linear():
            return _match_linear(value, term, known)
        case m.Not(m.Var(name)) if name not in known:
            if value is None:  # the opposite of an absent flag is not a flag
                return False
            known[name] = not value
            return True
        case m.TupleTerm(terms) if not isinstance(value, tuple) or len(value) != len(terms):
            return False
        case m.TupleTerm(terms):
            assert isinstance(value, tuple)
            # Where an equation or a list's elements are matched, the type of the whole may not be known.
            kinds = goal.kind.parts if len(goal.kind.parts) == len(terms) else (UNKNOWN,) * len(terms)
            return [Match(v, t, k) for v, t, k in zip(value, terms, kinds, strict=True)]
        case m.ListTerm(elements):
            return _taken_apart(goal, elements, known)
        case m.Labels() | m.Reversed() if not isinstance(value, str):
            return False
        case m.Labels(stays=True):
            return None
        case m.Labels(parts, None):
            return _taken_apart(goal, parts, known)
        case m.Labels():
            sides = zip((labels.before(value), labels.after(value)), term.sides, strict=True)
            return [Match(side, m.Labels(parts), m.LABELS) for side, parts in sides]
        case m.Reversed(operand):
            return [Match(labels.turned(value), operand, m.LABELS)]
    values = _values(term, known)
    return None if values is None else value in values


def _match_linear(value: m.Value, term: m.Linear, known: dict[str, m.Value]) -> bool | None:
    """Solve a linear term for its one unknown variable."""
    if not isinstance(value, int):
        return False
    rest = value - term.constant
    unknown: tuple[m.Var | m.Length, int] | None = None
    for atom, coefficient in term.atoms:
        if atom.name not in known:
            if unknown is not None:
                return None
            unknown = atom, coefficient
            continue
        number = evaluate(atom, known)
        if not isinstance(number, int):
            return False
        rest -= coefficient * number
    if unknown is None:
        return rest == 0
    atom, coefficient = unknown
    if isinstance(atom, m.Length):
        return None
    known[atom.name], remainder = divmod(rest, coefficient)
    return remainder == 0


def _values(term: m.Term, known: Mapping[str, m.Value]) -> tuple[m.Value, ...] | None:
    """Return the possible values of a term: two if a dot may stay, none if parts do not fit, None if it is
    unbound.
    """
    try:
        if isinstance(term, m.Labels) and term.stays:
            assert term.dot
            before = evaluate(m.Labels(term.parts, term.dot - 1), known)
            assert isinstance(before, str)
            return labels.outcomes(before)
        return (evaluate(term, known),)
    except KeyError:
        return None
    except LookupError:
        return () if all(name in known for name in m.variables(term)) else None


# Sequences: lists, and labels ---------------------------------------------------------------------------------


def _taken_apart(goal: Match, elements: Sequence[m.Term], known: Mapping[str, m.Value]) -> MatchOutcome:
    """Take a sequence apart where no more than one of its stretches is of unknown length."""
    sizes, spare = _sizes(goal.value, elements, known)
    if spare < 0 or (spare and None not in sizes):
        return False
    if sizes.count(None) > 1:
        return None
    return _stretches(goal, elements, [spare if size is None else size for size in sizes])[0]


def _cuts(goal: Match, elements: Sequence[m.Term], known: Mapping[str, m.Value]) -> Choices:
    """Choose the length of a sequence's first stretch of unknown length."""
    sizes, spare = _sizes(goal.value, elements, known)
    first = sizes.index(None)
    rest = elements[first + 1 :]
    pattern: m.Term = (m.Labels if isinstance(goal.value, str) else m.ListTerm)(tuple(rest))  # type: ignore[arg-type]

    def ways() -> Iterator[Sequence[Goal]]:
        for length in range(spare + 1):
            lengths = [length if size is None else size for size in sizes[: first + 1]]
            goals, left = _stretches(goal, elements[: first + 1], lengths)
            yield [*goals, Match(left, pattern, goal.kind)]

    return spare + 1, ways()


def _sizes(value: Any, elements: Sequence[m.Term], known: Mapping[str, Any]) -> tuple[list[int | None], int]:
    """Return how many members each part of a pattern stands for, None if that is open, and how many are left."""
    count = labels.label_count if isinstance(value, str) else len
    sizes: list[int | None] = []
    for element in elements:
        match element:
            case m.Splice(name):
                sizes.append(count(known[name]) if name in known else None)
            case m.Run():
                sizes.append(None)
            case _:
                sizes.append(1)
    return sizes, count(value) - sum(size or 0 for size in sizes)


def _stretches(goal: Match, elements: Sequence[m.Term], sizes: Sequence[int]) -> tuple[list[Goal], m.Value]:
    """Return the goals that make stretches of a sequence match the parts of a pattern, and the rest of it."""
    rest: Any = goal.value
    is_text = isinstance(rest, str)
    inner = m.LABEL if is_text else goal.kind.arguments[0]
    goals: list[Goal] = []
    for element, size in zip(elements, sizes, strict=True):
        part, rest = labels.split(rest, size) if is_text else (rest[:size], rest[size:])
        match element:
            case m.Any() | m.Run(m.Any()):
                pass
            case m.Splice():
                goals.append(Match(part, element, goal.kind))
            case m.Run(shape):
                goals += [Match(one, shape, inner) for one in part]
            case _:
                goals.append(Match(part if is_text else part[0], element, inner))
    return goals, rest


# Choices --------------------------------------------------------------------------------------------------------


def _choices(goal: Goal, known: Mapping[str, m.Value], grammar: Any) -> Choices | None:
    """Return the ways to go on from a goal, each as goals to add, and their number; None if it has no ways."""
    match goal:
        case Match(_, m.ListTerm(elements)):
            return _cuts(goal, elements, known)
        case Match(str() as value, m.Labels(parts, dot, True)):
            assert dot
            after = labels.after(value)
            dots = [dot, dot - 1] if after and labels.is_multi(labels.first(after)) else [dot]
            return len(dots), ([Match(value, m.Labels(parts, d), goal.kind)] for d in dots)
        case Match(_, m.Labels(parts)):
            return _cuts(goal, parts, known)
        case Equals(name, term, kind):
            values = _values(term, known)
            return None if values is None else (len(values), ([Match(v, m.Var(name), kind)] for v in values))
        case m.Member(element, region):
            return _members(element, region, known)
    if grammar is not None and isinstance(goal, QUESTIONS):
        return _rows(goal, known, grammar)
    return None


def _members(element: m.Term, region: m.Region, known: Mapping[str, m.Value]) -> Choices | None:
    outer = region
    while isinstance(outer, m.Without):
        outer = outer.left
    values: Sequence[m.Value]
    try:
        if not isinstance(outer, m.Interval):
            listed = evaluate(outer, known)
            assert isinstance(listed, tuple)
            values = listed
        else:
            low, high = evaluate(outer.low, known), evaluate(outer.high, known)
            absent = not isinstance(low, int) or not isinstance(high, int)
            values = () if absent else range(low, high + 1)  # type: ignore[arg-type, operator]
    except LookupError:
        return None
    again = () if outer is region else (m.Member(element, region),)
    return len(values), ((Match(value, element, m.POSITION), *again) for value in values)


def _rows(goal: Goal, known: Mapping[str, m.Value], grammar: Any) -> Choices | None:
    """Return the grammar's rows for the free arguments of a question."""
    name, terms = question(goal)
    values = arguments(terms, known)
    bound = {k for k, value in enumerate(values) if value is not FREE}
    properties = signature(goal)
    if not any(bound >= needs for needs in properties.needs):
        return None
    rows = relation_of(grammar, name).rows(*values)
    sorts = properties.sorts
    free = [(t, _TYPES.get(sorts[k], m.POSITION)) for k, t in enumerate(terms) if k not in bound]
    pairs = (zip(row, free, strict=True) for row in rows)
    return len(rows), ([Match(value, term, kind) for value, (term, kind) in row] for row in pairs)
