"""The command `verify` as users meet it: text, JSON, exit codes, mistakes, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from schemata.cli.main import main
from tests.support.commands import Prints


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["verify", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_yes(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, "eisner1996", "--class", "projective", "--max-n", "4")
    assert code == 0
    assert (found["schema"], found["class"], found["max_n"]) == ("eisner1996", "projective", 4)
    assert (found["sound"], found["complete"]) == (True, True)
    again = found["counterexamples"].pop("ambiguous")
    assert found["counterexamples"] == {"unsound": None, "incomplete": None}
    assert found["each_once"] is False
    assert (again["n"], again["heads"], again["count"], again["first_difference"]) == (3, [0, 1, 2], 2, 4)
    assert [len(steps) for steps in again["derivations"]] == [8, 8]
    assert found["parameters"] == {"end": 0}
    assert "stopped" not in found


def test_incomplete(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, "covington-lsup", "--class", "projective", "--max-n", "6")
    assert code == 1
    assert (found["sound"], found["complete"]) == (True, False)
    missing = found["counterexamples"]["incomplete"]
    assert missing["heads"] == [0, 3, 1]
    assert missing["missing_links"] == [[3, 1]]
    assert missing["pieces"][0]["links"]
    assert (found["sound_to"], found["complete_to"]) == (6, 2)


def test_unsound(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, "arc-eager-published", "--class", "projective", "--max-n", "3")
    assert code == 1
    assert (found["sound"], found["complete"]) == (False, True)
    wrong = found["counterexamples"]["unsound"]
    assert (wrong["n"], wrong["grammar"], wrong["heads"]) == (2, {"pairs": [[1, 0], [2, 0]]}, [0, 1])
    assert wrong["derivation"][-1]["consequent"] == "span[0, false, 3]"


def test_parameters_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    first = answer(capsys, "mh:k=4", "--class", "all", "--max-n", "4")
    second = answer(capsys, "mh", "--set", "k=4", "--class", "all", "--max-n", "4")
    for _, found in (first, second):
        found.pop("seconds")
    assert first == second
    assert first[1]["counterexamples"]["incomplete"]["heads"] == [2, 3, 0, 1]


def test_without_a_class(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, "mh", "--max-n", "5")
    assert (code, found["parses"]) == (0, ["projective"])
    assert found["trees_by_n"] == [1, 2, 7, 30, 143]
    code, found = answer(capsys, "covington2001", "--max-n", "4")
    assert (code, found["parses"]) == (1, [])
    assert "cycle" in found["counterexamples"]["unsound"]["fault"]


def test_many_roots(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, "collins1996", "--class", "projective", "--max-n", "3", "--roots", "many")
    assert (code, found["roots"], found["counterexamples"]["incomplete"]["heads"]) == (1, "many", [0, 0])


def test_random(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--class", "projective", "--max-n", "3", "--random", "6", "--seed", "5", "--jobs", "2")
    code, found = answer(capsys, "hybrid", *options)
    assert code == 0
    assert found["random"] == {"trees": 6, "grammars": 6, "words": [4, 6], "skipped": 0}
    assert found["seed"] == 5


def test_budget(capsys: pytest.CaptureFixture[str], prints: Prints) -> None:
    code, found = answer(capsys, "eisner1996", "--class", "projective", "--max-steps", "30")
    assert (code, found["stopped"], found["sound"], found["complete"]) == (2, "steps", None, None)
    code, found = answer(capsys, "eisner1996", "--max-steps", "30")
    assert (code, found["stopped"], found["parses"]) == (2, "steps", None)
    assert "unknown (yes to 3 words)" in prints("verify eisner1996 --class projective --max-steps 30", code=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eisner1996", "--class", "projectiv"], "projective"),
        (["eisner", "--class", "projective"], "eisner1996"),
        (["eisner1996", "--max-n", "0"], "max-n"),
        (["eisner1996", "--jobs", "0", "--class", "all"], "jobs"),
        (["eisner1996", "--random", "3"], "--class"),
        (["eisner1996", "--class", "all", "--random", "-3"], "random"),
        (["earley", "--class", "projective"], "no class 'projective'"),
        (["eisner1996", "--set", "k=2"], "k"),
        (["missing.schema"], "missing.schema"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""


def test_trees_of_context_free_schemata(tmp_path: Path, warns: Prints) -> None:
    """They can be run and drawn; what they should derive nobody knows."""
    path = tmp_path / "linked.schema"
    path.write_text(
        """schema linked
  grammar context-free

hypothesis word[i]  where 1 <= i <= n

item c[i: position]  where 1 <= i <= n

step Scan
  word[i]
  -------
  c[i]

step Move
  c[i]   word[i + 1]
  ------------------  link i to i + 1
  c[i + 1]

final c[n]
""",
        encoding="utf-8",
    )
    said = warns("verify", str(path))
    assert "runs over context-free grammars, and what it should derive is not known" in said
    assert "no dependency trees" not in said


def test_usage(warns: Prints) -> None:
    assert "--max-n takes a number, not 'five'" in warns("verify eisner1996 --max-n five")


def test_a_schema_file_of_ones_own(tmp_path: Path, prints: Prints) -> None:
    path = tmp_path / "halved.schema"
    path.write_text("schema halved extends collins1996\nwithout step R-Link\n", encoding="utf-8")
    printed = prints("verify", str(path), "--class", "projective", "--ascii", code=1)
    assert "the tree 2 0 is not derived" in printed
    assert printed.isascii()


@pytest.mark.parametrize("name", ["arc-eager-published", "covington2001", "dvh1", "wg1"])
def test_text(name: str, capsys: pytest.CaptureFixture[str], prints: Prints) -> None:
    n = 3 if name == "dvh1" else 5  # which has a run for every grammar and every tree
    printed = prints("verify", name, "--class", "all", "--max-n", str(n), "--random", "3", code=1)
    assert printed.startswith(f"{name}: all trees of at most {n} words\n")
    assert "Derived by" in printed or "Try: schemata run" in printed
    assert main(["verify", name, "--max-n", "2"]) in (0, 1)
    assert "which classes of trees" in capsys.readouterr().out


# What is begun in the background ignores Ctrl-C, and so does what it begins.
HEARING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from schemata.__main__ import entry_point
entry_point()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c(jobs: str) -> None:
    command = [sys.executable, "-c", HEARING, "verify", "dvh1", "--class", "projective", "--max-n", "9"]
    process = subprocess.Popen(
        [*command, "--jobs", jobs, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(2.5)
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    found = json.loads(out)
    assert (process.returncode, found["stopped"], found["sound"]) == (130, "interrupt", None)
    assert "Traceback" not in err
