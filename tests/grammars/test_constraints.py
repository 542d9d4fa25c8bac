"""Files of constraints read back, mistakes have places; formulas against an evaluation of their own."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata import Constraints, GrammarError
from schemata.constraints.checks import assignments, random_constraints, random_sentence
from schemata.grammars.constraint_networks import Network
from schemata.grammars.constraints import (
    Among,
    Attribute,
    BetweenHead,
    Compare,
    Constant,
    Crossing,
    Distance,
    Has,
    Junction,
    Value,
)

HEAD = "labels A B\nx : N case=nom | N case=acc\ny : V\n"


@given(st.integers(0, 10**6))
def test_what_is_written_reads_back(seed: int) -> None:
    grammar = random_constraints(Random(seed))
    again = Constraints.from_text(grammar.to_text(["a comment"]))
    assert again == grammar
    assert again.words == grammar.words
    assert [one.formula for one in again.constraints] == [one.formula for one in grammar.constraints]


def test_names_in_quotes() -> None:
    text = "labels 'nsubj:pass' 'and'\n\"the\" : 'a b' 'c:d'='in'\ntag 'x y' : 'a b'\n"
    text += "constraint 'odd name' [0.25]: X.label = 'and' -> X.cat = 'a b' and X.word != 'not'\n"
    grammar = Constraints.from_text(text)
    assert grammar.labels == ("nsubj:pass", "and")
    assert Constraints.from_text(grammar.to_text()) == grammar


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("labels A", "duplicate-label", 8),
        ("z V", "unexpected-token", 1),
        ("z : N case", "unexpected-token", 11),
        ("z : N label=x", "bad-feature", 7),
        ("constraint c X.label = A", "unexpected-token", 14),
        ("constraint c: X.label = C", "unknown-name", 25),
        ("constraint c: X.cat = M", "unknown-name", 23),
        ("constraint c: X.case = gen", "unknown-name", 24),
        ("constraint c: has(X, C)", "unknown-name", 22),
        ("constraint c: X.lable = A", "unknown-attribute", 17),
        ("constraint c: Z.label = A", "unknown-variable", 15),
        ("constraint c: X.label < A", "wrong-type", 23),
        ("constraint c: X.label = 3", "wrong-type", 25),
        ("constraint c: X.head = A", "wrong-type", 24),
        ("constraint c: X.head in {A}", "wrong-type", 15),
        ("constraint c: A = B", "no-variable", 15),
        ("constraint c: 1 = 2", "no-variable", 15),
        ("constraint c: Y.label = A", "no-variable", 12),
        ("constraint c: crosses(X, X)", "same-word", 15),
        ("constraint c: distance(X, X) = 1", "same-word", 15),
        ("constraint c [1]: X.label = A", "bad-weight", 14),
        ("constraint c [-1]: X.label = A", "bad-weight", 14),
        ("constraint c [1e-9]: X.label = A", "bad-weight", 14),
        ("constraint c: X.label = A and", "unexpected-token", 30),
        ("constraint c: (X.label = A", "unexpected-token", 27),
        ("constraint c: X", "unexpected-token", 15),
        ("constraint c: has(X)", "unexpected-token", 20),
        ("constraint first: X.label = A", "duplicate-constraint", 12),
        ("X.label = A -> X.head = 0", "unexpected-token", 1),
    ],
)
def test_mistakes(line: str, code: str, column: int) -> None:
    with pytest.raises(GrammarError) as caught:
        Constraints.from_text(f"{HEAD}constraint first: X.head != 0 -> X.label = A\n{line}\n")
    [finding] = caught.value.diagnostics
    assert finding.location is not None
    assert (finding.code, finding.location.line, finding.location.column) == (code, 5, column)
    assert finding.expected


def test_all_mistakes_at_once() -> None:
    with pytest.raises(GrammarError) as caught:
        Constraints.from_text("labels A\nx N\nconstraint c: X.label = B\nconstraint d: X.f = 1\n")
    assert [(x.location.line, x.code) for x in caught.value.diagnostics if x.location] == [
        (2, "unexpected-token"), (3, "unknown-name"), (4, "unknown-attribute"), (4, "wrong-type"),
    ]  # fmt: skip


def test_a_second_constraint_of_a_name_is_read_for_its_mistakes() -> None:
    with pytest.raises(GrammarError) as caught:
        Constraints.from_text(
            "labels A\nx : N\nconstraint c: X.label = A\nconstraint c: X.label = A\nconstraint c: Z.label = A"
        )
    assert [(x.location.line, x.code) for x in caught.value.diagnostics if x.location] == [
        (4, "duplicate-constraint"), (5, "unknown-variable"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "# nothing", "labels A", "labels A\nx : N", "x : N\nconstraint c: X.head = 0"]
)
def test_files_that_lack_something(text: str) -> None:
    with pytest.raises(GrammarError, match="the file has no"):
        Constraints.from_text(text)


def test_a_label_that_no_constraint_names() -> None:
    [warning] = Constraints.from_text("labels A B\nx : N\nconstraint c: X.label = A").warnings
    assert warning.code == "unused-label"


# Formulas -------------------------------------------------------------------------------------------------------


def holds(formula: Any, network: Network, values: tuple[Value, ...], x: int, y: int) -> bool:
    """Evaluate a formula on a whole assignment, by its meaning alone."""
    words = {"X": x, "Y": y}

    def of(word: int, name: str) -> Any:
        if name == "position":
            return word
        if word == 0:
            return {"cat": "root", "head": -1}.get(name, "none")
        value = values[word - 1]
        if name in ("label", "head"):
            return getattr(value, name)
        if name == "word":
            return network.sentence.words[word - 1]
        reading = network.readings[word - 1][value.reading]
        return reading.category if name == "cat" else dict(reading.features).get(name, "none")

    def term(one: Any) -> Any:
        match one:
            case Attribute(variable=variable, of_head=up, name=name):
                word = words[variable]
                return of(values[word - 1].head if up else word, name)
            case Distance(start=start, end=end):
                last = values[words[start] - 1].head if end is None else words[end]
                return last - words[start]
        return one

    def arc(word: int) -> tuple[int, int]:
        return min(word, values[word - 1].head), max(word, values[word - 1].head)

    match formula:
        case Compare(left=left, operator=operator, right=right):
            a, b = term(left), term(right)
            return bool({"=": a == b, "!=": a != b}.get(operator)) if isinstance(a, str) else {
                "=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
            }[operator]  # fmt: skip
        case Among(term=one, names=names):
            return term(one) in names
        case Has(variable=variable, labels=labels):
            return any(v.head == words[variable] and v.label in labels for v in values)
        case Crossing():
            (a, b), (c, d) = sorted((arc(x), arc(y)))
            return a < c < b < d
        case BetweenHead(inner=inner, outer=outer):
            a, b = arc(words[outer])
            return a < words[inner] < b
        case Constant(value=value):
            return value
        case Junction(operator="not", parts=(part,)):
            return not holds(part, network, values, x, y)
        case Junction(operator="->", parts=(one, other)):
            return not holds(one, network, values, x, y) or holds(other, network, values, x, y)
        case Junction(operator=operator, parts=parts):
            found = [holds(part, network, values, x, y) for part in parts]
            return all(found) if operator == "and" else any(found)
    raise TypeError(formula)


@given(st.integers(0, 10**6), st.integers(1, 3))
def test_formulas_mean_what_they_say(seed: int, n: int) -> None:
    rng = Random(seed)
    grammar = random_constraints(rng)
    network = Network(grammar, random_sentence(grammar, n, rng))
    every = list(assignments(network))
    for values in rng.sample(every, min(len(every), 10)):
        expected = set()
        for one in grammar.constraints:
            for x in range(1, n + 1):
                if not one.is_binary and not holds(one.formula, network, values, x, 0):
                    expected.add((one.name, (x,)))
                for y in range(x + 1, n + 1) if one.is_binary else ():
                    if not (
                        holds(one.formula, network, values, x, y)
                        and holds(one.formula, network, values, y, x)
                    ):
                        expected.add((one.name, (x, y)))
        assert {(v.constraint.name, v.words) for v in network.violations(values)} == expected


@given(st.integers(0, 10**6))
def test_three_values_are_right_about_two(seed: int) -> None:
    """What is decided of some words stays so, whatever the others get."""
    rng = Random(seed)
    grammar = random_constraints(rng)
    network = Network(grammar, random_sentence(grammar, 3, rng))
    values = rng.choice(list(assignments(network)))
    whole, part = network.state(), network.state()
    whole.values[1:] = values
    for word in rng.sample(range(1, 4), rng.randint(0, 2)):
        part.values[word] = values[word - 1]
    for one in grammar.constraints:
        for x, y in ((1, 2), (2, 1), (3, 1)):
            y = y if one.is_binary else -1  # noqa: PLW2901
            early = one.check(part, x, y)
            assert early is None or early == one.check(whole, x, y)
