"""All measures of a tree at once, fast enough for treebanks.

Most sentences of a treebank are projective, and for these everything follows from one pass over the heads.
For the others the projections are computed once, as bit masks, and shared by the measures.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemata.structures import binarization, colouring
from schemata.structures.gaps import edge_degree_of
from schemata.structures.nesting import interleaving_siblings
from schemata.structures.planarity import crossings_graph, smallest_plane_count
from schemata.structures.projections import gap_count, tree_masks
from schemata.structures.projectivity import has_projective_heads
from schemata.structures.trees import DependencyTree

__all__ = ["Classification", "classify"]


@dataclass(frozen=True, slots=True)
class Classification:
    """Where a tree stands in the hierarchy of mildly non-projective structures.

    Parameters
    ----------
    projective : the projection of every word is an interval (GCW11, Definition 3).
    planes : the smallest k for which the tree is k-planar, arcs between words only (GN10, section 3).
    planes_with_root : the same with the arcs from the artificial root.
    gap_degree : the largest number of gaps in a projection (GCW11, Definition 5).
    edge_degree : the largest number of foreign components under a link (Kuhlmann and Nivre 2006).
    well_nested : no two disjoint subtrees interleave (GCW11, Definition 6).
    binarization_degree : the smallest k for which the tree is in MG_k (GCW11, Definition 8).
    """

    projective: bool
    planes: int
    planes_with_root: int
    gap_degree: int
    edge_degree: int
    well_nested: bool
    binarization_degree: int

    @property
    def planar(self) -> bool:
        """Whether no two arcs between words cross."""
        return self.planes == 1

    @property
    def wg_degree(self) -> int | None:
        """The smallest k for which the tree is in WG_k, or None if it is ill-nested."""
        return self.gap_degree if self.well_nested else None

    @property
    def mg_degree(self) -> int:
        """The smallest k for which the tree is in MG_k."""
        return self.binarization_degree

    @property
    def mildly_ill_nested(self) -> bool:
        """Whether the tree is ill-nested, but only mildly so for its gap degree (GCW11, Table 1)."""
        return not self.well_nested and self.binarization_degree == self.gap_degree

    @property
    def strongly_ill_nested(self) -> bool:
        """Whether the tree is strongly ill-nested for its gap degree (GCW11, Table 1)."""
        return self.binarization_degree > self.gap_degree


_PROJECTIVE = Classification(
    projective=True,
    planes=1,
    planes_with_root=1,
    gap_degree=0,
    edge_degree=0,
    well_nested=True,
    binarization_degree=0,
)


def classify(tree: DependencyTree, *, budget: int | None = None) -> Classification:
    """Return all measures of a tree.

    Parameters
    ----------
    tree : a tree with one root or several.
    budget : bounds the steps of the two searches that can be long, the colouring of links and the joining
        of dependents; None for their defaults, which no sentence of a treebank comes near.

    Raises
    ------
    BudgetError : a search ran out of its budget. Random trees of a hundred words can do that.

    >>> classify(DependencyTree((3, 4, 0, 3))).planes
    2
    >>> classify(DependencyTree((2, 0, 2))).projective
    True
    """
    heads = tree.heads
    if has_projective_heads(heads):
        return _PROJECTIVE
    masks = tree_masks(heads)
    gap_degree = max(map(gap_count, masks))
    ill_nested = bool(interleaving_siblings(heads, masks))
    planes, planes_with_root = _plane_counts(heads, colouring.DEFAULT_BUDGET if budget is None else budget)
    joined = gap_degree
    if ill_nested:
        joined = binarization.binarization_degree_of(
            heads, masks, gap_degree, budget=binarization.DEFAULT_BUDGET if budget is None else budget
        )
    return Classification(
        projective=False,
        planes=planes,
        planes_with_root=planes_with_root,
        gap_degree=gap_degree,
        edge_degree=edge_degree_of(heads, masks),
        well_nested=not ill_nested,
        binarization_degree=joined,
    )


def _plane_counts(heads: tuple[int, ...], budget: int) -> tuple[int, int]:
    """Return the number of planes without and with the arcs from the artificial root."""
    arcs = []
    covers = []
    for d, h in enumerate(heads, 1):
        # Arcs between neighbours cross nothing; those from the root are told apart by their left end 0.
        if h > d + 1:
            arcs.append((d, h))
        elif h < d - 1:
            if h:
                arcs.append((h, d))
            else:
                covers.append((0, d))
    arcs.sort()
    words_only = smallest_plane_count(arcs, crossings_graph(arcs), budget=budget)
    covers.sort()
    both = covers + arcs
    if not any(left < root < right for left, right in arcs for _, root in covers):
        return words_only, words_only
    return words_only, smallest_plane_count(both, crossings_graph(both), budget=budget)
