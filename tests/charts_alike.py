"""Compares a chart with the naive reading of its schema: items, instances, counts, forests."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from schemata.engine.chart import Chart
from schemata.forest.trees import Building, all_states
from tests.oracle import naive
from tests.oracle.brute import is_tree
from tests.oracle.interpreter import heads_of, predicted

__all__ = ["against", "instances_of", "rows_against"]

DERIVATIONS = 2_000  # of which the trees are compared
UNIONS = 20_000  # of sets of links, to find them all


def against(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    """Return in what a chart differs from the truth."""
    found: list[str] = []
    _sets(found, "hypotheses", {(i.form, i.values) for i in chart.hypotheses}, truth.hypotheses)
    _sets(found, "items", {(i.form, i.values) for i in chart.items}, truth.items)
    _sets(found, "final items", {(i.form, i.values) for i in chart.final_items}, truth.final_items)
    found += rows_against(truth, chart)
    steps = naive.steps_by_name(truth)
    if {k: v for k, v in chart.steps_by_name.items() if v} != steps or chart.step_count != len(
        truth.instances
    ):
        found.append(f"counts by step: {dict(chart.steps_by_name)}, not {steps}")
    forms = naive.items_by_form(truth)
    if {k: v for k, v in chart.items_by_form.items() if v} != forms:
        found.append(f"counts by form: {dict(chart.items_by_form)}, not {forms}")
    return found or _forests(truth, chart)


def rows_against(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    """Return in what a chart's step instances differ from the truth."""
    found: list[str] = []
    ours = instances_of(chart)
    if len(ours) != len(set(ours)):
        found.append(f"instances found twice: {sorted(str(i) for i in ours if ours.count(i) > 1)[0]}")
    _sets(found, "instances", set(ours), set(map(tuple, truth.instances)))
    return found


def _forests(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    found: list[str] = []
    truth = replace(truth, instances=frozenset(map(predicted, truth.instances)))
    forest = chart.forest()
    count: Any = "infinite" if forest.derivation_count == math.inf else forest.derivation_count
    if count != naive.derivations(truth):
        found.append(f"derivations: {count}, not {naive.derivations(truth)}")
    _sets(found, "useful items", {(i.form, i.values) for i in forest.useful_items}, naive.useful(truth))
    most = len(naive.useful(truth)) ** 2 if count == "infinite" else count
    if not chart.schema.builds_links or most > DERIVATIONS:
        return found  # no trees, or too many derivations to look at each
    if all_states(forest, Building.of(chart), UNIONS) is None:
        return found
    number = forest.count_trees()
    states = _structures(truth)
    trees = {t for t in (_heads(links, chart.n) for links in states) if t is not None}
    _sets(found, "trees", {t.heads for t in forest.trees(limit=None)}, trees)
    if number.trees != len(trees):
        found.append(f"trees counted: {number.trees}, not {len(trees)}")
    lazily = {t.heads for t in forest.trees(limit=len(trees) + 1, budget=0)}
    _sets(found, "trees listed lazily", lazily, trees)
    return found


def _structures(truth: naive.NaiveChart) -> set[naive.Grammar]:
    """Return the distinct sets of links that derivations build and that have a meaning."""
    return {links for links in naive.structures(truth) if None not in links}


def _heads(links: naive.Grammar, n: int) -> tuple[int, ...] | None:
    """Return links as heads if they are a tree; one word may be without a head if none hangs under 0."""
    heads = dict(links)
    inside = all(1 <= d <= n and h is not None and 0 <= h <= n for d, h in links)
    if len(heads) < len(links) or not inside:
        return None
    roots = n - len(heads)
    if roots > 1 or (roots and 0 in heads.values()):
        return None
    vector = tuple(heads.get(d, 0) for d in range(1, n + 1))
    return vector if is_tree(vector) else None


def instances_of(chart: Chart) -> list[tuple[Any, ...]]:
    item = {x: (chart.item(x).form, chart.item(x).values) for x in range(len(chart.raw.values))}
    cases = chart.schema.cases
    alike = [(tuple(k for k, a in enumerate(c.antecedents) if a.context), heads_of(c)) for c in cases]
    return [
        (
            cases[i.case].step,
            tuple(item[x] for x in i.antecedents),
            item[i.consequent],
            i.links,
            *alike[i.case],
        )
        for i in chart.instances()
    ]


def _sets(found: list[str], what: str, ours: set[Any], theirs: set[Any] | frozenset[Any]) -> None:
    """Add how two sets differ, if they do."""
    if ours != theirs:
        extra, missing = sorted(map(str, ours - theirs)), sorted(map(str, theirs - ours))
        found.append(f"{what}: {len(extra)} too many {extra[:2]}, {len(missing)} missing {missing[:2]}")
