"""Derivations as trees against the naive fixpoint: as many, all different, building the same structures."""

import itertools
import math
from collections import Counter
from typing import Any

import pytest

from schemata.errors import SchemataError, UsageError
from schemata.forest import states
from schemata.forest.derivations import Derivation, iterate_derivations, list_derivations
from schemata.forest.forest import Count, Forest
from schemata.forest.structures import derivation_structure, iterate_values
from schemata.forest.trees import Building
from schemata.grammars import DRules
from schemata.language.shipped import shipped_schemata
from schemata.thresholds import EFFORTS, changed
from schemata.workbench import load
from tests.oracle import naive
from tests.oracle.d_rule_systems import D_RULE_SYSTEMS, d_rule_system
from tests.support.charts import run, schema_of, schema_text

SHIPPED = sorted(set(D_RULE_SYSTEMS) & set(shipped_schemata()))

UNARY_CYCLE = schema_text("unary-cycle")

CHAIN = schema_text("chain")


def oracle_structures(name: str, n: int, pairs: naive.Grammar) -> Counter[tuple[frozenset[naive.Link], str]]:
    """Return how many derivation trees of final items build each set of links."""
    chart = naive.run(d_rule_system(name), n, pairs)
    wanted = naive.useful(chart)
    edges: dict[naive.Item, list[naive.Instance]] = {}
    for edge in naive.hyperedges(chart):
        edges.setdefault(edge.consequent, []).append(edge)
    building = chart.building
    known = {h: Counter({building.leaf(h): 1}) for h in chart.hypotheses}
    waiting = set(wanted)
    while waiting:
        ready = {x for x in waiting if all(a in known for e in edges[x] for a in e.antecedents)}
        assert ready, "the forest is cyclic"
        for item in ready:
            found: Counter[Any] = Counter()
            for edge in edges[item]:
                for parts in itertools.product(*(known[a].items() for a in edge.antecedents)):
                    built = building.build(edge, tuple(part for part, _ in parts))
                    found[built] += math.prod(amount for _, amount in parts)
            known[item] = found
        waiting -= ready
    total: Counter[tuple[frozenset[naive.Link], str]] = Counter()
    for item in chart.final_items:
        for built, amount in known[item].items():
            total[building.links(built), naive.canonical(item)] += amount
    return total


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_derivations_build_what_the_oracle_builds_as_often(name: str, n: int) -> None:
    pairs = naive.all_links(n)
    if n == 3:
        pairs -= {(1, 3), (2, 0)}  # keeps the largest counts in the hundreds
    chart = run(name, n, pairs)
    found = list_derivations(chart.forest(), limit=None)
    assert len(found) == len(set(found)) == chart.forest().derivation_count
    trees = Counter(t.heads for d in found if (t := derivation_structure(chart, d)) is not None)
    truth: Counter[tuple[int, ...]] = Counter()
    structures = oracle_structures(name, n, pairs)
    for (links, _), amount in structures.items():
        heads = dict(links)
        whole = tuple(heads.get(d, 0) for d in range(1, n + 1))
        if len(heads) == len(links) and whole in {t.heads for t in chart.forest().trees(None)}:
            truth[whole] += amount
    assert trees == truth
    if not any(case.head_links for case in chart.schema.cases):
        assert Counter((d.all_links, str(d.item)) for d in found) == structures


@pytest.mark.parametrize("name", ["eisner1996", "eisner-satta1999", "mh", "arc-eager"])
def test_as_many_derivations_as_the_forest_counts(name: str) -> None:
    forest = run(name, 4).forest()
    found = list(iterate_derivations(forest))
    assert len(found) == len(set(found)) == forest.derivation_count


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_counts_read_off_lists_are_those_of_arrays_and_of_nodes(name: str) -> None:
    """Three ways to one number for each useful item: lists of a run in Python, arrays, and the fold over hyperedges."""
    with changed(array_steps=10**9, numpy_steps=10**9):
        listed, folded = (run(name, 4, engine="python").forest() for _ in range(2))
        assert (listed._tails is None) == any(
            a.context for c in listed.chart.schema.cases for a in c.antecedents
        )
        folded.__dict__["_tails"] = None
        assert listed.order == folded.order
        assert listed.derivation_counts == folded.derivation_counts
    with changed(array_steps=0, numpy_steps=0):
        arrays = run(name, 4, engine="python").forest()
        assert arrays._tails is None
        assert arrays.derivation_counts == listed.derivation_counts


def test_the_order_is_fixed_and_the_limit_cuts_it() -> None:
    first, again = (run("eisner1996", 4).forest() for _ in range(2))
    everything = first.derivations(None)
    assert everything == again.derivations(None)
    assert first.derivations(7) == everything[:7]
    assert first.derivations(0) == []
    with pytest.raises(UsageError, match="the limit must be at least 0, not -1"):
        first.derivations(-1)


def test_listing_is_lazy() -> None:
    forest = run("eisner1996", 20).forest()
    assert forest.derivation_count > 10**12
    assert len(list_derivations(forest, 5)) == 5


def test_every_step_of_a_derivation_is_an_instance_of_the_chart() -> None:
    chart = run("mh", 3)
    slots = [[k for k, a in enumerate(c.antecedents) if not a.context] for c in chart.schema.cases]
    instances = {
        (i.case, i.consequent, tuple(i.antecedents[k] for k in slots[i.case])) for i in chart.instances()
    }
    for derivation in list_derivations(chart.forest(), 50):
        for _, node in derivation.walk():
            if node.edge is None:
                assert node.number < chart.raw.hypothesis_count
                assert (node.step, node.children) == (None, ())
            else:
                assert (node.edge.case, node.number, tuple(c.number for c in node.children)) in instances


def test_cyclic_forests_give_the_derivations_that_repeat_no_item_above_itself() -> None:
    forest = schema_of(UNARY_CYCLE).run("w").forest()
    assert forest.derivation_count == math.inf
    found = list_derivations(forest, None)
    assert [shape(d) for d in found] == ["c[1](a[1](word[1]()) b[1](a[1](word[1]())))"]


def shape(derivation: Derivation) -> str:
    return f"{derivation.item}({' '.join(map(shape, derivation.children))})"


def simple_derivations(
    edges: dict[int, list[tuple[int, ...]]], item: int, above: frozenset[int], given: int
) -> int:
    """Count by brute force: derivations of an item in which none stands above itself."""
    total = 1 if item < given else 0
    for tails in edges.get(item, []):
        if not above.intersection(tails) and item not in tails:
            total += math.prod(simple_derivations(edges, t, above | {item}, given) for t in tails)
    return total


def test_cyclic_forests_against_brute_force() -> None:
    text = UNARY_CYCLE.replace("final c[1]", "step Back\n  c[i]\n  ----\n  a[i]\nfinal c[i]")
    text += "step Twice\n  a[i]   c[i]\n  -----------\n  b[i]\n"
    forest = schema_of(text).run("v w").forest()
    assert forest.cyclic
    edges = {x: [e.tails for e in forest.edges_into(x)] for x in forest.order}
    given = forest.chart.raw.hypothesis_count
    found = list_derivations(forest, None)
    assert len(found) == len(set(found))
    assert len(found) == sum(simple_derivations(edges, r, frozenset(), given) for r in forest.roots)
    for derivation in found:
        above: list[int] = []
        for depth, node in derivation.walk():
            del above[depth:]
            assert node.number not in above
            above.append(node.number)


def test_derivations_may_be_thousands_of_steps_deep() -> None:
    n = 5000
    forest = schema_of(CHAIN).run(["w"] * n, DRules.from_pairs([(1, 0)])).forest()
    (one,) = list_derivations(forest)
    (other,) = list_derivations(forest)
    assert (one.depth, one.step_count) == (n, n)
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == "<Derivation of seen[5000]: by Next, 5000 steps>"


def test_equality_is_of_the_whole_tree() -> None:
    one, other, *_ = run("eisner1996", 3).forest().derivations()
    assert one != other
    assert one != "span[0, 3, false, true]"


def test_no_derivations_where_nothing_is_accepted() -> None:
    assert run("eisner1996", 2, frozenset()).forest().derivations() == []


def test_shipped_systems_are_there() -> None:
    assert len(SHIPPED) >= 15
    with pytest.raises(SchemataError):
        load("no-such-schema")


def test_listing_goes_on_where_it_left_off_also_after_an_interruption(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fresh() -> Forest:
        return run("eisner1996", 9).forest()

    trees = [tree.heads for tree in itertools.islice(iterate_values(fresh(), EFFORTS.combinations), 30)]
    combine, calls = Building.combine, itertools.count()

    def interrupted(self: Building, *arguments: Any) -> Any:
        if next(calls) == 400:
            raise KeyboardInterrupt
        return combine(self, *arguments)

    forest = fresh()
    monkeypatch.setattr(Building, "combine", interrupted)
    with pytest.raises(KeyboardInterrupt):
        forest.structures(10_000, budget=10)
    assert next(calls) == 401
    assert [tree.heads for tree in forest.structures(10, budget=10)] == trees[:10]
    listed = next(calls)
    assert forest.count_structures(10) == Count(None, 100, None)
    assert [tree.heads for tree in forest.structures(30, budget=10)] == trees
    counted = next(calls)
    assert fresh().count_structures(10) == Count(None, 100, None)
    assert counted - listed < next(calls) - counted  # what was listed before was not listed once more


@pytest.mark.parametrize("name", ["eisner1996", "collins1996", "wg1", "arc-standard"])
def test_states_of_items_are_made_up_to_the_very_budget(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget holds exactly: with one union less than there are, none of the states are given."""
    forest = load(name).run("a b c d e f").forest()
    made = _unions_made(monkeypatch)
    found = states.all_states(forest, Building.of(forest.chart), None)
    needed = sum(made)
    again = states.all_states(forest, Building.of(forest.chart), needed)
    assert found is not None
    assert again is not None
    assert {item: len(some) for item, some in again.items()} == {
        item: len(some) for item, some in found.items()
    }
    assert states.all_states(forest, Building.of(forest.chart), needed - 1) is None


def test_a_budget_that_cannot_suffice_is_seen_early(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = load("eisner1996").run("a b c d e f g h i j").forest()
    made = _unions_made(monkeypatch)
    assert states.all_states(forest, Building.of(forest.chart), EFFORTS.unions) is None
    assert 0 < sum(made) < EFFORTS.unions / 20


def _unions_made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each hyperedge adds the number of unions that are made for it."""
    made: list[int] = []
    built = states._built

    def counted(forest: Forest, budget: int | None, leaf: Any, add: Any, least: int = 0) -> Any:
        def counting(here: Any, item: int, edge: Any, parts: list[Any]) -> None:
            made.append(math.prod(map(len, parts)))
            add(here, item, edge, parts)

        return built(forest, budget, leaf, counting, least)

    monkeypatch.setattr(states, "_built", counted)
    return made
