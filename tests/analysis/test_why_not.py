"""Reasons why items are missing: that they are complete and true, and that the repairs they name work."""

import itertools
import random
from collections.abc import Iterator

import pytest

import schemata
from schemata.analysis.reasons import WhyNot
from schemata.analysis.why_not import why_apart, why_not
from schemata.display.explanations import why_not_text
from schemata.engine.chart import Chart
from schemata.errors import GrammarError, SchemaError, UsageError
from schemata.grammars.rules import DependencyRules
from schemata.structures import tree_class, trees_of_class
from schemata.verification.trees import why_not_tree
from tests.oracle import naive
from tests.support.charts import names_over, shipped

NAMES = names_over("d-rules")


def walk(reason: WhyNot) -> Iterator[WhyNot]:
    yield reason
    for attempt in reason.attempts:
        for below in attempt.missing:
            yield from walk(below)


def check_leaves(reason: WhyNot) -> None:
    """Every reason ends in something said, and every attempt lacks something."""
    for node in walk(reason):
        assert node.lacks or node.attempts, node
        for attempt in node.attempts:
            assert attempt.lacks
            items = [lack for lack in attempt.lacks if lack.kind == "item"]
            assert len(attempt.missing) <= len(items)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotated(4)
def test_repairs_work(name: str) -> None:
    rng = random.Random(name)
    schema = shipped(name)
    for n in (2, 3):
        sentence = "w " * n
        full = schema.run(sentence)
        for density in (0.2, 0.5):
            pairs = naive.random_grammar(rng, n, density)
            chart = schema.run(sentence, schemata.DRules.from_pairs(pairs))
            there = {str(x) for x in chart.items}
            missing = [str(x) for x in full.items if str(x) not in there]
            for item in rng.sample(missing, min(6, len(missing))):
                reason = why_not(chart, item)
                check_leaves(reason)
                assert not reason.derivable
                assert not reason.hopeless
                assert reason.links, "some link is lacking"
                assert not set(reason.links) & set(pairs)
                repaired = schema.run(sentence, schemata.DRules.from_pairs({*pairs, *reason.links}))
                assert item in {str(x) for x in repaired.items}
                check_single_lacks(schema, chart, sentence, pairs, reason)


def check_single_lacks(
    schema: schemata.ParsingSchema, chart: Chart, sentence: str, pairs: set[tuple[int, int]], reason: WhyNot
) -> None:
    """A link that is all that an attempt lacks makes the item derivable, at every level of the reasons."""
    for node in walk(reason):
        for attempt in node.attempts:
            if len(attempt.lacks) == 1 and attempt.lacks[0].link is not None:
                more = schemata.DRules.from_pairs({*pairs, attempt.lacks[0].link})
                assert node.item in {str(x) for x in schema.run(sentence, more).items}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotated(4)
def test_no_final_item(name: str) -> None:
    schema = shipped(name)
    chart = schema.run("a b c", schemata.DRules.from_pairs(set()))
    assert not chart.accepted
    reason = why_not(chart)
    check_leaves(reason)
    assert reason.links
    assert schema.run("a b c", schemata.DRules.from_pairs(set(reason.links))).accepted
    text = why_not_text(reason)
    assert text.startswith("no final item is derivable")
    assert max(map(len, text.splitlines())) <= 80
    assert "Lack(" not in text


@pytest.mark.parametrize("name", NAMES)
def test_out_of_reach(name: str) -> None:
    """Items that no grammar gives have reasons too; those found are never said to be missing."""
    schema = shipped(name)
    chart = schema.run("a b")
    there = {str(x) for x in (*chart.items, *chart.hypotheses)}
    for form in chart.schema.forms:
        kinds = [{"position": (0, 1, 3, 9), "flag": (False, True)}.get(f.type.kind) for f in form.fields]
        if None in kinds:
            continue
        values = list(itertools.product(*(k or () for k in kinds)))
        for chosen in random.Random(name).sample(values, min(12, len(values))):
            shown = ", ".join(str(v).lower() for v in chosen)
            reason = why_not(chart, f"{form.name}[{shown}]")
            assert reason.derivable == (reason.item in there)
            if not reason.derivable:
                check_leaves(reason)
                assert reason.hopeless
                assert reason.links is None


def test_true_premises() -> None:
    """What an attempt says is there, is there (in the chart under all licences, for items out of reach)."""
    chart = shipped("nivre2003").run("a b c")
    there = {str(x) for x in (*chart.items, *chart.hypotheses)}
    for item in (
        "state[2, <(0, true)>]",
        "state[3, <(2, false)>]",
        "state[4, <>]",
        "state[1, <(0, false), (3, true)>]",
    ):
        for node in walk(why_not(chart, item, depth=4)):
            for attempt in node.attempts:
                assert set(attempt.present) <= there
                for lack in attempt.lacks:
                    if lack.said.startswith("there is no ") and "_" not in lack.said:
                        assert lack.said.removeprefix("there is no ").removeprefix("fitting ") not in there


def test_leaves() -> None:
    chart = shipped("eisner1996").run("the cat sat")
    assert why_not(chart, "word[7]").lacks[0].kind == "hypothesis"
    assert "the sentence has 3 words" in why_not(chart, "word[7]").lacks[0].said
    broken = why_not(chart, "span[2, 1, false, false]").lacks[0]
    assert (broken.kind, broken.said) == ("where", "span items need i <= j, but i = 2, j = 1")
    both = why_not(chart, "span[0, 3, true, true]").lacks[0]
    assert both.said == "span items need not (b and c), but b = true, c = true"
    assert why_not(chart, "word[1]").hypothesis
    assert why_not(chart, "span[0, 3, false, true]").derivable
    assert why_not(chart).derivable


def test_failed_comparison() -> None:
    chart = shipped("mh").run("a b c d")
    reason = why_not(chart, "heads[<0, 1, 2, 3>]")
    assert reason.lacks[0].kind == "where"
    chart = shipped("attardi2006").run("a b c d e")
    said = [lack.said for a in why_not(chart, "heads[<0, 5, 6>]").attempts for lack in a.lacks]
    assert said or why_not(chart, "heads[<0, 5, 6>]").derivable


def test_rule_grammars() -> None:
    grammar = DependencyRules.of(
        ["S(N *)", "N(D *)", "N(*)", "D(*)"], {"S"}, {"sees": {"S"}, "cat": {"N"}, "the": {"D"}}
    )
    schema = shipped("lombardo-lesmo1996")
    assert why_not(schema.run("the cat sees", grammar)).derivable
    reason = why_not(schema.run("the the sees", grammar), depth=5)
    check_leaves(reason)
    leaves = {lack.said for node in walk(reason) for a in node.attempts for lack in a.lacks}
    assert "word 2 (the) is not of category N" in leaves
    assert reason.links is None
    assert not reason.hopeless


def test_stays_quick_with_lists() -> None:
    chart = shipped("attardi-unbounded").run("a b c d e f", schemata.DRules.from_heads((2, 0, 2, 3, 4, 3)))
    check_leaves(why_not(chart, "heads[<0, 4, 3, 2, 7>]", depth=4))


def test_usage() -> None:
    chart = shipped("eisner1996").run("a b")
    for depth in (0, -1, 101):
        with pytest.raises(UsageError):
            why_not(chart, "word[1]", depth)
    with pytest.raises(SchemaError):
        why_not(chart, "span[1]")


@pytest.mark.parametrize(
    ("name", "n"),
    [("eisner1996", 4), ("nivre2003", 4), ("wg1", 4), ("mh:k=4", 4), ("dvh1", 3), ("planar-system", 3)],
)
def test_trees_are_derived_or_something_lacks(name: str, n: int) -> None:
    """A tree is derived if it is among those of its own grammar; else links or two items are told, and reasons."""
    schema = shipped(name)
    words = schemata.Sentence.of(" ".join("abcd"[:n]))
    for tree in trees_of_class(tree_class("all"), n):
        grammar = None if schema.definition.grammar == "d-rules" else DependencyRules.from_heads(tree.heads)
        own = schema.run(words, grammar or schemata.DRules.from_heads(tree.heads))
        built = {tuple(link[:2] for link in one.links if link[1]) for one in own.forest().structures()}
        answer = why_not_tree(schema, words, grammar, tree.heads)
        assert answer.derivable == (tuple(link for link in tree.links if link[1]) in built), tree
        assert answer.derivable == (answer.lacks is None)
        if answer.lacks is not None and answer.lacks.missing:
            assert answer.reasons is not None
            never = set(answer.lacks.missing)
            assert not any(never.intersection(i.links) for i in answer.chart.instances())
            below = [len(tree_of_word(tree.heads, d)) for d, _ in answer.lacks.missing]
            assert below == sorted(below)


def tree_of_word(heads: tuple[int, ...], word: int) -> set[int]:
    """Return a word and all below it."""
    found = {word}
    while more := {d for d, h in enumerate(heads, start=1) if h in found} - found:
        found |= more
    return found


def test_pieces_that_no_step_puts_together() -> None:
    """The parser for gap degree 1 builds all links of a tree with two gaps in one another, but not all together."""
    answer = why_not_tree(shipped("wg1"), schemata.Sentence.of("a b c d e"), None, (0, 1, 1, 2, 3))
    assert not answer.lacks.missing
    assert [piece.links for piece in answer.lacks.nearest] == [((2, 1), (4, 2)), ((3, 1), (5, 3))]
    assert "tree[1, 4, 1, 3, 3]" in answer.reasons.item
    chart = shipped("collins1996").run("a b c d", schemata.DRules.from_pairs({(2, 1), (3, 4)}))
    apart = why_apart(chart, "tree[1, 2, 1]", "tree[3, 4, 4]")
    assert {attempt.step: attempt.lacks[0].link for attempt in apart.attempts} == {
        "R-Link": None,
        "L-Link": None,
    }
    assert {attempt.lacks[0].kind for attempt in apart.attempts} == {"licence"}
    assert "fit" in why_apart(chart, "tree[1, 1, 1]", "tree[3, 4, 4]").lacks[0].said


def test_trees_of_what_builds_none() -> None:
    words = schemata.Sentence.of("a b")
    for name in ("cyk", "eisner-labelled"):  # the latter links words by facts, which no tree can stand for
        with pytest.raises(UsageError, match="is about dependency trees over D-rules or dependency rules"):
            why_not_tree(shipped(name), words, None, (2, 0))
    for heads, says in (
        ((2, 0, 2), "3 heads"),
        ((0,), "1 head, but the sentence has 2 words"),
        ((2,), "1 head"),
    ):
        with pytest.raises(GrammarError, match=says):
            why_not_tree(shipped("eisner1996"), words, None, heads)


@pytest.mark.parametrize(("start", "item"), [(None, "c[S, 0, 2]"), ("NP", "c[NP, 0, 2]"), ("S", None)])
def test_items_over_facts_that_are_derived_and_not_final(start: str | None, item: str | None) -> None:
    """Without a fact start(S), c[S, 0, 2] is derived and not final; where another category starts, its item lacks."""
    facts = "lexical(Kim, NP)\nlexical(slept, S\\NP)\n" + (f"start({start})\n" if start else "")
    chart = shipped("ccg").run("Kim slept", schemata.Facts.from_text(facts))
    answer = chart.why_not()
    assert "c[S, 0, 2]" in map(str, chart.items)
    assert answer.derivable is (item is None)
    assert answer.item == (item or "c[S, 0, 2]")
    assert answer.derived is (start is None)
    if start is None:
        assert [lack.said for lack in answer.lacks] == ["the grammar does not have the fact start(S)"]
        assert (answer.to_json()["derivable"], answer.to_json()["final"]) == (True, False)
        assert str(answer).startswith("no final item is derivable: c[S, 0, 2] is not final\n")
