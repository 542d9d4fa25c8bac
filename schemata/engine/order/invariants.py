"""Invariants: differences of columns that hold for every item of a kind, for every sentence length.

Candidates come from the kinds' conditions, which are a filter on items and hold by definition, and from small
runs. A candidate stays if it holds for every hypothesis, and if in every rule and equation it holds for what
is derived whenever all that are left hold for what it is derived from. Those that fail are taken away until
none fails; what stays holds for every item, by induction on its derivation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemata.engine.order.differences import Differences
from schemata.engine.order.logic import Conjunction, Solver
from schemata.engine.order.samples import Samples
from schemata.program.facts import conditions_of
from schemata.program.linear import Affine, AnyOf, Linear, Test, variable
from schemata.program.model import Atom, Kind, Program

__all__ = ["Invariants", "find_invariants"]


@dataclass(frozen=True, slots=True)
class Invariants:
    """What holds for every item, by kind: linear tests over column names and n, the kind's conditions among them."""

    program: Program
    by_kind: Mapping[int, tuple[Linear, ...]]

    def of(self, atom: Atom) -> list[Linear | AnyOf]:
        """Return what holds for an item in a rule, the conditions of its kind included."""
        given = _columns(self.program.kinds[atom.kind], atom)
        others = (t for t in conditions_of(self.program.kinds, atom) if isinstance(t, AnyOf))
        return [*(t.substitute(given) for t in self.by_kind[atom.kind]), *others]

    def unbounded(self) -> tuple[Kind, str] | None:
        """Return a kind and a column that the invariants do not bound from both sides, or None."""
        for kind in self.program.kinds:
            facts = Differences.of(c.name for c in kind.columns)
            facts.add_all(self.by_kind[kind.number])
            for column in kind.columns:
                if column.sort == "position" and not facts.bounded(column.name):
                    return kind, column.name
        return None


@dataclass(frozen=True, slots=True)
class _Induction:
    """One way to derive an item: under the tests, from items that fulfil the invariants."""

    sources: tuple[Atom, ...]
    tests: Conjunction | tuple[Test, ...]
    target: Atom


def find_invariants(program: Program, samples: Samples, solver: Solver) -> Invariants:
    """Return invariants of all kinds, proved inductive.

    Raises
    ------
    SolverFailed : some question was not decided.
    """
    found = {kind.number: _given(kind) for kind in program.kinds}
    open_ = {kind.number: _candidates(kind, samples) for kind in program.kinds}
    for given in program.hypotheses:
        kind = program.kinds[given.atom.kind]
        premises = solver.tests((*given.tests, *conditions_of(program.kinds, given.atom)))
        _thin_out(solver, [premises], kind, given.atom, open_)
    steps = list(_inductions(program))
    waiting = list(range(len(steps)))
    while waiting:
        step = steps[waiting.pop(0)]
        kind = program.kinds[step.target.kind]
        if not open_[kind.number]:
            continue
        premises = [solver.tests(step.tests)]
        for source in step.sources:
            tests = [*conditions_of(program.kinds, source)]
            columns = _columns(program.kinds[source.kind], source)
            tests += [t.substitute(columns) for t in open_[source.kind]]
            premises.append(solver.tests(tests))
        if _thin_out(solver, premises, kind, step.target, open_):
            for k, other in enumerate(steps):
                if k not in waiting and any(s.kind == kind.number for s in other.sources):
                    waiting.append(k)
    for kind in program.kinds:
        found[kind.number] = _without_implied(kind, found[kind.number], open_[kind.number])
    return Invariants(program, {k: tuple(tests) for k, tests in found.items()})


def _given(kind: Kind) -> list[Linear]:
    return [t for t in kind.conditions if isinstance(t, Linear)]


def _candidates(kind: Kind, samples: Samples) -> list[Linear]:
    """Return differences that hold in the samples and do not follow from the kind's conditions."""
    rows = samples.items[kind.number]
    if not rows:
        return []
    facts = Differences.of(c.name for c in kind.columns)
    facts.add_all(_given(kind))
    found = []
    for left, values in _terms(kind, rows):
        least = {n: min(v) for n, v in values.items()}
        longest = max(least)
        bound = least[longest]
        if any(least[n] < bound for n in least) or (longest > 1 and least.get(longest - 1, bound) != bound):
            continue
        test = Linear(">=", left - bound)
        if not facts.follows(test):
            found.append(test)
    return found


def _terms(
    kind: Kind, rows: Mapping[int, Sequence[tuple[int, ...]]]
) -> Iterator[tuple[Affine, dict[int, list[int]]]]:
    """Yield the terms ``x``, ``n - x`` and ``x - y`` with their values in the samples, by sentence length."""
    places = [k for k, column in enumerate(kind.columns) if column.sort == "position"]
    names = [variable(column.name) for column in kind.columns]
    for a in places:
        yield names[a], {n: [x[a] for x in found] for n, found in rows.items()}
        yield variable("n") - names[a], {n: [n - x[a] for x in found] for n, found in rows.items()}
        for b in places:
            if a != b:
                yield names[a] - names[b], {n: [x[a] - x[b] for x in found] for n, found in rows.items()}


def _inductions(program: Program) -> Iterator[_Induction]:
    """Yield the ways to derive an item, and to come from one writing of an item to another."""
    for rule in program.rules:
        yield _Induction(rule.antecedents, rule.tests, rule.consequent)
    for row in program.equations.values():
        for e in row:
            conditions = (*conditions_of(program.kinds, e.left), *conditions_of(program.kinds, e.right))
            yield _Induction((e.left,), (*e.tests, *conditions), e.right)
            yield _Induction((e.right,), (*e.tests, *conditions), e.left)


def _thin_out(
    solver: Solver, premises: Sequence[object], kind: Kind, target: Atom, open_: dict[int, list[Linear]]
) -> bool:
    """Take away the candidates for the target that do not follow from the premises; tell whether any went."""
    columns = _columns(kind, target)
    changed = False
    solver.assume(premises)
    try:
        while open_[kind.number]:
            shifted = [t.substitute(columns) for t in open_[kind.number]]
            example = solver.example(solver.opposite(solver.tests(shifted)))
            if example is None:
                break
            values = _Defaults(example)
            kept = [c for c, t in zip(open_[kind.number], shifted, strict=True) if t.holds(values)]
            assert len(kept) < len(shifted)
            open_[kind.number] = kept
            changed = True
    finally:
        solver.forget()
    return changed


class _Defaults(dict[str, int]):
    """Values of variables; those that do not matter are 0."""

    def __missing__(self, name: str) -> int:
        return 1 if name == "n" else 0


def _without_implied(kind: Kind, given: list[Linear], more: list[Linear]) -> list[Linear]:
    """Return the conditions and the invariants that do not follow from those before them, strongest first."""
    facts = Differences.of(c.name for c in kind.columns)
    facts.add_all(given)
    kept: list[Linear] = []
    for test in more:
        if facts.follows(test):
            continue
        kept = [t for t in kept if not _implies(kind, [*given, *(k for k in kept if k is not t), test], t)]
        kept.append(test)
        facts.add(test)
    return [*given, *kept]


def _implies(kind: Kind, tests: Sequence[Linear], goal: Linear) -> bool:
    facts = Differences.of(c.name for c in kind.columns)
    facts.add_all(tests)
    return facts.follows(goal)


def _columns(kind: Kind, atom: Atom) -> dict[str, Affine]:
    return {column.name: term for column, term in zip(kind.columns, atom.terms, strict=True)}
