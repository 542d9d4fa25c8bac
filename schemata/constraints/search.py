"""Exact search for analyses of a constraint network: the best one, and all that violate no hard constraint.

Depth-first branch and bound over words, the word with the fewest values first. The bound is the cost of the chosen
values (alone, in pairs, and in decided constraints on more words), plus for each other word the least cost of a value
with those chosen. The values that propagation leaves are searched first: no analysis without a hard violation has other
values. Only if there is none are all values searched, for an analysis with the fewest hard violations.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from schemata.budget import Budget
from schemata.errors import UsageError
from schemata.grammars.constraint_networks import HARD, Assignment, Costs, Network, Violation
from schemata.grammars.constraints import State, Value
from schemata.records import Record, field
from schemata.thresholds import WAYS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EXACT = 1e-9  # by which costs must differ to be different


class Solutions(Record):
    """The results of a search.

    Parameters
    ----------
    best : the best analysis found; None if there is none.
    is_best : whether no analysis is better; None if the search was cut short.
    is_list : whether analyses were listed, not the best one looked for.
    analyses : then, analyses without hard violations, the best first.
    count : how many of them were found.
    is_all : whether these are all; None if the search was cut short, False if there are more.
    nodes : the nodes of the search tree.
    stopped : the limit that was hit; None if none was.
    """

    best: Assignment | None
    is_best: bool | None
    is_list: bool = False
    analyses: tuple[Assignment, ...] = ()
    count: int = 0
    is_all: bool | None = None
    nodes: int = 0
    stopped: str | None = None


class _StoppedError(Exception):
    """A limit was hit."""


class _Search(Record, slots=False, eq=False):
    """A search: for the best analysis, or, with a limit, for analyses without hard violations.

    Parameters
    ----------
    network, costs : the network, and the costs of the values that are searched.
    budget, started : the limits; steps are nodes.
    limit : how many analyses to collect; None to look for the best.
    bound : analyses must cost less.
    """

    network: Network
    costs: Costs
    budget: Budget
    started: float
    limit: int | None = None
    bound: float = math.inf
    counters: dict[str, Any] = field(default_factory=lambda: {"nodes": 0, "stopped": None, "more": False})
    found: list[tuple[float, tuple[Value, ...]]] = field(default_factory=list)

    def run(self) -> None:
        """Search, and leave the results and the effort in `found` and `counters`."""
        if not all(self.costs.numbers):
            return
        state = self.network.state()
        state.gives = self.costs.gives
        self.counters["bound"] = self.bound if self.limit is None else HARD
        with contextlib.suppress(_StoppedError):
            self._extend(state, dict(enumerate(self.costs.alone)), 0.0)

    def _extend(self, state: State, open_costs: dict[int, NDArray[Any]], spent: float) -> None:
        counters = self.counters
        counters["nodes"] += 1
        self._check()
        late = self._late(state)
        least = spent + late + math.fsum(float(row.min()) for row in open_costs.values())
        if least >= counters["bound"] - _EXACT:
            return
        if not open_costs:
            self._keep(spent + late, state)
            return
        room = counters["bound"] - least
        sizes = {i: int((row - row.min() < room).sum()) for i, row in open_costs.items()}
        word = min(sizes, key=lambda i: (sizes[i], -float(open_costs[i].min()), i))
        row = open_costs[word]
        for k in row.argsort(kind="stable"):
            if least - float(row.min()) + float(row[k]) >= counters["bound"] - _EXACT:
                break
            value = self.costs.values[word][k]
            if self._is_cycle(state, word + 1, value.head):
                continue
            state.values[word + 1] = value
            rest = {i: other + self.costs.pair(word, i)[k] for i, other in open_costs.items() if i != word}
            self._extend(state, rest, spent + float(row[k]))
            state.values[word + 1] = None
            if counters["more"]:
                return

    def _keep(self, cost: float, state: State) -> None:
        values = tuple(value for value in state.values[1:] if value is not None)
        if self.limit is None:
            self.found[:] = [(cost, values)]
            self.counters["bound"] = cost
        elif len(self.found) < self.limit:
            self.found.append((cost, values))
        else:
            self.counters["more"] = True

    def _late(self, state: State) -> float:
        """Return the cost of decided violations of constraints that the costs of words and pairs leave out."""
        cost, n = 0.0, self.network.n
        for one in self.network.unresolved:
            for x in range(1, n + 1):
                if one.is_binary:
                    hits = sum(
                        one.check(state, x, y) is False or one.check(state, y, x) is False
                        for y in range(x + 1, n + 1)
                    )
                else:
                    hits = one.check(state, x, -1) is False
                if hits:
                    cost += hits * Violation(one, ()).cost
        return cost

    @staticmethod
    def _is_cycle(state: State, word: int, head: int) -> bool:
        while head > 0:
            if head == word:
                return True
            value = state.values[head]
            if value is None:
                return False
            head = value.head
        return False

    def _check(self) -> None:
        counters, reason = self.counters, None
        if counters["nodes"] > self.budget.steps:
            reason = "steps"
        elif counters["nodes"] % WAYS.search_nodes == 0 and self.budget.left(self.started) <= 0:
            reason = "seconds"
        if reason is not None:
            counters["stopped"] = reason
            raise _StoppedError


def find_best(network: Network, budget: Budget | None = None, start: Assignment | None = None) -> Solutions:
    """Find the analysis of the greatest acceptability; if all are 0, that with the fewest hard violations.

    Parameters
    ----------
    network : the network of a sentence.
    budget : limits: seconds, and steps, which are nodes of the search.
    start : an analysis that is known, such as one that repair has found; the search is for a better one.
    """
    limits, started = Budget().unless(budget), time.perf_counter()
    nodes, stopped = 0, None
    best = start
    for costs in (_surviving(network), network.wide):
        if costs is network.wide and best is not None and best.hard == 0:
            break
        search = _Search(network, costs, limits, started, None, math.inf if best is None else best.cost)
        search.run()
        nodes += search.counters["nodes"]
        for _, values in search.found:
            best = network.analysis(values)
        stopped = search.counters["stopped"]
        if stopped:
            break
    return Solutions(best, None if stopped else best is not None, nodes=nodes, stopped=stopped)


def find_all(network: Network, limit: int = 1_000, budget: Budget | None = None) -> Solutions:
    """Find all analyses without hard violations, at most some.

    Parameters
    ----------
    network : the network of a sentence.
    limit : how many to find.
    budget : as for `find_best`.
    """
    search = _Search(network, _surviving(network), Budget().unless(budget), time.perf_counter(), limit)
    search.run()
    stopped = search.counters["stopped"]
    listed = sorted(
        (network.analysis(values) for _, values in search.found), key=lambda one: (one.cost, one.heads)
    )
    is_all = None if stopped else not search.counters["more"]
    best = listed[0] if listed else None
    is_best, nodes = True if is_all and best else None, search.counters["nodes"]
    return Solutions(best, is_best, True, tuple(listed), len(listed), is_all, nodes, stopped)


def find_given(
    network: Network, heads: Sequence[int], labels: Sequence[str], budget: Budget | None = None
) -> Assignment:
    """Return the best analysis with given heads and labels, over all readings of the words.

    Raises
    ------
    UsageError : a label is not in the grammar, or the heads are not a tree.
    """
    for label in labels:
        if label not in network.grammar.labels:
            raise UsageError(f"the grammar has no label {label}", code="unknown-label")
    numbers = tuple(
        tuple(k for k, v in enumerate(values) if (v.head, v.label) == (head, label))
        for values, head, label in zip(network.domains, heads, labels, strict=True)
    )
    search = _Search(network, Costs(network, numbers), Budget().unless(budget), time.perf_counter())
    search.run()
    if not search.found:
        raise UsageError("the heads are not a tree", code="bad-heads")
    return network.analysis(search.found[-1][1])


def _surviving(network: Network) -> Costs:
    """Return the costs of the values that propagation leaves, cut out of those that node consistency leaves."""
    costs = Costs(network, network.surviving)
    kept = [
        [listed.index(k) for k in left]
        for listed, left in zip(network.consistent, network.surviving, strict=True)
    ]
    n = network.n
    narrow = network.narrow
    costs.__dict__["_pairs"] = {
        (i, j): narrow.pair(i, j)[kept[i]][:, kept[j]] for i in range(n) for j in range(n) if i != j
    }
    return costs
