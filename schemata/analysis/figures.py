"""The figures of one schema on one sentence or over a corpus: what comparisons are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schemata.analysis.results import WHOLE_FOREST

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

__all__ = ["Figures", "figures_of", "total"]

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
        row: dict[str, Any] = {
            "schema": self.schema,
            "parameters": dict(self.parameters),
            "label": self.label,
            "n": self.n,
            "sentences": self.sentences,
            "words": self.words,
            "accepted_sentences": self.accepted,
            "items": self.items,
            "useful_items": self.useful_items,
            "steps": self.steps,
            "derivations": "infinite" if self.derivations == math.inf else self.derivations,
            f"distinct_{self.structures}": self.distinct_trees,
            "seconds": round(self.seconds, 6),
            "items_by_form": dict(self.items_by_form),
            "steps_by_name": dict(self.steps_by_name),
        }
        if self.distinct_trees is None and self.trees_at_least is not None:
            row[f"distinct_{self.structures}_at_least"] = self.trees_at_least
        if self.stopped:
            row["stopped"] = self.stopped
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
        if chart.schema.builds_linkages:
            linkages = whole.count_linkages(tree_budget)
            trees, at_least = linkages.linkages, linkages.at_least
        else:
            count = whole.count_trees(tree_budget)
            trees, at_least = count.trees, count.at_least
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
    first = rows[0]
    return Figures(
        label=first.label,
        schema=first.schema,
        parameters=first.parameters,
        n=None,
        sentences=sum(row.sentences for row in rows),
        words=sum(row.words for row in rows),
        accepted=sum(row.accepted for row in rows),
        items=sum(row.items for row in rows),
        steps=sum(row.steps for row in rows),
        useful_items=_sum([row.useful_items for row in rows]),
        derivations=_sum_or_infinite([row.derivations for row in rows]),
        distinct_trees=_sum([row.distinct_trees for row in rows]),
        trees_at_least=_sum([row.trees_at_least for row in rows]),
        seconds=math.fsum(row.seconds for row in rows),
        stopped=next((row.stopped for row in rows if row.stopped), None),
        items_by_form=_add_counts([row.items_by_form for row in rows]),
        steps_by_name=_add_counts([row.steps_by_name for row in rows]),
        structures=first.structures,
    )


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
