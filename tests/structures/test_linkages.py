"""Connectors, disjuncts and linkages as values: reading, matching, labels, order, JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.errors import StructureError
from schemata.structures import (
    Connector,
    Disjunct,
    LabelledLink,
    Linkage,
    all_linkages,
    cheapest_first,
    common_label,
    connectors_match,
    labelled_link,
    random_linkage,
    read_connector,
)
from tests.structures.strategies import connectors, disjunct, words


@pytest.mark.parametrize(
    ("text", "connector"),
    [
        ("A+", Connector("A", True)),
        ("Ds**-", Connector("Ds**", False)),
        ("@MV+", Connector("MV", True, multi=True)),
        ("hWV-", Connector("WV", False, head="h")),
        ("@dSs*b+", Connector("Ss*b", True, multi=True, head="d")),
        ("ID_A2b+", Connector("ID_A2b", True)),
        ("IDAB2x-", Connector("IDAB2x", False)),
    ],
)
def test_read(text: str, connector: Connector) -> None:
    assert read_connector(text) == connector
    assert str(connector) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "ends in"),
        ("A", "ends in"),
        ("+", "begins with an upper-case letter"),
        ("a+", "begins with an upper-case letter"),
        ("hd+", "begins with an upper-case letter"),
        ("@@A+", "begins with an upper-case letter"),
        ("_A+", "begins with an upper-case letter"),
        ("AaB+", "after its capitals"),
        ("A b+", "after its capitals"),
        ("Aä-", "after its capitals"),
        ("A+-", "after its capitals"),
    ],
)
def test_read_errors(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_connector(text)


@given(connectors)
def test_read_what_is_written(connector: Connector) -> None:
    assert read_connector(str(connector)) == connector
    assert connector.base + connector.subscript == connector.name
    assert connector.base.isupper()


@given(connectors, connectors)
def test_matching_is_symmetric(one: Connector, other: Connector) -> None:
    assert connectors_match(one, other) == connectors_match(other, one)


@pytest.mark.parametrize(
    ("one", "other", "label"),
    [
        ("S+", "S-", "S"),
        ("Ss+", "S-", "Ss"),
        ("Ss*b+", "S-", "Ss*b"),
        ("S*x+", "Ss-", "Ssx"),
        ("S**+", "S*b-", "S*b"),
        ("Sab+", "Sac-", None),
        ("S+", "SI-", None),
        ("SIx+", "SI-", "SIx"),
        ("hS+", "S-", "S"),
        ("hS+", "dSa-", "Sa"),
        ("dS+", "dS-", None),
    ],
)
def test_label(one: str, other: str, label: str | None) -> None:
    first, second = read_connector(one), read_connector(other)
    assert connectors_match(first, second) == (label is not None)
    if label is None:
        with pytest.raises(ValueError, match="do not match"):
            common_label(first, second)
    else:
        assert common_label(first, second) == common_label(second, first) == label


@given(connectors, connectors)
def test_labels(one: Connector, other: Connector) -> None:
    """A label is as specific as both connectors together: it has their letters, and nothing else."""
    one, other = Connector(one.name, True), Connector(other.name, False)
    assert common_label(one, one) == one.name
    if not connectors_match(one, other):
        return
    label = common_label(one, other)
    assert label == common_label(other, one)
    joined = Connector(label, True)
    for connector in (one, other):
        assert connectors_match(joined, connector)
        # Idempotent: nothing more is learnt from what the label was made of.
        assert common_label(joined, connector) == label
    assert len(label) == max(len(one.name), len(other.name))
    wild = [c for c in range(len(label)) if label[c] == "*"]
    assert all(one.name[c : c + 1] in ("", "*") and other.name[c : c + 1] in ("", "*") for c in wild)


def test_disjunct_text() -> None:
    (disjunct,) = words("Ds- A- Ss+")
    assert str(disjunct) == "Ds- & A- & Ss+"
    assert str(Disjunct("x", (), ())) == "()"


def test_linkage() -> None:
    chosen = words("A+ B+", "A-", "B-")
    links = [labelled_link(chosen, 0, 2, (1, 0)), labelled_link(chosen, 0, 1, (0, 0))]
    linkage = Linkage(["x", "y", "z"], chosen, links)
    assert linkage.links == (LabelledLink(0, 1, "A", (0, 0)), LabelledLink(0, 2, "B", (1, 0)))
    assert linkage == Linkage(("x", "y", "z"), tuple(chosen), iter(reversed(links)))
    assert hash(linkage) == hash(Linkage(["x", "y", "z"], chosen, links))
    assert json.loads(json.dumps(linkage.to_json())) == {
        "cost": 0.0,
        "words": [disjunct.word for disjunct in chosen],
        "disjuncts": ["A+ & B+", "A-", "B-"],
        "costs": [0.0, 0.0, 0.0],
        "links": [[0, 1, "A"], [0, 2, "B"]],
        "connectors": [[0, 0], [1, 0]],
    }


def read_back(words: tuple[str, ...], found: Any) -> Linkage:
    """Return the linkage that JSON describes."""
    parts = zip(found["words"], found["disjuncts"], found["costs"], strict=True)
    chosen = [disjunct(word, text.replace(" & ", " ").removeprefix("()"), cost) for word, text, cost in parts]
    links = []
    for (one, other, label), (first, second) in zip(found["links"], found["connectors"], strict=True):
        links.append(LabelledLink(one, other, label, (first - len(chosen[one].left), second)))
    return Linkage(words, chosen, links)


@given(st.integers(1, 10), st.integers(0, 10**9))
def test_json_tells_linkages_apart(n: int, seed: int) -> None:
    drawn = random_linkage(n, seed)
    assert read_back(drawn.words, json.loads(json.dumps(drawn.to_json()))) == drawn


def test_json_of_all_linkages_of_a_sentence() -> None:
    a = Disjunct("a", (), (read_connector("@A+"), read_connector("@A+")))
    offered = [[a]] + [[Disjunct(f"b.{k}", (read_connector("A-"),), ()) for k in "nv"]] * 3
    found = list(all_linkages("abcd", offered))
    assert len(found) == 16
    texts = {json.dumps(linkage.to_json()) for linkage in found}
    assert len(texts) == 16
    assert {read_back(tuple("abcd"), json.loads(text)) for text in texts} == set(found)


def test_cost_is_the_sum() -> None:
    parts = [Disjunct(word, (), (), cost) for word, cost in zip("abc", (0.1, 0.2, 0.05), strict=True)]
    assert Linkage("abc", parts, []).cost == 0.35


@pytest.mark.parametrize(
    ("texts", "ends", "message"),
    [
        ([], [], "at least one word"),
        (["A+", "A-"], [(1, 1)], "to a later one"),
        (["A+", "A-"], [(1, 0)], "to a later one"),
        (["A+", "A-"], [(-1, 1)], "to a later one"),
        (["A+", "A-"], [(0, 2)], r"link \(0, 2\): a link goes from one of the words 0\.\.1"),
    ],
)
def test_linkage_errors(texts: list[str], ends: list[tuple[int, int]], message: str) -> None:
    links = [LabelledLink(left, right, "A", (0, 0)) for left, right in ends]
    with pytest.raises(StructureError, match=message):
        Linkage(["w"] * len(texts), words(*texts), links)


def test_disjuncts_one_per_word() -> None:
    with pytest.raises(StructureError, match="1 disjuncts for 2 words"):
        Linkage(["a", "b"], words("A+"), [])


def test_cycles() -> None:
    chosen = words("A+ B+", "A- C+", "C- B-")
    ends = [(0, 1, (0, 0)), (0, 2, (1, 1)), (1, 2, (0, 0))]
    links = [labelled_link(chosen, *end) for end in ends]
    assert Linkage("abc", chosen, links).is_cyclic
    assert not any(Linkage("abc", chosen, links[:k] + links[k + 1 :]).is_cyclic for k in range(3))


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 50)), max_size=12))
def test_cheapest_first(drawn: list[tuple[int, int]]) -> None:
    linkages = [random_linkage(n, seed) for n, seed in drawn]
    found = cheapest_first(linkages)
    assert sorted(found) == sorted(linkages)
    assert [linkage.cost for linkage in found] == sorted(linkage.cost for linkage in linkages)
    assert cheapest_first(reversed(linkages)) == found
    assert cheapest_first(linkages, limit=2) == found[:2]
