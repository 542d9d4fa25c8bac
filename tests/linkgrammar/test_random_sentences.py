"""The Link Grammar schemata on sentences with random disjuncts: derivations are linkages."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.engine.chart import Chart
from schemata.grammars.link_grammar.sequences import SentenceDisjuncts
from schemata.structures import Sentence
from schemata.structures.generation import all_linkages, random_disjuncts
from schemata.structures.linkages import LengthLimits, Linkage, cheapest_first, read_connector
from tests.linkgrammar.test_counts import UNIQUE
from tests.structures.strategies import disjunct
from tests.support.charts import Given, shipped

PRINTED = "sleator-temperley-printed"


def run(reference: str, disjuncts: SentenceDisjuncts) -> Chart:
    given = Given("link-grammar", disjuncts)
    return shipped(reference).run(Sentence(disjuncts.words), given, engine="python")


def brute(disjuncts: SentenceDisjuncts) -> list[Linkage]:
    return cheapest_first(all_linkages(disjuncts.words, disjuncts.disjuncts))


@st.composite
def sentences(draw: Any) -> SentenceDisjuncts:
    words, disjuncts = random_disjuncts(draw(st.integers(2, 6)), draw(st.integers(0, 10**9)))
    return SentenceDisjuncts(words, disjuncts)


@settings(max_examples=30)
@given(sentences())
def test_each_unique_schema_derives_every_linkage_once(given_: SentenceDisjuncts) -> None:
    expected = brute(given_)
    for name in UNIQUE:
        forest = run(name, given_).forest()
        assert forest.derivation_count == len(expected), name
        assert forest.linkages(None) == expected, name
        count = forest.count_linkages()
        assert (count.exact, count.others) == (len(expected), 0), name


@settings(max_examples=30)
@given(sentences(), st.integers(1, 2), st.sampled_from(["A+", "B+", "C+"]))
def test_no_schema_links_words_farther_apart_than_connectors_reach(
    given_: SentenceDisjuncts, reach: int, limited: str
) -> None:
    connectors = {read_connector(limited), read_connector(limited.replace("+", "-"))}
    limits = LengthLimits(tuple((c, reach) for c in connectors))
    expected = cheapest_first(all_linkages(given_.words, given_.disjuncts, reach=limits.reach))
    for name in UNIQUE:
        forest = run(name, replace(given_, limits=limits)).forest()
        assert forest.linkages(None) == expected, name
        assert forest.derivation_count == len(expected), name


@settings(max_examples=30)
@given(sentences())
def test_the_printed_schema_derives_the_same_linkages(given_: SentenceDisjuncts) -> None:
    expected = brute(given_)
    chart = run(PRINTED, given_)
    assert chart.forest().linkages(None) == expected
    assert chart.forest().derivation_count >= len(expected)
    unique = run(UNIQUE[0], given_)
    assert chart.step_count >= unique.step_count
    assert set(map(str, chart.items)) >= set(map(str, unique.items))


@settings(max_examples=30)
@given(sentences())
def test_acyclic_linkages_are_those_without_cycles(given_: SentenceDisjuncts) -> None:
    expected = [linkage for linkage in brute(given_) if not linkage.is_cyclic]
    for name in ("eisner-lg:acyclic=1", "eisner-satta-lg:acyclic=1"):
        forest = run(name, given_).forest()
        assert forest.linkages(None) == expected, name
        assert forest.derivation_count == len(expected), name


@settings(max_examples=30)
@given(sentences(), st.integers(1, 6))
def test_the_cheapest_linkages_are_found_without_all_of_them(given_: SentenceDisjuncts, limit: int) -> None:
    expected = brute(given_)
    for name in (*UNIQUE, PRINTED):
        found = run(name, given_).forest().linkages(limit, budget=0)
        assert [x.cost for x in found] == [x.cost for x in expected[:limit]], name
        assert len(set(found)) == len(found)
        assert set(found) <= set(expected)


def test_costs_of_disjuncts_of_multi_connectors_alone_count() -> None:
    # No connector of such a disjunct is linked exactly once, so its cost is known last.
    cheap, dear = disjunct("a.c", "@A+", 0.1), disjunct("a.d", "@A+ @B+", 3.0)
    b = disjunct("b", "A-", 1.0)
    b2 = disjunct("b", "B-", 0.0)
    given_ = SentenceDisjuncts(("a", "b", "b"), ((dear, cheap), (b, b2), (b, b2)))
    expected = brute(given_)
    assert [x.cost for x in expected] == [2.1, 4.0]
    for name in UNIQUE:
        assert run(name, given_).forest().linkages(1, budget=0) == expected[:1]


def test_one_word_has_no_linkage() -> None:
    alone = SentenceDisjuncts(("a",), ((disjunct("a", ""), disjunct("a", "A+")),))
    for name in (*UNIQUE, PRINTED):
        chart = run(name, alone)
        # A word by itself is connected and has nothing left to link; only eisner-satta-lg has items of one word.
        assert chart.forest().linkages() == []


def test_a_word_that_links_nothing_is_told_from_others_of_its_form() -> None:
    given_ = SentenceDisjuncts(
        ("x", "z"), ((disjunct("x", "X+"),), (disjunct("z.n", "X-"), disjunct("z.v", "X-", 1.0)))
    )
    for name in UNIQUE:
        chart = run(name, given_)
        assert [d.word for x in chart.forest().linkages() for d in x.disjuncts] == ["x", "z.n", "x", "z.v"]
