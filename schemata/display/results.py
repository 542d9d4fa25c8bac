"""The figures of a run: as text, and as notebooks show charts, forests, trees and derivations."""

from __future__ import annotations

import functools
import math
from html import escape
from typing import TYPE_CHECKING, Any

from schemata.display.arcs import draw_arcs, draw_linkage, told_apart
from schemata.display.text import named, number_text, quantity
from schemata.errors import printable
from schemata.structures import Sentence

if TYPE_CHECKING:
    from schemata.analysis.figures import RunResult
    from schemata.engine.chart import Chart
    from schemata.forest.forest import Forest
    from schemata.forest.trees import Count


def result_text(result: RunResult, *, width: int = 80, ascii: bool = False) -> str:
    """Return the text that `schemata run` prints for one sentence."""
    chart = result.chart
    verdict = "accepted" if chart.accepted else "not accepted"
    if result.stopped:
        how = "interrupted" if result.stopped == "interrupt" else f"stopped by the limit on {result.stopped}"
        verdict = f"{how}, {verdict} so far"
    useful = "" if result.useful_items is None else f"   ({result.useful_items:,} useful)"
    steps = chart.steps_by_name
    widest = max(map(len, steps))
    lines = [
        _title(chart),
        f"{len(chart.sentence)} words: {verdict}",
        "",
        f"  items       {chart.item_count:>10,}{useful}",
    ]
    if len(chart.items_by_form) > 1:
        lines += [f"    {name:<10}{count:>10,}" for name, count in chart.items_by_form.items()]
    lines.append(f"  steps       {chart.step_count:>10,}")
    lines += [f"    {name:<{widest}}  {count:>{max(1, 18 - widest)},}" for name, count in steps.items()]
    lines.append(f"  hypotheses  {chart.raw.hypothesis_count:>10,}")
    lines.append(f"  final items {_final_items(chart)}")
    lines.append(f"  seconds     {chart.seconds:>10.4f}")
    if result.linkage_count is not None and chart.accepted:
        lines += ["", *_about_linkages(result, result.linkage_count), *_linkages(result, width, ascii)]
    elif chart.accepted and (result.derivations is not None or result.trees or not result.stopped):
        lines += ["", *_about_trees(result)]
        for number, tree in enumerate(result.trees, start=1):
            lines += ["", f"tree {number}: heads {' '.join(map(str, tree.heads))}"]
            lines.append(draw_arcs(chart.sentence.words, tree.heads, width=width, ascii=ascii))
    return "\n".join(lines)


def _title(chart: Chart) -> str:
    schema = chart.schema
    return named(schema.title or schema.name, {p.name: p.value for p in schema.parameters})


def _final_items(chart: Chart) -> str:
    finals = [str(item) for item in chart.final_items[:_FINALS]]
    more = len(chart.final_items) - len(finals)
    return f"{', '.join(finals) or 'none'}{f' and {more:,} more' if more else ''}"


def _linkages(result: RunResult, width: int, ascii: bool) -> list[str]:
    """Return the linkages drawn; where two would look the same, with what each connector links."""
    lines: list[str] = []
    partners = told_apart(result.linkages)
    if any(partners):
        lines += [
            "linkages that differ only in which connectors make the links",
            "have behind connectors, in parentheses, the positions they link",
        ]
    for number, (linkage, marked) in enumerate(zip(result.linkages, partners, strict=True), start=1):
        drawn = draw_linkage(linkage, width=width, ascii=ascii, partners=marked)
        lines += ["", f"linkage {number}", drawn]
    return lines


def _about_linkages(result: RunResult, count: Count) -> list[str]:
    """Say how derivations and linkages compare."""
    if result.derivations is None:
        return ["some of its linkages, cheapest first:"]
    linkages = _distinct(count.exact, count.at_least, "linkage")
    said = [f"{_derivations(result.derivations)}, {linkages}"]
    if count.exact is not None and result.derivations > count.exact + (count.others or 0):
        said.append("spurious ambiguity: the schema derives some linkages more than once")
    if count.others:
        sets = quantity(count.others, "set")
        said.append(f"{sets} of links that leave a word without a disjunct, not listed")
    if result.linkages and not result.linkages_complete:
        said.append(f"the cheapest {quantity(len(result.linkages), 'linkage')}:")
    return said


def _about_trees(result: RunResult) -> list[str]:
    """Say how derivations and trees compare."""
    derivations = result.derivations
    if derivations is None and result.stopped:
        return ["some of its trees:"]
    if derivations is None:
        trees = "; some of its trees:" if result.trees else ""
        return [
            f"derivations are not counted in a chart of {result.chart.step_count:,} step instances{trees}"
        ]
    if not result.chart.schema.builds_links:
        return [f"{_derivations(derivations)}; the schema builds no links, so there are no trees of words"]
    infinite = derivations == math.inf
    note = " (an item takes part in its own derivation)" if infinite else ""
    trees = _distinct(result.distinct_trees, result.distinct_trees_at_least, "tree")
    said = [f"{_derivations(derivations)}{note}, {trees}"]
    structures = (result.distinct_trees or 0) + (result.not_trees or 0)
    if infinite or (result.distinct_trees is not None and derivations > structures):
        said.append("spurious ambiguity: the schema derives some structures more than once")
    if result.not_trees:
        said.append(
            f"{quantity(result.not_trees, 'structure')} that "
            f"{'is no tree' if result.not_trees == 1 else 'are no trees'}"
            " (a cycle, a word with two heads, or several words without one), not listed"
        )
    if result.trees and not result.trees_complete:
        said.append(f"the first {quantity(len(result.trees), 'tree')}:")
    return said


def _derivations(count: int | float) -> str:
    return "infinitely many derivations" if count == math.inf else quantity(int(count), "derivation")


def _distinct(count: int | None, at_least: int, what: str) -> str:
    return f"at least {at_least:,} distinct {what}s" if count is None else quantity(count, f"distinct {what}")


def corpus_line(result: RunResult, sentence: Sentence, number: int) -> str:
    """Return one sentence's line of a run over a corpus."""
    chart = result.chart
    if result.linkage_count is not None:
        what, exact, at_least = "linkages", result.linkage_count.exact, result.linkage_count.at_least
    else:
        what, exact, at_least = "trees", result.distinct_trees, result.distinct_trees_at_least
    found = f"{exact:,}" if exact is not None else f">={at_least:,}"
    state = "accepted" if chart.accepted else "rejected"
    if result.stopped:
        state = f"stopped ({result.stopped})"
    return (
        f"{sentence.name or number}  {len(chart.sentence)} words  {state}  {chart.item_count:,} items  "
        f"{chart.step_count:,} steps  {found} {what}"
    )


def corpus_summary(schema: str, accepted: int, done: int, skipped: int) -> str:
    """Return the last line of a run over a corpus."""
    text = f"{schema}: accepted {accepted:,} of {done:,} sentences"
    return f"{text}, {skipped:,} skipped" if skipped else text


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
    from schemata.display.svg import derivation_svg, draw_arcs_svg
    from schemata.forest.derivations import Derivation
    from schemata.structures import DependencyTree

    match value:
        case DependencyTree(heads):
            return draw_arcs_svg([str(d) for d in range(1, len(heads) + 1)], heads)
        case Derivation():
            return derivation_svg(value)
    raise TypeError(f"no SVG for {type(value).__name__}")


def chart_html(chart: Chart) -> str:
    """Return a chart's counts by form and by step, its final items and first trees."""
    forest = chart.forest()
    state = "accepted" if chart.accepted else "not accepted"
    if chart.stopped:
        state = f"stopped ({chart.stopped}), {state} so far"
    rows: list[tuple[str, Any]] = [("items", chart.item_count)]
    if len(chart.items_by_form) > 1:
        rows += [(f"&emsp;{_text(name)}", count) for name, count in chart.items_by_form.items()]
    rows += [("useful items", len(forest.useful_ids)), ("steps", chart.step_count)]
    rows += [(f"&emsp;{_text(name)}", count) for name, count in chart.steps_by_name.items()]
    rows += _forest_rows(forest)
    sentence = _text(" ".join(chart.sentence.words))
    return "\n".join(
        [
            "<div>",
            f"<p><b>{_text(_title(chart))}</b><br/><i>{sentence}</i>: {_text(state)}</p>",
            _table(rows),
            f"<p>final items: {_text(_final_items(chart))}</p>",
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
        what, number, at_least = "distinct linkages", linkages.exact, linkages.at_least
    else:
        trees = forest.count_trees()
        what, number, at_least = "distinct trees", trees.exact, trees.at_least
    return [("derivations", shown), (what, number if number is not None else f"at least {at_least:,}")]


def _pictures(forest: Forest) -> list[str]:
    from schemata.display.svg import draw_arcs_svg, draw_linkage_svg

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
