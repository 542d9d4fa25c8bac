"""Walking terms, conditions and rules: which variables they have."""

from __future__ import annotations

from collections.abc import Iterator

from schemata.language.model.conditions import (
    CategoryLicence,
    Condition,
    HasCategory,
    HasDisjunct,
    HasRule,
    LeftCorner,
    Licensed,
    RootCategory,
)
from schemata.language.model.rules import Clause, Join, Link, Pattern
from schemata.language.model.terms import (
    AllWithin,
    Any,
    AtDot,
    Compare,
    InOrder,
    Interval,
    IsAbsent,
    Junction,
    Labels,
    Length,
    Linear,
    ListTerm,
    Lit,
    Matches,
    Member,
    Not,
    Region,
    Reversed,
    Run,
    Splice,
    TupleTerm,
    Var,
    Without,
)

__all__ = ["variables"]


def variables(node: Condition | Region | Pattern | Clause | Link | Join) -> Iterator[str]:
    """Yield the names of the variables in a term, condition or pattern, with repetitions, in order."""
    match node:
        case Var(name) | Length(name) | Splice(name):
            yield name
        case Linear(_, atoms):
            for atom, _ in atoms:
                yield atom.name
        case ListTerm(parts) | TupleTerm(parts) | Labels(parts) | Junction(_, parts) | Pattern(_, parts):
            for part in parts:
                yield from variables(part)
        case (
            Not(operand)
            | IsAbsent(operand)
            | Run(operand)
            | RootCategory(operand)
            | InOrder(operand)
            | Reversed(operand)
            | AtDot(operand)
        ):
            yield from variables(operand)
        case HasDisjunct(right, left, word):
            yield from (*variables(right), *variables(left), *variables(word))
        case Join(left, right, by, when):
            yield from (*variables(left), *variables(right), *variables(by))
            if when is not None:
                yield from variables(when)
        case (
            Compare(_, left, right)
            | Licensed(left, right)
            | CategoryLicence(left, right)
            | HasCategory(left, right)
            | HasRule(left, right)
            | LeftCorner(left, right)
            | Matches(left, right)
            | Link(left, right)
        ):
            yield from variables(left)
            yield from variables(right)
        case Interval(low, high):
            yield from variables(low)
            yield from variables(high)
        case Without(region, interval):
            yield from variables(region)
            yield from variables(interval)
        case Member(element, region) | AllWithin(element, region):
            yield from variables(element)
            yield from variables(region)
        case Clause(pattern, conditions):
            yield from variables(pattern)
            for condition in conditions:
                yield from variables(condition)
        case Any() | Lit():
            return
