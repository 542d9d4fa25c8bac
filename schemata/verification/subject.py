"""A schema under test: the cases in which it is tried, what it builds there, and what refutes an answer.

A `Subject` knows one kind of structure. Its *cases* are sentences with grammars, small ones first; its *truth* are the
structures that brute force, or another schema, finds in a case. A case has `n`, `key` (its place in an order),
`provide()` (its grammar) and, where these matter, `words`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.run import run_kernel
from schemata.errors import BudgetError
from schemata.forest.forest import Forest
from schemata.forest.states import Builds, count_states, finished_states
from schemata.quick_dataclasses import Record
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


class Subject(Record):
    """A schema under test for one kind of structure. What the kinds differ in are functions, plain ones unless given.

    Parameters
    ----------
    schema : the schema.
    limits : those of each run, and the end of the test.
    cases : of n words and a seed: the number of cases that settle or test n words, and the cases.
    reader : of a case and its chart: what reads the chart.
    truth : of a case: the structures that are to be derived there, in order.
    fault : of a case and a structure: why it is not to be derived there; None where it is.
    answers : what can be refuted.
    unions : how many combinations of what items have built the structures of one chart may take.
    nothing : the structure of a sentence that is accepted though nothing is built; None where that cannot be.
    key : of an answer, a case and a structure: the order of what refutes the answer, by its own case first.
    own : of an answer, a case and a structure: the case in which the counterexample is shown.
    once : of a case and a structure: how many derivations it may have.
    may_repeat : of a case, the number of structures built and that of derivations: whether some structure may have too
        many derivations.
    number : of a case and the number of structures built: how many count as met.
    more : of n words, a seed and a number: so many random cases beyond the lengths asked for.
    parts : of an undecided case: cases in which it may be refuted at least.
    smaller : of a case: cases that are a little smaller, in which the schema may still fail.
    renamed : of a case: the same with the plainest names.
    evidence : of a structure that is missed and the chart of its case: the same with how near the chart comes to it.
    prepare : finds out what must be known of a case before it is examined; a limit hit here leaves it undecided.
    """

    schema: ParsingSchema
    limits: Budget
    cases: Callable[[int, int], tuple[int, Iterable[Any]]]
    reader: Callable[[Any, Chart], Reader]
    truth: Callable[[Any], Iterable[Any]]
    fault: Callable[[Any, Any], str | None]
    answers: tuple[str, ...] = ("sound", "complete", "each_once")
    unions: int = 2_000_000
    nothing: Any = None
    key: Callable[[str, Any, Any], tuple[Any, ...]] = lambda answer, own, structure: (own.key, str(structure))
    own: Callable[[str, Any, Any], Any] = lambda answer, case, structure: case
    once: Callable[[Any, Any], float] = lambda case, structure: 1
    may_repeat: Callable[[Any, int, float], bool] = lambda case, built, derivations: derivations != built
    number: Callable[[Any, int], int] = lambda case, built: built
    more: Callable[[int, int, int], list[Any]] = lambda n, seed, share: []
    parts: Callable[[Any], Iterable[Any]] = lambda case: ()
    smaller: Callable[[Any], Iterable[Any]] = lambda case: case.smaller()
    renamed: Callable[[Any], Any] = lambda case: case
    evidence: Callable[[Missed, Chart], Missed] = lambda example, chart: example
    prepare: Callable[[Any], object] = lambda case: None

    def run(self, case: Any) -> Chart:
        """Run the schema in a case."""
        return run_case(self.schema, case, self.limits)

    def examine(self, case: Any) -> Outcome:
        """Run the schema in a case and read what it builds.

        Raises
        ------
        BudgetExceeded, BudgetError : the run hit a limit, or its structures take too much effort.
        """
        self.prepare(case)
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
