"""Link Grammar dictionaries as grammars: from the words of a sentence to their disjuncts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import ClassVar

from schemata.errors import Diagnostic, GrammarError, Location, UsageError
from schemata.grammars.link_grammar import files
from schemata.grammars.link_grammar.affixes import Affixes, read_affixes
from schemata.grammars.link_grammar.dictionary import (
    Dictionary,
    length_limits,
    read_dictionary,
    wildcard_warnings,
)
from schemata.grammars.link_grammar.look_up import LookUp, near_word
from schemata.grammars.link_grammar.preparation import Preparation
from schemata.grammars.link_grammar.pruning import EXACTLY, FREE
from schemata.grammars.link_grammar.sequences import SentenceDisjuncts
from schemata.grammars.text import GrammarText, nfc, read_text, text_of
from schemata.records import Record, field
from schemata.structures.linkages import NO_LIMITS, Disjunct, LengthLimits
from schemata.structures.sentence import Sentence
from schemata.wording import quantity

DICTIONARY_FILE = "4.0.dict"
"""The name of the dictionary in a folder of dictionary files."""

_FILES = ("dict", "dialect", "regex", "affix")  # suffixes; the first is that of the dictionary itself
_PLACES = ("/usr/share/link-grammar", "/usr/local/share/link-grammar", "/opt/homebrew/share/link-grammar")
_MOST_WORDS = 254  # words of a sentence, as in link-parser


class LinkGrammar(Record, repr=False):
    """A Link Grammar dictionary; make one with `read`, `installed` or `from_text`.

    Two are equal if the texts they were read from, their cut-offs and whether they are pruned are.

    Parameters
    ----------
    name : what messages call it: its path.
    fingerprint : stands for the texts it was read from.
    cutoff : disjuncts that cost more are left out.
    warnings : what in the dictionary is probably not meant; no part of its value.
    pruned : whether disjuncts that can be in no linkage of a sentence are left out of what it is given.

    >>> grammar = LinkGrammar.from_text("the: D+; cat: D- & S+; sleeps: S-;")
    >>> provided = grammar.for_sentence(Sentence.of("the cat sleeps"))
    >>> [[str(disjunct) for disjunct in of_word] for of_word in provided.disjuncts]
    [['D+'], ['D- & S+'], ['S-']]
    """

    kind: ClassVar[str] = "link-grammar"

    name: str = field(compare=False)
    fingerprint: str = field(repr=False)
    cutoff: float
    dictionary: Dictionary = field(repr=False, compare=False)
    patterns: tuple[files.WordPattern, ...] = field(default=(), repr=False, compare=False)
    affixes: Affixes = field(default=Affixes(), repr=False, compare=False)
    limits: LengthLimits = field(default=NO_LIMITS, repr=False, compare=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), repr=False, compare=False)
    pruned: bool = True
    _look_up: LookUp = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        preparation = Preparation(self.limits, self.cutoff)
        look_up = LookUp(self.dictionary, self.patterns, self.affixes, preparation)
        object.__setattr__(self, "_look_up", look_up)

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
        name : what messages call it.
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
        sentence : its words are looked up as they are: they are not split.
        prune_disjuncts : leave out disjuncts that are in no linkage of this sentence within the limits of the
            dictionary, all of them unless that takes too long (see `preparation`). No such linkage is lost.
            None: if `pruned` says so.

        Raises
        ------
        GrammarError : words that are not in the dictionary, an entry with more disjuncts than can be held.
        UsageError : the sentence has more than 254 words.
        """
        look_up = self._look_up
        positions, splits, warnings = look_up.read(sentence)
        if len(positions) > _MOST_WORDS:
            raise UsageError(f"the sentence has {len(positions)} words; a linkage has at most {_MOST_WORDS}")
        stage = EXACTLY if (self.pruned if prune_disjuncts is None else prune_disjuncts) else FREE
        disjuncts, exact = look_up.preparation.disjuncts([p.entries for p in positions], stage)
        warnings += [] if exact else [_pruned_in_part(disjuncts)]
        warnings += look_up.doubts(sentence, splits)
        words = tuple(position.word for position in positions)
        return SentenceDisjuncts(words, disjuncts, self.limits, tuple(warnings), stage is EXACTLY)


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
        digest.update("\n".join(texts[kind].lines if kind in texts else ("",)).encode() + b"\0")
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
