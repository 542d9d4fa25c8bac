"""Verification against another schema, and against a class of one's own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import schemata
from schemata.engine.run import run_kernel
from schemata.errors import UsageError
from schemata.structures import DependencyGraph, DependencyTree, Sentence
from tests.support.commands import Cli, Prints, Tells

SAME = [
    ("arc-eager", "eisner1996", None, 4),
    ("collins1996", "eisner1996", None, 4),  # without a node 0, and with one
    ("noncrossing", "planar-system", None, 3),
    ("bottom-up-left-corner", "left-corner", None, 2),
    ("dvh1", "lombardo-lesmo1996", None, 2),
    ("eisner-lg", "sleator-temperley1991", None, 3),
    ("tag-earley", "tag-cky", "example", 4),
    ("head-driven", "head-driven", "example", 3),
    # one of both builds nothing: they accept the same sentences
    ("shift-reduce", "bottom-up-left-corner", None, 2),
    ("earley", "ghr", None, 2),
]


@pytest.mark.parametrize(("name", "other", "grammar", "n"), SAME)
@pytest.mark.rotated(3)
def test_schemata_that_derive_the_same(name: str, other: str, grammar: str | None, n: int) -> None:
    verdict = schemata.verify(name, same_as=other, grammar=grammar, max_n=n, random=3 if n < 4 else 0)
    assert (verdict.sound, verdict.complete, verdict.holds) == (True, True, True)
    assert verdict.structures > 0
    assert verdict.class_name == f"same as {other}"


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("narrow", "wide", "n"),
    [
        ("eisner1996", "wg1", 4),
        ("cyk", "earley", 2),
        ("noncrossing-acyclic", "noncrossing", 2),
        ("vine:k=1", "eisner1996", 3),
    ],
)
@pytest.mark.rotated(2)
def test_the_smallest_difference(narrow: str, wide: str, n: int, order: int) -> None:
    """Of two schemata one of which derives more, each verdict shows the smallest structure that only one derives."""
    name, other = (narrow, wide)[::order]
    verdict = schemata.verify(name, same_as=other, max_n=4)
    assert (verdict.sound, verdict.complete) == ((True, False) if order == 1 else (False, True))
    example = verdict.incomplete if order == 1 else verdict.unsound
    assert example.case.n <= n
    own = {one: schemata.load(one) for one in (narrow, wide)}
    words = list(getattr(example.case, "words", ["w"] * example.case.n))
    built = {
        one: run_kernel(own[one].kernel, Sentence(tuple(words)), example.case.provide())
        .forest()
        .structures(None)
        for one in own
    }
    assert example.structure.value in built[wide]
    assert example.structure.value not in built[narrow]


@pytest.mark.thorough
def test_sentences_that_another_schema_does_not_accept() -> None:
    """What ghr takes from side conditions, a context antecedent, is told; cyk has no rules of one symbol."""
    verdict = schemata.verify("ghr", same_as="cyk", max_n=2)
    assert (verdict.complete, verdict.sound) == (True, False)
    assert verdict.unsound is not None
    assert any(application.contexts for application in verdict.unsound.derivation)


def test_classes_of_ones_own() -> None:
    """The class of a function is the same as that of a name; and one that has no name."""

    def projective(tree: DependencyTree) -> bool:
        return all(
            any(k == h or above(tree, k, h) for h in (head,))
            for word, head in tree.links
            if head
            for k in range(min(word, head) + 1, max(word, head))
        )

    def above(tree: DependencyTree, word: int, head: int) -> bool:
        while word and word != head:
            word = tree.heads[word - 1]
        return word == head

    verdict = schemata.verify("eisner1996", projective, 4)
    assert (verdict.sound, verdict.complete, verdict.class_name) == (True, True, "projective")
    assert schemata.verify("wg1", projective, 4).sound is False

    def near(tree: DependencyTree) -> bool:
        return projective(tree) and all(abs(d - h) <= 2 for d, h in tree.links if h)

    assert schemata.verify("vine:k=2", near, 5).holds
    assert not schemata.verify("vine:k=3", near, 4).holds
    assert schemata.verify("nivre2003", near, 4).unsound.structure.heads == (0, 1, 1, 1)  # type: ignore[union-attr]


def test_an_enumerator_of_ones_own() -> None:
    def chains(n: int) -> Iterator[DependencyTree]:
        yield DependencyTree(tuple(range(n)))

    def every(tree: DependencyTree) -> bool:
        return True

    assert schemata.verify("vine:k=1", every, 4, structures=chains).complete


def test_graphs_of_ones_own() -> None:
    def few(graph: DependencyGraph) -> bool:
        return len(graph.links) <= 1

    verdict = schemata.verify("noncrossing", few, 3)
    assert (verdict.complete, verdict.sound) == (True, False)
    assert verdict.unsound.structure.links == ((1, 2), (2, 1))  # type: ignore[union-attr]


@pytest.mark.thorough
def test_on_the_command_line(cli: Cli, tells: Tells, prints: Prints, tmp_path: Path) -> None:
    assert "Unsound: cyk does not derive it" in prints("verify earley --same-as cyk --max-n 2", code=1)
    found = tells("verify mh --same-as covington2001 --max-n 3", code=1)
    assert (found["class"], found["complete"]) == ("same as covington2001", False)
    assert found["counterexamples"]["incomplete"]["structure"] == [2, 0, 1]
    code, out, _ = cli("verify tag-earley --same-as tag-cky --grammar example --max-n 3")
    assert code == 0
    for wrong, said in (
        (("tag-cky", "--same-as", "tag-earley"), "asks for facts"),
        (("ccg", "--same-as", "lcfrs", "--grammar", "example"), "different relations"),
        (("cyk", "--same-as", "eisner1996"), "eisner1996 over d-rules"),
        (("cyk", "--same-as", "earley", "--class", "all"), "--class"),
        (("cyk", "--grammar", "example"), "--same-as"),
        (("eisner1996", "--same-as", "mh", "--grammar", "all"), "no words"),
        (("edit-distance", "--same-as", "matrix-chain"), "edit-distance reads 2 inputs, matrix-chain 1"),
    ):
        code, out, err = cli("verify", *wrong)
        assert (code, out) == (2, ""), wrong
        assert said in err


WORDS = """start(S)
straight(S, S, S)
inverted(S, S, S)
pair(S, a, x)
pair(S, b, y)
"""
ONE_WAY = """schema one-way extends itg
  title "Inverted parts are left out"

without step Inverted
"""


@pytest.mark.thorough
def test_two_inputs(prints: Prints, tmp_path: Path) -> None:
    """The smallest pair of sentences that is aligned only by inversion; edit distance, whose words differ."""
    (tmp_path / "words.facts").write_text(WORDS)
    (tmp_path / "one-way.schema").write_text(ONE_WAY)
    asked = "--same-as", "itg", "--grammar", str(tmp_path / "words.facts"), "--max-n", "4", "--json"
    out = prints("verify", str(tmp_path / "one-way.schema"), *asked, code=1)
    found = json.loads(out)
    assert (found["sound"], found["complete"], found["exhaustive_to"]) == (True, False, 3)
    example = found["counterexamples"]["incomplete"]
    assert (example["n"], len(example["structure"])) == (4, 2)
    source, target = (part.split() for part in " ".join(example["grammar"]["sentence"]).split("|||"))
    assert [{"a": "x", "b": "y"}[word] for word in source] == target[::-1]
    out = prints("verify edit-distance --same-as edit-distance --max-n 3")
    assert "48 cases" in out
    assert "all sentences of at most 3 words\n" in out


@pytest.mark.thorough
def test_what_was_tried_is_told(cli: Cli) -> None:
    asked = "verify", "tag-earley", "--same-as", "tag-cky", "--grammar", "example", "--max-n", "5", "--json"
    assert json.loads(cli(*asked)[1])["exhaustive_to"] == 4
    assert "4 words, random sentences of each greater length, no proof" in cli(*asked[:-1])[1]


def test_cases_in_which_nothing_is_derived_tell_nothing(cli: Cli) -> None:
    """The smallest pair of sentences of the example has five words."""
    asked = "verify", "itg", "--same-as", "itg", "--grammar", "example", "--max-n"
    assert "they tell nothing" in cli(*asked, "1")[1]
    assert "they tell nothing" not in cli("verify", "tag-cky", *asked[2:3], "tag-cky", *asked[4:], "4")[1]


def test_what_makes_no_sense_together() -> None:
    with pytest.raises(UsageError, match="not both"):
        schemata.verify("eisner1996", "projective", same_as="mh")
