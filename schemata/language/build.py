"""From Lark's parse trees to the syntax tree: one method per rule of the grammar that needs one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from lark import Token, Transformer, v_args
from lark.tree import Meta

from schemata.errors import Diagnostic
from schemata.language import syntax as s
from schemata.language.model import HEAD_WORD, ROOT
from schemata.language.source import SourceText, Span

# ruff: noqa: D102 - a method makes the node of the grammar rule that it is named after


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


# ruff: noqa: D102 - a method makes the node of the grammar rule that it is named after


@v_args(meta=True)
class Builder(TermBuilder):
    """Makes the syntax nodes of items, types and declarations too."""

    def item(self, meta: Meta, c: Sequence[Any]) -> s.Item:
        return s.Item(str(c[0]), tuple(x for x in c[1:] if x is not None), self._span(meta), self._span(c[0]))

    def antecedent(self, meta: Meta, c: Sequence[s.Item]) -> s.Antecedent:
        return s.Antecedent(c[0], context=False)

    def context_antecedent(self, meta: Meta, c: Sequence[s.Item]) -> s.Antecedent:
        return s.Antecedent(c[0], context=True)

    def antecedents(self, meta: Meta, c: Sequence[Any]) -> Any:
        return tuple(x for x in c if x is not None)

    def consequent(self, meta: Meta, c: Sequence[Any]) -> Any:
        return c[0], c[1] or ()

    def named_type(self, meta: Meta, c: Sequence[Token]) -> s.TypeName:
        return s.TypeName(str(c[0]), (), self._span(meta))

    def optional_type(self, meta: Meta, c: Sequence[s.TypeName]) -> s.TypeName:
        return s.TypeName("optional", tuple(c), self._span(meta))

    def list_type(self, meta: Meta, c: Sequence[s.TypeName]) -> s.TypeName:
        return s.TypeName("list", tuple(c), self._span(meta))

    def tuple_type(self, meta: Meta, c: Sequence[s.TypeName]) -> s.TypeName:
        return s.TypeName("tuple", tuple(c), self._span(meta))

    def dotted_rule_type(self, meta: Meta, c: Sequence[Any]) -> s.TypeName:
        return s.TypeName("dotted rule", (), self._span_of(meta))

    def double_dotted_rule_type(self, meta: Meta, c: Sequence[Any]) -> s.TypeName:
        return s.TypeName("double-dotted rule", (), self._span_of(meta))

    def dotted_labels_type(self, meta: Meta, c: Sequence[Any]) -> s.TypeName:
        return s.TypeName("dotted labels", (), self._span_of(meta))

    def field(self, meta: Meta, c: Sequence[Any]) -> s.Field:
        return s.Field(str(c[0]), c[1], self._span(c[0]))

    def item_declaration(self, meta: Meta, c: Sequence[Any]) -> s.ItemDeclaration:
        return s.ItemDeclaration(
            str(c[0]), tuple(x for x in c[1:-1] if x is not None), c[-1] or (), self._span(c[0])
        )

    def hypothesis_declaration(self, meta: Meta, c: Sequence[Any]) -> s.ItemClause:
        return s.ItemClause(c[0], c[1] or (), self._span(meta))

    final_declaration = hypothesis_declaration

    def equation(self, meta: Meta, c: Sequence[Any]) -> s.Equation:
        left, right = (x for x in c if isinstance(x, s.Item))
        conditions = c[-1] if isinstance(c[-1], tuple) else ()
        return s.Equation(left, right, conditions, self._span(meta))

    def covering(self, meta: Meta, c: Sequence[Any]) -> s.Covering:
        return s.Covering(c[0], c[1], s.Name(str(c[2]), self._span(c[2])), self._span(meta))

    def beginning(self, meta: Meta, c: Sequence[Any]) -> Any:
        return tuple(s.Name(str(x), self._span(x)) for x in c if x is not None)

    ending = beginning

    def family(self, meta: Meta, c: Sequence[Any]) -> s.Family:
        *letters, first, last, where = c
        names = tuple(s.Name(str(x), self._span(x)) for x in letters)
        return s.Family(names, first or (), last or (), where or (), self._span(meta))

    def parameter(self, meta: Meta, c: Sequence[Any]) -> s.Parameter:
        return s.Parameter(str(c[0]), c[2].value, self._span(c[0]))

    def argument(self, meta: Meta, c: Sequence[Any]) -> s.Argument:
        return s.Argument(str(c[0]), c[2], self._span(c[0]))

    def parameters(self, meta: Meta, c: Sequence[Any]) -> Any:
        return tuple(x for x in c if x is not None)

    arguments = parameters

    def extension(self, meta: Meta, c: Sequence[Any]) -> Any:
        return str(c[0]), self._span(c[0]), c[1] or ()

    def header(self, meta: Meta, c: Sequence[Any]) -> s.Header:
        name, parameters, extension, where = c
        extends, extends_span, arguments = extension or (None, None, ())
        return s.Header(
            str(name),
            parameters or (),
            cast("str | None", extends),
            arguments,
            where or (),
            self._span(name),
            extends_span,
        )


# ruff: noqa: D102 - a method makes the node of the grammar rule that it is named after


@v_args(meta=True)
class RelationBuilder(Builder):
    """Makes syntax nodes of the pieces of relation files too."""

    def schema_reference(self, meta: Meta, c: Sequence[Any]) -> s.SchemaReference:
        return s.SchemaReference(str(c[0]), c[1] or (), self._span(c[0]))

    def relation_header(self, meta: Meta, c: Sequence[Any]) -> s.RelationHeader:
        return s.RelationHeader(c[0], c[1], self._span(meta))

    def stations(self, meta: Meta, c: Sequence[Any]) -> Any:
        return tuple(c)

    def value_range(self, meta: Meta, c: Sequence[Any]) -> s.ValueRange:
        return s.ValueRange(str(c[0]), c[1].low, c[1].high, self._span(c[0]))

    def item_map(self, meta: Meta, c: Sequence[Any]) -> s.ItemMapLine:
        return s.ItemMapLine(c[0], c[1], c[2] or (), False, self._span(meta))

    def reversed_item_map(self, meta: Meta, c: Sequence[Any]) -> s.ItemMapLine:
        return s.ItemMapLine(c[1], c[0], c[2] or (), True, self._span(meta))
