"""Schemata and relation files typeset for the terminal: declarations, steps as rules with their lines, maps."""

from __future__ import annotations

import re
from functools import partial
from html import escape
from typing import Any

from schemata.correctness.shipped import has_proofs
from schemata.display.terminal import PAGE, Page
from schemata.errors import printable, text_width
from schemata.grammars.kinds import sample_of
from schemata.grammars.relations import SIGNATURES, asked
from schemata.language import model as m
from schemata.language.relation_model import ItemMap, Relation, RelationFile
from schemata.language.source import SourceText
from schemata.language.terms import FACT_TYPES
from schemata.language.typeset import condition_text, conditions_of, meaning_text, pattern_text, reference_of
from schemata.records import fields_json
from schemata.wording import named, noted


def typeset_schema(schema: m.Schema, page: Page = PAGE) -> str:
    """Return a whole schema as text: title, source, parameters, declarations, comments, steps."""
    extends = f", extends {schema.extends}" if schema.extends else ""
    lines = [schema.title or schema.name, *([schema.reference] if schema.reference else []), ""]
    lines += _entry("schema", f"{schema.name}{extends}")
    lines += _entry("grammar", schema.grammar)
    lines += _entry("asks", *_asked(schema))
    lines += _entry("a grammar", *sample_of(schema.grammar, schema.relations).splitlines())
    lines += [line for kind in schema.terms for line in _entry("terms", f"{kind} = {kind.alternatives}")]
    lines += _entry("inputs", ", ".join(schema.inputs)) if schema.inputs else []
    ranges = f"  ({', '.join(schema.parameter_conditions)})" if schema.parameter_conditions else ""
    for k, parameter in enumerate(schema.parameters):
        lines += _entry("parameter", f"{parameter.name} = {parameter.value}{'' if k else ranges}")
    lines += [line for label, texts in declarations(schema, page.ascii) for line in _entry(label, *texts)]
    lines += _entry("proved", *_proved(schema))
    comments, of_steps = _comments(schema)
    lines += ["", *comments] if comments else []
    for case in schema.cases:
        about = of_steps.pop((case.span.source, case.span.line), [])
        lines += ["", *about, *rule_lines(schema, case, page)]
    return "\n".join(lines)


def rule_parts(schema: m.Schema, case: m.Case, ascii: bool = False) -> tuple[list[str], str]:
    """Return the antecedents and the consequent of a rule as text."""
    above = [(a.context, pattern_text(schema, a.pattern, ascii=ascii)) for a in case.antecedents]
    texts = [f"given {text}" if context else text for context, text in above]
    return texts, pattern_text(schema, case.consequent, ascii=ascii)


def _asked(schema: m.Schema) -> list[str]:
    """Return the relations that a schema asks of its grammar: those it declares, or those its conditions name."""
    if schema.relations:
        types = {sort: written for written, (sort, _) in FACT_TYPES.items()}
        typed = ([f"{x}: {types.get(sort, sort)}" for x, sort in one.arguments] for one in schema.relations)
        return [f"{one.name}({', '.join(x)})" for one, x in zip(schema.relations, typed, strict=True)]
    conditions = [c for case in schema.cases for c in case.conditions]
    conditions += [c for clause in schema.finals for c in clause.conditions]
    names = dict.fromkeys(asked(c)[0] for c in conditions if isinstance(c, m.HasFact))
    names |= {"join": None} if schema.builds_linkages else {}
    return [f"{name}({', '.join(map(str, SIGNATURES[name].sorts))})" for name in names if name in SIGNATURES]


def _proved(schema: m.Schema) -> list[str]:
    """Return the properties that a certificate shipped with a schema proves, in words."""
    if not has_proofs(reference_of(schema)):
        return []
    from schemata.correctness.answers import known_correctness

    found = known_correctness(schema)
    said = [] if found is None else [claim.replace("_", " ") for claim, yes in found.answers.items() if yes]
    return (
        [f"{', '.join(said)}: for {found.class_name} trees of every number of words"]
        if found and said
        else []
    )


def declarations(schema: m.Schema, ascii: bool) -> list[tuple[str, list[str]]]:
    """Return item forms, hypotheses, final items, normal forms and claims about items as text, each under its label."""
    produced = {c.consequent.form for c in schema.cases}
    forms = []
    for form in schema.forms:
        if form.name in produced:
            fields = ", ".join(f"{f.name}: {f.type}" for f in form.fields)
            forms.append(f"{form.name}[{fields}]{_where(form.where, ascii)}")
    pattern = partial(pattern_text, schema, ascii=ascii)
    hypotheses = [f"{pattern(c.pattern)}{_where(c.conditions, ascii)}" for c in schema.hypotheses]
    finals = []
    for clause in schema.finals:
        conditions = tuple(c for c in clause.conditions if list(m.variables(c)))
        finals.append(f"{pattern(clause.pattern)}{_where(conditions, ascii)}")
    equations = []
    for form in schema.forms:
        for equation in form.equations:
            left, right = (pattern(m.Pattern(form.name, side)) for side in (equation.left, equation.right))
            beside = ", ".join(condition_text(c, ascii=ascii) for c in equation.conditions)
            equations.append(f"{left} = {right}{f'  if {beside}' if beside else ''}")
    meanings = [meaning_text(schema, one, ascii=ascii) for one in schema.meanings]
    labels = "items", "hypotheses", "final items", "normal form", "meaning"
    return list(zip(labels, (forms, hypotheses, finals, equations, meanings), strict=True))


def _comments(schema: m.Schema) -> tuple[list[str], dict[tuple[SourceText, int], list[str]]]:
    """Return the comments before a schema's steps, and those right above a step by the place of its first case."""
    of_steps: dict[tuple[SourceText, int], list[str]] = {}
    first = len(schema.source.lines)
    for case in schema.cases:
        source, line = case.span.source, case.span.line
        steps = (k for k in range(line, 0, -1) if source.code[k - 1].startswith(("step", "mirror step")))
        step = next(steps, line)
        above = step - 1
        while above and source.lines[above - 1].startswith("#"):
            above -= 1
        of_steps.setdefault((source, line), _texts(source, range(above + 1, step)))
        if source == schema.source:
            first = min(first, above)
    return _texts(schema.source, range(1, first + 1)), of_steps


def _texts(source: SourceText, lines: range) -> list[str]:
    return [source.lines[k - 1].lstrip("# ") for k in lines if source.lines[k - 1].startswith("#")]


_TOKEN = re.compile(r"""[^\W\d_]\w*|"[^"]*"| +|.""")

# HTML ----------------------------------------------------------------------------------------------------------

_FRACTION = "display: inline-block; text-align: center; vertical-align: middle"
_OVER = "border-bottom: 1px solid currentColor; padding: 0 .5em; min-height: 1.2em"
_CELL = "text-align: left; padding: .3em 1em .3em 0; vertical-align: middle"


def schema_html(schema: m.Schema) -> str:
    """Return a schema's declarations and its rules, each with its line, as HTML in the colours of the page."""
    declared = declarations(schema, ascii=False)
    rows = [
        ("" if k else label, math_html(text)) for label, texts in declared for k, text in enumerate(texts)
    ]
    for case in schema.cases:
        antecedents, consequent = rule_parts(schema, case)
        above, below = "\u2003".join(map(math_html, antecedents)), math_html(consequent)
        beside = math_html(", ".join(conditions_of(case)))
        rule = f'<div style="{_OVER}">{above}</div><div style="padding: 0 .5em">{below}</div>'
        rows.append((noted(case.step, case.label), f'<div style="{_FRACTION}">{rule}</div>\u2003{beside}'))
    cell = f'<td style="{_CELL}">'
    cells = [f"<tr>{cell}{escape(printable(label))}</td>{cell}{text}</td></tr>" for label, text in rows]
    title = named(schema.title or schema.name, {p.name: p.value for p in schema.parameters})
    head = f"<p><b>{escape(printable(title))}</b></p>"
    return "\n".join(["<div>", head, "<table>", *cells, "</table>", "</div>"])


def math_html(text: str) -> str:
    """Return typeset terms or conditions as HTML, variables in italics.

    >>> math_html("span[i, j1] ≤ <k>")
    'span[<i>i</i>, <i>j</i><sub>1</sub>] ≤ &lt;<i>k</i>&gt;'
    """
    parts = []
    for token in _TOKEN.findall(printable(text)):
        variable = re.fullmatch(r"([^\W\d_])(\d*)", token)
        index = f"<sub>{variable[2]}</sub>" if variable and variable[2] else ""
        parts.append(f"<i>{variable[1]}</i>{index}" if variable else escape(token))
    return "".join(parts)


def _entry(label: str, *texts: str) -> list[str]:
    """Return texts in lines, the label before the first."""
    return [f"{'' if k else label:<12}{text}" for k, text in enumerate(texts)]


def _where(conditions: tuple[m.Condition, ...], ascii: bool) -> str:
    told = [c for c in conditions if not isinstance(c, m.InOrder)]  # the type of the field says it
    shown = ", ".join(condition_text(c, ascii=ascii) for c in told)
    return f"  where {shown}" if shown else ""


def rule_lines(schema: m.Schema, case: m.Case, page: Page = PAGE) -> list[str]:
    """Return one rule: its name, antecedents over a line over the consequent, side conditions beside the line."""
    antecedents, below = rule_parts(schema, case, page.ascii)
    above = "   ".join(antecedents)
    length = max(text_width(above), text_width(below))
    bar = f"  {('-' if page.ascii else '─') * length}"
    conditions = conditions_of(case, ascii=page.ascii)
    beside = f"{bar}  {', '.join(conditions)}".rstrip()
    fits = text_width(beside) <= page.width
    title = [noted(case.step, case.label), *([_centred(above, length)] if above else [])]
    rows = [*title, beside if fits else bar]
    return [*rows, _centred(below, length), *(f"      {c}" for c in conditions if not fits)]


def _centred(text: str, length: int) -> str:
    return (" " * (2 + (length - text_width(text)) // 2) + text).rstrip()


def relation_text(file: RelationFile, page: Page = PAGE) -> str:
    """Return a relation file as text; its maps are those of its first claim."""
    claim = file.relations[0]
    ends = [f"{reference_of(each.first)} to {reference_of(each.second)}" for each in file.relations]
    lines = [file.name, *([claim.reference] if claim.reference else []), "", *_entry("relation", *ends)]
    lines += _entry("kind", str(claim.kind))
    if claim.through:
        lines += _entry("through", ", ".join(map(reference_of, claim.through)))
    for requirement in claim.requires:
        lines += _entry("requires", requirement)
    items = []
    for item_map in claim.maps:
        made = claim.second if item_map.reversed else claim.first
        if not any(case.consequent.form == item_map.source.form for case in made.cases):
            continue  # its items are hypotheses
        source, target, conditions = map_parts(claim, item_map, ascii=page.ascii)
        shown = (
            f"{source} {'->' if page.ascii else '→'} {target}" if item_map.written else f"{source} unchanged"
        )
        if item_map.written and claim.reversed:  # the item of the first schema stands on the left
            shown = f"{target} {'<-' if page.ascii else '←'} {source}"
        items.append(shown + (f"  if {', '.join(conditions)}" if conditions else ""))
    return "\n".join([*lines, *_entry("items", *items)])


def map_parts(relation: Relation, item_map: ItemMap, *, ascii: bool = False) -> tuple[str, str, list[str]]:
    """Return a map's source, its target and its conditions as text."""
    source, target = (relation.first, relation.second)[:: -1 if item_map.reversed else 1]
    conditions = [condition_text(c, ascii=ascii) for c in item_map.conditions if list(m.variables(c))]
    carried = pattern_text(target, item_map.target, ascii=ascii)
    return pattern_text(source, item_map.source, ascii=ascii), carried, conditions


def relation_json(file: RelationFile) -> dict[str, Any]:
    """Return the JSON document of a relation that `schemata show --json` prints."""
    claims = []
    for claim in file.relations:
        maps = []
        for one in claim.maps:
            source, target, conditions = map_parts(claim, one, ascii=True)
            parts = {"of": "second" if one.reversed else "first", "item": source, "carried_to": target}
            maps.append(parts | {"conditions": conditions, "written": one.written})
        found = {"from": reference_of(claim.first), "to": reference_of(claim.second)}
        found |= fields_json(claim, "kind source=reference settings{}")
        through = [reference_of(schema) for schema in claim.through]
        claims.append(found | {"through": through, "requires": list(claim.requires), "maps": maps})
    return {"relation": file.name, "claims": claims, "text": file.source.text}
