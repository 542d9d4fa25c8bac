"""Pruning of disjuncts: those that are in no linkage of the sentence go, by what a linkage asks of each.

The connectors of one side of a disjunct link words ever farther away. So each has a range of positions it
can link to, and a partner has to be there, at which it may be linked in turn. Four conditions follow from the
definition of a linkage for a link between the k-th connector of one word and the m-th of the other (both
counted from the nearest) that are d words apart:

- connectors match, and reach over d;
- the k - 1 and m - 1 nearer connectors link to the d - 1 words between. No two of these links cross, so that
  at most one of the words is linked from both sides: k + m - 2 <= d, and k = m = 1 between neighbours; and the
  nearest places that the connectors before these two can have do not lie the wrong way round;
- the words between are connected with the rest through the two words alone: if d > 1, one of the connectors
  is not the nearest, or is a multi-connector;
- the word lies in the range of the connector on either side.

Disjuncts with a connector without partner go. Two words are sure to be linked if each disjunct of one of them
has a connector that can link to the other only. Then the other's disjuncts that cannot link back go, and no
link crosses the sure one. And two words cannot be linked if some word between them has no disjunct that links
between them alone, or some word outside has none that links outside alone. All this is repeated until nothing
changes. No linkage is lost.

References
----------
Sleator & Temperley 1991, section 5 (pruning and power pruning).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemata.grammars.link_grammar.matching import Matching
from schemata.structures.connectors import Connector
from schemata.structures.linkages import Disjunct

__all__ = ["prune"]

Side = tuple[Connector, ...]
Offers = dict[str, dict[tuple[Connector, int, int], int]]
"""The connectors that a word offers to one side, by upper-case part: with its rank, counted from 1 for the
nearest, and the nearest place of the connector before it, the positions it may be linked to, as bits."""


Targets = tuple[tuple[int, ...], tuple[int, ...]]
"""The positions that the left and the right connectors of a disjunct may link to, nearest connector first."""


def prune(words: Sequence[Sequence[Disjunct]], matching: Matching) -> list[list[Disjunct]]:
    """Return the disjuncts of each word without those that can be in no linkage.

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
        self._must = [0] * count  # the words that each is sure to be linked to, as bits
        self._may = [(1 << count) - 1] * count  # those it may be linked to
        self._choices: list[set[Targets]] = [set() for _ in words]
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
        return self._forbid_links() or changed

    def _shrink_word(self, at: int) -> bool:
        before = self.words[at]
        targets: list[dict[Side, list[int] | None]] = [{}, {}]
        for side, of_side in enumerate(targets):
            masks: dict[tuple[Connector, int, int], int] = {}
            for connectors in {_side(disjunct, side) for disjunct in before}:
                of_side[connectors] = self._targets(at, side, connectors, masks)
        kept: list[Disjunct] = []
        choices: set[Targets] = set()
        sure = -1
        for disjunct in before:
            left, right = targets[0][disjunct.left], targets[1][disjunct.right]
            if left is None or right is None:
                continue
            can, must = 0, 0
            for mask in (*left, *right):
                can |= mask
                if not mask & (mask - 1):
                    must |= mask
            if self._must[at] & ~can:
                continue
            kept.append(disjunct)
            choices.add((tuple(left), tuple(right)))
            sure &= must
        self.words[at] = kept
        self._choices[at] = choices
        offers = (_offered(kept, at, 0, targets[0]), _offered(kept, at, 1, targets[1]))
        changed = len(kept) < len(before) or offers != self._offers[at]
        self._offers[at] = offers
        return (bool(kept) and self._note_sure_links(at, sure)) or changed

    def _note_sure_links(self, at: int, others: int) -> bool:
        """Note that a word is sure to be linked to some others; return whether this is new."""
        new = others & ~self._must[at]
        for there in range(len(self.words)):
            if not new >> there & 1:
                continue
            self._must[at] |= 1 << there
            self._must[there] |= 1 << at
            low, high = sorted((at, there))
            between = (1 << high) - (2 << low)
            for word in range(len(self.words)):
                if low < word < high:
                    self._may[word] &= between | 1 << low | 1 << high
                elif word not in (low, high):
                    self._may[word] &= ~between
        return bool(new)

    def _forbid_links(self) -> bool:
        """Forbid the links that leave another word without a disjunct; return whether there are any."""
        changed = False
        for low, choices in enumerate(self._choices):
            linked = 0
            for _, right in choices:
                for mask in right:
                    linked |= mask
            for high in range(low + 2, len(self.words)):
                if linked >> high & 1 and self._may[low] >> high & 1 and not self._is_free(low, high):
                    self._may[low] &= ~(1 << high)
                    self._may[high] &= ~(1 << low)
                    changed = True
        return changed

    def _is_free(self, low: int, high: int) -> bool:
        """Whether every other word has a disjunct that does not cross a link between two words."""
        outside = ~((1 << high) - (2 << low))
        for word, choices in enumerate(self._choices):
            if low < word < high:
                # The nearest places of the farthest connectors tell how much room a disjunct needs.
                if not any(
                    (not left or left[-1].bit_length() > low)
                    and (not right or (right[-1] & -right[-1]) < 2 << high)
                    for left, right in choices
                ):
                    return False
            elif word not in (low, high) and not any(
                all(mask & outside for mask in left) and all(mask & outside for mask in right)
                for left, right in choices
            ):
                return False
        return True

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
        may = self._may[at]
        base = connector.base
        others = range(before + 1, len(self.words)) if side else range(before)
        partners = 0
        for there in others:
            if not may >> there & 1:
                continue
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
