"""Lemmas 1, 2 and 4 of docs/proofs.md, by brute force: words, profiles, types."""

import itertools
import random
from collections.abc import Iterator

import pytest

from schemata.correctness.closure import Closure
from schemata.correctness.trial import Trial
from schemata.correctness.words import (
    FEATURES,
    Algebra,
    Pattern,
    factorizations,
    gaps_of,
    is_word,
    letters,
    links_of,
    word_of,
)
from tests.correctness.brute_force import Links, crosses, is_live, link_sets, shifted, words

GAPS = range(5)


@pytest.mark.parametrize("gaps", GAPS)
def test_words_are_the_link_sets_that_do_not_cross(gaps: int) -> None:
    """Lemma 1: each set of links that do not cross is one word, and a word that of one set."""
    seen: set[str] = set()
    for links in link_sets(gaps):
        word = word_of(links, 0, gaps)
        assert (word is None) == crosses(links)
        if word is not None:
            assert word not in seen
            assert is_word(word)
            assert gaps_of(word) == gaps
            assert frozenset(links_of(word)) == links
            seen.add(word)


def test_concatenation_joins_forests() -> None:
    """Lemma 1: the word of forests over a..c and c..b together is the concatenation of theirs."""
    for left, right in itertools.product(range(3), repeat=2):
        for one, other in itertools.product(words(left), words(right)):
            together = shifted(one, 0) | shifted(other, left)
            dependents = [dependent for dependent, _ in together]
            if len({*dependents}) == len(dependents):
                assert word_of(together, 0, left + right) == one + other


@pytest.mark.parametrize("gaps", GAPS)
def test_profiles_are_those_of_forests(gaps: int) -> None:
    """Lemma 2: a word is dead where a node between has no head, or on a cycle; a profile says which ends have heads."""
    algebra = Algebra(("end", "many", "first", "last", "two"))
    for word in words(gaps):
        links = frozenset(links_of(word))
        profile = algebra.profile(word)
        assert (profile is not None) == is_live(links, gaps)
        if profile:
            headed = [dependent for dependent, _ in links]
            assert profile[:2] == f"{int(0 in headed)}{int(gaps in headed)}"
            assert profile[2:] == _features(word, links, gaps)
            least, most = algebra.gaps(profile)
            assert least <= gaps
            assert most is None or gaps <= most


def _features(word: str, links: Links, gaps: int) -> str:
    top = [sign for sign, _ in letters(word)]
    free = all(gaps not in link for link in links)
    return "".join([str(int(free)), str(int(len(top) > 1)), top[0], top[-1], str(min(gaps, 2))])


def test_trees_are_words_of_profile_01() -> None:
    """Lemma 2: trees under node 0 are the live words over 0..n in which n has its head within, and 0 none."""
    algebra = Algebra(())
    for n in range(1, 5):
        trees = [word for word in words(n) if algebra.profile(word) == "01"]
        for word in words(n):
            heads = dict(links_of(word))
            is_tree = sorted(heads) == list(range(1, n + 1)) and is_live(frozenset(links_of(word)), n)
            assert (word in trees) == is_tree
        assert len(trees) == [1, 3, 12, 55][n - 1]  # ternary trees: several roots are allowed


PATTERNS: list[set[Pattern]] = [
    {("x", "x"), (("(", ("x",)),), (("[", ("x",)),), (".",)},
    {(("(", ("x", ".", "x")),), (("[", ("x", ".", "x")),)},
    {(".",), ("x", ("(", ("x",))), (("[", ("x",)), "x")},
    {(("(", ("x", ".")),), (("[", (".", "x")),), ("x", "x")},
]


@pytest.mark.parametrize("features", [("end",), ("end", "many"), ("end", "first", "two")])
@pytest.mark.parametrize("patterns", PATTERNS)
def test_types_are_a_congruence(patterns: set[Pattern], features: tuple[str, ...]) -> None:
    """Lemma 4: the type of each word is found by the recurrences, and is that of trying all factorizations."""
    algebra = Algebra(features)
    closure = Closure(algebra, patterns)
    trial = Trial(algebra, patterns)
    types = trial.types(closure.words)  # closed, by trial
    known = {(p, _key(t)): word for p, t, word in zip(types.profiles, types.tables, types.words, strict=True)}
    assert len(known) == len(closure.words)
    for table, other in zip(closure.types.tables, types.tables, strict=True):
        assert table == other
    for word in itertools.chain.from_iterable(words(gaps) for gaps in range(4)):
        profile = algebra.profile(word)
        if profile is not None:
            assert (profile, _key(trial.table(word))) in known


def _key(table: object) -> object:
    assert isinstance(table, dict)
    return frozenset((pattern, frozenset(rows.items())) for pattern, rows in table.items())


def test_a_type_too_few_is_noticed() -> None:
    """Trial refuses words whose types are not closed, whichever is left out."""
    from schemata.correctness.certificate import NotProved

    algebra, patterns = Algebra(("end",)), PATTERNS[1]
    whole = Closure(algebra, patterns).words
    for left_out in range(len(whole)):
        with pytest.raises(NotProved, match="is missing"):
            Trial(algebra, patterns).types([*whole[:left_out], *whole[left_out + 1 :]])


def test_factorizations_give_the_word_back() -> None:
    """Each factorization of random words spells the word, and none is listed twice."""
    rng = random.Random(1)
    for _ in range(200):
        word = rng.choice(words(rng.randrange(5)))
        for pattern in set().union(*PATTERNS):
            found = factorizations(word, pattern)
            assert len(found) == len({*found})
            for parts in found:
                assert _spelt(pattern, iter(parts)) == word


def _spelt(pattern: Pattern, parts: Iterator[str]) -> str:
    closing = {"(": ")", "[": "]"}
    return "".join(
        f"{x[0]}{_spelt(x[1], parts)}{closing[x[0]]}"
        if isinstance(x, tuple)
        else next(parts)
        if x == "x"
        else x
        for x in pattern
    )


def test_features_are_homomorphisms() -> None:
    """The profile of words side by side follows from theirs."""
    algebra = Algebra(tuple(FEATURES))
    for one, other in itertools.product(words(2), words(2)):
        p, q = algebra.profile(one), algebra.profile(other)
        if p is not None and q is not None:
            assert algebra.joined(p, q) == algebra.profile(one + other)
