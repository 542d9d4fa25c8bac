"""What charts of dependency schemata build, judged: trees, what is none, how near a chart comes to a tree it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, TypeAlias

from schemata.engine.chart import Chart
from schemata.errors import BudgetError, SchemataError
from schemata.forest.forest import Forest
from schemata.forest.states import all_states, finished_states
from schemata.forest.trees import Building, State
from schemata.json_values import json_of
from schemata.quick_dataclasses import Record, replace
from schemata.structures import DependencyGraph, check_acyclicity, check_single_headedness
from schemata.verification.grammars import Heads, Links
from schemata.verification.verdicts import Missed, Piece

Link: TypeAlias = tuple[int, int]

_PIECES = 10  # how many of the derivable items are kept
_CANDIDATES = 600  # how many structures are paired
ITEM_UNIONS = 1_000_000  # the unions of sets of links that the structures of all items of a chart may take


class Structure(Record):
    """A set of links, with its heads if it is a tree, else with the reason why it is no tree."""

    links: Links
    heads: Heads | None
    fault: str | None

    @property
    def key(self) -> tuple[object, ...]:
        """The order of structures of one length: trees by their heads, then what is no tree, fewer links first."""
        return self.heads is None, self.heads or (), len(self.links), self.links

    to_json = json_of("links heads")


def derive_structures(forest: Forest, root_node: bool, unions: int) -> list[Structure]:
    """Return the structures of a forest's final items in no particular order.

    Raises
    ------
    BudgetError : finding them takes more unions of sets of links.
    """
    if not forest.roots:
        return []
    building = Building.of(forest.chart)
    states = finished_states(forest, building, unions)
    if states is None:
        raise BudgetError(f"the structures of a chart take more than {unions} unions of links")
    return [read(building, state, root_node) for state in states]


def read(building: Building, state: State, root_node: bool) -> Structure:
    """Return what a finished state has built, judged."""
    heads, links = building.structure(state), building.built(state)
    if heads is not None and (not root_node or any(h == 0 for _, h in links)):
        return Structure(links, heads, None)
    graph = DependencyGraph(building.n, links)
    if not (headed := check_single_headedness(graph)).holds:
        return Structure(links, None, str(headed))
    if not (acyclic := check_acyclicity(graph)).holds:
        return Structure(links, None, f"a {acyclic}")
    if not building.names_words(state):
        return Structure(links, None, "a link to a position that is no word")
    headless = sorted({*range(1, building.n + 1)} - {d for d, _ in links})
    named = ", ".join(map(str, headless))
    fault = f"word {named} has no head" if len(headless) == 1 else f"words {named} have no head"
    return Structure(links, None, fault)


def explain_missing(example: Missed, chart: Chart, links: Links) -> Missed:
    """Return a tree that a chart lacks, with what the chart has.

    Parameters
    ----------
    example : the tree.
    chart : the chart, best one under the tree's own grammar.
    links : the links that the tree is derived with.
    """
    wanted = frozenset(links)
    pieces = _structures(chart)
    used = {x for instance in chart.instances() for x in instance.antecedents}
    ends = [
        Piece(str(chart.item(x)), max(found, key=lambda links: len(wanted.intersection(links)), default=()))
        for x, found in pieces.items()
        if x not in used
    ]
    ends.sort(key=lambda piece: -len(wanted.intersection(piece.links)))
    built = {link[:2] for instance in chart.instances() for link in instance.links}
    built |= {link for found in pieces.values() for links in found for link in links}
    missing = tuple(sorted(wanted - built))
    return replace(
        example,
        accepted=chart.accepted,
        pieces=tuple(ends[:_PIECES]),
        missing=missing,
        nearest=() if missing else _nearest(chart, pieces, wanted),
        why_not=_reasons(chart),
    )


def _structures(chart: Chart) -> dict[int, list[Links]]:
    """Return the sets of links that the derivations of each derived item have built; none where they are too many."""
    derived = frozenset(chart.derived_ids)
    whole = Chart(chart.schema, chart.sentence, chart.grammar, chart.raw, derived, chart.seconds)
    building = Building.of(chart)
    states = all_states(whole.forest(), building, ITEM_UNIONS) or {}
    return {x: sorted({read(building, s, True).links for s in states.get(x, ())}) for x in chart.derived_ids}


def _nearest(chart: Chart, pieces: Mapping[int, list[Links]], wanted: frozenset[Link]) -> tuple[Piece, ...]:
    """Return two items whose structures, without a link in common, hold as much of a tree as any two do."""
    candidates: dict[Links, int] = {}
    for item, found in pieces.items():
        for links in found:
            if links and wanted.issuperset(links):
                candidates.setdefault(links, item)
    best: tuple[int, int] = (0, 0)
    chosen: tuple[Piece, ...] = ()
    for one, other in combinations(sorted(candidates)[:_CANDIDATES], 2):
        if not set(one) & set(other):
            # Of the pairs that hold as much, the most even one shows best what was not put together.
            score = len(one) + len(other), min(len(one), len(other))
            if score > best:
                best = score
                chosen = tuple(Piece(str(chart.item(candidates[k])), k) for k in (one, other))
    return chosen


def _reasons(chart: Chart) -> Any:
    """Return why no final item is derivable; not for rules, where the search may take seconds."""
    if chart.accepted or chart.schema.grammar != "d-rules":
        return None
    from schemata.analysis.why_not import why_not

    try:
        return replace(why_not(chart), chart=None)
    except SchemataError:
        return None
