"""Linear tests over all integers: questions to the solver.

Can these tests hold together, for some sentence length and some values? `program.facts` answers at once, but only in
one direction: if it finds a conjunction impossible, it is; it passes over tests that are not differences. `Solver`
asks z3; an answer of "unknown" raises an exception, since an undecided question proves nothing. z3 is loaded with the
first question.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from schemata.program.linear import Affine, AnyOf, Linear, Provided, Test
from schemata.thresholds import EFFORTS, WAYS
from schemata.wording import quantity

Conjunction: TypeAlias = "tuple[Linear | AnyOf, ...]"
SolverFormula: TypeAlias = Any  # an expression of the solver


class SolverFailed(Exception):  # noqa: N818 - an answer, not a mistake: there is no proof then
    """The solver is not installed, or did not decide a question; the message says which.

    `patience` is how many seconds did not suffice, 0 if time was not the reason.
    """

    def __init__(self, message: str, patience: float = 0.0) -> None:
        super().__init__(message)
        self.patience = patience


def granted(test: Provided) -> tuple[Linear, ...]:
    """Return the facts that a licence implies: its arguments are words or nodes, and no word has a loop."""
    ends = [Linear(">=", end) for term, low, high in test.ranges() for end in (term - low, high - term)]
    if test.table.is_irreflexive:
        ends.append(Linear("!=", test.arguments[0] - test.arguments[1]))
    return tuple(ends)


def nothing_of(test: Linear) -> tuple[Linear, ...]:
    """Return a test's opposite, as tests of which one holds."""
    match test.relation:
        case ">=":
            return (Linear(">=", -test.left - 1),)
        case "==":
            return (Linear("!=", test.left),)
    return (Linear("==", test.left),)


@dataclass(slots=True)
class Solver:
    """The solver with its variables by name; `n` is at least 1 in every question.

    Formulas have a `context` of their own: in one that proofs share, answers depend on the proofs made before.
    `patience` is how many seconds all questions may take together; never more than `EFFORTS.solver_seconds`.
    `interrupted` says whether Ctrl-C was pressed (`interrupts_put_off`). `clock` counts the seconds.
    """

    patience: float = math.inf
    interrupted: Callable[[], bool] = bool
    clock: Callable[[], float] = time.monotonic
    asked: int = 0
    _end: float = 0.0
    context: Any = None
    _library: Any = None
    _state: Any = None
    _variables: dict[str, SolverFormula] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            import z3
        except Exception as error:  # its own, where its library cannot be loaded: there is too little memory
            missing = isinstance(error, ModuleNotFoundError)
            what = "is not installed" if missing else "cannot be loaded"
            raise SolverFailed(f"the solver (z3-solver) {what}") from None
        self.patience = min(self.patience, EFFORTS.solver_seconds)
        self._end = self.clock() + self.patience
        self._library = z3
        self.context = z3.Context()
        self._state = z3.SolverFor("QF_LIA", ctx=self.context)
        self._state.set("timeout", EFFORTS.question_milliseconds)
        self._state.set("ctrl_c", False)  # it would swallow the signal
        self._state.add(self.variable("n") >= 1)

    # Formulas ---------------------------------------------------------------------------------------------

    def variable(self, name: str) -> SolverFormula:
        """Return the variable of a name."""
        if name not in self._variables:
            self._variables[name] = self._library.Int(name, self.context)
        return self._variables[name]

    def term(self, term: Affine) -> SolverFormula:
        """Return a linear term."""
        total: SolverFormula = None
        for name, k in sorted(term.terms, key=lambda part: part[1] < 0):
            part = self.variable(name) if abs(k) == 1 else self.variable(name) * abs(k)
            signed = part if k > 0 else -part
            total = signed if total is None else total + part if k > 0 else total - part
        if total is None:
            return self._library.IntVal(term.constant, self.context)
        return total + term.constant if term.constant else total

    def test(self, test: Test) -> SolverFormula:
        """Return a test as a formula; a query of the grammar becomes the facts that its licence implies."""
        match test:
            case Linear(relation, left):
                value = self.term(left)
                return value >= 0 if relation == ">=" else value == 0 if relation == "==" else value != 0
            case AnyOf(options):
                return self.any_of(self.all_of(map(self.test, option)) for option in options)
            case Provided():
                return self.all_of(map(self.test, granted(test)))
        return self.all_of(())

    def tests(self, tests: Iterable[Test]) -> SolverFormula:
        """Return the conjunction of tests."""
        return self.all_of([self.test(t) for t in tests])

    def all_of(self, formulas: Iterable[SolverFormula]) -> SolverFormula:
        """Return a conjunction."""
        parts = list(formulas)
        return parts[0] if len(parts) == 1 else self._library.And(*parts, self.context)

    def any_of(self, formulas: Iterable[SolverFormula]) -> SolverFormula:
        """Return a disjunction."""
        parts = list(formulas)
        return parts[0] if len(parts) == 1 else self._library.Or(*parts, self.context)

    def opposite(self, formula: SolverFormula) -> SolverFormula:
        """Return a negation."""
        return self._library.Not(formula)

    def equal(self, terms: Sequence[Affine], others: Sequence[Affine]) -> SolverFormula:
        """Return the formula that two items have the same columns."""
        pairs = zip(terms, others, strict=True)
        return self.tests(Linear("==", a - b) for a, b in pairs if a != b)

    def chosen(self, name: str, cases: Iterable[tuple[SolverFormula, int]]) -> SolverFormula:
        """Return the formula that a variable has the value of one of the cases, whose formula holds."""
        x = self.variable(name)
        return self.any_of(self.all_of((formula, x == value)) for formula, value in cases)

    def substituted(self, formula: SolverFormula, given: Mapping[str, Affine]) -> SolverFormula:
        """Return a formula with linear terms in place of variables."""
        pairs = [(self.variable(x), self.term(t)) for x, t in given.items()]
        return self._library.substitute(formula, *pairs)

    # Questions --------------------------------------------------------------------------------------------

    def assume(self, formulas: Iterable[SolverFormula]) -> None:
        """Begin to assume formulas; `forget` ends it. Assumptions are a stack."""
        self._state.push()
        self._state.add(*formulas)

    def forget(self) -> None:
        """Retract the last assumption."""
        self._state.pop()

    def example(self, *formulas: SolverFormula) -> Mapping[str, int] | None:
        """Return values that satisfy the formulas together with all assumptions; None if they are unsatisfiable.

        Variables that do not matter are left out; any value of them will do.

        Raises
        ------
        SolverFailed : the question was not decided.
        """
        self.asked += 1
        if self.interrupted():
            raise KeyboardInterrupt
        if self.clock() > self._end:
            raise SolverFailed(
                f"no proof was found within {quantity(self.patience, 'second')}", self.patience
            )
        self._state.push()
        try:
            self._state.add(*formulas)
            answer = self._state.check()
            if answer == self._library.sat:
                model = self._state.model()
                return {str(x): model[x].as_long() for x in model if hasattr(model[x], "as_long")}
            if answer == self._library.unsat:
                return None
        finally:
            self._state.pop()
        raise SolverFailed("the solver did not decide a question in time", self.patience)

    def possible(self, *formulas: SolverFormula) -> bool:
        """Whether the formulas can hold together with all that is assumed."""
        return self.example(*formulas) is not None


def options_of(tests: Sequence[Test]) -> list[tuple[Linear, ...]]:
    """Return conjunctions of linear tests of which one holds wherever all the tests hold."""
    plain: list[Linear] = []
    choices: list[tuple[tuple[Linear, ...], ...]] = []
    plainer = (granted(test) if isinstance(test, Provided) else (test,) for test in tests)
    for test in itertools.chain.from_iterable(plainer):
        match test:
            case Linear("!=", left):  # a disjunction
                choices.append(((Linear(">=", left - 1),), (Linear(">=", -left - 1),)))
            case Linear():
                plain.append(test)
            case AnyOf(options):
                choices.append(options)
    while math.prod(map(len, choices)) > WAYS.disjuncts:
        choices.remove(max(choices, key=len))
    return [(*plain, *(t for option in chosen for t in option)) for chosen in itertools.product(*choices)]
