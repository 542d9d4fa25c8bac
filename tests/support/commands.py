"""Commands as users give them: what they print, where, and their exit code; and the files that they are given."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from schemata.cli.main import main


class Answer(NamedTuple):
    """What a command answers."""

    code: int
    out: str
    err: str


Cli: TypeAlias = Callable[..., Answer]
Prints: TypeAlias = Callable[..., str]
Tells: TypeAlias = Callable[..., Any]
Written: TypeAlias = Callable[[str, str], Path]


def conllu(**sentences: str) -> str:
    """Return CoNLL-U of sentences by their names, each word as WORD/TAG/HEAD."""
    blocks = []
    for name, text in sentences.items():
        words = enumerate((word.split("/") for word in text.split()), start=1)
        rows = [f"{k}\t{word}\t_\t{tag}\t_\t_\t{head}\t_\t_\t_\n" for k, (word, tag, head) in words]
        blocks.append(f"# sent_id = {name}\n{''.join(rows)}\n")
    return "".join(blocks)


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
def tells(prints: Prints) -> Tells:
    """Return a function that runs a command with `--json`, and returns the value it prints."""
    return lambda *words, code=0: json.loads(prints(*words, "--json", code=code))


@pytest.fixture
def warns(cli: Cli) -> Prints:
    """Return a function that runs a command, which fails or ends with some code, and returns its messages."""

    def err(*words: str, code: int = 2) -> str:
        answer = cli(*words)
        assert answer.code == code
        return answer.err

    return err


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Return a function that writes a file, by its name and its text, and returns its path."""

    def path(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return path
