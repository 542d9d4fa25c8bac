"""Sentences, dependency trees and graphs, linkages, and the classes of structures in the literature.

Questions with a yes or no are functions `is_...`; each has a partner `check_...` that returns the evidence.
"""

# ruff: noqa: F403

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.lazy_imports import lazy_names
from schemata.structures.sentence import Sentence as Sentence
from schemata.structures.trees import DependencyTree as DependencyTree

if TYPE_CHECKING:
    from schemata.structures.binarization import *
    from schemata.structures.classes import *
    from schemata.structures.connectors import *
    from schemata.structures.generation import *
    from schemata.structures.graphs import *
    from schemata.structures.linkage_generation import *
    from schemata.structures.linkages import *
    from schemata.structures.planarity import *
    from schemata.structures.projections import *

# A sentence and a tree are wanted by everyone; the classes of trees only where they are asked about.
__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "binarization": (
            "HeadBinarization MildIllNestedness binarization_degree check_mg check_mild_ill_nestedness "
            "is_mg is_mildly_ill_nested"
        ),
        "classes": "CLASS_NAMES Classification Evidence TreeClass classify tree_class",
        "connectors": "Connector common_label connectors_match read_connector",
        "generation": (
            "all_trees maximum_spanning_tree planar_trees projective_trees random_projective_tree random_tree "
            "random_tree_of_class trees_of_class"
        ),
        "graphs": (
            "Acyclicity Connectedness DependencyGraph SingleHeadedness check_acyclicity "
            "check_connectedness check_single_headedness is_acyclic is_connected is_single_headed "
            "is_tree"
        ),
        "linkage_generation": "all_linkages random_disjuncts random_linkage",
        "linkages": (
            "Disjunct Exclusion LabelledLink Labelling LinkLengths Linkage LinkagePlanarity LinkageProperties "
            "Satisfaction cheapest_first check_exclusion check_labelling check_link_lengths check_linkage "
            "check_linkage_connectedness check_linkage_planarity check_satisfaction is_linkage labelled_link"
        ),
        "planarity": (
            "Multiplanarity Planarity check_k_planarity check_planarity crossing_links is_k_planar "
            "is_planar plane_count"
        ),
        "projections": (
            "EdgeDegree GapDegree LeftSubtreesFirst MildNonProjectivity Projectivity WellNestedness "
            "check_covington_lsup check_edge_degree check_gap_degree check_projectivity check_well_nestedness check_wg "
            "edge_degree gap_degree has_gap_degree is_covington_lsup is_projective is_well_nested is_wg projection"
        ),
        "sentence": "Sentence",
        "trees": "DependencyTree",
    },
)
