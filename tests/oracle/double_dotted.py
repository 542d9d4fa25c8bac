"""The schemata over dependency rules with two dots: head corner, and de Vreught & Honig's dVH1 to dVH3.

Items are `edge[A(alpha . beta . gamma), i, j]`, alpha and gamma still to be found; the O(n^5) head-corner
schema has the head word as a last field, and only its steps know which link they build.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.oracle.naive import Derived, Instance, Item, System
from tests.oracle.rule_items import (
    RuleSystem,
    Steps,
    edge,
    final_complete,
    is_complete,
    within_words,
    word,
    words,
)
from tests.oracle.rules import HEAD, RuleGrammar

__all__ = ["dvh1", "dvh2", "dvh3", "head_corner3", "head_corner5"]

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
