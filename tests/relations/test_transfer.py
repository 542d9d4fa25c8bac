"""Verdicts that travel along relations, checked against the verdicts themselves."""

from dataclasses import replace

import pytest

import schemata
from schemata.language.relations import load_relation, read_maps
from schemata.relations.consequences import citations, emulated_and_emulating, finals_kept
from schemata.relations.decide import decide
from schemata.relations.systems import SharedSystems
from schemata.verification.answers import verify
from schemata.workbench import ParsingSchema
from tests.support.charts import shipped

BENCH = SharedSystems()


def verdicts(wanted: str):
    """Return a function that verifies a schema."""
    return lambda schema: verify(ParsingSchema(schema), wanted, 3)


def cited(name: str, wanted: str, relation: str, max_n: int = 4, **parameters: int):
    schema = schemata.load(name, **parameters).definition
    return list(citations(schema, wanted, max_n, verdicts(wanted), names=[relation], systems=BENCH))


def test_eisner_is_complete_because_eisner_and_satta_is():
    """GCW11, Theorem 5."""
    [found] = cited("eisner1996", "projective", "eisner-satta1999-eisner1996")
    assert (found.says, found.other, found.max_n) == ("complete", "eisner-satta1999", 3)
    assert "step refinement from eisner-satta1999 to eisner1996" in str(found)
    [found] = cited("eisner-satta1999", "projective", "eisner-satta1999-eisner1996")
    assert (found.says, found.other) == ("sound", "eisner1996")


def test_a_filter_of_a_sound_schema_is_sound():
    [found] = cited("mh", "gap-degree-1", "mh-mh", k=3)
    assert (found.says, found.other, found.to_json()["kind"]) == ("sound", "mh:k=4", "static-filter")


def test_no_conclusion_where_final_items_differ():
    """Collins' final items are not those of the generalised Eisner & Satta."""
    (claim,) = load_relation("generalised-eisner-satta-collins1996").relations
    assert not finals_kept(claim, 3, BENCH)
    assert cited("collins1996", "projective", "generalised-eisner-satta-collins1996") == []


@pytest.mark.parametrize(("name", "relation", "wanted"), [
    ("eisner1996", "eisner-satta1999-eisner1996", "projective"),
    ("mh", "yamada-matsumoto2003-mh", "projective"),
    ("arc-standard-hook", "arc-standard-arc-standard-hook", "projective"),
    ("dvh1", "head-corner3-dvh1", "projective"),
    ("dvh2", "dvh1-dvh2", "projective"),
    ("bulc", "dvh3-bulc", "projective"),
    ("mg1", "mg1-wg1", "wg-1"),
])  # fmt: skip
@pytest.mark.rotated(3)
def test_what_is_concluded_is_so(name, relation, wanted):
    found = cited(name, wanted, relation, 3)
    verdict = verify(name, wanted, 3)
    for citation in found:
        reached = verdict.complete_to if citation.says == "complete" else verdict.sound_to
        assert reached >= citation.max_n
    assert found


@pytest.mark.parametrize(("length", "reach"), [(2, 2), (3, 3)])
def test_over_rules_a_conclusion_reaches_as_far_as_the_rules_are_long(length, reach):
    """A tree of three words can need a rule of three symbols."""
    schema, systems = shipped("dvh2").definition, SharedSystems(rule_length=length)
    [found] = citations(schema, "projective", 3, verdicts("projective"), names=["dvh1-dvh2"], systems=systems)
    assert found.max_n == reach
    assert f"rules of up to {length} symbols" in str(found)


def test_structure_that_is_dropped_keeps_verdicts_from_travelling():
    """A step that only looks at its second antecedent has the same consequent, but the trees lose a part."""
    schema = shipped("collins1996").definition
    careless = replace(
        schema,
        cases=tuple(
            replace(c, antecedents=(c.antecedents[0], replace(c.antecedents[1], context=True)))
            for c in schema.cases
        ),
    )
    relation = read_maps((), schema, careless, "step-refinement")
    assert decide(relation, "step-refinement", 3, systems=BENCH).holds
    assert not decide(relation, "step-refinement", 3, systems=BENCH, strict=True).holds


def test_item_refinements_say_nothing_of_trees():
    (claim,) = load_relation("head-corner5-head-corner3").relations
    assert emulated_and_emulating(claim) is None
