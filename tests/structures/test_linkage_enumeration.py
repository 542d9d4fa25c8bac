"""All linkages of a sentence: against brute force over all sets of links, and against known counts."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.errors import BudgetError, UsageError
from schemata.structures import (
    Connector,
    Disjunct,
    Linkage,
    all_linkages,
    check_linkage,
    random_disjuncts,
    random_linkage,
)
from tests.oracle import linkages as oracle
from tests.structures.strategies import sentences, words

# The words of a small dictionary with edge cases; the numbers of linkages are those of link-parser 5.12.
EDGE_CASES = {
    "a": ["A+ B+"],
    "b": ["A- B-"],
    "c": ["C+"],
    "d": ["C-"],
    "e": ["E+"],
    "f": ["E-"],
    "g": ["G+ H+"],
    "h": ["G- I+"],
    "i": ["I- H-"],
    "j": ["@J+", "@J+ K+"],
    "k": ["J-"],
    "l": ["K-", "J-"],
    "m": ["hM+", "dM+"],
    "n": ["dM-"],
    "o": ["hM-"],
    "p": ["P*x+", "Pa+"],
    "q": ["Px-"],
    "r": ["Pax-"],
    "s": ["P-"],
    "twice": ["@A+ @A+"],
    "either": ["@A+ @Ax+"],
    "dog": ["A-"],
}


def as_text(disjunct: Disjunct) -> oracle.Choice:
    return disjunct.word, tuple(map(str, disjunct.left)), tuple(map(str, disjunct.right))


def brute(choices: Sequence[Sequence[Disjunct]]) -> set[tuple[object, frozenset[oracle.Link]]]:
    return {*oracle.linkages([list(map(as_text, of_word)) for of_word in choices])}


def shown(linkage: Linkage) -> tuple[object, frozenset[oracle.Link]]:
    links = frozenset((link.left, link.right, *link.uses) for link in linkage.links)
    return tuple(map(as_text, linkage.disjuncts)), links


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("a b", 0),
        ("e c d f", 0),
        ("e f", 1),
        ("g h i", 1),
        ("j k", 1),
        ("j k k k", 1),
        ("j k k l", 2),
        ("j l", 1),
        ("m n", 1),
        ("m o", 1),
        ("p q", 1),
        ("p r", 2),
        ("p s", 2),
        ("twice dog", 0),
        ("twice dog dog", 1),
        ("twice dog dog dog", 2),
        ("twice dog dog dog dog", 3),
        ("either dog dog dog", 2),
    ],
)
def test_known_counts(sentence: str, count: int) -> None:
    found = sentence.split()
    choices = [words(*EDGE_CASES[word]) for word in found]
    linkages = list(all_linkages(found, choices))
    assert len(set(linkages)) == len(linkages) == count
    assert {shown(linkage) for linkage in linkages} == brute(choices)


@given(sentences())
def test_against_brute_force(sentence: tuple[list[str], list[list[Disjunct]]]) -> None:
    names, choices = sentence
    once = [list({as_text(d): d for d in of_word}.values()) for of_word in choices]
    found = list(all_linkages(names, once))
    assert {shown(linkage) for linkage in found} == brute(once)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_random_sentences_against_brute_force(n: int) -> None:
    cyclic = several = 0
    for seed in range(60 if n < 5 else 25):
        names, choices = random_disjuncts(n, seed, variants=2 if n < 5 else 1)
        found = list(all_linkages(names, choices))
        assert {shown(linkage) for linkage in found} == brute(choices), (n, seed)
        assert len(set(found)) == len(found)
        assert all(check_linkage(linkage).holds for linkage in found)
        cyclic += any(linkage.is_cyclic for linkage in found)
        several += len(found) > 1
    # What is compared must be worth it.
    assert several
    assert cyclic or n < 3


def test_disjuncts_of_different_words_count_twice() -> None:
    (right,) = words("A+")
    nouns = [Disjunct(word, words("A-")[0].left, ()) for word in ("cat.n", "cat.v", "cat.n")]
    found = [linkage.disjuncts[1].word for linkage in all_linkages(["a", "cat"], [[right], nouns])]
    assert found == ["cat.n", "cat.v"]


@given(st.integers(2, 6), st.integers(0, 10**6), st.integers(1, 3))
def test_limits_leave_the_linkages_within_reach(n: int, seed: int, limit: int) -> None:
    def reach(connector: Connector) -> int | None:
        return limit if connector.base == "A" else None

    names, choices = random_disjuncts(n, seed)
    every = list(all_linkages(names, choices))
    found = list(all_linkages(names, choices, reach=reach))
    assert found == [x for x in every if check_linkage(x, reach=reach).holds]
    far = [x for x in every if any(k.label[0] == "A" and k.right - k.left > limit for k in x.links)]
    assert {*found, *far} == {*every}
    assert not {*found} & {*far}


def test_one_word() -> None:
    empty = Disjunct("a", (), ())
    assert list(all_linkages(["a"], [[empty, *words("A+")]])) == [Linkage(["a"], [empty], [])]


@given(st.integers(1, 7), st.integers(0, 10**6))
def test_a_random_linkage_is_found(n: int, seed: int) -> None:
    planted = random_linkage(n, seed)
    assert planted in list(all_linkages(planted.words, [[d] for d in planted.disjuncts]))


def test_a_long_sentence_is_no_error() -> None:
    n = 1500
    inner = words("A- A+")[0]
    chosen = [[words("A+")[0]], *([[inner]] * (n - 2)), [words("A-")[0]]]
    (found,) = all_linkages(["w"] * n, chosen)
    assert len(found.links) == n - 1


def test_effort() -> None:
    names, choices = ["w"] * 9, [words("@A+", "@A-", "@A- @A+")] * 9
    with pytest.raises(BudgetError, match="more than 50 unfinished linkages of 9 words"):
        list(all_linkages(names, choices, effort=50))


@pytest.mark.parametrize(("names", "count"), [([], 0), (["a", "b"], 1)])
def test_misuse(names: list[str], count: int) -> None:
    with pytest.raises(UsageError):
        list(all_linkages(names, [words("A+")] * count))
