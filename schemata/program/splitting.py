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
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from schemata.language.model import rewrite
from schemata.program.facts import conditions_of, facts_of, follows, simplified
from schemata.program.linear import Affine, AnyOf, Linear, Test, solved, variable
from schemata.program.model import Atom, ColumnShape, Final, Kind, Program, Rule
from schemata.quick_dataclasses import Record, replace

T = TypeVar("T")

_KINDS = 4  # that one kind may become


class _Part(Record):
    """A kind, and the number of the column that is dropped from it, with that of the one that it equals, if any."""

    kind: Kind
    dropped: int | None = None
    same: int = 0

    def atom(self, atom: Atom) -> tuple[Atom, list[Affine]]:
        """Return an item of the whole kind as one of this kind, with the term that is 0 if it is."""
        if self.dropped is None:
            return Atom(self.kind.number, atom.terms), []
        equal = atom.terms[self.dropped] - atom.terms[self.same]
        return Atom(self.kind.number, _without(atom.terms, self.dropped)), [equal]


Parts = Sequence[Sequence[_Part]]  # by number of the whole kind


def with_split_kinds(program: Program) -> Program:
    """Return a program in which no kind has a column that always equals one of two to four others."""
    parts: list[list[_Part]] = []
    kinds: list[Kind] = []
    for kind in program.kinds:
        found = [] if program.equations.get(kind.form) else list(_parts(kind))
        found = found if len(found) > 1 else [_Part(kind)]
        parts.append([replace(p, kind=replace(p.kind, number=k)) for k, p in enumerate(found, len(kinds))])
        kinds += [part.kind for part in parts[-1]]
    if len(kinds) == len(program.kinds):
        return program

    def renumbered(atom: Atom) -> Atom:
        return parts[atom.kind][0].atom(atom)[0]

    rules = [rule for whole in program.rules for rule in _rules(kinds, parts, whole)]
    return replace(
        program,
        kinds=tuple(kinds),
        rules=tuple(replace(rule, number=k) for k, rule in enumerate(rules)),
        equations={
            form: tuple(replace(e, left=renumbered(e.left), right=renumbered(e.right)) for e in row)
            for form, row in program.equations.items()
        },
        finals=tuple(f for whole in program.finals for f in _clauses(kinds, parts, whole)),
        hypotheses=tuple(h for whole in program.hypotheses for h in _clauses(kinds, parts, whole)),
    )


def _parts(kind: Kind) -> Iterator[_Part]:
    """Yield the kinds into which one splits by the last of its columns that always equals one of several others."""
    columns = kind.columns
    for condition in kind.conditions:
        if not isinstance(condition, AnyOf) or not 2 <= len(condition.options) <= _KINDS:
            continue
        for dropped in reversed(range(len(columns))):
            others = [_equal(kind, option, dropped) for option in condition.options]
            if None not in others and columns[dropped].sort == "position":
                break
        else:
            continue
        same = [other for other in dict.fromkeys(others) if other is not None]
        for k, other in enumerate(same):
            given = {columns[dropped].name: variable(columns[other].name)}
            tests = [test.substitute(given) for test in kind.conditions if test is not condition]
            earlier = [variable(columns[o].name) - variable(columns[other].name) for o in same[:k]]
            kept = simplified([], [*tests, *(_unequal(tests, left) for left in earlier)])
            if kept is None:
                continue
            conditions = tuple(test for test in kept if isinstance(test, Linear | AnyOf))
            note = f"{columns[dropped].name} = {columns[other].name}"
            shown = f"{kind.name[:-1]}, {note})" if kind.name.endswith(")") else f"{kind.name}({note})"
            shapes = rewrite(kind.shapes, partial(_moved, dropped, other))
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


def _moved(dropped: int, same: int, node: object) -> ColumnShape | None:
    """Return a column without the one that is dropped, in whose place is another."""
    if not isinstance(node, ColumnShape):
        return None
    column = same if node.column == dropped else node.column
    return ColumnShape(column - (column > dropped))


def _without(row: Sequence[T], dropped: int) -> tuple[T, ...]:
    return (*row[:dropped], *row[dropped + 1 :])


def _choices(
    parts: Parts, atoms: Sequence[Atom], names: Sequence[str]
) -> Iterator[tuple[list[Atom], Mapping[str, Affine], list[Linear]]]:
    """Yield items as items of split kinds in every way: with what that says of variables, and else demands."""
    for choice in itertools.product(*(parts[atom.kind] for atom in atoms)):
        found = [part.atom(atom) for part, atom in zip(choice, atoms, strict=True)]
        given, rest = solved([term for _, equal in found for term in equal], names)
        if all(left.terms or not left.constant for left in rest):
            tests = [Linear("==", left) for left in rest if left.terms]
            yield [atom.substitute(given) for atom, _ in found], given, tests


def _rules(kinds: Sequence[Kind], parts: Parts, whole: Rule) -> Iterator[Rule]:
    atoms = [*whole.antecedents, whole.consequent]
    for (*antecedents, consequent), given, equal in _choices(parts, atoms, whole.variables):
        known = [test for atom in antecedents for test in conditions_of(kinds, atom)]
        tests = [*(test.substitute(given) for test in whole.tests), *equal]
        kept = simplified(known, [*tests, *conditions_of(kinds, consequent)])
        if kept is not None and consequent not in antecedents:
            links = tuple(tuple(term.substitute(given) for term in link) for link in whole.links)
            above = tuple(antecedents)
            yield replace(whole, antecedents=above, consequent=consequent, tests=kept, links=links)


def _clauses(kinds: Sequence[Kind], parts: Parts, whole: Final) -> Iterator[Final]:
    some = Linear(">=", variable("n") - 1)
    names = [x for term in whole.atom.terms for x in term.variables]
    for (atom,), given, equal in _choices(parts, [whole.atom], names):
        tests = (*(test.substitute(given) for test in whole.tests), *equal)
        if simplified([some, *conditions_of(kinds, atom)], tests) is not None:
            yield Final(atom, tests, tuple(test.substitute(given) for test in whole.asks))
