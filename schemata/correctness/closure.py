"""Types of words, by recurrences: the closure from the empty word.

The type of a word followed by a letter depends on the type of the word and on that of the word within the letter
(lemma 4), so that types can be listed without a look at words. `checker.Trial` has them by trying all factorizations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schemata.correctness.words import (
    ANY,
    CLOSING,
    EMPTY,
    GAP,
    Algebra,
    Pattern,
    Profile,
    Table,
    Types,
    parts_of,
)
from schemata.records import Record
from schemata.thresholds import EFFORTS


class TooMany(Exception):  # noqa: N818 - an answer: other layouts have fewer
    """There are more types than a search may meet."""


class Letter(Record):
    """A letter: a gap, or a bracket pair around a word of a type."""

    sign: str
    inside: int = 0


class Closure:
    """All types of words that have profiles, with a shortest word of each.

    Parameters
    ----------
    algebra : of profiles.
    patterns : those of the steps.
    heed : called now and then; an exception that it raises ends the search.
    most : how many types there may be.

    Raises
    ------
    TooMany : there are more.
    """

    def __init__(
        self,
        algebra: Algebra,
        patterns: set[Pattern],
        heed: Callable[[], object] = bool,
        most: int | None = None,
    ) -> None:
        self.algebra, self.patterns, self.heed = algebra, parts_of(patterns), heed
        self.most = EFFORTS.types if most is None else most
        self.words: list[str] = []
        self.profiles: list[Profile] = []
        self.tables: list[Table] = []
        self.next: dict[tuple[int, Letter], int] = {}
        self._numbers: dict[object, int] = {}
        empty = {p: {(EMPTY,) * len(p): 1} if all(x == ANY for x in p) else {} for p in self.patterns}
        self._number(EMPTY, empty, "")
        self._close()
        self.types = Types(self.words, self.profiles, self.tables)

    def _number(self, profile: Profile, tables: Table, word: str) -> int:
        key = profile, tuple(frozenset(tables[p].items()) for p in self.patterns)
        if key not in self._numbers:
            if len(self.words) >= self.most:
                raise TooMany
            self._numbers[key] = len(self.words)
            self.words.append(word)
            self.profiles.append(profile)
            self.tables.append(tables)
        return self._numbers[key]

    def letters(self) -> Sequence[Letter]:
        """Return the letters around words of the types met so far."""
        around = (Letter(sign, t) for t, p in enumerate(self.profiles) for sign in CLOSING if p[:2] == "00")
        return [Letter(GAP), *around]

    def _close(self) -> None:
        types = signs = 0  # so many have been put together
        while types < len(self.words):
            letters, count = self.letters(), len(self.words)  # new ones come last
            pairs = [(t, x) for t in range(count) for k, x in enumerate(letters) if t >= types or k >= signs]
            types, signs = count, len(letters)
            # Shortest words first, so that the word kept for a type is a short one.
            pairs.sort(key=lambda pair: len(self.words[pair[0]]) + len(self.words[pair[1].inside]))
            for pair in pairs:
                self.heed()
                self._extend(*pair)

    def _extend(self, number: int, letter: Letter) -> None:
        value = self.algebra.value(letter.sign, self.profiles[letter.inside])
        whole = None if value is None else self.algebra.joined(self.profiles[number], value)
        if value is None or whole is None:
            return
        old, inner = self.tables[number], self.tables[letter.inside]
        new: Table = {}
        for pattern in self.patterns:
            found: dict[tuple[Profile, ...], int] = {}
            if pattern:
                before, last = pattern[:-1], pattern[-1]
                if last == ANY:
                    for row, count in new[before].items():
                        _add(found, (*row, EMPTY), count)
                    for row, count in old[pattern].items():
                        joined = self.algebra.joined(row[-1], value)
                        if joined is not None:
                            _add(found, (*row[:-1], joined), count)
                elif last[0] == letter.sign:
                    rows = inner[last[1]] if isinstance(last, tuple) else {(): 1}
                    for row, count in old[before].items():
                        for more, times in rows.items():
                            _add(found, (*row, *more), count * times)
            new[pattern] = found
        sign = letter.sign
        word = GAP if sign == GAP else f"{sign}{self.words[letter.inside]}{CLOSING[sign]}"
        self.next[number, letter] = self._number(whole, new, self.words[number] + word)


def _add(found: dict[tuple[Profile, ...], int], row: tuple[Profile, ...], count: int) -> None:
    found[row] = min(2, found.get(row, 0) + count)
