"""Schemata of a lower degree: costly steps are folded, which is the hook trick where one antecedent is folded.

A *fold* takes some antecedents of a step, with the conditions and links that speak of them, into a step of its own. Its
consequent, a new item, keeps the variables that the rest of the step needs, and forgets the others. The step then has
the new item in place of the antecedents (Eisner and Blatz 2007; Vieira, Cotterell and Eisner 2021 for the search). A
step with more than two antecedents is binarised so.

For each step at the bottleneck the fold is taken whose two steps have the lowest degree. The result is written as a
schema that extends the original; `verify` answers as about the original, and `relate` decides that it is a step
refinement.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from itertools import combinations

from schemata.analysis.complexity import Complexity, complexity
from schemata.errors import UsageError
from schemata.json_values import json_of
from schemata.language import model as m
from schemata.language.bounds import Bounds
from schemata.language.files import read_schema_text
from schemata.language.relations import read_maps
from schemata.language.typeset import conditions_of, pattern_text, rule_text
from schemata.order.invariants import find_invariants, take_samples
from schemata.order.logic import Solver
from schemata.program.facts import facts_of
from schemata.program.linear import Asks
from schemata.program.lower import lower
from schemata.quick_dataclasses import Record
from schemata.relations.answers import Answer
from schemata.relations.decide import decide
from schemata.structures import TreeClass
from schemata.verification.verdicts import Verdict
from schemata.workbench import ParsingSchema, verify

SUFFIX = "-folded"
"""What the name of an improved schema ends in."""

_VERIFIED = 5  # words, at least, of the verification
_RELATED = 4  # words to which a proposal is shown to be a refinement


class Improvement(Record):
    """A schema of a lower degree.

    Parameters
    ----------
    name, text : the schema; the text extends the original.
    before, after : the costs of both.
    verdict : on the class of trees; None without one.
    relation : says that it is a step refinement of the original.
    """

    name: str
    text: str
    before: Complexity
    after: Complexity
    verdict: Verdict | None
    relation: Answer

    to_json = json_of(
        "schema=name text degree_before=before.time.cost.degree degree=after.time.cost.degree "
        "sound?=verdict.sound complete?=verdict.complete max_n?=verdict.max_n relation=relation.kind "
        "related_to=relation.extent.max_n every_n=relation.every_n"
    )


class _Fold(Record):
    """A case cut in two: the lines of the new item, of the step that makes it and of the step that takes it."""

    item: str
    makes: str
    takes: str


def improve(
    schema: ParsingSchema, wanted: TreeClass | None = None, max_n: int = _VERIFIED, *, seconds: float = 60.0
) -> Improvement | None:
    """Return a schema of a lower degree that derives the same, by folds of its costliest steps; None if none is found.

    Parameters
    ----------
    schema : a schema over D-rules whose lists are bounded.
    wanted : the class of trees of which it must say what the original says.
    max_n : the words to which that is verified.
    seconds : of the verification.

    Raises
    ------
    UsageError : the schema has no degree, or is over another kind of grammar.

    >>> from schemata import load
    >>> improve(load("arc-standard")).after.time.cost.degree
    4
    """
    definition = schema.definition
    before = complexity(schema, formulas=False, family=False)
    if definition.grammar != "d-rules" or before.time is None:
        raise UsageError(
            f"{schema.name} is not improved by folds: they need D-rules and bounded lists", code="no-folds"
        )
    degree = before.time.cost.degree
    costly = {part.name for part in before.steps if part.cost.degree == degree}
    facts = _facts_by_case(definition)
    parts: list[str] = []
    for number, step in enumerate(
        dict.fromkeys(case.step for case in definition.cases if case.step in costly)
    ):
        cases = [case for case in definition.cases if case.step == step]
        folds = [fold for case in cases for fold in _folds(definition, case, facts[case.lines], number + 1)]
        if len(cases) > 1 or not folds:
            return None  # other cases of the step would have to be written anew
        tried = ((_degree(definition, _text(definition, [_told(step, fold)]), step), fold) for fold in folds)
        best, chosen = min(tried, key=lambda pair: pair[0])
        if best >= degree:
            return None
        parts.append(_told(step, chosen))
    text = _text(definition, parts)
    improved = _read(definition, text)
    if improved is None:
        return None
    after = complexity(ParsingSchema(improved), formulas=False, family=False)
    verdict = None
    if wanted is not None:
        end = time.monotonic() + seconds
        verdict, first = (
            verify(one, wanted, max_n, seconds=max(end - time.monotonic(), 0.1))
            for one in (ParsingSchema(improved), schema)
        )
        if (verdict.sound, verdict.complete) != (first.sound, first.complete):
            return None
    maps = read_maps([], definition, improved, "step-refinement")
    relation = decide(maps, "step-refinement", _RELATED, lift=True)
    return Improvement(improved.name, text, before, after, verdict, relation) if relation.holds else None


def _facts_by_case(schema: m.Schema) -> dict[tuple[str, ...], Bounds]:
    """Return what is known of the positions of each case, by its lines; of several rules of a case, what all know."""
    program = lower(schema)
    by_kind = {kind.number: kind.conditions for kind in program.kinds}
    if program.is_linear:
        found = find_invariants(program, take_samples(program), Solver(5.0))
        by_kind = {k: (*tests, *found.by_kind[k]) for k, tests in by_kind.items()}
    known: dict[tuple[str, ...], Bounds] = {}
    for rule in program.rules:
        tests = [test for test in rule.tests if not isinstance(test, Asks)]
        for atom in (*rule.antecedents, rule.consequent):
            given = program.kinds[atom.kind].by_name(atom.terms)
            tests += [test.substitute(given) for test in by_kind[atom.kind]]
        known.setdefault(schema.cases[rule.case].lines, facts_of(tests))
    return known


def _folds(schema: m.Schema, case: m.Case, facts: Bounds, number: int) -> Iterator[_Fold]:
    """Yield the ways to cut a case in two."""
    structural = [a for a in case.antecedents if not a.context]
    beside = conditions_of(case, ascii=True)
    if len(structural) != len(case.antecedents) or case.head_links or case.weight is not None or case.head:
        return
    texts = [pattern_text(schema, a.pattern, ascii=True) for a in structural]
    below = pattern_text(schema, case.consequent, ascii=True)
    name = f"part{number}"
    for size in range(1, len(structural)):
        for some in combinations(range(len(structural)), size):
            inner = [texts[k] for k in some]
            outer = [text for k, text in enumerate(texts) if k not in some]
            needed = _names(case, [*outer, below])
            local = _names(case, inner) - needed
            moved = [line for line in beside if _names(case, [line]) & local]
            fields = [x for x in case.types if x in needed & _names(case, [*inner, *moved])]
            if not local or any(case.types[x].kind not in ("position", "flag") for x in fields):
                continue
            places = [x for x in fields if case.types[x].kind == "position"]
            where = _where(facts, places)
            declared = ", ".join(f"{x}: {case.types[x]}" for x in fields)
            new = f"{name}[{', '.join(fields)}]"
            free = [x for x in places if x not in _names(case, inner)]
            bounded = [line for line in where if _names(case, [line]) & set(free)]
            rest = [line for line in beside if line not in moved]
            yield _Fold(
                f"item {name}[{declared}]" + (f"\n  where {', '.join(where)}" if where else ""),
                rule_text("   ".join(inner), [*moved, *bounded], new),
                rule_text("   ".join([new, *outer] if min(some) == 0 else [*outer, new]), rest, below),
            )


def _names(case: m.Case, texts: Sequence[str]) -> set[str]:
    """Return the variables of a case that texts speak of."""
    return {word for text in texts for word in re.findall(r"\w+", text) if word in case.types}


def _where(facts: Bounds, names: Sequence[str]) -> list[str]:
    """Return what is known of positions, as conditions; those that follow from two others are left out."""
    ends = ["0", *names, "n"]
    known = {(x, y): c for x in ends for y in ends if x != y and (c := facts.distance(x, y)) is not None}

    def follows(x: str, y: str, c: int) -> bool:
        if (x, y) == ("0", "n"):
            return True
        between = (known[x, z] + known[z, y] for z in ends if (x, z) in known and (z, y) in known)
        return any(total <= c for total in between)

    kept = [(x, y, c) for (x, y), c in known.items() if not follows(x, y, c)]
    return [_at_most(x, y, c) for x, y, c in kept]


def _at_most(x: str, y: str, c: int) -> str:
    """Return x - y <= c as a person writes it."""
    if x == "0" or c >= 0:
        return f"{-c} <= {y}" if x == "0" else f"{x} <= {y}{f' + {c}' if c else ''}"
    return f"{x} < {y}" if c == -1 else f"{x} + {-c} <= {y}"


def _told(step: str, fold: _Fold) -> str:
    """Return a folded step as text."""
    return f"{fold.item}\n\nstep {step}-Fold\n{fold.makes}\n\nreplace step {step}\n{fold.takes}"


def _text(schema: m.Schema, parts: Sequence[str]) -> str:
    """Return a schema that extends the original."""
    settings = ", ".join(f"{p.name} = {p.value}" for p in schema.parameters)
    base = f"{schema.name}({settings})" if settings else schema.name
    title = f"{schema.title or schema.name}; costly steps folded"
    return "\n\n".join([f'schema {schema.name}{SUFFIX} extends {base}\n  title "{title}"', *parts]) + "\n"


def _read(schema: m.Schema, text: str) -> m.Schema | None:
    path = schema.source.path
    beside = None if path is None else path.with_name(f"{schema.name}{SUFFIX}.schema")
    found, findings = read_schema_text(text, path=beside)
    return None if any(one.severity == "error" for one in findings) else found


def _degree(schema: m.Schema, text: str, step: str) -> int:
    """Return the degree of the two steps that a step has become; a large one where the text is no schema."""
    found = _read(schema, text)
    if found is None:
        return 99
    cost = complexity(ParsingSchema(found), formulas=False, family=False)
    return max(part.cost.degree for part in cost.steps if part.name in (step, f"{step}-Fold"))
