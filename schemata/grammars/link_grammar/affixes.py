"""Affixes: the strings that link-parser splits off words, the file that lists them, and all ways to split a word.

link-parser takes punctuation off the beginning and off the end, units off numbers, cuts at punctuation within words,
and takes contractions apart; the results are split again. Each of these gives a reading of its own: ``so....`` is
*so . ...*, from the end, and *so ... .*, cut within.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from schemata.grammars.link_grammar import files
from schemata.grammars.text import Cursor, GrammarText, LineToken, TokenError, refuse
from schemata.records import Record, field
from schemata.thresholds import REFUSALS

_ENDS_SENTENCE = frozenset((":", ".", "...", "?", "!", "？", "！"))


class Affixes(Record):
    """The affixes that link-parser splits off words, by class, the longest first.

    Parameters
    ----------
    before, after, between : punctuation at the beginning, at the end, and within words.
    between_patterns : patterns of punctuation within words, whose first group is the mark.
    prefixes, suffixes : parts of contractions.
    units : units of measurement after a number.
    unit_subscripts : for each of them the subscripts of its entries, empty for one without.
    openers : the characters after which a word may be capitalised as at the beginning of a sentence.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    between_patterns: tuple[re.Pattern[str], ...] = ()
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    unit_subscripts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    openers: frozenset[str] = frozenset()

    def begins_after(self, word: str) -> bool:
        """Whether the word after this one may be capitalised as at the beginning of a sentence."""
        return word in _ENDS_SENTENCE or word in self.openers


def read_affixes(text: GrammarText, folder: Path | None) -> Affixes:
    """Return the affixes that a file lists in entries such as ``"." ",": RPUNC+;``.

    Raises
    ------
    GrammarError : the file holds mistakes.
    """
    tokens, problems = files.read_tokens(text)
    reader = Cursor(tokens)
    classes: dict[str, list[str]] = {}
    words: list[str] = []
    while reader.next.kind != "end":
        token = reader.take()
        if token.is_mark(":"):
            name, end = reader.take(), reader.take()
            if name.kind != "name" or not end.is_mark(";"):
                problems.append(
                    _wrong(token, "a class such as RPUNC+ and a semicolon after the colon").report(text)
                )
                break
            classes.setdefault(name.text.rstrip("+-"), []).extend(words)
            words = []
        elif token.kind == "mark":
            problems.append(_wrong(token, "affixes, then a colon").report(text))
            break
        else:
            try:
                listed = (
                    files.words_of_file(folder, token) if files.is_word_file(token) else [(token.text, "")]
                )
                # Of several words, such as base_pair, the first alone can be split off.
                words += [
                    word.split("_")[0] if files.is_idiom(word) else files.full_name(word, subscript)
                    for word, subscript in listed
                ]
            except TokenError as mistake:
                problems.append(mistake.report(text))
    if words and not problems:
        problems.append(_wrong(tokens[-1], "a colon and a class after the affixes").report(text))
    patterns: tuple[re.Pattern[str], ...] = ()
    try:
        patterns = tuple(_mark_pattern(affix) for affix in classes.get("MPUNC", ()) if _is_pattern(affix))
    except files.BROKEN_PATTERN as problem:
        problems.append(text.finding("bad-affix", f"a pattern of MPUNC is broken: {problem}"))
    refuse(problems)
    units: dict[str, frozenset[str]] = {}
    for unit, subscript in map(files.split_subscript, classes.get("UNITS", ())):
        units[unit] = units.get(unit, frozenset()) | {subscript}
    return Affixes(
        _longest_first(classes.get("LPUNC", ())),
        _longest_first(classes.get("RPUNC", ())),
        _longest_first(classes.get("MPUNC", ())),
        patterns,
        _longest_first(classes.get("PRE", ())),
        _longest_first(classes.get("SUF", ())),
        _longest_first(units),
        units,
        frozenset("".join(classes.get("QUOTES", []) + classes.get("BULLETS", []))),
    )


def _longest_first(affixes: Iterable[str]) -> tuple[str, ...]:
    plain = {affix for affix in affixes if affix and not _is_pattern(affix)}
    return tuple(sorted(plain, key=lambda affix: (-len(affix), affix)))


def _is_pattern(affix: str) -> bool:
    """Whether an affix is a pattern with its group, as in ``/x([,:])/.\\1``."""
    return affix.startswith("/") and "/." in affix[1:]


def _mark_pattern(affix: str) -> re.Pattern[str]:
    pattern = re.compile(files.translated(affix[1 : affix.rindex("/.")]))
    return pattern if pattern.groups else re.compile(f"({pattern.pattern})")


def _wrong(token: LineToken, expected: str) -> TokenError:
    return TokenError(token, "bad-affix", f"{token} does not belong here", expected)


_APOSTROPHES = ("'", "’")


class WordPart(NamedTuple):
    """A part of a word that has been split; a unit of measurement that was split off is read as nothing else."""

    text: str
    is_unit: bool = False


Way = tuple[WordPart, ...]
"""The parts of a word that is split."""

Step = tuple[tuple[WordPart, bool], ...]  # parts, each with whether it may be split again


class Splitter(Record):
    """Splits words as link-parser does.

    Parameters
    ----------
    affixes : the parts split off.
    is_listed : whether the dictionary has an entry for exactly this word.
    is_known : whether the word can be read: it is listed, in lower case as well, or a pattern serves it.

    >>> affixes = Affixes(after=("...", "."), between=("...",))
    >>> ways = Splitter(affixes, "so".__eq__, "so".__eq__).ways("so....")
    >>> [[part.text for part in way] for way in ways]
    [['so', '.', '...'], ['so', '...', '.']]
    """

    affixes: Affixes
    is_listed: Callable[[str], bool]
    is_known: Callable[[str], bool]

    def ways(self, word: str, begins: bool = False) -> tuple[Way, ...]:
        """Return the parts into which link-parser splits a word, for each of its ways, eight at most.

        The word as a whole is not among them, and parts need not be known.

        Parameters
        ----------
        word : the text between two blanks.
        begins : whether its place may be the reason for its capital: then contractions are looked for in lower case as
            well.
        """
        if len(word) > REFUSALS.split_characters:
            return ()
        steps = list(self._steps(word))
        if begins and word[:1].isupper():
            steps += self._contracted(word[0].lower() + word[1:])
        ways = dict.fromkeys(way for parts in steps for way in self._further(parts))
        return tuple(islice((way for way in ways if len(way) > 1), REFUSALS.splits))

    def _further(self, parts: Step) -> Iterator[Way]:
        """Yield the ways to split a word whose parts may be split again."""
        choices = [self._readings(part) if again else [(part,)] for part, again in parts]
        for chosen in islice(product(*choices), REFUSALS.splits):
            yield tuple(part for way in chosen for part in way)

    def _readings(self, part: WordPart) -> list[Way]:
        """Return the ways to read a part: as a whole, unless it can only be read in pieces, and split."""
        ways = self.ways(part.text)
        return [*([(part,)] if self.is_known(part.text) or not ways else []), *ways]

    def _steps(self, word: str) -> Iterator[Step]:
        """Yield the ways to split a word in one step."""
        marks, rest = self._from_the_left(word)
        if marks and len(marks) < REFUSALS.affixes and (rest or len(marks) > 1):
            yield tuple((WordPart(text), True) for text in (*marks, rest) if text)
            if not rest:
                return
        for root, affixes in self._from_the_right(word):
            yield (*([(WordPart(root), True)] if root else []), *((affix, False) for affix in affixes))
        if inner := self._within(word):
            yield tuple((WordPart(text), True) for text in inner)
        yield from self._contracted(word)

    def _from_the_left(self, word: str) -> tuple[list[str], str]:
        marks: list[str] = []
        while mark := next((m for m in self.affixes.before if word.startswith(m)), None):
            marks.append(mark)
            word = word[len(mark) :]
        return marks, word

    def _from_the_right(self, word: str) -> Iterator[tuple[str, list[WordPart]]]:
        """Yield roots and the affixes stripped off their ends: punctuation, units, and punctuation
        after units.
        """
        affixes: list[WordPart] = []
        root = word
        with_units: tuple[str, int] | None = None
        while root:
            shorter = self._without_mark(root)
            if shorter is not None and self.is_listed(shorter):
                affixes.insert(0, WordPart(root[len(shorter) :]))
                root = shorter
                break
            number, units = self._without_units(root)
            if units:
                with_units = root, len(affixes)
                affixes[:0] = [WordPart(unit, is_unit=True) for unit in units]
                root = number
                break
            if shorter is None:
                break
            affixes.insert(0, WordPart(root[len(shorter) :]))
            root = shorter
            if self.is_listed(root):
                break
        if not affixes or len(affixes) >= REFUSALS.affixes:
            return
        if with_units and with_units[1] and self.is_known(with_units[0]):
            yield with_units[0], affixes[-with_units[1] :]
        if not root or self.is_known(root) or not self.is_known(word):
            yield root, affixes

    def _without_mark(self, word: str) -> str | None:
        """Return a word without the mark at its end; None if it has no mark, or consists of it."""
        mark = next((m for m in self.affixes.after if word.endswith(m)), None)
        return None if mark is None or mark == word else word[: -len(mark)]

    def _without_units(self, word: str) -> tuple[str, list[str]]:
        """Return the number before units, which may be empty, and the units; none where it is not a number."""
        units: list[str] = []
        root = word
        while unit := next((u for u in self.affixes.units if root.endswith(u)), None):
            units.insert(0, unit)
            root = root[: -len(unit)]
        if (root and not root[-1].isdigit()) or (not root and len(units) == 1):
            return word, []
        return root, units

    def _within(self, word: str) -> list[str]:
        """Return a word cut at each mark that stands within it."""
        parts: list[str] = []
        begin = at = 0
        while at < len(word):
            end = self._mark_within(word, at) if at > begin else None
            if end is None:
                at += 1
                continue
            parts += [word[begin:at], word[at:end]]
            begin = at = end
        if len(parts) >= REFUSALS.affixes:
            return []
        return [*parts, word[begin:]] if parts else []

    def _mark_within(self, word: str, at: int) -> int | None:
        """Return the end of the mark that begins at a place within a word, None if no mark begins there."""
        mark = next((m for m in self.affixes.between if word.startswith(m, at)), None)
        if mark is not None and at + len(mark) < len(word):
            return at + len(mark)
        for pattern in self.affixes.between_patterns:
            for match in pattern.finditer(word):
                if match.start(1) == at and at < match.end(1) < len(word):
                    return match.end(1)
        return None

    def _contracted(self, word: str) -> Iterator[Step]:
        """Yield root and suffix, prefix and root, and all three."""
        is_contraction = any(mark in word for mark in _APOSTROPHES)
        for suffix in ("", *self.affixes.suffixes):
            root = word.removesuffix(suffix)
            end: Step = ((WordPart(suffix), False),) if suffix else ()
            if suffix:
                known = self.is_listed(root) or (is_contraction and self.is_known(root))
                if root == word or not root or not known:
                    continue
                yield (WordPart(root), True), *end
            for prefix in self.affixes.prefixes:
                stem = root.removeprefix(prefix)
                if stem and stem != root and self.is_known(stem):
                    yield (WordPart(prefix), False), (WordPart(stem), True), *end
