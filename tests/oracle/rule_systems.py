"""The systems over rules, each step with the printed rule above the code that is the rule; and all by name."""

import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from tests.oracle.naive import Derived, Instance, Item, System, word, words
from tests.oracle.rules import (
    HEAD,
    Rule,
    RuleGrammar,
    RuleSystem,
    Steps,
    Symbols,
    edge,
    final_complete,
    final_root,
    is_complete,
    left_corners,
    within_words,
    within_words_or_empty,
)

# Dependency rules A(alpha ^ beta) with one dot: Earley's way and by left corners ----------------------------
#
# Items are `edge[A(alpha . beta), i, j]`; each step has the printed rule above its code.


# ------------------------------------------------------------------ single-dotted: Earley and left corner


def _initter_root(grammar: RuleGrammar) -> Steps:
    # Initter: |- [(. S), 1, 0] if *(S)
    for s in grammar.starts:
        yield Instance("Initter", (), edge(None, ((), (s,)), 1, 0))


def _scanner(grammar: RuleGrammar, derived: Derived) -> Steps:
    # Scanner: [A(alpha . * beta), i, h-1], word(h) |- [A(alpha * . beta), i, h] if cat(h,A)
    for dotted, i, j in derived.of("edge"):
        alpha, rest = dotted.parts
        if rest[:1] == (HEAD,) and grammar.is_of(j + 1, dotted.category):
            premises = (edge(dotted.category, dotted.parts, i, j), word(j + 1))
            yield Instance("Scanner", premises, edge(dotted.category, ((*alpha, HEAD), rest[1:]), i, j + 1))


def completer(derived: Derived) -> Steps:
    """Completer: [A(alpha . B beta), i, j], [B(gamma .), j+1, k] |- [A(alpha B . beta), i, k]."""
    for dotted, i, j in derived.of("edge"):
        alpha, rest = dotted.parts
        for found, _, k in derived.with_field("edge", 1, j + 1):
            if rest and found.category == rest[0] and not found.parts[1]:
                premises = (edge(dotted.category, dotted.parts, i, j), edge(rest[0], found.parts, j + 1, k))
                consequent = edge(dotted.category, ((*alpha, rest[0]), rest[1:]), i, k)
                yield Instance("Completer", premises, consequent)


def _predicting(name: str, scanner: Callable[[RuleGrammar, Derived], Steps]) -> RuleSystem:
    """Return an Earley parser: edge[A(alpha . beta), i, j], 1 <= i <= j + 1 <= n + 1."""

    def steps(_n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        yield from _initter_root(grammar)
        # Predictor: ctx [A(alpha . B beta), i, j] |- [B(. gamma), j+1, j] if rule B(gamma)
        for dotted, i, j in derived.of("edge"):
            for rule in grammar.rules:
                if dotted.parts[1][:1] == (rule.category,):
                    context = edge(dotted.category, dotted.parts, i, j)
                    predicted = edge(rule.category, ((), rule.body), j + 1, j)
                    yield Instance("Predictor", (context,), predicted, context=(0,))
        yield from scanner(grammar, derived)
        yield from completer(derived)

    return System(name, words, steps, final_root, within_words_or_empty)


def lombardo_lesmo1996() -> RuleSystem:
    """Return Lombardo & Lesmo 1996, an Earley parser."""
    return _predicting("lombardo-lesmo1996", _scanner)


def kahane1998() -> RuleSystem:
    """Return Kahane, Nasr & Rambow 1998, a bottom-up Earley parser."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        yield from _initter_root(grammar)
        # Initter: |- [A(. alpha), i, i-1] if rule A(alpha), 1 <= i <= n
        for rule in grammar.rules:
            for i in range(1, n + 1):
                yield Instance("Initter", (), edge(rule.category, ((), rule.body), i, i - 1))
        yield from _scanner(grammar, derived)
        yield from completer(derived)

    return System("kahane1998", words, steps, final_root, within_words_or_empty)


def bulc(dependents_open: bool = True) -> RuleSystem:
    """Return the bottom-up left-corner parser: a rule is opened by its first symbol."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        for rule in grammar.rules:
            # LC-scan: word(h) |- [A(* . beta), h, h] if rule A(* beta), cat(h,A)
            for h in range(1, n + 1):
                if rule.body[0] == HEAD and grammar.is_of(h, rule.category):
                    yield Instance("LC-scan", (word(h),), _opened(rule.category, rule.body, h, h))
            # LC-complete: [B(gamma .), i, j] |- [A(B . beta), i, j] if rule A(B beta)
            for dotted, i, j in derived.of("edge"):
                if dependents_open and dotted.category == rule.body[0] and not dotted.parts[1]:
                    premise = edge(dotted.category, dotted.parts, i, j)
                    yield Instance("LC-complete", (premise,), _opened(rule.category, rule.body, i, j))
        yield from _scanner(grammar, derived)
        yield from completer(derived)

    return System(
        "bulc" if dependents_open else "kahane1998-published", words, steps, final_complete, within_words
    )


def kahane1998_published() -> RuleSystem:
    """Return Kahane, Nasr & Rambow 1998 as published: a rule is opened by its own word alone."""
    return bulc(dependents_open=False)


def _opened(category: str, body: Symbols, i: int, j: int) -> Item:
    return edge(category, (body[:1], body[1:]), i, j)


def barbero1998() -> RuleSystem:
    """Return Barbero et al. 1998: the left-corner parser, filtered top-down."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        corners = left_corners(grammar)
        for rule in grammar.rules:
            for premise, i, j, step in _left_corner_premises(
                n, grammar, derived, rule.category, rule.body[0]
            ):
                consequent = _opened(rule.category, rule.body, i, j)
                # at 1: S lc* A for some *(S)
                if i == 1 and any((s, rule.category) in corners for s in grammar.starts):
                    yield Instance(f"{step}-1", (premise,), consequent)
                # later: ctx [C(alpha . E delta), k, i-1] with E lc* A
                for dotted, k, before in derived.with_field("edge", 2, i - 1):
                    if dotted.parts[1] and (dotted.parts[1][0], rule.category) in corners:
                        context = edge(dotted.category, dotted.parts, k, before)
                        yield Instance(step, (context, premise), consequent, context=(0,))
        yield from _scanner(grammar, derived)
        yield from completer(derived)

    return System("barbero1998", words, steps, final_complete, within_words)


def _left_corner_premises(
    n: int, grammar: RuleGrammar, derived: Derived, category: str, first: str
) -> Iterator[tuple[Item, int, int, str]]:
    """Yield (premise, i, j, step) for all that can open a rule of this category with this first symbol."""
    if first == HEAD:
        # LC-scan: [ctx,] word(i) |- [A(* . beta), i, i] if rule A(* beta), cat(i,A)
        for h in range(1, n + 1):
            if grammar.is_of(h, category):
                yield word(h), h, h, "LC-scan"
    else:
        # LC-complete: [ctx,] [B(gamma .), i, j] |- [A(B . beta), i, j] if rule A(B beta)
        for dotted, i, j in derived.of("edge"):
            if dotted.category == first and not dotted.parts[1]:
                yield edge(first, dotted.parts, i, j), i, j, "LC-complete"


# Dependency rules with two dots: head corner, and de Vreught & Honig's dVH1 to dVH3 -------------------------
#
# Items are `edge[A(alpha . beta . gamma), i, j]`, alpha and gamma still to be found; the O(n^5) head-corner
# schema has the head word as a last field, and only its steps know which link they build.


# --------------------------------------------------------------------------------------------- head corner


def head_corner5() -> RuleSystem:
    """Return the head-corner parser whose items know their head word: edge[A(a . b . c), i, j, h]."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        # Init: word(h) |- [A(alpha o * o gamma), h, h, h] if rule A(alpha * gamma), cat(h,A)
        for item, h in _head_items(n, grammar):
            yield Instance("Init", (word(h),), ("edge", (*item[1], h)))
        for dotted, i, j, h in derived.of("edge"):
            alpha, beta, gamma = dotted.parts
            premise = edge(dotted.category, dotted.parts, i, j, h)
            for found, x, y, g in derived.of("edge"):
                child = edge(found.category, found.parts, x, y, g)
                if is_complete(found):
                    # Left: [A(alpha B o beta o gamma), j+1, k, h], [B(o delta o), i, j, h']
                    #   |- [A(alpha o B beta o gamma), i, k, h], link h' to h
                    if alpha[-1:] == (found.category,) and y + 1 == i:
                        parts = (alpha[:-1], (*alpha[-1:], *beta), gamma)
                        after = edge(dotted.category, parts, x, j, h)
                        yield Instance("Left", (premise, child), after, ((g, h),))
                    # Right: [A(alpha o beta o B gamma), i, j, h], [B(o delta o), j+1, k, h']
                    #   |- [A(alpha o beta B o gamma), i, k, h], link h' to h
                    if gamma[:1] == (found.category,) and x == j + 1:
                        parts = (alpha, (*beta, *gamma[:1]), gamma[1:])
                        after = edge(dotted.category, parts, i, y, h)
                        yield Instance("Right", (premise, child), after, ((g, h),))

    return System("head-corner5", words, steps, final_complete, within_words)


def head_corner3() -> RuleSystem:
    """Return the head-corner parser without the head word in its items (after Courtin & Genthial 1998)."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        # Init: word(h) |- [A(alpha o * o gamma), h, h] if rule A(alpha * gamma), cat(h,A)
        for item, h in _head_items(n, grammar):
            yield Instance("Init", (word(h),), item)
        for dotted, i, j in derived.of("edge"):
            alpha, beta, gamma = dotted.parts
            premise = edge(dotted.category, dotted.parts, i, j)
            for found, x, y in derived.of("edge"):
                child = edge(found.category, found.parts, x, y)
                if is_complete(found):
                    # Left: [A(alpha B o beta o gamma), j+1, k], [B(o delta o), i, j]
                    #   |- [A(alpha o B beta o gamma), i, k]
                    if alpha[-1:] == (found.category,) and y + 1 == i:
                        parts = (alpha[:-1], (*alpha[-1:], *beta), gamma)
                        yield Instance("Left", (premise, child), edge(dotted.category, parts, x, j))
                    # Right: [A(alpha o beta o B gamma), i, j], [B(o delta o), j+1, k]
                    #   |- [A(alpha o beta B o gamma), i, k]
                    if gamma[:1] == (found.category,) and x == j + 1:
                        parts = (alpha, (*beta, *gamma[:1]), gamma[1:])
                        yield Instance("Right", (premise, child), edge(dotted.category, parts, i, y))

    return System("head-corner3", words, steps, final_complete, within_words)


def _head_items(n: int, grammar: RuleGrammar) -> Iterator[tuple[Item, int]]:
    """Yield [A(alpha o * o gamma), h, h] and h for every rule A(alpha * gamma) and h with cat(h,A)."""
    for rule in grammar.rules:
        at = rule.body.index(HEAD)
        for h in range(1, n + 1):
            if grammar.is_of(h, rule.category):
                yield edge(rule.category, (rule.body[:at], (HEAD,), rule.body[at + 1 :]), h, h), h


# -------------------------------------------------------------------------------------- dVH1, dVH2, dVH3


def dvh1() -> RuleSystem:
    """Return dVH1: any two adjacent parts of a rule are joined."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        yield from _init_and_include(n, grammar, derived)
        yield from _concatenate(derived, single=False)

    return System("dvh1", words, steps, final_complete, within_words)


def dvh2() -> RuleSystem:
    """Return dVH2: as dVH1, but the right part joined is a single symbol."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        yield from _init_and_include(n, grammar, derived)
        yield from _concatenate(derived, single=True)

    return System("dvh2", words, steps, final_complete, within_words)


def dvh3() -> RuleSystem:
    """Return dVH3: a part of a rule grows to the right by a word or a complete constituent."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        yield from _init_and_include(n, grammar, derived)
        for dotted, i, j in derived.of("edge"):
            alpha, b, rest = dotted.parts
            premise = edge(dotted.category, dotted.parts, i, j)
            # Advance-scan: [A(alpha o b o * gamma), i, h-1], word(h)
            #   |- [A(alpha o b * o gamma), i, h] if cat(h,A)
            if rest[:1] == (HEAD,) and grammar.is_of(j + 1, dotted.category):
                parts = (alpha, (*b, HEAD), rest[1:])
                after = edge(dotted.category, parts, i, j + 1)
                yield Instance("Advance-scan", (premise, word(j + 1)), after)
            # Advance-complete: [A(alpha o b o B gamma), i, j], [B(o delta o), j+1, k]
            #   |- [A(alpha o b B o gamma), i, k]
            for found, _, k in derived.with_field("edge", 1, j + 1):
                if rest[:1] == (found.category,) and is_complete(found):
                    child = edge(found.category, found.parts, j + 1, k)
                    parts = (alpha, (*b, rest[0]), rest[1:])
                    yield Instance("Advance-complete", (premise, child), edge(dotted.category, parts, i, k))

    return System("dvh3", words, steps, final_complete, within_words)


def _init_and_include(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
    # Init: word(h) |- [A(alpha o * o gamma), h, h] if rule A(alpha * gamma), cat(h,A)
    for item, h in _head_items(n, grammar):
        yield Instance("Init", (word(h),), item)
    # Include: [B(o delta o), i, j] |- [A(alpha o B o gamma), i, j] if rule A(alpha B gamma)
    for found, i, j in derived.of("edge"):
        if is_complete(found):
            for rule in grammar.rules:
                for at, symbol in enumerate(rule.body):
                    if symbol == found.category:
                        parts = (rule.body[:at], (symbol,), rule.body[at + 1 :])
                        premise = edge(found.category, found.parts, i, j)
                        yield Instance("Include", (premise,), edge(rule.category, parts, i, j))


def _concatenate(derived: Derived, *, single: bool) -> Steps:
    # Concatenate: [A(alpha o b1 o b2 gamma), i, j], [A(alpha b1 o b2 o gamma), j+1, k]
    #   |- [A(alpha o b1 b2 o gamma), i, k]; dVH2: only with a single symbol b2
    for left, i, j in derived.of("edge"):
        for right, _, k in derived.with_field("edge", 1, j + 1):
            alpha, b1, _ = left.parts
            before, b2, gamma = right.parts
            if left.rule == right.rule and before == (*alpha, *b1) and (len(b2) == 1 or not single):
                premises = (
                    edge(left.category, left.parts, i, j),
                    edge(right.category, right.parts, j + 1, k),
                )
                parts = (alpha, (*b1, *b2), gamma)
                yield Instance("Concatenate", premises, edge(left.category, parts, i, k))


# Textbook parsers for context-free grammars; and parse trees by brute force ---------------------------------
#
# The words of a sentence are known by their categories: a rule's body holds nonterminals and categories of
# words, and a word is recognised where cat(h, t) holds for the symbol t. Positions and names are those of the
# dependency-rule schemata: `edge[A(alpha . beta), i, j]` covers the words i..j, `edge[A, i, j]` in CYK.


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


def _cfg_scanner(grammar: RuleGrammar, derived: Derived) -> Steps:
    # Scanner: [A(alpha . t beta), i, h-1], word(h) |- [A(alpha t . beta), i, h] if cat(h,t)
    for dotted, i, j in derived.of("edge"):
        alpha, rest = dotted.parts
        if rest and dotted.category is not None and grammar.is_of(j + 1, rest[0]):
            premises = (edge(dotted.category, dotted.parts, i, j), word(j + 1))
            parts = ((*alpha, rest[0]), rest[1:])
            yield Instance("Scanner", premises, edge(dotted.category, parts, i, j + 1))


def earley() -> RuleSystem:
    """Return Earley's parser; bodies may be empty."""
    return _predicting("earley", _cfg_scanner)


def left_corner() -> RuleSystem:
    """Return the left-corner parser, predicting top-down from [(. S), 1, 0]; no empty bodies."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        corners = left_corners(grammar)
        yield from _initter_root(grammar)
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
        yield from _cfg_scanner(grammar, derived)
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


# All of them by name ----------------------------------------------------------------------------------------


DEPENDENCY_RULE_SYSTEMS: dict[str, Callable[[], RuleSystem]] = {
    "lombardo-lesmo1996": lombardo_lesmo1996,
    "kahane1998": kahane1998,
    "kahane1998-published": kahane1998_published,
    "bulc": bulc,
    "barbero1998": barbero1998,
    "head-corner5": head_corner5,
    "head-corner3": head_corner3,
    "dvh1": dvh1,
    "dvh2": dvh2,
    "dvh3": dvh3,
}

CFG_SYSTEMS: dict[str, Callable[[], RuleSystem]] = {"cyk": cyk, "earley": earley, "left-corner": left_corner}
