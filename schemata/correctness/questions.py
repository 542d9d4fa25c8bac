"""Questions about linear tests, for every sentence length: can they hold together, and does one follow from others?

`Questions` asks the solver. `QuickQuestions` decides conjunctions of differences `x - y <= c`, and few alternatives of
them, by their closure, and asks the solver only about the rest; a search asks thousands. Both remember answers.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from schemata.language.bounds import Bounds
from schemata.order.logic import Solver, SolverFailed, SolverFormula, granted, nothing_of
from schemata.program.facts import difference, differences_of
from schemata.program.linear import AnyOf, Linear, Provided, Test
from schemata.thresholds import EFFORTS
from schemata.wording import quantity

_BUSY = 4  # seconds by the clock, for one of the processor: the solver tells the time by the clock


class Questions:
    """Asks the solver, each question once.

    Parameters
    ----------
    patience : how many seconds all questions may take together.
    interrupted : whether Ctrl-C was pressed.
    clock : the clock; that of the processor does not depend on how busy the machine is.

    Raises
    ------
    SolverFailed : by all methods, if the solver is not installed, or does not decide a question in time.
    """

    def __init__(
        self,
        patience: float = math.inf,
        interrupted: Callable[[], bool] = bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.patience = min(patience, EFFORTS.solver_seconds)
        self.interrupted, self.clock, self._end = interrupted, clock, clock() + self.patience
        self._solver: Solver | None = None
        self._formulas: dict[Test, SolverFormula] = {}
        self._answers: dict[frozenset[Test], bool] = {}

    @property
    def solver(self) -> Solver:
        """The solver, made with the first question."""
        if self._solver is None:
            left = max(0.0, self._end - self.clock())
            by_clock = self.clock is time.monotonic
            self._solver = Solver(left if by_clock else _BUSY * left, self.interrupted)
        return self._solver

    @property
    def asked(self) -> int:
        """The number of questions put to the solver."""
        return 0 if self._solver is None else self._solver.asked

    def possible(self, tests: Iterable[Test]) -> bool:
        """Whether tests can hold together, for some n >= 1."""
        wanted = frozenset(tests)
        if wanted not in self._answers:
            self.heed()
            self._answers[wanted] = self._possible(wanted)
        return self._answers[wanted]

    def heed(self) -> None:
        """Heed the limits; long work without questions calls this.

        Raises
        ------
        SolverFailed : the time is over.
        KeyboardInterrupt : Ctrl-C was pressed.
        """
        if self.interrupted():
            raise KeyboardInterrupt
        if self.clock() > self._end:
            raise SolverFailed(
                f"no proof was found within {quantity(self.patience, 'second')}", self.patience
            )

    def follows(self, given: Sequence[Test], test: Test) -> bool:
        """Whether a test holds wherever the given ones do."""
        if test in given:
            return True
        match test:
            case Linear():
                return not any(self.possible((*given, other)) for other in nothing_of(test))
            case AnyOf(options):
                choices = [[o for t in option for o in nothing_of(t)] for option in options]
                return not any(self.possible((*given, *chosen)) for chosen in itertools.product(*choices))
        return False  # that a grammar says yes follows from nothing else

    def all_follow(self, given: Sequence[Test], tests: Iterable[Test]) -> bool:
        """Whether some tests hold wherever the given ones do; the linear ones are put as one question."""
        wanted = [test for test in dict.fromkeys(tests) if test not in given]
        opposites = tuple((o,) for t in wanted if isinstance(t, Linear) for o in nothing_of(t))
        if opposites and self.possible((*given, AnyOf(opposites))):
            return False
        return all(self.follows(given, test) for test in wanted if not isinstance(test, Linear))

    def example(self, tests: Iterable[Test]) -> Mapping[str, int] | None:
        """Return values under which tests hold; None if such values do not exist."""
        return self.solver.example(*map(self._formula, tests))

    def _formula(self, test: Test) -> SolverFormula:
        if test not in self._formulas:
            self._formulas[test] = self.solver.test(test)
        return self._formulas[test]

    def _possible(self, tests: frozenset[Test]) -> bool:
        return self.solver.possible(*map(self._formula, tests))


class QuickQuestions(Questions):
    """Decides questions by closures of differences as far as possible, and leaves the rest to the solver."""

    def all_follow(self, given: Sequence[Test], tests: Iterable[Test]) -> bool:
        """Whether some tests hold wherever the given ones do; each is decided quickly."""
        return all(self.follows(given, test) for test in tests)

    def _possible(self, tests: frozenset[Test]) -> bool:
        answer = possible_differences(tests)
        return super()._possible(tests) if answer is None else answer


def possible_differences(tests: Iterable[Test]) -> bool | None:
    """Whether tests can hold together, if all are differences or alternatives of few; else None.

    >>> from schemata.program.linear import variable
    >>> i, n = variable("i"), variable("n")
    >>> possible_differences([Linear(">=", i - n - 1), Linear("!=", i)]), possible_differences([Linear(">=", -n)])
    (True, False)
    """
    plain: list[Linear] = []
    choices: list[tuple[tuple[Linear, ...], ...]] = []
    for test in tests:
        match test:
            case Provided():
                for one in granted(test):
                    if one.relation == "!=":
                        choices.append(_either(one))
                    else:
                        plain.append(one)
            case Linear("!="):
                choices.append(_either(test))
            case Linear():
                plain.append(test)
            case AnyOf(options):
                choices.append(options)
            case _:
                return None
    every = [*plain, *(one for some in choices for option in some for one in option)]
    if any(one.relation == "!=" or difference(one.left) is None for one in every):
        return None
    facts = Bounds()
    facts.learn(differences_of(plain))
    if facts.contradictory():
        return False
    left = [some for some in choices if not any(_holds(facts, option) for option in some)]
    if math.prod(map(len, left)) > EFFORTS.difference_alternatives:
        return None
    rows = ([one for option in chosen for one in option] for chosen in itertools.product(*left))
    return any(facts.extended(differences_of(row)) is not None for row in rows)


def _holds(facts: Bounds, tests: Sequence[Linear]) -> bool:
    return facts.proves(differences_of(tests))


def _either(test: Linear) -> tuple[tuple[Linear, ...], ...]:
    return (Linear(">=", test.left - 1),), (Linear(">=", -test.left - 1),)
