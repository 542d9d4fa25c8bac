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

Disjuncts with a connector without partner go. All this is repeated until nothing changes. No linkage is lost; what is
left is little enough for *exact pruning*, which leaves nothing too much. It finds out region by region which disjuncts
are in some linkage of the sentence.

A *region* lies between two words; it has the connectors that the word on its left still has to link to the right
inside of it, and those that the word on its right has to link to the left. It can be *filled* if the words
between can be linked so that both are used up and each of these words is connected with one of the two. If there
are such words, one of them is the farthest that the left word links to; or the left word has nothing to link, and
one is the farthest that the right word links to. This word's disjunct splits the region in two.

So whether a region can be filled is asked from the whole sentence inwards and remembered. Going over the regions
that were filled once more, the disjuncts that split them are those of the linkages. Sequences of connectors that
are alike (*sides*) are one here, whatever disjuncts they come from, which keeps the regions few.

References
----------
Sleator & Temperley 1991, sections 4 (the regions of their recursive algorithm) and 5 (pruning and power pruning).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

from schemata.grammars.link_grammar.expressions import (
    All,
    Expression,
    One,
    Single,
    all_of,
    connectors_of,
    one_of_these,
)
from schemata.structures.connectors import Connector, LengthLimits, matching_connectors
from schemata.structures.linkages import Disjunct

Word = Sequence[tuple[str, Expression]]
Expand = Callable[[Word], Sequence[Disjunct]]
"""Returns the disjuncts of entries."""


def linkable_disjuncts(
    words: Sequence[Word], expand: Expand, limits: LengthLimits
) -> tuple[Sequence[Sequence[Disjunct]], bool]:
    """Return the disjuncts of each word that are in some linkage of the sentence, and whether these are all.

    Where finding out takes too long, others may be left.

    Parameters
    ----------
    words : for each position the entries of its word: names and expressions.
    expand : returns the disjuncts of entries.
    limits : how far connectors reach.
    """
    left = prune_expressions(words, limits)
    if not all(left):
        return [[] for _ in words], True
    disjuncts = prune([expand(entries) for entries in left], limits)
    if len(disjuncts) < 2 or not all(disjuncts):
        return disjuncts, True
    exactly = prune_exactly(disjuncts, limits)
    return (disjuncts, False) if exactly is None else (exactly, True)


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
        """Tell whether the words between can be linked as the ranks of two connectors ask."""
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


class Sides:
    """The numbered sides of the words of a sentence.

    Attributes
    ----------
    rights_of, lefts_of : for each word, the right sides that it has with a left one, and the other way round.
    after : for each side what may be left of it once its farthest connector is linked: a multi-connector
        may stay.
    """

    def __init__(self, words: Sequence[Sequence[Disjunct]], limits: LengthLimits) -> None:
        self._numbers: dict[tuple[Connector, ...], int] = {(): 0}
        self._farthest: list[int] = [-1]  # the number of the farthest connector of each side
        self.after: list[tuple[int, ...]] = [()]
        partners = matching_connectors(c for word in words for d in word for c in (*d.left, *d.right))
        self._connectors = {connector: number for number, connector in enumerate(partners)}
        self._reach = list(limits.reaches(partners).values())
        self._to_the_right = [connector.right for connector in partners]
        self._matches = [frozenset(self._connectors[o] for o in others) for others in partners.values()]
        self._places = self._places_of_partners(words)
        self.rights_of: list[dict[int, list[int]]] = []
        self.lefts_of: list[dict[int, list[int]]] = []
        for word in words:
            rights_of: dict[int, list[int]] = {}
            lefts_of: dict[int, list[int]] = {}
            for left, right in dict.fromkeys((self.number(d.left), self.number(d.right)) for d in word):
                rights_of.setdefault(left, []).append(right)
                lefts_of.setdefault(right, []).append(left)
            self.rights_of.append(rights_of)
            self.lefts_of.append(lefts_of)
        self._near: dict[tuple[int, int], int] = {}
        self._partners: dict[tuple[int, int, int], list[int]] = {}

    def number(self, connectors: tuple[Connector, ...]) -> int:
        """Return the number of a side."""
        number = self._numbers.get(connectors)
        if number is None:
            rest = self.number(connectors[:-1])
            number = self._numbers[connectors] = len(self._farthest)
            farthest = connectors[-1]
            self._farthest.append(self._connectors[farthest])
            self.after.append((rest, number) if farthest.multi else (rest,))
        return number

    def match(self, one: int, other: int, distance: int) -> bool:
        """Tell whether the farthest connectors of two sides can be linked over a distance."""
        a, b = self._farthest[one], self._farthest[other]
        return b in self._matches[a] and distance <= self._reach[a] and distance <= self._reach[b]

    def partners(self, word: int, side: int, other: int) -> list[int]:
        """Return the sides of a word whose farthest connector can be linked to that of a side of another word."""
        key = (word, self._farthest[side], other)
        partners = self._partners.get(key)
        if partners is None:
            mine = self.rights_of[word] if other < word else self.lefts_of[word]
            distance = abs(word - other)
            partners = self._partners[key] = [m for m in mine if m and self.match(side, m, distance)]
        return partners

    def nearest(self, word: int, side: int) -> int:
        """Return the nearest word that the farthest connector on a word's side can be linked to.

        The nearer connectors need words of their own in between. The word itself for the empty side; if there is
        no such word, a place outside the sentence.
        """
        if not side:
            return word
        place = self._near.get((word, side))
        if place is None:
            before = self.nearest(word, self.after[side][0])
            place = self._near[word, side] = self._nearest_beyond(word, before, self._farthest[side])
        return place

    def _nearest_beyond(self, word: int, before: int, connector: int) -> int:
        right = self._to_the_right[connector]
        onward = 1 if right else -1
        for place, others in self._places[connector][::onward]:
            reach = min(self._reach[connector], others)
            if onward * (place - before) > 0 and onward * (place - word) <= reach:
                return place
        return len(self.rights_of) if right else -1

    def _places_of_partners(self, words: Sequence[Sequence[Disjunct]]) -> list[list[tuple[int, int]]]:
        """Return, for each connector, the words with a connector that it matches, and how far these reach."""
        at: list[dict[int, None]] = [
            dict.fromkeys(self._connectors[c] for d in word for c in (*d.left, *d.right)) for word in words
        ]
        places_of: list[list[tuple[int, int]]] = []
        for matches in self._matches:
            places = [
                (place, [self._reach[c] for c in there if c in matches]) for place, there in enumerate(at)
            ]
            places_of.append([(place, max(reaches)) for place, reaches in places if reaches])
        return places_of


EFFORT = 10_000_000  # questions whether a region can be filled: some seconds

Region = tuple[int, int, int, int]
"""The words on the left and right, and the numbers of the sequences that they have to link inside."""

Split = tuple[int, int, int, Region, Region]
"""A word, the numbers of its disjunct's left and right sequence, and the two regions beside it."""

Search = Generator[Region, bool | None, list[Split]]
"""Asks whether regions can be filled, and returns the splits of one."""


class _TooMuchError(Exception):
    """The effort is spent."""


def prune_exactly(
    words: Sequence[Sequence[Disjunct]], limits: LengthLimits, effort: int = EFFORT
) -> list[list[Disjunct]] | None:
    """Return the disjuncts of each word that are in some linkage of the sentence; None if the effort is not enough.

    Parameters
    ----------
    words : the disjuncts of each position; two or more positions.
    limits : how far connectors reach.
    effort : how many questions whether a region can be filled may be asked.
    """
    sides = Sides(words, limits)
    try:
        used = _Regions(sides, effort).used()
    except _TooMuchError:
        return None
    return [
        [d for d in word if (sides.number(d.left), sides.number(d.right)) in of_word]
        for word, of_word in zip(words, used, strict=True)
    ]


class _Regions:
    """The regions of a sentence that have been asked for, and the ways to fill them."""

    def __init__(self, sides: Sides, effort: int) -> None:
        self._sides = sides
        self._after = sides.after
        self._effort = effort
        self._splits_of: dict[Region, list[Split]] = {}

    def used(self) -> list[set[tuple[int, int]]]:
        """Return, for each word, the left and right sequences of the disjuncts that are in some linkage."""
        last = len(self._sides.rights_of)  # the place of a word without connectors, behind the sentence
        used: list[set[tuple[int, int]]] = [set() for _ in self._sides.rights_of]
        waiting: list[Region] = []
        for right in self._sides.rights_of[0].get(0, ()):
            region = (0, last, right, 0)
            if self._fill(region):
                used[0].add((0, right))
                waiting.append(region)
        seen = set(waiting)
        while waiting:
            for word, left, right, *regions in self._splits_of.get(waiting.pop(), ()):
                used[word].add((left, right))
                for region in regions:
                    if region not in seen:
                        seen.add(region)
                        waiting.append(region)
        return used

    def _fill(self, region: Region) -> bool:
        """Look for the splits of a region and of those that they ask for, as deep as sentences are long."""
        known = self._known(region)
        if known is not None:
            return known
        stack = [(region, self._search(region))]
        answer: bool | None = None
        while stack:
            filling, search = stack[-1]
            try:
                asked = search.send(answer)
            except StopIteration as end:
                stack.pop()
                self._splits_of[filling] = end.value
                answer = bool(end.value)
            else:
                stack.append((asked, self._search(asked)))
                answer = None
        return bool(answer)

    def _known(self, region: Region) -> bool | None:
        """Tell whether a region can be filled; None if that is still to be found out."""
        self._effort -= 1
        if self._effort < 0:
            raise _TooMuchError
        low, high, rights, lefts = region
        if high == low + 1:
            return not (rights or lefts)
        if not (rights or lefts):
            return False  # nothing connects the words between
        splits = self._splits_of.get(region)
        if splits is not None:
            return bool(splits)
        return None if self._has_room(low, high, rights, lefts) else False

    def _has_room(self, low: int, high: int, rights: int, lefts: int) -> bool:
        """Tell whether the two words can each be linked inside of a region, and their links need not cross."""
        rightmost = self._sides.nearest(low, rights)
        leftmost = self._sides.nearest(high, lefts)
        return (rightmost < high or not rights) and (leftmost > low or not lefts) and rightmost <= leftmost

    def _search(self, region: Region) -> Search:
        """Return the splits of a region in two that can both be filled.

        The left word links to the word that splits the region, and the right word may do so as well; or the left word
        has nothing to link, and the right word alone links to it.
        """
        low, high, rights, lefts = region
        sides = self._sides
        splits: list[Split] = []
        for word in range(low + 1, high):
            for near in sides.partners(word, rights, low) if rights else sides.partners(word, lefts, high):
                beside_word = (low, word, rights, near) if rights else (word, high, near, lefts)
                for beside in self._regions_under(*beside_word):
                    filled = self._known(beside)
                    if not ((yield beside) if filled is None else filled):
                        continue
                    for far in (sides.rights_of if rights else sides.lefts_of)[word][near]:
                        left, right = (near, far) if rights else (far, near)
                        others = [(word, high, right, lefts) if rights else (low, word, 0, left)]
                        if rights and right and lefts and sides.match(right, lefts, high - word):
                            others += self._regions_under(word, high, right, lefts)
                        for other in others:
                            filled = self._known(other)
                            if (yield other) if filled is None else filled:
                                splits.append((word, left, right, beside, other))
        return splits

    def _regions_under(self, low: int, high: int, rights: int, lefts: int) -> list[Region]:
        """Return the regions there may be between two words once their farthest connectors are linked."""
        return [(low, high, r, m) for r in self._after[rights] for m in self._after[lefts]]
