"""The command `schemata profile`: exit codes, JSON, messages."""

from __future__ import annotations

import json

import pytest

import schemata
from schemata.cli.main import main
from schemata.engine.budget import Interrupted

SENTENCE = "a b c d e f"


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "arc-eager", "a b c", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"] == sum(step["instances"] for step in found["by_step"])
    assert found["bottleneck"]["step"] in {step["step"] for step in found["by_step"]}
    about = {"schema", "parameters", "sentence", "items", "steps", "steps_by_name", "engine", "seconds"}
    assert set(found) == about | {"first_seconds", "measured", "bottleneck", "by_step", "filing"}
    figures = {"instances", "candidates", "selectivity", "seconds", "share"}
    assert set(found["by_step"][0]) == figures | {"step", "cases"}
    case = found["by_step"][0]["cases"][0]
    assert set(case) == figures | {"case", "blocks"}
    assert set(case["blocks"][0]) == figures | {"antecedent", "note", "trigger", "taken", "plan"}
    assert main(["profile", "wg1", SENTENCE, "--max-steps", "200"]) == 2
    assert "budget of 200 step instances" in capsys.readouterr().err
    assert main(["profile", "cyk", "a b c"]) == 2
    assert "grammar" in capsys.readouterr().err
    assert main(["profile", "eisner1996", "a", "b", "c", "--max-n", "0"]) == 2
    assert "--max-n" in capsys.readouterr().err
    assert main(["profile", "eisner1996", "a", "b", "c", "--ascii"]) == 0
    assert capsys.readouterr().out.isascii()


def test_an_interrupted_profile(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    chart = schemata.load("eisner1996").run("a b")

    def interrupted(*_: object, **__: object) -> None:
        raise Interrupted("interrupt", chart, "interrupted after 9 step instances")

    monkeypatch.setattr("schemata.analysis.profile.run_kernel", interrupted)
    assert main(["profile", "eisner1996", "a b"]) == 130
    assert "interrupted" in capsys.readouterr().err
