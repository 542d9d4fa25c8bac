"""Distributions over trees for JAX: the sums of a decoder, as a function with a gradient.

The names are those of `schemata.torch`. Decoders work on the host, as callbacks of JAX, so that distributions can be
made within `jit`, `grad` and `vmap`. JAX is not among schemata's dependencies; it is imported when a distribution is
made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from schemata.errors import UsageError, require_library
from schemata.workbench import Reference, decoder


@cache
def _library() -> Any:
    """Import JAX.

    Raises
    ------
    UsageError : it is not installed.
    """
    message = "schemata.jax needs JAX, which this Python does not have"
    return require_library("jax", message, "install with: pip install jax")


class Distribution:
    """The distribution over the trees that a schema derives, each in proportion to its weight.

    Parameters
    ----------
    schema : a schema over D-rules, or an argument of `load`; `matrix-tree` for all trees.
    scores : an array [B, n + 1, n + 1], `scores[b, head, dependent]` in log space.
    lengths : the number of words of each sentence, [B]; None if all have n.
    steps : by the name of a step an array [B, n + 1, ..., n + 1] of its weights, by its positions.
    single_root : whether trees have a single word under node 0.
    threads : how many work on a batch; 0 for one per processor.

    Raises
    ------
    UsageError : JAX is not installed; scores that are not an array of floats, or that decoders refuse. Within `jit`
        values are not known yet: JAX then raises an error of its own, with the same message.
    """

    def __init__(
        self,
        schema: Reference,
        scores: Any,
        lengths: Any = None,
        *,
        steps: Mapping[str, Any] | None = None,
        single_root: bool = False,
        threads: int = 0,
    ) -> None:
        jax = _library()
        self._numpy = jax.numpy
        for one in (scores, *(steps or {}).values()):
            if not self._numpy.issubdtype(getattr(one, "dtype", object), self._numpy.floating):
                message = "the scores are not an array of floats"
                raise UsageError(message, code="bad-scores", expected="an array of JAX or NumPy")
        if scores.ndim != 3 or scores.shape[1] != scores.shape[2] or scores.shape[1] < 2:
            message = f"the scores have the shape {' x '.join(map(str, scores.shape)) or 'no dimension'}"
            raise UsageError(message, code="bad-scores", expected="scores [B, n + 1, n + 1]")
        self.scores = self._numpy.asarray(scores)
        self.steps = {k: self._numpy.asarray(one) for k, one in (steps or {}).items()}
        whole = np.full(len(scores), scores.shape[1] - 1)
        self.lengths = self._numpy.asarray(whole if lengths is None else lengths)
        self._decoder = decoder(schema, "log", single_root=single_root, threads=threads)
        given = self.scores, self.lengths, self.steps
        if not any(isinstance(one, jax.core.Tracer) for one in jax.tree.leaves(given)):
            named = {k: np.asarray(x) for k, x in self.steps.items()}
            self._decoder.batch(np.asarray(self.scores), np.asarray(self.lengths), named)

        def forward(scores: Any, lengths: Any, steps: dict[str, Any]) -> Any:
            def work(*host: Any) -> Any:
                found = self._decoder.gradients(*host[:2], steps=host[2])
                return found.totals, (found.links, found.steps)

            totals = jax.ShapeDtypeStruct(scores.shape[:1], scores.dtype)
            return self._called(work, (totals, (scores, steps)), scores, lengths, steps)

        def backward(shares: Any, gradient: Any) -> tuple[Any, None, Any]:
            def along(one: Any) -> Any:
                return gradient.reshape(-1, *[1] * (one.ndim - 1)) * one

            links, of_steps = shares
            return along(links), None, {k: along(one) for k, one in of_steps.items()}

        self._total = jax.custom_vjp(lambda *given: forward(*given)[0])
        self._total.defvjp(forward, backward)

    @property
    def partition(self) -> Any:
        """The log total of each sentence, [B]; differentiable once by the scores and by the weights of steps."""
        return self._total(self.scores, self.lengths, self.steps)

    @property
    def marginals(self) -> Any:
        """The probability of each link, shaped like the scores; without a gradient."""
        return self._asked(lambda *given, steps: self._decoder.marginals(*given, steps=steps), self.scores)

    @property
    def heads(self) -> Any:
        """The heads of the best tree, int32 [B, n]; -1 beyond a sentence, and where there is no tree."""
        like = self._numpy.zeros((len(self.scores), self.scores.shape[1] - 1), np.int32)
        return self._asked(lambda *given, steps: self._decoder(*given, steps=steps)[0], like)

    @property
    def argmax(self) -> Any:
        """The links of the best tree, shaped like the scores."""
        return self._links(self.heads)

    @property
    def max(self) -> Any:
        """The weight of the best tree, [B]; differentiable by the scores."""
        return self._weight(self.argmax)

    def topk(self, k: int) -> Any:
        """Return the links of the k best trees, [k, B, n + 1, n + 1]; zeros where there are fewer."""
        return self._ranked(
            k, lambda scores, lengths, steps: self._decoder.k_best(scores, lengths, k, steps=steps)[0]
        )

    def sample(self, k: int = 1, seed: int = 0) -> Any:
        """Return the links of k trees drawn from the distribution, [k, B, n + 1, n + 1]."""
        return self._ranked(
            k, lambda scores, lengths, steps: self._decoder.sample(scores, lengths, k, seed, steps=steps)
        )

    def log_prob(self, links: Any) -> Any:
        """Return the logarithm of the probability of trees, [B]; differentiable once by the scores.

        Parameters
        ----------
        links : indicators shaped like the scores, or heads, whole numbers [B, n].
        """
        return self._weight(self._links(links) if links.ndim == 2 else links) - self.partition

    @property
    def entropy(self) -> Any:
        """The entropy in nats, [B]; without a gradient."""
        return self._asked(
            lambda *given, steps: self._decoder.entropy(*given, steps=steps), self.scores[:, 0, 0]
        )

    def _weight(self, links: Any) -> Any:
        if self.steps:  # the total of the derivations that build these links alone
            kept = self._numpy.where(links > 0, self.scores, -self._numpy.inf)
            return self._total(kept, self.lengths, self.steps)
        return (self._numpy.where(links > 0, self.scores, 0.0) * links).sum(axis=(1, 2))

    def _links(self, heads: Any) -> Any:
        """Return 1 for each link, shaped like the scores."""
        nodes = self._numpy.arange(self.scores.shape[1])
        found = (heads[..., None, :] == nodes[:, None]).astype(self.scores.dtype)
        return self._numpy.pad(found, [(0, 0)] * (found.ndim - 1) + [(1, 0)])

    def _ranked(self, k: int, work: Callable[..., Any]) -> Any:
        like = self._numpy.zeros((len(self.scores), k, self.scores.shape[1] - 1), np.int32)
        return self._links(self._numpy.swapaxes(self._asked(work, like), 0, 1))

    def _asked(self, work: Callable[..., Any], like: Any) -> Any:
        """Return the decoder's answer, without a gradient."""
        given = _library().lax.stop_gradient((self.scores, self.lengths, self.steps))
        return self._called(lambda *host: work(*host[:2], steps=host[2]), like, *given)

    def _called(self, work: Callable[..., Any], like: Any, *given: Any) -> Any:
        """Return the results of a function on the host for arrays, shaped like others."""
        jax = _library()
        shapes = jax.tree.map(lambda one: jax.ShapeDtypeStruct(one.shape, one.dtype), like)

        def on_host(scores: Any, lengths: Any, steps: Mapping[str, Any]) -> Any:
            named = {k: np.asarray(one) for k, one in steps.items()}
            found = work(np.asarray(scores), np.asarray(lengths), named)
            return jax.tree.map(lambda one, shape: np.asarray(one, shape.dtype), found, shapes)

        return jax.pure_callback(on_host, shapes, *given, vmap_method="sequential")
