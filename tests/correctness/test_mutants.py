"""Every proved schema with one condition dropped, weakened, shifted or strengthened: no yes that runs refute.

Of each schema with a certificate, `mutants` yields all schemata with one change, those at distances of 4 to 9 words
included. What a proof says of one is compared with runs: exhaustively to four words before it, then to five, then with
counts of all derivations of as many words as the distance needs, and with random trees of that length.
"""

from __future__ import annotations

import random
from math import comb

import pytest

import schemata
from schemata.correctness.lengthen import derivations
from schemata.correctness.shipped import CLAIMS
from schemata.language import model as m
from schemata.language.shipped import shipped_files
from schemata.structures import tree_class
from schemata.structures.generation import random_projective_tree, trees_of_class
from schemata.verification.claims import shipped_claims
from schemata.workbench import ParsingSchema
from tests.correctness.mutants import mutants, proved, refuted

DISTANCES = range(4, 10)
REFERENCES = sorted({c.reference for c in shipped_claims()})
ABOUT = {claim.reference for claim in shipped_claims() if claim.class_name == "projective"}
PROVED = [
    x for x in REFERENCES if x in ABOUT and x.translate({58: 95, 61: 95}) in shipped_files(".certificate")
]
NEAR = 8  # words of the longest trees tried where the change is not one at a distance


def projective_trees(n: int, over_node_0: bool) -> int:
    """Return how many projective trees of n words there are: under node 0 with any number of roots, or with one root.

    >>> [projective_trees(n, True) for n in (1, 2, 3, 4)], [projective_trees(n, False) for n in (1, 2, 3, 4)]
    ([1, 3, 12, 55], [1, 2, 7, 30])
    """
    return comb(3 * n, n) // (2 * n + 1) if over_node_0 else comb(3 * n - 2, n - 1) // n


def false_answers(schema: m.Schema, needed: int, over_node_0: bool) -> tuple[list[str], list[str]]:
    """Return the claims that are proved of a schema, and those of them that runs refute, with what shows it.

    Parameters
    ----------
    schema : the schema.
    needed : as many words may be needed to see its fault.
    over_node_0 : whether final items are over node 0.
    """
    short = refuted(schema, 4)
    wanted = tuple(claim for claim in CLAIMS if claim not in short)
    reasons = proved(schema, wanted) if wanted else {}
    yes = [claim for claim in wanted if claim not in reasons]
    if not yes:
        return [], []
    runs, found = ParsingSchema(schema), refuted(schema, 5)
    wrong = [f"{claim}: {found[claim]}" for claim in yes if claim in found]
    longest = max(NEAR, needed + 1)
    for n in (longest - 1, longest):
        if "each_once" in yes:
            count = runs.run([f"w{k}" for k in range(1, n + 1)], "all").forest().derivation_count
            trees = projective_trees(n, over_node_0)
            if count > trees or ("complete" in yes and count < trees):
                wrong.append(f"each_once: {count} derivations of {trees} trees of {n} words")
        if "complete" in yes or "each_once" in yes:
            for seed in range(12):
                tree = random_projective_tree(n, seed).heads
                times = derivations(runs, tree)
                if "complete" in yes and times == 0:
                    wrong.append(f"complete: {tree}")
                if "each_once" in yes and times is not None and times > 1:
                    wrong.append(f"each_once: {tree}")
    return yes, wrong


def is_over_node_0(schema: m.Schema) -> bool:
    """Whether a schema derives a tree of two words that both hang under node 0."""
    trees = ParsingSchema(schema).run(["a", "b"], "all").forest().trees()
    return any(tree.heads == (0, 0) for tree in trees)


def check(name: str, share: int | None) -> None:
    """Check mutants of a schema: a number of them, drawn, or all."""
    schema = schemata.load(name).definition
    rows = list(mutants(schema, DISTANCES))
    drawn = rows if share is None else random.Random(name).sample(rows, min(share, len(rows)))
    over_node_0, wrong = is_over_node_0(schema), []
    for said, needed, mutant in drawn:
        _, bad = false_answers(mutant, needed, over_node_0)
        wrong += [f"{said}: {one}" for one in bad]
    assert not wrong


def test_figures() -> None:
    """The counts of trees are those of brute force; a schema that is right passes, a claim that is false does not."""
    for n in range(1, 7):
        assert projective_trees(n, True) == sum(1 for _ in _forests(n))
    schema = schemata.load("eisner1996-once").definition
    assert false_answers(schema, 7, True) == (list(CLAIMS), [])
    # A wrong yes is seen: counts of eisner1996-once are not those of trees without node 0.
    assert false_answers(schema, 4, False)[1]


def _forests(n: int) -> list[tuple[int, ...]]:
    return [tree.heads for tree in trees_of_class(tree_class("projective"), n, single_root=False)]


@pytest.mark.rotated(3)
@pytest.mark.parametrize("name", PROVED[::6])
def test_some_mutants(name: str) -> None:
    """A few mutants of some schemata."""
    check(name, 3)


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROVED)
def test_more_mutants(name: str) -> None:
    """More mutants of every schema that is proved."""
    check(name, 5)


@pytest.mark.nightly
@pytest.mark.parametrize("name", PROVED)
def test_all_mutants(name: str) -> None:
    """All mutants of all schemata that have certificates."""
    check(name, None)
