"""The disjuncts of a sentence as relations: their sides as sequences of labels, and numbered connectors.

A connector occurrence is a connector of one disjunct of one word. Each has a number, so that a link is a pair
of numbers in the back-pointers of a chart, from which words, disjuncts and the label are found again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property, partial
from operator import itemgetter
from typing import NamedTuple

from schemata.errors import Diagnostic
from schemata.grammars.relations import Relation, fields_alone, provided
from schemata.grouping import grouped
from schemata.language.labels import first, rest, side_text, token, tokens_match, turned
from schemata.records import Record, field, replace
from schemata.structures.linkages import (
    ANYWHERE,
    NO_LIMITS,
    Connector,
    Disjunct,
    LabelledLink,
    LengthLimits,
    Linkage,
    common_label,
    connectors_match,
)
from schemata.structures.word_graphs import WordGraph

UNSURE = -1
"""Stands for the reach of a connector of a word graph that depends on the path."""


class SentenceDisjuncts(Record, slots=False):
    """The disjuncts of the words of a sentence.

    Parameters
    ----------
    words : the words w_0..w_last. Walls are among them where the dictionary defines them.
    disjuncts : those of each word, each once, in order. Equal disjuncts of different entries (``saw.n`` and
        ``saw.v``) are different.
    limits : how far connectors reach.
    warnings : where link-parser may find another number of linkages, and other doubts; no part of the value.
    pruned : whether disjuncts that can be in no linkage of the sentence were left out; no part of the value.
    graph : which words follow which, where they are those of a word graph; 0 is the first of them.
    together : where several readings of the sentence have linkages, all of them as a word graph; no part of the value.

    >>> from schemata.structures.linkages import read_connector
    >>> left, right = read_connector("S+"), read_connector("S-")
    >>> given = SentenceDisjuncts(("I", "am"), ((Disjunct("I", (), (left,)),), (Disjunct("am", (right,), ()),)))
    >>> given.last, given.size
    (1, 2)
    """

    words: tuple[str, ...]
    disjuncts: tuple[tuple[Disjunct, ...], ...]
    limits: LengthLimits = NO_LIMITS
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    pruned: bool = field(default=False, compare=False)
    graph: WordGraph | None = None
    together: SentenceDisjuncts | None = field(default=None, compare=False)

    @property
    def relations(self) -> Mapping[str, Relation]:
        """The disjuncts of words, and the ends of links (see `grammars.relations`)."""
        return self.sequences.relations

    __getstate__ = fields_alone

    @cached_property
    def sequences(self) -> Sequences:
        """The disjuncts in the form that schemata query; of those that differ in their cost alone, the cheapest counts.

        >>> from schemata.structures.linkages import read_connector
        >>> the = Disjunct("the", (), (read_connector("D+"),))
        >>> cat = Disjunct("cat.n", (read_connector("D-"),), ())
        >>> sequences = SentenceDisjuncts(("the", "cat"), ((the,), (cat,))).sequences
        >>> sequences.sides
        ((('the#1: D+', ''),), (('', 'cat.n#1: D-'),), (('', ''),))
        >>> sequences.link(sequences.right_codes[0]["the#1: D+"], sequences.left_codes[1]["cat.n#1: D-"])
        LabelledLink(left=0, right=1, label='D', uses=(0, 0))
        """
        return _sequences(self)

    @property
    def has_reaches(self) -> bool:
        """Whether connectors reach the same words on all paths; on a row of words they do."""
        return UNSURE not in self.sequences.reaches

    @property
    def last(self) -> int:
        """The position of the last word; the first is 0."""
        return len(self.words) - 1

    @property
    def size(self) -> int:
        """The number of disjuncts of all words."""
        return sum(map(len, self.disjuncts))


class Occurrence(NamedTuple):
    """A connector of a disjunct: the word's position, the disjunct's number, the side and the place there.

    Places count from 0, nearest first.
    """

    position: int
    disjunct: int
    right: bool
    place: int


class Origin(NamedTuple):
    """The owner of labels: a disjunct of an entry.

    Parameters
    ----------
    name : its name in labels.
    right, left : its connectors as texts, nearest first.
    """

    name: str
    right: tuple[str, ...]
    left: tuple[str, ...]


class DisjunctRow(NamedTuple):
    """A disjunct of a word.

    Parameters
    ----------
    origin : the number of the origin of its labels.
    disjunct : its number among those of the word.
    code : the number of its first connector occurrence, of those to the right and then those to the left.
    """

    origin: int
    disjunct: int
    code: int


class Sequences(Record, slots=False):
    """The disjuncts of a sentence as sequences of labels.

    Parameters
    ----------
    words, disjuncts : those of the sentence.
    origins : the disjuncts that labels belong to; equal disjuncts of one entry under several words are one.
    rows : for each position its disjuncts.
    reaches : how far each connector occurrence reaches; at last a number that is not a limit, for no occurrence.
    tokens : the connectors by their texts.
    graph : as in `SentenceDisjuncts`.
    """

    words: tuple[str, ...]
    disjuncts: tuple[tuple[Disjunct, ...], ...]
    origins: tuple[Origin, ...]
    rows: tuple[tuple[DisjunctRow, ...], ...]
    reaches: tuple[int, ...]
    tokens: Mapping[str, Connector]
    graph: WordGraph | None = None

    __getstate__ = fields_alone

    @cached_property
    def sides(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """For each position from 0 to the dummy word after the last, the sides of every disjunct, right and left."""
        texts = [(side_text(name, right), side_text(name, left)) for name, right, left in self.origins]
        return (*(tuple(texts[row.origin] for row in of_word) for of_word in self.rows), (("", ""),))

    @cached_property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """The connector occurrences by number."""
        return tuple(
            Occurrence(position, row.disjunct, is_right, place)
            for position, of_word in enumerate(self.rows)
            for row in of_word
            for is_right, side in zip((True, False), self.origins[row.origin][1:], strict=True)
            for place in range(len(side))
        )

    @cached_property
    def right_codes(self) -> Mapping[int, Mapping[str, int]]:
        """By position the number of every label to the right, as read in either direction."""
        return self._codes(True)

    @cached_property
    def left_codes(self) -> Mapping[int, Mapping[str, int]]:
        """By position the number of every label to the left; empty for values that are not positions."""
        return self._codes(False)

    def _codes(self, right: bool) -> Mapping[int, Mapping[str, int]]:
        codes: dict[int, dict[str, int]] = {}
        for position, of_word in enumerate(self.rows):
            here = codes[position] = {}
            for row, sides in zip(of_word, self.sides[position], strict=True):
                side = sides[not right]
                code = row.code if right else row.code + len(self.origins[row.origin].right)
                for place, label in enumerate(_labels(side)):
                    here[label] = here[turned(label)] = code + place
        return codes

    @cached_property
    def partners(self) -> Mapping[str, tuple[str, ...]]:
        """For each connector text, those that match it, sorted."""
        by_base = grouped(((c.base, c.right), text) for text, c in self.tokens.items())
        facing = {text: by_base.get((c.base, not c.right), ()) for text, c in self.tokens.items()}
        return {
            text: tuple(sorted(other for other in others if tokens_match(text, other)))
            for text, others in facing.items()
        }

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The disjuncts of words, and the ends of links (see `grammars.relations`)."""

        def partners(one: object) -> Iterable[tuple[str]]:
            return ((other,) for other in self.partners.get(one, ()))  # type: ignore[call-overload]

        return provided(
            {
                "disjunct": {
                    "fff": lambda: (
                        (*sides, place) for place, offered in enumerate(self.sides) for sides in offered
                    )
                },
                "join": {"bbbbff": self._ends},
                "right_connector": {"bbff": partial(self._connector, self.right_codes)},
                "left_connector": {"bbff": partial(self._connector, self.left_codes)},
                "token": {"bf": lambda label: ((token(label),),)},
                "match": {
                    "bf": partners,
                    "fb": partners,
                    "bb": lambda one, other: ((),) if tokens_match(one, other) else (),
                },
            }
        )

    def _connector(
        self, codes: Mapping[int, Mapping[str, int]], position: object, label: str
    ) -> Iterable[tuple[int, int]]:
        """Yield the number and the reach of a connector; nothing where the word has no such connector."""
        code = codes.get(position, {}).get(label) if isinstance(position, int) else None
        if code is not None:
            yield code, self.reaches[code]

    def _ends(self, left: object, right: object, to_right: str, to_left: str) -> Iterable[tuple[int, int]]:
        """Yield the numbers of a word's connector to the right and another's to the left, if both reach so far."""
        if isinstance(left, int) and isinstance(right, int):
            one = self.right_codes.get(left, {}).get(to_right)
            other = self.left_codes.get(right, {}).get(to_left)
            if one is not None and other is not None and 0 < right - left <= self._reach(one, other):
                yield one, other

    def _reach(self, one: int, other: int) -> int:
        return min(self.reaches[one], self.reaches[other])

    def link(self, code: int, other: int) -> LabelledLink:
        """Return the link between two connector occurrences, the one to the right first."""
        one, two = self.occurrences[code], self.occurrences[other]
        right = self.disjuncts[one.position][one.disjunct].right[one.place]
        left = self.disjuncts[two.position][two.disjunct].left[two.place]
        return LabelledLink(one.position, two.position, common_label(right, left), (one.place, two.place))

    def chosen(self, pairs: Iterable[tuple[int, int]]) -> list[Disjunct] | None:
        """Return the disjuncts to which pairs of connector occurrences belong; None if a word has none or two.

        In a word graph only the words of one path have one.
        """
        places = self._chosen(pairs)
        return None if places is None else [self.disjuncts[p][d] for p, d in places.items()]

    def _chosen(self, pairs: Iterable[tuple[int, int]]) -> dict[int, int] | None:
        """Return the numbers of the disjuncts by position, in order."""
        chosen: dict[int, int] = {}
        for pair in pairs:
            for code in pair:
                occurrence = self.occurrences[code]
                if chosen.setdefault(occurrence.position, occurrence.disjunct) != occurrence.disjunct:
                    return None
        if self.graph is None:
            return dict(sorted(chosen.items())) if len(chosen) == len(self.words) else None
        path = sorted(chosen)
        return {p: chosen[p] for p in path} if path[:1] == [0] and self.graph.is_path(path[1:]) else None

    def linkage(self, pairs: Collection[tuple[int, int]]) -> Linkage | None:
        """Return the linkage of pairs of connector occurrences; None if they give a word no disjunct or two."""
        places = self._chosen(pairs)
        if places is None:
            return None
        number = {position: number for number, position in enumerate(places)}
        links = (self.link(*pair) for pair in pairs)
        renumbered = [replace(x, left=number[x.left], right=number[x.right]) for x in links]
        words = [self.words[position] for position in places]
        return Linkage(words, [self.disjuncts[p][d] for p, d in places.items()], renumbered)


def _sequences(grammar: SentenceDisjuncts) -> Sequences:
    # Connectors and sides are mostly shared, and hashing them takes longer than all the rest: numbers stand for them.
    texts: dict[int, str] = {}
    tokens: dict[str, Connector] = {}
    sides: dict[tuple[str, ...], int] = {}
    number_of: dict[int, int] = {}  # of a side, by its identity
    for side in (side for word in grammar.disjuncts for d in word for side in (d.right, d.left)):
        if id(side) not in number_of:
            for connector in side:
                if id(connector) not in texts:
                    text = texts[id(connector)] = str(connector)
                    tokens[text] = connector
            number_of[id(side)] = sides.setdefault(tuple([texts[id(c)] for c in side]), len(sides))
    labels = tuple(sides)
    reach_of = {text: grammar.limits.distance(connector) for text, connector in tokens.items()}
    reaches_of = [[reach_of[text] for text in side] for side in labels]
    numbers: dict[tuple[str, int, int], int] = {}
    origins: list[Origin] = []
    counts: dict[str, int] = {}
    rows: list[tuple[DisjunctRow, ...]] = []
    reaches: list[int] = []
    graph = grammar.graph
    for position, offered in enumerate(grammar.disjuncts):
        best: dict[tuple[str, int, int], int] = {}
        for number, disjunct in enumerate(offered):
            key = disjunct.word, number_of[id(disjunct.right)], number_of[id(disjunct.left)]
            if best.setdefault(key, number) != number and disjunct.cost < offered[best[key]].cost:
                best[key] = number
        here: list[DisjunctRow] = []
        for key, number in sorted(best.items(), key=itemgetter(1)):
            origin = numbers.setdefault(key, len(origins))
            _, right, left = key
            if origin == len(origins):
                word = key[0].replace('"', "''")
                counts[word] = counts.get(word, 0) + 1
                origins.append(Origin(f"{word}#{counts[word]}", labels[right], labels[left]))
            here.append(DisjunctRow(origin, number, len(reaches)))
            if graph is None:
                reaches += [*reaches_of[right], *reaches_of[left]]
            else:
                reaches += _on_graph(grammar, position, offered[number].right, 1)
                reaches += _on_graph(grammar, position, offered[number].left, -1)
        rows.append(tuple(here))
    limits = (*reaches, ANYWHERE)
    return Sequences(grammar.words, grammar.disjuncts, tuple(origins), tuple(rows), limits, tokens, graph)


def _on_graph(
    grammar: SentenceDisjuncts, position: int, side: Iterable[Connector], direction: int
) -> list[int]:
    """Return how far the connectors of a word in a word graph reach, as differences of positions.

    The reach is `UNSURE` if a connector reaches a matching word on some paths only, or reaches one matching word but
    misses another one with a position nearer to its own.
    """
    found: list[int] = []
    graph = grammar.graph
    assert graph is not None
    ways = graph.distances(position, direction)
    for connector in side:
        reach = grammar.limits.distance(connector)
        if reach >= len(graph.words):
            found.append(reach)
            continue
        bases = {
            abs(k - position): way
            for k, (way, offered) in enumerate(zip(ways, grammar.disjuncts, strict=False))
            if way and k != position and _may_match(connector, offered)
        }
        near = max((far for far, (_, most) in bases.items() if most <= reach), default=0)
        beyond = min((far for far, (least, _) in bases.items() if least > reach), default=ANYWHERE)
        doubtful = any(least <= reach < most for least, most in bases.values())
        found.append(UNSURE if doubtful or beyond < near else near)
    return found


def _may_match(connector: Connector, offered: Iterable[Disjunct]) -> bool:
    """Whether some disjunct has a connector that matches another one."""
    return any(
        connectors_match(connector, other)
        for disjunct in offered
        for other in (disjunct.left if connector.right else disjunct.right)
    )


def _labels(side: str) -> list[str]:
    """Return the single labels of a side in order."""
    labels: list[str] = []
    while side:
        labels.append(first(side))
        side = rest(side)
    return labels
