"""Forests that claims about items say, by brute force: all forests over some words that are as claimed.

Over dependency rules they are rows of trees of symbols, each word with a rule of its category.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import combinations, islice, pairwise, product
from typing import Any

from schemata.analysis.contents import ExtendedTree
from schemata.grammars.rules import RuleSentenceGrammar
from schemata.grouping import grouped, reachable
from schemata.language import model as m
from schemata.program.evaluation import Binding, evaluate, truth
from schemata.program.matching import Match, solve
from schemata.structures import classes, projections

Links = tuple[tuple[int, int], ...]
_ANY_WORDS = m.Splice("_")


def _words(named: Iterable[m.SomeWords], binding: Binding, types: Mapping[str, m.Type]) -> frozenset[int]:
    """Return the words that a claim names; those that may be any are left out."""
    found: list[Any] = []
    for one in named:
        if isinstance(one.term, m.Any) or one.term == _ANY_WORDS:
            continue
        if one.when is not None and not truth(one.when, binding):
            continue
        if one.element is not None and one.of is not None:
            (kind,) = types[one.of.name].arguments
            listed: Any = binding[one.of.name]
            for value in listed:
                for solution in islice(solve([Match(value, one.element, kind)], binding, one.types), 1):
                    found.append(evaluate(one.term, solution.binding))
        else:
            value = evaluate(one.term, binding)
            found += value if isinstance(value, tuple) else [value]
    return frozenset(found)


def claimed(meaning: m.Meaning, binding: Binding, n: int) -> tuple[frozenset[Links], int]:
    """Return the forests that a claim says of an item, and the number of their words."""
    types = meaning.clause.types
    words = {p for p in range(n + 2) if truth(m.Member(m.Lit(p), meaning.region), binding)}
    words |= _words(meaning.beside, binding, types)
    options = _heads(meaning.heads, _words(meaning.heads, binding, types), words)
    forests = frozenset(
        links for heads in options for links in claimed_forests(heads, frozenset(words), meaning.classes, n)
    )
    return _filtered(meaning, binding, n, forests, words), len(words)


def _heads(named: Sequence[m.SomeWords], known: frozenset[int], words: Set[int]) -> Iterator[frozenset[int]]:
    """Yield the heads that a claim allows over some words; some of them may be any words."""
    free = sum(isinstance(one.term, m.Any) for one in named)
    others = sorted(words - known)
    most = len(others) if any(one.term == _ANY_WORDS for one in named) else free
    for size in range(free, most + 1):
        yield from (known.union(some) for some in combinations(others, size))


def _filtered(
    meaning: m.Meaning, binding: Binding, n: int, forests: frozenset[Links], words: Set[int]
) -> frozenset[Links]:
    """Return the forests that have the open words and the links that are claimed."""
    types = meaning.clause.types
    if meaning.opened is not None:
        wanted = _words(meaning.opened, binding, types)
        opened = ((links, open_words(links, words)) for links in forests)
        forests = frozenset(x for x, own in opened if (own >= wanted if meaning.partly else own == wanted))
    for one in meaning.links:
        holds = (
            _connection(one, binding)
            if isinstance(one, m.ClaimedConnection)
            else _links(one, binding, types, n)
        )
        forests = frozenset(filter(holds, forests))
    return forests


def _connection(claim: m.ClaimedConnection, binding: Binding) -> Callable[[Links], bool]:
    """Return whether two words of a forest are connected as it is claimed."""
    one, other = (evaluate(end, binding) for end in (claim.one, claim.other))
    wanted = not claim.negated and (claim.iff is None or truth(claim.iff, binding) is True)

    def inside(word: int) -> bool:
        return claim.without is not None and truth(m.Member(m.Lit(word), claim.without), binding) is True

    def holds(links: Links) -> bool:
        kept = [ends for ends in links if not all(map(inside, ends))]
        near: dict[m.Value, list[int]] = dict(grouped([*kept, *((h, d) for d, h in kept)]))
        return (other in reachable([one], lambda word: near.get(word, ()))) == wanted

    return holds


def _links(
    claim: m.ClaimedLinks, binding: Binding, types: Mapping[str, m.Type], n: int
) -> Callable[[Links], bool]:
    """Return whether a forest has links as they are claimed."""
    bindings = [binding] if claim.neighbours is None else list(_neighbours(claim.neighbours, binding, types))
    pairs = [[_ends(x, one, n) for x in (claim.dependent, claim.head)] for one in bindings]
    by = None if claim.crossing is None else _words(claim.crossing, binding, types)

    def holds(links: Links) -> bool:
        for dependents, heads in pairs:
            found = [
                (d, h) for d, h in links
                if (d in dependents and h in heads) or (claim.undirected and h in dependents and d in heads)
            ]  # fmt: skip
            if by is not None:
                if any(_cross(one, other) and not by & set(other) for one in found for other in links):
                    return False
                continue
            if claim.how.endswith("outer"):
                found = [link for link in found if _is_outer(link, links)]
            number = len(found)
            if claim.number is not None:
                if number != evaluate(claim.number, binding):
                    return False
            elif not _NUMBERS[claim.how.split(" ")[0]](number):
                return False
        return True

    return holds


_NUMBERS: Mapping[str, Callable[[int], bool]] = {
    "": lambda number: number > 0,
    "not": lambda number: not number,
    "one": lambda number: number == 1,
    "several": lambda number: number > 1,
}


def _ends(end: m.Term | m.Interval, binding: Binding, n: int) -> Collection[m.Value]:
    """Return the words that may be an end of a claimed link."""
    if isinstance(end, m.Any):
        return range(n + 2)
    if isinstance(end, m.Interval):
        return [p for p in range(n + 2) if truth(m.Member(m.Lit(p), end), binding)]
    return [evaluate(end, binding)]


def _neighbours(pair: m.Neighbours, binding: Binding, types: Mapping[str, m.Type]) -> Iterator[Binding]:
    """Yield the bindings of the neighbours in a list that are like a pair of elements."""
    (kind,) = types[pair.of.name].arguments
    listed: Any = binding[pair.of.name]
    for first, second in pairwise(listed):
        goals = [Match(first, pair.one, kind), Match(second, pair.other, kind)]
        yield from (found.binding for found in islice(solve(goals, binding, pair.types), 1))


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two links cross."""
    (a, b), (c, d) = sorted((sorted(one), sorted(other)))
    return a < c < b < d


def _is_outer(link: tuple[int, int], links: Links) -> bool:
    """Whether the dependent of a link and all below it stand in no gap of another dependent of the same head."""
    masks = _projections(dict(links), {word for ends in links for word in ends}) or {}
    dependent, head = link
    low, high = _extent(masks[dependent])
    others = (masks[d] for d, h in links if h == head and d != dependent)
    return not any(a < low and high < b for a, b in map(_extent, others))


def _extent(mask: int) -> tuple[int, int]:
    """Return the first and the last word of some."""
    return (mask & -mask).bit_length() - 1, mask.bit_length() - 1


# Forests by brute force --------------------------------------------------------------------------------------------


@cache
def claimed_forests(
    heads: frozenset[int], words: frozenset[int], wanted: tuple[tuple[str, int, bool], ...], n: int
) -> frozenset[Links]:
    """Return the link sets of the forests over some words with some heads that are of all classes.

    Every other word has a head among the words; 0 has none, and n + 1 heads nothing.
    """
    if not heads <= words:
        return frozenset()
    others = sorted(words - heads)
    if not set(others) <= set(range(1, n + 1)):
        return frozenset()
    options = [[h for h in sorted(words) if h != d and h <= n] for d in others]
    found = []
    for chosen in product(*options):
        above = dict(zip(others, chosen, strict=True))
        masks = _projections(above, words)
        if masks is not None and all(
            _TESTS[name](masks, above, heads, k, below) for name, k, below in wanted
        ):
            found.append(tuple(sorted(above.items())))
    return frozenset(found)


def open_words(links: Links, words: Iterable[int]) -> set[int]:
    """Return the words of a forest that can take dependents behind all its words, if the forest is to stay projective.

    >>> sorted(open_words(((1, 2), (3, 2)), (0, 1, 2, 3)))
    [0, 2, 3]
    """
    covered = {w for w in words for ends in links if min(ends) < w < max(ends)}
    return set(words) - covered - {dependent for dependent, head in links if head > dependent}


def _projections(above: Mapping[int, int], words: Iterable[int]) -> dict[int, int] | None:
    """Return the words under each word as bits, with itself; None where heads make a cycle."""
    masks = {word: 1 << word for word in words}
    for word in above:
        at, steps = word, 0
        while at in above:
            at, steps = above[at], steps + 1
            if steps > len(above):
                return None
            masks[at] |= 1 << word
    return masks


def _within_gaps(
    masks: Mapping[int, int], above: Mapping[int, int], heads: frozenset[int], k: int, below: bool
) -> bool:
    return all(
        projections.gap_count(mask) <= k for word, mask in masks.items() if not (below and word in heads)
    )


def _well_nested(masks: Mapping[int, int], *_: Any) -> bool:
    pairs = ((one, other) for one in masks.values() for other in masks.values() if not one & other)
    return not any(_interleave(one, other) for one, other in pairs)


def _interleave(one: int, other: int) -> bool:
    """Whether there are words a < b < c < d, a and c of one set, b and d of the other."""
    letters = [
        "o" if one >> k & 1 else "x" for k in range((one | other).bit_length()) if (one | other) >> k & 1
    ]
    runs = [letter for k, letter in enumerate(letters) if not k or letters[k - 1] != letter]
    return len(runs) > 3


def _binarizable(
    masks: Mapping[int, int], above: Mapping[int, int], heads: frozenset[int], k: int, below: bool
) -> bool:
    """Whether all words but the heads have k gaps, and the dependents of each can be joined two at a time in k."""
    if not _within_gaps(masks, above, heads, k, True):
        return False
    whole = [masks.get(word, 0) for word in range(max(masks) + 1)]
    for head in masks:
        dependents = [d for d, h in above.items() if h == head]
        if len(dependents) > 1 and not classes.joinable(whole, dependents, head, k):
            return False
    return True


def _one_end_crossed(masks: Mapping[int, int], above: Mapping[int, int], *_: Any) -> bool:
    """Whether the links that cross any one link have an end in common."""
    for link in above.items():
        crossing = [set(other) for other in above.items() if _cross(link, other)]
        if crossing and not set.intersection(*crossing):
            return False
    return True


def _lsup(masks: Mapping[int, int], above: Mapping[int, int], *_: Any) -> bool:
    """Whether no word but those under 0 has both its head and a dependent to the left."""
    return not any(0 < h < d and any(x < d for x, y in above.items() if y == d) for d, h in above.items())


_TESTS: Mapping[str, Callable[..., bool]] = {
    "1ec": _one_end_crossed,
    "covington-lsup": _lsup,
    "head-first": lambda masks, above, *_: all(h < d for d, h in above.items()),
    "length": lambda masks, above, heads, k, below: all(h - k <= d <= h + k for d, h in above.items() if h),
    "projective": lambda masks, above, heads, k, below: _within_gaps(masks, above, heads, 0, below),
    "gap-degree": _within_gaps,
    "well-nested": _well_nested,
    "mg": _binarizable,
}


# Trees of rules by brute force -------------------------------------------------------------------------------------


class RuleTrees:
    """The trees that the rules of a dependency grammar allow over words of a sentence."""

    def __init__(self, grammar: RuleSentenceGrammar) -> None:
        self.grammar = grammar
        self.expected = cache(self._expectations)

    def claimed(
        self, meaning: m.Meaning, binding: Binding, n: int, category: str
    ) -> frozenset[tuple[ExtendedTree, ...]]:
        """Return the rows of trees that, by a claim, an item stands for; `category` is that of the item's rule."""
        if (
            meaning.expected is not None
            and (category, evaluate(meaning.expected, binding)) not in self.expected()
        ):
            return frozenset()
        words = {p for p in range(n + 2) if truth(m.Member(m.Lit(p), meaning.region), binding)}
        words |= _words(meaning.beside, binding, meaning.clause.types)
        (named,) = meaning.heads
        assert isinstance(named.term, m.Splice)
        symbols: Any = binding[named.term.name]
        forests = _filtered(
            meaning, binding, n, self._forests(symbols, category, words, meaning.classes), words
        )
        return frozenset(row for links in forests for row in self._rows(symbols, category, links, words))

    def _forests(
        self,
        symbols: tuple[str, ...],
        category: str,
        words: Set[int],
        wanted: tuple[tuple[str, int, bool], ...],
    ) -> frozenset[Links]:
        """Return the forests with as many trees as the symbols have, whatever their categories."""
        options: Iterable[tuple[int, ...]] = [(0,)]
        if category != m.ROOT:
            options = combinations(sorted(words), 1 if m.HEAD_WORD in symbols else len(symbols))
        kept, n = frozenset(words), self.grammar.n
        return frozenset(x for heads in options for x in claimed_forests(frozenset(heads), kept, wanted, n))

    def _rows(
        self, symbols: tuple[str, ...], category: str, links: Links, words: Set[int]
    ) -> Iterator[tuple[ExtendedTree, ...]]:
        """Yield the trees of the symbols that the links of a forest make, in order."""
        below: dict[int, list[int]] = {}
        for dependent, head in links:
            below.setdefault(head, []).append(dependent)
        tops = sorted(words - {dependent for dependent, _ in links})
        if category == m.ROOT:
            yield from self._fitting(symbols, tuple(below.get(0, ())), below)
        elif m.HEAD_WORD not in symbols:
            yield from self._fitting(symbols, tuple(tops), below)
        elif category in self.grammar.categories_of(tops[0]):
            yield from self._fitting(symbols, tuple(sorted([*tops, *below.get(tops[0], ())])), below, tops[0])

    def _fitting(
        self,
        symbols: Sequence[str],
        row: Sequence[int],
        below: Mapping[int, list[int]],
        head: int | None = None,
    ) -> Iterator[tuple[ExtendedTree, ...]]:
        """Yield the rows of trees for some symbols, one tree each, whose heads are the words of `row`; `head` is the
        word of ^.
        """
        if len(symbols) == len(row):
            own = (self._trees(symbol, word, below, head) for symbol, word in zip(symbols, row, strict=True))
            yield from product(*own)

    def _trees(
        self, symbol: str, word: int, below: Mapping[int, list[int]], head: int | None
    ) -> list[ExtendedTree]:
        """Return the trees of a symbol whose head is a word, by its rules; of ^ the word `head` itself."""
        if word == head or symbol == m.HEAD_WORD:
            return [ExtendedTree(m.HEAD_WORD, word=word)] * (symbol == m.HEAD_WORD and word == head)
        row = sorted([word, *below.get(word, ())])
        bodies = [rule.body for rule in self.grammar.rules if rule.lhs == symbol]
        if symbol not in self.grammar.categories_of(word):
            return []
        return [
            ExtendedTree(symbol, children=children)
            for body in bodies
            for children in self._fitting(body, row, below, word)
        ]

    def _expectations(self) -> frozenset[tuple[str, int]]:
        """Return categories and places: words before the place begin a sentence in which the category can follow."""
        n = self.grammar.n
        rules = [(rule.lhs, rule.body) for rule in self.grammar.rules]
        rules += [(m.ROOT, (name,)) for name in self.grammar.roots]

        @cache
        def is_found(symbols: tuple[str, ...], category: str, first: int, last: int) -> bool:
            words = {*range(first, last + 1), *([0] if category == m.ROOT else [])}
            forests = self._forests(symbols, category, words, (("projective", 0, False),))
            return any(any(True for _ in self._rows(symbols, category, x, words)) for x in forests)

        def after(asked: tuple[str, int]) -> Iterator[tuple[str, int]]:
            category, first = asked
            for lhs, body in rules:
                for k, symbol in enumerate(body if lhs == category else ()):
                    for last in range(first - 1, n + 1) if symbol != m.HEAD_WORD else ():
                        if is_found(body[:k], category, first, last):
                            yield symbol, last + 1

        return frozenset(reachable([(m.ROOT, 1)], after))


def links_below(tree: ExtendedTree) -> Iterator[tuple[int, int]]:
    """Yield the links of a grounded tree."""
    heads = [child.word for child in tree.children if child.word is not None]
    for child in tree.children:
        yield from links_below(child)
        if child.word is None and heads:
            yield next(x.word for x in child.children if x.word is not None), heads[0]
