"""A naive deduction engine: the ground truth that the real engine is compared with.

A system is a few Python functions over ground items. `run` calls its step function with everything known so
far, again and again, until nothing new is derived; there is no agenda, no index beyond one field and no
planning, so that each function can be checked against the printed rule by reading it. What is counted follows
the package's public definition of items, steps, derivations and useful items.

An item is a form name and a tuple of values. A value is an int, a bool, None (an absent value), a string, a
tuple (a list of values or of pairs) or an object that prints itself, such as a dotted rule.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

# D-rule grammars: sets of licensed links


Link: TypeAlias = tuple[int, int]  # (dependent, head)
Grammar: TypeAlias = frozenset[Link]  # the licensed links


def all_links(n: int) -> Grammar:
    """Return the grammar that licenses every word under every other word and under 0."""
    return frozenset((d, h) for d in range(1, n + 1) for h in range(n + 1) if h != d)


def all_grammars(n: int) -> Iterator[Grammar]:
    """Yield every subset of `all_links(n)`, smallest first: 2 ** (n * n) grammars."""
    links = sorted(all_links(n))
    for size in range(len(links) + 1):
        yield from (frozenset(chosen) for chosen in combinations(links, size))


def random_grammar(rng: random.Random, n: int, density: float) -> Grammar:
    """Return a grammar that licenses each link with probability `density`."""
    return frozenset(link for link in sorted(all_links(n)) if rng.random() < density)


def heads_grammar(heads: Sequence[int]) -> Grammar:
    """Return the grammar that licenses exactly the links of a head vector."""
    return frozenset(enumerate(heads, start=1))


Item: TypeAlias = tuple[str, tuple[Any, ...]]
Infinite: TypeAlias = Literal["infinite"]
G = TypeVar("G")
V = TypeVar("V")


def word(i: int) -> Item:
    """Return the hypothesis word(i)."""
    return ("word", (i,))


def words(n: int) -> Iterator[Item]:
    """Yield the standard hypotheses word(i), 0 <= i <= n + 1."""
    return (word(i) for i in range(n + 2))


class Instance(NamedTuple):
    """One application of a step; `context` holds the indices of its context antecedents.

    `heads` is what the step says of heads, in a form that only has to tell one from another.
    """

    name: str
    antecedents: tuple[Item, ...]
    consequent: Item
    links: tuple[Link, ...] = ()
    context: tuple[int, ...] = ()
    heads: Any = ()

    @property
    def structural(self) -> tuple[Item, ...]:
        """The antecedents that contribute structure."""
        return tuple(a for at, a in enumerate(self.antecedents) if at not in self.context)


class Derived:
    """Everything known so far (hypotheses included), by form, or by form and the value of one field."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = frozenset(items)
        self._by_form: dict[str, list[tuple[Any, ...]]] = {}
        self._by_field: dict[tuple[str, int, Any], list[tuple[Any, ...]]] = {}
        for form, values in self.items:
            self._by_form.setdefault(form, []).append(values)
            for place, value in enumerate(values):
                self._by_field.setdefault((form, place, value), []).append(values)

    def __contains__(self, item: Item) -> bool:
        return item in self.items

    def of(self, form: str) -> Sequence[tuple[Any, ...]]:
        """Return the value tuples of all known items of a form."""
        return self._by_form.get(form, ())

    def with_field(self, form: str, field: int, value: Any) -> Sequence[tuple[Any, ...]]:
        """Return the value tuples of the known items of a form that have this value in this field."""
        return self._by_field.get((form, field, value), ())


def _everywhere(_n: int, _item: Item) -> bool:
    return True


def _itself(_n: int, item: Item) -> Item:
    return item


class Building(NamedTuple):
    """What derivations build: at a hypothesis, at a step from what its antecedents built; the links of it."""

    leaf: Callable[[Item], Any]
    build: Callable[[Instance, tuple[Any, ...]], Any]
    links: Callable[[Any], Grammar]


UNION = Building(
    leaf=lambda _item: frozenset[Link](),
    build=lambda edge, parts: frozenset(edge.links).union(*parts),
    links=lambda value: value,
)


@dataclass(frozen=True)
class System(Generic[G]):
    """A schema as functions: hypotheses(n), steps(n, grammar, derived), final(n, grammar, item).

    `where` filters consequents in normal form; `normal` gives the normal form (the identity for most). What a
    derivation builds is the union of its steps' links unless `building` says otherwise.
    """

    name: str
    hypotheses: Callable[[int], Iterable[Item]]
    steps: Callable[[int, G, Derived], Iterable[Instance]]
    final: Callable[[int, G, Item], bool]
    where: Callable[[int, Item], bool] = _everywhere
    normal: Callable[[int, Item], Item] = _itself
    building: Building = UNION


@dataclass(frozen=True)
class NaiveChart:
    """What a system derives for n words: all counts are sizes of these sets."""

    system: str
    n: int
    hypotheses: frozenset[Item]
    items: frozenset[Item]
    instances: frozenset[Instance]
    final_items: frozenset[Item]
    building: Building
    ways: Mapping[Instance | Item, Mapping[Any, float]] = field(
        default_factory=dict
    )  # with what each weighs, if not 1
    loops: frozenset[Instance] = (
        frozenset()
    )  # what would be instances if they did not give back an antecedent
    weighing: frozenset[Any] = (
        frozenset()
    )  # the kinds of steps that weigh anything beside links (`sums.kind_of`)

    @property
    def accepted(self) -> bool:
        """Whether there is a final item."""
        return bool(self.final_items)


def run(system: System[G], n: int, grammar: G) -> NaiveChart:
    """Apply every step to everything known until nothing new is derived."""
    hypotheses = frozenset(system.hypotheses(n))
    known = set(hypotheses)
    while True:
        instances = frozenset(_valid(system, n, system.steps(n, grammar, Derived(known))))
        consequents = {instance.consequent for instance in instances}
        if consequents <= known:
            break
        known |= consequents
    final = frozenset(item for item in known if system.final(n, grammar, item))
    items = frozenset(consequents - hypotheses)
    return NaiveChart(system.name, n, hypotheses, items, instances, final, system.building)


def _valid(system: System[G], n: int, instances: Iterable[Instance]) -> Iterator[Instance]:
    """Normalise instances; drop those that prove one of their own antecedents or violate `where`."""
    for instance in instances:
        antecedents = tuple(system.normal(n, a) for a in instance.antecedents)
        consequent = system.normal(n, instance.consequent)
        if consequent not in antecedents and system.where(n, consequent):
            yield instance._replace(antecedents=antecedents, consequent=consequent)


# ---------------------------------------------------------------------------------------------- counts


def items_by_form(chart: NaiveChart) -> dict[str, int]:
    """Return the number of items of each form that has any."""
    return _counted(form for form, _ in chart.items)


def steps_by_name(chart: NaiveChart) -> dict[str, int]:
    """Return the number of instances of each step that has any."""
    return _counted(instance.name for instance in chart.instances)


def _counted(names: Iterable[str]) -> dict[str, int]:
    found = sorted(names)
    return {name: found.count(name) for name in sorted(set(found))}


# ------------------------------------------------------------------------------------------ derivations


def hyperedges(chart: NaiveChart) -> frozenset[Instance]:
    """Return the instances without their context antecedents: what derivation trees are made of."""
    return frozenset(i._replace(antecedents=i.structural, context=()) for i in chart.instances)


def _by_consequent(chart: NaiveChart) -> dict[Item, list[Instance]]:
    """Return the hyperedges into each item; a hypothesis is a leaf, whatever may derive it."""
    into: dict[Item, list[Instance]] = {}
    for edge in hyperedges(chart):
        if edge.consequent not in chart.hypotheses:
            into.setdefault(edge.consequent, []).append(edge)
    return into


def useful(chart: NaiveChart) -> frozenset[Item]:
    """Return the items reachable from a final item through structural antecedents, hypotheses excluded."""
    into = _by_consequent(chart)
    reached: set[Item] = set()
    todo = list(chart.final_items)
    while todo:
        item = todo.pop()
        if item not in reached:
            reached.add(item)
            todo += [a for edge in into.get(item, ()) for a in edge.antecedents]
    return frozenset(reached - chart.hypotheses)


def derivations(chart: NaiveChart, weigh: Callable[[Instance | Item], Any] = lambda _: 1) -> Any:
    """Return the number of derivation trees of final items, or "infinite" if useful items form a cycle.

    With weights of hyperedges and final items it is the sum of the trees' weights.
    """
    into = _by_consequent(chart)
    counts: dict[Item, Any] = dict.fromkeys(chart.hypotheses, 1)
    waiting = set(useful(chart))
    while waiting:
        # An item is counted once all antecedents of all its edges are; if none can be, there is a cycle.
        ready = {x for x in waiting if all(a in counts for edge in into[x] for a in edge.antecedents)}
        if not ready:
            return "infinite"
        for item in ready:
            counts[item] = sum(
                weigh(edge) * math.prod(counts[a] for a in edge.antecedents) for edge in into[item]
            )
        waiting -= ready
    return sum(weigh(item) * counts[item] for item in chart.final_items)


def values_of_derivations(
    chart: NaiveChart, leaf: Callable[[Item], V], build: Callable[[Instance, tuple[V, ...]], V]
) -> dict[Item, set[V]]:
    """Return, for every useful item and every hypothesis, the values of all its derivation trees.

    `build` makes the value of a tree from its last step and the values of the step's structural antecedents.
    The sets grow until nothing changes, which is right for cyclic forests as well if the values are finite.
    """
    wanted = useful(chart)
    edges = [edge for edge in hyperedges(chart) if edge.consequent in wanted]
    values: dict[Item, set[V]] = {item: set() for item in wanted}
    values.update({item: {leaf(item)} for item in chart.hypotheses})
    grown = set(values)
    while grown:
        before = {item: len(found) for item, found in values.items()}
        for edge in edges:
            if grown.intersection(edge.antecedents) or not edge.antecedents:
                parts = [tuple(values[a]) for a in edge.antecedents]
                values[edge.consequent].update(build(edge, part) for part in product(*parts))
        grown = {item for item, found in values.items() if len(found) > before[item]}
    return values


def structures(chart: NaiveChart) -> frozenset[Grammar]:
    """Return the distinct sets of links that derivations of final items build."""
    found = values_of_derivations(chart, chart.building.leaf, chart.building.build)
    return frozenset(chart.building.links(value) for item in chart.final_items for value in found[item])


def numbers_of_structures(chart: NaiveChart) -> Counter[Grammar] | Infinite:
    """Return the sets of links that derivations of final items build, each with the number of its derivations.

    Every derivation tree is made; nothing is shared or multiplied.
    """
    if derivations(chart) == "infinite":
        return "infinite"
    into = _by_consequent(chart)

    def values(item: Item) -> Iterator[Any]:
        if item in chart.hypotheses:
            yield chart.building.leaf(item)
            return
        for edge in into.get(item, ()):
            for parts in product(*(tuple(values(a)) for a in edge.antecedents)):
                yield chart.building.build(edge, parts)

    return Counter(chart.building.links(value) for item in chart.final_items for value in values(item))


def head_vectors(link_sets: Iterable[Grammar], n: int) -> frozenset[tuple[int, ...]]:
    """Return link sets as 1-based head vectors; a word without a head gets 0.

    A set with two heads for one word, or with a link whose dependent is not a word, is an error.
    """
    found = set()
    for links in link_sets:
        heads = dict(links)
        if len(heads) != len(links) or not set(heads) <= set(range(1, n + 1)):
            raise ValueError(f"not one head per word: {sorted(links)}")
        found.add(tuple(heads.get(d, 0) for d in range(1, n + 1)))
    return frozenset(found)


def trees(chart: NaiveChart) -> frozenset[tuple[int, ...]]:
    """Return the distinct head vectors of a chart."""
    return head_vectors(structures(chart), chart.n)


# ------------------------------------------------------------------------------------------------- text


def canonical(item: Item) -> str:
    """Return the text form of an item.

    >>> canonical(("span", (0, 3, False, True)))
    'span[0, 3, false, true]'
    >>> canonical(("state", (3, ((0, False), (1, True)))))
    'state[3, <(0, false), (1, true)>]'
    """
    form, values = item
    return f"{form}[{', '.join(_text(value) for value in values)}]"


def _text(value: Any, inside_list: bool = False) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "true" if value else "false"
        case tuple():
            parts = ", ".join(_text(part, inside_list=True) for part in value)
            return f"({parts})" if inside_list else f"<{parts}>"
        case _:
            return str(value)
