"""Checks of a whole schema that need no run: what derives what, what is bounded, what contradicts itself.

No false alarms: what is reported holds for every sentence, every grammar and every value of the parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from schemata.errors import Diagnostic, did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.bounds import Bounds, implied, impossible
from schemata.language.rules import Places
from schemata.language.source import Span
from schemata.language.substitute import item_conditions


def check_bounded(clause: m.Clause, problems: list[Diagnostic]) -> None:
    """Report variables of a hypothesis without both ends: it stands for finitely many items."""
    facts = Bounds()
    for condition in clause.conditions:
        facts.learn(implied(condition))
    if facts.contradictory():
        return
    for name in dict.fromkeys(m.variables(clause.pattern)):
        kind = clause.types[name].kind if name in clause.types else "position"
        if name == "n" or kind == "flag":
            continue
        low = any(facts.distance(end, name) is not None for end in ("0", "n"))
        high = any(facts.distance(name, end) is not None for end in ("0", "n"))
        if kind == "position" and low and high:
            continue
        problems.append(
            clause.span.report(
                "unbounded-hypothesis",
                f"variable {name} of the hypothesis has no bounds",
                expected=f"where LOW <= {name} <= HIGH, in numbers, parameters and n"
                if kind == "position"
                else "positions and flags only",
            )
        )


# What derives what ------------------------------------------------------------------------------------------


def check_reachability(schema: m.Schema, problems: list[Diagnostic]) -> None:
    """Report forms that nothing produces and final items that nothing yields; warn of forms nothing needs."""
    consequents = {c.consequent.form for c in schema.cases}
    hypotheses = {h.pattern.form for h in schema.hypotheses}
    sourceless = [f for f in schema.forms if f.name not in consequents | hypotheses]
    for form in sourceless:
        problems.append(
            form.span.report(
                "unproduced-form",
                f"nothing produces {form.name}: no step has it below its line, and no hypothesis has it",
                expected="a step or hypothesis",
                hint=did_you_mean(form.name, hypotheses | consequents),
            )
        )
    # Forms that wait for those reported above only are no second mistake.
    produced = _produced(schema, hypotheses | {f.name for f in sourceless})
    waiting = [f for f in schema.forms if f.name not in produced]
    if waiting:
        names = " and ".join(f.name for f in waiting)
        verb = "them" if len(waiting) > 1 else "it"
        problems.append(
            waiting[0].span.report(
                "unproduced-form",
                f"nothing produces {names}: every step that has {verb} below its line waits for "
                "items never derived",
                expected="a step or hypothesis to begin with",
                hint="check the hypotheses and the first steps",
            )
        )
    if not sourceless and not waiting:
        _check_finals(schema, problems)
    if schema.finals:
        _check_needs(schema, produced, problems)


def _produced(schema: m.Schema, given: Iterable[str]) -> set[str]:
    """Return the forms that have items once those of the given forms have some."""
    produced = set(given)
    pending = list(schema.cases)
    while ready := [c for c in pending if all(a.pattern.form in produced for a in c.antecedents)]:
        pending = [c for c in pending if c not in ready]
        produced |= {c.consequent.form for c in ready}
    return produced


def _check_finals(schema: m.Schema, problems: list[Diagnostic]) -> None:
    sources = [*(h.pattern for h in schema.hypotheses), *(c.consequent for c in schema.cases)]
    for final in schema.finals:
        form = schema.form(final.pattern.form)
        # A normal form may turn any consequent into the final item.
        if not form.has_normal_form and not any(_may_match(final.pattern, s) for s in sources):
            problems.append(
                final.span.report(
                    "unreachable-final",
                    "no step and no hypothesis can yield this final item",
                    expected="an item that some step has below its line",
                )
            )


def _check_needs(schema: m.Schema, produced: set[str], problems: list[Diagnostic]) -> None:
    """Warn of forms that no final item needs, but not of those that only such forms need."""
    needed = {f.pattern.form for f in schema.finals}
    while True:
        used = {a.pattern.form for c in schema.cases if c.consequent.form in needed for a in c.antecedents}
        if used <= needed:
            break
        needed |= used
    idle = [f for f in schema.forms if f.name in produced and f.name not in needed]
    names = {f.name for f in idle}
    users = {
        name: {
            c.consequent.form
            for c in schema.cases
            if any(a.pattern.form == name for a in c.antecedents) and c.consequent.form != name
        }
        for name in names
    }
    roots = [f for f in idle if not users[f.name] & names] or idle[:1]
    for form in roots:
        problems.append(
            form.span.report(
                "unneeded-form",
                f"no final item needs {form.name}",
                severity="warning",
                expected="a step that leads from it to a final item",
                hint=did_you_mean(form.name, needed),
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


# Contradictions ----------------------------------------------------------------------------------------------


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


# Coverings ---------------------------------------------------------------------------------------------------


def find_open_region(form: m.Form, cover: m.Cover, span: Span) -> Diagnostic | None:
    """Return what is wrong with a covering whose region is no stretch, or whose gaps may lie outside of it.

    Of such regions it is not the ends and the gaps that tell which words they cover.

    Parameters
    ----------
    form, cover : the item form, and what its items cover.
    span : where that is written.
    """
    low, high, gaps = (form.fields[k].name for k in (cover.low, cover.high, cover.gaps))
    first, last = m.Var(low), m.Var(high)
    where = list(form.where)

    def holds(relation: Literal["<=", "<"], left: m.Term, right: m.Term) -> bool:
        """Whether `where` implies `left <= right` or `left < right`."""
        opposite = m.Compare("<" if relation == "<=" else "<=", right, left)
        return impossible([*where, opposite])

    inside = any(
        holds("<", first, condition.outer.low) and holds("<", condition.outer.high, last)
        for condition in where
        if isinstance(condition, m.AllWithin) and condition.intervals == m.Var(gaps)
    )
    if holds("<=", first, last) and inside:
        return None
    return span.report(
        "open-region",
        f"the conditions of {form.name} do not keep {gaps} between {low} and {high}",
        expected=f"where {low} <= {high}, {gaps} in [{low} + 1..{high} - 1]",
        hint="else it is not these fields that tell which words an item covers",
    )
