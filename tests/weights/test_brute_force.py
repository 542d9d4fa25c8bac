"""Whatever is computed of weights: against sums over all structures, and against known algorithms."""

import itertools
import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import networkx
import numpy as np
import pytest

import schemata
from schemata.analysis.weighed import why_not_best
from schemata.engine.chart import Chart
from schemata.errors import AmbiguityWarning, UsageError
from schemata.forest.structures import derivation_structure
from schemata.thresholds import changed
from schemata.weights.semiring import SEMIRINGS, Semiring, k_best_weights, semiring_of
from tests.oracle.trees import (
    Heads,
    covington_lsup,
    gap_degree,
    is_tree,
    mildly_ill_nested,
    projective,
    trees_under_zero,
    well_nested,
)
from tests.support.charts import shipped

PROJECTIVE = (
    "collins1996", "eisner1996", "eisner1996:end=1", "eisner-satta1999", "generalised-eisner-satta",
    "yamada-matsumoto2003", "nivre2003", "attardi2006:d=1", "mh:k=3", "arc-standard", "arc-standard-hook", "arc-eager",
    "arc-eager-published", "hybrid",
)  # fmt: skip
ONCE = (
    "nivre2003", "covington-lsup", "mh-once", "collins1996-once", "eisner-satta1999-once", "eisner1996-once:end=0",
    "eisner1996-once:end=1", "yamada-matsumoto2003-once", "arc-eager-once", "arc-standard-hook-once",
    "arc-standard-once", "hybrid-once",
)  # fmt: skip
IS_DERIVED: dict[str, Callable[[Heads], bool]] = {  # the trees of each schema, by definition
    **dict.fromkeys((*PROJECTIVE, *ONCE[2:]), projective),
    **dict.fromkeys(("attardi-unbounded", "covington2001"), is_tree),
    **dict.fromkeys(("wg1", "wg1-unlexicalised", "wgk:k=1"), lambda tree: well_nested(tree) and gap_degree(tree) < 2),
    "wgk:k=2": lambda tree: well_nested(tree) and gap_degree(tree) < 3,
    **dict.fromkeys(("mg1", "mgk:k=1"), lambda tree: mildly_ill_nested(tree, 1)),
}  # fmt: skip
INCOMPLETE = ("attardi2006:d=2", "mh:k=4", "wgk-published:k=2")  # what they derive is not a class
# covington2001 has derivations that build no tree; what is distinct leaves them out.
SCHEMATA = [*IS_DERIVED, "covington-lsup", *INCOMPLETE]
ROOTED = ("collins1996", "collins1996-once", "covington2001", "wg", "mg")  # no step links to 0

pytestmark = pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")


def scores(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, (n + 1, n + 1))


@cache
def trees_by(derived: Callable[[Heads], bool], n: int, single_root: bool) -> np.ndarray:
    """Return all trees that a predicate holds of, shape (trees, n)."""
    return np.array([tree for tree in trees_under_zero(n, single_root=single_root) if derived(tree)])


def weighed(name: str, n: int, seed: int = 1, single_root: bool = False) -> tuple[Chart, dict[Heads, float]]:
    """Return a chart with random scores, and the weight of every tree that the schema derives."""
    matrix = scores(n, seed)
    grammar = schemata.DRules.all(single_root=single_root)
    chart = shipped(name).run(["w"] * n, grammar, weights=schemata.ArcScores(matrix))
    if name in IS_DERIVED:
        trees = trees_by(IS_DERIVED[name], n, single_root or name.startswith(ROOTED))
    elif name == "covington-lsup":
        found = sorted(covington_lsup(n))
        trees = np.array([tree for tree in found if not single_root or tree.count(0) == 1])
    else:
        trees = np.array([tree.heads for tree in chart.forest().trees(None)])
    weights = matrix[trees, np.arange(1, n + 1)].sum(axis=1)
    return chart, dict(zip(map(tuple, trees.tolist()), weights.tolist(), strict=True))


def totals(values: np.ndarray) -> dict[str, Any]:
    """Return the totals of weights, greatest first, in every semiring."""
    return {
        "boolean": True, "count": len(values), "real": np.exp(values).sum(), "log": np.logaddexp.reduce(values),
        "viterbi": values[0], "min-plus": -values[0], "expectation": (np.exp(values).sum(), np.exp(values) @ values),
        "best:3": tuple(values[:3]),
    }  # fmt: skip


def check_probabilities(chart: Chart, weights: dict[Heads, float], distinct: bool) -> None:
    trees, values = np.array(list(weights)), np.array(list(weights.values()))
    shares = np.exp(values - np.logaddexp.reduce(values))
    for (d, h), share in chart.marginals(distinct=distinct).items():
        assert share == pytest.approx(shares[trees[:, d - 1] == h].sum())
    assert chart.entropy(distinct=distinct) == pytest.approx(-(shares * np.log(shares)).sum())


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("name", SCHEMATA)
@pytest.mark.rotated(4)
def test_best_trees_and_sums_over_trees(name: str, single_root: bool) -> None:
    for n in range(1, 5 if single_root else 4):
        chart, weights = weighed(name, n, n, single_root)
        best = chart.k_best(10_000)
        assert {one.structure.heads: pytest.approx(one.weight) for one in best} == weights
        assert [one.weight for one in best] == sorted((one.weight for one in best), reverse=True)
        found = chart.best()  # another order of additions
        assert (found.structure, found.weight) == (best[0].structure, pytest.approx(best[0].weight))
        for semiring, value in totals(np.array(sorted(weights.values(), reverse=True))).items():
            assert chart.total(semiring, distinct=True) == pytest.approx(value)
            if name in ONCE or (semiring_of(semiring).idempotent and name != "covington2001"):
                assert chart.total(semiring) == pytest.approx(value)
        check_probabilities(chart, weights, distinct=True)
        for heads in itertools.islice(weights, 0, None, 50):
            assert chart.weight_of(heads) == pytest.approx(weights[heads])


@pytest.mark.parametrize("name", SCHEMATA)
@pytest.mark.rotated(4)
def test_six_words(name: str) -> None:
    """The best trees of every schema; all else of those that derive each tree once."""
    chart, weights = weighed(name, 6, 4, single_root=True)
    ordered = sorted(weights, key=weights.__getitem__, reverse=True)
    best = chart.k_best(20)
    assert [one.structure.heads for one in best] == ordered[:20]
    assert [one.weight for one in best] == pytest.approx([weights[heads] for heads in ordered[:20]])
    for semiring, value in totals(np.array([weights[heads] for heads in ordered])).items():
        if name in ONCE or (semiring_of(semiring).idempotent and name != "covington2001"):
            assert chart.total(semiring) == pytest.approx(value)
    if name in ONCE:
        check_probabilities(chart, weights, distinct=False)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize(
    "name", [*SCHEMATA[:8], "covington2001", "wg1", "wg1-unlexicalised", "mg1", "arc-eager"]
)
@pytest.mark.rotated(3)
def test_sums_over_derivations(name: str, single_root: bool) -> None:
    """Over derivations one by one; marginals are the derivatives of the total."""
    matrix = scores(3, 2)
    run = shipped(name).run
    grammar = schemata.DRules.all(single_root=single_root)
    chart = run("a b c", grammar, weights=matrix)
    trees = []
    for derivation in chart.forest().derivations(None):
        if name == "wg1-unlexicalised":  # its steps do not name heads
            links = list(enumerate(derivation_structure(chart, derivation).heads, start=1))
        else:
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


@pytest.mark.parametrize("n", [3, 4, 5])
def test_all_trees_sum_up_to_the_determinant(n: int) -> None:
    """The matrix-tree theorem; roots may be several."""
    chart, _ = weighed("attardi-unbounded", n, 3)
    weights = np.exp(np.where(np.eye(n + 1), -np.inf, scores(n, 3)))
    laplacian = np.diag(weights[:, 1:].sum(0)) - weights[1:, 1:]
    assert chart.total("real", distinct=True) == pytest.approx(np.linalg.det(laplacian))


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_trees_is_the_maximum_arborescence(seed: int) -> None:
    n = 6
    matrix = scores(n, seed)
    chart = shipped("attardi-unbounded").run(["w"] * n, weights=matrix)
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(
        (h, d, matrix[h, d]) for h in range(n + 1) for d in range(1, n + 1) if h != d
    )
    tree = networkx.maximum_spanning_arborescence(graph)
    heads = tuple(next(iter(tree.predecessors(d))) for d in range(1, n + 1))
    assert chart.best().structure.heads == heads


def test_many_best_trees_of_a_longer_sentence() -> None:
    """The first twenty are a prefix of the first two hundred, which are those of another schema of the same trees."""
    chart, _ = shipped("eisner1996").run(["w"] * 9, weights=scores(9)), None
    other = shipped("nivre2003").run(["w"] * 9, weights=scores(9))
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
    chart = shipped("eisner1996").run("a b c", weights=matrix)
    assert {one.structure.heads[1] for one in chart.k_best(100)} == {3}
    assert chart.marginals()[2, 3] == pytest.approx(1.0)
    assert chart.weight_of((0, 1, 0)) == -math.inf
    for heads in ((0,), (0, 1, 2, 3)):
        with pytest.raises(UsageError, match=r"but the sentence has 3 words"):
            chart.weight_of(heads)
    matrix[3, 2] = -np.inf
    nothing = shipped("eisner1996").run("a b c", weights=matrix)
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
    assert shipped("eisner1996").run("a b c d e").total(longest) == 5


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
    chart = shipped("eisner1996").run("a b c")
    with pytest.warns(AmbiguityWarning, match="16 derivations of 12 structures"):
        chart.total("log")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chart.total("viterbi")
        chart.total("log", distinct=True)
        shipped("nivre2003").run("a b c").total("log")


@pytest.mark.parametrize("name", ["eisner1996", "wg1", "arc-eager"])
def test_ties_and_samples_are_the_same_on_every_engine(name: str) -> None:
    matrix = np.round(scores(4) / 2)
    for grammar in (schemata.DRules.all(), schemata.DRules.all(single_root=True)):
        one, other = (
            shipped(name).run("a b c d", grammar, weights=matrix, engine=engine)
            for engine in ("python", "native")
        )
        assert one.k_best(60) == other.k_best(60)
        assert one.marginals() == pytest.approx(other.marginals())
        assert one.sample(20, seed=3) == other.sample(20, seed=3)


def test_sums_and_best_trees_are_those_of_torch_struct() -> None:
    """Their potentials have heads in rows, and the root's scores on the diagonal."""
    torch = pytest.importorskip("torch")
    structures = pytest.importorskip("torch_struct")
    torch.distributions.Distribution.set_default_validate_args(
        False
    )  # their classes do not say what to validate
    n, matrix = 5, scores(5, 9)
    potentials = torch.tensor(matrix[1:, 1:].copy())
    potentials[range(n), range(n)] = torch.tensor(matrix[0, 1:].copy())
    for multiroot in (True, False):
        theirs = structures.DependencyCRF(potentials[None].requires_grad_() * 1, multiroot=multiroot)
        grammar = schemata.DRules.all(single_root=not multiroot)
        ours = shipped("nivre2003").run(["w"] * n, grammar, weights=matrix)
        assert ours.total("log") == pytest.approx(theirs.partition[0].item())
        assert ours.best().weight == pytest.approx(theirs.max[0].item())
        shares = theirs.marginals[0].tolist()
        for (d, h), share in ours.marginals().items():
            assert share == pytest.approx(shares[(h or d) - 1][d - 1], abs=1e-9)


def test_samples_of_which_there_are_too_few_are_refused() -> None:
    """Nearly all of the weight, or all of it, may be on derivations of covington2001 that build a cycle."""
    scores = np.zeros((4, 4))
    chart = shipped("covington2001").run("a b c", weights=schemata.ArcScores(scores))
    assert len(chart.sample(5)) == 5
    scores[1, 2] = scores[2, 1] = 9
    chart = shipped("covington2001").run("a b c", weights=schemata.ArcScores(scores))
    with (
        changed(drawn_derivations=10),
        pytest.raises(UsageError, match="60 derivations drawn, fewer than 5 samples"),
    ):
        chart.sample(5)
    assert chart.sample(0) == []
    assert len(chart.sample(5, distinct=True)) == 5
    cyclic = shipped("covington2001").run("a b c", schemata.DRules.from_pairs([(1, 2), (2, 1)]))
    assert cyclic.accepted
    assert cyclic.k_best(5) == cyclic.sample(5) == []


ASKED = {
    "best": lambda chart: chart.best(),
    "k_best": lambda chart: chart.k_best(2),
    "total": lambda chart: chart.total("count"),
    "viterbi": lambda chart: chart.total("viterbi"),
    "distinct": lambda chart: chart.total(distinct=True),
    "marginals": lambda chart: chart.marginals(),
    "sample": lambda chart: chart.sample(3),
    "entropy": lambda chart: chart.entropy(),
    "gradient": lambda chart: chart.gradient(),
    "weight_of": lambda chart: chart.weight_of((0, 1, 1, 1, 1)),
}


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("steps", [1, 95])
def test_weights_of_a_run_that_was_stopped_are_those_of_what_it_derived_if_asked_for(
    engine: Any, steps: int
) -> None:
    """They were given as the sentence's. What the run had derived is weighed as a schema of these items would."""
    matrix = scores(5)
    budget = schemata.Budget(steps=steps)
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        shipped("eisner1996").run(
            "a b c d e", weights=schemata.ArcScores(matrix), budget=budget, engine=engine
        )
    chart = stopped.value.chart
    for ask in ASKED.values():
        with pytest.raises(UsageError, match=r"the chart is not complete\n  hint: .*weighing_so_far"):
            ask(chart)
    built = [derivation_structure(chart, one).heads for one in chart.forest().derivations(None)]
    weights = [sum(matrix[h, d] for d, h in enumerate(heads, start=1)) for heads in built]
    assert bool(built) == bool(chart.accepted) == (steps == 95)
    found = chart.weighing_so_far
    assert {one.structure.heads for one in found.k_best()} == set(built)
    assert found.total("count") == len(built)
    assert found.total("real") == pytest.approx(sum(map(math.exp, weights)))
    best = found.best()
    assert (best.weight if best else None) == (pytest.approx(max(weights)) if weights else None)
    assert len(built) < shipped("eisner1996").run("a b c d e").forest().derivation_count


def test_a_run_that_was_stopped_has_no_best() -> None:
    """The best derivations of the derived part were given as those of the sentence."""
    weights = schemata.ArcScores(scores(5))
    schema, item = shipped("eisner1996"), "span[0, 5, false, true]"
    assert schema.run("a b c d e", weights=weights).explain(item, best=True).weight is not None
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        schema.run("a b c d e", weights=weights, budget=schemata.Budget(steps=95))
    chart = stopped.value.chart
    assert chart.accepted
    with pytest.raises(UsageError, match="the chart is not complete"):
        chart.explain(item, best=True)
    with pytest.raises(UsageError, match="the chart is not complete"):
        why_not_best(chart, (0, 1, 1, 1, 1))
