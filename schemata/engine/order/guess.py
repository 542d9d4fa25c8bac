"""A guess at one term of the level: small coefficients that fit the examples met so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schemata.engine.order.logic import Formula, SolverFailed
from schemata.engine.order.regions import Division
from schemata.program.linear import Affine
from schemata.program.model import Program

__all__ = ["Example", "Guess", "Pair", "Shape", "Term"]

TIMEOUT = 2_000  # milliseconds that one guess may take
SMALLER = 40  # times that a guess is made smaller
Pair = tuple[int, int]  # a rule's number and an antecedent
Shape = tuple[int, ...]  # the coefficients of a kind's columns


@dataclass(frozen=True, slots=True)
class Term:
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


@dataclass(frozen=True, slots=True)
class Example:
    """An instance: the columns of what comes later and of what comes before, with their kinds and regions."""

    late: tuple[int, int, tuple[int, ...]]
    early: tuple[int, int, tuple[int, ...]]

    def rise(self, term: Term) -> int:
        """Return by how much the term rises."""
        return _value(term, *self.late) - _value(term, *self.early)


def _value(term: Term, kind: int, region: int, columns: tuple[int, ...]) -> int:
    return term.constants[kind][region] + sum(
        k * x for k, x in zip(term.coefficients[kind], columns, strict=True)
    )


class Guess:
    """A guess at one term: small coefficients that fit the examples so far, as few as can be."""

    def __init__(
        self, program: Program, division: Division, constants: range, shapes: tuple[Shape, ...] | None
    ) -> None:
        import z3

        self._z3 = z3
        self._solver = z3.Solver()
        self._solver.set("timeout", TIMEOUT)
        self._program = program
        self._division = division
        self._columns: dict[tuple[int, int], Formula] = {}
        self._constants: dict[tuple[int, int], Formula] = {}
        for kind in program.kinds:
            for k, column in enumerate(kind.columns):
                if column.sort == "position":
                    x = self._columns[kind.number, k] = z3.Int(f"k{kind.number} {k}")
                    if shapes is None:
                        self._solver.add(x >= -1, x <= 1)
                    else:
                        self._solver.add(x == shapes[kind.number][k])
            for r in range(len(division.by_kind[kind.number])):
                if len(constants) > 1:
                    x = self._constants[kind.number, r] = z3.Int(f"c{kind.number} {r}")
                    self._solver.add(constants.start <= x, x < constants.stop)
        self._strict: dict[Pair, Formula] = {}

    def same(self, example: Example) -> None:
        """Ask for equal values."""
        self._solver.add(self._difference(example) == 0)

    def rise(self, example: Example, pair: Pair) -> None:
        """Ask that the term does not go down, and rises where the pair is wanted strict."""
        difference = self._difference(example)
        self._solver.add(difference >= 0)
        self._solver.add(self._z3.Implies(self._flag(pair), difference >= 1))

    def term(self, wanted: dict[Pair, None], ease: Callable[[Pair], tuple[int, int]]) -> Term | None:
        """Return a guess; pairs that cannot rise together with the others are taken out of the wanted ones."""
        z3, solver = self._z3, self._solver
        while True:
            flags = {self._flag(pair): pair for pair in wanted}
            answer = solver.check(*flags)
            if answer == z3.sat:
                return self._smallest(list(flags))
            if answer == z3.unknown:
                raise SolverFailed("the solver found no level in time")
            core = [pair for pair in wanted if any(f.eq(self._flag(pair)) for f in solver.unsat_core())]
            if not core:
                return None
            del wanted[min(core, key=ease)]

    def _smallest(self, flags: list[Formula]) -> Term:
        """Return the guess at hand, made smaller while that is quick."""
        z3, solver = self._z3, self._solver
        model = solver.model()
        sizes = [z3.If(x >= 0, x, -x) for x in (*self._columns.values(), *self._constants.values())]
        total = z3.Sum(sizes) if sizes else z3.IntVal(0)
        for _ in range(SMALLER):
            solver.push()
            solver.add(total < model.eval(total, model_completion=True))
            answer = solver.check(*flags)
            if answer == z3.sat:
                model = solver.model()
            solver.pop()
            if answer != z3.sat:
                break

        def value(x: Formula | None) -> int:
            return 0 if x is None else int(model.eval(x, model_completion=True).as_long())

        return Term(
            tuple(
                tuple(value(self._columns.get((kind.number, k))) for k in range(len(kind.columns)))
                for kind in self._program.kinds
            ),
            tuple(
                tuple(value(self._constants.get((kind, r))) for r in range(len(row)))
                for kind, row in enumerate(self._division.by_kind)
            ),
        )

    def _flag(self, pair: Pair) -> Formula:
        if pair not in self._strict:
            self._strict[pair] = self._z3.Bool(f"strict {pair[0]} {pair[1]}")
        return self._strict[pair]

    def _difference(self, example: Example) -> Formula:
        total: Formula = self._z3.IntVal(0)
        for sign, (kind, region, columns) in ((1, example.late), (-1, example.early)):
            for k, x in enumerate(columns):
                if x and (kind, k) in self._columns:
                    total = total + self._columns[kind, k] * (sign * x)
            if (kind, region) in self._constants:
                total = total + self._constants[kind, region] * sign
        return total
