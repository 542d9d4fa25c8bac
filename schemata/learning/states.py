"""Features of configurations of a transition system: templates as text, and kernel text that hashes them.

A template is a line of properties, of words of the stack `s0`, `s1` ..., of the buffer `b0`, `b1` ..., and of a
second and third list `t0`, `u0` ... where a system has some:

    word s0, tag b0                # a conjunction
    tag s0, tag left s0, label left s0
    tag s0, tag b0, distance s0 b0

`left s0` and `right s0` are the outermost dependents, `left2` and `right2` those next to them, `head s0` the head. A
property is one of those in templates of links (`arcs`), the `label` of a word's link, a `distance`, `count left s0`
(the number of dependents there), or a transition: `last 1` or `last 2`. The default templates are after those of Zhang
& Nivre (2011), for two words on the stack instead of one, too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from schemata.errors import Diagnostic, GrammarError, Location, did_you_mean
from schemata.learning.arcs import COLUMNS, MARGIN, SIZE
from schemata.learning.steps import BEFORE, LAST, PartPlaces
from schemata.machine.text import FACTORS, filled
from schemata.records import Record

DEPTH = 4  # words of a list that templates may look at
_BASE = re.compile(rf"[stub][0-{DEPTH - 1}]")
_WAYS = ("left", "left2", "right", "right2", "head")
_WORDS = (*COLUMNS, "label", "distance", "count", "last")
_EXPECTED = "templates such as: word s0, tag b0, label left s0, distance s0 b0, count left s0, last 1"


class LookedAt(NamedTuple):
    """A property: its kind, and the words or the number that it is about.

    A word is (base, ways from there), such as ("s0", ("left",)).
    """

    kind: str
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    side: str = ""
    number: int = 0


class StateTemplate(Record):
    """A conjunction of properties."""

    looks: tuple[LookedAt, ...]


def parse_state_templates(text: str, file: str = "<templates>") -> tuple[StateTemplate, ...]:
    """Return the templates of a text; # begins a comment.

    Raises
    ------
    GrammarError : lines that are not templates, all of them with their places; or no template at all.

    >>> parse_state_templates("tag left s0  # outermost")[0].looks
    (LookedAt(kind='tag', words=(('s0', ('left',)),), side='', number=0),)
    """
    found: list[StateTemplate] = []
    wrong: list[Diagnostic] = []
    for number, line in enumerate(text.splitlines(), start=1):
        written = line.partition("#")[0]
        looks: list[LookedAt] = []
        at = 0
        for part in written.split(",") if written.strip() else ():
            one = _look(part.split())
            if one is None:
                column = at + len(part) - len(part.lstrip()) + 1
                shown = part.strip()
                message = f"{shown!r} is nothing to look at" if shown else "nothing is looked at here"
                hint = did_you_mean(shown.partition(" ")[0], _WORDS) if shown else None
                place = Location(file, number, column, column + max(1, len(shown)))
                wrong.append(Diagnostic("bad-template", message, place, _EXPECTED, hint, line))
            else:
                looks.append(one)
            at += len(part) + 1
        if looks:
            found.append(StateTemplate(tuple(looks)))
    if not found and not wrong:
        wrong.append(Diagnostic("no-templates", "there are no templates", Location(file, 1, 1), _EXPECTED))
    if wrong:
        raise GrammarError(wrong)
    return tuple(found)


def _look(words: list[str]) -> LookedAt | None:
    match words:
        case [kind, *ways, base] if kind in (*COLUMNS, "label") and _is_word(ways, base):
            return LookedAt(kind, ((base, tuple(ways)),))
        case ["distance", one, other] if _is_word([], one) and _is_word([], other):
            return LookedAt("distance", ((one, ()), (other, ())))
        case ["count", "left" | "right" as side, *ways, base] if _is_word(ways, base):
            return LookedAt("count", ((base, tuple(ways)),), side)
        case ["last", "1" | "2" as number]:
            return LookedAt("last", number=int(number))
    return None


def _is_word(ways: list[str], base: str) -> bool:
    return _BASE.fullmatch(base) is not None and all(way in _WAYS for way in ways)


_PLACE = """
x{number} = 0
if {length} > {depth}:
    x{number} = {value}
"""
_TEXT = """
def features_of(C, c, N, g, A, width, F, f):
    {places}
    {features}
    return 0
"""


def features_text(templates: tuple[StateTemplate, ...], layout: PartPlaces) -> str:
    """Return the kernel function that writes the place of each template's weights, of one configuration at a gap."""
    numbers: dict[tuple[str, tuple[str, ...]], int] = {}
    places: list[str] = []

    def place(base: str, ways: tuple[str, ...]) -> int:
        if (base, ways) not in numbers:
            if ways:
                inner = place(base, ways[1:])
                way = "heads" if ways[0] == "head" else ways[0]
                value = f"C[c + {layout.tree_at(way)} + x{inner}]"
                places.append(f"x{len(numbers)} = {value}")
            else:
                places.append(_base_text(base, len(numbers), layout))
            numbers[base, ways] = len(numbers)
        return numbers[base, ways]

    def value(look: LookedAt) -> str:
        at = [f"x{place(base, ways)}" for base, ways in look.words]
        if look.kind == "last":
            return f"C[c + {LAST if look.number == 1 else BEFORE}]"
        if look.kind == "label":
            return f"C[c + {layout.tree_at('labels')} + {at[0]}]"
        if look.kind == "count":
            return f"min(C[c + {layout.tree_at(f'count_{look.side}')} + {at[0]}], 4)"
        if look.kind == "distance":
            gap = f"max({at[0]} - {at[1]}, {at[1]} - {at[0]})"
            far = " + ".join(f"({gap} > {most})" for most in (1, 2, 3, 4, 5, 7, 10, 20))
            return f"(0 if {at[0]} == 0 or {at[1]} == 0 else 1 + {far})"
        return f"A[{COLUMNS.index(look.kind)} * width + {MARGIN} + {at[0]}]"

    features: list[str] = []
    for number, template in enumerate(templates):
        parts = [f"{value(look)} * {FACTORS[k % 4] + 2 * k}" for k, look in enumerate(template.looks)]
        features.append(f"y = {' + '.join([str((number + 1) * 104729), *parts])}")
        features.append(f"F[f + {number}] = (((y ^ (y >> 29)) * {FACTORS[0]}) >> 40) & {SIZE - 1}")
    text = filled(_TEXT, places="\n".join(places), features="\n".join(features))
    return text.replace("features_of", "hashed_features")


def _base_text(base: str, number: int, layout: PartPlaces) -> str:
    """Return the text that finds a word of a list; 0 where there is none."""
    name, depth = base[0], int(base[1])
    if name == "b":
        field, start = layout.buffer, layout.list_at(layout.buffer)
        return filled(
            _PLACE,
            number=number,
            length=f"C[c + {field}] - g",
            depth=depth,
            value=f"C[c + {start} + g + {depth}]",
        )
    which = "stu".index(name)
    if which >= len(layout.stacks):
        return f"x{number} = 0"
    field = layout.stacks[which]
    start = layout.list_at(field)

    def at(deep: str) -> str:
        return (
            f"{start} + {deep}" if field in layout.from_left else f"{start} + C[c + {field}] - 1 - ({deep})"
        )

    if which:
        return filled(
            _PLACE, number=number, length=f"C[c + {field}]", depth=depth, value=f"C[c + {at(str(depth))}]"
        )
    own = f"{depth} - g"
    buffer = layout.list_at(layout.buffer)
    return (
        f"x{number} = 0\nif g > {depth}:\n    x{number} = C[c + {buffer} + g - {1 + depth}]\n"
        f"elif C[c + {field}] > {own}:\n    x{number} = C[c + {at(own)}]"
    )


def default_templates(layout: PartPlaces) -> str:
    """Return the text of the default templates, leaving out templates about lists that the system lacks."""
    lines = [*_DEFAULT.strip().splitlines()]
    if len(layout.stacks) > 1:
        lines += _SECOND.strip().splitlines()
    return "\n".join(lines) + "\n"


_SECOND = """
word t0, tag t0
tag t0, tag b0
tag t0, tag s0, tag b0
word t0, word b0
tag t0, tag t1
"""


def _default() -> str:
    singles = [f"{x}{k}" for x, count in (("s", 3), ("b", 3)) for k in range(count)]
    lines = [f"{column} {x}" for x in singles for column in ("word", "tag", "xtag")]
    lines += [f"word {x}, tag {x}" for x in singles]
    lines += [f"{column} {x}" for x in ("s0", "s1", "b0") for column in ("suffix", "feats")]
    for one, other in (("s0", "b0"), ("s1", "s0")):
        lines += [
            f"word {one}, tag {one}, word {other}, tag {other}",
            f"word {one}, tag {one}, word {other}",
            f"word {one}, word {other}, tag {other}",
            f"word {one}, tag {one}, tag {other}",
            f"tag {one}, word {other}, tag {other}",
            f"word {one}, word {other}",
            f"tag {one}, tag {other}",
            f"xtag {one}, xtag {other}",
            f"suffix {one}, tag {other}",
            f"tag {one}, suffix {other}",
            f"feats {one}, feats {other}",
            f"tag {one}, feats {other}",
            f"feats {one}, tag {other}",
            f"tag {one}, tag {other}, distance {one} {other}",
            f"word {one}, tag {other}, distance {one} {other}",
            f"tag {one}, word {other}, distance {one} {other}",
            f"tag {one}, tag {other}, tag left {one}",
            f"tag {one}, tag {other}, tag right {one}",
            f"tag {one}, tag {other}, tag left {other}",
            f"tag {one}, tag {other}, tag right {other}",
            f"tag {one}, tag {other}, label left {one}",
            f"tag {one}, tag {other}, label right {one}",
            f"tag {one}, tag {other}, label left {other}",
            f"tag {one}, tag {other}, label right {other}",
        ]
    lines += [
        "tag b0, tag b1",
        "xtag b0, xtag b1",
        "word b0, tag b1",
        "tag b0, word b1",
        "tag b0, tag b1, tag b2",
        "tag s0, tag b0, tag b1",
        "xtag s0, xtag b0, xtag b1",
        "tag s0, tag b0, tag b1, tag b2",
        "word s0, tag b0, tag b1",
        "tag s1, tag s0, tag b0",
        "xtag s1, xtag s0, xtag b0",
        "word s1, tag s0, tag b0",
        "tag s1, word s0, tag b0",
        "tag s1, tag s0, word b0",
        "tag s2, tag s1, tag s0",
        "tag s2, tag s0, tag b0",
        "tag s2, tag s1, tag s0, tag b0",
        "tag s0, tag head s0, tag b0",
        "tag s0, tag head s0, tag head head s0",
        "word head s0, tag b0",
        "label s0",
        "label s0, tag s0, tag b0",
        "label s0, tag head s0",
        "last 1",
        "last 1, last 2",
        "last 1, tag s0, tag b0",
    ]
    for x in ("s0", "s1", "b0"):
        sides = ("left",) if x == "b0" else ("left", "right")
        for side in sides:
            lines += [
                f"word {side} {x}", f"tag {side} {x}", f"label {side} {x}",
                f"tag {x}, label {side} {x}, label {side}2 {x}",
                f"tag {x}, tag {side} {x}, tag {side}2 {x}",
                f"word {x}, count {side} {x}", f"tag {x}, count {side} {x}",
                f"word {x}, label {side} {x}",
            ]  # fmt: skip
    return "\n".join(lines)


_DEFAULT = _default()
