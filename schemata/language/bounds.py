"""What is known of positions by their differences: facts `x - y <= c`, closed under addition.

Used twice: the checker reports rules whose conditions contradict each other, and the planner drops tests that
the antecedents already guarantee. Both directions are safe: what is proved holds for every n >= 1; what is
not proved is tested.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from schemata.language import model as m

__all__ = ["Bounds", "differences"]

ZERO = "0"
_BRANCHES = 64  # alternatives that are tried; beyond, conditions with `or` are passed over
Difference = tuple[str, str, int]  # x, y, c: x - y <= c


@dataclass(slots=True)
class Bounds:
    """A set of difference facts; nodes are variable names, `0` and `n`, and n >= 1 is known.

    >>> facts = Bounds()
    >>> facts.learn([("i", "j", 0), ("j", "k", -1)])
    >>> facts.proves([("i", "k", 0)]), facts.proves([("k", "i", 0)])
    (True, False)
    """

    _edges: dict[str, dict[str, int]] = field(default_factory=lambda: {ZERO: {"n": -1}})

    def learn(self, facts: Iterable[Difference]) -> None:
        """Add facts."""
        for x, y, c in facts:
            row = self._edges.setdefault(x, {})
            row[y] = min(c, row.get(y, c))

    def distance(self, x: str, y: str) -> int | None:
        """Return the least c for which x - y <= c is known; None where there is none or facts contradict."""
        best = {x: 0}
        for _ in range(len(self._edges) + 2):
            changed = False
            for node, here in list(best.items()):
                for other, cost in self._edges.get(node, {}).items():
                    total = here + cost
                    if other not in best or total < best[other]:
                        best[other] = total
                        changed = True
            if not changed:
                return best.get(y)
        return None

    def proves(self, goals: Iterable[Difference]) -> bool:
        """Whether every goal follows from the facts."""
        for x, y, c in goals:
            known = 0 if x == y else self.distance(x, y)
            if known is None or known > c:
                return False
        return True

    def contradictory(self) -> bool:
        """Whether no assignment of integers fulfils the facts."""
        nodes = set(self._edges) | {y for row in self._edges.values() for y in row}
        best = dict.fromkeys(nodes, 0)
        for _ in range(len(nodes) + 1):
            changed = False
            for x, row in self._edges.items():
                for y, c in row.items():
                    if best[x] + c < best[y]:
                        best[y] = best[x] + c
                        changed = True
            if not changed:
                return False
        return True


def differences(condition: m.Condition) -> Sequence[Difference] | None:
    """Return a condition as an equivalent conjunction of difference facts, or None where it is not one."""
    match condition:
        case m.Junction("and", parts):
            found: list[Difference] = []
            for part in parts:
                inner = differences(part)
                if inner is None:
                    return None
                found += inner
            return found
        case m.Compare("<=", left, right):
            return _at_most(left, right, 0)
        case m.Compare("<", left, right):
            return _at_most(left, right, -1)
        case m.Compare("==", left, right):
            one, two = _at_most(left, right, 0), _at_most(right, left, 0)
            return None if one is None or two is None else (*one, *two)
        case m.Member(element, m.Interval(low, high)):
            one, two = _at_most(low, element, 0), _at_most(element, high, 0)
            return None if one is None or two is None else (*one, *two)
        case m.Not(m.Compare("<=", left, right)):
            return _at_most(right, left, -1)
        case m.Not(m.Compare("<", left, right)):
            return _at_most(right, left, 0)
    return None


def implied(condition: m.Condition) -> Sequence[Difference]:
    """Return difference facts that follow from a condition (all of it or only a part)."""
    match condition:
        case m.Junction("and", parts):
            return [fact for part in parts for fact in implied(part)]
        case m.Member(element, m.Without(left, _)):
            return implied(m.Member(element, left))
    return differences(condition) or ()


def _at_most(left: m.Term, right: m.Term, c: int) -> tuple[Difference, ...] | None:
    """Return left - right <= c as a difference fact, or None where it has another shape."""
    total: dict[m.Var | m.Length, int] = {}
    constant = 0
    for sign, term in ((1, left), (-1, right)):
        match term:
            case m.Lit(int() as number) if not isinstance(number, bool):
                constant += sign * number
            case m.Var(_, False) | m.Length():
                total[term] = total.get(term, 0) + sign
            case m.Linear(number, atoms):
                constant += sign * number
                for atom, coefficient in atoms:
                    total[atom] = total.get(atom, 0) + sign * coefficient
            case _:
                return None
    c -= constant
    kept = {_node(atom): k for atom, k in total.items() if k}
    plus = [x for x, k in kept.items() if k == 1]
    minus = [x for x, k in kept.items() if k == -1]
    if len(plus) + len(minus) != len(kept) or len(plus) > 1 or len(minus) > 1:
        return None
    return ((plus[0] if plus else ZERO, minus[0] if minus else ZERO, c),)


def _node(atom: m.Var | m.Length) -> str:
    return f"length {atom.name}" if isinstance(atom, m.Length) else atom.name


def impossible(conditions: Sequence[m.Condition]) -> bool:
    """Whether no assignment of integers and flags makes all conditions true; False where that is open.

    >>> i, j = m.Var("i"), m.Var("j")
    >>> impossible([m.Compare("<", i, j), m.Compare("<", j, i)])
    True
    >>> impossible([m.Junction("or", (m.Var("b"), m.Var("c"))), m.Not(m.Var("b"))])
    False
    """
    branches: list[list[m.Condition]] = [[]]
    for alternatives in sorted((_alternatives(c, True) for c in conditions), key=len):
        if len(branches) * len(alternatives) > _BRANCHES:
            continue
        branches = [[*b, *a] for b, a in itertools.product(branches, alternatives)]
        branches = [b for b in branches if not _clash(b)]
        if not branches:
            return True
    return False


def _alternatives(condition: m.Condition, wanted: bool) -> list[list[m.Condition]]:
    """Return a condition (or its opposite) as alternatives, each a list of simple conditions."""
    match condition:
        case m.Not(operand):
            return _alternatives(operand, not wanted)
        case m.Junction(word, operands):
            parts = [_alternatives(o, wanted) for o in operands]
            if (word == "or") == wanted:
                return [alternative for part in parts for alternative in part]
            count = 1
            for part in parts:
                count *= len(part)
            if count > _BRANCHES:
                parts = [p for p in parts if len(p) == 1]
            return [[x for a in choice for x in a] for choice in itertools.product(*parts)]
        case m.Lit(bool() as value):
            return [[]] if value == wanted else []
        case _ if isinstance(condition, m.GRAMMAR_CONDITIONS):
            return [[]]
    return [[condition if wanted else m.Not(condition)]]


def _clash(conditions: Iterable[m.Condition]) -> bool:
    """Whether simple conditions contradict each other."""
    facts = Bounds()
    flags: dict[str, bool] = {}
    for condition in conditions:
        match condition:
            case m.Var(name):
                if flags.setdefault(name, True) is False:
                    return True
            case m.Not(m.Var(name)):
                if flags.setdefault(name, False) is True:
                    return True
            case m.IsAbsent(m.Lit(value)):
                if value is not None:
                    return True
            case m.Not(m.IsAbsent(m.Lit(None))):
                return True
            case m.Compare("<=" | "<", m.Lit(None), _) | m.Compare("<=" | "<", _, m.Lit(None)):
                return True
            case m.Member(_, m.Interval(m.Lit(None), _) | m.Interval(_, m.Lit(None))):
                return True
            case _:
                facts.learn(implied(condition))
    return facts.contradictory()
