"""Distributions for PyTorch, where it is installed: against trees that a brute force lists, and numeric gradients."""

import itertools
import math
from typing import Any

import pytest

from schemata.errors import UsageError
from tests.oracle.trees import projective_forests, trees_under_zero

torch: Any = pytest.importorskip("torch")
from schemata.torch import Distribution  # noqa: E402


def trees_of(name: str, n: int) -> Any:
    return trees_under_zero(n) if name == "matrix-tree" else projective_forests(n)


def weight(scores: Any, heads: tuple[int, ...]) -> Any:
    return sum(scores[head, dependent] for dependent, head in enumerate(heads, start=1))


@pytest.mark.parametrize("name", ["eisner-split", "matrix-tree"])
def test_gradients(name: str) -> None:
    """Of the partition and of the probability of a tree, as PyTorch checks them, in double precision."""
    torch.manual_seed(1)
    scores = torch.randn(2, 5, 5, dtype=torch.float64, requires_grad=True)
    lengths = [4, 2]
    assert torch.autograd.gradcheck(lambda s: Distribution(name, s, lengths).partition, scores)
    heads = torch.tensor([[2, 0, 2, 3], [0, 1, -1, -1]])
    assert torch.autograd.gradcheck(lambda s: Distribution(name, s, lengths).log_prob(heads), scores)
    assert torch.autograd.gradcheck(lambda s: Distribution(name, s, lengths).max, scores)


@pytest.mark.parametrize("name", ["eisner-split", "matrix-tree"])
def test_all_quantities(name: str) -> None:
    torch.manual_seed(2)
    scores = torch.randn(1, 4, 4, dtype=torch.float64)
    found = Distribution(name, scores)
    trees = trees_of(name, 3)
    weights = {heads: float(weight(scores[0], heads)) for heads in trees}
    total = math.log(sum(map(math.exp, weights.values())))
    assert float(found.partition) == pytest.approx(total)
    ranked = sorted(weights, key=lambda heads: -weights[heads])
    assert tuple(found.heads[0].tolist()) == ranked[0]
    for heads, links in zip(ranked[:4], found.topk(4), strict=True):
        assert {(int(h), int(d)) for _, h, d in links.nonzero()} == {
            (h, d) for d, h in enumerate(heads, start=1)
        }
        assert float(found.log_prob(links)) == pytest.approx(weights[heads] - total)
    assert torch.equal(found.argmax, found.topk(1)[0])
    shares = [math.exp(w - total) for w in weights.values()]
    assert float(found.entropy) == pytest.approx(-sum(s * math.log(s) for s in shares))
    assert float(found.kl(found)) == pytest.approx(0)
    for links in found.sample(5, seed=3):
        assert links.sum() == 3
        assert links[0, :, 1:].sum(dim=0).tolist() == [1, 1, 1]
    assert found.marginals[0, :, 1:].sum(dim=0).tolist() == pytest.approx([1, 1, 1])


def test_steps_have_weights_and_gradients() -> None:
    """Siblings: totals, the best tree and the probability of one, with gradients by what steps weigh."""
    torch.manual_seed(4)
    scores = torch.randn(2, 4, 4, dtype=torch.float64, requires_grad=True)
    right, left = (torch.randn(2, 4, 4, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))
    heads = torch.tensor([[2, 0, 2], [0, 0, -1]])

    def distribution(s: Any, r: Any, other: Any) -> Any:
        steps = {"R-Next": r, "L-Next": (other, ("h", "s", "m"))}
        return Distribution("mcdonald-pereira2006", s, [3, 2], steps=steps)

    for asked in (
        lambda *given: distribution(*given).partition,
        lambda *given: distribution(*given).log_prob(heads),
        lambda *given: distribution(*given).max,
    ):
        assert torch.autograd.gradcheck(asked, (scores, right, left), fast_mode=True)
    scores, right, left = (one.detach() for one in (scores, right, left))
    found = distribution(scores, right, left)
    weights = {}
    for tree in projective_forests(3):
        weights[tree] = float(weight(scores[0], tree))
        for h in range(4):
            after = [d for d, head in enumerate(tree, start=1) if head == h < d]
            before = [d for d, head in enumerate(tree, start=1) if head == h > d][::-1]
            weights[tree] += sum(float(right[0, h, s, m]) for s, m in itertools.pairwise(after))
            weights[tree] += sum(float(left[0, h, s, m]) for s, m in itertools.pairwise(before))
    total = math.log(sum(map(math.exp, weights.values())))
    assert float(found.partition[0]) == pytest.approx(total)
    assert float(found.max[0]) == pytest.approx(max(weights.values()))
    assert float(found.log_prob(heads)[0]) == pytest.approx(weights[2, 0, 2] - total)
    assert float(found.kl(found)[0]) == pytest.approx(0)
    shares = [math.exp(w - total) for w in weights.values()]
    assert float(found.entropy[0]) == pytest.approx(-sum(s * math.log(s) for s in shares))


def test_labels() -> None:
    torch.manual_seed(3)
    scores = torch.randn(1, 3, 3, 2, dtype=torch.float64, requires_grad=True)
    found = Distribution("eisner-split", scores)
    every = [
        sum(scores[0, h, d, label] for d, (h, label) in enumerate(zip(heads, labels, strict=True), start=1))
        for heads in projective_forests(2)
        for labels in itertools.product(range(2), repeat=2)
    ]
    total = torch.logsumexp(torch.stack(every), 0)
    assert found.partition.item() == pytest.approx(total.item())
    (expected,) = torch.autograd.grad(total, scores, retain_graph=True)
    (gradient,) = torch.autograd.grad(found.partition.sum(), scores)
    assert torch.allclose(gradient, expected)
    assert found.max.item() == pytest.approx(max(every).item())
    with pytest.raises(UsageError, match="labels"):
        found.topk(2)


def test_what_is_refused() -> None:
    with pytest.raises(UsageError, match="tensor of floats"):
        Distribution("eisner-split", [[[0.0]]])
    with pytest.raises(UsageError, match="is nan"):
        _ = Distribution("eisner-split", torch.full((1, 3, 3), math.nan)).partition
