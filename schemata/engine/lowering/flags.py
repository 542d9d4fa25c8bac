"""Computed flags of a consequent, decided in every way: each with the tests under which they are so."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from schemata.engine.lowering.conditions import alternatives
from schemata.engine.lowering.linear import AnyOf, Linear
from schemata.language import model as m
from schemata.language.substitute import fold

__all__ = ["flags_decided"]


def flags_decided(form: m.Form, pattern: m.Pattern) -> Iterator[tuple[m.Pattern, tuple[Linear | AnyOf, ...]]]:
    """Yield a consequent with its computed flags decided, with the tests under which they are so."""
    for terms, tests in _all_decided(pattern.terms, [f.type for f in form.fields]):
        yield m.Pattern(pattern.form, terms), tests


def _all_decided(
    terms: Sequence[m.Term], kinds: Sequence[m.Type]
) -> Iterator[tuple[tuple[m.Term, ...], tuple[Linear | AnyOf, ...]]]:
    choices = [_decided(term, kind) for term, kind in zip(terms, kinds, strict=True)]
    for choice in itertools.product(*choices):
        yield tuple(t for t, _ in choice), tuple(x for _, tests in choice for x in tests)


def _decided(term: m.Term, kind: m.Type) -> list[tuple[m.Term, tuple[Linear | AnyOf, ...]]]:
    """Return a term with the flags in it decided in every way, each with the tests under which they are so."""
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
            outcomes: list[tuple[m.Term, tuple[Linear | AnyOf, ...]]] = []
            for value in (False, True):
                options = alternatives(folded, value)
                if options:
                    some = () if () in options else options[0] if len(options) == 1 else (AnyOf(options),)
                    outcomes.append((m.Lit(value), some))
            return outcomes
    return [(term, ())]
