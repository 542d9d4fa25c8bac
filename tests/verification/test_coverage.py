"""Coverage: 1-endpoint-crossing trees by definition, schemata by runs, counts that add up, the command."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import pytest

import schemata
from schemata import DependencyTree, DRules, Sentence
from schemata.cli.main import main
from schemata.structures.classes import classify, tree_class
from schemata.structures.planarity import check_1ec
from schemata.verification.coverage import Coverage, coverage, parsers
from tests.oracle.trees import is_tree


def trees(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in product(range(n + 1), repeat=n) if is_tree(heads)]


def crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted((tuple(sorted(one)), tuple(sorted(other))))
    return a < c < b < d


def is_1ec(links: list[tuple[int, int]]) -> bool:
    for link in links:
        across = [other for other in links if crosses(link, other)]
        ends = [set(other) for other in across]
        if across and not set.intersection(*ends):
            return False
    return True


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_1_endpoint_crossing_by_definition(n: int) -> None:
    for heads in trees(n):
        links = list(enumerate(heads, start=1))
        tree = DependencyTree(heads)
        assert check_1ec(tree, artificial_root=True).holds == is_1ec(links)
        own = is_1ec([link for link in links if link[1]])
        assert check_1ec(tree).holds == tree_class("1ec").contains(tree) == own
        measured = classify(tree)
        assert measured.one_endpoint_crossing == own
        assert measured.one_endpoint_crossing_with_root == is_1ec(links)


def test_evidence_against_a_class() -> None:
    refuted = 0
    for heads in trees(6)[::7]:
        evidence = check_1ec(DependencyTree(heads))
        if evidence.holds:
            continue
        refuted += 1
        assert all(crosses(evidence["crossed"], link) for link in evidence["crossing"])
        assert "is crossed by" in str(evidence)
    assert refuted


@pytest.mark.parametrize("name", ["eisner1996", "wg1", "mg1", "covington2001", "covington-lsup"])
def test_trees_of_a_class_are_those_that_a_run_accepts(name: str) -> None:
    (parser,) = parsers([name])
    schema = schemata.load(name)
    for heads in trees(4):
        if heads.count(0) > 1:
            continue
        tree = DependencyTree(heads)
        accepted = schema.run("a b c d", DRules.from_heads(heads)).accepted
        assert parser.parses(Sentence.of("a b c d"), tree, classify(tree)) == accepted, heads


def test_counts_add_up() -> None:
    every = [Sentence(("w",) * 4, heads=heads) for heads in trees(4)]
    chosen = parsers(["eisner1996", "wg1"])
    whole = coverage("all", every, chosen)
    parts = coverage("all", every[:50], chosen) + coverage("all", every[50:], chosen)
    assert whole == parts
    assert whole.sentences == len(every) == 125
    assert whole.classes["projective"] == sum(
        not any(crosses(a, b) for a, b in combinations(enumerate(s.heads or (), start=1), 2)) for s in every
    )
    assert whole.arcs["all"] == sum(bool(h) for s in every for h in s.heads or ())
    assert coverage("none", [Sentence(("a",))]) == Coverage("none", skipped=1)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "example", "example", "--schema", "eisner1996", "--json"]) == 0
    one, _, whole = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (one["sentences"], whole["file"], whole["sentences"]) == (3, "all", 6)
    assert (
        whole["classes"]["projective"]
        == 2 * one["classes"]["projective"]
        == 2 * one["schemata"]["eisner1996"]
    )
    assert set(one["classes"]) >= {"projective", "planar", "2-planar", "gap-degree-1", "wg-1", "mg-1", "1ec"}
    broken = tmp_path / "broken.conllu"
    broken.write_text("1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n", encoding="utf-8")
    assert main(["coverage", str(broken), "--classes"]) == 2
    assert "0 trees, 1 sentence without a tree skipped" in capsys.readouterr().out
    assert main(["coverage", str(broken), "--schema", "earley"]) == 2
    assert "not over D-rules" in capsys.readouterr().err
