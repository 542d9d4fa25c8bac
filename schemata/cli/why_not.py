"""Tell why an item is not derivable: for each step that could derive it, what is missing first.

Without an item, tell why no final item is derivable. Exit code 0: it is derivable; 1: it is not.
"""

from __future__ import annotations

import argparse
from textwrap import fill
from typing import TYPE_CHECKING

from schemata.cli.explain import chart_of
from schemata.cli.options import (
    add_budget_options,
    add_engine_option,
    add_grammar_options,
    add_json_option,
    add_schema_options,
    print_json,
)

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument("sentence", metavar="SENTENCE", help="the words, split at blanks, as one argument")
    parser.add_argument(
        "item", metavar="ITEM", nargs="?", help='the item, for example "span[0, 3, false, true]"'
    )
    parser.add_argument(
        "--depth", type=int, default=3, metavar="N", help="follow the reasons N steps deep (default 3)"
    )
    add_grammar_options(parser)
    add_budget_options(parser)
    add_engine_option(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the reasons; 1 where the item is not derivable."""
    from schemata.analysis.figures import warnings_json
    from schemata.analysis.why_not import why_not
    from schemata.display.explanations import why_not_text
    from schemata.display.terminal import terminal_width

    chart, code = chart_of(arguments)
    reason = why_not(chart, arguments.item, arguments.depth)
    left_out = None if reason.derivable or arguments.unpruned else _left_out(chart)
    if arguments.json:
        found = {
            "schema": chart.schema.name,
            "parameters": {p.name: p.value for p in chart.schema.parameters},
            "sentence": list(chart.sentence.words),
            **reason.to_json(),
        }
        if chart.stopped:
            found["stopped"] = chart.stopped
        if left_out:
            found["hint"] = left_out
        print_json({**found, **warnings_json(chart)})
    else:
        final = arguments.item is None
        print(why_not_text(reason, chart.sentence, final=final, width=terminal_width()))
        if left_out:
            print(f"\n{fill(left_out, terminal_width(), break_on_hyphens=False)}")
    return code or (0 if reason.derivable else 1)


def _left_out(chart: Chart) -> str | None:
    """Return what to say of a chart over a dictionary whose disjuncts have been pruned; None of others."""
    if chart.schema.grammar != "link-grammar":
        return None
    from schemata.grammars.link_grammar.grammar import SentenceDisjuncts

    offered = chart.grammar
    assert isinstance(offered, SentenceDisjuncts)
    if all(offered.disjuncts):
        return "Disjuncts that are in no linkage of the sentence were left out before: --unpruned keeps them."
    return (
        "The sentence has no linkage. That was seen when its disjuncts were pruned: --unpruned keeps them, "
        "so that more can be told."
    )
