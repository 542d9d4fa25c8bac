"""Differences of variables, closed under addition and extended one test at a time: a quick, one-sided check.

Where a conjunction of tests is found impossible here, it is impossible for all integers. Tests that are no
differences are passed over, so that the answer "possible" is not certain.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemata.engine.order.logic import granted
from schemata.program.facts import difference
from schemata.program.linear import Affine, AnyOf, CategoryOf, Licence, Linear, Test

__all__ = ["Differences", "options_of"]

FAR = 1 << 40
OPTIONS = 64  # combinations of disjuncts that are looked at one by one


@dataclass(slots=True)
class Differences:
    """Upper bounds of ``x - y`` for all pairs of some variables, ``0`` and ``n``; n >= 1 is known."""

    index: Mapping[str, int]
    rows: list[list[int]]

    @staticmethod
    def of(names: Iterable[str]) -> Differences:
        """Return what is known of variables before any test."""
        index = {x: k for k, x in enumerate(dict.fromkeys(("0", "n", *names)))}
        rows = [[0 if a == b else FAR for b in range(len(index))] for a in range(len(index))]
        found = Differences(index, rows)
        assert found.learn("0", "n", -1)
        return found

    def copy(self) -> Differences:
        """Return a copy that can be extended on its own."""
        return Differences(self.index, [row[:] for row in self.rows])

    def learn(self, x: str, y: str, c: int) -> bool:
        """Add ``x - y <= c``; False where it contradicts what is known."""
        rows = self.rows
        a, b = self.index[x], self.index[y]
        if rows[a][b] <= c:
            return True
        if rows[b][a] < FAR and rows[b][a] + c < 0:
            return False
        onward = [(k, more) for k, more in enumerate(rows[b]) if more < FAR]
        for row in rows:
            if row[a] < FAR:
                here = row[a] + c
                for k, more in onward:
                    row[k] = min(row[k], here + more)
        return True

    def add(self, test: Linear) -> bool:
        """Add a test; False where it contradicts what is known. Those that are no differences say nothing."""
        match test.relation:
            case ">=":
                fact = difference(test.left)
                if fact is None:
                    return bool(test.left.terms) or test.left.constant >= 0
                return self.learn(*fact)
            case "==":
                return self.add(Linear(">=", test.left)) and self.add(Linear(">=", -test.left))
        return not (self.follows(Linear(">=", test.left)) and self.follows(Linear(">=", -test.left)))

    def add_all(self, tests: Iterable[Linear]) -> bool:
        """Add tests; False where they contradict what is known or each other."""
        return all(self.add(test) for test in tests)

    def follows(self, test: Linear) -> bool:
        """Whether a test ``left >= 0`` follows from what is known."""
        fact = difference(test.left)
        if fact is None:
            return not test.left.terms and test.left.constant >= 0
        x, y, c = fact
        return x in self.index and y in self.index and self.rows[self.index[x]][self.index[y]] <= c

    def bounded(self, name: str) -> bool:
        """Whether a variable is bounded from both sides by numbers and n."""
        a = self.index[name]
        ends = (self.index["0"], self.index["n"])
        return any(self.rows[a][e] < FAR for e in ends) and any(self.rows[e][a] < FAR for e in ends)


def options_of(tests: Sequence[Test]) -> list[tuple[Linear, ...]]:
    """Return conjunctions of linear tests of which one holds wherever all the tests hold."""
    plain: list[Linear] = []
    choices: list[tuple[tuple[Linear, ...], ...]] = []
    for test in tests:
        match test:
            case Linear("!=", left):
                choices.append(_sides(left))
            case Linear():
                plain.append(test)
            case AnyOf(options):
                choices.append(options)
            case Licence() | CategoryOf():
                for fact in granted(test):
                    if fact.relation == "!=":
                        choices.append(_sides(fact.left))
                    else:
                        plain.append(fact)
    while choices and len(list(itertools.islice(itertools.product(*choices), OPTIONS + 1))) > OPTIONS:
        choices.remove(max(choices, key=len))
    return [(*plain, *(t for option in chosen for t in option)) for chosen in itertools.product(*choices)]


def _sides(left: Affine) -> tuple[tuple[Linear, ...], ...]:
    """Return ``left != 0`` as a disjunction."""
    return (Linear(">=", left - 1),), (Linear(">=", -left - 1),)
