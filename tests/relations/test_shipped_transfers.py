"""The relations along which claims travel for every number of words: checked again, against runs, and forged."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import schemata
from schemata.correctness.answers import NO_PROOF, known_correctness
from schemata.correctness.certificate import checksum_of
from schemata.correctness.shipped import (
    CLAIMS,
    TRANSFERS,
    Source,
    shipped_claims_for_every_n,
    shipped_transfers,
    sources_along_relations,
)
from schemata.correctness.steps import program_of
from schemata.language.shipped import shipped_files
from schemata.relations.transfer import entry_refusal
from schemata.verification.answers import verify
from tests.support.commands import Cli, Tells

PATH = shipped_files(".transfers")[TRANSFERS.removesuffix(".transfers")]
ENTRIES: list[dict[str, Any]] = json.loads(PATH.read_text("utf-8"))["certificates"]
NAMES = [" to ".join(entry["travels"]) for entry in ENTRIES]
SLOW = ("wgk", "mgk")  # two gaps, normal forms: a second or more each
CLASSES = ("projective", "wg-1", "mg-1", "wg-2", "mg-2")


@cache
def checksum(reference: str) -> str:
    """Return the checksum of a shipped schema."""
    schema = schemata.load(reference).definition
    return checksum_of(schema, program_of(schema))


ENDS = sorted({end for one in shipped_transfers() for end in (one.emulated, one.emulating)})


@cache
def travelled() -> list[tuple[str, str, str]]:
    """Return schemata with classes and claims about them that travel there."""
    return [
        (reference, class_name, claim)
        for reference in ENDS
        for class_name in CLASSES
        for claim in sources_along_relations(reference, checksum(reference), class_name)
    ]


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(k, id=name, marks=[pytest.mark.thorough] * any(x in name for x in SLOW))
        for k, name in enumerate(NAMES)
    ],
)
@pytest.mark.rotated(3)
def test_shipped_transfers_are_accepted(number: int) -> None:
    """Each relation is proved, takes in the same structures and keeps final items; schemata are those shipped."""
    assert not entry_refusal(ENTRIES[number])


def test_both_ways_travel() -> None:
    """Claims travel along enough relations, and most of them to schemata that have certificates of their own."""
    assert len(ENTRIES) >= 19
    twice = [
        claim
        for reference, class_name, claim in travelled()
        if claim in shipped_claims_for_every_n(reference, class_name)
    ]
    assert len(twice) >= 20
    assert len(travelled()) >= 40
    assert {*twice} == {"sound", "complete"}


@pytest.mark.parametrize("reference", ENDS)
@pytest.mark.rotated(4)
def test_runs_agree(reference: str) -> None:
    """No claim that travels is refuted by runs."""
    for class_name in CLASSES:
        claims = sources_along_relations(reference, checksum(reference), class_name)
        verdict = verify(reference, class_name, 3) if claims else None
        for claim in claims:
            assert getattr(verdict, claim) is True
            assert verdict.for_every_n.answers[claim] is True
            assert not verdict.for_every_n.contradicted


def test_no_schema_proves_itself() -> None:
    """A source is another schema, with a certificate for the claim, and the relations lead from there."""
    ends = {(one.relation, one.emulated, one.emulating) for one in shipped_transfers()}
    for reference, class_name, claim in travelled():
        source = sources_along_relations(reference, checksum(reference), class_name)[claim]
        assert source.schema != reference
        assert claim in shipped_claims_for_every_n(source.schema, class_name)
        reached = {source.schema}
        for name in source.relations:
            along = [(x, y) if claim == "complete" else (y, x) for r, x, y in ends if r == name]
            reached = {y for x, y in along if x in reached}
        assert reference in reached


def test_unsound_and_incomplete_schemata_get_nothing() -> None:
    """`arc-eager-published` is unsound and `vine` incomplete, though their partners are not."""
    for reference, claim in (("arc-eager-published", "sound"), ("vine", "complete")):
        assert claim not in sources_along_relations(reference, checksum(reference), "projective")
        assert getattr(verify(reference, "projective", 5), claim) is False


# Forgeries -----------------------------------------------------------------------------------------------------


def entry(travels: str) -> dict[str, Any]:
    """Return a copy of the entry between two schemata."""
    return deepcopy(ENTRIES[NAMES.index(travels)])


@pytest.mark.parametrize(
    "travels", ["vine to eisner1996", "eisner-satta1999 to eisner1996", "arc-standard to arc-standard-hook"]
)
def test_forgeries(travels: str) -> None:
    """A relation turned around, of changed schemata, without a map or without a way is refused."""
    assert not entry_refusal(entry(travels))
    turned = entry(travels)
    turned["travels"].reverse()
    assert "other schemata" in entry_refusal(turned)
    turned["checksums"].reverse()
    assert entry_refusal(turned)
    changed = entry(travels)
    changed["checksums"][0] = changed["checksums"][1]
    assert "other schemata" in entry_refusal(changed)
    for k, case in enumerate(entry(travels)["cases"]):
        if case["ways"]:
            fewer = entry(travels)
            fewer["cases"][k]["ways"] = []
            assert "no way stands for" in entry_refusal(fewer)


def test_of_a_changed_schema_nothing_is_known() -> None:
    """A schema of the same name that says something else is another one, for certificates and relations."""
    for schema in (schemata.load("mh", k=4).definition, schemata.load("eisner1996-once").definition):
        assert known_correctness(schema) is not None
        assert known_correctness(replace(schema, cases=schema.cases[:-1])) is None


# Proofs and runs ---------------------------------------------------------------------------------------------


def test_proved_twice(tells: Tells) -> None:
    """The command names both sources, in text and JSON."""
    answer = tells("verify eisner1996-once --class projective --max-n 3")["for_every_n"]
    assert answer["sound"] is True
    assert answer["twice"] == ["sound"]
    assert answer["along"] == {"sound": {"from": "eisner1996", "relations": ["eisner1996-eisner1996-once"]}}
    found = schemata.prove("eisner1996-once")
    assert (found.twice, found.certificate is not None) == (("sound",), True)
    assert "proved twice, also along relations: sound, from eisner1996" in str(found)


def test_proved_along_a_relation_alone(cli: Cli) -> None:
    """What is beyond the method is proved along a relation; the rest keeps its reason."""
    found = schemata.prove("mh:k=5", "projective")
    assert found.answers == {"sound": False, "complete": True, "each_once": False}
    assert found.along["complete"] == Source("mh", ("mh-mh", "mh-mh"))
    assert found.certificate is None
    assert found.twice == ()
    shown = cli("verify", "mh:k=4", "--class", "projective", "--max-n", "2").out
    assert "proved along relations: complete, from mh by mh-mh" in shown
    known = known_correctness(schemata.load("mh", k=4).definition)
    assert known is not None
    assert known.reasons == {"sound": NO_PROOF, "each_once": NO_PROOF}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_refutation_wins_over_proofs(claim: str) -> None:
    """What a run refutes is no, though a certificate or a relation proves it, and that is shown as an error."""
    name = "eisner1996-once"
    verdict = verify(name, "projective", 3)
    assert verdict.holds is True
    proof = known_correctness(schemata.load(name).definition, replace(verdict, **{claim: False}))
    assert proof is not None
    assert proof.answers[claim] is False
    assert proof.contradicted == (claim,)
    assert claim not in proof.twice
    assert proof.to_json()["contradicted"] == [claim]
    assert f"error: {claim.replace('_', ' ')}" in str(proof)
    assert replace(verdict, for_every_n=proof).holds is False
    searched = schemata.prove(name, verdict=replace(verdict, **{claim: False}))
    assert searched.answers[claim] is False
    assert ("sound" in searched.contradicted) == (claim == "sound")  # along the relation
