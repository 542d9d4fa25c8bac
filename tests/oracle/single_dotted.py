"""The schemata over dependency rules A(alpha ^ beta) with one dot: Earley's way and by left corners.

Items are `edge[A(alpha . beta), i, j]`; each step has the printed rule above its code.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.oracle.naive import Derived, Instance, Item, System
from tests.oracle.rule_items import (
    RuleSystem,
    Steps,
    Symbols,
    edge,
    final_complete,
    final_root,
    within_words,
    within_words_or_empty,
    word,
    words,
)
from tests.oracle.rules import HEAD, RuleGrammar, left_corners

__all__ = ["barbero1998", "bulc", "completer", "kahane1998", "lombardo_lesmo1996"]


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


def lombardo_lesmo1996() -> RuleSystem:
    """Return Lombardo & Lesmo 1996, an Earley parser."""

    def steps(_n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        yield from _initter_root(grammar)
        # Predictor: ctx [A(alpha . B beta), i, j] |- [B(. gamma), j+1, j] if rule B(gamma)
        for dotted, i, j in derived.of("edge"):
            for rule in grammar.rules:
                if dotted.parts[1][:1] == (rule.category,):
                    context = edge(dotted.category, dotted.parts, i, j)
                    predicted = edge(rule.category, ((), rule.body), j + 1, j)
                    yield Instance("Predictor", (context,), predicted, context=(0,))
        yield from _scanner(grammar, derived)
        yield from completer(derived)

    return System("lombardo-lesmo1996", words, steps, final_root, within_words_or_empty)


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


def bulc() -> RuleSystem:
    """Return the bottom-up left-corner parser: a rule is opened by its first symbol."""

    def steps(n: int, grammar: RuleGrammar, derived: Derived) -> Steps:
        for rule in grammar.rules:
            # LC-scan: word(h) |- [A(* . beta), h, h] if rule A(* beta), cat(h,A)
            for h in range(1, n + 1):
                if rule.body[0] == HEAD and grammar.is_of(h, rule.category):
                    yield Instance("LC-scan", (word(h),), _opened(rule.category, rule.body, h, h))
            # LC-complete: [B(gamma .), i, j] |- [A(B . beta), i, j] if rule A(B beta)
            for dotted, i, j in derived.of("edge"):
                if dotted.category == rule.body[0] and not dotted.parts[1]:
                    premise = edge(dotted.category, dotted.parts, i, j)
                    yield Instance("LC-complete", (premise,), _opened(rule.category, rule.body, i, j))
        yield from _scanner(grammar, derived)
        yield from completer(derived)

    return System("bulc", words, steps, final_complete, within_words)


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
