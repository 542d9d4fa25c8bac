"""Verification: whether a schema derives exactly the structures it should, tested up to a length.

It goes the same way for all kinds of structures. A `Kind` makes the *cases*, sentences with grammars, small ones first;
it knows the *truth*, the structures that brute force finds in a case; it *judges* what the schema derives there; and
it *shrinks* a case that refutes an answer. Answers are asked length by length, so that the smallest counterexample is
found; what was known when a limit is hit, or Ctrl-C pressed, stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

from schemata.engine.budget import Budget, OverBudget
from schemata.errors import BudgetError, Diagnostic, SchemataError, UsageError
from schemata.structures import TreeClass, tree_class, trees_of_class
from schemata.verification import grammars
from schemata.verification.dictionaries import random_case
from schemata.verification.linkages import Linkages, linkage_class
from schemata.verification.trees import Trees
from schemata.verification.verdicts import (
    LinkageVerdict,
    RandomTests,
    Recognition,
    Refutation,
    Unsound,
    Verdict,
)
from schemata.verification.workers import Crew, Limits, Subject, Undecided, crew, examine
from schemata.workbench import ParsingSchema, load

TREE_UNIONS = 30_000_000
"""The unions of sets of links that the structures of one chart may take."""

LINKAGE_UNIONS = 2_000_000
"""The same for linkages, where derivations are counted."""

KNOWN_CLASSES = (
    "covington-lsup",
    "projective",
    "planar",
    "wg-1",
    "mg-1",
    "gap-degree-1",
    "wg-2",
    "mg-2",
    "gap-degree-2",
    "wg-3",
    "mg-3",
    "well-nested",
    "2-planar",
    "3-planar",
    "all",
)
"""The classes that `recognise` tells apart."""

Watcher: TypeAlias = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Passes outcomes through and shows how far the work is: given outcomes, how many to come, a description."""

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

    def shrink(self, case: Any, fails: Callable[[Any], bool]) -> Iterator[Any]:
        """Yield smaller and smaller cases in which the schema still fails."""

    def name(self, answer: str, refutation: Refutation) -> Any:
        """Return a counterexample without evidence."""

    def explain(self, answer: str, refutation: Refutation) -> Any:
        """Return a counterexample with its evidence: derivations, or how far the schema gets."""


@dataclass(slots=True)
class _Progress:
    """What is known so far: by answer what refutes it, and up to which length nothing does."""

    crew: Crew
    limits: Limits
    watch: Watcher | None
    refuted: dict[str, list[Refutation]] = field(default_factory=dict)
    covered: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    structures: int = 0
    skipped: int = 0
    stopped: str | None = None

    @property
    def kind(self) -> Kind:
        """The schema under test."""
        subject: Kind = self.crew.subject
        return subject

    @property
    def closed(self) -> bool:
        """Whether more cases can add nothing: all answers are no, or a limit was hit."""
        return self.stopped is not None or len(self.refuted) == len(self.kind.answers)

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
                self._learn(waiting, outcome)
        for answer in waiting:
            if answer in self.refuted:
                self._shrink(answer)
            elif n is not None and undecided is None:
                self.covered[answer] = n
        if n is not None:
            self.stopped = undecided

    def _learn(self, waiting: Iterable[str], outcome: Any) -> None:
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
                self._learn(waiting, outcome)
            if "complete" not in waiting or "complete" in self.refuted:
                return

    def _shrink(self, answer: str) -> None:
        """Make what refutes an answer smaller, as long as it refutes it."""
        smallest = self.refuted[answer][0]
        for refutation in self.refuted[answer]:
            last = refutation

            def fails(case: Any) -> bool:
                nonlocal last
                outcome = examine(self.kind, case)
                found = [] if isinstance(outcome, Undecided) else list(self.kind.refute(answer, outcome))
                last = min(found, key=lambda r: r.key, default=last)
                return bool(found)

            for _ in self.kind.shrink(refutation.case, fails):
                smallest = min(smallest, last, key=lambda r: r.key)
                self.refuted[answer][0] = smallest

    def example(self, answer: str, seconds: float | None) -> Any:
        """Return the counterexample to an answer, with its evidence if that does not take too long."""
        if answer not in self.refuted:
            return None
        refutation = self.refuted[answer][0]
        limits = Limits.of(self.limits.budget, 0, None if seconds is None else max(seconds * _GRACE, 0.5))
        before, self.kind.limits = self.kind.limits, replace(limits, unions=self.limits.unions)
        try:
            with self.kind.limits.watched():
                return self.kind.explain(answer, refutation)
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
            with self.limits.watched():
                work()
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


def verify(
    schema: ParsingSchema | str,
    class_of_trees: TreeClass | str,
    max_n: int = 5,
    *,
    seed: int = 0,
    single_root: bool = True,
    random: int = 0,
    jobs: int = 1,
    budget: Budget | None = None,
    seconds: float | None = None,
    unions: int = TREE_UNIONS,
    watch: Watcher | None = None,
) -> Verdict:
    """Test whether a schema parses exactly the trees of a class.

    Parameters
    ----------
    schema : a schema over D-rules or dependency rules, or the name of one.
    class_of_trees : the class or its name.
    max_n : test every tree of at most so many words.
    seed : fixes the random grammars and trees.
    single_root : trees have one root; else several words may hang under node 0.
    random : how many random trees, and as many grammars, of up to three words more to try.
    jobs : processes; the verdict does not depend on it.
    budget : limits of a single run; `RUN_BUDGET` if None.
    seconds : the limit of the whole verification; none if None.
    unions : limit of the work on the structures of a single chart.
    watch : is shown the outcomes as they come.

    Returns
    -------
    The verdict, with the smallest counterexamples. An answer that a limit or Ctrl-C prevented is None.

    Raises
    ------
    UsageError : no such schema or class, a schema that is not run over trees, numbers out of range.
    SchemaError : the schema has errors.

    References
    ----------
    GCW11, section 3.1 (sound and complete schemata).

    >>> verdict = verify("eisner1996", "projective", 3)
    >>> verdict.sound, verdict.complete
    (True, True)
    >>> verify("covington2001", "all", 3).unsound.fault
    'a cycle 1 -> 2 -> 1'
    """
    started = time.perf_counter()
    chosen = _over_trees(schema, max_n=(max_n, 1), random=(random, 0), jobs=(jobs, 1))
    wanted = tree_class(class_of_trees) if isinstance(class_of_trees, str) else class_of_trees
    limits = Limits.of(budget, unions, seconds)
    extra: list[grammars.TreeCase] = []
    lengths = range(max_n + 1, max_n + 4)
    settled = 0
    with crew(Trees, (chosen.definition, wanted, single_root, limits), jobs) as workers:
        state = _Progress(workers, limits, watch)

        def work() -> None:
            nonlocal settled
            _settle(state, chosen.name, range(1, max_n + 1), seed)
            settled = state.skipped
            if random and not state.closed:
                extra.extend(
                    grammars.random_tree_cases(
                        wanted, workers.subject.rules, lengths, random, single_root=single_root, seed=seed
                    )
                )
                state.try_cases(len(extra), extra, f"{chosen.name}, random", None)

        state.follow(work)
    trees = sum(case.own is not None for case in extra)
    return Verdict(
        **_answers(state, chosen, wanted.name, max_n, seed),
        single_root=single_root,
        unsound=state.example("sound", seconds),
        incomplete=state.example("complete", seconds),
        grammar_kind=chosen.definition.grammar,
        every_grammar=workers.subject.by_links,
        random=RandomTests(trees, len(extra) - trees, (lengths[0], lengths[-1]), state.skipped - settled)
        if extra
        else None,
        runs=state.runs,
        seconds=time.perf_counter() - started,
    )


def _settle(state: _Progress, name: str, lengths: Iterable[int], seed: int) -> None:
    for n in lengths:
        if not state.closed:
            total, cases = state.kind.cases(n, seed)
            state.try_cases(total, cases, f"{name}, {n} words", n)


def _answers(
    state: _Progress, schema: ParsingSchema, class_name: str, max_n: int, seed: int
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
        "sound_to": state.covered.get("sound", 0),
        "complete_to": state.covered.get("complete", 0),
        "stopped": state.stopped,
    }


def _loaded(schema: ParsingSchema | str, **numbers: tuple[int, int]) -> ParsingSchema:
    """Load the schema and check the numbers of a request, each with the least that it may be."""
    for name, (value, least) in numbers.items():
        if value < least:
            raise UsageError(f"{name.replace('_', '-')} must be at least {least}, not {value}")
    return load(schema) if isinstance(schema, str) else schema


def _over_trees(schema: ParsingSchema | str, **numbers: tuple[int, int]) -> ParsingSchema:
    chosen = _loaded(schema, **numbers)
    kind = chosen.definition.grammar
    if kind not in ("d-rules", "dependency-rules"):
        raise UsageError(
            Diagnostic(
                "no-trees",
                f"schema {chosen.name} runs over {kind}, and what it should derive there is not known",
                expected="a schema over d-rules, dependency-rules or link-grammar",
            )
        )
    return chosen


def recognise(
    schema: ParsingSchema | str,
    max_n: int = 5,
    *,
    seed: int = 0,
    single_root: bool = True,
    jobs: int = 1,
    budget: Budget | None = None,
    seconds: float | None = None,
    unions: int = TREE_UNIONS,
    watch: Watcher | None = None,
) -> Recognition:
    """Find the known classes of trees that a schema parses exactly, up to some length.

    Parameters and errors are those of `verify`.

    >>> recognise("mh", 4).parses
    ('projective',)
    """
    started = time.perf_counter()
    chosen = _over_trees(schema, max_n=(max_n, 1), jobs=(jobs, 1))
    limits = Limits.of(budget, unions, seconds)
    names = list(KNOWN_CLASSES)
    counts: list[int] = []
    with crew(Trees, (chosen.definition, None, single_root, limits), jobs) as workers:
        state = _Progress(workers, limits, watch)

        def members(name: str, n: int) -> frozenset[tuple[int, ...]]:
            return _members(name, n, single_root)

        def work() -> None:
            for n in range(1, max_n + 1):
                total, cases = state.kind.cases(n, seed)
                parsed: set[tuple[int, ...]] = set()
                built: set[tuple[int, ...]] = set()
                for outcome in state.outcomes(total, cases, f"{chosen.name}, {n} words"):
                    if isinstance(outcome, Undecided):
                        state.stopped = state.stopped or outcome.stopped
                        continue
                    state._learn(["sound"], outcome)
                    built |= outcome.trees
                    parsed |= outcome.trees if outcome.case.whole else outcome.trees & {outcome.case.own}
                if "sound" in state.refuted:
                    names.clear()
                    state._shrink("sound")
                    state.covered["sound"] = n
                    return
                if state.stopped:
                    # What was built is built all the same: it can refute a class, but not establish one.
                    names[:] = [name for name in names if built <= members(name, n)]
                    return
                names[:] = [name for name in names if built == parsed == members(name, n)]
                counts.append(len(parsed))
                state.covered["sound"] = n

        state.follow(work)
    example = state.example("sound", seconds)
    assert example is None or isinstance(example, Unsound)
    return Recognition(
        schema=chosen.name,
        parameters=dict(chosen.parameters),
        max_n=max_n,
        single_root=single_root,
        seed=seed,
        consistent=() if example else tuple(names),
        counts=tuple(counts),
        unsound=example,
        covered=state.covered.get("sound", 0),
        grammar_kind=chosen.definition.grammar,
        every_grammar=workers.subject.by_links,
        stopped=state.stopped,
        runs=state.runs,
        seconds=time.perf_counter() - started,
    )


@lru_cache(maxsize=256)
def _members(name: str, n: int, single_root: bool) -> frozenset[tuple[int, ...]]:
    """Return the trees of a class; asked for once per schema of a catalogue."""
    return frozenset(tree.heads for tree in trees_of_class(tree_class(name), n, single_root=single_root))


def verify_linkages(
    schema: ParsingSchema | str,
    class_name: str = "linkages",
    max_n: int = 5,
    *,
    seed: int = 0,
    random: int = 0,
    jobs: int = 1,
    budget: Budget | None = None,
    seconds: float | None = None,
    watch: Watcher | None = None,
) -> LinkageVerdict:
    """Test whether a Link Grammar schema derives exactly the linkages of a sentence, each once.

    Parameters
    ----------
    schema : a schema over Link Grammar dictionaries, or the name of one.
    class_name : "linkages", or "acyclic-linkages" for those without cycles.
    max_n : try sentences of 2 to so many words, walls among them.
    random : how many more dictionaries to try, for sentences of up to three words more.
    seed, jobs, budget, seconds, watch : as for `verify`.

    Returns
    -------
    The verdict, with small counterexamples. An answer that a limit or Ctrl-C prevented is None.

    Raises
    ------
    UsageError : no such schema or class, a schema over something else, numbers out of range.
    SchemaError : the schema has errors.

    References
    ----------
    GCW11, section 8; Sleator & Temperley 1991, section 2 (what a linkage is).

    >>> verify_linkages("eisner-satta-lg", max_n=3).holds
    True
    """
    started = time.perf_counter()
    chosen = _loaded(schema, max_n=(max_n, 2), random=(random, 0), jobs=(jobs, 1))
    if chosen.definition.grammar != "link-grammar":
        raise UsageError(
            Diagnostic(
                "no-linkages",
                f"schema {chosen.name} runs over {chosen.definition.grammar} and derives no linkages",
                expected="a schema over link-grammar",
            )
        )
    limits = Limits.of(budget, LINKAGE_UNIONS, seconds)
    settled = 0
    with crew(Linkages, (chosen.definition, linkage_class(class_name), limits), jobs) as workers:
        state = _Progress(workers, limits, watch)

        def work() -> None:
            nonlocal settled
            _settle(state, chosen.name, range(2, max_n + 1), seed)
            settled = state.runs
            for place, n in enumerate(range(max_n + 1, max_n + 4)):
                share = (random + 2 - place) // 3
                if share and not state.closed:
                    cases = [random_case(n, seed, k) for k in range(share)]
                    state.try_cases(share, cases, f"{chosen.name}, {n} words", None)

        state.follow(work)
    return LinkageVerdict(
        **_answers(state, chosen, class_name, max_n, seed),
        each_once=state.answer("each_once", max_n),
        unsound=state.example("sound", seconds),
        missed=state.example("complete", seconds),
        repeated=state.example("each_once", seconds),
        once_to=state.covered.get("each_once", 0),
        dictionaries=state.runs,
        linkages=state.structures,
        beyond=state.runs - settled if settled else 0,
        skipped=state.skipped,
        seconds=time.perf_counter() - started,
    )
