"""A whole schema file as written: its first line, and its declarations by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemata.language.source import SourceText, Span
from schemata.language.syntax.conditions import Condition
from schemata.language.syntax.items import Covering, Equation, ItemClause, ItemDeclaration
from schemata.language.syntax.steps import Removal, StepDeclaration
from schemata.language.syntax.terms import Term

__all__ = ["Argument", "Header", "Parameter", "SchemaSyntax"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """`k = 3` in a schema's head."""

    name: str
    default: int
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """`k = 4` where a schema is extended: a number or a name of the extending schema's parameter."""

    name: str
    value: Term
    span: Span


@dataclass(frozen=True, slots=True)
class Header:
    """`schema NAME(k = 3) extends OTHER(j = 1) where k >= 3`."""

    name: str
    parameters: tuple[Parameter, ...]
    extends: str | None
    arguments: tuple[Argument, ...]
    where: tuple[Condition, ...]
    span: Span
    extends_span: Span | None = None


@dataclass(frozen=True, slots=True)
class SchemaSyntax:
    """A whole schema file as written.

    Declarations that could not be parsed are left out: `lost_kinds` has their keywords, `lost_forms` the
    item forms they may declare and `lost_names` the parameters. `replaced` has the first place of each kind
    of `replace`.
    """

    source: SourceText
    header: Header
    title: str | None
    reference: str | None
    grammar: tuple[str, Span] | None
    items: tuple[ItemDeclaration, ...]
    hypotheses: tuple[ItemClause, ...]
    equations: tuple[Equation | Covering, ...]
    steps: tuple[StepDeclaration, ...]
    finals: tuple[ItemClause, ...]
    removals: tuple[Removal, ...]
    replaced_items: frozenset[str] = frozenset()
    replaces_finals: bool = False
    replaces_hypotheses: bool = False
    lost_kinds: frozenset[str] = frozenset()
    lost_forms: frozenset[str] = frozenset()
    lost_names: frozenset[str] = frozenset()
    replaced: Mapping[str, Span] = field(default_factory=dict)
