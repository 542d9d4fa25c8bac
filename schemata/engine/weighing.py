"""The weights of a chart's derivations: best structures, totals, marginals, samples.

The weight of a derivation is the product of the weights of its steps and of the hypotheses it uses. A step has the
weight of the links that it builds, of the rules and lexicon entries of the grammar that it asks for, and what the
schema says itself (`step_weights`). The root of a dependency tree is a link to 0 like any other: where no step builds
it, the final item has its weight. Instances that differ in context antecedents alone are one hyperedge.

All is computed over one hypergraph: that of the forest, with a goal above the final items. A grammar with a single root
doubles it: a node is an item and whether a link to 0 has been built.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, reduce
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from schemata.engine.native_weights import native_best, native_total
from schemata.engine.step_weights import StepWeights
from schemata.errors import AmbiguityWarning, UsageError
from schemata.forest.derivations import Derivation, derivation_of
from schemata.forest.forest import EdgeArrays, Forest
from schemata.forest.linkages import connector_charges
from schemata.forest.states import DEFAULT_BUDGET, finished_states
from schemata.forest.structures import building_of, derivation_structure
from schemata.forest.trees import Building, headed_edges, link_of
from schemata.grammars.drules import tree_of
from schemata.grammars.licences import Licences
from schemata.language import model as m
from schemata.notebook_hooks import ShownAsSvg
from schemata.quick_dataclasses import Record, field, replace
from schemata.structures import DependencyGraph, DependencyTree
from schemata.structures.linkages import Linkage
from schemata.weights.best import BestStates, Found
from schemata.weights.hypergraph import EndlessSumError, Hypergraph
from schemata.weights.scores import Weights
from schemata.weights.semiring import LOG, MIN_PLUS, VITERBI, Semiring, semiring_of
from schemata.wording import quantity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.charts.chart import BareChart, BuiltLink, Instance, Item
    from schemata.forest.forest import Edge, EdgeArrays
    from schemata.structures.constituents import Alignment, AtomSet, ConstituentTree

Structure: TypeAlias = (
    "DependencyTree | DependencyGraph | Linkage | ConstituentTree | Alignment | AtomSet | Derivation"
)
_LINKS = ("link", "join")  # what steps build that has scores
_NATIVE = ("viterbi", "real", "log")  # totals that native kernels compute
_LISTED = 200_000  # step instances up to which structures are counted to tell whether each has one derivation
_DISTINCT = 100_000  # structures at most, where all are listed
_DRAWN = 1_000  # derivations drawn at most for one sample that is a structure


class WeightedStructure(Record, ShownAsSvg):
    """A structure, the weight of its best derivation in log space, and that derivation.

    A structure is a dependency tree, a linkage, or, where a schema builds no links, the derivation itself.
    """

    structure: Structure
    weight: float
    derivation: Derivation = field(compare=False, repr=False)


class Weighing:
    """The hypergraph of a chart with its weights, and what is computed of them.

    Parameters
    ----------
    chart : a chart.
    weights : what the run was given, beside the weights that grammar and schema have.
    claims : as in `Chart`.
    item : the item whose derivations are weighed; the final items by default.

    Attributes
    ----------
    graph : items as nodes, a goal above the final items as the last one.
    weights : the weight of each hyperedge in log space, that of hypotheses among its tails included.
    """

    def __init__(
        self,
        chart: BareChart,
        weights: Weights | None = None,
        claims: Callable[[], tuple[bool | None, str | None]] | None = None,
        item: int | None = None,
    ) -> None:
        self.chart, self.given, self.claims = chart, weights or Weights(), claims
        self._items = chart.raw.item_count
        self._item = item

    @cached_property
    def forest(self) -> Forest:
        """The forest, in which hyperedges have numbers from the beginning."""
        forest = Forest(self.chart)
        forest.arrays  # noqa: B018 - before anything else is asked
        return forest

    @cached_property
    def _edges(self) -> EdgeArrays:
        edges = self.forest.arrays
        if self._item is None:
            return edges
        return replace(edges, graph=replace(edges.graph, roots=(self._item,)))

    # the hypergraph

    @property
    def goal(self) -> int:
        """The node above the final items."""
        return self.graph.nodes - 1

    @property
    def graph(self) -> Hypergraph:
        """The hypergraph: see the module."""
        return self._derived.graph

    @property
    def origin(self) -> NDArray[np.int64]:
        """The forest's hyperedge of each hyperedge; of those into the goal -1 - the final item's number among them."""
        return self._derived.origin

    @cached_property
    def _derived(self) -> _Derived:
        """The hypergraph, and what its nodes and hyperedges stand for."""
        import numpy as np

        base, item = self._edges.graph, self.chart.item
        headed = isinstance(self._building, Building) and self._building.headed
        named, derived, tails, origin, links = self._with_heads() if headed else self._with_roots()
        finals = np.flatnonzero(np.isin(named[:, 0], base.roots) & (named[:, 2] < 0))
        nodes, ends = len(named) + 1, np.full((len(finals), tails.shape[1]), -1)
        ends[:, 0] = finals
        derived = np.concatenate([derived, np.full(len(finals), nodes - 1)])
        order = np.argsort(derived, kind="stable")
        first = np.zeros(nodes + 1, np.int64)
        np.cumsum(np.bincount(derived, minlength=nodes), out=first[1:])
        tails = np.concatenate([tails, ends])[order].astype(np.int32)
        tails[tails < 0] = nodes
        graph = Hypergraph(base.given, first, tails, (nodes - 1,), lambda x: item(int(named[x, 0])))
        places = np.array([-1 - base.roots.index(x) for x in named[finals, 0].tolist()], np.int64)
        to_heads = np.array(links, np.int64).reshape(-1, 3).T
        to_heads[0] = np.argsort(order)[to_heads[0]]
        return _Derived(graph, np.concatenate([origin, places])[order], named, to_heads)

    def _with_roots(self) -> _Parts:
        """Return the forest's hypergraph; doubled for a single root."""
        import numpy as np

        base, items = self._edges.graph, self._items
        splits = bool(getattr(self.chart.grammar, "single_root", False)) and self._is_tree
        tails = np.full((len(base.tails), max(base.tails.shape[1], 1)), -1, np.int64)
        tails[:, : base.tails.shape[1]] = np.where(base.tails == items, -1, base.tails)
        derived = np.repeat(np.arange(items), np.diff(base.first))
        origin = np.arange(len(tails))
        parts = [(derived, tails, origin)]
        if splits:
            roots = np.zeros(len(tails), np.int64)
            for _, edges, ends in self._links:
                roots[edges] += ends[1] == 0
            parts = [
                (derived[keep] + items * k, tails[keep], origin[keep])
                for k in (0, 1)
                for keep in [roots == k]
            ]
            for column in range(tails.shape[1]):
                keep = (roots == 0) & (tails[:, column] >= 0)
                moved = tails[keep]
                moved[:, column] += items
                parts.append((derived[keep] + items, moved, origin[keep]))
        whole = np.arange(items * (1 + splits))
        named = np.stack([whole % items, whole // items, np.full(len(whole), -1)], 1)
        derived, tails, origin = (np.concatenate(column) for column in zip(*parts, strict=True))
        return named, derived, tails, origin, []

    def _with_heads(self) -> _Parts:
        """Return the hypergraph whose nodes know the heads that links of theirs have."""
        import numpy as np

        nodes, edges = headed_edges(self.forest, self._building)
        order = {tag: k for k, tag in enumerate(sorted({tag for _, tag in nodes}))}
        named = np.array([(item, order[tag], tag[1]) for item, tag in nodes], np.int64)
        tails = np.full((len(edges), max(self._edges.graph.tails.shape[1], 1)), -1, np.int64)
        for number, edge in enumerate(edges):
            tails[number, : len(edge.tails)] = edge.tails
        ends = np.array([(edge.node, edge.origin) for edge in edges], np.int64).reshape(-1, 2)
        links = [(number, *link) for number, edge in enumerate(edges) for link in edge.links]
        return named, ends[:, 0], tails, ends[:, 1], links

    @cached_property
    def _links(self) -> list[tuple[m.AnyAtom, NDArray[Any], NDArray[Any]]]:
        """The links that steps build, one of each step of a case together: hyperedges, and ends with labels in rows."""
        import numpy as np

        found = []
        chart = self.chart
        for number, (case, log, stride) in enumerate(
            zip(chart.schema.cases, chart.raw.edge_logs, chart.strides, strict=True)
        ):
            mine = np.flatnonzero(self._edges.case == number)
            table = np.asarray(log, np.int64).reshape(-1, stride)[self._edges.row[mine]]
            at = 1 + len(case.antecedents)
            for built in case.links:
                if built.name in _LINKS:
                    found.append((built, mine, table[:, at : at + len(built.types)].T))
                at += len(built.types)
        return found

    @property
    def _builds_links(self) -> bool:
        return self.chart.schema.builds_links or self.chart.schema.builds_linkages

    @property
    def _is_tree(self) -> bool:
        return self.chart.schema.builds_links and self.chart.schema.structure == "dependency tree"

    def _edge(self, edge: int) -> Edge:
        """Return a hyperedge of the forest by its number."""
        graph = self._edges.graph
        item = int(graph.first.searchsorted(edge, side="right")) - 1
        return self.forest.edges_into(item)[edge - int(graph.first[item])]

    def built(self, edge: int) -> tuple[BuiltLink, ...]:
        """Return the links that a hyperedge builds; of one into the goal the root's link to 0, if no step builds it."""
        origin = int(self.origin[edge])
        if origin >= 0:
            links = self._derived.links
            to_heads = links[1:, links[0] == edge].T.tolist()
            found = self._edge(origin)
            declared = zip(self.chart.schema.cases[found.case].links, found.links, strict=True)
            own = [link_of(self.chart, b, x) for b, x in declared if b.name in _LINKS and x[0] >= 0]
            return (*own, *map(tuple, to_heads))
        root = self._roots[edge - self.graph.edges(self.goal).start]
        return ((root, 0),) if root else ()

    # weights

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each hyperedge in log space; the greatest one where it has several."""
        import numpy as np

        own = np.zeros(len(self._edges.case))
        for built, edges, ends in self._links:
            np.add.at(own, edges, self._weights_of(built, ends))
        for edge, several in self._steps.items():
            own[edge] += max(several)
        hypotheses, scores = StepWeights.of_hypotheses(self.chart, self.given), self._scores
        found = np.where(self.origin >= 0, own[np.maximum(self.origin, 0)] if len(own) else 0.0, 0.0)
        of_roots = [scores[0, root] if root and scores is not None else 0.0 for root in self._roots]
        finals = [max(self._finals[origin]) for origin in self.origin[self.origin < 0].tolist()]
        found[self.origin < 0] = np.add(of_roots, finals)
        if hypotheses:
            of_node = np.zeros(self.graph.nodes + 1)
            of_node[list(hypotheses)] = list(hypotheses.values())
            found += of_node[self.graph.tails].sum(axis=1)
        edges, *to_heads = self._derived.links
        np.add.at(found, edges, self._weights_of(None, np.array(to_heads)))
        return found

    @cached_property
    def _scores(self) -> NDArray[np.float64] | None:
        """The scores of links without labels, [head, dependent]: those given, and the weights of D-rules."""
        import numpy as np

        arcs, licences = self.given.arcs, getattr(self.chart.grammar, "weights", {})
        matrix = None if arcs is None or arcs.labels else arcs.matrix
        if self.chart.schema.builds_linkages or not isinstance(self.chart.grammar, Licences) or not licences:
            return matrix
        scores = np.zeros((self.chart.n + 1,) * 2) if matrix is None else np.array(matrix)
        for (dependent, head), weight in licences.items():
            scores[head, dependent] += weight
        return scores

    def link_score(self, dependent: int, head: int) -> float:
        """Return the score of a link of a tree in log space, of its best label where links have labels."""
        arcs = self.given.arcs
        best = float(arcs.matrix[head, dependent].max()) if arcs is not None and arcs.labels else 0.0
        return best + (0.0 if self._scores is None else float(self._scores[head, dependent]))

    @cached_property
    def _steps(self) -> dict[int, Sequence[float]]:
        """By hyperedge of the forest: what it weighs by its rules and its step, for each way it can be made."""
        import numpy as np

        weigh = self.step_weights
        useful = self._edges.graph.useful
        derived = np.repeat(np.arange(self._items), np.diff(self._edges.graph.first))
        chosen = np.isin(self._edges.case, weigh.cases) & useful[derived]
        return {edge: weigh.of(self._instance(edge)) for edge in np.flatnonzero(chosen).tolist()}

    @cached_property
    def _finals(self) -> dict[int, Sequence[float]]:
        """By origin of a hyperedge into the goal: what the final item weighs, for each way to be one."""
        of_final = self.step_weights.of_final if self._item is None else lambda item: [0.0]
        return {-k: of_final(item) for k, item in enumerate(self._edges.graph.roots, start=1)}

    @cached_property
    def step_weights(self) -> StepWeights:
        """The weights of step instances beside those of links."""
        return StepWeights(self.chart, self.given, self._scores)

    def _instance(self, edge: int) -> Instance:
        """Return a step instance that a hyperedge of the forest stands for."""
        which, row = int(self._edges.case[edge]), int(self._edges.row[edge])
        stride, log = self.chart.strides[which], self.chart.raw.edge_logs[which]
        return self.chart.instance(which, [int(x) for x in log[row * stride : (row + 1) * stride]])

    def instance_weight(self, instance: Instance) -> float:
        """Return the weight of a step instance in log space: of its links, and the greatest of its ways to be made."""
        import numpy as np

        declared = zip(self.chart.schema.cases[instance.case].links, instance.links, strict=True)
        links = (self._weights_of(b, np.array([x]).T) for b, x in declared if b.name in _LINKS)
        return float(sum(map(sum, links))) + max(self.step_weights.of(instance), default=0.0)

    @property
    def is_weighed(self) -> bool:
        """Whether anything has a weight."""
        given, grammar = self.given, self.chart.grammar
        said = (case.weight for case in self.chart.schema.cases if case.weight is not None)
        clauses = any(weight != m.Weight(m.Decimal(1.0), False) for weight in said)
        return bool(given.arcs or given.steps or clauses or getattr(grammar, "weights", None))

    def _weights_of(self, built: m.AnyAtom | None, ends: NDArray[Any]) -> NDArray[np.float64]:
        """Return the scores of links, given by their ends and labels in rows: as positions, or as connectors."""
        import numpy as np

        arcs, n, (one, other) = self.given.arcs, self.chart.n, ends[:2]
        joined = self.chart.schema.builds_linkages
        found = np.zeros(ends.shape[1])
        inside = (one >= 1) & (one <= n) & (other >= 0) & (other <= n)
        if self._scores is not None and not joined:
            found = np.where(inside, self._scores[np.where(inside, other, 0), np.where(inside, one, 0)], 0.0)
        if built is None or not (joined or (arcs is not None and arcs.labels)):
            return found
        several, places = np.unique(ends, axis=1, return_inverse=True)
        scores = []
        for numbers in several.T.tolist():
            score = -sum(self._charges.get(end, 0.0) for end in numbers) if joined else 0.0
            if arcs is not None and numbers[0] >= 0:
                a, b, label = link_of(self.chart, built, numbers)
                if joined:
                    score += arcs.of(b, a, label)
                elif 1 <= a <= n and 0 <= b <= n:
                    score += arcs.of(a, b, label)
            scores.append(score)
        found += np.array(scores)[places.reshape(-1)]
        return found

    @cached_property
    def _charges(self) -> Mapping[int, float]:
        """By connector occurrence the cost of the disjunct that it stands for.

        Raises
        ------
        UsageError : a disjunct has a cost, and only connectors that may link any number of times.
        """
        view = self.chart.grammar.sequences  # type: ignore[attr-defined]
        charges, _ = connector_charges(view)
        borne = {(view.occurrences[k].position, view.occurrences[k].disjunct) for k in charges}
        for position, offered in enumerate(view.disjuncts):
            for number, disjunct in enumerate(offered):
                if disjunct.cost and (position, number) not in borne:
                    message = f"the disjunct {disjunct} has a cost, and no connector that links exactly once"
                    raise UsageError(message, code="unknown-cost", hint="no link can stand for its cost")
        return charges

    @cached_property
    def _roots(self) -> Sequence[int]:
        """By hyperedge into the goal the root of its trees, where no step links it to 0; else 0.

        The sum of the dependents in a tree of n words is n (n + 1) / 2, less the root where nothing links it.

        Raises
        ------
        UsageError : trees of one final item have different roots, which have different scores.
        """
        import numpy as np

        graph, n = self.graph, self.chart.n
        tails = graph.tails[graph.edges(self.goal), 0].tolist()
        if not self._is_tree or not self.chart.final_ids.issuperset(self._edges.graph.roots):
            return [0] * len(tails)
        own = np.zeros(len(self._edges.graph.tails) + 1)
        for _, edges, ends in self._links:
            np.add.at(own, edges, ends[0])
        sums = np.where(self.origin >= 0, own[np.maximum(self.origin, 0)], 0.0)
        np.add.at(sums, self._derived.links[0], self._derived.links[1])
        try:
            greatest, least = graph.fold(VITERBI, sums), graph.fold(MIN_PLUS, sums)
            whole, none = n * (n + 1) // 2, -math.inf
            roots = [(whole - greatest[x], greatest[x] in (least[x], none)) for x in tails]
        except EndlessSumError:  # each round of a cycle builds further links
            roots = [(0, False)] * len(tails)
        for (_, is_known), x in zip(roots, tails, strict=True):
            if not is_known and self._scores is not None and len(set(self._scores[0, 1:].tolist())) > 1:
                message = f"the trees of {graph.name(x)} have different roots, so their scores are not known"
                hint = "give all links to 0 the same score"
                raise UsageError(message, code="unknown-roots", hint=hint)
        return [(int(root) if 1 <= root <= n else 0) if is_known else 1 for root, is_known in roots]

    def _values(self, semiring: Semiring[Any]) -> Any:
        """Return the value of each hyperedge."""
        several = {e: w for e, w in (self._steps | self._finals).items() if len(w) > 1}
        values: Any
        if semiring.arrays is not None:
            values = semiring.arrays.of(self.weights)
        else:
            useful = self.graph.useful
            values = [semiring.zero] * len(self.weights)
            for node in useful.nonzero()[0].tolist():
                for edge in self.graph.edges(node):
                    values[edge] = semiring.of(float(self.weights[edge]), self.built(edge))
        if several:
            for edge, origin in enumerate(self.origin.tolist()):
                if origin in several:
                    rest, ways = float(self.weights[edge]) - max(several[origin]), several[origin]
                    built = self.built(edge)
                    values[edge] = reduce(semiring.plus, (semiring.of(rest + way, built) for way in ways))
        return values

    # answers

    def total(self, semiring: str | Semiring[Any] = "log", distinct: bool = False) -> Any:
        """Return the sum of the weights of all derivations, or of all distinct structures; see `Chart.total`."""
        chosen = semiring_of(semiring)
        if distinct:
            values = (chosen.of(one.weight, tuple(self._atoms(one))) for one in self._every)
            return reduce(chosen.plus, values, chosen.zero)
        if not chosen.idempotent:
            self._warn("the total")
        if chosen.native in _NATIVE and self._item is None:
            found = native_total(self.chart, self.given, chosen.native)
            if found is not None:
                return found
        total = self.graph.fold(chosen, self._values(chosen))[self.goal]
        return total.item() if hasattr(total, "item") else total

    def best(self) -> WeightedStructure | None:
        """Return the best structure, None where nothing is derived."""
        found = native_best(self.chart, self.given) if self._item is None else None
        if found is None:
            return next(iter(self.k_best(1)), None)
        (tree, weight), derivation = found
        return WeightedStructure(tree, weight, derivation)

    def k_best(self, k: int | None = None) -> list[WeightedStructure]:
        """Return the k best distinct structures, best first; None for all."""
        if k is not None and k < 0:
            raise UsageError(f"{k} structures are asked for", code="bad-option", expected="a number from 0")
        return list(islice(self.iterate(), k))

    def iterate(self, weights: NDArray[np.float64] | None = None) -> Iterator[WeightedStructure]:
        """Yield distinct structures, best first; hyperedges have the weights given, if any."""
        building, best = self._building, self._best_states(self.weights if weights is None else weights)
        seen: set[Any] = set()
        for found in best.of(self.goal):
            structure = building.structure(found.state)
            if structure is None or structure in seen:
                continue
            seen.add(structure)
            derivation = self._derivation(best, found)
            shown = derivation if isinstance(building, _Derivations) else building.value(structure)
            yield WeightedStructure(shown, found.weight, derivation)

    def derivations(self) -> Iterator[tuple[float, Derivation]]:
        """Yield derivations with their weights, best first; of a structure that has been built only the best."""
        best = self._best_states(self.weights)
        return ((found.weight, self._derivation(best, found)) for found in best.of(self.goal))

    def _best_states(self, weights: NDArray[np.float64]) -> BestStates:
        return BestStates(self.graph, weights, self._building.leaf, self._combine, self._ordered)

    @cached_property
    def _building(self) -> Any:
        return building_of(self.chart) or _Derivations()

    @cached_property
    def _place(self) -> Callable[[int], Any]:
        return cache(self.chart.order)

    def _ordered(self, node: int) -> Sequence[int]:
        """Return the hyperedges into a node in an order that is the same on every engine."""
        order, named, edges = self._place, self._derived.named, self.graph.edges(node)
        if node == self.goal:
            return sorted(edges, key=lambda edge: (-int(self.origin[edge]), self.graph.tails_of(edge)))

        def key(edge: int) -> Any:
            found, tails = self._edge(int(self.origin[edge])), self.graph.tails_of(edge)
            below = named[list(tails)].tolist()
            built = self.chart.built_links(found.case, found.links)
            return found.case, [order(item) for item, *_ in below], built, [tag for _, tag, _ in below]

        return sorted(edges, key=key) if len(edges) > 1 else edges

    def _combine(self, edge: int, node: int, states: Sequence[Any]) -> Any:
        origin = int(self.origin[edge])
        if origin < 0:
            return states[0]
        found, item = self._edge(origin), int(self._derived.named[node, 0])
        return self._building.combine(found, item, self._building.links(found), states)

    def _derivation(self, best: BestStates, found: Found) -> Derivation:
        """Return the derivation of a state of the goal."""
        (root,) = self.graph.tails_of(found.edge)
        entries: list[tuple[int, Found]] = []
        waiting = [(root, found.ranks[0])]
        while waiting:
            node, rank = waiting.pop()
            one = best.ranked(node, rank)
            assert one is not None
            entries.append((node, one))
            if one.edge >= 0:
                waiting.extend(reversed(list(zip(self.graph.tails_of(one.edge), one.ranks, strict=True))))
        return self._built([(node, one.edge) for node, one in entries])

    def _built(self, entries: Sequence[tuple[int, int]]) -> Derivation:
        """Return the derivation of nodes and their hyperedges (-1 for none) in preorder."""
        edges = (None if number < 0 else self._edge(int(self.origin[number])) for _, number in entries)
        items = (int(self._derived.named[node, 0]) for node, _ in entries)
        return derivation_of(self.chart, list(zip(items, edges, strict=True)))

    @cached_property
    def _every(self) -> list[WeightedStructure]:
        """All distinct structures.

        Raises
        ------
        UsageError : there are too many.
        """
        found = list(islice(self.iterate(), _DISTINCT + 1))
        if len(found) > _DISTINCT:
            message = f"there are more than {_DISTINCT:,} structures, too many to list each"
            raise UsageError(message, code="too-many-structures", hint="sum over derivations: distinct=False")
        return found

    def marginals(self, distinct: bool = False) -> dict[BuiltLink | Item, float]:
        """Return the probability of everything built; see `Chart.marginals`."""
        if not distinct:
            self._warn("a marginal")
            return _summed(self._shares_of_derivations() if self._log_total > -math.inf else ())
        shares = self._shares()
        return _summed((atom, share) for one, share in shares for atom in dict.fromkeys(self._atoms(one)))

    def _shares_of_derivations(self) -> Iterator[tuple[Any, float]]:
        """Yield links, or items where none are built, with shares of the derivations that build them."""
        import numpy as np

        shares = self.graph.posteriors(self._values(LOG), self.goal)
        is_derived = self.origin >= 0
        if not self._builds_links:
            items = np.repeat(self._derived.named[:, 0], np.diff(self.graph.first[:-1]))
            used = (shares * is_derived).nonzero()[0].tolist()
            yield from ((self.chart.item(int(items[edge])), float(shares[edge])) for edge in used)
            return
        for edge in (~is_derived).nonzero()[0].tolist():
            yield from ((atom, float(shares[edge])) for atom in self.built(edge))
        edges, *to_heads = self._derived.links
        yield from zip(map(tuple, np.array(to_heads).T.tolist()), shares[edges].tolist(), strict=True)
        of_edge = np.bincount(self.origin[is_derived], shares[is_derived], len(self._edges.case))
        for built, edges, ends in self._links:
            several, places = np.unique(ends[:, ends[0] >= 0], axis=1, return_inverse=True)
            sums = np.bincount(places.reshape(-1), of_edge[edges[ends[0] >= 0]], several.shape[1])
            for numbers, share in zip(several.T.tolist(), sums.tolist(), strict=True):
                yield link_of(self.chart, built, numbers), share

    def _atoms(self, one: WeightedStructure) -> Sequence[Any]:
        """Return what a structure is made of: links, or the derived items of its derivation."""
        if self._builds_links and not isinstance(one.structure, Derivation):
            return links_of(one.structure)
        return [node.item for _, node in one.derivation.walk() if node.step is not None]

    def sample(self, number: int, seed: int = 0, distinct: bool = False) -> list[WeightedStructure]:
        """Return structures drawn in proportion to their weights; see `Chart.sample`."""
        if distinct:
            import random

            shares = self._shares()
            ones, odds = [one for one, _ in shares], [share for _, share in shares]
            return random.Random(seed).choices(ones, odds, k=number) if ones else []
        self._warn("a sample")
        if self._log_total == -math.inf:
            return []
        drawn = self.graph.samples(self._values(LOG), self.goal, seed, self._ordered)
        found = (self._drawn(entries) for entries in islice(drawn, _DRAWN + number * _DRAWN))
        return list(islice((one for one in found if one is not None), number))

    def _drawn(self, entries: Sequence[tuple[int, int]]) -> WeightedStructure | None:
        """Return what a derivation, given as `Hypergraph.samples` does, has built; None if it is no structure."""
        derivation = self._built(entries[1:])
        structure: Structure | None = derivation
        if not isinstance(self._building, _Derivations):
            structure = derivation_structure(self.chart, derivation)
        weight = float(self.weights[[edge for _, edge in entries if edge >= 0]].sum())
        return None if structure is None else WeightedStructure(structure, weight, derivation)

    def entropy(self, distinct: bool = False) -> float:
        """Return the entropy of the structures, in nats; see `Chart.entropy`."""
        if distinct:
            return -sum(share * math.log(share) for _, share in self._shares() if share > 0)
        self._warn("the entropy")
        total = self._log_total
        if total == -math.inf:
            return 0.0
        values = self._values(LOG)
        shares = self.graph.posteriors(values, self.goal)
        taken = shares > 0
        return max(0.0, total - float(shares[taken] @ values[taken]))

    def weight_of(self, structure: Structure | Sequence[int]) -> float:
        """Return the weight of one structure; see `Chart.weight_of`."""
        import numpy as np

        wanted = tree_of(structure) if isinstance(structure, Sequence) else structure
        if not self._builds_links or isinstance(wanted, Derivation):
            return next((one.weight for one in self.iterate() if one.structure == wanted), -math.inf)
        ends = 2 if isinstance(wanted, DependencyTree) and wanted.labels is None else 3  # any labels
        links = set(links_of(wanted))
        weights = np.array(self.weights)
        for node in self.graph.useful.nonzero()[0].tolist():
            for edge in self.graph.edges(node):
                if not links.issuperset(link[:ends] for link in self.built(edge)):
                    weights[edge] = -math.inf
        found = (one for one in self.iterate(weights) if {x[:ends] for x in links_of(one.structure)} == links)
        return next((one.weight for one in found), -math.inf)

    def _shares(self) -> list[tuple[WeightedStructure, float]]:
        """Return all distinct structures with their probabilities."""
        total = reduce(LOG.plus, (one.weight for one in self._every), LOG.zero)
        return [(one, math.exp(one.weight - total)) for one in self._every]

    @property
    def _log_total(self) -> float:
        return float(self.graph.fold(LOG, self._values(LOG))[self.goal])

    # each once

    def _warn(self, what: str) -> None:
        """Warn that a sum over derivations is none over structures, unless that is known to be the same."""
        if said := self.doubt:
            warnings.warn(f"{what} is over {said}", AmbiguityWarning, stacklevel=4)

    @cached_property
    def doubt(self) -> str | None:
        """Why a sum over derivations may be none over structures; None where both are the same."""
        if not self._builds_links:
            return None
        known, other = self.claims() if self.claims else (None, None)
        if known or not self.chart.accepted:
            return None
        way = "distinct=True sums over structures"
        if other:
            way += f", and {other} derives each once"
        most = _LISTED if known is None else _LISTED // 100  # where it is known, figures are but a courtesy
        few = self.chart.step_count <= most or (known is None and "_edges" in self.__dict__)
        states = finished_states(self.forest, self._building, DEFAULT_BUDGET) if few else None
        if states is None:
            derives = "may derive" if known is None else "derives"
            return f"derivations: {self.chart.schema.name} {derives} some structures more than once; {way}"
        derivations = 0 if self.graph.levels is None else self.graph.derivations(self.goal)
        structures = sum(self._building.structure(state) is not None for state in states)
        if derivations == structures:
            return None
        many = quantity(derivations, "derivation") if derivations else "infinitely many derivations"
        return f"{many} of {quantity(structures, 'structure')}; {way}"


# The items of nodes, with what tells them apart and a guess (-1: none); the nodes that hyperedges derive, their tails
# (-1: none), the forest's hyperedges; links to heads of antecedents, as hyperedge, dependent, head.
_Parts: TypeAlias = (
    "tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], list[tuple[int, int, int]]]"
)


class _Derived(NamedTuple):
    """A hypergraph with a goal; what its nodes (but the goal) and its hyperedges stand for, as in `_Parts`."""

    graph: Hypergraph
    origin: NDArray[np.int64]
    named: NDArray[np.int64]
    links: NDArray[np.int64]


class _Derivations:
    """States where steps build no links: each derivation is a structure of its own."""

    leaf = None

    def links(self, edge: Edge) -> int:
        """Return an edge's own links: none."""
        return 0

    def combine(self, edge: Edge, consequent: int, own: int, states: Any) -> object:
        """Return what is like nothing else."""
        return object()

    def structure(self, state: Any) -> Any:
        """Return the state."""
        return state


def links_of(structure: Any) -> tuple[Any, ...]:
    """Return the links of a structure: (dependent, head), with its label if it has one, or (left, right, label)."""
    match structure:
        case DependencyTree(heads, labels):
            some = labels or [""] * len(heads)
            pairs = enumerate(zip(heads, some, strict=True), start=1)
            return tuple((d, h, label) if label else (d, h) for d, (h, label) in pairs)
        case DependencyGraph() as graph:
            return tuple(map(tuple, graph.to_json()))
    return tuple((link.left, link.right, link.label) for link in structure.links)


def _summed(shares: Iterable[tuple[Any, float]]) -> dict[Any, float]:
    """Return probabilities by link or, in canonical text, by item; rounding has left none above 1."""
    found: dict[Any, float] = {}
    for atom, share in shares:
        if share:
            found[atom] = found.get(atom, 0.0) + share
    by = (lambda pair: pair[0]) if all(isinstance(x, tuple) for x in found) else (lambda pair: str(pair[0]))
    return {atom: min(share, 1.0) for atom, share in sorted(found.items(), key=by)}
