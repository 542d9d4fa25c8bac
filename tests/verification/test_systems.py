"""What is proved of transition systems, against the plain simulation of `tests/oracle/transitions.py`."""

from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from schemata import load
from schemata.errors import UsageError
from schemata.verification.systems import system_properties
from tests.oracle.transitions import Config, explored, has_head, initial, may_link, properties
from tests.support import script
from tests.support.charts import schema_of

COMPOSED = {
    "arc-standard-system": {
        "Left-Arc": "Left-Arc; Reduce", "Right-Arc": "Right-Arc; Shift; Reduce; Unshift", "Shift": "Shift"
    },
    "arc-standard-2004-system": {
        "Left-Arc": "Unshift; Left-Arc; Reduce; Shift", "Right-Arc": "Unshift; Right-Arc; Shift; Reduce",
        "Shift": "Shift",
    },
    "arc-eager-system": {
        "Left-Arc": "Left-Arc; Reduce", "Right-Arc": "Right-Arc; Shift", "Shift": "Shift", "Reduce": "Reduce"
    },
    "hybrid-system": {
        "Left-Arc": "Left-Arc; Reduce", "Right-Arc": "Unshift; Right-Arc; Shift; Reduce", "Shift": "Shift"
    },
    "dag-arc-standard-system": {
        "Left-Reduce": "Left-Arc; Reduce", "Right-Reduce": "Right-Arc; Shift; Reduce; Unshift", "Shift": "Shift",
        "Left-Attach": "Left-Arc", "Right-Attach": "Right-Arc; Unshift",
    },
    "dag-arc-eager-system": {x: x for x in ("Shift", "Reduce", "Left-Arc", "Right-Arc")},
    "planar-system": {x: x for x in ("Shift", "Reduce", "Left-Arc", "Right-Arc")},
}  # fmt: skip
SYSTEMS = [*COMPOSED, "easy-first-system", "attardi-system", "swap-system", "k-planar-system"]


def longest(found: dict[Config, list[tuple[str, Config]]], start: Config, parts: dict[str, int]) -> int:
    """Return the greatest length of a sequence to a configuration with an empty buffer."""

    @cache
    def rest(c: Config) -> float:
        buffer = c[1]
        later = [parts.get(name, 1) + rest(after) for name, after in found[c]]
        return max([*later, 0 if not buffer else float("-inf")])

    return int(rest(start))


@pytest.mark.parametrize("name", SYSTEMS)
def test_greatest_lengths_and_counts(name: str) -> None:
    most = 3 if "planar" in name or "dag" in name else 4
    answer = system_properties(name, most)
    whole = COMPOSED.get(name, {})
    for row in answer.lengths:
        found, start = explored(name, row.n, {}), initial(name, row.n, {})
        assert row.configurations == len(found)
        assert row.longest == longest(found, start, {})
        assert row.arcs == max(len(c[2]) for c in found)
        if whole:
            assert row.elementary == longest(found, start, {x: y.count(";") + 1 for x, y in whole.items()})
        if row.bound is not None and row.n > 1:
            assert row.longest is not None
            assert row.longest <= row.bound


@pytest.mark.parametrize("name", SYSTEMS)
def test_properties_of_graphs_and_configurations(name: str) -> None:
    most = 3
    answer = system_properties(name, most)
    graphs = {n: {c[2] for c in explored(name, n, {}) if not c[1]} for n in range(1, most + 1)}
    names = {
        "no covered roots": "no-covered-roots", "single-headed": "single-headed",
        "no cycles of any direction": "no-cycles", "planar": "planar",
    }  # fmt: skip
    for said, known in names.items():
        assert answer.holds(said) == all(
            known in properties(g, n) for n, some in graphs.items() for g in some
        )
    for one in answer.properties:
        assert one.holds or one.witness
        assert one.holds or one.premise is not True, "a proposition is refuted"
    assert answer.holds("terminates")
    assert answer.holds("robust")


@pytest.mark.parametrize("name", COMPOSED)
def test_compositions(name: str) -> None:
    found = {t.step: "; ".join(t.composition or ()) for t in system_properties(name, 1).transitions}
    assert found == COMPOSED[name]


def test_compositions_over_any_number_of_words() -> None:
    answer = system_properties("easy-first-system", 4)
    assert [t.composition for t in answer.transitions][1:] == [
        ("Shift^B", "Shift", "Left-Arc", "Reduce", "Unshift^B"),
        ("Shift^B", "Shift", "Right-Arc", "Shift", "Reduce", "Unshift", "Unshift^B"),
    ]
    # n - 1 arcs to the right, each over all words before: i Shifts, six transitions with them, i - 1 Unshifts
    assert [row.elementary for row in answer.lengths] == [1, 6, 13, 22]
    assert all(row.elementary_bound is None for row in answer.lengths)


def test_what_is_not_divisible() -> None:
    for name, steps in (("attardi-system", {"NP-Left", "NP-Right"}), ("swap-system", {"Swap"})):
        answer = system_properties(name, 1)
        assert {t.step for t in answer.transitions if t.composition is None} == steps
        assert not answer.holds("divisible")
    # an arc between the top and the second word of the buffer, and two words that change places in the buffer
    for rule in (
        "state[<*S, i>, <j, k, *B>, A]\n  ---  attach i to k\n  state[<*S, i>, <j, k, *B>, A + (i under k)]",
        "state[S, <j, k, *B>, A]\n  ---\n  state[S, <k, j, *B>, A]",
    ):
        step = f"schema odd extends planar-system\n\nstep Odd\n  {rule}\n"
        assert [t.step for t in system_properties(schema_of(step), 1).transitions if not t.composition] == [
            "Odd"
        ]


@pytest.mark.parametrize("acyclic", [0, 1, 2])
@pytest.mark.parametrize("single", [0, 1])
@pytest.mark.parametrize("covered", [0, 1])
def test_premises_of_propositions(single: int, covered: int, acyclic: int) -> None:
    settings = {"single_head": single, "no_covered_roots": covered, "acyclic": acyclic}
    reference = "planar-system:" + ",".join(f"{x}={y}" for x, y in settings.items())
    answer = system_properties(reference, 3)
    premises = {"no covered roots": True, "single-headed": True, "no cycles of any direction": True}
    for n in (1, 2, 3):
        for (stack, buffer, arcs), moves in explored("planar-system", n, settings).items():
            for name, after in moves:
                if name == "Reduce" and not has_head(arcs, stack[-1]):
                    premises["no covered roots"] = False
                for arc in after[2] - arcs:
                    premises["single-headed"] &= not has_head(arcs, arc[0])
                    premises["no cycles of any direction"] &= may_link(arcs, *arc, 0, 2)
            assert list(stack + buffer) == sorted(stack + buffer)
    found = {one.name: one.premise for one in answer.properties if one.name in premises}
    assert found == premises
    assert answer.holds("stack and buffer stay in order")


def test_systems_that_do_not_end_or_get_stuck() -> None:
    text = "schema circles extends planar-system\n\nstep Unshift\n  composed of Unshift\n"
    answer = system_properties(schema_of(text), 2)
    assert not answer.holds("terminates")
    assert not answer.holds("bounded")
    (witness,) = (one.witness for one in answer.properties if one.name == "bounded")
    assert "Unshift" in witness
    assert "leads from" in witness
    assert [row.longest for row in answer.lengths] == [None, None]
    text = (
        "schema again extends planar-system\n\nreplace step Right-Arc\n  state[<*S, i>, <j, *B>, A]\n"
        "  ---  attach j to i, (i under j) not in A\n  state[<*S, i>, <j, *B>, A + (j under i)]\n"
    )
    answer = system_properties(schema_of(text), 2)
    assert not answer.holds("bounded")  # an arc is added again and again, though no chart has such instances
    assert [one.premise for one in answer.properties if one.name == "bounded"] == [False]
    text = "schema stuck extends hybrid-system\n\nreplace step Shift\n  composed of Shift | 1 < j\n"
    answer = system_properties(schema_of(text), 2)
    assert not answer.holds("robust")
    # Proposition 5 is about Shift without a restriction.
    assert [one.premise for one in answer.properties if one.name == "robust"] == [False]
    with pytest.raises(UsageError, match="eisner1996 is not a transition system"):
        system_properties(load("eisner1996"), 2)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_greatest_numbers_of_arcs(n: int) -> None:
    """Lemma 4: 4n - 6 arcs of planar graphs; it is attained. Of 2-planar graphs the paper's 8n - 12 is not."""
    pairs = list(combinations(range(1, n + 1), 2))
    crossing = [(k, j) for k, (a, b) in enumerate(pairs) for j, (c, d) in enumerate(pairs) if a < c < b < d]
    planar = [x for x in range(1 << len(pairs)) if not any(x >> a & x >> b & 1 for a, b in crossing)]
    assert 2 * max(x.bit_count() for x in planar) == 4 * n - 6
    maximal = [x for x in planar if not any(y != x and y & x == x for y in planar)]
    two = max((x | y).bit_count() for x in maximal for y in maximal)
    assert 2 * two == min(n * (n - 1), 6 * n - 12 if n > 2 else 2) < 8 * n - 12


@pytest.mark.thorough
def test_the_page_of_claims() -> None:
    claims = script("claims")
    page = (Path(__file__).parents[2] / "docs" / "transition-claims.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith(("| GN13", "| KGS11"))]
    rows = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    assert [(row[0].strip("| "), row[1]) for row in rows] == [(one.source, one.says) for one in claims.CLAIMS]
    assert [row[2] for row in rows].count("**does not hold**") == 6
    quick = {"Example 6", "note 4", "section 3.1", "section 3.4", "Example 11", "sections 3 to 6"}
    for claim, row in zip(claims.CLAIMS, rows, strict=True):
        if claim.source.partition(", ")[2] in quick:
            decision = claim.decide()
            assert (row[2] == "holds", row[3], row[4]) == decision, f"{claim.source}: make the page again"
