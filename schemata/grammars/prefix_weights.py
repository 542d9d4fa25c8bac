"""Weights of prefixes: the sum over all sentences that begin with some words, and each next word's share of it.

A sentence may go on in infinitely many ways, by left recursion, chains of single symbols and empty constituents, too.
The sum over these ways is found by linear systems (Jelinek and Lafferty 1991; Stolcke 1995): in a constituent that goes
beyond the prefix, the children before the crossing child have finite spans, those after it derive anything.

- `nothing[A]`: the weight of the empty string under A, `total[A]`: that of all strings, the least solutions of
  polynomial equations, by Newton's method, which rises to them (Etessami and Yannakakis 2009; Esparza, Kiefer and
  Luttenberger 2010).
- A span holds the weights of all symbols over it: those of longer rules by shorter spans, then, once for all chains,
  the solution of a system whose matrix is the same for all spans.
- `crossing[i, A]`: the weight of all that is around an A that begins after word i and goes beyond the prefix. Symbols
  that begin at the same place depend on each other by the matrix of left corners.

A system without a least solution diverges, and is refused. Sums are kept in range by dividing them at each word by
the factor that it contributes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from schemata.errors import GrammarError
from schemata.grammars.prefixes import START, Productions, Symbol, WordToken
from schemata.records import Record, field
from schemata.structures.sentence import Sentence
from schemata.thresholds import REFUSALS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[Any]

_Numbered: TypeAlias = tuple[int, tuple[int, ...], float]

_CLOSE = 1e-15
_LEAST, _MOST = math.log(sys.float_info.min), math.log(sys.float_info.max)


class RuleArrays(Record, eq=False):
    """Rules as arrays, whose last axis goes over the rules; in arrays of children, the axis before goes over their
    places.

    Parameters
    ----------
    lhs, factors, lengths : the symbol, the weight and the number of children of each rule.
    children, there : each child, and whether the rule has one there.
    empty : the weight of the first 0, 1, 2 ... children if they are empty.
    after : the weight of the rule and the children after the first 0, 1, 2 ..., whatever derives from these.
    """

    lhs: Any
    factors: Vector
    lengths: Any
    children: Any
    there: Any
    empty: Vector
    after: Vector


class PrefixTotals(Record, slots=False, eq=False):
    """The sums over a weighted grammar that do not depend on the words.

    Raises
    ------
    GrammarError : the sum over all sentences diverges, a weight is not a float, or the grammar has too many symbols.
    """

    grammar: Productions

    def __post_init__(self) -> None:
        if len(self.symbols) > REFUSALS.prefix_symbols:
            raise GrammarError(
                f"weights of prefixes are summed over at most {REFUSALS.prefix_symbols:,} symbols"
            )
        self.chains  # noqa: B018 - a sum that diverges is refused at once
        self.corners  # noqa: B018

    @cached_property
    def symbols(self) -> Mapping[Symbol, int]:
        """The symbols with their numbers."""
        rules = self.grammar.rules
        return {x: k for k, x in enumerate(dict.fromkeys(x for r in rules for x in (r.lhs, *r.body)))}

    @cached_property
    def rules(self) -> list[_Numbered]:
        """The rules by numbers of symbols, with their factors; rules of the factor 0 are left out."""
        number = self.symbols
        factors = ((rule, _factor(rule.weight)) for rule in self.grammar.rules)
        return [(number[r.lhs], tuple(number[x] for x in r.body), factor) for r, factor in factors if factor]

    @cached_property
    def table(self) -> RuleArrays:
        """The rules as arrays."""
        import numpy as np

        lhs = np.array([rule[0] for rule in self.rules], dtype=int)
        factors = np.array([rule[2] for rule in self.rules])
        lengths = np.array([len(rule[1]) for rule in self.rules], dtype=int)
        depth = int(lengths.max(initial=0))
        children = np.array([[*body, *[0] * (depth - len(body))] for _, body, _ in self.rules], dtype=int)
        children = children.reshape(len(self.rules), depth).T
        there = np.arange(depth)[:, None] < lengths
        empty = np.ones((depth + 1, len(self.rules)))
        after = np.ones((depth + 1, len(self.rules))) * factors
        for k in range(depth):
            empty[k + 1] = empty[k] * self.nothing[children[k]]
        for k in range(depth - 1, -1, -1):
            after[k] = after[k + 1] * np.where(there[k], self.total[children[k]], 1.0)
        return RuleArrays(lhs, factors, lengths, children, there, empty, after)

    @cached_property
    def words(self) -> Vector:
        """The weight of all words of each symbol."""
        import numpy as np

        found = np.zeros(len(self.symbols))
        for symbol, entries in self.grammar.entries.items():
            if symbol in self.symbols:
                found[self.symbols[symbol]] = math.fsum(map(_factor, entries.values()))
        return found

    @cached_property
    def nothing(self) -> Vector:
        """The weight of the empty string under each symbol."""
        empty = {self.symbols[x] for x in self.grammar.nullable if x in self.symbols}
        rules = [rule for rule in self.rules if empty.issuperset(rule[1])]
        return self._least(self.words * 0, rules, "over empty constituents")

    @cached_property
    def total(self) -> Vector:
        """The weight of all strings under each symbol."""
        return self._least(self.words, self.rules, "over all sentences")

    @cached_property
    def chains(self) -> Vector:
        """The inverse that sums over chains of single symbols, others beside them being empty."""
        return self._inverse(
            self._matrix(self.rules, self.nothing, self.nothing), "over chains of single symbols"
        )

    @cached_property
    def corners(self) -> Vector:
        """The inverse that sums over left corners, with nothing before them and anything after."""
        return self._inverse(self._matrix(self.rules, self.nothing, self.total), "over left corners")

    def _matrix(self, rules: list[_Numbered], before: Vector, after: Vector) -> Vector:
        """Return by symbol and child: the weight of rules, times the weights of the other children."""
        import numpy as np

        found = np.zeros((len(self.symbols),) * 2)
        for lhs, body, factor in rules:
            for k, child in enumerate(body):
                found[lhs, child] += factor * np.prod(before[[*body[:k]]]) * np.prod(after[[*body[k + 1 :]]])
        return found

    def _least(self, words: Vector, rules: list[_Numbered], what: str) -> Vector:
        """Return the least solution of x = words + the rules at x.

        Raises
        ------
        GrammarError : there is no solution: the sum is infinite; or it is not found.
        """
        import numpy as np

        found: Vector = words * 0
        for _ in range(REFUSALS.prefix_rounds):
            value = words.copy()
            for lhs, body, factor in rules:
                value[lhs] += factor * np.prod(found[[*body]])
            inverse = self._inverse(self._matrix(rules, found, found), what)
            step: Vector = np.maximum(inverse @ (value - found), 0.0)
            found += step
            if np.all(step <= _CLOSE * (found + _CLOSE)):
                return found
        why = f"is not found in {REFUSALS.prefix_rounds:,} rounds of Newton's method: it is infinite, or nearly so"
        raise _diverges(what, why)

    def _inverse(self, matrix: Vector, what: str) -> Vector:
        """Return the inverse of 1 - matrix, which is the sum of all powers of a matrix without negative entries.

        The sum converges just if a vector y > 0 has (1 - matrix) y > 0.
        """
        import numpy as np

        size = len(matrix)
        try:
            inverse: Vector = np.linalg.inv(np.eye(size) - matrix)
        except np.linalg.LinAlgError:
            raise _diverges(what) from None
        if not np.all(np.isfinite(inverse)) or inverse.sum(axis=1).min() < 1 - 1e-9 or inverse.max() > 1e14:
            raise _diverges(what)
        return inverse


def _factor(weight: float) -> float:
    """Return the factor of a logarithm, 0 of minus infinity.

    Raises
    ------
    GrammarError : it is too large or too small for a float.
    """
    if weight > -math.inf and not _LEAST <= weight <= _MOST:
        hint = f"weights between exp({_LEAST:.0f}) and exp({_MOST:.0f})"
        message = f"sums over sentences cannot have a weight of exp({weight:.6g})"
        raise GrammarError(message, code="out-of-range", expected=hint)
    return math.exp(weight)


def weighed_prefix(grammar: Productions, sentence: Sentence | None) -> WeightedPrefix:
    """Return a prefix, None for the empty one, with the weights of all sentences that begin so.

    Raises
    ------
    GrammarError : a word is of no category; a sum diverges, or is too small for a float.
    """
    found = WeightedPrefix(PrefixTotals(grammar))
    found = found if sentence is None else found.after_words(sentence)
    if found.sum < sys.float_info.min and grammar.weighs(sentence):
        message = "the weights of sentences that begin so are too small for numbers"
        raise GrammarError(message, code="out-of-range", hint="multiply the weights of words by some factor")
    return found


def _diverges(what: str, why: str = "is infinite") -> GrammarError:
    hint = "the weights of the rules of a category mostly add up to 1, and no chain leads back with weight 1"
    return GrammarError(f"the sum {what} of the grammar {why}", code="diverges", hint=hint)


class WeightedPrefix(Record, slots=False, eq=False, repr=False):
    """Some words with the weights of all spans of them.

    Parameters
    ----------
    totals : the grammar.
    spans : by the ends i < j of a span, the weights of all symbols over it, scaled.
    parts : by the same ends, the weights of rules up to each child, scaled.
    scale : the logarithm by which the weights are to be multiplied.
    length : the number of words.
    """

    totals: PrefixTotals
    spans: Mapping[tuple[int, int], Vector] = field(default_factory=dict)
    parts: Mapping[tuple[int, int], Vector] = field(default_factory=dict)
    scale: float = 0.0
    length: int = 0

    @cached_property
    def crossing(self) -> Vector:
        """The weight around each symbol that begins after the last word and goes beyond, scaled."""
        import numpy as np

        totals, table = self.totals, self.totals.table
        around = [np.zeros(len(totals.symbols)) for _ in range(self.length + 1)]
        around[0][totals.symbols[START]] = 1.0
        for i in range(self.length + 1):
            around[i] = around[i] @ totals.corners
            for j in range(i + 1, self.length + 1):
                for k, children in enumerate(table.children):
                    weight = around[i][table.lhs] * self.parts[i, j][k] * table.after[k + 1] * table.there[k]
                    np.add.at(around[j], children, weight)
        return around[self.length]

    @property
    def ended(self) -> float:
        """The weight of the words as a sentence, scaled."""
        start = self.totals.symbols[START]
        whole = self.spans[0, self.length] if self.length else self.totals.nothing
        return float(whole[start])

    @cached_property
    def sum(self) -> float:
        """The weight of all sentences that begin with these words, scaled."""
        return self.ended + float(self.crossing @ self.totals.words)

    @property
    def weight(self) -> float:
        """The weight of all sentences that begin with these words, in log space."""
        return math.log(self.sum) + self.scale if self.sum > 0 else -math.inf

    @property
    def shares(self) -> dict[WordToken, float]:
        """The probability of each word or part of speech that comes next; empty if the prefix weighs nothing."""
        found: dict[WordToken, float] = {}
        for symbol, entries in self.totals.grammar.entries.items() if self.sum > 0 else ():
            number = self.totals.symbols.get(symbol)
            around = 0.0 if number is None else float(self.crossing[number])
            for token, weight in entries.items() if around else ():
                found[token] = found.get(token, 0.0) + around * math.exp(weight) / self.sum
        return found

    @property
    def end_share(self) -> float | None:
        """The probability that the sentence ends here; None if the prefix weighs nothing."""
        return self.ended / self.sum if self.sum > 0 else None

    def after(self, weights: Mapping[Symbol, float]) -> WeightedPrefix:
        """Return the prefix with one more word, which is of these symbols with weights in log space."""
        import numpy as np

        totals, table, end = self.totals, self.totals.table, self.length + 1
        spans, parts = dict(self.spans), dict(self.parts)
        rules = np.arange(len(table.lhs))
        for i in range(self.length, -1, -1):
            own = np.zeros(len(totals.symbols))
            for symbol, weight in weights.items() if i == self.length else ():
                if symbol in totals.symbols:
                    own[totals.symbols[symbol]] = math.exp(weight)
            # Symbols over the whole span count once: as the only child that is not empty, they are in the chains.
            whole = self._parts(i, end, own * 0, spans, parts)[table.lengths, rules]
            np.add.at(own, table.lhs, whole * table.factors)
            spans[i, end] = totals.chains @ own
            parts[i, end] = self._parts(i, end, spans[i, end], spans, parts)
        grown = WeightedPrefix(totals, spans, parts, self.scale, end)
        if not (self.sum > 0 and grown.sum > 0):
            return grown
        ratio = grown.sum / self.sum
        for i in range(end):
            spans[i, end], parts[i, end] = spans[i, end] / ratio, parts[i, end] / ratio
        return WeightedPrefix(totals, spans, parts, self.scale + math.log(ratio), end)

    def after_words(self, sentence: Sentence) -> WeightedPrefix:
        """Return the prefix with the words of a sentence.

        Raises
        ------
        GrammarError : some words are of no category.
        """
        found = self
        for weights in self.totals.grammar.word_weights(sentence):
            found = found.after(weights)
        return found

    def _parts(self, i: int, end: int, own: Vector, spans: Any, parts: Any) -> Vector:
        """Return the weights of rules up to each child over a span; `own` are those of symbols over the whole of it."""
        import numpy as np

        nothing, table = self.totals.nothing, self.totals.table
        found = np.zeros(table.empty.shape)
        for k, children in enumerate(table.children):
            made = table.empty[k] * own[children] + found[k] * nothing[children]
            for middle in range(i + 1, end):
                made = made + parts[i, middle][k] * spans[middle, end][children]
            found[k + 1] = made
        return found
