"""Classes of dependency graphs: those with some properties, `planar+single-headed+acyclic`.

Transition systems build graphs over the words alone; the artificial root has no arcs. `all` is the class of all graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product

from schemata.errors import one_of, require_known
from schemata.quick_dataclasses import Record
from schemata.structures.graphs import DependencyGraph, check_acyclicity, check_single_headedness, components
from schemata.structures.planarity import is_k_planar, is_planar


def has_covered_roots(graph: DependencyGraph) -> bool:
    """Tell whether some word without a head stands strictly between the ends of an arc.

    References
    ----------
    Gómez-Rodríguez & Nivre 2013, section 2.

    >>> has_covered_roots(DependencyGraph(3, {(1, 3)}))
    True
    """
    headed = {d for d, _ in graph.links}
    return any(set(range(min(link) + 1, max(link))) - headed for link in graph.links)


def _has_no_cycles(graph: DependencyGraph) -> bool:
    """Tell whether no arcs, whatever their direction, make a cycle; two arcs between two words do."""
    arcs = [(d - 1, h - 1) for d, h in graph.links]
    return len(arcs) + len(components(graph.size, arcs)) == graph.size


PROPERTIES: Mapping[str, Callable[[DependencyGraph], bool]] = {
    "planar": is_planar,
    "2-planar": lambda graph: is_k_planar(graph, 2),
    "3-planar": lambda graph: is_k_planar(graph, 3),
    "single-headed": lambda graph: check_single_headedness(graph).holds,
    "acyclic": lambda graph: check_acyclicity(graph).holds,
    "no-cycles": _has_no_cycles,
    "one-way": lambda graph: not any(link[::-1] in graph.links for link in graph.links),
    "no-covered-roots": lambda graph: not has_covered_roots(graph),
}
"""`acyclic` is about directed cycles, `no-cycles` about those of any direction, `one-way` about pairs of words."""

_IMPLIED = {
    ("planar",): {"2-planar", "3-planar"},
    ("2-planar",): {"3-planar"},
    ("acyclic",): {"one-way"},
    ("no-cycles",): {"acyclic", "one-way"},
    ("single-headed", "acyclic"): {"no-cycles", "one-way"},
}


class GraphClass(Record):
    """The graphs with some properties, by the names of `PROPERTIES`; make one with `graph_class`."""

    properties: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name that `graph_class` takes."""
        return "+".join(self.properties) or "all"

    def missing(self, graph: DependencyGraph) -> str | None:
        """Return the first property that a graph lacks, None where it is of the class."""
        return next((name for name in self.properties if not PROPERTIES[name](graph)), None)

    def graphs(self, n: int) -> Iterator[DependencyGraph]:
        """Yield the graphs of the class with n words, those with fewer arcs first.

        There are 2^(n(n-1)) graphs, of which all are looked at unless words have one head.
        """
        pairs = list(permutations(range(1, n + 1), 2))
        some: Iterable[Sequence[tuple[int, int]]]
        if "single-headed" in self.properties:
            heads = product(range(n + 1), repeat=n)
            chosen = ([(d, h) for d, h in enumerate(row, start=1) if h] for row in heads)
            some = sorted((links for links in chosen if all(d != h for d, h in links)), key=len)
        else:
            some = (links for size in range(len(pairs) + 1) for links in combinations(pairs, size))
        for links in some:
            graph = DependencyGraph(n, links)
            if self.missing(graph) is None:
                yield graph


def graph_class(name: str) -> GraphClass:
    """Return the class of graphs of a name: properties joined by +, or `all`.

    Raises
    ------
    UsageError : there is no such property.

    >>> [len(list(graph_class(name).graphs(3))) for name in ("all", "planar+single-headed+acyclic+no-covered-roots")]
    [64, 12]
    """
    names = [] if name == "all" else name.replace(" ", "").split("+")
    for one in names:
        message, expected = f"graphs have no property {one!r}", f"all, or {one_of(PROPERTIES)}"
        require_known(one, PROPERTIES, message, "unknown-class", expected)
    return GraphClass(tuple(names))


def class_of(graphs: Iterable[DependencyGraph]) -> GraphClass:
    """Return the smallest class that all of these graphs belong to; what other properties imply is left out.

    >>> class_of(graph_class("planar+acyclic").graphs(3)).name
    'planar+acyclic'
    """
    common = dict.fromkeys(PROPERTIES)
    for graph in graphs:
        for name in list(common):
            if not PROPERTIES[name](graph):
                del common[name]
    implied = {name for names, more in _IMPLIED.items() if common.keys() >= set(names) for name in more}
    # Of two that imply each other beside a third, the plainer one stays.
    implied -= {"acyclic"} if "single-headed" in common else set()
    return GraphClass(tuple(name for name in common if name not in implied))
