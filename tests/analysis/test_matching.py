"""The interpreting matcher against the generated kernels: every instance, and nothing else."""

import random

import pytest

import schemata
from schemata.grammars.link_grammar.grammar import LinkGrammar
from schemata.grammars.rules import ContextFreeGrammar, DependencyRules
from schemata.language.forms import read_item
from schemata.program.instances import instance_bindings
from schemata.structures import Sentence
from tests.language.findings import FIXTURES
from tests.oracle import naive
from tests.support.charts import D_RULES, Given, names_over, run, schema_of, schema_text, shipped
from tests.support.engines import interpreted, numbered_instances


def grammars(n: int, reference: str) -> list[naive.Grammar]:
    rng = random.Random(f"{reference} {n}")
    return [naive.all_links(n), naive.random_grammar(rng, n, 0.5), naive.random_grammar(rng, n, 0.3)]


@pytest.mark.parametrize("reference", D_RULES)
def test_every_instance_matches(reference: str) -> None:
    for n in (1, 2, 3, 4):
        for grammar in grammars(n, reference):
            chart = run(reference, n, grammar)
            for instance in chart.instances():
                assert next(instance_bindings(chart, instance), None) is not None, (n, instance)


@pytest.mark.parametrize("reference", D_RULES)
def test_every_match_is_an_instance(reference: str) -> None:
    for n in (1, 2, 3):
        for grammar in grammars(n, reference)[: 1 if n == 3 else 2]:
            chart = run(reference, n, grammar)
            assert interpreted(chart) == numbered_instances(chart)


RULES = DependencyRules.of(
    ["S(N *)", "S(* N)", "S(N * N)", "N(*)", "N(N *)", "N(* S)"], {"S", "N"}, {"a": {"S", "N"}, "b": {"N"}}
)
PLAIN = ContextFreeGrammar.of(
    [("S", ("S", "S")), ("S", ("A", "S")), ("S", ("A",)), ("A", ("a",))], "S", words={"w": ["a", "S"]}
)
# A multi-connector on either side, and two words that can be linked in two ways.
CONNECTORS = LinkGrammar.from_text(
    "j: @J+ & {K+} & {M+}; k: {@M-} & J- & {N+}; l: {N-} & (K- or J-) & {@M-};"
)
FEW_CONNECTORS = LinkGrammar.from_text("j: @J+; k l: J-;")


def joins_many(name: str) -> bool:
    """Whether a step has so many antecedents that not all tuples of many items can be tried."""
    return any(len(case.antecedents) > 2 for case in shipped(name).definition.cases)


OVER_RULES = [x for kind in ("context-free", "dependency-rules", "link-grammar") for x in names_over(kind)]


@pytest.mark.parametrize(("name", "n"), [(x, n) for x in OVER_RULES for n in (1, 2, 3)[: 3 - joins_many(x)]])
@pytest.mark.rotated(4)
def test_schemata_over_rules(name: str, n: int) -> None:
    schema = shipped(name)
    if schema.definition.grammar == "context-free":
        chart = schema.run("w " * n, PLAIN)
    elif schema.definition.grammar == "link-grammar":
        words = ("j", *"k" * (n - 1), "l")
        chart = schema.run(words, FEW_CONNECTORS if joins_many(name) else CONNECTORS)
    else:
        chart = schema.run("a b a"[: 2 * n], RULES)
    assert chart.step_count
    for instance in chart.instances():
        assert next(instance_bindings(chart, instance), None) is not None
    assert interpreted(chart) == numbered_instances(chart)


def test_labels_in_unusual_places() -> None:
    # Sequences that may be absent, in tuples and lists, labels that recur, and reverses.
    schema = schemata.load(FIXTURES / "clean" / "odd-labels.schema")
    grammar = LinkGrammar.from_text("j: @J+ & {K+}; k: J- or (K- & {@J+} & @K+); l: ({J-} & K-) or J-;")
    for text in ("j l", "j k l"):
        provided = grammar.for_sentence(Sentence.of(text), prune_disjuncts=False)
        chart = schema.run(text, Given("link-grammar", provided), engine="python")
        assert all(chart.steps_by_name.values()) or text == "j l", chart.steps_by_name
        assert interpreted(chart) == numbered_instances(chart)
        for item in chart.items:
            assert read_item(schema.definition, str(item)) == (item.form, item.values)


ABSENT = schema_text("absent")


def test_the_opposite_of_an_absent_flag_is_no_flag() -> None:
    for n in (1, 2, 3):
        chart = run(schema_of(ABSENT), n)
        assert chart.step_count > n
        assert interpreted(chart) == numbered_instances(chart)
