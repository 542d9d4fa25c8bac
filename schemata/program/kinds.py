"""Terms and conditions of the language as linear terms and tests, for a choice of flags, list lengths and absences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from schemata.language import model as m
from schemata.language.bounds import Bounds, implied
from schemata.language.substitute import fold, substitute
from schemata.program.linear import Affine, AnyOf, Asks, Linear, Sort, variable
from schemata.program.matching import Equals
from schemata.program.model import (
    Atom,
    Column,
    ColumnShape,
    Fixed,
    Kind,
    NotLinear,
    NotLowerable,
    Parts,
    Shape,
)
from schemata.program.queries import ask, sort_of

Conjunction = tuple[Linear, ...]
TRUE: tuple[Conjunction, ...] = ((),)
FALSE: tuple[Conjunction, ...] = ()
CONJUNCTIONS = 64  # that one condition may become


def affine(term: m.Term) -> Affine:
    """Return a position or symbol as a linear term.

    Raises
    ------
    NotLinear : the term is neither.
    """
    match term:
        case m.Lit(bool() | None):
            pass
        case m.Lit(int() as number):
            return Affine(number)
        case m.Lit(str() as symbol):
            return variable(f"'{symbol}'")
        case m.Var(name):
            return variable(name)
        case m.Linear(number, atoms) if all(isinstance(atom, m.Var) for atom, _ in atoms):
            return Affine.of(number, ((atom.name, k) for atom, k in atoms))
    raise NotLinear("a length of a list, or another term that is no linear one")


def tests_of(condition: m.Term) -> tuple[Linear | AnyOf, ...] | None:
    """Return a condition as tests that must all hold, or None where it never does.

    Raises
    ------
    NotLinear : some part of it has no linear form.
    """
    if isinstance(condition, m.Junction) and condition.word == "and":
        found: list[Linear | AnyOf] = []
        for part in condition.operands:
            inner = tests_of(part)
            if inner is None:
                return None
            found += inner
        return tuple(found)
    options = alternatives(condition)
    if not options:
        return None
    if any(not option for option in options):
        return ()
    return options[0] if len(options) == 1 else (AnyOf(options),)


def alternatives(term: m.Term, holds: bool = True) -> tuple[Conjunction, ...]:
    """Return a condition, or its opposite, as a disjunction of conjunctions of linear tests."""
    match term:
        case m.Lit(bool() as value):
            return TRUE if value == holds else FALSE
        case m.Not(operand):
            return alternatives(operand, not holds)
        case m.Junction(word, operands):
            parts = [alternatives(operand, holds) for operand in operands]
            return _all(parts) if (word == "and") == holds else _any(parts)
        case m.IsAbsent(operand):
            return TRUE if (operand == m.Lit(None)) == holds else FALSE
        case m.Compare(relation, left, right):
            return _compare(relation, left, right, holds)
        case m.Member(element, region):
            return _member(element, region, holds)
        case m.InOrder() | m.AllWithin():
            raise NotLinear("a list of intervals without a bound")
    raise NotLinear("a condition that has no linear form")


def _all(parts: list[tuple[Conjunction, ...]]) -> tuple[Conjunction, ...]:
    found: tuple[Conjunction, ...] = TRUE
    for part in parts:
        found = tuple(dict.fromkeys((*a, *(t for t in b if t not in a)) for a in found for b in part))
        if len(found) > CONJUNCTIONS:
            raise NotLinear("a condition with very many alternatives")
    return found


def _any(parts: list[tuple[Conjunction, ...]]) -> tuple[Conjunction, ...]:
    found = tuple(dict.fromkeys(option for part in parts for option in part))
    if () in found:
        return TRUE
    if len(found) > CONJUNCTIONS:
        raise NotLinear("a condition with very many alternatives")
    return found


def _compare(relation: str, left: m.Term, right: m.Term, holds: bool) -> tuple[Conjunction, ...]:
    if relation in ("==", "!="):
        return _equal(left, right, holds == (relation == "=="))
    if m.Lit(None) in (left, right):  # an order with an absent value is false
        return FALSE if holds else TRUE
    more = affine(right) - affine(left)
    strict = relation == "<"
    if holds:
        return _linear(">=", more - 1 if strict else more)
    return _linear(">=", -more if strict else -more - 1)


def _equal(left: m.Term, right: m.Term, holds: bool) -> tuple[Conjunction, ...]:
    if m.Lit(None) in (left, right):
        return TRUE if (left == right) == holds else FALSE
    if left == m.Any():  # of an arc, what is left open
        return TRUE if holds else FALSE
    for one, other in ((left, right), (right, left)):
        if isinstance(other, m.Lit) and isinstance(other.value, bool):
            return alternatives(one, other.value == holds)
    match left, right:
        case ((m.TupleTerm(parts) | m.ListTerm(parts)), (m.TupleTerm(others) | m.ListTerm(others))):
            if len(parts) != len(others):
                return FALSE if holds else TRUE
            pairs = [_equal(a, b, holds) for a, b in zip(parts, others, strict=True)]
            return _all(pairs) if holds else _any(pairs)
    return _linear("==" if holds else "!=", affine(left) - affine(right))


def _member(element: m.Term, region: m.Region, holds: bool) -> tuple[Conjunction, ...]:
    match region:
        case m.Interval(low, high):
            inside = (m.Compare("<=", low, element), m.Compare("<=", element, high))
            return alternatives(m.Junction("and", inside), holds)
        case m.Without(left, m.Interval() as taken):
            parts = [_member(element, left, holds), _member(element, taken, not holds)]
        case m.Without(left, m.ListTerm(intervals)):
            parts = [_member(element, left, holds)]
            for interval in intervals:
                if not isinstance(interval, m.TupleTerm):
                    raise NotLinear("a list of intervals without a bound")
                parts.append(_member(element, m.Interval(*interval.terms), not holds))
        case _:
            raise NotLinear("membership in a list without a bound")
    return _all(parts) if holds else _any(parts)


def _linear(relation: str, left: Affine) -> tuple[Conjunction, ...]:
    """Return one linear test; what holds for no values, or for all, is decided here."""
    if relation == ">=":
        if not left.terms:
            return TRUE if left.constant >= 0 else FALSE
        return ((Linear(">=", left),),)
    if not left.terms or _distinct_symbols(left):
        equal = not left.terms and left.constant == 0
        return TRUE if equal == (relation == "==") else FALSE
    return ((Linear("==" if relation == "==" else "!=", left),),)


def _distinct_symbols(left: Affine) -> bool:
    return len(left.terms) == 2 and all(x.startswith("'") for x in left.names)


Signature: TypeAlias = "bool | Sort | tuple[Signature, ...] | None"  # a sort is a column's
# With the terms of columns, and what they equal.
Written: TypeAlias = tuple[Signature, tuple[Affine, ...], tuple[Equals, ...]]
KINDS = 256  # of one form
FEWER = "cut the step or the item in two, or have fewer flags and optional fields"
CHOICES = 4096  # choices of flags, absences and lengths that one case may have


def list_bounds(form: m.Form) -> tuple[int | None, ...]:
    """Return, by field, the greatest length of a list that the form's conditions allow, None where any."""
    facts = Bounds()
    for condition in form.where:
        facts.learn(implied(condition))
    bounds = ((f.type.kind, facts.distance(f"length {f.name}", "0")) for f in form.fields)
    return tuple(bound if kind == "list" else None for kind, bound in bounds)


@dataclass(slots=True)
class Kinds:
    """The kinds met so far, by form and signature.

    Attributes
    ----------
    forms : the schema's item forms.
    open_lists : whether all lists are terms; else those of bounded length are written out as columns.
    types : the types of variables that lowering made.
    """

    forms: tuple[m.Form, ...]
    open_lists: bool = False
    found: list[Kind] = field(default_factory=list)
    types: dict[str, m.Type] = field(default_factory=dict)
    _numbers: dict[tuple[int, Signature], int | None] = field(default_factory=dict)
    _bounds: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    _fresh: int = 0

    def form(self, name: str) -> m.Form:
        """Return the item form of a name."""
        return next(form for form in self.forms if form.name == name)

    def fresh(self, kind: m.Type = m.POSITION) -> m.Var:
        """Return a variable of a type that no rule has."""
        self._fresh += 1
        name = f"_{self._fresh}"
        self.types[name] = kind
        return m.Var(name)

    def bounds(self, form: m.Form) -> tuple[int | None, ...]:
        """Return, by field, the greatest length of a list that is written out as columns, None elsewhere."""
        if form.name not in self._bounds:
            self._bounds[form.name] = (None,) * len(form.fields) if self.open_lists else list_bounds(form)
        return self._bounds[form.name]

    def number(self, form: int, signature: Signature) -> int | None:
        """Return the number of a kind, or None where the form's conditions rule it out."""
        key = form, signature
        if key not in self._numbers:
            kind = _kind(self.forms[form], form, signature, len(self.found))
            if kind is not None:
                if sum(1 for k in self.found if k.form == form) >= KINDS:
                    construct = f"more than {KINDS} shapes of items {self.forms[form].name}"
                    raise NotLowerable.of(construct, FEWER).at(self.forms[form])
                self.found.append(kind)
            self._numbers[key] = None if kind is None else kind.number
        return self._numbers[key]

    def writings(self, pattern: m.Pattern) -> Iterator[Written]:
        """Yield the signatures of the items that a pattern can stand for, with their columns' terms."""
        form = self.form(pattern.form)
        return self._sequence(pattern.terms, [f.type for f in form.fields], self.bounds(form))

    def atom(self, pattern: m.Pattern, written: Written) -> Atom | None:
        """Return a pattern as one of its writings, or None where the form's conditions rule its kind out."""
        signature, terms, _ = written
        kind = self.number(self.forms.index(self.form(pattern.form)), signature)
        return None if kind is None else Atom(kind, terms)

    def _shapes(self, term: m.Term, kind: m.Type, bound: int | None) -> Iterator[Written]:
        match kind.kind, term:
            case "optional", m.Any():
                yield None, (), ()
                yield from self._shapes(term, kind.arguments[0], bound)
            case "optional", m.Lit(None):
                yield None, (), ()
            case _, m.Lit(None):
                return
            case "optional", _:
                yield from self._shapes(term, kind.arguments[0], bound)
            case (("position" | "symbol"), _):
                yield self._column(term, kind)
            case "flag", m.Lit(bool() as value):
                yield value, (), ()
            case "flag", m.Any():
                yield False, (), ()
                yield True, (), ()
            case "flag", m.Not(operand) if isinstance(opposite := fold(operand), m.Lit):
                yield not opposite.value, (), ()
            case "tuple", m.Any():
                yield from self._sequence([m.Any()] * len(kind.arguments), kind.arguments)
            case "tuple", m.TupleTerm(parts):
                yield from self._sequence(parts, kind.arguments)
            case "list", m.Any() if bound is not None:
                for length in range(bound + 1):
                    yield from self._sequence([m.Any()] * length, kind.arguments * length)
            case "list", m.ListTerm(elements) if bound is not None:
                yield from self._list(elements, kind.arguments[0], bound)
            case (("list" | "dotted" | "label" | "labels" | "dotted labels" | "term"), _) if bound is None:
                yield self._column(term, kind)
            case _:
                raise NotLowerable.of(f"a field of type {kind}")

    def _column(self, term: m.Term, kind: m.Type) -> Written:
        """Return a column whose value is a term; where the term is not linear, the two are equal by a query."""
        try:
            return sort_of(kind), (affine(self.fresh(kind) if isinstance(term, m.Any) else term),), ()
        except NotLinear:
            column = self.fresh(kind)
            return sort_of(kind), (affine(column),), (Equals(column.name, term, kind),)

    def _sequence(
        self, terms: Sequence[m.Term], types: Sequence[m.Type], bounds: Sequence[int | None] = ()
    ) -> Iterator[Written]:
        rows = zip(terms, types, bounds or [None] * len(terms), strict=True)
        parts = (self._shapes(*row) for row in rows)
        for choice in itertools.product(*parts):
            signatures, columns, goals = zip(*choice, strict=True) if choice else ((), (), ())
            yield signatures, tuple(itertools.chain(*columns)), tuple(itertools.chain(*goals))

    def _list(self, elements: Sequence[m.Term], inner: m.Type, bound: int) -> Iterator[Written]:
        if any(isinstance(e, m.Splice) for e in elements):
            raise NotLowerable.of("a list without a bound on its length")
        runs = sum(isinstance(e, m.Run) for e in elements)
        spare = max(0, bound - len(elements) + runs)
        for counts in itertools.product(range(spare + 1), repeat=runs):
            if sum(counts) <= spare:
                times = iter(counts)
                rows = ([e.shape] * next(times) if isinstance(e, m.Run) else [e] for e in elements)
                written = list(itertools.chain(*rows))
                yield from self._sequence(written, [inner] * len(written))


def choices_of(
    kinds: Kinds, types: Mapping[str, m.Type], lengths: Mapping[str, int] | None = None
) -> Iterator[tuple[dict[str, m.Term], str]]:
    """Yield every choice of flags, absences and list lengths, with a note that tells it; `lengths` bounds lists."""
    options: dict[str, list[tuple[m.Term, str]]] = {}
    for name, kind in types.items():
        values = list(_values_of(kinds, name, kind, (lengths or {}).get(name)))
        if name != "n" and values != [(m.Var(name), "")]:
            options[name] = values
    if math.prod(map(len, options.values())) > CHOICES:
        raise NotLowerable.of(f"a step with more than {CHOICES} choices of flags and lengths", FEWER)
    for choice in itertools.product(*options.values()):
        notes = ", ".join(note for _, note in choice if note)
        yield {name: term for name, (term, _) in zip(options, choice, strict=True)}, notes


def _values_of(kinds: Kinds, name: str, kind: m.Type, length: int | None) -> Iterator[tuple[m.Term, str]]:
    """Yield what a variable of a type may be, each with a note that tells it; `length` bounds a list."""
    match kind.kind:
        case "position" | "symbol":
            yield m.Var(name), ""
        case "flag":
            for value in (False, True):
                yield m.Lit(value), f"{name} = {str(value).lower()}"
        case "optional":
            yield m.Lit(None), f"{name} = -"
            for term, _ in _values_of(kinds, name, kind.arguments[0], length):
                yield term, f"{name} present"
        case "tuple":
            parts = [tuple(_values_of(kinds, kinds.fresh(a).name, a, None)) for a in kind.arguments]
            for choice in itertools.product(*parts):
                yield m.TupleTerm(tuple(t for t, _ in choice)), ""
        case "list" if length is not None and length >= KINDS:
            raise NotLowerable.of(f"a list of up to {length:,} elements")
        case "list" if length is not None:
            for size in range(length + 1):
                names = [f"{name}.{k + 1}" for k in range(size)]
                kinds.types |= dict.fromkeys(names, kind.arguments[0])
                inner = [tuple(_values_of(kinds, one, kind.arguments[0], None)) for one in names]
                for choice in itertools.product(*inner):
                    yield m.ListTerm(tuple(t for t, _ in choice)), f"length({name}) = {size}"
        case _:
            yield m.Var(name), ""


def _kind(form: m.Form, form_number: int, signature: Signature, number: int) -> Kind | None:
    """Return the kind of a signature, or None where the form's conditions never hold for it."""
    columns: list[Column] = []
    notes: list[str] = []
    assert isinstance(signature, tuple)

    def build(part: Signature, name: str) -> tuple[Shape, m.Term]:
        match part:
            case bool() | None:
                notes.append(f"{name} = {'-' if part is None else str(part).lower()}")
                return Fixed(part), m.Lit(part)
            case str() | m.Type():
                columns.append(Column(name, part))
                return ColumnShape(len(columns) - 1), m.Var(name)
        built = [build(p, f"{name}.{k + 1}") for k, p in enumerate(part)]
        return Parts(tuple(s for s, _ in built)), m.TupleTerm(tuple(t for _, t in built))

    shapes: list[Shape] = []
    given: dict[str, m.Term] = {}
    for part, declared in zip(signature, form.fields, strict=True):
        shape, term = build(part, declared.name)
        shapes.append(shape)
        if isinstance(term, m.TupleTerm) and declared.type.kind == "list":
            notes.append(f"length({declared.name}) = {len(term.terms)}")
            term = m.ListTerm(term.terms)
        given[declared.name] = term
    conditions: list[Linear | AnyOf] = []
    asks: list[Asks] = []
    for condition in form.where:
        term = fold(substitute(condition, given))
        try:
            tests = tests_of(term)
        except NotLinear:
            parts = {column.name: column.sort for column in columns if isinstance(column.sort, m.Type)}
            asks.append(ask([term], {**{f.name: f.type for f in form.fields}, **parts}))
            continue
        if tests is None:
            return None
        conditions += tests
    name = form.name + (f"({', '.join(notes)})" if notes else "")
    more = tuple(dict.fromkeys(conditions)), tuple(asks)
    return Kind(number, form_number, name, tuple(shapes), tuple(columns), *more)
