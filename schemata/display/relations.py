"""Answers about relations as text and as LaTeX, savings as tables, and the map of all relations: text, DOT, a picture.

The LaTeX fragments are written as the proofs in papers are; they need no package. In the picture generalisations lead
upwards. Each connected part of the map stands by itself, from left to right and from the top down. Within a row
schemata are ordered by where their neighbours stand, up and down again and again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from schemata.display import svg
from schemata.display.arc_layout import link_text
from schemata.display.latex import escaped
from schemata.display.terminal import PAGE, Page, table, wrapped
from schemata.relations.answers import Answer, Answers, Counterexample, StepInstance, Witness
from schemata.relations.consequences import FormSaving, Saving
from schemata.relations.discovery import ABBREVIATIONS, Arrow, graph_of, levels_of
from schemata.wording import noted, number_text, stopped_by

if TYPE_CHECKING:
    import networkx as nx


def verdict_line(answer: Answer) -> str:
    """Return who is related to whom, how, and whether it holds."""
    article = "an" if answer.kind.startswith("item") else "a"
    said = f"{answer.second} is {article} {_words(answer.kind)} of {answer.first}"
    if answer.holds is None:
        return f"{said}: unknown, {stopped_by(answer.stopped) if answer.stopped else 'nothing was decided'}"
    return f"{said}: {'holds' if answer.holds else 'does not hold'}{' for every n' * bool(answer.every_n)}"


def answer_text(answer: Answer, page: Page = PAGE, examples: bool = False) -> str:
    """Return the text that `schemata relate A B --kind KIND` prints.

    Parameters
    ----------
    answer : the answer.
    page : the page it is printed on.
    examples : show for each sequence the smallest instance with the items on its way.
    """
    texts = [str(answer.extent), *(f"map {text}" for text in answer.maps)]
    texts += [f"note: {note}" for note in answer.notes]
    texts += [f"not proved for every n: {answer.unproved}"] * bool(answer.unproved)
    width = max(page.width, 40)
    lines = [verdict_line(answer), *(line for text in texts for line in wrapped(text, width, 2, 4))]
    if answer.witnesses:
        lines += ["", *(line for one in answer.witnesses for line in _witness(one, examples, width))]
    if answer.counterexample is not None:
        lines += ["", *_counterexample(answer.counterexample, width)]
    return "\n".join(lines)


def answers_text(answers: Answers, page: Page = PAGE, examples: bool = False) -> str:
    """Return the text that `schemata relate A B` prints: of several kinds those that hold, implied ones
    in a line.
    """
    if answers.kind is not None:
        return "\n\n".join(answer_text(answer, page, examples) for answer in answers)
    if not answers:
        none = f"no relation is found from {answers.first} to {answers.second} by the maps tried"
        guessed = "; they are guesses, so nothing is decided: a map says how items correspond (--map)"
        return "\n".join(wrapped(none + guessed * answers.guessed, page.width))
    parts = []
    for answer in answers:
        if answer.implied_by is None:
            parts.append(answer_text(answer, page, examples))
            implied = [one for one in answers if one.implied_by == answer.kind]
            if implied:
                lines = [f"{verdict_line(one)}, being a {_words(answer.kind)}" for one in implied]
                parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _words(kind: str) -> str:
    return kind.replace("-", " ")


def _witness(witness: Witness, examples: bool, width: int) -> Iterator[str]:
    """Yield how one rule is emulated, a line for each sequence of steps."""
    case = f", {witness.case}," if witness.case else ""
    head = f"{witness.step}{case} of {witness.schema}"
    if len(witness.ways) > 1:
        yield f"  {head}"
    for way in witness.ways:
        told = f"= {'; '.join(way.steps) or '(no step)'} of {witness.by}"
        if len(witness.ways) == 1:
            yield from wrapped(f"{head} {told}", width, 2, 4)
        else:
            when = f"if {way.when}" if way.when else f"as in {_instance(way.example.instance)}"
            yield from wrapped(f"{told}, {when}", width, 4, 4)
        if examples:
            yield f"      {_instance(way.example.instance)}, n = {way.example.n}:"
            yield from (f"        {_by(applied)}" for applied in way.example.emulation)


def _counterexample(example: Counterexample, width: int) -> Iterator[str]:
    """Yield the lines of a counterexample to a definition."""
    instance, wanted = example.instance, example.wanted
    at = f"At n = {example.n}: " if example.n else ""
    yield from wrapped(f"{at}{example.reason}.", width, 2, 4)
    if instance is not None:
        yield f"    {instance.step}: {_instance(instance)}"
        if wanted is not None and _instance(wanted, ()) != _instance(instance, ()):
            yield f"    as items of the other: {_instance(wanted)}"
    if example.derivation:
        yield "    the derivation:"
        yield from (f"      {_by(applied)}" for applied in example.derivation)
    if example.grammar:
        yield from wrapped(f"under the grammar: {', '.join(example.grammar)}", width, 4, 4)
    if instance is not None and wanted is not None:
        yield from wrapped(f"derivable instead: {', '.join(example.instead) or 'nothing'}", width, 4, 4)


def _instance(applied: StepInstance, links: Sequence[tuple[int, int]] | None = None) -> str:
    built = "".join(f", {link_text(link)}" for link in (applied.links if links is None else links))
    return f"{', '.join(applied.antecedents)} |- {applied.consequent}{built}".strip()


def _by(applied: StepInstance) -> str:
    return f"{_instance(applied)}  by {applied.step}"


def answer_latex(answer: Answer) -> str:
    """Return an answer as a LaTeX fragment: the claim, then its proof or its refutation."""
    arrow = rf"\stackrel{{{ABBREVIATIONS[answer.kind]}}}{{\rightarrow}}"
    claim = rf"$\mbox{{{escaped(answer.first)}}} {arrow} \mbox{{{escaped(answer.second)}}}$"
    title = rf"\paragraph{{{escaped(verdict_line(answer))}}} {claim}"
    if answer.implied_by is not None:
        return f"{title}\n\nThis follows from the {answer.implied_by.replace('-', ' ')}."
    lines = [title, "", escaped(f"{answer.extent}.").replace(escaped("n <= "), r"$n \leq$ ")]
    if answer.maps:
        lines += [r"\begin{quote}", *(rf"{_typewriter(text)}\\" for text in answer.maps), r"\end{quote}"]
    lines += [escaped(f"{note}.") for note in answer.notes]
    if answer.witnesses:
        lines.append(r"\begin{description}")
        for witness in answer.witnesses:
            lines += _witness_latex(witness)
        lines.append(r"\end{description}")
    example = answer.counterexample
    if example is not None:
        lines += ["", (rf"For $n = {example.n}$: " if example.n else "") + f"{escaped(example.reason)}."]
        shown = [example.instance, *example.derivation] if example.instance else list(example.derivation)
        if shown:
            lines += [r"\begin{quote}", *(_inference(one) for one in shown), r"\end{quote}"]
        if example.grammar:
            lines.append(escaped(f"Grammar: {', '.join(example.grammar)}."))
        if example.instance is not None and example.wanted is not None:
            instead = ", ".join(_typewriter(text) for text in example.instead)
            lines.append(f"Derivable instead: {instead or 'nothing'}.")
    return "\n".join(lines)


def _witness_latex(witness: Witness) -> list[str]:
    lines = [rf"\item[{escaped(noted(witness.step, witness.case))}]"]
    for way in witness.ways:
        names = "; ".join(rf"\textsc{{{escaped(step)}}}" for step in way.steps)
        when = f"if {_typewriter(way.when)}" if way.when else "in some cases"
        when = f", {when}" if len(witness.ways) > 1 else ""
        lines.append(rf"{names or 'no step'} of {escaped(witness.by)}{when}:")
        lines += [r"\begin{quote}"]
        lines += [_inference(one) for one in way.example.emulation] or [_inference(way.example.instance)]
        lines += [r"\end{quote}"]
    return lines


def _inference(applied: StepInstance) -> str:
    links = "".join(rf", {d} \rightarrow {h}" for d, h in applied.links)
    above = ", ".join(_typewriter(text) for text in applied.antecedents)
    built = f" (${links[2:]}$)" if links else ""
    return rf"{above} $\vdash$ {_typewriter(applied.consequent)}{built} (by \textsc{{{escaped(applied.step)}}})\\"


def _typewriter(text: str) -> str:
    return rf"\texttt{{{escaped(text)}}}"


def savings_text(savings: Sequence[Saving], first: str, second: str, page: Page) -> str:
    """Return the totals by length as a table, and one of the forms where there are several.

    Parameters
    ----------
    savings : the figures, one sentence each.
    first, second : the names of the two schemata.
    page : the page it is printed on.
    """
    saver, other = (1, 2) if savings[0].saver == "first" else (2, 1)
    needs = f"saved: the share of the items and steps of {other} that {saver} does not need"
    title = f"1: {first}\n2: {second}\n{needs}"
    counts = [">items 1", ">items 2", ">steps 1", ">steps 2"]
    matching = ">corresponding items"
    headers = [">n", *counts[:2], ">saved", *counts[2:], ">saved"]
    totals = []
    for one in savings:
        items1, items2, steps1, steps2 = _counts(one)
        saved = _share(one.items_saved), _share(one.steps_saved)
        totals.append([str(one.n), items1, items2, saved[0], steps1, steps2, saved[1]])
    forms = [(one, form) for one in savings for form in one.forms]
    if len(forms) == len(savings):
        matched = [[*row, _corresponding(form)] for row, (_, form) in zip(totals, forms, strict=True)]
        return "\n\n".join((title, table([*headers, matching], matched, page)))
    rows = []
    for one, form in forms:
        names = [", ".join(some) or "-" for some in (form.first_forms, form.second_forms)]
        rows.append([str(one.n), *names, *_counts(form), _corresponding(form)])
    by_form = table([">n", "form of 1", "form of 2", *counts, matching], rows, page)
    return "\n\n".join((title, table(headers, totals, page), by_form))


def _counts(found: Saving | FormSaving) -> list[str]:
    """Return the items, then the steps, of both schemata."""
    both = found.first, found.second
    return [number_text(one.items) for one in both] + [number_text(one.steps) for one in both]


def _corresponding(form: FormSaving) -> str:
    """Return how many items correspond; both numbers if several items are mapped to one."""
    if not form.first_forms or not form.second_forms:
        return "-"
    fewer = f" to {number_text(form.reached)}" if form.reached != form.shared else ""
    return number_text(form.shared) + fewer


def _share(share: float | None) -> str:
    """Return a share in percent.

    >>> _share(0.4), _share(-0.5), _share(None)
    ('40.0%', '-50.0%', '-')
    """
    return "-" if share is None else f"{100 * share:.1f}%"


def field_text(arrows: Sequence[Arrow], page: Page = PAGE) -> str:
    """Return the arrows line by line, then the faults of those that do not hold."""
    lines = []
    wide = max((len(arrow.first) for arrow in arrows), default=0)
    far = max((len(arrow.second) for arrow in arrows), default=0)
    for arrow in arrows:
        label = ABBREVIATIONS.get(arrow.kind, arrow.kind)
        lines.append(f"{arrow.first:<{wide}}  -{label}->  {arrow.second:<{far}}  {_verdict(arrow)}")
    for arrow in arrows:
        if arrow.holds is False:
            lines += ["", *(answer_text(a, page) for a in arrow.answers if a.holds is False)]
            lines += [f"  instead: {instead_text(answer)}" for answer in strongest(arrow)]
    return "\n".join(lines)


def _verdict(arrow: Arrow) -> str:
    if arrow.holds is None:
        return "unknown"
    if not arrow.holds:
        return "does not hold"
    return f"holds, n <= {min(answer.extent.max_n for answer in arrow.answers)}"


def strongest(arrow: Arrow) -> list[Answer]:
    """Return the relations that hold in place of a claim, except the implied ones."""
    return [answer for answer in arrow.instead if answer.holds and answer.implied_by is None]


def instead_text(answer: Answer) -> str:
    """Return a relation that holds instead, in a line."""
    maps = f" by {'; '.join(answer.maps)}" if answer.maps else ""
    return f"{answer.kind} holds, n <= {answer.extent.max_n}{maps}"


def field_dot(arrows: Sequence[Arrow]) -> str:
    """Return the map in DOT: arrows that do not hold are dashed, open ones dotted."""
    lines = ["digraph relations {", "  rankdir=BT;", "  node [shape=box];"]
    for first, second, data in graph_of(arrows).edges(data=True):
        style = {True: "solid", False: "dashed", None: "dotted"}[data["holds"]]
        # Filters lead downwards.
        up = data["label"] in ("sr", "ir")
        ends = (first, second) if up else (second, first)
        back = "" if up else ", dir=back"
        lines.append(f'  "{ends[0]}" -> "{ends[1]}" [label="{data["label"]}", style={style}{back}];')
    return "\n".join([*lines, "}"]) + "\n"


# The picture --------------------------------------------------------------------------------------------------

_SIZE, _ADVANCE = 12, 7.4
_LEVEL, _HIGH = 44.0, 26.0  # schemata stand on every second level, lines are labelled on those between
_GAP, _MARGIN = 26.0, 16.0
_WIDEST = 1100.0  # unless a part of the map is wider
_TIP = 8.0  # length of an arrow's tip
_PASSING = 24.0  # room of a line between two boxes of a row, and of its label
_SWEEPS = 24
_COLOURS = {
    "ground": ("#ffffff", "#1e2129"),
    "name": ("#112233", "#e6ebf2"),
    "box": ("#f4f6fa", "#2a303c"),
    "frame": ("#556677", "#8a99ad"),
    "line": ("#444444", "#b8bec9"),
    "fails": ("#aa3333", "#ff8f8f"),
}
_GROUND, _INK, _FILL, _FRAME, _STROKE, _FAILS = (usual for usual, _ in _COLOURS.values())
_BOX: Any = {"rx": 4, "fill": _FILL, "stroke": _FRAME}
_DASHES = {True: None, False: "6 4", None: "2 3"}
_VERDICTS = {True: "holds", False: "does not hold", None: "is not known"}  # what a legend says
_LINE = 18.0  # from one line of the legend to the next
_LEGEND = 420.0  # its width

_Points: TypeAlias = Mapping[str, tuple[float, float]]  # the middles of boxes, and of places that lines pass


def field_svg(arrows: Sequence[Arrow]) -> str:
    """Return the map as an SVG document with a legend; arrows that do not hold are dashed, open ones dotted.

    No line passes behind a box: it has a place of its own on every level between its ends.
    """
    graph = graph_of(arrows)
    levels = {name: 2 * level for name, level in levels_of(graph).items()}
    ways: list[list[str]] = []
    for first, second, number in graph.edges(keys=True):
        start, end = levels[first], levels[second]
        # Within a row a line runs above the boxes, the one that leads back below.
        between = range(start, end, 1 if end > start else -1)[1:] or [start + (1 if first < second else -1)]
        passed = {f"{first} {second} {number} {level}": level for level in between}
        ways.append([first, *passed, second])
        levels |= passed
    widths = {name: len(name) * _ADVANCE + 18 if name in graph else _PASSING for name in levels}
    places = _lay_out(ways, levels, widths)
    drawn: list[str] = []
    for way, (*_, data) in zip(ways, graph.edges(data=True), strict=True):
        drawn += _line(way, places, data["label"], data["holds"])
    for name in graph:
        (x, y), wide = places[name], widths[name]
        frame = svg.element("rect", x=x - wide / 2, y=y - _HIGH / 2, width=wide, height=_HIGH, **_BOX)
        text = svg.element("text", svg.escaped(name), x=x, y=y + 4, text_anchor="middle", fill=_INK)
        drawn.append(svg.element("g", frame + text, class_="schema"))
    bottom = max((y for _, y in places.values()), default=0) + _HIGH / 2 + _MARGIN
    legend = list(_legend(graph, bottom + _SIZE))
    right = max((x + widths[name] / 2 for name, (x, _) in places.items()), default=0)
    width = round(max(right, _LEGEND) + _MARGIN)
    height = round(bottom + _LINE * (len(legend) // 2 + 1) + _MARGIN)
    parts = [svg.element("rect", width=width, height=height, fill=_GROUND), *drawn, *legend]
    title = "relations between parsing schemata"
    return svg.document(width, height, title, parts, font_size=_SIZE, colours=_COLOURS)


def _legend(graph: nx.MultiDiGraph[str], y: float) -> Iterator[str]:
    """Yield the legend of the lines and letters that occur on the map."""
    found = [data for *_, data in graph.edges(data=True)]
    rows = []
    for holds, said in _VERDICTS.items():
        if any(data["holds"] is holds for data in found):
            rows.append((f"the relation {said}", "", _DASHES[holds]))
    for kind, short in ABBREVIATIONS.items():
        if any(data["label"] == short for data in found):
            upwards = "the more general schema stands above" if short in ("sr", "ir") else "leads downwards"
            rows.append((f"{_words(kind)}: {upwards}", short, None))
    for k, (told, short, dashes) in enumerate(rows):
        at = y + k * _LINE
        line = svg.along("M", _MARGIN, at - 4, "H", _MARGIN + 34)
        if short:
            yield svg.element("text", short, class_="legend", x=_MARGIN, y=at, fill=_STROKE)
        else:
            yield svg.element("path", d=line, stroke=_STROKE, stroke_dasharray=dashes)
        yield svg.element("text", told, class_="legend", x=_MARGIN + 42, y=at, fill=_INK)


def _line(way: Sequence[str], places: _Points, label: str, holds: bool | None) -> list[str]:
    """Return a line from box to box, its tip, which not every program could add, and its label."""
    path: list[str | float] = []
    curves = []
    for near, between, far in zip(way[::2], way[1::2], way[2::2], strict=False):
        (x1, y1), bend, (x2, y2) = places[near], places[between], places[far]
        begin, tip = (x1, y1 + _side(bend[1] - y1)), (x2, y2 + _side(bend[1] - y2))
        curves.append((begin, bend, tip))
        # Past a place in a row the line goes straight on.
        path += ["L" if path else "M", *begin, "C", *bend, *bend, *tip]
    _, (x, y), tip = curves[-1]
    length = math.hypot(tip[0] - x, tip[1] - y)
    dx, dy = _TIP * (tip[0] - x) / length, _TIP * (tip[1] - y) / length
    corners = [z for s in (1, -1) for z in ("L", tip[0] - dx + s * dy / 2.5, tip[1] - dy - s * dx / 2.5)]
    (x1, y1), (x, y), (x2, y2) = curves[len(curves) // 2]
    at: Any = {"x": (x1 + 6 * x + x2) / 8, "y": (y1 + 6 * y + y2) / 8 + 4, "text_anchor": "middle"}
    line, dashes = svg.along(*path), _DASHES[holds]
    return [
        svg.element("path", class_="arrow", d=line, fill="none", stroke=_STROKE, stroke_dasharray=dashes),
        svg.element("path", d=svg.along("M", *tip, *corners, "Z"), fill=_STROKE),
        # The ground is painted by itself: not every program knows the order of paint.
        svg.element("text", label, **at, stroke=_GROUND, stroke_width=4, aria_hidden="true"),
        svg.element("text", label, class_="kind", **at, fill=_STROKE if holds else _FAILS),
    ]


def _side(way: float) -> float:
    """Return how far the upper or the lower side of a box is from its middle."""
    return math.copysign(_HIGH / 2, way)


def _lay_out(
    ways: Sequence[Sequence[str]], levels: Mapping[str, int], widths: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Return the middles of all places: part by part, the largest part first."""
    import networkx as nx

    whole: nx.Graph[str] = nx.Graph()
    for way in ways:
        nx.add_path(whole, way)
    places: dict[str, tuple[float, float]] = {}
    left = top = _MARGIN
    deep = 0  # levels of the parts that stand side by side
    for part in sorted(nx.connected_components(whole), key=lambda part: (-len(part), min(part))):
        near = {name: sorted(whole[name]) for name in nx.dfs_preorder_nodes(whole, min(part))}
        least = min(levels[name] for name in part)
        rows = _ordered({name: levels[name] - least for name in near}, near)
        middles = _middles(rows, near, widths)
        begin = min(middles[name] - widths[name] / 2 for name in part)
        wide = max(middles[name] + widths[name] / 2 for name in part) - begin
        if left > _MARGIN and left + wide > _WIDEST:
            left, top, deep = _MARGIN, top + deep * _LEVEL, 0
        for level, row in enumerate(reversed(rows)):
            at = top + _HIGH / 2 + level * _LEVEL
            places |= {name: (left + middles[name] - begin, at) for name in row}
        left += wide + 2 * _GAP
        deep = max(deep, len(rows) + 1)
    return places


def _ordered(levels: Mapping[str, int], near: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the rows of one part from below, each in an order that crosses few lines."""
    rows: list[list[str]] = [[] for _ in range(max(levels.values()) + 1)]
    for name in levels:
        rows[levels[name]].append(name)
    for sweep in range(_SWEEPS):
        place = {name: k - len(row) / 2 for row in rows for k, name in enumerate(row)}
        for row in rows if sweep % 2 else reversed(rows):
            row.sort(key=lambda name: (sum(place[n] for n in near[name]) / max(len(near[name]), 1), name))
            place.update({name: k - len(row) / 2 for k, name in enumerate(row)})
    return rows


def _middles(
    rows: Sequence[Sequence[str]], near: Mapping[str, Sequence[str]], widths: Mapping[str, float]
) -> dict[str, float]:
    """Return where names stand in their rows: near their neighbours, in order, and apart."""
    middles = {name: k * 100.0 for row in rows for k, name in enumerate(row)}
    for _ in range(_SWEEPS):
        for row in (*rows, *reversed(rows)):
            wanted = [sum(middles[n] for n in near[name]) / len(near[name]) for name in row]
            apart = [0.0, *((widths[a] + widths[b]) / 2 + _GAP for a, b in pairwise(row))]
            # As far right as those before need it, as far left as those behind do, and the middle of the two.
            rightmost, leftmost = list(wanted), list(wanted)
            for k in range(1, len(row)):
                rightmost[k] = max(wanted[k], rightmost[k - 1] + apart[k])
            for k in reversed(range(len(row) - 1)):
                leftmost[k] = min(wanted[k], leftmost[k + 1] - apart[k + 1])
            middles.update({name: (a + b) / 2 for name, a, b in zip(row, rightmost, leftmost, strict=True)})
    return middles
