"""Known results: verdicts on shipped schemata, and the smallest counterexamples that are known."""

import pytest

from schemata import verify
from schemata.language.library import load_schema
from schemata.language.shipped import shipped_schemata
from schemata.structures import DependencyTree, tree_class
from schemata.verification.claims import Claim, shipped_claims

CLAIMS = shipped_claims()


def test_every_schema_of_trees_has_a_claim() -> None:
    claimed = {claim.name for claim in CLAIMS}
    over_trees = ("d-rules", "dependency-rules")
    shipped = map(load_schema, shipped_schemata())
    trees = (s for s in shipped if s.grammar in over_trees and s.structure == "dependency tree")
    missing = {schema.name for schema in trees} - claimed
    assert not missing, f"claims.toml says nothing about {sorted(missing)}"


@pytest.mark.parametrize(
    ("reference", "heads"),
    [("covington-lsup", (0, 3, 1)), ("mh:k=4", (2, 3, 0, 1)), ("attardi2006:d=2", (2, 3, 0, 1))],
)
def test_smallest_missing_trees(reference: str, heads: tuple[int, ...]) -> None:
    class_name = "projective" if reference == "covington-lsup" else "all"
    found = verify(reference, class_name, 5).incomplete
    assert found.structure.heads == heads


def test_projective_schemata_miss_the_first_non_projective_tree() -> None:
    found = verify("collins1996", "all", 4)
    assert found.sound
    assert found.incomplete.structure.heads == (2, 0, 1)
    assert not tree_class("projective").contains(DependencyTree((2, 0, 1)))
    assert found.complete_to == 2


def test_covington2001_is_complete_but_builds_cycles() -> None:
    verdict = verify("covington2001", "all", 5)
    assert verdict.complete
    assert verdict.unsound.case.n == 3
    assert verdict.unsound.structure.links == ((1, 2), (2, 1))
    assert "cycle" in verdict.unsound.fault


def test_arc_eager_as_published_is_unsound_for_two_words() -> None:
    verdict = verify("arc-eager-published", "projective", 4)
    assert verdict.complete
    found = verdict.unsound
    assert found.case.to_json() == {"pairs": [[1, 0], [2, 0]]}
    assert found.structure.heads == (0, 1)
    assert "not licensed" in found.fault
    assert [step.step for step in found.derivation] == ["ra", "ra", "re", "re"]


def test_arc_eager_as_published_under_the_rules_of_a_cycle() -> None:
    """{1 under 2, 2 under 1} and no link to 0 is accepted too, though nothing it licenses is a tree."""
    import schemata

    grammar = schemata.DRules.from_pairs({(1, 2), (2, 1)})
    assert schemata.load("arc-eager-published").run("a b", grammar).accepted
    assert not schemata.load("arc-eager").run("a b", grammar).accepted


def test_wgk_as_published_misses_a_tree_of_six_words() -> None:
    found = verify("wgk-published:k=2", "wg-2", 6)
    assert found.sound
    assert len(found.incomplete.structure.heads) == 6
    assert found.complete_to == 5


@pytest.mark.parametrize(
    ("reference", "class_name"),
    [
        ("mh:k=3", "projective"),
        ("attardi2006:d=1", "projective"),
        ("eisner-satta1999", "projective"),
        ("covington-lsup", "covington-lsup"),
        ("wg1", "wg-1"),
        ("mg1", "mg-1"),
        ("attardi-unbounded", "all"),
    ],
)
def test_recognised_classes(reference: str, class_name: str) -> None:
    found = verify(reference, None, 5)
    assert class_name in (found.parses or ())
    if class_name in ("projective", "covington-lsup", "wg-1", "mg-1"):
        assert len(found.parses or ()) <= 2


def test_six_words_tell_mg1_from_gap_degree_1_no_more_than_the_papers_do() -> None:
    """Up to nine words every tree of gap degree 1 is well-nested or mildly ill-nested."""
    assert verify("mg1", None, 6).parses == ("mg-1", "gap-degree-1")
    assert verify("wg1", None, 6).parses == ("wg-1",)


@pytest.mark.parametrize("reference", ["covington2001", "arc-eager-published", "attardi2006:d=2", "mh:k=4"])
def test_no_known_class(reference: str) -> None:
    found = verify(reference, None, 5)
    assert found.parses == ()
    assert found.holds is False


@pytest.mark.parametrize("reference", [pytest.param("wg1", marks=pytest.mark.thorough), "eisner1996"])
def test_seven_words(reference: str) -> None:
    claim = next(c for c in CLAIMS if c.reference == reference)
    assert verify(reference, claim.class_name, 7).holds


@pytest.mark.parametrize(
    "claim",
    [c for c in CLAIMS if c.sound and c.complete and c.reference != "pitler2013:free=1"],
    ids=lambda c: c.reference,
)
@pytest.mark.rotated(8, 2)
def test_random_trees_of_more_words(claim: Claim) -> None:
    """The catalogue's tests have tried all trees of fewer words."""
    slow = claim.reference == "mst" or load_schema(claim.name).grammar == "dependency-rules"
    n, trees = (3, 12) if slow else (5, 30)
    verdict = verify(claim.reference, claim.class_name, n, random=trees)
    assert verdict.holds
    assert verdict.random is not None


def test_what_wg1_does_not_put_together() -> None:
    """Two dependents of word 1 interleave, which is the step that MG_1 adds."""
    found = verify("wg1", "all", 5).incomplete
    assert found.missing == ()
    assert [piece.item for piece in found.nearest] == ["tree[1, 4, 1, 3, 3]", "tree[3, 5, 1, 4, 4]"]
    assert {link for piece in found.nearest for link in piece.links} == {(2, 1), (3, 1), (4, 2), (5, 3)}
    assert found.why_not is not None
