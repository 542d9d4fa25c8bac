"""Schemata written by hand to mislead the prover: no yes that runs or brute force refute."""

from __future__ import annotations

import pytest

from schemata.correctness.steps import program_of
from schemata.workbench import ParsingSchema
from tests.correctness.attacks import ATTACKS
from tests.correctness.judging import is_over_node_0, refutations
from tests.correctness.mutants import proved, schema_from

FEW = 12  # one in so many is tried each time


def attacked(schema: ParsingSchema, has_gaps: bool) -> tuple[list[str], list[str]]:
    """Return the claims that are proved of a schema, and those of them that are refuted, to nine words without gaps."""
    definition = schema.definition
    if has_gaps:
        verdict = schema.verify("wg-1", 5)
        no = {claim for claim in ("sound", "complete") if getattr(verdict, claim) is False}
        reasons = proved(definition, ("sound", "complete"), class_name="wg-1")
        yes = [claim for claim in ("sound", "complete") if claim not in reasons]
    else:
        program = program_of(definition)
        # What is changed may derive trees of several roots from three words on alone.
        no = {*refutations(program, is_over_node_0(program), 9, several_roots=True)}
        reasons = proved(definition)
        yes = [claim for claim in ("sound", "complete", "each_once") if claim not in reasons]
    return yes, [claim for claim in yes if claim in no]


@pytest.mark.parametrize(
    "about",
    [
        pytest.param(
            x, marks=[] if k % FEW == 0 else pytest.mark.thorough if k % 3 == 1 else pytest.mark.nightly
        )
        for k, x in enumerate(ATTACKS)
    ],
)
def test_no_false_yes(about: str) -> None:
    """What is refuted is not proved."""
    _, wrong = attacked(schema_from(ATTACKS[about]), about.startswith("wg1"))
    assert not wrong
