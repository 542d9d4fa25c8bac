"""What tells step instances apart beside their items and links: what a case says of its antecedents.

A step instance is a step's name, its antecedents, its consequent and its links. Two cases of one step may agree
in all of these and still not be the same inference: where one has as context what the other builds on, or
where they name different heads. Their instances are two, and so are the derivations they are part of.
"""

from __future__ import annotations

from typing import TypeAlias

from schemata.language import model as m

__all__ = ["Place", "building_of", "head_place", "hyperedge_names", "instance_names"]

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
