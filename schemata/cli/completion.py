"""The command `completion`: scripts for bash, zsh and fish that complete commands, options, values and files."""

from __future__ import annotations

import re
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Mapping

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
_ARGUMENTS = {  # of an option or argument: the words and the ends of files that are offered, by command if need be
    **dict.fromkeys(("schema", "names", "--schema", "--same-as", "--with", "parsers"), "$schemata .schema"),
    **dict.fromkeys(("relate names", "show schema"), "$schemata $relations .schema .relation"),
    **dict.fromkeys(("oracle schema", "system schema", "--system"), "$systems .schema"),
    "check files": "$schemata $relations *",
    "playground schema": "$schemata *",
    "format files": ".schema .relation",
    "exercise file": ".exercise",
    **dict.fromkeys(("coverage files", "pseudo-projective file", "--conllu"), "example .conllu .conllu.gz"),
    **dict.fromkeys(("train files", "gold", "systems", "parse file"), "example .conllu .conllu.gz"),
    **dict.fromkeys(("--held-out", "--treebank"), ".conllu .conllu.gz"),
    "grammar file": "example .conllu .conllu.gz .drules",
    "masks grammar": "example *",
    "--grammar": "all gold example heads: *",
    "list --grammar": "",
    **dict.fromkeys(("file", "model", "answer", "--map", "--control", "--schedule"), "*"),
}
_FILES = re.compile(r"FILE|OUT|PATH")


class _Completed(Record):
    """The completions of a command: its options with their helps, and the words and ends of files that its options and
    arguments take, by the option or the number of the argument.
    """

    about: str
    options: Mapping[str, str]
    offers: Mapping[str, str]
    plain: tuple[str, ...]
    arguments: int


def _completed(name: str) -> _Completed:
    options, offers, plain, arguments = dict[str, str](), dict[str, str](), list[str](), 0
    for option in command_of(name).options:
        settings, long = option.settings, option.flags[-1]
        by_command = _ARGUMENTS.get(f"{name} {long}", _ARGUMENTS.get(long, ""))
        offer = " ".join(map(str, settings["choices"])) if settings.get("choices") else by_command
        value = str(settings.get("metavar", ""))
        if not offer and long.startswith("-"):
            offer = "*" if _FILES.search(value) else "/" if value == "DIR" else ""
        if not long.startswith("-"):
            offers[str(arguments)] = offer
            arguments += 1
            if settings.get("nargs") in ("+", "*") and value not in ("SENTENCE", "PREFIX"):
                offers[str(arguments)] = offer
        for flag in option.flags if long.startswith("-") else ():
            options[flag] = str(settings.get("help", "")).partition(":")[0].partition(";")[0]
            if settings.get("action") in ("store_true", BooleanOptionalAction):
                plain.append(flag)
            else:
                offers[flag] = offer
    options["--help"] = "show the help"
    return _Completed(COMMANDS[name][1], options, offers, (*plain, "--help"), arguments)


@c.command(c.option("shell SHELL", f"one of {', '.join(_SHELLS)}", choices=_SHELLS), c.JSON)
def completion(arguments: Namespace) -> int:
    """Print the script by which a shell completes commands, options, their values, files, and names of schemata.

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
    schemata = sorted([*shipped.shipped_schemata(), *shipped.ALIASES])
    named = {
        "schemata": " ".join(schemata),
        "systems": " ".join(name for name in schemata if name.endswith("-system")),
        "relations": " ".join(sorted(library.shipped_relations())),
    }
    if shell == "fish":
        return _fish(commands, named)
    cases = []
    for name, command in commands.items():
        by_offer: dict[str, list[str]] = {}
        for place, offer in command.offers.items():
            by_offer.setdefault(offer, []).append(f"{name}:{place}")
        for offer, places in by_offer.items():
            words, ends = _parted(offer)
            if offer:
                cases.append(f"    {'|'.join(places)}) values=\"{words}\"; ends='{ends}' ;;")
    lists = "\n".join(f"  local {name}='{words}'" for name, words in named.items())
    table, described, plain = {"lists": lists, "cases": "\n".join(cases)}, list[str](), list[str]()
    for name, found in commands.items():
        known = f"    {name}) plain=' {' '.join(found.plain)} '; last={found.arguments}; options="
        plain.append(f"{known}'{' '.join(found.options)}' ;;")
        described.append(
            f"{known}({' '.join(_quoted(f'{flag}:{about}') for flag, about in found.options.items())}) ;;"
        )
    if shell == "bash":
        return _BASH.format(commands=" ".join([*COMMANDS, "help"]), plain="\n".join(plain), **table)
    listed = " ".join(_quoted(f"{name}:{found.about}") for name, found in commands.items())
    return _ZSH.format(commands=listed, plain="\n".join(described), **table)


def _parted(offer: str) -> tuple[str, str]:
    """The words of an offer and the ends of its files; `*` stands for all files, `/` for folders."""
    words = offer.split()
    ends = [word for word in words if word[0] in "./*"]
    return " ".join(word for word in words if word not in ends), " ".join(ends)


_BASH = """\
_schemata() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} place=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local options= values= ends= plain= last=0 nth=0 k
{lists}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word"))
    return
  fi
  if [ "$place" = "=" ]; then place=${{COMP_WORDS[COMP_CWORD-2]}}; elif [ "$word" = "=" ]; then word=; fi
  case $command in
    help) COMPREPLY=($(compgen -W "{commands}" -- "$word")); return ;;
{plain}
    *) return ;;
  esac
  if [[ $place != -* || $plain == *" $place "* ]]; then
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W "$options" -- "$word"))
      return
    fi
    for ((k = 2; k < COMP_CWORD; k++)); do
      if [[ ${{COMP_WORDS[k]}} != -* ]]; then nth=$((nth + 1))
      elif [[ ${{COMP_WORDS[k+1]}} == "=" ]]; then k=$((k + 2))
      elif [[ $plain != *" ${{COMP_WORDS[k]}} "* ]]; then k=$((k + 1)); fi
    done
    place=$((nth < last ? nth : last))
  fi
  case $command:$place in
{cases}
  esac
  COMPREPLY=($(compgen -W "$values" -- "$word"))
  local IFS=$'\\n'
  if [ "$ends" = "*" ]; then
    COMPREPLY+=($(compgen -f -- "$word"))
  elif [ -n "$ends" ]; then
    COMPREPLY+=($(compgen -d -- "$word"; compgen -f -- "$word" | grep -E "(${{ends// /|}})\\$"))
  fi
}}
complete -o filenames -o nosort -F _schemata schemata 2>/dev/null || complete -F _schemata schemata
"""


_ZSH = """\
#compdef schemata
_schemata() {{
  local -a options commands
  local place=${{words[CURRENT-1]}} plain= values= ends= last=0 nth=0 k
{lists}
  commands=({commands})
  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
    _describe command commands
    return
  fi
  case $words[2] in
{plain}
    *) return ;;
  esac
  if [[ $words[CURRENT] == --*=* ]]; then
    place=${{words[CURRENT]%%=*}}
    compset -P '*='
  elif [[ $place != -* || $plain == *" $place "* || $place == *=* ]]; then
    if [[ $words[CURRENT] == -* ]]; then
      _describe option options
      return
    fi
    for ((k = 3; k < CURRENT; k++)); do
      if [[ $words[k] != -* ]]; then (( nth += 1 ))
      elif [[ $words[k] != *=* && $plain != *" $words[k] "* ]]; then (( k += 1 )); fi
    done
    place=$(( nth < last ? nth : last ))
  fi
  case $words[2]:$place in
{cases}
  esac
  [[ -n $values ]] && compadd -- ${{=values}}
  case $ends in
    '') ;;
    '*') _files ;;
    /) _files -/ ;;
    *) _files -g "*(${{ends// /|}}|${{ends%% *}})" ;;
  esac
}}
if [ "$funcstack[1]" = _schemata ]; then _schemata "$@"; else compdef _schemata schemata; fi
"""


def _fish(commands: Mapping[str, _Completed], named: Mapping[str, str]) -> str:
    lines = [_FISH, *(f"set -g __{name} {words}" for name, words in named.items())]
    lines.append("complete -c schemata -n __fish_use_subcommand -f -a help")
    lines.append(f"complete -c schemata -n '__fish_seen_subcommand_from help' -f -a '{' '.join(commands)}'")
    for name, found in commands.items():
        lines.append(
            f"complete -c schemata -n __fish_use_subcommand -a {name} -d {_fish_quoted(found.about)}"
        )
        lines.append(f"complete -c schemata -n '__fish_seen_subcommand_from {name}' -f")
        for flag, about in found.options.items():
            kind = "-l" if flag.startswith("--") else "-s"
            needs = "" if flag in found.plain else f" -r {_fish_offer(found.offers[flag])}"
            seen = f"complete -c schemata -n '__fish_seen_subcommand_from {name}' {kind} {flag.lstrip('-')}"
            lines.append(f"{seen}{needs} -d {_fish_quoted(about)}")
        for place in range(found.arguments + 1):
            if offer := found.offers.get(str(place)):
                test = f"__schemata_at {name} {place} {found.arguments} {' '.join(found.plain)}"
                lines.append(f"complete -c schemata -n '{test}' {_fish_offer(offer)}")
    return "\n".join(lines) + "\n"


def _fish_offer(offer: str) -> str:
    words, ends = _parted(offer.replace("$", "$__"))
    files = f" (__schemata_files {ends})" if ends and ends != "*" else ""
    return ("-F" if ends == "*" else "-f") + f" -a {_fish_quoted(words + files)}" * bool(words + files)


# `__schemata_at COMMAND PLACE LAST PLAIN ...`: whether the cursor is at an argument of a command
_FISH = """\
function __schemata_at
  set -l words (commandline -opc)
  test "$words[2]" = $argv[1]; or return 1
  set -l nth 0
  set -l skip 0
  for word in $words[3..-1]
    if test $skip = 1
      set skip 0
    else if not string match -q -- '-*' $word
      set nth (math $nth + 1)
    else if not string match -q -- '*=*' $word; and not contains -- $word $argv[4..-1]
      set skip 1
    end
  end
  test $skip = 0; and test (math "min($nth, $argv[3])") = $argv[2]
end
function __schemata_files
  set -l ends (string join '|' (string escape --style=regex -- $argv))
  __fish_complete_suffix $argv[1] | string match -r "^[^\\t]*(?:/|$ends)(?:\\t.*)?\\$"
end
"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
