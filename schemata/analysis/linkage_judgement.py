"""What a Link Grammar schema derives in one case, compared with the linkages that brute force finds there.

What a derivation builds is a set of links between connector occurrences, and which of them it builds more than
once. Derivations are counted for each such structure; where items form cycles, there are endlessly many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

from schemata.analysis.linkage_cases import LinkageCase
from schemata.engine.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.run import Kernel, run_kernel
from schemata.errors import BudgetError, UsageError, did_you_mean
from schemata.forest.derivations import Cycles, Derivation, iterate_derivations
from schemata.forest.forest import Edge, Forest
from schemata.grammars.link_grammar.sequences import Sequences, sequences_of
from schemata.structures import LabelledLink, Linkage, all_linkages, check_linkage

__all__ = ["LINKAGE_CLASSES", "BuiltLinks", "Judgement", "LinkageSubject", "judge", "linkage_class"]

LINKAGE_CLASSES: dict[str, Callable[[Linkage], bool]] = {
    "linkages": lambda linkage: True,
    "acyclic-linkages": lambda linkage: not linkage.is_cyclic,
}
"""The classes of linkages that a schema can be tested for, each with what tells its members."""

_DERIVATIONS = 20_000  # of a counterexample's chart, looked through for those of one structure

Pair = tuple[int, int]  # the numbers of two connector occurrences


def linkage_class(name: str) -> str:
    """Return the name of a class of linkages.

    Raises
    ------
    UsageError : there is no such class.
    """
    if name in LINKAGE_CLASSES:
        return name
    near = did_you_mean(name, LINKAGE_CLASSES)
    known = ", ".join(LINKAGE_CLASSES)
    raise UsageError(
        f"there is no class of linkages called {name}; there are {known}" + (f" ({near})" if near else "")
    )


@dataclass(frozen=True, slots=True)
class LinkageSubject:
    """A schema under test, ready to run, and the class of linkages that it is to derive.

    `unions` bounds the work of finding the structures of one chart.
    """

    kernel: Kernel
    class_name: str
    budget: Budget
    unions: int

    def contains(self, linkage: Linkage) -> bool:
        """Tell whether a linkage belongs to the class."""
        return LINKAGE_CLASSES[self.class_name](linkage)

    def run(self, case: LinkageCase) -> Chart:
        """Run the schema in a case.

        Raises
        ------
        BudgetExceeded : a limit was hit, or Ctrl-C pressed.
        """
        return run_kernel(self.kernel, case.sentence, case.provide(), self.budget)


@dataclass(frozen=True, slots=True)
class BuiltLinks:
    """What a derivation builds: pairs of connector occurrences, and those of them that it builds again."""

    pairs: frozenset[Pair]
    again: frozenset[Pair] = frozenset()

    @property
    def key(self) -> tuple[object, ...]:
        """The order of structures: fewer links first."""
        return len(self.pairs), len(self.again), sorted(self.pairs), sorted(self.again)

    def joined(self, other: BuiltLinks) -> BuiltLinks:
        """Return what two parts of a derivation build together."""
        again = self.again | other.again | (self.pairs & other.pairs)
        return BuiltLinks(self.pairs | other.pairs, again)


@dataclass(frozen=True)
class Judgement:
    """What is wrong with what a schema derives in a case.

    Parameters
    ----------
    subject, case, chart : the schema, the case, and what was derived.
    expected : the linkages of the class that brute force finds.
    built : the structures of the final items with the number of derivations of each.
    unsound : the structures that are no linkage of the class, each with what is wrong with it.
    missing : the linkages of the class that are not derived.
    repeated : the linkages with several derivations, each with their number.
    """

    subject: LinkageSubject
    case: LinkageCase
    chart: Chart
    expected: tuple[Linkage, ...]
    built: dict[BuiltLinks, int | float]
    unsound: tuple[tuple[BuiltLinks, str], ...]
    missing: tuple[Linkage, ...]
    repeated: tuple[tuple[BuiltLinks, int | float], ...]

    @cached_property
    def view(self) -> Sequences:
        """The connector occurrences of the case."""
        return sequences_of(self.chart.grammar)  # type: ignore[arg-type]

    def linkage(self, built: BuiltLinks) -> Linkage | None:
        """Return the links of a structure with their disjuncts, None where a word has none or two."""
        return self.view.linkage(built.pairs)

    def links(self, built: BuiltLinks) -> tuple[LabelledLink, ...]:
        """Return the links of a structure."""
        return tuple(sorted(self.view.link(*pair) for pair in built.pairs))

    def derivations(self, built: BuiltLinks, limit: int) -> tuple[Derivation, ...]:
        """Return the first derivations of a structure in which no item stands above itself."""
        return tuple(islice(self._derivations(built), limit))

    def _derivations(self, built: BuiltLinks) -> Iterator[Derivation]:
        for derivation in islice(iterate_derivations(self.chart.forest()), _DERIVATIONS):
            found = BuiltLinks(frozenset())
            for _, node in derivation.walk():
                if node.edge is not None:
                    found = found.joined(_own_links(node.edge))
            if found == built:
                yield derivation

    @cached_property
    def cycle(self) -> Derivation | None:
        """A step by which an item helps to derive itself; None where none does."""
        forest = self.chart.forest()
        cycles = Cycles.of(forest)
        for item in sorted(cycles.component_of, key=self.chart.order):
            for edge in forest.sorted_edges(item):
                if any(cycles.component_of.get(t) == cycles.component_of[item] for t in edge.tails):
                    children = (Derivation(self.chart.item(t), None, None, (), (), t) for t in edge.tails)
                    case = self.chart.schema.cases[edge.case]
                    links = self.chart.built_links(edge.links)
                    return Derivation(
                        self.chart.item(item), case.step, case.label, links, tuple(children), item, edge
                    )
        return None


def judge(subject: LinkageSubject, case: LinkageCase) -> Judgement:
    """Run a schema in a case and compare what it derives with the linkages of the case.

    Raises
    ------
    BudgetExceeded : the run hit a limit, or Ctrl-C was pressed.
    BudgetError : the structures, or the linkages, take more than the effort allowed.
    """
    expected = [x for x in all_linkages(case.words, case.disjuncts) if subject.contains(x)]
    chart = subject.run(case)
    built = _count_structures(chart.forest(), subject.unions)
    view = sequences_of(chart.grammar)  # type: ignore[arg-type]
    wanted = frozenset(expected)
    unsound, repeated, found = [], [], set()
    for structure in sorted(built, key=lambda s: s.key):
        linkage = view.linkage(structure.pairs)
        if linkage is None or structure.again or linkage not in wanted:
            unsound.append((structure, _find_fault(view, structure, linkage)))
            continue
        found.add(linkage)
        if built[structure] > 1:
            repeated.append((structure, built[structure]))
    missing = tuple(linkage for linkage in expected if linkage not in found)
    return Judgement(subject, case, chart, tuple(expected), built, tuple(unsound), missing, tuple(repeated))


def _own_links(edge: Edge) -> BuiltLinks:
    pairs = [pair for pair in edge.links if pair[0] >= 0]
    return BuiltLinks(frozenset(pairs), frozenset(p for p in pairs if pairs.count(p) > 1))


def _count_structures(forest: Forest, unions: int) -> dict[BuiltLinks, int | float]:
    """Return what the final items build, each structure with the number of its derivations.

    Raises
    ------
    BudgetError : this takes more than so many unions.
    """
    hypotheses = forest.chart.raw.hypothesis_count
    leaf = {BuiltLinks(frozenset()): 1}
    counts: dict[int, dict[BuiltLinks, int | float]] = {
        x: dict(leaf) if x < hypotheses else {} for x in forest.order
    }
    spent = 0
    changed = True
    while changed:
        changed = False
        for item in forest.order:
            if item < hypotheses:
                continue
            here: dict[BuiltLinks, int | float] = {}
            for edge in forest.edges_into(item):
                spent += math.prod(len(counts[t]) for t in edge.tails)
                if spent > unions:
                    raise BudgetError(f"the structures of a chart take more than {unions} unions of links")
                own = _own_links(edge)
                for parts in product(*(counts[t].items() for t in edge.tails)):
                    whole = own
                    for part, _ in parts:
                        whole = whole.joined(part)
                    here[whole] = here.get(whole, 0) + math.prod(number for _, number in parts)
            changed |= forest.cyclic and here.keys() != counts[item].keys()
            counts[item] = here
    total: dict[BuiltLinks, int | float] = {}
    for root in forest.roots:
        # Which structures of an item on a cycle have endlessly many derivations is not asked: that any has is
        # bad enough.
        endless = forest.derivation_counts[root] == math.inf
        for structure, number in counts[root].items():
            total[structure] = total.get(structure, 0) + (math.inf if endless else number)
    return total


def _find_fault(view: Sequences, built: BuiltLinks, linkage: Linkage | None) -> str:
    """Say why a structure is no linkage, or none of the class."""
    for one, other in sorted(built.again):
        a, b = view.occurrences[one], view.occurrences[other]
        label = view.link(one, other).label
        return f"the words {a.position} and {b.position} are linked twice, {label} and {label}"
    if linkage is None:
        return _find_disjunct_fault(view, built)
    checked = check_linkage(linkage)
    return str(checked) if not checked.holds else "it has a cycle"


def _find_disjunct_fault(view: Sequences, built: BuiltLinks) -> str:
    """Say which word has no link, or links of two disjuncts."""
    chosen: dict[int, int] = {}
    for pair in sorted(built.pairs):
        for code in pair:
            found = view.occurrences[code]
            if chosen.setdefault(found.position, found.disjunct) != found.disjunct:
                one, two = (
                    view.disjuncts[found.position][k] for k in (chosen[found.position], found.disjunct)
                )
                return f"word {found.position} uses two disjuncts: {one} and {two}"
    unlinked = next(z for z in range(len(view.words)) if z not in chosen)
    return f"not connected: word {unlinked} has no link"
