"""Prefixes of the sentences of a grammar, and the words that can follow them within some sentence.

`Productions` is the common form of context-free grammars and of dependency rules: in a dependency rule the head word is
a symbol of its own, `(HEAD, A)`, to which the words of category A belong. A grammar is *reduced* first: symbols from
which no sentence derives, and those that no sentence has, are left out. After that Earley's parser has the valid-prefix
property: a column of items that is not empty belongs to the prefix of some sentence (Earley 1970; Graham, Harrison and
Ruzzo 1980). Columns are values, so that prefixes share common columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from schemata.errors import UsageError
from schemata.grammars.rules import HEAD, ContextFreeGrammar, DependencyRules, Lexicon, Rule, RuleSet
from schemata.grouping import derivable, grouped, reachable
from schemata.records import Record, replace
from schemata.structures.sentence import Sentence

Symbol: TypeAlias = "str | tuple[str, str]"
WordToken: TypeAlias = tuple[str, str]
"""A word form `("word", form)`, or all words of a part of speech `("tag", part of speech)`."""

START: Symbol = (HEAD, "")
"""The symbol above the start symbol or the root categories."""


class Production(Record):
    """A rule over symbols, with its weight in log space."""

    lhs: Symbol
    body: tuple[Symbol, ...]
    weight: float = 0.0


class Productions(Record, slots=False, eq=False):
    """A grammar whose sentences are words that derive from `START`.

    Parameters
    ----------
    rules : the rules; those that a reduced grammar lacks are left out.
    entries : the words of each symbol, as tokens with their weights in log space.
    lexicon : looks up the categories of the words of a prefix.
    weighted : whether the grammar has weights.
    """

    rules: tuple[Production, ...]
    entries: Mapping[Symbol, Mapping[WordToken, float]]
    lexicon: Lexicon
    weighted: bool

    @classmethod
    def of(cls, grammar: Any) -> Productions:
        """Return a context-free grammar or a grammar of dependency rules in reduced form.

        Raises
        ------
        UsageError : another kind of grammar, or dependency rules of a tree, which are those of one sentence.

        >>> grammar = ContextFreeGrammar.of([("S", ('"a"', "S")), ("S", ('"b"',)), ("S", ("X", "S"))], "S")
        >>> [(one.lhs, one.body) for one in Productions.of(grammar).rules if one.lhs == "S"]
        [('S', ('"a"', 'S'))]
        """
        match grammar:
            case ContextFreeGrammar(rules=rules, start=start, weights=weights):
                roots, lexicon = [start], grammar.full_lexicon
            case DependencyRules(basis=RuleSet(rules, among, lexicon, weights)):
                roots = sorted(among)
            case _:
                message = "the sentences of this grammar are not described by rules and words alone"
                expected = "a context-free grammar or dependency rules, from a file or made of rules"
                raise UsageError(message, code="no-prefixes", expected=expected)
        known = dict(weights)
        heads = isinstance(grammar, DependencyRules)
        found = [_production(rule, known.get(rule, 0.0)) for rule in rules]
        found += (Production(START, (root,), weight=known.get(("root", root), 0.0)) for root in roots)
        entries: dict[Symbol, dict[WordToken, float]] = {}
        for kind, listed in (("word", lexicon.words), ("tag", lexicon.tags)):
            for key, category in listed:
                symbol = (HEAD, category) if heads else category
                entries.setdefault(symbol, {})[kind, key] = known.get((kind, key, category), 0.0)
        return cls(tuple(reduced(found, entries)), entries, lexicon, bool(weights))

    @cached_property
    def of_symbol(self) -> Mapping[Symbol, list[int]]:
        """The numbers of the rules of each symbol."""
        return grouped((rule.lhs, number) for number, rule in enumerate(self.rules))

    @cached_property
    def nullable(self) -> frozenset[Symbol]:
        """The symbols from which the empty string derives."""
        return frozenset(derivable((), [(rule.body, rule.lhs) for rule in self.rules]))

    @property
    def has_heads(self) -> bool:
        """Whether words stand under symbols of their own, as in dependency rules."""
        return all(isinstance(symbol, tuple) for symbol in self.entries)

    def category(self, symbol: Symbol) -> str:
        """Return the category of a symbol, as the grammar's file writes it."""
        return symbol[1] if isinstance(symbol, tuple) else symbol

    def look_up(self, sentence: Sentence) -> list[frozenset[Symbol]]:
        """Return the symbols that each word may be of.

        Raises
        ------
        GrammarError : some words are of no category; or the lexicon needs tags, and the sentence has none.
        """
        found, _ = self.lexicon.look_up(sentence)
        heads = self.has_heads
        return [frozenset((HEAD, c) if heads else c for c in found[i]) for i in range(1, len(sentence) + 1)]

    def word_weights(self, sentence: Sentence) -> list[dict[Symbol, float]]:
        """Return the symbols of each word with weights in log space: that of a form goes before that of a tag."""
        found: list[dict[Symbol, float]] = []
        for place, symbols in enumerate(self.look_up(sentence)):
            keys: list[WordToken] = [("tag", sentence.tags[place])] if sentence.tags else []
            keys.append(("word", sentence.words[place]))
            found.append(
                {s: next(e[k] for k in reversed(keys) if k in e) for s in symbols if (e := self.entries[s])}
            )
        return found

    def weighs(self, sentence: Sentence | None) -> bool:
        """Whether some sentence with a weight above 0 begins with these words; with None, whether there is any."""
        entries = {x: {k: w for k, w in one.items() if w > -math.inf} for x, one in self.entries.items()}
        entries = {x: one for x, one in entries.items() if one}
        rules = [rule for rule in self.rules if rule.weight > -math.inf]
        left = replace(self, rules=tuple(reduced(rules, entries)), entries=entries)
        prefix = left.begin
        for weights in [] if sentence is None else self.word_weights(sentence):
            prefix = prefix.after(x for x, weight in weights.items() if weight > -math.inf)
        return bool(left.rules) and prefix.is_valid

    @cached_property
    def least(self) -> Mapping[Symbol, int]:
        """The least length of the strings that derive from each symbol, in words."""
        least: dict[Symbol, int] = dict.fromkeys(self.entries, 1)
        changed = True
        while changed:
            changed = False
            for rule in self.rules:
                if all(symbol in least for symbol in rule.body):
                    count = sum(least[symbol] for symbol in rule.body)
                    if count < least.get(rule.lhs, math.inf):
                        least[rule.lhs], changed = count, True
        return least

    @property
    def begin(self) -> Prefix:
        """The empty prefix."""
        return Prefix(
            self, (_closed(self, {(number, 0, 0) for number in self.of_symbol.get(START, ())}, ()),)
        )


EarleyItem: TypeAlias = tuple[int, int, int]
"""An item of Earley's parser: the number of a rule, how much of its body is found, and the column where that begins."""


class WaitingItems(Record, eq=False):
    """The items after a word: by the symbol that they wait for; and those of whole rules, as (symbol, column)."""

    waiting: Mapping[Symbol, tuple[EarleyItem, ...]]
    whole: frozenset[tuple[Symbol, int]]


class Prefix(Record, eq=False, repr=False, slots=False):
    """Some words, with the columns of items before the first word and after each."""

    grammar: Productions
    columns: tuple[WaitingItems, ...]

    @property
    def is_valid(self) -> bool:
        """Whether a sentence begins with these words."""
        return bool(self.columns[-1].waiting or self.columns[-1].whole)

    @property
    def is_sentence(self) -> bool:
        """Whether these words are a sentence."""
        return (START, 0) in self.columns[-1].whole

    @cached_property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols of words that can follow."""
        return frozenset(symbol for symbol in self.columns[-1].waiting if symbol in self.grammar.entries)

    @cached_property
    def tokens(self) -> frozenset[WordToken]:
        """The words and parts of speech that can follow."""
        return frozenset(token for symbol in self.symbols for token in self.grammar.entries[symbol])

    def after(self, symbols: Iterable[Symbol]) -> Prefix:
        """Return the prefix with one more word, which may be of any of these symbols."""
        here = self.columns[-1].waiting
        scanned = {(rule, dot + 1, origin) for x in symbols for rule, dot, origin in here.get(x, ())}
        return Prefix(self.grammar, (*self.columns, _closed(self.grammar, scanned, self.columns)))

    def after_words(self, sentence: Sentence) -> Prefix:
        """Return the prefix with the words of a sentence.

        Raises
        ------
        GrammarError : some words are of no category.
        """
        found = self
        for symbols in self.grammar.look_up(sentence):
            found = found.after(symbols)
        return found

    @property
    def words_left(self) -> int | None:
        """The least number of words that make a sentence of the prefix; None if none do."""
        least, rules = self.grammar.least, self.grammar.rules
        left: list[
            dict[Symbol, float]
        ] = []  # by column and symbol: the least after a symbol that begins there
        best = math.inf
        for number, column in enumerate(self.columns):
            here: dict[Symbol, float] = {START: 0} if number == 0 else {}
            left.append(here)
            changed = True
            while changed:
                changed = False
                for symbol, items in column.waiting.items():
                    for rule, dot, origin in items:
                        rest = sum(least[x] for x in rules[rule].body[dot + 1 :])
                        count = rest + left[origin].get(rules[rule].lhs, math.inf)
                        if count < here.get(symbol, math.inf):
                            here[symbol], changed = count, True
        last = self.columns[-1]
        best = min((left[-1].get(x, math.inf) + least[x] for x in last.waiting), default=math.inf)
        best = 0 if self.is_sentence else best
        return None if best == math.inf else int(best)

    @property
    def completion(self) -> Iterator[Symbol]:
        """The symbols of words that make a shortest sentence of a valid prefix."""
        prefix = self
        while left := prefix.words_left:
            grown = ((x, prefix.after([x])) for x in sorted(prefix.symbols, key=str))
            symbol, prefix = next((x, after) for x, after in grown if after.words_left == left - 1)
            yield symbol


def _production(rule: Rule, weight: float) -> Production:
    body: Iterable[Symbol] = ((HEAD, rule.lhs) if symbol == HEAD else symbol for symbol in rule.body)
    return Production(rule.lhs, tuple(body), weight)


def reduced(rules: list[Production], words: Iterable[Symbol]) -> list[Production]:
    """Return the rules from which sentences derive."""
    alive = derivable(words, [(rule.body, rule.lhs) for rule in rules])
    kept = [rule for rule in rules if alive.issuperset(rule.body)]
    bodies = grouped((rule.lhs, rule.body) for rule in kept)
    reached = reachable([START], lambda lhs: (x for body in bodies.get(lhs, ()) for x in body))
    return [rule for rule in kept if rule.lhs in reached]


def _closed(grammar: Productions, items: set[EarleyItem], before: tuple[WaitingItems, ...]) -> WaitingItems:
    """Return the column of items after predictions and completions; `before` are the columns to its left."""
    here, rules, nullable = len(before), grammar.rules, grammar.nullable
    agenda, seen = list(items), set(items)
    waiting: dict[Symbol, list[EarleyItem]] = {}
    whole: set[tuple[Symbol, int]] = set()
    while agenda:
        number, dot, origin = agenda.pop()
        rule = rules[number]
        found: list[EarleyItem] = []
        if dot == len(rule.body):
            if (rule.lhs, origin) in whole:
                continue
            whole.add((rule.lhs, origin))
            # What derives nothing is completed where it is predicted (Aycock and Horspool 2002).
            above = before[origin].waiting.get(rule.lhs, ()) if origin < here else ()
            found += ((r, d + 1, o) for r, d, o in above)
        else:
            symbol = rule.body[dot]
            waiting.setdefault(symbol, []).append((number, dot, origin))
            found += ((r, 0, here) for r in grammar.of_symbol.get(symbol, ()))
            if symbol in nullable:
                found.append((number, dot + 1, origin))
        for item in found:
            if item not in seen:
                seen.add(item)
                agenda.append(item)
    return WaitingItems({symbol: tuple(listed) for symbol, listed in waiting.items()}, frozenset(whole))
