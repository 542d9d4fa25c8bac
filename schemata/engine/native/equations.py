"""Equations of a normal form in kernel text: what one side makes of the other, and which writings may be left out."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.engine.lowering.facts import conditions_of, facts_of
from schemata.engine.lowering.linear import Affine, AnyOf, Linear, variable
from schemata.engine.lowering.model import Atom, Equation, NotLowerable, Program
from schemata.engine.native.lines import Lines
from schemata.engine.native.ranges import differences_of
from schemata.engine.native.terms import any_of_text, linear_text, term_text

__all__ = ["fitting", "leads_in", "matched_sides"]


def leads_in(program: Program, equation: Equation) -> bool:
    """Whether it is seen that a writing's conditions imply those of what the equation makes of it."""
    known = [*conditions_of(program.kinds, equation.left), *equation.tests]
    return not _unproved(known, conditions_of(program.kinds, equation.right))


def fitting(program: Program, equation: Equation) -> list[Linear | AnyOf]:
    """Return the conditions of an equation's left side that those of the right one do not imply."""
    known = [*conditions_of(program.kinds, equation.right), *equation.tests]
    return _unproved(known, conditions_of(program.kinds, equation.left))


def _unproved(known: Sequence[Linear | AnyOf], wanted: Sequence[Linear | AnyOf]) -> list[Linear | AnyOf]:
    """Return the tests that do not follow from what is known, as far as differences show."""
    facts = facts_of(known)
    if facts.contradictory():
        return []
    found: list[Linear | AnyOf] = []
    for test in wanted:
        options = test.options if isinstance(test, AnyOf) else ((test,),)
        proved = (
            all(((goal := differences_of([t])) and facts.proves(goal)) or _is_true(t) for t in option)
            for option in options
        )
        if test not in known and not any(proved):
            found.append(test)
    return found


def _is_true(test: Linear) -> bool:
    return not test.left.terms and test.holds({})


def matched_sides(
    program: Program,
    equation: Equation,
    source: Atom,
    target: Atom,
    out: Lines,
    also: Sequence[Linear | AnyOf] = (),
) -> list[str]:
    """Match one side of an equation with the columns c0, c1 ...; return the other side's columns.

    Its tests are written, and some more if need be.
    """
    names: dict[str, str] = {}
    waiting = [(f"c{c}", term) for c, term in enumerate(source.terms)]
    equal = [t for t in equation.tests if isinstance(t, Linear) and t.relation == "=="]
    waiting += [("0", t.left) for t in equal]
    unknown: list[str] = []
    while waiting:
        before = len(waiting)
        for pair in list(waiting):
            value, term = pair
            unknown = [x for x in term.names if x != "n" and not x.startswith("'") and x not in names]
            if len(unknown) > 1:
                continue
            waiting.remove(pair)
            if unknown:
                _solve(unknown[0], value, term, names, program.symbols, out)
            else:
                out.open(f"if {value} == {term_text(term, names, program.symbols)}:")
        if len(waiting) == before:
            break
    missing = {x for t in target.terms for x in t.names if x != "n" and not x.startswith("'")} - set(names)
    if waiting or missing:
        raise NotLowerable("an equation of which one side does not determine the other")
    for test in (*equation.tests, *also):
        if test in equal:
            continue
        text = (
            linear_text(test, names, program.symbols)
            if isinstance(test, Linear)
            else any_of_text(test, names, program.symbols)
        )
        out.open(f"if {text}:")
    return [term_text(t, names, program.symbols) for t in target.terms]


def _solve(
    name: str, value: str, term: Affine, names: dict[str, str], symbols: Sequence[str], out: Lines
) -> None:
    k = term.coefficient(name)
    rest = term_text(term - variable(name) * k, names, symbols)
    text = value if rest == "0" else f"{value} - ({rest})"
    if k == -1:
        text = f"-({text})"
    elif k != 1:
        out.open(f"if ({text}) % {abs(k)} == 0:")
        text = f"({text}) // {k}"
    local = f"s{len(names)}"
    out.line(f"{local} = {text}")
    names[name] = local
