"""Licences between categories: the same trees as by positions, whatever the categories are."""

import functools
import random
from dataclasses import replace

import pytest

from schemata import ParsingSchema
from schemata.grammars import DRule, DRules, DRuleSet, WordPattern
from schemata.grammars.relations import FREE
from schemata.structures import Sentence
from tests.oracle import naive
from tests.support.charts import instances, run, schema_of, schema_text, shipped, words

Trees = frozenset[tuple[int, ...]]


@functools.cache
def schema_without(name: str, without: tuple[str, ...]) -> ParsingSchema:
    definition = shipped(name).definition
    return ParsingSchema(
        replace(definition, cases=tuple(c for c in definition.cases if c.step not in without))
    )


def trees(name: str, sentence: Sentence, grammar: DRules, without: tuple[str, ...] = ()) -> Trees:
    chart = schema_without(name, without).run(sentence, grammar, engine="python")
    return frozenset(t.heads for t in chart.forest().trees(limit=None))


@pytest.mark.thorough
def test_as_wg1_under_every_grammar_of_three_words() -> None:
    for pairs in naive.all_grammars(3):
        grammar = DRules.from_pairs(pairs)
        assert trees("wg1-unlexicalised", words(3), grammar) == trees("wg1", words(3), grammar)


@pytest.mark.parametrize("n", [4, 5, 6])
def test_as_wg1_under_random_grammars(n: int) -> None:
    rng = random.Random(n)
    for density in (0.15, 0.25, 0.35, 0.5, 0.7):
        for _ in range(4):
            grammar = DRules.from_pairs(naive.random_grammar(rng, n, density if n < 6 else density / 2))
            assert trees("wg1-unlexicalised", words(n), grammar) == trees("wg1", words(n), grammar)


# ---------------------------------------------------------------------------------- layouts of a head


@functools.cache
def layouts(size: int, head: bool, gap: bool) -> tuple[str, ...]:
    """Return the ways to lay out that many words: a dependent `d`, one `(...)` around others, head, gap."""
    if not size:
        return () if head or gap else ("",)
    found = ["d" + rest for rest in layouts(size - 1, head, gap)]
    found += ["h" + rest for rest in layouts(size - 1, False, gap) if head]
    found += ["g" + rest for rest in layouts(size - 1, head, False) if gap]
    for inside in range(1, size - 1):
        for h in {False, head}:
            for g in {False, gap}:
                rests = layouts(size - 2 - inside, head and not h, gap and not g)
                found += [f"({inner}){rest}" for inner in layouts(inside, h, g) for rest in rests]
    return tuple(found)


def tree_of(layout: str) -> tuple[int, ...]:
    """Return the tree in which the dependents of `h` lie like that; `g` is the head of h and the root."""
    head, root = layout.index("h") + 1, layout.find("g") + 1
    heads: list[int] = []
    opened: list[int] = []
    for word, letter in enumerate(layout, start=1):
        if letter == ")":
            heads.append(opened.pop())
            continue
        heads.append({"h": root, "g": 0}.get(letter, head))
        if letter == "(":
            opened.append(word)
    return tuple(heads)


def parses(heads: tuple[int, ...], without: tuple[str, ...] = ()) -> bool:
    found = trees("wg1-unlexicalised", words(len(heads)), DRules.from_heads(heads), without)
    assert found <= {heads}
    return bool(found)


@pytest.mark.parametrize("n", range(1, 8))
def test_every_layout_of_dependents_around_their_head_and_a_gap(n: int) -> None:
    """What the steps have to put together at one head, for more words than all trees can be tried for."""
    for gap in (False, True):
        for layout in layouts(n, True, gap):
            assert parses(tree_of(layout)), layout


@pytest.mark.parametrize(
    ("without", "layout"),
    [
        ("Shrinking Gap Left L", "(hdg)"),
        ("Shrinking Gap Right R", "(gdh)"),
        ("Shrinking Gap Left M", "((h)g)"),
        ("Shrinking Gap Right M", "(g(h))"),
        ("Shrinking Gap Centre L", "(h(g))"),
        ("Shrinking Gap Centre R", "((g)h)"),
        ("Shrinking Gap Centre M", "((h)(g))"),
        ("Shrinking Gap Centre M", "((g)(h))"),
        ("Hide Head", "((h)(g))"),
        ("Link Headed", "((h)(g))"),
    ],
)
def test_steps_that_some_trees_need(without: str, layout: str) -> None:
    heads = tree_of(layout)
    assert parses(heads)
    assert not parses(heads, (without,))


# ------------------------------------------------------------------------------------ parts of speech

N, V, A = WordPattern("N"), WordPattern("V"), WordPattern("A")


def test_parts_of_speech_are_categories_where_rules_look_at_nothing_else() -> None:
    sentence = Sentence(("a", "b", "a", "c"), ("N", "V", "N", "A"))
    plain = DRuleSet((DRule(V, N), DRule(N, A), DRule(V, V)), (V,))
    licences = DRules.from_rules(plain).for_sentence(sentence)
    assert licences.categories == {1: ("N",), 2: ("V",), 3: ("N",), 4: ("A",)}
    assert licences.category_pairs == {("N", "V"), ("A", "N")}
    assert licences.relations["licensed_categories"].rows(FREE, FREE) == (("A", "N"), ("N", "V"))
    for rule in (DRule(V, N, "left"), DRule(V, N, within=2), DRule(V, WordPattern("N", "a"))):
        licences = DRules.from_rules(DRuleSet((*plain.rules, rule))).for_sentence(sentence)
        assert licences.categories == {i: (f"w{i}",) for i in range(1, 5)}
        assert licences.category_pairs == {(f"w{d}", f"w{h}") for d, h in licences.pairs}


def random_rules(rng: random.Random, plain: bool) -> DRuleSet:
    ends = [WordPattern(), N, V, A] if plain else [WordPattern(), N, V, A, WordPattern("", "a")]
    rules = []
    for _ in range(rng.randint(1, 4)):
        side = "either" if plain else rng.choice(["either", "left", "right"])
        within = None if plain else rng.choice([None, None, 1, 2])
        rules.append(DRule(rng.choice(ends), rng.choice(ends), side, within))
    return DRuleSet(tuple(rules), (WordPattern(),))


@pytest.mark.parametrize("plain", [True, False])
def test_as_wg1_under_rules_over_parts_of_speech(plain: bool) -> None:
    rng = random.Random(str(plain))
    found = 0
    for _ in range(60):
        n = rng.randint(2, 5)
        sentence = Sentence(tuple(rng.choices("ab", k=n)), tuple(rng.choices("NVA", k=n)))
        grammar = DRules.from_rules(random_rules(rng, plain))
        expected = trees("wg1", sentence, grammar)
        assert trees("wg1-unlexicalised", sentence, grammar) == expected
        found += bool(expected)
    assert found > 15


# ------------------------------------------------------------------------------- the condition itself

PAIRS = schema_text("pairs")


def test_what_a_licence_between_categories_binds() -> None:
    chart = run(schema_of(PAIRS), 3, frozenset({(1, 2), (2, 3), (3, 1), (3, 2), (2, 0)}))
    made = {(step, consequent) for step, _, consequent, _ in instances(chart)}
    pairs = [("w1", "w2"), ("w2", "w3"), ("w3", "w1"), ("w3", "w2")]
    shown = {pair: f"pair[{pair[0]}, {pair[1]}]" for pair in pairs}
    assert made == {
        *(("Tested", shown[pair]) for pair in pairs[:2]),
        *(("Head", item) for item in shown.values()),
        *(("Dependent", item) for item in shown.values()),
        ("Constant", shown["w1", "w2"]),
    }
