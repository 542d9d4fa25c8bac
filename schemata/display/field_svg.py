"""The map of the field as a picture: schemata in rows, generalisations leading upwards.

Each connected part of the map stands by itself, from left to right and from the top down. Within a row schemata are
ordered by where their neighbours stand, a few times up and down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from schemata.analysis.relations.field import Arrow, graph_of, levels_of

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["field_svg"]

_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_SIZE, _ADVANCE = 12.0, 7.4
_ROW, _HIGH = 84.0, 26.0
_GAP, _MARGIN = 26.0, 16.0
_WIDEST = 1100.0  # unless a part of the map is wider
_SWEEPS = 6
_DASHES: Mapping[bool | None, str] = {
    True: "",
    False: ' stroke-dasharray="6 4"',
    None: ' stroke-dasharray="2 3"',
}


@dataclass(slots=True)
class _Box:
    """Where a schema stands: the middle of its box, and the box's width."""

    x: float
    y: float
    width: float


def field_svg(arrows: Sequence[Arrow]) -> str:
    """Return the map as an SVG document; arrows that do not hold are dashed, open ones dotted."""
    graph = graph_of(arrows)
    boxes = _lay_out(graph)
    width = max((box.x + box.width / 2 for box in boxes.values()), default=0) + _MARGIN
    height = max((box.y for box in boxes.values()), default=0) + _HIGH / 2 + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}"'
        f' height="{height:.0f}" role="img" font-family="{_FONT}" font-size="{_SIZE:.0f}">',
        "<title>relations between parsing schemata</title>",
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"'
        ' orient="auto-start-reverse"><path d="M0 0 L10 5 L0 10 z" fill="#444"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
    ]
    drawn: dict[tuple[str, str], int] = {}
    for first, second, data in graph.edges(data=True):
        ends = (min(first, second), max(first, second))
        shift = drawn.get(ends, 0)
        drawn[ends] = shift + 1
        parts += _arrow(boxes[first], boxes[second], data["label"], data["holds"], shift)
    for name, box in boxes.items():
        parts.append(
            f'<g class="schema"><rect x="{box.x - box.width / 2:.1f}" y="{box.y - _HIGH / 2:.1f}"'
            f' width="{box.width:.1f}" height="{_HIGH:.0f}" rx="4" fill="#f4f6fa" stroke="#567"/>'
            f'<text x="{box.x:.1f}" y="{box.y + 4:.1f}" text-anchor="middle" fill="#123">{escape(name)}</text></g>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _arrow(one: _Box, other: _Box, label: str, holds: bool | None, shift: int) -> list[str]:
    """Return a line from box to box, with its label beside the middle."""
    up = other.y < one.y
    level = one.y == other.y
    side = 1 if other.x > one.x else -1
    x1 = one.x + (side * one.width / 2 if level else shift * 18)
    x2 = other.x - (side * other.width / 2 if level else -shift * 18)
    y1 = one.y if level else one.y + (-_HIGH / 2 if up else _HIGH / 2)
    y2 = other.y if level else other.y + (_HIGH / 2 if up else -_HIGH / 2)
    # A line over several rows is bent, away from the boxes between.
    bend = 0.0 if abs(y2 - y1) < 1.5 * _ROW else 0.35 * abs(y2 - y1) * (1 if x2 >= x1 else -1)
    turn = (x1 + x2) / 2 + bend, (y1 + y2) / 2
    middle = (x1 + 2 * turn[0] + x2) / 4, (y1 + 2 * turn[1] + y2) / 4
    return [
        f'<path class="arrow" d="M{x1:.1f} {y1:.1f} Q{turn[0]:.1f} {turn[1]:.1f} {x2:.1f} {y2:.1f}" fill="none"'
        f' stroke="#444"{_DASHES[holds]} marker-end="url(#tip)"/>',
        f'<text x="{middle[0] + 6:.1f}" y="{middle[1] + 4:.1f}" fill="{"#444" if holds else "#a33"}"'
        f' paint-order="stroke" stroke="#fff" stroke-width="3">{label}</text>',
    ]


def _lay_out(graph: nx.MultiDiGraph[str]) -> dict[str, _Box]:
    """Place the schemata, part by part, the largest part first."""
    import networkx as nx

    levels = levels_of(graph)
    boxes: dict[str, _Box] = {}
    left = top = _MARGIN
    deep = 0  # rows of the parts that stand side by side
    parts = sorted(nx.weakly_connected_components(graph), key=lambda part: (-len(part), min(part)))
    for part in parts:
        least = min(levels[name] for name in part)
        rows = _ordered(graph, {name: levels[name] - least for name in part})
        wide = max(sum(map(_width, row)) + _GAP * (len(row) - 1) for row in rows)
        if left > _MARGIN and left + wide > _WIDEST:
            left, top, deep = _MARGIN, top + deep * _ROW, 0
        for level, row in enumerate(reversed(rows)):
            x = left + (wide - sum(map(_width, row)) - _GAP * (len(row) - 1)) / 2
            for name in row:
                boxes[name] = _Box(x + _width(name) / 2, top + _HIGH / 2 + level * _ROW, _width(name))
                x += _width(name) + _GAP
        left += wide + 2 * _GAP
        deep = max(deep, len(rows))
    return boxes


def _ordered(graph: nx.MultiDiGraph[str], levels: Mapping[str, int]) -> list[list[str]]:
    """Return the rows of one part from below, each in an order that crosses few lines."""
    rows: list[list[str]] = [[] for _ in range(max(levels.values()) + 1)]
    for name in sorted(levels):
        rows[levels[name]].append(name)
    near = {name: sorted({*graph.successors(name), *graph.predecessors(name)}) for name in levels}
    for sweep in range(_SWEEPS):
        place = {name: k - len(row) / 2 for row in rows for k, name in enumerate(row)}
        for row in rows if sweep % 2 else reversed(rows):
            row.sort(key=lambda name: (sum(place[n] for n in near[name]) / max(len(near[name]), 1), name))
            place.update({name: k - len(row) / 2 for k, name in enumerate(row)})
    return rows


def _width(name: str) -> float:
    return len(name) * _ADVANCE + 18
