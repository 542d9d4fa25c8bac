"""The systems copied by hand and schema files read naively derive the same.

The classes of trees that shipped schemata parse are verified of the package (`tests/verification`), whose charts are
those of these systems (`tests/engine/test_against_oracle.py`).
"""

import random

import pytest

from schemata.language.library import load_schema
from tests.oracle import naive
from tests.oracle.d_rule_systems import D_RULE_SYSTEMS, d_rule_system
from tests.oracle.interpreter import interpret

SCHEMATA = [(name, {}) for name in D_RULE_SYSTEMS] + [("eisner1996", {"end": 1}), ("mh", {"k": 4})]


@pytest.mark.parametrize(("name", "parameters"), SCHEMATA, ids=str)
@pytest.mark.rotated(3)
def test_shipped_schemata_read_naively(name: str, parameters: dict[str, int]) -> None:
    schema = load_schema(name, parameters)
    system = d_rule_system(name, **parameters)
    for n in (1, 2, 3):
        grammars = [naive.all_links(n), naive.random_grammar(random.Random(f"{name} {n}"), n, 0.4)]
        for grammar in grammars:
            found = interpret(schema, n, grammar)
            truth = naive.run(system, n, grammar)
            assert found.hypotheses == truth.hypotheses
            assert found.items == truth.items
            assert found.final_items == truth.final_items
            assert shown(found) == shown(truth)
            assert naive.derivations(found) == naive.derivations(truth)
            assert naive.structures(found) == naive.structures(truth)


def shown(chart: naive.NaiveChart) -> set[naive.Instance]:
    """Return the instances with their links in order, and without what they say of context and heads."""
    return {i._replace(links=tuple(sorted(i.links)), context=(), heads=()) for i in chart.instances}
