"""The links of a picture: trees, graphs and linkages as one kind of value, checked against the words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemata.display.columns import printable
from schemata.errors import UsageError

__all__ = ["Link", "as_links", "as_tree_links", "link_text"]


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
    found: dict[Link, None] = {}
    for a, b, *label in links:
        if not (1 <= a <= n and 0 <= b <= n and (b or directed)):
            raise UsageError(f"the link {(a, b)} does not fit {n} words")
        if a == b:
            raise UsageError(f"the link {(a, b)} joins a word to itself")
        text = printable(label[0]) if label else ""
        found[Link(min(a, b), max(a, b), text, a if directed else None)] = None
    return list(found)


def as_tree_links(
    words: Sequence[str], heads: Sequence[int], labels: Sequence[str] | None
) -> list[tuple[int, int, str]]:
    """Return the (dependent, head, label) triples of a tree.

    Raises
    ------
    UsageError : heads or labels not one per word.
    """
    for name, values in (("heads", heads), ("labels", labels)):
        if values is not None and len(values) != len(words):
            raise UsageError(f"{len(values)} {name} for {len(words)} words")
    return [(d, h, labels[d - 1] if labels else "") for d, h in enumerate(heads, start=1)]
