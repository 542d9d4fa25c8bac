"""Prefixes of sentences and their weights, against brute force: all sentences to a length, and their weights.

The brute force rewrites the leftmost symbol of sentential forms, and sums weights by the plainest iteration of the
equations for a sentence; it shares nothing with the parser and the linear systems that are tested.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata import ContextFreeGrammar, DependencyRules, GrammarError, Sentence
from schemata.grammars.prefix_weights import PrefixTotals, WeightedPrefix
from schemata.grammars.prefixes import START, Prefix, Production, Productions
from schemata.grammars.rule_files import parse_context_free
from schemata.verification.prefixes import next_words

LONGEST = 6
Words = tuple[str, ...]


def sentences(grammar: Productions, longest: int = LONGEST) -> set[Words]:
    """All sentences of at most some words: strings over words derived from each symbol, to a fixpoint."""
    found: dict[object, set[Words]] = {x: {(w,) for _, w in e} for x, e in grammar.entries.items()}
    for rule in grammar.rules:
        for symbol in (rule.lhs, *rule.body):
            found.setdefault(symbol, set())
    size = -1
    while size != sum(map(len, found.values())):
        size = sum(map(len, found.values()))
        for rule in grammar.rules:
            strings: set[Words] = {()}
            for symbol in rule.body:
                strings = {x + y for x in strings for y in found[symbol] if len(x) + len(y) <= longest}
            found[rule.lhs] |= strings
    return found.get(START, set())


def weight(grammar: Productions, words: Words) -> float:
    """The weight of a sentence: the equations over all its spans, iterated until nothing changes."""
    n = len(words)
    of: dict[tuple[object, int, int], float] = {}
    base = {
        (symbol, i, i + 1): math.exp(entries["word", words[i]])
        for symbol, entries in grammar.entries.items()
        for i in range(n)
        if ("word", words[i]) in entries
    }

    def body(rule: Production, k: int, i: int, j: int) -> float:
        if k == len(rule.body):
            return float(i == j)
        cuts = ((of.get((rule.body[k], i, m), 0.0), m) for m in range(i, j + 1))
        return sum(first * body(rule, k + 1, m, j) for first, m in cuts if first)

    for _ in range(200):
        new = dict(base)
        for rule in grammar.rules:
            for i, j in itertools.combinations_with_replacement(range(n + 1), 2):
                if value := body(rule, 0, i, j):
                    key = rule.lhs, i, j
                    new[key] = new.get(key, 0.0) + math.exp(rule.weight) * value
        if new.keys() == of.keys() and all(abs(new[k] - of[k]) <= 1e-16 for k in new):
            break
        of = new
    return of.get((START, 0, n), 0.0)


def prefixes_of(strings: set[Words], length: int) -> set[Words]:
    return {s[:length] for s in strings if len(s) >= length}


def walk(prefix: Prefix, words: Words = ()) -> Iterator[tuple[Words, Prefix]]:
    """All prefixes of at most three words over all words of the grammar, valid or not."""
    yield words, prefix
    grammar = prefix.grammar
    if len(words) < 3:
        for word in sorted({w for e in grammar.entries.values() for _, w in e}):
            symbols = [x for x, e in grammar.entries.items() if ("word", word) in e]
            yield from walk(prefix.after(symbols), (*words, word))


def random_grammar(seed: int, weighted: bool = False) -> ContextFreeGrammar:
    """Empty, left-recursive, cyclic, useless and ambiguous symbols, all at random; the sums of weights are finite."""
    rng = Random(seed)
    rules: dict[str, list[str]] = {}
    for lhs in "SAB":
        for _ in range(rng.randint(1, 3)):
            body = [
                rng.choice(["S", "A", "B", '"a"', '"b"', '"c"'])
                for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))
            ]
            if body not in [x.split() for x in rules.get(lhs, [])]:
                rules.setdefault(lhs, []).append(" ".join(body) or "ε")
    lines = ["start S"]
    for lhs, bodies in rules.items():
        shares = [rng.random() for _ in bodies]
        for body, share in zip(bodies, shares, strict=True):
            factor = f" [{0.7 * share / sum(shares):.6f}]" if weighted else ""
            lines.append(f"{lhs} -> {body}{factor}")
    return parse_context_free("\n".join(lines))


@given(st.integers(0, 10**6))
def test_valid_prefixes_are_those_of_sentences(seed: int) -> None:
    try:
        grammar = Productions.of(random_grammar(seed))
    except GrammarError:  # a category without rules
        return
    strings = sentences(grammar)
    for words, prefix in walk(grammar.begin):
        with_these = {s for s in strings if s[: len(words)] == words}
        assert prefix.is_sentence == (words in strings)
        if with_these:
            assert prefix.is_valid
            assert prefix.words_left == min(map(len, with_these)) - len(words)
            following = {s[len(words)] for s in with_these if len(s) > len(words)}
            assert following <= {w for _, w in prefix.tokens}
        if prefix.is_valid:
            left = prefix.words_left
            assert left is not None
            assert (len(words) + left > LONGEST) or bool(with_these)
        else:
            assert not with_these
            assert prefix.words_left is None
        for _, word in prefix.tokens if prefix.is_valid else ():
            symbols = [x for x, e in grammar.entries.items() if ("word", word) in e]
            after = prefix.after(symbols)
            assert after.is_valid
            if len(words) + 1 + (after.words_left or 0) <= LONGEST:
                assert (*words, word) in prefixes_of(strings, len(words) + 1)


@given(st.integers(0, 10**6))
@pytest.mark.thorough
def test_weights_of_prefixes_are_sums_over_sentences(seed: int) -> None:
    """Sentences to a length are a part of the sum, and the rest is no more than all longer ones weigh."""
    try:
        grammar = Productions.of(random_grammar(seed, weighted=True))
    except GrammarError:
        return
    if not grammar.rules:
        return
    totals = PrefixTotals(grammar)
    begin = WeightedPrefix(totals)
    weights = {words: weight(grammar, words) for words in sentences(grammar, 4)}
    rest = begin.sum - sum(weights.values())
    assert rest > -1e-9
    for words in [(), *sorted(prefixes_of(set(weights), 1)), *sorted(prefixes_of(set(weights), 2))]:
        prefix = begin.after_words(Sentence(words)) if words else begin
        listed = sum(w for s, w in weights.items() if s[: len(words)] == words)
        found = math.exp(prefix.weight)
        assert listed - 1e-9 <= found <= listed + rest + 1e-9
        assert math.isclose(prefix.ended * math.exp(prefix.scale), weights.get(words, 0.0), abs_tol=1e-12)
        shares = prefix.shares
        assert math.isclose(sum(shares.values()) + (prefix.end_share or 0.0), 1.0, abs_tol=1e-9)
        for (_, word), share in shares.items():
            after = begin.after_words(Sentence((*words, word)))
            assert math.isclose(math.exp(after.weight), share * found, rel_tol=1e-8, abs_tol=1e-15)


@pytest.mark.parametrize(
    ("text", "prefix", "expected"),
    [
        # All sentences are finitely many: the sums are exact.
        ('S -> A A [0.5] | A [0.5]\nA -> "a" [0.25] | "b" [0.75]', "a", 0.25),
        ('S -> A A [0.5] | A [0.5]\nA -> "a" [0.25] | "b" [0.75]', "a b", 0.5 * 0.25 * 0.75),
        # a^n b^n with n at least m weighs 0.4 ** m for a prefix of m a's.
        ('S -> "a" S "b" [0.4] | ε [0.6]', "a a a", 0.4**3),
        ('S -> "a" S "b" [0.4] | ε [0.6]', "a a a b", 0.4**3 * 0.6),
        # Left recursion: at least three words.
        ('S -> S "a" [0.5] | "a" [0.5]', "a a a", 0.25),
        # A cycle of chains: S derives A with weight 1 / (1 - 0.25).
        ('S -> A [1]\nA -> B [0.5] | "a" [0.5] | "b" "a" [0.25]\nB -> A [0.5]', "a", 0.5 / 0.75),
        # Empty constituents that stand before: A is empty with weight 0.2.
        ('S -> A A "c" [1]\nA -> "a" [0.8] | ε [0.2]', "c", 0.04),
        ('S -> A A "c" [1]\nA -> "a" [0.8] | ε [0.2]', "a", 0.8 * 0.8 + 2 * 0.8 * 0.2),
    ],
)
def test_known_weights(text: str, prefix: str, expected: float) -> None:
    totals = PrefixTotals(Productions.of(parse_context_free(text)))
    found = WeightedPrefix(totals).after_words(Sentence.of(prefix))
    assert math.isclose(math.exp(found.weight), expected, rel_tol=1e-9)


def test_a_long_prefix_keeps_its_digits() -> None:
    totals = PrefixTotals(Productions.of(parse_context_free('S -> S "a" [1e-30] | "a" [1e-30]')))
    found = WeightedPrefix(totals).after_words(Sentence(("a",) * 40))
    assert math.isclose(found.weight, 40 * math.log(1e-30), rel_tol=1e-12)


@pytest.mark.parametrize(
    ("text", "sum_of"),
    [
        ('S -> S [1] | "a"', "chains of single symbols"),
        ('S -> A [0.5] | "a"\nA -> S [2]', "chains of single symbols"),
        ('S -> S S [0.6] | "a" [0.6]', "all sentences"),
        ('S -> "a" S [1] | "b"', "all sentences"),
        ('S -> A "a"\nA -> A A [0.6] | ε [0.6]', "empty constituents"),
    ],
)
def test_sums_that_diverge_are_refused(text: str, sum_of: str) -> None:
    with pytest.raises(GrammarError, match=f"the sum over {sum_of} of the grammar is infinite"):
        PrefixTotals(Productions.of(parse_context_free(text)))


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ('S -> "a" S [log -800] | "b" [log -800]', "a"),  # b follows with probability 1
        ('S -> "a" [log 800]', "a"),
        ('S -> A A [1]\nA -> "a" [log -700]', ""),  # each is a float, their product is not
        ('S -> A A [1]\nA -> "a" [log -700]', "a"),
        ('S -> B "b" [log -700] | "c" [.5]\nB -> "b" [log -700]', "b"),
        ('S -> "a" X [1] | "c" [.5]\nX -> Y Y [1]\nY -> "b" [log -700]', "a b"),
    ],
)
def test_weights_too_small_or_too_large_for_numbers_are_refused(text: str, prefix: str) -> None:
    with pytest.raises(GrammarError, match=r"too small for numbers|cannot have a weight of exp"):
        next_words("earley", prefix, parse_context_free(text))


@pytest.mark.parametrize("text", ['S -> "a" "b" [0] | "a" [.5]', 'S -> "a" B [1] | "a" [.5]\nB -> "b" [0]'])
def test_a_prefix_whose_sentences_weigh_nothing(text: str) -> None:
    assert next_words("earley", "a", parse_context_free(text)).weight == math.log(0.5)
    found = next_words("earley", "a b", parse_context_free(text))
    assert found.weight == -math.inf
    assert found.end_probability is None
    assert "begin so: 0\n" in f"{found}\n"


def test_sums_on_the_threshold() -> None:
    """x = 1/2 x² + 1/2 has the one solution 1; a little more, and there is none."""
    totals = PrefixTotals(Productions.of(parse_context_free('S -> S S [0.4999] | "a" [0.5]')))
    assert WeightedPrefix(totals).sum == pytest.approx((1 - math.sqrt(1 - 4 * 0.4999 * 0.5)) / (2 * 0.4999))
    with pytest.raises(GrammarError, match="infinite"):
        PrefixTotals(Productions.of(parse_context_free('S -> S S [0.5001] | "a" [0.5]')))


def test_dependency_rules() -> None:
    rules = DependencyRules.of(
        ["V(N * N)", "V(N *)", "N(D *)", "N(*)", "D(*)"], {"V"}, {"a": "D", "b": "N", "c": "V"}
    )
    grammar = Productions.of(rules)
    strings = sentences(grammar)
    assert strings == {tuple(s.split()) for s in ("b c", "a b c", "b c b", "a b c b", "b c a b", "a b c a b")}
    for words, prefix in walk(grammar.begin):
        assert prefix.is_valid == any(s[: len(words)] == words for s in strings)
        following = {s[len(words)] for s in strings if s[: len(words)] == words and len(s) > len(words)}
        assert {w for _, w in prefix.tokens} == following
