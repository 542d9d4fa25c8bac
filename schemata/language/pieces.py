"""Cuts files into declarations and these into pieces, so that each can report its own mistake.

A declaration begins with its keyword at the start of a line and ends before the next one. A misspelt keyword
is reported and then read as the keyword it most likely stands for. Within a step, the line of dashes separates
the pieces above it, beside it and below it. Each piece is parsed by itself.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise

from schemata.errors import did_you_mean
from schemata.language import habits
from schemata.language.source import QUOTED, Findings, SourceText, Span, line_span
from schemata.records import Record

UNKNOWN = "unknown"  # what stands under a word that is not a keyword, and is not read


class Keywords(Record):
    """The keywords of a kind of file, the first of which stands in its first line.

    `missing` is the code of the finding if that line is missing, `begins` an example of it; `other` is the first
    keyword of the other kind of file, and the message about a file that begins with it.
    """

    words: tuple[str, ...]
    missing: str
    begins: str
    other: tuple[str, str]

    @property
    def plain(self) -> list[str]:
        """The keywords of one word."""
        return [k for k in self.words if " " not in k]

    @property
    def openings(self) -> dict[str, list[str]]:
        """The first words of keywords of two words, with those keywords."""
        firsts = dict.fromkeys(k.split()[0] for k in self.words if " " in k)
        return {first: [k for k in self.words if k.startswith(f"{first} ")] for first in firsts}

    def at_start_of(self, line: str) -> re.Match[str] | None:
        """Return the keyword that a line begins with, as the first group."""
        return _pattern(self.words).match(line)

    def meant_by(self, word: str) -> str | None:
        """Return the keyword, or the first word of a keyword, that a word most likely stands for."""
        known = [*self.plain, *self.openings]
        if (meant := habits.keyword_meant(word)) in known:
            return meant
        near = get_close_matches(word.casefold(), known, n=1, cutoff=0.7)
        return word if word in self.openings else near[0] if near else None

    def report_missing(self, span: Span, problems: Findings) -> None:
        """Report a file that does not begin as it should, at its first line."""
        hint = self.other[1] if span.text == self.other[0] else None
        message = f"the file does not begin with a {self.words[0]} line"
        problems.report(span, self.missing, message, self.begins, hint)


@functools.cache
def _pattern(keywords: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(k.replace(" ", r"\s+") for k in keywords)
    return re.compile(rf"\s*({words})(?![\w'-])(?!\s*(?:[<>=!≤≥≠+,\])?]|-\s))")


SCHEMA_KEYWORDS = Keywords(
    ("schema", "title", "source", "grammar", "structure", "define", "type", "relation", "input", "item",
     "hypothesis", "normal form", "part", "step", "mirror step", "mirror", "final", "means",
     "replace item", "replace hypothesis", "replace step", "replace final", "without step"),
    "no-schema-line", "schema NAME", ("relation", "a relation stands in a file NAME.relation"),
)  # fmt: skip
RELATION_KEYWORDS = Keywords(
    ("relation", "kind", "source", "requires", "through", "for", "map"),
    "no-relation-line", "relation SCHEMA to SCHEMA", ("schema", "a schema stands in a file NAME.schema"),
)  # fmt: skip

# A step named by a sign, as in categorial grammars; where a line is indented, it compares a variable.
_SIGN_STEP = re.compile(r"((?:(?:replace|without)\s+)?step)(?=\s+[<>](?!=)\S*\s*$)")
_FORM = re.compile(r"\s*(?:replace\s+)?(?:item|hypothesis)\s+([^\W\d_]\w*'*)\s*\[")
_WORD = re.compile(r"\s*([^\W\d_][\w-]*'*)(.*)")
_NEXT_WORD = re.compile(r"\s+(?:\"|\d|([^\W\d_]\w*))")
# Words that begin a line within a declaration, and words that stand second in an expression.
_SECOND = frozenset(("and", "or", "in", "is", "not", "minus", "to", "from", "by", "where", "if", "extends"))
_INNER = _SECOND | {
    "given", "case", "for", "beginning", "ending", "attach", "licensed", "link", "head", "root", "rule", "category",
    "corner", "disjunct", "join", "builds", "covers", "length", "true", "false", "of",
}  # fmt: skip


class Declaration(Record):
    """One declaration: its keyword in normal spelling, the keyword's place, and its lines (first to last)."""

    keyword: str
    span: Span
    first: int
    last: int


def cut_declarations(source: SourceText, keywords: Keywords, problems: Findings) -> list[Declaration]:
    """Return the declarations of a file in order; reports tabs, and words that are not keywords."""
    # An item that begins a line is not a declaration, whatever its form is called; relation files declare no forms.
    forms = {found[1] for line in source.code if (found := _FORM.match(line))}
    if keywords is RELATION_KEYWORDS:
        forms.update(keywords.words)
    starts: list[tuple[str, Span]] = []
    for number, line in enumerate(source.code, start=1):
        if "\t" in line:
            place = line_span(source, number, "\t")
            hint = "replace tabs by blanks: columns matter to readers"
            problems.report(place, "tab", "a tab character", "blanks", hint)
        found = keywords.at_start_of(line) or _SIGN_STEP.match(line)
        if found and not starts and found[1] == keywords.other[0]:
            found = None  # the other kind of file
        if found and not (found[1] in forms and line[found.end() :].lstrip().startswith("[")):
            span = Span(source, number, found.start(1) + 1, found.end(1) + 1)
            starts.append((" ".join(found[1].split()), span))
        elif line.strip() and not starts:
            starts.append(_first_line(source, number, keywords, problems))
        elif word := _misplaced_word(line, keywords, forms):
            starts.append(_misspelt(line_span(source, number, word), keywords, problems))
    ends = [span.line - 1 for _, span in starts[1:]] + [len(source.lines)]
    return [Declaration(k, span, span.line, end) for (k, span), end in zip(starts, ends, strict=True)]


def _first_line(source: SourceText, number: int, keywords: Keywords, problems: Findings) -> tuple[str, Span]:
    """Report a file whose first line begins with no keyword at all."""
    line = source.code[number - 1]
    found = _WORD.match(line)
    span = line_span(source, number, found[1] if found else line.strip()[0])
    if found and get_close_matches(span.text.casefold(), keywords.words[:1], cutoff=0.6):
        _misspelt(span, keywords, problems)
        return keywords.words[0], span
    keywords.report_missing(span, problems)
    return UNKNOWN, span


def _misplaced_word(line: str, keywords: Keywords, forms: set[str]) -> str | None:
    """Return the first word of a line where it can only be meant as a keyword."""
    found = _WORD.match(line)
    if found and found[1] == "rule" and re.fullmatch(r"rule\s+[^\W\d_][\w-]*\s*", line):
        return found[1]  # a step, as papers call it; the condition has brackets
    if not found or found[1] in _INNER or found[1] in forms:
        return None
    word, rest = found[1], found[2]
    near = keywords.meant_by(word) is not None
    following = _NEXT_WORD.match(rest)
    if following and following[1] not in _SECOND:
        return word if near or not line[0].isspace() else None
    return word if near and not rest.strip() else None


def _misspelt(span: Span, keywords: Keywords, problems: Findings) -> tuple[str, Span]:
    word, plain, openings = span.text, keywords.plain, keywords.openings
    if word in openings:
        problems.report(span, "unknown-keyword", f"{word} what?", " or ".join(openings[word]))
    else:
        known = "a keyword: " + ", ".join(
            k for k in keywords.words if not k.startswith(("replace", "without", "mirror "))
        )
        meant = habits.keyword_meant(word)
        hint = f"write {meant}" if meant in plain else did_you_mean(word, [*plain, *openings])
        problems.report(span, "unknown-keyword", f"unknown keyword {word}", known, hint)
    meant = keywords.meant_by(word)
    return (meant, span) if meant in plain else (UNKNOWN, span)


# Pieces ------------------------------------------------------------------------------------------------------


_DASHES = "-\u2010-\u2015\u2212\u2500\u2501"
DASH_LINE = re.compile(rf"\s*([{_DASHES}]{{3,}})")
_LATE_LINE = re.compile(rf"\s*([^\W\d_].*?)\s+([{_DASHES}]{{3,}})\s*$")
_NODASH_LINE = re.compile(
    rf"\s*(?:[{_DASHES}]{{1,2}}|[{_DASHES}](?:\s+[{_DASHES}])+|([=_~*])\1\1+(?:\s.*)?)\s*$"
)
_CASE = re.compile(r"\s*case\b(?!\s*[\[<>=!≤≥≠+,])\s*(.*)")
_UNFINISHED = re.compile(
    r"(?:[<>=≤≥≠+∧∨∈∉¬~/-]|\.\.|\b(?:and|or|not|in|minus|to|is|of|by|attach|link|licensed|join|disjunct))$"
)
_COMPOSED = re.compile(r"\s*composed\s+of\b")
FAMILY_LINE = re.compile(r"\s*for\b(?!\s*\[)")
ITEM_LINE = re.compile(r"\s*(?:given\s+)?[^\W\d_]\w*'*\s*\[")
_GOES_ON = re.compile(r"\s*(?:[<>=≤≥≠+∧∨∈∉~/)\]]|!=|\.\.|(?:and|or|in|minus|to|is|of)\b)")


def is_case(line: str) -> bool:
    """Whether a line begins a case of a step."""
    return _CASE.match(line) is not None


class Piece(Record):
    """Consecutive lines to be parsed together: `text` keeps every column, `first_line` is 1-based."""

    text: str
    first_line: int

    @property
    def blank(self) -> bool:
        """Whether there is nothing to parse."""
        return not self.text.strip()

    @classmethod
    def of(cls, source: SourceText) -> Piece:
        """Return a whole text as one piece."""
        return piece(source, 1, len(source.code))

    def only(self, start: int, end: int) -> Piece:
        """Return the same lines with all text outside of start..end blanked."""
        before, after = (re.sub(r"[^\n]", " ", text) for text in (self.text[:start], self.text[end:]))
        return Piece(before + self.text[start:end] + after, self.first_line)

    def cut(self, count: int) -> tuple[Piece, Piece]:
        """Return the first lines, so many of them, and the others."""
        lines = self.text.split("\n")
        first, rest = ("\n".join(part) for part in (lines[:count], lines[count:]))
        return Piece(first, self.first_line), Piece(rest, self.first_line + count)


class StepText(Record):
    """The text of one rule of a step, cut at its line; of one that is `composed`, all after these words is `above`."""

    label: str | None
    above: Piece
    beside: Piece
    below: Piece
    span: Span
    lines: tuple[str, ...]
    composed: bool = False


def piece(source: SourceText, first: int, last: int, column: int = 1) -> Piece:
    """Return lines first..last as a piece, the first of them blank before `column`."""
    lines = [line.replace("\t", " ") for line in source.code[first - 1 : last]]
    if lines:
        lines[0] = " " * (column - 1) + lines[0][column - 1 :]
    return Piece("\n".join(lines), first)


def cut_step(source: SourceText, declaration: Declaration, problems: Findings) -> list[StepText]:
    """Return the rules of a step, one per case; reports a case without its line or without a consequent."""
    cases: list[tuple[str | None, Span, int, int]] = []
    begin, label, span = declaration.first + 1, None, declaration.span
    for number in range(declaration.first + 1, declaration.last + 1):
        found = _CASE.match(source.code[number - 1])
        if found:
            cases.append((label, span, begin, number - 1))
            begin, label, span = (
                number + 1,
                " ".join(found[1].split()) or None,
                line_span(source, number, "case"),
            )
    cases.append((label, span, begin, declaration.last))
    if len(cases) > 1:
        _, _, first, last = cases.pop(0)
        if stray := source.filled(first, last):
            hint = "give every rule of the step its own case"
            message = "a line before the first case"
            problems.report(line_span(source, stray[0]), "stray-line", message, "case", hint)
    texts = (_cut_case(source, *case, problems) for case in cases)
    return [t for t in texts if t is not None]


def _cut_case(
    source: SourceText, label: str | None, span: Span, first: int, last: int, problems: Findings
) -> StepText | None:
    filled = source.filled(first, last)
    if not filled:
        what = "case" if span.text == "case" else "step"
        problems.report(span, "empty-step", f"the {what} has no rule", "antecedents, a line, a consequent")
        return None
    lines = _dedent(source.lines[filled[0] - 1 : filled[-1]])
    if composed := _COMPOSED.match(source.code[filled[0] - 1]):
        above = piece(source, filled[0], filled[-1], composed.end() + 1)
        return StepText(label, above, Piece("", 1), Piece("", 1), span, lines, composed=True)
    bars = [(k, found) for k in filled if (found := DASH_LINE.match(source.code[k - 1]))]
    if not bars:
        short = [k for k in filled if _NODASH_LINE.match(source.code[k - 1])]
        message = "no line of dashes separates antecedents and consequent"
        if short:
            span, message = line_span(source, short[0]), "this line is not one of three or more dashes"
        hint = "antecedents stand above the line, the consequent below it"
        arrows = [k for k in filled if habits.arrow_in(source.code[k - 1])]
        late = [(k, found) for k in filled if (found := _LATE_LINE.match(source.code[k - 1]))]
        if late and not short:
            (k, conditions), *_ = late
            span, hint = (
                line_span(source, k),
                f"conditions stand behind the line: {conditions[2]}  {conditions[1]}",
            )
        elif arrows and not short:
            arrow = habits.arrow_in(source.code[arrows[0] - 1]) or ""
            span = line_span(source, arrows[0], arrow)
            hint = f"in place of {arrow}: antecedents above a line of dashes, the consequent below it"
        problems.report(span, "missing-line", message, "a line of at least three dashes: ---", hint)
        return None
    if len(bars) > 1:
        hint = "begin another step, or write each rule under its own case"
        place = line_span(source, bars[1][0])
        named = [(k, x) for k in filled if (x := habits.name_of_step(source.code[k - 1]))]
        if named:
            (k, name), *_ = named
            place, hint = line_span(source, k), f"a step begins with its name: step {name}"
        problems.report(place, "second-line", "a second line in one rule", "one line per rule", hint)
        return None
    bar, found = bars[0]
    below = piece(source, bar + 1, filled[-1])
    if below.blank:
        place = line_span(source, bar)
        problems.report(place, "missing-consequent", "nothing stands below the line", "an item")
    above, beside = piece(source, filled[0], bar - 1), piece(source, bar, bar, found.end(1) + 1)
    return StepText(label, above, beside, below, span, lines)


def split_below(below: Piece) -> tuple[Piece, Piece]:
    """Cut the text below the line into the consequent's lines and the lines of conditions under it.

    The consequent ends with the line at which its brackets are closed, unless a condition begun there goes
    on in the next line.
    """
    lines = below.text.split("\n")
    depth = 0
    for index, line in enumerate(lines):
        code = re.sub(QUOTED, "", line)
        depth += code.count("[") + code.count("(") - code.count("]") - code.count(")")
        following = next((x for x in lines[index + 1 :] if x.strip()), "")
        goes_on = _UNFINISHED.search(line.rstrip()) or _GOES_ON.match(following)
        if line.strip() and depth <= 0 and not goes_on:
            return below.cut(index + 1)
    return below.cut(len(lines))


def split_family(above: Piece) -> tuple[Piece, Piece]:
    """Cut the text above the line into `for every ...`, up to the first item, and the antecedents."""
    lines = above.text.split("\n")
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    if not FAMILY_LINE.match(lines[first]):
        return above.cut(0)
    items = (k for k, line in enumerate(lines) if k > first and ITEM_LINE.match(line))
    return above.cut(next(items, len(lines)))


def units(text: Piece, start: str) -> list[Piece]:
    """Cut antecedents before each item, conditions at their commas: for where the whole does not parse."""
    cuts = [0]
    depth = 0
    for found in re.finditer(rf"{QUOTED}|[\[(]|[\])]|,|(?:given\s+)?[^\W\d_]\w*\'*\s*\[", text.text):
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
