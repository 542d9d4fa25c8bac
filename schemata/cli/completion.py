"""The command `completion`: scripts by which bash, zsh and fish complete commands, options, values and schemata."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterable, Mapping

from schemata.cli import command as c
from schemata.cli.main import COMMANDS, command_of
from schemata.language import library, shipped
from schemata.records import Record

_SHELLS = ("bash", "zsh", "fish")
_INSTALLED = {
    "bash": "schemata completion bash > ~/.local/share/bash-completion/completions/schemata",
    "zsh": "schemata completion zsh > ~/.zfunc/_schemata   (and fpath+=~/.zfunc before compinit in ~/.zshrc)",
    "fish": "schemata completion fish > ~/.config/fish/completions/schemata.fish",
}
_TAG = "#compdef schemata"  # zsh loads a function from a file whose first line is this
_OF_SCHEMATA = ("schema", "names")  # arguments that name schemata
_FILES = re.compile(r"FILE|DIR|OUT|PATH")


class _Completed(Record):
    """The completions of a command: its options with their helps, the values of options, and kinds of
    arguments.
    """

    about: str
    options: Mapping[str, str]
    values: Mapping[str, tuple[str, ...]]
    files: tuple[str, ...]
    without: tuple[str, ...]
    schemata: bool


def _completed(name: str) -> _Completed:
    options, values, files, without = dict[str, str](), dict[str, tuple[str, ...]](), list[str](), list[str]()
    names_schemata = False
    for option in command_of(name).options:
        flags = [flag for flag in option.flags if flag.startswith("-")]
        names_schemata = names_schemata or option.flags[-1] in _OF_SCHEMATA
        for flag in flags:
            options[flag] = str(option.settings.get("help", "")).partition(":")[0].partition(";")[0]
            if option.settings.get("choices"):
                values[flag] = tuple(map(str, option.settings["choices"]))
            elif option.settings.get("action") == "store_true" or option.settings.get("nargs") == 0:
                without.append(flag)
            elif flag == "--grammar":
                values[flag] = ("all", "gold", "example", "heads:")
            if flag in ("--grammar", "--conllu") or _FILES.search(str(option.settings.get("metavar", ""))):
                files.append(flag)
    options["--help"] = "show the help"
    about = COMMANDS[name][1]
    return _Completed(about, options, values, tuple(files), (*without, "--help"), names_schemata)


@c.command(c.option("shell SHELL", f"one of {', '.join(_SHELLS)}", choices=_SHELLS), c.JSON)
def completion(arguments: Namespace) -> int:
    """Print the script by which a shell completes commands, options, their values, and names of schemata.

    The script holds all names, so that the key does not wait for Python; write it anew after an update.
    """
    text = script(arguments.shell)
    installed = _INSTALLED[arguments.shell]
    found = {"shell": arguments.shell, "install": installed, "script": text}
    tag, body = f"{_TAG}\n" * text.startswith(_TAG), text.removeprefix(f"{_TAG}\n")
    return c.answer(arguments, found, f"{tag}# {installed}\n{body}")


def script(shell: str) -> str:
    """Return the completion script of a shell, one of bash, zsh and fish."""
    commands = {name: _completed(name) for name in COMMANDS}
    names = sorted([*shipped.shipped_schemata(), *shipped.ALIASES, *library.shipped_relations()])
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands, names)


def _words(words: Iterable[str]) -> str:
    return " ".join(words)


def _bash(commands: Mapping[str, _Completed], names: list[str]) -> str:
    cases = []
    for name, found in commands.items():
        inner = [f"      {flag}) values={_quoted(_words(some))}; files={int(flag in found.files)} ;;"
                 for flag, some in found.values.items()]  # fmt: skip
        inner += [f"      {flag}) files=1 ;;" for flag in found.files if flag not in found.values]
        inner += [
            f"      {_alternatives(found.without)}) plain=1 ;;",
            "      -*) valued=1 ;;",
            "      *) plain=1 ;;",
        ]
        cases.append(
            f"    {name})\n      options={_quoted(_words(found.options))}; schemata={int(found.schemata)}\n"
            f"      case $before in\n" + "\n".join(f"  {line}" for line in inner) + "\n      esac ;;"
        )
    return _BASH.format(commands=_words([*COMMANDS, "help"]), names=_words(names), cases="\n".join(cases))


_BASH = """\
_schemata() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local options= values= files=0 plain=0 valued=0 schemata=0
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word"))
    return
  fi
  case $command in
    help) COMPREPLY=($(compgen -W "{commands}" -- "$word")); return ;;
{cases}
    *) return ;;
  esac
  if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word")); fi
  if [ "$files" -eq 1 ]; then COMPREPLY+=($(compgen -f -- "$word")); return; fi
  if [ -n "$values" ] || [ "$valued" -eq 1 ]; then return; fi
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) if [ "$schemata" -eq 1 ]; then COMPREPLY=($(compgen -W "{names}" -- "$word")); fi
       COMPREPLY+=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -o nosort -F _schemata schemata 2>/dev/null || complete -F _schemata schemata
"""


def _zsh(commands: Mapping[str, _Completed], names: list[str]) -> str:
    cases = []
    for name, found in commands.items():
        options = _words(_quoted(f"{flag}:{about}") for flag, about in found.options.items())
        inner = [f"      {flag}) compadd -- {_words(map(_quoted, some))};{' _files;' * (flag in found.files)} return ;;"
                 for flag, some in found.values.items()]  # fmt: skip
        inner += [f"      {flag}) _files; return ;;" for flag in found.files if flag not in found.values]
        inner += [f"      {_alternatives(found.without)}) ;;", "      -*) return ;;"]
        cases.append(
            f"    {name})\n      case $before in\n"
            + "\n".join(f"  {line}" for line in inner)
            + "\n      esac\n"
            f"      options=({options}); schemata={int(found.schemata)} ;;"
        )
    listed = _words(_quoted(f"{name}:{found.about}") for name, found in commands.items())
    return _ZSH.format(commands=listed, names=_words(names), cases="\n".join(cases))


_ZSH = """\
#compdef schemata
_schemata() {{
  local -a options commands
  local schemata=0 before=${{words[CURRENT-1]}}
  commands=({commands})
  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
    _describe command commands
    return
  fi
  case $words[2] in
{cases}
    *) return ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe option options
    return
  fi
  (( schemata )) && compadd -- {names}
  _files
}}
if [ "$funcstack[1]" = _schemata ]; then _schemata "$@"; else compdef _schemata schemata; fi
"""


def _fish(commands: Mapping[str, _Completed], names: list[str]) -> str:
    lines = ["complete -c schemata -n __fish_use_subcommand -f"]
    for name, found in commands.items():
        lines.append(
            f"complete -c schemata -n __fish_use_subcommand -a {name} -d {_fish_quoted(found.about)}"
        )
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for flag, about in found.options.items():
            kind = "-l" if flag.startswith("--") else "-s"
            values = found.values.get(flag)
            needs = "" if flag in found.without else " -r" + ("" if flag in found.files else " -f")
            listed = f" -a {_fish_quoted(_words(values))}" if values else ""
            word = flag.lstrip("-")
            lines.append(f"complete -c schemata {seen} {kind} {word}{needs}{listed} -d {_fish_quoted(about)}")
        if found.schemata:
            lines.append(f"complete -c schemata {seen} -a {_fish_quoted(_words(names))}")
    return "\n".join(lines) + "\n"


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(words)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
