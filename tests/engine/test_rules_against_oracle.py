"""Schemata over rules against the naive fixpoint and, for trees, against analyses found by brute force."""

from __future__ import annotations

import functools
import random

import pytest

from schemata.engine.chart import Chart
from schemata.engine.run import Kernel, compile_kernel, run_kernel
from schemata.grammars.rules import Rule, RuleSentenceGrammar, RuleTable
from schemata.language.library import load_schema, shipped_schemata
from schemata.structures import Sentence
from tests.oracle import naive
from tests.oracle.rule_systems import CFG_SYSTEMS, DEPENDENCY_RULE_SYSTEMS, random_cfg
from tests.oracle.rules import RuleGrammar, analyses, analyses_by_brute_force, random_dependency_grammar

DEPENDENCY = [name for name in DEPENDENCY_RULE_SYSTEMS if name in shipped_schemata()]
CONTEXT_FREE = [name for name in CFG_SYSTEMS if name in shipped_schemata()]


@functools.cache
def kernel(name: str) -> Kernel:
    return compile_kernel(load_schema(name))


def run(name: str, grammar: RuleGrammar) -> Chart:
    n = len(grammar.lexicon)
    table = RuleTable(tuple(sorted(Rule(r.category, r.body) for r in grammar.rules)))
    categories = {i: frozenset(c) for i, c in enumerate(grammar.lexicon, start=1)}
    return run_kernel(
        kernel(name), Sentence(("w",) * n), RuleSentenceGrammar(n, table, grammar.starts, categories)
    )


def compare(name: str, chart: Chart, truth: naive.NaiveChart) -> None:
    assert {str(i) for i in chart.items} == set(map(naive.canonical, truth.items))
    assert {str(i) for i in chart.final_items} == set(map(naive.canonical, truth.final_items))
    ours = [
        (
            chart.schema.cases[i.case].step,
            tuple(str(chart.item(x)) for x in i.antecedents),
            str(chart.item(i.consequent)),
            i.links,
        )
        for i in chart.instances()
    ]
    assert len(ours) == len(set(ours)), "a step instance was found twice"
    assert set(ours) == {
        (i.name, tuple(map(naive.canonical, i.antecedents)), naive.canonical(i.consequent), tuple(i.links))
        for i in truth.instances
    }
    assert chart.forest().derivation_count == naive.derivations(truth)
    assert {str(i) for i in chart.forest().useful_items} == set(map(naive.canonical, naive.useful(truth)))


@pytest.mark.parametrize("name", DEPENDENCY)
def test_random_dependency_grammars(name: str) -> None:
    rng = random.Random(name)
    accepted = 0
    for _ in range(60):
        grammar = random_dependency_grammar(rng, rng.randint(1, 4))
        chart = run(name, grammar)
        truth = naive.run(DEPENDENCY_RULE_SYSTEMS[name](), len(grammar.lexicon), grammar)
        compare(name, chart, truth)
        found = {heads for heads, _ in analyses_by_brute_force(grammar)}
        assert {heads for heads, _ in analyses(truth)} == found
        assert {t.heads for t in chart.forest().trees(limit=None)} == found
        assert {t.heads for t in chart.forest().trees(limit=None, budget=0)} == found
        assert chart.forest().count_trees().others == 0
        accepted += chart.accepted
    assert accepted > 10, "the grammars accept too little to tell anything"


@pytest.mark.parametrize("name", CONTEXT_FREE)
def test_random_context_free_grammars(name: str) -> None:
    rng = random.Random(name)
    accepted = 0
    for _ in range(60):
        grammar = random_cfg(rng, rng.randint(1, 4), normal_form=name == "cyk")
        chart = run(name, grammar)
        compare(name, chart, naive.run(CFG_SYSTEMS[name](), len(grammar.lexicon), grammar))
        accepted += chart.accepted
    assert accepted > 5, "the grammars accept too little to tell anything"
