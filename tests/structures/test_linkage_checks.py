"""The validator of linkages: what is wrong with a linkage that was tampered with, and what is right."""

from dataclasses import replace
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.structures import (
    Disjunct,
    LabelledLink,
    Linkage,
    all_linkages,
    check_linkage,
    connectors_match,
    labelled_link,
    random_disjuncts,
    random_linkage,
)
from tests.structures.strategies import words

seeds = st.integers(0, 10**9)


def linkage(texts: list[str], *links: tuple[int, int, str, tuple[int, int]]) -> Linkage:
    return Linkage([f"w{k}" for k in range(len(texts))], words(*texts), [LabelledLink(*x) for x in links])


@given(st.integers(1, 12), seeds)
def test_random_linkages_meet_all_conditions(n: int, seed: int) -> None:
    found = check_linkage(random_linkage(n, seed))
    assert found.holds
    assert not found.shows
    assert str(found) == "all conditions on linkages are met"


def test_crossing() -> None:
    crossed = linkage(["A+", "B+ C+", "A- D+", "B- D-", "C-"], (0, 2, "A", (0, 0)), (1, 3, "B", (0, 0)))
    assert check_linkage(crossed)["planarity"] == "the link A of 0 and 2 crosses the link B of 1 and 3"
    assert "planarity" not in check_linkage(linkage(["A+", "A-"])).shows


def test_islands() -> None:
    apart = linkage(["A+", "C+", "C-", "A-"], (0, 3, "A", (0, 0)), (1, 2, "C", (0, 0)))
    found = check_linkage(apart)
    assert [*found.shows] == ["connectedness"]
    assert str(found) == "2 components: (0, 3), (1, 2)"


def test_linked_twice() -> None:
    twice = linkage(["A+ B+", "A- B-"], (0, 1, "A", (0, 0)), (0, 1, "B", (1, 1)))
    found = check_linkage(twice)
    assert [*found.shows] == ["exclusion"]
    assert str(found) == "the words 0 and 1 are linked twice, A and B"


@pytest.mark.parametrize(
    ("texts", "links", "expected"),
    [
        (["A+ B+", "A-"], [(0, 1, "A", (0, 0))], (0, "B+ is not linked")),
        (["A+", "B- A-"], [(0, 1, "A", (0, 1))], (1, "B- is not linked")),
        (["@A+", "B-"], [], (0, "@A+ is not linked")),
        (
            ["A+ B+", "B-", "A-"],
            [(0, 1, "B", (1, 0)), (0, 2, "A", (0, 0))],
            (0, "A+ links a farther word than B+, which comes after it"),
        ),
        (
            ["A+", "B+", "A- B-"],
            [(0, 2, "A", (0, 0)), (1, 2, "B", (0, 1))],
            (2, "A- links a farther word than B-, which comes after it"),
        ),
        (
            ["A+", "A-", "A-"],
            [(0, 1, "A", (0, 0)), (0, 2, "A", (0, 0))],
            (0, "A+ is linked more than once, and is not a multi-connector"),
        ),
        (
            ["@A+ B+", "A-", "B-", "A-"],
            [(0, 1, "A", (0, 0)), (0, 2, "B", (1, 0)), (0, 3, "A", (0, 0))],
            (0, "@A+ links a farther word than B+, which comes after it"),
        ),
        (
            ["A+", "A-", "A-"],
            [(0, 1, "A", (0, 0)), (0, 2, "A", (1, 0))],
            (0, "a link uses its connector number 1, but it has 1 on that side"),
        ),
    ],
)
def test_unsatisfied(
    texts: list[str], links: list[tuple[int, int, str, tuple[int, int]]], expected: tuple[int, str]
) -> None:
    assert check_linkage(linkage(texts, *links))["satisfaction"] == f"word {expected[0]}: {expected[1]}"


def test_multi_connectors_link_several_words() -> None:
    texts = ["@A+ A+", "A-", "A-", "A-"]
    ends = [(0, k, "A", (0 if k < 3 else 1, 0)) for k in (1, 2, 3)]
    assert check_linkage(linkage(texts, *ends)).holds


@pytest.mark.parametrize(
    ("texts", "link", "reason"),
    [
        (["A+", "B-"], (0, 1, "A", (0, 0)), "joins A+ and B-, which do not match"),
        (["Aa+", "Ab-"], (0, 1, "A", (0, 0)), "joins Aa+ and Ab-, which do not match"),
        (["hA+", "hA-"], (0, 1, "A", (0, 0)), "joins hA+ and hA-, which do not match"),
        (["A+", "Aa-"], (0, 1, "A", (0, 0)), "joins A+ and Aa-: its label is Aa"),
        (["A+", "A-"], (0, 1, "A", (0, 3)), "joins a connector that is not there"),
        (["A+", "A-"], (0, 1, "A", (-1, 0)), "joins a connector that is not there"),
    ],
)
def test_labelling(texts: list[str], link: tuple[int, int, str, tuple[int, int]], reason: str) -> None:
    assert check_linkage(linkage(texts, link))["labelling"] == f"the link A of 0 and 1 {reason}"


def test_links_that_are_too_long() -> None:
    long = linkage(["A+ B+", "A-", "@B-"], (0, 1, "A", (0, 0)), (0, 2, "B", (1, 0)))
    found = check_linkage(long, reach=lambda connector: 1 if connector.multi else None)
    assert [*found.shows] == ["lengths"]
    assert str(found) == "the link B of 0 and 2 is too long: @B- reaches 1 positions"
    assert check_linkage(long, reach=lambda _: 2).holds
    assert check_linkage(long, reach=lambda _: None).holds


@given(st.integers(2, 8), seeds)
def test_a_link_less(n: int, seed: int) -> None:
    """Without one of its links a linkage leaves a connector unlinked, unless a multi-connector had more."""
    whole = random_linkage(n, seed)
    at = Random(seed).randrange(len(whole.links))
    link = whole.links[at]
    less = Linkage(whole.words, whole.disjuncts, whole.links[:at] + whole.links[at + 1 :])
    found = check_linkage(less)
    spared = [
        sum(end == (other.left, other.uses[0]) for other in whole.links) > 1
        and sum(start == (other.right, other.uses[1]) for other in whole.links) > 1
        for end, start in [((link.left, link.uses[0]), (link.right, link.uses[1]))]
    ]
    assert ("satisfaction" not in found.shows) == spared[0]
    if not spared[0]:
        assert found["satisfaction"].startswith((f"word {link.left}:", f"word {link.right}:"))
        assert found["satisfaction"].endswith("is not linked")
    assert {*found.shows} <= {"satisfaction", "connectedness"}
    assert ("connectedness" not in found.shows) == is_linked_without(whole, at)


def is_linked_without(whole: Linkage, at: int) -> bool:
    """Tell whether there is another way between the ends of a link."""
    links = whole.links[:at] + whole.links[at + 1 :]
    reached = {whole.links[at].left}
    for _ in whole.words:
        reached |= {w for x in links for w in (x.left, x.right) if reached & {x.left, x.right}}
    return whole.links[at].right in reached


@given(st.integers(2, 8), seeds)
def test_mutations_are_caught_by_their_condition(n: int, seed: int) -> None:
    rng = Random(seed)
    whole = random_linkage(n, rng)
    at = rng.randrange(len(whole.links))
    link = whole.links[at]

    def with_link(*new: LabelledLink) -> Linkage:
        return Linkage(whole.words, whole.disjuncts, [*whole.links[:at], *new, *whole.links[at + 1 :]])

    relabelled = check_linkage(with_link(replace(link, label=link.label + "z")))
    assert [*relabelled.shows] == ["labelling"]
    assert relabelled["labelling"].endswith(f"its label is {link.label}")
    assert "exclusion" in check_linkage(with_link(link, link)).shows
    lacking = check_linkage(with_link(replace(link, uses=(link.uses[0], 99))))
    assert {"satisfaction", "labelling"} <= {*lacking.shows}
    lonely = Linkage([*whole.words, "x"], [*whole.disjuncts, Disjunct("x", (), ())], whole.links)
    assert check_linkage(lonely)["connectedness"] == f"2 components: {tuple(range(n))}, {(n,)}"


@given(st.integers(4, 9), seeds)
def test_crossing_links_are_found(n: int, seed: int) -> None:
    whole = random_linkage(n, seed)
    for left, right in combinations(range(n), 2):
        more = LabelledLink(left, right, "X", (0, 0))
        crosses = [
            link
            for link in whole.links
            if len({left, right, link.left, link.right}) == 4
            and (left < link.left < right) != (left < link.right < right)
        ]
        found = check_linkage(Linkage(whole.words, whole.disjuncts, [*whole.links, more]))
        assert ("planarity" not in found.shows) == (not crosses)
        if crosses:
            assert f"the link X of {left} and {right}" in found["planarity"]


@given(st.integers(1, 4), seeds)
def test_exactly_the_linkages_are_accepted(n: int, seed: int) -> None:
    """Of all sets of matching connectors, the validator accepts those that the enumeration yields."""
    names, choices = random_disjuncts(n, seed, variants=1)
    expected = set(all_linkages(names, choices))
    accepted = set()
    for chosen in product(*choices):
        links = [
            labelled_link(chosen, i, j, (a, b))
            for i, j in combinations(range(n), 2)
            for a, right in enumerate(chosen[i].right)
            for b, left in enumerate(chosen[j].left)
            if connectors_match(right, left)
        ]
        if len(links) > 10:
            # Too many sets to try: only those with one link more or less than a linkage has.
            near = [x for x in expected if x.disjuncts == chosen]
            sets = [set(x.links) ^ {link} for x in near for link in links] + [set(x.links) for x in near]
        else:
            sets = [set(some) for size in range(len(links) + 1) for some in combinations(links, size)]
        candidates = (Linkage(names, chosen, some) for some in sets)
        accepted |= {candidate for candidate in candidates if check_linkage(candidate).holds}
    assert accepted == expected
