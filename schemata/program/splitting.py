"""Kinds split by a column: where an item form says that it equals one of several others, each of these is a kind.

    tree[i, j, h], 0 <= i <= j <= n, h == i or h == j
        tree(h = i) with columns i, j, 0 <= i <= j <= n
        tree(h = j) with columns i, j, 0 <= i < j <= n

So the column is none any more: tables are smaller by a dimension, and loops along it are gone. The kinds have no item
in common. Rules are written for every choice of kinds, and those that no values fulfil, or whose consequent is one of
the antecedents, are left out. Items and step instances stay the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeVar

from schemata.program.facts import conditions_of, facts_of, follows, simplified
from schemata.program.linear import Affine, AnyOf, Linear, Test, solved, variable
from schemata.program.model import Atom, ColumnShape, Final, Kind, Parts, Program, Rule, Shape
from schemata.quick_dataclasses import Record, replace

T = TypeVar("T")

_KINDS = 4  # that one kind may become


class _Part(Record):
    """A kind that a column is dropped from: the number of the column and of the one that it equals."""

    kind: Kind
    dropped: int
    same: int

    def atom(self, atom: Atom) -> tuple[Atom, list[Linear]]:
        """Return an item of the whole kind as one of this kind, with the test that it is."""
        equal = Linear("==", atom.terms[self.dropped] - atom.terms[self.same])
        return Atom(self.kind.number, _without(atom.terms, self.dropped)), [equal] if equal.left.terms else []

    def fits(self, atom: Atom) -> bool:
        """Whether the two columns may be equal in an item."""
        left = atom.terms[self.dropped] - atom.terms[self.same]
        return bool(left.terms) or not left.constant


def with_split_kinds(program: Program) -> Program:
    """Return a program in which no kind has a column that always equals one of two to four others."""
    kinds: list[Kind] = []
    parts: list[list[_Part | int]] = []
    for kind in program.kinds:
        found = [] if program.equations.get(kind.form) else list(_parts(kind))
        if len(found) < 2:
            parts.append([len(kinds)])
            kinds.append(replace(kind, number=len(kinds)))
            continue
        numbered = [replace(p, kind=replace(p.kind, number=len(kinds) + k)) for k, p in enumerate(found)]
        parts.append([*numbered])
        kinds += [part.kind for part in numbered]
    if len(kinds) == len(program.kinds):
        return program
    rules = [rule for whole in program.rules for rule in _rules(kinds, parts, whole)]
    equations = {
        form: tuple(
            replace(e, left=_renumbered(parts, e.left), right=_renumbered(parts, e.right)) for e in row
        )
        for form, row in program.equations.items()
    }
    return replace(
        program,
        kinds=tuple(kinds),
        rules=tuple(replace(rule, number=k) for k, rule in enumerate(rules)),
        equations=equations,
        finals=tuple(f for whole in program.finals for f in _clauses(kinds, parts, whole)),
        hypotheses=tuple(h for whole in program.hypotheses for h in _clauses(kinds, parts, whole)),
    )


def _parts(kind: Kind) -> Iterator[_Part]:
    """Yield the kinds into which one splits by the last of its columns that always equals one of several others."""
    for condition in kind.conditions:
        if not isinstance(condition, AnyOf) or not 2 <= len(condition.options) <= _KINDS:
            continue
        for dropped in reversed(range(len(kind.columns))):
            others = [_equal(kind, option, dropped) for option in condition.options]
            if None not in others and kind.columns[dropped].sort == "position":
                break
        else:
            continue
        name, columns = kind.columns[dropped].name, kind.columns
        same = [other for other in dict.fromkeys(others) if other is not None]
        rest = [test for test in kind.conditions if test is not condition]
        for k, other in enumerate(same):
            given = {name: variable(columns[other].name)}
            tests = [test.substitute(given) for test in rest]
            earlier = [variable(columns[o].name) - variable(columns[other].name) for o in same[:k]]
            kept = simplified([], [*tests, *(_unequal(tests, left) for left in earlier)])
            if kept is None:
                continue
            conditions = tuple(test for test in kept if isinstance(test, Linear | AnyOf))
            note = f"{name} = {columns[other].name}"
            shown = f"{kind.name[:-1]}, {note})" if kind.name.endswith(")") else f"{kind.name}({note})"
            shapes = tuple(_shape(shape, dropped, other) for shape in kind.shapes)
            part = Kind(kind.number, kind.form, shown, shapes, _without(columns, dropped), conditions)
            yield _Part(part, dropped, other)
        return


def _equal(kind: Kind, option: Sequence[Linear], column: int) -> int | None:
    """Return the column that a column equals if an option says so, and nothing else."""
    if len(option) != 1 or option[0].relation != "==":
        return None
    left = option[0].left
    own = variable(kind.columns[column].name)
    for k, other in enumerate(kind.columns):
        if k != column and left in (own - variable(other.name), variable(other.name) - own):
            return k
    return None


def _unequal(known: Sequence[Test], left: Affine) -> Linear:
    """Return that a term is not 0: that it is above or below where it is known which."""
    facts = facts_of(known)
    for side in (left, -left):
        if follows(facts, side):
            return Linear(">=", side - 1)
    return Linear("!=", left)


def _shape(shape: Shape, dropped: int, same: int) -> Shape:
    """Return a shape in which one column takes the place of another."""
    match shape:
        case ColumnShape(k):
            k = same if k == dropped else k
            return ColumnShape(k - (k > dropped))
        case Parts(parts):
            return Parts(tuple(_shape(part, dropped, same) for part in parts))
    return shape


def _without(row: Sequence[T], dropped: int) -> tuple[T, ...]:
    return (*row[:dropped], *row[dropped + 1 :])


def _renumbered(parts: Sequence[Sequence[_Part | int]], atom: Atom) -> Atom:
    (number,) = parts[atom.kind]
    assert isinstance(number, int)
    return Atom(number, atom.terms)


def _choices(
    parts: Sequence[Sequence[_Part | int]], atoms: Sequence[Atom]
) -> Iterator[tuple[list[Atom], list[Linear]]]:
    """Yield items as items of split kinds in every way, with the tests that they are."""
    for choice in itertools.product(*(parts[atom.kind] for atom in atoms)):
        found: list[Atom] = []
        tests: list[Linear] = []
        for atom, part in zip(atoms, choice, strict=True):
            if isinstance(part, int):
                found.append(Atom(part, atom.terms))
            elif part.fits(atom):
                one, equal = part.atom(atom)
                found.append(one)
                tests += equal
        if len(found) == len(atoms):
            yield found, tests


def _rules(kinds: Sequence[Kind], parts: Sequence[Sequence[_Part | int]], whole: Rule) -> Iterator[Rule]:
    for atoms, equal in _choices(parts, [*whole.antecedents, whole.consequent]):
        given, rest = solved([test.left for test in equal], whole.variables)
        *antecedents, consequent = (atom.substitute(given) for atom in atoms)
        known = [test for atom in antecedents for test in conditions_of(kinds, atom)]
        tests: list[Test] = [test.substitute(given) for test in whole.tests]
        tests += [Linear("==", left) for left in rest if left.terms]
        kept = simplified(known, [*tests, *conditions_of(kinds, consequent)])
        if kept is None or consequent in antecedents or any(not x.terms and x.constant for x in rest):
            continue
        links = tuple(tuple(term.substitute(given) for term in link) for link in whole.links)
        yield replace(whole, antecedents=tuple(antecedents), consequent=consequent, tests=kept, links=links)


def _clauses(kinds: Sequence[Kind], parts: Sequence[Sequence[_Part | int]], whole: Final) -> Iterator[Final]:
    some = Linear(">=", variable("n") - 1)
    for (atom,), equal in _choices(parts, [whole.atom]):
        given, rest = solved(
            [test.left for test in equal], [x for term in whole.atom.terms for x in term.variables]
        )
        tests = [test.substitute(given) for test in whole.tests] + [Linear("==", left) for left in rest]
        chosen = atom.substitute(given)
        if simplified([some, *conditions_of(kinds, chosen)], tests) is not None:
            yield Final(chosen, tuple(tests), tuple(test.substitute(given) for test in whole.asks))
