"""The search for the best tree of one score matrix, and sums over all trees: by a schema's kernels, or without a chart.

A search answers two questions, `best` and `sums`. The k best trees and samples follow from them: a link is forbidden by
a score of -inf, and forced by forbidding the other heads of its dependent.
"""

from __future__ import annotations

import heapq
import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from schemata.budget import Budget
from schemata.decoding.spanning import best_tree, tree_sums
from schemata.errors import AmbiguityWarning, StructureError
from schemata.grammars.drules import all_licences
from schemata.structures import DependencyTree, Sentence
from schemata.weights.roots import Sums, best_with_single_root, sums_with_single_root
from schemata.weights.scores import ArcScores, Weights
from schemata.weights.semiring import LOG

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

    from schemata.engine.chart import Chart
    from schemata.engine.engines import Engines
    from schemata.ordered.weights import Scored, Weigher
    from schemata.weights.semiring import Semiring
    from schemata.weights.tensors import StepTensor

    Matrix: TypeAlias = NDArray[np.float64]

HeadRow: TypeAlias = tuple[int, ...]
Steps: TypeAlias = "Mapping[str, StepTensor]"
NO_STEPS: Steps = MappingProxyType({})


class TreeSearch(Protocol):
    """A search for trees under a score matrix, `matrix[head, dependent]` in log space; -inf forbids a link.

    `steps` has the weights of steps, by name, fitted to the sentence.
    """

    def best(self, matrix: Matrix, steps: Steps = NO_STEPS) -> tuple[HeadRow, float] | None:
        """Return the best tree and its weight; None if there is no tree."""
        ...

    def sums(self, matrix: Matrix, steps: Steps = NO_STEPS) -> Sums:
        """Return the log total and its derivatives by all weights."""
        ...

    def log_total(self, matrix: Matrix, steps: Steps = NO_STEPS) -> float:
        """Return the log total alone."""
        ...

    def twin(self) -> TreeSearch:
        """Return the same search for another thread."""
        ...


class SpanningSearch:
    """The search over all trees under node 0, projective or not, without a chart.

    Parameters
    ----------
    engines : those of a schema that derives all these trees. Weights of its steps, and totals in other semirings, are
        those of its chart.
    """

    def __init__(self, engines: Engines) -> None:
        self.engines = engines

    @cached_property
    def _of_chart(self) -> ChartSearch:
        return ChartSearch(self.engines)

    def best(self, matrix: Matrix, steps: Steps = NO_STEPS) -> tuple[HeadRow, float] | None:
        """See `TreeSearch.best`."""
        if steps:
            return self._of_chart.best(matrix, steps)
        heads = best_tree(matrix)
        return None if heads is None else (heads, weight_of(matrix, heads))

    def sums(self, matrix: Matrix, steps: Steps = NO_STEPS) -> Sums:
        """See `TreeSearch.sums`; with weights of steps over derivations."""
        return self._of_chart.sums(matrix, steps) if steps else Sums(*tree_sums(matrix))

    def log_total(self, matrix: Matrix, steps: Steps = NO_STEPS) -> float:
        """See `TreeSearch.log_total`; with weights of steps over derivations."""
        return self._of_chart.log_total(matrix, steps) if steps else tree_sums(matrix)[0]

    def total(self, matrix: Matrix, semiring: Semiring[Any], steps: Steps = NO_STEPS) -> Any:
        """Return a total in any semiring, over the trees of the chart; with weights of steps over derivations."""
        return self._of_chart.total(matrix, semiring, steps, distinct=not steps)

    def twin(self) -> TreeSearch:
        """See `TreeSearch.twin`."""
        return SpanningSearch(self.engines)


class ChartSearch:
    """The search over the trees that a schema derives: by ordered kernels, or over the chart if it has no such
    kernels.

    Parameters
    ----------
    engines : those of a schema over D-rules that builds trees.
    """

    def __init__(self, engines: Engines) -> None:
        from schemata.ordered.weights import weigher_of

        native = engines.native
        weighed = any(case.weight for case in engines.schema.cases)
        ordered = None if native is None or weighed else native.ordered
        self.engines = engines
        self.weigher: Weigher | None = None if ordered is None else weigher_of(ordered).twin()
        self._memory = Budget().memory

    def twin(self) -> TreeSearch:
        """See `TreeSearch.twin`."""
        return ChartSearch(self.engines)

    def best(self, matrix: Matrix, steps: Steps = NO_STEPS) -> tuple[HeadRow, float] | None:
        """See `TreeSearch.best`."""
        found = self._natively(matrix, steps, lambda weigher, scored: (weigher.best(scored),))
        if found is not None:
            (best,) = found
            if best is None:
                return None
            try:
                DependencyTree(best.heads)
            except StructureError:  # an unsound schema: the best tree is another one
                pass
            else:
                return best.heads, best.weight
        chosen = self._chart(matrix, steps).best()
        return None if chosen is None else (chosen.structure.heads, chosen.weight)  # type: ignore[union-attr]

    def sums(self, matrix: Matrix, steps: Steps = NO_STEPS) -> Sums:
        """See `TreeSearch.sums`; sums over derivations, where a schema derives some trees more than once."""
        found = self._natively(matrix, steps, lambda weigher, scored: (weigher.shares(scored),))
        _, links, of_steps = nothing(matrix, steps)
        if found is not None:
            (shares,) = found
            return nothing(matrix, steps) if shares is None else shares
        chart = self._chart(matrix, steps)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AmbiguityWarning)
            total = float(chart.total("log"))
            built: Any = chart.marginals() if total > -math.inf else {}
        for (dependent, head), share in built.items():
            links[head, dependent] = share
        if steps and built:
            of_steps = chart.weighing.step_shares()
        return Sums(total, links, of_steps)

    def log_total(self, matrix: Matrix, steps: Steps = NO_STEPS) -> float:
        """See `TreeSearch.log_total`."""
        found = self._natively(matrix, steps, lambda weigher, scored: (weigher.total("log", scored),))
        return float(self.total(matrix, LOG, steps)) if found is None else float(found[0])

    def total(
        self, matrix: Matrix, semiring: Semiring[Any], steps: Steps = NO_STEPS, distinct: bool = False
    ) -> Any:
        """Return a total in any semiring, over the chart: of derivations, or of distinct trees."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AmbiguityWarning)
            return self._chart(matrix, steps).total(semiring, distinct=distinct)

    def _natively(self, matrix: Matrix, steps: Steps, ask: Callable[[Weigher, Scored], Any]) -> Any:
        """Return the answer of ordered kernels; None if they cannot answer."""
        if self.weigher is None:
            return None
        from schemata.engine.native import hypotheses_of
        from schemata.kernels.store import OutsideTables
        from schemata.ordered.weights import NotWeighable, Scored

        native = self.engines.native
        assert native is not None
        agenda, licences = native.agenda, all_licences(len(matrix) - 1)
        hypotheses = lambda: hypotheses_of(agenda, licences.n, licences)  # noqa: E731
        try:
            return ask(self.weigher, Scored(licences, matrix, hypotheses, self._memory, steps))
        except (NotWeighable, OutsideTables):
            return None

    def _chart(self, matrix: Matrix, steps: Steps = NO_STEPS) -> Chart:
        n = len(matrix) - 1
        chart = self.engines.run(Sentence.of(["_"] * n), all_licences(n))
        chart.weights = Weights(ArcScores(matrix), steps)
        return chart


class SingleRoot:
    """A search for trees in which one word alone hangs under node 0, by lowered scores (`weights.roots`)."""

    def __init__(self, search: TreeSearch) -> None:
        self.search = search

    def twin(self) -> TreeSearch:
        """See `TreeSearch.twin`."""
        return SingleRoot(self.search.twin())

    def best(self, matrix: Matrix, steps: Steps = NO_STEPS) -> tuple[HeadRow, float] | None:
        """See `TreeSearch.best`."""
        found = best_with_single_root(matrix, lambda scores: self.search.best(scores, steps), bool(steps))
        if found is None:
            return None
        return found.heads, found.weight if steps else weight_of(matrix, found.heads)

    def sums(self, matrix: Matrix, steps: Steps = NO_STEPS) -> Sums:
        """See `TreeSearch.sums`."""
        found = sums_with_single_root(matrix, lambda scores: self.search.sums(scores, steps), bool(steps))
        return nothing(matrix, steps) if found is None else found

    def log_total(self, matrix: Matrix, steps: Steps = NO_STEPS) -> float:
        """See `TreeSearch.log_total`."""
        return self.sums(matrix, steps).log_total


def nothing(matrix: Matrix, steps: Steps) -> Sums:
    """Return the sums where there is no tree."""
    return Sums(-math.inf, np.zeros_like(matrix), {k: np.zeros_like(one.array) for k, one in steps.items()})


def weight_of(matrix: Matrix, heads: HeadRow) -> float:
    """Return the sum of the scores of a tree's links."""
    return math.fsum(float(matrix[head, dependent]) for dependent, head in enumerate(heads, start=1))


def best_trees(
    search: TreeSearch, matrix: Matrix, steps: Steps = NO_STEPS
) -> Iterator[tuple[HeadRow, float]]:
    """Yield trees, each once, best first.

    All trees but the best fall into parts: the trees that agree with the best one on the words before some word, and
    differ from it at this word (Murty 1968; Lawler 1972). The best of each part waits in a heap.
    """
    count = itertools.count()
    waiting: list[tuple[float, int, HeadRow, Matrix, int]] = []

    def enter(scores: Matrix, fixed: int) -> None:
        found = search.best(scores, steps)
        if found is not None:
            heapq.heappush(waiting, (-found[1], next(count), found[0], scores, fixed))

    enter(matrix, 0)
    while waiting:
        weight, _, heads, scores, fixed = heapq.heappop(waiting)
        yield heads, -weight
        scores = scores.copy()
        for word in range(fixed + 1, len(heads) + 1):
            part = scores.copy()
            part[heads[word - 1], word] = -math.inf
            enter(part, word - 1)
            _force(scores, word, heads[word - 1])


def sampled_tree(
    search: TreeSearch, matrix: Matrix, draw: random.Random, steps: Steps = NO_STEPS
) -> HeadRow | None:
    """Return a tree drawn in proportion to its weight, head by head; None if there is no tree."""
    scores = matrix.copy()
    heads: list[int] = []
    for word in range(1, len(matrix)):
        total, links, _ = search.sums(scores, steps)
        if total == -math.inf:
            return None
        column = links[:, word].tolist()
        heads.append(draw.choices(range(len(column)), column)[0])
        _force(scores, word, heads[-1])
    return tuple(heads)


def _force(scores: Matrix, word: int, head: int) -> None:
    """Forbid all heads of a word but one."""
    kept = scores[head, word]
    scores[:, word] = -math.inf
    scores[head, word] = kept
