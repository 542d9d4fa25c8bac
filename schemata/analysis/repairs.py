"""Which links a D-rule grammar would have to license for an item: the chart under all licences, with costs.

Derivability grows with the grammar. So an item that is missing under all licences is out of reach of every
D-rule grammar, and the other missing ones need some links more: the cost of a step instance is the number of
its links that are not licensed, and a cheapest proof names a smallest repair, links counted as often as used.
A licence between categories that is lacking costs one link between words of them, the first there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from schemata.analysis.backwards import Backwards
from schemata.analysis.instances import instance_bindings
from schemata.analysis.proofs import cheapest_instance, least_costs
from schemata.budget import Budget, BudgetExceeded
from schemata.engine.run import compile_kernel, run_kernel
from schemata.grammars.licences import Licences, all_licences
from schemata.language import model as m
from schemata.program.evaluation import evaluate

if TYPE_CHECKING:
    from schemata.charts.chart import Instance
    from schemata.engine.chart import Chart

__all__ = ["Repairs", "repairs_of"]

_LICENCES = (m.Licensed, m.CategoryLicence)
_LINK = 10**30  # the cost of an unlicensed link; a step instance costs 1, so that proofs have an end
_BUDGET = Budget(steps=300_000, seconds=3.0)


class Repairs:
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
        self._licensed_links = tuple(
            all(
                isinstance(c, m.Licensed) and m.Link(c.dependent, c.head) in case.links
                for c in case.conditions
                if isinstance(c, _LICENCES)
            )
            for case in full.schema.cases
        )
        self._costs: dict[int, int] = {}

    def unlicensed(self, instance: Instance) -> tuple[tuple[int, int], ...]:
        """Return the links of a step instance that the grammar does not license (of the best binding)."""
        case = self.full.schema.cases[instance.case]
        conditions = [c for c in case.conditions if isinstance(c, _LICENCES)]
        if not conditions:
            return ()
        if self._licensed_links[instance.case]:
            asked = (
                ends
                for link, ends in zip(case.links, instance.links, strict=True)
                if isinstance(link, m.Link) and m.Licensed(link.dependent, link.head) in conditions
            )
            return tuple(sorted({ends for ends in asked if ends not in self._licences.pairs}))
        return min(self._asked(instance, conditions), key=lambda links: (len(links), links))

    def _asked(
        self, instance: Instance, conditions: list[m.Licensed | m.CategoryLicence]
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        for binding in instance_bindings(self.full, instance):
            found = set()
            for condition in conditions:
                d, h = evaluate(condition.dependent, binding), evaluate(condition.head, binding)
                if isinstance(condition, m.CategoryLicence):
                    found |= self._link_between(d, h)
                elif isinstance(d, int) and isinstance(h, int) and (d, h) not in self._licences.pairs:
                    found.add((d, h))
            yield tuple(sorted(found))

    def _link_between(self, dependent: m.Value, head: m.Value) -> set[tuple[int, int]]:
        """Return the first link of words of two categories, nothing where they are licensed."""
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


def repairs_of(chart: Chart) -> Repairs | None:
    """Return the repairs of a chart over D-rules; None for other grammars and where they take too long."""
    licences = chart.grammar
    if not isinstance(licences, Licences):
        return None
    if licences.is_complete and not chart.stopped:
        return Repairs(chart, licences)
    try:
        everything = all_licences(chart.n)
        if licences.shared is not None:
            everything = Licences(chart.n, everything.pairs, shared=licences.shared)
        full = run_kernel(compile_kernel(chart.schema), chart.sentence, everything, _BUDGET)
    except BudgetExceeded:
        return None
    return Repairs(full, licences)
