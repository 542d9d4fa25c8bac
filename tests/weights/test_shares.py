"""The backward pass of ordered kernels: shares of links, against enumeration and finite differences."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from schemata.engine.native import NativeEngine, hypotheses_of
from schemata.grammars.drules import all_licences
from schemata.ordered.weights import NotWeighable, Scored, Weigher, weigher_of
from schemata.thresholds import EFFORTS, WAYS
from schemata.weights.roots import Sums
from schemata.weights.scores import ArcScores
from tests.oracle.trees import projective_forests, projective_trees
from tests.support.charts import shipped

ONCE = [
    "eisner1996-once",
    "eisner-split",
    "eisner-satta1999-once",
    "collins1996-once",
    "arc-eager-once",
    "mh-once",
]
OFTEN = ["eisner1996", "collins1996", "hybrid", "arc-eager", "mh:k=4", "koo-collins2010-model2", "vine:k=2"]


def native_for(name: str) -> NativeEngine:
    """Return the native engine of a shipped schema, with its order proved however busy the machine is."""
    native = shipped(name).engines.native
    assert native is not None
    if native.ordered is None:  # an earlier proof may have run out of time
        del native.__dict__["ordered"]
        with (
            patch.object(WAYS, "proof_seconds", 600.0),
            patch.multiple(
                EFFORTS, solver_seconds=600.0, question_milliseconds=600_000, guess_milliseconds=60_000
            ),
        ):
            assert native.ordered is not None
    return native


def weigher_for(name: str) -> Weigher:
    ordered = native_for(name).ordered
    assert ordered is not None
    return weigher_of(ordered)


def shares(name: str, matrix: NDArray[np.float64]) -> Sums | None:
    native, licences = native_for(name), all_licences(len(matrix) - 1)

    def hypotheses() -> list[tuple[int, tuple[int, ...]]]:
        return hypotheses_of(native.agenda, licences.n, licences)

    return weigher_for(name).shares(Scored(licences, matrix, hypotheses, 1 << 30))


def weight(matrix: NDArray[np.float64], heads: tuple[int, ...]) -> float:
    return math.fsum(float(matrix[head, dependent]) for dependent, head in enumerate(heads, start=1))


@pytest.mark.parametrize("name", ONCE)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.rotated(3)
def test_each_tree_counts_once(name: str, n: int) -> None:
    """The total and the shares are sums over all projective trees, which a brute force lists."""
    matrix = np.random.default_rng(n).normal(size=(n + 1, n + 1)) * 2
    single = name.startswith("collins")
    trees = projective_trees(n) if single else projective_forests(n)
    found = shares(name, matrix)
    assert found is not None
    total = math.fsum(math.exp(weight(matrix, heads)) for heads in trees)
    expected = np.zeros((n + 1, n + 1))
    for heads in trees:
        for dependent, head in enumerate(heads, start=1):
            expected[head, dependent] += math.exp(weight(matrix, heads)) / total
    assert found.log_total == pytest.approx(math.log(total), abs=1e-9)
    np.testing.assert_allclose(found.links, expected, atol=1e-9)


@pytest.mark.parametrize("name", [*ONCE[:2], *OFTEN])
def test_shares_are_derivatives_of_the_log_total(name: str) -> None:
    """By finite differences; a forbidden link has none."""
    n, width = 4, 1e-5
    matrix = np.random.default_rng(7).normal(size=(n + 1, n + 1))
    matrix[2, 3] = -math.inf
    found = shares(name, matrix)
    assert found is not None
    for head in range(n + 1):
        for dependent in range(1, n + 1):
            if head == dependent or (head, dependent) == (2, 3):
                assert found.links[head, dependent] == 0
                continue
            sides = []
            for sign in (1, -1):
                moved = matrix.copy()
                moved[head, dependent] += sign * width
                side = shares(name, moved)
                assert side is not None
                sides.append(side.log_total)
            slope = (sides[0] - sides[1]) / (2 * width)
            assert found.links[head, dependent] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("name", OFTEN)
@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
def test_shares_are_those_of_the_forest(name: str) -> None:
    """Sums over derivations that the fold over the chart finds; it knows nothing of kernels."""
    matrix = np.random.default_rng(3).normal(size=(7, 7))
    chart = shipped(name).run(["w"] * 6, weights=ArcScores(matrix), engine="python")
    found = shares(name, matrix)
    assert found is not None
    assert found.log_total == pytest.approx(chart.total("log"), abs=1e-9)
    for (dependent, head), share in chart.marginals().items():
        assert min(found.links[head, dependent], 1.0) == pytest.approx(share, abs=1e-9)


def test_nothing_derived_has_no_shares() -> None:
    assert shares("eisner1996", np.full((4, 4), -math.inf)) is None


def test_items_with_a_normal_form_have_none() -> None:
    with pytest.raises(NotWeighable, match="normal form"):
        shares("wg1", np.zeros((3, 3)))
