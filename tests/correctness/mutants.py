"""Schemata with one condition or term changed, and what they derive, by runs: what proofs are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from schemata.correctness.certificate import NotProved
from schemata.correctness.questions import Questions, QuickQuestions
from schemata.correctness.recheck import certificate_of, refusal
from schemata.correctness.search import CLAIMS, find_proof
from schemata.correctness.shipped import file_name
from schemata.language import model as m
from schemata.language.files import read_schema_text
from schemata.language.shipped import shipped_files
from schemata.order.logic import SolverFailed
from schemata.records import replace
from schemata.verification.claims import shipped_claims
from schemata.workbench import ParsingSchema

DISTANCES = range(4, 10)
"""The distances at which conditions are strengthened or weakened."""
_ABOUT = {claim.reference for claim in shipped_claims() if claim.class_name == "projective"}
PROVED = sorted(x for x in _ABOUT if file_name(x) in shipped_files(".certificate"))
"""The schemata that have a certificate about projective trees."""


def schema_from(text: str) -> ParsingSchema:
    """Return the schema that a text says."""
    schema, problems = read_schema_text(text)
    assert schema is not None, problems
    return ParsingSchema(schema)


def mutants(schema: m.Schema, distances: Sequence[int] = ()) -> Iterator[tuple[str, int, m.Schema]]:
    """Yield schemata with one change: what is changed, how many words may be needed to see it, and the schema.

    Each condition of steps, items, final items and hypotheses is left out, weakened, and shifted by one, each term
    of an item in a step is shifted by one, each link or licence left out, and each step. With distances, each step
    also loses its instances whose consequents have two positions at such a distance, or at a greater one; and each of
    its conditions no longer holds of those at such a distance.
    """
    for part in ("cases", "forms", "finals", "hypotheses"):
        rows: tuple[Any, ...] = getattr(schema, part)
        name = "where" if part == "forms" else "conditions"
        for k, row in enumerate(rows):
            where = f"{part[:-1]} {row.step if part == 'cases' else k}"
            for said, more in _changes(getattr(row, name)):
                changed = replace(row, **{name: more})
                yield f"{where}: {said}", 0, _with(schema, part, k, changed)
    for k, case in enumerate(schema.cases):
        for said, other in _other_cases(case):
            yield f"case {case.step}: {said}", 0, _with(schema, "cases", k, other)
        cases = schema.cases[:k] + schema.cases[k + 1 :]
        yield f"case {case.step} left out", 0, replace(schema, cases=cases)
        for distance in distances:
            for said, conditions in _far(case, distance):
                other = replace(case, conditions=conditions)
                yield f"case {case.step}: {said}", distance + 1, _with(schema, "cases", k, other)


def _with(schema: m.Schema, part: str, k: int, row: object) -> m.Schema:
    rows = getattr(schema, part)
    return replace(schema, **{part: (*rows[:k], row, *rows[k + 1 :])})


def _changes(conditions: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield conditions with one left out, weakened, or shifted."""
    flat: list[Any] = []
    for one in conditions:
        flat += one.operands if isinstance(one, m.Junction) and one.word == "and" else [one]
    for k, one in enumerate(flat):
        rest = flat[:k], flat[k + 1 :]
        yield f"without condition {k}", (*rest[0], *rest[1])
        if isinstance(one, m.Compare) and not isinstance(one.right, m.Lit):
            others = [replace(one, right=_shifted(one.right, by)) for by in (1, -1)]
            if one.relation == "!=":
                others += [replace(one, relation="<"), m.Compare("<", one.right, one.left)]
            if one.relation == "<":
                others.append(replace(one, relation="!="))
            for said, other in enumerate(others):
                yield f"condition {k} changed ({said})", (*rest[0], other, *rest[1])


def _shifted(term: Any, by: int) -> m.Linear:
    match term:
        case m.Linear(constant, atoms):
            return m.Linear(constant + by, atoms)
        case m.Lit(value):
            return m.Linear(value + by, ())
    return m.Linear(by, ((term, 1),))


def _is_position(term: Any, case: m.Case) -> bool:
    if isinstance(term, m.Linear):
        return True
    return (
        isinstance(term, m.Var) and case.types[term.name].kind == "position" if _typed(term, case) else False
    )


def _typed(term: Any, case: m.Case) -> bool:
    return isinstance(term, m.Var) and term.name in case.types


def _other_cases(case: m.Case) -> Iterator[tuple[str, m.Case]]:
    """Yield a case with one part changed: a term of its consequent, a flag above, or a link."""
    terms = case.consequent.terms
    for k, term in enumerate(terms):
        others: list[Any] = []
        if _is_position(term, case):
            others = [_shifted(term, 1), _shifted(term, -1)]
            others += [x for x in terms if _is_position(x, case) and x != term]
        elif isinstance(term, m.Lit) and isinstance(term.value, bool):
            others = [m.Lit(not term.value)]
        for said, other in enumerate(others):
            changed = replace(case.consequent, terms=(*terms[:k], other, *terms[k + 1 :]))
            yield f"consequent's field {k} changed ({said})", replace(case, consequent=changed)
    for a, above in enumerate(case.antecedents):
        for k, term in enumerate(above.pattern.terms):
            if isinstance(term, m.Lit) and isinstance(term.value, bool):
                for other in (m.Lit(not term.value), m.Any()):
                    terms = (*above.pattern.terms[:k], other, *above.pattern.terms[k + 1 :])
                    one = replace(above, pattern=replace(above.pattern, terms=terms))
                    rows = (*case.antecedents[:a], one, *case.antecedents[a + 1 :])
                    yield f"antecedent {a}, field {k} changed", replace(case, antecedents=rows)
    for k in range(len(case.links)):
        yield f"without link {k}", replace(case, links=case.links[:k] + case.links[k + 1 :])
        link = case.links[k]
        if isinstance(link, m.Built) and len(link.terms) == 2:
            turned = replace(link, terms=link.terms[::-1])
            yield f"link {k} turned", replace(case, links=(*case.links[:k], turned, *case.links[k + 1 :]))


def _far(case: m.Case, distance: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield conditions with one more, or one weaker: of two positions of the consequent at a distance, or further."""
    own = case.conditions
    positions = [t for t in case.consequent.terms if isinstance(t, m.Var) and _is_position(t, case)]
    for x in positions:
        for y in positions:
            if x != y:
                further = m.Linear(distance, ((x, 1),))
                yield f"{y.name} - {x.name} != {distance}", (*own, m.Compare("!=", y, further))
                yield f"{y.name} - {x.name} < {distance}", (*own, m.Compare("<", y, further))
                for k, one in enumerate(own):
                    if not isinstance(one, m.Compare):
                        continue
                    weaker = m.Junction("or", (one, m.Compare("==", y, further)))
                    said = f"condition {k} or {y.name} - {x.name} == {distance}"
                    yield said, (*own[:k], weaker, *own[k + 1 :])


def proved(
    schema: m.Schema, wanted: Sequence[str] = CLAIMS, patience: float = 40.0, class_name: str | None = None
) -> dict[str, str]:
    """Return the claims of those wanted that are not proved by a certificate that is accepted, with reasons."""
    try:
        found = find_proof(schema, QuickQuestions(patience), wanted, class_name)
    except (NotProved, SolverFailed) as reason:
        return dict.fromkeys(wanted, str(reason))
    if found.certificate is None:
        return {claim: str(found.reasons.get(claim, "not tried")) for claim in wanted}
    certificate = certificate_of(found.certificate.text(), "text")
    reasons = {
        claim: str(found.reasons.get(claim, "")) for claim in wanted if not getattr(certificate, claim)
    }
    try:
        refused = refusal(schema, certificate, Questions(patience))
    except SolverFailed as failure:
        refused = str(failure)
    return dict.fromkeys(wanted, f"refused: {refused}") if refused else reasons


def refuted(schema: m.Schema, max_n: int) -> dict[str, Any]:
    """Return the claims that runs refute, exhaustively to some number of words, with what shows it."""
    verdict = ParsingSchema(schema).verify("projective", max_n)
    shown = {
        "sound": verdict.unsound,
        "complete": verdict.incomplete,
        "each_once": verdict.ambiguous,
    }
    return {claim: case for claim, case in shown.items() if getattr(verdict, claim) is False}
