"""Duplicate step instances: the rules that may find one in two ways, for which a kernel remembers those it met.

An instance is a step's name, its antecedents and consequent in normal form, and the links it builds. It may be
found twice where items have several writings, where a variable shows in none of these, or where two rules of
one name (two cases, or two choices of kinds) can agree in all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from schemata.language.cases import hyperedge_names, instance_names
from schemata.program.facts import conditions_of, difference, facts_of
from schemata.program.linear import Affine, Asks, Linear, Provided, learn, linear_terms, variable
from schemata.program.model import Atom, Program, Rule

How = Literal["never", "writings", "always"]


def repetitions(program: Program, hyperedges: bool = False) -> Mapping[int, How]:
    """Return, by rule, when an instance may be found again: where an antecedent has several writings, or always.

    With `hyperedges`, instances that differ in context antecedents alone are the same.
    """
    agreeing = {number for pair in agreeing_rules(program, hyperedges) for number in pair}
    found: dict[int, How] = {}
    for rule, whole in zip(_rules(program, hyperedges), program.rules, strict=True):
        how: How = "writings" if any(_has_writings(program, a) for a in rule.antecedents) else "never"
        if (
            rule.number in agreeing
            or not _is_traced(program, rule)
            or len(rule.variables) < len(whole.variables)
        ):
            how = "always"
        found[rule.number] = how
    return found


def repeating_rules(program: Program, hyperedges: bool = False) -> frozenset[int]:
    """Return the rules that may find an instance again when they begin with any writing of the consequent."""
    found = repetitions(program, hyperedges).items()
    rules = program.rules
    return frozenset(x for x, how in found if how != "never" or _has_writings(program, rules[x].consequent))


def step_numbers(program: Program, hyperedges: bool = False) -> tuple[int, ...]:
    """Return, for every rule, the number that tells its instances, or hyperedges, from those of other steps."""
    names = (hyperedge_names if hyperedges else instance_names)(program.schema)
    return tuple(names[rule.case] for rule in program.rules)


def instance_words(program: Program) -> int:
    """Return how many words an instance takes: a step's number, items (at least one), ends of links, two a word."""
    cases = program.schema.cases
    numbers = (cases[rule.case].stride + (not rule.antecedents) for rule in program.rules)
    return max(((number + 1) // 2 for number in numbers), default=1)


def instance_text(program: Program, numbers: Sequence[str]) -> list[str]:
    """Return in code the words that tell an instance from others; what is not there is no number."""
    pairs = itertools.zip_longest(numbers[::2], numbers[1::2], fillvalue=str((1 << 32) - 1))
    words = [f"({first}) * {1 << 32} + {second}" for first, second in pairs]
    return words + ["-1"] * (instance_words(program) - len(words))


def _rules(program: Program, hyperedges: bool) -> Sequence[Rule]:
    """Return the rules, without their context antecedents where instances are hyperedges."""

    def structural(rule: Rule) -> Rule:
        kept = [a for a, context in zip(rule.antecedents, rule.contexts, strict=True) if not context]
        return replace(rule, antecedents=tuple(kept), contexts=(False,) * len(kept))

    return [structural(rule) for rule in program.rules] if hyperedges else program.rules


def agreeing_rules(program: Program, hyperedges: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the numbers of any two rules of one name that may find the same instance, or the same hyperedge."""
    groups: dict[object, list[Rule]] = {}
    names = (hyperedge_names if hyperedges else instance_names)(program.schema)
    for rule in _rules(program, hyperedges):
        end = rule.consequent.kind
        form = program.kinds[end].form
        kinds = tuple(a.kind for a in rule.antecedents), form if form in program.equations else -1 - end
        groups.setdefault((names[rule.case], kinds, tuple(map(len, rule.links))), []).append(rule)
    for group in groups.values():
        for k, rule in enumerate(group):
            for other in group[k + 1 :]:
                if _may_agree(program, rule, other):
                    yield rule.number, other.number


def _has_writings(program: Program, atom: Atom) -> bool:
    return program.kinds[atom.kind].form in program.equations


def _traces(program: Program, rule: Rule) -> Iterator[Affine]:
    """Yield the terms of a rule whose values an instance has: not those of a consequent in another writing."""
    made = () if _has_writings(program, rule.consequent) else rule.consequent
    return linear_terms((rule.antecedents, made, rule.links))


def _is_traced(program: Program, rule: Rule) -> bool:
    """Whether an instance determines the values of all variables that stand in more than one place."""
    terms = list(_traces(program, rule))
    terms += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
    asks = [t for t in rule.tests if isinstance(t, Asks)]
    known: set[str] = {"n"}
    learn(known, terms)
    while True:
        for test in asks:
            bound = [k for k, term in enumerate(test.terms) if known.issuperset(term.names)]
            determined = [test.terms[k] for k in test.query.determined(bound) or ()]
            terms += [term for term in determined if term.single is not None]
        if not learn(known, terms):
            return known.issuperset(rule.shared)


def _may_agree(program: Program, one: Rule, other: Rule) -> bool:
    """Whether nothing shows that two rules never find the same instance."""
    again = {name: variable(f"{name}'") for name in other.variables}
    pairs = zip(_traces(program, one), _traces(program, other), strict=True)
    same = [Linear("==", a - b.substitute(again)) for a, b in pairs]
    if any(not t.left.terms and t.left.constant for t in same):
        return False
    tests = [*one.tests, *(t.substitute(again) for t in other.tests)]
    kinds = [t for a in one.antecedents for t in conditions_of(program.kinds, a)]
    facts = facts_of([*kinds, *tests, *same])
    if facts.contradictory():
        return False
    # a link to the left is none to the right: licences hold between different words
    for test in tests:
        if isinstance(test, Provided) and test.table.is_irreflexive:
            left, right = test.arguments
            sides = [difference(left - right), difference(right - left)]
            if all(side is not None and facts.proves([side]) for side in sides):
                return False
    return True
