"""The side conditions of a rule: in which order they bind variables, and those that speak of the grammar.

Conditions may be written in any order: one may use a variable that a later one binds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.inference import infer
from schemata.language.terms import Terms

__all__ = ["GRAMMAR_CONDITIONS", "STEP_CONDITIONS", "conjuncts", "grammar_condition", "in_binding_order"]

GRAMMAR_CONDITIONS = (s.RootCategory, s.GrammarRule, s.CategoryOf, s.LeftCorner, s.DisjunctOf)
STEP_CONDITIONS = (s.LinkCondition, s.LinkHeads, s.HeadOfBuilt, s.JoinCondition, *GRAMMAR_CONDITIONS)


def conjuncts(conditions: Sequence[s.Condition]) -> tuple[s.Condition, ...]:
    """Return conditions with those joined by `and` taken apart: `a, b and c` says the same as `a, b, c`."""
    found: list[s.Condition] = []
    for condition in conditions:
        if isinstance(condition, s.Junction) and condition.word == "and":
            found += conjuncts(condition.operands)
        else:
            found.append(condition)
    return tuple(found)


def in_binding_order(conditions: Sequence[s.Condition], scope: Terms) -> Iterator[tuple[int, s.Condition]]:
    """Yield conditions with their places so that each comes after those that bind its variables.

    The caller resolves each before it asks for the next. Where none can go first, they go as written.
    """
    pending = dict(enumerate(conditions))
    while pending:
        ready = [k for k, c in pending.items() if _ready(c, scope)]
        # A licence with both ends free is about positions: it waits for what may say that it is not.
        place = next((k for k in ready if not _is_open_licence(pending[k], scope)), None)
        if place is None:
            place = ready[0] if ready else next(iter(pending))
        yield place, pending.pop(place)


def _is_open_licence(condition: s.Condition, scope: Terms) -> bool:
    """Whether a condition is `licensed d to h` and nothing is known of either end."""
    match condition:
        case s.LinkCondition(dependent, head, True, False):
            return infer(dependent, scope) is None and infer(head, scope) is None
    return False


def _ready(condition: s.Condition, scope: Terms) -> bool:
    free = {name.id for name in s.names_in(condition) if not scope.knows(name.id)}
    return free <= _binds(condition, scope)


def _binds(condition: s.Condition, scope: Terms) -> set[str]:
    """Return the variables that a condition can introduce now."""
    match condition:
        case s.LinkCondition(dependent, head, True):
            return _bare(dependent) | _bare(head)
        case s.RootCategory(category) | s.CategoryOf(_, category):
            return _bare(category)
        case s.GrammarRule(rule):
            return {name.id for name in s.names_in(rule)}
        case s.LeftCorner(category, whole):
            return _bare(category) | _bare(whole)
        case s.Comparison((left, right), ("==",)):
            if infer(left, scope) is None:
                return _bare(left) if infer(right, scope) is not None else set()
            return _bare(right)
        case s.Membership(element, region, False):
            return _bare(element) - {name.id for name in s.names_in(region)}
    return set()


def _bare(term: s.Term) -> set[str]:
    return {term.id} if isinstance(term, s.Name | s.Star) else set()


def grammar_condition(
    condition: s.RootCategory | s.GrammarRule | s.CategoryOf | s.LeftCorner | s.DisjunctOf, scope: Terms
) -> m.Condition:
    """Resolve a condition on the grammar; its names are bound where they are free."""
    match condition:
        case s.RootCategory(category):
            return m.RootCategory(scope.resolve(category, m.SYMBOL, isinstance(category, s.Name)))
        case s.CategoryOf(word, category):
            return m.HasCategory(
                scope.resolve(word, m.POSITION),
                scope.resolve(category, m.SYMBOL, isinstance(category, s.Name)),
            )
        case s.LeftCorner(category, whole):
            return m.LeftCorner(
                scope.resolve(category, m.SYMBOL, isinstance(category, s.Name)),
                scope.resolve(whole, m.SYMBOL, isinstance(whole, s.Name)),
            )
        case s.DisjunctOf(right, left, word):
            return m.HasDisjunct(
                scope.resolve(right, m.LABELS, binding=True),
                scope.resolve(left, m.LABELS, binding=True),
                scope.resolve(word, m.POSITION),
            )
        case s.GrammarRule(rule, span):
            if len(rule.parts) != 1:
                scope.error(span, "wrong-arity", "a rule of the grammar has no dots", "rule A(*alpha)")
                scope.doubt(rule)
                return m.RootCategory(m.Any())
            body = scope.resolve(s.ListTerm(rule.parts[0], span), m.SYMBOLS, binding=True)
            head = scope.resolve(rule.category, m.SYMBOL, binding=True)
            return m.HasRule(head, body if isinstance(body, m.ListTerm) else m.ListTerm(()))
