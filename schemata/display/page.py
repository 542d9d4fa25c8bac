"""A run as HTML: its chart, derivations with a slider, structures, and the items with their reasons.

`run_html` returns a fragment, which notebooks show; `document_html` makes a page of one. Both carry their style sheet
and script, refer to nothing outside themselves, and have no ids: several may stand in one document. Without the
script, everything is shown at once. All text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.analysis.explain import TraceRow, trace_rows
from schemata.analysis.figures import RunResult, run_result
from schemata.display import svg
from schemata.display.arc_layout import links_picture
from schemata.display.arcs import arcs_svg
from schemata.display.chart_layout import VIEWS, ChartPicture, ChartView, chart_picture
from schemata.display.charts import chart_svg
from schemata.display.results import result_text
from schemata.display.structures import structure_svgs
from schemata.display.terminal import PAGE
from schemata.display.trees import derivation_svg, step_text
from schemata.display.verdicts import structure_of
from schemata.errors import UsageError, printable
from schemata.forest.derivations import Derivation, iterate_derivations
from schemata.records import Record, json_of
from schemata.structures import Linkage
from schemata.wording import quantity

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

_MOST_ITEMS = 2_000  # rows of the table of items
_LARGEST = 50_000  # items of charts whose reasons are looked for
_DRAWN = 6_000  # items of charts that are drawn
_CELL = 12  # items of a cell that are drawn
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_PAGE_STYLE = """
:root { color-scheme: light dark; }
body { font-family: system-ui, sans-serif; margin: 1.5rem auto; max-width: 72rem; padding: 0 1rem;
  color: #1f2328; background: #fff; }
@media (prefers-color-scheme: dark) { body { color: #dfe3e8; background: #14171b; } }
"""


def safe(text: object) -> str:
    """Return text as it may stand in HTML, in elements and attributes."""
    return escape(printable(str(text)))


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def script() -> str:
    """Return the script of the views, `display/page.js`, which other pages may use."""
    return _file("page.js")


def style() -> str:
    """Return the style sheet of the views."""
    return _file("page.css")


def document_html(title: str, body: str) -> str:
    """Return a page around the HTML that notebooks show; its policy forbids browsers to load anything.

    >>> document_html("a < b", "<p>1</p>").splitlines()[4]
    '<title>a &lt; b</title>'
    """
    head = [
        "<!DOCTYPE html>", '<html lang="en">', '<head><meta charset="utf-8"/>',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"/>',
        f"<title>{safe(title)}</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
        f"<style>{_PAGE_STYLE}</style></head>",
    ]  # fmt: skip
    return "\n".join([*head, f"<body><h1>{safe(title)}</h1>", body, "</body></html>"]) + "\n"


def views_html(*sections: str) -> str:
    """Return sections as a fragment with the style sheet and the script that bring them to life."""
    parts = ['<div class="sch-run">', f"<style>{style()}</style>", *filter(None, sections)]
    return "\n".join([*parts, f"<script>{script()}</script>", "</div>"])


def run_html(
    result: RunResult,
    *,
    derivations: int = 1,
    views: Sequence[ChartView] = (),
    items: bool = True,
    heading: str | None = None,
    largest: int = _DRAWN,
) -> str:
    """Return a run as a fragment of HTML.

    Parameters
    ----------
    result : the figures of the run, with the structures to draw.
    derivations : how many of its derivations are shown.
    views : how the chart is drawn; none for its usual view.
    items : whether the items are listed with their reasons.
    heading : the text at the top; None for the figures that the command prints.
    largest : the most items of charts that are drawn.
    """
    chart = result.chart
    text = result_text(result, PAGE, 0) if heading is None else heading
    pictures = structure_svgs(chart.sentence, result.structures)
    linkage = chart.schema.builds_linkages
    words: Sequence[str] = getattr(chart.grammar, "words", ()) if linkage else ()
    return views_html(
        f"<pre>{_lines(text)}</pre>" if text else "",
        *chart_sections(chart, views, largest),
        *(
            derivation_section(one, number, words=words, linkage=linkage)
            for number, one in enumerate(islice(iterate_derivations(chart.forest()), derivations), start=1)
        ),
        _section("Structures", *(f'<div class="sch-scroll">{picture}</div>' for picture in pictures))
        if pictures
        else "",
        items_section(chart) if items else "",
    )


def _lines(text: str) -> str:
    return escape("\n".join(map(printable, text.split("\n"))))


def _section(title: str, *parts: str, kind: str = "", is_open: bool = True) -> str:
    """Return parts that can be folded under a title."""
    begin = f'<details class="{kind}"' if kind else "<details"
    opened = ' open="open"' if is_open else ""
    return "\n".join([f"{begin}{opened}><summary>{safe(title)}</summary>", *parts, "</details>"])


# The chart -----------------------------------------------------------------------------------------------


def chart_sections(chart: Chart, views: Sequence[ChartView] = (), largest: int = _DRAWN) -> Iterator[str]:
    """Yield the pictures of a chart; a remark in their place if it has none, or more items than `largest`."""
    if chart.raw.item_count > largest:
        yield _section("Chart", f"<p>{quantity(chart.raw.item_count, 'item')}: too many to draw.</p>")
        return
    try:
        pictures = [chart_picture(chart, view, most=_CELL) for view in views or (None,)]
    except UsageError as error:
        yield _section("Chart", f"<p>{safe(error.diagnostics[0].message)}</p>")
        return
    reason = '<div class="sch-reason" aria-live="polite"></div>'
    for number, picture in enumerate(pictures):
        drawn = f'<div class="sch-scroll sch-chart">{chart_svg(picture)}</div>'
        name = "Chart" if len(pictures) == 1 else f"Chart: {picture.view}"
        yield _section(name, *([] if number else [reason]), drawn, is_open=not number)


def picture_html(picture: ChartPicture, *, width: int | None = svg.WIDTH) -> str:
    """Return the picture of a chart as a fragment by itself."""
    reason = '<div class="sch-reason" aria-live="polite"></div>'
    return views_html(reason, f'<div class="sch-scroll sch-chart">{chart_svg(picture, width=width)}</div>')


def all_views(chart: Chart) -> tuple[ChartView, ...]:
    """Return all views of a chart, the usual one first; none if it cannot be drawn."""
    if chart.raw.item_count > _DRAWN:
        return ()
    try:
        usual = chart_picture(chart, most=1).view
    except UsageError:
        return ()
    return usual, *(view for view in VIEWS if view != usual)


# Derivations -----------------------------------------------------------------------------------------------


class StepView(Record):
    """A step of a derivation as views show it: the item it makes, the items from which it makes it, and the links it
    builds.

    Attributes
    ----------
    text : the step, its item and its antecedents, in words.
    made : the number of the item.
    source : the numbers of its antecedents.
    ends : the ends of the links that it builds, as they are numbered in the picture of arcs: "0 2".
    """

    text: str
    made: int
    source: tuple[int, ...]
    ends: tuple[str, ...]

    to_json = json_of("text made from=source ends")


class DerivationView(Record):
    """A derivation as views show it: its steps, the links it builds (empty if none), and its tree, as SVG."""

    steps: tuple[StepView, ...]
    arcs: str
    tree: str

    to_json = json_of("steps arcs tree")


def derivation_view(
    derivation: Derivation, *, words: Sequence[str] = (), linkage: bool = False
) -> DerivationView:
    """Return a derivation as views show it; parameters as for `derivation_section`."""
    nodes = list(derivation.applied())
    arcs = _arcs(nodes, words or derivation.words, linkage)
    tree = derivation_svg(derivation, marks=True)
    return DerivationView(tuple(_step_view(node, int(linkage)) for node in nodes), arcs, tree)


def derivation_section(
    derivation: Derivation, number: int = 1, *, words: Sequence[str] = (), linkage: bool = False
) -> str:
    """Return a derivation with a slider: how far it has come, which items are made, which links are built.

    Parameters
    ----------
    derivation : the derivation.
    number : its number, for its title; the first is open.
    words : the words of a dictionary's sentence, walls included; none for those that the derivation has.
    linkage : it builds links between connectors, whose words are numbered from 0.
    """
    view = derivation_view(derivation, words=words, linkage=linkage)
    count = len(view.steps)
    slider = (
        f'<input type="range" min="0" max="{count}" value="{count}" step="1"'
        ' aria-label="steps of the derivation"/>'
    )
    controls = [
        '<div class="sch-controls" hidden="hidden">',
        '<button type="button" data-by="-1" aria-label="one step back">←</button>', slider,
        '<button type="button" data-by="1" aria-label="one step forward">→</button></div>',
        '<div class="sch-said" aria-live="polite"></div>',
    ]  # fmt: skip
    drawn = [f'<div class="sch-scroll sch-arcs">{view.arcs}</div>'] if view.arcs else []
    drawn.append(f'<div class="sch-scroll">{view.tree}</div>')
    listed = f'<ol class="sch-steps">{"".join(map(_step_html, view.steps))}</ol>'
    return _section(
        f"Derivation {number}", *controls, *drawn, listed, kind="sch-derivation", is_open=number == 1
    )


def _step_view(node: Derivation, shift: int) -> StepView:
    above = ", ".join(str(child.item) for child in node.children)
    ends = tuple(" ".join(map(str, sorted(pair))) for pair in _pairs(node, shift))
    source = tuple(child.number for child in node.children)
    return StepView(f"{step_text(node)}: {node.item}{above and f' from {above}'}", node.number, source, ends)


def _step_html(step: StepView) -> str:
    """Return a step of a derivation as a row: consequent, antecedents, and the links it builds."""
    data = f'data-made="{step.made}" data-from="{" ".join(map(str, step.source))}"'
    return f'<li {data} data-ends="{safe(",".join(step.ends))}">{safe(step.text)}</li>'


def _pairs(node: Derivation, shift: int) -> list[tuple[int, int]]:
    """Return the ends of the links that a step builds, as they are numbered in the picture of arcs."""
    links: list[Any] = [link for link in node.links if isinstance(link[0], int)]
    return [(link[0] + shift, link[1] + shift) for link in links]


def _arcs(steps: Iterable[Derivation], words: Sequence[str], linkage: bool) -> str:
    """Return the links that a derivation builds as a picture; empty if it builds none."""
    links = [pair for node in steps for pair in _pairs(node, int(linkage))]
    if not links or not words or any(a == b or max(a, b) > len(words) for a, b in links):
        return ""
    return arcs_svg(links_picture(words, links, directed=not linkage, first_number=int(not linkage)))


# Items -----------------------------------------------------------------------------------------------------


def items_section(chart: Chart) -> str:
    """Return the items of a chart, in the order in which they can be derived, each with the step that derives it."""
    if chart.raw.item_count > _LARGEST:
        return _section("Items", f"<p>{quantity(chart.raw.item_count, 'item')}: too many to list.</p>")
    found = list(islice(trace_rows(chart), _MOST_ITEMS))
    numbers = {row.number: chart.find(row.item.form, row.item.values) for row in found}
    items = {row.number: str(row.item) for row in found}
    head = "<thead><tr><th>item</th><th>by</th><th>from</th><th></th></tr></thead>"
    rows = "\n".join(_item_html(row, numbers, items) for row in found)
    more = chart.raw.item_count - len(found)
    parts = [f'<div class="sch-scroll"><table class="sch-items">{head}<tbody>{rows}</tbody></table></div>']
    parts += [f"<p>and {quantity(more, 'item')} more</p>"] if more > 0 else []
    return _section("Items and their reasons", *parts, is_open=False)


def _item_html(row: TraceRow, numbers: dict[int, int | None], items: dict[int, str]) -> str:
    own = numbers[row.number]
    step = row.derivations[0] if row.derivations else None
    by = "given" if step is None else step.step + (f" ({step.label})" if step.label else "")
    above = () if step is None else step.antecedents
    source = ", ".join(items.get(x, str(x)) for x in above)
    ways = f"{row.instances:,} ways" if row.instances > 1 else ""
    unused = "" if row.is_useful else "in no derivation of a final item"
    notes = ", ".join(filter(None, [ways, "final" * row.is_final, unused]))
    kind = "" if row.is_useful else ' class="sch-useless"'
    data = f'data-row="{own}" data-from="{" ".join(str(numbers[x]) for x in above if x in numbers)}"'
    button = f'<button type="button" data-item="{own}">{safe(row.item)}</button>'
    cells = "".join(f"<td>{safe(text)} </td>" for text in (by, source, notes))
    return f"<tr {data}{kind}><td>{button} </td>{cells}</tr>"


def verdict_html(text: str, verdict: Any) -> str:
    """Return a verdict as a fragment: its text, and its counterexamples drawn, with sliders through derivations."""
    sections = []
    for said, found in (
        ("A structure that is missed", verdict.incomplete),
        ("A structure that should not be derived", verdict.unsound),
        ("A structure that is derived several times", verdict.ambiguous),
    ):
        drawn = None if found is None else structure_of(found)
        structure = None if drawn is None else drawn[0]
        if drawn is not None:
            picture = structure_svgs(drawn[1], [drawn[0]])[0]
            sections.append(_section(said, f'<div class="sch-scroll">{picture}</div>'))
        derivations = getattr(found, "derivations", ())
        linkage = isinstance(structure, Linkage)
        words = structure.words if isinstance(structure, Linkage) else ()
        sections += (
            derivation_section(one, k, words=words, linkage=linkage)
            for k, one in enumerate(derivations, start=1)
        )
    return views_html(f"<pre>{_lines(text)}</pre>", *sections)


def page_of(chart: Chart, result: RunResult | None = None, derivations: int = 3) -> str:
    """Return a page of a run: the output of `schemata run --html FILE`.

    Parameters
    ----------
    chart : the chart.
    result : its figures, with the structures to draw; None: they are counted.
    derivations : how many of its derivations are shown.
    """
    found = result or run_result(chart)
    title = f"{chart.schema.name}: {' '.join(chart.sentence.words)}"
    return document_html(title, run_html(found, derivations=derivations, views=all_views(chart)))
