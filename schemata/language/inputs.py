"""Schemata of several inputs for sentences in which all their words stand in a row.

The length of each input but the last becomes a number. Positions of an input count from its own beginning; a condition
that asks about a word takes the word's position in the row, which has the words of inputs only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from schemata.language import model as m
from schemata.language.bounds import ZERO, differences, stated
from schemata.language.substitute import linear_of, sum_of

T = TypeVar("T")
_Rule = TypeVar("_Rule", m.Case, m.Clause)


def with_equal_lengths(schema: m.Schema) -> m.Schema:
    """Return a schema of several inputs whose positions and items are those for inputs of n words each."""
    return replace(_with_lengths(schema, [m.Var("n")] * len(schema.inputs), schema.inputs), inputs=())


def with_lengths(schema: m.Schema, lengths: Sequence[int]) -> m.Schema:
    """Return a schema of several inputs for given lengths of all but the last, which ends where the sentence does."""
    numbers: list[m.Term] = [m.Lit(length) for length in lengths]
    numbers.append(linear_of(-sum(lengths), {m.Var("n"): 1}))
    known = _with_lengths(schema, numbers, schema.inputs)

    def within(rules: Sequence[_Rule], filled: Sequence[_Rule]) -> tuple[_Rule, ...]:
        pairs = zip(rules, filled, strict=True)
        return tuple(
            part for rule, one in pairs for part in _within_inputs(rule, one, schema.inputs, numbers)
        )

    return replace(
        known,
        cases=within(schema.cases, known.cases),
        hypotheses=within(schema.hypotheses, known.hypotheses),
        finals=within(schema.finals, known.finals),
        lengths=tuple(lengths),
    )


def _within_inputs(
    rule: _Rule, filled: _Rule, inputs: Sequence[str], numbers: Sequence[m.Term]
) -> list[_Rule]:
    """Return a rule, or its parts, in which conditions about words look at no word of another input.

    A position of an input that is not one of its words, such as 0, may be the place of a word of another input, since
    the words of all inputs stand in a row. For such a position a condition must be false, and the negation of a
    relation true. Tests that the rule's own conditions imply are left out.

    Parameters
    ----------
    rule, filled : a rule, and the same one with the lengths of all inputs in it.
    """
    rules: list[_Rule] = [filled]
    known = stated(filled.conditions)
    for condition, with_numbers in zip(rule.conditions, filled.conditions, strict=True):
        words = _words_of(condition, rule.types, inputs)
        placed = tuple(test for term, of in words for test in _tests(term, of, inputs))
        placed = _with_lengths(placed, numbers, inputs)
        tests = [test for test in placed if not known.proves(differences(test) or [(ZERO, ZERO, -1)])]
        if tests:
            inside = m.Junction("and", tuple(tests))
            rules = [part for one in rules for part in _with_words_inside(one, with_numbers, inside)]
    return rules


def _with_words_inside(rule: _Rule, condition: m.Condition, inside: m.Term) -> list[_Rule]:
    """Return the parts of a rule in which the words that a condition asks about are inside of their inputs, or not."""
    parts = [replace(rule, conditions=(*rule.conditions, inside))]
    if isinstance(condition, m.HasFact) and condition.negated and condition.relation != m.SAME_WORD:
        outside: list[m.Condition] = [c for c in rule.conditions if c is not condition]
        parts.append(replace(rule, conditions=(*outside, m.Not(inside))))
    return parts


def _words_of(
    condition: m.Condition, types: Mapping[str, m.Type], inputs: Sequence[str]
) -> list[tuple[m.Term, str]]:
    """Return the terms for words that a condition asks about, each with the input to which it belongs."""
    found: list[tuple[m.Term, str]] = []

    def note(term: m.Term) -> m.Term:
        atoms = term.atoms if isinstance(term, m.Linear) else ((term, 1),)
        net: Counter[str] = Counter()
        for atom, k in atoms:
            if isinstance(atom, m.Var):
                length = m.is_length(atom.name)
                of = atom.name.removeprefix(m.LENGTH_OF) if length else types.get(atom.name, m.POSITION).of
                net[of] += k
        last = next((x for x in reversed(inputs) if net[x]), None)
        if last is not None:
            found.append((term, last))
        return term

    if isinstance(condition, m.HasFact):
        m.with_words(condition, note)
    return found


def _tests(word: m.Term, of: str, inputs: Sequence[str]) -> tuple[m.Term, m.Term]:
    """Return tests that a word in the row of all is one of an input."""
    before = [(m.Var(m.LENGTH_OF + x), 1) for x in inputs[: inputs.index(of)]]
    last = sum_of(0, [*before, (m.Var(m.LENGTH_OF + of), 1)])
    return m.Compare("<=", sum_of(1, before), word), m.Compare("<=", word, last)


def _with_lengths(node: T, numbers: Sequence[m.Term], inputs: Sequence[str]) -> T:
    """Return a schema, or a part of one, with numbers in place of the lengths of its inputs."""
    given = {m.LENGTH_OF + name: number for name, number in zip(inputs, numbers, strict=True)}

    def change(node: object) -> m.Term | None:
        match node:
            case m.Var(name) if name in given:
                return given[name]
            case m.Linear(constant, atoms):
                return sum_of(constant, [(given.get(atom.name, atom), k) for atom, k in atoms])
        return None

    known: T = m.rewrite(node, change)
    return known
