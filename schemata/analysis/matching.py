"""An interpreting matcher: finds the bindings under which items match the patterns of a rule.

The rule is read as it stands in the checked schema, and nothing is generated, so that the matcher also checks
the generated kernels. It works on goals: a value to match against a term, or a condition. What a binding
decides is settled first; then the goal with the fewest choices (a cut of a list, what the grammar offers) is
tried choice by choice. Goals that nothing decides are handed back as `waiting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from schemata.analysis.evaluation import evaluate, truth
from schemata.analysis.goals import (
    GRAMMAR_CONDITIONS,
    Goal,
    Match,
    choices,
    grammar_allows,
    label_goals,
    sizes_of,
    stretch,
)
from schemata.analysis.label_patterns import match_labels
from schemata.language import model as m
from schemata.language.labels import turned

__all__ = ["Goal", "Match", "Solution", "match_pattern", "solve"]


UNKNOWN = m.Type("optional", (m.POSITION,))  # fits every value: what is matched checks no more than absence


@dataclass(frozen=True, slots=True)
class Solution:
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
    binding : what is known, the sentence length among it as `n`.
    types : the types of the rule's variables.
    grammar : what the conditions on the grammar ask; without one they wait.

    >>> pattern = m.ListTerm((m.Splice("A"), m.Var("x"), m.Splice("B")))
    >>> positions, pairs = m.Type("list", (m.POSITION,)), {"A": m.SYMBOLS, "B": m.SYMBOLS, "x": m.POSITION}
    >>> [s.binding["x"] for s in solve([Match((5, 6), pattern, positions)], {"n": 9}, pairs)]
    [5, 6]
    """
    stack: list[tuple[Sequence[Goal], dict[str, m.Value]]] = [(goals, dict(binding))]
    while stack:
        todo, known = stack.pop()
        rest = _settle(todo, known, types, grammar)
        if rest is None:
            continue
        best: tuple[int, list[tuple[Goal, ...]]] | None = None
        for k, goal in enumerate(rest):
            offered = choices(goal, known, grammar)
            if offered is not None and (best is None or len(offered) < len(best[1])):
                best = k, offered
        if best is None:
            yield Solution(known, tuple(rest))
            continue
        place, offered = best
        others = [*rest[:place], *rest[place + 1 :]]
        stack += [([*choice, *others], dict(known)) for choice in reversed(offered)]


def _settle(
    goals: Sequence[Goal], known: dict[str, m.Value], types: Mapping[str, m.Type], grammar: Any
) -> list[Goal] | None:
    """Work off the goals that leave no choice; returns those that wait, or None where one fails."""
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


Outcome: TypeAlias = "bool | list[Goal] | None"


def _reduce(goal: Goal, known: dict[str, m.Value], types: Mapping[str, m.Type], grammar: Any) -> Outcome:
    """Settle one goal: whether it holds, the goals it comes down to, or None where it must wait."""
    if isinstance(goal, Match):
        return _match(goal, known, types)
    if isinstance(goal, GRAMMAR_CONDITIONS):
        return None if grammar is None else grammar_allows(goal, known, grammar)
    match goal:
        case m.Junction("and", operands):
            return list(operands)
        case m.Compare("==", left, right):
            for one, other in ((left, right), (right, left)):
                try:
                    value = evaluate(one, known)
                except LookupError:
                    continue
                return _match(Match(value, other, _kind_of(other, types)), known, types)
            return None
    return truth(goal, known)


def _kind_of(term: m.Term, types: Mapping[str, m.Type]) -> m.Type:
    """Return the type of a term of an equation, where a variable tells."""
    if isinstance(term, m.Var | m.Splice):
        return types.get(term.name, m.POSITION)
    return UNKNOWN


def _match(goal: Match, known: dict[str, m.Value], types: Mapping[str, m.Type]) -> Outcome:
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
            if value is None:  # the opposite of an absent flag is no flag
                return False
            known[name] = not value
            return True
        case m.TupleTerm() if value is None:
            return False
        case m.TupleTerm(terms):
            assert isinstance(value, tuple)
            # Where an equation or a list's elements are matched, the type of the whole may not be known.
            kinds = goal.kind.parts if len(goal.kind.parts) == len(terms) else (UNKNOWN,) * len(terms)
            return [Match(v, t, k) for v, t, k in zip(value, terms, kinds, strict=True)]
        case m.ListTerm():
            return _match_list(goal, term, known)
        case m.Labels() | m.Reversed() if value is None:
            return False
        case m.Labels():
            assert isinstance(value, str)
            parts = match_labels(value, term, known)
            return label_goals(parts) if isinstance(parts, list) else parts
        case m.Reversed(operand):
            assert isinstance(value, str)
            return [Match(turned(value), operand, m.LABELS)]
    try:
        return evaluate(term, known) == value
    except LookupError:
        return None


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
    if isinstance(atom, m.Length) or coefficient not in (1, -1):
        return None
    known[atom.name] = rest * coefficient
    return True


def _match_list(goal: Match, term: m.ListTerm, known: Mapping[str, m.Value]) -> Outcome:
    """Take a list apart where no more than one of its stretches is of unknown length."""
    assert isinstance(goal.value, tuple)
    sizes = sizes_of(term, known)
    open_places = [k for k, size in enumerate(sizes) if size is None]
    spare = len(goal.value) - sum(size or 0 for size in sizes)
    if spare < 0 or (spare and not open_places):
        return False
    if len(open_places) > 1:
        return None
    inner = goal.kind.arguments[0]
    found: list[Goal] = []
    place = 0
    for element, size in zip(term.elements, sizes, strict=True):
        length = spare if size is None else size
        found += stretch(goal.value[place : place + length], element, inner, goal.kind)
        place += length
    return found
