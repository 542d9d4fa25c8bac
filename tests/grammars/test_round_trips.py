"""A grammar written to text reads back to an equal grammar, and the second text equals the first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from schemata.errors import UsageError
from schemata.grammars import ContextFreeGrammar, DRuleSet, RuleSet, WordPattern
from schemata.grammars.drule_files import parse_d_rules, write_d_rules
from schemata.grammars.rule_files import (
    parse_context_free,
    parse_dependency_rules,
    write_context_free,
    write_dependency_rules,
)
from tests.grammars.strategies import context_free_grammars, d_rule_sets, names, rule_sets

relaxed = settings(deadline=None)


@relaxed
@given(d_rule_sets)
def test_d_rules(rules: DRuleSet) -> None:
    text = write_d_rules(rules, header=["a header\nof two lines"], counts=dict.fromkeys(rules.roots, 7))
    again, _ = parse_d_rules(text)
    assert again == rules
    assert write_d_rules(again) == write_d_rules(rules)


@relaxed
@given(rule_sets())
def test_dependency_rules(rules: RuleSet) -> None:
    text = write_dependency_rules(rules, header=["#"], counts=dict.fromkeys(rules.rules, 1))
    again, _ = parse_dependency_rules(text)
    assert again == rules
    assert write_dependency_rules(again) == write_dependency_rules(rules)


@relaxed
@given(context_free_grammars())
def test_context_free(grammar: ContextFreeGrammar) -> None:
    again = parse_context_free(write_context_free(grammar, header=["x"]))
    assert again == grammar
    assert write_context_free(again) == write_context_free(grammar)


@relaxed
@given(names)
def test_any_word_can_be_written(word: str) -> None:
    rules = DRuleSet(roots=(WordPattern(word=word),))
    assert parse_d_rules(write_d_rules(rules))[0] == rules


@pytest.mark.parametrize("word", ["a\nb", "a\rb", "a\0b"])
def test_a_word_that_no_line_can_hold_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="holds a line break or a null character"):
        WordPattern(word=word)
