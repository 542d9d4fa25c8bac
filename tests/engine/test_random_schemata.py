"""Random schemata: the naive reading and every engine derive the same, down to forests."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.random_schemata.compare import what_differs
from tests.random_schemata.drafts import Draft
from tests.random_schemata.writer import drafts, random_draft

ENGINES = ["python", "agenda", "ordered"]
CHECKED = ["python", "checked-agenda", "checked-ordered"]  # every index is tested; slow
SAMPLE = range(40)


@cache
def sample(number: int) -> Draft:
    return random_draft(random.Random(f"sample {number}"))


@pytest.mark.parametrize("number", SAMPLE)
def test_a_sample_of_random_schemata(number: int) -> None:
    draft = sample(number)
    found = what_differs(draft, str(number), ENGINES, words=(1, 2, 3))
    assert not found, "\n".join([draft.text, *found])


@pytest.mark.parametrize("number", range(100, 112))
def test_random_schemata_index_nothing_outside(number: int) -> None:
    draft = sample(number)
    found = what_differs(draft, str(number), CHECKED, words=(1, 2, 3))
    assert not found, "\n".join([draft.text, *found])


def test_most_random_schemata_are_valid_and_derive_something() -> None:
    tally: Counter[str] = Counter()
    valid = 0
    for number in SAMPLE:
        draft = sample(number)
        valid += what_differs(draft, str(number), ["python"], words=(2,), tally=tally) is not None
    assert valid >= 0.8 * len(SAMPLE)
    assert tally["that derive something"] >= 0.4 * len(SAMPLE)


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(drafts(), st.integers(1, 3))
def test_random_schemata(draft: Draft, n: int) -> None:
    found = what_differs(draft, "0", ENGINES, words=(n,))
    assume(found is not None)
    assert not found, "\n".join([draft.text, *(found or [])])
