"""Verification of context-free schemata against brute force: what it says of shipped schemata, and of broken ones."""

from pathlib import Path

import pytest

import schemata
from schemata import UsageError, verify
from schemata.engine.run import run_kernel
from schemata.structures import Sentence
from schemata.structures.constituents import ConstituentTree
from schemata.verification.claims import Claim, constituent_claims
from schemata.verification.constituents import CLASSES, all_cases, trees_of
from tests.forest.test_constituents import trees
from tests.support.charts import schema_of
from tests.support.commands import Cli, Tells


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_brute_force_against_another_one(n: int) -> None:
    for case in all_cases(n, 5)[1]:
        found = list(map(str, trees_of(case)))
        assert len(found) == len(set(found)), case
        assert set(found) == trees(case.rules, case.categories), case
        for tree in trees_of(case):
            member = [CLASSES[name](tree) for name in ("binary", "non-empty", "all")]
            assert member == sorted(member)


@pytest.mark.parametrize("claim", constituent_claims(), ids=lambda claim: claim.name)
@pytest.mark.rotated(3)
def test_shipped_schemata(claim: Claim) -> None:
    verdict = verify(claim.name, max_n=2, random=3)
    assert (verdict.class_name, verdict.holds, verdict.beyond) == (claim.class_name, True, 3)
    assert verdict.structures > 50
    wider = {"binary": "non-empty", "non-empty": "all"}.get(claim.class_name)
    if wider:
        verdict = verify(claim.name, wider, 2)
        assert (verdict.sound, verdict.complete, verdict.each_once) == (True, False, True)


BROKEN = {
    # what it extends, and the change; class, sound, complete, each once; rules and tree of the counterexample
    "any-word": (
        """earley
replace step Scanner
  edge[A(*alpha . t *beta), i, h - 1]   word[h]
  ---------------------------------------------  1 <= h <= n
  edge[A(*alpha t . *beta), i, h]""",
        ("all", False, True, False),
        ((), "(S w1)"),
    ),
    "any-right-part": (
        """cyk
replace step Combine
  edge[B, i, j]   edge[_, j + 1, k]
  ---------------------------------  rule A(B _)
  edge[A, i, k]""",
        ("binary", False, True, True),
        (("S -> t A",), "(S (t w1) (t w2))"),
    ),
    "only-what-the-root-asks-for": (
        """earley
replace step Predictor
  given edge[root(. B), _, j]
  ---------------------------  rule B(*gamma)
  edge[B(. *gamma), j + 1, j]""",
        ("all", True, False, True),
        (("A -> t", "S -> A"), "(S (A w1))"),
    ),
    "a-gap": (
        """cyk
replace step Combine
  edge[B, i, j]   edge[C, h, k]
  -----------------------------  rule A(B C), j < h
  edge[A, i, k]""",
        ("binary", False, True, True),
        (("S -> S S", "S -> t"), None),
    ),
    "without-the-last-symbol": (
        """shift-reduce
replace step Reduce
  stack[<*S, *beta>, j]
  ---------------------  rule A(*beta _), beta is not empty
  stack[<*S, A>, j]""",
        ("all", False, False, None),
        None,
    ),
    "only-the-start-symbol": (
        """shift-reduce
replace step Reduce
  stack[<*S, *beta>, j]
  ---------------------  rule A(*beta), beta is not empty, root A
  stack[<*S, A>, j]""",
        ("non-empty", True, False, True),
        (("A -> t", "S -> A"), "(S (A w1))"),
    ),
    "whatever-stands-there": (
        """top-down
replace step Scan
  goals[<_, *G>, j]   word[j + 1]
  -------------------------------
  goals[G, j + 1]""",
        ("all", False, True, False),
        ((), "w1"),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.rotated(3)
def test_broken_schemata_are_refused_with_the_smallest_counterexample(name: str) -> None:
    change, (class_name, sound, complete, once), expected = BROKEN[name]
    base, _, step = change.partition("\n")
    schema = schema_of(f'schema broken extends {base}\n  title "broken"\n\n{step}\n')
    verdict = verify(schema, max_n=3 if name == "a-gap" else 2)
    assert (verdict.class_name, verdict.sound, verdict.complete) == (class_name, sound, complete)
    assert once is None or verdict.each_once is once
    assert verdict.holds is False
    example = verdict.incomplete if sound else verdict.unsound
    assert example is not None
    if expected is not None:
        rules, tree = expected
        assert {*example.case.to_json()["rules"]} == {*rules}
        assert tree is None or str(example.structure) == tree
        told = str(verdict).partition("Incomplete: " if sound else "Unsound: ")[2]
        assert told
        assert all(rule in told for rule in rules), told
    # By brute force the tree is derived, or it is not; in a run it is the other way round.
    chart = run_kernel(schema.kernel, Sentence(example.case.words), example.case.provide())
    listed = {*map(str, chart.forest().structures(None))}
    derived = str(example.structure) in listed if listed else chart.accepted
    assert (str(example.structure) in {*map(str, trees_of(example.case))}) is sound is not derived


def test_a_class_of_ones_own() -> None:
    def right_branching(tree: ConstituentTree) -> bool:
        return all(
            len(x.children) < 2 or not x.children[0].children for top in tree.nodes for x in top.walk()
        )

    verdict = verify("cyk", right_branching, 3)
    assert (verdict.class_name, verdict.sound, verdict.complete) == ("right_branching", False, False)
    assert str(verdict.unsound.structure).startswith("(S (")


def test_limits_hold() -> None:
    verdict = verify("earley", max_n=9, seconds=0.3)
    assert (verdict.holds, verdict.stopped) == (None, "seconds")
    verdict = verify("earley", "all", 2, budget=schemata.Budget(steps=3))
    assert (verdict.holds, verdict.stopped) == (None, "steps")


@pytest.mark.thorough
def test_two_processes_find_the_same() -> None:
    one, two = (verify("cyk", "all", 2, jobs=jobs) for jobs in (1, 2))
    assert one.incomplete == two.incomplete
    assert (one.runs, one.structures) == (two.runs, two.structures)


def test_on_the_command_line(cli: Cli, tells: Tells, tmp_path: Path) -> None:
    found = tells("verify cyk --class non-empty --max-n 2", code=1)
    assert (found["class"], found["sound"], found["complete"]) == ("non-empty", True, False)
    assert found["counterexamples"]["incomplete"] == {
        "n": 1,
        "grammar": {"rules": ["A -> t", "S -> A"], "categories": ["t"]},
        "structure": "(S (A w1))",
    }
    code, out, err = cli("verify cyk --class bin")
    assert (code, out) == (2, "")
    assert "binary" in err
    code, out, err = cli("verify itg")
    assert (code, out) == (2, "")
    assert "--same-as" in err
    with pytest.raises(UsageError, match="no class"):
        verify("earley", "projective")
