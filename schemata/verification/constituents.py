"""Test cases for context-free schemata: small grammars, and all trees of a sentence by brute force.

Every word has one category, so that a tree has one choice of rules: if it has two derivations, the schema is the
reason. No constituent can stand above one of its own category over the same words: a sentence has finitely many
derivations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, product
from random import Random
from typing import Any, TypeAlias

from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.forest.structures import Atoms, Brackets, builds_nothing
from schemata.grammars.rules import ContextFreeGrammar, Rule, RuleSentenceGrammar
from schemata.grouping import reachable
from schemata.language import model as m
from schemata.records import Record, replace
from schemata.structures import Sentence
from schemata.structures.classes import OwnClass
from schemata.structures.constituents import Constituent, ConstituentTree
from schemata.thresholds import EFFORTS
from schemata.verification.progress import Outcome, Reader, Subject
from schemata.verification.verdicts import AnyStructure
from schemata.workbench import ParsingSchema

Rules: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]

_PLAIN = (
    *(("S", tuple(body)) for body in ("", "t", "u", "A", "SS", "St", "At", "tA")),
    *(("A", tuple(body)) for body in ("", "t", "S", "At", "tt")),
)


def _is_binary(tree: ConstituentTree) -> bool:
    """Whether each constituent is a word, or has two parts."""
    nodes = [node for top in tree.nodes for node in top.walk()]
    return all(len(x.parts) == 2 or (len(x.parts) == 1 and not x.children) for x in nodes)


CLASSES: Mapping[str, Callable[[ConstituentTree], bool]] = {
    "all": lambda tree: True,
    "non-empty": lambda tree: all(node.covered for top in tree.nodes for node in top.walk()),
    "binary": _is_binary,
}
"""Classes of constituent trees, each in the one before it; `non-empty` is about each constituent."""


class ConstituentCase(Record):
    """The rules of a grammar with start symbol S, and the categories of a sentence's words, one each."""

    rules: Rules
    categories: tuple[str, ...]

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.categories)

    def smaller(self) -> Iterator[ConstituentCase]:
        """Yield the case without one of its rules."""
        return (replace(self, rules=self.rules[:k] + self.rules[k + 1 :]) for k in range(len(self.rules)))

    @property
    def words(self) -> tuple[str, ...]:
        """The words, all different."""
        return tuple(f"w{k}" for k in range(1, self.n + 1))

    @property
    def key(self) -> tuple[object, ...]:
        """The order of cases: fewer words, then fewer, plainer and shorter rules first."""
        lengths = [len(body) for _, body in self.rules]
        return self.n, len(lengths), lengths.count(0), sum(lengths), self.rules, self.categories

    def provide(self) -> RuleSentenceGrammar:
        """Return the grammar in the form that a kernel reads."""
        words = {word: [name] for word, name in zip(self.words, self.categories, strict=True)}
        return ContextFreeGrammar.of(self.rules, "S", words).for_sentence(Sentence(self.words))

    def to_json(self) -> dict[str, Any]:
        """Return the case as a JSON object."""
        return {"rules": [str(Rule(*rule)) for rule in self.rules], "categories": list(self.categories)}


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
    """Return random rules over three categories, for words of two; no category leads back to itself alone."""
    rng = Random(f"constituents {seed} {n} {number}")
    rules = {("S", ("S", "S")), ("S", ("A",)), ("A", ("t",)), (rng.choice("SAB"), ("u",))}
    for _ in range(rng.randint(1, 5)):
        body = tuple(rng.choice("SABtu") for _ in range(rng.choice((2, 2, 3))))
        rules.add((rng.choice("SAB"), body))
    if rng.random() < 0.5:
        rules.add((rng.choice("SA"), ("B",)))
    categories = tuple(rng.choice("tu") for _ in range(n))
    more = {*rules, (rng.choice("AB"), ())}
    return ConstituentCase(
        tuple(sorted(more if rng.random() < 0.3 and _is_finite(more) else rules)), categories
    )


def plain_cases(n: int) -> Iterator[ConstituentCase]:
    """Yield all grammars of one or two plain rules, with each sentence over two categories."""
    for rules in (*combinations(_PLAIN, 1), *combinations(_PLAIN, 2)):
        plain = _is_finite(rules) and any(lhs == "S" for lhs, _ in rules)
        for categories in product("tu", repeat=n) if plain else ():
            yield ConstituentCase(tuple(sorted(rules)), categories)


def _is_finite(rules: Iterable[tuple[str, tuple[str, ...]]]) -> bool:
    """Whether no constituent can dominate one of its own category over the same words."""
    empty: set[str] = set()
    while more := {lhs for lhs, body in rules if empty.issuperset(body)} - empty:
        empty |= more
    over: dict[str, set[str]] = {}
    for lhs, body in rules:
        alone = {x for k, x in enumerate(body) if empty.issuperset(body[:k] + body[k + 1 :])}
        over.setdefault(lhs, set()).update(alone)
    return not any(x in reachable(over[x], lambda y: over.get(y, ())) for x in over)


def all_cases(n: int, seed: int) -> tuple[int, list[ConstituentCase]]:
    """Return the number of cases that test n words, and the cases."""
    plain = plain_cases(n) if n <= EFFORTS.exhaustive_brackets else ()
    cases = [*small_cases(n), *plain, *(random_case(n, seed, k) for k in range(EFFORTS.random_bracketings))]
    return len(cases), cases


@lru_cache(maxsize=16)
def trees_of(case: ConstituentCase) -> tuple[ConstituentTree, ...]:
    """Return the trees of a sentence in order: S is expanded in all ways, whatever can be derived.

    A word is a constituent of its category, unless it is the whole body of a rule for another category.

    >>> print(*trees_of(ConstituentCase((("A", ()), ("S", ("A", "t")), ("S", ("t",))), ("t",))), sep=", ")
    (S w1), (S (A) (t w1))
    """
    tags = case.categories

    @cache
    def of(symbol: str, i: int, j: int, above: frozenset[str]) -> list[Constituent]:
        found = [Constituent(symbol, ((i, j),))] if i == j and tags[i - 1] == symbol else []
        bodies = [body for lhs, body in case.rules if lhs == symbol and symbol not in above]
        for body in bodies:
            below = rows(body, i, j, (i, j), above | {symbol})
            found += (_over(Constituent(symbol, ((i, j),)), children, tags) for children in below)
        return found

    def rows(
        body: tuple[str, ...], i: int, j: int, whole: tuple[int, int], above: frozenset[str]
    ) -> Iterator[tuple[Constituent, ...]]:
        if not body and j == i - 1:
            yield ()
        for k in range(i - 1, j + 1) if body else ():
            for first in of(body[0], i, k, above if (i, k) == whole else frozenset()):
                yield from ((first, *rest) for rest in rows(body[1:], k + 1, j, whole, above))

    words = case.words
    return tuple(sorted(ConstituentTree((top,), words) for top in of("S", 1, case.n, frozenset())))


def _over(node: Constituent, children: tuple[Constituent, ...], tags: tuple[str, ...]) -> Constituent:
    """Return a constituent over others; if there is only the category of one word below it, over that word."""
    ((first, last),) = node.spans
    alone = first == last and children == (Constituent(tags[first - 1], node.spans),)
    return replace(node, children=() if alone else children)


def _plain(node: Constituent, tags: tuple[str, ...]) -> Constituent:
    """Normalise a constituent: the same value whether or not a schema categorises single words."""
    below = tuple(_plain(child, tags) for child in node.children)
    return (
        _over(node, below, tags)
        if len(below) == 1 and len(node.spans) == 1
        else replace(node, children=below)
    )


def constituent_subject(schema: m.Schema, of_class: str | OwnClass, limits: Budget) -> Subject:
    """Return a schema over context-free grammars under test for trees of a class.

    Parameters
    ----------
    schema : the schema. If its items are not constituents, it is a recogniser: each of its derivations counts as that
        of a tree.
    of_class : the class, by its name or one's own.
    limits : the limits of the test.
    """
    class_name = of_class if isinstance(of_class, str) else of_class.name
    contains = CLASSES[of_class] if isinstance(of_class, str) else of_class.contains
    recognises = builds_nothing(schema)

    def truth(case: ConstituentCase) -> list[AnyStructure]:
        trees = [AnyStructure(tree) for tree in trees_of(case) if contains(tree)]
        return trees[: 1 if recognises else None]

    def once(case: ConstituentCase, structure: AnyStructure | None = None) -> float:
        if structure is None or recognises:
            return sum(map(contains, trees_of(case))) or math.inf
        return math.inf if fault(case, structure) else 1

    def reader(case: ConstituentCase, chart: Chart) -> Reader:
        if recognises:
            accepted = next(iter(truth(case)), AnyStructure(ConstituentTree((), case.words)))
            return Atoms(chart), lambda _: accepted
        building = Brackets.of(chart)

        def read(state: Any) -> AnyStructure | None:
            nodes = building.constituents(state)  # with wrong leaves it is a wrong answer
            plain = (_plain(node, case.categories) for node in nodes or ())
            return None if nodes is None else AnyStructure(ConstituentTree(tuple(plain), case.words))

        return building, read

    def fault(case: ConstituentCase, structure: AnyStructure) -> str | None:
        if recognises:
            return None if truth(case) else "the rules derive no tree of the class for this sentence"
        if structure.value not in trees_of(case):
            return "the rules do not derive this tree"
        return None if contains(structure.value) else f"a tree that is not {class_name}"

    return Subject(
        ParsingSchema(schema),
        limits,
        all_cases,
        reader,
        truth,
        fault,
        key=lambda answer, own, structure: (own.key, structure.value),
        once=once,
        may_repeat=lambda case, built, derivations: derivations > (once(case) if recognises else built),
        more=lambda n, seed, share: [random_case(n, seed, k) for k in range(share)],
    )


def largest_class(schema: m.Schema, tried: Sequence[Outcome]) -> str:
    """Return the largest class all of whose trees a schema derives; if there is no such class, one that contains all
    derived trees.
    """
    recognises = builds_nothing(schema)

    def trees(case: ConstituentCase, name: str) -> list[AnyStructure]:
        return [AnyStructure(tree) for tree in trees_of(case) if CLASSES[name](tree)]

    for name in CLASSES:
        wanted = ((one.built, trees(one.case, name)) for one in tried)
        if all(built if recognises and some else built.issuperset(some) for built, some in wanted):
            return name
    name = "non-empty"
    if recognises:
        return name if all(trees(one.case, name) for one in tried if one.built) else "all"
    return name if all(CLASSES[name](x.value) for one in tried for x in one.built) else "all"
