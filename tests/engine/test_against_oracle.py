"""The shipped schemata against the naive fixpoint: the same items, step instances, derivations and structures."""

import random

import pytest

from schemata import Chart
from schemata.language.library import split_reference
from tests.oracle import naive
from tests.oracle.d_rule_systems import d_rule_system
from tests.oracle.rule_systems import CFG_SYSTEMS, DEPENDENCY_RULE_SYSTEMS, parse_trees, random_cfg
from tests.oracle.rules import (
    DERIVATIONS,
    RuleGrammar,
    analyses,
    analyses_by_brute_force,
    random_dependency_grammar,
)
from tests.oracle.trees import is_tree
from tests.support.charts import D_RULES, Given, facts, oracle_facts, run, shipped, words


def compare(reference: str, n: int, grammar: naive.Grammar, *, forests: bool = True) -> None:
    name, parameters = split_reference(reference)
    chart = run(reference, n, grammar)
    truth = naive.run(d_rule_system(name, **parameters), n, grammar)
    assert facts(chart, forests) == oracle_facts(truth, forests)
    assert chart.step_count == len(truth.instances)
    if not forests:
        return
    forest = chart.forest()
    trees = {t.heads for t in forest.trees(limit=None)}
    assert trees == {heads for heads in naive.trees(truth) if is_tree(heads)}
    count = forest.count_trees()
    assert (count.exact, count.exact + count.others) == (len(trees), len(naive.structures(truth)))
    assert {t.heads for t in forest.trees(limit=None, budget=0)} == trees, "listing lazily differs"


@pytest.mark.parametrize("reference", D_RULES)
@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.rotated(3)
def test_every_grammar(reference: str, n: int) -> None:
    for grammar in naive.all_grammars(n):
        compare(reference, n, grammar)


@pytest.mark.parametrize("reference", D_RULES)
@pytest.mark.rotated(3)
def test_grammars_of_three_words(reference: str) -> None:
    """A sixth of them for each schema; the other schemata have the others."""
    grammars = list(naive.all_grammars(3))
    for grammar in grammars[D_RULES.index(reference) % 6 :: 6]:
        compare(reference, 3, grammar)


@pytest.mark.parametrize("reference", D_RULES)
@pytest.mark.parametrize("n", [4, 5])
def test_random_grammars(reference: str, n: int) -> None:
    rng = random.Random(f"{reference} {n}")
    for density in (0.15, 0.3, 0.5) if n == 4 else (0.2, 0.35):
        compare(reference, n, naive.random_grammar(rng, n, density))


@pytest.mark.parametrize("reference", D_RULES)
def test_all_links(reference: str) -> None:
    compare(reference, 4, naive.all_links(4))


def run_rules(name: str, grammar: RuleGrammar) -> Chart:
    schema = shipped(name)
    given = Given.rules(schema.definition.grammar, grammar)
    return schema.run(words(len(grammar.lexicon)), given, engine="python")


@pytest.mark.parametrize("name", DEPENDENCY_RULE_SYSTEMS)
@pytest.mark.rotated(3)
def test_random_dependency_grammars(name: str) -> None:
    rng = random.Random(name)
    accepted = 0
    for _ in range(60):
        grammar = random_dependency_grammar(rng, rng.randint(1, 4))
        chart = run_rules(name, grammar)
        truth = naive.run(DEPENDENCY_RULE_SYSTEMS[name](), len(grammar.lexicon), grammar)
        assert facts(chart) == oracle_facts(truth)
        expected = analyses_by_brute_force(grammar)
        if (
            name == "kahane1998-published"
        ):  # rules are opened by their own words: no word has a dependent before it
            expected = {x for x in expected if all(h < d for d, h in enumerate(x[0], start=1))}
        assert analyses(truth) == expected
        assert naive.derivations(truth) == sum(map(DERIVATIONS.get(name, lambda _: 1), expected))
        found = {heads for heads, _ in expected}
        assert {t.heads for t in chart.forest().trees(limit=None)} == found
        assert {t.heads for t in chart.forest().trees(limit=None, budget=0)} == found
        assert chart.forest().count_trees().others == 0
        accepted += chart.accepted
    assert accepted > (3 if name == "kahane1998-published" else 10), (
        "the grammars accept too little to tell anything"
    )


@pytest.mark.parametrize("name", CFG_SYSTEMS)
def test_random_context_free_grammars(name: str) -> None:
    rng = random.Random(name)
    accepted = 0
    for _ in range(60):
        grammar = random_cfg(rng, rng.randint(1, 4), normal_form=name == "cyk")
        chart = run_rules(name, grammar)
        assert facts(chart) == oracle_facts(naive.run(CFG_SYSTEMS[name](), len(grammar.lexicon), grammar))
        assert chart.forest().derivation_count == len(parse_trees(grammar))
        accepted += chart.accepted
    assert accepted > 5, "the grammars accept too little to tell anything"


@pytest.mark.parametrize("name", ["bottom-up-earley", "bottom-up-left-corner", "shift-reduce", "top-down"])
def test_context_free_schemata_derive_every_parse_tree_once(name: str) -> None:
    rng = random.Random(name)
    accepted = 0
    for _ in range(60):
        grammar = random_cfg(rng, rng.randint(1, 4), normal_form=False)
        chart = run_rules(name, grammar)
        trees = parse_trees(grammar)
        assert chart.accepted == bool(trees)
        assert chart.forest().derivation_count == len(trees)
        accepted += chart.accepted
    assert accepted > 5, "the grammars accept too little to tell anything"
