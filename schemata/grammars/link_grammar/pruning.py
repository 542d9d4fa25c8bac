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

from collections.abc import Mapping, Sequence

from schemata.grammars.link_grammar.dictionary import Matching
from schemata.grammars.link_grammar.expressions import (
    All,
    Expression,
    One,
    Single,
    all_of,
    connectors_of,
    one_of_these,
)
from schemata.structures.connectors import Connector
from schemata.structures.linkages import Disjunct

Word = Sequence[tuple[str, Expression]]


def prune_expressions(words: Sequence[Word], matching: Matching) -> list[list[tuple[str, Expression]]]:
    """Return the entries of each word of a sentence without what can have no partner.

    Parameters
    ----------
    words : for each position the entries of its word: names and expressions.
    matching : which connectors match, and how far they reach.
    """
    current = [list(word) for word in words]
    while True:
        sides = _connectors(current)
        by_base = [_by_base(connectors) for connectors in sides]
        alive = [
            {c for c in connectors if _has_partner(c, position, by_base, matching)}
            for position, connectors in enumerate(sides)
        ]
        if alive == sides:
            return current
        current = [
            _restricted(word, alive[position]) if alive[position] != sides[position] else word
            for position, word in enumerate(current)
        ]


def _connectors(words: Sequence[Word]) -> list[set[Connector]]:
    return [connectors_of(expression for _, expression in word) for word in words]


def _by_base(connectors: set[Connector]) -> dict[tuple[str, bool], list[Connector]]:
    found: dict[tuple[str, bool], list[Connector]] = {}
    for connector in connectors:
        found.setdefault((connector.base, connector.right), []).append(connector)
    return found


def _has_partner(
    connector: Connector,
    position: int,
    by_base: Sequence[dict[tuple[str, bool], list[Connector]]],
    matching: Matching,
) -> bool:
    reach = matching.reach(connector)
    if connector.right:
        others = range(position + 1, min(len(by_base), position + 1 + (reach or len(by_base))))
    else:
        others = range(max(0, position - (reach or position)), position)
    wanted = (connector.base, not connector.right)
    return any(
        matching.match(connector, other, abs(position - there))
        for there in others
        for other in by_base[there].get(wanted, ())
    )


def _restricted(word: Word, alive: set[Connector]) -> list[tuple[str, Expression]]:
    memo: dict[int, Expression | None] = {}

    def restrict(node: Expression) -> Expression | None:
        if isinstance(node, Single):
            return node if node.connector in alive else None
        if id(node) not in memo:
            memo[id(node)] = _without(node, [restrict(operand) for operand in node.operands])
        return memo[id(node)]

    found = ((name, restrict(expression)) for name, expression in word)
    return [(name, expression) for name, expression in found if expression is not None]


def _without(node: All | One, operands: list[Expression | None]) -> Expression | None:
    kept = tuple(operand for operand in operands if operand is not None)
    if isinstance(node, All):
        if len(kept) < len(operands):
            return None
        return node if kept == node.operands else all_of(kept, node.cost)
    if not kept:
        return None
    return node if kept == node.operands else one_of_these(kept, node.cost)


Side = tuple[Connector, ...]
Offers = dict[str, dict[tuple[Connector, int, int], int]]
"""The connectors that a word offers to one side, by upper-case part: with its rank, counted from 1 for the
nearest, and the nearest place of the connector before it, the positions it may be linked to, as bits."""


def prune(words: Sequence[Sequence[Disjunct]], matching: Matching) -> list[list[Disjunct]]:
    """Return the disjuncts of each word without those that the conditions above keep out of any linkage.

    If a word is left without any, there is no linkage, and no word keeps one.

    Parameters
    ----------
    words : the disjuncts of each position.
    matching : which connectors match, and how far they reach.
    """
    if len(words) < 2:
        return [[d for d in word if not (d.left or d.right)] for word in words]
    table = _Table(words, matching)
    while table.shrink():
        pass
    return table.words if all(table.words) else [[] for _ in table.words]


class _Table:
    """The disjuncts of each word that are left, and what the words offer one another."""

    def __init__(self, words: Sequence[Sequence[Disjunct]], matching: Matching) -> None:
        self.words = [[d for d in word if d.left or d.right] for word in words]
        self._matching = matching
        count = len(words)
        everywhere = [((1 << at) - 1, (1 << count) - (2 << at)) for at in range(count)]
        self._offers = [
            (_whole(word, at, 0, everywhere[at][0]), _whole(word, at, 1, everywhere[at][1]))
            for at, word in enumerate(self.words)
        ]

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
        targets: list[dict[Side, list[int] | None]] = [{}, {}]
        for side, of_side in enumerate(targets):
            masks: dict[tuple[Connector, int, int], int] = {}
            for connectors in {_side(disjunct, side) for disjunct in before}:
                of_side[connectors] = self._targets(at, side, connectors, masks)
        lefts, rights = targets
        kept = [d for d in before if lefts[d.left] is not None and rights[d.right] is not None]
        self.words[at] = kept
        offers = (_offered(kept, at, 0, lefts), _offered(kept, at, 1, rights))
        changed = len(kept) < len(before) or offers != self._offers[at]
        self._offers[at] = offers
        return changed

    def _targets(
        self, at: int, side: int, connectors: Side, masks: dict[tuple[Connector, int, int], int]
    ) -> list[int] | None:
        """Return the positions that each connector of one side may link to, as bits; None if one has none."""
        found: list[int] = []
        before = at
        for rank, connector in enumerate(connectors, start=1):
            key = (connector, rank, before)
            if key not in masks:
                masks[key] = self._partners(at, side, connector, rank, before)
            mask = masks[key]
            if not mask:
                return None
            found.append(mask)
            before = _nearest(mask, side)
        return _ranges_right(found, at) if side else _ranges_left(found, at)

    def _partners(self, at: int, side: int, connector: Connector, rank: int, before: int) -> int:
        bit = 1 << at
        base = connector.base
        others = range(before + 1, len(self.words)) if side else range(before)
        partners = 0
        for there in others:
            distance = abs(there - at)
            for (other, others_rank, others_before), mask in (
                self._offers[there][1 - side].get(base, {}).items()
            ):
                if (
                    mask & bit
                    and (before <= others_before if side else others_before <= before)
                    and _fit(connector, rank, other, others_rank, distance)
                    and self._matching.match(connector, other, distance)
                ):
                    partners |= 1 << there
                    break
        return partners


def _fit(one: Connector, rank: int, other: Connector, others_rank: int, distance: int) -> bool:
    """Whether the words between can be linked as the ranks of two connectors ask."""
    if distance == 1:
        return rank == others_rank == 1
    if rank + others_rank - 2 > distance:
        return False
    return rank > 1 or others_rank > 1 or one.multi or other.multi


def _nearest(mask: int, side: int) -> int:
    """Return the nearest of some positions on one side."""
    return (mask & -mask).bit_length() - 1 if side else mask.bit_length() - 1


def _side(disjunct: Disjunct, side: int) -> Side:
    return disjunct.right if side else disjunct.left


def _whole(word: Sequence[Disjunct], at: int, side: int, mask: int) -> Offers:
    """Return what a word offers before anything is known of the others."""
    return _offered(word, at, side, {_side(d, side): [mask] * len(_side(d, side)) for d in word})


def _offered(
    word: Sequence[Disjunct], at: int, side: int, targets: Mapping[Side, list[int] | None]
) -> Offers:
    """Return what the disjuncts of a word offer to one side, where their connectors may link to `targets`."""
    offers: Offers = {}
    for connectors in {_side(disjunct, side) for disjunct in word}:
        before = at
        masks = targets[connectors] or ()
        for rank, (connector, mask) in enumerate(zip(connectors, masks, strict=True), start=1):
            of_base = offers.setdefault(connector.base, {})
            key = (connector, rank, before)
            of_base[key] = of_base.get(key, 0) | mask
            before = _nearest(mask, side)
    return offers


def _ranges_left(masks: list[int], at: int) -> list[int] | None:
    """Return the partners of connectors to the left, nearest first, each farther away than the one before."""
    highest = at
    ends = []
    for mask in masks:
        possible = mask & ((1 << highest) - 1)
        if not possible:
            return None
        highest = possible.bit_length() - 1
        ends.append(highest)
    lowest = 0
    found = []
    for mask, end in zip(reversed(masks), reversed(ends), strict=True):
        possible = (mask >> lowest << lowest) & ((2 << end) - 1)
        found.append(possible)
        lowest = (possible & -possible).bit_length()
    found.reverse()
    return found


def _ranges_right(masks: list[int], at: int) -> list[int] | None:
    """Return the partners of connectors to the right, nearest first, each farther away than the one before."""
    lowest = at + 1
    starts = []
    for mask in masks:
        possible = mask >> lowest << lowest
        if not possible:
            return None
        start = (possible & -possible).bit_length() - 1
        starts.append(start)
        lowest = start + 1
    highest = max(masks, default=0).bit_length()
    found = []
    for mask, start in zip(reversed(masks), reversed(starts), strict=True):
        possible = (mask >> start << start) & ((1 << highest) - 1)
        found.append(possible)
        highest = possible.bit_length() - 1
    found.reverse()
    return found
