"""Thresholds of searches on both sides: what less effort finds is right, and what is not found is not denied."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

import schemata
from schemata import Budget, DependencyRules, LinkGrammar, Sentence
from schemata.analysis.contents import contents
from schemata.constraints.repair import _changes, repair
from schemata.correctness import lengthen
from schemata.correctness.answers import prove
from schemata.correctness.lengthen import Builder, derivations
from schemata.correctness.words import Algebra, gaps_of, links_of
from schemata.grammars.constraint_networks import Network
from schemata.grammars.link_grammar import preparation
from schemata.language.library import load_schema
from schemata.language.relations import read_relation_text
from schemata.order.proof import find_order
from schemata.relations.discovery import field_map, relate_kind
from schemata.relations.mapping import disagreements
from schemata.relations.systems import SharedSystems
from schemata.structures import DependencyTree, tree_class
from schemata.thresholds import POSITIVE, changed
from tests.constraints.test_analyses import SENTENCE, TEXTBOOK
from tests.engine.test_order import CIRCULAR, SPANS, program_of
from tests.thresholds.test_sides import fresh


def test_those_of_which_there_is_one_at_least() -> None:
    for name in POSITIVE:
        with changed(**{name: 1}):
            pass
        with pytest.raises(ValueError, match=f"{name} is at least 1, not 0"), changed(**{name: 0}):
            pass


@pytest.mark.parametrize("most", [1, 7, 8, 9, 100])
def test_words_of_a_circle(most: int) -> None:
    """Eight words show that the steps go round; there is no order on either side."""
    with changed(circle_words=most):
        found = find_order(program_of(f"schema late\n{SPANS}{CIRCULAR['late-pop']}\nfinal span[0, n, _]\n"))
    assert ("helps to derive itself" in str(found.reason)) == (most >= 8)
    assert found.example is not None
    assert "with 8 words" in str(found.example)


@pytest.mark.parametrize("words", range(1, 5))
def test_words_tried_before_a_proof(words: int) -> None:
    """Three words show that covington2001 builds trees that are not projective; before that, nothing is said."""
    with changed(tried_words=words):
        found = prove(fresh("covington2001"), "projective")
    assert (found.sound, found.complete) == (None if words < 3 else False, None)


@pytest.mark.parametrize(
    "most", [*(pytest.param(most, marks=pytest.mark.thorough) for most in (0, 3, 4)), 1, 2]
)
def test_rounds_in_which_layouts_grow(most: int) -> None:
    """Layouts of the model of siblings grow twice; with fewer rounds nothing is proved, and nothing refuted."""
    with changed(layout_rounds=most):
        found = prove(fresh("koo-collins2010-model2"))
    assert {*found.answers.values()} == {None if most < 2 else True}
    assert (found.reason is None) == (most >= 2)


@pytest.mark.parametrize("most", range(2, 6))
def test_licences_that_items_need(most: int) -> None:
    """The spans of arc-eager-once that re closes need four contexts; with fewer it is not known complete."""
    with changed(givens=most):
        found = prove(fresh("arc-eager-once"))
    assert found.answers == {
        "sound": True,
        "complete": True if most > 3 else None,
        "each_once": True if most > 3 else None,
    }
    assert ("need ever more licences" in str(found.reason)) == (most < 4)


@pytest.mark.parametrize("most", [1, 2, 4, 9])
def test_words_of_a_profile(most: int) -> None:
    """A few of each profile and length; a tree that is made of them is missed, however few there are."""
    builder = Builder(Algebra(("end",)))
    sizes = []
    with changed(profile_words=most):
        for gaps in range(7):
            for profile, row in builder.words(gaps).items():
                assert len({*row}) == len(row) <= max(1, most)
                sizes.append(len(row))
                for word in row:
                    assert (gaps_of(word), builder.algebra.profile(word)) == (gaps, profile)
                    assert all(0 <= x <= gaps for link in links_of(word) for x in link)
        heads = prove(fresh("vine")).trees["complete"]
    assert max(sizes) == most
    assert tree_class("projective").contains(DependencyTree(heads))
    assert derivations(fresh("vine"), heads) == 0


@pytest.mark.parametrize("most", [1, 2, 3, 1000])
def test_structures_under_the_grammar_of_one_tree(most: int) -> None:
    """How many derivations a tree has is said only where no other structure is left out of the list."""
    with changed(grammar_structures=most):
        found = lengthen.derivations(fresh("eisner1996-once"), (2, 3, 0))
        absent = lengthen.derivations(fresh("eisner1996-once"), (3, 0, 2, 2))
    assert found == (1 if most > 1 else None)
    assert absent == 0  # of a tree that is not projective


@pytest.mark.parametrize("most", range(4))
def test_rules_of_a_grammar_tried_together(most: int) -> None:
    """One rule refutes the relation; of none there is no counterexample, and the answer says how many were tried."""
    first, second = load_schema("collins1996"), load_schema("head-corner5")
    with changed(rules_tried=most):
        found = relate_kind(first, second, "item-refinement", (), 2, systems=SharedSystems())
    assert found.holds is (most < 1)
    assert any(f"of up to {most} rules" in note for note in found.notes)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("eisner-split", "koo-collins2010-model0", "item-refinement"),
        ("head-corner5", "head-corner3", "item-contraction"),
        ("collins1996", "head-corner5", "item-refinement"),
    ],
)
def test_outcomes_of_derivations(first: str, second: str, kind: Any) -> None:
    """Too few: the search is stopped, and nothing is said of that length."""
    found = []
    for most in (0, 1, 3, 10, 20, 50, 100, 100_000):
        with changed(outcomes=most):
            found.append(
                relate_kind(load_schema(first), load_schema(second), kind, (), 2, systems=SharedSystems())
            )
    whole = found[-1]
    assert whole.stopped is None
    assert (found[0].holds, found[0].stopped, found[0].extent.max_n) == (None, "steps", 0)
    for cut in found:
        assert (cut.holds, cut.extent.max_n) == (whole.holds, whole.extent.max_n) or (
            (cut.holds, cut.stopped) == (None, "steps") and cut.extent.max_n < 2
        )
    assert [x.stopped for x in found] == sorted((x.stopped for x in found), key=lambda x: x is None)


@pytest.mark.parametrize("most", range(1, 4))
def test_words_over_dictionaries(most: int) -> None:
    """In the map of the field relations over dictionaries are examined to fewer words."""
    with changed(linkage_words=most):
        (arrow,) = field_map(2, names=["sleator-temperley-printed-sleator-temperley1991"])
    assert [(x.holds, x.extent.max_n) for x in arrow.answers] == [(True, min(most, 2))]


WRONG_AT_LAST = """relation eisner-satta1999 to eisner1996
kind step-refinement
map tree[i, j, i] to span[i, j, false, true] where i < j
map tree[i, j, j] to span[i, j, true, false] where i < j
map tree[i, j, i] to span[i, j, false, false] where i = 2, j = 3
"""


@pytest.mark.parametrize("most", [1, 3, 8, 17, 1_000])
def test_items_from_which_maps_are_checked(most: int) -> None:
    """Of a sample a fault may be missed; of all sixteen items of three words it is not. What is right has none."""
    wrong, _ = read_relation_text(WRONG_AT_LAST)
    right, _ = read_relation_text("".join(WRONG_AT_LAST.splitlines(keepends=True)[:-1]))
    with changed(mapped_items=most):
        found = [one.code for one in disagreements(wrong)]
        assert not disagreements(right)
    assert found == ["ambiguous-map"] * (most > 16)


@pytest.mark.parametrize("most", [0, 1, 4, 8, 9, 1_000])
def test_pairs_of_values_of_a_repair(most: int) -> None:
    """Two words get other values together where there are not too many pairs: each pair of values once."""
    network = Network(TEXTBOOK, SENTENCE)
    first = repair(network, Budget(steps=0), seed=6).first
    choices = [
        [x for k, x in enumerate(values) if k in left] or values
        for values, left in zip(network.domains, network.consistent, strict=True)
    ]
    others = [len([x for x in row if x != old]) for row, old in zip(choices, first.values, strict=True)]
    for violation in first.violations:
        heads = [first.values[word - 1].head for word in violation.words]
        below = {*violation.words}
        while more := {x for x, one in enumerate(first.values, start=1) if one.head in below} - below:
            below |= more
        words = below | {x for x in heads if x}
        with changed(repair_pairs=most):
            found = list(_changes(network, first, violation, True))
        products = [others[x - 1] * others[y - 1] for x, y in combinations(words, 2)]
        assert len(found) == len({*found}) == sum(x for x in products if x <= most)
    with changed(repair_pairs=most):
        repaired = repair(network, Budget(steps=60), seed=6)
    # Without pairs of words, this start leads nowhere; what is found is the best analysis, or no better than that.
    assert (repaired.best.weight == pytest.approx(0.8)) == (most >= 4)


@pytest.mark.parametrize("most", [0, 1, 2, 5, 100])
def test_derivations_for_extended_trees(most: int) -> None:
    """With fewer than there are, those that are found are some of all, and that is not said to be all."""
    grammar = DependencyRules.from_text("root S\nS(N * N)\nN(*)\nN(* N)\nN(N *)\na : N\nb : S\n")
    chart = schemata.load("dvh1").run("a b a a", grammar)
    (item,) = chart.final_items
    whole = contents(chart, item, None)
    assert whole.complete is True
    with changed(extended_derivations=most):
        found = contents(chart, item, None)
    assert {*found.contents} <= {*whole.contents}
    number = chart.forest().derivation_count
    assert isinstance(number, int)
    assert found.complete is (True if most >= number else None)
    assert len(whole.contents) == 2
    assert len(found.contents) <= most
    assert most < number or found.contents == whole.contents


def test_spare_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of a sentence is kept for the next one up to its size; disjuncts are the same."""
    text = "a: {A-} & {A+}; b: {@A-} & {B+}; c: B- & {@A+} & {C+}; d: (C- or A-) & {A+};"
    sentences = [Sentence(tuple(words)) for words in ("abcd", "aa", "aabbccdda", "dcba", "ad" * 12, "ba")]
    expected = [LinkGrammar.from_text(text).for_sentence(sentence) for sentence in sentences]
    functions = preparation._Functions()
    functions.seconds = 100
    monkeypatch.setattr(preparation, "_functions", lambda: functions)
    kept: list[Any] = []
    own: Callable[..., Any] = preparation.Preparation._workspace

    def workspace(self: preparation.Preparation, units: Any) -> Any:
        kept.append(self._spare)
        return own(self, units)

    monkeypatch.setattr(preparation.Preparation, "_workspace", workspace)
    assert [LinkGrammar.from_text(text).for_sentence(x) for x in sentences] == expected
    sizes = {}
    for most in (0, math.inf):
        grammar = LinkGrammar.from_text(text)
        kept.clear()
        with changed(spare_bytes=most):
            assert [copy.copy(grammar.for_sentence(x)) for x in sentences] == expected
        sizes[most] = [space.memory.nbytes for space in kept if space is not None]
    assert not sizes[0]
    assert sizes[math.inf]
    size = max(sizes[math.inf])
    for most in (size - 1, size):
        grammar = LinkGrammar.from_text(text)
        kept.clear()
        with changed(spare_bytes=most):
            assert [grammar.for_sentence(x) for x in sentences] == expected
        assert max(space.memory.nbytes for space in kept if space is not None) <= most
        assert (size in {space.memory.nbytes for space in kept if space is not None}) == (most == size)
