"""Answers about relations as text and as LaTeX, savings as tables, and the map of all relations: text, DOT, a picture.

The LaTeX fragments are written as the proofs in papers are; they need no package. In the picture generalisations lead
upwards. Each connected part of the map stands by itself, from left to right and from the top down. Within a row
schemata are ordered by where their neighbours stand, a few times up and down.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from schemata.display import svg
from schemata.display.arc_layout import link_text
from schemata.display.rules import escaped
from schemata.display.terminal import PAGE, Page, table, wrapped
from schemata.relations.answers import Answer, Answers, Applied, Counterexample, Witness
from schemata.relations.catalogue import ABBREVIATIONS, Arrow, graph_of, levels_of
from schemata.relations.consequences import FormSaving, Saving
from schemata.wording import noted, number_text, stopped_by

if TYPE_CHECKING:
    import networkx as nx


def verdict_line(answer: Answer) -> str:
    """Return who is related to whom, how, and whether it holds."""
    article = "an" if answer.kind.startswith("item") else "a"
    said = f"{answer.second} is {article} {_words(answer.kind)} of {answer.first}"
    if answer.holds is None:
        return f"{said}: unknown, {stopped_by(answer.stopped or 'time')}"
    return f"{said}: {'holds' if answer.holds else 'does not hold'}{' for every n' * answer.every_n}"


def answer_text(answer: Answer, page: Page = PAGE, examples: bool = False) -> str:
    """Return what `schemata relate A B --kind KIND` prints.

    Parameters
    ----------
    answer : what was found.
    page : what it is printed on.
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
    """Return what `schemata relate A B` prints: of several kinds those that hold, the implied ones in a line."""
    if answers.kind is not None:
        return "\n\n".join(answer_text(answer, page, examples) for answer in answers)
    if not answers:
        return f"no relation is found from {answers.first} to {answers.second} by the maps tried"
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
    """Yield what breaks a definition."""
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


def _instance(applied: Applied, links: Sequence[tuple[int, int]] | None = None) -> str:
    built = "".join(f", {link_text(link)}" for link in (applied.links if links is None else links))
    return f"{', '.join(applied.antecedents)} |- {applied.consequent}{built}".strip()


def _by(applied: Applied) -> str:
    return f"{_instance(applied)}  by {applied.step}"


def answer_latex(answer: Answer) -> str:
    """Return an answer as a LaTeX fragment: the claim, then its proof or its refutation."""
    claim = (
        rf"$\mbox{{{escaped(answer.first)}}} \stackrel{{{ABBREVIATIONS[answer.kind]}}}{{\rightarrow}} "
        rf"\mbox{{{escaped(answer.second)}}}$"
    )
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


def _inference(applied: Applied) -> str:
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
    first, second : what the two schemata are called.
    page : what it is printed on.
    """
    saver, other = (1, 2) if savings[0].saver == "first" else (2, 1)
    title = [
        f"1: {first}",
        f"2: {second}",
        f"saved: the share of the items and steps of {other} that {saver} does not need",
    ]
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
        return "\n\n".join(("\n".join(title), table([*headers, matching], matched, page)))
    rows = [
        [
            str(one.n),
            *map(_names, (form.first_forms, form.second_forms)),
            *_counts(form),
            _corresponding(form),
        ]
        for one, form in forms
    ]
    by_form = table([">n", "form of 1", "form of 2", *counts, matching], rows, page)
    return "\n\n".join(("\n".join(title), table(headers, totals, page), by_form))


def _counts(found: Saving | FormSaving) -> list[str]:
    """Return the items, then the steps, of both schemata."""
    both = found.first, found.second
    return [number_text(one.items) for one in both] + [number_text(one.steps) for one in both]


def _names(forms: Sequence[str]) -> str:
    return ", ".join(forms) or "-"


def _corresponding(form: FormSaving) -> str:
    """Return how many items correspond; of many carried to fewer, both numbers."""
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
    """Return the arrows line by line, then what is wrong with those that do not hold."""
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
    """Return what holds in place of a claim, but for what follows from it."""
    return [answer for answer in arrow.instead if answer.holds and answer.implied_by is None]


def instead_text(answer: Answer) -> str:
    """Return what holds instead, in a line."""
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
_ROW, _HIGH = 84.0, 26.0
_GAP, _MARGIN = 26.0, 16.0
_WIDEST = 1100.0  # unless a part of the map is wider
_ARCH = 24.0  # how far a line within a row is drawn out
_TIP = 8.0  # length of an arrow's tip
_PORT = 16.0  # between the ends of two lines at one box
_PASSING = 14.0  # room of a line between two boxes of a row
_SPOTS = (0.5, 0.4, 0.6, 0.3, 0.7)  # where a label may stand along a curve
_SWEEPS = 8
_INK = "#112233"
_DASHES = {True: None, False: "6 4", None: "2 3"}
_VERDICTS = {True: "holds", False: "does not hold", None: "is not known"}  # what a legend says

_Point: TypeAlias = tuple[float, float]
_Edge: TypeAlias = tuple[str, str, int]  # from, to, and the number among those between the two


@dataclass(slots=True)
class _Box:
    """Where a schema stands, or a line passes a row: the middle of its box, and the box's width."""

    x: float
    y: float
    width: float


def field_svg(arrows: Sequence[Arrow]) -> str:
    """Return the map as an SVG document with a legend; arrows that do not hold are dashed, open ones dotted.

    No line passes behind a box: one over several rows has a place of its own in each of them.
    """
    graph = graph_of(arrows)
    boxes, ways = _lay_out(graph)
    schemata = {name: boxes[name] for name in graph}
    drawn: list[str] = []
    labels: list[str] = []
    taken = [*schemata.values()]
    for (first, second, number), curves in _curves(boxes, ways).items():
        data = graph.edges[first, second, number]
        drawn += _arrow(curves, data["holds"])
        labels += _label(curves, data["label"], data["holds"], taken)
    for name, box in schemata.items():
        left, top = box.x - box.width / 2, box.y - _HIGH / 2
        place = {"x": left, "y": top, "width": box.width, "height": _HIGH, "rx": 4}
        frame = svg.element("rect", **place, fill="#f4f6fa", stroke="#556677")
        text = svg.escaped(name)
        text = svg.element("text", text, x=box.x, y=box.y + 4, text_anchor="middle", fill=_INK)
        drawn.append(svg.element("g", frame + text, class_="schema"))
    bottom = max((box.y for box in boxes.values()), default=0) + _HIGH / 2 + _MARGIN
    legend = list(_legend(graph, bottom + _SIZE))
    right = max((box.x + box.width / 2 for box in boxes.values()), default=0)
    width = round(max(right, _LEGEND) + _MARGIN)
    height = round(bottom + _LINE * (len(legend) // 2 + 1) + _MARGIN)
    parts = [svg.element("rect", width=width, height=height, fill="#ffffff"), *drawn, *labels, *legend]
    title = "relations between parsing schemata"
    return svg.document(width, height, title, parts, font_size=_SIZE, dark=False)


_LINE = 18.0  # from one line of the legend to the next
_LEGEND = 420.0  # its width


def _legend(graph: nx.MultiDiGraph[str], y: float) -> Iterator[str]:
    """Yield what the lines and the letters on the map mean: those that are on it."""
    found = [data for *_, data in graph.edges(data=True)]
    for holds, said in _VERDICTS.items():
        if any(data["holds"] is holds for data in found):
            line = svg.along("M", _MARGIN, y - 4, "H", _MARGIN + 34)
            yield svg.element("path", d=line, stroke="#444", stroke_dasharray=_DASHES[holds])
            told = f"the relation {said}"
            yield svg.element("text", told, class_="legend", x=_MARGIN + 42, y=y, fill=_INK)
            y += _LINE
    for kind, short in ABBREVIATIONS.items():
        if any(data["label"] == short for data in found):
            yield svg.element("text", short, class_="legend", x=_MARGIN, y=y, fill="#444444")
            upwards = "the more general schema stands above" if short in ("sr", "ir") else "leads downwards"
            told = f"{_words(kind)}: {upwards}"
            yield svg.element("text", told, class_="legend", x=_MARGIN + 42, y=y, fill=_INK)
            y += _LINE


def _curves(boxes: Mapping[str, _Box], ways: Mapping[_Edge, list[str]]) -> dict[_Edge, list[list[_Point]]]:
    """Return the curves of every line, from box to box: the four points of each, or three within a row."""
    ports: dict[tuple[str, bool], list[tuple[float, _Edge]]] = defaultdict(list)
    for edge, way in ways.items():
        for near, next_, far in ((way[0], way[1], way[-1]), (way[-1], way[-2], way[0])):
            if boxes[near].y != boxes[far].y:
                ports[near, boxes[next_].y < boxes[near].y].append((boxes[next_].x, edge))
    offsets: dict[tuple[str, _Edge], float] = {}
    for (name, _), ends in ports.items():
        step = min(_PORT, (boxes[name].width - 12) / len(ends))
        for k, (_, edge) in enumerate(sorted(ends)):
            offsets[name, edge] = (k - (len(ends) - 1) / 2) * step
    found: dict[_Edge, list[list[_Point]]] = {}
    for edge, way in ways.items():
        one, other = boxes[way[0]], boxes[way[-1]]
        if one.y == other.y:
            # Within a row a line runs above the boxes, the one that leads back below.
            out = _HIGH / 2 if one.x > other.x else -_HIGH / 2
            turn = (one.x + other.x) / 2, one.y + out + math.copysign(_ARCH, out)
            found[edge] = [[(one.x, one.y + out), turn, (other.x, other.y + out)]]
            continue
        down = _HIGH / 2 if other.y > one.y else -_HIGH / 2
        curves = []
        for near, far in pairwise(way):
            x1, x2 = (boxes[name].x + offsets.get((name, edge), 0.0) for name in (near, far))
            y1, y2 = boxes[near].y + down, boxes[far].y - down
            curves.append([(x1, y1), (x1, (y1 + y2) / 2), (x2, (y1 + y2) / 2), (x2, y2)])
        found[edge] = curves
    return found


def _arrow(curves: list[list[_Point]], holds: bool | None) -> list[str]:
    """Return the line with its tip; it is drawn out, since not every program knows markers."""
    path: list[str | float] = ["M", *curves[0][0]]
    for curve in curves:
        # From a place in a row to the next curve the line goes straight on.
        path += ["L", *curve[0], "C" if len(curve) == 4 else "Q", *(z for point in curve[1:] for z in point)]
    turn, (x, y) = curves[-1][-2:]
    length = math.hypot(x - turn[0], y - turn[1]) or 1.0
    dx, dy = _TIP * (x - turn[0]) / length, _TIP * (y - turn[1]) / length
    corners = [corner for s in (1, -1) for corner in ("L", x - dx + s * dy / 2.5, y - dy - s * dx / 2.5)]
    line, dashes = svg.along(*path), _DASHES[holds]
    return [
        svg.element("path", class_="arrow", d=line, fill="none", stroke="#444", stroke_dasharray=dashes),
        svg.element("path", d=svg.along("M", x, y, *corners, "Z"), fill="#444"),
    ]


def _label(curves: list[list[_Point]], label: str, holds: bool | None, taken: list[_Box]) -> list[str]:
    """Return the label beside its line, as near to a middle as boxes and labels leave room; notes its place."""
    points = [_point(curve, t) for t in _SPOTS for curve in curves]
    spots = [_Box(x + 14, y, 24) for x, y in points]
    spot = next((s for s in spots if not any(_touch(s, box) for box in taken)), spots[0])
    taken.append(spot)
    x, y = spot.x - 8, spot.y + 4
    # The ground is painted by itself: not every program knows the order of paint.
    return [
        svg.element("text", label, x=x, y=y, stroke="#fff", stroke_width=4, aria_hidden="true"),
        svg.element("text", label, class_="kind", x=x, y=y, fill="#444444" if holds else "#aa3333"),
    ]


def _point(curve: list[_Point], t: float) -> _Point:
    """Return a point of a Bézier curve, from 0 at its beginning to 1 at its end."""
    while len(curve) > 1:
        curve = [((1 - t) * x1 + t * x2, (1 - t) * y1 + t * y2) for (x1, y1), (x2, y2) in pairwise(curve)]
    return curve[0]


def _touch(label: _Box, other: _Box) -> bool:
    """Tell whether a label and a box, or two labels, are less than a line apart."""
    return abs(label.x - other.x) < (label.width + other.width) / 2 and abs(label.y - other.y) < _HIGH / 2 + 6


def _lay_out(graph: nx.MultiDiGraph[str]) -> tuple[dict[str, _Box], dict[_Edge, list[str]]]:
    """Place the schemata, part by part, the largest part first, and the lines between them.

    Returns
    -------
    The boxes, of schemata and of places where lines pass a row; for every line what it goes through, end to end.
    """
    import networkx as nx

    levels = levels_of(graph)
    ways: dict[_Edge, list[str]] = {}
    for edge in graph.edges(keys=True):
        first, second, number = edge
        step = 1 if levels[second] > levels[first] else -1
        passed = range(levels[first] + step, levels[second], step) if levels[first] != levels[second] else ()
        places = {f"{first} {second} {number} {level}": level for level in passed}
        levels |= places
        ways[edge] = [first, *places, second]
    whole: nx.Graph[str] = nx.Graph()
    whole.add_nodes_from(graph)
    for way in ways.values():
        nx.add_path(whole, way)
    boxes: dict[str, _Box] = {}
    left = top = _MARGIN
    deep = 0  # rows of the parts that stand side by side
    for part in sorted(nx.connected_components(whole), key=lambda part: (-len(part), min(part))):
        least = min(levels[name] for name in part)
        near = {name: sorted(whole[name]) for name in part}
        widths = {name: len(name) * _ADVANCE + 18 if name in graph else _PASSING for name in part}
        rows = _ordered({name: levels[name] - least for name in part}, near)
        middles = _middles(rows, near, widths)
        begin = min(middles[name] - widths[name] / 2 for name in part)
        wide = max(middles[name] + widths[name] / 2 for name in part) - begin
        if left > _MARGIN and left + wide > _WIDEST:
            left, top, deep = _MARGIN, top + deep * _ROW, 0
        for level, row in enumerate(reversed(rows)):
            for name in row:
                x = left + middles[name] - begin
                boxes[name] = _Box(x, top + _HIGH / 2 + level * _ROW, widths[name])
        left += wide + 2 * _GAP
        deep = max(deep, len(rows))
    return boxes, ways


def _ordered(levels: Mapping[str, int], near: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the rows of one part from below, each in an order that crosses few lines."""
    rows: list[list[str]] = [[] for _ in range(max(levels.values()) + 1)]
    for name in sorted(levels):
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
