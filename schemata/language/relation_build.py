"""From Lark's parse trees to the syntax tree of relation files: what schema files do not have."""

# ruff: noqa: D102 - a method makes the node of the grammar rule that it is named after

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lark import v_args
from lark.tree import Meta

from schemata.language import relation_syntax as r
from schemata.language.build import Builder

__all__ = ["RelationBuilder"]


@v_args(meta=True)
class RelationBuilder(Builder):
    """Makes syntax nodes of the pieces of relation files too."""

    def schema_reference(self, meta: Meta, c: Sequence[Any]) -> r.SchemaReference:
        return r.SchemaReference(str(c[0]), c[1] or (), self._span(c[0]))

    def relation_header(self, meta: Meta, c: Sequence[Any]) -> r.RelationHeader:
        return r.RelationHeader(c[0], c[1], self._span(meta))

    def stations(self, meta: Meta, c: Sequence[Any]) -> Any:
        return tuple(c)

    def value_range(self, meta: Meta, c: Sequence[Any]) -> r.ValueRange:
        return r.ValueRange(str(c[0]), c[1].low, c[1].high, self._span(c[0]))

    def item_map(self, meta: Meta, c: Sequence[Any]) -> r.ItemMapLine:
        return r.ItemMapLine(c[0], c[1], c[2] or (), False, self._span(meta))

    def reversed_item_map(self, meta: Meta, c: Sequence[Any]) -> r.ItemMapLine:
        return r.ItemMapLine(c[1], c[0], c[2] or (), True, self._span(meta))
