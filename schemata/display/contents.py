"""The contents of items as text and SVG: forests as arcs over words, extended trees with predicted parts dashed."""

from __future__ import annotations

from collections.abc import Iterator

from schemata.analysis.contents import Content, Contents, ExtendedTree, PartialForest
from schemata.display import svg
from schemata.display.arc_layout import Picture, link_text, links_picture
from schemata.display.arcs import arcs_svg, arcs_text
from schemata.display.structures import structure_text
from schemata.display.terminal import PAGE, Page, wrapped
from schemata.display.trees import Node, tree_svg, tree_text
from schemata.errors import printable
from schemata.language import model as m
from schemata.wording import listing, quantity


def contents_text(found: Contents, page: Page = PAGE) -> str:
    """Return the contents of an item: how many structures, and each with its trees."""
    noun = "extended tree" if any(isinstance(x, ExtendedTree) for x in found.contents) else "structure"
    count = quantity(len(found.contents), noun)
    how = {True: "", False: ", the first of them", None: ", as far as derivations were looked at"}
    lines = [f"{printable(str(found.item))}: {count}{how[found.complete]}"]
    for number, content in enumerate(found.contents, start=1):
        lines += ["", *wrapped(f"{number}  {said(content)}", page.width), *_drawn(found, content, page)]
    if any(isinstance(x, ExtendedTree) and not x.grounded for x in found.contents):
        lines += ["", "dashed: predicted"]
    return "\n".join(lines)


def said(content: Content) -> str:
    """Return a content in a line of words."""
    if isinstance(content, ExtendedTree):
        return printable(str(content))
    if not isinstance(content, PartialForest):
        return str(content)
    if not content.trees:
        return ", ".join(link_text(link) for link in content.links) or "no links"
    trees = []
    for tree in content.trees:
        places = _intervals(tree.words)
        trees.append(f"{places} under {tree.head}" if tree.head is not None else f"{places} without a head")
    told = ", ".join(f"{word} {value}" for word, _, value in content.tags)
    return listing(trees) + (f"; {printable(told)}" if told else "")


def _intervals(words: tuple[int, ...]) -> str:
    """Return positions as intervals: 1..3, 5."""
    parts: list[list[int]] = []
    for word in words:
        if parts and parts[-1][1] == word - 1:
            parts[-1][1] = word
        else:
            parts.append([word, word])
    return ", ".join(str(low) if low == high else f"{low}..{high}" for low, high in parts)


def _drawn(found: Contents, content: Content, page: Page) -> Iterator[str]:
    """Yield the lines of a drawing of a content; none where nothing is to be drawn."""
    match content:
        case ExtendedTree():
            yield tree_text(_node(content, found.chart.sentence.words), page)
        case PartialForest(links=links) if links and (picture := _picture(found, content)) is not None:
            yield arcs_text(picture, page)
        case PartialForest():
            return
        case _:
            yield structure_text(found.chart.sentence, content, page)


def _picture(found: Contents, content: PartialForest) -> Picture | None:
    """Return the picture of a forest's links over the words from its first to its last; None without a link."""
    if not content.trees:
        return None  # links of a linkage: its words, walls among them, are those of its disjuncts
    words = found.chart.sentence.words
    used = {end for link in content.links for end in link[:2]} | {
        word for tree in content.trees for word in tree.words
    }
    inside = [word for word in used if 1 <= word <= len(words)]
    if not inside:
        return None
    low, high = min(inside), max(inside)
    moved = [(d - low + 1, h - low + 1 if h else 0, *label) for d, h, *label in content.links]
    tags = [" ".join(value for one, _, value in content.tags if one == word) for word in range(low, high + 1)]
    return links_picture(words[low - 1 : high], moved, tags=tags if any(tags) else None, first_number=low)


def _node(tree: ExtendedTree, words: tuple[str, ...]) -> Node:
    """Return an extended tree as a tree to draw."""
    if tree.word is not None:
        return Node(
            printable(words[tree.word - 1]) if 1 <= tree.word <= len(words) else str(tree.word), kind="word"
        )
    name = {m.HEAD_WORD: "^", m.ROOT: "root"}.get(tree.category, tree.category)
    children = tuple(_node(child, words) for child in tree.children)
    return Node(printable(name), children, kind="predicted" if tree.predicted else "item")


def contents_svg(found: Contents, *, width: int | None = svg.WIDTH) -> str:
    """Return the drawings of an item's contents, one below the other, as an SVG document."""
    pictures = []
    for content in found.contents:
        title = f"{found.item}: {said(content)}"
        if isinstance(content, ExtendedTree):
            node = _node(content, found.chart.sentence.words)
            notes = () if content.grounded else ("dashed: predicted",)
            pictures.append(tree_svg(node, title=title, proof=False, width=width, notes=notes))
        elif isinstance(content, PartialForest):
            picture = _picture(found, content)
            if picture is not None:
                pictures.append(arcs_svg(picture, width=width))
    return svg.stacked(pictures)
