"""Decides whether a relation holds, length by length, and collects the evidence.

Which schema's steps are looked at, and against what, differs by kind (P is the first schema, Q the second one):

- step refinement P to Q: items of P are items of Q; every step of P is emulated in Q. Step contraction is
  the same with P and Q exchanged.
- static filter P to Q: items of Q are items of P; every step of Q is a step of P. Dynamic filter: every step
  of Q contains one of P. The antecedents a filter may add are items like any others; a context antecedent counts.
- item refinement P to Q, and item contraction with P and Q exchanged: see `item_refinement`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

from schemata.engine.budget import BudgetExceeded
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.library import shipped_relations
from schemata.language.relation_model import CHAINS, INTO_FIRST, KINDS, Relation, StepKind, inverse
from schemata.language.relations import chain_parts, load_relation
from schemata.relations.answers import Answer, Counterexample, Extent, Sequences
from schemata.relations.emulation import Measure, SearchTooLongError, StepCheck, builds_by_heads, find_misfit
from schemata.relations.item_refinement import RULES_TRIED, Mapped, find_lost_derivation
from schemata.relations.mapping import Correspondence, correspondence, map_text
from schemata.relations.systems import Ground, SharedSystems, System, limits_of, reference_of, rules_text
from schemata.relations.universe import Universe, word_universe

Watcher: TypeAlias = Callable[[Iterable[Any], int, str], Iterable[Any]]

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
    systems: SharedSystems | None = None,
    watch: Watcher | None = None,
    strict: bool = False,
) -> Answer:
    """Decide whether a relation holds for all sentences of up to `max_n` words.

    Parameters
    ----------
    relation : the two schemata and the maps between their items; its own kind does not matter here.
    kind : which kind is asked about.
    max_n : the number of words, at most.
    systems : kernels and systems to be shared between decisions.
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
    check_grammars(relation.first, relation.second, kind)
    return _Decision(relation, kind, max_n, systems or SharedSystems(), watch or _unwatched, strict).run()


def check_grammars(first: m.Schema, second: m.Schema, kind: StepKind) -> None:
    """Check that a relation of a kind can be asked about.

    Raises
    ------
    UsageError : the schemata are over different kinds of grammar, and it is no item refinement of D-rules.
    """
    coarse, fine = (first, second) if kind in INTO_FIRST else (second, first)
    by_rules = (coarse.grammar, fine.grammar) == ("d-rules", "dependency-rules") and kind not in _BY_STEPS
    if first.grammar != second.grammar and not by_rules:
        raise UsageError(
            f"{first.name} is over {first.grammar} and {second.name} over {second.grammar}",
            code="other-grammars",
            expected=f"two schemata over one kind of grammar, for a {kind.replace('-', ' ')}",
            hint="an item refinement can be asked about for D-rules and dependency rules",
        )


def _unwatched(items: Iterable[Any], total: int, description: str) -> Iterable[Any]:
    """Return the items as they are: the watcher that shows nothing."""
    return items


class _OverTimeError(Exception):
    """The seconds of a decision are used up."""


class _Decision:
    """The course of one decision: `source` is the schema whose steps are gone through, `target` the other one."""

    def __init__(
        self,
        relation: Relation,
        kind: StepKind,
        max_n: int,
        systems: SharedSystems,
        watch: Watcher,
        strict: bool,
    ) -> None:
        self.relation, self.kind, self.max_n, self.systems = relation, kind, max_n, systems
        self.watch, self.strict = watch, strict
        self.measure: Measure | None
        self.forward, self.measure = _BY_STEPS.get(kind, (kind == "item-contraction", None))
        first, second = relation.first, relation.second
        self.source, self.target = (first, second) if self.forward else (second, first)
        self.one_grammar = first.grammar == second.grammar
        self.with_links = builds_by_heads(first) == builds_by_heads(second)
        self.sequences = Sequences(self.source, reference_of(self.source), reference_of(self.target))
        self.done = self.items = self.instances = 0
        self.end = time.monotonic() + systems.budget.seconds

    def run(self) -> Answer:
        """Go through the lengths; what stops the search is told in the answer."""
        broken: Counterexample | None = None
        stopped: str | None = None
        try:
            while self.done < self.max_n and broken is None:
                broken = self._at_length(self.done + 1)
                self.done += broken is None
        except BudgetExceeded as over:
            stopped = over.reason
        except _OverTimeError:
            stopped = "seconds"
        except SearchTooLongError:
            stopped = "steps"
        except MemoryError:
            stopped = "memory"
        except KeyboardInterrupt:
            stopped = "interrupt"
        universe = self._universes(max(self.done, 1))[0]
        rules = rules_text(universe, self.systems.rule_length) if self.one_grammar else None
        notes = limits_of(self.source, self.target, self.with_links)
        if not self.one_grammar:
            notes.append(
                f"grammars of up to {RULES_TRIED} rules, every word of its own category; the links that a rule "
                "allows are licensed, and no others"
            )
        return Answer(
            reference_of(self.relation.first),
            reference_of(self.relation.second),
            self.kind,
            None if stopped else broken is None,
            Extent(self.done, self.items, self.instances, rules),
            self.sequences.witnesses() if broken is None else (),
            broken,
            tuple(map_text(self.relation, x) for x in self.relation.maps if x.written),
            tuple(notes),
            stopped,
        )

    def _universes(self, n: int) -> tuple[Universe, Universe]:
        """Return the grammars of everything for the source and the target."""
        if self.one_grammar:
            universe = self.systems.universe(self.source, self.target, n)
            return universe, universe
        return (
            word_universe(n, self.systems.rule_length),
            self.systems.universe(self.target, self.target, n),
        )

    def _at_length(self, n: int) -> Counterexample | None:
        """Check one length; returns what breaks the definition, the smallest such thing."""
        above, below = self._universes(n)
        source, target = self.systems.system(self.source, above), self.systems.system(self.target, below)
        mapping = correspondence(self.relation, source, target, self.forward)
        by = self._by_steps if self.measure else self._by_derivations
        broken = by(source, target, mapping)
        if broken is None:
            self.items += len(source.items)
            self.instances += len({ground.row for ground in source.grounds})
        return broken

    def _watched(self, grounds: Sequence[Ground], n: int) -> Iterator[Ground]:
        """Yield instances as long as there is time."""
        for k, ground in enumerate(self.watch(grounds, len(grounds), f"{n} words")):
            if not k % 64:
                self._check_time()
            yield ground

    def _check_time(self) -> None:
        if time.monotonic() > self.end:
            raise _OverTimeError

    def _by_steps(self, source: System, target: System, mapping: Correspondence) -> Counterexample | None:
        """Look for an item or a step of the source that has no counterpart."""
        assert self.measure is not None
        misfit = find_misfit(source, target, mapping)
        if misfit is not None:
            return Counterexample(source.n, misfit.reason)
        check = StepCheck.of(source, target, mapping, self.measure, self.strict)
        failing: list[Ground] = []
        for ground in self._watched(source.grounds, source.n):
            emulation = check.stand_in(ground)
            if emulation is None:
                failing.append(ground)
            elif not failing:
                self.sequences.add(source, ground, target, emulation)
        smallest = min(failing, key=lambda g: _size(source, g), default=None)
        return None if smallest is None else check.break_at(smallest)

    def _by_derivations(
        self, source: System, target: System, mapping: Correspondence
    ) -> Counterexample | None:
        """Look for an item, a step or a derivation that a mapping of whole derivations does not account for."""
        if mapping.misfits:
            return Counterexample(source.n, mapping.misfits[0].reason)
        reached = set(mapping.image.values())
        lost = [x for x in target.items if x not in reached]
        if lost:
            return Counterexample(
                source.n, f"no item of {self.source.name} is carried to {target.text(lost[0])}"
            )
        mapped = Mapped(source, target, mapping, self.one_grammar, self.with_links)
        grounds = [g for g in source.grounds if all(x in source.derivable for x in g.antecedents)]
        for ground in self._watched(grounds, source.n):
            step = mapped.step_of(ground)
            if step is None:
                return mapped.break_at(ground)
            self.sequences.add(source, ground, target, step)
        return find_lost_derivation(mapped, self._check_time)


def _size(system: System, ground: Ground) -> tuple[object, ...]:
    """Return the key by which the smallest counterexample is chosen: few facts, few and early items."""
    texts = [system.text(x) for x in (*ground.antecedents, ground.consequent)]
    order = tuple(system.chart.order(x) for x in ground.antecedents)
    return len(ground.facts), len(ground.antecedents), sum(map(len, texts)), order, ground.case


STEP_KINDS: tuple[StepKind, ...] = tuple(kind for kind in KINDS if kind not in CHAINS)  # type: ignore[misc]


def check_kind(kind: str) -> StepKind:
    """Return a kind that a relation of two schemata can be of.

    Raises
    ------
    UsageError : there is no such kind.
    """
    from schemata.errors import did_you_mean

    for known in STEP_KINDS:
        if kind == known:
            return known
    raise UsageError(
        f"there is no relation of kind {kind!r}",
        code="unknown-kind",
        expected=", ".join(STEP_KINDS),
        hint=did_you_mean(kind, STEP_KINDS) or _spelt_out(kind),
    )


def _spelt_out(kind: str) -> str | None:
    """Return a hint for the letters that papers write over arrows: sr, df."""
    known = {"".join(word[0] for word in one.split("-")): one for one in STEP_KINDS}
    return f"did you mean {known[kind]}?" if kind in known else None


def shipped_claims(first: m.Schema, second: m.Schema) -> Iterator[Relation]:
    """Yield the claims of shipped relation files about two schemata, and those read from the second to the first.

    A claim of a kind without an inverse is turned into one of no kind: its maps can be read backwards all the same.
    """
    for name, text in _texts().items():
        if first.name not in text or second.name not in text:
            continue  # reading a file with all its schemata takes long
        for claim in _claims(name):
            for one in (claim, inverse(claim) or _turned(claim)):
                if (one.first, one.second) == (first, second):
                    yield one


def _turned(claim: Relation) -> Relation:
    maps = tuple(replace(one, reversed=not one.reversed) for one in claim.maps)
    return replace(claim, first=claim.second, second=claim.first, kind=None, maps=maps, through=())


@cache
def _texts() -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in shipped_relations().items()}


@cache
def _claims(name: str) -> tuple[Relation, ...]:
    return load_relation(name).relations


def decide_claim(
    claim: Relation, max_n: int, *, systems: SharedSystems | None = None, watch: Watcher | None = None
) -> tuple[Answer, ...]:
    """Decide what a relation file claims.

    Returns
    -------
    The answer; for a chain one for each of its parts, that of the strongest kind that holds, or the last one
    tried where none does.

    Raises
    ------
    UsageError : the claim names no kind; see also `decide`.
    """
    if claim.kind is None:
        raise UsageError(f"the relation {claim.name} claims no kind")
    found: list[Answer] = []
    for part in chain_parts(claim):
        answer: Answer | None = None
        for relation in part:
            assert relation.kind is not None
            answer = decide(relation, check_kind(relation.kind), max_n, systems=systems, watch=watch)
            if answer.holds or answer.stopped:
                break
        if answer is None:
            first, second = reference_of(claim.first), reference_of(claim.second)
            raise UsageError(
                f"items of {first} and {second} correspond in no way that is known for a part of the chain",
                code="no-correspondence",
                hint="write relation files for its parts",
            )
        found.append(answer)
    return tuple(found)
