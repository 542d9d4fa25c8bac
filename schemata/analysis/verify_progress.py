"""What is known so far in a verification: taken in length by length, then from random trees and grammars."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemata.analysis.built_structures import Structure
from schemata.analysis.grammars_under_test import GrammarUnderTest, LinkGrammar
from schemata.analysis.verdict import Incomplete, RandomTests, Unsound
from schemata.analysis.verify_evidence import explain_incomplete, explain_unsound, tree_grammar_of
from schemata.analysis.verify_job import Job, Watcher
from schemata.analysis.verify_plan import beyond
from schemata.analysis.verify_pool import Workers
from schemata.analysis.verify_runs import Found, Offence, Subject, Unit, run_unit
from schemata.structures import DependencyTree, TreeClass, trees_of_class

__all__ = ["Progress", "try_beyond"]


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
    own = grammar if grammar is not None else LinkGrammar(len(tree), frozenset(links))
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
