"""Profile a schema on a sentence: instances, time and join selectivity of every step, and the plan in words.

The shares are measured in the generated Python kernel; the time of the engine that runs the schema stands beside.
"""

from __future__ import annotations

import argparse

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
from schemata.errors import UsageError

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument("sentence", metavar="SENTENCE", help="the words, split at blanks, as one argument")
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
    from schemata.analysis.profile import profile
    from schemata.display.profile import profile_text

    if arguments.plans < 0:
        raise UsageError("--plans cannot be negative")
    schema = chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = chosen_grammar(schema, arguments)
    sentence = chosen_sentence(arguments.sentence, arguments.tagged)
    found = profile(schema, sentence, grammar, chosen_budget(arguments))
    if arguments.json:
        print_json(found.to_json())
    else:
        print(profile_text(found, arguments.plans, ascii=arguments.ascii))
        if found.stopped:
            print(f"\na limit was hit ({found.stopped}): the figures are those of the part that was run")
    return 2 if found.stopped else 0
