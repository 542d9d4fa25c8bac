"""Normal forms, final items and hypotheses of a schema between kinds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from itertools import chain

from schemata.engine.lowering.choices import chosen, values_of
from schemata.engine.lowering.conditions import tests_of
from schemata.engine.lowering.facts import conditions_of, simplified
from schemata.engine.lowering.kinds import Kinds
from schemata.engine.lowering.linear import AnyOf, Linear
from schemata.engine.lowering.model import Atom, Equation, Final, NotLowerable
from schemata.language import model as m
from schemata.language.substitute import fold, substitute

__all__ = ["lowered_clauses", "lowered_equations"]


def lowered_equations(kinds: Kinds, form: m.Form, equation: m.Equation) -> Iterator[Equation]:
    """Yield the lines of a normal form between kinds that one equation stands for."""
    names = [name for name in equation.types if name != "n"]
    options = [list(values_of(kinds, name, equation.types[name], None)) for name in names]
    for choice in itertools.product(*options):
        given = {name: term for name, (term, _) in zip(names, choice, strict=True)}
        left, right = (
            m.Pattern(form.name, tuple(fold(substitute(t, given)) for t in side))
            for side in (equation.left, equation.right)
        )
        tests: list[Linear | AnyOf] = []
        possible = True
        for condition in equation.conditions:
            if isinstance(condition, m.GRAMMAR_CONDITIONS):
                raise NotLowerable("a normal form with a condition on the grammar")
            more = tests_of(fold(substitute(condition, given)))
            possible = possible and more is not None
            tests += more or ()
        if not possible:
            continue
        for one, other in itertools.product(kinds.writings(left), kinds.writings(right)):
            atoms = kinds.atom(left, one), kinds.atom(right, other)
            if atoms[0] is None:
                continue
            if atoms[1] is None:
                if simplified(conditions_of(kinds.found, atoms[0]), tests) is not None:
                    raise NotLowerable("a normal form that leads to items which their form rules out")
            elif not _determined(atoms[0], tests):
                raise NotLowerable("a normal form with a condition that binds a variable")
            else:
                yield Equation(atoms[0], atoms[1], tuple(tests))


def lowered_clauses(kinds: Kinds, clause: m.Clause, what: str) -> Iterator[Final]:
    """Yield what a final item or a hypothesis stands for, one entry for every choice of kinds."""
    names = [name for name in clause.types if name != "n"]
    options = [list(values_of(kinds, name, clause.types[name], None)) for name in names]
    for choice in itertools.product(*options):
        given = {name: term for name, (term, _) in zip(names, choice, strict=True)}
        pattern = chosen(clause.pattern, given)
        tests: list[Linear | AnyOf] | None = []
        for condition in clause.conditions:
            if isinstance(condition, m.GRAMMAR_CONDITIONS):
                raise NotLowerable(f"{what} with a condition on the grammar")
            more = tests_of(fold(substitute(condition, given)))
            tests = None if tests is None or more is None else [*tests, *more]
        if tests is None:
            continue
        for written in kinds.writings(pattern):
            atom = kinds.atom(pattern, written)
            if atom is not None:
                if not _determined(atom, tests):
                    raise NotLowerable(f"{what} with a condition that binds a variable")
                yield Final(atom, tuple(tests))


def _determined(atom: Atom, tests: Sequence[Linear | AnyOf]) -> bool:
    """Whether the columns of an item determine all variables of its pattern and of the tests."""
    known = {"n"}
    while True:
        more = set(known)
        for term in atom.terms:
            unknown = [x for x in term.names if x not in more and not x.startswith("'")]
            if len(unknown) == 1:
                more.add(unknown[0])
        if more == known:
            break
        known = more
    about = [t for test in tests for t in ([test] if isinstance(test, Linear) else chain(*test.options))]
    names = {x for term in (*atom.terms, *(t.left for t in about)) for x in term.names}
    return all(x in known or x.startswith("'") for x in names)
