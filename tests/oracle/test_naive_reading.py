"""The systems copied by hand and schema files read naively derive the same.

The classes of trees that shipped schemata parse are verified of the package (`tests/verification`), whose charts are
those of these systems (`tests/engine/test_against_oracle.py`).
"""

import math
import random

import pytest

from schemata.language.library import load_schema
from tests.oracle import naive, sums
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


def _equations(**of: list[tuple[float, str]]) -> sums.Weighed:
    """Return equations such as x = 3 + 0.5 x y, each right side as a list of weights and the letters multiplied."""
    item = {name: (name, ()) for name in of}
    into = {
        item[name]: [
            sums.Edge(
                naive.Instance(f"{k}", (), item[name]), tuple(item[x] for x in letters), (math.log(weight),)
            )
            for k, (weight, letters) in enumerate(rows)
        ]
        for name, rows in of.items()
    }
    return sums.Weighed(into, frozenset(), dict.fromkeys(item.values(), (0.0,)))


@pytest.mark.parametrize("large", [0.5, 1e6, 1e18, 1e30])
def test_sums_without_end_beside_large_ones(large: float) -> None:
    """x = 3 + x, whose growth was lost beside that of y: its sum was said to be finite."""
    settled = [(large, ""), (0.5, "y")]
    assert sums.sums(_equations(y=settled)) == pytest.approx(2 * large)
    assert sums.sums(_equations(x=[(3.0, ""), (1.0, "x")], y=settled)) == "infinite"
    assert sums.sums(_equations(x=[(3.0, ""), (0.25, "x")], y=settled)) == pytest.approx(4 + 2 * large)
    assert sums.sums(_equations(x=[(0.5, ""), (0.2, "xx")], y=settled)) == pytest.approx(
        (1 - math.sqrt(1 - 0.4)) / 0.4 + 2 * large
    )
    assert sums.sums(_equations(x=[(2.0, ""), (0.2, "xx")], y=settled)) == "infinite"
