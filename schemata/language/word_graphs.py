"""Schemata for word graphs: positions are the words of a graph, and position i + 1 is a successor of i.

A schema reads its input through the order of positions, through i + 1 and i - 1, and through the ends 0 and n. On a
word graph the positions 1 .. N are its words, numbered so that a word stands after all that it follows, 0 is before
the first words and N + 1 is after the last ones. Where a rule has i + 1, a variable stands for a word that follows i;
in place of n, a word that may be the last. The relation that says so is `NEXT_WORD`, which the graph provides.

*When this is right.* A run on the graph derives the same as runs on the sentences of all its paths together if

1. positions are compared by their order alone, so that a rule about words of one path holds in any numbering
   that keeps the order; a sum such as i + 1 stands only where two parts adjoin;
2. in every rule the parts above the line adjoin in a row, each beginning where the one before ends (at the same word
   or at the next), and the consequent reaches from the beginning of the first to the end of the last, with all its
   positions among theirs; what no part covers is one word, or two that adjoin;
3. a final item reaches from the first word (or 0) to the last (or n + 1).

By induction, an item is then derived from the words of one path from its first to its last position: so every
derivation of a final item is one of the sentence of a path, and these are all derived since a path keeps order and
adjacency. Schemata that do not meet the conditions are refused, with the rule that does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, permutations
from typing import NamedTuple, TypeAlias, TypeVar

from schemata.errors import Diagnostic, UsageError
from schemata.kinds import CONSTITUENT_TREE, DEPENDENCY_TREE, LINKAGE
from schemata.language import model as m
from schemata.language.bounds import stated
from schemata.language.substitute import linear_form
from schemata.language.typeset import condition_text
from schemata.records import replace

_Rule = TypeVar("_Rule", m.Case, m.Clause)
ItemEnds: TypeAlias = Mapping[str, "tuple[int, int, tuple[int, ...]] | None"]
"""By the name of an item form the fields of the first and the last position, and of all; None where there is none."""

_MOST_PARTS = 5
_END = m.Linear(1, ((m.Var("n"), 1),))
_ORDERED = ("<=", "<")


class _Unreadable(Exception):  # noqa: N818 - a reason, which becomes a finding
    """Why a rule cannot be read on a word graph."""


class _Stretch(NamedTuple):
    """Where an item begins and where it ends, and all of its positions."""

    first: m.Term
    last: m.Term
    all: tuple[m.Term, ...]


def on_word_graphs(schema: m.Schema) -> m.Schema:
    """Return a schema as it reads word graphs.

    Raises
    ------
    UsageError : it does not meet the conditions under which positions may be words of a graph; all are named.
    """
    problems: list[Diagnostic] = []
    if schema.inputs:
        raise UsageError([_refusal(schema, "it reads several inputs")])
    if schema.structure not in (DEPENDENCY_TREE, CONSTITUENT_TREE, LINKAGE):
        raise UsageError([_refusal(schema, f"a {schema.structure} does not say over which path it is")])
    try:
        ends = {form.name: _ends(form) for form in schema.forms}
    except _Unreadable as why:
        raise UsageError([_refusal(schema, str(why))]) from None

    def read(rules: Iterable[_Rule], one: Callable[[_Rule, ItemEnds], _Rule]) -> tuple[_Rule, ...]:
        found: list[_Rule] = []
        for rule in rules:
            try:
                found.append(one(rule, ends))
            except _Unreadable as why:
                name = f"step {rule.step}" if isinstance(rule, m.Case) else f"item {rule.pattern.form}"
                problems.append(_refusal(schema, f"{name}: {why}"))
        return tuple(found)

    cases, finals = read(schema.cases, _step), read(schema.finals, _final)
    hypotheses = read(schema.hypotheses, _hypothesis)
    if problems:
        raise UsageError(problems)
    return replace(schema, cases=cases, hypotheses=hypotheses, finals=finals)


def _hypothesis(clause: m.Clause, ends: ItemEnds) -> m.Clause:
    """Return a hypothesis as it reads word graphs: of one word, or two that adjoin."""
    found = _Reading(clause).clause(clause)
    _check_adjoining(found.conditions, [], _stretch(found.pattern, ends))
    return found


def _refusal(schema: m.Schema, why: str) -> Diagnostic:
    return Diagnostic(
        "no-word-graph",
        f"{schema.name} cannot be run on a word graph: {why}",
        expected="positions that are compared by order, and parts that adjoin in a row",
        hint="run it on the sentence of each path",
    )


def require_weighable(schema: m.Schema) -> None:
    """Check that every derivation asks for each pair of neighbours on its path once, as the weights of words require.

    Within a path it does: see the module. The first and the last word are asked for by final items, where these do not
    begin at 0 or end at n + 1; a step that asks whether a word is one of them would count its weight once more.

    Raises
    ------
    UsageError : a step asks for the first or the last word.
    """
    for case in schema.cases:
        row = {x for a in case.antecedents for x in _terms_of(schema, a.pattern)}
        asked = [c.terms for c in case.conditions if isinstance(c, m.HasFact) and c.relation == m.NEXT_WORD]
        if any(_is_end((one, other)) and not row.issuperset((one, other)) for one, other in asked):
            why = f"step {case.step} asks for the first or last word, weighed twice"
            raise UsageError([_refusal(schema, why)])


def _terms_of(schema: m.Schema, pattern: m.Pattern) -> Iterable[m.Term]:
    fields = schema.form(pattern.form).fields
    return (term for term, field in zip(pattern.terms, fields, strict=True) if field.type.kind == "position")


# Positions ----------------------------------------------------------------------------------------------------------


class _Reading:
    """Gives the sums of a rule variables of their own, with the conditions that these follow or are followed."""

    def __init__(self, rule: m.Case | m.Clause) -> None:
        self._types = dict(rule.types)
        self._names: dict[tuple[str, int], str] = {}
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
                raise _Unreadable("its weight depends on positions")
        antecedents = tuple(replace(a, pattern=self._pattern(a.pattern)) for a in case.antecedents)
        consequent = self._pattern(case.consequent)
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
        return replace(built, terms=tuple(self._term(term, new=True) for term in built.terms))

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
                raise _Unreadable(f"{number} is neither the beginning nor the first word")
            case m.Var("n"):
                return self._word("n + 1", -1, _END, new)
            case m.Linear(1, ((m.Var("n"), 1),)):
                return term
            case m.Linear(1 | -1 as step, ((m.Var(name), 1),)) if name != "n" and self._is_position(name):
                return self._word(name, step, m.Var(name), new)
            case m.Linear() | m.Positions() | m.Length():
                raise _Unreadable(f"{condition_text(term, ascii=True)} is more than a word and its neighbour")
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
                raise _Unreadable(
                    f"whether a word stands right {side} {name} is asked of no part that adjoins"
                )
            plain = "end" if base == _END else name
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
                    raise _Unreadable(f"{text} counts words, and paths may have more or fewer of them")
                return m.Compare(relation, self._term(left), self._term(right))
            case m.Member(element, m.Interval(low, high)):
                lower = _is_order(m.Compare("<=", low, element))
                upper = m.Compare("<=", element, high)
                if not (lower and (_is_order(upper) or self._before_the_last(element, "<=", high))):
                    raise _Unreadable(f"{condition_text(test, ascii=True)} counts words")
                return test
            case m.Member() | m.AllWithin() | m.InOrder() | m.Path():
                raise _Unreadable(f"{condition_text(test, ascii=True)} is about lists of positions")
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


# Parts that adjoin --------------------------------------------------------------------------------------------------


def _ends(form: m.Form) -> tuple[int, int, tuple[int, ...]] | None:
    """Return the fields of an item's first and last position, and of all; None where it has no position.

    Raises
    ------
    _Unreadable : the form does not say which comes first, or has lists of positions.
    """
    for field in form.fields:
        inner = [kind.kind for kind in m.nodes(field.type) if isinstance(kind, m.Type)]
        if field.type.kind != "position" and "position" in inner:
            raise _Unreadable(f"items {form.name} have {field.name}, which is more than one position")
    if form.has_normal_form:
        raise _Unreadable(f"items {form.name} have normal forms")
    places = tuple(k for k, field in enumerate(form.fields) if field.type.kind == "position")
    if not places:
        return None
    for condition in form.where:
        _check_domain(condition, form)
    known = stated(form.where)

    def before(one: int, other: int) -> bool:
        return one == other or known.proves([(form.fields[one].name, form.fields[other].name, 0)])

    first = next((k for k in places if all(before(k, other) for other in places)), None)
    last = next((k for k in places if all(before(other, k) for other in places)), None)
    if first is None or last is None:
        raise _Unreadable(
            f"items {form.name} do not say which of their positions is the first and which the last"
        )
    return first, last, places


def _check_domain(condition: m.Term, form: m.Form) -> None:
    match condition:
        case m.Junction(_, operands):
            for operand in operands:
                _check_domain(operand, form)
        case m.Not(operand):
            _check_domain(operand, form)
        case m.Compare("<=" | "<") if not _is_order(condition):
            text = condition_text(condition, ascii=True)
            raise _Unreadable(f"items {form.name} may be empty, or count words: {text}")


def _stretch(pattern: m.Pattern, ends: ItemEnds) -> _Stretch:
    places = ends[pattern.form]
    if places is None:
        raise _Unreadable(f"items {pattern.form} have no position")
    first, last, every = places
    return _Stretch(pattern.terms[first], pattern.terms[last], tuple(pattern.terms[k] for k in every))


def _step(rule: m.Case, ends: ItemEnds) -> m.Case:
    """Return a step as it reads word graphs, whose parts adjoin in a row that the consequent spans."""
    case = _Reading(rule).case(rule)
    if any(antecedent.context for antecedent in case.antecedents):
        raise _Unreadable("it predicts, or looks at items that are not part of what it derives")
    parts = [_stretch(antecedent.pattern, ends) for antecedent in case.antecedents]
    positions = _check_adjoining(case.conditions, parts, _stretch(case.consequent, ends))
    if not {x for built in case.links for x in _positions_of(built)} <= {*positions, m.Lit(0)}:
        raise _Unreadable("it builds a link of a word that no part has")
    return case


def _check_adjoining(
    conditions: Sequence[m.Condition], parts: Sequence[_Stretch], whole: _Stretch
) -> set[m.Term]:
    """Return the positions of parts that adjoin in a row from the beginning to the end of the derived
    item.

    Items without antecedents are a word, or two that adjoin.
    """
    asked = (c for c in conditions if isinstance(c, m.HasFact) and c.relation == m.NEXT_WORD)
    adjoining = {(c.terms[0], c.terms[1]) for c in asked}
    row = list(parts) or [_Stretch(x, x, (x,)) for x in dict.fromkeys(whole.all)]
    if len(row) > _MOST_PARTS:
        raise _Unreadable(f"it has more than {_MOST_PARTS} parts")
    used: set[tuple[m.Term, m.Term]] = set()
    for order in permutations(row):
        pairs = [(one.last, other.first) for one, other in pairwise(order)]
        if all(pair in adjoining or (pair[0] == pair[1] and pair[0] != m.Any()) for pair in pairs):
            used, row = adjoining.intersection(pairs), list(order)
            break
    else:
        raise _Unreadable("the parts above the line do not adjoin in a row")
    if (row[0].first, row[-1].last) != (whole.first, whole.last):
        raise _Unreadable("the consequent does not reach from the first part to the last")
    positions = {x for part in row for x in part.all}
    if not positions.issuperset(whole.all):
        raise _Unreadable("the consequent has a position that no part has")
    if any(pair not in used and not _is_end(pair) for pair in adjoining):
        raise _Unreadable("it asks whether words adjoin that are not the ends of two parts")
    return positions


def _is_end(pair: tuple[m.Term, m.Term]) -> bool:
    return pair[0] == m.Lit(0) or pair[1] == _END


def _positions_of(built: m.AnyAtom) -> Iterable[m.Term]:
    if isinstance(built, m.Join):
        return built.left, built.right
    return (t for t, kind in zip(built.terms, built.types, strict=True) if kind.kind == "position")


def _final(rule: m.Clause, ends: ItemEnds) -> m.Clause:
    """Return a final item as it reads word graphs, from the beginning to the end."""
    clause = _Reading(rule).clause(rule)
    whole = _stretch(clause.pattern, ends)
    asked = [c.terms for c in clause.conditions if isinstance(c, m.HasFact) and c.relation == m.NEXT_WORD]
    begins = whole.first == m.Lit(0) or (m.Lit(0), whole.first) in asked
    closes = whole.last == _END or (whole.last, _END) in asked
    if not (begins and closes):
        raise _Unreadable("it does not reach from the first word to the last")
    return clause
