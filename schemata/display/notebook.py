"""What notebooks show for charts, forests, trees and derivations: a small table in HTML, pictures in SVG."""

from __future__ import annotations

import functools
import math
from html import escape
from typing import TYPE_CHECKING, Any

from schemata.display.arcs_svg import draw_arcs_svg
from schemata.display.columns import printable
from schemata.display.linkages import told_apart
from schemata.display.linkages_svg import draw_linkage_svg
from schemata.display.numbers import number_text

if TYPE_CHECKING:
    from schemata.engine.chart import Chart
    from schemata.forest.forest import Forest

__all__ = ["chart_html", "forest_html", "html_of", "svg_of"]

_TREES = 3  # trees drawn below a table
_FINALS = 5  # final items named in it


def html_of(value: object) -> str:
    """Return a chart or a forest as HTML.

    Raises
    ------
    TypeError : the value is neither.
    """
    from schemata.engine.chart import Chart
    from schemata.forest.forest import Forest

    match value:
        case Chart():
            return chart_html(value)
        case Forest():
            return forest_html(value)
    raise TypeError(f"no HTML for {type(value).__name__}")


def svg_of(value: object) -> str:
    """Return a dependency tree (its words are numbers) or a derivation as SVG.

    Raises
    ------
    TypeError : the value is neither.
    """
    from schemata.forest.derivations import Derivation
    from schemata.structures import DependencyTree

    match value:
        case DependencyTree(heads):
            return draw_arcs_svg([str(d) for d in range(1, len(heads) + 1)], heads)
        case Derivation():
            from schemata.display.derivations_svg import derivation_svg

            return derivation_svg(value)
    raise TypeError(f"no SVG for {type(value).__name__}")


def chart_html(chart: Chart) -> str:
    """Return a chart's counts by form and by step, its final items and first trees."""
    forest = chart.forest()
    state = "accepted" if chart.accepted else "not accepted"
    if chart.stopped:
        state = f"stopped ({chart.stopped}), {state} so far"
    settings = ", ".join(f"{p.name} = {p.value}" for p in chart.schema.parameters)
    rows: list[tuple[str, Any]] = [("items", chart.item_count)]
    if len(chart.items_by_form) > 1:
        rows += [(f"&emsp;{_text(name)}", count) for name, count in chart.items_by_form.items()]
    rows += [("useful items", len(forest.useful_ids)), ("steps", chart.step_count)]
    rows += [(f"&emsp;{_text(name)}", count) for name, count in chart.steps_by_name.items()]
    rows += _forest_rows(forest)
    title = _text(f"{chart.schema.title or chart.schema.name}{f' ({settings})' if settings else ''}")
    sentence = _text(" ".join(chart.sentence.words))
    finals = [_text(item) for item in chart.final_items[:_FINALS]]
    more = len(chart.final_items) - len(finals)
    return "\n".join(
        [
            "<div>",
            f"<p><b>{title}</b><br/><i>{sentence}</i>: {_text(state)}</p>",
            _table(rows),
            f"<p>final items: {', '.join(finals) or 'none'}{f' and {more:,} more' if more > 0 else ''}</p>",
            *_pictures(forest),
            "</div>",
        ]
    )


def forest_html(forest: Forest) -> str:
    """Return a forest's counts and its first trees."""
    given = forest.chart.raw.hypothesis_count
    edges = sum(len(forest.edges_into(item)) for item in forest.order)
    rows: list[tuple[str, Any]] = [
        ("final items", len(forest.roots)),
        ("useful items", len(forest.useful_ids)),
        ("hypotheses used", sum(1 for item in forest.order if item < given)),
        ("hyperedges", edges),
        *_forest_rows(forest),
    ]
    title = f"forest of {forest.chart.schema.name}"
    return "\n".join(["<div>", f"<p><b>{_text(title)}</b></p>", _table(rows), *_pictures(forest), "</div>"])


def _forest_rows(forest: Forest) -> list[tuple[str, Any]]:
    derivations = forest.derivation_count
    shown = "infinitely many" if derivations == math.inf else derivations
    if forest.chart.schema.builds_linkages:
        linkages = forest.count_linkages()
        what, number, at_least = "distinct linkages", linkages.linkages, linkages.at_least
    else:
        trees = forest.count_trees()
        what, number, at_least = "distinct trees", trees.trees, trees.at_least
    return [("derivations", shown), (what, number if number is not None else f"at least {at_least:,}")]


def _pictures(forest: Forest) -> list[str]:
    draw = functools.partial(draw_arcs_svg, forest.chart.sentence.words)
    drawn = [draw(tree.heads) for tree in forest.trees(_TREES)]
    linkages = forest.linkages(_TREES)
    marked = told_apart(linkages)
    drawn += [draw_linkage_svg(x, partners=partners) for x, partners in zip(linkages, marked, strict=True)]
    return [f"<div>{picture}</div>" for picture in drawn]


def _table(rows: list[tuple[str, Any]]) -> str:
    """Return a table; the names are HTML already, the values are not."""
    right = 'style="text-align: right"'
    cells = [
        f'<tr><td style="text-align: left">{name}</td>'
        f"<td {right}>{_text(number_text(value) if isinstance(value, int) else value)}</td></tr>"
        for name, value in rows
    ]
    return "\n".join(["<table>", *cells, "</table>"])


def _text(value: object) -> str:
    return escape(printable(str(value)))
