"""Plain context-free grammars, for the textbook schemata: rules, a start symbol, a lexicon.

A rule whose right-hand side is one terminal is a lexicon entry, so that a category is a word's in one way
only. A terminal within a longer rule is a symbol of its own, written in double quotes; the word it names is
of that category.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import ClassVar

from schemata.errors import Diagnostic, UsageError
from schemata.grammars.rules import RESERVED, Lexicon, Rule, RuleSentenceGrammar, RuleTable
from schemata.grammars.text import checked, is_bare, read_text
from schemata.structures.sentence import Sentence

MARKS = ("->", "→", "|", ":", ",")
"""The punctuation of ``.cfg`` files; no category holds it."""


def terminal(word: str) -> str:
    """Return the symbol of a terminal: its word in double quotes.

    >>> terminal("up")
    '"up"'
    """
    return f'"{word}"'


def is_terminal(symbol: str) -> bool:
    """Tell whether a symbol of a rule is a terminal."""
    return len(symbol) > 2 and symbol[0] == symbol[-1] == '"'


def word_of(symbol: str) -> str:
    """Return the word of a terminal."""
    return symbol[1:-1]


@dataclass(frozen=True)
class ContextFreeGrammar:
    """A context-free grammar; make one with `of` or `read`.

    Parameters
    ----------
    rules : the rules. A terminal in a body is its word in double quotes, as `terminal` writes it.
    start : the start symbol.
    lexicon : the categories of words; it holds the rules whose body is one terminal.
    warnings : what the file the grammar was read from made one wonder about; no part of its value.

    Raises
    ------
    UsageError : a category that could not stand in a file, a terminal on the left of a rule.

    >>> from schemata.structures.sentence import Sentence
    >>> grammar = ContextFreeGrammar.of([("S", ("NP", "V")), ("NP", ('"dogs"',))], "S", words={"bark": ["V"]})
    >>> sentence_grammar = grammar.for_sentence(Sentence.of("dogs bark"))
    >>> sentence_grammar.categories_of(1), [str(rule) for rule in sentence_grammar.rules]
    (frozenset({'NP'}), ['S -> NP V'])
    """

    kind: ClassVar[str] = "context-free"

    rules: tuple[Rule, ...]
    start: str
    lexicon: Lexicon = field(default_factory=Lexicon)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        kept, entries = set(), list(self.lexicon.words)
        for rule in self.rules:
            if len(rule.body) == 1 and is_terminal(rule.body[0]):
                entries.append((word_of(rule.body[0]), rule.lhs))
            else:
                kept.add(rule)
        rules = tuple(sorted(kept))
        lexicon = Lexicon(tuple(entries), self.lexicon.tags)
        symbols = {symbol for rule in rules for symbol in rule.body if not is_terminal(symbol)}
        start = checked(self.start, "a category")
        for category in symbols | {rule.lhs for rule in rules} | {start} | lexicon.categories:
            if not is_bare(category, MARKS) or category in ("ε", *RESERVED):
                raise UsageError(f"a category cannot be called {category}")
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "lexicon", lexicon)

    @cached_property
    def table(self) -> RuleTable:
        """The rules by category."""
        return RuleTable(self.rules)

    @cached_property
    def _full_lexicon(self) -> Lexicon:
        """The lexicon with the terminals of rules, each of which is a category of its word."""
        terminals = {symbol for rule in self.rules for symbol in rule.body if is_terminal(symbol)}
        words = (*self.lexicon.words, *((word_of(symbol), symbol) for symbol in terminals))
        return Lexicon(words, self.lexicon.tags)

    @classmethod
    def of(
        cls,
        rules: Iterable[tuple[str, Iterable[str]]],
        start: str,
        words: Mapping[str, Iterable[str]] | None = None,
        tags: Mapping[str, Iterable[str]] | None = None,
    ) -> ContextFreeGrammar:
        """Return a grammar from its parts.

        Parameters
        ----------
        rules : pairs (left-hand side, right-hand side); terminals in double quotes.
        start : the start symbol.
        words, tags : the categories of each word form, and of each part of speech.

        Raises
        ------
        UsageError : as for the class.
        """
        return cls(tuple(Rule(lhs, tuple(rhs)) for lhs, rhs in rules), start, Lexicon.of(words, tags))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> ContextFreeGrammar:
        """Read a context-free grammar file, usually with suffix ``.cfg``.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported.
        """
        from schemata.grammars.rule_files import parse_context_free

        return parse_context_free(read_text(path))

    @property
    def terminals(self) -> tuple[str, ...]:
        """The words that rules and lexicon mention, sorted."""
        return tuple(sorted({word for word, _ in self._full_lexicon.words}))

    def for_sentence(self, sentence: Sentence) -> RuleSentenceGrammar:
        """Return the rules, the start symbol (as the one root category) and the categories of words.

        Raises
        ------
        GrammarError : a word of no category, parts of speech asked of a sentence without tags.
        """
        categories = self._full_lexicon.look_up(sentence)
        return RuleSentenceGrammar(len(sentence), self.table, frozenset((self.start,)), categories)

    def is_cnf(self) -> bool:
        """Tell whether the grammar is in Chomsky normal form; `check_cnf` says what offends."""
        return not self.check_cnf()

    def check_cnf(self) -> tuple[Rule, ...]:
        """Return the rules that are not in Chomsky normal form, in order; none if the grammar is.

        The form asks for two categories on the right, or (a lexicon entry here) for one terminal.

        >>> grammar = ContextFreeGrammar.of([("S", "AA"), ("A", "B"), ("B", ('"b"', "B"))], "S")
        >>> [str(rule) for rule in grammar.check_cnf()]
        ['A -> B', 'B -> "b" B']
        """
        return tuple(r for r in self.rules if len(r.body) != 2 or any(map(is_terminal, r.body)))
