"""From the words of a sentence to entries of the dictionary, with what link-parser would do otherwise.

A word is looked up as it is; an unlisted one may be served by a pattern of the regex file or by the entry
for unknown words. A capitalised word at the beginning of a sentence is also looked up in lower case, and a
word with ``ZZZ-`` may be taken by any word before it. All this is link-parser's way. What is not done is
splitting words: a word that link-parser reads in parts only (see `splitting`) is an error. Where it reads it
whole and in parts, `LookUp.splits` says so, and `other_readings` whether that makes a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from schemata.errors import Diagnostic, GrammarError, did_you_mean
from schemata.grammars.link_grammar.affixes import Affixes
from schemata.grammars.link_grammar.dictionary import Dictionary
from schemata.grammars.link_grammar.expressions import Expression, Single, all_of, connectors_of, optional
from schemata.grammars.link_grammar.regexes import WordPattern, entry_for
from schemata.grammars.link_grammar.splitting import Part, Splitter, Way
from schemata.grammars.link_grammar.words import (
    LEFT_WALL,
    RIGHT_WALL,
    UNKNOWN_WORDS,
    full_name,
    split_subscript,
)
from schemata.grammars.names import nfc
from schemata.structures.connectors import Connector
from schemata.structures.sentence import Sentence

__all__ = ["Entries", "LookUp", "Position", "Split", "near_word"]

_COMMON_ENTITY = "<marker-common-entity>"
_ENTITY = "<marker-entity>"
_LEFT_OVER = Connector("ZZZ", right=True)
_MOST_SHOWN = 3  # ways to split a word that a hint has

Entries = list[tuple[str, Expression]]


@dataclass(frozen=True, slots=True)
class Position:
    """A word of the sentence as linkages have it, walls included, and its entries."""

    word: str
    entries: tuple[tuple[str, Expression], ...]


class Split(NamedTuple):
    """A word that is read whole and that link-parser also splits: its number from 1, and the ways to split it."""

    number: int
    word: str
    ways: tuple[Way, ...]


@dataclass(slots=True)
class LookUp:
    """Looks up the words of a sentence; `warnings` and `splits` grow.

    Parameters
    ----------
    dictionary, patterns, affixes : what the files of the dictionary say.
    """

    dictionary: Dictionary
    patterns: tuple[WordPattern, ...]
    affixes: Affixes
    warnings: list[Diagnostic] = field(default_factory=list)
    splits: list[Split] = field(default_factory=list)

    def positions(self, sentence: Sentence) -> list[Position]:
        """Return the positions of a sentence, with the walls that the dictionary has.

        Raises
        ------
        GrammarError : words that are not in the dictionary; all of them are named.
        """
        problems: list[Diagnostic] = []
        read: list[tuple[str, Entries]] = []
        words = [nfc(word) for word in sentence.words]
        splitter = Splitter(self.affixes, self.dictionary.__contains__, self._is_readable)
        for number, word in enumerate(words, start=1):
            begins = self._begins(words, number - 1)
            entries = self.entries(word, begins)
            ways = splitter.ways(word, begins and bool(entries))
            if entries and ways:
                self.splits.append(Split(number, word, ways))
            elif ways:
                problems.append(_unsplit(word, number, ways))
            elif not entries:
                entries = self._unknown(word, number, problems)
            read.append((sentence.words[number - 1], entries))
        if problems:
            raise GrammarError(problems)
        return self.with_walls(read)

    def reading(self, parts: Sequence[Part]) -> list[Position]:
        """Return the positions of a sentence whose words have been split."""
        words = [part.text for part in parts]
        read = [(part.text, self.entries_of(part, self._begins(words, at))) for at, part in enumerate(parts)]
        return self.with_walls(read)

    def entries_of(self, part: Part, begins: bool) -> Entries:
        """Return the entries of a part of a word, those of unknown words if need be; `begins` as for `entries`."""
        entries = self.entries(part.text, begins)
        if not entries and (serving := self._serving) is not None:
            return self._named(part.text, serving)
        subscripts = self.affixes.unit_subscripts.get(part.text, frozenset()) if part.is_unit else frozenset()
        if not subscripts or "" in subscripts:
            return entries
        names = {full_name(part.text, subscript) for subscript in subscripts}
        return [entry for entry in entries if entry[0] in names]

    def entries(self, word: str, begins: bool) -> Entries:
        """Return the entries that a word has or is served by; `begins`: it may be capitalised for its place."""
        entries = list(self.dictionary.of(word))
        served_by = None if entries else self._pattern_entry(word)
        if word[:1].isupper():
            entries = self._capitalised(word, entries, served_by, begins)
        if not entries and served_by is not None:
            entries = self._named(word, served_by)
        return entries

    def _begins(self, words: Sequence[str], at: int) -> bool:
        return at == 0 or self.affixes.begins_after(words[at - 1])

    def with_walls(self, read: Iterable[tuple[str, Entries]]) -> list[Position]:
        """Return the positions of words with their entries, walls included, where words take others left over."""
        found: list[Position] = []
        if LEFT_WALL in self.dictionary:
            found.append(Position(LEFT_WALL, tuple(self.dictionary.of(LEFT_WALL))))
        for word, entries in read:
            if found and found[-1].word != LEFT_WALL and _may_be_left_over(entries):
                found[-1] = _taking_left_over(found[-1])
            found.append(Position(word, tuple(entries)))
        if RIGHT_WALL in self.dictionary:
            found.append(Position(RIGHT_WALL, tuple(self.dictionary.of(RIGHT_WALL))))
        return found

    def _capitalised(self, word: str, entries: Entries, served_by: str | None, begins: bool) -> Entries:
        """Return the entries of a word with a capital: as it is, in lower case, and by its pattern."""
        small = word[0].lower() + word[1:]
        in_lower_case = list(self.dictionary.of(small))
        found = [*entries, *(in_lower_case if begins else ())]
        by_pattern = not begins or (
            in_lower_case and (self._has_marker(small, _COMMON_ENTITY) or self._has_marker(word, _ENTITY))
        )
        if not entries and served_by is not None and by_pattern:
            found += self._named(word, served_by)
        return found

    def _has_marker(self, word: str, macro: str) -> bool:
        """Whether an entry of a word has the connector that marks names."""
        marker = self.dictionary.expression(macro)
        if marker is None:
            return False
        wanted = connectors_of((marker,))
        return bool(wanted & connectors_of(e for _, e in self.dictionary.of(word)))

    def _is_readable(self, word: str) -> bool:
        """Whether link-parser knows a part of a word that it has split."""
        known = self.dictionary
        if word in known or word[:1].lower() + word[1:] in known:
            return True
        return self._pattern_entry(word) is not None

    def _pattern_entry(self, word: str) -> str | None:
        name = entry_for(self.patterns, word)
        return name if name is not None and name in self.dictionary else None

    def _named(self, word: str, entry: str) -> Entries:
        """Return the entries that serve for a word, under its own name."""
        listed = self.dictionary.entries.get(entry, ())
        return [(full_name(word, subscript), expression) for subscript, expression in listed]

    @property
    def _serving(self) -> str | None:
        """The entry that serves for unknown words, if there is one."""
        return next((name for name in UNKNOWN_WORDS if name in self.dictionary), None)

    def _unknown(self, word: str, number: int, problems: list[Diagnostic]) -> Entries:
        hint = near_word(word, self.dictionary)
        message = f'word {number}, "{word}", is not in the dictionary'
        serving = self._serving
        if serving is None:
            written = f'"{word}"' if any(mark in word for mark in "(){}[];&^|:%") else word
            hint = hint or f"give it an entry, such as: {written}: D- & S+;"
            problems.append(
                Diagnostic("unknown-word", message, expected="words of the dictionary", hint=hint)
            )
            return []
        message += ": it is read as an unknown word"
        self.warnings.append(Diagnostic("unknown-word", message, hint=hint, severity="warning"))
        return self._named(word, serving)


def near_word(word: str, dictionary: Dictionary) -> str | None:
    """Return a hint naming what in a dictionary is like a word that it does not have, or None."""
    bare, subscript = split_subscript(word)
    if subscript and bare in dictionary:
        return f"a sentence has words without subscript: {bare}"
    return did_you_mean(word, _similar(word, dictionary.entries))


def _may_be_left_over(entries: Entries) -> bool:
    """Whether a word can be linked as one that nothing is made of, such as a quotation mark."""
    connectors = connectors_of(expression for _, expression in entries)
    return any(c.name == _LEFT_OVER.name and not c.right for c in connectors)


def _taking_left_over(position: Position) -> Position:
    """Return a position whose word may take such a word after it."""
    taking = optional(Single(_LEFT_OVER))
    return Position(position.word, tuple((name, all_of((taking, e))) for name, e in position.entries))


def _similar(word: str, known: Iterable[str]) -> list[str]:
    """Return the words that may be misspelt so: comparing with all of a large dictionary takes too long."""
    folded = word.casefold()
    letters = set(folded)
    return [
        other
        for other in known
        if abs(len(other) - len(word)) <= 2
        and not other.startswith("<")
        and (other[:1].casefold() == folded[:1] or other[-2:].casefold() == folded[-2:])
        and len(letters.symmetric_difference(other.casefold())) <= 3
    ]


def _unsplit(word: str, number: int, ways: tuple[Way, ...]) -> Diagnostic:
    written = [" ".join(part.text for part in way) for way in ways[:_MOST_SHOWN]]
    if len(written) > 1:
        written = [f'"{text}"' for text in written]
    return Diagnostic(
        "unsplit-word",
        f'word {number}, "{word}", is not in the dictionary as a whole',
        expected="words separated by blanks",
        hint=f"link-parser splits it: write {' or '.join(written)}",
    )
