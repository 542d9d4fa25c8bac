"""Conditions as written that speak of the grammar or of what is built; and what a condition is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from schemata.language.source import Span
from schemata.language.syntax.terms import Dotted, Matches, Term

__all__ = [
    "CategoryOf",
    "Condition",
    "DisjunctOf",
    "GrammarRule",
    "HeadOfBuilt",
    "JoinCondition",
    "LeftCorner",
    "LinkCondition",
    "LinkHeads",
    "RootCategory",
]


@dataclass(frozen=True, slots=True)
class LinkCondition:
    """`attach d to h` (licence and building), `licensed d to h` (licence alone), `link d to h` (building)."""

    dependent: Term
    head: Term
    licence: bool
    builds: bool
    span: Span


@dataclass(frozen=True, slots=True)
class LinkHeads:
    """`link head of 2 to head of 1`: builds the link between the heads of two antecedents, counted from 1."""

    dependent: int
    head: int
    span: Span


@dataclass(frozen=True, slots=True)
class HeadOfBuilt:
    """`head h`: word h is the head of what the step builds."""

    head: Term
    span: Span


@dataclass(frozen=True, slots=True)
class RootCategory:
    """`root S`: the grammar lets S be the root; binds S where it is free."""

    category: Term
    span: Span


@dataclass(frozen=True, slots=True)
class GrammarRule:
    """`rule A(*alpha)`: the grammar has the rule; binds what is free."""

    rule: Dotted
    span: Span


@dataclass(frozen=True, slots=True)
class LeftCorner:
    """`corner A of E`: A is E, or the first symbol of a rule of a corner of E; binds either where free."""

    category: Term
    whole: Term
    span: Span


@dataclass(frozen=True, slots=True)
class CategoryOf:
    """`category h is A`: word h may be of category A; binds A where it is free."""

    word: Term
    category: Term
    span: Span


@dataclass(frozen=True, slots=True)
class DisjunctOf:
    """`disjunct *R / *L of z`: word z has a disjunct with these requirements; binds what is free."""

    right: Term
    left: Term
    word: Term
    span: Span


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """`join i to j by x ~ y if b`: the connectors match, and the step builds the link; where b holds only."""

    left: Term
    right: Term
    match: Matches
    when: Term | None
    span: Span


Condition: TypeAlias = (
    Term
    | LinkCondition
    | LinkHeads
    | HeadOfBuilt
    | RootCategory
    | GrammarRule
    | CategoryOf
    | LeftCorner
    | DisjunctOf
    | JoinCondition
)
