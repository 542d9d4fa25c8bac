"""The loop of every verification: whether a schema derives exactly the structures it should, up to a length.

It goes the same way for all kinds of structures. A `Kind` makes the *cases*, sentences with grammars, small ones first;
it knows the *truth*, the structures that brute force finds in a case; it *judges* what the schema derives there; and
it makes a case that refutes an answer *smaller*. Lengths are tested one after the other, so that the smallest
counterexample is found; a limit, or Ctrl-C, leaves the answers known by then.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any, Protocol, TypeVar

from schemata.budget import Budget, BudgetExceeded, Interrupted, OverBudget, resident_bytes
from schemata.engine.watchdog import guarded
from schemata.errors import BudgetError, SchemataError, UsageError
from schemata.forest.forest import Forest
from schemata.forest.states import Builds, count_states
from schemata.quick_dataclasses import Record, dataclass, field, replace
from schemata.shards import Crew, Places, crew
from schemata.verification.verdicts import Refutation, Verdict
from schemata.workbench import ParsingSchema, Watcher

T = TypeVar("T")
V = TypeVar("V", bound=Verdict)

RUN_BUDGET = Budget(steps=5_000_000, seconds=60.0)
"""The limits of one run of a verification."""

_CHUNKS = 16, 500  # cases in a shard: for processes, and where results travel far or are kept
_SHRUNK = 3  # how many of the refutations of an answer are made smaller; the smallest is kept
_GRACE = 0.2  # the part of the seconds that evidence may take after they are over


class Limits(Record):
    """The limits of a verification.

    Parameters
    ----------
    budget : of a single run; its memory is that of the process all the time.
    unions : the unions of sets of links that the structures of one chart may take.
    end : when all must end, in seconds since the epoch, which all machines share.
    """

    budget: Budget
    unions: int
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


class Kind(Protocol):
    """A schema under test for one kind of structures, ready to run in this process."""

    limits: Limits
    answers: tuple[str, ...]

    def examine(self, case: Any) -> Any:
        """Run the schema in a case and return the outcome."""

    def cases(self, n: int, seed: int) -> tuple[int, Iterable[Any]]:
        """Return the number of cases that settle or test n words, and the cases."""

    def parts(self, case: Any) -> Iterator[Any]:
        """Yield cases in which an undecided one may be refuted at least."""

    def refute(self, answer: str, outcome: Any) -> Iterator[Refutation]:
        """Yield what refutes an answer in the outcome of a case: a structure that is not in the truth, or is missed."""

    def smaller(self, case: Any) -> Iterator[Any]:
        """Yield cases that are a little smaller, in which the schema may still fail."""

    def renamed(self, case: Any) -> Any:
        """Return the case with the plainest names."""

    def shown(self, case: Any) -> Any:
        """Return what counterexamples say of a case: its grammar, or its dictionary and sentence."""

    def explain(self, answer: str, refutation: Refutation) -> Any:
        """Return a counterexample with its evidence: derivations, or how far the schema gets."""


class Undecided(Record):
    """A case that hit a limit: "steps", "seconds", "memory" or "structures"."""

    case: Any
    stopped: str


def examine(subject: Kind, case: Any) -> Any:
    """Return the outcome of a case, `Undecided` where a limit was hit.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C was pressed.
    """
    try:
        subject.limits.check()
        return subject.examine(case)
    except Interrupted:
        raise KeyboardInterrupt from None
    except (BudgetExceeded, OverBudget) as over:
        return Undecided(case, over.reason)
    except BudgetError:
        return Undecided(case, "structures")


class Tally(Record):
    """What a verification learns from some cases: how many they are, those undecided, what refutes which answer."""

    runs: int
    structures: int
    undecided: tuple[Undecided, ...]
    refuted: dict[str, list[Refutation]]


class Examiner:
    """Examines shards of cases in a process.

    A shard is a list of cases and the answers that may still be refuted; without these, the result is all outcomes.
    """

    def __init__(self, make: Callable[..., Kind], arguments: tuple[Any, ...]) -> None:
        self.kind = make(*arguments)

    def __call__(self, shard: tuple[Sequence[Any], Sequence[str] | None]) -> tuple[Any, bool]:
        """Return a tally, or the outcomes; and whether no limit of the whole was hit."""
        cases, waiting = shard
        outcomes: list[Any] = []
        refuted: dict[str, list[Refutation]] = {}

        def work() -> None:
            for case in cases:
                outcome = examine(self.kind, case)
                if waiting and not isinstance(outcome, Undecided):
                    learn(self.kind, waiting, outcome, refuted)
                outcomes.append(outcome)

        whole = True
        try:
            self.kind.limits.guard(work)
            self.kind.limits.check()
        except OverBudget:
            whole = False
        outcomes += [Undecided(case, "seconds") for case in cases[len(outcomes) :]]
        if waiting is None:
            return outcomes, whole
        undecided = tuple(one for one in outcomes if isinstance(one, Undecided))
        structures = sum(one.number for one in outcomes if not isinstance(one, Undecided))
        return Tally(len(cases), structures, undecided, refuted), whole


def learn(kind: Kind, waiting: Iterable[str], outcome: Any, refuted: dict[str, list[Refutation]]) -> None:
    """Keep the smallest of what refutes answers."""
    for answer in waiting:
        keep(refuted, answer, kind.refute(answer, outcome))


def keep(refuted: dict[str, list[Refutation]], answer: str, found: Iterable[Refutation]) -> None:
    """Keep the smallest of what refutes an answer."""
    if every := [*found, *refuted.get(answer, ())]:
        refuted[answer] = sorted(every, key=lambda r: r.key)[:_SHRUNK]


@dataclass(slots=True)
class Progress:
    """The results so far: for each answer its refutations, and the length up to which there is none."""

    crew: Crew
    limits: Limits
    watch: Watcher | None
    refuted: dict[str, list[Refutation]] = field(default_factory=dict)
    covered: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    structures: int = 0
    skipped: int = 0
    stopped: str | None = None
    settled: tuple[int, int] | None = None  # runs and skipped cases before what goes beyond
    stages: int = 0  # times that cases were given out

    @property
    def kind(self) -> Kind:
        """The schema under test."""
        subject: Kind = self.crew.worker.kind
        return subject

    @property
    def closed(self) -> bool:
        """Whether more cases can add nothing: all answers are no, or a limit was hit."""
        return self.stopped is not None or len(self.refuted) == len(self.kind.answers)

    @property
    def beyond(self) -> tuple[int, int]:
        """The number of cases tried beyond the lengths asked for, and how many of them were skipped."""
        runs, skipped = self.settled or (self.runs, self.skipped)
        return self.runs - runs, self.skipped - skipped

    def outcomes(self, total: int, cases: Iterable[Any], description: str) -> Iterator[Any]:
        """Yield the outcomes of cases, counted.

        Raises
        ------
        OverBudget : the limits of the whole are hit.
        """
        found = (one for outcomes in self._results(cases, None) for one in outcomes)
        for outcome in found if self.watch is None else self.watch(found, total, description):
            self.runs += 1
            if isinstance(outcome, Undecided):
                self._skip(outcome)
            else:
                self.structures += outcome.number
            yield outcome

    def _results(self, cases: Iterable[Any], waiting: Sequence[str] | None) -> Iterator[Any]:
        self.stages += 1
        rest, size = iter(cases), self.crew.places.size(*_CHUNKS)
        shards = iter(lambda: (list(islice(rest, size)), waiting), ([], waiting))
        return self.crew.results(shards, f"stage-{self.stages:03}")

    def _skip(self, outcome: Undecided) -> None:
        self.skipped += 1
        self.limits.check()
        if outcome.stopped == "memory":
            raise OverBudget("memory")

    def try_cases(self, total: int, cases: Iterable[Any], description: str, n: int | None) -> None:
        """Try cases; all that settle n words, or some more where n is None."""
        waiting = [answer for answer in self.kind.answers if answer not in self.refuted]
        undecided: str | None = None
        tallies = self._results(cases, waiting)
        # Who watches is shown every case.
        ticks = (tick for one in tallies for tick in (one, *repeat(None, one.runs - 1)))
        for tally in filter(None, ticks if self.watch is None else self.watch(ticks, total, description)):
            self.runs += tally.runs
            self.structures += tally.structures
            for answer, found in tally.refuted.items():
                keep(self.refuted, answer, found)
            for outcome in tally.undecided:
                undecided = undecided or outcome.stopped
                self._skip(outcome)
                self._try_parts(outcome.case)
        for answer in waiting:
            if answer in self.refuted:
                self.shrink(answer)
            elif n is not None and undecided is None:
                self.covered[answer] = n
        if n is not None:
            self.stopped = undecided

    def learn(self, waiting: Iterable[str], outcome: Any) -> None:
        """Keep the smallest of what refutes answers."""
        learn(self.kind, waiting, outcome, self.refuted)

    def _try_parts(self, case: Any) -> None:
        """Look for a refutation in parts of an undecided case."""
        waiting = [answer for answer in self.kind.answers if answer not in self.refuted]
        for part in self.kind.parts(case):
            outcome = examine(self.kind, part)
            self.limits.check()
            if not isinstance(outcome, Undecided):
                self.learn(waiting, outcome)
            if "complete" not in waiting or "complete" in self.refuted:
                return

    def shrink(self, answer: str) -> None:
        """Make what refutes an answer smaller, as long as it refutes it."""
        for refutation in self.refuted[answer]:
            last = refutation
            while smaller := self._first(answer, self.kind.smaller(last.case)):
                last = smaller
            plain = self.kind.renamed(last.case)
            if plain != last.case:
                self._first(answer, [plain])

    def _first(self, answer: str, cases: Iterable[Any]) -> Refutation | None:
        """Return the smallest refutation in the first case that has one; it is kept if none is smaller."""
        for outcome in (examine(self.kind, case) for case in cases):
            found = [] if isinstance(outcome, Undecided) else self.kind.refute(answer, outcome)
            first = min(found, key=lambda r: r.key, default=None)
            if first is not None:
                self.refuted[answer][0] = min(self.refuted[answer][0], first, key=lambda r: r.key)
                return first
        return None

    def example(self, answer: str, seconds: float | None) -> Any:
        """Return the counterexample to an answer, with its evidence if that does not take too long."""
        if answer not in self.refuted:
            return None
        refutation = self.refuted[answer][0]
        end = math.inf if seconds is None else time.time() + max(seconds * _GRACE, 0.5)
        before, self.kind.limits = self.kind.limits, replace(self.limits, end=end)
        try:
            return self.kind.limits.guard(lambda: self.kind.explain(answer, refutation))
        except (OverBudget, SchemataError, MemoryError, KeyboardInterrupt):
            return refutation.example(answer, self.kind.shown(refutation.case))
        finally:
            self.kind.limits = before

    def answer(self, name: str, max_n: int) -> bool | None:
        """Return an answer."""
        return False if name in self.refuted else (True if self.covered.get(name, 0) >= max_n else None)

    def follow(self, work: Callable[[], None]) -> None:
        """Do the work until it is done, a limit is hit, or Ctrl-C pressed."""
        try:
            self.limits.guard(work)
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
        self.crew.abandon()


class Question(Record):
    """What is to be verified, up to which length, and how much work that may be; see `schemata.verify`.

    Parameters
    ----------
    began : when it was asked, in seconds since the epoch.
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
    began: float = field(default_factory=time.time)

    def check(self, least: int = 1) -> None:
        """Raise `UsageError` where a number is out of range, that of words too."""
        for name, value, low in (
            ("max-n", self.max_n, least),
            ("random", self.random, 0),
            ("jobs", self.jobs, 1),
        ):
            if isinstance(value, int) and value < low:
                raise UsageError(f"{name} must be at least {low}, not {value}")

    def followed(
        self,
        make: Callable[..., Any],
        arguments: tuple[Any, ...],
        unions: int,
        work: Callable[[Progress], None],
    ) -> Progress:
        """Return what is known of the schema once the work is done, or as much of it as limits allow.

        Parameters
        ----------
        make, arguments : makes the schema under test of its definition, these and the limits.
        unions : the unions of sets of links that the structures of one chart may take.
        work : what is to be done.
        """
        end = math.inf if self.seconds is None else self.began + self.seconds
        limits = Limits(self.budget or RUN_BUDGET, unions, end)
        made_of = self.schema.definition, *arguments, limits
        with crew(Examiner, (make, made_of), Places.of(self.jobs)) as workers:
            state = Progress(workers, limits, self.watch)
            state.follow(lambda: work(state))
        return state

    def settle(self, state: Progress, lengths: Iterable[int]) -> None:
        """Go through the lengths, as long as there is something to be found."""
        for n in lengths:
            if not state.closed:
                total, cases = state.kind.cases(n, self.seed)
                state.try_cases(total, cases, f"{self.schema.name}, {n} words", n)
        state.settled = state.runs, state.skipped

    def verdict(self, state: Progress, of: Any, class_name: str, kind: type[V], **more: Any) -> V:
        """Return what is known as a verdict on a class of what the schema builds."""
        return kind(
            schema=self.schema.name,
            parameters=dict(self.schema.parameters),
            of=of,
            class_name=class_name,
            max_n=self.max_n,
            seed=self.seed,
            sound=state.answer("sound", self.max_n),
            complete=state.answer("complete", self.max_n),
            each_once=state.answer("each_once", self.max_n),
            sound_to=state.covered.get("sound", 0),
            complete_to=state.covered.get("complete", 0),
            once_to=state.covered.get("each_once", 0),
            unsound=state.example("sound", self.seconds),
            incomplete=state.example("complete", self.seconds),
            ambiguous=state.example("each_once", self.seconds),
            runs=state.runs,
            structures=state.structures,
            beyond=state.beyond[0],
            skipped=state.skipped,
            seconds=time.time() - self.began,
            stopped=state.stopped,
            grammar_kind=self.schema.definition.grammar,
            **more,
        )


def counted(forest: Forest, building: Builds, unions: int | None) -> dict[Any, int | float]:
    """Return what the final items of a forest have built: states, each with the number of its derivations.

    Raises
    ------
    BudgetError : this takes more than so many unions.
    """
    counts = count_states(forest, building, unions) if forest.roots else {}
    if counts is None:
        raise BudgetError(f"the structures of a chart take more than {unions} unions of links")
    # Which structures of an item on a cycle have endlessly many derivations is not asked: that any has is bad enough.
    return {x: math.inf if forest.cyclic and number > 1 else number for x, number in counts.items()}
