"""Properties that hold for every grammar: more licences never derive less, mirrored grammars mirror trees."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata

PROJECTIVE = [
    "collins1996",
    "eisner1996",
    "eisner-satta1999",
    "yamada-matsumoto2003",
    "arc-standard",
    "hybrid",
]
SCHEMATA = {name: schemata.load(name) for name in [*PROJECTIVE, "mh", "wg1", "attardi2006", "nivre2003"]}


@st.composite
def grammars(draw: st.DrawFn, most: int = 5) -> tuple[int, frozenset[tuple[int, int]]]:
    n = draw(st.integers(1, most))
    links = [(d, h) for d in range(1, n + 1) for h in range(n + 1) if h != d]
    return n, draw(st.frozensets(st.sampled_from(links), max_size=10))


def trees(name: str, n: int, pairs: frozenset[tuple[int, int]]) -> set[tuple[int, ...]]:
    grammar = schemata.DRules.from_pairs(pairs, single_root=True)
    chart = SCHEMATA[name].run(["w"] * n, grammar)
    return {t.heads for t in chart.forest().trees(limit=None)}


@pytest.mark.parametrize("name", sorted(SCHEMATA))
@settings(max_examples=25, deadline=None)
@given(found=grammars(4), more=st.data())
def test_more_licences_never_derive_less(
    name: str, found: tuple[int, frozenset[tuple[int, int]]], more: st.DataObject
) -> None:
    n, pairs = found
    fewer = more.draw(st.frozensets(st.sampled_from(sorted(pairs)))) if pairs else frozenset()
    small = SCHEMATA[name].run(["w"] * n, schemata.DRules.from_pairs(fewer))
    large = SCHEMATA[name].run(["w"] * n, schemata.DRules.from_pairs(pairs))
    assert set(small.items) <= set(large.items)
    assert small.step_count <= large.step_count


@settings(max_examples=60, deadline=None)
@given(grammars())
def test_projective_schemata_agree_on_single_rooted_trees(
    found: tuple[int, frozenset[tuple[int, int]]],
) -> None:
    """Collins has no node 0: its root needs no licence, so it is compared where every word may be the root."""
    n, pairs = found
    with_roots = pairs | {(d, 0) for d in range(1, n + 1)}
    answers = {name: trees(name, n, with_roots) for name in PROJECTIVE}
    assert all(answer == answers["eisner1996"] for answer in answers.values())


@settings(max_examples=60, deadline=None)
@given(grammars())
def test_mirrored_grammars_have_mirrored_trees(found: tuple[int, frozenset[tuple[int, int]]]) -> None:
    n, pairs = found

    def flip(word: int) -> int:
        return n + 1 - word if word else 0

    mirrored = frozenset((flip(d), flip(h)) for d, h in pairs)
    here = trees("wg1", n, pairs)
    there = trees("wg1", n, mirrored)
    assert {tuple(flip(h) for h in reversed(heads)) for heads in here} == there


@settings(max_examples=40, deadline=None)
@given(grammars(4))
def test_listing_lazily_finds_the_same_trees(found: tuple[int, frozenset[tuple[int, int]]]) -> None:
    n, pairs = found
    forest = SCHEMATA["attardi2006"].run(["w"] * n, schemata.DRules.from_pairs(pairs)).forest()
    assert set(forest.trees(limit=None)) == set(forest.trees(limit=None, budget=0))
    first = forest.trees(limit=3, budget=0)
    assert first == forest.trees(limit=3, budget=0)
    assert len(first) == min(3, len(forest.trees(limit=None)))
