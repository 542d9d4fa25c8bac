"""Cuts declarations into the pieces that are parsed one by one, so that each can report its own mistake.

Within a step, the line of dashes separates what stands above it, beside it and below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from schemata.errors import Diagnostic
from schemata.language.declarations import Declaration
from schemata.language.source import SourceText, Span, line_span

__all__ = ["Piece", "StepText", "cut_step", "piece", "split_below", "split_family", "units"]

_DASHES = "-\u2010-\u2015\u2212\u2500\u2501"
_BAR = re.compile(rf"\s*([{_DASHES}]{{3,}})")
_NO_BAR = re.compile(rf"\s*(?:[{_DASHES}]{{1,2}}|[{_DASHES}](?:\s+[{_DASHES}])+|([=_~*])\1\1+)\s*$")
_CASE = re.compile(r"\s*case\b(?!\s*[\[<>=!≤≥≠+,])\s*(.*)")
_UNFINISHED = re.compile(
    r"(?:[<>=≤≥≠+∧∨∈∉¬~/-]|\.\.|\b(?:and|or|not|in|minus|to|is|of|by|attach|link|licensed|join|disjunct))$"
)
_FAMILY = re.compile(r"\s*for\b(?!\s*\[)")
_ITEM_LINE = re.compile(r"\s*(?:given\s+)?[^\W\d_]\w*'*\s*\[")
_GOES_ON = re.compile(r"\s*(?:[<>=≤≥≠+∧∨∈∉~/)\]]|!=|\.\.|(?:and|or|in|minus|to|is|of)\b)")


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive lines to be parsed together: `text` keeps every column, `first_line` is 1-based."""

    text: str
    first_line: int

    @property
    def blank(self) -> bool:
        """Whether there is nothing to parse."""
        return not self.text.strip()

    def only(self, start: int, end: int) -> Piece:
        """Return the same lines with all text outside of start..end blanked."""
        before, after = _blanked(self.text[:start]), _blanked(self.text[end:])
        return Piece(before + self.text[start:end] + after, self.first_line)


@dataclass(frozen=True, slots=True)
class StepText:
    """The text of one rule of a step, cut at its line."""

    label: str | None
    above: Piece
    beside: Piece
    below: Piece
    span: Span
    lines: tuple[str, ...]


def _blanked(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


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
        _, _, first, last = cases.pop(0)
        stray = [k for k in range(first, last + 1) if source.code[k - 1].strip()]
        if stray:
            problems.append(
                line_span(source, stray[0]).report(
                    "stray-line",
                    "a line before the first case",
                    expected="case",
                    hint="give every rule of the step its own case",
                )
            )
    texts = (_cut_case(source, c, problems) for c in cases)
    return [t for t in texts if t is not None]


def _cut_case(
    source: SourceText, case: tuple[str | None, Span, int, int], problems: list[Diagnostic]
) -> StepText | None:
    label, span, first, last = case
    while first <= last and not source.code[first - 1].strip():
        first += 1
    while last >= first and not source.code[last - 1].strip():
        last -= 1
    if first > last:
        what = "case" if span.text == "case" else "step"
        problems.append(
            span.report("empty-step", f"the {what} has no rule", expected="antecedents, a line, a consequent")
        )
        return None
    bars = [k for k in range(first, last + 1) if _BAR.match(source.code[k - 1])]
    if not bars:
        short = [k for k in range(first, last + 1) if _NO_BAR.match(source.code[k - 1])]
        problems.append(
            (line_span(source, short[0]) if short else span).report(
                "missing-line",
                "this line is not one of three or more dashes"
                if short
                else "no line of dashes separates antecedents and consequent",
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
    found = _BAR.match(source.code[bar - 1])
    below = piece(source, bar + 1, last)
    if below.blank:
        problems.append(
            line_span(source, bar).report(
                "missing-consequent", "nothing stands below the line", expected="an item"
            )
        )
    return StepText(
        label,
        piece(source, first, bar - 1),
        piece(source, bar, bar, found.end(1) + 1 if found else 1),
        below,
        span,
        _dedent(source.lines[first - 1 : last]),
    )


def split_below(below: Piece) -> tuple[Piece, Piece]:
    """Cut what stands below the line into the consequent's lines and the lines of conditions under it.

    The consequent ends with the line at which its brackets are closed, unless a condition begun there goes
    on in the next line.
    """
    lines = below.text.split("\n")
    depth = 0
    for index, line in enumerate(lines):
        code = re.sub(r'"[^"]*"', "", line)
        depth += code.count("[") + code.count("(") - code.count("]") - code.count(")")
        following = next((x for x in lines[index + 1 :] if x.strip()), "")
        goes_on = _UNFINISHED.search(line.rstrip()) or _GOES_ON.match(following)
        if line.strip() and depth <= 0 and not goes_on:
            rest = "\n".join(lines[index + 1 :])
            return (
                Piece("\n".join(lines[: index + 1]), below.first_line),
                Piece(rest, below.first_line + index + 1),
            )
    return below, Piece("", below.first_line + len(lines))


def split_family(above: Piece) -> tuple[Piece, Piece]:
    """Cut what stands above the line into `for every ...`, up to the first item, and the antecedents."""
    lines = above.text.split("\n")
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    if not _FAMILY.match(lines[first]):
        return Piece("", above.first_line), above
    items = (k for k, line in enumerate(lines) if k > first and _ITEM_LINE.match(line))
    cut = next(items, len(lines))
    return (
        Piece("\n".join(lines[:cut]), above.first_line),
        Piece("\n".join(lines[cut:]), above.first_line + cut),
    )


def units(text: Piece, start: str) -> list[Piece]:
    """Cut antecedents before each item, conditions at their commas: for where the whole does not parse."""
    cuts = [0]
    depth = 0
    for found in re.finditer(r'"[^"\n]*"|[\[(]|[\])]|,|(?:given\s+)?[^\W\d_]\w*\'*\s*\[', text.text):
        token = found[0]
        if depth == 0 and start == "antecedents" and token[0].isalpha():
            cuts.append(found.start())
        if depth == 0 and start == "conditions" and token == ",":
            cuts.append(found.end())
        depth += (token[-1] in "[(") - (token in ("]", ")"))
    cuts.append(len(text.text))
    pieces = (text.only(a, b) for a, b in pairwise(cuts))
    return [p for p in pieces if not p.blank]


def _dedent(lines: Sequence[str]) -> tuple[str, ...]:
    margin = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    return tuple(x[margin:] for x in lines)
