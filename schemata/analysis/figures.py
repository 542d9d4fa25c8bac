"""The figures of one run, as people and programs get them: counts, derivations, distinct trees.

`RunResult` is what `run` shows of one chart; `Figures` are rows of comparisons, over one sentence or a corpus.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from schemata.engine.chart import Chart
from schemata.errors import Diagnostic
from schemata.forest.trees import EFFORT, iterate_trees
from schemata.json_values import fields_json
from schemata.structures import DependencyTree

if TYPE_CHECKING:
    from schemata.forest.trees import Count
    from schemata.structures import Linkage

Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """What one schema derived.

    Parameters
    ----------
    label : what the schema is called beside the others.
    schema, parameters : its name, and the values of its parameters.
    n : the number of words, or None for a total over a corpus.
    sentences, words, accepted : how many sentences and words it was run on, how many sentences it accepted.
    items, steps : counts of the chart; lower bounds where the run was stopped.
    useful_items, derivations, distinct_trees : counts of the forest; None where it was not asked for, where
        the run was stopped or the chart has more than 25 million step instances, or where the exact number
        of trees is beyond the budget.
    trees_at_least : a lower bound of the number of distinct trees, or None.
    seconds : the time the runs took, without what came before and after.
    stopped : the budget that ended a run early, or None.
    items_by_form, steps_by_name : counts by name, in the order declared.
    structures : "trees", or "linkages" if that is what the schema derives: then the numbers of trees are those
        of linkages.
    """

    label: str
    schema: str
    parameters: tuple[tuple[str, int], ...]
    n: int | None
    sentences: int
    words: int
    accepted: int
    items: int
    steps: int
    useful_items: int | None
    derivations: int | float | None
    distinct_trees: int | None
    trees_at_least: int | None
    seconds: float
    stopped: str | None
    items_by_form: Counts
    steps_by_name: Counts
    structures: str = "trees"

    def to_json(self) -> dict[str, Any]:
        """Return the figures as a row of the JSON object that `schemata compare --json` prints."""
        row = fields_json(
            self,
            "schema parameters{} label n sentences words accepted_sentences=accepted items useful_items steps "
            f"derivations distinct_{self.structures}=distinct_trees seconds:6 items_by_form{{}} steps_by_name{{}} "
            "stopped?",
        )
        if self.distinct_trees is None and self.trees_at_least is not None:
            row[f"distinct_{self.structures}_at_least"] = self.trees_at_least
        return row


def figures_of(
    chart: Chart, label: str | None = None, *, forest: bool = True, tree_budget: int | None = None
) -> Figures:
    """Return the figures of one chart.

    Parameters
    ----------
    chart : the chart.
    label : what the schema is called; None for its name.
    forest : count useful items, derivations and trees too, which may take longer than the run did.
    tree_budget : unions of link sets that may be spent on counting trees exactly; None for the default.
    """
    useful = derivations = trees = at_least = None
    if forest and not chart.stopped and chart.step_count <= WHOLE_FOREST:
        whole = chart.forest()
        useful, derivations = len(whole.useful_ids), whole.derivation_count
        count = whole.count_linkages if chart.schema.builds_linkages else whole.count_trees
        trees, at_least, _ = count(tree_budget)
    return Figures(
        label=label or chart.schema.name,
        schema=chart.schema.name,
        parameters=tuple((p.name, p.value) for p in chart.schema.parameters),
        n=len(chart.sentence),
        sentences=1,
        words=len(chart.sentence),
        accepted=int(chart.accepted),
        items=chart.item_count,
        steps=chart.step_count,
        useful_items=useful,
        derivations=derivations,
        distinct_trees=trees,
        trees_at_least=at_least,
        seconds=chart.seconds,
        stopped=chart.stopped,
        items_by_form=tuple(chart.items_by_form.items()),
        steps_by_name=tuple(chart.steps_by_name.items()),
        structures="linkages" if chart.schema.builds_linkages else "trees",
    )


def total(rows: Sequence[Figures]) -> Figures:
    """Return the sums of one schema's figures over several sentences; unknown where one is unknown.

    Raises
    ------
    ValueError : there are no rows.
    """
    if not rows:
        raise ValueError("nothing to add up")
    counted: dict[str, Any] = {name: sum(getattr(row, name) for row in rows) for name in _COUNTED}
    known: dict[str, Any] = {name: _sum([getattr(row, name) for row in rows]) for name in _KNOWN}
    return replace(
        rows[0],
        n=None,
        **counted,
        **known,
        derivations=_sum_or_infinite([row.derivations for row in rows]),
        seconds=math.fsum(row.seconds for row in rows),
        stopped=next((row.stopped for row in rows if row.stopped), None),
        items_by_form=_add_counts([row.items_by_form for row in rows]),
        steps_by_name=_add_counts([row.steps_by_name for row in rows]),
    )


_COUNTED = ("sentences", "words", "accepted", "items", "steps")
_KNOWN = ("useful_items", "distinct_trees", "trees_at_least")  # or unknown, where one of them is


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _sum_or_infinite(numbers: Sequence[int | float | None]) -> int | float | None:
    if None in numbers:
        return None
    # A sum of integers and infinity goes through floats, which counts of derivations may be too large for.
    return (
        math.inf if math.inf in numbers else _sum([int(number) for number in numbers if number is not None])
    )


def _add_counts(counts: Sequence[Counts]) -> Counts:
    found: dict[str, int] = {}
    for pairs in counts:
        for name, number in pairs:
            found[name] = found.get(name, 0) + number
    return tuple(found.items())


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
    linkage_count: Count | None = None

    @property
    def trees_complete(self) -> bool:
        """Whether all trees are listed."""
        return self.distinct_trees == len(self.trees)

    @property
    def linkages_complete(self) -> bool:
        """Whether all linkages are listed."""
        return self.linkage_count is not None and self.linkage_count.exact == len(self.linkages)

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
        found: dict[str, Any] = {"distinct_linkages": None if count is None else count.exact}
        if count is not None and count.exact is None:
            found["distinct_linkages_at_least"] = count.at_least
        if count is not None and count.others:
            found["structures_not_linkages"] = count.others
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
            from schemata.forest.trees import Count

            partial = Count(None, len(linkages), None)
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
        found.exact,
        found.at_least,
        found.others,
        tuple(forest.trees(limit, tree_budget)),
        len(forest.useful_ids),
        chart.stopped,
    )
