"""D-rule files (``.drules``): one line for what a head takes, or for what may be a root.

    root VERB                                     # a VERB may hang under the artificial root
    head NOUN takes DET on the left within 3      # a DET may hang under a NOUN up to 3 words to its right
    head VERB takes NOUN, PRON                    # on either side, at any distance
    head "give"/VERB takes "up" on the right      # words in double quotes; a word of a part of speech

The format is described in docs/grammars.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from os import PathLike
from typing import Any

from schemata.errors import Diagnostic, Location
from schemata.grammars.drules import ANY, DRule, DRuleSet, Side, WordPattern
from schemata.grammars.lines import Cursor, LineError, Token, is_bare, quoted, read_lines, refuse
from schemata.grammars.text import GrammarText, read_text, text_of

_MARKS = (",", "/")
_KEYWORDS = ("root", "head", "takes", "on", "the", "within", "any")
_SIDES: dict[str, Side] = {"left": "left", "right": "right", "either": "either"}
_ARROWS = ("->", "<-", "-->", "<--", "→", "←", "=>")
_COUNT_COLUMN = 60  # counts stand no further right, but for lines that are longer
_LINE = "head ... takes ..., or root ..."
_PATTERN = 'a part of speech, a "word", "word"/TAG, or any'
_DIRECTIONS = "on the left, on the right, on either side"


def read_d_rules(path: str | PathLike[str]) -> tuple[DRuleSet, tuple[Diagnostic, ...]]:
    """Read a D-rule file; return its rules, and warnings about them.

    Raises
    ------
    GrammarError : the file cannot be read, holds no rules, or holds mistakes; all of them are reported.
    """
    return _parse(read_text(path))


def parse_d_rules(text: str, file: str = "<text>") -> tuple[DRuleSet, tuple[Diagnostic, ...]]:
    """Read D-rules from a string, as `read_d_rules` does from a file; `file` names it in messages.

    >>> parse_d_rules("root VERB")[0].roots
    (WordPattern(tag='VERB', word=''),)
    """
    return _parse(text_of(text, file))


def write_d_rules(
    rules: DRuleSet,
    *,
    header: Iterable[str] = (),
    counts: Mapping[Any, int] | None = None,
) -> str:
    """Return the text of a D-rule file that reads back to an equal set of rules.

    Parameters
    ----------
    rules : the rules.
    header : lines of comment to begin with.
    counts : how often a rule, or a word under the artificial root, was seen: written beside it.

    >>> noun, verb = WordPattern("NOUN"), WordPattern("VERB")
    >>> print(write_d_rules(DRuleSet((DRule(verb, noun, "left", 3),), (verb,))), end="")
    root VERB
    head VERB takes NOUN on the left within 3
    """
    counts = counts or {}
    entries: list[tuple[DRule | WordPattern, str]] = [
        (pattern, f"root {_written(pattern)}") for pattern in rules.roots
    ]
    for rule in rules.rules:
        line = f"head {_written(rule.head)} takes {_written(rule.dependent)}"
        if rule.side != "either":
            line += f" on the {rule.side}"
        entries.append((rule, line if rule.within is None else f"{line} within {rule.within}"))
    return commented(entries, header, counts)


def commented(entries: Iterable[tuple[object, str]], header: Iterable[str], counts: Mapping[Any, int]) -> str:
    """Return lines of a file with a header of comments, and beside each line its count as a comment."""
    lines = [f"# {' '.join(line.split())}".rstrip() for line in header]
    entries = list(entries)
    width = min(max((len(line) for _, line in entries), default=0), _COUNT_COLUMN)
    for thing, line in entries:
        lines.append(f"{line:{width}}  # {counts[thing]}" if thing in counts else line)
    return "".join(f"{line}\n" for line in lines)


def _parse(text: GrammarText) -> tuple[DRuleSet, tuple[Diagnostic, ...]]:
    rules: list[DRule] = []
    roots: list[WordPattern] = []

    def read_line(line: Cursor) -> None:
        if line.accept("root"):
            roots.extend(_patterns(line))
            if line.is_at("within", "on"):
                line.unexpected("the end of the line", hint="a root has neither side nor distance")
            line.require_end("a comma or the end of the line")
        elif line.accept("head"):
            rules.extend(_rules(line))
        else:
            _refuse_line(line)

    findings = read_lines(text, _MARKS, read_line)
    if not (findings or rules or roots):
        hint = "a D-rule file has lines such as: head NOUN takes DET on the left"
        findings.append(
            Diagnostic("empty-grammar", "the file holds no D-rules", Location(text.file, 1, 1), _LINE, hint)
        )
    refuse(findings)
    if not roots:
        findings.append(
            Diagnostic(
                "no-root",
                "no word may hang under the artificial root",
                Location(text.file, 1, 1),
                hint="schemata with node 0 accept nothing under this grammar: add a line such as: root VERB",
                severity="warning",
            )
        )
    return DRuleSet(tuple(rules), tuple(roots)), tuple(findings)


def _rules(line: Cursor) -> Iterable[DRule]:
    heads = _patterns(line)
    line.require("takes", "takes, or a comma and another head")
    dependents = _patterns(line)
    side: Side = "either"
    if line.accept("on"):
        line.accept("the")
        if not line.is_at(*_SIDES):
            line.unexpected(_DIRECTIONS, _SIDES)
        side = _SIDES[line.take().text]
        if side == "either":
            line.require("side", "on either side")
    within = _distance(line) if line.accept("within") else None
    if side == "either":
        rest = f"{_DIRECTIONS}; within a number; or the end of the line"
    else:
        rest = "within a number, or the end of the line"
    if line.is_at("left", "right"):
        line.unexpected(rest, hint=f"say where: on the {line.next}")
    line.require_end("the end of the line" if within else rest, ("on", "within"))
    return [DRule(head, dependent, side, within) for head, dependent in product(heads, dependents)]


def _patterns(line: Cursor) -> list[WordPattern]:
    found = [_pattern(line)]
    while line.accept(","):
        found.append(_pattern(line))
    return found


def _pattern(line: Cursor) -> WordPattern:
    token = line.next
    if token.kind == "word":
        word = _value(line.take())
        return WordPattern(_tag(line) if line.accept("/") else "", word)
    if line.accept("any"):
        return ANY
    return WordPattern(_tag(line))


def _tag(line: Cursor) -> str:
    token = line.next
    if token.kind == "label":
        return _value(line.take())
    if token.kind != "name" or token.text in _KEYWORDS:
        hint = None
        if token.kind == "name":
            hint = f"a part of speech called {token.text} is written '{token.text}', a word \"{token.text}\""
        line.unexpected(_PATTERN, hint=hint)
    return line.take().text


def _value(token: Token) -> str:
    if not token.text:
        raise LineError(token.span, "empty-quotes", "nothing stands between the quotes", expected=_PATTERN)
    return token.text


def _distance(line: Cursor) -> int:
    token = line.take()
    if token.kind == "name" and token.text.isdecimal() and token.text.isascii() and len(token.text) <= 9:
        distance = int(token.text)
        if distance:
            return distance
    message = "within what number?" if token.kind == "end" else f"{token} is no distance between two words"
    hint = "neighbours are at distance 1"
    raise LineError(token.span, "bad-distance", message, expected="a whole number from 1", hint=hint)


def _refuse_line(line: Cursor) -> None:
    first = line.next
    if any(token.text in _ARROWS for token in line.tokens):
        hint: str | None = (
            "arrows point either way in the literature; say who is the head: head NOUN takes DET"
        )
        raise LineError(first.span, "unknown-line", "a D-rule is not written with an arrow", _LINE, hint)
    near = None
    if any(token.text == "takes" for token in line.tokens):
        near = "a rule begins with the word head: head NOUN takes DET"
    line.unexpected(_LINE, ("root", "head"), near)


def _written(pattern: WordPattern) -> str:
    if pattern == ANY:
        return "any"
    tag = pattern.tag
    if tag and (tag in _KEYWORDS or not is_bare(tag, _MARKS)):
        tag = quoted(tag, "'")
    return "/".join(part for part in (pattern.word and quoted(pattern.word), tag) if part)
