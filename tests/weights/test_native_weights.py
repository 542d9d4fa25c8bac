"""Native kernels with weights: against sums over all derivations, in checked Python and in machine code."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import schemata
from schemata import ArcScores, DRules, ParsingSchema
from schemata.engine.chart import Chart
from schemata.engine.native import NativeEngine
from schemata.engine.weighing import native_best, native_total
from schemata.errors import UsageError
from schemata.forest.structures import derivation_structure
from schemata.order.kept import prove_order
from schemata.ordered.emit import emit_weighing
from schemata.ordered.rules import ALGEBRAS
from schemata.structures import Sentence
from schemata.weights.scores import Weights
from tests.engine.test_engines_agree import SCHEMATA as SMALL
from tests.engine.test_ordered import NAMES
from tests.support.charts import schema_of, some_links
from tests.support.compilers import COMPILERS

pytestmark = pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
SPLIT = [which for which in SMALL if which.startswith("a column that equals")]
COMPILED = ["eisner1996", "collins1996", "eisner-satta1999", "hybrid", "wg1", SPLIT[1]]


@cache
def engine(name: str, checked: bool) -> tuple[ParsingSchema, NativeEngine]:
    schema = schema_of(SMALL[name]) if name in SMALL else schemata.load(name)
    prove_order(schema.kernel.program)
    return schema, NativeEngine(schema.kernel, COMPILERS[checked], "ordered")


def native_chart(name: str, n: int, grammar: DRules, checked: bool) -> Chart:
    schema, native = engine(name, checked)
    words = Sentence(("w",) * n)
    return native.run(schema.kernel, words, grammar.for_sentence(words), schemata.Budget())


def totals(chart: Chart, scores: np.ndarray) -> Mapping[str, float]:
    """Return the totals of a chart from its hyperedges, one item after the other."""
    forest, given = chart.forest(), chart.raw.hypothesis_count
    best = dict.fromkeys(range(given), 0.0)
    real = dict.fromkeys(range(given), 1.0)
    roots = dict.fromkeys(range(given), 0)  # sums of dependents
    for item in forest.order:
        for edge in forest.edges_into(item) if item >= given else ():
            weight = sum(scores[h, d] for d, h in edge.links if 1 <= d <= chart.n >= h)
            most = weight + sum(best[tail] for tail in edge.tails)
            best[item] = max(best.get(item, -math.inf), most)
            real[item] = real.get(item, 0.0) + math.exp(weight) * math.prod(real[tail] for tail in edge.tails)
            roots[item] = sum(d for d, _ in edge.links) + sum(roots[tail] for tail in edge.tails)
    whole = chart.n * (chart.n + 1) // 2
    last = {x: scores[0, root] if 1 <= (root := whole - roots[x]) <= chart.n else 0.0 for x in forest.roots}
    total = sum(real[x] * math.exp(last[x]) for x in forest.roots)
    return {
        "viterbi": max((best[x] + last[x] for x in forest.roots), default=-math.inf),
        "real": total,
        "log": math.log(total) if total else -math.inf,
    }


def some_scores(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1.5, (n + 1, n + 1))


def check(name: str, n: int, grammar: DRules, seed: int, checked: bool) -> None:
    schema, _ = engine(name, checked)
    scores = some_scores(n, seed)
    given = Weights(ArcScores(scores))
    plain = schema.run(["w"] * n, grammar, engine="python")
    chart = native_chart(name, n, grammar, checked)
    expected = totals(plain, scores)
    greater = Weights(ArcScores(scores + 50))
    for algebra, value in expected.items():
        native_total(chart, greater, algebra)  # of what it leaves in tables nothing may be seen
        assert native_total(chart, given, algebra) == pytest.approx(value, rel=1e-9)
    if name in SMALL:
        return  # what these derive need not be trees

    def weight_of(heads: tuple[int, ...]) -> float:
        return float(sum(scores[h, d] for d, h in enumerate(heads, start=1)))

    if n < 4:  # derivation by derivation
        trees = [derivation_structure(plain, one) for one in plain.forest().derivations(None)]
        weights = [weight_of(tree.heads) for tree in trees if tree is not None]
        assert expected["real"] == pytest.approx(sum(map(math.exp, weights)))
    found = native_best(chart, given)
    assert (found is None) == (not plain.accepted)
    if found is not None:
        (tree, weight), derivation = found
        trees = plain.forest().trees(None)
        assert tree in trees
        assert weight == pytest.approx(weight_of(tree.heads))
        assert weight == pytest.approx(max(weight_of(tree.heads) for tree in trees))
        assert derivation_structure(chart, derivation) == tree
        for _, node in derivation.walk():
            assert node.edge is None or node.edge in chart.forest().edges_into(node.number)


@pytest.mark.parametrize("name", [*(name for name in NAMES if name != "wgk:k=1"), *SPLIT])
def test_checked_kernels_add_up_all_derivations(name: str) -> None:
    for n in (1, 2, 3):
        check(name, n, DRules.all(), n, checked=True)
    for n, density in ((2, 0.4), (3, 0.3), (3, 0.7)):
        check(name, n, some_links(n, 1, density), 5, checked=True)
    check(name, 2, DRules.from_pairs(()), 1, checked=True)  # nothing is accepted


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.rotated(3)
def test_machine_code_adds_up_all_derivations(name: str) -> None:
    for n in (1, 4, 5):
        check(name, n, DRules.all(), n, checked=False)
        check(name, n, some_links(n, 2), n, checked=False)
    check(name, 3, DRules.from_pairs({(1, 2)}), 1, checked=False)


@pytest.mark.parametrize("name", ["eisner-satta1999", "collins1996"])
def test_charts_of_both_engines_say_the_same(name: str) -> None:
    schema, _ = engine(name, False)
    scores = some_scores(6, 3)
    charts = [schema.run(["w"] * 6, weights=scores, engine=which) for which in ("python", "native")]
    assert native_total(charts[0], charts[0].weights, "log") is None
    assert native_total(charts[1], charts[1].weights, "log") is not None
    for algebra in ALGEBRAS:
        assert charts[0].total(algebra) == pytest.approx(charts[1].total(algebra))
    one, other = (chart.best() for chart in charts)
    assert one == other
    assert one.derivation == other.derivation


def test_what_kernels_do_not_weigh_is_left_to_the_fold() -> None:
    schema, _ = engine("eisner-satta1999", False)
    scores = some_scores(3, 1)
    steps = schema.run("a b c", weights=[scores, {"R-Link": lambda i, k: -1.0}], engine="native")
    assert native_total(steps, steps.weights, "viterbi") is None
    large = schema.run("a b c", weights=scores + 1000, engine="native")
    assert native_total(large, large.weights, "real") is None
    assert native_total(large, large.weights, "log") > 1000


@pytest.mark.parametrize("name", ["eisner-satta1999", "eisner1996", "collins1996", "wg1", "mh"])
@pytest.mark.parametrize("far", [0.0, 1e6, 1e12])
@pytest.mark.rotated(3)
def test_a_single_root(name: str, far: float) -> None:
    """By lowered scores, as over the chart; where some scores are far from others, too, as those that forbid links."""
    (schema, _), grammar = engine(name, False), DRules.all(single_root=True)
    for seed in range(4):
        scores = some_scores(4, seed)
        scores[np.random.default_rng(seed).random((5, 5)) < 0.4] -= far
        charts = [
            schema.run(["w"] * 4, grammar, weights=scores, engine=which) for which in ("python", "native")
        ]
        for algebra in ALGEBRAS if far == 0 else ("viterbi", "log"):
            expected = charts[0].total(algebra)
            found = native_total(charts[1], charts[1].weights, algebra)
            assert charts[1].total(algebra) == pytest.approx(expected)
            assert found == pytest.approx(expected) or (found is None and name == "wg1" and far > 0)
        one, other = (chart.best() for chart in charts)
        assert one.structure == other.structure
        assert one.structure.heads.count(0) == 1
        assert one.weight == pytest.approx(other.weight)
    none = schema.run(
        "a b",
        DRules.from_pairs({(1, 0), (2, 0)}, single_root=True),
        weights=some_scores(2, 1),
        engine="native",
    )
    assert none.total("viterbi") == none.total("log") == -math.inf
    assert none.best() is None


@pytest.mark.parametrize("which", ["python", "native"])
@pytest.mark.parametrize("name", ["eisner-satta1999", "wg1", "nivre2003"])
def test_best_trees_of_many_sentences(name: str, which: Any) -> None:
    schema = schemata.load(name)
    sentences = [["w"] * n for n in (3, 1, 2, 3)]
    weights = [ArcScores(some_scores(len(words), k)) for k, words in enumerate(sentences)]
    grammar = DRules.from_pairs({(1, 0), (2, 1), (1, 2), (2, 0), (3, 2), (3, 1)})
    for links in (None, grammar):
        found = list(schema.best_trees(sentences[:1] * 2, weights[:1] * 2, links, engine=which))
        assert found[0] == found[1]
    found = list(schema.best_trees(sentences, weights, engine=which))
    for words, scores, one in zip(sentences, weights, found, strict=True):
        best = schema.run(words, weights=scores, engine="python").best()
        assert one.structure == best.structure
        assert one.weight == pytest.approx(best.weight)
    none = schema.best_trees([["w"] * 2], [some_scores(2, 1)], DRules.from_pairs(()), engine=which)
    assert list(none) == [None]
    with pytest.raises(UsageError, match="the scores are of"):
        list(schema.best_trees(["a b"], [some_scores(3, 1)]))


def test_weights_that_are_too_small_or_forbidden() -> None:
    """Links with -inf are not built, and sums far from 0 are exact."""
    schema, _ = engine("eisner-satta1999", False)
    scores = some_scores(4, 2)
    scores[0, 1:] = -math.inf
    chart = schema.run("a b c d", weights=scores, engine="native")
    assert chart.total("log") == chart.total("viterbi") == -math.inf
    assert chart.total("real") == 0
    assert chart.best() is None
    scores[0, 2] = -5_000.0
    found = [schema.run("a b c d", weights=scores, engine=e).total("log") for e in ("python", "native")]
    assert found[0] == pytest.approx(found[1])
    assert found[1] < -4_000


def test_rules_over_contexts_are_told_from_others() -> None:
    """A hyperedge is not added for each of its contexts; the maximum does not mind."""
    order = engine("hybrid", False)[1].ordered.order
    assert " = fresh(" in emit_weighing(order, ALGEBRAS["real"])[0]
    assert " = fresh(" not in emit_weighing(order, ALGEBRAS["viterbi"])[0]


@pytest.mark.parametrize("name", ["arc-eager-once", "hybrid", "eisner-satta1999", "collins1996", "wg1"])
def test_a_sentence_knows_nothing_of_another_of_its_length(name: str) -> None:
    """Items that an earlier sentence derives, and links that are forbidden in this one, leave nothing in the tables."""
    schema, random = schemata.load(name), np.random.default_rng(2)
    for number in range(6):
        matrix = random.normal(size=(5, 5)) * 3
        matrix[random.random(matrix.shape) < (0.5 if number % 2 else 0.0)] = -math.inf
        python, native = (
            schema.run(["w"] * 4, weights=ArcScores(matrix), engine=engine) for engine in ("python", "native")
        )
        for semiring in ("log", "viterbi", "real"):
            expected = python.total(semiring)
            assert native.total(semiring) == pytest.approx(expected, rel=1e-9, abs=1e-9), (number, semiring)


@pytest.mark.parametrize("structure", ["set", "dependency graph"])
def test_links_that_make_no_tree_are_what_the_schema_builds(structure: str) -> None:
    """The best structure is a set or a graph in every engine, though one link to node 0 would be a tree as well."""
    text = f"""
    schema reversed-links
      structure {structure}
    hypothesis word[i]  where 0 <= i <= n
    item gap[i: position]  where 0 <= i <= n
    step Init
      word[k]
      ----------
      gap[k]
    step Link
      gap[l + 1]
      ----------  link 1 to l
      gap[l]
    final gap[0]
    """
    schema, scores = schemata.schema(text), ArcScores([[0, 1.5], [0, 0]])
    kept = [schema.run(["w"], weights=scores, engine=engine).k_best(2) for engine in ("python", "native")]
    assert kept[0] == kept[1]
    for engine in ("python", "native"):
        best = schema.run(["w"], weights=scores, engine=engine).best()
        assert best is not None
        assert (best.structure, best.weight) == (kept[0][0].structure, 1.5)
        (many,) = schema.best_trees([["w"]], [scores], engine=engine)
        assert many is not None
        assert many.structure == best.structure
        assert (
            type(best.structure).__name__
            == {"set": "AtomSet", "dependency graph": "DependencyGraph"}[structure]
        )
    with pytest.raises(UsageError, match="does not build unlabelled trees"):
        schema.decoder("viterbi")


def test_scores_are_of_links_alone() -> None:
    """What else a step builds over two positions has no score: it was weighed as a link in a proved order."""
    schema = schemata.schema(
        """
        schema beside
        hypothesis word[i]  where 1 <= i <= n
        item tree[i: position, j: position]  where 1 <= i < j <= n
        step Link
          word[i]   word[j]
          -----------------  builds near(i, j), link j to i
          tree[i, j]
        final tree[1, n]
        """
    )
    scores = np.arange(9.0).reshape(3, 3)
    chart = schema.run("a b", weights=ArcScores(scores), engine="native")
    best = chart.best()
    assert best is not None
    assert chart.total("log") == best.weight == scores[1, 2]
