"""Turns Lark's complaints about a piece of a schema into diagnostics a schema's author can act on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from schemata.errors import Diagnostic
from schemata.language.pieces import Piece
from schemata.language.source import SourceText, Span

__all__ = ["explain_syntax_error", "find_bracket_error"]

_NAMES = {
    "NAME": "a name",
    "SCHEMA_NAME": "a schema name",
    "STAR_NAME": "a sequence variable *A",
    "INT": "a number",
    "STRING": 'a quoted "symbol"',
    "COMMA": ",",
    "RSQB": "]",
    "LSQB": "[",
    "RPAR": ")",
    "LPAR": "(",
    "MORE": ">",
    "LESS": "<",
    "COLON": ":",
    "EQUALS": "=",
    "TO": "to",
    "IS": "is",
    "OF": "of",
    "WHERE": "where",
    "GIVEN": "given",
    "HEAD": "head",
    "__ANON_0": "..",
    "$END": "the end",
}
_TERM_STARTS = {"NAME", "STAR_NAME", "UNDERSCORE", "INT", "STRING", "TRUE", "FALSE", "LESS", "LPAR"}
_SYMBOL_HINTS = {
    "=>": "the consequent stands below a line of dashes",
    "->": "write attach d to h",
    "→": "write attach d to h",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != for a difference",
    "'": 'quote symbols with "..."',
    "{": "lists are written <a, b>",
    "}": "lists are written <a, b>",
    ";": "separate with commas",
    "/": "arithmetic is + and - only",
    "*": "sequence variables are written *A without a blank; products are not linear",
}
_PAIRS = {"[": "]", "(": ")"}


def find_bracket_error(text: Piece, source: SourceText, depth_limit: int) -> Diagnostic | None:
    """Report a bracket that is never closed or never opened, or brackets nested beyond reason."""
    stack: list[tuple[str, Span]] = []
    for number, line in enumerate(text.text.split("\n")):
        quoted = False
        for column, character in enumerate(line, start=1):
            if character == '"':
                quoted = not quoted
            if quoted or character not in "[]()":
                continue
            span = Span(source, text.first_line + number, column, column + 1)
            if character in _PAIRS:
                stack.append((character, span))
                if len(stack) > depth_limit:
                    return span.report("too-deep", f"brackets nested more than {depth_limit} deep")
            elif not stack:
                return span.report(
                    "bracket", f"{character} closes nothing", hint="remove it, or open it before"
                )
            elif _PAIRS[stack[-1][0]] != character:
                opened, place = stack[-1]
                return span.report(
                    "bracket",
                    f"{character} does not close {opened} of line {place.line}, column {place.column}",
                    expected=_PAIRS[opened],
                )
            else:
                stack.pop()
    if stack:
        opened, span = stack[-1]
        return span.report("bracket", f"{opened} is never closed", expected=_PAIRS[opened])
    return None


def explain_syntax_error(error: UnexpectedInput, text: Piece, source: SourceText, what: str) -> Diagnostic:
    """Return the diagnostic for a piece that does not parse; `what` names the piece."""
    lines = text.text.split("\n")
    match error:
        case UnexpectedCharacters():
            line, column = error.line, error.column
            expected = set(error.allowed or ())
        case UnexpectedEOF():
            line, column, expected = -1, -1, set(error.expected)
        case UnexpectedToken():
            token = error.token
            expected = set(error.accepts or error.expected)
            line, column = (-1, -1) if token.type == "$END" else (token.line or 1, token.column or 1)
        case _:
            line, column, expected = 1, 1, set()
    if line < 0:
        filled = [k for k, content in enumerate(lines, start=1) if content.strip()]
        line = filled[-1] if filled else 1
        column = len(lines[line - 1].rstrip()) + 1
        span = Span(source, text.first_line + line - 1, column, column + 1)
        return span.report("syntax", f"{what} ends too early", expected=_expected(expected))
    rest = lines[line - 1][column - 1 :]
    found = re.match(r"[^\W\d]\w*'*|\d+|=>|->|.", rest)
    symbol = found[0] if found else rest[:1]
    span = Span(source, text.first_line + line - 1, column, column + max(1, len(symbol)))
    return span.report(
        "syntax",
        f"{what} cannot go on with {symbol}",
        expected=_expected(expected),
        hint=_SYMBOL_HINTS.get(symbol),
    )


def _expected(terminals: Iterable[str]) -> str:
    """Return what may come next, in words; the starts of a term are one word."""
    left = {
        t for t in terminals if not t.startswith("_") and t not in ("QMARK", "DIFFERS", "AT_MOST", "AT_LEAST")
    }
    words: list[str] = []
    if len(left & _TERM_STARTS) >= 5:
        words.append("a term")
        left -= _TERM_STARTS | {"MINUS", "LENGTH", "ROOT"}
    if "MINUS" in left and "SIGN" in left:
        words.append("+ or -")
        left -= {"MINUS", "SIGN"}
    closing = [t for t in ("RSQB", "RPAR", "COMMA") if t in left]
    words += [_NAMES[t] for t in closing]
    left -= set(closing)
    if closing:
        left -= {"LESS", "MORE", "EQUALS", "LPAR", "IS"}
    words += sorted(_NAMES.get(t, t.lower().replace("_", " ")) for t in left)
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else "".join(words)
