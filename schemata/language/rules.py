"""Resolves the rules of a schema: hypotheses, final items, normal forms, and the cases of steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from schemata.errors import Diagnostic
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.cases import free_variables, undetermined
from schemata.language.forms import FormTable, indefinite
from schemata.language.scope import infer
from schemata.language.source import Span
from schemata.language.terms import (
    STEP_CONDITIONS,
    Terms,
    conjuncts,
    grammar_condition,
    in_binding_order,
    matches,
)

Environment = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the parts of a rule stand: its items in order, the last the consequent, and its conditions."""

    items: tuple[Span, ...]
    conditions: tuple[Span, ...]


@dataclass(slots=True)
class RuleReader:
    """Resolves rules against the item forms; `StepReader` adds those of steps.

    `grammar` is None where its kind is not known, and `grammar_named` whether the schema names it. With
    `symbolic`, parameters are variables, so that what is found holds for all their values. `lost_names` may
    be parameters; `lenient` where any name may be one.
    """

    table: FormTable
    problems: list[Diagnostic]
    grammar: m.GrammarKind | None
    grammar_named: bool
    symbolic: bool = False
    lenient: bool = False
    lost_names: frozenset[str] = frozenset()

    def scope(self, environment: Environment) -> Terms:
        """Return the scope of a rule that sees these parameters."""
        scope = Terms({} if self.symbolic else environment, self.problems, lenient=self.lenient)
        scope.doubtful.update(self.lost_names)
        if self.symbolic:
            scope.types.update(dict.fromkeys(environment, m.POSITION))
        return scope

    # hypotheses and final items

    def clause(
        self, clause: s.ItemClause, environment: Environment, what: str
    ) -> tuple[m.Clause, Places] | None:
        """Resolve a hypothesis or final item; None where it has errors or the parameters switch it off."""
        before = len(self.problems)
        scope = self.scope(environment)
        scope.fields_of = ""
        pattern = self.table.pattern(clause.item, scope, binding=True)
        written = conjuncts(clause.where)
        resolved: dict[int, m.Term] = {}
        for k, condition in in_binding_order(written, scope):
            if isinstance(condition, s.RootCategory) and what == "final":
                self.check_grammar(condition, scope)
                resolved[k] = cast("m.Term", grammar_condition(condition, scope))
            elif isinstance(condition, STEP_CONDITIONS):
                self._misplaced(condition, f"a {what} has no such condition")
                scope.doubt(condition)
            else:
                resolved[k] = scope.condition(condition, binding=what == "final")
        if pattern is None or len(self.problems) > before:
            return None
        conditions = tuple(resolved[k] for k in sorted(resolved))
        found = m.Clause(pattern, conditions, dict(scope.types), clause.span)
        if not self.symbolic:
            free = undetermined(pattern.terms, conditions) if what == "final" else ()
            self.unsolvable(free, scope, (*pattern.terms, *conditions))
            if not free:
                self.once(scope, m.variables(found))
            if self.switched_off(written, conditions, environment):
                return None
        return found, Places((clause.item.span,), tuple(c.span for c in written))

    # normal forms

    def equation(self, equation: s.Equation, environment: Environment) -> tuple[str, m.Equation] | None:
        """Resolve one line of a normal form; None where it has errors."""
        before = len(self.problems)
        scope = self.scope(environment)
        left = self.table.pattern(equation.left, scope, binding=True)
        written = conjuncts(equation.conditions)
        resolved: dict[int, m.Term] = {}
        for k, condition in in_binding_order(written, scope):
            if isinstance(condition, STEP_CONDITIONS):
                self._misplaced(condition, "a normal form has no such condition")
            else:
                resolved[k] = scope.condition(condition, binding=True)
        right = None
        if left is not None and equation.right.form != left.form and equation.right.form in self.table.forms:
            self.problems.append(
                equation.right.name_span.report(
                    "wrong-form", "both writings are of one form", expected=f"{left.form}[...]"
                )
            )
        else:
            right = self.table.pattern(equation.right, scope, binding=False)
        if left is None or right is None or len(self.problems) > before:
            return None
        conditions = tuple(resolved[k] for k in sorted(resolved))
        self.unsolvable(undetermined(left.terms, conditions), scope, (*left.terms, *conditions))
        lost = [v for v in dict.fromkeys(m.variables(left)) if v not in (*m.variables(right), "n")]
        for name in lost:
            if name in scope.places and name not in scope.doubtful:
                self.problems.append(
                    scope.places[name].report(
                        "lossy-normal-form",
                        f"variable {name} is lost on the right: writings could not be found again",
                        expected="every variable of the left side on the right side",
                    )
                )
        return left.form, m.Equation(left.terms, right.terms, conditions, dict(scope.types), equation.span)

    def covering(self, covering: s.Covering, environment: Environment) -> tuple[str, m.Cover] | None:
        """Resolve a normal form by what is covered; None where it has errors."""
        before = len(self.problems)
        scope = self.scope(environment)
        pattern = self.table.pattern(covering.item, scope, binding=True)
        if pattern is None or len(self.problems) > before:
            return None
        places: dict[str, int] = {}
        for k, term in enumerate(pattern.terms):
            if isinstance(term, m.Var):
                places[term.name] = k
        match covering.region:
            case s.Difference(s.Interval(s.Name(low), s.Name(high)), s.Name(gaps)) if {
                low, high, gaps, covering.aside.id,
            } <= set(places) and len(places) == len(pattern.terms):  # fmt: skip
                if scope.types[gaps].intervals:
                    fields = (places[low], places[high], places[gaps], places[covering.aside.id])
                    return pattern.form, m.Cover(*fields)
        self.problems.append(
            covering.span.report(
                "bad-covering",
                "this does not say what an item covers",
                expected="tree[i, j, h, gaps] covers [i..j] minus gaps, with or without h",
                hint="each field is a variable, and gaps is a field of type intervals",
            )
        )
        return None

    # what all rules share

    def check_grammar(self, condition: s.Condition, scope: Terms) -> None:
        """Report a condition that the schema's kind of grammar cannot answer."""
        if self.grammar is None:
            return
        hint = None
        licence = isinstance(condition, s.LinkCondition)
        if isinstance(condition, s.DisjunctOf | s.JoinCondition):
            if self.grammar == "link-grammar":
                return
            message, expected = f"a grammar of {self.grammar} has no disjuncts", "grammar link-grammar"
        elif self.grammar == "link-grammar":
            message = "a dictionary of Link Grammar offers disjuncts, and nothing else"
            expected = "disjunct *R / *L of z, or join i to j by x ~ y"
        elif isinstance(condition, s.CategoryOf) or licence == (self.grammar == "d-rules"):
            return
        elif licence:
            message, expected = f"a grammar of {self.grammar} licenses no links", "grammar d-rules"
            hint = "link d to h only builds"
        else:
            message = "d-rules have no rules and no root categories"
            expected = "grammar dependency-rules or grammar context-free"
        if not self.grammar_named:
            # One missing line is one mistake, however many conditions it makes meaningless.
            self.grammar = None
            hint = "a schema without a line for its grammar is about d-rules"
        scope.error(condition.span, "wrong-grammar", message, expected, hint)

    def _misplaced(self, condition: s.Condition, message: str) -> None:
        self.problems.append(
            condition.span.report(
                "misplaced-condition",
                message,
                expected="a comparison, a flag or membership",
                hint="write it beside a step",
            )
        )

    def unsolvable(self, names: Iterable[str], scope: Terms, nodes: Sequence[m.Condition]) -> None:
        """Report variables that nothing determines, one for each group that stands together."""
        told: set[str] = set()
        for name in names:
            together = {v for node in nodes if name in m.variables(node) for v in m.variables(node)}
            if name not in scope.places or together & told:
                continue
            told.add(name)
            runs = any(name in m.variables(run) for node in nodes for run in _runs(node))
            scope.error(
                scope.places[name],
                "unsolvable",
                f"variable {name} cannot be determined",
                "a place where it stands alone, or with all else known",
                "the elements of a run may all differ: write _" if runs else None,
            )

    def once(self, scope: Terms, used: Iterable[str], generated: frozenset[str] = frozenset()) -> None:
        """Warn of variables that are used once; `generated` ones are none of the author's."""
        if scope.lenient:
            return
        counted = list(used)
        for name, place in scope.places.items():
            if counted.count(name) == 1 and name not in scope.doubtful | generated:
                anonymous = "*_" if place.text.startswith("*") else "_"
                self.problems.append(
                    place.report(
                        "used-once",
                        f"variable {name} is used once",
                        expected=f"{anonymous}, or another use",
                        severity="warning",
                    )
                )

    def switched_off(
        self, written: Sequence[s.Condition], conditions: Sequence[m.Condition], environment: Environment
    ) -> bool:
        """Whether a condition on parameters alone is false for the values they have."""
        if self.symbolic:
            return False
        names = [{name.id for name in s.names_in(c)} for c in written]
        about_parameters = any(n and n <= set(environment) for n in names)
        return about_parameters and any(constant_truth(c) is False for c in conditions)


def _runs(node: m.Condition | m.Region) -> Iterable[m.Run]:
    match node:
        case m.Run():
            yield node
        case m.ListTerm(parts) | m.TupleTerm(parts):
            for part in parts:
                yield from _runs(part)


def constant_truth(condition: m.Condition) -> bool | None:
    """Return the truth of a condition without variables, or None where it has some.

    >>> constant_truth(m.Compare("<", m.Lit(1), m.Lit(2)))
    True
    """
    match condition:
        case m.Lit(bool() as value):
            return value
        case m.Compare("<=" | "<", m.Lit(None), _) | m.Compare("<=" | "<", _, m.Lit(None)):
            return False
        case m.Compare(relation, m.Lit(int() as a), m.Lit(int() as b)):
            return {"<=": a <= b, "<": a < b, "==": a == b, "!=": a != b}[relation]
        case m.Not(operand):
            inner = constant_truth(operand)
            return None if inner is None else not inner
        case m.Junction(word, operands):
            values = [constant_truth(o) for o in operands]
            decisive = word == "or"
            return decisive if decisive in values else (None if None in values else not decisive)
    return None


class StepReader(RuleReader):
    """Resolves all rules, those of steps too."""

    def case(
        self, step: str, case: s.StepCase, environment: Environment
    ) -> tuple[m.Case | None, m.Case | None, Places]:
        """Resolve one rule: the case (None where it has errors or is switched off), and its outline.

        The outline has the forms of all its items, and no terms where they have errors; it is None where a
        form is not known.
        """
        before = len(self.problems)
        scope = self.scope(environment)
        scope.doubtful.update(case.lost or ())
        patterns = [self.table.pattern(a.item, scope, binding=True) for a in case.antecedents]
        written = conjuncts(case.conditions)
        parts = _Parts({}, {}, {})
        for k, condition in in_binding_order(written, scope):
            self._condition(k, condition, scope, None if case.lost else case.antecedents, parts)
            if len(self.problems) > before:
                scope.doubt(condition)
        consequent = None
        if case.consequent is not None:
            consequent = self.table.pattern(case.consequent, scope, binding=False)
        places = Places(
            tuple(x.span for x in (*(a.item for a in case.antecedents), case.consequent) if x is not None),
            tuple(written[k].span for k in sorted(parts.conditions)),
        )
        if consequent is None or None in patterns:
            return None, None, places
        antecedents = tuple(
            m.Antecedent(p, a.context) for p, a in zip(patterns, case.antecedents, strict=True) if p
        )
        found = m.Case(
            step, case.label, antecedents, consequent,
            tuple(parts.conditions[k] for k in sorted(parts.conditions)),
            tuple(parts.links[k] for k in sorted(parts.links)),
            tuple(parts.head_links[k] for k in sorted(parts.head_links)),
            parts.head, dict(scope.types), case.span, case.lines,
        )  # fmt: skip
        if parts.head_span is not None and len(self.problems) == before and case.lost is None:
            _check_head(found, scope, parts.head_span)
        if not self.symbolic and len(self.problems) == before and case.lost is None:
            self._check_variables(found, scope, case.generated)
        if len(self.problems) > before and any(p.severity == "error" for p in self.problems[before:]):
            forms = self.table.forms
            above = (m.Antecedent(indefinite(forms[a.pattern.form]), a.context) for a in antecedents)
            below = indefinite(forms[consequent.form])
            outline = m.Case(step, case.label, tuple(above), below, (), (), (), None, {}, case.span)
            return None, outline, places
        if case.lost is not None or self.switched_off(written, found.conditions, environment):
            return None, found, places
        return found, found, places

    def _condition(
        self,
        k: int,
        condition: s.Condition,
        scope: Terms,
        antecedents: Sequence[s.Antecedent] | None,
        parts: _Parts,
    ) -> None:
        match condition:
            case s.LinkHeads(dependent, word, span):
                if antecedents is None:
                    return
                count = len(antecedents)
                if not (1 <= dependent <= count and 1 <= word <= count):
                    wanted = f"a number from 1 to {count}" if count else "an antecedent"
                    scope.error(span, "bad-link", "there is no such antecedent", wanted)
                elif antecedents[dependent - 1].context or antecedents[word - 1].context:
                    message = "a context antecedent hands on nothing that it built, its head neither"
                    scope.error(span, "bad-link", message, "an antecedent without given")
                else:
                    parts.head_links[k] = m.HeadLink(dependent - 1, word - 1)
            case s.HeadOfBuilt(term):
                parts.head, parts.head_span = scope.resolve(term, m.POSITION), term.span
            case s.LinkCondition(dependent_term, head_term, licence, builds):
                if licence:
                    self.check_grammar(condition, scope)
                kind = self._kind_of_ends(condition, scope)
                if kind is None:
                    return
                ends = [
                    scope.resolve(t, kind, licence and isinstance(t, s.Name))
                    for t in (dependent_term, head_term)
                ]
                if licence:
                    about = m.CategoryLicence if kind == m.SYMBOL else m.Licensed
                    parts.conditions[k] = about(ends[0], ends[1])
                if builds:
                    parts.links[k] = m.Link(ends[0], ends[1])
            case s.JoinCondition(left, right, match, when):
                self.check_grammar(condition, scope)
                ends = [scope.resolve(t, m.POSITION) for t in (left, right)]
                by = matches(scope, match)
                guard = None if when is None else scope.condition(when)
                parts.links[k] = m.Join(ends[0], ends[1], by, guard)
                parts.conditions[k] = by if guard is None else m.Junction("or", (m.Not(guard), by))
            case s.RootCategory() | s.GrammarRule() | s.CategoryOf() | s.LeftCorner() | s.DisjunctOf():
                self.check_grammar(condition, scope)
                parts.conditions[k] = grammar_condition(condition, scope)
            case _:
                parts.conditions[k] = scope.condition(condition, binding=True)

    def _kind_of_ends(self, licence: s.LinkCondition, scope: Terms) -> m.Type | None:
        """Return what the ends of a link are, positions or, to be licensed only, symbols; None if neither."""
        ends = (licence.dependent, licence.head)
        kinds = [infer(term, scope) for term in ends]
        if m.SYMBOL not in kinds:
            return m.POSITION
        if licence.builds:
            wrong = ends[kinds.index(m.SYMBOL)].span
            scope.error(
                wrong,
                "wrong-type",
                f"{wrong.text} is a symbol",
                "a position",
                "licensed D to C asks for categories, and link or link head of builds",
            )
            return None
        other = next((k for k, kind in enumerate(kinds) if kind not in (None, m.SYMBOL)), None)
        if other is None:
            return m.SYMBOL
        shown = [term.span.text for term in ends]
        what = " and ".join(f"{text} is a {kind}" for text, kind in zip(shown, kinds, strict=True))
        hint = f"category {shown[other]} is C gives the category of a word" if m.POSITION in kinds else None
        scope.error(licence.span, "wrong-type", what, "two positions or two symbols", hint)
        return None

    def _check_variables(self, case: m.Case, scope: Terms, generated: frozenset[str]) -> None:
        everything = [t for a in case.antecedents for t in a.pattern.terms]
        free = free_variables(case)
        if free:
            self.unsolvable(free, scope, [*everything, *case.conditions])
            return
        used = [x for a in case.antecedents for x in m.variables(a.pattern)]
        used += [x for c in (*case.conditions, case.consequent) for x in m.variables(c)]
        # What a licence or a match tests is counted there: that it builds as well is no second use.
        for link in case.links:
            if isinstance(link, m.Join):
                used += [*m.variables(link.left), *m.variables(link.right)]
            elif m.Licensed(link.dependent, link.head) not in case.conditions:
                used += m.variables(link)
        self.once(scope, used + (list(m.variables(case.head)) if case.head is not None else []), generated)


def _check_head(case: m.Case, scope: Terms, span: Span) -> None:
    """Report a head that cannot be read off the items of an instance."""
    items = [case.consequent, *(a.pattern for a in case.antecedents if not a.context)]
    alone = {term.name for item in items for term in item.terms if isinstance(term, m.Var)}
    assert case.head is not None
    names = [name for name in m.variables(case.head) if name != "n" and name not in alone]
    if names or (
        isinstance(case.head, m.Linear) and any(isinstance(a, m.Length) for a, _ in case.head.atoms)
    ):
        scope.error(
            span,
            "bad-link",
            "the head of what is built stands alone in no item of the rule",
            "variables that are fields of the consequent, or of an antecedent without given",
        )


@dataclass(slots=True)
class _Parts:
    """What the conditions of a case come to, by their place among those written."""

    conditions: dict[int, m.Condition]
    links: dict[int, m.Link | m.Join]
    head_links: dict[int, m.HeadLink]
    head: m.Term | None = None
    head_span: Span | None = None
