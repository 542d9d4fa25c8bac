"""Rules over categories, and what a rule grammar provides for one sentence.

A `Rule` has a category and a body, the symbols it is made of. In a dependency rule A(alpha * beta) one of
the symbols is `HEAD`, the place of the head word (GCW11, section 3.5); in a plain context-free rule none is.
Schemata over either kind ask the same three things: the rules, the root categories, the categories of a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import MappingProxyType

from schemata.grammars.names import checked

__all__ = ["HEAD", "RESERVED", "Rule", "RuleSentenceGrammar", "RuleTable"]

HEAD = "^"
"""The place of the head word in the body of a dependency rule."""

RESERVED = ("root", "*", HEAD)
"""What no category may be called: items of a schema show the root and the head word under these names."""

Body = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """A category and the symbols of its body, names in NFC.

    Raises
    ------
    UsageError : a name is empty or holds a line break.

    >>> str(Rule("S", ("N", HEAD, "N"))), str(Rule("S", ("NP", "VP"))), str(Rule("T", ()))
    ('S(N * N)', 'S -> NP VP', 'T -> ε')
    """

    lhs: str
    body: Body

    def __post_init__(self) -> None:
        object.__setattr__(self, "lhs", checked(self.lhs, "a category"))
        object.__setattr__(self, "body", tuple(checked(symbol, "a symbol") for symbol in self.body))

    def __str__(self) -> str:
        if HEAD in self.body:
            return f"{self.lhs}({' '.join('*' if s == HEAD else s for s in self.body)})"
        return f"{self.lhs} -> {' '.join(self.body) or 'ε'}"


@dataclass(frozen=True, slots=True)
class RuleTable:
    """Rules in order, and the same rules by category. One table serves all sentences of a grammar.

    Parameters
    ----------
    rules : the rules, each once.
    bodies_of : the bodies of each category's rules.
    pairs : the rules as (category, body), to be tested for membership; iterates in order.
    """

    rules: tuple[Rule, ...]
    bodies_of: Mapping[str, tuple[Body, ...]] = field(init=False, repr=False, compare=False)
    pairs: AbstractSet[tuple[str, Body]] = field(init=False, repr=False, compare=False)
    _corners: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)
    _wholes: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def corners_of(self, whole: str) -> tuple[str, ...]:
        """Return a symbol and its left corners: first symbols of its rules, and theirs in turn; no head word."""
        found = self._corners.get(whole)
        if found is None:
            reached = {whole: None}
            waiting = [whole]
            while waiting:
                for body in self.bodies_of.get(waiting.pop(), ()):
                    if body and body[0] != HEAD and body[0] not in reached:
                        reached[body[0]] = None
                        waiting.append(body[0])
            found = self._corners[whole] = tuple(sorted(reached))
        return found

    def cornered_by(self, category: str) -> tuple[str, ...]:
        """Return a symbol and every category that it is a left corner of."""
        found = self._wholes.get(category)
        if found is None:
            wholes = {lhs for lhs in self.bodies_of if category in self.corners_of(lhs)} | {category}
            found = self._wholes[category] = tuple(sorted(wholes))
        return found

    def __post_init__(self) -> None:
        bodies: dict[str, list[Body]] = {}
        for rule in self.rules:
            bodies.setdefault(rule.lhs, []).append(rule.body)
        table = MappingProxyType({lhs: tuple(found) for lhs, found in bodies.items()})
        object.__setattr__(self, "bodies_of", table)
        object.__setattr__(self, "pairs", {(r.lhs, r.body): None for r in self.rules}.keys())


@dataclass(frozen=True, slots=True)
class RuleSentenceGrammar:
    """What a rule grammar provides for a sentence of n words. Nothing is pruned: every rule is there.

    Parameters
    ----------
    n : the number of words.
    table : the grammar's rules.
    roots : the categories a whole sentence may be of: `*(S)`, or the start symbol.
    categories : the categories of each word 1..n.
    """

    n: int
    table: RuleTable
    roots: frozenset[str]
    categories: Mapping[int, frozenset[str]]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order."""
        return self.table.rules

    @property
    def rule_pairs(self) -> AbstractSet[tuple[str, Body]]:
        """The rules as pairs (category, body)."""
        return self.table.pairs

    @property
    def bodies_of(self) -> Mapping[str, tuple[Body, ...]]:
        """The bodies of each category's rules, in order."""
        return self.table.bodies_of

    def corners_of(self, whole: str) -> tuple[str, ...]:
        """Return a symbol and its left corners, reflexively and transitively."""
        return self.table.corners_of(whole)

    def cornered_by(self, category: str) -> tuple[str, ...]:
        """Return a symbol and every category that it is a left corner of."""
        return self.table.cornered_by(category)

    def categories_of(self, word: int) -> frozenset[str]:
        """Return the categories of a word; a position outside 1..n is of none."""
        return self.categories.get(word, frozenset())
