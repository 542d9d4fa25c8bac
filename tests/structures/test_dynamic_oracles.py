"""Dynamic oracles, against the best that all continuations of every configuration of small sentences build."""

from functools import cache

import pytest

from schemata.structures import DependencyTree, tree_class, trees_of_class
from schemata.structures.oracles import DYNAMIC, configuration, follow, losses, oracle
from tests.oracle import transitions as brute


@cache
def reached(system: str, n: int, rooted: bool) -> dict[brute.Config, list[tuple[str, brute.Config]]]:
    """Return all configurations with their transitions; 0 stands at the bottom of the stack where `rooted`."""
    stack, buffer, arcs = brute.initial(system, n, {})
    found: dict[brute.Config, list[tuple[str, brute.Config]]] = {}
    waiting = [((0,), buffer, arcs) if rooted else (stack, buffer, arcs)]
    while waiting:
        c = waiting.pop()
        if c not in found:
            after = brute.moves(system, c, {})
            found[c] = [(x, d) for x, d in after if not rooted or has_root(d)]
            waiting += [d for _, d in found[c]]
    return found


def has_root(c: brute.Config) -> bool:
    """Whether node 0 stands on the stack, without a head."""
    return 0 in c[0] and 0 not in {word for word, _ in c[2]}


def most_of(
    found: dict[brute.Config, list[tuple[str, brute.Config]]], gold: set[tuple[int, int]]
) -> dict[brute.Config, int]:
    """Return how many gold arcs a terminal configuration has at most that can be reached from each configuration."""
    best: dict[brute.Config, int] = {}

    def most(c: brute.Config) -> int:
        if c not in best:
            here = len(c[2] & gold) if not c[1] else -1
            best[c] = max([here, *(most(d) for _, d in found[c])])
        return best[c]

    for c in found:
        most(c)
    return best


@pytest.mark.parametrize("rooted", [False, True])
@pytest.mark.parametrize("system", DYNAMIC)
def test_losses_are_those_of_the_best_continuations(system: str, rooted: bool) -> None:
    swaps = system == "swap-system"
    for n in (2, 3, 4) if not (swaps and rooted) else (2, 3):
        found = reached(system, n, rooted)
        trees = trees_of_class(tree_class("all" if swaps else "projective"), n, single_root=False)
        for tree in list(trees)[:: 10 if swaps and n == 4 else 1]:
            gold = {(d, h) for d, h in tree.links if h or rooted}
            best = most_of(found, gold)
            for c, after in found.items():
                true: dict[str, int] = {x: best[c] - best[d] for x, d in after}
                given = configuration(tree, [c[0]], c[1], c[2], rooted=rooted)
                assert losses(system, given) == true, (tree, c)


@pytest.mark.parametrize("system", DYNAMIC)
def test_static_oracles_lose_nothing(system: str) -> None:
    kind = tree_class("all" if system == "swap-system" else "projective")
    for tree in trees_of_class(kind, 5, single_root=True):
        ways = oracle(system, tree)
        _, c = next(ways)
        before = losses(system, c)
        for name, c in ways:
            assert before[name] == 0
            before = losses(system, c)
    assert follow(system, DependencyTree((2, 0, 2))).reproduced
