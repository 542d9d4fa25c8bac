"""Grammars of rules, dotted rules as item values, and all analyses of a sentence by brute force.

A dependency rule `A(B ^ C)` is a category and a body with exactly one `^`, the place of the head word. A
plain context-free rule is a category and a body without `^`. A grammar comes with the categories of the words
of one sentence, which is all a schema asks about them.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, prod
from typing import Any, NamedTuple, TypeAlias

from tests.oracle import trees as brute
from tests.oracle.naive import Instance, Item, Link, NaiveChart, System, values_of_derivations

HEAD = "^"


@dataclass(frozen=True, order=True)
class Rule:
    """A category and its body."""

    category: str
    body: tuple[str, ...]

    @classmethod
    def of(cls, category: str, alpha: Sequence[str], beta: Sequence[str]) -> "Rule":
        """Return the dependency rule A(alpha ^ beta)."""
        return cls(category, (*alpha, HEAD, *beta))

    def __str__(self) -> str:
        return f"{self.category}({' '.join(self.body)})"


@dataclass(frozen=True)
class Dotted:
    """A rule with dots: two parts have one dot between them, three parts two; category None is the root.

    >>> str(Dotted("A", (("B",), ("^", "C")))), str(Dotted("A", ((), ("^",), ("C",))))
    ('A(B . ^ C)', 'A(. ^ . C)')
    >>> str(Dotted(None, (("S",), ())))
    'root(S .)'
    """

    category: str | None
    parts: tuple[tuple[str, ...], ...]

    @property
    def rule(self) -> Rule | None:
        """The rule without its dots; None for the root."""
        return None if self.category is None else Rule(self.category, sum(self.parts, ()))

    def __str__(self) -> str:
        symbols = [symbol for part in self.parts for symbol in (".", *part)][1:]
        return f"{self.category or 'root'}({' '.join(symbols)})"


@dataclass(frozen=True)
class RuleGrammar:
    """Rules, start categories (`*(S)`), and the categories of each word: `lexicon[i - 1]` for word i."""

    rules: frozenset[Rule]
    starts: frozenset[str]
    lexicon: tuple[frozenset[str], ...]
    weighted: bool = False  # whether rules, and categories of words, have weights

    @property
    def weights(self) -> dict[str, dict[tuple[Any, ...], float]]:
        """The weights of rules and of categories of words, by relation."""
        if not self.weighted:
            return {}
        categories = [(i, c) for i, cs in enumerate(self.lexicon, start=1) for c in cs]
        rules = [(rule.category, rule.body) for rule in self.rules]
        return {
            name: {row: (len(str(row)) % 4 + 1) / 8 for row in rows}
            for name, rows in (("rule", rules), ("category", categories))
        }

    def is_of(self, word: int, category: str) -> bool:
        """Return cat(word, category); positions outside 1..n are of no category."""
        return 1 <= word <= len(self.lexicon) and category in self.lexicon[word - 1]

    def rules_for(self, category: str) -> Iterator[Rule]:
        """Yield the rules of a category."""
        return (rule for rule in self.rules if rule.category == category)


def left_corners(grammar: RuleGrammar) -> frozenset[tuple[str, str]]:
    """Return lc*: the pairs (E, A) such that E lc* A, where E lc A if there is a rule E(A beta)."""
    symbols = {rule.category for rule in grammar.rules} | {s for rule in grammar.rules for s in rule.body}
    pairs = {(symbol, symbol) for symbol in (symbols | grammar.starts) - {HEAD}}
    while True:
        more = {
            (e, rule.body[0])
            for e, category in pairs
            for rule in grammar.rules_for(category)
            if rule.body and rule.body[0] != HEAD
        }
        if more <= pairs:
            return frozenset(pairs)
        pairs |= more


# ------------------------------------------------------------------------------------ dependency analyses

Analysis: TypeAlias = tuple[tuple[int, ...], tuple[Rule, ...]]  # heads, and the rule of every word


def analyses_by_brute_force(grammar: RuleGrammar) -> frozenset[Analysis]:
    """Return all analyses of the grammar's sentence, straight from the meaning of a rule.

    A word with the rule A(alpha ^ beta) is of category A; the categories of its left dependents are alpha and
    those of its right dependents beta, in order, and every constituent is a stretch of words (so the tree is
    projective). The one word under 0 is of a start category.
    """
    n = len(grammar.lexicon)
    choices = [[r for r in sorted(grammar.rules) if grammar.is_of(w, r.category)] for w in range(1, n + 1)]
    found = set()
    for heads in brute.projective_trees(n):
        dependents = {w: [d for d in range(1, n + 1) if heads[d - 1] == w] for w in range(1, n + 1)}
        fitting = [
            [rule for rule in rules if _has_place(rule, w, dependents[w])]
            for w, rules in enumerate(choices, start=1)
        ]
        for rules in product(*fitting):
            categories = [rule.category for rule in rules]
            root = heads.index(0)
            if categories[root] in grammar.starts and all(
                rules[w - 1].body == _expected(w, dependents[w], categories) for w in dependents
            ):
                found.add((heads, tuple(rules)))
    return frozenset(found)


def _has_place(rule: Rule, word: int, dependents: list[int]) -> bool:
    """Return whether a rule has as many left and right dependents as the word."""
    left = sum(1 for d in dependents if d < word)
    return len(rule.body) == len(dependents) + 1 and rule.body[left] == HEAD


def _expected(word: int, dependents: list[int], categories: list[str]) -> tuple[str, ...]:
    left = [categories[d - 1] for d in dependents if d < word]
    right = [categories[d - 1] for d in dependents if d > word]
    return (*left, HEAD, *right)


# -------------------------------------------------------------------------------------------- generators


def heads_rules(heads: Sequence[int]) -> RuleGrammar:
    """Return the grammar in which each word is its own category with the one rule the tree gives it."""
    n = len(heads)
    rules, starts = set(), set()
    for w in range(1, n + 1):
        left = [f"C{d}" for d in range(1, w) if heads[d - 1] == w]
        right = [f"C{d}" for d in range(w + 1, n + 1) if heads[d - 1] == w]
        rules.add(Rule.of(f"C{w}", left, right))
        if heads[w - 1] == 0:
            starts.add(f"C{w}")
    return RuleGrammar(
        frozenset(rules), frozenset(starts), tuple(frozenset({f"C{w}"}) for w in range(1, n + 1))
    )


def random_dependency_grammar(rng: random.Random, n: int) -> RuleGrammar:
    """Return a small random grammar for n words: one to three categories, at most two dependents a side."""
    categories = "ABC"[: rng.randint(1, 3)]
    rules = {Rule.of(rng.choice(categories), (), ())}  # some word can be a leaf
    for _ in range(rng.randint(2, 6)):
        left = rng.choices(categories, k=rng.choice([0, 0, 1, 1, 2]))
        right = rng.choices(categories, k=rng.choice([0, 0, 1, 1, 2]))
        rules.add(Rule.of(rng.choice(categories), left, right))
    starts = rng.sample(categories, rng.randint(1, len(categories)))
    lexicon = tuple(frozenset(rng.sample(categories, rng.randint(1, len(categories)))) for _ in range(n))
    return RuleGrammar(frozenset(rules), frozenset(starts), lexicon)


# Items of dotted rules, hypotheses, final items, ranges -----------------------------------------------------


Symbols: TypeAlias = tuple[str, ...]
Steps: TypeAlias = Iterator[Instance]
RuleSystem: TypeAlias = System[RuleGrammar]


def edge(category: str | None, parts: tuple[Symbols, ...], *places: int) -> Item:
    """Return an item of a dotted rule and positions."""
    return ("edge", (Dotted(category, parts), *places))


def final_root(n: int, grammar: RuleGrammar, item: Item) -> bool:
    # final [(S .), 1, n]
    return item in {edge(None, ((s,), ()), 1, n) for s in grammar.starts}


def final_complete(n: int, grammar: RuleGrammar, item: Item) -> bool:
    # final [S(gamma .), 1, n] or [S(o delta o), 1, n] if *(S)
    if item[0] != "edge":
        return False
    dotted, i, j = item[1][:3]
    return dotted.category in grammar.starts and is_complete(dotted) and (i, j) == (1, n)


def is_complete(dotted: Dotted) -> bool:
    return not dotted.parts[-1] and (len(dotted.parts) == 2 or not dotted.parts[0])


def within_words_or_empty(n: int, item: Item) -> bool:
    return bool(1 <= item[1][1] <= item[1][2] + 1 <= n + 1)


def within_words(n: int, item: Item) -> bool:
    return bool(1 <= item[1][1] <= item[1][2] <= n)


# The analyses that derivations stand for: a tree and a rule for each word -----------------------------------
#
# Read off derivation trees: the head word of every complete constituent is attached to the head word of the
# constituent it completes into, the root's to 0. The head of a constituent is known once `^` is found.


# Which structural antecedent of a step is a complete constituent that becomes part of another one.
_CHILD = {
    "Completer": 1,
    "LC-complete": 0,
    "LC-complete-1": 0,
    "Left": 1,
    "Right": 1,
    "Include": 0,
    "Advance-complete": 1,
}


class _Part(NamedTuple):
    """A piece of an analysis: its head word if known, dependents still waiting for it, links, rules."""

    head: int | None = None
    waiting: frozenset[int] = frozenset()
    links: frozenset[Link] = frozenset()
    rules: frozenset[tuple[int, Rule]] = frozenset()


def analyses(chart: NaiveChart) -> frozenset[Analysis]:
    """Return the distinct analyses of all derivations of final items."""
    values = values_of_derivations(chart, _leaf, _build)
    return frozenset(_finished(item, part) for item in chart.final_items for part in values[item])


def _leaf(item: Item) -> _Part:
    return _Part(head=item[1][0])  # word(h)


def _build(edge: Instance, parts: tuple[_Part, ...]) -> _Part:
    """Join the parts; a complete constituent is closed and waits for the head of the new one."""
    child = _CHILD.get(edge.name)
    opened = [_closed(edge.antecedents[at], part) if at == child else part for at, part in enumerate(parts)]
    heads = [part.head for part in opened if part.head is not None]
    assert len(heads) <= 1
    head = heads[0] if heads else None
    waiting = frozenset().union(*(part.waiting for part in opened))
    links = frozenset().union(*(part.links for part in opened))
    if head is not None:
        links |= {(d, head) for d in waiting}
        waiting = frozenset()
    return _Part(head, waiting, links, frozenset().union(*(part.rules for part in opened)))


def _closed(item: Item, part: _Part) -> _Part:
    """Return the part of a complete constituent as a dependent: its head word has its rule and waits."""
    dotted: Dotted = item[1][0]
    assert part.head is not None
    assert dotted.rule is not None
    return _Part(None, frozenset({part.head}), part.links, part.rules | {(part.head, dotted.rule)})


def _finished(item: Item, part: _Part) -> Analysis:
    if item[1][0].category is not None:  # S(gamma .); for root(S .) the last Completer has closed S
        part = _closed(item, part)
    (root,) = part.waiting
    heads = {**dict(part.links), root: 0}
    rules = dict(part.rules)
    assert len(part.rules) == len(rules) == len(heads) == len(part.links) + 1
    return tuple(heads[w] for w in sorted(heads)), tuple(rules[w] for w in sorted(rules))


# How many derivations an analysis has, by system; one in the others ------------------------------------------


def interleavings(found: Analysis) -> int:
    """Return the product over the words of C(l+r, l): how Left and Right can alternate."""
    sides = [(rule.body.index(HEAD), len(rule.body)) for rule in found[1]]
    return prod(comb(size - 1, left) for left, size in sides)


def bracketings(found: Analysis) -> int:
    """Return the product over the words of Catalan(m-1), m the number of symbols of the word's rule."""
    sizes = [len(rule.body) for rule in found[1]]
    return prod(comb(2 * (m - 1), m - 1) // m for m in sizes)


DERIVATIONS = {"head-corner5": interleavings, "head-corner3": interleavings, "dvh1": bracketings}
