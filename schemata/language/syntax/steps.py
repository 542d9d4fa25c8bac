"""Steps as written: the rules of each, families, which stand for many rules, and steps taken away."""

from __future__ import annotations

from dataclasses import dataclass

from schemata.language.source import Span
from schemata.language.syntax.conditions import Condition
from schemata.language.syntax.items import Item
from schemata.language.syntax.terms import Name

__all__ = ["Antecedent", "Family", "Removal", "StepCase", "StepDeclaration"]


@dataclass(frozen=True, slots=True)
class Antecedent:
    """An item above the line; `context` where written `given`."""

    item: Item
    context: bool


@dataclass(frozen=True, slots=True)
class Family:
    """`for every layout of a, b, g ...`: a rule for each way of laying the letters out from left to right.

    `first` and `last` are the letters a layout may begin and end with, empty where any may.
    """

    letters: tuple[Name, ...]
    first: tuple[Name, ...]
    last: tuple[Name, ...]
    where: tuple[Condition, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class StepCase:
    """One rule: what stands above, below and beside the line. `lines` is the rule as written.

    Parts that could not be parsed are left out, the consequent too; `lost` has every name that occurs in
    them, and is None where all was parsed. `generated` are the variables that a family's member has of its
    own.
    """

    label: str | None
    antecedents: tuple[Antecedent, ...]
    consequent: Item | None
    conditions: tuple[Condition, ...]
    span: Span
    lines: tuple[str, ...]
    lost: frozenset[str] | None = None
    family: Family | None = None
    generated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class StepDeclaration:
    """`step NAME` and its cases; `replace` where it takes the place of an inherited step."""

    name: str
    cases: tuple[StepCase, ...]
    span: Span
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Removal:
    """`without step NAME` in a schema that extends another."""

    name: str
    span: Span
