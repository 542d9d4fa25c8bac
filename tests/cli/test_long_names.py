"""Names longer than those of files: they name nothing, and the message is about them, not about the output."""

import json
import shlex
from pathlib import Path

import pytest

import schemata
from schemata.errors import UsageError
from tests.support.commands import Cli

LONG = "x" * 400
COMMANDS = """
check LONG
check LONG.schema
check LONG.relation
run LONG a
run eisner1996 a --grammar LONG
run eisner1996 a --control LONG
run eisner1996 a --svg LONG.svg
run eisner1996 --conllu LONG
verify LONG
relate LONG
coverage LONG
format LONG
new LONG
grammar extract LONG
playground --export LONG
"""


@pytest.mark.parametrize("command", COMMANDS.strip().splitlines())
def test_commands(command: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = cli(*shlex.split(command.replace("LONG", LONG)))
    assert answer.code == 2
    assert LONG in answer.err
    assert "the output" not in answer.err


def test_as_json(cli: Cli) -> None:
    (error,) = json.loads(cli("coverage", LONG, "--json").out)["errors"]
    assert LONG in error["message"]


def test_a_relation_that_names_one(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "long.relation"
    file.write_text(f"relation eisner1996 to {LONG}\n", encoding="utf-8")
    answer = cli("check", str(file))
    assert answer.code == 1
    assert "long.relation:1:" in answer.err


def test_from_python() -> None:
    with pytest.raises(UsageError, match="there is no schema"):
        schemata.load(LONG)
