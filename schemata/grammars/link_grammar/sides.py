"""The sides of a sentence's disjuncts, numbered: which can be linked to which, and how near at best.

A *side* is a sequence of connectors to the left or to the right, nearest first. Sides that are alike are one,
whatever disjuncts they come from, and have a number; so has each beginning of one, which is what is left when
its farthest connectors are linked. The empty side is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.grammars.link_grammar.matching import Matching
from schemata.structures.connectors import Connector
from schemata.structures.linkages import Disjunct

__all__ = ["Sides"]

_FAR = 1 << 30  # the reach of connectors without limit


class Sides:
    """The numbered sides of the words of a sentence.

    Attributes
    ----------
    rights_of, lefts_of : for each word, the right sides that it has with a left one, and the other way round.
    after : for each side what may be left of it once its farthest connector is linked: a multi-connector
        may stay.
    """

    def __init__(self, words: Sequence[Sequence[Disjunct]], matching: Matching) -> None:
        self._matching = matching
        self._numbers: dict[tuple[Connector, ...], int] = {(): 0}
        self._farthest: list[int] = [-1]  # the number of the farthest connector of each side
        self.after: list[tuple[int, ...]] = [()]
        self._connectors: dict[Connector, int] = {}
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
        self._reach = [reach if (reach := matching.reach(c)) is not None else _FAR for c in self._connectors]
        self._to_the_right = [connector.right for connector in self._connectors]
        self._matches = self._matching_connectors()
        self._places = self._places_of_partners(words)
        self._near: dict[tuple[int, int], int] = {}
        self._partners: dict[tuple[int, int, int], list[int]] = {}

    def number(self, connectors: tuple[Connector, ...]) -> int:
        """Return the number of a side."""
        found = self._numbers.get(connectors)
        if found is None:
            rest = self.number(connectors[:-1])
            found = self._numbers[connectors] = len(self._farthest)
            farthest = connectors[-1]
            self._farthest.append(self._connectors.setdefault(farthest, len(self._connectors)))
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

    def _matching_connectors(self) -> list[frozenset[int]]:
        """Return, for each connector, those that it matches."""
        by_base: dict[tuple[str, bool], list[tuple[Connector, int]]] = {}
        for connector, number in self._connectors.items():
            by_base.setdefault((connector.base, connector.right), []).append((connector, number))
        return [
            frozenset(
                number
                for other, number in by_base.get((connector.base, not connector.right), ())
                if self._matching.match(*((connector, other) if connector.right else (other, connector)), 1)
            )
            for connector in self._connectors
        ]

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
