"""Resolves the rules of a schema that are no steps: hypotheses, final items and normal forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from schemata.errors import Diagnostic
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.conditions import (
    STEP_CONDITIONS,
    conjuncts,
    grammar_condition,
    in_binding_order,
)
from schemata.language.forms import FormTable
from schemata.language.solve import undetermined
from schemata.language.source import Span
from schemata.language.terms import Terms

__all__ = ["Places", "RuleReader", "constant_truth"]

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
