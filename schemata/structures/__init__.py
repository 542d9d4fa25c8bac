"""Dependency trees and graphs, sentences, and the classes of structures that the papers tell apart.

Questions with a yes or no are functions `is_...`; each has a partner `check_...` that returns the evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.lazy_imports import lazy_names
from schemata.structures.sentence import Sentence
from schemata.structures.trees import DependencyTree

if TYPE_CHECKING:
    from schemata.structures.binarization import (
        HeadBinarization,
        MildIllNestedness,
        binarization_degree,
        check_mg,
        check_mild_ill_nestedness,
        is_mg,
        is_mildly_ill_nested,
    )
    from schemata.structures.classes import CLASS_NAMES, Evidence, TreeClass, tree_class
    from schemata.structures.classification import Classification, classify
    from schemata.structures.connectors import Connector, common_label, connectors_match, read_connector
    from schemata.structures.decode import maximum_spanning_tree
    from schemata.structures.enumeration import all_trees, planar_trees, projective_trees, trees_of_class
    from schemata.structures.gaps import (
        EdgeDegree,
        GapDegree,
        check_edge_degree,
        check_gap_degree,
        edge_degree,
        gap_degree,
        has_gap_degree,
    )
    from schemata.structures.graphs import (
        Acyclicity,
        Connectedness,
        DependencyGraph,
        SingleHeadedness,
        check_acyclicity,
        check_connectedness,
        check_single_headedness,
        is_acyclic,
        is_connected,
        is_single_headed,
        is_tree,
    )
    from schemata.structures.linkage_checks import (
        Exclusion,
        Labelling,
        LinkagePlanarity,
        LinkageProperties,
        LinkLengths,
        Satisfaction,
        check_exclusion,
        check_labelling,
        check_link_lengths,
        check_linkage,
        check_linkage_connectedness,
        check_linkage_planarity,
        check_satisfaction,
        is_linkage,
    )
    from schemata.structures.linkage_enumeration import (
        all_linkages,
    )
    from schemata.structures.linkage_sampling import random_disjuncts, random_linkage
    from schemata.structures.linkages import (
        Disjunct,
        LabelledLink,
        Linkage,
        cheapest_first,
        labelled_link,
    )
    from schemata.structures.nesting import (
        MildNonProjectivity,
        WellNestedness,
        check_well_nestedness,
        check_wg,
        is_well_nested,
        is_wg,
    )
    from schemata.structures.planarity import (
        Multiplanarity,
        Planarity,
        check_k_planarity,
        check_planarity,
        crossing_links,
        is_k_planar,
        is_planar,
        plane_count,
    )
    from schemata.structures.projections import projection
    from schemata.structures.projectivity import (
        LeftSubtreesFirst,
        Projectivity,
        check_covington_lsup,
        check_projectivity,
        is_covington_lsup,
        is_projective,
    )
    from schemata.structures.sampling import random_projective_tree, random_tree, random_tree_of_class

__all__ = [
    "CLASS_NAMES",
    "Acyclicity",
    "Classification",
    "Connectedness",
    "Connector",
    "DependencyGraph",
    "DependencyTree",
    "Disjunct",
    "EdgeDegree",
    "Evidence",
    "Exclusion",
    "GapDegree",
    "HeadBinarization",
    "LabelledLink",
    "Labelling",
    "LeftSubtreesFirst",
    "LinkLengths",
    "Linkage",
    "LinkagePlanarity",
    "LinkageProperties",
    "MildIllNestedness",
    "MildNonProjectivity",
    "Multiplanarity",
    "Planarity",
    "Projectivity",
    "Satisfaction",
    "Sentence",
    "SingleHeadedness",
    "TreeClass",
    "WellNestedness",
    "all_linkages",
    "all_trees",
    "binarization_degree",
    "cheapest_first",
    "check_acyclicity",
    "check_connectedness",
    "check_covington_lsup",
    "check_edge_degree",
    "check_exclusion",
    "check_gap_degree",
    "check_k_planarity",
    "check_labelling",
    "check_link_lengths",
    "check_linkage",
    "check_linkage_connectedness",
    "check_linkage_planarity",
    "check_mg",
    "check_mild_ill_nestedness",
    "check_planarity",
    "check_projectivity",
    "check_satisfaction",
    "check_single_headedness",
    "check_well_nestedness",
    "check_wg",
    "classify",
    "common_label",
    "connectors_match",
    "crossing_links",
    "edge_degree",
    "gap_degree",
    "has_gap_degree",
    "is_acyclic",
    "is_connected",
    "is_covington_lsup",
    "is_k_planar",
    "is_linkage",
    "is_mg",
    "is_mildly_ill_nested",
    "is_planar",
    "is_projective",
    "is_single_headed",
    "is_tree",
    "is_well_nested",
    "is_wg",
    "labelled_link",
    "maximum_spanning_tree",
    "planar_trees",
    "plane_count",
    "projection",
    "projective_trees",
    "random_disjuncts",
    "random_linkage",
    "random_projective_tree",
    "random_tree",
    "random_tree_of_class",
    "read_connector",
    "tree_class",
    "trees_of_class",
]

# A sentence and a tree are wanted by everyone; the classes of trees only where they are asked about.
_MODULES = {
    "binarization": (
        "HeadBinarization MildIllNestedness binarization_degree check_mg check_mild_ill_nestedness "
        "is_mg is_mildly_ill_nested"
    ),
    "classes": "CLASS_NAMES Evidence TreeClass tree_class",
    "classification": "Classification classify",
    "connectors": "Connector common_label connectors_match read_connector",
    "decode": "maximum_spanning_tree",
    "enumeration": "all_trees planar_trees projective_trees trees_of_class",
    "gaps": "EdgeDegree GapDegree check_edge_degree check_gap_degree edge_degree gap_degree has_gap_degree",
    "graphs": (
        "Acyclicity Connectedness DependencyGraph SingleHeadedness check_acyclicity "
        "check_connectedness check_single_headedness is_acyclic is_connected is_single_headed "
        "is_tree"
    ),
    "linkage_checks": (
        "Exclusion Labelling LinkLengths LinkagePlanarity LinkageProperties Satisfaction check_exclusion "
        "check_labelling check_link_lengths check_linkage check_linkage_connectedness check_linkage_planarity "
        "check_satisfaction is_linkage"
    ),
    "linkage_enumeration": "all_linkages",
    "linkage_sampling": "random_disjuncts random_linkage",
    "linkages": "Disjunct LabelledLink Linkage cheapest_first labelled_link",
    "nesting": "MildNonProjectivity WellNestedness check_well_nestedness check_wg is_well_nested is_wg",
    "planarity": (
        "Multiplanarity Planarity check_k_planarity check_planarity crossing_links is_k_planar "
        "is_planar plane_count"
    ),
    "projections": "projection",
    "projectivity": (
        "LeftSubtreesFirst Projectivity check_covington_lsup check_projectivity is_covington_lsup "
        "is_projective"
    ),
    "sampling": "random_projective_tree random_tree random_tree_of_class",
}
__getattr__, __dir__ = lazy_names(__name__, _MODULES)
