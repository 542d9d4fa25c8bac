"""The way from a checked schema to a lowered one: every case written out for every choice of kinds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from schemata.language import model as m
from schemata.language.substitute import fold, item_conditions, substitute
from schemata.program.facts import conditions_of, simplified
from schemata.program.kinds import Kinds, affine, alternatives, list_bounds, tests_of
from schemata.program.linear import (
    Affine,
    AnyOf,
    CategoryLicence,
    CategoryOf,
    Licence,
    Linear,
    Test,
    linear_terms,
)
from schemata.program.model import Atom, Equation, Final, Kind, NotLowerable, Program, Rule
from schemata.program.normal_forms import cover_equations

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


CHOICES = 4096  # choices of flags, absences and lengths that one case may have


def choices_of(schema: m.Schema, kinds: Kinds, case: m.Case) -> Iterator[tuple[dict[str, m.Term], str]]:
    """Yield every choice of flags, absences and list lengths, with a note that tells it."""
    lengths = _lengths(schema, case)
    names: list[str] = []
    options: list[list[tuple[m.Term, str]]] = []
    total = 1
    for name, kind in case.types.items():
        if name == "n":
            continue
        found = list(values_of(kinds, name, kind, lengths.get(name)))
        if found == [(m.Var(name), "")]:
            continue
        names.append(name)
        options.append(found)
        total *= len(found)
    if total > CHOICES:
        raise NotLowerable(f"a step with more than {CHOICES} choices of flags and lengths")
    for choice in itertools.product(*options):
        notes = ", ".join(note for _, note in choice if note)
        yield {name: term for name, (term, _) in zip(names, choice, strict=True)}, notes


def values_of(kinds: Kinds, name: str, kind: m.Type, length: int | None) -> Iterator[tuple[m.Term, str]]:
    """Yield what a variable of a type may be, each with a note that tells it; `length` bounds a list."""
    match kind.kind:
        case "position" | "symbol":
            yield m.Var(name), ""
        case "flag":
            for value in (False, True):
                yield m.Lit(value), f"{name} = {str(value).lower()}"
        case "optional":
            yield m.Lit(None), f"{name} = -"
            for term, _ in values_of(kinds, name, kind.arguments[0], length):
                yield term, f"{name} present"
        case "tuple":
            parts = [tuple(values_of(kinds, kinds.fresh().name, a, None)) for a in kind.arguments]
            for choice in itertools.product(*parts):
                yield m.TupleTerm(tuple(t for t, _ in choice)), ""
        case "list":
            if length is None:
                raise NotLowerable("a list without a bound on its length")
            for size in range(length + 1):
                inner = [
                    tuple(values_of(kinds, f"{name}.{k + 1}", kind.arguments[0], None)) for k in range(size)
                ]
                for choice in itertools.product(*inner):
                    yield m.ListTerm(tuple(t for t, _ in choice)), f"length({name}) = {size}"
        case _:
            raise NotLowerable("a dotted rule" if kind.kind == "dotted" else f"a variable of type {kind}")


def chosen(pattern: m.Pattern, given: Mapping[str, m.Term]) -> m.Pattern:
    """Return a pattern with a choice made."""
    return m.Pattern(pattern.form, tuple(fold(substitute(t, given)) for t in pattern.terms))


def _lengths(schema: m.Schema, case: m.Case) -> dict[str, int]:
    """Return the greatest length of every list variable that an antecedent's item form bounds."""
    most: dict[str, int] = {}

    def note(name: str, bound: int) -> None:
        most[name] = min(bound, most.get(name, bound))

    for antecedent in case.antecedents:
        form = schema.form(antecedent.pattern.form)
        for term, bound in zip(antecedent.pattern.terms, list_bounds(form), strict=True):
            if bound is None:
                continue
            match term:
                case m.Var(name):
                    note(name, bound)
                case m.ListTerm(elements):
                    fixed = sum(1 for e in elements if not isinstance(e, m.Splice | m.Run))
                    for element in elements:
                        if isinstance(element, m.Splice):
                            note(element.name, max(0, bound - fixed))
    return most


def flags_decided(form: m.Form, pattern: m.Pattern) -> Iterator[tuple[m.Pattern, tuple[Linear | AnyOf, ...]]]:
    """Yield a consequent with its computed flags decided, with the tests under which they are so."""
    for terms, tests in _all_decided(pattern.terms, [f.type for f in form.fields]):
        yield m.Pattern(pattern.form, terms), tests


def _all_decided(
    terms: Sequence[m.Term], kinds: Sequence[m.Type]
) -> Iterator[tuple[tuple[m.Term, ...], tuple[Linear | AnyOf, ...]]]:
    choices = [_decided(term, kind) for term, kind in zip(terms, kinds, strict=True)]
    for choice in itertools.product(*choices):
        yield tuple(t for t, _ in choice), tuple(x for _, tests in choice for x in tests)


def _decided(term: m.Term, kind: m.Type) -> list[tuple[m.Term, tuple[Linear | AnyOf, ...]]]:
    """Return a term with the flags in it decided in every way, each with the tests under which they are so."""
    match kind.kind, term:
        case "optional", _ if term != m.Lit(None):
            return _decided(term, kind.arguments[0])
        case "tuple", m.TupleTerm(parts):
            return [(m.TupleTerm(ts), tests) for ts, tests in _all_decided(parts, kind.arguments)]
        case "list", m.ListTerm(parts) if not any(isinstance(p, m.Splice | m.Run) for p in parts):
            kinds = kind.arguments * len(parts)
            return [(m.ListTerm(ts), tests) for ts, tests in _all_decided(parts, kinds)]
        case "flag", _:
            folded = fold(term)
            if isinstance(folded, m.Lit | m.Any):
                return [(folded, ())]
            outcomes: list[tuple[m.Term, tuple[Linear | AnyOf, ...]]] = []
            for value in (False, True):
                options = alternatives(folded, value)
                if options:
                    some = () if () in options else options[0] if len(options) == 1 else (AnyOf(options),)
                    outcomes.append((m.Lit(value), some))
            return outcomes
    return [(term, ())]


def lowered_equations(kinds: Kinds, form: m.Form, equation: m.Equation) -> Iterator[Equation]:
    """Yield the lines of a normal form between kinds that one equation stands for."""
    names = [name for name in equation.types if name != "n"]
    options = [list(values_of(kinds, name, equation.types[name], None)) for name in names]
    for choice in itertools.product(*options):
        given = {name: term for name, (term, _) in zip(names, choice, strict=True)}
        left, right = (
            m.Pattern(form.name, tuple(fold(substitute(t, given)) for t in side))
            for side in (equation.left, equation.right)
        )
        tests: list[Linear | AnyOf] = []
        possible = True
        for condition in equation.conditions:
            if isinstance(condition, m.GRAMMAR_CONDITIONS):
                raise NotLowerable("a normal form with a condition on the grammar")
            more = tests_of(fold(substitute(condition, given)))
            possible = possible and more is not None
            tests += more or ()
        if not possible:
            continue
        for one, other in itertools.product(kinds.writings(left), kinds.writings(right)):
            atoms = kinds.atom(left, one), kinds.atom(right, other)
            if atoms[0] is None:
                continue
            if atoms[1] is None:
                if simplified(conditions_of(kinds.found, atoms[0]), tests) is not None:
                    raise NotLowerable("a normal form that leads to items which their form rules out")
            elif not _determined(atoms[0], tests):
                raise NotLowerable("a normal form with a condition that binds a variable")
            else:
                yield Equation(atoms[0], atoms[1], tuple(tests))


def lowered_clauses(kinds: Kinds, clause: m.Clause, what: str) -> Iterator[Final]:
    """Yield what a final item or a hypothesis stands for, one entry for every choice of kinds."""
    names = [name for name in clause.types if name != "n"]
    options = [list(values_of(kinds, name, clause.types[name], None)) for name in names]
    for choice in itertools.product(*options):
        given = {name: term for name, (term, _) in zip(names, choice, strict=True)}
        pattern = chosen(clause.pattern, given)
        tests: list[Linear | AnyOf] | None = []
        for condition in clause.conditions:
            if isinstance(condition, m.GRAMMAR_CONDITIONS):
                raise NotLowerable(f"{what} with a condition on the grammar")
            more = tests_of(fold(substitute(condition, given)))
            tests = None if tests is None or more is None else [*tests, *more]
        if tests is None:
            continue
        for written in kinds.writings(pattern):
            atom = kinds.atom(pattern, written)
            if atom is not None:
                if not _determined(atom, tests):
                    raise NotLowerable(f"{what} with a condition that binds a variable")
                yield Final(atom, tuple(tests))


def _determined(atom: Atom, tests: Sequence[Linear | AnyOf]) -> bool:
    """Whether the columns of an item determine all variables of its pattern and of the tests."""
    known = {"n"}
    while True:
        more = set(known)
        for term in atom.terms:
            unknown = [x for x in term.names if x not in more and not x.startswith("'")]
            if len(unknown) == 1:
                more.add(unknown[0])
        if more == known:
            break
        known = more
    about = [t for test in tests for t in ([test] if isinstance(test, Linear) else chain(*test.options))]
    names = {x for term in (*atom.terms, *(t.left for t in about)) for x in term.names}
    return all(x in known or x.startswith("'") for x in names)
