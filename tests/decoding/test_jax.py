"""Distributions for JAX, where it is installed: against trees that a brute force lists, and numeric gradients."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from schemata.errors import UsageError
from tests.oracle.trees import projective_forests, trees_under_zero

jax: Any = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
from jax.test_util import check_grads  # noqa: E402

from schemata.jax import Distribution  # noqa: E402

NAMES = ["eisner-split", "matrix-tree"]


def drawn(seed: int, *shape: int) -> Any:
    return jax.numpy.asarray(np.random.default_rng(seed).normal(size=shape))


def weight(scores: Any, heads: tuple[int, ...]) -> float:
    return sum(float(scores[head, dependent]) for dependent, head in enumerate(heads, start=1))


def links_of(heads: tuple[int, ...]) -> set[tuple[int, int]]:
    return {(head, dependent) for dependent, head in enumerate(heads, start=1)}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("compiled", [False, True])
def test_gradients(name: str, compiled: bool) -> None:
    """Of the partition, of the probability of a tree and of the best weight, alone and compiled."""
    heads = jax.numpy.asarray([[2, 0, 2, 3], [0, 1, -1, -1]])
    for asked in (
        lambda s: Distribution(name, s, [4, 2]).partition,
        lambda s: Distribution(name, s, [4, 2]).log_prob(heads),
        lambda s: Distribution(name, s, [4, 2]).max,
    ):
        check_grads(jax.jit(asked) if compiled else asked, (drawn(1, 2, 5, 5),), order=1, modes=["rev"])


@pytest.mark.parametrize("name", NAMES)
def test_all_quantities(name: str) -> None:
    scores = drawn(2, 1, 4, 4)
    found = Distribution(name, scores)
    trees = trees_under_zero(3) if name == "matrix-tree" else projective_forests(3)
    weights = {heads: weight(scores[0], heads) for heads in trees}
    total = math.log(sum(map(math.exp, weights.values())))
    assert float(found.partition[0]) == pytest.approx(total)
    ranked = sorted(weights, key=lambda heads: -weights[heads])
    assert tuple(found.heads[0].tolist()) == ranked[0]
    for heads, links in zip(ranked[:4], found.topk(4), strict=True):
        assert set(zip(*map(np.ndarray.tolist, np.nonzero(np.asarray(links[0]))), strict=True)) == links_of(
            heads
        )
        assert float(found.log_prob(links[None, 0])[0]) == pytest.approx(weights[heads] - total)
    assert (found.argmax == found.topk(1)[0]).all()
    shares = {heads: math.exp(one - total) for heads, one in weights.items()}
    assert float(found.entropy[0]) == pytest.approx(-sum(s * math.log(s) for s in shares.values()))
    for head, dependent in itertools.product(range(4), range(1, 4)):
        expected = sum(s for heads, s in shares.items() if heads[dependent - 1] == head)
        assert float(found.marginals[0, head, dependent]) == pytest.approx(expected)
    samples = found.sample(5, seed=3)
    assert samples.shape == (5, 1, 4, 4)
    assert (samples[:, 0, :, 1:].sum(axis=1) == 1).all()


def test_too_few_trees() -> None:
    """One word has one tree; its second best is zeros."""
    found = Distribution("eisner-split", drawn(6, 1, 2, 2)).topk(2)
    assert found.sum(axis=(1, 2, 3)).tolist() == [1, 0]


def test_steps_have_weights_and_gradients() -> None:
    """Siblings: the total and the probability of a tree, with gradients by what a step weighs."""
    heads = jax.numpy.asarray([[2, 0, 2], [0, 0, -1]])

    def distribution(scores: Any, right: Any) -> Any:
        return Distribution("mcdonald-pereira2006", scores, [3, 2], steps={"R-Next": right})

    given = drawn(4, 2, 4, 4), drawn(5, 2, 4, 4, 4)
    for asked in (lambda *x: distribution(*x).partition, lambda *x: distribution(*x).log_prob(heads)):
        check_grads(asked, given, order=1, modes=["rev"])
    weights = {}
    for tree in projective_forests(3):
        weights[tree] = weight(given[0][0], tree)
        for h in range(4):
            after = [d for d, head in enumerate(tree, start=1) if head == h < d]
            weights[tree] += sum(float(given[1][0, h, s, m]) for s, m in itertools.pairwise(after))
    total = math.log(sum(map(math.exp, weights.values())))
    found = distribution(*given)
    assert float(found.partition[0]) == pytest.approx(total)
    assert float(found.max[0]) == pytest.approx(max(weights.values()))
    assert float(found.log_prob(heads)[0]) == pytest.approx(weights[2, 0, 2] - total)


def test_batches_within_batches() -> None:
    """Each batch of a batch by `vmap` is answered as alone."""
    scores = drawn(7, 3, 2, 4, 4)
    found = jax.vmap(lambda one: Distribution("eisner-split", one).partition)(scores)
    assert found.tolist() == [Distribution("eisner-split", one).partition.tolist() for one in scores]


def test_what_is_refused() -> None:
    with pytest.raises(UsageError, match="array of floats"):
        Distribution("eisner-split", [[[0.0]]])
    with pytest.raises(UsageError, match="have the shape 1 x 3 x 4"):
        Distribution("eisner-split", drawn(8, 1, 3, 4))
    with pytest.raises(UsageError, match=r"the score at \[0, 0, 1\] is nan"):
        Distribution("eisner-split", drawn(8, 1, 3, 3).at[0, 0, 1].set(math.nan))
    with pytest.raises(UsageError, match="sentence 0 has 3 words"):
        Distribution("eisner-split", drawn(8, 1, 3, 3), [3])
    with pytest.raises(UsageError, match="mst has no step R-Next"):
        Distribution("matrix-tree", drawn(8, 1, 3, 3), steps={"R-Next": drawn(8, 1, 3, 3, 3)})
    with pytest.raises(jax.errors.JaxRuntimeError, match="is nan"):
        jax.jit(lambda s: Distribution("eisner-split", s).partition)(drawn(8, 1, 3, 3) * math.nan)


def test_gradients_once() -> None:
    """A second derivative is refused, not wrong."""
    total = lambda s: Distribution("eisner-split", s).partition.sum()  # noqa: E731
    with pytest.raises(ValueError, match="do not support JVP"):
        jax.grad(lambda s: jax.grad(total)(s).sum())(drawn(9, 1, 3, 3))
