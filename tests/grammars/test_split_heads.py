"""D-rules as context-free grammars: the same trees with the same weights, each once where heads are split."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.errors import UsageError
from schemata.grammars.drules import ANY, DRule, DRuleSet, WordPattern
from schemata.grammars.rule_files import parse_context_free, parse_d_rules, write_context_free
from schemata.grammars.split_heads import context_free, split_words
from schemata.structures import Sentence
from schemata.structures.graphs import find_cycle
from schemata.structures.projections import has_projective_heads
from tests.support.charts import shipped

WORDS = tuple(WordPattern(word=word) for word in ("a", "b", "c,d", "w_1", "w1"))
PATTERNS = st.sampled_from((*WORDS, ANY))
WEIGHTS = st.sampled_from((0.0, math.log(0.5), math.log(0.3), -2.0))


@st.composite
def rule_sets(draw: st.DrawFn) -> DRuleSet:
    """Return D-rules over five words, the first of which is named, with weights."""
    sides = st.sampled_from(("left", "right", "either"))
    rules = draw(st.lists(st.builds(DRule, PATTERNS, PATTERNS, sides), max_size=6))
    roots = [WORDS[0], *draw(st.lists(PATTERNS, max_size=2))]
    weighed = [*dict.fromkeys(rules), *dict.fromkeys(roots)]
    return DRuleSet(tuple(rules), tuple(roots), tuple((one, draw(WEIGHTS)) for one in weighed))


def trees(rules: DRuleSet, words: tuple[str, ...]) -> list[float]:
    """Return the weights of the projective trees with one root that rules license, by going through all heads."""
    known, found = dict(rules.weights), []

    def fits(pattern: WordPattern, word: str) -> bool:
        named = {one.word for one in rules.patterns}
        return word in named if pattern == ANY else pattern.word == word

    def weight(d: int, h: int) -> float | None:
        if h == 0:
            ways = [known.get(root, 0.0) for root in rules.roots if fits(root, words[d - 1])]
        else:
            ways = [
                known.get(rule, 0.0)
                for rule in rules.rules
                if fits(rule.head, words[h - 1]) and fits(rule.dependent, words[d - 1])
                if rule.side in ("either", "left" if d < h else "right")
            ]
        return max(ways, default=None)

    for heads in itertools.product(range(len(words) + 1), repeat=len(words)):
        if heads.count(0) == 1 and not find_cycle(heads) and has_projective_heads(heads):
            parts = [weight(d, h) for d, h in enumerate(heads, start=1)]
            if None not in parts:
                found.append(sum(part for part in parts if part is not None))
    return found


@settings(max_examples=40)
@given(rule_sets(), st.lists(st.sampled_from([one.word for one in WORDS]), min_size=1, max_size=4))
def test_each_tree_has_one_derivation_of_its_weight_where_heads_are_split(
    rules: DRuleSet, words: list[str]
) -> None:
    expected = trees(rules, tuple(words))
    sentence = Sentence(tuple(words))
    for stage in ("split", "unfolded"):
        grammar = context_free(rules, stage)
        assert parse_context_free(write_context_free(grammar)) == grammar
        chart = shipped("earley").run(split_words(sentence), grammar)
        assert chart.forest().derivation_count == len(expected)
        if expected:
            assert chart.total("real") == pytest.approx(sum(map(math.exp, expected)))
            assert chart.best().weight == pytest.approx(max(expected))
    chart = shipped("earley").run(sentence, context_free(rules, "bilexical"))
    assert chart.accepted == bool(expected)
    if len({*words}) == len(
        words
    ):  # a rule whose two symbols are the same does not say which one is the head
        assert chart.forest().derivation_count >= len(expected)
    if expected:
        assert chart.best().weight == pytest.approx(max(expected))


def test_unfolded_rules_are_those_of_eisner() -> None:
    """All links licensed: cyk finds as many trees on 2n words as the schema of 1996 on n, with rules of two symbols."""
    rules = parse_d_rules('root any\nhead any takes any\nhead "a", "b", "c" takes "d", "e"')[0]
    grammar = context_free(rules)
    assert {len(rule.body) for rule in grammar.rules} == {2}
    for words in ("a", "b a", "a b a", "a b b a", "a b c d e"):
        chart = shipped("cyk").run(split_words(Sentence(tuple(words.split()))), grammar)
        known = schemata.load("eisner1996").run(words, schemata.DRules.all(single_root=True))
        count = len(known.forest().trees(limit=None))
        assert chart.forest().derivation_count == count
    spurious = shipped("earley").run("a b c d e", context_free(rules, "bilexical")).forest().derivation_count
    assert spurious > count


def test_parts_of_speech() -> None:
    rules = parse_d_rules("root VERB\nhead VERB takes NOUN\nhead NOUN takes 'PRP$' on the left")[0]
    sentence = Sentence(("my", "cat", "sleeps"), ("PRP$", "NOUN", "VERB"))
    doubled = split_words(sentence)
    assert doubled.tags == ("PRP$_l", "PRP$_r", "NOUN_l", "NOUN_r", "VERB_l", "VERB_r")
    assert shipped("cyk").run(doubled, context_free(rules)).forest().derivation_count == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('root VERB\nhead VERB takes "up"', "mixed-rules"),
        ('root "go"/VERB\nhead "go"/VERB takes "up"/ADP', "mixed-rules"),
        ("root any\nhead any takes any", "mixed-rules"),
        ("root VERB\nhead VERB takes NOUN within 2", "distance"),
        ("head VERB takes NOUN", "no-root"),
    ],
)
def test_rules_that_have_no_such_grammar(text: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        context_free(parse_d_rules(text)[0])
    assert caught.value.diagnostics[0].code == code
