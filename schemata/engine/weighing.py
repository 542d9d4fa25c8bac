"""The weights of a chart's derivations: best structures, totals, marginals, samples.

All is computed over one hypergraph with its weights (`weighted_graph`). Totals and the best tree of a chart that
native kernels in a proved order have derived, and those of many sentences, are computed by such kernels: the chart
knows its tables, so nothing of its forest is listed. They know the scores of links alone; where anything else weighs,
the fold over the forest has the answer.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, reduce
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from schemata.budget import Budget, EngineName
from schemata.engine.engines import Engines, Worth
from schemata.engine.weighted_graph import Derivations, StepWeights, WeightedGraph, link_scores
from schemata.errors import AmbiguityWarning, Diagnostic, StructureError, UsageError, require_number
from schemata.forest.derivations import Derivation, derivation_of
from schemata.forest.forest import Edge
from schemata.forest.states import finished_states
from schemata.forest.structures import derivation_structure
from schemata.forest.trees import link_of
from schemata.grammars.drules import Licences, tree_of
from schemata.kinds import D_RULES, DEPENDENCY_TREE
from schemata.records import Record, ShownAsSvg, field
from schemata.structures import DependencyGraph, DependencyTree
from schemata.structures.linkages import Linkage
from schemata.structures.word_graphs import OnPath
from schemata.thresholds import EFFORTS, REFUSALS, WAYS
from schemata.weights.best import BestState, BestStates
from schemata.weights.fold import EndlessSumError
from schemata.weights.semiring import (
    BOOLEAN,
    LOG,
    MIN_PLUS,
    REAL,
    VITERBI,
    Semiring,
    exponential,
    require_built,
    require_weight,
    semiring_of,
)
from schemata.weights.tensors import StepTensor, tensors_of
from schemata.wording import quantity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.charts import BareChart, BuiltLink, Item
    from schemata.ordered.store import OrderedStore
    from schemata.ordered.weights import Best, Choice, Scored, Weigher
    from schemata.structures import Sentence
    from schemata.structures.constituents import Structure
    from schemata.weights.features import Features, StepFeature
    from schemata.weights.scores import Weights


T = TypeVar("T")
Hypotheses = Sequence[tuple[int, tuple[int, ...]]]
_NATIVE = ("viterbi", "real", "log")  # totals that native kernels compute


class WeightedStructure(Record, ShownAsSvg):
    """A structure, the weight of its best derivation in log space, and that derivation.

    A structure is a dependency tree, a linkage, or, where a schema builds no links, the derivation itself.
    """

    structure: Structure | Derivation
    weight: float
    derivation: Derivation = field(compare=False, repr=False)


def not_weighed(chart: BareChart) -> Diagnostic | None:
    """Return the warning that a stopped run leaves weights open: missing parts may weigh more; else None."""
    message = "best structures, totals, marginals and samples are not known: the chart is not complete"
    return Diagnostic("not-weighed", message, severity="warning") if chart.stopped else None


def require_complete(chart: BareChart, hint: str | None = None) -> None:
    """Check that no limit stopped a run: its weights would be those of a part.

    Raises
    ------
    UsageError : it was stopped.
    """
    if (found := not_weighed(chart)) is not None:
        raise UsageError(found.message, code=found.code, hint=hint)


def weighing_of(
    chart: BareChart,
    given: Weights,
    claims: Callable[[], tuple[bool | None, str | None]] | None,
    *,
    so_far: bool = False,
) -> Weighing:
    """Return the weighing of a chart, as `Chart.weighing` does; `so_far`: as `Chart.weighing_so_far` does."""
    if not so_far:
        hint = "raise the limit; chart.weighing_so_far weighs what was derived until then"
        require_complete(chart, hint)
    return Weighing(WeightedGraph(chart, given), claims)


class Weighing:
    """Sums, shares, samples and best structures of a chart's weighted derivations.

    Parameters
    ----------
    weighted : the hypergraph of the chart with its weights.
    claims : as in `Chart`.
    """

    def __init__(
        self, weighted: WeightedGraph, claims: Callable[[], tuple[bool | None, str | None]] | None = None
    ) -> None:
        self.weighted, self.claims = weighted, claims

    @property
    def chart(self) -> BareChart:
        """The chart whose derivations are weighed."""
        return self.weighted.chart

    @cached_property
    def _is_native(self) -> bool:
        """Whether native code may weigh the request: it computes sums over the final items, and over trees of
        all words.
        """
        return self.weighted.item is None and not self.weighted.is_on_paths

    @cached_property
    def _counted(self) -> WeightedGraph:
        """The hypergraph of the derivations that are counted: without instances that give back an antecedent."""
        weighted = self.weighted
        if weighted.chart is weighted.plain:
            return weighted
        return WeightedGraph(weighted.plain, weighted.given, weighted.item, loops=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the chart and its weights alone; everything else is computed from them again."""
        weighted = self.weighted
        return type(self), (type(weighted)(weighted.plain, weighted.given, weighted.item), self.claims)

    def total(self, semiring: str | Semiring[Any] = "log", distinct: bool = False) -> Any:
        """Return the sum of the weights of all derivations, or of all distinct structures; see `Chart.total`."""
        chosen = semiring_of(semiring)
        if distinct:
            values = (chosen.of(one.weight, tuple(self._atoms(one))) for one in self._every)
            return reduce(chosen.plus, values, chosen.zero)
        if not chosen.idempotent:
            self.warn("the total")
        total = self._total(chosen)
        if chosen is REAL and not 0 < total < math.inf:  # some part may be too large or too small for a float
            logarithm = self._total(LOG)
            total = exponential(logarithm)
            if total == math.inf:
                message = f"the total is e to the power of {logarithm:.6g}, which is too large for a number"
                raise UsageError(message, code="too-large", hint="ask for its logarithm: the total log")
        if chosen in (LOG, VITERBI, MIN_PLUS) or (isinstance(semiring, str) and isinstance(total, tuple)):
            logs = total or (-math.inf,) if isinstance(total, tuple) else (total,)
            for one in logs:
                self._require_held(-one if chosen is MIN_PLUS else one)
        return total

    def _require_held(self, weight: float) -> float:
        """Return a weight of derivations, if a number can hold it.

        Raises
        ------
        UsageError : it is infinite, or nothing, though derivations have weights: as where steps square weights.
        """
        if math.isnan(weight) or weight == math.inf or (weight == -math.inf and self._is_derived):
            message = "the logarithm of a weight of derivations is too large for a number"
            raise UsageError(message, code="too-large", hint="try a shorter sentence")
        return weight

    @cached_property
    def _is_derived(self) -> bool:
        """Whether some derivation is not forbidden."""
        return bool(self.weighted.graph.fold(BOOLEAN, self.weighted.values(BOOLEAN))[self.weighted.goal])

    def _total(self, chosen: Semiring[Any]) -> Any:
        import numpy as np

        if chosen.native in _NATIVE and self._is_native:
            found = native_total(self.chart, self.weighted.given, chosen.native)
            if found is not None:
                return found
        weighted = self._counted if chosen.native == "count" else self.weighted
        with np.errstate(over="ignore", invalid="ignore"):
            total = weighted.graph.fold(chosen, weighted.values(chosen))[weighted.goal]
        return total.item() if hasattr(total, "item") else total

    def best(self) -> WeightedStructure | None:
        """Return the best structure, None if nothing is derived."""
        found = native_best(self.chart, self.weighted.given) if self._is_native else None
        if found is None:
            return next(iter(self.k_best(1)), None)
        (tree, weight), derivation = found
        return WeightedStructure(tree, self._require_held(weight), derivation)

    def k_best(self, k: int | None = None) -> list[WeightedStructure]:
        """Return the k best distinct structures, best first; None for all."""
        if k is not None:
            require_number("k", k, least=0)
        return list(islice(self.iterate(), k))

    def iterate(self, weights: NDArray[np.float64] | None = None) -> Iterator[WeightedStructure]:
        """Yield distinct structures, best first; hyperedges have the weights given, if any."""
        building = self.weighted.building
        best = self._best_states(self.weighted.weights if weights is None else weights)
        seen: set[Any] = set()
        found = None
        for found in best.of(self.weighted.goal):
            if weights is None:
                self._require_held(found.weight)
            structure = building.structure(found.state)
            if structure is None or structure in seen:
                continue
            seen.add(structure)
            entries = self._entries(best, found)
            derivation = self._built(entries)
            shown = derivation if isinstance(building, Derivations) else building.value(structure)
            one = WeightedStructure(shown, found.weight, derivation)
            if weights is None:
                self._require_weight(one, [found.edge, *(edge for _, edge in entries)])
            yield one
        if found is None and weights is None:
            self._require_held(-math.inf)

    def _require_weight(self, found: WeightedStructure, edges: Sequence[int]) -> None:
        """Check that a structure is built by the hyperedges of its derivation, and has the sum of their weights.

        If only links have weights, the weights of its links add up to the same sum; a link built twice counts twice.

        Parameters
        ----------
        found : the structure.
        edges : the hyperedge into the goal, then those of the derivation, -1 for a hypothesis.
        """
        weighted, structure, weight = self.weighted, found.structure, found.weight
        used = [edge for edge in edges if edge >= 0]
        require_weight(weight, weighted.weights[used].tolist())
        if isinstance(structure, Derivation):
            return
        if not isinstance(_over_words(structure), DependencyTree | DependencyGraph | Linkage):
            require_built(structure == derivation_structure(self.chart, found.derivation), structure)
            return
        built: list[Any] = [link for edge in used for link in weighted.built(edge)]
        links = {link[:2] for link in links_of(structure)}
        rest = links.difference(link[:2] for link in built)
        are_built = links.issuperset(link[:2] for link in built)
        require_built(are_built and not any(head for _, head in rest), structure)
        if not self._links_alone:
            return
        arcs = weighted.given.arcs
        if isinstance(structure, Linkage):
            parts = [] if arcs is None else [arcs.of(b, a, label) for a, b, label in built]
            require_weight(weight, [-structure.cost, *parts])
            return
        if weighted.roots[edges[0] - weighted.graph.edges(weighted.goal).start] < 0:
            built.append((1, 0))  # the score of any root is the same
        require_weight(weight, [weighted.score_of(link) for link in built])

    @cached_property
    def _links_alone(self) -> bool:
        """Whether nothing but links weighs, each once: not so of trees of a part of the sentence."""
        weighted = self.weighted
        rest = weighted.step_weights.cases or StepWeights.of_hypotheses(self.chart, weighted.given)
        finals = any(any(ways.values()) for ways in weighted._finals.values())
        return weighted.item is None and not rest and not finals

    def derivations(self) -> Iterator[tuple[float, Derivation]]:
        """Yield derivations with their weights, best first; of a structure that has been built only the best."""
        best = self._best_states(self.weighted.weights)
        return (
            (found.weight, self._built(self._entries(best, found))) for found in best.of(self.weighted.goal)
        )

    def _best_states(self, weights: NDArray[np.float64]) -> BestStates:
        return BestStates(
            self.weighted.graph, weights, self.weighted.building.leaf, self._combine, self._ordered
        )

    @cached_property
    def _place(self) -> Callable[[int], Any]:
        return cache(self.chart.order)

    def _ordered(self, node: int) -> Sequence[int]:
        """Return the hyperedges into a node in an order that is the same on every engine."""
        weighted, order = self.weighted, self._place
        named, origin, edges = weighted.derived.named, weighted.origin, weighted.graph.edges(node)
        if node == weighted.goal:
            return sorted(edges, key=lambda edge: (-int(origin[edge]), weighted.graph.tails_of(edge)))

        def key(edge: int) -> Any:
            found, tails = weighted.edge(int(origin[edge])), weighted.graph.tails_of(edge)
            below = named[list(tails)].tolist()
            built = self.chart.built_links(found.case, found.links)
            return found.case, [order(item) for item, *_ in below], built, [tag for _, tag, _ in below]

        return sorted(edges, key=key) if len(edges) > 1 else edges

    def _combine(self, edge: int, node: int, states: Sequence[Any]) -> Any:
        origin = int(self.weighted.origin[edge])
        if origin < 0:  # a final hypothesis is a derivation, though nothing is built of it
            return object() if isinstance(self.weighted.building, Derivations) else states[0]
        found, item = self.weighted.edge(origin), int(self.weighted.derived.named[node, 0])
        return self.weighted.building.combine(found, item, self.weighted.building.links(found), states)

    def _entries(self, best: BestStates, found: BestState) -> list[tuple[int, int]]:
        """Return the derivation of a state of the goal: nodes and their hyperedges (-1 for none) in preorder."""
        (root,) = self.weighted.graph.tails_of(found.edge)
        entries: list[tuple[int, BestState]] = []
        waiting = [(root, found.ranks[0])]
        while waiting:
            node, rank = waiting.pop()
            one = best.ranked(node, rank)
            assert one is not None
            entries.append((node, one))
            if one.edge >= 0:
                waiting.extend(
                    reversed(list(zip(self.weighted.graph.tails_of(one.edge), one.ranks, strict=True)))
                )
        return [(node, one.edge) for node, one in entries]

    def _built(self, entries: Sequence[tuple[int, int]]) -> Derivation:
        """Return the derivation of nodes and their hyperedges (-1 for none) in preorder."""
        edges = (
            None if number < 0 else self.weighted.edge(int(self.weighted.origin[number]))
            for _, number in entries
        )
        items = (int(self.weighted.derived.named[node, 0]) for node, _ in entries)
        return derivation_of(self.chart, list(zip(items, edges, strict=True)))

    @cached_property
    def _every(self) -> list[WeightedStructure]:
        """All distinct structures.

        Raises
        ------
        UsageError : there are too many.
        """
        found = list(islice(self.iterate(), REFUSALS.distinct_structures + 1))
        if len(found) > REFUSALS.distinct_structures:
            message = (
                f"there are more than {REFUSALS.distinct_structures:,} structures, too many to list each"
            )
            raise UsageError(message, code="too-many-structures", hint="sum over derivations: distinct=False")
        return found

    def marginals(self, distinct: bool = False) -> dict[BuiltLink | Item, float]:
        """Return the probability of everything built; see `Chart.marginals`."""
        if not distinct:
            self.warn("a marginal")
            return summed(self._with_roots() if self._log_total > -math.inf else ())
        shares = self._shares()
        return summed((atom, share) for one, share in shares for atom in dict.fromkeys(self._parts(one)))

    def _parts(self, one: WeightedStructure) -> Iterator[Any]:
        """Yield the atoms of a structure, and the tags and features of its words."""
        yield from self._atoms(one)
        yield from _of_words(one.structure)

    def _with_roots(self) -> Iterator[tuple[Any, float]]:
        """Yield links with their shares; if final items do not determine the roots, words without a head count as
        linked to 0.
        """
        if -1 in self.weighted.roots and self.weighted.is_on_paths:
            message = "the steps do not say which word is the root, and paths have different words"
            raise UsageError(
                message, code="unknown-roots", hint="distinct=True (--distinct) sums over structures"
            )
        left = dict.fromkeys(range(1, self.chart.n + 1), 1.0)
        for atom, share in self._shares_of_derivations():
            yield atom, share
            if -1 in self.weighted.roots and isinstance(atom, tuple) and isinstance(atom[0], int):
                left[atom[0]] -= share
        if -1 in self.weighted.roots:
            yield from (((word, 0), share) for word, share in left.items() if share > 1e-12)

    def _shares_of_derivations(self) -> Iterator[tuple[Any, float]]:
        """Yield links, or items where none are built, with shares of the derivations that build them."""
        import numpy as np

        if self.weighted.graph.levels is None:  # an item may stand in a derivation several times
            raise EndlessSumError(
                self.weighted.graph, self.weighted.graph.cycles[0], "and it has no probability"
            )
        shares = self.weighted.graph.posteriors(self.weighted.values(LOG), self.weighted.goal)
        is_derived = self.weighted.origin >= 0
        if not self.weighted.builds_links:
            items = np.repeat(self.weighted.derived.named[:, 0], np.diff(self.weighted.graph.first[:-1]))
            used = (shares * is_derived).nonzero()[0].tolist()
            yield from ((self.chart.item(int(items[edge])), float(shares[edge])) for edge in used)
            return
        for edge in (~is_derived).nonzero()[0].tolist():
            yield from ((atom, float(shares[edge])) for atom in self.weighted.built(edge))
        edges, *to_heads = self.weighted.derived.links
        yield from zip(map(tuple, np.array(to_heads).T.tolist()), shares[edges].tolist(), strict=True)
        of_edge = np.bincount(
            self.weighted.origin[is_derived], shares[is_derived], len(self.weighted.edges.case)
        )
        for built, edges, ends in self.weighted.links:
            several, places = np.unique(ends[:, ends[0] >= 0], axis=1, return_inverse=True)
            sums = np.bincount(places.reshape(-1), of_edge[edges[ends[0] >= 0]], several.shape[1])
            for numbers, share in zip(several.T.tolist(), sums.tolist(), strict=True):
                yield link_of(self.chart, built, numbers), share
        yield from (
            (atom, float(of_edge[edge])) for edge, atom in self.weighted.of_words if edge < len(of_edge)
        )

    def expected(self, model: Features) -> dict[StepFeature, float]:
        """Return how often derivations have each feature on average; see `Chart.expected`."""
        import numpy as np

        self.warn("an expectation")
        if self._log_total == -math.inf:
            return {}
        shares = self.weighted.graph.posteriors(self.weighted.values(LOG), self.weighted.goal)
        is_derived = self.weighted.origin >= 0
        of_edge = np.bincount(self.weighted.origin[is_derived], shares[is_derived])
        found: dict[StepFeature, float] = {}
        for edge in of_edge.nonzero()[0].tolist():
            ways = self.weighted.feature_ways(model, edge)
            most = max((score for _, score in ways), default=0.0)
            odds = [math.exp(score - most) for _, score in ways]
            for (vector, _), share in zip(ways, odds, strict=True):
                for feature in vector:
                    found[feature] = found.get(feature, 0.0) + share / sum(odds) * float(of_edge[edge])
        return found

    def gradient(self) -> dict[Any, float]:
        """Return the derivatives of the log total by the logarithms of the grammar's weights; see `Chart.gradient`."""
        import numpy as np

        self.warn("a gradient")
        circuit, weights = self.weighted.circuit, dict[Any, float]()
        grammar: Any = self.weighted.chart.grammar
        for name, rows in getattr(grammar, "sources", {}).items():
            own = grammar.weights if isinstance(grammar, Licences) else grammar.weights[name]
            weights |= {source: own.get(row, 0.0) for row, source in rows.items()}
        _, found = circuit.expectations(np.array([weights[key] for key in circuit.parameters]))
        used = dict(zip(circuit.parameters, found.tolist(), strict=True))
        return {key: used.get(key, 0.0) for key in sorted(weights, key=repr)}

    def step_shares(self) -> dict[str, NDArray[np.float64]]:
        """Return, by step with a tensor of weights, how often derivations apply it with each choice of values.

        They are shaped as the weights, and are the derivatives of the log total by these. Where several bindings make
        one hyperedge, each has its share of it.
        """
        import numpy as np

        found = {
            name: np.zeros_like(one.array)
            for name, one in self.weighted.given.steps.items()
            if isinstance(one, StepTensor)
        }
        if self._log_total == -math.inf:
            return found
        shares = self.weighted.graph.posteriors(self.weighted.values(LOG), self.weighted.goal)
        is_derived = self.weighted.origin >= 0
        of_edge = np.bincount(self.weighted.origin[is_derived], shares[is_derived])
        for edge in of_edge.nonzero()[0].tolist():
            for name, places in self.weighted.tensor_ways(edge).items():
                tensor = self.weighted.given.steps[name]
                assert isinstance(tensor, StepTensor)
                ways = [(place, tensor(**dict(zip(tensor.names, place, strict=True)))) for place in places]
                most = max(score for _, score in ways)
                odds = [math.exp(score - most) for _, score in ways]
                for (place, _), share in zip(ways, odds, strict=True):
                    if all(k < size for k, size in zip(place, tensor.array.shape, strict=True)):
                        found[name][place] += share / sum(odds) * float(of_edge[edge])
        return found

    def counted(self, model: Features, derivation: Derivation) -> dict[StepFeature, int]:
        """Return how often a derivation has each feature; see `Chart.features_of`."""
        found: dict[StepFeature, int] = {}
        for node in derivation.applied():
            assert node.edge is not None
            ways = self.weighted.feature_ways(model, self.weighted.number_of(node.number, node.edge))
            for feature in max(ways, key=lambda way: way[1])[0] if ways else ():
                found[feature] = found.get(feature, 0) + 1
        return found

    def _atoms(self, one: WeightedStructure) -> Sequence[Any]:
        """Return the atoms of a structure: its links, or the derived items of its derivation."""
        if self.weighted.builds_links and not isinstance(one.structure, Derivation):
            return links_of(one.structure)
        return [node.item for _, node in one.derivation.walk() if node.step is not None]

    def sample(self, number: int, seed: int = 0, distinct: bool = False) -> list[WeightedStructure]:
        """Return structures drawn in proportion to their weights; see `Chart.sample`."""
        require_number("the number of samples", number, least=0)
        if distinct:
            import random

            shares = self._shares()
            ones, odds = [one for one, _ in shares], [share for _, share in shares]
            return random.Random(seed).choices(ones, odds, k=number) if ones else []
        self.warn("a sample")
        if self._log_total == -math.inf:
            return []
        drawn = self.weighted.graph.samples(
            self.weighted.values(LOG), self.weighted.goal, seed, self._ordered
        )
        most = min(EFFORTS.drawn_derivations * (1 + number), sys.maxsize)
        structures = (self._drawn(entries) for entries in islice(drawn, most))
        found = list(islice((one for one in structures if one is not None), number))
        if len(found) < number and (found or self._may_build):
            came = f"only {quantity(len(found), 'structure')}" if found else "no structure"
            message = f"{came} came of {quantity(most, 'derivation')} drawn, fewer than {quantity(number, 'sample')}"
            hint = "--distinct draws among the structures, which are listed for it"
            raise UsageError(message, code="too-few-samples", hint=hint)
        return found

    @property
    def _may_build(self) -> bool:
        """Whether some derivation builds a structure, or there are too many to decide."""
        building = self.weighted.building
        states = finished_states(self.weighted.forest, building, EFFORTS.unions)
        return states is None or any(building.structure(state) is not None for state in states)

    def _drawn(self, entries: Sequence[tuple[int, int]]) -> WeightedStructure | None:
        """Return the structure of a derivation in the form of `Hypergraph.samples`; None if it builds no structure."""
        derivation = self._built(entries[1:])
        structure: Structure | Derivation | None = derivation
        if not isinstance(self.weighted.building, Derivations):
            structure = derivation_structure(self.chart, derivation)
        if structure is None:
            return None
        edges = [edge for _, edge in entries]
        weight = float(self.weighted.weights[[edge for edge in edges if edge >= 0]].sum())
        found = WeightedStructure(structure, weight, derivation)
        self._require_weight(found, edges)
        return found

    def entropy(self, distinct: bool = False) -> float:
        """Return the entropy of the structures, in nats; see `Chart.entropy`."""
        if distinct:
            return -sum(share * math.log(share) for _, share in self._shares() if share > 0)
        self.warn("the entropy")
        total = self._log_total
        if total == -math.inf:
            return 0.0
        values = self.weighted.values(LOG)
        shares = self.weighted.graph.posteriors(values, self.weighted.goal)
        taken = shares > 0
        return max(0.0, total - float(shares[taken] @ values[taken]))

    def weight_of(self, structure: Structure | Sequence[int]) -> float:
        """Return the weight of one structure; see `Chart.weight_of`."""
        import numpy as np

        wanted = tree_of(structure) if isinstance(structure, Sequence) else structure
        n = len(self.chart.sentence)
        if isinstance(wanted, DependencyTree | DependencyGraph) and len(wanted) != n:
            said = f"{quantity(len(wanted), 'word')}, but the sentence has {quantity(n, 'word')}"
            raise UsageError(f"the structure has {said}", code="wrong-length")
        if not self.weighted.builds_links:
            for one in self.iterate():
                if type(one.structure) is not type(wanted):
                    message = f"a {type(wanted).__name__} is not a structure of {self.chart.schema.name}"
                    raise UsageError(message, expected=f"a {type(one.structure).__name__}")
                if one.structure == wanted:
                    return one.weight
            return -math.inf
        tree = _over_words(wanted)
        ends = 2 if isinstance(tree, DependencyTree) and tree.labels is None else 3  # any labels
        links = set(links_of(wanted))
        of_words = set(_of_words(wanted))
        names = {name for name, _, _ in of_words}  # any tags, where the structure has none
        weights = np.array(self.weighted.weights)
        for edge, atom in self.weighted.of_words:
            if atom[0] in names and atom not in of_words:
                weights[self.weighted.origin == edge] = -math.inf
        for node in self.weighted.graph.useful.nonzero()[0].tolist():
            for edge in self.weighted.graph.edges(node):
                if not links.issuperset(link[:ends] for link in self.weighted.built(edge)):
                    weights[edge] = -math.inf
        found = (
            one
            for one in self.iterate(weights)
            if {x[:ends] for x in links_of(one.structure)} == links
            and (not of_words or of_words == {x for x in _of_words(one.structure) if x[0] in names})
        )
        return next((one.weight for one in found), -math.inf)

    def _shares(self) -> list[tuple[WeightedStructure, float]]:
        """Return all distinct structures with their probabilities."""
        total = reduce(LOG.plus, (one.weight for one in self._every), LOG.zero)
        return [(one, math.exp(one.weight - total)) for one in self._every]

    @property
    def _log_total(self) -> float:
        import numpy as np

        with np.errstate(over="ignore", invalid="ignore"):
            sums = self.weighted.graph.fold(LOG, self.weighted.values(LOG))
        return self._require_held(float(sums[self.weighted.goal]))

    # each once

    def warn(self, what: str) -> None:
        """Warn that a sum is over derivations, not over structures, unless both are certain to be equal."""
        if said := self.doubt:
            warnings.warn(f"{what} is over {said}", AmbiguityWarning, stacklevel=4)

    @cached_property
    def doubt(self) -> str | None:
        """The reason why a sum over derivations may differ from one over structures; None if both are the same."""
        if not self.weighted.builds_links:
            return None
        known, other = self.claims() if self.claims else (None, None)
        if known or not self.chart.accepted:
            return None
        way = "distinct=True sums over structures"
        if other:
            way += f", and {other} derives each once"
        most = (
            WAYS.checked_steps if known is None else WAYS.checked_steps // 100
        )  # where it is known, figures are but a courtesy
        few = self.chart.step_count <= most or (known is None and "edges" in vars(self.weighted))
        states = (
            finished_states(self.weighted.forest, self.weighted.building, EFFORTS.unions) if few else None
        )
        if states is None:
            derives = "may derive" if known is None else "derives"
            return f"derivations: {self.chart.schema.name} {derives} some structures more than once; {way}"
        derivations = (
            0 if self.weighted.graph.levels is None else self.weighted.graph.derivations(self.weighted.goal)
        )
        structures = sum(self.weighted.building.structure(state) is not None for state in states)
        if derivations == structures:
            return None
        many = quantity(derivations, "derivation") if derivations else "infinitely many derivations"
        return f"{many} of {quantity(structures, 'structure')}; {way}"


def _over_words(structure: Any) -> Any:
    """Return a structure, without the path of a word graph that it is over."""
    return structure.structure if isinstance(structure, OnPath) else structure


def _of_words(structure: Any) -> tuple[Any, ...]:
    """Return the tags and features that a tree gives to words; a path of a word graph has the words themselves."""
    return structure.of_words if isinstance(structure, DependencyTree) else ()


def links_of(structure: Any) -> tuple[Any, ...]:
    """Return the links of a structure: (dependent, head), with its label if it has one, or (left, right, label).

    Over a path of a word graph, words have their numbers in the graph.

    Raises
    ------
    UsageError : it is not a structure that has links.
    """
    match structure:
        case DependencyTree(heads, labels):
            some = labels or [""] * len(heads)
            pairs = enumerate(zip(heads, some, strict=True), start=1)
            return tuple((d, h, label) if label else (d, h) for d, (h, label) in pairs)
        case DependencyGraph() as graph:
            return tuple(map(tuple, graph.to_json()))
        case Linkage() as linkage:
            return tuple((link.left, link.right, link.label) for link in linkage.links)
        case OnPath(path, _, over):
            word = (0, *path)
            return tuple((word[d], word[h], *label) for d, h, *label in links_of(over))
    raise UsageError(f"{structure!r} has no links", expected="heads, a tree, a graph or a linkage")


def summed(shares: Iterable[tuple[Any, float]]) -> dict[Any, float]:
    """Return probabilities by link or, in canonical text, by item; sums above 1, which come from rounding, are set to
    1.
    """
    found: dict[Any, float] = {}
    for atom, share in shares:
        if share:
            found[atom] = found.get(atom, 0.0) + share
    of_links = all(isinstance(x, tuple) for x in found)  # and of tags and features, which begin with a text
    by = (lambda pair: (isinstance(pair[0][0], str), pair[0])) if of_links else (lambda pair: str(pair[0]))
    return {atom: min(share, 1.0) for atom, share in sorted(found.items(), key=by)}


# By native kernels -------------------------------------------------------------------------------------------


class ScoredTree(NamedTuple):
    """A tree and its weight in log space."""

    structure: DependencyTree
    weight: float


class _NotNative(Exception):  # noqa: N818 - an answer
    """Native kernels cannot answer: the fold over the forest has to."""


def native_total(chart: BareChart, given: Weights, algebra: str) -> float | None:
    """Return the total of a chart in an algebra ("viterbi", "real", "log"); None if the fold has to compute it."""
    try:
        weigher, scored, _ = _of_chart(chart, given)
        return _asked(lambda: weigher.total(algebra, scored))
    except _NotNative:
        return None


def native_best(chart: BareChart, given: Weights) -> tuple[ScoredTree, Derivation] | None:
    """Return the best tree of a chart and its best derivation; None without a tree, or if the fold must find it.

    The kernel finds heads; for other structures, graphs or sets, the fold is used.
    """
    if chart.schema.structure != DEPENDENCY_TREE:
        return None
    try:
        weigher, scored, store = _of_chart(chart, given)
        best = _asked(lambda: weigher.best(scored))
        return None if best is None else (_tree(best), _derivation(chart, store, best.choices()))
    except _NotNative:
        return None


def _of_chart(chart: BareChart, given: Weights) -> tuple[Weigher, Scored, OrderedStore]:
    """Return the native weigher for a chart's sentence, with the sentence's scores and the chart's store."""
    store: Any = getattr(chart.raw, "store", None)
    if store is None or chart.schema.grammar != D_RULES or any(c.weight for c in chart.schema.cases):
        raise _NotNative
    from schemata.ordered.store import OrderedStore

    if not isinstance(store, OrderedStore) or not store.is_complete:
        raise _NotNative
    from schemata.ordered.weights import weigher_of

    scored = _scored(chart.grammar, given, lambda: store.tables.hypotheses, Budget().memory)
    return weigher_of(store.tables.kernel), scored, store


def _scored(provided: Any, given: Weights, hypotheses: Callable[[], Hypotheses], memory: int) -> Scored:
    """Return a sentence with scores of links and tensors of steps, if nothing else weighs."""
    steps, scores = tensors_of(given.steps), link_scores(given, provided)
    if steps is None or (given.arcs is not None and given.arcs.labels) or (scores is None and not steps):
        raise _NotNative
    import numpy as np

    from schemata.ordered.weights import Scored

    matrix = np.zeros((provided.n + 1,) * 2) if scores is None else scores
    return Scored(provided, matrix, hypotheses, memory, steps)


def _asked(ask: Callable[[], T]) -> T:
    from schemata.kernels.store import OutsideTables
    from schemata.ordered.weights import NotWeighable

    try:
        return ask()
    except (NotWeighable, OutsideTables):
        raise _NotNative from None


def _tree(best: Best) -> ScoredTree:
    try:
        return ScoredTree(DependencyTree(best.heads), best.weight)
    except StructureError:  # the best tree is another one
        raise _NotNative from None


def _derivation(chart: BareChart, store: OrderedStore, choices: Sequence[Choice]) -> Derivation:
    """Return a derivation from its choices in preorder."""

    def number(kind: int, columns: tuple[int, ...]) -> int:
        found = store.number_at(kind, store.tables.place_of(kind, columns))
        assert found is not None
        return found

    def edge(one: Choice) -> Edge | None:
        if one.case is None:
            return None
        antecedents = chart.schema.cases[one.case].antecedents
        slots = tuple(k for k, antecedent in enumerate(antecedents) if not antecedent.context)
        return Edge(one.case, tuple(number(*tail) for tail in one.tails), one.links, slots)

    return derivation_of(chart, [(number(one.kind, one.columns), edge(one)) for one in choices])


def best_each(
    engines: Engines, sentences: Iterable[tuple[Sentence, Any, Weights]], engine: EngineName
) -> Iterator[ScoredTree | None]:
    """Yield the best tree of every sentence, None if it is not accepted.

    Parameters
    ----------
    engines : those of the schema.
    sentences : each with its sentence grammar, and its weights.
    engine : as for a run; "auto" begins with charts, and goes over to native kernels when that is worth their start.

    Raises
    ------
    UsageError, BudgetExceeded, Interrupted : as a run does.
    """
    weigher: Weigher | None = None
    schema = engines.schema
    natively = schema.grammar == D_RULES and schema.structure == DEPENDENCY_TREE
    weighed = any(case.weight for case in schema.cases)
    looked, steps = engine == "python" or weighed or not natively, 0
    memory = Budget().memory
    for sentence, provided, given in sentences:
        if not looked and (engine == "native" or engines.is_worth(Worth.of_many(), steps)):
            from schemata.ordered.weights import weigher_of

            looked = True
            native = engines.native
            ordered = None if native is None else native.ordered
            weigher = None if ordered is None else weigher_of(ordered)
        if weigher is not None:
            try:
                yield _best_of(engines, weigher, provided, given, memory)
                continue
            except _NotNative:
                pass
        chart = engines.run(sentence, provided, engine=engine)
        chart.weights = given
        steps += chart.step_count
        found = chart.best()
        yield None if found is None else ScoredTree(found.structure, found.weight)  # type: ignore[arg-type]


def _best_of(
    engines: Engines, weigher: Weigher, provided: Any, given: Weights, memory: int
) -> ScoredTree | None:
    from schemata.engine.native import hypotheses_of

    native = engines.native
    assert native is not None
    agenda = native.agenda
    scored = _scored(provided, given, lambda: hypotheses_of(agenda, provided.n, provided), memory)
    best = _asked(lambda: weigher.best(scored))
    return None if best is None else _tree(best)
