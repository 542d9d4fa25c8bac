"""The command `verify` as users meet it: text, JSON, exit codes, mistakes, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import schemata
from schemata.errors import UsageError
from schemata.language.shipped import shipped_schemata
from tests.support.charts import schema_text
from tests.support.commands import Cli, Prints, Tells, Written


def test_yes(tells: Tells) -> None:
    found = tells("verify", "eisner1996", "--class", "projective", "--max-n", "4")
    assert (found["schema"], found["class"], found["max_n"]) == ("eisner1996", "projective", 4)
    assert (found["sound"], found["complete"]) == (True, True)
    again = found["counterexamples"].pop("ambiguous")
    assert found["counterexamples"] == {"unsound": None, "incomplete": None}
    assert found["each_once"] is False
    assert (again["n"], again["heads"], again["count"], again["first_difference"]) == (3, [0, 1, 2], 2, 4)
    assert [len(steps) for steps in again["derivations"]] == [8, 8]
    assert found["parameters"] == {"end": 0}
    assert "stopped" not in found


def test_incomplete(tells: Tells) -> None:
    found = tells("verify", "covington-lsup", "--class", "projective", "--max-n", "6", code=1)
    assert (found["sound"], found["complete"]) == (True, False)
    missing = found["counterexamples"]["incomplete"]
    assert missing["heads"] == [0, 3, 1]
    assert missing["missing_links"] == [[3, 1]]
    assert missing["pieces"][0]["links"]
    assert (found["sound_to"], found["complete_to"]) == (6, 2)


def test_unsound(tells: Tells) -> None:
    found = tells("verify", "arc-eager-published", "--class", "projective", "--max-n", "3", code=1)
    assert (found["sound"], found["complete"]) == (False, True)
    wrong = found["counterexamples"]["unsound"]
    assert (wrong["n"], wrong["grammar"], wrong["heads"]) == (2, {"pairs": [[1, 0], [2, 0]]}, [0, 1])
    assert wrong["derivation"][-1]["consequent"] == "span[0, false, 3]"


def test_parameters_both_ways(tells: Tells) -> None:
    first = tells("verify mh:k=4 --class all --max-n 4", code=1)
    second = tells("verify mh --set k=4 --class all --max-n 4", code=1)
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert first["counterexamples"]["incomplete"]["heads"] == [2, 3, 0, 1]


def test_without_a_class(tells: Tells) -> None:
    found = tells("verify", "mh", "--max-n", "5")
    assert found["parses"] == ["projective"]
    assert found["trees_by_n"] == [1, 2, 7, 30, 143]
    found = tells("verify", "covington2001", "--max-n", "4", code=1)
    assert found["parses"] == []
    assert "cycle" in found["counterexamples"]["unsound"]["fault"]


def test_many_roots(tells: Tells) -> None:
    found = tells("verify", "collins1996", "--class", "projective", "--max-n", "3", "--roots", "many", code=1)
    assert (found["roots"], found["counterexamples"]["incomplete"]["heads"]) == ("many", [0, 0])


def test_random(tells: Tells) -> None:
    options = ("--class", "projective", "--max-n", "3", "--random", "6", "--seed", "5", "--jobs", "2")
    found = tells("verify", "hybrid", *options)
    assert found["random"] == {"trees": 6, "grammars": 6, "words": [4, 6], "skipped": 0}
    assert found["seed"] == 5


def test_budget(prints: Prints, tells: Tells) -> None:
    found = tells("verify", "eisner1996", "--class", "projective", "--max-steps", "30", code=2)
    assert (found["stopped"], found["sound"], found["complete"]) == ("steps", None, None)
    found = tells("verify", "eisner1996", "--max-steps", "30", code=2)
    assert (found["stopped"], found["parses"]) == ("steps", None)
    assert "unknown (yes to 3 words)" in prints("verify eisner1996 --class projective --max-steps 30", code=2)


def test_trees_of_context_free_schemata(written: Written, warns: Prints) -> None:
    """They can be run and drawn; what they should derive nobody knows."""
    path = written("linked.schema", schema_text("linked"))
    said = warns("verify", str(path))
    assert "runs over context-free grammars, and what it should derive is not known" in said
    assert "classes are of trees" not in said


def test_a_schema_file_of_ones_own(written: Written, prints: Prints) -> None:
    path = written("halved.schema", "schema halved extends collins1996\nwithout step R-Link\n")
    printed = prints("verify", str(path), "--class", "projective", "--ascii", code=1)
    assert "the tree 2 0 is not derived" in printed
    assert printed.isascii()


@pytest.mark.parametrize("name", ["arc-eager-published", "covington2001", "dvh1", "wg1"])
def test_text(name: str, cli: Cli, prints: Prints) -> None:
    n = 3 if name == "dvh1" else 5  # which has a run for every grammar and every tree
    printed = prints("verify", name, "--class", "all", "--max-n", str(n), "--random", "3", code=1)
    assert printed.startswith(f"{name}: all trees of at most {n} words\n")
    assert "Derived by" in printed or "Try: schemata run" in printed
    code, out, _ = cli("verify", name, "--max-n", "2")
    assert code in (0, 1)
    assert "which classes of trees" in out


@pytest.mark.parametrize(
    ("schema", "fault", "drawn"),
    [
        (
            "eisner1996",
            "Not once: the tree 0 1 2 is derived twice",
            ["w3", "span[1, 3, F, T]", "span[0, 2, F, T]"],
        ),
        ("covington-lsup", "Incomplete: under its own grammar the tree 0 3 1", ["w2", "root"]),
        ("covington2001", "Unsound: a cycle 1 -> 2 -> 1", ["3 words, licensed: 1 under 2, 2 under 1", "w3"]),
        (
            "eisner-lg-printed",
            "Unsound: the words 0 and 1 are linked twice",
            ["a: @A+;", "cost 0", "Initter"],
        ),
    ],
)
def test_counterexamples_are_drawn(
    schema: str, fault: str, drawn: list[str], cli: Cli, tmp_path: Path
) -> None:
    of_class = [] if schema.endswith("printed") else ["--class", "projective"]
    shown, tex = tmp_path / "shown.svg", tmp_path / "shown.tex"
    files = "--svg", str(shown), "--tikz", str(tex)
    _, out, _ = cli("verify", schema, *of_class, "--max-n", "3", *files)
    assert out.endswith(f"\n\nwrote {shown}\nwrote {tex}\n")
    picture = ElementTree.fromstring((tmp_path / "shown.svg").read_text(encoding="utf-8"))
    texts = [text for text in picture.itertext() if text.strip()]
    assert any(text.startswith(fault) for text in texts)
    assert set(drawn) <= set(texts)
    latex = tex.read_text(encoding="utf-8")
    assert latex.startswith(f"% {fault}")
    assert r"\begin{dependency}" in latex or "linked twice" in fault
    for name in ("dependency", "deptext", "prooftree"):
        assert latex.count(rf"\begin{{{name}}}") == latex.count(rf"\end{{{name}}}"), name


def test_a_verdict_without_counterexamples_is_not_drawn(cli: Cli, tmp_path: Path) -> None:
    file, once = tmp_path / "none.svg", "eisner1996-once"
    code, _, err = cli("verify", once, "--class", "projective", "--max-n", "3", "--svg", str(file))
    assert code == 0
    assert f"there is no counterexample to draw: {file} is not written" in err
    assert not file.exists()
    verdict = schemata.load(once).verify("projective", max_n=3)
    for path in (file, file.with_suffix(".tex")):
        with pytest.raises(UsageError, match="the verdict has no counterexample"):
            verdict.save(path)


def test_constituents_are_drawn(cli: Cli, tmp_path: Path) -> None:
    """Without a case of its steps, CYK forgets the words that have a category by a rule."""
    text = shipped_schemata()["cyk"].read_text(encoding="utf-8")
    begin, end = text.index("  case rule"), text.index("step Combine")
    (tmp_path / "lost.schema").write_text(text[:begin] + text[end:], encoding="utf-8")
    code, out, _ = cli(
        "verify", str(tmp_path / "lost.schema"), "--max-n", "2", "--svg", str(tmp_path / "lost.svg")
    )
    assert code == 1
    assert "Incomplete" in out
    texts = list(ElementTree.fromstring((tmp_path / "lost.svg").read_text(encoding="utf-8")).itertext())
    assert any(text.startswith("rules ") for text in texts)
    assert {"S", "w1"} <= set(texts)


# What is begun in the background ignores Ctrl-C, and so does what it begins. It says when it comes to three words.
HEARING = """
import signal, sys
from schemata.__main__ import entry_point
from schemata.verification.progress import Progress

def told(self, total, cases, description, n, *, tried=Progress.try_cases, **more):
    if n == 3:
        print("begun", file=sys.stderr, flush=True)
    tried(self, total, cases, description, n, **more)

Progress.try_cases = told
signal.signal(signal.SIGINT, signal.default_int_handler)
entry_point()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c(jobs: str) -> None:
    command = [sys.executable, "-c", HEARING, "verify", "dvh1", "--class", "projective", "--max-n", "9"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    process = subprocess.Popen([*command, "--jobs", jobs, "--json"], **pipes)
    try:
        assert process.stderr.readline() == "begun\n"
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=300)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    found = json.loads(out)
    assert (process.returncode, found["stopped"], found["sound"]) == (130, "interrupt", None)
    assert "Traceback" not in err
