"""Turns Lark's complaints about a piece of a schema into diagnostics a schema's author can act on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from schemata.errors import Diagnostic, did_you_mean
from schemata.language.pieces import Piece
from schemata.language.source import SourceText, Span, line_span

__all__ = ["explain_syntax_error", "find_size_error"]

DEPTH_LIMIT = 60
PIECE_LIMIT = 10_000  # characters; beyond, a declaration is no rule that people read

_NAMES = {
    "NAME": "a name",
    "SCHEMA_NAME": "a schema name",
    "STAR_NAME": "a sequence variable *A",
    "INT": "a number",
    "STRING": 'a quoted "symbol"',
    "COMMA": "a comma",
    "RSQB": "]",
    "LSQB": "[",
    "RPAR": ")",
    "LPAR": "(",
    "MORE": ">",
    "COLON": ":",
    "EQUALS": "=",
    "DOT": ".",
    "$END": "the end",
}
_TERM_STARTS = frozenset(
    ["NAME", "STAR_NAME", "UNDERSCORE", "INT", "STRING", "TRUE", "FALSE", "LESS", "LPAR", "MINUS", "SIGN"]
)
_CONDITION_STARTS = frozenset(
    ["ATTACH", "LICENSED", "LINK", "HEAD", "RULE", "CATEGORY", "CORNER", "DISJUNCT", "JOIN"]
)
_LABEL_PARTS = frozenset(["NAME", "STAR_NAME", "UNDERSCORE", "DOT", "AT"])
_OPERATORS = frozenset(
    ("SIGN", "MINUS", "LESS", "MORE", "AT_MOST", "AT_LEAST", "EQUALS", "DIFFERS", "QMARK", "LPAR", "MATCHES")
)
_JOINING = frozenset(["_AND", "_OR", "_NOT", "_IN", "_NOT_IN", "_RUN"])
_DASH = "the consequent stands below a line of dashes"
_LISTS = "lists are written <a, b>"
_SYMBOL_HINTS = {
    "=>": _DASH,
    "|-": _DASH,
    "⊢": _DASH,
    "⇒": _DASH,
    ":-": _DASH,
    "->": "write attach d to h",
    "→": "write attach d to h",
    "<-": "write attach d to h",
    "&": "write and",
    "&&": "write and",
    "|": "write or",
    "||": "write or",
    "!": "write not, or != for a difference",
    "~": "write not, or x ~ y for labels that match",
    "'": 'quote symbols with "..."',
    '"': 'symbols are quoted with "..." on one line',
    "{": _LISTS,
    "}": _LISTS,
    ";": "separate with commas",
    "/": "arithmetic is + and - only",
    "*": "sequence variables are written *A without a blank; there are no products",
    ":=": "write ==",
    "\N{NO-BREAK SPACE}": "this blank is a no-break space: write an ordinary one",
}
# Words that can name no variable. Others, such as `head`, only begin a condition.
RESERVED = frozenset(["and", "false", "in", "is", "length", "minus", "not", "or", "root", "to", "true"])
_CONDITION_WORDS = frozenset(
    ["attach", "category", "corner", "disjunct", "head", "join", "licensed", "link", "rule"]
)
_PAIRS = {"[": "]", "(": ")"}
_TOKEN = re.compile(r"[^\W\d]\w*'*|\d+|=>|->|<-|:=|:-|\|-|&&|\|\||.")


def find_size_error(text: Piece, source: SourceText) -> Diagnostic | None:
    """Report brackets that do not match, and what is too long or too deeply nested to parse."""
    stack: list[tuple[str, Span]] = []
    negations = 0
    for number, line in enumerate(text.text.split("\n")):
        quoted = False
        for found in re.finditer(r'["\[\]()]|¬|\bnot\b|[^\s\w]', line):
            token = found[0]
            span = Span(source, text.first_line + number, found.start() + 1, found.end() + 1)
            if token == '"':
                quoted = not quoted
            if quoted:
                continue
            negations = negations + 1 if token in ("not", "¬") else 0
            if negations > DEPTH_LIMIT:
                return span.report("too-deep", f"more than {DEPTH_LIMIT} negations in a row")
            if token in _PAIRS:
                stack.append((token, span))
                if len(stack) > DEPTH_LIMIT:
                    return span.report("too-deep", f"brackets nested more than {DEPTH_LIMIT} deep")
            elif token in "])":
                problem = _closing(token, span, stack)
                if problem is not None:
                    return problem
    if stack:
        opened, span = stack[-1]
        return span.report("bracket", f"{opened} is never closed", expected=_PAIRS[opened])
    sizes = [len(line.strip()) for line in text.text.split("\n")]
    if sum(sizes) <= PIECE_LIMIT:
        return None
    first = line_span(source, text.first_line + next(k for k, size in enumerate(sizes) if size))
    limit = f"at most {PIECE_LIMIT:,} characters"
    return first.report("too-long", "this is too long to be read", expected=limit)


def _closing(token: str, span: Span, stack: list[tuple[str, Span]]) -> Diagnostic | None:
    if not stack:
        return span.report("bracket", f"{token} closes nothing", hint="remove it, or open it before")
    opened, place = stack.pop()
    if _PAIRS[opened] == token:
        return None
    message = f"{token} does not close {opened} of line {place.line}, column {place.column}"
    return span.report("bracket", message, expected=_PAIRS[opened])


def explain_syntax_error(
    error: UnexpectedInput, expected: set[str], text: Piece, source: SourceText, what: str
) -> Diagnostic:
    """Return the diagnostic for a piece that does not parse.

    `what` names the piece; `expected` are the terminals that could have gone on.
    """
    lines = text.text.split("\n")
    line, column = 0, 0
    match error:
        case UnexpectedCharacters():
            line, column = error.line, error.column
        case UnexpectedToken() if error.token.type != "$END":
            line, column = error.token.line or 1, error.token.column or 1
    symbol, message = "", f"{what} ends too early"
    if line:
        content = lines[line - 1]
        column = _whole_symbol(content, column)
        found = _TOKEN.match(content, column - 1)
        symbol = found[0] if found else content[column - 1 : column]
        before = content[: column - 1].rstrip()
        shown = (
            symbol if symbol.isprintable() and symbol.strip() else f"character U+{ord(symbol[:1] or ' '):04X}"
        )
        message = f"{what} cannot go on with {shown}"
    else:
        line = max((k for k, content in enumerate(lines, start=1) if content.strip()), default=1)
        before, what = lines[line - 1].rstrip(), ""
        column = len(before) + 1
    span = Span(source, text.first_line + line - 1, column, column + max(1, len(symbol)))
    hint = _hint(symbol, before, what)
    return span.report("syntax", message, expected=_expected(expected), hint=hint)


def _whole_symbol(line: str, column: int) -> int:
    """Return the column at which an arrow or doubled sign begins whose second character was complained of."""
    pair = line[column - 2 : column] if column > 1 else ""
    return column - 1 if pair in _SYMBOL_HINTS else column


def _hint(symbol: str, before: str, what: str) -> str | None:
    if re.search(r"[=≠]\s*-$", before):
        return "write l is absent, or l is present"
    if symbol in _SYMBOL_HINTS:
        return _SYMBOL_HINTS[symbol]
    if symbol in RESERVED:
        return f"{symbol} is a word of the language and names no variable"
    last = re.search(r"([^\W\d_]\w*'*)\s*[<>=≤≥≠!]*$", before)
    if last and last[1] in _CONDITION_WORDS and not symbol.isalnum():
        return f"{last[1]} begins a condition of its own; a variable needs another name"
    if what == "the condition" and not before and symbol:
        return "separate conditions with commas"
    return _misspelt(symbol, before)


def _misspelt(symbol: str, before: str) -> str | None:
    """Return what the word at the mistake, or the one before it, most likely was meant to be."""
    if symbol and did_you_mean(symbol, ["where"]):
        return "did you mean where?"
    words = re.findall(r"[^\W\d_]\w*", before)
    if not words or not before.endswith(words[-1]):
        return None
    if symbol[:1].isalnum():
        return did_you_mean(words[-1], _CONDITION_WORDS)
    return did_you_mean(words[-1], ["given"]) if not symbol else None


def _expected(terminals: Iterable[str]) -> str | None:
    """Return what may come next in a few words: what ends or separates before what could go on."""
    left = {t.removeprefix("_") for t in terminals if t not in _JOINING and not t.startswith("__")}
    words: list[str] = []
    if "TO" in left:
        return "to"
    if "AT" in left:
        left -= _LABEL_PARTS  # a name may be the first of a sequence of labels: seldom what was meant
    if len(left & _TERM_STARTS) >= 5:
        words.append("a condition" if left & _CONDITION_STARTS else "a term")
        left -= _TERM_STARTS | _CONDITION_STARTS | {"LENGTH", "ROOT", "DOT"}
    elif len(left & _OPERATORS) >= 3:
        left -= _OPERATORS | {"IS"}
    left.discard("MATCHES")
    order = [t for t in ("COMMA", "MORE", "RSQB", "RPAR") if t in left]
    rest = sorted(t for t in left if t not in order and t not in ("$END", "DOTS"))
    words += [_NAMES[t] for t in order]
    words += [_NAMES.get(t, t.lower().replace("_", " ")) for t in rest]
    if "DOTS" in left:
        words.append("..")
    if "$END" in left:
        words.append("the end")
    words = [w for w in words if w not in ("list open", "list close", "⟨", "⟩")]
    if not words:
        return None
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else words[0]
