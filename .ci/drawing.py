#!/usr/bin/env python3
"""The drawing of the house: its rooms from top to bottom, with an arrow from every room to those that know it.

    python .ci/drawing.py

writes `docs/house.svg`. Rooms and arrows are those of the imports (`house.py`); an arrow that others imply is left out.
Two ways through the house are numbered, as `[ways]` in `house.toml` tells them. A test compares the file with this.
"""

from __future__ import annotations

import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import house

from schemata.display import svg
from schemata.display.terminal import wrapped

FILE = house.ROOT / "docs" / "house.svg"
_NAME, _SMALL = 14, 11  # sizes of text
_HIGH, _ROW, _GAP = 30.0, 62.0, 44.0  # of a box; from row to row; between boxes
_BADGE = 8.0  # radius
_LINE = 17.0  # from line to line of small text
_COLUMNS = 100  # of a line
_WIDTH = svg.width_of(" " * _COLUMNS, _SMALL) + 2 * svg.MARGIN
_MODULES = {"charts", "treebanks", "workbench"}  # which are rooms by themselves
_WAYS = {"schema": ("A schema's way", "label"), "item": ("An item's way", "root")}


def known_by(arrows: Set[tuple[str, str]], rooms: Set[str]) -> dict[str, set[str]]:
    """Return for every room those that know it, without those that are told by another of these."""
    direct = {room: {user for user, used in arrows if used == room and user in rooms} for room in rooms}

    def reach(room: str) -> set[str]:
        return direct[room].union(*map(reach, direct[room]))

    return {room: direct[room].difference(*map(reach, direct[room])) for room in rooms}


def rows_of(below: Mapping[str, Set[str]], order: Sequence[str]) -> list[list[str]]:
    """Return the rooms in rows: each right below the lowest of those that it knows, rows in the order of the house."""
    depth = dict.fromkeys(below, 0)
    for room in order:
        for user in below.get(room, ()):
            depth[user] = max(depth[user], depth[room] + 1)
    rows: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for room in order:
        if room in below:
            rows[depth[room]].append(room)
    return rows


def drawing(modules: list[house.Module], plan: Mapping[str, Any]) -> str:
    """Return the drawing as an SVG document."""
    order, arrows = plan["rooms"]["order"], set(house.arrows(modules))
    rooms = {m.room for m in modules if len(m.path.parts) > 1} | _MODULES
    shared = [room for room in order if room not in rooms and not room.startswith("__")]
    below = known_by(arrows, rooms)
    rows = rows_of(below, order)
    badges: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for way, (_, colour) in _WAYS.items():
        for number, (room, _) in enumerate(plan["ways"][way], start=1):
            badges[room].append((number, colour))
    wide = {room: svg.width_of(room, _NAME) + 24 + 2 * _BADGE * len(badges[room]) for room in rooms}
    shared_lines = wrapped(f"known to all: {', '.join(shared)}", _COLUMNS - 4)
    top = svg.MARGIN + _LINE * len(shared_lines) + 40
    places: dict[str, tuple[float, float]] = {}  # the middle of each box
    for depth, row in enumerate(rows):
        x = (_WIDTH - sum(wide[room] + _GAP for room in row) + _GAP) / 2
        for room in row:
            places[room] = x + wide[room] / 2, top + _HIGH / 2 + depth * _ROW
            x += wide[room] + _GAP
    depths = {room: depth for depth, row in enumerate(rows) for room in row}
    parts = list(_bar(shared_lines))
    pairs = [(room, user) for room in order for user in sorted(below.get(room, ()), key=order.index)]
    lanes = {True: 0, False: 0}  # arrows that run along the side so far, at the left and at the right
    for room, user in sorted(pairs, key=lambda pair: depths[pair[0]] - depths[pair[1]]):
        side = None
        if depths[user] - depths[room] > 1:
            left = places[room][0] < _WIDTH / 2
            side = (20 if left else _WIDTH - 20) + (1 if left else -1) * 18 * lanes[left]
            lanes[left] += 1
        parts.append(_arrow(places[room], places[user], side))
    parts += [_box(room, *places[room], wide[room], badges[room]) for room in order if room in rooms]
    y = top + len(rows) * _ROW
    for text, indent, colour in _legend(plan["ways"]):
        y += 0 if indent else 8
        for line in wrapped(text, _COLUMNS, indent, 3):
            at = svg.MARGIN + svg.width_of(" " * (len(line) - len(line.lstrip())), _SMALL)
            parts.append(svg.text_at(at, y, line.lstrip(), _SMALL, "note", colour, anchor="start"))
            y += _LINE
    return svg.document(_WIDTH, y, "the rooms of the house", parts)


def _bar(lines: Sequence[str]) -> Iterator[str]:
    """Yield the box of the modules at the top, which every room may know."""
    yield svg.element(
        "rect", x=svg.MARGIN, y=svg.MARGIN, width=_WIDTH - 2 * svg.MARGIN, height=_LINE * len(lines) + 12, rx=4,
        fill="none", stroke=svg.COLOURS["note"][0], stroke_dasharray="3 3",
    )  # fmt: skip
    for number, line in enumerate(lines, start=1):
        yield svg.text_at(_WIDTH / 2, svg.MARGIN + number * _LINE + 2, line, _SMALL, "note")


def _box(room: str, x: float, y: float, width: float, badges: Sequence[tuple[int, str]]) -> str:
    left = x - width / 2
    blue = svg.COLOURS["arc"][0]
    pieces = [
        svg.element(
            "rect", x=left, y=y - _HIGH / 2, width=width, height=_HIGH, rx=4, fill="none", stroke=blue
        )
    ]
    name_at = left + 10 + svg.width_of(room, _NAME) / 2
    pieces.append(svg.text_at(name_at, y + 5, room, _NAME, "room", "arc"))
    at = left + width - 4 - _BADGE
    for number, colour in reversed(badges):
        circle = svg.COLOURS[colour][0]
        pieces.append(
            svg.element("circle", cx=at, cy=y, r=_BADGE, fill="none", stroke=circle, stroke_width=1.5)
        )
        pieces.append(svg.text_at(at, y + 4, str(number), _SMALL, "step", colour))
        at -= 2 * _BADGE + 1
    return svg.element("g", "".join(pieces), class_="room", id=f"room-{room}")


def _arrow(start: tuple[float, float], end: tuple[float, float], side: float | None) -> str:
    """Return an arrow downwards, along a side of the picture where it passes other rows."""
    (x1, y1), (x2, y2) = (start[0], start[1] + _HIGH / 2), (end[0], end[1] - _HIGH / 2)
    curve: tuple[str | float, ...] = ("C", x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2 - 6)
    if side is not None:
        curve = (
            "C",
            x1,
            y1 + 18,
            side,
            y1,
            side,
            y1 + 40,
            "V",
            y2 - 46,
            "C",
            side,
            y2,
            x2,
            y2 - 18,
            x2,
            y2 - 6,
        )
    tip = svg.along("M", x2 - 3.5, y2 - 7, "H", x2 + 3.5, "L", x2, y2, "Z")
    line = svg.line(svg.along("M", x1, y1, *curve), "word", "arrow")
    return line + svg.element("path", d=tip, fill=svg.COLOURS["word"][0])


def _legend(ways: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[tuple[str, int, str]]:
    """Yield the paragraphs below the rooms: text, indentation and colour."""
    for way, (title, colour) in _WAYS.items():
        yield title, 0, colour
        for number, (room, about) in enumerate(ways[way], start=1):
            yield f"{number}  {room}: {about}", 2, colour


def main() -> None:
    """Write the drawing."""
    plan = tomllib.loads(Path(__file__).with_name("house.toml").read_text(encoding="utf-8"))
    FILE.write_text(drawing(house.read_package(house.ROOT / "schemata"), plan), encoding="utf-8")


if __name__ == "__main__":
    main()
