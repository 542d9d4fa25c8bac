"""Types of words by trying all factorizations: slow, plain, and without the recurrences of `closure`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from schemata.correctness.certificate import NotProved
from schemata.correctness.words import (
    CLOSING,
    GAP,
    Algebra,
    Pattern,
    Profile,
    Table,
    Types,
    factorizations,
    parts_of,
)


class Trial:
    """Types of words, by trying all factorizations.

    Parameters
    ----------
    algebra : of profiles.
    patterns : those of the steps.
    heed : called now and then; an exception that it raises ends the trial.
    """

    def __init__(self, algebra: Algebra, patterns: set[Pattern], heed: Callable[[], object] = bool) -> None:
        self.algebra, self.patterns, self.heed = algebra, parts_of(patterns), heed
        self._profiles: dict[str, Profile | None] = {}

    def types(self, words: Sequence[str]) -> Types:
        """Return the types of words, which are closed under adding a letter.

        Raises
        ------
        NotProved : adding a letter leads to further types.
        """
        profiles = [p for p in map(self.profile, words) if p is not None]
        if len(profiles) < len(words) or "" not in words:
            raise NotProved("the type of the empty word is missing, or a word belongs to no forest")
        types = Types(words, profiles, [self.table(word) for word in words])
        keys = {self._key(p, t) for p, t in zip(profiles, types.tables, strict=True)}
        around = (f"{o}{word}{c}" for word in words for o, c in CLOSING.items())
        letters = [GAP, *(x for x in around if self.profile(x) is not None)]
        for word, letter in itertools.product(words, letters):
            profile = self.profile(word + letter)
            if profile is not None and self._key(profile, self.table(word + letter)) not in keys:
                raise NotProved(f"the type of {word + letter} is missing")
        return types

    def profile(self, word: str) -> Profile | None:
        """Return the profile of a word."""
        if word not in self._profiles:
            self._profiles[word] = self.algebra.profile(word)
        return self._profiles[word]

    def table(self, word: str) -> Table:
        """Return the profiles of all factorizations of a word."""
        self.heed()
        table: Table = {}
        for pattern in self.patterns:
            found: dict[tuple[Profile, ...], int] = {}
            for parts in factorizations(word, pattern):
                profiles = tuple(p for p in map(self.profile, parts) if p is not None)
                if len(profiles) == len(parts):
                    found[profiles] = min(2, found.get(profiles, 0) + 1)
            table[pattern] = found
        return table

    def _key(self, profile: Profile, table: Table) -> object:
        return profile, tuple(frozenset(table[p].items()) for p in self.patterns)
