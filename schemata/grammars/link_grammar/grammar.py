"""Link Grammar dictionaries as grammars: from the words of a sentence to their disjuncts.

A word is looked up as it is; an unlisted one may be served by a pattern of the regex file or by the entry
for unknown words. A capitalised word at the beginning of a sentence is also looked up in lower case, and a
word with ``ZZZ-`` may be taken by any word before it. All this is link-parser's way.

Words are split as link-parser does (see `affixes`). It tries *Mr.* whole and as *Mr .*; mostly only one of these
has linkages. Preparation decides which: first for expressions, where the other words count with all their
readings at once, then for the disjuncts of every choice of readings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import islice, pairwise, product
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from schemata.errors import Diagnostic, GrammarError, Location, UsageError, did_you_mean
from schemata.grammars.drules import unknown_words
from schemata.grammars.link_grammar import expressions as ex
from schemata.grammars.link_grammar import files
from schemata.grammars.link_grammar.affixes import Affixes, Splitter, Way, WordPart, read_affixes
from schemata.grammars.link_grammar.dictionary import (
    Dictionary,
    length_limits,
    read_dictionary,
    wildcard_warnings,
)
from schemata.grammars.link_grammar.preparation import Entries, Preparation
from schemata.grammars.link_grammar.pruning import EXACTLY, FREE
from schemata.grammars.link_grammar.sequences import SentenceDisjuncts
from schemata.grammars.text import GrammarText, nfc, read_text, text_of
from schemata.kinds import LINK_GRAMMAR
from schemata.records import Record, field, replace
from schemata.structures.linkages import NO_LIMITS, Connector, Disjunct, LengthLimits
from schemata.structures.sentence import Sentence
from schemata.structures.word_graphs import WordGraph
from schemata.thresholds import REFUSALS, WAYS
from schemata.wording import quantity

OTHER_READING = "other-reading"
"""The code of the finding that a word is read in one way, and might be in another."""

_COMMON_ENTITY = "<marker-common-entity>"
_ENTITY = "<marker-entity>"
_LEFT_OVER = Connector("ZZZ", right=True)
DICTIONARY_FILE = "4.0.dict"
"""The name of the dictionary in a folder of dictionary files."""

_FILES = ("dict", "dialect", "regex", "affix")  # suffixes; the first is that of the dictionary itself
_PLACES = ("/usr/share/link-grammar", "/usr/local/share/link-grammar", "/opt/homebrew/share/link-grammar")


class LinkedWord(NamedTuple):
    """A word of the sentence as linkages have it, walls included, and its entries."""

    word: str
    entries: Entries


class SentenceReading(NamedTuple):
    """The positions of a sentence, warnings about them, and all readings if several have linkages."""

    positions: list[LinkedWord]
    warnings: list[Diagnostic]
    others: tuple[tuple[Way, ...], ...] = ()


class DictionaryLookUp:
    """Looks up the words of sentences, and asks whether link-parser finds other linkages.

    Parameters
    ----------
    dictionary, patterns, affixes : where words are looked up.
    preparation : that of the dictionary.
    """

    def __init__(
        self,
        dictionary: Dictionary,
        patterns: tuple[files.EntryPattern, ...],
        affixes: Affixes,
        preparation: Preparation,
    ) -> None:
        self.dictionary, self.patterns, self.affixes = dictionary, patterns, affixes
        self.preparation = preparation
        self.splitter = Splitter(affixes, dictionary.__contains__, self._is_readable)
        self._words: dict[tuple[str, bool], tuple[Entries, tuple[Way, ...]]] = {}
        self._left_over: dict[tuple[int, ...], bool] = {}  # by the identities of a word's expressions
        self._taking: dict[int, ex.Expression] = {}

    def read(self, sentence: Sentence, strict: bool) -> SentenceReading:
        """Return the positions of a sentence in the reading that has linkages, with the walls that the dictionary has.

        If no reading has linkages, it is the one with most words whole.

        Raises
        ------
        GrammarError : words that are not in the dictionary, where `strict` makes that an error. All of them are named.
        """
        words = [nfc(word) for word in sentence.words]
        choices = self._choices(words)
        warnings: list[Diagnostic] = []
        linked: tuple[tuple[Way, ...], ...] = ()
        chosen = tuple(ways[0] for ways in choices)
        if any(len(ways) > 1 for ways in choices):
            linked, warnings = self._linked(self._possible(choices))
            chosen = linked[0]
        positions, problems = self._positions(sentence.words, chosen)
        warnings[:0] = [*unknown_words([x for x in problems if x.severity == "error"], strict),
                        *(x for x in problems if x.severity == "warning")]  # fmt: skip
        return SentenceReading(positions, warnings, linked[1:] and linked)

    def _choices(self, words: Sequence[str]) -> list[tuple[Way, ...]]:
        """Return for each word the ways to read it: as a whole, unless only its parts have entries,
        and split.
        """
        choices: list[tuple[Way, ...]] = []
        for at, word in enumerate(words):
            entries, ways = self._word(word, self._begins(words, at))
            choices.append((*([(WordPart(word),)] if entries or not ways else []), *ways))
        return choices

    def _positions(
        self, words: Sequence[str], chosen: Sequence[Way]
    ) -> tuple[list[LinkedWord], list[Diagnostic]]:
        """Return the positions of a reading of a sentence, with walls, and a finding for each word without entries."""
        problems: list[Diagnostic] = []
        positions: list[LinkedWord] = []
        texts = [part.text for way in chosen for part in way]
        for number, (word, way) in enumerate(zip(words, chosen, strict=True), start=1):
            for part in way:
                begins = self._begins(texts, len(positions))
                entries = self._entries_of(part, begins, serving=False)
                if not entries:
                    entries = self._unknown(part.text, number, problems)
                positions.append(LinkedWord(part.text if len(way) > 1 else word, entries))
        return self._with_walls(positions), problems

    def _word(self, word: str, begins: bool) -> tuple[Entries, tuple[Way, ...]]:
        """Return the entries of a word, and the ways to split it; `begins` as for `_entries`."""
        known = self._words.get((word, begins))
        if known is None:
            if len(self._words) >= WAYS.kept_words:
                self._words.clear()
            entries = self._entries(word, begins)
            known = self._words[word, begins] = entries, self.splitter.ways(word, begins and bool(entries))
        return known

    def _begins(self, words: Sequence[str], at: int) -> bool:
        """Whether a word may be capitalised for its place."""
        return at == 0 or self.affixes.begins_after(words[at - 1])

    def _entries(self, word: str, begins: bool) -> Entries:
        """Return the entries that a word has or is served by; `begins`: it may be capitalised for its place."""
        entries = self.dictionary.of(word)
        served_by = None if entries else self._pattern_entry(word)
        if word[:1].isupper():
            entries = self._capitalised(word, entries, served_by, begins)
        if not entries and served_by is not None:
            entries = self.dictionary.of(word, served_by)
        return entries

    def _capitalised(self, word: str, entries: Entries, served_by: str | None, begins: bool) -> Entries:
        """Return the entries of a word with a capital: as it is, in lower case, and by its pattern."""
        small = word[0].lower() + word[1:]
        in_lower_case = self.dictionary.of(small)
        by_pattern = not begins or (
            in_lower_case and (self._has_marker(small, _COMMON_ENTITY) or self._has_marker(word, _ENTITY))
        )
        by_name = (
            self.dictionary.of(word, served_by)
            if not entries and served_by is not None and by_pattern
            else []
        )
        return [*entries, *(in_lower_case if begins else ()), *by_name]

    def _has_marker(self, word: str, macro: str) -> bool:
        """Whether an entry of a word has the connector that marks names."""
        marker = self.dictionary.expression(macro)
        if marker is None:
            return False
        wanted = ex.connectors_of((marker,))
        return bool(wanted & ex.connectors_of(e for _, e in self.dictionary.of(word)))

    def _is_readable(self, word: str) -> bool:
        """Whether link-parser knows a part of a word that it has split."""
        known = self.dictionary
        if word in known or word[:1].lower() + word[1:] in known:
            return True
        return self._pattern_entry(word) is not None

    def _pattern_entry(self, word: str) -> str | None:
        name = files.entry_for(self.patterns, word)
        return name if name is not None and name in self.dictionary else None

    @property
    def _serving(self) -> str | None:
        """The entry that serves for unknown words, if there is one."""
        return next((name for name in files.UNKNOWN_WORDS if name in self.dictionary), None)

    def _unknown(self, word: str, number: int, problems: list[Diagnostic]) -> Entries:
        hint = near_word(word, self.dictionary)
        message = f'word {number}, "{word}", is not in the dictionary'
        serving = self._serving
        if serving is None:
            written = f'"{word}"' if any(mark in word for mark in "(){}[];&^|:%") else word
            hint = hint or f"give it an entry, such as: {written}: D- & S+;"
            problems.append(Diagnostic("unknown-word", message, None, "words of the dictionary", hint))
            return []
        message += ": it is read as an unknown word"
        problems.append(Diagnostic("guessed-word", message, hint=hint, severity="warning"))
        return self.dictionary.of(word, serving)

    def _with_walls(self, read: Sequence[LinkedWord]) -> list[LinkedWord]:
        """Return the positions with walls around them; a word may link to a left-over (such as a quotation mark)
        behind it.
        """
        positions: list[LinkedWord] = []
        for position in read:
            if positions and self._may_be_left_over(position.entries):
                before = positions[-1]
                entries: Entries = [(name, self._with_left_over(its)) for name, its in before.entries]
                positions[-1] = LinkedWord(before.word, entries)
            positions.append(position)
        left, right = (
            [LinkedWord(wall, self.dictionary.of(wall))] if wall in self.dictionary else []
            for wall in (files.LEFT_WALL, files.RIGHT_WALL)
        )
        return [*left, *positions, *right]

    def _may_be_left_over(self, entries: Entries) -> bool:
        """Whether a word can be linked as a left-over that contributes nothing, such as a quotation mark."""
        key = tuple(id(expression) for _, expression in entries)
        known = self._left_over.get(key)
        if known is None:
            connectors = ex.connectors_of(expression for _, expression in entries)
            known = any(c.name == _LEFT_OVER.name and not c.right for c in connectors)
            self._left_over[key] = known
        return known

    def _with_left_over(self, expression: ex.Expression) -> ex.Expression:
        """Return the expression of a word that may take a left-over."""
        if id(expression) not in self._taking:
            taking = ex.optional(ex.Single(_LEFT_OVER))
            self._taking[id(expression)] = ex.all_of((taking, expression))
        return self._taking[id(expression)]

    # words in parts

    def _linked(
        self, choices: Sequence[tuple[Way, ...]]
    ) -> tuple[tuple[tuple[Way, ...], ...], list[Diagnostic]]:
        """Return the readings that have linkages, and a warning for each word that they read in several ways.

        If no reading has linkages, or there are too many to check, it is the first one.
        """
        readings = list(islice(product(*choices), REFUSALS.readings + 1))
        first = readings[0]
        if len(readings) > REFUSALS.readings:
            doubtful = [(number, ways) for number, ways in enumerate(choices, start=1) if len(ways) > 1]
            return (first,), [_doubt(number, ways[0], ways[1], sure=False) for number, ways in doubtful]
        linked = {reading: has for reading in readings if (has := self._has_linkage(reading)) is not False}
        chosen = next(iter(linked), first)
        doubts: dict[int, Diagnostic] = {}
        for reading, has in linked.items():
            for number, (way, other) in enumerate(zip(chosen, reading, strict=True), start=1):
                if way != other:
                    doubts.setdefault(number, _doubt(number, way, other, sure=has is True))
        return tuple(linked) or (first,), [doubts[number] for number in sorted(doubts)]

    def together(
        self, sentence: Sentence, readings: Sequence[Sequence[Way]], stage: int
    ) -> tuple[tuple[str, ...], tuple[tuple[Disjunct, ...], ...], WordGraph] | None:
        """Return the words of several readings as those of a graph, with the disjuncts they have in any of them.

        A part of a word that stands in several readings is one word of the graph, unless it may be capitalised for its
        place in some of them only. The first position is not a choice: it is a wall, or the same in all readings; else
        None.
        """
        offered: dict[tuple[int, int, int, bool], dict[Disjunct, None]] = {}
        names: dict[tuple[int, int, int, bool], str] = {}
        rows: list[list[tuple[int, int, int, bool]]] = []
        ways: list[list[Way]] = [[] for _ in sentence.words]
        for reading in readings:
            for of_word, way in zip(ways, reading, strict=True):
                of_word.extend([way] if way not in of_word else [])
        left = files.LEFT_WALL in self.dictionary
        for reading in readings:
            positions, _ = self._positions(sentence.words, reading)
            texts = [part.text for way in reading for part in way]
            places = [(at, ways[at].index(way), k) for at, way in enumerate(reading) for k in range(len(way))]
            row = [(*place, self._begins(texts, k)) for k, place in enumerate(places)]
            row = [(-1, 0, 0, False)] * left + row
            row += [(len(ways), 0, 0, False)] * (len(positions) - len(row))
            disjuncts = self.preparation.disjuncts([p.entries for p in positions], stage).disjuncts
            for key, position, own in zip(row, positions, disjuncts, strict=True):
                names[key] = position.word
                offered.setdefault(key, {}).update(dict.fromkeys(own))
            rows.append(row)
        if len({row[0] for row in rows}) > 1:
            return None
        order = {key: number for number, key in enumerate(sorted(offered))}
        ends = ((*(order[key] for key in row), len(order)) for row in rows)
        follows = sorted({pair for row in ends for pair in pairwise(row)})
        words = tuple(names[key] for key in order)
        graph = WordGraph(words[1:], tuple(follows), name=sentence.name)
        return words, tuple(tuple(offered[key]) for key in order), graph

    def _possible(self, choices: Sequence[tuple[Way, ...]]) -> list[tuple[Way, ...]]:
        """Return the ways to read words that can be linked with some readings of the other words.

        Each word keeps one.
        """
        possible = list(choices)
        while True:
            left = [
                tuple(way for way in ways if len(ways) == 1 or self._may_be_linked(at, way, possible))
                or ways[:1]
                for at, ways in enumerate(possible)
            ]
            if left == possible:
                return possible
            possible = left

    def _may_be_linked(self, at: int, way: Way, possible: Sequence[tuple[Way, ...]]) -> bool:
        """Whether the parts of a word have connectors that some readings of the other words can match.

        A word with several readings stands there as often as it has parts, each time with the entries of all its
        readings: so whatever can match in one of them can match here.
        """
        read: list[LinkedWord] = []
        own = range(0)
        for other, ways in enumerate(possible):
            if other == at:
                own = range(len(read), len(read) + len(way))
                read += [LinkedWord(part.text, self._wherever(part)) for part in way]
            else:
                parts = dict.fromkeys(part for way in ways for part in way)
                entries = [entry for part in parts for entry in self._wherever(part)]
                read += [LinkedWord("", entries)] * max(map(len, ways))
        left = self.preparation.linkable_words([position.entries for position in self._with_walls(read)])
        wall = 1 if files.LEFT_WALL in self.dictionary else 0
        return all(left[wall + place] for place in own)

    def _has_linkage(self, reading: Sequence[Way]) -> bool | None:
        """Whether a reading of the sentence has a linkage; None if that takes too long."""
        parts = [part for way in reading for part in way]
        texts = [part.text for part in parts]
        read = [
            LinkedWord(part.text, self._entries_of(part, self._begins(texts, at)))
            for at, part in enumerate(parts)
        ]
        try:
            prepared = self.preparation.disjuncts([p.entries for p in self._with_walls(read)])
        except GrammarError:  # too many disjuncts
            return None
        return all(prepared.disjuncts) if prepared.exact else None

    def _wherever(self, part: WordPart) -> Entries:
        """Return the entries that a part of a word has in one place of a sentence or another."""
        here = self._entries_of(part, begins=False)
        if not part.text[:1].isupper():
            return here
        names = {name for name, _ in here}
        return [*here, *(entry for entry in self._entries_of(part, begins=True) if entry[0] not in names)]

    def _entries_of(self, part: WordPart, begins: bool, *, serving: bool = True) -> Entries:
        """Return the entries of a part of a word, with `serving` those of unknown words if it has none.

        `begins` is as for `_entries`.
        """
        entries = self._entries(part.text, begins)
        if not entries and serving and (served_by := self._serving) is not None:
            return self.dictionary.of(part.text, served_by)
        units = self.affixes.unit_subscripts
        subscripts = units.get(part.text, frozenset()) if part.is_unit else frozenset()
        if not subscripts or "" in subscripts:
            return entries
        names = {files.full_name(part.text, subscript) for subscript in subscripts}
        return [entry for entry in entries if entry[0] in names]


def near_word(word: str, dictionary: Dictionary) -> str | None:
    """Return a hint naming a word of a dictionary that is like a missing one, or None."""
    bare, subscript = files.split_subscript(word)
    if subscript and bare in dictionary:
        return f"a sentence has words without subscript: {bare}"
    folded = word.casefold()
    letters = set(folded)
    similar = (  # comparing with all words of a large dictionary takes too long
        other
        for other in dictionary.entries
        if abs(len(other) - len(word)) <= 2
        and not other.startswith("<")
        and (other[:1].casefold() == folded[:1] or other[-2:].casefold() == folded[-2:])
        and len(letters.symmetric_difference(other.casefold())) <= 3
    )
    return did_you_mean(word, similar)


def _doubt(number: int, way: Way, other: Way, *, sure: bool) -> Diagnostic:
    """Return a warning that a word, read in one way, is also read in another."""
    written, also = (" ".join(part.text for part in parts) for parts in (way, other))
    message = f'word {number} is read as "{written}"; link-parser also reads it as "{also}"'
    hint = "link-parser has linkages with that as well" if sure else "link-parser may have more linkages"
    return Diagnostic(OTHER_READING, message, hint=hint, severity="warning")


class LinkGrammar(Record, repr=False):
    """A Link Grammar dictionary; make one with `read`, `installed` or `from_text`.

    Two dictionaries are equal if they agree in the texts they were read from, in the cut-off and in `pruned`.

    Parameters
    ----------
    name : its name in messages: its path.
    fingerprint : stands for the texts it was read from.
    cutoff : disjuncts that cost more are left out.
    warnings : entries that are probably mistakes; not part of its value.
    pruned : whether the disjuncts of a sentence leave out those that can be in no linkage.
    strict : words that are not in the dictionary are an error, not a warning.

    >>> grammar = LinkGrammar.from_text("the: D+; cat: D- & S+; sleeps: S-;")
    >>> provided = grammar.for_sentence(Sentence.of("the cat sleeps"))
    >>> [[str(disjunct) for disjunct in of_word] for of_word in provided.disjuncts]
    [['D+'], ['D- & S+'], ['S-']]
    """

    kind: ClassVar = LINK_GRAMMAR

    name: str = field(compare=False)
    fingerprint: str = field(repr=False)
    cutoff: float
    dictionary: Dictionary = field(repr=False, compare=False)
    patterns: tuple[files.EntryPattern, ...] = field(default=(), repr=False, compare=False)
    affixes: Affixes = field(default=Affixes(), repr=False, compare=False)
    limits: LengthLimits = field(default=NO_LIMITS, repr=False, compare=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), repr=False, compare=False)
    pruned: bool = True
    strict: bool = False
    _look_up: DictionaryLookUp = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        preparation = Preparation(self.limits, self.cutoff)
        look_up = DictionaryLookUp(self.dictionary, self.patterns, self.affixes, preparation)
        object.__setattr__(self, "_look_up", look_up)

    def __reduce__(self) -> tuple[type[LinkGrammar], tuple[Any, ...]]:
        """Pickle the constructor's arguments; the lookup tables depend on the identity of expressions."""
        return LinkGrammar, tuple(getattr(self, made.name) for made in fields(self) if made.init)

    def __repr__(self) -> str:
        unpruned = "" if self.pruned else ", unpruned"
        return f"<LinkGrammar {self.name}: {quantity(len(self.dictionary.entries), 'word')}{unpruned}>"

    @classmethod
    def read(cls, path: str | PathLike[str], cutoff: float | None = None) -> LinkGrammar:
        """Read a dictionary.

        Parameters
        ----------
        path : a folder with ``4.0.dict`` and, as far as they are there, ``4.0.affix``, ``4.0.regex`` and
            ``4.0.dialect``; or a dictionary file.
        cutoff : the cost cut-off; without one, that of the dictionary, which is 2.7 if it names none.

        Raises
        ------
        GrammarError : a file cannot be read or holds mistakes; all of them are reported.
        """
        place = Path(path)
        if place.is_dir():
            place = place / DICTIONARY_FILE
            if not place.is_file():
                raise GrammarError(_no_dictionary(Path(path)))
        paths = {"dict": place}
        if place.name == DICTIONARY_FILE:
            paths |= {kind: place.with_suffix(f".{kind}") for kind in _FILES[1:]}
        texts = {kind: read_text(file) for kind, file in paths.items() if kind == "dict" or file.is_file()}
        return _grammar(fspath(path), place.parent, texts, cutoff)

    @classmethod
    def installed(cls, language: str = "en", cutoff: float | None = None) -> LinkGrammar:
        """Read a dictionary that comes with link-parser, such as that of Debian's link-grammar-dictionaries-en.

        Raises
        ------
        GrammarError : none is installed, or it holds mistakes.
        """
        if not language.isalnum():
            raise UsageError(f"{language!r} is not a language; languages are called en, ru, ...")
        for place in _PLACES:
            folder = Path(place) / language
            if (folder / DICTIONARY_FILE).is_file():
                return cls.read(folder, cutoff)
        raise GrammarError(
            Diagnostic(
                "not-installed",
                f"no Link Grammar dictionary called {language} is installed",
                expected=f"{DICTIONARY_FILE} in a folder {language} of {' or '.join(_PLACES)}",
                hint=f"install link-grammar-dictionaries-{language}, or give the path of a dictionary",
            )
        )

    @classmethod
    def from_text(cls, text: str, name: str = "dictionary", cutoff: float | None = None) -> LinkGrammar:
        """Return the dictionary that a text holds.

        Parameters
        ----------
        text : entries as in a dictionary file.
        name : its name in messages.
        cutoff : as for `read`.

        Raises
        ------
        GrammarError : the text holds mistakes; all of them are reported.
        """
        return _grammar(name, None, {"dict": text_of(text, name)}, cutoff)

    def disjuncts_of(self, word: str) -> tuple[Disjunct, ...]:
        """Return all disjuncts that the entries of a word have under the cut-off.

        Of the English dictionary, some verbs have more than a hundred thousand.

        Raises
        ------
        GrammarError : the word has no entry, or more disjuncts than can be held.
        """
        word = nfc(word)
        if word not in self.dictionary:
            hint = near_word(word, self.dictionary)
            raise GrammarError(Diagnostic("unknown-word", f"{word} is not in the dictionary", hint=hint))
        return self._look_up.preparation.disjuncts([self.dictionary.of(word)], FREE).disjuncts[0]

    def for_sentence(self, sentence: Sentence, *, prune_disjuncts: bool | None = None) -> SentenceDisjuncts:
        """Return the disjuncts of each word of a sentence.

        Parameters
        ----------
        sentence : its words are split as link-parser does where that gives linkages.
        prune_disjuncts : leave out disjuncts that are in no linkage of this sentence within the limits of the
            dictionary, all of them unless that takes too long (see `preparation`). No such linkage is lost.
            None: if `pruned` says so.

        Raises
        ------
        GrammarError : an entry with more disjuncts than can be held; where the grammar is strict, words that are
            not in the dictionary.
        UsageError : the sentence has more than 254 words.
        """
        look_up = self._look_up
        positions, warnings, readings = look_up.read(sentence, self.strict)
        if len(positions) > REFUSALS.linkage_length:
            raise UsageError(
                f"the sentence has {len(positions)} words; a linkage has at most {REFUSALS.linkage_length}"
            )
        stage = EXACTLY if (self.pruned if prune_disjuncts is None else prune_disjuncts) else FREE
        disjuncts, exact = look_up.preparation.disjuncts([p.entries for p in positions], stage)
        warnings += [] if exact else [_pruned_in_part(disjuncts)]
        words = tuple(position.word for position in positions)
        found = SentenceDisjuncts(words, disjuncts, self.limits, tuple(warnings), stage is EXACTLY)
        together = look_up.together(sentence, readings, stage) if readings else None
        if together is None:
            return found
        rest = tuple(warning for warning in warnings if warning.code != OTHER_READING)
        words, disjuncts, graph = together
        whole = replace(found, words=words, disjuncts=disjuncts, warnings=rest, graph=graph)
        return replace(found, together=whole if whole.has_reaches else None)


def _grammar(
    name: str, folder: Path | None, texts: Mapping[str, GrammarText], cutoff: float | None
) -> LinkGrammar:
    """Return the grammar of the texts of a dictionary's files, by their suffixes."""
    if cutoff is not None and not 0 <= cutoff < 1_000_000:
        raise UsageError(f"the cut-off is {cutoff}: it is a cost, at least 0")
    costs = files.read_dialects(texts["dialect"]) if "dialect" in texts else None
    dictionary = read_dictionary(texts["dict"], folder, costs)
    digest = hashlib.sha256()
    for kind in _FILES:
        digest.update(repr(texts[kind].lines if kind in texts else ()).encode())
    limits = length_limits(dictionary)
    return LinkGrammar(
        name,
        digest.hexdigest(),
        dictionary.cutoff if cutoff is None else cutoff,
        dictionary,
        files.read_regexes(texts["regex"]) if "regex" in texts else (),
        read_affixes(texts["affix"], folder) if "affix" in texts else Affixes(),
        limits,
        (*dictionary.warnings, *wildcard_warnings(limits)),
    )


def _no_dictionary(folder: Path) -> Diagnostic:
    try:
        near = sorted(entry.name for entry in folder.iterdir() if (entry / DICTIONARY_FILE).is_file())
    except OSError:
        near = []
    hint = f"did you mean {folder / near[0]}?" if near else "a dictionary file can be named itself"
    return Diagnostic(
        "no-dictionary",
        "this folder holds no dictionary",
        Location(str(folder), 1, 1),
        expected=f"a file called {DICTIONARY_FILE}",
        hint=hint,
    )


def _pruned_in_part(disjuncts: Sequence[Sequence[Disjunct]]) -> Diagnostic:
    left = sum(map(len, disjuncts))
    message = f"{left:,} disjuncts are left of the sentence: too many to find those that are in linkages"
    hint = "the numbers of linkages are right, but there are more items than after full pruning"
    return Diagnostic("pruned-in-part", message, hint=hint, severity="warning")
