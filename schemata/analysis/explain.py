"""How items are derived: a smallest proof of an item, all step instances that derive it, a trace of a whole chart.

A proof is a list of nodes in the order of a tree, each with its depth, so that a proof of any depth is an
ordinary value. An item is proved once; where it is needed again its node points to the first one.

A trace is a numbered table of the items of a chart, each with the steps that derive it and back-pointers. The
hypotheses come first, then the items in rounds: an item is of the round after that of the latest antecedent of its
earliest derivation. Within a round the order is canonical, so that the table is the same whatever engine filled the
chart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from schemata.analysis.figures import besides_json, warnings_json
from schemata.analysis.proofs import Backwards, cheapest_instance, least_costs, read_within
from schemata.analysis.reasons import SideCondition, side_conditions
from schemata.budget import Budget
from schemata.charts import BuiltLink, Instance, Item
from schemata.engine.chart import Chart
from schemata.errors import Diagnostic, SchemataError, UsageError, require_number
from schemata.language import model as m
from schemata.language.forms import read_item
from schemata.language.typeset import format_item, format_value
from schemata.program.instances import bindings_of, first_binding
from schemata.program.rewriting import normal_form
from schemata.records import Record, Shown, Tabular, document, fields_json, json_of, replace
from schemata.thresholds import EFFORTS
from schemata.weights.semiring import MIN_PLUS
from schemata.wording import quantity


class NotDerivableError(SchemataError):
    """The item is not in the chart; `nearest` are the items of the chart most like it."""

    def __init__(self, diagnostic: Diagnostic, nearest: tuple[Item, ...]) -> None:
        self.nearest = nearest
        super().__init__(diagnostic)


class AskedItem(Record):
    """A requested item: form, values in normal form, and number, None if it is not in the chart.

    `written` is the item as the user wrote it, if that is not its normal form.
    """

    form: m.Form
    values: tuple[m.Value, ...]
    number: int | None
    written: str | None = None

    @property
    def text(self) -> str:
        """The item in canonical text."""
        return format_item(self.form, self.values)


def find_item(chart: Chart, item: str | Item) -> AskedItem:
    """Look up an item of any chart of the schema, or its text, in a chart.

    Raises
    ------
    SchemaError : the text is not an item of the schema: an unknown form, a wrong number of fields, a wrong value.
    UsageError : the item's form is not one of the schema's, or it is neither text nor an item.

    >>> import schemata
    >>> find_item(schemata.load("hybrid").run("a b"), "span[ 0,1 ]").text
    'span[0, 1]'
    """
    if isinstance(item, str):
        name, values = read_item(chart.schema, item, chart.n)
    elif isinstance(item, Item):
        name, values = item.form, item.values
    else:
        raise UsageError(f"{item!r} is not an item", expected="an Item, or its text")
    form = next((f for f in chart.schema.forms if f.name == name), None)
    if form is None or len(values) != len(form.fields):
        raise UsageError(f"schema {chart.schema.name} has no items such as {item}")
    number = chart.find(name, values)
    if number is not None or not form.has_normal_form:
        return AskedItem(form, values, number)
    try:
        normal = normal_form(form, values, chart.n)
    except ValueError as error:
        raise UsageError(str(error)) from None
    written = format_item(form, values) if normal != values else None
    return AskedItem(form, normal, chart.find(name, normal), written)


def nearest_items(chart: Chart, asked: AskedItem, count: int = 3) -> tuple[Item, ...]:
    """Return the chart's items that are nearest to an item: of its form, different in few fields and by little.

    None if there are too many items to compare.
    """
    if chart.raw.item_count > EFFORTS.near_items:
        return ()
    place = chart.schema.forms.index(asked.form)
    numbers = [x for x in (*chart.hypothesis_ids, *chart.derived_ids) if chart.raw.form_of[x] == place]
    numbers = numbers[: EFFORTS.compared_items]
    keyed = sorted((_distance(chart.raw.values[x], asked.values), chart.order(x), x) for x in numbers)
    return tuple(chart.item(x) for _, _, x in keyed[:count])


def _distance(one: tuple[m.Value, ...], other: tuple[m.Value, ...]) -> tuple[int, int]:
    """Return the number of parts in which two items differ, and the difference of their numbers."""
    parts = amount = 0
    waiting: list[tuple[m.Value, m.Value]] = list(zip(one, other, strict=True))
    while waiting:
        a, b = waiting.pop()
        if isinstance(a, tuple) and isinstance(b, tuple):
            waiting += zip(a, b, strict=False)
            parts += abs(len(a) - len(b))
        elif a != b:
            parts += 1
            if isinstance(a, int) and isinstance(b, int):
                amount += abs(a - b)
    return parts, amount


def not_derivable(chart: Chart, asked: AskedItem) -> NotDerivableError:
    """Return the error for an item that is not in a chart; it names the nearest items of the chart."""
    near = nearest_items(chart, asked)
    hint = "schemata why-not shows what is missing"
    if near:
        hint = f"did you mean {' or '.join(map(str, near))}? Else {hint}"
    said = f"{asked.text} is not derivable"
    if asked.written:
        said = f"{asked.written}, which is {asked.text} in normal form, is not derivable"
    if chart.stopped:
        said += " so far: the run was cut short"
    return NotDerivableError(Diagnostic("not-derivable", said, hint=hint), near)


# Proofs -----------------------------------------------------------------------------------------------------


class _ProofStep(Record):
    """A step instance: step, the case's label, bindings (names and values) and links.

    `context` marks the antecedents (0-based) that only license the step.
    """

    step: str
    label: str | None
    context: tuple[int, ...]
    bindings: tuple[tuple[str, str], ...]
    links: tuple[BuiltLink, ...]


_StepKey: TypeAlias = tuple[
    str, str | None, tuple[int, ...], tuple[tuple[str, str], ...], tuple[BuiltLink, ...]
]


def _told(chart: Chart, instance: Instance) -> _StepKey:
    """Return the values of the fields of `_ProofStep` for a step instance."""
    case = chart.schema.cases[instance.case]
    context = tuple(k for k, a in enumerate(case.antecedents) if a.context)
    bindings = shown_bindings(case, first_binding(chart, instance))
    return case.step, case.label, context, bindings, chart.built_links(instance.case, instance.links)


class Inference(_ProofStep):
    """A step instance in full, with its evaluated side conditions.

    `size` is that of the smallest proof that ends with it. `weight` is that of the step instance in log space, where
    anything has a weight.
    """

    antecedents: tuple[Item, ...]
    consequent: Item
    conditions: tuple[SideCondition, ...]
    size: int
    weight: float | None = None

    to_json = json_of(
        "step case=label antecedents context consequent bindings{} conditions links size weight!"
    )


ProofKind: TypeAlias = Literal["hypothesis", "step", "again", "cut"]


class ProofNode(Record):
    """A node of a proof: an item where it is needed.

    Parameters
    ----------
    number : its place, from 1; the goal's is 1.
    depth : how deep in the tree it stands; the goal's is 0.
    item : the item.
    kind : a hypothesis, the consequent of a step, proved `again` (at node `same_as`), or `cut` by the depth.
    size : the step instances of its smallest proof, repeated ones counted as often as they are used.
    is_context : whether it only licenses the step it is needed for.
    inference : the step that derives it, for kind `step`.
    premises : the numbers of the nodes of the step's antecedents.
    """

    number: int
    depth: int
    item: Item
    kind: ProofKind
    size: int
    is_context: bool = False
    inference: Inference | None = None
    premises: tuple[int, ...] = ()
    same_as: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the node as a JSON object."""
        found = fields_json(self, "number depth item kind size is_context")
        if self.inference is not None:
            found |= {k: v for k, v in self.inference.to_json().items() if k not in ("consequent", "size")}
            found |= fields_json(self, "premises")
        return found | fields_json(self, "same_as?")


class Proof(Record, Shown, repr=False):
    """A smallest proof, or a best derivation: nodes in the order of the tree, the goal first.

    `size` counts step instances, repeated ones as often as they are used; `written` is the goal as the user wrote it,
    if that is not its normal form. `weight` is that of a best derivation, None of a smallest proof.
    """

    chart: Chart
    nodes: tuple[ProofNode, ...]
    written: str | None = None
    weight: float | None = None

    @property
    def item(self) -> Item:
        """The item proved."""
        return self.nodes[0].item

    @property
    def size(self) -> int:
        """The number of step instances."""
        return self.nodes[0].size

    def __repr__(self) -> str:
        return f"<Proof of {self.item}: {quantity(self.size, 'step instance')}>"

    def to_json(self) -> dict[str, Any]:
        """Return the proof as the JSON object that `schemata explain --json` prints."""
        hypothesis = self.nodes[0].kind == "hypothesis"
        found = {"item": str(self.item), "derivable": True, "hypothesis": hypothesis, "size": self.size}
        found |= {} if self.weight is None else {"weight": self.weight}
        proof = {"proof": [node.to_json() for node in self.nodes]}
        return document(self.chart.heading(), found, proof, besides_json(self.chart))


def explain(
    chart: Chart, item: str | Item, depth: int | None = None, budget: Budget | None = None, best: bool = False
) -> Proof:
    """Return a proof of an item with the fewest step instances, the first such in canonical order.

    Parameters
    ----------
    chart : the chart.
    item : the item, or its text.
    depth : how many steps deep the proof is printed; None for all of it.
    budget : the seconds and the memory that finding it may take; None for any.
    best : return the derivation with the greatest weight instead.

    Raises
    ------
    SchemaError : the text is not an item of the schema.
    NotDerivableError : the item is not in the chart.
    BudgetExceeded : a limit was hit.
    UsageError : the best derivation is asked for, and there is none: all are forbidden, or infinitely many; or the run
        was stopped.

    >>> import schemata
    >>> proof = explain(schemata.load("hybrid").run("a b"), "span[0, 2]")
    >>> [(node.depth, str(node.item)) for node in proof.nodes]
    [(0, 'span[0, 2]'), (1, 'span[0, 1]'), (1, 'span[1, 2]'), (2, 'span[0, 1]')]
    """
    if depth is not None:
        require_number("the depth of a proof", depth, least=0)
    asked, number = _in_chart(chart, item)
    backwards = Backwards(chart)
    costs = read_within(chart, budget, lambda: least_costs(backwards, [number]))
    chosen: dict[int, Instance] = {}
    weight = None
    if best:
        weight, chosen = _best_instances(chart, number)
    nodes: list[ProofNode] = []
    told: dict[int, int] = {}
    premises: dict[int, list[int]] = {}
    # Each entry: item, depth, whether context, the node it is a premise of.
    waiting: list[tuple[int, int, bool, int]] = [(number, 0, False, 0)]
    while waiting:
        x, level, is_context, parent = waiting.pop()
        here, inference = len(nodes) + 1, None
        premises.setdefault(parent, []).append(here)
        kind: ProofKind = "hypothesis" if x < chart.raw.hypothesis_count else "again" if x in told else "cut"
        if kind == "cut" and level != depth:
            instance = chosen.get(x) if best else cheapest_instance(backwards, x, costs)
            if instance is not None:
                kind, told[x], inference = "step", here, _inference(chart, instance, costs[x])
                antecedents = reversed([*enumerate(instance.antecedents)])
                waiting += [(y, level + 1, k in inference.context, here) for k, y in antecedents]
        size, same_as = 0 if kind == "hypothesis" else costs[x], told[x] if kind == "again" else None
        shown = chart.item(x)
        nodes.append(ProofNode(here, level, shown, kind, size, is_context, inference, same_as=same_as))
    told_nodes = (replace(node, premises=tuple(premises.get(node.number, ()))) for node in nodes)
    return Proof(chart, tuple(told_nodes), asked.written, weight)


def _best_instances(chart: Chart, number: int) -> tuple[float, dict[int, Instance]]:
    """Return the weight of an item's best derivation and, for each item in it, the step instance that derives it."""
    from schemata.engine.weighing import Weighing, require_complete

    require_complete(chart)
    from schemata.engine.weighted_graph import WeightedGraph

    best = next(iter(Weighing(WeightedGraph(chart, chart.weights, number)).derivations()), None)
    if best is None:
        message = f"every derivation of {chart.item(number)} is forbidden by a weight of 0"
        raise UsageError(message, code="no-best", hint="leave out --best for a smallest proof")
    weight, derivation = best
    backwards = Backwards(chart)
    chosen: dict[int, Instance] = {}
    for _, node in derivation.walk():
        if node.edge is not None and node.number not in chosen:
            slots, edge = node.edge.slots, node.edge
            chosen[node.number] = next(
                instance
                for instance in backwards.of(node.number)
                if (instance.case, instance.links) == (edge.case, edge.links)
                and tuple(instance.antecedents[k] for k in slots) == edge.tails
            )
    return weight, chosen


def derivations_of(chart: Chart, item: str | Item, budget: Budget | None = None) -> tuple[Inference, ...]:
    """Return every step instance that derives an item, in canonical order; none for most hypotheses.

    Raises
    ------
    SchemaError : the text is not an item of the schema.
    NotDerivableError : the item is not in the chart.
    BudgetExceeded : a limit of the budget, if there is one, was hit.

    >>> import schemata
    >>> [d.step for d in derivations_of(schemata.load("hybrid").run("a b"), "span[0, 3]")]
    ['ra', 'ra']
    """
    number = item_in_chart(chart, item)
    backwards = Backwards(chart)
    instances = read_within(chart, budget, lambda: backwards.of(number))
    items = [number, *(x for i in instances for x in i.antecedents)]
    costs = read_within(chart, budget, lambda: least_costs(backwards, items))
    return tuple(
        _inference(chart, instance, 1 + sum(costs.get(x, 0) for x in instance.antecedents))
        for instance in instances
    )


def item_in_chart(chart: Chart, item: str | Item) -> int:
    """Return the number of an item.

    Raises
    ------
    SchemaError : the text is not an item of the schema.
    NotDerivableError : the item is not in the chart.
    """
    return _in_chart(chart, item)[1]


def _in_chart(chart: Chart, item: str | Item) -> tuple[AskedItem, int]:
    asked = find_item(chart, item)
    if asked.number is None:
        raise not_derivable(chart, asked)
    return asked, asked.number


def _inference(chart: Chart, instance: Instance, size: int) -> Inference:
    case, binding = chart.schema.cases[instance.case], first_binding(chart, instance)
    conditions = side_conditions(case, binding, chart.sentence, chart.grammar)
    items, weighted = tuple(map(chart.item, instance.antecedents)), chart.weighing.weighted
    weight = weighted.instance_weight(instance) if weighted.is_weighed else None
    consequent = chart.item(instance.consequent)
    return Inference(*_told(chart, instance), items, consequent, conditions, size, weight)


# Traces -----------------------------------------------------------------------------------------------------


class TraceStep(_ProofStep):
    """One step instance, with the numbers of its antecedents."""

    antecedents: tuple[int, ...]

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
    derivations: tuple[TraceStep, ...]
    instances: int

    to_json = json_of(
        "number item round hypothesis=is_hypothesis final=is_final useful=is_useful instances derivations"
    )


class Trace(Record, Shown, Tabular, repr=False):
    """The rows of a trace in order. Numbers are those of the whole chart, also where rows are left out.

    `stopped` is the limit that ended the run, or the making of the table; None if none was hit.
    """

    chart: Chart
    rows: tuple[TraceRow, ...]
    useful_only: bool
    all_instances: bool
    stopped: str | None = None

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each item and listed derivation, with the step and the numbers of the antecedents."""
        for row in self.rows:
            for last in row.derivations or [None]:
                by = {"step": last and last.step, "case": last and last.label}
                above = " ".join(map(str, last.antecedents)) if last else ""
                yield row.to_json() | by | {"from": above}

    def __repr__(self) -> str:
        return f"<Trace of {self.chart!r}: {quantity(len(self.rows), 'item')}>"

    def to_json(self) -> dict[str, Any]:
        """Return the trace as the JSON object that `schemata run --trace --json` prints."""
        shown = fields_json(self, "accepted=chart.accepted useful_only all_instances rows stopped?")
        return document(self.chart.heading(), warnings_json(self.chart), shown)


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
        told = tuple(TraceStep(*_told(chart, i), tuple(numbers[y] for y in i.antecedents)) for i in shown)
        states = hypothesis, x in chart.final_ids, x in kept
        yield TraceRow(numbers[x], chart.item(x), round_of[x], *states, told, len(instances))


_LATEST = replace(MIN_PLUS, times=lambda round, antecedent: max(round, antecedent + 1))
"""The round of an instance is after that of its latest antecedent, and at least 1."""


def rounds(backwards: Backwards) -> dict[int, int]:
    """Return the round in which each item of a chart is first derived; 0 for the hypotheses."""
    items = (*backwards.chart.hypothesis_ids, *backwards.chart.derived_ids)
    return least_costs(backwards, items, semiring=_LATEST)


def shown_bindings(case: m.Case, binding: dict[str, m.Value]) -> tuple[tuple[str, str], ...]:
    """Return a rule's variables with their values as text, in the order of the rule."""
    return tuple((name, format_value(value, case.types[name])) for name, value in bindings_of(case, binding))
