"""The number of linkages of disjunct lists, by the counting form of the Sleator and Temperley parser.

Written apart from the package: regions between two words are filled top-down, and a table remembers how many
ways each has. It is quick enough for sentences that no enumeration from the definition can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from schemata.grammars.link_grammar.dictionary import LengthLimits
from schemata.structures.connectors import Connector
from schemata.structures.linkages import Disjunct

Side = tuple[Connector, ...]  # farthest first: the order in which regions are filled


def count_linkages(words: Sequence[Sequence[Disjunct]], limits: LengthLimits | None = None) -> int:
    """Return the number of linkages of the words."""
    allow = (limits or LengthLimits()).allow
    end = len(words)
    if end == 1:
        return sum(not (d.left or d.right) for d in words[0])

    @cache
    def allowed(i: int, one: Connector, j: int, other: Connector) -> bool:
        return allow(i, one, j, other)

    @cache
    def fill(i: int, j: int, right: Side, left: Side) -> int:
        """Count the ways to link the words between i and j to each other, using up these connectors."""
        if j == i + 1:
            return not right and not left
        total = 0
        for z in range(i + 1, j):
            for d in words[z]:
                back, onward = d.left[::-1], d.right[::-1]
                by_left = linked(i, z, right, back) if right and back else 0
                by_right = linked(z, j, onward, left) if onward and left else 0
                if by_left:
                    # Once linked to i, the word need not be linked to j.
                    total += by_left * (fill(z, j, onward, left) + by_right)
                if by_right and not right:
                    total += fill(i, z, (), back) * by_right
        return total

    def linked(i: int, j: int, right: Side, left: Side) -> int:
        """Count the ways to fill the region with a link between i and j on top."""
        x, y = right[0], left[0]
        if not allowed(i, x, j, y):
            return 0
        rights = (right[1:], right) if x.multi else (right[1:],)
        lefts = (left[1:], left) if y.multi else (left[1:],)
        return sum(fill(i, j, r, s) for r in rights for s in lefts)

    return sum(fill_from_first(d, end, fill) for d in words[0] if not d.left)


def fill_from_first(first: Disjunct, end: int, fill: object) -> int:
    """Count the linkages with a disjunct of the first word; behind the last word nothing can be linked."""
    assert callable(fill)
    return int(fill(0, end, first.right[::-1], ()))
