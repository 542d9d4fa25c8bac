"""From Lark's parse trees to terms and conditions: one method per rule of the grammar that needs one."""

# ruff: noqa: D102 - a method makes the node of the grammar rule that it is named after

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lark import Token, Transformer, v_args
from lark.tree import Meta

from schemata.errors import Diagnostic
from schemata.language import syntax as s
from schemata.language.model import HEAD_WORD, ROOT
from schemata.language.source import SourceText, Span

__all__ = ["NUMBER_DIGITS", "TermBuilder"]

_RELATIONS = {"LESS": "<", "MORE": ">", "AT_MOST": "<=", "AT_LEAST": ">=", "EQUALS": "==", "DIFFERS": "!="}
NUMBER_DIGITS = 6  # no sentence, list or parameter comes near a million


@v_args(meta=True)
class TermBuilder(Transformer[Token, Any]):
    """Makes terms and conditions of parse trees whose text begins at line `first_line` of the source.

    Numbers too large to mean anything are reported.
    """

    def __init__(self, source: SourceText, first_line: int, problems: list[Diagnostic]) -> None:
        super().__init__(visit_tokens=False)
        self._source = source
        self._offset = first_line - 1
        self._problems = problems

    def _integer(self, token: Token) -> int:
        if len(token) <= NUMBER_DIGITS:
            return int(token)
        span = self._span(token)
        limit = 10**NUMBER_DIGITS - 1
        self._problems.append(
            span.report("number-too-large", "the number is too large", expected=f"at most {limit:,}")
        )
        return 0

    def _span(self, meta: Meta | Token) -> Span:
        line = (meta.line or 1) + self._offset
        column = meta.column or 1
        one_line = meta.end_line == meta.line
        end = meta.end_column if one_line and meta.end_column else len(self._source.lines[line - 1]) + 1
        return Span(self._source, line, column, max(end, column + 1))

    # terms

    def name(self, meta: Meta, c: Sequence[Token]) -> s.Name:
        return s.Name(str(c[0]), self._span(meta))

    def optional_name(self, meta: Meta, c: Sequence[Token]) -> s.Name:
        return s.Name(str(c[0]), self._span(meta), optional=True)

    def star(self, meta: Meta, c: Sequence[Token]) -> s.Star:
        return s.Star(str(c[0])[1:], self._span(meta))

    def wildcard(self, meta: Meta, c: Sequence[Token]) -> s.Wildcard:
        return s.Wildcard(self._span(meta))

    def number(self, meta: Meta, c: Sequence[Token]) -> s.Constant:
        return s.Constant(self._integer(c[0]), "number", self._span(meta))

    def text(self, meta: Meta, c: Sequence[Token]) -> s.Constant:
        return s.Constant(str(c[0])[1:-1], "symbol", self._span(meta))

    def root_name(self, meta: Meta, c: Sequence[Token]) -> s.Term:
        return self.name(meta, c) if c[0].type == "NAME" else self.text(meta, c)

    def true(self, meta: Meta, c: Sequence[Token]) -> s.Constant:
        return s.Constant(True, "flag", self._span_of(meta))

    def false(self, meta: Meta, c: Sequence[Token]) -> s.Constant:
        return s.Constant(False, "flag", self._span_of(meta))

    def absent(self, meta: Meta, c: Sequence[Token]) -> s.Constant:
        return s.Constant(None, "absent", self._span(c[0]))

    def root_symbol(self, meta: Meta, c: Sequence[Token]) -> s.Constant:
        return s.Constant(ROOT, "symbol", self._span_of(meta))

    def head_word(self, meta: Meta, c: Sequence[Token]) -> s.Constant:
        return s.Constant(HEAD_WORD, "symbol", self._span(c[0]))

    def dot(self, meta: Meta, c: Sequence[Token]) -> Token:
        return c[0]

    def _span_of(self, meta: Meta) -> Span:
        return self._span(meta) if not meta.empty else Span(self._source, self._offset + 1, 1, 2)

    def signed(self, meta: Meta, c: Sequence[Any]) -> Any:
        return (1 if c[0].type == "SIGN" else -1, c[1])

    def sum(self, meta: Meta, c: Sequence[Any]) -> s.Sum:
        return s.Sum(tuple(x if isinstance(x, tuple) else (1, x) for x in c), self._span(meta))

    def length(self, meta: Meta, c: Sequence[s.Term]) -> s.Length:
        return s.Length(c[0], self._span(meta))

    def list(self, meta: Meta, c: Sequence[Any]) -> s.ListTerm:
        return s.ListTerm(tuple(x for x in c[1:-1] if x is not None), self._span(meta))

    def list_open(self, meta: Meta, c: Sequence[Token]) -> None:
        return None

    list_close = list_open

    def run(self, meta: Meta, c: Sequence[s.Term]) -> s.Run:
        span = self._span(meta)
        return s.Run(c[0] if len(c) == 1 else s.TupleTerm(tuple(c), span), span)

    def tuple(self, meta: Meta, c: Sequence[s.Term]) -> s.TupleTerm:
        return s.TupleTerm(tuple(c), self._span(meta))

    def parenthesis(self, meta: Meta, c: Sequence[s.Term]) -> s.Term:
        return c[0]

    def dotted(self, meta: Meta, c: Sequence[Any]) -> s.Dotted:
        category, *rest = c
        parts: Any = [[]]
        for element in rest:
            if isinstance(element, Token):
                parts.append([])
            else:
                parts[-1].append(element)
        return s.Dotted(category, tuple(tuple(p) for p in parts), self._span(meta))

    def sequence(self, meta: Meta, c: Sequence[Any]) -> s.Sequence:
        parts: Any = [[]]
        for element in c:
            if isinstance(element, Token):
                parts.append([])
            else:
                parts[-1].append(element)
        return s.Sequence(tuple(tuple(p) for p in parts), self._span(meta))

    def lone_dot(self, meta: Meta, c: Sequence[Token]) -> s.Sequence:
        return s.Sequence(((), ()), self._span(c[0]))

    def advance(self, meta: Meta, c: Sequence[Token]) -> s.Stays:
        return s.Stays(s.Name(str(c[0]), self._span(c[0])), self._span(meta))

    # conditions

    def matches(self, meta: Meta, c: Sequence[Any]) -> s.Matches:
        return s.Matches(c[0], c[2], self._span(meta))

    def disjunct(self, meta: Meta, c: Sequence[s.Term]) -> s.DisjunctOf:
        return s.DisjunctOf(c[0], c[1], c[2], self._span(meta))

    def join(self, meta: Meta, c: Sequence[Any]) -> s.JoinCondition:
        left, right, one, _, other, when = c
        match = s.Matches(one, other, self._span(meta))
        return s.JoinCondition(left, right, match, when, self._span(meta))

    def negation(self, meta: Meta, c: Sequence[s.Term]) -> s.Not:
        return s.Not(c[0], self._span(meta))

    def conjunction(self, meta: Meta, c: Sequence[s.Term]) -> s.Junction:
        return s.Junction("and", tuple(c), self._span(meta))

    def disjunction(self, meta: Meta, c: Sequence[s.Term]) -> s.Junction:
        return s.Junction("or", tuple(c), self._span(meta))

    def relation(self, meta: Meta, c: Sequence[Token]) -> str:
        return _RELATIONS[c[0].type]

    def comparison(self, meta: Meta, c: Sequence[Any]) -> s.Comparison:
        return s.Comparison(tuple(c[0::2]), tuple(c[1::2]), self._span(meta))

    def interval(self, meta: Meta, c: Sequence[s.Term]) -> s.Interval:
        return s.Interval(c[0], c[1], self._span(meta))

    def difference(self, meta: Meta, c: Sequence[Any]) -> s.Difference:
        return s.Difference(c[0], c[1], self._span(meta))

    def difference_of_list(self, meta: Meta, c: Sequence[Any]) -> s.Difference:
        return s.Difference(c[0], s.Name(str(c[1]), self._span(c[1])), self._span(meta))

    def list_region(self, meta: Meta, c: Sequence[Token]) -> s.Name:
        return s.Name(str(c[0]), self._span(meta))

    def membership(self, meta: Meta, c: Sequence[Any]) -> s.Membership:
        return s.Membership(c[0], c[1], False, self._span(meta))

    def non_membership(self, meta: Meta, c: Sequence[Any]) -> s.Membership:
        return s.Membership(c[0], c[1], True, self._span(meta))

    def is_empty(self, meta: Meta, c: Sequence[s.Term]) -> s.StateTest:
        return s.StateTest(c[0], "empty", False, self._span(meta))

    def is_not_empty(self, meta: Meta, c: Sequence[s.Term]) -> s.StateTest:
        return s.StateTest(c[0], "empty", True, self._span(meta))

    def is_absent(self, meta: Meta, c: Sequence[s.Term]) -> s.StateTest:
        return s.StateTest(c[0], "absent", False, self._span(meta))

    def is_present(self, meta: Meta, c: Sequence[s.Term]) -> s.StateTest:
        return s.StateTest(c[0], "absent", True, self._span(meta))

    def attach(self, meta: Meta, c: Sequence[s.Term]) -> s.LinkCondition:
        return s.LinkCondition(c[0], c[1], True, True, self._span(meta))

    def licensed(self, meta: Meta, c: Sequence[s.Term]) -> s.LinkCondition:
        return s.LinkCondition(c[0], c[1], True, False, self._span(meta))

    def build(self, meta: Meta, c: Sequence[s.Term]) -> s.LinkCondition:
        return s.LinkCondition(c[0], c[1], False, True, self._span(meta))

    def build_heads(self, meta: Meta, c: Sequence[Token]) -> s.LinkHeads:
        dependent = self._integer(c[0])
        return s.LinkHeads(dependent, dependent if c[1] is None else self._integer(c[1]), self._span(meta))

    def head_of_built(self, meta: Meta, c: Sequence[s.Term]) -> s.HeadOfBuilt:
        return s.HeadOfBuilt(c[0], self._span(meta))

    def root_category(self, meta: Meta, c: Sequence[Any]) -> s.RootCategory:
        return s.RootCategory(c[0], self._span(meta))

    def grammar_rule(self, meta: Meta, c: Sequence[s.Dotted]) -> s.GrammarRule:
        return s.GrammarRule(c[0], self._span(meta))

    def left_corner(self, meta: Meta, c: Sequence[s.Term]) -> s.LeftCorner:
        return s.LeftCorner(c[0], c[1], self._span(meta))

    def category(self, meta: Meta, c: Sequence[s.Term]) -> s.CategoryOf:
        return s.CategoryOf(c[0], c[1], self._span(meta))

    def conditions(self, meta: Meta, c: Sequence[Any]) -> Any:
        return tuple(x for x in c if x is not None)

    def where(self, meta: Meta, c: Sequence[Any]) -> Any:
        return c[0]
