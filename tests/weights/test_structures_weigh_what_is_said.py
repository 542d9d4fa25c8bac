"""The weight of each structure that is returned is its score, at every length and on each side of every size."""

from typing import Any

import numpy as np
import pytest

from schemata import ArcScores, Facts
from schemata.errors import UsageError
from schemata.language.shipped import shipped_schemata
from schemata.structures import DependencyTree
from schemata.thresholds import WAYS
from schemata.weights.semiring import require_built, require_weight, semiring_of
from tests.support.charts import schema_of, shipped

LONG = ("eisner1996", "eisner-split", "eisner-satta1999", "mh", "wg1")  # natively to 12 words
SHORT = {"wg1": 6, "mg1": 5, "pitler2013": 4, "wg1-unlexicalised": 4, "mgk": 4, "wgk": 4, "wgk-published": 4}
NAMES = [
    name
    for name in sorted(shipped_schemata())
    if (schema := shipped(name).definition).grammar == "d-rules"
    and schema.builds_links
    and "labelled" not in name
]


def lengths(name: str, engine: str) -> range:
    if engine == "native":
        return range(1, 13 if name != "wg1" else 10)
    graphs = shipped(name).definition.structure != "dependency tree"
    return range(1, (3 if graphs else SHORT.get(name, 5)) + 1)


def score(structure: Any, matrix: np.ndarray) -> float:
    if isinstance(structure, DependencyTree):
        return sum(float(matrix[h, d]) for d, h in enumerate(structure.heads, start=1))
    return sum(float(matrix[h, d]) for d, h, *_ in structure.links)


@pytest.mark.parametrize(
    ("name", "engine"), [*((x, "python") for x in NAMES), *((x, "native") for x in LONG)]
)
@pytest.mark.rotated(4)
def test_best_trees_weigh_their_links(name: str, engine: Any) -> None:
    """Whether or not tables are kept, which are asked for again and again where they are not."""
    for n in lengths(name, engine):
        matrix = np.random.default_rng(n).normal(0, 1, (n + 1, n + 1))
        for largest in (0, 1 << 24) if engine == "native" else (0,):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(WAYS, "kept_bytes", largest)
                chart = shipped(name).run(["w"] * n, weights=ArcScores(matrix), engine=engine)
                found = chart.k_best(3) if engine == "python" else [chart.best()]
            for one in found:
                assert one.weight == pytest.approx(score(one.structure, matrix), abs=1e-9)


@pytest.mark.parametrize("largest", [0, 1 << 24], ids=["no tables kept", "tables kept"])
def test_best_trees_of_many_sentences(largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WAYS, "kept_bytes", largest)
    rng = np.random.default_rng(3)
    for name in ("eisner1996", "wg1", "mh:k=4", "collins1996"):
        matrices = [rng.normal(0, 1, (n + 1, n + 1)) for n in (3, 5, 4, 5, 3)]
        sentences = [["w"] * (len(matrix) - 1) for matrix in matrices]
        trees = shipped(name).best_trees(sentences, matrices, engine="native")
        for matrix, found in zip(matrices, trees, strict=True):
            assert found.weight == pytest.approx(score(found.structure, matrix))


def test_wg1_of_fifteen_words() -> None:
    """Its tables of weights take more than is kept."""
    matrix = np.random.default_rng(1).normal(0, 1, (16, 16))
    found = shipped("wg1").run(["w"] * 15, weights=ArcScores(matrix), engine="native").best()
    assert found.weight == pytest.approx(score(found.structure, matrix))
    assert 0 < sum(h == 0 for h in found.structure.heads) < 15


def test_a_wrong_weight_is_not_returned() -> None:
    require_weight(3.0, [1.0, 2.0])
    with pytest.raises(AssertionError, match="it weighs 3"):
        require_weight(3.1, [1.0, 2.0])
    require_built(True, "a tree")
    with pytest.raises(AssertionError, match="does not build: a tree"):
        require_built(False, "a tree")


CHAIN = """schema chain
hypothesis word[i] where 1 <= i <= n
item span[i: position, j: position] where 1 <= i <= j <= n
item done[i: position] where i == n
step One
  word[i]
  ----------
  span[i, i]
step Two
  span[i, j] span[j + 1, k]
  -------------------------  attach j to j + 1
  span[i, k]
step Root
  span[1, n]
  ----------  attach n to 0{more}
  done[n]
final done[n]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("more", ["", ", attach 1 to 2"])
def test_a_link_that_is_built_twice_weighs_twice(engine: Any, more: str) -> None:
    matrix = np.random.default_rng(1).normal(0, 1, (4, 4))
    chart = schema_of(CHAIN.format(more=more)).run("a b c", weights=ArcScores(matrix), engine=engine)
    expected = matrix[2, 1] * (2 if more else 1) + matrix[3, 2] + matrix[0, 3]
    for one in (chart.best(), chart.k_best(3)[0], chart.sample(1, distinct=True)[0]):
        assert one.structure.heads == (2, 3, 0)
        assert one.weight == pytest.approx(expected)
    assert chart.total("viterbi") == pytest.approx(expected)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_root_that_nothing_links_beside_a_link_that_is_built_twice(engine: Any) -> None:
    """The dependents of the links sum up to more than those of a tree: they do not say which word is the root."""
    text = CHAIN.format(more="").replace("attach n to 0", "attach 1 to 2")
    matrix = np.random.default_rng(1).normal(0, 1, (4, 4))
    chart = schema_of(text).run("a b c", weights=ArcScores(matrix), engine=engine)
    for ask in (chart.best, lambda: chart.k_best(3), lambda: chart.total("viterbi")):
        with pytest.raises(UsageError, match="build a link twice"):
            ask()
    matrix[0, 1:] = 0.25
    chart = schema_of(text).run("a b c", weights=ArcScores(matrix), engine=engine)
    expected = 2 * matrix[2, 1] + matrix[3, 2] + 0.25
    assert chart.best().weight == pytest.approx(expected)
    assert chart.total("viterbi") == pytest.approx(expected)


NEVER = """schema never
hypothesis word[i]  where 1 <= i <= n
item tree[i: position, j: position]  where 1 < i <= j <= n
step Step
  word[i]
  ----------  attach j to j
  tree[j, i]
final tree[n, n]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_steps_that_never_apply(engine: Any) -> None:
    """No word is its own head, so that no order has the step, while the way down the best derivation does."""
    chart = schema_of(NEVER).run("a", weights=ArcScores(np.zeros((2, 2))), engine=engine)
    assert chart.best() is None
    assert chart.total("log") == -np.inf


@pytest.mark.parametrize("engine", ["python", "native"])
def test_final_hypotheses_are_derivations(engine: Any) -> None:
    """Nothing is built of them, but each is one."""
    text = """schema given
hypothesis item[p] where 1 <= p <= n
item item[i: position] where i <= n
step Up
  item[i]
  -------  i > 1
  item[i + 1]
final item[_]
"""
    chart = schema_of(text).run("a b", engine=engine)
    assert [one.weight for one in chart.k_best(5)] == [0.0, 0.0]
    assert chart.best().weight == chart.total("viterbi") == 0.0


LOOSE = """schema loose
hypothesis word[i]  where 1 <= i <= n
item gap[i: position, j: position]
step To gap
  word[i]
  ----------  attach i to i - 1
  gap[i, n]
final gap[_, n]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_loose_word_beside_a_root_makes_no_tree(engine: Any) -> None:
    """One item hangs word 1 under 0 and leaves word 2 alone: only the other one, 1 <- 2, is a tree."""
    for seed in range(5):
        matrix = np.random.default_rng(seed).normal(0, 1, (3, 3))
        best = schema_of(LOOSE).run("a b", weights=ArcScores(matrix), engine=engine).best()
        assert best.structure.heads == (0, 1)
        assert best.weight == pytest.approx(matrix[0, 1] + matrix[1, 2])


@pytest.mark.parametrize(
    "link", ["i - 3 to i", "i + 1 to i", "i + 2 to i", "i to i + 9", "i to i - 1", "i + 99 to i"]
)
def test_links_beyond_the_sentence_weigh_nothing(link: str) -> None:
    text = CHAIN.replace("{more}", "").replace(
        "  ----------\n  span[i, i]", f"  ----------  link {link}\n  span[i, i]"
    )
    matrix = np.random.default_rng(1).normal(0, 1, (4, 4))
    charts = [
        schema_of(text).run("a b c", weights=ArcScores(matrix), engine=engine)
        for engine in ("python", "native")
    ]
    assert charts[0].total("viterbi") == pytest.approx(charts[1].total("viterbi"))
    assert charts[0].best() == charts[1].best()


EITHER = """schema either
hypothesis word[i]  where 1 <= i <= n
item pair[i: position, j: position]
step Link
  case right
    word[i]   word[i + 1]
    ---------------------  attach i to i + 1
    pair[i, i + 1]
  case left
    word[i]   word[i + 1]
    ---------------------  attach i + 1 to i
    pair[i, i + 1]
  case both
    word[i]   word[i + 1]
    ---------------------  attach i + 1 to i, attach i to 0
    pair[i, i + 1]
final pair[1, n]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_roots_that_an_item_does_not_tell(engine: Any) -> None:
    """A word is the root as probably as it has no head; no score of a root is weighed twice."""
    matrix = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.7], [0.0, -0.4, 0.0]])
    schema = schema_of(EITHER.partition("  case both")[0] + "final pair[1, n]\n")
    for of_roots in (0.0, 1.5):
        matrix[0, 1:] = of_roots
        chart = schema.run("a b", weights=ArcScores(matrix), engine=engine)
        whole = np.exp(-0.4) + np.exp(0.7)
        assert chart.total("log") == pytest.approx(np.log(whole) + of_roots)
        shares = {(1, 2): np.exp(-0.4), (2, 0): np.exp(-0.4), (2, 1): np.exp(0.7), (1, 0): np.exp(0.7)}
        assert chart.marginals() == pytest.approx({link: share / whole for link, share in shares.items()})
        assert chart.best().weight == pytest.approx(0.7 + of_roots)
    chart = schema_of(EITHER).run("a b", weights=ArcScores(matrix), engine=engine)
    with pytest.raises(UsageError, match="different roots"):
        chart.best()
    matrix[0, 1:] = 0.0
    chart = schema_of(EITHER).run("a b", weights=ArcScores(matrix), engine=engine)
    assert chart.best().weight == pytest.approx(0.7)


TWO_WRITINGS = """schema writings
hypothesis word[i]  where 0 <= i <= n + 1
item gap[i: position, j: position]  where 0 <= i <= n + 1, 0 <= j <= n + 1
normal form
  gap[i, j] = gap[i - 1, j] if j == i - 1
step Start
  ----------  z in [1..n]
  gap[z, z]
step Link
  ----------  attach i to j, i < j
  gap[i, i]
final gap[_, n]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_final_item_with_two_final_writings_counts_once(engine: Any) -> None:
    """gap[n + 1, n] is gap[n, n], and both are final."""
    for n in (1, 2, 3):
        matrix = np.zeros((n + 1, n + 1))
        chart = schema_of(TWO_WRITINGS).run(["w"] * n, weights=ArcScores(matrix), engine=engine)
        assert chart.weighing._total(semiring_of("real")) == pytest.approx(1.0)


CASES_OF_FORMS = """schema forms
  grammar facts
relation of(a: word, b: symbol)
item leaf[i: position, A: symbol]
item node[i: position, A: symbol]
step Leaf
  ---------  of(i, A)
  leaf[i, A]
step Node
  case one
    leaf[i, A]
    ----------  of(i, A)
    node[i, A]
  case other
    node[i, A]
    ----------  of(i, B), A != B
    node[i, B]
final node[1, _]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_cases_from_items_of_different_forms(engine: Any) -> None:
    """Both weigh, and no instance of one is read as one of the other: the closed sum of two equations."""
    facts = Facts.from_text("of(w, X) [.5]\nof(w, Y) [.25]\n")
    chart = schema_of(CASES_OF_FORMS).run("w", facts, engine=engine)
    x, y = 0.25, 0.0625  # leaf and node each weigh the fact
    # X = x + .5 Y, Y = y + .25 X
    node_x = (x + 0.5 * y) / (1 - 0.125)
    assert chart.total("real") == pytest.approx(node_x + y + 0.25 * node_x)
