"""Grammars: rules for any sentence, and the relations that each provides to a schema for one sentence.

`DRules` gives `Licences`; `DependencyRules` and `ContextFreeGrammar` give a `RuleSentenceGrammar`. Each is
read from a line format, made in Python, or extracted from gold trees. `LinkGrammar` is read from a dictionary
of Link Grammar and gives `SentenceDisjuncts`. `Facts` are the rows of relations that a schema declares itself, and
`Constraints`, formulas about heads and labels, provide some.
"""

# ruff: noqa: F403

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.quick_start import lazy_names
from schemata.structures.sentence import tagged_sentence as tagged_sentence

if TYPE_CHECKING:
    from schemata.grammars.constraints import *
    from schemata.grammars.drules import *
    from schemata.grammars.extract import *
    from schemata.grammars.facts import *
    from schemata.grammars.kinds import *
    from schemata.grammars.link_grammar import *
    from schemata.grammars.rules import *

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "constraints": "Constraints",
        "drules": "DRule DRuleSet DRules Licences WordPattern",
        "extract": "Extraction extract_d_rules extract_dependency_rules extract_lcfrs",
        "facts": "Facts",
        "kinds": "Grammar GrammarKind grammar_from_option grammar_from_text grammar_needed",
        "link_grammar": "LinkGrammar SentenceDisjuncts",
        "rules": "ContextFreeGrammar DependencyRules HEAD Lexicon Rule RuleSentenceGrammar RuleSet",
    },
)
__all__ += ["tagged_sentence"]
