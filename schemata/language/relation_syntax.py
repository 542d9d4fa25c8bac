"""The syntax tree of a relation file: what was written, with the place of every word."""

from __future__ import annotations

from dataclasses import dataclass

from schemata.language import syntax as s
from schemata.language.source import SourceText, Span

__all__ = ["ItemMapLine", "RelationHeader", "RelationSyntax", "SchemaReference", "ValueRange"]


@dataclass(frozen=True, slots=True)
class SchemaReference:
    """`mh(k = d + 2)`: a schema with values for its parameters; `span` is that of the name."""

    name: str
    arguments: tuple[s.Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RelationHeader:
    """`relation FIRST to SECOND`."""

    first: SchemaReference
    second: SchemaReference
    span: Span


@dataclass(frozen=True, slots=True)
class ItemMapLine:
    """`map SOURCE to TARGET where ...`, or `map TARGET from SOURCE where ...` where `reversed`."""

    source: s.Item
    target: s.Item
    where: tuple[s.Condition, ...]
    reversed: bool
    span: Span


@dataclass(frozen=True, slots=True)
class ValueRange:
    """`for d in [1..3]`: the values of a variable of the file."""

    name: str
    low: s.Term
    high: s.Term
    span: Span


@dataclass(frozen=True, slots=True)
class RelationSyntax:
    """A relation file as written; what could not be parsed is left out.

    `whole` is false where something was: then a form without a map may have had one. `lost_names` are names
    that what was left out may declare.
    """

    source: SourceText
    header: RelationHeader | None
    kind: tuple[str, Span] | None
    reference: str | None
    requires: tuple[tuple[str, Span], ...]
    through: tuple[SchemaReference, ...]
    ranges: tuple[ValueRange, ...]
    maps: tuple[ItemMapLine, ...]
    whole: bool
    lost_names: frozenset[str]
