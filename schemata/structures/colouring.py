"""Exact colouring of small graphs given as bit masks.

A graph is a list with one mask per vertex: bit j of mask i says that i and j are neighbours. The search is
Brélaz's (most constrained vertex first) on the core of each component, with a budget, since the problem is
NP-complete from three colours on.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.errors import BudgetError
from schemata.structures.projections import members

__all__ = ["DEFAULT_BUDGET", "colour", "uncolourable_core"]

DEFAULT_BUDGET = 5_000_000
"""How many vertices a search may look at before it gives up: about a second."""


def colour(
    neighbours: Sequence[int], colours: int, *, clique: Sequence[int] = (), budget: int = DEFAULT_BUDGET
) -> list[int] | None:
    """Return a colour 0..colours-1 for every vertex so that neighbours differ, or None if there is none.

    Parameters
    ----------
    neighbours : the graph.
    colours : how many colours there are.
    clique : vertices known to be neighbours of each other; they are coloured first.
    budget : how many vertices may be looked at, each time that one is chosen to be coloured.

    Raises
    ------
    BudgetError : the search ran out of its budget without an answer.

    >>> triangle = [0b110, 0b101, 0b011]
    >>> colour(triangle, 3), colour(triangle, 2)
    ([0, 1, 2], None)
    """
    assigned = [-1] * len(neighbours)
    alive = (1 << len(neighbours)) - 1
    peeled = []
    # A vertex with fewer neighbours than there are colours can always be coloured last.
    todo = list(range(len(neighbours)))
    while todo:
        vertex = todo.pop()
        if alive >> vertex & 1 and (neighbours[vertex] & alive).bit_count() < colours:
            alive ^= 1 << vertex
            peeled.append(vertex)
            todo.extend(members(neighbours[vertex] & alive))
    search = _Search(neighbours, colours, assigned, budget)
    for component in _components(neighbours, alive):
        first = [v for v in clique if component >> v & 1]
        if not search.run(component, first):
            return None
    for vertex in reversed(peeled):
        used = {assigned[v] for v in members(neighbours[vertex])}
        assigned[vertex] = next(c for c in range(colours) if c not in used)
    return assigned


def uncolourable_core(
    neighbours: Sequence[int], colours: int, *, budget: int = DEFAULT_BUDGET
) -> tuple[int, ...]:
    """Return vertices that cannot be coloured by themselves but can once any one of them is left out.

    For one colour these are two neighbours, for two an odd cycle. The graph must not be colourable.

    Raises
    ------
    BudgetError : a search ran out of its budget without an answer.

    >>> uncolourable_core([0b110, 0b101, 0b1011, 0b100], 2)
    (0, 1, 2)
    """
    kept = (1 << len(neighbours)) - 1
    for vertex in range(len(neighbours)):
        without = kept & ~(1 << vertex)
        if (
            colour(
                [mask & without if without >> v & 1 else 0 for v, mask in enumerate(neighbours)],
                colours,
                budget=budget,
            )
            is None
        ):
            kept = without
    return members(kept)


def _components(neighbours: Sequence[int], alive: int) -> list[int]:
    found = []
    while alive:
        component = frontier = alive & -alive
        while frontier:
            reached = 0
            for vertex in members(frontier):
                reached |= neighbours[vertex]
            frontier = reached & alive & ~component
            component |= frontier
        found.append(component)
        alive &= ~component
    return found


class _Search:
    """Backtracking over one component at a time; all components share the budget."""

    def __init__(self, neighbours: Sequence[int], colours: int, assigned: list[int], budget: int) -> None:
        self.neighbours = neighbours
        self.colours = colours
        self.assigned = assigned
        self.left = budget
        self.budget = budget

    def run(self, component: int, first: Sequence[int]) -> bool:
        """Colour a component; the vertices in `first` are neighbours of each other."""
        if len(first) > self.colours:
            return False
        # saturation[v]: the colours around v, as a mask. One list per depth makes undoing free.
        saturation = [0] * len(self.neighbours)
        for number, vertex in enumerate(first):
            self._place(vertex, number, saturation)
            component ^= 1 << vertex
        # Each frame: the vertex, the colours still to try, what was uncoloured and around it, colours in use.
        frames: list[tuple[int, int, int, list[int], int]] = []
        used = len(first)
        while True:
            if not component:
                return True
            self.left -= component.bit_count()
            if self.left < 0:
                raise BudgetError(
                    f"no answer about {self.colours} colours for {len(self.neighbours)} vertices "
                    f"after {self.budget} steps"
                )
            vertex = self._choose(component, saturation)
            # Colours not in use yet are alike: trying one of them is trying all.
            usable = (1 << min(used + 1, self.colours)) - 1
            options = usable & ~saturation[vertex]
            while not options:
                if not frames:
                    return False
                vertex, options, component, saturation, used = frames.pop()
            low = options & -options
            frames.append((vertex, options ^ low, component, saturation, used))
            number = low.bit_length() - 1
            saturation = saturation.copy()
            self._place(vertex, number, saturation)
            component &= ~(1 << vertex)
            used = max(used, number + 1)

    def _place(self, vertex: int, number: int, saturation: list[int]) -> None:
        self.assigned[vertex] = number
        for neighbour in members(self.neighbours[vertex]):
            saturation[neighbour] |= 1 << number

    def _choose(self, component: int, saturation: Sequence[int]) -> int:
        neighbours = self.neighbours
        return max(
            members(component),
            key=lambda v: (saturation[v].bit_count(), (neighbours[v] & component).bit_count(), -v),
        )
