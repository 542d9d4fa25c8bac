"""What values show of themselves: the text of a command's answer, HTML and pictures in notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schemata.analysis.figures import run_result
from schemata.charts import Item
from schemata.display.arcs import Structure
from schemata.display.results import result_text
from schemata.display.structures import structure_svgs
from schemata.display.terminal import PAGE, Page
from schemata.engine.chart import Chart
from schemata.errors import printable
from schemata.forest.derivations import Derivation
from schemata.forest.forest import Forest
from schemata.records import Shown, ShownList
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema

_TREES = 3  # trees drawn below the figures of a chart


# The functions that tell values as text, by module, each with the types of its values.
_TELLERS = {
    "verdicts:verdict_text": "Verdict Recognition",
    "verdicts:correctness_text": "Correctness",
    "relations:answer_text": "Answer",
    "relations:answers_text": "Answers",
    "comparison:comparison_text": "Comparison",
    "explanations:explain_text": "Proof",
    "explanations:why_not_text": "WhyNot",
    "verdicts:why_not_tree_text": "WhyNotTree",
    "kernels:profile_text": "Profile",
    "prefixes:next_text": "NextWords",
    "prefixes:prefix_verdict_text": "PrefixVerdict",
    "prefixes:masks_text": "Masks",
    "results:result_text": "RunResult",
    "results:why_not_best_text": "WhyNotBest",
}


def text_of(value: object, page: Page = PAGE, *options: Any) -> str:
    """Return the text that a command prints for an answer.

    Parameters
    ----------
    value : a verdict, an answer about relations or a list of them, a comparison, a proof, reasons why not, a profile,
        the figures of a run.
    page : what it is printed on.
    options : what the function that tells such a value takes beside these.

    Raises
    ------
    TypeError : there is no text for such a value.
    """
    for place, types in _TELLERS.items():
        if type(value).__name__ in types.split():
            module, _, function = place.partition(":")
            tell = getattr(import_module(f"schemata.display.{module}"), function)
            return str(tell(value, page, *options))
    raise TypeError(f"no text for {type(value).__name__}")


def html_of(value: object) -> str:
    """Return a value as HTML: a schema's rules typeset, a chart or forest, an item, a list of these, an answer.

    Raises
    ------
    TypeError : there is no HTML for such a value.
    """
    from schemata.display.rules import math_html, schema_html

    match value:
        case ParsingSchema(definition=definition):
            return schema_html(definition)
        case Chart() | Forest():
            chart: Any = value.chart if isinstance(value, Forest) else value
            result = run_result(chart, limit=_TREES)
            return _html(result_text(result, PAGE, 0), structure_svgs(chart.sentence, result.structures))
        case Item():
            return math_html(value.text)
        case Shown():
            return _html(text_of(value), ())
        case ShownList(sentence=sentence):
            drawn = all(isinstance(one, Structure | Derivation) for one in value)
            pictures = structure_svgs(sentence, value) if drawn else map(svg_of, value)
            return _html("", pictures)
    raise TypeError(f"no HTML for {type(value).__name__}")


def svg_of(value: object) -> str:
    """Return a dependency tree (its words are numbers), a linkage, a derivation or growth as SVG.

    Raises
    ------
    TypeError : the value is none of these.
    """
    from schemata.analysis.compare import Curves
    from schemata.display.plots import plot_growth
    from schemata.engine.weighing import WeightedStructure

    match value:
        case structure if isinstance(structure, Structure | Derivation):
            return structure_svgs(None, [structure])[0]
        case Curves():
            with TemporaryDirectory() as folder:
                return plot_growth(value, Path(folder) / "growth.svg").read_text(encoding="utf-8")
        case WeightedStructure(structure=structure, derivation=Derivation(words=words)):
            return structure_svgs(Sentence(words) if words else None, [structure])[0]
    raise TypeError(f"no SVG for {type(value).__name__}")


def _html(text: str, pictures: Iterable[str]) -> str:
    """Return a text, if there is any, line by line, and pictures below it."""
    lines = escape("\n".join(map(printable, text.split("\n"))))
    parts = [f'<pre style="line-height: 1.2">{lines}</pre>'] if text else []
    return "\n".join(["<div>", *parts, *(f"<div>{picture}</div>" for picture in pictures), "</div>"])
