"""Cuts a schema file into the pieces that are parsed one by one, so that every piece can report its mistake.

A declaration begins with its keyword at the start of a line and ends before the next one. Within a step, the
line of dashes separates what stands above it, beside it and below it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemata.errors import Diagnostic, did_you_mean
from schemata.language.source import SourceText, Span

__all__ = ["KEYWORDS", "Declaration", "Piece", "StepText", "cut_declarations", "cut_step", "line_span"]

KEYWORDS = (
    "schema", "title", "source", "grammar", "item", "hypothesis", "normal form", "step", "final",
    "replace item", "replace hypothesis", "replace step", "replace final", "without step",
)  # fmt: skip
_KEYWORD = re.compile(r"\s*(" + "|".join(k.replace(" ", r"\s+") for k in KEYWORDS) + r")\b(?!\s*\[)")
BAR = re.compile(r"\s*([-\u2013\u2014\u2500\u2501\u2212]{3,})")
_CASE = re.compile(r"\s*case\b(?!\s*\[)\s*(.*)")
_FIRST_WORD = re.compile(r"\s*([^\W\d_][\w-]*)(\s*\[)?")
_ITEM_LINE = re.compile(r"\s*(given\s+)?[^\W\d_]\w*'*\s*\[")


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive stretches of lines to be parsed together: `text` keeps every column, `first_line` is 1-based."""

    text: str
    first_line: int

    @property
    def blank(self) -> bool:
        """Whether there is nothing to parse."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration: its keyword in normal spelling, the keyword's place, and its lines (first to last)."""

    keyword: str
    span: Span
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class StepText:
    """The text of one rule of a step, cut at its line."""

    label: str | None
    above: Piece
    beside: Piece
    below: Piece
    span: Span
    lines: tuple[str, ...]


def line_span(source: SourceText, line: int, text: str | None = None) -> Span:
    """Return the span of a line's text, or of the first occurrence of `text` in it."""
    content = source.lines[line - 1]
    if text is not None and text in content:
        start = content.index(text)
        return Span(source, line, start + 1, start + 1 + max(1, len(text)))
    start = len(content) - len(content.lstrip())
    return Span(source, line, start + 1, max(len(source.code[line - 1].rstrip()), start + 1) + 1)


def cut_declarations(source: SourceText, problems: list[Diagnostic]) -> list[Declaration]:
    """Return the declarations of a file in order; reports tabs, stray lines and unknown keywords."""
    starts: list[tuple[str, Span]] = []
    for number, line in enumerate(source.code, start=1):
        if "\t" in line:
            column = line.index("\t") + 1
            problems.append(
                Span(source, number, column, column + 1).report(
                    "tab",
                    "a tab character",
                    expected="blanks",
                    hint="replace tabs by blanks: columns matter to readers",
                )
            )
        found = _KEYWORD.match(line)
        if found:
            keyword = " ".join(found[1].split())
            starts.append((keyword, Span(source, number, found.start(1) + 1, found.end(1) + 1)))
            continue
        problem = _stray_line(source, number, line, inside=starts[-1][0] if starts else None)
        if problem:
            problems.append(problem)
            meant = _meant_keyword(line)
            if starts and meant:
                starts.append((meant, line_span(source, number, line.split()[0])))
    ends = [span.line - 1 for _, span in starts[1:]] + [len(source.lines)]
    return [Declaration(k, span, span.line, end) for (k, span), end in zip(starts, ends, strict=True)]


def _stray_line(source: SourceText, number: int, line: str, inside: str | None) -> Diagnostic | None:
    """Report a line that begins like a declaration but whose first word is no keyword."""
    found = _FIRST_WORD.match(line)
    if inside is None and line.strip():
        word = found[1] if found else line.strip()[0]
        return line_span(source, number).report(
            "no-schema-line",
            "the file does not begin with a schema line",
            expected="schema NAME",
            hint=did_you_mean(word, ["schema"]),
        )
    if not found or line[:1].isspace() or found[2]:
        return None
    word = found[1]
    if word in ("given", "case", "attach", "licensed", "link", "where", "if", "for"):
        return None
    return line_span(source, number, word).report(
        "unknown-keyword",
        f"unknown keyword {word}",
        expected="one of " + ", ".join(k for k in KEYWORDS if " " not in k or k == "normal form"),
        hint=did_you_mean(word, [k.split()[0] for k in KEYWORDS]),
    )


def _meant_keyword(line: str) -> str | None:
    """Return the keyword a misspelt one most likely stands for, so that what follows it is read all the same."""
    near = difflib.get_close_matches(
        line.split(maxsplit=1)[0], [k for k in KEYWORDS if " " not in k and k != "schema"], n=1
    )
    return near[0] if near else None


def piece(source: SourceText, first: int, last: int, column: int = 1) -> Piece:
    """Return lines first..last as a piece, the first of them blank before `column`."""
    lines = [line.replace("\t", " ") for line in source.code[first - 1 : last]]
    if lines:
        lines[0] = " " * (column - 1) + lines[0][column - 1 :]
    return Piece("\n".join(lines), first)


def cut_step(source: SourceText, declaration: Declaration, problems: list[Diagnostic]) -> list[StepText]:
    """Return the rules of a step, one per case; reports a case without its line or without a consequent."""
    cases: list[tuple[str | None, Span, int, int]] = []
    begin, label, span = declaration.first + 1, None, declaration.span
    for number in range(declaration.first + 1, declaration.last + 1):
        found = _CASE.match(source.code[number - 1])
        if found:
            cases.append((label, span, begin, number - 1))
            begin, label, span = number + 1, found[1].strip() or None, line_span(source, number, "case")
    cases.append((label, span, begin, declaration.last))
    if len(cases) > 1:
        _, first_span, first, last = cases.pop(0)
        stray = [k for k in range(first, last + 1) if source.code[k - 1].strip()]
        if stray:
            problems.append(
                line_span(source, stray[0]).report(
                    "stray-line",
                    "a rule before the first case",
                    expected="case",
                    hint="give every rule its own case",
                )
            )
    texts = (_cut_case(source, c, declaration, problems) for c in cases)
    return [t for t in texts if t is not None]


def _cut_case(
    source: SourceText,
    case: tuple[str | None, Span, int, int],
    declaration: Declaration,
    problems: list[Diagnostic],
) -> StepText | None:
    label, span, first, last = case
    while first <= last and not source.code[first - 1].strip():
        first += 1
    while last >= first and not source.code[last - 1].strip():
        last -= 1
    bars = [k for k in range(first, last + 1) if BAR.match(source.code[k - 1])]
    if not bars:
        short = [
            k for k in range(first, last + 1) if re.fullmatch(r"\s*[-\u2500]{1,2}\s*", source.code[k - 1])
        ]
        problems.append(
            (line_span(source, short[0]) if short else span).report(
                "missing-line",
                "the step has no line between its antecedents and its consequent",
                expected="a line of at least three dashes: ---",
                hint="antecedents stand above the line, the consequent below it",
            )
        )
        return None
    if len(bars) > 1:
        problems.append(
            line_span(source, bars[1]).report(
                "second-line",
                "a second line in one rule",
                expected="one line per rule",
                hint="begin another step, or write each rule under its own case",
            )
        )
        return None
    bar = bars[0]
    found = BAR.match(source.code[bar - 1])
    end = found.end(1) if found else 0
    below = piece(source, bar + 1, last)
    if below.blank:
        problems.append(
            line_span(source, bar).report(
                "missing-consequent", "nothing stands below the line", expected="an item"
            )
        )
        return None
    return StepText(
        label,
        piece(source, first, bar - 1),
        piece(source, bar, bar, end + 1),
        below,
        span,
        _dedent(source.lines[first - 1 : last]),
    )


def split_below(below: Piece) -> tuple[Piece, Piece]:
    """Cut what stands below the line into the consequent's lines and the lines of conditions under it.

    The consequent ends with the line at which its brackets are closed.
    """
    lines = below.text.split("\n")
    depth = 0
    for index, line in enumerate(lines):
        depth += line.count("[") - line.count("]")
        if line.strip() and depth <= 0:
            rest = "\n".join(lines[index + 1 :])
            return Piece("\n".join(lines[: index + 1]), below.first_line), Piece(
                rest, below.first_line + index + 1
            )
    return below, Piece("", below.first_line + len(lines))


def _dedent(lines: Sequence[str]) -> tuple[str, ...]:
    margin = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    return tuple(x[margin:] for x in lines)
