"""The other ways to what a run derives: stored back-pointers, items expanded, counts of many, runs cut short."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest.mock import patch

from schemata import DRules, ParsingSchema, Sentence
from schemata.engine.budget import Budget, BudgetExceeded
from schemata.engine.chart import Chart
from schemata.engine.counting import batch_counter
from schemata.engine.native.engine import NativeEngine
from schemata.engine.ordered.batch import BatchCounter
from tests.charts_alike import instances_of, rows_against
from tests.engine_runs import KERNELS, kernels, start
from tests.oracle import naive

__all__ = ["otherwise"]

AMPLE = Budget(steps=1 << 30)
_counters: dict[Any, BatchCounter | None] = {}


def otherwise(truth: naive.NaiveChart, schema: ParsingSchema, links: naive.Grammar, engine: str) -> list[str]:
    """Return in what an engine's other ways differ from the truth."""
    found: list[str] = []
    if engine in KERNELS:
        for kept in ("compact", "explicit"):
            chart = start(schema, truth.n, links, engine, AMPLE, kept)
            found += [f"{kept} back-pointers: {text}" for text in rows_against(truth, chart)]
        found += _expanded(start(schema, truth.n, links, engine, AMPLE))
        found += _counted(truth, schema, links, engine)
    elif engine == "python":
        found += _switched(truth, schema, links)
    for part in (0, len(truth.instances) // 3, len(truth.instances) - 1):
        if 0 <= part < len(truth.instances):
            found += _cut_short(truth, schema, links, engine, part)
    return found


def _expanded(chart: Chart) -> list[str]:
    """Return what items tell of their instances that listing all does not tell, or the other way round."""
    raw = chart.raw
    derived = range(raw.hypothesis_count, raw.item_count)
    alone = {x: raw.expand(x) for x in derived}
    listed: dict[int, Counter[tuple[int, tuple[int, ...]]]] = {x: Counter() for x in derived}
    for case, (log, stride) in enumerate(zip(raw.logs, chart.strides, strict=True)):
        for at in range(0, len(log), stride):
            listed.setdefault(log[at], Counter())[case, tuple(log[at : at + stride])] += 1
    return [
        f"expanded: {chart.item(x)} has {rows}, not {listed[x]}"
        for x, rows in alone.items()
        if rows is not None and Counter((case, tuple(row)) for case, row in rows) != listed[x]
    ][:2]


def _counted(truth: naive.NaiveChart, schema: ParsingSchema, links: naive.Grammar, engine: str) -> list[str]:
    """Return in what the counts of a sentence among others differ from the truth."""
    native, grammar = kernels(schema, engine), DRules.from_pairs(links)
    if not isinstance(native, NativeEngine) or native.kernels != "ordered" or native.checked:
        return []
    sentence = Sentence(("w",) * truth.n)
    key = schema, engine
    if key not in _counters:
        _counters.clear()
        provided = grammar.for_sentence(sentence)
        _counters[key] = batch_counter(native, schema.kernel, sentence, provided, AMPLE)
    counter = _counters[key]
    counts = None if counter is None else counter.count(grammar.for_sentence(sentence), lambda: 1 << 30)
    if counts is None:
        return []
    ours = counts.items, counts.steps, counts.accepted
    theirs = len(truth.items), len(truth.instances), truth.accepted
    return [f"counts of many: {ours}, not {theirs}"] if ours != theirs else []


def _switched(truth: naive.NaiveChart, schema: ParsingSchema, links: naive.Grammar) -> list[str]:
    """Return in what a run differs that begins in Python and goes over to native code, if there is any, at once."""
    with patch.multiple("schemata.engine.engines", _IN_MEMORY=3, _ON_DISK=3, _NOT_MADE=3):
        chart = start(schema, truth.n, links, "auto", AMPLE)
    return [f"switched to {chart.engine}: {text}" for text in rows_against(truth, chart)]


def _cut_short(
    truth: naive.NaiveChart, schema: ParsingSchema, links: naive.Grammar, engine: str, steps: int
) -> list[str]:
    """Return what is wrong with the chart of a run that was to find no more than some step instances."""
    try:
        start(schema, truth.n, links, engine, Budget(steps=steps))
        return [f"cut short: {steps} of {len(truth.instances)} steps allowed, and the run went to its end"]
    except BudgetExceeded as over:
        chart = over.chart
    items = {(i.form, i.values) for i in (*chart.items, *chart.hypotheses)}
    instances = instances_of(chart)
    found: list[str] = []
    if not items <= truth.items | truth.hypotheses:
        found.append(f"items that are not derivable: {list(items - truth.items)[:2]}")
    if len(instances) != len(set(instances)) or not set(instances) <= set(map(tuple, truth.instances)):
        found.append("instances that are none, or twice")
    if {(i.form, i.values) for i in chart.final_items} != items & set(truth.final_items):
        found.append(f"final items: {list(map(str, chart.final_items))}")
    derived = {i[2] for i in instances}
    if not {(i.form, i.values) for i in chart.items} <= derived:
        found.append("items that nothing derives")
    if chart.step_count != len(instances):
        found.append(f"{chart.step_count} steps counted, {len(instances)} listed")
    return [f"cut short at {steps}: {text}" for text in found]
