"""Schemata of many steps: what a check costs grows with their number, not with its square."""

import sys
from pathlib import Path
from types import FrameType

import pytest

from schemata.cli.main import main
from schemata.editing.findings import not_runnable
from schemata.language.library import load_file
from schemata.thresholds import changed

HEAD = "schema many\nhypothesis word[i]  where 1 <= i <= n\nitem a[i: position]\n\n"


def many(folder: Path, steps: int, under: str = "word[i]") -> Path:
    """Write a schema of many steps that are the same."""
    path = folder / f"{steps}" / "many.schema"
    path.parent.mkdir()
    rows = (f"step S{k}\n  {under}\n  -------\n  a[i]\n\n" for k in range(steps))
    path.write_text(f"{HEAD}{''.join(rows)}final a[1]\n", "utf-8")
    return path


def calls_of_a_check(folder: Path, steps: int) -> int:
    """Return the number of calls, also of built-in functions and steps of generators, in a check of many steps."""
    path = many(folder, steps)
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        schema, findings = load_file(path)
        assert schema is not None
        assert not findings
        assert not not_runnable(schema)
    finally:
        sys.setprofile(None)
    return count


def test_a_check_of_twice_as_many_steps_takes_twice_as_many_calls(tmp_path: Path) -> None:
    calls_of_a_check(tmp_path, 10)  # modules are loaded
    few, more = calls_of_a_check(tmp_path, 150), calls_of_a_check(tmp_path, 300)
    assert 1.7 * few < more < 2.2 * few


@pytest.mark.parametrize(("steps", "refused"), [(6, False), (7, True)])
def test_more_steps_than_rules_are_refused_by_that_name(tmp_path: Path, steps: int, refused: bool) -> None:
    path = many(tmp_path, steps)
    with changed(rules=6):
        schema, _ = load_file(path)
        assert schema is not None
        found = [one.message for one in not_runnable(schema)]
    assert found == ["the schema cannot be run: it has more than 6 steps"] * refused


@pytest.mark.parametrize(
    ("warnings", "more"), [(5, ""), (6, "1 more warning about"), (7, "2 more warnings about")]
)
def test_no_more_warnings_are_shown_than_mistakes(
    tmp_path: Path, warnings: int, more: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = many(tmp_path, warnings, "word[i]  word[k]")  # k is named once
    with changed(reported_errors=5):
        assert main(["check", str(path)]) == 0
        shown = capsys.readouterr().err
        assert main(["run", str(path), "a"]) == 0
        assert capsys.readouterr().err.count("is used once") == 5
        assert main(["check", str(path), "--json"]) == 0
    assert shown.count("is used once") == 5
    assert (more in shown) if more else ("more warning" not in shown)
    assert capsys.readouterr().out.count('"warning"') == warnings
