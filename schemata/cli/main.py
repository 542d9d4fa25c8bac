"""The `schemata` command: finds the function of a command, and turns errors into messages and exit codes.

Exit codes: 0 yes or done; 1 the answer is no; 2 bad usage or input, a budget hit, or something in a corpus skipped; 130
on Ctrl-C, 143 if the process is asked to end, 129 if its terminal is closed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from schemata.cli.output import print_json, report, working, write
from schemata.cli.usage import overview, parser_of, unknown_command, with_present_names
from schemata.errors import Diagnostic, SchemataError

if TYPE_CHECKING:
    from schemata.cli.command import Command

# Name, module and function, what it does; the function is declared with `schemata.cli.command.command`.
_COMMANDS = """\
list              library:list_schemata list the shipped schemata
show              library:show show a schema's rules, typeset
check             library:check check schemata, relations and grammars, all mistakes at once
format            library:format_files lay out schema files: rules as in papers, comments kept
new               library:new write a new schema to begin with
run               run:run run a schema on a sentence or a treebank
verify            deciding:verify check that a schema parses exactly a class of trees
relate            deciding:relate decide how two schemata are related, and show why
explain           explain:explain prove an item: why it is derivable
why-not           explain:why_not explain why an item cannot be derived
compare           compare:compare compare schemata side by side, on a sentence, lengths or a treebank
complexity        costs:complexity time and space from the rules, and formulas for counts
coverage          costs:coverage count the trees of treebanks by class, and those that schemata parse
next              prefixes:following print the words that can follow a prefix, with their probabilities
masks             prefixes:masks compare another program's masks with a grammar's: constrained decoding
train             learning:train train a parser on treebanks, and write its model
estimate          estimation:estimate estimate the weights of a grammar from sentences alone
parse             learning:parse give sentences the trees that a model finds best
evaluate          learning:evaluate compare the trees of parsers with gold trees
accuracy          learning:accuracy train parsers on treebanks, and compare how accurate they are
constraints       constraints:constraints parse with a constraint dependency grammar, and say why values are out
playground        playground:playground serve a page in the browser: write, run, draw, verify
exercise          exercises:exercise show an exercise about parsing algorithms, or grade an answer
step              explain:step go through a run item by item, back and forth
oracle            transitions:oracle print the transitions by which a transition system builds a gold tree
system            transitions:system decide if transition systems are divisible, robust, bounded; their lengths
tabulate          transitions:tabulate write the schema that tabulates a transition system, or the way back
pseudo-projective transitions:pseudo_projective make the trees of a treebank projective, and undo it
grammar           library:grammar extract a grammar from a treebank
profile           explain:profile measure what each step of a schema costs, and why
compile           explain:compile_kernel print the kernel generated from a schema
lsp               library:lsp run the language server for editors, over standard input and output
completion        completion:completion print the script by which bash, zsh or fish completes commands
"""
COMMANDS = {name: (place, about) for name, place, about in (x.split(None, 2) for x in _COMMANDS.splitlines())}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    began = time.monotonic()
    words = list(sys.argv[1:] if arguments is None else arguments)
    is_open = sys.stdout is not None
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before Python started
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as Python runs
        elif hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="replace")
    if not is_open:
        report(Diagnostic("output", "the output cannot be written: standard output is closed"))
        return 2
    if words[:1] == ["help"]:  # `help run` for `run --help`
        words = [*words[1:2], "--help"]
    if not words or words[0] in ("-h", "--help"):
        write(overview(COMMANDS))
        return 0 if words else 2
    if words[0] == "--version":
        from schemata.version import __version__

        write(f"schemata {__version__}\n")
        return 0
    name = words[0]
    try:
        if name not in COMMANDS:
            raise unknown_command(name, COMMANDS, _is_schema)
        command = command_of(name)
        parser = parser_of(name, command, _commands_with)
        present, notes = with_present_names(name, words[1:])
        report(*notes)
        arguments_of = parser.parse_words(present, argparse.Namespace(began=began))
        with working(name):
            code = command(arguments_of)
        sys.stdout.flush()
        return code
    except SchemataError as error:
        return _refused(words, *error.diagnostics)
    except BrokenPipeError:
        # The reader went away (`| head`); what is left in the buffer must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        report(Diagnostic("interrupt", "interrupted"))
        return 130
    except (MemoryError, ImportError, RuntimeError, OSError) as problem:
        if isinstance(problem, OSError) and problem.filename:
            message = f"{str(problem.filename)!r} cannot be used: {problem.strerror}"
            return _refused(words, Diagnostic("no-file", message))
        if isinstance(problem, OSError) and problem.errno is not None:
            report(Diagnostic("output", f"the output cannot be written: {problem.strerror or problem}"))
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        elif isinstance(problem, RuntimeError) and "thread" not in str(problem):
            raise
        else:
            report(_lack_of_memory(problem))
        return 2


def _refused(words: Sequence[str], *diagnostics: Diagnostic) -> int:
    """Report why a command is refused, as JSON too where that is asked for; returns the exit code."""
    report(*diagnostics)
    if "--json" in words:
        print_json({"errors": [diagnostic.to_json() for diagnostic in diagnostics]})
    return 2


def command_of(name: str) -> Command:
    """Return the command of a name."""
    module, _, function = COMMANDS[name][0].partition(":")
    command: Command = getattr(importlib.import_module(f"schemata.cli.{module}"), function)
    return command


def _commands_with(option: str) -> list[str]:
    """Return the names of the commands that have an option."""
    return [name for name in COMMANDS if any(option in x.flags for x in command_of(name).options)]


def _is_schema(name: str) -> bool:
    from schemata.language.shipped import ALIASES, shipped_schemata

    return ALIASES.get(name, name).partition(":")[0] in shipped_schemata() or name.endswith(".schema")


def missing_library(module: str) -> Diagnostic:
    """Return the finding that the library of a module is not installed."""
    library = module.partition(".")[0]
    name = _DISTRIBUTIONS.get(library, library)
    install = f"await micropip.install({name!r})" if sys.platform == "emscripten" else f"pip install {name}"
    return Diagnostic(
        "missing-library", f"the library {name} is not installed", hint=f"install it: {install}"
    )


_DISTRIBUTIONS = {"z3": "z3-solver"}  # names of libraries that are not those of their modules


def _lack_of_memory(problem: BaseException) -> Diagnostic:
    """Return the error for a lack of memory, also if it prevents a library or a thread from being loaded."""
    said = str(problem.__cause__ or problem).strip().partition("\n")[0]
    message = f"there is not enough memory{f': {said}' if said else ''}"
    hint = "ulimit -v says how much a process may have" if os.name == "posix" else None
    if isinstance(problem, ModuleNotFoundError):
        return missing_library(problem.name or said)
    if isinstance(problem, ImportError):
        message = f"a library cannot be loaded: {said}"
        hint = "there is too little memory, or it was installed for another Python"
    return Diagnostic("memory", message, hint=hint)


def run_and_exit() -> NoReturn:
    """Run the command line and exit; at once, if Ctrl-C came while machine code was made, which cannot be stopped."""
    # Numpy's threads take address space, and nothing uses them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    ending = _end_in_order()
    try:
        code = main()
    except (KeyboardInterrupt, Exception):
        if not ending:  # else it came while modules were imported
            raise
        print("error: interrupted", file=sys.stderr)
        code = 130
    if code == 130 and ending:
        code = 128 + ending[0]
    compiler = sys.modules.get("schemata.machine.compile")
    if compiler is not None and compiler.is_compiling():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    raise SystemExit(code)


def _end_in_order() -> list[int]:
    """Make SIGTERM and SIGHUP act as Ctrl-C; returns a list that receives the number of the signal.

    Where the signal is ignored, as under `nohup`, it stays so.
    """
    came: list[int] = []

    def end(number: int, frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)
    return came
