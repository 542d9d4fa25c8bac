"""Schema files as a whole: read, merged with their bases, and checked to a `Schema`; all mistakes in one
pass.

Some checks are about the whole schema: forms that nothing derives, unbounded hypotheses, contradictions. They need no
run and give no false alarms: each finding holds for every sentence, every grammar and every value of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from schemata.errors import MORE_ERRORS, Diagnostic, SchemaError, did_you_mean, one_of
from schemata.grouping import derivable, grouped, reachable
from schemata.kinds import (
    CONSTITUENT_TREE,
    CONTEXT_FREE,
    DECLARED,
    DEPENDENCY_RULES,
    DEPENDENCY_TREE,
    FACTS,
    LINK_GRAMMAR,
    LINKAGE,
    SET,
    STRUCTURES,
    GrammarKind,
    StructureKind,
    implied_by,
)  # fmt: skip
from schemata.language import model as m
from schemata.language import shorthand
from schemata.language import syntax as s
from schemata.language.bounds import ZERO, Bounds, differences, impossible, stated
from schemata.language.composition import composed_steps
from schemata.language.extension import DEFAULT_GRAMMAR, merged, refuse_endless, with_labels
from schemata.language.forms import FormTable, declared_relations, declared_types
from schemata.language.habits import grammar_meant
from schemata.language.meanings import read_meaning
from schemata.language.pieces import UNKNOWN
from schemata.language.reader import ANY_FORM, parse_schema
from schemata.language.rules import RulePlaces, RuleReader, VariableTypes
from schemata.language.source import (
    SUFFIX,
    Findings,
    Sources,
    SourceText,
    Span,
    line_span,
    read_source,
    source_from_text,
)
from schemata.language.substitute import item_conditions, may_be_equal
from schemata.language.terms import Terms
from schemata.language.typeset import condition_text
from schemata.records import Record
from schemata.thresholds import EFFORTS

T = TypeVar("T")
_LOSSES = frozenset(("item", "hypothesis", "step", "final", "equation", UNKNOWN))


def check_file(
    path: Path,
    parameters: s.Environment | None = None,
    sources: Sources | None = None,
    types: VariableTypes | None = None,
) -> tuple[m.Schema | None, list[Diagnostic]]:
    """Read and check a schema file; returns the schema (None if there are errors) and all findings.

    `sources`, where given, gets the files that were read or looked for, and `types` the types of variables.

    Raises
    ------
    UsageError : a given parameter does not exist or is out of range.
    """
    return _check_source(lambda: read_source(path), parameters or {}, sources, types)


def read_schema_text(
    text: str,
    file: str = "schema",
    parameters: s.Environment | None = None,
    path: Path | None = None,
    sources: Sources | None = None,
    types: VariableTypes | None = None,
) -> tuple[m.Schema | None, list[Diagnostic]]:
    """Check a schema given as text; returns the schema (None if there are errors) and all findings.

    `path` says where the text would stand: schemata that it extends are looked for there. `sources` and `types` are as
    for `check_file`.
    """
    return _check_source(lambda: source_from_text(text, file, path), parameters or {}, sources, types)


def checked(
    read: Callable[[], SourceText], check: Callable[[SourceText, Findings], T | None]
) -> tuple[T | None, list[Diagnostic]]:
    """Parse and check a text. Returns the result (None on errors) and the findings by place; `check` adds findings."""
    problems = Findings()
    found = None
    try:
        source = read()
    except SchemaError as problem:
        return None, list(problem.diagnostics)
    try:
        found = check(source, problems)
    except RecursionError:
        problems.report(line_span(source, 1), "too-deep", "an expression is nested too deeply")
    return (None if problems.errors else found), first_of(in_order(problems))


def _check_source(
    read: Callable[[], SourceText],
    parameters: s.Environment,
    sources: Sources | None = None,
    types: VariableTypes | None = None,
) -> tuple[m.Schema | None, list[Diagnostic]]:
    """Check a source. If given, `sources` is filled with the files that were read, `types` with variable
    types.
    """
    read_files: Sources = {} if sources is None else sources

    def check(source: SourceText, problems: Findings) -> m.Schema | None:
        syntax, found = parse_schema(source)
        source = syntax.source  # an equal one, if the same text was read before
        if source.path is not None:
            read_files[source.path] = source
        problems += found
        header = syntax.header
        stem = source.path.stem if source.path else header.name
        if stem != header.name and all(p.location and p.location.line != header.span.line for p in found):
            message = f"schema {header.name} stands in a file named {stem}{SUFFIX}"
            hint = f"or name the file {header.name}{SUFFIX}"
            problems.report(header.span, "name-mismatch", message, f"schema {stem}", hint, severity="warning")
        effective = _spelt_out(merged(syntax, parameters, problems, read_files), problems)
        schema = _check(effective, problems, types)
        if any(p.code == "endless-family" for p in problems):
            refuse_endless(effective, parameters)
        problems[:] = _about(source, header, problems)
        return schema

    return checked(read, check)


def _spelt_out(e: s.SchemaSyntax, problems: Findings) -> s.SchemaSyntax:
    """Return the declarations of a schema without compositions and abbreviations, with labels of arcs."""
    before = len(problems)
    e.declarations = composed_steps(e.declarations, problems if e.complete else Findings())
    e.sound = e.sound and len(problems) == before
    names = (*(p.name for p in e.parameters), *e.lost_names)
    called = [r.name for r in e.of(s.RelationDeclaration)]
    called += [part.name.removesuffix("()") for d in e.of(s.TypeDeclaration) for part in d.alternatives]
    if known := shorthand.read_definitions(e.of(s.Definition), called, names, problems):
        written = (d for d in e.declarations if not isinstance(d, s.Definition))
        e.declarations = [shorthand.spelt_out(d, known, problems) for d in written]
    if e.labelled:
        with_labels(e)
    return e


def _about(source: SourceText, header: s.Header, problems: Findings) -> list[Diagnostic]:
    """Return the findings; errors in inherited files become one finding of the file itself.

    An extended schema with errors is shown with all of them. If it has none by itself, inherited declarations do not
    fit the replaced ones, which is one mistake of this file. Warnings about an extended
    schema belong to that file.
    """
    own = Findings(p for p in problems if p.location is None or p.location.file == source.file)
    others = [p for p in problems.errors if p.location and p.location.file != source.file]
    if not others or header.extends is None:
        return own
    base, span, place = header.extends.name, header.extends.span, others[0].location
    assert place is not None
    path = Path(place.file)
    broken = [p for p in check_file(path)[1] if p.severity == "error"]
    if broken:
        message, hint = f"what this schema inherits from {base} has errors", f"see {path.name}"
        own.report(span, "bad-base", message, "a schema without errors", hint)
        return [*own, *broken]
    if own.errors:
        return own
    message = f"what this schema inherits from {base} no longer fits: {others[0].message}"
    own.report(span, "unfit-base", message, others[0].expected, f"see line {place.line} of {path.name}")
    return own


def in_order(problems: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings by place, each once."""
    return sorted(
        dict.fromkeys(problems),
        key=lambda p: (p.location.file, p.location.line, p.location.column) if p.location else ("", 0, 0),
    )


def first_of(findings: list[Diagnostic]) -> list[Diagnostic]:
    """Return findings in order, without those after the last mistake that is shown of one file."""
    errors = [k for k, finding in enumerate(findings) if finding.severity == "error"]
    if len(errors) <= EFFORTS.reported_errors:
        return findings
    end = errors[EFFORTS.reported_errors]
    message, hint = "there are more mistakes from here on", "they are shown once those above are mended"
    return [*findings[:end], Diagnostic(MORE_ERRORS, message, findings[end].location, hint=hint)]


# Checking ----------------------------------------------------------------------------------------------------


def _check(
    effective: s.SchemaSyntax, problems: Findings, types: VariableTypes | None = None
) -> m.Schema | None:
    """Return the checked schema, or None if there are errors; `problems` gets errors and warnings."""
    grammar = _grammar(effective, problems)
    before = len(problems)
    resolved = _resolve(effective, grammar, problems, symbolic=False, types=types)
    schema, is_clean = resolved.schema, len(problems) == before
    _check_whole(effective, schema, problems)
    if not effective.lost_names:
        for hypothesis in schema.hypotheses:
            _check_bounded(hypothesis, problems)
    _check_words(schema, problems)
    if is_clean:
        _check_heads(schema, problems)
    _check_root(schema, problems)
    _check_meanings(effective, schema, problems)
    _check_growth(schema, problems)
    # What holds for every value of the parameters is found by leaving them open.
    has_parameters = any(d.environment for d in effective.declarations)
    outline = (
        _resolve(effective, grammar, Findings(), symbolic=True, before=resolved if is_clean else None)
        if has_parameters or not is_clean
        else resolved
    )
    _find_contradictions(outline.schema, outline.places, effective.ranges, problems)
    if outline.whole and effective.complete and not effective.lost_kinds & _LOSSES:
        _check_reachability(outline.outline, problems)
    return None if problems.errors else schema


def _grammar(effective: s.SchemaSyntax, problems: Findings) -> GrammarKind | None:
    """Return the schema's kind of grammar; None if its name is not one."""
    if effective.grammar is None:
        if effective.of(s.RelationDeclaration):
            return FACTS
        return DEFAULT_GRAMMAR if effective.complete else None
    name, span = effective.grammar
    kind = next((one for one in DECLARED if one == name), None)
    if kind is not None and effective.of(s.RelationDeclaration) and not kind.relations_declared:
        message = f"a grammar of {name} provides no relations that a schema declares"
        hint = "leave the line out: relations that a schema declares make its grammar one of facts"
        problems.report(span, "wrong-grammar", message, "grammar facts", hint)
    if kind is None:
        near = grammar_meant(name) or did_you_mean(name, DECLARED)
        problems.report(span, "unknown-grammar", f"unknown kind of grammar {name}", one_of(DECLARED), near)
    return kind


def _structure(
    e: s.SchemaSyntax,
    atoms: Sequence[tuple[Span, str, tuple[m.Type, ...]]],
    grammar: GrammarKind | None,
    problems: Findings,
) -> StructureKind:
    """Return the kind of structure that a schema builds: as declared, or else inferred from its atoms."""
    names = {"link" if name == "head link" else name for _, name, _ in atoms}
    if e.structure is None:
        without = _WITHOUT_ATOMS.get(grammar or DEFAULT_GRAMMAR, DEPENDENCY_TREE)
        return implied_by(names) if names else without
    name, span = e.structure
    kind = next((one for one in STRUCTURES if one == " ".join(name.split())), None)
    if kind is None:
        message = f"unknown kind of structure {name}"
        problems.report_unknown(span, "unknown-structure", message, STRUCTURES)
        return SET
    if grammar is not None and (kind == LINKAGE) != grammar.of_labels:
        message = "linkages are what schemata over Link Grammar dictionaries build, and nothing else"
        problems.report(
            span, "wrong-structure", message, LINKAGE if grammar.of_labels else "another structure"
        )
    for place, name, types in atoms:
        if not kind.atoms and name == "head link":
            message = "links between the heads of antecedents make up trees and graphs"
            problems.report(place, "wrong-structure", message, "structure dependency graph")
        elif kind.atoms and name.removeprefix("head ") not in kind.atoms | kind.beside:
            message = f"{name.replace('link', 'edge')} is not an atom of {kind}s"
            hint = "structure set may have any atoms"
            problems.report(place, "wrong-structure", message, kind.written, hint)
        elif name in dict(kind.shapes) and (name, tuple(one.kind for one in types)) not in kind.shapes:
            message = f"this is not a {name} as {kind}s have it"
            problems.report(place, "bad-atom", message, kind.written)
    return kind


_WITHOUT_ATOMS = {CONTEXT_FREE: CONSTITUENT_TREE, LINK_GRAMMAR: LINKAGE}
"""The default structure where no step builds anything, by kind of grammar; otherwise dependency trees."""


# Resolving declarations ---------------------------------------------------------------------------------------


class _Resolved(Record):
    """A schema of all that has no errors, its outline with the cases that have errors too, and where its parts stand.

    `whole` is false where some case has an item of no known form; `rows` are the cases by step, `rules` their reader.
    """

    schema: m.Schema
    outline: m.Schema
    places: Mapping[int, RulePlaces]
    whole: bool
    rows: Mapping[str, list[_StepRow]]
    rules: RuleReader


def _resolve(
    e: s.SchemaSyntax,
    grammar: GrammarKind | None,
    problems: Findings,
    symbolic: bool,
    types: VariableTypes | None = None,
    before: _Resolved | None = None,
) -> _Resolved:
    """Resolve all declarations; `places` are by the identity of form, case or clause.

    Steps of `before`, which were resolved without errors, are used again if they name no open parameter.
    """
    already = len(problems)
    inputs = tuple(dict.fromkeys(name.id for name in e.inputs))
    table = FormTable(problems, set(e.lost_forms), ANY_FORM in e.lost_forms or not e.complete, inputs=inputs)
    table.types = declared_types(e.of(s.TypeDeclaration), problems)
    relations = declared_relations(e.of(s.RelationDeclaration), table.types, problems)
    known = (not e.complete, e.lost_names, relations, not e.complete or "relation" in e.lost_kinds)
    rules = RuleReader(table, problems, grammar, e.grammar is not None, symbolic, *known)
    rules.types = {} if types is None else types
    items = (d for d in e.of(s.ItemDeclaration) if d.span.source == e.source or d.form not in e.lost_forms)
    for item in items:
        table.declare(item, rules.scope(item.environment))
    if e.complete and e.sound:
        rules_and_finals = (*e.of(s.StepDeclaration), *e.of(s.FinalDeclaration))
        used = [node.form for node in m.nodes(rules_and_finals) if isinstance(node, s.ItemSyntax)]
        table.find_misspelt([h.item for h in e.of(s.Hypothesis)], used)
    for hypothesis in e.of(s.Hypothesis):
        table.declare_implicitly(hypothesis.item, hypothesis.environment)
    if e.complete and e.sound:
        table.find_undeclared(rules_and_finals)
    for written in e.declarations:
        _normal_form(rules, written)
    reflections = _reflections(rules, e)
    hypotheses = tuple(c for c in map(rules.clause, e.of(s.Hypothesis)) if c is not None)
    _implicit_conditions(table, hypotheses)
    whole = e.sound and not e.lost_kinds
    read: dict[str, list[_StepRow]] = {}
    same: Mapping[str, list[_StepRow]] = {}
    if before is not None:
        same = _without_parameters(e, before)
        rules.places.update(before.places)
        rules.atoms += before.rules.atoms
        whole = whole and before.whole
    for step in e.of(s.StepDeclaration):
        if problems.too_many(already):
            whole = False
        elif step.image_of is None and step.name not in same:
            members = shorthand.expand_family(step, problems)
            found = [(x.name, *rules.case(x.name, c, step.environment)) for x in members for c in x.cases]
            whole = whole and bool(members) and all(rough is not None for _, _, rough in found)
            if not step.part:
                read.setdefault(step.name, []).extend(found)
    read |= same
    by_step: dict[str, list[_StepRow]] = {}
    rows: list[_StepRow] = []
    for step in e.of(s.StepDeclaration):
        if step.part or step.name in by_step:  # of several of one name, all cases stand with the first
            continue
        found = same.get(step.name) or read.get(step.name, [])
        if step.image_of is not None and step.name not in same and not problems.too_many():
            found = _images(rules, step, read.get(step.image_of, []), reflections, read)
            whole = whole and bool(found)
        by_step[step.name] = found
        rows += found
    finals = tuple(c for c in map(rules.clause, e.of(s.FinalDeclaration)) if c is not None)
    whole = (
        whole and len(hypotheses) == len(e.of(s.Hypothesis)) and len(finals) == len(e.of(s.FinalDeclaration))
    )
    for form in table.forms.values():
        rules.places[id(form)] = RulePlaces((form.span,), table.places.get(form.name, ()))
    cases = tuple(good for _, good, _ in rows if good is not None)
    schema = m.Schema(
        e.header.name,
        e.title,
        e.reference,
        grammar or DEFAULT_GRAMMAR,
        e.parameters,
        tuple(table.forms.values()),
        hypotheses,
        cases,
        tuple(dict.fromkeys(name for name, _, _ in rows)),
        finals,
        e.source,
        e.header.extends.name if e.header.extends else None,
        tuple(c.span.text for c in e.header.where),
        tuple(replace(r, yields=m.yields_of(r.name, cases)) for r in relations.values()),
        _structure(e, rules.atoms, grammar, problems),
        inputs,
        meanings=() if symbolic else _meanings(rules, e),
    )
    outline = replace(schema, cases=tuple(rough for _, _, rough in rows if rough is not None))
    return _Resolved(schema, outline, rules.places, whole, by_step, rules)


def _meanings(rules: RuleReader, e: s.SchemaSyntax) -> tuple[m.Meaning, ...]:
    """Return the claims about items; none with open parameters, where they are not needed."""
    found = (read_meaning(rules, declaration) for declaration in e.of(s.MeaningDeclaration))
    return tuple(x for x in found if x is not None)


_StepRow: TypeAlias = "tuple[str, m.Case | None, m.Case | None]"
"""The name of a step, a case of it and its outline."""


def _without_parameters(e: s.SchemaSyntax, before: _Resolved) -> dict[str, list[_StepRow]]:
    """Return the cases of the steps that name no parameter; none if a form or a reflection may depend on one."""
    parameters = {name for d in e.declarations for name in d.environment}

    def depends(node: object) -> bool:
        return not parameters.isdisjoint(x.id for x in s.names_in(node))

    steps = e.of(s.StepDeclaration)
    seen_by_steps = (  # types of fields, not conditions of items
        d.fields if isinstance(d, s.ItemDeclaration) else d.item if isinstance(d, s.Hypothesis) else d
        for d in e.declarations
        if not isinstance(d, (s.StepDeclaration, s.FinalDeclaration, s.MeaningDeclaration))
    )
    if any(map(depends, seen_by_steps)):
        return {}
    open_ = {d.name for d in steps if depends(d)}
    return {
        d.name: before.rows[d.name]
        for d in steps
        if d.name in before.rows and not {d.name, d.image_of or d.name} & open_
    }


def _reflections(rules: RuleReader, e: s.SchemaSyntax) -> dict[str, shorthand.Reflection]:
    """Return the reflections that a schema's `mirror` lines declare, by form."""
    found: dict[str, shorthand.Reflection] = {}
    for written in e.of(s.Mirror):
        before, scope = len(rules.problems), rules.scope(written.environment)
        left = rules.table.pattern(written.left, scope, binding=True)
        right = rules.table.pattern(written.right, scope, binding=False)
        if left is None or right is None or len(rules.problems) > before:
            continue
        forms = rules.table.forms
        ways = shorthand.reflections_of(forms[left.form], left, right, forms[right.form])
        if not ways:
            message = "this is not a mirror image: applied twice, it does not give the item again"
            example = "span[j, i], or span[n - j, n - i] for places between words"
            expected = f"the fields in another order: {example}"
            rules.problems.report(written.span, "bad-mirror", message, expected)
        found |= dict(zip((left.form, right.form), ways, strict=False))
    return found


def _images(
    rules: RuleReader,
    step: s.StepDeclaration,
    rows: Sequence[_StepRow],
    reflections: Mapping[str, shorthand.Reflection],
    read: Iterable[str],
) -> list[_StepRow]:
    """Return the rules of a step that mirrors another step; reports the reasons if it cannot."""
    of, problems, images = step.image_of or "", rules.problems, list[_StepRow]()
    if of not in read:
        message = f"there is no step {of} that could be mirrored"
        problems.report_unknown(step.span, "unknown-step", message, sorted(read))

    def turned(case: m.Case | None, name: str) -> m.Case | None:
        if case is None:
            return None
        image = shorthand.mirrored(case, name, rules.table.forms, reflections, step.environment)
        image = replace(image, span=step.span)
        if where := rules.places.get(id(case)):
            rules.places[id(image)] = RulePlaces(*((step.span,) * len(spans) for spans in m.parts(where)))
        return image

    try:
        for member, good, rough in rows:
            name = step.name + member.removeprefix(of)
            images.append((name, turned(good, name), turned(rough, name)))
    except shorthand.NoImageError as reason:
        message = f"step {of} has no mirror image: {reason}"
        hint = "write the second step out, or say how a form looks with mirror span[i, j] = span[j, i]"
        problems.report(step.span, "no-mirror-image", message, "a step without directions", hint)
        return []
    return images


def _normal_form(rules: RuleReader, written: s.Declaration) -> None:
    """Add a declaration, if it is a line of a normal form, to its form."""
    forms = rules.table.forms
    if isinstance(written, s.EquationDeclaration):
        if resolved := rules.equation(written):
            form = forms[resolved[0]]
            forms[form.name] = replace(form, equations=(*form.equations, resolved[1]))
    elif isinstance(written, s.Covering) and (covered := rules.covering(written)):
        form = forms[covered[0]] = replace(forms[covered[0]], cover=covered[1])
        _check_region(form, covered[1], written.span, rules.problems)


def _implicit_conditions(table: FormTable, hypotheses: Sequence[m.Clause]) -> None:
    """Make the conditions of an undeclared form's only hypothesis the form's own."""
    by_form = grouped((hypothesis.pattern.form, hypothesis) for hypothesis in hypotheses)
    for name in table.implicit:
        clauses, form = by_form.get(name, ()), table.forms[name]
        if len(clauses) == 1 and clauses[0].pattern.terms == tuple(m.Var(f.name) for f in form.fields):
            where = tuple(c for c in clauses[0].conditions if not isinstance(c, m.HasFact))
            table.forms[name] = replace(form, where=where)


def _check_whole(e: s.SchemaSyntax, schema: m.Schema, problems: Findings) -> None:
    """Report steps of the same name, and missing declarations that every schema needs."""
    steps = e.of(s.StepDeclaration)
    inherited = {d.name for d in steps if d.span.source != e.source}
    declared: set[tuple[str, bool]] = set()
    for step in steps:
        if (step.name, step.part) in declared and step.name:
            hint = f"write both rules under one step {step.name}, each under the word case"
            if step.part:
                hint = "two rules are two parts"
            elif step.name in inherited:
                hint = f"write replace step {step.name} to take the place of the inherited one"
            message = f"{'part' if step.part else 'step'} {step.name} is declared twice"
            problems.report(step.span, "duplicate-step", message, "another name", hint)
        declared.add((step.name, step.part))
    if not e.complete or UNKNOWN in e.lost_kinds:
        return
    head = e.header.span
    if not e.of(s.FinalDeclaration) and "final" not in e.lost_kinds:
        problems.report(head, "no-final", "the schema has no final item", "final ITEM")
    if all(step.part for step in steps):
        problems.report(head, "no-step", "the schema has no step", "step NAME")


def _check_region(form: m.Form, cover: m.Cover, span: Span, problems: Findings) -> None:
    """Report a covering unless the form's `where` makes the region one stretch with the gaps inside it.

    The ends and gaps of another region do not determine the words it covers.
    """
    low, high, gaps = (form.fields[k].name for k in (cover.low, cover.high, cover.gaps))
    first, last = m.Var(low), m.Var(high)

    def holds(relation: Literal["<=", "<"], left: m.Term, right: m.Term) -> bool:
        """Whether `where` implies `left <= right` or `left < right`."""
        return impossible([*form.where, m.Compare("<" if relation == "<=" else "<=", right, left)])

    inside = any(
        holds("<", first, condition.outer.low) and holds("<", condition.outer.high, last)
        for condition in form.where
        if isinstance(condition, m.AllWithin) and condition.intervals == m.Var(gaps)
    )
    if not (holds("<=", first, last) and inside):
        message = f"the conditions of {form.name} do not keep {gaps} between {low} and {high}"
        expected = f"where {low} <= {high}, {gaps} in [{low} + 1..{high} - 1]"
        hint = "otherwise these fields do not determine which words an item covers"
        problems.report(span, "open-region", message, expected, hint)


def _check_bounded(clause: m.Clause, problems: Findings) -> None:
    """Report variables of a hypothesis without both ends: it stands for finitely many items."""
    facts = stated(clause.conditions)
    if facts.contradictory():
        return
    for name in dict.fromkeys(m.variables(clause.pattern)):
        kind = clause.types[name].kind if name in clause.types else "position"
        if name == "n" or kind == "flag":
            continue
        if kind != "position" or not (facts.lowest(name) and facts.highest(name)):
            expected = f"where LOW <= {name} <= HIGH, in numbers, parameters and n"
            expected = expected if kind == "position" else "positions and flags only"
            message = f"variable {name} of the hypothesis has no bounds"
            problems.report(clause.span, "unbounded-hypothesis", message, expected)


def _check_words(schema: m.Schema, problems: Findings) -> None:
    """Warn of a hypothesis for each of the places 0 to n - 1: the words of a sentence stand at 1 to n."""
    for clause in () if schema.inputs else schema.hypotheses:
        names = [x for x in dict.fromkeys(m.variables(clause.pattern)) if clause.types.get(x) == m.POSITION]
        facts = stated(clause.conditions)
        if len(names) != 1 or facts.contradictory():
            continue
        if facts.lowest(names[0]).get(ZERO) == 0 and facts.highest(names[0]).get("n") == -1:
            message = f"{names[0]} of this hypothesis is 0 to n - 1, and words stand at 1 to n"
            expected = f"1 <= {names[0]} <= n, or 0 <= {names[0]} <= n + 1 with the places before and behind the words"
            form, name = clause.pattern.form, names[0]
            hint = f"with positions between words, steps ask for {form}[{name} + 1]: the word from {name} to {name} + 1"
            problems.report(clause.span, "words-from-0", message, expected, hint, severity="warning")


def _check_heads(schema: m.Schema, problems: Findings) -> None:
    """Warn of links between heads of items where no step names a head: they are never built."""
    linking = [case for case in schema.cases if case.head_links]
    if linking and all(case.head in {None, m.Lit(0)} for case in schema.cases):
        case = next((case for case in schema.cases if not case.head_links and case.head is None), linking[0])
        message = f"no step says which word is a head: the links of step {linking[0].step} are never built"
        hint = f"write `head h` beside step {case.step}, where h is the head word"
        problems.report(case.span, "heads-unknown", message, "a step with: head h", hint, "warning")


def _check_root(schema: m.Schema, problems: Findings) -> None:
    """Warn of items of the pseudo-rule of the root whose head no step names: links to it are never built."""
    if schema.grammar != DEPENDENCY_RULES or not any(case.head_links for case in schema.cases):
        return
    of_root = [case for case in schema.cases if _is_of_root(case.consequent)]
    opening = [case for case in of_root if not any(_is_of_root(a.pattern) for a in case.antecedents)]
    for case in opening if not any(case.head is not None for case in of_root) else ():
        message = (
            f"no step says that the head of root(...) is 0: nothing is linked to what step {case.step} opens"
        )
        hint = f"write `head 0` beside step {case.step}"
        problems.report(case.span, "root-without-head", message, "the root's head: head 0", hint, "warning")


def _check_meanings(e: s.SchemaSyntax, schema: m.Schema, problems: Findings) -> None:
    """Report claims about forests of a schema that builds none."""
    # A step that builds links may be among the mistakes.
    unsure = schema.structure.single_headed and problems.errors
    if not e.complete or e.lost_kinds or schema.builds_forests or unsure:
        return
    for written in e.of(s.MeaningDeclaration):
        message = "claims about items are about forests, which this schema does not build"
        expected = "a schema over D-rules, dependency rules or facts that builds links of trees"
        problems.report(written.span, "no-forests", message, expected)


def _is_of_root(pattern: m.Pattern) -> bool:
    """Whether an item has a dotted rule root(...)."""
    return any(isinstance(x, m.Lit) and x.value == m.ROOT for x in m.nodes(pattern.terms))


_POSITIONS = m.Interval(m.Lit(0), m.Linear(1, ((m.Var("n"), 1),)))


def _check_growth(schema: m.Schema, problems: Findings) -> None:
    """Warn of steps that may leave the positions 0 to n + 1, beyond which nothing stops them."""
    # Normal forms decide nothing here, and what is kept by its forms needs such as can be compared.
    forms = {form.name: replace(form, equations=(), cover=None) for form in schema.forms}
    lengths = [m.Member(m.Var(m.LENGTH_OF + x), m.Interval(m.Lit(0), m.Var("n"))) for x in schema.inputs]
    for case in schema.cases:
        above = tuple(forms[antecedent.pattern.form] for antecedent in case.antecedents)
        rule = _EndlessRule(case.step, case.antecedents, case.consequent, case.conditions)
        asked = rule, forms[case.consequent.form], above, tuple(lengths)
        try:
            why = _growth(*asked)
        except RecursionError:  # nested too deeply to be compared with what is kept
            why = _growth.__wrapped__(*asked)
        if why:
            problems.report(case.span, "unbounded-item", why[0], why[1], severity="warning")


class _EndlessRule(Record):
    """The parts of a case that decide whether it may apply without end."""

    step: str
    antecedents: tuple[m.Antecedent, ...]
    consequent: m.Pattern
    conditions: tuple[m.Condition, ...]


@lru_cache(maxsize=512)
def _growth(
    case: _EndlessRule, form: m.Form, above: tuple[m.Form, ...], lengths: tuple[m.Condition, ...]
) -> tuple[str, str] | None:
    """Return a message and the expected remedy if a case may apply without end; else None.

    An editor asks again after each change, which leaves most cases as they were.

    Parameters
    ----------
    case : the case.
    form, above : the forms of its consequent and of its antecedents.
    lengths : known facts about the lengths of inputs.
    """
    below = item_conditions(form, case.consequent.terms)
    within: list[m.Term] = []
    known: list[m.Condition] = [*lengths, *case.conditions, *below]
    for antecedent, declared in zip(case.antecedents, above, strict=True):
        known += item_conditions(declared, antecedent.pattern.terms)
        for slot, term in zip(declared.fields, antecedent.pattern.terms, strict=True):
            if slot.type != m.INTEGER:
                nested = () if isinstance(term, m.Linear) else map(m.Var, m.variables(term))
                within += [term, *nested]
    for asked in case.conditions:
        match asked:
            case m.HasFact(negated=False):
                within += [x for x in asked.terms if isinstance(x, m.Linear)]
                within += map(m.Var, m.variables(asked.terms))
            case m.Member(_, m.Var()):
                within += map(m.Var, m.variables(m.parts(asked)[:2]))
    facts = stated([*known, *(m.Member(term, _POSITIONS) for term in within)])
    for slot, term in zip(form.fields, case.consequent.terms, strict=True):
        if why := _why_unbounded(slot, term, case, below, facts):
            return f"nothing {why[0].format(f'{slot.name} of {form.name}', f'step {case.step}')}", why[1]
    return None


def _why_unbounded(
    slot: m.Field, term: m.Term, case: _EndlessRule, below: Iterable[m.Condition], facts: Bounds
) -> tuple[str, str] | None:
    """Return a message and the expected remedy if a field of a consequent may grow without end; else None."""
    match slot.type.kind:
        case "position" if slot.type == m.INTEGER:
            if _grows(term, case, below):
                expected = f"a condition on the item, or on the step, such as {slot.name} <= n"
                return "bounds {}: {} may go on for ever", expected
        case "term" if _builds_larger(term, case):
            expected = "a fact of the grammar about what it builds on, or two antecedents side by side"
            return "bounds {}: {} may build ever larger terms", expected
        case "position":
            goals = differences(m.Member(term, _POSITIONS))
            if goals and not facts.contradictory() and not facts.proves(goals):
                expected = f"a condition such as 0 <= {slot.name} <= n + 1 on the item, or on the step"
                return "keeps {} within the sentence: {} may go on for ever", expected
    return None


def _grows(term: m.Term, case: _EndlessRule, below: Iterable[m.Condition]) -> bool:
    """Whether an integer is computed from variables that no condition and no goal bounds."""
    if not isinstance(term, m.Linear):
        return False
    names = set(m.variables(term))
    conditions = m.nodes((*case.conditions, *below))
    if any(names & set(m.variables(c)) for c in conditions if isinstance(c, m.Member) or _is_order(c)):
        return False
    bounding = _facts_and_goals(case)
    return term not in m.nodes(tuple(bounding)) and not names <= set(m.variables(tuple(bounding)))


def _builds_larger(term: m.Term, case: _EndlessRule) -> bool:
    """Whether a step from one item builds a larger term from variables that no fact and no goal bounds."""
    bounding = _facts_and_goals(case)
    if not isinstance(term, m.TupleTerm) or any(term in m.nodes(terms) for terms in bounding):
        return False
    free = set(m.variables(term)) - set(m.variables(tuple(bounding)))
    above = [a.pattern.terms for a in case.antecedents if not a.context]
    return len(above) == 1 and term not in above[0] and any(m.Var(x) in above[0] for x in free)


def _facts_and_goals(case: _EndlessRule) -> list[tuple[m.Term, ...]]:
    """Return the terms of the facts that a case asks for, and of context antecedents of other forms than its item.

    Their values bound the terms built: an item that is derived towards a goal is part of the goal.
    """
    facts = [c.terms for c in m.nodes(case.conditions) if isinstance(c, m.HasFact) and not c.negated]
    given = (a.pattern for a in case.antecedents if a.context)
    return facts + [goal.terms for goal in given if goal.form != case.consequent.form]


def _is_order(condition: object) -> bool:
    return isinstance(condition, m.Compare) and condition.relation in ("<", "<=")


# What derives what --------------------------------------------------------------------------------------------


def _check_reachability(schema: m.Schema, problems: Findings) -> None:
    """Report forms that nothing produces and final items that nothing yields; warn of forms nothing needs."""
    hypotheses = {h.pattern.form for h in schema.hypotheses}
    sources = {c.consequent.form for c in schema.cases} | hypotheses
    sourceless = [f for f in schema.forms if f.name not in sources]
    for form in sourceless:
        message = f"nothing produces {form.name}: no step has it below its line, and no hypothesis has it"
        hint = did_you_mean(form.name, sources)
        problems.report(form.span, "unproduced-form", message, "a step or hypothesis", hint)
    # Forms that wait for those reported above only are not a second mistake.
    rules = {(frozenset(a.pattern.form for a in c.antecedents), c.consequent.form) for c in schema.cases}
    produced = derivable(hypotheses | {f.name for f in sourceless}, rules)
    waiting = [f for f in schema.forms if f.name not in produced]
    if waiting:
        names = " and ".join(f.name for f in waiting)
        verb = "them" if len(waiting) > 1 else "it"
        message = f"every step that has {verb} below its line waits for items never derived"
        expected, hint = "a step or hypothesis to begin with", "check the hypotheses and the first steps"
        below = [c for c in schema.cases if c.consequent.form in hypotheses]
        if below:
            hint = f"{below[0].step} derives {below[0].consequent.form}, a hypothesis: antecedents stand above the line"
        message = f"nothing produces {names}: {message}"
        problems.report(waiting[0].span, "unproduced-form", message, expected, hint)
    if not sourceless and not waiting:
        _check_finals(schema, problems)
    if schema.finals:
        _check_needs(schema, produced, problems)


def _check_finals(schema: m.Schema, problems: Findings) -> None:
    sources = [*(h.pattern for h in schema.hypotheses), *(c.consequent for c in schema.cases)]
    for final in schema.finals:
        # A normal form may turn any consequent into the final item.
        normal = schema.form(final.pattern.form).has_normal_form
        if not normal and not any(_may_match(final.pattern, source) for source in sources):
            message = "no step and no hypothesis can yield this final item"
            expected = "an item that some step has below its line"
            problems.report(final.span, "unreachable-final", message, expected)
        root = m.Lit(m.ROOT)
        if root in final.pattern.terms and not any(root in source.terms for source in sources):
            message = "root is a symbol that no step makes, not the start symbol"
            hint = "write a variable, and say which it is: where root S"
            problems.report(final.span, "any-symbol", message, hint=hint, severity="warning")


def _check_needs(schema: m.Schema, produced: set[str], problems: Findings) -> None:
    """Warn of forms that no final item needs, but not of those that only such forms need."""
    uses = {(c.consequent.form, a.pattern.form) for c in schema.cases for a in c.antecedents}
    used_by = grouped(sorted(uses))
    needed = reachable([f.pattern.form for f in schema.finals], lambda form: used_by.get(form, ()))
    idle = [f for f in schema.forms if f.name in produced and f.name not in needed]
    used = {form for user, form in uses if user != form and user in {f.name for f in idle}}
    for form in [f for f in idle if f.name not in used] or idle[:1]:
        message, hint = f"no final item needs {form.name}", did_you_mean(form.name, needed)
        expected = "a step that leads from it to a final item"
        problems.report(form.span, "unneeded-form", message, expected, hint, severity="warning")


def _may_match(pattern: m.Pattern, source: m.Pattern) -> bool:
    return pattern.form == source.form and all(map(may_be_equal, pattern.terms, source.terms))


# Contradictions -----------------------------------------------------------------------------------------------


_PlacedConditions: TypeAlias = "list[tuple[m.Condition, Span]]"
_EACH_OTHER = "this one can never be true together with those before it"
_ABSENT = "no comparison with an absent value is true: in the form's conditions, write l is absent or l <= r"


def _find_contradictions(
    schema: m.Schema,
    places: Mapping[int, RulePlaces],
    ranges: Sequence[s.ConditionSyntax],
    problems: Findings,
) -> None:
    """Report forms, hypotheses, final items and cases whose conditions cannot all be true.

    Parameters
    ----------
    schema : a schema in which parameters are variables.
    places : where the parts of its forms, clauses and cases stand, by identity; cases without are left out.
    ranges : the ranges of the parameters.
    """
    scope = Terms({}, Findings(), types={name.id: m.POSITION for name in s.names_in(tuple(ranges))})
    known: list[m.Condition] = [scope.condition(condition) for condition in ranges]
    impossible_forms: set[str] = set()
    absences: set[Span] = set()  # items ruled out because their form compares an absent value

    def report(span: Span, what: str, hint: str) -> None:
        hint = _ABSENT if span in absences else hint
        message = f"the conditions of {what}"
        problems.report(span, "contradiction", message, "conditions that some items fulfil", hint)

    def own(rule: m.Form | m.Clause | m.Case) -> _PlacedConditions:
        conditions = rule.where if isinstance(rule, m.Form) else rule.conditions
        return list(zip(conditions, places[id(rule)].conditions, strict=False))

    def facts(pattern: m.Pattern, span: Span) -> _PlacedConditions:
        if pattern.form in impossible_forms:
            return []
        conditions = item_conditions(schema.form(pattern.form), pattern.terms)
        if m.Lit(None) in pattern.terms and any(impossible([c]) for c in conditions):
            absences.add(span)
        return [(c, span) for c in conditions]

    def first_wrong(facts: _PlacedConditions) -> Span | None:
        """Return the place of the first condition that cannot be true together with those before it."""
        conditions = [condition for condition, _ in facts]
        if not impossible([*known, *conditions]):
            return None
        counts = range(1, len(facts) + 1)
        return next((facts[k - 1][1] for k in counts if impossible([*known, *conditions[:k]])), None)

    for form in schema.forms:
        if (at := first_wrong(own(form))) is not None:
            impossible_forms.add(form.name)
            report(at, f"item form {form.name} contradict each other", _EACH_OTHER)
    for k, clause in enumerate((*schema.hypotheses, *schema.finals)):
        is_final = k >= len(schema.hypotheses)
        if not is_final and first_wrong(own(clause)) is not None:
            impossible_forms.add(clause.pattern.form)
        of_form = facts(clause.pattern, places[id(clause)].items[0])
        at = first_wrong([*own(clause), *of_form])
        if at is not None and is_final:
            form = schema.form(clause.pattern.form)
            broken = [k for k, (c, _) in enumerate(of_form) if impossible([*known, c])]
            hint = _EACH_OTHER
            if broken and len(of_form) == len(form.where):
                asked, here = (
                    condition_text(c, ascii=True) for c in (form.where[broken[0]], of_form[broken[0]][0])
                )
                hint = f"items of form {form.name} have {asked}, and here that is {here}"
            report(at, "this final item contradict each other", hint)
        elif at is not None:
            message = f"the range of hypothesis {clause.pattern.form} is empty"
            problems.report(at, "empty-hypothesis", message, "a range with positions")
    for case in schema.cases:
        if id(case) not in places:
            continue
        *above, below = places[id(case)].items
        patterns = (a.pattern for a in case.antecedents)
        given = [fact for item in zip(patterns, above, strict=True) for fact in facts(*item)] + own(case)
        if (at := first_wrong(given)) is not None:
            report(at, f"step {case.step} contradict each other", _EACH_OTHER)
            continue
        form = schema.form(case.consequent.form)
        # The filter of a form is about the normal form of a consequent, which may be another writing.
        if not form.has_normal_form and first_wrong([*given, *facts(case.consequent, below)]) is not None:
            both = f"step {case.step} contradict those of form {form.name}"
            report(below, both, "the consequent is never an item of its form")
