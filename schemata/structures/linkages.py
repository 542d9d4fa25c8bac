"""Linkages of Link Grammar: words, the disjunct chosen for each, and the labelled links between them.

A value of these types need not be a proper linkage: `schemata.structures.linkage_checks` tells which
conditions it meets, and `schemata.structures.linkage_generation` lists those that meet all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from schemata.errors import StructureError
from schemata.structures.connectors import Connector, common_label
from schemata.structures.graphs import components


@dataclass(frozen=True, slots=True, order=True)
class Disjunct:
    """One way to use a word: the connectors that all have to be linked, in order.

    Parameters
    ----------
    word : the word as the dictionary has it, with its subscript, as ``"saw.v"``.
    left : the connectors to the left, nearest first.
    right : the connectors to the right, nearest first.
    cost : what choosing it adds to the cost of a linkage.

    >>> from schemata.structures.connectors import read_connector
    >>> str(Disjunct("cat", (read_connector("Ds-"),), (read_connector("Ss+"),)))
    'Ds- & Ss+'
    """

    word: str
    left: tuple[Connector, ...]
    right: tuple[Connector, ...]
    cost: float = 0.0

    def __str__(self) -> str:
        return " & ".join(map(str, self.left + self.right)) or "()"


@dataclass(frozen=True, slots=True, order=True)
class LabelledLink:
    """A link between two words.

    Parameters
    ----------
    left, right : the positions of the two words, counted from 0.
    label : what the two connectors have in common.
    uses : which connectors it links: an index into the right ones of the left word's disjunct, and one into
        the left ones of the right word's.
    """

    # Two multi-connectors side by side can share the same links in several ways; these are linkages of their
    # own, which only `uses` keeps apart.
    left: int
    right: int
    label: str
    uses: tuple[int, int]


@dataclass(frozen=True, slots=True, order=True)
class Linkage:
    """A disjunct for each word of a sentence, and the links between their connectors.

    `links` may be given as any iterable and are kept sorted. Walls are words.

    Raises
    ------
    StructureError : no words, disjuncts not one per word, or a link that does not go from a word to a later one.
    """

    words: tuple[str, ...]
    disjuncts: tuple[Disjunct, ...]
    links: tuple[LabelledLink, ...]

    def __init__(
        self, words: Sequence[str], disjuncts: Sequence[Disjunct], links: Iterable[LabelledLink]
    ) -> None:
        object.__setattr__(self, "words", tuple(words))
        object.__setattr__(self, "disjuncts", tuple(disjuncts))
        object.__setattr__(self, "links", tuple(sorted(links)))
        if not self.words:
            raise StructureError("a linkage has at least one word")
        if len(self.disjuncts) != len(self.words):
            raise StructureError(f"{len(self.disjuncts)} disjuncts for {len(self.words)} words")
        for link in self.links:
            if not 0 <= link.left < link.right < len(self.words):
                raise StructureError(
                    f"link ({link.left}, {link.right}): a link goes from one of the words "
                    f"0..{len(self.words) - 1} to a later one"
                )

    @property
    def cost(self) -> float:
        """The sum of the costs of the disjuncts, rounded to hide the error of adding decimals."""
        return round(sum(disjunct.cost for disjunct in self.disjuncts), 9)

    @property
    def is_cyclic(self) -> bool:
        """True if some links form a cycle."""
        return len(self.links) > len(self.words) - len(self.components)

    @property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """The sets of positions that hang together by links, by first position."""
        return components(len(self.words), ((link.left, link.right) for link in self.links))

    def to_json(self) -> dict[str, object]:
        """Return the linkage as JSON; linkages of a sentence that are different give different objects.

        ``cost`` is that of the linkage. For each position, ``words`` has the word as the dictionary has it,
        ``disjuncts`` its disjunct as text and ``costs`` what that costs. For each link, ``links`` has
        [left, right, label], and ``connectors`` the numbers of the two connectors that it joins, counted
        from 0 in the disjuncts as written.
        """
        return {
            "cost": self.cost,
            "words": [disjunct.word for disjunct in self.disjuncts],
            "disjuncts": [str(disjunct) for disjunct in self.disjuncts],
            "costs": [round(disjunct.cost, 9) for disjunct in self.disjuncts],
            "links": [[link.left, link.right, link.label] for link in self.links],
            "connectors": [list(self.connectors_of(link)) for link in self.links],
        }

    def connectors_of(self, link: LabelledLink) -> tuple[int, int]:
        """Return which connectors a link joins, counted from 0 in the two disjuncts as written, left ones first.

        >>> from schemata.structures.connectors import read_connector
        >>> the = Disjunct("the", (), (read_connector("D+"),))
        >>> cat = Disjunct("cat", (read_connector("A-"), read_connector("D-")), ())
        >>> link = labelled_link((the, cat), 0, 1, (0, 1))
        >>> Linkage(("the", "cat"), (the, cat), (link,)).connectors_of(link)
        (0, 1)
        """
        return len(self.disjuncts[link.left].left) + link.uses[0], link.uses[1]


def labelled_link(
    disjuncts: Sequence[Disjunct], left: int, right: int, uses: tuple[int, int]
) -> LabelledLink:
    """Return the link between two connectors of the words' disjuncts, with its label.

    Raises
    ------
    ValueError : the two connectors do not match.
    IndexError : there is no such word or connector.
    """
    one, other = disjuncts[left].right[uses[0]], disjuncts[right].left[uses[1]]
    return LabelledLink(left, right, common_label(one, other), uses)


def cheapest_first(linkages: Iterable[Linkage], *, limit: int | None = None) -> list[Linkage]:
    """Return the linkages by cost, and by the length of their links where costs are equal.

    Parameters
    ----------
    linkages : the linkages, in any order.
    limit : how many are wanted; no more are held at a time. None: all.
    """
    if limit is None:
        return sorted(linkages, key=_rank)
    return nsmallest(limit, linkages, key=_rank)


def _rank(linkage: Linkage) -> tuple[float, int, Linkage]:
    return linkage.cost, sum(link.right - link.left for link in linkage.links), linkage
