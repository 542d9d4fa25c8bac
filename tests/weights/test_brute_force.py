"""Whatever is computed of weights: against sums over all structures, and against known algorithms."""

import itertools
import math
import warnings

import networkx
import numpy as np
import pytest

import schemata
from schemata.engine.chart import Chart
from schemata.errors import AmbiguityWarning
from schemata.weights.semiring import SEMIRINGS, Semiring, k_best_weights, semiring_of

SCHEMATA = [
    "collins1996", "eisner1996", "eisner1996:end=1", "eisner-satta1999", "generalised-eisner-satta",
    "yamada-matsumoto2003", "nivre2003", "covington-lsup", "attardi2006:d=1", "attardi2006:d=2", "attardi-unbounded",
    "mh:k=3", "mh:k=4", "covington2001", "wg1", "wgk:k=2", "wgk-published", "mg1", "mgk", "arc-standard",
    "arc-standard-hook", "arc-eager", "arc-eager-published", "hybrid",
]  # fmt: skip
ONCE = ("nivre2003", "covington-lsup")

pytestmark = pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")


def scores(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, (n + 1, n + 1))


def weighed(name: str, n: int, seed: int = 1, **options: bool) -> tuple[Chart, dict[tuple[int, ...], float]]:
    """Return a chart with random scores, and the weight of every tree that it derives."""
    matrix = scores(n, seed)
    chart = schemata.load(name).run(
        ["w"] * n, schemata.DRules.all(**options), weights=schemata.ArcScores(matrix)
    )
    trees = [tree.heads for tree in chart.forest().trees(None)]
    return chart, {heads: sum(matrix[h, d] for d, h in enumerate(heads, start=1)) for heads in trees}


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("name", SCHEMATA)
def test_best_trees_and_sums_over_trees(name: str, single_root: bool) -> None:
    chart, weights = weighed(
        name, 3 if name in ("mh:k=4", "attardi2006:d=2", "attardi-unbounded") else 4, single_root=single_root
    )
    best = chart.k_best(10_000)
    assert {one.structure.heads: pytest.approx(one.weight) for one in best} == weights
    assert [one.weight for one in best] == sorted((one.weight for one in best), reverse=True)
    assert chart.best() == best[0]
    values = np.array(sorted(weights.values(), reverse=True))
    total = np.logaddexp.reduce(values)
    expected = {
        "boolean": True, "count": len(values), "real": np.exp(values).sum(), "log": total, "viterbi": values[0],
        "min-plus": -values[0], "expectation": (np.exp(values).sum(), (np.exp(values) * values).sum()),
        "best:3": tuple(values[:3]),
    }  # fmt: skip
    for semiring, value in expected.items():
        assert chart.total(semiring, distinct=True) == pytest.approx(value)
        if semiring_of(semiring).idempotent or name in ONCE:
            assert chart.total(semiring) == pytest.approx(value)
    shares = {heads: math.exp(weight - total) for heads, weight in weights.items()}
    for link, share in chart.marginals(distinct=True).items():
        assert share == pytest.approx(sum(p for heads, p in shares.items() if heads[link[0] - 1] == link[1]))
    assert chart.entropy(distinct=True) == pytest.approx(-sum(p * math.log(p) for p in shares.values()))
    for heads in itertools.islice(weights, 0, None, 7):
        assert chart.weight_of(heads) == pytest.approx(weights[heads])


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("name", [*SCHEMATA[:8], "covington2001", "wg1", "mg1", "arc-eager"])
def test_sums_over_derivations(name: str, single_root: bool) -> None:
    """Over derivations one by one; marginals are the derivatives of the total."""
    matrix = scores(3, 2)
    run = schemata.load(name).run
    grammar = schemata.DRules.all(single_root=single_root)
    chart = run("a b c", grammar, weights=matrix)
    trees = []
    for derivation in chart.forest().derivations(None):
        links = [link for link in derivation.all_links if isinstance(link, tuple)]
        attached = {d for d, _ in links}
        links += [(d, 0) for d in (1, 2, 3) if d not in attached]
        if not (single_root and sum(h == 0 for _, h in links) > 1):
            trees.append(sum(matrix[h, d] for d, h in links))
    weights = np.array(trees)
    total = np.logaddexp.reduce(weights)
    assert chart.total("count") == len(weights)
    assert chart.total("log") == pytest.approx(total)
    assert chart.total("real") == pytest.approx(np.exp(weights).sum())
    assert chart.total("expectation")[1] == pytest.approx((np.exp(weights) * weights).sum())
    assert chart.total("best:4") == pytest.approx(tuple(sorted(weights, reverse=True)[:4]))
    shares = np.exp(weights - total)
    assert chart.entropy() == pytest.approx(-(shares * np.log(shares)).sum())
    step = 1e-6
    for (d, h), share in chart.marginals().items():
        moved = [matrix.copy(), matrix.copy()]
        moved[0][h, d] += step
        moved[1][h, d] -= step
        up, down = (run("a b c", grammar, weights=one).total("log") for one in moved)
        assert share == pytest.approx((up - down) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("n", [3, 4])
def test_all_trees_sum_up_to_the_determinant(n: int) -> None:
    """The matrix-tree theorem; roots may be several."""
    chart, _ = weighed("attardi-unbounded", n, 3)
    weights = np.exp(np.where(np.eye(n + 1), -np.inf, scores(n, 3)))
    laplacian = np.diag(weights[:, 1:].sum(0)) - weights[1:, 1:]
    assert chart.total("real", distinct=True) == pytest.approx(np.linalg.det(laplacian))


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_trees_is_the_maximum_arborescence(seed: int) -> None:
    n = 4
    matrix = scores(n, seed)
    chart = schemata.load("attardi-unbounded").run(["w"] * n, weights=matrix)
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(
        (h, d, matrix[h, d]) for h in range(n + 1) for d in range(1, n + 1) if h != d
    )
    tree = networkx.maximum_spanning_arborescence(graph)
    heads = tuple(next(iter(tree.predecessors(d))) for d in range(1, n + 1))
    assert chart.best().structure.heads == heads


def test_many_best_trees_of_a_longer_sentence() -> None:
    """The first twenty are a prefix of the first two hundred, which are those of another schema of the same trees."""
    chart, _ = schemata.load("eisner1996").run(["w"] * 9, weights=scores(9)), None
    other = schemata.load("nivre2003").run(["w"] * 9, weights=scores(9))
    twenty, many = chart.k_best(20), other.k_best(200)
    assert [one.structure for one in twenty] == [one.structure for one in many[:20]]
    assert [one.weight for one in twenty] == pytest.approx([one.weight for one in many[:20]])
    assert len({one.structure for one in many}) == 200


@pytest.mark.parametrize("distinct", [False, True])
def test_samples_are_drawn_in_proportion(distinct: bool) -> None:
    """Pearson's chi-square at the level 0.001, with eleven degrees of freedom."""
    chart, weights = weighed("nivre2003", 3)
    total = np.logaddexp.reduce(list(weights.values()))
    drawn = chart.sample(3000, seed=7, distinct=distinct)
    assert all(one.weight == pytest.approx(weights[one.structure.heads]) for one in drawn[:50])
    counts = dict.fromkeys(weights, 0)
    for one in drawn:
        counts[one.structure.heads] += 1
    expected = {heads: 3000 * math.exp(weight - total) for heads, weight in weights.items()}
    assert sum((counts[h] - expected[h]) ** 2 / expected[h] for h in weights) < 31.26
    assert [one.structure for one in chart.sample(5, seed=7, distinct=distinct)] == [
        x.structure for x in drawn[:5]
    ]


def test_a_derivation_builds_its_structure() -> None:
    chart, _ = weighed("mh:k=4", 3)
    for one in chart.k_best(20):
        links = dict(one.derivation.all_links)
        assert tuple(links[d] for d in (1, 2, 3)) == one.structure.heads


def test_forbidden_links_are_in_no_structure() -> None:
    matrix = scores(3)
    matrix[:, 2] = -np.inf
    matrix[3, 2] = 0.0
    chart = schemata.load("eisner1996").run("a b c", weights=matrix)
    assert {one.structure.heads[1] for one in chart.k_best(100)} == {3}
    assert chart.marginals()[2, 3] == pytest.approx(1.0)
    assert chart.weight_of((0, 1, 0)) == -math.inf
    matrix[3, 2] = -np.inf
    nothing = schemata.load("eisner1996").run("a b c", weights=matrix)
    assert nothing.best() is None
    assert nothing.total("log") == -math.inf
    assert nothing.marginals() == {}
    assert nothing.sample(3) == []
    assert nothing.total("boolean") is False


def test_a_semiring_of_ones_own() -> None:
    longest = Semiring(
        zero=-1, one=0, plus=max, times=lambda x, y: -1 if -1 in (x, y) else max(x, y),
        of=lambda weight, built: max((abs(d - h) for d, h in built), default=0), idempotent=True,
    )  # fmt: skip
    assert schemata.load("eisner1996").run("a b c d e").total(longest) == 5


@pytest.mark.parametrize("name", SEMIRINGS)
def test_semirings_obey_their_laws(name: str) -> None:
    semiring = SEMIRINGS[name]
    values = [semiring.zero, semiring.one, *(semiring.of(w, ()) for w in (-1.5, 0.25))]
    near = bool if name == "boolean" else int if name == "count" else pytest.approx
    plus, times = semiring.plus, semiring.times
    for x, y, z in itertools.product(values, repeat=3):
        assert plus(x, y) == near(plus(y, x))
        assert plus(x, plus(y, z)) == near(plus(plus(x, y), z))
        assert times(x, times(y, z)) == near(times(times(x, y), z))
        assert times(x, plus(y, z)) == near(plus(times(x, y), times(x, z)))
        assert times(plus(y, z), x) == near(plus(times(y, x), times(z, x)))
        assert plus(x, semiring.zero) == x
        assert times(x, semiring.one) == times(semiring.one, x) == x
        assert times(x, semiring.zero) == semiring.zero
        assert not semiring.idempotent or plus(x, x) == x
    assert k_best_weights(2).zero == ()


def test_ambiguity_is_told() -> None:
    chart = schemata.load("eisner1996").run("a b c")
    with pytest.warns(AmbiguityWarning, match="16 derivations of 12 structures"):
        chart.total("log")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chart.total("viterbi")
        chart.total("log", distinct=True)
        schemata.load("nivre2003").run("a b c").total("log")


@pytest.mark.parametrize("name", ["eisner1996", "wg1", "arc-eager"])
def test_ties_and_samples_are_the_same_on_every_engine(name: str) -> None:
    pytest.importorskip("llvmlite")
    matrix = np.round(scores(4) / 2)
    for grammar in (schemata.DRules.all(), schemata.DRules.all(single_root=True)):
        one, other = (
            schemata.load(name).run("a b c d", grammar, weights=matrix, engine=engine)
            for engine in ("python", "native")
        )
        assert one.k_best(60) == other.k_best(60)
        assert one.marginals() == pytest.approx(other.marginals())
        assert one.sample(20, seed=3) == other.sample(20, seed=3)


def test_sums_and_best_trees_are_those_of_torch_struct() -> None:
    """Their potentials have heads in rows, and the root's scores on the diagonal."""
    torch = pytest.importorskip("torch")
    structures = pytest.importorskip("torch_struct")
    n, matrix = 5, scores(5, 9)
    potentials = torch.tensor(matrix[1:, 1:].copy())
    potentials[range(n), range(n)] = torch.tensor(matrix[0, 1:].copy())
    for multiroot in (True, False):
        theirs = structures.DependencyCRF(potentials[None], multiroot=multiroot)
        grammar = schemata.DRules.all(single_root=not multiroot)
        ours = schemata.load("nivre2003").run(["w"] * n, grammar, weights=matrix)
        assert ours.total("log") == pytest.approx(float(theirs.partition[0]))
        assert ours.best().weight == pytest.approx(float(theirs.max[0]))
