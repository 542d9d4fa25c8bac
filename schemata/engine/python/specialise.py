"""Rules over bounded lists, written out: one rule for every choice of lengths of the list variables.

An item form whose conditions bound a list (`length(H) <= k`) has finitely many lengths. Written out, a list
variable becomes its elements, so that joins go by the elements and no list is cut at run time. The rules so
made derive the same instances; they exist only in the kernel.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

from schemata.language import model as m
from schemata.language.bounds import Bounds, implied
from schemata.language.cases import free_variables
from schemata.language.substitute import fold, substitute

__all__ = ["specialise"]

LIMIT = 64  # rules that one rule may become


def specialise(schema: m.Schema, case: m.Case) -> tuple[tuple[m.Case, str], ...]:
    """Return the rules that a rule becomes, each with a note on its lengths; itself if nothing is bounded."""
    choosing = _choosing(case)
    most = {name: bound for name, bound in _bounds(schema, case).items() if name not in choosing}
    if not most:
        return ((case, ""),)
    names = list(most)
    if _product(most.values()) > LIMIT * LIMIT:
        return ((case, ""),)
    found = []
    for lengths in itertools.product(*(range(most[name] + 1) for name in names)):
        chosen = dict(zip(names, lengths, strict=True))
        member = _written_out(schema, case, chosen)
        if member is not None:
            found.append((member, ", ".join(f"{k} of length {v}" for k, v in chosen.items())))
    return tuple(found) if len(found) <= LIMIT else ((case, ""),)


def _product(numbers: object) -> int:
    total = 1
    for number in numbers:  # type: ignore[attr-defined]
        total *= number + 1
    return total


def _choosing(case: m.Case) -> set[str]:
    """Return the lists from whose elements a condition chooses a value that nothing else determines."""
    found: set[str] = set()
    for condition in case.conditions:
        match condition:
            case m.Member(_, m.Var(name)):
                others = (c for c in case.conditions if c is not condition)
                asked = m.Junction("or", (condition,))  # as a part of `or` it binds nothing
                if free_variables(replace(case, conditions=(*others, asked))):
                    found.add(name)
    return found


def _bounds(schema: m.Schema, case: m.Case) -> dict[str, int]:
    """Return the greatest length of every list variable that an antecedent's item form bounds."""
    most: dict[str, int] = {}
    for antecedent in case.antecedents:
        form = schema.form(antecedent.pattern.form)
        facts = Bounds()
        for condition in form.where:
            facts.learn(implied(condition))
        for field, term in zip(form.fields, antecedent.pattern.terms, strict=True):
            if field.type.kind != "list":
                continue
            bound = facts.distance(f"length {field.name}", "0")
            if bound is None:
                continue
            match term:
                case m.Var(name):
                    most[name] = min(bound, most.get(name, bound))
                case m.ListTerm(elements):
                    fixed = sum(1 for e in elements if not isinstance(e, m.Splice | m.Run))
                    for element in elements:
                        if isinstance(element, m.Splice):
                            rest = max(0, bound - fixed)
                            most[element.name] = min(rest, most.get(element.name, rest))
    return most


def _written_out(schema: m.Schema, case: m.Case, lengths: Mapping[str, int]) -> m.Case | None:
    """Return the rule with lists of these lengths, or None where no item has them."""
    types = {name: kind for name, kind in case.types.items() if name not in lengths}
    given: dict[str, m.Term] = {}
    for name, length in lengths.items():
        elements: list[m.Term] = []
        inner = case.types[name].arguments[0]
        for k in range(1, length + 1):
            elements.append(_fresh(f"{name}{k}", inner, types))
        given[name] = m.ListTerm(tuple(elements))

    def pattern(old: m.Pattern) -> m.Pattern:
        return m.Pattern(old.form, tuple(substitute(t, given) for t in old.terms))

    conditions: list[m.Condition] = []
    for condition in case.conditions:
        if isinstance(condition, m.GRAMMAR_CONDITIONS):
            conditions.append(_asked(condition, given))
            continue
        folded = fold(substitute(condition, given))
        if folded == m.Lit(False):
            return None
        conditions.append(folded)
    antecedents = tuple(m.Antecedent(pattern(a.pattern), a.context) for a in case.antecedents)
    consequent = pattern(case.consequent)
    for written in (*(a.pattern for a in antecedents), consequent):
        form = schema.form(written.form)
        fields = {f.name: t for f, t in zip(form.fields, written.terms, strict=True)}
        for condition in form.where:
            known = all(not isinstance(fields.get(v), m.Any) for v in m.variables(condition))
            if known and fold(substitute(condition, fields)) == m.Lit(False):
                return None
    return replace(
        case,
        antecedents=antecedents,
        consequent=consequent,
        conditions=tuple(conditions),
        links=tuple(_link(x, given) for x in case.links),
        types=types,
    )


def _asked(condition: m.Condition, given: Mapping[str, m.Term]) -> m.Condition:
    """Return a condition on the grammar with the given terms in place of variables."""
    match condition:
        case m.Licensed(a, b):
            return m.Licensed(substitute(a, given), substitute(b, given))
        case m.CategoryLicence(a, b):
            return m.CategoryLicence(substitute(a, given), substitute(b, given))
        case m.HasCategory(word, category):
            return m.HasCategory(substitute(word, given), substitute(category, given))
        case m.RootCategory(category):
            return m.RootCategory(substitute(category, given))
        case m.LeftCorner(category, whole):
            return m.LeftCorner(substitute(category, given), substitute(whole, given))
        case m.HasRule(category, body):
            elements = substitute(body, given)
            assert isinstance(elements, m.ListTerm)
            return m.HasRule(substitute(category, given), elements)
        case m.HasDisjunct(right, left, word):
            return m.HasDisjunct(substitute(right, given), substitute(left, given), substitute(word, given))
    raise TypeError(f"{condition} does not speak of the grammar")


def _link(link: m.Link | m.Join, given: Mapping[str, m.Term]) -> m.Link | m.Join:
    if isinstance(link, m.Link):
        return m.Link(substitute(link.dependent, given), substitute(link.head, given))
    return replace(link, left=substitute(link.left, given), right=substitute(link.right, given))


def _fresh(name: str, kind: m.Type, types: dict[str, m.Type]) -> m.Term:
    """Return a new variable for an element, or a tuple of them; adds their types."""
    while name in types:
        name += "'"
    if kind.kind == "tuple":
        return m.TupleTerm(
            tuple(_fresh(f"{name}{'abcdefgh'[k % 8]}", t, types) for k, t in enumerate(kind.arguments))
        )
    types[name] = kind
    return m.Var(name, kind.kind == "optional")
