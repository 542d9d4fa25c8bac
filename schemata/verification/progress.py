"""The loop of every verification: whether a schema derives exactly the structures it should, up to a length.

It goes the same way for all kinds of structures. A `Kind` makes the *cases*, sentences with grammars, small ones first;
it knows the *truth*, the structures that brute force finds in a case; it *judges* what the schema derives there; and
it makes a case that refutes an answer *smaller*. Lengths are tested one after the other, so that the smallest
counterexample is found; a limit, or Ctrl-C, leaves the answers known by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from schemata.budget import OverBudget
from schemata.errors import BudgetError, SchemataError, UsageError
from schemata.verification.verdicts import Refutation
from schemata.verification.workers import Crew, Limits, Subject, Undecided, crew, examine
from schemata.workbench import ParsingSchema, Watcher, schema_of

_SHRUNK = 3  # how many of the refutations of an answer are made smaller; the smallest is kept
_GRACE = 0.2  # the part of the seconds that evidence may take after they are over


class Kind(Subject, Protocol):
    """A schema under test for one kind of structures."""

    answers: tuple[str, ...]

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

    def name(self, answer: str, refutation: Refutation) -> Any:
        """Return a counterexample without evidence."""

    def explain(self, answer: str, refutation: Refutation) -> Any:
        """Return a counterexample with its evidence: derivations, or how far the schema gets."""


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

    @property
    def kind(self) -> Kind:
        """The schema under test."""
        subject: Kind = self.crew.subject
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
        outcomes: Iterable[Any] = self.crew.outcomes(cases)
        for outcome in outcomes if self.watch is None else self.watch(outcomes, total, description):
            self.runs += 1
            if isinstance(outcome, Undecided):
                self.skipped += 1
                self.limits.check()
                if outcome.stopped == "memory":
                    raise OverBudget("memory")
            else:
                self.structures += outcome.number
            yield outcome

    def try_cases(self, total: int, cases: Iterable[Any], description: str, n: int | None) -> None:
        """Try cases; all that settle n words, or some more where n is None."""
        waiting = [answer for answer in self.kind.answers if answer not in self.refuted]
        undecided: str | None = None
        for outcome in self.outcomes(total, cases, description):
            if isinstance(outcome, Undecided):
                undecided = undecided or outcome.stopped
                self._try_parts(outcome.case)
            else:
                self.learn(waiting, outcome)
        for answer in waiting:
            if answer in self.refuted:
                self.shrink(answer)
            elif n is not None and undecided is None:
                self.covered[answer] = n
        if n is not None:
            self.stopped = undecided

    def learn(self, waiting: Iterable[str], outcome: Any) -> None:
        """Keep the smallest of what refutes answers."""
        for answer in waiting:
            found = [*self.kind.refute(answer, outcome), *self.refuted.get(answer, ())]
            if found:
                self.refuted[answer] = sorted(found, key=lambda r: r.key)[:_SHRUNK]

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
        limits = Limits.of(self.limits.budget, 0, None if seconds is None else max(seconds * _GRACE, 0.5))
        before, self.kind.limits = self.kind.limits, replace(limits, unions=self.limits.unions)
        try:
            return self.kind.limits.guard(lambda: self.kind.explain(answer, refutation))
        except (OverBudget, SchemataError, MemoryError, KeyboardInterrupt):
            return self.kind.name(answer, refutation)
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


def followed(
    make: Callable[..., Any],
    arguments: tuple[Any, ...],
    limits: Limits,
    jobs: int,
    watch: Watcher | None,
    work: Callable[[Progress], None],
) -> Progress:
    """Return what is known of a schema under test once the work is done, or as much of it as limits allow."""
    with crew(make, (*arguments, limits), jobs) as workers:
        state = Progress(workers, limits, watch)
        state.follow(lambda: work(state))
    return state


def settle(state: Progress, name: str, lengths: Iterable[int], seed: int) -> None:
    """Go through the lengths, as long as there is something to be found."""
    for n in lengths:
        if not state.closed:
            total, cases = state.kind.cases(n, seed)
            state.try_cases(total, cases, f"{name}, {n} words", n)
    state.settled = state.runs, state.skipped


def answers_of(
    state: Progress, schema: ParsingSchema, class_name: str, max_n: int, seed: int
) -> dict[str, Any]:
    """Return what all verdicts say."""
    return {
        "schema": schema.name,
        "parameters": dict(schema.parameters),
        "class_name": class_name,
        "max_n": max_n,
        "seed": seed,
        "sound": state.answer("sound", max_n),
        "complete": state.answer("complete", max_n),
        "each_once": state.answer("each_once", max_n),
        "sound_to": state.covered.get("sound", 0),
        "complete_to": state.covered.get("complete", 0),
        "once_to": state.covered.get("each_once", 0),
        "stopped": state.stopped,
    }


def loaded(schema: ParsingSchema | str, **numbers: tuple[int, int]) -> ParsingSchema:
    """Load the schema and check the numbers of a request, each with the least that it may be."""
    for name, (value, least) in numbers.items():
        if value < least:
            raise UsageError(f"{name.replace('_', '-')} must be at least {least}, not {value}")
    return schema_of(schema)
