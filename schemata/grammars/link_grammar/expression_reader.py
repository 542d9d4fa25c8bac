"""Reads the expression of a dictionary entry from tokens, by recursive descent.

``&`` or ``and``, ``|`` or ``or``, ``^`` or ``sym`` (both orders); ``{x}`` is optional, ``[x]`` costs 1,
``[x]0.5`` costs that, ``[x]name`` what the dialect file says; ``()`` is nothing. A word stands for the
expression it has been defined by before. Different operators of one level need parentheses.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from schemata.errors import did_you_mean
from schemata.grammars.link_grammar.expressions import (
    NOTHING,
    Expression,
    all_of,
    costing,
    in_any_order,
    one_of_these,
    optional,
)
from schemata.grammars.link_grammar.expressions import Single as Leaf
from schemata.grammars.link_grammar.tokens import DictionaryError, Token
from schemata.structures.connectors import Connector, read_connector

__all__ = ["ExpressionReader", "connector_of"]

_OPERATORS = {"&": "&", "and": "&", "|": "or", "or": "or", "^": "^", "sym": "^"}
_CLOSING = {"(": ")", "{": "}", "[": "]"}
_NUMBER = re.compile(r"[+-]?(?:\d{1,7}(?:\.\d*)?|\.\d+)")
_LIKE_NUMBER = re.compile(r"[+-]?\.?\d")
_DIALECT = re.compile(r"[a-z][A-Za-z\d_-]*")
_DEEPEST = 200  # levels of an expression, with those of the words it uses
_DIRECTIONS = ("+", "-", "$")
_OPERAND = "a connector, a word defined before, (, { or ["
_AFTER = "&, or, a closing bracket, or ; at the end of the entry"


class ExpressionReader:
    """Reads expressions out of a list of tokens.

    `at` is the number of the next one; `connectors` says where each connector was first seen.

    Parameters
    ----------
    tokens : the tokens of a file.
    expression_of : returns the expression that a word has been defined by.
    cost_of : returns what a tag of a dialect costs.

    Both raise a `DictionaryError` if they do not know it.
    """

    def __init__(
        self,
        tokens: list[Token],
        expression_of: Callable[[Token], Expression],
        cost_of: Callable[[Token], float],
    ) -> None:
        self.tokens = tokens
        self.at = 0
        self._expression_of = expression_of
        self._cost_of = cost_of
        self._open: list[Token] = []

        self.connectors: dict[Connector, Token] = {}

    @property
    def next(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    def read_entry(self) -> Expression:
        """Read an expression and the semicolon after it.

        Raises
        ------
        DictionaryError : the first mistake.
        """
        self._open = []
        expression = self._read()
        if not self.next.is_mark(";"):
            raise self._unexpected()
        self.at += 1
        return expression

    def _read(self) -> Expression:
        operands = [self._operand()]
        operator = None
        while True:
            token = self.next
            found = _OPERATORS.get(token.text) if token.kind != "quoted" else None
            if found is None:
                break
            if operator not in (None, found):
                hint = (
                    f"group with parentheses: A+ {operator} (B+ {found} C+) or (A+ {operator} B+) {found} C+"
                )
                message = f"{operator} and {found} stand at one level of an expression"
                raise DictionaryError(token, "mixed-operators", message, None, hint)
            operator = found
            self.at += 1
            operands.append(self._operand())
        whole = operands[0]
        if operator == "&":
            whole = all_of(operands)
        elif operator == "or":
            whole = one_of_these(operands)
        elif operator == "^":
            whole = functools.reduce(in_any_order, operands)
        if whole.depth > _DEEPEST:
            raise self._too_deep(self.tokens[self.at - 1])
        return whole

    def _operand(self) -> Expression:
        token = self.next
        if token.is_mark("({["):
            return self._bracket(token)
        if token.kind in ("mark", "end") or (token.kind == "word" and token.text in _OPERATORS):
            raise self._unexpected_operand(token)
        self.at += 1
        if token.kind == "quoted" or not token.text.endswith(_DIRECTIONS):
            return self._word(token)
        if token.text.endswith("$"):
            return one_of_these(self._leaf(token, token.text[:-1] + side) for side in "+-")
        return self._leaf(token, token.text)

    def _leaf(self, token: Token, text: str) -> Leaf:
        connector = connector_of(token, text)
        self.connectors.setdefault(connector, token)
        return Leaf(connector)

    def _word(self, token: Token) -> Expression:
        following = self.next
        if following.is_mark(":") or following.kind == "word":
            ended = self._entry_follows(self.at - 1)
            if ended is not None:
                raise ended
        return all_of((self._expression_of(token),))

    def _bracket(self, token: Token) -> Expression:
        if len(self._open) > _DEEPEST:
            raise self._too_deep(token)
        self._open.append(token)
        self.at += 1
        closing = _CLOSING[token.text]
        if token.text != "{" and self.next.is_mark(closing):
            inner: Expression = NOTHING
        else:
            inner = self._read()
        if not self.next.is_mark(closing):
            raise self._unexpected()
        self._open.pop()
        self.at += 1
        match token.text:
            case "{":
                return optional(inner)
            case "[":
                return costing(inner, self._cost())
        return inner

    def _cost(self) -> float:
        """Read what may follow a closing square bracket: a number or the tag of a dialect."""
        token = self.next
        if token.kind != "word" or token.text in _OPERATORS:
            return 1.0
        if _NUMBER.fullmatch(token.text):
            self.at += 1
            return float(token.text)
        if _LIKE_NUMBER.match(token.text):
            message = f"{token.text} is no cost"
            hint = "at most seven digits before the point, and no exponent"
            raise DictionaryError(token, "bad-cost", message, "a number such as 0.5", hint)
        if _DIALECT.fullmatch(token.text) and not token.text.endswith(_DIRECTIONS):
            ended = self._entry_follows(self.at)
            if ended is not None:
                raise ended
            self.at += 1
            return self._cost_of(token)
        return 1.0

    def _unexpected(self) -> DictionaryError:
        """Return the mistake that the next token does not belong after a whole operand."""
        token = self.next
        ended = self._entry_follows(self.at)
        if ended is not None:
            return ended
        if token.is_mark(")}]"):
            if not self._open:
                message = f"{token.text} closes nothing"
                return DictionaryError(token, "unbalanced-brackets", message, _AFTER)
            opened = self._open[-1]
            message = f"{token.text} does not close the {opened.text} of line {opened.line}"
            return DictionaryError(token, "unbalanced-brackets", message, _CLOSING[opened.text])
        if self._open and (token.is_mark(";:") or token.kind == "end"):
            opened = self._open[-1]
            closing = _CLOSING[opened.text]
            message = f"the {opened.text} is not closed"
            where = f"a {closing} is missing before the {token} of line {token.line}"
            if token.kind == "end":
                where = f"a {closing} is missing"
            return DictionaryError(opened, "unbalanced-brackets", message, closing, where)
        if token.kind == "end":
            return DictionaryError(token, "missing-semicolon", "the last entry is not ended", ";")
        hint = did_you_mean(token.text, ("and", "or"))
        if token.text.endswith(_DIRECTIONS) or token.is_mark("({["):
            hint = "write & or | between two operands"
        return DictionaryError(token, "unexpected-token", f"{token} does not belong here", _AFTER, hint)

    def _unexpected_operand(self, token: Token) -> DictionaryError:
        hint = None
        if token.is_mark("}"):
            hint = "nothing is written ()"
        elif token.is_mark(";"):
            hint = "an expression that is empty is written ()"
        what = f"{token} stands" if token.kind == "end" else f"{token.text} stands"
        code = "unbalanced-brackets" if token.is_mark(")}]") and not self._open else "missing-operand"
        return DictionaryError(token, code, f"{what} where an operand is due", _OPERAND, hint)

    def _entry_follows(self, start: int) -> DictionaryError | None:
        """Return the mistake of a missing semicolon, if from token `start` on there are words and a colon."""
        at = start
        while self.tokens[at].kind in ("word", "quoted"):
            at += 1
        if at == start or not self.tokens[at].is_mark(":"):
            return None
        before, word = self.tokens[start - 1], self.tokens[start]
        place = Token(before.text, before.kind, before.line, before.column + before.width, 1)
        if self._open:
            opened = self._open[-1]
            message = f"the {opened.text} is not closed before the entry of {word.text}"
            return DictionaryError(
                opened, "unbalanced-brackets", message, _CLOSING[opened.text], resume=start
            )
        message = f"the entry is not ended before that of {word.text} in line {word.line}"
        return DictionaryError(place, "missing-semicolon", message, ";", resume=start)

    def _too_deep(self, token: Token) -> DictionaryError:
        message = f"the expression is more than {_DEEPEST} levels deep"
        return DictionaryError(token, "too-deep", message, "fewer brackets, and shorter chains of macros")


@functools.lru_cache(maxsize=8192)
def _connector(text: str) -> Connector:
    return read_connector(text)


def connector_of(token: Token, text: str) -> Connector:
    """Return the connector that a token is.

    Raises
    ------
    DictionaryError : it is none, or one of those made for idioms.
    """
    try:
        found = _connector(text)
    except ValueError as problem:
        raise DictionaryError(
            token, "bad-connector", str(problem), "a connector such as Ss+ or @MV-"
        ) from None
    if found.name.startswith("ID") and found.name[2:3].isupper():
        message = f"{text}: connectors that begin with ID are made for idioms"
        raise DictionaryError(token, "bad-connector", message, hint="choose another name")
    return found
