"""The proof of an order in which the items of a schema can be completed, for every sentence length.

invariants  facts about every item             (`invariants`, from small runs, proved by induction)
regions     items of a kind divided            (`invariants`, only where needed)
levels      no step lowers the level of an item (`levels`, guessed from examples, proved by the solver)
strata      steps that stay on a level do not feed each other in a circle (`levels`)
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping

from schemata.kinds import D_RULES
from schemata.order.invariants import (
    Division,
    Invariants,
    NormalForms,
    Premises,
    Samples,
    coarser,
    divide,
    find_invariants,
    take_samples,
    undivided,
)
from schemata.order.levels import (
    Circle,
    Levels,
    LevelSearch,
    LevelTerm,
    Shape,
    Stuck,
    Variant,
    put_into_strata,
    usual_shapes,
    variants_of,
)
from schemata.order.logic import Solver, SolverFailed
from schemata.order.model import Order, OrderedRule, Refusal, Region, told_instance
from schemata.program.facts import conditions_of
from schemata.program.linear import Affine, variable
from schemata.program.model import Program
from schemata.quick_start import interrupts_put_off
from schemata.thresholds import EFFORTS

_CLOCK = getattr(time, "thread_time", time.monotonic)  # browsers have no time of the processor
NO_LEVEL = "no level was found that every step keeps or raises"


def find_order(program: Program, patience: float = math.inf) -> Order | Refusal:
    """Return a proved order of evaluation for a lowered schema, or the reason why it has no such order.

    It uses no cache (`prove_order` does). `patience` is how many seconds of the processor a proof may take.
    """
    if not program.is_linear:
        return Refusal(_not_linear(program))
    samples = take_samples(program)
    if samples.circle is not None:
        return _circular(program, samples)
    try:
        with interrupts_put_off() as interrupted:
            return _proved(program, samples, Solver(patience, interrupted, _CLOCK))
    except SolverFailed as failed:
        return Refusal(str(failed), undecided=True, patience=failed.patience)


def _not_linear(program: Program) -> str:
    """Return the reason why no order is sought: a schema has more than positions, symbols and licences."""
    if program.schema.grammar != D_RULES:
        return "orders are proved for schemata over D-rules only"
    proved = "orders are proved for items of positions, flags and symbols"
    for kind in program.kinds:
        for column in kind.columns:
            if column.sort not in ("position", "symbol"):
                is_list = not isinstance(column.sort, str) and column.sort.kind == "list"
                what = "lists without a bound on their length" if is_list else f"fields of type {column.sort}"
                return f"{proved}, not for {what}"
    return "orders are proved for linear conditions, and some of this schema are not"


def _proved(program: Program, samples: Samples, solver: Solver) -> Order | Refusal:
    forms = NormalForms.of(program, solver)
    refusal = _leads_out(program, solver)
    if refusal is not None:
        return refusal
    invariants = find_invariants(program, samples, solver)
    loose = invariants.unbounded()
    if loose is not None:
        kind, column = loose
        return Refusal(f"nothing bounds {column} in items {kind.name}")
    return _ordered(program, invariants, forms, solver)


def _circular(program: Program, samples: Samples) -> Refusal:
    rule = next((r.number for r in program.rules if r.case == samples.circle_case), None)
    return Refusal("an item helps to derive itself", rule, samples.circle)


def _leads_out(program: Program, solver: Solver) -> Refusal | None:
    """Return a refusal where an equation may lead from an item to one that its form rules out."""
    for row in program.equations.values():
        for e in row:
            premises = solver.tests((*e.tests, *conditions_of(program.kinds, e.left)))
            goal = solver.tests(conditions_of(program.kinds, e.right))
            if solver.possible(premises, solver.opposite(goal)):
                kind = program.kinds[e.left.kind]
                return Refusal(
                    f"an equation of {kind.name} leads to items that the form's conditions rule out"
                )
    return None


def _ordered(program: Program, invariants: Invariants, forms: NormalForms, solver: Solver) -> Order | Refusal:
    """Try divisions, shapes and depths in turn until one gives an order."""
    premises = Premises(program, invariants, forms, solver)
    refusal: Refusal | None = None
    lengths: set[int] = set()
    for search, found in _found_levels(premises):
        if isinstance(found, Stuck):
            if found.rule is not None:
                lengths.add(found.example.get("n", 1))
                told = told_instance(program, program.rules[found.rule], found.example)
                refusal = refusal or Refusal(NO_LEVEL, found.rule, told)
            continue
        merged, levels = _merged(search, found)
        strata = put_into_strata(merged, levels, variants_of(merged, levels))
        if not isinstance(strata, Circle):
            return _order(merged, levels, strata)
        rules = [program.rules[r] for r in strata.rules]
        lengths.add(strata.example.get("n", 1))
        told = told_instance(program, rules[0], strata.example)
        steps = ", ".join(dict.fromkeys(program.schema.cases[r.case].step for r in rules))
        refusal = refusal or Refusal(
            f"steps may feed each other on one level: {steps}", rules[0].number, told
        )
    larger = sorted(n for n in lengths if n <= EFFORTS.circle_words)
    samples = take_samples(program, larger)
    return _circular(program, samples) if samples.circle is not None else refusal or Refusal(NO_LEVEL)


def _found_levels(premises: Premises) -> Iterator[tuple[LevelSearch, Levels | Stuck]]:
    """Yield levels to try, the simplest first; the last one has all items on one level."""
    program = premises.program
    for thorough in (False, True):
        for division, shapes, constants in _attempts(program, premises.invariants):
            search = LevelSearch(premises, division, constants, shapes, thorough)
            for found in search.run(EFFORTS.level_terms):
                yield search, found
    flat = LevelTerm(tuple((0,) * len(kind.columns) for kind in program.kinds), ((0,),) * len(program.kinds))
    pairs = frozenset((rule.number, k) for rule in program.rules for k in range(len(rule.antecedents)))
    yield LevelSearch(premises, undivided(program), range(1)), Levels((flat,), pairs)


def _attempts(
    program: Program, invariants: Invariants
) -> Iterator[tuple[Division, tuple[Shape, ...] | None, range]]:
    divided = divide(program, invariants)
    divisions = [undivided(program)]
    if divided is not None:
        divisions.insert(0 if program.equations else 1, divided)
    for division in divisions:
        several = division is divided
        for shapes in (*usual_shapes(program, invariants), None):
            for constants in (range(-2, 3),) if several else (range(1), range(3)):
                yield division, shapes, constants


def _merged(search: LevelSearch, levels: Levels) -> tuple[LevelSearch, Levels]:
    """Merge regions of one kind that have equal levels; returns the search and the levels over the rest."""
    program, invariants = search.program, search.premises.invariants
    division, origins = coarser(
        program,
        invariants,
        search.division,
        lambda kind, region: tuple(term.constants[kind][region] for term in levels.terms),
    )
    terms = tuple(
        LevelTerm(
            term.coefficients,
            tuple(tuple(row[k] for k in rows) for row, rows in zip(term.constants, origins, strict=True)),
        )
        for term in levels.terms
    )
    merged = LevelSearch(search.premises, division, search.constants)
    return merged, Levels(terms, levels.ties)


def _order(search: LevelSearch, levels: Levels, variants: list[Variant]) -> Order:
    program, division = search.program, search.division
    regions: list[Region] = []
    numbers: Mapping[tuple[int, int], int] = {place: k for k, place in enumerate(division.numbers)}
    for kind_number, row in enumerate(division.by_kind):
        kind = program.kinds[kind_number]
        columns = [variable(c.name) for c in kind.columns]
        for k, tests in enumerate(row):
            level: tuple[Affine, ...] = tuple(
                term.of_columns(kind_number, columns) + term.constants[kind_number][k]
                for term in levels.terms
            )
            told = " and ".join(map(str, tests))
            name = f"{kind.name} where {told}" if told else kind.name
            invariants = (*search.premises.invariants.by_kind[kind_number], *tests)
            regions.append(Region(len(regions), kind_number, name, tests, invariants, level))
    rules = []
    for v in variants:
        rule = program.rules[v.rule]
        atoms = (*rule.antecedents, rule.consequent)
        *before, after = (numbers[atom.kind, r] for atom, r in zip(atoms, v.regions, strict=True))
        rules.append(OrderedRule(v.rule, tuple(before), after, v.ties, v.stratum))
    return Order(program, tuple(regions), tuple(rules))
