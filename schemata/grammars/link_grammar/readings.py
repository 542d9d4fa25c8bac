"""The readings of a sentence: from its words to entries of the dictionary, whole or split as link-parser does.

A word is looked up as it is; an unlisted one may be served by a pattern of the regex file or by the entry
for unknown words. A capitalised word at the beginning of a sentence is also looked up in lower case, and a
word with ``ZZZ-`` may be taken by any word before it. All this is link-parser's way.

link-parser also splits what stands between two blanks. It takes punctuation off the beginning and off the end,
units off numbers, cuts at punctuation within words, and takes contractions apart; what results is split again. Each
of these gives a reading of its own: ``so....`` is *so . ...*, from the end, and *so ... .*, cut within. Here
words are not split: one that link-parser reads in parts only is an error.

link-parser tries *Mr.* whole and as *Mr .*. Mostly there is no linkage with the parts, and its number of
linkages is the same. So a word is doubtful only if the sentence has linkages with it in parts. That is asked of
pruning: first of expressions, where the other words count with all their readings at once, then of disjuncts
for every choice of readings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import NamedTuple

from schemata.errors import Diagnostic, GrammarError, did_you_mean
from schemata.grammars.link_grammar.dictionary import NO_LIMITS, Dictionary, LengthLimits
from schemata.grammars.link_grammar.expressions import Expression, Single, all_of, connectors_of, optional
from schemata.grammars.link_grammar.files import (
    LEFT_WALL,
    RIGHT_WALL,
    UNKNOWN_WORDS,
    Affixes,
    WordPattern,
    entry_for,
    full_name,
    split_subscript,
)
from schemata.grammars.link_grammar.pruning import Expand, linkable_disjuncts, prune_expressions
from schemata.grammars.text import nfc
from schemata.structures.connectors import Connector
from schemata.structures.sentence import Sentence

_MOST_MARKS = 8  # affixes stripped in one go; link-parser leaves words with more of them alone
_MOST_WAYS = 8  # ways to split a word
_LONGEST = 100  # characters of a word that is looked at
_APOSTROPHES = ("'", "’")


class Part(NamedTuple):
    """A part of a word that has been split; a unit of measurement that was split off is read as nothing else."""

    text: str
    is_unit: bool = False


Way = tuple[Part, ...]
"""The parts of a word that is split."""

Step = tuple[tuple[Part, bool], ...]  # parts, each with whether it may be split again


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits words as link-parser does.

    Parameters
    ----------
    affixes : what is split off.
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
        word : what stands between two blanks.
        begins : it is capitalised for its place if it is: contractions are looked for in lower case as well.
        """
        if len(word) > _LONGEST:
            return ()
        steps = list(self._steps(word))
        if begins and word[:1].isupper():
            steps += self._contracted(word[0].lower() + word[1:])
        found = dict.fromkeys(way for parts in steps for way in self._further(parts))
        return tuple(islice((way for way in found if len(way) > 1), _MOST_WAYS))

    def _further(self, parts: Step) -> Iterator[Way]:
        """Yield what becomes of the parts of a word, of which some are split again."""
        choices = [self._readings(part) if again else [(part,)] for part, again in parts]
        for chosen in islice(product(*choices), _MOST_WAYS):
            yield tuple(part for way in chosen for part in way)

    def _readings(self, part: Part) -> list[Way]:
        """Return a part as a whole, unless it can be read in pieces only, and its ways."""
        ways = self.ways(part.text)
        return [*([(part,)] if self.is_known(part.text) or not ways else []), *ways]

    def _steps(self, word: str) -> Iterator[Step]:
        """Yield what one step makes of a word, in each of its ways."""
        marks, rest = self._from_the_left(word)
        if marks and len(marks) < _MOST_MARKS and (rest or len(marks) > 1):
            yield tuple((Part(text), True) for text in (*marks, rest) if text)
            if not rest:
                return
        for root, affixes in self._from_the_right(word):
            yield (*([(Part(root), True)] if root else []), *((affix, False) for affix in affixes))
        if inner := self._within(word):
            yield tuple((Part(text), True) for text in inner)
        yield from self._contracted(word)

    def _from_the_left(self, word: str) -> tuple[list[str], str]:
        marks: list[str] = []
        while mark := next((m for m in self.affixes.before if word.startswith(m)), None):
            marks.append(mark)
            word = word[len(mark) :]
        return marks, word

    def _from_the_right(self, word: str) -> Iterator[tuple[str, list[Part]]]:
        """Yield roots and what is stripped off their ends: punctuation, units, and punctuation after units."""
        affixes: list[Part] = []
        root = word
        with_units: tuple[str, int] | None = None
        while root:
            shorter = self._without_mark(root)
            if shorter is not None and self.is_listed(shorter):
                affixes.insert(0, Part(root[len(shorter) :]))
                root = shorter
                break
            number, units = self._without_units(root)
            if units:
                with_units = root, len(affixes)
                affixes[:0] = [Part(unit, is_unit=True) for unit in units]
                root = number
                break
            if shorter is None:
                break
            affixes.insert(0, Part(root[len(shorter) :]))
            root = shorter
            if self.is_listed(root):
                break
        if not affixes or len(affixes) >= _MOST_MARKS:
            return
        if with_units and with_units[1] and self.is_known(with_units[0]):
            yield with_units[0], affixes[-with_units[1] :]
        if not root or self.is_known(root) or not self.is_known(word):
            yield root, affixes

    def _without_mark(self, word: str) -> str | None:
        """Return a word without the mark at its end; None if there is none, or the word is that mark."""
        mark = next((m for m in self.affixes.after if word.endswith(m)), None)
        return None if mark is None or mark == word else word[: -len(mark)]

    def _without_units(self, word: str) -> tuple[str, list[str]]:
        """Return the number before units, which may be empty, and the units; none where it is no number."""
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
        if len(parts) >= _MOST_MARKS:
            return []
        return [*parts, word[begin:]] if parts else []

    def _mark_within(self, word: str, at: int) -> int | None:
        """Return where the mark ends that begins at a place within a word, None if there is none."""
        mark = next((m for m in self.affixes.between if word.startswith(m, at)), None)
        if mark is not None and at + len(mark) < len(word):
            return at + len(mark)
        for pattern in self.affixes.between_patterns:
            for found in pattern.finditer(word):
                if found.start(1) == at and at < found.end(1) < len(word):
                    return found.end(1)
        return None

    def _contracted(self, word: str) -> Iterator[Step]:
        """Yield root and suffix, prefix and root, and all three."""
        is_contraction = any(mark in word for mark in _APOSTROPHES)
        for suffix in ("", *self.affixes.suffixes):
            root = word.removesuffix(suffix)
            end: Step = ((Part(suffix), False),) if suffix else ()
            if suffix:
                known = self.is_listed(root) or (is_contraction and self.is_known(root))
                if root == word or not root or not known:
                    continue
                yield (Part(root), True), *end
            for prefix in self.affixes.prefixes:
                stem = root.removeprefix(prefix)
                if stem and stem != root and self.is_known(stem):
                    yield (Part(prefix), False), (Part(stem), True), *end


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


_MOST_READINGS = 16  # of a sentence, that are asked for linkages


def doubts_about_splits(
    words: Sequence[str], look_up: LookUp, expand: Expand, limits: LengthLimits
) -> list[Diagnostic]:
    """Return a warning for each word of `look_up.splits` with which link-parser may find other linkages.

    Parameters
    ----------
    words : those of the sentence, without walls.
    look_up : has looked up the sentence.
    expand : returns the disjuncts of entries.
    limits : how far connectors reach.
    """
    possible = _possible_ways(words, look_up)
    readings = [
        {split: way for split, way in zip(possible, chosen, strict=True) if way is not None}
        for chosen in product(*([None, *ways] for ways in possible.values()))
    ]
    readings = sorted((reading for reading in readings if reading), key=len)
    if len(readings) > _MOST_READINGS:
        return [_doubt(split, ways[0], sure=False) for split, ways in possible.items()]
    found: dict[Split, Diagnostic] = {}
    for reading in readings:
        if reading.keys() <= found.keys():
            continue
        way_at = {split.number - 1: way for split, way in reading.items()}
        parts = [part for at, word in enumerate(words) for part in way_at.get(at, (Part(word),))]
        linked = _has_linkage(parts, look_up, expand, limits)
        if linked is not False:
            for split, way in reading.items():
                found.setdefault(split, _doubt(split, way, sure=linked is True))
    return [found[split] for split in possible if split in found]


def _possible_ways(words: Sequence[str], look_up: LookUp) -> dict[Split, tuple[Way, ...]]:
    """Return the ways to split words without those that no other readings of words can be linked with."""
    possible = {split: split.ways for split in look_up.splits}
    while True:
        left = {
            split: tuple(way for way in ways if _may_be_linked(split, way, possible, words, look_up))
            for split, ways in possible.items()
        }
        left = {split: ways for split, ways in left.items() if ways}
        if left == possible:
            return possible
        possible = left


def _may_be_linked(
    split: Split, way: Way, possible: Mapping[Split, tuple[Way, ...]], words: Sequence[str], look_up: LookUp
) -> bool:
    """Whether the parts of a word have connectors that some readings of the other words can match.

    A word with several readings stands there as often as it has parts, each time with the entries of all its
    readings: so whatever can match in one of them can match here.
    """
    others = {other.number - 1: ways for other, ways in possible.items()}
    read: list[tuple[str, Entries]] = []
    own = range(0)
    for at, word in enumerate(words):
        if at == split.number - 1:
            own = range(len(read), len(read) + len(way))
            read += [(part.text, _wherever(part, look_up)) for part in way]
        elif at in others:
            parts = dict.fromkeys([Part(word), *(part for other in others[at] for part in other)])
            entries = [entry for part in parts for entry in _wherever(part, look_up)]
            read += [(word, entries)] * max(map(len, others[at]))
        else:
            read.append((word, _wherever(Part(word), look_up)))
    positions = look_up.with_walls(read)
    left = prune_expressions([position.entries for position in positions], NO_LIMITS)
    wall = 1 if LEFT_WALL in look_up.dictionary else 0
    return all(left[wall + at] for at in own)


def _wherever(part: Part, look_up: LookUp) -> Entries:
    """Return the entries that a part of a word has in one place of a sentence or another."""
    here = look_up.entries_of(part, begins=False)
    if not part.text[:1].isupper():
        return here
    named = {name for name, _ in here}
    return [*here, *(entry for entry in look_up.entries_of(part, begins=True) if entry[0] not in named)]


def _has_linkage(parts: Sequence[Part], look_up: LookUp, expand: Expand, limits: LengthLimits) -> bool | None:
    """Tell whether a reading of the sentence has a linkage; None where that takes too long."""
    try:
        entries = [position.entries for position in look_up.reading(parts)]
        disjuncts, exact = linkable_disjuncts(entries, expand, limits)
    except GrammarError:  # too many disjuncts
        return None
    return all(disjuncts) if exact else None


def _doubt(split: Split, way: Way, *, sure: bool) -> Diagnostic:
    written = " ".join(part.text for part in way)
    message = f'word {split.number}, "{split.word}", is read whole; link-parser also reads it as {written}'
    hint = "link-parser has linkages with that as well" if sure else "link-parser may have more linkages"
    return Diagnostic("unsplit-word", message, hint=hint, severity="warning")
