"""Item refinement: a mapping of items that carries derivations over, onto the derivations of the coarser schema.

The finer schema's items are mapped onto the coarser one's. Two things are asked. Every step of the finer one
becomes a step of the coarser one, or none at all if its consequent becomes one of its antecedents or a hypothesis.
And every derivation of the coarser one is the image of one of the finer one. The second is about whole
derivations: each step may have a counterpart though no counterparts fit together. It is decided by going through
pairs of a coarse item and the set of finer items that can stand for it at the end of some derivation: a derivation
whose set is empty is no image. Derivations with equal sets need not be told apart, so these pairs are finitely
many, as when a tree automaton is made deterministic.

Over one kind of grammar, a finer step may stand for a coarser one if it asks the grammar for no more. Between
D-rules and dependency rules whole grammars are tried, a few rules at a time: every word is of a category of its
own, and exactly those links are licensed that a rule allows (`links from rules`).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from schemata.analysis.relations.answers import Answer, Counterexample, Extent
from schemata.analysis.relations.correspondence import Correspondence, correspondence
from schemata.analysis.relations.effects import NOTHING, Effect, builds_by_heads, effect_of, given_effect
from schemata.analysis.relations.emulation import SearchTooLongError
from schemata.analysis.relations.sequences import Sequences, applied, in_order
from schemata.analysis.relations.steps import fact_text
from schemata.analysis.relations.systems import Ground, System
from schemata.analysis.relations.universe import Facts, Universe, word_universe
from schemata.language.relation_model import Relation, StepKind

if TYPE_CHECKING:
    from schemata.analysis.relations.relate import Watcher, Workbench

__all__ = ["Mapped", "decide_items"]

_MOST = 200_000  # pairs of an item and a set
_RULES = 3  # rules of a grammar tried between kinds of grammar

State: TypeAlias = tuple[int, frozenset[int]]


@dataclass(frozen=True)
class Mapped:
    """Two systems of one length and the mapping from the finer one's items to the coarser one's.

    Attributes
    ----------
    fine, coarse : the systems.
    mapping : from the items of `fine`.
    shared : whether both are over one kind of grammar, so that facts compare.
    with_links : whether what steps build is compared.
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
        """Whether a finer step counts as none."""
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

    def _built(self, ground: Ground, other: Ground) -> bool:
        """Whether a finer step builds what a coarser one does."""
        by_heads = builds_by_heads(self.coarse.schema)

        def part(image: int | None) -> Effect:
            if image is None or self.coarse.is_hypothesis(image):
                return NOTHING
            return given_effect(image, by_heads)

        own = [part(self.mapping.image.get(x)) for x in ground.antecedents]
        finer = effect_of(self.fine.case_of(ground), own, ground.links, ground.head, by_heads)
        parts = [part(x) for x in other.antecedents]
        coarser = effect_of(self.coarse.case_of(other), parts, other.links, other.head, by_heads)
        return finer == coarser

    def allows(self, ground: Ground, other: Ground) -> bool:
        """Whether a finer step asks the grammar for no more than a coarser one."""
        return not self.shared or ground.facts <= other.facts

    def step_of(self, ground: Ground) -> tuple[Ground, ...] | None:
        """Return the coarser step that a finer one is carried to, nothing if it is silent; None if there is none."""
        if self.is_silent(ground):
            return ()
        own = self.fine.case_of(ground).step
        makers = (
            self.coarse.grounds[k]
            for k in self.coarse.producers.get(self.mapping.image[ground.consequent], ())
        )
        for other in sorted(makers, key=lambda g: self.coarse.case_of(g).step != own):
            if self.same(ground, other) and (not self.shared or other.facts <= ground.facts):
                return (other,)
        return None

    def no_image(
        self, fine: Callable[[Facts], bool] | None, coarse: Callable[[Facts], bool]
    ) -> tuple[Ground, ...] | None:
        """Return a derivation of the coarser schema that is no image of one of the finer; None if all are.

        Parameters
        ----------
        fine, coarse : the grammars as tests of facts; without one for the finer schema each step of it may ask
            for what the coarser step asks for.

        Raises
        ------
        SearchTooLongError : there are too many pairs.
        """
        return _Search(self, fine, coarse).run()


class _Search:
    """The pairs of a coarse item and a set of finer items, and how each was reached."""

    def __init__(
        self, mapped: Mapped, fine: Callable[[Facts], bool] | None, coarse: Callable[[Facts], bool]
    ) -> None:
        self.mapped = mapped
        image = mapped.mapping.image
        self.coarse = [g for g in mapped.coarse.grounds if coarse(g.facts)]
        allowed = [
            g for g in mapped.fine.grounds if g.consequent in image and (fine is None or fine(g.facts))
        ]
        self.silent = [g for g in allowed if mapped.is_silent(g)]
        self.makers: dict[int, list[Ground]] = {}
        for ground in allowed:
            if not mapped.is_silent(ground):
                self.makers.setdefault(image[ground.consequent], []).append(ground)
        self.there = mapped.fine.closure(mapped.fine.hypotheses, fine or (lambda facts: True))
        self.local = fine is None
        self.below: dict[State, tuple[Ground, tuple[State, ...]] | None] = {}
        self.states: dict[int, list[State]] = {}

    def run(self) -> tuple[Ground, ...] | None:
        """Go through the pairs in order of discovery."""
        coarse = self.mapped.coarse
        uses: dict[int, list[Ground]] = {}
        for ground in self.coarse:
            for item in set(ground.antecedents):
                uses.setdefault(item, []).append(ground)
        waiting: list[State] = []
        for item in coarse.hypotheses:
            state = item, self.closed(item, frozenset(self._given(item)))
            self._enter(state, None, waiting)
        for ground in self.coarse:
            if not ground.antecedents:
                failing = self._apply(ground, (), waiting)
                if failing is not None:
                    return failing
        for state in waiting:
            for ground in uses.get(state[0], ()):
                ways = [self.states.get(x, []) for x in ground.antecedents]
                for chosen in itertools.product(*ways):
                    if state in chosen:
                        failing = self._apply(ground, chosen, waiting)
                        if failing is not None:
                            return failing
        return None

    def _given(self, item: int) -> Iterator[int]:
        """Yield the finer hypotheses that stand for a coarser one."""
        image = self.mapped.mapping.image
        yield from (x for x in self.mapped.fine.hypotheses if image.get(x) == item)

    def _apply(
        self, ground: Ground, chosen: tuple[State, ...], waiting: list[State]
    ) -> tuple[Ground, ...] | None:
        """Apply a coarser step; returns the derivation if no finer step stands for it."""
        found = set()
        for own in self.makers.get(ground.consequent, ()):
            allowed = not self.local or self.mapped.allows(own, ground)
            if allowed and self.mapped.same(own, ground) and self._is_there(own, dict(chosen)):
                found.add(own.consequent)
        state = ground.consequent, self.closed(ground.consequent, frozenset(found))
        if not state[1]:
            return self._derivation(ground, chosen)
        self._enter(state, (ground, chosen), waiting)
        return None

    def _is_there(self, own: Ground, sets: dict[int, frozenset[int]]) -> bool:
        """Whether a finer step's antecedents are in the sets of their images."""
        fine, image = self.mapped.fine, self.mapped.mapping.image
        for item in own.antecedents:
            over = image.get(item)
            if over is None or fine.is_hypothesis(item):
                continue
            if over in sets:
                if item not in sets[over]:
                    return False
            elif item not in self._of_hypothesis(over):
                return False
        return True

    def _of_hypothesis(self, item: int) -> frozenset[int]:
        return next((found for one, found in self.states.get(item, ()) if one == item), frozenset())

    def closed(self, item: int, found: frozenset[int]) -> frozenset[int]:
        """Return a set with all that silent steps make of it."""
        image = self.mapped.mapping.image
        fine = self.mapped.fine
        reached = set(found)
        grew = True
        while grew:
            grew = False
            for ground in self.silent:
                made = ground.consequent
                if image[made] != item or made in reached:
                    continue
                own = [x for x in ground.antecedents if image.get(x) == item and not fine.is_hypothesis(x)]
                if self.mapped.coarse.is_hypothesis(item) and not own:
                    fits = all(x in self.there for x in ground.antecedents)
                else:
                    fits = any(x in reached for x in own) and all(x in self.there for x in ground.antecedents)
                if self.local and not self._asks_nothing(ground):
                    fits = False
                if fits:
                    reached.add(made)
                    grew = True
        return frozenset(reached)

    def _asks_nothing(self, ground: Ground) -> bool:
        """Whether a silent step asks the grammar for no more than its items do."""
        facts = self.mapped.fine.facts_of
        spoken: Facts = frozenset().union(*(facts(x) for x in (ground.consequent, *ground.antecedents)))
        return ground.facts <= spoken

    def _enter(
        self, state: State, origin: tuple[Ground, tuple[State, ...]] | None, waiting: list[State]
    ) -> None:
        if state not in self.below:
            if len(self.below) >= _MOST:
                raise SearchTooLongError
            self.below[state] = origin
            self.states.setdefault(state[0], []).append(state)
            waiting.append(state)

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


# The decision ---------------------------------------------------------------------------------------------------


def decide_items(relation: Relation, kind: StepKind, max_n: int, bench: Workbench, watch: Watcher) -> Answer:
    """Decide an item refinement or contraction; see `relate.decide`."""
    return _ItemDecision(relation, kind, max_n, bench, watch).run()


class _ItemDecision:
    """The course of one decision by whole derivations."""

    def __init__(
        self, relation: Relation, kind: StepKind, max_n: int, bench: Workbench, watch: Watcher
    ) -> None:
        from schemata.analysis.relations.relate import check_grammars, reference_of

        self.relation, self.kind, self.max_n, self.bench, self.watch = relation, kind, max_n, bench, watch
        self.forward = kind == "item-contraction"
        first, second = relation.first, relation.second
        self.fine, self.coarse = (first, second) if self.forward else (second, first)
        self.shared = first.grammar == second.grammar
        if not self.shared and (self.coarse.grammar, self.fine.grammar) != ("d-rules", "dependency-rules"):
            check_grammars(first, second, kind)
        self.with_links = builds_by_heads(first) == builds_by_heads(second)
        self.sequences = Sequences(self.fine, reference_of(self.fine), reference_of(self.coarse))
        self.done = self.items = self.instances = 0
        self.end = time.monotonic() + bench.budget.seconds

    def run(self) -> Answer:
        """Go through the lengths."""
        from schemata.analysis.relations.relate import guarded, map_texts, reference_of, rules_text

        broken, stopped = guarded(self._lengths)
        universe = self._universes(max(self.done, 1))[0]
        rules = rules_text(universe, self.bench.rule_length) if self.shared else None
        notes = (
            []
            if self.with_links
            else ["links are not compared: one schema builds by positions, one by heads"]
        )
        if not self.shared:
            notes.append(
                f"grammars of up to {_RULES} rules, every word of its own category; the links that a rule allows "
                "are licensed, and no others"
            )
        return Answer(
            reference_of(self.relation.first),
            reference_of(self.relation.second),
            self.kind,
            None if stopped else broken is None,
            Extent(self.done, self.items, self.instances, rules),
            self.sequences.witnesses() if broken is None else (),
            broken,
            map_texts(self.relation),
            tuple(notes),
            stopped,
        )

    def _lengths(self) -> Counterexample | None:
        for n in range(1, self.max_n + 1):
            broken = self._at_length(n)
            if broken is not None:
                return broken
            self.done = n
        return None

    def _universes(self, n: int) -> tuple[Universe, Universe]:
        """Return the grammars of everything for the finer and the coarser schema."""
        if self.shared:
            universe = self.bench.universe(self.fine, self.coarse, n)
            return universe, universe
        return word_universe(n, self.bench.rule_length), self.bench.universe(self.coarse, self.coarse, n)

    def _at_length(self, n: int) -> Counterexample | None:
        """Check one length."""
        above, below = self._universes(n)
        fine, coarse = self.bench.system(self.fine, above), self.bench.system(self.coarse, below)
        mapping = correspondence(self.relation, fine, coarse, self.forward)
        if mapping.misfits:
            return Counterexample(n, mapping.misfits[0].reason)
        reached = set(mapping.image.values())
        lost = [x for x in coarse.items if x not in reached]
        if lost:
            return Counterexample(n, f"no item of {self.fine.name} is carried to {coarse.text(lost[0])}")
        mapped = Mapped(fine, coarse, mapping, self.shared, self.with_links)
        broken = self._steps(mapped)
        if broken is None:
            broken = self._derivations(mapped)
        if broken is None:
            self.items += len(fine.items)
            self.instances += len({ground.row for ground in fine.grounds})
        return broken

    def _steps(self, mapped: Mapped) -> Counterexample | None:
        """Look for a step of the finer schema, in some derivation, that becomes none of the coarser."""
        from schemata.analysis.relations.relate import OverTimeError

        fine, coarse = mapped.fine, mapped.coarse
        grounds = [g for g in fine.grounds if all(x in fine.derivable for x in g.antecedents)]
        for k, ground in enumerate(self.watch(grounds, len(grounds), f"{fine.n} words")):
            if not k % 64 and time.monotonic() > self.end:
                raise OverTimeError
            step = mapped.step_of(ground)
            if step is None:
                above = ", ".join(coarse.text(x) for x in mapped.mapping.of(ground.antecedents))
                target = coarse.text(mapped.mapping.image[ground.consequent])
                reason = f"{coarse.schema.name} has no step from {above or 'nothing'} to {target}"
                facts = tuple(fact_text(f) for f in sorted(ground.facts, key=repr))
                return Counterexample(fine.n, reason, applied(fine, ground), grammar=facts)
            self.sequences.add(fine, ground, coarse, step)
        return None

    def _derivations(self, mapped: Mapped) -> Counterexample | None:
        """Look for a derivation of the coarser schema that is no image."""
        if not self.shared:
            return self._by_grammars(mapped)
        found = mapped.no_image(None, lambda facts: True)
        if found is None:
            return None
        # The finer schema's steps may ask for anything that the derivation has asked for somewhere.
        facts = frozenset(fact for ground in found for fact in ground.facts)
        again = mapped.no_image(lambda asked: asked <= facts, lambda asked: asked <= facts)
        if again is None:
            raise SearchTooLongError
        return self._no_image(mapped, again, facts)

    def _by_grammars(self, mapped: Mapped) -> Counterexample | None:
        """Try grammars of a few rules, the smallest first."""
        from schemata.analysis.relations.relate import OverTimeError

        rules = sorted({fact for g in mapped.fine.grounds for fact in g.facts if fact[0] == "rule"})
        words = {f"w{i}": i for i in range(1, mapped.fine.n + 1)}
        for size in range(1, min(_RULES, len(rules)) + 1):
            for chosen in itertools.combinations(rules, size):
                if time.monotonic() > self.end:
                    raise OverTimeError
                grammar = frozenset(chosen)
                links = frozenset(
                    ("link", words[symbol], words[lhs])
                    for _, lhs, body in chosen
                    for symbol in body
                    if symbol in words
                )
                found = mapped.no_image(
                    lambda asked, grammar=grammar: all(f[0] != "rule" or f in grammar for f in asked),  # type: ignore[misc]
                    lambda asked, links=links: asked <= links,  # type: ignore[misc]
                )
                if found is not None:
                    return self._no_image(mapped, found, grammar | links)
        return None

    def _no_image(self, mapped: Mapped, found: tuple[Ground, ...], facts: Facts) -> Counterexample:
        coarse = mapped.coarse
        last = coarse.text(found[-1].consequent)
        reason = f"a derivation of {last} by {coarse.schema.name} is the image of none by {self.fine.name}"
        return Counterexample(
            coarse.n,
            reason,
            grammar=tuple(fact_text(f) for f in sorted(facts, key=repr)),
            derivation=tuple(applied(coarse, ground) for ground in found),
        )
