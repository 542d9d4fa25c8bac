"""Regions: the items of a kind divided by comparisons of their columns, if one linear level does not fit all of them.

The comparisons are those that rules make between two columns of one item: where a step asks whether the head
stands among the words that an item covers, the head's place divides the items of that kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from schemata.language.bounds import Bounds
from schemata.order.invariants import Invariants
from schemata.order.logic import nothing_of, options_of
from schemata.program.facts import difference, extended, facts_of, simplified
from schemata.program.linear import Affine, AnyOf, Linear, Test, variable
from schemata.program.model import Atom, Kind, Program, Rule
from schemata.quick_dataclasses import Record

LIMIT = 24  # regions that a kind may have


class Division(Record):
    """The regions of every kind, each as tests on column names; they exclude each other, and one of them holds."""

    by_kind: tuple[tuple[tuple[Linear, ...], ...], ...]

    @property
    def numbers(self) -> list[tuple[int, int]]:
        """Kind and region within the kind, for every region in order."""
        return [(k, r) for k, row in enumerate(self.by_kind) for r in range(len(row))]


def undivided(program: Program) -> Division:
    """Return the division that has one region a kind."""
    return Division(tuple(((),) for _ in program.kinds))


def divide(program: Program, invariants: Invariants) -> Division | None:
    """Return a division by the comparisons that rules make; None where there is none, or too many regions."""
    rows: list[tuple[tuple[Linear, ...], ...]] = []
    for kind in program.kinds:
        comparisons = _comparisons(program, kind)
        facts = facts_of(invariants.by_kind[kind.number])
        regions = list(_regions(facts, comparisons, ()))
        if len(regions) > LIMIT:
            return None
        rows.append(tuple(_told_shortly(kind, invariants, tests) for tests in regions))
    return None if all(len(row) == 1 for row in rows) else Division(tuple(rows))


def coarser(
    program: Program, invariants: Invariants, division: Division, told: Callable[[int, int], object]
) -> tuple[Division, tuple[tuple[int, ...], ...]]:
    """Return a division without the comparisons that change nothing in the facts about a kind's regions.

    With it, for every region, one of the old regions that it is made of.
    """
    rows: list[tuple[tuple[Linear, ...], ...]] = []
    origins: list[tuple[int, ...]] = []
    for kind in program.kinds:
        old = division.by_kind[kind.number]
        comparisons = _comparisons(program, kind) if len(old) > 1 else []
        facts = facts_of(invariants.by_kind[kind.number])
        for comparison in list(comparisons):
            fewer = [c for c in comparisons if c is not comparison]
            parts = [_parts(facts, tests, old) for tests in _regions(facts, fewer, ())]
            if all(len({told(kind.number, k) for k in part}) == 1 for part in parts):
                comparisons = fewer
        regions = list(_regions(facts, comparisons, ()))
        rows.append(tuple(_told_shortly(kind, invariants, tests) for tests in regions))
        origins.append(tuple(_parts(facts, tests, old)[0] for tests in regions))
    return Division(tuple(rows)), tuple(origins)


def _parts(facts: Bounds, tests: Sequence[Linear], old: Sequence[Sequence[Linear]]) -> list[int]:
    """Return the old regions that a conjunction of tests shares items with."""
    return [k for k, others in enumerate(old) if _extended([facts], (*tests, *others))]


def _regions(
    facts: Bounds, comparisons: Sequence[Linear], chosen: tuple[Linear, ...]
) -> Iterator[tuple[Linear, ...]]:
    """Yield the combinations of comparisons and their opposites that may hold together."""
    if not comparisons:
        yield chosen
        return
    first, *others = comparisons
    for test in (first, *nothing_of(first)):
        more = extended(facts, (test,))
        if more is not None:
            yield from _regions(more, others, (*chosen, test))


def _told_shortly(kind: Kind, invariants: Invariants, tests: tuple[Linear, ...]) -> tuple[Linear, ...]:
    """Return the tests without those that follow from the others and the invariants."""
    kept = simplified(invariants.by_kind[kind.number], tests)
    assert kept is not None
    return tuple(test for test in kept if isinstance(test, Linear))


def _comparisons(program: Program, kind: Kind) -> list[Linear]:
    """Return the comparisons of two columns of one item of the kind that rules make, each once."""
    found: dict[Linear, None] = {}
    for rule in program.rules:
        tests = [t for test in rule.tests for t in _linear(test)]
        for atom in (*rule.antecedents, rule.consequent):
            if atom.kind == kind.number:
                for test in tests:
                    for translated in _on_columns(kind, atom, test):
                        opposite = nothing_of(translated)[0]
                        if translated not in found and opposite not in found:
                            found[translated] = None
    return list(found)


def _linear(test: object) -> Iterable[Linear]:
    match test:
        case Linear(">=", _):
            yield test
        case AnyOf(options):
            for option in options:
                for one in option:
                    if one.relation == ">=":
                        yield one


def _on_columns(kind: Kind, atom: Atom, test: Linear) -> Iterator[Linear]:
    """Yield a test on variables of a rule as a test on two columns of one of its items, where it is one."""
    fact = difference(test.left)
    if fact is None or {"0", "n"} & set(fact[:2]):
        return
    places: dict[str, list[Affine]] = {x: [] for x in fact[:2]}
    for column, term in zip(kind.columns, atom.terms, strict=True):
        for x, found in places.items():
            if column.sort == "position" and term.terms == ((x, 1),):
                found.append(variable(column.name) - term.constant)
    less, more, c = fact
    for low in places[less]:
        for high in places[more]:
            yield Linear(">=", high - low + c)


def regions_of_atoms(invariants: Invariants, division: Division, rule: Rule) -> Iterator[tuple[int, ...]]:
    """Yield the choices of a region for every item of a rule that do not contradict each other and its tests."""
    atoms = (*rule.antecedents, rule.consequent)
    states = _extended([Bounds()], (test for atom in atoms for test in invariants.of(atom)))
    states = [more for option in options_of(rule.tests) for more in _extended(states, option)]

    def choose(states: list[Bounds], chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == len(atoms) or not states:
            yield from [chosen] if states else ()
            return
        atom = atoms[len(chosen)]
        given = invariants.program.kinds[atom.kind].by_name(atom.terms)
        for number, tests in enumerate(division.by_kind[atom.kind]):
            shifted = [t.substitute(given) for t in tests]
            yield from choose(_extended(states, shifted) if shifted else states, (*chosen, number))

    return choose(states, ())


def _extended(states: Iterable[Bounds], tests: Iterable[Test]) -> list[Bounds]:
    """Return the states, each extended by tests, without those that the tests contradict."""
    tests = tuple(tests)
    return [more for state in states if (more := extended(state, tests)) is not None]
