"""Emulation: the steps of one system as derivations of another, or as steps of the other.

Three measures, one for each kind of relation that speaks of single steps: *emulated* (step refinement), *contained*
(dynamic filter: the other has a step with the same consequent and no further antecedents), *included* (static
filter: the other has the very step). Hypotheses are there in any case, so they do not count as antecedents.

The structures that derivations build are compared. A derivation starts from given items whose own structure is not
known. It builds links, and it may settle heads: schemata over rules say `head h` and `link head of 2 to head of 1`.
The head of a given item is a node named after the item: a word, where derivations of the item know their head, else
the place of a word for which dependents wait. A step that opens a rule makes a place, too; steps that put two parts
of one rule together make their places one, and a head fills them. Words that are known never become one: of several,
the first heads the result, or the one that the step names. An *effect* is the links between nodes, the nodes that
have become one, and the node that heads the result.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

from schemata.budget import OverBudget
from schemata.grouping import components, grouped
from schemata.language import model as m
from schemata.records import Record, field
from schemata.relations.answers import Counterexample, StepInstance, applied
from schemata.relations.mapping import Correspondence, Misfit
from schemata.relations.systems import Ground, System, by_antecedent
from schemata.relations.universe import GroundFact, GroundFacts
from schemata.thresholds import EFFORTS


class _DerivationNode(Record):
    """An item with the links built by a derivation of it and its number of steps; the last step, and the items
    above it.
    """

    item: int
    effect: Effect
    cost: int = 0
    ground: Ground | None = None
    above: tuple[_DerivationNode, ...] = ()

    def steps(self) -> Iterator[Ground]:
        """Yield the steps, antecedents first."""
        for node in self.above:
            yield from node.steps()
        if self.ground is not None:
            yield self.ground


ItemNode: TypeAlias = tuple[int, int]
"""(0, w) is the word w, (1, k) the head of the given item k, (2, k) the place for a head of the given item k, (3, k)
another such place; (4, k) stands for all that the given item k has built, (5, 0) for what is no structure."""


class Effect(Record):
    """The links and heads that a derivation builds.

    Attributes
    ----------
    links : (dependent, head).
    merged : nodes that have become one, two or more in each set.
    head : the node that heads the result; None if the schema does not speak of heads.
    """

    links: frozenset[tuple[ItemNode, ItemNode]] = frozenset()
    merged: frozenset[frozenset[ItemNode]] = frozenset()
    head: ItemNode | None = None


NOTHING = Effect()
_NO_STRUCTURE = Effect(head=(5, 0))
"""Of a step that attaches what has no head: no derivation with it has a structure."""
_WORD, _KNOWN, _PLACE, _NAMELESS, _OWN = range(5)


def builds_by_heads(schema: m.Schema) -> bool:
    """Whether the schema identifies the words that it links by heads instead of by positions."""
    return any(case.head_links for case in schema.cases)


def knowledge(system: System) -> Mapping[int, frozenset[bool]]:
    """Return of each item whether its derivations know the head of what they build: some may, and others not.

    An item without derivations is not listed, nor is one whose derivations have no structure.
    """
    found: dict[int, set[bool]] = {x: {False} for x in system.hypotheses}
    grew = True
    while grew:
        grew = False
        for ground in system.grounds:
            case, new = system.case_of(ground), found.setdefault(ground.consequent, set())
            if len(new) == 2 or any(not found.get(x) for x in ground.antecedents):
                continue
            attached = {link.dependent for link in case.head_links}
            parts = [(k, x) for k, x in enumerate(ground.antecedents) if not case.antecedents[k].context]
            if any(True not in found[x] for k, x in parts if k in attached):
                continue
            free = [found[x] for k, x in parts if k not in attached]
            known = {any(some) or ground.head is not None for some in itertools.product(*free)}
            grew = grew or not known <= new
            new |= known
    return {item: frozenset(known) for item, known in found.items() if known}


def assignments(found: Mapping[int, frozenset[bool]], items: Sequence[int]) -> Iterator[Mapping[int, bool]]:
    """Yield for some items whether their heads are known, in all ways that `knowledge` has found."""
    each = dict.fromkeys(items)
    for chosen in itertools.product(*(sorted(found.get(x, {True})) for x in each)):
        yield dict(zip(each, chosen, strict=True))


def given_effect(number: int, by_heads: bool, used: bool = False, known: bool = True) -> Effect:
    """Return the effect of a given item: nothing but its own head, a word if it is `known`.

    With `used`, the effect also says that the item's own structure is part of the result.
    """
    links = frozenset((((_OWN, number), (_OWN, number)),)) if used else frozenset()
    return Effect(links, head=(_KNOWN if known else _PLACE, number) if by_heads else None)


def effect_of(system: System, ground: Ground, parts: Sequence[Effect], by_heads: bool) -> Effect:
    """Return the links that a step instance builds, given those that its antecedents have built.

    Parameters
    ----------
    system : the system that the instance is of.
    ground : the instance.
    parts : the effects of the antecedents; those of context antecedents do not count.
    by_heads : whether the schema builds by heads.
    """
    case, head = system.case_of(ground), ground.head
    built: set[tuple[ItemNode, ItemNode]] = {((0, d), (0, h)) for d, h in ground.links}
    structural = [k for k, a in enumerate(case.antecedents) if not a.context]
    if not by_heads:
        for k in structural:
            built |= parts[k].links
        return Effect(frozenset(built)) if built else NOTHING
    attached = {link.dependent for link in case.head_links}
    if any(parts[k] == _NO_STRUCTURE or (k in attached and not _is_known(parts[k].head)) for k in structural):
        return _NO_STRUCTURE
    fresh = itertools.count()
    heads: dict[int, ItemNode | None] = {}
    classes: list[set[ItemNode]] = []
    for k in structural:
        ends = {node for link in parts[k].links for node in link} | {parts[k].head}
        nameless = sorted(node for node in ends if node is not None and node[0] == _NAMELESS)
        name: dict[ItemNode, ItemNode] = {node: (_NAMELESS, next(fresh)) for node in nameless}
        built |= {(name.get(d, d), name.get(h, h)) for d, h in parts[k].links}
        classes += [{name.get(node, node) for node in group} for group in parts[k].merged]
        own = parts[k].head
        heads[k] = None if own is None else name.get(own, own)
    free = [node for k, node in heads.items() if k not in attached and node is not None]
    known = (node for node in free if _is_known(node))
    result = (_WORD, head) if head is not None else next(known, (_NAMELESS, next(fresh)))
    classes += [{result, node} for node in free if not _is_known(node)]
    for link in case.head_links:
        dependent, over = heads[link.dependent], heads[link.head]
        assert dependent is not None
        built.add((dependent, result if over is None or link.head == link.dependent else over))
    return _canonical(built, classes, result)


def _is_known(node: ItemNode | None) -> bool:
    """Whether a head is a word."""
    return node is not None and node[0] in (_WORD, _KNOWN)


def _canonical(links: set[tuple[ItemNode, ItemNode]], classes: list[set[ItemNode]], head: ItemNode) -> Effect:
    """Return the effect with one name for nodes that are one: a word before a given item's place before a new one."""
    nodes = sorted(set().union(*classes))
    numbered = {node: k for k, node in enumerate(nodes)}
    pairs = (pair for group in classes for pair in itertools.pairwise(numbered[node] for node in group))
    groups = [[nodes[k] for k in group] for group in components(len(nodes), pairs)]
    name = {node: min(group) for group in groups for node in group}
    head = name.get(head, head)
    built = sorted({(name.get(d, d), name.get(h, h)) for d, h in links})
    # Nameless nodes are numbered in the order in which they are met, the head first.
    numbers: dict[ItemNode, ItemNode] = {}
    for node in (head, *(node for link in built for node in link)):
        if node[0] == _NAMELESS and node not in numbers:
            numbers[node] = (_NAMELESS, len(numbers))
    merged = {frozenset(node for node in group if node[0] != _NAMELESS) for group in groups}
    return Effect(
        frozenset((numbers.get(d, d), numbers.get(h, h)) for d, h in built),
        frozenset(group for group in merged if len(group) > 1),
        numbers.get(head, head),
    )


EmulationMeasure: TypeAlias = Literal["emulated", "contained", "included"]

_SHOWN = 8  # items derivable instead


def find_misfit(source: System, mapping: Correspondence, measure: EmulationMeasure) -> Misfit | None:
    """Return the first item that keeps one system's items from being among the other's; None if all are.

    A filter may distinguish items by fields that the maps forget.
    """
    found = (*mapping.misfits, *mapping.twins, *(mapping.folded if measure == "emulated" else ()))
    return min(found, key=lambda m: source.chart.order(m.item), default=None)


def fact_text(fact: GroundFact) -> str:
    """Return a fact of a grammar as text.

    >>> fact_text(("licensed", 1, 2)), fact_text(("rule", "A", ("B1", "^")))
    ('1 may hang under 2', 'rule A(B1 ^)')
    """
    match fact:
        case ("rule", lhs, body):
            return f"rule {lhs}({' '.join(body)})"
        case (relation, *values) if relation not in ("rule", "match", *_FACTS):
            shown = (f"<{' '.join(value)}>" if isinstance(value, tuple) else str(value) for value in values)
            return f"{relation}({', '.join(shown)})"
        case ("match", left, _, place, right, _, other):
            return f"right connector {place + 1} of w{left} matches left connector {other + 1} of w{right}"
    return _FACTS[fact[0]].format(*fact[1:])


_FACTS = {
    "licensed": "{} may hang under {}",
    "category": "word {} is of category {}",
    "disjunct": "disjunct {}",
    "root": "root {}",
}


def facts_text(facts: GroundFacts) -> tuple[str, ...]:
    """Return the facts of a grammar as text, in one order."""
    return tuple(fact_text(fact) for fact in sorted(facts, key=repr))


class StepCheck(Record, slots=False):
    """Checks the steps of `source` against `target`, whose items correspond by `mapping`.

    Attributes
    ----------
    source, target : ground systems of one length.
    mapping : from the items of the source to those of the target.
    measure : the requirement on each step.
    with_links : whether links are compared; not where one schema links positions and the other heads.
    strict : whether the structures of the antecedents have to become part of the consequent's, as in the instance.
    """

    source: System
    target: System
    mapping: Correspondence
    measure: EmulationMeasure
    with_links: bool
    strict: bool = False
    _allowed: dict[GroundFacts, list[Mapping[int, Sequence[Ground]]]] = field(default_factory=dict)

    def stand_in(self, ground: Ground) -> tuple[Ground, ...] | None:
        """Return the steps of the target that stand for an instance of the source; None if it has no such
        steps.

        A single step comes before a sequence, and of single steps one of the same name.

        Raises
        ------
        OverBudget : the search for an emulation was given up.
        """
        image = self.mapping.image
        target = image.get(ground.consequent)
        if target is None or any(a not in image for a in self._items(ground.antecedents)):
            return None
        found = [self._stand_in(ground, target, known) for known in self.assignments(ground)]
        return None if None in found else found[0]

    def _stand_in(self, ground: Ground, target: int, known: Mapping[int, bool]) -> tuple[Ground, ...] | None:
        """Return the steps that stand for an instance where it is `known` of some items that their head is."""
        given, wanted = self._given(ground, known)
        own = self.source.case_of(ground).step
        makers = self.target.producers.get(target, ())
        for other in sorted(makers, key=lambda other: self.target.case_of(other).step != own):
            if not other.facts <= ground.facts or not self._fits(other, given):
                continue
            if not self.with_links or self._effect(other, given) == wanted:
                return (other,)
        if self.measure != "emulated":
            return None
        return self.shortest(given, target, wanted, ground.facts)

    def _items(self, items: Sequence[int]) -> tuple[int, ...]:
        """Return the items that are not hypotheses, each once."""
        return tuple(x for x in dict.fromkeys(items) if not self.source.is_hypothesis(x))

    def assignments(self, ground: Ground) -> Iterator[Mapping[int, bool]]:
        """Yield for the antecedents of an instance whether their heads are known, in all ways that there are."""
        return assignments(self._knowledge, ground.antecedents) if self.by_heads else iter([{}])

    @cached_property
    def _knowledge(self) -> Mapping[int, frozenset[bool]]:
        return knowledge(self.source)

    def _given(self, ground: Ground, known: Mapping[int, bool]) -> tuple[dict[int, Effect], Effect]:
        """Return the images of the antecedents with their effects, and the links that the instance builds."""
        by_heads = self.by_heads
        own = {
            x: NOTHING
            if self.source.is_hypothesis(x)
            else given_effect(k, by_heads, self.strict, known.get(x, True))
            for k, x in enumerate(dict.fromkeys(ground.antecedents))
        }
        parts = [own[x] for x in ground.antecedents]
        wanted = effect_of(self.source, ground, parts, by_heads)
        return {self.mapping.image[x]: own[x] for x in self._items(ground.antecedents)}, wanted

    def _fits(self, other: Ground, given: dict[int, Effect]) -> bool:
        """Whether an instance of the target has the antecedents that the measure allows."""
        used = {x for x in other.antecedents if not self.target.is_hypothesis(x)}
        wanted = {x for x in given if not self.target.is_hypothesis(x)}
        return used == wanted if self.measure == "included" else used <= wanted

    def _effect(self, other: Ground, given: dict[int, Effect]) -> Effect:
        parts = [given.get(x, Effect()) for x in other.antecedents]
        return effect_of(self.target, other, parts, self.by_heads)

    def break_at(self, ground: Ground) -> Counterexample:
        """Return the counterexample for an instance that no steps of the target stand for."""
        image = self.mapping.image
        lost = [x for x in (*self._items(ground.antecedents), ground.consequent) if x not in image]
        shown = applied(self.source, ground)
        grammar = facts_text(ground.facts)
        by = self.target.schema.name
        if lost:
            reason = f"{self.source.text(lost[0])} corresponds to no item of {by}"
            return Counterexample(self.source.n, reason, shown, None, grammar)
        target = image[ground.consequent]
        given = [image[x] for x in dict.fromkeys(ground.antecedents) if x in image]
        texts = tuple(self.target.text(x) for x in given)
        wanted = StepInstance(shown.step, texts, self.target.text(target), ground.links)
        start = (*self.target.hypotheses, *given)
        reached = self.target.closure(start, lambda facts: facts <= ground.facts)
        before = self.target.closure(self.target.hypotheses, lambda facts: facts <= ground.facts)
        instead = [x for x in reached if x not in before and x not in given]
        instead.sort(key=lambda x: (_distance(self.target, x, target), self.target.chart.order(x)))
        if self.measure != "emulated":
            kind = "with these antecedents" if self.measure == "included" else "with no other antecedents"
            reason = f"no step of {by} makes {wanted.consequent} {kind}"
            made = [g for g in self.target.producers.get(target, ()) if g.facts <= ground.facts]
            if any(self._fits(g, dict.fromkeys(given, Effect())) for g in made):
                reason = f"no step of {by} makes {wanted.consequent} of them and builds the same"
        elif target in reached:
            reason = f"{by} derives {wanted.consequent} from these items, but never builds the same links"
        else:
            reason = f"{by} does not derive {wanted.consequent} from these items"
        others = tuple(self.target.text(x) for x in instead[:_SHOWN])
        return Counterexample(self.source.n, reason, shown, wanted, grammar, others)

    # The search for a derivation by the target

    @cached_property
    def by_heads(self) -> bool:
        """Whether structures are compared by heads."""
        return self.with_links and builds_by_heads(self.target.schema)

    @cached_property
    def _by_facts(self) -> dict[GroundFacts, Mapping[int, Sequence[Ground]]]:
        """The instances by the facts they need, then by antecedent."""
        by_facts = grouped((ground.facts, ground) for ground in self.target.grounds)
        return {facts: by_antecedent(grounds) for facts, grounds in by_facts.items()}

    def _uses(self, facts: GroundFacts) -> list[Mapping[int, Sequence[Ground]]]:
        """Return the instances that a grammar of some facts has."""
        if facts not in self._allowed:
            self._allowed[facts] = [uses for needed, uses in self._by_facts.items() if needed <= facts]
        return self._allowed[facts]

    def shortest(
        self, given: Mapping[int, Effect], target: int, wanted: Effect, facts: GroundFacts
    ) -> tuple[Ground, ...] | None:
        """Return the steps of a shortest derivation by the target, each after those it needs; None if it has no
        derivation.

        Parameters
        ----------
        given : the items that are given, with their effects.
        target : the item to derive.
        wanted : the links that the derivation has to build.
        facts : the grammar.

        The length is the number of steps, a step used twice counted twice; of several shortest derivations one
        is taken in a fixed order. An item that is a hypothesis or given is derived by no step.

        Raises
        ------
        OverBudget : there were too many partial derivations.
        """
        uses = self._uses(facts)
        order = itertools.count()
        queue: list[tuple[int, int, _DerivationNode]] = []
        settled: dict[int, dict[Effect, _DerivationNode]] = {}

        def push(node: _DerivationNode | None) -> None:
            if node is not None:
                heapq.heappush(queue, (node.cost, next(order), node))

        for item, effect in given.items():
            push(_DerivationNode(item, effect))
        for item in self.target.hypotheses:
            if item not in given:
                push(_DerivationNode(item, NOTHING))
        for part in uses:
            for ground in part.get(-1, ()):
                push(self._apply(ground, (), wanted))
        while queue:
            if next(order) > EFFORTS.partial_derivations:
                raise OverBudget("steps")
            _, _, node = heapq.heappop(queue)
            known = settled.setdefault(node.item, {})
            if node.effect in known:
                continue
            if node.item == target and (not self.with_links or node.effect == wanted):
                return tuple(dict.fromkeys(node.steps()))
            known[node.effect] = node
            for part in uses:
                for ground in part.get(node.item, ()):
                    ways = [tuple(settled.get(x, {}).values()) for x in ground.antecedents]
                    for above in itertools.product(*ways):
                        if any(one is node for one in above):
                            push(self._apply(ground, above, wanted))
        return None

    def _apply(
        self, ground: Ground, above: tuple[_DerivationNode, ...], wanted: Effect
    ) -> _DerivationNode | None:
        """Return the result of a step; None if it builds an unwanted link."""
        effect = NOTHING
        if self.with_links:
            effect = effect_of(self.target, ground, [n.effect for n in above], self.by_heads)
            outside = not self.by_heads and not effect.links <= wanted.links
            if outside or len(effect.links) > len(wanted.links):
                return None
        return _DerivationNode(ground.consequent, effect, 1 + sum(n.cost for n in above), ground, above)


def _distance(system: System, one: int, other: int) -> int:
    """Return in how many fields two items differ; items of other forms are further away."""
    raw = system.chart.raw
    if raw.form_of[one] != raw.form_of[other]:
        return 100
    return sum(a != b for a, b in zip(raw.values[one], raw.values[other], strict=True))
