"""From the words of a sentence to entries of the dictionary, with what link-parser would do otherwise.

A word is looked up as it is; an unlisted one may be served by a pattern of the regex file or by the entry
for unknown words. A capitalised word at the beginning of a sentence is also looked up in lower case, and a
word with ``ZZZ-`` may be taken by any word before it. All this is link-parser's way. What is not done is
splitting words: `Affixes.split` knows where link-parser would, and a word that would be split is an error, or
a warning if it can be read whole as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from schemata.errors import Diagnostic, GrammarError, did_you_mean
from schemata.grammars.link_grammar.affixes import Affixes
from schemata.grammars.link_grammar.dictionary import Dictionary
from schemata.grammars.link_grammar.expressions import Expression, Single, all_of, connectors_of, optional
from schemata.grammars.link_grammar.regexes import WordPattern, entry_for
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

__all__ = ["LookUp", "Position", "near_word"]

_COMMON_ENTITY = "<marker-common-entity>"
_ENTITY = "<marker-entity>"
_LEFT_OVER = Connector("ZZZ", right=True)

Entries = list[tuple[str, Expression]]


@dataclass(frozen=True, slots=True)
class Position:
    """A word of the sentence as linkages have it, walls included, and its entries."""

    word: str
    entries: tuple[tuple[str, Expression], ...]


@dataclass(slots=True)
class LookUp:
    """Looks up the words of a sentence; `warnings` grows.

    Parameters
    ----------
    dictionary, patterns, affixes : what the files of the dictionary say.
    """

    dictionary: Dictionary
    patterns: tuple[WordPattern, ...]
    affixes: Affixes
    warnings: list[Diagnostic] = field(default_factory=list)

    def positions(self, sentence: Sentence) -> list[Position]:
        """Return the positions of a sentence, with the walls that the dictionary has.

        Raises
        ------
        GrammarError : words that are not in the dictionary; all of them are named.
        """
        problems: list[Diagnostic] = []
        found: list[Position] = []
        words = [nfc(word) for word in sentence.words]
        if LEFT_WALL in self.dictionary:
            found.append(Position(LEFT_WALL, tuple(self.dictionary.of(LEFT_WALL))))
        for number, word in enumerate(words, start=1):
            begins = number == 1 or self.affixes.begins_after(words[number - 2])
            entries = self._entries(word, number, begins, problems)
            if found and found[-1].word != LEFT_WALL and _may_be_left_over(entries):
                found[-1] = _taking_left_over(found[-1])
            found.append(Position(sentence.words[number - 1], tuple(entries)))
        if RIGHT_WALL in self.dictionary:
            found.append(Position(RIGHT_WALL, tuple(self.dictionary.of(RIGHT_WALL))))
        if problems:
            raise GrammarError(problems)
        return found

    def _entries(self, word: str, number: int, begins: bool, problems: list[Diagnostic]) -> Entries:
        entries = list(self.dictionary.of(word))
        served_by = None if entries else self._pattern_entry(word)
        parts = self.affixes.split(word, self._is_readable)
        if parts and not entries and served_by is None:
            problems.append(_split(word, number, parts))
            return []
        if word[:1].isupper():
            entries = self._capitalised(word, entries, served_by, begins)
        if not entries and served_by is not None:
            entries = self._named(word, served_by)
        if parts and entries and all(map(self._is_readable, parts)):
            self.warnings.append(_could_split(word, number, parts))
        if not entries:
            entries = self._unknown(word, number, problems)
        return entries

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

    def _unknown(self, word: str, number: int, problems: list[Diagnostic]) -> Entries:
        hint = near_word(word, self.dictionary)
        message = f'word {number}, "{word}", is not in the dictionary'
        serving = next((name for name in UNKNOWN_WORDS if name in self.dictionary), None)
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


def _split(word: str, number: int, parts: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        "unsplit-word",
        f'word {number}, "{word}", is not in the dictionary as a whole',
        expected="words separated by blanks",
        hint=f"link-parser splits it: write {' '.join(parts)}",
    )


def _could_split(word: str, number: int, parts: tuple[str, ...]) -> Diagnostic:
    message = f'word {number}, "{word}", is read whole; link-parser also reads it as {" ".join(parts)}'
    hint = "link-parser's number of linkages may be another"
    return Diagnostic("unsplit-word", message, hint=hint, severity="warning")
