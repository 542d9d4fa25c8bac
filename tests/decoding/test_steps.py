"""Decoders with tensors of weights for steps: second order and grandparents against all trees of a few words.

What a tree weighs is written down here from the definitions of McDonald & Pereira (2006) and of Koo & Collins (2010,
model 0), without any derivation.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata import ArcScores, DRules, StepTensor
from schemata.engine.weighing import native_best, native_total
from schemata.errors import UsageError
from schemata.order.kept import prove_order
from schemata.weights.tensors import axes_of
from tests.oracle.trees import projective, trees_under_zero

SIBLINGS, GRANDPARENTS = "mcdonald-pereira2006", "koo-collins2010-model0"
LENGTHS = [3, 1, 4, 2, 4]
Steps = Mapping[str, Any]


def trees_of(n: int, single_root: bool = False) -> list[tuple[int, ...]]:
    return [heads for heads in trees_under_zero(n, single_root=single_root) if projective(heads)]


def applied(name: str, heads: Sequence[int]) -> list[tuple[str, tuple[int, ...]]]:
    """Return what weighs in a tree: by step, the places in its tensor."""
    n = len(heads)
    links = [(d, h) for d, h in enumerate(heads, start=1)]
    if name == GRANDPARENTS:
        found = [("R-Link" if d > h else "L-Link", (heads[h - 1] if h else n + 1, h, d)) for d, h in links]
        return [(step, place) for step, place in found if place[0] <= n]  # above 0 there is nothing
    rows: list[tuple[str, tuple[int, ...]]] = []
    for h in range(n + 1):
        for side, dependents in (
            ("R", [d for d, k in links if k == h and d > h]),
            ("L", [d for d, k in links if k == h and d < h][::-1]),
        ):
            rows += [(f"{side}-First", (h, d)) for d in dependents[:1]]
            rows += [(f"{side}-Next", (h, s, d)) for s, d in itertools.pairwise(dependents)]
    return rows


def random_steps(name: str, seed: int, lengths: Sequence[int], forbidden: float = 0.0) -> Steps:
    random, size = np.random.default_rng(seed), max(lengths) + 1
    axes = {"R-First": 2, "R-Next": 3, "L-First": 2, "L-Next": 3}
    if name == GRANDPARENTS:
        axes = {"R-Link": 3, "L-Link": 3}
    found: dict[str, Any] = {}
    for step, number in axes.items():
        array = random.normal(size=(len(lengths), *(size,) * number)) * 2
        array[random.random(array.shape) < forbidden] = -math.inf
        for row, n in zip(array, lengths, strict=True):
            for axis in range(number):
                row[(slice(None),) * axis + (slice(n + 1, None),)] = math.nan  # nobody reads them
        found[step] = StepTensor(array, ("g", "h", "m")) if name == GRANDPARENTS else array
    return found


def random_scores(seed: int, lengths: Sequence[int]) -> Any:
    size = max(lengths) + 1
    return np.random.default_rng(seed).normal(size=(len(lengths), size, size)) * 2


def array_of(one: Any) -> Any:
    return one.array if isinstance(one, StepTensor) else one


def weight(name: str, scores: Any, steps: Steps, sentence: int, heads: Sequence[int]) -> float:
    links = (float(scores[sentence, h, d]) for d, h in enumerate(heads, start=1))
    return math.fsum([*links, *(float(array_of(steps[s])[(sentence, *k)]) for s, k in applied(name, heads))])


@pytest.mark.parametrize("name", [SIBLINGS, GRANDPARENTS])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("native", [False, True])
def test_all_quantities(name: str, single_root: bool, native: bool, monkeypatch: Any) -> None:
    """Best trees, sums, marginals of links and steps, entropies and samples, by kernels and over charts."""
    lengths = LENGTHS if native else [3, 1]
    if not native:
        monkeypatch.setattr("schemata.decoding.search.ChartSearch._natively", lambda *_: None)
    scores, steps = random_scores(1, lengths), random_steps(name, 2, lengths, forbidden=0.1)
    other = random_steps(name, 3, lengths)
    decoder = schemata.decoder(name, single_root=single_root)
    heads, weights = decoder.k_best(scores, lengths, k=4, steps=steps)
    firsts, first_weights = decoder(scores, lengths, steps=steps)
    found = decoder.gradients(scores, lengths, steps=steps)
    assert np.allclose(found.totals, decoder.log_total(scores, lengths, steps=steps))
    entropies = decoder.entropy(scores, lengths, steps=steps)
    crossed = decoder.kl(scores, scores, lengths, steps=steps, other_steps=other)
    samples = decoder.sample(scores, lengths, 3, steps=steps)
    for b, n in enumerate(lengths):
        every = {tree: weight(name, scores, steps, b, tree) for tree in trees_of(n, single_root)}
        of_trees = {tree: w for tree, w in every.items() if w > -math.inf}
        ranked = sorted(of_trees, key=lambda tree: -of_trees[tree])[:4]
        assert [tuple(row[:n]) for row in heads[b].tolist() if row[0] >= 0] == ranked
        assert weights[b][: len(ranked)] == pytest.approx([of_trees[tree] for tree in ranked], abs=1e-9)
        if not ranked:
            assert found.totals[b] == -math.inf
            continue
        assert tuple(firsts[b][:n].tolist()) == ranked[0]
        assert first_weights[b] == pytest.approx(of_trees[ranked[0]], abs=1e-9)
        total = math.log(math.fsum(map(math.exp, of_trees.values())))
        shares = {tree: math.exp(w - total) for tree, w in of_trees.items()}
        assert found.totals[b] == pytest.approx(total, abs=1e-9)
        links = np.zeros_like(found.links[b])
        of_steps = {step: np.zeros_like(array[b]) for step, array in found.steps.items()}
        for tree, share in shares.items():
            for d, h in enumerate(tree, start=1):
                links[h, d] += share
            for step, place in applied(name, tree):
                of_steps[step][place] += share
        assert np.allclose(found.links[b], links, atol=1e-9)
        for step, expected in of_steps.items():
            assert np.allclose(found.steps[step][b], expected, atol=1e-9)
        assert entropies[b] == pytest.approx(-sum(s * math.log(s) for s in shares.values()), abs=1e-8)
        rest = {tree: weight(name, scores, other, b, tree) for tree in trees_of(n, single_root)}
        of_rest = math.log(math.fsum(map(math.exp, rest.values())))
        wanted = sum(s * (math.log(s) - rest[tree] + of_rest) for tree, s in shares.items())
        assert crossed[b] == pytest.approx(max(0.0, wanted), abs=1e-8)
        assert {tuple(row[:n]) for row in samples[b].tolist()} <= of_trees.keys()


def test_samples_follow_the_weights_of_steps() -> None:
    scores, steps = random_scores(5, [3]), random_steps(SIBLINGS, 6, [3])
    drawn = schemata.decoder(SIBLINGS).sample(scores, k=2000, steps=steps)[0]
    weights = {tree: math.exp(weight(SIBLINGS, scores, steps, 0, tree)) for tree in trees_of(3)}
    total = sum(weights.values())
    for tree, one in weights.items():
        share = one / total
        expected = 2000 * share
        number = sum(tuple(row) == tree for row in drawn.tolist())
        assert abs(number - expected) < 6 * math.sqrt(expected * (1 - share)) + 6


@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([SIBLINGS, GRANDPARENTS]))
@settings(deadline=None, max_examples=40)
def test_derivatives_are_finite_differences(seed: int, n: int, name: str) -> None:
    scores, steps = random_scores(seed, [n]), random_steps(name, seed + 1, [n])
    decoder = schemata.decoder(name)
    found = decoder.gradients(scores, steps=steps)
    random = np.random.default_rng(seed)
    for step, shares in found.steps.items():
        used = np.argwhere(shares > 0)
        if not len(used):
            continue
        place = tuple(used[random.integers(len(used))])
        totals = []
        for sign in (1, -1):
            moved = array_of(steps[step]).copy()
            moved[place] += sign * 1e-5
            changed = {**steps, step: StepTensor(moved, ("g", "h", "m")) if name == GRANDPARENTS else moved}
            totals.append(decoder.log_total(scores, steps=changed)[0])
        assert (totals[0] - totals[1]) / 2e-5 == pytest.approx(shares[place], abs=1e-5)


def test_batch_threads_and_ragged_lists_agree() -> None:
    lengths = [1 + k % 7 for k in range(48)]
    scores, steps = random_scores(8, lengths), random_steps(SIBLINGS, 9, lengths)
    one, many = (schemata.decoder(SIBLINGS, threads=k) for k in (1, 3))
    expected = one.best(scores, lengths, steps=steps)
    found = many.best(scores, lengths, steps=steps)
    assert np.array_equal(expected.heads, found.heads)
    assert np.array_equal(expected.weights, found.weights)
    gradients, again = (
        one.gradients(scores, lengths, steps=steps),
        many.gradients(scores, lengths, steps=steps),
    )
    for step in steps:
        assert np.array_equal(gradients.steps[step], again.steps[step])
    ragged = [scores[b, : n + 1, : n + 1] for b, n in enumerate(lengths)]
    cut = {
        step: [array[b][(slice(n + 1),) * (array.ndim - 1)] for b, n in enumerate(lengths)]
        for step, array in steps.items()
    }
    assert np.array_equal(one(ragged, steps=cut)[1], expected.weights)
    for b in (0, 6, 20):
        single = one(ragged[b][None], steps={step: [rows[b]] for step, rows in cut.items()})
        assert single[1][0] == expected.weights[b]


@pytest.mark.parametrize("checked", [np.nan, np.inf, 1e300])
def test_numbers_that_are_none_are_refused_with_their_place(checked: float) -> None:
    steps = {"R-Next": np.zeros((2, 4, 4, 4))}
    steps["R-Next"][1, 0, 1, 2] = checked
    with pytest.raises(UsageError, match=r"the weight of R-Next at \[1, 0, 1, 2\] is (nan|inf|1e\+300)"):
        schemata.decoder(SIBLINGS)(np.zeros((2, 4, 4)), steps=steps)
    with pytest.raises(UsageError, match=r"the weight of R-Next at \[0, 1, 2\] is"):
        schemata.load(SIBLINGS).run("a b c", weights={"R-Next": steps["R-Next"][1]})


def test_what_fits_no_step_is_refused() -> None:
    decoder, scores = schemata.decoder(SIBLINGS), np.zeros((2, 4, 4))
    cases: list[tuple[Any, str]] = [
        ({"R-Nxt": np.zeros((2, 4, 4, 4))}, "no step R-Nxt"),
        ({"R-Next": np.zeros((2, 4, 4))}, "the weights of R-Next have the shape 4 x 4"),
        ({"R-Next": np.zeros((2, 4, 4, 3))}, "the weights of R-Next have the shape 4 x 4 x 3"),
        ({"R-Next": np.zeros((1, 4, 4, 4))}, "the weights of R-Next are of 1 sentence"),
        ({"R-Next": "x"}, "the weights of R-Next are of the type"),
        ({"R-Next": StepTensor(np.zeros((2, 4, 4)), ("h", "z"))}, "z is not a position of step R-Next"),
        ({"R-Next": StepTensor(np.zeros((2, 4, 4)), ("h", "h"))}, "the weights of R-Next have the shape"),
    ]
    for steps, message in cases:
        with pytest.raises(UsageError, match=message):
            decoder(scores, steps=steps)
    with pytest.raises(UsageError, match="mst has no step R-Next"):
        schemata.decoder("mst")(scores, steps={"R-Next": np.zeros((2, 4, 4, 4))})
    with pytest.raises(UsageError, match="different steps"):
        decoder.cross_entropy(scores, scores, steps={"Pair": np.zeros((2, 4, 4, 4))})
    with pytest.raises(UsageError, match="expected: 4 x 4, for \\[s, m\\] from 0 to 3"):
        schemata.load(SIBLINGS).run("a b c", weights={"Pair": StepTensor(np.zeros((3, 3)), ("s", "m"))})


@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
@pytest.mark.parametrize("name", [SIBLINGS, "eisner1996", "arc-eager-once", "eisner1996:end=1", "wg1"])
def test_runs_in_python_and_in_kernels_agree(name: str) -> None:
    """For all steps of a schema together, and for functions that say the same as the arrays."""
    schema = schemata.load(name)
    prove_order(schema.kernel.program)
    names = list(schema.definition.step_names)
    random = np.random.default_rng(4)
    scores = ArcScores(random.normal(size=(4, 4)))
    tensors: dict[str, StepTensor] = {}
    for step in names:
        axes = axes_of(schema.definition, step)
        tensors[step] = StepTensor(random.normal(size=(4,) * len(axes)), axes)
    charts = [schema.run("a b c", weights=[scores, tensors], engine=which) for which in ("python", "native")]
    for algebra in ("viterbi", "log", "real"):
        assert charts[0].total(algebra) == pytest.approx(charts[1].total(algebra))
    one, other = (chart.best() for chart in charts)
    assert one.structure == other.structure
    assert one.weight == pytest.approx(other.weight)
    if name != "wg1":  # whose items have several writings
        assert native_total(charts[1], charts[1].weights, "viterbi") == pytest.approx(one.weight)
        assert native_best(charts[1], charts[1].weights) is not None
    best = next(iter(schema.best_trees(["a b c"], [[scores, tensors]], engine="native")))
    assert best.weight == pytest.approx(one.weight)


def test_weights_of_rules_count_beside_scores() -> None:
    """D-rules with weights: natively, too, where links have scores besides."""
    text = 'root "a" [0.5]\nroot "b"\nhead "a" takes "b" on the right [3.5]\nhead "b" takes "a" on the left'
    links = DRules.from_text(text)
    schema = schemata.load("eisner-split")
    scores = ArcScores(np.random.default_rng(1).normal(size=(3, 3)))
    charts = [schema.run("a b", links, weights=scores, engine=which) for which in ("python", "native")]
    assert charts[0].total("viterbi") == pytest.approx(charts[1].total("viterbi"))
    assert charts[0].total("log") == pytest.approx(charts[1].total("log"))
    assert charts[0].best() == charts[1].best()
