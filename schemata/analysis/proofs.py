"""Proofs of items: a chart read backwards, smallest proofs, and proofs that need the fewest further links.

A proof's size is 1 for its last step plus the sizes of the proofs of all antecedents, context included; a
hypothesis has size 0. Sizes are sums of the chart in the semiring of least costs.

Derivability grows with the grammar. So an item that is missing under all licences is out of reach of every D-rule
grammar, and every other missing item needs some further links. The cost of a step instance is the number of its links
that are not licensed. So a cheapest proof names a smallest repair, where a link counts as often as it is used. A
missing licence between categories costs one link, the first between words of these categories.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias, TypeVar

from schemata.budget import Budget, OverBudget, within
from schemata.charts import Instance, Item
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.run import compile_kernel, run_kernel
from schemata.grammars.drules import Licences, all_licences
from schemata.language import model as m
from schemata.program.evaluation import evaluate
from schemata.program.instances import instance_bindings
from schemata.records import Record, replace
from schemata.thresholds import WAYS
from schemata.weights.fold import fold_nodes
from schemata.weights.hypergraph import order_and_cycles
from schemata.weights.semiring import MIN_PLUS, Semiring

T = TypeVar("T")
PricedInstance: TypeAlias = tuple[
    int, Sequence[int], int
]  # a case, a log of it, and where in the log a row begins


class Backwards:
    """The step instances of a chart by their consequents, in canonical order."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self._expanded: dict[int, Sequence[PricedInstance]] = {}

    @cached_property
    def _rows(self) -> Mapping[int, Sequence[PricedInstance]]:
        """The places of each consequent's rows in the log."""
        rows: dict[int, list[PricedInstance]] = {}
        for case, (log, stride) in enumerate(zip(self.chart.raw.logs, self.chart.strides, strict=True)):
            for number, consequent in enumerate(log[::stride]):
                rows.setdefault(consequent, []).append((case, log, number * stride))
        return rows

    def _places(self, item: int) -> Sequence[PricedInstance]:
        """Return where the rows of an item stand; those of a large chart are found item by item."""
        if "_rows" not in self.__dict__:
            if item not in self._expanded:
                expanded = self.chart.raw.expand(item)
                if expanded is None:
                    return self._rows.get(item, ())
                self._expanded[item] = [(case, row, 0) for case, row in expanded]
            return self._expanded[item]
        return self._rows.get(item, ())

    def of(self, item: int) -> tuple[Instance, ...]:
        """Return the instances that derive an item: by case as declared, then by antecedents and links."""
        found = [self.chart.instance(*place) for place in self._places(item)]
        if len(found) > 1:
            order = self.chart.order
            found.sort(key=lambda i: (i.case, tuple(map(order, i.antecedents)), i.links))
        return tuple(found)

    def below(self, items: Sequence[int]) -> Below:
        """Return the items that derivations of some items can use, context included, as a hypergraph."""
        if self.chart.step_count <= WAYS.written_steps:
            _ = self._rows
        hypotheses, cases = self.chart.raw.hypothesis_count, self.chart.schema.cases

        def tails(item: int) -> Iterator[int]:
            for case, log, offset in self._places(item) if item >= hypotheses else ():
                yield from log[offset + 1 : offset + 1 + len(cases[case].antecedents)]

        return Below(self, *order_and_cycles(items, tails))


class Below(Record):
    """The result of `Backwards.below`: items, antecedents first but for cycles, and the instances that derive them."""

    backwards: Backwards
    order: tuple[int, ...]
    cycles: tuple[tuple[int, ...], ...]

    def into(self, node: int) -> Iterator[tuple[Instance, tuple[int, ...]]]:
        """Yield the instances that derive an item, with their antecedents."""
        if node >= self.backwards.chart.raw.hypothesis_count:
            yield from ((instance, instance.antecedents) for instance in self.backwards.of(node))

    def name(self, node: int) -> Item:
        """Return an item by its number."""
        return self.backwards.chart.item(node)


def read_within(chart: Chart, budget: Budget | None, read: Callable[[], T]) -> T:
    """Return the result of reading a chart backwards, within a budget.

    Raises
    ------
    BudgetExceeded : time or memory is used up, or the list of all step instances would not fit.
    """
    if budget is None:
        return read()
    room = chart.raw.listing_bytes if chart.step_count <= WAYS.written_steps else 0
    started = time.perf_counter()
    try:
        replace(Budget().unless(budget), memory=budget.memory - room).check(started)
        return within(budget, started, read)
    except OverBudget as over:
        message = f"reading the chart backwards hit {budget.named(over.reason)}"
        raise BudgetExceeded(over.reason, chart, message) from None


def one_each(_: Instance) -> int:
    """Return 1, the cost of a step instance where proofs are measured by their size."""
    return 1


def least_costs(
    backwards: Backwards,
    goals: Sequence[int],
    cost: Callable[[Instance], int] = one_each,
    semiring: Semiring[float] = MIN_PLUS,
) -> dict[int, int]:
    """Return the cost of a cheapest proof of each item that proofs of the goals can use.

    Parameters
    ----------
    backwards : the chart read backwards.
    goals : numbers of items.
    cost : the cost of a step instance, at least 0.
    semiring : how the cost of a proof grows by those of its antecedents, one after the other.

    Returns
    -------
    Costs by item number; an item without a proof, in a chart cut short, has none.
    """
    hypotheses = backwards.chart.raw.hypothesis_count
    given = (math.inf, 0)
    costs = fold_nodes(backwards.below(goals), semiring, cost, lambda x: given[x < hypotheses])
    return {item: int(found) for item, found in costs.items() if found < math.inf}


def cheapest_instance(
    backwards: Backwards, item: int, costs: Mapping[int, int], cost: Callable[[Instance], int] = one_each
) -> Instance | None:
    """Return the first instance, in canonical order, that a cheapest proof of an item ends with.

    Costs of steps must be positive: then its antecedents are cheaper than the item and proofs have an end.
    """
    if item < backwards.chart.raw.hypothesis_count:
        return None
    for instance in backwards.of(item):
        if all(x in costs for x in instance.antecedents):
            total = cost(instance) + sum(costs[x] for x in instance.antecedents)
            if total == costs[item]:
                return instance
    return None


_LICENCES = ("licensed", "licensed_categories")
_LINK = 10**30  # the cost of an unlicensed link; a step instance costs 1, so that proofs have an end
_BUDGET = Budget(steps=300_000, seconds=3.0)


class PricedChart:
    """The chart of a sentence under all licences, priced by the links that the actual grammar lacks.

    Attributes
    ----------
    full : the chart under all licences.
    backwards : the same, read backwards.
    """

    def __init__(self, full: Chart, licences: Licences) -> None:
        self.full = full
        self.backwards = Backwards(full)
        self._licences = licences
        self._asking = [[c for c in case.conditions if m.asks(c, *_LICENCES)] for case in full.schema.cases]
        built = [[link.licence for link in case.links] for case in full.schema.cases]
        self._licensed_links = [
            all(m.asks(c, "licensed") and c in own for c in asking)
            for asking, own in zip(self._asking, built, strict=True)
        ]
        self._costs: dict[int, int] = {}

    def unlicensed(self, instance: Instance) -> tuple[tuple[int, int], ...]:
        """Return the links of a step instance that the grammar does not license (of the best binding)."""
        case = self.full.schema.cases[instance.case]
        conditions = self._asking[instance.case]
        if not conditions:
            return ()
        if self._licensed_links[instance.case]:
            links = zip(case.links, instance.links, strict=True)
            asked = {(ends[0], ends[1]) for link, ends in links if link.licence in conditions}
            return tuple(sorted(ends for ends in asked if ends not in self._licences.pairs))
        return min(self._asked(instance, conditions), key=lambda links: (len(links), links))

    def _asked(
        self, instance: Instance, conditions: list[m.HasFact]
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        for binding in instance_bindings(self.full, instance):
            found = set()
            for condition in conditions:
                d, h = (evaluate(term, binding) for term in condition.terms)
                if condition.relation == "licensed_categories":
                    found |= self._link_between(d, h)
                elif isinstance(d, int) and isinstance(h, int) and (d, h) not in self._licences.pairs:
                    found.add((d, h))
            yield tuple(sorted(found))

    def _link_between(self, dependent: m.Value, head: m.Value) -> set[tuple[int, int]]:
        """Return the first link between words of two categories; nothing if it is licensed already."""
        if (dependent, head) in self._licences.category_pairs:
            return set()
        of = self._licences.categories
        links = ((d, h) for d in of for h in of if d != h and dependent in of[d] and head in of[h])
        return {min(links)}

    def cost(self, instance: Instance) -> int:
        """Return the cost of one step instance."""
        return _LINK * len(self.unlicensed(instance)) + 1

    def price(self, item: int) -> int:
        """Return how many more links a cheapest proof of an item asks for; 0 if the grammar suffices."""
        return self.costs(item)[item] // _LINK

    def costs(self, item: int) -> dict[int, int]:
        """Return the costs of an item and of all that its proofs can use."""
        if item not in self._costs:
            self._costs |= least_costs(self.backwards, [item], self.cost)
        return self._costs

    def total(self, instance: Instance) -> int:
        """Return the cost of the cheapest proof that ends with an instance."""
        costs = self.costs(instance.consequent)
        return self.cost(instance) + sum(costs[x] for x in instance.antecedents)

    def links(self, item: int) -> tuple[tuple[int, int], ...]:
        """Return the links that a cheapest proof of an item asks for."""
        costs = self.costs(item)
        found: set[tuple[int, int]] = set()
        reached = {item}
        waiting = [item]
        while waiting:
            x = waiting.pop()
            if costs[x] < _LINK:
                continue
            instance = cheapest_instance(self.backwards, x, costs, self.cost)
            if instance is None:
                continue
            found.update(self.unlicensed(instance))
            waiting += [y for y in dict.fromkeys(instance.antecedents) if y not in reached]
            reached.update(instance.antecedents)
        return tuple(sorted(found))


def priced_chart(chart: Chart) -> PricedChart | None:
    """Return the priced chart of a chart over D-rules; None for other grammars, or if pricing takes too long."""
    licences = chart.grammar
    if not isinstance(licences, Licences):
        return None
    if licences.is_complete and not chart.stopped:
        return PricedChart(chart, licences)
    try:
        everything = all_licences(chart.n)
        if licences.shared is not None:
            everything = Licences(chart.n, everything.pairs, shared=licences.shared)
        full = run_kernel(compile_kernel(chart.schema), chart.sentence, everything, _BUDGET)
    except BudgetExceeded:
        return None
    return PricedChart(full, licences)
