"""Commands as users give them: what they print, where, and their exit code."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import pytest

from schemata.cli.main import main


class Answer(NamedTuple):
    """What a command answers."""

    code: int
    out: str
    err: str


Cli: TypeAlias = Callable[..., Answer]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Return a function that runs a command, given as words."""

    def answer(*words: str) -> Answer:
        try:
            code = main(list(words))
        except SystemExit as left:
            code = int(str(left.code or 0))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Answer(code, out, err)

    return answer
