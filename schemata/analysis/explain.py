"""Explanations of an item in a chart: a smallest proof, or all step instances that derive it.

A proof is a list of nodes in the order of a tree, each with its depth, so that a proof of any depth is an
ordinary value. An item is proved once; where it is needed again its node points to the first one.
"""

from __future__ import annotations

from typing import Any, Literal

from schemata.analysis.figures import besides_json
from schemata.analysis.items import AskedItem, find_item, not_derivable
from schemata.analysis.proofs import Backwards, cheapest_instance, least_costs
from schemata.analysis.reasons import SideCondition, side_conditions
from schemata.analysis.trace import shown_bindings
from schemata.budget import Budget
from schemata.charts.chart import BuiltLink, Instance, Item
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.json_values import document, fields_json, json_of
from schemata.notebook_hooks import Shown
from schemata.program.instances import first_binding
from schemata.quick_dataclasses import Record, replace
from schemata.wording import quantity


class Inference(Record):
    """A step instance in full: its step and case, antecedents, bindings, evaluated side conditions and links.

    `context` tells which antecedents (0-based) only license the step. `size` is that of the smallest proof
    that ends with it. `weight` is that of the step instance in log space, where anything has a weight.
    """

    step: str
    label: str | None
    antecedents: tuple[Item, ...]
    context: tuple[int, ...]
    consequent: Item
    bindings: tuple[tuple[str, str], ...]
    conditions: tuple[SideCondition, ...]
    links: tuple[BuiltLink, ...]
    size: int
    weight: float | None = None

    to_json = json_of(
        "step case=label antecedents context consequent bindings{} conditions links size weight!"
    )


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
    kind: Literal["hypothesis", "step", "again", "cut"]
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

    `size` counts step instances, repeated ones as often as they are used; `written` is the goal as it was
    asked for, where that is another writing of the item. `weight` is that of a best derivation, None of a smallest
    proof.
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
    depth : how many steps deep the proof is told; None for all of it.
    budget : the seconds and the memory that finding it may take; None for any.
    best : return the derivation with the greatest weight instead.

    Raises
    ------
    SchemaError : the text is no item of the schema.
    NotDerivableError : the item is not in the chart.
    BudgetExceeded : a limit was hit.
    UsageError : the best derivation is asked for, and there is none: all are forbidden, or infinitely many.

    >>> import schemata
    >>> proof = explain(schemata.load("hybrid").run("a b"), "span[0, 2]")
    >>> [(node.depth, str(node.item)) for node in proof.nodes]
    [(0, 'span[0, 2]'), (1, 'span[0, 1]'), (1, 'span[1, 2]'), (2, 'span[0, 1]')]
    """
    if depth is not None and depth < 0:
        raise UsageError("the depth of a proof cannot be negative")
    asked, number = _in_chart(chart, item)
    backwards = Backwards(chart, budget)
    costs = least_costs(backwards, [number])
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
        here = len(nodes) + 1
        premises.setdefault(parent, []).append(here)
        shown = chart.item(x)
        if x < chart.raw.hypothesis_count:
            nodes.append(ProofNode(here, level, shown, "hypothesis", 0, is_context))
            continue
        if x in told:
            nodes.append(ProofNode(here, level, shown, "again", costs[x], is_context, same_as=told[x]))
            continue
        instance = chosen.get(x) if best else cheapest_instance(backwards, x, costs)
        if instance is None or level == depth:
            nodes.append(ProofNode(here, level, shown, "cut", costs[x], is_context))
            continue
        told[x] = here
        inference = _inference(chart, instance, costs[x])
        nodes.append(ProofNode(here, level, shown, "step", costs[x], is_context, inference))
        antecedents = enumerate(instance.antecedents)
        waiting += [(y, level + 1, k in inference.context, here) for k, y in reversed(list(antecedents))]
    told_nodes = (replace(node, premises=tuple(premises.get(node.number, ()))) for node in nodes)
    return Proof(chart, tuple(told_nodes), asked.written, weight)


def _best_instances(chart: Chart, number: int) -> tuple[float, dict[int, Instance]]:
    """Return the weight of the best derivation of an item, and the step instance by which it derives each."""
    from schemata.engine.weighing import Weighing

    best = next(iter(Weighing(chart, chart.weights, item=number).derivations()), None)
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
    SchemaError : the text is no item of the schema.
    NotDerivableError : the item is not in the chart.
    BudgetExceeded : a limit of the budget, if there is one, was hit.

    >>> import schemata
    >>> [d.step for d in derivations_of(schemata.load("hybrid").run("a b"), "span[0, 3]")]
    ['ra', 'ra']
    """
    _, number = _in_chart(chart, item)
    backwards = Backwards(chart, budget)
    instances = backwards.of(number)
    costs = least_costs(backwards, [number, *(x for i in instances for x in i.antecedents)])
    return tuple(
        _inference(chart, instance, 1 + sum(costs.get(x, 0) for x in instance.antecedents))
        for instance in instances
    )


def _in_chart(chart: Chart, item: str | Item) -> tuple[AskedItem, int]:
    asked = find_item(chart, item)
    if asked.number is None:
        raise not_derivable(chart, asked)
    return asked, asked.number


def _inference(chart: Chart, instance: Instance, size: int) -> Inference:
    case = chart.schema.cases[instance.case]
    binding = first_binding(chart, instance)
    weighing = chart.weighing
    return Inference(
        case.step,
        case.label,
        tuple(chart.item(x) for x in instance.antecedents),
        tuple(k for k, a in enumerate(case.antecedents) if a.context),
        chart.item(instance.consequent),
        shown_bindings(case, binding),
        side_conditions(case, binding, chart.sentence, chart.grammar),
        chart.built_links(instance.case, instance.links),
        size,
        weighing.instance_weight(instance) if weighing.is_weighed else None,
    )
