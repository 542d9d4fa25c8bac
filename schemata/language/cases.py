"""The variables of a case: those that others determine, and those that tell its instances apart.

A step instance is a step's name, its antecedents, its consequent and its links. Two cases of one step may agree
in all of these and still not be the same inference: one may have as context the antecedent on which the other
builds, or they may name different heads. They have two instances, in different derivations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from schemata.language import model as m


def unknowns(term: m.Condition | m.Region | m.Pattern, bound: set[str]) -> set[str]:
    """Return the variables of a term that are not bound."""
    return {name for name in m.variables(term) if name not in bound and name != "n"}


def bindable(term: m.Term, bound: set[str]) -> set[str]:
    """Return the variables that matching a value against this pattern binds."""
    match term:
        case m.Var(name) | m.Not(m.Var(name)) | m.Splice(name):
            return {name}
        case m.Linear(_, atoms):
            free = [(atom, k) for atom, k in atoms if unknowns(atom, bound)]
            single = free if len(free) == 1 else []
            return {atom.name for atom, k in single if abs(k) == 1 and isinstance(atom, m.Var)}
        case m.ListTerm(parts) | m.TupleTerm(parts) | m.Labels(parts):
            names: set[str] = set()
            for part in parts:
                names |= bindable(part, bound | names)
            return names
    return set()


def condition_binds(condition: m.Condition, bound: set[str]) -> set[str]:
    """Return the variables that a condition binds when the others of it are known."""
    binds: Iterable[m.Term] = ()
    match condition:
        case m.Compare("==", left, right):
            if not unknowns(left, bound):
                binds = [right]
            elif not unknowns(right, bound):
                binds = [left]
        case m.Member(element, known) | m.HasFact("category", (known, element), None):
            binds = [element] if not unknowns(known, bound) else ()
        case m.HasFact("left_corner", (category, whole), None):
            binds = [x for x, other in ((category, whole), (whole, category)) if not unknowns(other, bound)]
        case m.HasFact("disjunct", (right, left, word), None):
            binds = [right, left] if not unknowns(word, bound) else ()
        case m.HasFact(_, terms, _, negated):
            binds = () if negated else terms
    return {name for term in binds for name in bindable(term, bound)}


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
    before: set[str] | None = None
    while bound != before:
        before = set(bound)
        for term in patterns:
            bound |= bindable(term, bound)
        for condition in conditions:
            bound |= condition_binds(condition, bound)
    names = m.variables((*patterns, *conditions, result))
    return tuple(dict.fromkeys(name for name in names if name not in bound and name != "n"))


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
    """Return what a case says of atoms and heads, by its structural antecedents, whatever its variables are called."""
    slots = [k for k, a in enumerate(case.antecedents) if not a.context]
    links = [(slots.index(x.dependent), slots.index(x.head)) for x in case.head_links]
    others = (built for built in case.links if built.name not in ("link", "join"))
    atoms = [(built.name, None if built.over is None else slots.index(built.over)) for built in others]
    said = (*links, *atoms), case.weight
    match case.head:
        case m.Var(name) if name != "n":
            return head_place(case, name), *said
        case m.Linear(constant, terms):
            places = ((x.name == "n" or head_place(case, x.name), factor) for x, factor in terms)
            return constant, frozenset(places), *said
    return case.head, *said


def instance_names(schema: m.Schema) -> tuple[int, ...]:
    """Return a number for every case: cases have one in common if they may give the same instance.

    These are cases of one step with as many antecedents, of which the same are context, that build alike.
    """
    contexts = (tuple(a.context for a in case.antecedents) for case in schema.cases)
    cases = zip(schema.cases, contexts, strict=True)
    return _numbered([(case.step, context, building_of(case)) for case, context in cases])


def hyperedge_names(schema: m.Schema) -> tuple[int, ...]:
    """Return a number for every case: cases have one in common if instances of theirs may be one hyperedge.

    Context antecedents are no part of it; and where nothing else stands above an item, it is a predicted item, a
    leaf: which of several steps predicts it makes no difference to what it is.
    """
    return _numbered([(None if case.predicts else case.step, building_of(case)) for case in schema.cases])


def _numbered(keys: Sequence[object]) -> tuple[int, ...]:
    """Return a number for every key, equal ones for equal keys, in the order they appear."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return tuple(numbers[key] for key in keys)
