"""The kinds of an item form, and which kinds a pattern of it can stand for.

A pattern's shapes are enumerated field by field: a flag is true or false, an optional value absent or there, a
bounded list of every length. Each choice gives a signature, which names the kind, and the terms of its columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from schemata.engine.lowering.conditions import affine, tests_of
from schemata.engine.lowering.linear import Affine, AnyOf, Linear
from schemata.engine.lowering.model import Atom, Column, ColumnShape, Fixed, Kind, NotLowerable, Parts, Shape
from schemata.language import model as m
from schemata.language.bounds import Bounds, implied
from schemata.language.substitute import fold, substitute

__all__ = ["Kinds", "Written", "list_bounds"]

Signature: TypeAlias = "bool | str | tuple[Signature, ...] | None"  # a str is a column's sort
Written = tuple[Signature, tuple[Affine, ...]]
LIMIT = 256  # kinds of one form


def list_bounds(form: m.Form) -> tuple[int | None, ...]:
    """Return, by field, the greatest length of a list that the form's conditions allow, None where any."""
    facts = Bounds()
    for condition in form.where:
        facts.learn(implied(condition))
    return tuple(
        facts.distance(f"length {f.name}", "0") if f.type.kind == "list" else None for f in form.fields
    )


@dataclass(slots=True)
class Kinds:
    """The kinds met so far, by form and signature."""

    schema: m.Schema
    found: list[Kind] = field(default_factory=list)
    _numbers: dict[tuple[int, Signature], int | None] = field(default_factory=dict)
    _fresh: int = 0

    def fresh(self) -> m.Var:
        """Return a variable that no rule has."""
        self._fresh += 1
        return m.Var(f"_{self._fresh}")

    def number(self, form: int, signature: Signature) -> int | None:
        """Return the number of a kind, or None where the form's conditions rule it out."""
        key = form, signature
        if key not in self._numbers:
            kind = _kind(self.schema, form, signature, len(self.found))
            if kind is not None:
                if sum(1 for k in self.found if k.form == form) >= LIMIT:
                    raise NotLowerable(f"more than {LIMIT} shapes of items `{self.schema.forms[form].name}`")
                self.found.append(kind)
            self._numbers[key] = None if kind is None else kind.number
        return self._numbers[key]

    def writings(self, pattern: m.Pattern) -> Iterator[Written]:
        """Yield the signatures of the items that a pattern can stand for, with their columns' terms."""
        form = self.schema.form(pattern.form)
        fields = [
            tuple(self._shapes(term, f.type, bound))
            for term, f, bound in zip(pattern.terms, form.fields, list_bounds(form), strict=True)
        ]
        for choice in itertools.product(*fields):
            yield tuple(s for s, _ in choice), tuple(t for _, terms in choice for t in terms)

    def atom(self, pattern: m.Pattern, written: Written) -> Atom | None:
        """Return a pattern as one of its writings, or None where the form's conditions rule its kind out."""
        signature, terms = written
        kind = self.number(self.schema.forms.index(self.schema.form(pattern.form)), signature)
        return None if kind is None else Atom(kind, terms)

    def _shapes(self, term: m.Term, kind: m.Type, bound: int | None) -> Iterator[Written]:
        match kind.kind, term:
            case "optional", m.Any():
                yield None, ()
                yield from self._shapes(term, kind.arguments[0], bound)
            case "optional", m.Lit(None):
                yield None, ()
            case _, m.Lit(None):
                return
            case "optional", _:
                yield from self._shapes(term, kind.arguments[0], bound)
            case ("position" | "symbol") as sort, _:
                yield sort, (affine(self.fresh() if isinstance(term, m.Any) else term),)
            case "flag", m.Lit(bool() as value):
                yield value, ()
            case "flag", m.Any():
                yield False, ()
                yield True, ()
            case "tuple", m.Any():
                yield from self._sequence([m.Any()] * len(kind.arguments), kind.arguments)
            case "tuple", m.TupleTerm(parts):
                yield from self._sequence(parts, kind.arguments)
            case "list", m.Any() if bound is not None:
                for length in range(bound + 1):
                    yield from self._sequence([m.Any()] * length, kind.arguments * length)
            case "list", m.ListTerm(elements):
                yield from self._list(elements, kind.arguments[0], bound)
            case "list", _:
                raise NotLowerable("a list without a bound on its length")
            case "dotted", _:
                raise NotLowerable("a dotted rule")
            case _:
                raise NotLowerable(f"a field of type {kind}")

    def _sequence(self, terms: Sequence[m.Term], types: Sequence[m.Type]) -> Iterator[Written]:
        parts = [tuple(self._shapes(t, k, None)) for t, k in zip(terms, types, strict=True)]
        for choice in itertools.product(*parts):
            yield tuple(s for s, _ in choice), tuple(t for _, ts in choice for t in ts)

    def _list(self, elements: Sequence[m.Term], inner: m.Type, bound: int | None) -> Iterator[Written]:
        runs = [k for k, e in enumerate(elements) if isinstance(e, m.Run)]
        if any(isinstance(e, m.Splice) for e in elements) or (runs and bound is None):
            raise NotLowerable("a list without a bound on its length")
        spare = 0 if bound is None else max(0, bound - len(elements) + len(runs))
        for counts in itertools.product(range(spare + 1), repeat=len(runs)):
            if sum(counts) > spare and runs:
                continue
            times = dict(zip(runs, counts, strict=True))
            written: list[m.Term] = []
            for k, element in enumerate(elements):
                if isinstance(element, m.Run):
                    written += [element.shape] * times[k]
                else:
                    written.append(element)
            yield from self._sequence(written, [inner] * len(written))


def _kind(schema: m.Schema, form_number: int, signature: Signature, number: int) -> Kind | None:
    """Return the kind of a signature, or None where the form's conditions never hold for it."""
    form = schema.forms[form_number]
    columns: list[Column] = []
    notes: list[str] = []
    assert isinstance(signature, tuple)

    def build(part: Signature, name: str) -> tuple[Shape, m.Term]:
        match part:
            case bool() | None:
                notes.append(f"{name} = {'-' if part is None else str(part).lower()}")
                return Fixed(part), m.Lit(part)
            case str():
                columns.append(Column(name, "symbol" if part == "symbol" else "position"))
                return ColumnShape(len(columns) - 1), m.Var(name)
        built = [build(p, f"{name}.{k + 1}") for k, p in enumerate(part)]
        return Parts(tuple(s for s, _ in built)), m.TupleTerm(tuple(t for _, t in built))

    shapes: list[Shape] = []
    given: dict[str, m.Term] = {}
    for part, declared in zip(signature, form.fields, strict=True):
        shape, term = build(part, declared.name)
        shapes.append(shape)
        if declared.type.kind == "list":
            assert isinstance(term, m.TupleTerm)
            notes.append(f"length({declared.name}) = {len(term.terms)}")
            term = m.ListTerm(term.terms)
        given[declared.name] = term
    conditions: list[Linear | AnyOf] = []
    for condition in form.where:
        tests = tests_of(fold(substitute(condition, given)))
        if tests is None:
            return None
        conditions += tests
    name = form.name + (f"({', '.join(notes)})" if notes else "")
    return Kind(number, form_number, name, tuple(shapes), tuple(columns), tuple(dict.fromkeys(conditions)))
