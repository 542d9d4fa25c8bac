"""The naive rule-based systems against brute force and the derivation counts that are known about them."""

import os
import random
from collections.abc import Iterator
from math import comb, prod

import pytest

from tests.oracle import trees as brute
from tests.oracle.naive import Derived, Instance, NaiveChart, System, canonical, derivations, run, useful
from tests.oracle.rule_systems import (
    CFG_SYSTEMS,
    DEPENDENCY_RULE_SYSTEMS,
    bulc,
    earley,
    kahane1998,
    lombardo_lesmo1996,
    parse_trees,
    random_cfg,
)
from tests.oracle.rules import (
    HEAD,
    Analysis,
    Rule,
    RuleGrammar,
    analyses,
    analyses_by_brute_force,
    dependency_grammar,
    heads_rules,
    random_dependency_grammar,
)

LONG = bool(os.environ.get("SCHEMATA_LONG"))
SENTENCES = 4000 if LONG else 60


def parse(system: System[RuleGrammar], grammar: RuleGrammar) -> NaiveChart:
    return run(system, len(grammar.lexicon), grammar)


def interleavings(found: Analysis) -> int:
    """Return the product over the words of C(l+r, l): how Left and Right can alternate."""
    sides = [(rule.body.index(HEAD), len(rule.body)) for rule in found[1]]
    return prod(comb(size - 1, left) for left, size in sides)


def bracketings(found: Analysis) -> int:
    """Return the product over the words of Catalan(m-1), m the number of symbols of the word's rule."""
    sizes = [len(rule.body) for rule in found[1]]
    return prod(comb(2 * (m - 1), m - 1) // m for m in sizes)


DERIVATIONS = {"head-corner5": interleavings, "head-corner3": interleavings, "dvh1": bracketings}


def test_text_of_items() -> None:
    grammar = dependency_grammar("A(B ^ C), B(^), C(^)", "A", ["B", "A", "C"])
    texts = {
        name: {canonical(item) for item in parse(make(), grammar).items}
        for name, make in DEPENDENCY_RULE_SYSTEMS.items()
    }
    assert {"edge[A(B . ^ C), 1, 1]", "edge[root(. A), 1, 0]", "edge[root(A .), 1, 3]"} <= texts["kahane1998"]
    assert {"edge[A(B . ^ . C), 2, 2, 2]", "edge[A(. B ^ C .), 1, 3, 2]"} <= texts["head-corner5"]
    assert {"edge[A(B . ^ C .), 2, 3]", "edge[A(. B . ^ C), 1, 1]"} <= texts["dvh1"]


def test_analyses_of_every_system_and_their_derivations() -> None:
    rng = random.Random(7)
    accepted = found = 0
    for _ in range(SENTENCES):
        grammar = random_dependency_grammar(rng, rng.randint(1, 5))
        expected = analyses_by_brute_force(grammar)
        accepted += bool(expected)
        found += len(expected)
        for name, make in DEPENDENCY_RULE_SYSTEMS.items():
            chart = parse(make(), grammar)
            assert chart.accepted == bool(expected), (name, grammar)
            assert analyses(chart) == expected, (name, grammar)
            count = DERIVATIONS.get(name, lambda _analysis: 1)
            assert derivations(chart) == sum(map(count, expected)), (name, grammar)
    assert accepted > SENTENCES / 4
    assert found > SENTENCES / 2


@pytest.mark.parametrize("name", DEPENDENCY_RULE_SYSTEMS)
def test_grammar_of_one_tree_has_that_tree_only(name: str) -> None:
    for n in range(1, 5):
        for heads in brute.projective_trees(n):
            chart = parse(DEPENDENCY_RULE_SYSTEMS[name](), heads_rules(heads))
            assert {tree for tree, _ in analyses(chart)} == {heads}
        for heads in set(brute.trees_under_zero(n, single_root=True)) - set(brute.projective_trees(n)):
            assert not parse(DEPENDENCY_RULE_SYSTEMS[name](), heads_rules(heads)).accepted


def test_kahane_without_the_root_initter_accepts_nothing() -> None:
    kahane = kahane1998()

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Iterator[Instance]:
        return (i for i in kahane.steps(n, grammar, derived) if "root" not in canonical(i.consequent))

    grammar = heads_rules((2, 0))
    assert parse(kahane, grammar).accepted
    assert not parse(System("", kahane.hypotheses, steps, kahane.final, kahane.where), grammar).accepted


def test_opening_rules_by_their_own_word_only_is_incomplete() -> None:
    corner = bulc()

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Iterator[Instance]:
        return (i for i in corner.steps(n, grammar, derived) if i.name != "LC-complete")

    grammar = dependency_grammar("A(^), A(A ^)", "A", ["A", "A"])
    assert parse(corner, grammar).accepted
    assert not parse(System("", corner.hypotheses, steps, corner.final, corner.where), grammar).accepted


def test_left_recursive_predictor_is_dropped() -> None:
    grammar = dependency_grammar("A(A ^), A(^)", "A", ["A"])
    chart = parse(lombardo_lesmo1996(), grammar)
    predicted = [i for i in chart.instances if i.name == "Predictor"]
    assert all(i.consequent not in i.antecedents for i in predicted)
    assert {canonical(i.antecedents[0]) for i in predicted} == {
        "edge[root(. A), 1, 0]",
        "edge[A(. A ^), 1, 0]",
    }
    assert derivations(chart) == 1


# ------------------------------------------------------------------------------------- context-free grammars


def test_cfg_parsers_find_every_parse_tree_once() -> None:
    rng = random.Random(11)
    accepted = 0
    for at in range(SENTENCES):
        grammar = random_cfg(rng, rng.randint(1, 5), normal_form=at % 2 == 0)
        expected = len(parse_trees(grammar))
        accepted += bool(expected)
        for name, make in CFG_SYSTEMS.items():
            if name != "cyk" or at % 2 == 0:
                assert derivations(parse(make(), grammar)) == expected, (name, grammar)
    assert accepted > SENTENCES / 10


def test_cyclic_forest_is_infinite() -> None:
    rules = frozenset({Rule("S", ("A",)), Rule("A", ("S",)), Rule("A", ("a",))})
    chart = parse(earley(), RuleGrammar(rules, frozenset({"S"}), (frozenset({"a"}),)))
    assert chart.accepted
    assert derivations(chart) == "infinite"
    assert len(useful(chart)) == len(chart.items)


def test_earley_takes_empty_bodies() -> None:
    rules = frozenset({Rule("S", ("E", "a", "E")), Rule("E", ())})
    chart = parse(earley(), RuleGrammar(rules, frozenset({"S"}), (frozenset({"a"}),)))
    assert derivations(chart) == 1
    assert "edge[E(.), 1, 0]" in {canonical(item) for item in chart.items}
