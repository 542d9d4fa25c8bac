"""Item refinements against a brute force that writes out every derivation of the coarser schema.

A derivation is a tree of step instances over rules copied by hand. It is an image if the finer schema, under the
links of the derivation alone, has a derivation that is carried to it, step by step; steps that prove what is there
already count as none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from schemata.language.library import load_schema
from schemata.language.relations import read_maps
from schemata.relations.decide import decide
from schemata.relations.systems import SharedSystems
from tests.oracle.d_rule_systems import d_rule_system
from tests.oracle.naive import Grammar, Instance, Item, System, all_links, run

BENCH = SharedSystems()
Mapping = Callable[[Item], Item]


@dataclass(frozen=True)
class Tree:
    """A derivation: an item, the instance that derives it (None for a hypothesis), the derivations above."""

    item: Item
    instance: Instance | None = None
    above: tuple[Tree, ...] = ()

    def links(self) -> Grammar:
        own = frozenset(self.instance.links) if self.instance else frozenset()
        return own.union(*(tree.links() for tree in self.above))


def derivations(system: System[Grammar], n: int, depth: int) -> Iterator[Tree]:
    """Yield all derivations of at most so many steps one above the other."""
    chart = run(system, n, all_links(n))
    trees: dict[Item, list[Tree]] = {item: [Tree(item)] for item in chart.hypotheses}
    for _ in range(depth):
        more: dict[Item, set[Tree]] = {item: set(found) for item, found in trees.items()}
        for instance in chart.instances:
            if instance.consequent in chart.hypotheses:
                continue
            for above in product(*(trees.get(a, ()) for a in instance.antecedents)):
                more.setdefault(instance.consequent, set()).add(Tree(instance.consequent, instance, above))
        trees = {item: sorted(found, key=str) for item, found in more.items()}
    for found in trees.values():
        yield from found


def preimages(
    tree: Tree,
    charts: Callable[[Grammar], frozenset[Instance]],
    hypotheses: frozenset[Item],
    carry: Mapping,
) -> set[Item]:
    """Return the finer items with a derivation that is carried to a derivation."""
    instances = charts(tree.links())

    def of(part: Tree) -> set[Item]:
        if part.instance is None:
            return {h for h in hypotheses if carry(h) == part.item}
        below = dict(zip((p.item for p in part.above), map(of, part.above), strict=True))
        found = {
            i.consequent
            for i in instances
            if carry(i.consequent) == part.item
            and set(i.links) == set(part.instance.links)
            and {carry(a) for a in i.antecedents} == set(part.instance.antecedents)
            and all(a in below[carry(a)] for a in i.antecedents)
        }
        grew = True
        while grew:
            silent = {
                i.consequent
                for i in instances
                if carry(i.consequent) == part.item
                and any(a in found and carry(a) == part.item for a in i.antecedents)
            }
            grew = not silent <= found
            found |= silent
        return found

    return of(tree)


def every_derivation_is_an_image(
    fine: System[Grammar], coarse: System[Grammar], carry: Mapping, n: int, depth: int
) -> bool:
    known: dict[Grammar, frozenset[Instance]] = {}

    def charts(grammar: Grammar) -> frozenset[Instance]:
        if grammar not in known:
            known[grammar] = run(fine, n, grammar).instances
        return known[grammar]

    hypotheses = frozenset(fine.hypotheses(n))
    return all(preimages(tree, charts, hypotheses, carry) for tree in derivations(coarse, n, depth))


def same(item: Item) -> Item:
    return item


def without_flag(item: Item) -> Item:
    form, values = item
    return (form, (values[0], values[2])) if form == "span" else item


def without_freshness(item: Item) -> Item:
    form, values = item
    return (form, values[:2]) if form == "state" else item


PAIRS = [
    ("arc-eager", "hybrid", ["span[i, _, j] to span[i, j]"], without_flag, 1, 4),
    ("arc-eager", "hybrid", ["span[i, _, j] to span[i, j]"], without_flag, 2, 4),
    ("covington-lsup", "nivre2003", ["state[i, L, _] to state[i, L]"], without_freshness, 1, 6),
    ("covington-lsup", "nivre2003", ["state[i, L, _] to state[i, L]"], without_freshness, 2, 7),
    ("covington-lsup", "nivre2003", ["state[i, L, _] to state[i, L]"], without_freshness, 3, 7),
    ("hybrid", "hybrid", [], same, 2, 4),
    ("nivre2003", "nivre2003", [], same, 2, 7),
    ("covington2001", "covington2001", [], same, 2, 5),
]  # fmt: skip


@pytest.mark.parametrize(("fine", "coarse", "maps", "carry", "n", "depth"), PAIRS)
def test_derivations_that_are_no_images(fine, coarse, maps, carry, n, depth):
    relation = read_maps(maps, load_schema(fine), load_schema(coarse), "item-contraction")
    expected = every_derivation_is_an_image(d_rule_system(fine), d_rule_system(coarse), carry, n, depth)
    answer = decide(relation, "item-contraction", n, systems=BENCH)
    assert answer.holds == expected
    if not expected:
        assert answer.counterexample.n == n
        assert answer.counterexample.derivation


def test_both_answers_occur():
    systems = d_rule_system("covington-lsup"), d_rule_system("nivre2003")
    assert every_derivation_is_an_image(*systems, without_freshness, 2, 7)
    assert not every_derivation_is_an_image(*systems, without_freshness, 3, 7)
