"""Link Grammar: connectors and labels, disjuncts, and linkages with the conditions that they meet.

A connector is an upper-case name with a subscript, as in ``Ss*b``, and a direction: ``+`` links to the right,
``-`` to the left. ``@`` before it makes it a multi-connector, which links one word or several. A prefix ``h``
or ``d`` marks the head or the dependent of a link.

A linkage has words, the disjunct chosen for each, and the labelled links between them. A value of these types need not
be a proper linkage; each condition is tested by itself, with the evidence. A linkage is planar, it is connected, no two
links join the same pair of words, and every word is satisfied: each connector of its disjunct is linked, by the nearer
words the earlier ones, and only a multi-connector more than once. The two connectors of a link match, and its label
is their common part. Where a dictionary limits how far connectors reach, no link is longer than both of its
connectors allow. `generation` lists the linkages that meet all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import combinations, pairwise

from schemata.errors import StructureError
from schemata.grouping import components, grouped
from schemata.records import Record, ShownAsSvg, field
from schemata.structures.graphs import Evidence

_WILDCARD = "*"
_TEXT = re.compile(r"(@?)([hd]?)([A-Z][A-Z_]*)([a-z0-9*]*)([+-])")
_UPPER = re.compile(r"[A-Z_]*")


class Connector(Record, order=True):
    """A connector as a dictionary writes it.

    Parameters
    ----------
    name : the upper-case part and the subscript, without prefix.
    right : whether it links to the right.
    multi : whether it may link several words, one after the other.
    head : ``"h"`` or ``"d"`` for the head or the dependent of its links, or empty.

    >>> str(Connector("Ss*", right=True, multi=True, head="h"))
    '@hSs*+'
    """

    name: str
    right: bool
    multi: bool = False
    head: str = ""

    @property
    def base(self) -> str:
        """The upper-case part of the name."""
        return _base(self.name)

    @property
    def subscript(self) -> str:
        """The rest of the name after its upper-case part."""
        return self.name[len(self.base) :]

    def __str__(self) -> str:
        return f"{'@' * self.multi}{self.head}{self.name}{'+' if self.right else '-'}"


Reach = Callable[[Connector], int | None]
"""The distance over which a connector may link two words, None for any: some dictionaries set limits."""


def read_connector(text: str) -> Connector:
    """Return the connector that a text in a dictionary stands for.

    Raises
    ------
    ValueError : the text is not a connector; the message says why.

    >>> read_connector("@hSs*+")
    Connector(name='Ss*', right=True, multi=True, head='h')
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        raise ValueError(_reason(text))
    multi, head, base, subscript, direction = found.groups()
    return Connector(base + subscript, direction == "+", bool(multi), head)


def connectors_match(one: Connector, other: Connector) -> bool:
    """Whether two connectors match; the caller pairs one to the right with one to the left.

    Their upper-case parts are equal, and their subscripts agree in each position that both have, where ``*``
    agrees with everything. Two heads or two dependents do not match.

    References
    ----------
    Sleator & Temperley 1991, section 2; the prefixes are those of the dictionaries in use today.

    >>> connectors_match(read_connector("Ss*b+"), read_connector("S-"))
    True
    >>> connectors_match(read_connector("Ss+"), read_connector("Sp-"))
    False
    >>> connectors_match(read_connector("hS+"), read_connector("hS-"))
    False
    """
    return not (one.head and one.head == other.head) and _covers(one, other)


def matching_connectors(connectors: Iterable[Connector]) -> dict[Connector, list[Connector]]:
    """Return for each of some connectors those in the other direction that match it.

    >>> s, left = read_connector("S+"), read_connector("Ss-")
    >>> matching_connectors([s, left, read_connector("O-")])[s] == [left]
    True
    """
    known = dict.fromkeys(connectors)
    by_base = grouped(((one.base, one.right), one) for one in known)
    return {
        one: [other for other in by_base.get((one.base, not one.right), ()) if connectors_match(one, other)]
        for one in known
    }


def common_label(one: Connector, other: Connector) -> str:
    """Return the label of a link between two connectors: their common part.

    This is the upper-case part, in each position of the subscripts the more specific character, and the tail
    of the longer one.

    Raises
    ------
    ValueError : the connectors do not match.

    >>> common_label(read_connector("S*b+"), read_connector("Ss-"))
    'Ssb'
    """
    if not connectors_match(one, other):
        raise ValueError(f"{one} and {other} do not match")
    shorter, longer = sorted((one.name, other.name), key=len)
    shared = (b if a == _WILDCARD else a for a, b in zip(shorter, longer, strict=False))
    return "".join(shared) + longer[len(shorter) :]


# How far links may reach ----------------------------------------------------------------------------------------

ANYWHERE = 1 << 30
"""A distance that no sentence is as long as."""

_SHORT = 16


class LengthLimits(Record):
    """The limits of connectors.

    Parameters
    ----------
    limited : connectors and how far they reach; a connector with the same upper-case part has the limit of the first
        of these whose subscript matches its own.
    unlimited : connectors without limit, or None if the dictionary does not list them.
    """

    limited: tuple[tuple[Connector, int], ...] = ()
    unlimited: tuple[Connector, ...] | None = None
    _known: dict[Connector, int | None] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )  # connectors asked about

    def reach(self, connector: Connector) -> int | None:
        """Return how many positions apart a link of this connector may join words; None if there is no limit."""
        if connector not in self._known:
            reach = None if self.unlimited is None else _SHORT
            if any(_covers(pattern, connector) for pattern in self.unlimited or ()):
                reach = None
            limits = (limit for pattern, limit in self.limited if _covers(pattern, connector))
            self._known[connector] = next(limits, reach)
        return self._known[connector]

    def distance(self, connector: Connector) -> int:
        """Return how far a connector reaches, `ANYWHERE` where there is no limit."""
        reach = self.reach(connector)
        return ANYWHERE if reach is None else reach


NO_LIMITS = LengthLimits()
"""The limits of a dictionary that sets none."""


def _covers(pattern: Connector, connector: Connector) -> bool:
    """Whether a listed connector stands for another: as connectors match, but for heads and dependents.

    For listed connectors without wildcard this is what link-parser does, by trial; with one it does something else,
    which is not matching (see `wildcard_warnings` of dictionaries).
    """
    if pattern.base != connector.base:
        return False
    # Subscripts may differ in length: the shorter one agrees with any tail.
    pairs = zip(pattern.subscript, connector.subscript, strict=False)
    return all(a == b or _WILDCARD in (a, b) for a, b in pairs)


@lru_cache(maxsize=65_536)  # dictionaries have some hundreds of names, which are compared millions of times
def _base(name: str) -> str:
    found = _UPPER.match(name)
    return found.group() if found else ""


def _reason(text: str) -> str:
    if not text.endswith(("+", "-")):
        return f"a connector ends in + or -, not like {text!r}"
    rest = text[:-1].removeprefix("@")
    rest = rest[rest[:1] in ("h", "d") :]
    if not ("A" <= rest[:1] <= "Z"):
        return f"the name of a connector begins with an upper-case letter, not like {text!r}"
    return f"after its capitals a connector has only lower-case letters, digits and *, not like {text!r}"


class Disjunct(Record, order=True):
    """One way to use a word: the connectors that all have to be linked, in order.

    Parameters
    ----------
    word : the word as the dictionary has it, with its subscript, as ``"saw.v"``.
    left : the connectors to the left, nearest first.
    right : the connectors to the right, nearest first.
    cost : its share of the cost of a linkage.

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
    label : the common part of the two connectors.
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
        """The connected components of the links, as sets of positions, by first position."""
        return components(len(self.words), ((link.left, link.right) for link in self.links))

    def to_json(self) -> dict[str, object]:
        """Return the linkage as JSON; linkages of a sentence that are different give different objects.

        ``cost`` is that of the linkage. For each position, ``words`` has the word as the dictionary has it,
        ``disjuncts`` its disjunct as text and ``costs`` the cost of that. For each link, ``links`` has
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
    linkage : a candidate for a linkage.
    reach : how far a connector may link; None: all may link any two words.

    References
    ----------
    Sleator & Temperley 1991, section 2; GCW11, section 8.

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
            return f"{connectors[nearer]} is linked more than once, and is not a multi-connector"
    return None


def _shown(link: LabelledLink) -> str:
    return f"the link {link.label} of {link.left} and {link.right}"
