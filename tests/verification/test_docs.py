"""The sessions in `docs/verification.md` are what the commands print."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from schemata.cli.main import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "verification.md"
SESSIONS = re.findall(r"```console\n\$ schemata (.*?)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def squeezed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


@pytest.mark.parametrize(("command", "shown"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_sessions(command: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A line `...` stands for any lines."""
    main(shlex.split(command))
    printed = squeezed(capsys.readouterr().out)
    pattern = ".*".join(re.escape(squeezed(part)) for part in re.split(r"(?m)^\.\.\.$", shown))
    assert re.fullmatch(pattern, printed, re.DOTALL), printed


def test_there_are_sessions() -> None:
    assert len(SESSIONS) >= 4


def test_python() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert results.attempted >= 4
    assert results.failed == 0
