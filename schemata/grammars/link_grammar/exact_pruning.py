"""Exact pruning: which disjuncts are in some linkage of the sentence, found region by region.

A *region* lies between two words; it has the connectors that the word on its left still has to link to the right
inside of it, and those that the word on its right has to link to the left. It can be *filled* if the words
between can be linked so that both are used up and each of these words is connected with one of the two. If there
are such words, one of them is the farthest that the left word links to; or the left word has nothing to link, and
one is the farthest that the right word links to. This word's disjunct splits the region in two.

So whether a region can be filled is asked from the whole sentence inwards and remembered. Going over the regions
that were filled once more, the disjuncts that split them are those of the linkages. Sequences of connectors that
are alike are one here, whatever disjuncts they come from, which keeps the regions few.

References
----------
Sleator & Temperley 1991, section 4 (the regions of their recursive algorithm).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from schemata.grammars.link_grammar.matching import Matching
from schemata.grammars.link_grammar.sides import Sides
from schemata.structures.linkages import Disjunct

__all__ = ["prune_exactly"]

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
    words: Sequence[Sequence[Disjunct]], matching: Matching, effort: int = EFFORT
) -> list[list[Disjunct]] | None:
    """Return the disjuncts of each word that are in some linkage of the sentence; None if the effort is not enough.

    Parameters
    ----------
    words : the disjuncts of each position; two or more positions.
    matching : which connectors match, and how far they reach.
    effort : how many questions whether a region can be filled may be asked.
    """
    sides = Sides(words, matching)
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
