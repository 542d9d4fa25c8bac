"""torch-struct, where it is installed, and the same structures here: trees, chains of tags, trees of rules."""

from collections import Counter
from typing import Any

import pytest

import schemata
from schemata.grammars.rules import Rule

torch: Any = pytest.importorskip("torch")
theirs: Any = pytest.importorskip("torch_struct")
from schemata.torch import Distribution  # noqa: E402
from tests.support.tensors import potentials  # noqa: E402

torch.distributions.Distribution.set_default_validate_args(
    False
)  # torch-struct does not say what to validate


@pytest.mark.parametrize("multiroot", [True, False])
@pytest.mark.parametrize("name", ["eisner-split", "eisner1996-once"])
@pytest.mark.parametrize("batch", [1, 4])
def test_dependency_crf(name: str, multiroot: bool, batch: int) -> None:
    torch.manual_seed(batch)
    scores = torch.randn(batch, 6, 6, dtype=torch.float64, requires_grad=True)
    lengths = [5, 3, 1, 2][:batch]
    ours = Distribution(name, scores, lengths, single_root=not multiroot)
    other = theirs.DependencyCRF(potentials(scores) * 1, torch.tensor(lengths), multiroot=multiroot)
    assert torch.allclose(ours.partition, other.partition)
    assert torch.allclose(potentials(ours.marginals), other.marginals)
    assert torch.equal(potentials(ours.argmax), other.argmax)
    assert torch.allclose(ours.max, other.max)
    assert torch.allclose(ours.entropy, other.entropy)
    gradients = (torch.autograd.grad(one.partition.sum(), scores)[0] for one in (ours, other))
    assert torch.allclose(*gradients)


def test_linear_chain() -> None:
    """A hidden Markov model: their potentials are those of a tag after another, and of the words."""
    torch.manual_seed(5)
    n, tags = 4, 3
    first, after, emits = (torch.rand(size, dtype=torch.float64) for size in (tags, (tags, tags), (tags, n)))
    lines = [f"first(t{k}) [{first[k]}]\nlast(t{k})" for k in range(tags)]
    lines += [f"next(t{k}, t{j}) [{after[k, j]}]" for k in range(tags) for j in range(tags)]
    lines += [f"emits(t{k}, w{i}) [{emits[k, i]}]" for k in range(tags) for i in range(n)]
    facts = schemata.Facts.from_text("\n".join(lines))
    chart = schemata.load("hmm").run([f"w{i}" for i in range(n)], facts)
    chain = torch.stack([after.log() + emits[:, i].log()[:, None] for i in range(1, n)])
    chain[0] += first.log() + emits[:, 0].log()
    other = theirs.LinearChainCRF(chain[None].requires_grad_() * 1)
    assert chart.total("log") == pytest.approx(other.partition.item())
    assert chart.best().weight == pytest.approx(other.max.item())
    often = other.marginals[0].sum(dim=0)
    gradient = chart.gradient()
    for k in range(tags):
        for j in range(tags):
            assert gradient["next", f"t{k}", f"t{j}"] == pytest.approx(often[k, j].item())


def test_cky() -> None:
    """A grammar in Chomsky's normal form with weights: totals, the best tree's weight, expected uses of rules."""
    torch.manual_seed(6)
    n, inner, outer = 5, 2, 2
    names = [*(f"N{k}" for k in range(inner)), *(f"T{k}" for k in range(outer))]
    terms = torch.rand(n, outer, dtype=torch.float64)
    rules = torch.rand(inner, inner + outer, inner + outer, dtype=torch.float64)
    lines = [
        f"N{a} -> {names[b]} {names[c]} [{rules[a, b, c]}]"
        for a in range(inner) for b in range(inner + outer) for c in range(inner + outer)
    ]  # fmt: skip
    lines += [f'T{t} -> "w{i}" [{terms[i, t]}]' for t in range(outer) for i in range(n)]
    grammar = schemata.ContextFreeGrammar.from_text("\n".join(lines))
    chart = schemata.load("cyk").run([f"w{i}" for i in range(n)], grammar)
    roots = torch.tensor([[0.0, -1e9]], dtype=torch.float64)  # N0 alone
    given = tuple((one[None].log()).requires_grad_() * 1 for one in (terms, rules))
    other = theirs.SentCFG((*given, roots.requires_grad_() * 1))
    assert chart.total("log") == pytest.approx(other.partition.item())
    assert chart.best().weight == pytest.approx(other.max.item())
    often = other.marginals[1][0]
    gradient = Counter({str(k): v for k, v in chart.gradient().items() if isinstance(k, Rule)})
    for a in range(inner):
        for b in range(inner + outer):
            for c in range(inner + outer):
                share = gradient[f"N{a} -> {names[b]} {names[c]}"]
                assert share == pytest.approx(often[a, b, c].item(), abs=1e-9)
