"""Runs of a schema under the grammars of a test, one unit of work at a time.

A unit is small, can be sent to another process, and gives the same result there. What units find is merged by
taking the smallest of everything, so that the order in which they finish does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from schemata.analysis.built_structures import Structure, derive_structures, has_root_node
from schemata.analysis.grammars_under_test import GrammarUnderTest, LinkGrammar, TreeRules, every_link
from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.engine.chart import Chart
from schemata.engine.run import Kernel, run_kernel
from schemata.language import model as m
from schemata.structures import Sentence

__all__ = ["Found", "Offence", "Subject", "Unit", "decided_by_links", "merge", "run_under", "run_unit"]

Heads: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """The schema under test, ready to run.

    `single_root` says that trees with several words under node 0 are nobody's concern; `unions` bounds the
    work of finding the structures of one chart.
    """

    kernel: Kernel
    root_node: bool
    single_root: bool
    budget: Budget
    unions: int

    @classmethod
    def of(cls, kernel: Kernel, single_root: bool, budget: Budget, unions: int) -> Subject:
        """Return the subject of a compiled schema."""
        grammar = every_link(2) if kernel.schema.grammar == "d-rules" else TreeRules((0, 1))
        # Under the default budget: what the schema is must not depend on the limits of the test.
        chart = run_kernel(kernel, _sentence(2), grammar.provide())
        return cls(kernel, has_root_node(chart), single_root, budget, unions)


@dataclass(frozen=True, slots=True)
class Unit:
    """Grammars of n words to run the schema under.

    Where `own_trees` is set, each grammar is that of the tree of the same number there, and the tree is to be
    found. `whole` marks the one grammar whose structures are those of all grammars (see `decided_by_links`).
    """

    n: int
    grammars: tuple[GrammarUnderTest, ...]
    own_trees: tuple[Heads, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Offence:
    """A structure that no grammar may give, with the grammar that gave it."""

    grammar: GrammarUnderTest
    structure: Structure
    fault: str

    @property
    def key(self) -> tuple[object, ...]:
        """The order of offences: the smaller grammar first, then the smaller structure."""
        return self.grammar.key, len(self.structure.links), self.structure.links


@dataclass(frozen=True, slots=True)
class Found:
    """What the runs of some units found.

    Parameters
    ----------
    parsed : the trees derived under their own grammar.
    built : the licensed trees derived under any grammar, with the smallest one; None stands for their own.
    offence : the smallest structure that is no tree or is not licensed.
    stopped : the budget that some run hit, if any.
    runs : the number of runs, and how many of them hit a budget.
    """

    parsed: frozenset[Heads] = frozenset()
    built: dict[Heads, GrammarUnderTest | None] = field(default_factory=dict)
    offence: Offence | None = None
    stopped: str | None = None
    runs: int = 0
    skipped: int = 0


def decided_by_links(schema: m.Schema) -> bool:
    """Tell whether a schema's structures under the grammar of all links decide those under every grammar.

    They do where every case asks exactly for the licences of the links it builds, and no step needs a derived
    item as context. For then a derivation exists under a grammar G if and only if it exists under the grammar
    of all links and its links are in G: the structures under G are those under all links that G licenses. So
    one run says which trees are derived under their own grammar, and whether any grammar gives anything else.
    """
    if schema.grammar != "d-rules":
        return False
    derived = {case.consequent.form for case in schema.cases}
    for clause in schema.finals:
        if any(isinstance(c, m.Licensed) for c in clause.conditions):
            return False
    for case in schema.cases:
        if any(isinstance(c, m.CategoryLicence) for c in case.conditions):
            return False
        asked = {(c.dependent, c.head) for c in case.conditions if isinstance(c, m.Licensed)}
        built = {(link.dependent, link.head) for link in case.links if isinstance(link, m.Link)}
        if case.head_links or asked != built:
            return False
        if any(a.context and a.pattern.form in derived for a in case.antecedents):
            return False
    return True


def run_under(subject: Subject, grammar: GrammarUnderTest) -> Chart:
    """Run the schema under a grammar.

    Raises
    ------
    BudgetExceeded : a limit was hit, or Ctrl-C pressed.
    """
    return run_kernel(subject.kernel, _sentence(grammar.n), grammar.provide(), subject.budget)


def _sentence(n: int) -> Sentence:
    return Sentence(tuple(f"w{i}" for i in range(1, n + 1)))


def run_unit(subject: Subject, unit: Unit) -> Found:
    """Run all grammars of a unit.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C was pressed.
    """
    parsed: set[Heads] = set()
    built: dict[Heads, GrammarUnderTest | None] = {}
    offence: Offence | None = None
    stopped: str | None = None
    skipped = 0
    for number, grammar in enumerate(unit.grammars):
        try:
            chart = run_under(subject, grammar)
        except Interrupted:
            raise KeyboardInterrupt from None
        except BudgetExceeded as over:
            stopped, skipped = over.reason, skipped + 1
            continue
        structures = derive_structures(chart, subject.root_node, subject.unions)
        if structures is None:
            stopped, skipped = "structures", skipped + 1
            continue
        if chart.accepted and not structures:
            structures = [Structure((), None, "the sentence is accepted, but nothing is built")]
        trees: set[Heads] = set()
        for structure in structures:
            found = _judge(subject, grammar, structure, unit.whole)
            if isinstance(found, Offence):
                if offence is None or found.key < offence.key:
                    offence = found
            elif found is not None:
                trees.add(found)
        if unit.whole:
            parsed |= trees
            built.update(dict.fromkeys(trees))
            continue
        for heads in trees:
            before = built.get(heads)
            if before is None or grammar.key < before.key:
                built[heads] = grammar
        if unit.own_trees and unit.own_trees[number] in trees:
            parsed.add(unit.own_trees[number])
    return Found(frozenset(parsed), built, offence, stopped, len(unit.grammars), skipped)


def _judge(
    subject: Subject, grammar: GrammarUnderTest, structure: Structure, whole: bool
) -> Heads | Offence | None:
    """Return a licensed tree's heads, what is wrong with anything else, None for what is nobody's concern."""
    if structure.heads is None or structure.fault:
        # Under all links, the smallest grammar that gives a structure is that of its own links.
        least = LinkGrammar(grammar.n, frozenset(structure.links)) if whole else grammar
        return Offence(least, structure, structure.fault or "no tree")
    if not whole and (unlicensed := grammar.find_unlicensed(structure.links, structure.heads)):
        return Offence(grammar, structure, unlicensed)
    if subject.single_root and structure.heads.count(0) > 1:
        return None
    return structure.heads


def merge(parts: Iterable[Found]) -> Found:
    """Return what several units found together, the same in whatever order they come."""
    parsed: set[Heads] = set()
    built: dict[Heads, GrammarUnderTest | None] = {}
    offence: Offence | None = None
    stopped: set[str] = set()
    runs = skipped = 0
    for part in parts:
        parsed |= part.parsed
        for heads, grammar in part.built.items():
            before = built.get(heads)
            if before is None or (grammar is not None and grammar.key < before.key):
                built[heads] = grammar
        if part.offence is not None and (offence is None or part.offence.key < offence.key):
            offence = part.offence
        stopped |= {part.stopped} if part.stopped else set()
        runs, skipped = runs + part.runs, skipped + part.skipped
    return Found(frozenset(parsed), built, offence, min(stopped, default=None), runs, skipped)
