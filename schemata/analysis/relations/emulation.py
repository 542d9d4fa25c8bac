"""The search for the shortest derivation of an item from given ones that builds what a step builds."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from schemata.analysis.relations.effects import Effect, builds_by_heads, effect_of
from schemata.analysis.relations.systems import Ground, System
from schemata.analysis.relations.universe import Facts

__all__ = ["Emulator", "SearchTooLongError"]

_MOST = 200_000  # partial derivations of one search


class SearchTooLongError(Exception):
    """A search for an emulation was given up; nothing is known."""


@dataclass(frozen=True, slots=True)
class _Node:
    """An item with what a derivation of it builds: the last step and the nodes of its antecedents."""

    item: int
    effect: Effect
    ground: int | None
    below: tuple[_Node, ...] = ()


@dataclass(frozen=True)
class Emulator:
    """Searches a system for derivations from given items.

    Attributes
    ----------
    system : the system.
    with_links : whether derivations must build the same; not where the other schema says by positions what
        this one says by heads.
    """

    system: System
    with_links: bool = True

    @cached_property
    def by_heads(self) -> bool:
        """Whether the schema builds by heads."""
        return self.with_links and builds_by_heads(self.system.schema)

    @cached_property
    def _by_facts(self) -> dict[Facts, dict[int, list[int]]]:
        """The instances by the facts they need, then by antecedent; -1 stands for none."""
        found: dict[Facts, dict[int, list[int]]] = {}
        for number, ground in enumerate(self.system.grounds):
            uses = found.setdefault(ground.facts, {})
            for item in dict.fromkeys(ground.antecedents) or (-1,):
                uses.setdefault(item, []).append(number)
        return found

    @cached_property
    def _allowed(self) -> dict[Facts, list[dict[int, list[int]]]]:
        return {}

    def _uses(self, facts: Facts) -> list[dict[int, list[int]]]:
        """Return the instances that a grammar of some facts has."""
        found = self._allowed.get(facts)
        if found is None:
            found = [uses for needed, uses in self._by_facts.items() if needed <= facts]
            self._allowed[facts] = found
        return found

    def shortest(
        self, given: Mapping[int, Effect], target: int, wanted: Effect, facts: Facts
    ) -> tuple[Ground, ...] | None:
        """Return the steps of a shortest derivation, each after those it needs; None where there is none.

        Parameters
        ----------
        given : the items that are given, with their effects.
        target : the item to derive.
        wanted : what the derivation has to build.
        facts : the grammar.

        The length is the number of steps, a step used twice counted twice; of several shortest derivations one
        is taken in a fixed order. An item that is a hypothesis or given is derived by no step.

        Raises
        ------
        SearchTooLongError : there were too many partial derivations.
        """
        grounds = self.system.grounds
        uses = self._uses(facts)
        order = itertools.count()
        queue: list[tuple[int, int, _Node]] = []
        nothing = Effect()
        for item, effect in given.items():
            heapq.heappush(queue, (0, next(order), _Node(item, effect, None)))
        for item in self.system.hypotheses:
            if item not in given:
                heapq.heappush(queue, (0, next(order), _Node(item, nothing, None)))
        for part in uses:
            for number in part.get(-1, ()):
                self._push(queue, order, number, (), 0, wanted)
        settled: dict[int, dict[Effect, tuple[int, _Node]]] = {}
        while queue:
            if next(order) > _MOST:
                raise SearchTooLongError
            cost, _, node = heapq.heappop(queue)
            known = settled.setdefault(node.item, {})
            if node.effect in known:
                continue
            if node.item == target and (not self.with_links or node.effect == wanted):
                return _steps(node, grounds)
            known[node.effect] = cost, node
            for part in uses:
                for number in part.get(node.item, ()):
                    for chosen, total in self._choices(grounds[number], node, cost, settled):
                        self._push(queue, order, number, chosen, total, wanted)
        return None

    def _choices(
        self,
        ground: Ground,
        node: _Node,
        cost: int,
        settled: Mapping[int, Mapping[Effect, tuple[int, _Node]]],
    ) -> list[tuple[tuple[_Node, ...], int]]:
        """Return the ways to have an instance's antecedents, the node just settled among them."""
        ways: list[Sequence[tuple[int, _Node]]] = []
        for item in ground.antecedents:
            known = settled.get(item)
            if not known:
                return []
            ways.append(list(known.values()))
        found = []
        for chosen in itertools.product(*ways):
            if any(one is node for _, one in chosen):
                found.append((tuple(one for _, one in chosen), sum(price for price, _ in chosen)))
        return found

    def _push(
        self,
        queue: list[tuple[int, int, _Node]],
        order: itertools.count[int],
        number: int,
        below: tuple[_Node, ...],
        cost: int,
        wanted: Effect,
    ) -> None:
        ground = self.system.grounds[number]
        effect = Effect()
        if self.with_links:
            parts = [one.effect for one in below]
            case = self.system.case_of(ground)
            effect = effect_of(case, parts, ground.links, ground.head, self.by_heads)
            if not effect.links <= wanted.links and not self.by_heads:
                return
            if len(effect.links) > len(wanted.links):
                return
        heapq.heappush(queue, (cost + 1, next(order), _Node(ground.consequent, effect, number, below)))


def _steps(node: _Node, grounds: Sequence[Ground]) -> tuple[Ground, ...]:
    """Return the instances of a derivation, antecedents first, each once."""
    found: dict[int, None] = {}

    def visit(one: _Node) -> None:
        for part in one.below:
            visit(part)
        if one.ground is not None:
            found[one.ground] = None

    visit(node)
    return tuple(grounds[number] for number in found)
