"""What schemata ask of the disjuncts of a sentence: their sides as sequences of labels, and numbered connectors.

A connector occurrence is a connector of one disjunct of one word. Each has a number, so that a link is a pair
of numbers in the back-pointers of a chart, from which words, disjuncts and the label are found again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from schemata.grammars.link_grammar.dictionary import ANYWHERE, LengthLimits
from schemata.grammars.relations import Relation, Sort, relations_by_name
from schemata.language.labels import first, rest, side_text, turned
from schemata.structures.connectors import Connector, matching_connectors
from schemata.structures.linkages import Disjunct, LabelledLink, Linkage, labelled_link

__all__ = ["Occurrence", "Sequences", "sequences_of"]


class HasDisjuncts(Protocol):
    """The words of a sentence with their disjuncts, one tuple a word; `last` is the last position.

    `limits` says how far connectors reach.
    """

    @property
    def words(self) -> tuple[str, ...]: ...

    @property
    def disjuncts(self) -> tuple[tuple[Disjunct, ...], ...]: ...

    @property
    def last(self) -> int: ...

    @property
    def limits(self) -> LengthLimits: ...


class Occurrence(NamedTuple):
    """A connector of a disjunct: the word's position, the disjunct's number, the side and the place there.

    Places count from 0, nearest first.
    """

    position: int
    disjunct: int
    right: bool
    place: int


@dataclass(frozen=True)
class Sequences:
    """The disjuncts of a sentence as sequences of labels.

    Parameters
    ----------
    words, disjuncts : those of the sentence.
    sides : for each position from 0 to the dummy word after the last, the right and the left side of every
        disjunct, nearest first.
    right_codes, left_codes : by position the number of every label, as read in either direction; what is no
        position has none.
    occurrences : the connector occurrences by number.
    reaches : how far each connector occurrence reaches; at last a number that is no limit, for no occurrence.
    matching : the pairs of connector texts that match, in both orders.
    partners : for each connector text, those that match it, sorted.
    """

    words: tuple[str, ...]
    disjuncts: tuple[tuple[Disjunct, ...], ...]
    sides: tuple[tuple[tuple[str, str], ...], ...]
    right_codes: Mapping[int, Mapping[str, int]]
    left_codes: Mapping[int, Mapping[str, int]]
    occurrences: tuple[Occurrence, ...]
    reaches: tuple[int, ...]
    matching: frozenset[tuple[str, str]]
    partners: Mapping[str, tuple[str, ...]]

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The disjuncts of words, and the ends of links (see `grammars.relations`)."""

        def disjuncts() -> Iterator[tuple[str, str, int]]:
            for position, offered in enumerate(self.sides):
                yield from ((right, left, position) for right, left in offered)

        sorts: tuple[Sort, ...] = ("position", "position", "label", "label", "link end", "link end")
        return relations_by_name(
            Relation("disjunct", ("labels", "labels", "position"), {"fff": disjuncts}),
            Relation("join", sorts, {"bbbbff": self._ends}),
        )

    def _ends(self, left: object, right: object, to_right: str, to_left: str) -> Iterable[tuple[int, int]]:
        """Yield the numbers of a word's connector to the right and another's to the left, if both reach so far."""
        if isinstance(left, int) and isinstance(right, int):
            one = self.right_codes.get(left, {}).get(to_right)
            other = self.left_codes.get(right, {}).get(to_left)
            if one is not None and other is not None and 0 < right - left <= self._reach(one, other):
                yield one, other

    def _reach(self, one: int, other: int) -> int:
        return min(self.reaches[one], self.reaches[other])

    @property
    def sides_by_position(self) -> Mapping[int, tuple[tuple[str, str], ...]]:
        """The sides by position; what is no position has none."""
        return dict(enumerate(self.sides))

    def link(self, code: int, other: int) -> LabelledLink:
        """Return the link between two connector occurrences, the one to the right first."""
        one, two = self.occurrences[code], self.occurrences[other]
        label = labelled_link(
            (self.disjuncts[one.position][one.disjunct], self.disjuncts[two.position][two.disjunct]),
            0,
            1,
            (one.place, two.place),
        ).label
        return LabelledLink(one.position, two.position, label, (one.place, two.place))

    def linkage(self, pairs: Iterable[tuple[int, int]]) -> Linkage | None:
        """Return the linkage of pairs of connector occurrences; None where they give a word no disjunct or two."""
        chosen: dict[int, int] = {}
        links = []
        for pair in pairs:
            for code in pair:
                found = self.occurrences[code]
                if chosen.setdefault(found.position, found.disjunct) != found.disjunct:
                    return None
            links.append(self.link(*pair))
        if len(chosen) < len(self.words):
            return None
        disjuncts = [self.disjuncts[z][chosen[z]] for z in range(len(self.words))]
        return Linkage(self.words, disjuncts, links)


class _Codes(dict[int, Mapping[str, int]]):
    """The numbers of labels by position."""

    def __missing__(self, position: int) -> Mapping[str, int]:
        return {}


_KEPT: dict[int, tuple[HasDisjuncts, Sequences]] = {}
_MOST_KEPT = 8  # grammars of sentences, by identity


def sequences_of(grammar: HasDisjuncts) -> Sequences:
    """Return the sequences of a sentence's disjuncts; those of the last few sentences are kept.

    >>> from types import SimpleNamespace
    >>> from schemata.structures.connectors import read_connector
    >>> the = Disjunct("the", (), (read_connector("D+"),))
    >>> cat = Disjunct("cat.n", (read_connector("D-"),), ())
    >>> from schemata.grammars.link_grammar.dictionary import NO_LIMITS
    >>> given = SimpleNamespace(words=("the", "cat"), disjuncts=((the,), (cat,)), last=1, limits=NO_LIMITS)
    >>> found = sequences_of(given)
    >>> found.sides
    ((('the#1: D+', ''),), (('', 'cat.n#1: D-'),), (('', ''),))
    >>> found.link(found.right_codes[0]["the#1: D+"], found.left_codes[1]["cat.n#1: D-"])
    LabelledLink(left=0, right=1, label='D', uses=(0, 0))
    """
    kept = _KEPT.get(id(grammar))
    if kept is not None and kept[0] is grammar:
        return kept[1]
    found = _sequences(grammar)
    while len(_KEPT) >= _MOST_KEPT:
        _KEPT.pop(next(iter(_KEPT)), None)
    _KEPT[id(grammar)] = grammar, found
    return found


def _sequences(grammar: HasDisjuncts) -> Sequences:
    origins: dict[tuple[str, tuple[Connector, ...], tuple[Connector, ...]], str] = {}
    counts: dict[str, int] = {}
    sides: list[tuple[tuple[str, str], ...]] = []
    right_codes, left_codes = _Codes(), _Codes()
    occurrences: list[Occurrence] = []
    reaches: list[int] = []
    reach_of = grammar.limits.reaches(
        c for word in grammar.disjuncts for d in word for c in (*d.left, *d.right)
    )
    tokens: dict[str, Connector] = {}
    for position, offered in enumerate(grammar.disjuncts):
        here: dict[tuple[str, str], None] = {}
        codes: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for number in _cheapest(offered):
            disjunct = offered[number]
            word = disjunct.word.replace('"', "''")
            key = word, disjunct.left, disjunct.right
            if key not in origins:
                counts[word] = counts.get(word, 0) + 1
                origins[key] = f"{word}#{counts[word]}"
            right, left = (
                side_text(origins[key], tuple(map(str, side))) for side in (disjunct.right, disjunct.left)
            )
            here[right, left] = None
            for own, side, connectors in zip(
                codes, (right, left), (disjunct.right, disjunct.left), strict=True
            ):
                tokens.update((str(c), c) for c in connectors)
                for place, label in enumerate(_labels(side)):
                    own[label] = own[turned(label)] = len(occurrences)
                    occurrences.append(Occurrence(position, number, own is codes[0], place))
                    reaches.append(reach_of[connectors[place]])
        sides.append(tuple(here))
        right_codes[position], left_codes[position] = codes
    sides.append((("", ""),))
    matching = matching_connectors(tokens.values())
    partners = {str(one): tuple(sorted(map(str, others))) for one, others in matching.items() if others}
    return Sequences(
        grammar.words,
        grammar.disjuncts,
        tuple(sides),
        right_codes,
        left_codes,
        tuple(occurrences),
        (*reaches, ANYWHERE),
        frozenset((one, other) for one, others in partners.items() for other in others),
        partners,
    )


def _cheapest(offered: Sequence[Disjunct]) -> list[int]:
    """Return the numbers of a word's disjuncts; of those that differ in their cost alone, the cheapest."""
    best: dict[tuple[str, tuple[Connector, ...], tuple[Connector, ...]], int] = {}
    for number, disjunct in enumerate(offered):
        key = disjunct.word, disjunct.left, disjunct.right
        if key not in best or disjunct.cost < offered[best[key]].cost:
            best[key] = number
    return sorted(best.values())


def _labels(side: str) -> list[str]:
    """Return the single labels of a side in order."""
    found: list[str] = []
    while side:
        found.append(first(side))
        side = rest(side)
    return found
