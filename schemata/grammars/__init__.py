"""Grammars for any sentence, and what each provides for one sentence, which is all a schema asks.

`DRules` gives `Licences`; `DependencyRules` and `ContextFreeGrammar` give a `RuleSentenceGrammar`. Each is
read from a line format, made in Python, or extracted from gold trees. `LinkGrammar` is read from a dictionary
of Link Grammar and gives `SentenceDisjuncts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.lazy import lazy_names

if TYPE_CHECKING:
    from schemata.grammars.choose import Grammar, GrammarKind, grammar_from_option, grammar_needed
    from schemata.grammars.context_free import ContextFreeGrammar
    from schemata.grammars.dependency_rule_set import RuleSet
    from schemata.grammars.dependency_rules import DependencyRules
    from schemata.grammars.drules import DRules
    from schemata.grammars.extract import Extraction, extract_d_rules, extract_dependency_rules
    from schemata.grammars.lexicon import Lexicon
    from schemata.grammars.licences import Licences
    from schemata.grammars.licensing import DRule, DRuleSet, WordPattern
    from schemata.grammars.link_grammar import LinkGrammar, SentenceDisjuncts
    from schemata.grammars.rules import HEAD, Rule, RuleSentenceGrammar
    from schemata.grammars.tagged import tagged_sentence

__all__ = [
    "HEAD",
    "ContextFreeGrammar",
    "DRule",
    "DRuleSet",
    "DRules",
    "DependencyRules",
    "Extraction",
    "Grammar",
    "GrammarKind",
    "Lexicon",
    "Licences",
    "LinkGrammar",
    "Rule",
    "RuleSentenceGrammar",
    "RuleSet",
    "SentenceDisjuncts",
    "WordPattern",
    "extract_d_rules",
    "extract_dependency_rules",
    "grammar_from_option",
    "grammar_needed",
    "tagged_sentence",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "choose": "Grammar GrammarKind grammar_from_option grammar_needed",
        "context_free": "ContextFreeGrammar",
        "dependency_rule_set": "RuleSet",
        "dependency_rules": "DependencyRules",
        "drules": "DRules",
        "extract": "Extraction extract_d_rules extract_dependency_rules",
        "lexicon": "Lexicon",
        "licences": "Licences",
        "licensing": "DRule DRuleSet WordPattern",
        "link_grammar": "LinkGrammar SentenceDisjuncts",
        "rules": "HEAD Rule RuleSentenceGrammar",
        "tagged": "tagged_sentence",
    },
)
