"""The layout of arcs, for text and SVG: the column of every word and arc end, the level of every arc.

The layout counts in terminal columns and levels; the terminal and the SVG picture both draw it. The ends of
a word's arcs are gathered in stems, one column each, at most one of a kind: to the left and to the right,
outgoing and incoming. A stem is never shared by both directions or both sides, so that every arc can be
followed by eye: where two lines make a full cross, they cross.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemata.display.terminal import text_width
from schemata.errors import UsageError, printable
from schemata.wording import quantity


@dataclass(frozen=True, slots=True)
class Link:
    """A link to draw: `dependent` is the end with the arrow head, None without; left 0 is the root."""

    left: int
    right: int
    label: str = ""
    dependent: int | None = None


def link_text(link: tuple[int, int] | tuple[int, int, str], words: Sequence[str] = ()) -> str:
    """Return a link in words; ends of labelled links with their words where these are given.

    >>> link_text((1, 2)), link_text((0, 1, "D")), link_text((0, 1, "D"), ["the", "cat"])
    ('1 under 2', '0 and 1 by D', '0 (the) and 1 (cat) by D')
    """
    if len(link) == 2:
        return f"{link[0]} under {link[1]}"
    left, right = (f"{z} ({words[z]})" if z < len(words) else str(z) for z in link[:2])
    return f"{left} and {right} by {link[2]}"


def links_text(links: Iterable[tuple[int, int] | tuple[int, int, str]]) -> str:
    """Return links in words."""
    return ", ".join(map(link_text, links))


def as_links(
    words: Sequence[str], links: Iterable[tuple[int, int] | tuple[int, int, str]], *, directed: bool
) -> list[Link]:
    """Return links to draw from (dependent, head) or (dependent, head, label); head 0 is the root.

    Raises
    ------
    UsageError : no words, or a link to a word that is not there or from a word to itself.
    """
    n = len(words)
    if not n:
        raise UsageError("there are no words to draw")
    unique: dict[Link, None] = {}
    for a, b, *label in links:
        if not (1 <= a <= n and 0 <= b <= n and (b or directed)):
            raise UsageError(f"the link {(a, b)} does not fit {quantity(n, 'word')}")
        if a == b:
            raise UsageError(f"the link {(a, b)} joins a word to itself")
        text = printable(label[0]) if label else ""
        unique[Link(min(a, b), max(a, b), text, a if directed else None)] = None
    return list(unique)


def as_tree_links(
    words: Sequence[str], heads: Sequence[int], labels: Sequence[str] | None
) -> list[tuple[int, int, str]]:
    """Return the (dependent, head, label) triples of a tree.

    Raises
    ------
    UsageError : heads or labels not one per word.
    """
    for name, values in (("head", heads), ("label", labels)):
        if values is not None and len(values) != len(words):
            raise UsageError(f"{quantity(len(values), name)} for {quantity(len(words), 'word')}")
    return [(d, h, labels[d - 1] if labels else "") for d, h in enumerate(heads, start=1)]


# The layout -----------------------------------------------------------------------------------------------

Side = Literal["left", "root", "right"]
Stem = tuple[int, Side, bool]  # word, side its arcs leave to, whether they come in


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word in the picture: its slot is as wide as the word and its stems need."""

    number: int
    text: str
    column: int
    width: int
    slot: int
    slot_width: int


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc from column to column at a level, 1 the lowest.

    `arrows` are the columns of arrow heads. `before` and `after` say where an arc leads that leaves the
    picture at its left or right edge; at that end it has no stem.
    """

    link: Link
    left: int
    right: int
    level: int
    arrows: tuple[int, ...]
    before: str = ""
    after: str = ""

    @property
    def stems(self) -> tuple[int, ...]:
        """The columns in which the arc goes down to a word."""
        ends = ((self.left, self.before), (self.right, self.after))
        return tuple(column for column, elsewhere in ends if not elsewhere)


@dataclass(frozen=True, slots=True)
class RootMark:
    """The mark above the roots: their columns, its level, and where its label stands.

    With several roots their stems meet in a line at that level, and the label stands at an end of it.
    """

    columns: tuple[int, ...]
    level: int
    label: str
    label_column: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A picture to draw: words, arcs and the root mark, `width` columns by `height` levels."""

    words: tuple[PlacedWord, ...]
    arcs: tuple[Arc, ...]
    root: RootMark | None
    width: int
    height: int


def lay_out(
    words: Sequence[str],
    links: Sequence[Link],
    first: int,
    last: int,
    *,
    numbers: bool = False,
    gap: int = 1,
    first_number: int = 1,
) -> Layout:
    """Return the layout of words first..last of the sentence; arcs that leave it name their other end.

    `gap` columns are left between two words, and `numbers` makes room for word numbers below them. The first
    word of the sentence is shown as `first_number`.
    """
    shift = first_number - 1
    span = range(first, last + 1)
    arcs = [link for link in links if link.left and (link.left in span or link.right in span)]
    roots = [link for link in links if not link.left and link.right in span]
    before = {link: f"{link.left + shift} {link.label}".strip() for link in arcs if link.left < first}
    after = {link: f"{link.label} {link.right + shift}".strip() for link in arcs if link.right > last}

    offsets, slots = _stems(words, arcs, roots, span, numbers)
    margin = max(map(text_width, before.values()), default=-1) + 1
    start = _columns(arcs, offsets, slots, margin + bool(before), gap)
    edge = start[last] + slots[last]

    def column(word: int, side: Side, incoming: bool) -> int:
        return start[word] + offsets[word, side, incoming]

    ends = [
        (
            margin if link in before else column(link.left, "right", link.dependent == link.left),
            edge if link in after else column(link.right, "left", link.dependent == link.right),
        )
        for link in arcs
    ]
    placed = []
    for link, (left, right), level in zip(arcs, ends, _levels(ends), strict=True):
        arrows = tuple(
            c for w, c in ((link.left, left), (link.right, right)) if w == link.dependent and w in span
        )
        placed.append(Arc(link, left, right, level, arrows, before.get(link, ""), after.get(link, "")))

    width = edge + max((2 + text_width(text) for text in after.values()), default=0)
    root = _root_mark(placed, [(column(link.right, "root", True), link.label) for link in roots], width)
    if root is not None:
        width = max(width, root.label_column + text_width(root.label))
    height = max([arc.level for arc in placed] + ([root.level] if root else []), default=0)
    shown = tuple(_place(words[w - 1], w, start[w], slots[w]) for w in span)
    return Layout(shown, tuple(placed), root, width, height)


def _place(text: str, number: int, start: int, slot: int) -> PlacedWord:
    text = _shown(text)
    width = text_width(text)
    return PlacedWord(number, text, start + (slot - width) // 2, width, start, slot)


def _shown(word: str) -> str:
    """Return the word as it is drawn; marks without a letter get a blank to stand on.

    A joiner at its end would join it to the blank after it, in the eyes of what counts columns.
    """
    text = printable(word).rstrip("\u200d")
    return text if text_width(text) else f" {text}"


def _stems(
    words: Sequence[str], arcs: Sequence[Link], roots: Sequence[Link], span: range, numbers: bool
) -> tuple[dict[Stem, int], dict[int, int]]:
    """Return the offset of every stem in its word's slot, and the width of every slot."""
    reach: dict[int, dict[Stem, int]] = {word: {} for word in span}
    for link in arcs:
        for word, other, side in ((link.left, link.right, "right"), (link.right, link.left, "left")):
            if word in span:
                stem: Stem = (word, "right" if side == "right" else "left", link.dependent == word)
                reach[word][stem] = max(reach[word].get(stem, 0), abs(word - other))
    for link in roots:
        reach[link.right][link.right, "root", True] = 0

    offsets: dict[Stem, int] = {}
    slots: dict[int, int] = {}
    for word in span:
        order = sorted(reach[word], key=lambda stem: _rank(stem, reach[stem[0]][stem]))
        width = text_width(_shown(words[word - 1]))
        step = 2 if width >= 2 * len(order) - 1 else 1
        taken = (len(order) - 1) * step + 1
        slots[word] = max(width, taken, len(str(word)) if numbers else 1)
        for place, stem in enumerate(order):
            offsets[stem] = (slots[word] - taken) // 2 + place * step
    return offsets, slots


def _rank(stem: Stem, reach: int) -> tuple[int, int]:
    """Order stems so that nested arcs do not cross: long ones inside, short ones outside, root between."""
    _, side, incoming = stem
    if side == "root":
        return (0, 0)
    kind = 2 * reach + incoming
    return (-1, kind) if side == "left" else (1, -kind)


def _columns(
    arcs: Sequence[Link], offsets: dict[Stem, int], slots: dict[int, int], left: int, gap: int
) -> dict[int, int]:
    """Return the first column of every slot, as far left as words and labels leave room."""
    labelled: dict[int, list[Link]] = defaultdict(list)
    for link in arcs:
        if link.label and link.left in slots and link.right in slots:
            labelled[link.right].append(link)
    start: dict[int, int] = {}
    for word, slot in slots.items():
        column = left
        for link in labelled[word]:
            there = start[link.left] + offsets[link.left, "right", link.dependent == link.left]
            column = max(
                column, there + text_width(link.label) + 3 - offsets[word, "left", link.dependent == word]
            )
        start[word] = column
        left = column + slot + gap
    return start


def _levels(ends: Sequence[tuple[int, int]]) -> list[int]:
    """Return a level for every arc: above all arcs within it, and apart from all it overlaps.

    Taking arcs from short to long, each as low as it can go, needs the fewest levels possible if no two
    arcs cross.
    """
    levels = [0] * len(ends)
    done: list[int] = []
    for arc in sorted(range(len(ends)), key=lambda k: (ends[k][1] - ends[k][0], ends[k])):
        left, right = ends[arc]
        beside = [k for k in done if ends[k][0] <= right and left <= ends[k][1]]
        taken = {levels[k] for k in beside}
        level = 1 + max((levels[k] for k in beside if left <= ends[k][0] and ends[k][1] <= right), default=0)
        while level in taken:
            level += 1
        levels[arc] = level
        done.append(arc)
    return levels


def _root_mark(arcs: Sequence[Arc], roots: Sequence[tuple[int, str]], width: int) -> RootMark | None:
    if not roots:
        return None
    top = max((arc.level for arc in arcs), default=0) + 1
    label = next((label for _, label in roots if label), "root")
    size = text_width(label)
    columns = tuple(column for column, _ in sorted(roots))
    if len(columns) > 1:
        before = columns[0] - size - 2
        return RootMark(columns, top, label, before if before >= 0 else columns[-1] + 3)
    (column,) = columns
    starts = sorted(
        (s for s in range(max(0, column - size + 1), column + 1) if s + size <= width or s == 0),
        key=lambda s: abs(s + (size - 1) // 2 - column),
    )
    covering = max((arc.level for arc in arcs if arc.left <= column <= arc.right), default=0)
    for level in range(covering + 1, top):
        for start in starts:
            if not any(_touches(arc, level, start - 1, start + size) for arc in arcs):
                return RootMark(columns, level, label, start)
    return RootMark(columns, top, label, starts[0])


def _touches(arc: Arc, level: int, left: int, right: int) -> bool:
    """Return whether an arc's line or stems come into columns left..right of a level."""
    if arc.level == level:
        return arc.left <= right and left <= arc.right
    return arc.level > level and any(left <= column <= right for column in arc.stems)
