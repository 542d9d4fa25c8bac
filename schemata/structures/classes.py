"""The classes of trees and of graphs by name, and all measures of a tree at once.

A `TreeClass` is a name, such as `projective`, `2-planar` or `wg-1`, that can be asked which trees belong to it, and
why. Most classes come in families with a number; every member of a family has a name. A `GraphClass` has the graphs
with some properties, as in `planar+single-headed+acyclic`. Transition systems build graphs over the words alone; the
artificial root has no arcs.

A tree is mildly ill-nested for k if it has a binarization of gap degree at most k (GCW11, Definitions 7 and 8). In a
binarization the projections of a head's dependents are joined two at a time. A union U on the way may stand for itself
or together with the head h, which may then fill a gap: it is within k if U or U + {h} has at most k gaps. The
dependents' own projections are within k by themselves. So the question is decided at each head separately, and a yes
implies gap degree at most k. Well-nested trees of gap degree k are mildly ill-nested for k. The search is over the
unions that can be built. Where no two dependents' projections interleave, nothing needs to be searched, since a head's
dependents can then be joined from the inside of the gaps outwards.

`classify` is fast enough for treebanks. Most sentences of a treebank are projective, and for these everything follows
from one pass over the heads. For the others the projections are computed once, as bit masks, and shared by the
measures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations, product
from typing import Any, NamedTuple, Union

from schemata.errors import BudgetError, UsageError, did_you_mean, one_of, require_known
from schemata.grouping import components
from schemata.records import Record
from schemata.structures import planarity, projections
from schemata.structures.graphs import (
    DependencyGraph,
    DependencyTree,
    Evidence,
    check_acyclicity,
    check_single_headedness,
)
from schemata.thresholds import EFFORTS

# Mildly ill-nested trees ------------------------------------------------------------------------------------


Bracketing = Union[int, tuple["Bracketing", "Bracketing"]]  # noqa: UP007  (recursive)
"""A dependent, or two bracketings that are joined."""


def check_mg(tree: DependencyTree, k: int, *, budget: int | None = None) -> Evidence:
    """Return whether a tree is in MG_k: whether it has a binarization of gap degree at most k.

    Well-nested trees of gap degree at most k have one; the name *mildly ill-nested* is that of the paper all the same.

    If it is, `binarization` says for each node with two dependents or more, the artificial root included, how
    these are joined. If not, `node` is where it fails. Either its own projection, `intervals`, has more than
    k gaps; or its dependents cannot be joined. Then `buildable` are the sets of dependents that can be built
    within k gaps: all dependents together are not among them.

    Raises
    ------
    UsageError : k < 0.
    BudgetError : the search ran out of its budget; treebank sentences need almost none of it.

    References
    ----------
    GCW11, Definitions 7 and 8, sections 7.7 to 7.10.

    >>> tree = DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7))
    >>> check_mg(tree, 1).holds, check_mg(tree, 2).holds
    (False, True)
    >>> check_mg(DependencyTree((0, 1, 1, 2, 3)), 1)["binarization"]
    {1: (3, 2)}
    """
    if k < 0:
        raise UsageError(f"a gap degree is at least 0, not {k}")
    masks = projections.tree_masks(tree.heads)
    for node, mask in enumerate(masks):
        if projections.gap_count(mask) > k:
            pieces = projections.intervals(mask)
            shown = ", ".join(f"{a}..{b}" for a, b in pieces)
            text = f"the projection of word {node} has more than {k} gaps: {shown}"
            return Evidence(False, text, {"node": node, "intervals": pieces})
    found = {}
    for head in range(len(masks)):
        dependents = tree.dependents(head)
        if len(dependents) < 2:
            continue
        bracketing, unions = _search(masks, dependents, head, k, budget)
        if bracketing is None:
            sets = sorted(tuple(d for d in dependents if masks[d] & union) for union in unions)
            text = f"the dependents of {head} cannot be joined two at a time within gap degree {k}"
            return Evidence(False, text, {"node": head, "buildable": tuple(sets)})
        found[head] = bracketing
    text = f"the dependents of every word can be joined two at a time within gap degree {k}"
    return Evidence(True, text, {"binarization": found})


def binarization_degree(tree: DependencyTree, *, budget: int | None = None) -> int:
    """Return the smallest k for which a tree is mildly ill-nested, so in MG_k.

    It is the smallest gap degree of a binarization, and never below the tree's own gap degree.

    Raises
    ------
    BudgetError : the search ran out of its budget.

    >>> binarization_degree(DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7)))
    2
    """
    heads, masks = tree.heads, projections.tree_masks(tree.heads)
    k = max(map(projections.gap_count, masks))
    for head in sorted({heads[p - 1] for p, _ in projections.interleaving_siblings(heads, masks)}):
        while _search(masks, tree.dependents(head), head, k, budget)[0] is None:
            k += 1
    return k


def _search(
    masks: Sequence[int], dependents: Sequence[int], head: int, k: int, budget: int | None = None
) -> tuple[Bracketing | None, Iterable[int]]:
    """Return how to join two dependents or more within k gaps, None if there is no way; and all unions then built."""
    budget = EFFORTS.ill_nested_pairs if budget is None else budget
    filler = 1 << head
    whole = sum(masks[d] for d in dependents)
    # Each union that can be built, with one way to do so. The newest is extended first, of those the one with
    # the fewest gaps: where k is generous this reaches the whole without looking left or right.
    built: dict[int, Bracketing] = {masks[d]: d for d in dependents}
    todo = list(built)
    looked = 0
    while todo:
        one = todo.pop()
        partners = [other for other in built if not one & other]
        looked += len(built)
        if looked > budget:
            raise BudgetError(f"no answer about the dependents of {head} and {k} gaps after {budget} pairs")
        unions = {one | other: other for other in partners if one | other not in built}
        for union in sorted(unions, key=lambda u: (-_gaps(u, filler), u.bit_count(), u)):
            if _gaps(union, filler) <= k:
                built[union] = (built[one], built[unions[union]])
                if union == whole:
                    return built[union], ()
                todo.append(union)
    return None, built


def joinable(masks: Sequence[int], dependents: Sequence[int], head: int, k: int) -> bool:
    """Return whether the projections of a head's dependents can be joined two at a time within k gaps.

    Parameters
    ----------
    masks : the projection of each word as bits, by its number.
    dependents, head : at least two dependents, and their head, which may fill a gap.
    k : gaps of a union, at most.

    Raises
    ------
    BudgetError : the search ran out of its budget.
    """
    return _search(masks, dependents, head, k)[0] is not None


def _gaps(union: int, filler: int) -> int:
    """Return the number of gaps of a union, with or without its head, whichever is less."""
    return min(projections.gap_count(union), projections.gap_count(union | filler))


# Classes of trees -------------------------------------------------------------------------------------------


class _Family(NamedTuple):
    """A class, or a family of classes with a number: the test of a tree with evidence, and a quicker one."""

    check: Callable[..., Evidence]
    contains: Callable[..., bool] | None = None
    has_projective: bool = True  # all projective trees belong to it


_FAMILIES = {
    "all": _Family(lambda _: Evidence(True, "every tree belongs to this class")),
    "projective": _Family(projections.check_projectivity),
    "planar": _Family(lambda tree: planarity.check_k_planarity(tree, 1), planarity.is_planar),
    "K-planar": _Family(planarity.check_k_planarity, planarity.is_k_planar),
    "1ec": _Family(planarity.check_1ec),
    "1ec-with-root": _Family(partial(planarity.check_1ec, artificial_root=True)),
    "well-nested": _Family(projections.check_well_nestedness),
    "gap-degree-K": _Family(projections.check_gap_degree),
    "wg-K": _Family(projections.check_wg),
    "mg-K": _Family(check_mg),
    "covington-lsup": _Family(projections.check_covington_lsup, has_projective=False),
}

CLASS_NAMES = tuple(_FAMILIES)
"""The names of the classes and families; K stands for a number."""

_PATTERNS = {
    family: re.compile(family.replace("K", "(0|[1-9][0-9]{0,8})")) for family in CLASS_NAMES if "K" in family
}
_SPELT_OUT = tuple(
    name.replace("K", str(k)) for name in CLASS_NAMES for k in range(1, 5) if "K" in name or k == 1
)


class TreeClass(Record):
    """A class of trees, made by `tree_class`.

    Parameters
    ----------
    family : one of `CLASS_NAMES`.
    k : the number that stands for the K of the family, or None.

    >>> tree_class("wg-1").contains(DependencyTree((3, 4, 0, 3)))
    True
    """

    family: str
    k: int | None = None

    @property
    def name(self) -> str:
        """The name that `tree_class` takes."""
        return self.family if self.k is None else self.family.replace("K", str(self.k))

    @property
    def _numbers(self) -> tuple[int, ...]:
        return () if self.k is None else (self.k,)

    @property
    def is_projective(self) -> bool:
        """True if all trees of the class are projective."""
        return self.family in ("projective", "covington-lsup") or self.k == 0

    def contains(self, tree: DependencyTree) -> bool:
        """Whether a tree belongs to the class.

        Raises
        ------
        BudgetError : a search for a colouring or a binarization ran out of its budget.
        """
        family = _FAMILIES[self.family]
        if family.has_projective and projections.has_projective_heads(tree.heads):
            return True
        if family.contains is not None:
            return family.contains(tree, *self._numbers)
        return family.check(tree, *self._numbers).holds

    def check(self, tree: DependencyTree) -> Evidence:
        """Return whether a tree belongs to the class, with the evidence.

        Raises
        ------
        BudgetError : a search for a colouring or a binarization ran out of its budget.

        >>> str(tree_class("projective").check(DependencyTree((3, 0, 2))))
        'the projection of word 3 is interrupted: 1..1, 3..3'
        """
        return _FAMILIES[self.family].check(tree, *self._numbers)

    def __str__(self) -> str:
        return self.name


class OwnClass(Record):
    """A class of trees or graphs of one's own.

    Parameters
    ----------
    test : whether a tree or graph is of the class.
    structures : yields the trees or graphs of n words among which the class is; None for all there are.

    >>> OwnClass(lambda tree: tree.heads[0] == 0).contains(DependencyTree((0, 1)))
    True
    """

    test: Callable[[Any], bool]
    structures: Callable[[int], Iterable[Any]] | None = None

    family, is_projective = "own", False

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.test, "__name__", "own").replace("<lambda>", "own")

    def contains(self, one: Any) -> bool:
        """Whether a tree or graph is of the class."""
        return bool(self.test(one))

    def check(self, one: Any) -> Evidence:
        """Return whether a tree is of the class."""
        return Evidence(self.contains(one), f"{self.name} says {'yes' if self.contains(one) else 'no'}")

    def missing(self, one: Any) -> str | None:
        """Return the name of the class if a graph is not of it."""
        return None if self.contains(one) else self.name


def tree_class(name: str) -> TreeClass:
    """Return the class of trees of a name; `1-planar` is `planar`.

    Raises
    ------
    UsageError : there is no such class.

    >>> tree_class("mg-2")
    TreeClass(family='mg-K', k=2)
    """
    if name in CLASS_NAMES and name not in _PATTERNS:
        return TreeClass(name)
    for family, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(name):
            k = int(match[1])
            if family != "K-planar" or k > 1:
                return TreeClass(family, k)
            if k == 1:
                return TreeClass("planar")
            raise _unknown(name, "planes are counted from 1: planar, 2-planar, 3-planar ...")
    if re.fullmatch("non-?projective", name, re.IGNORECASE):
        raise _unknown(name, "all has the trees that are not projective, too")
    raise _unknown(name, did_you_mean(name, _SPELT_OUT))


def _unknown(name: str, hint: str | None) -> UsageError:
    return UsageError(
        f"there is no class of trees named {name!r}",
        code="unknown-class",
        expected=f"one of {', '.join(CLASS_NAMES)}, with a number for K",
        hint=hint,
    )


class Classification(Record):
    """The place of a tree in the hierarchy of mildly non-projective structures; by default, of a projective one.

    Parameters
    ----------
    projective : the projection of every word is an interval (GCW11, Definition 3).
    planes : the smallest k for which the tree is k-planar, arcs between words only (GN10, section 3).
    planes_with_root : the same with the arcs from the artificial root.
    one_endpoint_crossing, one_endpoint_crossing_with_root : 1-endpoint-crossing (Pitler et al. 2013), likewise.
    gap_degree : the largest number of gaps in a projection (GCW11, Definition 5).
    edge_degree : the largest number of foreign components under a link (Kuhlmann and Nivre 2006).
    well_nested : no two disjoint subtrees interleave (GCW11, Definition 6).
    mg_degree : the smallest k for which the tree is in MG_k (GCW11, Definition 8).
    """

    projective: bool = True
    planes: int = 1
    planes_with_root: int = 1
    one_endpoint_crossing: bool = True
    one_endpoint_crossing_with_root: bool = True
    gap_degree: int = 0
    edge_degree: int = 0
    well_nested: bool = True
    mg_degree: int = 0

    @property
    def mildly_ill_nested(self) -> bool:
        """True if the tree is ill-nested, but only mildly so for its gap degree (GCW11, Table 1)."""
        return not self.well_nested and self.mg_degree == self.gap_degree

    @property
    def strongly_ill_nested(self) -> bool:
        """True if the tree is strongly ill-nested for its gap degree (GCW11, Table 1)."""
        return self.mg_degree > self.gap_degree


_PROJECTIVE = Classification()


def classify(
    tree: DependencyTree, *, budget: int | None = None, most_planes: int | None = None
) -> Classification:
    """Return all measures of a tree.

    Parameters
    ----------
    tree : a tree with one root or several.
    budget : bounds the steps of the two searches that can be long, the colouring of links and the joining
        of dependents; None for their defaults, which no sentence of a treebank comes near.
    most_planes : planes that are counted at most: a tree that needs more has one more than these.

    Raises
    ------
    BudgetError : a search ran out of its budget. Random trees of a hundred words can do that.

    >>> classify(DependencyTree((3, 4, 0, 3))).planes
    2
    >>> classify(DependencyTree((2, 0, 2))).projective
    True
    """
    heads = tree.heads
    if projections.has_projective_heads(heads):
        return _PROJECTIVE
    masks = projections.tree_masks(heads)
    gap_degree = max(map(projections.gap_count, masks))
    ill_nested = bool(projections.interleaving_siblings(heads, masks))
    colouring = EFFORTS.coloured_vertices if budget is None else budget
    planes = planarity.plane_count(tree, budget=colouring, most=most_planes)
    with_root = planarity.plane_count(tree, artificial_root=True, budget=colouring, most=most_planes)
    joined = gap_degree
    if ill_nested:
        limit = EFFORTS.ill_nested_pairs if budget is None else budget
        joined = binarization_degree(tree, budget=limit)
    return Classification(
        projective=False,
        planes=planes,
        planes_with_root=with_root,
        one_endpoint_crossing=planarity.check_1ec(tree).holds,
        one_endpoint_crossing_with_root=planarity.check_1ec(tree, artificial_root=True).holds,
        gap_degree=gap_degree,
        edge_degree=projections.edge_degree(heads, masks),
        well_nested=not ill_nested,
        mg_degree=joined,
    )


# Classes of graphs ------------------------------------------------------------------------------------------


def has_covered_roots(graph: DependencyGraph) -> bool:
    """Whether some word without a head stands strictly between the ends of an arc.

    References
    ----------
    Gómez-Rodríguez & Nivre 2013, section 2.

    >>> has_covered_roots(DependencyGraph(3, {(1, 3)}))
    True
    """
    headed = {d for d, _ in graph.links}
    return any(set(range(min(link) + 1, max(link))) - headed for link in graph.links)


def _has_no_cycles(graph: DependencyGraph) -> bool:
    """Whether no arcs, whatever their direction, make a cycle; two arcs between two words do."""
    arcs = [(d - 1, h - 1) for d, h in graph.links]
    return len(arcs) + len(components(graph.size, arcs)) == graph.size


def _is_connected(graph: DependencyGraph) -> bool:
    """Whether arcs, whatever their direction, lead from each word to each other."""
    return len(components(graph.size, [(d - 1, h - 1) for d, h in graph.links])) == 1


def _is_tree(graph: DependencyGraph) -> bool:
    """Whether all words but one have one head each, and arcs lead from that one to all others."""
    return len(graph.links) == graph.size - 1 == len({d for d, _ in graph.links}) and _is_connected(graph)


PROPERTIES: Mapping[str, Callable[[DependencyGraph], bool]] = {
    "planar": planarity.is_planar,
    "2-planar": lambda graph: planarity.is_k_planar(graph, 2),
    "3-planar": lambda graph: planarity.is_k_planar(graph, 3),
    "single-headed": lambda graph: check_single_headedness(graph).holds,
    "acyclic": lambda graph: check_acyclicity(graph).holds,
    "no-cycles": _has_no_cycles,
    "one-way": lambda graph: not any(link[::-1] in graph.links for link in graph.links),
    "no-covered-roots": lambda graph: not has_covered_roots(graph),
    "connected": _is_connected,
    "tree": _is_tree,
}
"""`acyclic` is about directed cycles, `no-cycles` about those of any direction, `one-way` about pairs of words. A
`tree` has one word without a head, and arcs that connect it with all others."""

_IMPLIED = {
    ("planar",): {"2-planar", "3-planar"},
    ("2-planar",): {"3-planar"},
    ("acyclic",): {"one-way"},
    ("no-cycles",): {"acyclic", "one-way"},
    ("single-headed", "acyclic"): {"no-cycles", "one-way"},
    ("tree",): {"single-headed", "acyclic", "no-cycles", "one-way", "connected"},
}


class GraphClass(Record):
    """The graphs with some properties, by the names of `PROPERTIES`; make one with `graph_class`."""

    properties: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name that `graph_class` takes."""
        return "+".join(self.properties) or "all"

    def missing(self, graph: DependencyGraph) -> str | None:
        """Return the first property that a graph lacks, None if it is of the class."""
        return next((name for name in self.properties if not PROPERTIES[name](graph)), None)

    def graphs(self, n: int) -> Iterator[DependencyGraph]:
        """Yield the graphs of the class with n words, those with fewer arcs first.

        There are 2^(n(n-1)) graphs, of which all are looked at unless words have one head.
        """
        pairs = list(permutations(range(1, n + 1), 2))
        some: Iterable[Sequence[tuple[int, int]]]
        if not {"single-headed", "tree"}.isdisjoint(self.properties):
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
    """Return the smallest class that all of these graphs belong to; properties implied by others are left out.

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
    implied -= {"acyclic"} if "single-headed" in common and "tree" not in common else set()
    return GraphClass(tuple(name for name in common if name not in implied))
