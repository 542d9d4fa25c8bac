"""Explain why an item is derivable: a smallest proof of it, or every step instance that derives it.

The item is written as the schema writes it, with values: "span[0, 3, false, true]". Exit code 1: it is not
derivable; `schemata why-not` tells what is missing.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from schemata.analysis.figures import warnings_json, warnings_of
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
from schemata.engine.budget import BudgetExceeded, Interrupted

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

__all__ = ["chart_of", "configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument("sentence", metavar="SENTENCE", help="the words, split at blanks, as one argument")
    parser.add_argument("item", metavar="ITEM", help='the item, for example "span[0, 3, false, true]"')
    parser.add_argument("--depth", type=int, metavar="N", help="tell the proof N steps deep (default: all)")
    parser.add_argument("--all", action="store_true", help="every step instance that derives the item")
    add_grammar_options(parser)
    add_budget_options(parser)
    add_engine_option(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a proof; 1 where there is none."""
    from schemata.analysis.explain import derivations_of, explain
    from schemata.analysis.items import NotDerivableError, find_item
    from schemata.display.explanations import derivations_text, explain_text
    from schemata.display.terminal import terminal_width

    chart, code = chart_of(arguments)
    try:
        if not arguments.all:
            proof = explain(chart, arguments.item, arguments.depth, chosen_budget(arguments))
            if arguments.json:
                print_json({**proof.to_json(), **_besides(chart)})
            else:
                print(explain_text(proof, width=terminal_width()))
            return code
        inferences = derivations_of(chart, arguments.item, chosen_budget(arguments))
        number = find_item(chart, arguments.item).number
        assert number is not None
        if arguments.json:
            print_json(
                {
                    "schema": chart.schema.name,
                    "parameters": {p.name: p.value for p in chart.schema.parameters},
                    "sentence": list(chart.sentence.words),
                    "item": str(chart.item(number)),
                    "derivable": True,
                    "hypothesis": number < chart.raw.hypothesis_count,
                    "derivations": [i.to_json() for i in inferences],
                    **_besides(chart),
                }
            )
        else:
            print(derivations_text(chart, chart.item(number), inferences, width=terminal_width()))
    except NotDerivableError as error:
        report(*error.diagnostics)
        if arguments.json:
            found = error.diagnostics[0]
            print_json(
                {
                    "schema": chart.schema.name,
                    "sentence": list(chart.sentence.words),
                    "item": find_item(chart, arguments.item).text,
                    "derivable": False,
                    "nearest": [str(x) for x in error.nearest],
                    "hint": found.hint,
                    **_besides(chart),
                }
            )
        return code or 1
    return code


def chart_of(arguments: argparse.Namespace) -> tuple[Chart, int]:
    """Run the schema that a command names on its sentence; the code is 2 where a budget was hit, else 0."""
    schema = chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = chosen_grammar(schema, arguments)
    sentence = chosen_sentence(arguments.sentence, arguments.tagged)
    code = 0
    try:
        chart = schema.run(sentence, grammar, budget=chosen_budget(arguments))
    except BudgetExceeded as over:
        report(*over.diagnostics)
        chart = over.chart
        code = 130 if isinstance(over, Interrupted) else 2
    report(*warnings_of(chart))
    return chart, code


def _besides(chart: Chart) -> dict[str, Any]:
    """Return what JSON has beside an answer: the budget that ended the run, and warnings."""
    return {**({"stopped": chart.stopped} if chart.stopped else {}), **warnings_json(chart)}
