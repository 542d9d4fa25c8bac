"""Schemata for word graphs: positions are the words of a graph, and position i + 1 is a successor of i.

A schema reads its input through the order of positions, through i + 1 and i - 1, and through the ends 0 and n. On a
word graph the positions 1 .. N are its words, numbered so that a word stands after all that it follows, 0 is before the
first words and N + 1 is after the last ones. Where a rule has i + 1, a variable stands for a word that follows i; in
place of n, a word that may be the last. The relation between the two is `NEXT_WORD`, which the graph provides.

*When this is right.* A run on the graph derives the same as runs on the sentences of all its paths together if

1. positions are compared by their order alone, so that a rule about words of one path holds in any numbering
   that keeps the order; a sum such as i + 1 stands only where two parts adjoin;
2. the items of every rule adjoin as `stretches` says, so that each is derived from words of one path;
3. an item that is looked at (`given`) only predicts (`stretches.predictions`).

So every derivation of a final item is one of the sentence of a path, and these are all derived since a path keeps order
and adjacency. Schemata that do not meet the conditions are refused, with the rule that does not.

*Items that may be empty* begin at a word that is not known yet, since each path goes on with another word. So if an
item may end before it begins, or predicts the words after its first word, its first field has the word *before* its
first word instead (`_before_first`): i stands for the old i - 1, and an empty item is at one word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from schemata.errors import Diagnostic, UsageError
from schemata.kinds import CONSTITUENT_TREE, DEPENDENCY_TREE, LINKAGE
from schemata.language import model as m
from schemata.language.stretches import END, Unreadable, after, asks_next, check_all, extents
from schemata.language.substitute import linear_form, substitute, sum_of
from schemata.language.typeset import condition_text
from schemata.records import replace

_Rule = TypeVar("_Rule", m.Case, m.Clause)
_ORDERED = ("<=", "<")
_AXIOM = "hypothesis"
NO_WORD_GRAPH = "no-word-graph"
"""The code of messages that the paths of a graph cannot be run at once."""


def on_word_graphs(schema: m.Schema) -> m.Schema:
    """Return a schema as it reads word graphs.

    Raises
    ------
    UsageError : it does not meet the conditions under which positions may be words of a graph; all are named.
    """
    problems: list[Diagnostic] = []
    if schema.inputs:
        raise UsageError([refusal(schema, "it reads several inputs")])
    if schema.structure not in (DEPENDENCY_TREE, CONSTITUENT_TREE, LINKAGE):
        raise UsageError([refusal(schema, f"a {schema.structure} does not say over which path it is")])
    schema = _before_first(schema)
    try:
        known = {form.name: extents(form) for form in schema.forms}
        for form in schema.forms:
            for counting in (found for x in form.where if (found := _counting(x)) is not None):
                text = condition_text(counting, ascii=True)
                raise Unreadable(f"items {form.name} may be empty, or count words: {text}")
    except Unreadable as why:
        raise UsageError([refusal(schema, str(why))]) from None

    def read(rules: Iterable[_Rule], one: Callable[[_Rule], _Rule]) -> tuple[_Rule, ...]:
        found: list[_Rule] = []
        for rule in rules:
            try:
                found.append(one(rule))
            except Unreadable as why:
                name = f"step {rule.step}" if isinstance(rule, m.Case) else f"item {rule.pattern.form}"
                problems.append(refusal(schema, f"{name}: {why}"))
        return tuple(found)

    cases = read(schema.cases, lambda case: _Reading(case).case(case))
    finals = read(schema.finals, lambda clause: _Reading(clause).clause(clause))
    hypotheses = read(schema.hypotheses, lambda clause: _Reading(clause).clause(clause))
    problems += [refusal(schema, why) for why in check_all(known, cases, finals, hypotheses)]
    if problems:
        raise UsageError(problems)
    derived = {case.consequent.form for case in cases}
    axioms = [x for x in hypotheses if x.pattern.form in derived and any(map(asks_next, x.conditions))]
    return replace(
        schema,
        cases=(*cases, *map(_axiom, axioms)),
        hypotheses=tuple(x for x in hypotheses if x not in axioms),
        finals=finals,
        step_names=(*schema.step_names, *[_AXIOM for _ in axioms[:1]]),
    )


def _axiom(clause: m.Clause) -> m.Case:
    """Return a hypothesis about words that adjoin as a step: the same words may be the ends of a derived item.

    After the last word of one path may come another one of another path, and a hypothesis is never derived.
    """
    return m.Case(
        _AXIOM, None, (), clause.pattern, clause.conditions, (), (), None, clause.types, clause.span
    )


def refusal(schema: m.Schema, why: str) -> Diagnostic:
    """Return the message that a schema, or a run of it, does not read word graphs, with the reason."""
    return Diagnostic(
        NO_WORD_GRAPH,
        f"{schema.name} cannot be run on a word graph: {why}",
        expected="positions that are compared by order, and parts that adjoin in a row",
        hint="run it on the paths one by one: schemata run --lattice does, in Python schemata.run_paths",
    )


def require_weighable(schema: m.Schema) -> None:
    """Check that every derivation asks for each pair of neighbours on its path once, as the weights of words require.

    Within a path every derivation does: see the module. Final items that do not begin at 0 or end at n + 1 ask for the
    first and the last word. A step that asks for them, too, would count their weight once more.

    Raises
    ------
    UsageError : a step asks for the first or the last word.
    """
    for case in schema.cases:
        items = (case.consequent, *(a.pattern for a in case.antecedents if not a.context))
        row = {x for pattern in items for x in _terms_of(schema, pattern)}
        asked = [c.terms for c in case.conditions if isinstance(c, m.HasFact) and c.relation == m.NEXT_WORD]
        if any(m.Lit(0) == one or other == END for one, other in asked if not row.issuperset((one, other))):
            why = f"step {case.step} asks for the first or last word, weighed twice"
            raise UsageError([refusal(schema, why)])


def _before_first(schema: m.Schema) -> m.Schema:
    """Return a schema in which items that may be empty, or are predicted, have the word before their first word."""
    predicts = any(antecedent.context for case in schema.cases for antecedent in case.antecedents)
    moved = {form.name: k for form in schema.forms if (k := _first_word(schema, form, predicts)) is not None}
    if not moved:
        return schema

    def form(one: m.Form) -> m.Form:
        if one.name not in moved:
            return one
        name = one.fields[moved[one.name]].name
        return replace(one, where=tuple(substitute(c, {name: _next(m.Var(name))}) for c in one.where))

    def pattern(one: m.Pattern, later: Mapping[str, m.Term]) -> m.Pattern:
        terms = [substitute(term, later) for term in one.terms]
        if one.form in moved and terms[moved[one.form]] != m.Any():
            terms[moved[one.form]] = sum_of(-1, [(terms[moved[one.form]], 1)])
        return replace(one, terms=tuple(terms))

    def condition(one: m.Condition, later: Mapping[str, m.Term]) -> m.Condition:
        if isinstance(one, m.HasFact):
            return replace(one, terms=tuple(substitute(term, later) for term in one.terms))
        match substitute(one, later):
            case m.Member(m.Linear(more, ((m.Var(name), 1),)), m.Interval(low, high)):
                ends = (sum_of(-more, [(end, 1)]) for end in (low, high))
                return m.Member(m.Var(name), m.Interval(*ends))
            case found:
                return found

    def clause(one: m.Clause) -> m.Clause:
        later = _later([one.pattern], one.conditions, (), moved)
        conditions = tuple(condition(c, later) for c in one.conditions)
        return replace(one, pattern=pattern(one.pattern, later), conditions=conditions)

    def case(one: m.Case) -> m.Case:
        items = [one.consequent, *(a.pattern for a in one.antecedents)]
        later = _later(items, one.conditions, (one.links, one.head, one.weight), moved)
        return replace(
            one,
            antecedents=tuple(replace(a, pattern=pattern(a.pattern, later)) for a in one.antecedents),
            consequent=pattern(one.consequent, later),
            conditions=tuple(condition(c, later) for c in one.conditions),
        )

    return replace(
        schema,
        forms=tuple(map(form, schema.forms)),
        cases=tuple(map(case, schema.cases)),
        finals=tuple(map(clause, schema.finals)),
        hypotheses=tuple(map(clause, schema.hypotheses)),
    )


def _first_word(schema: m.Schema, form: m.Form, predicts: bool) -> int | None:
    """Return the field of an item's first word, 1 in a final item, where the word before it should stand there."""
    if form.has_normal_form or not (predicts or any(map(_counting, form.where))):
        return None
    for place, field in enumerate(form.fields):
        of_final = [
            clause.pattern.terms[place] for clause in schema.finals if clause.pattern.form == form.name
        ]
        if field.type == m.POSITION and m.Lit(1) in of_final:
            after = {field.name: _next(m.Var(field.name))}
            return None if any(_counting(substitute(c, after)) for c in form.where) else place
    return None


def _later(
    items: Sequence[m.Pattern], conditions: Sequence[m.Condition], others: object, moved: Mapping[str, int]
) -> dict[str, m.Term]:
    """Return, for each variable that is only a first word in a rule, the term for its next word: it will be the word
    before.
    """
    alone, elsewhere = set[str](), {"n", *m.variables(others)}
    for item in items:
        for place, term in enumerate(item.terms):
            if isinstance(term, m.Var):
                (alone if moved.get(item.form) == place else elsewhere).add(term.name)
    elsewhere.update(m.variables(tuple(c for c in conditions if isinstance(c, m.HasFact))))
    return {name: _next(m.Var(name)) for name in alone - elsewhere}


def _next(term: m.Term) -> m.Term:
    return sum_of(1, [(term, 1)])


def _terms_of(schema: m.Schema, pattern: m.Pattern) -> Iterable[m.Term]:
    fields = schema.form(pattern.form).fields
    return (term for term, field in zip(pattern.terms, fields, strict=True) if field.type.kind == "position")


# Positions ----------------------------------------------------------------------------------------------------------


class _Reading:
    """Replaces the sums in a rule by new variables, with conditions on the words that they follow or precede."""

    def __init__(self, rule: m.Case | m.Clause) -> None:
        self._types = dict(rule.types)
        self._names: dict[tuple[str, int], str] = {}
        self._items: set[m.Term] = set()
        self.types: dict[str, m.Type] = dict(rule.types)
        self.asked: list[m.HasFact] = []
        patterns = [a.pattern for a in rule.antecedents] if isinstance(rule, m.Case) else [rule.pattern]
        for pattern in patterns:  # what antecedents have may be asked about anywhere in the rule
            for term in pattern.terms:
                self._term(term, new=True)

    def case(self, case: m.Case) -> m.Case:
        """Return a step as it reads word graphs."""
        if case.weight is not None:
            free = [x for x in m.nodes(case.weight) if isinstance(x, m.Var)]
            scored = [y for x in m.nodes(case.weight) if isinstance(x, m.Arithmetic) and x.operation == "score"
                      for y in m.nodes(x) if isinstance(y, m.Var)]  # fmt: skip
            if len(free) > len(scored):
                raise Unreadable("its weight depends on positions")
        antecedents = tuple(replace(a, pattern=self._pattern(a.pattern)) for a in case.antecedents)
        consequent = self._pattern(case.consequent)
        self._items = {x for item in (consequent, *(a.pattern for a in antecedents)) for x in item.terms}
        links = tuple(self._built(built) for built in case.links)
        conditions = tuple(self._condition(c) for c in case.conditions)
        head = None if case.head is None else self._term(case.head, new=True)
        return replace(
            case,
            antecedents=antecedents,
            consequent=consequent,
            links=links,
            conditions=(*conditions, *self.asked),
            head=head,
            types=self.types,
        )

    def clause(self, clause: m.Clause) -> m.Clause:
        """Return a final item as it reads word graphs."""
        pattern = self._pattern(clause.pattern)
        conditions = tuple(self._condition(c) for c in clause.conditions)
        return replace(clause, pattern=pattern, conditions=(*conditions, *self.asked), types=self.types)

    def _pattern(self, pattern: m.Pattern) -> m.Pattern:
        return replace(pattern, terms=tuple(self._term(term, new=True) for term in pattern.terms))

    def _built(self, built: m.AnyAtom) -> m.AnyAtom:
        if isinstance(built, m.Join):
            when = None if built.when is None else self._test(built.when)
            return replace(built, left=self._term(built.left), right=self._term(built.right), when=when)
        if (
            built.name == "bracket"
        ):  # which word follows that after which it begins, the path says: `forest.paths`
            kept = [
                k % 2 == 1 and self._begins(term, built.terms[k + 1 :]) for k, term in enumerate(built.terms)
            ]
            terms = (
                x if stays else self._term(x, new=True) for x, stays in zip(built.terms, kept, strict=True)
            )
            return replace(built, terms=tuple(terms))
        return replace(built, terms=tuple(self._term(term, new=True) for term in built.terms))

    def _begins(self, term: m.Term, rest: Sequence[m.Term]) -> bool:
        """Whether a term is the place after a word of an item, and not a word that stands there too."""
        before = after(term)
        name = before.name if isinstance(before, m.Var) else "0"
        return before in self._items and (name, 1) not in self._names and term not in rest[:1]

    def _condition(self, condition: m.Condition) -> m.Condition:
        if isinstance(condition, m.HasFact):
            return replace(condition, terms=tuple(self._term(term, new=True) for term in condition.terms))
        return self._test(condition)

    def _term(self, term: m.Term, *, new: bool = False) -> m.Term:
        """Return a term with words in place of sums; `new` says whether a word that stands nowhere else is allowed."""
        match term:
            case m.Lit(bool()) | m.Lit(str()) | m.Lit(None):
                return term
            case m.Lit(1):
                return self._word("0", 1, m.Lit(0), new)
            case m.Lit(int() as number) if number:
                raise Unreadable(f"{number} is neither the beginning nor the first word")
            case m.Var("n"):
                return self._word("n + 1", -1, END, new)
            case m.Linear(1, ((m.Var("n"), 1),)):
                return term
            case m.Linear(1 | -1 as step, ((m.Var(name), 1),)) if name != "n" and self._is_position(name):
                return self._word(name, step, m.Var(name), new)
            case m.Linear() | m.Positions() | m.Length():
                raise Unreadable(f"{condition_text(term, ascii=True)} is more than a word and its neighbour")
            case m.Compare() | m.Junction() | m.Not() | m.Member():
                return self._test(term)
            case m.ListTerm(elements):
                return m.ListTerm(tuple(self._term(x, new=new) for x in elements))
            case m.TupleTerm(terms):
                return m.TupleTerm(tuple(self._term(x, new=new) for x in terms))
        return term

    def _is_position(self, name: str) -> bool:
        kind = self._types.get(name, m.POSITION)
        return kind.kind == "position"

    def _word(self, name: str, step: int, base: m.Term, new: bool) -> m.Term:
        """Return the variable of a word that follows or is followed by another one."""
        known = self._names.get((name, step))
        if known is None:
            if not new:
                side = "next to" if name in ("0", "n + 1") else "after" if step > 0 else "before"
                raise Unreadable(
                    f"whether a word stands right {side} {name} is asked, but no part adjoins it"
                )
            plain = "end" if base == END else name
            known = f"{'after' if step > 0 else 'before'}_{plain}"
            while known in self.types:
                known += "_"
            self._names[name, step] = known
            self.types[known] = m.POSITION
            ends = (base, m.Var(known)) if step > 0 else (m.Var(known), base)
            self.asked.append(m.HasFact(m.NEXT_WORD, ends, ("word", "word")))
        return m.Var(known)

    def _test(self, test: m.Term) -> m.Term:
        """Return a condition that compares positions by their order."""
        match test:
            case m.Junction(word, operands):
                return m.Junction(word, tuple(map(self._test, operands)))
            case m.Not(operand):
                return m.Not(self._test(operand))
            case m.Compare(relation, left, right):
                if not self._has_positions(test):
                    return test
                if relation in _ORDERED:
                    if _is_order(test) or self._before_the_last(left, relation, right):
                        return test
                    text = condition_text(test, ascii=True)
                    raise Unreadable(f"{text} counts words, and paths may have more or fewer of them")
                return m.Compare(relation, self._term(left), self._term(right))
            case m.Member(element, m.Interval(low, high)):
                lower = _is_order(m.Compare("<=", low, element))
                upper = m.Compare("<=", element, high)
                if not (lower and (_is_order(upper) or self._before_the_last(element, "<=", high))):
                    raise Unreadable(f"{condition_text(test, ascii=True)} counts words")
                return test
            case m.Member() | m.AllWithin() | m.InOrder() | m.Path():
                raise Unreadable(f"{condition_text(test, ascii=True)} is about lists of positions")
        return test

    def _before_the_last(self, left: m.Term, relation: str, right: m.Term) -> bool:
        """Whether a test excludes the last word, and the rule requires the one after it."""
        last = m.Var("n") if relation == "<" else m.Linear(-1, ((m.Var("n"), 1),))
        return right == last and isinstance(left, m.Var) and (left.name, 1) in self._names

    def _has_positions(self, term: m.Term) -> bool:
        return any(name == "n" or self._is_position(name) for name in m.variables(term))


def _is_order(test: m.Term) -> bool:
    """Whether a comparison states only the order of positions, or that they lie between the ends."""
    assert isinstance(test, m.Compare)
    left, right = linear_form(test.left), linear_form(test.right)
    if left is None or right is None:
        return False
    atoms = dict.fromkeys(m.variables((test.left, test.right)), 0)
    for sign, (_, parts) in ((1, left), (-1, right)):
        for atom, k in parts:
            if not isinstance(atom, m.Var):
                return False
            atoms[atom.name] += sign * k
    used = {name: k for name, k in atoms.items() if k}
    least = left[0] - right[0] + (test.relation == "<")  # the sum of the atoms and this is at most 0
    lower = [name for name, k in used.items() if k == 1]
    upper = [name for name, k in used.items() if k == -1]
    if len(lower) + len(upper) != len(used) or len(lower) > 1 or len(upper) > 1:
        return False
    if not lower and upper:  # a position is at least 0, or a word
        return upper == ["n"] or least in (0, 1)
    if lower and not upper:
        return False
    if not used:
        return True
    if upper == ["n"]:  # at most n, or n + 1
        return least in (0, -1)
    return lower != ["n"] and least in (0, 1)


def _counting(condition: m.Term) -> m.Term | None:
    """Return the comparison of positions by more than their order in a condition; None if there is none."""
    match condition:
        case m.Junction(_, operands):
            return next((found for x in operands if (found := _counting(x)) is not None), None)
        case m.Not(operand):
            return _counting(operand)
        case m.Compare("<=" | "<") if not _is_order(condition):
            return condition
    return None
