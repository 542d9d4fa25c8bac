"""What the derivations of a naive chart weigh, cycles and steps that give back an antecedent included.

Nothing is solved: the equations of all items are iterated from zero until nothing changes, or until it is clear that
something grows without end. `sums` adds up what derivations weigh, `greatest` takes the best one of each item, `best`
the best one of each structure.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tests.oracle.naive import Instance, Item, NaiveChart

ROUNDS = 40  # of as many rounds as there are items, for a sum
STATES = 3_000  # of all items, for structures
GAIN = 1e-9  # of a round, in log space: what is less is rounding
Ways: TypeAlias = "tuple[float, ...]"  # to make something: the logarithm of what each weighs


@dataclass(frozen=True)
class Edge:
    """A hyperedge: an instance without its context, its tails, and what each way to make it weighs (logarithms)."""

    instance: Instance
    tails: tuple[Item, ...]
    ways: Ways

    @property
    def total(self) -> float:
        """The sum of the ways, as a plain number."""
        return sum(map(math.exp, self.ways))


@dataclass(frozen=True)
class Weighed:
    """The hyperedges into each item that final items need; leaves, which are worth one; final items with their ways."""

    into: Mapping[Item, Sequence[Edge]]
    leaves: frozenset[Item]
    finals: Mapping[Item, Ways]


def weighed(chart: NaiveChart, loops: bool, links: Callable[[Instance], float] = lambda _: 0.0) -> Weighed:
    """Return the hyperedges of a chart with their weights.

    Parameters
    ----------
    chart : as `interpret` makes it: it has its `ways`, and its `loops`.
    loops : whether steps that give back an antecedent are among them.
    links : the scores of the links that an instance builds, in log space.
    """
    ways: dict[Instance, dict[Hashable, float]] = {}
    for instance in (*chart.instances, *(_mattering(chart) if loops else ())):
        edge = _edge_of(instance)
        if edge.consequent not in chart.hypotheses:
            ways.setdefault(edge, {}).update(chart.ways.get(instance, {(): 1.0}))
    edges: dict[Item, list[Edge]] = {}
    for edge, several in ways.items():
        logarithms = tuple(links(edge) + _log(weight) for weight in several.values())
        edges.setdefault(edge.consequent, []).append(Edge(edge, edge.antecedents, logarithms))
    finals = {x: tuple(map(_log, chart.ways.get(x, {(): 1.0}).values())) for x in chart.final_items}
    waiting, reached = list(finals), set[Item]()
    while waiting:
        item = waiting.pop()
        if item not in reached:
            reached.add(item)
            waiting += [tail for edge in edges.get(item, ()) for tail in edge.tails]
    into = {x: edges.get(x, []) for x in reached if x not in chart.hypotheses}
    return Weighed(into, chart.hypotheses, finals)


def _log(weight: float) -> float:
    return math.log(weight) if weight > 0 else -math.inf


def _edge_of(instance: Instance) -> Instance:
    """Return an instance without its context; of context alone, also without its name: any step may predict."""
    predicts = instance.antecedents and not instance.structural
    edge = instance._replace(antecedents=instance.structural, context=())
    return edge._replace(name="") if predicts else edge


def kind_of(instance: Instance) -> Hashable:
    """Return what instances of cases have in common that may be one hyperedge."""
    predicts = instance.antecedents and not instance.structural
    return "" if predicts else instance.name, instance.heads, tuple(map(_shape, instance.links))


def _shape(atom: Sequence[Any]) -> tuple[str, int]:
    """Return the name of an atom, none for a link, and its size."""
    return (atom[0] if atom and isinstance(atom[0], str) else ""), len(atom)


def _mattering(chart: NaiveChart) -> Iterable[Instance]:
    """Yield the steps that give back an antecedent and that weigh anything, or others of whose antecedents do."""
    weighty: set[Item] = set()
    grown = True
    while grown:
        more = {
            x.consequent
            for x in chart.instances
            if x.consequent not in weighty and (kind_of(x) in chart.weighing or weighty & {*x.structural})
        }
        grown, weighty = bool(more), weighty | more
    for x in chart.loops:
        if x.antecedents and not x.structural:
            continue  # it predicts what is there
        places = [k for k, a in enumerate(x.antecedents) if a == x.consequent]
        for place in places:
            others = {a for k, a in enumerate(x.antecedents) if k != place and k not in x.context}
            if kind_of(x) in chart.weighing or weighty & others:
                yield x
                break


def sums(graph: Weighed) -> float | Literal["infinite"] | None:
    """Return the sum of all derivations; None where so many rounds do not tell whether it is infinite."""
    values: dict[Item, float] = dict.fromkeys(graph.leaves, 1.0) | dict.fromkeys(graph.into, 0.0)
    window = len(graph.into) + 1
    growth: list[
        dict[Item, float]
    ] = []  # of each item by itself: beside large ones that of small ones is lost
    for _ in range(ROUNDS):
        before = values
        for _ in range(window):
            last = values
            values = dict.fromkeys(graph.leaves, 1.0)
            for item, edges in graph.into.items():
                values[item] = math.fsum(
                    e.total * math.prod(last.get(t, 0.0) for t in e.tails) for e in edges
                )
            if last == values or max(values.values(), default=0.0) > 1e100:
                break
        if max(values.values(), default=0.0) > 1e100:
            return "infinite"
        if last == values:
            break
        growth.append({x: values[x] - before[x] for x in graph.into})
        *_, second, first = [{}, {}, *growth]
        third = growth[-3] if len(growth) > 3 else {}
        if any(first[x] > 0.9999 * second[x] > 0.9999**2 * third[x] > 1e-6 * values[x] for x in third):
            return "infinite"
        if second and all(first[x] <= 1e-14 * values[x] and first[x] <= second[x] / 2 for x in graph.into):
            break
    else:
        return None
    return math.fsum(sum(map(math.exp, ways)) * values.get(x, 0.0) for x, ways in graph.finals.items())


def greatest(graph: Weighed) -> float | Literal["infinite"]:
    """Return the weight of the best derivation in log space; "infinite" where a round gains."""
    values = dict.fromkeys(graph.leaves, 0.0)
    for _ in range(len(graph.into) + 2):
        grown = False
        for item, edges in graph.into.items():
            for edge in edges:
                if all(tail in values for tail in edge.tails):
                    found = max(edge.ways) + sum(values[tail] for tail in edge.tails)
                    if found > values.get(item, -math.inf) + GAIN:
                        values[item], grown = found, True
        if not grown:
            break
    else:
        return "infinite"
    if math.inf in values.values():  # rounds that add up several gains reach it early
        return "infinite"
    return max((max(ways) + values[x] for x, ways in graph.finals.items() if x in values), default=-math.inf)


def best(
    chart: NaiveChart, graph: Weighed, score: Callable[[Any], float] | None = None
) -> dict[Any, float] | None:
    """Return the greatest weight of the derivations of all that final items build; None where that is much.

    Rounds of cycles must not gain.

    Parameters
    ----------
    chart, graph : what is derived, and its weights.
    score : the score of a link, where links are built by heads that antecedents have.
    """
    values: dict[Item, dict[Any, float]] = {x: {chart.building.leaf(x): 0.0} for x in graph.leaves}
    values |= {x: {} for x in graph.into}
    for _ in range(len(graph.into) * 3 + 3):
        grown = False
        for item, edges in graph.into.items():
            for edge in edges:
                if math.prod(len(values[t]) for t in edge.tails) > STATES:
                    return None
                for state, weight in _built(chart, edge, [values[t] for t in edge.tails], score):
                    if weight > values[item].get(state, -math.inf) + GAIN:
                        values[item][state], grown = weight, True
        if sum(map(len, values.values())) > STATES:
            return None
        if not grown:
            break
    else:
        return None
    found: dict[Any, float] = {}
    for item, ways in graph.finals.items():
        for state, weight in values[item].items():
            links = chart.building.links(state)
            found[links] = max(found.get(links, -math.inf), weight + max(ways))
    return found


def _built(
    chart: NaiveChart,
    edge: Edge,
    parts: Sequence[dict[Any, float]],
    score: Callable[[Any], float] | None,
) -> list[tuple[Any, float]]:
    """Return the states that an edge makes of those of its tails."""
    choices: list[tuple[tuple[Any, ...], float]] = [((), max(edge.ways))]
    for states in parts:
        choices = [((*so_far, s), w + weight) for so_far, weight in choices for s, w in states.items()]
    found = []
    for states, weight in choices:
        state, of_heads = chart.building.build(edge.instance, states), 0.0
        if score is not None:
            links = chart.building.links
            before = set(edge.instance.links).union(*map(links, states))
            of_heads = sum(score(link) for link in links(state) - before if link is not None)
        found.append((state, weight + of_heads))
    return found
