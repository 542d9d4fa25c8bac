"""From declarations to a checked `Schema`: every name, type and arity, all mistakes at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from schemata.errors import Diagnostic, did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.families import expand_family
from schemata.language.forms import FormTable
from schemata.language.lint import check_bounded, check_reachability, find_contradictions, find_open_region
from schemata.language.merge import Effective
from schemata.language.pieces import UNKNOWN
from schemata.language.reader import ANY_FORM
from schemata.language.rules import Places, RuleReader, StepReader

__all__ = ["DEFAULT_GRAMMAR", "check"]

DEFAULT_GRAMMAR: m.GrammarKind = "d-rules"
GRAMMARS = (DEFAULT_GRAMMAR, "dependency-rules", "context-free", "link-grammar")
_LOSSES = frozenset(("item", "hypothesis", "step", "final", "equation", UNKNOWN))


def check(effective: Effective, problems: list[Diagnostic]) -> m.Schema | None:
    """Return the checked schema, or None where there are errors; `problems` gets errors and warnings."""
    grammar = _grammar(effective, problems)
    schema = _resolve(effective, grammar, problems, symbolic=False).schema
    _check_whole(effective, schema, problems)
    if not effective.lost_names:
        for hypothesis in schema.hypotheses:
            check_bounded(hypothesis, problems)
    # What holds for every value of the parameters is found by leaving them open.
    outline = _resolve(effective, grammar, [], symbolic=True)
    find_contradictions(outline.schema, outline.places, effective.ranges, problems)
    if outline.whole and effective.complete and not effective.syntax.lost_kinds & _LOSSES:
        check_reachability(outline.outline, problems)
    return None if any(p.severity == "error" for p in problems) else schema


def _grammar(effective: Effective, problems: list[Diagnostic]) -> m.GrammarKind | None:
    """Return the schema's kind of grammar, or None where it is not known."""
    if effective.grammar is None:
        return DEFAULT_GRAMMAR if effective.complete else None
    name, span = effective.grammar
    if name in GRAMMARS:
        return cast("m.GrammarKind", name)
    problems.append(
        span.report(
            "unknown-grammar",
            f"unknown kind of grammar {name}",
            expected=one_of(GRAMMARS),
            hint=did_you_mean(name, GRAMMARS),
        )
    )
    return None


@dataclass(frozen=True, slots=True)
class _Resolved:
    """A schema of all that has no errors, its places, and its outline with the cases that have errors too.

    `whole` is false where some case has an item of no known form.
    """

    schema: m.Schema
    outline: m.Schema
    places: dict[int, Places]
    whole: bool


def _resolve(
    e: Effective, grammar: m.GrammarKind | None, problems: list[Diagnostic], symbolic: bool
) -> _Resolved:
    """Resolve all declarations; `places` are by the identity of form, case or clause."""
    lost = e.syntax.lost_kinds
    lost_forms = e.syntax.lost_forms | e.lost_forms
    table = FormTable(problems, lost_forms, ANY_FORM in lost_forms or not e.complete)
    rules = StepReader(
        table, problems, grammar, e.grammar is not None, symbolic, not e.complete, e.lost_names
    )
    for item, environment in e.items:
        table.declare(item, rules.scope(environment))
    if e.complete and e.sound:
        table.find_misspelt([h.item for h, _ in e.hypotheses], [x.form for x in _items(e)])
    for hypothesis, environment in e.hypotheses:
        table.declare_implicitly(hypothesis.item, environment)
    for written, environment in e.equations:
        if isinstance(written, s.Covering):
            covered = rules.covering(written, environment)
            if covered is not None:
                form = replace(table.forms[covered[0]], cover=covered[1])
                table.forms[covered[0]] = form
                open_region = find_open_region(form, covered[1], written.span)
                problems += [open_region] if open_region is not None else []
            continue
        found = rules.equation(written, environment)
        if found is not None:
            form = table.forms[found[0]]
            table.forms[found[0]] = replace(form, equations=(*form.equations, found[1]))
    places: dict[int, Places] = {}
    hypotheses = _clauses(rules, e.hypotheses, "hypothesis", places)
    _implicit_conditions(table, hypotheses)
    cases: list[m.Case] = []
    outline: list[m.Case] = []
    whole = True
    members: list[tuple[s.StepDeclaration, Mapping[str, int]]] = []
    for step, environment in e.steps:
        expanded = expand_family(step, environment, problems)
        whole = whole and bool(expanded)
        members += ((member, environment) for member in expanded)
    for step, environment in members:
        for case in step.cases:
            good, rough, where = rules.case(step.name, case, environment)
            whole = whole and rough is not None
            outline += [rough] if rough is not None else []
            if good is not None:
                cases.append(good)
                # Of a family, some members may be impossible by design.
                if not case.generated:
                    places[id(good)] = where
    finals = _clauses(rules, e.finals, "final", places)
    if len(hypotheses) < len(e.hypotheses) or len(finals) < len(e.finals):
        whole = False
    for form in table.forms.values():
        places[id(form)] = Places((form.span,), table.places.get(form.name, ()))
    schema = m.Schema(
        e.syntax.header.name,
        e.title,
        e.reference,
        grammar or "d-rules",
        e.parameters,
        tuple(table.forms.values()),
        hypotheses,
        tuple(cases),
        tuple(dict.fromkeys(d.name for d, _ in members)),
        finals,
        e.syntax.source,
        e.syntax.header.extends,
        tuple(c.span.text for c in e.syntax.header.where),
    )
    return _Resolved(schema, replace(schema, cases=tuple(outline)), places, whole and not lost and e.sound)


def _items(e: Effective) -> Iterator[s.Item]:
    """Yield the items of all rules and final items."""
    for step, _ in e.steps:
        for case in step.cases:
            yield from (a.item for a in case.antecedents)
            if case.consequent is not None:
                yield case.consequent
    yield from (clause.item for clause, _ in e.finals)


def _clauses(
    rules: RuleReader,
    declared: Sequence[tuple[s.ItemClause, Mapping[str, int]]],
    what: str,
    places: dict[int, Places],
) -> tuple[m.Clause, ...]:
    found: list[m.Clause] = []
    for clause, environment in declared:
        resolved = rules.clause(clause, environment, what)
        if resolved is not None:
            found.append(resolved[0])
            places[id(resolved[0])] = resolved[1]
    return tuple(found)


def _implicit_conditions(table: FormTable, hypotheses: Sequence[m.Clause]) -> None:
    """Make the conditions of an undeclared form's only hypothesis the form's own."""
    for name in table.implicit:
        clauses = [h for h in hypotheses if h.pattern.form == name]
        form = table.forms[name]
        if len(clauses) == 1 and clauses[0].pattern.terms == tuple(m.Var(f.name) for f in form.fields):
            where = tuple(c for c in clauses[0].conditions if not isinstance(c, m.GRAMMAR_CONDITIONS))
            table.forms[name] = replace(form, where=where)


def _check_whole(e: Effective, schema: m.Schema, problems: list[Diagnostic]) -> None:
    """Report steps of one name, and what every schema must have."""
    declared: set[str] = set()
    inherited = {d.name for d, _ in e.steps if d not in e.syntax.steps}
    for step, _ in e.steps:
        if step.name in declared and step.name:
            hint = f"write both rules under one step {step.name}, each under the word case"
            if step.name in inherited:
                hint = f"write replace step {step.name} to take the place of the inherited one"
            problems.append(
                step.span.report(
                    "duplicate-step",
                    f"step {step.name} is declared twice",
                    expected="another name",
                    hint=hint,
                )
            )
        declared.add(step.name)
    lost = e.syntax.lost_kinds
    if not e.complete or UNKNOWN in lost:
        return
    head = e.syntax.header.span
    if not e.finals and "final" not in lost:
        problems.append(head.report("no-final", "the schema has no final item", expected="final ITEM"))
    if not e.steps:
        problems.append(head.report("no-step", "the schema has no step", expected="step NAME"))
