"""Step instances read back: the bindings under which a rule makes an instance, and all instances of a rule.

A chart stores an instance as numbers. Here the rule is matched again against the instance's items, which
gives its variables their values back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schemata.grammars.relations import FREE
from schemata.language import model as m
from schemata.program.evaluation import evaluate, fulfils
from schemata.program.matching import Equals, Goal, Match, match_pattern, solve
from schemata.program.rewriting import all_writings, normal_form

if TYPE_CHECKING:
    from schemata.charts.chart import BareChart, Instance

Values = tuple[m.Value, ...]
Links = tuple[tuple[m.Value, ...], ...]


def chart_writings(chart: BareChart, number: int) -> tuple[Values, ...]:
    """Return the writings under which an item of a chart is an antecedent; a hypothesis has only its own."""
    values = chart.raw.values[number]
    if number < chart.raw.hypothesis_count:
        return (values,)
    return all_writings(chart.schema.forms[chart.raw.form_of[number]], values, chart.n)


def final_bindings(chart: BareChart, number: int) -> Iterator[tuple[int, Mapping[str, m.Value]]]:
    """Yield the final clauses that an item of a chart matches, by number, each with a binding under which it does."""
    form = chart.schema.forms[chart.raw.form_of[number]]
    for k, clause in enumerate(chart.schema.finals):
        for writing in chart_writings(chart, number) if clause.pattern.form == form.name else ():
            goals = [*match_pattern(form, clause.pattern, writing), *clause.conditions]
            for solution in solve(goals, {"n": chart.n}, clause.types, chart.grammar):
                yield k, solution.binding


def instance_bindings(chart: BareChart, instance: Instance) -> Iterator[dict[str, m.Value]]:
    """Yield every binding under which the instance's rule makes the instance, each once, in a fixed order.

    None is yielded if the rule does not make the instance at all, which would be a fault of the engine.
    """
    case = chart.schema.cases[instance.case]
    values = chart.raw.values
    consequent = values[instance.consequent]
    built = tuple(chart.arguments(link, ends) for link, ends in zip(case.links, instance.links, strict=True))
    links = [
        goal
        for link, ends in zip(case.links, built, strict=True)
        if isinstance(link, m.Built)
        for goal in map(Match, ends, link.terms, link.types)
    ]
    seen: set[Any] = set()
    ways = [chart_writings(chart, x) for x in instance.antecedents]
    for antecedents in itertools.product(*ways):
        for binding, made, ends in _made(
            chart.schema, case, antecedents, chart.n, chart.grammar, consequent=consequent, more=links
        ):
            key = tuple(sorted(binding.items()))
            if made == consequent and ends == built and key not in seen:
                seen.add(key)
                yield binding


def first_binding(chart: BareChart, instance: Instance) -> dict[str, m.Value]:
    """Return the first binding of an instance."""
    return next(instance_bindings(chart, instance), {"n": chart.n})


def bindings_of(case: m.Case, binding: Mapping[str, m.Value]) -> tuple[tuple[str, m.Value], ...]:
    """Return the variables of a rule with their values, in the order of the rule."""
    return tuple((name, binding[name]) for name in case.types if name in binding)


def inferences(
    schema: m.Schema, case: m.Case, antecedents: Sequence[Values], n: int, grammar: Any
) -> Iterator[tuple[Values, Links]]:
    """Yield what a rule derives from antecedents given as writings: consequents in normal form, and links.

    An inference may come more than once. The item form's conditions are looked after; whether a consequent
    equals an antecedent is not.

    >>> import schemata
    >>> from schemata.grammars.licences import all_licences
    >>> schema = schemata.load("eisner1996").definition
    >>> combine = next(c for c in schema.cases if c.step == "CombineSpans")
    >>> spans = [(0, 1, False, True), (1, 2, False, True)]
    >>> list(inferences(schema, combine, spans, 2, all_licences(2)))
    [((0, 2, False, True), ())]
    """
    for _, made, links in _made(schema, case, antecedents, n, grammar):
        yield made, links


def _made(
    schema: m.Schema,
    case: m.Case,
    antecedents: Sequence[Values],
    n: int,
    grammar: Any,
    *,
    consequent: Values | None = None,
    more: Sequence[Goal] = (),
) -> Iterator[tuple[dict[str, m.Value], Values, Links]]:
    """Yield binding, consequent and links of each way a rule applies; a known consequent narrows it."""
    goals: list[Goal] = []
    for antecedent, values in zip(case.antecedents, antecedents, strict=True):
        goals += match_pattern(schema.form(antecedent.pattern.form), antecedent.pattern, values)
    form = schema.form(case.consequent.form)
    names = [str(k) for k in range(len(form.fields))]
    fields = zip(names, case.consequent.terms, form.fields, strict=True)
    goals += [Equals(name, term, field.type) for name, term, field in fields]
    goals += [*more, *case.conditions]
    start: dict[str, m.Value] = {"n": n}
    if consequent is not None and not form.has_normal_form:
        start |= zip(names, consequent, strict=True)
    for solution in solve(goals, start, case.types, grammar):
        if solution.waiting:
            raise AssertionError(f"step {case.step} of {schema.name} is not determined by its antecedents")
        binding = solution.binding
        written = tuple([binding.pop(name) for name in names])
        links = [_link(link, binding, grammar) for link in case.links]
        known = tuple([link for link in links if link is not None])
        if len(known) < len(links) or not fulfils(form, written, n):
            continue
        made = normal_form(form, written, n)
        if not form.has_normal_form or fulfils(form, made, n):
            yield binding, made, known


def _link(link: m.Built | m.Join, binding: Mapping[str, m.Value], grammar: Any) -> tuple[m.Value, ...] | None:
    """Return the arguments of what is built; None where a step cannot join two words."""
    if isinstance(link, m.Join):
        if link.when is not None and not evaluate(link.when, binding):
            return -1, -1
        known = [evaluate(t, binding) for t in (link.left, link.right, link.by.left, link.by.right)]
        pairs: Sequence[tuple[int, int]] = grammar.relations["join"].rows(*known, FREE, FREE)
        return pairs[0] if pairs else None
    return tuple([evaluate(term, binding) for term in link.terms])
