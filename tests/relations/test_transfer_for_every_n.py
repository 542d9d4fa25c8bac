"""Verdicts that travel for every number of words: by what relations they do, and by which they must not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import schemata
from schemata.language import model as m
from schemata.language.relation_model import Relation
from schemata.language.relations import load_relation, read_maps
from schemata.relations import transfer
from schemata.relations.certificate import RelationCertificate
from schemata.relations.consequences import citations, emulated_and_emulating, finals_kept
from schemata.relations.decide import decide
from schemata.relations.systems import SharedSystems
from schemata.workbench import ParsingSchema
from tests.support.charts import shipped

BENCH = SharedSystems()


def certificate(relation: Relation, strict: bool = False, max_n: int = 2) -> RelationCertificate:
    """Return the proof of a relation for every n."""
    answer = decide(relation, relation.kind, max_n, systems=BENCH, strict=strict, lift=True)
    assert answer.certificate is not None, answer.unproved
    return answer.certificate


def refused(relation: Relation) -> str:
    """Return why verdicts do not travel along a relation that is proved for every n."""
    return transfer.refusal(relation, relation.kind, certificate(relation))


TRAVELS = {
    "arc-eager-arc-eager-once": 2,
    "arc-standard-arc-standard-hook": 2,
    "collins1996-collins1996-once": 2,
    "eisner1996-eisner1996-once": 2,
    "eisner1996-vine": 2,
    "mh-mh": 2,
    "yamada-matsumoto2003-mh": 2,
    "eisner-satta1999-eisner1996": 4,
}


@pytest.mark.parametrize("name", TRAVELS)
def test_shipped_relations(name: str) -> None:
    """Where final items are kept for every n, they are for short sentences; the relation holds strictly there."""
    claim = load_relation(name).relations[0]
    assert not transfer.refusal(claim, claim.kind, certificate(claim, strict=True, max_n=TRAVELS[name]))
    assert finals_kept(claim, 4, BENCH)


def test_final_hypotheses_of_another_form() -> None:
    """A final hypothesis may be another one as the map carries it, and has to be one."""
    claim = load_relation("collins1996-wg1").relations[0]
    proof = certificate(claim, strict=True, max_n=3)
    assert not transfer.refusal(claim, claim.kind, proof)
    longer = m.Compare("<=", m.Lit(2), m.Var("n"))
    [final] = claim.second.finals
    no_words = replace(claim.second, finals=(replace(final, conditions=(*final.conditions, longer)),))
    assert "a hypothesis that is final in collins1996 may not be one" in transfer.refusal(
        replace(claim, second=no_words), claim.kind, proof
    )


def verdicts(schema: m.Schema) -> Any:
    """Verify a schema for projective trees."""
    return ParsingSchema(schema).verify("projective", 3)


@pytest.mark.parametrize(
    ("name", "relation", "says", "other"),
    [
        ("eisner1996", "eisner1996-eisner1996-once", "complete", "eisner1996-once"),
        ("vine", "eisner1996-vine", "sound", "eisner1996"),
        ("mh:k=4", "mh-mh", "complete", "mh"),
    ],
)
def test_cited_for_every_n(name: str, relation: str, says: str, other: str) -> None:
    """A certificate of one schema and the proof of a relation prove the same of another; runs agree."""
    plain, _, k = name.partition(":k=")
    schema = schemata.load(plain, **({"k": int(k)} if k else {})).definition
    found = citations(schema, "projective", 3, verdicts, names=[relation], systems=BENCH)
    [one] = [x for x in found if x.other == other]
    assert (one.says, one.every_n, one.to_json()["every_n"]) == (says, True, True)
    assert "projective trees of every number of words because" in str(one)
    assert getattr(verdicts(schema), says) is True


def test_of_other_classes_nothing_is_proved() -> None:
    """Certificates are about projective trees."""
    schema = schemata.load("mh", k=4).definition

    def of_class(other: m.Schema) -> Any:
        return ParsingSchema(other).verify("all", 3)

    for one in citations(schema, "all", 3, of_class, names=["mh-mh"], systems=BENCH):
        assert not one.every_n


def related(first: m.Schema, second: m.Schema) -> Relation:
    """Return the claim that every step of a schema is one of another."""
    return read_maps((), first, second, "step-refinement")


def test_dropped_structure() -> None:
    """A way that only looks at an antecedent stands for the step for every n, and trees lose a part."""
    schema = shipped("eisner-split").definition
    cases = tuple(
        replace(c, antecedents=(c.antecedents[0], replace(c.antecedents[1], context=True)))
        if c.step == "R-Complete"
        else c
        for c in schema.cases
    )
    careless = replace(schema, cases=cases)
    assert "take in other structures" in refused(related(schema, careless))
    assert "take in other structures" in refused(related(careless, schema))
    assert not refused(related(schema, schema))


FINALS = """\
schema other extends eisner-split
"""


@pytest.mark.parametrize(
    ("final", "kept_to_4"),
    [
        ("right[0, n]  where n != 7", True),
        ("right[0, n]  where n != 3", False),
        ("right[0, n]  where n < 4", False),
    ],
)
def test_final_items_that_are_not_kept(final: str, kept_to_4: bool) -> None:
    """A final item that is none in the other schema, if only of seven words, keeps verdicts from travelling."""
    schema = shipped("eisner-split").definition
    other = schemata.schema(f"{FINALS}replace final {final}\n").definition
    relation = related(schema, other)
    assert finals_kept(relation, 4, SharedSystems()) is kept_to_4
    assert "final in eisner-split" in refused(relation)
    assert not refused(related(other, schema))  # fewer final items are among more


def test_final_hypotheses() -> None:
    """Collins' words are final where they are alone; a schema without that loses a tree of one word."""
    schema = shipped("collins1996").definition
    assert not refused(related(schema, schema))
    assert emulated_and_emulating(related(schema, schema)) == (schema, schema)


def test_a_citation_whose_proof_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is for every number of words is not known then."""

    def pressed(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("schemata.relations.decide.lifted", pressed)
    schema = schemata.load("vine").definition
    found = citations(schema, "projective", 3, verdicts, names=["eisner1996-vine"], systems=SharedSystems())
    [one] = [x for x in found if x.other == "eisner1996"]
    assert (one.says, one.every_n, one.to_json()["every_n"]) == ("sound", None, None)
