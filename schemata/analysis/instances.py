"""Step instances read back: the bindings under which a rule makes an instance, and all that a rule makes.

A chart stores an instance as numbers. Here the rule is matched again against the instance's items, which
gives its variables their values back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schemata.analysis.writings import chart_writings, fulfils, normal_form
from schemata.language import model as m
from schemata.language.labels import outcomes
from schemata.program.evaluation import evaluate, labels_value
from schemata.program.matching import Goal, Match, join_ends, join_goals, match_pattern, solve

if TYPE_CHECKING:
    from schemata.charts.chart import Instance
    from schemata.engine.chart import Chart

__all__ = ["bindings_of", "first_binding", "inferences", "instance_bindings"]

Values = tuple[m.Value, ...]
Links = tuple[tuple[int, int], ...]


def instance_bindings(chart: Chart, instance: Instance) -> Iterator[dict[str, m.Value]]:
    """Yield every binding under which the instance's rule makes the instance, each once, in a fixed order.

    None is yielded if the rule does not make the instance at all, which would be a fault of the engine.
    """
    case = chart.schema.cases[instance.case]
    values = chart.raw.values
    consequent = values[instance.consequent]
    links = [
        goal
        for link, ends in zip(case.links, instance.links, strict=True)
        for goal in _ends(link, ends, chart.grammar)
    ]
    seen: set[Any] = set()
    ways = [
        chart_writings(chart, x) if chart.schema.forms[chart.raw.form_of[x]].has_normal_form else (values[x],)
        for x in instance.antecedents
    ]
    for antecedents in itertools.product(*ways):
        for binding, made, ends in _made(
            chart.schema, case, antecedents, chart.n, chart.grammar, consequent=consequent, more=links
        ):
            key = tuple(sorted(binding.items()))
            if made == consequent and ends == instance.links and key not in seen:
                seen.add(key)
                yield binding


def first_binding(chart: Chart, instance: Instance) -> dict[str, m.Value]:
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
    if consequent is not None and not form.has_normal_form:
        goals += match_pattern(form, case.consequent, consequent)
    goals += [*more, *case.conditions]
    for solution in solve(goals, {"n": n}, case.types, grammar):
        binding = solution.binding
        if solution.waiting:
            raise AssertionError(f"step {case.step} of {schema.name} is not determined by its antecedents")
        links = [_link(link, binding, grammar) for link in case.links]
        known = tuple([link for link in links if link is not None])
        if len(known) < len(links):
            continue
        for written in _outcomes(case.consequent.terms, binding):
            if not fulfils(form, written, n):
                continue
            made = normal_form(form, written, n) if form.has_normal_form else written
            if not form.has_normal_form or fulfils(form, made, n):
                yield binding, made, known


def _outcomes(terms: Sequence[m.Term], binding: Mapping[str, m.Value]) -> Iterator[tuple[m.Value, ...]]:
    """Yield the values of a consequent's terms, once for every choice of the dots that may move or stay.

    Nothing is yielded where parts of a sequence are no neighbours.
    """
    ways: list[Sequence[m.Value]] = []
    for term in terms:
        try:
            if isinstance(term, m.Labels) and term.stays:
                assert term.dot
                ways.append(outcomes(labels_value(m.Labels(term.parts, term.dot - 1), binding)))
            else:
                ways.append((evaluate(term, binding),))
        except LookupError:
            if not isinstance(term, m.Labels):
                raise
            return
    yield from itertools.product(*ways)


def _link(link: m.Link | m.Join, binding: Mapping[str, m.Value], grammar: Any) -> tuple[int, int] | None:
    """Return the ends of a link as the chart has them; None where a step cannot join two words."""
    if isinstance(link, m.Join):
        return join_ends(link, binding, grammar)
    dependent, head = evaluate(link.dependent, binding), evaluate(link.head, binding)
    assert isinstance(dependent, int)
    assert isinstance(head, int)
    return dependent, head


def _ends(link: m.Link | m.Join, ends: tuple[int, int], grammar: Any) -> list[Goal]:
    if isinstance(link, m.Join):
        return join_goals(link, ends, grammar)
    return [Match(ends[0], link.dependent, m.POSITION), Match(ends[1], link.head, m.POSITION)]
