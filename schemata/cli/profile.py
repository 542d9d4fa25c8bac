"""Profile a schema on a sentence: instances, time and join selectivity of every step, and the plan in words.

Shares of the time and candidates are measured in the generated Python kernel; of a long sentence, on a beginning.
What the engine takes that runs the schema stands beside.
"""

from __future__ import annotations

import argparse
import sys

from schemata.cli.main import report
from schemata.cli.options import (
    add_budget_options,
    add_engine_option,
    add_grammar_options,
    add_json_option,
    add_schema_options,
    chosen_budget,
    chosen_grammar,
    chosen_schema,
    chosen_sentence,
    print_json,
)
from schemata.display.terminal import Patience
from schemata.engine.budget import Interrupted
from schemata.errors import UsageError

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument("sentence", nargs="+", metavar="SENTENCE", help="the words, split at blanks")
    parser.add_argument(
        "--max-n",
        type=int,
        metavar="N",
        help="measure the Python kernel on the first N words (default: as many as make 200,000 step instances)",
    )
    parser.add_argument(
        "--plans", type=int, default=5, metavar="N", help="tell the plans of N steps (default 5)"
    )
    parser.add_argument("--ascii", action="store_true", help="keep to ASCII characters in the table")
    add_grammar_options(parser)
    add_budget_options(parser)
    add_engine_option(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the profile; 2 where a limit was hit."""
    from schemata.analysis.figures import warnings_json, warnings_of
    from schemata.analysis.profile import profile
    from schemata.display.profile import profile_text
    from schemata.display.terminal import can_encode, terminal_width

    if arguments.plans < 0:
        raise UsageError("--plans cannot be negative")
    if arguments.max_n is not None and arguments.max_n < 1:
        raise UsageError("--max-n must be at least 1")
    schema = chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = chosen_grammar(schema, arguments)
    sentence = chosen_sentence(arguments.sentence, arguments.tagged)
    budget = chosen_budget(arguments)
    try:
        with Patience(f"profiling {schema.name}", None):
            found = profile(schema, sentence, grammar, budget, arguments.max_n)
    except Interrupted as stopped:
        report(*stopped.diagnostics)
        return 130
    if found.over is not None:
        report(*found.over.diagnostics)
    report(*warnings_of(found.chart))
    if arguments.json:
        print_json({**found.to_json(), **warnings_json(found.chart)})
    else:
        ascii_only = arguments.ascii or not can_encode(sys.stdout, "│─≤¬∧")
        print(profile_text(found, arguments.plans, width=terminal_width(), ascii=ascii_only))
    return 0 if found.over is None else 2
