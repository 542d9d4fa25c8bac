"""The relations of every kind of grammar, against the conditions of schemata and against their definitions."""

import random
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from schemata.grammars import ContextFreeGrammar, DependencyRules, DRules, LinkGrammar
from schemata.grammars.relations import FREE, Relation, asked
from schemata.grammars.rule_files import parse_d_rules
from schemata.grammars.rules import HEAD
from schemata.language import model as m
from schemata.program.matching import holds
from schemata.structures import Sentence

SENTENCE = Sentence(("dogs", "see", "old", "cats"), ("N", "V", "A", "N"))
POSITIONS: tuple[Any, ...] = (None, *range(-1, 7))


def d_rule_grammars() -> Iterator[DRules]:
    yield DRules.all()
    yield DRules.from_heads((2, 0, 4, 2))
    by_tags, _ = parse_d_rules("root V\nhead V takes N\nhead N takes A, N")
    by_side, _ = parse_d_rules("head V takes N on the left\nhead N takes any within 1")
    yield DRules.from_rules(by_tags)
    yield DRules.from_rules(by_side)
    rng = random.Random(1)
    links = [(d, h) for d in range(1, 5) for h in range(5) if d != h]
    for _ in range(5):
        yield DRules.from_pairs(rng.sample(links, rng.randint(0, len(links))))


RULES = DependencyRules.of(
    ["S(N *)", "S(N * N)", "N(*)", "N(A *)", "A(*)", "X(*)"],
    ["S"],
    {"dogs": ["N"], "see": ["S", "N"], "old": ["A"], "cats": ["N", "X"]},
)
CONTEXT_FREE = ContextFreeGrammar.of(
    [
        ("S", ("NP", "VP")),
        ("VP", ("V", "NP")),
        ("NP", ("A", "NP")),
        ("NP", ("N",)),
        ("NP", ("NP", "NP")),
        ("E", ()),
    ],
    "S",
    {"dogs": ["N"], "see": ["V", "N"], "old": ["A"], "cats": ["N"]},
)
LINKS = LinkGrammar.from_text(
    "dogs: S+ or (A- & S+); see: {@A+} & S- & O+; old: A+ or A-; cats: {@A-} & O-;\nLENGTH-LIMIT-1: S+;"
).for_sentence(SENTENCE, prune_disjuncts=False)


def allowed(condition: m.Condition, row: tuple[Any, ...], grammar: Any) -> bool:
    """Return whether a condition holds of values, by its definition."""
    match condition:
        case m.HasFact("licensed"):
            return row in grammar.pairs
        case m.HasFact("licensed_categories"):
            return row in grammar.category_pairs
        case m.HasFact("root"):
            return row[0] in grammar.roots
        case m.HasFact("category"):
            return row[1] in grammar.categories.get(row[0], ())
        case m.HasFact("left_corner"):
            return row[0] in grammar.table.corners_of(row[1])
        case m.HasFact("rule"):
            return row in grammar.table.pairs
    *sides, word = row
    return tuple(sides) in dict(enumerate(grammar.sequences.sides)).get(word, ())


def conditions(grammar: Any) -> Iterator[tuple[m.Condition, tuple[tuple[Any, ...], ...]]]:
    """Yield the conditions that may ask a grammar, and the values to try for each of their variables."""
    x, y, z = m.Var("x"), m.Var("y"), m.Var("z")
    if hasattr(grammar, "pairs"):
        symbols = ("w1", "w2", "w4", "N", "V", "none", None)
        yield m.HasFact("licensed", (x, y)), (POSITIONS, POSITIONS)
        yield m.HasFact("licensed_categories", (x, y)), (symbols, symbols)
        yield m.HasFact("category", (x, y)), (POSITIONS, symbols)
    elif hasattr(grammar, "table"):
        symbols = ("S", "N", "A", "X", "NP", "VP", "V", "E", "none")
        bodies = ((), (HEAD,), ("N", HEAD), ("NP", "VP"), ("N",), ("A", HEAD))
        yield m.HasFact("category", (x, y)), (POSITIONS, (*symbols, None))
        yield m.HasFact("rule", (x, y)), ((*symbols, None), bodies)
        yield m.HasFact("root", (x,)), (symbols,)
        yield m.HasFact("left_corner", (x, y)), (symbols, symbols)
    else:
        sides = sorted({side for offered in grammar.sequences.sides for pair in offered for side in pair})
        yield m.HasFact("disjunct", (x, y, z)), (("no#1: Q+", *sides), ("no#1: Q+", *sides), POSITIONS)


GRAMMARS = [
    *(grammar.for_sentence(SENTENCE) for grammar in d_rule_grammars()),
    RULES.for_sentence(SENTENCE),
    CONTEXT_FREE.for_sentence(SENTENCE),
    LINKS,
]


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_relation_holds_where_the_condition_does(grammar: Any) -> None:
    for condition, domains in conditions(grammar):
        name, _ = asked(condition)
        relation: Relation = grammar.relations[name]
        assert len(relation.sorts) == len(domains)
        true = {row for row in product(*domains) if allowed(condition, row, grammar)}
        assert true or not getattr(grammar, "pairs", True)
        for row in product(*domains):
            assert relation.holds(*row) == (row in true), (name, row)
            assert holds(condition, dict(zip("xyz", row, strict=False)), grammar) == (row in true)
        check_every_pattern(relation, domains, true)


def can_list(relation: Relation, pattern: str) -> bool:
    """Tell whether some way to ask binds nothing that a pattern leaves free."""
    return any(all(p == "b" for w, p in zip(way, pattern, strict=True) if w == "b") for way in relation.ways)


def check_every_pattern(relation: Relation, domains: tuple[tuple[Any, ...], ...], true: set[Any]) -> None:
    """Compare the rows of every binding pattern with those that hold, as far as their values are tried."""
    for pattern in map("".join, product("bf", repeat=len(domains))):
        if not can_list(relation, pattern):
            with pytest.raises(LookupError):
                relation.view(pattern)
            continue
        bound = [k for k, letter in enumerate(pattern) if letter == "b"]
        free = [k for k, letter in enumerate(pattern) if letter == "f"]
        for values in product(*(domains[k] for k in bound)):
            key = dict(zip(bound, values, strict=True))
            rows = relation.rows(*(key.get(k, FREE) for k in range(len(domains))))
            assert rows == relation.view(pattern)[values]
            assert len(rows) == len(set(rows))
            tried = {row for row in rows if all(row[i] in domains[k] for i, k in enumerate(free))}
            fits = {tuple(row[k] for k in free) for row in true if all(row[k] == v for k, v in key.items())}
            assert tried == fits, (relation.name, pattern, values)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_what_is_listed_is_all_there_is(grammar: Any) -> None:
    listed: Mapping[str, set[Any]] = {
        name: set(relation.rows(*[FREE] * len(relation.sorts)))
        for name, relation in grammar.relations.items()
        if can_list(relation, "f" * len(relation.sorts))
    }
    if "licensed" in listed:
        assert listed["licensed"] == set(grammar.pairs)
        assert listed["licensed_categories"] == set(grammar.category_pairs)
    if "rule" in listed:
        assert listed["rule"] == {(rule.lhs, rule.body) for rule in grammar.rules}
        assert listed["root"] == {(root,) for root in grammar.roots}
    if "category" in listed:
        assert listed["category"] == {(w, c) for w, names in grammar.categories.items() for c in names}
    if "disjunct" in listed:
        assert listed["disjunct"] == {
            (*s, z) for z, offered in enumerate(grammar.sequences.sides) for s in offered
        }


def test_a_join_has_the_ends_that_a_link_has() -> None:
    view = LINKS.sequences
    join = LINKS.relations["join"]
    rights = {position: [*codes, "no#1: Q+"] for position, codes in view.right_codes.items()}
    lefts = {position: [*codes, "no#1: Q-"] for position, codes in view.left_codes.items()}
    ends = 0
    for i, j in product(range(LINKS.last + 1), repeat=2):
        for right, left in product(rights[i], lefts[j]):
            codes = view.right_codes[i].get(right), view.left_codes[j].get(left)
            reach = -1 if None in codes else min(view.reaches[code] for code in codes)  # type: ignore[index]
            expected = codes if 0 < j - i <= reach else None
            assert join.rows(i, j, right, left, FREE, FREE) == (() if expected is None else (expected,))
            ends += expected is not None
            if expected is not None:
                assert join.holds(i, j, right, left, *expected)
                assert not join.holds(i, j, right, left, *reversed(expected))
    assert ends
    with pytest.raises(LookupError):
        join.view("ffffbb")


def test_long_complete_sentences_are_not_written_down() -> None:
    licensed = DRules.all().for_sentence(Sentence(("w",) * 2000)).relations["licensed"]
    assert licensed.holds(2000, 0)
    assert not licensed.holds(2000, 2000)
    assert not licensed.holds(2001, 3)
    assert licensed.rows(FREE, 1) == tuple((d,) for d in range(2, 2001))
    assert licensed.rows(FREE, None) == licensed.rows(None, FREE) == ()


def test_a_relation_says_how_it_cannot_be_asked() -> None:
    corner = CONTEXT_FREE.for_sentence(SENTENCE).relations["left_corner"]
    with pytest.raises(LookupError, match="left_corner cannot be listed"):
        corner.rows(FREE, FREE)
    with pytest.raises(ValueError, match="2 arguments, not 1"):
        corner.rows("S")
    assert corner.rows("Adverb", FREE) == (("Adverb",),)
