"""Item refinement: a mapping of items that carries derivations over, onto the derivations of the coarser schema.

The finer schema's items are mapped onto the coarser one's. Two things are asked. Every step of the finer one
becomes a step of the coarser one, or none at all if its consequent becomes one of its antecedents or a hypothesis.
And every derivation of the coarser one is the image of one of the finer one. The second is about whole
derivations: each step may have a counterpart though no counterparts fit together (`preimages`).

Between D-rules and dependency rules whole grammars are tried, a few rules at a time: every word is of a category of
its own, and exactly those links are licensed that a rule allows (`links from rules`).
"""

from __future__ import annotations

import itertools
import time

from schemata.analysis.relations.answers import Answer, Counterexample, Extent
from schemata.analysis.relations.bench import Workbench, limits_of, reference_of, rules_text
from schemata.analysis.relations.correspondence import correspondence
from schemata.analysis.relations.course import OverTimeError, Watcher, check_grammars, guarded, map_texts
from schemata.analysis.relations.effects import builds_by_heads
from schemata.analysis.relations.preimages import Mapped, no_image
from schemata.analysis.relations.sequences import Sequences, applied
from schemata.analysis.relations.steps import fact_text
from schemata.analysis.relations.systems import Ground
from schemata.analysis.relations.universe import Facts, Universe, word_universe
from schemata.language.relation_model import Relation, StepKind

__all__ = ["decide_items"]

_RULES = 3  # rules of a grammar tried between kinds of grammar


def decide_items(relation: Relation, kind: StepKind, max_n: int, bench: Workbench, watch: Watcher) -> Answer:
    """Decide an item refinement or contraction; see `relate.decide`."""
    return _ItemDecision(relation, kind, max_n, bench, watch).run()


class _ItemDecision:
    """The course of one decision by whole derivations."""

    def __init__(
        self, relation: Relation, kind: StepKind, max_n: int, bench: Workbench, watch: Watcher
    ) -> None:
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
        broken, stopped = guarded(self._lengths)
        universe = self._universes(max(self.done, 1))[0]
        rules = rules_text(universe, self.bench.rule_length) if self.shared else None
        notes = limits_of(self.fine, self.coarse, self.with_links)
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
        if no_image(mapped, "stepwise") is None:
            return None
        found = no_image(mapped, "counted")
        if found is None:
            return None
        return self._no_image(mapped, found, frozenset(fact for ground in found for fact in ground.facts))

    def _by_grammars(self, mapped: Mapped) -> Counterexample | None:
        """Try grammars of a few rules, the smallest first."""
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
                found = no_image(
                    mapped,
                    "given",
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
