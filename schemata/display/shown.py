"""Views of values: the text of a command's answer, HTML, pictures, LaTeX, and files of these."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from schemata.analysis.figures import run_result
from schemata.charts import Item
from schemata.display import svg
from schemata.display.arcs import AnyStructure
from schemata.display.chart_layout import ChartPicture, chart_picture
from schemata.display.structures import structure_svgs, structure_text, structures_tikz
from schemata.display.terminal import PAGE, Page
from schemata.engine.chart import Chart
from schemata.errors import printable, require_library
from schemata.forest.derivations import Derivation
from schemata.forest.forest import Forest
from schemata.records import Shown, ShownList
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema

_TREES = 3  # trees drawn below the figures of a chart
_ITEMS = 1_000  # items of charts that notebooks draw unasked: a picture of more is half a megabyte
_REASONS = (
    200  # items of charts whose reasons are listed in notebooks: an item that is chosen answers with its own
)


# The functions that tell values as text, by module, each with the types of its values.
_TELLERS = {
    "verdicts:verdict_text": "Verdict Recognition",
    "verdicts:correctness_text": "Correctness",
    "verdicts:items_text": "ItemsVerdict",
    "relations:answer_text": "Answer",
    "relations:answers_text": "Answers",
    "comparison:comparison_text": "Comparison",
    "explanations:explain_text": "Proof",
    "explanations:trace_text": "Trace",
    "contents:contents_text": "Contents",
    "explanations:why_not_text": "WhyNot",
    "verdicts:why_not_tree_text": "WhyNotTree",
    "kernels:profile_text": "Profile",
    "constraints:satisfied_text": "Satisfied",
    "constraints:coverage_text": "ConstraintCoverage",
    "constraints:constraint_verdict_text": "ConstraintVerdict",
    "prefixes:next_text": "NextWords",
    "prefixes:prefix_verdict_text": "PrefixVerdict",
    "prefixes:masks_text": "Masks",
    "evaluation:evaluation_text": "Evaluation",
    "evaluation:brackets_text": "BracketScores",
    "results:result_text": "RunResult",
    "costs:complexity_text": "Complexity",
    "costs:counts_text": "Coverage",
    "costs:bracket_counts_text": "BracketCoverage",
    "transitions:followed_text": "Followed",
    "results:why_not_best_text": "WhyNotBest",
    "exercises:exercise_text": "Exercise",
    "exercises:grade_text": "Grade",
}


class NotShownError(TypeError):
    """A value is not shown in this way."""


def text_of(value: object, page: Page = PAGE, *options: Any) -> str:
    """Return the text that a command prints for an answer.

    Parameters
    ----------
    value : a verdict, an answer about relations or a list of them, a comparison, a proof, reasons why not, a profile,
        the figures of a run.
    page : the page it is printed on.
    options : further arguments of the function that renders such a value.

    Raises
    ------
    TypeError : there is no text for such a value.
    """
    for place, types in _TELLERS.items():
        if type(value).__name__ in types.split():
            module, _, function = place.partition(":")
            tell = getattr(import_module(f"schemata.display.{module}"), function)
            return str(tell(value, page, *options))
    raise NotShownError(f"no text for {type(value).__name__}")


def html_of(value: object) -> str:
    """Return a value as HTML: a schema's rules typeset, a chart or forest, an item, a list of these, an answer.

    A chart, and a forest, show the figures of the run, the chart, a derivation with a slider, and the first structures.

    Raises
    ------
    TypeError : there is no HTML for such a value.
    """
    from schemata.display import page
    from schemata.display.rules import math_html, schema_html

    match value:
        case ParsingSchema(definition=definition):
            return schema_html(definition)
        case Chart() | Forest():
            chart: Any = value.chart if isinstance(value, Forest) else value
            listed = chart.raw.item_count <= _REASONS
            return page.run_html(run_result(chart, limit=_TREES), items=listed, largest=_ITEMS)
        case ChartPicture():
            return page.picture_html(value)
        case Item():
            return math_html(value.text)
        case Shown() if type(value).__name__ in ("Verdict", "Recognition"):
            return page.verdict_html(text_of(value), value)
        case Shown():
            return _html(text_of(value), ())
        case ShownList():
            return _html("", _pictures(value))
    raise NotShownError(f"no HTML for {type(value).__name__}")


def page_of(value: Any, *, derivations: int = 3, width: int | None = svg.WIDTH) -> str:
    """Return a value as a self-contained page; a chart or a forest with all views of the run. Pictures of other values
    have the width given.

    Raises
    ------
    TypeError : there is no HTML for such a value.
    """
    from schemata.display import page

    match value:
        case Chart() | Forest():
            return page.page_of(
                value if isinstance(value, Chart) else cast("Chart", value.chart), None, derivations
            )
        case ChartPicture(title=title):
            return page.document_html(title, page.picture_html(value, width=width))
    try:
        fragment = html_of(value)
    except NotShownError:
        fragment = _html("", [svg_of(value, width=width)])
    return page.document_html(repr(value), fragment)


def picture_of(chart: Chart, view: str | None = None, **options: Any) -> ChartPicture:
    """Return a chart laid out for a picture; parameters as for `chart_layout.chart_picture`."""
    return chart_picture(chart, view, **options)


def svg_of(value: object, *, width: int | None = svg.WIDTH, view: str | None = None) -> str:
    """Return a value as a picture in SVG.

    Parameters
    ----------
    value : a chart or its picture; a tree or another structure (its words are numbers), a derivation; a list of these,
        or a forest, whose first structures stand below each other; growth; the counterexamples of a verdict.
    width : the available columns, of 9 pixels; None for as many as needed.
    view : how a chart is drawn.

    Raises
    ------
    TypeError : the value is none of these.
    UsageError : a chart whose items have no place in the sentence.
    """
    from schemata.analysis.compare import Curves
    from schemata.analysis.contents import Contents
    from schemata.display.charts import chart_svg
    from schemata.display.plots import plot_growth
    from schemata.engine.weighing import WeightedStructure
    from schemata.verification.verdicts import Verdict

    match value:
        case Verdict():
            from schemata.display.verdicts import counterexample_svgs

            found = counterexample_svgs(value, width=width)
            if not found:
                raise NotShownError("the verdict has no counterexample")
            return svg.stacked(found)
        case Contents():
            from schemata.display.contents import contents_svg

            return contents_svg(value, width=width)
        case Chart():
            return chart_svg(chart_picture(value, view), width=width)
        case ChartPicture():
            return chart_svg(value, width=width)
        case Forest():
            return svg_of(value.structures(_TREES), width=width)
        case ShownList():
            return svg.stacked(_pictures(value, width))
        case structure if isinstance(structure, AnyStructure | Derivation):
            return structure_svgs(None, [structure], width=width)[0]
        case Curves():
            from tempfile import TemporaryDirectory

            with TemporaryDirectory() as folder:
                return plot_growth(value, Path(folder) / "growth.svg").read_text(encoding="utf-8")
        case WeightedStructure(structure=structure, derivation=Derivation(words=words)):
            return structure_svgs(Sentence(words) if words else None, [structure], width=width)[0]
    raise NotShownError(f"no SVG for {type(value).__name__}")


def tex_of(value: Any, *, width: int | None = svg.WIDTH, view: str | None = None) -> str:
    """Return a value as a fragment of LaTeX: a chart, trees and other structures, derivations as proof trees, the rules
    of a schema, the counterexamples of a verdict.

    Raises
    ------
    TypeError : the value is none of these.
    """
    from schemata.display.charts import chart_tikz
    from schemata.display.latex import derivation_latex, schema_latex
    from schemata.verification.verdicts import Verdict

    match value:
        case Verdict():
            from schemata.display.verdicts import counterexample_tikz

            found = counterexample_tikz(value)
            if not found:
                raise NotShownError("the verdict has no counterexample")
            return "\n".join(found)
        case Chart():
            return chart_tikz(chart_picture(value, view), width=width)
        case ChartPicture():
            return chart_tikz(value, width=width)
        case ParsingSchema(definition=definition):
            return schema_latex(definition)
        case Forest():
            return tex_of(value.structures(_TREES))
        case ShownList(sentence=Sentence() as sentence) if all(
            isinstance(one, AnyStructure) for one in value
        ):
            return structures_tikz(sentence, value)
        case Derivation():
            return derivation_latex(value)
        case ShownList() if value and all(isinstance(one, Derivation) for one in value):
            return "\n\n".join(map(derivation_latex, value))
        case structure if isinstance(structure, AnyStructure):
            words = [str(place) for place in range(1, _length(structure) + 1)]
            return structures_tikz(Sentence.of(words), [structure])
    raise NotShownError(f"no LaTeX for {type(value).__name__}")


def _length(structure: Any) -> int:
    """Return the number of words that a structure has."""
    return len(structure) if hasattr(structure, "__len__") else 1


def plain_text(value: Any, page: Page = PAGE) -> str:
    """Return a value as text: also charts, structures and lists of them, derivations, schemata.

    Raises
    ------
    TypeError : the value is none of these.
    """
    from schemata.display.charts import chart_text
    from schemata.display.rules import typeset_schema

    match value:
        case Chart():
            return chart_text(chart_picture(value), page)
        case ChartPicture():
            return chart_text(value, page)
        case Forest():
            return plain_text(value.structures(_TREES), page)
        case ShownList(sentence=sentence) if all(isinstance(one, AnyStructure | Derivation) for one in value):
            return "\n\n".join(structure_text(sentence, one, page) for one in value)
        case ParsingSchema(definition=definition):
            return typeset_schema(definition, page)
        case structure if isinstance(structure, AnyStructure | Derivation):
            return structure_text(None, structure, page)
    return text_of(value, page)


def data_frame(rows: list[dict[str, Any]]) -> Any:
    """Return rows as a data frame of pandas.

    Raises
    ------
    UsageError : pandas is not installed.
    """
    pandas = require_library(
        "pandas", "data frames need pandas, which is not installed", "pip install pandas"
    )
    return pandas.DataFrame(rows)


def _pictures(values: ShownList[Any], width: int | None = svg.WIDTH) -> list[str]:
    """Return the pictures of the values of a list."""
    if all(isinstance(one, AnyStructure | Derivation) for one in values):
        return structure_svgs(values.sentence, values, width=width)
    return [svg_of(one, width=width) for one in values]


def _html(text: str, pictures: Iterable[str]) -> str:
    """Return a text, if there is any, line by line, and pictures below it."""
    lines = escape("\n".join(map(printable, text.split("\n"))))
    parts = [f'<pre style="line-height: 1.2">{lines}</pre>'] if text else []
    return "\n".join(["<div>", *parts, *(f"<div>{picture}</div>" for picture in pictures), "</div>"])
