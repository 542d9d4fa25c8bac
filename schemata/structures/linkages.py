"""Linkages of Link Grammar: words, the disjunct chosen for each, the labelled links between them, and the conditions.

A value of these types need not be a proper linkage; each condition is tested by itself, with the evidence. A linkage
is planar, it is connected, no two links join the same pair of words, and every word is satisfied: each connector of
its disjunct is linked, by the nearer words the earlier ones, and only a multi-connector more than once. The two
connectors of a link match, and its label is what they have in common. Where a dictionary limits how far connectors
reach, no link is longer than both of its connectors allow. `linkage_generation` lists the linkages that meet all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations, pairwise

from schemata.errors import StructureError
from schemata.notebook_hooks import ShownAsSvg
from schemata.quick_dataclasses import Record
from schemata.structures.connectors import Connector, Reach, common_label, connectors_match
from schemata.structures.graphs import Evidence, components


class Disjunct(Record, order=True):
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


class LabelledLink(Record, order=True):
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
class Linkage(ShownAsSvg):
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


def check_linkage(linkage: Linkage, *, reach: Reach | None = None) -> Evidence:
    """Return whether all conditions on linkages are met; `shows` has the faults by the name of the condition.

    Parameters
    ----------
    linkage : what may be a linkage.
    reach : how far a connector may link; None: all may link any two words.

    References
    ----------
    Sleator & Temperley 1991, section 2; GCW11, section 8.

    >>> from schemata.structures.connectors import read_connector
    >>> from schemata.structures.linkages import Disjunct
    >>> words = [Disjunct("a", (), ()), Disjunct("b", (read_connector("A-"),), ())]
    >>> print(check_linkage(Linkage(["a", "b"], words, [])))
    2 components: (0,), (1,); word 1: A- is not linked
    """
    groups = linkage.components
    faults = {
        "planarity": _find_crossing(linkage),
        "connectedness": f"{len(groups)} components: {', '.join(map(str, groups))}" if groups[1:] else None,
        "exclusion": _find_twice(linkage),
        "satisfaction": _find_unsatisfied(linkage),
        "labelling": _find_mislabelled(linkage),
        "lengths": _find_too_long(linkage, reach) if reach else None,
    }
    broken = {condition: fault for condition, fault in faults.items() if fault is not None}
    text = "; ".join(broken.values()) or "all conditions on linkages are met"
    return Evidence(not broken, text, broken)


def _find_crossing(linkage: Linkage) -> str | None:
    for one, other in combinations(linkage.links, 2):
        if one.left < other.left < one.right < other.right:
            return f"{_shown(one)} crosses {_shown(other)}"
    return None


def _find_twice(linkage: Linkage) -> str | None:
    for one, other in pairwise(linkage.links):  # sorted: links of one pair stand together
        if (one.left, one.right) == (other.left, other.right):
            return f"the words {one.left} and {one.right} are linked twice, {one.label} and {other.label}"
    return None


def _find_unsatisfied(linkage: Linkage) -> str | None:
    """Return the first connector, by words and sides, that is not linked in its order."""
    for word, disjunct in enumerate(linkage.disjuncts):
        lefts = sorted((word - link.left, link.uses[1]) for link in linkage.links if link.right == word)
        rights = sorted((link.right - word, link.uses[0]) for link in linkage.links if link.left == word)
        for connectors, reached in ((disjunct.left, lefts), (disjunct.right, rights)):
            reason = _unsatisfied(connectors, [use for _, use in reached])
            if reason is not None:
                return f"word {word}: {reason}"
    return None


def _find_mislabelled(linkage: Linkage) -> str | None:
    """Return the first link that does not join matching connectors, or is not labelled by them."""
    for link in linkage.links:
        rights, lefts = linkage.disjuncts[link.left].right, linkage.disjuncts[link.right].left
        one, other = link.uses
        if not (0 <= one < len(rights) and 0 <= other < len(lefts)):
            return f"{_shown(link)} joins a connector that is not there"
        joined = f"{_shown(link)} joins {rights[one]} and {lefts[other]}"
        if not connectors_match(rights[one], lefts[other]):
            return f"{joined}, which do not match"
        expected = common_label(rights[one], lefts[other])
        if link.label != expected:
            return f"{joined}: its label is {expected}"
    return None


def _find_too_long(linkage: Linkage, reach: Reach) -> str | None:
    """Return the first link that is longer than a connector of it reaches, of those that are there."""
    for link in linkage.links:
        rights, lefts = linkage.disjuncts[link.left].right, linkage.disjuncts[link.right].left
        for connectors, use in ((rights, link.uses[0]), (lefts, link.uses[1])):
            limit = reach(connectors[use]) if 0 <= use < len(connectors) else None
            if limit is not None and link.right - link.left > limit:
                return f"{_shown(link)} is too long: {connectors[use]} reaches {limit} positions"
    return None


def _unsatisfied(connectors: Sequence[Connector], uses: Sequence[int]) -> str | None:
    """Say which connector links do not use as they should; nearest links come first."""
    for use in uses:
        if not 0 <= use < len(connectors):
            return f"a link uses its connector number {use}, but it has {len(connectors)} on that side"
    for index, connector in enumerate(connectors):
        if index not in uses:
            return f"{connector} is not linked"
    for nearer, farther in pairwise(uses):
        if nearer > farther:
            before, after = connectors[farther], connectors[nearer]
            return f"{before} links a farther word than {after}, which comes after it"
        if nearer == farther and not connectors[nearer].multi:
            return f"{connectors[nearer]} is linked more than once, and is no multi-connector"
    return None


def _shown(link: LabelledLink) -> str:
    return f"the link {link.label} of {link.left} and {link.right}"
