"""The classes of trees by name, and all measures of a tree at once.

A `TreeClass` is a name, such as `projective`, `2-planar` or `wg-1`, that can be asked which trees belong to it, and
why. Most classes come in families with a number; every member of a family has a name.

`classify` is fast enough for treebanks. Most sentences of a treebank are projective, and for these everything follows
from one pass over the heads. For the others the projections are computed once, as bit masks, and shared by the
measures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from schemata.errors import UsageError, did_you_mean
from schemata.quick_dataclasses import Record
from schemata.structures import binarization, planarity, projections
from schemata.structures.graphs import Evidence
from schemata.structures.trees import DependencyTree


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
    "mg-K": _Family(binarization.check_mg),
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
        """Tell whether a tree belongs to the class.

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
        """Tell whether a tree or graph is of the class."""
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
    if projections.has_projective_heads(heads):
        return _PROJECTIVE
    masks = projections.tree_masks(heads)
    gap_degree = max(map(projections.gap_count, masks))
    ill_nested = bool(projections.interleaving_siblings(heads, masks))
    colouring = planarity.DEFAULT_BUDGET if budget is None else budget
    planes = planarity.plane_count(tree, budget=colouring)
    with_root = planarity.plane_count(tree, artificial_root=True, budget=colouring)
    joined = gap_degree
    if ill_nested:
        limit = binarization.DEFAULT_BUDGET if budget is None else budget
        joined = binarization.binarization_degree(tree, budget=limit)
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
