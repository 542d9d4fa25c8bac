"""The commands about prefixes: `next` for the words that can follow, `masks` to test another program."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from functools import partial
from pathlib import PurePath
from typing import Any

from schemata.cli import command as c
from schemata.cli.output import json_text, print_json, report, waiting, write
from schemata.display.prefixes import next_text
from schemata.display.terminal import progress
from schemata.engine.exceeded import BudgetExceeded, Interrupted
from schemata.errors import UsageError
from schemata.grammars.kinds import grammar_from_option
from schemata.kinds import CONTEXT_FREE, DEPENDENCY_RULES, GRAMMAR_SUFFIXES
from schemata.structures.sentence import tagged_sentence
from schemata.text_files import read_file
from schemata.verification.masks import PATIENCE, compare_masks, serve
from schemata.verification.prefixes import next_words, verify_prefixes


@c.command(
    c.SCHEMA,
    c.option("prefix PREFIX", "the words so far, split at blanks; none for the beginning", nargs="*"),
    c.GRAMMAR[0],
    c.TAGGED,
    c.ROOM,
    c.number("--limit N", "at most N words are shown (default 30)", 30, above=-1),
    c.BUDGET,
    c.ASCII,
    c.WIDTH,
    c.JSON,
)
def following(arguments: Namespace) -> int:
    """Print the words that can follow a prefix so that a sentence of the grammar is still possible.

    The schema is run on the prefix with one word more; over context-free grammars and dependency rules its answer is
    compared with that of the rules, and a schema without the valid-prefix property is refused. Over facts and D-rules,
    sentences that go on so are looked for, and it is told which words the items accept. Where rules have weights, each
    word has its probability, an exact sum over all sentences that begin so.
    Exit code 0: some sentence begins with the prefix; 1: none does; 2: bad usage, a budget was hit, or none was found
    with --room words more.
    """
    schema = c.chosen_schema(arguments.schema, arguments.set)
    words = " ".join(arguments.prefix).split()
    prefix: Any = tagged_sentence(" ".join(words)) if arguments.tagged and words else words
    budget = c.chosen_budget(arguments)
    try:
        found = next_words(schema, prefix, arguments.grammar, budget=budget, room=arguments.room)
    except BudgetExceeded as over:
        report(*over.diagnostics)
        if arguments.json:
            print_json({"stopped": over.reason})
        return 130 if isinstance(over, Interrupted) else 2
    report(*found.warnings)
    code = c.exit_code(found.valid)
    return c.answer(arguments, found, partial(next_text, found, limit=arguments.limit), code)


def verify_prefix(arguments: Namespace, schema: Any, budget: Any) -> int:
    """Decide whether a schema has the valid-prefix property: `schemata verify NAME --prefix`."""
    seconds = arguments.max_seconds and 0.9 * arguments.max_seconds
    empty = arguments.class_name is None or arguments.class_name == "all"
    if not empty and arguments.class_name != "non-empty":
        raise UsageError("--prefix goes with --class non-empty alone: grammars without empty bodies")
    if arguments.grammar and not empty:
        raise UsageError("--class non-empty chooses small grammars, and --grammar gives one")
    settings: dict[str, Any] = {"seed": arguments.seed, "empty": empty, "budget": budget, "seconds": seconds}
    settings |= {"grammar": arguments.grammar, "room": arguments.room}
    verdict = verify_prefixes(schema, arguments.max_n, watch=progress, **settings)
    report(*verdict.warnings)
    return c.answer(arguments, verdict, code=c.exit_code(verdict.holds, verdict.stopped))


@c.command(
    c.option(
        "grammar GRAMMAR", "a file of a context-free grammar or of dependency rules; example: a shipped one"
    ),
    c.option("--against COMMAND", "the program, with its arguments, in quotes; it is run without a shell"),
    c.flag("--serve", "answer such requests from standard input instead, by the grammar"),
    c.number(
        "--max-n N", "the greatest number of words of prefixes that are all tried (default 4)", 4, above=-1
    ),
    c.number("--most N", "at most N prefixes of these (default 2000)", 2_000, above=0),
    c.number("--random N", "try N random prefixes beside these (default 200)", 200, above=-1),
    c.SEED,
    c.number("--limit N", "at most N differences are shown (default 10)", 10, above=-1),
    c.number("--patience S", f"seconds for each answer (default {PATIENCE:g})", PATIENCE, 0, float),
    c.LIMITS,
    c.WIDTH,
    c.JSON,
    apart=(("--serve", "--against --json"),),
)
def masks(arguments: Namespace) -> int:
    """Compare the words that another program lets follow each prefix with those of a grammar: constrained decoding.

    The program reads lines of JSON. First {"words": [...], "grammar": "..."}, which it does not answer; then lines such
    as {"prefix": ["the", "cat"]}, each answered by a line {"next": ["sleeps"], "end": false} before the next is sent.
    Exit code 0: all masks are the same; 1: some differ, and the first differences are shown; 2: bad usage, or the
    program or a limit prevented the comparison.
    """
    name = arguments.grammar
    kind = GRAMMAR_SUFFIXES.get(PurePath(name).suffix.lower(), CONTEXT_FREE)
    kind = kind if kind == DEPENDENCY_RULES else CONTEXT_FREE
    grammar = grammar_from_option(name, kind)
    if arguments.serve:
        waiting()
        for answer in serve(grammar, sys.stdin):
            write(json_text(answer) + "\n")
            sys.stdout.flush()
        return 0
    if arguments.against is None:
        raise UsageError("masks of which program?", expected="--against COMMAND, or --serve")
    try:
        command = shlex.split(arguments.against)
    except ValueError as error:
        raise UsageError(f"--against {arguments.against!r} is not a command: {error}") from None
    text = "" if name == "example" else read_file(name, UsageError, "a grammar file", 20_000_000)
    found = compare_masks(
        grammar,
        command,
        text=text,
        max_n=arguments.max_n,
        most=arguments.most,
        random=arguments.random,
        seed=arguments.seed,
        shown=arguments.limit,
        patience=arguments.patience,
        seconds=arguments.max_seconds and 0.9 * arguments.max_seconds,
        watch=progress,
    )
    return c.answer(arguments, found, code=c.exit_code(found.agrees, found.stopped))
