"""The search for the best tree of one score matrix, and sums over all trees: by a schema's kernels, or without a chart.

A search answers two questions, `best` and `sums`. The k best trees and samples follow from them: a link is forbidden by
a score of -inf, and forced by forbidding the other heads of its dependent.
"""

from __future__ import annotations

import heapq
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from schemata.budget import Budget
from schemata.decoding.spanning import best_tree, tree_sums
from schemata.errors import AmbiguityWarning, StructureError
from schemata.grammars.drules import all_licences
from schemata.structures import DependencyTree, Sentence
from schemata.thresholds import WAYS
from schemata.weights.scores import ArcScores, Weights

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

    from schemata.engine.chart import Chart
    from schemata.engine.engines import Engines
    from schemata.ordered.weights import Scored, Weigher
    from schemata.weights.semiring import Semiring

    Matrix: TypeAlias = NDArray[np.float64]

Heads: TypeAlias = tuple[int, ...]


class Search(Protocol):
    """What finds trees under a score matrix, `matrix[head, dependent]` in log space; -inf forbids a link."""

    def best(self, matrix: Matrix) -> tuple[Heads, float] | None:
        """Return the best tree and its weight; None where there is no tree."""
        ...

    def sums(self, matrix: Matrix) -> tuple[float, Matrix]:
        """Return the log total, -inf for nothing, and the probability of each link, shaped like the matrix."""
        ...

    def twin(self) -> Search:
        """Return the same search for another thread."""
        ...


class SpanningSearch:
    """The search over all trees under node 0, projective or not, without a chart."""

    def best(self, matrix: Matrix) -> tuple[Heads, float] | None:
        """See `Search.best`."""
        heads = best_tree(matrix)
        return None if heads is None else (heads, weight_of(matrix, heads))

    def sums(self, matrix: Matrix) -> tuple[float, Matrix]:
        """See `Search.sums`."""
        return tree_sums(matrix)

    def twin(self) -> Search:
        """See `Search.twin`."""
        return self


class ChartSearch:
    """The search over the trees that a schema derives: by ordered kernels, or over the chart where there are none.

    Parameters
    ----------
    engines : those of a schema over D-rules that builds trees.
    """

    def __init__(self, engines: Engines) -> None:
        native = engines.native
        weighed = any(case.weight for case in engines.schema.cases)
        ordered = None if native is None or weighed else native.ordered
        self.engines = engines
        self.weigher: Weigher | None = None if ordered is None else ordered.weigher.twin()
        self._memory = Budget().memory

    def twin(self) -> Search:
        """See `Search.twin`."""
        return ChartSearch(self.engines)

    def best(self, matrix: Matrix) -> tuple[Heads, float] | None:
        """See `Search.best`."""
        found = self._natively(matrix, lambda weigher, scored: (weigher.best(scored),))
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
        chosen = self._chart(matrix).best()
        return None if chosen is None else (chosen.structure.heads, chosen.weight)  # type: ignore[union-attr]

    def sums(self, matrix: Matrix) -> tuple[float, Matrix]:
        """See `Search.sums`; sums over derivations, where a schema derives some trees more than once."""
        found = self._natively(matrix, lambda weigher, scored: (weigher.shares(scored),))
        links = np.zeros_like(matrix)
        if found is not None:
            (shares,) = found
            return (-math.inf, links) if shares is None else (shares.log_total, shares.links)
        chart = self._chart(matrix)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AmbiguityWarning)
            total = float(chart.total("log"))
            built: Any = chart.marginals() if total > -math.inf else {}
        for (dependent, head), share in built.items():
            links[head, dependent] = share
        return total, links

    def total(self, matrix: Matrix, semiring: Semiring[Any]) -> Any:
        """Return a total in any semiring, over the chart."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AmbiguityWarning)
            return self._chart(matrix).total(semiring)

    def _natively(self, matrix: Matrix, ask: Callable[[Weigher, Scored], Any]) -> Any:
        """Return the answer of ordered kernels; None where there are none for this."""
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
            return ask(self.weigher, Scored(licences, matrix, hypotheses, self._memory))
        except (NotWeighable, OutsideTables):
            return None

    def _chart(self, matrix: Matrix) -> Chart:
        n = len(matrix) - 1
        chart = self.engines.run(Sentence.of(["_"] * n), all_licences(n))
        chart.weights = Weights(ArcScores(matrix))
        return chart


class SingleRoot:
    """A search for trees in which one word alone hangs under node 0.

    The scores of links to 0 are lowered by so much that any tree with one such link outweighs all trees with more, and
    that the latter vanish in sums (Stanojević & Cohen 2021, A root of a problem). What is left of them in a sum is
    below the precision of floats.

    What is added to large scores and taken away again is lost to rounding. So scores that are far below 0, as those
    that mask links are, forbid them first, which is right where some tree without them outweighs all others; and
    otherwise, or where scores are far above 0, each root is tried by itself.
    """

    def __init__(self, search: Search) -> None:
        self.search = search

    def twin(self) -> Search:
        """See `Search.twin`."""
        return SingleRoot(self.search.twin())

    def best(self, matrix: Matrix) -> tuple[Heads, float] | None:
        """See `Search.best`."""
        scores, most = _near(matrix)
        if scores is not None:
            found = self.search.best(_lowered(scores)[0])
            if found is not None and found[0].count(0) == 1:
                weight = weight_of(matrix, found[0])
                if weight >= most:
                    return found[0], weight
            elif most == -math.inf:
                return None
        each = filter(None, map(self.search.best, _by_root(matrix)))
        return max(each, key=lambda one: one[1], default=None)

    def sums(self, matrix: Matrix) -> tuple[float, Matrix]:
        """See `Search.sums`."""
        scores, most = _near(matrix)
        if scores is not None:
            lowered, by, least = _lowered(scores)
            total, links = self.search.sums(lowered)
            if total + by < least:  # trees with several roots alone
                total, links = -math.inf, np.zeros_like(matrix)
            if most == -math.inf or total + by >= most + _trees(len(matrix) - 1):
                return total + by, links
        each = [self.search.sums(one) for one in _by_root(matrix)]
        highest = max((total for total, _ in each), default=-math.inf)
        if highest == -math.inf:
            return highest, np.zeros_like(matrix)
        odds = [math.exp(total - highest) for total, _ in each]
        whole = math.fsum(odds)
        shares: Matrix = np.tensordot(np.array(odds) / whole, np.array([links for _, links in each]), 1)
        return highest + math.log(whole), shares


def _near(matrix: Matrix) -> tuple[Matrix | None, float]:
    """Return scores without those that are far below 0, and what a tree with such a link weighs at most.

    None in place of scores where some are far above 0.
    """
    far = np.isfinite(matrix) & (matrix < -WAYS.far_score)
    scores = np.where(far, -math.inf, matrix) if far.any() else matrix
    highest = float(scores.max(initial=0.0))
    if highest > WAYS.far_score:
        return None, -math.inf
    masks = float(matrix[far].max(initial=-math.inf))
    return scores, masks + (len(matrix) - 2) * highest


def _by_root(matrix: Matrix) -> Iterator[Matrix]:
    """Yield scores that forbid all links to 0 but one."""
    for root in range(1, len(matrix)):
        if matrix[0, root] > -math.inf:
            scores = matrix.copy()
            scores[0, 1:] = -math.inf
            scores[0, root] = matrix[0, root]
            yield scores


def _trees(n: int) -> float:
    """Return a bound of the logarithm of how many derivations of trees there are, and what vanishes beside them."""
    return 2 * (n - 1) * math.log(n + 1) + 80.0  # there are (n + 1) ** (n - 1) trees


def _lowered(matrix: Matrix) -> tuple[Matrix, float, float]:
    """Return scores whose links to 0 are lowered, by how much, and a bound below the weight of any tree."""
    n = len(matrix) - 1
    finite = matrix[np.isfinite(matrix)]
    spread = n * float(np.abs(finite).max(initial=0.0))
    by = 2 * spread + _trees(n)
    lowered = matrix.copy()
    lowered[0, 1:] -= by
    return lowered, by, -spread - 20.0


def weight_of(matrix: Matrix, heads: Heads) -> float:
    """Return the sum of the scores of a tree's links."""
    return math.fsum(float(matrix[head, dependent]) for dependent, head in enumerate(heads, start=1))


def best_trees(search: Search, matrix: Matrix) -> Iterator[tuple[Heads, float]]:
    """Yield trees, each once, best first.

    What is left without the best tree falls into parts: those trees that agree with it on the words before some word,
    and not on this word (Murty 1968; Lawler 1972). The best of each part waits in a heap.
    """
    count = itertools.count()
    waiting: list[tuple[float, int, Heads, Matrix, int]] = []

    def enter(scores: Matrix, fixed: int) -> None:
        found = search.best(scores)
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


def sampled_tree(search: Search, matrix: Matrix, draw: random.Random) -> Heads | None:
    """Return a tree drawn in proportion to its weight, head by head; None where there is no tree."""
    scores = matrix.copy()
    heads: list[int] = []
    for word in range(1, len(matrix)):
        total, links = search.sums(scores)
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
