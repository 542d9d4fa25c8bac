"""`schemata completion`: the scripts are run by the shells themselves, as far as they are there."""

import shutil
import subprocess
from pathlib import Path

import pytest

from schemata.cli.completion import script
from schemata.cli.main import COMMANDS, command_of
from schemata.language.shipped import shipped_schemata
from tests.support.commands import Cli

BASH = shutil.which("bash")
LINES = {
    "schemata re": {"relate"},
    "schemata ": {*COMMANDS, "help", "--help", "--version"},
    "schemata help why": {"why-not"},
    "schemata run eisner1996": {
        "eisner1996",
        "eisner1996-once",
        "eisner1996-eisner1996-once",
        "eisner1996-vine",
    },
    "schemata run eisner1996 --gr": {"--grammar"},
    "schemata run cyk --grammar exam": {"example", "examples.txt"},
    "schemata verify eisner1996 --roots ": {"one", "many"},
    "schemata run cyk --max-steps ": set(),
    "schemata run --json earley-l": {"earley-left-corner"},
    "schemata coverage exam": {"examples.txt"},
    "schemata nothing x": set(),
}


def completed(program: list[str], folder: Path) -> list[str]:
    done = subprocess.run(program, capture_output=True, text=True, cwd=folder, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(BASH is None, reason="bash is not here")
@pytest.mark.parametrize("line", LINES)
def test_bash(line: str, tmp_path: Path) -> None:
    (tmp_path / "examples.txt").touch()
    words = line.split(" ")
    program = (
        f"{script('bash')}\nCOMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
        '_schemata; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert set(completed([BASH, "-c", program], tmp_path)) == LINES[line]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not here")
@pytest.mark.parametrize(
    "line", ["schemata re", "schemata run eisner1996 --gr", "schemata verify x --roots "]
)
def test_fish(line: str, tmp_path: Path) -> None:
    program = f"{script('fish')}\ncomplete -C {line!r}"
    found = completed(["fish", "--no-config", "-c", program], tmp_path)
    assert LINES.get(line, {"one", "many"}) <= set(found)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not here")
@pytest.mark.parametrize("line", LINES)
def test_zsh(line: str, tmp_path: Path) -> None:
    """What is offered: zsh's own functions choose among it what the word begins with."""
    words = line.split(" ")
    program = (
        "compdef() { }; _files() { print -l *(N) }; compadd() { shift; print -l $@ }\n"
        '_describe() { local x; for x in ${(P)2}; do print -- "${x%%:*}"; done }\n'
        f"{script('zsh')}\nwords=({' '.join(repr(word) for word in words)}); CURRENT={len(words)}; _schemata"
    )
    (tmp_path / "examples.txt").touch()
    offered = completed(["zsh", "-f", "-c", program], tmp_path)
    found = {word for word in offered if word.startswith(words[-1])}
    assert found == LINES[line] - ({"--help", "--version", "help"} if len(words) == 2 else set())


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not here")
def test_zsh_finds_the_script_in_a_folder(cli: Cli, tmp_path: Path) -> None:
    """The completion system takes a file whose first line names the command."""
    (tmp_path / "_schemata").write_text(cli("completion", "zsh").out, encoding="utf-8")
    program = 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; print -- "${_comps[schemata]}"'
    assert completed(["zsh", "-f", "-c", program], tmp_path) == ["_schemata"]


def test_the_tag_of_zsh_comes_first(cli: Cli) -> None:
    lines = cli("completion", "zsh").out.splitlines()
    assert lines[0] == "#compdef schemata"
    assert lines[1].startswith("# schemata completion zsh > ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_all_is_there(shell: str) -> None:
    text = script(shell)
    assert all(name in text for name in (*COMMANDS, *shipped_schemata()))
    for name in COMMANDS:
        for option in command_of(name).options:
            if option.flags[-1].startswith("--"):
                assert option.flags[-1].lstrip("-") in text
