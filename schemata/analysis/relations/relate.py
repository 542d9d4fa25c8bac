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
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from schemata.analysis.relations.answers import Answer, Counterexample, Extent
from schemata.analysis.relations.correspondence import correspondence
from schemata.analysis.relations.emulation import SearchTooLongError
from schemata.analysis.relations.label_universe import label_universe
from schemata.analysis.relations.sequences import Sequences
from schemata.analysis.relations.steps import Measure, StepCheck, find_misfit
from schemata.analysis.relations.systems import Ground, System, ground_system
from schemata.analysis.relations.universe import Universe, link_universe, rule_universe
from schemata.engine.budget import Budget, BudgetExceeded
from schemata.engine.run import Kernel, compile_kernel
from schemata.errors import Diagnostic, UsageError
from schemata.language import model as m
from schemata.language.relation_model import Relation, StepKind

__all__ = [
    "DEFAULT_BUDGET",
    "OverTimeError",
    "Watcher",
    "Workbench",
    "check_grammars",
    "decide",
    "guarded",
    "map_texts",
    "reference_of",
    "rules_text",
]

Watcher: TypeAlias = Callable[[Iterable[Any], int, str], Iterable[Any]]
DEFAULT_BUDGET = Budget(steps=5_000_000, seconds=300.0)

# The kinds by single steps: whether the first schema's steps are looked at, and what is asked of them.
_BY_STEPS: dict[StepKind, tuple[bool, Measure]] = {
    "step-refinement": (True, "emulated"),
    "step-contraction": (False, "emulated"),
    "static-filter": (False, "included"),
    "dynamic-filter": (False, "contained"),
}


def reference_of(schema: m.Schema) -> str:
    """Return how a schema is referred to: its name, and the parameters that differ from their defaults.

    >>> import schemata
    >>> reference_of(schemata.load("mh", k=4).definition)
    'mh:k=4'
    """
    changed = [f"{p.name}={p.value}" for p in schema.parameters if p.value != p.default]
    return f"{schema.name}:{','.join(changed)}" if changed else schema.name


@dataclass
class Workbench:
    """Kernels and ground systems, each made once; and the limits under which they are made.

    Attributes
    ----------
    budget : of one run that finds the step instances; its seconds are those of a whole decision.
    rule_length : symbols in a rule, for schemata over rules.
    """

    budget: Budget = DEFAULT_BUDGET
    rule_length: int = 3
    _kernels: dict[str, list[Kernel]] = field(default_factory=dict)
    _systems: dict[Any, System] = field(default_factory=dict)

    def kernel(self, schema: m.Schema) -> Kernel:
        """Return a schema's kernel."""
        known = self._kernels.setdefault(reference_of(schema), [])
        for kernel in known:
            if kernel.schema == schema:
                return kernel
        known.append(compile_kernel(schema))
        return known[-1]

    def universe(self, first: m.Schema, second: m.Schema, n: int) -> Universe:
        """Return the grammar of everything that two schemata over one kind of grammar share."""
        if first.grammar == "d-rules":
            return link_universe(n)
        if first.grammar == "link-grammar":
            return label_universe(n, max(1, self.rule_length - 1))
        corners = any(
            isinstance(c, m.LeftCorner)
            for schema in (first, second)
            for case in schema.cases
            for c in case.conditions
        )
        levels, chain = (4, 1) if corners else (2, 0)
        return rule_universe(n, first.grammar, self.rule_length, levels, chain)

    def system(self, schema: m.Schema, universe: Universe) -> System:
        """Return a schema's ground system.

        Raises
        ------
        BudgetExceeded : it has too many step instances.
        UsageError : it has too many items.
        """
        kernel = self.kernel(schema)
        key = id(kernel), id(universe)
        if key not in self._systems:
            self._systems[key] = ground_system(kernel, universe, self.budget)
        return self._systems[key]


def decide(
    relation: Relation,
    kind: StepKind,
    max_n: int,
    *,
    bench: Workbench | None = None,
    watch: Watcher | None = None,
) -> Answer:
    """Decide whether a relation holds for all sentences of up to `max_n` words.

    Parameters
    ----------
    relation : the two schemata and the maps between their items; its own kind does not matter here.
    kind : which kind is asked about.
    max_n : the number of words, at most.
    bench : kernels and systems to be shared between decisions.
    watch : wraps what is gone through, for a progress bar.

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
        return _Decision(relation, kind, max_n, bench, watch or _unwatched).run()
    from schemata.analysis.relations.derivations_mapped import decide_items

    return decide_items(relation, kind, max_n, bench, watch or _unwatched)


def _unwatched(items: Iterable[Any], total: int, description: str) -> Iterable[Any]:
    return items


class OverTimeError(Exception):
    """The seconds of a decision are used up."""


def guarded(search: Callable[[], Counterexample | None]) -> tuple[Counterexample | None, str | None]:
    """Return what a search for a counterexample finds, or None and why it was stopped."""
    try:
        return search(), None
    except BudgetExceeded as over:
        return None, over.reason
    except OverTimeError:
        return None, "seconds"
    except SearchTooLongError:
        return None, "steps"
    except MemoryError:
        return None, "memory"
    except KeyboardInterrupt:
        return None, "interrupt"


class _Decision:
    """The course of one decision by single steps."""

    def __init__(
        self, relation: Relation, kind: StepKind, max_n: int, bench: Workbench, watch: Watcher
    ) -> None:
        self.relation, self.kind, self.max_n, self.bench, self.watch = relation, kind, max_n, bench, watch
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
        notes = (
            ()
            if self.with_links
            else ("links are not compared: one schema builds by positions, one by heads",)
        )
        return Answer(
            reference_of(self.relation.first),
            reference_of(self.relation.second),
            self.kind,
            holds,
            Extent(self.done, self.items, self.instances, rules_text(universe, self.bench.rule_length)),
            self.sequences.witnesses() if broken is None else (),
            broken,
            map_texts(self.relation),
            notes,
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
        check = StepCheck.of(source, target, mapping, self.measure)
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


def _size(system: System, ground: Ground) -> tuple[Any, ...]:
    """Return the key by which the smallest counterexample is chosen: few facts, few and early items."""
    texts = [system.text(x) for x in (*ground.antecedents, ground.consequent)]
    order = tuple(system.chart.order(x) for x in ground.antecedents)
    return len(ground.facts), len(ground.antecedents), sum(map(len, texts)), order, ground.case


def check_grammars(first: m.Schema, second: m.Schema, kind: StepKind) -> None:
    """Raise UsageError where two schemata are over different kinds of grammar."""
    if first.grammar != second.grammar:
        raise UsageError(
            Diagnostic(
                "other-grammars",
                f"{first.name} is over {first.grammar} and {second.name} over {second.grammar}",
                expected=f"two schemata over one kind of grammar, for a {kind.replace('-', ' ')}",
                hint="an item refinement can be asked about for D-rules and dependency rules",
            )
        )


def rules_text(universe: Universe, length: int) -> str | None:
    """Say which rules there were."""
    if universe.kind == "d-rules":
        return None
    if universe.kind == "link-grammar":
        count = max(1, length - 1)
        return (
            f"disjuncts of up to {count} connector{'s' * (count > 1)}; the items that some dictionary derives"
        )
    said = f"rules of up to {length} symbols, categories different wherever they may"
    return f"{said}, left corners at most {universe.chain} rule away" if universe.chain else said


def map_texts(relation: Relation) -> tuple[str, ...]:
    """Return the maps of a relation as text, but for items carried over unchanged."""
    from schemata.analysis.relations.map_text import map_text

    return tuple(map_text(relation, x) for x in relation.maps if x.written)
