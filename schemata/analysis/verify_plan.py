"""Which grammars a schema is run under at each length, cut into units of work.

Soundness over all grammars of n words would take 2 ** (n * n) runs. Where one run decides them all it is the
only one. Else all are run up to 3 words; beyond, the grammar of all links, every tree, and random grammars.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import TypeVar

from schemata.analysis.grammars_under_test import (
    GrammarUnderTest,
    LinkGrammar,
    TreeRules,
    complete_rules,
    every_link,
    every_link_grammar,
    random_link_grammars,
    random_rule_grammars,
)
from schemata.analysis.verify_runs import Unit
from schemata.errors import BudgetError
from schemata.structures import TreeClass, all_trees, random_tree, random_tree_of_class

__all__ = ["EXHAUSTIVE_TO", "RANDOM_GRAMMARS", "beyond", "plan"]

EXHAUSTIVE_TO = 3
"""The greatest number of words for which every set of licensed links is tried."""

RANDOM_GRAMMARS = 60
"""The number of random grammars of each length."""

_T = TypeVar("_T")
_TREES_PER_UNIT = 400
_GRAMMARS_PER_UNIT = 32


def plan(n: int, kind: str, by_links: bool, single_root: bool, seed: int) -> list[Unit]:
    """Return the units that settle n words, or test them where settling is out of reach."""
    if by_links:
        return [Unit(n, (every_link(n),), whole=True)]
    trees = [tree.heads for tree in all_trees(n, single_root=single_root)]
    own = TreeRules if kind == "dependency-rules" else LinkGrammar.of_tree
    units = [
        Unit(n, tuple(own(heads) for heads in chunk), tuple(chunk)) for chunk in _cut(trees, _TREES_PER_UNIT)
    ]
    rng = Random(f"grammars {seed} {n}")
    grammars: list[GrammarUnderTest]
    if kind == "dependency-rules":
        grammars = [complete_rules(n), *random_rule_grammars(n, RANDOM_GRAMMARS, rng)]
    elif n <= EXHAUSTIVE_TO:
        grammars = list(every_link_grammar(n))
    else:
        grammars = [every_link(n), *random_link_grammars(n, RANDOM_GRAMMARS, rng)]
    return units + [Unit(n, tuple(chunk)) for chunk in _cut(grammars, _GRAMMARS_PER_UNIT)]


def beyond(
    wanted: TreeClass, kind: str, lengths: Sequence[int], count: int, *, single_root: bool, seed: int
) -> list[Unit]:
    """Return units of random trees of a class and of random grammars, `count` of each over all lengths.

    Trees so rarely in the class that none is found among many are done without.
    """
    units = []
    for place, n in enumerate(lengths):
        share = (count + len(lengths) - 1 - place) // len(lengths)
        rng = Random(f"beyond {seed} {n}")
        own = TreeRules if kind == "dependency-rules" else LinkGrammar.of_tree
        trees = []
        for _ in range(share):
            try:
                trees.append(random_tree_of_class(wanted, n, rng, single_root=single_root).heads)
            except BudgetError:
                break
        units += [Unit(n, tuple(map(own, c)), tuple(c)) for c in _cut(trees, _GRAMMARS_PER_UNIT)]
        grammars: list[GrammarUnderTest]
        if kind == "dependency-rules":
            grammars = list(random_rule_grammars(n, share, rng))
        else:
            # Every other grammar is a single tree, in the class or not: those test what is not to be derived.
            few = share // 2
            grammars = [LinkGrammar.of_tree(random_tree(n, rng).heads) for _ in range(few)]
            grammars += random_link_grammars(n, share - few, rng, extra=n)
        units += [Unit(n, tuple(c)) for c in _cut(grammars, _GRAMMARS_PER_UNIT)]
    return units


def _cut(values: Sequence[_T], size: int) -> list[list[_T]]:
    pieces = iter(values)
    return [chunk for _ in range(0, len(values), size) if (chunk := list(islice(pieces, size)))]
