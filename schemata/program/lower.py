"""Lowering: from a checked schema to a program, with a rule for every case and every choice of kinds.

Where an item form says that a column equals one of several others, its kind is split by that column:

    tree[i, j, h], 0 <= i <= j <= n, h == i or h == j
        tree(h = i) with columns i, j, 0 <= i <= j <= n
        tree(h = j) with columns i, j, 0 <= i < j <= n

So tables are smaller by a dimension, and loops along it are gone. The kinds have no item in common. Rules are written
for every choice of kinds, and those that no values fulfil, or whose consequent is one of the antecedents, are left
out. Items and step instances stay the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from schemata.grammars.relations import SIGNATURES, asked
from schemata.grouping import derivable
from schemata.kinds import D_RULES, GrammarKind
from schemata.language import model as m
from schemata.language.bounds import NotLinear
from schemata.language.substitute import fold, item_conditions, substitute
from schemata.program.facts import asks_of, conditions_of, facts_of, follows, simplified
from schemata.program.kinds import FEWER, Kinds, affine, choices_of, tests_of
from schemata.program.linear import Affine, AnyOf, Linear, Provided, Test, solved, variable
from schemata.program.matching import Equals, Related
from schemata.program.model import (
    Atom,
    ColumnShape,
    Equation,
    Final,
    Kind,
    NotLowerable,
    Program,
    Rule,
    symbols_of,
)
from schemata.program.queries import QueryContent, ask, goal_groups
from schemata.program.rewriting import form_equations, is_determined
from schemata.records import Record, replace
from schemata.structures.sentence import BETWEEN
from schemata.thresholds import REFUSALS, WAYS

T = TypeVar("T")


def refuse_inputs(schema: m.Schema) -> None:
    """Raise NotLowerable for a schema of several inputs whose lengths are not determined."""
    if schema.reads_inputs:
        message = f"schema {schema.name} reads {len(schema.inputs)} inputs: {', '.join(schema.inputs)}"
        hint = f"run, explain, why-not and profile take them as one sentence, with {BETWEEN} between"
        raise NotLowerable(message, code="several-inputs", expected=f"a b {BETWEEN} c d", hint=hint)


def lower(schema: m.Schema, outside: bool = False) -> Program:
    """Return a schema as rules over kinds: lists of bounded length as columns where all are bounded, as terms else.

    Parameters
    ----------
    schema : the checked schema.
    outside : whether runs are given items that no step derives: then rules stay whose antecedents no step derives.

    Raises
    ------
    NotLowerable : the schema has too many shapes of items or choices, or a normal form over lists without a bound.
    """
    refuse_inputs(schema)
    try:
        return _lowered(schema, Kinds(schema.forms), outside)
    except NotLowerable:
        return _lowered(schema, Kinds(schema.forms, open_lists=True), outside)


def _lowered(schema: m.Schema, kinds: Kinds, outside: bool) -> Program:
    rules: list[Rule] = []
    for number, case in enumerate(schema.cases):
        try:
            for rule in _rules(schema, kinds, number, case):
                rules.append(rule)
                if len(rules) > REFUSALS.rules:
                    raise _too_many(number)
        except NotLowerable as answer:
            raise answer.at(case) from None
    equations: dict[int, tuple[Equation, ...]] = {}
    for number, form in enumerate(schema.forms):
        if form.has_normal_form:
            equations[number] = form_equations(kinds, number)
    finals = tuple(f for clause in schema.finals for f in lowered_clauses(kinds, clause, schema.grammar))
    hypotheses = tuple(h for c in schema.hypotheses for h in lowered_clauses(kinds, c, schema.grammar))
    given = {clause.atom.kind for clause in hypotheses}
    if not outside:
        rules = _reachable(rules, given, [e for row in equations.values() for e in row])
    numbered, found = tuple(replace(rule, number=k) for k, rule in enumerate(rules)), tuple(kinds.found)
    symbols = symbols_of(numbered, found, *equations.values(), finals, hypotheses)
    program = Program(schema, found, numbered, equations, finals, symbols, hypotheses, outside)
    return with_split_kinds(program) if program.is_linear else program


def _too_many(number: int) -> NotLowerable:
    """Return the refusal of a schema that has too many rules when so many cases are read."""
    if number >= REFUSALS.rules:  # each case is a rule at least
        hint = "variables stand for positions and symbols: one step may do what many do"
        return NotLowerable.of(f"more than {REFUSALS.rules} steps", hint)
    return NotLowerable.of(f"more than {REFUSALS.rules} choices of flags, absences and lengths", FEWER)


def _rules(schema: m.Schema, kinds: Kinds, number: int, case: m.Case) -> Iterator[Rule]:
    """Yield a case's rules."""
    for given, note in choices_of(kinds, case.types, _lengths(kinds, [a.pattern for a in case.antecedents])):
        patterns = [chosen(a.pattern, given) for a in case.antecedents]
        for written in itertools.product(*(tuple(kinds.writings(p)) for p in patterns)):
            atoms = [kinds.atom(p, w) for p, w in zip(patterns, written, strict=True)]
            if any(atom is None for atom in atoms):
                continue
            antecedents = tuple(atom for atom in atoms if atom is not None)
            taken = [goal for _, _, goals in written for goal in goals]
            yield from _consequents(schema, kinds, number, case, given, antecedents, taken, note)


def _consequents(
    schema: m.Schema,
    kinds: Kinds,
    number: int,
    case: m.Case,
    given: Mapping[str, m.Term],
    antecedents: tuple[Atom, ...],
    taken: Sequence[Equals],
    note: str,
) -> Iterator[Rule]:
    """Yield the rules of a case for given antecedents: one for every outcome of the flags that it computes."""
    form = schema.form(case.consequent.form)
    conditions = Conditions(schema.grammar, kinds)
    if not all(conditions.add(condition, given) for condition in case.conditions):
        return
    contexts = tuple(a.context for a in case.antecedents)
    outside = {x for a in antecedents for term in a.terms for x in term.names}
    for links, joined in linked(case.links, given, conditions):
        for pattern, decided in flags_decided(form, chosen(case.consequent, given)):
            here = joined.copy()
            if not all(here.add(test, {}) for test in decided):
                continue
            possible = linear = True
            for condition in item_conditions(form, pattern.terms):
                try:
                    possible = possible and here.add(condition, given, linear=True)
                except NotLinear:
                    linear = False  # the kind asks it of its columns
            if not possible:
                continue
            for written in kinds.writings(pattern):
                consequent = kinds.atom(pattern, written)
                if consequent is None:
                    continue
                known = [t for a in antecedents for t in conditions_of(kinds.found, a)]
                asked = [] if linear else conditions_of(kinds.found, consequent)
                kept = simplified(known, [*here.tests, *asked])
                if kept is None:
                    continue
                groups = goal_groups(taken, written[2], here.goals, outside)
                asks = [ask(goals, {**kinds.types, **case.types}) for goals in groups]
                asks += asks_of(kinds.found, consequent)
                yield Rule(0, number, antecedents, contexts, consequent, (*kept, *asks), links, note)


def linked(
    links: Sequence[m.Built | m.Join], given: Mapping[str, m.Term], conditions: Conditions
) -> Iterator[tuple[tuple[tuple[Affine, ...], ...], Conditions]]:
    """Yield the arguments of the links that a case builds, with the conditions under which they have these values."""
    guards: list[list[tuple[m.Term, tuple[m.Term, ...]]]] = [
        [(m.Lit(True), ())]
        if isinstance(link, m.Built) or link.when is None
        else _decided(substitute(link.when, given), m.FLAG)
        for link in links
    ]
    for choice in itertools.product(*guards):
        here = conditions.copy()
        ends: list[tuple[Affine, ...] | None] = []
        for link, (holds, tests) in zip(links, choice, strict=True):
            possible = all(here.add(test, {}) for test in tests)
            if isinstance(link, m.Built):
                pairs = zip(link.terms, link.types, strict=True)
                ends.append(tuple(here.argument(term, kind, given) for term, kind in pairs))
            elif holds == m.Lit(True):
                join = chosen_condition(replace(link, when=None), given)
                ends.append(here.join(join) if possible else None)
            else:
                ends.append((Affine(-1), Affine(-1)) if possible else None)
        possible_ends = tuple(pair for pair in ends if pair is not None)
        if len(possible_ends) == len(ends):
            yield possible_ends, here


@dataclass(slots=True)
class Conditions:
    """The conditions of a rule: tests of linear terms and of licences, and goals that become queries."""

    grammar: GrammarKind
    kinds: Kinds
    tests: list[Test] = field(default_factory=list)
    goals: list[QueryContent] = field(default_factory=list)
    labels: dict[m.Term, str] = field(default_factory=dict)  # variables that equal the labels at dots

    def copy(self) -> Conditions:
        """Return the same conditions, to add others to."""
        return Conditions(self.grammar, self.kinds, list(self.tests), list(self.goals), dict(self.labels))

    def join(self, join: m.Join) -> tuple[Affine, Affine] | None:
        """Add the link between two connectors, and return the variables of their numbers; None if they are not
        linked.
        """
        possible = self.add(m.Compare("<", join.left, join.right), {})
        codes: list[Affine] = []
        for position, label, is_right in (
            (join.left, join.by.left, True),
            (join.right, join.by.right, False),
        ):
            code, reach = self.kinds.fresh(), self.kinds.fresh()
            side = "right_connector" if is_right else "left_connector"
            self.goals.append(Related(side, (position, self.label(label), code, reach)))
            self.tests.append(Linear(">=", affine(join.left) + affine(reach) - affine(join.right)))
            codes.append(affine(code))
        return (codes[0], codes[1]) if possible else None

    def argument(self, term: m.Term, kind: m.Type, given: Mapping[str, m.Term]) -> Affine:
        """Return an argument as a linear term; one that is not linear, such as the length of a list, becomes a
        query.
        """
        chosen_term = fold(substitute(term, given))
        if isinstance(chosen_term, m.Lit) and isinstance(chosen_term.value, bool):
            return Affine(int(chosen_term.value))
        try:
            return affine(chosen_term)
        except NotLinear:
            value = self.kinds.fresh(kind)
            self.goals.append(Equals(value.name, chosen_term, kind))
            return affine(value)

    def label(self, term: m.Term) -> m.Term:
        """Return a label as a variable."""
        if isinstance(term, m.Var):
            return term
        if term not in self.labels:
            self.labels[term] = self.kinds.fresh(m.LABEL).name
            self.goals.append(Equals(self.labels[term], term, m.LABEL))
        return m.Var(self.labels[term])

    def match(self, match: m.Matches) -> None:
        """Add the condition that two labels match: that their tokens do."""
        tokens = self.kinds.fresh(m.LABEL), self.kinds.fresh(m.LABEL)
        for term, token in zip((match.left, match.right), tokens, strict=True):
            self.goals.append(Related("token", (self.label(term), token)))
        self.goals.append(Related("match", tokens, match))

    def add(self, condition: m.Condition, given: Mapping[str, m.Term], linear: bool = False) -> bool:
        """Add a condition under a choice; returns whether it may hold.

        Raises
        ------
        NotLinear : the condition has no linear form, and `linear` asks for one.
        """
        if isinstance(condition, m.HasFact):
            of_grammar = self.grammar == D_RULES and asked(condition)[0] in SIGNATURES
            test = self._licence(condition, given) if of_grammar else None
            if test is None:
                self.goals.append(chosen_condition(condition, given))
            else:
                self.tests.append(test)
            return True
        term = fold(substitute(condition, given))
        if isinstance(term, m.Matches):
            self.match(term)
            return True
        try:
            more = tests_of(term)
        except NotLinear:
            if linear:
                raise
            self.goals.append(term)
            return True
        self.tests += more or ()
        return more is not None

    def _licence(self, condition: m.HasFact, given: Mapping[str, m.Term]) -> Test | None:
        """Return a condition on D-rules as a test, None if its terms are not linear."""
        relation, terms = asked(condition)
        try:
            return Provided(relation, tuple(affine(substitute(term, given)) for term in terms))
        except NotLinear:
            return None


def chosen_condition(node: Any, given: Mapping[str, m.Term]) -> Any:
    """Return a condition or a join with a choice made."""
    parts = (x if x is None or isinstance(x, str) else substitute(x, given) for x in m.parts(node))
    return type(node)(*parts) if given else node


def _reachable(rules: list[Rule], given: set[int], equations: list[Equation]) -> list[Rule]:
    """Return the rules whose antecedents are of kinds that hypotheses or other rules may give."""
    kinds = [([a.kind for a in rule.antecedents], rule.consequent.kind) for rule in rules]
    kinds += [([e.left.kind], e.right.kind) for e in equations]
    kinds += [([e.right.kind], e.left.kind) for e in equations]
    found = derivable(given, kinds)
    return [rule for rule in rules if found.issuperset(a.kind for a in rule.antecedents)]


def chosen(pattern: m.Pattern, given: Mapping[str, m.Term]) -> m.Pattern:
    """Return a pattern with a choice made."""
    return m.Pattern(pattern.form, tuple(fold(substitute(t, given)) for t in pattern.terms))


def _lengths(kinds: Kinds, patterns: Iterable[m.Pattern]) -> dict[str, int]:
    """Return the greatest length of every list variable that the item form of a pattern bounds."""
    most: dict[str, int] = {}

    def note(name: str, bound: int) -> None:
        most[name] = min(bound, most.get(name, bound))

    for pattern in patterns:
        for term, bound in zip(pattern.terms, kinds.bounds(kinds.form(pattern.form)), strict=True):
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


def flags_decided(form: m.Form, pattern: m.Pattern) -> Iterator[tuple[m.Pattern, tuple[m.Term, ...]]]:
    """Yield a consequent with its computed flags decided, with the conditions under which they are so."""
    for terms, conditions in _all_decided(pattern.terms, [f.type for f in form.fields]):
        yield m.Pattern(pattern.form, terms), conditions


def _all_decided(
    terms: Sequence[m.Term], kinds: Sequence[m.Type]
) -> Iterator[tuple[tuple[m.Term, ...], tuple[m.Term, ...]]]:
    choices = [_decided(term, kind) for term, kind in zip(terms, kinds, strict=True)]
    for choice in itertools.product(*choices):
        yield tuple(t for t, _ in choice), tuple(x for _, tests in choice for x in tests)


def _decided(term: m.Term, kind: m.Type) -> list[tuple[m.Term, tuple[m.Term, ...]]]:
    """Return a term with the flags in it decided in every way, each with the conditions under which they are so."""
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
            return [(m.Lit(True), (folded,)), (m.Lit(False), (fold(m.Not(folded)),))]
    return [(term, ())]


def lowered_clauses(kinds: Kinds, clause: m.Clause, grammar: GrammarKind) -> Iterator[Final]:
    """Yield the lowered forms of a final item or a hypothesis, one for every choice of kinds."""
    for given, _ in choices_of(kinds, clause.types, _lengths(kinds, [clause.pattern])):
        pattern = chosen(clause.pattern, given)
        conditions = Conditions(grammar, kinds)
        if not all(conditions.add(condition, given) for condition in clause.conditions):
            continue
        for written in kinds.writings(pattern):
            atom = kinds.atom(pattern, written)
            if atom is not None:
                outside = {x for term in atom.terms for x in term.names}
                groups = goal_groups(written[2], (), conditions.goals, outside)
                asks = tuple(ask(goals, {**kinds.types, **clause.types}) for goals in groups)
                tests = tuple(t for t in conditions.tests if isinstance(t, Linear | AnyOf))
                if not is_determined(atom, tests):
                    tests = ()  # what is not read off the item is searched for, as by queries
                asked = tuple(t for t in conditions.tests if t not in tests)
                yield Final(atom, tests, (*asked, *asks))


# Kinds split by a column -----------------------------------------------------------------------------------------


class _DroppedColumn(Record):
    """A kind, the number of the column that is dropped from it, and that of the column that equals it, if any."""

    kind: Kind
    dropped: int | None = None
    same: int = 0

    def atom(self, atom: Atom) -> tuple[Atom, list[Affine]]:
        """Return an item of the whole kind as one of this kind, with the term that is 0 if it is one."""
        if self.dropped is None:
            return Atom(self.kind.number, atom.terms), []
        equal = atom.terms[self.dropped] - atom.terms[self.same]
        return Atom(self.kind.number, _without(atom.terms, self.dropped)), [equal]


Parts = Sequence[Sequence[_DroppedColumn]]  # by number of the whole kind


def with_split_kinds(program: Program) -> Program:
    """Return a program in which no kind has a column that always equals one of two to four others."""
    parts: list[list[_DroppedColumn]] = []
    kinds: list[Kind] = []
    for kind in program.kinds:
        found = [] if program.equations.get(kind.form) else list(_parts(kind))
        found = found if len(found) > 1 else [_DroppedColumn(kind)]
        parts.append([replace(p, kind=replace(p.kind, number=k)) for k, p in enumerate(found, len(kinds))])
        kinds += [part.kind for part in parts[-1]]
    if len(kinds) == len(program.kinds):
        return program

    def renumbered(atom: Atom) -> Atom:
        return parts[atom.kind][0].atom(atom)[0]

    rules = [rule for whole in program.rules for rule in _split_rules(kinds, parts, whole)]
    return replace(
        program,
        kinds=tuple(kinds),
        rules=tuple(replace(rule, number=k) for k, rule in enumerate(rules)),
        equations={
            form: tuple(replace(e, left=renumbered(e.left), right=renumbered(e.right)) for e in row)
            for form, row in program.equations.items()
        },
        finals=tuple(f for whole in program.finals for f in _clauses(kinds, parts, whole)),
        hypotheses=tuple(h for whole in program.hypotheses for h in _clauses(kinds, parts, whole)),
    )


def _parts(kind: Kind) -> Iterator[_DroppedColumn]:
    """Yield the parts of a kind whose last column always equals one of several others, one part for each of these."""
    columns = kind.columns
    for condition in kind.conditions:
        if not isinstance(condition, AnyOf) or not 2 <= len(condition.options) <= WAYS.split_kinds:
            continue
        for dropped in reversed(range(len(columns))):
            others = [_equal(kind, option, dropped) for option in condition.options]
            if None not in others and columns[dropped].sort == "position":
                break
        else:
            continue
        same = [other for other in dict.fromkeys(others) if other is not None]
        for k, other in enumerate(same):
            given = {columns[dropped].name: variable(columns[other].name)}
            tests = [test.substitute(given) for test in kind.conditions if test is not condition]
            earlier = [variable(columns[o].name) - variable(columns[other].name) for o in same[:k]]
            kept = simplified([], [*tests, *(_unequal(tests, left) for left in earlier)])
            if kept is None:
                continue
            conditions = tuple(test for test in kept if isinstance(test, Linear | AnyOf))
            note = f"{columns[dropped].name} = {columns[other].name}"
            shown = f"{kind.name[:-1]}, {note})" if kind.name.endswith(")") else f"{kind.name}({note})"
            shapes = m.rewrite(kind.shapes, partial(_moved, dropped, other))
            part = Kind(kind.number, kind.form, shown, shapes, _without(columns, dropped), conditions)
            yield _DroppedColumn(part, dropped, other)
        return


def _equal(kind: Kind, option: Sequence[Linear], column: int) -> int | None:
    """Return the column that a column equals if an option is this one equation; else None."""
    if len(option) != 1 or option[0].relation != "==":
        return None
    left = option[0].left
    own = variable(kind.columns[column].name)
    for k, other in enumerate(kind.columns):
        if k != column and left in (own - variable(other.name), variable(other.name) - own):
            return k
    return None


def _unequal(known: Sequence[Test], left: Affine) -> Linear:
    """Return the test that a term is not 0: that it is above 0, or below 0, if its sign is determined."""
    facts = facts_of(known)
    for side in (left, -left):
        if follows(facts, side):
            return Linear(">=", side - 1)
    return Linear("!=", left)


def _moved(dropped: int, same: int, node: object) -> ColumnShape | None:
    """Return a column renumbered after one is dropped; the dropped column is replaced by the column `same`."""
    if not isinstance(node, ColumnShape):
        return None
    column = same if node.column == dropped else node.column
    return ColumnShape(column - (column > dropped))


def _without(row: Sequence[T], dropped: int) -> tuple[T, ...]:
    return (*row[:dropped], *row[dropped + 1 :])


def _choices(
    parts: Parts, atoms: Sequence[Atom], names: Sequence[str]
) -> Iterator[tuple[list[Atom], Mapping[str, Affine], list[Linear]]]:
    """Yield items as items of split kinds in every way: with the values this gives to variables, and further
    demands.
    """
    for choice in itertools.product(*(parts[atom.kind] for atom in atoms)):
        found = [part.atom(atom) for part, atom in zip(choice, atoms, strict=True)]
        given, rest = solved([term for _, equal in found for term in equal], names)
        if all(left.terms or not left.constant for left in rest):
            tests = [Linear("==", left) for left in rest if left.terms]
            yield [atom.substitute(given) for atom, _ in found], given, tests


def _split_rules(kinds: Sequence[Kind], parts: Parts, whole: Rule) -> Iterator[Rule]:
    atoms = [*whole.antecedents, whole.consequent]
    for (*antecedents, consequent), given, equal in _choices(parts, atoms, whole.variables):
        known = [test for atom in antecedents for test in conditions_of(kinds, atom)]
        tests = [*(test.substitute(given) for test in whole.tests), *equal]
        kept = simplified(known, [*tests, *conditions_of(kinds, consequent)])
        if kept is not None and consequent not in antecedents:
            links = tuple(tuple(term.substitute(given) for term in link) for link in whole.links)
            above = tuple(antecedents)
            yield replace(whole, antecedents=above, consequent=consequent, tests=kept, links=links)


def _clauses(kinds: Sequence[Kind], parts: Parts, whole: Final) -> Iterator[Final]:
    some = Linear(">=", variable("n") - 1)
    names = [x for term in whole.atom.terms for x in term.variables]
    for (atom,), given, equal in _choices(parts, [whole.atom], names):
        tests = (*(test.substitute(given) for test in whole.tests), *equal)
        if simplified([some, *conditions_of(kinds, atom)], tests) is not None:
            yield Final(atom, tests, tuple(test.substitute(given) for test in whole.asks))
