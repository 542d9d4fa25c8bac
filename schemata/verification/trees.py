"""Dependency schemata under test: the grammars they are run under, what the runs find, and the evidence.

A unit of work is small, can be sent to another process, and gives the same result there. What units find is merged by
taking the smallest of everything, so that the order in which they finish does not matter.

Soundness over all grammars of n words would take 2 ** (n * n) runs. Where one run decides them all it is the
only one. Else all are run up to 3 words; beyond, the grammar of all links, every tree, and random grammars.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from random import Random
from typing import TypeAlias, TypeVar

from schemata.analysis.reasons import WhyNot
from schemata.analysis.why_not import why_not
from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.engine.chart import Chart
from schemata.engine.run import Kernel, run_kernel
from schemata.errors import BudgetError, SchemataError
from schemata.language import model as m
from schemata.structures import Sentence, TreeClass, all_trees, random_tree, random_tree_of_class
from schemata.verification.built_structures import Structure, derivation_of, derive_structures, has_root_node
from schemata.verification.grammars import (
    GrammarUnderTest,
    LicensedLinks,
    TreeRules,
    complete_rules,
    every_link,
    every_link_grammar,
    random_link_grammars,
    random_rule_grammars,
)
from schemata.verification.verdicts import Incomplete, Links, Piece, Unsound

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
        least = LicensedLinks(grammar.n, frozenset(structure.links)) if whole else grammar
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


EXHAUSTIVE_TO = 3
"""The greatest number of words for which every set of licensed links is tried."""

RANDOM_GRAMMARS = 60
"""The number of random grammars of each length."""

_T = TypeVar("_T")
_TREES_PER_UNIT = 400
_GRAMMARS_PER_UNIT = 32


def plan(n: int, kind: str, by_links: bool, single_root: bool, seed: int) -> list[Unit]:
    """Return the units that settle n words, or test them where settling is out of reach."""
    if by_links:
        return [Unit(n, (every_link(n),), whole=True)]
    trees = [tree.heads for tree in all_trees(n, single_root=single_root)]
    own = TreeRules if kind == "dependency-rules" else LicensedLinks.of_tree
    units = [
        Unit(n, tuple(own(heads) for heads in chunk), tuple(chunk)) for chunk in _cut(trees, _TREES_PER_UNIT)
    ]
    rng = Random(f"grammars {seed} {n}")
    grammars: list[GrammarUnderTest]
    if kind == "dependency-rules":
        grammars = [complete_rules(n), *random_rule_grammars(n, RANDOM_GRAMMARS, rng)]
    elif n <= EXHAUSTIVE_TO:
        grammars = list(every_link_grammar(n))
    else:
        grammars = [every_link(n), *random_link_grammars(n, RANDOM_GRAMMARS, rng)]
    return units + [Unit(n, tuple(chunk)) for chunk in _cut(grammars, _GRAMMARS_PER_UNIT)]


def beyond(
    wanted: TreeClass, kind: str, lengths: Sequence[int], count: int, *, single_root: bool, seed: int
) -> list[Unit]:
    """Return units of random trees of a class and of random grammars, `count` of each over all lengths.

    Trees so rarely in the class that none is found among many are done without.
    """
    units = []
    for place, n in enumerate(lengths):
        share = (count + len(lengths) - 1 - place) // len(lengths)
        rng = Random(f"beyond {seed} {n}")
        own = TreeRules if kind == "dependency-rules" else LicensedLinks.of_tree
        trees = []
        for _ in range(share):
            try:
                trees.append(random_tree_of_class(wanted, n, rng, single_root=single_root).heads)
            except BudgetError:
                break
        units += [Unit(n, tuple(map(own, c)), tuple(c)) for c in _cut(trees, _GRAMMARS_PER_UNIT)]
        grammars: list[GrammarUnderTest]
        if kind == "dependency-rules":
            grammars = list(random_rule_grammars(n, share, rng))
        else:
            # Every other grammar is a single tree, in the class or not: those test what is not to be derived.
            few = share // 2
            grammars = [LicensedLinks.of_tree(random_tree(n, rng).heads) for _ in range(few)]
            grammars += random_link_grammars(n, share - few, rng, extra=n)
        units += [Unit(n, tuple(c)) for c in _cut(grammars, _GRAMMARS_PER_UNIT)]
    return units


def _cut(values: Sequence[_T], size: int) -> list[list[_T]]:
    pieces = iter(values)
    return [chunk for _ in range(0, len(values), size) if (chunk := list(islice(pieces, size)))]


_PIECES = 10  # how many of the derivable items are kept
_CANDIDATES = 600  # how many structures are paired

Link: TypeAlias = tuple[int, int]


def tree_grammar_of(subject: Subject, heads: tuple[int, ...]) -> GrammarUnderTest:
    """Return the grammar of exactly one tree, of the kind the schema runs over."""
    return LicensedLinks.of_tree(heads) if subject.kernel.schema.grammar == "d-rules" else TreeRules(heads)


def explain_unsound(subject: Subject, offence: Offence) -> Unsound:
    """Return an unsound structure with a derivation of it.

    Raises
    ------
    BudgetExceeded : the run that found it hits a limit now.
    """
    chart = run_under(subject, offence.grammar)
    structure = offence.structure
    steps = derivation_of(chart, structure, subject.root_node)
    return Unsound(offence.grammar, structure.links, structure.heads, offence.fault, steps)


def explain_incomplete(subject: Subject, heads: tuple[int, ...]) -> Incomplete:
    """Return a tree that is not derived under its own grammar, with what is derived.

    Raises
    ------
    BudgetExceeded : the run hits a limit.
    """
    grammar = tree_grammar_of(subject, heads)
    chart = run_under(subject, grammar)
    wanted = frozenset((d, h) for d, h in enumerate(heads, start=1) if h or subject.root_node)
    pieces = {x: _structures(chart, x) for x in chart.derived_ids}
    used = {x for instance in chart.instances() for x in instance.antecedents}
    ends = [Piece(str(chart.item(x)), min(pieces[x], default=())) for x in pieces if x not in used]
    ends.sort(key=lambda piece: -len(piece.links))
    built = {link for instance in chart.instances() for link in instance.links}
    built |= {link for found in pieces.values() for links in found for link in links}
    missing = tuple(sorted(wanted - built))
    return Incomplete(
        heads,
        grammar,
        chart.accepted,
        tuple(ends[:_PIECES]),
        missing,
        () if missing else _nearest(chart, pieces, wanted),
        _reasons(chart),
    )


def _structures(chart: Chart, item: int) -> list[Links]:
    """Return the sets of links that an item's derivations have built."""
    finals = frozenset((item,))
    alone = Chart(chart.schema, chart.sentence, chart.grammar, chart.raw, finals, chart.seconds)
    return sorted(s.links for s in derive_structures(alone, True, 10_000) or [])


def _nearest(chart: Chart, pieces: Mapping[int, list[Links]], wanted: frozenset[Link]) -> tuple[Piece, ...]:
    """Return two items whose structures, without a link in common, hold as much of a tree as any two do."""
    candidates: dict[Links, int] = {}
    for item, found in pieces.items():
        for links in found:
            if links and wanted.issuperset(links):
                candidates.setdefault(links, item)
    best: tuple[int, int] = (0, 0)
    chosen: tuple[Piece, ...] = ()
    for one, other in combinations(sorted(candidates)[:_CANDIDATES], 2):
        if not set(one) & set(other):
            # Of the pairs that hold as much, the most even one shows best what was not put together.
            score = len(one) + len(other), min(len(one), len(other))
            if score > best:
                best = score
                chosen = tuple(Piece(str(chart.item(candidates[k])), k) for k in (one, other))
    return chosen


def _reasons(chart: Chart) -> WhyNot | None:
    """Return why no final item is derivable; not for rules, where the search may take seconds."""
    if chart.accepted or chart.schema.grammar != "d-rules":
        return None
    try:
        return why_not(chart)
    except SchemataError:
        return None
