"""Checks of a whole schema that need no run: what derives what, and whether the hypotheses are bounded.

No false alarms: what is reported holds for every sentence and every grammar.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemata.errors import Diagnostic, did_you_mean
from schemata.language import model as m
from schemata.language.bounds import Bounds, implied
from schemata.language.substitute import item_conditions

__all__ = ["case_facts", "check_bounded", "check_reachability"]


def case_facts(schema: m.Schema, case: m.Case) -> tuple[m.Term, ...]:
    """Return what the antecedents' item forms guarantee of the case's variables."""
    return tuple(
        condition
        for antecedent in case.antecedents
        for condition in item_conditions(schema.form(antecedent.pattern.form), antecedent.pattern.terms)
    )


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
