"""Pictures of arcs and their layout for text and SVG: columns of words and arc ends, levels of arcs, panels.

The layout counts in terminal columns and levels; the terminal and the SVG picture both draw it. The ends of
a word's arcs are gathered in stems, one column each, at most one of a kind: to the left and to the right,
outgoing and incoming. A stem is never shared by both directions or both sides, so that every arc can be
followed by eye: where two lines make a full cross, they cross. A sentence wider than the page is laid out in several
panels. Where words run from right to left, their places are negative numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any
from unicodedata import bidirectional

from schemata.errors import UsageError, printable, text_width
from schemata.grouping import grouped
from schemata.records import Record, replace
from schemata.structures import DependencyGraph, DependencyTree, Linkage, Sentence
from schemata.structures.constituents import atom_text
from schemata.structures.semantics import SemanticGraph, links_of
from schemata.wording import quantity


class Link(Record):
    """A link to draw: `dependent` is the end with the arrow head, None without; left 0 is the root.

    `strength` says how thick it is drawn, from 0 to 1; None for all links alike.
    """

    left: int
    right: int
    label: str = ""
    dependent: int | None = None
    strength: float | None = None


class Picture(Record):
    """A sentence to draw with its links.

    `tags` stand below the words, rows of `features` below them; `first_number` is the number of the first word; `rtl`
    says that the words stand from right to left.
    """

    words: tuple[str, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...] | None = None
    first_number: int = 1
    rtl: bool = False
    features: tuple[tuple[str, ...], ...] = ()


_ROUNDING = 1e-6  # by which sums of probabilities may miss 0 and 1
AnyLink = tuple[int, int] | tuple[int, int, str]
Strengths = Mapping[tuple[int, int], float]


def link_text(link: tuple[Any, ...], words: Sequence[str] = ()) -> str:
    """Return a link or another atom in words; ends of links between connectors with their words where these are given.

    >>> link_text((1, 2)), link_text((0, 1, "D")), link_text((0, 1, "D"), ["the", "cat"])
    ('1 under 2', '0 and 1 by D', '0 (the) and 1 (cat) by D')
    >>> link_text(("bracket", "NP", 1, 2))
    'bracket(NP, 1, 2)'
    """
    if isinstance(link[0], str):
        return atom_text(link)
    if len(link) == 2:
        return f"{link[0]} under {link[1]}"
    left, right = (f"{z} ({words[z]})" if z < len(words) else str(z) for z in link[:2])
    return f"{left} and {right} by {link[2]}"


def links_text(links: Iterable[tuple[Any, ...]]) -> str:
    """Return links in words."""
    return ", ".join(map(link_text, links))


def links_picture(
    words: Sequence[str],
    links: Iterable[AnyLink],
    *,
    directed: bool = True,
    tags: Sequence[str] | None = None,
    strengths: Strengths | None = None,
    first_number: int = 1,
    rtl: bool | None = None,
) -> Picture:
    """Return the picture of any set of links: a graph, a forest, a linkage.

    Parameters
    ----------
    words : the words of the sentence.
    links : (dependent, head) or (dependent, head, label), 1-based, head 0 for a root; empty labels are not labels.
    directed : draw arrow heads at the dependents; else links join two words in either order.
    tags : a part of speech for each word, to stand below it.
    strengths : how strong links are, from 0 to 1 (such as their marginal probabilities), by their ends as they stand in
        `links`; SVG and LaTeX draw strong links as thick lines, text writes the numbers. Links without a strength are
        drawn as usual.
    first_number : the number that is written for the first word.
    rtl : place the words from right to left; None: if most of them run so.

    Raises
    ------
    UsageError : no words, not one tag per word, a link to a word that is not there or from a word to itself, a
        strength that is not between 0 and 1.
    """
    n = len(words)
    if not n:
        raise UsageError("there are no words to draw")
    _check_one_each("tag", tags, words)
    unique: dict[Link, None] = {}
    for a, b, *label in links:
        if not (1 <= a <= n and 0 <= b <= n and (b or directed)):
            raise UsageError(f"the link {(a, b)} does not fit {quantity(n, 'word')}")
        if a == b:
            raise UsageError(f"the link {(a, b)} joins a word to itself")
        strength = strengths.get((a, b)) if strengths else None
        if strength is not None:
            if not -_ROUNDING <= strength <= 1 + _ROUNDING:
                raise UsageError(f"the strength of the link {(a, b)} is {strength}, not between 0 and 1")
            strength = min(max(strength, 0.0), 1.0)
        text = printable(label[0]) if label else ""
        unique[Link(min(a, b), max(a, b), text, a if directed else None, strength)] = None
    below = None if tags is None else tuple(map(printable, tags))
    rtl = run_right_to_left(words) if rtl is None else rtl
    return Picture(tuple(words), tuple(unique), below, first_number, rtl)


def tree_picture(
    words: Sequence[str],
    heads: Sequence[int],
    *,
    labels: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    strengths: Strengths | None = None,
    rtl: bool | None = None,
) -> Picture:
    """Return the picture of a dependency tree.

    Parameters
    ----------
    words : the words of the sentence.
    heads : the head of each word, 1-based, 0 for a root.
    labels : a label for the arc of each word, or None; empty strings are not labels.
    tags, strengths, rtl : as for `links_picture`; strengths by (dependent, head).

    Raises
    ------
    UsageError : no words; heads, labels or tags not one per word; a head out of range or of itself; a strength that
        is not between 0 and 1.
    """
    _check_one_each("head", heads, words)
    _check_one_each("label", labels, words)
    links = [(d, h, labels[d - 1] if labels else "") for d, h in enumerate(heads, start=1)]
    return links_picture(words, links, tags=tags, strengths=strengths, rtl=rtl)


def linkage_picture(linkage: Linkage, strengths: Strengths | None = None, rtl: bool | None = None) -> Picture:
    """Return the picture of a linkage; strengths by its positions (left, right)."""
    links = [(link.left + 1, link.right + 1, link.label) for link in linkage.links]
    shifted = {(left + 1, right + 1): strength for (left, right), strength in (strengths or {}).items()}
    return links_picture(linkage.words, links, directed=False, strengths=shifted, first_number=0, rtl=rtl)


def structure_picture(
    sentence: Sentence | None,
    structure: DependencyTree | DependencyGraph | SemanticGraph | Linkage,
    *,
    strengths: Strengths | None = None,
    rtl: bool | None = None,
) -> Picture:
    """Return the picture of a linkage, or of a tree or graph with the sentence's parts of speech.

    Below the words of a semantic graph stand the labels of its nodes; its arrows lead from sources to targets. In a
    tree without labels, arcs that are gold arcs have the gold labels. Links of a word to itself are left out. Without a
    sentence the words are numbers.
    """
    if isinstance(structure, SemanticGraph):
        return _semantic_picture(sentence, structure, rtl)
    if not isinstance(structure, DependencyTree | DependencyGraph):
        return linkage_picture(structure, strengths=strengths, rtl=rtl)
    words = [str(d) for d in range(1, len(structure) + 1)] if sentence is None else sentence.words
    tags = None if sentence is None else sentence.tags
    if isinstance(structure, DependencyGraph):
        links = [tuple(link) for link in structure.to_json() if link[0] != link[1]]
        return links_picture(words, links, tags=tags, strengths=strengths, rtl=rtl)  # type: ignore[arg-type]
    heads, labels = structure.heads, structure.labels
    if labels is None and sentence is not None and sentence.heads and sentence.labels:
        gold = zip(heads, sentence.heads, sentence.labels, strict=True)
        labels = tuple(label if head == true else "" for head, true, label in gold)
    of_words = structure.tags
    picture = tree_picture(words, heads, labels=labels, tags=of_words or tags, strengths=strengths, rtl=rtl)
    return replace(picture, features=_rows(structure.features)) if structure.features else picture


def _rows(features: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the features of words in rows, as many as some word has.

    >>> _rows(["Case=Nom|Number=Sing", "", "Number=Plur"])
    (('Case=Nom', '', 'Number=Plur'), ('Number=Sing', '', ''))
    """
    columns = ([printable(one) for one in text.split("|")] for text in features)
    return tuple(zip_longest(*columns, fillvalue=""))


def _semantic_picture(sentence: Sentence | None, graph: SemanticGraph, rtl: bool | None) -> Picture:
    labels = dict(graph.nodes)
    words = [str(x) for x in range(1, max(labels) + 1)] if sentence is None else sentence.words
    concepts = [labels.get(x, "") for x in range(1, len(words) + 1)]
    links = [link for link in links_of(graph) if link[0] != link[1]]
    return links_picture(words, links, tags=concepts, rtl=rtl)


def _check_one_each(name: str, values: Sequence[object] | None, words: Sequence[str]) -> None:
    if values is not None and len(values) != len(words):
        raise UsageError(f"{quantity(len(values), name)} for {quantity(len(words), 'word')}")


def run_right_to_left(words: Iterable[str]) -> bool:
    """Return whether more words run from right to left than from left to right, by their first letters.

    >>> run_right_to_left(["\u05e9\u05dc\u05d5\u05dd", "!"]), run_right_to_left(["peace", "!"])
    (True, False)
    """
    ways = [next((way for way in map(bidirectional, word) if way in _STRONG), "") for word in words]
    return sum(way in ("R", "AL") for way in ways) > ways.count("L")


_STRONG = ("L", "R", "AL")  # the bidirectional classes of letters: from left to right, and from right to left


# The layout -----------------------------------------------------------------------------------------------

Stem = tuple[int, int, bool]  # word, side its arcs leave to (-1, 1, 0 to the root), whether they come in


class PlacedWord(Record):
    """A word in the picture: its slot is as wide as the word, its stems and the texts below it need."""

    number: int
    text: str
    column: int
    width: int
    slot: int
    slot_width: int
    below: tuple[str, ...] = ()


class PlacedArc(Record):
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


class RootMark(Record):
    """The mark above the roots: their columns and links, its level, and where its label stands.

    With several roots their stems meet in a line at that level, and the label stands at an end of it.
    """

    columns: tuple[int, ...]
    links: tuple[Link, ...]
    level: int
    label: str
    label_column: int


class ArcLayout(Record):
    """A picture to draw: words, arcs and the root mark, `width` columns by `height` levels."""

    words: tuple[PlacedWord, ...]
    arcs: tuple[PlacedArc, ...]
    root: RootMark | None
    width: int
    height: int


def panels(
    picture: Picture, width: int | None = None, *, numbers: bool | None = None, gap: int = 1
) -> list[ArcLayout]:
    """Return one layout, or several that fit the width, broken where few arcs are cut.

    Parameters
    ----------
    picture : the picture to draw.
    width : the available columns; None for as many as needed.
    numbers : write the word numbers below the words; None: only if there are several layouts.
    gap : columns between two words.
    """
    whole = lay_out(picture, numbers=bool(numbers), gap=gap)
    if width is None or whole.width <= width:
        return [whole]
    found: list[ArcLayout] = []
    first, n = 1, len(picture.words)
    while first <= n:
        fitting: list[tuple[int, ArcLayout]] = []
        for last in range(first, n + 1):
            layout = lay_out(picture, first, last, numbers=numbers is not False, gap=gap)
            if layout.width <= width or not fitting:
                # One word alone may be too wide: it sticks out, but the others stay in place.
                fitting.append((last, layout))
            if sum(word.slot_width + gap for word in layout.words) - gap > width:
                break
        furthest = fitting[-1][0]
        choices = [(last, layout) for last, layout in fitting if 4 * layout.width >= 3 * width]
        if furthest == n or not choices:
            choices = fitting[-1:]
        last, layout = min(choices, key=lambda choice: (_cut(picture.links, choice[0]), -choice[0]))
        found.append(layout)
        first = last + 1
    return found


def _cut(links: Sequence[Link], last: int) -> int:
    return sum(0 < link.left <= last < link.right for link in links)


def lay_out(
    picture: Picture, first: int = 1, last: int | None = None, *, numbers: bool = False, gap: int = 1
) -> ArcLayout:
    """Return the layout of words first..last of the sentence; arcs that leave it name their other end.

    `gap` columns are left between two words, and `numbers` puts word numbers below them.
    """
    n, shift, sign = len(picture.words), picture.first_number - 1, -1 if picture.rtl else 1
    span = sorted(sign * word for word in range(first, (n if last is None else last) + 1))
    links = [_seen(link, sign) for link in picture.links]
    arcs = [link for link in links if link.left and (link.left in span or link.right in span)]
    roots = [link for link in links if not link.left and link.right in span]
    before = {x: f"{abs(x.left) + shift} {x.label}".rstrip() for x in arcs if x.left < span[0]}
    after = {x: f"{x.label} {abs(x.right) + shift}".lstrip() for x in arcs if x.right > span[-1]}

    texts = {w: _shown(picture.words[abs(w) - 1]) for w in span}
    under = [*([picture.tags] if picture.tags else ()), *picture.features]
    below = {w: (*(row[abs(w) - 1] for row in under), *[str(abs(w) + shift)] * numbers) for w in span}
    widths = {w: text_width(texts[w]) for w in span}
    slots = {w: max(widths[w], *map(text_width, below[w]), 1) for w in span}
    offsets = _stems(widths, slots, arcs, roots)
    margin = max(map(text_width, before.values()), default=-1) + 1
    start = _columns(arcs, offsets, slots, margin + bool(before), gap)
    edge = start[span[-1]] + slots[span[-1]]

    def column(word: int, side: int, link: Link) -> int:
        return start[word] + offsets[word, side, link.dependent == word]

    lefts = [margin if link in before else column(link.left, 1, link) for link in arcs]
    rights = [edge if link in after else column(link.right, -1, link) for link in arcs]
    levels = _levels(list(zip(lefts, rights, strict=True)))
    placed = []
    for link, left, right, level in zip(arcs, lefts, rights, levels, strict=True):
        places = {link.left: left, link.right: right}
        arrows = (places[link.dependent],) if link.dependent in span else ()
        placed.append(PlacedArc(link, left, right, level, arrows, before.get(link, ""), after.get(link, "")))

    width = edge + max((2 + text_width(text) for text in after.values()), default=0)
    root = _root_mark(placed, {column(link.right, 0, link): link for link in roots}, width)
    if root is not None:
        width = max(width, root.label_column + text_width(root.label))
    height = max([arc.level for arc in placed] + ([root.level] if root else []), default=0)
    shown = []
    for w, text in texts.items():
        at = start[w] + (slots[w] - widths[w]) // 2
        shown.append(PlacedWord(abs(w), text, at, widths[w], start[w], slots[w], below[w]))
    return ArcLayout(tuple(shown[::sign]), tuple(placed), root, width, height)


def _seen(link: Link, sign: int) -> Link:
    """Return a link with its ends as they are seen from left to right: negative numbers where words run otherwise."""
    left, right = sorted((sign * link.left, sign * link.right)) if link.left else (0, sign * link.right)
    return replace(link, left=left, right=right, dependent=link.dependent and sign * link.dependent)


def _shown(word: str) -> str:
    """Return the word as it is drawn; marks without a letter get a blank to stand on.

    A joiner at its end would join it to the blank after it when columns are counted.
    """
    text = printable(word).rstrip("\u200d")
    return text if text_width(text) else f" {text}"


def _stems(
    widths: Mapping[int, int], slots: dict[int, int], arcs: Sequence[Link], roots: Sequence[Link]
) -> dict[Stem, int]:
    """Return the offset of every stem in its word's slot; widens slots that are too narrow for their stems."""
    reach = {(link.right, 0, link.dependent == link.right): 0 for link in roots}
    for link in arcs:
        for word, side in ((link.left, 1), (link.right, -1)):
            stem = word, side, link.dependent == word
            reach[stem] = max(reach.get(stem, 0), link.right - link.left)
    # Nested arcs do not cross: long ones inside, short ones outside, the root between.
    ordered = sorted(reach, key=lambda stem: (stem[1], -stem[1] * (2 * reach[stem] + stem[2])))
    stems = grouped((stem[0], stem) for stem in ordered)
    offsets: dict[Stem, int] = {}
    for word, width in widths.items():
        order = stems.get(word, [])
        step = 2 if width >= 2 * len(order) - 1 else 1
        taken = (len(order) - 1) * step + 1
        slots[word] = max(slots[word], taken)
        for place, stem in enumerate(order):
            offsets[stem] = (slots[word] - taken) // 2 + place * step
    return offsets


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
            there = start[link.left] + offsets[link.left, 1, link.dependent == link.left]
            here = offsets[word, -1, link.dependent == word]
            column = max(column, there + text_width(link.label) + 3 - here)
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


def _root_mark(arcs: Sequence[PlacedArc], roots: Mapping[int, Link], width: int) -> RootMark | None:
    """Return the mark above the roots, which are given by their columns."""
    if not roots:
        return None
    top = max((arc.level for arc in arcs), default=0) + 1
    columns = tuple(sorted(roots))
    links = tuple(roots[column] for column in columns)
    label = ", ".join(dict.fromkeys(link.label for link in links if link.label)) or "root"
    size = text_width(label)
    if len(columns) > 1:
        before = columns[0] - size - 2
        return RootMark(columns, links, top, label, before if before >= 0 else columns[-1] + 3)
    (column,) = columns
    fitting = (s for s in range(max(0, column - size + 1), column + 1) if s + size <= width or s == 0)
    starts = sorted(fitting, key=lambda s: abs(s + (size - 1) // 2 - column))
    covering = max((arc.level for arc in arcs if arc.left <= column <= arc.right), default=0)
    for level in range(covering + 1, top):
        for start in starts:
            if not any(_touches(arc, level, start - 1, start + size) for arc in arcs):
                return RootMark(columns, links, level, label, start)
    return RootMark(columns, links, top, label, starts[0])


def _touches(arc: PlacedArc, level: int, left: int, right: int) -> bool:
    """Return whether an arc's line or stems come into columns left..right of a level."""
    if arc.level == level:
        return arc.left <= right and left <= arc.right
    return arc.level > level and any(left <= column <= right for column in arc.stems)
