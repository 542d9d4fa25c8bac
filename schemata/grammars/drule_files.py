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
from typing import Any

from schemata.errors import Diagnostic
from schemata.grammars.drules import ANY, DRule, DRuleSet, Side, WordPattern
from schemata.grammars.text import (
    Cursor,
    GrammarText,
    TokenError,
    commented,
    is_bare,
    quoted,
    read_lines,
    refuse,
    require_text,
    text_of,
)

_MARKS = (",", "/")
_KEYWORDS = ("root", "head", "takes", "on", "the", "within", "any")
_SIDES: dict[str, Side] = {"left": "left", "right": "right", "either": "either"}
_ARROWS = ("->", "<-", "-->", "<--", "→", "←", "=>")
_LINE = "head ... takes ..., or root ..."
_PATTERN = 'a part of speech, a "word", "word"/TAG, or any'
_DIRECTIONS = "on the left, on the right, on either side"


def parse_d_rules(text: str | GrammarText, file: str = "<text>") -> tuple[DRuleSet, tuple[Diagnostic, ...]]:
    """Read D-rules; return them, and warnings about them.

    Parameters
    ----------
    text : the text of a file, or what `text.read_text` has read.
    file : names a string in messages.

    Raises
    ------
    GrammarError : the text holds no rules, or holds mistakes; all of them are reported.

    >>> parse_d_rules("root VERB")[0].roots
    (WordPattern(tag='VERB', word=''),)
    """
    text = text_of(text, file)
    rules: list[DRule] = []
    roots: list[WordPattern] = []

    def read_line(line: Cursor) -> None:
        if line.accept("root"):
            roots.extend(line.several(_pattern))
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
        findings.append(text.finding("empty-grammar", "the file holds no D-rules", _LINE, hint))
    refuse(findings)
    if not roots:
        message = "no word may hang under the artificial root"
        hint = "schemata with node 0 accept nothing under this grammar: add a line such as: root VERB"
        findings.append(text.finding("no-root", message, hint=hint, severity="warning"))
    return DRuleSet(tuple(rules), tuple(roots)), tuple(findings)


def write_d_rules(
    rules: DRuleSet, *, header: Iterable[str] = (), counts: Mapping[Any, int] | None = None
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
    entries: list[tuple[object, str]] = [(root, f"root {_written(root)}") for root in rules.roots]
    for rule in rules.rules:
        side = "" if rule.side == "either" else f" on the {rule.side}"
        within = "" if rule.within is None else f" within {rule.within}"
        entries.append((rule, f"head {_written(rule.head)} takes {_written(rule.dependent)}{side}{within}"))
    return commented(entries, header, counts)


def _written(pattern: WordPattern) -> str:
    tag = pattern.tag
    if tag and (tag in _KEYWORDS or not is_bare(tag, _MARKS)):
        tag = quoted(tag, "'")
    return "/".join(part for part in (pattern.word and quoted(pattern.word), tag) if part) or "any"


def _rules(line: Cursor) -> Iterable[DRule]:
    heads = line.several(_pattern)
    line.require("takes", "takes, or a comma and another head")
    dependents = line.several(_pattern)
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


def _pattern(line: Cursor) -> WordPattern:
    if line.next.kind == "word":
        word = _value(line)
        return WordPattern(_tag(line) if line.accept("/") else "", word)
    return ANY if line.accept("any") else WordPattern(_tag(line))


def _tag(line: Cursor) -> str:
    token = line.next
    if token.kind != "label" and (token.kind != "name" or token.text in _KEYWORDS):
        hint = None
        if token.kind == "name":
            hint = f"a part of speech called {token.text} is written '{token.text}', a word \"{token.text}\""
        line.unexpected(_PATTERN, hint=hint)
    return _value(line)


def _value(line: Cursor) -> str:
    token = line.take()
    require_text(token, _PATTERN)
    return token.text


def _distance(line: Cursor) -> int:
    token = line.take()
    if token.kind == "name" and token.text.isdecimal() and token.text.isascii() and len(token.text) <= 9:
        distance = int(token.text)
        if distance:
            return distance
    message = "within what number?" if token.kind == "end" else f"{token} is no distance between two words"
    raise TokenError(token, "bad-distance", message, "a whole number from 1", "neighbours are at distance 1")


def _refuse_line(line: Cursor) -> None:
    if any(token.text in _ARROWS for token in line.tokens):
        hint = "arrows point either way in the literature; say who is the head: head NOUN takes DET"
        raise TokenError(line.next, "unknown-line", "a D-rule is not written with an arrow", _LINE, hint)
    takes = any(token.text == "takes" for token in line.tokens)
    hint = "a rule begins with the word head: head NOUN takes DET"
    line.unexpected(_LINE, ("root", "head"), hint if takes else None)
