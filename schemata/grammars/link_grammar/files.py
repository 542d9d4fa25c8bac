"""The files of a Link Grammar dictionary: their words and tokens, and the files beside the dictionary itself.

``saw.v`` is the word *saw* with the subscript ``v``: it is found for the token ``saw``, and the subscript only
distinguishes the entries of one word. A point at the end, or before a digit, is part of the word.

Tokens are separated by blanks and by the marks ``( ) { } [ ] ; & ^ | :``. A comment goes from ``%`` outside
quotes to the end of the line. A quoted word ends with a quote that a blank, a colon or a semicolon follows,
so that the word of a quote alone is written with three.

*Word files* are lists of words that an entry names instead of words, as ``/en/words/words.n.1``. They are looked
up in the dictionary's own folder, by the whole path and, as dictionaries name their folder first, by the path
without its first part; nothing else is read.

The *regex file* gives words that the dictionary does not list to one of its entries. A line ``NAME: /pattern/``
gives words that match the pattern to the entry NAME; the first match counts. With ``!`` before it, a pattern that
matches excludes the rest of its name's run of patterns. Patterns are POSIX extended regular expressions.

The *dialect file* has the default costs of tags such as ``headline`` in ``[A+]headline``. It has
sections; a line ``tag: 4`` gives a cost, ``tag:`` a very high one, and a line ``other`` takes over the section
``[other]``. The section ``[default]`` counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from schemata.errors import Diagnostic, GrammarError, did_you_mean
from schemata.grammars.text import GrammarText, LineToken, TokenError, TokenKind, read_text, refuse
from schemata.records import Record
from schemata.thresholds import REFUSALS

LEFT_WALL = "LEFT-WALL"
RIGHT_WALL = "RIGHT-WALL"
UNKNOWN_WORDS = ("<UNKNOWN-WORD>", "UNKNOWN-WORD")
IDIOM = "I"
"""The subscript of the parts of idioms."""


def split_subscript(word: str) -> tuple[str, str]:
    """Return a word without its subscript, and the subscript.

    >>> split_subscript("saw.v"), split_subscript("z.1"), split_subscript("Dr.")
    (('saw', 'v'), ('z.1', ''), ('Dr.', ''))
    """
    at = word.rfind(".")
    after = word[at + 1 : at + 2]
    if at <= 0 or not after or not after.isascii() or after.isdigit():
        return word, ""
    return word[:at], word[at + 1 :]


def full_name(word: str, subscript: str) -> str:
    """Return a word with its subscript as one text."""
    return f"{word}.{subscript}" if subscript else word


def is_idiom(word: str) -> bool:
    """Whether a word without subscript is an idiom, several words joined by underscores.

    >>> [is_idiom(word) for word in ("kind_of", "_", "cat")]
    [True, False, False]
    """
    return any(word[at] == "_" and word[at - 1] != "\\" for at in range(1, len(word)))


def parts_of_idiom(word: str) -> list[str] | None:
    """Return the words of an idiom, or None if one of them is empty."""
    parts = word.split("_")
    return parts if all(parts) else None


_TOKEN = re.compile(
    r"""
    \s+ | %.*
    | (?P<mark>[(){}\[\];&^|:])
    | "(?P<word>(?:[^"\s]|"(?![:;\s]|$))*)"(?=[:;\s]|$)
    | (?P<open>".*)
    | (?P<name>[^\s(){}\[\];&^|:%"]+)
    """,
    re.VERBOSE,
)
_KINDS: dict[str, TokenKind] = {"mark": "mark", "word": "word", "open": "name", "name": "name"}


def read_tokens(text: GrammarText) -> tuple[tuple[LineToken, ...], list[Diagnostic]]:
    """Return the tokens of a file, bare words as names, and the errors."""
    tokens: list[LineToken] = []
    problems: list[Diagnostic] = []
    for number, line in enumerate(text.lines, start=1):
        for match in _TOKEN.finditer(line):
            if match.lastgroup is None:
                continue
            value, kind = match[match.lastgroup], _KINDS[match.lastgroup]
            token = LineToken(kind, value, number, match.start() + 1, match.end() + 1)
            tokens.append(token)
            problem = _problem(token)
            if problem is not None:
                problems.append(problem.report(text))
    last, end = len(text.lines), len(text.lines[-1]) + 1
    return (*tokens, LineToken("end", "the end of the file", last, end, end + 1)), problems


def _problem(token: LineToken) -> TokenError | None:
    if token.kind == "name" and token.text.startswith('"'):
        hint = "a quoted word has no blanks, and a blank, : or ; follows its closing quote"
        return TokenError(token, "open-quote", "the quotes are not closed", '"', hint)
    if token.kind == "word" and not token.text:
        return TokenError(token, "empty-quotes", "nothing stands between the quotes", "a word")
    if token.end - token.column > REFUSALS.word_characters:
        message = f"a word of {token.end - token.column:,} characters"
        return TokenError(token, "word-too-long", message, f"at most {REFUSALS.word_characters} characters")
    return None


def is_word_file(token: LineToken) -> bool:
    """Whether a token among the words of an entry names a word file."""
    return token.kind == "name" and token.text.startswith("/") and token.text[1:2] not in ("", ".")


def words_of_file(folder: Path | None, token: LineToken) -> list[tuple[str, str]]:
    """Return the words of the file that a token names, each without its subscript, and the subscript.

    Raises
    ------
    TokenError : there is no such file, or it cannot be read.
    """
    if folder is None:
        hint = "a dictionary given as text has no folder: write the words before the colon"
        raise TokenError(token, "missing-word-file", "word files need a folder", hint=hint)
    parts = PurePosixPath(token.text.lstrip("/")).parts
    if ".." in parts or "\0" in token.text:
        message = f"{token.text} is not in the folder of the dictionary"
        raise TokenError(token, "missing-word-file", message, "a path without ..")
    candidates = [folder.joinpath(*parts), *([folder.joinpath(*parts[1:])] if len(parts) > 1 else [])]
    path = next((c for c in candidates if c.is_file()), None)
    if path is None:
        tried = " or ".join(str(c) for c in candidates)
        message = f"there is no word file {token.text}"
        raise TokenError(token, "missing-word-file", message, f"a file {tried}")
    if not path.resolve().is_relative_to(folder.resolve()):
        message = f"{token.text} leads out of the folder of the dictionary"
        raise TokenError(token, "missing-word-file", message)
    try:
        lines = read_text(path).lines
    except GrammarError as problem:
        first = problem.diagnostics[0]
        message = f"the word file {token.text} cannot be read: {first.message}"
        place = f"look at {first.location}" if first.location else None
        raise TokenError(token, "bad-word-file", message, first.expected, place) from problem
    words = [split_subscript(word) for line in lines for word in line.split()]
    if any(subscript == IDIOM for _, subscript in words):
        message = f"{token.text}: the subscript {IDIOM} is kept for the words of idioms"
        raise TokenError(token, "bad-word-file", message)
    return words


_REGEX_LINE = re.compile(
    r"(?P<name>[^\s:]+)\s*:\s*(?P<no>!\s*)?/(?P<pattern>(?:\\/|\\.|[^/\\])*)/\s*(?:%.*)?"
)
_CLASSES = {
    "upper": "A-ZÀ-ÖØ-ÞĀ-Ž",
    "lower": "a-zß-öø-ÿ",
    "alpha": r"^\W\d_",
    "alnum": r"^\W_",
    "digit": r"\d",
    "space": r"\s",
    "punct": r"!-/:-@\[-`{-~",
}
BROKEN_PATTERN = (re.error, OverflowError, RecursionError)


class EntryPattern(Record):
    """A pattern, the entry it leads to, and whether words that match it are excluded from the entry instead."""

    name: str
    pattern: re.Pattern[str]
    excludes: bool


def read_regexes(text: GrammarText) -> tuple[EntryPattern, ...]:
    """Return the patterns of a regex file, in order.

    Raises
    ------
    GrammarError : a line is not a name and a pattern, or a pattern is broken; all of them are reported.
    """
    patterns: list[EntryPattern] = []
    mistakes: list[TokenError] = []
    name: LineToken | None = None
    for token in _line_tokens(text, comments=False):
        line = token.text
        if line.startswith("%"):
            continue
        if line.endswith(":") and "/" not in line:  # the pattern stands in the next line
            name = token
            continue
        match = _REGEX_LINE.fullmatch(f"{name.text} {line}" if name else line)
        name = None
        if match is None:
            expected = "a name, a colon, and a pattern between slashes"
            mistakes.append(TokenError(token, "bad-regex", "this is not a pattern", expected))
            continue
        try:
            pattern = re.compile(translated(match["pattern"]))
        except BROKEN_PATTERN as problem:
            mistakes.append(TokenError(token, "bad-regex", f"the pattern is broken: {problem}"))
            continue
        patterns.append(EntryPattern(match["name"], pattern, match["no"] is not None))
    if name:
        mistakes.append(TokenError(name, "bad-regex", f"{name.text} has no pattern"))
    refuse(mistake.report(text) for mistake in mistakes)
    return tuple(patterns)


def _line_tokens(text: GrammarText, *, comments: bool) -> Iterator[LineToken]:
    """Yield each line that is not blank as one token; comments begin with ``%``, if there are any."""
    for number, whole in enumerate(text.lines, start=1):
        line = (whole.split("%", 1)[0] if comments else whole).strip()
        if line:
            column = whole.index(line) + 1
            yield LineToken("name", line, number, column, column + len(line))


def entry_for(patterns: tuple[EntryPattern, ...], word: str) -> str | None:
    """Return the name of the first pattern that a word matches, or None."""
    excluded = None
    for pattern in patterns if len(word) <= REFUSALS.pattern_characters else ():
        if excluded is not None and pattern.name == excluded:
            continue
        excluded = None
        if pattern.pattern.search(word):
            if not pattern.excludes:
                return pattern.name
            excluded = pattern.name
    return None


_PIECE = re.compile(r"\\/|\\.|\[(?P<no>\^?)(?P<items>\]?(?:\[:.*?:\]|\\/|[^\]])*)(?P<end>\]?)", re.DOTALL)
_ITEM = re.compile(r"\[:(?P<name>.*?):\]|\\/|\\[wdsWDS]|.", re.DOTALL)


def translated(pattern: str) -> str:
    r"""Return a POSIX extended regular expression as Python writes it.

    >>> translated(r"^[[:upper:]][]x]\/")
    '^[A-ZÀ-ÖØ-ÞĀ-Ž][\\]x]/'
    """
    return _PIECE.sub(_translated_piece, pattern)


def _translated_piece(piece: re.Match[str]) -> str:
    """Return an escape or a bracket expression as Python writes it."""
    if piece["items"] is None:
        return piece[0].removeprefix("\\") if piece[0] == r"\/" else piece[0]
    if not piece["end"]:
        raise re.error("a bracket is not closed")
    singles = ""
    sets: list[str] = []  # negated classes: Python has no unions of them
    for item in _ITEM.finditer(piece["items"]):
        if item["name"] is not None:
            if item["name"] not in _CLASSES:
                raise re.error(f"there is no class {item[0]}")
            listed = _CLASSES[item["name"]]
            sets += [f"[{listed}]"] if listed.startswith("^") else []
            singles += "" if listed.startswith("^") else listed
        elif len(item[0]) == 2:
            singles += item[0].removeprefix("\\") if item[0] == r"\/" else item[0]
        elif item[0] == "-" and 0 < item.start() < len(piece["items"]) - 1:
            singles += "-"
        else:  # a backslash is an ordinary character here, and so is a hyphen at either end
            singles += re.escape(item[0]) if item[0] in "\\[]^-&|~" else item[0]
    if not sets:
        return f"[{piece['no']}{singles}]"
    union = "|".join([f"[{singles}]", *sets] if singles else sets)
    return f"(?:(?!{union}).)" if piece["no"] else f"(?:{union})" if "|" in union else union


_SECTION = re.compile(r"\[([a-z][A-Za-z\d_-]*)\]\s*:?")
_TAG = re.compile(r"([a-z][A-Za-z\d_-]*)\s*(:)?\s*(\S+)?")
_COST = re.compile(r"-?(?:\d{1,7}(?:\.\d*)?|\.\d+)")
VERY_HIGH = 10_000.0
"""The cost of a tag that the dialect file does not name, or names without a number."""


def read_dialects(text: GrammarText) -> dict[str, float]:
    """Return the costs that the section ``[default]`` gives to tags.

    Raises
    ------
    GrammarError : a line is not a section, tag or name of a section, or sections take over one another.
    """
    sections: dict[str, list[tuple[str, float | None, LineToken]]] = {}
    mistakes: list[TokenError] = []
    current: list[tuple[str, float | None, LineToken]] | None = None
    for token in _line_tokens(text, comments=True):
        section, tag = _SECTION.fullmatch(token.text), _TAG.fullmatch(token.text)
        if section:
            current = sections.setdefault(section[1], [])
        elif tag is None or current is None or (tag[3] and not (tag[2] and _COST.fullmatch(tag[3]))):
            message = f"{token.text} does not belong in a dialect file"
            expected = "[section], tag: cost, or the name of a section"
            mistakes.append(TokenError(token, "bad-dialect", message, expected))
        else:
            cost = float(tag[3]) if tag[3] else VERY_HIGH
            current.append((tag[1], cost if tag[2] else None, token))
    refuse(mistake.report(text) for mistake in mistakes)
    costs: dict[str, float] = {}

    def take(name: str, above: tuple[str, ...]) -> None:
        for key, cost, token in sections.get(name, ()):
            if cost is not None:
                costs[key] = cost
            elif key in above or key not in sections:
                what = "takes over itself" if key in above else "is not a section"
                mistake = TokenError(token, "bad-dialect", f"{key} {what}", hint=did_you_mean(key, sections))
                raise GrammarError(mistake.report(text))
            else:
                take(key, (*above, key))

    take("default", ("default",))
    return costs
