"""A decoder: a schema as a parser, from arrays of scores to arrays of heads, totals and probabilities.

There are no words and no charts: a batch has one score matrix for each sentence. Sentences are independent, so threads
share a batch; kernels run without the interpreter's lock.
"""

from __future__ import annotations

import math
import os
import random
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from schemata.decoding.batches import Batch, batch_of
from schemata.decoding.search import (
    ChartSearch,
    SingleRoot,
    SpanningSearch,
    TreeSearch,
    best_trees,
    sampled_tree,
)
from schemata.errors import AmbiguityWarning, UsageError, require_number
from schemata.thresholds import WAYS
from schemata.weights.roots import Sums
from schemata.weights.semiring import Semiring, semiring_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.language.model import Schema

T = TypeVar("T")
GivenSteps: TypeAlias = "Mapping[str, Any] | None"


class Decoded(NamedTuple):
    """The best tree of each sentence.

    Attributes
    ----------
    heads : int64 [B, n], the head of each word, 0 for node 0; -1 beyond a sentence, and where there is no tree.
    weights : float64 [B], the trees' scores in log space; -inf where there is no tree.
    labels : int64 [B, n], the number of each link's best label, -1 like heads; None for scores without labels.
    """

    heads: NDArray[np.int64]
    weights: NDArray[np.float64]
    labels: NDArray[np.int64] | None = None


class Gradients(NamedTuple):
    """Log totals and their derivatives, which are probabilities.

    Attributes
    ----------
    totals : float64 [B], -inf where there is no tree.
    links : by the scores, shaped like padded scores, as `Decoder.marginals` returns them.
    steps : by the weights of steps, by name, shaped like padded weights: the share of derivations that apply the
        step with each choice of values.
    """

    totals: NDArray[np.float64]
    links: NDArray[np.float64]
    steps: dict[str, NDArray[np.float64]]


class Decoder:
    """Decodes batches of score matrices; make one with `ParsingSchema.decoder`, or `schemata.decoder`.

    In all methods `scores` are an array [B, n + 1, n + 1] or, with labels, [B, n + 1, n + 1, L], or a list of arrays
    without the first dimension. `scores[b, h, d]` is the score, in log space, of the link of the dependent d to the
    head h, both counted from 1, 0 for the artificial root; -inf forbids a link. `lengths` has the number of words of
    each sentence, [B]; the rest is not read. B sentences, n words in the longest.

    `steps` has weights of steps: by the name of a step an array [B, n + 1, ..., n + 1], or a list of
    arrays without the first dimension, with an axis for each position among the step's variables, in the order in which
    they first stand in it; or a `StepTensor` of such an array, whose axes have names. So `{"R-Next": array}` has
    `array[b, h, s, m]` for each application of the step R-Next to a head h and two dependents s and m side by side.

    Attributes
    ----------
    name : of the schema.
    semiring : the semiring of `total`.
    single_root : whether trees have a single word under node 0.
    threads : how many work on a batch; 0 for one per processor.

    Raises
    ------
    UsageError : in all methods, scores, weights or lengths of a wrong shape or type, a number that is nan or infinite,
        or an unknown step.
    """

    def __init__(
        self,
        name: str,
        search: ChartSearch | SpanningSearch,
        semiring: str | Semiring[Any] = "viterbi",
        *,
        single_root: bool = False,
        threads: int = 0,
        doubt: str | None = None,
        schema: Schema,
    ) -> None:
        require_number("threads", threads, least=0)
        self.name, self.semiring, self.single_root = name, semiring_of(semiring), single_root
        self.threads = threads
        self._whole = search
        self._search: TreeSearch = SingleRoot(search) if single_root else search
        self._schema = schema
        self._doubt = doubt
        self._twins: list[TreeSearch] = []
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        """Name the schema and the semiring."""
        return f"<Decoder of {self.name}: {self.semiring.native or 'a semiring'}>"

    def __call__(
        self, scores: Any, lengths: Any = None, *, steps: GivenSteps = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the heads and weights of the best trees, [B, n] and [B]; see `Decoded`.

        >>> import schemata
        >>> heads, weights = schemata.load("eisner-split").decoder()([[[0, 1, 5], [0, 0, 2], [0, 4, 0]]])
        >>> heads.tolist(), weights.tolist()
        ([[2, 0]], [9.0])
        """
        decoded = self.best(scores, lengths, steps=steps)
        return decoded.heads, decoded.weights

    def best(self, scores: Any, lengths: Any = None, *, steps: GivenSteps = None) -> Decoded:
        """Return the best trees, with their labels."""
        batch = self.batch(scores, lengths, steps)
        heads = np.full((len(batch.matrices), batch.longest), -1, np.int64)
        weights = np.full(len(batch.matrices), -math.inf)
        for k, found in enumerate(
            self._each(batch, lambda search, matrix, k: search.best(matrix, batch.steps[k]))
        ):
            if found is not None:
                heads[k, : len(found[0])], weights[k] = found
        return Decoded(heads, weights, _labels(batch, heads))

    def total(self, scores: Any, lengths: Any = None, *, steps: GivenSteps = None) -> NDArray[Any]:
        """Return the total of each sentence in the decoder's semiring, [B].

        "viterbi" and "log" in log space; any semiring but these, "real" and "boolean" is summed over charts.
        """
        match self.semiring.native:
            case "viterbi":
                return self.best(scores, lengths, steps=steps).weights
            case "log":
                return self.log_total(scores, lengths, steps=steps)
            case "real":
                with np.errstate(over="raise"):
                    try:
                        return np.exp(self.log_total(scores, lengths, steps=steps))
                    except FloatingPointError:
                        message = "a total is too large for a number"
                        raise UsageError(message, code="too-large", hint="ask for log totals") from None
        if self.single_root:
            message = f"{self!r} has no totals in this semiring"
            expected = "viterbi, log or real"
            raise UsageError(message, code="bad-semiring", expected=expected)
        if not self.semiring.idempotent:
            self._warn("a total", steps)
        batch = self.batch(scores, lengths, steps)
        pairs = zip(batch.matrices, batch.steps, strict=True)
        return np.array([self._whole.total(matrix, self.semiring, of_steps) for matrix, of_steps in pairs])

    def log_total(self, scores: Any, lengths: Any = None, *, steps: GivenSteps = None) -> NDArray[np.float64]:
        """Return the logarithm of the sum of all trees' weights, float64 [B]; -inf where there is no tree.

        Raises
        ------
        AmbiguityWarning : (a warning) the sum is over derivations, and the schema derives some trees more than once.
        """
        self._warn("a log total", steps)
        batch = self.batch(scores, lengths, steps, summed=True)
        return np.array(
            self._each(batch, lambda search, matrix, k: search.log_total(matrix, batch.steps[k])), np.float64
        )

    def marginals(self, scores: Any, lengths: Any = None, *, steps: GivenSteps = None) -> NDArray[np.float64]:
        """Return the probability of each link, shaped like padded scores: [B, n + 1, n + 1] or with labels.

        `marginals[b, h, d]` is the share of the trees that link d to h; zeros beyond a sentence, in the column of node
        0, and where there is no tree. They are the gradient of `log_total` by the scores.
        """
        return self.gradients(scores, lengths, steps=steps).links

    def gradients(self, scores: Any, lengths: Any = None, *, steps: GivenSteps = None) -> Gradients:
        """Return log totals and their derivatives by all weights, in one pass forward and one backward."""
        self._warn("a marginal", steps)
        batch = self.batch(scores, lengths, steps, summed=True)
        sums, size = self._sums(batch), batch.longest + 1
        of_steps: dict[str, NDArray[np.float64]] = {}
        for step in steps or ():
            rows = [one.steps[step] for one in sums]
            of_steps[step] = np.zeros((len(rows), *(size,) * max((row.ndim for row in rows), default=0)))
            for k, row in enumerate(rows):
                of_steps[step][k][tuple(map(slice, row.shape))] = row
        totals = np.array([one.log_total for one in sums], np.float64)
        return Gradients(totals, self._padded(batch, [one.links for one in sums]), of_steps)

    def entropy(self, scores: Any, lengths: Any = None, *, steps: GivenSteps = None) -> NDArray[np.float64]:
        """Return the entropy of the distribution over trees, in nats, float64 [B]; 0 where there is no tree.

        With weights of steps, or for a schema that derives some trees more than once, it is that over derivations.
        """
        return self.cross_entropy(scores, scores, lengths, steps=steps, other_steps=steps)

    def cross_entropy(
        self,
        scores: Any,
        other: Any,
        lengths: Any = None,
        *,
        steps: GivenSteps = None,
        other_steps: GivenSteps = None,
    ) -> NDArray[np.float64]:
        """Return the expected cost under `other` of a tree drawn by `scores`, in nats: -E[log p(tree)], float64
        [B].

        inf where a tree that may be drawn is impossible under `other`; 0 where there is no tree.
        """
        self._warn("an entropy", steps)
        batch = self.batch(scores, lengths, steps, summed=True)
        others = self.batch(other, lengths, other_steps, summed=True)
        if [x.shape for x in _details(batch)] != [x.shape for x in _details(others)]:
            raise UsageError("the two scores have different shapes", code="bad-scores")
        given, of_given = steps or {}, other_steps or {}
        if given.keys() != of_given.keys():
            raise UsageError("the weights are of different steps", code="bad-weights")
        sums = self._sums(batch)
        same = other is scores and steps is other_steps
        of_others = sums if same else self._sums(others)
        found = np.zeros(len(sums))
        for k, (one, of_other) in enumerate(zip(sums, of_others, strict=True)):
            if one.log_total > -math.inf:
                pairs = [(_by_label(batch, k, one.links), _details(others)[k])]
                pairs += [(one.steps[step], others.steps[k][step].array) for step in given]
                costs = (shares[shares > 0] @ costs[shares > 0] for shares, costs in pairs)
                found[k] = max(0.0, of_other.log_total - float(sum(costs)))
        return found

    def kl(
        self,
        scores: Any,
        other: Any,
        lengths: Any = None,
        *,
        steps: GivenSteps = None,
        other_steps: GivenSteps = None,
    ) -> NDArray[np.float64]:
        """Return the Kullback-Leibler divergence of the distribution of `other` from that of `scores`, float64 [B]."""
        crossed = self.cross_entropy(scores, other, lengths, steps=steps, other_steps=other_steps)
        return np.maximum(crossed - self.entropy(scores, lengths, steps=steps), 0.0)

    def k_best(
        self, scores: Any, lengths: Any = None, k: int = 1, *, steps: GivenSteps = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the k best trees of each sentence, each once, best first.

        Returns
        -------
        heads : int64 [B, k, n], -1 beyond a sentence and where there are fewer trees.
        weights : float64 [B, k], -inf where there are fewer trees.
        """
        require_number("k", k, least=1)
        batch = self.batch(scores, lengths, steps)
        heads = np.full((len(batch.matrices), k, batch.longest), -1, np.int64)
        weights = np.full((len(batch.matrices), k), -math.inf)
        each = self._each(
            batch, lambda search, matrix, b: list(islice(best_trees(search, matrix, batch.steps[b]), k))
        )
        for b, trees in enumerate(each):
            for rank, (tree, weight) in enumerate(trees):
                heads[b, rank, : len(tree)], weights[b, rank] = tree, weight
        return heads, weights

    def sample(
        self, scores: Any, lengths: Any = None, k: int = 1, seed: int = 0, *, steps: GivenSteps = None
    ) -> NDArray[np.int64]:
        """Return k trees of each sentence, drawn in proportion to their weights: heads, int64 [B, k, n].

        -1 beyond a sentence and where there is no tree. The seed fixes the draw, whatever the threads.
        """
        require_number("the number of samples", k, least=1)
        self._warn("a sample", steps)
        batch = self.batch(scores, lengths, steps, summed=True)
        heads = np.full((len(batch.matrices), k, batch.longest), -1, np.int64)

        def drawn(search: TreeSearch, matrix: Any, number: int) -> Sequence[tuple[int, ...] | None]:
            draw = random.Random(f"{seed} {number}")
            return [sampled_tree(search, matrix, draw, batch.steps[number]) for _ in range(k)]

        for b, trees in enumerate(self._each(batch, drawn)):
            for rank, tree in enumerate(trees):
                if tree is not None:
                    heads[b, rank, : len(tree)] = tree
        return heads

    def batch(self, scores: Any, lengths: Any, steps: GivenSteps, summed: bool = False) -> Batch:
        """Return scores and weights in the form for searches; raises the errors of the methods."""
        return batch_of(scores, lengths, summed, steps, schema=self._schema)

    def _sums(self, batch: Batch) -> list[Sums]:
        return self._each(batch, lambda search, matrix, k: search.sums(matrix, batch.steps[k]))

    def _padded(self, batch: Batch, rows: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return probabilities in one array, those of labels where links have some."""
        labels = () if batch.labelled is None else batch.labelled[0].shape[2:]
        size = batch.longest + 1
        found = np.zeros((len(rows), size, size, *labels))
        for k, links in enumerate(rows):
            found[k, : len(links), : len(links)] = _by_label(batch, k, links)
        return found

    def _each(self, batch: Batch, ask: Callable[[TreeSearch, Any, int], T]) -> list[T]:
        """Return the answers for all sentences, in order; threads take sentences in turn."""
        number = len(batch.matrices)
        threads = min(self.threads or os.cpu_count() or 1, max(1, number // WAYS.thread_sentences))
        if threads == 1:
            with self._lock:
                return [ask(self._search, matrix, k) for k, matrix in enumerate(batch.matrices)]
        with self._lock:
            while len(self._twins) < threads:
                self._twins.append(self._search.twin())
            answers: list[Any] = [None] * number
            first = max(range(number), key=lambda k: len(batch.matrices[k]))
            answers[first] = ask(self._twins[0], batch.matrices[first], first)  # kernels are compiled once
            numbers = iter(k for k in range(number) if k != first)
            turn = threading.Lock()

            def work(search: TreeSearch) -> None:
                while True:
                    with turn:
                        taken = list(islice(numbers, WAYS.thread_sentences // 2))
                    if not taken:
                        return
                    for k in taken:
                        answers[k] = ask(search, batch.matrices[k], k)

            with ThreadPoolExecutor(threads) as pool:
                for done in [pool.submit(work, twin) for twin in self._twins[:threads]]:
                    done.result()
            return answers

    def _warn(self, what: str, steps: GivenSteps) -> None:
        """Warn of sums over derivations, where trees have several; sums without a chart are over trees."""
        if self._doubt and (steps or not isinstance(self._whole, SpanningSearch)):
            warnings.warn(f"{what} is over derivations: {self._doubt}", AmbiguityWarning, stacklevel=3)


def _details(batch: Batch) -> Sequence[NDArray[np.float64]]:
    """Return the scores of each sentence, those of labels where links have some."""
    return batch.matrices if batch.labelled is None else batch.labelled


def _by_label(batch: Batch, number: int, links: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of links, shared out among their labels if they have some."""
    if batch.labelled is None:
        return links
    sums = batch.matrices[number]
    parts = np.exp(batch.labelled[number] - np.where(np.isfinite(sums), sums, 0.0)[:, :, None])
    return links[:, :, None] * parts


def _labels(batch: Batch, heads: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the number of the best label of each link."""
    if batch.labelled is None:
        return None
    found = np.full(heads.shape, -1, np.int64)
    for k, scores in enumerate(batch.labelled):
        words = np.flatnonzero(heads[k] >= 0)
        found[k, words] = scores[heads[k, words], words + 1].argmax(axis=1)
    return found
