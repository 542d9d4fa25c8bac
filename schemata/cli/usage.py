"""How commands are used: the overview, the help of a command in groups with examples, and hints for misspelt usage."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from schemata.errors import Diagnostic, UsageError, did_you_mean
from schemata.wording import listing

if TYPE_CHECKING:
    from schemata.cli.command import Command

# The options under a heading of the help; others stand under "options".
_GROUPS = {
    "sentences and treebanks": """--conllu --number --sentence --heads --lengths --max-words --max-n --jobs --resume
        --scheduler --tagged""",
    "the grammar": "--grammar --single-root --unpruned --strict --density --samples --roots",
    "weights and strategies": """--weights --best --total --marginals --sample --distinct --control
        --search-error""",
    "pictures and formats": """--svg --dot --tikz --latex --standalone --bussproofs --chart --html --plot --export
        --csv --tsv --format --output --ascii --width --rtl --json""",
    "limits": "--max-steps --max-seconds --max-memory --engine --tree-budget",
}
_GROUP_OF = {option: title for title, options in _GROUPS.items() for option in options.split()}

_EXAMPLES = """\
list
list cky
list --class projective --sort time
show eisner1996
show earley --latex --standalone
check eisner1996 mh
check eisner1996-vine --json
format mine.schema
format --check mine.schema
new mine
new mine --kind context-free
run eisner1996 "Economic news had little effect" --grammar example
run earley "the cat slept" --grammar example --trace
run eisner1996 --conllu example --grammar gold --tsv
verify eisner1996 --class projective
verify collins1996 --class projective --max-n 4
relate mg1 wg1
relate eisner1996 yamada-matsumoto2003 --lengths 2..8
explain eisner1996 "a b c" "span[0, 3, false, true]"
explain earley "the cat slept" --grammar example "edge[root(S .), 1, 3]"
why-not eisner1996 "a b c" --grammar heads:2,0,1 "span[0, 2, false, true]"
why-not eisner1996 "a b c d" --heads 3,4,0,3
compare eisner1996 mh:k=4 "a b c d"
compare eisner1996 collins1996 --lengths 2..8
complexity eisner1996
complexity collins1996 --improve
coverage example
coverage example --schema eisner1996 --schema mh:k=4 --format markdown
step earley "the cat slept" --grammar example
step arc-standard-system "a b c" --heads 2,0,2
next earley the --grammar example
next earley "the cat" --grammar example --json
masks example --against "python masks.py" --max-n 2
masks example --against "python masks.py" --random 20 --limit 5
train example -o english.npz --epochs 3
train train.conllu -o english.npz --held-out dev.conllu
train example -o system.npz --system swap-system --epochs 3
estimate cyk sentences.txt --grammar start.cfg -o estimated.cfg
estimate earley sentences.txt --grammar start.cfg -o estimated.cfg --starts 5
parse english.npz test.conllu -o parsed.conllu
parse english.npz example -o parsed.conllu
evaluate gold.conllu parsed.conllu
evaluate gold.conllu first.conllu second.conllu --by class
accuracy eisner1996 mst --treebank small=train.conllu,test.conllu
accuracy arc-eager-system+dynamic --treebank English=train.conllu,test.conllu --format markdown
constraints "the/DET cat/NOUN slept/VERB" --tagged --grammar english.constraints
constraints "the/DET cat/NOUN slept/VERB" --tagged --grammar english.constraints --svg network.svg
playground
playground mine.schema words.cfg
playground --export site
exercise --list
exercise 02-cyk-next "edge[S, 1, 3]"
oracle arc-eager-system "a b c" --heads 2,0,2
oracle swap-system --conllu example
system arc-standard-system --max-n 3
system arc-eager-system --max-n 2 --json
tabulate arc-standard-2004-system
tabulate eisner1996 --back
pseudo-projective example --lift shortest
pseudo-projective train.conllu -o projective.conllu
grammar extract example
grammar extract example --kind dependency-rules
grammar unfold cats.drules -o cats.cfg
profile eisner1996 "a b c d e f"
profile earley "the cat slept" --grammar example --plans 1
lsp
compile eisner1996
compile eisner1996 --explain
completion bash
completion fish
"""


EXAMPLES: dict[str, list[str]] = {}
"""Examples of each command, as words after `schemata`."""
for _line in _EXAMPLES.splitlines():
    EXAMPLES.setdefault(_line.partition(" ")[0], []).append(_line)


_LITERAL = "\0"  # no word of a command line holds it


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose errors are the package's diagnostics."""

    others: Callable[[str], list[str]] = staticmethod(lambda option: [])

    def parse_words(self, words: Sequence[str], into: argparse.Namespace) -> argparse.Namespace:
        """Parse the words after a command; those after -- are no options, whatever they begin with.

        argparse forgets -- where options may stand between arguments, so that each word after it is marked.
        """
        end = words.index("--") if "--" in words else len(words)
        marked = (f"{_LITERAL}{word}" for word in words[end + 1 :])
        return self.parse_intermixed_args([*words[:end], *marked], into)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        return super()._get_value(action, arg_string.removeprefix(_LITERAL))

    def error(self, message: str) -> NoReturn:
        """Report arguments that cannot be parsed, and exit.

        Raises
        ------
        UsageError : always; with a guess at the intended option, if there is one.
        """
        message = message.replace(_LITERAL, "")
        unknown = re.match(r"unrecognized arguments: (.*)", message)
        if unknown:
            raise self._unknown(unknown[1])
        hint = f"see: {self.prog} --help"
        missing = re.match(r"the following arguments are required: (.*)", message)
        if missing:
            usage = " ".join(self.usage_words())
            hint = _INSTEAD.get(self.prog, hint)
            raise UsageError(f"{self.prog} needs {missing[1]}", code="usage", expected=usage, hint=hint)
        bare = re.match(r"argument (\S+): expected one argument", message)
        if bare:
            flag = bare[1].split("/")[-1]
            takes = [a.metavar or a.dest for a in self._actions if flag in a.option_strings]
            expected = " or ".join(f"{flag} {value}" for value in takes)
            raise UsageError(f"{flag} needs a value", code="usage", expected=expected, hint=hint)
        value = re.match(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message)
        if value:
            choices = re.sub("'", "", value[3])
            near = did_you_mean(value[2], choices.split(", "))
            about = f"{value[1]} cannot be {value[2]!r}"
            raise UsageError(about, code="usage", expected=f"one of {choices}", hint=near or hint)
        raise UsageError(message, code="usage", hint=hint)

    def usage_words(self) -> list[str]:
        """Return the words of the usage: the command, its arguments (optional ones in brackets), and options."""
        words = [self.prog]
        for action in self._actions:
            if not action.option_strings:
                name = str(action.metavar or action.dest)
                words.append(
                    {"+": f"{name} ...", "*": f"[{name} ...]", "?": f"[{name}]"}.get(str(action.nargs), name)
                )
        return [*words, "[OPTION ...]"]

    def _unknown(self, words: str) -> UsageError:
        option = words.split(maxsplit=1)[0].partition("=")[0]
        known = [flag for action in self._actions for flag in action.option_strings]
        if not option.startswith("-"):
            message, hint = f"{words} is one argument too many", None
            if "--set" in known and (setting := re.fullmatch(r"([^\W\d]\w*=)?(\d+)", words)):
                hint = f"parameters are set by --set {setting[1] or 'k='}{setting[2]}"
            return UsageError(message, code="usage", expected=" ".join(self.usage_words()), hint=hint)
        hint = None
        pictures = [flag for flag in ("--svg", "--tikz", "--chart", "--plot") if flag in known]
        drawn = f"pictures are written by {listing(pictures)}" if pictures else None
        if drawn and "--all" in known:  # of relate
            drawn = "the map of all relations is drawn by --all --svg FILE"
        if option in ("-o", "--output"):
            hint = "; ".join(filter(None, ["text goes to a file by >", drawn]))
        elif option.lstrip("-") in _PICTURES:
            hint = drawn
        if hint is None and option in _SAID_OTHERWISE and _SAID_OTHERWISE[option][0] in (*known, self.prog):
            hint = _SAID_OTHERWISE[option][1]
        if hint is None and "--set" in known and re.fullmatch("--[a-z]", option):
            hint = f"parameters are set by --set {option[2:]}=3"
        if hint is None and (commands := self.others(option)):
            hint = f"{option} is an option of {listing(commands)}"
        if hint is None:
            written_out = [
                flag for flag in known if flag.startswith(f"-{option}" if len(option) == 2 else option)
            ]
            hint = f"options are written out: {' or '.join(written_out)}" if written_out else None
        hint = hint or did_you_mean(option, known)
        message = f"{self.prog} has no option {option}"
        return UsageError(message, code="usage", hint=hint or f"see: {self.prog} --help")


_INSTEAD = {
    "schemata parse": 'parse takes a model that was trained; a schema parses by: schemata run NAME "the cat sat"'
}
_SAID_OTHERWISE = {  # where an option stands in another command: what is written in its place
    "--heads": ("--grammar", "the heads of a tree are a grammar: --grammar heads:2,3,0"),
    **dict.fromkeys(("--tree", "--trees"), ("--limit", "--limit N draws the first N trees")),
    **dict.fromkeys(("--max-words", "--n", "-n"), ("--max-n", "--max-n N is the largest number of words")),
    "--count": (
        "--total",
        "run prints how many derivations and structures there are; --total sums their weights",
    ),
    "--k": ("--best", "parameters are set by --set k=3, and --best K has the K best structures"),
    **dict.fromkeys(
        ("--lower", "--lowercase"),
        ("--grammar", "words are taken as they are written: write them in small letters"),
    ),
    **dict.fromkeys(
        ("--file", "--input", "--text"),
        ("--conllu", 'a treebank is given by --conllu FILE; a text is a sentence: "$(cat FILE)"'),
    ),
    "--conllu": ("schemata coverage", "files are given without an option: schemata coverage FILE.conllu"),
}
_FORMER = {  # options that were called otherwise; they are still read, with a note
    "accuracy": {"--longest": "--max-words"},
    "compare": {"--random": "--density"},
    "constraints": {"--all": "--limit", "--number": "--most"},
    "explain": {"--all": "--every-step", "--best": "--heaviest"},
    "parse": {"--many-roots": "--roots=many"},
    "pseudo-projective": {"--write": "-o"},
    "relate": {"--counts": "--lengths", "--examples": "--emulations"},
    "train": {"--longest": "--max-words"},
    "why-not": {"--best": "--better-than"},
}
_PICTURES = ("pdf", "png", "picture", "image", "draw", "eps", "ps", "jpg")


def with_present_names(name: str, words: Sequence[str]) -> tuple[list[str], list[Diagnostic]]:
    """Return the words after a command with each option by its present name, and a note for each former one.

    >>> with_present_names("relate", ["cyk", "earley", "--counts=2..4"])[0]
    ['cyk', 'earley', '--lengths=2..4']
    """
    former, found, notes = _FORMER.get(name, {}), list[str](), list[Diagnostic]()
    for k, word in enumerate(words):
        if word == "--":
            return [*found, *words[k:]], notes
        option, sign, value = word.partition("=")
        if option in former:
            now = former[option]
            notes.append(Diagnostic("former-option", f"{option} is now called {now}", severity="warning"))
            found.append(now + sign + value)
        else:
            found.append(word)
    return found, notes


def parser_of(name: str, command: Command, others: Callable[[str], list[str]] | None = None) -> CommandParser:
    """Return the parser of a command: its options in groups, examples below.

    Parameters
    ----------
    name, command : the command.
    others : a function that returns the names of the other commands that have an option.
    """
    layout = argparse.RawDescriptionHelpFormatter
    examples = "\n".join(f"  schemata {example}" for example in EXAMPLES.get(name, ()))
    epilog = f"examples:\n{examples}" if examples else None
    about = inspect.getdoc(command.run)
    parser = CommandParser(
        prog=f"schemata {name}",
        description=about,
        formatter_class=layout,
        epilog=epilog,
        add_help=False,
        allow_abbrev=False,  # else --tree would be read as --tree-budget
    )
    titles = dict.fromkeys(["options", *_GROUPS])
    own = parser.add_argument_group("arguments")
    groups: dict[str, Any] = {}
    for option in command.options:
        if not option.flags[-1].startswith("-"):
            own.add_argument(*option.flags, **option.settings)
            continue
        title = next((_GROUP_OF[flag] for flag in option.flags if flag in _GROUP_OF), "options")
        groups.setdefault(title, []).append(option)
    for title in titles:
        group = parser.add_argument_group(title) if title in groups or title == "options" else own
        for option in groups.get(title, ()):
            group.add_argument(*option.flags, **option.settings)
        if title == "options":
            group.add_argument("-h", "--help", action="help", help="show this help")
    parser.usage = " ".join(parser.usage_words()).replace("%", "%%")
    if others is not None:
        parser.others = others
    return parser


def unknown_command(name: str, commands: Collection[str], is_schema: Callable[[str], bool]) -> UsageError:
    """Return the error for an unknown command, with a hint: the likely command, or a schema to run."""
    hint = _MEANT.get(name.casefold().lstrip("-")) or did_you_mean(name, commands)
    if is_schema(name):
        hint = f"{name} is a schema: schemata run {name} SENTENCE, or schemata show {name}"
    message = f"there is no command {name!r}"
    expected = "a command (see: schemata --help)"
    return UsageError(message, code="unknown-command", expected=expected, hint=hint)


_MEANT = {
    **dict.fromkeys(("parse", "execute", "start"), "did you mean run?"),
    **dict.fromkeys(("prove", "proof", "derive"), "did you mean explain, or verify?"),
    **dict.fromkeys(("test", "validate", "lint"), "did you mean check, or verify?"),
    **dict.fromkeys(("cost", "time", "speed", "bigo"), "did you mean complexity, or profile?"),
    **dict.fromkeys(("print", "cat", "view", "latex"), "did you mean show?"),
    **dict.fromkeys(
        ("draw", "tree", "chart", "trace", "forest"), "did you mean run? It draws: --svg, --tikz, --trace"
    ),
    "version": "schemata --version",
    **dict.fromkeys(("diff", "versus"), "did you mean compare?"),
    **dict.fromkeys(("search", "find", "ls"), "did you mean list WORD?"),
}


def overview(commands: Mapping[str, tuple[str, str]]) -> str:
    """Return the text that `schemata` prints without a command; values are places and summaries of
    commands.
    """
    width = max(map(len, commands))
    lines = [
        "schemata: a workbench for parsing algorithms",
        "",
        "usage: schemata COMMAND ...",
        "",
        "commands:",
    ]
    lines += [f"  {name:<{width}}  {about}" for name, (_, about) in commands.items()]
    lines += ["", "Run 'schemata COMMAND --help' for details. For example:"]
    sentence = '"Economic news had little effect on financial markets"'
    return "\n".join([*lines, f"  schemata run eisner1996 {sentence} --grammar example", ""])
