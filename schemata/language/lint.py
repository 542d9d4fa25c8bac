"""Checks of a whole schema that need no run: contradictions, forms nothing produces, finals nothing reaches.

No false alarms: what is reported holds for every sentence and every grammar.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from schemata.errors import Diagnostic
from schemata.language import model as m
from schemata.language.bounds import Bounds, implied
from schemata.language.source import Span
from schemata.language.substitute import item_conditions

__all__ = ["case_facts", "lint"]

_FLAG_LIMIT = 10  # variables; all their assignments are tried


def lint(schema: m.Schema, problems: list[Diagnostic]) -> None:
    """Report contradictions, unproduced forms and unreachable final items; warn of forms nothing needs."""
    for form in schema.forms:
        if _impossible(form.where, ()):
            problems.append(_contradiction(form.span, f"the conditions of item form {form.name}"))
    for clause in (*schema.hypotheses, *schema.finals):
        where = item_conditions(schema.form(clause.pattern.form), clause.pattern.terms)
        if _impossible((*clause.conditions, *where), ()):
            problems.append(_contradiction(clause.span, "the conditions"))
    for hypothesis in schema.hypotheses:
        _check_bounded(hypothesis, problems)
    for case in schema.cases:
        facts = case_facts(schema, case)
        own = [
            c
            for c in case.conditions
            if not isinstance(c, m.Licensed | m.HasRule | m.RootCategory | m.HasCategory)
        ]
        if _impossible((*facts, *own), ()):
            problems.append(_contradiction(case.span, f"the conditions of step {case.step}"))
            continue
        target = item_conditions(schema.form(case.consequent.form), case.consequent.terms)
        if _impossible((*facts, *own, *target), ()):
            problems.append(
                _contradiction(
                    case.span, f"the conditions of step {case.step} and of its consequent's item form"
                )
            )
        for term in (*(x for link in case.links for x in (link.dependent, link.head)),):
            if isinstance(term, m.Lit) and term.value is None:
                problems.append(case.span.report("bad-link", "a link's end is absent"))
    _reachability(schema, problems)


def case_facts(schema: m.Schema, case: m.Case) -> tuple[m.Term, ...]:
    """Return what the antecedents' item forms guarantee of the case's variables."""
    return tuple(
        condition
        for antecedent in case.antecedents
        for condition in item_conditions(schema.form(antecedent.pattern.form), antecedent.pattern.terms)
    )


def _contradiction(span: Span, what: str) -> Diagnostic:
    return span.report(
        "contradiction",
        f"{what} contradict each other",
        expected="conditions that some items fulfil",
        hint="no instance can ever fulfil them all",
    )


def _impossible(conditions: Iterable[m.Condition], extra: Sequence[m.Condition]) -> bool:
    every = [*conditions, *extra]
    facts = Bounds()
    for condition in every:
        facts.learn(implied(condition))
    return facts.contradictory() or _flags_impossible(every)


def _flags_impossible(conditions: list[m.Condition]) -> bool:
    """Whether no assignment of the flags fulfils those conditions that speak of flags only."""
    propositions = [c for c in conditions if _is_proposition(c)]
    names = sorted({name for c in propositions for name in m.variables(c)})
    if not propositions or len(names) > _FLAG_LIMIT:
        return False
    return not any(
        all(_truth(c, dict(zip(names, values, strict=True))) for c in propositions)
        for values in itertools.product((False, True), repeat=len(names))
    )


def _is_proposition(condition: m.Condition) -> bool:
    match condition:
        case m.Var() | m.Lit(True | False):
            return True
        case m.Not(operand):
            return _is_proposition(operand)
        case m.Junction(_, operands):
            return all(_is_proposition(o) for o in operands)
        case m.Compare("==" | "!=", m.Lit(a), m.Lit(b)):
            return isinstance(a, bool) and isinstance(b, bool)
    return False


def _truth(condition: m.Condition, values: dict[str, bool]) -> bool:
    match condition:
        case m.Var(name):
            return values[name]
        case m.Lit(value):
            return bool(value)
        case m.Not(operand):
            return not _truth(operand, values)
        case m.Junction("and", operands):
            return all(_truth(o, values) for o in operands)
        case m.Junction("or", operands):
            return any(_truth(o, values) for o in operands)
        case m.Compare(relation, m.Lit(a), m.Lit(b)):
            return (a == b) == (relation == "==")
    return True


def _check_bounded(clause: m.Clause, problems: list[Diagnostic]) -> None:
    """A hypothesis stands for finitely many items: each of its variables needs both ends."""
    facts = Bounds()
    for condition in clause.conditions:
        facts.learn(implied(condition))
    for name in dict.fromkeys(m.variables(clause.pattern)):
        if name == "n":
            continue
        kind = clause.types[name].kind
        low = min(
            (d for d in (facts.distance("0", name), facts.distance("n", name)) if d is not None), default=None
        )
        high = min(
            (d for d in (facts.distance(name, "0"), facts.distance(name, "n")) if d is not None), default=None
        )
        if kind == "flag" or (kind == "position" and low is not None and high is not None):
            continue
        problems.append(
            clause.span.report(
                "unbounded-hypothesis",
                f"variable {name} of the hypothesis has no bounds",
                expected=f"where LOW <= {name} <= HIGH, ends given by numbers, parameters and n",
            )
        )


# What derives what ------------------------------------------------------------------------------------------


def _reachability(schema: m.Schema, problems: list[Diagnostic]) -> None:
    produced = {h.pattern.form for h in schema.hypotheses}
    live: list[m.Case] = []
    pending = list(schema.cases)
    while True:
        ready = [c for c in pending if all(a.pattern.form in produced for a in c.antecedents)]
        if not ready:
            break
        live += ready
        pending = [c for c in pending if c not in ready]
        produced |= {c.consequent.form for c in ready}
    consequents = {c.consequent.form for c in schema.cases}
    for form in schema.forms:
        if form.name in produced:
            continue
        if form.name not in consequents:
            message, hint = (
                f"nothing produces {form.name}: no step has it below its line, and no hypothesis has it",
                None,
            )
        else:
            message = f"nothing produces {form.name}: every step that has it below its line waits for items never derived"
            hint = "check the hypotheses and the first steps"
        problems.append(
            form.span.report("unproduced-form", message, expected="a step or hypothesis", hint=hint)
        )
    unproduced = {f.name for f in schema.forms} - produced
    for final in schema.finals:
        if final.pattern.form in unproduced:
            continue
        sources = [h.pattern for h in schema.hypotheses] + [c.consequent for c in live]
        form = schema.form(final.pattern.form)
        if not form.equations and not any(_may_match(final.pattern, s) for s in sources):
            problems.append(
                final.span.report(
                    "unreachable-final",
                    "no step and no hypothesis can yield this final item",
                    expected="an item that some step has below its line",
                )
            )
    needed = {f.pattern.form for f in schema.finals}
    while True:
        more = {
            a.pattern.form for c in schema.cases if c.consequent.form in needed for a in c.antecedents
        } - needed
        if not more:
            break
        needed |= more
    for form in schema.forms:
        if form.name in produced and form.name not in needed:
            problems.append(
                form.span.report(
                    "unneeded-form",
                    f"no final item needs {form.name}",
                    severity="warning",
                    hint="remove it, or use it",
                )
            )


def _may_match(pattern: m.Pattern, source: m.Pattern) -> bool:
    if pattern.form != source.form:
        return False
    return all(_may_equal(a, b) for a, b in zip(pattern.terms, source.terms, strict=True))


def _may_equal(a: m.Term, b: m.Term) -> bool:
    """Whether two terms, of different rules, may have one value."""
    match a, b:
        case m.Lit(x), m.Lit(y):
            return x == y and type(x) is type(y)
        case m.Lit(None), m.Linear() | m.Length() | m.TupleTerm() | m.ListTerm():
            return False
        case m.Linear() | m.Length() | m.TupleTerm() | m.ListTerm(), m.Lit(None):
            return False
        case m.Lit(None), m.Var(_, optional):
            return optional
        case m.Var(_, optional), m.Lit(None):
            return optional
        case m.TupleTerm(xs), m.TupleTerm(ys):
            return all(_may_equal(x, y) for x, y in zip(xs, ys, strict=True))
        case m.ListTerm(xs), m.ListTerm(ys):
            if any(isinstance(e, m.Splice | m.Run) for e in (*xs, *ys)):
                fixed_a = [e for e in xs if not isinstance(e, m.Splice | m.Run)]
                fixed_b = [e for e in ys if not isinstance(e, m.Splice | m.Run)]
                open_a, open_b = len(fixed_a) < len(xs), len(fixed_b) < len(ys)
                return (open_a or len(xs) >= len(fixed_b)) and (open_b or len(ys) >= len(fixed_a))
            return len(xs) == len(ys) and all(_may_equal(x, y) for x, y in zip(xs, ys, strict=True))
    return True
