"""Decoders against all trees of a few words, which a brute force lists; batches against single sentences; threads."""

import importlib
import math
import sys
import textwrap
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.decoding.decoder import Decoder
from schemata.errors import AmbiguityWarning, UsageError
from schemata.language.shipped import shipped_schemata
from schemata.thresholds import changed
from tests.oracle.trees import projective, trees_under_zero

ONCE = ["eisner1996-once", "eisner-split", "arc-eager-once", "mh-once"]
OFTEN = ["eisner1996", "eisner-satta1999", "hybrid", "yamada-matsumoto2003"]


def decoder_of(name: str, **more: Any) -> Decoder:
    return schemata.decoder(name, **more)


def trees_of(name: str, n: int, single_root: bool) -> Sequence[tuple[int, ...]]:
    trees = trees_under_zero(n, single_root=single_root)
    return trees if name in (*ALL, "matrix-tree") else [heads for heads in trees if projective(heads)]


ALL = ["mst", "attardi-unbounded"]


def weight(scores: Any, heads: Sequence[int], labels: Any = None) -> float:
    return math.fsum(
        float(scores[h, d] if labels is None else scores[h, d, labels[d - 1]])
        for d, h in enumerate(heads, start=1)
    )


def padded(seed: int, lengths: Sequence[int], labels: tuple[int, ...] = (), forbidden: float = 0.0) -> Any:
    random = np.random.default_rng(seed)
    size = max(lengths) + 1
    scores = random.normal(size=(len(lengths), size, size, *labels)) * 3
    scores[random.random(scores.shape) < forbidden] = -math.inf
    for row, n in zip(scores, lengths, strict=True):
        row[n + 1 :], row[:, n + 1 :] = math.nan, math.nan  # nobody reads them
    return scores


LENGTHS = [3, 1, 4, 2, 4]


@pytest.mark.parametrize("name", [*ONCE, *OFTEN, "mst", "wg1"])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.rotated(3)
def test_best_trees(name: str, single_root: bool) -> None:
    if name == "wg1":
        single_root = True  # its items have one root
    scores = padded(1, LENGTHS, forbidden=0.2)
    decoded = decoder_of(name, single_root=single_root).best(scores, LENGTHS)
    assert decoded.heads.shape == (5, 4)
    assert decoded.labels is None
    for row, n, heads, found in zip(scores, LENGTHS, decoded.heads.tolist(), decoded.weights, strict=True):
        trees = trees_of("mst" if name == "wg1" else name, n, single_root)
        weights = {tree: weight(row, tree) for tree in trees}
        best = max(weights.values(), default=-math.inf)
        if name == "wg1" and n == 4:  # not every tree of four words is well nested
            best = max(w for tree, w in weights.items() if w <= found + 1e-9)
        assert heads[n:] == [-1] * (4 - n)
        assert found == pytest.approx(best, abs=1e-9)
        if best == -math.inf:
            assert heads == [-1] * 4
        else:
            assert weights[tuple(heads[:n])] == pytest.approx(best, abs=1e-9)


def one_endpoint_crossing(heads: Sequence[int]) -> bool:
    """Whether all links that cross one link have an end in common (Pitler et al. 2013), node 0 like others."""
    links = [(min(d, h), max(d, h)) for d, h in enumerate(heads, start=1)]
    for a, b in links:
        crossing = [{c, d} for c, d in links if a < c < b < d or c < a < d < b]
        if crossing and not set.intersection(*crossing):
            return False
    return True


@pytest.mark.thorough
def test_best_trees_whose_crossing_links_share_an_end() -> None:
    decoder, excluded = decoder_of("pitler2013"), 0
    for n, scores in ((n, padded(seed, [n])[0]) for n, seeds in ((3, 2), (5, 12)) for seed in range(seeds)):
        weights = {tree: weight(scores, tree) for tree in trees_under_zero(n)}
        inside = {tree: w for tree, w in weights.items() if one_endpoint_crossing(tree)}
        best = max(inside, key=inside.__getitem__)
        excluded += max(weights.values()) > inside[best]
        ((heads,), (found,)) = decoder([scores])
        assert found == pytest.approx(inside[best])
        assert tuple(heads.tolist()) == best
    assert excluded  # somewhere the best tree of all is another one


@pytest.mark.parametrize("name", [*ONCE, "mst"])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.rotated(3)
def test_sums(name: str, single_root: bool) -> None:
    scores = padded(2, LENGTHS, forbidden=0.1)
    decoder = decoder_of(name, single_root=single_root)
    totals, marginals = decoder.log_total(scores, LENGTHS), decoder.marginals(scores, LENGTHS)
    entropies = decoder.entropy(scores, LENGTHS)
    assert marginals.shape == scores.shape
    for k, n in enumerate(LENGTHS):
        weights = {tree: weight(scores[k], tree) for tree in trees_of(name, n, single_root)}
        whole = math.fsum(map(math.exp, weights.values()))
        expected = np.zeros((5, 5))
        for tree, score in weights.items():
            for dependent, head in enumerate(tree, start=1):
                expected[head, dependent] += math.exp(score) / whole if whole else 0.0
        np.testing.assert_allclose(marginals[k], expected, atol=1e-9)
        shares = [math.exp(w) / whole for w in weights.values()] if whole else []
        assert totals[k] == pytest.approx(math.log(whole) if whole else -math.inf, abs=1e-9)
        assert entropies[k] == pytest.approx(-math.fsum(s * math.log(s) for s in shares if s), abs=1e-8)


@pytest.mark.parametrize("name", ["eisner-split", "mst"])
@pytest.mark.parametrize("single_root", [False, True])
def test_the_gradient_of_the_log_total(name: str, single_root: bool) -> None:
    scores, width = padded(3, [4]), 1e-5
    decoder = decoder_of(name, single_root=single_root)
    marginals = decoder.marginals(scores)
    for head in range(5):
        for dependent in range(1, 5):
            moved = np.repeat(scores, 2, axis=0)
            moved[0, head, dependent] += width
            moved[1, head, dependent] -= width
            up, down = decoder.log_total(moved)
            assert marginals[0, head, dependent] == pytest.approx((up - down) / (2 * width), abs=1e-6)


def test_labels() -> None:
    """The best tree with its best labels; sums over trees with labels."""
    lengths = [3, 2]
    scores = padded(4, lengths, labels=(3,))
    decoder = decoder_of("eisner-split")
    heads, labels = (found.tolist() for found in decoder.best(scores, lengths)[::2])  # type: ignore[union-attr]
    weights = decoder.best(scores, lengths).weights
    totals, marginals = decoder.log_total(scores, lengths), decoder.marginals(scores, lengths)
    assert marginals.shape == scores.shape
    for k, n in enumerate(lengths):
        choices = np.stack(np.meshgrid(*[range(3)] * n, indexing="ij"), -1).reshape(-1, n).tolist()
        every = {
            (tree, tuple(row)): weight(scores[k], tree, row)
            for tree in trees_of("eisner-split", n, False)
            for row in choices
        }
        best = max(every, key=lambda one: every[one])
        assert (tuple(heads[k][:n]), tuple(labels[k][:n])) == best
        assert weights[k] == pytest.approx(every[best])
        whole = math.fsum(map(math.exp, every.values()))
        assert totals[k] == pytest.approx(math.log(whole))
        expected = np.zeros(scores.shape[1:])
        for (tree, row), score in every.items():
            for dependent, (head, label) in enumerate(zip(tree, row, strict=True), start=1):
                expected[head, dependent, label] += math.exp(score) / whole
        np.testing.assert_allclose(marginals[k], expected, atol=1e-9)


@pytest.mark.parametrize("name", ["eisner1996", "mst"])
def test_all_trees_best_first(name: str) -> None:
    scores = padded(5, [3, 1], forbidden=0.1)
    heads, weights = decoder_of(name).k_best(scores, [3, 1], 20)
    assert (heads.shape, weights.shape) == ((2, 20, 3), (2, 20))
    for k, n in enumerate([3, 1]):
        expected = sorted(
            (w for t in trees_of(name, n, False) if (w := weight(scores[k], t)) > -math.inf), reverse=True
        )
        found = [
            (tuple(row[:n]), w) for row, w in zip(heads[k].tolist(), weights[k], strict=True) if w > -math.inf
        ]
        assert len({tree for tree, _ in found}) == len(found) == len(expected)
        assert [w for _, w in found] == pytest.approx(expected)
        assert [weight(scores[k], tree) for tree, _ in found] == pytest.approx(expected)
        assert (heads[k, len(found) :] == -1).all()


@pytest.mark.parametrize("name", ["eisner-split", "mst"])
def test_samples_follow_the_weights(name: str) -> None:
    scores = padded(6, [3]) / 3
    heads = decoder_of(name).sample(scores, k=3000, seed=1)
    weights = {tree: math.exp(weight(scores[0], tree)) for tree in trees_of(name, 3, False)}
    whole = sum(weights.values())
    drawn = [tuple(row) for row in heads[0].tolist()]
    assert set(drawn) <= weights.keys()
    for tree, share in weights.items():
        p = share / whole
        assert abs(drawn.count(tree) - 3000 * p) < 5 * math.sqrt(3000 * p * (1 - p)) + 1
    assert (decoder_of(name).sample(scores, k=3000, seed=1) == heads).all()


def test_two_distributions() -> None:
    one, other = padded(7, [3]), padded(8, [3])
    decoder = decoder_of("eisner-split")
    trees = trees_of("eisner-split", 3, False)

    def shares(scores: Any) -> list[float]:
        weights = [math.exp(weight(scores[0], tree)) for tree in trees]
        return [w / sum(weights) for w in weights]

    p, q = shares(one), shares(other)
    assert decoder.kl(one, other)[0] == pytest.approx(
        sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    )
    assert decoder.kl(one, one)[0] == pytest.approx(0, abs=1e-9)
    cross = decoder.cross_entropy(one, other)[0]
    assert cross == pytest.approx(-sum(a * math.log(b) for a, b in zip(p, q, strict=True)))
    other[0, :, 2] = [-math.inf, 0, -math.inf, -math.inf]
    assert decoder.cross_entropy(one, other)[0] == math.inf


@pytest.mark.parametrize("name", ["eisner1996", "mst", "pitler2013"])
def test_threads_and_batches_change_nothing(name: str) -> None:
    lengths = [1 + k % (3 if name == "pitler2013" else 9) for k in range(48)]
    scores = padded(9, lengths)
    together = decoder_of(name, threads=2)(scores, lengths)
    alone = decoder_of(name, threads=1)
    ragged = alone([row[: n + 1, : n + 1] for row, n in zip(scores, lengths, strict=True)])
    for found, expected in zip(ragged, together, strict=True):
        assert (found == expected).all()
    for k in range(0, 48, 7):
        n = lengths[k]
        heads, weights = alone(scores[k : k + 1, : n + 1, : n + 1])
        assert heads[0].tolist() == together[0][k, :n].tolist()
        assert weights[0] == together[1][k]


def test_one_decoder_in_many_threads() -> None:
    """Two callers at once do not share tables."""
    decoder = decoder_of("eisner-split", threads=1)
    batches = [padded(seed, [6] * 20) for seed in range(4)]
    expected = [decoder(batch) for batch in batches]
    found: dict[int, Any] = {}
    workers = [threading.Thread(target=lambda k=k: found.update({k: decoder(batches[k])})) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for k in range(4):
        assert (found[k][0] == expected[k][0]).all()


@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([1e-3, 1.0, 50.0, 500.0]), st.booleans())
@settings(max_examples=60)
def test_sums_over_all_trees_whatever_the_scale(seed: int, n: int, scale: float, single_root: bool) -> None:
    """Scores far apart: a determinant in floating point would be lost."""
    scores = np.random.default_rng(seed).normal(size=(1, n + 1, n + 1)) * scale
    weights = [weight(scores[0], tree) for tree in trees_under_zero(n, single_root=single_root)]
    most = max(weights)
    total = most + math.log(math.fsum(math.exp(w - most) for w in weights))
    decoder = decoder_of("matrix-tree", single_root=single_root)
    assert decoder.log_total(scores)[0] == pytest.approx(total, abs=1e-8)
    assert decoder.marginals(scores)[0].sum(axis=0)[1:] == pytest.approx(np.ones(n))
    assert decoder(scores)[1][0] == pytest.approx(most, abs=1e-8)


def test_decoders_of_a_name_share_kernels_until_its_file_changes(tmp_path: Path) -> None:
    def kernels(name: Any) -> Any:
        return schemata.decoder(name)._search.engines  # type: ignore[attr-defined]

    assert kernels("eisner-split") is kernels("eisner-split")
    assert kernels("mh:k=3") is kernels("mh:k=3") is not kernels("mh:k=4")
    path = tmp_path / "mine.schema"
    text = shipped_schemata()["eisner-split"].read_text()
    path.write_text(text)
    scores = np.zeros((1, 3, 3))
    scores[0, 0, 1] = scores[0, 0, 2] = 1
    assert kernels(path) is kernels(path)
    assert schemata.decoder(path)(scores)[0].tolist() == [[0, 0]]
    path.write_text(text.replace("attach m to h", "attach m to h, m == h + 1"))
    assert schemata.decoder(path)(scores)[0].tolist() == [[0, 1]]


def test_a_sum_over_derivations_is_told() -> None:
    with pytest.warns(
        AmbiguityWarning, match="eisner1996 derives some trees more than once; eisner1996-once"
    ):
        decoder_of("eisner1996").log_total(np.zeros((1, 3, 3)))


def test_totals() -> None:
    scores = padded(10, [3, 2])
    log = decoder_of("eisner-split", semiring="log").total(scores, [3, 2])
    assert decoder_of("eisner-split", semiring="real").total(scores, [3, 2]) == pytest.approx(np.exp(log))
    assert decoder_of("eisner-split").total(scores, [3, 2]) == pytest.approx(
        decoder_of("mst")(scores, [3, 2])[1], abs=9
    )
    trees = [len(trees_of("eisner-split", n, False)) for n in (3, 2)]
    assert decoder_of("eisner-split", semiring="count").total(scores, [3, 2]).tolist() == trees
    with pytest.warns(AmbiguityWarning, match="a total is over derivations: eisner1996 derives some"):
        assert (decoder_of("eisner1996", semiring="count").total(scores, [3, 2]) >= trees).all()
    with pytest.raises(UsageError, match="too large"):
        decoder_of("eisner-split", semiring="real").total(np.full((1, 3, 3), 500.0))
    with pytest.raises(UsageError, match="no totals"):
        decoder_of("mst", semiring="count", single_root=True).total(scores, [3, 2])


REFUSED = {
    "a matrix alone": (np.zeros((3, 3)), None, "the shape 3 x 3"),
    "not square": (np.zeros((2, 3, 4)), None, "sentence 0 have the shape 3 x 4"),
    "no words": (np.zeros((2, 1, 1)), None, "sentence 0 has no words"),
    "nan": (np.array([[[0, 1], [0, 0]], [[0, math.nan], [0, 0]]]), None, r"the score at \[1, 0, 1\] is nan"),
    "inf": (np.full((1, 2, 2), math.inf), None, r"the score at \[0, 0, 1\] is inf"),
    "huge": (np.full((1, 2, 2), 1e300), None, r"1e\+300"),
    "complex": (np.zeros((1, 2, 2), complex), None, "complex128"),
    "texts": ([[["a", "b"], ["c", "d"]]], None, "type"),
    "a ragged row": ([[[0, 1], [0]]], None, "not an array"),
    "too long": (np.zeros((1, 3, 3)), [3], "sentence 0 has 3 words, its scores have room for 2"),
    "no length": (np.zeros((1, 3, 3)), [0], "0 words"),
    "two lengths": (np.zeros((1, 3, 3)), [1, 2], "the lengths have the shape 2"),
    "lengths as reals": (np.zeros((1, 3, 3)), [1.5], "float64"),
    "labels differ": ([np.zeros((3, 3, 2)), np.zeros((3, 3))], None, "different numbers of labels"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    scores, lengths, message = REFUSED[case]
    with pytest.raises(UsageError, match=message):
        decoder_of("mst")(scores, lengths)


def test_schemata_that_build_no_trees() -> None:
    for name in ("earley", "lombardo-lesmo1996", "eisner-labelled"):
        with pytest.raises(UsageError, match="does not build unlabelled trees"):
            decoder_of(name)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("of", [schemata.decoder, lambda name, **more: schemata.load(name).decoder(**more)])
def test_schemata_that_derive_all_trees(name: str, single_root: bool, of: Any) -> None:
    """Whichever way a decoder is made: it is the direct one, over all trees and each of them once."""
    lengths = [1, 2, 3, 4, 5]
    scores = padded(11, lengths, forbidden=0.1)
    decoder = of(name, single_root=single_root)
    heads, weights = decoder(scores, lengths)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AmbiguityWarning)  # trees are counted, not derivations
        found = decoder.gradients(scores, lengths)
    for k, n in enumerate(lengths):
        every = {tree: weight(scores[k], tree) for tree in trees_of(name, n, single_root)}
        expected = np.zeros((6, 6))
        whole = math.fsum(map(math.exp, every.values()))
        for tree, score in every.items():
            expected[tree, range(1, n + 1)] += math.exp(score) / whole
        assert weights[k] == pytest.approx(max(every.values()))
        assert every[tuple(heads[k, :n].tolist())] == pytest.approx(weights[k])
        assert found.totals[k] == pytest.approx(math.log(whole))
        np.testing.assert_allclose(found.links[k], expected, atol=1e-9)
    long = np.random.default_rng(0).normal(size=(1, 61, 61))
    assert decoder(long)[0].shape == (1, 60)  # a chart of so many words would not end


@pytest.mark.parametrize("name", ALL)
def test_all_trees_as_the_chart_has_them(name: str) -> None:
    schema = schemata.load(name)
    for n in (1, 2, 3):
        scores = padded(12 + n, [n])
        chart = schema.run("w " * n, weights=schemata.ArcScores(scores[0]))
        assert {tree.heads for tree in chart.forest().trees(limit=None)} == set(trees_under_zero(n))
        assert schema.decoder()(scores)[1][0] == pytest.approx(chart.best().weight)
        assert schema.decoder("count").total(scores).tolist() == [len(trees_under_zero(n))]


def test_steps_of_schemata_that_derive_all_trees() -> None:
    """Steps are weighed over the chart; sums are then over derivations, and say so."""
    decoder, scores = decoder_of("mst"), padded(16, [3])
    nothing, costly = ({"Contract": np.full((1, 4, 4), weight)} for weight in (0.0, -100.0))
    assert decoder(scores, steps=nothing)[1] == pytest.approx(decoder(scores)[1])
    assert decoder(scores, steps=costly)[1] == pytest.approx(
        decoder(scores)[1]
    )  # no tree needs a contraction
    with pytest.warns(AmbiguityWarning, match="mst derives some trees more than once"):
        total = decoder.log_total(scores, steps=nothing)
    assert total > decoder.log_total(scores)


def test_an_empty_batch() -> None:
    heads, weights = decoder_of("mst")(np.zeros((0, 4, 4)))
    assert (heads.shape[0], weights.shape) == (0, (0,))


@pytest.mark.parametrize("far", [0.0, 1e2, 1e5], ids=str)
@pytest.mark.parametrize("name", ["mst", "eisner-split", "eisner1996-once", "collins1996-once"])
@pytest.mark.parametrize("mask", [-1e9, -3.4e38, -1e200, 1e30])
@pytest.mark.rotated(3)
def test_masks_are_scores_too(name: str, mask: float, far: float) -> None:
    """What stands for an impossible or a certain link is far from the others, which must not be lost beside it."""
    random = np.random.default_rng(2)
    for n in (1, 2, 4) if far == 1e5 and name in ("mst", "eisner-split") else (3,):
        scores = random.normal(size=(n + 1, n + 1))
        scores[random.random(scores.shape) < 0.25] = mask
        decoder = decoder_of(name, single_root=True)
        weights = sorted((weight(scores, t) for t in trees_of(name, n, True)), reverse=True)
        with changed(far_score=far):
            heads, found = decoder([scores])
            few = decoder.k_best([scores], k=5)[1][0]
            total, links = decoder.log_total([scores])[0], decoder.marginals([scores])[0]
        assert found[0] == pytest.approx(weights[0], rel=1e-9, abs=1e-9)
        assert weight(scores, heads[0]) == pytest.approx(weights[0], rel=1e-9, abs=1e-9)
        assert few[: len(weights)].tolist() == pytest.approx(weights[:5], rel=1e-9, abs=1e-9)
        assert total == pytest.approx(
            weights[0] + math.log(math.fsum(math.exp(w - weights[0]) for w in weights))
        )
        if (
            mask < 0 or name == "mst"
        ):  # what is far above 0 has shares of sums from which the others are rounded away
            assert links.sum(axis=0)[1:] == pytest.approx(np.ones(n))
            assert links[0].sum() == pytest.approx(1)


@pytest.mark.parametrize("far", [0.0, 1e5])
@pytest.mark.parametrize("name", ["mst", "eisner-split"])
def test_single_roots_that_there_are_not(name: str, far: float) -> None:
    """Trees with two roots alone: masks or no masks, none of them is taken for one with a single root."""
    nothing, mask = -math.inf, -1e30
    two = np.array(
        [[0, 1.0, 2.0, nothing], [0, 0, nothing, 1.0], [0, nothing, 0, 1.0], [0, nothing, nothing, 0]]
    )
    masked = np.where(np.isneginf(two), mask, two)
    decoder = decoder_of(name, single_root=True)
    with changed(far_score=far):
        assert decoder([two])[1].tolist() == [nothing]
        assert decoder.log_total([two]).tolist() == [nothing]
        assert not decoder.marginals([two]).any()
        heads, weights = decoder([masked])
    assert weights[0] == pytest.approx(mask)
    assert heads[0].tolist().count(0) == 1


def test_schemata_that_compare_words() -> None:
    """An array has no words: whether two of them are the same, it does not say."""
    text = """schema alike
    item link[i: position] where 0 <= i <= n
    step Link
      ---------  attach 1 to 2, attach 2 to 0, same word 1, 2
      link[n]
    final link[n]
    """
    with pytest.raises(UsageError, match="asks which words are the same"):
        schemata.schema(textwrap.dedent(text)).decoder()


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_a_library_that_is_missing_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(f"schemata.{library}")
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(module, "_library", module._library.__wrapped__)
    with pytest.raises(UsageError, match="needs") as caught:
        module.Distribution("eisner-split", np.zeros((1, 2, 2)))
    assert caught.value.diagnostics[0].hint == f"install with: pip install {library}"
