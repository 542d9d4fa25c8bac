"""Estimation of weights: expectations by brute force, by inside-outside and by differences; likelihoods never fall."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.errors import UsageError
from schemata.grammars.parameters import grammar_text, parameters_of
from schemata.grammars.rules import Rule
from schemata.learning.estimation import Estimation, Iteration, estimate
from schemata.weights.circuits import Circuit
from schemata.weights.fold import EndlessSumError
from schemata.weights.hypergraph import Hypergraph

PARK = """
S    -> NP VP              [1]
NP   -> Det N [0.6] | NP PP [0.2] | "Mary" [0.2]
VP   -> V NP [0.7] | VP PP [0.3]
PP   -> P NP               [1]
the  : Det [0.7]
a    : Det [0.3]
cat  : N [0.5]
park : N [0.5]
saw  : V
in   : P
"""
RULES = """
root V [0.7], N [0.3]
V(N * N) [0.4]
V(N *) [0.6]
N(*) [0.5]
N(N *) [0.25]
N(* N) [0.25]
dogs : N [0.5]
cats : N [0.5]
see : V [0.6]
dogs : V [0.4]
"""
LINKS = """
root "b" [0.5], "a" [0.5]
head "a" takes "b" on the left [0.3]
head "a" takes "b" on the right [0.2]
head "a" takes "a" on the left [0.25]
head "a" takes "a" on the right [0.25]
head "b" takes "a", "b"
"""
EXAMPLES = Path(__file__).parents[2] / "examples"
# By schema: the grammar, the words of random sentences, and what the distributions of facts are.
KINDS = {
    "cyk": (PARK, "Mary the a cat park saw in", ()),
    "earley": (PARK, "Mary the cat saw in", ()),
    "left-corner": (PARK, "Mary a park saw", ()),
    "barbero1998": (RULES, "dogs cats see", ()),
    "eisner-split": (LINKS, "a b", ()),
    "nivre2003": (LINKS, "a b", ()),
    "hmm": ("hmm.facts", "the dogs run saw", ()),
    "semi-markov": ("semi-markov.facts", "New York Times reads the", ()),
    "bilexical": (
        "bilexical.facts",
        "we saw the dog with telescope",
        ("head_first: parent head_last: parent lexical: category",),
    ),
    "tag-cky": ("tag-cky.facts", "a b c d", ("adjoins",)),
    "lcfrs": ("lcfrs.facts", "darueber muss nachgedacht werden", ("binary: parent lexical: category",)),
    "ccg": ("ccg.facts", "Kim saw the cat", ("lexical: category",)),
    "head-driven": (
        "head-driven.facts",
        "the old man boats",
        ("head_first: parent head_last: parent lexical: category",),
    ),
    "itg": ("itg.facts", "", ("straight: parent inverted: parent pair: category alone: category",)),
}
SENTENCES = {
    "tag-cky": ["d", "a b c d", "a a b b c c d d"],
    "lcfrs": ["darueber muss nachgedacht werden", "darueber nachgedacht werden muss"],
    "itg": ["the black cat sleeps ||| le chat noir dort", "the cat sleeps ||| le chat ne dort"],
    "bilexical": ["we saw the dog", "we saw the dog with the telescope"],
    "head-driven": ["the old man boats", "the old man the boats", "the man boats boats"],
    "cyk": ["Mary saw the cat in a park in the park", "Mary saw Mary"],
    "earley": ["Mary saw the cat in the cat", "Mary saw Mary"],
    "left-corner": ["Mary saw a park", "Mary saw Mary"],
    "ccg": ["Kim saw the cat", "the cat saw Kim"],
}


def estimation(name: str, seed: int = 0) -> Estimation:
    """Return an estimation over random sentences and some that are derived."""
    text, words, given_facts = KINDS[name]
    schema = schemata.load(name)
    draw = random.Random(f"{name} {seed}")
    corpus = [" ".join(draw.choices(words.split(), k=draw.randint(1, 5))) for _ in range(12 if words else 0)]
    grammar = str(EXAMPLES / text) if "\n" not in text else text
    return Estimation(schema, grammar, [*corpus, *SENTENCES.get(name, ())], given=given_facts)


@pytest.mark.parametrize("name", KINDS)
def test_expectations_are_the_derivatives_of_the_likelihood(name: str) -> None:
    """Differences of totals of charts, which know nothing of circuits, come to the expectations."""
    one = estimation(name)
    weights = one.random_weights(1, 1)
    _, counts = one.expectations(weights)
    derived = next(
        (x for x in SENTENCES.get(name, ()) if one.schema.run(x, one.grammar(weights)).accepted), None
    )
    assert (counts >= 0).all()
    assert counts.sum() > 0
    step = 1e-5
    moved = np.zeros(len(weights))
    for k in range(len(weights)):
        moved[k] = step
        difference = one.expectations(weights + moved)[0] - one.expectations(weights - moved)[0]
        assert counts[k] == pytest.approx(difference / (2 * step), abs=1e-6)
        moved[k] = 0.0
    if derived is not None:  # the same totals by the chart of a grammar with these weights
        chart = one.schema.run(derived, one.grammar(weights))
        other = Estimation(one.schema, one.parameters.grammar, [derived], given=KINDS[name][2])
        log_total, found = other.expectations(weights)
        assert log_total == pytest.approx(chart.total("log"))
        gradient = chart.gradient()
        weighed = {
            key[0] for key in gradient if isinstance(key, tuple)
        }  # relations not all of whose weights are 1
        for key, count in zip(other.keys, found, strict=True):
            if not isinstance(key, tuple) or key[0] in weighed:
                assert gradient.get(key, 0.0) == pytest.approx(count, abs=1e-9)


@pytest.mark.parametrize("starts", range(2))
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.rotated(3)
def test_likelihoods_never_fall(name: str, starts: int) -> None:
    """From the grammar's weights, and from random ones."""
    one = estimation(name, starts)
    iterations: list[Iteration] = []
    found = estimate(
        one, iterations=6, tolerance=0, starts=starts, seed=starts, on_iteration=iterations.append
    )
    for before, after in pairwise(iterations):
        if after.start == before.start:
            assert after.log_likelihood >= before.log_likelihood - 1e-9 * abs(before.log_likelihood)
    assert found.log_likelihood == max(x.log_likelihood for x in iterations)
    weights = parameters_of(
        one.schema.check_grammar(found.grammar), one.schema.definition.relations, KINDS[name][2]
    ).weights
    for keys in one.parameters.groups.values():
        assert math.fsum(math.exp(weights[key]) for key in keys) == pytest.approx(1)


def test_expectations_of_a_markov_model_by_brute_force() -> None:
    """Over all sequences of tags."""
    one = estimation("hmm")
    weights = one.random_weights(3, 1)
    of = dict(zip(one.keys, weights.tolist(), strict=True))
    expected: dict[object, float] = defaultdict(float)
    total = 0.0
    words = ["the", "dogs", "run", "saw"]
    for sentence in ("the dogs run", "dogs saw"):
        parts: list[tuple[list[object], float]] = []
        for tags in product("DNV", repeat=len(sentence.split())):
            uses: list[object] = [("first", tags[0])]
            uses += [("next", tag, before) for before, tag in pairwise(tags)]
            uses += [("emits", tag, word) for tag, word in zip(tags, sentence.split(), strict=True)]
            if tags[-1] in "NV" and all(use in of for use in uses):
                parts.append((uses, math.exp(math.fsum(of[use] for use in uses))))
        whole = math.fsum(weight for _, weight in parts)
        total += math.log(whole)
        for uses, weight in parts:
            for use in uses:
                expected[use] += weight / whole
    assert words
    two = Estimation(one.schema, str(EXAMPLES / "hmm.facts"), ["the dogs run", "dogs saw"])
    log_likelihood, counts = two.expectations(weights)
    assert log_likelihood == pytest.approx(total)
    for key, count in zip(two.keys, counts, strict=True):
        assert count == pytest.approx(expected[key], abs=1e-12)


def inside_outside(
    binary: dict[tuple[str, str, str], float], lexical: dict[tuple[str, str], float], words: list[str]
) -> tuple[float, dict[object, float]]:
    """Return the likelihood of a sentence under S, and expected counts, by Lari & Young (1990)."""
    n = len(words)
    inside: dict[tuple[str, int, int], float] = defaultdict(float)
    outside: dict[tuple[str, int, int], float] = defaultdict(float)
    for k, word in enumerate(words):
        for (category, form), weight in lexical.items():
            if form == word:
                inside[category, k, k + 1] += weight
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            for (a, b, c), weight in binary.items():
                for j in range(i + 1, i + width):
                    inside[a, i, i + width] += weight * inside[b, i, j] * inside[c, j, i + width]
    whole = inside["S", 0, n]
    counts: dict[object, float] = defaultdict(float)
    if whole == 0:
        return 0.0, counts
    outside["S", 0, n] = 1
    for width in range(n, 1, -1):
        for i in range(n - width + 1):
            k = i + width
            for (a, b, c), weight in binary.items():
                for j in range(i + 1, k):
                    own = outside[a, i, k] * weight
                    outside[b, i, j] += own * inside[c, j, k]
                    outside[c, j, k] += own * inside[b, i, j]
                    counts[Rule(a, (b, c))] += own * inside[b, i, j] * inside[c, j, k] / whole
    for k, word in enumerate(words):
        for (category, form), weight in lexical.items():
            if form == word:
                counts["word", word, category] += outside[category, k, k + 1] * weight / whole
    return whole, counts


@given(st.randoms(use_true_random=False), st.lists(st.sampled_from("ab"), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_counts_of_a_context_free_grammar_are_those_of_inside_outside(
    draw: random.Random, words: list[str]
) -> None:
    names = "SAB"
    binary = {(a, b, c): 0.05 + draw.random() for a, b, c in product(names, repeat=3) if draw.random() < 0.4}
    lexical = {(x, w): 0.05 + draw.random() for x in names for w in "ab" if draw.random() < 0.7}
    if not binary or not lexical:
        return
    lines = ["start S", *(f"{a} -> {b} {c} [{w!r}]" for (a, b, c), w in binary.items())]
    lines += [f'{x} -> "{w}" [{p!r}]' for (x, w), p in lexical.items()]
    derivable = {a for a, *_ in binary} | {x for x, _ in lexical}
    if not {x for rule in binary for x in rule} | {"S"} <= derivable:
        return
    whole, counts = inside_outside(binary, lexical, words)
    chart = schemata.load("cyk").run(words, "\n".join(lines) + "\n")
    if whole == 0:
        assert not chart.accepted
        return
    assert chart.total("real") == pytest.approx(whole)
    for key, count in chart.gradient().items():
        assert count == pytest.approx(counts[key], abs=1e-9)


@given(
    st.floats(0.05, 0.9), st.floats(0.05, 0.9), st.floats(0.05, 0.9), st.sampled_from(["a", "a a", "a a a"])
)
@settings(max_examples=12, deadline=None)
@pytest.mark.thorough
def test_cycles_of_unary_and_empty_rules(x: float, y: float, z: float, sentence: str) -> None:
    """Expectations over infinitely many derivations are the derivatives of their exact sum."""
    text = f'S -> S S [{x}] | A [{y}] | ε [{z}]\nA -> S [{y}] | "a" [{z}]\n'
    one = Estimation(schemata.load("earley"), text, [sentence])
    weights = one.random_weights(round(x * 1e6), 1)
    likelihoods = []
    for _ in range(4):
        try:
            log_likelihood, counts = one.expectations(weights)
        except EndlessSumError:  # an expectation may be infinite where the sum is not
            return
        likelihoods.append(log_likelihood)
        moved = np.zeros(len(weights))
        if counts.max() < 20:  # far from where derivatives are infinite
            for k in range(len(weights)):
                moved[k] = 1e-6
                above, below = (one.expectations(weights + sign * moved)[0] for sign in (1, -1))
                assert counts[k] == pytest.approx((above - below) / 2e-6, rel=1e-3, abs=1e-5)
                moved[k] = 0.0
        weights = one.maximised(weights, counts)
    assert all(b >= a - 1e-9 for a, b in pairwise(likelihoods))


def test_a_circuit_on_a_cycle() -> None:
    """x = a + x b has the derivations a b^k: b is used b / (1 - b) times on average."""
    graph = Hypergraph(0, np.array([0, 2, 3]), np.array([[2], [0], [0]], np.int32), (1,))
    uses = np.array([0, 1], np.int64)
    circuit = Circuit(graph, 1, np.arange(3), np.zeros(3), uses, uses, ("a", "b"))
    total, counts = circuit.expectations(np.log([0.5, 0.25]))
    assert total == pytest.approx(math.log(0.5 / 0.75))
    assert counts.tolist() == pytest.approx([1.0, 0.25 / 0.75])
    assert circuit.expectations(np.array([-math.inf, -1.0]))[0] == -math.inf
    with pytest.raises(UsageError, match="infinite"):
        circuit.expectations(np.log([0.5, 1.0]))


def test_an_estimation_that_was_ended_goes_on(tmp_path: Path) -> None:
    """It comes to the same weights and the same iterations."""
    kept = tmp_path / "kept"
    whole: list[Iteration] = []
    expected = estimate(estimation("cyk"), starts=2, iterations=6, on_iteration=whole.append)
    parts: list[Iteration] = []

    def end(one: Iteration) -> None:
        parts.append(one)
        if len(parts) in (3, 9):
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            estimate(estimation("cyk"), starts=2, iterations=6, kept=kept, on_iteration=end)
    found = estimate(estimation("cyk"), starts=2, iterations=6, kept=kept, on_iteration=end)
    assert found == expected
    assert list(dict.fromkeys(parts)) == whole
    assert not kept.exists()
    kept.write_bytes(b"damaged")
    assert estimate(estimation("cyk"), starts=2, iterations=6, kept=kept) == expected


@pytest.mark.parametrize("name", KINDS)
def test_grammars_with_estimated_weights_are_written(name: str) -> None:
    """The file reads back to the same weights."""
    one = estimation(name)
    found = one.schema.check_grammar(one.grammar(one.random_weights(5, 1)))
    text = grammar_text(found, ["a comment"])
    again = one.schema.check_grammar(text)
    assert parameters_of(again, one.schema.definition.relations, KINDS[name][2]).weights == pytest.approx(
        parameters_of(found, one.schema.definition.relations, KINDS[name][2]).weights
    )


def test_weights_say_what_they_are_distributions_of() -> None:
    schema = schemata.load("hmm")
    facts = schema.check_grammar(str(EXAMPLES / "hmm.facts"))
    relations = schema.definition.relations
    groups = parameters_of(facts, relations).groups.values()
    assert [("first", "D"), ("first", "N"), ("first", "V")] in groups
    assert [("next", "V", "N"), ("next", "N", "N")] in groups  # after a noun
    assert [("emits", "D", "the")] in groups
    alone = parameters_of(facts, relations, ["next: tag, after"])
    assert len(alone.groups) == 6
    assert ("first", "D") in alone.weights


@pytest.mark.parametrize(
    ("text", "given_facts", "message"),
    [
        ("first(N)\nemits(N, a)\n", [], "no fact has a weight"),
        ("first(N) [0.3]\nemits(N, a)\n", [], "leave open which distributions they form"),
        ("first(N) [0.3]\n", ["frist"], "declares no relation 'frist'"),
        ("first(N) [0.3]\n", ["first: tga"], "first has no argument tga"),
        ("first(N) [0.3]\n", ["first first: tag", "first"], "first has two normalisers"),
        ("first(N) [0.3]\n", ["first emits: tag"], "as many arguments each"),
        ("first(N) [0.3]\n", ["  "], "as many arguments each"),
    ],
)
def test_what_is_no_distribution_is_refused(text: str, given_facts: list[str], message: str) -> None:
    schema = schemata.load("hmm")
    with pytest.raises(UsageError, match=message):
        parameters_of(schema.check_grammar(text), schema.definition.relations, given_facts)


def test_grammars_without_weights_and_several_rules_of_a_link_are_refused() -> None:
    eisner = schemata.load("eisner-split")
    with pytest.raises(UsageError, match="no weights that can be estimated"):
        Estimation(eisner, "all", ["a b"])
    with pytest.raises(UsageError, match="2 D-rules license"):
        Estimation(eisner, 'root "a"\nhead "a" takes "b" [0.5]\nhead any takes "b" [0.5]\n', ["a b"])
    with pytest.raises(UsageError, match="have normalisers of their own"):
        Estimation(schemata.load("cyk"), PARK, ["Mary"], given=["x"])
    with pytest.raises(UsageError, match="derives none of the sentences"):
        Estimation(schemata.load("cyk"), PARK, ["saw"])


def test_a_weight_that_is_no_multiple_of_what_is_asked_has_no_gradient(tmp_path: Path) -> None:
    path = tmp_path / "odd.schema"

    def written(clause: str) -> schemata.ParsingSchema:
        path.write_text(
            "schema odd extends cyk\n\n"
            f"replace step Scan\n  word[i]\n  -------------  category i is A, weight {clause}\n  edge[A, i, i]\n"
        )
        return schemata.load(str(path))

    text = 'S -> "a" [0.5] | "b" [0.5]\n'
    for clause, expected in (("2 * asked", 1.0), ("log asked - 1", 1.0), ("1", 0.0)):
        chart = written(clause).run("a", text)
        assert chart.gradient()["word", "a", "S"] == expected
    for clause in ("asked * asked", "asked + 1", "log 2 * asked", "exp(asked)", "1 - asked"):
        with pytest.raises(UsageError, match="not a multiple of that of"):
            written(clause).run("a", text).gradient()
