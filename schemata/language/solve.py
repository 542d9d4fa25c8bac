"""Which variables of a rule are determined once its antecedents are given, and which never are."""

from __future__ import annotations

from collections.abc import Iterable

from schemata.language import model as m

__all__ = ["bindable", "free_variables", "unknowns"]


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
        case m.ListTerm(parts) | m.TupleTerm(parts):
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
        case m.Licensed(dependent, head):
            return bindable(dependent, bound) | bindable(head, bound)
        case m.RootCategory(category):
            return bindable(category, bound)
        case m.HasCategory(word, category):
            return bindable(category, bound) if not unknowns(word, bound) else set()
        case m.HasRule(category, body):
            return bindable(category, bound) | bindable(body, bound)
        case m.Compare("==", left, right):
            if not unknowns(left, bound):
                return bindable(right, bound)
            return bindable(left, bound) if not unknowns(right, bound) else set()
        case m.Member(element, region):
            return bindable(element, bound) if not unknowns(region, bound) else set()
    return set()


def free_variables(case: m.Case) -> tuple[str, ...]:
    """Return the variables of a case that nothing determines, in the order they appear."""
    bound: set[str] = set()
    patterns = [term for a in case.antecedents for term in a.pattern.terms]
    while True:
        found = set(bound)
        for term in patterns:
            found |= bindable(term, found)
        for condition in case.conditions:
            found |= condition_binds(condition, found)
        if found == bound:
            break
        bound = found
    everything: list[m.Condition | m.Pattern] = [a.pattern for a in case.antecedents]
    everything += [*case.conditions, case.consequent]
    return tuple(dict.fromkeys(_flatten(everything, bound)))


def _flatten(nodes: Iterable[m.Condition | m.Pattern], bound: set[str]) -> Iterable[str]:
    for node in nodes:
        for name in m.variables(node):
            if name not in bound and name != "n":
                yield name
