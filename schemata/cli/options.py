"""Options that several commands share, what they stand for, and the files and messages that commands write."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemata.cli.main import report
from schemata.engine.budget import Budget
from schemata.engine.choice import ENGINES, EngineName
from schemata.errors import Diagnostic, Location, UsageError
from schemata.language.library import load_file, parse_settings, schema_path, split_reference
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def add_schema_options(parser: argparse.ArgumentParser) -> None:
    """Add the schema's name and its parameters."""
    parser.add_argument(
        "schema", metavar="NAME", help="a shipped schema (also NAME:k=4) or a path to a .schema file"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="set a parameter of the schema"
    )


def add_grammar_options(parser: argparse.ArgumentParser) -> None:
    """Add the choice of grammar."""
    parser.add_argument(
        "--grammar",
        metavar="G",
        help="all (the default for D-rule schemata), gold, heads:2,3,0, or a grammar file",
    )
    parser.add_argument("--single-root", action="store_true", help="list and count trees with one root only")
    parser.add_argument("--tagged", action="store_true", help="words are given as word/TAG")
    parser.add_argument(
        "--unpruned",
        action="store_true",
        help="Link Grammar: keep disjuncts that can be in no linkage of the sentence",
    )


def add_budget_options(parser: argparse.ArgumentParser) -> None:
    """Add the limits of a run."""
    default = Budget()
    parser.add_argument(
        "--max-steps",
        type=int,
        metavar="N",
        help=f"step instances (default {default.steps:,}; natively {default.native_steps:,})",
    )
    parser.add_argument(
        "--max-seconds", type=float, metavar="S", help=f"seconds (default {default.seconds:g})"
    )
    parser.add_argument(
        "--max-memory",
        metavar="M",
        help=f"memory, for example 500M or 2G (default {default.memory >> 20:,}M)",
    )


def add_engine_option(parser: argparse.ArgumentParser) -> None:
    """Add `--engine`."""
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="auto",
        help="auto (the default): generated Python for short runs, native code for long ones; or one of them",
    )


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def chosen_schema(
    reference: str, settings: list[str] | None = None, engine: EngineName = "auto"
) -> ParsingSchema:
    """Load a schema as named on the command line; its warnings go to standard error.

    Raises
    ------
    SchemaError, UsageError : as `schemata.load`.
    """
    from schemata.errors import SchemaError

    name, parameters = split_reference(reference)
    parameters = {**parameters, **parse_settings(settings or [])}
    definition, findings = load_file(schema_path(name), parameters)
    if definition is None:
        raise SchemaError(findings)
    for finding in findings:
        print(finding.render(), file=sys.stderr)
    return ParsingSchema(definition, engine)


def chosen_sentence(words: str | list[str], tagged: bool = False) -> Sentence:
    """Return the sentence given as one or more arguments.

    Raises
    ------
    UsageError : there is no word in it.
    """
    text = words if isinstance(words, str) else " ".join(words)
    if tagged:
        from schemata.grammars import tagged_sentence

        return tagged_sentence(text)
    return Sentence.of(text)


def chosen_grammar(schema: ParsingSchema, arguments: argparse.Namespace) -> Any:
    """Return the grammar that `--grammar` names, fit for the schema; its warnings go to standard error.

    Raises
    ------
    UsageError, GrammarError : there is no such grammar, it is of another kind, or its file is broken.
    """
    if arguments.grammar is None:
        chosen = schema.check_grammar(None)
        if arguments.single_root:
            from schemata.grammars import DRules

            return DRules.all(single_root=True)
        return chosen
    from schemata.grammars import grammar_from_option

    chosen = grammar_from_option(
        arguments.grammar,
        schema.definition.grammar,
        single_root=arguments.single_root,
        pruned=not arguments.unpruned,
    )
    report_grammar(chosen, arguments.grammar)
    return chosen


def chosen_budget(arguments: argparse.Namespace) -> Budget:
    """Return the budget given by options, defaults elsewhere.

    Raises
    ------
    UsageError : a limit is not a positive number.
    """
    default = Budget()
    for name in ("max_steps", "max_seconds"):
        value = getattr(arguments, name)
        if value is not None and not value > 0:
            raise UsageError(f"--{name.replace('_', '-')} must be positive")
    memory = default.memory if arguments.max_memory is None else _bytes(arguments.max_memory)
    return Budget(
        arguments.max_steps if arguments.max_steps is not None else default.steps,
        arguments.max_seconds if arguments.max_seconds is not None else default.seconds,
        memory,
    )


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)i?b?", text.strip().casefold())
    if not found or float(found[1]) <= 0:
        raise UsageError(
            Diagnostic("bad-option", f"--max-memory {text!r} is no amount", expected="500M or 2G")
        )
    return int(float(found[1]) * _UNITS[found[2]])


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object on one line."""
    import json

    print(json.dumps(value, ensure_ascii=False))


def write_text(path: str | Path, text: str) -> Path:
    """Write a UTF-8 file with Unix line ends and return its path.

    Raises
    ------
    UsageError : the file cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise unwritable(path, error) from error
    return Path(path)


def make_directory(path: str | Path) -> Path:
    """Make a directory unless it is there, and return its path.

    Raises
    ------
    UsageError : it cannot be made, or is a file.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error
    if not os.access(path, os.W_OK):
        raise unwritable(path, PermissionError(13, "Permission denied"))
    return Path(path)


def check_writable(path: str | Path) -> None:
    """Find out before a long computation whether its result can be written.

    Raises
    ------
    UsageError : there is no such directory, the file is a directory, or permission is denied.
    """
    file = Path(path)
    try:
        if file.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        if not file.parent.is_dir():
            raise FileNotFoundError(2, f"there is no directory {file.parent}")
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error


def unwritable(path: str | Path, error: OSError | ValueError) -> UsageError:
    """Return the error that says why a file cannot be written."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return UsageError(Diagnostic("unwritable-file", f"{str(path)!r} cannot be written: {reason}"))


_MOST = 10  # warnings shown in full, of a grammar and of a corpus


def report_grammar(grammar: Any, name: str) -> None:
    """Write the warnings about a grammar that a user named, the first ones in full.

    Parameters
    ----------
    grammar : a grammar of any kind.
    name : as the user named it.
    """
    warnings: tuple[Diagnostic, ...] = grammar.warnings
    report(*warnings[:_MOST])
    if (more := len(warnings) - _MOST) > 0:
        message, hint = f"{_count(more)} about {name}", f"schemata check {name} tells all"
        report(Diagnostic("more-warnings", message, hint=hint, severity="warning"))


class CorpusWarnings:
    """Reports the warnings about the sentences of a corpus: the first ten in full, then how many more.

    Parameters
    ----------
    corpus : the file, for the places of sentences.

    >>> found = CorpusWarnings("small.conllu")
    >>> found.report("s1", 5, ())
    >>> found.close()
    """

    def __init__(self, corpus: str) -> None:
        self._corpus = corpus
        self._seen = 0
        self._sentences = 0

    def report(self, name: str, line: int | None, warnings: tuple[Diagnostic, ...]) -> None:
        """Write the warnings about one sentence, unless there were ten before.

        Parameters
        ----------
        name : what the sentence is called.
        line : where it begins in the corpus, if that is known.
        warnings : those about it.
        """
        place = Location(self._corpus, line, 1) if line else None
        shown = warnings[: max(0, _MOST - self._seen)]
        for found in shown:
            report(replace(found, message=f"sentence {name}: {found.message}", location=place))
        self._seen += len(warnings)
        self._sentences += len(shown) < len(warnings)

    def close(self) -> None:
        """Write how many warnings have not been shown, if any."""
        if (more := self._seen - _MOST) > 0:
            sentences = f"{self._sentences:,} sentence{'' if self._sentences == 1 else 's'}"
            message = f"{_count(more)} about {sentences} of {self._corpus}"
            report(Diagnostic("more-warnings", message, hint="--json has them all", severity="warning"))


def _count(more: int) -> str:
    return f"{more:,} more warning{'' if more == 1 else 's'}"
