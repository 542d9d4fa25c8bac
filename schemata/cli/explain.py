"""The commands about single items of a chart: `explain` and `why-not`."""

from __future__ import annotations

from argparse import Namespace
from textwrap import fill
from typing import TYPE_CHECKING, Any

from schemata.analysis.figures import warnings_json
from schemata.cli import command as c
from schemata.cli.main import report

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

_SENTENCE = c.option("sentence", metavar="SENTENCE", help="the words, split at blanks, as one argument")
_ITEM = {"metavar": "ITEM", "help": 'the item, for example "span[0, 3, false, true]"'}


@c.command(
    c.SCHEMA,
    _SENTENCE,
    c.option("item", **_ITEM),
    c.option("--depth", type=int, metavar="N", help="tell the proof N steps deep (default: all)"),
    c.flag("--all", "every step instance that derives the item"),
    c.GRAMMAR,
    c.BUDGET,
    c.ENGINE,
    c.JSON,
)
def explain(arguments: Namespace) -> int:
    """Explain why an item is derivable: a smallest proof of it, or every step instance that derives it.

    The item is written as the schema writes it, with values: "span[0, 3, false, true]". Exit code 1: it is not
    derivable; `schemata why-not` tells what is missing.
    """
    from schemata.analysis import explain as e
    from schemata.analysis.items import NotDerivableError, find_item
    from schemata.display.explanations import derivations_text, explain_text

    chart, code = c.chosen_chart(arguments)
    budget = c.chosen_budget(arguments)
    try:
        if not arguments.all:
            proof = e.explain(chart, arguments.item, arguments.depth, budget)
            c.answer(
                arguments,
                lambda: {**proof.to_json(), **_besides(chart)},
                lambda page: explain_text(proof, width=page.width),
            )
            return code
        inferences = e.derivations_of(chart, arguments.item, budget)
        number = find_item(chart, arguments.item).number
        assert number is not None
        item = chart.item(number)
        found = {
            "item": str(item),
            "derivable": True,
            "hypothesis": number < chart.raw.hypothesis_count,
            "derivations": [i.to_json() for i in inferences],
        }
        c.answer(
            arguments,
            lambda: {**chart.heading(), **found, **_besides(chart)},
            lambda page: derivations_text(chart, item, inferences, width=page.width),
        )
    except NotDerivableError as error:
        report(*error.diagnostics)
        if arguments.json:
            found = {
                "schema": chart.schema.name,
                "sentence": list(chart.sentence.words),
                "item": find_item(chart, arguments.item).text,
                "derivable": False,
                "nearest": [str(x) for x in error.nearest],
                "hint": error.diagnostics[0].hint,
            }
            c.print_json({**found, **_besides(chart)})
        return code or 1
    return code


@c.command(
    c.SCHEMA,
    _SENTENCE,
    c.option("item", nargs="?", **_ITEM),
    c.option("--depth", type=int, default=3, metavar="N", help="follow the reasons N steps deep (default 3)"),
    c.GRAMMAR,
    c.BUDGET,
    c.ENGINE,
    c.JSON,
)
def why_not(arguments: Namespace) -> int:
    """Tell why an item is not derivable: for each step that could derive it, what is missing first.

    Without an item, tell why no final item is derivable. Exit code 0: it is derivable; 1: it is not.
    """
    from schemata.analysis import why_not as w
    from schemata.display.explanations import why_not_text
    from schemata.display.text import Page

    chart, code = c.chosen_chart(arguments)
    reason = w.why_not(chart, arguments.item, arguments.depth)
    hint = None if reason.derivable or arguments.unpruned else _left_out(chart)

    def as_text(page: Page) -> str:
        text = why_not_text(reason, chart.sentence, final=arguments.item is None, width=page.width)
        return f"{text}\n\n{fill(hint, page.width, break_on_hyphens=False)}" if hint else text

    stopped = {"stopped": chart.stopped} if chart.stopped else {}
    hints = {"hint": hint} if hint else {}
    c.answer(
        arguments,
        lambda: {**chart.heading(), **reason.to_json(), **stopped, **hints, **warnings_json(chart)},
        as_text,
    )
    return code or (0 if reason.derivable else 1)


def _besides(chart: Chart) -> dict[str, Any]:
    """Return what JSON has beside an answer: the budget that ended the run, and warnings."""
    return {**({"stopped": chart.stopped} if chart.stopped else {}), **warnings_json(chart)}


def _left_out(chart: Chart) -> str | None:
    """Return what to say of a chart over a dictionary whose disjuncts have been pruned; None of others."""
    if chart.schema.grammar != "link-grammar":
        return None
    from schemata.grammars.link_grammar.sequences import SentenceDisjuncts

    offered = chart.grammar
    assert isinstance(offered, SentenceDisjuncts)
    if all(offered.disjuncts):
        return "Disjuncts that are in no linkage of the sentence were left out before: --unpruned keeps them."
    return (
        "The sentence has no linkage. That was seen when its disjuncts were pruned: --unpruned keeps them, "
        "so that more can be told."
    )
