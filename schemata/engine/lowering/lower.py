"""The way from a checked schema to a lowered one: every case written out for every choice of kinds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from schemata.engine.lowering.choices import choices_of, chosen
from schemata.engine.lowering.clauses import lowered_clauses, lowered_equations
from schemata.engine.lowering.conditions import affine, tests_of
from schemata.engine.lowering.covers import cover_equations
from schemata.engine.lowering.facts import conditions_of, simplified
from schemata.engine.lowering.flags import flags_decided
from schemata.engine.lowering.kinds import Kinds
from schemata.engine.lowering.linear import (
    Affine,
    AnyOf,
    CategoryLicence,
    CategoryOf,
    Licence,
    Linear,
    Test,
    linear_terms,
)
from schemata.engine.lowering.model import Atom, Equation, Final, Kind, NotLowerable, Program, Rule
from schemata.language import model as m
from schemata.language.substitute import fold, item_conditions, substitute

__all__ = ["lower"]

RULES = 2048  # that a schema may become; more would take minutes to compile


def lower(schema: m.Schema) -> Program:
    """Return a schema as rules over kinds.

    Raises
    ------
    NotLowerable : the schema is over rules or a dictionary, or has lists without a bound.
    """
    if schema.grammar != "d-rules":
        raise NotLowerable(f"a grammar of {schema.grammar}")
    kinds = Kinds(schema)
    rules: list[Rule] = []
    for number, case in enumerate(schema.cases):
        for rule in _rules(schema, kinds, number, case):
            rules.append(rule)
            if len(rules) > RULES:
                raise NotLowerable(f"more than {RULES} choices of flags, absences and lengths")
    equations: dict[int, tuple[Equation, ...]] = {}
    for number, form in enumerate(schema.forms):
        if form.equations:
            equations[number] = tuple(e for q in form.equations for e in lowered_equations(kinds, form, q))
        elif form.cover is not None:
            equations[number] = cover_equations(kinds, number, form.cover)
    finals = tuple(f for clause in schema.finals for f in lowered_clauses(kinds, clause, "a final item"))
    hypotheses = tuple(h for c in schema.hypotheses for h in lowered_clauses(kinds, c, "a hypothesis"))
    given = {kind for clause in schema.hypotheses for kind in _kinds_of(kinds, clause.pattern)}
    rules = _reachable(rules, given, [e for row in equations.values() for e in row])
    numbered = tuple(replace(rule, number=k) for k, rule in enumerate(rules))
    written = [e for row in equations.values() for e in row]
    symbols = _symbols(numbered, kinds.found, written, (*finals, *hypotheses))
    return Program(schema, tuple(kinds.found), numbered, equations, finals, symbols, hypotheses)


def _rules(schema: m.Schema, kinds: Kinds, number: int, case: m.Case) -> Iterator[Rule]:
    """Yield a case's rules."""
    for given, note in choices_of(schema, kinds, case):
        patterns = [chosen(a.pattern, given) for a in case.antecedents]
        for written in itertools.product(*(tuple(kinds.writings(p)) for p in patterns)):
            atoms = [kinds.atom(p, w) for p, w in zip(patterns, written, strict=True)]
            if any(atom is None for atom in atoms):
                continue
            antecedents = tuple(atom for atom in atoms if atom is not None)
            yield from _consequents(schema, kinds, number, case, given, antecedents, note)


def _consequents(
    schema: m.Schema,
    kinds: Kinds,
    number: int,
    case: m.Case,
    given: Mapping[str, m.Term],
    antecedents: tuple[Atom, ...],
    note: str,
) -> Iterator[Rule]:
    """Yield the rules of a case for given antecedents: one for every outcome of the flags that it computes."""
    form = schema.form(case.consequent.form)
    for pattern, decided in flags_decided(form, chosen(case.consequent, given)):
        tests: list[Test] | None = list(decided)
        for condition in (*case.conditions, *item_conditions(form, pattern.terms)):
            more = _tests(condition, given)
            if more is None or tests is None:
                tests = None
                break
            tests += more
        if tests is None:
            continue
        for written in kinds.writings(pattern):
            consequent = kinds.atom(pattern, written)
            if consequent is None:
                continue
            known = [t for a in antecedents for t in conditions_of(kinds.found, a)]
            kept = simplified(known, tests)
            if kept is None:
                continue
            links = tuple(
                (affine(substitute(x.dependent, given)), affine(substitute(x.head, given)))
                for x in case.links
                if isinstance(x, m.Link)  # of a grammar that is lowered, all are
            )
            contexts = tuple(a.context for a in case.antecedents)
            yield Rule(0, number, antecedents, contexts, consequent, kept, links, note)


def _tests(condition: m.Condition, given: Mapping[str, m.Term]) -> list[Test] | None:
    """Return a condition's tests, or None where it never holds."""
    match condition:
        case m.Licensed(a, b):
            return [Licence(affine(substitute(a, given)), affine(substitute(b, given)))]
        case m.CategoryLicence(a, b):
            return [CategoryLicence(affine(substitute(a, given)), affine(substitute(b, given)))]
        case m.HasCategory(word, category):
            return [CategoryOf(affine(substitute(word, given)), affine(substitute(category, given)))]
        case m.HasRule() | m.RootCategory() | m.LeftCorner():
            raise NotLowerable("rules of a grammar")
    if isinstance(condition, m.GRAMMAR_CONDITIONS):
        raise NotLowerable("a condition on another kind of grammar")
    tests = tests_of(fold(substitute(condition, given)))
    return None if tests is None else list(tests)


def _kinds_of(kinds: Kinds, pattern: m.Pattern) -> Iterator[int]:
    """Yield the kinds of the items that a pattern can stand for."""
    for written in kinds.writings(chosen(pattern, {})):
        atom = kinds.atom(pattern, written)
        if atom is not None:
            yield atom.kind


def _reachable(rules: list[Rule], given: set[int], equations: list[Equation]) -> list[Rule]:
    """Return the rules whose antecedents are of kinds that hypotheses or other rules may give."""
    found = set(given)
    while True:
        before = len(found)
        for rule in rules:
            if all(a.kind in found for a in rule.antecedents):
                found.add(rule.consequent.kind)
        for equation in equations:
            ends = {equation.left.kind, equation.right.kind}
            if ends & found:
                found |= ends
        if len(found) == before:
            return [r for r in rules if all(a.kind in found for a in r.antecedents)]


def _symbols(
    rules: tuple[Rule, ...],
    kinds: Iterable[Kind],
    equations: Iterable[Equation],
    clauses: tuple[Final, ...],
) -> tuple[str, ...]:
    """Return the symbol constants, wherever they stand."""
    terms: list[Affine] = [t for rule in rules for t in rule.all_terms()]
    tests: list[Linear | AnyOf] = [t for kind in kinds for t in kind.conditions]
    for equation in equations:
        terms += [*equation.left.terms, *equation.right.terms]
        tests += equation.tests
    for clause in clauses:
        terms += clause.atom.terms
        tests += clause.tests
    for test in tests:
        terms += linear_terms(test)
    return tuple(sorted({x[1:-1] for term in terms for x in term.names if x.startswith("'")}))
