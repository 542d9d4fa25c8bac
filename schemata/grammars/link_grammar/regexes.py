"""The regex file: which entry of the dictionary serves for words that it does not list.

A line ``NAME: /pattern/`` gives words that match the pattern to the entry NAME; the first match counts. With
``!`` before it, a pattern that matches excludes the rest of its name's run of patterns. Patterns are POSIX
extended regular expressions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemata.errors import Diagnostic, GrammarError
from schemata.grammars.link_grammar.tokens import DictionaryError, Token, diagnostic
from schemata.grammars.text import GrammarText

__all__ = ["WordPattern", "entry_for", "read_regexes", "translated"]

_LINE = re.compile(r"(?P<name>[^\s:]+)\s*:\s*(?P<no>!\s*)?/(?P<pattern>(?:\\/|\\.|[^/\\])*)/\s*(?:%.*)?")
_CLASSES = {
    "upper": "A-ZÀ-ÖØ-ÞĀ-Ž",
    "lower": "a-zß-öø-ÿ",
    "alpha": r"^\W\d_",
    "alnum": r"^\W_",
    "digit": r"\d",
    "space": r"\s",
    "punct": r"!-/:-@\[-`{-~",
}
_LONGEST = 100  # characters of a word that patterns are tried on


@dataclass(frozen=True, slots=True)
class WordPattern:
    """A pattern, the entry it leads to, and whether it excludes."""

    name: str
    pattern: re.Pattern[str]
    excludes: bool


def read_regexes(text: GrammarText) -> tuple[WordPattern, ...]:
    """Return the patterns of a regex file, in order.

    Raises
    ------
    GrammarError : a line is not a name and a pattern, or a pattern is broken; all of them are reported.
    """
    found: list[WordPattern] = []
    problems: list[Diagnostic] = []
    held, held_line = "", 0
    for number, whole in enumerate(text.lines, start=1):
        line = whole.strip()
        if line.startswith("%") or not line:
            continue
        if line.endswith(":") and "/" not in line:  # the pattern stands in the next line
            held, held_line = line, number
            continue
        joined = f"{held} {line}"
        token = Token(line, "word", number, whole.index(line) + 1, len(line))
        held = ""
        match = _LINE.fullmatch(joined.strip())
        if match is None:
            expected = "a name, a colon, and a pattern between slashes"
            problems.append(
                diagnostic(text, DictionaryError(token, "bad-regex", "this is no pattern", expected))
            )
            continue
        try:
            pattern = re.compile(translated(match["pattern"]))
        except (re.error, OverflowError, RecursionError) as problem:
            message = f"the pattern is broken: {problem}"
            problems.append(diagnostic(text, DictionaryError(token, "bad-regex", message)))
            continue
        found.append(WordPattern(match["name"], pattern, match["no"] is not None))
    if held:
        token = Token(held, "word", held_line, 1, len(held))
        problems.append(diagnostic(text, DictionaryError(token, "bad-regex", f"{held} has no pattern")))
    if problems:
        raise GrammarError(problems)
    return tuple(found)


def entry_for(patterns: tuple[WordPattern, ...], word: str) -> str | None:
    """Return the name of the first pattern that a word matches, or None."""
    excluded = None
    for pattern in patterns if len(word) <= _LONGEST else ():
        if excluded is not None and pattern.name == excluded:
            continue
        excluded = None
        if pattern.pattern.search(word):
            if not pattern.excludes:
                return pattern.name
            excluded = pattern.name
    return None


def translated(pattern: str) -> str:
    r"""Return a POSIX extended regular expression as Python writes it.

    >>> translated(r"^[[:upper:]][]x]\/")
    '^[A-ZÀ-ÖØ-ÞĀ-Ž][\\]x]/'
    """
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith(r"\/", at):
            out.append("/")
            at += 2
        elif pattern[at] == "\\":
            out.append(pattern[at : at + 2])
            at += 2
        elif pattern[at] == "[":
            text, at = _bracket(pattern, at + 1)
            out.append(text)
        else:
            out.append(pattern[at])
            at += 1
    return "".join(out)


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """Return the bracket expression that begins at a place, and the place after it."""
    start = at
    negated = pattern.startswith("^", at)
    at += negated
    singles: list[str] = []
    sets: list[str] = []
    while at < len(pattern) and (pattern[at] != "]" or at == start + negated):
        if pattern.startswith("[:", at) and ":]" in pattern[at + 2 :]:
            end = pattern.index(":]", at + 2)
            name = pattern[at + 2 : end]
            if name not in _CLASSES:
                raise re.error(f"there is no class [:{name}:]")
            listed = _CLASSES[name]
            (sets if listed.startswith("^") else singles).append(listed)
            at = end + 2
        elif pattern.startswith(r"\/", at):
            singles.append("/")
            at += 2
        elif pattern[at] == "\\" and at + 1 < len(pattern) and pattern[at + 1] in "wdsWDS":
            singles.append(pattern[at : at + 2])
            at += 2
        else:
            # A backslash is an ordinary character here; a hyphen is one at either end.
            edge = at == start + negated or pattern[at + 1 : at + 2] == "]"
            plain = pattern[at] == "-" and not edge
            singles.append(
                "-" if plain else re.escape(pattern[at]) if pattern[at] in "\\[]^-&|~" else pattern[at]
            )
            at += 1
    if at >= len(pattern):
        raise re.error("a bracket is not closed")
    return _class(negated, singles, sets), at + 1


def _class(negated: bool, singles: list[str], sets: list[str]) -> str:
    """Return a character class; Python has no unions of negated classes."""
    alternatives = ([f"[{''.join(singles)}]"] if singles else []) + [f"[{listed}]" for listed in sets]
    if len(alternatives) == 1:
        return (
            f"[^{alternatives[0][1:]}"
            if negated and not sets
            else (f"(?!{alternatives[0]})." if negated else alternatives[0])
        )
    union = f"(?:{'|'.join(alternatives)})"
    return f"(?:(?!{union}).)" if negated else union
