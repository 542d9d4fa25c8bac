"""The map of the field: every relation claimed of shipped schemata, with its verdict, as a graph of schemata.

It is the executable version of GCW11, Figure 6. A claim that does not hold keeps its arrow, with the counterexample
and the relations that hold between the two schemata instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemata.json_values import json_of
from schemata.language.library import shipped_relations
from schemata.language.relation_model import CHAINS, Kind, Relation
from schemata.language.relations import load_relation
from schemata.language.typeset import reference_of
from schemata.quick_dataclasses import Record
from schemata.relations.answers import Answer
from schemata.relations.discovery import decide_claim, discover
from schemata.relations.systems import SharedSystems
from schemata.verification.verdicts import all_of
from schemata.workbench import Watcher

if TYPE_CHECKING:
    import networkx as nx

ABBREVIATIONS: dict[str, str] = {
    "step-refinement": "sr",
    "step-contraction": "sc",
    "item-refinement": "ir",
    "item-contraction": "ic",
    "static-filter": "sf",
    "dynamic-filter": "df",
}
_GENERALISES = frozenset(("step-refinement", "item-refinement"))
_LABELS_N = 2  # words at most over Link Grammar, where the dictionary of everything grows fast


class Arrow(Record):
    """A claimed relation and what was found.

    Attributes
    ----------
    name : the relation file.
    first, second : the schemata.
    kind : the kind that is claimed.
    reference : where it is claimed.
    answers : the decision; for a chain, of each part.
    instead : what holds between the two where the claim does not.
    """

    name: str
    first: str
    second: str
    kind: Kind
    reference: str | None
    answers: tuple[Answer, ...]
    instead: tuple[Answer, ...] = ()

    @property
    def is_chain(self) -> bool:
        """Whether the claim is of several relations, one after the other."""
        return self.kind in CHAINS

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds; None where it is not known."""
        return all_of(*(answer.holds for answer in self.answers))

    to_json = json_of(
        "relation=name from=first to=second kind holds source=reference relations=answers instead"
    )


def field_map(
    max_n: int,
    *,
    names: Sequence[str] | None = None,
    systems: SharedSystems | None = None,
    watch: Watcher | None = None,
) -> tuple[Arrow, ...]:
    """Decide every claim of the shipped relation files.

    Parameters
    ----------
    max_n : the number of words, at most; over Link Grammar fewer.
    names : the relation files; all of them if None.
    systems : kernels and systems to be shared.
    watch : wraps the claims, for a progress bar.

    Returns
    -------
    One arrow for each claim, in the order of the files. Ctrl-C ends with the arrow it falls into, whose answer
    says so.
    """
    systems = systems or SharedSystems()
    claims = [
        claim
        for name in (shipped_relations() if names is None else names)
        for claim in load_relation(name).relations
    ]
    found: list[Arrow] = []
    for claim in claims if watch is None else watch(claims, len(claims), "relations"):
        arrow = _decided(claim, max_n, systems)
        found.append(arrow)
        if any(answer.stopped == "interrupt" for answer in (*arrow.answers, *arrow.instead)):
            break
    return tuple(found)


def _decided(claim: Relation, max_n: int, systems: SharedSystems) -> Arrow:
    assert claim.kind is not None
    labels = claim.first.grammar == "link-grammar"
    most = min(max_n, _LABELS_N) if labels else max_n
    answers = decide_claim(claim, most, systems=systems)
    instead: tuple[Answer, ...] = ()
    if any(answer.holds is False for answer in answers) and claim.kind not in CHAINS and not labels:
        instead = tuple(discover(claim.first, claim.second, most, systems=systems))
    first, second = reference_of(claim.first), reference_of(claim.second)
    return Arrow(claim.name, first, second, claim.kind, claim.reference, answers, instead)


def graph_of(arrows: Sequence[Arrow]) -> nx.MultiDiGraph[str]:
    """Return the graph: schemata as nodes, arrows as edges with `label` and `holds`; chains are left out."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for arrow in arrows:
        if not arrow.is_chain:
            label = ABBREVIATIONS[arrow.kind]
            graph.add_edge(arrow.first, arrow.second, label=label, holds=arrow.holds, kind=arrow.kind)
    return graph


def levels_of(graph: nx.MultiDiGraph[str]) -> dict[str, int]:
    """Return how high each schema stands: generalisations lead upwards, filters and contractions downwards."""
    import networkx as nx

    upwards: nx.DiGraph[str] = nx.DiGraph()
    upwards.add_nodes_from(graph)
    for first, second, data in graph.edges(data=True):
        upwards.add_edge(*((first, second) if data["kind"] in _GENERALISES else (second, first)))
    condensed = nx.condensation(upwards)
    height: dict[int, int] = {}
    for group in nx.topological_sort(condensed):
        height[group] = max((height[below] + 1 for below in condensed.predecessors(group)), default=0)
    # A schema that only reaches upwards stands right below what it reaches.
    for group in reversed(list(nx.topological_sort(condensed))):
        above = [height[other] for other in condensed.successors(group)]
        if above and not list(condensed.predecessors(group)):
            height[group] = min(above) - 1
    return {name: height[group] for group in condensed for name in condensed.nodes[group]["members"]}
