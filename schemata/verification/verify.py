"""Correctness of a schema for a class of trees: soundness and completeness, tested up to a length.

A schema is complete for a class if every tree of the class, taken as grammar, has a final item that contains
the tree. It is sound if under no grammar a final item contains a structure that is no tree of the class or
that the grammar does not license. Both are settled length by length, so that the counterexample found is
the smallest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from schemata.engine.budget import Budget
from schemata.errors import BudgetError, Diagnostic, UsageError
from schemata.structures import DependencyTree, TreeClass, tree_class, trees_of_class
from schemata.verification.built_structures import Structure
from schemata.verification.grammars import GrammarUnderTest, LicensedLinks
from schemata.verification.trees import (
    Found,
    Offence,
    Subject,
    Unit,
    beyond,
    decided_by_links,
    explain_incomplete,
    explain_unsound,
    merge,
    plan,
    run_unit,
    tree_grammar_of,
)
from schemata.verification.verdicts import Incomplete, RandomTests, Recognition, Unsound, Verdict
from schemata.verification.workers import Workers, workers
from schemata.workbench import ParsingSchema, load

RUN_BUDGET = Budget(steps=5_000_000, seconds=60.0)
"""The limits of one run of a verification."""

UNIONS = 30_000_000
"""The unions of sets of links that the structures of one chart may take."""

Watcher: TypeAlias = Callable[[Iterable[Found], int, str], Iterable[Found]]
"""Passes results through and shows how far the work is: given results, how many to come, a description."""


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
    unions: int = UNIONS,
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
    unions : limit of the work on the structures of a single chart.
    watch : is shown the results as they come.

    Returns
    -------
    The verdict, with the smallest counterexamples. An answer that a budget or Ctrl-C prevented is None.

    Raises
    ------
    UsageError : no such schema or class, a schema that derives no dependency trees, numbers out of range.
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
    chosen, job = prepare(schema, max_n, seed, random, jobs)
    wanted = tree_class(class_of_trees) if isinstance(class_of_trees, str) else class_of_trees
    state = Progress(wanted, single_root)
    with crew_for(chosen, single_root, budget, unions, jobs) as crew:
        try:
            for n in range(1, max_n + 1):
                found = job.find(crew, n, single_root, watch)
                state.learn(crew, n, found)
                if state.closed:
                    break
            if random and not state.closed:
                try_beyond(state, crew, job, range(max_n + 1, max_n + 4), random, watch=watch)
        except BudgetError as over:
            crew.abandon()
            state.stopped = state.stopped or getattr(over, "reason", "memory")
        except KeyboardInterrupt:
            crew.abandon()
            state.stopped = "interrupt"
    return Verdict(
        schema=chosen.name,
        parameters=dict(chosen.parameters),
        class_name=wanted.name,
        max_n=max_n,
        single_root=single_root,
        seed=seed,
        sound=False if state.unsound else (True if state.sound_to >= max_n else None),
        complete=False if state.incomplete else (True if state.complete_to >= max_n else None),
        unsound=state.unsound,
        incomplete=state.incomplete,
        sound_to=state.sound_to,
        complete_to=state.complete_to,
        grammar_kind=job.kind,
        every_grammar=job.by_links,
        random=state.random,
        stopped=state.stopped,
        runs=state.runs,
        seconds=time.perf_counter() - started,
    )


@dataclass(frozen=True, slots=True)
class Job:
    """How a schema is tested at each length."""

    kind: str
    by_links: bool
    seed: int

    def find(self, crew: Workers, n: int, single_root: bool, watch: Watcher | None) -> Found:
        """Return what all runs with n words find."""
        units = plan(n, self.kind, self.by_links, single_root, self.seed)
        results: Iterable[Found] = crew.run(units)
        if watch is not None:
            results = watch(results, len(units), f"{crew.schemata[0].name}, {n} words")
        return merge(results)


def prepare(
    schema: ParsingSchema | str, max_n: int, seed: int, random: int, jobs: int
) -> tuple[ParsingSchema, Job]:
    """Load the schema and check the request."""
    for name, value, least in (("max_n", max_n, 1), ("random", random, 0), ("jobs", jobs, 1)):
        if value < least:
            raise UsageError(f"{name.replace('_', '-')} must be at least {least}, not {value}")
    chosen = load(schema) if isinstance(schema, str) else schema
    kind = chosen.definition.grammar
    if kind not in ("d-rules", "dependency-rules"):
        raise UsageError(
            Diagnostic(
                "no-trees",
                f"schema {chosen.name} runs over {kind} and derives no dependency trees",
                expected="a schema over d-rules or dependency-rules",
            )
        )
    return chosen, Job(kind, decided_by_links(chosen.definition), seed)


def crew_for(
    schema: ParsingSchema, single_root: bool, budget: Budget | None, unions: int, jobs: int
) -> AbstractContextManager[Workers]:
    """Return who does the work: this process, or several."""
    return workers([schema.definition], (single_root, budget or RUN_BUDGET, unions), jobs)


@dataclass(slots=True)
class Progress:
    """What is known so far about a schema and a class of trees."""

    wanted: TreeClass
    single_root: bool
    unsound: Unsound | None = None
    incomplete: Incomplete | None = None
    sound_to: int = 0
    complete_to: int = 0
    random: RandomTests | None = None
    stopped: str | None = None
    runs: int = 0

    @property
    def closed(self) -> bool:
        """Whether longer sentences can add nothing: both answers are no, or a budget was hit."""
        return self.stopped is not None or (self.unsound is not None and self.incomplete is not None)

    def learn(self, crew: Workers, n: int, found: Found) -> None:
        """Take in what all runs with n words found."""
        self.runs += found.runs
        if self.unsound is None:
            offence = self.find_offence(crew.subject(), found)
            if offence is not None:
                self.unsound = explain_unsound(crew.subject(), offence)
            elif found.stopped is None:
                self.sound_to = n
        if self.incomplete is None:
            missing = self._find_missing(crew.subject(), n, found)
            if missing is not None:
                self.incomplete = explain_incomplete(crew.subject(), missing)
            elif found.stopped is None:
                self.complete_to = n
        self.stopped = found.stopped

    def find_offence(self, subject: Subject, found: Found) -> Offence | None:
        """Return the smallest structure that should not be derived."""
        offences = [] if found.offence is None else [found.offence]
        for heads, grammar in found.built.items():
            tree = DependencyTree(heads)
            if not self.wanted.contains(tree):
                offences.append(_outsider(self.wanted, tree, grammar, subject.root_node))
        return min(offences, key=lambda o: o.key, default=None)

    def _find_missing(self, subject: Subject, n: int, found: Found) -> tuple[int, ...] | None:
        """Return the first tree of the class that is not derived under its own grammar."""
        for tree in trees_of_class(self.wanted, n, single_root=self.single_root):
            if tree.heads in found.parsed:
                continue
            if found.stopped is None:
                return tree.heads
            # Some run hit its budget: only a tree whose own run is complete is known to be missing.
            alone = run_unit(subject, _own_unit(subject, tree.heads))
            if alone.stopped is None and not alone.parsed:
                return tree.heads
        return None


def _own_unit(subject: Subject, heads: tuple[int, ...]) -> Unit:
    return Unit(len(heads), (tree_grammar_of(subject, heads),), (heads,))


def _outsider(
    wanted: TreeClass, tree: DependencyTree, grammar: GrammarUnderTest | None, root_node: bool
) -> Offence:
    """Return a tree outside the class as an offence."""
    links = tuple((d, h) for d, h in tree.links if h or root_node)
    own = grammar if grammar is not None else LicensedLinks(len(tree), frozenset(links))
    fault = f"not in the class {wanted.name}: {wanted.check(tree)}"
    return Offence(own, Structure(links, tree.heads, None), fault)


def try_beyond(
    state: Progress, crew: Workers, job: Job, lengths: range, count: int, *, watch: Watcher | None
) -> None:
    """Try random trees of the class as grammars, and random grammars, of more words."""
    units = beyond(state.wanted, job.kind, lengths, count, single_root=state.single_root, seed=job.seed)
    results: Iterable[Found] = crew.run(units)
    if watch is not None:
        results = watch(results, len(units), f"{crew.schemata[0].name}, random")
    skipped = trees = grammars = 0
    for unit, found in zip(units, results, strict=True):
        state.runs += found.runs
        skipped += found.skipped
        trees, grammars = trees + len(unit.own_trees), grammars + len(unit.grammars) - len(unit.own_trees)
        if state.unsound is None and (offence := state.find_offence(crew.subject(), found)):
            state.unsound = explain_unsound(crew.subject(), offence)
        if state.incomplete is None and not found.stopped:
            missing = sorted(set(unit.own_trees) - found.parsed)
            if missing:
                state.incomplete = explain_incomplete(crew.subject(), missing[0])
    state.random = RandomTests(trees, grammars, (lengths[0], lengths[-1]), skipped)


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


def recognise(
    schema: ParsingSchema | str,
    max_n: int = 5,
    *,
    seed: int = 0,
    single_root: bool = True,
    jobs: int = 1,
    budget: Budget | None = None,
    unions: int = UNIONS,
    watch: Watcher | None = None,
) -> Recognition:
    """Find the known classes of trees that a schema parses exactly, up to some length.

    Parameters and errors are those of `verify`.

    >>> recognise("mh", 4).parses
    ('projective',)
    """
    started = time.perf_counter()
    chosen, job = prepare(schema, max_n, seed, 0, jobs)
    names = list(KNOWN_CLASSES)
    counts: list[int] = []
    unsound: Unsound | None = None
    stopped: str | None = None
    covered = runs = 0
    with crew_for(chosen, single_root, budget, unions, jobs) as crew:
        try:
            for n in range(1, max_n + 1):
                found = job.find(crew, n, single_root, watch)
                runs += found.runs
                if found.offence is not None:
                    unsound = explain_unsound(crew.subject(), found.offence)
                    names, covered = [], n
                    break
                built = frozenset(found.built)
                if found.stopped:
                    # What was built is built all the same: it can refute a class, but not establish one.
                    stopped = found.stopped
                    names = [name for name in names if built <= _members(name, n, single_root)]
                    break
                names = [name for name in names if built == found.parsed == _members(name, n, single_root)]
                counts.append(len(found.parsed))
                covered = n
        except BudgetError as over:
            crew.abandon()
            stopped = getattr(over, "reason", "memory")
        except KeyboardInterrupt:
            crew.abandon()
            stopped = "interrupt"
    return Recognition(
        schema=chosen.name,
        parameters=dict(chosen.parameters),
        max_n=max_n,
        single_root=single_root,
        seed=seed,
        consistent=tuple(names),
        counts=tuple(counts),
        unsound=unsound,
        covered=covered,
        grammar_kind=job.kind,
        every_grammar=job.by_links,
        stopped=stopped,
        runs=runs,
        seconds=time.perf_counter() - started,
    )


@lru_cache(maxsize=256)
def _members(name: str, n: int, single_root: bool) -> frozenset[tuple[int, ...]]:
    """Return the trees of a class; asked for once per schema of a catalogue."""
    trees: Iterator[DependencyTree] = trees_of_class(tree_class(name), n, single_root=single_root)
    return frozenset(tree.heads for tree in trees)
