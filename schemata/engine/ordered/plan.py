"""The plan of a rule in an ordered kernel: from its consequent back to the antecedents.

The consequent's columns are known or looped over last; the rule's own variables are expressed by them where
the consequent determines them, and looped over where it does not. What is tested when follows from which
variables are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.program.facts import conditions_of
from schemata.program.linear import (
    Affine,
    AnyOf,
    CategoryLicence,
    CategoryOf,
    Licence,
    Linear,
    Test,
    variable,
)
from schemata.program.model import Atom, Kind, Program, Rule

__all__ = [
    "SYMBOLS",
    "RulePlan",
    "bounds_of_kind",
    "column_name",
    "kind_terms",
    "plan_rule",
    "row_length",
    "within_table",
]

SYMBOLS = "#symbols"  # the number of symbols, as a variable of linear terms


@dataclass(frozen=True, slots=True)
class RulePlan:
    """A rule, turned round.

    `free` are the rule's variables that its consequent leaves open. `constraints` are terms >= 0 over the
    consequent's columns (`column_name`), the free variables and n. `antecedents` and `links` are in the same
    variables. `tests` are the tests that are no constraints.
    """

    rule: Rule
    free: tuple[str, ...]
    constraints: tuple[Affine, ...]
    antecedents: tuple[Atom, ...]
    links: tuple[tuple[Affine, Affine], ...]
    tests: tuple[Test, ...]


def column_name(number: int) -> str:
    """Return the variable that stands for a column of the consequent."""
    return f"column {number}"


def bounds_of_kind(kind: Kind, terms: Sequence[Affine]) -> list[Affine]:
    """Return what holds for an item's symbol columns: they are numbers of symbols."""
    found: list[Affine] = []
    for column, term in zip(kind.columns, terms, strict=True):
        if column.sort == "symbol":
            found += [term, variable(SYMBOLS) - term - 1]
    return found


def within_table(kind: Kind, terms: Sequence[Affine]) -> list[Affine]:
    """Return what holds for an item's positions since it has a place in its kind's table."""
    found: list[Affine] = []
    for column, term in zip(kind.columns, terms, strict=True):
        if column.sort == "position":
            found += [term, variable("n") + 1 - term]
    return found


def plan_rule(program: Program, rule: Rule) -> RulePlan:
    """Return the plan of a rule."""
    equal = [term - variable(column_name(k)) for k, term in enumerate(rule.consequent.terms)]
    equal += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
    own = rule.variables
    given: dict[str, Affine] = {}
    constraints: list[Affine] = []
    unsolved: list[Affine] = []
    while equal:
        left = equal.pop(0).substitute(given)
        name = next((x for x, k in left.terms if x in own and abs(k) == 1), None)
        if name is None:
            unsolved.append(left)
            continue
        sign = left.coefficient(name)
        value = variable(name) - left * sign
        given = {x: term.substitute({name: value}) for x, term in given.items()}
        given[name] = value
    for term in unsolved:  # others may have been solved for their variables
        rest = term.substitute(given)
        constraints += [rest, -rest]

    def turned(atom: Atom) -> Atom:
        return Atom(atom.kind, tuple(t.substitute(given) for t in atom.terms))

    antecedents = tuple(turned(a) for a in rule.antecedents)
    tests: list[Test] = []
    for atom in antecedents:
        constraints += bounds_of_kind(program.kinds[atom.kind], atom.terms)
        for condition in conditions_of(program.kinds, atom):
            if isinstance(condition, Linear) and condition.relation != "!=":
                constraints += (
                    [condition.left] if condition.relation == ">=" else [condition.left, -condition.left]
                )
    for test in rule.tests:
        match test:
            case Linear("==", _):
                pass
            case Linear(">=", left):
                constraints.append(left.substitute(given))
            case Linear():
                tests.append(test.substitute(given))
            case AnyOf(options):
                tests.append(AnyOf(tuple(tuple(t.substitute(given) for t in o) for o in options)))
            case Licence(a, b):
                a, b = a.substitute(given), b.substitute(given)
                constraints += [a - 1, variable("n") - a, b, variable("n") - b]
                tests.append(Licence(a, b))
            case CategoryOf(a, b):
                a, b = a.substitute(given), b.substitute(given)
                constraints += [a - 1, variable("n") - a, b, variable(SYMBOLS) - b - 1]
                tests.append(CategoryOf(a, b))
            case CategoryLicence(a, b):
                a, b = a.substitute(given), b.substitute(given)
                constraints += [a, variable(SYMBOLS) - a - 1, b, variable(SYMBOLS) - b - 1]
                tests.append(CategoryLicence(a, b))
    links = tuple((a.substitute(given), b.substitute(given)) for a, b in rule.links)
    free = tuple(x for x in own if x not in given)
    return RulePlan(rule, free, tuple(dict.fromkeys(constraints)), antecedents, links, tuple(tests))


def kind_terms(program: Program, kind: int) -> tuple[Affine, ...]:
    """Return the variables that stand for the consequent's columns."""
    return tuple(variable(column_name(k)) for k in range(len(program.kinds[kind].columns)))


def row_length(rule: Rule) -> int:
    """Return how many numbers a row of back-pointers has: consequent, antecedents, the ends of links."""
    return 1 + len(rule.antecedents) + 2 * len(rule.links)
