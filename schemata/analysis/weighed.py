"""Answers by the weights of a run: the best structures, totals, probabilities and samples, as requested."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from schemata.analysis.paths import PathRuns
from schemata.charts import BuiltLink, Item
from schemata.engine.chart import Chart
from schemata.engine.weighing import WeightedStructure, require_complete
from schemata.errors import AmbiguityWarning, Diagnostic, UsageError
from schemata.grammars.drules import tree_of, tree_of_length
from schemata.records import Record, as_json, document, fields_json, json_of, replace
from schemata.structures import DependencyTree
from schemata.structures.linkages import Linkage
from schemata.structures.word_graphs import OnPath


class Weighed(Record):
    """Answers about the weights of a chart; None for answers that were not requested.

    Attributes
    ----------
    chart : the chart, or the runs on the paths of a word graph.
    best : the best structures, best first.
    totals : sums by the name of the semiring.
    marginals : probabilities of links, or of items where none are built.
    samples : structures drawn in proportion to their weights.
    doubt : why sums over derivations may differ from sums over structures; None if no such sum was requested.
    """

    chart: Chart | PathRuns
    best: tuple[WeightedStructure, ...] | None = None
    totals: Mapping[str, Any] | None = None
    marginals: Mapping[BuiltLink | Item, float] | None = None
    samples: tuple[WeightedStructure, ...] | None = None
    doubt: Diagnostic | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the keys that `schemata run --json` adds: those of the requested answers."""
        found: dict[str, Any] = {
            "best": None if self.best is None else list(map(structure_json, self.best)),
            "totals": as_json(self.totals),
            "marginals": None if self.marginals is None else as_json(tuple(self.marginals.items())),
            "samples": None if self.samples is None else list(map(structure_json, self.samples)),
            "sums_over": None if self.doubt is None else "derivations",
        }
        return {key: value for key, value in found.items() if value is not None}


def weighed(
    chart: Chart | PathRuns,
    *,
    best: int | None = None,
    totals: Sequence[str] = (),
    marginals: bool = False,
    samples: int | None = None,
    seed: int = 0,
    distinct: bool = False,
) -> Weighed:
    """Return the requested answers about a chart's weights.

    Parameters
    ----------
    chart : the chart.
    best : how many of the best structures.
    totals : names of semirings.
    marginals : whether probabilities are asked for.
    samples : how many structures to draw.
    seed : fixes the samples.
    distinct : whether sums are over distinct structures, not over derivations.

    Raises
    ------
    UsageError : as `Chart.total` does.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AmbiguityWarning)
        found = Weighed(
            chart,
            None if best is None else tuple(chart.k_best(best)),
            {name: chart.total(name, distinct=distinct) for name in totals} if totals else None,
            chart.marginals(distinct=distinct) if marginals else None,
            None if samples is None else tuple(chart.sample(samples, seed, distinct=distinct)),
        )
    doubts = [str(one.message) for one in caught if issubclass(one.category, AmbiguityWarning)]
    if not doubts:
        return found
    _, other = chart.claims() if chart.claims else (None, None)
    hint = "--distinct sums over structures" + (f"; {other} derives each once" if other else "")
    message = doubts[0].partition(";")[0]
    return replace(found, doubt=Diagnostic("derived-more-than-once", message, hint=hint, severity="warning"))


class LinkGain(Record):
    """A word whose head in the best tree is another: both heads, and the scores of both links in log space."""

    dependent: int
    head: int
    score: float
    best_head: int
    best_score: float

    @property
    def gain(self) -> float:
        """By how much the best tree's link wins; negative where it loses."""
        return self.best_score - self.score

    to_json = json_of("dependent head score best_head best_score gain")


class WhyNotBest(Record):
    """Why a tree is not the best: the best one, and where it wins.

    Attributes
    ----------
    chart : the chart.
    heads : the tree that was asked about.
    weight : its weight; None if the schema does not derive it, or a weight forbids it.
    best : the best tree; None if there is none.
    links : the words whose heads differ.
    rest : by how much the best tree wins beside its links: by rules, lexicon entries and steps.
    """

    chart: Chart
    heads: tuple[int, ...]
    weight: float | None
    best: WeightedStructure | None
    links: tuple[LinkGain, ...] = ()
    rest: float = 0.0

    @property
    def best_heads(self) -> tuple[int, ...]:
        """The heads of the best tree; none where there is no tree."""
        structure = None if self.best is None else self.best.structure
        return structure.heads if isinstance(structure, DependencyTree) else ()

    @property
    def is_best(self) -> bool:
        """Whether the tree is as good as the best one."""
        return self.best is not None and self.weight is not None and self.best.weight <= self.weight + 1e-9

    def to_json(self) -> dict[str, Any]:
        """Return the answer as the JSON object that `schemata why-not --best --json` prints."""
        found = fields_json(self, "heads weight is_best")
        found["best"] = None if self.best is None else structure_json(self.best)
        return document(self.chart.heading(), found, fields_json(self, "links rest"))


def why_not_best(chart: Chart, heads: Sequence[int]) -> WhyNotBest:
    """Compare a tree with the best one, and their weights link by link.

    Parameters
    ----------
    chart : the chart of a schema that derives dependency trees.
    heads : the tree.

    Raises
    ------
    UsageError : the heads are not a tree of the sentence, or the schema derives no trees; the chart is of a word
        graph, or not complete.
    """
    if not chart.schema.builds_links:
        message = f"schema {chart.schema.name} derives no dependency trees, which heads could stand for"
        raise UsageError(message)
    require_complete(chart)
    if chart.weighing.weighted.is_on_paths:
        message = "heads are those of one sentence, and the paths of a word graph have different words"
        raise UsageError(message, hint="compare trees in the chart of one path's sentence")
    tree = tree_of(tree_of_length(heads, chart.sentence))
    weight = chart.weight_of(tree)
    known = None if weight == -math.inf else weight
    best = chart.best()
    if best is None or not isinstance(best.structure, DependencyTree):
        return WhyNotBest(chart, tree.heads, known, None)
    score = chart.weighing.weighted.link_score
    links = tuple(
        LinkGain(d, h, score(d, h), other, score(d, other))
        for d, (h, other) in enumerate(zip(tree.heads, best.structure.heads, strict=True), start=1)
        if h != other
    )
    rest = 0.0 if known is None else best.weight - known - sum(link.gain for link in links)
    return WhyNotBest(chart, tree.heads, known, best, links, round(rest, 9) + 0.0)


def structure_json(one: WeightedStructure) -> dict[str, Any]:
    """Return a structure with its weight: heads and labels, a linkage, or the items of its derivation.

    On a word graph its path stands beside it.
    """
    match one.structure:
        case OnPath(path, _, structure):
            return structure_json(replace(one, structure=structure)) | {"path": list(path)}
        case DependencyTree() as tree:
            return {"weight": one.weight} | fields_json(tree, "heads labels? tags? features?")
        case Linkage() as linkage:
            return {"weight": one.weight, **linkage.to_json()}
    items = [str(node.item) for _, node in one.derivation.walk()]
    built = {} if one.structure is one.derivation else {"structure": one.structure.to_json()}  # type: ignore[union-attr]
    return {"weight": one.weight, "items": items, **built}
