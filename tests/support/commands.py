"""Commands as users give them: what they print, where, and their exit code."""

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
Prints: TypeAlias = Callable[..., str]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Return a function that runs a command: words with spaces between them, and more words as they are."""

    def answer(command: str, *words: str) -> Answer:
        try:
            code = main([*command.split(" "), *words])
        except SystemExit as left:
            code = int(str(left.code or 0))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Answer(code, out, err)

    return answer


@pytest.fixture
def prints(cli: Cli) -> Prints:
    """Return a function that runs a command, which succeeds or ends with some code, and returns what it prints."""

    def out(*words: str, code: int = 0) -> str:
        answer = cli(*words)
        assert answer.code == code
        return answer.out

    return out


@pytest.fixture
def warns(cli: Cli) -> Prints:
    """Return a function that runs a command, which fails or ends with some code, and returns its messages."""

    def err(*words: str, code: int = 2) -> str:
        answer = cli(*words)
        assert answer.code == code
        return answer.err

    return err
