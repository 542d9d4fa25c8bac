"""Schemata typeset for the terminal: declarations, and every step as a rule with its line."""

from __future__ import annotations

from schemata.errors import display_width
from schemata.language import model as m
from schemata.language.typeset import condition_text, conditions_of, pattern_text

__all__ = ["typeset_case", "typeset_schema"]


def typeset_schema(schema: m.Schema, *, ascii: bool = False, width: int | None = None) -> str:
    """Return a whole schema as text: title, source, parameters, item forms, hypotheses, steps, final items."""
    lines = [schema.title or schema.name]
    if schema.reference:
        lines.append(schema.reference)
    lines.append("")
    lines.append(f"schema      {schema.name}{f', extends {schema.extends}' if schema.extends else ''}")
    lines.append(f"grammar     {schema.grammar}")
    for k, parameter in enumerate(schema.parameters):
        ranges = (
            f"  ({', '.join(schema.parameter_conditions)})" if schema.parameter_conditions and k == 0 else ""
        )
        lines.append(f"parameter   {parameter.name} = {parameter.value}{ranges}")
    produced = {c.consequent.form for c in schema.cases}
    label = "items"
    for form in schema.forms:
        if form.name not in produced and not any(
            a.pattern.form == form.name and any(h.pattern.form != form.name for h in schema.hypotheses)
            for c in schema.cases
            for a in c.antecedents
        ):
            continue
        if form.name not in produced:
            continue
        fields = ", ".join(f"{f.name}: {f.type}" for f in form.fields)
        lines.append(f"{label:<12}{form.name}[{fields}]{_where(form.where, ascii)}")
        label = ""
    label = "hypotheses"
    for clause in schema.hypotheses:
        shown = pattern_text(schema, clause.pattern, ascii=ascii)
        lines.append(f"{label:<12}{shown}{_where(clause.conditions, ascii)}")
        label = ""
    label = "final items"
    for clause in schema.finals:
        shown = pattern_text(schema, clause.pattern, ascii=ascii)
        conditions = tuple(c for c in clause.conditions if list(m.variables(c)))
        lines.append(f"{label:<12}{shown}{_where(conditions, ascii)}")
        label = ""
    equations = [(form, equation) for form in schema.forms for equation in form.equations]
    label = "normal form"
    for form, equation in equations:
        left = pattern_text(schema, m.Pattern(form.name, equation.left), ascii=ascii)
        right = pattern_text(schema, m.Pattern(form.name, equation.right), ascii=ascii)
        beside = ", ".join(condition_text(c, ascii=ascii) for c in equation.conditions)
        lines.append(f"{label:<12}{left} = {right}{f'  if {beside}' if beside else ''}")
        label = ""
    for case in schema.cases:
        lines += ["", *typeset_case(schema, case, ascii=ascii, width=width)]
    return "\n".join(lines)


def _where(conditions: tuple[m.Condition, ...], ascii: bool) -> str:
    told = [c for c in conditions if not isinstance(c, m.InOrder)]  # the type of the field says it
    shown = ", ".join(condition_text(c, ascii=ascii) for c in told)
    return f"  where {shown}" if shown else ""


def typeset_case(
    schema: m.Schema, case: m.Case, *, ascii: bool = False, width: int | None = None
) -> list[str]:
    """Return one rule: its name, antecedents over a line over the consequent, side conditions beside the line."""
    above = "   ".join(
        f"{'given ' if a.context else ''}{pattern_text(schema, a.pattern, ascii=ascii)}"
        for a in case.antecedents
    )
    below = pattern_text(schema, case.consequent, ascii=ascii)
    length = max(display_width(above), display_width(below))
    bar = ("-" if ascii else "─") * length
    name = f"{case.step}{f' ({case.label})' if case.label else ''}"
    conditions = conditions_of(case, ascii=ascii)
    indent = "  "
    beside = ", ".join(conditions)
    rows = [name, *([f"{indent}{_centred(above, length)}"] if above else []), f"{indent}{bar}"]
    if width is None or len(indent) + length + 2 + display_width(beside) <= width:
        rows[-1] += f"  {beside}" if beside else ""
        return [*rows, f"{indent}{_centred(below, length)}"]
    return [*rows, f"{indent}{_centred(below, length)}", *(f"{indent}    {c}" for c in conditions)]


def _centred(text: str, length: int) -> str:
    return (" " * ((length - display_width(text)) // 2) + text).rstrip()
