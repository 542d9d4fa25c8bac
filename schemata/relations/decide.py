"""Decides whether a relation holds, length by length, and collects the evidence.

The kinds differ in the schema whose steps are decided (P is the first schema, Q the second one):

- step refinement P to Q: items of P are items of Q; every step of P is emulated in Q. Step contraction is
  the same with P and Q exchanged.
- static filter P to Q: items of Q are items of P; every step of Q is a step of P. Dynamic filter: every step
  of Q contains one of P. The antecedents a filter may add are items like any others; a context antecedent counts.
  Where the maps forget a field, several items of Q may be one of P: Q distinguishes them to apply fewer steps.
- item refinement P to Q, and item contraction with P and Q exchanged: a mapping of items carries derivations over,
  onto the derivations of the coarser schema.

The finer schema's items are mapped onto the coarser one's. There are two conditions. Every step of the finer schema
becomes a step of the coarser one, or none at all if its consequent becomes one of its antecedents or a hypothesis.
And every derivation of the coarser schema is the image of one of the finer schema. The second condition is about
whole derivations: each step may have a counterpart though no counterparts fit together.

Between D-rules and dependency rules whole grammars are tried, a few rules at a time: every word is of a category of
its own, and exactly those links are licensed that a rule allows (`links from rules`).

The search for a derivation that is not an image goes through the outcomes of derivations of the coarser schema: an
item, and the set of finer items that can stand for it there. A derivation whose set is empty is not an image.
Derivations with the same outcome need no distinction, so there are finitely many, as when a tree automaton is made
deterministic.

The finer derivation may need no more facts of the grammar than the coarser one. Under a given grammar both may use
all of it. Else the facts needed are counted along with the items: a finer item stands for a coarser one if the
coarser derivation has needed all facts that the finer one needed.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from schemata.budget import OverBudget
from schemata.engine.exceeded import stopped
from schemata.errors import UsageError, require_number
from schemata.kinds import D_RULES, DEPENDENCY_RULES
from schemata.language import model as m
from schemata.language.relation_model import INTO_FIRST, Relation, StepKind
from schemata.language.typeset import reference_of
from schemata.order.logic import SolverFailed
from schemata.program.linear import Affine, Linear, solved, variable
from schemata.records import Record
from schemata.relations.answers import Answer, CheckExtent, Counterexample, WitnessSearch, applied, in_order
from schemata.relations.certificate import (
    BY_STEPS,
    CaseWays,
    ImagePlace,
    ImageRule,
    NotProvedError,
    RelationCertificate,
    RelationChecker,
    SymbolicItem,
    Way,
    WayStep,
    equal,
)
from schemata.relations.emulation import (
    NOTHING,
    Effect,
    EmulationMeasure,
    StepCheck,
    assignments,
    builds_by_heads,
    effect_of,
    facts_text,
    find_misfit,
    given_effect,
    knowledge,
)
from schemata.relations.mapping import Correspondence, correspondence, forgotten_fields, map_text
from schemata.relations.systems import Ground, SharedSystems, System, by_antecedent, limits_of, rules_text
from schemata.relations.universe import GroundFacts, Universe, word_universe
from schemata.thresholds import EFFORTS

# Proofs for every n --------------------------------------------------------------------------------------------
#
# What emulates an instance of a short sentence is forgotten but for the steps and where their antecedents come from.
# The rest is solved for: which values the variables of the steps have, in terms of those of the step that is
# emulated. `certificate` judges what comes of it, so that nothing here needs to be trusted.

Sketch: TypeAlias = tuple[tuple[tuple[int, tuple[ImagePlace, ...]], ...], ImagePlace]
"""The steps of an emulation, each by the number of its case with where its antecedents come from, and where the result
comes from. An antecedent of the emulated step may be a hypothesis."""


def sketched(
    source: System, ground: Ground, target: System, emulation: Sequence[Ground], mapping: Correspondence
) -> Sketch:
    """Return the conclusions from an emulation of an instance about those of longer sentences."""
    given: dict[int, int] = {}
    for k, item in enumerate(ground.antecedents):
        if item in mapping.image:
            given.setdefault(mapping.image[item], k)
    made: dict[int, int] = {}

    def place(item: int) -> ImagePlace:
        return given.get(item) if target.is_hypothesis(item) else made.get(item, given.get(item))

    steps = []
    for number, one in enumerate(emulation):
        steps.append((one.case, tuple(map(place, one.antecedents))))
        made[one.consequent] = -1 - number
    return tuple(steps), place(mapping.image[ground.consequent])


def lifted(
    relation: Relation, kind: StepKind, sketches: dict[int, dict[Sketch, None]]
) -> tuple[RelationCertificate | None, str, int | None]:
    """Return a certificate that a relation holds for every n; or None, why none is found, and an n that may refute it.

    Parameters
    ----------
    relation, kind : as `RelationChecker` takes them.
    sketches : of every case of the source, by its number.
    """
    try:
        checker = RelationChecker(relation, kind)
        found: CaseWays = {}
        for case in checker.cases():
            ways: list[Way] = []
            tried = dict.fromkeys((*sketches.get(case.rule.case, ()), *_alike(checker, case)))
            for way in (way for sketch in tried for way in _filled(checker, case, sketch)):
                if checker.gap(case, ways) is None:
                    break
                if checker.solver.possible(case.assumed, checker.formula(case, way)):
                    ways.append(way)
            checker.prove(case, ways)
            found[case.key] = tuple(ways)
    except (NotProvedError, SolverFailed) as failure:
        return None, str(failure), getattr(failure, "n", None)
    return RelationCertificate(found), "", None


def _alike(checker: RelationChecker, case: ImageRule) -> Iterator[Sketch]:
    """Yield single steps, those of the same name first: a rule may have no instance among the lengths tried."""
    name = checker.source.schema.cases[case.rule.case].step
    above = tuple(range(len(case.items) - 1))
    found = [(k, x) for k, x in enumerate(checker.target.schema.cases) if len(x.antecedents) == len(above)]
    for number, _ in sorted(found, key=lambda one: one[1].step != name):
        yield ((number, above),), -1


def _filled(checker: RelationChecker, case: ImageRule, sketch: Sketch) -> Iterator[Way]:
    """Yield the ways of a sketch: rules for its steps, and values of their variables."""
    target = checker.target
    images = list(case.images)
    for k, image in enumerate(images):
        if image is None:
            own = case.items[k]
            images[k] = next((there for _, _, there in checker.carried(own)), own)

    def further(
        steps: tuple[WayStep, ...], made: tuple[SymbolicItem, ...], zero: tuple[Affine, ...]
    ) -> Iterator[Way]:
        k = len(steps)
        if k == len(sketch[0]):
            found = _solved(steps, _come(case, sketch[1]), made, images[-1], zero)
            if found is not None and checker.solver.possible(case.assumed, checker.solver.tests(found[1])):
                yield found[0]
            return
        for rule in target.program.rules:
            if rule.case != sketch[0][k][0]:
                continue
            names = {x: variable(f"{x}'{k}") for x in rule.variables}
            tests = list(zero)
            for atom, place in zip(rule.antecedents, sketch[0][k][1], strict=True):
                item = None if place is None else made[-1 - place] if place < 0 else images[place]
                if item is not None:
                    pairs = equal(target.item(atom.substitute(names)), item)
                    if pairs is None:
                        break
                    tests += [test.left for test in pairs]
            else:
                step = WayStep(
                    rule.number, tuple(_come(case, x) for x in sketch[0][k][1]), tuple(names.items())
                )
                result = target.item(rule.consequent.substitute(names))
                yield from further((*steps, step), (*made, result), tuple(tests))

    return further((), (), ())


def _come(case: ImageRule, place: ImagePlace) -> ImagePlace:
    """Return the origin of an item of a sketch in a case; a hypothesis has no other origin."""
    return None if place is not None and place >= 0 and case.images[place] is None else place


def _solved(
    steps: Sequence[WayStep],
    result: ImagePlace,
    made: Sequence[SymbolicItem],
    image: SymbolicItem | None,
    zero: Sequence[Affine],
) -> tuple[Way, list[Linear]] | None:
    """Return a way with the values of its variables, and the conditions still open; None if the values are not
    determined.
    """
    names = [name for step in steps for _, term in step.values for name in term.names]
    values, rest = solved(zero, names)
    if result is not None and result < 0 and image is not None and any(x not in values for x in names):
        values, rest = solved((*zero, *(test.left for test in equal(made[-1 - result], image) or ())), names)
    if any(x not in values or {*values[x].names} & {*names} for x in names):
        return None
    filled = (replace(s, values=tuple((x, t.substitute(values)) for x, t in s.values)) for s in steps)
    return Way(tuple(filled), result), [Linear("==", left) for left in rest]


# Decisions ------------------------------------------------------------------------------------------------------


def decide(
    relation: Relation,
    kind: StepKind,
    max_n: int,
    *,
    systems: SharedSystems | None = None,
    strict: bool = False,
    lift: bool = False,
) -> Answer:
    """Decide whether a relation holds for all sentences of up to `max_n` words.

    Parameters
    ----------
    relation : the two schemata and the maps between their items; its own kind does not matter here.
    kind : the kind of relation.
    max_n : the number of words, at most.
    systems : kernels and systems to be shared between decisions.
    strict : require of step refinements and filters that an emulation also uses everything that the step's
        antecedents have built. The definitions do not ask for it; without it trees may lose their parts.
    lift : look for a proof for every n, where the relation holds for the lengths gone through.

    Returns
    -------
    The answer; `holds` is None if a budget was hit or Ctrl-C pressed, with the results by then.

    Raises
    ------
    UsageError : the schemata are over different kinds of grammar, or a form has too many items to go through.
    """
    require_number("--max-n", max_n, least=1)
    check_grammars(relation.first, relation.second, kind)
    return _Decision(relation, kind, max_n, systems or SharedSystems(), strict, lift).run()


def check_grammars(first: m.Schema, second: m.Schema, kind: StepKind) -> None:
    """Check that a relation of a kind can be decided between the grammars of two schemata.

    Raises
    ------
    UsageError : the schemata are over different kinds of grammar, and it is not an item refinement of D-rules.
    """
    coarse, fine = (first, second) if kind in INTO_FIRST else (second, first)
    by_rules = (coarse.grammar, fine.grammar) == (D_RULES, DEPENDENCY_RULES) and kind not in BY_STEPS
    if first.grammar != second.grammar and not by_rules:
        raise UsageError(
            f"{first.name} is over {first.grammar} and {second.name} over {second.grammar}",
            code="other-grammars",
            expected=f"two schemata over one kind of grammar, for a {kind.replace('-', ' ')}",
            hint="an item refinement can be asked about for D-rules and dependency rules",
        )


class _Decision:
    """The course of one decision: `source` is the schema whose steps are gone through, `target` the other one."""

    def __init__(
        self, relation: Relation, kind: StepKind, max_n: int, systems: SharedSystems, strict: bool, lift: bool
    ) -> None:
        self.relation, self.kind, self.max_n = relation, kind, max_n
        self.systems, self.strict, self.lift = systems, strict, lift
        self.sketches: dict[int, dict[Sketch, None]] = {}
        self.measure: EmulationMeasure | None
        self.forward, self.measure = BY_STEPS.get(kind, (kind == "item-contraction", None))
        first, second = relation.first, relation.second
        self.source, self.target = (first, second) if self.forward else (second, first)
        self.one_grammar = first.grammar == second.grammar
        self.with_links = builds_by_heads(first) == builds_by_heads(second)
        self.sequences = WitnessSearch(self.source, reference_of(self.source), reference_of(self.target))
        self.done = self.items = self.instances = 0

    def run(self) -> Answer:
        """Go through the lengths; the answer has the reason why the search stopped."""
        broken: Counterexample | None = None

        def work() -> None:
            nonlocal broken
            while self.done < self.max_n and broken is None:
                broken = self._at_length(self.done + 1)
                self.done += broken is None

        started = time.perf_counter()
        reason: str | None = stopped(self.systems.budget, started, work)
        certificate, unproved = None, ""
        if self.lift and not reason and broken is None:
            try:
                certificate, unproved, suspect = self._lifted()
                if suspect is not None and suspect > self.done:
                    broken, said = self._suspected(suspect, started)
                    unproved = "" if broken else f"{unproved}; {said}"
            except KeyboardInterrupt:
                reason, unproved = "interrupt", "the search for a proof was interrupted"
        universe = self._universes(max(self.done, 1))[0]
        rules = rules_text(universe, self.systems.rule_length) if self.one_grammar else None
        notes = limits_of(self.source, self.target, self.with_links)
        if self.measure in ("included", "contained") and (fields := forgotten_fields(self.relation)):
            notes.append(f"items are compared without {', '.join(fields)}")
        if not self.one_grammar:
            notes.append(
                f"grammars of up to {EFFORTS.rules_tried} rules, every word of its own category; the links that a rule "
                "allows are licensed, and no others"
            )
        return Answer(
            reference_of(self.relation.first),
            reference_of(self.relation.second),
            self.kind,
            None if reason and not unproved else broken is None,
            CheckExtent(self.done, self.items, self.instances, rules),
            self.sequences.witnesses() if broken is None else (),
            broken,
            tuple(map_text(self.relation, x) for x in self.relation.maps if x.written),
            tuple(notes),
            reason,
            certificate=certificate,
            unproved=unproved,
        )

    def _lifted(self) -> tuple[RelationCertificate | None, str, int | None]:
        """Return a proof for every n; or the reason why it was not found, and an n that may refute the relation."""
        if self.measure is None:
            return None, "proofs are about relations by single steps", None
        if self.source.grammar != D_RULES:
            return None, "proofs are about schemata over D-rules", None
        return lifted(self.relation, self.kind, self.sketches)

    def _suspected(self, n: int, started: float) -> tuple[Counterexample | None, str]:
        """Return the violation of the definition at a length for which no proof is found, or the result of the
        search there.

        An instance named by the search for a proof need not refute the relation: other steps may emulate it.
        """
        broken: Counterexample | None = None
        counted = self.items, self.instances

        def work() -> None:
            nonlocal broken
            broken = self._at_length(n)

        try:
            reason = stopped(self.systems.budget, started, work)
        except UsageError:  # too many items to go through
            reason = "memory"
        self.items, self.instances = counted
        if reason == "interrupt":
            raise KeyboardInterrupt
        if reason:
            return None, f"whether the relation holds for {n} words was not found within the limits"
        return broken, f"for {n} words it holds"

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
        """Check one length; returns the smallest violation of the definition."""
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
        """Yield instances; the `watch` of the systems, if they have one, observes the progress."""
        watch = self.systems.watch
        yield from watch(grounds, len(grounds), f"{n} words") if watch else grounds

    def _by_steps(self, source: System, target: System, mapping: Correspondence) -> Counterexample | None:
        """Look for an item or a step of the source that has no counterpart."""
        assert self.measure is not None
        misfit = find_misfit(source, mapping, self.measure)
        if misfit is not None:
            return Counterexample(source.n, misfit.reason)
        check = StepCheck(source, target, mapping, self.measure, self.with_links, self.strict)
        failing: list[Ground] = []
        for ground in self._watched(source.grounds, source.n):
            emulation = check.stand_in(ground)
            if emulation is None:
                failing.append(ground)
            elif not failing:
                self.sequences.add(source, ground, target, emulation)
                if self.lift:
                    sketch = sketched(source, ground, target, emulation, mapping)
                    self.sketches.setdefault(ground.case, {})[sketch] = None
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
        # Each derivation is its own image where a schema is related to itself, item by item.
        identity = source is target and all(x == y for x, y in mapping.image.items())
        return None if identity else find_lost_derivation(mapped)


def _size(system: System, ground: Ground) -> tuple[object, ...]:
    """Return the key by which the smallest counterexample is chosen: few facts, few and early items."""
    texts = [system.text(x) for x in (*ground.antecedents, ground.consequent)]
    order = tuple(system.chart.order(x) for x in ground.antecedents)
    return len(ground.facts), len(ground.antecedents), sum(map(len, texts)), order, ground.case


Preimage: TypeAlias = tuple[int, GroundFacts]
State: TypeAlias = tuple[int, GroundFacts, frozenset[Preimage]]

_NONE: GroundFacts = frozenset()


class Mapped(Record, slots=False):
    """Two systems of one length and the mapping from the finer one's items to the coarser one's.

    Attributes
    ----------
    fine, coarse : the systems.
    mapping : from the items of `fine`.
    shared : whether both are over one kind of grammar, so that facts compare.
    with_links : whether the links of steps are compared.
    """

    fine: System
    coarse: System
    mapping: Correspondence
    shared: bool
    with_links: bool

    def essence(self, items: tuple[int, ...]) -> frozenset[int]:
        """Return the images of items, hypotheses of the coarser schema left out."""
        return frozenset(x for x in self.mapping.of(items) if not self.coarse.is_hypothesis(x))

    def is_silent(self, ground: Ground) -> bool:
        """Whether a finer step counts as no coarser step."""
        image = self.mapping.image[ground.consequent]
        return self.coarse.is_hypothesis(image) or image in self.mapping.of(ground.antecedents)

    def same(self, ground: Ground, other: Ground) -> bool:
        """Whether a finer step is carried to a coarser one, whatever the grammar."""
        if self.mapping.image.get(ground.consequent) != other.consequent:
            return False
        above = frozenset(x for x in other.antecedents if not self.coarse.is_hypothesis(x))
        if self.essence(ground.antecedents) != above:
            return False
        return not self.with_links or self._built(ground, other)

    def _built(self, ground: Ground, other: Ground | None) -> bool:
        """Whether a finer step builds the same links as a coarser one; or none, where it counts as no step."""
        by_heads = builds_by_heads(self.coarse.schema)
        image = self.mapping.image
        for known in assignments(self._knowledge, ground.antecedents) if by_heads else ({},):
            parts: dict[int | None, Effect] = {
                image[x]: given_effect(image[x], by_heads, known=known.get(x, True))
                for x in ground.antecedents
                if x in image and not self.coarse.is_hypothesis(image[x])
            }
            own = [parts.get(image.get(x), NOTHING) for x in ground.antecedents]
            finer = effect_of(self.fine, ground, own, by_heads)
            if other is None:
                wanted = parts.get(image[ground.consequent], replace(NOTHING, head=finer.head))
            else:
                above = [parts.get(x, NOTHING) for x in other.antecedents]
                wanted = effect_of(self.coarse, other, above, by_heads)
            if finer != wanted:
                return False
        return True

    @cached_property
    def _knowledge(self) -> Mapping[int, frozenset[bool]]:
        return knowledge(self.fine)

    def step_of(self, ground: Ground) -> tuple[Ground, ...] | None:
        """Return the image of a finer step among the coarser ones: empty if the step is silent, None if it has
        no image.
        """
        if self.is_silent(ground):
            return () if not self.with_links or self._built(ground, None) else None
        own = self.fine.case_of(ground).step
        makers = self.coarse.producers.get(self.mapping.image[ground.consequent], ())
        for other in sorted(makers, key=lambda g: self.coarse.case_of(g).step != own):
            if self.same(ground, other) and (not self.shared or other.facts <= ground.facts):
                return (other,)
        return None

    def break_at(self, ground: Ground) -> Counterexample:
        """Return the counterexample for a finer step that becomes no step of the coarser schema."""
        above = ", ".join(self.coarse.text(x) for x in self.mapping.of(ground.antecedents))
        target = self.coarse.text(self.mapping.image[ground.consequent])
        reason = f"{self.coarse.schema.name} has no step from {above or 'nothing'} to {target}"
        return Counterexample(
            self.fine.n, reason, applied(self.fine, ground), grammar=facts_text(ground.facts)
        )

    def lose(self, derivation: tuple[Ground, ...], facts: GroundFacts) -> Counterexample:
        """Return the counterexample for a coarser derivation that is not an image."""
        last = self.coarse.text(derivation[-1].consequent)
        one, other = self.coarse.schema.name, self.fine.schema.name
        reason = f"a derivation of {last} by {one} is the image of none by {other}"
        steps = tuple(applied(self.coarse, ground) for ground in derivation)
        return Counterexample(self.coarse.n, reason, grammar=facts_text(facts), derivation=steps)


def find_lost_derivation(mapped: Mapped) -> Counterexample | None:
    """Look for a derivation of the coarser schema that is not an image."""
    if not mapped.shared:
        return _try_grammars(mapped)
    found = _OutcomeSearch(mapped).run()
    if found is None:
        return None
    return mapped.lose(found, frozenset(fact for ground in found for fact in ground.facts))


def _try_grammars(mapped: Mapped) -> Counterexample | None:
    """Try grammars of a few rules, the smallest first."""
    rules = sorted({fact for g in mapped.fine.grounds for fact in g.facts if fact[0] == "rule"})
    words = {f"w{i}": i for i in range(1, mapped.fine.n + 1)}
    for size in range(1, min(EFFORTS.rules_tried, len(rules)) + 1):
        for chosen in itertools.combinations(rules, size):
            grammar = frozenset(chosen)
            links = frozenset(
                ("licensed", words[symbol], words[lhs])
                for _, lhs, body in chosen
                for symbol in body
                if symbol in words
            )
            found = _OutcomeSearch(mapped, (grammar, links)).run()
            if found is not None:
                return mapped.lose(found, grammar | links)
    return None


class _OutcomeSearch:
    """The outcomes of derivations of the coarser schema, and the first way to each.

    Parameters
    ----------
    mapped : the two systems.
    given : the grammar, if there is a given one: the rules for the finer schema, the links for the coarser one.
    """

    def __init__(self, mapped: Mapped, given: tuple[GroundFacts, GroundFacts] | None = None) -> None:
        self.mapped, self.counts = mapped, given is None
        self.image = mapped.mapping.image
        rules, links = given or (_NONE, _NONE)

        def fine(asked: GroundFacts) -> bool:
            return self.counts or all(fact[0] != "rule" or fact in rules for fact in asked)

        self.uses = by_antecedent(g for g in mapped.coarse.grounds if self.counts or g.facts <= links)
        allowed = [g for g in mapped.fine.grounds if g.consequent in self.image and fine(g.facts)]
        self.silent: dict[int, list[Ground]] = {}
        self.makers: dict[int, list[Ground]] = {}
        for ground in allowed:
            steps = self.silent if mapped.is_silent(ground) else self.makers
            steps.setdefault(self.image[ground.consequent], []).append(ground)
        self.there = mapped.fine.closure(mapped.fine.hypotheses, fine)
        self.below: dict[State, tuple[Ground, tuple[State, ...]] | None] = {}
        self.states: dict[int, list[State]] = {}
        self.waiting: list[State] = []

    def run(self) -> tuple[Ground, ...] | None:
        """Return a derivation of the coarser schema that is not an image of one of the finer; None if all are.

        Raises
        ------
        OverBudget : derivations have too many different outcomes.
        """
        for item in self.mapped.coarse.hypotheses:
            own = ((x, _NONE) for x in self.mapped.fine.hypotheses if self.image.get(x) == item)
            self._enter((item, _NONE, self._closed(item, own)), None)
        for ground in self.uses.get(-1, ()):
            if (failing := self._apply(ground, ())) is not None:
                return failing
        for state in self.waiting:
            for ground in self.uses.get(state[0], ()):
                for chosen in itertools.product(*(self.states.get(x, ()) for x in ground.antecedents)):
                    if state in chosen and (failing := self._apply(ground, chosen)) is not None:
                        return failing
        return None

    def _apply(self, ground: Ground, chosen: tuple[State, ...]) -> tuple[Ground, ...] | None:
        """Apply a coarser step; returns the derivation if no finer one stands for it."""
        found: set[Preimage] = set()
        sets = {item: preimages for item, _, preimages in chosen}
        for own in self.makers.get(ground.consequent, ()):
            if self.mapped.same(own, ground):
                found.update(self._made(own, sets))
        asked = _NONE
        if self.counts:
            asked = ground.facts.union(*(facts for _, facts, _ in chosen))
        preimages = self._closed(ground.consequent, found)
        if not any(facts <= asked for _, facts in preimages):
            return self._derivation(ground, chosen)
        self._enter((ground.consequent, asked, preimages), (ground, chosen))
        return None

    def _made(self, own: Ground, sets: dict[int, frozenset[Preimage]]) -> Iterator[Preimage]:
        """Yield the consequents of a finer step for preimages of a coarser step's antecedents."""
        ways: list[list[GroundFacts]] = []
        for item in dict.fromkeys(own.antecedents):
            over = self.image.get(item)
            if over is None or self.mapped.fine.is_hypothesis(item):
                continue
            preimages = sets.get(over)
            if preimages is None:
                preimages = self.states[over][0][2] if over in self.states else frozenset()
            ways.append([facts for x, facts in preimages if x == item])
        for choice in itertools.product(*ways):
            yield own.consequent, self._asked(own, choice)

    def _asked(self, own: Ground, below: Iterable[GroundFacts]) -> GroundFacts:
        """Return the facts to be counted for a finer step."""
        return own.facts.union(*below) if self.counts else _NONE

    def _closed(self, item: int, found: Iterable[Preimage]) -> frozenset[Preimage]:
        """Return preimages of an item with those that silent steps derive from them; of each, the ones that need fewest
        facts.
        """
        reached = set(found)
        given = self.mapped.coarse.is_hypothesis(item)
        waiting = True
        while waiting:
            waiting = False
            for ground in self.silent.get(item, ()):
                if not all(x in self.there for x in ground.antecedents):
                    continue
                own = [
                    x
                    for x in ground.antecedents
                    if self.image.get(x) == item and not self.mapped.fine.is_hypothesis(x)
                ]
                starts = [_NONE] if given and not own else [f for x, f in reached if x in own]
                for facts in starts:
                    made = ground.consequent, self._asked(ground, (facts,))
                    if made not in reached:
                        reached.add(made)
                        waiting = True
        return frozenset(
            (x, facts) for x, facts in reached if not any(x == y and less < facts for y, less in reached)
        )

    def _enter(self, state: State, origin: tuple[Ground, tuple[State, ...]] | None) -> None:
        if state not in self.below:
            if len(self.below) >= EFFORTS.outcomes:
                raise OverBudget("steps")
            self.below[state] = origin
            self.states.setdefault(state[0], []).append(state)
            self.waiting.append(state)

    def _derivation(self, ground: Ground, chosen: tuple[State, ...]) -> tuple[Ground, ...]:
        """Return the steps of a derivation, antecedents first, each once."""
        found: dict[Ground, None] = {}

        def visit(state: State) -> None:
            origin = self.below[state]
            if origin is not None:
                for below in origin[1]:
                    visit(below)
                found[origin[0]] = None

        for state in chosen:
            visit(state)
        found[ground] = None
        return in_order(tuple(found))
