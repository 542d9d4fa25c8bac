"""Schemata that extend others: declarations laid over those of the base, parameters, and the schema's headings.

Merging gives one flat list of declarations from a schema and those it extends, each with the parameters it sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TypeAlias

from schemata.errors import SchemaError, UsageError, did_you_mean, one_of, require_known
from schemata.kinds import D_RULES, DEPENDENCY_GRAPH, FACTS
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.parse import NUMBER_DIGITS, NUMBER_LIMIT
from schemata.language.pieces import SCHEMA_KEYWORDS
from schemata.language.reader import parse_schema
from schemata.language.shipped import LABELLED, names_near, schema_near
from schemata.language.shorthand import expand_family
from schemata.language.source import SUFFIX, Findings, Sources, Span, read_source
from schemata.records import Record
from schemata.thresholds import REFUSALS

DEFAULT_GRAMMAR = D_RULES
_LABEL = "label"
_HEADLINE = ("schema", "title", "source", "grammar", "relation")
_DeclarationKey: TypeAlias = tuple[str, str]  # the kind and the name of a declaration
_Places: TypeAlias = Mapping[str, Span]  # where values of parameters are written
_Chain: TypeAlias = "tuple[tuple[str, Span], ...]"  # schemata that extend each other, each with its place


class Headline(Record):
    """The declarations of a schema file about the schema as a whole."""

    title: str | None
    reference: str | None
    grammar: str
    parameters: tuple[m.Parameter, ...]


def load_headline(path: Path) -> Headline:
    """Read the declarations of a file and its bases that concern the schema as a whole; check nothing
    else.

    Raises
    ------
    SchemaError : the file cannot be read, or these lines of it have errors.
    """
    syntax, problems = parse_schema(read_source(path), _HEADLINE)
    whole = merged(syntax, {}, problems, {}, _HEADLINE)
    if problems.errors:
        raise SchemaError(problems)
    default = FACTS if whole.of(s.RelationDeclaration) else DEFAULT_GRAMMAR
    grammar = whole.grammar[0] if whole.grammar else default
    return Headline(whole.title, whole.reference, grammar, whole.parameters)


def merged(
    syntax: s.SchemaSyntax,
    given: s.Environment,
    problems: Findings,
    sources: Sources,
    keywords: Sequence[str] = SCHEMA_KEYWORDS.words,
) -> s.SchemaSyntax:
    """Return the declarations of a schema with its base's; `given` are parameter values set from outside.

    Raises
    ------
    UsageError : a given parameter does not exist or is out of range.
    """
    merged = _Merger(given, problems, sources, keywords).merge(syntax, given, {}, ())
    names = [p.name for p in merged.parameters]
    if LABELLED in given and LABELLED not in names and merged.complete:
        if fault := _set_labelled(merged, given[LABELLED]):
            message, expected = fault
            raise UsageError(message, code="parameter-range", expected=expected)
        names.append(LABELLED)
    for name in given if merged.complete else ():
        message = f"schema {syntax.header.name} has no parameter {name}"
        require_known(name, names, message, "unknown-parameter", None if names else "no parameter")
    return merged


@dataclass(slots=True)
class _Merger:
    given: s.Environment
    problems: Findings
    sources: Sources
    keywords: Sequence[str]

    def merge(
        self, syntax: s.SchemaSyntax, values: s.Environment, places: _Places, chain: _Chain
    ) -> s.SchemaSyntax:
        """Merge one schema of a chain; `places` is where the schema that extends it sets its parameters."""
        header = syntax.header
        own: dict[str, int] = {}
        defaults: dict[str, int] = {}
        for parameter in header.parameters:
            if parameter.name in own or parameter.name == "n":
                what = "n is the length of the sentence" if parameter.name == "n" else "declared twice"
                message = f"parameter {parameter.name}: {what}"
                self.problems.report(parameter.span, "duplicate-parameter", message, "another name")
            default = s.number_of(parameter.value, {})
            assert isinstance(default, int)
            defaults.setdefault(parameter.name, default)
            own.setdefault(parameter.name, values.get(parameter.name, default))
        base = self._base(syntax, values, own, chain)
        passed = {a.name for a in header.extends.arguments} if header.extends else set()
        inherited = [p for p in base.parameters if p.name not in own and p.name not in passed] if base else []
        environment = {**{p.name: p.value for p in inherited}, **own}
        syntax.complete = base is not None or (header.extends is None and "extends" not in syntax.lost_kinds)
        if header.extends is None or base is not None:
            before = len(self.problems)
            _check_ranges(header, environment, self.given if not chain else {}, places, self.problems)
            syntax.ranges = [] if len(self.problems) > before else list(header.where)
        parameters = (m.Parameter(name, value, defaults[name]) for name, value in own.items())
        syntax.parameters = (*parameters, *inherited)
        syntax.lost_names |= {name.id for name in s.names_in(header.where)} - set(environment)
        syntax.declarations = [replace(d, environment=environment) for d in syntax.declarations]
        if base is not None:
            self._lay_over(syntax, base)
        elif header.extends is None and "schema" not in syntax.lost_kinds:
            self._extends_nothing(syntax)
        return syntax

    def _base(
        self, syntax: s.SchemaSyntax, values: s.Environment, own: s.Environment, chain: _Chain
    ) -> s.SchemaSyntax | None:
        header = syntax.header
        if header.extends is None:
            return None
        name, span = header.extends.name, header.extends.span
        path = syntax.source.path
        here = path.stem if path else header.name
        # A loop is reported where the schema that is being checked enters it.
        entry = chain[0][1] if chain else span
        names = [*(n for n, _ in chain), here]
        if name in names:
            loop = " -> ".join((*names[names.index(name) :], name))
            message = f"schemata extend each other: {loop}"
            if name == here:
                message = f"schema {name} extends itself"
            expected = "a schema that does not extend this one"
            self.problems.report(entry, "cyclic-extends", message, expected)
            return None
        if len(names) > REFUSALS.bases:
            message = f"more than {REFUSALS.bases} schemata extend one another"
            expected = f"at most {REFUSALS.bases}, one over the other"
            self.problems.report(entry, "too-many-bases", message, expected)
            return None
        parent = self._find(name, syntax, entry)
        if parent is None:
            return None
        passed = self._arguments(header.extends, own)
        known = {p.name for p in parent.header.parameters}
        values = {**values, **{k: v for k, v in own.items() if k in known}, **passed}
        places = {a.name: a.span for a in header.extends.arguments}
        base = self.merge(parent, values, places, (*chain, (here, entry)))
        if base.complete and "schema" not in parent.lost_kinds:
            taken = {p.name for p in base.parameters}
            for argument in header.extends.arguments:
                if argument.name == LABELLED and LABELLED not in taken and LABELLED in passed:
                    if fault := _set_labelled(base, passed[LABELLED]):
                        self.problems.report(argument.span, "parameter-range", *fault)
                elif argument.name not in taken:
                    message = f"schema {name} has no parameter {argument.name}"
                    self.problems.report_unknown(
                        argument.span, "unknown-parameter", message, sorted(taken), "no parameter"
                    )
        return base if base.complete else None

    def _find(self, name: str, syntax: s.SchemaSyntax, span: Span) -> s.SchemaSyntax | None:
        """Return the file of an extended schema: beside the one that extends it, else among the shipped ones."""
        folder = syntax.source.path.parent if syntax.source.path else None
        path = schema_near(name, folder)
        if folder is not None and path != folder / f"{name}{SUFFIX}":
            self.sources[folder / f"{name}{SUFFIX}"] = None
        if path is None:
            message = f"there is no schema {name} to extend"
            expected = "a schema in the same folder, or a shipped one"
            hint = did_you_mean(name, [k for k in names_near(folder) if k != syntax.header.name])
            self.problems.report(span, "unknown-schema", message, expected, hint)
            return None
        try:
            source = read_source(path)
        except SchemaError as problem:
            self.problems.extend(problem.diagnostics)
            return None
        parent, problems = parse_schema(source, self.keywords)
        self.sources[path] = parent.source
        self.problems.extend(problems)
        return None if problems.errors else parent

    def _arguments(self, base: s.SchemaReference, own: s.Environment) -> dict[str, int]:
        passed: dict[str, int] = {}
        for argument in base.arguments:
            term = argument.value
            value = term if isinstance(term, s.Sum) else s.number_of(term, own)
            if isinstance(value, int):
                passed[argument.name] = value
                continue
            message = f"{term.span.text} is not a value for {argument.name}"
            hint = did_you_mean(term.id, own) if isinstance(term, s.Name) else None
            expected = "a number or a parameter of this schema"
            self.problems.report(term.span, "bad-argument", message, expected, hint)
        return passed

    def _extends_nothing(self, syntax: s.SchemaSyntax) -> None:
        """Report the first declaration that is allowed only in a schema with `extends`."""
        for _, span in syntax.removals[:1]:
            message = "only a schema that extends another leaves steps out"
            self.problems.report(span, "without", message, "extends NAME")
            return
        for what, span in list(syntax.replaced.items())[:1]:
            message = f"only a schema that extends another replaces a {what}"
            self.problems.report(span, "replace", message, "extends NAME", "or leave replace out")

    def _lay_over(self, syntax: s.SchemaSyntax, base: s.SchemaSyntax) -> None:
        """Merge a schema's own declarations into the inherited ones; a replacement keeps the place of
        the original.
        """
        for heading in ("title", "reference", "grammar", "structure", "inputs"):
            setattr(syntax, heading, getattr(syntax, heading) or getattr(base, heading))
        syntax.ranges += base.ranges
        syntax.labelled |= base.labelled
        syntax.lost_names |= base.lost_names
        syntax.lost_forms |= base.lost_forms
        syntax.sound = base.sound
        known = dict.fromkeys(map(_key, base.declarations))
        for name, span in dict(syntax.removals).items():
            if ("step", name) not in known:
                self._nothing(syntax, span, ("step", name), known, "leave out")
        gone = {("step", name) for name, _ in syntax.removals} | {(what, "") for what in syntax.replaced}
        replaced = {_key(d) for d in syntax.declarations if d.replaces}
        # What items stand for is claimed of a schema as a whole, which this one is not.
        kept = [
            d for d in base.declarations if _key(d) not in gone and not isinstance(d, s.MeaningDeclaration)
        ]
        kept = [d for d in kept if not (isinstance(d, s.Mirror) and ("item form", d.left.form) in replaced)]
        places = {_key(d): k for k, d in reversed(list(enumerate(kept)))}
        for d in syntax.declarations:
            key = _key(d)
            if not (d.replaces and key[1]):
                kept.append(d)
            elif key in places:
                kept[places[key]] = d
            else:
                self._nothing(syntax, d.span, key, places, "replace")
                syntax.lost_forms |= {d.form} if isinstance(d, s.ItemDeclaration) else set()
        syntax.declarations = kept

    def _nothing(
        self,
        syntax: s.SchemaSyntax,
        span: Span,
        key: _DeclarationKey,
        keys: Iterable[_DeclarationKey],
        verb: str,
    ) -> None:
        """Report a declaration to be replaced or left out that is not inherited."""
        (what, name), base = key, syntax.header.extends
        message = f"schema {base.name if base else ''} has no {what} {name} to {verb}"
        known = [name for kind, name in keys if kind == what]
        code, known = ("unknown-step", sorted(known)) if what == "step" else ("unknown-form", known)
        self.problems.report_unknown(span, code, message, known)
        syntax.sound = False


def _set_labelled(syntax: s.SchemaSyntax, value: int) -> tuple[str, str] | None:
    """Give the arcs of a schema labels where `value` is 1; returns the mistake and the expected text, if any.

    With node 0 the words below it would need a relation of their own, so that trees have schemata for themselves.
    """
    name = syntax.header.name
    if value not in (0, 1):
        return f"{LABELLED} = {value} is out of range: arcs have labels, or not", f"{LABELLED} = 0 or 1"
    over = syntax.grammar[0] if syntax.grammar else DEFAULT_GRAMMAR
    kind = syntax.structure[0] if syntax.structure else ""
    if value and (over != D_RULES or kind != DEPENDENCY_GRAPH or syntax.of(s.RelationDeclaration)):
        message = f"the arcs of schema {name} get no labels"
        return message, "a schema over D-rules that derives graphs, such as a transition system"
    syntax.labelled |= bool(value)
    syntax.parameters = (*syntax.parameters, m.Parameter(LABELLED, value, 0))
    return None


def with_labels(syntax: s.SchemaSyntax) -> None:
    """Have all steps of a schema that attach words, or ask for a licence, look the label of the arc up in facts.

    `attach d to h` is read as `label(d, h, L), link d to h by L`, with another L for each arc of a step, and `licensed
    d to h` as `label(d, h, _)`. The grammar becomes one of facts over `label(dependent: word, head: word, name:
    symbol)`.
    """
    span = syntax.header.span

    def typed(name: str, sort: str) -> s.FieldSyntax:
        return s.FieldSyntax(name, s.TypeName(sort, (), span=span), span=span)

    ends = typed("dependent", "word"), typed("head", "word"), typed("name", "symbol")
    relation = s.RelationDeclaration(_LABEL, ends, span=span)

    def labelled(case: s.StepCase) -> s.StepCase:
        taken = {name.id for name in s.names_in(case)}
        names = (f"L{k or ''}" for k in count())
        conditions: list[s.ConditionSyntax] = []
        for condition in case.conditions:
            if not (isinstance(condition, s.LinkCondition) and condition.licence):
                conditions.append(condition)
                continue
            ends, at = (condition.dependent, condition.head), condition.span
            label: s.TermSyntax = s.Wildcard(span=at)
            if condition.builds:
                label = s.Name(next(name for name in names if name not in taken), span=at)
            conditions.append(s.GrammarCondition(_LABEL, (*ends, label), span=at))
            if condition.builds:
                conditions.append(s.LinkCondition(*ends, label, False, True, span=at))
        return replace(case, conditions=tuple(conditions))

    def changed(d: s.Declaration) -> s.Declaration:
        return replace(d, cases=tuple(map(labelled, d.cases))) if isinstance(d, s.StepDeclaration) else d

    syntax.declarations = [relation, *map(changed, syntax.declarations)]
    syntax.grammar = None


def _key(declaration: s.Declaration) -> _DeclarationKey:
    """Return the key by which a declaration is replaced: its kind and name; the kind alone if it has no
    name.
    """
    match declaration:
        case s.StepDeclaration(name, part=False):
            return "step", name
        case s.ItemDeclaration(form):
            return "item form", form
        case s.FinalDeclaration():
            return "final", ""
    return type(declaration).__name__.lower(), ""


def _check_ranges(
    header: s.Header, environment: s.Environment, given: s.Environment, places: _Places, problems: Findings
) -> None:
    """Report parameter values out of the ranges of a schema's head.

    A value is reported where it was set: at the argument of a schema that extends this one (`places`), else at the
    parameter's default.

    Raises
    ------
    UsageError : the value was set from outside (`given`).
    """
    for name, value in given.items():
        if abs(value) >= 10**NUMBER_DIGITS:
            message = f"parameter {name}: the number is too large"
            raise UsageError(message, code="parameter-range", expected=NUMBER_LIMIT)
    for condition in header.where:
        if not isinstance(condition, s.ComparisonSyntax):
            message = "the range of a parameter is a comparison"
            problems.report(condition.span, "bad-range", message, "k >= 3")
            continue
        numbers = _range_numbers(condition, environment, problems)
        if numbers is None or s.holds(numbers, condition.relations):
            continue
        wanted = condition.span.text.strip().rstrip(",")
        names = [o.id for o in condition.operands if isinstance(o, s.Name)]
        values = ", ".join(f"{name} = {environment[name]}" for name in names)
        if not names:
            message = "this is never true"
            problems.report(condition.span, "bad-range", message, "a range such as k >= 3")
            continue
        message = f"{values} is out of range: schema {header.name} needs {wanted}"
        if any(name in given for name in names):
            raise UsageError(message, code="parameter-range", expected=wanted)
        set_at = [places[name] for name in names if name in places]
        set_at += [p.span for p in header.parameters if p.name in names]
        problems.report(set_at[0] if set_at else condition.span, "parameter-range", message, wanted)


def refuse_endless(effective: s.SchemaSyntax, given: s.Environment) -> None:
    """Refuse a parameter value set from outside that makes a family of steps too large where the default does not.

    Raises
    ------
    UsageError : there is such a value; names those that are possible.
    """
    header = effective.header

    def possible(name: str, value: int) -> bool:
        problems = Findings()
        for step in effective.of(s.StepDeclaration):
            if name in step.environment:
                expand_family(replace(step, environment={**step.environment, name: value}), problems)
        values = {p.name: p.value for p in effective.parameters} | {name: value}
        _check_ranges(header, values, {}, {}, problems)
        return not problems.errors

    for parameter in effective.parameters:
        name, default = parameter.name, parameter.default
        value = given.get(name, default)
        if value > default and not possible(name, value) and possible(name, default):
            low = next(k for k in count(default, -1) if k <= 0 or not possible(name, k - 1))
            high = next(k for k in count(default) if not possible(name, k + 1))
            message = f"{name} = {value} is out of range: schema {header.name} would have too many steps"
            raise UsageError(message, code="parameter-range", expected=f"{name} in {low}..{high}")


def _range_numbers(
    condition: s.ComparisonSyntax, environment: s.Environment, problems: Findings
) -> list[int] | None:
    numbers: list[int] = []
    for operand in condition.operands:
        value = operand if isinstance(operand, s.Sum) else s.number_of(operand, environment)
        if not isinstance(value, int):
            message, expected, hint = "a range speaks of parameters and numbers", "k >= 3", None
            if isinstance(operand, s.Name):
                message = f"{operand.id} is not a parameter of this schema"
                expected = one_of(environment) if environment else "a number"
                hint = did_you_mean(operand.id, environment)
            problems.report(operand.span, "bad-range", message, expected, hint)
            return None
        numbers.append(value)
    return numbers
