"""Regions of positions: counted for every n, subtracted and made disjoint, as enumeration says."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.analysis.complexity import complexity
from schemata.language.bounds import Bounds
from schemata.order.points import NotRegionsError, apart, counted, minus
from tests.engine.test_order_random import random_text
from tests.support.charts import schema_of

NAMES = ("i", "j", "k")
FACTS = st.lists(
    st.tuples(st.sampled_from((*NAMES, "0", "n")), st.sampled_from((*NAMES, "0", "n")), st.integers(-3, 3)),
    max_size=5,
)


def region(facts: list[tuple[str, str, int]]) -> list[Bounds]:
    """The positions 0 to n of which facts hold."""
    found = Bounds()
    for x in NAMES:
        found.learn([("0", x, 0), (x, "n", 0)])
    found.learn([fact for fact in facts if fact[0] != fact[1]])
    return [] if found.contradictory() else [found]


def points(regions: list[Bounds], n: int) -> list[tuple[int, ...]]:
    """The points of regions for one n, each as often as regions have it."""
    found = []
    for one in regions:
        for row in itertools.product(range(n + 1), repeat=3):
            values = dict(zip(NAMES, row, strict=True)) | {"0": 0, "n": n}
            if all(values[str(x)] - values[str(y)] <= c for x, y, c in one.facts()):
                found.append(row)
    return found


@settings(max_examples=60)
@given(FACTS)
def test_a_count_is_that_of_enumeration_from_where_it_begins(facts: list[tuple[str, str, int]]) -> None:
    found = region(facts)
    count = counted(found)
    for n in range(count.begin, count.begin + 3):
        assert count.at(n) == len(points(found, n))


@settings(max_examples=40)
@given(FACTS, FACTS)
def test_what_is_subtracted_and_made_disjoint(
    one: list[tuple[str, str, int]], other: list[tuple[str, str, int]]
) -> None:
    first, second = region(one), region(other)
    for n in (1, 4, 6):
        left = points([p for taken in second for p in minus(first, taken)] if second else first, n)
        assert sorted(left) == sorted({*points(first, n)} - {*points(second, n)})
        union = points(apart([*first, *second]), n)
        assert sorted(union) == sorted({*points(first, n), *points(second, n)})


def test_a_region_without_bounds_is_refused() -> None:
    found = Bounds()
    found.learn([("0", "i", 0)])
    with pytest.raises(NotRegionsError, match="nothing bounds"):
        counted([found])


@pytest.mark.parametrize("seed", [7, 13, 43, 59])
def test_random_schemata_have_as_many_items_and_instances_as_is_proved(seed: int) -> None:
    schema = schema_of(random_text(random.Random(seed)))
    found = complexity(schema, family=False)
    assert found.proved
    assert found.holds_from is not None
    for n in (*range(found.holds_from, found.holds_from + 4), 11):
        chart = schema.run(["w"] * n)
        counts = found.total_at("items", n), found.total_at("steps", n)
        assert counts == (chart.item_count, chart.step_count)
