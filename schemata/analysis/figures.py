"""The figures of one run, for readers and for programs: counts, derivations, distinct trees.

`RunResult` is what `run` shows of one chart; `Figures` are rows of comparisons, over one sentence or a corpus.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from schemata.engine.chart import Chart
from schemata.errors import Diagnostic
from schemata.forest.forest import Count
from schemata.forest.structures import iterate_values
from schemata.grammars.drules import AllLinks
from schemata.kinds import D_RULES
from schemata.language import model as m
from schemata.program.matching import QUESTIONS, question
from schemata.records import Record, Shown, as_json, document, fields_json, replace
from schemata.structures import DependencyTree
from schemata.structures.word_graphs import OnPath
from schemata.thresholds import EFFORTS
from schemata.weights.semiring import UncountedError
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.analysis.paths import PathRuns

Counts = tuple[tuple[str, int], ...]
Tallies = tuple[tuple[int, int], ...]
K = TypeVar("K", str, int)


class Figures(Record):
    """The figures of the chart of one schema.

    Parameters
    ----------
    label : the name of the schema beside the others.
    schema, parameters : its name, and the values of its parameters.
    n : the number of words, or None for a total over a corpus.
    sentences, words, accepted : how many sentences and words it was run on, how many sentences it accepted.
    items, steps : counts of the chart; lower bounds where the run was stopped.
    useful_items, derivations, distinct_trees : counts of the forest; None if it was not asked for, where
        the run was stopped or the chart has more than 25 million step instances, or where the exact number
        of trees is beyond the budget.
    trees_at_least : a lower bound of the number of distinct trees, or None.
    seconds : the time of the runs alone.
    stopped : the budget that ended a run early, or None.
    uncounted : the budget that ended the counting of a forest early, or None.
    tallies : how many sentences have how many items, and how many steps: pairs of a count and a number of sentences.
    items_by_form, steps_by_name : counts by name, in the order declared.
    structures : "trees", "linkages" or "structures": the kind of structures that the numbers of trees count.
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
    uncounted: str | None = None
    tallies: tuple[Tallies, Tallies] = ((), ())

    def __post_init__(self) -> None:
        """Refuse tallies of other sentences: those of a ledger may have been changed by hand."""
        if any(tally and sum(number for _, number in tally) != self.sentences for tally in self.tallies):
            raise ValueError("tallies are of as many sentences as the row")

    def spread(self, quantity: str) -> tuple[float, float, list[float]]:
        """Return the mean of "items", or of "steps", over the sentences, their standard deviation, and their quartiles.

        The quartiles are five numbers, from the least to the greatest; one between two counts is interpolated.
        """
        from statistics import fmean, pstdev, quantiles

        counts = sorted(Counter(dict(self.tallies[quantity == "steps"])).elements())
        cuts = quantiles(counts, n=4, method="inclusive") if len(counts) > 1 else counts * 3
        return fmean(counts), pstdev(counts), [float(x) for x in (counts[0], *cuts, counts[-1])]

    @property
    def details(self) -> dict[str, int]:
        """The counts by item form (``items:span``), then by step (``steps:Link``)."""
        items = {f"items:{name}": count for name, count in self.items_by_form}
        return items | {f"steps:{name}": count for name, count in self.steps_by_name}

    @property
    def ended(self) -> str | None:
        """The budget that left some figure open."""
        return self.stopped or self.uncounted

    def to_json(self) -> dict[str, Any]:
        """Return the figures as a row of the JSON object that `schemata compare --json` prints."""
        row = fields_json(
            self,
            "schema parameters{} label n sentences words accepted_sentences=accepted items useful_items steps "
            f"derivations distinct_{self.structures}=distinct_trees seconds:6 items_by_form{{}} steps_by_name{{}} "
            "stopped?=ended",
        )
        if self.n is None or self.sentences > 1:
            for quantity in ("items", "steps"):
                mean, deviation, row[f"{quantity}_quartiles"] = self.spread(quantity)
                row[f"{quantity}_mean"], row[f"{quantity}_deviation"] = round(mean, 3), round(deviation, 3)
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
    label : the name of the schema; None for its name.
    forest : count useful items, derivations and trees too, which may take longer than the run did.
    tree_budget : unions of link sets that may be spent on counting trees exactly; None for the default.
    """
    useful = derivations = trees = at_least = None
    if forest and not chart.stopped and chart.step_count <= EFFORTS.forest_steps:
        whole = chart.forest()
        useful = len(whole.useful_ids)
        with suppress(UncountedError):
            derivations = whole.derivation_count
        trees, at_least, _ = whole.count_structures(tree_budget)
    return Figures(
        label=label or chart.schema.name,
        schema=chart.schema.name,
        parameters=tuple((p.name, p.value) for p in chart.schema.parameters),
        n=len(chart.sentence),
        sentences=1,
        words=len(chart.sentence),
        accepted=int(bool(chart.accepted)),
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
        structures=chart.schema.structure.counted,
        tallies=(((chart.item_count, 1),), ((chart.step_count, 1),)),
    )


def total(rows: Sequence[Figures]) -> Figures:
    """Return the sums of one schema's figures over several sentences; unknown where one is unknown.

    Raises
    ------
    ValueError : there are no rows.
    """
    if not rows:
        raise ValueError("nothing to add up")
    sums: dict[str, Any] = {name: _sum([getattr(row, name) for row in rows]) for name in _SUMMED}
    return replace(
        rows[0],
        n=None,
        **sums,
        seconds=math.fsum(row.seconds for row in rows),
        stopped=next((row.stopped for row in rows if row.stopped), None),
        uncounted=next((row.uncounted for row in rows if row.uncounted), None),
        items_by_form=_add_counts([row.items_by_form for row in rows]),
        steps_by_name=_add_counts([row.steps_by_name for row in rows]),
        tallies=(
            _add_counts([row.tallies[0] for row in rows]),
            _add_counts([row.tallies[1] for row in rows]),
        ),
    )


_SUMMED = (
    "sentences", "words", "accepted", "items", "steps", "useful_items", "derivations", "distinct_trees",
    "trees_at_least",
)  # fmt: skip


def _sum(numbers: Sequence[int | float | None]) -> int | float | None:
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    # A sum of integers and infinity goes through floats, which counts of derivations may be too large for.
    return math.inf if math.inf in known else sum(known)


def _add_counts(counts: Sequence[tuple[tuple[K, int], ...]]) -> tuple[tuple[K, int], ...]:
    sums = Counter[K]()
    for pairs in counts:
        sums.update(dict(pairs))
    return tuple(sums.items())


class RunResult(Record, Shown, repr=False):
    """A chart's figures and the first of its structures, over a Link Grammar dictionary the cheapest linkages.

    Attributes
    ----------
    chart : the chart, or the runs on the paths of a word graph.
    derivations : their number; None if the run was stopped, since more may be to come, and in a chart of more
        than 25 million step instances.
    count : the number of distinct structures; None if it is not known at all.
    structures : at most as many as asked for. The forest of a long run that was stopped is not looked at.
    useful_items : their number; None if derivations are not counted.
    stopped : the limit that ended the run, or the counting after it; None if none was hit.
    """

    chart: Any
    derivations: int | float | None = None
    count: Count | None = None
    structures: tuple[Any, ...] = ()
    useful_items: int | None = None
    stopped: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all structures are listed."""
        return self.count is not None and self.count.exact == len(self.structures)

    def to_json(self) -> dict[str, Any]:
        """Return the result as the JSON object that `schemata run --json` prints."""
        what, count = self.chart.schema.structure.counted, self.count
        found = document(self.chart.heading()) | fields_json(
            self,
            "accepted=chart.accepted items=chart.item_count useful_items steps=chart.step_count "
            "hypotheses=chart.raw.hypothesis_count items_by_form=chart.items_by_form "
            f"steps_by_name=chart.steps_by_name final_items=chart.final_items derivations distinct_{what}=count.exact",
        )
        if count is not None and count.exact is None:
            names = f"distinct_{what}_at_least", "distinct_structures_at_least"
            found |= dict.fromkeys(names, count.at_least)
        found |= fields_json(self, "structures_not_trees?=count.others" if what == "trees" else "")
        plain = [one.structure if isinstance(one, OnPath) else one for one in self.structures]
        of_trees = [one if isinstance(one, DependencyTree) else None for one in plain]
        listed = [
            as_json(one if tree is None else tree.heads) for one, tree in zip(plain, of_trees, strict=True)
        ]
        links = [
            shown if tree is None else structure_json(tree)
            for shown, tree in zip(listed, of_trees, strict=True)
        ]
        tags = {
            name: [getattr(tree, name) for tree in of_trees if tree is not None]
            for name in ("tags", "features")
            if any(getattr(tree, name) for tree in of_trees if tree is not None)
        }
        found |= (
            {what: listed}
            | as_json(tags)
            | fields_json(self, f"{what}_complete=is_complete distinct_structures=count.exact")
        )
        paths = [list(one.path) for one in self.structures if isinstance(one, OnPath)]
        found |= {"paths": paths} if paths else {}
        more = "structures_complete=is_complete engine=chart.engine seconds:6=chart.seconds stopped?"
        found |= {"structures": links} | fields_json(self, f"{more} control?=chart.search")
        return found | warnings_json(self.chart)


_OF_PLACES = (
    "position",
    "flag",
    "list",
    "tuple",
    "optional",
)  # what such types say of a word is its place alone


def depends_on_length(schema: ParsingSchema, grammar: Any) -> bool:
    """Whether a run depends on the number of words alone, as under a grammar that licenses every link.

    >>> from schemata import DRules, load
    >>> depends_on_length(load("eisner1996"), DRules.all()), depends_on_length(load("eisner1996"), DRules.gold())
    (True, False)
    """
    definition = schema.definition
    if definition.grammar != D_RULES or not isinstance(getattr(grammar, "basis", None), AllLinks):
        return False
    parts = (definition.forms, definition.hypotheses, definition.cases, definition.finals)
    return not any(
        (isinstance(node, QUESTIONS) and question(node)[0] != "licensed")
        or (isinstance(node, m.Type) and node.kind not in _OF_PLACES)
        for node in m.nodes(parts)
    )


def structure_json(tree: DependencyTree) -> list[list[int | str]]:
    """Return a tree as a list of links for JSON, each with its label if it has one."""
    labels = tree.labels or ("",) * len(tree)
    return [[d, h, label] if label else [d, h] for (d, h), label in zip(tree.links, labels, strict=True)]


def warnings_of(chart: Chart | PathRuns) -> tuple[Diagnostic, ...]:
    """Return the warnings about a chart's sentence, such as that link-parser would split a word of it."""
    told: Any = chart.grammar if isinstance(chart, Chart) else chart
    found: tuple[Diagnostic, ...] = getattr(told, "warnings", ())
    return found


def warnings_json(chart: Chart | PathRuns) -> dict[str, Any]:
    """Return the warnings about a chart for JSON: their list under "warnings", empty if there are no
    warnings.
    """
    found = warnings_of(chart)
    return {"warnings": [warning.to_json() for warning in found]} if found else {}


def besides_json(chart: Chart) -> dict[str, Any]:
    """Return the JSON keys beside an answer about a chart: the budget that ended the run, and warnings."""
    return fields_json(chart, "stopped?") | warnings_json(chart)


def run_results(
    chart: Chart | PathRuns, *, limit: int | None = 10, tree_budget: int | None = None
) -> Iterator[RunResult]:
    """Count a chart's derivations and distinct trees or linkages, and list the first of them.

    Parameters
    ----------
    chart : the chart.
    limit : how many trees or linkages to list; None for all.
    tree_budget : unions of link sets that may be spent on counting them exactly; None for the default.

    Yields
    ------
    Partial results that grow: first derivations, then trees; the last has all. Of runs on paths, the sums come last.
    """
    if not isinstance(chart, Chart):
        yield RunResult(chart, stopped=chart.stopped)
        yield _of_paths(chart, limit, tree_budget)
        return
    found = RunResult(chart, stopped=chart.stopped)
    yield found
    if chart.stopped and (
        chart.step_count > EFFORTS.partial_steps or chart.raw.listing_bytes > EFFORTS.partial_bytes
    ):
        return
    forest = chart.forest()
    forest.arrange()
    linkages = chart.schema.builds_linkages
    if not linkages and not chart.stopped and chart.step_count > EFFORTS.forest_steps:
        trees = tuple(islice(iterate_values(forest, EFFORTS.combinations), limit))
        yield replace(found, count=Count(None, len(trees), None) if trees else None, structures=trees)
        return
    found = replace(found, useful_items=len(forest.useful_ids))
    if not chart.stopped:
        with suppress(UncountedError):
            found = replace(found, derivations=forest.derivation_count)
        yield found
    found = replace(found, structures=tuple(forest.structures(limit, tree_budget)))
    if chart.stopped:
        yield replace(found, count=Count(None, len(found.structures), None) if linkages else None)
        return
    yield found
    yield replace(found, count=forest.count_structures(tree_budget))
    forest.listed.clear()  # what lists on leads back to the forest


def _of_paths(runs: PathRuns, limit: int | None, tree_budget: int | None) -> RunResult:
    """Return the sums over runs on paths, and the first structures, or the cheapest linkages, of all."""
    of = {id(chart): run_result(chart, limit=limit, tree_budget=tree_budget) for chart in runs.charts}
    found = [of[id(run.chart)] for run in runs.runs]
    listed = [run.placed(one) for run, own in zip(runs.runs, found, strict=True) for one in own.structures]
    if runs.schema.builds_linkages:
        listed.sort(key=lambda one: one.structure.cost)
    counts = [own.count for own in found if own.count is not None]
    exact, others = (
        None if runs.stopped or len(counts) < len(found) else _sum([getattr(one, name) for one in counts])
        for name in ("exact", "others")
    )
    count = Count(exact, sum(one.at_least for one in counts), others) if counts else None  # type: ignore[arg-type]
    derivations, useful = (
        None if runs.stopped else _sum([getattr(own, name) for own in found])
        for name in ("derivations", "useful_items")
    )
    stopped = runs.stopped or next((own.stopped for own in found if own.stopped), None)
    return RunResult(runs, derivations, count, tuple(listed[:limit]), useful, stopped)  # type: ignore[arg-type]


def run_result(
    chart: Chart | PathRuns, *, limit: int | None = 10, tree_budget: int | None = None
) -> RunResult:
    """Return the last of `run_results`."""
    *_, found = run_results(chart, limit=limit, tree_budget=tree_budget)
    return found
