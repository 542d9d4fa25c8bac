"""Distributions over trees for PyTorch: the sums of a decoder, as a function with a gradient.

The names are those of torch-struct (Rush 2020): `partition`, `marginals`, `argmax`, `topk`, `sample`, `log_prob` and
`entropy`. Structures are indicator tensors shaped like the scores: 1 for each link. PyTorch is not among schemata's
dependencies; it is imported when a distribution is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from schemata.errors import UsageError, require_library
from schemata.weights.tensors import StepTensor
from schemata.workbench import Reference, decoder


@cache
def _library() -> Any:
    """Import PyTorch.

    Raises
    ------
    UsageError : it is not installed.
    """
    message = "schemata.torch needs PyTorch, which this Python does not have"
    return require_library("torch", message, "install with: pip install torch")


@cache
def _partition() -> Any:
    """Make the log total a function with a gradient: the marginals."""
    torch = _library()

    def forward(context: Any, distribution: Distribution, scores: Any, *steps: Any) -> Any:
        given = dict(zip(distribution.steps, steps, strict=True))
        found = distribution._decoder.gradients(
            scores, distribution.lengths, steps=distribution._named(given)
        )
        shares = [distribution._tensor(one) for one in (found.links, *(found.steps[k] for k in given))]
        context.save_for_backward(*shares)
        return distribution._tensor(found.totals)

    def backward(context: Any, gradient: Any) -> Any:
        shares = context.saved_tensors
        return None, *(gradient.reshape(-1, *[1] * (one.ndim - 1)) * one for one in shares)

    once = torch.autograd.function.once_differentiable(backward)
    functions = {"forward": staticmethod(forward), "backward": staticmethod(once)}
    return type("Partition", (torch.autograd.Function,), functions)


class Distribution:
    """The distribution over the trees that a schema derives, each in proportion to its weight.

    Parameters
    ----------
    schema : a schema over D-rules, or an argument of `load`; `matrix-tree` for all trees.
    scores : a tensor [B, n + 1, n + 1], `scores[b, head, dependent]` in log space, or [B, n + 1, n + 1, L] with labels.
    lengths : the number of words of each sentence, [B]; None if all have n.
    steps : by the name of a step a tensor [B, n + 1, ..., n + 1] of its weights, by its positions; or a pair of one
        and of the names of its axes, as `StepTensor` has them.
    single_root : whether trees have a single word under node 0.
    threads : how many work on a batch; 0 for one per processor.

    Raises
    ------
    UsageError : PyTorch is not installed; scores that are not a tensor of floats, or that decoders refuse.
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
        self._torch = _library()
        pairs = {k: one if isinstance(one, tuple) else (one, ()) for k, one in (steps or {}).items()}
        self.steps, self._axes = (
            {k: one for k, (one, _) in pairs.items()},
            {k: x for k, (_, x) in pairs.items()},
        )
        for one in (scores, *self.steps.values()):
            if not isinstance(one, self._torch.Tensor) or not one.is_floating_point():
                raise UsageError(
                    "the scores are not a tensor of floats", code="bad-scores", expected="a tensor"
                )
        self.scores, self.lengths = scores, lengths
        self._decoder = decoder(schema, "log", single_root=single_root, threads=threads)
        self._marginals: Any = None

    @property
    def partition(self) -> Any:
        """The log total of each sentence, [B]; differentiable once by the scores and by the weights
        of steps.
        """
        return self._partition(self.scores)

    def _partition(self, scores: Any) -> Any:
        return _partition().apply(self, scores, *self.steps.values())

    def _named(self, given: Mapping[str, Any]) -> dict[str, StepTensor]:
        """Return the weights of steps as decoders take them."""
        arrays = {k: one.detach().cpu().numpy() for k, one in given.items()}
        return {k: StepTensor(array, tuple(self._axes[k])) for k, array in arrays.items()}

    @property
    def _more(self) -> dict[str, Any]:
        return {"steps": self._named(self.steps)}

    @property
    def marginals(self) -> Any:
        """The probability of each link, shaped like the scores; without a gradient."""
        if self._marginals is None:
            self._marginals = self._tensor(self._decoder.marginals(self.scores, self.lengths, **self._more))
        return self._marginals

    @property
    def heads(self) -> Any:
        """The heads of the best tree, int64 [B, n]; -1 beyond a sentence, and where there is no tree."""
        return self._torch.as_tensor(
            self._decoder(self.scores, self.lengths, **self._more)[0], device=self.scores.device
        )

    @property
    def argmax(self) -> Any:
        """The links of the best tree, shaped like the scores."""
        best = self._decoder.best(self.scores, self.lengths, **self._more)
        return self._indicator(self._torch.as_tensor(best.heads), best.labels)

    @property
    def max(self) -> Any:
        """The weight of the best tree, [B]; differentiable by the scores."""
        return self._weight(self.argmax)

    def topk(self, k: int) -> Any:
        """Return the links of the k best trees, [k, B, n + 1, n + 1]; zeros where there are fewer.

        Raises
        ------
        UsageError : the scores have labels, or k is below 1.
        """
        heads, _ = self._decoder.k_best(self._without_labels(), self.lengths, k, **self._more)
        return self._torch.stack(
            [self._indicator(self._torch.as_tensor(heads[:, rank]), None) for rank in range(k)]
        )

    def sample(self, k: int = 1, seed: int = 0) -> Any:
        """Return the links of k trees drawn from the distribution, [k, B, n + 1, n + 1].

        Raises
        ------
        UsageError : the scores have labels, or k is below 1.
        """
        heads = self._decoder.sample(self._without_labels(), self.lengths, k, seed, **self._more)
        return self._torch.stack(
            [self._indicator(self._torch.as_tensor(heads[:, rank]), None) for rank in range(k)]
        )

    def log_prob(self, links: Any) -> Any:
        """Return the logarithm of the probability of trees, [B]; differentiable once by the scores.

        Parameters
        ----------
        links : indicators shaped like the scores; or heads, whole numbers [B, n], where there are no labels.
        """
        if not links.is_floating_point() and links.ndim == 2:
            self._without_labels()
            links = self._indicator(links, None)
        return self._weight(links) - self.partition

    @property
    def entropy(self) -> Any:
        """The entropy in nats, [B]; without a gradient."""
        return self._tensor(self._decoder.entropy(self.scores, self.lengths, **self._more))

    def kl(self, other: Distribution) -> Any:
        """Return the divergence of another distribution over the same trees from this one, [B]; without a gradient."""
        return self._tensor(
            self._decoder.kl(
                self.scores, other.scores, self.lengths, **self._more, other_steps=other._named(other.steps)
            )
        )

    def _weight(self, links: Any) -> Any:
        if self.steps:  # the total of the derivations that build these links alone
            forbidden = self._torch.full_like(self.scores, -self._torch.inf)
            return self._partition(self._torch.where(links > 0, self.scores, forbidden))
        kept = self._torch.where(links > 0, self.scores, self._torch.zeros_like(self.scores)) * links
        return kept.flatten(1).sum(dim=1)

    def _without_labels(self) -> Any:
        if self.scores.ndim != 3:
            message = "the scores have labels"
            raise UsageError(message, code="bad-scores", expected="scores [B, n + 1, n + 1]")
        return self.scores

    def _indicator(self, heads: Any, labels: Any) -> Any:
        """Return 1 for each link, shaped like the scores."""
        found = self._torch.zeros_like(self.scores, requires_grad=False)
        sentence, word = (heads >= 0).nonzero(as_tuple=True)
        head = heads[sentence, word].long()
        if labels is None:
            found[sentence, head, word + 1] = 1.0
        else:
            found[sentence, head, word + 1, self._torch.as_tensor(labels)[sentence, word]] = 1.0
        return found

    def _tensor(self, array: Any) -> Any:
        return self._torch.as_tensor(array, dtype=self.scores.dtype, device=self.scores.device)
