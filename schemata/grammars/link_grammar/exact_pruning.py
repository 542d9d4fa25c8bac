"""Exact pruning: which disjuncts are in some linkage of the sentence, found region by region.

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
Sleator & Temperley 1991, section 4 (the regions of their recursive algorithm).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from schemata.grammars.link_grammar.dictionary import LengthLimits
from schemata.structures.connectors import Connector, matching_connectors
from schemata.structures.linkages import Disjunct


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
        found = self._numbers.get(connectors)
        if found is None:
            rest = self.number(connectors[:-1])
            found = self._numbers[connectors] = len(self._farthest)
            farthest = connectors[-1]
            self._farthest.append(self._connectors[farthest])
            self.after.append((rest, found) if farthest.multi else (rest,))
        return found

    def match(self, one: int, other: int, distance: int) -> bool:
        """Whether the farthest connectors of two sides can be linked over a distance."""
        a, b = self._farthest[one], self._farthest[other]
        return b in self._matches[a] and distance <= self._reach[a] and distance <= self._reach[b]

    def partners(self, word: int, side: int, other: int) -> list[int]:
        """Return the sides of a word whose farthest connector can be linked to that of a side of another word."""
        key = (word, self._farthest[side], other)
        found = self._partners.get(key)
        if found is None:
            mine = self.rights_of[word] if other < word else self.lefts_of[word]
            distance = abs(word - other)
            found = self._partners[key] = [m for m in mine if m and self.match(side, m, distance)]
        return found

    def nearest(self, word: int, side: int) -> int:
        """Return the nearest word that the farthest connector on a word's side can be linked to.

        The nearer connectors need words of their own in between. The word itself for the empty side; if there is
        no such word, a place outside the sentence.
        """
        if not side:
            return word
        found = self._near.get((word, side))
        if found is None:
            before = self.nearest(word, self.after[side][0])
            found = self._near[word, side] = self._nearest_beyond(word, before, self._farthest[side])
        return found

    def _nearest_beyond(self, word: int, before: int, connector: int) -> int:
        reach = self._reach[connector]
        if self._to_the_right[connector]:
            for place, others in self._places[connector]:
                if place > before and place - word <= min(reach, others):
                    return place
            return len(self.rights_of)
        for place, others in reversed(self._places[connector]):
            if place < before and word - place <= min(reach, others):
                return place
        return -1

    def _places_of_partners(self, words: Sequence[Sequence[Disjunct]]) -> list[list[tuple[int, int]]]:
        """Return, for each connector, the words with a connector that it matches, and how far these reach."""
        at: list[dict[int, None]] = [
            dict.fromkeys(self._connectors[c] for d in word for c in (*d.left, *d.right)) for word in words
        ]
        found: list[list[tuple[int, int]]] = []
        for matches in self._matches:
            places = [
                (place, [self._reach[c] for c in there if c in matches]) for place, there in enumerate(at)
            ]
            found.append([(place, max(reaches)) for place, reaches in places if reaches])
        return found


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
        """Whether a region can be filled; None if that is still to be found out."""
        self._effort -= 1
        if self._effort < 0:
            raise _TooMuchError
        low, high, rights, lefts = region
        if high == low + 1:
            return not (rights or lefts)
        if not (rights or lefts):
            return False  # nothing connects the words between
        found = self._splits_of.get(region)
        if found is not None:
            return bool(found)
        return None if self._has_room(low, high, rights, lefts) else False

    def _has_room(self, low: int, high: int, rights: int, lefts: int) -> bool:
        """Whether the two words can each be linked inside of a region, and their links need not cross."""
        rightmost = self._sides.nearest(low, rights)
        leftmost = self._sides.nearest(high, lefts)
        return (rightmost < high or not rights) and (leftmost > low or not lefts) and rightmost <= leftmost

    def _search(self, region: Region) -> Search:
        """Return the splits of a region in two that can both be filled."""
        low, high, rights, _ = region
        found: list[Split] = []
        for word in range(low + 1, high):
            found += yield from (self._linked_left if rights else self._linked_right)(word, region)
        return found

    def _linked_left(self, word: int, region: Region) -> Search:
        """Return the splits at a word that the left word links to; the right word may link to it as well."""
        low, high, rights, lefts = region
        found: list[Split] = []
        for left in self._sides.partners(word, rights, low):
            for beside in self._regions_under(low, word, rights, left):
                filled = self._known(beside)
                if not ((yield beside) if filled is None else filled):
                    continue
                for right in self._sides.rights_of[word][left]:
                    others = [(word, high, right, lefts)]
                    if right and lefts and self._sides.match(right, lefts, high - word):
                        others += self._regions_under(word, high, right, lefts)
                    for other in others:
                        filled = self._known(other)
                        if (yield other) if filled is None else filled:
                            found.append((word, left, right, beside, other))
        return found

    def _linked_right(self, word: int, region: Region) -> Search:
        """Return the splits at a word that the right word alone links to; the left word has nothing to link."""
        low, high, _, lefts = region
        found: list[Split] = []
        for right in self._sides.partners(word, lefts, high):
            for beside in self._regions_under(word, high, right, lefts):
                filled = self._known(beside)
                if not ((yield beside) if filled is None else filled):
                    continue
                for left in self._sides.lefts_of[word][right]:
                    other = (low, word, 0, left)
                    filled = self._known(other)
                    if (yield other) if filled is None else filled:
                        found.append((word, left, right, other, beside))
        return found

    def _regions_under(self, low: int, high: int, rights: int, lefts: int) -> list[Region]:
        """Return the regions there may be between two words once their farthest connectors are linked."""
        return [(low, high, r, m) for r in self._after[rights] for m in self._after[lefts]]
