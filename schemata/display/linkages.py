"""Linkages for the terminal: labelled arcs above the words, and below them the disjuncts that were chosen.

Positions are counted from 0, as in the items of the Link Grammar schemata; walls are words among others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from schemata.display.arcs import draw_links
from schemata.display.columns import printable, text_width
from schemata.structures.linkages import Linkage

__all__ = ["cost_text", "disjunct_lines", "draw_linkage", "told_apart"]

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
    partners: Collection[int] = (),
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
    partners : the words, by position, where each connector in the list is followed by the positions that it
        links, in parentheses; see `told_apart`.

    >>> from schemata.structures.connectors import read_connector
    >>> from schemata.structures.linkages import Disjunct, labelled_link
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
    lines = disjunct_lines(linkage, width=width, partners=partners)
    return "\n".join([picture, "", *lines, f"cost {cost_text(linkage.cost)}"])


def told_apart(linkages: Sequence[Linkage]) -> list[frozenset[int]]:
    """Return for each of some linkages the words whose connectors need their partners to tell it from the others.

    Two linkages can have the same words, disjuncts and links and differ in which connectors make the links: of
    ``@A+ & @A+`` the first may have one link and the second two, or the other way round.
    """
    alike: dict[object, list[int]] = {}
    for number, linkage in enumerate(linkages):
        links = tuple((link.left, link.right, link.label) for link in linkage.links)
        shown = tuple((d.word, str(d), d.cost) for d in linkage.disjuncts)
        alike.setdefault((linkage.words, shown, links), []).append(number)
    found = [frozenset[int]()] * len(linkages)
    for group in alike.values():
        texts = [[_with_partners(linkages[k], p) for p in range(len(linkages[k].words))] for k in group]
        differing = frozenset(p for p, column in enumerate(zip(*texts, strict=True)) if len(set(column)) > 1)
        for k in group:
            found[k] = differing
    return found


def disjunct_lines(
    linkage: Linkage, *, width: int | None = None, partners: Collection[int] = ()
) -> list[str]:
    """Return a line for each word, more for a disjunct that is longer than the width.

    In columns stand its position, the word as the dictionary has it, the cost of its disjunct unless all cost
    nothing, and the disjunct; `partners` as for `draw_linkage`.
    """
    texts = [
        _with_partners(linkage, position) if position in partners else str(disjunct)
        for position, disjunct in enumerate(linkage.disjuncts)
    ]
    digits = len(str(len(linkage.words) - 1))
    words = [printable(disjunct.word) for disjunct in linkage.disjuncts]
    widest = max(map(text_width, words))
    costs = [cost_text(disjunct.cost) if disjunct.cost else "" for disjunct in linkage.disjuncts]
    cost_width = max(map(len, costs))
    column = digits + 2 + widest + 2 + (cost_width + 2 if cost_width else 0)
    longest = max(map(len, texts))
    apart = width is not None and width - column < min(_NARROWEST, longest)
    if apart:
        column = _INDENT
    lines = []
    for position, (word, cost, text) in enumerate(zip(words, costs, texts, strict=True)):
        start = f"{position:>{digits}}  {word}{' ' * (widest - text_width(word))}  "
        if cost_width:
            start += f"{cost:>{cost_width}}  "
        first, *more = _wrapped(text, None if width is None else width - column)
        lines += [start.rstrip(), " " * column + first] if apart else [start + first]
        lines += [" " * column + line for line in more]
    return lines


def cost_text(cost: float) -> str:
    """Return a cost without needless digits.

    >>> cost_text(2.0), cost_text(0.1 + 0.2)
    ('2', '0.3')
    """
    return f"{round(cost, 6):.6f}".rstrip("0").rstrip(".")


def _with_partners(linkage: Linkage, position: int) -> str:
    """Return a disjunct as text, each connector followed by the positions that it links."""
    disjunct = linkage.disjuncts[position]
    linked: list[list[int]] = [[] for _ in (*disjunct.left, *disjunct.right)]
    for link in linkage.links:
        for own, other, number in zip(
            (link.left, link.right), (link.right, link.left), linkage.connectors_of(link), strict=True
        ):
            if own == position and number < len(linked):
                linked[number].append(other)
    connectors = map(str, disjunct.left + disjunct.right)
    return _AND.join(
        f"{connector} ({', '.join(map(str, sorted(others)))})"
        for connector, others in zip(connectors, linked, strict=True)
    )


def _wrapped(text: str, width: int | None) -> list[str]:
    """Return a disjunct as lines of that width, broken before an ampersand."""
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
