"""Reads the lines of a context-free grammar file: rules with alternatives, a start symbol, a lexicon.

What is read makes a `ContextFreeGrammar`, which this module does not know. The format is that of
`schemata.grammars.context_free_format`; all mistakes in a file are reported together.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from schemata.errors import Diagnostic, Location, did_you_mean
from schemata.grammars.context_free_symbols import MARKS, terminal
from schemata.grammars.lexicon import Lexicon
from schemata.grammars.lines import Cursor, LineError, Token, refuse
from schemata.grammars.rule_files import ONE_WORD, Draft, reserved
from schemata.grammars.rules import RESERVED, Rule
from schemata.grammars.text import GrammarText

__all__ = ["RulesRead", "read_rules"]

_ARROWS = ("->", "→")
_LINE = "A -> B C, start A, word : A, or tag T : A"
_SYMBOL = 'a category or a "terminal"'


class RulesRead(NamedTuple):
    """What a file holds: the arguments of a `ContextFreeGrammar`, warnings last."""

    rules: tuple[Rule, ...]
    start: str
    lexicon: Lexicon
    warnings: tuple[Diagnostic, ...]


def read_rules(text: GrammarText) -> RulesRead:
    """Read the text of a context-free grammar file.

    Raises
    ------
    GrammarError : the text holds no rules, or mistakes; all of them are reported.
    """
    draft = Draft(text, MARKS)
    starts: list[Token] = []

    def read_line(line: Cursor) -> None:
        if draft.is_entry(line):
            for category in draft.read_entry(line, _category):
                draft.define(category.text, category.span)
        elif any(map(line.mark_follows, _ARROWS)):
            _read_rule(line, draft)
        elif line.is_at("start") and line.peek().kind == "name":
            line.take()
            token = _category(line)
            draft.use(token.text, token.span)
            line.require_end()
            if starts:
                message = f"the start symbol is {starts[0]} already (line {starts[0].span.line})"
                raise LineError(token.span, "two-starts", message, "one start line")
            starts.append(token)
        else:
            _refuse_line(line)

    draft.read(read_line)
    if not (draft.findings or draft.defined):
        hint = "a file of a context-free grammar has lines such as: S -> NP VP"
        place = Location(text.file, 1, 1)
        draft.findings.append(Diagnostic("empty-grammar", "the file holds no rules", place, _LINE, hint))
    draft.check_undefined(
        "{} is neither on the left of a rule nor the category of a word",
        lambda c: f'a terminal is put in quotes: "{c}"; a category needs a rule or a line: word : {c}',
    )
    refuse(draft.findings)
    start = starts[0].text if starts else _first_left(draft)
    draft.warn_unreachable([start], start)
    return RulesRead(tuple(draft.rules), start, draft.lexicon, tuple(draft.findings))


def _first_left(draft: Draft) -> str:
    """Return the left-hand side of the first rule; in a file of lexicon lines alone, the first category."""
    rules = iter(draft.rules)
    return next((rule.lhs for rule in rules), next(iter(draft.defined)))


def _read_rule(line: Cursor, draft: Draft) -> None:
    lhs = _category(line)
    draft.define(lhs.text, lhs.span)
    line.take()
    while True:
        draft.rules.setdefault(Rule(lhs.text, _alternative(line, draft)), lhs.span)
        if not line.accept("|"):
            break
    line.require_end("a symbol, | or the end of the line")


def _alternative(line: Cursor, draft: Draft) -> tuple[str, ...]:
    """Read one right-hand side, up to ``|`` or the end of the line."""
    body: list[str] = []
    empty: Token | None = None
    first = line.next
    while not (line.next.kind == "end" or line.is_at("|")):
        token = line.next
        if token.kind in ("word", "label"):
            line.take()
            empty = empty if token.text else token
            body += [terminal(token.text)] if token.text else []
        elif line.is_at("ε"):
            empty = line.take()
        else:
            if token.text in _ARROWS:
                line.unexpected("one rule in a line")
            _category(line, _SYMBOL)
            draft.use(token.text, token.span)
            body.append(token.text)
        if empty and (body or token is not first):
            message = "the empty string stands alone on the right of a rule"
            raise LineError(empty.span, "empty-among-others", message, "ε, or symbols")
    if not (body or empty):
        message = (
            "nothing stands on the right of the rule"
            if line.next.kind == "end"
            else "an alternative is missing"
        )
        raise LineError(
            line.next.span, "empty-alternative", message, _SYMBOL, 'the empty string is written ε or ""'
        )
    return tuple(body)


def _category(line: Cursor, expected: str = "a category") -> Token:
    token = line.next
    if token.kind in ("word", "label") and token is line.tokens[0]:
        line.unexpected(expected, hint="a terminal has no rules")
    if token.kind in ("word", "label"):
        line.unexpected(expected, hint=f"a category stands without quotes: {token.text or 'A'}")
    if token.kind != "name":
        line.unexpected(expected)
    if token.text == "ε":
        line.unexpected(expected, hint="ε is the empty string")
    if token.text in RESERVED:
        raise reserved(token, expected)
    return line.take()


def _refuse_line(line: Cursor) -> None:
    first, second = line.next, line.peek()
    texts = [token.text for token in line.tokens]
    hint = None
    if first.kind == "mark" and first.text == "|":
        hint = "a rule is one line: write the left-hand side again"
    elif re.search(r"=|--|<-|\(", "".join(texts)):
        hint = "a rule is written A -> B C"
    elif any(arrow in texts for arrow in _ARROWS):
        hint = "one category stands on the left of the arrow"
    elif first.text == "tag":
        hint = "the colon is missing: tag T : A"
    elif ":" in texts:
        hint = ONE_WORD
    elif second.kind == "name":
        hint = did_you_mean(first.text, ("start", "tag")) or "the arrow or the colon is missing"
    message = f"a line beginning with {first} {second} is none of those known"
    if second.kind == "end":
        message = f"{first} alone says nothing"
    raise LineError(first.span, "unknown-line", message, _LINE, hint)
