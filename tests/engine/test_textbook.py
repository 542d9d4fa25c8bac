"""Shipped textbook schemata over graphs and sets, against all structures there are."""

import random
from itertools import combinations

import pytest

import schemata


def cross(one: tuple[int, int], two: tuple[int, int]) -> bool:
    (i, j), (k, m) = sorted(one), sorted(two)
    return i < k < j < m or k < i < m < j


def is_acyclic(n: int, arcs: frozenset[tuple[int, int]]) -> bool:
    left = set(range(1, n + 1))
    while left:
        free = {v for v in left if not any(d == v and h in left for d, h in arcs)}
        if not free:
            return False
        left -= free
    return True


def noncrossing_graphs(n: int, pairs: list[tuple[int, int]]) -> set[frozenset[tuple[int, int]]]:
    sets = (frozenset(arcs) for size in range(len(pairs) + 1) for arcs in combinations(pairs, size))
    return {arcs for arcs in sets if not any(cross(a, b) for a, b in combinations(arcs, 2))}


@pytest.mark.parametrize("name", ["noncrossing", "noncrossing-acyclic"])
@pytest.mark.parametrize("engine", ["python", "native"])
def test_all_noncrossing_graphs_once(name: str, engine: str) -> None:
    schema, rng = schemata.load(name), random.Random(name)
    for n in (1, 2, 3, 3, 4, 4):
        pairs = [(d, h) for d in range(1, n + 1) for h in range(1, n + 1) if d != h]
        pairs = [pair for pair in pairs if n < 3 or rng.random() < 0.7]
        expected = noncrossing_graphs(n, pairs)
        if name == "noncrossing-acyclic":
            expected = {arcs for arcs in expected if is_acyclic(n, arcs)}
        chart = schema.run(["w"] * n, schemata.DRules.from_pairs(pairs), engine=engine)
        assert chart.forest().derivation_count == len(expected)
        assert {frozenset(graph.links) for graph in chart.forest().structures(None)} == expected


def test_all_secondary_structures_once() -> None:
    rng, schema = random.Random("rna"), schemata.load("nussinov")
    bonds = {"AU", "UA", "CG", "GC", "GU", "UG"}
    for n in (1, 3, 5, 7):
        bases = rng.choices("ACGU", k=n)
        pairs = [
            (i, j)
            for i, j in combinations(range(1, n + 1), 2)
            if bases[i - 1] + bases[j - 1] in bonds and j - i > 1
        ]
        folds = {
            arcs
            for arcs in noncrossing_graphs(n, pairs)
            if len({base for pair in arcs for base in pair}) == 2 * len(arcs)
        }
        chart = schema.run(bases, "example")
        assert chart.forest().derivation_count == len(folds)
        found = {frozenset((i, j) for _, i, j in fold.atoms) for fold in chart.forest().structures(None)}
        assert found == folds
