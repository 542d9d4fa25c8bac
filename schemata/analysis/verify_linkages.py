"""Correctness of a Link Grammar schema, tested on random small dictionaries against brute force.

A schema is complete if it derives every linkage of a sentence, sound if it derives nothing else; and it should
derive each linkage once. All three are asked length by length, and what refutes one is made smaller until
nothing smaller does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from schemata.analysis.linkage_cases import LinkageCase, random_case, shrink
from schemata.analysis.linkage_judgement import Judgement, LinkageSubject, judge, linkage_class
from schemata.analysis.linkage_verdict import (
    LinkageVerdict,
    MissedLinkage,
    RepeatedLinkage,
    UnsoundLinks,
)
from schemata.analysis.verify_job import RUN_BUDGET
from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.errors import BudgetError, Diagnostic, UsageError
from schemata.structures import LabelledLink
from schemata.workbench import ParsingSchema, load

__all__ = ["DICTIONARIES", "LinkageWatcher", "verify_linkages"]

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
