"""What derivations build: sets of links, and for schemata whose items do not carry the head, the head too.

A state is what one derivation of an item has built so far. It is an integer whose bits are links where the
schema's steps name both ends of every link. Where steps speak of the heads of what antecedents built, a state
also knows the head word, once it is known, and the dependents that wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from schemata.structures.trees import find_cycle

if TYPE_CHECKING:
    from schemata.charts.chart import BareChart
    from schemata.forest.hypergraph import Edge
    from schemata.language import model as m

__all__ = ["Building", "Builds", "State"]

# Links; or links, the head (None while unknown) and the dependents waiting for it (bits of word positions).
State: TypeAlias = "int | tuple[int, int | None, int]"
_NOT_A_LINK = 1  # bit 0 marks a link whose ends are no words


class Builds(Protocol):
    """How the edges of a forest put states together."""

    @property
    def plain(self) -> bool:
        """Whether states are integers that are united."""

    @property
    def leaf(self) -> Any:
        """The state of a hypothesis."""

    def links(self, edge: Edge) -> int:
        """Return an edge's own links."""

    def combine(self, edge: Edge, consequent: int, own: int, states: Any) -> Any:
        """Return the state of a consequent from those of the edge's tails; None where it is dropped."""


@dataclass(frozen=True, slots=True)
class Building:
    """How the steps of a chart's schema put states together.

    `leaf` is the state of a hypothesis. `single_root` drops states with two links to node 0.
    """

    n: int
    headed: bool
    single_root: bool
    heads: tuple[Callable[[Edge, int], int | None], ...]
    head_links: tuple[tuple[m.HeadLink, ...], ...]

    @classmethod
    def of(cls, chart: BareChart) -> Building:
        """Return the building of a chart."""
        from schemata.forest.heads import head_finder

        cases = chart.schema.cases
        headed = any(case.head_links for case in cases)
        finders = tuple(head_finder(chart, case) for case in cases) if headed else ()
        return cls(
            chart.n,
            headed,
            bool(getattr(chart.grammar, "single_root", False)),
            finders,
            tuple(case.head_links for case in cases),
        )

    @property
    def plain(self) -> bool:
        """Whether states are mere unions of links, none of which is ever dropped."""
        return not self.headed and not self.single_root

    @property
    def leaf(self) -> State:
        """The state of a hypothesis: nothing built, no head."""
        return (0, None, 0) if self.headed else 0

    def links(self, edge: Edge) -> int:
        """Return an edge's own links as bits."""
        bits = 0
        for dependent, head in edge.links:
            bits |= self._bit(dependent, head)
        return bits

    def _bit(self, dependent: int, head: int) -> int:
        if 1 <= dependent <= self.n and 0 <= head <= self.n:
            return 1 << (dependent * (self.n + 1) + head)
        return _NOT_A_LINK

    def combine(self, edge: Edge, consequent: int, own: int, states: Sequence[State]) -> State | None:
        """Return the state of a consequent from those of the edge's tails; None where it is dropped."""
        if not self.headed:
            union = own
            for state in states:
                union |= state  # type: ignore[operator]
            return None if self.single_root and self._root_links(union) > 1 else union
        return self._combine_headed(edge, consequent, own, states)

    def _combine_headed(self, edge: Edge, consequent: int, own: int, states: Sequence[State]) -> State | None:
        links, waiting = own, 0
        head = self.heads[edge.case](edge, consequent)
        by_slot = dict(zip(edge.slots, states, strict=True))
        dependents = {link.dependent for link in self.head_links[edge.case]}
        for slot, state in by_slot.items():
            assert isinstance(state, tuple)
            links |= state[0]
            if slot not in dependents:
                waiting |= state[2]
                if head is None:
                    head = state[1]
        for link in self.head_links[edge.case]:
            child = by_slot[link.dependent]
            assert isinstance(child, tuple)
            if child[1] is None:
                return None
            if link.head in dependents and link.head != link.dependent:
                parent = by_slot[link.head]
                assert isinstance(parent, tuple)
                links |= _NOT_A_LINK if parent[1] is None else self._bit(child[1], parent[1])
            elif 1 <= child[1] <= self.n:
                waiting |= 1 << child[1]
            else:  # a node that no word is: whatever its head will be, it is no link
                links |= _NOT_A_LINK
        if head is not None:
            for word in range(1, self.n + 1):
                if waiting >> word & 1:
                    links |= self._bit(word, head)
            waiting = 0
        if self.single_root and self._root_links(links) > 1:
            return None
        return links, head, waiting

    def _root_links(self, links: int) -> int:
        return sum(links >> (d * (self.n + 1)) & 1 for d in range(1, self.n + 1))

    def heads_of_words(self, state: State) -> tuple[int, ...] | None:
        """Return the heads of a finished structure, or None where it is not a tree.

        A word without a head is the root where no word hangs under 0.
        """
        links = state[0] if isinstance(state, tuple) else state
        if links & _NOT_A_LINK or (isinstance(state, tuple) and state[2]):
            return None
        heads: list[int] = []
        row = (1 << (self.n + 1)) - 1
        headless = 0
        for dependent in range(1, self.n + 1):
            bits = links >> (dependent * (self.n + 1)) & row
            if not bits:
                headless += 1
                heads.append(0)
            elif bits & (bits - 1):
                return None
            else:
                heads.append(bits.bit_length() - 1)
        if headless and (headless > 1 or heads.count(0) > 1):
            return None
        found = tuple(heads)
        return None if find_cycle(found) else found
