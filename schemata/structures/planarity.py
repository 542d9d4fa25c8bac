"""Planar and multiplanar structures: links that can be drawn above the words in k planes without crossing.

Two links cross if exactly one end of each lies strictly between the ends of the other (GN10, section 2.3).
A structure is k-planar if its links can be coloured with k colours such that no two of one colour cross
(GN10, Definition 5 and section 3). Links to the artificial root are left out unless asked for.

Colouring is exact. A graph is a list with one mask per vertex: bit j of mask i says that i and j are neighbours.
The search is Brélaz's (most constrained vertex first) on each component, with a budget, since the problem is
NP-complete from three colours on.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from schemata.errors import BudgetError, UsageError
from schemata.grouping import components, grouped
from schemata.structures.graphs import Evidence, Link, Structure
from schemata.structures.projections import members
from schemata.thresholds import EFFORTS


def colour(neighbours: Sequence[int], colours: int, *, budget: int | None = None) -> list[int] | None:
    """Return a colour 0..colours-1 for every vertex so that neighbours differ, or None if that is impossible.

    In each component colours are numbered in the order in which its vertices have them.

    Parameters
    ----------
    neighbours : the graph.
    colours : how many colours there are.
    budget : how many vertices may be looked at, each time that one is chosen to be coloured; None for the default.

    Raises
    ------
    BudgetError : the search ran out of its budget without an answer.

    >>> triangle = [0b110, 0b101, 0b011]
    >>> colour(triangle, 3), colour(triangle, 2)
    ([0, 1, 2], None)
    """
    budget = EFFORTS.coloured_vertices if budget is None else budget
    assigned = [0] * len(neighbours)
    left = budget
    pairs = ((one, other) for one, mask in enumerate(neighbours) for other in members(mask))
    for component in components(len(neighbours), pairs):
        if len(component) == 1:
            continue
        uncoloured = sum(1 << vertex for vertex in component)
        # saturation[v]: the colours around v, as a mask. One list per depth makes undoing free.
        saturation = [0] * len(neighbours)
        # Each frame: the vertex, the colours still to try, what was uncoloured and around it, colours in use.
        frames: list[tuple[int, int, int, list[int], int]] = []
        used = 0
        while uncoloured:
            left -= uncoloured.bit_count()
            if left < 0:
                message = (
                    f"no answer about {colours} colours for {len(neighbours)} vertices after {budget} steps"
                )
                raise BudgetError(message)
            # The most constrained vertex: most colours around it, then most neighbours left.
            vertex = max(
                members(uncoloured),
                key=lambda v: (saturation[v].bit_count(), (neighbours[v] & uncoloured).bit_count(), -v),
            )
            # Colours not in use yet are alike: trying one of them is trying all.
            options = ((1 << min(used + 1, colours)) - 1) & ~saturation[vertex]
            while not options:
                if not frames:
                    return None
                vertex, options, uncoloured, saturation, used = frames.pop()
            low = options & -options
            frames.append((vertex, options ^ low, uncoloured, saturation, used))
            saturation = saturation.copy()
            assigned[vertex] = low.bit_length() - 1
            for neighbour in members(neighbours[vertex]):
                saturation[neighbour] |= low
            uncoloured &= ~(1 << vertex)
            used = max(used, low.bit_length())
        names: dict[int, int] = {}
        for vertex in sorted(component):
            assigned[vertex] = names.setdefault(assigned[vertex], len(names))
    return assigned


def uncolourable_core(
    neighbours: Sequence[int], colours: int, *, budget: int | None = None
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
        left = [mask & without if without >> v & 1 else 0 for v, mask in enumerate(neighbours)]
        if colour(left, colours, budget=budget) is None:
            kept = without
    return members(kept)


Arc = tuple[int, int]
"""The two ends of a link, the left one first."""


def arcs_of(structure: Structure, *, artificial_root: bool = False) -> list[Arc]:
    """Return the distinct arcs of a structure, sorted."""
    return sorted({(min(link), max(link)) for link in structure.links if artificial_root or link[1]})


def crossings_graph(arcs: Sequence[Arc]) -> list[int]:
    """Return for each of the sorted arcs the mask of the arcs it crosses.

    >>> crossings_graph([(1, 3), (2, 4), (3, 4)])
    [2, 1, 0]
    """
    graph = [0] * len(arcs)
    for i, (left, right) in enumerate(arcs):
        for j in range(i + 1, len(arcs)):
            start, end = arcs[j]
            if start >= right:
                break
            if end > right and start > left:
                graph[i] |= 1 << j
                graph[j] |= 1 << i
    return graph


def is_planar(structure: Structure, *, artificial_root: bool = False) -> bool:
    """Whether no two links cross.

    A tree is planar with its links to the artificial root if and only if it is projective.

    References
    ----------
    GN10, Definition 4.

    >>> from schemata.structures import DependencyTree
    >>> is_planar(DependencyTree((3, 0, 2))), is_planar(DependencyTree((3, 0, 2)), artificial_root=True)
    (True, False)
    """
    return not any(crossings_graph(arcs_of(structure, artificial_root=artificial_root)))


def check_1ec(structure: Structure, *, artificial_root: bool = False) -> Evidence:
    """Return whether a structure is 1-endpoint-crossing: the links that cross any one link have an end in common.

    If not, `crossed` is a link, and `crossing` are two that cross it.

    References
    ----------
    Pitler, Kannan and Marcus 2013.

    >>> from schemata.structures import DependencyTree
    >>> check_1ec(DependencyTree((3, 4, 0, 3))).holds
    True
    """
    links, graph = _crossings(structure, artificial_root)
    for link, mask in zip(links, graph, strict=True):
        across = [links[j] for j in members(mask)]
        if across and not set.intersection(*map(set, across)):
            pairs = ((a, b) for a in across for b in across if not set(a) & set(b))
            # Three links may have ends in common pairwise only: then two of them stand for all.
            pair = next(pairs, (across[0], across[-1]))
            (d, h), ((e, g), (f, i)) = link, pair
            text = (
                f"the link from {d} to {h} is crossed by {e} to {g} and by {f} to {i}, with no end in common"
            )
            return Evidence(False, text, {"crossed": link, "crossing": pair})
    return Evidence(True, "the links that cross any one link have an end in common")


def plane_count(
    structure: Structure, *, artificial_root: bool = False, budget: int | None = None, most: int | None = None
) -> int:
    """Return the smallest k for which the links fit into k planes; 1 if there are no links.

    Where `most` planes are too few, return `most + 1`; by default there is no such bound.

    Raises
    ------
    BudgetError : the search ran out of its budget; treebank sentences need almost none of it.

    References
    ----------
    GN10, Definition 5 and section 3.

    >>> from schemata.structures import DependencyTree
    >>> plane_count(DependencyTree((3, 4, 0, 3)))
    2
    """
    graph = crossings_graph(arcs_of(structure, artificial_root=artificial_root))
    return next(
        k
        for k in itertools.count(1 + any(graph))
        if k - 1 == most or colour(graph, k, budget=budget) is not None
    )


def is_k_planar(
    structure: Structure, k: int, *, artificial_root: bool = False, budget: int | None = None
) -> bool:
    """Whether the links fit into k planes, exactly.

    Raises
    ------
    UsageError : k < 1.
    BudgetError : k > 2, and the search ran out of its budget.

    References
    ----------
    GN10, Definition 5 and section 3.

    >>> from schemata.structures import DependencyTree
    >>> is_k_planar(DependencyTree((3, 4, 0, 3)), 1), is_k_planar(DependencyTree((3, 4, 0, 3)), 2)
    (False, True)
    """
    _check_k(k)
    graph = crossings_graph(arcs_of(structure, artificial_root=artificial_root))
    return colour(graph, k, budget=budget) is not None


def check_k_planarity(
    structure: Structure, k: int, *, artificial_root: bool = False, budget: int | None = None
) -> Evidence:
    """Return whether the links fit into k planes (see `is_k_planar`).

    If so, `planes` has the links of each plane that is needed. If not, `obstruction` has links that do not
    fit into k planes by themselves, while any one of them can be spared: for k = 1 two links that cross, for
    k = 2 a cycle of odd length in the crossings graph.

    >>> from schemata.structures import DependencyTree
    >>> check_k_planarity(DependencyTree((3, 4, 0, 3)), 2)["planes"]
    (((1, 3), (4, 3)), ((2, 4),))
    """
    _check_k(k)
    links, graph = _crossings(structure, artificial_root)
    places = colour(graph, k, budget=budget)
    wanted = "one plane" if k == 1 else f"{k} planes"
    if places is None:
        core = tuple(links[i] for i in uncolourable_core(graph, k, budget=budget))
        shown = ", ".join(f"{d} under {h}" for d, h in core)
        return Evidence(False, f"these links do not fit into {wanted}: {shown}", {"obstruction": core})
    planes = grouped(zip(places, links, strict=True)).values()
    sorted_out = sorted(tuple(sorted(plane)) for plane in planes)
    return Evidence(True, f"the links fit into {wanted}", {"planes": tuple(sorted_out)})


def _crossings(structure: Structure, artificial_root: bool) -> tuple[list[Link], list[int]]:
    """Return the links sorted by their arcs, and their crossings graph."""
    chosen = (link for link in structure.links if artificial_root or link[1])
    links = sorted(chosen, key=lambda link: (min(link), max(link), link))
    return links, crossings_graph([(min(link), max(link)) for link in links])


def _check_k(k: int) -> None:
    if k < 1:
        raise UsageError(f"links need at least one plane, not {k}")
