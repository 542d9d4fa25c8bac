"""A schema on each path of a word graph by itself, and the sums over all paths.

A run on the graph at once (`ParsingSchema.run`) shares what paths have in common, and needs a schema that never mixes
words of several paths. This way needs nothing of the schema: it costs a run for each sentence. Positions of items are
those of the sentence of their path; structures, links of marginals and scores have their positions in the graph.
"""

from __future__ import annotations

import heapq
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

from schemata.budget import Budget, EngineName
from schemata.charts import BuiltLink, Item
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.weighing import WeightedStructure, summed
from schemata.errors import Diagnostic, UsageError
from schemata.grammars import DRules
from schemata.grammars.drules import LinkSet
from schemata.kinds import LINKAGE
from schemata.records import Record, fields_json, replace
from schemata.structures.sentence import BETWEEN, Sentence
from schemata.structures.word_graphs import OnPath, WordGraph
from schemata.thresholds import REFUSALS
from schemata.weights.scores import ArcScores, StepScores, Weights
from schemata.weights.semiring import Semiring, semiring_of
from schemata.weights.tensors import StepTensor
from schemata.wording import quantity
from schemata.workbench import GivenGrammar, ParsingSchema, Reference, schema_of

if TYPE_CHECKING:
    from schemata.language.model import Schema


class PathRun(Record, eq=False):
    """The run on the sentence of one path: positions of its words in the graph, its weight in log space, its chart.

    Charts are shared by paths with the same words.
    """

    path: tuple[int, ...]
    weight: float
    chart: Chart

    def placed(self, structure: Any) -> OnPath:
        """Return a structure of the chart with its path."""
        return OnPath(self.path, self.chart.sentence, structure)

    def weighed(self, one: WeightedStructure) -> WeightedStructure:
        """Return a weighted structure of the chart with its path, and the weight of both."""
        placed: Any = self.placed(one.structure)
        return replace(one, structure=placed, weight=one.weight + self.weight)


class PathRuns(Record, eq=False, slots=False):
    """The runs of a schema on the paths of a word graph, which answer together as a chart does.

    Parameters
    ----------
    schema : the schema's definition.
    graph : the word graph.
    runs : a run for each path, in the order of `WordGraph.paths`; fewer if a limit stopped them.
    stopped : the limit, or None.
    """

    schema: Schema
    graph: WordGraph
    runs: tuple[PathRun, ...]
    stopped: str | None = None
    search: None = None

    @cached_property
    def charts(self) -> tuple[Chart, ...]:
        """The charts, each once: paths with the same words share one."""
        return tuple({id(run.chart): run.chart for run in self.runs}.values())

    @property
    def parameters(self) -> Mapping[str, int]:
        """The values of the schema's parameters."""
        return self.charts[0].parameters

    @property
    def sentence(self) -> Sentence:
        """All words of the graph, as positions number them."""
        return self.graph.sentence

    @property
    def grammar(self) -> Any:
        """The grammar of the first path's sentence."""
        return self.charts[0].grammar

    @property
    def claims(self) -> Callable[[], tuple[bool | None, str | None]] | None:
        """Whether structures are derived once each, as `Chart.claims`."""
        return self.charts[0].claims

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings about the sentences of all paths, each once."""
        told = (one for chart in self.charts for one in getattr(chart.grammar, "warnings", ()))
        return tuple(dict.fromkeys(told))

    @property
    def accepted(self) -> bool | None:
        """Whether the sentence of some path is accepted; None if a limit left that open."""
        if any(run.chart.accepted for run in self.runs):
            return True
        return None if self.stopped else False

    @property
    def accepted_count(self) -> int:
        """The number of paths whose sentence is accepted."""
        return sum(bool(run.chart.accepted) for run in self.runs)

    @property
    def item_count(self) -> int:
        """The items of all runs, a sum."""
        return sum(run.chart.item_count for run in self.runs)

    @property
    def step_count(self) -> int:
        """The step instances of all runs, a sum."""
        return sum(run.chart.step_count for run in self.runs)

    @property
    def hypothesis_count(self) -> int:
        """The hypotheses of all runs, a sum."""
        return sum(run.chart.raw.hypothesis_count for run in self.runs)

    @property
    def items_by_form(self) -> Mapping[str, int]:
        """The sums by item form."""
        return _added(run.chart.items_by_form for run in self.runs)

    @property
    def steps_by_name(self) -> Mapping[str, int]:
        """The sums by step."""
        return _added(run.chart.steps_by_name for run in self.runs)

    @property
    def final_items(self) -> tuple[Item, ...]:
        """The final items of all runs, each once; positions are those in the sentence of a path."""
        return tuple(dict.fromkeys(item for chart in self.charts for item in chart.final_items))

    @property
    def seconds(self) -> float:
        """The seconds of the runs, a sum."""
        return math.fsum(chart.seconds for chart in self.charts)

    @property
    def engine(self) -> str:
        """The engine of the runs, or several with commas between them."""
        return ", ".join(dict.fromkeys(chart.engine for chart in self.charts))

    @property
    def raw(self) -> PathRuns:
        """The counts that a chart has there."""
        return self

    def heading(self) -> dict[str, Any]:
        """Return the first keys of JSON objects about the runs: schema, parameters, sentence, a row for each path."""
        rows = [
            {"path": list(run.path), "weight": run.weight}
            | fields_json(run.chart, "sentence=sentence.words accepted items=item_count steps=step_count")
            for run in self.runs
        ]
        return fields_json(self, "schema=schema.name parameters sentence=sentence.words") | {"by_path": rows}

    def best(self) -> WeightedStructure | None:
        """Return the best structure on any path; None if nothing is derived."""
        return next(iter(self.k_best(1)), None)

    def k_best(self, k: int) -> list[WeightedStructure]:
        """Return the k best distinct structures on any path, best first; errors as of `Chart.k_best`."""
        ranked = (map(run.weighed, run.chart.k_best(k)) for run in self._complete)
        return list(islice(heapq.merge(*ranked, key=lambda one: -one.weight), k))

    def total(self, semiring: str | Semiring[Any] = "log", *, distinct: bool = False) -> Any:
        """Return the sum over the derivations of all paths, times the weights of the paths; as `Chart.total`."""
        chosen = semiring_of(semiring)
        found = (
            chosen.times(chosen.of(run.weight, ()), run.chart.total(semiring, distinct=distinct))
            for run in self._complete
        )
        return reduce(chosen.plus, found)

    def marginals(self, *, distinct: bool = False) -> dict[BuiltLink | Item, float]:
        """Return the probability of each link between positions of the graph, as `Chart.marginals`.

        Raises
        ------
        UsageError : as there; the schema builds no links between words, whose places in the graph are known.
        """
        if not self.schema.builds_links:
            message = f"what {self.schema.name} builds are not links, which have a place in the graph"
            raise UsageError(message, code="no-links", hint="ask for the best structures, totals or samples")

        def placed(run: PathRun, atom: Any) -> tuple[Any, ...]:
            word = (0, *run.path)
            return tuple(word[x] if isinstance(x, int) else x for x in atom)

        return summed(
            (placed(run, atom), share * own)
            for run, share in self._shares(distinct)
            if share
            for atom, own in run.chart.marginals(distinct=distinct).items()
        )

    def sample(self, number: int = 1, seed: int = 0, *, distinct: bool = False) -> list[WeightedStructure]:
        """Return structures drawn in proportion to their weights and those of their paths, as `Chart.sample`."""
        shares = self._shares(distinct)
        if not any(share for _, share in shares):
            return []
        bounds = list(accumulate(share for _, share in shares))
        drawn = random.Random(seed).choices(range(len(shares)), cum_weights=bounds, k=number)
        rows = {
            k: iter(shares[k][0].chart.sample(count, seed + k, distinct=distinct))
            for k, count in Counter(drawn).items()
        }
        return [shares[k][0].weighed(next(rows[k])) for k in drawn]

    @property
    def _complete(self) -> tuple[PathRun, ...]:
        """The runs, unless a limit left some out."""
        if self.stopped:
            message = "best structures, totals, marginals and samples are not known: not all paths were run"
            raise UsageError(message, code="not-weighed", hint="raise the limit")
        return self.runs

    def _shares(self, distinct: bool) -> list[tuple[PathRun, float]]:
        """Return the runs with their shares of the total."""
        logs = [run.weight + run.chart.total("log", distinct=distinct) for run in self._complete]
        top = max(logs)
        if top == -math.inf:
            return [(run, 0.0) for run in self.runs]
        parts = [math.exp(one - top) for one in logs]
        whole = math.fsum(parts)
        return [(run, part / whole) for run, part in zip(self.runs, parts, strict=True)]


def run_paths(
    schema: Reference,
    graph: WordGraph,
    grammar: GivenGrammar = None,
    *,
    budget: Budget | None = None,
    engine: EngineName | None = None,
    weights: Any = None,
    strict: bool = False,
) -> PathRuns:
    """Run a schema on the sentence of each path of a word graph, whether it reads word graphs at once or not.

    Parameters
    ----------
    schema : the schema, or its name or path.
    graph : the word graph. If the schema reads several inputs, each path has words `|||` between them.
    grammar, engine, strict : as of `ParsingSchema.run`.
    budget : limits of the run: seconds are those of all paths together, steps those of one path.
    weights : as of `ParsingSchema.run`; scores of links are an array over the words of the graph.

    Raises
    ------
    UsageError : more paths than can be run; links or weights by positions, which are those of one sentence; else as
        `ParsingSchema.run`.
    GrammarError : the grammar does not fit the sentence of some path.
    BudgetExceeded : a limit was hit; carries the runs until then as `chart`.

    >>> import schemata
    >>> graph = schemata.WordGraph.of_arcs([("0", "1", "a"), ("1", "2", "b"), ("0", "2", "c")])
    >>> runs = schemata.run_paths("nivre2003", graph)
    >>> runs.accepted_count, runs.total("count")
    (2, 4)
    """
    chosen = schema_of(schema)
    _require_few(graph)
    checked = chosen.check_grammar(grammar, strict=strict)
    if isinstance(checked, DRules) and isinstance(checked.basis, LinkSet) and not graph.is_row:
        raise _of_one("links of positions")
    given = None if weights is None else Weights.of(weights)
    limits = Budget().unless(budget)
    limits = replace(limits, end=min(limits.end, time.monotonic() + limits.seconds))
    known: dict[Any, Chart] = {}
    runs: list[PathRun] = []
    for path in graph.paths():
        words, own = graph.sentence_of(path), _of_path(given, chosen, graph, path)
        between = BETWEEN if chosen.definition.reads_inputs else None
        places = tuple(k for k in path if graph.words[k - 1] != between)
        key = (words.words, words.tags, path if own is not None else None)
        stopped: BudgetExceeded | None = None
        if key not in known:
            try:
                known[key] = chosen.run(
                    words,
                    checked if known else grammar,
                    budget=limits,
                    engine=engine,
                    weights=own,
                    strict=strict,
                )
            except BudgetExceeded as over:
                known[key], stopped = over.chart, over
        runs.append(PathRun(places, graph.weight_of(path), known[key]))
        if stopped is not None:
            stopped.chart = PathRuns(chosen.definition, graph, tuple(runs), stopped.reason)  # type: ignore[assignment]
            raise stopped
    return PathRuns(chosen.definition, graph, tuple(runs))


def _require_few(graph: WordGraph) -> None:
    """Check that there are not too many paths.

    Raises
    ------
    UsageError : there are.
    """
    if graph.path_count > REFUSALS.paths:
        paths, most = quantity(graph.path_count, "path"), f"{REFUSALS.paths:,}"
        message = f"the graph has {paths}, and at most {most} are run one by one"
        hint = "prune the graph, or use a schema that reads word graphs at once, such as eisner1996"
        raise UsageError(message, code="too-many-paths", hint=hint)


def _of_path(
    weights: Weights | None, schema: ParsingSchema, graph: WordGraph, path: Sequence[int]
) -> Weights | None:
    """Return the weights of a run for the sentence of a path.

    Raises
    ------
    UsageError : they are by positions of one sentence.
    """
    if weights is None or graph.is_row:
        return weights
    for step in weights.steps.values():
        if isinstance(step, StepTensor) or (isinstance(step, StepScores) and step.names):
            raise _of_one("weights of steps by positions")
    if weights.arcs is None:
        return weights
    if schema.definition.structure == LINKAGE:
        raise _of_one("scores of links between connectors")
    import numpy as np

    scores = weights.arcs.fitted(len(graph), graph.words, labelled=True)
    own = np.ix_([0, *path], [0, *path])
    return Weights(ArcScores(scores.matrix[own], scores.labels, None, scores.otherwise), weights.steps)


def _of_one(what: str) -> UsageError:
    return UsageError(
        f"{what} are of one sentence, and the paths of a word graph have different words",
        code="by-position",
        hint="name words instead, or run the sentence of each path",
    )


def _added(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            found[name] = found.get(name, 0) + count
    return found
