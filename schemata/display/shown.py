"""What values show of themselves: the text of a command's answer, HTML and pictures in notebooks."""

from __future__ import annotations

import math
from html import escape
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schemata.analysis.figures import structures_of
from schemata.display.results import final_items_of, state_of, title_of
from schemata.display.structures import structure_svgs
from schemata.display.terminal import PAGE, Page
from schemata.engine.chart import Chart
from schemata.errors import printable
from schemata.forest.forest import Forest
from schemata.notebook_hooks import Shown, ShownList
from schemata.structures import DependencyGraph, DependencyTree, Linkage, Sentence
from schemata.structures.constituents import Alignment, AtomSet, ConstituentTree
from schemata.wording import number_text

_OTHERS = ConstituentTree | Alignment | AtomSet
_TREES = 3  # trees drawn below a table


# The functions that tell values as text, by module, each with the types of its values.
_TELLERS = {
    "verdicts:verdict_text": "Verdict Recognition",
    "relations:answer_text": "Answer",
    "relations:answers_text": "Answers",
    "comparison:comparison_text": "Comparison",
    "explanations:explain_text": "Proof",
    "explanations:why_not_text": "WhyNot",
    "verdicts:why_not_tree_text": "WhyNotTree",
    "profile:profile_text": "Profile",
    "results:result_text": "RunResult",
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
    """Return a value as HTML: a schema's rules typeset, a chart, a forest, an item, a list of these, an answer.

    Raises
    ------
    TypeError : there is no HTML for such a value.
    """
    from schemata.charts.chart import Item
    from schemata.display.rules import math_html, schema_html
    from schemata.workbench import ParsingSchema

    match value:
        case ParsingSchema(definition=definition):
            return schema_html(definition)
        case Chart():
            return chart_html(value)
        case Forest():
            return forest_html(value)
        case Item():
            return math_html(value.text)
        case Shown():
            lines = "\n".join(map(_text, text_of(value).split("\n")))
            return f'<pre style="line-height: 1.2">{lines}</pre>'
        case ShownList(sentence=sentence):
            drawn = all(
                isinstance(one, DependencyTree | DependencyGraph | Linkage | _OTHERS) for one in value
            )
            pictures = structure_svgs(sentence, value) if drawn else map(svg_of, value)
            return "\n".join(["<div>", *(f"<div>{picture}</div>" for picture in pictures), "</div>"])
    raise TypeError(f"no HTML for {type(value).__name__}")


def svg_of(value: object) -> str:
    """Return a dependency tree (its words are numbers), a linkage, a derivation or growth as SVG.

    Raises
    ------
    TypeError : the value is none of these.
    """
    from schemata.analysis.compare import Curves
    from schemata.display.derivations import derivation_svg
    from schemata.display.plots import plot_growth
    from schemata.engine.weighing import WeightedStructure
    from schemata.forest.derivations import Derivation

    match value:
        case DependencyTree() | DependencyGraph() | Linkage() | ConstituentTree() | Alignment() | AtomSet():
            return structure_svgs(None, [value])[0]
        case Derivation():
            return derivation_svg(value)
        case Curves():
            with TemporaryDirectory() as folder:
                return plot_growth(value, Path(folder) / "growth.svg").read_text(encoding="utf-8")
        case WeightedStructure(structure=DependencyTree() as tree, derivation=Derivation(words=words)) if (
            words
        ):
            return structure_svgs(Sentence(words), [tree])[0]
        case WeightedStructure():
            return svg_of(value.structure)
    raise TypeError(f"no SVG for {type(value).__name__}")


def chart_html(chart: Chart) -> str:
    """Return a chart's counts by form and by step, its final items and first trees."""
    forest = chart.forest()
    rows: list[tuple[str, Any]] = [("items", chart.item_count)]
    if len(chart.items_by_form) > 1:
        rows += [(f"&emsp;{_text(name)}", count) for name, count in chart.items_by_form.items()]
    rows += [("useful items", len(forest.useful_ids)), ("steps", chart.step_count)]
    rows += [(f"&emsp;{_text(name)}", count) for name, count in chart.steps_by_name.items()]
    sentence = f"<i>{_text(' '.join(chart.sentence.words))}</i>: {_text(state_of(chart))}"
    finals = f"<p>final items: {_text(final_items_of(chart))}</p>"
    return _html(forest, f"<b>{_text(title_of(chart))}</b><br/>{sentence}", rows, finals)


def forest_html(forest: Forest) -> str:
    """Return a forest's counts and its first trees."""
    given = forest.chart.raw.hypothesis_count
    rows: list[tuple[str, Any]] = [
        ("final items", len(forest.roots)),
        ("useful items", len(forest.useful_ids)),
        ("hypotheses used", sum(1 for item in forest.order if item < given)),
        ("hyperedges", sum(len(forest.edges_into(item)) for item in forest.order)),
    ]
    return _html(forest, f"<b>{_text(f'forest of {forest.chart.schema.name}')}</b>", rows)


def _html(forest: Forest, title: str, rows: list[tuple[str, Any]], *below: str) -> str:
    """Return a title, a table (its names are HTML already, its values are not), what is below, and pictures."""
    derivations, count = forest.derivation_count, forest.count_structures()
    distinct = f"at least {count.at_least:,}" if count.exact is None else count.exact
    rows += [
        ("derivations", "infinitely many" if derivations == math.inf else derivations),
        (f"distinct {structures_of(forest.chart.schema)}", distinct),
    ]
    right = 'style="text-align: right"'
    cells = [
        f'<tr><td style="text-align: left">{name}</td>'
        f"<td {right}>{_text(number_text(value) if isinstance(value, int) else value)}</td></tr>"
        for name, value in rows
    ]
    pictures = structure_svgs(forest.chart.sentence, forest.structures(_TREES))
    parts = ["<div>", f"<p>{title}</p>", "<table>", *cells, "</table>", *below]
    return "\n".join([*parts, *(f"<div>{picture}</div>" for picture in pictures), "</div>"])


def _text(value: object) -> str:
    return escape(printable(str(value)))
