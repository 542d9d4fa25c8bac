"""Levels: linear terms over an item's columns, compared lexicographically, that no step takes down.

A level is looked for by examples: a guess that fits all examples met so far is put to the solver, which finds
it right for every sentence length or gives an instance that it does not fit, the next example. What is asked
of every term in turn: no instance whose earlier terms are equal goes down; and as many antecedents as can be
are left strictly behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from schemata.engine.order.differences import Differences
from schemata.engine.order.guess import Example, Guess, Pair, Shape, Term
from schemata.engine.order.invariants import Invariants
from schemata.engine.order.logic import Formula, Solver
from schemata.engine.order.premises import Premises
from schemata.engine.order.regions import Division
from schemata.program.linear import Affine, Linear, variable
from schemata.program.model import Atom, Equation, Kind, Program

__all__ = ["Levels", "Search", "Stuck", "usual_shapes"]

ROUNDS = 60  # guesses for one term of the level


@dataclass(frozen=True, slots=True)
class Levels:
    """The terms of a level, and the pairs of rule and antecedent that may be on one level."""

    terms: tuple[Term, ...]
    ties: frozenset[Pair]


@dataclass(frozen=True, slots=True)
class Stuck:
    """Why no level was found: a rule that no guess fits together with the others, with an instance of it."""

    rule: int | None
    example: Mapping[str, int]


def usual_shapes(program: Program, invariants: Invariants) -> list[tuple[Shape, ...]]:
    """Return coefficients that often do: the number of words covered without the gaps, and with them.

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
    facts = Differences.of(c.name for c in kind.columns)
    facts.add_all(invariants)
    places = [k for k, c in enumerate(kind.columns) if c.sort == "position"]

    def before(a: int, b: int) -> bool:
        return facts.follows(Linear(">=", variable(kind.columns[b].name) - variable(kind.columns[a].name)))

    comparable = {a: {b for b in places if b != a and (before(a, b) or before(b, a))} for a in places}
    chain: list[int] = []
    for a in sorted(places, key=lambda a: (-len(comparable[a]), a)):
        if comparable[a] and comparable[a].issuperset(chain):
            chain.append(a)
    return sorted(chain, key=lambda a: (sum(1 for b in chain if before(b, a)), a))


@dataclass(slots=True)
class Search:
    """A search for levels of a program divided into regions; `examples` grow as it goes on."""

    program: Program
    invariants: Invariants
    division: Division
    premises: Premises
    solver: Solver
    constants: range
    shapes: tuple[Shape, ...] | None = (
        None  # the coefficients of the first term, where they are not to be looked for
    )
    examples: dict[Pair, list[Example]] = field(default_factory=dict)
    alike: list[Example] = field(default_factory=list)

    def run(self, depth: int) -> Iterator[Levels | Stuck]:
        """Yield levels of one term, two and so on, each with what may tie; `Stuck` where there is none."""
        open_ = [(rule.number, k) for rule in self.program.rules for k in range(len(rule.antecedents))]
        terms: tuple[Term, ...] = ()
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

    def _next_term(self, terms: tuple[Term, ...], open_: Sequence[Pair]) -> tuple[Term, set[Pair]] | Stuck:
        """Return a term that never goes down where the earlier ones are equal, and the pairs it rises for."""
        guess = Guess(self.program, self.division, self.constants, None if terms else self.shapes)
        for example in self.alike:
            guess.same(example)
        for pair in open_:
            for example in self.examples.get(pair, ()):
                if all(example.rise(t) == 0 for t in terms):
                    guess.rise(example, pair)
        wanted = dict.fromkeys(open_)
        last: Stuck = Stuck(None, {})
        for _ in range(ROUNDS):
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
                return term, set(wanted)
        return last

    def _ease(self, pair: Pair) -> tuple[int, int]:
        """How readily a pair is allowed to tie: rules with one antecedent first, later rules before earlier."""
        return len(self.program.rules[pair[0]].antecedents), -pair[0]

    # Questions ----------------------------------------------------------------------------------------------

    def level(self, atom: Atom, term: Term, name: str) -> tuple[Affine, list[Formula]]:
        """Return an item's term as a linear term, with formulas that fix the variable for its constant."""
        constants = term.constants[atom.kind]
        body = term.of_columns(atom.kind, atom.terms)
        if len(set(constants)) == 1:
            return body + constants[0], []
        kind = self.program.kinds[atom.kind]
        given = {c.name: t for c, t in zip(kind.columns, atom.terms, strict=True)}
        cases = []
        for tests, value in zip(self.division.by_kind[atom.kind], constants, strict=True):
            cases.append((self.solver.tests(t.substitute(given) for t in tests), value))
        return body + variable(name), [self.solver.chosen(name, cases)]

    def _counterexample(
        self, pair: Pair, terms: tuple[Term, ...], term: Term, strict: bool
    ) -> tuple[Example | None, Mapping[str, int]]:
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

    def _unlike(self, equation: Equation, term: Term) -> Example | None:
        """Return two writings of one item on different levels, or None where there are none."""
        high, more = self.level(equation.left, term, "level of the left")
        low, others = self.level(equation.right, term, "level of the right")
        tests = [*equation.tests, *self.invariants.of(equation.left), *self.invariants.of(equation.right)]
        values = self.solver.example(
            self.solver.tests(tests), *more, *others, self.solver.test(Linear("!=", high - low))
        )
        return None if values is None else self._example(equation.left, equation.right, values)

    def _equations(self) -> list[Equation]:
        return [e for row in self.program.equations.values() for e in row]

    def _example(self, late: Atom, early: Atom, values: Mapping[str, int]) -> Example:
        return Example(self._placed(late, values), self._placed(early, values))

    def _placed(self, atom: Atom, values: Mapping[str, int]) -> tuple[int, int, tuple[int, ...]]:
        names = {x for term in atom.terms for x in term.names}
        known = {**dict.fromkeys(names, 0), **values}
        columns = tuple(term.value(known) for term in atom.terms)
        kind = self.program.kinds[atom.kind]
        by_name = {"n": known.get("n", 1), **{c.name: x for c, x in zip(kind.columns, columns, strict=True)}}
        for number, tests in enumerate(self.division.by_kind[atom.kind]):
            if all(test.holds(by_name) for test in tests):
                return atom.kind, number, columns
        raise AssertionError("the regions of a kind leave nothing out")
