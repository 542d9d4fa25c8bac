"""Textbook parsers for context-free grammars: CYK, Earley and left corner; and parse trees by brute force.

The words of a sentence are known by their categories: a rule's body holds nonterminals and categories of
words, and a word is recognised where cat(h, t) holds for the symbol t. Positions and names are those of the
dependency-rule schemata: `edge[A(alpha . beta), i, j]` covers the words i..j, `edge[A, i, j]` in CYK.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from tests.oracle.naive import Derived, Instance, Item, System
from tests.oracle.rule_items import (
    RuleSystem,
    Steps,
    edge,
    final_root,
    within_words_or_empty,
    word,
    words,
)
from tests.oracle.rules import Rule, RuleGrammar, left_corners
from tests.oracle.single_dotted import completer

__all__ = ["cyk", "earley", "left_corner", "parse_trees", "random_cfg"]


def _symbol_edge(category: str, i: int, j: int) -> Item:
    return ("edge", (category, i, j))


def cyk() -> RuleSystem:
    """Return Cocke-Younger-Kasami for rules A(B C) and A(t): edge[A, i, j]."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        for i in range(1, n + 1):
            # Scan: word(i) |- [A, i, i] if cat(i,A)
            for category in grammar.lexicon[i - 1]:
                yield Instance("Scan", (word(i),), _symbol_edge(category, i, i))
        for rule in grammar.rules:
            match rule.body:
                case (t,):
                    # Scan: word(i) |- [A, i, i] if rule A(t), cat(i,t)
                    for i in range(1, n + 1):
                        if grammar.is_of(i, t):
                            yield Instance("Scan", (word(i),), _symbol_edge(rule.category, i, i))
                case (b, c):
                    # Combine: [B, i, j], [C, j+1, k] |- [A, i, k] if rule A(B C)
                    for _, i, j in derived.with_field("edge", 0, b):
                        for found, _, k in derived.with_field("edge", 1, j + 1):
                            if found == c:
                                premises = (_symbol_edge(b, i, j), _symbol_edge(c, j + 1, k))
                                yield Instance("Combine", premises, _symbol_edge(rule.category, i, k))

    def final(n: int, grammar: RuleGrammar, item: Item) -> bool:
        # final [S, 1, n] if *(S)
        return item in {_symbol_edge(s, 1, n) for s in grammar.starts}

    return System("cyk", words, steps, final)


def _scanner(grammar: RuleGrammar, derived: Derived) -> Steps:
    # Scanner: [A(alpha . t beta), i, h-1], word(h) |- [A(alpha t . beta), i, h] if cat(h,t)
    for dotted, i, j in derived.of("edge"):
        alpha, rest = dotted.parts
        if rest and dotted.category is not None and grammar.is_of(j + 1, rest[0]):
            premises = (edge(dotted.category, dotted.parts, i, j), word(j + 1))
            parts = ((*alpha, rest[0]), rest[1:])
            yield Instance("Scanner", premises, edge(dotted.category, parts, i, j + 1))


def _initter(grammar: RuleGrammar) -> Steps:
    # Initter: |- [(. S), 1, 0] if *(S)
    for s in grammar.starts:
        yield Instance("Initter", (), edge(None, ((), (s,)), 1, 0))


def earley() -> RuleSystem:
    """Return Earley's parser: edge[A(alpha . beta), i, j], 1 <= i <= j + 1 <= n + 1; bodies may be empty."""

    def steps(_n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        yield from _initter(grammar)
        # Predictor: ctx [A(alpha . B beta), i, j] |- [B(. gamma), j+1, j] if rule B(gamma)
        for dotted, i, j in derived.of("edge"):
            for rule in grammar.rules:
                if dotted.parts[1][:1] == (rule.category,):
                    context = edge(dotted.category, dotted.parts, i, j)
                    predicted = edge(rule.category, ((), rule.body), j + 1, j)
                    yield Instance("Predictor", (context,), predicted, context=(0,))
        yield from _scanner(grammar, derived)
        yield from completer(derived)

    return System("earley", words, steps, final_root, within_words_or_empty)


def left_corner() -> RuleSystem:
    """Return the left-corner parser, predicting top-down from [(. S), 1, 0]; no empty bodies."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        corners = left_corners(grammar)
        yield from _initter(grammar)
        for dotted, k, before in derived.of("edge"):
            for rule in grammar.rules:
                wanted = dotted.parts[1][:1]
                if wanted and (wanted[0], rule.category) in corners:
                    context = edge(dotted.category, dotted.parts, k, before)
                    i, first = before + 1, rule.body[0]
                    # LC-scan: ctx [C(alpha . E delta), k, i-1], word(i) |- [A(t . beta), i, i]
                    #   if rule A(t beta), cat(i,t), E lc* A
                    if i <= n and grammar.is_of(i, first):
                        opened = edge(rule.category, ((first,), rule.body[1:]), i, i)
                        yield Instance("LC-scan", (context, word(i)), opened, context=(0,))
                    # LC-complete: ctx [C(alpha . E delta), k, i-1], [B(gamma .), i, j] |- [A(B . beta), i, j]
                    #   if rule A(B beta), E lc* A
                    for found, _, j in derived.with_field("edge", 1, i):
                        if found.category == first and not found.parts[1]:
                            premise = edge(first, found.parts, i, j)
                            opened = edge(rule.category, ((first,), rule.body[1:]), i, j)
                            yield Instance("LC-complete", (context, premise), opened, context=(0,))
        yield from _scanner(grammar, derived)
        yield from completer(derived)

    return System("left-corner", words, steps, final_root, within_words_or_empty)


# ----------------------------------------------------------------------------------- trees by brute force


def parse_trees(grammar: RuleGrammar) -> frozenset[Any]:
    """Return the parse trees of the grammar's sentence, as nested (symbol, children) pairs.

    Straight from the definition; no empty bodies and no cycles of rules with one nonterminal.
    """
    n = len(grammar.lexicon)
    return frozenset(tree for s in grammar.starts for tree in _trees_of(grammar, s, 1, n))


def _trees_of(grammar: RuleGrammar, symbol: str, i: int, j: int) -> Iterator[Any]:
    if i == j and grammar.is_of(i, symbol):
        yield (symbol, i)
    for rule in grammar.rules_for(symbol):
        for cuts in _cuts(i, j, len(rule.body)):
            places = zip(rule.body, cuts, strict=True)
            parts = [list(_trees_of(grammar, part, a, b)) for part, (a, b) in places]
            yield from ((symbol, children) for children in product(*parts))


def _cuts(i: int, j: int, pieces: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every way of cutting the words i..j into that many non-empty pieces."""
    if pieces == 1:
        if i <= j:
            yield ((i, j),)
        return
    for k in range(i, j):
        for rest in _cuts(k + 1, j, pieces - 1):
            yield ((i, k), *rest)


def random_cfg(rng: random.Random, n: int, *, normal_form: bool) -> RuleGrammar:
    """Return a small random grammar over nonterminals S, A, B and word categories a, b for n words.

    In Chomsky normal form, or with bodies of one word category or two to three symbols of any kind.
    """
    nonterminals, terminals = "SAB", "ab"
    rules = {Rule(rng.choice(nonterminals), (t,)) for t in terminals}
    for _ in range(rng.randint(2, 6)):
        symbols = nonterminals if normal_form else nonterminals + terminals
        size = 2 if normal_form else rng.choice([2, 2, 3])
        rules.add(Rule(rng.choice(nonterminals), tuple(rng.choices(symbols, k=size))))
    lexicon = tuple(frozenset({rng.choice(terminals)}) for _ in range(n))
    return RuleGrammar(frozenset(rules), frozenset({"S"}), lexicon)
