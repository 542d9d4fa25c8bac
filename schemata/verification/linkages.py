"""Verification of Link Grammar schemata: the linkages they derive from a small dictionary, compared with brute force.

A schema is complete if it derives every linkage of a sentence, sound if it derives nothing else; and it should
derive each linkage once.

A derivation builds links between connector occurrences, some of them perhaps more than once. Derivations are counted
for each set of links with these repetitions; if items form cycles, there are infinitely many.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.run import compile_kernel, run_kernel
from schemata.errors import BudgetError, UsageError, did_you_mean
from schemata.forest.derivations import derivations_of, step_on_cycle
from schemata.forest.forest import Edge, Forest
from schemata.forest.states import count_states
from schemata.grammars.link_grammar.sequences import Sequences
from schemata.language import model as m
from schemata.shards import Places
from schemata.structures import LabelledLink, Linkage, all_linkages, check_linkage
from schemata.verification.dictionaries import LinkageCase, random_case, renamed, small_cases, smaller_cases
from schemata.verification.progress import Limits, Progress, answers_of, followed, loaded, settle
from schemata.verification.verdicts import (
    Ambiguous,
    LinkageVerdict,
    MissedLinkage,
    Refutation,
    UnsoundLinks,
)
from schemata.workbench import ParsingSchema, Watcher

DICTIONARIES = 100
"""The number of random dictionaries for sentences of each length."""

LINKAGE_CLASSES: dict[str, Callable[[Linkage], bool]] = {
    "linkages": lambda linkage: True,
    "acyclic-linkages": lambda linkage: not linkage.is_cyclic,
}
"""The classes of linkages that a schema can be tested for, each with what tells its members."""

LINKAGE_UNIONS = 2_000_000
"""The same for linkages, where derivations are counted."""

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
class BuiltLinks:
    """The links that a derivation builds: pairs of connector occurrences, and those of them that it builds again."""

    pairs: frozenset[Pair]
    again: frozenset[Pair] = frozenset()

    @property
    def key(self) -> tuple[object, ...]:
        """The order of structures: fewer links first."""
        return len(self.pairs), len(self.again), sorted(self.pairs), sorted(self.again)


class Building:
    """The states of linkages under test: links, and those of them that are built again."""

    plain = False
    leaf = BuiltLinks(frozenset())

    def links(self, edge: Edge) -> BuiltLinks:
        """Return an edge's own links."""
        pairs = [(one, other) for one, other in edge.links if one >= 0]
        return BuiltLinks(frozenset(pairs), frozenset(p for p in pairs if pairs.count(p) > 1))

    def combine(
        self, edge: Edge, consequent: int, own: BuiltLinks, states: Sequence[BuiltLinks]
    ) -> BuiltLinks:
        """Return the links of a consequent from those of the edge's tails."""
        pairs, again = own.pairs, own.again
        for state in states:
            again |= state.again | (pairs & state.pairs)
            pairs |= state.pairs
        return BuiltLinks(pairs, again)

    def structure(self, state: BuiltLinks) -> BuiltLinks:
        """Return the links."""
        return state

    value = structure


@dataclass(frozen=True, slots=True)
class Built:
    """A structure built in a case: its links, its linkage or the reason why it is none, its derivations."""

    links: BuiltLinks
    linkage: Linkage | None
    count: int | float
    fault: str | None


@dataclass(frozen=True, slots=True)
class LinkageOutcome:
    """The outcome of a case: the structures built, the smallest first, and the linkages that brute force finds."""

    case: LinkageCase
    built: tuple[Built, ...]
    linkages: tuple[Linkage, ...]

    @property
    def number(self) -> int:
        """The number of linkages."""
        return len(self.linkages)


class Linkages:
    """A schema over Link Grammar dictionaries under test.

    Parameters
    ----------
    schema : the schema.
    wanted : the class of linkages that it is to derive.
    limits : the limits of the test.
    """

    answers = ("sound", "complete", "each_once")

    def __init__(self, schema: m.Schema, wanted: str, limits: Limits) -> None:
        self.contains, self.limits = LINKAGE_CLASSES[wanted], limits
        self.kernel = compile_kernel(schema)

    def run(self, case: LinkageCase) -> Chart:
        """Run the schema in a case.

        Raises
        ------
        BudgetExceeded : a limit was hit, or Ctrl-C pressed.
        """
        return run_kernel(self.kernel, case.sentence, case.provide(), self.limits.of_run)

    def cases(self, n: int, seed: int) -> tuple[int, Iterable[LinkageCase]]:
        """Return the number of cases that test n words, and the cases: all small ones, then random ones."""
        small = list(small_cases(n))
        return len(small) + DICTIONARIES, chain(small, (random_case(n, seed, k) for k in range(DICTIONARIES)))

    def parts(self, case: LinkageCase) -> Iterator[LinkageCase]:
        """Yield nothing: an undecided case is left undecided."""
        return iter(())

    def examine(self, case: LinkageCase) -> LinkageOutcome:
        """Run the schema in a case and judge what it builds, whatever the class.

        Raises
        ------
        BudgetExceeded, BudgetError : the run hit a limit; its structures or the linkages take too much effort.
        """
        linkages = tuple(all_linkages(case.words, case.disjuncts))
        chart = self.run(case)
        counts = _count_structures(chart.forest(), self.limits.unions)
        view, known, built = _view(chart), frozenset(linkages), []
        for links in sorted(counts, key=lambda s: s.key):
            linkage = view.linkage(links.pairs)
            fault = None if linkage in known and not links.again else _find_fault(view, links, linkage)
            built.append(Built(links, linkage, counts[links], fault))
        return LinkageOutcome(case, tuple(built), linkages)

    def refute(self, answer: str, outcome: LinkageOutcome) -> Iterator[Refutation]:
        """Yield what refutes an answer in an outcome."""
        case = outcome.case
        good = {b.linkage: b for b in outcome.built if b.linkage and not b.fault and self.contains(b.linkage)}
        match answer:
            case "sound":
                wrong = next((b for b in outcome.built if b.linkage not in good or b.fault), None)
                if wrong is not None:
                    yield Refutation((case.key,), case, wrong, wrong.fault or "it has a cycle")
            case "complete":
                lost = next((x for x in outcome.linkages if self.contains(x) and x not in good), None)
                if lost is not None:
                    yield Refutation((case.key,), case, lost, "")
            case _:
                again = next((b for b in good.values() if b.count > 1), None)
                if again is not None:
                    yield Refutation((case.key,), case, again, "")

    def smaller(self, case: LinkageCase) -> Iterator[LinkageCase]:
        """Yield smaller cases."""
        return smaller_cases(case)

    def renamed(self, case: LinkageCase) -> LinkageCase:
        """Return the case with the plainest names."""
        return renamed(case)

    def name(self, answer: str, refutation: Refutation) -> UnsoundLinks | MissedLinkage | Ambiguous:
        """Return a counterexample without evidence."""
        case, structure = refutation.case, refutation.structure
        if answer == "complete":
            return MissedLinkage(case, structure)
        if answer == "sound":
            view = case.provide().sequences
            links = tuple(sorted(view.link(*pair) for pair in structure.links.pairs))
            return UnsoundLinks(case, links, structure.linkage, refutation.fault)
        return Ambiguous(case, structure.linkage, structure.count)

    def explain(self, answer: str, refutation: Refutation) -> UnsoundLinks | MissedLinkage | Ambiguous:
        """Return a counterexample with its evidence.

        Raises
        ------
        BudgetExceeded : the run hits a limit now.
        """
        chart = self.run(refutation.case)
        match self.name(answer, refutation):
            case MissedLinkage() as example:
                return _explain_missing(example, chart)
            case UnsoundLinks() as example:
                forest = chart.forest()
                derivation = next(derivations_of(forest, Building(), refutation.structure.links.__eq__), None)
                return replace(
                    example, derivation=derivation, cycle=None if derivation else step_on_cycle(forest)
                )
            case Ambiguous() as example:
                return example.explained(chart.forest(), Building(), refutation.structure.links.__eq__)


def _view(chart: Chart) -> Sequences:
    """Return the connector occurrences of a chart's case."""
    view: Sequences = chart.grammar.sequences  # type: ignore[attr-defined]
    return view


def _explain_missing(example: MissedLinkage, chart: Chart) -> MissedLinkage:
    used: set[int] = set()
    built: set[LabelledLink] = set()
    for instance in chart.instances():
        used.update(instance.antecedents)
        built |= {_view(chart).link(*pair) for pair in instance.links if pair[0] >= 0}
    pieces = tuple(str(chart.item(x)) for x in chart.derived_ids if x not in used)
    never = tuple(link for link in example.linkage.links if link not in built)
    return replace(example, accepted=chart.accepted, pieces=pieces, never_built=never)


def _count_structures(forest: Forest, unions: int) -> dict[BuiltLinks, int | float]:
    """Return what the final items build, each structure with the number of its derivations.

    Raises
    ------
    BudgetError : this takes more than so many unions.
    """
    counts = count_states(forest, Building(), unions)
    if counts is None:
        raise BudgetError(f"the structures of a chart take more than {unions} unions of links")
    # Which structures of an item on a cycle have endlessly many derivations is not asked: that any has is bad enough.
    endless = forest.cyclic
    return {links: math.inf if endless and number > 1 else number for links, number in counts.items()}


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


def verify_linkages(
    schema: ParsingSchema | str,
    class_name: str = "linkages",
    max_n: int = 5,
    *,
    seed: int = 0,
    random: int = 0,
    jobs: int | Places = 1,
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
    chosen = loaded(schema, max_n=(max_n, 2), random=(random, 0), jobs=(jobs, 1))
    if chosen.definition.grammar != "link-grammar":
        raise UsageError(
            f"schema {chosen.name} runs over {chosen.definition.grammar} and derives no linkages",
            code="no-linkages",
            expected="a schema over link-grammar",
        )

    def work(state: Progress) -> None:
        settle(state, chosen.name, range(2, max_n + 1), seed)
        for place, n in enumerate(range(max_n + 1, max_n + 4)):
            share = (random + 2 - place) // 3
            if share and not state.closed:
                cases = [random_case(n, seed, k) for k in range(share)]
                state.try_cases(share, cases, f"{chosen.name}, {n} words", None)

    limits = Limits.of(budget, LINKAGE_UNIONS, seconds)
    state = followed(Linkages, (chosen.definition, linkage_class(class_name)), limits, jobs, watch, work)
    return LinkageVerdict(
        **answers_of(state, chosen, class_name, max_n, seed),
        unsound=state.example("sound", seconds),
        missed=state.example("complete", seconds),
        ambiguous=state.example("each_once", seconds),
        dictionaries=state.runs,
        linkages=state.structures,
        beyond=state.beyond[0],
        skipped=state.skipped,
        seconds=time.perf_counter() - started,
    )
