"""Tests, items and step instances of the proof in the schema's own words."""

from __future__ import annotations

from collections.abc import Mapping

from schemata.language.typeset import format_item
from schemata.program.linear import Affine, Linear
from schemata.program.model import Atom, Program, Rule
from schemata.program.queries import Terms

__all__ = ["told_instance", "told_sum", "told_test"]


def told_test(test: Linear) -> str:
    """Return a test as a comparison without minus signs in front of variables.

    >>> from schemata.program.linear import variable
    >>> told_test(Linear(">=", variable("j") - variable("i") - 1))
    'i < j'
    >>> told_test(Linear(">=", variable("n") - variable("j") + 1))
    'j <= n + 1'
    """
    left = test.left
    plus = Affine(0, tuple((x, k) for x, k in left.terms if k > 0))
    minus = Affine(0, tuple((x, -k) for x, k in left.terms if k < 0))
    c = left.constant
    if test.relation != ">=":
        sign = "=" if test.relation == "==" else "!="
        return f"{told_sum(plus + max(c, 0))} {sign} {told_sum(minus + max(-c, 0))}"
    if not minus.terms:
        return f"{-c} <= {told_sum(plus)}"
    if c == -1 and plus.terms:
        return f"{told_sum(minus)} < {told_sum(plus)}"
    return f"{told_sum(minus + max(-c, 0))} <= {told_sum(plus + max(c, 0))}"


def told_sum(term: Affine) -> str:
    """Return a linear term, what is added before what is taken away.

    >>> from schemata.program.linear import variable
    >>> told_sum(variable("j") - variable("i") + 1)
    'j - i + 1'
    """
    parts = sorted(term.terms, key=lambda part: part[1] < 0)
    text = ""
    for x, k in parts:
        sign = ("-" if k < 0 else "") if not text else (" - " if k < 0 else " + ")
        text += sign + (x if abs(k) == 1 else f"{abs(k)} * {x}")
    if not text:
        return str(term.constant)
    return text + (f" {'-' if term.constant < 0 else '+'} {abs(term.constant)}" if term.constant else "")


def told_instance(program: Program, rule: Rule, values: Mapping[str, int]) -> str:
    """Return an instance of a rule: the sentence length, the step, its antecedents and its consequent."""
    names = {x for term in rule.all_terms() for x in term.names}
    known = {**dict.fromkeys(names, 0), "n": 1, **values}

    def item(atom: Atom) -> str:
        kind = program.kinds[atom.kind]
        columns = tuple(
            0 if c.sort != "position" else t.value(known)
            for c, t in zip(kind.columns, atom.terms, strict=True)
        )
        shown = kind.values(columns, Terms(("_",)))
        return format_item(program.schema.forms[kind.form], shown)

    step = program.schema.cases[rule.case].step
    words = known["n"]
    antecedents = "   ".join(map(item, rule.antecedents))
    return f"with {words} word{'s' if words > 1 else ''}, {step}: {antecedents} => {item(rule.consequent)}"
