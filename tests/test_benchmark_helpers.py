"""What the benchmarks print and read: samples, tables, the lines of other systems, derivations by expansion."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemata
from tests.benchmarks.measure import Sample, Section, at_most, best_of, in_turn, markdown, over, seconds
from tests.benchmarks.peers import Limit, find_peers, parse_limit, parse_tabling

WG = Path(__file__).parent / "benchmarks" / "wg.schema"


def test_lines_of_other_systems() -> None:
    assert parse_limit("ref c n=60 bp=0 inf=14057694 best=0.014712 ips=955535306\n") == (14057694, 0.014712)
    assert parse_tabling("swipl collins n=60 items=37820 sec=1.8128\n") == (37820, 1.8128)
    for parse in (parse_limit, parse_tabling):
        with pytest.raises(ValueError, match="not a line"):
            parse("Segmentation fault")


def test_missing_systems(tmp_path: Path) -> None:
    assert find_peers(tmp_path / "nowhere") is None
    assert find_peers(tmp_path) == tmp_path
    assert Limit.compile(tmp_path, tmp_path, "-O2") is None
    assert Limit.compile(None, tmp_path, "-O2") is None


def test_sides_take_turns() -> None:
    order: list[str] = []

    def side(name: str, values: list[float]) -> float:
        order.append(name)
        return values.pop(0)

    one, other = [9.0, 2.0, 4.0], [9.0, 1.0, 8.0]
    first, second = in_turn(2, lambda: side("a", one), lambda: side("b", other))
    assert order == ["a", "b"] * 3  # a round that does not count, and two
    assert (first.values, second.values) == ((2.0, 4.0), (1.0, 8.0))
    assert first.over(second) == (2.0, 1.25)  # 2 / 1; the median of 2 / 1 and 4 / 8
    values = [3.0, 1.0, 2.0]
    assert best_of(3, values.pop)() == 1.0


positive = st.floats(min_value=1e-6, max_value=1e3)


@given(st.lists(positive, min_size=1, max_size=9))
def test_a_sample_over_itself(values: list[float]) -> None:
    sample = Sample(tuple(values))
    assert sample.over(sample) == (1.0, 1.0)
    assert over(sample, sample) == "1.00 / 1.00"
    assert sample.least <= sample.median <= max(values)


@given(positive)
def test_seconds_keep_three_digits(value: float) -> None:
    assert float(seconds(value)) == pytest.approx(value, rel=6e-3)


def test_table() -> None:
    section = Section("A", "About.", ("name", "s"), [("x", "1.0"), ("y", "-")], at_most("x", 3.0, 2.0))
    assert markdown(section).splitlines() == [
        "## A", "", "About.", "", "| name | s |", "|---|---:|", "| x | 1.0 |", "| y | - |", "",
        "- **x: 3.00, above the target of 2**",
    ]  # fmt: skip
    assert at_most("x", 2.0, 2.0) == []
    assert markdown(Section("A", "About.", ("name",), [], ["left out"])).endswith("About.\n\n- left out")


# Items with the hypotheses, and step instances, that gringo grounds of the same rules for 2 to 7 words.
GROUNDED = {2: (6, 4), 3: (21, 30), 4: (60, 136), 5: (150, 469), 6: (336, 1344), 7: (686, 3360)}


@pytest.mark.parametrize("n", GROUNDED)
def test_wg_has_the_counts_of_the_grounder(n: int) -> None:
    chart = schemata.load(WG).run(["w"] * n)
    assert (chart.item_count + n, chart.step_count) == GROUNDED[n]


@pytest.mark.parametrize(("name", "root"), [("eisner1996", True), ("collins1996", False)])
def test_derivations_by_expansion_are_derivations(name: str, root: bool) -> None:
    from tests.benchmarks.native_runs import KernelRun, some_derivations

    n, schema = 4, schemata.load(name)
    found = some_derivations(KernelRun.of(schema, n, "ordered").fill().store(), 10)
    assert len(found) == 10
    trees = {tree.heads for tree in schema.run(["w"] * n, engine="python").forest().trees(limit=None)}
    for heads in found:
        assert tuple(heads.get(word, 0) for word in range(1, n + 1)) in trees
        assert len(heads) == (n if root else n - 1)
