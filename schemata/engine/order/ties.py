"""Ties: rules that may stay on a level, put into strata so that nothing is needed before it is there.

A rule ties where its consequent may be on the level of an antecedent. It is fed by the rules that may derive
that antecedent on the same level, and stands in a later stratum than all of them. Where rules feed each other
in a circle there are no strata, and the level has to tell more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from schemata.engine.order.levels import Levels, Search
from schemata.engine.order.logic import Formula
from schemata.engine.order.regions import Division, regions_of_atoms
from schemata.program.linear import (
    Linear,
    renamed,
    variable,
)
from schemata.program.model import Atom, Program, Rule

__all__ = ["Circle", "Variant", "put_into_strata", "variants_of"]

QUESTIONS = (
    4_000  # pairs of rules for which feeding is looked into; beyond, every rule that may feed is taken to
)


@dataclass(frozen=True, slots=True)
class Variant:
    """A rule for one choice of regions (numbered within their kinds), with the antecedents that may tie."""

    rule: int
    antecedents: tuple[int, ...]
    consequent: int
    ties: tuple[int, ...] = ()
    stratum: int = 0


@dataclass(frozen=True, slots=True)
class Circle:
    """Rules that may feed each other on one level, in a circle; an instance of the first that ties."""

    rules: tuple[int, ...]
    example: Mapping[str, int]


def variants_of(search: Search, levels: Levels) -> list[tuple[Variant, Mapping[str, int]]]:
    """Return every rule for every possible choice of regions, with its ties and an instance of the first tie.

    Raises
    ------
    SolverFailed : a question was not decided.
    """
    found: list[tuple[Variant, Mapping[str, int]]] = []
    program, division = search.program, search.division
    for rule in program.rules:
        atoms = [*rule.antecedents, rule.consequent]
        tied = [k for k in range(len(rule.antecedents)) if (rule.number, k) in levels.ties]
        if tied:
            search.solver.assume(search.premises.of(rule))
        try:
            for regions in regions_of_atoms(program, search.invariants, division, atoms, rule.tests):
                *before, after = regions
                ties, example = [], None
                for k in tied:
                    formulas = _in_regions(search, atoms, regions)
                    formulas += _on_one_level(search, levels, rule, k)
                    values = search.solver.example(*formulas)
                    if values is not None:
                        ties.append(k)
                        example = example or values
                found.append((Variant(rule.number, tuple(before), after, tuple(ties)), example or {}))
        finally:
            if tied:
                search.solver.forget()
    return found


def put_into_strata(
    search: Search, levels: Levels, variants: Sequence[tuple[Variant, Mapping[str, int]]]
) -> list[Variant] | Circle:
    """Return the variants with their strata, or rules that feed each other in a circle.

    Raises
    ------
    SolverFailed : a question was not decided.
    """
    tied = [k for k, (variant, _) in enumerate(variants) if variant.ties]
    feeders = {v: _feeders(search, levels, variants, tied, v) for v in tied}
    strata: dict[int, int] = {}
    waiting = list(tied)
    while waiting:
        ready = [v for v in waiting if all(u in strata for u in feeders[v])]
        if not ready:
            return _circle(variants, feeders, waiting)
        for v in ready:
            strata[v] = 1 + max((strata[u] for u in feeders[v]), default=0)
        waiting = [v for v in waiting if v not in strata]
    return [replace(variant, stratum=strata.get(k, 0)) for k, (variant, _) in enumerate(variants)]


def _circle(
    variants: Sequence[tuple[Variant, Mapping[str, int]]],
    feeders: Mapping[int, Sequence[int]],
    waiting: Sequence[int],
) -> Circle:
    """Return a circle among variants each of which is fed by another of them."""
    path = [waiting[0]]
    while True:
        before = next(u for u in feeders[path[-1]] if u in waiting)
        if before in path:
            ring = path[path.index(before) :]
            return Circle(tuple(variants[k][0].rule for k in ring), variants[ring[0]][1])
        path.append(before)


def _feeders(
    search: Search,
    levels: Levels,
    variants: Sequence[tuple[Variant, Mapping[str, int]]],
    tied: Sequence[int],
    v: int,
) -> list[int]:
    """Return the tied variants that may derive a tied antecedent of a variant on the same level."""
    program = search.program
    variant = variants[v][0]
    rule = program.rules[variant.rule]
    found = []
    for u in tied:
        other = variants[u][0]
        feeding = _renamed(program.rules[other.rule])
        for k in variant.ties:
            wanted = rule.antecedents[k]
            if search.premises.normal_forms.has(wanted.kind):
                alike = program.kinds[feeding.consequent.kind].form == program.kinds[wanted.kind].form
                if alike:  # by another writing perhaps
                    found.append(u)
                    break
                continue
            if feeding.consequent.kind != wanted.kind or other.consequent != variant.antecedents[k]:
                continue
            if len(tied) ** 2 > QUESTIONS or _feeds(search, levels, variant, other, feeding, k):
                found.append(u)
                break
    return found


def _feeds(search: Search, levels: Levels, variant: Variant, other: Variant, feeding: Rule, k: int) -> bool:
    program, solver = search.program, search.solver
    rule = program.rules[variant.rule]
    formulas = [*search.premises.of(rule), search.solver.tests(search.premises.tests(feeding))]
    formulas += _in_regions(
        search, [*rule.antecedents, rule.consequent], (*variant.antecedents, variant.consequent)
    )
    formulas += _in_regions(
        search, [*feeding.antecedents, feeding.consequent], (*other.antecedents, other.consequent)
    )
    formulas += _on_one_level(search, levels, rule, k)
    formulas.append(solver.equal(feeding.consequent.terms, rule.antecedents[k].terms))
    return solver.possible(*formulas)


def _in_regions(search: Search, atoms: Sequence[Atom], regions: Sequence[int]) -> list[Formula]:
    tests: list[Linear] = []
    for atom, region in zip(atoms, regions, strict=True):
        tests += _region_tests(search.program, search.division, atom, region)
    return [search.solver.tests(tests)] if tests else []


def _region_tests(program: Program, division: Division, atom: Atom, region: int) -> list[Linear]:
    kind = program.kinds[atom.kind]
    given = {c.name: t for c, t in zip(kind.columns, atom.terms, strict=True)}
    return [t.substitute(given) for t in division.by_kind[atom.kind][region]]


def _on_one_level(search: Search, levels: Levels, rule: Rule, k: int) -> list[Formula]:
    formulas: list[Formula] = []
    for number, term in enumerate(levels.terms):
        high, more = search.level(rule.consequent, term, f"level {number} below")
        low, others = search.level(rule.antecedents[k], term, f"level {number} above")
        formulas += [*more, *others, search.solver.test(Linear("==", high - low))]
    return formulas


def _renamed(rule: Rule) -> Rule:
    """Return a rule with variables that no other rule has."""
    given = {x: variable(f"{x} of the feeding rule") for x in rule.variables}

    def atom(old: Atom) -> Atom:
        return Atom(old.kind, tuple(t.substitute(given) for t in old.terms))

    return replace(
        rule,
        antecedents=tuple(map(atom, rule.antecedents)),
        consequent=atom(rule.consequent),
        tests=tuple(renamed(t, given) for t in rule.tests),
    )
