"""Normal forms: their equations between kinds, the normal form of a writing, and the writings of an item.

Equations rewrite items from left to right, and list writings from right to left. A form may instead declare the words
that its items cover: low..high without the gaps, in pieces. The normal writing of an item covers the word h exactly if
it covers h + 1. So where h ends a piece, the piece loses it; where h stands just before a piece, the piece takes it in,
and closes a gap of one word.

The functions that rewrite and list writings, for kernels and for CPython, are kernel text. `WB` is a workspace of rows
(kind, columns); columns that a kind does not have are 0. The row behind the last writing is where one is brought into
normal form.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from schemata.cache import kept_text, state_of
from schemata.language import model as m
from schemata.language.bounds import NotLinear
from schemata.language.substitute import fold, substitute, sum_of
from schemata.machine.compile import functions_of, interpreted
from schemata.machine.text import filled, nested, with_numbers
from schemata.program.evaluation import fulfils
from schemata.program.facts import conditions_of, facts_of, implied, simplified
from schemata.program.kinds import Kinds, choices_of, tests_of
from schemata.program.linear import (
    AnyOf,
    Linear,
    condition_text,
    learn,
    linear_terms,
    solved_text,
    term_text,
    variable,
)
from schemata.program.model import Atom, Equation, Kind, NotLowerable, Program, encoded, symbols_of
from schemata.program.queries import Terms
from schemata.thresholds import REFUSALS, WAYS

Piece = tuple[m.Term, m.Term]
# An equation: its sides, its conditions, and the types of its variables.
Line = tuple[Sequence[m.Term], Sequence[m.Term], Sequence[m.Condition], Mapping[str, m.Type]]
T = TypeVar("T")
V = TypeVar("V")
Values = tuple[m.Value, ...]
Written = tuple[int, tuple[int, ...]]  # kind and columns


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
            if isinstance(condition, m.HasFact):
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
                given_left = [*conditions_of(kinds.found, atoms[0]), *tests]
                for test in other_than(given_left, atoms[0], atoms[1]) if form.cover is None else [()]:
                    yield Equation(atoms[0], atoms[1], (*tests, *test))


def other_than(known: Sequence[Linear | AnyOf], left: Atom, right: Atom) -> list[tuple[Linear | AnyOf, ...]]:
    """Return the test that an equation needs so as not to rewrite a writing into itself.

    Parameters
    ----------
    known : facts that hold wherever the equation applies.
    left, right : its sides.

    Returns ------- One option with the test, or without a test if it always holds; no option if it never holds.
    """
    if left.kind != right.kind:
        return [()]
    apart = [one - other for one, other in zip(left.terms, right.terms, strict=True) if one != other]
    facts = facts_of([*known, *(Linear("==", term) for term in apart)])
    if facts.contradictory() or any(implied(facts, Linear("!=", term)) for term in apart):
        return [()]
    tests = [Linear("!=", term) for term in apart]
    return [(AnyOf(tuple((test,) for test in tests)),)] if len(tests) > 1 else [(test,) for test in tests]


def is_determined(atom: Atom, tests: Sequence[Linear | AnyOf]) -> bool:
    """Whether the columns of an item determine all variables of its pattern and of the tests."""
    known = {"n"}
    learn(known, atom.terms)
    names = {x for term in linear_terms((atom, tuple(tests))) for x in term.names}
    return all(x in known or x.startswith("'") for x in names)


def leads_in(kinds: Sequence[Kind], equation: Equation) -> bool:
    """Whether a writing's conditions provably imply those of the equation's result."""
    known = [*conditions_of(kinds, equation.left), *equation.tests]
    return not _unproved(known, conditions_of(kinds, equation.right))


def fitting(kinds: Sequence[Kind], equation: Equation) -> list[Linear | AnyOf]:
    """Return the conditions of an equation's left side that those of the right one do not imply."""
    known = [*conditions_of(kinds, equation.right), *equation.tests]
    return _unproved(known, conditions_of(kinds, equation.left))


def as_written(program: Program) -> frozenset[int]:
    """Return the kinds of hypotheses that may not be in normal form: they match as written only."""
    found: set[int] = set()
    for clause in program.hypotheses:
        kind = clause.atom.kind
        for equation in program.equations.get(program.kinds[kind].form, ()):
            if equation.left.kind != kind:
                continue
            names = {x for t in linear_terms((equation.left, equation.tests)) for x in t.variables}
            again = {x: variable(f"{x}'") for x in names}
            pairs = zip(clause.atom.terms, equation.left.terms, strict=True)
            same = [Linear("==", a - b.substitute(again)) for a, b in pairs]
            tests = [*clause.tests, *(t.substitute(again) for t in equation.tests)]
            if not facts_of([*conditions_of(program.kinds, clause.atom), *tests, *same]).contradictory():
                found.add(kind)
    return frozenset(found)


def _unproved(known: Sequence[Linear | AnyOf], wanted: Sequence[Linear | AnyOf]) -> list[Linear | AnyOf]:
    """Return the tests that do not follow from the given facts, as far as differences show."""
    facts = facts_of(known)
    if facts.contradictory():
        return []
    return [test for test in wanted if test not in known and not implied(facts, test)]


# As kernel text ------------------------------------------------------------------------------------------------

_WRITINGS = '''
@apart
def fits(n, WB, b):
    """Return whether the writing at b fulfils its kind's conditions."""
    kind = WB[b]
    {fits}
    return False


@apart
def normal(n, WB, b):
    """Rewrite the writing at b until no equation applies; False where there is no end."""
    for _ in range(1000):
        kind = WB[b]
        {rewritten}
        return True
    return False


@apart
def added(WB, many, kind, {columns}):
    """Note a writing in the row after the last, unless it is there; returns the number of rows."""
    for w in range(many):
        if {in_row} == 0:
            return many
    {noted}
    return many + 1


@apart
def written(n, WB, most):
    """List all writings of the item in the first row; returns their number, less than 0 where there are more."""
    many = 1
    at = 0
    while at < many:
        b = at * {width}
        at += 1
        kind = WB[b]
        {backwards}
    kept = 1
    e = (most + 1) * {width}
    for w in range(1, many):
        b = w * {width}
        {only_fitting}
        for c in range({width}):
            WB[e + c] = WB[b + c]
        if not normal(n, WB, e):
            return -ENDLESS
        if {unlike} == 0:
            for c in range({width}):
                WB[kept * {width} + c] = WB[b + c]
            kept += 1
    return kept
'''

_IS_NORMAL = '''

def is_normal(n, WB, b):
    """Return whether the writing at b fulfils its kind's conditions, and no equation applies to it."""
    kind = WB[b]
    {refused}
    return fits(n, WB, b)
'''


@cache
def _state() -> str | None:
    """Return the state of the modules that the text depends on."""
    package = Path(__file__).parents[1]
    return state_of([package / room for room in ("language", "machine", "program")])


class Rewriting:
    """Equations between kinds, as kernel text and as functions.

    In normal forms by covered words, equations lead from writings that fulfil the form's conditions to such writings,
    so others are left out at once. In other normal forms they stay among the rows until the end: a writing that fulfils
    the conditions may be reached only through one that does not. If there is no end, all engines report it.

    Parameters
    ----------
    forms : the item forms.
    all_kinds : their kinds.
    equations : by form number.
    symbols : the symbol constants, by number.

    Attributes
    ----------
    kinds : those with equations.
    """

    def __init__(
        self,
        forms: Sequence[m.Form],
        all_kinds: Sequence[Kind],
        equations: Mapping[int, Sequence[Equation]],
        symbols: Sequence[str],
    ) -> None:
        self.kinds = [kind for kind in all_kinds if equations.get(kind.form)]
        self._equations, self._symbols = equations, symbols
        self._fitting: dict[Equation, list[Linear | AnyOf]] = {}
        self._is_closed = all(
            forms[number].cover is not None and all(leads_in(all_kinds, e) for e in row)
            for number, row in equations.items()
        )
        if self._is_closed:
            self._fitting = {e: fitting(all_kinds, e) for row in equations.values() for e in row}
        self._columns = max((len(kind.columns) for kind in self.kinds), default=0)

    @staticmethod
    def of(program: Program) -> Rewriting:
        """Return the equations of a program; those of the programs used last are kept."""
        return _kept(program, lambda p: Rewriting(p.schema.forms, p.kinds, p.equations, p.symbols))

    def text(self, columns: int, asked: bool = False) -> str:
        """Return `fits`, `normal`, `added` and `written` for rows of so many columns, and `is_normal` on
        request.

        Raises
        ------
        NotLowerable : an equation whose one side does not determine the other.
        """
        width = columns + 1

        def fits(kind: Kind) -> Iterable[str]:
            names = {column.name: f"WB[b + {c}]" for c, column in enumerate(kind.columns, start=1)}
            tests = [condition_text(t, names, self._symbols) for t in kind.conditions]
            return [f"return {' and '.join(tests) or 'True'}"]

        def rewritten(*last: str) -> Callable[[Kind], Iterable[str]]:
            """Return a writer of text, by kind, for the equations that apply: the first that does writes its
            result or runs `last`.
            """

            def cases(kind: Kind) -> Iterable[str]:
                for equation in self._equations[kind.form]:
                    if equation.left.kind == kind.number:
                        lines, texts = self._matched(equation, equation.left, equation.right)
                        row = [str(equation.right.kind), *texts, *["0"] * (columns - len(texts))]
                        written = [f"WB[b + {c}] = {text}" for c, text in enumerate(row)] if not last else []
                        yield nested([*lines, *written, *(last or ("continue",))])

            return cases

        def backwards(kind: Kind) -> Iterable[str]:
            for equation in self._equations[kind.form]:
                if equation.right.kind == kind.number:
                    also = self._fitting.get(equation, ())
                    lines, texts = self._matched(equation, equation.right, equation.left, also)
                    row = ", ".join([str(equation.left.kind), *texts, *["0"] * (columns - len(texts))])
                    full = nested(["if many >= most:", "return -WRITINGS_FULL"])
                    yield nested([*lines, full, f"many = added(WB, many, {row})"])

        values = ["kind", *(f"v{c}" for c in range(columns))]
        found = filled(
            _WRITINGS,
            width=width,
            columns=", ".join(values[1:]),
            fits=self.by_kind(fits),
            rewritten=self.by_kind(_with_columns(rewritten())),
            in_row=" | ".join(f"(WB[w * {width} + {c}] ^ {value})" for c, value in enumerate(values)),
            noted="\n".join(f"WB[many * {width} + {c}] = {value}" for c, value in enumerate(values)),
            backwards=self.by_kind(_with_columns(backwards)),
            only_fitting="" if self._is_closed else "if not fits(n, WB, b):\n    continue",
            unlike=" | ".join(f"(WB[e + {c}] ^ WB[{c}])" for c in range(width)),
        )
        if asked:
            found += filled(_IS_NORMAL, refused=self.by_kind(_with_columns(rewritten("return False"))))
        return "\n\n" + found.lstrip("\n")

    def by_kind(self, body: Callable[[Kind], Iterable[str]]) -> str:
        """Return the treatment of a writing, by its kind."""
        blocks = []
        for kind in self.kinds:
            inside = "\n".join(body(kind))
            if inside:
                blocks.append(nested([f"if kind == {kind.number}:", inside]))
        return "\n".join(blocks)

    def _matched(
        self, equation: Equation, source: Atom, target: Atom, also: Sequence[Linear | AnyOf] = ()
    ) -> tuple[list[str], list[str]]:
        """Return the lines that match one side of an equation with columns c0, c1 ...; and the other side's columns.

        The lines hold its tests, and some more if need be.
        """
        symbols = self._symbols
        names: dict[str, str] = {}
        lines: list[str] = []
        waiting = [(f"c{c}", term) for c, term in enumerate(source.terms)]
        equal = [t for t in equation.tests if isinstance(t, Linear) and t.relation == "=="]
        waiting += [("0", t.left) for t in equal]
        while waiting:
            before = len(waiting)
            for value, term in list(waiting):
                unknown = [x for x in term.variables if x not in names]
                if len(unknown) > 1:
                    continue
                waiting.remove((value, term))
                if unknown:
                    test, text = solved_text(unknown[0], value, term, names, symbols)
                    names[unknown[0]] = f"s{len(names)}"
                    lines += [*([f"if {test}:"] if test else []), f"{names[unknown[0]]} = {text}"]
                else:
                    lines.append(f"if {value} == {term_text(term, names, symbols)}:")
            if len(waiting) == before:
                break
        missing = {x for term in target.terms for x in term.variables} - set(names)
        if waiting or missing:
            raise NotLowerable.of("an equation of which one side does not determine the other")
        tests = (test for test in (*equation.tests, *also) if test not in equal)
        lines += [f"if {condition_text(test, names, symbols)}:" for test in tests]
        return lines, [term_text(t, names, symbols) for t in target.terms]

    # with CPython

    @cached_property
    def _functions(self) -> Mapping[str, Any]:
        statuses, about = {"ENDLESS": 1, "WRITINGS_FULL": 2}, (self.kinds, sorted(self._equations.items()))
        state = _state()
        key = None if state is None else (state, self._columns, self._symbols, repr(about))
        text = kept_text("texts", "rewriting", key, lambda: self.text(self._columns, asked=True))
        found = functions_of(interpreted(with_numbers(text, statuses)))
        found["added"] = added_once(self._columns + 1)
        return found

    def is_normal(self, kind: int, columns: Sequence[int], n: int) -> bool:
        """Whether no equation applies to a writing that fulfils its kind's conditions."""
        return not self._has(kind) or bool(self._functions["is_normal"](n, self._row(kind, columns), 0))

    def normal(self, kind: int, columns: Sequence[int], n: int) -> Written:
        """Return a writing's normal form.

        Raises
        ------
        ValueError : the equations go round in circles.
        """
        row = self._row(kind, columns)
        if self._has(kind) and not self._functions["normal"](n, row, 0):
            raise ValueError("a normal form has no end")
        return self._written(row)

    def writings(self, kind: int, columns: Sequence[int], n: int) -> list[Written]:
        """Return all writings of an item that is in normal form; if they are too many, only the item itself."""
        width, most, many = self._columns + 1, WAYS.writings_room, -1
        rows = self._row(kind, columns)
        while self._has(kind) and many < 0 and most <= REFUSALS.writings:
            rows = [*rows[:width], *[0] * ((most + 1) * width)]
            many = self._functions["written"](n, rows, most)
            most *= 8
        return [self._written(rows[w * width : (w + 1) * width]) for w in range(max(many, 1))]

    def _has(self, kind: int) -> bool:
        return any(kind == one.number for one in self.kinds)

    def _row(self, kind: int, columns: Sequence[int]) -> list[int]:
        return [kind, *columns, *[0] * (self._columns - len(columns))]

    def _written(self, row: Sequence[int]) -> Written:
        size = next((len(kind.columns) for kind in self.kinds if kind.number == row[0]), len(row) - 1)
        return row[0], tuple(row[1 : size + 1])


def added_once(width: int) -> Callable[..., int]:
    """Return the kernel's `added`, with a set: CPython takes long to go through all writings for each new one."""
    rows: set[tuple[int, ...]] = set()

    def added(writings: list[int], many: int, *row: int) -> int:
        if many == 1:
            rows.clear()
            rows.add(tuple(writings[:width]))
        if row in rows:
            return many
        rows.add(row)
        writings[many * width : (many + 1) * width] = row
        return many + 1

    return added


def _with_columns(body: Callable[[Kind], Iterable[str]]) -> Callable[[Kind], Iterable[str]]:
    """Return the body with the columns of the writing at b as c0, c1 ... before it."""

    def both(kind: Kind) -> Iterable[str]:
        inside = list(body(kind))
        return [*(f"c{c} = WB[b + {c + 1}]" for c in range(len(kind.columns))), *inside] if inside else []

    return both


# Over values --------------------------------------------------------------------------------------------------


class NormalForm:
    """The normal form of an item form alone, for items as values.

    Attributes
    ----------
    writings : a function from the values of an item in normal form, and n, to its writings that fulfil the form's
        conditions; its last results are kept.

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
        symbols = symbols_of(tuple(kinds.found), equations)
        self._kinds, self._terms = kinds.found, Terms(symbols)
        self._rewriting = Rewriting((form,), kinds.found, {0: equations}, symbols)
        self.writings = lru_cache(WAYS.kept_writings)(self._writings)

    def normal(self, values: Values, n: int) -> Values:
        """Return the normal form of an item's values; values that are not an item of the form stay as they are.

        Raises
        ------
        ValueError : the equations go round in circles.
        """
        written = encoded(self._kinds, 0, values, self._terms.number)
        if written is None:
            return values
        found = self._rewriting.normal(*written, n)
        return values if found == written else self._values(found)

    def _writings(self, values: Values, n: int) -> tuple[Values, ...]:
        written = encoded(self._kinds, 0, values, self._terms.number)
        if written is None:
            return (values,)
        found = self._rewriting.writings(*written, n)
        return tuple(w for w in map(self._values, found) if fulfils(self.form, w, n))

    def _values(self, written: Written) -> Values:
        return self._kinds[written[0]].values(written[1], self._terms.value)


_MADE: dict[int, tuple[object, Any]] = {}  # of programs and forms, by their identity


def _kept(of: T, make: Callable[[T], V]) -> V:
    """Return the value made from a program or a form, which is cached."""
    if id(of) not in _MADE:
        if len(_MADE) >= WAYS.kept_rewritings:
            _MADE.clear()
        _MADE[id(of)] = of, make(of)
    found: V = _MADE[id(of)][1]
    return found


def normal_form(form: m.Form, values: Values, n: int) -> Values:
    """Return the normal form of an item's values.

    Raises
    ------
    ValueError : the equations go round in circles.
    """
    return _kept(form, NormalForm).normal(values, n) if form.has_normal_form else values


def all_writings(form: m.Form, values: Values, n: int) -> tuple[Values, ...]:
    """Return the writings of an item that fulfil the form's conditions; the item is in normal form."""
    return _kept(form, NormalForm).writings(values, n) if form.has_normal_form else (values,)
