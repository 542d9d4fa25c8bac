"""Weights computed by native kernels in a proved order: totals and the best tree of a chart, and of many sentences.

A chart that such kernels have derived knows its tables, so nothing of its forest is listed. They know the scores of
links alone; where anything else weighs, the fold over the forest has the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from schemata.budget import Budget, EngineName
from schemata.engine.engines import MANY_RUNS, Engines
from schemata.engine.step_weights import StepWeights
from schemata.errors import StructureError
from schemata.forest.derivations import Derivation, derivation_of
from schemata.forest.forest import Edge
from schemata.structures import DependencyTree

if TYPE_CHECKING:
    from schemata.charts import BareChart
    from schemata.ordered.store import OrderedStore
    from schemata.ordered.weights import Best, Choice, Scored, Weigher
    from schemata.structures import Sentence
    from schemata.weights.scores import Weights

T = TypeVar("T")
Hypotheses = Sequence[tuple[int, tuple[int, ...]]]


class ScoredTree(NamedTuple):
    """A tree and its weight in log space."""

    structure: DependencyTree
    weight: float


class _NotNative(Exception):  # noqa: N818 - an answer
    """The fold over the forest has to do it."""


def native_total(chart: BareChart, given: Weights, algebra: str) -> float | None:
    """Return the total of a chart in an algebra ("viterbi", "real", "log"); None where the fold has to compute it."""
    try:
        weigher, scored, _ = _of_chart(chart, given)
        return _asked(lambda: weigher.total(algebra, scored))
    except _NotNative:
        return None


def native_best(chart: BareChart, given: Weights) -> tuple[ScoredTree, Derivation] | None:
    """Return the best tree of a chart and its best derivation; None where there is none, or the fold has to find it."""
    try:
        weigher, scored, store = _of_chart(chart, given)
        best = _asked(lambda: weigher.best(scored))
        return None if best is None else (_tree(best), _derivation(chart, store, best.choices()))
    except _NotNative:
        return None


def _of_chart(chart: BareChart, given: Weights) -> tuple[Weigher, Scored, OrderedStore]:
    """Return what weighs the sentence of a chart."""
    store: Any = getattr(chart.raw, "store", None)
    if store is None or chart.schema.grammar != "d-rules" or StepWeights(chart, given).cases:
        raise _NotNative
    from schemata.ordered.store import OrderedStore

    if not isinstance(store, OrderedStore) or not store.is_complete:
        raise _NotNative
    scored = _scored(chart.grammar, given, lambda: store.tables.hypotheses, Budget().memory)
    return store.tables.kernel.weigher, scored, store


def _scored(provided: Any, given: Weights, hypotheses: Callable[[], Hypotheses], memory: int) -> Scored:
    """Return a sentence with scores of links, if nothing else weighs."""
    if given.arcs is None or given.steps or given.arcs.labels:
        raise _NotNative
    from schemata.ordered.weights import Scored

    return Scored(provided, given.arcs.matrix, hypotheses, memory)


def _asked(ask: Callable[[], T]) -> T:
    from schemata.kernels.store import OutsideTables
    from schemata.ordered.weights import NotWeighable

    try:
        return ask()
    except (NotWeighable, OutsideTables):
        raise _NotNative from None


def _tree(best: Best) -> ScoredTree:
    try:
        return ScoredTree(DependencyTree(best.heads), best.weight)
    except StructureError:  # the best tree is another one
        raise _NotNative from None


def _derivation(chart: BareChart, store: OrderedStore, choices: Sequence[Choice]) -> Derivation:
    """Return a derivation from its choices in preorder."""

    def number(kind: int, columns: tuple[int, ...]) -> int:
        found = store.number_at(kind, store.tables.place_of(kind, columns))
        assert found is not None
        return found

    def edge(one: Choice) -> Edge | None:
        if one.case is None:
            return None
        antecedents = chart.schema.cases[one.case].antecedents
        slots = tuple(k for k, antecedent in enumerate(antecedents) if not antecedent.context)
        return Edge(one.case, tuple(number(*tail) for tail in one.tails), one.links, slots)

    return derivation_of(chart, [(number(one.kind, one.columns), edge(one)) for one in choices])


def best_each(
    engines: Engines, sentences: Iterable[tuple[Sentence, Any, Weights]], engine: EngineName
) -> Iterator[ScoredTree | None]:
    """Yield the best tree of every sentence, None where it is not accepted.

    Parameters
    ----------
    engines : those of the schema.
    sentences : each with what the grammar provides for it, and its weights.
    engine : as for a run; "auto" begins with charts, and goes over to native kernels when that is worth their start.

    Raises
    ------
    UsageError, BudgetExceeded, Interrupted : as a run does.
    """
    weigher: Weigher | None = None
    weighed = engines.schema.grammar != "d-rules" or any(case.weight for case in engines.schema.cases)
    looked, steps = engine == "python" or weighed, 0
    memory = Budget().memory
    for sentence, provided, given in sentences:
        if not looked and (engine == "native" or engines.is_worth(MANY_RUNS, steps)):
            looked = True
            native = engines.native
            ordered = None if native is None else native.ordered
            weigher = None if ordered is None else ordered.weigher
        if weigher is not None:
            try:
                yield _best_of(engines, weigher, provided, given, memory)
                continue
            except _NotNative:
                pass
        chart = engines.run(sentence, provided, engine=engine)
        chart.weights = given
        steps += chart.step_count
        found = chart.best()
        yield None if found is None else ScoredTree(found.structure, found.weight)  # type: ignore[arg-type]


def _best_of(
    engines: Engines, weigher: Weigher, provided: Any, given: Weights, memory: int
) -> ScoredTree | None:
    from schemata.engine.native import hypotheses_of

    native = engines.native
    assert native is not None
    agenda = native.agenda
    scored = _scored(provided, given, lambda: hypotheses_of(agenda, provided.n, provided), memory)
    best = _asked(lambda: weigher.best(scored))
    return None if best is None else _tree(best)
