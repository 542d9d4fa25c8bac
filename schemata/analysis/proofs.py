"""Smallest proofs: for every item of a chart the least number of step instances a proof of it takes.

A proof's size is 1 for its last step plus the sizes of the proofs of all antecedents, context included; a
hypothesis has size 0. Sizes are found by Knuth's generalisation of Dijkstra's algorithm, which is right for
cyclic charts as well: a step costs more than any of its antecedents, so the cheapest item left is settled.

References
----------
Knuth, D. E. (1977). A generalization of Dijkstra's algorithm. Information Processing Letters 6(1).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemata.analysis.backwards import Backwards
    from schemata.charts.chart import Instance

__all__ = ["cheapest_instance", "least_costs", "one_each"]


def one_each(_: Instance) -> int:
    """Return 1, the cost of a step instance where proofs are measured by their size."""
    return 1


def least_costs(
    backwards: Backwards, goals: Sequence[int], cost: Callable[[Instance], int] = one_each
) -> dict[int, int]:
    """Return the cost of a cheapest proof of each item that proofs of the goals can use.

    Parameters
    ----------
    backwards : the chart read backwards.
    goals : numbers of items.
    cost : the cost of a step instance, at least 0.

    Returns
    -------
    Costs by item number; an item without a proof, in a chart cut short, has none.
    """
    hypotheses = backwards.chart.raw.hypothesis_count
    users: dict[int, list[list[int]]] = {}  # per antecedent: [cost so far, antecedents missing, consequent]
    heap: list[tuple[int, int]] = []
    for item in backwards.below(goals):
        if item < hypotheses:
            heap.append((0, item))
            continue
        for instance in backwards.of(item):
            row = [cost(instance), len(instance.antecedents), item]
            if not instance.antecedents:
                heap.append((row[0], item))
            for antecedent in instance.antecedents:
                users.setdefault(antecedent, []).append(row)
    heapq.heapify(heap)
    costs: dict[int, int] = {}
    while heap:
        found, item = heapq.heappop(heap)
        if item in costs:
            continue
        costs[item] = found
        for row in users.get(item, ()):
            row[0] += found
            row[1] -= 1
            if not row[1] and row[2] not in costs:
                heapq.heappush(heap, (row[0], row[2]))
    return costs


def cheapest_instance(
    backwards: Backwards,
    item: int,
    costs: Mapping[int, int],
    cost: Callable[[Instance], int] = one_each,
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
