"""Sums, best derivations and probabilities without arrays are those that the arrays give, and brute force."""

import itertools
import math
import random
import warnings

import pytest

import schemata
from schemata.errors import AmbiguityWarning
from schemata.playground.weighing import folded

NAMES = [
    "eisner1996",
    "eisner-satta1999",
    "collins1996",
    "arc-eager",
    "mh:k=4",
    "covington2001",
    "yamada-matsumoto2003",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_folds_are_those_over_arrays(name: str, n: int) -> None:
    chance = random.Random(n)
    scores = [[chance.uniform(-2, 2) for _ in range(n + 1)] for _ in range(n + 1)]
    schema = schemata.load(name)
    found = folded(schema.run(["w"] * n), scores)
    weighed = schema.run(["w"] * n, weights=schemata.ArcScores(scores))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguityWarning)
        assert found.total == pytest.approx(weighed.total("log"))
        expected = {tuple(link): p for link, p in weighed.marginals().items()}
    assert found.weight == pytest.approx(weighed.total("viterbi"))
    assert found.marginals is not None
    assert {tuple(link): p for link, p in found.marginals} == pytest.approx(expected)
    assert found.best is not None


def test_sums_are_those_of_all_trees() -> None:
    """A schema that derives each projective tree once, against all head lists."""
    n = 3
    chance = random.Random(7)
    scores = [[chance.uniform(-1, 1) for _ in range(n + 1)] for _ in range(n + 1)]

    def is_projective(heads: tuple[int, ...]) -> bool:
        for dependent, head in enumerate(heads, start=1):
            for between in range(min(dependent, head) + 1, max(dependent, head)):
                above, seen = between, 0
                while above not in (head, 0) and seen <= n:
                    above, seen = heads[above - 1], seen + 1
                if above != head:
                    return False
        return True

    def is_tree(heads: tuple[int, ...]) -> bool:
        for word in range(1, n + 1):
            above, seen = word, 0
            while above and seen <= n:
                above, seen = heads[above - 1], seen + 1
            if above:
                return False
        return True

    trees = [h for h in itertools.product(range(n + 1), repeat=n) if is_tree(h) and is_projective(h)]
    weights = {heads: sum(scores[h][d] for d, h in enumerate(heads, start=1)) for heads in trees}
    found = folded(schemata.load("eisner1996-once").run(["w"] * n), scores)
    total = math.log(math.fsum(map(math.exp, weights.values())))
    assert found.total == pytest.approx(total)
    assert found.weight == pytest.approx(max(weights.values()))
    assert found.marginals is not None
    for (d, h), p in found.marginals:
        of_link = [weight for heads, weight in weights.items() if heads[d - 1] == h]
        assert p == pytest.approx(math.fsum(math.exp(weight - total) for weight in of_link))


def test_links_can_be_forbidden() -> None:
    scores = [[0.0] * 3 for _ in range(3)]
    scores[0][1] = scores[1][2] = -math.inf
    found = folded(schemata.load("eisner1996").run("a b"), scores)
    assert found.total == found.weight == 0.0  # 1 under 2, 2 under 0
    assert found.marginals == (((1, 0), 0.0), ((1, 2), 1.0), ((2, 0), 1.0))  # none has 2 under 1


@pytest.mark.parametrize(
    "scores", [[], [[0.0]], [[0.0, 0.0], [0.0]], [[0.0, math.nan], [0.0, 0.0]], [[0.0, 1e9], [0, 0]]]
)
def test_other_tables_are_refused(scores: list[list[float]]) -> None:
    with pytest.raises(schemata.UsageError):
        folded(schemata.load("eisner1996").run("a"), scores)
