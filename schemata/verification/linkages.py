"""Correctness of a Link Grammar schema, tested on random small dictionaries against brute force.

A schema is complete if it derives every linkage of a sentence, sound if it derives nothing else; and it should
derive each linkage once. All three are asked length by length, and what refutes one is made smaller until
nothing smaller does.

What a derivation builds is a set of links between connector occurrences, and which of them it builds more than
once. Derivations are counted for each such structure; where items form cycles, there are endlessly many.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from typing import TypeAlias

from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.engine.chart import Chart
from schemata.engine.run import Kernel, run_kernel
from schemata.errors import BudgetError, Diagnostic, UsageError, did_you_mean
from schemata.forest.derivations import Cycles, Derivation, iterate_derivations
from schemata.forest.forest import Edge, Forest
from schemata.grammars.link_grammar.sequences import Sequences, sequences_of
from schemata.structures import LabelledLink, Linkage, all_linkages, check_linkage
from schemata.verification.dictionaries import LinkageCase, random_case, shrink
from schemata.verification.verdicts import LinkageVerdict, MissedLinkage, RepeatedLinkage, UnsoundLinks
from schemata.verification.verify import RUN_BUDGET
from schemata.workbench import ParsingSchema, load

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


DICTIONARIES = 100
"""The number of random dictionaries for sentences of each length."""

_UNIONS = 2_000_000  # of sets of links, for the structures of one chart
_SHRUNK = 3  # how many of the cases that refute an answer are made smaller; the smallest is kept

LinkageWatcher: TypeAlias = "Callable[[Iterable[Tried], int, str], Iterable[Tried]]"
"""Passes results through and shows how far the work is: given results, how many to come, a description."""

_FAILS: Mapping[str, Callable[[Judgement], bool]] = {
    "sound": lambda found: bool(found.unsound),
    "complete": lambda found: bool(found.missing),
    "once": lambda found: bool(found.repeated),
}


@dataclass(frozen=True, slots=True)
class Tried:
    """One case: which answers it refutes, and how many linkages it has; `stopped` if it was not decided."""

    case: LinkageCase
    refuted: frozenset[str] = frozenset()
    linkages: int = 0
    stopped: str | None = None


@dataclass(slots=True)
class _Progress:
    """What is known so far: by answer a case that refutes it, and up to which length there is none."""

    subject: LinkageSubject
    seed: int
    cases: dict[str, LinkageCase] = field(default_factory=dict)
    covered: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_FAILS, 1))
    dictionaries: int = 0
    linkages: int = 0
    beyond: int = 0
    skipped: int = 0
    stopped: str | None = None

    @property
    def closed(self) -> bool:
        """Whether more dictionaries can add nothing."""
        return self.stopped is not None or len(self.cases) == len(_FAILS)

    def try_length(
        self, n: int, count: int, name: str, watch: LinkageWatcher | None, *, beyond: bool
    ) -> None:
        """Try so many random dictionaries for sentences of n words."""
        results: Iterable[Tried] = (self._try(random_case(n, self.seed, k)) for k in range(count))
        if watch is not None:
            results = watch(results, count, f"{name}, {n} words")
        refuting: dict[str, list[LinkageCase]] = {answer: [] for answer in _FAILS if answer not in self.cases}
        undecided: str | None = None
        for tried in results:
            self.dictionaries += 1
            self.linkages += tried.linkages
            self.beyond += beyond
            self.skipped += tried.stopped is not None
            undecided = undecided or tried.stopped
            for answer, found in refuting.items():
                if answer in tried.refuted:
                    found.append(tried.case)
        for answer, found in refuting.items():
            if found:
                self._shrink(answer, found[:_SHRUNK])
            elif undecided is None and not beyond:
                self.covered[answer] = n
        if not beyond:
            self.stopped = undecided

    def _try(self, case: LinkageCase) -> Tried:
        try:
            found = judge(self.subject, case)
        except Interrupted:
            raise KeyboardInterrupt from None
        except BudgetExceeded as over:
            return Tried(case, stopped=over.reason)
        except BudgetError:
            return Tried(case, stopped="structures")
        refuted = frozenset(answer for answer, fails in _FAILS.items() if fails(found))
        return Tried(case, refuted, len(found.expected))

    def _shrink(self, answer: str, cases: list[LinkageCase]) -> None:
        """Keep the smallest case that refutes an answer; what is found is kept as it gets smaller."""

        def fails(case: LinkageCase) -> bool:
            return answer in self._try(case).refuted

        for case in cases:
            self._keep(answer, case)
            for smaller in shrink(case, fails):
                self._keep(answer, smaller)

    def _keep(self, answer: str, case: LinkageCase) -> None:
        if answer not in self.cases or case.key < self.cases[answer].key:
            self.cases[answer] = case


def verify_linkages(
    schema: ParsingSchema | str,
    class_name: str = "linkages",
    max_n: int = 5,
    *,
    seed: int = 0,
    random: int = 0,
    budget: Budget | None = None,
    watch: LinkageWatcher | None = None,
) -> LinkageVerdict:
    """Test whether a Link Grammar schema derives exactly the linkages of a sentence, each once.

    Parameters
    ----------
    schema : a schema over Link Grammar dictionaries, or the name of one.
    class_name : "linkages", or "acyclic-linkages" for those without cycles.
    max_n : try sentences of 2 to so many words, walls among them.
    seed : fixes the random dictionaries.
    random : how many more dictionaries to try, for sentences of up to three words more.
    budget : limits of a single run; `RUN_BUDGET` if None.
    watch : is shown the results as they come.

    Returns
    -------
    The verdict, with small counterexamples. An answer that a budget or Ctrl-C prevented is None.

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
    for name, value, least in (("max_n", max_n, 2), ("random", random, 0)):
        if value < least:
            raise UsageError(f"{name.replace('_', '-')} must be at least {least}, not {value}")
    chosen = load(schema) if isinstance(schema, str) else schema
    if chosen.definition.grammar != "link-grammar":
        raise UsageError(
            Diagnostic(
                "no-linkages",
                f"schema {chosen.name} runs over {chosen.definition.grammar} and derives no linkages",
                expected="a schema over link-grammar",
            )
        )
    subject = LinkageSubject(chosen.kernel, linkage_class(class_name), budget or RUN_BUDGET, _UNIONS)
    state = _Progress(subject, seed)
    try:
        for n in range(2, max_n + 1):
            if state.closed:
                break
            state.try_length(n, DICTIONARIES, chosen.name, watch, beyond=False)
        for place, n in enumerate(range(max_n + 1, max_n + 4)):
            share = (random + 2 - place) // 3
            if share and not state.closed:
                state.try_length(n, share, chosen.name, watch, beyond=True)
    except KeyboardInterrupt:
        state.stopped = "interrupt"
    return _verdict(state, chosen, max_n, time.perf_counter() - started)


def _verdict(state: _Progress, schema: ParsingSchema, max_n: int, seconds: float) -> LinkageVerdict:
    def answer(name: str) -> bool | None:
        if name in state.cases:
            return False
        return True if state.covered[name] >= max_n else None

    def covered(name: str) -> int:
        return 0 if state.covered[name] < 2 else state.covered[name]

    def evidence(name: str) -> Judgement | None:
        return judge(state.subject, state.cases[name]) if name in state.cases else None

    unsound, missed, repeated = evidence("sound"), evidence("complete"), evidence("once")
    return LinkageVerdict(
        schema=schema.name,
        parameters=dict(schema.parameters),
        class_name=state.subject.class_name,
        max_n=max_n,
        seed=state.seed,
        sound=answer("sound"),
        complete=answer("complete"),
        each_once=answer("once"),
        unsound=_unsound(unsound) if unsound else None,
        missed=_missed(missed) if missed else None,
        repeated=_repeated(repeated) if repeated else None,
        sound_to=covered("sound"),
        complete_to=covered("complete"),
        once_to=covered("once"),
        dictionaries=state.dictionaries,
        linkages=state.linkages,
        beyond=state.beyond,
        skipped=state.skipped,
        stopped=state.stopped,
        seconds=seconds,
    )


def _unsound(found: Judgement) -> UnsoundLinks:
    structure, fault = found.unsound[0]
    derivation = next(iter(found.derivations(structure, 1)), None)
    return UnsoundLinks(
        found.case,
        found.links(structure),
        found.linkage(structure),
        fault,
        derivation,
        found.cycle if derivation is None else None,
    )


def _missed(found: Judgement) -> MissedLinkage:
    linkage, chart = found.missing[0], found.chart
    used: set[int] = set()
    built: set[LabelledLink] = set()
    for instance in chart.instances():
        used.update(instance.antecedents)
        built |= {found.view.link(*pair) for pair in instance.links if pair[0] >= 0}
    pieces = tuple(str(chart.item(x)) for x in chart.derived_ids if x not in used)
    never = tuple(link for link in linkage.links if link not in built)
    return MissedLinkage(found.case, linkage, chart.accepted, pieces, never)


def _repeated(found: Judgement) -> RepeatedLinkage:
    structure, count = found.repeated[0]
    linkage = found.linkage(structure)
    assert linkage is not None  # it is one of those that brute force found
    endless = count == math.inf
    derivations = found.derivations(structure, 1 if endless else 2)
    return RepeatedLinkage(found.case, linkage, count, derivations, found.cycle if endless else None)
