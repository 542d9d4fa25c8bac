"""Pruning: what can be in no linkage of a sentence goes, first from expressions, then from disjuncts.

*Expressions* are pruned before anything is expanded. A connector to the right stays only where some later word,
within reach, has a matching one to the left, and the other way round. An ``&`` with a dead operand is dead, and
with it connectors that others may have relied on, so that this is repeated until nothing changes.

*Disjuncts* go by what a linkage asks of each. The connectors of one side of a disjunct link words ever farther
away. So each has a range of positions it can link to, and a partner has to be there, at which it may be linked in
turn. Four conditions follow from the definition of a linkage for a link between the k-th connector of one word and
the m-th of the other (both counted from the nearest) that are d words apart:

- connectors match, and reach over d;
- the k - 1 and m - 1 nearer connectors link to the d - 1 words between. No two of these links cross, so that
  at most one of the words is linked from both sides: k + m - 2 <= d, and k = m = 1 between neighbours; and the
  nearest places that the connectors before these two can have do not lie the wrong way round;
- the words between are connected with the rest through the two words alone: if d > 1, one of the connectors
  is not the nearest, or is a multi-connector;
- the word lies in the range of the connector on either side.

Disjuncts with a connector without partner go. All this is repeated until nothing changes. No linkage is lost;
what is left is little enough for `exact_pruning`, which leaves nothing too much.

References
----------
Sleator & Temperley 1991, section 5 (pruning and power pruning).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemata.grammars.link_grammar.dictionary import LengthLimits
from schemata.grammars.link_grammar.expressions import (
    All,
    Expression,
    One,
    Single,
    all_of,
    connectors_of,
    one_of_these,
)
from schemata.structures.connectors import Connector, matching_connectors
from schemata.structures.linkages import Disjunct

Word = Sequence[tuple[str, Expression]]


# Expressions --------------------------------------------------------------------------------------------------------


def prune_expressions(words: Sequence[Word], limits: LengthLimits) -> list[list[tuple[str, Expression]]]:
    """Return the entries of each word of a sentence without what can have no partner.

    Parameters
    ----------
    words : for each position the entries of its word: names and expressions.
    limits : how far connectors reach.
    """
    current = [list(word) for word in words]
    connectors = _connectors(current)
    partners = matching_connectors(c for of_word in connectors for c in of_word)
    reaches = limits.reaches(partners)
    while True:
        places = dict.fromkeys(partners, 0)  # as bits
        for position, of_word in enumerate(connectors):
            for connector in of_word:
                places[connector] |= 1 << position
        alive = [
            {
                connector
                for connector in of_word
                if any(
                    places[other]
                    & _within(position, connector.right, min(reaches[connector], reaches[other]))
                    for other in partners[connector]
                )
            }
            for position, of_word in enumerate(connectors)
        ]
        if alive == connectors:
            return current
        current = [
            _restricted(word, left) if left != of_word else word
            for word, of_word, left in zip(current, connectors, alive, strict=True)
        ]
        connectors = _connectors(current)


def _connectors(words: Sequence[Word]) -> list[set[Connector]]:
    return [connectors_of(expression for _, expression in word) for word in words]


def _within(position: int, right: bool, reach: int) -> int:
    """Return the positions on one side of another that are no farther away than `reach`, as bits."""
    if right:
        return ((1 << min(reach, _MOST_WORDS)) - 1) << (position + 1)
    return (1 << position) - (1 << max(0, position - reach))


def _restricted(word: Word, alive: set[Connector]) -> list[tuple[str, Expression]]:
    memo: dict[int, Expression | None] = {}

    def restrict(node: Expression) -> Expression | None:
        if isinstance(node, Single):
            return node if node.connector in alive else None
        if id(node) not in memo:
            memo[id(node)] = _without(node, [restrict(operand) for operand in node.operands])
        return memo[id(node)]

    restricted = ((name, restrict(expression)) for name, expression in word)
    return [(name, expression) for name, expression in restricted if expression is not None]


def _without(node: All | One, operands: list[Expression | None]) -> Expression | None:
    kept = tuple(operand for operand in operands if operand is not None)
    if kept == node.operands:
        return node
    if isinstance(node, All):
        return all_of(kept, node.cost) if len(kept) == len(operands) else None
    return one_of_these(kept, node.cost) if kept else None


# Disjuncts ----------------------------------------------------------------------------------------------------------

_MOST_WORDS = 1 << 10  # words of a sentence; dictionaries take fewer

Side = tuple[int, ...]
"""The connectors of one side of a disjunct by number, nearest first."""

Offers = dict[int, dict[tuple[int, int], int]]
"""The connectors that a word offers to one side: by its rank, counted from 1 for the nearest, and the least distance
of the connector before it, the distances over which it may be linked, as bits."""


def prune(words: Sequence[Sequence[Disjunct]], limits: LengthLimits) -> list[list[Disjunct]]:
    """Return the disjuncts of each word without those that the conditions above keep out of any linkage.

    If a word is left without any, there is no linkage, and no word keeps one.

    Parameters
    ----------
    words : the disjuncts of each position.
    limits : how far connectors reach.
    """
    if len(words) < 2:
        return [[d for d in word if not (d.left or d.right)] for word in words]
    table = _Table(words, limits)
    while table.shrink():
        pass
    whole = all(table.words)
    return [[disjunct for disjunct, *_ in word] if whole else [] for word in table.words]


class _Table:
    """The disjuncts of each word that are left, with their sides, and what the words offer one another."""

    def __init__(self, words: Sequence[Sequence[Disjunct]], limits: LengthLimits) -> None:
        partners = matching_connectors(c for word in words for d in word for c in (*d.left, *d.right))
        numbers = {connector: number for number, connector in enumerate(partners)}
        self._partners = [[numbers[other] for other in others] for others in partners.values()]
        self._reach = list(limits.reaches(partners).values())
        self._multi = [connector.multi for connector in partners]

        def numbered(connectors: tuple[Connector, ...]) -> Side:
            return tuple(numbers[connector] for connector in connectors)

        self.words = [
            [(d, numbered(d.left), numbered(d.right)) for d in word if d.left or d.right] for word in words
        ]
        self._offers = []
        for at, word in enumerate(self.words):
            lefts, rights = ((2 << at) - 2, (2 << (len(words) - 1 - at)) - 2)
            self._offers.append(
                (
                    _offers({left: [lefts] * len(left) for _, left, _ in word}),
                    _offers({right: [rights] * len(right) for _, _, right in word}),
                )
            )

    def shrink(self) -> bool:
        """Go over the words once, from left to right and back; return whether anything went."""
        changed = False
        count = len(self.words)
        for at in (*range(count), *range(count - 2, -1, -1)):
            changed = self._shrink_word(at) or changed
            if not self.words[at]:
                return False
        return changed

    def _shrink_word(self, at: int) -> bool:
        before = self.words[at]
        lefts = self._linkable(at, False, {left for _, left, _ in before})
        rights = self._linkable(at, True, {right for _, _, right in before})
        kept = [entry for entry in before if entry[1] in lefts and entry[2] in rights]
        self.words[at] = kept
        offers = (
            _offers({left: lefts[left] for _, left, _ in kept}),
            _offers({right: rights[right] for _, _, right in kept}),
        )
        changed = len(kept) < len(before) or offers != self._offers[at]
        self._offers[at] = offers
        return changed

    def _linkable(self, at: int, right: bool, sides: Iterable[Side]) -> dict[Side, list[int]]:
        """Return the sides whose connectors may all be linked, and over which distances each, as bits."""
        known: dict[tuple[int, int, int], int] = {}
        linkable: dict[Side, list[int]] = {}
        for side in sides:
            masks: list[int] = []
            before = 0
            for rank, connector in enumerate(side, start=1):
                key = (connector, rank, before)
                if key not in known:
                    known[key] = self._distances(at, right, connector, rank, before)
                if not known[key]:
                    break
                masks.append(known[key])
                before = _least(known[key])
            else:
                ranges = _ranges(masks)
                if ranges is not None:
                    linkable[side] = ranges
        return linkable

    def _distances(self, at: int, right: bool, connector: int, rank: int, before: int) -> int:
        """Return the distances over which a connector may be linked, as bits."""
        mask = 0
        for distance in range(before + 1, (len(self.words) - at) if right else at + 1):
            there = at + distance if right else at - distance
            offers = self._offers[there][not right]
            if distance <= self._reach[connector] and any(
                others_mask >> distance & 1
                and before + others_before <= distance
                and distance <= self._reach[other]
                and self._fit(connector, rank, other, others_rank, distance)
                for other in self._partners[connector]
                if other in offers
                for (others_rank, others_before), others_mask in offers[other].items()
            ):
                mask |= 1 << distance
        return mask

    def _fit(self, one: int, rank: int, other: int, others_rank: int, distance: int) -> bool:
        """Whether the words between can be linked as the ranks of two connectors ask."""
        if distance == 1:
            return rank == others_rank == 1
        if rank + others_rank - 2 > distance:
            return False
        return rank > 1 or others_rank > 1 or self._multi[one] or self._multi[other]


def _least(mask: int) -> int:
    """Return the least of some distances."""
    return (mask & -mask).bit_length() - 1


def _offers(distances: Mapping[Side, list[int]]) -> Offers:
    """Return what a word offers to one side, where the connectors of its sides may be linked over `distances`."""
    offers: Offers = {}
    for side, masks in distances.items():
        before = 0
        for rank, (connector, mask) in enumerate(zip(side, masks, strict=True), start=1):
            of_connector = offers.setdefault(connector, {})
            of_connector[rank, before] = of_connector.get((rank, before), 0) | mask
            before = _least(mask)
    return offers


def _ranges(masks: list[int]) -> list[int] | None:
    """Return the distances of connectors, nearest first, where each is farther away than the one before."""
    starts = []
    lowest = 1
    for mask in masks:
        possible = mask >> lowest << lowest
        if not possible:
            return None
        starts.append(_least(possible))
        lowest = starts[-1] + 1
    highest = max(masks, default=0).bit_length()
    ranges = []
    for mask, start in zip(reversed(masks), reversed(starts), strict=True):
        possible = (mask >> start << start) & ((1 << highest) - 1)
        ranges.append(possible)
        highest = possible.bit_length() - 1
    return ranges[::-1]
