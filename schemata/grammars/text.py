"""Grammar files as text: safe reading, tokens, and one style of errors for all formats.

Reading a file gives its lines in NFC, or raises a located `GrammarError` if the file is missing, a directory,
binary, huge or not UTF-8. A byte order mark and Windows line ends are accepted. Names and word
forms are compared in NFC.

A *line format* is a list of lines, each made of tokens and read on its own. All line formats have the same tokens,
apart from their marks: bare names, ``"words"`` in double quotes, ``'labels'`` in single quotes, and comments from
``#`` to the end of the line. A mistake ends the reading of its line and the next one is read, so that all mistakes
of a file are reported at once.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, fspath
from typing import Any, Literal, NamedTuple, NoReturn, TypeVar

from schemata.errors import MORE_ERRORS, Diagnostic, GrammarError, Location, UsageError, did_you_mean
from schemata.records import Record
from schemata.text_files import lines_of, read_file
from schemata.thresholds import EFFORTS, REFUSALS
from schemata.wording import unquoted

_COUNT_COLUMN = 60  # counts stand no further right, but for lines that are longer
_WEIGHT = re.compile(
    r"\[\s*(?P<log>log\b)?\s*(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|-?inf)\s*\]"
)
_WEIGHT_BEGINS = re.compile(r"\[(?:log(?![^\W\d_])|[-+.]?\d|[-+]?inf\b)")
GREATEST_WEIGHT = 1e290  # in log space, either way: sums of many must be finite
_JOINERS = "\u200c\u200d"  # invisible, but part of Persian and Indic words


T = TypeVar("T")


def nfc(text: str) -> str:
    """Return a text in Unicode normal form C, in which all names and words are compared."""
    return unicodedata.normalize("NFC", text)


def checked(text: str, what: str) -> str:
    """Return a name or word form in NFC.

    Parameters
    ----------
    text : the name.
    what : a name for it, for the message.

    Raises
    ------
    UsageError : it is empty, or holds a line break or a null character.
    """
    if not text:
        raise UsageError(f"{what} is empty")
    if not {"\n", "\r", "\0"}.isdisjoint(text):
        raise UsageError(f"{what} {text!r} holds a line break or a null character")
    return nfc(text)


class GrammarText(Record):
    """The lines of a grammar file in NFC, without their line ends, and the file's name for messages."""

    file: str
    lines: tuple[str, ...]

    def finding(
        self, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> Diagnostic:
        """Return the finding that the file as a whole has a mistake."""
        return Diagnostic(code, message, Location(self.file, 1, 1), expected, hint)


def read_text(path: str | PathLike[str]) -> GrammarText:
    """Read the lines of a grammar file.

    Parameters
    ----------
    path : the file, UTF-8.

    Raises
    ------
    GrammarError : the file cannot be opened, is a directory, is binary, is not UTF-8, or is too large.
    """
    return text_of(read_file(path, GrammarError, "a grammar file", REFUSALS.grammar_bytes), fspath(path))


def text_of(text: str | GrammarText, file: str) -> GrammarText:
    """Return the lines of a string, which `file` names in messages; a text that has been read already stays.

    Raises
    ------
    GrammarError : a line is too long.
    """
    if isinstance(text, GrammarText):
        return text
    return GrammarText(file, lines_of(text, file, GrammarError, REFUSALS.grammar_line))


# Tokens and mistakes ------------------------------------------------------------------------------------------------


TokenKind = Literal["name", "word", "label", "mark", "end"]


class LineToken(NamedTuple):
    """A stretch of a line that means something, and where it stands.

    Parameters
    ----------
    kind : its kind; the last token of a text is the ``end``.
    text : its value, without quotes; of the end, its name in messages.
    line, column, end : its 1-based line and column, and the column after it.
    """

    kind: TokenKind
    text: str
    line: int
    column: int
    end: int

    def part(self, begin: int, end: int) -> LineToken:
        """Return a stretch of the token by its columns within it, from 0."""
        return self._replace(column=self.column + begin, end=self.column + end)

    def is_mark(self, *marks: str) -> bool:
        """Whether it is one of some marks."""
        return self.kind == "mark" and self.text in marks

    def __str__(self) -> str:
        """Return the token as a message names it."""
        quote = {"word": '"', "label": "'"}.get(self.kind, "")
        return f"{quote}{self.text}{quote}"


@dataclass
class TokenError(Exception):
    """A mistake at a token; reading resumes in the next line, or at token number `resume` if that is set."""

    token: LineToken
    code: str
    message: str
    expected: str | None = None
    hint: str | None = None
    resume: int | None = None

    def report(self, text: GrammarText, severity: Literal["error", "warning"] = "error") -> Diagnostic:
        """Return the mistake as a located diagnostic."""
        token = self.token
        place = Location(text.file, token.line, token.column, token.end)
        line = text.lines[token.line - 1]
        return Diagnostic(self.code, self.message, place, self.expected, self.hint, line, severity)


def require_text(token: LineToken, expected: str) -> None:
    """Report quotes with nothing between."""
    if not token.text:
        raise TokenError(token, "empty-quotes", "nothing stands between the quotes", expected)


def refuse(findings: Iterable[Diagnostic]) -> None:
    """Raise the errors among the findings about a file, in the order of their places, if there are any.

    Raises
    ------
    GrammarError : there are errors; the first `EFFORTS.reported_errors` are listed, the rest are counted.
    """
    errors = [finding for finding in findings if finding.severity == "error"]
    errors.sort(key=lambda error: (error.location.line, error.location.column) if error.location else (0, 0))
    most = EFFORTS.reported_errors
    if len(errors) > most:
        rest = len(errors) - most
        errors = [*errors[:most], Diagnostic(MORE_ERRORS, f"and {rest:,} more mistakes in this file")]
    if errors:
        raise GrammarError(errors)


class Cursor:
    """Tokens and how far they have been read."""

    __slots__ = ("at", "tokens")

    def __init__(self, tokens: tuple[LineToken, ...]) -> None:
        self.tokens = tokens
        self.at = 0

    @property
    def next(self) -> LineToken:
        """The next token; at the end, the end."""
        return self.tokens[self.at]

    def peek(self, ahead: int = 1) -> LineToken:
        """Return the token that stands `ahead` tokens after the next one, or the end."""
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> LineToken:
        """Return the next token and step over it; the end is never stepped over."""
        token = self.next
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def is_at(self, *texts: str) -> bool:
        """Whether the next token is one of these names or marks."""
        return self.next.kind in ("name", "mark") and self.next.text in texts

    def accept(self, *texts: str) -> bool:
        """Step over the next token if it is one of these names or marks; return whether it was."""
        there = self.is_at(*texts)
        if there:
            self.take()
        return there

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
        raise TokenError(token, "unexpected-token", message, expected, near or hint)

    @property
    def is_at_weight(self) -> bool:
        """Whether a weight in brackets comes next, well-formed or not."""
        return self.next.kind == "name" and begins_as_weight(self.next.text, self.peek().text)

    def weight(self) -> float | None:
        """Read a weight in brackets if one stands here: a factor ``[0.3]``, or its logarithm ``[log -1.2]``.

        Returns
        -------
        The logarithm, -inf of the factor 0; None if no weight stands here.
        """
        if not self.is_at_weight:
            return None
        first = last = self.take()
        text = first.text
        while not text.endswith("]") and self.peek(0).kind != "end":
            last = self.take()
            text += f" {last.text}"
        number = _WEIGHT.fullmatch(text)
        place = first._replace(text=text, end=last.end)
        if number is None:
            meant = "a factor from 0, or its logarithm behind the word log"
            raise TokenError(place, "bad-weight", f"{text} is not a weight", "[0.3] or [log -1.2]", meant)
        value = float(number["number"])
        if number["log"]:
            if value == math.inf or math.isnan(value):
                raise TokenError(place, "bad-weight", f"{text} is not a weight", "a number, or -inf")
            if value != -math.inf and abs(value) > GREATEST_WEIGHT:
                expected = f"at most {GREATEST_WEIGHT:g}: weights are added up"
                raise TokenError(place, "bad-weight", f"{text} is too large", expected)
            return value
        if not 0 <= value < math.inf:
            hint = f"its logarithm is written [log {number['number']}]" if math.isfinite(value) else None
            raise TokenError(place, "bad-weight", f"{text} is not a factor", "a number from 0", hint)
        return math.log(value) if value else -math.inf

    def several(self, read: Callable[[Cursor], T]) -> list[T]:
        """Read one or more things that are separated by commas."""
        things = [read(self)]
        while self.accept(","):
            things.append(read(self))
        return things


# Line formats -------------------------------------------------------------------------------------------------------


def read_lines(text: GrammarText, marks: tuple[str, ...], read: Callable[[Cursor], None]) -> list[Diagnostic]:
    """Read the lines of a file that hold tokens; return the mistakes in them.

    Parameters
    ----------
    text : the file.
    marks : the format's punctuation.
    read : reads one line, or raises a `TokenError`.
    """
    mistakes = []
    for number, line in enumerate(text.lines, start=1):
        try:
            tokens = tuple(_tokens(line, number, marks))
            if len(tokens) > 1:
                read(Cursor(tokens))
        except TokenError as mistake:
            mistakes.append(mistake.report(text))
    return mistakes


def weight_text(weight: float) -> str:
    """Return a weight as it stands behind a rule, nothing for the weight 1.

    >>> weight_text(math.log(0.3)), weight_text(-1.2), weight_text(-math.inf), weight_text(0.0)
    (' [0.3]', ' [log -1.2]', ' [0]', '')
    """
    if weight in (0.0, -math.inf):
        return " [0]" if weight else ""
    factor = f"{math.exp(weight):.12g}" if weight < 700 else "inf"
    is_exact = 0 < float(factor) < math.inf and math.log(float(factor)) == weight
    is_exact = is_exact and len(factor) < len(repr(weight))
    return f" [{factor}]" if is_exact else f" [log {weight!r}]"


def begins_as_weight(name: str, after: str) -> bool:
    """Whether a name, with the text after it in a line, is read as a weight in brackets.

    >>> begins_as_weight("[0.5]", ""), begins_as_weight("[", "0"), begins_as_weight("[", "A")
    (True, True, False)
    """
    return name.startswith("[") and _WEIGHT_BEGINS.match(name + after) is not None


def is_bare(text: str, marks: tuple[str, ...]) -> bool:
    """Whether a text can stand in a file as a bare name."""
    match = _pattern(marks).fullmatch(text)
    return match is not None and match.lastgroup == "name" and _unseen(text) is None


def commented(
    entries: Iterable[tuple[object, str]],
    header: Iterable[str],
    counts: Mapping[Any, int] | None,
    weights: Iterable[tuple[Any, float]],
    rest: Iterable[str] = (),
) -> str:
    """Return lines of a file with a header of comments; with each thing goes its weight, and its count as a comment."""
    counts, known = counts or {}, dict(weights)
    lines = [f"# {' '.join(line.split())}".rstrip() for line in header]
    weighed = [(thing, line + weight_text(known.get(thing, 0.0))) for thing, line in entries]
    weighed += [(None, line) for line in rest]
    width = min(max((len(line) for _, line in weighed), default=0), _COUNT_COLUMN)
    for thing, line in weighed:
        lines.append(f"{line:{width}}  # {counts[thing]}" if thing in counts else line)
    return "".join(f"{line}\n" for line in lines)


def _tokens(line: str, number: int, marks: tuple[str, ...]) -> Iterator[LineToken]:
    for match in _pattern(marks).finditer(line):
        text = match[0]
        whole = LineToken("mark", text, number, match.start() + 1, match.end() + 1)
        match match.lastgroup:
            case "blank" | "comment":
                continue
            case "word" | "label" as kind:
                yield whole._replace(kind=kind, text=_unquoted(whole))
            case "name":
                unseen = _unseen(text)
                if unseen is not None:
                    message, at = f"an invisible character (U+{ord(unseen):04X})", text.index(unseen)
                    hint = "delete it; in a word, put the word in double quotes"
                    raise TokenError(whole.part(at, at + 1), "invisible-character", message, "a name", hint)
                yield whole._replace(kind="name")
            case "mark":
                yield whole
            case _:
                hint = f"close it with {text}"
                if text == "'":
                    hint += '; a word that holds a quote is written in double quotes: "\'s"'
                raise TokenError(whole, "unclosed-quote", f"the quote {text} is never closed", hint=hint)
    last = len(line.rstrip()) + 1
    yield LineToken("end", "the end of the line", number, last, last + 1)


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


def _unquoted(token: LineToken) -> str:
    value = token.text[1:-1]
    wrong = re.search(r"\\[^\\\"']", re.sub(r"\\\\", "  ", value))
    if wrong:
        message, hint = f"{wrong[0]} means nothing in quotes", "write \\\\ for a backslash"
        place = token.part(1 + wrong.start(), 1 + wrong.end())
        raise TokenError(place, "unknown-escape", message, '\\" or \\\\', hint)
    return unquoted(token.text)


def _unseen(text: str) -> str | None:
    """Return the first invisible character of a text, or None."""
    if text.isprintable():
        return None
    return next((c for c in text if not (c.isprintable() or c in _JOINERS)), None)
