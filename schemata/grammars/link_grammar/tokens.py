"""The tokens of dictionary files: marks, words, and words in double quotes, each with its place.

Tokens are separated by blanks and by the marks ``( ) { } [ ] ; & ^ | :``. A comment goes from ``%`` outside
quotes to the end of the line. A quoted word ends with a quote that a blank, a colon or a semicolon follows,
so that the word of a quote alone is written with three.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from schemata.errors import Diagnostic, Location
from schemata.grammars.text import GrammarText

__all__ = ["DictionaryError", "Token", "diagnostic", "place_of", "read_tokens"]

_TOKEN = re.compile(
    r"""
    \s+ | %.*
    | (?P<mark>[(){}\[\];&^|:])
    | "(?P<quoted>(?:[^"\s]|"(?![:;\s]|$))*)"(?=[:;\s]|$)
    | (?P<open>".*)
    | (?P<word>[^\s(){}\[\];&^|:%"]+)
    """,
    re.VERBOSE,
)
_LONGEST = 200  # characters of a word


class Token(NamedTuple):
    """A token; `line` and `column` are 1-based, `width` is its length in the file, with quotes."""

    text: str
    kind: Literal["mark", "quoted", "word", "end"]
    line: int
    column: int
    width: int

    def is_mark(self, marks: str) -> bool:
        """Whether it is one of some marks."""
        return self.kind == "mark" and self.text in marks

    def __str__(self) -> str:
        return "the end of the file" if self.kind == "end" else self.text


@dataclass
class DictionaryError(Exception):
    """A mistake at a token, raised to where reading can go on: from token number `resume`, if that is known."""

    token: Token
    code: str
    message: str
    expected: str | None = None
    hint: str | None = None
    resume: int | None = None


def read_tokens(text: GrammarText) -> tuple[list[Token], list[Diagnostic]]:
    """Return the tokens of a file, closed by one of kind ``end``, and what could not be read."""
    tokens: list[Token] = []
    problems: list[Diagnostic] = []
    for number, line in enumerate(text.lines, start=1):
        for token in _tokens_of(line, number):
            problem = _problem(token)
            if problem is not None:
                problems.append(diagnostic(text, problem))
            tokens.append(token)
    last = len(text.lines)
    tokens.append(Token("", "end", last, len(text.lines[-1]) + 1, 1))
    return tokens, problems


def place_of(text: GrammarText, token: Token) -> Location:
    """Return where a token stands."""
    return Location(text.file, token.line, token.column, token.column + token.width)


def diagnostic(
    text: GrammarText, error: DictionaryError, severity: Literal["error", "warning"] = "error"
) -> Diagnostic:
    """Return a mistake of a file as a diagnostic."""
    place = place_of(text, error.token)
    line = text.lines[error.token.line - 1]
    return Diagnostic(error.code, error.message, place, error.expected, error.hint, line, severity)


def _tokens_of(line: str, number: int) -> Iterator[Token]:
    for found in _TOKEN.finditer(line):
        kind = found.lastgroup
        if kind is None:
            continue
        start, width = found.start() + 1, found.end() - found.start()
        match kind:
            case "mark":
                yield Token(found.group(), "mark", number, start, width)
            case "word":
                yield Token(found.group(), "word", number, start, width)
            case "quoted":
                yield Token(found.group("quoted"), "quoted", number, start, width)
            case _:
                yield Token(found.group(), "word", number, start, width)


def _problem(token: Token) -> DictionaryError | None:
    if token.kind == "word" and token.text.startswith('"'):
        hint = "a quoted word has no blanks, and a blank, : or ; follows its closing quote"
        return DictionaryError(token, "open-quote", "the quotes are not closed", '"', hint)
    if token.kind == "quoted" and not token.text:
        return DictionaryError(token, "empty-quotes", "nothing stands between the quotes", "a word")
    if token.width > _LONGEST:
        message = f"a word of {token.width:,} characters"
        return DictionaryError(token, "word-too-long", message, f"at most {_LONGEST} characters")
    return None
