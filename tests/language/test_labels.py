"""Sequences of labels: what is taken apart goes together again, and nothing else does; items of them as text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemata
from schemata.errors import SchemaError
from schemata.language import labels
from schemata.language.forms import read_item
from schemata.language.labels import is_multi, outcomes
from schemata.language.typeset import format_item

TOKENS = st.sampled_from(["A-", "@A-", "Bs*+", "hC+", "@dD-"])


@st.composite
def sides(draw: Any, least: int = 0) -> str:
    origin = draw(st.sampled_from(["cat#1", "cat.n#2", "a b: c#1", ".#1"]))
    side = labels.side_text(origin, tuple(draw(st.lists(TOKENS, min_size=least, max_size=5))))
    return labels.turned(side) if draw(st.booleans()) else side


@st.composite
def stretches(draw: Any) -> str:
    side = draw(sides())
    _, found = labels.split(side, draw(st.integers(0, labels.label_count(side))))
    found, _ = labels.split(found, draw(st.integers(0, labels.label_count(found))))
    return found


@given(stretches(), st.data())
def test_parts_go_together_again(value: str, data: st.DataObject) -> None:
    assert labels.is_sequence(value, dot=False)
    size = labels.label_count(value)
    place = data.draw(st.integers(0, size))
    one, two = labels.split(value, place)
    assert (labels.label_count(one), labels.label_count(two)) == (place, size - place)
    assert labels.chain(one, two) == value
    with_dot = labels.dotted(one, two)
    assert with_dot is not None
    assert labels.is_sequence(with_dot, dot=True)
    assert (labels.before(with_dot), labels.after(with_dot)) == (one, two)
    if two:
        moved, *stayed = outcomes(with_dot)
        assert labels.label_count(labels.before(moved)) == place + 1
        assert stayed == ([with_dot] if is_multi(labels.first(two)) else [])
        assert labels.at_dot(moved) == labels.first(two)


@given(stretches())
def test_ends_and_reverse(value: str) -> None:
    assert labels.turned(labels.turned(value)) == value
    if not value:
        return
    assert labels.chain(labels.first(value), labels.rest(value)) == value
    before = labels.turned(labels.rest(labels.turned(value)))
    assert labels.chain(before, labels.last(value)) == value
    assert labels.token(labels.first(labels.turned(value))) == labels.token(labels.last(value))


@given(stretches(), stretches())
def test_only_neighbours_fit(one: str, two: str) -> None:
    together = labels.chain(one, two)
    if together is not None:
        assert labels.split(together, labels.label_count(one)) == (one, two)


@given(sides(1), st.data())
def test_a_sequence_that_reads_the_same_both_ways_is_told_from_its_reverse(
    side: str, data: st.DataObject
) -> None:
    # Else the nearest and the farthest connector of `A- A-` would be one.
    assert (labels.turned(side) == side) == (labels.label_count(side) == 1)


@pytest.mark.parametrize(
    "text",
    [
        "cat",
        "cat#1:",
        ": A-",
        "cat#1: A-  B-",
        "cat#1: A- _ B-",
        "cat#1: . A- . B-",
        "cat#1: _",
        "cat#1: . _ A-",
    ],
)
def test_what_is_no_sequence(text: str) -> None:
    assert not labels.is_sequence(text, dot=False)
    assert not labels.is_sequence(text, dot=True)


SPAN = schemata.load("eisner-lg").definition


@given(sides(), st.integers(0, 5), sides(), st.integers(0, 5))
def test_items_are_read_as_they_are_printed(right: str, k: int, left: str, j: int) -> None:
    dots = [
        labels.dotted(*labels.split(x, min(place, labels.label_count(x))))
        for x, place in ((right, k), (left, j))
    ]
    values = (0, 1, *dots, left, right, True, False)
    form = SPAN.form("span")
    assert read_item(SPAN, format_item(form, values)) == ("span", values)


@pytest.mark.parametrize("field", ['"cat#1: A-"', "<>", "a . b", "3", ". ."])
def test_what_is_no_value_of_a_field_of_labels(field: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read_item(SPAN, f"span[0, 1, {field}, ., <>, <>, true, false]")
    assert "is not a sequence of labels with a dot" in caught.value.diagnostics[0].message
    assert "as printed" in (caught.value.diagnostics[0].expected or "")
