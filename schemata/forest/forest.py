"""The forest of a chart as a hypergraph: useful items, the hyperedges that derive them, and derivation counts.

A hyperedge is a step instance without its context antecedents; instances that differ only in those are one
hyperedge. Nodes are item numbers of the chart. Derivations, and the structures that they build, are listed on demand.

For a chart of millions of step instances, a forest of objects would take tens of seconds. `EdgeArrays` has the rows of
all logs in two arrays, by consequent, as a `Hypergraph`, which counts a level of items at once. Numbers of derivations
stay Python's whole numbers, since they soon have hundreds of digits.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import accumulate, chain, repeat
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from schemata.budget import make_room
from schemata.charts import accounted, hyperedge_names
from schemata.errors import require_number
from schemata.kinds import CONSTITUENT_TREE, DEPENDENCY_TREE
from schemata.language import model as m
from schemata.quick_start import collector_off
from schemata.records import Record, ShownAsHtml, ShownList, ask
from schemata.thresholds import EFFORTS, WAYS
from schemata.weights.fold import fold_nodes
from schemata.weights.hypergraph import Hypergraph, order_and_cycles, sorted_places
from schemata.weights.semiring import COUNT
from schemata.wording import quantity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.charts import BareChart, Item
    from schemata.forest.derivations import Derivation
    from schemata.structures import Linkage


class _Shape(NamedTuple):
    """The form of a case's step instances as hyperedges.

    Parameters
    ----------
    name : the number by which hyperedges differ (see `hyperedge_names`).
    contextual : whether cases of this name have context antecedents, so that several instances may be one hyperedge.
    slots : its structural antecedents.
    antecedents, stride : the number of all antecedents, and the length of a row.
    building : its atoms: pairs alone, others too, or none (None).
    """

    name: int
    contextual: bool
    slots: tuple[int, ...]
    antecedents: int
    stride: int
    building: Literal["pairs", "others"] | None


def _shapes_of(schema: m.Schema) -> tuple[_Shape, ...]:
    """Return the shapes of the cases of a schema."""
    names = hyperedge_names(schema)
    told = list(zip(names, schema.cases, strict=True))
    contextual = {name for name, case in told if any(antecedent.context for antecedent in case.antecedents)}
    return tuple(
        _Shape(
            name,
            name in contextual,
            tuple(k for k, antecedent in enumerate(case.antecedents) if not antecedent.context),
            len(case.antecedents),
            case.stride,
            ("pairs" if all(len(built.types) == 2 for built in case.links) else "others")
            if case.links
            else None,
        )
        for name, case in told
    )


_EDGE_BYTES = 48  # of a hyperedge, while hyperedges are put into the order of their items


class EdgeArrays(Record, slots=False):
    """The hyperedges of a chart, those into one item side by side; hypotheses need none.

    Parameters
    ----------
    graph : items, hyperedges and tails as numbers.
    case : the case of each hyperedge, shape (hyperedges,).
    row : its row in the log of its case, shape (hyperedges,).
    """

    graph: Hypergraph
    case: NDArray[np.int32]
    row: NDArray[np.int32]

    @classmethod
    def of(cls, chart: BareChart) -> EdgeArrays:
        """Return the hyperedges of a chart."""
        import numpy as np

        items, hypotheses = chart.raw.item_count, chart.raw.hypothesis_count
        shapes, logs = _shapes_of(chart.schema), _logs(chart)
        begins = [0, *accumulate(map(len, logs))]
        make_room(begins[-1] * _EDGE_BYTES)
        derived, case, row = np.empty((3, begins[-1]), np.int32)
        tails = np.full((begins[-1], max((len(shape.slots) for shape in shapes), default=0)), items, np.int32)
        for number, (begin, log) in enumerate(zip(begins, logs, strict=False)):
            here = slice(begin, begin + len(log))
            derived[here], case[here], row[here] = log[:, 0], number, np.arange(len(log))
            for at, slot in enumerate(shapes[number].slots):
                tails[here, at] = log[:, 1 + slot]
        keep = derived >= hypotheses
        if any(shape.contextual for shape in shapes):
            some = np.flatnonzero(np.array([shape.contextual for shape in shapes])[case] & keep)
            if np.bincount(derived[some]).max(initial=0) > 1:
                names = np.array([shape.name for shape in shapes], np.int32)
                keys = np.stack([derived, names[case], *tails.T, *_links(chart, logs, case, row)])[:, some]
                order, repeated = sorted_places(keys)
                keep[some[order[repeated == 1]]] = False
        kept = np.flatnonzero(keep)
        if len(kept) < len(derived):
            derived, case, row, tails = derived[kept], case[kept], row[kept], tails[kept]
        order, _ = sorted_places(derived[np.newaxis])
        first = np.zeros(items + 1, np.int64)
        np.cumsum(np.bincount(derived, minlength=items), out=first[1:])
        graph = Hypergraph(hypotheses, first, tails.take(order, axis=0), tuple(chart.final_ids))
        return cls(graph, case.take(order), row.take(order))

    def in_order(self, chart: BareChart) -> EdgeArrays:
        """Return the same with the hyperedges into each item in canonical order: step as declared, then antecedents."""
        import numpy as np

        graph = self.graph
        derived = np.repeat(np.arange(graph.nodes, dtype=np.int32), np.diff(graph.first))
        ranks = np.array([*chart.ranks, graph.nodes], np.int32)
        keys = np.stack([derived, self.case, *ranks.take(graph.tails).T])
        order, repeated = sorted_places(keys)
        if repeated.any():
            links = _links(chart, _logs(chart), self.case, self.row)
            order, _ = sorted_places(np.stack([*keys, *links]))
        graph = graph.rearranged(order, chart.final_order)
        return EdgeArrays(graph, self.case.take(order), self.row.take(order))

    def edges_into(self, item: int) -> Iterator[tuple[int, int]]:
        """Yield the hyperedges that derive an item: case, and number of the row in its log."""
        edges = self.graph.edges(item)
        here = slice(edges.start, edges.stop)
        yield from zip(self.case[here].tolist(), self.row[here].tolist(), strict=True)


def _logs(chart: BareChart) -> list[NDArray[np.int32]]:
    """Return the logs of a chart, by case, with a row for each step instance."""
    import numpy as np

    pairs = zip(chart.raw.edge_logs, chart.strides, strict=True)
    return [np.asarray(log, np.int32).reshape(-1, stride) for log, stride in pairs]


def _links(
    chart: BareChart, logs: Sequence[NDArray[np.int32]], case: NDArray[np.int32], row: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the arguments of the atoms that hyperedges build, from 0 on, padded; shape (arguments, hyperedges)."""
    import numpy as np

    widths = [case.stride - 1 - len(case.antecedents) for case in chart.schema.cases]
    links = np.zeros((max(widths, default=0), len(case)), np.int32)
    for number, (log, width) in enumerate(zip(logs, widths, strict=True)):
        here = np.flatnonzero(case == number)
        links[:width, here] = log[row[here], log.shape[1] - width :].T
    links -= links.min(initial=0)
    return links


@cache
def _has_arrays() -> bool:
    """Whether numpy is installed; without it, forests of any size are made of objects."""
    return find_spec("numpy") is not None


class Edge(NamedTuple):
    """A hyperedge: a case of a step, the numbers of its structural antecedents, and the links it builds.

    `links` are the arguments of its atoms, as back-pointers have them; `slots` says which antecedents of the case
    (0-based) the tails are.
    """

    case: int
    tails: tuple[int, ...]
    links: tuple[tuple[int, ...], ...]
    slots: tuple[int, ...]


class Count(NamedTuple):
    """The number of distinct structures that a forest holds.

    `exact` is None beyond the budget; `at_least` is a lower bound in any case. `others` counts results of derivations
    that are not structures, None if not all are known.
    """

    exact: int | None
    at_least: int
    others: int | None


class Forest(ShownAsHtml):
    """All derivations of a chart's final items, packed; they and their structures are listed on demand.

    Attributes
    ----------
    chart : the chart.
    """

    def __init__(self, chart: BareChart) -> None:
        self.chart = chart
        # A budget; what stands for all structures, and how much else is built: None beyond the budget.
        self.known_structures: tuple[int, tuple[set[Any], int] | None] | None = None
        # By the effort that may be spent on listing: structures listed until now, and where more come from.
        self.listed: dict[int, tuple[list[Any], Iterator[Any]]] = {}
        self._edges: dict[int, Sequence[Edge]] = {}

    @property
    def roots(self) -> tuple[int, ...]:
        """The numbers of the final items in canonical order."""
        return self.chart.final_order

    def __reduce__(self) -> tuple[type[Forest], tuple[BareChart]]:
        """Pickle the chart alone; everything else is computed from it again."""
        return Forest, (self.chart,)

    def __repr__(self) -> str:
        parts = [
            f"{quantity(len(self.chart.sentence), 'word')}: {quantity(len(self.chart.final_ids), 'final item')}"
        ]
        if self.chart.step_count < WAYS.array_steps or self.is_ordered:
            edges = sum(len(self.edges_into(item)) for item in self.order)
            parts += [quantity(len(self.useful_ids), "useful item"), quantity(edges, "hyperedge")]
        if "derivation_counts" in self.__dict__:
            endless = self.derivation_count == math.inf
            count = (
                quantity(int(self.derivation_count), "derivation") if not endless else "endless derivations"
            )
            parts.append(count)
        return f"<Forest of {self.chart.schema.name}, {', '.join(parts)}>"

    @cached_property
    def _rows(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """The places of each consequent's log rows: (case, offset)."""
        rows: dict[int, list[tuple[int, int]]] = {}
        for case, (log, stride) in enumerate(zip(self.chart.raw.edge_logs, self.chart.strides, strict=True)):
            for number, consequent in enumerate(log[::stride]):
                rows.setdefault(consequent, []).append((case, number * stride))
        return rows

    @cached_property
    def _tails(self) -> Mapping[int, Sequence[tuple[int, ...]]] | None:
        """The tails of the hyperedges into each item, read off lists of all instances at once.

        None if there are no such lists, and where instances have to be compared.
        """
        if self._graph is not None:
            return None
        told = list(zip(self.chart.raw.edge_logs, self._shapes, strict=True))
        if any(not isinstance(log, list) or (log and shape.contextual) for log, shape in told):
            return None
        into: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
        for log, shape in told:
            columns = [log[1 + slot :: shape.stride] for slot in shape.slots]
            every = zip(*columns, strict=True) if columns else repeat(())
            for consequent, tails in zip(log[:: shape.stride], every, strict=False):
                into[consequent].append(tails)
        for hypothesis in range(self.chart.raw.hypothesis_count):
            into.pop(hypothesis, None)
        return into

    def edges_into(self, item: int) -> Sequence[Edge]:
        """Return the hyperedges that derive an item, in no particular order."""
        if item < self.chart.raw.hypothesis_count:
            return ()  # a hypothesis is given; nothing is gained by deriving it
        edges = self._edges.get(item)
        if edges is None:
            edges = self._edges[item] = self._find_edges(item)
        return edges

    def into(self, item: int) -> Iterator[tuple[Edge, tuple[int, ...]]]:
        """Yield the hyperedges that derive an item, with their tails."""
        return ((edge, edge.tails) for edge in self.edges_into(item))

    def name(self, item: int) -> Item:
        """Return an item by its number."""
        return self.chart.item(item)

    def sorted_edges(self, item: int) -> Iterator[Edge]:
        """Yield the hyperedges that derive an item in canonical order: step as declared, then antecedents."""
        if item < self.chart.raw.hypothesis_count:
            return
        if self._at_hand is not None and not self._builds_values:
            logs, strides = self.chart.raw.edge_logs, self.chart.strides
            for case, row in self._at_hand.edges_into(item):
                yield self._edge(logs[case], case, row * strides[case])
            return
        rank = self.chart.ranks
        built = self.chart.built_links if self._builds_values else lambda _, links: links
        key = lambda e: (e.case, [rank[t] for t in e.tails], built(e.case, e.links))  # noqa: E731
        yield from sorted(self.edges_into(item), key=key)

    @property
    def graph_at_hand(self) -> Hypergraph | None:
        """The hypergraph in arrays, if these have been made."""
        return None if self._at_hand is None else self._at_hand.graph

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the useful items, and the cycles among them, have been computed."""
        return "_order_and_cycles" in self.__dict__

    @cached_property
    def _builds_values(self) -> bool:
        return self.chart.schema.builds_values

    @cached_property
    def _many(self) -> bool:
        """Whether hyperedges are worth arrays, for which all are enumerated."""
        few = WAYS.array_steps if "numpy" in sys.modules else WAYS.numpy_steps
        return (self.chart.step_count >= few and _has_arrays()) or "arrays" in self.__dict__

    @property
    def _at_hand(self) -> EdgeArrays | None:
        """The arrays, if they have been made: a few hyperedges are not worth enumerating all."""
        return self.__dict__.get("arrays")

    @cached_property
    def arrays(self) -> EdgeArrays:
        """The hyperedges as arrays; code that refers to hyperedges by their numbers reads this first."""
        return self._unordered.in_order(self.chart)

    @cached_property
    def _unordered(self) -> EdgeArrays:
        return EdgeArrays.of(self.chart)

    def arrange(self) -> None:
        """Put many hyperedges in canonical order at once: cheaper than counting them in any order, and ordering them
        for a list later.
        """
        if self._many:
            self.arrays  # noqa: B018

    @property
    def _graph(self) -> Hypergraph | None:
        """The hypergraph in arrays where there are many hyperedges; in any order until the canonical one is needed."""
        return (self._at_hand or self._unordered).graph if self._many else None

    def _find_edges(self, item: int) -> Sequence[Edge]:
        edges, shapes = [self._edge(*place) for place in self._rows_into(item)], self._shapes
        if not any(shapes[edge.case].contextual for edge in edges):
            return edges
        # Instances of one name that differ only in context antecedents are one.
        kept: dict[object, Edge] = {}
        for edge in edges:
            kept.setdefault((shapes[edge.case].name, edge.tails, edge.links), edge)
        return tuple(kept.values())

    def _edge(self, log: Sequence[int], case: int, offset: int) -> Edge:
        """Return the hyperedge of a row of a log."""
        _, _, slots, count, stride, building = self._shapes[case]
        after = offset + 1 + count
        plain = len(slots) == count
        tails = tuple(log[offset + 1 : after] if plain else [log[offset + 1 + k] for k in slots])
        if building is None:
            return Edge(case, tails, (), slots)
        ends = log[after : offset + stride]
        pairs = building == "pairs"
        links = (
            zip(ends[::2], ends[1::2], strict=True) if pairs else self.chart.schema.cases[case].atoms(ends)
        )
        return Edge(case, tails, tuple(links), slots)

    def _rows_into(self, item: int) -> Iterable[tuple[Sequence[int], int, int]]:
        """Return where the rows of an item stand: (log, case, offset)."""
        logs = self.chart.raw.edge_logs if {"_unordered", "_rows"} & self.__dict__.keys() else None
        if logs is None:
            expanded = self.chart.raw.expand(item)
            if expanded is not None:
                return [(row, case, 0) for case, row in expanded]
            logs = self.chart.raw.edge_logs
        if self._many:
            strides = self.chart.strides
            return [(logs[case], case, row * strides[case]) for case, row in self.arrays.edges_into(item)]
        return [(logs[case], case, offset) for case, offset in self._rows.get(item, ())]

    @cached_property
    def _shapes(self) -> tuple[_Shape, ...]:
        return _shapes_of(self.chart.schema)

    # useful items and their order

    @property
    def order(self) -> tuple[int, ...]:
        """The useful items, hypotheses included; antecedents first where the forest has no cycle."""
        return self._order_and_cycles[0]

    @property
    def cycles(self) -> tuple[tuple[int, ...], ...]:
        """The useful items that reach each other through hyperedges, where they are several or one reaches itself."""
        return self._order_and_cycles[1]

    @property
    def cyclic(self) -> bool:
        """True if some useful item takes part in its own derivation, so that derivations are infinitely many."""
        return bool(self.cycles)

    @cached_property
    def _order_and_cycles(self) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        with collector_off():
            if self._graph is not None and self._graph.levels is not None:
                return self._graph.order, ()
            finals, into = sorted(self.chart.final_ids), self._tails
            if into is not None:
                return order_and_cycles(finals, lambda x: chain.from_iterable(into.get(x, ())))
            if self._graph is None:
                self._rows  # noqa: B018 - all are needed: expanding items one by one would take longer
            return order_and_cycles(finals, lambda x: [t for e in self.edges_into(x) for t in e.tails])

    @cached_property
    @accounted
    def useful_ids(self) -> frozenset[int]:
        """The numbers of the useful items, hypotheses left out."""
        hypotheses = self.chart.raw.hypothesis_count
        return frozenset(x for x in self.order if x >= hypotheses)

    @cached_property
    def useful_items(self) -> tuple[Item, ...]:
        """The items reachable from a final item through structural antecedents, in canonical order."""
        return tuple(self.chart.item(x) for x in sorted(self.useful_ids, key=self.chart.order))

    # derivations

    @cached_property
    @accounted
    def derivation_counts(self) -> Mapping[int, int | float]:
        """The number of derivations of each useful item; `math.inf` where a cycle is reachable."""
        with collector_off():
            if self._graph is not None and not self.cyclic:
                return {x: self._graph.derivations(x) for x in self.order}
            counts = None if self._tails is None or self.cyclic else self._folded(self._tails)
            if counts is not None:
                return counts
            hypotheses = self.chart.raw.hypothesis_count
            endless = dict.fromkeys(chain.from_iterable(self.cycles), math.inf)
            return fold_nodes(self, COUNT, lambda _: 1, lambda x: int(x < hypotheses), endless)

    def _folded(self, into: Mapping[int, Sequence[tuple[int, ...]]]) -> Mapping[int, int] | None:
        """Count the derivations of useful items without cycles: `fold_nodes` with plain integers.

        None if a number comes near the limit of `COUNT`: the fold under `COUNT`, which tests each product, must do it
        then.
        """
        hypotheses, counts = self.chart.raw.hypothesis_count, dict[int, int]()
        near = EFFORTS.count_bits // 4
        for x in self.order:
            count = int(x < hypotheses)
            for tails in into.get(x, ()):
                if len(tails) == 2:  # most steps
                    count += counts[tails[0]] * counts[tails[1]]
                else:
                    count += prod([counts[tail] for tail in tails])
            if count.bit_length() > near:
                return None
            counts[x] = count
        return counts

    @cached_property
    @accounted
    def derivation_count(self) -> int | float:
        """The number of derivations of the final items; `math.inf` where the forest is cyclic."""
        if self._graph is not None and not self.cyclic:
            return sum(map(self._graph.derivations, self._graph.roots))
        return sum(self.derivation_counts[item] for item in self.chart.final_ids)

    @accounted
    def derivations(self, limit: int | None = 10) -> ShownList[Derivation]:
        """Return the first derivations of the final items in a fixed order; None for all.

        In a cyclic forest these are the derivations in which no item stands above itself.
        """
        return ShownList(ask("list_derivations", self, limit))

    # structures

    @accounted
    def count_structures(self, budget: int | None = None) -> Count:
        """Count the distinct structures, exactly if that takes no more than `budget` combinations of states."""
        count: Count = ask("count_structures", self, EFFORTS.unions if budget is None else budget)
        return count

    @accounted
    def structures(self, limit: int | None = 10, budget: int | None = None) -> ShownList[Any]:
        """Return distinct structures: the first `limit` of all in order if all fit the budget, else any `limit`.

        Parameters
        ----------
        limit : how many at most; None for all.
        budget : how many combinations of states may be spent on finding all structures at once.

        Returns
        -------
        `DependencyTree`, `DependencyGraph`, `Linkage` (cheapest first) ..., as the schema says; nothing where steps
        build nothing.

        Raises
        ------
        UsageError : the limit is negative, or no whole number.

        Notes
        -----
        The order is the same on every engine and every run. Results of derivations that are not structures are left
        out.

        >>> import schemata
        >>> [tree.heads for tree in schemata.load("eisner1996").run("a b").forest().structures()]
        [(0, 0), (0, 1), (2, 0)]
        """
        if limit is not None:
            require_number("the limit", limit, least=0)
        found = ask("list_structures", self, limit, EFFORTS.unions if budget is None else budget)
        return ShownList(found, self.chart.sentence)

    def count_trees(self, budget: int | None = None) -> Count:
        """Count the distinct trees, of dependencies or constituents, as `count_structures` does; none where something
        else is built.
        """
        return self._counted(self._builds_trees, budget)

    def trees(self, limit: int | None = 10, budget: int | None = None) -> ShownList[Any]:
        """Return distinct trees, of dependencies or constituents, as `structures` does; none of a schema that builds
        something else.
        """
        return self.structures(limit, budget) if self._builds_trees else ShownList()

    def count_linkages(self, budget: int | None = None) -> Count:
        """Count the distinct linkages as `count_structures` does; none of a schema that builds something else."""
        return self._counted(self.chart.schema.builds_linkages, budget)

    def _counted(self, some: bool, budget: int | None) -> Count:
        return self.count_structures(budget) if some else Count(0, 0, 0)

    def linkages(self, limit: int | None = 10, budget: int | None = None) -> ShownList[Linkage]:
        """Return distinct linkages, cheapest first; none of a schema that builds something else."""
        return self.structures(limit, budget) if self.chart.schema.builds_linkages else ShownList()

    @property
    def _builds_trees(self) -> bool:
        return self.chart.schema.structure in (DEPENDENCY_TREE, CONSTITUENT_TREE)
