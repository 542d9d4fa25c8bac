"""Step instances as the interpreting matcher finds them, to compare with those of a chart."""

from __future__ import annotations

import itertools
import math

from schemata.analysis.instances import inferences, instance_bindings
from schemata.analysis.writings import chart_writings
from schemata.engine.chart import Chart

__all__ = ["Found", "instances_of", "interpreted", "read_otherwise"]

Found = set[tuple[str, tuple[int, ...], int, tuple[tuple[int, int], ...]]]


def instances_of(chart: Chart) -> Found:
    """Return the instances of a chart: step, antecedents, consequent and links."""
    cases = chart.schema.cases
    return {(cases[i.case].step, i.antecedents, i.consequent, i.links) for i in chart.instances()}


def interpreted(chart: Chart) -> Found:
    """Return every instance between items of the chart, found by trying all tuples of them."""
    found = interpreted_within(chart, None)
    assert found is not None
    return found


def interpreted_within(chart: Chart, most: int | None) -> Found | None:
    """Return the same, or None where there are more tuples of writings to try."""
    by_form: dict[str, list[int]] = {f.name: [] for f in chart.schema.forms}
    for x in (*chart.hypothesis_ids, *chart.derived_ids):
        by_form[chart.schema.forms[chart.raw.form_of[x]].name].append(x)
    ways = {x: chart_writings(chart, x) for xs in by_form.values() for x in xs}
    amounts = {name: sum(len(ways[x]) for x in xs) for name, xs in by_form.items()}
    total = sum(math.prod(amounts[a.pattern.form] for a in c.antecedents) for c in chart.schema.cases)
    if most is not None and total > most:
        return None
    found: Found = set()
    for case in chart.schema.cases:
        places = [by_form[a.pattern.form] for a in case.antecedents]
        for antecedents in itertools.product(*places):
            for writings in itertools.product(*(ways[x] for x in antecedents)):
                for made, links in inferences(chart.schema, case, writings, chart.n, chart.grammar):
                    number = chart.find(case.consequent.form, made)
                    assert number is not None, f"{case.step} derives {made}, which the chart lacks"
                    if number not in antecedents:
                        found.add((case.step, antecedents, number, links))
    return found


def read_otherwise(chart: Chart, most: int) -> list[str]:
    """Return what the matcher reads otherwise: instances that it does not match, and those it finds besides."""
    cases = chart.schema.cases
    problems = [
        f"no binding: {cases[i.case].step} from {[str(chart.item(x)) for x in i.antecedents]}"
        for i in chart.instances()
        if next(instance_bindings(chart, i), None) is None
    ]
    found = interpreted_within(chart, most)
    if found is not None and found != instances_of(chart):
        wrong = sorted(found ^ instances_of(chart))[0]
        problems.append(f"of matcher and engine, one lacks {wrong}")
    return problems
