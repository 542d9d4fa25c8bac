"""A schema under test: the cases in which it is tried, what it builds there, and what refutes an answer.

A `Subject` knows one kind of structure. Its *cases* are sentences with grammars, small ones first; its *truth* are the
structures that brute force, or another schema, finds in a case. A case has `n`, `key` (its place in an order),
`provide()` (its grammar) and, where these matter, `words`.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeAlias, TypeVar

from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget, OverBudget, resident_bytes
from schemata.engine.chart import Chart
from schemata.engine.run import run_kernel
from schemata.engine.watchdog import guarded
from schemata.errors import BudgetError
from schemata.forest.forest import Forest
from schemata.forest.states import Builds, count_states, finished_states
from schemata.language import model as m
from schemata.quick_dataclasses import Record, replace
from schemata.structures import Sentence
from schemata.verification.verdicts import Ambiguous, Missed, Refutation, Unsound
from schemata.workbench import ParsingSchema

T = TypeVar("T")

Reader: TypeAlias = "tuple[Builds, Callable[[Any], Any]]"
"""The states of derivations, and what reads finished ones: structures, None for what is nobody's concern."""

RUN_BUDGET = Budget(steps=5_000_000, seconds=60.0)
"""The limits of one run of a verification."""

LINK_UNIONS = 30_000_000
"""The unions of sets of links that the structures of one chart may take."""


class Limits(Record):
    """The limits of a verification.

    Parameters
    ----------
    budget : of a single run; its memory is that of the process all the time.
    end : when all must end, in seconds since the epoch, which all machines share.
    """

    budget: Budget
    end: float

    @property
    def of_run(self) -> Budget:
        """The limits of a run that begins now."""
        left = max(self.end - time.time(), 0.0)
        return replace(self.budget, seconds=min(self.budget.seconds, left))

    def check(self) -> None:
        """Raise `OverBudget` where the time is over, or there is too little memory to go on."""
        if time.time() > self.end:
            raise OverBudget("seconds")
        if resident_bytes() > self.budget.memory:
            raise OverBudget("memory")

    def guard(self, work: Callable[[], T]) -> T:
        """Return what the work returns; `OverBudget` is raised wherever in it a limit is hit."""
        return guarded(self.check, work)


def run_case(schema: ParsingSchema, case: Any, budget: Budget) -> Chart:
    """Run a schema in a case; where grammars say nothing of words, on a sentence of its length.

    Raises
    ------
    BudgetExceeded : the run hit a limit, or Ctrl-C was pressed.
    """
    words = Sentence(case.words) if hasattr(case, "words") else sentence_of_length(case.n)
    if schema.definition.reads_inputs:
        schema, words = schema.of_inputs(case.inputs)
    return run_kernel(schema.kernel, words, case.provide(), budget)


class Outcome(Record):
    """What a schema builds in a case.

    Parameters
    ----------
    number : how many structures count as met.
    surplus : whether some structure may have too many derivations.
    stopped : the limit that was hit ("steps", "seconds", "memory", "structures"); then nothing else is known.
    """

    case: Any
    built: frozenset[Any] = frozenset()
    number: int = 0
    surplus: bool = False
    stopped: str | None = None


class Subject(ABC):
    """A schema under test for one kind of structure.

    Parameters
    ----------
    schema : the schema.
    limits : the limits of the test.

    Attributes
    ----------
    answers : what can be refuted.
    unions : how many combinations of what items have built the structures of one chart may take.
    nothing : the structure of a sentence that is accepted though nothing is built; None where that cannot be.
    """

    answers: tuple[str, ...] = ("sound", "complete", "each_once")
    unions = 2_000_000
    nothing: ClassVar[Any] = None

    def __init__(self, schema: m.Schema, limits: Limits) -> None:
        self.schema, self.limits = ParsingSchema(schema), limits

    # What the kinds of structures differ in

    @abstractmethod
    def cases(self, n: int, seed: int) -> tuple[int, Iterable[Any]]:
        """Return the number of cases that settle or test n words, and the cases."""

    @abstractmethod
    def reader(self, case: Any, chart: Chart) -> Reader:
        """Return what reads the chart of a case."""

    @abstractmethod
    def truth(self, case: Any) -> Iterable[Any]:
        """Return the structures that are to be derived in a case, in order."""

    @abstractmethod
    def fault(self, case: Any, structure: Any) -> str | None:
        """Return why a structure is not to be derived in a case; None where it is."""

    def key(self, answer: str, own: Any, structure: Any) -> tuple[Any, ...]:
        """Return the order of what refutes an answer, by its own case first."""
        return own.key, str(structure)

    def own(self, answer: str, case: Any, structure: Any) -> Any:
        """Return the case in which a counterexample of a case is shown."""
        return case

    def once(self, case: Any, structure: Any) -> float:
        """Return how many derivations a structure may have in a case."""
        return 1

    def may_repeat(self, case: Any, built: int, derivations: float) -> bool:
        """Whether some structure may have too many derivations: so many are built, there are so many derivations."""
        return derivations != built

    def number(self, case: Any, built: int) -> int:
        """Return how many structures count as met in a case where so many are built."""
        return built

    def more(self, n: int, seed: int, share: int) -> list[Any]:
        """Return that many random cases of n words, beyond the lengths asked for."""
        return []

    def parts(self, case: Any) -> Iterable[Any]:
        """Return cases in which an undecided one may be refuted at least."""
        return ()

    def smaller(self, case: Any) -> Iterable[Any]:
        """Return cases that are a little smaller, in which the schema may still fail."""
        smaller: Iterable[Any] = case.smaller()
        return smaller

    def renamed(self, case: Any) -> Any:
        """Return the case with the plainest names."""
        return case

    def evidence(self, example: Missed, chart: Chart) -> Missed:
        """Return a structure that is missed, with how near the chart of its case comes to it."""
        return example

    # What they share

    def run(self, case: Any) -> Chart:
        """Run the schema in a case."""
        return run_case(self.schema, case, self.limits.of_run)

    def examine(self, case: Any) -> Outcome:
        """Run the schema in a case and read what it builds.

        Raises
        ------
        BudgetExceeded, BudgetError : the run hit a limit, or its structures take too much effort.
        """
        chart = self.run(case)
        forest = chart.forest()
        built = self.built(case, chart, forest)
        surplus = self.may_repeat(case, len(built), forest.derivation_count)
        if chart.accepted and not built:
            built = {self.nothing}
        built.discard(None)
        return Outcome(case, frozenset(built), self.number(case, len(built)), surplus)

    def built(self, case: Any, chart: Chart, forest: Forest) -> set[Any]:
        """Return what the derivations of a case have built, as it is read.

        Raises
        ------
        BudgetError : that takes too much effort.
        """
        building, read = self.reader(case, chart)
        states = self._within(finished_states(forest, building, self.unions) if forest.roots else set())
        return set(map(read, states))

    def _counts(self, case: Any) -> dict[Any, float]:
        """Return the structures that are built in a case, each with the number of its derivations."""
        chart = self.run(case)
        forest, (building, read) = chart.forest(), self.reader(case, chart)
        found: Counter[Any] = Counter()
        for state, number in self._within(count_states(forest, building, self.unions)).items():
            # Which structures of an item on a cycle have endlessly many is not asked: that any has is bad enough.
            found[read(state)] += math.inf if forest.cyclic and number > 1 else number  # type: ignore[assignment]
        del found[None]
        return dict(found)

    def _within(self, states: T | None) -> T:
        if states is None:
            raise BudgetError(f"the structures of a chart take more than {self.unions} unions of links")
        return states

    def refute(self, answer: str, outcome: Outcome) -> Refutation | None:
        """Return the smallest of what refutes an answer in the outcome of a case; None where nothing does."""
        case = outcome.case
        found: Iterable[tuple[Any, Any, str]]  # a structure, what is shown of it, and its fault
        if answer == "complete":
            lost = next((x for x in self.truth(case) if x not in outcome.built), None)
            found = [] if lost is None else [(lost, lost, "")]
        elif answer == "sound":
            found = ((x, x, fault) for x in outcome.built if (fault := self.fault(case, x)))
        else:
            counts = self._counts(case) if outcome.surplus else {}
            found = ((x, (x, number), "") for x, number in counts.items() if number > self.once(case, x))
        refutations = []
        for structure, shown, fault in found:
            own = self.own(answer, case, structure)
            refutations.append(Refutation(self.key(answer, own, structure), own, shown, fault))
        return min(refutations, key=lambda one: one.key, default=None)

    def explain(self, answer: str, refutation: Refutation) -> Missed | Unsound | Ambiguous:
        """Return a counterexample with its evidence.

        Raises
        ------
        BudgetExceeded : the run hits a limit now.
        """
        example, chart = refutation.example(answer), self.run(refutation.case)
        if isinstance(example, Missed):
            return self.evidence(example, chart)
        building, read = self.reader(refutation.case, chart)
        return example.explained(chart, building, lambda state: read(state) == example.structure)
