"""Sets of links that derivations have built, and heads that are waited for, against the definition of a tree."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from schemata import Chart, DRules
from schemata.forest.derivations import list_derivations
from schemata.forest.structures import derivation_structure
from schemata.forest.trees import Building
from schemata.weights.scores import ArcScores
from tests.support.charts import schema_of, shipped

Links = frozenset[tuple[int, int]]

WAITING = """schema waiting
grammar d-rules

# Trees whose head no item names: trees wait for a word to their right or left, or for node 0.
hypothesis word[h]  where 1 <= h <= n
item tree[i: position, j: position]  where 1 <= i <= j <= n
item open[i: position, j: position]  where 1 <= i <= j <= n
item top[j: position]  where j == n
step Word
  word[h]
  ----------  head h
  tree[h, h]
step Wait
  tree[i, j]
  ----------  link head of 1
  open[i, j]
step Join
  open[i, j]   open[j + 1, k]
  ---------------------------
  open[i, k]
step Left
  open[i, j]   tree[j + 1, k]
  ---------------------------
  tree[i, k]
step Right
  tree[i, j]   open[j + 1, k]
  ---------------------------
  tree[i, k]
step Top
  open[1, n]
  ----------  head 0
  top[n]
"""


@cache
def built(n: int, i: int, j: int) -> tuple[list[tuple[Links, int]], list[tuple[Links, frozenset[int]]]]:
    """Return what the derivations of tree[i, j] and of open[i, j] build: links with the head, or with who waits."""
    trees: list[tuple[Links, int]] = [(frozenset(), i)] if i == j else []
    opens: list[tuple[Links, frozenset[int]]] = []
    for k in range(i, j):
        (trees_left, opens_left), (trees_right, opens_right) = built(n, i, k), built(n, k + 1, j)
        for (one, waiting), (other, head) in [
            *itertools.product(opens_left, trees_right),
            *itertools.product(opens_right, trees_left),
        ]:
            trees.append((one | other | {(word, head) for word in waiting}, head))
        for (one, first), (other, second) in itertools.product(opens_left, opens_right):
            opens.append((one | other, first | second))
    opens += [(links, frozenset([head])) for links, head in trees]
    return trees, opens


def derived(n: int, final: str, single_root: bool) -> Iterator[Links]:
    """Yield the links of each derivation, the root's to 0 among them."""
    trees, opens = built(n, 1, n)
    if final == "tree":
        yield from (links | {(head, 0)} for links, head in trees)
        return
    for links, waiting in opens:
        if final == "top" and not (single_root and len(waiting) > 1):
            yield links | {(word, 0) for word in waiting}


def heads_of(links: Links) -> tuple[int, ...]:
    return tuple(head for _, head in sorted(links))


def parsed(n: int, final: str, single_root: bool, scores: list[list[float]] | None = None) -> Chart:
    where = {"tree": "tree[1, n]", "top": "top[n]", "open": "open[1, n]"}[final]
    weights = None if scores is None else ArcScores(np.array(scores))
    return schema_of(f"{WAITING}final {where}\n").run(["w"] * n, DRules.all(single_root), weights=weights)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("final", ["tree", "top", "open"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_trees_whose_heads_are_waited_for(n: int, final: str, single_root: bool) -> None:
    chart = parsed(n, final, single_root)
    truth = Counter(map(heads_of, derived(n, final, single_root)))
    every = [derivation_structure(chart, one) for one in list_derivations(chart.forest(), limit=None)]
    assert Counter(tree.heads for tree in every if tree is not None) == truth
    assert chart.forest().count_trees().exact == len(truth)
    assert [tree.heads for tree in chart.forest().trees(limit=None)] == sorted(truth)


@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("final", ["tree", "top"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_weights_of_trees_whose_heads_are_waited_for(n: int, final: str, single_root: bool) -> None:
    rng = random.Random(f"{n} {final}")
    scores = [[rng.uniform(-2, 2) for _ in range(n + 1)] for _ in range(n + 1)]
    chart = parsed(n, final, single_root, scores)
    every = [
        (sum(scores[h][d] for d, h in links), heads_of(links)) for links in derived(n, final, single_root)
    ]
    assert chart.total("real") == pytest.approx(sum(math.exp(weight) for weight, _ in every))
    several = sorted({tree: weight for weight, tree in every}.items(), key=lambda found: -found[1])
    best = chart.k_best(len(several) + 1)
    assert [one.structure.heads for one in best] == [tree for tree, _ in several]
    assert [one.weight for one in best] == pytest.approx([weight for _, weight in several])


HEADS = """schema heads
grammar d-rules
hypothesis word[i]  where 1 <= i <= n
item one[i: position]  where 1 <= i <= n
item all[i: position]  where i == n
step One
  word[i]
  -------  head {head}
  one[i]
step All
  one[1]   one[2]   one[3]
  ------------------------  {}
  all[n]
final all[n]
"""


@pytest.mark.parametrize(
    ("conditions", "heads"),
    [
        ("link head of 3 to head of 2, attach 2 to 1", (0, 1, 2)),  # the new head is word 1
        ("link head of 2 to head of 1, link head of 3 to head of 1", (0, 1, 1)),
        ("link head of 3 to head of 2, link head of 2 to head of 1", (0, 1, 2)),
        ("link head of 1 to head of 2, link head of 2 to head of 3", (2, 3, 0)),
        ("link head of 2 to head of 1, head 3, attach 1 to 3", (3, 1, 0)),
        ("link head of 2, link head of 1 to head of 2, head 3", (2, 3, 0)),
        ("link head of 1, link head of 2, head 3", (3, 3, 0)),
        ("link head of 1, link head of 2, link head of 3, head 0", (0, 0, 0)),
        ("link head of 1, link head of 2", (3, 3, 0)),  # the head is that of the one that is not attached
        ("link head of 1, link head of 2, link head of 3, head 4", None),  # which no word is
        ("link head of 1, link head of 2, link head of 3, head 0 - 1", None),
        ("link head of 2 to head of 1, link head of 1 to head of 2", None),
        ("link head of 1, link head of 2, link head of 3", None),  # all of them wait
    ],
)
def test_links_go_to_the_heads_that_are_named(conditions: str, heads: tuple[int, ...] | None) -> None:
    assert trees_of(conditions) == ([] if heads is None else [heads])


@pytest.mark.parametrize("head", ["0", "n + 1", "i - 9", "i + 9"])
@pytest.mark.parametrize(
    "conditions", ["link head of 2 to head of 1", "link head of 1", "link head of 1, head 2"]
)
def test_what_is_no_word_has_no_head(conditions: str, head: str) -> None:
    assert trees_of(f"{conditions}, attach 1 to 2, attach 2 to 3", head) == []


def test_heads_that_are_no_words_have_no_part_in_sums() -> None:
    """Of the derivations, one for each head, that with 0 makes a tree."""
    conditions = "link head of 1, attach 2 to 1, attach 3 to 2"
    first, last = HEADS[HEADS.index("step All") : HEADS.index("final")], "final all[n]\n"
    steps = [
        first.replace("All", f"All {k}").format(f"{conditions}, head {head}")
        for k, head in enumerate(["n + 1", "0", "0 - 1"])
    ]
    scores = np.arange(16.0).reshape(4, 4) / 7
    schema = schema_of(HEADS[: HEADS.index("step All")].format(head="i") + "".join(steps) + last)
    chart = schema.run("a b c", weights=ArcScores(scores))
    assert [tree.heads for tree in chart.forest().trees()] == [(0, 1, 2)]
    weight = scores[0, 1] + scores[1, 2] + scores[2, 3]
    assert chart.total("log") == chart.total("viterbi") == pytest.approx(weight)
    assert chart.marginals() == pytest.approx({(1, 0): 1, (2, 1): 1, (3, 2): 1})
    none = schema_of(HEADS.format(conditions, head="n + 1"))
    assert none.run("a b c", weights=ArcScores(scores)).total("real") == 0


def trees_of(conditions: str, head: str = "i") -> list[tuple[int, ...]]:
    chart = schema_of(HEADS.format(conditions, head=head)).run("a b c")
    assert chart.accepted
    return [tree.heads for tree in chart.forest().trees(limit=None)]


def test_sets_of_links_that_are_trees() -> None:
    """All sets of links between three words and node 0, in an order that mixes them: each word has one head, or one
    word has none and is the root, if no other word hangs under 0; no cycles."""
    n = 3
    building = Building.of(shipped("eisner1996").run(["w"] * n))
    every = list(itertools.product(range(1, n + 1), range(n + 1)))
    sets = [links for size in range(n + 2) for links in itertools.combinations(every, size)]
    random.Random(1).shuffle(sets)
    for links in sets:
        bits = sum(building._bit(*link) for link in links)
        assert building.structure(bits) == tree_of(n, links), links
        assert building.structure(bits | building._bit(1, n + 1)) is None  # a link to no word


@pytest.mark.parametrize("name", ["eisner1996", "arc-standard", "mh"])
def test_a_single_root_leaves_the_trees_that_have_one(name: str) -> None:
    every, some = (
        [tree.heads for tree in shipped(name).run("a b c", DRules.all(one)).forest().trees(limit=None)]
        for one in (False, True)
    )
    assert some == [heads for heads in every if heads.count(0) == 1]
    assert 0 < len(some) < len(every)


def tree_of(n: int, links: tuple[tuple[int, int], ...]) -> tuple[int, ...] | None:
    """Return the heads if links are a tree, by the definition."""
    heads = dict(links)
    headless = [word for word in range(1, n + 1) if word not in heads]
    if len(heads) < len(links) or len(headless) > 1 or (headless and 0 in heads.values()):
        return None
    heads |= dict.fromkeys(headless, 0)
    reached = {0}
    for _ in range(n):
        reached |= {word for word, head in heads.items() if head in reached}
    return tuple(heads[word] for word in range(1, n + 1)) if len(reached) == n + 1 else None


SAID = """schema said
structure dependency tree
hypothesis word[i]  where 1 <= i <= n
item all[i: position]  where i == n
step All
  word[n]
  ------------------------  link 1 to 0, link 2 to 1, {}
  all[n]
final all[n]
"""


@pytest.mark.parametrize(
    ("atoms", "shown"),
    [
        ('link 2 to 1 by "x"', ((0, 1), ("", "x"), None, None)),
        ('link 2 to 1 by "x", link 1 to 0 by "y"', ((0, 1), ("y", "x"), None, None)),
        ('link 2 to 1 by "x", link 2 to 1 by "y"', None),
        ('builds tag(1, "N"), builds tag(2, "V")', ((0, 1), None, ("N", "V"), None)),
        ('builds tag(1, "N"), builds tag(1, "V")', None),
        ('builds tag(1, "N"), builds tag(1, "N")', ((0, 1), None, ("N", ""), None)),
        (
            'builds feature(2, "Case=Nom"), builds feature(2, "Number=Sing")',
            ((0, 1), None, None, ("", "Case=Nom|Number=Sing")),
        ),
        ('builds feature(2, "Case=Nom"), builds feature(2, "Case=Acc")', None),
        ('builds tag(3, "N")', None),  # which no word is
        ('builds tag(0, "N")', None),
    ],
)
def test_words_with_two_labels_tags_or_values_of_a_feature(atoms: str, shown: object) -> None:
    chart = schema_of(SAID.format(atoms)).run("a b")
    assert chart.accepted
    trees = chart.forest().trees(limit=None)
    assert [(t.heads, t.labels, t.tags, t.features) for t in trees] == ([] if shown is None else [shown])
    assert chart.forest().count_trees().exact == (shown is not None)
