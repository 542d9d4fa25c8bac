"""Constituent trees, alignments and sets as derivations build them, against all derivations of small grammars."""

import itertools
import random
import re
from collections.abc import Iterator
from functools import cache

import pytest

from schemata.grammars.facts import Facts
from schemata.grammars.rules import ContextFreeGrammar
from schemata.structures.constituents import Alignment, AtomSet, Constituent, ConstituentTree
from schemata.verification.constituents import random_case, small_cases
from schemata.workbench import ParsingSchema
from tests.support.charts import schema_of, schema_text, shipped

Rules = tuple[tuple[str, tuple[str, ...]], ...]


def trees(rules: Rules, tags: tuple[str, ...]) -> set[str]:
    """Return all trees of S, in brackets, in which no constituent stands above one like it over the same words."""

    def bracketed(symbol: str, below: tuple[str, ...]) -> str:
        """A word is all that a rule has: its category is left out."""
        alone = re.fullmatch(r"\([tu] (w\d)\)", below[0]) if len(below) == 1 else None
        return f"({symbol} {alone[1]})" if alone else f"({' '.join((symbol, *below))})"

    @cache
    def of(symbol: str, i: int, j: int, above: frozenset[str]) -> frozenset[str]:
        found = {f"({symbol} w{j})"} if j == i + 1 and tags[i] == symbol else set()
        if symbol in above:
            return frozenset(found)
        for lhs, body in rules:
            if lhs == symbol:
                found |= {bracketed(symbol, below) for below in row(body, i, j, (i, j), above | {symbol})}
        return frozenset(found)

    def row(
        body: tuple[str, ...], i: int, j: int, whole: tuple[int, int], above: frozenset[str]
    ) -> Iterator[tuple[str, ...]]:
        if not body:
            if i == j:
                yield ()
            return
        for k in range(i, j + 1):
            inside = above if (i, k) == whole else frozenset[str]()
            for first in of(body[0], i, k, inside):
                yield from ((first, *rest) for rest in row(body[1:], k, j, whole, above))

    return set(of("S", 0, len(tags), frozenset()))


def grammar(rules: Rules, tags: tuple[str, ...]) -> ContextFreeGrammar:
    return ContextFreeGrammar.of(rules, "S", {f"w{k}": [tag] for k, tag in enumerate(tags, start=1)})


PLACES = schema_text("places")  # as cyk, with places between words


@cache
def schema_called(name: str) -> ParsingSchema:
    if name != "places":
        return shipped(name)
    return schema_of(PLACES)


def built(name: str, rules: Rules, tags: tuple[str, ...], budget: int | None = None) -> list[str]:
    words = [f"w{k}" for k in range(1, len(tags) + 1)]
    forest = schema_called(name).run(words, grammar(rules, tags)).forest()
    count = forest.count_structures(10**7)
    listed = forest.structures(None, 10**7)
    assert forest.trees(None, 10**7) == listed
    assert forest.count_trees(10**7) == count
    assert count[:2] == (len(listed), len(listed))
    assert listed == sorted(listed)
    assert set(forest.structures(None, 0)) == set(listed), "listed one at a time"
    if not count.others:
        assert forest.derivation_count == len(listed)
    return list(map(str, listed))


@pytest.mark.parametrize("name", ["cyk", "earley", "left-corner", "places"])
def test_binary_trees_are_counted_by_catalan_numbers(name: str) -> None:
    for n, number in enumerate((1, 1, 2, 5, 14, 42), start=1):
        assert len(built(name, (("S", ("t",)), ("S", ("S", "S"))), ("t",) * n)) == number


def test_trees_of_any_branching_are_counted_by_schroeder_numbers() -> None:
    rules = (("S", ("t",)), *(("S", ("S",) * k) for k in range(2, 6)))
    for n, number in enumerate((1, 1, 3, 11, 45), start=1):
        for name in ("earley", "left-corner"):
            assert len(built(name, rules, ("t",) * n)) == number


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_trees_are_those_of_all_derivations(n: int) -> None:
    cases = [*small_cases(n), *(random_case(n, 1, k) for k in range(12))]
    for case in cases:
        truth = trees(case.rules, case.categories)
        for name in ("earley", "left-corner"):
            # Left-corner opens a rule by its first symbol: it has no empty constituents.
            expected = {tree for tree in truth if name == "earley" or not re.search(r"\(\w+\)", tree)}
            assert sorted(built(name, case.rules, case.categories)) == sorted(expected), (name, case)
        if all(len(body) == 2 or body in (("t",), ("u",)) for _, body in case.rules):
            for name in ("cyk", "places"):
                assert sorted(built(name, case.rules, case.categories)) == sorted(truth), (name, case)


CYCLES: list[Rules] = [
    (("A", ("S",)), ("S", ("A",)), ("S", ("t",))),
    (("A", ("B",)), ("B", ("A",)), ("S", ("A", "B")), ("S", ("S",)), ("A", ("t",)), ("B", ("t",))),
    (("A", ("B", "E")), ("B", ("A",)), ("E", ()), ("S", ("A", "B")), ("S", ("B",)), ("B", ("t",))),
    (("A", ("B",)), ("B", ("C",)), ("C", ("A",)), ("C", ("t",)), ("S", ("A",)), ("S", ("S", "S"))),
    (("S", ()), ("S", ("S", "S")), ("S", ("t",))),
    (("A", ()), ("A", ("S",)), ("S", ("A", "A")), ("S", ("t",))),
]


@pytest.mark.thorough
def test_unary_cycles_and_empty_rules() -> None:
    rng = random.Random(5)
    bodies: list[tuple[str, ...]] = [()] * 5
    bodies += [body for size in (1, 2) for body in itertools.product("SABt", repeat=size)]
    draws = range(60)
    drawn = [{("S", ("t",)), *((rng.choice("SAB"), rng.choice(bodies)) for _ in range(6))} for _ in draws]
    cyclic = empty = 0
    for rules in [*CYCLES, *(tuple(sorted(rules)) for rules in drawn)]:
        for n in (1, 2):
            tags = ("t",) * n
            truth = trees(rules, tags)
            assert sorted(built("earley", rules, tags)) == sorted(truth), (rules, tags)
            words = [f"w{k}" for k in range(1, n + 1)]
            cyclic += shipped("earley").run(words, grammar(rules, tags)).forest().cyclic
            empty += any(re.search(r"\([A-Z]\)", tree) is not None for tree in truth)
    assert cyclic > 4, cyclic
    assert empty > 5


DISCONTINUOUS = schema_text("lcfrs")


def test_discontinuous_trees_and_their_formats() -> None:
    import schemata

    facts = schemata.Facts.of({"verb": [("what",), ("saw",)], "other": [("he",)]})
    forest = schema_of(DISCONTINUOUS).run("what he saw", facts).forest()
    (tree,) = forest.structures()
    assert str(tree) == "(S (VP 0=what 2=saw) 1=he)"
    assert tree.is_discontinuous
    assert tree.export(7).splitlines() == [
        "#BOS 7",
        "what\twhat\t--\t--\t500",
        "he\the\t--\t--\t501",
        "saw\tsaw\t--\t--\t500",
        "#500\tVP\t--\t--\t501",
        "#501\tS\t--\t--\t0",
        "#EOS 7",
    ]


def test_the_export_format_has_categories_of_words_as_tags() -> None:
    words = Constituent("Det", ((1, 1),)), Constituent("N", ((2, 2),))
    tree = ConstituentTree((Constituent("NP", ((1, 2),), words),), ("the", "cat"))
    assert tree.export().splitlines()[1:4] == [
        "the\tDet\t--\t--\t500",
        "cat\tN\t--\t--\t500",
        "#500\tNP\t--\t--\t0",
    ]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_alignments_and_sets(engine: str) -> None:
    """Monotone alignments of n words with n words: as many as lattice paths with diagonals for pairs."""
    text = schema_text("monotone")
    for n in (1, 2, 3):
        pairs = list(itertools.product(range(1, n + 1), repeat=2))
        truth = {
            chosen
            for size in range(n + 1)
            for chosen in itertools.combinations(pairs, size)
            if all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(chosen))
        }
        forest = schema_of(text).run(["w"] * n, engine=engine).forest()  # type: ignore[arg-type]
        found = forest.structures(None)
        assert {one.pairs for one in found} == truth
        assert len(found) == len(truth) == forest.count_structures().exact
        assert found == sorted(found)
        assert all(isinstance(one, Alignment) for one in found)
    named = text.replace("align(i + 1, j + 1)", 'pair(i + 1, "x", j + 1)')
    sets = schema_of(named).run("a b", engine=engine).forest().structures()  # type: ignore[arg-type]
    assert AtomSet((("pair", 1, "x", 1), ("pair", 2, "x", 2))) in sets
    assert sets[0] == AtomSet(())


WIDER = """
schema wider
  grammar facts
relation lexical(x: word, A: symbol)

hypothesis word[i]  where 1 <= i <= n
item item[i: position]  where 1 <= i <= n

step Init
  word[i]
  -------  lexical(i, A), builds bracket(A, i, i), builds bracket("B", FIRST, LAST) over 1
  item[i]

final item[_]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(("lower", "trees"), [("1, n", 0), ("i, i", 2), ("i, i - 1", 2)])
def test_no_constituent_has_words_that_its_parent_lacks(engine: str, lower: str, trees: int) -> None:
    """Each of two words has a constituent: above one over both, over the same word, or above an empty one."""
    schema = schema_of(WIDER.replace("FIRST, LAST", lower))
    facts = Facts.from_text("lexical(a, A)\nlexical(b, A)\n")
    forest = schema.run("a b", facts, engine=engine).forest()  # type: ignore[arg-type]
    assert forest.derivation_count == 2
    assert forest.count_structures().exact == len(forest.structures(None)) == trees
