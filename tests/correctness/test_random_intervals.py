"""Random schemata: what is proved of one is what brute force finds, to six words and in longer trees."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.correctness.ledger import DRAWN, INTERVALS, TWICE, Judge, rows_of

PART = 25


def check(name: str, chosen: slice) -> Counter[str]:
    """Check some schemata; returns how many there are of which something is refuted, and something proved."""
    judge, wrong, met = Judge(name), [], Counter[str]()
    with judge.sitting():
        for said, needed, schema in rows_of(name, chosen.stop)[chosen]:
            row = judge.row(said, needed, schema)
            wrong += [f"{said}: {claim}" for claim in row.get("wrong", ())]
            met.update(refuted=bool(row.get("refuted")), proved=bool(row.get("right")))
    assert not wrong
    return met


@pytest.mark.thorough
def test_random_schemata() -> None:
    """A few, of which some are refuted and of some is proved something."""
    assert check(INTERVALS, slice(2, 8, 2))["refuted"]
    met = check(TWICE, slice(0, 8))
    assert met["refuted"]
    assert met["proved"]


@pytest.mark.parametrize("name", [INTERVALS, TWICE])
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(k, marks=pytest.mark.thorough if k < 1 else pytest.mark.nightly)
        for k in range(DRAWN // PART)
    ],
)
def test_many_random_schemata(name: str, part: int) -> None:
    """Five hundred of each."""
    check(name, slice(PART * part, PART * (part + 1)))
