"""From declarations to a checked `Schema`: every name, type and arity, all mistakes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from schemata.errors import Diagnostic, did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.lint import lint
from schemata.language.merge import Effective
from schemata.language.scope import Scope
from schemata.language.solve import free_variables

__all__ = ["check"]

_TYPES = {"position": m.POSITION, "flag": m.FLAG, "symbol": m.SYMBOL}
GRAMMARS = ("d-rules", "dependency-rules", "context-free")


def check(effective: Effective, problems: list[Diagnostic]) -> m.Schema | None:
    """Return the checked schema, or None where there are errors; `problems` gets errors and warnings."""
    checker = _Checker(effective, problems)
    schema = checker.schema()
    if any(p.severity == "error" for p in problems):
        return None
    lint(schema, problems)
    return None if any(p.severity == "error" for p in problems) else schema


class _Checker:
    """Holds the forms while the rest of the schema is checked against them."""

    def __init__(self, effective: Effective, problems: list[Diagnostic]) -> None:
        self.effective = effective
        self.problems = problems
        self.forms: dict[str, m.Form] = {}
        self.implicit: set[str] = set()
        self.grammar: m.GrammarKind = "d-rules"

    def schema(self) -> m.Schema:
        e = self.effective
        self.grammar = self._grammar()
        for item, environment in e.items:
            self._form(item, environment)
        for hypothesis, _ in e.hypotheses:
            self._implicit_form(hypothesis)
        for equation, environment in e.equations:
            self._equation(equation, environment)
        clauses = (self._clause(c, env, "hypothesis") for c, env in e.hypotheses)
        hypotheses = tuple(c for c in clauses if c is not None)
        self._implicit_conditions(hypotheses)
        cases = self._cases()
        finals = tuple(c for c in (self._clause(c, env, "final") for c, env in e.finals) if c is not None)
        if not e.finals:
            self.problems.append(
                e.syntax.header.span.report("no-final", "the schema has no final item", expected="final ITEM")
            )
        ranges = tuple(
            e.syntax.source.lines[c.span.line - 1][c.span.column - 1 : c.span.end - 1]
            for c in e.syntax.header.where
        )
        return m.Schema(
            e.syntax.header.name,
            e.title,
            e.reference,
            self.grammar,
            e.parameters,
            tuple(self.forms.values()),
            hypotheses,
            cases,
            tuple(dict.fromkeys(d.name for d, _ in e.steps)),
            finals,
            e.syntax.source,
            e.syntax.header.extends,
            ranges,
        )

    def _grammar(self) -> m.GrammarKind:
        if self.effective.grammar is None:
            return "d-rules"
        name, span = self.effective.grammar
        if name not in GRAMMARS:
            self.problems.append(
                span.report(
                    "unknown-grammar",
                    f"unknown kind of grammar {name}",
                    expected="one of " + ", ".join(GRAMMARS),
                    hint=did_you_mean(name, GRAMMARS),
                )
            )
            return "d-rules"
        return cast("m.GrammarKind", name)

    # forms

    def _type(self, name: s.TypeName) -> m.Type:
        match name.name:
            case "list" | "tuple" | "optional":
                return m.Type(cast("m.Kind", name.name), tuple(self._type(a) for a in name.arguments))
            case "dotted rule":
                return m.Type("dotted", dots=1)
            case "double-dotted rule":
                return m.Type("dotted", dots=2)
        if name.name in _TYPES:
            return _TYPES[name.name]
        known = [*_TYPES, "list of", "dotted rule", "double-dotted rule"]
        self.problems.append(
            name.span.report(
                "unknown-type",
                f"unknown type {name.name}",
                expected="one of " + ", ".join(known),
                hint=did_you_mean(name.name, known),
            )
        )
        return m.POSITION

    def _form(self, item: s.ItemDeclaration, environment: Mapping[str, int]) -> None:
        if item.form in self.forms:
            self.problems.append(
                item.span.report("duplicate-form", f"item form {item.form} is declared twice")
            )
            return
        fields: list[m.Field] = []
        for field in item.fields:
            if field.name in environment or field.name == "n" or any(f.name == field.name for f in fields):
                self.problems.append(field.span.report("duplicate-field", f"the name {field.name} is taken"))
            fields.append(m.Field(field.name, self._type(field.type)))
        scope = Scope(environment, self.problems, closed=f"{item.form}[{', '.join(f.name for f in fields)}]")
        scope.types.update({f.name: f.type for f in fields})
        where: list[m.Term] = []
        for condition in item.where:
            if isinstance(
                condition,
                s.LinkCondition | s.LinkHeads | s.HeadOfBuilt | s.RootCategory | s.GrammarRule | s.CategoryOf,
            ):
                self.problems.append(
                    condition.span.report(
                        "misplaced-condition",
                        "an item form's conditions are about its fields",
                        hint="write it beside a step",
                    )
                )
                continue
            where.append(scope.condition(condition))
        self.forms[item.form] = m.Form(item.form, tuple(fields), tuple(where), item.span)

    def _implicit_form(self, clause: s.ItemClause) -> None:
        """Declare the form of a hypothesis that is no item form: its fields are positions."""
        item = clause.item
        if item.form in self.forms:
            return
        names = [t.id if isinstance(t, s.Name) else f"field{k}" for k, t in enumerate(item.terms, start=1)]
        fields = tuple(m.Field(name, m.POSITION) for name in names)
        self.forms[item.form] = m.Form(item.form, fields, (), item.name_span)
        self.implicit.add(item.form)

    def _implicit_conditions(self, hypotheses: tuple[m.Clause, ...]) -> None:
        """Make the conditions of an undeclared form's only hypothesis the form's own."""
        for name in self.implicit:
            clauses = [h for h in hypotheses if h.pattern.form == name]
            form = self.forms[name]
            if len(clauses) == 1 and clauses[0].pattern.terms == tuple(m.Var(f.name) for f in form.fields):
                self.forms[name] = replace(form, where=clauses[0].conditions)

    def _equation(self, equation: s.Equation, environment: Mapping[str, int]) -> None:
        scope = Scope(environment, self.problems)
        left = self._pattern(equation.left, scope, binding=True)
        conditions = tuple(
            scope.condition(c) for c in equation.conditions if not isinstance(c, _GRAMMAR_CONDITIONS)
        )
        right = self._pattern(equation.right, scope, binding=False)
        if left is None or right is None:
            return
        if left.form != right.form:
            self.problems.append(
                equation.right.name_span.report(
                    "wrong-form", "both writings are of one form", expected=f"{left.form}[...]"
                )
            )
            return
        lost = set(m.variables(left)) - set(m.variables(right)) - {"n"}
        for name in sorted(lost):
            self.problems.append(
                scope.places[name].report(
                    "lossy-normal-form",
                    f"variable {name} is lost on the right: writings could not be found again",
                    expected="every variable of the left side on the right side",
                )
            )
        form = self.forms[left.form]
        found = m.Equation(left.terms, right.terms, conditions, dict(scope.types), equation.span)
        self.forms[left.form] = replace(form, equations=(*form.equations, found))

    # items

    def _pattern(self, item: s.Item, scope: Scope, binding: bool) -> m.Pattern | None:
        form = self.forms.get(item.form)
        if form is None:
            self.problems.append(
                item.name_span.report(
                    "unknown-form",
                    f"unknown item form {item.form}",
                    expected="one of " + ", ".join(self.forms) if self.forms else "an item declaration",
                    hint=did_you_mean(item.form, self.forms),
                )
            )
            return None
        if len(item.terms) != len(form.fields):
            self.problems.append(
                item.span.report(
                    "wrong-arity",
                    f"{item.form} has {len(form.fields)} fields, not {len(item.terms)}",
                    expected=f"{item.form}[{', '.join(f.name for f in form.fields)}]",
                )
            )
            return None
        return m.Pattern(
            item.form,
            tuple(scope.resolve(t, f.type, binding) for t, f in zip(item.terms, form.fields, strict=True)),
        )

    def _clause(self, clause: s.ItemClause, environment: Mapping[str, int], what: str) -> m.Clause | None:
        """Resolve a hypothesis or final item; None where the parameters switch it off."""
        scope = Scope(environment, self.problems)
        pattern = self._pattern(clause.item, scope, binding=True)
        conditions: list[m.Term] = []
        for condition in clause.where:
            if isinstance(condition, _GRAMMAR_CONDITIONS):
                root = isinstance(condition, s.RootCategory) and what == "final"
                if not root:
                    self.problems.append(
                        condition.span.report(
                            "misplaced-condition", f"a {what} has no condition on the grammar"
                        )
                    )
                    continue
                conditions.append(cast("m.Term", self._grammar_condition(condition, scope)))
                continue
            conditions.append(scope.condition(condition))
        if pattern is None or _switched_off(clause.where, conditions, environment):
            return None
        found = m.Clause(pattern, tuple(conditions), dict(scope.types), clause.span)
        self._once(scope, list(m.variables(found)))
        return found

    # steps

    def _cases(self) -> tuple[m.Case, ...]:
        found: list[m.Case] = []
        declared: dict[str, s.StepDeclaration] = {}
        for step, environment in self.effective.steps:
            if step.name in declared:
                self.problems.append(
                    step.span.report(
                        "duplicate-step",
                        f"step {step.name} is declared twice",
                        expected="one step, with a case for each rule",
                        hint=f"write both rules under one step {step.name}, each under the word case",
                    )
                )
            declared[step.name] = step
            for case in step.cases:
                resolved = self._case(step.name, case, environment)
                if resolved is not None:
                    found.append(resolved)
        return tuple(found)

    def _case(self, step: str, case: s.StepCase, environment: Mapping[str, int]) -> m.Case | None:
        before = len(self.problems)
        scope = Scope(environment, self.problems)
        antecedents: list[m.Antecedent] = []
        for antecedent in case.antecedents:
            pattern = self._pattern(antecedent.item, scope, binding=True)
            if pattern is not None:
                antecedents.append(m.Antecedent(pattern, antecedent.context))
        conditions: list[m.Condition] = []
        links: list[m.Link] = []
        head_links: list[m.HeadLink] = []
        head: m.Term | None = None
        grammar_first = sorted(case.conditions, key=lambda c: not isinstance(c, _GRAMMAR_CONDITIONS))
        for condition in grammar_first:
            match condition:
                case s.LinkHeads(dependent, word, span):
                    count = len(case.antecedents)
                    if not (1 <= dependent <= count and 1 <= word <= count):
                        scope.error(
                            span,
                            "bad-link",
                            "there is no such antecedent",
                            expected=f"a number from 1 to {count}",
                        )
                        continue
                    head_links.append(m.HeadLink(dependent - 1, word - 1))
                case s.HeadOfBuilt(term, _):
                    head = scope.resolve(term, m.POSITION)
                case s.LinkCondition(dependent_term, head_term, licence, builds, _):
                    ends = self._link(dependent_term, head_term, licence, scope, condition.span)
                    if licence:
                        conditions.append(m.Licensed(*ends))
                    if builds:
                        links.append(m.Link(*ends))
                case s.RootCategory() | s.GrammarRule() | s.CategoryOf():
                    conditions.append(self._grammar_condition(condition, scope))
                case _:
                    conditions.append(scope.condition(condition))
        consequent = self._pattern(case.consequent, scope, binding=False)
        if (
            consequent is None
            or len(self.problems) > before
            or _switched_off(case.conditions, conditions, environment)
        ):
            return None
        found = m.Case(
            step, case.label, tuple(antecedents), consequent, tuple(conditions), tuple(links), tuple(head_links),
            head, dict(scope.types), case.span, case.lines,
        )  # fmt: skip
        for name in free_variables(found):
            scope.error(
                scope.places[name],
                "unbound-variable",
                f"variable {name} cannot be determined",
                expected="a place where it stands alone, or with everything else known",
            )
        used = [x for a in found.antecedents for x in m.variables(a.pattern)]
        used += [x for c in (*found.conditions, found.consequent) for x in m.variables(c)]
        built_only = [link for link in links if m.Licensed(link.dependent, link.head) not in conditions]
        used += [x for link in built_only for t in (link.dependent, link.head) for x in m.variables(t)]
        self._once(scope, used + (list(m.variables(head)) if head is not None else []))
        return found

    def _link(
        self, dependent: s.Term, head: s.Term, licence: bool, scope: Scope, span: s.Span
    ) -> tuple[m.Term, m.Term]:
        if licence and self.grammar != "d-rules":
            scope.error(
                span,
                "wrong-grammar",
                f"a grammar of {self.grammar} licenses no links",
                hint="link d to h only builds",
            )
        ends = []
        for term in (dependent, head):
            binding = licence and isinstance(term, s.Name)
            ends.append(scope.resolve(term, m.POSITION, binding))
        return ends[0], ends[1]

    def _grammar_condition(
        self, condition: s.RootCategory | s.GrammarRule | s.CategoryOf, scope: Scope
    ) -> m.Condition:
        if self.grammar == "d-rules":
            scope.error(
                condition.span,
                "wrong-grammar",
                "d-rules have no categories and rules",
                expected="grammar dependency-rules or grammar context-free",
            )
        match condition:
            case s.RootCategory(category, _):
                if isinstance(category, s.Constant) and isinstance(category.value, str):
                    category = s.Name(category.value, category.span)
                return m.RootCategory(scope.resolve(category, m.SYMBOL, binding=True))
            case s.CategoryOf(word, category, _):
                return m.HasCategory(
                    scope.resolve(word, m.POSITION),
                    scope.resolve(category, m.SYMBOL, isinstance(category, s.Name)),
                )
            case s.GrammarRule(rule, span):
                if len(rule.parts) != 1:
                    scope.error(
                        span, "wrong-arity", "a rule of the grammar has no dots", expected="rule A(*alpha)"
                    )
                    return m.RootCategory(m.Any())
                body = scope.resolve(s.ListTerm(rule.parts[0], span), m.SYMBOLS, binding=True)
                return m.HasRule(
                    scope.resolve(rule.category, m.SYMBOL, binding=True),
                    body if isinstance(body, m.ListTerm) else m.ListTerm(()),
                )

    def _once(self, scope: Scope, used: list[str]) -> None:
        for name, place in scope.places.items():
            if used.count(name) == 1:
                self.problems.append(
                    place.report(
                        "used-once",
                        f"variable {name} is used once",
                        hint="write _ (or *_)",
                        severity="warning",
                    )
                )


_GRAMMAR_CONDITIONS = (
    s.LinkCondition, s.LinkHeads, s.HeadOfBuilt, s.RootCategory, s.GrammarRule, s.CategoryOf,
)  # fmt: skip


def _switched_off(
    written: tuple[s.Condition, ...], conditions: Sequence[m.Condition], environment: Mapping[str, int]
) -> bool:
    """Whether a condition on parameters alone is false for the values they have."""
    text = " ".join(_words(c) for c in written)
    if not any(name in text.split() for name in environment):
        return False
    return any(constant_truth(c) is False for c in conditions)


def _words(condition: s.Condition) -> str:
    span = condition.span
    line = span.source.lines[span.line - 1][span.column - 1 : span.end - 1]
    return "".join(c if c.isalnum() or c == "_" else " " for c in line)


def constant_truth(condition: m.Condition) -> bool | None:
    """Return the truth of a condition without variables, or None where it has some."""
    match condition:
        case m.Lit(bool() as value):
            return value
        case m.Compare(relation, m.Lit(int() as a), m.Lit(int() as b)):
            return {"<=": a <= b, "<": a < b, "==": a == b, "!=": a != b}[relation]
        case m.Not(operand):
            inner = constant_truth(operand)
            return None if inner is None else not inner
        case m.Junction(word, operands):
            values = [constant_truth(o) for o in operands]
            if word == "and":
                return False if False in values else (None if None in values else True)
            return True if True in values else (None if None in values else False)
    return None
