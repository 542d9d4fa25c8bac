"""Facts about every item of a kind and every instance of a rule, for every sentence length; regions of a kind.

Candidates come from the kinds' conditions, which are a filter on items and hold by definition, and from small
runs (`take_samples`). A candidate stays if it holds for every hypothesis, and if in every rule and equation it holds
for the consequent whenever all remaining candidates hold for the antecedents. Candidates that fail are removed until
none fails; those that stay hold for every item, by induction on its derivation.

An instance whose consequent is a writing of one of its antecedents proves nothing and is dropped; the proof may leave
it aside (`NormalForms`). `Premises` are the facts about the other instances of a rule.

Regions are the items of a kind divided by comparisons of their columns, if one linear level does not fit all of them.
The comparisons are those that rules make between two columns of one item: where a step asks whether the head
stands among the words that an item covers, the head's place divides the items of that kind.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from schemata.budget import Budget
from schemata.grammars import DRules
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.run import AgendaKernel, AgendaRun, drive
from schemata.kernels.store import OutsideTables, Store
from schemata.language.bounds import Bounds
from schemata.language.typeset import format_item
from schemata.order.logic import Conjunction, Solver, SolverFormula, nothing_of, options_of
from schemata.program.facts import conditions_of, difference, extended, facts_of, follows, simplified
from schemata.program.linear import Affine, AnyOf, Linear, Test, linear_terms, solved, variable
from schemata.program.model import Atom, Equation, Kind, Program, Rule
from schemata.program.rewriting import as_written
from schemata.records import Record
from schemata.structures import Sentence
from schemata.thresholds import EFFORTS
from schemata.weights.hypergraph import order_and_cycles

LENGTHS = (1, 2, 3, 4, 5)
TOLD = 3  # steps of a circle that are told, besides the last


class Samples(Record):
    """Items met in small runs, by kind: for every sentence length, their columns.

    `circle` describes an item that helps to derive itself, if one was met; `circle_rule` is the case of a step on it.
    `complete` is the greatest length such that all items of it, and of shorter ones, were met.
    """

    items: Mapping[int, Mapping[int, Sequence[tuple[int, ...]]]]
    circle: str | None = None
    circle_case: int | None = None
    complete: int = 0


_LARGE = 1 << 31  # values that no sentence has: of a schema whose positions grow without end


def take_samples(program: Program, lengths: Sequence[int] = LENGTHS) -> Samples:
    """Run a schema with all links licensed on sentences of some lengths, as far as that is quick."""
    kernel = AgendaKernel(program)
    found: dict[int, dict[int, list[tuple[int, ...]]]] = {k.number: {} for k in program.kinds}
    complete = 0
    for n in lengths:
        grammar = DRules.all().for_sentence(Sentence.of(["w"] * n))
        tables, budget = GrammarTables(program, n, grammar), Budget(steps=EFFORTS.sample_steps, seconds=2)
        run = AgendaRun(kernel, None, n, grammar, tables, budget.memory)
        try:
            store, reason = drive(run, budget, time.perf_counter())
        except OutsideTables:
            store, reason = run.store(), "memory"
        if reason == "interrupt":
            raise KeyboardInterrupt
        for number in range(store.item_count):
            kind, columns = store.item(number)
            if all(-_LARGE < value < _LARGE for value in columns):
                found[kind].setdefault(n, []).append(tuple(columns))
        circle = _circle(store)
        if circle is not None:
            return Samples(found, *circle)
        if reason is not None:
            break
        complete = n
    return Samples(found, complete=complete)


def _circle(store: Store) -> tuple[str, int] | None:
    """Return an item on a cycle, in words, with a case of the cycle; None if the chart has no cycle."""
    schema, kinds = store.program.schema, store.program.kinds
    edges: dict[int, dict[int, int]] = {}
    for case, declared in enumerate(schema.cases):
        size = len(declared.antecedents)
        rows, stride = store.rows(case), declared.stride
        for at in range(0, len(rows), stride):
            for antecedent in rows[at + 1 : at + 1 + size]:
                if antecedent >= store.hypothesis_count:
                    edges.setdefault(antecedent, {}).setdefault(rows[at], case)
    parts = order_and_cycles(edges, lambda x: edges.get(x, ()))[1]
    circles = [
        _shortest_circle(edges, start)
        for start in sorted(x for part in parts for x in part)[: EFFORTS.circle_starts]
    ]
    best = min(filter(None, circles), key=len, default=None)
    if best is None:
        return None
    steps = list(itertools.pairwise([*best, best[0]]))

    def item(number: int) -> str:
        kind, columns = store.item(number)
        return format_item(schema.forms[kinds[kind].form], kinds[kind].values(columns, store.terms.value))

    told = [f"{schema.cases[edges[a][b]].step} takes {item(a)} to {item(b)}" for a, b in steps]
    if len(told) > TOLD + 1:
        told[TOLD:-1] = ["and so on"]
    words = f"with {store.n} word{'s' if store.n > 1 else ''}"
    return f"{words}: {', '.join(told)}", edges[best[0]][steps[0][1]]


def _shortest_circle(edges: Mapping[int, Mapping[int, int]], start: int) -> list[int] | None:
    before: dict[int, int] = {}
    for x in (waiting := [start]):  # which grows meanwhile
        for y in edges.get(x, ()):
            if y == start:
                path = [x]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if y not in before:
                before[y] = x
                waiting.append(y)
    return None


class Invariants(Record):
    """Facts about every item, by kind: linear tests over column names and n, the kind's conditions among them."""

    program: Program
    by_kind: Mapping[int, tuple[Linear, ...]]

    def of(self, atom: Atom) -> list[Linear | AnyOf]:
        """Return the invariants of an item in a rule, the conditions of its kind included."""
        given = self.program.kinds[atom.kind].by_name(atom.terms)
        others = (t for t in conditions_of(self.program.kinds, atom) if isinstance(t, AnyOf))
        return [*(t.substitute(given) for t in self.by_kind[atom.kind]), *others]

    def unbounded(self) -> tuple[Kind, str] | None:
        """Return a kind and a column that the invariants do not bound from both sides, or None."""
        for kind in self.program.kinds:
            facts = facts_of(self.by_kind[kind.number])
            for column in kind.columns:
                if column.sort == "position" and not (
                    facts.lowest(column.name) and facts.highest(column.name)
                ):
                    return kind, column.name
        return None


class _Induction(Record):
    """One way to derive an item: under the tests, from items that fulfil the invariants."""

    sources: tuple[Atom, ...]
    tests: Conjunction | tuple[Test, ...]
    target: Atom


def find_invariants(
    program: Program, samples: Samples, solver: Solver, guesses: Mapping[int, Sequence[Linear]] | None = None
) -> Invariants:
    """Return invariants of all kinds, proved inductive.

    Parameters
    ----------
    program : the lowered schema.
    samples : items of small runs; candidates are differences that hold for them.
    solver : decides which candidates are inductive.
    guesses : candidates in place of those, for kinds whose items no run has in this form.

    Raises
    ------
    SolverFailed : some question was not decided.
    """
    found = {kind.number: _given(kind) for kind in program.kinds}
    open_ = {
        kind.number: list(guesses[kind.number])
        if guesses and kind.number in guesses
        else _candidates(kind, samples)
        for kind in program.kinds
    }
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
            columns = program.kinds[source.kind].by_name(source.terms)
            tests += [t.substitute(columns) for t in open_[source.kind]]
            premises.append(solver.tests(tests))
        if _thin_out(solver, premises, kind, step.target, open_):
            for k, other in enumerate(steps):
                if k not in waiting and any(s.kind == kind.number for s in other.sources):
                    waiting.append(k)
    for kind in program.kinds:
        found[kind.number] = _without_implied(found[kind.number], open_[kind.number])
    return Invariants(program, {k: tuple(tests) for k, tests in found.items()})


def _given(kind: Kind) -> list[Linear]:
    return [t for t in kind.conditions if isinstance(t, Linear)]


def _candidates(kind: Kind, samples: Samples) -> list[Linear]:
    """Return differences that hold in the samples and do not follow from the kind's conditions."""
    rows = samples.items[kind.number]
    if not rows:
        return []
    facts = facts_of(_given(kind))
    found = []
    for left, values in _terms(kind, rows):
        least = {n: min(v) for n, v in values.items()}
        longest = max(least)
        bound = least[longest]
        if any(least[n] < bound for n in least) or (longest > 1 and least.get(longest - 1, bound) != bound):
            continue
        test = Linear(">=", left - bound)
        if not follows(facts, test.left):
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
    """Remove the target's candidates that do not follow from the premises; returns whether any was removed."""
    columns = kind.by_name(target.terms)
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


def _without_implied(given: list[Linear], more: list[Linear]) -> list[Linear]:
    """Return the conditions and the invariants that do not follow from those before them, strongest first."""
    facts = facts_of(given)
    kept: list[Linear] = []
    for test in more:
        if follows(facts, test.left):
            continue
        kept = [
            t for t in kept if not follows(facts_of([*given, *(k for k in kept if k is not t), test]), t.left)
        ]
        kept.append(test)
        facts = facts_of([*given, *kept])
    return [*given, *kept]


class Applied(Record):
    """An equation applied to an item.

    It applies where the tests hold, and no conjunction of `earlier` does: those of the equations before it.
    """

    tests: tuple[Linear, ...]
    earlier: tuple[tuple[Linear, ...], ...]
    to: Atom


@dataclass(slots=True)
class NormalForms:
    """A program's equations, with answers about the writings of items in rules."""

    program: Program
    solver: Solver
    rewritten_hypotheses: frozenset[int]  # forms that have hypotheses to which an equation may apply

    @staticmethod
    def of(program: Program, solver: Solver) -> NormalForms:
        """Return a program's normal forms; finds out which forms have hypotheses in no normal form."""
        return NormalForms(program, solver, frozenset(program.kinds[k].form for k in as_written(program)))

    def equations(self, kind: int) -> tuple[Equation, ...]:
        """Return the equations whose left side is of a kind, in order of precedence."""
        rows = self.program.equations.get(self.program.kinds[kind].form, ())
        return tuple(e for e in rows if e.left.kind == kind)

    def has(self, kind: int) -> bool:
        """Whether items of the kind may have several writings."""
        return bool(self.program.equations.get(self.program.kinds[kind].form))

    def same(self, consequent: Atom, antecedent: Atom, known: Bounds) -> SolverFormula | None:
        """Return a formula under which the consequent is a writing of the antecedent; None if it never is.

        `known` are differences that hold for the rule's variables; ways that contradict them are left out.
        """
        kinds = self.program.kinds
        form = kinds[consequent.kind].form
        if form != kinds[antecedent.kind].form or form in self.rewritten_hypotheses:
            return None
        ways: list[SolverFormula] = []
        others = [Applied((), (), antecedent), *self._rewritten(antecedent, known)]
        for one in (Applied((), (), consequent), *self._rewritten(consequent, known)):
            for other in others:
                if one.to.kind != other.to.kind:
                    continue
                pairs = zip(one.to.terms, other.to.terms, strict=True)
                same = tuple(Linear("==", a - b) for a, b in pairs if a != b)
                tests = dict.fromkeys((*one.tests, *other.tests, *same))
                if extended(known, tests) is not None:
                    earlier = dict.fromkeys((*one.earlier, *other.earlier))
                    fits = [self.solver.opposite(self.solver.tests(e)) for e in earlier]
                    ways.append(self.solver.all_of((self.solver.tests(tests), *fits)))
        return self.solver.any_of(ways) if ways else None

    def _rewritten(self, atom: Atom, known: Bounds) -> list[Applied]:
        """Return the one-step rewritings of an item whose tests are consistent with `known`."""
        found: list[Applied] = []
        earlier: list[tuple[Linear, ...]] = []
        for equation in self.equations(atom.kind):
            one = applied(equation, atom)
            if one is None:
                break  # where it applies is not known, so neither is where later ones do
            if extended(known, one.tests) is not None:
                found.append(replace(one, earlier=tuple(earlier)))
                earlier.append(one.tests)
        return found


def applied(equation: Equation, atom: Atom) -> Applied | None:
    """Return an equation applied to an item, or None if it is not certain where it applies."""
    if not all(isinstance(test, Linear) for test in equation.tests):
        return None
    terms = [*equation.left.terms, *equation.right.terms]
    terms += [term for test in equation.tests for term in linear_terms(test)]
    own = {x: variable(f"{x} of the equation") for term in terms for x in term.variables}  # no rule has these
    left = equation.left.substitute(own)
    equal = (pattern - value for pattern, value in zip(left.terms, atom.terms, strict=True))
    given, rest = solved(equal, sorted(x for term in left.terms for x in term.variables))
    tests = [Linear("==", term) for term in rest if term.terms or term.constant]
    tests += [t.substitute(own).substitute(given) for t in equation.tests if isinstance(t, Linear)]
    to = equation.right.substitute(own).substitute(given)
    open_ = {x for term in (*to.terms, *(test.left for test in tests)) for x in term.variables}
    return None if any(own[x].names[0] in open_ for x in own) else Applied(tuple(tests), (), to)


@dataclass(slots=True)
class Premises:
    """The premises of a program's rules, made once each."""

    program: Program
    invariants: Invariants
    normal_forms: NormalForms
    solver: Solver
    _made: dict[int, list[SolverFormula]] = field(default_factory=dict)

    def tests(self, rule: Rule) -> list[Test]:
        """Return the tests of a rule, and the invariants of its items."""
        tests = [*rule.tests]
        for atom in (*rule.antecedents, rule.consequent):
            tests += self.invariants.of(atom)
        return list(dict.fromkeys(tests))

    def of(self, rule: Rule) -> list[SolverFormula]:
        """Return the formulas that a rule's instances satisfy: its tests, and that its consequent is a new item."""
        if rule.number not in self._made:
            tests = self.tests(rule)
            known = facts_of(tests)
            formulas = [self.solver.tests(tests)]
            for atom in rule.antecedents:
                same = self.normal_forms.same(rule.consequent, atom, known)
                if same is not None:
                    formulas.append(self.solver.opposite(same))
            self._made[rule.number] = formulas
        return self._made[rule.number]


# Regions ----------------------------------------------------------------------------------------------------


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
    """Return a division by the comparisons that rules make; None if it divides nothing or has too many regions."""
    rows: list[tuple[tuple[Linear, ...], ...]] = []
    for kind in program.kinds:
        comparisons = _comparisons(program, kind)
        facts = facts_of(invariants.by_kind[kind.number])
        regions = list(_regions(facts, comparisons, ()))
        if len(regions) > EFFORTS.regions:
            return None
        rows.append(tuple(_told_shortly(kind, invariants, tests) for tests in regions))
    return None if all(len(row) == 1 for row in rows) else Division(tuple(rows))


def coarser(
    program: Program, invariants: Invariants, division: Division, told: Callable[[int, int], object]
) -> tuple[Division, tuple[tuple[int, ...], ...]]:
    """Return a division without the comparisons that change nothing in the facts about a kind's regions.

    Returns with it, for every new region, one of its old regions.
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
        options = (test.options if isinstance(test, AnyOf) else ((test,),) for test in rule.tests)
        every = (one for some in options for option in some for one in option)
        tests = [one for one in every if isinstance(one, Linear) and one.relation == ">="]
        for atom in (*rule.antecedents, rule.consequent):
            if atom.kind == kind.number:
                for test in tests:
                    for translated in _on_columns(kind, atom, test):
                        opposite = nothing_of(translated)[0]
                        if translated not in found and opposite not in found:
                            found[translated] = None
    return list(found)


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
