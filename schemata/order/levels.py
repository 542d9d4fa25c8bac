"""Levels, linear terms over an item's columns that no step decreases, compared lexicographically; and strata.

Levels are found by examples: a guess (`Guess`) that fits all examples so far goes to the solver, which proves
it for every sentence length or returns an instance that it does not fit, the next example. Every term in turn
has to meet two conditions: it decreases in no instance whose earlier terms are equal, and it increases from as
many antecedents as possible. Antecedents are given up one by one where a guess cannot increase from all of them; a
`thorough` search tries those once more in the end, since the solver names more of them than need be.

A rule *ties* where its consequent may be on the level of an antecedent. It is fed by the rules that may derive
that antecedent on the same level, and stands in a later stratum than all of them. Where rules feed each other
in a circle there are no strata, and the level needs another term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schemata.order.invariants import Division, Invariants, Premises, regions_of_atoms
from schemata.order.logic import Solver, SolverFailed, SolverFormula
from schemata.program.facts import facts_of, follows
from schemata.program.linear import Affine, Linear, variable
from schemata.program.model import Atom, Equation, Kind, Program, Rule
from schemata.records import Record
from schemata.thresholds import EFFORTS
from schemata.weights.hypergraph import order_and_cycles

Pair = tuple[int, int]  # a rule's number and an antecedent
Shape = tuple[int, ...]  # the coefficients of a kind's columns


class LevelTerm(Record):
    """One term of the level: coefficients of the columns of every kind, a constant for every region."""

    coefficients: tuple[Shape, ...]
    constants: tuple[tuple[int, ...], ...]

    def of_columns(self, kind: int, columns: Sequence[Affine]) -> Affine:
        """Return the term without its constant for an item with these columns."""
        total = Affine()
        for k, column in zip(self.coefficients[kind], columns, strict=True):
            if k:
                total = total + column * k
        return total


class LevelExample(Record):
    """An instance: the kind, region and columns of its later item (`late`) and of its earlier one (`early`)."""

    late: tuple[int, int, tuple[int, ...]]
    early: tuple[int, int, tuple[int, ...]]

    def rise(self, term: LevelTerm) -> int:
        """Return by how much the term rises."""
        return _value(term, *self.late) - _value(term, *self.early)


def _value(term: LevelTerm, kind: int, region: int, columns: tuple[int, ...]) -> int:
    return term.constants[kind][region] + sum(
        k * x for k, x in zip(term.coefficients[kind], columns, strict=True)
    )


class Guess:
    """A guess at one term: small coefficients that fit the examples so far, as few as can be."""

    def __init__(
        self,
        program: Program,
        division: Division,
        constants: range,
        shapes: tuple[Shape, ...] | None,
        context: Any,
    ) -> None:
        import z3

        self._z3 = z3
        self._context = context
        self._solver = z3.Solver(ctx=context)
        self._solver.set("timeout", EFFORTS.guess_milliseconds)
        self._program = program
        self._division = division
        self._columns: dict[tuple[int, int], SolverFormula] = {}
        self._constants: dict[tuple[int, int], SolverFormula] = {}
        for kind in program.kinds:
            for k, column in enumerate(kind.columns):
                if column.sort == "position":
                    x = self._columns[kind.number, k] = z3.Int(f"k{kind.number} {k}", context)
                    if shapes is None:
                        self._solver.add(x >= -1, x <= 1)
                    else:
                        self._solver.add(x == shapes[kind.number][k])
            for r in range(len(division.by_kind[kind.number])):
                if len(constants) > 1:
                    x = self._constants[kind.number, r] = z3.Int(f"c{kind.number} {r}", context)
                    self._solver.add(constants.start <= x, x < constants.stop)
        self._strict: dict[Pair, SolverFormula] = {}

    def same(self, example: LevelExample) -> None:
        """Ask for equal values."""
        self._solver.add(self._difference(example) == 0)

    def rise(self, example: LevelExample, pair: Pair) -> None:
        """Ask that the term does not go down, and rises where the pair is wanted strict."""
        difference = self._difference(example)
        self._solver.add(difference >= 0)
        self._solver.add(self._z3.Implies(self._flag(pair), difference >= 1))

    def term(self, wanted: dict[Pair, None], ease: Callable[[Pair], tuple[int, int]]) -> LevelTerm | None:
        """Return a guess; pairs that cannot rise together with the others are taken out of the wanted ones."""
        z3, solver = self._z3, self._solver
        flags = {pair: self._flag(pair) for pair in wanted}
        numbers = {pair: flag.get_id() for pair, flag in flags.items()}
        while True:
            answer = solver.check(*flags.values())
            if answer == z3.sat:
                return self._smallest(list(flags.values()))
            if answer == z3.unknown:
                raise SolverFailed("the solver found no level in time")
            failed = {flag.get_id() for flag in solver.unsat_core()}
            core = [pair for pair in wanted if numbers[pair] in failed]
            if not core:
                return None
            lost = min(core, key=ease)
            del wanted[lost], flags[lost]

    def fits(self, wanted: Iterable[Pair]) -> bool:
        """Whether a guess rises for all these pairs."""
        return bool(self._solver.check(*map(self._flag, wanted)) == self._z3.sat)

    def _smallest(self, flags: list[SolverFormula]) -> LevelTerm:
        """Return the guess at hand, made smaller while that is quick."""
        z3, solver = self._z3, self._solver
        model = solver.model()
        sizes = [z3.If(x >= 0, x, -x) for x in (*self._columns.values(), *self._constants.values())]
        total = z3.Sum(sizes) if sizes else z3.IntVal(0, self._context)
        for _ in range(EFFORTS.guess_tries):
            solver.push()
            solver.add(total < model.eval(total, model_completion=True))
            answer = solver.check(*flags)
            if answer == z3.sat:
                model = solver.model()
            solver.pop()
            if answer != z3.sat:
                break

        def value(x: SolverFormula | None) -> int:
            return 0 if x is None else int(model.eval(x, model_completion=True).as_long())

        return LevelTerm(
            tuple(
                tuple(value(self._columns.get((kind.number, k))) for k in range(len(kind.columns)))
                for kind in self._program.kinds
            ),
            tuple(
                tuple(value(self._constants.get((kind, r))) for r in range(len(row)))
                for kind, row in enumerate(self._division.by_kind)
            ),
        )

    def _flag(self, pair: Pair) -> SolverFormula:
        if pair not in self._strict:
            self._strict[pair] = self._z3.Bool(f"strict {pair[0]} {pair[1]}", self._context)
        return self._strict[pair]

    def _difference(self, example: LevelExample) -> SolverFormula:
        total: SolverFormula = self._z3.IntVal(0, self._context)
        for sign, (kind, region, columns) in ((1, example.late), (-1, example.early)):
            for k, x in enumerate(columns):
                if x and (kind, k) in self._columns:
                    total = total + self._columns[kind, k] * (sign * x)
            if (kind, region) in self._constants:
                total = total + self._constants[kind, region] * sign
        return total


class Levels(Record):
    """The terms of a level, and the pairs of rule and antecedent that may be on one level."""

    terms: tuple[LevelTerm, ...]
    ties: frozenset[Pair]


class Stuck(Record):
    """Why no level was found: a rule that no guess fits together with the others, with an instance of it."""

    rule: int | None
    example: Mapping[str, int]


def usual_shapes(program: Program, invariants: Invariants) -> list[tuple[Shape, ...]]:
    """Return coefficients that often fit: the number of words covered without the gaps, and with them.

    The columns of a kind that the invariants put in order, from the first to the last, are ends of pieces in
    turn; a column aside has no part. Where their number is odd, only the first and the last count.
    """
    pieces, stretch = [], []
    for kind in program.kinds:
        chain = _chain(kind, invariants.by_kind[kind.number])
        shape = [0] * len(kind.columns)
        for place, k in enumerate(chain):
            shape[k] = 1 if place % 2 else -1
        ends = [0] * len(kind.columns)
        if len(chain) > 1:
            ends[chain[0]], ends[chain[-1]] = -1, 1
        pieces.append(tuple(ends if len(chain) % 2 else shape))
        stretch.append(tuple(ends))
    return list(dict.fromkeys((tuple(pieces), tuple(stretch))))


def _chain(kind: Kind, invariants: Sequence[Linear]) -> list[int]:
    """Return columns in an order that the invariants fix; those that stand in no order to another are left out."""
    facts = facts_of(invariants)
    places = [k for k, c in enumerate(kind.columns) if c.sort == "position"]

    def before(a: int, b: int) -> bool:
        return follows(facts, variable(kind.columns[b].name) - variable(kind.columns[a].name))

    comparable = {a: {b for b in places if b != a and (before(a, b) or before(b, a))} for a in places}
    chain: list[int] = []
    for a in sorted(places, key=lambda a: (-len(comparable[a]), a)):
        if comparable[a] and comparable[a].issuperset(chain):
            chain.append(a)
    return sorted(chain, key=lambda a: (sum(1 for b in chain if before(b, a)), a))


@dataclass(slots=True)
class LevelSearch:
    """A search for levels of a program divided into regions; `examples` grow as it goes on."""

    premises: Premises
    division: Division
    constants: range
    shapes: tuple[Shape, ...] | None = (
        None  # coefficients of the first term, unless they are to be looked for
    )
    thorough: bool = False  # whether pairs that were taken out of the wanted ones are tried once more
    examples: dict[Pair, list[LevelExample]] = field(default_factory=dict)
    alike: list[LevelExample] = field(default_factory=list)

    @property
    def program(self) -> Program:
        """The program whose items are to be ordered."""
        return self.premises.program

    @property
    def solver(self) -> Solver:
        """The solver."""
        return self.premises.solver

    def run(self, depth: int) -> Iterator[Levels | Stuck]:
        """Yield levels of one term, two and so on, each with its possible ties; `Stuck` if no next term exists."""
        open_ = [(rule.number, k) for rule in self.program.rules for k in range(len(rule.antecedents))]
        terms: tuple[LevelTerm, ...] = ()
        for _ in range(depth):
            found = self._next_term(terms, open_)
            if isinstance(found, Stuck):
                yield found
                return
            term, strict = found
            if not strict:
                return
            terms = (*terms, term)
            open_ = [pair for pair in open_ if pair not in strict]
            yield Levels(terms, frozenset(open_))
            if not open_:
                return

    # One term -----------------------------------------------------------------------------------------------

    def _next_term(
        self, terms: tuple[LevelTerm, ...], open_: Sequence[Pair]
    ) -> tuple[LevelTerm, set[Pair]] | Stuck:
        """Return a term that never goes down where the earlier ones are equal, and the pairs it rises for."""
        shapes = None if terms else self.shapes
        guess = Guess(self.program, self.division, self.constants, shapes, self.solver.context)
        for example in self.alike:
            guess.same(example)
        for pair in open_:
            for example in self.examples.get(pair, ()):
                if all(example.rise(t) == 0 for t in terms):
                    guess.rise(example, pair)
        wanted = dict.fromkeys(open_)
        retried: set[Pair] = set() if self.thorough else set(open_)
        last: Stuck = Stuck(None, {})
        for _ in range(EFFORTS.guess_rounds):
            term = guess.term(wanted, self._ease)
            if term is None:
                return last
            fits = True
            for equation in self._equations():
                unlike = self._unlike(equation, term)
                if unlike is not None:
                    fits = False
                    self.alike.append(unlike)
                    guess.same(unlike)
            if not fits:
                continue
            for pair in open_:
                met, values = self._counterexample(pair, terms, term, pair in wanted)
                if met is not None:
                    fits = False
                    self.examples.setdefault(pair, []).append(met)
                    guess.rise(met, pair)
                    last = Stuck(pair[0], values)
            if fits:
                missing = [pair for pair in open_ if pair not in wanted and pair not in retried]
                retried.update(missing)
                more = [pair for pair in missing if guess.fits([*wanted, pair])]
                if not more:
                    return term, set(wanted)
                wanted.update(dict.fromkeys(more))
        return last

    def _ease(self, pair: Pair) -> tuple[int, int]:
        """The priority with which a pair may tie: rules with one antecedent first, later rules before earlier."""
        return len(self.program.rules[pair[0]].antecedents), -pair[0]

    # Questions ----------------------------------------------------------------------------------------------

    def level(self, atom: Atom, term: LevelTerm, name: str) -> tuple[Affine, list[SolverFormula]]:
        """Return an item's term as a linear term, with formulas that fix the variable for its constant."""
        constants = term.constants[atom.kind]
        body = term.of_columns(atom.kind, atom.terms)
        if len(set(constants)) == 1:
            return body + constants[0], []
        kind = self.program.kinds[atom.kind]
        given = kind.by_name(atom.terms)
        cases = []
        for tests, value in zip(self.division.by_kind[atom.kind], constants, strict=True):
            cases.append((self.solver.tests(t.substitute(given) for t in tests), value))
        return body + variable(name), [self.solver.chosen(name, cases)]

    def _counterexample(
        self, pair: Pair, terms: tuple[LevelTerm, ...], term: LevelTerm, strict: bool
    ) -> tuple[LevelExample | None, Mapping[str, int]]:
        """Return an instance whose earlier terms are equal and whose term goes down (or does not rise)."""
        rule = self.program.rules[pair[0]]
        late, early = rule.consequent, rule.antecedents[pair[1]]
        formulas = [*self.premises.of(rule)]
        for k, one in enumerate((*terms, term)):
            high, more = self.level(late, one, f"level {k} below")
            low, others = self.level(early, one, f"level {k} above")
            formulas += [*more, *others]
            if k < len(terms):
                formulas.append(self.solver.test(Linear("==", high - low)))
            else:
                formulas.append(self.solver.test(Linear(">=", low - high - (0 if strict else 1))))
        values = self.solver.example(*formulas)
        if values is None:
            return None, {}
        return self._example(late, early, values), values

    def _unlike(self, equation: Equation, term: LevelTerm) -> LevelExample | None:
        """Return two writings of one item on different levels, or None if there are no such writings."""
        high, more = self.level(equation.left, term, "level of the left")
        low, others = self.level(equation.right, term, "level of the right")
        invariants = self.premises.invariants
        tests = [*equation.tests, *invariants.of(equation.left), *invariants.of(equation.right)]
        values = self.solver.example(
            self.solver.tests(tests), *more, *others, self.solver.test(Linear("!=", high - low))
        )
        return None if values is None else self._example(equation.left, equation.right, values)

    def _equations(self) -> list[Equation]:
        return [e for row in self.program.equations.values() for e in row]

    def _example(self, late: Atom, early: Atom, values: Mapping[str, int]) -> LevelExample:
        return LevelExample(self._placed(late, values), self._placed(early, values))

    def _placed(self, atom: Atom, values: Mapping[str, int]) -> tuple[int, int, tuple[int, ...]]:
        names = {x for term in atom.terms for x in term.names}
        known = {**dict.fromkeys(names, 0), **values}
        columns = tuple(term.value(known) for term in atom.terms)
        kind = self.program.kinds[atom.kind]
        by_name = {"n": known.get("n", 1), **kind.by_name(columns)}
        for number, tests in enumerate(self.division.by_kind[atom.kind]):
            if all(test.holds(by_name) for test in tests):
                return atom.kind, number, columns
        raise AssertionError("the regions of a kind leave nothing out")


class Variant(Record):
    """A rule for one choice of regions (numbered within their kinds), with the antecedents that may tie.

    `regions` are those of the antecedents and of the consequent; `example` is an instance of the first tie.
    """

    rule: int
    regions: tuple[int, ...]
    ties: tuple[int, ...] = ()
    example: Mapping[str, int] = field(default_factory=dict)
    stratum: int = 0


class Circle(Record):
    """Rules that may feed each other on one level, round in circles; an instance of the first that ties."""

    rules: tuple[int, ...]
    example: Mapping[str, int]


def variants_of(search: LevelSearch, levels: Levels) -> list[Variant]:
    """Return every rule for every possible choice of regions, with its ties.

    Raises
    ------
    SolverFailed : a question was not decided.
    """
    variants: list[Variant] = []
    for rule in search.program.rules:
        tied = [k for k in range(len(rule.antecedents)) if (rule.number, k) in levels.ties]
        if tied:
            search.solver.assume(search.premises.of(rule))
        try:
            for regions in regions_of_atoms(search.premises.invariants, search.division, rule):
                examples = {
                    k: search.solver.example(
                        *_in_regions(search, rule, regions), *_on_one_level(search, levels, rule, k)
                    )
                    for k in tied
                }
                ties = [k for k, example in examples.items() if example is not None]
                example = next(filter(None, examples.values()), {})
                variants.append(Variant(rule.number, regions, tuple(ties), example))
        finally:
            if tied:
                search.solver.forget()
    return variants


def put_into_strata(
    search: LevelSearch, levels: Levels, variants: Sequence[Variant]
) -> list[Variant] | Circle:
    """Return the variants with their strata, or rules that feed each other in a circle.

    Raises
    ------
    SolverFailed : a question was not decided.
    """
    tied = [k for k, variant in enumerate(variants) if variant.ties]
    ask = len(tied) ** 2 <= EFFORTS.feeding_pairs
    feeders = {v: [u for u in tied if _feeds(search, levels, variants[u], variants[v], ask)] for v in tied}
    order, circles = order_and_cycles(tied, feeders.__getitem__)
    if circles:
        return Circle(tuple(variants[k].rule for k in circles[0]), variants[circles[0][0]].example)
    strata: dict[int, int] = {}
    for v in order:
        strata[v] = 1 + max((strata[u] for u in feeders[v]), default=0)
    return [replace(variant, stratum=strata.get(k, 0)) for k, variant in enumerate(variants)]


def _feeds(search: LevelSearch, levels: Levels, one: Variant, other: Variant, ask: bool) -> bool:
    """Whether a tied variant may derive another's tied antecedent on its level; `ask`: the solver decides too."""
    program, solver = search.program, search.solver
    rule, feeder = program.rules[other.rule], program.rules[one.rule]

    def may_feed(k: int) -> bool:
        wanted, derived = rule.antecedents[k], feeder.consequent
        if search.premises.normal_forms.has(wanted.kind):  # by another writing perhaps
            return program.kinds[derived.kind].form == program.kinds[wanted.kind].form
        if derived.kind != wanted.kind or one.regions[-1] != other.regions[k]:
            return False
        if not ask:
            return True
        feeding = _renamed(feeder)
        return solver.possible(
            *search.premises.of(rule),
            solver.tests(search.premises.tests(feeding)),
            *_in_regions(search, rule, other.regions),
            *_in_regions(search, feeding, one.regions),
            *_on_one_level(search, levels, rule, k),
            solver.equal(feeding.consequent.terms, wanted.terms),
        )

    return any(map(may_feed, other.ties))


def _in_regions(search: LevelSearch, rule: Rule, regions: Sequence[int]) -> list[SolverFormula]:
    atoms = (*rule.antecedents, rule.consequent)
    tests = [
        test.substitute(search.program.kinds[atom.kind].by_name(atom.terms))
        for atom, region in zip(atoms, regions, strict=True)
        for test in search.division.by_kind[atom.kind][region]
    ]
    return [search.solver.tests(tests)] if tests else []


def _on_one_level(search: LevelSearch, levels: Levels, rule: Rule, k: int) -> list[SolverFormula]:
    formulas: list[SolverFormula] = []
    for number, term in enumerate(levels.terms):
        high, more = search.level(rule.consequent, term, f"level {number} below")
        low, others = search.level(rule.antecedents[k], term, f"level {number} above")
        formulas += [*more, *others, search.solver.test(Linear("==", high - low))]
    return formulas


def _renamed(rule: Rule) -> Rule:
    """Return a rule with variables that no other rule has."""
    given = {x: variable(f"{x} of the feeding rule") for x in rule.variables}
    return replace(
        rule,
        antecedents=tuple(atom.substitute(given) for atom in rule.antecedents),
        consequent=rule.consequent.substitute(given),
        tests=tuple(t.substitute(given) for t in rule.tests),
    )
