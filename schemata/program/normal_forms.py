"""Normal forms as equations between kinds: they rewrite items from left to right, and list writings from right to left.

A form may instead declare the words that its items cover: low..high without the gaps, in pieces. The normal
writing of an item covers the word h exactly if it covers h + 1. So where h ends a piece, the piece loses it;
where h stands just before a piece, the piece takes it in, and closes a gap of one word.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from schemata.language import model as m
from schemata.language.substitute import fold, substitute, sum_of
from schemata.program.evaluation import fulfils
from schemata.program.facts import conditions_of, facts_of, implied, simplified
from schemata.program.kinds import Kinds, choices_of, tests_of
from schemata.program.linear import Affine, AnyOf, Linear, learn, linear_terms, variable
from schemata.program.model import (
    Atom,
    Equation,
    NotLinear,
    NotLowerable,
    Program,
    symbols_of,
)
from schemata.program.queries import Terms

Piece = tuple[m.Term, m.Term]
Line = tuple[
    Sequence[m.Term], Sequence[m.Term], Sequence[m.Condition], Mapping[str, m.Type]
]  # of an equation
Values = tuple[m.Value, ...]


def form_equations(kinds: Kinds, number: int) -> tuple[Equation, ...]:
    """Return the equations of a form with a normal form, between kinds.

    Raises
    ------
    NotLowerable : they are over lists without a bound, or a condition is not linear.
    """
    form = kinds.forms[number]
    lines: Iterable[Line] = [(e.left, e.right, e.conditions, e.types) for e in form.equations]
    if form.cover is not None:
        most = kinds.bounds(form)[form.cover.gaps]
        if most is None:
            raise NotLowerable.of("a normal form over lists without a bound")
        lines = cover_lines(form, form.cover, most)
    return tuple(e for line in lines for e in lowered_equations(kinds, form, *line))


def cover_lines(form: m.Form, cover: m.Cover, most: int) -> Iterator[Line]:
    """Yield the equations of a form's cover for items with up to `most` gaps."""
    fields = [m.Var(f.name) for f in form.fields]
    low, high, h = fields[cover.low], fields[cover.high], fields[cover.aside]
    types = {f.name: f.type for k, f in enumerate(form.fields) if k != cover.gaps}
    gaps = form.fields[cover.gaps].name
    ends = [(m.Var(f"{gaps}.{k + 1}.1"), m.Var(f"{gaps}.{k + 1}.2")) for k in range(most)]
    types |= {end.name: m.POSITION for gap in ends for end in gap}

    def plus(term: m.Term, number: int) -> m.Term:
        return sum_of(number, [(term, 1)])

    def item(pieces: Sequence[Piece]) -> tuple[m.Term, ...]:
        pairs = (m.TupleTerm((plus(one[1], 1), plus(two[0], -1))) for one, two in itertools.pairwise(pieces))
        terms: list[m.Term] = list(fields)
        terms[cover.low], terms[cover.high] = pieces[0][0], pieces[-1][1]
        terms[cover.gaps] = m.ListTerm(tuple(pairs))
        return tuple(terms)

    for count in range(most + 1):
        starts = [low, *(plus(right, 1) for _, right in ends[:count])]
        stops = [*(plus(left, -1) for left, _ in ends[:count]), high]
        pieces: list[Piece] = list(zip(starts, stops, strict=True))
        for q, (start, stop) in enumerate(pieces):
            before, behind = pieces[:q], pieces[q + 1 :]
            at_stop, at_start = m.Compare("==", h, stop), m.Compare("==", h, plus(start, -1))
            is_one, is_more = m.Compare("==", stop, start), m.Compare("<", start, stop)
            ways: list[tuple[list[Piece], tuple[m.Condition, ...]]] = [
                ([*before, (start, plus(h, -1)), *behind], (at_stop, is_more))
            ]
            if before or behind:
                ways.append(([*before, *behind], (at_stop, is_one)))
            if not before:
                ways.append(([(h, stop), *behind], (at_start,)))
            else:
                first, last = before[-1][0], plus(before[-1][1], 1)
                ways.append(([*before, (h, stop), *behind], (at_start, m.Compare("<", last, h))))
                ways.append(([*before[:-1], (first, stop), *behind], (at_start, m.Compare("==", h, last))))
            for after, conditions in ways:
                yield item(pieces), item(after), conditions, types


def lowered_equations(
    kinds: Kinds,
    form: m.Form,
    one_side: Sequence[m.Term],
    other_side: Sequence[m.Term],
    conditions: Sequence[m.Condition],
    types: Mapping[str, m.Type],
) -> Iterator[Equation]:
    """Yield the lines of a normal form between kinds that one equation stands for."""
    for given, _ in choices_of(kinds, types):
        left, right = (
            m.Pattern(form.name, tuple(fold(substitute(t, given)) for t in side))
            for side in (one_side, other_side)
        )
        tests: list[Linear | AnyOf] = []
        possible = True
        for condition in conditions:
            if isinstance(condition, m.GRAMMAR_CONDITIONS):
                raise NotLowerable.of("a normal form with a condition on the grammar")
            try:
                more = tests_of(fold(substitute(condition, given)))
            except NotLinear:
                raise NotLowerable.of("a normal form with a condition that is not linear") from None
            possible = possible and more is not None
            tests += more or ()
        if not possible:
            continue
        for one, other in itertools.product(kinds.writings(left), kinds.writings(right)):
            atoms = kinds.atom(left, one), kinds.atom(right, other)
            if atoms[0] is None:
                continue
            if atoms[1] is None:
                if form.cover is None and simplified(conditions_of(kinds.found, atoms[0]), tests) is not None:
                    raise NotLowerable.of("a normal form that leads to items which their form rules out")
            elif one[2] or other[2] or any(kinds.found[a.kind].asks for a in atoms if a is not None):
                raise NotLowerable.of("a normal form over lists without a bound")
            elif not is_determined(atoms[0], tests):
                raise NotLowerable.of("a normal form with a condition that binds a variable")
            else:
                yield Equation(atoms[0], atoms[1], tuple(tests))


def is_determined(atom: Atom, tests: Sequence[Linear | AnyOf]) -> bool:
    """Whether the columns of an item determine all variables of its pattern and of the tests."""
    known = {"n"}
    learn(known, atom.terms)
    terms = (*atom.terms, *(term for test in tests for term in linear_terms(test)))
    names = {x for term in terms for x in term.names}
    return all(x in known or x.startswith("'") for x in names)


def leads_in(program: Program | NormalForm, equation: Equation) -> bool:
    """Whether it is seen that a writing's conditions imply those of what the equation makes of it."""
    known = [*conditions_of(program.kinds, equation.left), *equation.tests]
    return not _unproved(known, conditions_of(program.kinds, equation.right))


def fitting(program: Program, equation: Equation) -> list[Linear | AnyOf]:
    """Return the conditions of an equation's left side that those of the right one do not imply."""
    known = [*conditions_of(program.kinds, equation.right), *equation.tests]
    return _unproved(known, conditions_of(program.kinds, equation.left))


def as_written(program: Program) -> frozenset[int]:
    """Return the kinds of hypotheses that may not be in normal form: they match as written only."""
    found: set[int] = set()
    for clause in program.hypotheses:
        kind = clause.atom.kind
        for equation in program.equations.get(program.kinds[kind].form, ()):
            if equation.left.kind != kind:
                continue
            terms = [*equation.left.terms, *(t for test in equation.tests for t in linear_terms(test))]
            names = {x for t in terms for x in t.names if x != "n" and not x.startswith("'")}
            again = {x: variable(f"{x}'") for x in names}
            pairs = zip(clause.atom.terms, equation.left.terms, strict=True)
            same = [Linear("==", a - b.substitute(again)) for a, b in pairs]
            tests = [*clause.tests, *(t.substitute(again) for t in equation.tests)]
            if not facts_of([*conditions_of(program.kinds, clause.atom), *tests, *same]).contradictory():
                found.add(kind)
    return frozenset(found)


def _unproved(known: Sequence[Linear | AnyOf], wanted: Sequence[Linear | AnyOf]) -> list[Linear | AnyOf]:
    """Return the tests that do not follow from what is known, as far as differences show."""
    facts = facts_of(known)
    if facts.contradictory():
        return []
    return [test for test in wanted if test not in known and not implied(facts, test)]


Written = tuple[int, tuple[int, ...]]  # kind and columns
REWRITINGS = 1_000  # of one item before a normal form is taken not to exist
WRITINGS = 10_000  # of one item


def rewritten(
    program: Program | NormalForm, kind: int, columns: tuple[int, ...], n: int, symbols: Sequence[str]
) -> Written | None:
    """Return what the first equation that applies makes of a writing, None where none does."""
    for equation in program.equations.get(program.kinds[kind].form, ()):
        if equation.left.kind == kind:
            found = _applied(equation, equation.left, equation.right, columns, n, symbols)
            if found is not None:
                return found
    return None


def normal(
    program: Program | NormalForm, kind: int, columns: tuple[int, ...], n: int, symbols: Sequence[str]
) -> Written:
    """Return a writing's normal form; the caller knows that there is one."""
    here: Written = kind, columns
    for _ in range(REWRITINGS):
        further = rewritten(program, *here, n, symbols)
        if further is None:
            break
        here = further
    return here


def writings(
    program: Program | NormalForm,
    kind: int,
    columns: tuple[int, ...],
    n: int,
    symbols: Sequence[str],
    is_closed: bool = False,
) -> list[Written]:
    """Return all writings of an item that is in normal form.

    A writing has the normal form of what the first equation makes of it, so those are looked for which one step
    turns into a writing that is known already. With `is_closed`, a writing that fulfils its kind's conditions is
    turned into such ones alone, and others are not looked for.
    """
    reached: dict[Written, None] = {(kind, columns): None}
    waiting: list[Written] = [(kind, columns)]
    while waiting and len(reached) <= WRITINGS:
        here = waiting.pop()
        for equation in program.equations.get(program.kinds[here[0]].form, ()):
            if equation.right.kind != here[0]:
                continue
            found = _applied(equation, equation.right, equation.left, here[1], n, symbols)
            if found is None or found in reached or (is_closed and not _fits(program, found, n)):
                continue
            if rewritten(program, *found, n, symbols) == here:
                reached[found] = None
                waiting.append(found)
    return [w for w in reached if _fits(program, w, n)]


def _fits(program: Program | NormalForm, written: Written, n: int) -> bool:
    kind = program.kinds[written[0]]
    given = {"n": n, **{c.name: v for c, v in zip(kind.columns, written[1], strict=True)}}
    return all(test.holds(given) for test in kind.conditions)


def matched(
    terms: Sequence[Affine], values: Sequence[int], given: Mapping[str, int]
) -> dict[str, int] | None:
    """Return the values of variables that make terms equal to values, None where none do."""
    found = dict(given)
    waiting = list(zip(terms, values, strict=True))
    while waiting:
        later: list[tuple[Affine, int]] = []
        for term, value in waiting:
            rest = value - term.constant
            unknown: list[tuple[str, int]] = []
            for name, k in term.terms:
                if name in found:
                    rest -= k * found[name]
                else:
                    unknown.append((name, k))
            if len(unknown) > 1:
                later.append((term, value))
            elif not unknown:
                if rest:
                    return None
            elif rest % unknown[0][1]:
                return None
            else:
                found[unknown[0][0]] = rest // unknown[0][1]
        assert len(later) < len(waiting), "a term with two unknown variables"
        waiting = later
    return found


def _applied(
    equation: Equation, source: Atom, target: Atom, columns: tuple[int, ...], n: int, symbols: Sequence[str]
) -> Written | None:
    given = {"n": n, **{f"'{s}'": k for k, s in enumerate(symbols)}}
    equal = [t.left for t in equation.tests if isinstance(t, Linear) and t.relation == "=="]
    found = matched((*source.terms, *equal), (*columns, *(0 for _ in equal)), given)
    if found is None:
        return None
    if not all(test.holds(found) for test in equation.tests):
        return None
    return target.kind, tuple(t.value(found) for t in target.terms)


# Over values --------------------------------------------------------------------------------------------------


class NormalForm:
    """The normal form of an item form alone, for items as values.

    Attributes
    ----------
    writings : a function from the values of an item in normal form, and n, to its writings that fulfil the form's
        conditions; what it returned last is kept.

    Raises
    ------
    NotLowerable : as by `form_equations`.
    """

    def __init__(self, form: m.Form) -> None:
        self.form = form
        kinds = Kinds((form,))
        open_item = m.Pattern(form.name, (m.Any(),) * len(form.fields))
        for written in kinds.writings(open_item):
            kinds.atom(open_item, written)
        equations = form_equations(kinds, 0)
        self.kinds, self.equations = tuple(kinds.found), {0: equations}
        self._terms = Terms(symbols_of((), self.kinds, equations, ()))
        self._is_closed = all(leads_in(self, equation) for equation in equations)
        self.writings = lru_cache(_ITEMS)(self._writings)

    def normal(self, values: Values, n: int) -> Values:
        """Return the normal form of an item's values; what is no item of the form stays as it is.

        Raises
        ------
        ValueError : the equations go round in circles.
        """
        written = self._written(values)
        if written is None:
            return values
        found = normal(self, *written, n, self._terms.all("symbol"))
        if rewritten(self, *found, n, self._terms.all("symbol")) is not None:
            raise ValueError(f"the normal form of {self.form.name} has no end")
        return values if found == written else self._values(found)

    def _writings(self, values: Values, n: int) -> tuple[Values, ...]:
        written = self._written(values)
        if written is None:
            return (values,)
        found = writings(self, *written, n, self._terms.all("symbol"), self._is_closed)
        return tuple(w for w in map(self._values, found) if fulfils(self.form, w, n))

    def _written(self, values: Values) -> Written | None:
        for kind in self.kinds:
            columns = kind.encode(values, self._terms.number)
            if columns is not None:
                return kind.number, columns
        return None

    def _values(self, written: Written) -> Values:
        return self.kinds[written[0]].values(written[1], self._terms.value)


_ITEMS = 10_000  # of which writings are kept
_NORMAL_FORMS: dict[int, NormalForm] = {}  # by the identity of forms, which these keep
_KEPT = 64


def _normal_form_of(form: m.Form) -> NormalForm:
    found = _NORMAL_FORMS.get(id(form))
    if found is None:
        if len(_NORMAL_FORMS) >= _KEPT:
            _NORMAL_FORMS.clear()
        found = _NORMAL_FORMS[id(form)] = NormalForm(form)
    return found


def normal_form(form: m.Form, values: Values, n: int) -> Values:
    """Return the normal form of an item's values.

    Raises
    ------
    ValueError : the equations go round in circles.
    """
    return _normal_form_of(form).normal(values, n) if form.has_normal_form else values


def all_writings(form: m.Form, values: Values, n: int) -> tuple[Values, ...]:
    """Return the writings of an item that fulfil the form's conditions; the item is in normal form."""
    return _normal_form_of(form).writings(values, n) if form.has_normal_form else (values,)
