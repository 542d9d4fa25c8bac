"""Random schemata: the naive reading and every engine derive the same, down to forests."""

from __future__ import annotations

import random
from functools import cache

import pytest

from schemata import ParsingSchema
from schemata.language.files import read_schema_text
from tests.random_schemata.compare import grammars, what_differs
from tests.random_schemata.drafts import Draft
from tests.random_schemata.writer import random_draft
from tests.support.engines import GivenGrammar, TooLarge, run

ENGINES = ["python", "agenda", "ordered"]
CHECKED = ["python", "checked-agenda", "checked-ordered"]  # every index is tested; slow
SAMPLE = range(60)


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
    valid = derives = 0
    some = SAMPLE[:40]
    for number in some:
        definition, _ = read_schema_text(sample(number).text)
        if definition is not None:
            valid += 1
            derives += any(
                steps(ParsingSchema(definition), given) > 2
                for given in grammars(2, f"{number} 2", definition.grammar)
            )
    assert valid >= 0.8 * len(some)
    assert derives >= 0.4 * len(some)


def steps(schema: ParsingSchema, given: GivenGrammar) -> int:
    try:
        return run(schema, 2, given, "python").step_count
    except TooLarge:
        return 0
