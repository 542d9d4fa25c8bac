"""The loop of every verification: whether a schema derives exactly the structures it should, up to a length.

It goes the same way for all kinds of structures, each of which is a `Subject`. Lengths are tested one after the other,
so that the smallest counterexample is found; a limit, or Ctrl-C, leaves the answers known by then.

The *cases* of a `Subject` are sentences with grammars, small ones first; its *truth* is the set of structures that
brute force, or another schema, finds in a case. A case has `n`, `key` (its place in an order), `provide()` (its
grammar) and, where these matter, `words`.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Any, TypeAlias, TypeVar

from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget, OverBudget, guarded
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded, Interrupted
from schemata.engine.run import run_kernel
from schemata.errors import BudgetError, SchemataError, require_number
from schemata.forest.forest import Forest
from schemata.forest.states import Builds, count_states, finished_states
from schemata.records import Record, dataclass, field, replace
from schemata.shards import Crew, Places, crew
from schemata.structures import Sentence
from schemata.thresholds import EFFORTS, WAYS
from schemata.verification.verdicts import Ambiguous, Missed, Refutation, Unsound, Verdict
from schemata.workbench import ParsingSchema, Watcher

T = TypeVar("T")
V = TypeVar("V", bound=Verdict)

Reader: TypeAlias = "tuple[Builds, Callable[[Any], Any]]"
"""The states of derivations, and the reader of finished ones: a structure, None if the claim ignores it."""

RUN_BUDGET = Budget(steps=5_000_000, seconds=60.0)
"""The limits of one run of a verification."""


_ANSWERS = (  # with the length to which they are yes, and their counterexamples
    ("sound", "sound_to", "unsound"),
    ("complete", "complete_to", "incomplete"),
    ("each_once", "once_to", "ambiguous"),
)


def run_case(schema: ParsingSchema, case: Any, budget: Budget) -> Chart:
    """Run a schema in a case; where grammars do not mention words, on a sentence of its length.

    Raises
    ------
    BudgetExceeded : the run hit a limit, or Ctrl-C was pressed.
    """
    words = Sentence(case.words) if hasattr(case, "words") else sentence_of_length(case.n)
    if schema.definition.reads_inputs:
        schema, words = schema.of_inputs(case.inputs)
    return run_kernel(schema.kernel, words, case.provide(), budget)


class Outcome(Record):
    """The structures that a schema builds in a case.

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
    """A schema under test for one kind of structure. The kinds differ in the functions, which have plain
    defaults.

    Parameters
    ----------
    schema : the schema.
    limits : those of each run, and the end of the test.
    cases : of n words and a seed: the number of cases that settle or test n words, and the cases.
    reader : from a case and its chart, the reader of the chart.
    truth : of a case: the structures that are to be derived there, in order.
    fault : of a case and a structure: why it is not to be derived there; None if it is.
    answers : the claims that can be refuted.
    unions : how many unions of states the structures of one chart may take.
    nothing : the structure of a sentence that is accepted though nothing is built; None if that cannot be.
    key : from an answer, a case and a structure: the order of counterexamples, its own case first.
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
    prepare : computes the facts about a case before it is examined; a limit hit here leaves it undecided.
    known : of a case: its outcome, where it was examined before.
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
    known: Callable[[Any], Outcome | None] = lambda case: None

    def run(self, case: Any) -> Chart:
        """Run the schema in a case."""
        return run_case(self.schema, case, self.limits)

    def examine(self, case: Any) -> Outcome:
        """Run the schema in a case and read the structures that it builds.

        Raises
        ------
        BudgetExceeded, BudgetError : the run hit a limit, or its structures take too much effort.
        """
        if (known := self.known(case)) is not None:
            return known
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
        """Return the structures that the derivations of a case have built, as the reader returns
        them.

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
            # It is not decided which structures of an item on a cycle have infinitely many: one is bad enough.
            found[read(state)] += math.inf if forest.cyclic and number > 1 else number  # type: ignore[assignment]
        del found[None]
        return dict(found)

    def _within(self, states: T | None) -> T:
        if states is None:
            raise BudgetError(f"the structures of a chart take more than {self.unions} unions of links")
        return states

    def refute(self, answer: str, outcome: Outcome) -> Refutation | None:
        """Return the smallest counterexample to an answer in the outcome of a case; None if there is none."""
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


def check(limits: Budget) -> None:
    """Raise `OverBudget` where the end is past, or there is too little memory to go on."""
    limits.check(time.perf_counter())


def guard(limits: Budget, work: Callable[[], T]) -> T:
    """Return the result of some work; raises `OverBudget` anywhere in it once time or memory has run out."""
    return guarded(lambda: check(limits), work, limits.memory)


def examine(subject: Subject, case: Any) -> Outcome:
    """Return the outcome of a case, which says so where a limit was hit.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C was pressed.
    """
    try:
        check(subject.limits)
        return subject.examine(case)
    except Interrupted:
        raise KeyboardInterrupt from None
    except (BudgetExceeded, OverBudget) as over:
        return Outcome(case, stopped=over.reason)
    except BudgetError:
        return Outcome(case, stopped="structures")


class Refutations(dict[str, list[Refutation]]):
    """The smallest counterexamples to each answer."""

    def keep(self, answer: str, found: Iterable[Refutation]) -> None:
        """Keep the smallest counterexamples to an answer."""
        if every := [*found, *self.get(answer, ())]:
            self[answer] = sorted(every, key=lambda r: r.key)[: EFFORTS.shrunk]

    def learn(self, subject: Subject, waiting: Iterable[str], outcome: Outcome) -> None:
        """Keep the counterexamples to answers in an outcome."""
        for answer in waiting if outcome.stopped is None else ():
            self.keep(answer, filter(None, [subject.refute(answer, outcome)]))


class VerifiedCases(Record):
    """The results of a verification on some cases.

    Parameters
    ----------
    runs, structures : how many cases they are, and how many structures are met there.
    outcomes : those that are undecided, or all if these were asked for.
    refuted : the counterexamples by answer.
    """

    runs: int
    structures: int
    outcomes: tuple[Outcome, ...]
    refuted: Mapping[str, list[Refutation]]


class Examiner:
    """Examines shards in a process: cases, the answers that may still be refuted, whether all outcomes are wanted."""

    def __init__(self, make: Callable[..., Subject], arguments: tuple[Any, ...]) -> None:
        self.subject = make(*arguments)

    def __call__(self, shard: tuple[Sequence[Any], Sequence[str], bool]) -> tuple[VerifiedCases, bool]:
        """Return a tally, and whether no limit of the whole was hit."""
        cases, waiting, every = shard
        outcomes: list[Outcome] = []
        refuted = Refutations()

        def work() -> None:
            for case in cases:
                outcome = examine(self.subject, case)
                refuted.learn(self.subject, waiting, outcome)
                outcomes.append(outcome)

        whole = True
        try:
            guard(self.subject.limits, work)
            check(self.subject.limits)
        except OverBudget:
            whole = False
        outcomes += [Outcome(case, stopped="seconds") for case in cases[len(outcomes) :]]
        kept = tuple(one for one in outcomes if every or one.stopped)
        return VerifiedCases(len(cases), sum(one.number for one in outcomes), kept, dict(refuted)), whole


@dataclass(slots=True)
class Progress:
    """The results so far: for each answer its counterexamples, and the length up to which there is none."""

    crew: Crew
    limits: Budget
    watch: Watcher | None
    refuted: Refutations = field(default_factory=Refutations)
    covered: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    structures: int = 0
    skipped: int = 0
    stopped: str | None = None
    broken_off: bool = False  # all of the work was ended, and not a case alone
    settled: tuple[int, int] | None = None  # runs and skipped cases before what goes beyond
    stages: int = 0  # times that cases were given out

    @property
    def subject(self) -> Subject:
        """The schema under test."""
        subject: Subject = self.crew.worker.subject
        return subject

    @property
    def waiting(self) -> list[str]:
        """The answers that may still be refuted."""
        return [answer for answer in self.subject.answers if answer not in self.refuted]

    @property
    def closed(self) -> bool:
        """Whether more cases can add nothing: all answers are no, or a limit was hit."""
        return self.stopped is not None or not self.waiting

    @property
    def beyond(self) -> tuple[int, int]:
        """The number of cases tried beyond the requested lengths, and how many of them were skipped."""
        runs, skipped = self.settled or (self.runs, self.skipped)
        return self.runs - runs, self.skipped - skipped

    def try_cases(
        self,
        total: int,
        cases: Iterable[Any],
        description: str,
        n: int | None,
        *,
        kept: list[Outcome] | None = None,
        answers: Sequence[str] | None = None,
    ) -> None:
        """Try cases: all that settle n words, or some more if n is None.

        Parameters
        ----------
        kept : takes the outcomes.
        answers : those to be refuted; all that may still be if None.
        """
        self.stages += 1
        waiting = self.waiting if answers is None else answers
        undecided: str | None = None
        rest, size = iter(cases), self.crew.places.size(WAYS.process_cases, WAYS.cluster_cases)
        shards = ((some, waiting, kept is not None) for some in iter(lambda: list(islice(rest, size)), []))
        tallies: Iterator[VerifiedCases] = self.crew.results(shards, f"stage-{self.stages:03}")
        # Who watches is shown every case.
        ticks = (tick for one in tallies for tick in (one, *repeat(None, one.runs - 1)))
        for tally in filter(None, ticks if self.watch is None else self.watch(ticks, total, description)):
            self.runs += tally.runs
            self.structures += tally.structures
            for answer, found in tally.refuted.items():
                self.refuted.keep(answer, found)
            for outcome in tally.outcomes:
                if kept is not None:
                    kept.append(outcome)
                if outcome.stopped:
                    undecided = undecided or outcome.stopped
                    self.skipped += 1
                    check(self.limits)
                    if outcome.stopped == "memory":
                        raise OverBudget("memory")
                    self._try_parts(outcome.case)
        for answer in waiting:
            if answer in self.refuted:
                self._shrink(answer)
            elif n is not None and undecided is None:
                self.covered[answer] = n
        if n is not None:
            self.stopped = undecided

    def _try_parts(self, case: Any) -> None:
        """Look for a refutation in parts of an undecided case."""
        waiting = self.waiting
        for part in self.subject.parts(case):
            outcome = examine(self.subject, part)
            check(self.limits)
            self.refuted.learn(self.subject, waiting, outcome)
            if "complete" not in self.waiting:
                return

    def _shrink(self, answer: str) -> None:
        """Shrink the counterexamples to an answer as far as they still refute it."""
        for refutation in self.refuted[answer]:
            last = refutation
            while smaller := self._first(answer, self.subject.smaller(last.case)):
                last = smaller
            plain = self.subject.renamed(last.case)
            if plain != last.case:
                self._first(answer, [plain])

    def _first(self, answer: str, cases: Iterable[Any]) -> Refutation | None:
        """Return the counterexample to an answer in the first case that has one; it is kept if none
        is smaller.
        """
        for outcome in (examine(self.subject, case) for case in cases):
            found = None if outcome.stopped else self.subject.refute(answer, outcome)
            if found is not None:
                self.refuted[answer][0] = min(self.refuted[answer][0], found, key=lambda r: r.key)
                return found
        return None

    def example(self, answer: str, end: float) -> Any:
        """Return the counterexample to an answer, with its evidence if that is found before an end."""
        if answer not in self.refuted:
            return None
        refutation = self.refuted[answer][0]
        if self.stopped == "interrupt":
            return refutation.example(answer)
        subject = replace(self.subject, limits=replace(self.limits, end=end))
        try:
            return guard(subject.limits, lambda: subject.explain(answer, refutation))
        except KeyboardInterrupt:
            self.stopped = "interrupt"
        except (OverBudget, SchemataError, MemoryError):
            pass
        return refutation.example(answer)

    def follow(self, work: Callable[[], None]) -> None:
        """Do the work until it is done, a limit is hit, or Ctrl-C pressed."""
        try:
            guard(self.limits, work)
        except OverBudget as over:
            self.stopped = over.reason
        except BudgetError as over:
            self.stopped = self.stopped or getattr(over, "reason", "memory")
        except MemoryError:
            self.stopped = "memory"
        except KeyboardInterrupt:
            self.stopped = "interrupt"
        else:
            return
        self.broken_off = True
        self.crew.abandon()


class Question(Record):
    """The question to a verification: the schema, the length, and the limits of the work; see
    `schemata.verify`.

    Parameters
    ----------
    began : when it was asked, by `time.monotonic`.
    """

    schema: ParsingSchema
    max_n: int
    seed: int
    random: int
    single_root: bool
    jobs: int | Places
    budget: Budget | None
    seconds: float | None
    watch: Watcher | None
    began: float = field(default_factory=time.monotonic)

    def check(self, least: int = 1) -> None:
        """Raise `UsageError` if an argument is not a number or out of range."""
        for name, value, low in (
            ("max-n", self.max_n, least),
            ("random", self.random, 0),
            ("jobs", self.jobs, 1),
        ):
            if not isinstance(value, Places):
                require_number(name, value, low)

    def followed(
        self, make: Callable[..., Subject], arguments: tuple[Any, ...], work: Callable[[Progress], None]
    ) -> Progress:
        """Return the progress once the work is done, or as much of it as the limits allow.

        Parameters
        ----------
        make, arguments : a function that makes the schema under test from its definition, the arguments and the limits.
        work : the work.
        """
        limits = self._limits(self.began, self.seconds)
        made_of = self.schema.definition, *arguments, limits
        with crew(Examiner, (make, made_of), Places.of(self.jobs)) as workers:
            state = Progress(workers, limits, self.watch)
            state.follow(lambda: work(state))
        return state

    def _limits(self, began: float, seconds: float | None) -> Budget:
        """Return the limits of work that began at a time and may take some seconds."""
        limits = RUN_BUDGET.unless(self.budget)
        return limits if seconds is None else replace(limits, end=min(limits.end, began + seconds))

    def settle(self, state: Progress, lengths: Iterable[int]) -> None:
        """Go through the lengths, as long as there is something to be found."""
        for n in lengths:
            if not state.closed:
                total, cases = state.subject.cases(n, self.seed)
                state.try_cases(total, cases, f"{self.schema.name}, {n} words", n)
        state.settled = state.runs, state.skipped

    def verdict(self, state: Progress, of: Any, class_name: str, kind: type[V], **more: Any) -> V:
        """Return the progress as a verdict on a class of the structures that the schema builds."""
        answers: dict[str, Any] = {}
        grace = None if self.seconds is None else max(EFFORTS.grace_share * self.seconds, 0.5)
        end = self._limits(time.monotonic(), grace).end
        for answer, to, example in _ANSWERS:
            known = state.covered.get(answer, 0)
            holds = False if answer in state.refuted else (True if known >= self.max_n else None)
            answers |= {answer: holds, to: known, example: state.example(answer, end)}
        return kind(
            schema=self.schema.name,
            parameters=dict(self.schema.parameters),
            of=of,
            class_name=class_name,
            max_n=self.max_n,
            seed=self.seed,
            **answers,
            runs=state.runs,
            structures=state.structures,
            beyond=state.beyond[0],
            skipped=state.skipped,
            seconds=time.monotonic() - self.began,
            stopped=state.stopped,
            grammar_kind=self.schema.definition.grammar,
            **more,
        )
