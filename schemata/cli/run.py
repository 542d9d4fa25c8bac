"""Run a schema on a sentence or on every sentence of a CoNLL-U file: chart counts, derivations, trees.

A sentence prints its counts and its trees drawn as arcs; a corpus prints one line per sentence.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from schemata.analysis.results import chart_result, run_result, warnings_json, warnings_of
from schemata.cli.corpus import run_corpus
from schemata.cli.draw import add_drawing_options, check_drawing_options, draw_result
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
from schemata.display.patience import Patience
from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.errors import Diagnostic, UsageError
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument("sentence", nargs="*", metavar="SENTENCE", help="the words, split at blanks")
    parser.add_argument("--conllu", metavar="FILE", help="run every sentence of a CoNLL-U file")
    add_grammar_options(parser)
    add_budget_options(parser)
    add_engine_option(parser)
    parser.add_argument(
        "--limit", type=int, default=10, metavar="N", help="trees or linkages to list (default 10)"
    )
    parser.add_argument(
        "--tree-budget",
        type=int,
        metavar="N",
        help="effort to spend on counting trees or linkages exactly (300000; 20000 a sentence of a corpus)",
    )
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters")
    add_drawing_options(parser)
    parser.add_argument(
        "--trace", action="store_true", help="print the numbered table of items with their back-pointers"
    )
    parser.add_argument("--trace-all", action="store_true", help="the same with every step instance")
    parser.add_argument(
        "--useful", action="store_true", help="in a trace, keep the items that derivations of final items use"
    )
    parser.add_argument("--latex", action="store_true", help="print the trace as a LaTeX longtable")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the schema; 1 where a sentence is not accepted."""
    if bool(arguments.sentence) == bool(arguments.conllu):
        raise UsageError(
            Diagnostic("usage", "nothing to run on" if not arguments.conllu else "a sentence and a corpus",
                       expected="a sentence, or --conllu FILE")
        )  # fmt: skip
    if arguments.limit < 0:
        raise UsageError("--limit cannot be negative")
    if arguments.tree_budget is not None and arguments.tree_budget < 0:
        raise UsageError("--tree-budget cannot be negative")
    check_drawing_options(arguments)
    arguments.trace = arguments.trace or arguments.trace_all
    if (arguments.useful or arguments.latex) and not arguments.trace:
        raise UsageError("--useful and --latex are about a trace: add --trace")
    if arguments.trace and arguments.conllu:
        raise UsageError("--trace is of one sentence, not of a corpus")
    if arguments.latex and arguments.json:
        raise UsageError("choose one of --latex and --json")
    schema = chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = chosen_grammar(schema, arguments)
    budget = chosen_budget(arguments)
    if arguments.conllu:
        return run_corpus(schema, grammar, budget, arguments)
    return _run_sentence(schema, grammar, budget, arguments)


def _run_sentence(schema: ParsingSchema, grammar: Any, budget: Budget, arguments: argparse.Namespace) -> int:
    sentence = chosen_sentence(arguments.sentence, arguments.tagged)
    code = 0
    try:
        with Patience(f"running {schema.name}", None):
            chart = schema.run(sentence, grammar, budget=budget)
    except BudgetExceeded as over:
        report(*over.diagnostics)
        chart = over.chart
        code = 130 if isinstance(over, Interrupted) else 2
    report(*warnings_of(chart))
    if arguments.trace:
        _print_trace(chart, arguments)
        return code or (0 if chart.accepted else 1)
    try:
        with Patience("counting derivations and trees", None):
            result = run_result(chart, limit=arguments.limit, tree_budget=arguments.tree_budget)
    except KeyboardInterrupt:
        report(Diagnostic("interrupt", "interrupted while derivations were counted; the chart is complete"))
        result, code = chart_result(chart), 130
    drawn = draw_result(result, arguments)
    if arguments.json:
        print_json({**result.to_json(), **drawn.to_json()})
    else:
        from schemata.display.results import result_text
        from schemata.display.terminal import can_encode, terminal_width

        ascii_only = arguments.ascii or not can_encode(sys.stdout, "│─╭╮╯╰┼▼≤")
        print(result_text(result, width=terminal_width(), ascii=ascii_only))
        if more := drawn.text(width=terminal_width(), ascii=ascii_only):
            print(f"\n{more}")
    return code or (0 if chart.accepted else 1)


def _print_trace(chart: Chart, arguments: argparse.Namespace) -> None:
    from schemata.analysis.trace import trace

    found = trace(chart, arguments.useful, arguments.trace_all)
    if arguments.json:
        print_json({**found.to_json(), **warnings_json(chart)})
    elif arguments.latex:
        from schemata.display.trace_latex import trace_latex

        print(trace_latex(found))
    else:
        from schemata.display.terminal import terminal_width
        from schemata.display.trace import trace_text

        print(trace_text(found, width=terminal_width()))
