"""Resolves rules against the item forms: hypotheses, final items, normal forms, the cases of steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from schemata.kinds import CONTEXT_FREE, D_RULES, DEPENDENCY_TREE, FACTS, LINK_GRAMMAR, GrammarKind
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.forms import FormTable, indefinite
from schemata.language.source import Findings, Span
from schemata.language.substitute import fold, solved
from schemata.language.terms import BUILT_IN, GRAMMAR_RELATIONS, Terms, conjuncts
from schemata.language.typeset import term_text
from schemata.records import Record
from schemata.wording import listing

VariableTypes: TypeAlias = dict[Span, dict[str, m.Type]]
"""The types of the variables of rules and declarations, by their place."""


class RulePlaces(Record):
    """The places of the parts of a rule: its items in order, the last the consequent, and its conditions."""

    items: tuple[Span, ...]
    conditions: tuple[Span, ...]


class _Head(Record):
    """The head of the structure that a case builds, and the place where it is written."""

    term: m.Term
    span: Span


@dataclass(slots=True)
class RuleReader:
    """Resolves rules against the item forms.

    `grammar` is None if its kind is not known, and `grammar_named` whether the schema names it. With `symbolic`,
    parameters are variables, so that findings hold for all their values. `lost_names` may be parameters; `lenient`
    where any name may be one. `relations` are those that the schema declares; with `relations_lost` there may be more.
    `atoms` has the places and names of the atoms that the rules read so far build, and `places` has, by their identity,
    where the parts of rules stand. Members of families are left out, since some may be impossible by design. `types`
    gets the types of variables, of rules with mistakes too.
    """

    table: FormTable
    problems: Findings
    grammar: GrammarKind | None
    grammar_named: bool
    symbolic: bool = False
    lenient: bool = False
    lost_names: Iterable[str] = ()
    relations: Mapping[str, m.Relation] = field(default_factory=dict)
    relations_lost: bool = False
    atoms: list[tuple[Span, str, tuple[m.Type, ...]]] = field(default_factory=list)
    places: dict[int, RulePlaces] = field(default_factory=dict)
    types: VariableTypes = field(default_factory=dict)

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

    def informed(self, environment: s.Environment, read: Callable[[Terms], object]) -> Terms:
        """Return the scope of a rule in which positions have the types of their inputs, found by reading the whole
        rule.

        With several inputs, the rule is read until no more types are inferred; findings of these readings are dropped.
        """
        scope = self.scope(environment)
        if self.table.inputs:
            kept = len(self.problems), len(self.atoms), self.grammar
            known = -1
            while len(scope.inputs_of) > known:
                known = len(scope.inputs_of)
                trial = self.scope(environment)
                trial.inputs_of, trial.is_trial = scope.inputs_of, True
                read(trial)
                del self.problems[kept[0] :], self.atoms[kept[1] :]
                self.grammar = kept[2]
        return scope

    # hypotheses, final items and normal forms

    def clause(self, clause: s.Hypothesis) -> m.Clause | None:
        """Resolve a hypothesis or final item; None if it has errors or the parameters switch it off."""
        before = len(self.problems)
        final = isinstance(clause, s.FinalDeclaration)
        what = "final item" if final else "hypothesis"
        written = conjuncts(clause.where)

        def read(scope: Terms) -> tuple[m.Pattern | None, tuple[m.Condition, ...]]:
            scope.fields_of = ""
            pattern = self.table.pattern(clause.item, scope, binding=True)
            misplaced = f"a {what} cannot have this condition"
            return pattern, self.plain_conditions(written, scope, misplaced, binding=final, roots=final)

        scope = self.informed(clause.environment, read)
        pattern, conditions = read(scope)
        self.types.setdefault(clause.span, {}).update(scope.types)
        if pattern is None or len(self.problems) > before:
            return None
        resolved = m.Clause(pattern, conditions, dict(scope.types), clause.span)
        if not self.symbolic:
            if not final or self.determined(scope, pattern.terms, conditions):
                self.once(
                    scope,
                    m.variables(resolved),
                    self._start_symbols(scope, resolved) if final else frozenset(),
                )
            if self.switched_off(written, conditions, clause.environment):
                return None
        self.places[id(resolved)] = RulePlaces((clause.item.span,), tuple(c.span for c in written))
        return resolved

    def plain_conditions(
        self,
        written: Sequence[s.ConditionSyntax],
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

    def equation(self, equation: s.EquationDeclaration) -> tuple[str, m.Equation] | None:
        """Resolve one line of a normal form; None if it has errors."""
        before = len(self.problems)

        def read(scope: Terms) -> None:
            self.table.pattern(equation.left, scope, binding=True)
            self.plain_conditions(conjuncts(equation.conditions), scope, "")
            self.table.pattern(equation.right, scope, binding=False)

        scope = self.informed(equation.environment, read)
        left = self.table.pattern(equation.left, scope, binding=True)
        written = conjuncts(equation.conditions)
        conditions = self.plain_conditions(written, scope, "a normal form cannot have this condition")
        self.types.setdefault(equation.span, {}).update(scope.types)
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
                equal = next((term for c in conditions if (term := _equal_to(name, c)) is not None), None)
                hint = None if equal is None else f"{name} is {equal}: write {equal} in the pattern"
                self.problems.report(scope.places[name], "lossy-normal-form", message, expected, hint)
        return left.form, m.Equation(left.terms, right.terms, conditions, dict(scope.types), equation.span)

    def covering(self, covering: s.Covering) -> tuple[str, m.Cover] | None:
        """Resolve a normal form by coverage; None if it has errors."""
        before = len(self.problems)
        scope = self.scope(covering.environment)
        pattern = self.table.pattern(covering.item, scope, binding=True)
        if pattern is None or len(self.problems) > before:
            return None
        fields = {term.name: k for k, term in enumerate(pattern.terms) if isinstance(term, m.Var)}
        match covering.region:
            case s.DifferenceSyntax(s.IntervalSyntax(s.Name(low), s.Name(high)), s.Name(gaps)):
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
        """Resolve one rule: the case (None if it has errors or is switched off), and its outline.

        The outline has the forms of all its items, and no terms where they have errors; it is None if a
        form is not known.
        """
        before = len(self.problems)
        symbols = self._symbols_of(case.consequent)
        written = conjuncts(case.conditions)
        patterns: list[m.Pattern | None] = []
        parts: dict[int, tuple[object, ...]] = {}

        def read(scope: Terms) -> m.Pattern | None:
            scope.doubtful.update(case.lost or ())
            patterns[:] = [self.table.pattern(a.item, scope, binding=True) for a in case.antecedents]
            for k, condition in in_binding_order(written, scope):
                parts[k] = self._parts(condition, scope, case, symbols)
                if len(self.problems) > before:
                    scope.doubt(condition)
            return (
                None if case.consequent is None else self.table.pattern(case.consequent, scope, binding=False)
            )

        scope = self.informed(environment, read)
        consequent = read(scope)
        self.types.setdefault(case.span, {}).update(scope.types)
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
        if case.lost is not None or self.switched_off(written, resolved.conditions, environment):
            return None, resolved
        if not case.generated:
            items = (*(a.item.span for a in case.antecedents), case.consequent.span)
            self.places[id(resolved)] = RulePlaces(items, tuple(span for span, _ in conditions))
        return resolved, resolved

    def _symbols_of(self, consequent: s.ItemSyntax | None) -> set[str]:
        """Return the names that stand alone in a consequent's fields of symbols."""
        form = self.table.forms.get(consequent.form) if consequent is not None else None
        if consequent is None or form is None:
            return set()
        pairs = zip(consequent.terms, form.fields, strict=False)
        return {t.id for t, field in pairs if isinstance(t, s.Name) and field.type == m.SYMBOL}

    def _parts(
        self, condition: s.ConditionSyntax, scope: Terms, case: s.StepCase, symbols: set[str]
    ) -> tuple[object, ...]:
        """Resolve a condition beside a line to conditions, links, links of heads, or the head."""
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
                one, other = (scope.word(t, False) for t in (left, right))
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
        self, link: s.LinkHeads, scope: Terms, antecedents: Sequence[s.AntecedentSyntax]
    ) -> tuple[m.HeadLink, ...]:
        if not _hands_on((link.dependent, link.head), antecedents, link.span, scope):
            return ()
        self.atoms.append((link.span, "head link", ()))
        return (m.HeadLink(link.dependent - 1, link.head - 1),)

    def _built(
        self, built: s.BuildCondition, scope: Terms, antecedents: Sequence[s.AntecedentSyntax]
    ) -> tuple[m.Built, ...]:
        """Resolve an atom: its arguments are values that are present."""
        types: list[m.Type] = []
        terms: list[m.Term] = []
        for term in built.terms:
            kind = scope.infer(term)
            compound = isinstance(term, s.TupleTermSyntax | s.ListTermSyntax)
            terms.append(scope.resolve(term, m.POSITION if compound else kind))
            types.append(kind or m.POSITION)
            if terms[-1] == m.Lit(None) or (kind is not None and kind.may_be_absent):
                message, hint = "an argument of an atom is always there", "write two cases of the step"
                scope.error(term.span, "wrong-type", message, "a value that is present", hint)
        if built.over is not None and not _hands_on((built.over,), antecedents, built.span, scope):
            return ()
        name = "link" if built.name == "edge" else built.name
        if expected := _malformed(name, types, built.over is not None):
            message = f"this is not a {built.name} as structures have it"
            scope.error(built.span, "bad-atom", message, expected)
        known = name if _of_word(name, types) else f"{name} of {len(types)} arguments"
        self.atoms.append((built.span, known, tuple(types)))
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
        self.atoms.append((link.span, "link", ()))
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
        # What a licence or a match tests is counted there: that it builds as well is not a second use.
        for link in case.links:
            if isinstance(link, m.Join):
                used += [link.left, link.right]
            else:
                used += link.terms[2:] if link.licence in case.conditions else link.terms
        dotted = (
            term
            for antecedent in case.antecedents
            if antecedent.context
            for term, declared in zip(
                antecedent.pattern.terms, self.table.forms[antecedent.pattern.form].fields, strict=True
            )
            if declared.type.kind == "dotted"  # names of its parts say what it is like
        )
        self.once(scope, m.variables(tuple(used)), generated | {*m.variables(tuple(dotted))})

    # what all rules share

    def _check_grammar(self, condition: s.ConditionSyntax, scope: Terms) -> None:
        """Report a condition that the schema's kind of grammar cannot answer."""
        if self.grammar is None:
            return
        hint = None
        licence = isinstance(condition, s.LinkCondition)
        relation = condition.relation if isinstance(condition, s.GrammarCondition) else None
        if relation is not None and relation not in BUILT_IN:
            return
        if self.grammar == FACTS:
            message = "a schema over facts asks its grammar for relations that it declares, and nothing else"
            example = "relation adjoin(tree: symbol, node: symbol)"
            expected = f"a relation such as adjoin(T, N), declared by {example}"
            hint = "link d to h only builds" if licence else None
        elif relation == "disjunct" or isinstance(condition, s.JoinCondition):
            if self.grammar == LINK_GRAMMAR:
                return
            message, expected = f"a grammar of {self.grammar} has no disjuncts", "grammar link-grammar"
        elif self.grammar == LINK_GRAMMAR:
            message = "a dictionary of Link Grammar offers disjuncts, and nothing else"
            expected = "disjunct *R / *L of z, or join i to j by x ~ y"
        elif relation == "category" or licence == (self.grammar == D_RULES):
            return
        elif licence:
            message, expected = f"a grammar of {self.grammar} licenses no links", "grammar d-rules"
            hint = "link d to h only builds"
        else:
            message = "d-rules have no rules and no root categories"
            expected = "grammar dependency-rules or grammar context-free"
        if not self.grammar_named and self.grammar != FACTS:
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
        """Whether patterns and conditions determine all variables; reports the others, one for each group that depend
        on each other.
        """
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
        single = {
            name: place
            for name, place in scope.places.items()
            if counts[name] == 1 and name not in scope.doubtful | generated and not scope.lenient
        }
        if single:
            names = listing(list(single))
            verb = "are each used once" if single.keys() - {names} else "is used once"
            starred = {place.text.startswith("*") for place in single.values()}
            anonymous = "_ or *_" if len(starred) > 1 else "*_" if starred == {True} else "_"
            message = f"{'variables' if len(single) > 1 else 'variable'} {names} {verb}: write {anonymous}"
            length = [
                name for name in single if name.casefold() in _LENGTHS and scope.types.get(name) == m.POSITION
            ]
            hint = f"the length of the sentence is n, not {length[0]}" if length else None
            found = min(single.values(), key=lambda place: (place.line, place.column)).report(
                "used-once", message, hint=hint, severity="warning"
            )
            self.problems.append(replace(found, source_line=None))  # a line is enough

    def _start_symbols(self, scope: Terms, clause: m.Clause) -> frozenset[str]:
        """Warn of variables for symbols that only a final item names: such a variable is any symbol, not the root."""
        counts = Counter(m.variables(clause))
        names = [x.name for x in clause.pattern.terms if isinstance(x, m.Var) and counts[x.name] == 1]
        if self.grammar != CONTEXT_FREE:
            return frozenset()
        names = [name for name in names if scope.types.get(name) == m.SYMBOL and name in scope.places]
        for name in names:
            message, hint = f"{name} is any symbol here, not the start symbol", f"add: where root {name}"
            place = scope.places[name]
            self.problems.report(place, "any-symbol", message, hint=hint, severity="warning")
        return frozenset(names)

    def switched_off(
        self,
        written: Sequence[s.ConditionSyntax],
        conditions: Sequence[m.Condition],
        environment: s.Environment,
    ) -> bool:
        """Whether a condition on parameters alone is false for the values they have."""
        names = [{name.id for name in s.names_in(c)} for c in written]
        if self.symbolic or not any(n and n <= set(environment) for n in names):
            return False
        return any(not isinstance(c, m.HasFact) and fold(c) == m.Lit(False) for c in conditions)


def _equal_to(name: str, condition: m.Condition) -> str | None:
    """Return the term to which a condition equates a variable, as text; None if it equates nothing to it."""
    if isinstance(condition, m.Compare) and condition.relation == "==":
        found = solved(condition.left, condition.right, m.Var(name))
        return None if found is None else term_text(found)
    return None


def _hands_on(
    numbers: Sequence[int], antecedents: Sequence[s.AntecedentSyntax], span: Span, scope: Terms
) -> bool:
    """Whether the antecedents of these numbers (from 1) exist and contribute the links they built; reports it
    if not.
    """
    count = len(antecedents)
    if not all(1 <= number <= count for number in numbers):
        wanted = f"a number from 1 to {count}" if count else "an antecedent"
        scope.error(span, "bad-link", "there is no such antecedent", wanted)
        return False
    if any(antecedents[number - 1].context for number in numbers):
        message = "a context antecedent contributes neither its links nor its head"
        scope.error(span, "bad-link", message, "an antecedent without given")
        return False
    return True


def _of_word(name: str, types: Sequence[m.Type]) -> bool:
    """Whether an atom is about a word of a tree, if its name says so: a tag, a feature, or its name and value."""
    kinds = [kind.kind for kind in types]
    if name not in DEPENDENCY_TREE.beside:
        return True
    return kinds[:1] == ["position"] and len(kinds) in ((2,) if name == "tag" else (2, 3))


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
            with_gaps = "bracket(A, i, j, k, l), or bracket(A, S)"
            shape = f"bracket(A, i, j), over the words i to j; with gaps {with_gaps}"
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
    """Report a weight that a hyperedge does not determine, since hyperedges have no context antecedents."""
    items = [case.consequent, *(a.pattern for a in case.antecedents if not a.context)]
    terms = [term for item in items for term in item.terms]
    asked = [case.weight, *case.conditions]
    free = set(undetermined(terms, asked)) & set(m.variables(case.weight))  # type: ignore[arg-type]
    if free:
        message = f"the weight depends on {min(free)}, which only a context antecedent knows"
        expected = "variables of the consequent, or of antecedents without given"
        scope.error(span, "bad-weight", message, expected)


_ONLY_IN_STEPS = BUILT_IN - {"root"}
_LENGTHS = frozenset({"n", "len", "length", "size"})  # names by which the length of the sentence is meant

# The order of conditions -------------------------------------------------------------------------------------


def in_binding_order(
    conditions: Sequence[s.ConditionSyntax], scope: Terms
) -> Iterator[tuple[int, s.ConditionSyntax]]:
    """Yield conditions with their places so that each comes after those that bind its variables.

    They may be written in any order: one may use a variable that a later one binds. The caller resolves each before it
    asks for the next. Where none can go first, they go as written.
    """
    pending = dict(enumerate(conditions))
    while pending:
        ready = [k for k, c in pending.items() if _ready(c, scope)]
        # A licence with both ends free is about positions: it waits for what may say that it is not.
        place = next((k for k in ready if not _is_open_licence(pending[k], scope)), None)
        if place is None:
            place = ready[0] if ready else next(iter(pending))
        yield place, pending.pop(place)


def _is_open_licence(condition: s.ConditionSyntax, scope: Terms) -> bool:
    """Whether a condition is `licensed d to h` with both ends still untyped."""
    match condition:
        case s.LinkCondition(dependent, head, True, False):
            return scope.infer(dependent) is None and scope.infer(head) is None
    return False


def _ready(condition: s.ConditionSyntax, scope: Terms) -> bool:
    free = {name.id for name in s.names_in(condition) if not scope.knows(name.id)}
    return free <= _binds(condition, scope)


def _binds(condition: s.ConditionSyntax, scope: Terms) -> set[str]:
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
        case s.ComparisonSyntax((left, right), ("==",)):
            if scope.infer(left) is None:
                return _bare(left) if scope.infer(right) is not None else set()
            return _bare(right)
        case s.Membership(element, region, False):
            return _bare(element) - {name.id for name in s.names_in(region)}
    return set()


def _bare(term: s.TermSyntax) -> set[str]:
    return {term.id} if isinstance(term, s.Name | s.Star) else set()


# Variables that others determine -----------------------------------------------------------------------------


def unknowns(term: m.Condition | m.Region | m.Pattern, bound: set[str]) -> set[str]:
    """Return the variables of a term that are not bound."""
    return {name for name in m.variables(term) if name not in bound and name != "n"}


def bindable(term: m.Term, bound: set[str]) -> set[str]:
    """Return the variables that matching a value against this pattern binds."""
    match term:
        case m.Var(name) | m.Not(m.Var(name)) | m.Splice(name):
            return {name}
        case m.Linear(_, atoms):
            free = [(atom, k) for atom, k in atoms if unknowns(atom, bound)]
            single = free if len(free) == 1 else []
            return {atom.name for atom, k in single if abs(k) == 1 and isinstance(atom, m.Var)}
        case m.ListTerm(parts) | m.TupleTerm(parts) | m.Labels(parts):
            names: set[str] = set()
            for part in parts:
                names |= bindable(part, bound | names)
            return names
    return set()


def condition_binds(condition: m.Condition, bound: set[str]) -> set[str]:
    """Return the variables that a condition binds once its other variables are bound."""
    binds: Iterable[m.Term] = ()
    match condition:
        case m.Compare("==", left, right):
            if not unknowns(left, bound):
                binds = [right]
            elif not unknowns(right, bound):
                binds = [left]
        case m.Member(element, known) | m.HasFact("category", (known, element), None):
            binds = [element] if not unknowns(known, bound) else ()
        case m.HasFact("left_corner", (category, whole), None):
            binds = [x for x, other in ((category, whole), (whole, category)) if not unknowns(other, bound)]
        case m.HasFact("disjunct", (right, left, word), None):
            binds = [right, left] if not unknowns(word, bound) else ()
        case m.HasFact(_, terms, _, negated):
            binds = () if negated else terms
    return {name for term in binds for name in bindable(term, bound)}


def undetermined(
    patterns: Sequence[m.Term], conditions: Sequence[m.Condition], result: m.Pattern | None = None
) -> tuple[str, ...]:
    """Return the variables that neither the patterns nor the conditions determine, in order.

    >>> twice = m.Linear(0, ((m.Var("i"), 2),))
    >>> undetermined([twice], [])
    ('i',)
    >>> undetermined([twice, m.Var("i")], [])
    ()
    """
    bound: set[str] = set()
    before: set[str] | None = None
    while bound != before:
        before = set(bound)
        for term in patterns:
            bound |= bindable(term, bound)
        for condition in conditions:
            bound |= condition_binds(condition, bound)
    names = m.variables((*patterns, *conditions, result))
    return tuple(dict.fromkeys(name for name in names if name not in bound and name != "n"))
