"""Conditions as alternatives, and facts `x - y <= c` about positions: a difference-bound matrix.

Used by the checker, which reports rules whose conditions contradict each other, and by planners, which drop
tests that the antecedents already guarantee. Both uses are safe: a proved fact holds for every n >= 1; a fact
that is not proved is tested in the run. Lowering makes linear tests of conditions by the same alternatives.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from schemata.language import model as m
from schemata.language.substitute import linear_form, sum_of
from schemata.records import Record, remembered
from schemata.thresholds import WAYS

T = TypeVar("T")
ZERO = "0"
DifferenceBound: TypeAlias = tuple[str, str, int]  # x, y, c: x - y <= c


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

    def extended(self, facts: Iterable[tuple[Hashable, Hashable, int]]) -> Bounds | None:
        """Return the facts with others; None if they contradict each other."""
        facts = list(facts)
        if any((back := self.distance(y, x)) is not None and back + c < 0 for x, y, c in facts):
            return None
        found = self.copy()
        found.learn(facts)
        return None if found._contradictory else found

    def distance(self, x: Hashable, y: Hashable) -> int | None:
        """Return the least c for which x - y <= c follows; None if no bound follows or the facts
        contradict.
        """
        if self._contradictory:
            return None
        return 0 if x == y else self._least.get(x, {}).get(y)

    def names(self) -> list[Hashable]:
        """Return the variables that the facts mention."""
        return list(dict.fromkeys((*self._least, *(y for row in self._least.values() for y in row))))

    def among(self, names: Collection[Hashable]) -> Bounds:
        """Return the facts that mention only some variables."""
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
        """Return the lower bounds of a variable: the c for which x >= 0 + c, and x >= n + c."""
        return {base: -c for base in (ZERO, "n") if (c := self.distance(base, x)) is not None}

    def highest(self, x: Hashable) -> dict[str, int]:
        """Return the upper bounds of a variable: the c for which x <= 0 + c, and x <= n + c."""
        return {base: c for base in (ZERO, "n") if (c := self.distance(x, base)) is not None}


# Conditions as alternatives ----------------------------------------------------------------------------------


Options: TypeAlias = tuple[tuple[T, ...], ...]  # conjunctions of tests, of which one holds
TRUE: Options[Any] = ((),)
FALSE: Options[Any] = ()


class NotLinear(Exception):  # noqa: N818 - an answer, not a mistake: the condition becomes a query
    """A condition has no linear form, or becomes too many alternatives."""


class Alternatives(Record, Generic[T]):
    """A translation of conditions into alternatives: a condition holds if all tests of one alternative hold.

    `test` returns the alternatives for ``left + gap <= right``, and with a gap of 0 for ``left == right`` and ``!=``.
    With `rough`, conditions without a linear form are passed over, so that the alternatives say less than the whole.
    """

    test: Callable[[str, m.Term, m.Term, int], Options[T]]
    rough: bool = False

    def of(self, term: m.Condition, holds: bool = True) -> Options[T]:
        """Return a condition, or its opposite, as alternatives.

        Raises
        ------
        NotLinear : the condition has no linear form, and is not passed over.
        """
        try:
            return self._of(term, holds)
        except NotLinear:
            if not self.rough:
                raise
            return TRUE

    def _of(self, term: m.Condition, holds: bool) -> Options[T]:
        match term:
            case m.Lit(bool() as value):
                return TRUE if value == holds else FALSE
            case m.Not(operand):
                return self.of(operand, not holds)
            case m.Junction(word, operands):
                return _joined((word == "and") == holds, [self.of(operand, holds) for operand in operands])
            case m.IsAbsent(operand) if not _may_be_absent(operand):
                return TRUE if (operand == m.Lit(None)) == holds else FALSE
            case m.Compare("==" | "!=" as relation, left, right):
                return self._equal(left, right, holds == (relation == "=="))
            case m.Compare(_, left, right) if m.Lit(None) in (left, right):
                return FALSE if holds else TRUE  # an order with an absent value is false
            case m.Compare(relation, left, right):
                ends = (left, right) if holds else (right, left)
                return self.test("<=", *ends, int((relation == "<") == holds))
            case m.Member(element, m.Interval(low, high)):
                inside = m.Junction("and", (m.Compare("<=", low, element), m.Compare("<=", element, high)))
                return self.of(inside, holds)
            case m.Member(element, m.Without(left, m.Interval() as taken)):
                return self._outside(element, left, [taken], holds)
            case m.Member(element, m.Without(left, m.ListTerm(parts))):
                taken_ones = [m.Interval(*part.terms) for part in parts if isinstance(part, m.TupleTerm)]
                if len(taken_ones) == len(parts):
                    return self._outside(element, left, taken_ones, holds)
            case m.Var() if self.rough:  # a flag, which counts 1 or 0
                return self.test("<=", m.Lit(1), term, 0) if holds else self.test("<=", term, m.Lit(0), 0)
        raise NotLinear

    def _outside(
        self, element: m.Term, region: m.Region, taken: Sequence[m.Interval], holds: bool
    ) -> Options[T]:
        """The condition that an element is in a region, and in none of the intervals taken out of it."""
        outside = [self.of(m.Member(element, interval), not holds) for interval in taken]
        return _joined(holds, [self.of(m.Member(element, region), holds), *outside])

    def _equal(self, left: m.Term, right: m.Term, holds: bool) -> Options[T]:
        if m.Lit(None) in (left, right) and not any(map(_may_be_absent, (left, right))):
            return TRUE if (left == right) == holds else FALSE
        if left == m.Any() and not self.rough:  # of an arc, what is left open
            return TRUE if holds else FALSE
        for one, other in ((left, right), (right, left)):
            if isinstance(other, m.Lit) and isinstance(other.value, bool):
                return self.of(one, other.value == holds)
        match left, right:
            case ((m.TupleTerm(parts) | m.ListTerm(parts)), (m.TupleTerm(others) | m.ListTerm(others))):
                if len(parts) != len(others):
                    return FALSE if holds else TRUE
                return _joined(holds, [self._equal(a, b, holds) for a, b in zip(parts, others, strict=True)])
        return self.test("==" if holds else "!=", left, right, 0)


def _joined(conjunction: bool, parts: Sequence[Options[T]]) -> Options[T]:
    """Return the conjunction, or the disjunction, of alternatives.

    Raises
    ------
    NotLinear : they are too many.
    """
    if not conjunction and TRUE in parts:
        return TRUE
    found: Options[T] = TRUE if conjunction else FALSE
    for part in parts:
        if conjunction:
            found = tuple(dict.fromkeys((*a, *(t for t in b if t not in a)) for a in found for b in part))
        else:
            found = tuple(dict.fromkeys((*found, *part)))
        if len(found) > WAYS.alternatives:
            raise NotLinear
    return found


def _may_be_absent(term: m.Term) -> bool:
    return isinstance(term, m.Var) and term.optional


def differences(condition: m.Condition) -> Sequence[DifferenceBound] | None:
    """Return a condition as an equivalent conjunction of difference facts, or None if it is not one."""
    return _differences(condition, WAYS.alternatives)


@remembered
def _differences(condition: m.Condition, limit: int) -> Sequence[DifferenceBound] | None:
    try:
        options = _EXACT.of(condition)
    except NotLinear:
        return None
    return options[0] if len(options) == 1 else None


def implied(condition: m.Condition) -> Sequence[DifferenceBound]:
    """Return difference facts that follow from a condition (all of it or only a part)."""
    match condition:
        case m.Junction("and", parts):
            return [fact for part in parts for fact in implied(part)]
        case m.Member(element, m.Without(left, _)):
            return implied(m.Member(element, left))
    return differences(condition) or ()


def stated(conditions: Iterable[m.Condition]) -> Bounds:
    """Return the difference facts that follow from each of some conditions."""
    found = Bounds()
    found.learn(fact for condition in conditions for fact in implied(condition))
    return found


def _facts(relation: str, left: m.Term, right: m.Term, gap: int) -> Options[DifferenceBound]:
    """Return a test as facts about variables and lengths of lists.

    Raises
    ------
    NotLinear : the test is not linear, or a variable may be absent.
    """
    form = linear_form(sum_of(gap, [(left, 1), (right, -1)]))
    if form is None or relation == "!=" or any(map(_may_be_absent, (left, right))):
        raise NotLinear
    named = {1: ZERO, -1: ZERO}
    for x, coefficient in form[1]:
        if named.get(coefficient) != ZERO:
            raise NotLinear
        named[coefficient] = f"length {x.name}" if isinstance(x, m.Length) else x.name
    fact, back = (named[1], named[-1], -form[0]), (named[-1], named[1], form[0])
    return ((fact,) if relation == "<=" else (fact, back),)


_EXACT = Alternatives(_facts)
_ROUGH = Alternatives(_facts, rough=True)


def impossible(conditions: Sequence[m.Condition]) -> bool:
    """Whether no assignment of integers and flags makes all conditions true; False where that is open.

    >>> i, j = m.Var("i"), m.Var("j")
    >>> impossible([m.Compare("<", i, j), m.Compare("<", j, i)])
    True
    >>> impossible([m.Junction("or", (m.Var("b"), m.Var("c"))), m.Not(m.Var("b"))])
    False
    """
    return _impossible(tuple(conditions), WAYS.alternatives)


@remembered
def _impossible(conditions: tuple[m.Condition, ...], limit: int) -> bool:
    known = stated(conditions)
    branches = [] if known.contradictory() else [known]
    for options in sorted(map(_ROUGH.of, conditions), key=len):
        if len(branches) * len(options) <= limit:  # beyond, conditions with `or` are passed over
            pairs = itertools.product(branches, options)
            branches = [more for branch, facts in pairs if (more := branch.extended(facts)) is not None]
    return not branches
