"""The affix file: what link-parser splits off words (see `splitting`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from schemata.errors import Diagnostic, GrammarError, Location
from schemata.grammars.link_grammar.regexes import translated
from schemata.grammars.link_grammar.tokens import DictionaryError, Token, diagnostic, read_tokens
from schemata.grammars.link_grammar.word_files import is_word_file, words_of_file
from schemata.grammars.link_grammar.words import split_subscript
from schemata.grammars.text import GrammarText

__all__ = ["Affixes", "read_affixes"]

_ENDS_SENTENCE = frozenset((":", ".", "...", "?", "!", "？", "！"))


@dataclass(frozen=True, slots=True)
class Affixes:
    """What link-parser splits off words: each class of affixes, longest affix first.

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
        """Whether after this word another may be capitalised as at the beginning of a sentence."""
        return word in _ENDS_SENTENCE or word in self.openers


def read_affixes(text: GrammarText, folder: Path | None) -> Affixes:
    """Return the affixes that a file lists in entries such as ``"." ",": RPUNC+;``.

    Raises
    ------
    GrammarError : the file holds mistakes.
    """
    tokens, problems = read_tokens(text)
    classes: dict[str, list[str]] = {}
    words: list[str] = []
    at = 0
    while tokens[at].kind != "end":
        token = tokens[at]
        name, end = tokens[at + 1 : at + 2], tokens[at + 2 : at + 3]
        if token.is_mark(":"):
            if not (name and end and name[0].kind == "word" and end[0].is_mark(";")):
                problems.append(_wrong(text, token, "a class such as RPUNC+ and a semicolon after the colon"))
                break
            classes.setdefault(name[0].text.rstrip("+-"), []).extend(words)
            words = []
            at += 3
            continue
        if token.kind == "mark":
            problems.append(_wrong(text, token, "affixes, then a colon"))
            break
        try:
            words.extend(w for w, _ in words_of_file(folder, token)) if is_word_file(token) else words.append(
                token.text
            )
        except DictionaryError as error:
            problems.append(diagnostic(text, error))
        at += 1
    if words and not problems:
        problems.append(_wrong(text, tokens[-1], "a colon and a class after the affixes"))
    try:
        patterns = tuple(_pattern(affix) for affix in classes.get("MPUNC", ()) if _is_pattern(affix))
    except (re.error, OverflowError, RecursionError) as problem:
        problems.append(
            Diagnostic("bad-affix", f"a pattern of MPUNC is broken: {problem}", Location(text.file, 1, 1))
        )
    if problems:
        raise GrammarError(problems)
    units: dict[str, frozenset[str]] = {}
    for unit, subscript in map(split_subscript, classes.get("UNITS", ())):
        units[unit] = units.get(unit, frozenset()) | {subscript}
    return Affixes(
        _longest_first(classes, "LPUNC"),
        _longest_first(classes, "RPUNC"),
        _longest_first(classes, "MPUNC"),
        patterns,
        _longest_first(classes, "PRE"),
        _longest_first(classes, "SUF"),
        tuple(sorted((unit for unit in units if unit), key=lambda unit: (-len(unit), unit))),
        units,
        frozenset("".join(classes.get("QUOTES", []) + classes.get("BULLETS", []))),
    )


def _longest_first(classes: dict[str, list[str]], name: str) -> tuple[str, ...]:
    plain = {affix for affix in classes.get(name, ()) if affix and not _is_pattern(affix)}
    return tuple(sorted(plain, key=lambda affix: (-len(affix), affix)))


def _is_pattern(affix: str) -> bool:
    """Whether an affix is a pattern with its group, as in ``/x([,:])/.\\1``."""
    return affix.startswith("/") and "/." in affix[1:]


def _pattern(affix: str) -> re.Pattern[str]:
    pattern = re.compile(translated(affix[1 : affix.rindex("/.")]))
    return pattern if pattern.groups else re.compile(f"({pattern.pattern})")


def _wrong(text: GrammarText, token: Token, expected: str) -> Diagnostic:
    message = f"{token} does not belong here"
    return diagnostic(text, DictionaryError(token, "bad-affix", message, expected))
