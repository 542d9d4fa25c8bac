"""Relations between Link Grammar schemata, decided over a dictionary of everything."""

import pytest

from schemata.engine.run import compile_kernel
from schemata.language.library import load_schema
from schemata.language.relations import load_relation, read_maps
from schemata.relations.decide import decide
from schemata.relations.discovery import decide_claim
from schemata.relations.systems import SharedSystems, ground_system
from schemata.relations.universe import disjuncts_named, label_universe, links_of_codes

BENCH = SharedSystems(rule_length=2)


def decided(name, max_n=3, systems=BENCH):
    (claim,) = load_relation(name).relations
    (answer,) = decide_claim(claim, max_n, systems=systems)
    return answer


@pytest.mark.parametrize("most", [1, 2])
def test_every_word_has_every_disjunct_that_its_place_allows(most):
    for n in range(3):
        words = label_universe(n, most).grammar.disjuncts
        assert len(words) == n + 1
        for position, offered in enumerate(words):
            assert len(set(offered)) == len(offered)
            # Two kinds of connector on each side: 2 ** k sequences of k of them.
            sizes = [
                (left, right)
                for left in range(most + 1)
                for right in range(most + 1 - left)
                if left + right and (position > 0 or not left) and (position < n or not right)
            ]
            assert sorted((len(d.left), len(d.right)) for d in offered) == sorted(
                pair for pair in sizes for _ in range(2 ** sum(pair))
            )


def test_links_between_words_and_what_matches():
    universe = label_universe(1, 1)
    codes = universe.grammar.sequences
    pair = codes.right_codes[0]["w0#1: A+"], codes.left_codes[1]["w1#1: A-"]
    links, facts = links_of_codes(universe, [pair])
    assert links == ((0, 1),)
    assert facts == {("match", 0, 0, 0, 1, 0, 0)}


def test_an_item_speaks_of_the_disjuncts_its_sequences_are_parts_of():
    form = load_schema("eisner-lg").form("span")
    values = (0, 1, "w0#1: . A+", "w1#2: A- .", "", "w1#2: @A+ reversed", False, False)
    assert disjuncts_named(form, values) <= {("disjunct", "w0#1"), ("disjunct", "w1#2")}
    assert ("disjunct", "w0#1") in disjuncts_named(form, values)


def test_the_unique_completer_is_a_static_filter_of_the_printed_one():
    answer = decided("sleator-temperley-printed-sleator-temperley1991")
    assert answer.holds
    backwards = read_maps((), load_schema("sleator-temperley1991"), load_schema("sleator-temperley-printed"))
    refuted = decide(backwards, "static-filter", 3, systems=BENCH)
    assert refuted.holds is False
    assert refuted.counterexample.instance.step == "Completer"


@pytest.mark.parametrize(
    "name", ["eisner-lg", "eisner-satta-lg", "yamada-matsumoto-lg", "sleator-temperley1991"]
)
def test_a_schema_refines_itself(name):
    schema = load_schema(name)
    for kind in ("step-refinement", "static-filter", "dynamic-filter", "step-contraction"):
        assert decide(read_maps((), schema, schema, kind), kind, 2, systems=BENCH).holds


def test_acyclic_linkages_are_a_static_filter():
    """Without the links that close cycles, and without eisner-satta-lg's Combiner+Link (rules of the papers)."""
    for name in ("eisner-lg", "eisner-satta-lg"):
        all_links, acyclic = load_schema(name, {"acyclic": 0}), load_schema(name, {"acyclic": 1})
        relation = read_maps((), all_links, acyclic, "static-filter")
        assert decide(relation, "static-filter", 2, systems=SharedSystems(rule_length=3)).holds
        other = read_maps((), acyclic, all_links, "static-filter")
        assert decide(other, "static-filter", 2, systems=SharedSystems(rule_length=3)).holds is False


@pytest.mark.parametrize("name", ["eisner-lg", "eisner-satta-lg"])
def test_steps_build_what_they_join(name):
    system = ground_system(compile_kernel(load_schema(name)), label_universe(2, 1))
    linking = [g for g in system.grounds if g.links]
    assert linking
    for ground in linking:
        case = system.case_of(ground)
        assert len(ground.links) == len(case.links)
        assert all(left < right for left, right in ground.links)
        assert len({fact for fact in ground.facts if fact[0] == "match"}) == len(ground.links)
