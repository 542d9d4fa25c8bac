"""Every proved schema with one condition dropped, weakened, shifted or strengthened: no yes that is refuted.

Of each schema with a certificate, `mutants` yields all schemata with one change, those at distances of 4 to 9 words
included. What a proof says of one is compared with brute force (`grounded`): all sets of links of six words, then
numbers of derivations and hundreds of trees of as many words as the distance needs. `ledger` does so for all of them.
"""

from __future__ import annotations

import random

import pytest

import schemata
from schemata.correctness.shipped import CLAIMS
from schemata.correctness.steps import program_of
from schemata.workbench import ParsingSchema
from tests.correctness.grounded import Grounded, grammars, heads_number, is_tree
from tests.correctness.judging import SharedQuestions, is_over_node_0, number_of_trees, proofs, refutations
from tests.correctness.ledger import Judge, rows_of
from tests.correctness.mutants import PROVED, mutants, refuted, schema_from
from tests.oracle.trees import projective_forests, projective_trees


def check(name: str, share: int | None) -> None:
    """Check mutants of a schema: a number of them, drawn, or all."""
    judge, rows = Judge(name), rows_of(name)
    wrong, met = [], 0
    with judge.sitting():
        for said, needed, mutant in rows if share is None else random.Random(name).sample(rows, share):
            row = judge.row(said, needed, mutant)
            met += bool(row.get("refuted"))
            wrong += [f"{said}: {claim}, {row['refuted'][claim]} words" for claim in row.get("wrong", ())]
    assert not wrong
    assert met or (share or 0) < FEW


FEW = 8  # of so many mutants one is refuted


# Brute force ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROVED[::4])
@pytest.mark.rotated(2)
def test_brute_force_agrees_with_runs(name: str) -> None:
    """It counts the derivations that a run has; and refutes the claims that `verify` does, of mutants as well."""
    definition = schemata.load(name).definition
    program, runs = program_of(definition), ParsingSchema(definition)
    over_node_0 = is_over_node_0(program)
    for n in range(1, 7):
        forest = runs.run([f"w{k}" for k in range(1, n + 1)], "all").forest()
        assert Grounded(program, n).total() == forest.derivation_count
    rows = random.Random(name).sample([(said, x) for said, _, x in mutants(definition, (4,))], 6)
    for said, mutant in [("", definition), *rows]:
        found = refutations(program_of(mutant), over_node_0)
        near, wanted = {claim for claim in found if found[claim] <= 4}, {*refuted(mutant, 4)}
        # Runs have trees of one root alone; of links that are no trees they count derivations, too.
        assert (
            near == wanted
            or (near | {"complete", "each_once"} >= wanted and "sound" in near)
            or (over_node_0 and near == wanted | {"complete"})
        ), (said, near, wanted)


def test_sets_of_links() -> None:
    """Trees of all words, and no others, are what a schema with each tree once derives; and each is told from links."""
    for name, trees in (("eisner1996-once", projective_forests), ("collins1996-once", projective_trees)):
        program = program_of(schemata.load(name).definition)
        for n in range(1, 6):
            grounded, over_node_0 = Grounded(program, n), name.startswith("eisner")
            found = grounded.structures()
            wanted = {heads_number([h or (0 if over_node_0 else -1) for h in heads]) for heads in trees(n)}
            assert found == dict.fromkeys(wanted, 1)
            assert all(is_tree(number, n) for number in found)
            assert len(wanted) == number_of_trees(n, over_node_0)
            assert grounded.times(grammars(trees(n)), 9).tolist() == [1] * len(wanted)
            assert grounded.is_sound()
    for heads in ((2, 1), (-1, -1, 0), (0, 4, 0, 1), (0, 1, -1)):
        assert not is_tree(heads_number(heads), len(heads))


FAULTS = {
    "complete": "replace step CombineSpans\n  span[i, j, b, c, _]   span[j, k, not c, d, false]\n"
    "  -----  i != j, j != k, k - i != 8\n  span[i, k, b, d, true]",
    "each_once": "step CombineAgain\n  span[i, j, b, c, _]   span[j, k, not c, d, true]\n"
    "  -----  i != j, j != k, k - i == 8\n  span[i, k, b, d, true]",
    "sound": "step LinkAgain\n  span[i, j, false, true, _]\n  -----  attach i to j, j - i == 8\n"
    "  span[i, j, false, true, false]",
}


@pytest.mark.parametrize(("claim", "words"), [("complete", 8), ("each_once", 8), ("sound", 9)])
def test_faults_far_away_are_seen(claim: str, words: int) -> None:
    """A tree that is missed, or derived twice, and links that are no tree; node 0 has no second head."""
    text = f"schema a extends eisner1996-once\n{FAULTS[claim]}\n"
    program = program_of(schema_from(text).definition)
    assert refutations(program, True, 9)[claim] == words
    assert claim not in refutations(program_of(schema_from(text.replace(" 8", " 13")).definition), True, 9)


# The prover ----------------------------------------------------------------------------------------------------


def test_a_wrong_answer_would_be_seen() -> None:
    """The prover says yes where a schema is right, by a certificate that is accepted: so it could be wrong."""
    yes, reasons = proofs(schemata.load("eisner1996-once").definition, CLAIMS, SharedQuestions())
    assert (yes, reasons) == ([*CLAIMS], {})


@pytest.mark.rotated(3)
@pytest.mark.parametrize("name", PROVED[::6])
def test_some_mutants(name: str) -> None:
    """A few mutants of some schemata."""
    check(name, 6)


@pytest.mark.thorough
@pytest.mark.rotated(6)
@pytest.mark.parametrize("name", PROVED)
def test_more_mutants(name: str) -> None:
    """More mutants of every schema that is proved."""
    check(name, 16)


@pytest.mark.nightly
@pytest.mark.parametrize("name", PROVED)
def test_all_mutants(name: str) -> None:
    """All mutants of all schemata that have certificates."""
    check(name, None)
