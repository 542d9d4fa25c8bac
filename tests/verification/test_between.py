"""Between which classes of trees a schema lies, against brute force over all trees and definitions of classes."""

import itertools
from collections.abc import Callable
from functools import cache

import pytest

import schemata
from schemata import DRules, verify
from schemata.structures import trees_of_class
from schemata.structures.classes import tree_class
from schemata.verification.trees import ALL_CLASSES
from schemata.verification.verdicts import Between
from tests.oracle import trees as brute
from tests.oracle.trees import Heads
from tests.support.charts import D_RULES


def _within_one_end(heads: Heads) -> bool:
    """Whether the arcs that cross any one arc have an end in common."""
    arcs = brute.arcs(heads)
    for arc in arcs:
        crossed = [set(other) for other in arcs if brute.crossing(arc, other)]
        if crossed and not set.intersection(*crossed):
            return False
    return True


TESTS: dict[str, Callable[[Heads], bool]] = {
    "covington-lsup": lambda heads: heads in brute.covington_lsup(len(heads)),
    "projective": brute.projective,
    "planar": lambda heads: brute.planar(brute.arcs(heads)),
    "2-planar": lambda heads: brute.fits(brute.arcs(heads), 2),
    "3-planar": lambda heads: brute.fits(brute.arcs(heads), 3),
    "well-nested": brute.well_nested,
    "all": lambda heads: True,
    "1ec": _within_one_end,
} | {
    f"{kind}-{k}": test
    for k in (1, 2, 3)
    for kind, test in {
        "gap-degree": lambda heads, k=k: brute.gap_degree(heads) <= k,
        "wg": lambda heads, k=k: brute.gap_degree(heads) <= k and brute.well_nested(heads),
        "mg": lambda heads, k=k: brute.gap_degree(heads) <= k and brute.mildly_ill_nested(heads, k),
    }.items()
}
TESTS.pop("gap-degree-3")  # not among the classes that are told apart


@cache
def members(name: str, n: int) -> frozenset[Heads]:
    """Return the trees of a class with one root, by its definition."""
    return frozenset(heads for heads in brute.all_heads(n) if TESTS[name](heads))


@cache
def own_trees(reference: str, n: int) -> frozenset[Heads]:
    """Return the trees that a schema derives when it runs on each tree's own links, one by one."""
    schema, words = schemata.load(reference), " ".join(f"w{k}" for k in range(1, n + 1))
    found = set()
    for heads in brute.all_heads(n):
        forest = schema.run(words, DRules.from_heads(heads)).forest()
        if heads in {tree.heads for tree in forest.structures(None)}:
            found.add(heads)
    return frozenset(found)


def expected(parsed: list[frozenset[Heads]], sound: bool) -> tuple[set[str], set[str]]:
    """Return the greatest classes below and the smallest ones above, for trees of 1, 2 ... words."""
    lengths = range(1, len(parsed) + 1)
    rows = {name: [members(name, n) for n in lengths] for name in TESTS}

    def inside(one: list[frozenset[Heads]], other: list[frozenset[Heads]]) -> bool:
        return all(a <= b for a, b in zip(one, other, strict=True))

    lower = {name for name, row in rows.items() if inside(row, parsed)}
    upper = {name for name, row in rows.items() if sound and inside(parsed, row)}

    def less(one: str, other: str) -> bool:
        return inside(rows[one], rows[other]) and rows[one] != rows[other]

    return (
        {x for x in lower if not any(less(x, y) for y in lower)},
        {x for x in upper if not any(less(y, x) for y in upper)},
    )


@pytest.mark.parametrize("reference", dict.fromkeys((*D_RULES, "vine", "mcdonald-pereira2006")))
@pytest.mark.rotated(4)
def test_between_classes_of_schemata_over_d_rules(reference: str) -> None:
    """All links of a sentence and each tree's own links tell the same, by definitions of classes of the oracle."""
    found = verify(reference, None, 4)
    assert found.between is not None
    parsed = [own_trees(reference, n) for n in range(1, found.between.to + 1)]
    lower, upper = expected(parsed, found.sound is True)
    assert (set(found.between.lower), set(found.between.upper)) == (lower, upper)
    assert found.between.to == (4 if found.sound else found.between.to) >= 2
    for name in found.parses or ():
        assert name in found.between.lower
        assert name in found.between.upper


@pytest.mark.thorough
@pytest.mark.parametrize("reference", ["attardi2006:d=2", "mh:k=4", "wgk-published:k=2", "mg1", "pitler2013"])
def test_between_classes_to_five_words(reference: str) -> None:
    found = verify(reference, None, 5)
    parsed = [own_trees(reference, n) for n in range(1, 6)]
    lower, upper = expected(parsed, True)
    assert found.between == Between(found.between.lower, found.between.upper, 5)
    assert (set(found.between.lower), set(found.between.upper)) == (lower, upper)


RULES = (
    "bulc", "barbero1998", "dvh1", "dvh2", "dvh3", "head-corner3", "head-corner5", "kahane1998",
    "kahane1998-published", "lombardo-lesmo1996",
)  # fmt: skip


@pytest.mark.parametrize("reference", RULES)
@pytest.mark.rotated(3)
def test_between_classes_of_schemata_over_rules(reference: str) -> None:
    """Each tree's rules give the tree if it is in every class below; some class above has all of them."""
    found = verify(reference, None, 3)
    schema = schemata.load(reference)
    parsed = []
    for n in (1, 2, 3):
        words = [f"w{k}" for k in range(1, n + 1)]
        runs = {
            heads: schema.run(words, f"heads:{','.join(map(str, heads))}") for heads in brute.all_heads(n)
        }
        parsed.append(frozenset(heads for heads, chart in runs.items() if chart.accepted))
    lower, upper = expected(parsed, found.sound is True)
    assert (set(found.between.lower), set(found.between.upper), found.between.to) == (lower, upper, 3)


@pytest.mark.thorough
def test_classes_are_those_of_the_definitions() -> None:
    """The classes that verification knows are those of the oracle, tree by tree, to 5 words."""
    assert set(TESTS) == set(ALL_CLASSES)
    for name, n in itertools.product(ALL_CLASSES, (1, 2, 3, 4, 5)):
        assert {tree.heads for tree in trees_of_class(tree_class(name), n)} == members(name, n), (name, n)


@pytest.mark.thorough
def test_examples_that_papers_speak_of() -> None:
    """All projective trees and nothing outside a class; nothing at all where what is not a tree is derived."""
    found = verify("mh:k=4", None, 6)
    assert found.between == Between(("projective",), ("2-planar",), 6)
    assert found.to_json()["between"] == {"lower": ["projective"], "upper": ["2-planar"], "to": 6}
    assert verify("kahane1998-published", None, 3).between == Between((), ("covington-lsup",), 3)
    unsound = verify("covington2001", None, 3)
    assert unsound.between.upper == ()


def test_an_answer_cut_short_is_none() -> None:
    """Lengths that were not settled refute nothing and establish nothing."""
    cut = verify("attardi2006:d=2", None, 6, budget=schemata.Budget(steps=300))
    assert cut.stopped == "steps"
    assert cut.between is not None
    assert 0 < cut.between.to < 6
    assert cut.between == verify("attardi2006:d=2", None, cut.between.to).between
    assert verify("attardi2006:d=2", None, 6, budget=schemata.Budget(steps=1)).between is None
