"""Sums over cycles: against an independent iteration of the equations of random grammars, in every schema."""

import math
import random
from fractions import Fraction
from typing import Any

import pytest

import schemata
from schemata.errors import UsageError
from schemata.grammars.rule_files import parse_context_free
from schemata.weights.fold import EndlessSumError
from schemata.weights.semiring import EXPECTATION, LOG, REAL, Semiring
from tests.support.charts import schema_of, shipped

EMPTY_TOO = ("earley", "bottom-up-earley")  # which know what to do with empty right-hand sides
CHAINS = (*EMPTY_TOO, "left-corner", "shift-reduce", "bottom-up-left-corner", "top-down")
Rules = dict[tuple[str, tuple[str, ...]], Fraction]


def grammar_text(rules: Rules) -> str:
    rows = []
    for (lhs, body), weight in rules.items():
        symbols = [symbol if symbol.isupper() else f'"{symbol}"' for symbol in body]
        rows.append(f"{lhs} -> {' '.join(symbols) or 'ε'} [{float(weight)!r}]\n")
    return "".join(rows)


def inside(rules: Rules, words: str, rounds: int = 4000) -> float:
    """Return the sum of the derivations of S over the words: the equations of all spans, iterated from zero.

    Nothing is shared with the package: x[A, i, j] is the sum over rules of the sum over all ways to cut i..j.
    """
    n = len(words)
    x = {(a, i, j): 0.0 for a in {lhs for lhs, _ in rules} for i in range(n + 1) for j in range(i, n + 1)}

    def body_sum(body: tuple[str, ...], i: int, j: int) -> float:
        if not body:
            return float(i == j)
        first, rest = body[0], body[1:]
        if not first.isupper():
            return body_sum(rest, i + 1, j) if i < j and words[i] == first else 0.0
        return sum(x[first, i, k] * body_sum(rest, k, j) for k in range(i, j + 1))

    for _ in range(rounds):
        after = {
            (a, i, j): sum(float(w) * body_sum(body, i, j) for (lhs, body), w in rules.items() if lhs == a)
            for a, i, j in x
        }
        if all(math.isclose(after[k], x[k], rel_tol=1e-15, abs_tol=1e-300) for k in x):
            break
        x = after
        if max(x.values()) > 1e9:
            return math.inf
    return x["S", 0, n]


def random_rules(rng: random.Random, empty: bool) -> Rules:
    """Return rules with chains and, perhaps, empty right-hand sides; their weights leave room below one."""
    rules: Rules = {("S", ("a",)): Fraction(rng.randint(1, 4), 10)}
    for _ in range(rng.randint(2, 5)):
        size = rng.choice([1, 1, 2, 2, 0] if empty else [1, 1, 2])
        body = tuple(rng.choice(["S", "A", "B", "a"] if size > 1 else ["S", "A", "B"]) for _ in range(size))
        rules[rng.choice("SAB"), body] = Fraction(rng.randint(1, 5), 20)
    rules["A", ("a",)] = Fraction(1, 10)
    rules["B", ("S",)] = Fraction(1, 5)
    return rules


@pytest.mark.parametrize("name", CHAINS)
def test_totals_of_random_grammars_with_cycles(name: str) -> None:
    rng, cyclic = random.Random(name), 0
    for _ in range(25):
        rules = random_rules(rng, empty=name in EMPTY_TOO)
        words = "a" * rng.randint(1, 3)
        expected = inside(rules, words)
        chart = shipped(name).run(" ".join(words), parse_context_free(grammar_text(rules)))
        if expected == math.inf:
            with pytest.raises(EndlessSumError):
                chart.total("real")
            continue
        assert chart.total("real") == pytest.approx(expected, rel=1e-9), grammar_text(rules)
        if not expected:
            assert not chart.accepted
            continue
        assert chart.total("log") == pytest.approx(math.log(expected), abs=1e-9)
        assert chart.total(EXPECTATION)[0] == pytest.approx(expected, rel=1e-9)
        assert chart.total("viterbi") <= chart.total("log") + 1e-12
        cyclic += chart.weighing.weighted.graph.levels is None
    assert cyclic > 5


CASES = {
    'S -> S [.5] | "a" [.5]\n': (1.0, CHAINS),
    'S -> S S [.2] | "a" [.5] | "" [.3]\n': (0.573539334676, EMPTY_TOO),
    'S -> A [.5] | "a" [.5]\nA -> S [1]\n': (1.0, CHAINS),
    'S -> S S [.5] | "a" [.5] | "" [.5]\n': (None, EMPTY_TOO),  # the empty word derives itself with weight 1
}


@pytest.mark.parametrize("text", CASES)
def test_cases_with_known_sums(text: str) -> None:
    """The second is .5 / (1 - .4 e), where e = .3 + .2 e^2 is the sum over the empty word."""
    expected, names = CASES[text]
    for name in names:
        chart = shipped(name).run("a", parse_context_free(text))
        if expected is None:
            with pytest.raises(EndlessSumError, match="infinite"):
                chart.total("real")
        else:
            assert chart.total("real") == pytest.approx(expected, rel=1e-11)
            assert chart.total("real") == chart.total("real", distinct=False)
    e = (1 - math.sqrt(1 - 4 * 0.2 * 0.3)) / 0.4
    assert pytest.approx(0.5 / (1 - 0.4 * e), rel=1e-12) == CASES['S -> S S [.2] | "a" [.5] | "" [.3]\n'][0]


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("semiring", ["real", "log", "viterbi", "min-plus", "expectation"])
def test_loops_that_gain_without_end_are_refused(name: str, semiring: str) -> None:
    chart = shipped(name).run("a", parse_context_free('S -> S [2] | "a" [.5]\n'))
    with pytest.raises(EndlessSumError, match=r"helps? to derive"):
        chart.total(semiring)
    with pytest.raises(EndlessSumError):
        chart.best()


@pytest.mark.parametrize("name", CHAINS)
def test_the_best_structure_takes_no_round_that_costs(name: str) -> None:
    chart = shipped(name).run("a", parse_context_free('S -> S [.5] | "a" [.5]\n'))
    assert chart.best().weight == pytest.approx(math.log(0.5))
    assert chart.total("boolean") is True


def test_counts_stay_without_loops() -> None:
    """A step whose consequent is its antecedent is no step, and makes no further derivation."""
    weighted, plain = (
        shipped("shift-reduce").run("a", parse_context_free(text))
        for text in ('S -> S [.5] | "a" [.5]\n', 'S -> S | "a"\n')
    )
    assert weighted.step_count == plain.step_count
    assert weighted.total("count") == plain.total("count") == weighted.forest().derivation_count == 1
    assert plain.total("real") == 1.0  # without weights, a round adds nothing


def test_sums_of_a_semiring_of_ones_own() -> None:
    """Without a star a cycle is refused; with star and minus Newton's method runs in pairs of numbers."""
    chart = shipped("earley").run("a", parse_context_free('S -> S S [.2] | "a" [.5] | "" [.3]\n'))
    plain = Semiring(0.0, 1.0, lambda x, y: x + y, lambda x, y: x * y, lambda w, _: math.exp(w))
    with pytest.raises(EndlessSumError, match="no star"):
        chart.total(plain)
    with_star = Semiring(
        0.0, 1.0, lambda x, y: x + y, lambda x, y: x * y, lambda w, _: math.exp(w),
        lambda x: 1 / (1 - x) if x < 1 else math.inf,
    )  # fmt: skip
    with pytest.raises(EndlessSumError, match="no minus"):
        chart.total(with_star)
    total = chart.total("expectation")
    step = 1e-6  # d/dt of the sum of w^(1 + t) at t = 0 is the sum of w log w
    sums = []
    for t in (-step, step):
        powers = Semiring(
            0.0,
            1.0,
            REAL.plus,
            REAL.times,
            lambda w, _, t=t: math.exp(w * (1 + t)),
            REAL.star,
            minus=REAL.minus,
        )
        sums.append(chart.total(powers))
    assert total[1] == pytest.approx((sums[1] - sums[0]) / (2 * step), rel=1e-6)


def test_a_sum_too_large_for_a_number_is_refused() -> None:
    text = 'S -> S S [1] | "a" [log 400]\n'
    chart = shipped("earley").run("a a", parse_context_free(text))
    with pytest.raises(UsageError, match="too large"):
        chart.total("real")
    assert chart.total("log") == pytest.approx(800)


SQUARES = """
schema squares
  grammar d-rules
item c[i: position]
step Begin
  ----
  c[0]
step Again
  ----
  c[0]
step Square
  c[i]   c[i]
  -----------  i < n
  c[i + 1]
final c[n]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    ("weight", "words", "held"),
    # A derivation of n words has 2^n - 1 steps Square, and there are 2^(2^n).
    [(2.0, 1020, True), (2.0, 1030, False), (0.5, 1020, True), (0.5, 1030, False)],
)
@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
def test_logarithms_too_large_for_a_number_are_refused(
    weight: float, words: int, held: bool, engine: Any
) -> None:
    weights = {"Square": lambda: math.log(weight)}
    chart = schema_of(SQUARES).run("w " * words, engine=engine, weights=weights)
    size = (2.0**words - 1) * math.log(weight) if held else None
    best = [
        lambda: chart.total("viterbi"),
        lambda: -chart.total("min-plus"),
        lambda: chart.total("best:2")[0],
    ]
    for ask in best:
        if held:
            assert ask() == pytest.approx(size)
        else:
            with pytest.raises(UsageError, match="too large"):
                ask()
    if weight < 1:
        assert chart.total("log") == pytest.approx(math.log(2))  # 2^(2^n) derivations of 2^(1 - 2^n)
        return
    if held:
        assert chart.total("log") == pytest.approx(size + 2.0**words * math.log(2))
        return
    for refused in (
        lambda: chart.total("log"),
        lambda: chart.total("real"),
        lambda: chart.total("expectation"),
        chart.marginals,
        chart.sample,
        chart.entropy,
    ):
        with pytest.raises(UsageError, match="too large"):
            refused()


@pytest.mark.parametrize("engine", ["python", "native"])
def test_nothing_derived_has_no_weight_that_is_too_large(engine: Any) -> None:
    for chart in (
        schema_of(SQUARES.replace("c[0]", "c[1]")).run(
            "a b", engine=engine, weights={"Square": lambda: -math.inf}
        ),
        shipped("eisner1996").run("a b", schemata.DRules.from_pairs([]), engine=engine),
    ):
        assert chart.total("log") == chart.total("viterbi") == -math.inf
        assert chart.total("min-plus") == math.inf
        assert chart.k_best(2) == chart.sample(2) == []
        assert chart.marginals() == {}


COINCIDING = """
schema coinciding
relation first(a: symbol, b: symbol)
relation last(a: symbol, b: symbol)
relation lexical(form: word, category: symbol)
item c[A: symbol, i: position]
step Word
  ---------  lexical(i, A)
  c[A, i]
step Up
  case one
    c[A, i]
    -------  first(A, B)
    c[B, i]
  case other
    c[A, i]
    -------  last(A, B)
    c[B, i]
final c[B, n]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_cases_that_coincide_keep_both_weights(engine: str) -> None:
    facts = schemata.Facts.from_text("lexical(w, X)\nfirst(X, Y) [.25]\nlast(X, Y) [.5]\n")
    chart = schema_of(COINCIDING.replace("final c[B, n]", "final c[B, n]  where first(_, B)")).run(
        "w", facts, engine=engine
    )
    assert chart.steps_by_name["Up"] == 1
    assert chart.total("real") == pytest.approx(0.75 * 0.25)  # the final item asks for first(_, Y) once more
    assert chart.best().weight == pytest.approx(math.log(0.5 * 0.25))


def test_a_rule_with_its_head_first_and_last() -> None:
    facts = "lexical(a, A)\nstart(S)\nhead_first(S, A, A) [.25]\nhead_last(S, A, A) [.5]\n"
    chart = shipped("head-driven").run("a a", schemata.Facts.from_text(facts))
    assert chart.total("real") == pytest.approx(0.75)
    assert chart.forest().derivation_count == 1


def test_a_recognizer_whose_rules_are_context_has_no_totals() -> None:
    chart = shipped("ghr").run("a", parse_context_free('S -> A [.5]\nA -> "a" [.25]\n'))
    for asked in (lambda: chart.total("real"), chart.best, chart.marginals, lambda: chart.sample(1)):
        with pytest.raises(UsageError, match="only context asks"):
            asked()
    entries = parse_context_free(
        'S -> A\nA -> "a" [.25]\n'
    )  # which Scanner asks for, whose items are no context
    assert shipped("ghr").run("a", entries).total("real") == 0.25


def test_log_and_real_agree_beyond_floats() -> None:
    text = 'S -> S [.5] | "a" [log -800]\n'
    for name in CHAINS:
        chart = shipped(name).run("a", parse_context_free(text))
        assert chart.total(LOG) == pytest.approx(-800 + math.log(2))
