"""Cuts a schema file into its declarations, so that a mistake in one does not hide those in others.

A declaration begins with its keyword at the start of a line and ends before the next one. A misspelt keyword
is reported and then read as the keyword it most likely stands for.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from schemata.errors import Diagnostic, did_you_mean
from schemata.language.source import SourceText, Span, line_span

__all__ = ["KEYWORDS", "Declaration", "cut_declarations"]

KEYWORDS = (
    "schema", "title", "source", "grammar", "item", "hypothesis", "normal form", "step", "final",
    "replace item", "replace hypothesis", "replace step", "replace final", "without step",
)  # fmt: skip
UNKNOWN = "unknown"  # what stands under a word that is no keyword, and is not read

_KEYWORD = re.compile(
    r"\s*("
    + "|".join(k.replace(" ", r"\s+") for k in KEYWORDS)
    + r")(?![\w'-])(?!\s*(?:[<>=!≤≥≠+,\])?]|-\s))"
)
_FIRST_WORDS = {
    "replace": tuple(k for k in KEYWORDS if k.startswith("replace ")),
    "without": ("without step",),
    "normal": ("normal form",),
}
_PLAIN = tuple(k for k in KEYWORDS if " " not in k)
_FORM = re.compile(r"\s*(?:replace\s+)?(?:item|hypothesis)\s+([^\W\d_]\w*'*)\s*\[")
_WORD = re.compile(r"\s*([^\W\d_][\w-]*'*)(.*)")
_NEXT_WORD = re.compile(r"\s+(?:\"|\d|([^\W\d_]\w*))")
# Words that begin a line within a declaration, and words that stand second in an expression.
_INNER = frozenset(
    (
        "given", "case", "for", "beginning", "ending", "attach", "licensed", "link", "head", "root", "rule",
        "category", "corner", "disjunct", "join", "by", "covers", "where", "if", "not", "length", "true", "false",
        "extends", "and", "or", "in", "is", "minus", "to", "of",
    )
)  # fmt: skip
_SECOND = frozenset(("and", "or", "in", "is", "not", "minus", "to", "by", "where", "if", "extends"))


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration: its keyword in normal spelling, the keyword's place, and its lines (first to last)."""

    keyword: str
    span: Span
    first: int
    last: int


def cut_declarations(source: SourceText, problems: list[Diagnostic]) -> list[Declaration]:
    """Return the declarations of a file in order; reports tabs and words that are no keywords."""
    forms = {found[1] for line in source.code if (found := _FORM.match(line))}
    starts: list[tuple[str, Span]] = []
    for number, line in enumerate(source.code, start=1):
        if "\t" in line:
            problems.append(_tab(source, number, line))
        if not line.strip():
            continue
        found = _KEYWORD.match(line)
        if found and not (found[1] in forms and line[found.end() :].lstrip().startswith("[")):
            keyword = " ".join(found[1].split())
            starts.append((keyword, Span(source, number, found.start(1) + 1, found.end(1) + 1)))
        elif not starts:
            starts.append(_first_line(source, number, line, problems))
        elif word := _misplaced_word(line, forms):
            starts.append(_misspelt(line_span(source, number, word), word, problems))
    ends = [span.line - 1 for _, span in starts[1:]] + [len(source.lines)]
    return [Declaration(k, span, span.line, end) for (k, span), end in zip(starts, ends, strict=True)]


def _tab(source: SourceText, number: int, line: str) -> Diagnostic:
    column = line.index("\t") + 1
    return Span(source, number, column, column + 1).report(
        "tab",
        "a tab character",
        expected="blanks",
        hint="replace tabs by blanks: columns matter to readers",
    )


def _first_line(source: SourceText, number: int, line: str, problems: list[Diagnostic]) -> tuple[str, Span]:
    """Report a file whose first line begins with no keyword at all."""
    found = _WORD.match(line)
    word = found[1] if found else line.strip()[0]
    span = line_span(source, number, word)
    if found and difflib.get_close_matches(word.casefold(), ["schema"], cutoff=0.6):
        problems.append(_unknown(span, word))
        return "schema", span
    problems.append(
        span.report(
            "no-schema-line",
            "the file does not begin with a schema line",
            expected="schema NAME",
            hint="a relation stands in a file NAME.relation" if word == "relation" else None,
        )
    )
    return UNKNOWN, span


def _misplaced_word(line: str, forms: set[str]) -> str | None:
    """Return the first word of a line where it can only be meant as a keyword."""
    found = _WORD.match(line)
    if not found or found[1] in _INNER or found[1] in forms:
        return None
    word, rest = found[1], found[2]
    near = _meant(word) is not None
    following = _NEXT_WORD.match(rest)
    if following and following[1] not in _SECOND:
        return word if near or not line[0].isspace() else None
    return word if near and not rest.strip() else None


def _misspelt(span: Span, word: str, problems: list[Diagnostic]) -> tuple[str, Span]:
    problems.append(_unknown(span, word))
    meant = _meant(word)
    return (meant, span) if meant in _PLAIN else (UNKNOWN, span)


def _unknown(span: Span, word: str) -> Diagnostic:
    if word in _FIRST_WORDS:
        return span.report("unknown-keyword", f"{word} what?", expected=" or ".join(_FIRST_WORDS[word]))
    return span.report(
        "unknown-keyword",
        f"unknown keyword {word}",
        expected="a keyword: " + ", ".join((*_PLAIN[:-2], "normal form", *_PLAIN[-2:])),
        hint=did_you_mean(word, [*_PLAIN, *_FIRST_WORDS]),
    )


def _meant(word: str) -> str | None:
    """Return the keyword a word most likely stands for, or the first word of one."""
    if word in _FIRST_WORDS:
        return word
    folded = word.casefold()
    near = difflib.get_close_matches(folded, [*_PLAIN, *_FIRST_WORDS], n=1, cutoff=0.7)
    return near[0] if near else None
