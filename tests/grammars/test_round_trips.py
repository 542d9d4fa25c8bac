"""A grammar written to text reads back to an equal grammar, and the second text equals the first."""

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from schemata.errors import UsageError
from schemata.grammars import HEAD, ContextFreeGrammar, DRule, DRuleSet, Lexicon, Rule, RuleSet, WordPattern
from schemata.grammars.rule_files import (
    parse_context_free,
    parse_d_rules,
    parse_dependency_rules,
    write_context_free,
    write_d_rules,
    write_dependency_rules,
)
from schemata.grammars.rules import MARKS, RESERVED
from schemata.grammars.text import is_bare, nfc
from schemata.language.model import terminal

_ODD = r"""root head takes any tag start on within the 's " \ # : ( , / -> * ε"""
names = st.sampled_from(_ODD.split()) | st.text(
    st.characters(codec="utf-8", exclude_characters="\n\r\0"), min_size=1, max_size=6
)
categories = names.filter(lambda name: nfc(name) not in RESERVED)
bare = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), min_size=1, max_size=4).filter(
    lambda name: is_bare(nfc(name), MARKS) and nfc(name) not in ("ε", *RESERVED)
)

patterns = st.builds(WordPattern, st.just("") | names, st.just("") | names)
d_rules = st.builds(
    DRule, patterns, patterns, st.sampled_from(["left", "right", "either"]), st.none() | st.integers(1, 500)
)
d_rule_sets = st.builds(
    DRuleSet, st.lists(d_rules, max_size=6).map(tuple), st.lists(patterns, max_size=3).map(tuple)
).filter(lambda rules: bool(rules.rules or rules.roots))


@st.composite
def lexicons(draw: st.DrawFn, found: list[str]) -> Lexicon:
    entries = st.lists(st.tuples(names, st.sampled_from(found)), max_size=5).map(tuple)
    return Lexicon(draw(entries), draw(entries))


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    found = draw(st.lists(categories, min_size=1, max_size=4, unique_by=nfc))
    some = st.lists(st.sampled_from(found), max_size=3)
    rules = [
        Rule(lhs, (*draw(some), HEAD, *draw(some))) for lhs in found for _ in range(draw(st.integers(1, 2)))
    ]
    roots = draw(st.sets(st.sampled_from(found), min_size=1))
    return RuleSet(tuple(rules), frozenset(roots), draw(lexicons(found)))


@st.composite
def context_free_grammars(draw: st.DrawFn) -> ContextFreeGrammar:
    found = draw(st.lists(bare, min_size=1, max_size=4, unique_by=nfc))
    symbols = st.sampled_from(found) | names.map(terminal)
    rules = [Rule(lhs, tuple(draw(st.lists(symbols, max_size=4)))) for lhs in found]
    start, lexicon = draw(st.sampled_from(found)), draw(lexicons(found))
    try:
        return ContextFreeGrammar(tuple(rules), start, lexicon)
    except UsageError as refused:
        if "would be read as a weight" not in str(refused):
            raise
        reject()


@given(d_rule_sets)
def test_d_rules(rules: DRuleSet) -> None:
    text = write_d_rules(rules, header=["a header\nof two lines"], counts=dict.fromkeys(rules.roots, 7))
    again, _ = parse_d_rules(text)
    assert again == rules
    assert write_d_rules(again) == write_d_rules(rules)


@given(rule_sets())
def test_dependency_rules(rules: RuleSet) -> None:
    text = write_dependency_rules(rules, header=["#"], counts=dict.fromkeys(rules.rules, 1))
    again, _ = parse_dependency_rules(text)
    assert again == rules
    assert write_dependency_rules(again) == write_dependency_rules(rules)


@pytest.mark.parametrize("body", ["[ 0", "[0]", "A [0.5", "[log 0", "[ -inf", '[ "0"', "[+1", "A [ .5"])
def test_a_category_that_reads_as_a_weight_is_refused(body: str) -> None:
    with pytest.raises(UsageError, match="would be read as a weight"):
        ContextFreeGrammar.of([("S", (*body.split(), "A", "A")), ("S", body.split())], "S")


@given(context_free_grammars())
@example(ContextFreeGrammar.of([("[", ("[", "A")), ("A", ("]", "[")), ("]", ('"0"', "["))], "["))
@example(ContextFreeGrammar.of([("0", ("A", "0")), ("A", ("[x]", "0")), ("[x]", ())], "0"))
def test_context_free(grammar: ContextFreeGrammar) -> None:
    again = parse_context_free(write_context_free(grammar, header=["x"]))
    assert again == grammar
    assert write_context_free(again) == write_context_free(grammar)


@given(names)
def test_any_word_can_be_written(word: str) -> None:
    rules = DRuleSet(roots=(WordPattern(word=word),))
    assert parse_d_rules(write_d_rules(rules))[0] == rules


@pytest.mark.parametrize("word", ["a\nb", "a\rb", "a\0b"])
def test_a_word_that_no_line_can_hold_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="holds a line break or a null character"):
        WordPattern(word=word)
