"""Line formats: a grammar file is a list of lines, each made of tokens and read on its own.

All grammar formats have the same tokens, apart from their marks: bare names, ``"words"`` in double quotes,
``'labels'`` in single quotes, and comments from ``#`` to the end of the line. A mistake ends the reading of
its line and the next one is read, so that all mistakes of a file are reported at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NoReturn

from schemata.errors import Diagnostic, GrammarError, Location, did_you_mean
from schemata.grammars.text import GrammarText

__all__ = ["Cursor", "LineError", "Span", "Token", "is_bare", "quoted", "read_lines", "refuse", "report"]

TokenKind = Literal["name", "word", "label", "mark", "end"]
_REPORTED = 100  # mistakes shown of one file; a file with more is something else altogether
_JOINERS = "\u200c\u200d"  # invisible, but part of Persian and Indic words


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a line: 1-based line and column, and the column after its last character."""

    line: int
    column: int
    end: int


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its value (without quotes), and where it stands. The last one of a line is of kind ``end``."""

    kind: TokenKind
    text: str
    span: Span

    def __str__(self) -> str:
        """Return the token as a message names it."""
        return {"end": "the end of the line", "word": f'"{self.text}"', "label": f"'{self.text}'"}.get(
            self.kind, self.text
        )


class LineError(Exception):
    """A mistake that ends the reading of its line."""

    def __init__(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.span, self.code, self.message, self.expected, self.hint = span, code, message, expected, hint


class Cursor:
    """The tokens of one line and how far they have been read."""

    __slots__ = ("at", "tokens")

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.at = 0

    def mark_follows(self, text: str, ahead: int = 1) -> bool:
        """Whether the token that stands `ahead` tokens after the next one is this mark."""
        token = self.peek(ahead)
        return token.kind == "mark" and token.text == text

    @property
    def next(self) -> Token:
        """The next token; at the end of the line, the end."""
        return self.tokens[self.at]

    def peek(self, ahead: int = 1) -> Token:
        """Return the token that stands `ahead` tokens after the next one, or the end."""
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Return the next token and step over it; the end is never stepped over."""
        token = self.next
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def is_at(self, *texts: str) -> bool:
        """Whether the next token is one of these names or marks."""
        return self.next.kind in ("name", "mark") and self.next.text in texts

    def accept(self, *texts: str) -> bool:
        """Step over the next token if it is one of these names or marks; return whether it was."""
        found = self.is_at(*texts)
        if found:
            self.take()
        return found

    def require(self, text: str, expected: str | None = None) -> None:
        """Step over a name or mark that must come next."""
        if not self.accept(text):
            self.unexpected(expected or text, (text,))

    def require_end(self, expected: str = "the end of the line", keywords: Iterable[str] = ()) -> None:
        """Make sure that nothing is left of the line."""
        if self.next.kind != "end":
            self.unexpected(expected, keywords)

    def unexpected(self, expected: str, keywords: Iterable[str] = (), hint: str | None = None) -> NoReturn:
        """Report that the next token should not stand here."""
        token = self.next
        near = did_you_mean(token.text, keywords) if token.kind == "name" else None
        message = "the line ends too early" if token.kind == "end" else f"{token} does not belong here"
        raise LineError(token.span, "unexpected-token", message, expected, near or hint)


def read_lines(text: GrammarText, marks: tuple[str, ...], read: Callable[[Cursor], None]) -> list[Diagnostic]:
    """Read the lines of a file that hold tokens; return the mistakes in them.

    Parameters
    ----------
    text : the file.
    marks : the format's punctuation.
    read : reads one line, or raises a `LineError`.
    """
    found = []
    for number, line in enumerate(text.lines, start=1):
        try:
            tokens = tuple(_tokens(line, number, marks))
            if len(tokens) > 1:
                read(Cursor(tokens))
        except LineError as error:
            found.append(report(text, error))
    return found


def report(
    text: GrammarText, error: LineError, severity: Literal["error", "warning"] = "error"
) -> Diagnostic:
    """Return a mistake as a located diagnostic."""
    span = error.span
    place = Location(text.file, span.line, span.column, span.end)
    line = text.lines[span.line - 1]
    return Diagnostic(error.code, error.message, place, error.expected, error.hint, line, severity)


def refuse(findings: Iterable[Diagnostic]) -> None:
    """Raise the errors among the findings about a file, in the order of their places, if there are any.

    Raises
    ------
    GrammarError : there are errors; the first hundred are listed, the rest are counted.
    """
    errors = [finding for finding in findings if finding.severity == "error"]
    errors.sort(key=lambda error: (error.location.line, error.location.column) if error.location else (0, 0))
    if len(errors) > _REPORTED:
        rest = len(errors) - _REPORTED
        errors = [*errors[:_REPORTED], Diagnostic("more-errors", f"and {rest:,} more mistakes in this file")]
    if errors:
        raise GrammarError(errors)


def quoted(text: str, quote: str = '"') -> str:
    r"""Return a text in quotes, as a token that reads back to it.

    >>> print(quoted('5"'), quoted("N'", "'"))
    "5\"" 'N\''
    """
    escaped = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return f"{quote}{escaped}{quote}"


def is_bare(text: str, marks: tuple[str, ...]) -> bool:
    """Whether a text can stand in a file as a bare name."""
    match = _pattern(marks).fullmatch(text)
    return match is not None and match.lastgroup == "name" and _unseen(text) is None


def _tokens(line: str, number: int, marks: tuple[str, ...]) -> Iterable[Token]:
    for match in _pattern(marks).finditer(line):
        span = Span(number, match.start() + 1, match.end() + 1)
        text = match[0]
        match match.lastgroup:
            case "blank" | "comment":
                continue
            case "word" | "label" as kind:
                yield Token(kind, _unquoted(text, span), span)
            case "name" if (unseen := _unseen(text)) is not None:
                at = span.column + text.index(unseen)
                raise LineError(
                    Span(number, at, at + 1),
                    "invisible-character",
                    f"an invisible character (U+{ord(unseen):04X})",
                    expected="a name",
                    hint="delete it; in a word, put the word in double quotes",
                )
            case "name" | "mark" as kind:
                yield Token(kind, text, span)
            case _:
                hint = f"close it with {text}"
                if text == "'":
                    hint += '; a word that holds a quote is written in double quotes: "\'s"'
                raise LineError(span, "unclosed-quote", f"the quote {text} is never closed", hint=hint)
    yield Token("end", "", Span(number, len(line.rstrip()) + 1, len(line.rstrip()) + 2))


@lru_cache(maxsize=8)
def _pattern(marks: tuple[str, ...]) -> re.Pattern[str]:
    mark = "|".join(map(re.escape, marks))
    return re.compile(
        r"(?P<blank>\s+)|(?P<comment>\#.*)"
        r'|(?P<word>"(?:[^"\\]|\\.)*")' + r"|(?P<label>'(?:[^'\\]|\\.)*')"
        rf"|(?P<mark>{mark})"
        rf"|(?P<name>(?!{mark})[^\s\"'\#](?:(?!{mark})[^\s\"\#])*)"
        r"|(?P<stray>.)",
        re.DOTALL,
    )


def _unquoted(text: str, span: Span) -> str:
    value = text[1:-1]
    wrong = re.search(r"\\[^\\\"']", re.sub(r"\\\\", "  ", value))
    if wrong:
        raise LineError(
            Span(span.line, span.column + 1 + wrong.start(), span.column + 1 + wrong.end()),
            "unknown-escape",
            f"{wrong[0]} means nothing in quotes",
            expected='\\" or \\\\',
            hint="write \\\\ for a backslash",
        )
    return re.sub(r"\\(.)", r"\1", value)


def _unseen(text: str) -> str | None:
    """Return the first invisible character of a text, or None."""
    return (
        None
        if text.isprintable()
        else next((c for c in text if not (c.isprintable() or c in _JOINERS)), None)
    )
