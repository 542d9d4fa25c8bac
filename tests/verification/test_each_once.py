"""Each structure once: the verdict, and what the claims say, against an enumeration of all derivations."""

import random
from pathlib import Path

import pytest

from schemata import ParsingSchema, verify
from schemata.language import model as m
from schemata.language.files import read_schema_text
from schemata.language.library import load_schema, schema_path
from schemata.structures import all_trees
from schemata.verification.claims import Claim, claim_of, constituent_claims, shipped_claims
from schemata.verification.constituents import ConstituentCase, small_cases
from schemata.verification.verdicts import Ambiguous
from tests.oracle import rules
from tests.oracle.d_rule_systems import D_RULE_SYSTEMS
from tests.oracle.interpreter import Endless, interpret
from tests.oracle.naive import all_links, derivations, heads_grammar, numbers_of_structures, run
from tests.oracle.rule_systems import DEPENDENCY_RULE_SYSTEMS, parse_trees
from tests.random_schemata.writer import random_draft
from tests.support.charts import schema_of, schema_text, shipped
from tests.support.commands import Written

CLAIMS = {claim.reference: claim for claim in shipped_claims()}
SLOW = (
    *DEPENDENCY_RULE_SYSTEMS,
    "wg1", "wg1-unlexicalised", "wgk", "wgk-published", "mg1", "mgk", "attardi-unbounded",
    "koo-collins2010-model0", "koo-collins2010-model1", "koo-collins2010-model2",
)  # fmt: skip


def number_of_derivations(claim: Claim, heads: tuple[int, ...]) -> int:
    """Return how often a tree is derived under its own links, or all, naively; if possible by a hand-written system."""
    n = len(heads)
    if claim.name in DEPENDENCY_RULE_SYSTEMS:
        number = derivations(run(DEPENDENCY_RULE_SYSTEMS[claim.name](), n, rules.heads_rules(heads)))
        assert number != "infinite"
        return number
    links = licensed = heads_grammar(heads)
    if claim.name == "mst":  # whose cycles are of links that the tree does not have in the end
        licensed = frozenset((d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h)
    if claim.name in D_RULE_SYSTEMS:
        chart = run(D_RULE_SYSTEMS[claim.name](**claim.parameters), n, licensed)
    else:
        chart = interpret(shipped(claim.reference).definition, n, licensed)
    numbers = numbers_of_structures(chart)
    assert numbers != "infinite"
    return numbers[links] + numbers[frozenset((d, h) for d, h in links if h)]


def smallest_ambiguous(claim: Claim, max_n: int) -> tuple[int, ...] | None:
    """Return the first tree with several derivations; all trees of one root are tried, each under its own grammar."""
    for n in range(1, max_n + 1):
        for tree in all_trees(n, single_root=True):
            if number_of_derivations(claim, tree.heads) > 1:
                return tree.heads
    return None


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=lambda claim: f"{claim.reference}-{claim.class_name}")
@pytest.mark.rotated(4, 2)
def test_each_tree_once_or_the_first_that_is_derived_twice(claim: Claim) -> None:
    n = 3 if claim.name in SLOW else 4  # the least that shows the ambiguity of each shipped schema
    verdict = verify(claim.reference, claim.class_name, n)
    expected = smallest_ambiguous(claim, n)
    assert verdict.each_once is claim.each_once is (expected is None)
    if expected is None:
        assert verdict.ambiguous is None
        return
    assert verdict.ambiguous.structure.heads == expected
    assert verdict.once_to == len(expected) - 1
    assert verdict.ambiguous.count == number_of_derivations(claim, expected)
    assert_differs_where_it_says(verdict.ambiguous)


def assert_differs_where_it_says(example: Ambiguous) -> None:
    one, two = ([(x.step, str(x.item), x.links) for x in d.applied()] for d in example.derivations)
    at = example.first_difference
    assert at is not None
    assert one[:at] == two[:at]
    assert one[at : at + 1] != two[at : at + 1]
    assert example.derivations[0].all_links == example.derivations[1].all_links


def several(definition: m.Schema, n: int) -> bool | None:
    """Tell whether a set of links with at most one root has several derivations under all links; None if unknown."""
    try:
        chart = interpret(definition, n, all_links(n), limit=400, work=200_000)
    except Endless:
        return None
    if derivations(chart) == "infinite" or derivations(chart) > 5_000:
        return None
    numbers = numbers_of_structures(chart)
    concerned = {
        links
        for links in numbers
        if sum(head == 0 for _, head in links) <= 1
        and links <= all_links(n) | {(d, d) for d in range(1, n + 1)}
    }
    return any(numbers[links] > 1 for links in concerned)


@pytest.mark.parametrize("number", range(40))
@pytest.mark.rotated(4)
def test_random_schemata(number: int) -> None:
    draft = random_draft(random.Random(f"once {number}"))
    definition, _ = read_schema_text(draft.text)
    if definition is None or definition.grammar != "d-rules" or definition.structure != "dependency tree":
        return
    expected = [several(definition, n) for n in (1, 2)]
    if None not in expected:
        found = verify(ParsingSchema(definition), max_n=2)
        if found.stopped is not None:  # an item with more than 10,000 writings
            return
        assert found.each_once is not any(expected), draft.text
        assert found.once_to == (expected.index(True) if any(expected) else 2)


# Context-free schemata -------------------------------------------------------------------------------------------

TWICE = schema_text("twice")


def naive_grammar(case: ConstituentCase) -> rules.RuleGrammar:
    lexicon = tuple(frozenset([name]) for name in case.categories)
    return rules.RuleGrammar(tuple(rules.Rule(*rule) for rule in case.rules), frozenset("S"), lexicon)


@pytest.mark.parametrize("claim", constituent_claims(), ids=lambda claim: claim.name)
def test_context_free_schemata_have_no_more_derivations_than_there_are_trees(claim: Claim) -> None:
    for case in small_cases(3):
        grammar = naive_grammar(case)
        chart = interpret(shipped(claim.name).definition, 3, grammar)
        assert derivations(chart) <= len(parse_trees(grammar))


def test_a_context_free_schema_that_builds_trees_twice(written: Written) -> None:
    path = written("twice.schema", TWICE)
    verdict = verify(str(path), max_n=4)
    assert (verdict.each_once, verdict.once_to) == (False, 2)
    example = verdict.ambiguous
    assert example.count == 2
    assert str(example.structure) == "(S (S (S w1) (S w2)) (S w3))"
    assert example.case.rules == (("S", ("S", "S")), ("S", ("t",)))
    assert_differs_where_it_says(example)
    naive = interpret(load_schema(path), 3, naive_grammar(example.case))
    assert derivations(naive) == 3 == len(parse_trees(naive_grammar(example.case))) + 1


# Claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "once"),
    [
        ("nivre2003", True),
        ("mh", False),
        ("mh:k=4", False),
        ("mh:k=7", None),
        ("eisner1996:end=1", False),
        ("cyk", True),
    ],
)
def test_what_is_known_of_a_schema_with_its_parameters(reference: str, once: bool | None) -> None:
    claim = claim_of(load_schema(reference))
    assert (claim and claim.each_once) is once


def test_nothing_is_known_of_a_schema_that_has_only_the_name(tmp_path: Path) -> None:
    text = schema_path("nivre2003").read_text("utf-8")
    same, other = tmp_path / "same" / "nivre2003.schema", tmp_path / "other" / "nivre2003.schema"
    for path, content in ((same, text), (other, text.replace("state[0, <>]", "state[0, <(0, true)>]"))):
        path.parent.mkdir()
        path.write_text(content, "utf-8")
    claim = claim_of(load_schema(same))
    assert claim.each_once
    assert claim_of(load_schema(other)) is None


LABELLED = schema_text("labelled")


def test_trees_with_labels_are_verified() -> None:
    found = verify(schema_of(LABELLED), max_n=2)
    assert found.each_once
    assert "trees by number of words: 1, 1" in str(found)
