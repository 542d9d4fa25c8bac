"""Test cases for context-free schemata: small grammars under which each constituent tree should be derived once.

Every word has one category, so that a tree has one choice of rules, and two derivations of it are the schema's doing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any, TypeAlias

from schemata.engine.chart import Chart
from schemata.forest.constituents import Brackets
from schemata.grammars.rules import ContextFreeGrammar, RuleSentenceGrammar
from schemata.quick_dataclasses import Record, replace
from schemata.structures import Sentence
from schemata.structures.constituents import ConstituentTree

RANDOM_GRAMMARS = 20
"""The number of random grammars for each length."""

Rules: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]


class ConstituentCase(Record):
    """The rules of a grammar with start symbol S, and the categories of a sentence's words, one each."""

    rules: Rules
    categories: tuple[str, ...]

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.categories)

    @property
    def words(self) -> tuple[str, ...]:
        """The words, all different."""
        return tuple(f"w{k}" for k in range(1, self.n + 1))

    @property
    def key(self) -> tuple[object, ...]:
        """The order of cases: fewer words, then fewer and shorter rules first."""
        return self.n, len(self.rules), sum(len(body) for _, body in self.rules), self.rules, self.categories

    def provide(self) -> RuleSentenceGrammar:
        """Return what a kernel asks of the grammar."""
        words = {word: [name] for word, name in zip(self.words, self.categories, strict=True)}
        return ContextFreeGrammar.of(self.rules, "S", words).for_sentence(Sentence(self.words))

    def to_json(self) -> dict[str, Any]:
        """Return the case as a JSON object."""
        rules = [f"{lhs} -> {' '.join(body)}" for lhs, body in self.rules]
        return {"rules": rules, "categories": list(self.categories)}


def small_cases(n: int) -> Iterator[ConstituentCase]:
    """Yield the plainest grammars: all binary trees, all of two and three branches, two categories, one unary rule."""
    word = ("S", ("t",))
    pairs, triples = ("S", ("S", "S")), ("S", ("S", "S", "S"))
    both: Rules = tuple((x, (y, z)) for x, y, z in product("SA", repeat=3))
    for rules in (
        (word, pairs),
        (word, pairs, triples),
        (word, ("A", ("t",)), *(both if n < 5 else both[::3])),
        (("A", ("t",)), ("A", ("S", "A")), ("S", ("A",)), ("S", ("A", "S"))),
        (("S", ("t", "S")), ("S", ("S", "t")), word),
    ):
        yield ConstituentCase(tuple(sorted(rules)), ("t",) * n)


def random_case(n: int, seed: int, number: int) -> ConstituentCase:
    """Return random rules over three categories, for words of two; unary rules never lead back to a category."""
    rng = Random(f"constituents {seed} {n} {number}")
    rules = {("S", ("S", "S")), ("S", ("A",)), ("A", ("t",)), (rng.choice("SAB"), ("u",))}
    for _ in range(rng.randint(1, 5)):
        body = tuple(rng.choice("SABtu") for _ in range(rng.choice((2, 2, 3))))
        rules.add((rng.choice("SAB"), body))
    if rng.random() < 0.5:
        rules.add((rng.choice("SA"), ("B",)))
    return ConstituentCase(tuple(sorted(rules)), tuple(rng.choice("tu") for _ in range(n)))


def all_cases(n: int, seed: int) -> tuple[int, list[ConstituentCase]]:
    """Return the number of cases that test n words, and the cases."""
    cases = [*small_cases(n), *(random_case(n, seed, k) for k in range(RANDOM_GRAMMARS))]
    return len(cases), cases


def smaller_cases(case: ConstituentCase) -> Iterator[ConstituentCase]:
    """Yield the case without one of its rules."""
    rules = case.rules
    return (replace(case, rules=rules[:k] + rules[k + 1 :]) for k in range(len(rules)))


def reader(chart: Chart) -> tuple[Brackets, Callable[[Any], tuple[ConstituentTree, None] | None]] | None:
    """Return the states of trees, and what reads finished ones.

    None where trees would grow without end: all derivations are taken for those of one.
    """
    building = Brackets.of(chart)

    def read(state: Any) -> tuple[ConstituentTree, None] | None:
        nodes = building.structure(state)
        return None if nodes is None else (building.value(nodes), None)

    return None if chart.forest().cyclic else (building, read)
