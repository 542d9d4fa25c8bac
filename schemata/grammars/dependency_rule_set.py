"""Sets of dependency rules: what a grammar file holds, rules A(alpha * beta) with root categories and a lexicon."""

from __future__ import annotations

from dataclasses import dataclass, field

from schemata.errors import UsageError
from schemata.grammars.lexicon import Lexicon
from schemata.grammars.names import checked
from schemata.grammars.rules import HEAD, RESERVED, Rule, RuleTable

__all__ = ["RuleSet"]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Dependency rules with their lexicon and root categories, in a fixed order.

    Raises
    ------
    UsageError : a rule without exactly one head word, or a category with a reserved name.
    """

    rules: tuple[Rule, ...]
    roots: frozenset[str]
    lexicon: Lexicon
    table: RuleTable = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(sorted(set(self.rules))))
        object.__setattr__(self, "roots", frozenset(checked(root, "a category") for root in self.roots))
        for rule in self.rules:
            if rule.body.count(HEAD) != 1:
                raise UsageError(f"the rule {rule} has {rule.body.count(HEAD)} head words, not 1")
        dependents = {symbol for rule in self.rules for symbol in rule.body} - {HEAD}
        used = dependents | {rule.lhs for rule in self.rules} | self.roots | self.lexicon.categories
        for name in RESERVED:
            if name in used:
                raise UsageError(f"a category cannot be called {name}")
        object.__setattr__(self, "table", RuleTable(self.rules))
