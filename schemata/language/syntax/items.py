"""Items as written and what is declared of them: item forms, hypotheses, final items and normal forms."""

from __future__ import annotations

from dataclasses import dataclass

from schemata.language.source import Span
from schemata.language.syntax.conditions import Condition
from schemata.language.syntax.terms import Name, Region, Term

__all__ = ["Covering", "Equation", "Field", "Item", "ItemClause", "ItemDeclaration", "TypeName"]


@dataclass(frozen=True, slots=True)
class Item:
    """`span[i, j, b, c]`."""

    form: str
    terms: tuple[Term, ...]
    span: Span
    name_span: Span


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as written: `position`, `list of (position, flag)`, `position?`."""

    name: str
    arguments: tuple[TypeName, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an item form."""

    name: str
    type: TypeName
    span: Span


@dataclass(frozen=True, slots=True)
class ItemDeclaration:
    """`item span[i: position, ...] where ...`."""

    form: str
    fields: tuple[Field, ...]
    where: tuple[Condition, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ItemClause:
    """`hypothesis word[i] where ...` or `final span[0, n] where ...`."""

    item: Item
    where: tuple[Condition, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Equation:
    """One line of a normal form: the left writing stands for the right one under the conditions."""

    left: Item
    right: Item
    conditions: tuple[Condition, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Covering:
    """`item covers [i..j] minus gaps, with or without h`: a normal form by the words an item covers."""

    item: Item
    region: Region
    aside: Name
    span: Span
