"""Which variables of a rule are determined once its antecedents are given, and which never are."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.language import model as m

__all__ = ["bindable", "condition_binds", "free_variables", "undetermined", "unknowns"]


def unknowns(term: m.Condition | m.Region | m.Pattern, bound: set[str]) -> set[str]:
    """Return the variables of a term that are not bound."""
    return {name for name in m.variables(term) if name not in bound and name != "n"}


def bindable(term: m.Term, bound: set[str]) -> set[str]:
    """Return the variables that matching a value against this pattern binds."""
    match term:
        case m.Var(name):
            return {name}
        case m.Not(m.Var(name)):
            return {name}
        case m.Linear(_, atoms):
            free = [(atom.name, k) for atom, k in atoms if atom.name not in bound and atom.name != "n"]
            if len(free) == 1 and free[0][1] in (1, -1) and isinstance(_atom(term, free[0][0]), m.Var):
                return {free[0][0]}
            return set()
        case m.ListTerm(parts) | m.TupleTerm(parts) | m.Labels(parts):
            found: set[str] = set()
            for part in parts:
                found |= {part.name} if isinstance(part, m.Splice) else bindable(part, bound | found)
            return found
    return set()


def _atom(term: m.Linear, name: str) -> m.Var | m.Length | None:
    return next((atom for atom, _ in term.atoms if atom.name == name), None)


def condition_binds(condition: m.Condition, bound: set[str]) -> set[str]:
    """Return the variables that a condition binds when the others of it are known."""
    match condition:
        case m.Licensed(dependent, head) | m.CategoryLicence(dependent, head):
            return bindable(dependent, bound) | bindable(head, bound)
        case m.RootCategory(category):
            return bindable(category, bound)
        case m.HasCategory(word, category):
            return bindable(category, bound) if not unknowns(word, bound) else set()
        case m.LeftCorner(category, whole):
            return bindable(category, bound) | bindable(whole, bound)
        case m.HasRule(category, body):
            return bindable(category, bound) | bindable(body, bound)
        case m.HasDisjunct(right, left, word):
            return set() if unknowns(word, bound) else bindable(right, bound) | bindable(left, bound)
        case m.Compare("==", left, right):
            if not unknowns(left, bound):
                return bindable(right, bound)
            return bindable(left, bound) if not unknowns(right, bound) else set()
        case m.Member(element, region):
            return bindable(element, bound) if not unknowns(region, bound) else set()
    return set()


def free_variables(case: m.Case) -> tuple[str, ...]:
    """Return the variables of a case that nothing determines, in the order they appear."""
    patterns = [term for a in case.antecedents for term in a.pattern.terms]
    return undetermined(patterns, case.conditions, case.consequent)


def undetermined(
    patterns: Sequence[m.Term], conditions: Sequence[m.Condition], result: m.Pattern | None = None
) -> tuple[str, ...]:
    """Return the variables that neither the patterns nor the conditions determine, in order.

    >>> twice = m.Linear(0, ((m.Var("i"), 2),))
    >>> undetermined([twice], [])
    ('i',)
    >>> undetermined([twice, m.Var("i")], [])
    ()
    """
    bound: set[str] = set()
    while True:
        found = set(bound)
        for term in patterns:
            found |= bindable(term, found)
        for condition in conditions:
            found |= condition_binds(condition, found)
        if found == bound:
            break
        bound = found
    everything: list[m.Condition | m.Pattern] = [*patterns, *conditions, *([result] if result else [])]
    return tuple(
        dict.fromkeys(v for node in everything for v in m.variables(node) if v not in bound and v != "n")
    )
