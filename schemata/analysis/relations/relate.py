"""Decides whether a relation holds, length by length, and collects the evidence.

Which schema's steps are looked at, and against what, differs by kind (P is the first schema, Q the second one):

- step refinement P to Q: items of P are items of Q; every step of P is emulated in Q. Step contraction is
  the same with P and Q exchanged.
- static filter P to Q: items of Q are items of P; every step of Q is a step of P. Dynamic filter: every step
  of Q contains one of P. The antecedents a filter may add are items like any others; a context antecedent counts.
- item refinement P to Q, and item contraction with P and Q exchanged: see `derivations_mapped`.
"""

from __future__ import annotations

import time

from schemata.analysis.relations.answers import Answer, Counterexample, Extent
from schemata.analysis.relations.bench import Workbench, limits_of, reference_of, rules_text
from schemata.analysis.relations.correspondence import correspondence
from schemata.analysis.relations.course import (
    OverTimeError,
    Watcher,
    check_grammars,
    guarded,
    map_texts,
    unwatched,
)
from schemata.analysis.relations.derivations_mapped import decide_items
from schemata.analysis.relations.sequences import Sequences
from schemata.analysis.relations.steps import Measure, StepCheck, find_misfit
from schemata.analysis.relations.systems import Ground, System
from schemata.errors import UsageError
from schemata.language.relation_model import Relation, StepKind

__all__ = ["decide"]

# The kinds by single steps: whether the first schema's steps are looked at, and what is asked of them.
_BY_STEPS: dict[StepKind, tuple[bool, Measure]] = {
    "step-refinement": (True, "emulated"),
    "step-contraction": (False, "emulated"),
    "static-filter": (False, "included"),
    "dynamic-filter": (False, "contained"),
}


def decide(
    relation: Relation,
    kind: StepKind,
    max_n: int,
    *,
    bench: Workbench | None = None,
    watch: Watcher | None = None,
    strict: bool = False,
) -> Answer:
    """Decide whether a relation holds for all sentences of up to `max_n` words.

    Parameters
    ----------
    relation : the two schemata and the maps between their items; its own kind does not matter here.
    kind : which kind is asked about.
    max_n : the number of words, at most.
    bench : kernels and systems to be shared between decisions.
    watch : wraps what is gone through, for a progress bar.
    strict : ask of refinements and filters by steps that what stands for a step also takes in all that the step's
        antecedents have built. The definitions do not ask for it; without it trees may lose their parts.

    Returns
    -------
    The answer; `holds` is None where a budget was hit or Ctrl-C pressed, with what is known by then.

    Raises
    ------
    UsageError : the schemata are over different kinds of grammar, or a form has too many items to go through.
    """
    if max_n < 1:
        raise UsageError("--max-n must be at least 1")
    bench = bench or Workbench()
    if kind in _BY_STEPS:
        return _Decision(relation, kind, max_n, bench, watch or unwatched, strict).run()
    return decide_items(relation, kind, max_n, bench, watch or unwatched)


class _Decision:
    """The course of one decision by single steps."""

    def __init__(
        self, relation: Relation, kind: StepKind, max_n: int, bench: Workbench, watch: Watcher, strict: bool
    ) -> None:
        self.relation, self.kind, self.max_n, self.bench, self.watch = relation, kind, max_n, bench, watch
        self.strict = strict
        self.forward, self.measure = _BY_STEPS[kind]
        first, second = relation.first, relation.second
        check_grammars(first, second, kind)
        self.source, self.target = (first, second) if self.forward else (second, first)
        self.sequences = Sequences(self.source, reference_of(self.source), reference_of(self.target))
        self.done = self.items = self.instances = 0
        self.end = time.monotonic() + bench.budget.seconds
        self.with_links = True

    def run(self) -> Answer:
        """Go through the lengths."""
        broken, stopped = guarded(self._lengths)
        holds = None if stopped else broken is None
        universe = self.bench.universe(self.source, self.target, max(self.done, 1))
        notes = limits_of(self.source, self.target, self.with_links)
        return Answer(
            reference_of(self.relation.first),
            reference_of(self.relation.second),
            self.kind,
            holds,
            Extent(self.done, self.items, self.instances, rules_text(universe, self.bench.rule_length)),
            self.sequences.witnesses() if broken is None else (),
            broken,
            map_texts(self.relation),
            tuple(notes),
            stopped,
        )

    def _lengths(self) -> Counterexample | None:
        for n in range(1, self.max_n + 1):
            broken = self.at_length(n)
            if broken is not None:
                return broken
            self.done = n
        return None

    def at_length(self, n: int) -> Counterexample | None:
        """Check one length; returns what breaks the definition, the smallest such thing."""
        universe = self.bench.universe(self.source, self.target, n)
        source = self.bench.system(self.source, universe)
        target = self.bench.system(self.target, universe)
        mapping = correspondence(self.relation, source, target, self.forward)
        misfit = find_misfit(source, target, mapping)
        if misfit is not None:
            return Counterexample(n, misfit.reason)
        check = StepCheck.of(source, target, mapping, self.measure, self.strict)
        self.with_links = check.with_links
        failing: list[Ground] = []
        for k, ground in enumerate(self.watch(source.grounds, len(source.grounds), f"{n} words")):
            if not k % 64 and time.monotonic() > self.end:
                raise OverTimeError
            emulation = check.stand_in(ground)
            if emulation is None:
                failing.append(ground)
            elif not failing:
                self.sequences.add(source, ground, target, emulation)
        if failing:
            smallest = min(failing, key=lambda g: _size(source, g))
            return check.break_at(smallest)
        self.items += len(source.items)
        self.instances += len({ground.row for ground in source.grounds})
        return None


def _size(system: System, ground: Ground) -> tuple[object, ...]:
    """Return the key by which the smallest counterexample is chosen: few facts, few and early items."""
    texts = [system.text(x) for x in (*ground.antecedents, ground.consequent)]
    order = tuple(system.chart.order(x) for x in ground.antecedents)
    return len(ground.facts), len(ground.antecedents), sum(map(len, texts)), order, ground.case
