"""Abbreviations: `define linked(b, c) = b or c`, and the conditions and terms that stand for them.

An abbreviation is expanded where it is used, before names and types are resolved: `linked(x, not y)` is read as
`x or not y`. Its body speaks of its parameters, the schema's parameters and `n` alone, so that it means the same
everywhere. Mistakes in what it stands for are reported at its definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from schemata.errors import did_you_mean, one_of
from schemata.language import syntax as s
from schemata.language.extension import Effective
from schemata.language.model import rewrite
from schemata.language.parse import CONDITION_WORDS, RESERVED
from schemata.language.source import Findings, Span
from schemata.wording import quantity


def expanded(effective: Effective, problems: Findings) -> Effective:
    """Return the declarations of a schema without abbreviations; reports abbreviations with mistakes."""
    if not effective.definitions:
        return effective
    known: dict[str, s.Definition] = {}
    for definition in effective.definitions:
        if _is_sound(definition, known, effective, problems):
            known[definition.name] = replace(definition, body=_expand(definition.body, known, problems))

    def each(declared: Sequence[tuple[Any, s.Environment]]) -> list[tuple[Any, s.Environment]]:
        return [(_expand(declaration, known, problems), environment) for declaration, environment in declared]

    return replace(
        effective,
        items=each(effective.items),
        hypotheses=each(effective.hypotheses),
        equations=each(effective.equations),
        steps=each(effective.steps),
        finals=each(effective.finals),
    )


def _is_sound(
    definition: s.Definition, known: Mapping[str, s.Definition], effective: Effective, problems: Findings
) -> bool:
    """Whether an abbreviation can be used; reports it if not."""
    name, before = definition.name, len(problems)
    taken = {*known, *(relation.name for relation in effective.relations)}
    if name in taken or name in RESERVED | CONDITION_WORDS | {"given", "reverse"}:
        problems.report(definition.span, "duplicate-definition", f"{name} is taken", "another name")
    own = [parameter.id for parameter in definition.parameters]
    free = {"n", *own, *(p.name for p in effective.parameters), *effective.lost_names}
    for used in s.names_in(definition.body):
        called = {found.id for _, found, _ in _calls(definition.body)}
        if used.id not in free and used.id not in called:
            message = f"{used.id} is no parameter of {name}"
            hint = did_you_mean(used.id, own)
            problems.report(used.span, "unbound-variable", message, one_of(own) if own else "n", hint)
            break
    later = [found for _, found, _ in _calls(definition.body) if found.id not in taken]
    for found in later:
        message = f"{found.id} is not defined before {name}"
        problems.report(
            found.span, "unknown-relation", message, "an abbreviation or relation declared before"
        )
        break
    return len(problems) == before


def _calls(node: Any) -> list[tuple[Any, s.Name, tuple[s.Term, ...]]]:
    """Return what in a node may be an abbreviation: the part, its name and its arguments."""
    found: list[tuple[Any, s.Name, tuple[s.Term, ...]]] = []

    def look(part: Any) -> None:
        call = _call(part)
        if call is not None:
            found.append((part, *call))

    rewrite(node, look)
    return found


def _call(node: Any) -> tuple[s.Name, tuple[s.Term, ...]] | None:
    match node:
        case s.Fact(s.Name() as name, terms):
            return name, terms
        case s.Dotted(s.Name() as name, ((*terms,),)) if len(terms) < 2 and name.id != "reverse":
            return name, tuple(terms)
    return None


def _expand(node: Any, known: Mapping[str, s.Definition], problems: Findings) -> Any:
    """Return a node with what abbreviations stand for."""

    def change(part: Any) -> Any:
        call = _call(part)
        definition = known.get(call[0].id) if call is not None else None
        if call is None or definition is None:
            return None
        name, terms = call
        wanted = [parameter.id for parameter in definition.parameters]
        if len(terms) != len(wanted):
            message = f"{name.id} takes {quantity(len(wanted), 'argument')}, not {len(terms)}"
            problems.report(part.span, "wrong-arity", message, f"{name.id}({', '.join(wanted)})")
            return s.Constant(True, "flag", part.span)
        given = dict(zip(wanted, (_expand(term, known, problems) for term in terms), strict=True))
        body = _filled(definition.body, given, part.span)
        return body[0] if len(body) == 1 else s.Junction("and", body, part.span)

    return rewrite(node, change)


def _filled(body: Any, given: Mapping[str, s.Term], span: Span) -> Any:
    """Return the body of an abbreviation with arguments in place of its parameters."""

    def change(part: Any) -> Any:
        if isinstance(part, s.Name | s.Star) and part.id in given:
            return given[part.id]
        return None

    return rewrite(body, change)
