"""The classes of trees by name: `projective`, `2-planar`, `wg-1` and so on.

A `TreeClass` is a name that can be asked which trees belong to it, and why. Most classes come in families
with a number; every member of a family has a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from schemata.errors import Diagnostic, UsageError, did_you_mean
from schemata.structures.binarization import check_mg, is_mg
from schemata.structures.gaps import check_gap_degree, has_gap_degree
from schemata.structures.nesting import check_well_nestedness, check_wg, is_well_nested, is_wg
from schemata.structures.planarity import check_k_planarity, is_k_planar
from schemata.structures.projectivity import (
    check_covington_lsup,
    check_projectivity,
    has_projective_heads,
    is_covington_lsup,
)
from schemata.structures.trees import DependencyTree

__all__ = ["CLASS_NAMES", "Evidence", "Membership", "TreeClass", "tree_class"]

CLASS_NAMES = (
    "all",
    "projective",
    "planar",
    "K-planar",
    "well-nested",
    "gap-degree-K",
    "wg-K",
    "mg-K",
    "covington-lsup",
)
"""The names of the classes and families; K stands for a number."""

_NUMBER = r"(0|[1-9][0-9]{0,8})"
_FAMILIES = (
    ("K-planar", re.compile(rf"{_NUMBER}-planar")),
    ("gap-degree-K", re.compile(rf"gap-degree-{_NUMBER}")),
    ("wg-K", re.compile(rf"wg-{_NUMBER}")),
    ("mg-K", re.compile(rf"mg-{_NUMBER}")),
)
_SPELT_OUT = tuple(
    name.replace("K", str(k)) for name in CLASS_NAMES for k in range(1, 5) if "K" in name or k == 1
)


class Evidence(Protocol):
    """An answer with its reason: a frozen dataclass whose text is one line for people to read."""

    @property
    def holds(self) -> bool:
        """Whether the answer is yes."""
        ...

    def __str__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Membership:
    """The evidence for a class without conditions."""

    holds: bool = True

    def __str__(self) -> str:
        return "every tree belongs to this class"


@dataclass(frozen=True, slots=True)
class TreeClass:
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
    def is_projective(self) -> bool:
        """Whether all trees of the class are projective."""
        return self.family in ("projective", "covington-lsup") or self.k == 0

    def contains(self, tree: DependencyTree) -> bool:
        """Tell whether a tree belongs to the class.

        Raises
        ------
        BudgetError : a search for a colouring or a binarization ran out of its budget.
        """
        k = self.k or 0
        match self.family:
            case "projective":
                return has_projective_heads(tree.heads)
            case "covington-lsup":
                return is_covington_lsup(tree)
            case "all":
                return True
            case _ if has_projective_heads(tree.heads):
                return True
            case "planar":
                return is_k_planar(tree, 1)
            case "K-planar":
                return is_k_planar(tree, k)
            case "well-nested":
                return is_well_nested(tree)
            case "gap-degree-K":
                return has_gap_degree(tree, k)
            case "wg-K":
                return is_wg(tree, k)
            case "mg-K":
                return is_mg(tree, k)
        raise AssertionError(f"{self.family} is no family of classes")

    def check(self, tree: DependencyTree) -> Evidence:
        """Return whether a tree belongs to the class, with the evidence.

        Raises
        ------
        BudgetError : a search for a colouring or a binarization ran out of its budget.

        >>> str(tree_class("projective").check(DependencyTree((3, 0, 2))))
        'the projection of word 3 is interrupted: 1..1, 3..3'
        """
        k = self.k or 0
        match self.family:
            case "all":
                return Membership()
            case "projective":
                return check_projectivity(tree)
            case "covington-lsup":
                return check_covington_lsup(tree)
            case "planar":
                return check_k_planarity(tree, 1)
            case "K-planar":
                return check_k_planarity(tree, k)
            case "well-nested":
                return check_well_nestedness(tree)
            case "gap-degree-K":
                return check_gap_degree(tree, k)
            case "wg-K":
                return check_wg(tree, k)
            case "mg-K":
                return check_mg(tree, k)
        raise AssertionError(f"{self.family} is no family of classes")

    def __str__(self) -> str:
        return self.name


def tree_class(name: str) -> TreeClass:
    """Return the class of trees of a name; `1-planar` is `planar`.

    Raises
    ------
    UsageError : there is no such class.

    >>> tree_class("mg-2")
    TreeClass(family='mg-K', k=2)
    """
    if name in CLASS_NAMES and "K" not in name:
        return TreeClass(name)
    for family, pattern in _FAMILIES:
        if found := pattern.fullmatch(name):
            k = int(found[1])
            if family != "K-planar" or k > 1:
                return TreeClass(family, k)
            if k == 1:
                return TreeClass("planar")
            raise _unknown(name, "planes are counted from 1: planar, 2-planar, 3-planar ...")
    raise _unknown(name, did_you_mean(name, _SPELT_OUT))


def _unknown(name: str, hint: str | None) -> UsageError:
    return UsageError(
        Diagnostic(
            "unknown-class",
            f"there is no class of trees named {name!r}",
            expected=f"one of {', '.join(CLASS_NAMES)}, with a number for K",
            hint=hint,
        )
    )
