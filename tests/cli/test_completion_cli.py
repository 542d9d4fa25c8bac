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
    "schemata run eisner1996": {"eisner1996", "eisner1996-once"},  # eisner1996-vine is a relation
    "schemata run eisner1996 --gr": {"--grammar"},
    "schemata run cyk --grammar exam": {"example", "examples.txt"},
    "schemata verify eisner1996 --roots ": {"one", "many"},
    "schemata run cyk --max-steps ": set(),
    "schemata run --json left-c": {"left-corner"},
    "schemata coverage exam": {"example"},
    "schemata run cyk x": set(),
    "schemata run my": {"my.schema"},
    "schemata show my": {"my.schema", "my.relation"},
    "schemata check my": {"my.schema", "my.relation", "my.conllu.gz"},
    "schemata run cyk --conllu my": {"my.conllu.gz"},
    "schemata run cyk --svg my": {"my.schema", "my.relation", "my.conllu.gz"},
    "schemata relate eisner1996-eisner1996": {"eisner1996-eisner1996-once"},
    "schemata relate cyk eisner1996-eisner1996": {"eisner1996-eisner1996-once"},
    "schemata compare cyk --lengths 2..3 left-c": {"left-corner"},
    "schemata compare --json cyk left-c": {"left-corner"},
    "schemata oracle swap": {"swap-system"},
    "schemata oracle cyk": set(),
    "schemata nothing x": set(),
}


FILES = ("examples.txt", "my.schema", "my.relation", "my.conllu.gz")


def touch(folder: Path) -> None:
    for name in FILES:
        (folder / name).touch()


def completed(program: list[str], folder: Path) -> list[str]:
    done = subprocess.run(program, capture_output=True, text=True, cwd=folder, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(BASH is None, reason="bash is not here")
@pytest.mark.parametrize("line", LINES)
def test_bash(line: str, tmp_path: Path) -> None:
    touch(tmp_path)
    words = line.split(" ")
    program = (
        f"{script('bash')}\nCOMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
        '_schemata; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert set(completed([BASH, "-c", program], tmp_path)) == LINES[line]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not here")
@pytest.mark.parametrize("line", LINES)
def test_fish(line: str, tmp_path: Path) -> None:
    touch(tmp_path)
    program = f"{script('fish')}\ncomplete -C {line!r} | string replace -r '\\t.*' ''; true"
    found = {
        word
        for word in completed(["fish", "--no-config", "-c", program], tmp_path)
        if word.startswith(line.rsplit(" ", 1)[-1])
    }
    assert found == LINES[line] - ({"--help", "--version"} if line == "schemata " else set())


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not here")
@pytest.mark.parametrize("line", LINES)
def test_zsh(line: str, tmp_path: Path) -> None:
    """What is offered: zsh's own functions choose among it what the word begins with."""
    words = line.split(" ")
    program = (
        "compdef() { }; compadd() { shift; print -l $@ }; compset() { }\n"
        "_files() { if [[ $1 == -g ]]; then print -l ${~2}(N); else print -l *(N); fi }\n"
        '_describe() { local x; for x in ${(P)2}; do print -- "${x%%:*}"; done }\n'
        f"{script('zsh')}\nwords=({' '.join(repr(word) for word in words)}); CURRENT={len(words)}; _schemata"
    )
    touch(tmp_path)
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
