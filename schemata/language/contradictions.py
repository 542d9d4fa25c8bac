"""Conditions that contradict each other: rules that no items can ever fulfil, found without a run.

No false alarms: what is reported holds for every sentence, every grammar and every value of the parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from schemata.errors import Diagnostic
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.bounds import Bounds, implied
from schemata.language.rules import Places
from schemata.language.source import Span
from schemata.language.substitute import item_conditions

__all__ = ["find_contradictions", "impossible"]

_BRANCHES = 64  # alternatives that are tried; beyond, conditions with `or` are passed over


def find_contradictions(
    schema: m.Schema,
    places: Mapping[int, Places],
    ranges: Sequence[s.Condition],
    problems: list[Diagnostic],
) -> None:
    """Report forms, hypotheses, final items and cases whose conditions cannot all be true.

    Parameters
    ----------
    schema : a schema in which parameters are variables.
    places : where the parts of its forms, clauses and cases stand, by identity; cases without are left out.
    ranges : the ranges of the parameters.
    """
    known: list[m.Condition] = [fact for condition in ranges for fact in _range(condition)]
    impossible: set[str] = set()
    for form in schema.forms:
        where = places[id(form)]
        at = _first_contradiction(known, zip(form.where, where.conditions, strict=False))
        if at is not None:
            impossible.add(form.name)
            problems.append(_report(at, f"the conditions of item form {form.name} contradict each other"))
    for hypothesis in schema.hypotheses:
        own = list(zip(hypothesis.conditions, places[id(hypothesis)].conditions, strict=False))
        if _first_contradiction(known, own) is not None:
            impossible.add(hypothesis.pattern.form)
    forms = {f.name: [] if f.name in impossible else [f] for f in schema.forms}

    def facts(pattern: m.Pattern, span: Span) -> list[tuple[m.Condition, Span]]:
        return [(c, span) for f in forms[pattern.form] for c in item_conditions(f, pattern.terms)]

    for what, clauses in (("hypothesis", schema.hypotheses), ("final", schema.finals)):
        for clause in clauses:
            here = places[id(clause)]
            own = list(zip(clause.conditions, here.conditions, strict=False))
            at = _first_contradiction(known, [*own, *facts(clause.pattern, here.items[0])])
            if at is not None and what == "hypothesis":
                message = f"the range of hypothesis {clause.pattern.form} is empty"
                problems.append(at.report("empty-hypothesis", message, expected="a range with positions"))
            elif at is not None:
                problems.append(_report(at, "the conditions of this final item contradict each other"))
    for case in schema.cases:
        if id(case) not in places:
            continue
        here = places[id(case)]
        given = [
            fact
            for a, span in zip(case.antecedents, here.items, strict=False)
            for fact in facts(a.pattern, span)
        ]
        given += zip(case.conditions, here.conditions, strict=False)
        at = _first_contradiction(known, given)
        if at is not None:
            problems.append(_report(at, f"the conditions of step {case.step} contradict each other"))
            continue
        if schema.form(case.consequent.form).has_normal_form:
            continue  # the filter is about the normal form of the consequent, which may be another writing
        if _first_contradiction(known, [*given, *facts(case.consequent, here.items[-1])]) is not None:
            problems.append(
                here.items[-1].report(
                    "contradiction",
                    f"the conditions of step {case.step} contradict those of form {case.consequent.form}",
                    expected="conditions that some items fulfil",
                    hint="the consequent is never an item of its form",
                )
            )


def _report(span: Span, message: str) -> Diagnostic:
    return span.report(
        "contradiction",
        message,
        expected="conditions that some items fulfil",
        hint="this one can never be true together with those before it",
    )


def _first_contradiction(
    known: Sequence[m.Condition], conditions: Iterable[tuple[m.Condition, Span]]
) -> Span | None:
    """Return the place of the first condition that cannot be true together with those before it."""
    given = list(conditions)
    if not impossible([*known, *(c for c, _ in given)]):
        return None
    so_far = list(known)
    for condition, span in given:
        so_far.append(condition)
        if impossible(so_far):
            return span
    return None


def impossible(conditions: Sequence[m.Condition]) -> bool:
    """Whether no assignment of integers and flags makes all conditions true; False where that is open.

    >>> i, j = m.Var("i"), m.Var("j")
    >>> impossible([m.Compare("<", i, j), m.Compare("<", j, i)])
    True
    >>> impossible([m.Junction("or", (m.Var("b"), m.Var("c"))), m.Not(m.Var("b"))])
    False
    """
    branches: list[list[m.Condition]] = [[]]
    for alternatives in sorted((_alternatives(c, True) for c in conditions), key=len):
        if len(branches) * len(alternatives) > _BRANCHES:
            continue
        branches = [[*b, *a] for b, a in itertools.product(branches, alternatives)]
        branches = [b for b in branches if not _clash(b)]
        if not branches:
            return True
    return False


def _alternatives(condition: m.Condition, wanted: bool) -> list[list[m.Condition]]:
    """Return a condition (or its opposite) as alternatives, each a list of simple conditions."""
    match condition:
        case m.Not(operand):
            return _alternatives(operand, not wanted)
        case m.Junction(word, operands):
            parts = [_alternatives(o, wanted) for o in operands]
            if (word == "or") == wanted:
                return [alternative for part in parts for alternative in part]
            count = 1
            for part in parts:
                count *= len(part)
            if count > _BRANCHES:
                parts = [p for p in parts if len(p) == 1]
            return [[x for a in choice for x in a] for choice in itertools.product(*parts)]
        case m.Lit(bool() as value):
            return [[]] if value == wanted else []
        case _ if isinstance(condition, m.GRAMMAR_CONDITIONS):
            return [[]]
    return [[condition if wanted else m.Not(condition)]]


def _clash(conditions: Iterable[m.Condition]) -> bool:
    """Whether simple conditions contradict each other."""
    facts = Bounds()
    flags: dict[str, bool] = {}
    for condition in conditions:
        match condition:
            case m.Var(name):
                if flags.setdefault(name, True) is False:
                    return True
            case m.Not(m.Var(name)):
                if flags.setdefault(name, False) is True:
                    return True
            case m.IsAbsent(m.Lit(value)):
                if value is not None:
                    return True
            case m.Not(m.IsAbsent(m.Lit(None))):
                return True
            case m.Compare("<=" | "<", m.Lit(None), _) | m.Compare("<=" | "<", _, m.Lit(None)):
                return True
            case m.Member(_, m.Interval(m.Lit(None), _) | m.Interval(_, m.Lit(None))):
                return True
            case _:
                facts.learn(implied(condition))
    return facts.contradictory()


def _range(condition: s.Condition) -> list[m.Condition]:
    """Return the range of a parameter as conditions on the variable that stands for it."""
    if not isinstance(condition, s.Comparison):
        return []
    terms: list[m.Term | None] = []
    for operand in condition.operands:
        match operand:
            case s.Constant(int() as number, "number"):
                terms.append(m.Lit(number))
            case s.Name(name):
                terms.append(m.Var(name))
            case _:
                terms.append(None)
    found: list[m.Condition] = []
    for low, relation, high in zip(terms, condition.relations, terms[1:], strict=False):
        if low is None or high is None:
            continue
        match relation:
            case "<=" | "<" | "==":
                found.append(m.Compare(relation, low, high))
            case ">=" | ">":
                found.append(m.Compare("<=" if relation == ">=" else "<", high, low))
    return found
