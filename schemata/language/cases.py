"""What follows from the variables of a case: which are determined, and what tells its instances apart.

A step instance is a step's name, its antecedents, its consequent and its links. Two cases of one step may agree
in all of these and still not be the same inference: where one has as context what the other builds on, or
where they name different heads. Their instances are two, and so are the derivations they are part of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from schemata.language import model as m


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


# Identity of step instances ----------------------------------------------------------------------------------


Place: TypeAlias = "tuple[int | None, int]"


def head_place(case: m.Case, name: str) -> Place | None:
    """Return the field that a variable of a case's `head` is read off.

    Returns
    -------
    (structural antecedent, field), both counted from 0; (None, field) for the consequent; None where the
    variable stands alone in no item.
    """
    wanted = m.Var(name)
    if wanted in case.consequent.terms:
        return None, case.consequent.terms.index(wanted)
    for tail, antecedent in enumerate(a for a in case.antecedents if not a.context):
        if wanted in antecedent.pattern.terms:
            return tail, antecedent.pattern.terms.index(wanted)
    return None


def building_of(case: m.Case) -> tuple[object, ...]:
    """Return what a case says of heads, in terms of its structural antecedents, whatever its variables are called."""
    slots = [k for k, a in enumerate(case.antecedents) if not a.context]
    links = tuple((slots.index(x.dependent), slots.index(x.head)) for x in case.head_links)
    match case.head:
        case m.Var(name) if name != "n":
            return head_place(case, name), links
        case m.Linear(constant, atoms):
            parts = [
                ("n" if atom.name == "n" else head_place(case, atom.name), factor) for atom, factor in atoms
            ]
            return constant, frozenset(parts), links
    return case.head, links


def instance_names(schema: m.Schema) -> tuple[int, ...]:
    """Return a number for every case: cases have one in common if they may give the same instance.

    These are cases of one step with as many antecedents, of which the same are context, that build alike.
    """
    numbers: dict[object, int] = {}
    found: list[int] = []
    for case in schema.cases:
        contexts = tuple(a.context for a in case.antecedents)
        key = case.step, contexts, building_of(case)
        found.append(numbers.setdefault(key, len(numbers)))
    return tuple(found)


def hyperedge_names(schema: m.Schema) -> tuple[int, ...]:
    """Return a number for every case: cases have one in common if instances of theirs may be one hyperedge.

    Context antecedents are no part of it; and where nothing else stands above an item, it is a predicted item, a
    leaf: which of several steps predicts it makes no difference to what it is.
    """
    numbers: dict[object, int] = {}
    found: list[int] = []
    for case in schema.cases:
        predicts = bool(case.antecedents) and all(a.context for a in case.antecedents)
        key = None if predicts else case.step, building_of(case)
        found.append(numbers.setdefault(key, len(numbers)))
    return tuple(found)
