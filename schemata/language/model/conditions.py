"""Conditions on the grammar, and what a side condition is: one of these, or a term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from schemata.language.model.terms import ListTerm, Term

__all__ = [
    "GRAMMAR_CONDITIONS",
    "CategoryLicence",
    "Condition",
    "HasCategory",
    "HasDisjunct",
    "HasRule",
    "LeftCorner",
    "Licensed",
    "RootCategory",
]


@dataclass(frozen=True, slots=True)
class Licensed:
    """The grammar licenses the link; binds either end where it is free."""

    dependent: Term
    head: Term


@dataclass(frozen=True, slots=True)
class CategoryLicence:
    """The grammar licenses words of one category under words of the other; binds either where it is free."""

    dependent: Term
    head: Term


@dataclass(frozen=True, slots=True)
class HasRule:
    """The grammar has a rule with this category and body; binds what is free."""

    category: Term
    body: ListTerm


@dataclass(frozen=True, slots=True)
class RootCategory:
    """The category may be the root; binds it where free."""

    category: Term


@dataclass(frozen=True, slots=True)
class HasCategory:
    """The word may be of the category; binds the category where free."""

    word: Term
    category: Term


@dataclass(frozen=True, slots=True)
class LeftCorner:
    """The category is the whole or a left corner of it, reflexively and transitively; binds either."""

    category: Term
    whole: Term


@dataclass(frozen=True, slots=True)
class HasDisjunct:
    """A word has a disjunct with these requirements, nearest first; binds them where they are free."""

    right: Term
    left: Term
    word: Term


Condition: TypeAlias = (
    Term | Licensed | CategoryLicence | HasRule | RootCategory | HasCategory | LeftCorner | HasDisjunct
)
GRAMMAR_CONDITIONS = (
    Licensed,
    CategoryLicence,
    HasRule,
    RootCategory,
    HasCategory,
    LeftCorner,
    HasDisjunct,
)
