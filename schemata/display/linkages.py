"""Linkages for the terminal: labelled arcs above the words, and below them the disjuncts that were chosen.

Positions are counted from 0, as in the items of the Link Grammar schemata; walls are words among others.
"""

from __future__ import annotations

from schemata.display.arcs import draw_links
from schemata.display.columns import printable, text_width
from schemata.structures.linkages import Disjunct, Linkage

__all__ = ["cost_text", "disjunct_lines", "draw_linkage"]

_NARROWEST = 16  # columns; with less room than this beside the words, disjuncts stand below them
_INDENT = 4
_AND = " & "


def draw_linkage(
    linkage: Linkage,
    *,
    width: int | None = None,
    ascii: bool = False,
    numbers: bool | None = None,
    disjuncts: bool = True,
) -> str:
    """Return a linkage drawn as labelled arcs, with the disjunct of each word in a list below.

    Parameters
    ----------
    linkage : the linkage; none of the conditions on linkages need be met.
    width : the columns there are; a longer sentence is drawn in panels, a longer disjunct on several lines.
        None: as wide as it gets.
    ascii : draw with ASCII characters.
    numbers : write the positions below the words; None: only when there are several panels.
    disjuncts : list the disjuncts and the cost.

    >>> from schemata.structures.connectors import read_connector
    >>> from schemata.structures.linkages import labelled_link
    >>> chosen = [
    ...     Disjunct("the", (), (read_connector("D+"),)),
    ...     Disjunct("cat.n", (read_connector("Ds-"),), (read_connector("Ss+"),), 0.5),
    ...     Disjunct("sat.v", (read_connector("S-"),), ()),
    ... ]
    >>> links = [labelled_link(chosen, 0, 1, (0, 0)), labelled_link(chosen, 1, 2, (0, 0))]
    >>> print(draw_linkage(Linkage(["the", "cat", "sat"], chosen, links)))
     ┌─Ds─┐ ┌─Ss─┐
    the   cat   sat
    <BLANKLINE>
    0  the         D+
    1  cat.n  0.5  Ds- & Ss+
    2  sat.v       S-
    cost 0.5
    """
    links = [(link.left + 1, link.right + 1, link.label) for link in linkage.links]
    picture = draw_links(
        linkage.words, links, directed=False, width=width, ascii=ascii, numbers=numbers, first_number=0
    )
    if not disjuncts:
        return picture
    return "\n".join([picture, "", *disjunct_lines(linkage, width=width), f"cost {cost_text(linkage.cost)}"])


def disjunct_lines(linkage: Linkage, *, width: int | None = None) -> list[str]:
    """Return a line for each word, more for a disjunct that is longer than the width.

    In columns stand its position, the word as the dictionary has it, the cost of its disjunct unless all cost
    nothing, and the disjunct.
    """
    digits = len(str(len(linkage.words) - 1))
    words = [printable(disjunct.word) for disjunct in linkage.disjuncts]
    widest = max(map(text_width, words))
    costs = [cost_text(disjunct.cost) if disjunct.cost else "" for disjunct in linkage.disjuncts]
    cost_width = max(map(len, costs))
    column = digits + 2 + widest + 2 + (cost_width + 2 if cost_width else 0)
    longest = max(len(str(disjunct)) for disjunct in linkage.disjuncts)
    apart = width is not None and width - column < min(_NARROWEST, longest)
    if apart:
        column = _INDENT
    lines = []
    for position, (word, cost, disjunct) in enumerate(zip(words, costs, linkage.disjuncts, strict=True)):
        start = f"{position:>{digits}}  {word}{' ' * (widest - text_width(word))}  "
        if cost_width:
            start += f"{cost:>{cost_width}}  "
        first, *more = _wrapped(disjunct, None if width is None else width - column)
        lines += [start.rstrip(), " " * column + first] if apart else [start + first]
        lines += [" " * column + line for line in more]
    return lines


def cost_text(cost: float) -> str:
    """Return a cost without needless digits.

    >>> cost_text(2.0), cost_text(0.1 + 0.2)
    ('2', '0.3')
    """
    return f"{round(cost, 6):.6f}".rstrip("0").rstrip(".")


def _wrapped(disjunct: Disjunct, width: int | None) -> list[str]:
    """Return the disjunct as lines of that width, broken before an ampersand."""
    text = str(disjunct)
    if width is None or len(text) <= width:
        return [text]
    first, *others = text.split(_AND)
    lines = [first]
    for connector in others:
        joined = f"{_AND}{connector}"
        if len(lines[-1]) + len(joined) <= width:
            lines[-1] += joined
        else:
            lines.append(joined.lstrip())
    return lines
