"""What the grammar of a sentence provides to a schema: licensed links, rules, categories of words."""

from schemata.grammars.drules import DRules
from schemata.grammars.licences import Licences
from schemata.grammars.licensing import DRule, DRuleSet, WordPattern

__all__ = ["DRule", "DRuleSet", "DRules", "Licences", "WordPattern"]
