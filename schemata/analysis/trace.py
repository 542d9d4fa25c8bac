"""A trace: the items of a chart as a numbered table, each with the steps that derive it and back-pointers.

The hypotheses come first, then the items in rounds: an item is of the round after that of the latest
antecedent of its earliest derivation. Within a round the order is canonical, so that the table is the same
whatever engine filled the chart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from schemata.analysis.figures import warnings_json
from schemata.analysis.proofs import Backwards, least_costs
from schemata.charts.chart import BuiltLink, Instance, Item
from schemata.engine.chart import Chart
from schemata.json_values import document, fields_json, json_of
from schemata.language import model as m
from schemata.language.typeset import format_value
from schemata.program.instances import bindings_of, first_binding
from schemata.quick_dataclasses import Record, replace
from schemata.weights.semiring import MIN_PLUS


class Derivation(Record):
    """One step instance: step, the case's label, the numbers of its antecedents, bindings and links.

    `context` tells which antecedents (0-based) only license the step; `bindings` are names and values.
    """

    step: str
    label: str | None
    antecedents: tuple[int, ...]
    context: tuple[int, ...]
    bindings: tuple[tuple[str, str], ...]
    links: tuple[BuiltLink, ...]

    to_json = json_of("step case=label from=antecedents context bindings{} links")


class TraceRow(Record):
    """One item of a trace: its number (from 1), round, and derivations.

    `instances` is the number of step instances that derive the item; `derivations` are all or the first.
    """

    number: int
    item: Item
    round: int
    is_hypothesis: bool
    is_final: bool
    is_useful: bool
    derivations: tuple[Derivation, ...]
    instances: int

    to_json = json_of(
        "number item round hypothesis=is_hypothesis final=is_final useful=is_useful instances derivations"
    )


class Trace(Record):
    """The rows of a trace in order. Numbers are those of the whole chart, also where rows are left out.

    `stopped` is the limit that ended the run, or the making of the table; None where none was hit.
    """

    chart: Chart
    rows: tuple[TraceRow, ...]
    useful_only: bool
    all_instances: bool
    stopped: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the trace as the JSON object that `schemata run --trace --json` prints."""
        return document(self.chart.heading(), warnings_json(self.chart)) | fields_json(
            self, "accepted=chart.accepted useful_only all_instances rows stopped?"
        )


def trace(chart: Chart, useful: bool = False, all_instances: bool = False) -> Trace:
    """Return the numbered table of a chart's items.

    Parameters
    ----------
    chart : the chart.
    useful : keep only the items that derivations of final items use.
    all_instances : give every step instance that derives an item, not only the first.

    >>> import schemata
    >>> rows = trace(schemata.load("hybrid").run("a b")).rows
    >>> [f"{row.number}. {row.item}" for row in rows]
    ['1. span[0, 1]', '2. span[1, 2]', '3. span[0, 2]', '4. span[2, 3]', '5. span[0, 3]', '6. span[1, 3]']
    >>> rows[4].derivations[0].step, rows[4].derivations[0].antecedents
    ('ra', (3, 4))
    """
    rows = tuple(trace_rows(chart, useful, all_instances))
    return Trace(chart, rows, useful, all_instances, chart.stopped)


def trace_rows(chart: Chart, useful: bool = False, all_instances: bool = False) -> Iterator[TraceRow]:
    """Yield the rows of `trace`."""
    backwards = Backwards(chart)
    round_of = rounds(backwards)
    order = sorted(round_of, key=lambda x: (round_of[x], chart.order(x)))
    numbers = {x: k for k, x in enumerate(order, start=1)}
    kept = set(chart.forest().order)
    for x in order:
        if useful and x not in kept:
            continue
        instances = backwards.of(x)
        # The first is one of the round, so that back-pointers point upwards.
        earliest = [i for i in instances if all(round_of[y] < round_of[x] for y in i.antecedents)]
        hypothesis = x < chart.raw.hypothesis_count
        shown: Sequence[Instance] = (
            [*earliest, *(i for i in instances if i not in set(earliest))] if all_instances else earliest[:1]
        )
        told = tuple(_derivation(chart, i, numbers) for i in shown)
        states = hypothesis, x in chart.final_ids, x in kept
        yield TraceRow(numbers[x], chart.item(x), round_of[x], *states, told, len(instances))


_LATEST = replace(MIN_PLUS, times=lambda round, antecedent: max(round, antecedent + 1))
"""The round of an instance is after that of its latest antecedent, and at least 1."""


def rounds(backwards: Backwards) -> dict[int, int]:
    """Return the round in which each item of a chart is first derived; 0 for the hypotheses."""
    items = (*backwards.chart.hypothesis_ids, *backwards.chart.derived_ids)
    return least_costs(backwards, items, semiring=_LATEST)


def _derivation(chart: Chart, instance: Instance, numbers: dict[int, int]) -> Derivation:
    case = chart.schema.cases[instance.case]
    return Derivation(
        case.step,
        case.label,
        tuple(numbers[y] for y in instance.antecedents),
        tuple(k for k, a in enumerate(case.antecedents) if a.context),
        shown_bindings(case, first_binding(chart, instance)),
        chart.built_links(instance.case, instance.links),
    )


def shown_bindings(case: m.Case, binding: dict[str, m.Value]) -> tuple[tuple[str, str], ...]:
    """Return a rule's variables with their values as text, in the order of the rule."""
    return tuple((name, format_value(value, case.types[name])) for name, value in bindings_of(case, binding))
