"""The engine against the naive fixpoint: the same items, step instances, derivations and structures."""

from __future__ import annotations

import functools
import math
import random

import pytest

from schemata.engine.chart import Chart
from schemata.engine.run import Kernel, compile_kernel, run_kernel
from schemata.grammars import DRules
from schemata.language.library import load_schema
from schemata.structures import Sentence
from tests.oracle import naive
from tests.oracle.d_rule_systems import d_rule_system
from tests.oracle.trees import is_tree

SCHEMATA = [
    ("collins1996", {}),
    ("eisner1996", {}),
    ("eisner1996", {"end": 1}),
    ("eisner-satta1999", {}),
    ("generalised-eisner-satta", {}),
    ("yamada-matsumoto2003", {}),
    ("nivre2003", {}),
    ("covington-lsup", {}),
    ("mh", {"k": 3}),
    ("mh", {"k": 4}),
    ("attardi2006", {"d": 1}),
    ("attardi2006", {"d": 2}),
    ("attardi-unbounded", {}),
    ("covington2001", {}),
    ("arc-standard", {}),
    ("arc-standard-hook", {}),
    ("arc-eager", {}),
    ("arc-eager-published", {}),
    ("hybrid", {}),
    ("wg1", {}),
    ("wg1-unlexicalised", {}),
    ("mg1", {}),
    ("wgk", {"k": 1}),
    ("wgk", {"k": 2}),
    ("wgk-published", {"k": 2}),
    ("mgk", {"k": 1}),
    ("mgk", {"k": 2}),
]
IDS = [name + "".join(f"-{k}{v}" for k, v in parameters.items()) for name, parameters in SCHEMATA]


@functools.cache
def kernel(name: str, parameters: tuple[tuple[str, int], ...]) -> Kernel:
    return compile_kernel(load_schema(name, dict(parameters)))


def run(name: str, parameters: dict[str, int], n: int, grammar: naive.Grammar) -> Chart:
    sentence = Sentence(("w",) * n)
    rules = DRules.from_pairs(grammar).for_sentence(sentence)
    return run_kernel(kernel(name, tuple(parameters.items())), sentence, rules)


def engine_instances(chart: Chart) -> set[tuple[str, tuple[str, ...], str, tuple[tuple[int, int], ...]]]:
    found = []
    for instance in chart.instances():
        step = chart.schema.cases[instance.case].step
        antecedents = tuple(str(chart.item(x)) for x in instance.antecedents)
        found.append((step, antecedents, str(chart.item(instance.consequent)), instance.links))
    assert len(found) == len(set(found)), "a step instance was found twice"
    return set(found)


def oracle_instances(
    chart: naive.NaiveChart,
) -> set[tuple[str, tuple[str, ...], str, tuple[tuple[int, int], ...]]]:
    show = naive.canonical
    return {
        (i.name, tuple(map(show, i.antecedents)), show(i.consequent), tuple(i.links)) for i in chart.instances
    }


def compare(
    name: str, parameters: dict[str, int], n: int, grammar: naive.Grammar, *, forests: bool = True
) -> None:
    ours = run(name, parameters, n, grammar)
    truth = naive.run(d_rule_system(name, **parameters), n, grammar)
    assert {str(i) for i in ours.items} == set(map(naive.canonical, truth.items))
    assert {str(i) for i in ours.hypotheses} == set(map(naive.canonical, truth.hypotheses))
    assert {str(i) for i in ours.final_items} == set(map(naive.canonical, truth.final_items))
    assert engine_instances(ours) == oracle_instances(truth)
    assert ours.step_count == len(truth.instances)
    if not forests:
        return
    forest = ours.forest()
    derivations = forest.derivation_count
    assert ("infinite" if derivations == math.inf else derivations) == naive.derivations(truth)
    assert {str(i) for i in forest.useful_items} == set(map(naive.canonical, naive.useful(truth)))
    trees = {t.heads for t in forest.trees(limit=None)}
    assert trees == {heads for heads in naive.trees(truth) if is_tree(heads)}
    count = forest.count_trees()
    assert (count.exact, count.exact + count.others) == (len(trees), len(naive.structures(truth)))
    assert {t.heads for t in forest.trees(limit=None, budget=0)} == trees, "listing lazily differs"


@pytest.mark.parametrize(("name", "parameters"), SCHEMATA, ids=IDS)
@pytest.mark.parametrize("n", [1, 2])
def test_every_grammar(name: str, parameters: dict[str, int], n: int) -> None:
    for grammar in naive.all_grammars(n):
        compare(name, parameters, n, grammar)


@pytest.mark.parametrize(("name", "parameters"), SCHEMATA, ids=IDS)
def test_every_grammar_of_three_words(name: str, parameters: dict[str, int]) -> None:
    for grammar in naive.all_grammars(3):
        compare(name, parameters, 3, grammar, forests=len(grammar) % 3 == 0)


@pytest.mark.parametrize(("name", "parameters"), SCHEMATA, ids=IDS)
@pytest.mark.parametrize("n", [4, 5])
def test_random_grammars(name: str, parameters: dict[str, int], n: int) -> None:
    rng = random.Random(f"{name} {n}")
    for density in (0.15, 0.3, 0.5) if n == 4 else (0.2, 0.35):
        compare(name, parameters, n, naive.random_grammar(rng, n, density))


@pytest.mark.parametrize(("name", "parameters"), SCHEMATA, ids=IDS)
def test_all_links(name: str, parameters: dict[str, int]) -> None:
    compare(name, parameters, 4, naive.all_links(4))
