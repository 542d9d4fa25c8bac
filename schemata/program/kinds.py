"""Terms and conditions of the language as linear terms and tests, for a choice of flags, list lengths and absences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from schemata.language import model as m
from schemata.language.bounds import FALSE, TRUE, Alternatives, NotLinear, Options, stated
from schemata.language.substitute import fold, substitute
from schemata.program.linear import Affine, AnyOf, Asks, Linear, TypeSort, variable
from schemata.program.matching import Equals
from schemata.program.model import Atom, Column, ColumnShape, FieldShape, Fixed, Kind, NotLowerable, Parts
from schemata.program.queries import ask, sort_of
from schemata.thresholds import REFUSALS


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
    raise NotLinear


def tests_of(condition: m.Term) -> tuple[Linear | AnyOf, ...] | None:
    """Return a condition as tests that must all hold, or None if it never does.

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
    options = _ALTERNATIVES.of(condition)
    if not options:
        return None
    if any(not option for option in options):
        return ()
    return options[0] if len(options) == 1 else (AnyOf(options),)


def _test(relation: str, left: m.Term, right: m.Term, gap: int) -> Options[Linear]:
    """Return one linear test; a test that holds for no values, or for all, is decided here.

    Raises
    ------
    NotLinear : the terms have no linear form.
    """
    difference = affine(right) - affine(left) - gap
    if relation == "<=":
        if not difference.terms:
            return TRUE if difference.constant >= 0 else FALSE
        return ((Linear(">=", difference),),)
    if not difference.terms or _distinct_symbols(difference):
        equal = not difference.terms and difference.constant == 0
        return TRUE if equal == (relation == "==") else FALSE
    return ((Linear("==" if relation == "==" else "!=", -difference),),)


_ALTERNATIVES = Alternatives(_test)


def _distinct_symbols(difference: Affine) -> bool:
    return len(difference.terms) == 2 and all(x.startswith("'") for x in difference.names)


TestSignature: TypeAlias = "bool | TypeSort | tuple[TestSignature, ...] | None"  # a sort is a column's
# With the terms of columns, and what they equal.
Written: TypeAlias = tuple[TestSignature, tuple[Affine, ...], tuple[Equals, ...]]
FEWER = "cut the step or the item in two, or have fewer flags and optional fields"


def list_bounds(form: m.Form) -> tuple[int | None, ...]:
    """Return, by field, the greatest length of a list that the form's conditions allow, None if they allow any."""
    facts = stated(form.where)
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
    _numbers: dict[tuple[int, TestSignature], int | None] = field(default_factory=dict)
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

    def number(self, form: int, signature: TestSignature) -> int | None:
        """Return the number of a kind, or None if the form's conditions rule it out."""
        key = form, signature
        if key not in self._numbers:
            kind = _kind(self.forms[form], form, signature, len(self.found))
            if kind is not None:
                if sum(1 for k in self.found if k.form == form) >= REFUSALS.kinds:
                    construct = f"more than {REFUSALS.kinds} shapes of items {self.forms[form].name}"
                    raise NotLowerable.of(construct, FEWER).at(self.forms[form])
                self.found.append(kind)
            self._numbers[key] = None if kind is None else kind.number
        return self._numbers[key]

    def writings(self, pattern: m.Pattern) -> Iterator[Written]:
        """Yield the signatures of the items that a pattern can stand for, with their columns' terms."""
        form = self.form(pattern.form)
        return self._sequence(pattern.terms, [f.type for f in form.fields], self.bounds(form))

    def atom(self, pattern: m.Pattern, written: Written) -> Atom | None:
        """Return a pattern as one of its writings, or None if the form's conditions rule its kind out."""
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
    """Yield every choice of flags, absences and list lengths, with a note that names it; `lengths` bounds lists."""
    options: dict[str, list[tuple[m.Term, str]]] = {}
    for name, kind in types.items():
        values = list(_values_of(kinds, name, kind, (lengths or {}).get(name)))
        if name != "n" and values != [(m.Var(name), "")]:
            options[name] = values
    if math.prod(map(len, options.values())) > REFUSALS.choices:
        raise NotLowerable.of(f"a step with more than {REFUSALS.choices} choices of flags and lengths", FEWER)
    for choice in itertools.product(*options.values()):
        notes = ", ".join(note for _, note in choice if note)
        yield {name: term for name, (term, _) in zip(options, choice, strict=True)}, notes


def _values_of(kinds: Kinds, name: str, kind: m.Type, length: int | None) -> Iterator[tuple[m.Term, str]]:
    """Yield the possible values of a variable of a type, each with a note that names it; `length` bounds a list."""
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
        case "list" if length is not None and length >= REFUSALS.kinds:
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


def _kind(form: m.Form, form_number: int, signature: TestSignature, number: int) -> Kind | None:
    """Return the kind of a signature, or None if the form's conditions never hold for it."""
    columns: list[Column] = []
    notes: list[str] = []
    assert isinstance(signature, tuple)

    def build(part: TestSignature, name: str) -> tuple[FieldShape, m.Term]:
        match part:
            case bool() | None:
                notes.append(f"{name} = {'-' if part is None else str(part).lower()}")
                return Fixed(part), m.Lit(part)
            case str() | m.Type():
                columns.append(Column(name, part))
                return ColumnShape(len(columns) - 1), m.Var(name)
        built = [build(p, f"{name}.{k + 1}") for k, p in enumerate(part)]
        return Parts(tuple(s for s, _ in built)), m.TupleTerm(tuple(t for _, t in built))

    shapes: list[FieldShape] = []
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
