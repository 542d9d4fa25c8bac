"""Facts `x - y <= c` about positions: a difference-bound matrix, and the facts that conditions state.

Used by the checker, which reports rules whose conditions contradict each other, and by planners, which drop
tests that the antecedents already guarantee. Both uses are safe: a proved fact holds for every n >= 1; a fact
that is not proved is tested in the run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from schemata.language import model as m
from schemata.language.substitute import fold, linear_form, sum_of

ZERO = "0"
Difference: TypeAlias = tuple[str, str, int]  # x, y, c: x - y <= c
_Known: TypeAlias = "tuple[Bounds, dict[str, bool]]"  # what follows from some conditions; flags by name
_BRANCHES = 64  # alternatives that are tried; beyond, conditions with `or` are passed over


@dataclass(slots=True)
class Bounds:
    """A set of difference facts, closed under addition.

    Variables are any hashable values; `0` stands for zero, and of `n` it is known that n >= 1.

    >>> facts = Bounds()
    >>> facts.learn([("i", "j", 0), ("j", "k", -1)])
    >>> facts.proves([("i", "k", 0)]), facts.proves([("k", "i", 0)])
    (True, False)
    >>> facts.learn([("k", "n", 0)])
    >>> facts.highest("i"), facts.lowest("i")
    ({'n': -1}, {})
    """

    # The least c known for x - y <= c, by x and y.
    _least: dict[Hashable, dict[Hashable, int]] = field(default_factory=lambda: {ZERO: {"n": -1}})
    _contradictory: bool = False

    def copy(self) -> Bounds:
        """Return a copy that can be extended on its own."""
        return Bounds({x: dict(row) for x, row in self._least.items()}, self._contradictory)

    def learn(self, facts: Iterable[tuple[Hashable, Hashable, int]]) -> None:
        """Add facts."""
        for x, y, c in facts:
            self._contradictory = self._contradictory or (x == y and c < 0)
            known = self.distance(x, y)
            if self._contradictory or (known is not None and known <= c):
                continue
            before = [(a, row[x]) for a, row in self._least.items() if x in row]
            after = list(self._least.get(y, {}).items())
            for (a, one), (b, two) in itertools.product([*before, (x, 0)], [*after, (y, 0)]):
                total = one + c + two
                if a == b:
                    self._contradictory = self._contradictory or total < 0
                else:
                    row = self._least.setdefault(a, {})
                    row[b] = min(total, row.get(b, total))

    def distance(self, x: Hashable, y: Hashable) -> int | None:
        """Return the least c for which x - y <= c is known; None where there is none or facts contradict."""
        if self._contradictory:
            return None
        return 0 if x == y else self._least.get(x, {}).get(y)

    def names(self) -> list[Hashable]:
        """Return the variables that something is known of."""
        return list(dict.fromkeys((*self._least, *(y for row in self._least.values() for y in row))))

    def among(self, names: Collection[Hashable]) -> Bounds:
        """Return the facts about some variables alone."""
        rows = ((x, self._least[x]) for x in self._least if x in names)
        kept = {x: {y: c for y, c in row.items() if y in names} for x, row in rows}
        return Bounds(kept, self._contradictory)

    def facts(self) -> list[tuple[Hashable, Hashable, int]]:
        """Return all facts."""
        return [(x, y, c) for x, row in self._least.items() for y, c in row.items()]

    def proves(self, goals: Iterable[tuple[Hashable, Hashable, int]]) -> bool:
        """Whether every goal follows from the facts."""
        return all((known := self.distance(x, y)) is not None and known <= c for x, y, c in goals)

    def contradictory(self) -> bool:
        """Whether no assignment of integers fulfils the facts."""
        return self._contradictory

    def lowest(self, x: Hashable) -> dict[str, int]:
        """Return what is known of a variable from below: the c for which x >= 0 + c, and x >= n + c."""
        return {base: -c for base in (ZERO, "n") if (c := self.distance(base, x)) is not None}

    def highest(self, x: Hashable) -> dict[str, int]:
        """Return what is known of a variable from above: the c for which x <= 0 + c, and x <= n + c."""
        return {base: c for base in (ZERO, "n") if (c := self.distance(x, base)) is not None}


def difference_of(constant: int, terms: Iterable[tuple[str, int]]) -> Difference | None:
    """Return `constant + sum of coefficient * variable <= 0` as a fact, or None where it is not one.

    >>> difference_of(1, [("i", 1), ("j", -1)])
    ('i', 'j', -1)
    """
    named = {1: ZERO, -1: ZERO}
    for name, coefficient in terms:
        if named.get(coefficient) != ZERO:
            return None
        named[coefficient] = name
    return named[1], named[-1], -constant


def differences(condition: m.Condition) -> Sequence[Difference] | None:
    """Return a condition as an equivalent conjunction of difference facts, or None where it is not one."""
    match condition:
        case m.Junction("and", parts):
            return _all(*map(differences, parts))
        case m.Compare("<=" | "<" as relation, left, right):
            return _at_most(left, right, 0 if relation == "<=" else -1)
        case m.Not(m.Compare("<=" | "<" as relation, left, right)):
            return _at_most(right, left, -1 if relation == "<=" else 0)
        case m.Compare("==", left, right):
            return _all(_at_most(left, right, 0), _at_most(right, left, 0))
        case m.Member(element, m.Interval(low, high)):
            return _all(_at_most(low, element, 0), _at_most(element, high, 0))
    return None


def _all(*parts: Sequence[Difference] | None) -> Sequence[Difference] | None:
    known = [part for part in parts if part is not None]
    return list(itertools.chain(*known)) if len(known) == len(parts) else None


def implied(condition: m.Condition) -> Sequence[Difference]:
    """Return difference facts that follow from a condition (all of it or only a part)."""
    match condition:
        case m.Junction("and", parts):
            return [fact for part in parts for fact in implied(part)]
        case m.Member(element, m.Without(left, _)):
            return implied(m.Member(element, left))
    return differences(condition) or ()


def _at_most(left: m.Term, right: m.Term, c: int) -> Sequence[Difference] | None:
    """Return left - right <= c as a difference fact, or None where it has another shape."""
    for term in (left, right):
        match term:
            case m.Lit(bool()) | m.Var(_, True):
                return None
    form = linear_form(sum_of(-c, [(left, 1), (right, -1)]))
    if form is None:
        return None
    named = [(f"length {x.name}" if isinstance(x, m.Length) else x.name, k) for x, k in form[1]]
    fact = difference_of(form[0], named)
    return [fact] if fact else None


def impossible(conditions: Sequence[m.Condition]) -> bool:
    """Whether no assignment of integers and flags makes all conditions true; False where that is open.

    >>> i, j = m.Var("i"), m.Var("j")
    >>> impossible([m.Compare("<", i, j), m.Compare("<", j, i)])
    True
    >>> impossible([m.Junction("or", (m.Var("b"), m.Var("c"))), m.Not(m.Var("b"))])
    False
    """
    branches: list[_Known] = [(Bounds(), {})]
    for alternatives in sorted((_alternatives(c, True) for c in conditions), key=len):
        if len(branches) * len(alternatives) <= _BRANCHES:
            pairs = itertools.product(branches, alternatives)
            branches = [known for b, a in pairs if (known := _assume(*b, a)) is not None]
    return not branches


def _alternatives(condition: m.Condition, wanted: bool) -> list[list[m.Condition]]:
    """Return a condition (or its opposite) as alternatives, each a list of simple conditions."""
    match condition:
        case m.Not(operand):
            return _alternatives(operand, not wanted)
        case m.Junction(word, operands):
            parts = [_alternatives(o, wanted) for o in operands]
            if (word == "or") == wanted:
                return [alternative for part in parts for alternative in part]
            if math.prod(map(len, parts)) > _BRANCHES:
                parts = [p for p in parts if len(p) == 1]
            return [[x for a in choice for x in a] for choice in itertools.product(*parts)]
        case m.Lit(bool() as value):
            return [[]] if value == wanted else []
        case m.HasFact():
            return [[]]
    return [[condition if wanted else m.Not(condition)]]


def _assume(facts: Bounds, flags: Mapping[str, bool], conditions: Iterable[m.Condition]) -> _Known | None:
    """Return what is known once simple conditions hold as well; None where that is impossible."""
    facts, flags = facts.copy(), dict(flags)
    for condition in conditions:
        match condition:
            case m.Var(name) | m.Not(m.Var(name)):
                value = isinstance(condition, m.Var)
                if flags.setdefault(name, value) != value:
                    return None
            case m.IsAbsent(m.Lit()) | m.Not(m.IsAbsent(m.Lit())):
                if fold(condition) == m.Lit(False):
                    return None
            case m.Compare("<=" | "<", m.Lit(None), _) | m.Compare("<=" | "<", _, m.Lit(None)):
                return None
            case m.Member(_, m.Interval(m.Lit(None), _) | m.Interval(_, m.Lit(None))):
                return None
            case _:
                facts.learn(implied(condition))
    return None if facts.contradictory() else (facts, flags)
