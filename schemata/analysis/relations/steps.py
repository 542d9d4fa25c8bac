"""Whether the steps of one system are emulated by derivations of another, or are steps of the other.

Three measures, one for each kind of relation that speaks of single steps: *emulated* (step refinement), *contained*
(dynamic filter: the other has a step with the same consequent and no further antecedents), *included* (static
filter: the other has the very step). Hypotheses are there in any case, so they do not count as antecedents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from schemata.analysis.relations.answers import Applied, Counterexample
from schemata.analysis.relations.correspondence import Correspondence, Misfit
from schemata.analysis.relations.effects import Effect, builds_by_heads, effect_of, given_effect
from schemata.analysis.relations.emulation import Emulator
from schemata.analysis.relations.sequences import applied
from schemata.analysis.relations.systems import Ground, System
from schemata.analysis.relations.universe import Fact

__all__ = ["Measure", "StepCheck", "fact_text", "find_misfit"]

Measure: TypeAlias = Literal["emulated", "contained", "included"]

_SHOWN = 8  # items derivable instead


def find_misfit(source: System, target: System, mapping: Correspondence) -> Misfit | None:
    """Return the first item that keeps one system's items from being among the other's; None if all are."""
    found = (*mapping.misfits, *mapping.twins)
    return min(found, key=lambda m: source.chart.order(m.item), default=None)


def fact_text(fact: Fact) -> str:
    """Return a fact of a grammar as text.

    >>> fact_text(("link", 1, 2)), fact_text(("rule", "A", ("B1", "^")))
    ('1 may hang under 2', 'rule A(B1 ^)')
    """
    match fact:
        case ("link", d, h):
            return f"{d} may hang under {h}"
        case ("rule", lhs, body):
            return f"rule {lhs}({' '.join(body)})"
        case ("category", word, name):
            return f"word {word} is of category {name}"
        case ("disjunct", name):
            return f"disjunct {name}"
        case ("match", left, _, place, right, _, other):
            return f"right connector {place + 1} of w{left} matches left connector {other + 1} of w{right}"
    return f"root {fact[1]}"


@dataclass(frozen=True)
class StepCheck:
    """Checks the steps of `source` against `target`, whose items correspond by `mapping`.

    Attributes
    ----------
    source, target : ground systems of one length.
    mapping : from the items of the source to those of the target.
    measure : what is asked of each step.
    emulator : the search in the target.
    strict : whether what the antecedents themselves have built has to become part of what is derived, as it does
        in the instance.
    """

    source: System
    target: System
    mapping: Correspondence
    measure: Measure
    emulator: Emulator
    strict: bool = False

    @classmethod
    def of(
        cls,
        source: System,
        target: System,
        mapping: Correspondence,
        measure: Measure,
        strict: bool = False,
    ) -> StepCheck:
        """Return a check; links are compared unless one schema builds by heads and the other does not."""
        same = builds_by_heads(source.schema) == builds_by_heads(target.schema)
        return cls(source, target, mapping, measure, Emulator(target, same), strict)

    @property
    def with_links(self) -> bool:
        """Whether what is built is compared."""
        return self.emulator.with_links

    def stand_in(self, ground: Ground) -> tuple[Ground, ...] | None:
        """Return the steps of the target that stand for an instance of the source; None where there are none.

        A single step comes before a sequence, and of single steps one of the same name.

        Raises
        ------
        SearchTooLongError : the search for an emulation was given up.
        """
        image = self.mapping.image
        target = image.get(ground.consequent)
        if target is None or any(a not in image for a in self._items(ground.antecedents)):
            return None
        given, wanted = self._given(ground)
        own = self.source.case_of(ground).step
        makers = (self.target.grounds[number] for number in self.target.producers.get(target, ()))
        for other in sorted(makers, key=lambda other: self.target.case_of(other).step != own):
            if not other.facts <= ground.facts or not self._fits(other, given):
                continue
            if not self.with_links or self._effect(other, given) == wanted:
                return (other,)
        if self.measure != "emulated":
            return None
        return self.emulator.shortest(given, target, wanted, ground.facts)

    def _items(self, items: Sequence[int]) -> tuple[int, ...]:
        """Return the items that are no hypotheses, each once."""
        return tuple(x for x in dict.fromkeys(items) if not self.source.is_hypothesis(x))

    def _given(self, ground: Ground) -> tuple[dict[int, Effect], Effect]:
        """Return the images of the antecedents with their effects, and what the instance builds."""
        by_heads = self.emulator.by_heads
        own = {
            x: given_effect(k, by_heads, self.strict) if not self.source.is_hypothesis(x) else Effect()
            for k, x in enumerate(dict.fromkeys(ground.antecedents))
        }
        parts = [own[x] for x in ground.antecedents]
        case = self.source.case_of(ground)
        wanted = effect_of(case, parts, ground.links, ground.head, by_heads)
        return {self.mapping.image[x]: own[x] for x in self._items(ground.antecedents)}, wanted

    def _fits(self, other: Ground, given: dict[int, Effect]) -> bool:
        """Whether an instance of the target has the antecedents that the measure allows."""
        used = {x for x in other.antecedents if not self.target.is_hypothesis(x)}
        wanted = {x for x in given if not self.target.is_hypothesis(x)}
        return used == wanted if self.measure == "included" else used <= wanted

    def _effect(self, other: Ground, given: dict[int, Effect]) -> Effect:
        parts = [given.get(x, Effect()) for x in other.antecedents]
        case = self.target.case_of(other)
        return effect_of(case, parts, other.links, other.head, self.emulator.by_heads)

    def break_at(self, ground: Ground) -> Counterexample:
        """Return the counterexample that an instance is for which nothing stands."""
        image = self.mapping.image
        lost = [x for x in (*self._items(ground.antecedents), ground.consequent) if x not in image]
        shown = applied(self.source, ground)
        grammar = tuple(fact_text(f) for f in sorted(ground.facts, key=repr))
        by = self.target.schema.name
        if lost:
            reason = f"{self.source.text(lost[0])} corresponds to no item of {by}"
            return Counterexample(self.source.n, reason, shown, None, grammar)
        target = image[ground.consequent]
        given = [image[x] for x in dict.fromkeys(ground.antecedents) if x in image]
        texts = tuple(self.target.text(x) for x in given)
        wanted = Applied(shown.step, texts, self.target.text(target), ground.links)
        start = (*self.target.hypotheses, *given)
        reached = self.target.closure(start, lambda facts: facts <= ground.facts)
        before = self.target.closure(self.target.hypotheses, lambda facts: facts <= ground.facts)
        instead = [x for x in reached if x not in before and x not in given]
        instead.sort(key=lambda x: (_distance(self.target, x, target), self.target.chart.order(x)))
        if self.measure != "emulated":
            kind = "with these antecedents" if self.measure == "included" else "with no other antecedents"
            reason = f"no step of {by} makes {wanted.consequent} {kind}"
            made = [
                g
                for n in self.target.producers.get(target, ())
                if (g := self.target.grounds[n]).facts <= ground.facts
            ]
            if any(self._fits(g, dict.fromkeys(given, Effect())) for g in made):
                reason = f"no step of {by} makes {wanted.consequent} of them and builds the same"
        elif target in reached:
            reason = f"{by} derives {wanted.consequent} from these items, but never builds the same links"
        else:
            reason = f"{by} does not derive {wanted.consequent} from these items"
        return Counterexample(
            self.source.n,
            reason,
            shown,
            wanted,
            grammar,
            tuple(self.target.text(x) for x in instead[:_SHOWN]),
        )


def _distance(system: System, one: int, other: int) -> int:
    """Return in how many fields two items differ; items of other forms are further away."""
    raw = system.chart.raw
    if raw.form_of[one] != raw.form_of[other]:
        return 100
    return sum(a != b for a, b in zip(raw.values[one], raw.values[other], strict=True))
