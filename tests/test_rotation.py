"""Rotated tests: each case has its turn, the rest is thorough, and a test that is named has all its cases."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import pytest_collection_modifyitems as rotate
from tests.long_cases import listed, updated
from tests.support import ROOT


class Case:
    """A case of a test, with marks by name."""

    def __init__(self, test: str, number: int, **marks: Any) -> None:
        self.name = self.nodeid = f"{test}[{number}]"
        self.marks = {name: getattr(pytest.mark, name)(*args).mark for name, args in marks.items()}

    def get_closest_marker(self, name: str) -> Any:
        return self.marks.get(name)

    def add_marker(self, mark: Any) -> None:
        decorator = getattr(pytest.mark, mark) if isinstance(mark, str) else mark
        self.marks[decorator.mark.name] = decorator.mark


def run_of(
    turn: int,
    *options: str,
    args: tuple[str, ...] = ("tests",),
    rotated: tuple[int, ...] = (3,),
    **marks: Any,
) -> list[str]:
    """Return the cases that a session runs, of two tests of seven cases: one is rotated, in thirds."""
    cases = [Case("some", k, rotated=rotated, **marks) for k in range(7)] + [
        Case("other", k) for k in range(7)
    ]
    config = SimpleNamespace(
        args=args,
        option=SimpleNamespace(turn=turn),
        getoption=lambda name: name in options,
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
    )
    rotate(config, cases)  # type: ignore[arg-type]
    return [case.name for case in cases if "skip" not in case.marks]


OTHER = [f"other[{k}]" for k in range(7)]
SOME = [f"some[{k}]" for k in range(7)]


def test_each_case_has_its_turn() -> None:
    runs = [run_of(turn) for turn in range(5, 8)]
    assert sorted(name for run in runs for name in run if name in SOME) == SOME
    assert all(len(set(run) & {*SOME}) in (2, 3) and {*OTHER} <= {*run} for run in runs)
    assert runs[0] == run_of(8)


def test_all_cases() -> None:
    assert run_of(1, "--thorough") == SOME + OTHER
    assert run_of(1, args=("tests/test_rotation.py::some",)) == SOME + OTHER
    assert run_of(1, thorough=()) == OTHER
    assert len(run_of(1, "--thorough", thorough=())) in (9, 10)
    assert run_of(1, "--thorough", "--nightly", thorough=()) == SOME + OTHER


def test_of_the_rest_a_part_is_nightly() -> None:
    for turn in range(6):
        few, more, all_cases = (
            set(run_of(turn, *options, rotated=(3, 2)))
            for options in ((), ("--thorough",), ("--thorough", "--nightly"))
        )
        assert few < more < all_cases == {*SOME, *OTHER}
        assert len(more - few) in (2, 3)
    runs = [run_of(turn, "--thorough", rotated=(3, 2)) for turn in range(6)]
    assert {name for run in runs for name in run} == {*SOME, *OTHER}


def test_cases_that_take_long_are_thorough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.conftest.listed", lambda: frozenset({"other[3]"}))
    short = [name for name in OTHER if name != "other[3]"]
    assert [name for name in run_of(1) if name in OTHER] == short
    assert run_of(1, "--thorough") == SOME + OTHER
    assert run_of(1, args=("tests/test_rotation.py::other",)) == SOME + OTHER


def test_the_list_of_long_cases_follows_measurements() -> None:
    before = frozenset({"tests/a/x.py::gone", "tests/a/x.py::fast", "tests/a/x.py::slow"})
    seconds = {
        "tests/a/x.py::fast": 0.1,
        "tests/a/x.py::slow": 3.0,
        "tests/a/x.py::new": 2.0,
        "tests/x.py::own": 9.0,
    }
    assert updated(before, seconds) == ["tests/a/x.py::gone", "tests/a/x.py::new", "tests/a/x.py::slow"]


def test_every_case_of_the_list_is_one_of_a_test_that_is_there() -> None:
    names = {name.partition("[")[0] for name in listed()}
    assert names
    for name in names:
        file, _, test = name.partition("::")
        wanted = f"def {test}(" if file.startswith("tests/") else test.rpartition(".")[2]
        assert wanted in (ROOT / file).read_text("utf-8"), name
