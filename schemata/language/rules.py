"""Resolves declarations: item forms and items of them, hypotheses, final items, normal forms, the cases of steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import cast

from schemata.errors import did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.cases import undetermined
from schemata.language.parse import CONDITION_WORDS, RESERVED
from schemata.language.source import Findings, Span
from schemata.language.substitute import fold
from schemata.language.terms import BUILT_IN, FACT_TYPES, GRAMMAR_RELATIONS, Terms, conjuncts, is_about_labels
from schemata.quick_dataclasses import Record
from schemata.wording import quantity

_TYPES = {
    "position": m.POSITION,
    "integer": m.INTEGER,
    "flag": m.FLAG,
    "symbol": m.SYMBOL,
    "intervals": m.INTERVALS,
    "arcs": m.ARCS,
    "labels": m.LABELS,
    "dotted labels": m.DOTTED_LABELS,
    "dotted rule": m.Type("dotted", dots=1),
    "double-dotted rule": m.Type("dotted", dots=2),
}


@dataclass(slots=True)
class FormTable:
    """The item forms declared so far.

    `lost` are the names of forms whose declaration could not be read, `all_lost` where any form may be
    missing; `open_fields` are fields of unknown type; `implicit` are the forms only a hypothesis declares.
    `places` has the spans of a form's conditions.
    """

    problems: Findings
    lost: set[str] = field(default_factory=set)
    all_lost: bool = False
    forms: dict[str, m.Form] = field(default_factory=dict)
    implicit: set[str] = field(default_factory=set)
    open_fields: set[tuple[str, str]] = field(default_factory=set)
    places: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    types: Mapping[str, m.Type] = field(default_factory=dict)

    # declarations

    def declare(self, item: s.ItemDeclaration, scope: Terms) -> None:
        """Add the form of an item declaration; the scope has the parameters."""
        if item.form in self.forms:
            message = f"item form {item.form} is declared twice"
            self.problems.report(item.span, "duplicate-form", message, "another name")
            return
        fields: list[m.Field] = []
        for declared in item.fields:
            if problem := _taken(declared.name, fields, scope):
                self.problems.report(declared.span, *problem, "another name")
                scope.wrong.add(declared.name)
            kind = self._type(declared.type)
            if kind is None:
                self.open_fields.add((item.form, declared.name))
            fields.append(m.Field(declared.name, kind or m.POSITION))
        scope.fields_of = f"{item.form}[{', '.join(f.name for f in fields)}]"
        scope.types.update({f.name: f.type for f in fields if (item.form, f.name) not in self.open_fields})
        scope.doubtful.update(f.name for f in fields)
        implied = [(d.span, part) for d, f in zip(item.fields, fields, strict=True) for part in _implied(f)]
        where: list[m.Term] = [part for _, part in implied]
        places: list[Span] = [span for span, _ in implied]
        for condition in conjuncts(item.where):
            if isinstance(condition, s.StepCondition):
                scope.misplaced(condition, "the conditions of an item form are about its fields")
            else:
                where.append(scope.condition(condition))
                places.append(condition.span)
        if len({f.name for f in fields}) < len(fields):
            # Which of the two is meant, and so how many fields there are, is open.
            self.lost.add(item.form)
            return
        self.forms[item.form] = m.Form(item.form, tuple(fields), tuple(where), item.span)
        self.places[item.form] = tuple(places)

    def find_misspelt(self, hypotheses: Sequence[s.Item], used: Iterable[str]) -> None:
        """Report declarations that no rule uses but whose misspelling one does.

        One word is wrong then, not every item that is spelt right. `used` are the forms of the rules' items.
        """
        wanted = Counter(used)
        # A name used once is the misspelt one itself.
        missing = [x for x, k in wanted.items() if k > 1 and x not in self.forms and x not in self.lost]
        for form in list(self.forms.values()):
            if form.name not in wanted:
                self._misspelt("item form", form.name, form.span, missing)
        given = {h.form for h in hypotheses}
        for item in hypotheses:
            if item.form in wanted or item.form in self.forms:
                continue
            alike = [f.name for f in self.forms.values() if len(f.fields) == len(item.terms)]
            candidates = [*(name for name in missing if name not in given), *alike]
            self._misspelt("hypothesis", item.form, item.name_span, candidates)

    def _misspelt(self, what: str, name: str, span: Span, candidates: Sequence[str]) -> None:
        near = get_close_matches(name, [c for c in candidates if c not in self.lost], n=1, cutoff=0.7)
        if near:
            message, hint = f"nothing uses the {what} {name}", did_you_mean(name, near)
            self.problems.report(span, "unknown-form", message, near[0], hint)
            self.lost |= {name, near[0]}

    def declare_implicitly(self, item: s.Item, parameters: Iterable[str]) -> None:
        """Declare the form of a hypothesis that is no item form: its fields are positions."""
        if item.form in self.forms or item.form in self.lost:
            return
        taken = {"n", *parameters}
        names: list[str] = []
        for k, term in enumerate(item.terms, start=1):
            names.append(term.id if isinstance(term, s.Name) and term.id not in taken else f"field{k}")
            taken.add(names[-1])
        fields = tuple(m.Field(name, m.POSITION) for name in names)
        self.forms[item.form] = m.Form(item.form, fields, (), item.name_span)
        self.implicit.add(item.form)

    def _type(self, name: s.TypeName) -> m.Type | None:
        """Resolve a type; None where it is unknown."""
        if name.name in ("list", "tuple", "optional"):
            arguments = [self._type(a) for a in name.arguments]
            if None in arguments:
                return None
            return m.Type(cast("m.Kind", name.name), cast("tuple[m.Type, ...]", tuple(arguments)))
        if name.name in _TYPES and not name.arguments:
            return _TYPES[name.name]
        if name.name in self.types:
            return self.types[name.name]
        if name.name == "position":
            (of,) = name.arguments
            known = self.problems.knows(of.span, "input", of.name, self.inputs, "input source, target")
            return m.Type("position", of=of.name) if known else None
        words = [*self.types, *(word for word in _TYPES if " " not in word)]
        expected = one_of([*words, "list of", *(word for word in _TYPES if " " in word)])
        hint = did_you_mean(name.name, [*words, "list", "dotted", "double-dotted"])
        self.problems.report(name.span, "unknown-type", f"unknown type {name.name}", expected, hint)
        return None

    # items

    def pattern(self, item: s.Item, scope: Terms, binding: bool) -> m.Pattern | None:
        """Resolve an item: a pattern where `binding`, else an expression; None where its form is unknown."""
        form = self.forms.get(item.form)
        if form is None:
            scope.doubt(item)
            if not (self.all_lost or item.form in self.lost):
                place, message = item.name_span, f"unknown item form {item.form}"
                self.problems.report_unknown(
                    place, "unknown-form", message, self.forms, "an item declaration"
                )
            return None
        if self._comma_missing(item, form) or not check_arity(item, form, self.problems):
            scope.doubt(item)
            return indefinite(form)
        terms: list[m.Term] = []
        for term, declared in zip(item.terms, form.fields, strict=True):
            before = len(self.problems)
            if (form.name, declared.name) in self.open_fields:
                scope.doubt(term)
                terms.append(m.Any())
                continue
            terms.append(scope.resolve(term, declared.type, binding))
            if len(self.problems) > before:
                scope.doubt(term)
        return m.Pattern(item.form, tuple(terms))

    def _comma_missing(self, item: s.Item, form: m.Form) -> bool:
        """Report two terms without a comma, read as a sequence, where no field of the form has labels."""
        if any(is_about_labels(field.type) for field in form.fields) or form.name in self.lost:
            return False
        for term in item.terms:
            if isinstance(term, s.Sequence) and len(term.parts) == 1:
                second = term.parts[0][1].span
                message = f"the item cannot go on with {second.text}"
                self.problems.report(second, "syntax", message, "a comma or ]")
                return True
        return False


def _implied(field: m.Field) -> tuple[m.Term, ...]:
    """Return the conditions that a field's type makes: intervals are in order, positions of an input within it."""
    if field.type.intervals:
        return (m.InOrder(m.Var(field.name)),)
    if field.type.kind != "position" or field.type.of == m.INTEGER.of or not field.type.of:
        return ()
    length = m.Var(m.LENGTH_OF + field.type.of)
    ends = (m.Compare("<=", m.Lit(0), m.Var(field.name)), m.Compare("<=", m.Var(field.name), length))
    return (m.Junction("and", ends),)


def check_arity(item: s.Item, form: m.Form, problems: Findings) -> bool:
    """Whether an item has as many terms as its form has fields; reports it if not."""
    count = len(form.fields)
    if len(item.terms) != count:
        message = f"{item.form} has {quantity(count, 'field')}, not {len(item.terms)}"
        problems.report(item.span, "wrong-arity", message, field_names(form))
    return len(item.terms) == count


def field_names(form: m.Form, *, types: bool = False) -> str:
    """Return a form with the names of its fields: `span[i, j]`, or with their types: `span[i: position, b: flag]`."""
    return f"{form.name}[{', '.join(f'{f.name}: {f.type}' if types else f.name for f in form.fields)}]"


def indefinite(form: m.Form) -> m.Pattern:
    """Return the pattern of any item of a form."""
    return m.Pattern(form.name, (m.Any(),) * len(form.fields))


def _taken(name: str, fields: list[m.Field], scope: Terms) -> tuple[str, str] | None:
    """Return the code and message for a field name that cannot be had."""
    if name == "n":
        return "duplicate-field", "n is the length of the sentence, and names no field"
    if name in scope.parameters or name in scope.types:
        return "duplicate-field", f"{name} is a parameter, and names no field"
    if any(f.name == name for f in fields):
        return "duplicate-field", f"a second field {name}"
    if name in RESERVED:
        return "reserved-word", f"{name} is a word of the language and names no field"
    return None


def declared_types(declarations: Iterable[s.TypeDeclaration], problems: Findings) -> dict[str, m.Type]:
    """Return the types of terms that a schema declares, by name; reports those that cannot be had."""
    types: dict[str, m.Type] = {}
    taken = {*_TYPES, "list", "dotted", "number", "word"}
    for declared in declarations:
        name, span = declared.name, declared.span
        if name in taken:
            problems.report(span, "duplicate-type", f"there is a type {name} already", "another name")
        taken.add(name)
        constructors: dict[str, tuple[str, ...]] = {}
        for part in declared.alternatives:
            called, arguments = part.name.removesuffix("()"), tuple(a.name for a in part.arguments)
            is_symbol = part.name == "symbol"
            for argument in () if is_symbol else (part.arguments or (part,) * (not part.name.endswith("()"))):
                if argument.name not in (name, "symbol"):
                    message = f"no part of a {name} is a {argument.name}"
                    expected = f"{name} or symbol; a constructor without parts is written {argument.name}()"
                    problems.report(argument.span, "unknown-type", message, expected)
            key = "" if is_symbol else called
            if key in constructors or any(key in dict(t.constructors) and key for t in types.values()):
                message = f"{part.span.text} is declared twice"
                problems.report(part.span, "duplicate-type", message, "another name")
            constructors[key] = ("symbol",) if is_symbol else arguments
        types.setdefault(name, m.Type("term", of=name, constructors=tuple(constructors.items())))
    return types


def declared_relations(
    declarations: Iterable[s.RelationDeclaration], types: Mapping[str, m.Type], problems: Findings
) -> dict[str, m.Relation]:
    """Return the relations that a schema declares, by name; reports those that cannot be had."""
    relations: dict[str, m.Relation] = {}
    for declared in declarations:
        name = declared.name
        if name in relations or name in RESERVED | CONDITION_WORDS | {"given", "reverse"}:
            taken = "is declared twice" if name in relations else "is a word of the language"
            problems.report(declared.span, "duplicate-relation", f"relation {name} {taken}", "another name")
        arguments: list[tuple[str, m.FactSort]] = []
        for argument in declared.fields:
            kind = argument.type
            written = f"list of {kind.arguments[0].name}" if kind.name == "list" else kind.name
            if written in types:
                arguments.append((argument.name, types[written]))
                continue
            if written not in FACT_TYPES:
                message = f"no argument of a relation is a {written}"
                problems.report_unknown(kind.span, "unknown-type", message, [*types, *FACT_TYPES])
            arguments.append((argument.name, FACT_TYPES.get(written, ("symbol", m.SYMBOL))[0]))
        relations.setdefault(name, m.Relation(name, tuple(arguments), declared.span))
    return relations


class Places(Record):
    """The places of the parts of a rule: its items in order, the last the consequent, and its conditions."""

    items: tuple[Span, ...]
    conditions: tuple[Span, ...]


class _Head(Record):
    """The head of what a case builds, and where that is written."""

    term: m.Term
    span: Span


@dataclass(slots=True)
class RuleReader:
    """Resolves rules against the item forms.

    `grammar` is None where its kind is not known, and `grammar_named` whether the schema names it. With
    `symbolic`, parameters are variables, so that what is found holds for all their values. `lost_names` may
    be parameters; `lenient` where any name may be one. `relations` are those that the schema declares; with
    `relations_lost` there may be more. `atoms` has the places and names of what the rules read so far build, and
    `places` by their identity where the parts of rules stand, but for members of families: some may be impossible by
    design.
    """

    table: FormTable
    problems: Findings
    grammar: m.GrammarKind | None
    grammar_named: bool
    symbolic: bool = False
    lenient: bool = False
    lost_names: Iterable[str] = ()
    relations: Mapping[str, m.Relation] = field(default_factory=dict)
    relations_lost: bool = False
    atoms: list[tuple[Span, str]] = field(default_factory=list)
    places: dict[int, Places] = field(default_factory=dict)

    def scope(self, environment: s.Environment) -> Terms:
        """Return the scope of a rule that sees these parameters."""
        scope = Terms({} if self.symbolic else environment, self.problems, lenient=self.lenient)
        scope.relations = None if self.relations_lost else self.relations
        scope.inputs = self.table.inputs
        scope.constructors = {
            name: (kind, arguments)
            for kind in self.table.types.values()
            for name, arguments in kind.constructors
        }
        scope.doubtful.update(self.lost_names)
        if self.symbolic:
            scope.types.update(dict.fromkeys(environment, m.POSITION))
        return scope

    # hypotheses, final items and normal forms

    def clause(self, clause: s.Hypothesis) -> m.Clause | None:
        """Resolve a hypothesis or final item; None where it has errors or the parameters switch it off."""
        before = len(self.problems)
        scope = self.scope(clause.environment)
        scope.fields_of = ""
        final = isinstance(clause, s.Final)
        what = "final item" if final else "hypothesis"
        pattern = self.table.pattern(clause.item, scope, binding=True)
        written = conjuncts(clause.where)
        conditions = self.plain_conditions(
            written, scope, f"a {what} cannot have this condition", binding=final, roots=final
        )
        if pattern is None or len(self.problems) > before:
            return None
        resolved = m.Clause(pattern, conditions, dict(scope.types), clause.span)
        if not self.symbolic:
            if not final or self.determined(scope, pattern.terms, conditions):
                self.once(scope, m.variables(resolved))
            if self._switched_off(written, conditions, clause.environment):
                return None
        self.places[id(resolved)] = Places((clause.item.span,), tuple(c.span for c in written))
        return resolved

    def plain_conditions(
        self,
        written: Sequence[s.Condition],
        scope: Terms,
        misplaced: str,
        hint: str = "write it beside a step",
        *,
        binding: bool = True,
        roots: bool = False,
    ) -> tuple[m.Condition, ...]:
        """Resolve conditions made of terms, if `roots` also `root S` and facts; others are `misplaced`."""
        resolved: dict[int, m.Condition] = {}
        for k, condition in in_binding_order(written, scope):
            asks = isinstance(condition, s.GrammarCondition) and condition.relation not in _ONLY_IN_STEPS
            if roots and asks:
                assert isinstance(condition, s.GrammarCondition)
                self._check_grammar(condition, scope)
                resolved[k] = scope.grammar_condition(condition)
            elif isinstance(condition, s.StepCondition):
                scope.misplaced(condition, misplaced, hint)
            else:
                resolved[k] = scope.condition(condition, binding)
        return tuple(resolved[k] for k in sorted(resolved))

    def equation(self, equation: s.Equation) -> tuple[str, m.Equation] | None:
        """Resolve one line of a normal form; None where it has errors."""
        before = len(self.problems)
        scope = self.scope(equation.environment)
        left = self.table.pattern(equation.left, scope, binding=True)
        written = conjuncts(equation.conditions)
        conditions = self.plain_conditions(written, scope, "a normal form cannot have this condition")
        right = None
        if left is not None and equation.right.form != left.form and equation.right.form in self.table.forms:
            place, message = equation.right.name_span, "both writings are of one form"
            self.problems.report(place, "wrong-form", message, f"{left.form}[...]")
        else:
            right = self.table.pattern(equation.right, scope, binding=False)
        if left is None or right is None or len(self.problems) > before:
            return None
        self.determined(scope, left.terms, conditions)
        kept = {*m.variables(right), "n"}
        for name in dict.fromkeys(m.variables(left)):
            if name not in kept and name in scope.places and name not in scope.doubtful:
                message = f"variable {name} is lost on the right: writings could not be found again"
                expected = "every variable of the left side on the right side"
                self.problems.report(scope.places[name], "lossy-normal-form", message, expected)
        return left.form, m.Equation(left.terms, right.terms, conditions, dict(scope.types), equation.span)

    def covering(self, covering: s.Covering) -> tuple[str, m.Cover] | None:
        """Resolve a normal form by what is covered; None where it has errors."""
        before = len(self.problems)
        scope = self.scope(covering.environment)
        pattern = self.table.pattern(covering.item, scope, binding=True)
        if pattern is None or len(self.problems) > before:
            return None
        fields = {term.name: k for k, term in enumerate(pattern.terms) if isinstance(term, m.Var)}
        match covering.region:
            case s.Difference(s.Interval(s.Name(low), s.Name(high)), s.Name(gaps)):
                names = (low, high, gaps, covering.aside.id)
                known = fields.keys() >= set(names) and len(fields) == len(pattern.terms)
                if known and scope.types[gaps].intervals:
                    return pattern.form, m.Cover(*(fields[name] for name in names))
        message = "this does not say what an item covers"
        expected = "tree[i, j, h, gaps] covers [i..j] minus gaps, with or without h"
        hint = "each field is a variable, and gaps is a field of type intervals"
        self.problems.report(covering.span, "bad-covering", message, expected, hint)
        return None

    # cases of steps

    def case(
        self, step: str, case: s.StepCase, environment: s.Environment
    ) -> tuple[m.Case | None, m.Case | None]:
        """Resolve one rule: the case (None where it has errors or is switched off), and its outline.

        The outline has the forms of all its items, and no terms where they have errors; it is None where a
        form is not known.
        """
        before = len(self.problems)
        scope = self.scope(environment)
        scope.doubtful.update(case.lost or ())
        patterns = [self.table.pattern(a.item, scope, binding=True) for a in case.antecedents]
        symbols = self._symbols_of(case.consequent)
        written = conjuncts(case.conditions)
        parts: dict[int, tuple[object, ...]] = {}
        for k, condition in in_binding_order(written, scope):
            parts[k] = self._parts(condition, scope, case, symbols)
            if len(self.problems) > before:
                scope.doubt(condition)
        consequent = None
        if case.consequent is not None:
            consequent = self.table.pattern(case.consequent, scope, binding=False)
        nodes = [(written[k].span, node) for k in sorted(parts) for node in parts[k]]
        building = (m.Built, m.Join, m.HeadLink, m.Weight, _Head)
        conditions = [(span, node) for span, node in nodes if not isinstance(node, building)]
        if case.consequent is None or consequent is None or None in patterns:
            return None, None
        above = zip(patterns, case.antecedents, strict=True)
        antecedents = tuple(m.Antecedent(pattern, a.context) for pattern, a in above if pattern)
        head = next((node for _, node in reversed(nodes) if isinstance(node, _Head)), None)
        weights = [(span, node) for span, node in nodes if isinstance(node, m.Weight)]
        for span, _ in weights[1:2]:
            message, expected = "the step says its weight twice", "one product: weight x * y"
            scope.error(span, "second-weight", message, expected)
        resolved = m.Case(
            step,
            case.label,
            antecedents,
            consequent,
            tuple(node for _, node in conditions),  # type: ignore[misc]
            tuple(node for _, node in nodes if isinstance(node, (m.Built, m.Join))),
            tuple(node for _, node in nodes if isinstance(node, m.HeadLink)),
            head.term if head else None,
            dict(scope.types),
            case.span,
            case.lines,
            weights[0][1] if weights else None,
        )
        if case.lost is None and len(self.problems) == before:
            if head is not None:
                _check_head(resolved, scope, head)
            if weights:
                _check_weight(resolved, scope, weights[0][0])
            if not self.symbolic and len(self.problems) == before:
                self._check_variables(resolved, scope, case.generated)
        if any(p.severity == "error" for p in self.problems[before:]):
            forms = self.table.forms
            outlines = (m.Antecedent(indefinite(forms[a.pattern.form]), a.context) for a in antecedents)
            end = indefinite(forms[consequent.form])
            outline = m.Case(step, case.label, tuple(outlines), end, (), (), (), None, {}, case.span)
            return None, outline
        if case.lost is not None or self._switched_off(written, resolved.conditions, environment):
            return None, resolved
        if not case.generated:
            items = (*(a.item.span for a in case.antecedents), case.consequent.span)
            self.places[id(resolved)] = Places(items, tuple(span for span, _ in conditions))
        return resolved, resolved

    def _symbols_of(self, consequent: s.Item | None) -> set[str]:
        """Return the names that stand alone in a consequent's fields of symbols."""
        form = self.table.forms.get(consequent.form) if consequent is not None else None
        if consequent is None or form is None:
            return set()
        pairs = zip(consequent.terms, form.fields, strict=False)
        return {t.id for t, field in pairs if isinstance(t, s.Name) and field.type == m.SYMBOL}

    def _parts(
        self, condition: s.Condition, scope: Terms, case: s.StepCase, symbols: set[str]
    ) -> tuple[object, ...]:
        """Resolve what stands beside a line: to conditions, links, links of heads, or the head."""
        match condition:
            case s.LinkHeads():
                return () if case.lost else self._head_link(condition, scope, case.antecedents)
            case s.HeadOfBuilt(term):
                return (_Head(scope.resolve(term, m.POSITION), term.span),)
            case s.LinkCondition():
                if condition.licence:
                    self._check_grammar(condition, scope)
                return self._link(condition, scope, symbols)
            case s.BuildCondition():
                return () if case.lost else self._built(condition, scope, case.antecedents)
            case s.WeightCondition(term, is_log):
                return (m.Weight(scope.arithmetic(term), is_log),)
            case s.JoinCondition(left, right, match, when):
                self._check_grammar(condition, scope)
                one, other = (scope.resolve(t, m.POSITION) for t in (left, right))
                by = scope.matches(match)
                if when is None:
                    return m.Join(one, other, by), by
                guard = scope.condition(when)
                return m.Join(one, other, by, guard), m.Junction("or", (m.Not(guard), by))
            case s.GrammarCondition():
                self._check_grammar(condition, scope)
                return (scope.grammar_condition(condition),)
        return (scope.condition(condition, binding=True),)

    def _head_link(
        self, link: s.LinkHeads, scope: Terms, antecedents: Sequence[s.Antecedent]
    ) -> tuple[m.HeadLink, ...]:
        if not _hands_on((link.dependent, link.head), antecedents, link.span, scope):
            return ()
        self.atoms.append((link.span, "head link"))
        return (m.HeadLink(link.dependent - 1, link.head - 1),)

    def _built(
        self, built: s.BuildCondition, scope: Terms, antecedents: Sequence[s.Antecedent]
    ) -> tuple[m.Built, ...]:
        """Resolve an atom: its arguments are values that are present."""
        types: list[m.Type] = []
        terms: list[m.Term] = []
        for term in built.terms:
            kind = scope.infer(term)
            compound = isinstance(term, s.TupleTerm | s.ListTerm)
            terms.append(scope.resolve(term, m.POSITION if compound else kind))
            types.append(kind or m.POSITION)
            if terms[-1] == m.Lit(None) or (kind is not None and kind.may_be_absent):
                message, hint = "an argument of an atom is always there", "write two cases of the step"
                scope.error(term.span, "wrong-type", message, "a value that is present", hint)
        if built.over is not None and not _hands_on((built.over,), antecedents, built.span, scope):
            return ()
        name = "link" if built.name == "edge" else built.name
        if expected := _malformed(name, types, built.over is not None):
            message = f"this is no {built.name} as structures have it"
            scope.error(built.span, "bad-atom", message, expected)
        self.atoms.append((built.span, name))
        return (m.Built(name, tuple(terms), tuple(types), None if built.over is None else built.over - 1),)

    def _link(self, link: s.LinkCondition, scope: Terms, symbols: set[str]) -> tuple[object, ...]:
        """Resolve a licence, between positions or categories, and the link that is built, between positions."""
        terms = (link.dependent, link.head)
        kinds = [scope.infer(term) for term in terms]
        if not link.builds:
            # Nothing else may say what a name stands for that only this licence and the consequent have.
            named = [isinstance(t, s.Name) and not scope.knows(t.id) and t.id in symbols for t in terms]
            kinds = [m.SYMBOL if symbol else kind for symbol, kind in zip(named, kinds, strict=True)]
        kind = m.SYMBOL if m.SYMBOL in kinds else m.POSITION
        if kind == m.SYMBOL and not self._check_categories(link, kinds, scope):
            return ()
        binding = [link.licence and isinstance(t, s.Name) for t in terms]
        ends = [
            scope.resolve(t, kind, binds) if kind == m.SYMBOL else scope.word(t, binds)
            for t, binds in zip(terms, binding, strict=True)
        ]
        licence = m.HasFact("licensed_categories" if kind == m.SYMBOL else "licensed", tuple(ends))
        if not link.builds:
            return (licence,)
        self.atoms.append((link.span, "link"))
        types = [m.POSITION, m.POSITION]
        if link.label is not None:
            types.append(scope.infer(link.label) or m.SYMBOL)
            ends.append(scope.resolve(link.label, types[-1]))
        return ((licence,) if link.licence else ()) + (m.Built("link", tuple(ends), tuple(types)),)

    def _check_categories(self, link: s.LinkCondition, kinds: Sequence[m.Type | None], scope: Terms) -> bool:
        """Whether a link with an end that is a symbol is a licence between symbols; reports it if not."""
        spans = [term.span for term in (link.dependent, link.head)]
        if link.builds:
            wrong = spans[kinds.index(m.SYMBOL)]
            hint = "licensed D to C asks for categories, and link or link head of builds"
            scope.error(wrong, "wrong-type", f"{wrong.text} is a symbol", "a position", hint)
            return False
        other = next((k for k, kind in enumerate(kinds) if kind not in (None, m.SYMBOL)), None)
        if other is None:
            return True
        what = " and ".join(f"{span.text} is a {kind}" for span, kind in zip(spans, kinds, strict=True))
        hint = f"category {spans[other].text} is C gives the category of a word"
        expected = "two positions or two symbols"
        scope.error(link.span, "wrong-type", what, expected, hint if m.POSITION in kinds else None)
        return False

    def _check_variables(self, case: m.Case, scope: Terms, generated: frozenset[str]) -> None:
        above = [t for a in case.antecedents for t in a.pattern.terms]
        if not self.determined(scope, above, case.conditions, case.consequent):
            return
        used: list[object] = [*case.antecedents, *case.conditions, case.consequent, case.head, case.weight]
        # What a licence or a match tests is counted there: that it builds as well is no second use.
        for link in case.links:
            if isinstance(link, m.Join):
                used += [link.left, link.right]
            else:
                used += link.terms[2:] if link.licence in case.conditions else link.terms
        self.once(scope, m.variables(tuple(used)), generated)

    # what all rules share

    def _check_grammar(self, condition: s.Condition, scope: Terms) -> None:
        """Report a condition that the schema's kind of grammar cannot answer."""
        if self.grammar is None:
            return
        hint = None
        licence = isinstance(condition, s.LinkCondition)
        relation = condition.relation if isinstance(condition, s.GrammarCondition) else None
        if relation is not None and relation not in BUILT_IN:
            return
        if self.grammar == "facts":
            message = "a schema over facts asks its grammar for relations that it declares, and nothing else"
            example = "relation adjoin(tree: symbol, node: symbol)"
            expected = f"a relation such as adjoin(T, N), declared by {example}"
            hint = "link d to h only builds" if licence else None
        elif relation == "disjunct" or isinstance(condition, s.JoinCondition):
            if self.grammar == "link-grammar":
                return
            message, expected = f"a grammar of {self.grammar} has no disjuncts", "grammar link-grammar"
        elif self.grammar == "link-grammar":
            message = "a dictionary of Link Grammar offers disjuncts, and nothing else"
            expected = "disjunct *R / *L of z, or join i to j by x ~ y"
        elif relation == "category" or licence == (self.grammar == "d-rules"):
            return
        elif licence:
            message, expected = f"a grammar of {self.grammar} licenses no links", "grammar d-rules"
            hint = "link d to h only builds"
        else:
            message = "d-rules have no rules and no root categories"
            expected = "grammar dependency-rules or grammar context-free"
        if not self.grammar_named and self.grammar != "facts":
            # One missing line is one mistake, however many conditions it makes meaningless.
            self.grammar = None
            hint = "a schema without a line for its grammar is about d-rules"
        scope.error(condition.span, "wrong-grammar", message, expected, hint)

    def determined(
        self,
        scope: Terms,
        patterns: Sequence[m.Term],
        conditions: Sequence[m.Condition],
        result: m.Pattern | None = None,
    ) -> bool:
        """Whether patterns and conditions determine all variables; reports others, one of those that stand together."""
        told: set[str] = set()
        nodes = (*patterns, *conditions)
        free = undetermined(patterns, conditions, result)
        for name in free:
            together = {v for node in nodes if name in m.variables(node) for v in m.variables(node)}
            if name not in scope.places or together & told:
                continue
            told.add(name)
            runs = (part for part in m.nodes(nodes) if isinstance(part, m.Run))
            in_run = any(name in m.variables(run) for run in runs)
            hint = "the elements of a run may all differ: write _" if in_run else None
            message = f"variable {name} cannot be determined"
            expected = "a place where it stands alone, or with all else known"
            scope.error(scope.places[name], "unsolvable", message, expected, hint)
        return not free

    def once(self, scope: Terms, used: Iterable[str], generated: frozenset[str] = frozenset()) -> None:
        """Warn of variables that are used once, without `generated` ones, which are not the author's."""
        counts = Counter(used)
        for name, place in scope.places.items():
            if counts[name] == 1 and name not in scope.doubtful | generated and not scope.lenient:
                anonymous = "*_" if place.text.startswith("*") else "_"
                message, expected = f"variable {name} is used once", f"{anonymous}, or another use"
                self.problems.report(place, "used-once", message, expected, severity="warning")

    def _switched_off(
        self, written: Sequence[s.Condition], conditions: Sequence[m.Condition], environment: s.Environment
    ) -> bool:
        """Whether a condition on parameters alone is false for the values they have."""
        names = [{name.id for name in s.names_in(c)} for c in written]
        if self.symbolic or not any(n and n <= set(environment) for n in names):
            return False
        return any(not isinstance(c, m.HasFact) and fold(c) == m.Lit(False) for c in conditions)


def _hands_on(numbers: Sequence[int], antecedents: Sequence[s.Antecedent], span: Span, scope: Terms) -> bool:
    """Whether there are antecedents of these numbers, from 1, that hand on what they built; reports it if not."""
    count = len(antecedents)
    if not all(1 <= number <= count for number in numbers):
        wanted = f"a number from 1 to {count}" if count else "an antecedent"
        scope.error(span, "bad-link", "there is no such antecedent", wanted)
        return False
    if any(antecedents[number - 1].context for number in numbers):
        message = "a context antecedent hands on nothing that it built, its head neither"
        scope.error(span, "bad-link", message, "an antecedent without given")
        return False
    return True


def _malformed(name: str, types: Sequence[m.Type], over: bool) -> str | None:
    """Return how atoms of a name that structures know are written, if this one is written otherwise."""
    kinds = [kind.kind for kind in types]
    match name:
        case "link":
            fits, shape = kinds[:2] == ["position"] * 2 and len(kinds) <= 3, "edge(d, h), edge(d, h, label)"
        case "align":
            fits, shape = kinds == ["position"] * 2, "align(i, j), two positions"
        case "bracket":
            fits = len(kinds) > 2 and len(kinds) % 2 == 1 and set(kinds[1:]) == {"position"}
            fits = fits or list(types[1:]) == [m.SPANS]
            shape = (
                "bracket(A, i, j), over the words i to j; with gaps bracket(A, i, j, k, l), or bracket(A, S)"
            )
        case _:
            fits, shape = True, "another name"
    return None if fits and (name == "bracket" or not over) else shape + ("" if not over else " without over")


def _check_head(case: m.Case, scope: Terms, head: _Head) -> None:
    """Report a head that cannot be read off the items of an instance."""
    items = [case.consequent, *(a.pattern for a in case.antecedents if not a.context)]
    alone = {term.name for item in items for term in item.terms if isinstance(term, m.Var)}
    lengths = any(isinstance(x, m.Length) for x in m.nodes(head.term))
    if lengths or set(m.variables(head.term)) - alone - {"n"}:
        message = "the head of what is built stands alone in no item of the rule"
        expected = "variables that are fields of the consequent, or of an antecedent without given"
        scope.error(head.span, "bad-link", message, expected)


def _check_weight(case: m.Case, scope: Terms, span: Span) -> None:
    """Report a weight that a hyperedge does not determine, which has no context antecedents."""
    items = [case.consequent, *(a.pattern for a in case.antecedents if not a.context)]
    terms = [term for item in items for term in item.terms]
    asked = [case.weight, *case.conditions]
    free = set(undetermined(terms, asked)) & set(m.variables(case.weight))  # type: ignore[arg-type]
    if free:
        message = f"the weight depends on {min(free)}, which only a context antecedent knows"
        expected = "variables of the consequent, or of antecedents without given"
        scope.error(span, "bad-weight", message, expected)


_ONLY_IN_STEPS = BUILT_IN - {"root"}

# The order of conditions -------------------------------------------------------------------------------------


def in_binding_order(conditions: Sequence[s.Condition], scope: Terms) -> Iterator[tuple[int, s.Condition]]:
    """Yield conditions with their places so that each comes after those that bind its variables.

    They may be written in any order: one may use a variable that a later one binds.
    The caller resolves each before it asks for the next. Where none can go first, they go as written.
    """
    pending = dict(enumerate(conditions))
    while pending:
        ready = [k for k, c in pending.items() if _ready(c, scope)]
        # A licence with both ends free is about positions: it waits for what may say that it is not.
        place = next((k for k in ready if not _is_open_licence(pending[k], scope)), None)
        if place is None:
            place = ready[0] if ready else next(iter(pending))
        yield place, pending.pop(place)


def _is_open_licence(condition: s.Condition, scope: Terms) -> bool:
    """Whether a condition is `licensed d to h` and nothing is known of either end."""
    match condition:
        case s.LinkCondition(dependent, head, True, False):
            return scope.infer(dependent) is None and scope.infer(head) is None
    return False


def _ready(condition: s.Condition, scope: Terms) -> bool:
    free = {name.id for name in s.names_in(condition) if not scope.knows(name.id)}
    return free <= _binds(condition, scope)


def _binds(condition: s.Condition, scope: Terms) -> set[str]:
    """Return the variables that a condition can introduce now."""
    match condition:
        case s.LinkCondition(dependent, head, True):
            return _bare(dependent) | _bare(head)
        case s.GrammarCondition(negated=True):
            return set()
        case s.GrammarCondition(relation, terms) if relation not in GRAMMAR_RELATIONS:
            return {name.id for name in s.names_in(terms)}
        case s.GrammarCondition(relation, terms):
            pairs = zip(terms, GRAMMAR_RELATIONS[relation][1], strict=True)
            return {name for term, kind in pairs if kind == m.SYMBOL for name in _bare(term)}
        case s.Comparison((left, right), ("==",)):
            if scope.infer(left) is None:
                return _bare(left) if scope.infer(right) is not None else set()
            return _bare(right)
        case s.Membership(element, region, False):
            return _bare(element) - {name.id for name in s.names_in(region)}
    return set()


def _bare(term: s.Term) -> set[str]:
    return {term.id} if isinstance(term, s.Name | s.Star) else set()
