"""What is finite in a rule, written out: every choice of flags, absences and lengths of lists."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from schemata.engine.lowering.kinds import Kinds, list_bounds
from schemata.engine.lowering.model import NotLowerable
from schemata.language import model as m
from schemata.language.substitute import fold, substitute

__all__ = ["choices_of", "chosen", "values_of"]

CHOICES = 4096  # choices of flags, absences and lengths that one case may have


def choices_of(schema: m.Schema, kinds: Kinds, case: m.Case) -> Iterator[tuple[dict[str, m.Term], str]]:
    """Yield every choice of flags, absences and list lengths, with a note that tells it."""
    lengths = _lengths(schema, case)
    names: list[str] = []
    options: list[list[tuple[m.Term, str]]] = []
    total = 1
    for name, kind in case.types.items():
        if name == "n":
            continue
        found = list(values_of(kinds, name, kind, lengths.get(name)))
        if found == [(m.Var(name), "")]:
            continue
        names.append(name)
        options.append(found)
        total *= len(found)
    if total > CHOICES:
        raise NotLowerable(f"a step with more than {CHOICES} choices of flags and lengths")
    for choice in itertools.product(*options):
        notes = ", ".join(note for _, note in choice if note)
        yield {name: term for name, (term, _) in zip(names, choice, strict=True)}, notes


def values_of(kinds: Kinds, name: str, kind: m.Type, length: int | None) -> Iterator[tuple[m.Term, str]]:
    """Yield what a variable of a type may be, each with a note that tells it; `length` bounds a list."""
    match kind.kind:
        case "position" | "symbol":
            yield m.Var(name), ""
        case "flag":
            for value in (False, True):
                yield m.Lit(value), f"{name} = {str(value).lower()}"
        case "optional":
            yield m.Lit(None), f"{name} = -"
            for term, _ in values_of(kinds, name, kind.arguments[0], length):
                yield term, f"{name} present"
        case "tuple":
            parts = [tuple(values_of(kinds, kinds.fresh().name, a, None)) for a in kind.arguments]
            for choice in itertools.product(*parts):
                yield m.TupleTerm(tuple(t for t, _ in choice)), ""
        case "list":
            if length is None:
                raise NotLowerable("a list without a bound on its length")
            for size in range(length + 1):
                inner = [
                    tuple(values_of(kinds, f"{name}.{k + 1}", kind.arguments[0], None)) for k in range(size)
                ]
                for choice in itertools.product(*inner):
                    yield m.ListTerm(tuple(t for t, _ in choice)), f"length({name}) = {size}"
        case _:
            raise NotLowerable("a dotted rule" if kind.kind == "dotted" else f"a variable of type {kind}")


def chosen(pattern: m.Pattern, given: Mapping[str, m.Term]) -> m.Pattern:
    """Return a pattern with a choice made."""
    return m.Pattern(pattern.form, tuple(fold(substitute(t, given)) for t in pattern.terms))


def _lengths(schema: m.Schema, case: m.Case) -> dict[str, int]:
    """Return the greatest length of every list variable that an antecedent's item form bounds."""
    most: dict[str, int] = {}

    def note(name: str, bound: int) -> None:
        most[name] = min(bound, most.get(name, bound))

    for antecedent in case.antecedents:
        form = schema.form(antecedent.pattern.form)
        for term, bound in zip(antecedent.pattern.terms, list_bounds(form), strict=True):
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
