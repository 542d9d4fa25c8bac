"""Dependency rule grammars: rules A(alpha * beta), a lexicon, and the categories a root may have.

In A(alpha * beta) a word of category A takes dependents of the categories alpha on its left and beta on its
right, in this order; `*` is the word itself. `*(S)` says that S may be the root. An analysis of a sentence
is a tree and the rule of every word (GCW11, section 3.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import ClassVar

from schemata.errors import Diagnostic, UsageError
from schemata.grammars.drules import GoldLinks, TreeLinks, gold_tree, tree_of, tree_of_length
from schemata.grammars.rules import HEAD, RESERVED, Lexicon, Rule, RuleSentenceGrammar, RuleTable
from schemata.grammars.text import checked, read_text
from schemata.structures.sentence import Sentence
from schemata.structures.trees import DependencyTree


@dataclass(frozen=True)
class RuleSet:
    """Dependency rules with their lexicon and root categories, in a fixed order.

    Raises
    ------
    UsageError : a rule without exactly one head word, or a category with a reserved name.
    """

    rules: tuple[Rule, ...]
    roots: frozenset[str]
    lexicon: Lexicon

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

    @cached_property
    def table(self) -> RuleTable:
        """The rules by category."""
        return RuleTable(self.rules)


@dataclass(frozen=True, slots=True)
class DependencyRules:
    """A dependency rule grammar; make one with `of`, `from_heads`, `gold` or `read`.

    Parameters
    ----------
    basis : a set of rules, a tree, or the gold tree of each sentence.
    warnings : what the file the grammar was read from made one wonder about; no part of its value.

    References
    ----------
    GCW11, section 3.5.

    >>> from schemata.structures.sentence import Sentence
    >>> grammar = DependencyRules.of({"S(N *)", "N(*)"}, roots={"S"}, words={"dogs": {"N"}, "bark": {"S"}})
    >>> sorted(grammar.for_sentence(Sentence.of("dogs bark")).categories_of(2))
    ['S']
    """

    kind: ClassVar[str] = "dependency-rules"

    basis: RuleSet | TreeLinks | GoldLinks
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(
        cls,
        rules: Iterable[Rule | str],
        roots: Iterable[str],
        words: Mapping[str, Iterable[str]] | None = None,
        tags: Mapping[str, Iterable[str]] | None = None,
    ) -> DependencyRules:
        """Return a grammar from its parts.

        Parameters
        ----------
        rules : rules, or strings such as ``S(N * N)``.
        roots : the categories of a root.
        words, tags : the categories of each word form, and of each part of speech.

        Raises
        ------
        UsageError : a rule without exactly one ``*``, a name that is empty or reserved.
        """
        parsed = tuple(_rule(rule) if isinstance(rule, str) else rule for rule in rules)
        return cls(RuleSet(parsed, frozenset(roots), Lexicon.of(words, tags)))

    @classmethod
    def from_heads(cls, heads: Iterable[int]) -> DependencyRules:
        """Return the grammar of one tree: each word its own category, with the rule the tree gives it.

        Raises
        ------
        UsageError : the heads are not a tree.

        >>> from schemata.structures.sentence import Sentence
        >>> [str(rule) for rule in DependencyRules.from_heads((2, 0)).for_sentence(Sentence.of("a b")).rules]
        ['w1(*)', 'w2(w1 *)']
        """
        return cls(TreeLinks(tree_of(heads)))

    @classmethod
    def gold(cls) -> DependencyRules:
        """Return the grammar that gives each sentence the rules of its own gold tree."""
        return cls(GoldLinks())

    @classmethod
    def read(cls, path: str | PathLike[str]) -> DependencyRules:
        """Read a dependency rule file, usually with suffix ``.deprules``.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported.
        """
        from schemata.grammars.rule_files import parse_dependency_rules

        rules, warnings = parse_dependency_rules(read_text(path))
        return cls(rules, warnings)

    def for_sentence(self, sentence: Sentence) -> RuleSentenceGrammar:
        """Return the rules, root categories and categories of words for a sentence.

        Raises
        ------
        GrammarError : a word of no category, a tree of another length, gold heads asked of a sentence
            without them, parts of speech of one without tags.
        """
        match self.basis:
            case RuleSet(_, roots, lexicon):
                return RuleSentenceGrammar(len(sentence), self.basis.table, roots, lexicon.look_up(sentence))
            case TreeLinks(tree):
                return tree_grammar(tree_of_length(tree, sentence))
            case GoldLinks():
                return tree_grammar(gold_tree(sentence))


def tree_grammar(tree: DependencyTree) -> RuleSentenceGrammar:
    """Return the grammar whose only analysis is a tree: word i is of category ``wi`` and has one rule.

    The root is a single word in all schemata over dependency rules: a tree with more roots has no analysis.
    """
    n = len(tree)
    rules = []
    for h in range(1, n + 1):
        dependents = tree.dependents(h)
        left = [f"w{d}" for d in dependents if d < h]
        rules.append(Rule(f"w{h}", (*left, HEAD, *(f"w{d}" for d in dependents if d > h))))
    categories = {i: frozenset((f"w{i}",)) for i in range(1, n + 1)}
    return RuleSentenceGrammar(n, RuleTable(tuple(rules)), frozenset(f"w{d}" for d in tree.roots), categories)


def _rule(text: str) -> Rule:
    """Return a rule from a string such as ``S(N * N)``."""
    lhs, opened, rest = text.partition("(")
    body, closed, after = rest.rpartition(")")
    if not (opened and closed) or after.strip():
        raise UsageError(f"a dependency rule is written S(N * N), not {text}")
    return Rule(lhs.strip(), tuple(HEAD if symbol == "*" else symbol for symbol in body.split()))
