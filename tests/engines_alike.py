"""Compares what the engines derive with the naive reading of a schema, in every way in which they tell it."""

from __future__ import annotations

from collections.abc import Sequence

from schemata import ParsingSchema
from schemata.engine.chart import Chart
from schemata.language import model as m
from tests.charts_alike import against
from tests.engine_runs import Refused, TooLarge, TooLong, run
from tests.instances_read import read_otherwise
from tests.oracle import naive
from tests.oracle.interpreter import Endless, interpret
from tests.other_ways import otherwise

__all__ = ["differences"]

ITEMS = 600
MATCHER = "matcher"  # stands among the engines, and reads the instances of the first one again
TUPLES = 1_000  # of writings that the matcher tries


def differences(
    schema: ParsingSchema, n: int, links: naive.Grammar, engines: Sequence[str]
) -> tuple[naive.NaiveChart, list[str]]:
    """Return what a schema derives and what the engines do not agree on, nothing where all is well.

    An engine that does not run the schema is left out, but for the first one.

    Raises
    ------
    TooLarge : all engines say that the schema derives too much.
    """
    definition = schema.definition
    charts: dict[str, Chart | None] = {}
    reasons: list[str] = []
    for engine in engines:
        if engine == MATCHER:
            continue
        try:
            charts[engine] = run(schema, n, links, engine)
        except TooLong:
            raise
        except TooLarge as reason:
            charts[engine] = None
            reasons.append(str(reason))
        except Refused:
            if engine == engines[0]:
                raise
    done = {engine: chart for engine, chart in charts.items() if chart is not None}
    if not done:
        raise TooLarge(reasons[0])
    if len(done) < len(charts):
        return _nothing(definition, n), [f"{set(charts) - set(done)} hit the budget, {set(done)} did not"]
    if any(chart.item_count > ITEMS for chart in done.values()):
        raise TooLarge(f"more than {ITEMS} items")
    try:
        truth = interpret(definition, n, links, limit=2 * ITEMS)
    except Endless as end:
        if str(end) == "work":
            raise TooLarge("too much work for the naive reading") from None
        return _nothing(definition, n), ["the naive reading has no end, the engines have"]
    found: list[str] = []
    if MATCHER in engines:
        found += [f"{MATCHER}: {text}" for text in read_otherwise(next(iter(done.values())), TUPLES)]
    for engine, chart in done.items():
        found += [f"{engine}: {text}" for text in against(truth, chart)]
        found += [f"{engine}, {text}" for text in otherwise(truth, schema, links, engine)]
    return truth, found


def _nothing(definition: m.Schema, n: int) -> naive.NaiveChart:
    return naive.NaiveChart(definition.name, n, *[frozenset()] * 4, naive.UNION)  # type: ignore[arg-type]
