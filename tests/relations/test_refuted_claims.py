"""Claims of the literature that do not hold as they are stated: what exactly stands in their way.

Each is refuted by something small. Here it is taken away, by a variant of one of the schemata, and the rest holds.
"""

from functools import cache
from pathlib import Path

import pytest

from schemata.language.library import load_schema
from schemata.language.relations import load_relation
from schemata.relations.discovery import decide_claim, relate_kind
from schemata.relations.systems import SharedSystems

VARIANTS = Path(__file__).parent / "variants"


@cache
def _systems(connectors: int) -> SharedSystems:
    """Return what all tests share that go as far as so many connectors of a disjunct."""
    return SharedSystems(rule_length=connectors + 1)


def _claim(name: str):
    (claim,) = load_relation(name).relations
    return claim


@pytest.mark.parametrize(
    ("name", "item"),
    [("eisner-satta-lg-eisner-lg", "span[0, 0"), ("yamada-matsumoto-lg-eisner-lg", "span[0, 2")],
)
def test_as_stated_the_claims_about_link_grammar_fail_at_one_word(name, item):
    """eisner-satta-lg has items of one word, which are no hypotheses; yamada-matsumoto-lg those of the dummy."""
    (answer,) = decide_claim(_claim(name), 2, systems=_systems(1))
    assert answer.holds is False
    assert answer.counterexample.n == 1
    assert item in answer.counterexample.reason


@pytest.mark.parametrize("name", ["eisner-satta-lg-words", "yamada-matsumoto-lg-loose"])
@pytest.mark.parametrize(("connectors", "words"), [(1, 3), (2, 2)])
def test_the_rest_of_the_claims_about_link_grammar_holds(name, connectors, words):
    (claim,) = load_relation(VARIANTS / f"{name}.relation").relations
    (answer,) = decide_claim(claim, words, systems=_systems(connectors))
    assert answer.holds
    assert answer.extent.max_n == words
    ways = {(w.step, way.steps) for w in answer.witnesses for way in w.ways}
    if name == "yamada-matsumoto-lg-loose":
        assert ("L-Link", ("Link", "Combiner")) in ways
        assert ("R-Link", ("Link", "Combiner")) in ways
        assert connectors == 1 or ("LR-Link", ("Link", "Link", "Combiner")) in ways
    else:
        assert ("Link", ("Initter", "Link")) in ways
        assert not any("Word" in steps for step, steps in ways if step != "Initter")


@pytest.mark.parametrize(("variant", "holds"), [("words", False), ("unlinked", True)])
@pytest.mark.thorough
def test_eisner_lg_combines_what_is_linked_or_short_which_eisner_satta_lg_does_not_ask(variant, holds):
    """At 3 words with two connectors in a disjunct: the condition `D1 or j == i + 1` of eisner-lg's Combiner."""
    (claim,) = load_relation(VARIANTS / f"eisner-satta-lg-{variant}.relation").relations
    (answer,) = decide_claim(claim, 3, systems=_systems(2))
    assert answer.holds is holds
    assert holds or answer.counterexample.instance.step == "Link"


@pytest.mark.parametrize(
    ("name", "left_out", "connectors", "reason"),
    [
        ("yamada-matsumoto-lg", ", _", 1, "are both carried to"),
        ("plain", "", 2, "which no step of eisner-lg-end makes"),
    ],
)
def test_flags_alone_bar_the_claim_about_yamada_matsumoto_lg(name, left_out, connectors, reason):
    """Its own flag makes two items of one; and what LR-Link makes hangs together, which an item does not tell."""
    first = load_schema(str(VARIANTS / "yamada-matsumoto-lg-plain.schema") if name == "plain" else name)
    second = load_schema(str(VARIANTS / "eisner-lg-end.schema"))
    carried = f"span[i, j, R, L, a, b{left_out}] to span[i, j, R, L, a, b, false, false]"
    answer = relate_kind(first, second, "step-refinement", [carried], 2, systems=_systems(connectors))
    assert answer.holds is False
    assert reason in answer.counterexample.reason


def test_predictions_behind_the_last_word_are_all_that_bars_the_filter():
    kahane, whole = load_schema("kahane1998"), load_schema("lombardo-lesmo1996")
    within = load_schema(str(VARIANTS / "lombardo-lesmo-within.schema"))
    systems = SharedSystems()
    assert relate_kind(kahane, whole, "dynamic-filter", (), 3, systems=systems).holds is False
    assert relate_kind(kahane, within, "dynamic-filter", (), 4, systems=systems).holds
    assert relate_kind(kahane, within, "static-filter", (), 2, systems=systems).holds is False
