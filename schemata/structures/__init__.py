"""Sentences, dependency trees and graphs, linkages, and the classes of structures in the literature.

Questions with a yes or no are functions `check_...`, which return the evidence.
"""

# ruff: noqa: F403

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.quick_start import lazy_names
from schemata.structures.graphs import DependencyTree as DependencyTree
from schemata.structures.sentence import Sentence as Sentence

if TYPE_CHECKING:
    from schemata.structures.classes import *
    from schemata.structures.generation import *
    from schemata.structures.graphs import *
    from schemata.structures.linkages import *
    from schemata.structures.planarity import *
    from schemata.structures.projections import *

# A sentence and a tree are wanted by everyone; the classes of trees only where they are asked about.
__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "classes": "CLASS_NAMES Classification TreeClass binarization_degree check_mg classify tree_class",
        "generation": (
            "all_linkages all_trees random_disjuncts random_linkage random_projective_tree random_tree "
            "random_tree_of_class trees_of_class"
        ),
        "graphs": "DependencyGraph DependencyTree Evidence check_acyclicity check_single_headedness",
        "linkages": (
            "Connector Disjunct LabelledLink Linkage check_linkage cheapest_first common_label connectors_match "
            "labelled_link read_connector"
        ),
        "planarity": "check_1ec check_k_planarity is_k_planar is_planar plane_count",
        "projections": (
            "check_covington_lsup check_gap_degree check_projectivity check_well_nestedness check_wg edge_degree "
            "gap_degree"
        ),
        "sentence": "Sentence",
    },
)
