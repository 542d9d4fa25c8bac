"""Test cases for Link Grammar schemata: sentences with disjuncts for each word, all small ones and random ones.

A case is a sentence whose words are all different, so that it can be written as a dictionary. A case that
refutes a schema is shrunk until no smaller one refutes it.

A schema is complete if it derives every linkage of a sentence, sound if it derives nothing else; and it should
derive each linkage once. A derivation builds links between connector occurrences, some of them perhaps more than once.
Derivations are counted for each set of links with these repetitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, permutations, product
from random import Random
from string import ascii_lowercase
from typing import Any, TypeAlias

from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.forest.forest import Edge
from schemata.grammars.link_grammar.sequences import SentenceDisjuncts, Sequences
from schemata.language import model as m
from schemata.records import Record, replace
from schemata.structures import LabelledLink, Linkage, all_linkages, check_linkage
from schemata.structures.generation import cheapest, partnered, plain_disjuncts, random_disjuncts
from schemata.structures.linkages import Connector, Disjunct, connectors_match
from schemata.thresholds import EFFORTS
from schemata.verification.progress import Reader, Subject
from schemata.verification.verdicts import LooseLinks, Missed
from schemata.workbench import ParsingSchema

Disjuncts = tuple[tuple[Disjunct, ...], ...]


class LinkageCase(Record):
    """The words of a sentence, all different, and the disjuncts of each."""

    words: tuple[str, ...]
    disjuncts: Disjuncts

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.words)

    @property
    def key(self) -> tuple[object, ...]:
        """The order of cases by size: words, then disjuncts, connectors, and the connectors' marks."""
        connectors = [c for of_word in self.disjuncts for d in of_word for c in d.left + d.right]
        marks = sum(c.multi + bool(c.head) + len(c.subscript) for c in connectors)
        marks += sum(len(d.word) + bool(d.cost) for of_word in self.disjuncts for d in of_word)
        names = len({c.name for c in connectors})
        texts = [[str(d) for d in of_word] for of_word in self.disjuncts]
        return self.n, sum(map(len, self.disjuncts)), len(connectors), marks, names, texts

    def smaller(self) -> Iterator[LinkageCase]:
        """Yield smaller cases that a dictionary can give, the much smaller ones first."""
        for smaller in map(_merged, _smaller(self)):
            if smaller.proper and smaller.key < self.key:
                yield smaller

    @property
    def proper(self) -> bool:
        """Whether a dictionary can give this: each word has a disjunct, and each disjunct a connector."""
        return all(of_word and all(d.left or d.right for d in of_word) for of_word in self.disjuncts)

    def provide(self) -> SentenceDisjuncts:
        """Return the unpruned disjuncts in the form that a kernel reads."""
        return SentenceDisjuncts(self.words, self.disjuncts)

    def to_dictionary(self) -> str:
        """Return the case as a dictionary file.

        >>> print(random_case(2, 0, 4).to_dictionary())
        a: Bb+;
        b: [@Bb*-]0.5;
        """
        lines = []
        for of_word in self.disjuncts:
            entries: dict[str, list[str]] = {}
            for disjunct in of_word:
                entries.setdefault(disjunct.word, []).append(_expression(disjunct, len(of_word) > 1))
            lines += [f"{word}: {' or '.join(texts)};" for word, texts in entries.items()]
        return "\n".join(lines)


def small_cases(n: int) -> Iterator[LinkageCase]:
    """Yield the cases of n >= 2 words with one disjunct a word, from as many choices as are not too many.

    Disjuncts are of at most two connectors and two names, of two connectors and one name, and of one connector.

    >>> print(next(small_cases(2)).to_dictionary())
    a: A+;
    b: A-;
    """
    found: dict[LinkageCase, None] = {}
    words = tuple(ascii_lowercase[:n]) if n <= 26 else tuple(f"w{k}" for k in range(n))
    for names, most in (("A", 1), ("AB", 1), ("A", 2), ("AB", 2)):
        choices = [list(plain_disjuncts(word, names, most, k > 0, k < n - 1)) for k, word in enumerate(words)]
        if math.prod(map(len, choices)) <= EFFORTS.small_dictionaries:
            found |= dict.fromkeys(LinkageCase(words, tuple((d,) for d in row)) for row in product(*choices))
    # The connectors A and B may change places.
    yield from (case for case in found if case.disjuncts[0][0].right[0].name == "A")


def random_case(n: int, seed: int, number: int) -> LinkageCase:
    """Return a random case of n >= 2 words; seed and number fix it."""
    rng = Random(f"dictionaries {seed} {n} {number}")
    while True:
        case = LinkageCase(*random_disjuncts(n, rng))
        if case.proper:
            return case


def _expression(disjunct: Disjunct, nested: bool) -> str:
    text = str(disjunct)
    if disjunct.cost:
        return f"[{text}]{disjunct.cost:g}"
    return f"({text})" if nested and " " in text else text


LinkPlace: TypeAlias = tuple[int, int, bool, int]
"""The place of a connector: its word, disjunct, whether it is on the right, and where it stands there."""


def _places(case: LinkageCase) -> dict[LinkPlace, Connector]:
    """Return the connectors of a case by their places."""
    return {
        (word, k, right, at): connector
        for word, of_word in enumerate(case.disjuncts)
        for k, d in enumerate(of_word)
        for right in (True, False)
        for at, connector in enumerate(d.right if right else d.left)
    }


def _rewired(case: LinkageCase, changes: Mapping[LinkPlace, tuple[Connector, ...]]) -> LinkageCase:
    """Return the case with other connectors in some places, one, none or several in each."""

    def side(connectors: tuple[Connector, ...], *place: Any) -> tuple[Connector, ...]:
        return tuple(c for at, old in enumerate(connectors) for c in changes.get((*place, at), (old,)))

    disjuncts = (
        tuple(
            replace(d, left=side(d.left, word, k, False), right=side(d.right, word, k, True))
            for k, d in enumerate(of_word)
        )
        for word, of_word in enumerate(case.disjuncts)
    )
    return replace(case, disjuncts=tuple(disjuncts))


def _merged(case: LinkageCase) -> LinkageCase:
    """Return the case as a dictionary is read: of disjuncts that differ in their cost alone, the cheapest."""
    return replace(case, disjuncts=tuple(tuple(cheapest(of_word)) for of_word in case.disjuncts))


def _smaller(case: LinkageCase) -> Iterator[LinkageCase]:
    """Yield smaller cases, the much smaller ones first."""
    yield from _without_words(case)
    for word, of_word in enumerate(case.disjuncts):
        if len(of_word) > 1:
            yield from (_with(case, word, (disjunct,)) for disjunct in of_word)
            yield from (_with(case, word, of_word[:k] + of_word[k + 1 :]) for k in range(len(of_word)))
    places = _places(case)
    for (one, connector), (other, partner) in product(places.items(), places.items()):
        facing = one[0] < other[0] and one[2] and not other[2]
        if facing and connectors_match(connector, partner):
            yield _rewired(case, {one: (), other: ()})
    yield from (_rewired(case, {place: ()}) for place in places)
    for place, connector in places.items():
        after = *place[:3], place[3] + 1
        if places.get(after) == connector:
            yield _rewired(case, {place: (replace(connector, multi=True),), after: ()})
    for word, of_word in enumerate(case.disjuncts):
        for k, d in enumerate(of_word):
            for plainer in (replace(d, cost=0.0), replace(d, word=case.words[word])):
                yield _with(case, word, (*of_word[:k], plainer, *of_word[k + 1 :]))
    for place, connector in places.items():
        for changes in ({"multi": False}, {"head": ""}, {"name": connector.base}):
            yield _rewired(case, {place: (replace(connector, **changes),)})
    for name, other_name in permutations(sorted({connector.name for connector in places.values()}), 2):
        yield _with_names(case, {name: other_name})


def _with(case: LinkageCase, word: int, disjuncts: tuple[Disjunct, ...]) -> LinkageCase:
    return replace(case, disjuncts=(*case.disjuncts[:word], disjuncts, *case.disjuncts[word + 1 :]))


def _without_words(case: LinkageCase) -> Iterator[LinkageCase]:
    """Yield the case without one of its words: also without the connectors that are then without a partner."""
    for word in range(case.n if case.n > 2 else 0):
        words = case.words[:word] + case.words[word + 1 :]
        rest = LinkageCase(words, case.disjuncts[:word] + case.disjuncts[word + 1 :])
        yield _without_lonely(rest)
        yield rest


def _without_lonely(case: LinkageCase) -> LinkageCase:
    """Return the case without the connectors that no other word has a partner for."""
    has_partner = partnered(case.disjuncts)
    return _rewired(case, {place: () for place, c in _places(case).items() if not has_partner(place[0], c)})


def _with_names(case: LinkageCase, names: Mapping[str, str]) -> LinkageCase:
    """Return the case with connectors renamed."""
    places = _places(case).items()
    return _rewired(case, {place: (replace(c, name=names.get(c.name, c.name)),) for place, c in places})


def renamed(case: LinkageCase) -> LinkageCase:
    """Return the case with the words a, b, c ... and the connectors A, B ... in their order."""
    connectors = [c for of_word in case.disjuncts for d in of_word for c in d.left + d.right]
    letters: dict[str, str] = {}
    for connector in connectors:
        letters.setdefault(connector.base, ascii_lowercase[len(letters) % 26].upper())
    renamed = _with_names(case, {c.name: letters[c.base] + c.subscript for c in connectors})
    words = tuple(ascii_lowercase[: case.n]) if case.n <= 26 else case.words
    disjuncts = (
        tuple(replace(d, word=name + d.word.removeprefix(old)) for d in of_word)
        for name, old, of_word in zip(words, case.words, renamed.disjuncts, strict=True)
    )
    return LinkageCase(words, tuple(disjuncts))


def all_cases(n: int, seed: int) -> tuple[int, Iterator[LinkageCase]]:
    """Return the number of cases that test n words, and the cases: all small ones, then random ones."""
    small = list(small_cases(n))
    return len(small) + EFFORTS.random_dictionaries, chain(
        small, (random_case(n, seed, k) for k in range(EFFORTS.random_dictionaries))
    )


# What is built in a case ----------------------------------------------------------------------------------------

LINKAGE_CLASSES: dict[str, Callable[[Linkage], bool]] = {
    "linkages": lambda linkage: True,
    "acyclic-linkages": lambda linkage: not linkage.is_cyclic,
}
"""The classes of linkages that a schema can be tested for, each with a predicate of its members."""

Pair: TypeAlias = tuple[int, int]  # the numbers of two connector occurrences


class BuiltLinks(Record):
    """The links that a derivation builds: pairs of connector occurrences, and those of them that it builds again."""

    pairs: frozenset[Pair]
    again: frozenset[Pair] = frozenset()

    @property
    def key(self) -> tuple[object, ...]:
        """The order of structures: fewer links first."""
        return len(self.pairs), len(self.again), sorted(self.pairs), sorted(self.again)


class LinkageStates:
    """The states of linkages under test: links, and those of them that are built again."""

    plain = False
    leaf = BuiltLinks(frozenset())

    def links(self, edge: Edge) -> BuiltLinks:
        """Return an edge's own links."""
        pairs = [(one, other) for one, other in edge.links if one >= 0]
        return BuiltLinks(frozenset(pairs), frozenset(p for p in pairs if pairs.count(p) > 1))

    def combine(
        self, edge: Edge, consequent: int, own: BuiltLinks, states: Sequence[BuiltLinks]
    ) -> BuiltLinks:
        """Return the links of a consequent from those of the edge's tails."""
        pairs, again = own.pairs, own.again
        for state in states:
            again |= state.again | (pairs & state.pairs)
            pairs |= state.pairs
        return BuiltLinks(pairs, again)

    def structure(self, state: BuiltLinks) -> BuiltLinks:
        """Return the links."""
        return state

    value = structure


@lru_cache(maxsize=8)
def linkages_of(case: LinkageCase) -> tuple[Linkage, ...]:
    """Return the linkages of a case by brute force.

    Raises
    ------
    BudgetError : they take too much effort.
    """
    return tuple(all_linkages(case.words, case.disjuncts))


def linkage_subject(schema: m.Schema, class_name: str, limits: Budget) -> Subject:
    """Return a schema over dictionaries under test for the linkages of a class.

    Parameters
    ----------
    schema : the schema.
    class_name : of `LINKAGE_CLASSES`.
    limits : the limits of the test.
    """
    contains = LINKAGE_CLASSES[class_name]

    def reader(case: LinkageCase, chart: Chart) -> Reader:
        """Return a reader of a chart's structures: linkages of the class, or loose links with a fault."""
        view, known = _view(chart), frozenset(linkages_of(case))

        def read(built: BuiltLinks) -> Linkage | LooseLinks:
            linkage = view.linkage(built.pairs)
            if linkage is not None and linkage in known and not built.again and contains(linkage):
                return linkage
            links = tuple(sorted(view.link(*pair) for pair in built.pairs))
            return LooseLinks(links, linkage, _find_fault(view, built, linkage))

        return LinkageStates(), read

    return Subject(
        ParsingSchema(schema),
        limits,
        all_cases,
        reader,
        truth=lambda case: filter(contains, linkages_of(case)),
        fault=lambda case, structure: structure.fault if isinstance(structure, LooseLinks) else None,
        key=lambda answer, own, x: (own.key, len(x.links), x.links, repr(x)),
        once=lambda case, structure: math.inf if isinstance(structure, LooseLinks) else 1,
        number=lambda case, built: len(linkages_of(case)),
        more=lambda n, seed, share: [random_case(n, seed, k) for k in range(share)],
        renamed=renamed,
        evidence=_nearest,
    )


def _nearest(example: Missed, chart: Chart) -> Missed:
    """Return a missed linkage with how near the chart comes to it."""
    used: set[int] = set()
    built: set[LabelledLink] = set()
    for instance in chart.instances():
        used.update(instance.antecedents)
        built |= {_view(chart).link(*pair) for pair in instance.links if pair[0] >= 0}
    pieces = tuple(str(chart.item(x)) for x in chart.derived_ids if x not in used)
    links = example.structure.links
    never = tuple((x.left, x.right, x.label) for x in links if x not in built)
    return replace(example, accepted=bool(chart.accepted), pieces=pieces, missing=never)


def _view(chart: Chart) -> Sequences:
    """Return the connector occurrences of a chart's case."""
    view: Sequences = chart.grammar.sequences  # type: ignore[attr-defined]
    return view


def _find_fault(view: Sequences, built: BuiltLinks, linkage: Linkage | None) -> str:
    """Say why a structure is not a linkage, or not one of the class."""
    for one, other in sorted(built.again):
        a, b = view.occurrences[one], view.occurrences[other]
        label = view.link(one, other).label
        return f"the words {a.position} and {b.position} are linked twice, {label} and {label}"
    if linkage is None:
        return _find_disjunct_fault(view, built)
    checked = check_linkage(linkage)
    return str(checked) if not checked.holds else "it has a cycle"


def _find_disjunct_fault(view: Sequences, built: BuiltLinks) -> str:
    """Say which word has no link, or links of two disjuncts."""
    chosen: dict[int, int] = {}
    for pair in sorted(built.pairs):
        for code in pair:
            found = view.occurrences[code]
            if chosen.setdefault(found.position, found.disjunct) != found.disjunct:
                one, two = (
                    view.disjuncts[found.position][k] for k in (chosen[found.position], found.disjunct)
                )
                return f"word {found.position} uses two disjuncts: {one} and {two}"
    unlinked = next(z for z in range(len(view.words)) if z not in chosen)
    return f"not connected: word {unlinked} has no link"
