"""The figures of one run, as people and programs get them: counts, derivations, distinct trees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from schemata.engine.chart import Chart
from schemata.errors import Diagnostic
from schemata.forest.trees import EFFORT, iterate_trees
from schemata.structures import DependencyTree

if TYPE_CHECKING:
    from schemata.forest.linkages import LinkageCount
    from schemata.structures import Linkage

__all__ = ["WHOLE_FOREST", "RunResult", "chart_result", "run_result", "warnings_json", "warnings_of"]

_LONGEST = 14_000  # bits; Python writes integers of at most 4,300 digits
WHOLE_FOREST = 25_000_000  # step instances up to which derivations are counted: some ten seconds
_PARTIAL_BYTES = 200_000_000  # and the memory that listing its step instances may take
_PARTIAL_FOREST = 200_000  # step instances up to which a stopped run's derivations are still counted


@dataclass(frozen=True, slots=True)
class RunResult:
    """A chart's figures; `distinct_trees` is None where the budget did not suffice for the exact number.

    Of a chart of more than 25 million step instances, derivations are not counted (None), only some trees listed.

    `trees` are at most as many as asked for; `trees_complete` says that there are no others. `stopped` names
    the budget that ended the run early, if one did: then `derivations` is None, since more may be to come, and
    the forest of a long run is not looked at. Over a Link Grammar dictionary there are no trees; `linkages` are
    the cheapest ones, and `linkage_count` says how many there are.
    """

    chart: Chart
    derivations: int | float | None
    distinct_trees: int | None
    distinct_trees_at_least: int
    not_trees: int | None
    trees: tuple[DependencyTree, ...]
    useful_items: int | None
    stopped: str | None
    linkages: tuple[Linkage, ...] = ()
    linkage_count: LinkageCount | None = None

    @property
    def trees_complete(self) -> bool:
        """Whether all trees are listed."""
        return self.distinct_trees == len(self.trees)

    @property
    def linkages_complete(self) -> bool:
        """Whether all linkages are listed."""
        return self.linkage_count is not None and self.linkage_count.linkages == len(self.linkages)

    def to_json(self) -> dict[str, Any]:
        """Return the result as the JSON object that `schemata run --json` prints."""
        chart = self.chart
        found: dict[str, Any] = {
            "schema": chart.schema.name,
            "parameters": {p.name: p.value for p in chart.schema.parameters},
            "sentence": list(chart.sentence.words),
            "accepted": chart.accepted,
            "items": chart.item_count,
            "useful_items": self.useful_items,
            "steps": chart.step_count,
            "hypotheses": chart.raw.hypothesis_count,
            "items_by_form": dict(chart.items_by_form),
            "steps_by_name": dict(chart.steps_by_name),
            "final_items": [str(i) for i in chart.final_items],
            "derivations": _as_json(self.derivations),
        }
        found |= self._linkages_json() if chart.schema.builds_linkages else self._trees_json()
        found |= {"engine": chart.engine, "seconds": round(chart.seconds, 6)}
        if self.stopped:
            found["stopped"] = self.stopped
        return found | warnings_json(chart)

    def _linkages_json(self) -> dict[str, Any]:
        count = self.linkage_count
        found: dict[str, Any] = {"distinct_linkages": None if count is None else count.linkages}
        if count is not None and count.linkages is None:
            found["distinct_linkages_at_least"] = count.at_least
        if count is not None and count.not_linkages:
            found["structures_not_linkages"] = count.not_linkages
        return found | {
            "linkages": [linkage.to_json() for linkage in self.linkages],
            "linkages_complete": self.linkages_complete,
        }

    def _trees_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"distinct_trees": self.distinct_trees}
        if self.distinct_trees is None and not self.stopped and (self.derivations is not None or self.trees):
            found["distinct_trees_at_least"] = self.distinct_trees_at_least
        if self.not_trees:
            found["structures_not_trees"] = self.not_trees
        return found | {
            "trees": [list(t.heads) for t in self.trees],
            "trees_complete": self.trees_complete,
        }


def warnings_of(chart: Chart) -> tuple[Diagnostic, ...]:
    """Return the warnings about a chart's sentence, such as that link-parser would split a word of it."""
    found: tuple[Diagnostic, ...] = getattr(chart.grammar, "warnings", ())
    return found


def warnings_json(chart: Chart) -> dict[str, Any]:
    """Return what JSON about a chart has about warnings: their list under "warnings", nothing if there is none."""
    found = warnings_of(chart)
    return {"warnings": [warning.to_json() for warning in found]} if found else {}


def chart_result(chart: Chart) -> RunResult:
    """Return the figures of a chart alone, its forest not looked at."""
    return RunResult(chart, None, None, 0, None, (), None, chart.stopped)


def _as_json(derivations: int | float | None) -> int | float | str | None:
    """Return a number JSON can hold; beyond Python's limit of digits, the power of ten below it as text."""
    if derivations == math.inf:
        return "infinite"
    if isinstance(derivations, int) and derivations.bit_length() > _LONGEST:
        return f"1e{int((derivations.bit_length() - 1) * math.log10(2))}"
    return derivations


def run_result(chart: Chart, *, limit: int | None = 10, tree_budget: int | None = None) -> RunResult:
    """Count a chart's derivations and distinct trees or linkages, and list the first of them.

    Parameters
    ----------
    chart : the chart.
    limit : how many trees or linkages to list; None for all.
    tree_budget : unions of link sets that may be spent on counting them exactly; None for the default.
    """
    if chart.stopped and (chart.step_count > _PARTIAL_FOREST or chart.raw.listing_bytes > _PARTIAL_BYTES):
        return chart_result(chart)
    forest = chart.forest()
    if chart.schema.builds_linkages:
        linkages = tuple(forest.linkages(limit, tree_budget))
        useful = len(forest.useful_ids)
        if chart.stopped:
            from schemata.forest.linkages import LinkageCount

            partial = LinkageCount(None, len(linkages), None)
            return RunResult(chart, None, None, 0, None, (), useful, chart.stopped, linkages, partial)
        count = forest.count_linkages(tree_budget)
        derivations = forest.derivation_count
        return RunResult(chart, derivations, None, 0, None, (), useful, None, linkages, count)
    if chart.stopped:
        trees = tuple(forest.trees(limit, tree_budget))
        return RunResult(chart, None, None, len(trees), None, trees, len(forest.useful_ids), chart.stopped)
    if chart.step_count > WHOLE_FOREST:
        trees = tuple(islice(iterate_trees(forest, EFFORT), limit))
        return RunResult(chart, None, None, len(trees), None, trees, None, None)
    found = forest.count_trees(tree_budget)
    return RunResult(
        chart,
        forest.derivation_count,
        found.trees,
        found.at_least,
        found.not_trees,
        tuple(forest.trees(limit, tree_budget)),
        len(forest.useful_ids),
        chart.stopped,
    )
