"""Lexicons: the categories of a word, by its form and by its part of speech.

A word is of the categories of its form and, where the sentence has tags, of those of its part of speech. A
word of no category is an error: a sentence with it could only be rejected, mostly for a misspelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from schemata.errors import Diagnostic, GrammarError, did_you_mean
from schemata.grammars.licensing import untagged
from schemata.grammars.names import checked, nfc
from schemata.structures.sentence import Sentence

__all__ = ["Lexicon"]

Entry = tuple[str, str]
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Pairs (word form, category) and (part of speech, category), sorted, each once.

    Raises
    ------
    UsageError : a form, part of speech or category is empty or holds a line break.
    """

    words: tuple[Entry, ...] = ()
    tags: tuple[Entry, ...] = ()
    _by_word: Mapping[str, frozenset[str]] = field(init=False, repr=False, compare=False)
    _by_tag: Mapping[str, frozenset[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for slot, index, what in (
            ("words", "_by_word", "a word form"),
            ("tags", "_by_tag", "a part of speech"),
        ):
            entries = {(checked(key, what), checked(c, "a category")) for key, c in getattr(self, slot)}
            object.__setattr__(self, slot, tuple(sorted(entries)))
            object.__setattr__(self, index, _grouped(entries))

    @classmethod
    def of(
        cls, words: Mapping[str, Iterable[str]] | None = None, tags: Mapping[str, Iterable[str]] | None = None
    ) -> Self:
        """Return a lexicon from the categories of each form and of each part of speech."""
        return cls(_entries(words or {}), _entries(tags or {}))

    @property
    def categories(self) -> frozenset[str]:
        """The categories that some word may have."""
        return frozenset(category for _, category in (*self.words, *self.tags))

    def look_up(self, sentence: Sentence) -> dict[int, frozenset[str]]:
        """Return the categories of each word of a sentence.

        Raises
        ------
        GrammarError : some words have none; all of them are named. If the lexicon goes by parts of speech
            and the sentence has no tags, that is said instead.
        """
        tags = sentence.tags or ("",) * len(sentence)
        found = {
            i: self._by_word.get(nfc(word), _NONE) | self._by_tag.get(nfc(tag), _NONE)
            for i, (word, tag) in enumerate(zip(sentence.words, tags, strict=True), start=1)
        }
        unknown = [i for i, categories in found.items() if not categories]
        if unknown and self.tags and sentence.tags is None:
            raise GrammarError(untagged(sentence, self.tags[0][0]))
        if unknown:
            raise GrammarError(self._unknown(sentence, i) for i in unknown)
        return found

    def _unknown(self, sentence: Sentence, position: int) -> Diagnostic:
        word = sentence.words[position - 1]
        hint = did_you_mean(word, self._by_word)
        tagged = ""
        if self.tags and sentence.tags is not None:
            tag = sentence.tags[position - 1]
            tagged = f", nor has its part of speech {tag}"
            hint = hint or did_you_mean(tag, self._by_tag)
        return Diagnostic(
            "unknown-word",
            f'word {position}, "{word}", has no category in the grammar{tagged}',
            expected="words that the grammar gives a category",
            hint=hint or f'give it one with a line such as: "{word}" : {min(self.categories, default="N")}',
        )


def _grouped(entries: Iterable[Entry]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for key, category in entries:
        found.setdefault(key, set()).add(category)
    return {key: frozenset(categories) for key, categories in found.items()}


def _entries(categories: Mapping[str, Iterable[str]]) -> tuple[Entry, ...]:
    return tuple((key, category) for key, found in categories.items() for category in found)
