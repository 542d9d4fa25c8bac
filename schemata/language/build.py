"""From Lark's parse trees to the syntax tree: one method per rule of the grammar that needs one."""

# ruff: noqa: D102 - a method makes the node of the grammar rule that it is named after

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from lark import Token, v_args
from lark.tree import Meta

from schemata.language import syntax as s
from schemata.language.build_terms import TermBuilder

__all__ = ["Builder"]


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
